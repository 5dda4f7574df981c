"""假装一个软件包没有装。"""

import sys
from importlib import metadata


def uninstall(package, importers, monkeypatch):
    """导入 package、找它的文件都失败；名字以 importers 开头的模块要重新导入，才会碰到。"""
    distribution = metadata.distribution

    def installed(name):
        if name == package:
            raise metadata.PackageNotFoundError(name)
        return distribution(name)

    for module in [name for name in sys.modules if name.startswith((*importers, f"{package}."))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(metadata, "distribution", installed)
