"""What is taken as independent, in words: posts, or the values of a column of coarser units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from evalcore.operating_point.rules import EARLIER, Rules


@dataclass(frozen=True)
class Unit:
    """What a unit is called.

    Parameters
    ----------
    one, several : of it.
    """

    one: str
    several: str

    def counted(self, n: int) -> str:
        """A number of them."""
        return f"{n:,} {self.one if n == 1 else self.several}"


POST = Unit("post", "posts")


def unit_in_words(column: str | None, rules: Rules) -> Unit:
    """Posts, or the values of the column that took their place; earlier documents called these posts too.

    Parameters
    ----------
    column : of a unit coarser than the post; None: the post is the unit.
    rules : those of the document that says it.

    Examples
    --------
    >>> unit_in_words("author", "1.2").counted(3), unit_in_words("author", "1.1").counted(3)
    ('3 values of author', '3 posts')
    """
    if column is None or rules in EARLIER:
        return POST
    return Unit(f"value of {column}", f"values of {column}")


class RowsInWords(Protocol):
    """What sentences say of rows: of the rows themselves, or of what a document states of them."""

    @property
    def in_words(self) -> str:
        """The rows as part of a sentence."""

    @property
    def has_units(self) -> bool:
        """Whether it is known which rows belong together."""

    @property
    def n_rows(self) -> int:
        """Rows."""

    @property
    def n_units(self) -> int:
        """Posts, or values of the cluster column."""

    @property
    def n_posts(self) -> int:
        """Posts."""

    @property
    def cluster_column(self) -> str | None:
        """The column of a unit coarser than the post, or None."""

    @property
    def n_positives(self) -> int:
        """Rows with evidence."""

    @property
    def unit(self) -> Unit:
        """What the independent units are called."""

    @property
    def rules(self) -> Rules:
        """Those of the document."""
