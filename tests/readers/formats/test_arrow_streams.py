"""Arrow streams, as data set libraries keep them: recognised by their content, read like Feather."""

import io

import numpy as np
import pyarrow as pa
import pytest

from tests.support.layouts import Given

TABLE = pa.table({"id": ["r1", "r2", "r3", "r4"], "label": [0, 0, 1, 1], "prob": [0.1, 0.4, 0.35, 0.8]})


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


def stream(table: pa.Table = TABLE, compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("name", ["data-00000-of-00001.arrow", "predictions.csv"])
def test_a_stream_is_read_whatever_its_name(given, name, compression):
    content = stream(compression=compression)
    assert given.auroc(name, content) == 0.75
    (table,) = given.inspected(name, content).tables
    assert (table.format, table.source.n_rows) == ("Arrow stream", 4)


def test_a_stream_that_is_cut_off_is_refused(given):
    content = stream()
    said = given.refused("data.arrow", content[: len(content) // 2 + 4])
    assert [line.rsplit(" ", 1)[1] for line in said] == ["[FILE-007]"]
    assert said[0].startswith("data.arrow: found data that cannot be read as Arrow stream: ")


def test_damaged_streams_are_refused_and_harm_nobody(given):
    """One byte of a stream set to 255, at ten places."""
    whole = stream(compression="lz4")
    for at in np.linspace(8, len(whole) - 1, 10, dtype=int):
        broken = whole[:at] + b"\xff" + whole[at + 1 :]
        found = given.inspected("data.arrow", broken)
        assert found.data is not None or all(str(problem) for problem in found.problems)


def test_bytes_that_only_begin_like_a_stream_are_binary_data(given):
    said = given.refused("data.arrow", b"\xff\xff\xff\xff\x07\x00\x00\x00 no schema\x00\x00\x00")
    assert "[FILE-003]" in said[0]


def test_a_stream_without_rows_is_refused(given):
    assert given.refused("data.arrow", stream(TABLE[:0])) == [
        "data.arrow: found no rows after the header, expected at least one row. Export the file with its "
        "rows. [FILE-008]"
    ]
