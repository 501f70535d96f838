"""Test rows that stand in tune are counted and said; a target that needs them is not certified."""

import numpy as np
import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point
from evalcore.operating_point.choosing.rows_in_tune import _cases, rows_in_tune
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.test_rows.overlap import n_overlapping_posts
from evalcore.operating_point.test_rows.rank_scores import are_ranks, is_evenly_spread
from evalcore.operating_point.test_rows.repetition import repetition
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.problems import InputError
from tests.operating_point.test_repetition import honest
from tests.support.but_long import but_long
from tests.support.made.documents import codes, rehashed, written
from tests.support.made.scored_data import data_of

TARGETS = (Constraint(SENSITIVITY, 0.98, 0.95), Constraint(PRECISION, 0.9, 0.95))
AT = Thresholds(0.3, 0.8)
SPLIT = {"tune": "tune", "test": "test", "alert_precision": None}


def side(rng, name, n_positives, n_negatives, *, lowest=0.4, digits=None):
    """Posts of one row, of well separated scores."""
    scores = [*rng.uniform(lowest, 1, n_positives), *rng.uniform(0, 0.35, n_negatives)]
    return [
        (f"{name}{at}", f"A.{at % 10}", s if digits is None else round(s, digits), int(at < n_positives))
        for at, s in enumerate(scores)
    ]


def with_copies(n_copied, *, n_positives=120, digits=None, renamed=False, hair=0.0):
    """Tune, and a test of which so many posts hold a positive of tune beside their own row."""
    rng = np.random.default_rng(5)
    tune = side(rng, "s", 600, 1200, digits=digits)
    test = side(rng, "t", n_positives, 2 * n_positives, lowest=0.5, digits=digits)  # nothing is missed
    picked = rng.choice(600, n_copied, replace=False)
    copies = [
        (
            f"t{n_positives + 10 * at + (i + 1) % 10}",
            f"B.{at % 10}" if renamed else tune[i][1],
            tune[i][2] + hair,
            1,
        )
        for at, i in enumerate(picked)
    ]
    return tune, [*test, *copies]


def sets(tune, test):
    return tuple(row_set(data_of(rows), "all", split=None, model=None) for rows in (tune, test))


def counted(*sides):
    return rows_in_tune(*sets(*sides), TARGETS, AT)


def chosen(tune, test, **asked):
    data = data_of([(*row, "tune") for row in tune] + [(*row, "test") for row in test])
    return data, choose_operating_point(data, screening_sensitivity=0.98, **SPLIT | asked)


def test_every_copied_row_is_counted_and_left_out_but_for_as_many_as_chance_may_make():
    found = counted(*with_copies(12))
    assert (found.n_rows, found.n, found.expected) == (372, 12, 0.0)
    assert found.n_left_out[SENSITIVITY] == 12 - 4
    assert counted(*with_copies(0)).n == 0


@pytest.mark.parametrize("change", [{"renamed": True}, {"hair": 1e-7}, {"renamed": True, "hair": 1e-7}])
def test_rows_that_are_renamed_or_changed_by_a_hair_are_left_out_too(change):
    found = counted(*with_copies(12, **change))
    assert found.n == 0
    assert found.n_left_out[SENSITIVITY] >= 5


def test_a_target_that_only_copies_of_tune_make_shown_is_not_certified():
    # 140 positives without a miss are too few for 98 %, which takes 149: twelve copies more reach it.
    data, point = chosen(*with_copies(12, n_positives=140))
    document = point.document
    on_test = next(one for one in document["claims"] if one["evaluated_on"] == "test")
    assert on_test["verdict"] == "met_with_confidence"
    assert document["selection"]["repeated_rows"]["tune_and_test"] is None
    assert document["selection"]["test_rows_in_tune"]["unconfirmed_without"] == [SENSITIVITY]
    assert document["status"] == "tuned"
    assert any(
        line.startswith("Not certified: without test rows that stand in tune too, screening sensitivity is")
        for line in document["limits"]
    )
    assert any(
        line.startswith("12 of 432 test rows stand in tune too by score") for line in document["limits"]
    )
    assert point.verify(data).holds


