"""One status everywhere: page, tiles, document, its text and its print agree on any point."""

import re
from html import unescape

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evalcore.inference.verdicts import VERDICTS
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.document.groups import verdict_in_words
from evalcore.operating_point.reopening.words import in_words
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.operating_point.wording import beginning
from evalcore.report.point_page import point_html
from pages.shared.point import status
from pages.shared.point.point import Aim
from tests.support.made.scored_data import data_of

TAUS = st.none() | st.integers(0, 20).map(lambda at: at / 20)
TARGETS = st.sampled_from([0.5, 0.8, 0.95, 0.995])
TILES = {SENSITIVITY: "sensitivity", PRECISION: "precision"}


@st.composite
def points(draw: st.DrawFn) -> tuple[OperatingPoint, object, Aim]:
    """A point by hand on random rows, with or without test rows and marked criteria."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    has_test, n = draw(st.booleans()), draw(st.integers(4, 120))
    rows = [
        (f"{split}{at // 2}", f"A.{at % 2}", float(rng.integers(0, 21)) / 20, int(rng.random() < 0.4), split)
        for split in ("tune", *(["test"] if has_test else []))
        for at in range(n)
    ]
    low, high = draw(TAUS), draw(TAUS)
    if low is not None and high is not None:
        low, high = sorted((low, high))
    aim = Aim(draw(TARGETS), draw(TARGETS), draw(st.sampled_from([0.95, None])))
    marks = draw(st.sampled_from([(), (("criterion", "A.0"),)]))
    data = data_of(rows)
    roles = {"tune": "tune", "test": "test"} if has_test else {}
    return point_from_thresholds(data, low, high, **aim.options, **roles, must_not_miss=marks), data, aim


@settings(max_examples=25, deadline=None, phases=(Phase.generate,))
@given(points())
def test_every_place_says_the_same_of_a_point(given_point: tuple[OperatingPoint, object, Aim]) -> None:
    point, data, aim = given_point
    document = point.document
    said, printed = status.standing_of(point), plain(point_html(point, [data]))
    tiles = status.for_tiles(point, most_missed=aim.targets.missed_per_1000)
    assert said.status == point.status == document["status"]
    assert document["status"] in said.headline
    assert point.summary.splitlines()[0].endswith(f"({document['status']})")
    assert re.search(rf"(?i)\b{document['status']}\b", "\n".join(in_words(point, is_recomputed=False)))
    assert re.search(rf"(?i)\b{document['status']}\b", printed)
    claims = {(one["metric"], one["evaluated_on"]): one for one in document["claims"]}
    judged = {(one.metric, "test"): one.test for one in said.targets if one.test is not None}
    chosen_on = "tune" if any(role == "tune" for _, role in claims) else "all"
    judged |= {(one.metric, chosen_on): one.chosen for one in said.targets}
    assert judged.keys() == claims.keys()
    for key, claim in claims.items():
        assert judged[key].verdict == claim["verdict"]
        assert beginning(judged[key].words) in claim["text"]
        assert plain(verdict_in_words(document, claim)) in printed
        if key[1] == "test":
            assert tiles[TILES[key[0]]]["tone"] in (status.TONES[claim["verdict"]], "plain")
            assert tiles[TILES[key[0]]]["words"] == judged[key].short
    failed = [key for key, claim in claims.items() if key[1] == "test" and claim["verdict"] == "not_met"]
    assert said.headline.startswith("Not met on test.") == bool(failed)
    assert (said.short == "not met on test") == bool(failed)
    rows = row_set(data, chosen_on, split=None if chosen_on == "all" else "tune", model=None)
    tradeoff = compute_tradeoff(rows.scored, targets=aim.targets)
    at = {
        SENSITIVITY: tradeoff.index(-np.inf if point.tau_neg is None else point.tau_neg),
        PRECISION: tradeoff.index(np.inf if point.tau_pos is None else point.tau_pos),
    }
    codes = {SENSITIVITY: tradeoff.sensitivity_verdict, PRECISION: tradeoff.precision_verdict}
    for metric, index in at.items():
        claim = claims[metric, chosen_on]
        assert VERDICTS[codes[metric][index]] == claim.get("verdict_of_all", claim["verdict"])


def plain(text: str) -> str:
    """The text of HTML, with ordinary blanks."""
    shown = unescape(re.sub(r"<[^>]*>", " ", text)).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r"\s+", " ", shown)
