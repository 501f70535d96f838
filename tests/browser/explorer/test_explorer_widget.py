"""The explorer's widget against a stand-in for the server: what it sends, believes and waits for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from evalcore.explorer import markup, script, style
from evalcore.explorer.payload import ACTIONS, Review, browser_payload
from evalcore.inference.verdicts import VERDICTS
from evalcore.operating_point.tradeoff import points
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups, all_groups
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from pages.shared.explorer import messenger
from pages.shared.explorer.widget import news_script
from tests.support.but_long import but_long
from tests.support.made.evidence import make_queries

CHANNEL = "explorer"
HOSTILE = '<img src=x onerror="globalThis.was_run = true"><b>A.1</b>'


def made_rows(seed: int = 0) -> ScoredRows:
    rng = np.random.default_rng(seed)
    n = 900
    is_positive = rng.random(n) < 0.2
    score = np.where(is_positive, rng.beta(2, 2, n), rng.beta(0.4, 4, n))
    return ScoredRows(score, is_positive, np.arange(n) // 3, n // 3)


def made_tradeoff(seed: int = 0, also: tuple[float, ...] = (), targets: Targets | None = None) -> Tradeoff:
    return compute_tradeoff(made_rows(seed), also=also, targets=targets or Targets())


def made_groups(criterion: str, target: float) -> tuple[ColumnGroups, ...]:
    """Three criteria of these rows, one of each in a post, and two hospitals, one with more low scores."""
    rows = made_rows()
    in_b = set(rows.post[rows.is_positive & (rows.score < 0.25)]) | set(range(0, 300, 5))
    queries = make_queries(
        rows.is_positive,
        rows.score,
        criteria=[(criterion, "A.2", "A.9")[at % 3] for at in range(len(rows))],
        slices={"hospital": ["B" if post in in_b else "A" for post in rows.post]},
    )
    return all_groups(rows, queries, target=target, confidence=0.95)


@dataclass
class Widget:
    """The widget in a bare page, with the messages it sent."""

    page: Page
    tradeoff: Tradeoff | None = None

    def show(self, tradeoff: Tradeoff, criterion: str = "A.1", *, is_alone: bool = False) -> None:
        """Mount the widget, or give it new data."""
        self.tradeoff = tradeoff
        payload = browser_payload(
            tradeoff,
            key=CHANNEL,
            groups=made_groups(criterion, tradeoff.targets.sensitivity),
            names={criterion: "low mood"},
            score_kind="probability",
            review=Review(),
            actions=ACTIONS,
            method="",
            is_alone=is_alone,
        )
        self.page.evaluate(
            """(data) => {
                const parentElement = document.getElementById("host");
                globalThis.sent ??= { points: [], actions: [], marks: [] };
                globalThis.unmount = script.default({
                    data,
                    parentElement,
                    setStateValue: (name, value) => (name === "marks" ? sent.marks : sent.points).push(value),
                    setTriggerValue: (name, value) => sent.actions.push(value),
                });
            }""",
            payload,
        )

    def hear(self, tau_neg: str | None, tau_pos: str | None, revision: int, **news: Any) -> None:
        """Let the server speak."""
        assert self.tradeoff is not None
        defaults = {"channel": CHANNEL, "data_id": self.tradeoff.data_id, "status": "", "reply": None}
        point = {"tau_neg": tau_neg, "tau_pos": tau_pos, "revision": revision}
        self.page.evaluate("(data) => news.default({ data })", {**defaults, **point, **news})

    @property
    def points(self) -> list[dict[str, Any]]:
        return self.page.evaluate("sent.points")

    @property
    def actions(self) -> list[dict[str, Any]]:
        return self.page.evaluate("sent.actions")

    @property
    def thresholds(self) -> tuple[str, str]:
        neg, pos = (self.page.get_by_test_id(f"tau-{side}-box").input_value() for side in ("neg", "pos"))
        return neg, pos

    def type(self, side: str, text: str) -> None:
        box = self.page.get_by_test_id(f"tau-{side}-box")
        box.fill(text)
        box.press("Enter")

    def grab(self, side: str) -> tuple[float, float]:
        box = self.page.get_by_test_id(f"handle-{side}").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return x, y


@pytest.fixture
def widget(page: Page) -> Widget:
    """The widget's own HTML, CSS and scripts in a bare page."""
    page.set_content(f'<style>{style()}</style><div id="host">{markup()}</div>')
    page.clock.install(time=0)
    page.clock.pause_at(1)  # time passes only where a test says so
    page.evaluate(
        """async (sources) => {
            const type = "text/javascript";
            const load = (source) => import(URL.createObjectURL(new Blob([source], { type })));
            globalThis.script = await load(sources[0]);
            globalThis.news = await load(sources[1]);
        }""",
        [script(), news_script()],
    )
    return Widget(page)


