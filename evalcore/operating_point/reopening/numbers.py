"""The numbers of a document under names a reader knows, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.document.groups import verdict_in_words
from evalcore.operating_point.tradeoff.groups import GROUP_WORDS
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import at_least, at_most, capitalised, counted, percent
from evalcore.spec import METRICS
from evalcore.text.numerals import percent_at_least, percent_at_most, percent_of


@dataclass(frozen=True)
class Number:
    """One number, or one verdict, of a document.

    Parameters
    ----------
    name : what it is of, for a reader; unique within its document and rows.
    value : as the document holds it; None where it is not defined.
    text : with what it rests on.
    """

    name: str
    value: float | str | None
    text: str


@dataclass(frozen=True)
class Change:
    """A number then and now.

    Parameters
    ----------
    name : what it is of.
    then, now : in words; ``-`` where there was none.
    value_then, value_now : as numbers or verdicts; None where there was none.
    """

    name: str
    then: str
    now: str
    value_then: float | str | None
    value_now: float | str | None

    @property
    def is_changed(self) -> bool:
        """Whether it differs, also in what it rests on."""
        return (self.value_then, self.then) != (self.value_now, self.now)

    def as_json(self) -> dict[str, Any]:
        """The change as an entry of a JSON file."""
        return {
            "name": self.name,
            "then": self.value_then,
            "now": self.value_now,
            "then_text": self.then,
            "now_text": self.now,
            "changed": self.is_changed,
        }


def changes_between(then: Sequence[Number], now: Sequence[Number]) -> tuple[Change, ...]:
    """Every number of either, in the order of the first, then of the second; also those that are the same.

    Examples
    --------
    >>> before, after = [Number("Checks", 10, "10")], [Number("Checks", 12, "12")]
    >>> [(one.name, one.then, one.now) for one in changes_between(before, after)]
    [('Checks', '10', '12')]
    """
    before, after = ({one.name: one for one in numbers} for numbers in (then, now))
    nothing = Number("", None, "-")
    return tuple(
        Change(name, old.text, new.text, old.value, new.value)
        for name in dict.fromkeys([*before, *after])
        for old, new in [(before.get(name, nothing), after.get(name, nothing))]
    )


def numbers_of(document: Mapping[str, Any], role: str) -> list[Number]:
    """The numbers on the rows of one role: their size, every rate, and the verdict on every target.

    Parameters
    ----------
    document : after the schema, or of it ``selection``, ``data``, ``estimates``, ``claims``, ``subgroups``.
    role : of the rows, such as ``test``.
    """
    found = []
    for entry in document["data"]:
        if entry["role"] == role:
            found += _of_rows(entry)
    found += [_of_estimate(one) for one in document["estimates"] if one["evaluated_on"] == role]
    found += [_of_claim(document, one) for one in document["claims"] if one["evaluated_on"] == role]
    return found + [_of_group(one) for one in document.get("subgroups", ()) if one["evaluated_on"] == role]


def point_numbers(document: Mapping[str, Any]) -> list[Number]:
    """The status, both thresholds, and the numbers on the rows of every role, which their names say."""
    rule = document["rule"]
    found = [Number("Status", document["status"], document["status"])]
    for name, symbol in (("tau_neg", "τ_neg"), ("tau_pos", "τ_pos")):
        value = rule[name]["value"]
        found.append(Number(symbol, value, "none" if value is None else threshold_text(value)))
    for role in dict.fromkeys(entry["role"] for entry in document["data"]):
        where = "all rows" if role == "all" else role
        found += [
            Number(f"{one.name}, on {where}", one.value, one.text) for one in numbers_of(document, role)
        ]
    return found


def _of_rows(entry: Mapping[str, Any]) -> list[Number]:
    n_rows, n_positives = int(entry["rows"]), int(entry["positives"])
    n_units = int(entry.get("posts", entry["clusters"]))
    share = f"{n_positives:,} of {n_rows:,}: {percent_of(n_positives, n_rows)}"
    return [
        Number("Checks", n_rows, f"{n_rows:,}"),
        Number("Posts", n_units, f"{n_units:,}"),
        Number("Checks with evidence", n_positives, share),
    ]


def _of_estimate(entry: Mapping[str, Any]) -> Number:
    metric = METRICS.get(entry["metric"])
    name = entry["metric"] if metric is None else metric.label
    value = entry["value"]
    if value is None:
        return Number(name, None, f"not defined: {entry.get('undefined_reason') or 'no case'}")
    counts = ""
    if entry["numerator"] is not None and entry["denominator"] is not None:
        counts = f"{entry['numerator']:,} of {entry['denominator']:,}"
    is_share = metric is not None and metric.is_percent
    shown = percent_of(entry["numerator"], entry["denominator"]) if is_share and counts else f"{value:,.2f}"
    beside = "; ".join(part for part in (counts, _interval(entry.get("ci"), is_share=is_share)) if part)
    return Number(name, float(value), f"{shown} ({beside})" if beside else shown)


def _interval(ci: Mapping[str, Any] | None, *, is_share: bool) -> str:
    """The bounds in words, rounded outwards."""
    low, high = (None if ci is None or ci[end] is None else float(ci[end]) for end in ("low", "high"))
    if low is None:
        return ""
    shown = percent_at_least(low) if is_share else at_least(low)
    if high is None:
        return f"at least {shown}"
    return f"{shown} to {percent_at_most(high) if is_share else at_most(high)}"


def _of_group(entry: Mapping[str, Any]) -> Number:
    name = f"Screening sensitivity of {entry['column']} = {entry['level']}"
    n_positive, share = int(entry["n_positive"]), entry["screening_sensitivity"]
    if share is None:
        return Number(name, None, f"not defined: none of {counted(entry['n'], 'check')} holds evidence")
    share_kept = percent_of(n_positive - entry["n_missed"], n_positive)
    counts = f"{entry['n_missed']:,} of {n_positive:,} missed; at least {percent_at_least(entry['bound'])}"
    verdict = "" if entry["verdict"] is None else f": {GROUP_WORDS[entry['verdict']]}"
    return Number(name, float(share), f"{share_kept} ({counts}){verdict}")


def _of_claim(document: Mapping[str, Any], claim: Mapping[str, Any]) -> Number:
    aim = f"{capitalised(NAMES.get(claim['metric'], claim['metric']))} of at least {percent(claim['value'])}"
    return Number(aim, claim["verdict"], verdict_in_words(document, claim))
