"""每一处读写文本都写明编码：不写，就用系统的编码，中文 Windows 上是 GBK。"""

import ast
import subprocess
import sys

import pytest

from utils.notebooks import NOTEBOOKS, notebook_paths, parse

ROOT = NOTEBOOKS.parent


def unnamed_encodings(source):
    """没有写明编码的文本读写（那样就用系统的编码：中文 Windows 上是 GBK），一处一个行号。"""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if method else getattr(node.func, "id", "")
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if "encoding" in given or (method and ast.unparse(node.func.value) == "Image"):
            continue
        place = 0 if method and name == "open" else 1  # path.open(mode)、open(path, mode)
        mode = given.get("mode", node.args[place] if len(node.args) > place else None)
        opens = name in ("open", "fdopen") and "b" not in str(getattr(mode, "value", ""))
        texts = any(getattr(given.get(key), "value", False) for key in ("text", "universal_newlines"))
        named = (method and name in ("read_text", "write_text")) or name == "TextIOWrapper"
        if opens or texts or named:
            yield node.lineno


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("open(p)", True),
        ("open(p, 'w')", True),
        ("p.open(mode='r')", True),
        ("p.read_text()", True),
        ("p.write_text('b')", True),
        ("subprocess.run(c, text=True)", True),
        ("os.fdopen(h, 'w')", True),
        ("open(p, 'rb')", False),
        ("open(p, encoding='utf-8')", False),
        ("p.read_text(encoding='utf-8')", False),
        ("Image.open(p)", False),
        ("subprocess.run(c, text=True, encoding='utf-8')", False),
        ("subprocess.run(c, capture_output=True)", False),
    ],
)
def test_an_unnamed_encoding_is_found(source, wrong):
    assert bool(list(unnamed_encodings(source))) == wrong


def test_every_text_file_is_opened_with_a_named_encoding():
    cells = [cell for path in notebook_paths() for cell in parse(path.read_bytes()).cells]
    sources = {"notebooks": "\n".join(cell.source for cell in cells if cell.cell_type == "code")}
    for path in [*ROOT.glob("utils/**/*.py"), *ROOT.glob("notebooks/*.py")]:
        sources[path.name] = path.read_text(encoding="utf-8")
    found = [f"{name}:{line}" for name, source in sources.items() for line in unnamed_encodings(source)]
    assert not found


def test_pip_reads_requirements_on_a_gbk_system():
    """旧版 pip 用系统编码读 requirements.txt；第一行的 coding 让它改用 UTF-8。"""
    pip = ["pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run", "--no-index", "--no-deps"]
    code = f"""if True:
        import locale, runpy, sys
        locale.getpreferredencoding = lambda *_: "gbk"
        sys.argv = {[*pip, "-r", "requirements.txt"]}
        runpy.run_module("pip", run_name="__main__")
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
