"""Whatever lists and interactions: rows in are rows used and excluded, and their order changes nothing."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalcore
from evalcore.data import Data
from evalcore.readers import Upload
from evalcore.recommendations import Recommendations
from tests.support.recommending import npz, rows_of, table_of

USERS = st.sampled_from(["u1", "u2", "u10", "10", "9"])
ITEMS = st.sampled_from(["a", "b", "c", "20", "3"])
SCORES = st.integers(-3, 3).map(float)
RATINGS = st.integers(0, 5)
LISTS = st.lists(st.tuples(USERS, ITEMS, SCORES), min_size=1, max_size=20)
PAIRS = st.lists(st.tuples(USERS, ITEMS, RATINGS), min_size=1, max_size=20)
GROUPS = st.dictionaries(ITEMS, st.sampled_from(["", "0", "1", "x"]), min_size=1)


def text_of(header: str, rows: Any) -> bytes:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


def read(lists: Any, train: Any, test: Any, groups: Any) -> Data:
    """The data, the best of what is repeated kept."""
    return evalcore.load(
        Upload("lists.csv", text_of("user,item,score", lists)),
        train=Upload("train.csv", text_of("user,item,rating", train)),
        test=Upload("test.csv", text_of("user,item,rating", [*test, (lists[0][0], "a", 1)])),
        item_groups=Upload("groups.csv", text_of("id,cluster", groups)),
        keep_first=True,
    )


def content(table: Recommendations) -> list[Any]:
    """Everything that a table says, whatever the order of its rows."""
    code, levels = table.item_groups["item_group"]
    return [
        table.user_ids.tolist(),
        table.item_ids.tolist(),
        *(rows_of(table, one) for one in (*table.lists.values(), table.train, table.test)),
        [levels[at] if at >= 0 else None for at in code.tolist()],
    ]


@given(LISTS, PAIRS, PAIRS, GROUPS)
@settings(max_examples=40, deadline=None)
def test_rows_in_are_rows_used_and_excluded(lists: Any, train: Any, test: Any, groups: Any):
    data = read(lists, train, test, groups.items())
    table = table_of(data)
    for source, given_rows in zip(data.sources, (lists, train, [*test, 0], groups), strict=True):
        assert source.n_rows == len(given_rows)
        assert source.n_rows == source.n_used + sum(source.excluded.values())
    assert data.sources[0].n_used == len(table.lists["lists"]) == len({row[:2] for row in lists})
    assert table.train is not None
    assert data.sources[1].n_used == len(table.train) == len({row[:2] for row in train})


@given(LISTS, PAIRS, PAIRS, GROUPS, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_changes_nothing(
    lists: Any, train: Any, test: Any, groups: Any, shuffling: random.Random
):
    first = lists[0]
    one = content(table_of(read(lists, train, test, groups.items())))
    shuffled = [shuffling.sample([*rows], len(rows)) for rows in (lists, train, test, groups.items())]
    again = [*shuffled[0]]
    again.remove(first)  # its user stands in the test, so that files share one
    assert content(table_of(read([first, *again], *shuffled[1:]))) == one


@given(LISTS)
@settings(max_examples=40, deadline=None)
def test_codes_ascend_with_ids_and_values_are_finite(lists: Any):
    table = table_of(read(lists, [("u1", "a", 1)], [("u1", "a", 1)], [("a", "1")]))
    ids = table.item_ids.tolist()
    assert ids == sorted(ids, key=int if all(one.isdigit() for one in ids) else str)
    (found,) = table.lists.values()
    assert np.isfinite(found.score).all()
    assert len({*zip(found.user.tolist(), found.item.tolist(), strict=True)}) == len(found)


@given(st.binary(max_size=300), st.integers(0, 300))
@settings(max_examples=60, deadline=None)
def test_no_bytes_in_an_archive_are_more_than_a_problem(noise: bytes, at: int):
    whole = npz(users=["u1", "u2"], items=["a"], scores=[[1.0], [2.0]])
    place = at % len(whole)
    damaged = whole[:place] + noise + whole[place + len(noise) :]
    found = evalcore.inspect([], scores=Upload("scores.npz", damaged))
    assert found.data is not None or all(problem.remedy for problem in found.problems)


@pytest.mark.parametrize("n", [1, 1000])
def test_tables_are_frozen(n: int):
    rows = [(f"u{i}", "a", 1.0) for i in range(n)]
    table = table_of(evalcore.load(Upload("lists.csv", text_of("user,item,score", rows))))
    with pytest.raises(ValueError, match="read-only"):
        table.lists["lists"].score[0] = 5
