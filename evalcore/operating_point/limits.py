"""What the numbers of a document do not say, in plain sentences."""

from __future__ import annotations

from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.wording import counted, percent

SYNTHETIC = "The data are synthetic: the numbers describe no patients and no real model."
MANUAL = "The thresholds were set by hand; nothing is known of how many others were tried first."
IN_SAMPLE = "The thresholds were chosen on the same rows: the numbers there flatter them."
NO_TEST = "Nothing was tested on rows that the choice did not see."
NO_POSTS = "The rows name no posts, so it cannot be shown that tune and test share none."
SINGLE_CRITERIA = "The numbers are over all criteria together; a single criterion can be worse."
ELSEWHERE = "Another setting, period, prevalence or model version can give other numbers than these."
READER = (
    "Screening sensitivity counts what is kept for a reader; it is found only if the reader then sees it."
)
LABELS = "The labels are taken as true."


def limits(
    chosen: RowSet,
    test: RowSet | None,
    thresholds: Thresholds,
    constraints: tuple[Constraint, ...],
    *,
    is_manual: bool,
    n_overlap: int | None,
    is_synthetic: bool,
) -> list[str]:
    """The sentences that hold for a choice.

    Parameters
    ----------
    chosen, test : the rows that were chosen on and tested on.
    thresholds : what was chosen.
    constraints : what was to be reached.
    is_manual : whether a person set the thresholds.
    n_overlap : posts in both sets; None where that is not known.
    is_synthetic : whether the data were generated.
    """
    return [
        *([SYNTHETIC] if is_synthetic else []),
        *([MANUAL] if is_manual else []),
        *([IN_SAMPLE] if not is_manual or test is None else []),
        *_one_model(chosen),
        *_test_limits(chosen, test, n_overlap),
        _independence(chosen, test),
        *_joint(constraints),
        *_empty_zones(thresholds, constraints),
        SINGLE_CRITERIA,
        READER,
        LABELS,
        ELSEWHERE,
    ]


def _one_model(chosen: RowSet) -> list[str]:
    models = chosen.data.queries.models if chosen.data.queries is not None else ()
    if len(models) < 2:
        return []
    return [f"The thresholds are for the scores of {chosen.model} only; the data hold {len(models)} models."]


def _test_limits(chosen: RowSet, test: RowSet | None, n_overlap: int | None) -> list[str]:
    if test is None:
        return [NO_TEST]
    found = []
    if test.model != chosen.model:
        found.append(f"The scores on test are those of {test.model}, the thresholds are for {chosen.model}.")
    if n_overlap is None:
        found.append(NO_POSTS)
    elif n_overlap:
        found.append(
            f"{counted(n_overlap, 'post')} with rows in both tune and test: the test is not independent."
        )
    return found


def _independence(chosen: RowSet, test: RowSet | None) -> str:
    rows = [rows for rows in (chosen, test) if rows is not None]
    if not all(part.queries.has_posts for part in rows):
        return "The intervals take all checks as independent; which of them belong to one post is not known."
    shown = " and ".join(
        f"{counted(len(part.queries), 'check')} of {counted(part.n_posts, 'post')}" for part in rows
    )
    return f"The intervals take all checks as independent; checks of one post are not ({shown})."


def _joint(constraints: tuple[Constraint, ...]) -> list[str]:
    levels = [constraint.confidence for constraint in constraints if constraint.confidence is not None]
    if len(levels) < 2:
        return []
    each = " and ".join(dict.fromkeys(percent(level) for level in levels))
    joint = percent(round(1 - sum(1 - level for level in levels), 12))
    return [f"Each target is claimed at {each}; both together hold at {joint}."]


def _empty_zones(thresholds: Thresholds, constraints: tuple[Constraint, ...]) -> list[str]:
    asked = {constraint.metric for constraint in constraints}
    found = []
    if thresholds.tau_neg is None:
        reason = " with this guarantee" if SENSITIVITY in asked else ""
        found.append(f"Nothing can be skipped{reason}: every check is looked at.")
    if thresholds.tau_pos is None:
        found.append(
            f"No alert is raised{': no threshold reaches the target' if PRECISION in asked else ''}."
        )
    return found
