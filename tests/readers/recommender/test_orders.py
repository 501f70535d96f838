"""Ids of a matrix in the order that is meant, and features of an item one by one."""

import numpy as np
import pytest

import evalcore
from tests.support.reading import refused, upload, warned
from tests.support.recommending import LISTS, TEST, TRAIN, cells_of, loaded, npy, table_of, uploads

SCORES = upload(npy([[1.0, 2.0], [3.0, 4.0]]), "scores.npy")
ITEMS = upload("item_id\na\nb\n", "items.csv")
WANTED = {("u1", "a"): 1.0, ("u1", "b"): 2.0, ("u2", "a"): 3.0, ("u2", "b"): 4.0}


def scored(users: str, items: str = "item_id\na\nb\n", name: str = "users.csv", **options):
    """User and item → score of a matrix with files of ids beside it."""
    files = [SCORES, upload(users, name), upload(items, "items" + name[5:])]
    table = table_of(loaded(None, scores=files, **{"test": TEST, **options}))
    return cells_of(table, next(iter(table.scores.values())))


def test_ids_stand_in_the_order_of_the_index_beside_them():
    assert scored("user_id,idx\nu2,1\nu1,0\n") == WANTED
    assert scored("user_id,idx\nu1,1\nu2,2\n") == WANTED
    assert scored("user_id\nu1\nu2\n", "item_id,item_index\nb,1\na,0\n") == WANTED
    assert scored("user_id,age\nu1,40\nu2,30\n") == WANTED


@pytest.mark.parametrize("users", ["user_id,idx\nu1,2\nu2,1\n", "user_id,level\nu1,1\nu2,0\n"])
def test_an_order_that_is_open_is_refused(users: str):
    said = refused(scores=[SCORES, upload(users, "users.csv"), ITEMS], test=upload(TEST, "test.csv"))
    (found,) = (one for one in said if "RCM-083" in one)
    column = users.partition("\n")[0].rpartition(",")[2]
    assert found == (
        f"users.csv, column {column}: found numbers beside the ids that put them into another order than the "
        "file does, or into none, expected the ids in the order of the rows or columns of the matrix, or one "
        f"column index with 0 to 1. Sort the file by {column}, or call it index where it holds the place in "
        "the matrix, from 0; else leave it out. [RCM-083]"
    )


@pytest.mark.parametrize("name", ["users.csv", "users.txt"])
def test_ids_need_no_header(name: str):
    assert scored("u1\nu2\n", "a\nb\n", name) == WANTED
    assert scored("u1\nu2\n", "a\nb\n", name, no_header=True, test="u1,a,5\n") == WANTED


def test_a_matrix_is_refused_where_the_ids_elsewhere_count_from_1():
    n = 12
    matrix = upload(npy(np.ones((n, n))), "scores.npy")
    pairs = "user,item\n" + "".join(f"{at},{at}\n" for at in range(1, n))
    (found,) = refused(scores=matrix, **uploads(test=pairs))
    assert found == (
        "scores.npy: found no user 0 and no item 0 in the other files, where the matrix counts its users and "
        "items from 0, expected ids that count from 0, or the ids beside the scores. If they count from 1, "
        "every score is another's. Save users, items and scores with numpy.savez, or name files with the ids "
        "in the order of rows and columns: --scores F.npy --scores users.csv --scores items.csv. [RCM-084]"
    )
    (found,) = refused(scores=matrix, **uploads(test=pairs + "0,1\n"))
    assert "no item 0" in found
    data = evalcore.load([], scores=matrix, **uploads(test="user,item\n0,3\n5,0\n"))
    assert data.recommendations is not None


def features(cells: list[str]) -> tuple[str, ...]:
    """The features in cells of a column genres, of items a, b and so on."""
    lines = [f'{name},"{cell}"' for name, cell in zip("abcdefgh", cells, strict=False)]
    text = "\n".join(["item_id,genres", *lines])
    return table_of(loaded(LISTS, train=TRAIN, test=TEST, item_features=text)).feature_names


@pytest.mark.parametrize("mark", ["|", ",", ", ", ";", "; "])
def test_features_between_any_mark_are_several(mark: str):
    assert features([f"Comedy{mark}Drama", "Drama", f"Sci-Fi{mark}Comedy"]) == ("Comedy", "Drama", "Sci-Fi")


def test_a_mark_that_takes_cells_apart_is_told():
    text = 'item_id,genres\na,"Comedy, Drama"\nb,Drama\n'
    assert (
        "item_features.csv, column genres: found features between commas: 2, such as Comedy, Drama. They "
        "were taken apart. To say it yourself write a|b|c; a feature that holds such a mark stands in a JSON "
        "array. [RCM-081]"
    ) in warned(loaded(LISTS, train=TRAIN, test=TEST, item_features=text))


def test_features_of_several_words_are_one_and_lists_of_words_are_refused():
    assert features(["Science Fiction", "Film Noir", "Drama"]) == ("Drama", "Film Noir", "Science Fiction")
    text = "item_id,genres\na,Comedy Drama\nb,Drama\nc,Comedy\nd,Drama Comedy\n"
    said = refused(upload(LISTS, "lists.csv"), **uploads(train=TRAIN, test=TEST, item_features=text))
    assert said[:1] == [
        "item_features.csv, column genres: found several words in a cell, such as “Comedy Drama”: 2 "
        "different words in 4 different cells, expected one feature a cell, or a list a|b|c. Write | between "
        "features, or _ within one. [RCM-082]"
    ]
