"""Recommendation lists on the command line: what is given beside them, and what is read by its name."""

from pathlib import Path

import numpy as np
import pytest

from evalcore.__main__ import main
from tests.support.recommending import LISTS, TEST, TRAIN, npz


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists, train, test and scores."""
    for name, text in {"recs": LISTS, "a": TRAIN, "b": TEST}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    scores = npz(users=["u1", "u2"], items=["a", "b", "c"], scores=np.ones((2, 3), np.float32))
    (tmp_path / "s.npz").write_bytes(scores)
    return tmp_path


def beside(folder: Path) -> list[str]:
    """Train and test by their options."""
    return ["--train", str(folder / "a.csv"), "--test", str(folder / "b.csv")]


def test_check_tells_the_rows_and_columns_of_every_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", str(folder / "recs.csv"), *beside(folder), "--scores", str(folder / "s.npz")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[:7] == [
        "recs.csv: 4 rows in, 4 used",
        "a.csv: 2 rows in, 2 used",
        "b.csv: 3 rows in, 3 used",
        "s.npz: 2 rows in, 2 used",
        "recs.csv: score score, user user, item item",
        "a.csv: user user, item item",
        "b.csv: rating rating, user user, item item",
    ]
    assert out[-1] == "No problems."


def test_scores_without_lists_are_enough(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "--scores", str(folder / "s.npz"), *beside(folder)]) == 0
    assert "s.npz: 2 rows in, 2 used" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "evaluate", "crosscheck", "compare"])
def test_nothing_to_read_is_said(command: str, capsys: pytest.CaptureFixture[str]):
    assert main([command]) == 2
    said = "found INPUT = nothing, expected a file, a folder or a glob. Check the option. [OPT-003]\n"
    assert capsys.readouterr().err == said


def test_what_is_read_is_never_written_over(folder: Path, capsys: pytest.CaptureFixture[str]):
    out = ["--save", str(folder / "b.csv"), "--overwrite"]
    assert main(["evaluate", str(folder / "recs.csv"), *beside(folder), *out]) == 2
    assert "which is read too" in capsys.readouterr().err
    assert (folder / "b.csv").read_text() == TEST


def test_a_problem_names_the_file_and_the_status_is_2(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "recs.csv").write_text("user,item,score\nu1,a,inf\n")
    assert main(["check", str(folder / "recs.csv"), *beside(folder)]) == 2
    assert (
        "recs.csv, row 1, column score: found the score inf of item a for user u1" in capsys.readouterr().err
    )


def test_a_column_of_0_and_1_is_asked_about_and_answered(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "b.csv").write_text("user,item,finished\nu1,a,1\nu2,c,0\n")
    command = ["check", str(folder / "recs.csv"), *beside(folder)]
    assert main(command) == 1
    said = capsys.readouterr()
    assert "Say --column rating=finished; or --column rating= (nothing)" in said.out + said.err
    assert main([*command, "--column", "rating=finished"]) == 1
    assert "b.csv: rating finished, user user, item item" in capsys.readouterr().out
    assert main([*command, "--column", "rating="]) == 0
    assert "b.csv: user user, item item" in capsys.readouterr().out
    assert main([*command, "--column", "=finished"]) == 2
    assert "expected ROLE=NAME, such as probability=p_final, or ROLE= where no" in capsys.readouterr().err
