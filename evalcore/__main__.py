"""The command line: ``python -m evalcore COMMAND``, or ``evalcore COMMAND`` where it is installed.

Exit status: 0 done (for ``verify`` and ``check``: holds); 1 does not hold; 2 the input or the arguments are
wrong, with the problems on standard error and nothing written.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any

INTERRUPTED = "Interrupted; no half file was left behind."
_interrupts: list[int] = []


def _end(*_: Any) -> None:
    """End at once: nothing has been begun that would have to be taken back."""
    os.write(sys.stderr.fileno(), f"{INTERRUPTED}\n".encode())
    os._exit(2)


def _interrupt(number: int, _: Any) -> None:
    """Remember the interrupt and raise it: a library that is being loaded may make another error of it."""
    _interrupts.append(number)
    raise KeyboardInterrupt


if __name__ == "__main__":  # before anything that takes a while to load
    # Modules and rows of a table are no garbage: to look for some among them takes a tenth of a second.
    gc.set_threshold(500_000)
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)

import argparse  # noqa: E402
import contextlib  # noqa: E402
import logging  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

from evalcore.commands.arguments import parser_of  # noqa: E402
from evalcore.commands.reading import DONE, WRONG_INPUT  # noqa: E402
from evalcore.problems import InputError, problem, shortened  # noqa: E402
from evalcore.text.legible import legible  # noqa: E402

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    argv : arguments without the program's name; those of the process by default.
    """
    out: Any = Legible(sys.stdout) if sys.stdout.isatty() else sys.stdout
    told: Any = Legible(sys.stderr)
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(out):
        return _run(argv)


class Legible:
    """A stream for people: no name in a file colours, moves or hides what a terminal shows.

    Standard output is one where a terminal shows it; in a file or a pipe data stay as they are.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write the text as `evalcore.text.legible.legible` makes it."""
        self._stream.write(legible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _run(argv: Sequence[str] | None) -> int:
    arguments = parser_of(_name()).parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        _log()
        status = command(arguments)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:  # whoever read the output, such as head, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        name = shortened(str(error.filename or "a file"))
        print(f"{name}: {error.strerror or error}.", file=sys.stderr)
    except MemoryError:
        print("The data do not fit into memory. Send a part, or use a machine with more.", file=sys.stderr)
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
    except UnicodeEncodeError as error:
        # An argument of bytes that are no text comes from the system as halves of surrogate pairs.
        given = error.object[max(error.start - 20, 0) : error.end + 20].encode("ascii", "backslashreplace")
        print(f"{given.decode()}: text that is not UTF-8. Write it as UTF-8.", file=sys.stderr)
    except Exception:  # a fault of ours: the user gets a sentence, the traceback goes to the log
        if _interrupts:
            print(INTERRUPTED, file=sys.stderr)
            return WRONG_INPUT
        logging.getLogger("evalcore").exception("unexpected failure")
        print(
            "Something went wrong inside evalcore; nothing was written. EVALCORE_LOG=debug shows where.",
            file=sys.stderr,
        )
    return WRONG_INPUT


def _log() -> None:
    """Log as much as ``EVALCORE_LOG`` says.

    Raises
    ------
    InputError : OPT-003 for a word that is no level.
    """
    level = os.environ.get("EVALCORE_LOG", "").strip() or "critical"
    if level.lower() not in LOG_LEVELS:
        expected = f"{', '.join(LOG_LEVELS[:-1])} or {LOG_LEVELS[-1]}"
        raise InputError([problem("OPT-003", name="EVALCORE_LOG", found=level, expected=expected)])
    logging.basicConfig(level=level.upper())


def _name() -> str:
    """What the user calls the program."""
    return "evalcore" if Path(sys.argv[0]).stem == "evalcore" else "python -m evalcore"


if __name__ == "__main__":
    try:
        signal.signal(signal.SIGINT, _interrupt)
        signal.signal(signal.SIGTERM, _interrupt)  # ends like Ctrl-C: no half file stays behind
        status = main()
    except KeyboardInterrupt:  # before the arguments were read, or after the command's end
        print(INTERRUPTED, file=sys.stderr)
        status = WRONG_INPUT
    gc.freeze()  # the process ends: to look through all it has for garbage takes a fifth of a second
    sys.exit(status)
