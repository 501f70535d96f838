"""The command line as a process would see it: exit status, standard output and error, files."""

import json
import re
from pathlib import Path

import pytest

from evalcore.__main__ import main
from evalcore.commands.arguments import parser_of

ROOT = Path(__file__).resolve().parents[2]
TEN_ROWS = str(ROOT / "sample_data" / "small" / "ten_rows.csv")
SAMPLE = str(ROOT / "sample_data" / "queries.csv")


def write(folder: Path, text: str, name: str = "input.csv") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_check_of_a_clean_file_holds(capsys):
    assert main(["check", SAMPLE]) == 0
    assert "29,540 rows in, 29,540 used" in capsys.readouterr().out


def test_check_tells_a_choice_from_a_fault(tmp_path, capsys):
    named = write(tmp_path, "id,prob,gold\n1,0.93,Y\n2,0.2,N\n")
    assert main(["check", named, "--column", "probability=prob"]) == 1
    assert "--positive" in capsys.readouterr().err
    assert main(["check", named, "--column", "probability=prob", "--positive", "Y"]) in (0, 1)
    assert main(["check", str(tmp_path / "nowhere.csv")]) == 2


def test_evaluate_writes_its_files_and_the_same_bytes_again(tmp_path):
    for folder in ("one", "two"):
        assert main(["evaluate", TEN_ROWS, "--by", "criterion", "--out", str(tmp_path / folder)]) == 0
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert {"metrics.csv", "metrics.json", "report.html", "report.md"} <= names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--tau-neg", "0.9", "--tau-pos", "0.1"],
        ["--ks", "0"],
        ["--by", "colour"],
        ["--column", "probability"],
        ["--column", "colour=probability"],
    ],
)
def test_wrong_options_write_nothing_and_show_no_traceback(arguments, tmp_path, capsys):
    assert main(["evaluate", TEN_ROWS, "--out", str(tmp_path / "out"), *arguments]) == 2
    error = capsys.readouterr().err
    assert "found" in error
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_wrong_rows_are_all_named_and_nothing_is_written(tmp_path, capsys):
    path = write(tmp_path, "post_id,criterion_id,has_evidence,probability\ns1,A.1,1,1.3\ns2,A.1,0,-0.1\n")
    assert main(["evaluate", path, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "input.csv, row 1, column probability: found 1.3, expected a probability from 0 to 1." in error
    assert "input.csv, row 2, column probability: found -0.1, expected a probability from 0 to 1." in error
    assert not (tmp_path / "out").exists()


def test_choose_apply_verify_agree(tmp_path, capsys):
    point, decisions = tmp_path / "point.json", tmp_path / "decisions.csv"
    arguments = ["choose", SAMPLE, "--model", "gnn_gate", "--tune", "tune", "--test", "test"]
    targets = ["--screening-sensitivity", "0.985", "--alert-precision", "0.75"]
    status = main([*arguments, *targets, "--out", str(point)])
    document = json.loads(point.read_text())
    assert status == (0 if document["status"] == "certified" else 1)
    assert main(["verify", str(point), SAMPLE]) == 0
    assert main(["apply", str(point), SAMPLE, "--out", str(decisions)]) == 0
    assert len(decisions.read_text().splitlines()) == 29_541
    capsys.readouterr()


def test_an_edited_document_does_not_verify(tmp_path, capsys):
    point = tmp_path / "point.json"
    main(["choose", SAMPLE, "--model", "gnn_gate", "--screening-sensitivity", "0.99", "--out", str(point)])
    point.write_text(point.read_text().replace('"p < tau_neg"', '"p <= tau_neg"'))
    assert main(["verify", str(point), SAMPLE]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_infeasible_target_is_said_and_the_document_written(tmp_path, capsys):
    point = tmp_path / "point.json"
    assert main(["choose", SAMPLE, "--model", "gnn_gate", "--tune", "tune", "--out", str(point)]) == 1
    assert "Instead:" in capsys.readouterr().out
    assert json.loads(point.read_text())["rule"]["tau_neg"]["value"] is None


def test_metrics_lists_and_explains(capsys):
    assert main(["metrics"]) == 0
    assert "gate.screening_sensitivity" in capsys.readouterr().out
    assert main(["metrics", "gate.neg_rate"]) == 0
    assert "n_NEG / N" in capsys.readouterr().out
    assert main(["metrics", "neg_rat"]) == 2
    assert "Do you mean neg_rate or gate.neg_rate?" in capsys.readouterr().err


def test_sample_writes_data_that_evaluate(tmp_path, capsys):
    assert main(["sample", "--out", str(tmp_path), "--posts", "20"]) == 0
    assert main(["check", str(tmp_path / "queries.csv")]) in (0, 1)
    assert main(["sample", "--out", str(tmp_path), "--posts", "0"]) == 2
    assert main(["sample", "--out", str(tmp_path), "--seed", "-1"]) == 2
    capsys.readouterr()


def test_an_unexpected_failure_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr("evalcore.catalog.find", lambda _: 1 / 0)
    assert main(["metrics", "auroc"]) == 2
    assert capsys.readouterr().err == (
        "Something went wrong inside evalcore; nothing was written. EVALCORE_LOG=debug shows where.\n"
    )


def test_ablation_and_sweep_print_tables(tmp_path, capsys):
    main(["sample", "--out", str(tmp_path), "--posts", "20"])
    capsys.readouterr()
    assert main(["ablation", str(tmp_path / "ranked_lists.csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step,metric,params,population,value,n,")
    assert any(line.startswith("reranked_topk,ranking.ndcg,k=10,") for line in lines)
    assert main(["sweep", str(tmp_path / "candidates.parquet"), "--policy", "mass", "--gamma", "0.9"]) == 0
    out = capsys.readouterr().out
    assert "# reranker: γ" in out
    assert [line.split(",")[0] for line in out.splitlines()[2:6]] == ["0.7", "0.8", "0.9", "0.95"]
    assert "# retriever: pairs of thresholds" in out


def test_crosscheck_holds_on_the_ten_rows(capsys):
    assert main(["crosscheck", TEN_ROWS]) == 0
    assert "Holds: every deviation below 1 %." in capsys.readouterr().out


def test_nothing_is_written_over_what_is_read(tmp_path, capsys):
    own = tmp_path / "own.csv"
    own.write_text(Path(TEN_ROWS).read_text())
    assert main(["choose", str(own), "--out", str(own)]) == 2
    assert "which is read too, expected a file of its own" in capsys.readouterr().err
    assert own.read_text() == Path(TEN_ROWS).read_text()
    assert main(["choose", str(own), "--out", str(tmp_path)]) == 2


def test_thresholds_in_percent_are_refused(capsys):
    assert main(["evaluate", TEN_ROWS, "--tau-neg", "3", "--tau-pos", "90"]) == 2
    assert "τ_neg = 3.0, expected a probability from 0 to 1" in capsys.readouterr().err


def test_help_says_of_each_command_what_it_does_and_nothing_of_its_code():
    parser = parser_of("evalcore")
    commands = next(one.choices for one in parser._actions if isinstance(one.choices, dict))
    assert len(commands) > 10
    for name, command in commands.items():
        assert re.fullmatch(r"[A-Z][^\n]*(\n[^\n]+)*[.]", command.description), name
        assert "----" not in parser.format_help() + command.format_help(), name


def test_the_readme_lists_every_command():
    commands = next(one.choices for one in parser_of("evalcore")._actions if isinstance(one.choices, dict))
    text = (ROOT / "README.md").read_text()
    assert [name for name in commands if not re.search(rf"^python -m evalcore {name}\b", text, re.M)] == []
