"""Dataclasses of a saved report, field by field: what they hold is written as it is, and opened as annotated.

No name of a class, of a module or of anything to be run is in a file: which dataclass it is says the one who
opens it, and of which kind a field is says its annotation. Arrays become columns of the file.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from evalcore.evaluation.saved.columns import Columns, Written

_ODD = ("nan", "inf", "-inf")
"""Numbers that JSON has no word for."""
_KINDS = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
)
_LONGEST = 100_000


class UnkeptError(Exception):
    """A field of a kind that no file holds, by its place."""


def facts_of(value: Any, place: str, out: Written) -> Any:
    """A value as facts; its arrays go into ``out``, under the place of each.

    Raises
    ------
    UnkeptError : for a kind of value that a file cannot hold.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, np.ndarray):
        return _facts_of_array(value, place, out)
    if isinstance(value, tuple):
        return [facts_of(one, f"{place}/{at}", out) for at, one in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        named = enumerate(value.items())
        return {name: facts_of(one, _within(place, name, at), out) for at, (name, one) in named}
    if is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: facts_of(getattr(value, one.name), f"{place}/{one.name}", out) for one in fields(value)
        }
    raise UnkeptError(f"{place} ({type(value).__name__})")


def _facts_of_array(array: np.ndarray[Any, Any], place: str, out: Written) -> dict[str, Any]:
    if array.dtype == object and array.ndim == 1 and all(isinstance(one, str) for one in array):
        return {"texts": array.tolist()}
    if array.dtype.name not in _KINDS:
        raise UnkeptError(f"{place} ({array.dtype})")
    if array.dtype.kind in "iu" and array.dtype != np.uint64:
        out.add_whole(place, array.ravel())
    else:
        out.add(place, array.ravel())
    # Whole numbers are as narrow in memory as codes allow: a file says of all that they are whole.
    kind = "int64" if array.dtype.kind == "i" else array.dtype.name
    return {"kind": kind, "shape": list(array.shape)}


def value_of(hint: Any, facts: Any, place: str, given: Columns) -> Any:
    """A value from its facts, of the kind that ``hint`` says; ``given`` collects what is wrong with it.

    Parameters
    ----------
    hint : an annotation, evaluated: a dataclass, or what a field of one may be.
    facts : as the file has them.
    place : where they stand.
    given : the columns of the file.

    Returns
    -------
    The value; it means nothing once ``given`` has problems.
    """
    hint = _opened(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        hint = _opened(next((arm for arm in args if _fits(arm, facts)), args[0]))
        origin, args = get_origin(hint), get_args(hint)
    if not _fits(hint, facts):
        given.refuse(place, "another value", _word(hint))
        return None
    if hint is np.ndarray or origin is np.ndarray:
        return _array(args, facts, place, given)
    if is_dataclass(hint):
        return _dataclass(hint, facts, place, given)
    if origin is tuple:
        if args[1:] == (...,):
            return tuple(value_of(args[0], one, f"{place}/{at}", given) for at, one in enumerate(facts))
        pairs = enumerate(zip(args, facts, strict=True))
        return tuple(value_of(arm, one, f"{place}/{at}", given) for at, (arm, one) in pairs)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        known = get_args(args[0]) or list(facts)
        given.hold(set(facts) <= set(known), place, "another name", f"of {', '.join(map(str, known))}")
        named = enumerate(facts.items())
        return {name: value_of(args[1], one, _within(place, name, at), given) for at, (name, one) in named}
    return float(facts) if hint is float else facts


def _opened(hint: Any) -> Any:
    """What an alias of a type stands for, such as NumPy's `NDArray` from 2.5 on; any other as it is."""
    named = getattr(get_origin(hint), "__value__", None)
    return hint if named is None else named[get_args(hint)]


def _fits(hint: Any, facts: Any) -> bool:
    """Whether facts are of the kind that an annotation says; what is within them is looked at later."""
    hint = _opened(hint)
    origin, args = get_origin(hint), get_args(hint)
    is_number = isinstance(facts, int | float) and not isinstance(facts, bool)
    if hint in (NoneType, None):
        return facts is None
    if hint is bool:
        return isinstance(facts, bool)
    if hint is int:
        return is_number and isinstance(facts, int) and abs(facts) < 2**63
    if hint is float:
        return facts in _ODD if isinstance(facts, str) else is_number and abs(facts) <= sys.float_info.max
    if hint is str:
        return isinstance(facts, str) and len(facts) <= _LONGEST
    if origin is Literal:
        return any(type(facts) is type(one) and facts == one for one in args)
    if origin is tuple:
        return isinstance(facts, list) and (args[1:] == (...,) or len(facts) == len(args))
    if is_dataclass(hint):
        return isinstance(facts, dict) and set(facts) == {one.name for one in fields(hint)}
    if hint is np.ndarray or origin is np.ndarray:
        return isinstance(facts, dict) and (_is_texts(facts) or _is_column(facts))
    return isinstance(facts, dict) and isinstance(origin, type) and issubclass(origin, Mapping)


def _is_texts(facts: Mapping[str, Any]) -> bool:
    return set(facts) == {"texts"} and _fits(tuple[str, ...], facts["texts"])


def _is_column(facts: Mapping[str, Any]) -> bool:
    if set(facts) != {"kind", "shape"} or facts["kind"] not in _KINDS or not isinstance(facts["shape"], list):
        return False
    return len(facts["shape"]) in (1, 2) and all(_fits(int, n) and 0 <= n < 2**40 for n in facts["shape"])


def _array(args: tuple[Any, ...], facts: Any, place: str, given: Columns) -> Any:
    """An array of the type annotated, where it is; ids of rows may be hashes in place of texts."""
    wanted = (get_args(args[1]) or (Any,))[0] if len(args) > 1 else Any
    of = np.generic if wanted is Any or not isinstance(wanted, type) else wanted
    if "texts" in facts:
        texts = [value_of(str, one, f"{place}/{at}", given) for at, one in enumerate(facts["texts"])]
        given.hold(issubclass(np.object_, of), place, "texts", f"values of {of.__name__}")
        return np.array(texts, object)
    kind, shape = np.dtype(facts["kind"]), tuple(facts["shape"])
    if kind.kind == "i" and issubclass(of, np.signedinteger) and of is not np.signedinteger:
        kind = np.dtype(of)
    is_wanted = np.issubdtype(kind, of) or (of is np.object_ and kind == np.uint64)
    given.hold(is_wanted, place, f"values of {kind}", f"values of {of.__name__}")
    found = given.column(place, math.prod(shape), kind)
    return found.reshape(shape) if found.size == math.prod(shape) else found


def _dataclass(hint: Any, facts: Any, place: str, given: Columns) -> Any:
    hints = get_type_hints(hint)
    names = [one.name for one in fields(hint)]
    values = {name: value_of(hints[name], facts[name], f"{place}/{name}", given) for name in names}
    return None if given.problems else hint(**values)


def _within(place: str, name: str, at: int) -> str:
    """The place of what stands under a name, which is the name where that can name a column."""
    return f"{place}/{name if name.isascii() and name.isidentifier() else at}"


def _word(hint: Any) -> str:
    """What an annotation expects, in a word."""
    if is_dataclass(hint):
        return f"the fields of {hint.__name__}"  # type: ignore[union-attr]
    return str(hint.__name__ if isinstance(hint, type) else hint).replace("typing.", "")
