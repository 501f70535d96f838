"""What is asked of uploaded files: which column is what, and whatever a file leaves open."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import streamlit as st

from evalcore.data import FilesAs, ScoreKind, ScoreOf
from evalcore.readers import Inspection, TableInspection
from evalcore.schema import Column
from pages.shared.data.upload import field_key
from pages.shared.written import NONE, in_options, told_apart

ENCODINGS = {
    None: "found out",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "utf-16": "UTF-16",
    "latin-1": "Latin-1",
}
SCORE_KINDS: dict[ScoreKind, str] = {
    "probability": "probabilities, 0 to 1",
    "score": "scores on another scale",
}
SCORES_OF: dict[ScoreOf, str] = {"predicted": "the predicted class", "positive": "the positive class"}
FILES_AS: dict[FilesAs, str] = {"parts": "parts of one table", "models": "models of the same rows"}
FILES_ASKED = ("QRY-080", "QRY-126", "QRY-127", "QRY-232")
"""Codes that leave open what several files are."""

TRUTH_ASKED = ("RNK-120", "QRY-122")
"""Codes that leave open which file holds the truth."""

LISTS = "lists"
ROLES = {
    LISTS: "recommendation lists",
    "scores": "scores of all items",
    "train": "train interactions",
    "test": "test interactions",
    "user_groups": "groups of users",
    "item_groups": "groups of items",
    "item_features": "features of items",
}
"""Kinds of tables of which one cannot always be told from another by their columns, in words."""

ROLE_ASKED = "RCM-002"
"""Code that leaves open what a file of interactions is."""

NO_COLUMN = "– not in the file –"
SHOWN_FIRST = ("post_id", "criterion_id", "model", "split")


def mapping_form(table: TableInspection, place: int) -> dict[str, tuple[str, ...]]:
    """A field for every role of a table, filled in with what was recognised: role → columns as they stand."""
    first = [role for role in table.roles if _is_shown_first(role, table)]
    said = _role_fields(table, first, place)
    others = [role for role in table.roles if role not in first]
    if others:
        with st.expander("Further columns"):
            said |= _role_fields(table, others, place)
    return said


def changed_columns(
    tables: Sequence[TableInspection], said: Sequence[Mapping[str, tuple[str, ...]]]
) -> dict[str, tuple[str, ...] | None]:
    """Role → columns of all tables, or None for no column, where the user says otherwise than recognised."""
    changed = {
        role
        for table, fields in zip(tables, said, strict=True)
        for role, names in fields.items()
        if names != tuple(table.mapping.get(role, ()))
    }
    return {
        role: tuple(dict.fromkeys(name for fields in said for name in fields.get(role, ()))) or None
        for role in sorted(changed)
    }


def _is_shown_first(role: Column, table: TableInspection) -> bool:
    is_found = role.role in table.mapping or role.role in table.suggestions
    return role.required or is_found or role.role in SHOWN_FIRST


def _role_fields(table: TableInspection, roles: list[Column], place: int) -> dict[str, tuple[str, ...]]:
    # Name, kind and columns are in the key: another table in the same place starts with fields of its own.
    file = sha256(repr((place, table.name, table.kind, table.columns)).encode()).hexdigest()[:12]
    with st.container(horizontal=True):
        return {role.role: _role_field(table, role, field_key(f"{file}_{role.role}")) for role in roles}


def _role_field(table: TableInspection, role: Column, key: str) -> tuple[str, ...]:
    found = tuple(table.mapping.get(role.role, ()))
    likely = table.suggestions.get(role.role, ())
    options = [*likely, *(name for name in table.columns if name not in likely)]
    label = f"{role.role} (needed)" if role.required else role.role
    if role.many:
        return tuple(
            st.multiselect(
                label, options, default=found, key=key, help=role.meaning, placeholder="Choose", width=250
            )
        )
    words = told_apart(options, NO_COLUMN)
    chosen = st.selectbox(
        label,
        [None, *options],
        index=1 + options.index(found[0]) if found else 0,
        key=key,
        format_func=lambda name: words[name or NONE],
        help=role.meaning,
        width=250,
    )
    return (chosen,) if chosen is not None else ()


def role_field(seen: Inspection, table: TableInspection, place: int) -> str | None:
    """Ask what a file is beside recommendation lists; None where its name and columns say so rightly."""
    is_open = table.kind is None and any(one.kind in ROLES for one in seen.tables)
    if table.kind not in ROLES and not is_open:
        return None
    is_open = is_open or any(one.code == ROLE_ASKED and one.file == table.name for one in seen.problems)
    known = None if is_open else table.kind
    options = list(ROLES)
    chosen = st.selectbox(
        "These are",
        options,
        index=None if known is None else options.index(known),
        key=field_key(f"{sha256(repr((place, table.name)).encode()).hexdigest()[:12]}_role"),
        placeholder="Choose what they are",
        format_func=ROLES.__getitem__,
        help="Found out by the file's name and columns.",
        width=250,
    )
    return None if chosen == known else chosen


def positive_field(tables: Sequence[TableInspection]) -> str | None:
    """Ask which label means "has evidence", where labels are not 0 and 1."""
    counts: dict[str, int] = {}
    for table in tables:
        for label, n in (table.labels or {}).items():
            counts[label] = counts.get(label, 0) + n
    if not counts:
        return None
    shown = in_options(counts)
    return st.selectbox(
        "Which label means “has evidence”?",
        list(counts),
        index=None,
        key=field_key("positive"),
        placeholder="Choose a label",
        format_func=lambda label: f"{shown[label]} ({counts[label]:,} rows)",
        width=250,
    )


def score_of_field(mapped: Inspection) -> ScoreOf | None:
    """Ask whose score it is, where a prediction beside it leaves that open."""
    if not any(one.code == "QRY-085" for one in mapped.problems):
        return None
    return st.selectbox(
        "The score is that of",
        list(SCORES_OF),
        index=None,
        key=field_key("score_of"),
        placeholder="Choose a class",
        format_func=SCORES_OF.__getitem__,
        help="Of the predicted class: p is 1 − score where the other class is predicted.",
        width=250,
    )


def predicted_positive_field(asked: Inspection, positive: str | None) -> str | None:
    """The positive label with the predicted class that means it, where that is open; as it is otherwise."""
    if not any(one.code == "QRY-266" for one in asked.problems):
        return positive
    found = list(dict.fromkeys(name for table in asked.tables for name in table.predictions))
    shown = in_options(found)
    chosen = st.selectbox(
        "Which prediction means “has evidence”?",
        found,
        index=None,
        key=field_key("predicted_positive"),
        placeholder="Choose a predicted class",
        format_func=shown.__getitem__,
        width=250,
    )
    return positive if chosen is None else f"{positive or '1'}={chosen}"


def files_as_field(mapped: Inspection) -> FilesAs | None:
    """Ask what several files without ids are."""
    if not any(one.code in FILES_ASKED for one in mapped.problems):
        return None
    return st.selectbox(
        "The files are",
        list(FILES_AS),
        index=None,
        key=field_key("files_as"),
        placeholder="Choose what they are",
        format_func=FILES_AS.__getitem__,
        help="Without ids only the row number could join them, and only if they are models of the same rows.",
        width=250,
    )


def truth_field(mapped: Inspection) -> str | None:
    """Ask which file holds the labels or the judgements, where that is open."""
    if not any(one.code in TRUTH_ASKED for one in mapped.problems):
        return None
    return st.selectbox(
        "The truth is in",
        [table.name for table in mapped.tables],
        index=None,
        key=field_key("truth"),
        placeholder="Choose a file",
        help="The file with the labels that people gave, or with the judgements of the documents.",
        width=250,
    )


def score_kind_field() -> ScoreKind:
    """Ask on which scale the scores are."""
    return st.selectbox(
        "Scores are",
        list(SCORE_KINDS),
        key=field_key("score_kind"),
        format_func=SCORE_KINDS.__getitem__,
        help="A margin or a logit is legal: thresholds work, and calibration says why it does not.",
        width=250,
    )


def encoding_field() -> str | None:
    """Ask how text is encoded."""
    return st.selectbox(
        "Text encoding",
        list(ENCODINGS),
        key=field_key("encoding"),
        format_func=ENCODINGS.__getitem__,
        help="For text files that are not UTF-8; the preview shows whether it is right.",
        width=250,
    )


def no_header_field() -> bool:
    """Ask whether the first line of text files is a row."""
    return st.checkbox(
        "No header line",
        key=field_key("no_header"),
        help="The first line is a row: columns are known by their positions, 1 for the first.",
    )


def predicted_ratings_field(tables: Sequence[TableInspection]) -> bool:
    """Ask whether the scores in recommendation lists are predicted ratings."""
    if not any(table.kind == LISTS and "score" in table.mapping for table in tables):
        return False
    return st.checkbox(
        "Scores in the lists are predicted ratings",
        key=field_key("predicted_ratings"),
        help="Then MAE, MSE and RMSE are over the test pairs in the lists, which needs ratings of the test.",
    )


def keep_first_field() -> bool:
    """Ask what to do with a candidate that stands twice in a list."""
    return st.checkbox(
        "Keep the best rank of a candidate that stands twice in a list",
        key=field_key("keep_first"),
    )
