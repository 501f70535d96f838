"""Rows of patients, and a document of them, for evaluations of models."""

from functools import cache

import numpy as np
import pandas as pd

import evalcore
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.readers.inputs import Upload


def table(n: int = 200) -> pd.DataFrame:
    """Labels, features, and the probability that a model gave; two rows a patient."""
    drawn = np.random.default_rng(3)
    label = (np.arange(n) // 2 % 4 == 0).astype(int)
    x = drawn.normal(size=n) + 1.5 * label
    p = 1 / (1 + np.exp(-(2 * x - 2)))
    patient = [f"p{at // 2}" for at in range(n)]
    site = np.where(np.arange(n) % 3 == 0, "north", "south")
    return pd.DataFrame({"x": x, "patient": patient, "site": site, "label": label, "p": p})


@cache
def point() -> OperatingPoint:
    """Thresholds on these rows."""
    rows = table().rename(columns={"label": "has_evidence", "p": "probability"})
    content = rows[["has_evidence", "probability"]].to_csv(index=False).encode()
    return point_from_thresholds(evalcore.load(Upload("rows.csv", content)), 0.1, 0.8)
