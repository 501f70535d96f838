"""No variable of a comprehension bears the name of something of its module: Python 3.12.1 confused such two.

It runs comprehensions within the function around them, and where that function, or another of its
comprehensions, means the module's own thing it took the variable.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("evalcore", "pages", "benchmarks", "deploy", "tests")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)


def sources() -> Iterator[tuple[str, str]]:
    """Path and text of every module, tests included."""
    for file in [ROOT / "app.py", *(file for name in FOLDERS for file in (ROOT / name).rglob("*.py"))]:
        yield file.relative_to(ROOT).as_posix(), file.read_text()


def of_module(tree: ast.Module) -> set[str]:
    """What a module defines, imports or assigns outside functions and classes."""
    found: set[str] = set()
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def alike(text: str) -> list[tuple[int, str]]:
    """Line and name of each variable of a comprehension that is called as something of its module."""
    tree = ast.parse(text)
    known = of_module(tree)
    variables = {
        (name.lineno, name.id)
        for node in ast.walk(tree)
        if isinstance(node, COMPREHENSIONS)
        for loop in node.generators
        for name in ast.walk(loop.target)
        if isinstance(name, ast.Name)
    }
    return sorted(one for one in variables if one[1] in known)


def test_no_variable_of_a_comprehension_is_called_as_something_of_its_module():
    found = [f"{path}, line {line}: {name}" for path, text in sources() for line, name in alike(text)]
    assert found == [], "give the variable another name"


def test_every_folder_is_read():
    assert {path.partition("/")[0] for path, _ in sources()} == {"app.py", *FOLDERS}


@pytest.mark.parametrize(
    "planted",
    [
        "from fields import field\ndef f(names):\n    return [field for field in names]",
        "import field\ndef f(names):\n    return {field: 1 for field in names}",
        "import a.b as field\nfound = {field for field in ()}",
        "def field():\n    return 1\ndef f(names):\n    return sum(one for field in names for one in field)",
        "class field:\n    pass\ndef f(pairs):\n    return [one for one, (field, _) in pairs]",
        "if True:\n    field = 1\nasync def f(names):\n    return [field async for field in names]",
        "try:\n    import field\nexcept ImportError:\n    pass\nf = lambda names: [field for field in names]",
        "for field in ():\n    pass\nclass A:\n    names = [field for field in ()]",
        "from fields import other, field\ndef f():\n    def g():\n        return [field for field in other]",
    ],
)
def test_two_of_one_name_are_found(planted):
    assert {name for _, name in alike(planted)} == {"field"}


@pytest.mark.parametrize(
    "text",
    [
        "from fields import field as other\ndef f(names):\n    return [field for field in names]",
        "def f(field, names):\n    return [field for field in names]",
        "class A:\n    field = 1\ndef f(names):\n    return [field for field in names]",
        "import field\ndef f(names):\n    return [field.of(one) for one in names]",
        "found = [field for field in ()]\ndef f(names):\n    return [field for field in names]",
    ],
)
def test_names_of_other_scopes_pass(text):
    assert alike(text) == []