@pytest.fixture
def shown(widget: Widget) -> Widget:
    """The widget with data and a point."""
    widget.show(made_tradeoff())
    widget.hear("0.05", "0.6", 3)
    return widget


def test_news_before_the_data_waits_for_them(widget: Widget) -> None:
    widget.tradeoff = made_tradeoff()
    widget.hear("0.05", "0.6", 3)
    widget.show(widget.tradeoff)
    assert widget.thresholds == ("0.05", "0.6")
    assert widget.points == []


def test_release_tells_both_thresholds_and_a_higher_revision(shown: Widget) -> None:
    shown.type("neg", "0.07")
    assert shown.points == [
        {"tau_neg": "0.07", "tau_pos": "0.6", "revision": 4, "data_id": shown.tradeoff.data_id}
    ]


def test_release_and_marks_of_a_point_that_began_anew_differ_from_the_same_before(shown: Widget) -> None:
    shown.page.evaluate(
        """async ([source, channel]) => {
            const text = new Blob([source], { type: "text/javascript" });
            const messenger = await import(URL.createObjectURL(text));
            globalThis.said = [];
            const setStateValue = (name, value) => said.push([name, value]);
            messenger.default({ data: { channel }, setStateValue });
        }""",
        [messenger.script(), CHANNEL],
    )
    for _ in range(2):
        shown.show(made_tradeoff(seed=1))
        shown.show(made_tradeoff())
        shown.hear("0.05", "0.6", 3, marks=[], marks_revision=0)
        shown.type("neg", "0.07")
        shown.page.get_by_test_id("group-A.2").locator(".marker").click()
    said = shown.page.evaluate("said")
    numbers = [value.pop("nth") for _, value in said]
    assert said[:2] == said[2:]
    assert [name for name, _ in said] == ["point", "marks"] * 2
    assert len(set(numbers)) == 4
    assert shown.points == []


def test_older_news_does_not_move_a_handle(shown: Widget) -> None:
    shown.type("neg", "0.07")
    shown.hear("0.01", "0.9", 3)
    shown.hear("0.01", "0.9", 4)
    assert shown.thresholds == ("0.07", "0.6")
    shown.hear("0.01", "0.9", 5)
    assert shown.thresholds == ("0.01", "0.9")


def test_news_about_other_data_does_not_move_a_handle(shown: Widget) -> None:
    shown.hear("0.01", "0.9", 9, data_id="other")
    assert shown.thresholds == ("0.05", "0.6")


def test_news_in_mid_drag_waits_and_the_hand_wins(shown: Widget) -> None:
    x, y = shown.grab("neg")
    shown.page.mouse.move(x + 40, y)
    dragged = shown.thresholds
    shown.hear("0.01", "0.9", 7)
    assert shown.thresholds == dragged != ("0.05", "0.6")
    shown.page.mouse.up()
    assert shown.thresholds == dragged
    assert shown.points[-1]["revision"] == 8


def test_news_in_mid_drag_is_heard_when_the_drag_is_given_up(shown: Widget) -> None:
    x, y = shown.grab("neg")
    shown.page.mouse.move(x + 40, y)
    shown.hear("0.01", "0.9", 7)
    shown.page.keyboard.press("Escape")
    assert shown.thresholds == ("0.01", "0.9")
    assert shown.points == []


