"""Faults planted in good predictions are each caught by name, with rows; good predictions pass all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalcore import checks, load
from evalcore.checks import problems_in
from evalcore.tasks import performed
from tests.support.made.planted import codes, found, good_predictions, reading
from tests.support.reading import read

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def good() -> pd.DataFrame:
    """Predictions that pass every check."""
    return good_predictions()


def test_good_predictions_pass_every_check(good):
    results = performed(reading(good))
    assert {one.name: one.n_rows_checked for one in results if one.passed} == dict.fromkeys(
        [
            "Both classes",
            "Cells of posts × criteria",
            "Criterion ids",
            "Posts of one fold",
            "Both classes in every fold",
            "Posts of one split",
            "Both classes in every split",
            "Score values",
            "Separation",
            "Calibration error",
            "Thresholds decide something",
            "One pair of thresholds",
            "States follow from thresholds",
            "K within the candidates",
            "K is dynamic",
        ],
        2000,
    )
    assert len(results) == 15


def test_what_the_data_lack_is_not_among_the_checks(good):
    few = good[["post_id", "criterion_id", "has_evidence", "probability"]]
    names = {one.name for one in performed(reading(few))}
    assert names == {
        "Both classes",
        "Cells of posts × criteria",
        "Criterion ids",
        "Score values",
        "Separation",
        "Calibration error",
    }


def test_post_in_two_folds_is_named_and_counted(good):
    good.loc[[13, 14, 705], "fold"] = [2, 3, 1]
    assert [line for line in found(good) if "split" not in line] == [
        "predictions.csv, column fold: found 2 of 200 posts in more than one of the folds. Rows of one "
        "post are "
        "never independent: what was learnt or chosen on one part leaks into the other.",
        "predictions.csv, row 14, column fold: found the post s_1 in fold 2 and, before, in fold 1 of "
        "row 11 and "
        "1 more. Keep all rows of a post in one part.",
        "predictions.csv, row 706, column fold: found the post s_70 in fold 1 and, before, in fold 0 of "
        "row 701. "
        "Keep all rows of a post in one part.",
    ]


def test_post_in_tune_and_test_is_named(good):
    good.loc[9, "split"] = "test"
    assert found(good) == [
        "predictions.csv, column split: found 1 of 200 posts in more than one of the splits. Rows of "
        "one post are "
        "never independent: what was learnt or chosen on one part leaks into the other.",
        "predictions.csv, row 10, column split: found the post s_0 in split test and, before, in split "
        "tune of row "
        "1. Keep all rows of a post in one part.",
    ]


def test_leak_in_ranked_lists_is_named():
    text = "post_id,criterion_id,fold,gold_ids,retriever_topk\nx,A,0,a,a|b\nx,B,1,a,a\ny,A,0,,b\ny,B,0,,b\n"
    assert [str(problem) for problem in read(text).warnings][1:] == [
        "predictions.csv, column fold: found the post x in fold 1 and, before, in fold 0. Keep all rows "
        "of a post "
        "in one part."
    ]


def test_fold_without_evidence_is_named(good):
    good.loc[good.fold == 4, "has_evidence"] = 0
    assert (
        "predictions.csv, column fold: found no row with evidence among the 400 of fold 4. Whatever "
        "compares the "
        "classes is not defined there and is left out of means." in found(good)
    )


def test_positives_are_counted_by_fold_and_split(good):
    parts = checks.counts_by_part(reading(good))
    assert [(one.column, one.name, one.n_posts, one.n_rows) for one in parts] == [
        *(("fold", str(fold), 40, 400) for fold in range(5)),
        ("split", "test", 80, 800),
        ("split", "tune", 120, 1200),
    ]
    assert [one.n_positive for one in parts[:5]] == good.groupby("fold").has_evidence.sum().tolist()


def test_label_as_probability_is_caught(good):
    rows = good.drop(columns=["state", "tau_neg", "tau_pos"]).assign(probability=good.has_evidence)
    assert found(rows) == [
        "predictions.csv, column probability: found a score that equals the label in every row (2,000). "
        "The label "
        "stands in the place of the probability: use the column that the model wrote."
    ]


def test_decisions_as_probability_are_caught(good):
    rows = good.drop(columns=["state", "tau_neg", "tau_pos"]).assign(
        probability=np.where(good.probability > 0.3, 0.9, 0.05)
    )
    assert found(rows) == [
        "predictions.csv, column probability: found a score of no other value than 0.05 and 0.9 in "
        "2,000 rows. "
        "These are decisions, not probabilities: no threshold between them changes anything."
    ]


def test_gold_derived_score_is_caught(good):
    rows = good.drop(columns=["state", "tau_neg", "tau_pos"])
    rows["probability"] = np.round(0.2 + 0.5 * rows.has_evidence + 0.1 * rows.probability, 6)
    (line,) = found(rows)
    assert line == (
        "predictions.csv, column probability: found an AUROC of 1 over rows, above 0.99. Make sure that "
        "the score "
        "was made without the gold labels, and not on these rows."
    )


def test_gold_derived_column_is_caught_by_its_name(good):
    rng = np.random.default_rng(0)
    rows = good.assign(
        mean_gold_rank=np.where(good.has_evidence, np.round(rng.random(2000), 4), np.nan),
        noise=np.round(rng.random(2000), 4),
        screening_hit=good.has_evidence,
    )
    assert [problem.column for problem in reading(rows).warnings] == ["mean_gold_rank", "screening_hit"]
    assert (
        "found a numeric column that separates the label better (AUROC 1) than the score does (0."
        in found(rows)[0]
    )


def test_column_that_is_hardly_better_is_no_leak(good):
    rows = good.assign(raw=np.clip(good.probability + 0.0004 * good.has_evidence, 0, 1))
    assert codes(rows) == []


def test_reversed_score_is_asked_about(good):
    rows = good.drop(columns=["state", "tau_neg", "tau_pos"]).assign(probability=1 - good.probability)
    (line,) = found(rows)
    assert line.startswith("predictions.csv, column probability: found an AUROC of 0.")
    assert line.endswith(
        "below 0.5. Is the score reversed? It may be the probability of NO evidence; then use 1 minus it."
    )


def test_few_rows_are_not_judged_by_their_auroc():
    assert (
        codes(pd.DataFrame({"post_id": list("abcd"), "label": [1, 1, 0, 0], "p": [0.1, 0.2, 0.8, 0.9]})) == []
    )


def test_calibration_error_of_zero_is_caught(good):
    level = good.probability.round(1)
    fitted = good.groupby(level).has_evidence.transform("mean")
    rows = good.drop(columns=["state", "tau_neg", "tau_pos"]).assign(probability=fitted)
    (line,) = found(rows)
    assert line.startswith("predictions.csv, column probability: found an expected calibration error of ")
    assert line.endswith(
        "Only a fit on the same rows gives 0: judge calibration on rows that took no part in it."
    )


def test_missing_criteria_are_caught(good):
    rows = good[~((good.criterion_id == "A.9") & (good.post_id != "s_3"))]
    assert found(rows) == [
        "predictions.csv: found 199 of 2,000 (post, criterion) cells missing. Nothing is filled in; "
        "every rate is "
        "over the 1,801 rows present."
    ]
    cells = checks.completeness(reading(rows))
    missing = {one.criterion: one.n_missing for one in cells}
    assert checks.missing_cells(cells) == (199, 2000)
    assert missing == {f"A.{i}": 199 if i == 9 else 0 for i in range(1, 11)}


def test_criterion_that_no_post_has_is_caught(good):
    assert found(good[good.criterion_id != "A.9"]) == [
        "predictions.csv, column criterion_id: found no row with the criteria A.9, where most of A.1 to "
        "A.10 are. "
        "Nothing is filled in; every rate is over the criteria present."
    ]


def test_unknown_criterion_is_caught(good):
    rows = good.assign(criterion_id=good.criterion_id.replace("A.3", "B.3"))
    assert (
        "predictions.csv, row 3, column criterion_id: found the unknown criterion 'B.3' in 200 rows, "
        "where most "
        "criteria are A.1 to A.10. It is kept as a criterion of its own; correct it if it is a slip of "
        "the pen." in found(rows)
    )


def test_other_names_of_criteria_are_no_fault(good):
    assert codes(good.assign(criterion_id=good.criterion_id.str.replace("A.", "C0"))) == []


def test_each_model_is_judged_by_itself(good):
    good = good.drop(columns=["state", "tau_neg", "tau_pos"])
    both = pd.concat([good.assign(model="a"), good.assign(model="b", probability=good.has_evidence)])
    assert [str(p).split(": ")[1].split(". ")[0] for p in reading(both).warnings] == [
        "found a score that equals the label in every row for model b (2,000)"
    ]


def test_completeness_is_in_natural_order_and_empty_without_criteria(good):
    data = reading(good.sample(frac=1, random_state=0))
    assert [one.criterion for one in checks.completeness(data)] == [f"A.{i}" for i in range(1, 11)]
    positives = {one.criterion: one.n_positive for one in checks.completeness(data)}
    assert positives == good.groupby("criterion_id").has_evidence.sum().to_dict()
    assert checks.completeness(read("y_true,y_prob\n1,0.5\n0,0.25\n")) == ()


def test_completeness_of_ranked_lists_counts_queries_with_gold():
    data = read("post_id,criterion_id,gold_ids,retriever_topk\nx,A,a,a|b\nx,B,,a\ny,A,,b\n")
    assert [
        (one.criterion, one.n_present, one.n_missing, one.n_positive) for one in checks.completeness(data)
    ] == [
        ("A", 2, 0, 1),
        ("B", 1, 1, 0),
    ]


def test_sample_earns_no_warning_from_its_checks():
    data = load([SAMPLE / name for name in ("queries.csv", "ranked_lists.csv", "candidates.parquet")])
    assert [str(problem) for one in performed(data) for problem in one.problems] == []
    assert {problem.code for problem in data.warnings} == {"COL-010"}


def test_published_files_get_the_warnings_they_earn(shared):
    for name, earned in {
        "baseline_default_val.queries.csv": set(),
        "final_eval_v2__per_query.csv": set(),
        "final_eval_retriever_only__per_query.csv": set(),
        "val_candidates.csv": set(),
        "gate_contradicting_itself.csv": {"QRY-011", "QRY-023", "QRY-034", "QRY-037"},
    }.items():
        data = load(shared / "data" / "evidence" / name)
        assert {problem.code for one in performed(data) for problem in one.problems} == earned, name


def test_data_are_not_changed_by_their_checks(good):
    data = reading(good)
    before = data.queries.score.copy()
    performed(data)
    assert (data.queries.score == before).all()
    assert problems_in(performed(data)) == data.warnings == ()
