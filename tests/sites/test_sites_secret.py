"""Replicates that are drawn by a secret: additive over sites as before, and no help to who guesses ids."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import InputError
from evalcore.drawn import weights
from evalcore.drawn.secret import Secret
from evalcore.operating_point.gridding import gridded
from evalcore.sites import from_bytes, read_tallies
from evalcore.tallies.grid import Drawn
from tests.sites.conftest import HEAD, rows_of

Run = Callable[..., tuple[int, str, str]]
TEXT = "0f3c9a51b7e24d688c1f0a7d93e5b246d1c8f07a6b9e3425"
OTHER = TEXT[::-1]
AT = ("--tau-neg", 0.1, "--tau-pos", 0.8, "--by", "criterion", "--bootstrap", 200, "--seed", 3)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """The file of the secret that all sites hold."""
    path = tmp_path / "secret.txt"
    path.write_text(TEXT + "\n")
    return path


def gathered(
    rows: list[str], folder: Path, run: Run, *options: object, n_sites: int = 3, name: str = "site"
) -> list[Path]:
    """The files of so many sites."""
    files = []
    for site in range(n_sites):
        own = [row for row in rows if int(row[1 : row.index(",")]) % n_sites == site]
        (folder / "rows.csv").write_text(HEAD + "".join(own))
        files.append(folder / f"{name}_{site}.tally")
        assert run("gather", folder / "rows.csv", *AT, *options, "--out", files[-1])[0] == 0
    return files


@pytest.mark.long
def test_any_partition_gives_the_intervals_of_the_pooled_rows(
    ten: Path, rows: list[str], run: Run, tmp_path: Path, secret: Path
) -> None:
    by_secret = ("--secret-file", secret)
    pooled = ("evaluate", ten / "pooled.csv", "--grid", 2001, *AT, *by_secret, "--out", tmp_path / "pooled")
    assert run(*pooled)[0] == 0
    for n_sites in (2, 3):
        files = gathered(rows, tmp_path, run, *by_secret, n_sites=n_sites, name=f"of_{n_sites}")
        out = tmp_path / f"sites_{n_sites}"
        assert run("evaluate", *files, *AT, "--out", out)[0] == 0  # whoever has the files needs no secret
        assert (out / "metrics.csv").read_bytes() == (tmp_path / "pooled" / "metrics.csv").read_bytes()
    assert "cluster_bootstrap(posts=900;draws=by_secret;B=200;" in (out / "metrics.csv").read_text()


def test_a_file_names_no_secret_and_sites_of_another_do_not_fit(
    rows: list[str], run: Run, tmp_path: Path, secret: Path
) -> None:
    own = gathered(rows[:300], tmp_path, run, "--secret-file", secret, n_sites=2)
    plain = gathered(rows[:300], tmp_path, run, n_sites=2, name="plain")
    (tmp_path / "other.txt").write_text(OTHER)
    other = gathered(rows[:300], tmp_path, run, "--secret-file", tmp_path / "other.txt", n_sites=2, name="b")
    drawn = [from_bytes(files[0].read_bytes()).scores.drawn for files in (own, plain, other)]
    assert [one.secret is None for one in drawn if one is not None] == [False, True, False]
    assert Secret.of_text(TEXT.encode()).check == drawn[0].secret
    assert len({one.secret for one in drawn if one is not None}) == 3
    for strange in (plain[1], other[1]):
        with pytest.raises(InputError) as refused:
            read_tallies([own[0], strange])
        assert {one.code for one in refused.value.problems} == {"SIT-004"}
        assert "replicates" in str(refused.value)
    kept = Secret.of_text(TEXT.encode())
    assert TEXT.encode() not in own[0].read_bytes()
    for key in (kept.of_ids, kept.of_seed):
        assert key.hex() not in repr(from_bytes(own[0].read_bytes())) + repr(kept)


def solved(folder: Path, secret: Secret | None) -> tuple[np.ndarray, np.ndarray]:
    """What a person who knows all ids finds for the skipped checks of each post, and what there are."""
    (folder / "rows.csv").write_text(HEAD + "".join(rows_of(40)))
    data = evalcore.load(folder / "rows.csv")
    drawn = Drawn(0.1, 0.8, 200, 3)
    cell = gridded(data, drawn=drawn, secret=secret).scores.everything
    queries = data.queries
    assert cell.drawn is not None
    assert queries is not None
    # Totals of replicates are equations for the counts of every post, whose factors follow from the ids.
    factors = weights.poisson_weights(map(str, queries.post_ids), seed=3, start=0, stop=200).astype(float)
    found = np.linalg.lstsq(factors, cell.drawn[:2].sum(axis=0).astype(float), rcond=None)[0]
    return found, np.bincount(queries.post[queries.score < 0.1], minlength=40)


def test_who_guesses_ids_finds_the_counts_of_posts_only_without_a_secret(tmp_path: Path) -> None:
    found, there = solved(tmp_path, None)
    assert np.abs(found - there).max() < 1e-6
    found, there = solved(tmp_path, Secret.of_text(TEXT.encode()))
    assert there.std() > 0
    assert np.corrcoef(found, there)[0, 1] < 0.6
    assert np.mean(np.round(found) == there) < 0.7


def test_the_attack_succeeds_where_a_secret_is_not_mixed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Secret, "hashes", lambda _, ids: weights.hashes(ids))
    monkeypatch.setattr(Secret, "seed", lambda _, seed: seed)
    found, there = solved(tmp_path, Secret.of_text(TEXT.encode()))
    assert np.abs(found - there).max() < 1e-6


def test_draws_follow_from_every_part_of_the_secret() -> None:
    one, same, other = (Secret.of_text(text.encode()) for text in (TEXT, f"\n {TEXT}\r\n", OTHER))
    assert (one.check, one.of_ids, one.seed(0)) == (same.check, same.of_ids, same.seed(0))
    ids = ["p1", "p2", "p3"]
    assert one.hashes(ids).tolist() == same.hashes(np.array(ids, object)).tolist()
    assert not set(one.hashes(ids).tolist()) & {*other.hashes(ids).tolist(), *weights.hashes(ids).tolist()}
    assert len({one.seed(0), one.seed(1), other.seed(0)}) == 3
    drawn = weights.weights_of(one.hashes(map(str, range(4000))), seed=one.seed(0), start=0, stop=50)
    assert abs(drawn.mean() - 1) < 0.01
    assert abs(drawn.var() - 1) < 0.02


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SIT-010"),
        (TEXT[:31], "SIT-010"),
        ("abcdefgh" * 8, "SIT-010"),
        (TEXT * 100, "SIT-010"),
        (None, "FILE-001"),
    ],
)
def test_what_is_no_secret_is_refused_and_not_repeated(
    ten: Path, run: Run, tmp_path: Path, text: str | None, code: str
) -> None:
    path = tmp_path / "secret.txt"
    if text is not None:
        path.write_text(text)
    how = (*AT, "--secret-file", path, "--out", tmp_path / "a.tally")
    status, said, told = run("gather", ten / "pooled.csv", *how)
    assert (status, code in told) == (2, True)
    assert not (tmp_path / "a.tally").exists()
    assert not text or text not in said + told


def test_a_secret_without_replicates_is_refused(ten: Path, run: Run, tmp_path: Path, secret: Path) -> None:
    out = ("--secret-file", secret, "--out", tmp_path / "a.tally")
    assert "OPT-008" in run("gather", ten / "pooled.csv", *out)[2]
    assert "OPT-008" in run("evaluate", ten / "pooled.csv", "--secret-file", secret)[2]
    assert not (tmp_path / "a.tally").exists()
    over = ("gather", ten / "pooled.csv", *AT, "--secret-file", secret, "--overwrite", "--out", secret)
    assert "OPT-003" in run(*over)[2]
    assert secret.read_text() == TEXT + "\n"


def test_what_only_a_grid_takes_is_refused_without_one(ten: Path, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = ("--model", "m", "--secret-file", tmp_path / "none.txt", "--out", out)
    status, _, said = run("evaluate", ten / "pooled.csv", *given)
    assert status == 2
    assert "--model alone, expected --grid" in said
    assert "--secret-file alone, expected --grid" in said
    assert not out.exists()
