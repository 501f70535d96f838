"""Start the dashboard from a program, with files in use."""

from collections.abc import Sequence
from pathlib import Path

from streamlit.web import cli

from pages.server import start_files

APP = Path(__file__).resolve().parents[2] / "app.py"


def main(options: Sequence[str] = (), files: Sequence[tuple[str, bytes]] = ()) -> None:
    """Serve `app.py` until it is interrupted.

    Parameters
    ----------
    options
        Options of `streamlit run`, such as `--server.port=8600`; they win over `.streamlit/config.toml`.
    files
        Name and content of files that every session begins with, in place of the sample.
    """
    start_files.keep(files)
    cli.main(["run", str(APP), *options], prog_name="streamlit")
