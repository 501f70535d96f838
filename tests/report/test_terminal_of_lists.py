"""What a terminal shows is legible whatever names a file holds; files and pipes have the data as they are."""

import csv
import sys
from pathlib import Path

import pytest

from evalcore.__main__ import main
from evalcore.commands.reading import Progress

RED = "\x1b[31m"
TURNED = "\u202e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models = (f"m{RED}A{TURNED}", "mB")
    rows = [
        f'u{user},i{(user * step + place) % 7},{9 - place},"{model}"\n'
        for step, model in zip((2, 3), models, strict=True)
        for user in range(12)
        for place in range(3)
    ]
    (tmp_path / "lists.csv").write_text("user,item,score,model\n" + "".join(rows))
    (tmp_path / "test.csv").write_text("user,item\n" + "".join(f"u{n},i{n % 7}\n" for n in range(12)))
    groups = "".join(f'i{n},"{RED}red{TURNED}{n % 2}"\n' for n in range(7))
    (tmp_path / "item_groups.csv").write_text(f"item_id,item_group\n{groups}")
    return tmp_path


def test_what_commands_say_to_people_moves_and_colours_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Progress, "__call__", lambda _, step: print(step, file=sys.stderr))
    for command in (["evaluate"], ["compare", "--k", "2"], ["compare", "--k", "2", "--matrix"]):
        assert main([command[0], str(folder), *command[1:]]) == 0
        out, err = capsys.readouterr()
        assert "m\ufffd[31mA" in out + err
        assert not {"\x1b", TURNED} & {*out, *err}


@pytest.mark.parametrize("is_shown", [True, False])
def test_rows_are_legible_on_a_terminal_and_as_they_are_in_a_pipe(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_shown: bool
) -> None:
    rows = [f'q{n},p{n},{n % 10 / 10},{n % 2},"{model}"\n' for model in (f"m{RED}A", "mB") for n in range(20)]
    path = folder / "predictions.csv"
    path.write_text("query_id,post_id,probability,label,model\n" + "".join(rows))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_shown)
    assert main(["ablation", str(path)]) == 0
    assert ("\x1b" in capsys.readouterr().out) != is_shown


def test_a_table_of_values_keeps_names_as_they_are(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["evaluate", str(folder), "--ks", "2", "--out", str(out)]) == 0
    with (out / "metrics.csv").open(encoding="utf-8", newline="") as file:
        groups = {row["group"] for row in csv.DictReader(file)}
    assert f"{RED}red{TURNED}0" in groups
