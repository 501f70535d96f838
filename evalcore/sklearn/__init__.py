"""What scikit-learn users work with: a model with the rule of a document, displays, and scorers.

It needs scikit-learn, which ``import evalcore`` does not: nothing imports this package by itself.
"""

from evalcore.sklearn.classifier import GatedClassifier
from evalcore.sklearn.displays import ReliabilityDisplay, TradeoffDisplay
from evalcore.sklearn.scorers import (
    screening_sensitivity_at,
    screening_sensitivity_scorer,
    workload_at,
    workload_scorer,
)

__all__ = [
    "GatedClassifier",
    "ReliabilityDisplay",
    "TradeoffDisplay",
    "screening_sensitivity_at",
    "screening_sensitivity_scorer",
    "workload_at",
    "workload_scorer",
]
