"""A column of the file that is called as a role that another column has: both are kept, under two names."""

import csv
import io

import pytest

import evalcore
from evalcore.evaluation.groups import group_columns
from evalcore.operating_point.tradeoff.groups import known_marks
from evalcore.readers import Upload
from pages.shared.point.marks import rows_as_file

OWN = ["x", "y", "x"]


def read(own: str, role: str) -> evalcore.data.Data:
    """A file whose role is held by a column of another name, beside an own column called as the role."""
    rows = [["subject", "gt", "p_hat", "theirs", own]]
    rows += [[f"s{at}", str(at % 2), f"0.{at + 1}", str(at % 2), level] for at, level in enumerate(OWN)]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    columns = {"post_id": "subject", "has_evidence": "gt", "probability": "p_hat", role: "theirs"}
    return evalcore.load([Upload("given.csv", text.getvalue().encode())], columns=columns)


@pytest.mark.parametrize(
    ("own", "role"),
    [("criterion", "criterion_id"), ("criterion_id", "criterion_id"), ("fold", "fold"), ("split", "split")],
)
def test_an_own_column_called_as_a_role_is_kept_beside_it(own: str, role: str) -> None:
    data = read(own, role)
    name = f"{own} (column)"
    assert data.queries is not None
    assert {"criterion" if role == "criterion_id" else role, name} <= set(group_columns(data))
    assert [mark for mark in known_marks(data.queries).values() if mark[0] == name] == [
        (name, "x"),
        (name, "y"),
    ]
    table = evalcore.evaluate(data, by=(name,)).table
    assert set(table.loc[table["group_by"] == name, "group"]) == {"x", "y"}


@pytest.mark.parametrize("own", ["score", "label", "weight_class", "state_of_mind", "self"])
def test_an_own_column_of_any_other_name_keeps_its_levels_and_the_rows_theirs(own: str) -> None:
    data = read(own, "fold")
    assert data.queries is not None
    (name,) = {column for column, _ in known_marks(data.queries).values()} - {"fold"}
    assert name == own
    file = rows_as_file(data, "p_hat", ("0.15", "0.5"), (name, "x"))
    lines = list(csv.DictReader(io.StringIO(file.content or "")))
    assert [one["post"] for one in lines] == ["s0", "s2"]
    assert [one["score"] for one in lines] == ["0.1", "0.3"]
    assert {one["score (column)" if own == "score" else name] for one in lines} == {"x"}


def test_an_own_column_of_numbers_called_as_a_role_is_kept_beside_it() -> None:
    lines = ["post_id,has_evidence,probability,cut,tau_neg,t2"]
    lines += [f"p{at},{at % 2},0.{at + 1},0.2,{at}.5,0.8" for at in range(5)]
    columns = {"tau_neg": "cut", "tau_pos": "t2"}
    data = evalcore.load([Upload("given.csv", "\n".join(lines).encode())], columns=columns)
    assert data.queries is not None
    assert data.queries.numbers["tau_neg"].tolist() == [0.2] * 5
    assert data.queries.numbers["tau_neg (column)"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_a_name_that_the_file_uses_is_not_given_twice() -> None:
    text = "post_id,has_evidence,probability,cv,fold,fold (column)\np1,1,0.2,1,a,b\np2,0,0.3,2,c,d\n"
    data = evalcore.load([Upload("given.csv", text.encode())], columns={"fold": "cv"})
    assert data.queries is not None
    assert {name: levels for name, (_, levels) in data.queries.slices.items()} == {
        "fold": ("1", "2"),
        "fold (column 2)": ("a", "c"),
        "fold (column)": ("b", "d"),
    }
