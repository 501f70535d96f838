"""Start the dashboard: `python -m pages.shared.launch [options of streamlit run]`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from streamlit import net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

from evalcore.problems import InputError
from evalcore.settings import Settings

APP = Path(__file__).resolve().parents[2] / "app.py"


def main(options: Sequence[str] = ()) -> None:
    """Serve `app.py` until it is interrupted.

    Parameters
    ----------
    options
        Options of `streamlit run`, such as `--server.port=8600`; they win over `.streamlit/config.toml`.
    """
    try:
        Settings.read()
    except InputError as error:
        sys.exit(str(error))
    # Until st.navigation has run once, Streamlit takes the mere existence of pages/ for a folder of pages
    # and answers the first deep link of a process with "Page not found". app.py would tell it too late.
    PagesManager.uses_pages_directory = False
    # Streamlit asks an outside host for its own address when a request names an unknown origin.
    net_util.get_external_ip = lambda: None
    cli.main(["run", str(APP), *options], prog_name="streamlit")


if __name__ == "__main__":
    main(sys.argv[1:])
