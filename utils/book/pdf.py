"""印成 PDF：整本书排成一页网页，交给电脑上的 Chromium 或 Chrome 打印。

浏览器不会在目录里写页码，所以印几遍：印好一遍，从 PDF 里读出每个链接落在第几页；
写上页码再印，直到页码不再变。
"""

import re
import subprocess
import tempfile
from pathlib import Path

from utils.checks import refusal
from utils.files import write_atomically
from utils.pages import shell
from utils.pages.chromium import ARGUMENTS, executable
from utils.pages.command import PageError

BOOK_TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST = 5  # 至多印几遍；页码多一位，后面就可能挪一页
SECONDS = 300  # 印一遍至多等这么久

_OBJECT = re.compile(rb"^(\d+) 0 obj\s*(.*?)\s*(?:stream\r?\n|endobj)", re.DOTALL | re.MULTILINE)


def print_book(chapters, path, **glossary):
    """把各章印成 path；返回页数。glossary : 术语表模板用的东西。PageError：没有浏览器，或者印不成。"""
    browser = executable()
    if browser is None:
        way_out = "装一个 Chromium、Chrome 或 Edge；装在别处，就用环境变量 CHROMIUM 写明路径"
        raise PageError(refusal("印成 PDF 要用 Chromium 或 Chrome", "没有找到", way_out))
    pages = {}
    # 放在书旁边：装在沙箱里的浏览器（如 snap）看不见系统的临时文件夹
    beside = {"dir": path.parent, "prefix": "printing-", "ignore_cleanup_errors": True}
    with tempfile.TemporaryDirectory(**beside) as folder:
        for _ in range(MOST):
            written = pages
            content = _print(browser, _page(chapters, written, glossary), Path(folder).resolve())
            pages, count = read_destinations(content)
            if pages == written:  # 写着的页码都对
                break
    if "answers" not in pages:
        raise PageError(f"{browser} 印出的不是这本书：它也许读不到 {path.parent}，用 -o 换一个文件夹。")
    try:
        write_atomically(path, content)
    except OSError as error:
        raise PageError(f"写不进 {path}（{error.strerror}）：用 -o 换一个文件夹。") from None
    return count


def _page(chapters, pages, glossary):
    """整本书的一页 HTML。pages : 链接的目标 -> 第几页，第一遍还不知道。"""

    def page_of(key, before="，第 ", after=" 页"):
        return f"{before}{pages.get(key, '000')}{after}"  # 第一遍先占着位置

    glossary = {**glossary, "chapters": chapters, "page_of": page_of, "local": local}
    return shell.render_page(BOOK_TEMPLATES, "print.html.j2", css="print.css", **glossary)


def local(html, chapter, names):
    """一章的 HTML 放进整本书：标题的 id 前面加上章名，二级标题依次编号；通往别的网页的链接改为通往书里。"""
    seconds = [key for level, key, _ in chapter.headings if level == 2]

    def heading(found):
        level, key = found.groups()
        name = f"s-{chapter.name}-{seconds.index(key) + 1}" if level == "2" else f"{chapter.name}.{key}"
        return f'<h{level} id="{name}"'

    html = re.sub(r'<h([2-4]) id="([^"]*)"', heading, html)
    html = re.sub(r'href="glossary\.html#', 'href="#', html)
    return re.sub(rf'href="({"|".join(names)})\.html"', r'href="#\1"', html)


def _print(browser, page, folder):
    source, printed = folder / "book.html", folder / "book.pdf"
    source.write_text(page, encoding="utf-8")
    printed.unlink(missing_ok=True)
    command = [
        browser, "--headless", *ARGUMENTS, f"--user-data-dir={folder / 'profile'}",
        "--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={printed}",
        source.as_uri(),
    ]  # fmt: skip
    try:
        said = subprocess.run(command, capture_output=True, timeout=SECONDS).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PageError(f"{browser} 没有印成 PDF：{error}") from None
    if not printed.exists():
        raise PageError(f"{browser} 没有印成 PDF：\n{said.decode('utf-8', 'replace')[-500:]}")
    return printed.read_bytes()


def read_destinations(content):
    """一份 Chromium 印的 PDF：（{链接的目标: 第几页，从 1 数起}, 页数）。目标的名字是 ASCII。"""
    objects = {int(number): body for number, body in _OBJECT.findall(content)}
    root = next(body for body in objects.values() if b"/Type /Catalog" in body)
    leaves = _leaves(objects, _reference(root, b"Pages"))
    order = {page: number for number, page in enumerate(leaves, start=1)}
    found = re.findall(rb"/([\w.-]+) \[(\d+) 0 R /XYZ", objects.get(_reference(root, b"Dests"), b""))
    return {name.decode(): order[int(page)] for name, page in found}, len(order)


def _leaves(objects, number):
    kids = re.search(rb"/Kids\s*\[(.*?)\]", objects[number], re.DOTALL)
    if not kids:
        return [number]
    return [leaf for kid in re.findall(rb"(\d+) 0 R", kids[1]) for leaf in _leaves(objects, int(kid))]


def _reference(body, key):
    found = re.search(rb"/" + key + rb" (\d+) 0 R", body)
    return int(found[1]) if found else None
