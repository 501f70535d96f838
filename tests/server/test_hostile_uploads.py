"""A small part of the run of hostile uploads beside honest sessions."""

import socket
from pathlib import Path

import pytest

from benchmarks.hostile_uploads import HOSTILE, Honest, run
from benchmarks.visitor import Visitor

NAMES = ("nested.json", "keys.json", "damaged_v1.feather", "columns.csv", "not_utf8.csv")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.long
def test_honest_sessions_show_the_same_numbers_beside_hostile_uploads(tmp_path: Path) -> None:
    found = run(free_port(), 2, {name: HOSTILE[name] for name in NAMES}, 2, tmp_path / "log.txt")
    assert found.faults == []
    assert sorted(found.answers) == sorted(NAMES)
    assert (found.answers["nested.json"], found.answers["columns.csv"]) == ("FILE-074", "FILE-073")


@pytest.mark.parametrize(
    ("shows", "seen", "wrong"), [("7 checks", "", "shows no"), ("3 checks", "2 checks", "something else")]
)
def test_number_that_is_another_is_noticed(
    monkeypatch: pytest.MonkeyPatch, shows: str, seen: str, wrong: str
) -> None:
    monkeypatch.setattr(Visitor, "open", lambda *_: None)
    monkeypatch.setattr(Visitor, "text", "3 checks")
    _, found = Honest(Visitor("http://127.0.0.1:1"), shows, {"data": seen} if seen else {}).look()
    assert wrong in found[0]
