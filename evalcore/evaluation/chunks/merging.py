"""A large input evaluated a chunk at a time: each is read, gathered and let go; its tallies are merged.

What stays in memory is the tallies, and a chunk or two. That nothing depends on where chunks begin or on who
gathers them follows from the tallies: they merge exactly, and are put into one order before a value is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.engines.handing import HandOut
from evalcore.engines.memory import give_back, keep_freed
from evalcore.evaluation.chunks.facts import Job, OfChunk, Seen
from evalcore.evaluation.gathering.gather import Gathered, Plan, finish, gather
from evalcore.evaluation.gathering.states import STATE, with_states
from evalcore.evaluation.options import Options
from evalcore.evaluation.over_groups import FOLD
from evalcore.problems import SHOWN, Findings, InputError, Problem, problem
from evalcore.readers.chunks.batches import Chunk
from evalcore.readers.chunks.finding import hashed_queries, queries_twice, standing_twice
from evalcore.readers.chunks.reading import Prepared, read_chunk
from evalcore.spec import Metric
from evalcore.tallies.levels import reordered
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable

Told = Callable[[str], None]
_LEVELS_KEPT = (FOLD, "split")


def gathered_in_chunks(
    job: Job, chunks: Iterator[Chunk], findings: Findings, hand_out: HandOut, progress: Told
) -> tuple[Plan, Gathered]:
    """The plan and the tallies of an input, read a chunk at a time.

    Parameters
    ----------
    job : what to gather.
    chunks : all rows of the input.
    findings : what was found, and what is found while the chunks are made.
    hand_out : how chunks are handed to those who gather.
    progress : is told how many rows are done.

    Raises
    ------
    InputError : with what is wrong in all chunks, and CHK-001 for a query in two of them.
    """
    keep_freed()
    tallies = Merging()
    n_rows, n_done = sum(file.n_rows for file in job.prepared.files), 0
    sizes: list[int] = []

    def counted() -> Iterator[Chunk]:
        for chunk in chunks:
            sizes.append(len(chunk))
            yield chunk

    def found_in_chunks() -> Iterator[OfChunk]:
        nonlocal n_done
        for at, found in enumerate(hand_out(gather_chunk, job, counted())):
            n_done += sizes[at]
            progress(f"{n_done:,} of {n_rows:,} rows")
            yield found
            if found.gathered is not None and not findings.errors:
                tallies.add(found.gathered)

    return gathered_from(job, found_in_chunks(), findings, tallies.merged)


def gathered_from(
    job: Job, told: Iterator[OfChunk], findings: Findings, merged: Callable[[], Gathered]
) -> tuple[Plan, Gathered]:
    """The plan and the tallies of an input, from what is told of its chunks and, after that, their tallies.

    Parameters
    ----------
    told : in the order of the input, with tallies or without.
    merged : gives the tallies of all chunks as one; it is asked once everything is told and nothing is wrong.
    """
    seen = Seen(job, findings)
    for found in told:
        seen.add(found)
        if len(findings.errors) >= SHOWN:
            break
    plan = seen.plan()
    found_all = finish(seen.without_dropped(merged()), plan)
    give_back()
    if {one.kind for one in job.prepared.mapped} == {"candidates"}:
        found_all = _in_order_of(job.prepared.lists, found_all)
    if problems := list(_torn(job.prepared, found_all, seen.queries)):
        raise InputError(problems)
    return plan, found_all


def _torn(prepared: Prepared, found: Gathered, queries: list[NDArray[np.uint64]]) -> Iterator[Problem]:
    """What two chunks both hold, first by its places in the files."""
    problems: list[Problem] = []
    twice: list[int] = []
    for tally in found.tallies.values():
        of_tally = list(tally.torn())
        if of_tally:
            problems += of_tally
            key = tally.query_key()
            if hasattr(tally, "model"):
                key = key * len(tally.models) + tally.model
            twice += hashed_queries(tally, np.flatnonzero(np.diff(key) == 0)[:SHOWN]).tolist()
    if queries:
        n, first = queries_twice(np.concatenate(queries))
        problems += [problem("QRY-243", n=n)] if n else []
        twice += first
    if problems:
        yield from standing_twice(prepared, twice)
        yield from problems


def gather_chunk(job: Job, chunk: Chunk) -> OfChunk:
    """The tallies of one chunk."""
    data, findings, empty = read_chunk(job.prepared, chunk)
    if data is None:
        return OfChunk(chunk.file, None, None, findings, empty=empty)
    if STATE in job.options.by:
        data = with_states(data, job.options.tau_neg, job.options.tau_pos)
    by = tuple("criterion" if name == "criterion_id" else name for name in job.options.by)
    options = replace(job.options, by=by)
    bare = data.with_tables(
        **{
            one.table: _without_levels(one.plan([data.tables[one.table]]), options)
            for one in job.tables
            if one.table in data.tables
        }
    )
    plan = Plan(_with_cluster(bare, job), options, job.tables)
    found = gather(data, plan)
    queries = None
    if found.lists is not None and not options.bootstrap:
        if _are_counted(job):
            queries = hashed_queries(found.lists, np.arange(len(found.lists)))
            lists = found.lists.counted(options.by)
        else:  # which query a pair is of plays a part in draws alone
            lists = found.lists.with_counted_pairs(options.by)
        found = Gathered({**found.tallies, "rankings": lists})
    return OfChunk(chunk.file, found, bare, findings, _from_zero(data), empty, queries)


def _are_counted(job: Job) -> bool:
    """Whether nothing that is asked for needs ranked queries one by one."""
    is_stated = any("selected_k" in one.roles for one in job.prepared.mapped)
    return not is_stated and job.options.policy is None and not any(map(_needs_units, METRICS.values()))


def _needs_units(metric: Metric) -> bool:
    """Whether a metric of ranked lists has bounds that come from units, draws or none."""
    return metric.kind in (RankedQueries, PairTable) and (metric.is_share or metric.cases is not None)


def _from_zero(data: Data) -> bool | None:
    """Whether ranks begin at 0, which stand as scores below 0; None where scores order the lists."""
    lists = [] if data.rankings is None else data.rankings.lists.values()
    ranked = [one for one in lists if not one.has_scores and len(one.score)]
    return bool(ranked[0].score.max() == 0) if ranked else None


def _without_levels(table: Any, options: Options) -> Any:
    """A table without rows whose columns are known by name, and by their levels where these play a part."""
    kept = {*options.by, options.cluster, *_LEVELS_KEPT, STATE}
    return replace(
        table,
        slices={name: (codes, of if name in kept else of[:1]) for name, (codes, of) in table.slices.items()},
    )


def _with_cluster(bare: Data, job: Job) -> Data:
    """The data with the column to draw by where any file has it: a chunk may lack its values."""
    column = job.options.cluster
    mapped = job.prepared.mapped
    if column == "criterion" and any({"criterion_id", "query_id"} & one.roles.keys() for one in mapped):
        return bare.with_tables(
            **{
                name: replace(table, criterion_ids=np.array([""], object))
                for name, table in bare.tables.items()
            }
        )
    has = any(column in (*one.groups, *one.roles) for one in mapped)
    if column in (None, "post", "criterion") or not has:
        return bare
    nothing = np.zeros(0, np.intp), ()
    return bare.with_tables(
        **{
            name: replace(table, slices={column: nothing, **table.slices})
            for name, table in bare.tables.items()
        }
    )


def _in_order_of(lists: Mapping[str, bool], found: Gathered) -> Gathered:
    """The tallies with the models in the order of their lists: the first chunk may have no score of one."""
    scores = found.scores
    if scores is None or set(scores.models) - lists.keys():
        return found
    order = [scores.models.index(name) for name in lists if name in scores.models]
    model, models = reordered((scores.model, scores.models), order)
    ordered = replace(scores, model=model, models=models, first_row=scores.first_row[order]).ordered()
    return Gathered({**found.tallies, "queries": ordered})


class Merging:
    """Tallies that are merged as they come, those of alike sizes first: each row is copied a few times.

    Rows that nothing sums up (`is_of_rows`) are merged once, in the end: they become no fewer before that.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[int, Gathered]] = []
        self._rows: dict[str, list[Any]] = {}

    def add(self, one: Gathered) -> None:
        """Merge the tallies of one more chunk."""
        rows = {name: tally for name, tally in one.tallies.items() if getattr(tally, "is_of_rows", False)}
        for name, tally in rows.items():
            self._rows.setdefault(name, []).append(tally)
        one = Gathered({name: tally for name, tally in one.tallies.items() if name not in rows})
        if not one.tallies:
            return
        n = 1
        while self._parts and self._parts[-1][0] <= n:
            before, other = self._parts.pop()
            n, one = n + before, other.merge(one)
            give_back()
        self._parts.append((n, one))

    def merged(self) -> Gathered:
        """All of them as one, the smallest first."""
        found = Gathered()
        while self._parts:
            before = self._parts.pop()[1]
            found = before.merge(found) if found.tallies else before
        rows, self._rows = self._rows, {}
        found = found.merge(Gathered({name: first.merge(*others) for name, (first, *others) in rows.items()}))
        del rows
        give_back()
        return found
