"""Groups and features of few rows say something of every user and item: what fills the memory is refused."""

from typing import Any

import numpy as np
import pytest

import evalcore
from evalcore.readers import Upload
from tests.support.reading import refused, upload
from tests.support.recommending import LISTS, loaded, table_of, uploads


@pytest.fixture(autouse=True)
def _one_megabyte(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EVALCORE_MAX_BESIDE_MB", "1")


def too_much(*inputs: Upload, **beside: Any) -> str:
    """The one problem of memory."""
    (found,) = (one for one in refused(*inputs, **beside) if one.endswith("[RCM-110]"))
    return found


MANY_ITEMS = "item,genres\n" + "".join(f"i{at},x\n" for at in range(1000))


def test_features_that_fill_the_memory_are_refused_before_they_do():
    features = MANY_ITEMS + "a," + "|".join(f"g{at}" for at in range(2000)) + "\n"
    found = too_much(upload(LISTS, "lists.csv"), **uploads(item_features=features))
    assert found == (
        "item_features.csv: found 2,001 features for 1,003 items: 3 MB in memory, expected at most 1 MB for "
        "all groups and features together. Keep features that many items share, such as genres, and not the "
        "words of a description, or raise EVALCORE_MAX_BESIDE_MB. [RCM-110]"
    )


def test_columns_of_features_are_counted_for_every_item_of_the_catalogue():
    names = [f"c{at}" for at in range(1500)]
    features = f"item,{','.join(names)}\na{',1' * 1500}\nb{',0' * 1500}\n"
    lists = LISTS + "".join(f"u1,i{at},0.1\n" for at in range(1000))
    found = too_much(upload(lists, "lists.csv"), **uploads(item_features=features))
    assert found.startswith("item_features.csv: found 1,500 features for 1,003 items: 2 MB in memory,")


def test_columns_of_groups_are_counted_for_every_user():
    names = [f"c{at}" for at in range(200)]
    groups = f"user,{','.join(names)}\nu1{',x' * 200}\nu2{',y' * 200}\n"
    lists = LISTS + "".join(f"v{at},a,0.1\n" for at in range(1000))
    found = too_much(upload(lists, "lists.csv"), **uploads(user_groups=groups))
    assert found == (
        "user_groups.csv: found 200 columns of groups for 1,002 users: 2 MB in memory, expected at most 1 MB "
        "for all groups and features together. Leave out columns that are no groups, or raise "
        "EVALCORE_MAX_BESIDE_MB. [RCM-110]"
    )


def test_the_files_of_features_share_one_room():
    texts = [MANY_ITEMS + f"a,{'|'.join(f'g{nth}-{at}' for at in range(600))}\n" for nth in range(2)]
    files = [upload(text, f"item_features_{nth}.csv") for nth, text in enumerate(texts)]
    found = too_much(upload(LISTS, "lists.csv"), item_features=files)
    assert found.startswith("item_features_1.csv: ")


def test_what_fits_is_read_as_it_was():
    data = loaded(item_features="item,genres,old\na,x|y,1\nb,y,0\n")
    table = table_of(data)
    assert table.feature_names == ("x", "y", "old")
    assert table.features is not None
    assert table.features.tolist() == [[True, True, True], [False, True, False], [False, False, False]]


def test_subtopics_of_many_users_are_counted_a_few_users_at_a_time(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    lists = "user,item,score\n" + "".join(
        f"u{user},i{item},{score}\n"
        for user in range(40)
        for score, item in enumerate(rng.permutation(30)[: user % 6])
    )
    test = "user,item\n" + "".join(
        f"u{user},i{item}\n" for user in range(40) for item in rng.permutation(30)[: user % 4]
    )
    features = "item,genres\n" + "".join(f"i{at},{'|'.join('xyz'[: at % 4])}\n" for at in range(30))
    data = loaded(lists, test=test, item_features=features)
    options = {"ks": (1, 3), "metrics": ("recommender.s_recall",), "bootstrap": 0}
    whole = evalcore.evaluate(data, **options).table
    monkeypatch.setattr("evalcore.metrics.recommender.diversity._CELLS", 7)
    assert evalcore.evaluate(data, **options).table["value"].tolist() == whole["value"].tolist()
    assert len(set(whole["value"])) > 2
