"""Ten sites give what their pooled rows give on the same grid: thresholds, bounds, verdicts and the hash."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import InputError, OperatingPoint
from evalcore.__main__ import main
from evalcore.inference.correlation import ScoreCorrelation
from evalcore.metrics import gate
from evalcore.operating_point import choose_operating_point
from evalcore.operating_point.choosing.estimates import count
from evalcore.operating_point.document.canonical import content_sha256, result_sha256
from evalcore.operating_point.gridding import gridded
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.sites import from_bytes, read_tallies, to_bytes
from evalcore.spec import declared
from evalcore.tallies.grid.cell import SUMS, grid_points
from tests.sites.conftest import HEAD, TARGETS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def chosen(ten: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The documents of the sites, and of the pooled rows."""
    folder = tmp_path_factory.mktemp("chosen")
    of_sites, pooled = folder / "sites.json", folder / "pooled.json"
    main(["choose", *map(str, sorted(ten.glob("*.tally"))), *TARGETS, "--out", str(of_sites)])
    main(["choose", str(ten / "pooled.csv"), "--grid", "2001", *TARGETS, "--out", str(pooled)])
    return of_sites, pooled


def test_ten_sites_give_the_document_of_their_pooled_rows(chosen: tuple[Path, Path]) -> None:
    of_sites, pooled = (OperatingPoint.load(path).document for path in chosen)
    assert 0 < of_sites["rule"]["tau_neg"]["value"] < of_sites["rule"]["tau_pos"]["value"]
    for part in ("rule", "selection", "claims", "estimates", "limits", "status", "input"):
        assert json.dumps(of_sites[part]) == json.dumps(pooled[part]), part
    hashes = {one["provenance"]["result_sha256"] for one in (of_sites, pooled)}
    assert hashes == {result_sha256(of_sites)}
    assert of_sites["content_sha256"] != pooled["content_sha256"]  # of other files


