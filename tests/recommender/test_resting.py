"""What values of recommendation lists rest on, in counts and in words."""

import evalcore
from evalcore.data import Data
from evalcore.evaluation.recommender.resting import rests_on
from tests.support.recommendations import table


def resting(k: int = 2):
    made = table(
        lists={"m": {"u1": ["a", "b"], "u2": ["a"], "u4": ["b", "c"]}},
        train=[("u1", "c", 1)],
        test=[("u1", "a", 1), ("u2", "b", 1), ("u3", "a", 1), ("u3", "b", 0)],
    )
    report = evalcore.evaluate(Data("recommender", (), {"recommendations": made}), ks=(k,))
    return rests_on(report.gathered, k)["m"]


def test_users_lists_and_pairs_are_counted():
    found = resting()
    assert (found.n_users, found.n_with_relevant, found.n_with_list) == (4, 3, 3)
    assert (found.n_unserved, found.n_short, found.n_relevant, found.n_items) == (1, 1, 3, 3)
    assert found.n_scored == 0


def test_what_enters_no_metric_or_counts_0_is_said():
    assert resting().in_words == [
        ("Users", "4, 3 of them with a relevant test item; 1 has none and enters no metric of relevance"),
        (
            "Lists",
            "3; 1 user has relevant items and no list: counted as 0; 1 shorter than 2: empty places count "
            "as misses",
        ),
        ("Test pairs", "3 relevant; none with rating and score"),
        ("Catalogue", "3 items"),
    ]


def test_a_smaller_k_finds_no_short_list():
    assert resting(1).n_short == 0
