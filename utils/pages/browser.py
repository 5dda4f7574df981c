"""真的浏览器：用 Playwright 打开电脑上装着的 Chromium 或 Chrome，检查做出来的网页。

没有 Playwright 或浏览器时跳过用到它的测试；环境变量 COURSE_REQUIRE_BROWSER=1 时算失败（CI 里这样设）。"""

import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from utils.pages.chromium import ARGUMENTS, executable


@contextmanager
def chromium():
    """一个打开的浏览器（playwright.sync_api.Browser）。

    用完就要关：开着的时候，同一进程里不能再用 asyncio（执行笔记本要用）。
    所以 fixture 的 scope 最大是 module。
    """
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("没有装 playwright")
    path = executable()
    if path is None:
        _missing("找不到 Chromium 或 Chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


def _common(browser):
    """(断网的 context, 它的空白页)，一个浏览器只有一份。

    每个网页另开 context，就另起一个渲染进程，字体重新读一遍，一次多用一秒；
    空白页一直开着，后来的网页就用它的进程。
    """
    if not hasattr(browser, "course_common"):
        context = browser.new_context(offline=True)
        blank = context.new_page()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "blank.html").write_text("<!DOCTYPE html><title>空白</title>", encoding="utf-8")
            blank.goto(Path(folder, "blank.html").as_uri())
        browser.course_common = context, blank
    return browser.course_common


class Opened:
    """断网打开的一个网页；requests 是除它自己以外的请求，messages 是控制台和对话框里的话。

    几个可以同时开着；浏览器记住的东西（localStorage）在打开和关闭时清空。
    """

    def __init__(self, browser, path, query="", size=(1280, 720)):
        self.context, self._blank = _common(browser)
        self._pages = []
        self.page = self.context.new_page()
        self._listen(self.page)
        self.go(path, query, size)

    def go(self, path, query="", size=(1280, 720)):
        """在同一个标签页里另打开一个，比另开一个快；记下的请求和话从头记起。"""
        self.own, self.requests, self.messages = path.as_uri(), [], []
        self._blank.evaluate("localStorage.clear()")
        self.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        self.page.goto(self.own + query)

    def _listen(self, page):
        self._pages.append(page)
        page.on("popup", self._listen)  # 它打开的网页也算
        page.on("request", lambda request: self._note(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: (self.messages.append(f"弹出：{dialog.message}"), dialog.dismiss()))

    def _note(self, url):
        if not url.startswith(("data:", "about:")) and re.split(r"[?#]", url)[0] != self.own:
            self.requests.append(url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for page in self._pages:
            page.close()
        self._blank.evaluate("localStorage.clear()")

    def quiet(self):
        assert self.requests == [] and self.messages == []


def _missing(reason):
    if os.environ.get("COURSE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{reason}，而 COURSE_REQUIRE_BROWSER=1 要求有浏览器。")
    pytest.skip(reason)
