"""The examples of a page of documentation, and how they are run: commands, shell lines and Python."""

import doctest
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from evalcore.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    language: str
    text: str


class Command(NamedTuple):
    """One command of a `console` block and what the page says that it prints."""

    line: int
    command: str
    shown: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks, with the line that each begins at."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL):
        yield Block(page[: found.start(2)].count("\n") + 1, found[1], found[2])


def commands(block: Block) -> Iterator[Command]:
    r"""The commands of a block, with lines that end in `\` put together, and the lines below each."""
    lines = block.text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"line {block.line}: a console block begins with a command"
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        told = start
        while lines[told].endswith("\\"):
            told += 1
        command = " ".join(line.rstrip("\\").strip() for line in lines[start : told + 1])
        yield Command(block.line + start, command.removeprefix("$ "), "\n".join(lines[told + 1 : end]))


def printed(command: str) -> str:
    """What a command prints; where its exit status is not 0, what it says of that too, and the status.

    Progress and notes on standard error are left out: how much of the first there is hangs on the machine.
    """
    words = shlex.split(command)
    if words[0] == "evalcore":
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = main(words[1:])
            except SystemExit as end:  # wrong arguments
                status = int(end.code or 0)
        told = out.getvalue(), err.getvalue()
    else:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        told, status = (done.stdout, done.stderr), done.returncode
    return told[0] + (f"{told[1]}exit status {status}\n" if status else "")


def agrees(shown: str, real: str) -> bool:
    """Whether the page shows what was printed: `…` stands for any text, alone on a line for any lines."""
    pattern = ""
    for line in shown.splitlines():
        in_line = ".*?".join(map(re.escape, line.rstrip().split("…")))
        pattern += r"(?:.*\n)*?" if line.strip() == "…" else rf"{in_line} *\n"
    return re.fullmatch(pattern, real) is not None


def differences(page: Path) -> list[str]:
    """Run a page from top to bottom in the current folder: every example that prints something else."""
    found: list[str] = []
    names: dict[str, Any] = {}
    for block in blocks(page.read_text()):
        if block.language == "console":
            for one in commands(block):
                real = printed(one.command)
                if not agrees(one.shown, real):
                    found.append(f"{page.name}:{one.line}: {one.command}\nprinted:\n{real}")
        elif block.language == "pycon":
            example = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
            report: list[str] = []
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            runner.run(example, out=report.append, clear_globs=False)
            names |= example.globs
            found += report
    return found
