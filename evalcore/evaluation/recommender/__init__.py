"""Recommendations on the road: what is gathered, and the groups that are evaluated."""

from __future__ import annotations

from evalcore.evaluation.recommender.configuration import read_configuration as read_configuration
from evalcore.evaluation.recommender.gathering import TABLES as TABLES
from evalcore.evaluation.recommender.models import models_of as models_of
