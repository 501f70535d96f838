"""Every type that Arrow, Parquet and JSON Lines can hold is read, or refused by name."""

import datetime as dt
import decimal
import json
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from evalcore import inspect, load
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.readers.formats.storage import held, plain, values
from evalcore.schema import TABLES
from tests.readers.evidence.test_readers_rankings import lists
from tests.support.reading import read, refused, warned

UUID = uuid.UUID(int=7)
VALUES = {
    "string": (["a", None], pa.string(), ["a", ""]),
    "large string": (["a", None], pa.large_string(), ["a", ""]),
    "string view": (["a", None], pa.string_view(), ["a", ""]),
    "dictionary": (["a", "b"], pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
    "dictionary of large text": (["a", "b"], pa.dictionary(pa.int8(), pa.large_string()), ["a", "b"]),
    "dictionary of numbers": ([7, 7], pa.dictionary(pa.int8(), pa.int64()), ["7", "7"]),
    "bytes": ([b"a", b"\xc3\xa9"], pa.binary(), ["a", "é"]),
    "large bytes": ([b"a", b"b"], pa.large_binary(), ["a", "b"]),
    "bytes of one size": ([b"ab", b"cd"], pa.binary(2), ["ab", "cd"]),
    "unsigned": ([2**64 - 1, 1], pa.uint64(), [str(2**64 - 1), "1"]),
    "decimal": ([decimal.Decimal("4.00"), None], pa.decimal128(5, 2), ["4.00", ""]),
    "small decimal": ([decimal.Decimal("4.00"), None], pa.decimal32(5, 2), ["4.00", ""]),
    "large decimal": ([decimal.Decimal("4.00"), None], pa.decimal256(50, 2), ["4.00", ""]),
    "int128": ([decimal.Decimal(2**100), None], pa.decimal128(38, 0), [str(2**100), ""]),
    "half": ([2.0, None], pa.float16(), ["2", ""]),
    "date": ([dt.date(2024, 1, 2), None], pa.date32(), ["2024-01-02", ""]),
    "long date": ([dt.date(2024, 1, 2), None], pa.date64(), ["2024-01-02", ""]),
    "time": ([dt.time(1, 2), dt.time(1, 2, 3, 5)], pa.time64("us"), ["01:02:00", "01:02:03.000005"]),
    "timestamp": ([dt.datetime(2024, 1, 2, 3), None], pa.timestamp("ns"), ["2024-01-02 03:00:00", ""]),
    "far timestamp": ([2**60, None], pa.timestamp("s"), [f"<value out of range: {2**60}>", ""]),
    "zoned timestamp": ([0, None], pa.timestamp("ms", "UTC"), ["1970-01-01 00:00:00Z", ""]),
    "truth": ([True, False], pa.bool_(), ["true", "false"]),
    "nothing": ([None, None], pa.null(), ["", ""]),
    "UUID": ([UUID.bytes, None], pa.uuid(), [str(UUID), ""]),
}


def as_text(column: pa.ChunkedArray) -> list[str]:
    return ["" if cell is None else str(cell) for cell in plain(column).cast(pa.string()).to_pylist()]


@pytest.mark.parametrize("name", VALUES)
def test_single_values_of_any_type_are_text(name):
    cells, kind, wanted = VALUES[name]
    column = pa.chunked_array([pa.array(cells, kind)])
    assert held(pa.field("x", kind)) is None
    assert as_text(column) == wanted
    assert len(values(column)) == 2


def test_runs_are_read():
    column = pa.chunked_array([pc.run_end_encode(pa.array(["a", "a", "b"]))])
    assert as_text(column) == ["a", "a", "b"]


def test_zone_that_is_unknown_here_is_told_in_utc():
    column = pa.chunked_array([pa.array([0], pa.timestamp("s")).cast(pa.timestamp("s", "Nowhere/At_all"))])
    assert as_text(column) == ["1970-01-01 00:00:00"]


HELD = {
    "objects with the fields id, score": pa.struct({"id": pa.string(), "score": pa.float64()}),
    "objects with the field id": pa.struct({"id": pa.string()}),
    "empty objects": pa.struct([]),
    "objects with the fields a, b, c, d, e, …": pa.struct({name: pa.int8() for name in "abcdefg"}),
    "maps": pa.map_(pa.string(), pa.float64()),
    "lists of lists": pa.list_(pa.list_(pa.string())),
    "lists of objects with the field id": pa.large_list(pa.struct({"id": pa.string()})),
    "lists of true and false": pa.list_view(pa.bool_()),
    "lists of maps": pa.list_(pa.map_(pa.string(), pa.float64()), 2),
    "values of several types": pa.dense_union([pa.field("a", pa.int8()), pa.field("b", pa.string())]),
    "durations": pa.duration("ns"),
    "lists of durations": pa.list_(pa.month_day_nano_interval()),
}


@pytest.mark.parametrize("words", HELD)
def test_what_is_neither_a_value_nor_a_list_of_values_is_said_in_words(words):
    assert held(pa.field("x", HELD[words])) == words


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def feather(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pa.feather.write_feather(table, sink)
    return sink.getvalue().to_pybytes()


ALONE = (
    "expected a list: a|b|c, a JSON array or a Python list. Keep the ids alone, best first; ids with scores "
    "belong into a candidates file, a row for each. [RNK-003]"
)
SCORED = [[{"id": "s2", "score": 0.9}, {"id": "s1", "score": 0.8}], [{"id": "s4", "score": 0.9}]]
MAPS = pa.array([[("s2", 0.9)], [("s4", 0.9)]], pa.map_(pa.string(), pa.float64()))
IDS = {"post_id": ["p1", "p2"], "gold_ids": [["s1"], ["s4"]]}


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (SCORED, "lists of objects with the fields id, score"),
        (MAPS, "maps"),
        ([[["s1"]], [["s4"]]], "lists of lists"),
    ],
)
def test_ids_kept_with_their_scores_are_refused_by_name(column, words):
    content = parquet(pa.table({**IDS, "ranked_ids": column}))
    assert refused(content) == [f"predictions.csv, column ranked_ids: found {words}, {ALONE}"]


