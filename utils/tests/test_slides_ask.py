"""先问，再看：一页上问出来的时候，答案还没有出现。这里看那个检查会不会红；各本在 test_slides_browser.py 里。

问：一格文字里写着“先猜”“先预测”，或以问号收尾。答案：后面的输出、下一格文字，与问题在同一步出现。不算答案的：代码、单独成行的公式、还没有动的动画、问题里说“下面”“图里”的那一样（它是题目）。
"""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.pages.browser import Opened
from utils.slides.__main__ import main
from utils.tests.asking import WALK
from utils.tests.test_slides_browser import until

FRAMES = '<div class="animation-frame">一</div><div class="animation-frame fragment">二</div>'
FILM = {"text/html": f'<figure class="animation">{FRAMES}</figure>', "text/plain": "动画"}

CASES = [  # 问题，答案，答案的页面类型，是不是出现得太早
    ("先猜：是几", "1", "-", True),
    ("先猜：是几", "1", "fragment", False),
    ("先猜：是几", "1", "subslide", False),
    ("它会变大吗？", "1", "-", True),
    ("“它会变大吗？”", "1", "-", True),
    ("它变大了。", "1", "-", False),
    ("先预测：是几？\n\n记在纸上。", "1", "-", True),
    ("它会变大吗？\n\n会。", "1", "-", False),
    ("它会变大吗？\n\n$$x = 1$$", "1", "-", True),
    ("下面的三个数里，哪个最大？", "1", "-", False),
    ("看图：哪个最大？", "1", "-", False),
    ("先猜：是几", "film", "-", False),
    ("先猜：是几", "text", "-", True),
    ("先猜：是几", "code", "-", False),
]
SLIDE = {"slideshow": {"slide_type": "slide"}}


def test_the_walk_finds_the_answers_that_come_too_early(tmp_path, browser):
    """一份里一个问题一页。"""
    outputs = {
        "1": [new_output("display_data", data={"text/plain": "1"})],
        "film": [new_output("display_data", data=FILM)],
    }
    cells, expected = [], []
    for question, answer, slide_type, early in CASES:
        if early:
            expected.append([len(cells) + 1, question.split("\n")[0]])
        cells.append(new_markdown_cell(f"# 题\n\n{question}", metadata=SLIDE))
        metadata = {"slideshow": {"slide_type": slide_type}}
        if answer == "text":
            cells.append(new_markdown_cell("是 1。", metadata=metadata))
        else:
            output = outputs.get(answer, [])
            cells.append(new_code_cell("x = 1", execution_count=1, outputs=output, metadata=metadata))
    nbformat.write(new_notebook(cells=cells), tmp_path / "99_try.ipynb")
    assert main([str(tmp_path / "99_try.ipynb"), "-o", str(tmp_path)]) == 0
    with Opened(browser, tmp_path / "99_try.slides.html") as deck:
        until(deck.page, "Reveal.isReady()")
        assert deck.page.evaluate(WALK) == expected
