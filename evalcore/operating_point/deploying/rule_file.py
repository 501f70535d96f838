"""A document's rule as a file that decides as the document does, and tests itself where it runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import jinja2

from evalcore.operating_point.deploying import literals, vectors
from evalcore.operating_point.deploying.limits import limits_of
from evalcore.operating_point.document.build import MAXIMUM
from evalcore.operating_point.document.rule import ERROR, Rule
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.problems import InputError, problem
from evalcore.text.legible import LINE_END, one_line

Language = Literal["sql", "javascript", "r", "python", "java"]


@dataclass(frozen=True)
class Dialect:
    """How a language is written: its name, the end of its files, its comments and its numbers.

    Parameters
    ----------
    label : for people.
    suffix : of the file's name.
    comment : what begins a comment that ends with its line.
    number : a finite float64 as text that the language reads as the same one.
    infinity : the infinite one.
    """

    label: str
    suffix: str
    comment: str
    number: Callable[[float], str]
    infinity: str


LANGUAGES: Mapping[Language, Dialect] = {
    "sql": Dialect("SQL", "sql", "--", literals.sql, "CAST(1 AS DOUBLE PRECISION) * 1e308 * 10"),
    "javascript": Dialect("JavaScript", "js", "//", literals.shortest, "Infinity"),
    "r": Dialect("R", "R", "#", literals.hexadecimal, "Inf"),
    "python": Dialect("Python", "py", "#", literals.shortest, 'float("inf")'),
    "java": Dialect("Java", "java", "//", literals.shortest, "Double.POSITIVE_INFINITY"),
}


def rule_file(point: OperatingPoint, language: Language) -> str:
    """The rule of a document in a language, as the text of one file.

    The file decides as `OperatingPoint.apply` does, names the document by its hash, and holds a self-test
    that one command runs. It needs nothing but the language.

    Parameters
    ----------
    point : the document.
    language : ``sql`` (DuckDB and SQLite), ``javascript``, ``r``, ``python`` or ``java``.

    Raises
    ------
    InputError : RUL-001 for another language; as for `OperatingPoint.apply`: DOC-009 for a withdrawn
        document, DOC-003 or OPT-105 for one that was changed after it was made.
    """
    if language not in LANGUAGES:
        raise InputError([problem("RUL-001", found=language, expected=", ".join(get_args(Language)))])
    point.check_in_force()
    dialect, rule = LANGUAGES[language], point.rule
    limits = limits_of(rule)
    known = vectors.numbers(rule, limits, point.document)
    number = _number_in(dialect)
    return (
        _templates()
        .get_template(f"rule.{dialect.suffix.lower()}.jinja")
        .render(
            header=_header(point, rule, dialect),
            limits={name: None if one is None else number(one) for name, one in vars(limits).items()},
            invalid=rule.invalid_score if rule.invalid_score != "error" else ERROR,
            numbers=[(number(one), state) for one, state in known],
            texts=vectors.texts(rule, known),
            is_of_predicted_class=point.is_of_predicted_class,
            is_highest=point.document["input"].get("aggregate") == MAXIMUM,
            sha256=point.document["content_sha256"],
        )
    )


def rule_name(point: OperatingPoint, language: Language) -> str:
    """What the file is called: by the document's id, which says the thresholds."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", str(point.document["id"])).strip("_.")[:60]
    return f"rule_{name or 'point'}.{LANGUAGES[language].suffix}"


def _number_in(dialect: Dialect) -> Callable[[float], str]:
    def number(value: float) -> str:
        if math.isinf(value):
            return dialect.infinity if value > 0 else f"-{dialect.infinity}"
        return dialect.number(value)

    return number


def _header(point: OperatingPoint, rule: Rule, dialect: Dialect) -> str:
    """Which document this is, what it decides, and of what: as comments, a line each."""
    document = point.document
    given = document["input"]
    model = "" if point.model is None else f", of model {point.model}"
    neg = "none, no score is NEG" if rule.tau_neg is None else f"{threshold_text(rule.tau_neg)}, NEG below it"
    pos = (
        "none, no score is POS" if rule.tau_pos is None else f"{threshold_text(rule.tau_pos)}, POS from it on"
    )
    wrong = "ERROR: stop and say so" if rule.invalid_score == "error" else rule.invalid_score
    lines = [
        "The rule of an operating point, written by evalcore. Nobody edits it: a new choice is a new file.",
        f"Operating point {document['id']}, status {document['status']}, schema {document['schema_version']}",
        f"Content hash (SHA-256) {document['content_sha256']}",
        f"Score: {given['score_field']}{model}. Another model or calibration needs another document.",
        f"tau_neg: {neg}. tau_pos: {pos}. Otherwise UNCERTAIN.",
        f"A score is {rule.wanted}. What is none, as a missing value or NaN: {wrong}.",
    ]
    if rule.dtype == "float32":
        lines.append(
            "The document rounds scores to float32 first. The numbers below are the float64 at which a "
            "rounded score passes its thresholds: give the score as it is."
        )
    else:
        lines.append("A float32 score is compared as the float64 that it is. Round nothing.")
    if given.get("aggregate") == MAXIMUM:
        lines.append(
            "The score of a check is the highest of its candidates: decide on that, once each is a score."
        )
    if point.is_of_predicted_class:
        lines.append(
            "The score field holds the score of the predicted class: p is the score where the prediction is "
            "positive, else 1 - score."
        )
    return "\n".join(f"{dialect.comment} {_plain(line)}" for line in lines)


def _plain(text: str) -> str:
    """Text that stays within its comment: ASCII on one line, without what a language reads in comments."""
    text = one_line(text).replace(LINE_END, " ").replace("\\", "/").replace("*/", "* /")
    return re.sub(r"[^ -~]", "?", text)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("evalcore.operating_point.deploying", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["quoted"] = json.dumps
    return environment
