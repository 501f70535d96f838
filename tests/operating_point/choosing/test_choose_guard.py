"""What cannot be certified, by any route: overlapping posts, seen tests, forged documents."""

import json

import numpy as np
import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.document.canonical import content_sha256, id_of
from evalcore.operating_point.document.limits import SYNTHETIC
from evalcore.problems import InputError
from tests.support.made.choices import claims_of, distinct_rows, halves
from tests.support.made.scored_data import data_of, scored


@pytest.mark.parametrize(
    "choose",
    [
        lambda data: choose_operating_point(data, tune="tune", test_data=data),
        lambda data: choose_operating_point(data, test_data=data),
        lambda data: choose_operating_point(data),
        lambda data: choose_operating_point(data, tune="tune"),
        lambda data: choose_operating_point(data, tune="tune", test="test", test_seen=True),
        lambda data: by_hand(data, test=None),
        lambda data: by_hand(data, test_seen=True),
    ],
)
def test_nothing_but_an_unseen_disjoint_test_certifies(choose):
    point = choose(halves())
    assert point.status == "exploratory"
    assert any(sentence.startswith("Exploratory: ") for sentence in point.document["limits"])


def by_hand(data, **options):
    aims = {"screening_sensitivity": 0.995, "alert_precision": 0.9}
    return point_from_thresholds(data, 0.5, 0.95, **aims, **{"tune": "tune", "test": "test"} | options)


def test_thresholds_set_by_hand_are_tuned_at_best():
    point = by_hand(halves())
    assert {claim["verdict"] for claim in claims_of(point, "test").values()} == {"met_with_confidence"}
    assert point.status == "tuned"


def test_every_reason_for_exploratory_is_a_sentence_of_its_own():
    point = choose_operating_point(halves(shared_post=True), tune="tune", test="test", test_seen=True)
    assert [s for s in point.document["limits"] if s.startswith("Exploratory")] == [
        "Exploratory: 1,505 posts have rows in both tune and test, so the test is not independent.",
        "Exploratory: the thresholds were moved after the test rows were seen.",
    ]
    assert point.document["selection"]["test_seen_before"] is True


def test_one_split_cannot_be_tune_and_test():
    with pytest.raises(InputError, match="the split 'tune' for both tune and test, expected two splits"):
        choose_operating_point(halves(), tune="tune", test="tune")


@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name,
        lambda name: f" {name}",
        lambda name: f"{name[0]} {name[1:]}",
        lambda name: f"{name}\u200b",
        lambda name: f"'{name.upper()}'",
        lambda name: f"post-{name}-renamed",
    ],
)
def test_the_same_rows_in_another_file_are_found_whatever_their_posts_are_called(rename):
    tune, test = data_of(distinct_rows()), data_of(distinct_rows(rename), name="other.csv")
    point = choose_operating_point(tune, test_data=test, screening_sensitivity=0.99)
    assert point.document["selection"]["overlap_posts_tune_test"] == 300
    assert point.status == "exploratory"
    together = data_of([*distinct_rows(split="tune"), *distinct_rows(rename, split="test")])
    point = choose_operating_point(together, tune="tune", test="test", screening_sensitivity=0.99)
    assert point.status == "exploratory"


def test_posts_in_both_parts_are_counted_and_never_certified():
    point = choose_operating_point(halves(shared_post=True), tune="tune", test="test")
    assert point.status == "exploratory"
    assert point.document["selection"]["overlap_posts_tune_test"] == 1505
    assert (
        "Exploratory: 1,505 posts have rows in both tune and test, so the test is not independent."
        in point.document["limits"]
    )


def test_post_ids_that_differ_in_form_only_overlap():
    tune = [("17", "A.1", 0.9, 1, "tune"), ("s2", "A.1", 0.1, 0, "tune")]
    test = [("17.0", "A.1", 0.9, 1, "test"), (" S2", "A.1", 0.1, 0, "test"), ("s3", "A.1", 0.1, 0, "test")]
    point = choose_operating_point(data_of([*tune, *test]), tune="tune", test="test", confidence=None)
    assert point.document["selection"]["overlap_posts_tune_test"] == 2


def test_rows_of_one_file_overlap_whatever_their_posts_are_called():
    rows = scored(np.full(700, 0.9), np.full(700, 0.1))
    renamed = data_of(rows)
    object.__setattr__(
        renamed.queries, "post_ids", np.array([f"x{name}" for name in renamed.queries.post_ids], object)
    )
    point = choose_operating_point(data_of(rows), test_data=renamed)
    assert point.document["selection"]["overlap_posts_tune_test"] == 1400
    assert point.status == "exploratory"


def test_rows_without_posts_cannot_be_certified():
    rows = [
        *scored(np.full(700, 0.95), np.full(700, 0.1), split="tune"),
        *scored(np.full(700, 0.95), np.full(700, 0.1), split="test", first_post=10_000),
    ]
    assert choose_operating_point(data_of(rows), tune="tune", test="test").status == "certified"
    point = choose_operating_point(data_of(rows, has_posts=False), tune="tune", test="test")
    assert point.status == "exploratory"
    assert "overlap_posts_tune_test" not in point.document["selection"]
    assert any("cannot be shown" in sentence for sentence in point.document["limits"])


