"""python -m utils lab 打开的每个内核启动时运行：不管先运行哪一格，都找得到 utils。"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parents[2]))
import utils

del sys, Path, utils
