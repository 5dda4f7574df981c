"""讲稿：每一节都有，一节课讲得完，数是对的，学生看不见；写坏了，说得出坏在哪里。"""

import math
import re

import numpy as np
import pytest
from nbconvert.filters import markdown2html

from utils.notebooks import cell_name, notebook_paths, parse
from utils.slides.notes import LABELS, MORE_LABELS, Notes, split_notes
from utils.tests.html_page import read_html
from utils.tests.lesson import lesson_of
from utils.worksheet.sheets import SHEETS

USUAL, LONGEST = 35, 40  # 正课的分钟数；一节课 45 分钟，余下的是机动。老师删短了的（不到 35）不量别的
WHOLE_IS_SHORT = {"00_overview": 20}  # 整本就是一节短课的，和它的分钟数
SHORT_LEAST, SHORT_MOST = 15, 20  # 短课的分钟数
MOST_PAGES, SECONDS_A_CLICK = 30, 40

# ---------------------------------------------------------------- 每本笔记的讲稿


@pytest.fixture(scope="module", params=notebook_paths(), ids=lambda path: path.stem)
def nb(request):
    nb = parse(request.param.read_bytes())
    nb.name = request.param.stem
    return nb


def notes_of(nb):
    """[(幻灯片类型, 正文, 讲稿或 None)]，Markdown 格一格一项；读不出的由 test_every_note_can_be_read 说。"""
    cells = [cell for cell in nb.cells if cell.cell_type == "markdown"]
    try:
        return [(cell.metadata.slideshow.slide_type, *split_notes(cell.source)) for cell in cells]
    except ValueError:
        pytest.skip("讲稿读不出，见 test_every_note_can_be_read")


def written(nb):
    return [(text, notes) for _, text, notes in notes_of(nb) if notes]


def test_every_note_can_be_read(nb):
    reasons = []
    for index, cell in enumerate(nb.cells):
        try:
            if cell.cell_type == "markdown":
                split_notes(cell.source)
        except ValueError as error:
            reasons.append(f"{nb.name} {cell_name(nb, index)}：{error}")
    if reasons:
        pytest.fail("\n".join(reasons), pytrace=False)


def test_every_slide_has_notes_and_only_a_page_begins_with_them(nb):
    cells = notes_of(nb)
    assert not [text.splitlines()[0] for kind, text, notes in cells if kind == "slide" and not notes]
    assert {kind for kind, _, notes in cells if notes} <= {"slide", "subslide"}


@pytest.fixture
def lesson(nb):
    notes_of(nb)  # 读不出的不数
    return lesson_of(nb)


def test_a_lesson_fits_into_its_period(nb, lesson):
    assert lesson.minutes["正课"] <= WHOLE_IS_SHORT.get(nb.name, LONGEST)


def is_shortened(nb, lesson):
    return lesson.minutes["正课"] < WHOLE_IS_SHORT.get(nb.name, USUAL)


def test_there_is_time_for_each_click(nb, lesson):
    main = [page for page in lesson.pages if page.path == "正课"]
    assert len(main) <= MOST_PAGES, f"{nb.name} 的正课有 {len(main)} 页"
    clicks = lesson.clicks("正课")
    seconds = 60 * lesson.minutes["正课"] / clicks
    enough = is_shortened(nb, lesson) or seconds >= SECONDS_A_CLICK
    assert enough, f"{nb.name}：{clicks} 下，一下 {seconds:.0f} 秒"


def test_a_short_path_takes_twenty_minutes(nb, lesson):
    """短课从第一页开始；没有短课的，整本就是。"""
    short = lesson.minutes["短课"]
    assert short <= SHORT_MOST
    if nb.name not in WHOLE_IS_SHORT and not is_shortened(nb, lesson):
        assert short >= SHORT_LEAST and lesson.pages[0].short


def test_notes_say_what_to_leave_out_and_when_to_hand_out_the_worksheet(nb):
    said = "\n".join(notes.text for _, notes in written(nb))
    assert "\n来不及：" in said, f"{nb.name}：没有一处讲稿写着来不及时少讲什么"
    if nb.name in SHEETS:
        assert "\n练习纸：" in said, f"{nb.name}：没有一处讲稿说什么时候做练习纸"


def test_each_asks_expects_a_wrong_answer_and_goes_on(nb):
    for text, notes in written(nb):
        paragraphs = notes.text.split("\n\n")
        labels, where = [paragraph.partition("：")[0] for paragraph in paragraphs], text.splitlines()[0]
        asked = [label for label in labels if label not in MORE_LABELS]
        more = labels[len(asked) :]  # 写在最后的
        assert set(asked) == set(LABELS) and len(asked) <= 6, where
        assert asked[0] == "问" and asked[-1] == "接着", where
        assert set(more) <= set(MORE_LABELS) and len(more) == len(set(more)), where
        assert all(len(paragraph) > 8 and "\n" not in paragraph for paragraph in paragraphs), where


# 讲稿里自己的数：错误的答案、中间的一步。左边照抄讲稿，右边另外算出
E_HALF = math.exp(0.5)
OWN_NUMBERS = {
    "00_overview": {"0.5": (1 + 0) / 2},
    "02_scores": {"0.48": np.dot([0.3, 0.8, 0.2, 0.1], [1, 0.2, 0.1, 0])},
    "03_scaling": {"0.25": 1 / 4},
    "04_softmax": {
        "0.61": E_HALF / math.e,
        "0.25": 0.5 / (1 + 0.5 + 0.5),
        "0.73": 1 - E_HALF / (math.e + 2 * E_HALF),
        "0.19": 1 / (math.e + E_HALF + 1),
        "4.3670": math.e + E_HALF,
    },
    "05_weighted_sum": {"0.39": (0.9037 + 0 + 0.2741) / 3},
    "06_self_attention": {
        "0.9999": 0.4077 + 0.3319 + 0.2603,
        "2.02": 2 * 1.01,
        "0.0396": 1 - (2 * 1.01 - 3) ** 2,
    },
    "07_masks": {"1.8": 3.6 / 2},
    "08_multi_head": {"0.185": 0.37 / 2},
    "a1_rnn": {"0.0025": 0.01 * 0.5**2},
    "a2_sql_join": {
        "0.27": 0.3 * 0.9,
        "0.08": 0.8 * 0.1,
        "0.02": 0.1 * 0.2,
        "0.6314": 2 * 0.3157,
    },
}


