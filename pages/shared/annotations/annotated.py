"""What the RAG pages show of the session's annotations, computed once for a setting."""

import math
from collections.abc import Iterable, Sequence

import pandas as pd

from evalcore import evaluate
from evalcore.agreement import Alpha, Weakest, alphas, weakest
from evalcore.annotations import LABELS, Annotations, RagTask
from evalcore.evaluation import Report, group_columns
from evalcore.problems import InputError
from evalcore.spec import METRICS, Metric
from evalcore.text.numerals import between_text, percent
from pages.shared import choices, widgets
from pages.shared.data import session
from pages.shared.memo import remember

B = 2000
CUT_OFFS = (1, 3, 5, 10, 20)
USUAL_K = 5
NOTHING = "no breakdown"
MOST_GROUPS = 50
NO_BREAK = "\u00a0"
ABOUT = {"retrieval": "retrieved chunks", "grounding": "grounding of answers", "generation": "answers"}


def annotations_in_use() -> Annotations | None:
    """The session's annotations; where the sample is damaged the page says so."""
    try:
        return session.annotated().data.annotations
    except InputError as error:
        widgets.problem_list(error.problems)
        return None


def report(*ks: int, by: tuple[str, ...] = ()) -> Report:
    """Every metric at these cut-offs, with intervals, and what each rests on."""
    in_use = session.annotated()
    return remember("rag_report", (in_use.key, ks, by), lambda: _evaluated(ks, by))


def _evaluated(ks: tuple[int, ...], by: tuple[str, ...]) -> Report:
    with session.heavy_work():
        return evaluate(session.annotated().data, ks=ks, by=by, bootstrap=B)


def agreement(annotations: Annotations) -> tuple[Alpha, ...]:
    """How far annotators agree on every label of every task."""
    return remember(
        "rag_agreement",
        session.annotated().key,
        lambda: tuple(
            alpha
            for responses in annotations.responses.values()
            for alpha in alphas(responses, annotations.record_ids, n_replicates=B)
        ),
    )


def default_row(
    found: Report, metric: Metric, *, k: int | None = None, group_by: str = "", group: str = ""
) -> pd.Series | None:
    """The row of a metric's default definition, or None where the data lack the task.

    ``k`` names one of several cut-offs; without it the first one is meant.
    """
    table = found.table
    rows = table[
        (table["metric"] == metric.name)
        & (table["variant"] == metric.default_variant)
        & (table["group_by"] == group_by)
        & (table["group"] == group)
        & ~table["params"].str.contains("stat=")
    ]
    # The whole list stands behind the cut-off that was asked for.
    at_k = rows[rows["params"].str.startswith("k=") if k is None else rows["params"] == f"k={k}"]
    rows = at_k if len(at_k) else rows
    return None if rows.empty else rows.iloc[0]


def coverage_of(found: Report, metric: Metric) -> pd.Series:
    """What a metric's default value over everything rests on, at the cut-off that was asked for."""
    assert found.rag is not None
    rows = found.rag.coverage
    rows = rows[(rows["metric"] == metric.name) & (rows["group_by"] == "")]
    return rows.iloc[0]


def between(row: pd.Series) -> str:
    """The ends of the interval of a metric on one line, or n/a."""
    return between_text(of(row), row["ci_low"], row["ci_high"]).replace(" ", NO_BREAK)


def of(row: pd.Series) -> Metric:
    """The metric of a row."""
    return METRICS[f"{row['family']}.{row['metric']}"]


def without_empty(header: Sequence[str], lines: Sequence[Sequence[str]], *, name: str) -> None:
    """A table without the columns in which no line says anything."""
    kept = [at for at in range(len(header)) if any(line[at] for line in lines)]
    widgets.table([header[at] for at in kept], [[line[at] for at in kept] for line in lines], name=name)


def interval_text(row: pd.Series) -> str:
    """The interval of a value, or nothing."""
    if math.isnan(row["ci_low"]):
        is_constant = row["ci_method"].startswith("not_estimable(alike_in_replicates")
        return "interval not estimable: every value is the same" if is_constant else "no interval"
    method = "Wilson" if row["ci_method"].startswith("wilson") else "bootstrap"
    return f"{between(row)} ({percent(row['ci_level'])}, {method})"


def weakest_of(metric: Metric, found: Iterable[Alpha]) -> Weakest:
    """The weakest agreement that a metric rests on."""
    return weakest(found, metric.labels)


def cut_offs(annotations: Annotations) -> list[int]:
    """The usual cut-offs that the retrieved lists reach, and the end of the longest one that is no deeper."""
    responses = annotations.responses.get("retrieval")
    if responses is None:
        return [k for k in CUT_OFFS if k <= USUAL_K]
    longest = responses.deepest
    return sorted({*(k for k in CUT_OFFS if k <= longest), min(longest, CUT_OFFS[-1])})


def choose_cut_off(annotations: Annotations) -> int:
    """The K of the retrieval metrics."""
    options = cut_offs(annotations)
    usual = USUAL_K if USUAL_K in options else options[-1]
    return int(
        choices.segmented("K", "k", [f"{k:d}" for k in options], str(usual), key="rag_k", is_shared=True)
    )


def choose_column() -> str | None:
    """A column to break down by, or None."""
    columns = group_columns(session.annotated().data)
    return choices.optional("By", "by", columns, NOTHING, key="rag_by", is_shared=True, width=200)


def show_missing(tasks: Iterable[RagTask]) -> None:
    """Which tasks the data lack, and what cannot be computed therefore."""
    for task in tasks:
        labels = ", ".join(LABELS[task])
        widgets.plain(
            f"No {task} responses: nothing can be said about {ABOUT[task]}. It takes a file with one row a "
            f"response and at least one of the labels {labels}.",
            is_quiet=True,
        )


def frame(table: pd.DataFrame, said: str, /, **columns: str) -> None:
    """A table whose text is shown as it is written, with the columns named; `said` names it."""
    shown = table[list(columns)].rename(columns=columns)
    widgets.table(shown.columns, shown.astype(str).itertuples(index=False), name=said)
