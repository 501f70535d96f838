"""What a link says of model, thresholds, targets, marked groups and pins, read as a stranger's input."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.test_rows.site_rows import groups_in
from evalcore.operating_point.tradeoff.groups import Mark, known_marks, mark_text
from evalcore.splits import SPLIT, tune_split
from pages.shared.links.strangers_text import LinkError, Query, listed, one_value, quoted
from pages.shared.point.pins import LONGEST, MOST, NOW, Pin
from pages.shared.point.point import Aim, Pair
from pages.shared.tasks import PAGES
from pages.shared.threshold_text import EMPTY_ZONE, link_values, number_of, thresholds_from_link

MODEL, TAU, SENSITIVITY, PRECISION, CHOSEN = "model", "tau", "sensitivity", "precision", "chosen"
MARK, NO_MARK = "mark", "none"
PIN = "pin"
TARGETS = (SENSITIVITY, PRECISION)
SHARED = {
    task: (*shown.names, *((MODEL, TAU, *TARGETS, CHOSEN, MARK, PIN) if shown.has_model else ()))
    for task, shown in PAGES.items()
}
ESTIMATE, FROM_DATA, BY_SEARCH = "point", "seen", "search"
LEAST_CONFIDENCE = 0.5


def evidence_query(
    models: Sequence[str], model: str, pair: Pair | None, aim: Aim, *, is_found: bool = False
) -> dict[str, list[str]]:
    """Model, thresholds and targets as parts of a query; without thresholds the targets stay out as well.

    Parameters
    ----------
    models, model
        Those of the data, and the one in use.
    pair, aim
        Thresholds and targets.
    is_found
        Whether a search found the thresholds for the targets.
    """
    query = {MODEL: [model]} if len(models) > 1 else {}
    if pair is None:
        return query
    query |= {name: [text] for name, text in zip(TARGETS, _target_texts(aim), strict=True)}
    return {**query, TAU: link_values(*pair), **({CHOSEN: [BY_SEARCH]} if is_found else {})}


_FIELDS = ("screening_sensitivity", "alert_precision")


def _target_texts(aim: Aim) -> list[str]:
    """The two targets as `_target` reads them."""
    confidences = (aim.sensitivity_confidence, aim.precision_confidence)
    values = (aim.screening_sensitivity, aim.alert_precision)
    texts = []
    for field, value, confidence in zip(_FIELDS, values, confidences, strict=True):
        parts = [repr(value), ESTIMATE if confidence is None else repr(confidence)]
        texts.append("_".join([*parts, *([FROM_DATA] if field in aim.set_from_data else [])]))
    return texts


def pins_as_query(pins: Sequence[Pin]) -> dict[str, list[str]]:
    """Pinned points as a part of a query: thresholds, targets, whether a search found them, then the name."""
    texts = [
        ";".join(
            [*link_values(*one.pair), *_target_texts(one.aim), BY_SEARCH if one.is_found else "", one.name]
        )
        for one in pins
    ]
    return {PIN: texts} if texts else {}


def read_pins(query: Query, score_kind: str) -> tuple[Pin, ...]:
    """The pinned points of a query.

    Raises
    ------
    LinkError
        With a line for each that is none, for one too many, and for a name that two have.
    """
    texts, faults, pins = query.get(PIN, ()), [], []
    if len(texts) > MOST:
        faults.append(f"{PIN}: found {len(texts):,} pinned points, expected at most {MOST}")
    for text in texts[:MOST]:
        try:
            pins.append(_pin(text, score_kind))
        except LinkError as fault:
            faults += fault.args
    names = [one.name for one in pins]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    faults += [f"{PIN}: found two pinned points of the name {quoted(name)}" for name in twice]
    if faults:
        raise LinkError(*faults)
    return tuple(pins)


def _pin(text: str, score_kind: str) -> Pin:
    low, high, sensitivity, precision, found, name = [*text.split(";", 5), *[""] * 5][:6]
    is_name = name == name.strip() != "" and len(name) <= LONGEST and name != NOW
    if not is_name or found not in ("", BY_SEARCH):
        raise LinkError(
            f"{PIN}: found {quoted(text)}, expected two thresholds, two targets, {BY_SEARCH} or nothing, and "
            f"a name of at most {LONGEST} letters, such as 0.01;0.8;0.995_0.95;0.9_0.95;;A"
        )
    try:
        pair = read_pair([low, high], score_kind)
        aim = read_aim({SENSITIVITY: [sensitivity], PRECISION: [precision]})
    except LinkError as fault:
        raise LinkError(f"{PIN}, of the name {quoted(name)}: {fault}") from None
    return Pin(name, pair, aim, is_found=found == BY_SEARCH, is_of_link=True)


def read_model(query: Query, models: Sequence[str]) -> str | None:
    """The model that a query names; None where it names none.

    Raises
    ------
    LinkError
        When the data have no such model.
    """
    name = one_value(query, MODEL)
    if name is not None and name not in models:
        raise LinkError(f"{MODEL}: these data have no {quoted(name)}; they have {listed(models)}")
    return name


def read_thresholds(query: Query, score_kind: str) -> Pair | None:
    """The thresholds of a query; None where it gives none.

    Raises
    ------
    LinkError
        When they are not two, no thresholds, or not in order.
    """
    values = query.get(TAU, ())
    try:
        return read_pair(values, score_kind) if values else None
    except LinkError as fault:
        raise LinkError(f"{TAU}: {fault}") from None


def read_pair(values: Sequence[str], score_kind: str) -> Pair:
    """Two thresholds as exact text, None for an empty zone.

    Raises
    ------
    LinkError
        When they are not two, no thresholds, or not in order.
    """
    pair = thresholds_from_link(values, score_kind)
    if pair is None:
        raise LinkError(_threshold_fault(values, score_kind))
    return pair


def marks_as_query(marks: Sequence[Mark] | None) -> dict[str, list[str]]:
    """Groups that must not be missed as a part of a query; None leaves the usual ones unsaid."""
    return {} if marks is None else {MARK: [mark_text(one) for one in marks] or [NO_MARK]}


def read_marks(query: Query, data: Data) -> tuple[Mark, ...] | None:
    """The groups that must not be missed; None where the query says nothing of them.

    Raises
    ------
    LinkError
        When one is no group of the data.
    """
    texts = query.get(MARK, ())
    if not texts or list(texts) == [NO_MARK]:
        return () if texts else None
    groups = groups_in(data)
    known = {} if groups is None else known_marks(groups)
    if tune_split(data) is not None:
        known = {text: mark for text, mark in known.items() if mark[0] != SPLIT}
    unknown = [text for text in texts if text not in known]
    if unknown:
        raise LinkError(f"{MARK}: these data have no group {listed(unknown)}")
    return tuple(known[text] for text in dict.fromkeys(texts))


def read_is_found(query: Query) -> bool:
    """Whether a query says that a search found its thresholds; where it counts, the search is made again.

    Raises
    ------
    LinkError
        When it says anything else of them.
    """
    text = one_value(query, CHOSEN)
    if text not in (None, BY_SEARCH):
        raise LinkError(f"{CHOSEN}: found {quoted(text)}, expected {BY_SEARCH} or nothing")
    return text is not None


def read_aim(query: Query) -> Aim:
    """The targets of a query; where it gives none, the usual ones.

    Raises
    ------
    LinkError
        When a target is none.
    """
    aim = Aim()
    for name, field in zip(TARGETS, _FIELDS, strict=True):
        text = one_value(query, name)
        if text is None:
            continue
        value, level, is_seen = _target(name, text)
        seen = {field} if is_seen else set()
        read: dict[str, Any] = {field: value, f"{name}_confidence": level}
        aim = replace(aim, **read, set_from_data=aim.set_from_data | seen)
    return aim


def in_words(pair: Pair) -> str:
    """Two thresholds as what is done at them."""
    skip = "nothing is skipped" if pair[0] is None else f"skip below {pair[0]}"
    alert = "no alerts" if pair[1] is None else f"alert from {pair[1]}"
    return f"{skip}, {alert}"


def _target(name: str, text: str) -> tuple[float, float | None, bool]:
    """A target, its confidence, None for the estimate alone, and whether it was set after seeing the data."""
    value, level, *rest = [*text.split("_"), "", ""][: max(2, text.count("_") + 1)]
    target, confidence = number_of(value), None if level == ESTIMATE else number_of(level)
    is_target = target is not None and 0 < target <= 1
    is_level = level == ESTIMATE or (confidence is not None and LEAST_CONFIDENCE <= confidence < 1)
    if target is not None and is_target and is_level and rest in ([], [FROM_DATA]):
        return target, confidence, rest == [FROM_DATA]
    raise LinkError(
        f"{name}: found {quoted(text)}, expected a target above 0 and up to 1 and its confidence, from "
        f"{LEAST_CONFIDENCE} to below 1, such as 0.995_0.95, or 0.995_{ESTIMATE} for the estimate alone"
    )


def _threshold_fault(values: Sequence[str], score_kind: str) -> str:
    """Why these are no two thresholds."""
    if len(values) != 2:
        found = f"{len(values)} thresholds, {listed(values)}" if len(values) > 1 else quoted(values[0])
        return f"found {found}, expected two, the lower first, {EMPTY_ZONE} for an empty zone"
    expected = "a number from 0 to 1" if score_kind == "probability" else "a number"
    for value in values:
        if thresholds_from_link([value, EMPTY_ZONE], score_kind) is None:
            return f"found {quoted(value)}, expected {expected}, or {EMPTY_ZONE} for an empty zone"
    return f"found {values[0]} before {values[1]}, expected the lower threshold first"
