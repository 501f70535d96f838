"""The pages of ``docs/`` made from the declarations: metrics, problems, and the way from the documents."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

from evalcore.catalog import METRICS, describe
from evalcore.files import write_files
from evalcore.problems import KINDS
from evalcore.settings import OTHER_VARIABLES, Settings

ELSEWHERE = {
    "000 §1.1": "notation: gold and lists are `evalcore.data.Rankings`, K_eff is `effective_k`",
    "000 §2.1": "the mean over a population, `evalcore.spec.PerQuery`",
    "000 §2.2": "`population`: every ranking value for `positives_only` and for `all_queries`, with its n",
    "000 §3.1": "`--ks`; the whole list is always reported beside them",
    "000 §3.2": "the distribution of K_eff on the Ranking page; variants `k_eff` of `ranking.ndcg` and "
    "`returned` of `ranking.precision`",
    "000 §5": '`undefined="contract"`, `--undefined contract`',
    "000 §6.1": "`python -m evalcore crosscheck`",
    "000 §6.2": "declared bounds of every metric, held by a property test",
    "000 §7": "[metrics.md](metrics.md)",
    "001 §2.4": "the note of `classification.tpr_at_fpr`: achieved FPR and threshold",
    "001 §3.4": "`evalcore.tallies.selections`: k_min, hard_cap and ratio",
    "001 §5.1": "the value over all rows; `micro` of `multilabel.f1`",
    "001 §5.2": "`--by criterion`: rows with `stat=mean;over=criterion`",
    "001 §6": "rows with `stat=mean;over=folds` and `stat=sd;over=folds` (`population` and `sample`)",
    "001 §7": "expected ranges of a pipeline, no definition",
    "001 §8": "a test",
    "002 §1.1": "checks of the data: completeness grid posts × criteria",
    "002 §1.2": "checks of the data: posts in several folds",
    "002 §1.3": "`n_candidates`",
    "002 §5.1": "`evalcore.tallies.decisions.states_at`",
    "002 §7.1": "`--by criterion`",
    "002 §7.2": "`--by criterion` on ranked lists",
    "002 §8.1": "`evalcore.ablation`",
    "002 §8.2": "`evalcore.selection_sweep`, `evalcore.ablation`",
    "002 §9.1": "declared bounds; `python -m evalcore check`",
    "002 §9.2": "`python -m evalcore check`",
    "002 §9.3": "every value carries params, variant, population and n",
    "002 §10.1": "rows over folds",
    "002 §10.2": "`tables.tex`, `report.md`, `report.html`",
    "002 §10.3": "`report.html`, the Report page",
    "002 §11.1": "`python -m evalcore evaluate`",
    "002 §11.2": "`python -m evalcore crosscheck`",
    "002 §11.3": "`python -m evalcore check`",
    "002 §A.1": "`population` and n of every value",
    "002 §A.2": "`python -m evalcore choose --tune --test`; the status of an operating point",
    "002 §A.3": "`ranking.recall` takes k, `extraction.evidence_recall` a policy",
    "002 §A.4": "`python -m evalcore check`",
}


def sections() -> dict[str, list[str]]:
    """Section of a document, such as ``002 §5.3`` → the keys of the metrics that name it as their source.

    Sections of document 004 have names in place of numbers: ``004 Precision@K``.
    """
    found: dict[str, list[str]] = {}
    for key, metric in METRICS.items():
        document = ""
        if re.fullmatch(r"\d{3} [^§]+", metric.source):
            found.setdefault(metric.source, []).append(key)
        for number, section in re.findall(r"(?:(\d{3}) )?§([\d.]*\d)", metric.source):
            document = number or document
            found.setdefault(f"{document} §{section}", []).append(key)
    return found


def documents_page() -> str:
    """``docs/documents.md``: every section of documents 000 to 004 and what answers it."""
    by_section = {section: ", ".join(f"`{key}`" for key in keys) for section, keys in sections().items()}
    rows = {**ELSEWHERE, **by_section}
    lines = [
        "# From the documents to the metrics",
        "",
        "Made from the declarations by `make docs`; do not edit.",
        "",
    ]
    lines += ["| section | found in |", "|---|---|"]
    lines += [f"| {section} | {rows[section]} |" for section in sorted(rows, key=_order)]
    return "\n".join(lines) + "\n"


def _order(section: str) -> tuple[str, list[tuple[int, str]]]:
    document, _, number = section.partition(" §")
    if not number:  # named sections stay in the order of the metrics
        return section[:3], []
    return document, [(int(part) if part.isdigit() else 99, part) for part in number.split(".")]


def metrics_page() -> str:
    """``docs/metrics.md``, made from the declarations."""
    lines = ["# Metrics", "", "Made from the declarations by `make docs`; do not edit.", ""]
    lines += ["An undefined value is NaN with a reason; it is never 0 and enters no mean silently.", ""]
    for family in dict.fromkeys(m.family for m in METRICS.values()):
        module = import_module(f"evalcore.metrics.{family}")
        lines += [f"## {family}", "", inspect.getdoc(module) or "", ""]
        lines += [describe(m) for m in METRICS.values() if m.family == family]
    return "\n".join(lines).rstrip() + "\n"


def problems_page() -> str:
    """``docs/problems.md``, made from the declarations."""
    lines = ["# Problems", "", "Made from the declarations by `make docs`; do not edit.", ""]
    lines += ["A message says where, what was found, what was expected and what to do.", ""]
    lines += ["| code | severity | found | expected | what to do |", "|---|---|---|---|---|"]
    for kind in KINDS.values():
        cells = (kind.code, kind.severity, kind.found, kind.expected, kind.remedy)
        lines.append("| " + " | ".join(_cell(text) for text in cells) + " |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """``docs/settings.md``, made from `Settings`: every variable that the package or the pages read."""
    lines = ["# Settings", "", "Made from the declarations by `make docs`; do not edit.", ""]
    lines += ["Each is a variable of the environment. A limit is a whole number from 1 on.", ""]
    lines += ["A name that is one of these but for a slip is refused: it would not be in force.", ""]
    lines += ["| variable | default | what it is |", "|---|---|---|"]
    told = re.sub(r"\n +", " ", inspect.getdoc(Settings) or "")
    meanings = dict(re.findall(r"^(\w+) : (.+)$", told, flags=re.MULTILINE))
    rows = {
        f"EVALCORE_{one.name.upper()}": (f"{one.default:,}", meanings[one.name].rstrip("."))
        for one in fields(Settings)
    }
    for name, (default, meaning) in {**rows, **OTHER_VARIABLES}.items():
        lines.append(f"| `{name}` | {default} | {_cell(meaning)} |")
    return "\n".join(lines) + "\n"


def _cell(template: str) -> str:
    """A message template as a table cell: the facts that it takes in italics."""
    return re.sub(r"\{(\w+)[^{}]*\}", r"*\1*", template).replace("|", "\\|")


def pages() -> dict[str, str]:
    """File name in ``docs/`` → text."""
    return {
        "metrics.md": metrics_page(),
        "problems.md": problems_page(),
        "documents.md": documents_page(),
        "settings.md": settings_page(),
    }


def write_pages(folder: Path) -> list[Path]:
    """Write the pages into a folder and return their paths."""
    return write_files(folder, {name: text.encode() for name, text in pages().items()}, overwrite=True)


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
