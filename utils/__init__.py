"""课程的工具箱：一个文件只做一件事。

    读  examples.py   data/ 里的例句 -> Example
    算  attention.py  五个步骤和整个自注意力，只用 numpy
    写  notation.py   把手算过程写成公式
    画  plotting.py   每本笔记里的图
    练  exercises/    每本笔记的练习：判定、提示、答案

维护者的命令：

    python -m utils lab     准备环境并打开课程
    python -m utils test    准备环境并运行全部检查
    python -m utils.refresh 重新执行笔记本并保存输出

数据只朝一个方向流：data -> examples -> attention -> notation / plotting -> notebooks。
"""
