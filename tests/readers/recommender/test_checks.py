"""What lists and interactions make one want to know: counted, with an example, and never an error."""

import pytest

from evalcore.data import Data
from tests.support.reading import warned
from tests.support.recommending import loaded, table_of

LISTS = "user,item,score\nu1,a,0.9\nu1,b,0.8\nu2,c,0.7\nu2,a,0.2\n"
TRAIN = "user,item\nu1,c\nu2,b\n"
TEST = "user,item,rating\nu1,a,5\nu2,a,3\n"


def results(data: Data) -> dict[str, tuple[int, int]]:
    """Check → how many were looked at, and how many failed."""
    assert data.checked is not None
    return {one.name: (one.n_rows_checked, one.n_found) for one in data.checked}


def test_checks_of_sound_files_pass():
    data = loaded(LISTS, train=TRAIN, test=TEST)
    assert warned(data) == []
    assert results(data) == {
        "Train items in lists": (4, 0),
        "Lengths of lists": (2, 0),
        "Ties within lists": (2, 0),
        "Users of lists": (2, 0),
        "Items of lists": (3, 0),
        "Test interactions": (2, 0),
        "Users with relevant items": (2, 0),
        "Lists of users of the test": (2, 0),
        "Train and test apart": (2, 0),
    }


def test_checks_that_lack_their_files_are_not_made():
    assert set(results(loaded(LISTS))) == {"Lengths of lists", "Ties within lists", "Test interactions"}
    ranks = "user,item,rank\nu1,a,1\n"
    assert set(results(loaded(ranks))) == {"Lengths of lists", "Test interactions"}


def test_lists_without_test_interactions_are_told():
    told = "found no test interactions beside the lists. Without them nothing is relevant"
    assert any(one.startswith(told) for one in warned(loaded(LISTS, train=TRAIN)))
    assert not any(one.startswith(told) for one in warned(loaded(LISTS, train=TRAIN, test=TEST)))


@pytest.mark.parametrize(
    ("lists", "train", "test", "found"),
    [
        (
            LISTS,
            "user,item\nu1,b\nu1,c\nu2,b\n",
            TEST,
            "found recommended items that their user has in train: 1, in 1 of 2 lists. They leave "
            "the "
            "lists before anything is ranked; nobody is recommended what they have. [RCM-030]",
        ),
        (
            LISTS + "u2,b,0.1\n",
            "user,item\nu1,c\nu2,d\nu3,b\n",
            TEST,
            "found 1 of 2 lists shorter than the longest: 2 to 3 items. They are never filled up: "
            "what "
            "lies beyond the end of a list is no recommendation. [RCM-031]",
        ),
        (
            LISTS + "u9,a,0.5\nu9,c,0.4\n",
            TRAIN,
            TEST,
            "found users with a list that stand in neither train nor test, such as u9: 1. They have no "
            "part in "
            "accuracy; coverage, popularity and the like count their lists. [RCM-032]",
        ),
        (
            LISTS.replace("u2,c", "u2,z"),
            TRAIN,
            TEST,
            "found recommended items that stand in neither train nor test, such as z: 1. They belong to the "
            "catalogue. Check that ids are written alike if they should be there. [RCM-033]",
        ),
        (
            LISTS,
            TRAIN,
            "user,item,rating\nu1,a,5\nu2,a,0\n",
            "found users with test interactions of which none is relevant (a rating above 0): 1 of 2. "
            "Accuracy "
            "is a mean over the others; the variant over all users counts them as 0. [RCM-034]",
        ),
        (
            LISTS,
            TRAIN,
            TEST + "u3,a,1\n",
            "found users with relevant items and no list: 1 of 3. They count as 0 in every mean of "
            "accuracy. [RCM-035]",
        ),
        (
            LISTS.replace("0.2", "0.7"),
            TRAIN,
            TEST,
            "found equal scores in 1 of 2 lists. Items with one score are ordered by their id, "
            "ascending, whichever way the rows stand. [RCM-036]",
        ),
        (
            LISTS,
            TRAIN,
            TEST + "u1,c,1\n",
            "found test interactions that stand in train too: 1 of 3. Train items leave the lists, so that "
            "these "
            "cannot be hit. Split without overlap. [RCM-037]",
        ),
    ],
)
def test_what_fails_is_counted_and_told(lists: str, train: str, test: str, found: str):
    data = loaded(lists, train=train, test=test)
    assert warned(data) == [found]
    assert sum(n for _, n in results(data).values()) == 1


def test_ties_are_found_whichever_way_the_rows_stand():
    lists = "user,item,score\nu2,c,0.7\nu1,a,0.9\nu1,b,0.8\nu2,a,0.2\nu1,c,0.9\n"
    assert results(loaded(lists))["Ties within lists"] == (2, 1)


def test_lists_keep_the_items_of_train_for_whoever_ranks_them():
    table = table_of(loaded(LISTS, train="user,item\nu1,b\nu2,b\n", test=TEST))
    assert len(table.lists["lists"]) == 4


def test_ties_of_several_models_are_one_warning() -> None:
    rows = "".join(f"u1,{item},m{model},1\nu2,{item},m{model},1\n" for model in range(7) for item in "ab")
    (found,) = (
        one for one in warned(loaded("user,item,model,score\n" + rows, test=TEST)) if "RCM-036" in one
    )
    named = ", ".join(f"2 of 2 lists of model m{model}" for model in range(5))
    assert found.startswith(f"found equal scores in {named}, those of 2 more models. Items with one score ")
