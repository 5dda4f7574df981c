"""课程的工具箱：一个文件（或文件夹）只做一件事。

    读  examples.py       data/ 里的例句、自己的一句话 -> Example
    算  attention.py      五个步骤、整个自注意力、遮罩、多头，只用 numpy
        positions.py      正弦位置、旋转位置，只用 numpy
    写  notation.py       把手算过程写成公式
    画  plotting/         每本笔记里的图；哪种图在哪个文件，见它的 __init__.py
    演  animations.py     乘法、多头、旋转的动画，一步一帧；样式在 animations.css
    拖  explorers.py      可以拖动的滑块，一动就重画（ipywidgets）
    练  exercises/        每本笔记的练习：判定、提示、答案
    讲  slides/           离线的幻灯片，一本一个文件
    书  book/             离线的书：一本一页，也能印成 PDF
    印  worksheet/        笔算练习纸和答案，一本一页 A4
    查  sql.py            把 Q、K、V 放进 SQLite，用 JOIN 算注意力
    比  rnn.py            循环神经网络与注意力：影响、等待、代价（torch）
    训  model.py          一层自注意力和它的词表（torch）
        training.py       让它学会“谁在做”“对谁”
        block.py          层归一化、前馈，只用 numpy
        transformer.py    块和小语言模型（torch）
        writing.py        训练小语言模型，让它写字
        map_reading.py    动它的一个头，看写的字怎样变
        sizes.py          数参数、数乘法，真实模型的大小

大家都靠它们：

        checks/           参数合不合规则，不合就说出规则、收到了什么、怎么办
        numbers.py        一个数、一个点积怎样写成文字
        slips.py          最常见的小错：没有定义的名字、assert、形状，用中文多说一句
        syntax_slips.py   全角标点、引号、括号、缩进

命令（__main__.py；准备环境的是 environment.py 和 installing.py）：

    python -m utils lab       准备环境并打开课程
    python -m utils slides    准备环境并做幻灯片（环境已有时：python -m utils.slides）
    python -m utils book      准备环境并做书（环境已有时：python -m utils.book）
    python -m utils worksheet 准备环境并做练习纸（环境已有时：python -m utils.worksheet）
    python -m utils grade     准备环境并批改一个班的练习
    python -m utils update    换成新版的课程，留住写过的答案
    python -m utils test      准备环境并运行全部检查
    python -m utils refresh   准备环境，重新执行笔记本并保存输出
    python -m utils benchmark 准备环境并量速度

数据只朝一个方向流：data -> examples -> attention -> notation / plotting -> notebooks -> slides。
"""

import os
import sys

if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():  # 只在笔记本里
    # 第一格往上几层找到了这里：那几层换成项目的绝对路径，上面别的文件就不会代替后面导入的模块
    _root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [_root, *(folder for folder in sys.path if folder not in (_root, ".", "..", "../.."))]
    from utils.slips import explain_slips

    explain_slips(sys.modules["IPython"].get_ipython())
