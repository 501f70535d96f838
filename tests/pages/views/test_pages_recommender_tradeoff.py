"""Trade-off: two metrics of every system, the front, and who is beaten by whom."""

import evalcore
from evalcore.text.numerals import number
from tests.pages.views.recommended import made, opened, said


def test_the_front_is_named_with_those_that_are_beaten():
    app = opened("tradeoff")
    text = said(app)
    report = evalcore.evaluate(made(), ks=(10,))
    recall = {
        m: report.value("recommender.recall", model=m, params="k=10") for m in ("close", "noisy", "popular")
    }
    coverage = {m: report.value("recommender.item_coverage", model=m, params="k=10") for m in recall}
    assert recall["close"] > recall["popular"]
    assert coverage["close"] > coverage["popular"]
    assert "popular is beaten by" in text
    assert "on the Pareto front" in text
    assert len(app.get("plotly_chart")) == 1
    assert f"<td>{number(recall['close'])} (" in text


def test_a_metric_without_a_better_direction_draws_no_front():
    text = said(opened("tradeoff", against="arp", k="5"))
    assert (
        "Neither direction of ARP@5 is better: no system beats another in it, and no front is drawn." in text
    )


def test_a_metric_that_nobody_has_says_why():
    text = said(opened("tradeoff", made(has_groups=False), against="rsp"))
    assert "No system has both values: nothing can be compared." in text
    assert " no groups of items (n = 60)" in text