def test_a_target_that_holds_without_them_is_certified_and_the_count_is_said():
    data, point = chosen(*with_copies(12, n_positives=300))
    assert point.status == "certified"
    said = (
        "12 of 912 test rows stand in tune too by score to its last digit, label and criterion, where chance "
    )
    line = next(line for line in point.document["limits"] if line.startswith(said))
    assert "the verdict on screening sensitivity stays" in line
    assert point.verify(data).holds


def test_a_test_without_such_rows_says_so():
    _, point = chosen(*with_copies(0, n_positives=300))
    assert any(line.startswith("0 of 900 test rows stand in tune too") for line in point.document["limits"])


@pytest.mark.parametrize("n_copied", [40, 200])
def test_many_copies_are_exploratory_whatever_is_left(n_copied):
    _, point = chosen(*with_copies(n_copied, n_positives=300))
    assert point.status == "exploratory"


def test_alerts_are_left_out_by_their_own_count():
    found = counted(*with_copies(30))
    n_alerts = found.n_left_out[PRECISION]
    assert 0 < n_alerts < found.n_left_out[SENSITIVITY]


def test_a_test_of_nothing_but_copies_confirms_nothing():
    tune, test = with_copies(300)
    found = counted(tune, test[-300:])
    assert found.n_left_out[SENSITIVITY] > 290
    assert found.unconfirmed == (PRECISION,)  # the bound of sensitivity misses its target with all rows too


def test_a_document_that_leaves_the_count_out_or_forgives_it_is_refused(tmp_path):
    _, point = chosen(*with_copies(12, n_positives=300))
    document = point.document
    limits = [line for line in document["limits"] if "stand in tune too" not in line]
    with pytest.raises(InputError) as caught:
        OperatingPoint.load(written(tmp_path, rehashed(document | {"limits": limits})))
    assert codes(caught) == ["DOC-033"]
    in_tune = document["selection"]["test_rows_in_tune"] | {"unconfirmed_without": [SENSITIVITY]}
    selection = document["selection"] | {"test_rows_in_tune": in_tune}
    with pytest.raises(InputError) as caught:
        OperatingPoint.load(written(tmp_path, rehashed(document | {"selection": selection})))
    assert "DOC-010" in codes(caught)
    lacking = {k: v for k, v in document["selection"].items() if k != "test_rows_in_tune"}
    with pytest.raises(InputError, match="test_rows_in_tune"):
        OperatingPoint.load(written(tmp_path, rehashed(document | {"selection": lacking})))


def test_chance_is_taken_from_all_tune_rows_that_are_cases_wrong_ones_too():
    """Half the alerts of tune are wrong and alike in pairs: an alert of test is like one by chance."""
    tune, test = with_copies(60)
    scores = np.repeat(np.random.default_rng(6).uniform(0.8, 1, 100), 2)
    pairs = [(f"w{at}", "A.1", p, 0) for at, p in enumerate(scores)]
    assert counted(tune, test).n_left_out[PRECISION] > 10
    found = counted([*tune, *pairs], test).n_left_out
    assert found[PRECISION] == 0
    assert found[SENSITIVITY] == 60 - 4  # pairs without evidence are no cases of it


def test_a_score_at_a_threshold_is_kept_and_is_an_alert():
    scores = [0.2999, 0.3, 0.5, 0.7999, 0.8, 0.9]
    rows = row_set(
        data_of([(f"s{at}", "A.1", p, at % 2) for at, p in enumerate(scores)]), "all", split=None, model=None
    )

    def of(metric, thresholds):
        return tuple(mask.astype(int).tolist() for mask in _cases(metric, thresholds)(rows))

    positive = [0, 1, 0, 1, 0, 1]
    assert of(SENSITIVITY, AT) == (positive, positive)
    assert of(SENSITIVITY, Thresholds(0.30001, 0.8)) == (positive, [0, 0, 0, 1, 0, 1])
    assert of(SENSITIVITY, Thresholds(None, 0.8)) == (positive, positive)
    assert of(PRECISION, AT) == ([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1])
    assert of(PRECISION, Thresholds(0.3, None)) == ([0] * 6, [0] * 6)


