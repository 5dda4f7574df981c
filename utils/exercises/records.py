"""练习用到的几种记录：练习、错误、判定，和一段能显示的文字。"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, repr=False)
class Verdict:
    """一次判定；在笔记本里显示的是 message，JupyterLab 里排成一张卡片（card.py）。

    status : "not_attempted"（还没作答）、"wrong"（还不对）或 "passed"（通过）
    mistake : 认出的错误的名字；没有认出、没有错误时是 None
    message : 给学习者看的话
    note : 做到了哪里，一句话；html : 卡片。不记录进度时都是空的，存进课程笔记本的只有 message
    arguments : 函数题，第一组不对的输入；my_f(*verdict.arguments) 就能自己再试一次。别的时候是空的
    """

    status: str
    mistake: str | None
    message: str
    note: str = ""
    html: str = ""
    arguments: tuple = ()

    def __repr__(self):
        return "\n".join(filter(None, [self.message, self.note]))

    def _repr_html_(self):
        return self.html or None


@dataclass(frozen=True, repr=False)
class Text:
    """一段文字：text 是纯文本，markdown 是笔记本里排版的样子。"""

    text: str
    markdown: str = ""

    def __repr__(self):
        return self.text

    def _repr_markdown_(self):
        return self.markdown or self.text


@dataclass(frozen=True)
class Mistake:
    """一种常见错误。

    name : 英文名
    answer : 犯了这个错误的答案：函数题是一个函数，其余是那个数、那几个数、形状、行号或选项
    message : 指出错误、提出问题的一两句话；花括号里可以用学习者自己的数，见 explain.py 的 _facts
    """

    name: str
    answer: object
    message: str


@dataclass(frozen=True)
class Reason:
    """判断题里一种错的理由：words 是关键词（正则，… 是隔几个字）；message 为什么不对，两种判断都说得通。"""

    name: str
    words: str
    message: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Exercise:
    """一道练习里判定要用的东西；题目、选项、有错的代码只写在笔记本里。

    title : 与笔记本里的标题一样；notebook : 笔记本的名字，由 sets.load_exercises 填上。少写了哪一项，测试会说
    kind : 见 KINDS
    reference : step 和 module 是函数；number 是一个数或一组数；shape 是元组；bug 是行号；
        reading 是选项的字母；order 和 match 是一串字母；table 是一列数；truth 是 True 或 False
    mistakes : 常见错误，答案各不相同；bug 和 reading 的每个错的行号、选项，order 里挨着的每一对对调，
        match 里每个多出来的选项，都要有
    hints : 提示，越往后越具体，都不给出答案
    solution : 答案的代码，只用那本笔记里有的名字；why : 一段话，说明为什么

    arguments, inputs : step、module 和 bug 用。参数名；inputs(种子) 每次给出一组新的参数元组，
        不写种子是判定用的
    shape : step、module 和 bug 用。返回值的形状，如 "(n_q, n_k)"
    repair : bug 用。改对以后的函数
    without : step 用。题目说不用的课程函数，名字与题目里一样
    whole : 由几步合成的函数用。whole(softmax=f) 是只把 softmax 这一步换成 f 的函数；参数名是各步练习的编号。
        各步的练习里有名字的错误，靠它在合起来的函数里也认得出
    also : step 和 bug 用。更多的错误，几个可以同名，消息也可以相同；在 mistakes 里认不出时再看。
        number 和 table 的由 other_ways.py 造：换错一样、两样原料得到的数
    module : module 用。module(*参数) 给出新建这个模块要的大小、{参数的名字: 放进去的矩阵} 和输入 X
    items : match 和 table 用。各项叫什么，与题目里一样
    products : number 用。每个数是哪些 (a, b) 的乘积的和；given : number 用。由它变来答案的那几个数
    carried : table 用。carried(各格) 是照学习者前面的格算出的各格，与前面无关的是 None
    clues : match 用。各项的一个问题：这一项错了，又不在 mistakes 里时说
    ideas, reasons : truth 用。对的理由的要点，每个是关键词（正则，… 是隔几个字）；错的理由，各是一个 Reason
    sizes : shape 用。{题目里的一个大小: 它是谁的}
    tolerance : number 和 table 用。差多少以内算对；默认容许四舍五入到两位小数
    """

    id: str
    title: str = ""
    kind: str = ""
    reference: object = None
    mistakes: Sequence[Mistake] = ()
    hints: Sequence[str] = ()
    solution: str = ""
    why: str = ""
    arguments: tuple[str, ...] = ()
    inputs: Callable[..., list[tuple]] | None = None
    shape: str = ""
    repair: Callable | None = None
    without: tuple[str, ...] = ()
    whole: Callable | None = None
    also: Sequence[Mistake] = ()
    module: Callable | None = None
    items: tuple[str, ...] = ()
    products: Sequence[Sequence[tuple]] = ()
    given: Sequence[float] = ()
    carried: Callable | None = None
    clues: tuple[str, ...] = ()
    ideas: tuple[str, ...] = ()
    reasons: Sequence[Reason] = ()
    sizes: dict[int, str] = field(default_factory=dict)
    tolerance: float = 0.0051
    notebook: str = ""

    def __repr__(self):
        return f"Exercise({self.id}: {self.title}，{self.notebook})"

    @property
    def choices(self):
        """找错的全部行号，选择题、排次序、配对的全部字母：对的一个，加上错的每一个。"""
        if self.kind in ("order", "match"):
            return sorted(set(self.reference).union(*(mistake.answer for mistake in self.mistakes)))
        wrong_ones = [mistake.answer for mistake in self.mistakes if not callable(mistake.answer)]
        return sorted([self.reference, *wrong_ones])


KINDS = {  # 种类 -> 怎样作答
    "step": "把 ... 换成你的代码",
    "module": "把两处 ... 换成你的代码",
    "number": "把 None 换成你算出的数",
    "shape": "把 None 换成形状，如 (3, 4)",
    "bug": "把 None 换成行号，或者改好的函数",
    "reading": '把 None 换成选项的字母，如 "A"',
    "order": '把 None 换成一串字母，先做的在前，如 "DAB"',
    "match": '把 None 换成一串字母，照题目的次序一项一个，如 "DAB"',
    "table": "把 None 换成各格的数，照题目的次序",
    "truth": "把 None 换成 True 或 False，在引号里写一句理由",
}


def not_attempted(exercise):
    """还没作答：怎样作答。"""
    how = KINDS[exercise.kind]
    if isinstance(exercise.reference, list):
        how += f"（{len(exercise.reference)} 个，写成 [a, b, …]）"
    message = f'还没作答：{exercise.title}。{how}，再运行这一格。要提示就运行 hint("{exercise.id}")。'
    return Verdict("not_attempted", None, message)


def passed(exercise, note=""):
    """通过。"""
    return Verdict("passed", None, f"通过：{exercise.title}。{note}")


def wrong(exercise, mistake, *sentences, arguments=()):
    """还不对：mistake 是错误的名字或 None；一句话一行，最后一行指向提示。arguments : 不对的那组输入。"""
    lines = [f"还不对：{exercise.title}。", *sentences, f'要提示就运行 hint("{exercise.id}")。']
    message = "\n".join(line for line in lines if line)
    return Verdict("wrong", mistake, message, arguments=tuple(arguments))
