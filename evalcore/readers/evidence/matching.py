"""Whether the gold is found in the lists at all, and ids of both that are alike and not the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalcore.data import RankedRows, Rankings
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import lookalikes
from evalcore.readers.evidence.rankings import Joined

_PIECE = 100_000
_EXAMPLES = 3
_FEWEST = 10
"""Gold under a like id from which on it is no chance that both are meant as one."""


def check_matches(joined: Joined, findings: Findings) -> None:
    """Report lists without any gold, and look-alike ids of gold and lists.

    Candidates that say themselves what is gold are left out: there gold and list have one column of ids.
    """
    parts = [part for part in joined.parts if part.kind != "candidates" or part.gold is None]
    if not parts:
        return
    files = list(dict.fromkeys(part.file for part in joined.parts))
    _report_lookalikes(joined, files[0] if len(files) == 1 else None, findings)
    models = list(dict.fromkeys(one.model for part in parts for one in part.lists))
    rankings = joined.rankings
    if not models or not len(rankings.gold_query):
        return
    without = [model for model in models if not _finds_gold(rankings, rankings.lists[model])]
    is_everywhere = len(without) == len(models)
    is_known = any(np.isin(rankings.gold_item, rankings.lists[model].item).any() for model in without)
    for model in without:
        queries = np.intersect1d(rankings.gold_query, rankings.lists[model].query)
        if len(queries) > 1 or (len(queries) and is_everywhere):
            code = "RNK-031" if is_everywhere and not is_known and len(queries) > 1 else "RNK-032"
            files = list(dict.fromkeys(p.file for p in parts if any(one.model == model for one in p.lists)))
            file = files[0] if len(files) == 1 else None
            findings.add(code, file=file, model=model, n=len(queries), **_examples(rankings, model, queries))


def _finds_gold(rankings: Rankings, rows: RankedRows) -> bool:
    n_items = max(len(rankings.item_ids), 1)
    gold = np.unique(rankings.gold_query.astype(np.int64) * n_items + rankings.gold_item)
    for at in range(0, len(rows.query), _PIECE):
        piece = slice(at, at + _PIECE)
        if np.isin(rows.query[piece].astype(np.int64) * n_items + rows.item[piece], gold).any():
            return True
    return False


def _examples(rankings: Rankings, model: str, queries: NDArray[np.intp]) -> dict[str, str]:
    """The first few ids of the gold and of the lists of some queries."""
    rows = rankings.lists[model]
    return {
        "gold": _first(rankings, rankings.gold_item[np.isin(rankings.gold_query, queries)]),
        "items": _first(rankings, rows.item[np.isin(rows.query, queries)]),
    }


def _first(rankings: Rankings, items: NDArray[np.intp]) -> str:
    some = dict.fromkeys(items[:_PIECE].tolist())
    return ", ".join(f"“{str(rankings.item_ids[item])[:40]}”" for item in list(some)[:_EXAMPLES])


def _report_lookalikes(joined: Joined, file: str | None, findings: Findings) -> None:
    groups = lookalikes(joined.rankings.item_ids)
    if groups and _are_written_otherwise(joined, groups, findings):
        return
    for group in groups[:SHOWN]:
        found = " and ".join(f"“{joined.rankings.item_ids[code]}” ({_place(joined, code)})" for code in group)
        findings.add("QRY-007", file=file, found=found)
    findings.count_more("QRY-007", len(groups))


def _are_written_otherwise(joined: Joined, groups: list[list[int]], findings: Findings) -> bool:
    """Report, in QRY-310, gold in no list, most of which the lists hold under a like id; whether so."""
    rankings = joined.rankings
    gold = np.unique(rankings.gold_item)
    listed = np.unique(np.concatenate([np.zeros(0, np.intp), *(r.item for r in rankings.lists.values())]))
    only_gold = set(np.setdiff1d(gold, listed, assume_unique=True).tolist())
    only_listed = set(np.setdiff1d(listed, gold, assume_unique=True).tolist())
    pairs = [
        (mine[0], other[0])
        for group in groups
        if (mine := [code for code in group if code in only_gold])
        and (other := [code for code in group if code in only_listed])
    ]
    if len(pairs) < _FEWEST or 2 * len(pairs) < len(only_gold):
        return False
    of_gold = next((part.file for part in joined.parts if part.gold is not None), None)
    of_lists = next((part.file for part in joined.parts if part.lists), None)
    ours, theirs = (f"“{str(rankings.item_ids[code])[:40]}”" for code in pairs[0])
    other_file = "the lists" if of_lists in (None, of_gold) else of_lists
    findings.add("QRY-310", file=of_gold, n=len(pairs), other=other_file, found=ours, others=theirs)
    return True


def _place(joined: Joined, item: int) -> str:
    """Where an item stands first, in words: among the gold, else in a list."""
    rankings = joined.rankings
    at = np.flatnonzero(rankings.gold_item == item)
    if len(at):
        return f"gold of {_query(rankings, int(rankings.gold_query[at[0]]))}"
    for model, rows in rankings.lists.items():
        at = np.flatnonzero(rows.item == item)
        if len(at):
            return f"{model} of {_query(rankings, int(rows.query[at[0]]))}"
    return "judged as not relevant"


def _query(rankings: Rankings, query: int) -> str:
    post = str(rankings.post_ids[rankings.post[query]])
    criterion = int(rankings.criterion[query])
    return f"{post}::{rankings.criterion_ids[criterion]}" if criterion >= 0 else post