HONEST = {
    "two digits": {"n_posts": 120, "per_post": 5},
    "three digits": {"n_posts": 120, "per_post": 5, "digits": 3},
    "four digits, one row a post": {"n_posts": 400, "per_post": 1, "digits": 4},
    "eleven values": {"n_posts": 100, "per_post": 5, "values": 10},
    "posts that differ much": {"n_posts": 100, "per_post": 5, "effect": 4.0, "digits": 6},
}


@pytest.mark.parametrize("name", HONEST)
def test_rows_of_honest_files_that_coincide_are_not_left_out(name):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        found = rows_in_tune(*(honest(rng, **HONEST[name], name=letter) for letter in "st"), TARGETS, AT)
        assert sum(found.n_left_out.values()) <= 3
        assert found.n == pytest.approx(found.expected, abs=6 * (found.expected + 1) ** 0.5)


# --- scores that are ranks within each set ---


def ranked(rows, how):
    """The rows with the ranks of their scores."""
    score, criterion = np.array([row[2] for row in rows]), np.array([row[1] for row in rows])
    place = np.empty(len(rows))
    for group in np.unique(criterion) if how == "by criterion" else [None]:
        members = np.flatnonzero(criterion == group) if group is not None else np.arange(len(rows))
        place[members] = (np.argsort(np.argsort(score[members])) + 1) / len(members)
    if how == "percentiles":
        place = np.ceil(100 * place) / 100
    return [(post, name, p, label) for (post, name, _, label), p in zip(rows, place.tolist(), strict=True)]


def rows_of(rng, name, n_posts, per_post):
    level = rng.normal(-1.5, 1, n_posts)
    rows = []
    for post in range(n_posts):
        for at in range(per_post):
            label = int(rng.random() < 1 / (1 + np.exp(-level[post])))
            rows.append((f"{name}{post}", f"A.{at}", float(level[post] + rng.normal() + 2 * label), label))
    return rows


@pytest.mark.parametrize("how", but_long(["whole", "by criterion", "percentiles"], 4))
@pytest.mark.parametrize(("n_posts", "per_post"), [(120, 5), (500, 1), (40, 20)])
def test_ranks_within_each_set_are_not_accused(how, n_posts, per_post):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        tune, test = (ranked(rows_of(rng, name, n_posts, per_post), how) for name in "st")
        rows = sets(tune, test)
        assert are_ranks(*rows)
        found = repetition(*rows)
        assert (found.across, found.within, n_overlapping_posts(*rows)) == (None, None, 0)
        counts = rows_in_tune(*rows, TARGETS, AT)
        assert sum(counts.n_left_out.values()) == 0
        assert counts.expected > 0


def test_a_copy_of_ranked_tune_rows_is_found_all_the_same():
    rng = np.random.default_rng(0)
    tune = ranked(rows_of(rng, "s", 120, 5), "whole")
    test = [(f"c{post}", name, score, label) for post, name, score, label in tune]
    rows = sets(tune, test)
    assert are_ranks(*rows)
    assert repetition(*rows).across is not None
    assert n_overlapping_posts(*rows) == 120


@pytest.mark.parametrize("digits", [2, 6])
def test_scores_strewn_at_random_are_no_ranks(digits):
    rng = np.random.default_rng(0)
    assert not any(is_evenly_spread(np.round(rng.random(500), digits)) for _ in range(50))
    assert is_evenly_spread(np.arange(500) / 500)
    assert is_evenly_spread(np.round(np.arange(1, 751) / 750, 3))
    assert not is_evenly_spread(np.repeat(np.arange(10) / 10, 50))
    assert not is_evenly_spread(np.full(50, 0.5))
