"""读笔记本、写幻灯片和目录页。"""

import re
from pathlib import Path

from markupsafe import Markup

from utils.notebooks import find_notebook, notebook_paths
from utils.pages import shell
from utils.pages.command import PageError, write_page
from utils.pages.stored import read_run_notebook
from utils.slides.exporter import DECK_TEMPLATES, SUFFIX, DeckExporter


def write_decks(names, folder):
    """给每本笔记做一份幻灯片，放进 folder；返回退出码，有一份做不成就是 1。names 是空的就做全部。

    做不成的说明原因，它原来的文件不动，别的照做。目录里也有 folder 里早先做好的。
    """
    exporter, made, failed = DeckExporter(), 0, 0
    for path in [find_notebook(Path(name)) for name in names] or notebook_paths():
        target = folder / (path.stem + SUFFIX)
        try:
            nb = read_run_notebook(path, "放上幻灯片", "做幻灯片")
            page, resources = exporter.from_notebook_node(nb, {"metadata": {"name": path.stem}})
            size = write_page(target, page)
        except PageError as error:
            failed += 1
            print(f"{error}\n{target.name} 没有写。", flush=True)
            continue
        made += 1
        deck = resources["deck"]
        print(f"{target.name}：{deck['pages']} 页，{deck['minutes']} 分钟，{size / 1e6:.1f} MB", flush=True)
    if made:
        decks = list(decks_in(folder))
        write_page(
            folder / "index.html",
            shell.render_page(DECK_TEMPLATES, "map.html.j2", css="map.css", decks=decks),
        )
        print(f"目录：{folder / 'index.html'}", flush=True)
    return 1 if failed else 0


def decks_in(folder):
    """folder 里做好的每一份幻灯片在目录里的一项：标题、第一段、页数和分钟数都从它自己读出。"""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        page = path.read_text(encoding="utf-8", errors="replace")
        pages = page.count("<section data-cell=")
        opening = re.search(r"<h1[^>]*>(.*?)</h1>\s*(<p>.*?</p>)?", page, re.DOTALL)
        if pages and opening:  # 不是别的程序做的幻灯片
            seconds = sum(map(int, re.findall(r' data-timing="(\d+)"', page)))
            yield {
                "file": path.name,
                "title": Markup(opening[1]),
                "summary": Markup(opening[2] or ""),
                "pages": pages,
                "minutes": round(seconds / 60),
            }