def disjoint():
    """Tune and test rows of distinct scores and no common post."""
    tune = distinct_rows(lambda name: f"a{name}")
    test = distinct_rows(lambda name: f"b{name}", seed=6)
    return tune, test


def with_test(tune, test):
    return choose_operating_point(
        data_of(tune), test_data=data_of(test, name="other.csv"), screening_sensitivity=0.99
    )


def test_disjoint_rows_certify_so_that_the_guard_is_what_refuses():
    tune, test = disjoint()
    point = with_test(tune, test)
    assert (point.status, point.document["selection"]["overlap_posts_tune_test"]) == ("certified", 0)


@pytest.mark.parametrize(
    "copied",
    [
        lambda post, criterion, p: (f"new{post}", criterion.replace("A.", "B."), p),
        lambda post, criterion, p: (f"new{post}", criterion, min(p + 1e-6, 1.0)),
        lambda post, criterion, p: (f"new{post}", f"{criterion}x", round(p, 4)),
    ],
    ids=["criteria renamed", "scores moved by a hair", "scores rounded"],
)
def test_posts_copied_under_new_ids_are_found_though_their_rows_were_changed(copied):
    tune, _ = disjoint()
    test = [(*copied(post, criterion, p), y, split) for post, criterion, p, y, split in tune]
    point = with_test(tune, test)
    assert point.status == "exploratory"
    assert point.document["selection"]["overlap_posts_tune_test"] > 150


def test_a_tenth_of_the_test_copied_under_new_ids_is_found():
    tune, test = disjoint()
    copies = [(f"new{post}", *rest) for post, *rest in tune[: 30 * 5]]
    point = with_test(tune, [*test, *copies])
    assert point.status == "exploratory"
    assert point.document["selection"]["overlap_posts_tune_test"] == 30


@pytest.mark.parametrize(("digits", "per_post"), [(2, 1), (3, 1), (2, 3)])
def test_posts_that_agree_by_accident_are_no_copies(digits, per_post):
    rng = np.random.default_rng(digits)
    rows = [
        (f"s{post}", f"A.{at}", round(float(rng.beta(1, 6)), digits), int(rng.random() < 0.1), side)
        for post, side in enumerate(["tune", "test"] * 200)
        for at in range(per_post)
    ]
    point = choose_operating_point(data_of(rows), tune="tune", test="test", confidence=None)
    assert point.document["selection"]["overlap_posts_tune_test"] == 0


def forged(point, **selection):
    """The document of a point that calls itself certified, with a content hash that fits."""
    document = json.loads(point.text)
    document |= {"status": "certified", "selection": {**document["selection"], **selection}}
    document["limits"] = [line for line in document["limits"] if not line.startswith("Exploratory")]
    document |= {"id": id_of(document)}
    return OperatingPoint(document | {"content_sha256": content_sha256(document)})


def test_python_saves_no_certificate_that_the_document_contradicts(tmp_path):
    tune, test = disjoint()
    shared = with_test(tune, [*test, *tune[:5]])
    for point in (shared, choose_operating_point(data_of(tune)), by_hand(halves(), test_seen=True)):
        with pytest.raises(InputError):
            forged(point).save(tmp_path / "point.json")
    assert not (tmp_path / "point.json").exists()


def test_a_false_certificate_with_a_fitting_hash_does_not_verify(tmp_path):
    tune, test = disjoint()
    test = [*test, *tune[:5]]
    point = forged(with_test(tune, test), overlap_posts_tune_test=0)
    read = OperatingPoint.load(point.save(tmp_path / "point.json"))
    result = read.verify(data_of(tune), data_of(test, name="other.csv"))
    found = [one.found.split(" = ")[0] for one in result.differences]
    assert found[0] == "selection.overlap_posts_tune_test"
    assert "status" in found


def test_test_seen_cannot_be_turned_off_in_the_document():
    data = halves()
    point = choose_operating_point(data, tune="tune", test="test", test_seen=True)
    assert forged(point).verify(data).differences
    with pytest.raises(InputError, match=r"selection\.test_seen_before"):
        OperatingPoint.from_bytes(forged(point, test_seen_before=False).text.encode())


def test_a_test_on_synthetic_rows_is_said_too():
    real = data_of(scored([0.5, 0.6], [0.1, 0.2]))
    generated = data_of(scored([0.5, 0.7], [0.1, 0.2], first_post=9), facts={"synthetic": True})
    point = choose_operating_point(real, test_data=generated)
    assert point.document["limits"][0] == SYNTHETIC
    assert point.summary.splitlines()[1] == SYNTHETIC
    assert point.verify(real, generated).holds
    assert SYNTHETIC not in choose_operating_point(real, test_data=real).summary


def test_that_data_are_synthetic_cannot_be_left_out():
    data = data_of(scored([0.5, 0.6], [0.1, 0.2]), facts={"synthetic": True})
    document = json.loads(choose_operating_point(data).text)
    document["limits"] = document["limits"][1:]
    point = OperatingPoint(document | {"content_sha256": content_sha256(document)})
    assert str(point.verify(data).first).startswith("found limits[0] = ")
