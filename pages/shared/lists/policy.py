"""Which policy selects candidates from scored lists: asked for alike wherever it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.problems import InputError
from evalcore.selection_sweep import Policy
from pages.shared import choices, widgets

if TYPE_CHECKING:
    from evalcore.tallies.selections import ScoredLists

KINDS = {"fixed": "Fixed K", "threshold": "Threshold", "mass": "Mass γ", "combined": "Combined"}
RULES = {
    "fixed": "The first K candidates.",
    "threshold": "Every candidate whose score reaches the threshold.",
    "mass": "The fewest candidates whose shares of the score add up to γ.",
    "combined": "The smaller of what threshold and mass select.",
}


def choose_policy(lists: ScoredLists, *, has_scores: bool) -> Policy | None:
    """The rule and its caps, at first those chosen last; None, and said, where they contradict each other."""
    kinds = list(KINDS) if has_scores else ["fixed"]
    kind = choices.selectbox(
        "Policy",
        "policy",
        kinds,
        "mass" if has_scores else kinds[0],
        format_func=KINDS.__getitem__,
        key=f"selection_kind_{has_scores}",
        is_shared=True,
        help="  \n".join(RULES.values()),
    )
    setting: dict[str, Any] = {"kind": kind}
    if kind == "fixed":
        setting["k"] = choices.whole_number(
            "K", "first", 1, 1000, 10, key="selection_k", is_shared=True, width="stretch"
        )
    if kind in ("threshold", "combined"):
        setting["threshold"] = choices.number(
            "Score at least",
            "threshold",
            None,
            None,
            usual_threshold(lists),
            key="selection_threshold",
            is_shared=True,
            format="%.4g",
        )
    if kind in ("mass", "combined"):
        setting["gamma"] = choices.number(
            "γ", "gamma", 0.05, 1.0, 0.9, key="selection_gamma", is_shared=True, is_slider=True, step=0.01
        )
        is_probability = lists.scale == "probability"
        if not is_probability or choices.checkbox(
            "Share by softmax",
            "softmax",
            key="selection_softmax",
            is_shared=True,
            help="Otherwise the share of a candidate is its probability over the sum of its list.",
        ):
            setting["temperature"] = choices.number(
                "Temperature T",
                "temperature",
                0.01,
                None,
                1.0,
                step=0.1,
                key="selection_temperature",
                is_shared=True,
                help="The share of a candidate is softmax(score / T) over its list.",
            )
    with st.expander("Caps", expanded=True):
        k_min = choices.whole_number(
            "At least (k_min)", "k_min", 0, 200, 2, key="selection_k_min", is_shared=True, width="stretch"
        )
        hard_cap = choices.whole_number(
            "At most (hard_cap)",
            "hard_cap",
            1,
            1000,
            10,
            key="selection_hard_cap",
            is_shared=True,
            width="stretch",
        )
        ratio = choices.number(
            "Share of the candidates (ratio)",
            "ratio",
            0.0,
            1.0,
            0.5,
            key="selection_ratio",
            is_shared=True,
            is_slider=True,
            step=0.05,
        )
        rounding = choices.selectbox(
            "Rounding of that share",
            "rounding",
            ["floor", "ceil"],
            "floor",
            format_func={"floor": "down (floor)", "ceil": "up (ceil)"}.__getitem__,
            key="selection_rounding",
            is_shared=True,
        )
    setting |= {"k_min": k_min, "hard_cap": hard_cap, "ratio": f"{ratio:.2f}", "rounding": rounding}
    try:
        return Policy(**setting)
    except InputError as error:
        widgets.problem_list(error.problems)
        return None


def usual_threshold(lists: ScoredLists) -> float:
    """A threshold to begin with."""
    return 0.5 if lists.scale == "probability" else 0.0


def policy_in_words(policy: Policy) -> str:
    """A policy in one line."""
    named = {"k": "K = {}", "threshold": "score ≥ {}", "gamma": "γ = {}"}
    parts = [text.format(getattr(policy, name)) for name, text in named.items() if getattr(policy, name)]
    return ", ".join([KINDS[policy.kind].lower(), *parts])
