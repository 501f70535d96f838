"""Shorthands of the tests of layouts: one file read by the command line and as the Data page reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import evalcore
from evalcore import inspect
from evalcore.__main__ import main
from evalcore.readers import Inspection, Upload

_AUROC = re.compile(r"^classification\.auroc .*?(\d\.\d{3,4})", re.MULTILINE)


class Given:
    """A file that a person gives to the command line and uploads.

    Parameters
    ----------
    folder : where it is written.
    capsys : reads what the command line prints.
    """

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capsys = folder, capsys

    def auroc(self, name: str, content: str | bytes, *arguments: str, **options: Any) -> float:
        """The AUROC of a file, the same both ways; fails where it is not read.

        Parameters
        ----------
        arguments : of the command line.
        options : the same choices, as `evalcore.inspect` takes them.
        """
        found = self.inspected(name, content, **options)
        assert found.data is not None, [str(problem) for problem in found.problems]
        table = evalcore.evaluate(found.data).table
        rows = table[(table["metric"] == "auroc") & (table["variant"] == "default")]
        status, printed, error = self._run("evaluate", name, content, arguments)
        assert status == 0, error
        value = float(rows["value"].iloc[0])
        assert float(_AUROC.findall(printed)[0]) == pytest.approx(value, abs=5e-4)
        return value

    def refused(self, name: str, content: str | bytes, *arguments: str, **options: Any) -> list[str]:
        """What a file is refused with, each as its text and code, the same both ways, by `check` too."""
        found = self.inspected(name, content, **options)
        assert found.data is None
        said = [f"{problem} [{problem.code}]" for problem in found.problems if problem.severity != "warning"]
        for command in ("evaluate", "check"):
            status, _, error = self._run(command, name, content, arguments)
            assert status in (1, 2)
            assert error.splitlines()[: len(said)] == said[:20]
        return said

    def warned(self, name: str, content: str | bytes, **options: Any) -> list[str]:
        """What a file that is read is remarked on."""
        found = self.inspected(name, content, **options)
        assert found.data is not None, [str(problem) for problem in found.problems]
        return [f"{problem} [{problem.code}]" for problem in found.problems]

    def inspected(self, name: str, content: str | bytes, **options: Any) -> Inspection:
        """What the Data page is told."""
        return inspect(Upload(name, as_bytes(content)), **options)

    def _run(
        self, command: str, name: str, content: str | bytes, arguments: Sequence[str]
    ) -> tuple[int, str, str]:
        path = self._folder / name
        path.write_bytes(as_bytes(content))
        self._capsys.readouterr()
        status = main([command, str(path), *arguments])
        return status, *self._capsys.readouterr()


def as_bytes(content: str | bytes) -> bytes:
    """The bytes of a file."""
    return content if isinstance(content, bytes) else content.encode()
