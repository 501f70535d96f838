"""Decimal commas in quotes, numbers without a leading zero, words for missing ones, marks of thousands."""

import pytest

from tests.support.layouts import Given
from tests.support.reading import read, refused

QUOTED = (
    "post_id,criterion_id,has_evidence,probability\n"
    'p1,A.1,0,"0,1"\np2,A.1,0,"0,4"\np3,A.1,1,"0,35"\np4,A.1,1,"0,8"\n'
)
SPSS = "id;label;score\na;,00;,10\nb;,00;,40\nc;1,00;,35\nd;1,00;,80\n"


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


def scores(text: str, **options) -> list[float]:
    return read(text, **options).queries.score.tolist()


@pytest.mark.parametrize(
    "text",
    [
        QUOTED,
        SPSS,
        SPSS.replace(";", "\t"),
        'id,label,score\na,",00",",10"\nb,",00",",40"\nc,"1,00",",35"\nd,"1,00",",80"\n',
        "id;label;score\na;.00;.10\nb;.00;.40\nc;1.00;.35\nd;1.00;.80\n",
        SPSS.replace(",80", "1"),
    ],
)
def test_decimal_commas_are_read_in_quotes_and_without_a_zero(given, text):
    assert given.auroc("x.csv", text) == 0.75


def test_decimal_commas_between_commas_are_told(given):
    assert given.warned("x.csv", QUOTED) == [
        "x.csv: found comma between fields and a decimal comma. Both were detected; nothing to do if the "
        "preview looks right. [FILE-010]"
    ]


def test_points_and_commas_of_several_columns_are_each_read():
    text = 'id,label,score,tau_neg,tau_pos\na,0,"0,1",0.2,0.5\nb,1,"0,8",0.2,0.5\n'
    data = read(text)
    assert data.queries.score.tolist() == [0.1, 0.8]
    assert data.queries.numbers["tau_neg"].tolist() == [0.2, 0.2]


def test_lists_of_two_numbers_are_no_decimal_commas():
    text = 'post_id,gold_ids,ranked_ids\np1,"4,5","4,5"\np2,"7","7,8"\n'
    assert "FILE-010" not in " ".join(refused(text))


OPEN = "which may be 1.234 or 1234"


@pytest.mark.parametrize("separator", [";", "\t", ","])
@pytest.mark.parametrize("kind", ["probability", "score"])
def test_marks_that_may_part_thousands_are_named_and_never_read(given, separator, kind):
    cell = '"1,234"' if separator == "," else "1,234"
    text = f"id;label;score\na;0;{cell}\nb;1;987\n".replace(";", separator)
    (line, *_) = [
        one for one in given.refused("x.csv", text, "--score-kind", kind, score_kind=kind) if "row 1," in one
    ]
    assert line.startswith(f"x.csv, row 1, column score: found 1,234, {OPEN}, expected")


def test_thousands_are_named_where_the_file_has_decimal_commas_elsewhere():
    head = "id;label;score;tau_neg;tau_pos\n"
    said = refused(head + "a;0;1,234;0,5;2,5\nb;1;987;0,5;2,5\n", score_kind="score")
    assert [OPEN in line for line in said if "column score" in line] == [True]
    said = refused(head + "a;0;1.234;0,5;2,5\nb;1;987;0,5;2,5\n", score_kind="score")
    assert [OPEN in line for line in said if "column score" in line] == [True]


def test_one_cell_that_can_be_no_thousands_settles_the_others():
    head = "id;label;score\n"
    assert scores(head + "a;0;1,234\nb;1;2,5\n", score_kind="score") == [1.234, 2.5]
    assert scores(head + "a;0;0,125\nb;1;0,500\nc;1;1,000\n") == [0.125, 0.5, 1]
    assert scores("id,label,score\na,0,1.234\nb,1,987\n", score_kind="score") == [1.234, 987]


def test_thousands_of_millions_are_no_numbers():
    text = "id;label;score\na;0;1,234,567\nb;1;0,5\n"
    assert [line for line in refused(text, score_kind="score") if "1,234,567" in line]


@pytest.mark.parametrize("word", ["NA", "N/A", "<NA>", "#N/A", "NULL", "null", "None"])
def test_a_word_for_a_missing_score_is_named_as_that(given, word):
    text = f"id,label,score\na,0,0.1\nb,0,{word}\nc,1,{word}\nd,1,0.8\n"
    assert given.refused("x.csv", text) == [
        f"x.csv, row {row}, column score: found {word}, a missing number, expected a probability from 0 to "
        "1. Fill the cell or leave the row out. [QRY-100]"
        for row in (2, 3)
    ]


def test_a_missing_number_beside_the_score_is_empty():
    data = read("id,label,score,n_candidates\na,0,0.1,NA\nb,1,0.8,7\n")
    assert str(data.queries.numbers["n_candidates"].tolist()) == "[nan, 7.0]"


def test_words_for_missing_numbers_are_text_elsewhere():
    data = read("post_id,criterion_id,label,score\nNA,NA,0,0.1\nNone,null,1,0.8\n")
    assert data.queries.post_ids.tolist() == ["NA", "None"]
    assert data.queries.criterion_ids.tolist() == ["NA", "null"]
