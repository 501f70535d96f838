"""A report as files: every value as CSV and JSON, read by a person as HTML and Markdown, tables as LaTeX.

None of them holds a row or an id of the data: values, counts and names of groups only. The same input and
options make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.engines.local import mapped
from evalcore.evaluation import Report
from evalcore.files import write_files
from evalcore.report.beside import predicted_csv
from evalcore.report.drawings import Draw, Drawing, drawings
from evalcore.report.latex import tables_tex
from evalcore.report.metrics_csv import metrics_csv
from evalcore.report.metrics_json import MetricsFile, metrics_json
from evalcore.report.pages import report_html, report_md
from evalcore.report.terminal import as_text

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint

__all__ = [
    "NAMES",
    "Drawing",
    "MetricsFile",
    "as_text",
    "drawings",
    "metrics_csv",
    "metrics_json",
    "report_files",
    "report_html",
    "report_md",
    "tables_tex",
    "write_report",
]

NAMES = ("metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex", "predicted_labels.csv")
"""The files of a report; the last one where labels were predicted."""

ROWS_WORTH_PROCESSES = 2000
"""Fewer are written before a process has begun."""


def report_files(
    report: Report,
    *,
    thresholds_of: str | None = None,
    drawn: Draw | None = None,
    point: OperatingPoint | None = None,
    processes: int = 1,
) -> dict[str, bytes]:
    """The files of a report: file name → bytes; ``predicted_labels.csv`` where labels were predicted.

    Parameters
    ----------
    report : the values.
    thresholds_of : the model for which the thresholds were chosen, where that is known; the pages say so of
        the other models.
    drawn : makes the figures; None: `drawings`.
    point : the document whose thresholds the report is at, whose targets and verdicts its first pages say.
    processes : how many make files, as of `evalcore.evaluate`.
    """
    makers: dict[str, Callable[[Report], str]] = {
        # First, for it takes as long as all others.
        "report.html": partial(report_html, thresholds_of=thresholds_of, drawn=drawn, point=point),
        "report.md": partial(report_md, thresholds_of=thresholds_of, point=point),
        "metrics.csv": metrics_csv,
        "metrics.json": metrics_json,
        "tables.tex": tables_tex,
        "predicted_labels.csv": predicted_csv,
    }
    is_worth = len(report.table) >= ROWS_WORTH_PROCESSES
    made = mapped(lambda make: make(report), [*makers.values()], processes=processes if is_worth else 1)
    texts = dict(zip(makers, made, strict=True))
    return {name: texts[name].encode() for name in NAMES if texts[name]}


def write_report(
    report: Report,
    out: Path,
    *,
    overwrite: bool = False,
    thresholds_of: str | None = None,
    drawn: Draw | None = None,
    point: OperatingPoint | None = None,
    processes: int = 1,
) -> list[Path]:
    """Write the files of `report_files`: all of them or none.

    Parameters
    ----------
    report : the result of `evalcore.evaluate`.
    out : the folder; made where it is missing.
    overwrite : whether files of these names that come from elsewhere are replaced.
    thresholds_of, drawn, point, processes : as of `report_files`.

    Returns
    -------
    list of the paths.

    Raises
    ------
    OSError : naming the file that could not be written, or must not be replaced.
    """
    files = report_files(report, thresholds_of=thresholds_of, drawn=drawn, point=point, processes=processes)
    return write_files(out, files, overwrite=overwrite)
