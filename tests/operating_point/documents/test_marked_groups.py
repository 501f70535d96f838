"""Groups that must not be missed: what they do to verdicts and certificates, and that none is taken out."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

from evalcore.__main__ import main
from evalcore.inference.binomial import lower_bound
from evalcore.operating_point import (
    OperatingPoint,
    choose_operating_point,
    choose_over_folds,
    marked_outlooks,
    outlooks,
    point_from_thresholds,
    reopened,
)
from evalcore.operating_point.choosing.request import constraints_of
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.deciding.path import path_to_certificate
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.operating_point.document.integrity import check_schema, contradictions
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.problems import InputError
from tests.support.made.choices import distinct_rows
from tests.support.made.scored_data import codes_of, data_of

HOSPITALS = {"A": 400, "B": 41, "C": 8}
"""Positives in each."""


def rows_of(split, *, missed):
    """A positive and a negative a post, in three hospitals; of each hospital so many positives lie low."""
    rows, hospital, rng = [], [], np.random.default_rng(len(split) + sum(map(ord, split)))
    for name, n in HOSPITALS.items():
        for at in range(n):
            post, high, low = f"{split}{name}{at}", rng.uniform(0.5, 0.9), rng.uniform(0.02, 0.3)
            score = low / 100 if at < missed.get(name, 0) else high
            rows += [(post, "A.1", score, 1, split), (post, "A.2", low, 0, split)]
            hospital += [name, name]
    return rows, hospital


def data(tune=None, test=None):
    """Data with a column hospital; how many positives of each lie below every threshold."""
    parts = [rows_of("tune", missed=tune or {}), rows_of("test", missed=test or {})]
    rows, hospital = ([one for part in parts for one in part[at]] for at in (0, 1))
    made = data_of(rows)
    column = codes_of(hospital)
    queries = replace(made.queries, slices={**made.queries.slices, "hospital": column})
    return replace(made, tables={**made.tables, "queries": queries})


CLEAN, MISSED = data(), data(test={"B": 3})
AIM = {"screening_sensitivity": 0.9, "alert_precision": None}
B, C = ("hospital", "B"), ("hospital", "C")


def point(given, *marks, **how):
    return point_from_thresholds(
        given,
        0.4,
        None,
        tune="tune",
        test="test",
        **{**AIM, "screening_sensitivity": 0.95, **how},
        must_not_miss=marks,
    )


def claim(found, role="test"):
    return next(one for one in found.document["claims"] if one["evaluated_on"] == role)


def test_a_marked_group_that_misses_the_target_fails_it_although_the_whole_meets_it():
    assert claim(point(MISSED))["verdict"] == "met_with_confidence"
    said = claim(point(MISSED, B))
    assert (said["verdict"], said["verdict_of_all"]) == ("not_met", "met_with_confidence")
    assert said["text"].startswith(
        "Screening sensitivity of at least 95 % on test (split = test): not met for hospital = B: 3 of 41 "
        "missed; all checks together: met with 95 % confidence. 446 of 449 checks with evidence kept for a "
        "reader ("
    )
    assert not point(MISSED, B).constraints_met


def test_a_group_of_too_few_is_never_met_in_silence():
    said = claim(point(CLEAN, C, B))
    assert said["verdict"] == "infeasible_with_this_n"
    assert "cannot be shown for hospital = C: 0 of 8 missed; " in said["text"]
    assert "hospital = B: 0 of 41 missed; " in said["text"]
    assert not point(CLEAN, C).constraints_met


def test_marked_groups_that_hold_change_no_verdict():
    said = claim(point(CLEAN, ("hospital", "A")))
    assert (said["verdict"], said["verdict_of_all"]) == ("met_with_confidence", "met_with_confidence")
    assert said["text"] == claim(point(CLEAN))["text"]


def test_every_group_of_a_marked_and_of_a_shown_column_is_counted_on_tune_and_on_test():
    document = point(MISSED, B, by=["criterion"]).document
    counted = {
        (one["evaluated_on"], one["column"], one["level"]): (one["n"], one["n_positive"], one["n_missed"])
        for one in document["subgroups"]
    }
    assert counted["test", "hospital", "B"] == (82, 41, 3)
    assert counted["tune", "hospital", "B"] == (82, 41, 0)
    assert counted["test", "criterion", "A.2"] == (449, 0, 0)
    assert len(counted) == 2 * (3 + 2)
    check_schema(document)
    no_positives = next(one for one in document["subgroups"] if one["level"] == "A.2")
    assert (no_positives["screening_sensitivity"], no_positives["bound"]) == (None, None)
    assert no_positives["verdict"] == "not_assessed"


def test_a_group_bound_is_the_exact_one_where_each_post_has_one_positive():
    entry = next(
        one
        for one in point(MISSED, B).document["subgroups"]
        if (one["evaluated_on"], one["level"]) == ("test", "B")
    )
    assert entry["screening_sensitivity"] == 38 / 41
    assert entry["bound"] == pytest.approx(lower_bound(38, 41), rel=1e-12)
    assert entry["verdict"] == "not_met"


def test_a_certificate_cannot_be_had_where_a_marked_group_fails_on_test():
    def status(given, *marks):
        found = choose_operating_point(given, tune="tune", test="test", **AIM, must_not_miss=marks)
        assert contradictions(found.document) == []
        return found.status

    clean = certified_data()
    assert status(clean) == "certified"
    assert status(clean, ("criterion", "A.1")) == "certified"
    worse = certified_data(n_missed=15)
    assert status(worse) == "certified"
    assert status(worse, ("criterion", "A.1")) == "tuned"


@pytest.mark.parametrize(
    ("of_tune", "told"),
    [
        ((100, 15), "not met for criterion = A.1: 21 of 100 missed"),
        ((5, 0), "cannot be shown for criterion = A.1: 0 of 5 missed"),
        ((0, 0), "cannot be shown for criterion = A.1: no positives"),
    ],
)
def test_a_marked_group_that_tune_misses_or_cannot_show_is_not_certified_whatever_test_says(of_tune, told):
    given = certified_data(of_tune=of_tune)
    assert choose_operating_point(given, tune="tune", test="test", **AIM).status == "certified"
    found = choose_operating_point(
        given, tune="tune", test="test", **AIM, must_not_miss=[("criterion", "A.1")]
    )
    assert claim(found)["verdict"] == "met_with_confidence"
    assert found.status == "tuned"
    said = f"Not certified: the target of screening sensitivity on the rows chosen on: {told}."
    assert said in found.document["limits"]
    assert contradictions(found.document) == []
    assert found.verify(given).holds

    def without_it(document):
        document["limits"].remove(said)
        document["status"] = "certified"

    assert "DOC-033" in {one.code for one in contradictions(forged(found, without_it, is_hashed_anew=True))}


def certified_data(*, n_missed=0, of_tune=None):
    """Tune and test that certify at 90 %; of 100 positives of criterion A.1 in test some are missed.

    Of tune A.1 may hold so many positives, of which so many are missed.
    """
    tune = distinct_rows(lambda name: f"a{name}", "tune")
    test = _in_two(distinct_rows(lambda name: f"b{name}", "test", seed=6), 100, n_missed)
    high = [
        (post, one, 0.95 + score / 20 if label and score > 0.1 else score, label, split)
        for post, one, score, label, split in test
    ]
    return data_of([*(tune if of_tune is None else _in_two(tune, *of_tune)), *high])


def _in_two(rows, n_positives, n_missed):
    """The rows in two criteria: so many positives of A.1, the first of them below every threshold."""
    found, n = [], 0
    for at, (post, _, score, label, split) in enumerate(rows):
        is_first = at % 6 == 0 and (not label or n < n_positives)
        is_missed = label and is_first and n < n_missed
        n += bool(label and is_first)
        found.append((post, "A.1" if is_first else "A.2", score / 100 if is_missed else score, label, split))
    return found


@pytest.mark.parametrize("mark", [("split", "test"), ("split", "tune")])
def test_the_column_that_divides_the_rows_cannot_be_marked(mark):
    for refused in (
        lambda: point(CLEAN, mark),
        lambda: choose_operating_point(CLEAN, tune="tune", test="test", **AIM, must_not_miss=[mark, B]),
        lambda: marked_outlooks(CLEAN, [mark], tune="tune", test="test"),
    ):
        with pytest.raises(InputError, match=r"'split' as a column .*OPT-100"):
            refused()
    assert point_from_thresholds(CLEAN, 0.4, None, **AIM, must_not_miss=[mark])


def test_the_column_of_folds_chosen_over_cannot_be_marked():
    fold = (np.arange(len(MISSED.queries)) // 2 % 2, ("0", "1"))
    rows = replace(MISSED.queries, slices={**MISSED.queries.slices, "fold": fold})
    with pytest.raises(InputError, match=r"'fold' as a column .*OPT-100"):
        choose_over_folds(replace(MISSED, tables={"queries": rows}), **AIM, must_not_miss=[("fold", "0")])


@pytest.mark.parametrize("marks", [(), (B,), (B, C), (("criterion", "A.1"), B)])
def test_such_a_document_is_recomputed_and_restored(marks):
    found = OperatingPoint.from_bytes(point(MISSED, *marks, by=["criterion"]).text.encode())
    again = reopened(found, [MISSED])
    assert again.verified.differences == ()
    assert again.must_not_miss == marks
    assert again.changed == ()


def test_new_rows_are_held_to_the_marked_groups_too():
    again = reopened(point(CLEAN, B), against=MISSED)
    group = next(one for one in again.changes if one.name == "Screening sensitivity of hospital = B")
    assert (group.then, group.now) == (
        "100 % (0 of 41 missed; at least 92.9 %): cannot be shown",
        "92.7 % (3 of 41 missed; at least 82.1 %): not met",
    )
    target = next(one for one in again.changes if one.name == "Screening sensitivity of at least 95 %")
    assert target.value_now == "not_met"
    assert target.now.startswith("not met for hospital = B: 3 of 41 missed; all checks together: met")


def test_new_rows_without_the_column_of_a_marked_group_are_refused():
    rows = [one for split in ("tune", "test") for one in rows_of(split, missed={})[0]]
    found = reopened(point(CLEAN, B), against=data_of(rows))
    assert [one.code for one in found.problems] == ["OPT-077"]
    assert "no column hospital of groups" in str(found.problems[0])


def test_over_folds_and_without_a_target_marks_are_kept():
    rows = replace(
        MISSED.queries,
        slices={**MISSED.queries.slices, "fold": (np.arange(len(MISSED.queries)) // 2 % 2, ("0", "1"))},
    )
    folded = choose_over_folds(replace(MISSED, tables={"queries": rows}), **AIM, must_not_miss=[B])
    assert contradictions(folded.document) == []
    assert claim(folded, "all")["verdict_of_all"] is not None
    free = point(MISSED, B, screening_sensitivity=None, alert_precision=0.5).document
    assert {one["verdict"] for one in free["subgroups"]} == {None}
    assert any("no target of screening sensitivity is set" in line for line in free["limits"])
    assert contradictions(free) == []


def test_nothing_skipped_claims_nothing_of_groups():
    found = point_from_thresholds(MISSED, None, 0.8, **AIM, must_not_miss=[B]).document
    assert {one["verdict"] for one in found["subgroups"]} == {"not_assessed"}
    assert contradictions(found) == []


def test_an_estimate_asked_for_must_be_reached_by_each_marked_group():
    found = point(MISSED, ("hospital", "A"), confidence=None)
    assert found.constraints_met
    assert not point(MISSED, B, confidence=None).constraints_met
    few = point(data(test={"C": 1}), C, confidence=None)
    assert not few.constraints_met


@pytest.mark.parametrize(
    ("marks", "by", "told"),
    [
        ([("ward", "B")], (), "'ward' of groups that must not be missed, expected one of criterion, "),
        (
            [("hospital", "D")],
            (),
            "no group 'D' in hospital, which must not be missed, expected one of A, B, C.",
        ),
        (["hospital=B"], (), "must_not_miss = 'hospital=B', expected pairs of a column and a level"),
        ([], ["ward"], "a column 'ward' to break down by, expected one of criterion"),
    ],
)
def test_what_is_no_group_is_refused_with_what_exists(marks, by, told):
    with pytest.raises(InputError) as error:
        point(CLEAN, *marks, by=by)
    assert told in str(error.value)


def test_what_marked_groups_can_show_is_told_before():
    told = marked_outlooks(
        CLEAN, [B, C, ("hospital", "A")], tune="tune", test="test", screening_sensitivity=0.95
    )
    assert told == (
        "hospital = A: 400 positives on test (split = test) can show at most ≥ 99.25 %.",
        "hospital = B: 41 positives on test (split = test) can show at most ≥ 92.9 %: 95 % cannot be shown "
        "of it, which takes at least 59.",
        "hospital = C: 8 positives on test (split = test) can show at most ≥ 68.7 %: 95 % cannot be shown "
        "of it, which takes at least 59.",
    )


def chance_of(given, *marks, target=0.95):
    """The outlook of screening sensitivity, and what the step Test of the path to a certificate says."""
    aim = {"screening_sensitivity": target, "alert_precision": None, "confidence": 0.95}
    (said,) = outlooks(given, **aim, tune="tune", test="test", marks=marks)
    chosen, tested = (row_set(given, role, split=role, model=None) for role in ("tune", "test"))
    steps = path_to_certificate(
        chosen, tested, constraints_of(**aim), Thresholds(0.4, None), outlooks=[said], is_found=True
    )
    return said, steps[3]


def test_the_chance_that_test_confirms_is_at_most_that_of_all_rows_where_groups_are_marked():
    whole, step = chance_of(CLEAN)
    assert (step.state, step.short) == ("open", "chance about 50 %")
    said, step = chance_of(CLEAN, ("hospital", "A"))
    assert said.chance == whole.chance
    assert said.text.endswith("is at most about 50 %, for each marked group must hold it as well.")
    assert (step.state, step.short) == ("open", "chance at most about 50 %")


def test_the_chance_is_nil_where_a_marked_group_cannot_show_the_target_on_test_or_fails_it_on_tune():
    said, step = chance_of(CLEAN, B, C)
    assert said.chance == 0
    assert said.text.endswith(
        "It can never confirm 95 % of each marked group, which takes at least 59 positives: "
        "hospital = B with 41 positives, hospital = C with 8 positives."
    )
    assert (step.state, step.short, step.why) == ("blocked", "cannot confirm", (said.text,))
    failed = certified_data(of_tune=(100, 15))
    assert 0 < chance_of(failed, target=0.9)[0].chance < 1
    said, step = chance_of(failed, ("criterion", "A.1"), target=0.9)
    assert (said.chance, step.state) == (0, "blocked")
    assert "A certificate is ruled out by tune: not met for criterion = A.1: 21 of 100" in said.text


def forged(found, change, *, is_hashed_anew):
    document = copy.deepcopy(found.document)
    change(document)
    return document | ({"content_sha256": content_sha256(document)} if is_hashed_anew else {})


def without_marks(document):
    del document["selection"]["must_not_miss"]


def without_the_group(document):
    document["subgroups"] = [one for one in document["subgroups"] if one["level"] != "B"]


def other_counts(document):
    for one in document["subgroups"]:
        if one["level"] == "B":
            one |= {
                "n_missed": 0,
                "screening_sensitivity": 1.0,
                "bound": 0.929,
                "verdict": "infeasible_with_this_n",
            }


def fairer_bound(document):
    for one in document["subgroups"]:
        if one["level"] == "A":
            one["bound"] = 0.9999


def fairer_verdict(document):
    claim(OperatingPoint(document))["verdict"] = "met_with_confidence"


def more_rows(document):
    next(one for one in document["subgroups"] if one["level"] == "C")["n"] = 5000


def other_column(document):
    document["subgroups"].append({**document["subgroups"][0], "column": "ward"})


TAMPERING = [
    without_marks,
    without_the_group,
    other_counts,
    fairer_bound,
    fairer_verdict,
    more_rows,
    other_column,
    lambda document: document.pop("subgroups"),
    lambda document: document["subgroups"].append(document["subgroups"][0]),
    lambda document: claim(OperatingPoint(document)).pop("verdict_of_all"),
    lambda document: document["limits"].remove(
        next(one for one in document["limits"] if one.startswith("Marked"))
    ),
]


@pytest.mark.parametrize("change", TAMPERING)
def test_the_hash_finds_every_change_of_marks_and_groups(change):
    document = forged(point(MISSED, B), change, is_hashed_anew=False)
    assert [one.code for one in contradictions(document)] == ["DOC-003"]


@pytest.mark.parametrize("change", TAMPERING)
def test_a_new_hash_over_such_a_change_does_not_help(change):
    document = forged(point(MISSED, B), change, is_hashed_anew=True)
    assert {one.code for one in contradictions(document)} & {"DOC-020", "DOC-021", "DOC-032", "DOC-033"}


def test_marks_taken_out_in_every_place_are_found_on_the_data():
    document = json.loads(point(MISSED).text)
    document["selection"]["groups_by"] = ["hospital"]
    kept = [one for one in point(MISSED, by=["hospital"]).document["subgroups"] if one["level"] != "B"]
    document["subgroups"] = kept
    document["limits"] = point(MISSED, by=["hospital"]).document["limits"]
    document["id"] = point(MISSED, by=["hospital"]).document["id"]
    changed = OperatingPoint(document | {"content_sha256": content_sha256(document)})
    assert not changed.verify(MISSED).holds
    assert "subgroups" in str(changed.verify(MISSED).first)


def test_a_column_that_the_data_lack_is_a_difference_and_no_crash():
    document = point(CLEAN, B).document
    named = {**document["selection"], "must_not_miss": [{"column": "ward", "level": "B"}]}
    found = OperatingPoint(document | {"selection": named}).verify(CLEAN)
    assert str(found.first).startswith(
        "found selection.must_not_miss[0] = 'ward', expected a column of groups"
    )


def test_an_older_schema_holds_no_marks():
    document = point(CLEAN, B).document | {"schema_version": "1.2"}
    with pytest.raises(InputError, match="DOC-002"):
        check_schema(document)


def csv_of(path, given):
    queries = given.queries
    codes, levels = queries.slices["hospital"]
    split, splits = queries.slices["split"]
    lines = ["post_id,criterion_id,has_evidence,probability,split,hospital"]
    for at in range(len(queries)):
        cells = queries.post_ids[queries.post[at]], queries.criterion_ids[queries.criterion[at]]
        label, score = int(queries.has_evidence[at]), queries.score[at]
        lines.append(",".join(map(str, (*cells, label, score, splits[split[at]], levels[codes[at]]))))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_marks_changed_after_the_test_was_seen_make_it_exploratory(tmp_path, capsys):
    rows, out = csv_of(tmp_path / "rows.csv", MISSED), tmp_path / "point.json"

    def choose(*more):
        aim = ["--screening-sensitivity", "0.95", "--tune", "tune", "--test", "test"]
        return main(["choose", rows, *aim, *more, "--out", str(out)])

    assert choose("--must-not-miss", "hospital=B", "--by", "criterion") == 1
    told = capsys.readouterr().err
    assert "hospital = B: 41 positives on test (split = test) can show at most" in told
    assert "It can never confirm 95 % of each marked group" in told
    first = OperatingPoint.load(out)
    assert first.status != "exploratory"
    assert first.document["selection"]["must_not_miss"] == [{"column": "hospital", "level": "B"}]
    assert main(["verify", str(out), rows]) == 0
    page = tmp_path / "explorer.html"
    assert main(["explore", rows, "--point", str(out), "--out", str(page)]) == 0
    assert '"marks": [["hospital", "B"]]' in page.read_text()
    choose()
    second = OperatingPoint.load(out)
    assert second.status == "exploratory"
    assert second.document["selection"]["looks_at_test"]["shown"] == [
        "the point that point.json held for other marked groups"
    ]


def test_the_command_line_refuses_an_unknown_mark_by_name(tmp_path, capsys):
    rows, out = csv_of(tmp_path / "rows.csv", CLEAN), tmp_path / "point.json"
    for mark, told in (("ward=B", "OPT-071"), ("hospital=D", "OPT-072"), ("hospital", "OPT-073")):
        assert main(["choose", rows, "--must-not-miss", mark, "--out", str(out)]) == 2
        assert told in capsys.readouterr().err
    assert not out.exists()


def test_the_order_in_which_marks_are_named_makes_no_other_document():
    assert point(CLEAN, B, C).document == point(CLEAN, C, B, C).document
