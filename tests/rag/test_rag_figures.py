"""Figures of annotations draw what their tables hold, and say in words what cannot be drawn."""

import numpy as np
import pandas as pd
import pytest

from evalcore.agreement import alphas, discards, label_counts, rates_by_rank, tendencies
from evalcore.figures.drawing import DARK, LIGHT
from evalcore.figures.rag import (
    alpha_figure,
    by_rank_figure,
    discards_figure,
    label_counts_figure,
    tendencies_figure,
)
from tests.support.made.annotated import Row, responses

CODES = {"1": (1, 1, 0), "2": (0, 0, 0), "3": (1, 0, 0)}
ROWS: list[Row] = [
    (item, "", name, {"source_cited": code, "support_present": 1})
    for item, codes in CODES.items()
    for name, code in zip(("ann_a", "ann_b", "<b>c</b>"), codes, strict=True)
] + [("4", "", "ann_a", None)]
GIVEN, IDS = responses(ROWS, reasons=["", *[""] * 8, "outside_reviewer_expertise"])
LABELS = {
    "topically_relevant": np.array([1, 1, 0, 1, 0, -1], np.int8),
    "misleading": np.array([0, 1, 0, 0, 0, 0], np.int8),
}
RANK = np.array([1, 1, 1, 2, 2, 3])


def test_each_rank_shows_the_share_and_interval_of_its_table() -> None:
    table = rates_by_rank(RANK, LABELS)
    relevant, misleading = by_rank_figure(table).data
    assert relevant.name == "topically relevant"
    assert list(relevant.y) == pytest.approx([2 / 3, 1 / 2, np.nan], nan_ok=True)
    rows = table[table["label"] == "misleading"]
    assert list(misleading.y + misleading.error_y.array) == pytest.approx(list(rows["high"]))
    assert list(misleading.y - misleading.error_y.arrayminus) == pytest.approx(list(rows["low"]))
    assert relevant.customdata[0].startswith("rank 1: 2 of 3 chunks, 66.7 % (")
    assert relevant.customdata[2] == "rank 3: no settled chunk"
    assert np.round(np.add(relevant.x, misleading.x) / 2, 9).tolist() == [1, 2, 3]


def test_labels_are_told_apart_by_more_than_colour() -> None:
    first, second = by_rank_figure(rates_by_rank(RANK, LABELS)).data
    for told in ("marker.symbol", "line.dash", "line.color"):
        assert first[told] != second[told]


def test_alpha_is_drawn_with_its_interval_and_in_words_where_it_is_undefined() -> None:
    found = alphas(GIVEN, IDS, n_replicates=200)
    figure = alpha_figure(found)
    (points,) = figure.data
    assert points.x[0] == found[0].value
    assert points.x[0] + points.error_x.array[0] == pytest.approx(found[0].high)
    assert points.x[0] - points.error_x.arrayminus[0] == pytest.approx(found[0].low)
    assert np.isnan(points.x[1])
    assert [(note.y, note.text) for note in figure.layout.annotations] == [
        (1, "n/a — label never varies (n = 3)")
    ]
    assert figure.layout.xaxis.range[0] < found[0].low < found[0].high < figure.layout.xaxis.range[1]
    assert "3 annotators" in points.customdata[0]


def test_bars_of_a_label_sum_to_its_responses_and_absent_answers_have_no_bar() -> None:
    figure = label_counts_figure(label_counts(GIVEN))
    assert {bar.name: list(bar.x) for bar in figure.data} == {
        "yes": [3, 9],
        "no": [6, 0],
        "discarded": [1, 1],
    }
    assert list(figure.layout.yaxis.ticktext) == ["source cited", "support present"]


def test_tendencies_are_differences_and_names_are_text() -> None:
    table = tendencies(GIVEN)
    figure = tendencies_figure(table)
    drawn = {trace.name: list(trace.x) for trace in figure.data}
    assert drawn["ann_a"] == pytest.approx([2 / 3 - 1 / 6, 0])
    assert "&lt;b&gt;c&lt;/b&gt;" in drawn
    assert figure.data[0].customdata[0] == "0 % yes, others 50.0 %, on 3 shared units"  # sorted: <b>c</b>
    axis = figure.layout.xaxis
    assert "in points" in axis.title.text
    assert axis.ticktext == ("−50", "0", "+50")
    assert "ann_a: highest +50.0 points at source cited" in figure.layout.meta["description"]
    alone = tendencies(GIVEN.where(GIVEN.annotator == 0))
    assert not tendencies_figure(alone).data


def test_discards_stand_by_reason_and_task() -> None:
    more, _ = responses(
        [("1", "", "a", None), ("2", "", "a", None)], task="generation", reasons=["unclear", ""]
    )
    figure = discards_figure(pd.concat([discards(GIVEN), discards(more)], ignore_index=True))
    assert list(figure.layout.yaxis.ticktext) == ["outside reviewer expertise", "no reason given", "unclear"]
    assert [(bar.name, list(bar.x), list(bar.y)) for bar in figure.data] == [
        ("grounding", [1], [0]),
        ("generation", [1, 1], [1, 2]),
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_every_figure_describes_itself_and_follows_the_theme(dark: bool) -> None:
    figures = [
        by_rank_figure(rates_by_rank(RANK, LABELS), dark=dark),
        alpha_figure(alphas(GIVEN, IDS, n_replicates=20), dark=dark),
        label_counts_figure(label_counts(GIVEN), dark=dark),
        tendencies_figure(tendencies(GIVEN), dark=dark),
        discards_figure(discards(GIVEN), dark=dark),
    ]
    for figure in figures:
        assert figure.layout.meta["description"].endswith(".")
        assert figure.layout.font.color == (DARK if dark else LIGHT).ink


def test_without_annotations_nothing_is_drawn_and_nothing_fails() -> None:
    none = GIVEN.where(np.zeros(len(GIVEN), bool))
    assert not by_rank_figure(rates_by_rank(np.array([], int), {})).data
    assert not discards_figure(discards(none)).data
    assert not label_counts_figure(label_counts(none)).data
    assert not tendencies_figure(tendencies(none)).data
    notes = alpha_figure(alphas(none, IDS, n_replicates=20)).layout.annotations
    assert {note.text for note in notes} == {"n/a — no unit has two codes (n = 0)"}
