"""Files that a user uploads, from the first look at them to the data of the session; they stay in memory."""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import streamlit as st

from evalcore import inspect
from evalcore.data import FilesAs, ScoreKind, ScoreOf
from evalcore.isolated.pool import shared_pool
from evalcore.problems import problem
from evalcore.readers import Inspection, TableInspection, Upload
from evalcore.schema import Column
from pages.server import start_files, uploads
from pages.shared.data import results, session
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
KEPT_READINGS = 4
START_FILES = "start_files_shown"


@dataclass(frozen=True)
class Choices:
    """What the user says about the files; fields as the arguments of `evalcore.load`.

    ``roles`` says of files beside recommendation lists what they are, by name.
    """

    columns: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    positive: str | None = None
    score_kind: ScoreKind = "probability"
    encoding: str | None = None
    keep_first: bool = False
    no_header: bool = False
    score_of: ScoreOf | None = None
    files_as: FilesAs | None = None
    truth: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    predicted_ratings: bool = False

    def arguments(self, files: Sequence[Upload]) -> dict[str, Any]:
        """The arguments of `evalcore.inspect`, with the files where their roles want them."""
        found = {name: value for name, value in asdict(self).items() if name != "roles"}
        for role in dict.fromkeys(self.roles.values()):
            found[role] = [one for one in files if self.roles.get(one.name) == role]
        return {**found, "inputs": [one for one in files if one.name not in self.roles]}


def uploader() -> list[Any]:
    """The field that takes files; empty again once its files are in use."""
    _begin_a_reader()
    given: list[Any] = st.file_uploader(
        "Files", accept_multiple_files=True, key=_key("files"), max_upload_size=session.SETTINGS.max_upload_mb
    )
    return given or (start_files.kept() if START_FILES in st.session_state else [])


@st.cache_resource(show_spinner=False)
def _begin_a_reader() -> None:
    """Start the first process that reads files, once: it is ready by the time a file has been chosen."""
    shared_pool().warm_up()


def show_start_files() -> None:
    """Show the files that the server was started with as if they were in the field, until it is used."""
    st.session_state[START_FILES] = True


def forget() -> None:
    """Empty the field and drop what was read, so that nothing is kept twice."""
    st.session_state.pop(START_FILES, None)
    st.session_state["upload_round"] = _round() + 1
    st.session_state.pop("upload_readings", None)
    for slot in results.SLOTS:
        st.session_state.pop(slot, None)
    uploads.release_own()


def begin_anew() -> None:
    """Show an empty field: the browser still names files in it that a lost session had."""
    st.session_state["upload_round"] = time.time_ns()


def read(files: list[Any], choices: Choices) -> Inspection:
    """The files as they are understood under the choices; read again only when one of them changes."""
    ids = tuple(file.file_id for file in files)
    key = (ids, json.dumps(asdict(choices), sort_keys=True))
    readings: dict[Any, Inspection] = st.session_state.setdefault("upload_readings", {})
    for old in [one for one in readings if one[0] != ids]:
        del readings[old]
    if key not in readings:
        n_bytes = sum(file.size for file in files)
        with st.spinner(f"Reading {n_bytes / 1e6:,.1f} MB", show_time=True), session.reading(n_bytes):
            readings[key] = _inspected(files, n_bytes, choices)
    if len(readings) > KEPT_READINGS:
        del readings[list(readings)[1]]  # the first look stays: the fields are filled in from it
    return readings[key]


def first_look(files: list[Any]) -> Inspection:
    """The files as they are understood before the user has said anything of them."""
    return _inspected(files, sum(file.size for file in files), Choices())


def _inspected(files: list[Any], n_bytes: int, choices: Choices) -> Inspection:
    limit = session.SETTINGS.max_upload_mb * 1_000_000
    refused = [why for why in map(uploads.refusal_of, files) if why is not None]
    if refused:
        return Inspection(tables=(), problems=tuple(dict.fromkeys(refused)), n_more={}, data=None)
    if n_bytes > limit:
        return _refused("FILE-021", n_bytes=n_bytes, limit=limit)
    try:
        given = choices.arguments([Upload(file.name, file.getvalue()) for file in files])
        return inspect(max_rows=session.SETTINGS.max_rows, **given)
    except MemoryError:
        return _refused("FILE-021", n_bytes=n_bytes, limit=limit)
    except Exception as error:  # a fault of ours: the page says so in words, and no value reaches the log
        logging.getLogger("evalcore").error("an upload could not be read: %s", type(error).__name__)
        return _refused("FILE-022", file=files[0].name if len(files) == 1 else None)


def _refused(code: str, **facts: Any) -> Inspection:
    return Inspection(tables=(), problems=(problem(code, **facts),), n_more={}, data=None)


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
        return {role.role: _role_field(table, role, _key(f"{file}_{role.role}")) for role in roles}


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
        key=_key(f"{sha256(repr((place, table.name)).encode()).hexdigest()[:12]}_role"),
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
        key=_key("positive"),
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
        key=_key("score_of"),
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
        key=_key("predicted_positive"),
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
        key=_key("files_as"),
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
        key=_key("truth"),
        placeholder="Choose a file",
        help="The file with the labels that people gave, or with the judgements of the documents.",
        width=250,
    )


def score_kind_field() -> ScoreKind:
    """Ask on which scale the scores are."""
    return st.selectbox(
        "Scores are",
        list(SCORE_KINDS),
        key=_key("score_kind"),
        format_func=SCORE_KINDS.__getitem__,
        help="A margin or a logit is legal: thresholds work, and calibration says why it does not.",
        width=250,
    )


def encoding_field() -> str | None:
    """Ask how text is encoded."""
    return st.selectbox(
        "Text encoding",
        list(ENCODINGS),
        key=_key("encoding"),
        format_func=ENCODINGS.__getitem__,
        help="For text files that are not UTF-8; the preview shows whether it is right.",
        width=250,
    )


def no_header_field() -> bool:
    """Ask whether the first line of text files is a row."""
    return st.checkbox(
        "No header line",
        key=_key("no_header"),
        help="The first line is a row: columns are known by their positions, 1 for the first.",
    )


def predicted_ratings_field(tables: Sequence[TableInspection]) -> bool:
    """Ask whether the scores in recommendation lists are predicted ratings."""
    if not any(table.kind == LISTS and "score" in table.mapping for table in tables):
        return False
    return st.checkbox(
        "Scores in the lists are predicted ratings",
        key=_key("predicted_ratings"),
        help="Then MAE, MSE and RMSE are over the test pairs in the lists, which needs ratings of the test.",
    )


def keep_first_field() -> bool:
    """Ask what to do with a candidate that stands twice in a list."""
    return st.checkbox(
        "Keep the best rank of a candidate that stands twice in a list",
        key=_key("keep_first"),
    )


def _round() -> int:
    return int(st.session_state.get("upload_round", 0))


def _key(name: str) -> str:
    return f"upload_{_round()}_{name}"
