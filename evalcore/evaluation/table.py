"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evalcore import __version__
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation import saved
from evalcore.evaluation.gathering.gather import Gathered, Gathering, Plan, gathered, unnamed_data
from evalcore.evaluation.gathering.samples import OfModel
from evalcore.evaluation.gathering.states import STATE, with_states
from evalcore.evaluation.intervals.replicates import Replicates
from evalcore.evaluation.mean_intervals import GroupMeans
from evalcore.evaluation.options import Options
from evalcore.evaluation.over_groups import FOLD, over_groups
from evalcore.evaluation.rag import Beside, RagResults
from evalcore.evaluation.row import COLUMNS, Place, Row
from evalcore.evaluation.steps import steps
from evalcore.evaluation.values import Valued, values
from evalcore.files import write_files
from evalcore.problems import InputError, Problem, problem

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]


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

    Raises
    ------
    InputError : for illegal options, and for parts that are not parts of one input, all named together.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    if STATE in options.by:
        chunks = [with_states(chunk, options.tau_neg, options.tau_pos) for chunk in chunks]
    plan = Plan.of(chunks, options, tables)
    tell = progress or (lambda _: None)
    found = gathered(chunks, plan)
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        noting = None if beside is None else beside(found, plan.options)
        parts = models(found, plan.options)
        rows = [row for part in parts for row in _of_model(plan, part, tell, noting)]
        rag = None if noting is None else noting.results(tell)
        table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(METRICS)}
    keys = (table.family + "." + table.metric).map(order)
    table = table.iloc[np.argsort(keys.to_numpy(), kind="stable")].reset_index(drop=True)
    told = plan.data.with_tables(**dict.fromkeys(plan.data.tables))
    if len(chunks) == 1:
        told = replace(chunks[0], warnings=plan.data.warnings)
    return Report(table.astype({"n": "int64", "value": "float64"}), told, plan.options, rag, found)


def _drawn(rows: list[Row], found: Valued) -> tuple[list[Row], list[Replicates | None]]:
    """The rows of which an interval is asked for, where they have a value, and their replicates."""
    kept = [at for at, cell in enumerate(found.cells) if cell.is_drawn or cell.is_spread]
    return [rows[at] for at in kept], [found.replicates[at] for at in kept]


def _of_model(plan: Plan, of_model: OfModel, progress: Progress, noting: Beside | None) -> Iterator[Row]:
    """The rows of one model: of everything, of each group, and of the groups of each column together."""
    options, plain = plan.options, replace(plan.options, bootstrap=0)
    by_column: dict[str, list[Row]] = {}
    means: dict[str, GroupMeans] = {}
    for (group_by, group, mask), is_asked in steps(of_model.part, options.by):
        how = options if is_asked else plain
        progress(f"{of_model.told or of_model.model} {group_by} {group}".rstrip())
        tallies, sample = of_model.groups(mask, how)
        is_column = bool(group_by) and ";" not in group_by
        is_averaged = is_column and group_by != FOLD and how.bootstrap > 0
        place = Place(of_model.model, group_by, group)
        valued = values(plan.data, how, tallies, sample, place, with_replicates=is_averaged)
        rows = valued.rows if noting is None else noting.noted(valued, place)
        if is_asked:
            yield from rows
        if is_column:
            by_column.setdefault(group_by, []).extend(rows)
        if is_averaged:
            means.setdefault(group_by, GroupMeans(how.seed)).add(*_drawn(rows, valued), sample)
    for column, rows in by_column.items():
        yield from over_groups(rows, means[column].bounds() if column in means else None)
