"""Any tally of arrays, texts, mappings and dataclasses is written as it is, and opened as it is annotated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from evalcore.evaluation.saved.archive import packed, unpacked
from evalcore.evaluation.saved.columns import Columns, Written
from evalcore.evaluation.saved.fields import UnkeptError, facts_of, value_of
from evalcore.problems import InputError
from evalcore.settings import Settings
from evalcore.tallies import flaws
from evalcore.tallies.flaws import KEPT


@dataclass(frozen=True, eq=False)
class Cup:
    """A part."""

    size: float
    kind: Literal["tea", "mocha"]


@dataclass(frozen=True, eq=False)
class Shelf:
    """Every kind of field that a file holds."""

    start: NDArray[np.int64]
    item: NDArray[np.intp]
    narrow: NDArray[np.uint8]
    scores: NDArray[np.float32]
    table: NDArray[np.bool_]
    bare: np.ndarray
    hashed: NDArray[np.uint64]
    names: NDArray[np.object_]
    slices: Mapping[str, tuple[NDArray[np.intp], tuple[str, ...]]]
    cups: tuple[Cup, ...]
    best: Cup | None
    second: Cup | None
    bounds: tuple[float, float]
    share: float | str
    n: int
    is_full: bool
    word: str


def made(**changed: Any) -> Shelf:
    values: dict[str, Any] = {
        "start": np.array([0, 2, 2, 5]),
        "item": np.array([4, 0, 1, -1, 300]),
        "narrow": np.array([0, 255], np.uint8),
        "scores": np.array([[0.5, np.nan], [1 / 3, np.inf]], np.float32),
        "table": np.eye(3, 2) > 0,
        "bare": np.zeros((0, 4)),
        "hashed": np.array([3, 2**64 - 1], np.uint64),
        "names": np.array(["b", "ä/ö"], object),
        "slices": {"a column/with marks": (np.array([0, -1]), ("x",)), "plain": (np.array([1]), ("x", "y"))},
        "cups": (Cup(1.5, "tea"), Cup(float("nan"), "mocha")),
        "best": Cup(float("-inf"), "tea"),
        "second": None,
        "bounds": (0.0, 1e300),
        "share": "0.29",
        "n": 2**62,
        "is_full": True,
        "word": "shelves",
    }
    return Shelf(**{**values, **changed})


def told(value: Any) -> Any:
    """A value as what can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist() if value.dtype == object else value.tobytes()
    if isinstance(value, Mapping):
        return [(name, told(one)) for name, one in value.items()]
    if isinstance(value, tuple):
        return [told(one) for one in value]
    if isinstance(value, Cup | Shelf):
        return [told(getattr(value, one.name)) for one in fields(value)]
    return repr(value)


def written(value: Any) -> tuple[Any, Written]:
    out = Written()
    return facts_of(value, "shelf", out), out


def opened(facts: Any, columns: Mapping[str, Any]) -> Any:
    given = Columns(columns, "r.evalcore")
    found = value_of(Shelf, facts, "shelf", given)
    given.end()
    return found


def test_it_opens_as_it_was():
    facts, out = written(made())
    assert told(opened(*unpacked(packed(facts, out.columns), None))) == told(made())
    assert {one.dtype.name for one in out.columns.values()} <= {
        *("int8", "int16", "float32", "float64", "bool", "uint64")
    }
    assert {one.ndim for one in out.columns.values()} == {1}


def test_a_named_alias_of_an_array_is_what_it_stands_for():
    """As `NDArray` is one from NumPy 2.5 on."""
    kind = TypeVar("kind", bound=np.generic)
    alias = TypeAliasType("alias", np.ndarray[tuple[Any, ...], np.dtype[kind]], type_params=(kind,))
    out = Written()
    facts = facts_of(np.array([1, 2]), "shelf", out)
    for hint in (alias[np.int64], alias[np.int64] | None):
        given = Columns(unpacked(packed(facts, out.columns), None)[1], "r.evalcore")
        assert value_of(hint, facts, "shelf", given).tolist() == [1, 2]
        given.end()


@pytest.mark.parametrize(
    "kept", [{1, 2}, [1], object(), {1: "x"}, np.array([b"x"]), np.array([None], object), np.array([1j])]
)
def test_what_no_file_holds_is_not_written(kept):
    with pytest.raises(UnkeptError, match="shelf/slices"):
        written(made(slices={"one": kept}))


