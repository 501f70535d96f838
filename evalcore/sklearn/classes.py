"""Which of two classes means "has evidence", and what the outcome between them is called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.problems import InputError, problem
from evalcore.schema import answer_parts, binary, same

UNCERTAIN = "UNCERTAIN"
NUMERIC = "biuf"


def positive_of(classes: ArrayLike, positive: Any = None, *, usual: str | None = None) -> Any:
    """The class that means "has evidence".

    Parameters
    ----------
    classes : two labels.
    positive : the one that the user named, or what picks it of the two, such as ``max``; or None.
    usual : the one that a document names. Other than 1 it goes before what 0 and 1 mean by themselves: a
        document may have been read with 0 as the positive label.

    Raises
    ------
    InputError : LRN-001 where nobody named one and the labels are neither 0 and 1 nor −1 and 1, or where the
        document names another than these; LRN-005 for a name that is none of them; LRN-002 for fewer or more
        than two classes.

    Examples
    --------
    >>> positive_of(np.array([-1.0, 1.0])), positive_of(np.array(["a", "b"]), "a"), positive_of([1, 2], max)
    (np.float64(1.0), 'a', np.int64(2))
    """
    listed = list(np.asarray(classes))
    shown = " and ".join(map(repr, np.asarray(classes).tolist()))
    if len(listed) != 2:
        raise InputError([problem("LRN-002", found=f"{len(listed)} classes: {shown}"[:200])])
    if callable(positive):
        return positive(listed)
    if positive is not None:
        if positive not in listed:
            raise InputError([problem("LRN-005", name="positive", found=repr(positive), expected=shown)])
        return positive
    is_usual = usual is None or binary(usual) is True
    meanings = [_meaning(label) for label in listed]
    if is_usual and None not in meanings and len(set(meanings)) == 2:
        return listed[meanings.index(True)]
    named = None if usual is None else class_called(classes, usual)
    # Of the numbers 1 and 2, the 1 of a document that was read with 0 and 1 may be either.
    if named is not None and (not is_usual or isinstance(named, str)):
        return named
    raise InputError([problem("LRN-001", found=shown)])


def class_called(classes: ArrayLike, name: str) -> Any:
    """The class that a label names, numbers by their value; None where that is none of them, or several.

    Parameters
    ----------
    classes : labels.
    name : one of them as text, with the prediction that means it (``yes=POSITIVE``) where that was said.

    Examples
    --------
    >>> class_called([0, 1], "0"), class_called([False, True], "false"), class_called(["b", "Yes"], "yes=POS")
    (np.int64(0), np.False_, np.str_('Yes'))
    >>> class_called([1.0, 2.0], "2"), class_called([-1, 1], "0")
    (np.float64(2.0), None)
    """
    listed = list(np.asarray(classes))
    label = answer_parts(name, [str(one) for one in listed])[0]
    found = [one for one in listed if _is_called(one, label)]
    return found[0] if len(found) == 1 else None


def _is_called(label: Any, name: str) -> bool:
    meaning = binary(name)
    if isinstance(label, int | float | np.number | np.bool_):
        try:
            return float(label) == (float(name) if meaning is None else float(meaning))
        except ValueError:
            return False
    return same(str(label)) == same(name) or (meaning is not None and binary(str(label)) is meaning)


def _meaning(label: Any) -> bool | None:
    """Whether a label means evidence, where that needs no asking: 0 and 1, true and false, −1 and 1."""
    if isinstance(label, int | float | np.number | np.bool_):
        return {-1.0: False, 0.0: False, 1.0: True}.get(float(label))
    return binary(str(label))


def uncertain_of(classes: NDArray[Any], uncertain: Any = None) -> Any:
    """The label of the outcome between two classes: of their kind, so that all three fit one array.

    Parameters
    ----------
    classes : two labels.
    uncertain : what the user calls it; None: −1 beside numbers (0 between −1 and 1), else
        ``UNCERTAIN``.

    Raises
    ------
    InputError : LRN-004 for a label that is one of the classes, or of another kind.

    Examples
    --------
    >>> uncertain_of(np.array([0, 1])), uncertain_of(np.array([-1, 1])), uncertain_of(np.array(["no", "yes"]))
    (-1, 0, 'UNCERTAIN')
    """
    is_numeric = classes.dtype.kind in NUMERIC
    listed = classes.tolist()
    if uncertain is None:
        usual = (-1, 0) if is_numeric else (UNCERTAIN,)
        uncertain = next((label for label in usual if label not in listed), usual[0])
    is_number = isinstance(uncertain, int | float | np.number)
    if uncertain in listed or is_number != is_numeric or (not is_numeric and not isinstance(uncertain, str)):
        shown = " and ".join(map(repr, listed))
        raise InputError([problem("LRN-004", found=repr(uncertain), classes=shown)])
    return uncertain


def is_positive(y: ArrayLike, positive: Any = None) -> NDArray[np.bool_]:
    """Whether each label is the positive one.

    Rows of one class only are taken where it is known what the class means: what they do not allow is
    undefined, and no error.

    Raises
    ------
    InputError : as for `positive_of`.

    Examples
    --------
    >>> is_positive([0, 1, 1]).tolist(), is_positive([0, 0]).tolist()
    ([False, True, True], [False, False])
    """
    labels = np.asarray(y)
    classes = np.unique(labels)
    if len(classes) == 1 and positive is None:
        meaning = _meaning(classes[0])
        if meaning is not None:
            return np.full(labels.shape, meaning)
    if len(classes) == 1 and positive is not None:
        return np.asarray(labels == positive)
    return np.asarray(labels == positive_of(classes, positive))
