"""更新课程时，一本笔记里写过的格怎样放回新版：先认出是哪一格，新版没有改过这一格才放。"""

import json
import re
from difflib import SequenceMatcher

EXERCISE = re.compile(r"""\bcheck\(\s*["'](\w+)["']""")
UNANSWERED = re.compile(r"= None *(#.*)?$|^\s+\.\.\.$", re.MULTILINE)


def read(content):
    """笔记本（字典）；没有，或者不是笔记本，就是 None。"""
    try:
        nb = json.loads(content)
        return nb if all(isinstance(cell["metadata"], dict) for cell in nb["cells"]) else None
    except (TypeError, ValueError, KeyError):
        return None


def write(path, nb):
    """与课程里的笔记本同样的写法。"""
    text = json.dumps(nb, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    path.write_bytes(text.encode("utf-8"))


def source(cell):
    return "".join(cell["source"]).replace("\r\n", "\n")


def same_sources(base, mine):
    """两本的每一格写的字都相同；有一本读不懂，就算不同。"""
    base, mine = read(base), read(mine)
    return bool(base and mine) and [*map(source, base["cells"])] == [*map(source, mine["cells"])]


def change_cells(base, mine, new):
    """把 mine 里与 base 不同的格放进 new（就地改）；返回（放回几格，没有放回的格的名字）。"""
    before = origins(base["cells"], mine["cells"])
    count, lost, last = 0, [], None  # last : 前一格在 new 里的样子，自己新加的格接在它后面
    for index, cell in enumerate(mine["cells"]):
        origin = before[index]
        target = _find(origin or cell, new["cells"])
        if origin is None and source(cell).strip() and (target is None or source(target) != source(cell)):
            last = _insert(cell, new["cells"], last)
            count += 1
            continue
        last = target or last
        if origin is None or source(cell) == source(origin):
            continue
        if target is not None and source(target) in (source(origin), source(cell)):
            _take(cell, target)
            count += 1
        else:
            lost.append(_name(mine["cells"], index))
    return count, lost


def put_answers(mine, new):
    """不知道 mine 原来的样子：new 的一格还空着，mine 的写了，就放；返回（放了几格，没有放的练习）。"""
    count, lost = 0, []
    for index, target in enumerate(origins(new["cells"], mine["cells"])):
        cell = mine["cells"][index]
        if cell["cell_type"] != "code" or UNANSWERED.search(source(cell)):
            continue
        if target is not None and UNANSWERED.search(source(target)):
            _take(cell, target)
            count += 1
        elif _exercise(cell) and (target is None or source(target) != source(cell)):
            lost.append(_name(mine["cells"], index))
    return count, lost


def origins(base, mine):
    """mine 的每一格原来是 base 的哪一格；自己新加的是 None。有的编辑器会把 id 全部换掉，就照写的字对。"""
    ids = {cell.get("id"): cell for cell in base}
    known = [ids.get(cell.get("id")) for cell in mine]
    if 2 * sum(origin is not None for origin in known) >= len(base):
        return known
    known = [None] * len(mine)
    texts = ([(cell["cell_type"], source(cell)) for cell in cells] for cells in (base, mine))
    for _, i, i_end, j, j_end in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if i_end - i == j_end - j:
            known[j:j_end] = base[i:i_end]
        else:  # 这一段里还加了或删了格：只认得出练习
            known[j:j_end] = [_find(cell, base[i:i_end], by_id=False) for cell in mine[j:j_end]]
    return known


def _find(cell, cells, by_id=True):
    """cells 里的同一格：id 相同，或者是同一道练习。"""
    exercise = _exercise(cell)
    if exercise:
        found = [other for other in cells if _exercise(other) == exercise]
        if len(found) == 1:
            return found[0]
    return next((other for other in cells if by_id and "id" in cell and other.get("id") == cell["id"]), None)


def _exercise(cell):
    found = EXERCISE.search(source(cell)) if cell["cell_type"] == "code" else None
    return found and found[1]


def _take(cell, target):
    """写的字和运行的结果都用 cell 的；id 和幻灯片类型仍是 target 的。"""
    target["source"] = source(cell).splitlines(keepends=True)
    for key in ("outputs", "execution_count"):
        if key in cell and key in target:
            target[key] = cell[key]


def _insert(cell, cells, last):
    """把自己加的一格放在 last 后面（没有 last 就放在最前面）；返回放进去的格。"""
    cell, taken = (
        {**cell, "source": source(cell).splitlines(keepends=True)},
        {other.get("id") for other in cells},
    )
    number = 1
    while cell.get("id") in taken or "id" not in cell:
        cell["id"], number = f"mine-{number}", number + 1
    where = next((i for i, other in enumerate(cells) if other is last), -1)
    cells.insert(where + 1, cell)
    return cell


def _name(cells, index):
    """一格的名字：它前面最近的标题，和它的第一行。"""
    first = source(cells[index]).strip().partition("\n")[0][:60]
    for cell in reversed(cells[: index + 1]):
        if cell["cell_type"] == "markdown" and (found := re.search(r"^#+ (.*)", source(cell), re.MULTILINE)):
            return f"「{found[1]}」里的 {first}"
    return first