def decimals(text):
    return set(re.findall(r"(?<![\d.])\d+\.\d+(?:e−\d+)?", text.replace("e-", "e−")))


def shown(nb):
    """笔记本里学生看得见的小数：正文、代码、输出。"""
    texts = [text for _, text, _ in notes_of(nb)]
    for cell in nb.cells:
        if cell.cell_type == "code":
            texts.append(cell.source)
            for output in cell.outputs:
                texts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
    # 0.450 和 0.45 是同一个数
    return {number.rstrip("0") for number in decimals("\n".join(texts))}


def test_every_decimal_is_shown_to_the_learner_or_computed_here(nb):
    own, said = OWN_NUMBERS.get(nb.name, {}), decimals("\n".join(notes.text for _, notes in written(nb)))
    assert said >= own.keys()
    seen = shown(nb)
    assert not {number for number in said if number.rstrip("0") not in seen} - own.keys()
    for number, value in own.items():
        assert f"{value:.{len(number.partition('.')[2])}f}" == number


def test_the_learner_sees_nothing_of_them(nb):
    sources = [
        cell.source for cell in nb.cells if cell.cell_type == "markdown" and "<!-- 讲稿" in cell.source
    ]
    assert len(sources) == len(written(nb)) > 0
    for source in sources:
        page, text = read_html(markdown2html(source)), split_notes(source)[0]
        assert page.text.strip() == read_html(markdown2html(text)).text.strip()
        assert [comment.split()[0] for comment in page.comments] == ["讲稿"]


# ---------------------------------------------------------------- 切下讲稿

NOTE = "<!-- 讲稿 · 5 分钟\n问：几行？\n会答错：“4 行。”数的是列。\n接着：写 (3, 4)。\n-->"


def test_the_comment_is_cut_off_and_its_lines_become_paragraphs():
    text, notes = split_notes("## 看图\n\n一句话。\n\n" + NOTE)
    assert text == "## 看图\n\n一句话。"
    assert notes == Notes(5, "问：几行？\n\n会答错：“4 行。”数的是列。\n\n接着：写 (3, 4)。")


def test_the_short_path_and_the_last_two_lines_are_read():
    more = "\n来不及：跳过。\n练习纸：第 1 题。\n-->"
    short = NOTE.replace("5 分钟", "5 分钟·短课 3 分钟 ").replace("\n-->", more)
    assert split_notes(short)[1].short == 3 and split_notes(NOTE)[1].short == 0
    assert split_notes(short)[1].text.endswith("。\n\n来不及：跳过。\n\n练习纸：第 1 题。")


@pytest.mark.parametrize("source", ["", "## 看图\n", "<!-- 待改 -->\n\n讲稿", "a <!-- 不是讲稿 --> b  \n"])
def test_a_cell_without_notes_comes_back_as_it_was(source):
    assert split_notes(source) == (source, None)


def test_another_comment_stays_in_the_text():
    assert split_notes("<!-- 待改 -->\n\n" + NOTE)[0] == "<!-- 待改 -->"


def test_spaces_and_blank_lines_do_not_matter():
    loose = NOTE.replace("<!-- 讲稿 · 5 分钟", "<!--讲稿·5分钟 ").replace("\n会", "\n\n会") + "\n\n"
    assert split_notes("一\n\n" + loose) == split_notes("一\n\n" + NOTE)


def test_a_long_answer_may_go_on_in_the_next_line():
    assert "\n\n会答错：“4 行。”\n数的是列。\n\n接着" in split_notes(NOTE.replace("”数", "”\n数"))[1].text


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        (NOTE.replace(" · 5 分钟", ""), "分钟"),
        (NOTE.replace("5", "0"), "分钟"),
        (NOTE.replace("5", "五"), "分钟"),
        (NOTE.replace("5", "2.5"), "分钟"),
        (NOTE.replace("分钟\n", "分钟 -->\n"), "分钟"),
        (NOTE.replace("分钟\n", "分钟 · 短课\n"), "短课"),
        (NOTE.replace("分钟\n", "分钟 · 短课 0 分钟\n"), "短课"),
        (NOTE.replace("-->", ""), "收尾"),
        (NOTE.replace("-->", "->"), "收尾"),
        (NOTE + "\n\n" + NOTE, "一处"),
        (NOTE + "\n\n正文", "末尾"),
        (NOTE.replace("几行", "几行--几列"), "减号"),
        ("正文 " + NOTE, "另起一段"),
        ("正文\n" + NOTE, "另起一段"),
        ("<!-- 讲稿 · 5 分钟\n\n-->", "空"),
    ],
)
def test_malformed_notes_are_refused_with_the_rule_what_was_found_and_the_form(source, rule):
    with pytest.raises(ValueError) as refused:
        split_notes(source)
    first, found, remedy, *form = str(refused.value).splitlines()
    assert rule in first and found.startswith("收到：") and remedy.startswith("怎么办：")
    assert split_notes("\n".join(form))[1].minutes == 5
