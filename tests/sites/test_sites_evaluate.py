"""Values from tallies: those of pooled rows on the same grid, and counts that are those of the rows."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import InputError, evaluate
from evalcore.operating_point.gridding import gridded
from evalcore.sites import read_tallies
from evalcore.tallies.grid import GridScores

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
        ("compare", site, ten / "site_1.tally"),
        ("explore", site, "--out", tmp_path / "page.html"),
        ("crosscheck", site),
    ):
        status, _, told = run(*command)
        assert status == 2
        assert "tallies of a site" in told, command
    status, _, told = run("evaluate", site, "--save", tmp_path / "a.evalcore")
    assert (status, "REP-293" in told) == (2, True)
    status, _, told = run("evaluate", site, "--positive", "1", "--column", "score=x")
    assert (status, told.count("SIT-007")) == (2, 2)