def test_click_on_a_handle_sends_nothing(shown: Widget) -> None:
    shown.grab("neg")
    shown.page.mouse.up()
    assert shown.points == []
    assert shown.thresholds == ("0.05", "0.6")


def test_keys_are_told_once_after_a_pause(shown: Widget) -> None:
    shown.page.get_by_test_id("handle-pos").focus()
    for _ in range(5):
        shown.page.keyboard.press("ArrowRight")
        shown.page.clock.run_for(200)
    assert shown.points == []
    shown.page.clock.run_for(300)
    assert [point["tau_pos"] for point in shown.points] == [shown.thresholds[1]]


def test_action_in_the_pause_after_a_key_carries_what_is_on_the_screen(shown: Widget) -> None:
    shown.page.get_by_test_id("handle-neg").focus()
    shown.page.keyboard.press("ArrowRight")
    shown.page.get_by_test_id("action-export").click()
    assert shown.actions[0]["tau_neg"] == shown.thresholds[0] == shown.points[0]["tau_neg"]
    assert shown.actions[0]["revision"] == shown.points[0]["revision"]


def test_box_at_fault_is_mended_by_moving_the_handle(shown: Widget) -> None:
    shown.type("neg", "high")
    assert shown.thresholds == ("high", "0.6")
    x, y = shown.grab("neg")
    shown.page.mouse.move(x + 40, y)
    shown.page.mouse.up()
    assert shown.thresholds[0] == shown.points[-1]["tau_neg"]
    expect(shown.page.get_by_test_id("tau-neg-box")).to_have_attribute("aria-invalid", "false")
    expect(shown.page.get_by_test_id("note")).to_have_text("")


def test_news_leaves_a_box_alone_that_is_being_typed_into(shown: Widget) -> None:
    shown.page.get_by_test_id("tau-neg-box").fill("0.1")
    shown.hear("0.01", "0.9", 9)
    assert shown.thresholds == ("0.1", "0.9")
    shown.page.get_by_test_id("tau-neg-box").press("Enter")
    assert (shown.points[-1]["tau_neg"], shown.points[-1]["revision"]) == ("0.1", 10)


@pytest.mark.long
def test_every_distinct_score_can_be_reached_by_key(shown: Widget) -> None:
    shown.type("neg", "")
    shown.type("pos", "")
    texts = shown.page.evaluate(
        """() => {
            const handle = document.querySelector('[data-testid="handle-neg"]');
            const box = document.querySelector('[data-testid="tau-neg-box"]');
            return Array.from({ length: 900 }, () => {
                handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
                return box.value;
            });
        }"""
    )
    reached = {float(text) for text in texts}
    assert reached == {float(threshold) for threshold in shown.tradeoff.threshold[1:]}


def test_export_asks_with_the_thresholds_on_the_screen(shown: Widget) -> None:
    button = shown.page.get_by_test_id("action-export")
    assert button.inner_text() == "Export 0.05 / 0.6…"
    button.click()
    (asked,) = shown.actions
    assert (asked["name"], asked["tau_neg"], asked["tau_pos"]) == ("export", "0.05", "0.6")
    assert button.inner_text() == "Export 0.05 / 0.6…"


def test_file_saves_the_answer_to_its_own_question(shown: Widget) -> None:
    button = shown.page.get_by_test_id("action-save-page")
    assert button.inner_text() == "Explorer as one file"
    button.click()
    (asked,) = shown.actions
    assert (asked["name"], asked["tau_neg"], asked["tau_pos"]) == ("save_page", "0.05", "0.6")
    expect(button).to_have_text("Preparing the file…")
    answer = {"file_name": "point.json", "content": '{"τ": 1}', "media_type": "application/json", "fault": ""}
    shown.hear("0.05", "0.6", 3, reply={**answer, "seq": asked["seq"] - 1})
    expect(button).to_have_text("Preparing the file…")
    with shown.page.expect_download() as download:
        shown.hear("0.05", "0.6", 3, reply={**answer, "seq": asked["seq"]})
    assert download.value.suggested_filename == "point.json"
    assert download.value.path().read_text(encoding="utf-8") == '{"τ": 1}'
    expect(button).to_have_text("Explorer as one file")
    expect(shown.page.get_by_test_id("status")).to_have_text("Saved point.json")


