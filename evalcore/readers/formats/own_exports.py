"""Files that this program writes itself, given as input: what each is, and where it goes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Mapping, Sequence

from evalcore.files import SAVED_REPORT, SITE_TALLY

_HEAD = 65536
_LARGEST = 50_000_000
_NAME_SHOWN, _NAMES_SHOWN = 40, 6
_POINT = re.compile(rb'"schema"\s*:\s*"operating-point"')
_REPORT = (
    re.compile(rb'"evalcore"\s*:\s*"'),
    re.compile(rb'"data_sha256"\s*:\s*"'),
    re.compile(rb'"metrics"\s*:\s*\['),
)

_SAVED = f"mimetype{SAVED_REPORT}".encode()

SAVED = "a saved report"
_OF_SAVED = (
    "It holds values and counts, and no rows. On the command line, report REPORT.evalcore --out DIR writes "
    "its files again, and the Data page opens it alone; what is given here is its data."
)
_TALLY = f"mimetype{SITE_TALLY}".encode()
_OF_TALLY = (
    "It holds counts at the points of a grid, and no rows: evaluate, choose, verify, show, explore and "
    "compare on the command line take it in place of rows, alone or with those of other sites; what needs "
    "rows cannot."
)
POINT = "an operating-point document"
_OF_POINT = (
    "It holds thresholds and no rows. On the command line, verify POINT.json DATA recomputes it and apply "
    "POINT.json DATA --out FILE decides with it; what is given here is its data."
)
_OF_METRICS = (
    "Nothing is computed from it: check metrics.json holds it against itself; the files that it names can be "
    "evaluated and compared."
)
METRICS_JSON = "the metrics of evaluate (metrics.json)"
_OF_METRICS_JSON = f"The Data page opens it alone. {_OF_METRICS}"
_TO_READ = "It is there to be read: give the files that were evaluated, which it names."
_TO_OPEN = "It is there to be opened in a browser: give the file that it was made of, which it names."
_OF_COMPARISON = "Give the predictions or annotations of both sides: compare A B."
_OF_THRESHOLDS = "It holds thresholds, no rows: choose again with the targets that reach the line you want."
KINDS: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"family", "metric", "params", "variant", "population", "group_by", "value", "ci_method"}),
        "the table of metrics of evaluate (metrics.csv)",
        _OF_METRICS,
    ),
    (
        frozenset({"first", "second", "metric", "difference", "p", "p_holm", "p_method"}),
        "a comparison, as compare writes it",
        _OF_COMPARISON,
    ),
    (
        frozenset({"classifier", "kind", "task", "label", "quantity", "n_human"}),
        "the table of predicted labels of evaluate (predicted_labels.csv)",
        _OF_METRICS,
    ),
    (
        frozenset({"aims", "tau_neg", "tau_pos", "workload", "alerts_right"}),
        "thresholds that no others beat, as choose --pareto writes them",
        _OF_THRESHOLDS,
    ),
    (
        frozenset(
            {"tau_neg", "tau_pos", "screening_sensitivity", "alert_precision", "alerts_per_1000", "n_missed"}
        ),
        "pairs of thresholds, as sweep prints them",
        _OF_THRESHOLDS,
    ),
    (
        frozenset({"step", "metric", "fold_mean", "fold_sd_sample", "n_folds", "change"}),
        "steps of a pipeline, as ablation prints them",
        _OF_COMPARISON,
    ),
)
"""Columns that only such a table has together, what it is, and what to do."""


_STATES = frozenset({"NEG", "UNCERTAIN", "POS"})
DECISIONS = "decisions, as apply writes them"
OF_DECISIONS = (
    "They have no labels: give the file that they were made of, or this one with a file of the labels by the "
    "same ids (--truth FILE)."
)


def are_decisions(sample: Mapping[str, Sequence[str]], roles: Collection[str]) -> bool:
    """Whether a table ends with a score and a state for each row, and has no labels.

    Parameters
    ----------
    sample : column → its first cells, in the order of the file.
    roles : the roles that its columns have.
    """
    columns = list(sample.items())
    if len(columns) < 3 or columns[-1][0] != "state" or not {"has_evidence", "gold_ids"}.isdisjoint(roles):
        return False
    return bool(columns[-1][1]) and set(columns[-1][1]) <= _STATES


def is_saved_report(content: bytes) -> bool:
    """Whether a file is a report that was saved; whether it is whole is another question."""
    return content.startswith(b"PK\x03\x04") and content[30:].startswith(_SAVED)


def is_tally(content: bytes) -> bool:
    """Whether a file begins as the tallies of a site; whether it is whole is another question."""
    return content.startswith(b"PK\x03\x04") and content[30:].startswith(_TALLY)


def table_in_words(text: bytes) -> str | None:
    """What a text is whose first line has several fields: decisions, or a table by its columns; else None.

    >>> table_in_words(b"post_id,label,p\\nx,1,0.5\\n")
    'a table with the columns post_id, label, p'
    """
    lines = text[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff").splitlines()
    line = next((one for one in lines if one.strip()), "")
    mark = max(",;\t", key=line.count)
    names = [name.strip(' "')[:_NAME_SHOWN] for name in line.split(mark)]
    if len(names) < 2:
        return None
    rows = [one.split(mark) for one in lines[1:] if one.count(mark) >= len(names) - 1]
    if len(names) > 2 and names[-1] == "state" and rows and {row[-1].strip() for row in rows} <= _STATES:
        return f"{DECISIONS}, not the document itself"
    return f"a table with the columns {', '.join(names[:_NAMES_SHOWN])}" + (
        ", …" if names[_NAMES_SHOWN:] else ""
    )


def own_export(text: bytes) -> tuple[str, str] | None:
    """What a text is that this program wrote, and what to do; None for any other.

    Parameters
    ----------
    text : its bytes.
    """
    if is_saved_report(text):
        return SAVED, _OF_SAVED
    if is_tally(text):
        return "tallies of a site", _OF_TALLY
    start = text[:_HEAD].removeprefix(codecs.BOM_UTF8).lstrip()
    if start[:1] == b"{":
        return _document(text[:_LARGEST])
    if start.startswith(b"# Evaluation report\n"):
        return "a report of evaluate (report.md)", _TO_READ
    if b"<title>Evaluation report</title>" in start[:2000]:
        return "a report of evaluate (report.html)", _TO_READ
    if b'content="evalcore: the threshold explorer' in start[:2000]:
        return "the threshold explorer as a file (explorer.html)", _TO_OPEN
    if start.startswith(b"% Compiles as it is; for a paper, copy a table"):
        return "the tables of a report of evaluate (tables.tex)", _TO_READ
    return _table(start)


def _document(text: bytes) -> tuple[str, str] | None:
    if _POINT.search(text) and b'"content_sha256"' in text:
        return POINT, _OF_POINT
    if all(one.search(text) for one in _REPORT):
        return METRICS_JSON, _OF_METRICS_JSON
    return None


def _table(start: bytes) -> tuple[str, str] | None:
    """By the names in the first line that is no remark, whatever stands between them."""
    lines = (line for line in start.split(b"\n") if line.strip() and not line.startswith(b"# "))
    line = next(lines, b"").decode("utf-8", "replace").strip("\r")
    for mark in ",;\t":
        names = frozenset(name.strip(' "') for name in line.split(mark))
        found = next(((kind, advice) for needed, kind, advice in KINDS if needed <= names), None)
        if found is not None:
            return found
    return None
