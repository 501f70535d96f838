"""Writing: all files or none, never over an input, a link or a device; over files from elsewhere if asked."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalcore.__main__ import main
from evalcore.files import placing, staged, write_files

ROOT = Path(__file__).resolve().parents[2]
ROWS = (ROOT / "sample_data" / "small" / "ten_rows.csv").read_text(encoding="utf-8")
REPORT = ["metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex"]


@pytest.fixture
def rows(tmp_path) -> Path:
    path = tmp_path / "in" / "rows.csv"
    path.parent.mkdir()
    path.write_text(ROWS, encoding="utf-8")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_appears_with_all_its_files(tmp_path):
    with staged(tmp_path / "deep" / "out") as draft:
        (draft / "a").write_text("1")
        (draft / "sub").mkdir()
        (draft / "sub" / "b").write_text("2")
        assert not (tmp_path / "deep" / "out").exists()
    assert names(tmp_path / "deep") == ["out"]
    assert (tmp_path / "deep" / "out" / "sub" / "b").read_text() == "2"


def test_a_report_replaces_that_of_an_earlier_run(tmp_path, rows, capsys):
    out = tmp_path / "out"
    for arguments in ([], ["--tau-neg", "0.3", "--tau-pos", "0.7"]):
        assert main(["evaluate", str(rows), "--out", str(out), *arguments]) == 0
    assert names(out) == REPORT
    assert "0.7" in (out / "report.md").read_text(encoding="utf-8")
    assert "Error" not in capsys.readouterr().err


def test_a_file_from_elsewhere_is_replaced_only_when_asked(tmp_path, rows, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.md").write_text("my notes")
    assert main(["evaluate", str(rows), "--out", str(out)]) == 2
    assert capsys.readouterr().err.endswith(
        f"{out}/report.md: a file from elsewhere; say --overwrite to replace it, or name another place.\n"
    )
    assert names(out) == ["report.md"]
    assert (out / "report.md").read_text() == "my notes"
    assert main(["evaluate", str(rows), "--out", str(out), "--overwrite"]) == 0
    assert names(out) == REPORT


@pytest.mark.parametrize(
    "command",
    [
        ["choose", "{rows}", "--point", "--out", "{out}"],
        ["compare", "{rows}", "{other}", "--bootstrap", "0", "--permutations", "0", "--out", "{out}"],
        ["choose", "{rows}", "--point", "--out", "{point}", "--pareto", "{out}"],
    ],
)
def test_every_command_asks_before_it_replaces(tmp_path, rows, capsys, command):
    out, other = tmp_path / "mine", tmp_path / "in" / "other.csv"
    other.write_text(ROWS, encoding="utf-8")
    out.write_text("precious")
    told = {"rows": rows, "other": other, "out": out, "point": tmp_path / "point.json"}
    arguments = [part.format(**told) for part in command]
    assert main(arguments) == 2
    assert f"{out}: a file from elsewhere; say --overwrite" in capsys.readouterr().err
    assert out.read_text() == "precious"
    main([*arguments, "--overwrite"])
    assert out.read_text() != "precious"


def test_a_link_is_neither_followed_nor_replaced(tmp_path, rows, capsys):
    aim, out = tmp_path / "aim", tmp_path / "point.json"
    aim.write_text("precious")
    out.symlink_to(aim)
    assert main(["choose", str(rows), "--point", "--out", str(out), "--overwrite"]) == 2
    assert f"{out}, which is a link, expected a file of its own" in capsys.readouterr().err
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "metrics.csv").symlink_to(aim)
    assert main(["evaluate", str(rows), "--out", str(tmp_path / "report"), "--overwrite"]) == 2
    assert "metrics.csv: a link, which is never replaced" in capsys.readouterr().err
    assert names(tmp_path / "report") == ["metrics.csv"]
    assert out.is_symlink()
    assert aim.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have a name")
def test_what_is_no_file_is_never_replaced(tmp_path, rows, capsys):
    """A pipe stands for every device: no test writes beside real ones, which it could harm."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for arguments in (["choose", str(rows), "--point"], ["evaluate", str(rows)], ["sample"]):
        assert main([*arguments, "--out", str(pipe), "--overwrite"]) == 2
        assert str(pipe) in capsys.readouterr().err
    with pytest.raises(FileExistsError, match="a device, which is never replaced"):
        write_files(tmp_path, {"a": b"1", "pipe": b"1"}, overwrite=True)
    assert pipe.is_fifo()
    assert names(tmp_path) == ["in", "pipe"]


