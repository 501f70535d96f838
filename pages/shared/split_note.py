"""What a split would buy, where there is none."""

from evalcore.data import Data
from evalcore.operating_point.confirming import enough_to_confirm
from evalcore.operating_point.constraints import SENSITIVITY, Constraint
from evalcore.operating_point.row_sets import RowSet
from pages.shared import widgets
from pages.shared.link import listed
from pages.shared.point import Aim, has_split

NO_SPLIT = "No split: the thresholds are chosen and counted on the same rows, so nothing can confirm them."
BUYS = (
    "With a column `split` that says tune or test, each post on one side only, they are chosen on tune and "
    "can be confirmed on test: add it to the file, or name the column that says so on the Data page."
)


def show_split_note(data: Data, rows: RowSet, aim: Aim) -> None:
    """Say in a line what a split would buy; nothing where there is one.

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
    holds = [f"The column split holds {listed(levels)}, not tune and test."] if levels else []
    enough = enough_to_confirm(target_of(aim), rows.n_positives)
    widgets.plain(" ".join([NO_SPLIT, *holds, BUYS, enough]), is_quiet=True)


def target_of(aim: Aim) -> Constraint:
    """The screening sensitivity of an aim."""
    return Constraint(SENSITIVITY, aim.screening_sensitivity, aim.sensitivity_confidence)
