"""Lines above the header, and scores that pass 1 by a hair: named for what they are."""

import pytest

from evalcore.readers.formats.text.above_header import n_lines_above
from tests.support.layouts import Given
from tests.support.reading import read, refused, warned

ROWS = "a,0,0.1\nb,1,0.8\nc,0,0.4\nd,1,0.35\n"
TABLE = "id,y_true,y_prob\n" + ROWS


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


TITLES = {
    "Exported 2025-01-01,,\n,,\n": "“Exported 2025-01-01” and 1 more above the header",
    "Predictions exported 2025-01-01\n": "“Predictions exported 2025-01-01”",
    "Predictions of May, by two people\n": "“Predictions of May, by two people”",
    "# written by a tool, version 2, seed 7\n": "“# written by a tool, version 2, seed 7”",
    '"Of ""best"", or",,\r\n': '“"Of ""best"", or"”',
}


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_left_out_with_a_remark(given, title):
    assert given.auroc("x.csv", title + TABLE) == 0.75
    assert given.warned("x.csv", title + TABLE)[0] == (
        f"x.csv: found {TITLES[title]}. It names no columns and was left out: the header is the line below. "
        "[FILE-104]"
    )


def test_rows_are_counted_from_the_header_and_lines_from_the_top():
    said = refused("A title,,\n,,\n" + TABLE.replace("0.4", "high") + 'e,1,"0.5"x\n')
    assert [line.split(":")[0] for line in said if "FILE-015" in line] == [
        "predictions.csv, line 8, column y_prob"
    ]
    said = refused("A title,,\n,,\n" + TABLE.replace("0.4", "high"))
    assert [line.split(":")[0] for line in said if "QRY-003" in line] == [
        "predictions.csv, row 3, column y_prob"
    ]


def test_a_title_above_other_names_is_named(given):
    assert given.refused("x.csv", "My scores,,\nwho,truth,conf\n" + ROWS) == [
        "x.csv, line 1: found one name above rows of several columns: My scores, expected a header line. "
        "Remove the lines above the header, or write a header line. [FILE-105]"
    ]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "#id,y_true,y_prob\n" + ROWS,
        "who,truth,p\n" + ROWS,
        "model,bert,bert\nid,y_true,y_prob\n" + ROWS,
        "truth,words\n1,id\n0,y_true\n",
        "words\nid y_true y_prob\n",
        "",
    ],
)
def test_what_may_be_a_header_is_none_of_the_lines_above(text):
    assert n_lines_above(text.encode(), ",;\t") == 0


def test_no_line_is_left_out_where_the_first_is_said_to_be_a_row():
    assert "[FILE-104]" not in " ".join(refused("Title,,\n" + TABLE, no_header=True))


@pytest.mark.parametrize(
    ("score", "advice"),
    [
        ("1.0000001192092896", "It is 1 but for the rounding of float32"),
        ("1.0000002", "It is 1 but for the rounding of float32"),
        ("-1.1920929e-07", "It is 0 but for the rounding of float32"),
        ("1.0009765625", "It is 1 but for the rounding of float16"),
        ("1.0078125", "It is 1 but for the rounding of bfloat16"),
    ],
)
def test_rounding_is_named_and_not_taken_for_percentages(given, score, advice):
    text = f"y_true,y_prob\n0,0.2\n1,{score}\n1,0.7\n0,0.1\n1,0.9\n"
    assert given.refused("x.csv", text) == [
        f"x.csv, row 2, column y_prob: found {score}, expected a probability from 0 to 1. {advice}: clip the "
        "scores to 0 and 1 (p.clip(0, 1) in pandas). [QRY-003]"
    ]


def test_one_score_above_1_makes_no_percentages():
    (line,) = [one for one in refused("y_true,y_prob\n0,0.2\n1,1.3\n1,0.7\n") if "QRY-003" in one]
    assert "Correct the score, or say --score-kind score if another scale is meant" in line


def test_percentages_are_those_of_a_whole_column():
    said = refused("y_true,y_prob\n0,2\n1,91\n1,70\n0,0.4\n")
    assert [line.split("1. ")[1] for line in said if "QRY-003" in line] == [
        "Divide percentages by 100. [QRY-003]"
    ] * 3


def test_scores_of_another_scale_are_read_as_such():
    data = read("y_true,y_prob\n0,0.2\n1,1.0000001\n1,0.7\n", score_kind="score")
    assert "FILE-104" not in " ".join(warned(data))
    assert data.queries.score[1] == 1.0000001


def test_names_between_bars_are_named_as_that(given):
    assert given.refused("x.txt", "id|y_true|y_prob\na|0|0.1\nb|1|0.8\n") == [
        "x.txt: found a header whose names stand between '|': id|y_true|y_prob, expected commas, semicolons "
        "or tabs between fields. Write the fields between commas: “|” parts the ids of a list. [FILE-107]"
    ]
