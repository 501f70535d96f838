"""Groups of several columns together: those that there are, and no more than fit."""

import tracemalloc
from itertools import product

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.compare import compare
from evalcore.evaluation.groups import Levels, Members, groups
from evalcore.problems import InputError
from tests.support.reading import read
from tests.support.recommending import loaded

WORDS = "Break down by fewer columns with --by, or by columns of fewer groups. [OPT-113]"


class Columns:
    """Two columns of a thousand groups, of which rows have as many together as there are rows."""

    slices = ()

    def __init__(self, n: int, n_groups: int) -> None:
        at = np.arange(n)
        self.n, self.of = n, {"a": at % n_groups, "b": at // n_groups % n_groups}
        self.names = tuple(f"g{place}" for place in range(n_groups))

    def everything(self) -> Members:
        return Members(self.n)

    def levels(self, column: str) -> Levels:
        return Levels(self.of[column], self.names, range(len(self.names)))


def test_all_groups_of_a_long_column_take_the_room_of_three_columns() -> None:
    part = Columns(200_000, 1000)
    tracemalloc.start()
    found = list(groups(part, ("a",)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 1001
    assert peak < 3 * part.n * np.dtype(np.intp).itemsize, "as masks they take a byte a group and row"


def test_groups_that_no_row_has_are_never_counted_out() -> None:
    part = Columns(50, 1000)
    found = [group for group_by, group, _ in groups(part, ("a", "b")) if group_by == "a;b"]
    assert found == [f"g{at};g0" for at in range(50)]


def test_groups_together_are_the_rows_that_both_columns_put_there() -> None:
    rng = np.random.default_rng(5)
    part = Columns(60, 4)
    part.of = {name: rng.integers(-1, 4, 60) for name in "ab"}
    found = {(by, group): of.mask for by, group, of in groups(part, ("a", "b"))}
    expected = {}
    for one, two in product(range(4), range(4)):
        both = (part.of["a"] == one) & (part.of["b"] == two)
        if both.any():
            expected[f"g{one};g{two}"] = both.tolist()
    together = {group: mask.tolist() for (by, group), mask in found.items() if by == "a;b"}
    assert [*together.items()] == [*expected.items()]


def lists() -> str:
    return "user,item,score\n" + "".join(f"u{user},i1,1\n" for user in range(30))


def test_more_groups_of_users_together_than_fit_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcore.evaluation.groups.MOST_TOGETHER", 20)
    users = "user,town,shop\n" + "".join(f"u{user},t{user},s{user}\n" for user in range(30))
    data = loaded(lists(), user_groups=users)
    with pytest.raises(InputError) as caught:
        evaluate(data, ks=(1,), by=("town", "shop"))
    assert str(caught.value) == f"found 30 groups of town and shop together, expected at most 20. {WORDS}"
    assert len(evaluate(data, ks=(1,), by=("town",)).table)


def test_groups_of_users_and_items_together_count_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcore.evaluation.groups.MOST_TOGETHER", 20)
    users = "user,town\n" + "".join(f"u{user},t{user % 11}\n" for user in range(30))
    data = loaded(lists(), user_groups=users, item_groups="item,item_group\ni1,1\ni2,2\n")
    with pytest.raises(InputError) as caught:
        evaluate(data, ks=(1,), by=("item_group", "town"))
    assert (
        str(caught.value) == f"found 22 groups of town and item_group together, expected at most 20. {WORDS}"
    )


def test_of_checks_and_comparisons_they_are_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcore.evaluation.groups.MOST_TOGETHER", 20)
    rows = "".join(f"p{at},{m},{at % 2},0.{at + 10},t{at},s{at}\n" for at in range(30) for m in "ab")
    data = read("post_id,model,label,score,town,shop\n" + rows)
    for refused in (
        lambda: evaluate(data, by=("town", "shop")),
        lambda: compare(data, "a", "b", by=("town", "shop"), bootstrap=0, permutations=0),
    ):
        with pytest.raises(InputError, match=r"30 groups of town and shop together.*OPT-113"):
            refused()
