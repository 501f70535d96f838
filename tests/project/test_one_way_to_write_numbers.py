"""Shares, numbers and their differences are written by `evalcore.text.numerals` wherever people read them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READ = (
    "pages",
    "evalcore/report",
    "evalcore/figures",
    "evalcore/compare",
    "evalcore/ablation",
    "evalcore/ci",
)
"""What people read is made here."""
OF_NO_METRIC = {
    "evalcore/report/marks.py": "places on the paper",
    "evalcore/report/point_page/histogram.py": "places on the paper, scores",
    "evalcore/figures/ranking.py": "candidates a query",
    "evalcore/compare/wording.py": "p-values",
    "evalcore/compare/writing.py": "p-values and counts of a table for a terminal",
    "pages/shared/compared/shown.py": "p-values",
    "pages/shared/lists/policy.py": "a setting",
    "pages/shared/lists/selection.py": "mean K",
    "pages/shared/data/results.py": "sizes of files",
    "pages/shared/data/upload.py": "sizes of files",
    "pages/recommender/recommender_popularity.py": "a setting",
}
"""Modules that write other numbers with a fixed number of decimals."""
OWN_DIGITS = {
    "evalcore/figures/reliability.py": "places of bars, written by the browser",
    "evalcore/figures/shares.py": "ticks of shares",
    "pages/evidence/compare.py": "a field to type in",
    "pages/shared/lists/failure_tables.py": "scores, where none is negative",
    "pages/shared/lists/policy.py": "a field to type in",
    "pages/shared/point/find.py": "a field to type in",
}
"""Modules that write numbers with a fixed number of digits."""
DIGITS = re.compile(r"\.\d+g")
PERCENT = re.compile(r"\.\d+%|%%")
DECIMALS = re.compile(r"[:{%][^{}% ]*\.[1-9]\d*f")


def specs(text: str) -> Iterator[tuple[str, bool]]:
    """Formats in a module, and whether each is of a text that is put together."""
    tree = ast.parse(text)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    within = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            yield (
                "".join(part.value for part in node.format_spec.values if isinstance(part, ast.Constant)),
                True,
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_text = id(node) not in docs and id(node) not in within
            if is_text and "<style" not in node.value:
                yield node.value, False


def own_ways(text: str) -> list[str]:
    """Formats of a module that write a share in percent, or a number with a fixed number of decimals."""
    found = []
    for spec, is_put_in in specs(text):
        if PERCENT.search(spec) or (is_put_in and re.search(r"\.[1-9]\d*f$", spec)) or DECIMALS.search(spec):
            found.append(spec)
    return found


def sources() -> Iterator[tuple[str, str]]:
    for folder in READ:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), file.read_text()


def test_no_page_report_or_figure_writes_a_share_or_a_number_in_its_own_way():
    found = {name: ways for name, text in sources() if (ways := own_ways(text))}
    assert {name for name in found if name != "evalcore/figures/shares.py"} == set(OF_NO_METRIC), found
    in_percent = {name for name, ways in found.items() if any(map(PERCENT.search, ways))}
    assert in_percent == {"evalcore/figures/shares.py"}


def digits(text: str) -> list[str]:
    """Formats of a module with a fixed number of digits: they write a hyphen for a minus."""
    return [spec for spec, _ in specs(text) if DIGITS.search(spec)]


def test_no_page_report_or_figure_writes_given_numbers_in_its_own_way():
    found = {name: ways for name, text in sources() if (ways := digits(text))}
    assert set(found) == set(OWN_DIGITS), found


@pytest.mark.parametrize("planted", ['text = f"{score:.6g}"', 'column = NumberColumn(format="%.4g")'])
def test_a_planted_number_of_digits_is_noticed(planted):
    assert digits(planted)


@pytest.mark.parametrize(
    "planted",
    [
        'text = f"{value:.1%}"',
        'text = f"{value:.4f}"',
        'text = "{:.3f}".format(value)',
        'trace = {"hovertemplate": "%{y:.2%} at %{x:.2f}"}',
        'axis = {"tickformat": ".1%"}',
        'column = NumberColumn(format="%.6g %%")',
        'column = NumberColumn(format="%.3f")',
        'column = NumberColumn(format="%+.4f")',
    ],
)
def test_a_planted_way_is_noticed(planted):
    assert own_ways(planted)


def test_the_explorer_writes_shares_in_one_place():
    for file in sorted((ROOT / "evalcore" / "explorer").rglob("*.js")):
        if file.name not in ("numbers.js", "curve.js"):  # places on the curve
            assert ".toFixed(" not in file.read_text(), file.name
