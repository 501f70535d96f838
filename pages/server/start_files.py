"""Files that the server was started with, for every session to begin with; read once, in memory only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True)
class StartFile:
    """A file with what a page asks an uploaded one.

    Parameters
    ----------
    name
        Without its folder, as a browser names an upload.
    content
        Its bytes.
    type
        Its media type, which nobody stated.
    """

    name: str
    content: bytes = field(repr=False)
    type: str = ""

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.content)

    @property
    def file_id(self) -> str:
        """The same for the same name and content."""
        return sha256(self.name.encode("utf-8", "surrogateescape") + b"\0" + self.content).hexdigest()

    def getvalue(self) -> bytes:
        """Its bytes."""
        return self.content


_kept: list[StartFile] = []


def keep(files: Sequence[tuple[str, bytes]]) -> None:
    """Keep files, by name and content, in place of those kept before."""
    _kept[:] = [StartFile(name, content) for name, content in files]


def kept() -> list[StartFile]:
    """The files that the server was started with."""
    return list(_kept)
