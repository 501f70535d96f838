"""Whether a document holds as it stands: its schema, its content hash, and what it says of itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.document.bounds import false_bounds
from evalcore.operating_point.document.canonical import content_sha256, id_of
from evalcore.operating_point.document.certification import AGAINST, LEAST_CONFIDENCE
from evalcore.operating_point.document.consistency import false_verdicts as _false_verdicts
from evalcore.operating_point.document.groups import false_groups
from evalcore.operating_point.document.row_counts import false_counts
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.document.sentences import false_sentences
from evalcore.operating_point.rules import FIRST, rules_of
from evalcore.operating_point.wording import percent
from evalcore.problems import InputError, Problem, problem

MOST_DEPARTURES = 100
"""After so many departures from the schema no more are looked for: they are not of a document."""


def check_schema(document: Any, *, file: str | None = None) -> None:
    """Refuse what does not follow ``operating-point.schema.json``.

    Raises
    ------
    InputError : DOC-002 with every departure, of which at most 100 are looked for.
    """
    found = _schema_problems(document, file)
    if found:
        raise InputError(found)


def contradictions(document: Mapping[str, Any], *, file: str | None = None) -> list[Problem]:
    """Where a document that follows the schema contradicts itself.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-003 when it was edited; else DOC-007, DOC-008, DOC-010, DOC-020, DOC-021, DOC-030 to
    DOC-033 and OPT-002.
    """
    return changes(document, file) or _contradictions(document, file)


def false_id(document: Mapping[str, Any], *, file: str | None = None) -> list[Problem]:
    """OPT-105 where a document that follows the schema has another id than follows from it alone.

    `evalcore.operating_point.document.verifying.verify.verify_document` finds it as well, with what differs:
    this is for a document without its data.
    """
    stated, expected = document["id"], id_of(document)
    return [] if stated == expected else [problem("OPT-105", file=file, found=stated, expected=expected)]


@cache
def _validators() -> tuple[Any, ...]:
    """Of the schema, and of what a document may hold beside it."""
    import jsonschema

    texts = (files(__package__).joinpath(f"{name}.schema.json") for name in ("operating-point", "additions"))
    return tuple(jsonschema.Draft202012Validator(json.loads(text.read_bytes())) for text in texts)


def _schema_problems(document: Any, file: str | None) -> list[Problem]:
    told: list[tuple[Iterable[str | int], str]] = [
        ((*at,), f"{n:,} entries, of at most {most:,},")
        for validator in _validators()
        for at, n, most in _too_long(document, validator.schema)
    ]
    if not told:  # the checks below take a time for every entry
        errors = (error for validator in _validators() for error in validator.iter_errors(document))
        told = [(error.absolute_path, _shortened(error.message)) for error in islice(errors, MOST_DEPARTURES)]
        told.sort(key=lambda one: [str(part) for part in one[0]])
        if len(told) == MOST_DEPARTURES:
            told.append(((), "perhaps more, not looked for after so many departures,"))
    return [
        problem("DOC-002", file=file, found=found, place=place(at))
        for at, found in told or _repeated(document["selection"])
    ]


def _too_long(
    value: Any, schema: Mapping[str, Any], at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Lists of more entries than the schema allows: their place, how many, and how many at most."""
    if isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        yield at, len(value), schema["maxItems"]
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from _too_long(value[name], inner, (*at, name))


