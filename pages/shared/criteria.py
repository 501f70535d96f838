"""How criteria are shown: their names, which a person may change, and the one that must not be missed."""

import streamlit as st

from evalcore.explorer.payload import USUAL_NAMES

MUST_NOT_MISS = frozenset({"A.9"})


def name_of(criterion: str) -> str:
    """The name given in this session, else the usual one; empty where there is none."""
    return str(_given().get(criterion, USUAL_NAMES.get(criterion, "")))


def rename(criterion: str, name: str) -> None:
    """Call a criterion by this name for the rest of the session."""
    _given()[criterion] = name.strip()


def label_of(criterion: str) -> str:
    """Id and name together."""
    return f"{criterion} {name_of(criterion)}".strip()


def _given() -> dict[str, str]:
    names: dict[str, str] = st.session_state.setdefault("criterion_names", {})
    return names
