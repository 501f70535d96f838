"""What nobody asked for is not gathered, and no process is started for what this one reads itself."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import evaluate_files
from evalcore.catalog import METRICS
from evalcore.isolated import pool
from evalcore.readers.chunks.batches import chunks_of
from evalcore.readers.formats.cells import texts_of
from evalcore.readers.formats.storage import plain
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.scores import PairTable
from tests.chunks.test_any_chunks import queries
from tests.chunks.test_counted import KS, both, candidates

OF_PAIRS = tuple(one.key for one in METRICS.values() if one.kind is PairTable)
OF_RANKS = ("ranking.hit_rate", "ranking.mrr")


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return both(candidates(), tmp_path_factory.mktemp("in"), by=("site",), bootstrap=0, ks=KS)[1]


@pytest.mark.parametrize("metrics", [OF_RANKS, OF_PAIRS[:1], (OF_RANKS[0], OF_PAIRS[-1])])
def test_metrics_alone_have_the_values_that_they_have_among_all(metrics, everything, tmp_path):
    how = {"by": ("site",), "bootstrap": 0, "ks": KS, "metrics": metrics}
    of_whole, in_chunks = both(candidates(), tmp_path, **how)
    table = everything.table
    of_metrics = table[(table["family"] + "." + table["metric"]).isin(metrics)]
    assert len(of_metrics)
    assert in_chunks.table.to_csv(index=False) == of_metrics.to_csv(index=False)
    assert of_whole.table.to_csv() == in_chunks.table.to_csv()
    for report in (of_whole, in_chunks):
        is_counted = report.gathered.lists.lists["score"].pairs is not None
        assert is_counted == (not set(OF_PAIRS).isdisjoint(metrics))


def test_no_matrix_of_labels_is_made_where_none_is_asked_for(monkeypatch, tmp_path):
    def refused(*_, **__):
        raise AssertionError("a matrix was made")

    monkeypatch.setattr(LabelMatrix, "from_queries", refused)
    pq.write_table(queries(6), tmp_path / "table.parquet")
    how = {"chunk_rows": 11, "bootstrap": 0, "reading": {"positive": "yes"}}
    assert len(evaluate_files(tmp_path, metrics=("classification.auroc",), **how).table)
    with pytest.raises(AssertionError, match="a matrix"):
        evaluate_files(tmp_path, **how)


def test_the_first_rows_of_a_large_file_are_read_by_the_process_that_wrote_them(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("a process of its own was asked")

    monkeypatch.setattr(pool, "ask", refused)
    pq.write_table(candidates(6), tmp_path / "table.parquet")
    assert len(evaluate_files(tmp_path, chunk_rows=11, bootstrap=0, ks=(1,)).table)


def test_texts_read_as_codes_are_those_that_are_read_as_text(tmp_path):
    """In each chunk its own, by first appearance: groups of rows have others, and an empty cell has none."""
    texts = {"ids": [*"bababccadd"], "gaps": ["x", None, "y", "x", *"zzxy", None, "y"]}
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table(texts), path, row_group_size=4)
    as_text, as_codes = (
        [
            texts_of(plain(chunk.rows.column(name)))
            for chunk in chunks_of(str(path), 0, list(texts), [], 3, coded)
            for name in texts
        ]
        for coded in ((), tuple(texts))
    )
    assert len(as_text) > 4
    for expected, found in zip(as_text, as_codes, strict=True):
        assert found.levels.tolist() == expected.levels.tolist()
        assert found.codes.tolist() == expected.codes.tolist()
