"""做幻灯片的时间、每份的大小、打开到看见第一页的时间，对照 nbconvert 自己的幻灯片。

nbconvert 的幻灯片要从网上取 reveal.js、MathJax 等；这里由本机提供，不算网络的时间。
这些文件先用 npm 装进一个文件夹，再用 --cdn 写明它：

    npm install --prefix 文件夹 reveal.js@4.0.2 requirejs@2.1.22 jquery@2.2.4 mathjax@2.7.7 mermaid@11.10.0
"""

import functools
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from utils.benchmark.table import Row
from utils.benchmark.timing import run_python, seconds, side_by_side

BUILD_LIMIT, SIZE_LIMIT, SHOWN_LIMIT = 2.0, 2.0, 1.0  # 倍，MB，秒
STOCK = """
import sys
from pathlib import Path
from nbconvert.exporters import SlidesExporter
exporter = SlidesExporter()
for path in sys.argv[2:]:
    html, _ = exporter.from_filename(path)
    Path(sys.argv[1], Path(path).stem + ".html").write_text(html, encoding="utf-8")
"""
SHOWN = ".reveal.ready section.present:not(.stack)"


def measure(paths: list[Path], repeats: int, cdn: Path | None) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        ours, stock = Path(name, "ours"), Path(name, "stock")
        ours.mkdir()
        stock.mkdir()
        memory = {}
        build, reference = side_by_side(
            lambda: memory.update(ours=run_python("-m", "utils.slides", "-o", ours, *paths)),
            lambda: memory.update(stock=run_python("-c", STOCK, stock, *paths)),
            repeats=repeats,
        )
        yield Row(f"做 {len(paths)} 份幻灯片", build, reference, limit=BUILD_LIMIT)
        if memory["ours"]:
            yield Row("做幻灯片，内存最高", memory["ours"], memory["stock"], unit="MiB")
        sizes = {path: (ours / f"{path.stem}.slides.html").stat().st_size / 1e6 for path in paths}
        largest = max(sizes, key=sizes.get)
        yield Row("最大的一份", sizes[largest], unit="MB", limit=SIZE_LIMIT, note=largest.stem)
        yield from _first_page(largest, ours, stock, max(3, repeats), cdn)


def _first_page(path: Path, ours: Path, stock: Path, repeats: int, cdn: Path | None) -> Iterator[Row]:
    """打开最大的一份，到第一页画出来。"""
    from utils.pages.browser import executable

    if executable() is None:
        print("没有 Chromium 或 Chrome：不量打开的时间。")
        return
    deck = ours / f"{path.stem}.slides.html"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        shown = median(seconds(lambda: _open(browser, deck.as_uri())) for _ in range(repeats))
        yield Row("打开到看见第一页", shown, limit=SHOWN_LIMIT, note=path.stem)
        if cdn is None:
            print("没有写 --cdn：打开的时间不与 nbconvert 的比；怎样写，见 utils/benchmark/slides.py。")
        else:
            with _served(cdn, stock) as address:
                _export_stock(path, stock / "deck.html", address)
                theirs = median(
                    seconds(lambda: _open(browser, f"{address}/deck.html")) for _ in range(repeats)
                )
            yield Row("打开到看见第一页", shown, theirs, note="对照的文件都在本机，不算网络")
        browser.close()


def _open(browser, url: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(SHOWN)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    context.close()


def _export_stock(path: Path, target: Path, address: str) -> None:
    """nbconvert 自己的幻灯片，网上的地址都换成本机的。"""
    from nbconvert.exporters import SlidesExporter

    modules = f"{address}/node_modules"
    exporter = SlidesExporter(
        reveal_url_prefix=f"{modules}/reveal.js",
        require_js_url=f"{modules}/requirejs/require.js",
        jquery_url=f"{modules}/jquery/dist/jquery.min.js",
        mathjax_url=f"{modules}/mathjax/MathJax.js?config=TeX-AMS_CHTML-full,Safe",
        mermaid_js_url=f"{modules}/mermaid/dist/mermaid.esm.min.mjs",
    )
    target.write_text(exporter.from_filename(str(path))[0], encoding="utf-8")


@contextmanager
def _served(cdn: Path, folder: Path) -> Iterator[str]:
    """在本机提供 folder 里的文件，和 cdn 里 npm 装好的文件；给出地址。"""
    modules = folder / "node_modules"
    shutil.copytree(cdn / "node_modules", modules)
    handler = functools.partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
