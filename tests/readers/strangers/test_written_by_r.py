"""Tables that R wrote: names of rows, blanks between fields, NA; and TREC files, which are none of them."""

import pytest

from evalcore.readers.formats.text.trec import trec_kind
from tests.support.layouts import Given
from tests.support.reading import read, refused, upload, warned

ROWS = (("r1", 0, 0.1), ("r2", 0, 0.4), ("r3", 1, 0.35), ("r4", 1, 0.8), ("r5", 0, 0.2), ("r6", 1, 0.65))
REMARK = "found names of rows before the columns, as R writes them."


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


def table(
    mark: str = " ", *, quote: str = '"', names: str = "12", order: str = "ips", empty: bool = False
) -> str:
    """A table as `write.table` writes it.

    Parameters
    ----------
    names : what the names of the rows are: "12" numbers, "abc" words, "" without names.
    order : the columns: i the id, p the score, s the label.
    empty : whether the header has an empty name for the names of the rows, as `write.csv` writes it.
    """
    words = {"i": "id", "p": "y_prob", "s": "y_true"}
    head = [f"{quote}{words[one]}{quote}" for one in order]
    lines = [mark.join([quote * 2, *head] if empty else head)]
    for n, (row, label, score) in enumerate(ROWS, 1):
        cells = {"i": f"{quote}{row}{quote}", "p": str(score), "s": str(label)}
        first = {"12": [str(n)], "abc": [f"person {n}" if quote else f"person{n}"], "": []}[names]
        lines.append(mark.join([*(f"{quote}{one}{quote}" for one in first), *(cells[one] for one in order)]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("mark", [" ", "\t", ";", ","])
@pytest.mark.parametrize("names", ["12", "abc", ""])
@pytest.mark.parametrize("order", ["ps", "isp", "ips"])
def test_a_table_of_r_is_read(given, mark, names, order):
    text = table(mark, names=names, order=order)
    found = given.inspected("scores.txt", text)
    assert found.data is not None, found.problems
    assert found.data.queries.score.tolist() == [score for *_, score in ROWS]
    assert found.data.queries.has_evidence.tolist() == [bool(label) for _, label, _ in ROWS]
    assert [REMARK in str(one) for one in found.problems if one.code == "FILE-106"] == [True] * bool(names)


@pytest.mark.parametrize("mark", [" ", "\t"])
def test_the_command_line_reads_it_too(given, mark):
    assert given.auroc("scores.txt", table(mark)) == pytest.approx(8 / 9)
    assert given.inspected("scores.txt", table()).tables[0].format == "CSV, blank, UTF-8"


@pytest.mark.parametrize("names", ["12", ""])
def test_text_without_quotes_and_with_several_blanks_is_read(names):
    text = table(quote="", names=names, order="ips")
    aligned = "\n".join("  ".join(line.split(" ")).rjust(40) for line in text.split("\n"))
    for one in (text, aligned, aligned.replace("\n", "\r\n")):
        data = read(one)
        assert data.queries.score.tolist() == [score for *_, score in ROWS]
        assert data.queries.post_ids.tolist() == [row for row, *_ in ROWS]


def test_names_of_rows_that_only_number_them_are_left_out():
    assert warned(read(table(order="isp")))[0] == (
        f"predictions.csv: {REMARK} They number the rows and were left out. [FILE-106]"
    )
    assert "row_names" not in read(table(order="isp")).queries.slices


@pytest.mark.parametrize("mark", [" ", ","])
@pytest.mark.parametrize("empty", [False, True])
def test_other_names_of_rows_are_a_column(mark, empty):
    text = table(mark, names="abc", order="sp", empty=empty)
    assert f"predictions.csv: {REMARK} They are the column row_names. [FILE-106]" in warned(read(text))
    data = read(text, columns={"post_id": "row_names"})
    assert data.queries.post_ids.tolist() == [f"person {n}" for n in range(1, 7)]


def test_the_empty_name_of_write_csv_is_left_out(given):
    text = table(",", order="sp", empty=True)
    assert given.auroc("scores.csv", text) == pytest.approx(8 / 9)
    (found,) = given.inspected("scores.csv", text).tables
    assert found.unused["column 1"] == "has no name"


def test_na_for_a_missing_score_is_named(given):
    text = table(order="sp").replace("0.35", "NA")
    assert given.refused("scores.txt", text) == [
        "scores.txt, row 3, column y_prob: found NA, a missing number, expected a probability from 0 to 1. "
        "Fill the cell or leave the row out. [QRY-100]"
    ]


def test_a_decimal_comma_between_commas_makes_no_names_of_rows():
    """Three fields under two names: an id and 0,35, or a name, an id and 35."""
    text = '"id","p"\n"1",0,35\n"2",0,80\n'
    assert {line.rsplit(" ", 1)[1] for line in refused(text)} >= {"[FILE-006]"}


def test_rows_longer_than_the_header_without_names_are_refused():
    text = "y_true\ty_prob\n0\t0.1\tx\n0\t0.4\ty\n1\t0.8\tz\n"
    assert {line.rsplit(" ", 1)[1] for line in refused(text)} >= {"[FILE-006]"}


def test_a_decimal_comma_of_r_is_read(given):
    text = table(order="sp").replace("0.", "0,")
    assert given.auroc("scores.txt", text) == pytest.approx(8 / 9)


QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d3 1\n"
RUN = "301 Q0 d2 1 2.0 r\n301 Q0 d1 2 1.0 r\n302 Q0 d3 1 2.0 r\n"


@pytest.mark.parametrize(
    "header", ["", "# a comment\n", "topic iteration document relevance\n", "query_id 0 doc rel\n"]
)
def test_trec_files_are_no_tables_of_r(header):
    assert trec_kind((header + QRELS).encode()) == "qrels"
    assert trec_kind(RUN.encode()) == "run"
    assert trec_kind(("query_id Q0 doc_id rank score tag\n" + RUN).encode()) == "run"


def test_trec_files_are_read_as_before():
    from evalcore import load

    assert load([upload(QRELS, "x.qrels"), upload(RUN, "x.run")]).rankings.n_queries == 2


@pytest.mark.parametrize("order", ["ps", "isp", "ips"])
@pytest.mark.parametrize("quote", ['"', ""])
@pytest.mark.parametrize("names", ["12", ""])
def test_tables_of_r_are_no_trec_files(order, quote, names):
    assert trec_kind(table(quote=quote, names=names, order=order).encode()) is None


def test_lines_that_no_parser_takes_are_refused_in_words():
    for text in ("id y_true\ra 1\rb 0\r", "id y_true\n" + "x" * 200_000 + " 1\n", "id y_true\n\0 1\n"):
        assert all(line.endswith("]") for line in refused(text))
