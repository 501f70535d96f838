"""Start the dashboard from a program, with files in use."""

import errno
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamlit import config
from streamlit.web import cli

from evalcore.problems import InputError, problem
from pages.server import start_files

APP = Path(__file__).resolve().parents[2] / "app.py"
COULD_NOT_LISTEN = 1
"""The exit status of Streamlit for it, among others."""
TAKEN = "Say another port with --port P, or end the program that has it."


def main(options: Sequence[str] = (), files: Sequence[tuple[str, bytes]] = ()) -> None:
    """Serve `app.py` until it is interrupted or told to end, which is no fault: the status is 0.

    Parameters
    ----------
    options
        Options of `streamlit run`, such as `--server.port=8600`; they win over `.streamlit/config.toml`.
    files
        Name and content of files that every session begins with, in place of the sample.

    Raises
    ------
    InputError
        OPT-008 where the port is taken, or the address is not of this machine.
    """
    start_files.keep(files)
    before = {one: signal.signal(one, _end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        cli.main(["run", str(APP), *options], prog_name="streamlit")
    except (SystemExit, OSError) as end:
        if getattr(end, "code", COULD_NOT_LISTEN) == COULD_NOT_LISTEN:
            check_port()
        raise
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def check_port() -> None:
    """Whether this process can listen where it is to.

    Raises
    ------
    InputError
        OPT-008 with what the system says.
    """
    address, port = config.get_option("server.address") or "", config.get_option("server.port")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0].lower()
        found = f"port {port} of {address or 'this machine'}: {why}"
        is_taken = error.errno == errno.EADDRINUSE
        advice = TAKEN if is_taken else "Check --port, and the address (STREAMLIT_SERVER_ADDRESS)."
        raise InputError(
            [problem("OPT-008", found=found, expected="a free port of this machine", advice=advice)]
        ) from None


def _end(*_: Any) -> None:
    """The server hands a signal on to the handler before its own once it has closed what was open."""
    sys.exit(0)
