"""``tables.tex``: the default variants as tables for a paper, in ASCII, which every LaTeX takes."""

from __future__ import annotations

import unicodedata
from typing import Any

from evalcore.evaluation import Report
from evalcore.report import layout
from evalcore.report.facts import facts, printed
from evalcore.report.methods import methods

PREAMBLE = r"""% Compiles as it is; for a paper, copy a table and load booktabs, longtable and array.
\documentclass[a4paper,10pt]{article}
\usepackage[landscape,margin=15mm]{geometry}
\usepackage{array,booktabs,longtable}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}
\setlength{\parindent}{0pt}
\setlength{\emergencystretch}{3em}
\begin{document}
"""
COLUMNS = r"{@{}L{50mm}rrL{44mm}L{92mm}@{}}"
HEAD = ("Metric", "Value", r"Mean $\pm$ sd over folds", "Subset", "Meaning")
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\char96{}",
    "'": "'{}",
    "-": "-{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "τ": r"$\tau$",
    "γ": r"$\gamma$",
    "α": r"$\alpha$",
    "σ": r"$\sigma$",
    "Σ": r"$\Sigma$",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "√": r"$\surd$",
    "∩": r"$\cap$",
    "∪": r"$\cup$",
    "∈": r"$\in$",
    "²": "$^2$",
    "₂": "$_2$",
    "½": r"$\frac12$",
    "§": r"\S{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`{}",
    "’": "'{}",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u ",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r ",
    "\u030b": "H ",
    "\u030c": "v ",
    "\u0327": "c ",
}


def tables_tex(report: Report) -> str:
    """The values over all rows as LaTeX tables, one a family or chapter and model, default variants only.

    Every line says what is measured, the value, its mean and standard deviation (1/N) over folds where there
    are folds, the subset with its n, and, once for a metric, what it means.

    Source
    ------
    Document 002 §10.2.
    """
    said = facts(report)
    parts = [PREAMBLE, *_heading(said), *_on_intervals(report)]
    for part, of_part in layout.split(_shown(report), "part"):
        parts += [_table(part, model, of_model) for model, of_model in layout.split(of_part, "model")]
    return "\n".join([*parts, "\\end{document}\n"])


def latex_text(value: Any) -> str:
    r"""Text that LaTeX shows as it is written, on one line; letters that it lacks by their code point.

    Examples
    --------
    >>> print(latex_text("p_final 95 % [a] <x> τ_neg ≥ 0.1 café 中"))
    p\_final 95 \% {[}a{]} \textless{}x\textgreater{} $\tau$\_neg $\geq$ 0.1 caf\'{e} \texttt{U+4E2D}
    """
    return "".join(map(_letter, " ".join(str(value).split())))


def _letter(character: str) -> str:
    if character in SPECIAL:
        return SPECIAL[character]
    if " " <= character <= "~":
        return character
    parts = unicodedata.normalize("NFD", character)
    base, accent = parts[0], parts[1:]
    if base.isascii() and base.isalpha() and accent in ACCENTS:
        return f"\\{ACCENTS[accent]}{{{base}}}"
    return f"\\texttt{{U+{ord(character):04X}}}"


def _heading(said: dict[str, Any]) -> list[str]:
    lines = [r"\textbf{Evaluation report}\par"]
    lines += [
        f"{latex_text(source['name'])}: {source['n_used']:,} rows, SHA{'-{}'}256 "
        rf"\texttt{{{source['sha256'][:32]}}}\linebreak[1]\texttt{{{source['sha256'][32:]}}}\par"
        for source in said["inputs"]
    ]
    options = "; ".join(f"{name} = {printed(name, value)}" for name, value in said["options"].items())
    lines.append(latex_text(f"Options: {options}. evalcore {said['evalcore']}.") + r"\par")
    lines.append(latex_text("Default variants; every value is in metrics.csv. sd: 1/N.") + r"\par")
    return lines


def _on_intervals(report: Report) -> list[str]:
    behind = methods(report)
    said = "After a value, as in 0.89 to 0.93 (95 %): its two-sided interval, ends rounded outward."
    return [latex_text(" ".join([said, *behind])) + r"\par"] if behind else []


def _shown(report: Report) -> list[layout.Value]:
    return [
        value
        for value in layout.values(report)
        if not (value.group_by or value.is_spread)
        and value.variant.split(";")[0] in (value.declared.default_variant, report.options.ties)
    ]


def _table(part: str, model: str, values: list[layout.Value]) -> str:
    head = " & ".join(HEAD) + r" \\"
    lines = [
        rf"\begin{{longtable}}{COLUMNS}",
        rf"\caption{{{latex_text(part)}, {latex_text(model)}}}\\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
    ]
    explained: set[str] = set()
    for value in values:
        meaning = "" if value.metric in explained else value.declared.summary
        explained.add(value.metric)
        lines.append(" & ".join(_cells(value, meaning)) + r" \\")
    return "\n".join([*lines, r"\end{longtable}"])


def _cells(value: layout.Value, meaning: str) -> list[str]:
    params = value.params.replace(";", ", ")
    name = f"{value.declared.label}, {params}" if params else value.declared.label
    subset = f"{value.population.replace('_', ' ')}, n = {value.n:,}"
    shown = f"n/a: {value.reason}" if value.reason else f"{value.text} {value.interval}"
    value_cell = rf"\multicolumn{{2}}{{L{{50mm}}}}{{{latex_text(shown)}}}"
    cells = [latex_text(shown), latex_text(value.over_folds) or "--"]
    return [
        latex_text(name),
        *([value_cell] if value.reason else cells),
        latex_text(subset),
        latex_text(meaning),
    ]
