"""读笔记本、写幻灯片和目录页。"""

import re
from pathlib import Path

from markupsafe import Markup

from utils.notebooks import find_notebook, notebook_paths
from utils.pages import shell
from utils.pages.command import PageError, write_page
from utils.pages.stored import read_run_notebook, unusable
from utils.slides.exporter import DECK_TEMPLATES, SUFFIX, DeckExporter
from utils.slides.lesson import on_slides, read_lesson

LONG = (
    "{} 第 {} 格起的一页太长（约多 {:.0%}），放映时会缩小：拆成两页字才够大，"
    "后一半的第一格设成 Slide Type → Sub-Slide。"
)


def write_decks(names, folder):
    """给每本笔记做一份幻灯片，放进 folder；返回退出码，有一份做不成就是 1。names 是空的就做全部。

    做不成的说明原因，它原来的文件不动，别的照做。目录里也有 folder 里早先做好的。
    """
    exporter, made, failed = DeckExporter(), 0, 0
    for path in [find_notebook(Path(name)) for name in names] or notebook_paths():
        target = folder / (path.stem + SUFFIX)
        try:
            nb = read_run_notebook(path, "放上幻灯片", on_slides)
            said = [f"{path.name} {cell}：它不在幻灯片上，幻灯片照做。" for cell in unusable(nb)]
            page, resources = exporter.from_notebook_node(nb, {"metadata": {"name": path.stem}})
            size = write_page(target, page)
        except PageError as error:
            failed += 1
            print(f"{error}\n{target.name} 没有写。", flush=True)
            continue
        made += 1
        said += [LONG.format(path.name, number, extra) for number, extra in resources["deck"]["long"]]
        print(f"{target.name}：{_size(read_lesson(page))}，{size / 1e6:.1f} MB", flush=True)
        print(*said, sep="\n", end="\n" * bool(said), flush=True)
    if made:
        decks = list(decks_in(folder))
        write_page(
            folder / "index.html",
            shell.render_page(DECK_TEMPLATES, "map.html.j2", css="map.css", decks=decks),
        )
        print(f"目录：{folder / 'index.html'}", flush=True)
    return 1 if failed else 0


def decks_in(folder):
    """folder 里做好的每一份幻灯片在目录里的一项：标题、第一段、页数、分钟数、选读，都从它自己读出。"""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        page = path.read_text(encoding="utf-8", errors="replace")
        size = read_lesson(page)
        opening = re.search(r"<h1[^>]*>(.*?)</h1>\s*(<p>.*?</p>)?", page, re.DOTALL)
        if size["pages"] and opening:  # 不是别的程序做的幻灯片
            size["optional"] = [(place, Markup(title)) for place, title in size["optional"]]
            yield {
                "file": path.name,
                "title": Markup(opening[1]),
                "summary": Markup(opening[2] or ""),
                **size,
            }


def _size(size):
    short = f"，短课 {size['short_pages']} 页 {size['short_minutes']} 分钟" if size["short_pages"] else ""
    optional = f"，选读 {len(size['optional'])} 处" if size["optional"] else ""
    return f"{size['pages']} 页，{size['minutes']} 分钟，点 {size['clicks']} 下{short}{optional}"
