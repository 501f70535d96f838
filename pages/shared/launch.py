"""Start the dashboard from a program, with files in use."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamlit.web import cli

from pages.server import start_files

APP = Path(__file__).resolve().parents[2] / "app.py"


def main(options: Sequence[str] = (), files: Sequence[tuple[str, bytes]] = ()) -> None:
    """Serve `app.py` until it is interrupted or told to end, which is no fault: the status is 0.

    Parameters
    ----------
    options
        Options of `streamlit run`, such as `--server.port=8600`; they win over `.streamlit/config.toml`.
    files
        Name and content of files that every session begins with, in place of the sample.
    """
    start_files.keep(files)
    before = {one: signal.signal(one, _end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        cli.main(["run", str(APP), *options], prog_name="streamlit")
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _end(*_: Any) -> None:
    """The server hands a signal on to the handler before its own once it has closed what was open."""
    sys.exit(0)