def _repeated(selection: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """What selection names twice, of which every one bears once."""
    marks = [f"{one['column']} = {one['level']}" for one in selection.get("must_not_miss", ())]
    named = {"must_not_miss": marks, "groups_by": selection.get("groups_by", ())}
    return [
        (("selection", key), f"{name!r} {n} times")
        for key, names in named.items()
        for name, n in Counter(names).items()
        if n > 1
    ]


def place(path: Iterable[str | int]) -> str:
    """A place in a document in words.

    Examples
    --------
    >>> place(["rule", "tau_neg", "value"]), place(["claims", 0, "value"]), place([])
    ('rule.tau_neg.value', 'claims[0].value', 'the top level')
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.lstrip(".") or "the top level"


def _shortened(message: str, most: int = 200) -> str:
    return message if len(message) <= most else f"{message[:most]}…"


def changes(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """DOC-003 where a document that follows the schema is not what its content hash is of."""
    stated, expected = document["content_sha256"], content_sha256(document)
    return [] if stated == expected else [problem("DOC-003", file=file, found=stated, expected=expected)]


def _contradictions(document: Mapping[str, Any], file: str | None) -> list[Problem]:
    """Where the document contradicts itself, though its hash is right."""
    found = []
    for name in ("tau_neg", "tau_pos"):
        value, hexadecimal = document["rule"][name]["value"], document["rule"][name]["hex"]
        if (value is None) != (hexadecimal is None) or (
            value is not None and not _is_same(value, hexadecimal)
        ):
            found.append(problem("DOC-007", file=file, value=value, hex=hexadecimal))
    rule = Rule.from_document(document)
    if rule.tau_neg is not None and rule.tau_pos is not None and rule.tau_neg > rule.tau_pos:
        found.append(problem("OPT-002", file=file, tau_neg=rule.tau_neg, tau_pos=rule.tau_pos))
    if not found:
        found += _failed_vectors(document, rule, file)
    found += _false_certificate(document, file) + _false_verdicts(document, file)
    found += false_bounds(document, file) + false_counts(document, file) + false_groups(document, file)
    found += false_sentences(document, file)
    return found


def _is_same(value: float, hexadecimal: str) -> bool:
    try:
        return float.fromhex(hexadecimal) == value
    except OverflowError:
        return False


def _failed_vectors(document: Mapping[str, Any], rule: Rule, file: str | None) -> list[Problem]:
    found = []
    for at, vector in enumerate(document["self_test"]):
        got = _state_of(vector["p"], rule)
        if got != vector["state"]:
            found.append(
                problem(
                    "DOC-008",
                    file=file,
                    place=f"self_test[{at}]",
                    p=vector["p"],
                    found=vector["state"],
                    expected=got,
                )
            )
    return found


def _state_of(text: str, rule: Rule) -> str:
    try:
        return str(rule.states(float(text)))
    except ValueError:
        return str(rule.states(float("nan")))


def _false_certificate(document: Mapping[str, Any], file: str | None) -> list[Problem]:
    """A document that calls itself certified against what it says of its own test."""
    if document["status"] != "certified":
        return []
    overlap = document["selection"].get("overlap_posts_tune_test")
    if overlap != 0:
        found = "unknown" if overlap is None else str(overlap)
        return [problem("DOC-010", file=file, found=f"{found} posts in both tune and test")]
    if document["selection"].get("test_seen_before"):
        return [problem("DOC-010", file=file, found="thresholds set after the test rows were seen")]
    ids = [entry.get("row_ids_sha256") for entry in document["data"]]
    if None not in ids and len(set(ids)) < len(ids):
        return [problem("DOC-010", file=file, found="the same rows in both tune and test")]
    picked = [(entry["sha256"], entry.get("row_filter")) for entry in document["data"]]
    if len(set(picked)) < len(picked):
        return [problem("DOC-010", file=file, found="the same rows of one file in both tune and test")]
    verdicts = {c["metric"]: c["verdict"] for c in document["claims"] if c["evaluated_on"] == "test"}
    targets = [constraint["metric"] for constraint in document["selection"]["constraints"]]
    unmet = [metric for metric in targets if verdicts.get(metric) != "met_with_confidence"]
    unknown = [metric for metric in targets if metric not in NAMES]
    if unknown:
        return [problem("DOC-010", file=file, found=f"a target that none can confirm: {', '.join(unknown)}")]
    if unmet or not targets:
        return [
            problem("DOC-010", file=file, found=f"no test that confirms {', '.join(unmet) or 'any target'}")
        ]
    return [] if rules_of(document) == FIRST else _against_rules(document, file)


def _against_rules(document: Mapping[str, Any], file: str | None) -> list[Problem]:
    """What the document itself says that no certificate may say since schema 1.1."""
    selection = document["selection"]
    constraints = selection["constraints"]
    repeated = selection.get("repeated_rows") or {}
    against = {
        "looks at the test rows before": (selection.get("looks_at_test") or {}).get("n_before"),
        "units in both tune and test": selection.get("overlap_clusters_tune_test"),
        "test rows that repeat tune rows": repeated.get("tune_and_test"),
        "test rows that repeat each other": repeated.get("within_test"),
        "scores of another model": selection.get("test_scores_of_another_model"),
        "a hidden column of posts": selection.get("hidden_post_column"),
        "another prevalence on test that no claim names": selection.get("prevalence_differs")
        and "claimed_prevalence" not in selection,
        f"a confidence below {percent(LEAST_CONFIDENCE)}": any(
            entry.get("confidence", 1.0) < LEAST_CONFIDENCE for entry in constraints
        ),
        "a target set after seeing the data": any(
            entry.get("set_after_seeing_the_data") for entry in constraints
        ),
        "a target that test does not confirm without rows of tune": (
            selection.get("test_rows_in_tune") or {}
        ).get("unconfirmed_without"),
        "a sentence in limits against it": any(
            line.startswith(AGAINST) for line in document.get("limits", ())
        ),
    }
    return [problem("DOC-010", file=file, found=name) for name, is_so in against.items() if is_so]
