"""Readers of the task ``recommender``: lists, scores, interactions, groups and features, of any library."""

from evalcore.readers.recommender.lines import are_called_together
from evalcore.readers.recommender.reading import read_recommendations
from evalcore.readers.recommender.roles import BESIDE, ROLES, is_movielens, is_recommendations

__all__ = [
    "BESIDE",
    "ROLES",
    "are_called_together",
    "is_movielens",
    "is_recommendations",
    "read_recommendations",
]
