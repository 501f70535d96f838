"""The overview of recommendation lists: numbers of the core at the K of the link, and what they rest on."""

import re

import pytest

import evalcore
from evalcore.catalog import METRICS
from evalcore.report import report_files
from evalcore.report.layout import Value, alike
from evalcore.text.numerals import number
from tests.pages.views.recommended import made, opened, said

MODELS = ("popular", "close", "noisy")


def test_tiles_carry_the_numbers_of_the_core_with_what_they_rest_on() -> None:
    text = said(opened("overview"))
    report = evalcore.evaluate(made(), ks=(10,), bootstrap=1000)
    value = report.value("recommender.recall", model="popular", params="k=10")
    assert f'<p class="name">Recall@10</p><div class="value">{number(value)}</div>' in text
    assert "n = 56, users with a relevant item; higher is better" in text
    assert "60, 56 of them with a relevant test item; 4 have none and enter no metric of relevance" in text
    assert "307 rows = 300 used + 7 left out (repeated pair)" in text


def test_all_metrics_stand_there_by_section_for_every_model() -> None:
    text = said(opened("overview"))
    for name in (
        "Accuracy",
        "Rating",
        "Coverage",
        "Novelty",
        "Diversity",
        "Bias",
        "Fairness",
        "Multi-objective",
    ):
        assert f">{name}</strong>" in text
    labels = [one.label.replace("@K", "@10") for one in METRICS.values() if one.family == "recommender"]
    assert len(labels) == 40
    elsewhere = ["Bias in recommendations@10", "Bias in train", "Bias disparity@10"]
    assert f"{', '.join(elsewhere)}: a value for each group of items, on Fairness." in text
    for label in labels:
        assert (
            re.search(rf"<tr><td[^>]*>{re.escape(label)}</td>(<td.*?</td>){{4}}</tr>", text)
            or label in elsewhere
        ), label


def test_an_undefined_value_names_its_reason_and_n() -> None:
    text = said(opened("overview", made(has_groups=False)))
    assert " no groups of items (n = 56" in text
    assert ">nan" not in text


def test_k_and_model_of_the_link_are_used() -> None:
    text = said(opened("overview", k="3", recommender="noisy"))
    report = evalcore.evaluate(made(), ks=(3,))
    value = report.value("recommender.ndcg", model="noisy", params="k=3")
    assert f'<p class="name">nDCG@3</p><div class="value">{number(value)}</div>' in text


@pytest.mark.long
def test_the_k_of_one_page_is_that_of_the_next() -> None:
    app = opened("overview", k="3")
    app.switch_page("pages/recommender/recommender_tradeoff.py").run()
    assert "Recall@3" in said(app)
    app.number_input[0].set_value(7).run()
    app.switch_page("pages/recommender/recommender_overview.py").run()
    assert '<p class="name">Recall@7</p>' in said(app)


@pytest.mark.long
def test_the_model_of_one_page_is_that_of_the_next() -> None:
    app = opened("overview", recommender="noisy")
    app.switch_page("pages/recommender/recommender_fairness.py").run()
    assert not app.exception
    assert next(one for one in app.selectbox if one.label == "Model").value == "noisy"


def test_a_wild_k_is_refused_in_words() -> None:
    text = said(opened("overview", k="0"))
    assert "The link asks for k “0”, expected a whole number from 1 to 1,000. It was not used." in text
    assert '<p class="name">Recall@10</p>' in text


def test_files_of_the_report_are_those_of_the_core() -> None:
    app = opened("overview")
    app.button(key="recommender_make").click().run()
    assert not app.exception
    files = report_files(evalcore.evaluate(made(), ks=(10,), bootstrap=1000))
    assert [one.label for one in app.get("download_button")] == list(files)
    _, offered = app.session_state["recommender_files"]
    assert offered["metrics.csv"] == files["metrics.csv"]


def test_what_is_counted_is_called_what_it_is() -> None:
    text = said(opened("overview"))
    n = len(made().recommendations.test)
    assert (
        f"Over n = 56, users with a relevant item; AUC: n = {n}, relevant pairs of a user and an item."
        in text
    )
    rows = evalcore.evaluate(made(), ks=(10,)).table
    of_auc = rows[rows["metric"] == "auc"]
    assert set(of_auc["population"]) == {"relevant_pairs"}
    assert set(of_auc.loc[of_auc["group_by"] == "", "n"]) == {n}


