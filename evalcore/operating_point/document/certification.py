"""How far a point may be relied on: certified, tuned or exploratory, with every reason against the first."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.operating_point.choosing.claims.sentences import Marked, short_of
from evalcore.operating_point.choosing.tested import BEFORE_CRITERION, FactsOfTest
from evalcore.operating_point.constraints import NAMES, Constraint
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.repetition import Alike, Repetition
from evalcore.operating_point.tradeoff.groups import UNSHOWN
from evalcore.operating_point.units import POST, Unit
from evalcore.operating_point.wording import counted, percent, percent_in_document

NO_TEST = "Exploratory: nothing was tested on rows that the choice did not see."
FOLDS_ONLY = (
    "Exploratory: the thresholds were chosen again on all rows; the folds tried the procedure, not these "
    "thresholds."
)
NO_POSTS = "Exploratory: the rows name no posts, so it cannot be shown that tune and test share none."
TEST_SEEN = "Exploratory: the thresholds were moved after the test rows were seen."
OF_TALLIES = (
    "Not certified: no row was there to look at, only tallies of sites, which do not show whether test rows "
    "repeat tune rows or each other."
)
AGAINST = ("Exploratory: ", "Not certified: ")
"""How a sentence begins that speaks against a certificate."""

LEAST_CONFIDENCE = 0.9
"""A bound of less confidence certifies nothing."""


def exploratory_reasons(
    facts: FactsOfTest | None,
    *,
    is_test_seen: bool,
    looks: LooksAtTest | None = None,
    is_over_folds: bool = False,
) -> tuple[str, ...]:
    """Why a point is exploratory, one sentence for each reason; empty where it is not.

    Parameters
    ----------
    facts : what is known of the test; None without one.
    is_test_seen : whether the thresholds were set after test rows had been seen.
    looks : what is known of looks at the test rows before.
    is_over_folds : whether the choice was tried over folds.

    Source
    ------
    statistics.md, "Tune and test".
    """
    found = []
    if facts is None:
        found.append(FOLDS_ONLY if is_over_folds else NO_TEST)
    else:
        found += _of_test(facts)
    if is_test_seen:
        found.append(TEST_SEEN)
    if looks is not None and looks.n_before > 0:
        shown = f" ({'; '.join(looks.shown)})" if looks.shown else ""
        times = counted(looks.n_before, "time")
        found.append(f"Exploratory: the test rows were looked at {times} before this evaluation{shown}.")
    return tuple(found)


def _of_test(facts: FactsOfTest) -> list[str]:
    found = []
    if facts.n_overlap is None:
        found.append(NO_POSTS)
    elif facts.n_overlap:
        found.append(_shared(POST, facts.n_overlap))
    if facts.n_clusters_shared:
        coarser = Unit("coarser unit", "coarser units") if facts.unit == POST else facts.unit
        found.append(_shared(coarser, facts.n_clusters_shared))
    found += _repeated(facts.repeated, facts.unit, is_overlap_known=bool(facts.n_overlap))
    if facts.other_score is not None:
        found.append(
            f"Exploratory: the test holds scores of {facts.other_score}, which are not those the thresholds "
            "were chosen for."
        )
    if facts.hidden_post is not None and facts.hidden_post.endswith(BEFORE_CRITERION):
        found.append(
            f"Exploratory: the file names posts in the column {facts.hidden_post}, and its whole ids were "
            "taken for posts: rows of one post may stand in both tune and test, and count as independent."
        )
    elif facts.hidden_post is not None:
        found.append(
            f"Exploratory: the file names posts in the column {facts.hidden_post}, and another one was taken "
            "for it: rows of one post may stand in both tune and test, and count as independent."
        )
    return found


def _shared(unit: Unit, n: int) -> str:
    have = f"{unit.counted(n)} {'has' if n == 1 else 'have'}"
    return f"Exploratory: {have} rows in both tune and test, so the test is not independent."


def _repeated(repeated: Repetition | None, unit: Unit, *, is_overlap_known: bool) -> list[str]:
    if repeated is None:
        return []
    found = []
    if repeated.across is not None and not is_overlap_known:
        found.append(
            "Exploratory: the test repeats tune under other ids: "
            f"{_pairs(repeated.across, unit, 'across the two')}."
        )
    if repeated.within is not None:
        found.append(
            f"Exploratory: the test holds rows several times under other ids, so that they count too often: "
            f"{_pairs(repeated.within, unit, 'within it')}."
        )
    return found


def _pairs(alike: Alike, unit: Unit, where: str) -> str:
    if alike.of == "scores":
        return (
            f"{counted(alike.n, 'score')} {where}, each to the last digit and of one criterion, "
            f"{'has' if alike.n == 1 else 'have'} rows of one label only, as copies do"
            f", where chance makes about {alike.expected:,.0f} by the labels at near scores"
        )
    same = "score to its last digit, label and criterion" if alike.of == "rows" else "several such rows each"
    if alike.n_drawn is not None:
        where += f", among {unit.counted(alike.n_drawn)} drawn at random,"
    pairs = f"{counted(alike.n, 'pair')} of {'rows' if alike.of == 'rows' else unit.several}"
    return f"{pairs} {where} are alike ({same}), where chance makes about {alike.expected:,.0f}"


def hindrances(
    facts: FactsOfTest | None,
    constraints: Sequence[Constraint],
    *,
    prevalence: float | None,
    marked: Sequence[Marked] = (),
) -> tuple[str, ...]:
    """Why a point is not certified even where it is not exploratory, whatever its verdicts.

    Parameters
    ----------
    facts : what is known of the test; None without one.
    constraints : what was to be reached.
    prevalence : the prevalence that the claims name, or None.
    marked : the marked groups on the rows chosen on, each with the verdict on it: what these miss or cannot
        show of one the choice was not made for, whatever the test says.
    """
    if facts is None:
        return ()
    found = [OF_TALLIES] if facts.is_of_tallies else []
    for constraint in constraints:
        if constraint.confidence is not None and constraint.confidence < LEAST_CONFIDENCE:
            found.append(
                f"Not certified: {percent(constraint.confidence)} confidence in {constraint.name} is less "
                f"than the {percent(LEAST_CONFIDENCE)} that a certificate needs."
            )
        if constraint.is_from_data:
            found.append(
                f"Not certified: {constraint.name} of at least {percent(constraint.value)} is the number "
                "that the rows chosen on were said to support, no target set before."
            )
    if facts.in_tune is not None and facts.in_tune.unconfirmed:
        names = " and ".join(NAMES.get(metric, metric) for metric in facts.in_tune.unconfirmed)
        found.append(
            f"Not certified: without test rows that stand in tune too, {names} "
            f"{'is' if len(facts.in_tune.unconfirmed) == 1 else 'are'} not met with confidence."
        )
    short = [one for one in marked if one[1] in UNSHOWN]
    if short:
        found.append(
            "Not certified: the target of screening sensitivity on the rows chosen on: "
            f"{short_of('met_with_confidence', short)}."
        )
    on_tune, on_test = (percent_in_document(share) for share in facts.prevalence)
    if facts.excludes_claimed and prevalence is not None:
        found.append(
            f"Not certified: the claims are for a prevalence of {percent(prevalence)}, which the test rows "
            f"exclude ({on_test} of them hold evidence)."
        )
    if facts.is_shifted and prevalence is None:
        found.append(
            f"Not certified: {on_test} of the test rows hold evidence, {on_tune} of those chosen on, which "
            "is more apart than chance, and precision moves with it. Name the prevalence that the claims are "
            "for."
        )
    return tuple(found)


def status(
    reasons: Sequence[str],
    test_verdicts: Sequence[str],
    *,
    is_manual: bool,
    hindered: Sequence[str] = (),
) -> str:
    """``exploratory`` for any reason; else ``certified`` when a rule chose and test confirms every target.

    Thresholds that a person set are at best ``tuned``: certified is what was chosen on tune by the rule that
    the document states, for only that choice can be made again.

    Parameters
    ----------
    reasons : from `exploratory_reasons`.
    test_verdicts : of every target, on test.
    is_manual : whether a person set the thresholds.
    hindered : from `hindrances`, among them what marked groups fall short of on the rows chosen on.

    Examples
    --------
    >>> status((), ["met_with_confidence"], is_manual=False), status((), ["not_met"], is_manual=False)
    ('certified', 'tuned')
    """
    if reasons:
        return "exploratory"
    is_confirmed = bool(test_verdicts) and set(test_verdicts) == {"met_with_confidence"}
    return "certified" if is_confirmed and not is_manual and not hindered else "tuned"
