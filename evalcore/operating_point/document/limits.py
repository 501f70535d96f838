"""What the numbers of a document do not say, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.operating_point.choosing.folds import OverFolds, spread_in_words
from evalcore.operating_point.choosing.rows_in_tune import RowsInTune
from evalcore.operating_point.choosing.without_model import without_model
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    is_strict,
    n_to_choose_by,
)
from evalcore.operating_point.rules import FIRST, WITHOUT_GROUPS
from evalcore.operating_point.test_rows.looks import NOBODY_COUNTED, LooksAtTest
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import SiteRows
from evalcore.operating_point.units import POST, RowsInWords
from evalcore.operating_point.wording import capitalised, counted, percent
from evalcore.splits import DIVIDED

SYNTHETIC = "The data are synthetic: the numbers describe no patients and no real model."
MANUAL = "The thresholds were set by hand; nothing is known of how many others were tried first."
SINGLE_CRITERIA = "The numbers are over all criteria together; a single criterion can be worse."
ELSEWHERE = "Another setting, period, prevalence or model version can give other numbers than these."
READER = (
    "Screening sensitivity counts what is kept for a reader; it is found only if the reader then sees it."
)
LABELS = "The labels are taken as true."
ALWAYS = (SINGLE_CRITERIA, READER, LABELS, ELSEWHERE)
UNVARIED = (
    "Where no post differs from another, such as without a single miss, an interval takes checks as "
    "independent and says so."
)
FEW_FAILURES = (
    "Where fewer than ten {several} hold a failure, these say little of how failures cluster: an interval "
    "then takes checks of one {one} as correlated as their scores are at most, or, where no score tells, as "
    "one and the same; rho in its method says how much."
)
NO_VERDICT = (
    "The counts over folds describe the procedure and get no verdict: its thresholds differ from fold to "
    "fold, and without ties it misses at least one check with evidence more than the rule allows on the "
    "others."
)


FLOAT32 = "Where scores are stored as float32, "
"""How the sentence on rows begins that get another state then."""
FLOAT32_UNKNOWN = (
    "Tallies do not tell how many checks get another state where scores are stored as float32: decide on the "
    "float64 scores."
)
ON_GRID = (
    "The choice was made on tallies, with scores at {n:,} points from 0 to 1, each at the highest one not "
    "above it: no threshold between two points was tried. The counts are those of the rows, but where a site "
    "let rows move down to have enough of them at a point."
)
SITES = (
    "A post is taken to lie in one site: nobody can see across sites whether it does. Rates have no "
    "intervals from replicates, and that of the uncertain has none."
)


def limits(
    chosen: RowSet,
    test: RowSet | None,
    thresholds: Thresholds,
    constraints: tuple[Constraint, ...],
    *,
    folds: OverFolds | None = None,
    n_skipped: int,
    in_tune: RowsInTune | None = None,
    is_manual: bool,
    reasons: Sequence[str],
    looks: LooksAtTest | None = None,
    is_synthetic: bool,
    not_stated: Sequence[str] = (),
    of_groups: Sequence[str] = (),
) -> list[str]:
    """The sentences that hold for a choice.

    Parameters
    ----------
    chosen, test : the rows that were chosen on and tested on.
    thresholds : what was chosen.
    constraints : what was to be reached.
    folds : the choice tried over folds, if it was.
    n_skipped : rows skipped, of those tested on or, without a test, chosen on.
    in_tune : the test rows that stand in tune too; None where they were not counted.
    is_manual : whether a person set the thresholds.
    reasons : why the point is exploratory or not certified, where it is.
    looks : what is known of looks at the test rows before.
    is_synthetic : whether the data were generated.
    not_stated : what nobody said of who chose, why and for which setting.
    of_groups : what is asked of marked groups, and what bounds of groups do not say.
    """
    return [
        *([SYNTHETIC] if is_synthetic else []),
        *reasons,
        *([MANUAL] if is_manual else []),
        *([DIVIDED] if chosen.data.is_divided else []),
        *_looks(chosen, test, looks),
        *in_sample(chosen, test, is_manual=is_manual),
        *([] if folds is None else _folds(folds)),
        *(from_data(constraint, chosen) for constraint in constraints if constraint.is_from_data),
        *([] if in_tune is None else [in_tune.sentence]),
        *on_grid(chosen.scores.n_points if isinstance(chosen, SiteRows) else None),
        *_models(chosen, test),
        *independence(chosen, test),
        *_float32(chosen, test, thresholds),
        *([] if is_manual else _bound_of_choice(chosen, constraints)),
        *joint(constraints),
        *of_groups,
        *reached_without_model(test or chosen, constraints, n_skipped=n_skipped),
        *empty_zones(thresholds, constraints),
        *(() if chosen.rules in WITHOUT_GROUPS else not_stated),
        *ALWAYS,
    ]


def _looks(chosen: RowSet, test: RowSet | None, looks: LooksAtTest | None) -> list[str]:
    if chosen.rules == FIRST or (test is None and looks is None):
        return []
    return [(looks or NOBODY_COUNTED).text]


def _float32(chosen: RowSet, test: RowSet | None, thresholds: Thresholds) -> list[str]:
    if chosen.rules == FIRST:
        return []
    changed = []
    for rows in (chosen, test):
        if rows is not None:
            n_changed = rows.n_changed_by_float32(thresholds.tau_neg, thresholds.tau_pos)
            if n_changed is None:
                return []
            changed.append((n_changed, rows))
    n = sum(n for n, _ in changed)
    if n == 0:
        return []
    checks = " and ".join(
        f"{counted(n, 'check')} of {rows.n_rows:,} on {rows.in_words}" for n, rows in changed if n
    )
    gets = "gets" if n == 1 else "get"
    return [f"{FLOAT32}{checks} {gets} another state: decide on the float64 scores."]


def in_sample(chosen: RowsInWords, test: RowsInWords | None, *, is_manual: bool) -> list[str]:
    """That numbers on rows chosen on flatter the thresholds; nothing where a person set and tested them."""
    if is_manual and test is not None:
        return []
    where = "the same rows" if test is None else chosen.in_words
    return [f"The thresholds were chosen on {where}: the numbers there flatter them."]


def _folds(folds: OverFolds) -> list[str]:
    shared = folds.n_posts_shared
    have = f"{counted(shared, 'post')} {'has' if shared == 1 else 'have'}"
    overlapping = f"{have} rows in several folds: what was held out is not independent of what was chosen on."
    return [spread_in_words(folds.entry()), NO_VERDICT, *([overlapping] if shared else [])]


def from_data(constraint: Constraint, chosen: RowsInWords) -> str:
    """That a target is what the rows support."""
    aim = f"{capitalised(constraint.name)} of at least {percent(constraint.value)}"
    return f"{aim} is a target set after seeing the data: the highest that {chosen.in_words} can support."


def on_grid(n_points: int | None) -> list[str]:
    """What a document does not say that was made on tallies at so many points; nothing for one of rows."""
    return [] if n_points is None else [ON_GRID.format(n=n_points), SITES, FLOAT32_UNKNOWN]


def _models(chosen: RowSet, test: RowSet | None) -> list[str]:
    found = []
    models = chosen.data.queries.models if chosen.data.queries is not None else ()
    if len(models) > 1:
        found.append(
            f"The thresholds are for the scores of {chosen.model} only; the data hold {len(models)} models."
        )
    if test is not None and test.model != chosen.model:
        found.append(f"The scores on test are those of {test.model}, the thresholds are for {chosen.model}.")
    return found


def independence(chosen: RowsInWords, test: RowsInWords | None) -> list[str]:
    """Which rows the intervals take as related."""
    rows = [rows for rows in (chosen, test) if rows is not None]
    if not all(part.has_units for part in rows):
        return [
            "The intervals take all checks as independent; which of them belong to one post is not known."
        ]
    if chosen.cluster_column is not None:
        column = chosen.cluster_column
        shown = " and ".join(
            f"{counted(part.n_rows, 'check')} of {counted(part.n_units, 'value')}" for part in rows
        )
        one = f"The intervals take checks of one value of {column} as related, other values as independent"
        return [f"{one} ({shown}).", _few_failures(chosen)]
    shown = " and ".join(
        f"{counted(part.n_rows, 'check')} of {counted(part.n_posts, 'post')}" for part in rows
    )
    return [
        f"The intervals take checks of one post as related, posts as independent ({shown}).",
        UNVARIED if chosen.rules == FIRST else _few_failures(chosen),
    ]


def _few_failures(rows: RowsInWords) -> str:
    return FEW_FAILURES.format(one=rows.unit.one, several=rows.unit.several)


def reached_without_model(
    rows: RowsInWords, constraints: Sequence[Constraint], *, n_skipped: int
) -> list[str]:
    """What a rule without scores reaches of each target.

    Parameters
    ----------
    rows : those that decide: tested on or, without a test, chosen on.
    constraints : the targets.
    n_skipped : how many of the rows are skipped.
    """
    found = (without_model(rows, one.metric, one.value, n_skipped) for one in constraints)
    return [one.sentence for one in found if one is not None]


def _bound_of_choice(chosen: RowSet, constraints: tuple[Constraint, ...]) -> list[str]:
    is_bounded = any(c.metric == SENSITIVITY and c.confidence is not None for c in constraints)
    if not is_bounded:
        return []
    n_effective = n_to_choose_by(chosen.posts)
    if n_effective is None:
        return ["The threshold to skip was chosen by the exact bound, which takes checks as independent."]
    unit = chosen.unit
    why = f"Few {unit.several} hold most checks with evidence"
    if not is_strict(chosen.posts):
        whose = "one post's checks with evidence"
        if unit != POST:
            whose = f"the checks with evidence of one {unit.one}"
        why = f"Scores of {whose} correlate by up to {chosen.posts.correlation.low:.2f}"
    return [
        f"{why}: the threshold to skip was chosen as if they were {n_effective:,.1f} independent ones, not "
        f"{chosen.n_positives:,}."
    ]


def joint(constraints: Sequence[Constraint]) -> list[str]:
    """The confidence of all targets together."""
    levels = [constraint.confidence for constraint in constraints if constraint.confidence is not None]
    if len(levels) < 2:
        return []
    each = " and ".join(dict.fromkeys(percent(level) for level in levels))
    joint = percent(round(1 - sum(1 - level for level in levels), 12))
    return [f"Each target is claimed at {each}; both together hold at {joint}."]


def empty_zones(thresholds: Thresholds, constraints: Sequence[Constraint]) -> list[str]:
    """That nothing is skipped, or that no alert is raised."""
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
