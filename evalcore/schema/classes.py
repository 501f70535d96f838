"""What a cell means where two classes are named: 0 and 1 in any spelling, or two words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_KNOWN = {"0": False, "1": True, "false": False, "true": True}
_WHOLE = re.compile(r"[+]?(?:([01])([.,]0*)?|[.,]0+)")
_WORDS = {"no": False, "yes": True, "negative": False, "positive": True, "neg": False, "pos": True}
"""Words that classifiers write for 0 and 1."""

_NUMBERED = re.compile(r"(?:label|class)[_ -]?([01])")


def binary(text: str) -> bool | None:
    """What a cell means where 0, 1, 0.0, 1.0, true and false are labels; None for anything else.

    >>> binary("1.0"), binary("FALSE"), binary("yes")
    (True, False, None)
    """
    return _KNOWN.get(same(text))


def same(label: str) -> str:
    """What makes labels one label: spelling without case and blanks, 1.0 and 1,00 as 1, ,00 as 0.

    >>> same(" Yes"), same("1.0"), same(",00")
    ('yes', '1', '0')
    """
    cell = label.strip().lower()
    whole = _WHOLE.fullmatch(cell)
    return (whole.group(1) or "0") if whole else cell


def class_of(text: str, positive: str, others: Collection[str] = ()) -> bool | None:
    """The class that a prediction names: True for the positive one; None where it is neither.

    Where the labels are 0 and 1, ``LABEL_0`` and ``class 1`` name them by their number, and the
    usual pairs of words (NEGATIVE and POSITIVE, no and yes) by what they say.

    Parameters
    ----------
    text : a cell of a prediction column.
    positive : the label that means "has evidence".
    others : further labels of the column of labels.

    >>> class_of("LABEL_1", "1"), class_of("0.0", "1"), class_of("No", "yes", ["yes", "no"])
    (True, False, False)
    >>> class_of("NEGATIVE", "1"), class_of("yes", "1"), class_of("good", "1")
    (False, True, None)
    >>> class_of("LABEL_1", "yes", ["yes", "no"])
    """
    cell, wanted = same(text), binary(positive)
    if wanted is not None:
        numbered = _NUMBERED.fullmatch(cell)
        said = binary(numbered.group(1) if numbered else cell)
        if said is None and wanted:  # with 0 as the positive label the word would be about another class
            said = _WORDS.get(cell)
        return None if said is None else said == wanted
    if cell == same(positive):
        return True
    return False if cell in {same(other) for other in others} else None


def ways_of(answer: str) -> list[tuple[str, str]]:
    """Label and prediction in an answer ``label=prediction``, at each of its ``=``, the longest label first.

    >>> ways_of("a=b=POSITIVE"), ways_of("yes")
    ([('a=b', 'POSITIVE'), ('a', 'b=POSITIVE')], [])
    """
    parts = answer.split("=")
    pairs = [("=".join(parts[:i]).strip(), "=".join(parts[i:]).strip()) for i in range(len(parts) - 1, 0, -1)]
    return [(label, prediction) for label, prediction in pairs if label and prediction]


def answer_parts(
    answer: str, labels: Collection[str] = (), predictions: Collection[str] = ()
) -> tuple[str, str]:
    """The label of an answer, and the prediction that means it where the answer names one, else "".

    The whole answer is the label where there is one of that name. Else an ``=`` parts them: the last one that
    has a known label before it, or a known prediction behind it.

    >>> answer_parts("yes=POSITIVE"), answer_parts("a=b=POSITIVE", ["a=b", "c"])
    (('yes', 'POSITIVE'), ('a=b', 'POSITIVE'))
    >>> answer_parts("a=b", ["a=b", "c"]), answer_parts("a=b=POSITIVE", ["a", "c"])
    (('a=b', ''), ('a', 'b=POSITIVE'))
    """
    said = {same(one) for one in predictions if one.strip()}
    ways = [] if same(answer) in {same(label) for label in labels} | said else ways_of(answer)
    if not ways:
        return answer, ""
    fitting = labels_before(answer, labels)
    fitting += [way for way in ways if same(way[1]) in said]
    fitting += [way for way in ways if _is_among(way[0], said)]
    return (fitting or ways)[0]


def labels_before(answer: str, labels: Collection[str]) -> list[tuple[str, str]]:
    """The ways to part an answer that have one of the labels before the ``=``; several where it is ambiguous.

    >>> labels_before("a=b=POSITIVE", ["a", "a=b"])
    [('a=b', 'POSITIVE'), ('a', 'b=POSITIVE')]
    """
    names = {same(label) for label in labels}
    return [way for way in ways_of(answer) if _is_among(way[0], names)]


def _is_among(label: str, names: Collection[str]) -> bool:
    """Whether a label is one of some names, in the spelling of `same`; 1 is where true is."""
    is_binary = binary(label) is not None and any(binary(name) is not None for name in names)
    return same(label) in names or is_binary


def classes_of(levels: Sequence[str], positive: str, others: Collection[str] = ()) -> list[bool | None]:
    """The class that each of some predictions names, as `class_of`.

    Parameters
    ----------
    positive : the positive label; with the prediction that means it (``yes=POSITIVE``) where that was said:
        then the one other prediction means the other label.

    >>> classes_of(["POSITIVE", "NEGATIVE"], "yes=POSITIVE"), classes_of(["POSITIVE"], "yes", ["yes", "no"])
    ([True, False], [None])
    """
    label, prediction = answer_parts(positive, others, levels)
    said, names = same(prediction), {same(level) for level in levels if level.strip()}
    if prediction and said in names:
        return [same(one) == said if one.strip() and len(names) == 2 else None for one in levels]
    return [class_of(level, label, others) for level in levels]