WRONG = {
    "start": ({"kind": "int64", "shape": [2**39, 2**39]}, "shelf/start: 4 values of int8, expected"),
    "item": ({"kind": "float64", "shape": [5]}, "shelf/item: values of float64, expected values of int64"),
    "narrow": ({"kind": "object", "shape": [2]}, "shelf/narrow: another value"),
    "scores": ({"kind": "float32", "shape": [4, -1]}, "shelf/scores: another value"),
    "table": ({"kind": "bool", "shape": [1, 2, 3]}, "shelf/table: another value"),
    "bare": ({"kind": "float64", "shape": [0, 10**400]}, "shelf/bare: another value"),
    "hashed": ({"texts": ["x", "y"]}, "shelf/hashed: texts, expected values of uint64"),
    "names": ({"texts": ["x", 1]}, "shelf/names/1: another value, expected str"),
    "slices": ([], "shelf/slices: another value"),
    "cups": ([{"size": 1, "kind": "beer"}], "shelf/cups/0/kind: another value"),
    "best": ({"size": 1}, "shelf/best: another value, expected the fields of Cup"),
    "second": ({"size": "1e999", "kind": "tea"}, "shelf/second/size: another value"),
    "bounds": ([0], "shelf/bounds: another value"),
    "share": (True, "shelf/share: another value"),
    "n": (10**400, "shelf/n: another value, expected int"),
    "is_full": (1, "shelf/is_full: another value, expected bool"),
    "word": ("x" * 100_001, "shelf/word: another value, expected str"),
}


@pytest.mark.parametrize(("field", "facts", "said"), [(name, *one) for name, one in WRONG.items()])
def test_a_field_of_another_kind_is_refused(field, facts, said):
    before, out = written(made())
    with pytest.raises(InputError) as caught:
        opened({**before, field: facts}, out.columns)
    assert said in str(caught.value)


def test_a_field_that_lacks_or_is_one_too_many_is_refused():
    facts, out = written(made())
    lacking = {name: one for name, one in facts.items() if name != "word"}
    for changed in (lacking, {**facts, "__class__": "os.system"}):
        with pytest.raises(InputError, match="shelf: another value, expected the fields of Shelf"):
            opened(changed, out.columns)


def test_a_whole_number_that_its_kind_does_not_hold_is_refused():
    facts, out = written(made())
    columns = {**out.columns, "shelf/narrow": np.array([0, 256])}
    with pytest.raises(InputError, match="shelf/narrow: 256, expected a whole number from 0 to 255"):
        opened(facts, columns)


NAN, SEVEN = np.array([np.nan, 1.0]), np.array([7, 0])
SAID = {
    "2 values of float64, expected 2 whole numbers": flaws.codes("x", NAN, 2, 3),
    "2 values of int64, expected 3 whole numbers": flaws.codes("x", SEVEN, 3, 9),
    "2 values of int64, expected 2 × 1 whole numbers": flaws.codes("x", SEVEN, (2, 1), 9),
    "7, expected a whole number from 0 to 6": flaws.codes("x", SEVEN, 2, 7),
    "0, expected a whole number from 1 to 20,000,000": flaws.counts("x", SEVEN, 2, least=1),
    "-7, expected a whole number from 0 to 9,223,372,036,854,775,807": flaws.rows("x", -SEVEN, 2),
    "a number that is not finite, expected finite numbers": flaws.numbers("x", NAN, 2),
    "another number, expected numbers from 0 to 0.5": flaws.numbers("x", NAN[1:], 1, low=0, high=0.5),
    "2 values of int64, expected 2 flags": flaws.flags("x", SEVEN, 2),
    "2 values of int64, expected 2 hashes": flaws.hashes("x", SEVEN),
    "hashes in another order, expected each once, ascending": flaws.hashes("x", SEVEN.astype(np.uint64)),
    "a name twice, expected each name once": flaws.levels("x", ("a", "a")),
    "something else, expected texts": flaws.levels("x", SEVEN),
}


@pytest.mark.parametrize(("said", "found"), SAID.items(), ids=lambda one: one if isinstance(one, str) else "")
def test_each_check_says_what_it_found(said, found):
    assert Settings().max_rows == 20_000_000
    assert [f"{one.found}, expected {one.expected}" for one in found] == [said]


def test_every_kind_that_is_kept_says_what_does_not_agree_in_it():
    assert {"queries", "rankings", "annotations"} <= set(KEPT)
    assert [kind.__name__ for kind in KEPT.values() if not hasattr(kind, "flaws")] == []
