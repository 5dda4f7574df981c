"""最常见的小错：每一种在真的内核里出一次，英文的后面有中文；课程自己的错误只留学习者的那一行。"""

import pytest

from utils.tests.test_any_order import run

SLIPS = {  # 写错的一格 -> 应有的话
    "answer = [0.25，0.5，0.25]": "第 1 行第 15 列的「，」是全角的，代码里要用半角的 , 。",
    "x = 1\ncheck(“softmax”, 1)": '第 2 行第 7 列的「“」是全角的，代码里要用半角的 " 。这一行还有：”。',
    "answer = ０．２５": "第 1 行第 10 列的「０」是全角的，代码里要用半角的 0 。这一行还有：． ２ ５。",
    "print（1）": "「（」是全角的，代码里要用半角的 ( 。",
    "def f(x)：\n    pass": "第 1 行第 9 列的「：」是全角的，代码里要用半角的 : 。",
    'guess = "对，是的"，1': "第 1 行第 15 列的「，」是全角的，代码里要用半角的 , 。（",
    "x = 3 × 4": "「×」是全角的，代码里要用半角的 * 。",
    "x = √2": "第 1 行第 5 列的「√」不能写在代码里：平方根写成 np.sqrt(…)。",
    "x =　1": "第 1 行第 4 列是一个全角的",
    "x =\u200b1": "第 1 行第 4 列有一个看不见的字，代码里不能有",
    "guess = 更集中": '“更集中”是文字吗？文字要加引号，写成 "更集中"。',
    "guess = 更 集中": '第 1 行里的文字要加引号，写成 "文字"',
    "answer = B": '选项要加引号，如 "B"',
    "x = true": "Python 里写作 True，第一个字母大写。",
    "x = 'abc": "第 1 行的引号没有收尾",
    'x = "B”': "这一行有全角的引号：都换成半角的。",
    'x = """abc': "第 1 行的引号没有收尾",
    "x = (1, 2\ny = 3": "第 1 行的“(”没有收尾：后面少了一个“)”。",
    "x = {1: [2": "“[”没有收尾：后面少了一个“]”。",
    "x = [1, 2)": "“[”不能用“)”来收尾",
    "x = 1)": "第 1 行多了一个“)”",
    "if 1:\nprint(1)": "冒号的下一行要往右缩进 4 个空格。",
    "x = 1\n  y = 2": "第 2 行的前面多了空格",
    "if 1:\n    x = 1\n  y = 1": "第 3 行的前面空得不对",
    "if 1:\n    x = 1\n\ty = 1": "第 3 行的前面混用了 Tab 和空格",
    "x = 3\nif x = 3:\n    pass": "比较两个数用两个等号 ==",
    "if 1\n    pass": "第 1 行的末尾少了冒号",
    "x = [1 2]": "可能少了半角的逗号",
    "return 1": "return 只能写在函数里",
    "left, right = 0.3, 0.7 - 0.4\nassert left == right": "left 是 0.3；right 是 0.29999999999999993。",
    "import numpy as np\nA = np.eye(2)\nassert (A == 1).all()": "assert 说的不成立。",
    "A = np.eye(2)\nB = np.ones(2)\nassert np.allclose(\n    A, B)": "；B 是 array([1., 1.])，形状 (2,)。",
    "def f():\n    n = 3\n    assert n > 4, n\nf()": "",  # 自己写了原因的，不多说
    "np.ones((2, 3)) @ np.ones((2, 3))": "A @ B 要求 A 的列数等于 B 的行数",
    "np.ones((2, 3)) + np.ones((2, 4))": "两边的形状对不上",
    "import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)": "A @ B 要求 A 的列数等于 B 的行数",
    "None + 1": "有一个值还是 None",
    "np.ones(3)(0)": "取矩阵里的数用方括号",
    "'0.5' + 1": "引号里的是文字，不能拿来算",
    "np.ones(3)[3]": "编号从 0 数起",
    "raise ModuleNotFoundError(\"No module named 'numpy'\")": "换成项目里 .venv 的 Python",
    "raise OSError('[WinError 126] Error loading torch/lib/c10.dll')": "Visual C++ 运行库",
    "import pandass": "没有装这个软件包",
    "pritn(1)": "是不是 print？pritn 还没有定义。",
    "Print(1)": "是不是 print？",
    "np.ones(3).shap": "是不是 shape？没有叫 shap 的，检查拼写和大小写。",
    "np.ones(3).append(1)": "没有叫 append 的",
    "from utils.attention import sofmax": "是不是 softmax？没有叫 sofmax 的",
    "np.aray([1])": "没有叫这个名字的函数",
    "np.ones(2, 3)": "np.ones((2, 3))",
    "np.array([[1, 2], [3]])": "数的个数要相同",
    "float('0,5')": "这几个字变不成数",
    "a, b = 1, 2, 3": "等号左边有几个名字，右边就要有几个值。",
    "{0.5, 0.25}[0]": "列表写 [ ]，不是 { }",
    "[1, 2][0.5]": "编号要是整数",
    "for i in 3: pass": "3 次写 range(3)",
    "x = [0.5; 0.25]": "第 1 行读不懂：看 ^ 指的地方",
    "x = 1\ny = 1/2 = 0.5": "左边只能是名字",
    "x = 2a": "第 1 行的数写得不对",
    "x = 01": "整数不能以 0 开头",
    "1 / 0": "",
    "{}['a']": "",
}
HANDLED = "import sys\n\nsys.path.insert(0, '..')\nimport utils"
OURS = [
    "from utils.attention import attention_scores, softmax",
    "def mine(Q):\n    return attention_scores(Q, np.ones((3, 5)))",
    "mine(np.ones((2, 4)))",
    "softmax(",
    "exec('1 +')",
]


@pytest.fixture(scope="module")
def session():
    """{一格: (错误, 显示)}；没有 lab 的启动文件，像在别的编辑器、Colab、Hub 里：导入 utils 以后。"""
    sources = [HANDLED, *SLIPS, *OURS]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONSTARTUP", raising=False)
        return dict(zip(sources, run(sources), strict=True))


@pytest.mark.parametrize("source", SLIPS)
def test_a_slip_is_named_in_chinese(session, source):
    kind, shown = session[source]
    said = SLIPS[source]
    assert kind and shown
    assert said in shown
    last = shown.strip().splitlines()[-1]
    assert bool(said) == (said in last and any("\u4e00" <= c <= "\u9fff" for c in last))


def test_an_error_of_the_course_shows_only_the_learners_lines(session):
    """学习者的两行，加上三行的说明；课程里面的行、库的路径都没有。"""
    kind, shown = session["mine(np.ones((2, 4)))"]
    assert kind == "ValueError" and "mine(np.ones((2, 4)))" in shown and "怎么办" in shown
    assert "return attention_scores(Q, np.ones((3, 5)))" in shown
    assert "utils" not in shown and len(shown.splitlines()) < 20


def test_a_syntax_error_looks_as_in_plain_ipython(session):
    """编译出的错误只有那一行；运行时的（exec）带着是哪一格的哪一行。"""
    assert "Traceback" not in session["softmax("][1]
    assert "exec('1 +')" in session["exec('1 +')"][1]
