"""Values from tallies: those of pooled rows on the same grid, and counts that are those of the rows."""

import math
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import InputError, evaluate
from evalcore.catalog import METRICS
from evalcore.evaluation.values import of_tally
from evalcore.operating_point.gridding import gridded
from evalcore.sites import read_tallies
from evalcore.spec import Ratio, Undefined, metric
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.grid import GridScores
from evalcore.tallies.grid.cell import GridCell, GridTable
from evalcore.tallies.scores import ScoreTable
from tests.sites.conftest import HEAD, TARGETS

Run = Callable[..., tuple[int, str, str]]
KEYS = ["family", "metric", "params", "variant", "population", "group_by", "group"]


def test_metrics_of_ten_sites_are_those_of_pooled_rows_byte_for_byte(
    ten: Path, run: Run, tmp_path: Path
) -> None:
    how = ("--by", "criterion", "--tau-neg", 0.05, "--tau-pos", 0.9, "--out")
    assert run("evaluate", *sorted(ten.glob("*.tally")), *how, tmp_path / "sites")[0] == 0
    assert run("evaluate", ten / "pooled.csv", "--grid", 2001, *how, tmp_path / "pooled")[0] == 0
    one, other = ((tmp_path / name / "metrics.csv").read_bytes() for name in ("sites", "pooled"))
    assert one == other
    names = {path.name for path in (tmp_path / "sites").iterdir()}
    assert names == {"metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex"}


def test_values_at_points_of_the_grid_are_those_of_the_rows(ten: Path) -> None:
    how = {"by": ("criterion",), "tau_neg": 0.05, "tau_pos": 0.9}
    rows = evaluate(evalcore.load(ten / "pooled.csv"), **how).table
    sites = evaluate(read_tallies(ten.glob("*.tally")), **how).table
    both = sites.merge(rows, on=KEYS, suffixes=("", "_of_rows"), validate="one_to_one")
    assert len(both) == len(sites)
    of_order = both.metric.isin(["auroc", "auprc", "tpr_at_fpr"])
    of_probability = both.family == "calibration"
    decided = both[~of_order & ~of_probability]
    assert len(decided) > 200
    np.testing.assert_array_equal(decided.value, decided.value_of_rows)
    assert (both.value - both.value_of_rows)[of_order & (both.group == "")].abs().max() < 0.005
    assert both.value[of_probability].isna().all()
    assert both.note[of_probability & (both.group == "")].str.contains("points of a grid").any()
    delong = both[(both.metric == "auroc") & (both.group == "A.1")]
    assert delong.ci_method.str.startswith("delong(").all()


