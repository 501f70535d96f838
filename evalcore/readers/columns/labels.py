"""Labels: 0 and 1 in any spelling, or two other values of which the user names the positive one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.table import Texts
from evalcore.schema import answer_parts, binary, class_of, labels_before, same

_BINARY = {"0": False, "1": True, "false": False, "true": True}
_SHOWN_LABELS = 10


@dataclass(frozen=True)
class Labels:
    """Labels of a column.

    Parameters
    ----------
    is_positive : bool, shape (N,); False where the cell is no label.
    is_label : bool, shape (N,).
    positive : the label that means "has evidence", as text.
    counts : the labels found → rows, empty cells left out.
    is_settled : whether it is known which label is the positive one.
    answer : the positive label as the user said it, with the prediction that means it where that was said too
        (``yes=POSITIVE``); "" where nothing was said.
    """

    is_positive: NDArray[np.bool_]
    is_label: NDArray[np.bool_]
    positive: str
    counts: Mapping[str, int]
    is_settled: bool = True
    answer: str = ""

    def where(self, rows: NDArray[np.intp]) -> Labels:
        """The labels of some rows."""
        return replace(self, is_positive=self.is_positive[rows], is_label=self.is_label[rows])


def labels_of(
    texts: Texts,
    positive: str | None,
    row: NDArray[np.intp],
    file: str,
    column: str,
    findings: Findings,
    elsewhere: Collection[str] = (),
) -> Labels:
    """Read labels; reports what is no label, and asks for the positive one where it cannot be known.

    Parameters
    ----------
    texts, row, file, column : the cells and where they stand.
    positive : the label that means "has evidence", or None.
    elsewhere : labels of the other files: parts that are sorted by class hold one label each.
    """
    n_by_level = np.bincount(texts.codes, minlength=len(texts.levels))
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for level, n in zip(texts.levels.tolist(), n_by_level.tolist(), strict=True):
        if n and level.strip():
            name = names.setdefault(same(level), level.strip())
            counts[name] = counts.get(name, 0) + n
    answer, prediction = positive or "", ""
    if positive is not None:
        known = {*counts, *elsewhere}
        positive, prediction = answer_parts(positive, known)
        ways = dict(labels_before(answer, known)) if prediction else {}
        if len(set(map(same, ways))) > 1:
            found = " or ".join(f"{label!r} with the prediction {said!r}" for label, said in ways.items())
            findings.add("QRY-305", answer=answer, found=found)
    value, expected, said = _meaning(counts, positive, elsewhere, file, column, findings)
    of_level = [value.get(same(level)) for level in texts.levels.tolist()]
    is_label = np.asarray([v is not None for v in of_level], bool).take(texts.codes)
    is_positive = np.asarray([bool(v) for v in of_level], bool).take(texts.codes)
    if expected:
        _report(texts, is_label, row, file, column, expected, findings)
    is_known_elsewhere = positive is not None and same(positive) in set(map(same, elsewhere))
    is_settled = not counts or any(value.values()) or (bool(value) and is_known_elsewhere)
    return Labels(is_positive, is_label, said, counts, is_settled, answer if prediction else "")


def levels_of(texts: Texts) -> list[str]:
    """The labels of a column, as they are written."""
    n_by_level = np.bincount(texts.codes, minlength=len(texts.levels))
    pairs = zip(texts.levels.tolist(), n_by_level.tolist(), strict=True)
    return [level.strip() for level, n in pairs if n and level.strip()]


def _meaning(
    counts: Mapping[str, int],
    positive: str | None,
    elsewhere: Collection[str],
    file: str,
    column: str,
    findings: Findings,
) -> tuple[dict[str, bool], str, str]:
    """Label → meaning, the labels expected in words, and the positive one as text."""
    if not counts:
        return {}, "0 or 1", positive or "1"
    if positive is not None:
        wanted = next((name for name in counts if same(name) == same(positive)), None)
        are_binary = all(binary(name) is not None for name in counts)
        is_elsewhere = any(same(name) == same(positive) for name in elsewhere)
        if wanted is None and are_binary and (binary(positive) or _is_spelled_otherwise(positive, elsewhere)):
            return dict(_BINARY), "0 or 1", positive
        if wanted is None and is_elsewhere and len(counts) == 1:
            (only,) = counts
            return {same(only): False}, f"{positive} or {only}", positive
        if wanted is None:
            findings.add("QRY-008", file=file, column=column, found=positive, expected=_listed(counts))
            return {}, "", positive
        others = {name: n for name, n in counts.items() if name != wanted}
        other = _standing_out(others, 1)
        if others and other is None:
            findings.add(
                "QRY-002", file=file, column=column, found=_counted(counts), expected=f"{wanted} or one other"
            )
            return {}, "", positive
        negative = other[0] if other else None
        meaning = {same(wanted): True} | ({same(negative): False} if negative else {})
        return meaning, f"{wanted} or {negative}" if negative else wanted, wanted
    known = {binary(name) for name in counts}
    if known >= {False, True} or None not in known:
        return dict(_BINARY), "0 or 1", "1"
    if len(counts) == 1:
        known_elsewhere = [name for name in elsewhere if same(name) not in set(map(same, counts))]
        counts = {**counts, **dict.fromkeys(known_elsewhere[:1], 0)}
    pair = list(counts) if len(counts) <= 2 else _standing_out(counts, 2)
    if pair is None:
        findings.add("QRY-002", file=file, column=column, found=_counted(counts), expected="two values")
        return {}, "", "1"
    findings.add("QRY-001", file=file, column=column, found=" and ".join(pair))
    return {same(name): False for name in pair}, " or ".join(pair), "1"


def _is_spelled_otherwise(positive: str, elsewhere: Collection[str]) -> bool:
    """Whether other files write both labels as words, as ``yes`` and ``no``, so that 0 and 1 here mean them.

    Where 0 or 1 is the other label of the positive one (``2`` and ``1``), a 1 alone is that other label.
    """
    words = {same(name) for name in elsewhere if name.strip() and binary(name) is None}
    return same(positive) in words and len(words) > 1 and class_of(positive, "1") is not False


def _standing_out(counts: Mapping[str, int], n: int) -> list[str] | None:
    """The ``n`` most frequent labels where the next one is rarer; None where which they are is open."""
    by_count = sorted(counts, key=lambda name: -counts[name])
    if len(by_count) < n or (len(by_count) > n and counts[by_count[n]] == counts[by_count[n - 1]]):
        return None
    return [name for name in counts if name in by_count[:n]]


def _listed(counts: Mapping[str, int]) -> str:
    names = list(counts)[:_SHOWN_LABELS]
    return ", ".join(name[:40] for name in names) + (", …" if len(counts) > _SHOWN_LABELS else "")


def _counted(counts: Mapping[str, int]) -> str:
    names = sorted(counts, key=lambda name: -counts[name])[:_SHOWN_LABELS]
    listed = ", ".join(f"{name[:40]} ({counts[name]:,})" for name in names)
    return f"{len(counts):,} different labels: {listed}" + (", …" if len(counts) > _SHOWN_LABELS else "")


def _report(
    texts: Texts,
    is_label: NDArray[np.bool_],
    row: NDArray[np.intp],
    file: str,
    column: str,
    expected: str,
    findings: Findings,
) -> None:
    if is_label.all():
        return
    blank = np.asarray([not level.strip() for level in texts.levels.tolist()], bool)[texts.codes]
    empty = np.flatnonzero(~is_label & blank)
    junk = np.flatnonzero(~is_label & ~blank)
    wanted = {"file": file, "column": column}
    facts = ((int(row[i]), {"found": texts.at(i)[:40]}) for i in junk[:SHOWN])
    findings.add_rows("QRY-002", facts, len(junk), expected=expected, **wanted)
    where: list[tuple[int, dict[str, str]]] = [(int(row[i]), {}) for i in empty[:SHOWN]]
    findings.add_rows("QRY-005", where, len(empty), expected=f"a label: {expected}", **wanted)