@pytest.mark.parametrize("blank", ["", "\n"])
def test_objects_of_json_lines_are_refused_by_name(blank):
    """A blank line between the records has them read line by line."""
    rows = [{"post_id": f"p{i}", "gold_ids": ["s1"], "ranked_ids": found} for i, found in enumerate(SCORED)]
    text = f"\n{blank}".join(map(json.dumps, rows))
    assert refused(text) == [
        f"predictions.csv, column ranked_ids: found lists of objects with the fields id, score, {ALONE}"
    ]
    rows = [{"post_id": "p1", "y": 1, "p": 0.5}, {"post_id": {"id": "p2"}, "y": 0, "p": 0.1}]
    assert refused("\n".join(map(json.dumps, rows))) == [
        "predictions.csv, column post_id: found objects with the field id (the first in row 2), expected one "
        "value in each cell: the post's id. Write what is inside as columns of their own, and give the one "
        "that is meant. [COL-020]"
    ]


def test_objects_in_other_columns_are_left_out_and_not_shown():
    secret = [{"body": "I told nobody"}, {"body": "else"}]
    content = parquet(pa.table({"id": ["a", "b"], "y": [1, 0], "p": [0.9, 0.1], "more": secret}))
    found = inspect(Upload("x", content))
    assert found.data is not None
    assert dict(found.tables[0].unused) == {"more": "objects with the field body"}
    assert "nobody" not in repr(found.tables[0])


def test_bytes_that_are_no_text_are_named():
    bad = pa.array([b"a", b"\xff"], pa.binary())
    good = {"y": [1, 0], "p": [0.9, 0.1]}
    line = (
        "predictions.csv, column post_id: found bytes that are not UTF-8 text, expected text in UTF-8. Store "
        "the column as text, or leave it out. [COL-021]"
    )
    broken = pa.Array.from_buffers(pa.string(), 2, bad.buffers())
    for column in (bad, broken):
        for write in (parquet, feather):
            assert refused(write(pa.table({"post_id": column, **good}))) == [line]


