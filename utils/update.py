"""换成新版的课程，留住自己写的：python -m utils update [旧的课程文件夹]

git 克隆的课程：取来新版；两边都改过的文件，自己的一份先放进 我的答案/，换上新版，再把写过的格放回笔记本里。
只是看过、运行过的笔记本直接换新。没有取到新版、写不进文件，就什么也不改。
下载的 ZIP：在新版里运行，写上旧的文件夹；写过的练习和预测放进新的，旧的不动。

只用标准库，也不用环境：软件包还没有装、正要换版本时也能用。放回哪些格，见 update_cells.py。
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from utils.update_cells import change_cells, put_answers, read, same_sources, write

ROOT = Path(__file__).absolute().parent.parent
KEPT = "我的答案"

NO_GIT = f"""这一份课程不是用 git 克隆的，或者这台电脑没有装 git。换新版要三步：
  1. 下载新版的 ZIP，解压到另一个文件夹；旧的先留着；
  2. 在新的文件夹里运行：python -m utils update 旧的文件夹
     （旧的就是现在这一份：{ROOT}）
  3. 看看答案都在，再删掉旧的。"""
OFFLINE = """没有取到新版，什么也没有改：{}
没有网络，就连上网再试；文件夹不能写入，就把它复制到自己的文件夹里。"""
UNFINISHED = "上一次的合并还没有做完，什么也没有改。先运行 git merge --abort 退回去，再运行同一条命令。"
NO_BRANCH = """现在的课程停在某一个旧版本上（不在跟着远处的分支上），不知道换成哪一版，什么也没有改。
先运行 git checkout main（或者老师说的分支），再运行同一条命令。"""
OWN_COMMITS = "这一份里有你自己提交过（git commit）的改动，要自己合并：git merge {}。什么也没有改。"
FAILED = "没有换成新版，文件都放回原样了：{}"
CANNOT_WRITE = "写不进文件夹，什么也没有改：{}"


class Stop(Exception):
    """停下的原因，一句话；文件都是原来的样子。"""


def git(*arguments, check=True):
    """在课程里运行 git，返回它说的（文字）；失败时是 Stop，check=False 时是 None。"""
    settings = ["-c", "core.quotepath=off", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=str(ROOT), env=environment, capture_output=True
        )
    except FileNotFoundError:
        raise Stop(NO_GIT) from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    if check:
        raise Stop(done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]} 失败")
    return None


def names(*arguments):
    return [name for name in git(*arguments).split("\0") if name]


def update():
    """取来新版，换上，放回答案；印出做了什么。"""
    top = git("rev-parse", "--show-toplevel", check=False)
    if top is None or Path(top.strip()).resolve() != ROOT.resolve():
        raise Stop(NO_GIT)
    upstream = git("rev-parse", "--abbrev-ref", "@{upstream}", check=False)
    if upstream is None:
        raise Stop(NO_BRANCH)
    if git("rev-parse", "--quiet", "--verify", "MERGE_HEAD", check=False) is not None:
        raise Stop(UNFINISHED)
    try:
        git("fetch", "--quiet")
    except Stop as stop:
        raise Stop(OFFLINE.format(str(stop).splitlines()[-1])) from None
    old, new = git("rev-parse", "HEAD").strip(), git("rev-parse", "@{upstream}").strip()
    if git("merge-base", "--is-ancestor", new, old, check=False) is not None:
        print("已经是最新的。")
        return
    if git("merge-base", "--is-ancestor", old, new, check=False) is None:
        raise Stop(OWN_COMMITS.format(upstream.strip()))
    changed = names("diff", "--name-only", "--no-renames", "-z", old, new)
    mine = {*names("diff", "--name-only", "--no-renames", "-z", "HEAD")}
    added = names("diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", old, new)
    mine.update(name for name in added if (ROOT / name).exists())  # git 会盖掉它不管的文件
    both = [name for name in changed if name in mine]
    own = {name: (ROOT / name).read_bytes() for name in both if (ROOT / name).is_file()}
    kept = {name: _keep(name) for name in own if not _only_looked_at(old, name)}
    try:
        for name in both:
            _forget(old, name)
        git("merge", "--ff-only", "--quiet", new)
    except (Stop, OSError) as stop:
        for name, content in own.items():
            (ROOT / name).write_bytes(content)
        raise Stop(FAILED.format(stop)) from None
    print(f"换成了新版，{len(changed)} 个文件有变化。")
    for name, copy in kept.items():
        try:
            _put_back(old, new, name, copy)
        except OSError as error:
            print(f"· {name}：没有放回（{error.strerror}）。你的那一份在 {copy.relative_to(ROOT).as_posix()}")
    print("笔记本要是正开着，关掉再打开，看到的才是新的。")


def _only_looked_at(old, name):
    """这本笔记只是看过、运行过：每一格写的字都没有变。"""
    base = git("show", f"{old}:{name}", check=False)
    return name.endswith(".ipynb") and base is not None and same_sources(base, (ROOT / name).read_bytes())


def _keep(name):
    """把一个文件复制到 我的答案/，返回复制成的文件；那里已有不同的同名文件，就加上 -2、-3……"""
    target = ROOT / KEPT / name.removeprefix("notebooks/")
    content, first, number = (ROOT / name).read_bytes(), target, 1
    while target.exists() and target.read_bytes() != content:
        number += 1
        target = first.with_stem(f"{first.stem}-{number}")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, target)
    return target


def _forget(old, name):
    """这个文件变回旧版里的样子；旧版里没有，就拿走。"""
    git("reset", "--quiet", "--", name, check=False)
    if git("cat-file", "-e", f"{old}:{name}", check=False) is not None:
        git("checkout", "--quiet", old, "--", name)
    else:
        (ROOT / name).unlink(missing_ok=True)


def _put_back(old, new, name, copy):
    """把 copy 里写过的格放回新版的笔记本；印出放回了几格，哪些没有放回。"""
    where = copy.relative_to(ROOT).as_posix()
    target = ROOT / name
    if not name.endswith(".ipynb"):
        print(f"· {name}：换成了新版的。你改过的那一份在 {where}")
        return
    if not target.exists() and (moved := _renamed(old, new, name)):
        target = ROOT / moved
    base = read(git("show", f"{old}:{name}", check=False))
    own, fresh = read(copy.read_bytes()), read(target.read_bytes() if target.exists() else None)
    if not (base and own and fresh):
        reason = (
            "新版里没有这一本了" if not target.exists() else "放不回去：这一本不是从课程里改来的，或者读不懂"
        )
        print(f"· {name}：{reason}。你的那一份在 {where}")
        return
    count, lost = change_cells(base, own, fresh)
    write(target, fresh)
    _say(target.name, count, lost, where)


def _renamed(old, new, name):
    """这个文件在新版里改成了什么名字；没有改名就是 None。"""
    entries = names("diff", "--name-status", "--find-renames=30%", "--diff-filter=R", "-z", old, new)
    return next((entries[i + 2] for i in range(0, len(entries), 3) if entries[i + 1] == name), None)


def _say(name, count, lost, where):
    print(f"· {name}：你写的放回了 {count} 格。原来的那一份在 {where}")
    for cell in lost:
        print(f"    没有放回（新版改了或者拿掉了这一格），请自己抄过去：{cell}")


def bring(folder):
    """把 folder（旧的课程）里写过的答案放进这一份；旧的不动。"""
    notebooks = sorted(Path(folder, "notebooks").glob("[!.]*.ipynb"))
    if not notebooks:
        raise Stop(f"{folder} 里没有 notebooks 文件夹，或者里面没有笔记本。写上旧的课程文件夹。")
    if Path(folder).resolve() == ROOT.resolve():
        raise Stop("这就是现在的这一份。在新版的文件夹里运行，写上旧的文件夹。")
    for file in notebooks:
        target, own = ROOT / "notebooks" / file.name, read(file.read_bytes())
        if not target.exists():
            shutil.copyfile(file, target)
            print(f"· {file.name}：新版里没有，整本复制过来了。")
        elif own and (fresh := read(target.read_bytes())):
            count, lost = put_answers(own, fresh)
            if count:
                write(target, fresh)
            if count or lost:
                _say(file.name, count, lost, file)
    done, here = Path(folder, "notebooks", "progress.jsonl"), ROOT / "notebooks" / "progress.jsonl"
    if done.is_file() and not here.exists():
        shutil.copyfile(done, here)
    print("放好了。旧的文件夹一点没有动，看过没有缺什么再删。")


def main(arguments):
    """命令行的入口；返回退出码。"""
    try:
        if arguments:
            bring(arguments[0])
        else:
            update()
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    except OSError as error:
        print(CANNOT_WRITE.format(f"{error.filename}（{error.strerror}）"), file=sys.stderr)
        return 1
    return 0