def test_the_order_of_sites_does_not_matter(
    ten: Path, chosen: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    turned = tmp_path / "turned.json"
    run("choose", *sorted(ten.glob("*.tally"))[::-1], *TARGETS, "--out", turned)
    assert turned.read_bytes() == chosen[0].read_bytes()


def test_both_documents_are_verified_on_what_they_were_made_on(
    ten: Path, chosen: tuple[Path, Path], run: Run
) -> None:
    assert run("verify", chosen[0], *sorted(ten.glob("*.tally")))[0] == 0
    assert run("verify", chosen[1], ten / "pooled.csv")[0] == 0


def changed(content: bytes) -> bytes:
    """A tally with one check of one point more, without evidence and in a post of its own."""
    tally = from_bytes(content)
    cells = dict(tally.scores.of_groups)
    for group in (("", ""), ("split", "tune")):
        sums = {name: added.copy() for name, added in cells[group].sums.items()}
        for name in SUMS:
            if name in ("rows", "posts", "rows_rows", "rows_all_rows", "posts_wrong", "posts_whole"):
                sums[name][3] += 1
        sums["posts_all_wrong"][3] += 1
        cells[group] = replace(cells[group], sums=sums)
    scores = replace(tally.scores, of_groups=cells)
    return to_bytes(replace(tally, scores=scores, n_read=tally.n_read + 1))


def test_a_tally_changed_by_one_count_is_told_by_hash_and_verify(
    ten: Path, chosen: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    others = sorted(ten.glob("*.tally"))[1:]
    edited = tmp_path / "site_0.tally"
    edited.write_bytes(changed((ten / "site_0.tally").read_bytes()))
    status, _, told = run("verify", chosen[0], edited, *others)
    assert status == 2
    assert "DOC-005" in told
    run("choose", edited, *others, *TARGETS, "--out", tmp_path / "again.json")
    again = OperatingPoint.load(tmp_path / "again.json")
    assert again.result_sha256 != OperatingPoint.load(chosen[0]).result_sha256
    # Whoever gives the document the digest of the edited file, and its hash, is told by the counts.
    document = OperatingPoint.load(chosen[0]).document
    for entry, other in zip(document["data"], again.document["data"], strict=True):
        entry["sha256"], entry["bytes"] = other["sha256"], other["bytes"]
    document["content_sha256"] = content_sha256(document)
    found = OperatingPoint(document).verify(read_tallies([edited, *others]))
    assert "data[0].rows" in "".join(str(one) for one in found.differences)


def test_gate_counts_are_those_of_the_rows_themselves(ten: Path, chosen: tuple[Path, Path]) -> None:
    document = OperatingPoint.load(chosen[0]).document
    taus = (document["rule"][name]["value"] for name in ("tau_neg", "tau_pos"))
    data = evalcore.load(ten / "pooled.csv")
    counted = count(row_set(data, "tune", split="tune", model=None), *taus)
    of_tune = [one for one in document["estimates"] if one["evaluated_on"] == "tune"]
    for entry in of_tune:
        share = counted.share(evalcore.METRICS[entry["metric"]])
        assert (entry["numerator"], entry["denominator"]) == (share.numerator, share.denominator)


def test_sums_over_posts_are_those_of_the_rows(ten: Path) -> None:
    data = evalcore.load(ten / "pooled.csv")
    on_grid = count(row_set(gridded(data).data, "all", split=None, model=None), 0.1, 0.9)
    rows = count(row_set(data, "all", split=None, model=None), 0.1, 0.9)
    n_same = 0
    for metric in (
        *(gate.neg_rate, gate.pos_rate, gate.alerts_per_1000, gate.screening_sensitivity),
        *(gate.neg_npv, gate.alert_precision, gate.alert_recall),
    ):
        found, expected = on_grid.sums(declared(metric)), rows.sums(declared(metric))
        for name in ("successes", "n", "n_posts", "sum_xx", "sum_xm", "sum_mm", "n_telling", "n_mixed"):
            assert getattr(found, name) == getattr(expected, name), (metric, name)
            n_same += 1
        assert found.correlation >= expected.correlation - 1e-3  # never less, but for scores on the grid
    assert n_same == 56


def test_correlation_within_posts_of_two_is_that_of_rows_and_of_more_is_higher() -> None:
    rng = np.random.default_rng(3)
    for size in (2, 3):
        post = np.repeat(np.arange(300), size)
        score = grid_points(101)[rng.integers(0, 101, len(post))]
        data = rows_as_data(score, post)
        by_rows = ScoreCorrelation.of(score, post)
        by_pairs = row_set(data, "all", split=None, model=None).posts.correlation
        if size == 2:
            assert by_pairs.low == pytest.approx(by_rows.low, abs=1e-12)
            assert by_pairs.high == pytest.approx(by_rows.high, abs=1e-12)
        else:
            assert by_rows.low < by_pairs.low < by_rows.low + 0.2


def rows_as_data(score: np.ndarray, post: np.ndarray) -> evalcore.Data:
    """Positives with these scores on a grid of 101 points, beside one negative."""
    from evalcore.readers.inputs import Upload

    lines = [f"{one},c{at},1,{p!r}" for at, (one, p) in enumerate(zip(post, score.tolist(), strict=True))]
    text = "\n".join(["post_id,criterion_id,has_evidence,probability", *lines, "n,c0,0,0.5", ""])
    return gridded(evalcore.load(Upload("rows.csv", text.encode())), grid=101).data


def test_no_threshold_lies_where_rows_of_the_point_below_may(ten: Path) -> None:
    data = gridded(evalcore.load(ten / "pooled.csv"), grid=11).data
    point = choose_operating_point(data, screening_sensitivity=0.9, alert_precision=0.6)
    scores = evalcore.load(ten / "pooled.csv").queries.score
    for tau in (point.tau_neg, point.tau_pos):
        assert tau is not None
        at = np.searchsorted(grid_points(11), scores, side="right") - 1
        assert ((scores >= tau) == (grid_points(11)[at] >= tau)).all()


def test_a_point_from_tallies_is_never_certified(ten: Path, tmp_path: Path) -> None:
    data = gridded(evalcore.load(ten / "pooled.csv")).data
    how = {"screening_sensitivity": 0.5, "alert_precision": None, "tune": "tune", "test": "test"}
    point = choose_operating_point(data, **how)
    (claim,) = (one for one in point.document["claims"] if one["evaluated_on"] == "test")
    assert (claim["verdict"], point.status) == ("met_with_confidence", "tuned")
    assert any("repeat tune rows" in one for one in point.document["limits"])
    # A document that calls itself certified nevertheless contradicts itself.
    document = {**point.document, "status": "certified"}
    document["limits"] = [one for one in document["limits"] if "repeat tune rows" not in one]
    document["content_sha256"] = content_sha256(document)
    path = tmp_path / "certified.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as refused:
        OperatingPoint.load(path)
    assert "DOC-033" in {one.code for one in refused.value.problems}


def test_what_tallies_cannot_give_is_refused_by_name(ten: Path) -> None:
    rows = evalcore.load(ten / "pooled.csv")
    data = gridded(rows).data
    for how, name in (
        ({"cluster": "fold"}, "the cluster fold"),
        ({"tune": "tune", "test": "test", "test_data": data}, "a file to test on"),
        ({"tune": "tune", "test": "test", "test_data": rows}, "a file to test on"),
    ):
        with pytest.raises(InputError) as refused:
            choose_operating_point(data, **how)
        assert [(one.code, one.found) for one in refused.value.problems] == [("SIT-007", name)]
    with pytest.raises(InputError) as refused:
        choose_operating_point(data, tune="tune", test="elsewhere")
    assert [one.code for one in refused.value.problems] == ["QRY-009"]


def test_rows_without_posts_choose_as_independent_rows(rows: list[str], tmp_path: Path) -> None:
    text = "".join(row.split(",", 2)[2] for row in [HEAD, *rows])
    (tmp_path / "rows.csv").write_text(text)
    point = choose_operating_point(
        gridded(evalcore.load(tmp_path / "rows.csv")).data, tune="tune", test="test"
    )
    assert "overlap_posts_tune_test" not in point.document["selection"]
    assert point.status == "exploratory"
    assert point.verify(evalcore.load(tmp_path / "rows.csv")).holds
