"""量：速度、大小和内存，都与一个对照并排量，给出倍数。

notebooks.py  严格重新执行一本笔记，对照：同样的导入、别的什么也不做
plots.py      一张图，对照：同样大小的 matplotlib 图
attention.py  self_attention（numpy），对照：torch 的 scaled_dot_product_attention
exercises.py  判定一个答案，没有对照
slides.py     做幻灯片、它的大小、打开到看见第一页，对照：nbconvert 自己的幻灯片
memory.py     内核的内存，对照：只做同样的导入

timing.py     轮流量，取中位数
table.py      一行一个结果
"""
