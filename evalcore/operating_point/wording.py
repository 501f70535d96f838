"""Words and shares in the sentences of a document, which are made again to the letter when it is verified.

An estimate never rounds across its target, a bound rounds outward. A share has up to two decimals here, as in
every document that was ever written; elsewhere `evalcore.text.numerals` writes it.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from evalcore.inference.verdicts import VERDICTS as VERDICTS
from evalcore.inference.verdicts import Verdict as Verdict

IN_WORDS: dict[Verdict, str] = {
    "met_with_confidence": "met with {level} confidence",
    "met_point_only": "met by the estimate only, not with {level} confidence",
    "infeasible_with_this_n": "met by the estimate only; so few could never show it with {level} confidence",
    "not_met": "not met",
    "not_assessed": "not assessed",
}
PLACES = 2
_MOST_PLACES = 15
_EXACTLY = Context(prec=400)
"""Of as many digits as the largest float64 has, with places to spare: rounding never fails."""


def percent(share: float) -> str:
    """A share that was given, such as a target or a confidence, with all its digits.

    Examples
    --------
    >>> percent(0.995), percent(0.9)
    ('99.5 %', '90 %')
    """
    return _text(Decimal(repr(float(share))) * 100)


def percent_of(n: int, of: int, *, target: float | None = None) -> str:
    """The estimate n / of, with as many digits as it takes to stay on its side of the target.

    Examples
    --------
    >>> percent_of(688, 690), percent_of(19899, 20000, target=0.995), percent_of(0, 0)
    ('99.71 %', '99.495 %', 'not defined')
    """
    if of == 0:
        return "not defined"
    limit = None if target is None else Decimal(repr(float(target))) * 100
    return _text(_beside(Decimal(n) * 100 / Decimal(of), limit))


def percent_in_document(share: float) -> str:
    """A share that was counted, such as a prevalence, as a document says it: with up to two decimals.

    Elsewhere ``evalcore.text.numerals.percent_of_share`` writes it.

    Examples
    --------
    >>> percent_in_document(0.0934), percent_in_document(0.5)
    ('9.34 %', '50 %')
    """
    return _text(_rounded(Decimal(repr(float(share))) * 100, PLACES, ROUND_HALF_EVEN))


def percent_at_least(bound: float) -> str:
    """A lower bound, rounded down.

    Examples
    --------
    >>> percent_at_least(0.995439)
    '99.54 %'
    """
    return _text(_rounded(Decimal(repr(float(bound))) * 100, PLACES, ROUND_FLOOR))


def percent_at_most(bound: float) -> str:
    """An upper bound, rounded up.

    Examples
    --------
    >>> percent_at_most(0.00312)
    '0.32 %'
    """
    return _text(_rounded(Decimal(repr(float(bound))) * 100, PLACES, ROUND_CEILING))


def at_least(bound: float) -> str:
    """A lower bound that is no share, rounded down.

    Examples
    --------
    >>> at_least(29.1489)
    '29.14'
    """
    return _plain(_rounded(Decimal(repr(float(bound))), PLACES, ROUND_FLOOR))


def at_most(bound: float) -> str:
    """An upper bound that is no share, rounded up.

    Examples
    --------
    >>> at_most(29.1401)
    '29.15'
    """
    return _plain(_rounded(Decimal(repr(float(bound))), PLACES, ROUND_CEILING))


def counted(n: int, thing: str) -> str:
    """A number of things, one or several.

    Examples
    --------
    >>> counted(1, "check"), counted(1477, "post")
    ('1 check', '1,477 posts')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def words_of(verdict: Verdict, confidence: float) -> str:
    """A verdict in the words of a document.

    Examples
    --------
    >>> words_of("met_with_confidence", 0.95)
    'met with 95 % confidence'
    """
    return IN_WORDS[verdict].format(level=percent(confidence))


def beginning(words: str) -> str:
    """Words up to the first comma or semicolon."""
    return words.replace(";", ",").partition(",")[0]


def short_words(confidence: float) -> list[str]:
    """Every verdict in few words, in the order of `VERDICTS`."""
    return [beginning(words_of(verdict, confidence)) for verdict in VERDICTS]


def capitalised(sentence: str) -> str:
    """The sentence with its first letter large, the rest as it is.

    Examples
    --------
    >>> capitalised("alert precision of τ_pos")
    'Alert precision of τ_pos'
    """
    return sentence[:1].upper() + sentence[1:]


def _rounded(value: Decimal, places: int, rounding: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=_EXACTLY)


def _beside(exact: Decimal, limit: Decimal | None) -> Decimal:
    """The value rounded to two places, or to as many more as keep it on its side of the limit."""
    for places in range(PLACES, _MOST_PLACES):
        rounded = _rounded(exact, places, ROUND_HALF_EVEN)
        if limit is None or ((rounded < limit), (rounded > limit)) == ((exact < limit), (exact > limit)):
            break
    return rounded


def _text(value: Decimal) -> str:
    return f"{_plain(value)} %"


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
