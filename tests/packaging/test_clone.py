"""A clone by itself runs nearly every test: few need files that may not be copied."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_SKIPPED = 19


def arguments(function: ast.FunctionDef) -> set[str]:
    """What a test or a fixture asks for."""
    return {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}


def is_marked(function: ast.FunctionDef, mark: str) -> bool:
    return any(mark in ast.unparse(one) for one in function.decorator_list)


def waiting(module: str) -> list[str]:
    """The tests of a module that skip without the folder `shared`."""
    functions = [one for one in ast.walk(ast.parse(module)) if isinstance(one, ast.FunctionDef)]
    needs = {"shared"}
    for _ in functions:  # a fixture may ask for another one
        needs |= {one.name for one in functions if is_marked(one, "fixture") and arguments(one) & needs}
    tests = [one for one in functions if one.name.startswith("test_") and not is_marked(one, "fixture")]
    found = [one for one in tests if arguments(one) & needs]
    assert not [one.name for one in found if is_marked(one, "parametrize")], "each would count several times"
    return [one.name for one in found]


def test_fewer_than_twenty_tests_need_files_that_may_not_be_copied() -> None:
    files = [file for file in (ROOT / "tests").rglob("test_*.py") if "shared" in file.read_text()]
    found = {f"{file.name}::{name}" for file in files for name in waiting(file.read_text())}
    assert 0 < len(found) <= MOST_SKIPPED, found


def test_no_fixture_for_all_modules_hides_that_a_test_needs_them() -> None:
    found = [file for file in (ROOT / "tests").rglob("conftest.py") if waiting_fixtures(file.read_text())]
    assert found == []


def waiting_fixtures(module: str) -> list[str]:
    """The fixtures that ask for the folder."""
    functions = [one for one in ast.walk(ast.parse(module)) if isinstance(one, ast.FunctionDef)]
    return [one.name for one in functions if is_marked(one, "fixture") and "shared" in arguments(one)]
