"""写文件：要么整个写好，要么不写。"""

import os
import shutil
import tempfile
from pathlib import Path


def write_atomically(path, content):
    """把 content（字节）写进 path：先写临时文件，再整个换上去；中途断电，文件也不是旧的就是新的。

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


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
