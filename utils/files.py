"""找笔记本；写文件：要么整个写好，要么不写。"""

import os
import shutil
import tempfile
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def find_notebook(name: Path) -> Path:
    """命令行里写的一本笔记：照写的路径找；没有，就找 notebooks/ 里的这一本，不写 .ipynb 也行。

    02_scores、02_scores.ipynb、notebooks/02_scores.ipynb 是同一本。都找不到就原样返回，由读它的人报错。
    """
    in_course = NOTEBOOKS / f"{name.name.removesuffix('.ipynb')}.ipynb"
    return in_course if name.parent == Path() and not name.is_file() and in_course.is_file() else name


def write_atomically(path: Path, content: bytes) -> None:
    """先写同一个文件夹里的临时文件，再整个换上去：中途断电，文件也不是旧的就是新的。

    已有的文件保留它的权限；新文件的权限和平常新建的一样。OSError：文件夹不存在或不可写。
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if path.exists():
            shutil.copymode(path, temporary)
        else:
            os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