def test_coded_query_ids_are_taken_apart_like_plain_ones():
    ids = pa.array(["s1::A.1", "s1::A.2"]).dictionary_encode()
    data = read(parquet(pa.table({"query_id": ids, "y": [1, 0], "p": [0.9, 0.1]})))
    assert data.queries.criterion_ids.tolist() == ["A.1", "A.2"]


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_list(pa.string()),
        pa.list_(pa.string(), 2),
        pa.list_(pa.large_string()),
        pa.list_(pa.string_view()),
        pa.list_(pa.binary()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
        pa.list_view(pa.string()),
        pa.large_list_view(pa.string()),
    ],
)
def test_lists_of_any_storage_are_read(kind):
    cells = [["s2", "s1"], None, ["s4", "s5"]]
    column = (
        pa.array([None if one is None else [v.encode() for v in one] for one in cells], kind)
        if pa.types.is_binary(kind.value_type)
        else pa.array(cells, kind)
    )
    table = pa.table({"post_id": ["a", "b", "c"], "gold_ids": [["s1"], ["x"], ["s4"]], "ranked_ids": column})
    data = read(feather(table))
    assert lists(data, "ranked_ids") == {"a": ["s2", "s1"], "b": [], "c": ["s4", "s5"]}


def test_lists_of_numbers_and_dates_are_ids():
    table = {"post_id": ["a"], "gold_ids": [[dt.date(2024, 1, 2)]], "ranked_ids": [["2024-01-02"]]}
    assert lists(read(parquet(pa.table(table))), "ranked_ids") == {"a": ["2024-01-02"]}
    table = {"post_id": ["a"], "gold_ids": [4], "ranked_ids": [[decimal.Decimal("4")]]}
    assert warned(read(parquet(pa.table(table)))) == []


ROLES = [
    (kind.name, column.role, column.names or (column.role,))
    for kind in TABLES.values()
    for column in kind.columns
    if kind.name in ("queries", "ranked_lists", "candidates", "annotations")
]
BASES = {
    "queries": {"post_id": ["a", "b"], "has_evidence": [1, 0], "probability": [0.9, 0.1]},
    "ranked_lists": {"post_id": ["a", "b"], "gold_ids": [["x"], ["y"]], "ranked_ids": [["x"], ["y"]]},
    "candidates": {"post_id": ["a", "b"], "sent_uid": ["x", "y"], "is_gold": [1, 0], "score": [0.9, 0.1]},
    "annotations": {"record_uuid": ["a", "b"], "chunk_id": ["x", "y"], "topically_relevant": [True, False]},
}
leaves = st.sampled_from(
    [
        pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(),
        pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(),
        pa.binary(3), pa.decimal32(5, 2), pa.decimal64(9, 1), pa.decimal128(38, 0), pa.decimal256(50, 2),
        pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("ns"),
        pa.timestamp("s", "Europe/Berlin"), pa.timestamp("us", "+02:00"), pa.duration("ms"),
        pa.month_day_nano_interval(), pa.uuid(), pa.bool8(), pa.json_(pa.string()),
    ]
)  # fmt: skip
kinds = st.recursive(
    leaves,
    lambda inside: st.one_of(
        inside.map(pa.list_),
        inside.map(pa.large_list),
        inside.map(lambda kind: pa.list_(kind, 2)),
        inside.map(pa.list_view),
        inside.map(pa.large_list_view),
        inside.map(lambda kind: pa.struct({"id": kind, "score": pa.float64()})),
        inside.map(lambda kind: pa.map_(pa.string(), kind)),
        inside.map(lambda kind: pa.dense_union([pa.field("a", kind), pa.field("b", pa.string())])),
    ),
    max_leaves=3,
)


def two_cells(kind: pa.DataType, with_null: bool, raw: bytes) -> pa.Array:
    """Two cells of a type, made of bytes where it has room for them."""
    return pa.nulls(2, kind) if with_null else _filled(kind, raw)


