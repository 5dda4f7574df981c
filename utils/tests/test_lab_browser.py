"""真的浏览器里的 JupyterLab，由 utils lab 打开：动画不先露答案；看过的不变；input 不堵住后面的格。"""

import os
import re
import subprocess
import sys
import time

import pytest

from utils.tests.test_environments import SAFE, copy_course

READY = """async () => {
    await window.jupyterapp.restored;
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""
RUN_ALL_AND_SAVE = """async () => {
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    await window.jupyterapp.commands.execute("docmanager:save");
}"""
RUN = """async ([start, source]) => {
    const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
    const index = content.widgets.findIndex((cell) => cell.model.sharedModel.getSource().startsWith(start));
    content.activeCellIndex = index;
    if (source) content.widgets[index].model.sharedModel.setSource(source);
    const late = new Promise((_, fail) => setTimeout(fail, 60000, new Error("60 秒还没有运行完")));
    await Promise.race([window.jupyterapp.commands.execute("notebook:run-cell"), late]);
    return JSON.stringify(content.widgets[index].outputArea.model.toJSON());
}"""
UNRUN_FILM = """async () => {
    const { content } = window.jupyterapp.shell.currentWidget;
    const index = content.widgets.findIndex((c) => c.model.sharedModel.getSource().startsWith("animate_"));
    await content.scrollToItem(index);
    const node = content.widgets[index].outputArea.node;
    while (!node.querySelector(".animation-frame")) await new Promise((done) => setTimeout(done, 100));
    const shown = (elements) => [...elements].filter((element) => element.checkVisibility()).length;
    return [
        node.querySelectorAll(".animation-frame").length,
        shown(node.querySelectorAll(".animation-frame")),
        shown(node.querySelectorAll("details p")),
        node.querySelector("summary").textContent,
    ];
}"""


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """（打开着 05 的网页, 05 的文件）。"""
    course = copy_course(tmp_path_factory.mktemp("lab") / "课程 资料")
    settings = {name: os.environ[name] for name in SAFE if name in os.environ}
    command = [sys.executable, "-m", "utils", "lab", "--no-browser", "--allow-root", "--port=0"]
    log = course.parent / "log"
    with log.open("wb") as said:
        server = subprocess.Popen(
            [*command, "--LabApp.expose_app_in_browser=True"],
            cwd=course,
            env={**settings, "HOME": str(course.parent), "LC_ALL": "C.UTF-8"},
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _open(browser, log, "05_weighted_sum.ipynb"), course / "notebooks" / "05_weighted_sum.ipynb"
    finally:
        os.killpg(server.pid, 15)
        server.wait(30)


def _open(browser, log, name):
    until = time.monotonic() + 90
    while not (found := re.search(r"http://127\.0\.0\.1:\d+/\S+", log.read_text(encoding="utf-8"))):
        assert time.monotonic() < until, log.read_text(encoding="utf-8")
        time.sleep(0.2)
    page = browser.new_page()
    page.set_default_timeout(90_000)
    page.goto(found[0].replace("00_overview.ipynb", name))
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.evaluate(READY)
    return page


def test_a_film_that_was_not_run_shows_only_its_beginning(lab):
    """新电脑上第一次打开：不受信任，没有样式；前面的问题先想，答案不露出来。"""
    frames, shown, texts, summary = lab[0].evaluate(UNRUN_FILM)
    assert frames > 3 and shown == 1 and texts == 0 and "运行这一格" in summary


def test_opened_run_and_saved_the_file_is_the_same_byte_for_byte(lab):
    page, file = lab
    before = file.read_bytes()
    page.evaluate(RUN_ALL_AND_SAVE)
    assert page.locator(".widget-slider, .jupyter-widgets").count()  # 真的运行过
    assert page.evaluate("window.jupyterapp.shell.currentWidget.context.model.dirty") is False
    assert file.read_bytes() == before


@pytest.mark.parametrize("asks", ["input()", "breakpoint()"])
def test_an_answer_that_asks_for_input_blocks_no_further_cell(lab, asks):
    page, _ = lab
    answer = (
        f'def my_weighted_sum(weights, V):\n    return {asks}\n\n\ncheck("weighted_sum", my_weighted_sum)'
    )
    assert "input" in page.evaluate(RUN, ["def my_weighted_sum", answer])
    assert "「，」是全角的" in page.evaluate(RUN, ["answer = None", "answer = 1，2"])
    assert '"text/plain":"42"' in page.evaluate(RUN, ["answer = 1，2", "40 + 2"])
    page.evaluate(RUN, ["40 + 2", "answer = None"])