def test_sites_as_parts_of_one_input_are_merged_as_everything_is(ten: Path) -> None:
    parts = [read_tallies([path]) for path in sorted(ten.glob("*.tally"))]
    whole = evaluate(read_tallies(ten.glob("*.tally"))).table
    assert evaluate(parts[::-1]).table.equals(whole)
    merged = reduce(GridScores.merge, (part.tables["sites"] for part in parts)).ordered()
    pooled = gridded(evalcore.load(ten / "pooled.csv"), by=("criterion",)).scores
    for group, cell in pooled.of_groups.items():
        assert merged.of_groups[group].points.tolist() == cell.points.tolist()
        assert merged.of_groups[group].pairs.tolist() == cell.pairs.tolist()
        for name, added in cell.sums.items():
            assert merged.of_groups[group].sums[name].tolist() == added.tolist(), (group, name)
    assert merged.shared == pooled.shared
    other = gridded(evalcore.load(ten / "pooled.csv"), grid=11).data
    with pytest.raises(InputError) as refused:
        evaluate([parts[0], other])
    assert [one.code for one in refused.value.problems] == ["QRY-240"]


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"bootstrap": 200}, "SIT-007"),
        ({"by": ("criterion", "split")}, "SIT-007"),
        ({"tau_neg": 0.05033, "tau_pos": 0.9}, "SIT-008"),
        ({"by": ("elsewhere",)}, "OPT-006"),
        ({"cluster": "criterion"}, "OPT-003"),
    ],
)
def test_what_tallies_cannot_give_is_refused_by_name(ten: Path, how: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as refused:
        evaluate(read_tallies(ten.glob("*.tally")), **how)
    assert [one.code for one in refused.value.problems] == [code]


def test_commands_that_need_rows_say_what_a_tally_is(ten: Path, run: Run, tmp_path: Path) -> None:
    site = ten / "site_0.tally"
    for command in (
        ("check", site),
        ("ablation", site),
        ("crosscheck", site),
    ):
        status, _, told = run(*command)
        assert status == 2
        assert "tallies of a site" in told, command
    status, _, told = run("evaluate", site, "--save", tmp_path / "a.evalcore")
    assert (status, "REP-293" in told) == (2, True)
    status, _, told = run("evaluate", site, "--positive", "1", "--column", "score=x")
    assert (status, told.count("SIT-007")) == (2, 2)


DRAWN = ("--bootstrap", 200, "--seed", 3)


def test_replicates_of_sites_give_the_intervals_of_the_rows(
    ten: Path, rows: list[str], run: Run, tmp_path: Path
) -> None:
    run("choose", *sorted(ten.glob("*.tally")), *TARGETS, "--out", tmp_path / "point.json")
    files = []
    for site in range(3):
        own = [row for row in rows if int(row[1 : row.index(",")]) % 3 == site]
        (tmp_path / "rows.csv").write_text(HEAD + "".join(own))
        files.append(tmp_path / f"second_{site}.tally")
        at = ("--at", tmp_path / "point.json", "--by", "criterion")
        status, said, _ = run("gather", tmp_path / "rows.csv", *at, *DRAWN, "--out", files[-1])
        assert (status, "can guess the ids" in said) == (0, True)
    how = ("--point", tmp_path / "point.json", "--by", "criterion", *DRAWN, "--out")
    assert run("evaluate", *files, *how, tmp_path / "sites")[0] == 0
    assert run("evaluate", ten / "pooled.csv", "--grid", 2001, *how, tmp_path / "grid")[0] == 0
    assert run("evaluate", ten / "pooled.csv", *how, tmp_path / "rows")[0] == 0
    tables = {name: pd.read_csv(tmp_path / name / "metrics.csv") for name in ("sites", "grid", "rows")}
    assert tables["sites"].equals(tables["grid"])
    both = tables["sites"].merge(tables["rows"], on=KEYS, suffixes=("", "_of_rows"))
    rates = both[both.metric.isin(["neg_rate", "uncertain_rate", "pos_rate", "alerts_per_1000"])]
    rates = rates[~rates.params.str.contains("stat=")]
    assert len(rates) == 16  # all rows, and three criteria
    assert rates.ci_method.str.startswith("cluster_bootstrap(posts=900;B=200;").all()
    for name in ("ci_low", "ci_high", "ci_method"):
        assert rates[name].tolist() == rates[f"{name}_of_rows"].tolist()
    # Replicates of a site are not those of another seed, and without all sites' there are none.
    assert "SIT-007" in run("evaluate", *files, "--bootstrap", 200, "--seed", 4)[2]
    assert "SIT-007" in run("evaluate", *files, "--bootstrap", 300, "--seed", 3)[2]
    assert "SIT-004" in run("evaluate", *files[:2], ten / "site_0.tally", *DRAWN)[2]
    assert run("evaluate", *files)[0] == 0  # at the thresholds that they hold


@pytest.mark.parametrize(
    "options",
    [
        ("--bootstrap", 200),
        ("--tau-neg", 0.1, "--tau-pos", 0.5),
        ("--tau-neg", 0.1, "--bootstrap", 200),
        ("--tau-neg", 0.6, "--tau-pos", 0.5, "--bootstrap", 200),
        ("--tau-neg", 0.1, "--tau-pos", 0.5, "--bootstrap", 20),
        ("--tau-neg", 0.1, "--tau-pos", 0.5, "--bootstrap", 200, "--seed", -1),
    ],
)
def test_a_second_round_needs_thresholds_and_replicates(
    ten: Path, run: Run, tmp_path: Path, options: tuple[object, ...]
) -> None:
    status, _, told = run("gather", ten / "pooled.csv", *options, "--out", tmp_path / "a.tally")
    assert (status, "OPT-0" in told) == (2, True)
    assert not list(tmp_path.iterdir())


def test_rows_without_posts_are_not_drawn(rows: list[str], run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("".join(row.split(",", 2)[2] for row in [HEAD, *rows]))
    at = ("--tau-neg", 0.1, "--tau-pos", 0.5, *DRAWN)
    assert "SIT-007" in run("gather", tmp_path / "rows.csv", *at, "--out", tmp_path / "a.tally")[2]


def planted_highest(table: ScoreTable) -> float:
    """The highest score."""
    return float(table.score.max())


def planted_skipped(counts: StateCounts) -> Ratio:
    """Skipped checks with evidence, and one, for each alert."""
    return Ratio(counts.neg_pos + 1, counts.n_pos)


def unprepared(ten: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Two metrics that nobody prepared for → their values of sites, and as counted of the rows by hand."""
    taus = ("tau_neg", "tau_pos")
    facts = {"formula": "?", "undefined": (Undefined(lambda _: False, "never"),), "source": "a test"}
    facts |= {"population": "all_queries", "bounds": (0, math.inf), "better": "neither"}
    metric(family="classification", label="Planted highest", **facts)(planted_highest)
    metric(family="gate", label="Planted skipped", params=taus, **facts)(planted_skipped)
    of_tally.cache_clear()
    try:
        table = evaluate(
            read_tallies(sorted(ten.glob("*.tally"))), by=("criterion",), tau_neg=0.3, tau_pos=0.6
        ).table
    finally:
        del METRICS["classification.planted_highest"], METRICS["gate.planted_skipped"]
        of_tally.cache_clear()
    rows = pd.read_csv(ten / "pooled.csv")
    groups = [rows, *(rows[rows.criterion_id == name] for name in ("A.1", "A.2", "A.10"))]
    highest = [math.floor(one.probability.max() * 2000) / 2000 for one in groups]
    skipped = [((one.probability < 0.3) & (one.has_evidence == 1)).sum() + 1 for one in groups]
    alerts = [(one.probability >= 0.6).sum() for one in groups]
    by_hand = {"planted_highest": highest, "planted_skipped": np.divide(skipped, alerts).tolist()}
    pooled = ~table["params"].str.contains("stat=")
    return {
        name: (table.loc[pooled & (table["metric"] == name), "value"].tolist(), expected)
        for name, expected in by_hand.items()
    }


def test_a_metric_that_nobody_prepared_for_has_the_value_of_the_rows(ten: Path) -> None:
    for name, (found, expected) in unprepared(ten).items():
        assert found == expected, name


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("merge", lambda one, _: one),
        ("tallies", lambda table, _: iter([("ScoreTable", {}, table)])),
        ("states", lambda table, low, high: states_at(table, low / 2, high)),
        ("table", lambda cell, n: GridTable(*lowered(cell, n), n_points=n)),
    ],
)
def test_faults_of_tallies_are_seen_by_a_metric_that_nobody_prepared_for(
    ten: Path, monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[..., Any]
) -> None:
    module = "evalcore.evaluation.gathering.sites"
    cell = "evalcore.tallies.grid.cell.GridCell"
    places = {
        "merge": f"{cell}.merge",  # the rows of every site but the first are lost
        "tallies": f"{module}._tallies",  # a kind of tally is not made
        "states": f"{module}.states_at",  # states at another threshold
        "table": f"{cell}.table",  # a score at the next lower point
    }
    monkeypatch.setattr(places[name], fault)
    assert any(found != expected for found, expected in unprepared(ten).values())


def lowered(cell: GridCell, n_points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores one point too low, with their counts."""
    pos = cell.sums["pos"]
    return (cell.points - 1) / (n_points - 1), pos, cell.sums["rows"] - pos
