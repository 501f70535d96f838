"""Figures as files: what they are called, and their colours on white."""

from evalcore.figures.drawing import DARK, LIGHT, faded, on_white
from pages.shared.charts.shown import LONGEST_NAME, file_name


def test_a_file_of_a_figure_is_called_by_page_and_figure() -> None:
    assert file_name("ranking", "over_k") == "ranking-over-k"
    assert file_name("criteria", "A.9 Precision and recall") == "criteria-a.9-precision-and-recall"


def test_no_name_of_a_criterion_makes_a_path_or_an_endless_name() -> None:
    assert file_name("calibration", "reliability ../../x y/“z”") == "calibration-reliability-..-..-x-y-z"
    assert len(file_name("criteria", "a" * 500)) == LONGEST_NAME


def test_every_colour_of_a_dark_page_has_one_on_white() -> None:
    colours = on_white()
    assert [colours[one] for one in DARK.series] == list(LIGHT.series)
    assert colours[DARK.ink] == LIGHT.ink
    dark, light = (faded(one.positive, 0.18) for one in (DARK, LIGHT))
    assert {dark.replace(*pair) for pair in colours.items()} == {dark, light}


def test_no_colour_of_a_light_page_is_exchanged() -> None:
    assert set(on_white()).isdisjoint(on_white().values())