def _filled(kind: pa.DataType, raw: bytes) -> pa.Array:
    types = pa.types
    if types.is_null(kind):
        return pa.nulls(2)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _filled(kind.storage_type, raw))
    if types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return pa.StructArray.from_arrays([_filled(f.type, raw) for f in fields], fields=fields)
    if types.is_map(kind):
        items = _filled(kind.item_type, raw)
        return pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["k", "l"]), items)
    if types.is_union(kind):
        children = [_filled(kind.field(i).type, raw) for i in range(kind.num_fields)]
        codes, offsets = pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32())
        return pa.UnionArray.from_dense(codes, offsets, children, ["a", "b"])
    if types.is_fixed_size_list(kind):
        inside = pa.concat_arrays([_filled(kind.value_type, raw)] * 2)
        return pa.FixedSizeListArray.from_arrays(inside, type=kind)
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        make = pa.ListViewArray if types.is_list_view(kind) else pa.LargeListViewArray
        at = pa.int32() if types.is_list_view(kind) else pa.int64()
        return make.from_arrays(pa.array([1, 0], at), pa.array([1, 1], at), _filled(kind.value_type, raw))
    if types.is_list(kind) or types.is_large_list(kind):
        make, at = (pa.ListArray, pa.int32()) if types.is_list(kind) else (pa.LargeListArray, pa.int64())
        return make.from_arrays(pa.array([0, 1, 2], at), _filled(kind.value_type, raw))
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return pa.array([raw[:6], raw[6:12]], pa.binary()).cast(pa.binary_view()).view(kind)
    if types.is_fixed_size_binary(kind):
        return pa.array([raw[: kind.byte_width], raw[: kind.byte_width]], kind)
    if types.is_string(kind) or types.is_binary(kind):
        offsets = np.asarray([0, 6, 12], np.int32).tobytes()
        return pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(offsets), pa.py_buffer(raw)])
    if types.is_large_string(kind) or types.is_large_binary(kind):
        offsets = np.asarray([0, 6, 12], np.int64).tobytes()
        return pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(offsets), pa.py_buffer(raw)])
    return pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(raw * 2)])


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    place=st.sampled_from([*ROLES, *((name, "other", ("other",)) for name in BASES)]),
    kind=kinds,
    with_null=st.booleans(),
    raw=st.binary(min_size=64, max_size=64) | st.text("ab1", min_size=64, max_size=64).map(str.encode),
    write=st.sampled_from([parquet, feather]),
)
def test_column_of_any_type_in_any_role_ends_in_data_or_a_message(place, kind, with_null, raw, write):
    table, role, names = place
    columns = {name: pa.array(cells) for name, cells in BASES[table].items()}
    columns[names[0]] = two_cells(kind, with_null, raw)
    try:
        content = write(pa.table(columns))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # a type that this format cannot hold
        reject()
    _ends_in_data_or_a_message(content, {role: names[0]} if role != "other" else None)


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(10**308, 10**400),
        st.floats(),
        st.text(max_size=5),
    ),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    place=st.sampled_from([*ROLES, *((name, "other", ("other",)) for name in BASES)]),
    cells=st.tuples(json_values, json_values),
    blank=st.sampled_from(["", "\n"]),
)
def test_json_value_of_any_kind_in_any_role_ends_in_data_or_a_message(place, cells, blank):
    table, role, names = place
    rows = [
        {**{name: column[i] for name, column in BASES[table].items()}, names[0]: cells[i]} for i in (0, 1)
    ]
    text = f"\n{blank}".join(map(json.dumps, rows))
    _ends_in_data_or_a_message(text.encode(), {role: names[0]} if role != "other" else None)


def _ends_in_data_or_a_message(content: bytes, columns: dict[str, str] | None) -> None:
    for how in ({}, {"columns": columns}) if columns else ({},):
        found = inspect(Upload("x", content), **how)
        if found.data is None:
            with pytest.raises(InputError) as caught:
                load(Upload("x", content), **how)
            assert str(caught.value).strip()
            assert "FILE-022" not in str(caught.value)
        else:
            load(Upload("x", content), **how)
            for source in found.data.sources:
                assert source.n_rows == source.n_used + sum(source.excluded.values())
