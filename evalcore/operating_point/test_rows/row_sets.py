"""The rows on which a point is chosen and tested, named so that they can be found again."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.operating_point.clusters import clusters_of
from evalcore.operating_point.rules import RULES, Rules
from evalcore.operating_point.test_rows.rows import FOLD as FOLD
from evalcore.operating_point.test_rows.rows import Role as Role
from evalcore.operating_point.test_rows.rows import RowSet as RowSet
from evalcore.operating_point.test_rows.rows import row_ids_sha256 as row_ids_sha256
from evalcore.operating_point.test_rows.rows import rows_in_words as rows_in_words
from evalcore.operating_point.test_rows.rows import sources_sha256 as sources_sha256
from evalcore.operating_point.test_rows.site_rows import site_filters, site_rows, tallies_of
from evalcore.problems import InputError, problem


def row_set(
    data: Data,
    role: Role,
    *,
    split: str | None,
    model: str | None,
    cluster: str | None = None,
    rules: Rules = RULES,
) -> RowSet:
    """The rows of a split and a model; the same object as long as somebody holds it, with what it knows.

    Parameters
    ----------
    data : checked data with queries.
    role : what the rows are used for.
    split : value of the split column; None takes every row.
    model : name of the model; None takes the first.
    cluster : the column of a unit coarser than the post, such as its author; None: the post is the unit.
    rules : those of the document that is made of the rows.

    Raises
    ------
    InputError : without queries, for an unknown split or model, or when no row is left; as for `clusters_of`.
    """
    kept: WeakValueDictionary[Any, RowSet] = vars(data).setdefault("row_sets", WeakValueDictionary())
    asked = (role, split, model, cluster, rules)
    found = kept.get(asked)
    if found is None:
        found = kept[asked] = _row_set(data, *asked)
    return found


def _row_set(
    data: Data, role: Role, split: str | None, model: str | None, cluster: str | None, rules: Rules
) -> RowSet:
    queries, tallies = data.queries, tallies_of(data)
    if tallies is not None:
        return site_rows(tallies, data, role, split=split, model=model, cluster=cluster, rules=rules)
    if queries is None:
        advice = "Thresholds are chosen on labelled scores."
        raise InputError([_option("a file without labels and scores", "a queries file", advice)])
    keep = np.ones(len(queries), bool)
    filters = []
    if split is not None:
        keep &= in_split(queries, split)
        filters.append(f"split = {split}")
    code = _model_code(queries, model)
    if len(queries.models) > 1:
        keep &= queries.model == code
        filters.append(f"model = {queries.models[code]}")
    if not keep.any():
        found = f"no row with {' and '.join(filters)}" if filters else "no row"
        raise InputError([_option(found, "at least one row", "Check --tune, --test and --model.")])
    kept = queries if keep.all() else queries.where(keep)
    clusters = None if cluster is None else clusters_of(kept, cluster, data.sources)
    return RowSet(role, data, kept, queries.models[code], " and ".join(filters) or None, clusters, rules)


def row_filters(data: Data) -> dict[str | None, tuple[str | None, str | None]]:
    """Every filter that can pick rows of the data → its split and model."""
    tallies = tallies_of(data)
    if tallies is not None:
        return site_filters(tallies)
    if data.queries is None:
        return {}
    splits = [None, *data.queries.slices.get("split", (None, ()))[1]]
    models = data.queries.models if len(data.queries.models) > 1 else (None,)
    filters = {}
    for split in splits:
        for model in models:
            parts = [
                f"{name} = {value}"
                for name, value in (("split", split), ("model", model))
                if value is not None
            ]
            filters[" and ".join(parts) or None] = (split, model)
    return filters


def in_split(queries: Queries | Rankings, split: str) -> NDArray[np.bool_]:
    """Which queries are of a split, shape (N,).

    Raises
    ------
    InputError : without a split column, or for a split that it does not hold.
    """
    if "split" not in queries.slices:
        raise InputError(
            [
                _option(
                    f"the split {split!r}, but no split column",
                    "a column named split",
                    "Map it with --column split=NAME.",
                )
            ]
        )
    codes, levels = queries.slices["split"]
    if split not in levels:
        raise InputError([problem("QRY-009", found=split, expected=", ".join(levels))])
    return np.asarray(codes == levels.index(split))


def _model_code(queries: Queries, model: str | None) -> int:
    if model is None:
        return 0
    if model not in queries.models:
        expected = f"one of {', '.join(queries.models)}"
        raise InputError([_option(f"the model {model!r}", expected, "Check --model.")])
    return queries.models.index(model)


def _option(found: str, expected: str, advice: str) -> Any:
    return problem("OPT-008", found=found, expected=expected, advice=advice)
