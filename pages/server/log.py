"""What the log says of faults: their kind and place, and no value that somebody sent."""

import logging
import traceback
from pathlib import Path

from streamlit import error_util

import evalcore

LOG = logging.getLogger("evalcore")
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(evalcore.__file__).resolve().parent
"""Beside the pages in a clone, beside their folder where it is installed."""


def install() -> None:
    """Let a fault of the pages be one line of the log.

    Streamlit writes the whole traceback, with the values that are part of the message: whoever can open a
    page can fill the log with them, before the passcode too.

    Raises
    ------
    RuntimeError
        When Streamlit logs faults otherwise than this module knows.
    """
    if not callable(getattr(error_util, "_log_uncaught_app_exception", None)):
        raise RuntimeError("Streamlit logs faults otherwise than is known: values would reach the log")
    setattr(error_util, "_log_uncaught_app_exception", note_fault)  # noqa: B010 - no public way


def note_fault(error: BaseException) -> None:
    """Log a fault as one line."""
    LOG.error("a page could not be shown: %s", in_a_line(error))


def in_a_line(error: BaseException) -> str:
    """The kind of a fault, where it was raised, and the line of the project that led there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(Path(frame.filename))]
    places = dict.fromkeys(_place(frame) for frame in [*frames[-1:], *own[-1:]])
    return " ".join([type(error).__name__, *(f"at {place}" for place in places)])


def _is_own(path: Path) -> bool:
    if path.is_relative_to(PACKAGE):
        return True
    return path.is_relative_to(ROOT) and "site-packages" not in path.relative_to(ROOT).parts


def _place(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    if path.is_relative_to(ROOT):
        inside = path.relative_to(ROOT)
    elif path.is_relative_to(PACKAGE):
        inside = path.relative_to(PACKAGE.parent)
    else:
        inside = Path(*path.parts[-3:])
    return f"{inside}:{frame.lineno}"
