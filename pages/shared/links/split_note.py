"""What a split would buy, where there is none."""

from evalcore.data import Data
from evalcore.operating_point.choosing.confirming import enough_to_confirm
from evalcore.operating_point.constraints import SENSITIVITY, Constraint
from evalcore.operating_point.test_rows.row_sets import RowSet
from pages.shared import widgets
from pages.shared.links.link import listed
from pages.shared.point.point import Aim, has_split
from pages.shared.written import as_html

BUYS = (
    "No split: nothing can confirm this choice, which is made and counted on the same rows. With a column "
    "`split` of tune and test it is made on tune and confirmed on test."
)
HOW = (
    "Add a column `split` to the file that says tune or test in each row, decided by lot before anybody "
    "looks at the scores, with all rows of a post on the same side, and load the file anew; a column of "
    "another name is named on the Data page. Test needs enough checks with evidence, tune gets the rest."
)
STYLE = """<style>
.split-note { max-width: 74rem; font-size: .9rem; opacity: .8; }
.split-note details { display: inline; }
.split-note summary { cursor: pointer; text-decoration: underline; display: inline; }
</style>"""


def show_split_note(data: Data, rows: RowSet, aim: Aim) -> None:
    """Say in a line what a split would buy, and how to add one; nothing where there is one.

    Parameters
    ----------
    data
        The data of the session.
    rows
        The rows of the model in use on which thresholds are chosen.
    aim
        What the thresholds should reach.
    """
    if has_split(data):
        return
    levels = data.queries.slices.get("split", ((), ()))[1] if data.queries is not None else ()
    holds = f" The column split holds {listed(levels)} now." if levels else ""
    enough = enough_to_confirm(target_of(aim), rows.n_positives, whose="these rows have")
    said = f"{widgets.with_code(BUYS)}{as_html(f'{holds} {enough}')}"
    note = f"{said} <details><summary>How to add one</summary> {widgets.with_code(HOW)}</details>"
    widgets.html(f'{STYLE}<div class="split-note" data-testid="split-note">{note}</div>')


def target_of(aim: Aim) -> Constraint:
    """The screening sensitivity of an aim."""
    return Constraint(SENSITIVITY, aim.screening_sensitivity, aim.sensitivity_confidence)
