"""A report's files and figures come from its tallies: nothing in ``report/`` or ``figures/`` sees a row."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from evalcore import Report, evaluate
from evalcore.kernels.policy import Policy
from evalcore.report import drawings, report_files
from tests.evaluation.test_any_split import cut, made, two_models
from tests.rag.test_rag_gather import cut as cut_annotations
from tests.rag.test_rag_gather import part_of, said_of
from tests.support.but_long import but_long
from tests.support.made.evidence import make_rankings

ROOT = Path(__file__).resolve().parents[2]
ROWS = {"Queries", "Rankings", "RankedRows", "Annotations", "Responses", "ToolScores", "PredictedLabels"}
TABLES = {"tables", "queries", "rankings", "annotations"}
BUILDERS = {"from_queries", "from_rankings", "unit_scores", "gather", "gathered", "load"}


def rows_read_in(text: str) -> set[str]:
    """What a module names that holds rows or makes tallies of them; notes of a figure's layout are none."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom | ast.Import):
            found |= {one.name for one in node.names} & (ROWS | BUILDERS)
        if isinstance(node, ast.Attribute) and node.attr in TABLES | BUILDERS - {"gathered"}:
            is_of_layout = isinstance(node.value, ast.Attribute) and node.value.attr == "layout"
            found |= set() if is_of_layout else {node.attr}
    return found


def modules() -> Iterator[Path]:
    for folder in ("report", "figures"):
        yield from sorted((ROOT / "evalcore" / folder).rglob("*.py"))


def test_no_module_of_reports_and_figures_names_rows():
    read = {file: found for file in modules() if (found := rows_read_in(file.read_text()))}
    # A document to print shows the scores that it was chosen on, where these rows are at hand.
    assert {(file.parent.name, file.name): names for file, names in read.items()} == {
        ("point_page", "facts.py"): {"queries"}
    }


@pytest.mark.parametrize(
    "planted",
    [
        "from evalcore.data import Data, Queries",
        "n = len(report.data.queries)",
        "rows = report.data.tables['rankings']",
        "said = report.data.annotations",
        "table = ScoreTable.from_rows(ScoredRows.from_queries(part))",
        "from evalcore.evaluation.gathering.evidence import unit_scores",
    ],
)
def test_a_row_that_is_read_is_noticed(planted):
    assert rows_read_in(planted)


class Unread(Mapping):
    """Tables that nobody may look at."""

    def __getitem__(self, name):
        raise AssertionError(f"{name} was read")

    def __iter__(self):
        raise AssertionError("the tables were listed")

    def __len__(self):
        raise AssertionError("the tables were counted")

    def get(self, name, default=None):  # noqa: ARG002
        return self[name]


def without_rows(report: Report) -> Report:
    return replace(report, data=replace(report.data, tables=Unread()))


def lists_of(n: int = 12):
    gold = [[f"i{at}"] if at % 3 else [] for at in range(n)]
    lists = [[(f"i{at + one}", round(0.9 - one / 10, 1)) for one in range(at % 4)] for at in range(n)]
    return made(rankings=make_rankings(gold, lists, model="reranked"))


DATA = {
    "two models": (two_models, {"by": ("site",), "cluster": "site", "bootstrap": 100}),
    "one pair of thresholds": (two_models, {"tau_neg": 0.2, "tau_pos": 0.6}),
    "by state": (two_models, {"by": ("state",), "tau_neg": 0.2, "tau_pos": 0.6}),
    "lists": (lists_of, {"ks": (1, 3)}),
    "lists with a policy": (lists_of, {"policy": Policy("fixed", k=2), "ties": "stable"}),
}


@pytest.fixture(scope="module", params=DATA)
def case(request):
    make, options = DATA[request.param]
    data = make()
    return data, options, evaluate(data, **options)


def test_the_files_of_a_report_need_no_rows(case):
    _, _, report = case
    assert report_files(without_rows(report), thresholds_of="b") == report_files(report, thresholds_of="b")
    assert drawings(report)


@pytest.mark.parametrize("n", but_long([7, 2], 1))
def test_parts_have_the_report_of_the_whole(case, n):
    data, options, whole = case
    report = evaluate(cut(data, n), **options)
    assert report.data.queries is report.data.rankings is None
    assert report_files(report) == report_files(whole)


def test_parts_of_annotations_have_the_report_of_the_whole():
    said = said_of(30)
    options = {"bootstrap": 100, "by": ("language",)}
    whole = report_files(evaluate(part_of(said, list(said)), **options))
    report = evaluate(cut_annotations(said, 3, 2), **options)
    assert report_files(without_rows(report)) == whole


def test_figures_made_from_rows_would_be_seen(case):
    _, _, report = case

    def of_rows(report, **how):
        return drawings(report, **how) if report.data.queries is not None else []

    with pytest.raises(AssertionError, match="was read"):
        report_files(without_rows(report), drawn=of_rows)
