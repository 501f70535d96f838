"""Groups beside the handles: the numbers and the rule of Python, and a move costs little however many."""

import csv
import io
from collections.abc import Iterator
from math import log2
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.explorer import N_GROUPS, N_ROWS, drag, hospitals, load, payload_of, show
from evalcore.explorer import script
from evalcore.inference.verdicts import VERDICTS
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.column_groups import all_groups
from evalcore.operating_point.tradeoff.groups import (
    group_counts,
    group_verdict,
    verdict_with_marked,
    worst_first,
)
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff, compute_tradeoff
from tests.support.reading import read

TARGET = 0.8
MOST_ROWS = 12
"""In sight, of however many groups."""


def made_text() -> str:
    """Posts of five criteria in forty wards of unlike size; scores tie, some rows name no ward."""
    rng = np.random.default_rng(8)
    lines = ["post_id,criterion_id,has_evidence,probability,ward"]
    for post in range(300):
        ward = f"ward {int(40 * rng.random() ** 2)}" if rng.random() < 0.97 else ""
        for criterion in range(6, 11):
            label = int(rng.random() < 0.4)
            score = rng.beta(3, 2) if label else rng.beta(0.6, 4)
            lines.append(f"p{post},A.{criterion},{label},{score:.2f},{ward}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def loaded(browser: Browser) -> Iterator[Page]:
    """A page that has loaded the explorer's script and its HTML."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    load(opened, script())
    yield opened
    opened.close()


@pytest.mark.long
def test_groups_and_verdicts_beside_the_handles_are_those_of_python_and_of_a_plain_count(
    loaded: Page,
) -> None:
    text = made_text()
    raw = list(csv.DictReader(io.StringIO(text)))
    rows = row_set(read(text), "all", split=None, model=None)
    tradeoff = compute_tradeoff(rows.scored, targets=Targets(sensitivity=TARGET))
    groups = all_groups(rows.scored, rows.queries, target=TARGET, confidence=0.95)
    loaded.evaluate("(data) => { globalThis.data = data; }", payload_of(tradeoff, groups))
    rng = np.random.default_rng(3)
    every = [(one.column, level) for one in groups for level in one.levels] + [("ward", "no such ward")]
    said = set()
    for tau in [*rng.random(40) ** 2, 0.0, 0.31]:
        marks = [every[at] for at in rng.choice(len(every), rng.integers(0, 4), replace=False)]
        index = tradeoff.index(tau)
        whole = VERDICTS[tradeoff.sensitivity_verdict[index]]
        counts = rows.marked_counts(marks, tau)
        expected = verdict_with_marked(whole, [group_verdict(one, TARGET) for one in counts])
        said.add((whole, expected))
        for column, name in (("criterion", "criterion_id"), ("ward", "ward")):
            shown = loaded.evaluate(
                "([...given]) => script.groupsAt(data, ...given)",
                [column, [list(mark) for mark in marks], index, VERDICTS.index(whole)],
            )
            assert VERDICTS[shown["verdict"]] == expected, (tau, marks)
            python = worst_first(group_counts(rows.scored, rows.queries, column, tau))
            assert [one["level"] for one in shown["groups"]] == [one.level for one in python]
            for one, found in zip(python, shown["groups"], strict=True):
                evidence = [row for row in raw if row[name] == one.level and row["has_evidence"] == "1"]
                n_missed = sum(float(row["probability"]) < tau for row in evidence)
                assert (found["n_pos"], found["n_missed"]) == (len(evidence), n_missed)
                assert VERDICTS[found["verdict"]] == group_verdict(one, TARGET)
                assert not evidence or 0 <= one.bound - found["low"] / 1e4 < 1e-4
    assert {before != after for before, after in said} == {True, False}


FEW_ROWS, N_MOVES = 20_000, 30
COUNTED = {
    "function missedIn({ start, n_pos, step }, group, index) {": "n_lookups",
    "const middle = (low + high) >> 1;": "n_steps",
    "row.shown = key;": "n_filled",
}
"""Where of the script is counted how often it is passed."""


@pytest.mark.long
def test_a_move_over_a_thousand_groups_costs_the_same_however_many_rows_there_are(loaded: Page) -> None:
    tradeoff, groups = hospitals()
    payload = payload_of(tradeoff, groups)
    assert sum(len(one["base64"]) for one in payload["groups"][0].values() if isinstance(one, dict)) < 700_000
    many = work_of_a_drag(loaded, tradeoff, payload)
    tradeoff, groups = hospitals(n_rows=FEW_ROWS)
    few = work_of_a_drag(loaded, tradeoff, payload_of(tradeoff, groups))
    in_sight = MOST_ROWS + 1
    for one in (few, many):
        assert one["n_drawn"] == in_sight
        assert one["n_made"] == 0
        assert 0 < one["n_changes"] <= N_MOVES * 10 * in_sight
        assert N_MOVES / 2 < one["n_filled"] <= N_MOVES * in_sight
        # Each group once, for the order; each in sight once, and the marked one for the chip and its place.
        assert N_MOVES * N_GROUPS / 2 < one["n_lookups"] <= N_MOVES * (N_GROUPS + in_sight + 3)
    assert many["n_steps"] <= few["n_steps"] + many["n_lookups"] * log2(N_ROWS / FEW_ROWS)


def work_of_a_drag(page: Page, tradeoff: Tradeoff, payload: dict[str, Any]) -> dict[str, int]:
    """What the browser does while a handle moves over a thousand groups, each move drawn.

    Passes of the script as in COUNTED, rows of groups that are drawn, nodes made for them, changes at all.
    """
    source = script()
    for part, name in COUNTED.items():
        assert part in source
        source = source.replace(part, f"{part} globalThis.{name} += 1;")
    load(page, source)
    show(page, tradeoff, payload)
    rows = page.get_by_test_id("group-list").locator("li")
    expect(rows).to_have_count(MOST_ROWS + 1)
    expect(page.get_by_test_id("zone-alert")).to_contain_text("%")
    page.evaluate(
        """(names) => {
            for (const name of names) globalThis[name] = 0;
            const list = document.querySelector('[data-testid="group-list"] ul');
            const count = (changes) => {
                n_changes += changes.length;
                for (const one of changes) if (one.target === list) n_made += one.addedNodes.length;
            };
            const all = { childList: true, subtree: true, attributes: true, characterData: true };
            new MutationObserver(count).observe(document.getElementById("host"), all);
        }""",
        [*COUNTED.values(), "n_made", "n_changes"],
    )
    drag(page, n_moves=N_MOVES, is_each_drawn=True)
    found = {name: page.evaluate(name) for name in (*COUNTED.values(), "n_made", "n_changes")}
    return {**found, "n_drawn": rows.count()}
