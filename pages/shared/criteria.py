"""How criteria are shown: names of the depression criteria, and the one that must not be missed."""

from collections.abc import Iterable

from pages.shared.explorer import CriterionLabel

NAMES = {
    "A.1": "depressed mood",
    "A.2": "anhedonia",
    "A.3": "weight/appetite",
    "A.4": "sleep",
    "A.5": "psychomotor",
    "A.6": "fatigue",
    "A.7": "worthlessness/guilt",
    "A.8": "concentration",
    "A.9": "suicidal ideation",
    "A.10": "special case",
}
MUST_NOT_MISS = frozenset({"A.9"})


def criterion_labels(ids: Iterable[str]) -> list[CriterionLabel]:
    """A label for each criterion id, in the order given."""
    return [
        CriterionLabel(id=id_, name=NAMES.get(id_, ""), must_not_miss=id_ in MUST_NOT_MISS) for id_ in ids
    ]
