"""Which columns of a table are scores: known names, else numbers that could be; never what knows the gold."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from shlex import quote

from evalcore.problems import Findings
from evalcore.readers.formats.cells import MISSING, spells_number
from evalcore.readers.formats.table import Table
from evalcore.schema import (
    DIRECTION_UNKNOWN,
    is_count_name,
    is_gold_derived,
    is_reversed_name,
    is_weight_name,
    plain,
)

Roles = Mapping[str, tuple[str, ...]]
_SHOWN = 3
_ROUNDED = 0.0101
"""How far scores that add up to 1 may be from it once they are rounded to two digits."""


def numeric_sample(table: Table, name: str) -> list[float] | None:
    """The numbers of the first cells, or None where one is no number; a decimal comma counts where it can."""
    comma = table.delimiter != "comma" or table.decimal_mark == "comma"
    cells = [cell for cell in map(str.strip, table.sample.get(name, ())) if cell and cell not in MISSING]
    if not cells or not all(spells_number(cell, comma) or _is_not_finite(cell) for cell in cells):
        return None
    return [float(cell.replace(",", ".")) for cell in cells]


def _is_not_finite(cell: str) -> bool:
    return cell.lower().lstrip("+-") in ("nan", "inf")


def query_scores(
    table: Table, named: Sequence[str], rest: Sequence[str], findings: Findings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The score columns of queries, and columns that could be one where none is known.

    Parameters
    ----------
    named : columns with the role already.
    rest : columns without a role.
    findings : gets the direction or the choice to be asked.
    """
    if named:
        return tuple(named), ()
    doubtful = [name for name in rest if plain(name) in DIRECTION_UNKNOWN]
    if doubtful:
        findings.add("COL-005", file=table.name, name=doubtful[0])
        return (), tuple(doubtful)
    possible = [name for name in rest if could_be_probability(table, name)]
    backwards = [name for name in rest if is_reversed_name(name) and has_fractions(table, name)]
    possible = [name for name in possible if name not in backwards]
    if backwards and not possible:
        findings.add("COL-121", file=table.name, name=backwards[0], role="probability")
        return (), tuple(backwards)
    possible = [name for name in rest if name in (*possible, *_with_own_gaps(table, rest))]
    if len(possible) > 1:
        options = " or ".join(f"--column probability={quote(name)}" for name in possible[:_SHOWN])
        both = several_in_words(table, possible)
        found = ", ".join(possible)
        findings.add("COL-004", file=table.name, role="probability", found=found, options=options, both=both)
    return (), tuple(possible)


def several_in_words(table: Table, names: Sequence[str]) -> str:
    """What several columns of scores can mean: models or, where they add up to 1, classes of one model."""
    columns = [numeric_sample(table, name) or [] for name in names]
    are_classes = len({len(one) for one in columns}) == 1 and all(
        abs(sum(row) - 1) <= _ROUNDED for row in zip(*columns, strict=True)
    )
    if are_classes:
        return "the one of the positive class, as they add up to 1"
    return "both for two models" if len(names) == 2 else "several for as many models"


def refuse_gold_derived(table: Table, names: Sequence[str], findings: Findings) -> None:
    """Report scores whose name is that of a metric."""
    for name in names:
        if is_gold_derived(name):
            findings.add("COL-008", file=table.name, name=name)


def _with_own_gaps(table: Table, names: Sequence[str]) -> list[str]:
    """Columns of fractions with empty cells, where these are not the same: each is a model with gaps.

    Metrics are empty where there is no gold, all of them in the same rows.
    """
    gaps = {name: tuple(not cell.strip() for cell in table.sample.get(name, ())) for name in names}
    found = [
        name for name in names if any(gaps[name]) and could_be_probability(table, name, may_have_gaps=True)
    ]
    return found if len({gaps[name] for name in found}) > 1 else []


def has_fractions(table: Table, name: str) -> bool:
    """Whether a column holds numbers of which some are no whole ones."""
    values = numeric_sample(table, name)
    return values is not None and not all(v.is_integer() for v in values)


def report_weights(
    table: Table, names: Sequence[str], findings: Findings, *, may_be_counts: bool = False
) -> None:
    """Tell of columns of numbers that are called like weights of rows: nothing here uses them.

    Parameters
    ----------
    names : columns without a role.
    may_be_counts : whether a row may stand for several cases, of how many a column such as ``n`` says.
    """
    for name in names:
        values = numeric_sample(table, name) if is_weight_name(name) or is_count_name(name) else None
        if values is not None and (is_weight_name(name) or (may_be_counts and _are_counts(values))):
            findings.add("COL-120", file=table.name, name=name)


def _are_counts(values: Sequence[float]) -> bool:
    """Whether numbers may be counts of cases: whole ones from 1 on that do not number the rows."""
    is_numbered = len(values) > 1 and all(b - a == 1 for a, b in itertools.pairwise(values))
    return all(v >= 1 and v.is_integer() for v in values) and not is_numbered and max(values) > 1


def could_be_probability(table: Table, name: str, *, may_have_gaps: bool = False) -> bool:
    """A column of fractions in [0, 1] without an empty cell, which metrics have where there is no gold."""
    has_empty = not may_have_gaps and not all(cell.strip() for cell in table.sample.get(name, ()))
    values = None if has_empty or is_gold_derived(name) else numeric_sample(table, name)
    return values is not None and all(0 <= v <= 1 for v in values) and any(v not in (0, 1) for v in values)


def candidate_scores(
    table: Table, known: Sequence[str], rest: Sequence[str], has_rank: bool, findings: Findings
) -> tuple[str, ...]:
    """The score columns of candidates: known names and "score" in names, else all columns with fractions.

    Parameters
    ----------
    known : columns recognised by name.
    rest : columns without a role.
    has_rank : whether a rank column can serve instead.
    findings : is told when columns were taken for scores by their numbers alone.
    """
    numbers = {name: numeric_sample(table, name) for name in rest if not is_gold_derived(name)}
    backwards = [name for name in numbers if is_reversed_name(name) and has_fractions(table, name)]
    for name in backwards:
        del numbers[name]
    scores = [name for name, values in numbers.items() if values is not None and "score" in plain(name)]
    if known or scores:
        return tuple(name for name in table.names if name in (*known, *scores))
    fractions = [
        name for name, values in numbers.items() if values and not all(v.is_integer() for v in values)
    ]
    if backwards and not fractions and not has_rank:
        findings.add("COL-121", file=table.name, name=backwards[0], role="score")
    if not fractions or (has_rank and len(fractions) == 1):
        return ()
    found = ", ".join(fractions)
    findings.add("COL-010", file=table.name, found=found, roles="scores, each a model of its own")
    return tuple(fractions)
