"""The way to a certificate as one line above the explorer, and what blocks it."""

import re
from collections.abc import Sequence

from evalcore.data import Data
from evalcore.operating_point import Outlook, outlooks
from evalcore.operating_point.choosing.request import constraints_of
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.deciding.path import OnTest, Step, first_to_say, path_to_certificate
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.splits import can_divide, test_split, tune_split
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.point import looks
from pages.shared.point.marks import marks_in_use
from pages.shared.point.point import Aim, PointState, has_split
from pages.shared.point.status import Standing
from pages.shared.written import as_html

MOST_LEVELS = 8
MARKS = {"done": "✓", "open": "·", "blocked": "!"}
IN_WORDS = {"done": "done", "open": "left to do", "blocked": "blocks"}
DIVIDE = (
    "The Data page divides rows by post into tune and test: offered where files are put to use, before any "
    "figure of them was shown. Once figures were shown a test on a part of them is exploratory."
)
HOW = (
    "Add a column `split` to the file that says tune or test in each row, decided by lot before anybody "
    "looks at the scores, with all rows of a post on the same side, and load the file anew; a column of "
    "another name is named on the Data page. Test needs enough checks with evidence, tune gets the rest."
)
STYLE = """<style>
.path { font-size: .9rem; line-height: 1.45; margin: -.5rem 0; }
.path ol { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; list-style: none; margin: 0; padding: 0; }
.path ol li { margin: 0; padding: 0; white-space: nowrap; }
.path b { font-weight: 600; }
.path i { display: inline-grid; place-items: center; width: 1.15em; height: 1.15em; margin-right: .25rem;
  border-radius: 50%; border: 1px solid #8a94a0; font: 600 .72rem/1 sans-serif; vertical-align: .08em; }
.path .done i { background: #2b66b1; border-color: #2b66b1; color: #fff; }
.path .blocked i { background: #c8590f; border-color: #c8590f; color: #fff; }
.path li span, .path p, .path details { opacity: .8; }
.path p { margin: .15rem 0 0; font-size: inherit; max-width: 74rem; overflow-wrap: anywhere; }
.path p, .path details { display: inline; }
.path summary { cursor: pointer; text-decoration: underline; display: inline; }
.path dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
.path dl { margin: .3rem 0 0; padding: 0; max-width: 74rem; }
.path dl dt { font-weight: 600; } .path dl dd { margin: 0; }
.path .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 40rem) {
  .path ol { justify-content: space-between; gap: .1rem .6rem; }
  .path li span { display: none; }
}
</style>"""


def show_path(data: Data, rows: RowSet, state: PointState, standing: Standing | None) -> None:
    """The four steps in a line and, until test rows were seen, what must be known first.

    Parameters
    ----------
    data, rows, state
        The data of the session, the rows chosen on, and the point.
    standing
        What the test rows said of this very point; None before.
    """
    steps = steps_of(data, rows, state, standing)
    widgets.html(
        f'{STYLE}<div class="path" data-testid="path">{line_of(steps)}{_said(steps, data, state)}</div>'
    )


def steps_of(data: Data, rows: RowSet, state: PointState, standing: Standing | None) -> tuple[Step, ...]:
    """The four steps of the point as it stands."""
    tested = row_set(data, "test", split=test_split(data), model=rows.model) if has_split(data) else None
    tau_neg, tau_pos = (None if text is None else float(text) for text in state.pair)
    return path_to_certificate(
        rows,
        tested,
        constraints_of(**state.aim.targets_wanted, from_data=state.aim.set_from_data),
        Thresholds(tau_neg, tau_pos),
        outlooks=outlooks_of(data, rows.model, state.aim),
        looks=looks.known(),
        is_found=state.chosen == (state.pair, state.aim),
        is_set_after_test=state.is_moved,
        result=None if standing is None else OnTest(standing.short, standing.status == "certified"),
    )


def outlooks_of(data: Data, model: str, aim: Aim) -> tuple[Outlook, ...]:
    """What TEST can show at best of each target, and the chance that it confirms it with the marked groups.

    Empty without one.
    """
    if not has_split(data):
        return ()
    tune, test, marks = tune_split(data), test_split(data), marks_in_use(data).marks
    return kept(
        "outlooks",
        (session.current().key, model, aim, frozenset(marks)),
        lambda: outlooks(data, **aim.targets_wanted, tune=tune, test=test, model=model, marks=marks),
    )


def line_of(steps: Sequence[Step]) -> str:
    """The steps as a list in a line, each with its mark."""
    items = "".join(
        f'<li class="{one.state}"><i aria-hidden="true">{MARKS[one.state]}</i><b>{as_html(one.name)}</b>'
        f'<span class="unseen">, {IN_WORDS[one.state]}:</span> <span>{_unbroken(one.short)}</span></li>'
        for one in steps
    )
    return f'<ol aria-label="Path to a certificate">{items}</ol>'


def _said(steps: Sequence[Step], data: Data, state: PointState) -> str:
    """The first step that blocks, in a sentence, and all of them behind a word.

    Once test rows were seen, what they said stands below, and the sentence would repeat it.
    """
    first = first_to_say(steps) if state.look is None else None
    sentence = "" if first is None or not first.why else f"<p>{as_html(first.why[0])}</p> "
    why = {one.name: " ".join(map(as_html, one.why)) for one in steps}
    if not has_split(data):
        why["Rows"] = " ".join([why["Rows"], *_how_to_split(data)])
    known = "".join(f"<dt>{as_html(name)}</dt><dd>{text}</dd>" for name, text in why.items() if text)
    return f"{sentence}<details><summary>The four steps</summary><dl>{known}</dl></details>"


def _how_to_split(data: Data) -> list[str]:
    levels = data.queries.slices.get("split", ((), ()))[1] if data.queries is not None else ()
    holds = [as_html(f"The column split holds {', '.join(levels[:MOST_LEVELS])} now.")] if levels else []
    return [*holds, *([as_html(DIVIDE)] if can_divide(data) else []), widgets.with_code(HOW)]


def _unbroken(text: str) -> str:
    return as_html(re.sub("(?<=[0-9]) (?=%)", "\N{NO-BREAK SPACE}", text))
