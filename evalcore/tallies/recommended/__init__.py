"""Recommendation lists of users, what they like, and the catalogue: all that recommender metrics need."""

from __future__ import annotations

from evalcore.tallies.recommended.by_user import ByUser, Groups
from evalcore.tallies.recommended.catalogue import Catalogue
from evalcore.tallies.recommended.item_groups import ItemGroups
from evalcore.tallies.recommended.lists import NO_SCORES, RecommendationLists

__all__ = ["NO_SCORES", "ByUser", "Catalogue", "Groups", "ItemGroups", "RecommendationLists"]
