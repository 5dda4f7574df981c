"""读笔记本，写各页：每本一页，目录、术语表、搜索。"""

import base64
import os
import re
from pathlib import Path

from markupsafe import Markup

from utils.book.chapter import plain, read_chapter
from utils.book.pdf import print_book
from utils.book.search import sections, to_script
from utils.book.terms import Page, read_terms
from utils.notebooks import NOTEBOOKS, find_notebook, notebook_paths
from utils.pages import shell
from utils.pages.command import PageError, write_page
from utils.pages.stored import read_run_notebook

BOOK_TEMPLATES = Path(__file__).resolve().parent / "templates"
MAP = {"picture": ".github/pipeline.png", "alt": "五个步骤：投影、打分、缩放、softmax、加权求和"}
SYMBOLS = "### 符号和写法（备查）"  # 总览里的一格，也是书的符号表

_POLICY = f"{shell.POLICY}; script-src 'unsafe-inline'"


def write_book(names, folder, teacher, pdf):
    """做一本书，放进 folder；返回退出码，有一本做不成就是 1，别的照做。

    names : 哪几本笔记，空的就是全部；folder 里早先做过的课程的各本也一起重做，目录和搜索才齐全
    teacher : 带讲稿；pdf : 再印成 book.pdf
    """
    chosen = [find_notebook(Path(name)) for name in names] or notebook_paths()
    before = [path for path in notebook_paths() if (folder / f"{path.stem}.html").exists()]
    paths = {path.stem: path for path in [*before, *chosen]}
    book, failed = _Book(folder, teacher), 0
    for name in sorted(paths):
        try:
            book.read(paths[name])
        except PageError as error:
            failed += 1
            print(f"{error}\n{name}.html 没有写。", flush=True)
    if book.notebooks:
        failed += book.write()
        if pdf:
            path = folder / "book.pdf"
            pages = print_book(book.chapters, path, teacher=teacher, **book.glossary())
            print(f"{path.name}：{pages} 页，{path.stat().st_size / 1e6:.1f} MB", flush=True)
    return 1 if failed else 0


class _Book:
    """做一本书：先读进每一本，知道有哪些，各页之间才好链接；再排、再写。"""

    def __init__(self, folder, teacher):
        self.folder, self.teacher = folder, teacher
        self.notebooks, self.chapters, self.texts = {}, [], []
        self.opening, self.head, self.terms = read_terms()

    def read(self, path):
        self.notebooks[path.stem] = (path, read_run_notebook(path, "放进书里"))

    def write(self):
        """写好各页；返回做不成的本数。"""
        failed = 0
        for name, (_, nb) in self.notebooks.items():
            try:
                self.chapters.append(read_chapter(name, nb, self._page()))
            except PageError as error:
                failed += 1
                print(f"{error}\n{name}.html 没有写。", flush=True)
        neighbours = zip([None, *self.chapters], self.chapters, [*self.chapters[1:], None], strict=False)
        for before, chapter, after in neighbours:
            notebook = self._link_to(self.notebooks[chapter.name][0])
            size = self._write(
                chapter.name, "chapter", chapter.short, chapter.headings,
                title=plain(chapter.title), chapter=chapter, before=before, after=after, notebook=notebook,
            )  # fmt: skip
            print(f"{chapter.name}.html：{size / 1e6:.1f} MB", flush=True)
        self._write("glossary", "glossary", "术语和符号", [(2, "terms", "术语表")], **self.glossary())
        picture = (NOTEBOOKS.parent / MAP["picture"]).read_bytes()
        self._write(
            "index", "index", "目录",
            chapters=self.chapters, map=base64.b64encode(picture).decode(), map_alt=MAP["alt"],
        )  # fmt: skip
        self._write("search", "search", "", texts=to_script(self.texts), search=True)
        print(f"目录：{self.folder / 'index.html'}", flush=True)
        return failed

    def _page(self, terms=True):
        pages = {name: _short(nb) for name, (_, nb) in self.notebooks.items()}
        lessons = {int(name[:2]): name for name in pages if re.match(r"\d\d_", name)}
        return Page(self.terms if terms else [], lessons, pages)

    def _link_to(self, path):
        """通往笔记本文件的链接：书在项目里时，笔记本就在旁边；拷到别处就没有链接，只写名字。"""
        inside = self.folder.resolve().is_relative_to(NOTEBOOKS.parent)
        return Path(os.path.relpath(path.resolve(), self.folder.resolve())).as_posix() if inside else None

    def glossary(self):
        """术语和符号的模板用的东西，都是 HTML。"""
        page = self._page(terms=False)
        symbols = [
            cell.source.replace("###", "##", 1)
            for _, nb in self.notebooks.values()
            for cell in nb.cells
            if cell.source.startswith(SYMBOLS)
        ]
        return {
            "opening": page.html(self.opening),
            "symbols": "".join(map(page.html, symbols)),
            "terms": [(term.key, *(_inline(page, cell) for cell in term.cells)) for term in self.terms],
        }

    def _write(self, name, template, short, headings=(), **variables):
        """排一页、写一页，把它的文字收进搜索；返回字节数。"""
        scripts = ["book.js", *["search.js"] * (name == "search")]
        page = shell.render_page(
            BOOK_TEMPLATES, f"{template}.html.j2", css="book.css", policy=_POLICY,
            here=name, headings=headings, teacher=self.teacher,
            scripts=[Markup((BOOK_TEMPLATES / script).read_text(encoding="utf-8")) for script in scripts],
            **variables,
        )  # fmt: skip
        if short:
            main = re.search(r"<main.*</main>", page, re.DOTALL)[0]
            self.texts += sections(name, short, main)
        return write_page(self.folder / f"{name}.html", page)


def _short(nb):
    """「# 2 打分：……」里的「2 打分」。"""
    first = next((cell.source for cell in nb.cells if cell.source.startswith("# ")), "# ")
    return first.splitlines()[0].removeprefix("# ").partition("：")[0]


def _inline(page, source):
    return page.html(source).removeprefix("<p>").removesuffix("</p>")
