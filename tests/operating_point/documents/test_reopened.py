"""A document opened again: what is refused, what is restored, and what changed on which rows."""

import json

import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds, reopened
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.operating_point.reopening.independence import OTHERS, SAME, TESTED, UNKNOWN
from tests.support.made.choices import distinct_rows
from tests.support.made.scored_data import data_of, scored

POSITIVES, NEGATIVES = [0.2, 0.4, 0.6, 0.8] * 10, [0.05, 0.1, 0.3, 0.7] * 20


def rows(split, first_post, *, missed=0):
    """Rows of a split, a number of whose positives lie lower than all others."""
    return scored([0.01] * missed + POSITIVES[missed:], NEGATIVES, split=split, first_post=first_post)


DATA = data_of([*rows("tune", 0), *rows("test", 500)])
NEW = data_of([*rows("tune", 2000), *rows("test", 3000, missed=3)], name="new.csv")
AIM = {"screening_sensitivity": 0.95, "alert_precision": 0.7}
POINT = point_from_thresholds(DATA, 0.15, 0.5, tune="tune", test="test", author="Dr. A", **AIM)


def again(point):
    return OperatingPoint.from_bytes(point.text.encode(), strict=False)


def change_of(found, name):
    return next(one for one in found.changes if one.name == name)


def test_a_document_without_data_is_checked_as_it_stands():
    found = reopened(again(POINT))
    assert found.holds
    assert (found.verified, found.changes) == (None, ())


def test_thresholds_targets_and_what_was_said_are_restored():
    found = reopened(again(POINT), [DATA])
    assert found.holds
    assert found.thresholds == Thresholds(0.15, 0.5)
    assert found.constraints == (Constraint(SENSITIVITY, 0.95, 0.95), Constraint(PRECISION, 0.7, 0.95))
    assert (found.model, found.particulars.author) == ("m", "Dr. A")


def test_recomputed_on_its_own_data_nothing_changed():
    found = reopened(again(POINT), [DATA])
    assert found.verified.holds
    assert found.changed == ()
    assert change_of(found, "Screening sensitivity, on test").now == "100 % (40 of 40; at least 92.7 %)"


def test_an_edited_document_is_told_before_any_data_is_looked_at():
    document = json.loads(POINT.text)
    document["rule"]["tau_neg"] |= {"value": 0.25, "hex": (0.25).hex()}
    found = reopened(OperatingPoint(document), [NEW], against=NEW)
    assert [one.code for one in found.problems] == ["DOC-003"]
    assert not found.holds
    assert (found.verified, found.changes) == (None, ())


@pytest.mark.parametrize(("name", "value"), [("sha256", "0" * 64), ("file", "better.csv")])
def test_without_data_a_document_whose_hash_was_made_again_is_told_by_its_id(name, value):
    document = json.loads(POINT.text)
    document["data"][0][name] = value
    found = reopened(OperatingPoint(document | {"content_sha256": content_sha256(document)}))
    assert [one.code for one in found.problems] == ["OPT-105"]
    assert not found.holds


def test_numbers_that_the_data_do_not_bear_out_are_shown_then_and_now():
    document = json.loads(point_from_thresholds(NEW, 0.15, 0.5, tune="tune", test="test", **AIM).text)
    for entry, own in zip(document["data"], POINT.document["data"], strict=True):
        entry |= {key: own[key] for key in ("sha256", "bytes", "file", "row_ids_sha256")}
    forged = OperatingPoint(document | {"content_sha256": content_sha256(document)})
    found = reopened(forged, [DATA])
    assert not found.holds
    assert found.problems == ()
    kept = next(one for one in found.changed if one.name == "Screening sensitivity, on test")
    assert (kept.then, kept.now) == (
        "92.5 % (37 of 40; at least 81.7 %)",
        "100 % (40 of 40; at least 92.7 %)",
    )
    assert change_of(found, "Screening sensitivity, on tune").is_changed is False


def test_other_data_are_refused_with_digest_rows_and_columns():
    found = reopened(again(POINT), [NEW])
    assert not found.holds
    assert found.verified is None
    assert [one.code for one in found.problems] == ["OPT-076", "OPT-076"]
    digests = [data.sources[0].sha256 for data in (NEW, DATA)]
    assert str(found.problems[1]) == (
        "new.csv: found other data than the test rows of the document: 120 rows (split = test), 40 with "
        f"evidence, with SHA-256 {digests[0]}, expected 120 rows (split = test), 40 with evidence, of "
        f"queries.csv with SHA-256 {digests[1]}. Give the file that it was made on, or have its thresholds "
        "counted on these as new rows."
    )


def test_the_same_posts_with_other_scores_are_told_as_such():
    other = data_of([*rows("tune", 0, missed=1), *rows("test", 500)])
    told = str(reopened(again(POINT), [other]).problems[0])
    assert "with the same posts and criteria, so that scores, labels or other cells differ" in told


def test_columns_and_rows_that_are_not_there_are_named():
    document = json.loads(POINT.text)
    document["input"]["columns"]["criterion"] = "symptom"
    changed = OperatingPoint(document | {"content_sha256": content_sha256(document)})
    told = str(reopened(changed, [data_of(scored(POSITIVES, NEGATIVES))]).problems[0])
    assert "120 rows (every row)" in told
    assert "no rows with split = tune" in told
    assert "without the column symptom" in told


