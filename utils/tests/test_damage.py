"""故意弄坏课程的一处，严格重新执行必须变红，并且说出是哪一格、什么不对。"""

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

# 弄坏什么 -> (文件，原来的文字，改成的文字，重新执行哪本笔记，报告里必须出现的话)
DAMAGE = {
    "数据里改一个数字": (
        "data/wo_ai_ni.json",
        "[2, 0, 1, 0]",
        "[2, 0, 3, 0]",
        "05_weighted_sum",
        [
            r"代码格 \[\d+\]：重新运行的结果与存下的输出不同",
            r"-V = .*2 & 0 & 2 & 0",
            r"\+V = .*2 & 0 & 4 & 0",
        ],
    ),
    "softmax 沿着另一个轴": (
        "utils/attention.py",
        "return exponentials / exponentials.sum(axis=1, keepdims=True)",
        "return exponentials / exponentials.sum(axis=0, keepdims=True)",
        "04_softmax",
        [r"代码格 \[\d+\]：运行出错", r"assert np\.allclose\(softmax\(scaled_scores\), weights"],
    ),
    "动画点亮 K 的另一列": (  # 文字描述不变，只有 HTML 变
        "utils/animations.py",
        "col = {(m, j) for m in range(d_k)}",
        "col = {(m, (j + 1) % n) for m in range(d_k)}",
        "02_scores",
        [
            r"text/html 不同",
            r"-.*Kᵀ.*<th scope=\"col\"><mark>我</mark>",
            r"\+.*Kᵀ.*<mark>爱</mark></th>",
        ],
    ),
}


def copy_with_damage(root, path, old, new):
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__", "tests"))
    text = (root / path).read_text(encoding="utf-8")
    assert old in text, f"{path} 里找不到要弄坏的 {old!r}"
    (root / path).write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """每种损坏各在一份拷贝里重新执行一本笔记；两份同时进行。"""

    def run(name):
        path, old, new, notebook, _ = DAMAGE[name]
        root = tmp_path_factory.mktemp("课程") / name
        copy_with_damage(root, path, old, new)
        options = ["-q", "-p", "no:cacheprovider", "--maxfail=2", f"notebooks/{notebook}.ipynb"]
        command = [sys.executable, "-X", "utf8", "-m", "pytest", *options]
        return subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", errors="replace")

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(DAMAGE, pool.map(run, DAMAGE), strict=True))


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_caught_and_named(name, reports):
    *_, notebook, expected = DAMAGE[name]
    report = reports[name]
    assert report.returncode == 1, report.stdout
    assert f"{notebook}.ipynb 代码格" in report.stdout
    missing = [part for part in expected if not re.search(part, report.stdout, re.MULTILINE)]
    assert not missing, f"报告里没有 {missing}：\n{report.stdout}"
