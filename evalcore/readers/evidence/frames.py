"""Ranked lists from data frames in memory: no file, no copy of the text, the gold's ranks at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalcore.data import RankedRows, Rankings
from evalcore.problems import Findings
from evalcore.readers.columns.ids import repeated
from evalcore.tallies.ranked import RankedQueries

if TYPE_CHECKING:
    import pandas as pd


def ranked_queries(
    run: pd.DataFrame,
    gold: pd.DataFrame,
    *,
    query: str = "query",
    item: str = "item",
    score: str = "score",
    grade: str | None = None,
    ties: str = "trec",
    check_repeats: bool = True,
) -> RankedQueries:
    """The tally of ranked lists, for the ranking metrics, from one frame of scores and one of gold.

    Parameters
    ----------
    run : one row per query and candidate; rows of a query are best kept together (then they need no sort).
    gold : one row per query and gold candidate, each pair once.
    query, item, score : columns of ``run``; ``gold`` has the first two. Ids are compared as text.
    grade : column of ``gold`` with whole numbers; 0 is "judged, not relevant". Every row is gold without it.
    ties : order of equal scores, as in `RankedQueries`.
    check_repeats : whether to make sure that no candidate stands twice in a list. Without it only the queries
        with gold are looked at, which is faster; the ranks are wrong if a candidate does stand twice.

    Returns
    -------
    RankedQueries over every query of either frame: those of ``run`` by first appearance, then those that
    only ``gold`` names, whose list is empty.

    Raises
    ------
    InputError : for scores that are not finite, and for candidates that stand twice in a list.

    Examples
    --------
    >>> import pandas as pd
    >>> from evalcore.metrics.ranking import mrr
    >>> run = pd.DataFrame({"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [0.2, 0.9, 0.5]})
    >>> gold = pd.DataFrame({"query": ["a"], "item": ["x"]})
    >>> mrr(ranked_queries(run, gold), k=None).values.tolist()
    [0.5, 0.0]
    """
    listed, judged = _texts(run, (query, item)), _texts(gold, (query, item))
    scores = run[score].to_numpy(np.float64)
    grades = np.ones(len(gold), np.int64) if grade is None else gold[grade].to_numpy(np.int64)
    runs = _Runs.of(listed[query])
    gold_at, names = _looked_up(judged[query], runs.names)
    n_ranked = runs.n_rows(len(names))
    has_gold = np.zeros(len(names), bool)
    has_gold[gold_at[grades > 0]] = True
    kept = runs.rows(has_gold)
    if check_repeats or not np.isfinite(scores).all():
        at = np.repeat(runs.code, runs.length)
        item_at, item_names = _codes(listed[item])
        _refuse(at, item_at, scores, names, item_names)
        at, item_at = at[kept], item_at[kept]
    else:
        at = runs.codes(has_gold)
        item_at, item_names = _codes(listed[item].take(pa.array(kept)))
    gold_item, item_names = _looked_up(judged[item], item_names)
    n = len(names)
    rankings = Rankings(
        post=np.arange(n),
        post_ids=np.empty(n, object),
        criterion=np.full(n, -1),
        criterion_ids=np.array([], object),
        slices={},
        item_ids=_ids(item_names),
        gold_query=gold_at[grades > 0],
        gold_item=gold_item[grades > 0],
        gold_grade=grades[grades > 0],
        lists={"run": RankedRows(at, item_at, scores[kept], True, n_ranked)},
        has_posts=False,
    )
    found = RankedQueries.from_rankings(rankings, "run", ties=ties)
    return replace(found, n_ranked=n_ranked, n_candidates=n_ranked)


def _texts(frame: pd.DataFrame, columns: tuple[str, ...]) -> dict[str, Any]:
    """The columns as Arrow text; pandas' own text is taken as it lies in memory."""
    return {name: _text(frame[name]) for name in columns}


def _text(column: Any) -> Any:
    array = pa.array(column)
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return whole if pa.types.is_large_string(whole.type) else whole.cast(pa.large_string())


def _codes(texts: Any) -> tuple[NDArray[np.intp], Any]:
    encoded = texts.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.intp), encoded.dictionary


@dataclass(frozen=True)
class _Runs:
    """Runs of equal texts in a column: code by first appearance, and length, of each; shape (runs,)."""

    code: NDArray[np.intp]
    length: NDArray[np.intp]
    names: Any

    @staticmethod
    def of(texts: Any) -> _Runs:
        n = len(texts)
        differs = pc.not_equal(texts.slice(1), texts.slice(0, max(n - 1, 0))).to_numpy(zero_copy_only=False)
        starts = np.flatnonzero(np.append(n > 0, differs))
        code, names = _codes(texts.take(pa.array(starts)))
        return _Runs(code, np.diff(np.append(starts, n)), names)

    def n_rows(self, n: int) -> NDArray[np.int64]:
        """Rows of each code 0 … n − 1."""
        return np.bincount(self.code, weights=self.length, minlength=n).astype(np.int64)

    def rows(self, is_wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Rows of the wanted codes."""
        return np.flatnonzero(np.repeat(is_wanted[self.code], self.length))

    def codes(self, is_wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The code of each of these rows."""
        wanted = is_wanted[self.code]
        return np.repeat(self.code[wanted], self.length[wanted])


def _looked_up(texts: Any, names: Any) -> tuple[NDArray[np.intp], Any]:
    """Codes of texts among names, to which those that it lacks are added."""
    distinct = texts.dictionary_encode()
    # A table of the few distinct texts, through which the many names pass once.
    of_name = pc.index_in(names, value_set=distinct.dictionary).to_numpy(zero_copy_only=False)
    is_found = ~np.isnan(of_name) if of_name.dtype.kind == "f" else np.ones(len(names), bool)
    code = np.full(len(distinct.dictionary), -1, np.intp)
    code[of_name[is_found].astype(np.intp)] = np.flatnonzero(is_found)
    new = np.flatnonzero(code < 0)
    code[new] = len(names) + np.arange(len(new))
    if len(new):
        names = pa.concat_arrays([names, distinct.dictionary.take(pa.array(new))])
    return code[distinct.indices.to_numpy(zero_copy_only=False)], names


def _ids(names: Any) -> NDArray[np.object_]:
    ids = np.empty(len(names), object)
    ids[:] = names.to_pylist()
    return ids


def _refuse(
    at: NDArray[np.intp],
    item_at: NDArray[np.intp],
    scores: NDArray[np.float64],
    names: Any,
    item_names: Any,
) -> None:
    """Name every score that is no number, and every candidate that stands twice."""
    findings = Findings()

    def named(row: int) -> dict[str, Any]:
        return {"item": item_names[int(item_at[row])].as_py(), "query": names[int(at[row])].as_py()}

    wrong = np.flatnonzero(~np.isfinite(scores)).tolist()
    findings.add_rows(
        "RNK-002", ((row + 1, {"found": float(scores[row]), **named(row)}) for row in wrong), len(wrong)
    )
    later, first = repeated(at * len(item_names) + item_at)
    findings.add_rows(
        "RNK-001",
        (
            (row + 1, {"ranks": _ranks(at, scores, (before, row)), **named(row)})
            for row, before in zip(later.tolist(), first.tolist(), strict=True)
        ),
        len(later),
    )
    findings.raise_errors()


def _ranks(at: NDArray[np.intp], scores: NDArray[np.float64], rows: tuple[int, int]) -> str:
    """The ranks of two rows of one query, ties by order of the rows."""
    mine = np.flatnonzero(at == at[rows[0]])
    order = mine[np.argsort(-scores[mine], kind="stable")].tolist()
    return " and ".join(str(rank) for rank in sorted(order.index(row) + 1 for row in rows))
