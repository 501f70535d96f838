"""One table in every layout: predictions and annotations are read from it alike, with the same values."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalcore
from evalcore.__main__ import main
from evalcore.readers import Upload
from evalcore.readers.inputs import RawFile
from evalcore.readers.rag import is_rag
from evalcore.readers.sniffing import names_in

QUERIES = pd.DataFrame(
    {"id": ["r1", "r2", "r3", "r4"], "label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]}
)
ANNOTATIONS = pd.DataFrame(
    {
        "record_uuid": ["q1", "q1", "q1", "q2", "q3"],
        "annotator_id": ["ana", "ben", "cem", "ana", "ana"],
        "helpful": [1, 0, 1, 0, 1],
    }
)
SCORES = pd.DataFrame(
    {
        "user_input": ["one", "two", "three"],
        "response": ["a", "b", "c"],
        "faithfulness": [0.5, 1.0, 0.75],
        "context_precision": [1.0, 0.25, 0.5],
    }
)
TABLES = {"predictions": QUERIES, "annotations": ANNOTATIONS, "scores of a tool": SCORES}
VALUES = {
    "predictions": ("auroc", 0.75),
    "annotations": ("helpfulness_rate", 2 / 3),
    "scores of a tool": ("faithfulness", 0.75),
}


def text(frame: pd.DataFrame, mark: str = ",", **options) -> bytes:
    return frame.to_csv(index=False, sep=mark, **options).encode()


def stream(frame: pd.DataFrame) -> bytes:
    sink = io.BytesIO()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def feather(frame: pd.DataFrame) -> bytes:
    sink = io.BytesIO()
    pa.feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), sink)
    return sink.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    return frame.to_parquet(index=False)


def json_of(orient: str, **options):
    return lambda frame: frame.to_json(orient=orient, double_precision=15, **options).encode()


def by_r(frame: pd.DataFrame) -> bytes:
    """As write.table of R writes it: blanks, texts in quotes, names of the rows without a header."""
    lines = [" ".join(f'"{name}"' for name in frame.columns)]
    for number, row in enumerate(frame.itertuples(index=False), 1):
        cells = [f'"{cell}"' if isinstance(cell, str) else f"{cell}" for cell in row]
        lines.append(" ".join([f'"{number}"', *cells]))
    return ("\n".join(lines) + "\n").encode()


LAYOUTS = {
    "comma": text,
    "semicolon": lambda frame: text(frame, ";"),
    "tab": lambda frame: text(frame, "\t"),
    "decimal comma": lambda frame: text(frame, ";", decimal=","),
    "all quoted": lambda frame: text(frame, quoting=csv.QUOTE_ALL),
    "byte order mark": lambda frame: b"\xef\xbb\xbf" + text(frame),
    "UTF-16": lambda frame: text(frame).decode().encode("utf-16"),
    "Excel's hint": lambda frame: b"sep=;\n" + text(frame, ";"),
    "carriage returns": lambda frame: text(frame, lineterminator="\r\n"),
    "R": by_r,
    "JSON Lines": json_of("records", lines=True),
    "JSON array": json_of("records"),
    "JSON array over lines": json_of("records", indent=2),
    "columns and data": json_of("split", index=False),
    "schema and data": json_of("table", index=False),
    "records within data": lambda frame: b'{"data": ' + json_of("records")(frame) + b"}",
    "records within results": lambda frame: b'{"results": ' + json_of("records")(frame) + b"}",
    "Parquet": parquet,
    "Feather": feather,
    "Arrow stream": stream,
    "gzip": lambda frame: gzip.compress(text(frame), mtime=0),
    "gzip of a JSON array": lambda frame: gzip.compress(json_of("records", indent=1)(frame), mtime=0),
    "gzip of columns and data": lambda frame: gzip.compress(json_of("split", index=False)(frame), mtime=0),
    "zstd": lambda frame: pa.compress(text(frame), codec="zstd", asbytes=True),
    "zstd of JSON Lines": lambda frame: pa.compress(
        json_of("records", lines=True)(frame), codec="zstd", asbytes=True
    ),
}


REMARKED = ("R",)
"""Layouts that are told, because they may be taken for something else."""


def value_of(data: evalcore.Data, metric: str) -> float:
    report = evalcore.evaluate(data)
    if metric == "faithfulness":
        return float(report.rag.scores.set_index("score").loc[metric, "mean"])
    return report.value("classification.auroc" if metric == "auroc" else f"rag.{metric}")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", TABLES)
def test_every_layout_is_read_by_both_families_with_the_same_value(kind, layout):
    content = LAYOUTS[layout](TABLES[kind])
    data = evalcore.load([Upload("table.txt", content)])
    metric, value = VALUES[kind]
    assert data.task == ("evidence" if kind == "predictions" else "rag")
    assert value_of(data, metric) == pytest.approx(value, abs=1e-12)
    assert data.sources[0].n_used == len(TABLES[kind])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_by_the_command_line(layout, tmp_path, capsys):
    path = tmp_path / "annotations.dat"
    path.write_bytes(LAYOUTS[layout](ANNOTATIONS))
    assert main(["check", str(path)]) == (1 if layout in REMARKED else 0), capsys.readouterr().err
    assert "annotations.dat: 5 rows in, 5 used" in capsys.readouterr().out


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", TABLES)
def test_the_names_are_those_of_the_table(kind, layout):
    file = RawFile("table.txt", LAYOUTS[layout](TABLES[kind]), "")
    names = [name for name in names_in(file, is_rag)[0] if name]
    assert [name for name in names if name in TABLES[kind]] == list(TABLES[kind])


IDS = st.text("abcXYZ019_.é-", min_size=1, max_size=6).filter(lambda one: one.strip(".-_") == one)


@settings(max_examples=10)
@given(st.lists(IDS, min_size=2, max_size=6, unique_by=str.lower), st.data())
def test_ids_and_answers_of_any_table_are_the_same_in_every_layout(ids, data):
    n = len(ids)
    said = data.draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n))
    frame = pd.DataFrame({"record_uuid": [f"r{one}" for one in ids], "annotator_id": "ana", "helpful": said})
    names = ("comma", "tab", "JSON Lines", "JSON array", "columns and data", "Parquet", "Arrow stream", "R")
    found = []
    for layout in names:
        loaded = evalcore.load([Upload("table.txt", LAYOUTS[layout](frame))], task="rag").annotations
        responses = loaded.responses["generation"]
        found.append((loaded.record_ids.tolist(), responses.labels["helpful"].tolist()))
    assert all(one == found[0] for one in found)
    assert found[0][0] == sorted(frame["record_uuid"])


RECORD = {
    "id": "r1",
    "fields": {"query": "q"},
    "metadata": {"record_uuid": "q1"},
    "suggestions": {},
    "responses": {
        "helpful": [{"value": one, "user_id": f"u{i}"} for i, one in enumerate(["yes", "no", "yes"])]
    },
}
OTHER = {
    "id": "r2",
    "fields": {"query": "q"},
    "metadata": {"record_uuid": "q2"},
    "suggestions": {},
    "vectors": {},
    "responses": {"helpful": [{"value": "no", "user_id": "u1"}]},
}
ARGILLA = {
    "by id, over lines": f'{{"r1": {json.dumps(RECORD)},\n"r2": {json.dumps(OTHER)}}}',
    "by id, on one line": json.dumps({"r1": RECORD, "r2": OTHER}),
    "a list a field": json.dumps({name: [RECORD[name], OTHER[name]] for name in RECORD}),
    "an array": json.dumps([RECORD, OTHER]),
    "JSON Lines": json.dumps(RECORD) + "\n" + json.dumps(OTHER) + "\n",
}


@pytest.mark.parametrize("layout", ARGILLA)
def test_records_of_argilla_are_read_however_they_are_arranged(layout, tmp_path, capsys):
    data = evalcore.load([Upload("records.json", ARGILLA[layout].encode())])
    assert evalcore.evaluate(data).value("rag.helpfulness_rate") == 0.5
    path = tmp_path / "records.json"
    path.write_text(ARGILLA[layout])
    assert main(["evaluate", str(path)]) == 0
    assert "helpfulness_rate" in capsys.readouterr().out
