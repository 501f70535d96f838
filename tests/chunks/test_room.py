"""Columns of parts in one room: what is one below the other already is not copied, everything else is."""

import numpy as np
import pytest

from evalcore.rows import Room, stacked


def test_parts_in_a_room_are_stacked_where_they_lie():
    room = Room(7)
    parts = [room.moved("score", np.array(part, float)) for part in ([1, 2], [], [3, 4, 5])]
    found = stacked(parts)
    assert found.tolist() == [1, 2, 3, 4, 5]
    assert np.shares_memory(found, parts[0])


@pytest.mark.parametrize(
    "late",
    [np.arange(3.0), np.arange(2, dtype=np.float32), np.arange(6.0)[::2]],
    ids=["full", "kind", "strided"],
)
def test_a_part_without_room_is_stacked_as_it_is(late):
    room = Room(4)
    parts = [room.moved("score", part) for part in (np.array([5.0, 6.0]), late, np.array([7.0]))]
    assert stacked(parts).tolist() == [5, 6, *late.tolist(), 7]


WHOLE = np.arange(10.0)


@pytest.mark.parametrize(
    "parts",
    [
        [WHOLE[::2]],
        [WHOLE[::-1]],
        [WHOLE[0:4:2], WHOLE[2:6:2]],
        [WHOLE[2:4], WHOLE[4:5]],
        [WHOLE[4:5], WHOLE[2:4]],
        [WHOLE[:2], WHOLE[3:]],
        [WHOLE.view(np.int64)[:2], WHOLE.view(np.int64)[2:4]],
        [WHOLE],
    ],
)
def test_other_parts_of_one_array_are_stacked_as_they_are(parts):
    assert np.array_equal(stacked(parts), np.concatenate(parts))
