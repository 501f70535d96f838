"""What the program writes and is given again: each file says what it is and where it goes."""

from __future__ import annotations

import contextlib
import io
import json
import random
from pathlib import Path

import pytest

from evalcore import inspect
from evalcore.__main__ import main
from evalcore.readers import Upload

ROOT = Path(__file__).resolve().parents[3]


def queries() -> str:
    draw = random.Random(1)
    lines = ["post_id,criterion_id,has_evidence,probability,split,model"]
    for i in range(200):
        label = int(draw.random() < 0.4)
        for model in "ab":
            score = min(max(draw.gauss(0.7 if label else 0.2, 0.15), 0), 1)
            lines.append(f"p{i},A.1,{label},{score:.4f},{'tune' if i % 2 else 'test'},{model}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[str, Path]:
    """Kind → the file, as the commands and downloads write them."""
    folder = tmp_path_factory.mktemp("written")
    data, rag = folder / "queries.csv", ROOT / "sample_data" / "rag"
    data.write_text(queries())

    def run(*arguments: object) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert main([str(one) for one in arguments]) in (0, 1)
        return out.getvalue()

    run("evaluate", data, "--out", folder / "report")
    run("evaluate", rag, "--out", folder / "rag")
    thresholds = ("choose", data, "--model", "a", "--tune", "tune", "--test", "test", "--point")
    run(*thresholds, "--out", folder / "POINT.json", "--pareto", folder / "front.csv")
    few = ("--bootstrap", 100, "--permutations", 99)
    run("compare", data, "--models", "a,b", *few, "--out", folder / "comparison.csv")
    run("explore", data, "--model", "a", "--out", folder / "explorer.html")
    by = ("--key", "question_id", "--models", "dense,hybrid")
    run("compare", rag, *by, *few, "--out", folder / "systems.csv")
    (folder / "sweep.csv").write_text(run("sweep", data))
    (folder / "steps.csv").write_text(run("ablation", data))
    sorted_keys = json.dumps(json.loads((folder / "POINT.json").read_text()), sort_keys=True)
    (folder / "one_line.json").write_text(sorted_keys)
    table = (folder / "report" / "metrics.csv").read_text()
    (folder / "saved_again.csv").write_bytes(b"\xef\xbb\xbf" + table.replace(",", ";").encode())
    return {
        "an operating-point document": folder / "POINT.json",
        "an operating-point document, its keys sorted": folder / "one_line.json",
        "the metrics of evaluate (metrics.json)": folder / "report" / "metrics.json",
        "the metrics of evaluate (metrics.json), of annotations": folder / "rag" / "metrics.json",
        "the table of metrics of evaluate (metrics.csv)": folder / "report" / "metrics.csv",
        "the table of metrics of evaluate (metrics.csv), of annotations": folder / "rag" / "metrics.csv",
        "the table of metrics of evaluate (metrics.csv), saved again": folder / "saved_again.csv",
        "the table of predicted labels of evaluate": folder / "rag" / "predicted_labels.csv",
        "a report of evaluate (report.md)": folder / "report" / "report.md",
        "a report of evaluate (report.html)": folder / "report" / "report.html",
        "the tables of a report of evaluate (tables.tex)": folder / "report" / "tables.tex",
        "the threshold explorer as a file (explorer.html)": folder / "explorer.html",
        "a comparison, as compare writes it": folder / "comparison.csv",
        "a comparison, as compare writes it, of annotations": folder / "systems.csv",
        "thresholds that no others beat": folder / "front.csv",
        "pairs of thresholds, as sweep prints them": folder / "sweep.csv",
        "steps of a pipeline, as ablation prints them": folder / "steps.csv",
    }


KINDS = (
    "an operating-point document",
    "an operating-point document, its keys sorted",
    "the metrics of evaluate (metrics.json)",
    "the metrics of evaluate (metrics.json), of annotations",
    "the table of metrics of evaluate (metrics.csv)",
    "the table of metrics of evaluate (metrics.csv), of annotations",
    "the table of metrics of evaluate (metrics.csv), saved again",
    "the table of predicted labels of evaluate",
    "a report of evaluate (report.md)",
    "a report of evaluate (report.html)",
    "the tables of a report of evaluate (tables.tex)",
    "the threshold explorer as a file (explorer.html)",
    "a comparison, as compare writes it",
    "a comparison, as compare writes it, of annotations",
    "thresholds that no others beat",
    "pairs of thresholds, as sweep prints them",
    "steps of a pipeline, as ablation prints them",
)


def test_every_kind_that_is_written_is_tested(written):
    assert set(written) == set(KINDS)


COMMANDS = [
    (command, kind)
    for command in ("check", "evaluate", "compare", "choose")
    for kind in KINDS
    if command != "check" or "metrics.json" not in kind  # which check takes
]


@pytest.mark.parametrize(("command", "kind"), COMMANDS)
def test_a_file_of_its_own_is_named_on_the_command_line(command, kind, written, tmp_path, capsys):
    path = written[kind]
    more = ["--out", str(tmp_path / "POINT.json")] if command == "choose" else []
    assert main([command, str(path), *more]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        f"{path.name}: found {kind.partition(', of')[0].partition(', its')[0].partition(', saved')[0]}"
    )
    assert "which this program wrote" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", [None, "rag"])
def test_a_file_of_its_own_is_named_where_it_is_uploaded(kind, task, written):
    path = written[kind]
    found = inspect([Upload(path.name, path.read_bytes())], task=task)
    assert found.data is None
    assert [problem.code for problem in found.problems] == ["FILE-140"]


def test_a_point_says_where_it_goes(written):
    path = written["an operating-point document"]
    (found,) = inspect([Upload(path.name, path.read_bytes())]).problems
    assert str(found) == (
        "POINT.json: found an operating-point document, which this program wrote, expected predictions, "
        "lists, candidates or annotations. It holds thresholds and no rows. On the command line, verify "
        "POINT.json DATA recomputes it and apply POINT.json DATA --out FILE decides with it; what is given "
        "here is its data."
    )


@pytest.mark.parametrize("name", ["report", "rag"])
def test_check_holds_metrics_against_themselves(name, written, tmp_path, capsys):
    path = written["the metrics of evaluate (metrics.json)"].parents[1] / name / "metrics.json"
    assert main(["check", str(path)]) == 0
    told = capsys.readouterr().out
    assert "Ranges: " in told
    assert told.endswith("No problems.\n")
    changed = json.loads(path.read_text())
    row = next(r for r in changed["metrics"] if r["metric"] in ("sensitivity", "ndcg_at_k"))
    row["value"] = 0.123 if row["metric"] == "sensitivity" else 1.5
    (tmp_path / "metrics.json").write_text(json.dumps(changed))
    assert main(["check", str(tmp_path / "metrics.json")]) == 1
    assert "[SUM-002]" in capsys.readouterr().err


def test_a_point_in_a_folder_of_data_is_left_out_with_a_remark(written, tmp_path, capsys):
    (tmp_path / "queries.csv").write_text(queries())
    (tmp_path / "POINT.json").write_bytes(written["an operating-point document"].read_bytes())
    assert main(["check", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "POINT.json: found no table that can be read: an operating-point document, which" in told


def test_data_that_share_some_names_with_what_is_written_are_data():
    text = "metric,value,post_id,criterion_id,has_evidence,probability\nx,1,p1,A.1,1,0.5\nx,1,p2,A.1,0,0.25\n"
    assert inspect([Upload("a.csv", text.encode())]).data is not None
    line = '{"post_id": "p1", "has_evidence": 1, "probability": 0.5, "schema": "operating-point"}\n'
    assert inspect([Upload("a.jsonl", line.encode())]).data is not None


DECIDED = "decisions, as apply writes them, not the document itself"


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("D.csv", b"post_id,p,state\nx,0.9,POS\ny,0.1,NEG\n", DECIDED),
        ("D.csv", b"\xef\xbb\xbfpost_id;p;state\nx;0,9;POS\n", DECIDED),
        ("q.csv", b"post_id,label,p\nx,1,0.9\n", "a table with the columns post_id, label, p"),
        ("q.parquet", b"PAR1" + bytes(40), "a Parquet file"),
        ("q.xlsx", b"PK\x03\x04" + bytes(30) + b"xl/workbook.xml", "an Excel workbook (.xlsx)"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "apply"])
def test_a_file_in_the_place_of_a_document_is_named_for_what_it_is(
    command, name, content, found, tmp_path, capsys
):
    path = tmp_path / name
    path.write_bytes(content)
    more = ["--out", str(tmp_path / "out.csv")] if command == "apply" else []
    assert main([command, str(path), str(path), *more]) == 2
    assert capsys.readouterr().err == (
        f"{name}: found {found}, expected an operating-point document, as choose writes it. Give the file of "
        "choose --out POINT.json. [DOC-305]\n"
    )
