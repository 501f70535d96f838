"""The command that opens the pages; the only place of the package that knows where they lie."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from evalcore.commands.reading import DONE
from evalcore.problems import InputError, Problem, problem, shortened
from evalcore.settings import Settings

INSTALLED = "evalcore_dashboard"
"""The folder beside the package that an installed copy keeps the pages in; in a clone they lie beside it."""
LARGEST_PORT = 2**16 - 1


def dashboard(arguments: argparse.Namespace) -> int:
    """Serve the pages until interrupted, with files in use that are read into memory now.

    Raises
    ------
    InputError : where files, the port or the packages of the pages are missing.
    """
    settings = Settings.read()
    problems = [*_flaws(arguments.port), *_missing()]
    files: list[tuple[str, bytes]] = []
    left = settings.max_upload_mb * 1_000_000
    for path in map(Path, arguments.files):
        flaw = _no_file(path) or _too_large(path, left)
        if flaw is not None:
            problems.append(flaw)
        else:
            files.append((path.name, path.read_bytes()))
            left -= len(files[-1][1])
    if problems:
        raise InputError(problems)
    # First, so that a folder `pages` where the user stands is not taken for ours.
    sys.path.insert(0, str(_home()))
    options = [f"--server.port={arguments.port}"] if arguments.port is not None else []
    options += ["--server.headless=true"] if arguments.no_browser else []
    import_module("pages.shared.launch").main(options, files)
    return DONE


def _home() -> Path:
    """The folder that holds ``app.py`` and ``pages``."""
    beside = Path(__file__).resolve().parents[2]
    return beside / INSTALLED if (beside / INSTALLED).is_dir() else beside


def _missing() -> list[Problem]:
    """What the pages need and is not installed."""
    if find_spec("streamlit") is None:
        return [problem("PKG-001", found="Streamlit")]
    return [] if (_home() / "app.py").is_file() else [problem("PKG-002", folder=_home().name)]


def _flaws(port: int | None) -> list[Problem]:
    if port is None or 0 < port <= LARGEST_PORT:
        return []
    return [problem("OPT-003", name="--port", found=port, expected=f"a number from 1 to {LARGEST_PORT:,}")]


def _no_file(path: Path) -> Problem | None:
    if not path.exists():
        return problem("FILE-001", file=shortened(str(path)))
    kind = "a folder" if path.is_dir() else "no file but a device or a pipe"
    return None if path.is_file() else problem("PKG-003", file=shortened(str(path)), found=kind)


def _too_large(path: Path, limit: int) -> Problem | None:
    n_bytes = path.stat().st_size
    if n_bytes <= limit:
        return None
    return problem("FILE-021", file=path.name, n_bytes=n_bytes, limit=limit)
