"""The explorer as one file, opened without a network: the numbers of the raw rows, and no request."""

import random
import struct
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard
from tests.browser.explorer.actions import (
    grab,
    open_explorer,
    plot_x,
    screen,
    thresholds,
    type_threshold,
    type_thresholds,
    wait_until_heard,
)
from tests.browser.pages.raw_rows import expected_screen, tune_rows
from tests.support.but_long import but_long

N_POSITIONS = 1_000

READ_AT = """(pairs) => {
  const find = (id) => document.querySelector(`[data-testid="${id}"]`);
  const text = (node) => node.textContent.replaceAll("\\u00a0", " ").replaceAll(/\\s+/g, " ").trim();
  const of = (id, part) => text(part ? find(id).querySelector(part) : find(id));
  const type = (side, value) => {
    const box = find(`tau-${side}-box`);
    box.value = value;
    box.dispatchEvent(new Event("change"));
    box.dispatchEvent(new Event("blur"));
  };
  const cells = (row) => [...document.querySelectorAll(`[data-row="${row}"] td`)].map(text).join(" ");
  return pairs.map(([neg, pos]) => {
    type("neg", "");
    type("pos", "");
    type("neg", neg);
    type("pos", pos);
    const sentence = of("sentence");
    const shown = {
      "zone-skip": of("zone-skip"), "zone-look": of("zone-look"), "zone-alert": of("zone-alert"),
      sensitivity: of("tile-sensitivity", ".value"),
      workload: of("tile-workload", ".value"),
      "workload-detail": of("tile-workload", ".detail"),
      evidence: cells("evidence"), none: cells("none"),
      posts: sentence.includes(", in ") ? sentence.split(", in ")[1].split(" of ")[0] : "0",
      "A.9": of("group-A.9", ".missed"),
    };
    if (!shown["zone-skip"].startsWith("Skip 0 ")) {
      shown["sensitivity-detail"] = of("tile-sensitivity", ".detail");
    }
    if (!shown["zone-alert"].startsWith("Alert 0 ")) {
      shown.precision = of("tile-precision", ".value");
      const details = [...find("tile-precision").querySelectorAll(".detail")];
      shown["precision-detail"] = details.map(text).join(" ");
    }
    return { boxes: [find("tau-neg-box").value, find("tau-pos-box").value], shown };
  });
}"""


