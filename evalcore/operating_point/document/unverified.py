"""What no recomputation can confirm: what a person typed or set, and what the program noted of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import evalcore
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.tradeoff.thresholds import threshold_text

Place = tuple[str | int, ...]
TEXTS = (
    "author",
    "rationale",
    "supersedes",
    "model_version",
    "data_collected",
    "setting",
    "labelled_by",
    "label_agreement",
)
_LONGEST = 60


def typed_places(document: Mapping[str, Any]) -> dict[str, Place]:
    """What a person typed or set, in words, with its place in the document.

    Parameters
    ----------
    document : after the schema.
    """
    provenance, selection = document["provenance"], document["selection"]
    places: dict[str, Place] = {}
    typed = provenance.get("typed", ["title"] if "title" in document and _is_own_title(document) else [])
    if "title" in document and "title" in typed:
        places[f"title {_quoted(document['title'])}"] = ("title",)
    for name in TEXTS:
        if provenance.get(name) is not None:
            places[f"{name} {_quoted(provenance[name])}"] = ("provenance", name)
    if selection["chosen_on"] == "manual":
        for name, symbol in (("tau_neg", "τ_neg"), ("tau_pos", "τ_pos")):
            value = document["rule"][name]["value"]
            places[f"{symbol} {'empty' if value is None else threshold_text(value)}"] = ("rule", name)
    if "claimed_prevalence" in selection:
        places[f"prevalence {selection['claimed_prevalence']:g}"] = ("selection", "claimed_prevalence")
    return places


def stated_places(document: Mapping[str, Any]) -> dict[str, Place]:
    """What the program noted of its run and cannot find again, in words, with its place in the document.

    Parameters
    ----------
    document : after the schema.
    """
    provenance, selection = document["provenance"], document["selection"]
    version = provenance["tool_version"]
    other = "" if version == evalcore.__version__ else f" (this is {evalcore.__version__})"
    made = f"made by {provenance['tool']} {version}{other}"
    places: dict[str, Place] = {made: ("provenance", "tool_version")}
    for name, version in (provenance.get("libraries") or {}).items():
        places[f"{name} {version}"] = ("provenance", "libraries")
    if document.get("created_utc") is not None:
        places[f"created {document['created_utc']}"] = ("created_utc",)
    for at, entry in enumerate(selection["constraints"]):
        if entry.get("set_after_seeing_the_data"):
            named = f"that target {at + 1} was set after seeing the data"
            places[named] = ("selection", "constraints", at, "set_after_seeing_the_data")
    is_tested = any(entry["role"] == "test" for entry in document["data"])
    if "looks_at_test" in selection:
        looks = selection["looks_at_test"]
        times = f"{looks['n_before']:,} earlier looks at test, counted by {looks['counted_by']}"
        places[times] = ("selection", "looks_at_test")
    elif is_tested and "test_seen_before" not in selection:
        places["that test was not seen before"] = ("selection", "test_seen_before")
    if "test_seen_before" in selection:
        places["that test was seen before"] = ("selection", "test_seen_before")
    return places


def _is_own_title(document: Mapping[str, Any]) -> bool:
    """Whether a document without a list of what was typed has another title than the program writes."""
    rule = Rule.from_document(document)
    return bool(document["title"] != title_of(rule.tau_neg, rule.tau_pos))


def title_of(tau_neg: float | None, tau_pos: float | None) -> str:
    """The title that the program writes where nobody typed one.

    Examples
    --------
    >>> title_of(0.02, None)
    'Skip below 0.02, no alerts'
    """
    skip = "Skip nothing" if tau_neg is None else f"Skip below {threshold_text(tau_neg)}"
    return f"{skip}, {'no alerts' if tau_pos is None else f'alert from {threshold_text(tau_pos)}'}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
