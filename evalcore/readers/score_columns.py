"""Which columns of a table are scores: known names, else numbers that could be; never what knows the gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalcore.problems import Findings
from evalcore.readers.cells import MISSING, spells_number
from evalcore.readers.table import Table
from evalcore.schema import DIRECTION_UNKNOWN, is_gold_derived, plain

Roles = Mapping[str, tuple[str, ...]]


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
    possible = [name for name in rest if _could_be_probability(table, name)]
    if len(possible) > 1:
        findings.add("COL-004", file=table.name, role="probability", found=", ".join(possible))
    return (), tuple(possible)


def refuse_gold_derived(table: Table, names: Sequence[str], findings: Findings) -> None:
    """Report scores whose name is that of a metric."""
    for name in names:
        if is_gold_derived(name):
            findings.add("COL-008", file=table.name, name=name)


def _could_be_probability(table: Table, name: str) -> bool:
    """A column of fractions in [0, 1] without an empty cell, which metrics have where there is no gold."""
    has_empty = not all(cell.strip() for cell in table.sample.get(name, ()))
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
    scores = [name for name, values in numbers.items() if values is not None and "score" in plain(name)]
    if known or scores:
        return tuple(name for name in table.names if name in (*known, *scores))
    fractions = [
        name for name, values in numbers.items() if values and not all(v.is_integer() for v in values)
    ]
    if not fractions or (has_rank and len(fractions) == 1):
        return ()
    found = ", ".join(fractions)
    findings.add("COL-010", file=table.name, found=found, roles="scores, each a model of its own")
    return tuple(fractions)
