"""Files that write the ids of users or items otherwise are named: nothing would be hit or left out."""

import pytest

from evalcore.problems import InputError
from tests.support.reading import refused, upload, warned
from tests.support.recommending import loaded, uploads

N = 12
LISTS = "user,item,score\n" + "".join(
    f"{user},{user + 100},0.5\n{user},{user + 101},0.4\n" for user in range(1, N)
)
TRAIN = "user,item\n" + "".join(f"{user},{user + 102}\n" for user in range(1, N))
TEST = "user,item\n" + "".join(f"{user},{user + 100}\n" for user in range(1, N))


def changed(text: str, place: int, form: str) -> str:
    """A table with the ids of a column in another form."""
    header, *lines = text.splitlines()
    rows = [line.split(",") for line in lines]
    return "\n".join(
        [header, *(",".join([*r[:place], form.format(r[place]), *r[place + 1 :]]) for r in rows)]
    )


@pytest.mark.parametrize("form", ["u{}", "{}.0", "{} ", "0{}"])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("which", ["lists", "train", "test"])
def test_ids_that_one_file_writes_otherwise_are_refused(which: str, place: int, form: str):
    files = {"lists": LISTS, "train": TRAIN, "test": TEST}
    files[which] = changed(files[which], place, form)
    said = refused(upload(files["lists"], "lists.csv"), **uploads(train=files["train"], test=files["test"]))
    found = [one for one in said if "RCM-017" in one]
    unit = ("user", "item")[place]
    assert found != []
    assert all(f"found no {unit} of " in one for one in found)
    assert all(f"{which}.csv" in one for one in found)


def test_each_model_is_compared_with_the_test():
    foreign = changed(LISTS, 1, "i{}")
    (found,) = (
        one
        for one in refused(
            upload(LISTS, "als.csv"), upload(foreign, "bpr.csv"), **uploads(train=TRAIN, test=TEST)
        )
        if "RCM-017" in one
    )
    assert "found no item of bpr.csv in test.csv: i101 here, 101 there" in found


def test_ids_of_which_most_are_written_otherwise_are_refused():
    lines = changed(TEST, 1, "{}.0").splitlines()
    test = "\n".join([*lines[:-2], *TEST.splitlines()[-2:]])
    (found,) = (
        one
        for one in refused(upload(LISTS, "lists.csv"), **uploads(train=TRAIN, test=test))
        if "RCM-080" in one
    )
    assert "of lists.csv that stand in test.csv under a like id: “101” and “101.0”" in found


@pytest.mark.parametrize("which", ["lists", "train", "test"])
def test_ids_of_a_third_that_lost_their_zeros_are_refused(which: str):
    items = [f"{i:010d}" if i % 3 == 0 else f"B{i:09d}" for i in range(40)]
    rows = {"lists": "user,item,score", "train": "user,item", "test": "user,item"}
    files = {
        name: "\n".join([header, *(f"{user},{item}{',0.5' * (name == 'lists')}" for user, item in pairs)])
        for name, header in rows.items()
        for pairs in [[((n + 5 * (name == "train")) % 12, item) for n, item in enumerate(items)]]
    }
    assert not any("RCM-080" in one for one in _told(files))
    files[which] = files[which].replace(",0000000", ",")
    said = [one for one in _told(files) if "RCM-080" in one]
    assert said
    assert all("of 40 items of" in one for one in said)


def _told(files: dict[str, str]) -> list[str]:
    given = uploads(train=files["train"], test=files["test"])
    try:
        return warned(loaded(files["lists"], train=files["train"], test=files["test"]))
    except InputError:
        return refused(upload(files["lists"], "lists.csv"), **given)


def test_other_users_in_train_are_told():
    train = "user,item\n" + "".join(f"{user + 50},{user + 100}\n" for user in range(1, N))
    said = [one for one in warned(loaded(LISTS, train=train, test=TEST)) if "RCM-079" in one]
    assert said == [
        "found no user of train.csv in lists.csv, test.csv: 51 here, 1 there. They are written alike and are "
        "others: nothing of the one has a part in the other. Make sure that they belong together. [RCM-079]"
    ]


def test_lists_that_hit_nothing_are_no_fault_of_the_ids():
    lists = "user,item,score\n" + "".join(f"{user},{user + 102},0.5\n" for user in range(1, N))
    test = "user,item\n" + "".join(f"{user},{user + 200}\n" for user in range(1, N))
    assert any("RCM-079" in one for one in warned(loaded(lists, train=TRAIN, test=test)))


@pytest.mark.parametrize("form", ["u{}", "0{}", "{}.0"])
@pytest.mark.parametrize(
    ("which", "header", "first"),
    [("user_groups", "user,group", 1), ("item_groups", "item,group", 101), ("item_features", "item,a", 101)],
)
def test_groups_and_features_of_ids_that_are_written_otherwise_are_refused(
    form: str, which: str, header: str, first: int
):
    text = "\n".join([header, *(f"{form.format(at)},{at % 2}" for at in range(first, first + N))])
    beside = uploads(train=TRAIN, test=TEST, **{which: text})
    said = [one for one in refused(upload(LISTS, "lists.csv"), **beside) if "RCM-017" in one]
    assert len(said) == 1
    assert f"of {which}.csv in lists.csv, train.csv, test.csv" in said[0]


def exchanged(text: str) -> str:
    """A table whose header names the columns of users and items the other way round."""
    return text.replace("user,item", "item,user", 1)


MOVIES = {  # numbers as ids: 40 items, the first 20 of which are numbers of users too
    "lists": "user,item,score\n" + "".join(f"{at % 20 + 1},{at + 1},0.5\n" for at in range(40)),
    "train": "user,item\n" + "".join(f"{at % 20 + 1},{(at + 3) % 40 + 1}\n" for at in range(40)),
    "test": "user,item\n" + "".join(f"{at % 20 + 1},{(at + 7) % 40 + 1}\n" for at in range(40)),
}


@pytest.mark.parametrize(
    ("which", "told"),
    [
        ("", []),
        ("lists", ["lists.csv among the items of train.csv, test.csv"]),
        ("train", ["train.csv among the items of test.csv"]),
        ("test", ["test.csv among the items of lists.csv, train.csv"]),
    ],
)
def test_columns_of_users_and_items_that_are_exchanged_are_told(which: str, told: list[str]):
    files = {name: exchanged(text) if name == which else text for name, text in MOVIES.items()}
    found = [one for one in warned(loaded(**files)) if "RCM-113" in one]
    assert len(found) == len(told)
    assert all(f"found most users of {words}" in one for one, words in zip(found, told, strict=True))
