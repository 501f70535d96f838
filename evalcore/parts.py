"""The tables of an input that was read in parts, as if it had been read in one piece.

Where only numbers are wanted, tallies of parts are merged and no part is held beside another
(`evalcore.evaluation`). What shows rows by nature, or names them one by one, takes the rows of all parts:
comparisons pair them by their ids, documents of thresholds hold digests of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, RankedRows, Rankings

Codes = NDArray[np.intp]
_DIGITS = 12


def whole_queries(parts: Sequence[Queries], sources: Sequence[str]) -> Queries:
    """The rows of all parts in the order of their files.

    Parameters
    ----------
    parts : at least one, each query of a model in one of them. Columns of ``units`` are left out: they have
        no texts by which two parts could agree.
    sources : what names the source of each part; rows without ids are told apart by it where there are
        several.
    """
    post, post_ids = _posts(parts, sources)
    criterion, criterion_ids = _together(
        [one.criterion for one in parts], [one.criterion_ids for one in parts]
    )
    model, models = _together([one.model for one in parts], [one.models for one in parts])
    row = np.concatenate([one.row for one in parts])
    of_source = np.repeat(np.unique(sources, return_inverse=True)[1], [len(one) for one in parts])
    found = Queries(
        post=post,
        post_ids=post_ids,
        criterion=criterion,
        criterion_ids=criterion_ids,
        has_evidence=np.concatenate([one.has_evidence for one in parts]),
        score=np.concatenate([one.score for one in parts]),
        model=model,
        models=tuple(models),
        slices=_slices(parts),
        numbers={
            name: np.concatenate([one.numbers.get(name, np.full(len(one), np.nan)) for one in parts])
            for name in _names(one.numbers for one in parts)
        },
        row=row,
        has_posts=all(one.has_posts for one in parts),
        has_ids=all(one.has_ids for one in parts),
    )
    return _taken(found, np.lexsort((model, row, of_source)))


def whole_rankings(parts: Sequence[Rankings], sources: Sequence[str]) -> Rankings:
    """The queries of all parts with their lists, the parts one after the other.

    Parameters
    ----------
    parts : at least one, each query in one of them; all have lists of the same models.
    sources : as for `whole_queries`.
    """
    post, post_ids = _posts(parts, sources)
    criterion, criterion_ids = _together(
        [one.criterion for one in parts], [one.criterion_ids for one in parts]
    )
    item_codes, item_ids = _recoded([one.item_ids for one in parts])
    first = np.cumsum([0, *(one.n_queries for one in parts)])

    def queries(of: Iterable[Codes]) -> Codes:
        return np.concatenate([codes + at for codes, at in zip(of, first, strict=False)])

    def items(of: Iterable[Codes]) -> Codes:
        return np.concatenate([new[codes] for codes, new in zip(of, item_codes, strict=True)])

    def rows(name: str) -> RankedRows:
        ones = [part.lists[name] for part in parts]
        return RankedRows(
            query=queries(one.query for one in ones),
            item=items(one.item for one in ones),
            score=np.concatenate([one.score for one in ones]),
            has_scores=ones[0].has_scores,
            n_candidates=np.concatenate([one.n_candidates for one in ones]),
        )

    return Rankings(
        post=post,
        post_ids=post_ids,
        criterion=criterion,
        criterion_ids=criterion_ids,
        slices=_slices(parts),
        item_ids=item_ids,
        gold_query=queries(one.gold_query for one in parts),
        gold_item=items(one.gold_item for one in parts),
        gold_grade=np.concatenate([one.gold_grade for one in parts]),
        lists={name: rows(name) for name in parts[0].lists},
        has_posts=all(one.has_posts for one in parts),
        has_ids=all(one.has_ids for one in parts),
    )


def _taken(rows: Queries, order: Codes) -> Queries:
    """The rows in another order; posts, criteria, models and levels by where they come first in it."""
    post, post_ids = _by_appearance(rows.post[order], rows.post_ids)
    criterion, criterion_ids = _by_appearance(rows.criterion[order], rows.criterion_ids)
    model, models = _by_appearance(rows.model[order], np.array(rows.models, object))
    slices = {}
    for name, (codes, levels) in rows.slices.items():
        code, seen = _by_appearance(codes[order], np.array(levels, object))
        slices[name] = code, tuple(seen)
    return replace(
        rows,
        post=post,
        post_ids=post_ids,
        criterion=criterion,
        criterion_ids=criterion_ids,
        has_evidence=rows.has_evidence[order],
        score=rows.score[order],
        model=model,
        models=tuple(models),
        slices=slices,
        numbers={name: values[order] for name, values in rows.numbers.items()},
        row=rows.row[order],
    )


def _posts(parts: Sequence[Queries | Rankings], sources: Sequence[str]) -> tuple[Codes, NDArray[Any]]:
    """Posts over shared ids; numbers of rows, which are no ids, are told apart by their source."""
    is_one = len(set(sources)) == 1
    names = [
        one.post_ids
        if one.has_ids or is_one
        else np.array([f"{source[:_DIGITS]}:{id_}" for id_ in one.post_ids], object)
        for one, source in zip(parts, sources, strict=True)
    ]
    return _together([one.post for one in parts], names)


def _slices(parts: Sequence[Queries | Rankings]) -> dict[str, tuple[Codes, tuple[str, ...]]]:
    found = {}
    for name in _names(one.slices for one in parts):
        none = [(np.full(len(one.post), -1), ()) for one in parts]
        columns = [one.slices.get(name, empty) for one, empty in zip(parts, none, strict=True)]
        codes, levels = _together([codes for codes, _ in columns], [levels for _, levels in columns])
        found[name] = codes, tuple(levels)
    return found


def _names(columns: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for of_part in columns for name in of_part))


def _together(codes: Sequence[Codes], levels: Sequence[Any]) -> tuple[Codes, NDArray[Any]]:
    """Codes of all parts over shared levels, −1 as it is."""
    new, shared = _recoded(levels)
    return np.concatenate([np.append(to, -1)[of] for of, to in zip(codes, new, strict=True)]), shared


def _recoded(levels: Sequence[Any]) -> tuple[list[Codes], NDArray[Any]]:
    """The new code of each level of each part, and the levels of all, each once."""
    code_of: dict[str, int] = {}
    new = [
        np.array([code_of.setdefault(str(one), len(code_of)) for one in of_part], np.intp)
        for of_part in levels
    ]
    return new, np.array(list(code_of), object)


def _by_appearance(codes: Codes, levels: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Codes numbered by where they come first, −1 as it is, and the levels that occur in that order."""
    old, first, code = np.unique(codes[codes >= 0], return_index=True, return_inverse=True)
    order = np.argsort(first)
    found = np.full(len(codes), -1)
    found[codes >= 0] = np.argsort(order)[code]
    return found, levels[old[order]]
