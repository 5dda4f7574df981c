"""README 说的话都是真的：链接、图、命令、目录、术语、示例代码。"""

import base64
import re
from pathlib import Path

import pytest

from utils import attention
from utils.__main__ import USAGE
from utils.examples import FILES, Example
from utils.refresh import README_PICTURE, picture_difference, readme_picture
from utils.tests.strict_nbval import why_no_pixels

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DATA_README = (ROOT / "data" / "README.md").read_text(encoding="utf-8")


def test_every_link_and_picture_leads_to_a_file():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links and not [link for link in links if not (ROOT / link).exists()]


def test_the_picture_is_what_the_code_draws_today():
    if reason := why_no_pixels():
        pytest.skip(reason)
    stored = base64.b64encode(README_PICTURE.read_bytes()).decode("ascii")
    assert picture_difference(stored, readme_picture()) is None


def test_it_opens_with_a_five_line_summary_in_english():
    summary = [line for line in README.splitlines()[1:12] if line.startswith(">")]
    assert len(summary) == 5 and summary[0].startswith("> **In English.**")
    assert README.index(summary[-1]) < README.index("缩放点积注意力")


@pytest.mark.parametrize("command", ["python -m utils lab", "python -m utils test"])
def test_both_commands_exist(command):
    assert f"`{command}`" in README and command in USAGE


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_is_in_the_table(notebook):
    assert f"(notebooks/{notebook.name})" in README


@pytest.mark.parametrize("name", attention.AttentionSteps._fields)
def test_every_step_result_is_in_the_glossary(name):
    glossary = README.split("## 术语表")[1].split("\n## ")[0]
    codes = {
        code.strip()
        for cell in re.findall(r"^\| (`[^|]*)\|", glossary, re.M)
        for code in re.split("[`,，、]", cell)
    }
    assert name in codes


def test_the_python_example_runs():
    (block,) = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(block, {})


def test_every_file_named_in_the_readme_exists():
    named = re.findall(r"`(utils/[a-z_]+(?:\.py|/))`", README)
    assert named and not [name for name in named if not (ROOT / name).exists()]


def test_data_readme_describes_every_file_and_field():
    assert all(f"`{name}`" in DATA_README for name in FILES.values())
    assert all(f"`{field}`" in DATA_README for field in Example.__dataclass_fields__)
