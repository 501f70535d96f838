"""Choices of a page that was one with others: a link made then leads to it, and says where they are now."""

from collections.abc import Iterable, Mapping

OF_POLICY = (
    "policy",
    "first",
    "threshold",
    "gamma",
    "softmax",
    "temperature",
    "k_min",
    "hard_cap",
    "ratio",
    "rounding",
)
SELECTION, STEPS = "selection", "pipeline_steps"
TITLES = {SELECTION: "Selection", STEPS: "Pipeline steps"}
MOVED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ranking": {
        **dict.fromkeys(OF_POLICY, (SELECTION, STEPS)),
        **dict.fromkeys(("select_from", "selected_from"), (SELECTION,)),
        "steps": (STEPS,),
    }
}
"""Address of a page → name of a choice → addresses of the pages that have it now."""


def pages_of(page: str, name: str) -> tuple[str, ...]:
    """The pages that a choice in a link to a page is for."""
    return MOVED.get(page, {}).get(name, (page,))


def in_words(pages: Iterable[str]) -> str:
    """What to say of a link whose choices are on other pages now."""
    names = " and ".join(title for page, title in TITLES.items() if page in set(pages))
    return f"This link was made when these pages were one: what it chose besides is used on {names}."
