"""检查：收到的是不是该收到的东西。utils 里检查参数都用这里的函数，同一条规则只写一遍。

数组                   arrays.py     as_arrays  as_array  real_array
一个数、名字、字典     values.py     as_integer  as_positive  as_divisor  as_names  as_dict
消息的三行             refusal.py    require  refusal  shown
"""

from utils.checks.arrays import as_array, as_arrays, real_array
from utils.checks.refusal import refusal, require, shown
from utils.checks.values import (
    LARGEST,
    WIDEST,
    as_dict,
    as_divisor,
    as_integer,
    as_list,
    as_names,
    as_positive,
    is_integer,
    is_number,
)

__all__ = [
    "LARGEST",
    "WIDEST",
    "as_array",
    "as_arrays",
    "as_dict",
    "as_divisor",
    "as_integer",
    "as_list",
    "as_names",
    "as_positive",
    "is_integer",
    "is_number",
    "real_array",
    "refusal",
    "require",
    "shown",
]
