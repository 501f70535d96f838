"""Saved reports of lists that were changed: refused by name, or shown; none ends in a traceback."""

from copy import deepcopy

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.evaluation import Report
from evalcore.evaluation.saved.archive import packed, unpacked
from evalcore.problems import InputError
from evalcore.report import report_files
from tests.recommender.test_road import data_of
from tests.support.recommendations import made_recommendations

METRICS = (
    "recommender.recall",
    "recommender.item_coverage",
    "recommender.reo",
    "recommender.bias_disparity_br",
)
MARKUP = '<img src=x onerror=alert(1)>"&;$x^2$'


@pytest.fixture(scope="module")
def parts():
    made = evaluate(
        data_of(made_recommendations(4, n_users=20, n_models=2)),
        ks=(3, 5),
        by=("user_group",),
        metrics=METRICS,
    )
    return unpacked(made.to_bytes(), None)


def opened(parts, change) -> Report:
    """The report with its document and columns changed."""
    document, columns = deepcopy(parts[0]), dict(parts[1])
    change(document, columns)
    return Report.from_bytes(packed(document, columns), file="lists.evalcore")


def levels(column, old, new):
    """A change of one text of a column of the table."""

    def change(document, _):
        found = document["tables"]["values"]["levels"]
        found[column] = [text.replace(old, new) for text in found[column]]

    return change


def of_models(change):
    """A change of what is known of each model."""

    def changed(document, columns):
        for lists in document["tallies"]["recommendations"]["models"].values():
            change(lists)
        for name in [name for name in columns if "/groups/" in name or "/slices/" in name]:
            columns.pop(name)

    return changed


def without_groups(lists):
    lists["slices"], lists["catalogue"]["groups"] = {}, {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (levels("params", "k=3", "k=x"), "values of k=x"),
        (levels("params", "k=3", "k=" + "9" * 5000), "values of k=99999"),
        (levels("group", ";", ""), "values of user_group;item_group "),
        (levels("group_by", "user_group", "town"), "values of town"),
        (levels("model", "model_1", MARKUP), f"values of {MARKUP}"),
        (lambda document, _: document["options"].update(by=["town"]), "values of town"),
        (lambda document, _: document["options"].update(ks=[]), "values of k=3, k=5"),
        (of_models(without_groups), "values of "),
    ],
)
def test_values_of_what_the_lists_do_not_have_are_refused_in_a_short_message(parts, change, said) -> None:
    with pytest.raises(InputError) as caught:
        opened(parts, change)
    text = str(caught.value)
    assert f"found recommendations/tables, values: {said}" in text
    assert text.endswith("[REP-291]")
    assert len(text) < 700


@pytest.mark.parametrize("end", [1e308, -1e308, 5e-324])
def test_numbers_of_any_size_are_written(parts, end) -> None:
    def change(_, columns):
        for name in ("value", "ci_low", "ci_high"):
            place = f"tables/values/{name}"
            columns[place] = np.full_like(columns[place], end)

    assert "metrics.csv" in report_files(opened(parts, change), drawn=lambda *_, **__: [])


def test_a_report_without_a_cut_off_or_a_value_is_one() -> None:
    data = data_of(made_recommendations(4, n_users=20, n_models=2))
    for metrics in (("recommender.mae",), ("recommender.recall",)):
        made = evaluate(data, ks=(), metrics=metrics)
        again = Report.from_bytes(made.to_bytes())
        assert report_files(again) == report_files(made)
