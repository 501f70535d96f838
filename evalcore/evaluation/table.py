"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore import __version__
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.engines.local import mapped
from evalcore.evaluation import saved
from evalcore.evaluation.gathering.gather import Gathered, Gathering, Plan, gathered, unnamed_data
from evalcore.evaluation.gathering.samples import OfModel
from evalcore.evaluation.gathering.states import STATE, with_states
from evalcore.evaluation.intervals.defined_values import Replicates
from evalcore.evaluation.mean_intervals import GroupMeans
from evalcore.evaluation.options import Options
from evalcore.evaluation.over_groups import FOLD, over_groups
from evalcore.evaluation.rag import Beside, RagResults
from evalcore.evaluation.row import COLUMNS, Place, Row
from evalcore.evaluation.steps import Group, steps
from evalcore.evaluation.values import values
from evalcore.files import write_files
from evalcore.notebook import number, view
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.units import Units

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
Step = tuple[Group, bool]
MOST_SHOWN = 24
"""Values of a report, and its warnings, that a notebook shows."""
GROUPS_WORTH_PROCESSES = 8
"""To fork and to send results takes as long as a group or two."""


@dataclass(frozen=True)
class Report:
    """The result of an evaluation.

    Parameters
    ----------
    table : one row per value, with the columns of ``metrics.csv``.
    data : what was evaluated.
    options : how.
    rag : what the values over annotations rest on, and scores of other tools; None for other tasks.
    gathered : the tallies of the rows that the values rest on.
    made_by : the version of evalcore that computed it.
    """

    table: pd.DataFrame
    data: Data
    options: Options
    rag: RagResults | None = None
    gathered: Gathered = field(default_factory=Gathered)
    made_by: str = __version__

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What the user should know about the data."""
        return self.data.warnings

    def value(self, key: str, *, model: str | None = None, group: str = "", **where: str) -> float:
        """One value of the table by metric key, for example ``report.value("ranking.ndcg", params="k=10")``.

        The default variant and the first population and model are meant where several exist.

        Raises
        ------
        KeyError : when no row fits.
        """
        family, name = key.split(".")
        rows = self.table[
            (self.table.family == family) & (self.table.metric == name) & (self.table.group == group)
        ]
        if model is not None:
            rows = rows[rows.model == model]
        for column, wanted in where.items():
            rows = rows[rows[column] == wanted]
        if rows.empty:
            raise KeyError(f"no value of {key} with {where or 'these settings'}")
        return float(rows.value.iloc[0])

    def _repr_html_(self) -> str:
        """What a notebook shows: the headline values over all rows, and how many more there are."""
        overall = self.table[(self.table.group_by == "") & ~self.table.params.str.contains("stat=")]
        rows = overall.to_dict("records")
        headline = [row for row in rows if METRICS[f"{row['family']}.{row['metric']}"].headline] or rows
        shown = headline[:MOST_SHOWN]
        facts = {
            "Data": ", ".join(f"{one.name} ({one.n_rows:,} rows)" for one in self.data.sources),
            "Values": f"{len(shown):,} of {len(self.table):,} shown; all of them: report.table",
        }
        cells = [
            (
                METRICS[f"{row['family']}.{row['metric']}"].label,
                "; ".join(filter(None, (row["params"], row["variant"].replace("default", "")))),
                row["model"],
                number(row["value"], row["ci_low"], row["ci_high"]),
                f"{row['n']:,}",
                row["note"],
            )
            for row in shown
        ]
        warnings = [f"Warning: {one}" for one in self.warnings[:MOST_SHOWN]]
        return view("Report", facts, ("metric", "with", "model", "value", "n", "note"), cells, warnings)

    @property
    def unnamed_data(self) -> Data:
        """The data with what the tallies hold, a hash for each id: what a saved report has."""
        return unnamed_data(self.data, self.gathered, self.options)

    def save(self, path: Path | str, *, overwrite: bool = False) -> Path:
        """Write the report as one file, from which `load` makes the same files and figures again.

        It holds the table, the tallies, the options and what is known of the sources; no text and no id of a
        row: posts and units are there as hashes, with the labels and scores that figures are drawn from;
        records and chunks too, with what annotators said. The same report writes the same bytes.

        Parameters
        ----------
        path : usually ``NAME.evalcore``.
        overwrite : whether a file that is no saved report is replaced.

        Raises
        ------
        OSError : when the file cannot be written; what stood there before is untouched.
        InputError : REP-293 where values rest on tallies that a file cannot hold.
        """
        path = Path(path)
        return write_files(path.parent, {path.name: self.to_bytes()}, overwrite=overwrite)[0]

    def to_bytes(self) -> bytes:
        """As `save`, the bytes of the file."""
        return saved.to_bytes(
            saved.Parts(self.table, self.data, self.options, self.rag, self.gathered, self.made_by)
        )

    @staticmethod
    def load(path: Path | str) -> Report:
        """A report that was saved, without the rows of its data.

        Raises
        ------
        InputError : FILE-001 without such a file; REP-290 for another file, REP-291 with everything that is
            damaged, REP-292 for one of a newer version.
        """
        path = Path(path)
        if not path.is_file():
            raise InputError([problem("FILE-001", file=path.name)])
        return Report.from_bytes(path.read_bytes(), file=path.name)

    @staticmethod
    def from_bytes(raw: bytes, *, file: str | None = None) -> Report:
        """As `load`, from the bytes of a file; ``file`` names it in messages."""
        return Report(**vars(saved.from_bytes(raw, file=file)))


def evaluated(
    chunks: Sequence[Data],
    options: Options,
    tables: tuple[Gathering, ...],
    models: Callable[[Gathered, Options], Iterator[OfModel]],
    beside: Callable[[Gathered, Options], Beside] | None = None,
    progress: Progress | None = None,
    processes: int = 1,
) -> Report:
    """Every metric that the data of a task allow: what `evalcore.evaluate` does once the task is known.

    Parameters
    ----------
    chunks : the parts of one input, at least one.
    options : how, not yet checked.
    tables : what is gathered.
    models : the models, in order, and from what each one's values are computed.
    beside : what notes what values rest on and makes what stands beside them; None for nothing.
    progress : is told what comes next, a group at a time.
    processes : how many share the groups where there are replicates; no bit depends on it.

    Raises
    ------
    InputError : for illegal options, and for parts that are not parts of one input, all named together.
    """
    if STATE in options.by:
        chunks = [with_states(chunk, options.tau_neg, options.tau_pos) for chunk in chunks]
    plan = Plan.of(chunks, options, tables)
    report = valued(plan, gathered(chunks, plan), models, beside, progress, processes)
    if len(chunks) == 1:
        return replace(report, data=replace(chunks[0], warnings=plan.data.warnings))
    return report


def valued(
    plan: Plan,
    found: Gathered,
    models: Callable[[Gathered, Options], Iterator[OfModel]],
    beside: Callable[[Gathered, Options], Beside] | None = None,
    progress: Progress | None = None,
    processes: int = 1,
) -> Report:
    """Every metric of what was gathered, whichever way; the data of the report have no rows.

    Parameters
    ----------
    plan : of the whole input.
    found : its tallies, finished.
    models, beside, progress, processes : as of `evaluated`.
    """
    from threadpoolctl import threadpool_limits

    tell = progress or (lambda _: None)
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        noting = None if beside is None else beside(found, plan.options)
        rows = list(_of_models(plan, models(found, plan.options), tell, noting, processes))
        rag = None if noting is None else noting.results(tell)
    import pandas as pd

    order = {(metric.family, metric.name): at for at, metric in enumerate(METRICS.values())}
    rows.sort(key=lambda row: order[row.family, row.metric])
    columns: dict[str, Any] = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=bool(rows)))
    if not rows:  # texts, as where there are some
        columns = {name: np.array([], object) for name in COLUMNS}
    columns |= {"n": np.array(columns["n"], np.int64), "value": np.array(columns["value"], np.float64)}
    told = plan.data.with_tables(**dict.fromkeys(plan.data.tables))
    return Report(pd.DataFrame(columns), told, plan.options, rag, found)


class OfGroup(NamedTuple):
    """What one group adds to the table, and to the means over the groups of its column.

    Parameters
    ----------
    rows : of the table.
    averaged : the rows of which an interval is asked for.
    replicates : of these, where they have a value.
    units : what the group is drawn by.
    """

    rows: list[Row]
    averaged: list[Row]
    replicates: list[Replicates | None]
    units: Units


def _of_models(
    plan: Plan, models: Iterator[OfModel], progress: Progress, noting: Beside | None, processes: int
) -> Iterator[Row]:
    """The rows of all models, one after the other."""
    by = plan.options.by

    def computed(step: tuple[OfModel, Step]) -> OfGroup:
        return _of_group(plan, *step, noting)

    # What is noted beside the values is collected in one place.
    if noting is not None or not plan.options.bootstrap or processes < 2:
        for one in models:
            asked = list(steps(one.part, by))
            yield from _of_model(plan, one, asked, map(computed, ((one, step) for step in asked)), progress)
        return
    # Processes are forked once for all models: what each changes in what it shares is copied for it.
    each = [(one, list(steps(one.part, by))) for one in models]
    everything = [(one, step) for one, asked in each for step in asked]
    is_worth = len(everything) >= GROUPS_WORTH_PROCESSES
    found = mapped(computed, everything, processes=processes if is_worth else 1)
    import pandas as pd  # noqa: F401 - needed in the end, and loaded while the processes work

    for one, asked in each:
        yield from _of_model(plan, one, asked, found, progress)


def _of_group(plan: Plan, of_model: OfModel, step: Step, noting: Beside | None) -> OfGroup:
    """The rows of one group."""
    (group_by, group, members), is_asked = step
    how = _how(plan, is_asked)
    tallies, sample = of_model.groups(members, how)
    place = Place(of_model.model, group_by, group)
    of_group = values(plan.data, how, tallies, sample, place, with_replicates=_is_averaged(group_by, how))
    rows = of_group.rows if noting is None else noting.noted(of_group, place)
    kept = [at for at, cell in enumerate(of_group.cells) if cell.is_drawn or cell.is_spread]
    return OfGroup(rows, [rows[at] for at in kept], [of_group.replicates[at] for at in kept], sample.units)


def _of_model(
    plan: Plan, of_model: OfModel, asked: Sequence[Step], found: Iterator[OfGroup], progress: Progress
) -> Iterator[Row]:
    """The rows of one model: of everything, of each group, and of the groups of each column together."""
    by_column: dict[str, list[Row]] = {}
    means: dict[str, GroupMeans] = {}
    for (group_by, group, _), is_asked in asked:
        progress(f"{of_model.told or of_model.model} {group_by} {group}".rstrip())
        of_one = next(found)
        if is_asked:
            yield from of_one.rows
        if _is_column(group_by):
            by_column.setdefault(group_by, []).extend(of_one.rows)
        if _is_averaged(group_by, _how(plan, is_asked)):
            means.setdefault(group_by, GroupMeans(plan.options.seed)).add(
                of_one.averaged, of_one.replicates, of_one.units
            )
    for column, rows in by_column.items():
        yield from over_groups(rows, means[column].bounds() if column in means else None)


def _how(plan: Plan, is_asked: bool) -> Options:
    """Groups that nobody asked for need no replicates."""
    return plan.options if is_asked else replace(plan.options, bootstrap=0)


def _is_column(group_by: str) -> bool:
    return bool(group_by) and ";" not in group_by


def _is_averaged(group_by: str, options: Options) -> bool:
    """Whether means over the groups of a column have intervals from replicates."""
    return _is_column(group_by) and group_by != FOLD and options.bootstrap > 0
