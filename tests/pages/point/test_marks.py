"""Groups that must not be missed, as a session keeps them, and the rows of a group as a file."""

import csv
import io

import pytest

from evalcore.data import Data
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.table import Targets
from pages.shared.data import session
from pages.shared.explorer.messenger import Marks
from pages.shared.point import marks as module
from pages.shared.point.marks import (
    criterion_names,
    failures_of,
    groups_of,
    marks_in_use,
    rows_as_file,
    take_marks,
)
from tests.support.reading import read

HEADER = "post_id,criterion_id,has_evidence,probability,ward,split\n"
ROWS = "a,A.8,1,0.2,x y,tune\na,A.9,0,0.6,x y,tune\nb,A.8,0,0.1,z,tune\nb,A.9,1,0.7,x y,test\n"


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> Data:
    """Data in use in a session that has marked nothing."""
    found = read(HEADER + ROWS)
    kept = session.SessionData(found, "given.csv", is_sample=False, key=found.digest)
    monkeypatch.setattr(session, "current", lambda: kept)
    monkeypatch.setattr(module.st, "session_state", {})
    return found


def test_suicidal_ideation_must_not_be_missed_unless_somebody_says_otherwise(data: Data) -> None:
    assert marks_in_use(data) == Marks((("criterion", "A.9"),), 0)
    take_marks(Marks((("ward", "z"),), 3))
    assert marks_in_use(data) == Marks((("ward", "z"),), 3)
    take_marks(Marks((), 4))
    assert marks_in_use(data) == Marks((), 4)


def test_other_data_start_afresh(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    take_marks(Marks((("ward", "z"),), 3))
    assert marks_in_use(data).revision == 3
    other = read("post_id,has_evidence,probability\na,1,0.5\nb,0,0.2\n")
    kept = session.SessionData(other, "other.csv", is_sample=False, key=other.digest)
    monkeypatch.setattr(session, "current", lambda: kept)
    assert marks_in_use(other) == Marks((), 0)


def test_groups_are_counted_once_for_the_same_rows_and_target(data: Data) -> None:
    rows = row_set(data, "tune", split="tune", model=None)
    first = groups_of(rows, "owner", Targets(), ())
    assert [one.column for one in first] == ["criterion", "ward"]
    assert groups_of(rows, "owner", Targets(precision=0.5), ()) is first
    assert groups_of(rows, "owner", Targets(sensitivity=0.9), ()) is not first


def test_rows_of_a_group_are_those_of_tune_with_their_state(data: Data) -> None:
    file = rows_as_file(data, "probability", ("0.3", "0.5"), ("ward", "x y"))
    assert file.file_name == "rows_ward_x_y_0.3_0.5.csv"
    lines = list(csv.DictReader(io.StringIO(file.content)))
    assert [(one["post"], one["criterion"], one["state"], one["ward"]) for one in lines] == [
        ("a", "A.8", "NEG", "x y"),
        ("a", "A.9", "POS", "x y"),
    ]


def test_failures_take_a_criterion_by_its_name_and_any_other_group_as_one(data: Data) -> None:
    assert failures_of(("criterion", "A.9")) == {"criterion": "A.9"}
    assert failures_of(("ward", "x y")) == {"group": "ward=x y"}
    assert criterion_names(data)["A.9"] == "suicidal ideation"
