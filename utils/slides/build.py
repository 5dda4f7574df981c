"""读笔记本、写幻灯片和目录页。"""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from utils.files import write_atomically
from utils.slides.exporter import SUFFIX, DeckError, DeckExporter


class Deck(NamedTuple):
    """目录页上的一份幻灯片。"""

    file: str
    title: str
    summary: str  # HTML：标题下的那一段话
    pages: int
    minutes: int


class _Entry(HTMLParser):
    """从一份幻灯片的文件头里读回它在目录里的一项：<meta name="deck" content="……">。"""

    found = None

    def handle_starttag(self, tag, attributes):
        if tag == "meta" and dict(attributes).get("name") == "deck":
            self.found = json.loads(dict(attributes)["content"])


def build(notebooks: list[Path], folder: Path) -> int:
    """给每本笔记做一份幻灯片，放进 folder；返回退出码，有一份做不成就是 1。

    做不成的说明原因，它原来的文件不动，别的照做。目录里也有 folder 里早先做好的。
    """
    exporter = DeckExporter()
    made, failed = 0, 0
    for path in notebooks:
        try:
            deck, html = export(exporter, path)
            size = _write(folder / deck.file, html)
        except DeckError as error:
            failed += 1
            print(f"{error}\n{path.stem}{SUFFIX} 没有写。", flush=True)
            continue
        made += 1
        print(f"{deck.file}：{deck.pages} 页，{deck.minutes} 分钟，{size / 1e6:.1f} MB", flush=True)
    if made:
        try:
            _write(folder / "index.html", course_map(exporter, decks_in(folder)))
        except DeckError as error:
            print(error, flush=True)
            return 1
        print(f"目录：{folder / 'index.html'}", flush=True)
    return 1 if failed else 0


def export(exporter: DeckExporter, path: Path) -> tuple[Deck, str]:
    """一本笔记的幻灯片和它在目录里的一项。读不出、没有运行过、有一格做不成时抛出 DeckError。"""
    nb = _read(path)
    html, resources = exporter.from_notebook_node(nb, {"metadata": {"name": path.stem}})
    deck = resources["deck"]
    return Deck(path.stem + SUFFIX, deck["title"], deck["summary"], deck["pages"], deck["minutes"]), html


def decks_in(folder: Path) -> list[Deck]:
    """folder 里做好的全部幻灯片，按文件名排：标题、页数和分钟数写在每一份的文件头里。"""
    decks = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        parser = _Entry()
        parser.feed(path.read_text(encoding="utf-8", errors="replace").partition("<title>")[0])
        if parser.found:
            decks.append(Deck(path.name, **parser.found))
    return decks


def course_map(exporter: DeckExporter, decks: list[Deck]) -> str:
    """目录页。"""
    return exporter.render_page("map.html.j2", decks=decks)


def _read(path: Path) -> NotebookNode:
    try:
        nb = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(nb)
    except FileNotFoundError:
        raise DeckError(f"{path}：没有这个文件。") from None
    except (OSError, ValueError, TypeError, AttributeError, nbformat.ValidationError) as error:
        raise DeckError(f"{path.name}：读不出笔记本（{type(error).__name__}: {error}）。") from None
    for number, cell in enumerate(nb.cells, start=1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            reason = "还没有运行过，没有输出可以放上幻灯片"
        elif any(output.output_type == "error" for output in cell.outputs):
            reason = "运行时出错"
        else:
            continue
        raise DeckError(
            f"{path.name} 第 {number} 格{reason}：先运行 python -m utils refresh {path.name}，再做幻灯片。"
        )
    return nb


def _write(path: Path, html: str) -> int:
    content = html.encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as error:
        raise DeckError(f"写不进 {path}（{error.strerror}）：用 -o 换一个文件夹。") from None
    return len(content)
