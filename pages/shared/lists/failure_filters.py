"""Which failures to show: kind, filter, list and thresholds, each kept in the address."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation import Options, gate_thresholds, natural_key
from evalcore.failures import N_BINS, STATES, Filter
from evalcore.operating_point.tradeoff.groups import known_marks
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.splits import tune_split
from pages.shared import choices
from pages.shared.criteria import label_of
from pages.shared.data import session
from pages.shared.links import address
from pages.shared.links.link import read_pair
from pages.shared.links.strangers_text import LinkError
from pages.shared.point.marks import OWN_FILTERS
from pages.shared.point.point import Pair
from pages.shared.threshold_text import link_values, thresholds_from_link
from pages.shared.written import NONE

KINDS = {
    "missed": "Missed evidence",
    "false_alerts": "False alerts",
    "deep_gold": "Deep gold",
    "flips": "Changes of state",
}
ACTIONS = dict(zip(STATES, ("Skip", "Look", "Alert"), strict=True))
ONLY_FOR = {"deep_gold": ("state", "k"), "flips": ("state", "other")}
ALL = "all"
RANK, DEEPEST = 10, 10_000
WIDTH = 140


def kinds_for(data: Data) -> list[str]:
    """The kinds of failures that the data can show."""
    scored = ["missed", "false_alerts"] if data.queries is not None else []
    has_lists = data.rankings is not None or session.current().is_sample
    ranked = ["deep_gold"] if has_lists else []
    return [*scored, *ranked, *(["flips"] if data.queries is not None else [])]


def choice(label: str, name: str, options: Sequence[str], otherwise: str, **shown: Any) -> str:
    """A select box that starts with the value of the address and keeps the address up to date."""
    return choices.selectbox(label, name, options, otherwise, key=f"failures_{name}", width=WIDTH, **shown)


def choice_or_all(label: str, name: str, options: Sequence[str], **shown: Any) -> str | None:
    """The same with every row as its first choice, which is None: a level may be called ``all`` too."""
    return choices.optional(label, name, options, ALL, key=f"failures_{name}", width=WIDTH, **shown)


def ask_kind(kinds: list[str]) -> str:
    """Which failures to show."""
    kind = choices.segmented(
        "Show",
        "kind",
        kinds,
        kinds[0],
        key="failures_kind",
        format_func=KINDS.__getitem__,
        label_visibility="collapsed",
    )
    for name in {"state", "other", "k"} - set(ONLY_FOR.get(kind, ())):
        choices.keep(name, ())
    return kind


def ask_filter(part: Queries | Rankings, data: Data, kind: str) -> Filter:
    """Which rows to look at."""
    picked: dict[str, Any] = {}
    if len(part.criterion_ids) > 1:
        ids = sorted(map(str, part.criterion_ids), key=natural_key)
        picked["criterion"] = choice_or_all("Criterion", "criterion", ids, format_func=label_of)
    for name in ("fold", "split"):
        levels = sorted(part.slices.get(name, ((), ()))[1], key=natural_key)
        if len(levels) > 1:
            usual = tune_split(data) if name == "split" else None
            picked[name] = choice_or_all(name.capitalize(), name, levels, otherwise=usual or NONE)
    group = ask_group(part)
    if data.queries is not None and kind in ("deep_gold", "flips"):
        label = "State before" if kind == "flips" else "State of the check"
        picked["state"] = choice_or_all(label, "state", list(ACTIONS), format_func=ACTIONS.__getitem__)
    score_bin = None
    if data.queries is not None and data.score_kind == "probability":
        bins = list(map(str, range(N_BINS)))
        score_bin = choice_or_all("Score", "bin", bins, format_func=bin_in_words)
    choices.refuse_absent({"criterion", "fold", "split"} - picked.keys())
    return replace(Filter(**picked), score_bin=None if score_bin is None else int(score_bin), group=group)


def ask_group(part: Queries | Rankings) -> tuple[str, str] | None:
    """A level of any other column of groups."""
    named = {text: mark for text, mark in known_marks(part).items() if mark[0] not in OWN_FILTERS}
    if not named:
        choices.refuse_absent({"group"})
        return None
    chosen = choice_or_all("Group", "group", list(named))
    return None if chosen is None else named[chosen]


def bin_in_words(number: str) -> str:
    """A bin of the score as its two edges."""
    return f"0.{number} to {'1' if number == '9' else f'0.{int(number) + 1}'}"


def ask_other_pair(data: Data, model: str) -> Pair | None:
    """The thresholds to compare with; None where they are not in order."""
    known = other_pair(data, model)
    if choices.asked("other"):
        try:
            known = read_pair(choices.asked("other"), data.score_kind)
        except LinkError as fault:
            address.say("other", f"The link’s other thresholds were not used: {fault}.")
    texts = [
        st.text_input(label, value=text or "none", key=f"failures_{key}", width=WIDTH)
        for label, key, text in zip(
            ("Other: skip below", "Other: alert from"), ("other_neg", "other_pos"), known, strict=True
        )
    ]
    other = thresholds_from_link([text.strip() for text in texts], data.score_kind)
    if other is not None:
        choices.keep("other", link_values(*other))
    return other


def other_pair(data: Data, model: str) -> Pair:
    """The thresholds of the file, or 0.5 for both, as a start."""
    queries = data.queries
    assert queries is not None
    own = gate_thresholds(queries.where(queries.model == queries.models.index(model)), Options())
    low, high = (threshold_text(tau) for tau in own or (0.5, 0.5))
    return low, high


def ask_list(rankings: Rankings) -> str:
    """Which list the ranks are of."""
    names = list(rankings.lists)
    otherwise = session.model() if session.model() in names else names[-1]
    return choice("Ranked by", "list", names, otherwise)


def ask_rank() -> int:
    """The last rank that is not too deep."""
    return choices.whole_number("Deeper than rank", "k", 1, DEEPEST, RANK, key="failures_k", width=WIDTH)
