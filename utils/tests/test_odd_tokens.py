"""奇怪的词元：画、写、演、查，都当作文字，原样出来。"""

import html
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text

from utils import animations, notation, plotting, sql
from utils.pages.formulas import to_mathml
from utils.plotting import style
from utils.plotting.text import renderer

pytestmark = pytest.mark.filterwarnings("error")

TOKENS = {
    "公式": "$x_1^2$",
    "一个美元": "$",
    "命令": "\\frac{1}{2}~",
    "百分号": "100%#&",
    "脚本": "<b>1</b>&amp;",
    "表情": "😀",
    "四十个汉字": "长" * 40,
    "四十个字母": "w" * 40,
    "换行": "上\n下\tb",
    "从右往左": "مرحبا",
    "倒写记号": "a\u202ebc",
    "附加符号": "e\u0301\u0323",
    "半个字符": "a\ud800b",
    "引号": "'q\"`",
    "竖线和星号": "|*_b_*|",
}
each_token = pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
EYE = [[1.0, 0.0], [0.0, 1.0]]
ROWS = ("row", 0)

PICTURES = {  # 词元能出现的每一个地方
    "plot_matrix": lambda t: plotting.plot_matrix(
        EYE, title=t, row_labels=[t, "乙"], col_labels=[t, "乙"], row_name=t[:9], col_name=t[:9], outline=ROWS
    ),
    "plot_weights": lambda t: plotting.plot_weights(EYE, [t, "乙"], title=f"「{t}」", show_sums=True),
    "plot_shares": lambda t: plotting.plot_shares(EYE, [t, "乙"], title=f"「{t}」"),
    "plot_matrices": lambda t: plotting.plot_matrices({t: EYE, "B": EYE}, operators="=", title=t),
    "plot_score": lambda t: plotting.plot_score(EYE, EYE, 0, 0, [t, "乙"]),
    "plot_value_plane": lambda t: plotting.plot_value_plane(
        EYE, EYE, [t, "乙"], value_names=[t, "b"], title=f"「{t}」"
    ),
    "plot_bars": lambda t: plotting.plot_bars(
        {t: [1, 2], "b": [2, 1]}, title=t, x_name=t[:9], y_name=t[:9], x_labels=[t, "乙"]
    ),
    "plot_lines": lambda t: plotting.plot_lines(
        [1, 2], {t: [1, 2], "b": [2, 1]}, title=t, x_name=t[:9], y_name=t[:9]
    ),
}


def written(token):
    """画、演、写时的一行文字：控制字符是空格，方向记号去掉，半个字符是 �；照规则另写一遍。"""
    plain = "".join(" " if ord(char) < 32 else char for char in token)
    return plain.replace("\u202e", "").replace("\ud800", "�")


def start_of(token):
    """太长的标签截短，所以只看开头。"""
    return written(token)[:6]


@each_token
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_draws_the_token_as_text(name, token, caplog):
    figure = PICTURES[name](token)
    figure.draw_without_rendering()
    assert round(figure.bbox.width) <= 640
    assert start_of(token).strip() in repr(figure), repr(figure)
    with style.course_context():
        texts = [t for t in figure.findobj(Text) if t.get_visible() and start_of(token) in t.get_text()]
        boxes = [Text.get_window_extent(t, renderer()) for t in texts]
    assert texts and not any(text.get_parse_math() for text in texts)
    for box in boxes:
        assert box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1, f"{box} 不在 {figure.bbox} 里"
        assert box.y0 >= -1 and box.y1 <= figure.bbox.y1 + 1, f"{box} 不在 {figure.bbox} 里"
    assert not [r.message for r in caplog.records if r.levelname in ("WARNING", "ERROR")]


# TeX 里没有直的引号；^ 和 ~ 写成各种排版程序都认得的运算符；空格不会缩掉
TEX = str.maketrans("^~'`\" ", "∧∼’‘”\u00a0")


@each_token
def test_a_formula_holds_the_token_as_text(token):
    for formula in (
        notation.matrix("M", [[1]], row_labels=[token]),
        notation.score([1], [2], query=token, key=token),
        notation.softmax_row([0], [token]),
        notation.weighted_row([1], [[1]], [token], query=token),
    ):
        math = ElementTree.fromstring(to_mathml(repr(formula), display=True))
        assert written(token).translate(TEX) in "".join(math.itertext())


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = set(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


@each_token
@pytest.mark.parametrize("animate", [animations.animate_scores, animations.animate_weighted_sum])
def test_an_animation_shows_the_token_as_text(animate, token):
    animation = animate(EYE, EYE, EYE, [token, "乙"])
    plain, page = Page(animate(EYE, EYE, EYE, ["甲", "乙"])._repr_html_()), Page(animation._repr_html_())
    assert page.tags == plain.tags and "bdi" in page.tags  # 词元里的标签没有成为标签
    assert start_of(token) in page.text and start_of(token) in repr(animation)
    animation._repr_html_().encode("utf-8")  # 写得进文件


@each_token
def test_a_table_of_sql_shows_the_token_as_text(token):
    if "\ud800" in token:
        with pytest.raises(ValueError, match="看得见的文字"):
            sql.load([token, "乙"], EYE, EYE, EYE)
        return
    database = sql.load([token, "乙"], EYE, EYE, EYE)
    rows = sql.rows(database, "SELECT token FROM q WHERE position = 1 AND dim = 1")
    database.close()
    assert rows == [(token,)]
    shown = re.search(r"<tbody><tr><td>(.*?)</td>", rows._repr_html_(), re.DOTALL).group(1)
    assert "<" not in shown and html.unescape(shown) == token
