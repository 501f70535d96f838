"""A metric that was declared or written wrongly is named, before or where it takes an evaluation down."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.metrics.recommender.accuracy import precision
from evalcore.metrics.recommender.coverage import item_coverage
from evalcore.metrics.recommender.facts import declared as declaring
from evalcore.spec import METRICS, Metric, OfTotals, PerQuery, declared
from tests.support.recommending import TEST, loaded


def broken(metric: Metric, function: object) -> Metric:
    return replace(metric, function=function)


def totals(_: object, *, k: int | None) -> OfTotals:
    return OfTotals(np.zeros((2, 2, 3)), lambda found: found[..., 0], k or 2)


def of_users(_: object, *, k: int | None) -> PerQuery:
    return PerQuery(np.zeros((2, k or 1)))


def divided(lists: object, *, k: int | None) -> float:
    raise ZeroDivisionError(f"{lists}{k}")


@pytest.mark.parametrize(
    ("function", "declared_as", "told"),
    [
        (
            totals,
            item_coverage,
            "columns of shape (2, 2, 3), expected (Q, J): a row a unit, a column a total",
        ),
        (of_users, precision, "values of shape (2, 1), expected (Q,): one of each query or user"),
    ],
)
def test_values_of_a_wrong_shape_name_their_metric(function, declared_as, told, monkeypatch) -> None:
    metric = declared(declared_as)
    monkeypatch.setitem(METRICS, metric.key, broken(metric, function))
    with pytest.raises(TypeError) as error:
        METRICS[metric.key](object(), k=1)
    assert str(error.value) == f"{metric.key}: {told}"


def test_an_error_in_a_metric_says_in_which() -> None:
    metric = broken(declared(precision), divided)
    with pytest.raises(ZeroDivisionError) as error:
        metric("lists", k=1)
    assert error.value.__notes__ == [f"while computing {metric.key}"]


def test_a_metric_of_a_module_without_a_chapter_is_refused_at_its_declaration() -> None:
    with pytest.raises(TypeError, match=r"divided: .*facts\.CHAPTERS names none of 'test_declared_here'"):
        declaring("Divided", "1 / 0", "Nothing")(divided)
    assert "recommender.divided" not in METRICS
    assert all(one.chapter for one in METRICS.values() if one.family == "recommender")


def test_the_usual_metrics_pass() -> None:
    assert len(evaluate(loaded(test=TEST), ks=(1,)).table)
