"""Tasks are told apart in `evalcore/tasks.py`, and on the pages in `pages/shared/tasks.py`: nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from evalcore.data import Task
from evalcore.tasks import TASKS
from pages.shared.tasks import PAGES

ROOT = Path(__file__).resolve().parents[2]
NAMES = {*get_args(Task), "recommender"}
CONSTANTS = {name.upper() for name in NAMES}
"""As the records of the pages call them."""
TOLD_APART = ("evalcore/tasks.py", "pages/shared/frame.py", "pages/shared/tasks.py")
OF_FAMILIES = {"evalcore/crosscheck/compare.py": "families of metrics, one of which is called as its task"}


def sources() -> Iterator[tuple[str, str]]:
    """Path and text of every module that may tell no task from another."""
    for file in [*(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        name = file.relative_to(ROOT).as_posix()
        if name not in TOLD_APART and not name.startswith("evalcore/metrics/"):
            yield name, file.read_text()


def is_task(node: ast.AST) -> bool:
    """Whether an expression is the name of a task, or the task of some data."""
    if isinstance(node, ast.Constant):
        return node.value in NAMES
    if isinstance(node, ast.Name):
        return node.id in CONSTANTS
    if isinstance(node, ast.Attribute) and node.attr == "task":
        return ast.unparse(node.value).split(".")[-1] in {"data", "in_use", "report", "found"}
    return isinstance(node, ast.Tuple | ast.List | ast.Set) and any(map(is_task, node.elts))


def told_apart_in(text: str) -> list[str]:
    """Where a module compares with a task, or looks something up by one."""
    found: list[ast.AST] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            found += [node] if any(map(is_task, [node.left, *node.comparators])) else []
        elif isinstance(node, ast.Dict):
            found += [node] if any(is_task(key) for key in node.keys if key is not None) else []
        elif isinstance(node, ast.MatchValue):
            found += [node] if is_task(node.value) else []
        elif isinstance(node, ast.Subscript):
            found += [node] if isinstance(node.slice, ast.Constant) and is_task(node.slice) else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            found += [node] if node.args and is_task(node.args[0]) else []
    return [ast.unparse(node) for node in found]


def test_what_a_first_look_at_large_files_is_of_is_asked_nowhere():
    """Each kind knows by itself how it may be read: see `evalcore.readers.chunks.looking.Looked`."""
    asks = re.compile(r"isinstance\([^()]*Prepared")
    assert asks.search("if isinstance(found, str | PreparedLists): pass")
    assert not [name for name, text in sources() if asks.search(text)]


def test_tasks_are_told_apart_in_one_place():
    found = {name: told for name, text in sources() if (told := told_apart_in(text))}
    assert set(found) == set(OF_FAMILIES), found


@pytest.mark.parametrize(
    "planted",
    [
        "if data.task == 'rag':\n    pass",
        "is_lists = in_use.data.task in ('evidence', 'recommender')",
        "slot = {'evidence': 1, 'rag': 2}[part]",
        "usual = OF_TASK['rag']",
        "usual = OF_TASK.get('recommender', 10)",
        "match task:\n    case 'evidence':\n        pass",
        "others = [task for task in PAGES if task != EVIDENCE]",
        "same = first.data.task == second.data.task",
    ],
)
def test_a_module_that_tells_them_apart_is_noticed(planted):
    assert told_apart_in(planted)


@pytest.mark.parametrize(
    "other",
    [
        "consolidate = judged_chunks if responses.task == 'retrieval' else judged_answers",
        "task = TASKS[data.task]",
        "metrics = of_family('rag')",
        "PART = 'evidence'",
    ],
)
def test_other_words_and_a_look_into_the_records_are_none(other):
    assert not told_apart_in(other)


def test_every_task_has_a_record_and_pages():
    assert set(TASKS) == set(PAGES) == set(get_args(Task))
    assert [*TASKS][-1] == next(iter(PAGES))  # what belongs to none
