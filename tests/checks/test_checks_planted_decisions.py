"""Faults planted in what was decided: states, thresholds, selections and metrics; each is caught."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.support.made.planted import found, good_predictions
from tests.support.reading import read


@pytest.fixture
def good() -> pd.DataFrame:
    """Predictions that pass every check."""
    return good_predictions()


def test_states_against_thresholds_are_caught(good):
    good.loc[5, "state"] = "POS" if good.probability[5] < 0.7 else "NEG"
    lines = found(good)
    assert lines[0].startswith(
        "predictions.csv, column state: found 1 of 2,000 states that their own thresholds"
    )
    assert lines[1].startswith("predictions.csv, row 6, column state: found a state ")


def test_thresholds_at_the_ends_are_caught(good):
    rows = good.drop(columns="state").assign(tau_neg=0, tau_pos=1)
    assert found(rows) == [
        "predictions.csv, column tau_neg: found τ_neg = 0 in 2,000 of 2,000 rows: nothing is skipped. A "
        "threshold "
        "at the end of the scale decides nothing; make sure that it is meant.",
        "predictions.csv, column tau_pos: found τ_pos = 1 in 2,000 of 2,000 rows: nothing below p = 1 "
        "is an alert. "
        "A threshold at the end of the scale decides nothing; make sure that it is meant.",
    ]


def test_selection_above_the_candidates_is_caught_with_its_row(good):
    good.loc[4, "selected_k"] = 6
    assert found(good) == [
        "predictions.csv, column selected_k: found a selection larger than the number of candidates in "
        "1 of 2,000 "
        "rows. The rows follow, at most 20 of them; there is no more to select than the candidates.",
        "predictions.csv, row 5, column selected_k: found 6 selected of 5 candidates. Correct one of "
        "the two "
        "numbers.",
    ]


def test_constant_k_is_caught(good):
    rows = good.assign(selected_k=np.where(good.probability < 0.1, 0, 5))
    (line,) = found(rows)
    assert line.startswith("predictions.csv, column selected_k: found K = 5 in each of the ")


def test_k_at_its_cap_for_most_is_caught(good):
    rows = good.assign(selected_k=np.minimum(10, good.n_candidates))
    assert found(rows) == [
        "predictions.csv, column selected_k: found K at its cap in 2,000 of 2,000 rows with a "
        "selection; the "
        "largest is 10. The cap decides, not the policy: a lower γ or a higher cap would show it."
    ]


def test_metric_columns_that_break_an_identity_are_caught_with_their_rows(good):
    rows = good.assign(**{"recall@5": 0.5, "recall@10": 0.75, "hit@1": 1, "mrr@1": 1, "ndcg_at_10": 0.5})
    rows.loc[7, "recall@10"] = 0.25
    rows.loc[[8, 9], "mrr@1"] = 0
    rows.loc[3, "ndcg_at_10"] = 1.5
    lines = found(rows)
    assert [line.split(": found")[0] for line in lines] == [
        "predictions.csv, column ndcg_at_10",
        "predictions.csv, row 4, column ndcg_at_10",
        "predictions.csv, column mrr@1",
        "predictions.csv, row 9, column mrr@1",
        "predictions.csv, row 10, column mrr@1",
        "predictions.csv, column recall@10",
        "predictions.csv, row 8, column recall@10",
    ]
    assert lines[-1].endswith(
        "found 0.25, expected at least the recall@5 of its row. Recompute the metrics of this row."
    )


def test_candidate_scores_that_equal_the_gold_are_caught():
    rows = [f"p{i},A.1,s{j},{int(j == i % 3)},{int(j == i % 3)}" for i in range(6) for j in range(3)]
    data = read("post_id,criterion_id,sent_uid,is_gold,score\n" + "\n".join(rows))
    assert "QRY-035" in [problem.code for problem in data.warnings]
    assert [str(p) for p in data.warnings if p.code == "QRY-035"][-1] == (
        "predictions.csv, column score: found a score that equals the label in every candidate (18). "
        "The label "
        "stands in the place of the probability: use the column that the model wrote."
    )