def test_file_that_finds_no_answer_is_asked_for_again_and_then_given_up(shown: Widget) -> None:
    shown.page.get_by_test_id("action-save-page").click()
    shown.page.clock.run_for(30_000)
    assert len(shown.actions) == 4
    assert len({action["seq"] for action in shown.actions}) == 1
    expect(shown.page.get_by_test_id("status")).to_have_text("The file did not arrive. Please try again.")
    expect(shown.page.get_by_test_id("action-save-page")).to_have_text("Explorer as one file")


def test_file_that_cannot_be_made_says_why(shown: Widget) -> None:
    shown.page.get_by_test_id("action-save-page").click()
    reply = {
        "seq": shown.actions[0]["seq"],
        "file_name": "",
        "content": None,
        "media_type": "",
        "fault": "No rows.",
    }
    shown.hear("0.05", "0.6", 3, reply=reply)
    expect(shown.page.get_by_test_id("status")).to_have_text("No rows.")


def test_zone_without_missed_evidence_draws_none(shown: Widget) -> None:
    assert shown.tradeoff is not None
    first_missed = int((shown.tradeoff.pos_below > 0).argmax())  # a handle one score lower cuts its bar
    shown.type("neg", str(float(shown.tradeoff.threshold[first_missed - 1])))
    expect(shown.page.get_by_test_id("action-show-missed")).to_have_text("None missed")
    bars = shown.page.get_by_test_id("histogram").locator("g.bars")
    skipped, looked_at = (
        bars.nth(at).locator(".with").first.evaluate("bar => getComputedStyle(bar).fill") for at in (0, 1)
    )
    assert skipped == looked_at


def test_ids_are_shown_as_text(widget: Widget) -> None:
    widget.show(made_tradeoff(), criterion=HOSTILE)
    widget.hear("0.05", "0.6", 3)
    row = widget.page.get_by_test_id(f"group-{HOSTILE}").locator("button.group")
    expect(row).to_contain_text(f"{HOSTILE} low mood")
    assert widget.page.evaluate("globalThis.was_run") is None
    row.click()
    assert widget.actions[0]["group"] == ["criterion", HOSTILE]


def test_other_data_start_afresh(shown: Widget) -> None:
    shown.type("neg", "0.07")
    shown.show(made_tradeoff(seed=1))
    shown.hear("0.2", "0.4", 0)
    assert shown.thresholds == ("0.2", "0.4")
    expect(shown.page.get_by_test_id("undo")).to_be_disabled()


def test_other_targets_keep_the_point(shown: Widget) -> None:
    shown.type("neg", "0.07")
    before = shown.tradeoff
    rows_again = made_tradeoff()
    object.__setattr__(rows_again, "targets", Targets(sensitivity=0.9))
    assert rows_again.data_id == before.data_id
    shown.show(rows_again)
    assert shown.thresholds == ("0.07", "0.6")
    expect(shown.page.get_by_test_id("tile-sensitivity")).to_contain_text("target ≥ 90 %")


def test_a_target_that_no_model_is_needed_for_is_told_beside_its_verdict(shown: Widget) -> None:
    shown.show(made_tradeoff(targets=Targets(sensitivity=0.4, precision=0.1)))
    for tile, target in (("sensitivity", "40 %"), ("precision", "10 %")):
        chip = shown.page.get_by_test_id(f"tile-{tile}").locator(".chip")
        expect(chip).to_contain_text(f"on all rows, also without the model: target ≥ {target}")
        expect(chip).to_have_attribute("data-tone", "plain")
    shown.show(made_tradeoff(targets=Targets(sensitivity=0.9, precision=0.5)))
    for tile in ("sensitivity", "precision"):
        expect(shown.page.get_by_test_id(f"tile-{tile}")).not_to_contain_text("without the model")


