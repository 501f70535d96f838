"""A handle dragged over a million rows of a thousand groups, in a browser: frames, and what a move costs.

    python -m benchmarks.explorer

A move is to fit into a frame of the display. Frames are lost to whatever else the machine does: read them
on one at rest. What makes a move cheap is tested without a clock (tests/browser/explorer).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from evalcore.data import Queries
from evalcore.explorer import markup, script, style
from evalcore.explorer.payload import Review, browser_payload
from evalcore.operating_point.tradeoff.column_groups import all_groups
from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from tests.browser import chromium
from tests.browser.explorer.actions import grab, plot_x

N_ROWS, N_GROUPS = 1_000_000, 1_000
N_DRAGS, N_MOVES = 5, 150
FIRST, LAST = 0.1, 0.6
"""Where on the axis a drag begins and ends."""


def load(page: Page, source: str) -> None:
    """Load a script of the explorer, and its HTML."""
    page.set_content(f'<style>{style()}</style><div id="host">{markup()}</div>')
    page.evaluate(
        """async (source) => {
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            globalThis.script = await import(url);
        }""",
        source,
    )


def payload_of(tradeoff: Tradeoff, groups: Any) -> dict[str, Any]:
    """What the browser is sent of a table of thresholds and its groups."""
    return browser_payload(
        tradeoff,
        key="groups",
        groups=groups,
        score_kind="probability",
        review=Review(),
        actions=(),
        method="",
        is_alone=True,
    )


def hospitals(*, n_rows: int = N_ROWS, n_groups: int = N_GROUPS) -> tuple[Tradeoff, Any]:
    """The table of thresholds of rows of many hospitals, and their groups; ten rows a post."""
    rng = np.random.default_rng(1)
    is_positive = rng.random(n_rows) < 0.09
    score = np.where(is_positive, rng.beta(2, 2, n_rows), rng.beta(0.4, 4, n_rows))
    post = np.arange(n_rows) // 10
    hospital = rng.integers(0, n_groups, n_rows // 10)[post]
    rows = ScoredRows(score, is_positive, post, n_rows // 10)
    one = np.zeros(1, np.intp)
    queries = Queries(
        post=post,
        post_ids=np.empty(0, object),
        criterion=np.broadcast_to(one - 1, n_rows),
        criterion_ids=np.empty(0, object),
        has_evidence=is_positive,
        score=score,
        model=np.broadcast_to(one, n_rows),
        models=("m",),
        slices={"hospital": (hospital, tuple(f"hospital {at}" for at in range(n_groups)))},
        numbers={},
        row=np.arange(n_rows),
    )
    groups = all_groups(rows, queries, target=0.995, confidence=0.95)
    return compute_tradeoff(rows), groups


def show(page: Page, tradeoff: Tradeoff, payload: dict[str, Any]) -> None:
    """Show the explorer at thresholds of its own, one hospital marked, the hospitals listed."""
    tau_neg, tau_pos = (repr(float(tradeoff.threshold[tradeoff.index(tau)])) for tau in (0.05, 0.9))
    news = {"data_id": tradeoff.data_id, "tau_neg": tau_neg, "tau_pos": tau_pos, "revision": 0, "status": ""}
    news |= {"marks": [["hospital", "hospital 7"]], "marks_revision": 0}
    page.evaluate(
        """([data, news]) => {
            const parentElement = document.getElementById("host");
            const send = { setStateValue() {}, setTriggerValue() {} };
            script.default({ data, parentElement, ...send });
            evalcoreChannels.get(data.channel).listener(news);
        }""",
        [payload, news],
    )
    page.get_by_test_id("by").select_option("hospital")


def drag(page: Page, *, n_moves: int = N_MOVES, is_each_drawn: bool = False) -> None:
    """Move the lower handle over the middle of the axis, and let it go.

    Parameters
    ----------
    is_each_drawn : whether to wait after each move until it is drawn; a busy browser draws several at once.
    """
    _, y = grab(page, "neg")
    for share in np.linspace(FIRST, LAST, n_moves):
        page.mouse.move(plot_x(page, float(share)), y)
        if is_each_drawn:
            page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    page.mouse.up()


def main() -> None:
    """Print frames and time of the script, a line a drag."""
    tradeoff, groups = hospitals()
    payload = payload_of(tradeoff, groups)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        load(page, script())
        show(page, tradeoff, payload)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.evaluate(
            """() => {
                globalThis.frames = [];
                let last = null;
                const each = (now) => {
                    if (last !== null) frames.push(now - last);
                    last = now;
                    requestAnimationFrame(each);
                };
                requestAnimationFrame(each);
            }"""
        )
        print(f"{N_ROWS:,} rows of {N_GROUPS:,} groups, {N_MOVES} moves a drag\n")
        print("| drag | p95 of frames, ms | script a move, ms | all work a move, ms |\n|---|---|---|---|")
        for at in range(N_DRAGS):
            page.evaluate("frames.length = 0")
            before = _seconds(session)
            drag(page)
            spent = {name: 1000 * (now - before[name]) / N_MOVES for name, now in _seconds(session).items()}
            p95 = float(np.percentile(page.evaluate("frames"), 95))
            print(f"| {at + 1} | {p95:.1f} | {spent['ScriptDuration']:.2f} | {spent['TaskDuration']:.2f} |")
        browser.close()


def _seconds(session: Any) -> dict[str, float]:
    """What the page has spent so far, by the browser's own account."""
    found = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in found if one["name"] in ("ScriptDuration", "TaskDuration")}


if __name__ == "__main__":
    main()
