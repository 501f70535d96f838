"""Marked groups, folds and fronts from tallies: those of the pooled rows on the same grid."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import InputError, OperatingPoint
from evalcore.operating_point import choose_operating_point, choose_over_folds
from evalcore.operating_point.document.canonical import result_sha256
from evalcore.operating_point.gridding import gridded
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.sites import from_bytes, read_tallies, to_bytes
from tests.sites.conftest import HEAD, TARGETS, rows_of
from tests.sites.test_sites_explore import on_points
from tests.support.but_long import but_long

Run = Callable[..., tuple[int, str, str]]
MARKED = ("--must-not-miss", "criterion=A.10", "--must-not-miss", "criterion=A.1", "--by", "fold")
LOW = ("--screening-sensitivity", "0.9", "--alert-precision", "0.8")


@pytest.mark.parametrize(
    "how",
    but_long([((*TARGETS, *MARKED),), ((*LOW, "--folds", *MARKED[:2]),), ((*LOW, *MARKED),)], 1),
)
def test_ten_sites_give_the_document_of_their_pooled_rows(
    ten: Path, run: Run, tmp_path: Path, how: tuple[str, ...]
) -> None:
    files, pooled = sorted(ten.glob("*.tally")), ten / "pooled.csv"
    names = tmp_path / "sites.json", tmp_path / "pooled.json"
    run("choose", *files, *how, "--out", names[0])
    run("choose", pooled, "--grid", 2001, *how, "--out", names[1])
    one, other = (OperatingPoint.load(name).document for name in names)
    for part in ("rule", "selection", "claims", "estimates", "subgroups", "limits", "status", "input"):
        assert json.dumps(one[part]) == json.dumps(other[part]), part
    assert one["provenance"]["result_sha256"] == result_sha256(other)
    assert len(one["subgroups"]) >= 3
    assert run("verify", names[0], *files)[0] == 0
    assert run("verify", names[1], pooled)[0] == 0


def test_counts_of_groups_are_those_of_the_rows_themselves(ten: Path) -> None:
    how: dict[str, Any] = {"screening_sensitivity": 0.9, "tune": "tune", "test": "test"}
    marks = {"must_not_miss": (("criterion", "A.1"),), "by": ("fold",)}
    point = choose_operating_point(read_tallies(ten.glob("*.tally")), **how, **marks)
    data = evalcore.load(ten / "pooled.csv")
    n_same = 0
    for entry in point.document["subgroups"]:
        rows = row_set(data, entry["evaluated_on"], split=entry["evaluated_on"], model=None)
        (count,) = rows.marked_counts([(entry["column"], entry["level"])], point.tau_neg)
        found = tuple(entry[name] for name in ("n", "n_positive", "n_missed"))
        assert found == (count.n, count.n_positive, count.n_missed)
        n_same += count.n_missed > 0
    assert n_same >= 6


def test_folds_held_out_are_those_of_rows_on_the_points_of_the_grid(ten: Path) -> None:
    how: dict[str, Any] = {"screening_sensitivity": 0.9, "alert_precision": 0.8, "confidence": None}
    sites = choose_over_folds(read_tallies(ten.glob("*.tally")), **how).document["selection"]["folds"]
    rows = choose_over_folds(on_points(ten, None).data, **how).document["selection"]["folds"]
    counted = ("fold", "rows", "positives", "skipped", "missed", "alerts", "alerts_right")
    found, expected = ([[one[name] for name in counted] for one in of["held_out"]] for of in (sites, rows))
    assert found == expected
    assert [one[0] for one in found] == ["0", "1", "2"]
    assert min(one[4] for one in found) > 0


def test_fronts_of_ten_sites_are_those_of_their_pooled_rows(ten: Path, run: Run, tmp_path: Path) -> None:
    how, front = (*LOW, "--out", tmp_path / "point.json"), ("--overwrite", "--pareto")
    run("choose", *sorted(ten.glob("*.tally")), *how, *front, tmp_path / "sites.csv")
    run("choose", ten / "pooled.csv", "--grid", 2001, *how, *front, tmp_path / "pooled.csv")
    assert (tmp_path / "sites.csv").read_bytes() == (tmp_path / "pooled.csv").read_bytes()
    table, data = pd.read_csv(tmp_path / "sites.csv"), evalcore.load(ten / "pooled.csv")
    # Every threshold decides on scores as on their points.
    for name in ("tau_neg", "tau_pos"):
        for tau in table[name].dropna():
            at = np.searchsorted(np.arange(2001) / 2000, data.queries.score, side="right") - 1
            assert ((data.queries.score < tau) == (at / 2000 < tau)).all()


def refused(data: evalcore.Data, choose: Callable[..., Any], **how: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as found:
        choose(data, **how)
    return [(one.code, one.found) for one in found.value.problems]


def loaded(folder: Path, text: str) -> evalcore.Data:
    (folder / "rows.csv").write_text(text)
    return evalcore.load(folder / "rows.csv")


def test_posts_in_several_folds_are_counted_and_no_fold_is_held_out_then(tmp_path: Path) -> None:
    rows = rows_of(60)
    torn = [row.replace(",0,", ",1,", 1) if row.startswith("p0,A.1,") else row for row in rows]
    scores = gridded(loaded(tmp_path, HEAD + "".join(torn))).scores
    assert scores.n_in_several_folds == 1
    assert gridded(loaded(tmp_path, HEAD + "".join(rows))).scores.n_in_several_folds == 0
    data = gridded(loaded(tmp_path, HEAD + "".join(torn))).data
    ((code, told),) = refused(data, choose_over_folds)
    assert code == "SIT-007"
    assert "1 post with rows in several" in told


def test_a_group_that_a_site_left_out_is_not_counted_as_whole(tmp_path: Path) -> None:
    rows = [row for row in rows_of(90) if ",A.10," not in row or int(row[1 : row.index(",")]) < 9]
    data = gridded(loaded(tmp_path, HEAD + "".join(rows)), by=("criterion",), smallest_cell=10).data
    mark = {"must_not_miss": (("criterion", "A.1"),)}
    left_out = refused(data, choose_operating_point, **mark)
    assert left_out[0] == ("SIT-007", "criterion = A.10, which a site left out")
    left_out = refused(data, choose_operating_point, by=("criterion",))
    assert {code for code, _ in left_out} == {"SIT-007"}


def test_a_column_that_was_not_gathered_is_named(ten: Path) -> None:
    data = read_tallies(ten.glob("*.tally"))
    for mark, code in ((("ward", "B"), "OPT-071"), (("criterion", "A.3"), "OPT-072")):
        assert [one for one, _ in refused(data, choose_operating_point, must_not_miss=(mark,))] == [code]


def test_groups_of_a_split_that_contradict_the_whole_are_refused(ten: Path) -> None:
    tally = from_bytes((ten / "site_0.tally").read_bytes())
    splits = {name: dict(groups) for name, groups in tally.scores.of_splits.items()}
    splits["tune"]["criterion", "A.1"] = tally.scores.everything
    changed = replace(tally, scores=replace(tally.scores, of_splits=splits))
    with pytest.raises(InputError) as found:
        from_bytes(to_bytes(changed))
    assert {one.code for one in found.value.problems} == {"SIT-002"}
    assert "criterion" in str(found.value)
