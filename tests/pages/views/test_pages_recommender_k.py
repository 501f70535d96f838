"""Metric against K: the numbers of the core at every K that is asked for."""

import evalcore
from evalcore.text.numerals import number
from tests.pages.views.recommended import made, opened, said

MODELS = ("popular", "close", "noisy")
SHOWN_FIRST = ("Recall", "nDCG", "Item coverage", "Gini", "ARP")


def charts(app) -> list[str]:
    """The keys of the charts."""
    return [one.proto.id for one in app.get("plotly_chart")]


def test_the_first_metrics_are_drawn_at_the_usual_ks():
    app = opened("k")
    text = said(app)
    for name in SHOWN_FIRST:
        assert f">{name}</strong>" in text
    assert len(charts(app)) == 5
    assert "<th>K = 20</th></tr>" in text  # no list is longer than 30
    report = evalcore.evaluate(made(), ks=(1, 5, 10, 20), bootstrap=1000)
    for k in (1, 10):
        value = report.value("recommender.recall", model="noisy", params=f"k={k}")
        assert f"<td>{number(value)} (" in text


def test_ks_and_metrics_of_the_link_are_used():
    app = opened("k", ks="2, 4", metrics="mrr")
    text = said(app)
    assert ">MRR</strong>" in text
    assert "<th>K = 2</th><th>K = 4</th>" in text
    assert len(charts(app)) == 1
    value = evalcore.evaluate(made(), ks=(4,)).value("recommender.mrr", model="close", params="k=4")
    assert f"<td>{number(value)} (" in text


def test_what_is_no_k_is_said_and_the_usual_ones_stand():
    app = opened("k")
    app.text_input(key="recommender_ks").set_value("5, x").run()
    assert not app.exception
    assert "K: found x, expected whole numbers from 1 to 1,000; 1, 5, 10, 20 are used instead." in said(app)
    app.text_input(key="recommender_ks").set_value("7 3,3").run()
    assert "<th>K = 3</th><th>K = 7</th>" in said(app)
    assert app.query_params["ks"] == "3, 7"


def test_a_metric_without_a_value_says_why():
    text = said(opened("k", made(has_groups=False), metrics="rsp"))
    assert "n/a — no groups of items (n = 60)" in text


def test_a_k_beyond_the_lists_is_said_where_the_lines_are():
    text = said(opened("k", ks="5, 500"))
    told = (
        "The longest list has 25 items. Shorter than 500: 60 of 60 lists of popular, 60 of 60 lists "
        "of close, "
        "60 of 60 lists of noisy. An empty place is no hit and adds no popularity: where a value is divided "
        "by K, it falls."
    )
    assert told in text
    assert text.index(told) < text.index(">Recall</strong>")
    assert "Shorter than 500: 60 of 60 lists. An" in said(opened("k", made(models=("close",)), ks="500"))


def test_models_are_told_apart_once_and_what_is_not_drawn_is_not_computed():
    app = opened("k", metrics="mrr")
    legends = [one.value for one in app.get("html") if "◆" in one.value]
    assert len(legends) == 1
    assert "popular" in legends[0]
    (found,) = app.session_state["memo_recommender_report"].values()
    assert set(found.table["metric"]) == {"mrr"}


def test_each_figure_says_which_model_is_best_at_which_k():
    report = evalcore.evaluate(made(), ks=(1, 5, 10, 20))
    text = said(opened("k", metrics="gini"))
    best = {}
    for k in (1, 5, 10, 20):
        values = {one: report.value("recommender.gini", model=one, params=f"k={k}") for one in MODELS}
        best[k] = [one for one, value in values.items() if value == min(values.values())]
    if len({*map(tuple, best.values())}) == 1:
        assert f"Best at every K: {best[1][0]}." in text
    else:
        assert f"{' and '.join(best[20])} at " in text


def test_a_figure_names_no_best_model_where_there_is_one_or_no_better_direction():
    assert "Highest at every K: popular." in said(opened("k", metrics="arp"))
    assert " every K: " not in said(opened("k", made(models=("close",)), metrics="recall"))
