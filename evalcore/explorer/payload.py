"""What the threshold explorer sends to the browser: counts, bounds and labels as plain JSON.

Arrays travel as base64 of little-endian numbers; bounds as whole billionths, rounded outward, −1 where
undefined. NumPy numbers would silently become text on the way, and NaN is no JSON.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from evalcore.explorer.sources import terms
from evalcore.operating_point.choosing.alternatives import HIGHEST
from evalcore.operating_point.choosing.request import TARGETS
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups
from evalcore.operating_point.tradeoff.groups import CRITERION, GROUP_WORDS, SHORTFALL
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff
from evalcore.operating_point.tradeoff.verdicts import MIN_CASES, VERDICTS
from evalcore.operating_point.units import POST, Unit
from evalcore.operating_point.wording import beginning, short_words
from evalcore.text.legible import legible

ActionName = Literal[
    "find",
    "export",
    "pin",
    "save_page",
    "copy_link",
    "check_on_test",
    "show_missed",
    "show_group",
    "group_rows",
]
ACTIONS: tuple[ActionName, ...] = get_args(ActionName)
BOUND_UNIT = 1e9
GROUP_BOUND_UNIT = 1e4
NO_GROUP_BOUND = 65_535
"""Bounds of groups, of which there may be very many, travel as hundredths of a percent in two bytes."""
USUAL_NAMES = {
    "A.1": "depressed mood",
    "A.2": "anhedonia",
    "A.3": "weight/appetite",
    "A.4": "sleep",
    "A.5": "psychomotor",
    "A.6": "fatigue",
    "A.7": "worthlessness/guilt",
    "A.8": "concentration",
    "A.9": "suicidal ideation",
    "A.10": "special case",
}
"""Criterion id → its name, where nobody gives another."""


@dataclass(frozen=True)
class Review:
    """Reviewer effort at the thresholds on the screen; reported, never optimised.

    Parameters
    ----------
    minutes
        What reading a check, or a post, takes; None leaves the effort out.
    per
        What a person opens: a check, or a post with all its checks.
    reviewers, hours_each
        Who reads, and for how long a day; None leaves the capacity out.
    n_days
        Days in which as many rows as these arrive; None for no verdict on the capacity.
    """

    minutes: float | None = None
    per: Literal["check", "post"] = "check"
    reviewers: int | None = None
    hours_each: float = 4.0
    n_days: int | None = None

    def as_json(self) -> dict[str, Any]:
        """What the workload tile is told."""
        team = f"{self.reviewers} × {self.hours_each:g} h a day" if self.reviewers is not None else ""
        return {
            "minutes": self.minutes,
            "per": self.per,
            "hours_a_day": None if self.reviewers is None else self.reviewers * self.hours_each,
            "team": team,
            "n_days": self.n_days,
        }


def verdict_words(targets: Targets, set_from_data: Collection[str] = ()) -> dict[str, list[str]]:
    """What each tile calls every verdict, in the order of `VERDICTS`.

    Parameters
    ----------
    targets
        What the verdicts speak of.
    set_from_data
        Targets that were set after seeing what the data support, as `choose_operating_point` names them: for
        these there is no verdict.
    """
    words = {
        "missed": short_words(targets.sensitivity_confidence),
        "sensitivity": short_words(targets.sensitivity_confidence),
        "precision": short_words(targets.precision_confidence),
    }
    tile_of = {SENSITIVITY: "sensitivity", PRECISION: "precision"}
    return words | {tile_of[TARGETS[name]]: [beginning(HIGHEST)] * len(VERDICTS) for name in set_from_data}


@dataclass(frozen=True)
class Packed:
    """The arrays of a trade-off as text: what takes longest to make, whatever is said beside them."""

    columns: dict[str, Any]
    groups: tuple[dict[str, Any], ...] = ()


def pack(tradeoff: Tradeoff, groups: Sequence[ColumnGroups] = ()) -> Packed:
    """Every array of a trade-off, and of groups at its thresholds, as the browser unpacks it."""
    return Packed(_pack_columns(tradeoff), tuple(_pack_groups(one, tradeoff.score) for one in groups))


def browser_payload(
    tradeoff: Tradeoff,
    *,
    key: str,
    groups: Sequence[ColumnGroups] = (),
    names: Mapping[str, str] = USUAL_NAMES,
    score_kind: str,
    review: Review,
    actions: Sequence[ActionName],
    method: str,
    counted_on: str = "all rows",
    words: Mapping[str, Sequence[str]] | None = None,
    packed: Packed | None = None,
    is_alone: bool = False,
    unit: Unit = POST,
) -> dict[str, Any]:
    """Everything the explorer shows, as strict JSON; `payload_id` names its whole content.

    `groups` are those of the same rows, `names` what a criterion is called beside its id. `packed` are the
    arrays of both where they were made before; `is_alone` says that nobody counts what the arrays do not
    hold; `unit` is what the posts of the trade-off are called.
    """
    packed = packed or pack(tradeoff, groups)
    is_probability = score_kind == "probability"
    payload: dict[str, Any] = {
        "channel": key,
        "data_id": tradeoff.data_id,
        "columns": packed.columns,
        "is_grid": tradeoff.is_grid,
        "is_alone": is_alone,
        "is_probability": is_probability,
        "axis": tradeoff.axis if is_probability else "linear",
        "has_posts": tradeoff.has_posts,
        "unit": asdict(unit),
        "totals": {"n_rows": tradeoff.n_rows, "n_pos": tradeoff.n_pos, "n_posts": tradeoff.n_posts},
        "targets": asdict(tradeoff.targets),
        "verdicts": list(VERDICTS),
        "words": {name: list(said) for name, said in (words or verdict_words(tradeoff.targets)).items()},
        "counted_on": counted_on,
        "min_cases": MIN_CASES,
        "review": review.as_json(),
        "actions": list(actions),
        "method": method,
        "terms": terms(),
        "shortfall": [SHORTFALL.index(verdict) for verdict in VERDICTS],
        "group_words": [GROUP_WORDS[verdict] for verdict in VERDICTS],
        "groups": [
            {
                "column": one.column,
                "shown": legible(one.column),
                "levels": _levels(one, names if one.column == CRITERION else {}),
                "n_without": one.n_without,
                **arrays,
            }
            for one, arrays in zip(groups, packed.groups, strict=True)
        ],
    }
    digest = hashlib.sha256(json.dumps(payload, allow_nan=False).encode())
    return {**payload, "payload_id": digest.hexdigest()[:16]}


def _pack_columns(tradeoff: Tradeoff) -> dict[str, Any]:
    """Every array by threshold index; what changes only where a positive is passed, once per `step`."""
    step = np.flatnonzero(np.diff(tradeoff.pos_below, prepend=-1))
    columns = {
        "score": _pack(tradeoff.score),
        "threshold": _pack(tradeoff.threshold),
        "pos_below": _pack_differences(tradeoff.pos_below),
        "neg_below": _pack_differences(tradeoff.neg_below),
        "posts_missed": _pack_differences(tradeoff.posts_missed),
        "posts_unopened": _pack_differences(tradeoff.posts_unopened),
        "step": _pack_differences(step),
        "sensitivity_low": _pack(_lower(tradeoff.sensitivity_low[step])),
        "sensitivity_high": _pack(_upper(tradeoff.sensitivity_interval.high[step])),
        "missed_high": _pack(_upper(tradeoff.missed_high[step])),
        "workload_low": _pack(_lower(tradeoff.workload_interval.low)),
        "workload_high": _pack(_upper(tradeoff.workload_interval.high)),
        "precision_low_one_sided": _pack(_lower(tradeoff.precision_low)),
        "precision_low": _pack(_lower(tradeoff.precision_interval.low)),
        "precision_high": _pack(_upper(tradeoff.precision_interval.high)),
        "sensitivity_verdict": _pack(tradeoff.sensitivity_verdict.astype(np.uint8)),
        "precision_verdict": _pack(tradeoff.precision_verdict.astype(np.uint8)),
        "missed_verdict": _pack(tradeoff.missed_verdict.astype(np.uint8)),
    }
    if tradeoff.is_grid:
        columns["previous"] = _pack(tradeoff.previous)
    return columns


def _levels(groups: ColumnGroups, names: Mapping[str, str]) -> list[dict[str, str]]:
    """Each group as the file writes it, as it is shown, and what it is called where it has a name."""
    return [
        {"id": level, "shown": legible(level), "name": legible(names.get(level, ""))}
        for level in groups.levels
    ]


def _pack_groups(groups: ColumnGroups, score: np.ndarray) -> dict[str, Any]:
    """Two bytes a positive for where it is missed and two for the bound then, one for the verdict."""
    step = groups.steps(score)
    low = np.floor(np.where(np.isnan(groups.low), 0, groups.low) * GROUP_BOUND_UNIT)
    low[np.isnan(groups.low)] = NO_GROUP_BOUND
    return {
        "n_rows": _pack(groups.n_rows.astype(np.int32)),
        "n_pos": _pack(groups.n_pos.astype(np.int32)),
        "step": _pack(step.astype(np.uint16 if len(score) < 2**16 else np.int32)),
        "low": _pack(low.astype(np.uint16)),
        "verdict": _pack(groups.verdict.astype(np.uint8)),
    }


def _lower(bound: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(bound), -1, np.floor(bound * BOUND_UNIT)).astype(np.int32)


def _upper(bound: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(bound), -1, np.ceil(bound * BOUND_UNIT)).astype(np.int32)


def _pack_differences(ascending: np.ndarray) -> dict[str, Any]:
    """An ascending column as its differences, which are small."""
    differences = np.diff(ascending, prepend=0)
    largest = int(differences.max(initial=0))
    kind = np.uint8 if largest < 2**8 else np.uint16 if largest < 2**16 else np.int32
    return {**_pack(differences.astype(kind)), "is_delta": True}


_KINDS = {"float64": "f64", "int32": "i32", "uint16": "u16", "uint8": "u8"}


def _pack(column: np.ndarray) -> dict[str, Any]:
    little_endian = column.astype(column.dtype.newbyteorder("<"))
    return {
        "kind": _KINDS[column.dtype.name],
        "is_delta": False,
        "base64": base64.b64encode(little_endian.tobytes()).decode(),
    }
