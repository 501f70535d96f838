"""Reports of recommendation lists: figures, chapters in the order of document 004, the same from parts."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import evaluate
from evalcore.figures.drawing import Plain
from evalcore.figures.recommender.groups import group_values_figure, pairs_figure
from evalcore.report import report_files
from evalcore.report.facts import facts as report_facts
from evalcore.report.layout import Value
from evalcore.report.methods import methods
from evalcore.report.svg import svg
from evalcore.tasks import drawings
from tests.recommender.test_road import data_of, taken
from tests.report.test_from_tallies import Unread
from tests.support.but_long import but_long
from tests.support.recommendations import made_recommendations, table

CHAPTERS = ["Accuracy", "Rating", "Coverage", "Novelty", "Diversity", "Bias", "Fairness", "Multi-objective"]
SAMPLE = Path(evalcore.__file__).parents[1] / "sample_data"
OPTIONS = {"ks": (3, 5), "by": ("user_group",), "bootstrap": 100}


@pytest.fixture(scope="module")
def rows():
    return made_recommendations(4, n_users=20, n_models=3)


@pytest.fixture(scope="module")
def report(rows):
    return evaluate(data_of(rows), **OPTIONS)


@pytest.fixture(scope="module")
def files(report):
    return {name: content.decode() for name, content in report_files(report, drawn=drawings).items()}


@pytest.mark.parametrize("n", but_long([2, 5], 1))
def test_parts_have_the_files_of_the_whole(rows, files, n):
    parts = [data_of(taken(rows, np.arange(at, 20, n), at)) for at in reversed(range(n))]
    of_parts = report_files(evaluate(parts, **OPTIONS), drawn=drawings)
    assert {name: content.decode() for name, content in of_parts.items()} == files


def test_files_and_figures_need_no_rows(report, files):
    without = replace(report, data=replace(report.data, tables=Unread()))
    found = report_files(without, drawn=drawings)
    assert {name: content.decode() for name, content in found.items()} == files


def test_sections_and_latex_tables_stand_in_the_order_of_the_document(files):
    assert re.findall(r'<h2 id="overall-\d+">Recommender: (.*?)</h2>', files["report.html"]) == CHAPTERS
    assert re.findall(r"^## Recommender: (.*)$", files["report.md"], re.MULTILINE) == CHAPTERS
    captions = re.findall(r"\\caption\{Recommender: (.*), (.*)\}\\\\", files["tables.tex"])
    models = [f"model\\_{at}" for at in (1, 3, 2)]
    assert captions == [(chapter.replace("-", "-{}"), model) for chapter in CHAPTERS for model in models]
    assert "U+" not in files["tables.tex"]


def test_the_figures_are_those_that_the_data_allow(report):
    keys = [one.key for one in drawings(report)]
    assert keys == [
        *(f"over-k-{name}" for name in ("recall", "ndcg", "item_coverage", "gini", "arp")),
        *("tradeoff-item_coverage", "tradeoff-gini", "popularity"),
        *("groups-0-recall", "groups-0-ndcg"),
        *(f"groups-1-{name}" for name in ("reo", "rsp", "item_mad_ranking", "item_mad_rating")),
    ]


def test_one_model_at_one_k_without_groups_has_no_trade_off_and_no_line():
    rows = table(lists={"knn": {"u1": ["a", "b"]}}, train=[("u2", "a")], test=[("u1", "b")])
    assert [one.key for one in drawings(evaluate(data_of(rows), ks=(2,)))] == ["popularity"]


def test_a_name_in_a_figure_is_no_markup():
    name = "<b>a&b</b>"
    rows = table(lists={name: {"u1": ["a"]}, "b": {"u1": ["b"]}}, train=[("u2", "a")], test=[("u1", "a")])
    html = report_files(evaluate(data_of(rows), ks=(1, 2)), drawn=drawings)["report.html"].decode()
    assert name not in html
    assert html.count("&lt;b&gt;a&amp;b&lt;/b&gt;") > 5


def test_the_methods_say_that_users_are_drawn(report, files):
    told = methods(report)
    assert told[0] == "Percentiles over 100 bootstrap replicates, which draw users; seed 0."
    assert told[1].startswith("Figures beside which replicates lie, such as a number of distinct items")
    assert told[0] in files["report.html"]


def test_a_drawing_has_error_bars_open_marks_and_filled_bands():
    arms = {"type": "data", "array": [2.0], "arrayminus": [1.0], "color": "#2b66b1", "visible": True}
    mark = {"symbol": "circle-open", "color": "#2b66b1"}
    point = {"type": "scatter", "x": [5.0], "y": [1.0], "mode": "markers", "error_x": arms, "marker": mark}
    shade = {"fill": "toself", "fillcolor": "rgba(43,102,177,0.18)"}
    band = {"type": "scatter", "x": [0, 1, 1, 0], "y": [0, 0, 1, 1]} | shade
    figure = Plain([band, point], {"meta": {"description": "d"}, "showlegend": False})
    drawn = svg(figure, key="f")
    assert re.search(r'd="M\S+ \S+H\S+M\S+ \S+v8M\S+ \S+v8" style="fill:none;stroke:var\(--c2b66b1\)', drawn)
    assert 'Z" style="fill:none;stroke:var(--c2b66b1);stroke-width:2"' in drawn
    assert 'Z" style="fill:var(--c2b66b1);fill-opacity:0.18"' in drawn
    whole = svg(Plain([point], figure.layout), key="f")
    low, high = map(float, re.search(r'd="M(\S+) \S+H(\S+)M', whole).groups())
    assert 30 < low < high < 640  # the axis has room for the arms


def test_no_drawn_error_bar_without_an_interval():
    arms = {"type": "data", "array": [np.nan], "arrayminus": [np.nan], "visible": False}
    mark = {"color": "#2b66b1"}
    point = {"type": "scatter", "x": [5.0], "y": [1.0], "mode": "markers", "error_y": arms, "marker": mark}
    figure = Plain([point], {"meta": {"description": ""}})
    assert "v8" not in svg(figure, key="f")


def test_values_of_groups_have_a_mark_where_they_are_defined(report):
    rows = report.table.query("metric == 'reo' and params == 'k=3' and group_by == 'item_group'")
    figure = group_values_figure(rows, title="REO@3")
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    assert [len(one.x) for one in marks] == [
        rows.query("model == @name")["value"].notna().sum() for name in rows["model"].unique()
    ]
    low, high = figure.layout.xaxis.range
    assert low < 0 < rows["ci_high"].max() < high


@pytest.mark.parametrize(
    ("neutral", "values", "far", "texts"),
    [
        (
            1,
            [0.25, 0.5, 1, 4, 9, 0],
            [-1, -0.5, 0, 1, 1, -1],
            ["0.25", "0.50", "1.00", "4.00", "9.00", "0.00"],
        ),
        (0, [-1, -0.5, 0, 1], [-1, -0.5, 0, 0.5], ["−1.00", "−0.50", "+0.00", "+1.00"]),
    ],
)
def test_pairs_are_as_far_from_neutral_by_a_half_as_by_the_double(neutral, values, far, texts):
    names = [str(at) for at in range(len(values))]
    figure = pairs_figure(np.array([values], float), ["all"], names, title="BR", neutral=neutral)
    cells, text = figure.data
    np.testing.assert_allclose(np.ravel(cells.z), far, atol=1e-12)
    assert list(text.text) == texts
    assert f"{neutral} is neutral. " in figure.layout.meta["description"]


def test_an_undefined_pair_is_said_and_has_no_colour():
    figure = pairs_figure(np.array([[np.nan, 2.0]]), ["all"], ["a", "b"], title="BR", neutral=1)
    assert list(figure.data[1].text) == ["n/a", "2.00"]
    assert np.isnan(figure.data[0].z[0][0])


OF_ROWS = (
    "score_kind",
    "positive label",
    "fprs",
    "tau_neg",
    "tau_pos",
    "ties",
    "policy",
    "cluster",
    "annotators",
)


def test_the_report_tells_its_own_options_and_none_of_other_tasks(files):
    for name, told in files.items():
        found = [option for option in OF_ROWS if re.search(rf"\b{option.replace('_', '.{0,2}_')}\b", told)]
        assert name == "metrics.csv" or found == [], name
    assert "<dt>pop_ratio</dt><dd>0.8</dd>" in files["report.html"]
    assert "<dt>metrics</dt><dd>all</dd>" in files["report.html"]
    assert re.findall(r"^\| ([a-z_\\]+) \|", files["report.md"].partition("| option | value |")[2], re.M)[
        :4
    ] == [
        "by",
        "ks",
        "undefined",
        "bootstrap",
    ]


def test_options_of_recommendations_stand_in_no_report_of_rows_or_annotations():
    for folder in ("queries.csv", "rag"):
        report = evaluate(evalcore.load(SAMPLE / folder))
        own, read = report_facts(report)["options"], report_facts(report)["reading"]
        is_of_rows = folder == "queries.csv"
        assert "pop_ratio" not in own
        assert ("ties" in own, "positive" in read, "annotators" in own) == (
            is_of_rows,
            is_of_rows,
            not is_of_rows,
        )


def test_the_interval_of_a_number_of_items_has_numbers_of_items_as_ends(report):
    table = report.table
    is_mean = table["params"].str.contains("stat=")
    rows = table[(table["metric"] == "item_coverage") & table["ci_low"].notna() & ~is_mean]
    assert len(rows)
    for row in rows.itertuples(index=False):
        text = Value(*row).interval
        assert re.fullmatch(r"\d+ to \d+ \(95 %\)", text), text
        low, high = map(int, re.findall(r"\d+", text)[:2])
        assert low <= row.ci_low < low + 1
        assert high - 1 < row.ci_high <= high
