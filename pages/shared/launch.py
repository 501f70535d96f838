"""Start the dashboard: `python -m pages.shared.launch [options of streamlit run]`."""

import ctypes
import gc
import math
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from streamlit import env_util, net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

from evalcore.problems import InputError
from evalcore.settings import Settings
from pages.server import gate, start_files

APP = Path(__file__).resolve().parents[2] / "app.py"

USED_BY_PAGES = (
    "pandas",
    "plotly.graph_objects",
    "scipy.stats",
    "plotly.subplots",
    "evalcore.ablation",
    "evalcore.evaluation",
    "evalcore.figures",
    "evalcore.operating_point",
)


M_MMAP_THRESHOLD = -3
"""Number of the option in glibc's ``malloc.h``."""
LARGE = 1 << 20
"""Bytes from which on a block of memory is the system's again once it is let go of."""


def give_back_large_blocks() -> None:
    """Let the memory of large arrays go back to the system as soon as they are let go of.

    glibc does so up to a size that it raises by itself, to 32 MiB, as such blocks come and go: arrays of
    millions of rows then leave holes in what the process holds, a fifth of it with five million rows.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)


def spare_what_stays() -> None:
    """Load what every page uses, and let the garbage collector leave it alone from now on.

    Streamlit collects after every run of the script and holds up all sessions while it does: 0.1 s where
    these modules have to be searched, 1 ms where they are spared. No session exists yet, so nothing of a
    session is spared with them.
    """
    for name in USED_BY_PAGES:
        import_module(name)
    import_module("plotly.subplots").make_subplots(2, 1, shared_xaxes=True)  # loads the checks of axes
    env_util.is_repl()  # asked at the first element: looks up the file of every module, and remembers them
    gc.collect()
    gc.freeze()


def main(options: Sequence[str] = (), files: Sequence[tuple[str, bytes]] = ()) -> None:
    """Serve `app.py` until it is interrupted.

    Parameters
    ----------
    options
        Options of `streamlit run`, such as `--server.port=8600`; they win over `.streamlit/config.toml`.
    files
        Name and content of files that every session begins with, in place of the sample.
    """
    try:
        settings = Settings.read()
        gate.install(settings)
    except (InputError, RuntimeError) as error:
        sys.exit(str(error))
    # Streamlit counts in units of 2**20 bytes and knows nothing of the variable.
    os.environ.setdefault(
        "STREAMLIT_SERVER_MAX_UPLOAD_SIZE", str(math.ceil(settings.max_upload_mb * 1e6 / 2**20))
    )
    # Until st.navigation has run once, Streamlit takes the mere existence of pages/ for a folder of pages
    # and answers the first deep link of a process with "Page not found". app.py would tell it too late.
    PagesManager.uses_pages_directory = False
    # Streamlit asks an outside host for its own address when a request names an unknown origin.
    net_util.get_external_ip = lambda: None
    start_files.keep(files)
    give_back_large_blocks()
    spare_what_stays()
    cli.main(["run", str(APP), *options], prog_name="streamlit")


if __name__ == "__main__":
    main(sys.argv[1:])
