"""What a document states of its rows, read back for sentences and checks that need no data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalcore.operating_point.rules import Rules, rules_of
from evalcore.operating_point.test_rows.row_sets import rows_in_words
from evalcore.operating_point.units import Unit, unit_in_words


@dataclass(frozen=True)
class StatedRows:
    """The rows of an entry of ``data``.

    Parameters
    ----------
    role, row_filter : what they are used for, and how they were picked.
    sha256 : digest of their file.
    n_rows, n_positives, n_units, n_posts : counts; units are posts, or values of the cluster column.
    cluster_column : the column of a unit coarser than the post; None: the post is the unit.
    has_units : whether it is known which rows belong together.
    rules : those of the document.
    """

    role: str
    row_filter: str | None
    sha256: str
    n_rows: int
    n_positives: int
    n_units: int
    n_posts: int
    cluster_column: str | None
    has_units: bool
    rules: Rules

    @property
    def in_words(self) -> str:
        """The rows as part of a sentence."""
        return rows_in_words(self.role, self.row_filter)

    @property
    def unit(self) -> Unit:
        """What the independent units are called."""
        return unit_in_words(self.cluster_column, self.rules)


def stated_rows(document: Mapping[str, Any]) -> list[StatedRows]:
    """The rows of every entry of ``data``, in its order.

    Parameters
    ----------
    document : after the schema.
    """
    column = document["selection"].get("cluster")
    return [
        StatedRows(
            role=entry["role"],
            row_filter=entry.get("row_filter"),
            sha256=entry["sha256"],
            n_rows=int(entry["rows"]),
            n_positives=int(entry["positives"]),
            n_units=int(entry["clusters"]),
            n_posts=int(entry.get("posts", entry["clusters"])),
            cluster_column=column,
            has_units="cluster_field" in entry,
            rules=rules_of(document),
        )
        for entry in document["data"]
    ]


def estimate_of(document: Mapping[str, Any], metric: str, role: str) -> Mapping[str, Any] | None:
    """The estimate of a metric on some rows; None without one."""
    found = (e for e in document["estimates"] if (e["metric"], e["evaluated_on"]) == (metric, role))
    return next(found, None)


def counts_of(entry: Mapping[str, Any] | None) -> tuple[int, int] | None:
    """Numerator and denominator of an estimate; None where it states none."""
    if entry is None or entry["numerator"] is None or entry["denominator"] is None:
        return None
    return int(entry["numerator"]), int(entry["denominator"])
