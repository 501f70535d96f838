"""The data that a link belongs to.

A link names the files beside their digest, so that whoever opens it without them, after a reload too, is told
what to load: nobody recognises a digest. It holds the names alone, without folders, and works without them.
"""

import re
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Self

from evalcore.data import Data, Task
from pages.shared.links.strangers_text import LinkError, Query, as_shown, one_value, quoted
from pages.shared.point.point import DIGITS
from pages.shared.tasks import PAGES

NAMES = {task: shown.names for task, shown in PAGES.items()}
READING_DIGITS = 6
MOST_FILES = 20
MOST_REORDERED = 6

VALUES = "values"
_DIGESTS = re.compile(rf"([0-9a-f]{{{DIGITS},64}})(?:-([0-9a-f]{{{READING_DIGITS},64}}))?(?:-({VALUES}))?")


@dataclass(frozen=True)
class DataName:
    """The data that a link belongs to.

    Parameters
    ----------
    digest, reading
        The first digits of the content and of what was read from it; empty where the link does not say.
    files
        The names of the files, as a stranger may have written them.
    is_of_values
        Whether it belongs to values that were computed from the data: ``reading`` names their file then.
    """

    digest: str = ""
    reading: str = ""
    files: tuple[str, ...] = ()
    is_of_values: bool = False

    @classmethod
    def of(cls, data: Data, *, is_sample: bool, file: str | None = None, values: str | None = None) -> Self:
        """The name of these data; the sample's files are everywhere and are not named.

        Parameters
        ----------
        data, is_sample
            What is in use.
        file
            The saved report, or the file of values, that they came from, which is to be loaded again then;
            None for files with rows.
        values
            The digest of the file of values, where nothing but values are here.
        """
        names = [source.name for source in data.sources] if file is None else [file]
        files = [] if is_sample else [as_shown(name) for name in names[:MOST_FILES]]
        if not is_sample and len(names) > MOST_FILES:
            files.append(f"and {len(names) - MOST_FILES:,} more")
        reading = data.reading if values is None else values
        return cls(data.digest[:DIGITS], reading[:READING_DIGITS], tuple(files), values is not None)

    @classmethod
    def read(cls, query: Query, part: Task) -> Self:
        """The data that a query names.

        Raises
        ------
        LinkError
            When what it gives is no digest.
        """
        name, file = NAMES[part]
        files = tuple(map(as_shown, query.get(file, ())[: MOST_FILES + 1]))
        text = one_value(query, name)
        if text is None:
            return cls(files=files)
        found = _DIGESTS.fullmatch(text)
        if found is None:
            raise LinkError(f"{name}: found {quoted(text)}, expected the first {DIGITS} digits of a digest")
        return cls(found[1], found[2] or "", files, found[3] is not None)

    def as_query(self, part: Task) -> dict[str, list[str]]:
        """The same as parts of a query."""
        name, file = NAMES[part]
        kind = VALUES if self.is_of_values else ""
        query = {name: ["-".join(filter(None, (self.digest, self.reading, kind)))]}
        return {**query, file: list(self.files)} if self.files else query

    def is_of(self, data: Data) -> bool:
        """Whether the files are these, in whatever order they were given."""
        orders = permutations(data.sources) if len(data.sources) <= MOST_REORDERED else [data.sources]
        return any(replace(data, sources=order).digest.startswith(self.digest) for order in orders)

    def is_read_alike(self, data: Data, values: str | None = None) -> bool:
        """Whether the same was read from the files, where the link says it; ``values`` as for `of`.

        Rows are not what a link to values leads to, nor the other way round.
        """
        if not self.digest:
            return True
        if self.is_of_values != (values is not None):
            return False
        return (data.reading if values is None else values).startswith(self.reading)

    @property
    def in_words(self) -> str:
        """The files with their digest, as the bar of the data shows it."""
        return f"{', '.join(self.files) or 'data whose file it does not name'} (data {self.digest[:DIGITS]})"
