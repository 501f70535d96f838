"""Matrices of scores that are none, that lie, or that run code are refused by name."""

import io
import re
import struct
import zipfile
from typing import Any

import numpy as np
import pytest

from evalcore.isolated import worker
from tests.support.reading import refused, upload
from tests.support.recommending import LISTS, npy, npz, uploads


def scores_refused(content: bytes, name: str = "scores.npz", **beside: str) -> list[str]:
    """What is wrong with a matrix of scores."""
    return refused(upload(LISTS, "lists.csv"), scores=upload(content, name), **uploads(**beside))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (npz(users=["u1"], items=["a", "b"], scores=[[1.0]]), "items of the shape 2 beside 1 of scores"),
        (npz(users=["u1"], items=["a"], scores=[1.0]), "scores of the shape 1"),
        (npz(users=["u1"], items=["a"], scores=np.zeros((1, 1, 1))), "scores of the shape 1 × 1 × 1"),
        (npz(users=["u1"], items=["a"], scores=[["x"]]), "scores of the type <U1"),
        (npz(users=["u1"], items=["a"]), "the arrays users, items"),
        (
            npz(users=[1.5], items=["a"], scores=[[1.0]]),
            "users of the type float64 that are not all whole numbers",
        ),
        (
            npz(indices=[0], indptr=[0, 1], data=[1.0], shape=[1, 1], format=b"csr"),
            "a sparse matrix of SciPy",
        ),
        (npz(users=["u1", "u1"], items=["a"], scores=[[1.0], [2]]), "the user u1 at the places 1 and 2"),
        (npz(users=["u1"], items=[b"\xff"], scores=[[1.0]]), "items that are no text"),
        (npz(users=["u1"], items=["a"], scores=np.zeros((1, 1), [("x", "f4")])), "an array of records"),
    ],
)
def test_arrays_that_make_no_matrix_are_named(content: bytes, found: str):
    (said,) = scores_refused(content)
    assert said.startswith(f"scores.npz: found {found}, expected ")
    assert said.endswith("[RCM-018]")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.npz", npz(users=np.array(["u1", 2], object), items=["a"], scores=[[1.0], [2]])),
        ("scores.npz", npz(users=["u1", "u2"], items=["a"], scores=np.array([[1.0], ["x"]], object))),
        ("scores.npy", npy(np.array([[1.0, None]], object))),
    ],
)
def test_pickled_objects_are_never_read(name: str, content: bytes):
    (said,) = scores_refused(content, name)
    assert "of Python objects, which are pickled: reading them runs code" in said


class RanError(Exception):
    """What a pickle that is loaded would raise."""


def run() -> None:
    raise RanError


class Evil:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return run, ()


def test_a_pickle_that_runs_code_does_not_run():
    (said,) = scores_refused(npy(np.array([[Evil()]], object)), "scores.npy")
    assert said.endswith("[RCM-018]")


def header(shape: str, kind: str = "<f4") -> bytes:
    """The beginning of a .npy file that says it has this shape."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def zipped(**members: bytes) -> bytes:
    """An archive of files of these bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


HOSTILE = {
    "a shape of a billion rows": header("(1000000000, 1000000000)") + bytes(8),
    "a shape beyond every integer": header(f"({10**40}, 2)") + bytes(8),
    "a negative shape": header("(-1, 2)") + bytes(8),
    "a shape that is code": header("(__import__('os').getpid(), 2)") + bytes(8),
    "a type that is code": header("(1, 1)", "__import__('os')") + bytes(8),
    "a shape of nested brackets": header("(" * 500 + ")" * 500) + bytes(8),
    "a header cut off": header("(1, 1)")[:20],
    "numbers cut off": header("(2, 2)") + bytes(8),
    "numbers too many": header("(1, 1)") + bytes(8),
    "an unknown version": b"\x93NUMPY\x09\x09" + bytes(100),
    "a header of a gigabyte": b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**30) + bytes(100),
    "an archive cut off": npz(users=["u1"], items=["a"], scores=[[1.0]])[:300],
    "an archive with a wrong check sum": npz(users=["u1"], items=["a"], scores=[[1.0]]).replace(
        b"u\0\0\0", b"v\0\0\0"
    ),
    "a member cut off": zipped(users=npy(["u1"]), items=npy(["a"]), scores=header("(1, 1)")),
    "a member of something else": zipped(users=b"u1", items=npy(["a"]), scores=npy([[1.0]])),
    "many members": zipped(**{f"a{i}": npy([1.0]) for i in range(100)}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_arrays_are_refused_by_name(content: bytes):
    (said,) = scores_refused(content)
    assert said.startswith("scores.npz: found ")
    assert re.search(r"\[(RCM-018|FILE-007)\]$", said)


def test_a_bomb_is_refused_before_it_fills_the_memory():
    bomb = zipped(users=npy(["u1"]), items=npy(["a"]), scores=header("(1, 75000000)") + bytes(300_000_000))
    assert len(bomb) < 1_000_000
    (said,) = scores_refused(bomb)
    assert said.endswith("[FILE-017]")


def test_a_bomb_that_understates_its_size_is_refused():
    content = bytearray(zipped(users=npy(["u1"]), items=npy(["a"]), scores=npy(np.zeros((1, 1_000_000)))))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = bytes(content).rindex(mark)
        content[place + at : place + at + 4] = struct.pack("<I", 100)
    (said,) = scores_refused(bytes(content))
    assert said.endswith("[FILE-007]")


def test_an_infinite_score_of_a_matrix_is_named_with_user_and_item():
    found = scores_refused(npz(users=["u1", "u2"], items=["a", "b"], scores=[[1.0, 2.0], [np.nan, np.inf]]))
    assert found == [
        "scores.npz: found the score inf of item b for user u2, expected a finite number, or NaN where an "
        "item has "
        "no score. Correct the score; write NaN where an item is masked or has none. [RCM-019]"
    ]


def test_numbers_of_rows_are_no_ids_beside_other_ids():
    said, of_items = scores_refused(npy(np.zeros((2, 2))), "scores.npy")
    assert "scores whose items are known by their numbers 0 to 1, and the item a (lists.csv)" in of_items
    assert said == (
        "scores.npy: found scores whose users are known by their numbers 0 to 1, and the user u1 (lists.csv) "
        "elsewhere, expected numbers in that range as ids, or the ids beside the scores. Save users, items "
        "and "
        "scores with numpy.savez, or name files with the ids in the order of rows and columns: --scores "
        "F.npy "
        "--scores users.csv --scores items.csv. [RCM-020]"
    )


def test_a_process_without_room_for_a_thread_lacks_memory_and_no_file_is_damaged(monkeypatch):
    def crowded(*_: Any) -> Any:
        raise RuntimeError("can't start new thread")

    monkeypatch.setitem(worker.TASKS, "read", crowded)
    assert worker.answer("read", b"", {}) == ({"refused": "memory"}, [])
