"""No refusal without a reason: odd options, encodings, names and settings end in a sentence and status 2."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalcore import load
from evalcore.__main__ import main
from evalcore.problems import InputError
from evalcore.readers.reading import Reading
from tests.support.but_long import but_long
from tests.support.reading import refused, upload

ROOT = Path(__file__).resolve().parents[3]
TEN_ROWS = str(ROOT / "sample_data" / "small" / "ten_rows.csv")
COMMAND = (sys.executable, "-m", "evalcore")


def said(capsys, *arguments: str) -> str:
    """What a command that must refuse says."""
    assert main([*arguments]) == 2
    err = capsys.readouterr().err
    assert err.strip()
    assert "Something went wrong" not in err
    return err


@pytest.mark.parametrize(
    "encoding",
    ["hex", "base64", "rot13", "zip", "bz2", "uu", "quopri", "punycode", "idna", "undefined",
     "unicode_escape", "raw_unicode_escape", "", "a b", "é", "x\x01", "x\0", "\udcff"],
)  # fmt: skip
def test_what_is_no_encoding_of_text_is_refused_by_name(encoding, capsys):
    assert f"found the encoding {encoding!r}, expected a known text encoding" in said(
        capsys, "check", TEN_ROWS, "--encoding", encoding
    )


def test_an_encoding_that_does_not_say_where_it_fails_is_named():
    assert refused(upload(b"a,b\n+\xff,2\n"), encoding="utf-7")[0].startswith(
        "predictions.csv: found bytes that are not UTF-7"
    )


@pytest.mark.parametrize("ks", ["²", "1,²", "½", "", ",", "1e3", "--5", "-1", "9" * 5_000])
def test_what_is_no_cut_off_is_refused_by_name(ks, capsys):
    assert "expected a whole number from 1 on, or ALL for the whole list" in said(
        capsys, "evaluate", TEN_ROWS, f"--ks={ks}"
    )


@pytest.mark.parametrize("number", [1_000_000_000_000, 100_001, 10**30])
def test_replicates_have_a_limit_that_is_named(number, capsys, monkeypatch):
    limit = f"{number:,}, expected at most 100,000, the limit that EVALCORE_MAX_REPLICATES sets"
    assert f"bootstrap = {limit}" in said(capsys, "evaluate", TEN_ROWS, "--bootstrap", str(number))
    both = said(
        capsys, "compare", TEN_ROWS, TEN_ROWS, "--bootstrap", str(number), "--permutations", str(number)
    )
    assert f"bootstrap = {limit}" in both
    assert f"permutations = {limit}" in both
    rag = str(ROOT / "sample_data" / "rag" / "generation.csv")
    assert f"bootstrap = {limit}" in said(capsys, "compare", rag, rag, "--bootstrap", str(number))
    monkeypatch.setenv("EVALCORE_MAX_REPLICATES", "100")
    assert "at most 100," in said(capsys, "evaluate", TEN_ROWS, "--bootstrap", "101")


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="a system without /dev/zero")
@pytest.mark.parametrize("command", ["check", "evaluate", "sweep", "crosscheck", "ablation"])
def test_a_device_is_no_input(command, capsys):
    assert said(capsys, command, "/dev/zero").startswith(
        "/dev/zero: found a device, expected a file, a folder or a pipe. Name the file itself. [FILE-161]\n"
    )


@pytest.mark.parametrize("level", ["nonsense", "10", "²"])
def test_a_level_of_the_log_that_does_not_exist_is_refused(level, monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_LOG", level)
    assert said(capsys, "check", TEN_ROWS) == (
        f"found EVALCORE_LOG = {level}, expected debug, info, warning, error or critical. Check the option. "
        "[OPT-003]\n"
    )


def test_a_limit_may_be_as_long_as_one_likes(monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_MAX_ROWS", "0" * 5 + "9" * 5_000)
    assert main(["check", TEN_ROWS]) == 0
    monkeypatch.setenv("EVALCORE_MAX_ROWS", "²")
    assert "EVALCORE_MAX_ROWS = ², expected a whole number from 1 on" in said(capsys, "check", TEN_ROWS)


def test_a_setting_that_is_misspelt_is_refused_and_what_it_is_set_to_not_repeated(monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_MAX_ROW", "5")
    monkeypatch.setenv("EVALCORE_PASCODE", "open sesame")
    monkeypatch.setenv("EVALCORE_OF_SOMEBODY_ELSE", "1")
    found = said(capsys, "check", TEN_ROWS)
    assert found.splitlines() == [
        f"found {name} = a value of no setting, expected {meant}, as the setting is called. "
        "Check the option. [OPT-003]"
        for name, meant in (
            ("EVALCORE_MAX_ROW", "EVALCORE_MAX_ROWS"),
            ("EVALCORE_PASCODE", "EVALCORE_PASSCODE"),
        )
    ]


def test_names_that_are_no_text_are_read_and_written_as_they_are(tmp_path, capsys):
    name = os.fsencode(tmp_path) + b"/rows\xff.csv"
    try:
        Path(os.fsdecode(name)).write_bytes(Path(TEN_ROWS).read_bytes())
    except OSError:
        pytest.skip("a file system that takes UTF-8 only")
    assert main(["evaluate", os.fsdecode(name), "--out", str(tmp_path / "out")]) == 0
    assert "udcff.csv" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    capsys.readouterr()


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "no\udcff.csv"],
        ["check", TEN_ROWS, "--column", "post=\udcff"],
        ["check", TEN_ROWS, "--column", "\udcff=post"],
        ["check", TEN_ROWS, "--adjudicator", "\udcff", "--task", "rag"],
        ["evaluate", TEN_ROWS, "--by", "\udcff"],
        ["metrics", "\udcff"],
        ["check", "a\0b"],
        ["check", ""],
        ["check", "a" * 5_000],
        ["verify", os.devnull, TEN_ROWS],
        ["verify", TEN_ROWS, TEN_ROWS],
        ["evaluate", TEN_ROWS, "--policy", "mass", "--k-ratio", "²"],
        ["evaluate", TEN_ROWS, "--policy", "mass", "--k-ratio", "1/0"],
        ["evaluate", TEN_ROWS, "--seed", "-5", "--bootstrap", "100"],
    ],
)
def test_odd_arguments_end_in_a_sentence(arguments, capsys):
    assert len(said(capsys, *arguments)) < 3_000


def test_groups_with_odd_digits_are_sorted(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rows = "".join(f"p{i},{name},{i % 2},0.{i + 1}\n" for i, name in enumerate(["²", "1²", "9" * 50, "١"]))
    path.write_text("post_id,criterion_id,has_evidence,probability\n" + rows, encoding="utf-8")
    assert main(["evaluate", str(path), "--by", "criterion", "--out", str(tmp_path / "out")]) == 0
    assert main(["check", str(path)]) in (0, 1)
    assert "Something went wrong" not in capsys.readouterr().err


def test_a_refusal_always_has_a_word(monkeypatch):
    from evalcore.problems import Findings

    nothing = Reading((), Findings(), None)
    monkeypatch.setattr("evalcore.tasks.read", lambda *_, **__: nothing)
    with pytest.raises(InputError, match="contents that could not be read"):
        load(upload("a,b\n1,2\n"))


_READY = """
import runpy, signal, sys
really = signal.signal
def tell(number, handler):
    found = really(number, handler)
    if number == signal.SIGINT:
        sys.stderr.write(".")
        sys.stderr.flush()
    return found
signal.signal = tell
runpy.run_module("evalcore", run_name="__main__")
"""


@pytest.mark.parametrize("seconds", [0, 0.02, 0.1, 0.3, 0.6, 1.2])
def test_an_interrupt_while_it_is_loading_is_a_sentence(seconds):
    """From the first line of ours on: Python itself takes some hundredths of a second before."""
    interrupt_after(1, seconds)


@pytest.mark.parametrize("seconds", but_long([0, 0.003, 0.006, 0.01, 0.02], 2))
def test_an_interrupt_while_its_arguments_are_read_is_a_sentence(seconds):
    interrupt_after(2, seconds)


def interrupt_after(n_handlers, seconds):
    """Interrupt an evaluation some time after its first or second handler of interrupts stands."""
    running = subprocess.Popen(
        [sys.executable, "-c", _READY, "evaluate", TEN_ROWS, "--bootstrap", "100000"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr.read(n_handlers) == "." * n_handlers
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    err = running.communicate()[1]
    assert "Traceback" not in err
    if running.returncode != 0:  # 0: it had come to its end before
        assert err.endswith("Interrupted; no half file was left behind.\n")
        assert running.returncode == 2
