"""A metric that nobody prepared for goes through parts of users and of records, without an edit."""

import math

import numpy as np
import pytest

from evalcore.catalog import METRICS
from evalcore.evaluation.values import of_tally
from evalcore.spec import PerQuery, Undefined, metric
from evalcore.tallies.judgements import JudgedAnswers
from evalcore.tallies.recommended import RecommendationLists
from tests.chunks.records import test_records as records
from tests.chunks.users import made as users


@pytest.fixture
def planted():
    """One of lists for users, which is a mean, and one of answers, which is none."""
    facts = {
        "formula": "?",
        "undefined": (Undefined(lambda _: False, "never"),),
        "bounds": (0, math.inf),
        "better": "lower",
        "source": "a test",
    }

    def planted_places(lists: RecommendationLists, *, k: int | None):
        """Places that are taken."""
        return PerQuery(np.minimum(lists.n_ranked, k or 1) * 0.1)

    def planted_answers(answers: JudgedAnswers):
        """How many answers there are."""
        return float(len(answers))

    before = dict(METRICS)
    of_k = {"population": "users_with_list", "params": ("k",), "is_cut": True, "chapter": "Accuracy"}
    metric(family="recommender", label="Planted places@K", **facts, **of_k)(planted_places)
    metric(family="rag", label="Planted answers", population="annotated_answers", **facts)(planted_answers)
    of_tally.cache_clear()
    yield
    METRICS.clear()
    METRICS.update(before)
    of_tally.cache_clear()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("planted")
def test_it_goes_through_parts_of_users(workers, tmp_path):
    folder = users.cut(tmp_path, 3, **users.made(n_users=20))
    how = {"ks": (1, 3), "by": ("user_group",), "bootstrap": 100}
    found = users.in_parts(folder, 40, workers=workers, **how).table
    assert found.to_csv() == users.of_whole(folder, **how).table.to_csv()
    own = found[found.metric == "planted_places"]
    assert {"", "young", "old"} <= set(own.group)
    assert own[own.group == ""].ci_low.notna().any()


@pytest.mark.usefixtures("planted")
def test_it_goes_through_parts_of_records(tmp_path):
    folder = records.at(tmp_path, both=records.of_two_tasks())
    how = {"by": ("system",), "bootstrap": 100}
    found = records.in_parts(folder, 30, workers=2, **how).table
    assert found.to_csv() == records.of_whole(folder, **how).table.to_csv()
    assert {"", "dense", "sparse"} <= set(found[found.metric == "planted_answers"].group)
