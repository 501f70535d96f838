"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore import __version__
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation import saved
from evalcore.evaluation.gathering.gather import Gathered, Plan, gathered, with_state
from evalcore.evaluation.gathering.samples import Draws, Groups, of_lists, of_queries, of_stated
from evalcore.evaluation.groups import Divided, groups
from evalcore.evaluation.intervals.replicates import Replicates
from evalcore.evaluation.mean_intervals import GroupMeans
from evalcore.evaluation.options import RAG_KS, Options
from evalcore.evaluation.over_groups import FOLD, over_groups
from evalcore.evaluation.rag import MODEL, Beside, RagResults, judged_groups, judged_tasks
from evalcore.evaluation.row import COLUMNS, Place, Row
from evalcore.evaluation.saved.unnamed import unnamed_data
from evalcore.evaluation.values import Valued, values
from evalcore.files import write_files
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.units import UnitLists, UnitScores

if TYPE_CHECKING:
    import pandas as pd


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


def evaluate(
    data: Data | Iterable[Data], *, progress: Callable[[str], None] | None = None, **options: Any
) -> Report:
    """Compute every metric that the data allow.

    Parameters
    ----------
    data : checked data, from `evalcore.load`, or the parts of one input, read apart and in any order: each
        query of a model in one part, each ranked query with its whole lists too.
    progress : is told what comes next, a group at a time.
    options : fields of `Options`, such as ``by``, ``ks``, ``tau_neg`` and ``tau_pos``. Without a column
        ``state``, values by state are those of the states that the thresholds give.

    Returns
    -------
    Report, whose ``table`` has one row per metric, parameters, variant, population, model and group. A value
    that is not defined is NaN with the reason in ``note``. Parts give the same table, to the bit, as the
    whole; the data of their report have sources, warnings and notes, and no rows.

    Raises
    ------
    InputError : for illegal options, and for parts that are not parts of one input, all named together.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    chunks = (data,) if isinstance(data, Data) else tuple(data)
    if isinstance(options.get("by"), str):
        options["by"] = (options["by"],)
    if chunks and chunks[0].task == "rag":
        options.setdefault("ks", RAG_KS)
    plan = Plan.of(chunks, Options(**options))
    tell = progress or (lambda _: None)
    found = gathered(chunks, plan)
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        beside = None if found.said is None else Beside(found.said, plan.options)
        rows = list(_rows(plan, found, tell, beside))
        rag = beside.results(tell) if beside is not None else None
        table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(METRICS)}
    keys = (table.family + "." + table.metric).map(order)
    table = table.iloc[np.argsort(keys.to_numpy(), kind="stable")].reset_index(drop=True)
    told = plan.data.with_tables(queries=None, rankings=None)
    if len(chunks) == 1:
        told = replace(with_state(chunks[0], plan.options), warnings=plan.data.warnings)
    return Report(table.astype({"n": "int64", "value": "float64"}), told, plan.options, rag, found)


def _rows(
    plan: Plan, found: Gathered, progress: Callable[[str], None], beside: Beside | None
) -> Iterator[Row]:
    """Rows of the table, a model at a time."""
    options, lists, scores = plan.options, found.lists, found.scores
    draws = Draws(options)
    if beside is not None and found.said is not None:
        for task in judged_tasks(found.said, options):
            tell = partial(_tell, progress, task.responses.task)
            parts = judged_groups(task, options, draws)
            yield from _of_model(plan, MODEL, task, parts, tell, beside.noted)

    def of_model(model: str, part: UnitScores | UnitLists, group_of: Groups) -> Iterator[Row]:
        return _of_model(plan, model, part, group_of, progress)

    for code, model in enumerate(scores.models if scores is not None else ()):
        assert scores is not None
        queries = scores.where(scores.model == code)
        yield from of_model(model, queries, of_queries(queries, options, draws))
        if lists is None:
            yield from of_model(model, queries, of_stated(queries, options, None, None, draws))
        elif "selected_k" in queries.numbers:
            for name, one in lists.lists.items():
                ranked = one.ranked if one.one_order is None else one.one_order
                stated = of_stated(queries, options, lists, ranked, draws)
                yield from of_model(name if len(scores.models) == 1 else f"{model};{name}", queries, stated)
    for name in lists.lists if lists is not None else ():
        assert lists is not None
        yield from of_model(name, lists, of_lists(lists, name, scores, options, draws))


def _drawn(rows: list[Row], found: Valued) -> tuple[list[Row], list[Replicates | None]]:
    """The rows of which an interval is asked for, where they have a value, and their replicates."""
    kept = [at for at, cell in enumerate(found.cells) if cell.is_drawn or cell.is_spread]
    return [rows[at] for at in kept], [found.replicates[at] for at in kept]


def _tell(progress: Callable[[str], None], task: str, what: str) -> None:
    progress(f"{task} {what.removeprefix(MODEL).strip()}".rstrip())


def _of_model(
    plan: Plan,
    model: str,
    part: UnitScores | UnitLists | Divided,
    group_of: Groups,
    progress: Callable[[str], None],
    noted: Callable[[Valued, Place], list[Row]] | None = None,
) -> Iterator[Row]:
    """The rows of one model: of everything, of each group, and of the groups of each column together.

    Folds are evaluated even where nobody asks for them, for the mean and the spread over folds. ``noted``
    makes the rows of what was computed, where they say more than that.
    """
    options = plan.options
    asked = [(group, options) for group in groups(part, options.by)]
    if FOLD in part.slices and FOLD not in options.by:
        plain = replace(options, bootstrap=0)
        asked += [(group, plain) for group in groups(part, (FOLD,)) if group[0]]
    by_column: dict[str, list[Row]] = {}
    means: dict[str, GroupMeans] = {}
    for (group_by, group, mask), how in asked:
        progress(f"{model} {group_by} {group}".rstrip())
        tallies, sample = group_of(mask, how)
        is_column = bool(group_by) and ";" not in group_by
        is_averaged = is_column and group_by != FOLD and how.bootstrap > 0
        place = Place(model, group_by, group)
        valued = values(plan.data, how, tallies, sample, place, with_replicates=is_averaged)
        rows = noted(valued, place) if noted is not None else valued.rows
        if how is options:
            yield from rows
        if is_column:
            by_column.setdefault(group_by, []).extend(rows)
        if is_averaged:
            means.setdefault(group_by, GroupMeans(how.seed)).add(*_drawn(rows, valued), sample)
    for column, rows in by_column.items():
        yield from over_groups(rows, means[column].bounds() if column in means else None)
