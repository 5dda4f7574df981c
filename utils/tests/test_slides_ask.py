"""先问，再看：一页上问出来的时候，答案还没有出现。在真的浏览器里把每一份从头放到尾。

问：一格文字里写着“先猜”“先预测”，或以问号收尾。答案：后面的输出、下一格文字，与问题在同一步出现。不算答案的：代码、单独成行的公式、还没有动的动画、问题里说“下面”“图里”的那一样（它是题目）。
"""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.notebooks import notebook_paths
from utils.pages.browser import Opened
from utils.slides.__main__ import main
from utils.tests.test_slides_browser import until

WALK = r"""() => {
  const visible = (e) => getComputedStyle(e).visibility !== "hidden";
  const asks = (text) => /先猜|先预测/.test(text) || /[？?][”」』）)]*$/.test(text);
  const moving = (block) => [...block.querySelectorAll(".animation-frame.fragment")];
  const shown = (block) => block && visible(block) && (!moving(block).length || moving(block).some(visible));
  const formula = (e) => [...e.childNodes].every((n) => n.nodeName === "math" || !n.textContent.trim());
  const found = [], before = new Set();
  for (let step = 0; step < 2000; step++) {
    const page = Reveal.getCurrentSlide();
    const blocks = [...page.querySelectorAll(".text, .output")].filter((e) => !e.closest("aside"));
    for (const [index, block] of blocks.entries()) {
      if (!block.matches(".text") || before.has(block) || !visible(block)) continue;
      const prose = [...block.children].filter((e) => visible(e) && !formula(e));
      const parts = prose.map((e) => e.innerText.trim());
      const last = parts.findLastIndex(asks);
      if (last < 0 || /下面|图里|看图|框出/.test(parts[last])) continue;
      const guess = /先猜|先预测/.test(parts[last]);
      const asked = guess || last === parts.length - 1;
      if (asked && shown(blocks[index + 1])) found.push([+page.dataset.cell, parts[last]]);
    }
    blocks.filter(visible).forEach((block) => before.add(block));
    if (Reveal.isLastSlide() && !Reveal.availableFragments().next) return found;
    Reveal.next();
  }
}"""


def told_too_early(browser, path):
    """[从第几格开始的页, 问的那一段]。"""
    with Opened(browser, path) as deck:
        until(deck.page, "Reveal.isReady()")
        return deck.page.evaluate(WALK)


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_no_answer_is_shown_with_its_question(path, deck_path, browser):
    told = told_too_early(browser, deck_path(path.stem))
    assert not told, f"{path.stem}：答案与问题一起出现。把答案的格设成 fragment 或 subslide：{told}"


# ---------------------------------------------------------------- 检查本身会不会红

FRAMES = '<div class="animation-frame">一</div><div class="animation-frame fragment">二</div>'
FILM = {"text/html": f'<figure class="animation">{FRAMES}</figure>', "text/plain": "动画"}


@pytest.mark.parametrize(
    ("question", "answer", "slide_type", "early"),
    [
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
    ],
)
def test_the_walk_finds_an_answer_that_comes_too_early(
    question, answer, slide_type, early, tmp_path, browser
):
    metadata = {"slideshow": {"slide_type": slide_type}}
    outputs = {
        "1": [new_output("display_data", data={"text/plain": "1"})],
        "film": [new_output("display_data", data=FILM)],
    }
    cells = [new_markdown_cell(f"# 题\n\n{question}", metadata={"slideshow": {"slide_type": "slide"}})]
    if answer == "text":
        cells.append(new_markdown_cell("是 1。", metadata=metadata))
    elif answer:
        cells.append(
            new_code_cell("x = 1", execution_count=1, outputs=outputs.get(answer, []), metadata=metadata)
        )
    nbformat.write(new_notebook(cells=cells), tmp_path / "99_try.ipynb")
    assert main([str(tmp_path / "99_try.ipynb"), "-o", str(tmp_path)]) == 0
    told = told_too_early(browser, tmp_path / "99_try.slides.html")
    assert told == ([[1, question.split("\n")[0]]] if early else [])
