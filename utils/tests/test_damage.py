"""故意弄坏课程的一处，严格重新执行必须变红，并且说出是哪一格、什么不对。"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def replace_in(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} 里找不到要弄坏的 {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")


def change_a_digit_in_the_data(root):
    replace_in(root / "data" / "wo_ai_ni.json", "[2, 0, 1, 0]", "[2, 0, 3, 0]")


def take_softmax_along_the_other_axis(root):
    replace_in(
        root / "utils" / "attention.py",
        "return exponentials / exponentials.sum(axis=1, keepdims=True)",
        "return exponentials / exponentials.sum(axis=0, keepdims=True)",
    )


def change_a_colour_limit_by_one_percent(root):
    append_to_plotting(
        root, "signed_limits", "image.set_clim(image.norm.vmin * 1.01, image.norm.vmax * 1.01)"
    )


def swap_row_and_column_labels(root):
    swap = "rows, cols = axes.get_yticklabels(), axes.get_xticklabels()\n" + (
        "                    rows, cols = [t.get_text() for t in rows], [t.get_text() for t in cols]\n"
        "                    axes.set_yticks(axes.get_yticks(), cols[: len(axes.get_yticks())])"
    )
    append_to_plotting(root, "swapped_labels", swap)


def append_to_plotting(root, name, statement):
    """让每张热力图在画好之后被改动一处。"""
    code = f"""

def _damaged(function):
    def {name}(*args, **kwargs):
        figure = function(*args, **kwargs)
        for axes in figure.axes:
            for image in axes.images:
                    {statement}
        return figure
    return {name}


plot_matrix, plot_matrices, plot_weights = map(_damaged, (plot_matrix, plot_matrices, plot_weights))
"""
    path = root / "utils" / "plotting" / "__init__.py"
    path = path if path.exists() else root / "utils" / "plotting.py"
    path.write_text(path.read_text(encoding="utf-8") + code, encoding="utf-8", newline="\n")


def edit_a_stored_output(root):
    replace_in(root / "notebooks" / "02_scores.ipynb", "array([2., 1., 1.])", "array([2., 1., 1.5])")


# 弄坏什么 -> (重新执行哪本笔记，报告里必须出现的话)
DAMAGE = {
    change_a_digit_in_the_data: ("05_weighted_sum", [r"-.*1\.1778", r"\+.*2\.", "text/plain 不同"]),
    take_softmax_along_the_other_axis: ("04_softmax", ["AssertionError", "np.allclose"]),
    change_a_colour_limit_by_one_percent: (
        "02_scores",
        [r"-.*颜色.*从 −1 到 1", r"\+.*颜色.*从 −1\.01 到 1\.01", "text/plain 不同"],
    ),
    swap_row_and_column_labels: (
        "01_projection",
        [r"-热力图「X .*行：我、爱、你", r"\+热力图「X .*第 1 行", "text/plain 不同", "图不同"],
    ),
    edit_a_stored_output: ("02_scores", [r"-array\(\[2\., 1\., 1\.5\]\)", r"\+array\(\[2\., 1\., 1\.\]\)"]),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """每种损坏各在一份拷贝里重新执行一本笔记，两份同时进行。"""

    def run(item):
        damage, (notebook, _) = item
        root = tmp_path_factory.mktemp("损坏") / damage.__name__
        shutil.copytree(
            ROOT,
            root,
            ignore=shutil.ignore_patterns(".*", "__pycache__"),
            copy_function=shutil.copyfile,  # 只拷内容：课程在只读的文件夹里时，拷贝也能弄坏
        )
        damage(root)
        command = [
            sys.executable,
            "-m",
            "pytest",
            f"notebooks/{notebook}.ipynb",
            "-q",
            "-p",
            "no:cacheprovider",
        ]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, encoding="utf-8")

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(DAMAGE, pool.map(run, DAMAGE.items()), strict=True))


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_turns_the_strict_run_red_and_is_named(damage, reports):
    notebook, parts = DAMAGE[damage]
    report = reports[damage]
    assert report.returncode == 1, report.stdout + report.stderr
    for part in [rf"{notebook}\.ipynb 代码格 \[\d+\]", *parts]:
        assert re.search(part, report.stdout), f"报告里找不到 {part}：\n{report.stdout}"
