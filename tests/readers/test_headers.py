"""Files without a header line, and what is no TREC file: nothing loses its first row unsaid."""

import json
from pathlib import Path

import pytest

import evalcore
from evalcore import inspect, load
from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint
from evalcore.readers.formats.text.trec import trec_kind
from tests.readers.evidence.test_readers_rankings import gold, lists
from tests.support.reading import NAME, read, refused, upload, warned

BARE = "0,0.1\n0,0.4\n1,0.35\n1,0.8\n"
BY_POSITION = {"has_evidence": "1", "probability": "2"}


def auroc(data: evalcore.data.Data) -> float:
    rows = evalcore.evaluate(data).table
    found = rows[(rows.family == "classification") & (rows.metric == "auroc")]
    return float(found.value.iloc[0])


def asked(cells: str, line: int = 1) -> str:
    return (
        f"{NAME}, line {line}: found a first line that holds no names of columns: {cells}, expected a header "
        "line. Write one, or say --no-header (on the Data page tick “No header line”) and name columns by "
        "their positions: --column ROLE=1. [FILE-030]"
    )


@pytest.mark.parametrize("columns", [None, BY_POSITION, {"has_evidence": "0", "probability": "0.1"}])
def test_first_line_of_numbers_is_asked_about_and_never_dropped(columns):
    assert refused(BARE, columns=columns) == [asked("0, 0.1")]


def test_file_without_a_header_is_read_by_position():
    data = read(BARE, no_header=True, columns=BY_POSITION)
    assert data.queries.score.tolist() == [0.1, 0.4, 0.35, 0.8]
    assert data.queries.row.tolist() == [1, 2, 3, 4]
    assert auroc(data) == 3 / 4
    source = data.sources[0]
    assert (source.n_rows, source.n_used, source.has_header) == (4, 4, False)
    assert dict(source.columns) == BY_POSITION
    assert source.format == "CSV, comma, no header, UTF-8"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("p1,A.1,1,0.9\np1,A.2,0,0.1\n", "p1, A.1, 1, 0.9"),
        ("p1;A.1;1;0.9\np1;A.2;0;0.1\n", "p1, A.1, 1, 0.9"),
        ("p1\tA.1\t1\t0.9\np1\tA.2\t0\t0.1\n", "p1, A.1, 1, 0.9"),
        ("p1\tA.1\t0.9\t1\np1\tA.2\t0.1\t0\n", "p1, A.1, 0.9, 1"),
        ("p1,A.1,1,1\np1,A.2,0,0\n", "p1, A.1, 1, 1"),
        ("1,17\n0,4\n", "1, 17"),
        ("1e-3,x\n0.5,y\n", "1e-3, x"),
        ("r1;0;0,1\nr2;1;0,4\n", "r1, 0, 0,1"),
        ("abc;x;0,1\nabd;y;0,4\n", "abc, x, 0,1"),
        ("abc,x,10%\nabd,y,40%\n", "abc, x, 10%"),
        ("p1,A.1,s1,s2|s1\np2,A.1,s4,s4|s5\n", "p1, A.1, s1, s2|s1"),
        ("q1,d1,1\nq1,d2,0\nq2,d1,0\n", "q1, d1, 1"),
        ("ab,true,high\nac,false,low\n", "ab, true, high"),
        ("ann,bob,x\nann,bob,y\n", "ann, bob, x"),
        ("a,1,2,3,4,0.5,6\nb,1,2,3,4,0.6,6\n", "a, 1, 2, 3, 4, …"),
    ],
)
def test_first_line_that_cannot_be_a_header_is_noticed(text, cells):
    assert [line for line in refused(text) if "FILE-010" not in line] == [asked(cells)]
    assert [one.severity for one in inspect(upload(text)).problems if one.code == "FILE-030"] == ["choice"]


def test_line_is_counted_below_what_was_taken_off():
    assert refused("sep=,\n" + BARE) == [asked("0, 0.1", line=2)]


@pytest.mark.parametrize(
    "header",
    [
        "x1,truth,a",
        "who,truth,p2",
        "post_id,label,0.5",
        "0,1,2",
        "1,2,3",
        "y_true,p,2024",
        "label,probability,1.0",
    ],
)
def test_names_that_are_numbers_are_names_where_they_can_be(header):
    text = f"{header}\na,1,0.9\nb,0,0.1\n"
    assert "FILE-030" not in " ".join(problem.code for problem in inspect(upload(text)).problems)


