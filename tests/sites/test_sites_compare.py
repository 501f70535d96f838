"""Two models or two operating points from the second rounds of the same sites."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalcore.sites import from_bytes, to_bytes
from tests.sites.conftest import HEAD, rows_of

Run = Callable[..., tuple[int, str, str]]
DRAWN = ("--bootstrap", 200, "--seed", 3)
TAUS = ("--tau-neg", 0.1, "--tau-pos", 0.8)
VALUES = ["metric", "group_by", "group", "first_value", "second_value", "difference", "ci_low", "ci_high"]


def second_model() -> list[str]:
    """The same posts, criteria and labels with the scores of another model."""
    rng = np.random.default_rng(9)
    found = []
    for row in rows_of(240):
        *facts, score = row.strip().split(",")
        odds = float(score) / (1 - float(score)) * np.exp(rng.normal(0, 0.7) - 0.3)
        found.append(",".join([*facts, f"{odds / (1 + odds):.6f}\n"]))
    return found


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders ``first``, ``second`` and ``moved`` (of the first model) of three sites; ``*.csv`` pooled."""
    from evalcore.__main__ import main

    folder = tmp_path_factory.mktemp("rounds")
    moved = ("--tau-neg", 0.2, "--tau-pos", 0.8)
    for name, rows, taus in (
        ("first", rows_of(240), TAUS),
        ("second", second_model(), TAUS),
        ("moved", rows_of(240), moved),
    ):
        (folder / name).mkdir()
        (folder / f"{name}.csv").write_text(HEAD + "".join(rows))
        for site in range(3):
            own = [row for row in rows if int(row[1 : row.index(",")]) % 3 == site]
            (folder / "own.csv").write_text(HEAD + "".join(own))
            out = folder / name / f"site_{site}.tally"
            how = [*map(str, (*taus, *DRAWN)), "--by", "criterion", "--out", str(out)]
            assert main(["gather", str(folder / "own.csv"), *how]) == 0
    return folder


def compared(run: Run, out: Path, *how: object) -> pd.DataFrame:
    status, _, told = run("compare", *how, *DRAWN, "--overwrite", "--out", out)
    assert status == 0, told
    return pd.read_csv(out)


def test_rates_of_two_models_and_their_paired_intervals_are_those_of_the_rows(
    sites: Path, run: Run, tmp_path: Path
) -> None:
    by = ("--by", "criterion")
    of_sites = compared(run, tmp_path / "sites.csv", sites / "first", sites / "second", *by)
    files = (sites / "first.csv", sites / "second.csv")
    metrics = ("--metrics", ",".join(of_sites["metric"].unique()), "--permutations", 0)
    of_rows = compared(run, tmp_path / "rows.csv", *files, *TAUS, *by, *metrics)
    keys = ["metric", "group_by", "group"]
    both = of_sites.merge(of_rows, on=keys, suffixes=("", "_of_rows"), validate="one_to_one")
    assert len(both) == len(of_sites) >= 4 * 9
    for name in VALUES[3:]:
        np.testing.assert_array_equal(both[name], both[f"{name}_of_rows"], err_msg=name)
    assert both["ci_low"].notna().sum() > 20
    assert of_sites["p"].isna().all()
    assert of_sites["p_method"].str.startswith("not_computed").all()


def test_sites_give_the_bytes_of_their_pooled_rows(sites: Path, run: Run, tmp_path: Path) -> None:
    for name in ("first", "second"):
        how = (*TAUS, *DRAWN, "--by", "criterion", "--site", "pooled", "--out", tmp_path / f"{name}.tally")
        assert run("gather", sites / f"{name}.csv", *how)[0] == 0
    compared(run, tmp_path / "sites.csv", sites / "first", sites / "second", "--by", "criterion")
    pooled = (tmp_path / "first.tally", tmp_path / "second.tally")
    compared(run, tmp_path / "pooled.csv", *pooled, "--by", "criterion")
    assert (tmp_path / "sites.csv").read_bytes() == (tmp_path / "pooled.csv").read_bytes()


