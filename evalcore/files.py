"""Files that are written whole or not at all, and cells that a spreadsheet takes for text."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_files(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write several files into a folder, made where it is missing.

    Every file is written under another name first and takes its own only when all are complete, so that an
    interruption leaves no half file.

    Parameters
    ----------
    folder : where to.
    contents : file name → its bytes.

    Returns
    -------
    list of the paths, in the order given.

    Raises
    ------
    OSError : naming the file that could not be written; what stood there before is untouched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in contents]
    drafts = [path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") for path in paths]
    try:
        for path, draft, content in zip(paths, drafts, contents.values(), strict=True):
            _write(draft, content, named=path)
        for path, draft in zip(paths, drafts, strict=True):
            _rename(draft, path)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)
    return paths


def spreadsheet_text(text: str) -> str:
    """Text with an apostrophe before whatever a spreadsheet would run as a formula.

    A text that starts with apostrophes before such a character gets one more: different texts stay different.

    Source
    ------
    OWASP, "CSV injection".

    Examples
    --------
    >>> spreadsheet_text('=HYPERLINK("http://example.invalid")')
    '\\'=HYPERLINK("http://example.invalid")'
    >>> spreadsheet_text("A.9")
    'A.9'
    """
    return f"'{text}" if text.lstrip("'").startswith(STARTS_A_FORMULA) else text


def _write(draft: Path, content: bytes, *, named: Path) -> None:
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(named)) from error


def _rename(draft: Path, path: Path) -> None:
    try:
        draft.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