@pytest.mark.parametrize("width", but_long([360, 390, 480, 760, 820], 2))
def test_tiles_hold_the_longest_words_on_a_phone(shown: Widget, width: int) -> None:
    shown.page.set_viewport_size({"width": width, "height": 844})
    share = {"low": "99.99 %", "tone": "missed", "n_good": 12_345, "n": 12_346}
    words = "met by the estimate only, also without the model"
    tested = {
        "tau_neg": "0.05",
        "tau_pos": "0.6",
        "sensitivity": {**share, "words": words},
        "precision": {**share, "words": words},
        "missed": {"high": "10.99", "n_missed": 12_345, "n_pos": 12_346, "n": 123_456},
    }
    for target in (0.4, 0.995):
        shown.show(made_tradeoff(targets=Targets(sensitivity=target, precision=target / 4)))
        for news in ({}, {"tested": tested}):
            shown.hear("0.05", "0.6", 4, **news)
            for tile in ("sensitivity", "workload", "missed", "precision"):
                node = shown.page.get_by_test_id(f"tile-{tile}")
                assert node.evaluate("(tile) => tile.scrollHeight <= tile.clientHeight"), (target, news, tile)


def test_typed_threshold_on_a_grid_is_counted_by_the_server(
    widget: Widget, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = made_tradeoff()
    monkeypatch.setattr(points, "MAX_SCORES", 100)
    monkeypatch.setattr(points, "GRID_POINTS", 40)
    grid = made_tradeoff()
    widget.show(grid)
    on_grid, beside = grid.score[20], exact.score[exact.index(grid.score[20]) - 1]
    widget.hear(repr(float(on_grid)), None, 0)
    expect(widget.page.get_by_test_id("tile-workload")).not_to_contain_text("…")
    widget.type("neg", repr(float(beside)))
    expect(widget.page.get_by_test_id("tile-workload")).to_contain_text("…")
    expect(widget.page.get_by_test_id("sentence")).to_have_text("Counting at the typed threshold…")
    widget.show(made_tradeoff(also=(float(beside),)))
    assert widget.thresholds[0] == repr(float(beside))
    n_skipped = int(exact.pos_below[exact.index(beside)] + exact.neg_below[exact.index(beside)])
    expect(widget.page.get_by_test_id("zone-skip")).to_contain_text(f"Skip {n_skipped:,} ·")


def test_typed_threshold_on_a_grid_that_nobody_refines_becomes_the_next_that_is_known(
    widget: Widget, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = made_tradeoff()
    monkeypatch.setattr(points, "MAX_SCORES", 100)
    monkeypatch.setattr(points, "GRID_POINTS", 40)
    grid = made_tradeoff()
    widget.show(grid, is_alone=True)
    widget.hear(None, None, 0)
    beside = repr(float(exact.score[exact.index(grid.score[20]) - 1]))
    widget.type("neg", beside)
    taken = widget.thresholds[0]
    assert float(taken) == grid.threshold[20]
    expect(widget.page.get_by_test_id("note")).to_have_text(
        f"τ neg {beside} lies between two thresholds of this file; taken: {taken}."
    )
    n_skipped = int(grid.pos_below[20] + grid.neg_below[20])
    expect(widget.page.get_by_test_id("zone-skip")).to_contain_text(f"Skip {n_skipped:,} ·")


def test_unmounted_widget_listens_no_more(shown: Widget) -> None:
    shown.page.evaluate("unmount()")
    shown.hear("0.01", "0.9", 9)
    assert shown.thresholds == ("0.05", "0.6")


MARKED = [["hospital", "B"], ["criterion", "A.9"]]


def chip_of(shown: Widget) -> Any:
    return shown.page.get_by_test_id("tile-sensitivity").locator(".chip")


def expect_verdict_of_missed(shown: Widget, tone: str) -> None:
    """Fail unless the tile of the missed has the verdict of the sensitivity, never as a success."""
    said = chip_of(shown).inner_text()
    chip = shown.page.get_by_test_id("tile-missed").locator(".chip")
    expect(chip).to_have_text(said.replace("target", "sensitivity"))
    expect(chip).to_have_attribute("data-tone", tone)


@pytest.mark.long
def test_a_marked_group_fails_the_target_that_the_whole_meets_and_the_server_hears_of_it(
    shown: Widget,
) -> None:
    shown.show(made_tradeoff(targets=Targets(sensitivity=0.9)))
    tradeoff, (_, hospitals) = shown.tradeoff, made_groups("A.1", 0.9)
    starts = np.array([0, hospitals.n_pos[0]])
    failing = next(
        index
        for index in range(1, len(tradeoff.score))
        if VERDICTS[tradeoff.sensitivity_verdict[index]] == "met_with_confidence"
        and VERDICTS[hospitals.verdict[starts[1] + 1 + missed_of(hospitals, 1, tradeoff, index)]] == "not_met"
    )
    shown.type("neg", repr(float(tradeoff.threshold[failing])))
    expect(chip_of(shown)).to_have_attribute("data-tone", "met")
    expect_verdict_of_missed(shown, "plain")
    shown.page.get_by_test_id("by").select_option("hospital")
    marker = shown.page.get_by_test_id("group-B").locator(".marker")
    marker.click()
    n_missed = missed_of(hospitals, 1, tradeoff, failing)
    said = f"not met for hospital = B: {n_missed} of {hospitals.n_pos[1]} missed; target ≥ 90 % on all rows"
    expect(chip_of(shown)).to_have_text(f"○ {said}")
    expect(chip_of(shown)).to_have_attribute("data-tone", "missed")
    expect_verdict_of_missed(shown, "missed")
    assert shown.page.evaluate("sent.marks")[-1]["marks"] == [["hospital", "B"]]
    marker.click()
    expect(chip_of(shown)).to_have_attribute("data-tone", "met")
    assert shown.page.evaluate("sent.marks")[-1] == {
        "marks": [],
        "revision": 1,
        "data_id": tradeoff.data_id,
    }


def missed_of(groups: ColumnGroups, group: int, tradeoff: Tradeoff, index: int) -> int:
    start = int(groups.n_pos[:group].sum())
    step = groups.steps(tradeoff.score)[start : start + groups.n_pos[group]]
    return int(np.count_nonzero(step <= index))


@pytest.mark.long
def test_marks_of_the_server_stand_first_and_an_older_word_of_it_changes_nothing(shown: Widget) -> None:
    shown.hear("0.05", "0.6", 4, marks=MARKED, marks_revision=2)
    rows = shown.page.get_by_test_id("group-list").locator("li.is-marked .name")
    expect(rows).to_have_count(2)
    assert {name.inner_text() for name in rows.all()} == {"hospital B", "A.9"}
    shown.hear("0.05", "0.6", 5, marks=[], marks_revision=1)
    expect(rows).to_have_count(2)


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 390, 600, 800, 1000, 1440])
def test_a_marked_group_does_not_make_its_tile_overflow(shown: Widget, width: int) -> None:
    shown.page.set_viewport_size({"width": width, "height": 844})
    shown.show(made_tradeoff(targets=Targets(sensitivity=0.5)))
    shown.hear("0.4", "0.6", 4, marks=[["hospital", "B"], ["hospital", "nobody"]], marks_revision=1)
    expect(chip_of(shown)).to_contain_text("hospital = ")
    tile = shown.page.get_by_test_id("tile-sensitivity")
    assert tile.evaluate("(tile) => tile.scrollHeight <= tile.clientHeight")
    parts = shown.page.locator('[data-testid="groups"], [data-testid="groups"] :is(li, .group)')
    assert parts.evaluate_all("(parts) => parts.every((one) => one.scrollWidth <= one.clientWidth)")
