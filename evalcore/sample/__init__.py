"""Synthetic example data that resemble a real evaluation: the same bytes for the same size and seed.

No row stems from a real post. Sizes, prevalences, reliability bins and list lengths follow published figures;
at 1,477 posts the counts are those figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from evalcore.files import staged, table_csv
from evalcore.sample.export import annotation_export
from evalcore.sample.posts import PUBLISHED_POSTS
from evalcore.sample.probabilities import queries
from evalcore.sample.rankings import candidates, ranked_lists
from evalcore.sample.recommendations import recommendation_lists

__all__ = [
    "annotation_export",
    "candidates",
    "queries",
    "ranked_lists",
    "recommendation_lists",
    "write_sample",
]


def write_sample(
    out: Path, *, n_posts: int = PUBLISHED_POSTS, seed: int = 0, overwrite: bool = False
) -> list[Path]:
    """Write ``queries.csv``, ``ranked_lists.csv``, ``candidates.parquet``, ``rag/`` and ``recommender/``.

    The files appear together or not at all.

    Parameters
    ----------
    out : folder, made if needed.
    n_posts : posts of ten queries each, at least 1; ``rag/`` and ``recommender/`` have a size of their own.
    seed : at least 0; the same size and seed give the same values on every machine.
    overwrite : whether other files of these names are replaced.

    Returns
    -------
    The paths of the three files, then those in ``rag/`` and ``recommender/``.

    Raises
    ------
    OSError : when the folder cannot be written, or a file in it must not be replaced.
    ValueError : for a negative seed.
    """
    files: list[tuple[str, Callable[[int, int], Any], Callable[[Any, Path], None]]] = [
        ("queries.csv", queries, _write_csv),
        ("ranked_lists.csv", ranked_lists, _write_csv),
        ("candidates.parquet", candidates, _write_parquet),
    ]
    with staged(out, overwrite=overwrite) as draft:
        for name, table, write in files:
            write(table(n_posts, seed), draft / name)
        names = [name for name, _, _ in files]
        for folder, write_all in (("rag", _write_rag), ("recommender", _write_recommender)):
            (draft / folder).mkdir()
            names += [f"{folder}/{name}" for name in write_all(draft / folder, seed)]
    return [out / name for name in names]


def _write_rag(folder: Path, seed: int) -> list[str]:
    made = annotation_export(seed)
    for name, table in made.tables.items():
        _write_csv(table, folder / f"{name}.csv")
    sidecar = "annotation_export.meta.json"
    _write_json(made.sidecar, folder / sidecar)
    return [*(f"{name}.csv" for name in made.tables), sidecar]


def _write_recommender(folder: Path, seed: int) -> list[str]:
    made = recommendation_lists(seed)
    for name, table in made.tables.items():
        _write_csv(table, folder / f"{name}.csv")
    for name, arrays in made.scores.items():
        np.savez_compressed(folder / f"scores_{name}.npz", allow_pickle=False, **arrays)
    return [*(f"{name}.csv" for name in made.tables), *(f"scores_{name}.npz" for name in made.scores)]


def _write_csv(table: Any, path: Path) -> None:
    path.write_text(table_csv(table), encoding="utf-8", newline="")


def _write_json(document: Any, path: Path) -> None:
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")


def _write_parquet(table: Any, path: Path) -> None:
    frame = pa.Table.from_pandas(table, preserve_index=False)
    plain = [
        pa.field(field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        for field in frame.schema
    ]
    pyarrow.parquet.write_table(frame.cast(pa.schema(plain)), path, compression="zstd", compression_level=9)
