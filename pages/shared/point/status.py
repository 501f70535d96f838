"""The standing of a point, read from its document once: banner, tiles and dialog say the same words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.choosing.alternatives import HIGHEST
from evalcore.operating_point.choosing.estimates import MISSED
from evalcore.operating_point.choosing.gaps import gaps
from evalcore.operating_point.choosing.without_model import BEGINNING
from evalcore.operating_point.constraints import NAMES, PRECISION, SENSITIVITY, SKIPPED
from evalcore.operating_point.document.certification import AGAINST
from evalcore.operating_point.document.groups import verdict_in_words
from evalcore.operating_point.missed import missed_codes, most_missed_per_1000
from evalcore.operating_point.wording import (
    VERDICTS,
    Verdict,
    at_most,
    beginning,
    capitalised,
    percent,
    words_of,
)
from evalcore.text.numerals import percent_at_least, percent_of
from pages.shared import widgets
from pages.shared.written import as_html

NOTHING_SKIPPED = "nothing is skipped, so nothing is claimed"
NO_ALERTS = "not met, no alerts"
NO_CASES = "not assessed, no checks with evidence"
TONES: dict[Verdict, str] = {
    "met_with_confidence": "met",
    "met_point_only": "point",
    "infeasible_with_this_n": "point",
    "not_met": "missed",
    "not_assessed": "plain",
}
STYLE = """<style>
.standing { border-left: 4px solid #8a94a0; padding: .15rem 0 .15rem .9rem; }
.standing { font-size: .95rem; line-height: 1.5; }
.standing.met { border-color: #2b66b1; }
.standing.missed { border-color: #c8590f; }
.standing p { margin: 0; max-width: 70rem; overflow-wrap: anywhere; }
.standing .quiet { opacity: .75; }
</style>"""


@dataclass(frozen=True)
class Judged:
    """A target on the rows of one role.

    Parameters
    ----------
    verdict, words
        As the document has them.
    rate, low
        The share and its one-sided lower bound as text.
    n_good, n
        Of which cases.
    is_without_model
        Whether a rule that uses no score meets the target as well.
    """

    verdict: Verdict
    words: str
    rate: str
    low: str
    n_good: int
    n: int
    is_without_model: bool = False

    @property
    def short(self) -> str:
        """The beginning of the words, where there is little room."""
        return f"{beginning(self.words)}{self._also}"

    @property
    def said(self) -> str:
        """The words, with what a rule without scores reaches as well."""
        return f"{self.words}{self._also}"

    @property
    def tone(self) -> str:
        """That of the verdict, never of success for what no model is needed for."""
        return "plain" if self.is_without_model else TONES[self.verdict]

    @property
    def _also(self) -> str:
        return ", also without the model" if self.is_without_model else ""


@dataclass(frozen=True)
class TargetStanding:
    """One target, judged on the rows chosen on and, once they were looked at, on the test rows."""

    metric: str
    aim: str
    chosen_on: str
    chosen: Judged
    test: Judged | None
    gap: str

    @property
    def is_failed(self) -> bool:
        """Whether the test rows miss the target."""
        return self.test is not None and self.test.verdict == "not_met"

    @property
    def sentence(self) -> str:
        """The target as HTML: what the test rows say first, beside it what was said where it was chosen."""
        here = f"{self.chosen.rate} on {self.chosen_on} ({self.chosen.said})"
        if self.test is None:
            return as_html(f"{self.aim}: {here}.")
        said, _, why = self.test.said.partition(", ")
        gap = f", gap {self.gap}" if self.gap != "n/a" else ""
        rest = f"{f', {why}' if why else ''}: {self.test.rate}, beside {here}{gap}."
        return f"{as_html(self.aim)}: <b>{as_html(said)} on test</b>{as_html(rest)}"


@dataclass(frozen=True)
class Standing:
    """What is known of a point: its status, every target, those that failed on test first, and what speaks
    against a certificate.
    """

    status: str
    targets: tuple[TargetStanding, ...]
    against: tuple[str, ...]

    @property
    def is_tested(self) -> bool:
        """Whether test rows were counted."""
        return any(target.test is not None for target in self.targets)

    @property
    def headline(self) -> str:
        """What a reader must know first."""
        failed = [target for target in self.targets if target.is_failed]
        if failed:
            return f"Not met on test. {self._rank}"
        return self._rank

    @property
    def short(self) -> str:
        """The same in a few words, for the path to a certificate."""
        if any(target.is_failed for target in self.targets):
            return "not met on test"
        return "not certified" if self.status == "tuned" else self.status

    @property
    def _rank(self) -> str:
        """The status in words; ``tuned`` is the document's name for what only lacks the certificate."""
        return f"This point is {'not certified (status: tuned)' if self.status == 'tuned' else self.status}."

    @property
    def tone(self) -> str:
        """``missed`` where a target failed, ``met`` for a certified point, else ``plain``."""
        if any(target.is_failed for target in self.targets):
            return "missed"
        on_test = [target.test for target in self.targets if target.test is not None]
        needs_model = not any(judged.is_without_model for judged in on_test)
        return "met" if self.status == "certified" and needs_model else "plain"

    @property
    def html(self) -> str:
        """Headline and targets for the page."""
        lines = "".join(f"<p>{target.sentence}</p>" for target in self.targets)
        lines += "".join(f'<p class="quiet">{as_html(text)}</p>' for text in self.against)
        said = f"<p><b>{as_html(self.headline)}</b></p>{lines}"
        return f'{STYLE}<div class="standing {as_html(self.tone)}">{said}</div>'


def standing_of(point: OperatingPoint) -> Standing:
    """The standing of a point, from its document."""
    document = point.document
    rates = {(one["metric"], one["evaluated_on"]): one for one in document["estimates"]}
    gap_of = {one.metric: one.row[-1] for one in gaps(document)}
    targets = []
    for metric in (SENSITIVITY, PRECISION):
        by_role = {one["evaluated_on"]: one for one in document["claims"] if one["metric"] == metric}
        chosen_on = next((role for role in by_role if role in ("tune", "all")), None)
        if chosen_on is None:
            continue
        judged = {role: _judged(claim, rates, document) for role, claim in by_role.items()}
        claim = by_role[chosen_on]
        targets.append(
            TargetStanding(
                metric,
                f"{capitalised(NAMES[metric])} of at least {percent(claim['value'])}",
                "all rows" if chosen_on == "all" else chosen_on,
                judged[chosen_on],
                judged.get("test"),
                gap_of.get(metric, "n/a"),
            )
        )
    targets.sort(key=lambda target: not target.is_failed)
    against = tuple(text for text in document["limits"] if text.startswith(AGAINST))
    return Standing(document["status"], tuple(targets), against)


def _judged(claim: Mapping[str, Any], rates: Mapping[Any, Any], document: Mapping[str, Any]) -> Judged:
    metric, role, verdict = claim["metric"], claim["evaluated_on"], claim["verdict"]
    rate = rates[metric, role]
    n_good, n = int(rate["numerator"] or 0), int(rate["denominator"] or 0)
    n_skipped = int(rates[SKIPPED, role]["numerator"] or 0)
    words = verdict_in_words(document, claim)
    if metric == SENSITIVITY and n_skipped == 0:
        words = NOTHING_SKIPPED
    elif n == 0:
        words = NO_ALERTS if metric == PRECISION else NO_CASES
    elif role != "test" and metric in _from_data(document):
        words = HIGHEST
    bound = rate["ci"]
    low = "n/a" if bound is None or bound["low"] is None else percent_at_least(bound["low"])
    shown = "n/a" if n == 0 else percent_of(n_good, n, target=claim["value"])
    return Judged(verdict, words, shown, low, n_good, n, BEGINNING in claim.get("note", ""))


def _from_data(document: Mapping[str, Any]) -> frozenset[str]:
    constraints = document["selection"]["constraints"]
    return frozenset(one["metric"] for one in constraints if one.get("set_after_seeing_the_data"))


def show(standing: Standing) -> None:
    """The standing above the tiles."""
    widgets.html(re.sub("(?<=[0-9]) (?=%)", "\N{NO-BREAK SPACE}", standing.html))


def for_tiles(point: OperatingPoint, *, most_missed: float | None) -> dict[str, Any]:
    """What the tiles show of a tested point, by the name of the tile.

    Parameters
    ----------
    point
        With figures of the test rows.
    most_missed
        Missed checks per 1,000 that are tolerated; None where that is no target, which then has no verdict.
    """
    standing = standing_of(point)
    names = {SENSITIVITY: "sensitivity", PRECISION: "precision"}
    shares = {
        names[one.metric]: {
            "low": one.test.low,
            "words": one.test.short,
            "tone": one.test.tone,
            "n_good": one.test.n_good,
            "n": one.test.n,
        }
        for one in standing.targets
        if one.test is not None
    }
    return shares | {"missed": _missed(point, most_missed)} if standing.is_tested else shares


def _missed(point: OperatingPoint, most: float | None) -> dict[str, Any]:
    """The missed per 1,000 test rows, bounded as screening sensitivity is."""
    on_test = {one["metric"]: one for one in point.document["estimates"] if one["evaluated_on"] == "test"}
    missed, kept = on_test[MISSED], on_test[SENSITIVITY]
    n_missed, n_rows, n_pos = (
        int(entry[name] or 0)
        for entry, name in ((missed, "numerator"), (missed, "denominator"), (kept, "denominator"))
    )
    low = float("nan") if kept["ci"] is None or kept["ci"]["low"] is None else kept["ci"]["low"]
    level = 0.95 if kept["ci"] is None else kept["ci"]["level"]
    high = most_missed_per_1000(low, n_pos=n_pos, n_rows=n_rows)
    counts = {"high": at_most(high) if n_pos else "n/a", "n_missed": n_missed, "n_pos": n_pos, "n": n_rows}
    if most is None:
        return counts
    code = int(missed_codes(n_missed, n_pos=n_pos, n_rows=n_rows, target=most, low=low, best_low=1.0))
    return counts | {"words": beginning(words_of(VERDICTS[code], level)), "tone": TONES[VERDICTS[code]]}
