"""List cells in no known form, ids that never meet, and look-alikes: read with evidence, refused or named."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalcore
from evalcore import inspect, load
from evalcore.data import Data
from evalcore.problems import InputError
from tests.readers.evidence.test_readers_rankings import gold, lists
from tests.support.reading import NAME, read, refused, upload, warned

HEAD = "post_id,gold_ids,ranked_ids\n"
ADVICE = (
    "expected a list: a|b|c, a JSON array or a Python list. Write several ids as a|b|c or a JSON array, and "
    "one id that holds such a mark as a JSON array of one. [RNK-003]"
)


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def table(*rows: tuple[str, str]) -> str:
    """A file of posts p1, p2, … with their gold and their list."""
    return HEAD + "".join(f"p{i},{quoted(g)},{quoted(r)}\n" for i, (g, r) in enumerate(rows, 1))


def value(data: Data, metric: str, **params: str) -> float:
    """The value of a ranking metric over queries with gold."""
    rows = evalcore.evaluate(data).table
    params_text = ";".join(f"{key}={param}" for key, param in params.items())
    is_it = (rows.metric == metric) & (rows.family == "ranking") & (rows.params == params_text)
    return float(rows[is_it & (rows.population == "positives_only")].value.iloc[0])


def open_rows(text: str) -> list[str]:
    """The cells that are refused because they may be one id or several."""
    return [line.split("several: ")[1].split(", expected")[0] for line in refused(text) if "RNK-003" in line]


@pytest.mark.parametrize(
    ("mark", "words"),
    [(", ", "commas"), (",", "commas"), (";", "semicolons"), (" ", "blanks"), ("\t", "tabs")],
)
def test_separator_is_recognised_where_gold_is_a_piece_and_never_a_whole(mark, words):
    data = read(table(("s1", mark.join(["s2", "s1", "s3"])), ("s4", mark.join(["s4", "s5", "s6"]))))
    assert lists(data, "ranked_ids") == {"p1": ["s2", "s1", "s3"], "p2": ["s4", "s5", "s6"]}
    assert value(data, "mrr") == 3 / 4
    assert value(data, "recall", k="3") == 1
    assert warned(data) == [
        f"{NAME}, column ranked_ids: found ids between {words}, read as s2|s1|s3. Detected: known ids stand "
        "between them, and no whole cell is one. To be sure write a|b|c. [RNK-030]"
    ]


@pytest.mark.parametrize("mark", ["，", "、", ":", "-", "*", "=", "；"])
def test_ids_between_an_unknown_mark_are_refused_even_where_another_row_hits(mark):
    several = [mark.join(ids) for ids in (("2", "1", "3"), ("5", "4", "6"))]
    assert open_rows(table(("1", several[0]), ("4", several[1]), ("7", "7"))) == several
    golds = [mark.join(ids) for ids in (("1", "9"), ("4", "5"))]
    assert open_rows(table((golds[0], "2|1|3"), (golds[1], "4|5|6"), ("7", "7|8"))) == golds


def test_ids_that_hold_a_mark_are_ids():
    data = read(table(("a:1", "a:1"), ("b:2", "a:1"), ("b", "b:2"), ("a", "a:1")))
    assert lists(data, "ranked_ids") == {"p1": ["a:1"], "p2": ["a:1"], "p3": ["b:2"], "p4": ["a:1"]}
    assert read(table(("s1", "d-s1"), ("s2", "s2"))).rankings is not None


def test_gold_is_taken_apart_by_its_list():
    data = read(table(("s1, s3", '["s2", "s1", "s3"]'), ("s4", '["s4"]')))
    assert gold(data) == {"p1": {"s1": 1, "s3": 1}, "p2": {"s4": 1}}
    data = read(table(("s1 s3", "s2 s1 s3"), ("s4", "s5 s4")))
    assert gold(data) == {"p1": {"s1": 1, "s3": 1}, "p2": {"s4": 1}}
    assert lists(data, "ranked_ids") == {"p1": ["s2", "s1", "s3"], "p2": ["s5", "s4"]}
    assert gold(read(table(("s1 s9", "s2|s1"), ("s4", "s4"))))["p1"] == {"s1": 1, "s9": 1}
    assert lists(read(table(("a,1", "a,1 b,2"))), "ranked_ids") == {"p1": ["a,1", "b,2"]}


@pytest.mark.parametrize(
    "rows",
    [
        [("New York", "New York|Boston"), ("Boston", "New York")],
        [("New York", '["Boston", "New York"]'), ("York", '["New York"]')],
        [("New York", "New York"), ("Boston", "York, PA")],
        [("a,1", "b|a,1"), ("b", "a,1")],
        [("machine learning", "learning|deep learning"), ("learning", "learning")],
        [("10.1/ab", "10.1/ab"), ("10.1/cd", "10.1/ef")],
    ],
)
def test_ids_may_hold_blanks_and_commas(rows):
    data = read(table(*rows))
    assert [list(one) for one in gold(data).values()] == [[g] for g, _ in rows]
    assert "RNK-030" not in " ".join(warned(data))


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ([("s1", "s2, s3"), ("s4", "s4")], ["s2, s3"]),
        ([("s1", "s2/s1/s3"), ("s4", "s4")], ["s2/s1/s3"]),
        ([("s1", "s2|s1"), ("s4", "s5, s4")], ["s5, s4"]),
        ([("s1", "{s2,s1,s3}"), ("s4", "{s4,s5,s6}")], ["{s2,s1,s3}", "{s4,s5,s6}"]),
        ([("s1", "'s2', 's1'"), ("s4", "'s4'")], ["'s2', 's1'"]),
        ([("s1", "array(['s2', 's1'])")], ["array(['s2', 's1'])"]),
        ([("s1 s2", "s2 s1"), ("s4 s5", "s5 s4")], ["s2 s1", "s5 s4"]),
        ([("New York", "New Jersey"), ("Boston", "Boston")], ["New Jersey"]),
        ([("New York", "New York"), ("York", "York City"), ("a", "a")], ["York City"]),
        ([("s1", "s2, s1, , s3")], ["s2, s1, , s3"]),
        ([("s1", "s2, s1; s3")], ["s2, s1; s3"]),
    ],
)
def test_cell_that_may_be_one_id_or_several_is_refused(rows, cells):
    assert open_rows(table(*rows)) == cells


def test_refused_cell_is_named_with_its_row_and_the_way_out():
    assert refused(table(("s1", "s2, s3"), ("s4", "s4"))) == [
        f"{NAME}, row 1, column ranked_ids: found text that may be one id or several: s2, s3, {ADVICE}"
    ]
    data = read(table(("s1", '["s2, s3"]'), ("s4", "s4")))
    assert lists(data, "ranked_ids")["p1"] == ["s2, s3"]


def test_lists_and_gold_that_share_no_id_are_refused():
    assert refused(table(("s1", "1|2"), ("s2", "2|3"), ("", "4"))) == [
        f"{NAME}: found no gold in any list of ranked_ids (queries with both: 2): the gold is “s1”, “s2”, "
        "the lists hold “1”, “2”, “3”, expected gold ids as the lists write them. Compare how both write "
        "their ids: no id of the gold stands in any list of any query. [RNK-031]"
    ]
    qrels, run = (
        upload("q1 0 d1 1\nq2 0 d2 1\n", "x.qrels"),
        upload("q1 Q0 1 1 2 r\nq2 Q0 2 1 2 r\n", "x.run"),
    )
    assert [line[-9:] for line in refused(qrels, run)] == ["[RNK-031]"]


def test_lists_that_miss_every_gold_are_told_and_read():
    warning = (
        f"{NAME}: found no gold in any list of ranked_ids (queries with both: 1): the gold is “s1”, the "
        "lists hold “s2”. Every value of these lists is 0; make sure that both write their ids in the same "
        "way. [RNK-032]"
    )
    assert warned(read(table(("s1", "s2")))) == [warning]
    assert "RNK-032" in " ".join(warned(read(table(("s1", "s2"), ("s2", "s3")))))
    two = "post_id,gold_ids,retriever_topk,reranked_topk\np1,a,a|b,1|2\np2,b,b|a,2|1\n"
    assert [line.split(" (")[0] for line in warned(read(two))] == [
        f"{NAME}: found no gold in any list of reranked_topk"
    ]


def test_candidates_say_themselves_what_is_gold():
    data = read("query_id,doc_id,score,relevance\nq1,a,,1\nq1,b,2,0\nq2,c,,1\nq2,d,1,0\n")
    assert "RNK-03" not in " ".join(warned(data))


ALIKE = "found ids that look alike: “4.0” (gold of p2) and “4” (ranked_ids of p2)."


def parquet(**columns: object) -> bytes:
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "content",
    [
        table(("[1]", "[2, 1, 3]"), ("[4.0]", "[4, 5, 6]")),
        table(("1", "2|1|3"), ("4.0", "4|5|6")),
        parquet(post_id=["p1", "p2"], gold_ids=[["1"], ["4.0"]], ranked_ids=[["2", "1"], ["4", "5"]]),
        '{"post_id": "p1", "gold_ids": [1], "ranked_ids": [2, 1]}\n'
        '{"post_id": "p2", "gold_ids": [4.0], "ranked_ids": [4, 5]}\n',
    ],
)
def test_4_and_4_0_in_lists_are_named_as_lookalikes(content):
    data = read(content)
    assert next(line for line in warned(data) if "QRY-007" in line).split(": ", 1)[1].startswith(ALIKE)


def test_4_and_4_0_of_one_list_and_of_two_files_are_named():
    assert "“4” (ranked_ids of p1) and “4.0” (ranked_ids of p2)" in " ".join(
        warned(read(table(("1", "1|4"), ("2", "2|4.0"))))
    )
    pair = [upload("q 0 4.0 1\nq 0 5 1\n", "x.qrels"), upload("q Q0 4 1 2 r\nq Q0 5 2 1 r\n", "x.run")]
    assert "“4.0” (gold of q) and “4” (r of q)" in " ".join(warned(load(pair)))


def test_numbers_stored_as_floating_point_are_whole_ids_and_told():
    content = parquet(post_id=["p1", "p2"], gold_ids=[[1.0], [4.0]], ranked_ids=[[2, 1, 3], [4, 5, 6]])
    data = read(content)
    assert value(data, "mrr") == 3 / 4
    assert [line[-9:] for line in warned(data)] == ["[QRY-021]"]
    content = parquet(post_id=["p1"], gold_ids=[[1.5]], ranked_ids=[["1.5"]])
    assert [line[-9:] for line in refused(content)] == ["[QRY-022]"]


def test_ids_in_json_lists_stay_as_they_are_written():
    big = 9007199254740993
    rows = [
        {"post_id": "p1", "gold_ids": [big], "ranked_ids": [big - 1, 1.5, big]},
        {"post_id": "p2", "gold_ids": ["2024-01-02"], "ranked_ids": ["2024-01-02", "x"]},
    ]
    for row, wanted in zip(rows, ([str(big - 1), "1.5", str(big)], ["2024-01-02", "x"]), strict=True):
        data = read(json.dumps(row))
        assert list(lists(data, "ranked_ids").values()) == [wanted]
        assert value(data, "recall", k="3") == 1


def test_no_problem_is_named_where_every_gold_is_found():
    assert warned(read(table(("s1", "s2|s1"), ("s3", "s3")))) == []
    with pytest.raises(InputError):
        read(table(("s1", "s2, s3")))


plain_ids = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4, unique=True)


@given(
    ranked=st.lists(plain_ids, min_size=1, max_size=5),
    picks=st.lists(st.lists(st.integers(0, 7), max_size=2, unique=True), min_size=5, max_size=5),
    mark=st.sampled_from([", ", ",", ";", "; ", " ", "  ", "\t", "/", " | "]),
    gold_mark=st.sampled_from([", ", ",", ";", " ", "|"]),
)
def test_lists_between_any_mark_are_read_as_meant_or_refused(ranked, picks, mark, gold_mark):
    """Gold that is in no list is written in one id a cell or several; ids hold no mark."""
    golds = [["abcdefgh"[i] for i in one] for one in picks[: len(ranked)]]
    rows = [(gold_mark.join(g), mark.join(r)) for g, r in zip(golds, ranked, strict=True)]
    found = inspect(upload(table(*rows)))
    if found.data is None:
        assert {p.code for p in found.problems if p.severity == "error"} <= {"RNK-003", "RNK-031"}
        return
    names = [f"p{i}" for i in range(1, len(ranked) + 1)]
    wanted = dict(zip(names, golds, strict=True))
    assert {name: sorted(gold(found.data).get(name, {})) for name in names} == {
        name: sorted(ids) for name, ids in wanted.items()
    }
    if mark != "/" or all(len(one) == 1 for one in ranked):
        assert lists(found.data, "ranked_ids") == dict(zip(names, ranked, strict=True))