def test_lists_without_a_header_are_read_by_position():
    text = 'p1,s1,s2|s1|s3\np2,s4,"s4|s5"\n'
    data = read(text, no_header=True, columns={"post_id": "1", "gold_ids": "2", "ranked_ids": "3"})
    assert lists(data, "3") == {"p1": ["s2", "s1", "s3"], "p2": ["s4", "s5"]}
    assert gold(data) == {"p1": {"s1": 1}, "p2": {"s4": 1}}


def test_position_beyond_the_last_column_is_told():
    (line,) = refused(BARE, no_header=True, columns={"has_evidence": "1", "probability": "3"})[:1]
    assert line.startswith(f"{NAME}: found no column '3'; the columns are 1, 2")


def test_positions_without_roles_are_asked_for():
    (line,) = refused(BARE, no_header=True)
    assert line.startswith(
        f"{NAME}: found columns that fit no known table: known by their positions only: 1, 2"
    )


def test_option_has_no_influence_on_what_has_names_of_its_own():
    rows = [{"post_id": "a", "y": 1, "p": 0.9}, {"post_id": "b", "y": 0, "p": 0.1}]
    text = "\n".join(map(json.dumps, rows))
    assert read(text, no_header=True).queries.score.tolist() == [0.9, 0.1]


def test_annotations_without_a_header_are_read_by_position():
    text = "r1,c1,true\nr1,c2,false\n"
    columns = {"record_uuid": "1", "chunk_id": "2", "topically_relevant": "3"}
    data = read(text, no_header=True, columns=columns)
    assert data.task == "rag"
    assert data.sources[0].n_used == 2


def write(folder: Path, text: str, name: str = "input.csv") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_command_line_reads_by_position(tmp_path, capsys):
    bare = write(tmp_path, BARE)
    assert main(["check", bare]) == 1
    assert "--no-header" in capsys.readouterr().err
    assert main(["evaluate", bare, "--column", "has_evidence=0", "--column", "probability=0.1"]) == 2
    capsys.readouterr()
    mapped = ["--no-header", "--column", "has_evidence=1", "--column", "probability=2"]
    assert main(["evaluate", bare, *mapped]) == 0
    assert "classification.auroc" in (out := capsys.readouterr()).out
    assert "0.750" in next(line for line in out.out.splitlines() if line.startswith("classification.auroc"))
    assert "4 rows in, 4 used" in out.err


def test_point_chosen_on_a_file_without_a_header_is_verified_and_applied(tmp_path, capsys):
    rows = [(f"p{i}", "tune" if i % 2 else "test", i % 3 == 0, (i * 7 % 40) / 40) for i in range(120)]
    lines = [f"{p},{s},{int(y)},{max(x, 0.6) if y else x / 2}" for p, s, y, x in rows]
    bare, point = write(tmp_path, "\n".join(lines) + "\n"), str(tmp_path / "point.json")
    places = {"post_id": 1, "split": 2, "has_evidence": 3, "probability": 4}
    mapped = ["--no-header", *(a for role, at in places.items() for a in ("--column", f"{role}={at}"))]
    how = ["--point", "--tune", "tune", "--test", "test"]
    assert main(["choose", bare, *mapped, *how, "--out", point]) == 0
    assert OperatingPoint.load(Path(point)).document["input"]["header"] is False
    assert OperatingPoint.load(Path(point)).reading["no_header"]
    assert main(["verify", point, bare]) == 0, capsys.readouterr().err
    decisions = tmp_path / "decisions.csv"
    assert main(["apply", point, bare, "--out", str(decisions)]) == 0
    assert len(decisions.read_text().splitlines()) == 121
    assert decisions.read_text().splitlines()[1].startswith("p0,")


PREDICTIONS = [
    ["post_id", "criterion_id", "probability", "has_evidence"],
    ["p1", "A.1", "0.9", "1"],
    ["p1", "A.2", "0.2", "0"],
    ["p2", "A.1", "0.4", "1"],
    ["p2", "A.2", "0.5", "0"],
]


@pytest.mark.parametrize("between", ["\t", ", ", ",", "; ", ";", "\t "])
def test_predictions_with_the_label_last_are_no_trec_file(between):
    text = "\n".join(between.join(row) for row in PREDICTIONS) + "\n"
    assert trec_kind(text.encode()) is None
    data = read(text)
    assert data.queries is not None
    assert data.sources[0].n_used == 4
    assert auroc(data) == 3 / 4


