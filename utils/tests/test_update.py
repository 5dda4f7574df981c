"""换新版：在真的 git 克隆里，照学习者会做的各种样子；答案一格不丢，放不回去的说出名字。"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from utils.notebooks import NOTEBOOKS, notebook_paths
from utils.update_cells import UNANSWERED

ROOT = NOTEBOOKS.parent
FILES = ["README.md", ".gitignore", "utils/__init__.py", "utils/__main__.py", "utils/update.py"]
FILES += [
    "utils/environment.py",
    "utils/installing.py",
    "utils/update_cells.py",
    "notebooks/02_scores.ipynb",
    "notebooks/04_softmax.ipynb",
]
NAME = "notebooks/04_softmax.ipynb"
KEPT = "我的答案/04_softmax.ipynb"
LINE = 'line = 3\n\ncheck("bug_softmax", line)'

if not shutil.which("git"):
    pytest.skip("没有装 git", allow_module_level=True)


def git(folder, *arguments):
    identity = ["-c", "user.name=teacher", "-c", "user.email=teacher@example.org"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """一个小课程的第一版，和从它克隆的一份；每个测试复制着用。"""
    folder = tmp_path_factory.mktemp("first")
    upstream, clone = folder / "upstream", folder / "课程 资料"
    for name in FILES:
        (upstream / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, upstream / name)
    git(folder, "init", "--quiet", "--initial-branch=main", str(upstream))
    publish(upstream)
    git(folder, "clone", "--quiet", str(upstream), str(clone))
    return folder


@pytest.fixture
def course(first, tmp_path):
    """（上游, 克隆）。"""
    shutil.copytree(first, tmp_path, dirs_exist_ok=True)
    upstream, clone = tmp_path / "upstream", tmp_path / "课程 资料"
    git(clone, "remote", "set-url", "origin", str(upstream))
    return upstream, clone


def publish(upstream):
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--message", "next")


def run(clone, *arguments, prefix=(), **variables):
    """python -m utils update；返回（退出码, 说的话）。"""
    command = [*prefix, sys.executable, "-m", "utils", "update", *map(str, arguments)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **variables}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, (done.stdout + done.stderr).decode()


def edit(path, change):
    """用 change 改一本笔记，像编辑器那样存回去。"""
    nb = json.loads(path.read_text(encoding="utf-8"))
    change(nb)
    text = json.dumps(nb, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    path.write_bytes(text.encode("utf-8"))


def sources(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def cell(nb, words):
    return next(cell for cell in nb["cells"] if words in "".join(cell["source"]))


def answered(nb):
    """答了两道练习，在一格后面加了自己的一格。"""
    pencil = cell(nb, 'check("pencil_softmax"')
    pencil["source"] = ["answer = [0.5, 0.25, 0.25]\n", "\n", 'check("pencil_softmax", answer)']
    pencil["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["还不对\n"]}]
    cell(nb, 'check("bug_softmax"')["source"] = LINE
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": 7}
    nb["cells"].insert(nb["cells"].index(pencil) + 1, {**own, "source": ["1 + 1"]})


def corrected(nb):
    """老师改了一句话，加了一格。"""
    title = nb["cells"][0]
    title["source"] = ["# 4 softmax：新的标题"]
    nb["cells"].insert(
        1, {"cell_type": "markdown", "id": "new-cell", "metadata": {}, "source": ["新加的一格"]}
    )


def only_looked(nb):
    nb["metadata"]["language_info"]["version"] = "3.11.7"
    nb["cells"][3]["execution_count"] = 99


def has_answers(path):
    found = sources(path)
    index = next(i for i, text in enumerate(found) if text.startswith("answer = [0.5, 0.25, 0.25]"))
    assert found[index + 1] == "1 + 1"
    assert LINE in found


def is_corrected(path):
    assert sources(path)[:2] == ["# 4 softmax：新的标题", "新加的一格"]


def test_nothing_new(course):
    assert run(course[1]) == (0, "已经是最新的。\n")


def test_a_notebook_that_was_only_opened_gets_the_new_version(course):
    upstream, clone = course
    edit(clone / NAME, only_looked)
    edit(upstream / NAME, corrected)
    publish(upstream)
    code, _ = run(clone)
    assert code == 0 and (clone / NAME).read_bytes() == (upstream / NAME).read_bytes()
    assert not (clone / "我的答案").exists() and not git(clone, "status", "--short")


@pytest.mark.parametrize("editor", ["ids kept", "ids replaced", "no ids", "crlf"])
def test_answers_and_corrections_come_together(course, editor):
    """上游改了一句、加了一格；JupyterLab 3、旧格式换掉了 id，Windows 的编辑器换了行尾，也认得出。"""
    upstream, clone = course
    edit(clone / NAME, answered)
    if editor == "crlf":
        edit(
            clone / NAME,
            lambda nb: [c.update(source="\r\n".join("".join(c["source"]).split("\n"))) for c in nb["cells"]],
        )
    if editor == "ids replaced":
        edit(clone / NAME, lambda nb: [c.update(id=f"random-{i}") for i, c in enumerate(nb["cells"])])
    if editor == "no ids":
        edit(clone / NAME, lambda nb: [c.pop("id") for c in nb["cells"]])
    edit(upstream / NAME, corrected)
    publish(upstream)
    own = (clone / NAME).read_bytes()
    code, said = run(clone)
    assert code == 0 and "你写的放回了 3 格" in said and "没有放回" not in said, said
    has_answers(clone / NAME)
    is_corrected(clone / NAME)
    assert (clone / KEPT).read_bytes() == own
    nb = json.loads((clone / NAME).read_text(encoding="utf-8"))
    assert cell(nb, "answer = [0.5")["outputs"][0]["text"] == ["还不对\n"]
    ids = [c["id"] for c in nb["cells"]]
    assert len(ids) == len({*ids})


def test_a_cell_that_the_update_changed_is_named_and_kept_aside(course):
    upstream, clone = course
    edit(clone / NAME, answered)
    new = 'answer = None  # 保留两位\n\ncheck("pencil_softmax", answer)'
    edit(upstream / NAME, lambda nb: cell(nb, 'check("pencil_softmax"').update(source=new))
    publish(upstream)
    code, said = run(clone)
    assert code == 0 and "没有放回" in said and "笔算一行 softmax」里的 answer = [0.5, 0.25, 0.25]" in said, (
        said
    )
    assert new in sources(clone / NAME) and LINE in sources(clone / NAME)
    has_answers(clone / KEPT)


def test_a_renamed_notebook_keeps_the_answers(course):
    upstream, clone = course
    edit(clone / NAME, answered)
    git(upstream, "mv", NAME, "notebooks/05_softmax.ipynb")
    edit(upstream / "notebooks/05_softmax.ipynb", corrected)
    publish(upstream)
    code, said = run(clone)
    assert code == 0 and "05_softmax.ipynb：你写的放回了 3 格" in said, said
    has_answers(clone / "notebooks/05_softmax.ipynb")
    is_corrected(clone / "notebooks/05_softmax.ipynb")
    assert not (clone / NAME).exists() and (clone / KEPT).exists()


def test_a_deleted_notebook_is_kept_aside(course):
    upstream, clone = course
    edit(clone / NAME, answered)
    git(upstream, "rm", "--quiet", NAME)
    publish(upstream)
    code, said = run(clone)
    assert code == 0 and f"新版里没有这一本了。你的那一份在 {KEPT}" in said, said
    has_answers(clone / KEPT)


def test_what_the_update_does_not_touch_stays_as_it_is(course):
    """自己新建的笔记、改过的别的笔记、自己的文件。"""
    upstream, clone = course
    edit(clone / "notebooks/02_scores.ipynb", only_looked)
    shutil.copyfile(clone / NAME, clone / "notebooks/我的.ipynb")
    own = {
        name: (clone / name).read_bytes() for name in ("notebooks/02_scores.ipynb", "notebooks/我的.ipynb")
    }
    edit(upstream / NAME, corrected)
    publish(upstream)
    assert run(clone)[0] == 0
    assert {name: (clone / name).read_bytes() for name in own} == own
    is_corrected(clone / NAME)


def test_own_files_where_the_update_brings_new_ones_are_kept_aside(course):
    """自己的一个文件正好与新版新加的同名，连 git 不管的也算；改过的代码换成新版的。"""
    upstream, clone = course
    for name, text in {"notebooks/06_new.ipynb": "{}", "utils/new.py": "我的", ".venv/x": "我的"}.items():
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(text, encoding="utf-8")
        (upstream / name).parent.mkdir(exist_ok=True)
        (upstream / name).write_text("新的", encoding="utf-8")
    (clone / "README.md").write_text("我的", encoding="utf-8")
    (upstream / "README.md").write_text("新的", encoding="utf-8")
    git(clone, "add", "README.md", "utils/new.py")
    git(upstream, "add", "--force", ".venv/x")
    publish(upstream)
    code, said = run(clone)
    assert code == 0 and "你改过的那一份在 我的答案/README.md" in said, said
    for name in ("notebooks/06_new.ipynb", "utils/new.py", ".venv/x", "README.md"):
        assert (clone / name).read_text(encoding="utf-8") == "新的"
    kept = {
        path.name: path.read_text(encoding="utf-8")
        for path in (clone / "我的答案").rglob("*")
        if path.is_file()
    }
    assert kept == {"06_new.ipynb": "{}", "new.py": "我的", "x": "我的", "README.md": "我的"}


def test_a_second_update_overwrites_no_kept_copy(course):
    upstream, clone = course
    for number in (1, 2):
        edit(
            clone / NAME,
            lambda nb, n=number: cell(nb, 'check("softmax"').update(source=f'n = {n}\ncheck("softmax")'),
        )
        edit(upstream / NAME, lambda nb, n=number: nb["cells"][0].update(source=f"# 4 第 {n} 版"))
        publish(upstream)
        assert run(clone)[0] == 0
    assert 'n = 1\ncheck("softmax")' in sources(clone / KEPT)
    assert 'n = 2\ncheck("softmax")' in sources(clone / "我的答案/04_softmax-2.ipynb")
    assert 'n = 2\ncheck("softmax")' in sources(clone / NAME)


def test_a_deleted_or_broken_notebook_comes_back(course):
    """删掉的取回来；git stash pop 合并坏了的，留一份再换新。"""
    upstream, clone = course
    (clone / "notebooks/02_scores.ipynb").unlink()
    (clone / NAME).write_bytes(b"<<<<<<< Updated upstream\n")
    for name in ("notebooks/02_scores.ipynb", NAME):
        edit(upstream / name, corrected)
    publish(upstream)
    code, said = run(clone)
    assert code == 0 and "读不懂" in said, said
    is_corrected(clone / "notebooks/02_scores.ipynb")
    is_corrected(clone / NAME)
    assert (clone / KEPT).read_bytes() == b"<<<<<<< Updated upstream\n"


# ---------------------------------------------------------------- 什么也不改，说出为什么


def offline(upstream, clone):
    git(clone, "remote", "set-url", "origin", "https://localhost:1/course")
    return "连上网再试"


def detached(upstream, clone):
    git(clone, "checkout", "--quiet", "--detach")
    return "git checkout main"


def committed(upstream, clone):
    git(clone, "commit", "--quiet", "--all", "--message", "mine")
    return "git merge origin/main"


def blocked(upstream, clone):
    """新版在一个文件的地方放一个文件夹。"""
    (clone / "utils/slides").mkdir()
    (clone / "utils/slides/x").touch()
    (upstream / "utils/slides").touch()
    publish(upstream)
    return "文件都放回原样了"


@pytest.mark.parametrize("trouble", [offline, detached, committed, blocked])
def test_where_it_cannot_update_nothing_changes(course, trouble):
    upstream, clone = course
    edit(clone / NAME, answered)
    edit(upstream / NAME, corrected)
    publish(upstream)
    said = trouble(upstream, clone)
    before = (clone / NAME).read_bytes(), git(clone, "rev-parse", "HEAD")
    code, message = run(clone)
    assert code == 1 and said in message, message
    assert before == ((clone / NAME).read_bytes(), git(clone, "rev-parse", "HEAD"))


def test_a_folder_that_cannot_be_written_is_named_and_nothing_changes(course):
    upstream, clone = course
    edit(clone / NAME, answered)
    edit(upstream / NAME, corrected)
    publish(upstream)
    prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if prefix and not shutil.which("setpriv"):
        pytest.skip("以 root 运行，又没有 setpriv：拦不住写入")
    everything = [clone, *clone.rglob("*")]
    modes = {path: path.stat().st_mode for path in everything}
    before = (clone / NAME).read_bytes()
    try:
        for path in everything:
            path.chmod(modes[path] & 0o555)
        code, said = run(clone, prefix=prefix, PYTHONDONTWRITEBYTECODE="1")
    finally:
        for path in everything:
            path.chmod(modes[path])
    assert code == 1 and "什么也没有改" in said and "文件夹不能写入" in said, said
    assert (clone / NAME).read_bytes() == before


@pytest.mark.parametrize("case", ["no git", "no clone", "inside another clone"])
def test_a_zip_copy_is_told_what_to_do(course, case, tmp_path):
    _, clone = course
    variables = {"PATH": str(tmp_path)} if case == "no git" else {}
    if case != "no git":
        shutil.rmtree(clone / ".git")
    if case == "inside another clone":
        git(tmp_path, "init", "--quiet")
    code, said = run(clone, **variables)
    assert code == 1 and "下载新版的 ZIP" in said and str(clone) in said, said


def test_the_answers_of_an_old_folder_are_brought_into_a_new_one(course, tmp_path):
    upstream, clone = course
    edit(clone / NAME, answered)
    edit(clone / NAME, lambda nb: cell(nb, "guess = None").update(source="guess = 0.5"))
    shutil.copyfile(clone / NAME, clone / "notebooks/我的.ipynb")
    (clone / "notebooks/progress.jsonl").write_text("{}\n", encoding="utf-8")
    old = {path: path.read_bytes() for path in Path(clone, "notebooks").iterdir()}
    edit(upstream / NAME, corrected)
    code, said = run(upstream, clone)
    assert code == 0 and "04_softmax.ipynb：你写的放回了 3 格" in said and "02_scores" not in said, said
    is_corrected(upstream / NAME)
    assert {LINE, "guess = 0.5"} <= {*sources(upstream / NAME)}
    assert (upstream / "notebooks/我的.ipynb").exists() and (upstream / "notebooks/progress.jsonl").exists()
    assert {path: path.read_bytes() for path in Path(clone, "notebooks").iterdir()} == old
    code, said = run(upstream, tmp_path)
    assert code == 1 and "旧的课程文件夹" in said
    code, said = run(upstream, upstream)
    assert code == 1 and "现在的这一份" in said


def test_every_exercise_and_prediction_of_the_course_is_seen_to_be_unanswered():
    """新的一格空着才放答案：空着是什么样，认得全。"""
    for path in notebook_paths():
        for text in sources(path):
            if re.search(r"^guess\w* = |^check\(", text, re.MULTILINE):
                assert UNANSWERED.search(text), f"{path.name}：{text}"
