"""The session's operating point: two thresholds, what they are meant to reach, and what was seen of TEST.

It belongs to one data set and model; another one starts afresh.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point import (
    OperatingPoint,
    choose_operating_point,
    choose_thresholds,
    point_from_thresholds,
)
from evalcore.operating_point.constraints import NAMES, SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.test_rows.site_rows import groups_in
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.tradeoff.table import Targets
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import capitalised, percent
from evalcore.problems import InputError
from evalcore.splits import test_split, tune_split
from pages.shared.data import session
from pages.shared.explorer.messenger import Marks
from pages.shared.point import looks
from pages.shared.point.marks import marks_in_use, take_marks
from pages.shared.threshold_text import link_values, thresholds_from_link

SEEN, LEFT = "tests_seen", "points_left"
IN_ADDRESS = "in an earlier session, as the address of the page says"
DIGITS = 8
Pair = tuple[str | None, str | None]


@dataclass(frozen=True)
class Aim:
    """What the thresholds should reach; a target without a confidence is for the estimate itself.

    `set_from_data` names the targets that were set after seeing what the data support.
    """

    screening_sensitivity: float = 0.995
    alert_precision: float = 0.9
    sensitivity_confidence: float | None = 0.95
    precision_confidence: float | None = 0.95
    set_from_data: frozenset[str] = frozenset()

    @property
    def options(self) -> dict[str, Any]:
        """The aim as options of `choose_operating_point`."""
        return {**self.targets_wanted, "targets_from_data": sorted(self.set_from_data)}

    @property
    def targets_wanted(self) -> dict[str, Any]:
        """The two targets with their confidences, as options."""
        return {
            "screening_sensitivity": self.screening_sensitivity,
            "alert_precision": self.alert_precision,
            "confidence": (self.sensitivity_confidence, self.precision_confidence),
        }

    @property
    def targets(self) -> Targets:
        """The aim as the explorer judges it; an estimate is shown beside its 95 % bound."""
        return Targets(
            self.screening_sensitivity,
            self.alert_precision,
            self.sensitivity_confidence or 0.95,
            self.precision_confidence or 0.95,
        )

    def in_words(self, metric: str) -> str:
        """One of the two targets as the beginning of a sentence."""
        is_screening = metric == SENSITIVITY
        value = self.screening_sensitivity if is_screening else self.alert_precision
        confidence = self.sensitivity_confidence if is_screening else self.precision_confidence
        shown = "as an estimate" if confidence is None else f"with {percent(confidence)} confidence"
        return f"{capitalised(NAMES[metric])} of at least {percent(value)} {shown}"

    def instead(self, constraint: Constraint) -> Self:
        """The aim with one of its targets replaced, which is remembered where it was read from the data."""
        is_screening = constraint.metric == SENSITIVITY
        target = "screening_sensitivity" if is_screening else "alert_precision"
        confidence = "sensitivity_confidence" if is_screening else "precision_confidence"
        seen = {target} if constraint.is_from_data else set()
        changed: dict[str, Any] = {target: constraint.value, confidence: constraint.confidence}
        return replace(self, **changed, set_from_data=(self.set_from_data - {target}) | seen)


@dataclass(frozen=True)
class FirstLook:
    """What stood when this session first looked at the test rows of a point's data, and what was known then.

    Parameters
    ----------
    pair, aim, chosen
        Thresholds, targets and search, as in `PointState`: what differs later was set after the look.
    before
        The looks that were known before it.
    marks
        The groups that must not be missed; None where that is not known, as from an address.
    """

    pair: Pair
    aim: Aim
    chosen: tuple[Pair, Aim] | None
    before: LooksAtTest
    marks: tuple[Mark, ...] | None = None

    def is_of(self, pair: Pair, aim: Aim, data: Data) -> bool:
        """Whether thresholds, targets and the marked groups of the data are those that stood then."""
        return (self.pair, self.aim) == (pair, aim) and self.has_marks_of(data)

    def has_marks_of(self, data: Data) -> bool:
        """Whether the marked groups of the data are those that stood then, in whatever order."""
        return self.marks is None or set(self.marks) == set(marks_in_use(data).marks)


@dataclass
class PointState:
    """Where the handles stand and how they came there.

    Parameters
    ----------
    owner
        Of the data and model the point is for, from `owner_of`.
    tau_neg, tau_pos
        Thresholds as exact text; None for an empty zone.
    revision
        Grows with every change.
    aim
        The targets.
    chosen
        The pair that a search found, with the aim it was found for.
    look
        The first look of this session at the test rows: thresholds and targets that differ from those of then
        were set after TEST was seen. Kept in the session by data and model, and in the address, so that
        neither other data nor a reload forget it.
    particulars
        What the person typed about the choice, for the document.
    """

    owner: str
    tau_neg: str | None = None
    tau_pos: str | None = None
    revision: int = 0
    aim: Aim = field(default_factory=Aim)
    chosen: tuple[Pair, Aim] | None = None
    look: FirstLook | None = None
    particulars: dict[str, str] = field(default_factory=dict)

    @property
    def pair(self) -> Pair:
        """Both thresholds."""
        return self.tau_neg, self.tau_pos

    @property
    def tested(self) -> Pair | None:
        """The thresholds for which TEST was shown, if it was."""
        return None if self.look is None else self.look.pair

    @property
    def is_moved(self) -> bool:
        """Whether thresholds, targets or marked groups are others than those for which TEST was shown."""
        data = session.current().data
        if self.look is None or not self.owner.startswith(f"{data.digest}:"):
            return self.look is not None and (self.look.pair, self.look.aim) != (self.pair, self.aim)
        return not self.look.is_of(self.pair, self.aim, data)

    def is_for(self, data: Data, model: str) -> bool:
        """Whether the point belongs to these data and this model."""
        return self.owner == owner_of(data, model)

    def move(self, pair: Pair) -> None:
        """Set the handles from the server."""
        self.tau_neg, self.tau_pos = pair
        self.revision += 1

    def take_released(self, tau_neg: str | None, tau_pos: str | None, revision: int) -> None:
        """Set the handles to where they were released, unless they moved since; the hand wins a tie."""
        if revision >= self.revision:
            self.tau_neg, self.tau_pos, self.revision = tau_neg, tau_pos, revision

    def go_back(self) -> None:
        """Set thresholds and targets to those for which TEST was shown."""
        if self.look is not None:
            self.aim, self.chosen = self.look.aim, self.look.chosen
            if self.look.marks is not None:
                take_marks(Marks(self.look.marks, marks_in_use(session.current().data).revision + 1))
            self.move(self.look.pair)

    def take(self, pair: Pair, aim: Aim) -> None:
        """Set the handles to what a search found for an aim."""
        self.aim, self.chosen = aim, (pair, aim)
        self.move(pair)


def has_split(data: Data) -> bool:
    """Whether the rows are split into tune and test."""
    return groups_in(data) is not None and tune_split(data) is not None


def rows_to_choose_on(data: Data, model: str) -> RowSet:
    """The tune rows, or every row where there is no split."""
    looks.note_others()
    if has_split(data):
        return row_set(data, "tune", split=tune_split(data), model=model)
    return row_set(data, "all", split=None, model=model)


def current_point(data: Data, model: str) -> PointState:
    """The point of these data and this model, as it was left; at first by the estimates for usual targets."""
    state = st.session_state.get("operating_point")
    if not isinstance(state, PointState) or not state.is_for(data, model):
        left: PointState | None = st.session_state.get(LEFT, {}).get(owner_of(data, model))
        state = begin_point(data, model, None, Aim()) if left is None else left
        st.session_state["operating_point"] = state
    return state


def begin_point(data: Data, model: str, pair: Pair | None, aim: Aim, *, is_found: bool = False) -> PointState:
    """Start at these thresholds for an aim, or without them at what the estimates allow.

    Parameters
    ----------
    data, model
        What the point is for.
    pair, aim
        Thresholds and targets.
    is_found
        Whether a search found the thresholds for the targets, as a link says: believed where the search, made
        again, finds these very thresholds.
    """
    owner = owner_of(data, model)
    is_believed = is_found and pair is not None and is_found_again(data, model, pair, aim)
    state = PointState(owner, aim=aim, chosen=(pair, aim) if is_believed and pair is not None else None)
    state.look = _seen_before(data, state)
    state.move(pair or pair_by_estimate(data, model, aim))
    st.session_state.setdefault(LEFT, {})[owner] = state
    st.session_state["operating_point"] = state
    return state


def is_found_again(data: Data, model: str, pair: Pair, aim: Aim) -> bool:
    """Whether the search for an aim finds a pair.

    Where there are test rows alone nobody has agreed yet that they are counted: only the document tells then.
    """
    if test_split(data) is not None and not has_split(data):
        return True
    try:
        found = choose_thresholds(data, **aim.targets_wanted, tune=tune_split(data), model=model)
    except InputError:  # such as no row to choose on: the page that counts says so
        return False
    return pair_of(found) == pair


def owner_of(data: Data, model: str) -> str:
    """What a point belongs to: the content, what was read from it, and the model."""
    return f"{data.digest}:{data.reading}:{model}"


def see_test(data: Data, state: PointState, shown: str) -> None:
    """Count a look at TEST at the thresholds that stand now; the first of a session is theirs.

    Parameters
    ----------
    shown
        What kind of figure is shown, as for `pages.shared.point.looks.record`.
    """
    before = looks.record(shown, state.owner, state.pair, state.aim) or looks.known()
    if state.look is None and before is not None:
        marks = marks_in_use(data).marks
        state.look = FirstLook(state.pair, state.aim, state.chosen, before, marks)
        st.session_state.setdefault(SEEN, {})[state.owner] = state.look
    keep_seen_in_address(data, state)


def keep_seen_in_address(data: Data, state: PointState) -> None:
    """Name in the address the pair that was tested and the data it was tested on."""
    if state.tested is not None:
        st.query_params["tested"] = [*link_values(*state.tested), data.digest[:DIGITS]]
    elif "tested" in st.query_params:
        del st.query_params["tested"]


def _seen_before(data: Data, state: PointState) -> FirstLook | None:
    """The look at TEST earlier in this session or, after a reload, that of the address.

    That of the address was somebody's first look, not this session's: it can certify nothing here.
    """
    found: FirstLook | None = st.session_state.get(SEEN, {}).get(state.owner)
    linked, known = st.query_params.get_all("tested"), looks.known()
    if found is not None or known is None or linked[2:] != [data.digest[:DIGITS]]:
        return found
    pair = thresholds_from_link(linked[:2], data.score_kind)
    if pair is None:
        return None
    before = known if known.n_before else replace(known, n_before=1, shown=(IN_ADDRESS,))
    chosen = state.chosen if state.chosen is not None and state.chosen[0] == pair else None
    return FirstLook(pair, state.aim, chosen, before)


def choose(data: Data, model: str, aim: Aim, *, with_test: bool = False, **known: Any) -> OperatingPoint:
    """Choose on the tune rows, or on every row; test where asked.

    Parameters
    ----------
    known
        What is known of earlier looks, and what a person says, as options of `choose_operating_point`.
    """
    known = {"must_not_miss": marks_in_use(data).marks, **known}
    return choose_operating_point(data, **aim.options, **_rows(data, with_test), model=model, **known)


def pair_by_estimate(data: Data, model: str, aim: Aim) -> Pair:
    """What the estimates of the tune rows, or of every row, allow for the targets of an aim.

    Where there are test rows alone nobody has agreed yet that they are counted: both zones are empty.
    """
    if test_split(data) is not None and not has_split(data):
        return None, None
    estimates = replace(aim, sensitivity_confidence=None, precision_confidence=None)
    return pair_of(choose_thresholds(data, **estimates.targets_wanted, tune=tune_split(data), model=model))


def pair_of(point: OperatingPoint | Thresholds) -> Pair:
    """Two thresholds as exact text."""
    low, high = (None if tau is None else threshold_text(tau) for tau in (point.tau_neg, point.tau_pos))
    return low, high


def document_for(data: Data, model: str, state: PointState, pair: Pair) -> OperatingPoint:
    """The document of a pair: as chosen where a search found it before TEST was seen, else as set by hand.

    TEST figures enter it only for the pair and the targets that stood when TEST was first shown; of any other
    it then says that it was set after TEST was seen. Every document says what is known of earlier looks.
    """
    look = state.look
    is_first = look is not None and look.is_of(pair, state.aim, data)
    known: dict[str, Any] = {name: text for name, text in state.particulars.items() if text}
    known["looks"] = look.before if look is not None and is_first else looks.known()
    known["test_seen"] = look is not None and not is_first
    with_test = has_split(data) and is_first
    chosen = state.chosen if look is None else look.chosen if is_first else None
    if chosen is not None and chosen[0] == pair:
        point = choose(data, model, chosen[1], with_test=with_test, **known)
        if pair_of(point) == pair:
            return point
    tau_neg, tau_pos = (None if text is None else float(text) for text in pair)
    return point_from_thresholds(
        data,
        tau_neg,
        tau_pos,
        **state.aim.options,
        **_rows(data, with_test),
        model=model,
        must_not_miss=marks_in_use(data).marks,
        **known,
    )


def _rows(data: Data, with_test: bool) -> dict[str, Any]:
    if not has_split(data):
        return {}
    return {"tune": tune_split(data), "test": test_split(data) if with_test else None}
