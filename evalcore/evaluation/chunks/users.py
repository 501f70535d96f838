"""Recommendations evaluated some users at a time: their rows are read, gathered and let go; tallies merge.

The files are read once to part their rows by user, which also tells what only the whole shows: items, models
and whether files mean the same ids. Popularity is counted with the tallies and put in at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.checks import problems_in
from evalcore.checks.recommendations import results
from evalcore.checks.recommended_users import Counted
from evalcore.checks.recommended_users import counted as counted_users
from evalcore.data import Data, Source
from evalcore.engines.handing import HandOut
from evalcore.evaluation.chunks.facts import together
from evalcore.evaluation.chunks.merging import Merging
from evalcore.evaluation.chunks.telling import Telling
from evalcore.evaluation.chunks.work import Work, Worked
from evalcore.evaluation.gathering.gather import Gathered, Plan, finish, gather
from evalcore.evaluation.recommender.planning import Planned, counted, has_rows
from evalcore.problems import SHOWN, Findings, InputError, Problem, problem
from evalcore.readers.chunks.by_id import ById, SomeRows
from evalcore.readers.chunks.files import PartFile
from evalcore.readers.chunks.users.facts import FileFacts, looked_at_in
from evalcore.readers.chunks.users.preparing import PreparedLists
from evalcore.readers.chunks.users.reading import read_users
from evalcore.readers.chunks.users.settling import Settled, Settling, settle
from evalcore.readers.formats.sample_files import with_origin
from evalcore.readers.options import Options as ReadingOptions
from evalcore.readers.recommender.pairs import REPEATED_PAIR, RanksAndScores
from evalcore.readers.recommender.reading import data_of
from evalcore.recommendations import ITEM_GROUP, USER_GROUP

Told = Callable[[str], None]
TABLE = "recommendations"
REPEATED = "RCM-038"
"""Told of all users once: how often each pair of train or test that stands there again was left out."""


@dataclass(frozen=True)
class UsersJob:
    """What the rows of any users are gathered by.

    Parameters
    ----------
    files : those that the rows are of.
    settled : on all files.
    reading : how they are read.
    plan : of the whole but for popularity, the number of users, and which of its groups anybody is of.
    """

    files: tuple[PartFile, ...]
    settled: Settled
    reading: ReadingOptions
    plan: Plan


@dataclass(frozen=True)
class OfUsers:
    """What the rows of some users give.

    Parameters
    ----------
    n_rows : how many there are.
    findings : what was found.
    gathered : their tallies; None where an error stopped them.
    popularity : interactions in train of each item; n_users : users that train and test have.
    counted : what the checks need of them.
    sources, unused, ranks, from_zero : as of `evalcore.readers.chunks.users.reading.ReadUsers`.
    """

    n_rows: int
    findings: Findings
    gathered: Gathered | None = None
    popularity: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_users: int = 0
    counted: Counted | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    unused: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ranks: Mapping[tuple[str, str], tuple[str, RanksAndScores]] = field(default_factory=dict)
    from_zero: Mapping[str, bool] = field(default_factory=dict)


def gather_users(job: UsersJob, users: SomeRows) -> OfUsers:
    """The tallies of some users."""
    findings = Findings()
    n_rows = sum(map(len, users))
    read = read_users(job.files, job.settled, users, job.reading, findings)
    table = read.table
    if table is None:
        return OfUsers(n_rows, findings)
    popularity = np.zeros(len(table.item_ids), np.int64)
    if table.train is not None:
        popularity = np.bincount(table.train.item, minlength=len(popularity))
    return OfUsers(
        n_rows,
        findings,
        gather(job.plan.data.with_tables(**{TABLE: table}), job.plan),
        popularity,
        int(has_rows(table).sum()),
        counted_users(table),
        read.sources,
        read.unused,
        read.ranks,
        read.from_zero,
    )


@dataclass
class SeenUsers:
    """What is known of the users so far without their rows.

    Parameters
    ----------
    telling : of what was found.
    popularity : of all items.
    """

    telling: Telling
    popularity: NDArray[np.int64]
    n_users: int = 0
    counted: Counted | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    unused: dict[str, dict[str, str]] = field(default_factory=dict)
    ranks: dict[tuple[str, str], tuple[str, RanksAndScores]] = field(default_factory=dict)
    from_zero: dict[str, set[bool]] = field(default_factory=dict)

    def add(self, found: OfUsers) -> None:
        """Take in what the rows of some users tell."""
        own = [one for one in found.findings.problems if one.code != REPEATED]
        self.telling.report(Findings(own, found.findings.n_more))
        if found.gathered is None or found.counted is None:
            return
        self.counted = found.counted if self.counted is None else self.counted.and_of(found.counted)
        self.popularity += found.popularity
        self.n_users += found.n_users
        for name, source in found.sources.items():
            known = self.sources.get(name)
            self.sources[name] = source if known is None else together(known, source)
        for name, why in found.unused.items():
            self.unused.setdefault(name, {}).update(why)
        for key, (file, told) in found.ranks.items():
            before = self.ranks.get(key)
            self.ranks[key] = file, told if before is None else before[1].and_of(told)
        for name, begins in found.from_zero.items():
            self.from_zero.setdefault(name, set()).add(begins)

    def finish(self, roles: Mapping[str, str], findings: Findings) -> None:
        """Report what only all users show.

        Parameters
        ----------
        roles : file → its role, in the order of the files.
        findings : gets it.

        Raises
        ------
        InputError : with everything that was found to be wrong.
        """
        for name, begins in self.from_zero.items():
            if len(begins) > 1:
                findings.add("CHK-011", file=name)
        for file, told in self.ranks.values():
            told.tell(file, findings)
        for role in ("train", "test"):
            files = [name for name, of_file in roles.items() if of_file == role]
            n = sum(
                self.sources[name].excluded.get(REPEATED_PAIR, 0) for name in files if name in self.sources
            )
            if n:
                findings.add(REPEATED, file=files[0], n=n, role=role)
        findings.raise_errors()

    def checked(self, planned: Planned) -> tuple[Problem, ...]:
        """What the users, and the groups that they are of, make one want to know."""
        assert self.counted is not None
        groups = planned.catalogue.groups
        of_all = replace(
            self.counted,
            n_user_groups=len(planned.levels.get(USER_GROUP, ())),
            n_item_groups=len(groups[ITEM_GROUP][1]) if ITEM_GROUP in groups else 0,
        )
        return problems_in(results(of_all))


def gather_by_user(found: PreparedLists, work: Work) -> Worked:
    """The plan and the tallies of recommendations, read some users at a time.

    Raises
    ------
    InputError : with everything that is wrong with the files, or with the rows of all users.
    """
    findings = Findings()
    work.progress("rows by user")
    facts = [FileFacts() for _ in found.files]
    looked_at = [looked_at_in(one) for one in found.tables]
    how = (facts, work.chunk_rows, findings, work.progress, looked_at)
    with ById(found.files, found.mapped, "user_id", *how) as by_user:
        findings.raise_errors()
        whole = settle(found.tables, facts, found.of_items, found.options, findings)
        facts.clear()
        if whole is None:
            findings.raise_errors()
            raise InputError([problem("FILE-022")])
        plan = Plan.of([_data(found, whole)], work.options, work.tables)
        job = UsersJob(found.files, _as_planned(whole.settled, plan), found.options, plan)
        seen = SeenUsers(Telling(findings), np.zeros(len(whole.table.item_ids), np.int64))
        tallies = _gathered(job, by_user.parts(), work.hand_out, seen, found.n_rows, work.progress)
    seen.finish({one.name: one.role for one in found.tables}, findings)
    done = finish(tallies.merged(), plan)
    lists, planned = done.tallies[TABLE], plan.data.tables[TABLE]
    planned = counted(planned, seen.popularity, seen.n_users, _levels(planned, lists.models))
    told = (*found.warnings, *findings.warnings, *seen.telling.repeated())
    warnings = (*told, *seen.checked(planned), *plan.data.warnings)
    if problems := list(lists.torn()):
        raise InputError(problems)
    data = _data(found, whole, seen).with_tables(**{TABLE: planned})
    n_more = {code: n for code, n in findings.n_more.items() if n}
    data = replace(data, warnings=warnings, facts={**data.facts, "n_more": n_more})
    return Worked(replace(plan, data=with_origin(data)), Gathered({TABLE: lists.with_catalogue(planned)}))


def _as_planned(settled: Settled, plan: Plan) -> Settled:
    """The same with the very ids of the plan, which are equal: then no part has to find each of them."""
    planned: Planned = plan.data.tables[TABLE]
    return replace(settled, items=replace(settled.items, texts=planned.item_ids))


def _gathered(
    job: UsersJob, parts: Iterator[SomeRows], hand_out: HandOut, seen: SeenUsers, n_rows: int, progress: Told
) -> Merging:
    """The tallies of all users; ``seen`` gets everything else."""
    tallies, n_done = Merging(), 0
    for found in hand_out(gather_users, job, parts):
        n_done += found.n_rows
        progress(f"{n_done:,} of {n_rows:,} rows")
        seen.add(found)
        errors = seen.telling.findings.errors
        if len(errors) >= SHOWN:
            break
        if found.gathered is not None and not errors:
            tallies.add(found.gathered)
    return tallies


def _levels(plan: Planned, models: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Of the groups that users may have, those that anybody is of."""
    lists = next(iter(models.values()))
    found = {}
    for column, names in plan.levels.items():
        codes = lists.slices[column][0]  # type: ignore[attr-defined]
        found[column] = tuple(names[at] for at in np.unique(codes[codes >= 0]).tolist())
    return found


def _data(found: PreparedLists, whole: Settling, seen: SeenUsers | None = None) -> Data:
    """The data without rows, and what is known of its files once all users are seen."""
    of_items = {one.name: one.rows for one in found.of_items if one.rows is not None}
    sources = {name: rows.source() for name, rows in of_items.items()}
    unused = {name: rows.unused for name, rows in of_items.items() if rows.unused}
    if seen is not None:
        sources |= seen.sources
        unused |= seen.unused
    # What is read of a file in parts begins with a head of its own.
    sources |= {
        one.name: replace(sources[one.name], n_bytes=one.n_bytes)
        for one in found.files
        if one.name in sources
    }
    in_order = tuple(sources[name] for name in found.sources if name in sources)
    in_order_unused = {name: unused[name] for name in found.sources if name in unused}
    return data_of(whole.table, whole.notes, in_order, in_order_unused, found.left_out)
