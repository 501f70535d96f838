"""What a person says about a choice, carried into its document as typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from evalcore.problems import InputError, problem

DECISION = {"author": "who chose", "rationale": "why so", "setting": "for which setting"}
"""What a person is asked who answers for the choice, in words."""
NOT_STATED = "Not stated: "
"""How the sentence begins on what of it nobody said."""

LONGEST = {"rationale": 1000, "setting": 500, "labelled_by": 500, "label_agreement": 500}
LONGEST_NAME = 200
"""Characters of a text, so that a document prints on two pages; of the others."""


@dataclass(frozen=True)
class Particulars:
    """What a person says about a choice; carried into the document as typed.

    Parameters
    ----------
    title : what the document is called.
    author, rationale, setting : who chose, why so, and for which setting; each may be skipped, which
        `not_stated` says.
    model_version, data_collected : what was measured, and when.
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
    def not_stated(self) -> list[str]:
        """The sentence on what nobody said of who chose, why and for which setting; empty where all was."""
        return not_stated({name: getattr(self, name) for name in DECISION})

    @property
    def provenance(self) -> dict[str, str | None]:
        """The part that a document's ``provenance`` holds."""
        outside = ("title", "created_utc")
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in outside}


def not_stated(provenance: Mapping[str, Any]) -> list[str]:
    """The sentence on what a document's ``provenance`` lacks of the decision; empty where it lacks nothing.

    Examples
    --------
    >>> not_stated({"author": "Dr. A", "rationale": None, "setting": None})
    ['Not stated: why so, for which setting.']
    """
    lacking = [words for name, words in DECISION.items() if not provenance.get(name)]
    return [f"{NOT_STATED}{', '.join(lacking)}."] if lacking else []


def particulars_of(given: Mapping[str, str | None]) -> Particulars:
    """What a person says; a blank is nothing said.

    Raises
    ------
    InputError : as for `check_particulars`.
    """
    texts = {name: text.strip() if isinstance(text, str) else text for name, text in given.items()}
    particulars = Particulars(**{name: text or None for name, text in texts.items()})
    check_particulars(particulars)
    return particulars


def check_particulars(particulars: Particulars) -> None:
    """Refuse what is no text, text that no JSON document can hold, and text beyond its length.

    Raises
    ------
    InputError : OPT-003, naming each.
    """
    found = []
    for field in fields(particulars):
        value = getattr(particulars, field.name)
        if value is not None and not (isinstance(value, str) and _is_unicode(value)):
            found.append(problem("OPT-003", name=field.name, found=ascii(value), expected="Unicode text"))
        elif value is not None and len(value) > LONGEST.get(field.name, LONGEST_NAME):
            expected = f"at most {LONGEST.get(field.name, LONGEST_NAME):,}"
            shown = f"{len(value):,} characters"
            found.append(problem("OPT-003", name=field.name, found=shown, expected=expected))
    if found:
        raise InputError(found)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