def test_an_input_is_never_written_over(tmp_path, rows, capsys):
    """Whatever it is called, however it is named, and even when overwriting was asked for."""
    folder = rows.parent
    csv = rows.rename(folder / "metrics.csv")
    (folder / "hard").mkdir()
    os.link(csv, folder / "hard" / "metrics.csv")
    (tmp_path / "linked").symlink_to(folder)
    for inputs, out in (
        ([csv], folder),
        ([folder], folder),
        ([f"{folder}/*.csv"], folder),
        ([csv], tmp_path / "linked"),
        ([csv], folder / "hard"),
    ):
        assert main(["evaluate", *map(str, inputs), "--out", str(out), "--overwrite"]) == 2
        assert "whose metrics.csv is read too, expected a folder of its own" in capsys.readouterr().err
    for out in (csv, folder / "hard" / "metrics.csv", tmp_path / "linked" / "metrics.csv"):
        assert main(["choose", str(folder), "--point", "--out", str(out), "--overwrite"]) == 2
        assert "which is read too, expected a file of its own" in capsys.readouterr().err
    assert csv.read_text(encoding="utf-8") == ROWS


def test_the_sample_does_not_replace_data_of_the_same_names(tmp_path, capsys):
    own = ROWS + "p9,A.1,1,0.5\n"
    (tmp_path / "queries.csv").write_text(own)
    arguments = ["sample", "--out", str(tmp_path), "--posts", "5"]
    assert main(arguments) == 2
    assert "queries.csv: a file from elsewhere; say --overwrite" in capsys.readouterr().err
    assert names(tmp_path) == ["queries.csv"]
    assert (tmp_path / "queries.csv").read_text() == own
    assert main([*arguments, "--overwrite"]) == 0
    assert main(arguments) == 0, "the same bytes again need no question"


def test_a_run_that_was_killed_leaves_nothing_once_the_next_has_run(tmp_path):
    out = tmp_path / "out"
    running = subprocess.Popen(
        [sys.executable, "-m", "evalcore", "sample", "--out", str(out), "--posts", "20000"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not list(tmp_path.glob(".evalcore-*.part/new")):
        assert running.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert len(names(tmp_path)) == 1
    write_files(out, {"a": b"1"})
    assert names(tmp_path) == ["out"]
    assert names(out) == ["a"]


def test_a_run_that_was_killed_while_it_placed_its_files_is_undone_by_the_next(tmp_path):
    (tmp_path / "a").write_text("old\n")
    killed = (
        "import os, pathlib, evalcore.files as f\n"
        "really, n = pathlib.Path.replace, []\n"
        "def replace(self, target):\n"
        "    n.append(target)\n"
        "    return os._exit(9) if len(n) == 3 else really(self, target)\n"
        "pathlib.Path.replace = replace\n"
        f"f.write_files(pathlib.Path({str(tmp_path)!r}), dict(a=b'old\\n2', b=b'2', c=b'2'))\n"
    )
    assert subprocess.run([sys.executable, "-c", killed], cwd=ROOT, check=False).returncode == 9
    assert (tmp_path / "a").read_text() == "old\n2"
    write_files(tmp_path / "elsewhere", {"d": b"1"})
    assert names(tmp_path) == ["a", "elsewhere"]
    assert (tmp_path / "a").read_text() == "old\n"


def test_the_draft_of_a_run_that_lives_is_left_alone(tmp_path):
    with staged(tmp_path) as draft:
        write_files(tmp_path, {"a": b"1"})
        assert draft.is_dir()
    assert names(tmp_path) == ["a"]


def test_a_failure_between_two_files_puts_the_first_back(tmp_path, monkeypatch):
    write_files(tmp_path, {"a.csv": b"x\n1\n", "b.csv": b"x\n1\n"})
    replace = Path.replace

    def fails(self, target):
        if Path(target) == tmp_path / "b.csv" and self.parent.name == "new":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        write_files(tmp_path, {"a.csv": b"x\n2\n", "b.csv": b"x\n2\n", "c.csv": b"x\n2\n"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a.csv": b"x\n1\n",
        "b.csv": b"x\n1\n",
    }


@pytest.mark.parametrize("stopped_at", [".evalcore-", "lock", "new"])
def test_a_run_that_is_stopped_as_its_draft_is_made_leaves_none(tmp_path, monkeypatch, stopped_at):
    mkdir, lock = Path.mkdir, placing._lock

    def makes(self, **options):
        mkdir(self, **options)
        if self.name.startswith(stopped_at):
            raise KeyboardInterrupt

    def locks(draft):
        held = lock(draft)
        if stopped_at == "lock":
            os.close(held)
            raise KeyboardInterrupt
        return held

    monkeypatch.setattr(Path, "mkdir", makes)
    monkeypatch.setattr(placing, "_lock", locks)
    with pytest.raises(KeyboardInterrupt), staged(tmp_path):
        pass
    assert names(tmp_path) == []
