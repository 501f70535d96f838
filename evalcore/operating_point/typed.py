"""What a person says about a choice, carried into its document as typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from evalcore.problems import InputError, problem


@dataclass(frozen=True)
class Particulars:
    """What a person says about a choice; carried into the document as typed.

    Parameters
    ----------
    title : what the document is called.
    author, rationale : who chose, and why so.
    model_version, data_collected, setting : what was measured, when, where.
    labelled_by, label_agreement : who labelled, and how well labellers agreed.
    supersedes : id of the document that this one replaces.
    created_utc : time of the export as ``2026-01-31T12:00:00Z``; no part of the content hash.
    """

    title: str | None = None
    author: str | None = None
    rationale: str | None = None
    supersedes: str | None = None
    model_version: str | None = None
    data_collected: str | None = None
    setting: str | None = None
    labelled_by: str | None = None
    label_agreement: str | None = None
    created_utc: str | None = None

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Particulars:
        """What a person said about the choice of a document."""
        stated = {**document["provenance"], **{key: document.get(key) for key in ("title", "created_utc")}}
        if "title" not in document["provenance"].get("typed", ["title"]):
            stated["title"] = None  # written by the program: it is written again
        return Particulars(**{field.name: stated.get(field.name) for field in fields(Particulars)})

    @property
    def typed(self) -> list[str]:
        """The names of what a person typed, which nobody can recompute."""
        names = (field.name for field in fields(self) if field.name != "created_utc")
        return [name for name in names if getattr(self, name) is not None]

    @property
    def provenance(self) -> dict[str, str | None]:
        """The part that a document's ``provenance`` holds."""
        outside = ("title", "created_utc")
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in outside}


def check_particulars(particulars: Particulars) -> None:
    """Refuse text that no JSON document can hold.

    Raises
    ------
    InputError : OPT-003, naming each.
    """
    found = []
    for field in fields(particulars):
        value = getattr(particulars, field.name)
        if value is not None and not (isinstance(value, str) and _is_unicode(value)):
            found.append(problem("OPT-003", name=field.name, found=ascii(value), expected="Unicode text"))
    if found:
        raise InputError(found)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
