"""Choices of a page that was one with others: a link made then leads to it, and says where they are now."""

from collections.abc import Iterable, Mapping

OF_SELECTION = (
    "select_from",
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
    "selected_from",
)
MOVED: Mapping[str, Mapping[str, str]] = {
    "ranking": {**dict.fromkeys(OF_SELECTION, "selection"), "steps": "pipeline_steps"}
}
"""Address of a page → name of a choice → address of the page that has it now."""
TITLES = {"selection": "Selection", "pipeline_steps": "Pipeline steps"}


def in_words(pages: Iterable[str]) -> str:
    """What to say of a link whose choices are on other pages now."""
    names = " and ".join(TITLES[page] for page in dict.fromkeys(pages))
    return f"This link was made when these pages were one: what it chose besides is used on {names}."
