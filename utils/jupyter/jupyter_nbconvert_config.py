"""课程写的设置：用 Jupyter 自带的 nbconvert（菜单里的 Export）做 HTML、幻灯片时，图有替代文字。

替代文字存在笔记本里（metadata 的 alt），nbconvert 7.17 默认的模板却不读它，一律写 No description；
所以只在导出的那一份里，把图换成写着 alt 的 <img>。课程的命令把这个文件复制进它的环境（见 installing.py）。
"""

from html import escape


def write_alt_texts(nb, resources):
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("image/png", {})
            if "alt" in about and "image/png" in output.data:
                sizes = "".join(f' {side}="{about[side]}"' for side in ("width", "height") if side in about)
                source = "data:image/png;base64," + "".join(output.data["image/png"].split())
                output.data["text/html"] = f'<img alt="{escape(about["alt"])}"{sizes} src="{source}">'
    return nb, resources


get_config().HTMLExporter.preprocessors = [write_alt_texts]  # noqa: F821  Jupyter 读这个文件时给的
