"""Predictions that pass every check, for tests that plant a fault in them."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from evalcore.data import Data
from tests.support.reading import read


def good_predictions() -> pd.DataFrame:
    """200 posts × A.1 to A.10 with an honest score: every check passes."""
    rng = np.random.default_rng(5)
    n = 2000
    label = (rng.random(n) < 0.2).astype(int)
    post = np.repeat(np.arange(200), 10)
    return pd.DataFrame(
        {
            "post_id": [f"s_{i}" for i in post],
            "criterion_id": [f"A.{i}" for i in range(1, 11)] * 200,
            "has_evidence": label,
            "probability": np.round(rng.beta(1 + label, 4 - label), 6),
            "fold": post % 5,
            "split": np.where(post % 5 < 3, "tune", "test"),
            "tau_neg": 0.1,
            "tau_pos": 0.7,
            "n_candidates": 5 + post % 7,
            "selected_k": 1 + np.arange(n) % 5,
        }
    ).assign(
        state=lambda rows: np.select(
            [rows.probability < 0.1, rows.probability >= 0.7], ["NEG", "POS"], "UNCERTAIN"
        )
    )


def reading(rows: pd.DataFrame, **options: object) -> Data:
    buffer = io.StringIO()
    rows.to_csv(buffer, index=False)
    return read(buffer.getvalue(), **options)


def found(rows: pd.DataFrame, **options: object) -> list[str]:
    """The warnings of rows as lines."""
    return [str(problem) for problem in reading(rows, **options).warnings]


def codes(rows: pd.DataFrame, **options: object) -> list[str]:
    return [problem.code for problem in reading(rows, **options).warnings]