def test_of_two_files_only_the_one_that_is_another_is_named():
    tune, test = data_of(rows("tune", 0)), data_of(rows("test", 500), name="test.csv")
    point = choose_operating_point(tune, test_data=test, **AIM)
    assert reopened(point, [test, tune]).holds
    found = reopened(point, [tune, NEW])
    assert [one.file for one in found.problems] == ["new.csv"]
    assert "the test rows" in str(found.problems[0])
    lacking = reopened(point, [tune]).problems
    assert "other data than the test rows of the document: none beside the other rows" in str(lacking[0])


def test_new_rows_stand_beside_those_that_decided():
    found = reopened(again(POINT), against=NEW)
    assert found.holds
    assert found.then == "test (split = test) of queries.csv"
    assert found.now == "the rows with split = test of new.csv"
    kept = change_of(found, "Screening sensitivity")
    assert (kept.then, kept.value_then) == ("100 % (40 of 40; at least 92.7 %)", 1.0)
    assert (kept.now, kept.value_now) == ("92.5 % (37 of 40; at least 81.7 %)", 37 / 40)
    verdict = change_of(found, "Screening sensitivity of at least 95 %")
    assert (verdict.value_then, verdict.value_now) == ("infeasible_with_this_n", "not_met")
    assert not change_of(found, "Checks").is_changed


def test_new_rows_without_the_split_are_taken_whole():
    found = reopened(again(POINT), against=data_of(scored(POSITIVES, NEGATIVES), name="new.csv"))
    assert found.now == "all rows of new.csv"
    assert [one.name for one in found.changes if one.value_then != one.value_now] == []


def test_numbers_on_new_rows_are_those_that_a_test_on_them_has():
    found = reopened(again(POINT), against=NEW)
    tested = point_from_thresholds(NEW, 0.15, 0.5, tune="tune", test="test", **AIM).document
    on_test = {one["metric"]: one for one in tested["estimates"] if one["evaluated_on"] == "test"}
    assert change_of(found, "Alert precision").value_now == on_test["gate.alert_precision"]["value"]
    assert change_of(found, "Missed per 1000").value_now == on_test["gate.screening_fn_per_1000"]["value"]


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (
            data_of(scored(POSITIVES, NEGATIVES), score_kind="score"),
            "found new rows of another kind: scores of kind score, expected scores of kind probability",
        ),
        (
            data_of([(*row, "other") for row in rows("", 0)]),
            "found new rows of another kind: scores of other, expected scores of base, as in the document.",
        ),
    ],
)
def test_new_rows_of_another_kind_are_refused(new, told):
    of_model = [(*row, "base") for row in rows("tune", 0)] + [(*row, "other") for row in rows("tune", 500)]
    point = point_from_thresholds(data_of(of_model), 0.15, 0.5, model="base", **AIM)
    found = reopened(point, against=new)
    assert not found.holds
    assert any(told in str(one) for one in found.problems)
    assert found.changes == ()


CHOSEN_ON, OTHER = distinct_rows(), distinct_rows(lambda name: f"b{name}", seed=6)
ON_THESE = data_of(CHOSEN_ON)
CHOSEN = choose_operating_point(ON_THESE, screening_sensitivity=0.9, alert_precision=0.9)
RIGHT = "Alert precision of at least 90 %"


@pytest.mark.parametrize(
    ("new", "own", "said"),
    [
        (CHOSEN_ON, (), SAME),
        (CHOSEN_ON[::-1], (), SAME),
        (CHOSEN_ON, (ON_THESE,), SAME),
        (OTHER, (), UNKNOWN),
        ([*OTHER, *CHOSEN_ON[:10]], (ON_THESE,), "2 posts of these rows are among those that the thresholds"),
        ([("x" + post, *rest) for post, *rest in CHOSEN_ON], (ON_THESE,), "300 posts of these rows are"),
    ],
    ids=["same", "same in another order", "same beside them", "unknown", "two posts", "renamed"],
)
def test_rows_that_may_be_those_chosen_on_are_judged_as_these(new, own, said):
    found = reopened(again(CHOSEN), own, against=data_of(new, name="new.csv"))
    assert found.is_in_sample
    assert found.judged.startswith(said)
    assert found.judged.endswith("Verdicts are those of rows chosen on, which confirm nothing.")
    verdict = change_of(found, RIGHT)
    assert (verdict.value_then, verdict.value_now) == ("met_point_only", "met_point_only")


def test_rows_shown_to_be_others_are_judged_as_a_test():
    found = reopened(again(CHOSEN), [ON_THESE], against=data_of(OTHER, name="new.csv"))
    assert (found.is_in_sample, found.judged) == (False, OTHERS)
    assert change_of(found, RIGHT).value_now == "met_with_confidence"


def test_rows_without_posts_are_not_known_to_be_others():
    nameless = data_of(CHOSEN_ON, has_posts=False)
    point = choose_operating_point(nameless, screening_sensitivity=0.9, alert_precision=0.9)
    found = reopened(again(point), [nameless], against=data_of(OTHER, has_posts=False, name="new.csv"))
    assert found.judged.startswith("The rows name no posts")
    assert change_of(found, RIGHT).value_now == "met_point_only"


def test_the_test_rows_of_a_document_keep_its_verdicts_and_are_not_called_new():
    found = reopened(again(POINT), against=DATA)
    assert (found.is_in_sample, found.judged, found.changed) == (False, TESTED, ())


def test_what_was_found_is_json():
    told = json.loads(json.dumps(reopened(again(POINT), against=NEW).as_json(), allow_nan=False))
    assert told["holds"]
    assert told["in_sample"]
    assert told["judged"].startswith(UNKNOWN)
    assert told["content_sha256"] == POINT.document["content_sha256"]
    kept = next(one for one in told["changes"] if one["name"] == "Screening sensitivity")
    assert (kept["then"], kept["now"], kept["changed"]) == (1.0, 0.925, True)