def test_two_operating_points_of_one_model_are_compared(sites: Path, run: Run, tmp_path: Path) -> None:
    table = compared(run, tmp_path / "points.csv", sites / "first", sites / "moved").set_index("metric")
    moved = table.loc["gate.neg_rate"]
    assert moved["difference"] > 0 < moved["ci_low"]
    assert "tau_neg_first=0.1" in moved["params"]
    assert table.loc["gate.pos_rate", "difference"] == 0  # the same threshold to alert
    assert "not_estimable" in table.loc["gate.pos_rate", "ci_method"]
    of_split = compared(run, tmp_path / "split.csv", sites / "first", sites / "moved", "--split", "test")
    assert set(of_split["group"]) == {"test"}
    assert of_split["n"].iloc[0] < moved["n"]


def test_other_posts_labels_and_draws_are_refused(sites: Path, run: Run, tmp_path: Path) -> None:
    rows = rows_of(240)
    turned = [row.replace(",0,0.", ",1,0.", 1) if row.startswith("p7,") else row for row in rows]
    renamed = [f"x{row}" for row in rows]
    for name, own, options, told in (
        ("labels", turned, DRAWN, "with evidence"),
        ("posts", renamed, DRAWN, "replicates"),
        ("seed", rows, ("--bootstrap", 200, "--seed", 4), "seed 4"),
    ):
        (tmp_path / "rows.csv").write_text(HEAD + "".join(own))
        (tmp_path / "first.csv").write_text(HEAD + "".join(rows))
        for side, rows_file, drawn in (("a", "first.csv", DRAWN), ("b", "rows.csv", options)):
            out = ("--by", "criterion", "--site", "one", "--overwrite", "--out", tmp_path / f"{side}.tally")
            assert run("gather", tmp_path / rows_file, *TAUS, *drawn, *out)[0] == 0
        status, _, said = run("compare", tmp_path / "a.tally", tmp_path / "b.tally", *DRAWN)
        assert (status, "SIT-011" in said, told in said) == (2, True, True), name
    status, _, said = run("compare", sites / "first", sites / "second" / "site_0.tally", *DRAWN)
    assert (status, "SIT-011" in said, "sites" in said) == (2, True, True)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (("--models", "a,b"), "SIT-007"),
        (("--tau-neg", 0.1, "--tau-pos", 0.5), "SIT-007"),
        (("--tau-neg", 0), "SIT-007"),
        (("--by-row",), "SIT-007"),
        (("--metrics", "auroc"), "OPT-003"),
        (("--by", "ward"), "OPT-006"),
        (("--split", "elsewhere"), "QRY-009"),
        (("--split", "test", "--by", "criterion"), "SIT-007"),
    ],
)
def test_what_two_rounds_cannot_give_is_refused_by_name(
    sites: Path, run: Run, how: tuple[object, ...], code: str
) -> None:
    status, _, told = run("compare", sites / "first", sites / "second", *DRAWN, *how)
    assert (status, code in told) == (2, True)


def test_first_rounds_and_other_replicates_are_refused(sites: Path, ten: Path, run: Run) -> None:
    assert "SIT-007" in run("compare", ten / "site_0.tally", ten / "site_0.tally", *DRAWN)[2]
    assert "OPT-008" in run("compare", sites / "first", *DRAWN)[2]
    assert "SIT-007" in run("compare", sites / "first", sites / "second")[2]  # 2,000 replicates were not sent
    assert "SIT-001" in run("compare", sites / "first", sites / "second.csv", *DRAWN)[2]


def test_replicates_in_another_order_are_no_pairs(sites: Path, run: Run, tmp_path: Path) -> None:
    for path in sorted((sites / "second").glob("*.tally")):
        tally = from_bytes(path.read_bytes())
        cells = {
            group: replace(cell, drawn=None if cell.drawn is None else cell.drawn[:, ::-1])
            for group, cell in tally.scores.of_groups.items()
        }
        turned = replace(tally, scores=replace(tally.scores, of_groups=cells))
        (tmp_path / path.name).write_bytes(to_bytes(turned))
    status, _, told = run("compare", sites / "first", tmp_path, *DRAWN)
    assert (status, "SIT-011" in told) == (2, True)
    assert "of 200 replicates" in told
