"""How far a point may be relied on: certified, tuned or exploratory, with every reason for the last."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.wording import counted

NO_TEST = "Exploratory: nothing was tested on rows that the choice did not see."
FOLDS_ONLY = (
    "Exploratory: the thresholds were chosen again on all rows; the folds tried the procedure, not these "
    "thresholds."
)
NO_POSTS = "Exploratory: the rows name no posts, so it cannot be shown that tune and test share none."
TEST_SEEN = "Exploratory: the thresholds were moved after the test rows were seen."


def exploratory_reasons(
    test: RowSet | None, *, n_overlap: int | None, is_test_seen: bool, is_over_folds: bool = False
) -> tuple[str, ...]:
    """Why a point is exploratory, one sentence for each reason; empty where it is not.

    Parameters
    ----------
    test : the rows it was tested on, if any.
    n_overlap : posts in both tune and test; None where that is not known.
    is_test_seen : whether the thresholds were set after test rows had been seen.
    is_over_folds : whether the choice was tried over folds.

    Source
    ------
    statistics.md, "Tune and test".
    """
    found = []
    if test is None:
        found.append(FOLDS_ONLY if is_over_folds else NO_TEST)
    elif n_overlap is None:
        found.append(NO_POSTS)
    elif n_overlap:
        posts = f"{counted(n_overlap, 'post')} {'has' if n_overlap == 1 else 'have'}"
        found.append(f"Exploratory: {posts} rows in both tune and test, so the test is not independent.")
    if is_test_seen:
        found.append(TEST_SEEN)
    return tuple(found)


def status(reasons: Sequence[str], test_verdicts: Sequence[str], *, is_manual: bool) -> str:
    """``exploratory`` for any reason; else ``certified`` when a rule chose and test confirms every target.

    Thresholds that a person set are at best ``tuned``: certified is what was chosen on tune by the rule that
    the document states, for only that choice can be made again.

    Parameters
    ----------
    reasons : from `exploratory_reasons`.
    test_verdicts : of every target, on test.
    is_manual : whether a person set the thresholds.

    Examples
    --------
    >>> status((), ["met_with_confidence"], is_manual=False), status((), ["not_met"], is_manual=False)
    ('certified', 'tuned')
    """
    if reasons:
        return "exploratory"
    is_confirmed = bool(test_verdicts) and set(test_verdicts) == {"met_with_confidence"}
    return "certified" if is_confirmed and not is_manual else "tuned"
