"""Ten sites, and their rows in one file."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evalcore.__main__ import main

HEAD = "post_id,criterion_id,split,fold,has_evidence,probability\n"
SITES = 10
TARGETS = ("--screening-sensitivity", "0.95", "--alert-precision", "0.9", "--tune", "tune", "--test", "test")


def rows_of(n_posts: int = 900, seed: int = 5) -> list[str]:
    """Rows of posts with three criteria each, whose scores are alike within a post."""
    rng = np.random.default_rng(seed)
    found = []
    for post in range(n_posts):
        mood, split = rng.normal(0, 0.8), "tune" if post % 2 else "test"
        for criterion in ("A.1", "A.2", "A.10"):
            label = int(rng.random() < 0.3)
            score = 1 / (1 + np.exp(-(mood + 4.5 * label - 2 + rng.normal(0, 1))))
            found.append(f"p{post},{criterion},{split},{post % 3},{label},{score:.6f}\n")
    return found


@pytest.fixture(scope="session")
def rows() -> list[str]:
    """The rows of all sites."""
    return rows_of()


@pytest.fixture(scope="session")
def ten(tmp_path_factory: pytest.TempPathFactory, rows: list[str]) -> Path:
    """A folder with the tallies of ten sites, and with ``pooled.csv``."""
    folder = tmp_path_factory.mktemp("sites")
    (folder / "pooled.csv").write_text(HEAD + "".join(rows))
    for site in range(SITES):
        own = [row for row in rows if int(row[1 : row.index(",")]) // 3 % SITES == site]
        (folder / "rows.csv").write_text(HEAD + "".join(own))
        out = str(folder / f"site_{site}.tally")
        assert main(["gather", str(folder / "rows.csv"), "--by", "criterion", "--out", out]) == 0
    (folder / "rows.csv").unlink()
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command: exit status, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([str(one) for one in arguments])
        return (status, *capsys.readouterr())

    return run