BLOCK = """evaluation:
    top_k: [3]
    complex_metrics:
        - name: F1
          params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}
        - name: Hypervolume
          params: {metric_names: [nDCG, Precision], nadir_points: [0, 0]}
"""


@pytest.mark.long
def test_further_settings_that_are_pasted_stand_under_their_own_names() -> None:
    app = opened("overview")
    app.text_area(key="recommender_settings_text").set_value(BLOCK).run()
    app.button(key="recommender_settings_use").click().run()
    assert not app.exception
    text = said(app)
    assert "In use: the pasted text: further settings of F1, Hypervolume. Its cut-offs are chosen" in text
    found = evalcore.evaluate(
        made(), ks=(10,), settings=(("recommender.f1", (("beta", 0.5), ("of", ("ndcg", "map")))),)
    )
    value = found.value("recommender.f1", model="close", params="k=10;of=ndcg+map;beta=0.5")
    row = text.partition("F1@10 with of=ndcg+map, beta=0.5</td>")[2]
    assert f"<td>{number(value)} (" in row[:300]
    usual = found.value("recommender.f1", model="close", params="k=10")
    assert f"{number(usual)} (" in text.partition("<td>F1@10</td>")[2][:300]
    app.button(key="recommender_settings_drop").click().run()
    assert "F1@10 with" not in said(app)


@pytest.mark.long
def test_a_block_that_cannot_be_taken_is_refused_and_the_usual_numbers_stay() -> None:
    app = opened("overview")
    field = app.text_area(key="recommender_settings_text")
    field.set_value("evaluation:\n  complex_metrics:\n    - name: Fame\n").run()
    assert "the pasted text: found complex_metrics 1: " in said(app)
    field.set_value("evaluation:\n  complex_metrics:\n    - {name: ACLT, params: {pop_ratio: 7}}\n").run()
    app.button(key="recommender_settings_use").click().run()
    assert not app.exception
    assert "pop_ratio" in said(app)
    assert '<p class="name">Recall@10</p>' in said(app)


@pytest.mark.long
def test_of_many_models_a_phone_shows_the_chosen_one_and_its_place_among_them() -> None:
    text = said(opened("overview", recommender="noisy"))
    assert "Of noisy, as chosen above, and its place among 3 models." in text
    assert ":not(:first-child, :nth-child(4), :last-child) { display: none; }" in text, "the third model's"
    report = evalcore.evaluate(made(), ks=(10,))
    for name, better in (("recall", 1), ("gini", -1)):
        values = {one: report.value(f"recommender.{name}", model=one) for one in MODELS}
        place = 1 + sum(better * one > better * values["noisy"] for one in values.values())
        label = METRICS[f"recommender.{name}"].label.replace("@K", "@10")
        line = text.rpartition(f">{label}</td>")[2].partition("</tr>")[0]
        assert line.endswith(f">{place} of 3</td>")
    assert re.search(r">ARP@10</td>.*?>–</td></tr>", text), "neither direction is better"


def test_two_models_stand_beside_each_other_without_a_place() -> None:
    text = said(opened("overview", made(models=("popular", "close"))))
    assert "its place among" not in text
    assert re.search(r">popular</th><th[^>]*>close</th></tr>", text)


def test_values_of_a_metric_have_as_many_decimals_in_a_table() -> None:
    def value(number: float) -> Value:
        empty = ("", "", "", "", "")
        named = ("recommender", "arp", "k=10", "default", "users_with_list")
        return Value(*named, *empty[:3], number, 5, number - 1, number + 1, 0.95, "", "")

    (line,) = alike([["ARP@10", value(174.94), value(69.1840), None]])
    shown = [(one.text, one.interval) for one in line if isinstance(one, Value)]
    assert shown == [("174.94", "173.94 to 175.94 (95 %)"), ("69.18", "68.18 to 70.19 (95 %)")]
    assert value(69.184).text == "69.184"
