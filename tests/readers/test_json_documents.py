"""JSON that is one document: arrays of records and tables of data frames, read as JSON Lines are."""

import json

import pandas as pd
import pytest

from evalcore.isolated import pool
from evalcore.readers.formats.json.documents import records_in
from evalcore.readers.formats.json.score_objects import Scores
from tests.support.layouts import Given
from tests.support.reading import read, refused, upload, warned

FRAME = pd.DataFrame({"id": ["r1", "r2", "r3", "r4"], "label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
RECORDS = FRAME.to_dict("records")
ARRAY = json.dumps(RECORDS)
SPLIT = (
    '{"columns": ["record", "y_true", "y_prob"], "data": [["r1", 0, 0.1], ["r2", 0, 0.4], ["r3", 1, 0.35], '
    '["r4", 1, 0.8], ["r5", 0, 0.2], ["r6", 1, 0.65]]}'
)
LAYOUTS = {
    "an array of records": ARRAY,
    "an array over several lines": json.dumps(RECORDS, indent=2),
    "split": FRAME.to_json(orient="split"),
    "table": FRAME.to_json(orient="table"),
    "an object a column": FRAME.to_json(orient="columns"),
    "an object a row": FRAME.to_json(orient="index"),
    "an array a column": json.dumps(FRAME.to_dict("list")),
    "several lines": json.dumps({"columns": list(FRAME), "data": FRAME.values.tolist()}, indent=1),
    "within dataframe_split": json.dumps({"dataframe_split": json.loads(FRAME.to_json(orient="split"))}),
    **{name: json.dumps({name: RECORDS}) for name in ("data", "rows", "results", "records", "predictions")},
}


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_document_is_read_as_its_records(given, layout):
    assert given.auroc("predictions.json", LAYOUTS[layout]) == 0.75


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_of_a_document_are_those_of_its_records(layout):
    data = read(LAYOUTS[layout], max_rows=4)
    assert [(source.n_rows, source.n_used) for source in data.sources] == [(4, 4)]


def test_columns_and_data_as_experiment_trackers_write_them(given):
    assert given.auroc("eval_results_table.json", SPLIT) == pytest.approx(8 / 9)


def test_the_layout_is_told(given):
    formats = {name: given.inspected("x.json", text).tables[0].format for name, text in LAYOUTS.items()}
    assert formats["an array of records"] == "JSON array"
    assert formats["split"] == "JSON, columns and data"
    assert formats["an object a column"] == "JSON, an object a column"
    assert formats["an object a row"] == "JSON, an object a row"
    assert formats["results"] == "JSON, records in results"


def test_ids_of_an_array_stay_as_they_are_written():
    text = '[{"id": 9007199254740993, "label": 1, "score": 1}, {"id": 1.10, "label": 0, "score": 5e-1}]'
    data = read(text)
    assert list(data.queries.post_ids) == ["9007199254740993", "1.10"]


def test_brackets_and_commas_inside_text_part_nothing():
    text = '[{"id": "a],[{\\"", "label": 1, "score": 0.9},\n {"id": "b\\\\", "label": 0, "score": 0.1}]'
    assert list(read(text).queries.post_ids) == ['a],[{"', "b\\"]


def test_names_of_rows_are_kept_where_they_do_not_count():
    frame = FRAME.drop(columns="id").set_index(FRAME["id"])
    for orient in ("split", "columns", "index"):
        data = read(frame.to_json(orient=orient), columns={"post_id": "index"})
        assert list(data.queries.post_ids) == ["r1", "r2", "r3", "r4"]


def test_what_stands_beside_the_rows_is_told():
    data = read(json.dumps({"model": "m", "seed": 7, "records": RECORDS}))
    assert warned(data)[0] == (
        "predictions.csv: found the rows under 'records', and beside them model, seed. What stands beside "
        "the rows was left out. [FILE-102]"
    )


def test_two_lists_of_rows_are_asked_apart(given):
    assert given.refused("x.json", json.dumps({"data": RECORDS, "results": RECORDS})) == [
        "x.json: found several lists of rows: data, results, expected one table a file. Write each into a "
        "file of its own. [FILE-103]"
    ]


def test_an_array_without_names_is_named(given):
    assert given.refused("x.json", "[[0, 0.1], [1, 0.8]]") == [
        "x.json: found a JSON array of lists, without names, expected an object for each row, or the names "
        'of the columns beside the rows. In pandas: df.to_json(PATH, orient="records"). [FILE-101]'
    ]
    assert "a JSON array of single values" in given.refused("x.json", "[0.1, 0.8]")[0]
    assert "[FILE-008]" in given.refused("x.json", "[ ]")[0]


def test_rows_that_do_not_fit_are_named_with_their_number(given):
    assert given.refused("x.json", '[{"label": 1, "score": 0.2}, 5, {"label": 1, "label": 0}]') == [
        "x.json, row 2: found a single JSON value, not an object, expected an object of names and values, "
        "or a value for each column. Correct the row. [FILE-100]",
        "x.json, row 3: found the name 'label' twice, expected an object of names and values, or a value "
        "for each column. Correct the row. [FILE-100]",
    ]
    assert given.refused("x.json", '{"columns": ["label", "score"], "data": [[1, 0.5], [0]]}') == [
        "x.json, row 2: found 1 values for 2 columns, expected an object of names and values, or a value "
        "for each column. Correct the row. [FILE-100]"
    ]
    assert "[FILE-009]" in given.refused("x.json", '{"columns": ["p", "p"], "data": [[1, 0.5]]}')[0]


@pytest.mark.parametrize("cut", [-1, -2, len(ARRAY) // 2])
def test_an_array_that_is_cut_off_is_refused(given, cut):
    (said,) = given.refused("x.json", ARRAY[:cut])
    assert said.startswith("x.json: found data that cannot be read as JSON: ")


def test_a_record_with_lists_is_no_document():
    one = '{"post_id": "p1", "criterion_id": "A.1", "gold_ids": ["s1"], "ranked_ids": ["s2", "s1"]}'
    assert records_in(one.encode(), "x", None).text == one.encode()
    assert read(one).rankings.n_queries == 1


def test_a_mapping_of_queries_to_documents_is_no_table_of_columns():
    nested = b'{"q1": {"0": 1, "1": 0}, "q2": {"0": 0, "1": 1}}'
    assert isinstance(records_in(nested, "x", None), Scores)


def test_limits_hold_for_documents(monkeypatch):
    deep = '[{"label": ' + "[" * 20_000 + "]" * 20_000 + "}]"
    assert [line[-10:] for line in refused(deep)] == ["[FILE-074]"]
    wide = json.dumps([{f"c{i}": 1 for i in range(20_000)}])
    assert "[FILE-073]" in refused(wide)[0]
    names = json.dumps({"columns": ["y_true", "p" * 100_000], "data": [[0, 0.5]] * 2000})
    assert "[FILE-017]" in refused(names)[0]
    monkeypatch.setenv("EVALCORE_MAX_UNPACKED_MB", "1")
    assert "[FILE-017]" in refused("[" + ",".join(['{"label":0,"score":0}'] * 5000) + "]")[0]


def test_more_rows_than_are_read_are_refused():
    assert "[FILE-012]" in refused(upload(ARRAY), max_rows=3)[0]


def test_a_large_array_is_read_in_a_process_of_its_own(monkeypatch):
    asked, ask = [], pool.ask
    monkeypatch.setattr(pool, "ask", lambda task, *a, **k: asked.append(task) or ask(task, *a, **k))
    n = 150_000
    halves = {"label": [0, 1] * (n // 2), "score": [0.2, 0.7] * (n // 2)}
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(n)], **halves})
    assert len(read(frame.to_json(orient="records")).queries) == n
    assert asked == ["json"]


def test_a_first_line_in_brackets_is_no_array():
    data = read("[post_id],label,score\na,1,0.9\nb,0,0.1\n", columns={"post_id": "[post_id]"})
    assert len(data.queries) == 2


def test_one_object_over_several_lines_is_a_record():
    text = '{\n "id": "a",\n "label": 1,\n "score": 0.5\n}\n'
    assert read(text).queries.post_ids.tolist() == ["a"]


def test_several_objects_over_several_lines_are_named(given):
    text = '{\n "id": "a",\n "label": 1,\n "score": 0.5\n}\n'
    assert given.refused("x.json", text + text.replace('"a"', '"b"')) == [
        "x.json: found several JSON objects, each over several lines, expected an object for each row, or "
        "the names of the columns beside the rows. Write one object per line, or an array of them. [FILE-101]"
    ]


RECORD = '{"id": "a", "label": 1, "score": 0.5}'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"[null, {RECORD}]", "row 1"),
        (f"[{RECORD}, null]", "row 2"),
        (f"{RECORD}\nnull\n", "line 2"),
        (f"{RECORD}\n  null\n{RECORD}", "line 2"),
    ],
)
def test_a_null_in_the_place_of_a_record_is_named_and_kills_nothing(text, place):
    """The native reader takes it for a row of nothing, and dies where it comes first."""
    (said,) = refused(text)
    assert said.startswith(f"predictions.csv, {place}: found a single JSON value, not an object")


def test_records_one_level_deeper_are_read_where_they_are_the_only_ones(given):
    text = json.dumps({"Results": {"WebServiceOutput0": RECORDS}})
    assert given.auroc("x.json", text) == 0.75
    (said,) = given.refused("x.json", json.dumps({"results": {"m1": RECORDS, "m2": RECORDS}}))
    assert "m1, m2" in said
    assert "[FILE-103]" in said
