"""The layers of evalcore: the contract holds, knows every module, and notices what it forbids."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

from tests.support.but_long import but_long

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 16
"""Python files side by side, with ``__init__``: what a person takes in at a glance."""
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


@pytest.fixture(scope="module")
def layers() -> list[str]:
    """The lines of the contract, high to low, without the brackets of those that may be missing."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (contract for contract in contracts if contract["type"] == "layers")
    return [line.replace("(", "").replace(")", "") for line in contract["layers"]]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The checked part of the project, to plant faults in."""
    for package in ("evalcore", "pages"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def plant(file: Path, line: str) -> None:
    """Put `line` at the end of `file`."""
    file.write_text(f"{file.read_text()}\n{line}\n")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """The import contracts of `folder`, checked."""
    return subprocess.run(
        [sys.executable, "-c", LINT_IMPORTS, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def some_module(name: str) -> Path:
    """The file of the module or package evalcore.`name`, relative to the project."""
    module = Path("evalcore") / f"{name}.py"
    return module if (ROOT / module).is_file() else Path("evalcore") / name / "__init__.py"


def test_layers_hold(copy: Path) -> None:
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout


def test_every_module_has_a_line(layers: list[str]) -> None:
    lines = [name.strip() for line in layers for name in line.split("|")]
    assert len(lines) == len(set(lines))
    modules = {file.stem for file in (ROOT / "evalcore").glob("*.py")} - {"__init__"}
    packages = {file.parent.name for file in (ROOT / "evalcore").glob("*/__init__.py")}
    assert modules | packages <= set(lines)


def test_module_without_a_line_is_noticed(copy: Path) -> None:
    (copy / "evalcore" / "leftovers.py").write_text('"""A module that nobody gave a line."""\n')
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "evalcore.leftovers" in result.stdout


@pytest.mark.parametrize("line", ["import streamlit", "import pages.shared.launch"])
def test_page_or_streamlit_in_evalcore_is_noticed(copy: Path, line: str) -> None:
    plant(copy / some_module("spec"), line)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "evalcore knows nothing of Streamlit or the pages BROKEN" in result.stdout


def test_import_from_a_higher_line_is_noticed(copy: Path) -> None:
    plant(copy / some_module("spec"), "import evalcore.tallies")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "evalcore.spec is not allowed to import evalcore.tallies" in " ".join(result.stdout.split())


def test_import_of_a_neighbour_on_the_same_line_is_noticed(copy: Path) -> None:
    plant(copy / some_module("problems"), "import evalcore.spec")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "evalcore.problems is not allowed to import evalcore.spec" in " ".join(result.stdout.split())


def test_metric_family_that_imports_another_is_noticed(copy: Path) -> None:
    families = copy / "evalcore" / "metrics"
    (families / "planted_one.py").write_text('"""A metric family."""\n')
    (families / "planted_two.py").write_text("import evalcore.metrics.planted_one\n")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "Metric families do not import each other BROKEN" in result.stdout


@pytest.mark.parametrize(
    "line",
    but_long(
        [
            "import sklearn.metrics",
            "from evalcore.tallies.scores import ScoreTable",
            "from evalcore.inference.binomial import clopper_pearson",
            "import evalcore.kernels.policy",
            "from evalcore.metrics import gate",
            "import evalcore.drawn.ranks",
        ],
        2,
    ),
)
def test_page_that_computes_is_noticed(copy: Path, line: str) -> None:
    plant(copy / "pages" / "common" / "data.py", line)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "Pages call evalcore and compute nothing themselves BROKEN" in result.stdout


def both_ways() -> set[tuple[str, str]]:
    """Modules or packages beside each other that import each other, what is inside of them included."""
    graph = grimp.build_graph("evalcore", "pages", exclude_type_checking_imports=True, cache_dir=None)
    beside: set[tuple[str, str]] = set()
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            one, other = importer.split("."), imported.split(".")
            unlike = (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
            shared = next(unlike, 0)
            if shared:
                beside.add((".".join(one[: shared + 1]), ".".join(other[: shared + 1])))
    return {pair for pair in beside if pair[::-1] in beside}


def test_no_two_packages_beside_each_other_import_each_other() -> None:
    assert both_ways() == set()


def test_folders_stay_small_enough_to_read() -> None:
    packages = [ROOT / name for name in ("evalcore", "pages", "tests")]
    folders = [one for package in packages for one in (package, *package.rglob("*")) if one.is_dir()]
    sizes = {str(one.relative_to(ROOT)): len(list(one.glob("*.py"))) for one in folders}
    assert {name: n for name, n in sizes.items() if n > MOST_FILES} == {}
