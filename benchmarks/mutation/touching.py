"""Which tests touch a module."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

LONGEST_WORD = 7
MOST_NEAR, MOST_BEYOND = 6, 10  # test files


def module_name(file: Path, root: Path) -> str:
    """`evalcore.metrics.gate` of its file."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(root: Path, folder: str) -> dict[str, set[str]]:
    """Module → modules that it takes something from, a name in a package as where the package has it from."""
    files = sorted((root / folder).rglob("*.py"))
    taken: dict[str, dict[str, str]] = {}
    for file in (root / "evalcore").rglob("__init__.py"):
        package = module_name(file, root)
        taken[package] = {
            alias.asname or alias.name: node.module
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
    found: dict[str, set[str]] = {}
    for file in files:
        names = found.setdefault(module_name(file, root), set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    source = taken.get(node.module, {}).get(alias.name, node.module)
                    names |= {source, f"{node.module}.{alias.name}"}
    return found


class Touching:
    """The test files that touch a module, nearest first; those of pages compute nothing and are left out."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._code = imports_of(root, "evalcore")
        tests = imports_of(root, "tests")
        helpers = {name: of for name, of in tests.items() if not _is_test(name)}
        self._tests = {
            name.replace(".", "/") + ".py": of | {deep for one in of for deep in helpers.get(one, ())}
            for name, of in tests.items()
            if _is_test(name) and ".browser" not in name and "_pages_" not in name
        }
        self._words = {
            file: Counter(re.findall(r"\w+", (root / file).read_text(encoding="utf-8")))
            for file in self._tests
        }

    def direct(self, module: str) -> list[str]:
        """Test files that import a module or name something that it defines, most often first.

        Many metrics are called by the name that they are declared under.
        """
        named = self._defined(module)
        n = {
            file: 1000 * (module in of) + sum(self._words[file][name] for name in named)
            for file, of in self._tests.items()
        }
        return sorted((file for file in n if n[file]), key=lambda file: -n[file])[:MOST_NEAR]

    def beyond(self, module: str) -> list[str]:
        """The test files nearest to the modules that import it, or that import such a one."""
        near = {name for name, of in self._code.items() if module in of}
        far = near | {name for name, of in self._code.items() if near & of}
        direct, stem = self.direct(module), module.split(".")[-1]
        files = [file for file, of in self._tests.items() if far & of and file not in direct]
        n = {file: 1000 * (stem in file) + len(far & self._tests[file]) for file in files}
        return sorted(files, key=lambda file: -n[file])[:MOST_BEYOND]

    def _defined(self, module: str) -> set[str]:
        """Public functions and classes of a module, of names long enough to be no common word."""
        path = self._root / (module.replace(".", "/") + ".py")
        path = path if path.is_file() else self._root / module.replace(".", "/") / "__init__.py"
        body = ast.parse(path.read_text(encoding="utf-8")).body
        defined = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
        return {name for name in defined if not name.startswith("_") and len(name) > LONGEST_WORD}


def _is_test(module: str) -> bool:
    return module.split(".")[-1].startswith("test_")
