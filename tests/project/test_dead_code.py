"""Nothing is kept that only its own tests call."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def modules() -> dict[str, str]:
    """Path → text of everything that runs outside the tests."""
    files = [ROOT / "app.py", *(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    return {file.relative_to(ROOT).as_posix(): file.read_text() for file in files}


def defined_in(text: str) -> set[str]:
    """Functions and classes of a module, without those that a decorator declares."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(text).body
    return {
        one.name
        for one in body
        if isinstance(one, kinds) and (isinstance(one, ast.ClassDef) or not one.decorator_list)
        if not one.name.startswith("__")
    }


def used_in(text: str) -> set[str]:
    """Names that a module reads, or imports under another name; an export alone is no use."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias) and node.asname not in (None, node.name):
            found.add(node.name)
    return found


def unused(texts: dict[str, str], exported: str) -> set[str]:
    """What is defined somewhere and neither used anywhere nor promised by the package."""
    used = set().union(*map(used_in, texts.values()))
    promised = {alias.name for node in ast.walk(ast.parse(exported)) for alias in getattr(node, "names", ())
                if isinstance(alias, ast.alias)}  # fmt: skip
    return set().union(*map(defined_in, texts.values())) - used - promised


def test_every_function_has_a_user_outside_the_tests():
    texts = modules()
    measured = {file.name: file.read_text() for file in (ROOT / "benchmarks").glob("*.py")}
    of_benchmarks = set().union(*map(used_in, measured.values()))
    promised = [texts[f"evalcore/{name}"] for name in ("__init__.py", "sklearn/__init__.py")]
    by_entry_point = {"Evaluator"}  # MLflow finds it by its name in the package's metadata
    templates = "".join(file.read_text() for file in (ROOT / "evalcore").rglob("*.jinja"))
    by_templates = set(re.findall(r"\b(\w+)\(", templates))
    assert unused(texts, "\n".join(promised)) <= of_benchmarks | by_entry_point | by_templates


def test_a_function_without_a_user_is_noticed():
    texts = {"a.py": "def lonely():\n    pass\n\ndef called():\n    pass\n\ncalled()\n"}
    assert unused(texts, "") == {"lonely"}
    assert unused(texts, "from a import lonely as lonely") == set()
