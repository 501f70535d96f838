"""A cluster that all tests of a run share, and rows with what they give here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from evalcore import evaluate_files
from tests.chunks.test_any_chunks import candidates, cut
from tests.dask.nodes import Nodes, nodes

HOW: dict[str, Any] = {"by": ("site",), "ks": (1, 5), "chunk_rows": 30}


@pytest.fixture(scope="package")
def cluster() -> Iterator[Nodes]:
    """A scheduler over TCP; `Nodes.start` gives it workers. Other tests count the processes of their own."""
    with nodes() as found:
        yield found


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, with groups of rows that queries cross."""
    return cut(candidates(), tmp_path_factory.mktemp("rows") / "in", 2, 10)


@pytest.fixture(scope="session")
def expected(rows: Path) -> str:
    """The table as it is computed in this process."""
    return str(evaluate_files(rows, **HOW).table.to_csv())


@pytest.fixture
def on_dask(rows: Path) -> Callable[..., str]:
    """The table as the workers of a scheduler give it."""

    def evaluated(address: str, inputs: Any = rows, **how: Any) -> str:
        report = evaluate_files(inputs, engine="dask", scheduler=address, **{**HOW, **how})
        return str(report.table.to_csv())

    return evaluated


def damaged(path: Path) -> Path:
    """A file whose beginning and end are whole, and the scores of its last group of rows are not."""
    pq.write_table(candidates(), path, row_group_size=200, use_dictionary=False)
    metadata = pq.ParquetFile(path).metadata
    group = metadata.row_group(metadata.num_row_groups - 1)
    names = [group.column(at).path_in_schema for at in range(group.num_columns)]
    column = group.column(names.index("reranker"))
    content = bytearray(path.read_bytes())
    begin = column.data_page_offset
    content[begin : begin + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(content)
    return path
