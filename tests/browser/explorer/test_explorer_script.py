"""The explorer's own counting and rounding, run in the browser, against Python."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from evalcore.explorer import script as explorer_script
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.tallies.scores import ScoredRows
from evalcore.text import numerals

# After a published complaint: thresholds equal to scores moved counts, and 0.3 swallowed its neighbour.
TIED_SCORES = [0.2, 0.2, 0.2, 0.8, 0.8, 1.0, 0.0, 0.3, 0.30000000000000004]


@pytest.fixture(scope="module")
def script(browser: Browser) -> Iterator[Page]:
    """A page that has loaded the explorer's script as Streamlit would."""
    opened = browser.new_page()
    opened.evaluate(
        """async (source) => {
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            globalThis.script = await import(url);
        }""",
        explorer_script(),
    )
    yield opened
    opened.close()


def run(script: Page, name: str, *arguments: Any) -> Any:
    return script.evaluate(f"(given) => script.{name}(...given)", list(arguments))


def percent(share: Fraction, places: int, rounding: str = ROUND_HALF_UP) -> str:
    exact = Decimal(100 * share.numerator) / Decimal(share.denominator)
    return f"{exact.quantize(Decimal(1).scaleb(-places), rounding):,}"


def test_rule_of_comparison_is_the_same_in_the_browser(script: Page) -> None:
    score = np.array(TIED_SCORES)
    distinct = np.unique(score)
    tradeoff = compute_tradeoff(ScoredRows(score, score > 0.25, np.arange(9), 9))
    thresholds = [
        *distinct.tolist(),
        *np.nextafter(distinct, 2).tolist(),
        *np.nextafter(distinct, -1).tolist(),
        0.25,
        0.5,
    ]
    for threshold in thresholds:
        text = threshold_text(threshold)
        index = script.evaluate(
            "([values, text]) => script.firstNotBelow(values, Number(text))", [distinct.tolist(), text]
        )
        n_below = int(tradeoff.pos_below[index] + tradeoff.neg_below[index])
        assert n_below == (score < threshold).sum() == (score < float(text)).sum()


def test_thresholds_are_written_as_the_browser_writes_them(script: Page) -> None:
    rng = np.random.default_rng(0)
    values = [
        *rng.beta(0.3, 3, 300),
        *rng.normal(0, 1e4, 100),
        *(10.0 ** rng.uniform(-30, 30, 100)),
        0.0,
        1.0,
        1e-6,
        1e21,
    ]
    values = [float(value) for value in values]
    assert script.evaluate("(values) => values.map(String)", values) == [
        threshold_text(value) for value in values
    ]


def test_percentages_round_half_up(script: Page) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(1, 15_000))
        x = int(rng.integers(0, n + 1))
        assert run(script, "percentText", x, n) == numerals.percent_of(x, n)
        if n <= 100 * x <= 99 * n:
            assert run(script, "percentText", x, n) == f"{percent(Fraction(x, n), 1)} %"
    assert run(script, "percentText", 1, 800) == "0.13 %"  # 0.125 %


@pytest.mark.parametrize(
    ("x", "n", "target", "expected"),
    [
        (1372, 1379, 0.995, "99.49 %"),  # 99.492 would read as 99.5
        (6965, 7000, 0.995, "99.50 %"),  # exactly the target
        (89_996, 100_000, 0.9, "89.996 %"),
        (14_769, 14_770, None, "99.99 %"),  # not all
        (1, 14_770, None, "0.01 %"),  # not none
        (999_999, 1_000_000, None, "99.9999 %"),
        (0, 10, None, "0 %"),
        (1, 3, None, "33.3 %"),
        (1, 3, 0.3333, "33.33 %"),
        (10, 10, 0.995, "100 %"),
        (0, 0, None, "n/a"),
    ],
)
def test_estimate_never_rounds_onto_what_it_misses(
    script: Page, x: int, n: int, target: float | None, expected: str
) -> None:
    assert run(script, "percentText", x, n, target) == expected
    if n:
        assert numerals.percent_of(x, n, target=target) == expected


@pytest.mark.parametrize(
    ("value", "places", "full", "expected"),
    [
        (83.94, 0, 100, "84"),
        (99.98, 1, 100, "99.98"),
        (100, 1, 100, "100.0"),
        (0.02, 1, 1000, "0.02"),
        (0, 1, 1000, "0.0"),
    ],
)
def test_what_if_never_rounds_onto_all_or_none(
    script: Page, value: float, places: int, full: int, expected: str
) -> None:
    assert run(script, "approximateText", value, places, full) == expected


def test_bounds_round_outward(script: Page) -> None:
    rng = np.random.default_rng(2)
    for billionths in [0, 1, 999_999_999, 10**9, 995_000_000, *rng.integers(0, 10**9, 200).tolist()]:
        share = Fraction(int(billionths), 10**9)
        for places in (0, 1, 2):
            low, high = percent(share, places, ROUND_FLOOR), percent(share, places, ROUND_CEILING)
            assert run(script, "boundText", billionths, 2, places, "low") == low
            assert run(script, "boundText", billionths, 2, places, "high") == high
        low, high = numerals.percent_at_least(float(share)), numerals.percent_at_most(float(share))
        assert run(script, "percentBound", billionths, "low") == low.removesuffix(" %")
        assert run(script, "percentInterval", billionths, billionths) == f"{low.removesuffix(' %')}–{high}"
    assert run(script, "boundText", -1, 2, 1, "low") == "n/a"


def test_parts_of_a_thousand_add_up(script: Page) -> None:
    assert run(script, "partsOf", 1000, [2111, 4952, 322]) == [286, 670, 44]  # rounding each gives 1,001
    rng = np.random.default_rng(3)
    for _ in range(100):
        counts = rng.integers(0, 5000, 3).tolist()
        parts = run(script, "partsOf", 1000, counts)
        assert sum(parts) == 1000
        assert all(abs(part - 1000 * n / sum(counts)) < 1 for part, n in zip(parts, counts, strict=True))


@pytest.mark.parametrize(
    ("typed", "is_probability", "expected"),
    [
        ("0.0085", True, {"text": "0.0085"}),
        (" 0.30 ", True, {"text": "0.30"}),  # as typed
        ("1e-3", True, {"text": "1e-3"}),
        (".5", True, {"text": ".5"}),
        ("0,25", True, {"text": "0.25"}),
        ("", True, {"text": None}),
        ("none", True, {"text": None}),
        ("1.5", True, {"fault": "1.5 is not between 0 and 1."}),
        ("1.5", False, {"text": "1.5"}),
        ("−4", False, {"text": "-4"}),
        ("abc", True, {"fault": "“abc” is not a number."}),
        ("0x10", False, {"fault": "“0x10” is not a number."}),
        ("1e999", False, {"fault": "“1e999” is not a number."}),
        ("Infinity", False, {"fault": "“Infinity” is not a number."}),
        ("1,234.5", False, {"fault": "“1,234.5” is not a number."}),
    ],
)
def test_typed_thresholds(
    script: Page, typed: str, is_probability: bool, expected: dict[str, str | None]
) -> None:
    assert run(script, "readThreshold", typed, is_probability) == expected
    if "text" in expected and expected["text"] is not None:
        assert float(expected["text"]) == script.evaluate("Number", expected["text"])
