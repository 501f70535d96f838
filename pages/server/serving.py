"""What the server is before it serves: the gate around it, the limits of what it takes, its memory."""

from __future__ import annotations

import asyncio
import gc
import math
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

from starlette.middleware import Middleware
from streamlit import cli_util, config, env_util, net_util
from streamlit.config_option import ConfigOption
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App
from streamlit.web.server import server_util

from evalcore.engines.memory import give_back_from
from evalcore.problems import InputError
from evalcore.settings import Settings
from pages.server import connections, gate, log, uploads

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
WRONG_INPUT = 2
"""The exit status of the command line too."""
MOST_OF_AN_UPLOAD = "server.maxUploadSize"
LARGE = 1 << 20
"""Bytes from which on a block of memory is the system's again once it is let go of."""


def prepare() -> list[Middleware]:
    """Set up what the server that is started next in this process keeps to; what it gets around it.

    The process ends with a message where a setting is none, or where Streamlit is built otherwise than is
    known: it must not serve without its limits.
    """
    try:
        settings = Settings.read()
        uploads.keep_in_memory(settings)
        uploads.count_files()
        connections.install()
        log.install()
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(WRONG_INPUT)
    except RuntimeError as error:
        sys.exit(str(error))
    limit_uploads(settings)
    # Until st.navigation has run once, Streamlit takes the mere existence of pages/ for a folder of pages
    # and answers the first deep link of a process with "Page not found". A page would tell it too late.
    PagesManager.uses_pages_directory = False
    # Streamlit asks an outside host for its own address when a request names an unknown origin.
    net_util.get_external_ip = lambda: None
    give_back_large_blocks()
    spare_what_stays()
    return [Middleware(gate.Gate, settings=settings)]


def limit_uploads(settings: Settings) -> None:
    """Let a browser refuse a file that is too large, unless Streamlit's own option was stated."""
    stated = config.get_where_defined(MOST_OF_AN_UPLOAD)
    if stated == ConfigOption.DEFAULT_DEFINITION or stated.endswith(".toml"):
        config.set_option(MOST_OF_AN_UPLOAD, math.ceil(settings.max_upload_mb * 1e6 / 2**20))  # its MB


def give_back_large_blocks() -> None:
    """Let the memory of large arrays go back to the system as soon as they are let go of.

    Arrays of millions of rows leave holes in what the process holds otherwise, a fifth of it with five
    million rows.
    """
    give_back_from(LARGE)


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


@asynccontextmanager
async def lifespan(_app: App) -> AsyncIterator[None]:
    """Say where the dashboard is, and open it in the browser of whoever started it, unless told not to."""
    address = config.get_option("server.address") or "localhost"  # among others, where none is stated
    shown = server_util.get_display_address(address)
    url = server_util.get_url(f"[{shown}]" if ":" in shown else shown)
    sys.stdout.write(f"The dashboard is at {url}\n")
    sys.stdout.flush()
    if not config.get_option("server.headless"):
        asyncio.get_running_loop().call_soon(cli_util.open_browser, url)
    yield
