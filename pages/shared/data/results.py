"""Uploaded files that hold results in place of rows: saved reports, metrics.json, tallies of sites."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from evalcore.data import Data
from evalcore.evaluation import Report
from evalcore.problems import InputError, Problem, problem
from evalcore.readers.formats.own_exports import METRICS_JSON, is_saved_report, is_tally, own_export
from evalcore.report import MetricsFile
from evalcore.sites import opened_together
from pages.server import uploads
from pages.shared.data import session

SAVED, TALLIES, KIND, VALUES = "upload_saved", "upload_tallies", "upload_kind", "upload_values"
SLOTS = (SAVED, TALLIES, KIND, VALUES)
"""Where a session keeps what it opened until it is used."""
Found = TypeVar("Found")


def saved_report(files: Sequence[Any]) -> Report | tuple[Problem, ...] | None:
    """The saved report that a file is, or what is wrong with it; None for data, or for several files."""
    if len(files) != 1 or not is_saved_report(files[0].getvalue()[:256]):
        return None
    return _kept(SAVED, files, lambda: Report.from_bytes(files[0].getvalue(), file=files[0].name))


def metrics_file(files: Sequence[Any]) -> MetricsFile | tuple[Problem, ...] | None:
    """The values that a metrics.json holds, or what is wrong with it; None for data, or for several files.

    It is known by what is in it, whatever its name.
    """
    if len(files) != 1 or not _is_of_metrics(files[0]):
        return None
    return _kept(VALUES, files, lambda: MetricsFile.from_bytes(files[0].getvalue(), file=files[0].name))


def tallies_of_sites(files: Sequence[Any]) -> Data | tuple[Problem, ...] | None:
    """What files of sites hold together, or what is wrong with them; None where no file is one."""
    if not any(is_tally(file.getvalue()[:256]) for file in files):
        return None
    return _kept(TALLIES, files, lambda: opened_together((file.name, file.getvalue()) for file in files))


def _is_of_metrics(file: Any) -> bool:
    """Whether a file is a metrics.json; looked at once, as it may be long."""
    kept: tuple[str, bool] | None = st.session_state.get(KIND)
    if kept is None or kept[0] != file.file_id:
        own = own_export(file.getvalue())
        kept = st.session_state[KIND] = (file.file_id, own is not None and own[0] == METRICS_JSON)
    return kept[1]


def _kept(slot: str, files: Sequence[Any], read: Callable[[], Found]) -> Found | tuple[Problem, ...]:
    """What the files hold, or what is wrong with them; read again only when they are others."""
    key = tuple(file.file_id for file in files)
    kept: tuple[Any, Found | tuple[Problem, ...]] | None = st.session_state.get(slot)
    if kept is None or kept[0] != key:
        n_bytes = sum(file.size for file in files)
        with st.spinner(f"Reading {n_bytes / 1e6:,.1f} MB", show_time=True), session.reading(n_bytes):
            kept = st.session_state[slot] = (key, _read(files, n_bytes, read))
    return kept[1]


def _read(files: Sequence[Any], n_bytes: int, read: Callable[[], Found]) -> Found | tuple[Problem, ...]:
    refused = [why for why in map(uploads.refusal_of, files) if why is not None]
    if refused:
        return tuple(dict.fromkeys(refused))
    limit = session.SETTINGS.max_upload_mb * 1_000_000
    if n_bytes > limit:
        return (problem("FILE-021", n_bytes=n_bytes, limit=limit),)
    try:
        return read()
    except InputError as error:
        return error.problems
    except MemoryError:
        return (problem("FILE-021", n_bytes=n_bytes, limit=limit),)
    except Exception as error:  # as for data: said in words, and no value reaches the log
        logging.getLogger("evalcore").error("results could not be read: %s", type(error).__name__)
        return (problem("FILE-022", file=files[0].name if len(files) == 1 else None),)
