"""What the values of recommendation lists rest on, in counts and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from evalcore.evaluation.gathering.gather import Gathered
from evalcore.tallies.recommended import RecommendationLists


@dataclass(frozen=True)
class RestsOn:
    """Users, lists and pairs behind the values of one model at K.

    Parameters
    ----------
    k : the cut-off.
    n_users : users with a list or a test row.
    n_with_relevant : of these, with a relevant test item.
    n_with_test : users with a test row.
    n_with_list : users with a list.
    n_unserved : users with a relevant item and without a list, who count 0.
    n_short : lists of fewer than K items.
    n_relevant : relevant pairs of a user and an item.
    n_scored : test pairs with a rating and a score.
    n_items : items of the catalogue.
    longest : items of the longest list.
    """

    k: int
    n_users: int
    n_with_relevant: int
    n_with_test: int
    n_with_list: int
    n_unserved: int
    n_short: int
    n_relevant: int
    n_scored: int
    n_items: int
    longest: int

    @classmethod
    def of(cls, lists: RecommendationLists, k: int) -> Self:
        """What the lists of a model hold."""
        has_relevant = lists.members("users_with_relevant")
        return cls(
            k=k,
            n_users=int(np.count_nonzero(lists.is_evaluated)),
            n_with_relevant=int(np.count_nonzero(has_relevant)),
            n_with_test=int(np.count_nonzero(lists.has_test)),
            n_with_list=int(np.count_nonzero(lists.has_list)),
            n_unserved=int(np.count_nonzero(has_relevant & ~lists.has_list)),
            n_short=int(np.count_nonzero(lists.has_list & (lists.n_ranked < k))),
            n_relevant=int(lists.n_relevant.sum()),
            n_scored=int(np.isfinite(lists.pairs["score"]).sum()),
            n_items=len(lists.catalogue.popularity),
            longest=int(lists.n_ranked.max(initial=0)),
        )

    @property
    def in_words(self) -> list[tuple[str, str]]:
        """Names and texts: what is counted, and what enters no metric or counts 0."""
        n_without = self.n_users - self.n_with_relevant
        users = f"{self.n_users:,}, {self.n_with_relevant:,} of them with a relevant test item"
        if not self.n_with_test:
            users = f"{self.n_users:,}"
        elif n_without:
            told = "has none and enters" if n_without == 1 else "have none and enter"
            users += f"; {n_without:,} {told} no metric of relevance"
        lists = f"{self.n_with_list:,}"
        lists += (
            f"; {self.n_unserved:,} {_users(self.n_unserved)} relevant items and no list: counted as 0"
            if self.n_unserved
            else ""
        )
        lists += (
            f"; {self.n_short:,} shorter than {self.k}: empty places count as misses" if self.n_short else ""
        )
        scored = f"{self.n_scored:,}" if self.n_scored else "none"
        pairs = f"{self.n_relevant:,} relevant; {scored} with rating and score"
        if not self.n_with_test:
            pairs = "no test interactions were loaded: nothing can be found, and accuracy has no value"
        return [
            ("Users", users),
            ("Lists", lists),
            ("Test pairs", pairs),
            ("Catalogue", f"{self.n_items:,} items"),
        ]


def _users(n: int) -> str:
    return "user has" if n == 1 else "users have"


def rests_on(found: Gathered, k: int) -> dict[str, RestsOn]:
    """Model → what its values at K rest on; empty without recommendation lists."""
    lists = found.tallies.get("recommendations")
    return {} if lists is None else {name: RestsOn.of(one, k) for name, one in lists.models.items()}
