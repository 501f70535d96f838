"""docs/recommender.md: every metric has its line, and the cells that agree are counted, not remembered."""

import re
from math import isnan, nan
from pathlib import Path

from evalcore.catalog import of_family
from tests.support.recommendations import KEYS, golden_problems

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "recommender.md").read_text()
LINE = re.compile(r"^\| `(\w+)` \| (\d+) of (\d+) \| (.*?) ?\|$", re.MULTILINE)


def lines() -> dict[str, tuple[int, int, str]]:
    return {name: (int(agree), int(of), why) for name, agree, of, why in LINE.findall(TEXT)}


def test_every_metric_has_a_line_in_the_order_of_the_document() -> None:
    assert list(lines()) == list(KEYS.values())
    assert set(lines()) == {one.name for one in of_family("recommender")}


def test_every_chapter_has_a_line() -> None:
    for chapter in dict.fromkeys(one.chapter for one in of_family("recommender")):
        assert f"\n| {chapter} | " in TEXT


def test_where_cells_differ_the_reason_is_told() -> None:
    assert [name for name, (agree, of, why) in lines().items() if agree < of and not why] == []


def number(value: float | str | None) -> float:
    return nan if value is None else float(value)


def is_alike(one: float | str | None, other: float | str | None) -> bool:
    a, b = number(one), number(other)
    return (isnan(a) and isnan(b)) or abs(a - b) <= 1e-6 * max(1, abs(a))


def agrees(name: str, cell: dict) -> bool:
    if not name.startswith("BiasDisparity"):
        return is_alike(cell.get("contract", cell["documented"]), cell["warprec"])
    pairs = cell.get("contract_groups", cell["documented_groups"])
    return all(is_alike(value, cell["warprec_groups"].get(pair)) for pair, value in pairs.items())


def test_the_cells_that_agree_are_those_of_the_golden_problems() -> None:
    found: dict[str, list[bool]] = {}
    for document in golden_problems():
        for name, by_k in document["values"].items():
            found.setdefault(KEYS[name], []).extend(agrees(name, cell) for cell in by_k.values())
    assert {name: (sum(cells), len(cells)) for name, cells in found.items()} == {
        name: (agree, of) for name, (agree, of, _) in lines().items()
    }
    n_cells = sum(map(len, found.values()))
    n_differ = n_cells - sum(map(sum, found.values()))
    n_metrics = sum(not all(cells) for cells in found.values())
    told = f"{n_metrics} of the forty metrics\ndiffer somewhere, {n_differ} of {n_cells} cells in all."
    assert told in TEXT
