"""Files that a user uploads, read and understood under the choices made so far; they stay in memory."""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import streamlit as st

from evalcore import inspect
from evalcore.data import FilesAs, ScoreKind, ScoreOf
from evalcore.isolated.pool import shared_pool
from evalcore.problems import problem
from evalcore.readers import Inspection, Upload
from pages.server import start_files, uploads
from pages.shared.data import results, session

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
        "Files",
        accept_multiple_files=True,
        key=field_key("files"),
        max_upload_size=session.SETTINGS.max_upload_mb,
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


def _round() -> int:
    return int(st.session_state.get("upload_round", 0))


def field_key(name: str) -> str:
    """The key of a field of these files: the field begins anew once they are in use."""
    return f"upload_{_round()}_{name}"
