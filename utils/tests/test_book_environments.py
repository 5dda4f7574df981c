"""书在学习者真实的电脑上也做得成：中文 Windows 的编码、只读的项目；做好的文件各处相同，网站上也能读。"""

import functools
import http.server
import os
import threading

import pytest

from utils.book.__main__ import main
from utils.pages.chromium import executable
from utils.tests import test_environments
from utils.tests.test_environments import python

gbk, locked = test_environments.gbk, test_environments.locked  # 两个 fixture

NAMES = ["02_scores.html", "glossary.html", "index.html", "search.html"]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("书")
    assert main(["02_scores", "-o", str(folder)]) == 0
    return folder


def test_a_gbk_system_makes_the_same_files(gbk, here):
    course, variables = gbk
    out = course.parent / os.fsdecode("做好的 书".encode("gbk"))
    code, said = python("-m", "utils.book", "02_scores", "-o", out, cwd=course, **variables)
    assert code == 0 and "目录：" in said.decode("gbk"), said
    assert sorted(os.listdir(out)) == NAMES
    for name in NAMES:
        assert (out / name).read_bytes() == (here / name).read_bytes(), name


def test_a_read_only_course_makes_a_book_elsewhere(locked, tmp_path):
    course, prefix, variables = locked
    elsewhere = {"cwd": tmp_path, "prefix": prefix, **variables, "PYTHONPATH": str(course)}
    more = ["--pdf"] if executable() else []
    code, said = python("-m", "utils.book", "a2_sql_join", *more, "-o", "书", **elsewhere)
    assert code == 0, said.decode()
    made = sorted(os.listdir(tmp_path / "书"))
    assert made == sorted(["a2_sql_join.html", *NAMES[1:], *["book.pdf"] * len(more)])
    assert os.listdir(tmp_path) == ["书"]
    code, said = python("-m", "utils.book", "a2_sql_join", **elsewhere)
    assert code == 1 and "-o" in said.decode() and "Traceback" not in said.decode(), said.decode()


def test_a_book_inside_the_project_leads_back_to_the_notebook(gbk):
    course, variables = gbk
    code, _ = python("-m", "utils.book", "02_scores", cwd=course, **variables)
    page = (course / "book" / "02_scores.html").read_text(encoding="utf-8")
    assert code == 0 and '<a href="../notebooks/02_scores.ipynb">' in page
    assert (course / "book" / "../notebooks/02_scores.ipynb").exists()
    assert "书拷到别处，就到课程的文件夹里找" in page


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_a_plain_web_server_is_enough(here, browser):
    handler = functools.partial(_Quiet, directory=str(here))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page, asked, said = browser.new_page(), [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        address = f"http://127.0.0.1:{server.server_port}"
        page.goto(f"{address}/02_scores.html")
        page.locator(".bar a", has_text="搜索").click()
        page.locator("#query").fill("余弦相似度")
        page.locator("#results a").first.click()
        page.locator("h3", has_text="余弦").first.wait_for()
        server.shutdown()
        own = [url for url in asked if not url.startswith("data:") and "favicon" not in url]
        assert [url.partition("#")[0].rpartition("/")[2] for url in own] == [
            "02_scores.html",
            "search.html",
            "02_scores.html",
        ]
        assert [words for words in said if "favicon" not in words and "404" not in words] == []
        page.close()
