"""Ids and scores that no exporter should write: read as text, or refused by name, they end nothing."""

import io
import struct
import zipfile
from typing import Any

import numpy as np
import pytest

from evalcore import evaluate
from tests.support.reading import refused, upload
from tests.support.recommending import LISTS, loaded, npy, npz, table_of

HUGE = "9" * 5000
UNREADABLE = "data that cannot be read as NumPy: "


def header(text: str, version: bytes = b"\x01\x00") -> bytes:
    """The beginning of a .npy file."""
    return b"\x93NUMPY" + version + struct.pack("<H", len(text) + 1) + text.encode() + b"\n"


def array(kind: str, shape: str, values: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return header(f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}", version) + values


def archive(**members: bytes) -> bytes:
    """A .npz of these files."""
    made = {"users": npy(["u1", "u2"]), "items": npy(["a", "b"]), "scores": npy(np.ones((2, 2)))} | members
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in made.items():
            file.writestr(f"{name}.npy", content)
    return out.getvalue()


def said_of(content: bytes, name: str = "scores.npz") -> str:
    """What is wrong with scores, until what was expected."""
    found = refused(upload(LISTS, "lists.csv"), scores=upload(content, name))
    return found[0].partition(", expected")[0].removeprefix(f"{name}: found ") + found[0].rpartition(" ")[2]


@pytest.mark.parametrize(
    ("kind", "shape", "found"),
    [
        ("<f8", "(1,) * 100", f"{UNREADABLE}a header that describes no array"),
        ("<f8", str((0,) * 70), "scores of the shape 0 × 0 × 0 × 0 × … (70 lengths)"),
        ("<f8", f"(0, {10**30})", "scores of the shape 0 × more than 10¹⁸"),
        ("<f8", f"({2**62}, {2**62}, 0)", "scores of the shape more than 10¹⁸ × more than 10¹⁸ × 0"),
        ("<U0", "(2, 3)", "scores of the type <U0"),
        ("|S0", "(2, 3)", "scores of the type |S0"),
        ("|V0", "(2, 3)", "scores of the type |V0"),
        (
            "<f8",
            "(True, 0)",
            "data that cannot be read as NumPy: lengths in a header that are no whole numbers",
        ),
        ("<f8", "_", f"{UNREADABLE}a header that describes no array"),
    ],
)
def test_headers_that_lie_are_refused_and_end_nothing(kind: str, shape: str, found: str) -> None:
    said = said_of(array(kind, shape), "scores.npy")
    assert said.startswith(found)
    assert "0x" not in said


def test_a_version_of_the_format_that_is_not_known_is_refused() -> None:
    said = said_of(array("<f8", "(1, 1)", bytes(8), b"\x09\x00"), "scores.npy")
    assert said == "data that cannot be read as NumPy: the version 9.0 of the format[FILE-007]"


@pytest.mark.parametrize("code", [0xD800, 0x110000])
def test_ids_of_no_letters_are_no_text(code: int) -> None:
    users = array("<U2", "(2,)", struct.pack("<4I", code, 0, 98, 0))
    assert said_of(archive(users=users)) == "users that are no text[RCM-018]"


def test_an_infinite_id_is_refused() -> None:
    said = said_of(npz(users=[np.inf, 1.0], items=["a"], scores=[[1.0], [2]]))
    assert said == "users of the type float64 that are not all whole numbers[RCM-018]"


@pytest.mark.parametrize(
    ("name", "other"), [("users", "USERS"), ("users", "user_ids"), ("scores", "predictions")]
)
def test_two_arrays_of_one_role_are_refused(name: str, other: str) -> None:
    said = said_of(archive(**{other: npy(["b", "a"])}))
    assert said == f"the arrays {name} and {other}, of which one can be the {name}[RCM-018]"


def test_an_array_that_is_needed_is_found_behind_many_others_whatever_those_are() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for at in range(30):
            file.writestr(f"m{at}.npy", npy(np.array([None], object)) if at else array("<f8", str((1,) * 99)))
    many = out.getvalue()
    said = said_of(many)
    assert said == f"the arrays {', '.join(f'm{at}' for at in range(16))}, …[RCM-018]"
    with zipfile.ZipFile(out, "a") as file:
        for name, values in (("users", ["u1"]), ("items", ["a"]), ("scores", [[1.0]])):
            file.writestr(f"{name}.npy", npy(values))
    table = table_of(loaded("user,item,score\nu1,a,1\n", scores=[upload(out.getvalue(), "scores.npz")]))
    assert list(table.scores) == ["lists"]


def test_an_encrypted_archive_is_called_so() -> None:
    content = bytearray(archive())
    content[bytes(content).rindex(b"PK\x01\x02") + 8] |= 1
    assert said_of(bytes(content)).startswith(
        "data that cannot be read as NumPy: the array 'scores' is encrypted"
    )


@pytest.mark.parametrize("sign", ["", "-"])
def test_ids_of_thousands_of_digits_are_text(sign: str) -> None:
    lists = f"user,item,score\n{sign}{HUGE},{HUGE},3\n{sign}{HUGE},2,2\n1,{HUGE},1\n"
    data = loaded(
        lists, test=f"user,item\n1,{HUGE}\n", user_groups=f"user,user_group\n1,{HUGE}\n{sign}{HUGE},2\n"
    )
    assert table_of(data).item_ids.tolist() == ["2", HUGE]
    assert evaluate(data, ks=(1,)).value("recommender.recall") == 1


def test_an_id_of_thousands_of_digits_is_no_number_of_a_row() -> None:
    found = refused(
        upload(f"user,item,score\n{HUGE},1,1\n", "lists.csv"),
        scores=upload(npy(np.ones((2, 2))), "scores.npy"),
    )
    assert f"and the user {HUGE[:40]}… (lists.csv) elsewhere" in found[0]


@pytest.mark.parametrize(
    ("score", "found"), [("NaN", "NaN"), ("Infinity", "inf"), ("1e999", "inf"), ("9" * 5000, "inf")]
)
def test_a_score_that_is_no_number_in_json_by_user_is_named_with_user_and_item(
    score: str, found: str
) -> None:
    lists = f'{{"u1": {{"a": {score}, "b": 2}}, "u2": {{"a": 1}}}}'
    assert refused(upload(lists, "lists.json"), task="recommender") == [
        f"lists.json, row 1, column score: found the score {found} of item a for user u1, expected a finite "
        "number. Correct the score, or leave the row out. [RCM-006]"
    ]


@pytest.mark.parametrize("role", ["test", "scores"])
def test_other_files_in_json_by_user_name_their_cells_too(role: str) -> None:
    files: dict[str, Any] = {role: upload('{"u1": {"a": 1, "b": NaN}}', f"{role}.json")}
    (found,) = refused(upload(LISTS, "lists.csv"), task="recommender", **files)
    assert "of item b" in found


def test_a_run_in_the_layout_of_trec_names_its_cells_too() -> None:
    run = "u1 Q0 a 1 0.5 x\nu1 Q0 b 2 nan x\nu2 Q0 a 1 0.5 x\n"
    (found,) = refused(upload(run, "lists.txt"), task="recommender")
    assert "the score nan of item b for user u1" in found


@pytest.mark.parametrize("number", ["1e308", "-1.7976931348623157e308"])
def test_numbers_whose_squares_are_none_are_named_with_user_and_item(number: str) -> None:
    expected = (
        f"{number} for item b and user u1, expected a number from −1e100 to 1e100. Correct it. Where such a "
        "number marks an item that must not be shown, leave the row out, or write NaN in a matrix. [RCM-112]"
    )
    rows = f"user,item,{{}}\nu1,a,1\nu1,b,{number}\n"
    assert refused(upload(rows.format("score"), "lists.csv")) == [
        f"lists.csv, row 2, column score: found {expected}"
    ]
    (found,) = refused(upload(LISTS, "lists.csv"), test=upload(rows.format("rating"), "test.csv"))
    assert found == f"test.csv, row 2, column rating: found {expected}"
    matrix = npz(users=["u1"], items=["a", "b"], scores=[[np.nan, float(number)]])
    (found,) = refused(upload(LISTS, "lists.csv"), scores=upload(matrix, "scores.npz"))
    assert found.startswith("scores.npz: found ")
    assert found.endswith("for item b and user u1" + expected.partition("user u1")[2])


def test_the_largest_numbers_that_are_taken_have_every_value() -> None:
    lists = "user,item,score\n" + "".join(f"u{u},i{i},{(-1) ** u}e100\n" for u in range(6) for i in range(3))
    test = "user,item,rating\n" + "".join(f"u{u},i{i},{i / 2}e100\n" for u in range(6) for i in range(3))
    groups = {
        "user_groups": "user,user_group\n" + "".join(f"u{u},{u % 2 + 1}\n" for u in range(6)),
        "item_groups": "item,item_group\n" + "".join(f"i{i},{i % 2 + 1}\n" for i in range(3)),
    }
    found = evaluate(loaded(lists, test=test, scores=lists, **groups), ks=(2,), bootstrap=100).table
    assert np.isfinite(found["value"][found["note"] == ""]).all()
