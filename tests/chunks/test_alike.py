"""What a chunk alone would say otherwise than the whole: labels, folders, ids, empty rows."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import evaluate, evaluate_files, load

N = 40


def scored(n: int = N, seed: int = 4, **columns: list) -> pa.Table:
    """Scored rows of posts with two criteria; ``columns`` replace or join them, None takes one out."""
    rng = np.random.default_rng(seed)
    table: dict = {
        "post_id": [f"p{at // 2}" for at in range(n)],
        "criterion_id": ["AB"[at % 2] for at in range(n)],
        "has_evidence": (rng.random(n) < 0.4).astype(int).tolist(),
        "probability": np.round(rng.random(n), 2).tolist(),
    } | columns
    return pa.table({name: cells for name, cells in table.items() if cells is not None})


def at(folder, **tables) -> str:
    for name, table in tables.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path.with_suffix(".parquet"))
    return str(folder)


def in_chunks(folder, layout="aligned", by=(), **reading):
    return evaluate_files(folder, chunk_rows=7, layout=layout, by=by, bootstrap=0, reading=reading)


def of_whole(folder, by=(), **reading):
    return evaluate(load(folder, **reading), by=by, bootstrap=0)


def codes(error) -> set[str]:
    return {one.code for one in error.value.problems}


@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        ("0", "1", "0"),
        ("2", "1", "2"),
        ("-1", "1", "-1"),
        ("false", "true", "false"),
        ("none", "1", "none"),
        ("1", "none", "1"),
        ("0", "1", "1"),
    ],
)
def test_chunks_and_parts_of_one_label_alone_mean_what_the_whole_means(first, second, positive, tmp_path):
    table = scored(has_evidence=[first] * 24 + [second] * 16)
    folder = at(tmp_path / "one", a=table)
    parts = at(tmp_path / "two", a=table[:24], b=table[24:])
    expected = of_whole(folder, positive=positive).table.to_csv()
    assert in_chunks(folder, positive=positive).table.to_csv() == expected
    assert in_chunks(folder, "straddling", positive=positive).table.to_csv() == expected
    assert of_whole(parts, positive=positive, files_as="parts").table.to_csv() == expected
