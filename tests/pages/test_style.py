"""What the style of all pages promises to eyes: words that can be read, numbers that stay with their unit."""

import re
import tomllib
from pathlib import Path

import pytest

from pages.shared import widgets

ROOT = Path(__file__).resolve().parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """How well two colours are told apart; 4.5 for small words."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("at", "theme"), [(0, "light"), (1, "dark")])
def test_the_name_of_the_dashboard_can_be_read_above_the_menu_and_the_page(at, theme):
    drawn = (ROOT / "pages" / "shared" / "name.svg").read_text(encoding="utf-8")
    colours = re.findall("#[0-9a-f]{6}", drawn)
    assert len(colours) == 2
    assert "prefers-color-scheme: dark" in drawn
    for ground in (THEME[theme]["backgroundColor"], THEME[theme]["sidebar"]["backgroundColor"]):
        assert contrast(colours[at], ground) >= 4.5


def test_a_percent_sign_stays_with_its_number_where_a_line_ends():
    assert widgets.unbroken("268 (36.27 %), 95 % of %d") == "268 (36.27\xa0%), 95\xa0% of %d"
