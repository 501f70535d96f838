"""Shorthands of the tests that read recommendations: files as uploads, and tables in words."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

import evalcore
from evalcore.data import Data
from evalcore.readers import Upload
from evalcore.recommendations import Interactions, ItemLists, Recommendations, ScoreMatrix
from tests.support.reading import upload, warned

LISTS = "user,item,score\nu1,a,0.9\nu1,b,0.8\nu2,c,0.7\nu2,a,0.2\n"
TRAIN = "user,item\nu1,c\nu2,b\n"
TEST = "user,item,rating\nu1,a,5\nu2,c,0\nu2,a,3\n"


def uploads(**texts: str | bytes) -> dict[str, Upload]:
    """Name of an argument → the file, called after it."""
    return {name: upload(text, f"{name}.csv") for name, text in texts.items()}


def loaded(lists: str | bytes | None = LISTS, name: str = "lists.csv", **beside: Any) -> Data:
    """The data of lists, as text, and what is given beside them; texts become files."""
    options = {one: given for one, given in beside.items() if not isinstance(given, str | bytes)}
    files = uploads(**{one: given for one, given in beside.items() if one not in options})
    return evalcore.load([] if lists is None else [upload(lists, name)], **files, **options)


def warned_of_lists(data: Data) -> list[str]:
    """The warnings but that there is no test, which most of these inputs do without."""
    return [one for one in warned(data) if "RCM-100" not in one]


def table_of(data: Data) -> Recommendations:
    """The table, which must be there."""
    assert data.recommendations is not None
    return data.recommendations


def rows_of(table: Recommendations, found: ItemLists | Interactions | None) -> list[tuple[str, str, float]]:
    """User, item and value of each row, sorted."""
    assert found is not None
    values = found.score if isinstance(found, ItemLists) else found.rating
    users, items = table.user_ids[found.user].tolist(), table.item_ids[found.item].tolist()
    return sorted(zip(users, items, values.tolist(), strict=True))


def cells_of(table: Recommendations, found: object) -> dict[tuple[str, str], float]:
    """User and item → the score in a matrix, where there is one."""
    assert isinstance(found, ScoreMatrix)
    at = zip(*np.nonzero(~np.isnan(found.values)), strict=True)
    users, items = table.user_ids[found.user], table.item_ids[found.item]
    return {(str(users[i]), str(items[j])): float(found.values[i, j]) for i, j in at}


def npz(**arrays: Any) -> bytes:
    """The bytes of an archive of arrays."""
    out = io.BytesIO()
    np.savez(out, allow_pickle=True, **{name: np.asarray(one) for name, one in arrays.items()})
    return out.getvalue()


def npy(array: Any) -> bytes:
    """The bytes of a file of one array."""
    out = io.BytesIO()
    np.save(out, np.asarray(array), allow_pickle=True)
    return out.getvalue()