@pytest.fixture
def opened(browser: Browser, explorer_file: Path) -> Iterator[Page]:
    """The file in a browser without a network; whatever it asks for or complains about fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(explorer_file.as_uri())
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    yield page
    context.close()
    assert asked == [explorer_file.as_uri()], "the file asked for more than itself"
    assert said == [], "the browser complained"


@pytest.mark.long
@pytest.mark.parametrize("n_positions", but_long([60, N_POSITIONS], 1))
def test_any_positions_show_the_digits_of_a_plain_count(opened: Page, n_positions: int) -> None:
    rows, rng = tune_rows(), random.Random(2)
    scores = sorted({row.probability for row in rows})
    pairs = [sorted(rng.sample(scores, 2)) for _ in range(n_positions // 2)]
    pairs += [sorted((rng.random() ** 3, rng.random())) for _ in range(n_positions - len(pairs))]
    texts = [[repr(tau_neg), repr(tau_pos)] for tau_neg, tau_pos in pairs]
    found = opened.evaluate(READ_AT, texts)
    assert [one["boxes"] for one in found] == texts
    differing = [
        (pair, one["shown"], expected)
        for pair, one in zip(texts, found, strict=True)
        if one["shown"] != (expected := expected_screen(rows, *pair))
    ]
    assert differing == []


def test_numbers_follow_a_handle_that_is_dragged(opened: Page) -> None:
    rows = tune_rows()
    for side, share in (("neg", 0.4), ("pos", 0.7)):
        _, y = grab(opened, side)
        opened.mouse.move(plot_x(opened, share), y, steps=5)
        assert screen(opened) == expected_screen(rows, *thresholds(opened))
        opened.mouse.up()
    opened.get_by_test_id("undo").click()
    assert screen(opened) == expected_screen(rows, *thresholds(opened))


def test_nothing_is_offered_that_a_file_cannot_do(opened: Page) -> None:
    expect(opened.locator("[data-action]:visible")).to_have_count(0)
    shown = opened.get_by_role("button").all_inner_texts()
    assert [text for text in ("Dark colours", "Undo", "Redo") if text not in shown] == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_histogram_is_saved_as_it_stands_on_white_paper(
    opened: Page, scheme: str, tmp_path: Path
) -> None:
    opened.emulate_media(color_scheme=scheme)
    type_thresholds(opened, "0.0123", "0.77")
    saved = {}
    for kind in ("svg", "png"):
        with opened.expect_download() as download:
            opened.get_by_test_id(f"picture-{kind}").click()
        assert download.value.suggested_filename == f"scores_0.0123_0.77.{kind}"
        download.value.save_as(tmp_path / kind)
        saved[kind] = (tmp_path / kind).read_bytes()
    expect(opened.get_by_test_id("explorer")).to_have_attribute("data-theme", scheme)
    picture = ElementTree.fromstring(saved["svg"])
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:2] == ["Scores: skip below 0.0123, alert from 0.77", "Counted on tune"]
    assert [text.split()[0] for text in texts[2:5]] == ["Skip", "Look", "Alert"]
    n_bars = opened.locator("[data-testid=histogram] svg rect").count()
    rects = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(rects) == 1 + n_bars  # and the paper
    fills = {one.get("fill") for one in rects}
    assert {
        "#ffffff",
        "rgb(92, 19, 48)",
        "rgb(217, 104, 29)",
    } <= fills  # those of paper
    assert "var(" not in saved["svg"].decode()
    width, height = (int(picture.get(name)) for name in ("width", "height"))
    assert saved["png"][:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", saved["png"][16:24]) == (3 * width, 3 * height)


def test_the_browser_refuses_what_a_script_in_the_file_would_ask_for(
    browser: Browser, explorer_file: Path
) -> None:
    page = browser.new_page()
    page.goto(explorer_file.as_uri())
    refused = page.evaluate(
        """async () => {
            const refused = [];
            const note = (event) => refused.push(event.effectiveDirective);
            document.addEventListener("securitypolicyviolation", note);
            await fetch("https://example.org/").catch(() => {});
            try { new WebSocket("wss://example.org/"); } catch {}
            new Image().src = "https://example.org/x.png";
            document.body.append(Object.assign(document.createElement("script"), { textContent: "1" }));
            await new Promise((done) => setTimeout(done, 200));
            return refused;
        }"""
    )
    page.close()
    assert sorted(refused) == ["connect-src", "connect-src", "img-src", "script-src-elem"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_switch(opened: Page, scheme: str) -> None:
    opened.emulate_media(color_scheme=scheme)
    explorer, other = opened.get_by_test_id("explorer"), "light" if scheme == "dark" else "dark"
    expect(explorer).to_have_attribute("data-theme", scheme)
    before = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.get_by_test_id("theme").click()
    expect(explorer).to_have_attribute("data-theme", other)
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") != before


@pytest.mark.long
def test_the_page_saves_the_file_at_the_thresholds_on_the_screen(
    page: Page, dashboard: Dashboard, browser: Browser, tmp_path: Path
) -> None:
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_explorer(page, dashboard)
    type_thresholds(page, "0.0123", "0.77")
    with page.expect_download() as download:
        page.get_by_test_id("action-save-page").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    expect(page.get_by_test_id("status")).to_have_text(f"Saved {saved.name}")
    assert saved.stat().st_size <= 500_000
    on_page = screen(page)
    received.clear()
    type_threshold(page, "pos", "0.78")
    wait_until_heard(page)
    assert 0 < max(received) < 100_000, "a file is sent once, not at every release after it"
    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.goto(saved.as_uri())
    expect(alone.get_by_test_id("zone-skip")).to_contain_text("%")
    assert thresholds(alone) == ("0.0123", "0.77")
    assert screen(alone) == on_page
    context.close()