def test_predictions_of_six_columns_are_no_run():
    rows = [["post_id", "criterion_id", "model", "fold", "probability", "has_evidence"]]
    rows += [[p, c, "m", str(i % 2), s, y] for i, (p, c, s, y) in enumerate(PREDICTIONS[1:])]
    text = "\n".join("\t".join(row) for row in rows) + "\n"
    assert read(text).queries.models == ("m",)


def test_predictions_between_tabs_under_unknown_names_are_mapped():
    text = "\n".join("\t".join(row) for row in [["who", "what", "chance", "truth"], *PREDICTIONS[1:]])
    columns = {"post_id": "who", "criterion_id": "what", "probability": "chance", "has_evidence": "truth"}
    assert auroc(read(text, columns=columns)) == 3 / 4


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("301\t0\tCR93E-1\t1\n", "qrels"),
        ("301\t0\t17\t1\n", "qrels"),
        ("301 Q0 d1 1 2.5 mine\n", "run"),
        ("301 Q0 d1\n301 Q0 d2 2 1.5 mine\n301 Q0 d3 3 1.2 mine\n", "run"),
        ("# a comment\n#vaccines 0 d1 1\n", "qrels"),
        ("#vaccines Q0 d1 1 2.5 r\n", "run"),
        ("#judged by three people 3\n1 0 d1 1\n", "qrels"),
    ],
)
def test_trec_files_are_still_told(text, kind):
    assert trec_kind(text.encode()) == kind


QRELS = "#vaccines 0 t1 1\n#vaccines 0 t2 0\nmasks 0 t3 1\n"
RUN = "#vaccines Q0 t2 1 2.0 r\n#vaccines Q0 t1 2 1.0 r\nmasks Q0 t3 1 2.0 r\n"


def pair(qrels: str, run: str) -> list[evalcore.readers.Upload]:
    return [upload(qrels, "x.qrels"), upload(run, "x.run")]


def test_topics_that_begin_with_a_hash_are_topics():
    data = load(pair(QRELS, RUN))
    assert lists(data, "r") == {"#vaccines": ["t2", "t1"], "masks": ["t3"]}
    assert gold(data) == {"#vaccines": {"t1": 1}, "masks": {"t3": 1}}
    rows = evalcore.evaluate(data).table
    mrr = rows[(rows.metric == "mrr") & (rows.params == "") & (rows.population == "positives_only")]
    assert (mrr.value.iloc[0], mrr.n.iloc[0]) == (3 / 4, 2)
    assert warned(data) == [
        f"{name}: found topics that begin with #, such as #vaccines: 1. Their lines are read as rows; a "
        "comment begins with # and a blank. [RNK-034]"
        for name in ("x.qrels", "x.run")
    ]


@pytest.mark.parametrize(
    "comment",
    [
        "# 7 0 t1 1",
        "# judged in 2024",
        "#",
        "#no row",
        "#judged by people 3",
        "#7 0 t1 high",
        "# 1 Q0 d 1 2 r",
    ],
)
def test_other_lines_with_a_hash_are_comments(comment):
    data = load(pair(f"{comment}\n1 0 t1 1\n", "1 Q0 t1 1 2.0 r\n"))
    assert gold(data) == {"1": {"t1": 1}}
    assert (data.sources[0].n_rows, data.sources[0].n_used) == (2, 1)


def test_broken_row_of_such_a_topic_is_named():
    (line,) = refused(*pair(QRELS + "#vaccines 0 t9\n", RUN))[:1]
    assert line.startswith("x.qrels, line 4: found 3 fields, expected four fields")


def test_line_that_may_have_been_taken_out_is_asked_about():
    taken_out = "#1 0 t9 1\n1 0 t1 1\n"
    assert refused(*pair(taken_out, "1 Q0 t1 1 2.0 r\n"))[:1] == [
        "x.qrels, line 1: found a row of the topic #1, beside rows of the topic 1, expected a row, or a "
        "comment that cannot be taken for one. Remove the line if it was taken out; a comment begins with # "
        "and a blank. [RNK-033]"
    ]
    data = load(pair(taken_out, "1 Q0 t1 1 2.0 r\n#1 Q0 t9 1 2.0 r\n"))
    assert gold(data) == {"#1": {"t9": 1}, "1": {"t1": 1}}
