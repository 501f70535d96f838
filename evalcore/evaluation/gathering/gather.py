"""Plan, gather, merge and finish: from rows, in one piece or in parts, to the tallies that values rest on.

`gather` alone sees rows. What it gives names posts and units by hashes of their ids, so that parts read
apart, each with codes and levels of its own, can be put together in any order. Which tables there are, and
what they give, is said by the task (`evalcore.tasks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Protocol, Self

from evalcore.annotations import Annotations
from evalcore.data import Data
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.evaluation.gathering.units import cluster_warnings
from evalcore.evaluation.options import Options, checked
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.flaws import Flaw
from evalcore.tallies.unit_lists import UnitLists
from evalcore.tallies.unit_scores import UnitScores


class Mergeable(Protocol):
    """The rows of a table as a tally: parts give such, and parts put together are such."""

    def merge(self, other: Self) -> Self:
        """These rows and those of another part of the input."""

    def ordered(self) -> Self:
        """The same in the one order that all parts together have."""

    def torn(self) -> Iterable[Problem]:
        """What two parts both hold, of rows in their one order."""

    def flaws(self, data: Data) -> Iterator[Flaw]:
        """What does not agree in such a tally that was opened, as `evalcore.tallies.flaws.kept_as` says."""


@dataclass(frozen=True)
class Gathering:
    """How a table of a task becomes a tally.

    Parameters
    ----------
    table : its name in `Data.tables`, and that of the tally in `Gathered`.
    plan : from the table in every part that has it to one of the whole input, with names and levels; its
        rows are not used again.
    gather : from the table of one part, the options, the table of the plan, and what stands before the
        numbers of rows without ids, to the tally.
    whole : from the table in every part that has it, and what names the source of each, to the table that
        holds the rows of all of them.
    alike : what parts must have alike, as a word and the text of it; None for nothing.
    contradictions : what the tables of several parts say otherwise of one thing, with the names of the parts.
    """

    table: str
    plan: Callable[[Sequence[Any]], Any]
    gather: Callable[[Any, Options, Any, str], Mergeable]
    whole: Callable[[Sequence[Any], Sequence[str]], Any]
    alike: tuple[str, Callable[[Any], str]] | None = None
    contradictions: Callable[[Sequence[Any], Sequence[Data]], Iterable[Problem]] | None = None


@dataclass(frozen=True)
class Plan:
    """What is decided on the whole input before a row of it is gathered.

    Parameters
    ----------
    data : the input without its rows: sources, score kind, models, columns and their levels.
    options : how it is evaluated, checked.
    tables : what is gathered.
    names_rows_by_source : whether numbers of rows may stand for other rows too: several sources number their
        own, or a part of the same kind has ids, which may be such numbers.
    """

    data: Data
    options: Options
    tables: tuple[Gathering, ...]
    names_rows_by_source: bool = False

    @staticmethod
    def of(chunks: Sequence[Data], options: Options, tables: tuple[Gathering, ...]) -> Plan:
        """The plan of an input in parts, at least one.

        Raises
        ------
        InputError : for illegal options, and for parts that are not of one kind.
        """
        first = chunks[0]
        problems = [one for other in chunks[1:] for one in _unlike(first, other, tables)]
        for one in tables:
            having = [part for part in chunks if one.table in part.tables]
            if one.contradictions is not None and len(having) > 1:
                problems += one.contradictions([part.tables[one.table] for part in having], having)
        if problems:
            raise InputError(list(_once(problems)))
        planned = {
            one.table: one.plan(parts)
            for one in tables
            if (parts := [part.tables[one.table] for part in chunks if one.table in part.tables])
        }
        data = first.with_tables(**planned)
        if len(chunks) > 1:
            data = replace(
                data,
                sources=_once(one for part in chunks for one in part.sources),
                warnings=_once(one for part in chunks for one in part.warnings),
                notes=_once(one for part in chunks for one in part.notes),
            )
        options = checked(data, options)
        data = replace(data, warnings=(*data.warnings, *cluster_warnings(data, options.cluster)))
        return Plan(data, options, tables, _names_rows_by_source(chunks))


@dataclass(frozen=True, eq=False)
class Gathered:
    """The rows of an input as tallies that merge; no id and no text of a row is in them.

    Parameters
    ----------
    tallies : name of a table → its tally, in the order of the task; a table that no part has is missing.
    """

    tallies: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> UnitScores | None:
        """Scored rows of all models."""
        return self.tallies.get("queries")

    @property
    def lists(self) -> UnitLists | None:
        """Ranked queries and their lists."""
        return self.tallies.get("rankings")

    @property
    def annotations(self) -> GatheredAnnotations | None:
        """What people and tools said, by part."""
        return self.tallies.get("annotations")

    @property
    def said(self) -> Annotations | None:
        """The annotations once they are finished."""
        return None if self.annotations is None else self.annotations.parts[0]

    def merge(self, other: Gathered) -> Gathered:
        """The rows of these and of other parts."""
        found = dict(self.tallies)
        for name, tally in other.tallies.items():
            found[name] = found[name].merge(tally) if name in found else tally
        return Gathered(found)


def unnamed(tally: Any, options: Options) -> Any:
    """A tally without ids and texts of rows."""
    return tally.unnamed(options) if hasattr(tally, "unnamed") else tally


def unnamed_data(data: Data, found: Gathered, options: Options) -> Data:
    """The data of a report with what its tallies hold, for what shows no single row.

    Parameters
    ----------
    data : what is known of the input.
    found : the tallies of its rows.
    options : of the report.

    Returns
    -------
    Data whose rows stand in the order of the tallies, with hashes as ids, and with the columns that were
    broken down by, folds and splits. Draws of units are those of the report.
    """
    shown = [one.shown(options) for one in found.tallies.values() if hasattr(one, "shown")]
    tables = {name: table for tables in shown for name, table in tables.items()}
    return data.with_tables(**{**dict.fromkeys(data.tables), **tables})


def gathered(chunks: Sequence[Data], plan: Plan) -> Gathered:
    """finish(reduce(merge, map(gather, chunks))): the tallies of an input, whichever way it was cut.

    Raises
    ------
    InputError : for a query that two parts hold, and for labels of a query that contradict each other.
    """
    found = finish(reduce(Gathered.merge, (gather(chunk, plan) for chunk in chunks)), plan)
    # Within one part the reader has looked for both.
    problems = [one for tally in found.tallies.values() for one in tally.torn()] if len(chunks) > 1 else []
    if problems:
        raise InputError(problems)
    return found


def gather(data: Data, plan: Plan) -> Gathered:
    """The rows of one part of the input."""
    source = data.digest if plan.names_rows_by_source else ""
    return Gathered(
        {
            one.table: one.gather(data.tables[one.table], plan.options, plan.data.tables[one.table], source)
            for one in plan.tables
            if one.table in data.tables
        }
    )


def finish(found: Gathered, plan: Plan) -> Gathered:
    """The same in the one order that all parts together have."""
    names = [one.table for one in plan.tables if one.table in found.tallies]
    return Gathered({name: found.tallies[name].ordered() for name in names})


def _names_rows_by_source(chunks: Sequence[Data]) -> bool:
    named: dict[str, set[str]] = {}
    for chunk in chunks:
        for name, table in chunk.tables.items():
            named.setdefault(name, set()).add("" if getattr(table, "has_ids", True) else chunk.digest)
    return any(len(sources) > 1 for sources in named.values()) or len(set().union(*named.values()) - {""}) > 1


def _once(found: Iterable[Any]) -> tuple[Any, ...]:
    """What there is, each once; sources and problems have no hash."""
    distinct: list[Any] = []
    for one in found:
        if one not in distinct:
            distinct.append(one)
    return tuple(distinct)


def _unlike(first: Data, other: Data, tables: tuple[Gathering, ...]) -> Iterator[Problem]:
    """What keeps two parts from being parts of one input."""
    for what, name in (("task", "task"), ("kind of score", "score_kind"), ("positive label", "positive")):
        found, expected = getattr(other, name), getattr(first, name)
        if found != expected:
            yield problem("QRY-240", what=what, found=found, expected=expected)
    for one in tables:
        if one.alike is not None and one.table in first.tables and one.table in other.tables:
            what, said = one.alike
            found, expected = said(other.tables[one.table]), said(first.tables[one.table])
            if found != expected:
                yield problem("QRY-240", what=what, found=found, expected=expected)
