"""Annotations on the command line: evaluate, crosscheck, and two systems compared."""

import csv
import re
import shutil
from pathlib import Path

import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.tasks import crosschecked

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "rag"
HEADER = "record_uuid,topic,system,annotator_id,helpful\n"
ROWS = [
    f"{system}-{at},q{at},{system},a,{int((at + shift) % 3 == 0 or (shift and at % 2))}\n"
    for at in range(30)
    for system, shift in (("old", 0), ("new", 1))
]


def both_systems(tmp_path: Path) -> str:
    """A file with the answers of two systems to the same questions."""
    path = tmp_path / "generation.csv"
    path.write_text(HEADER + "".join(ROWS), encoding="utf-8")
    return str(path)


def test_an_export_is_evaluated_without_naming_the_task(tmp_path, capsys):
    assert main(["evaluate", str(SAMPLE), "--by", "system", "--out", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "metrics.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (precision,) = (
        row
        for row in rows
        if row["metric"] == "topical_precision_at_k"
        and (row["params"], row["variant"], row["group"]) == ("k=5", "present", "")
    )
    assert precision["n"] == "52"
    assert {row["group"] for row in rows if row["group_by"] == "system"} == {"dense", "hybrid"}
    assert "Krippendorff" not in capsys.readouterr().err


def test_rows_in_another_order_give_the_same_bytes(tmp_path, capsys):
    turned = tmp_path / "turned"
    turned.mkdir()
    for path in SAMPLE.iterdir():
        if path.suffix == ".csv":
            header, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
            (turned / path.name).write_text(header + "".join(reversed(rows)), encoding="utf-8")
        else:
            shutil.copy(path, turned / path.name)
    for name, folder in (("a", SAMPLE), ("b", turned)):
        assert main(["evaluate", str(folder), "--bootstrap", "200", "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert (tmp_path / "a" / "metrics.csv").read_bytes() == (tmp_path / "b" / "metrics.csv").read_bytes()


def test_every_rag_metric_is_computed_twice_alike(capsys):
    assert main(["crosscheck", str(SAMPLE)]) == 0
    assert "ndcg_at_k" in capsys.readouterr().out


def test_one_annotators_values_are_computed_twice_alike(tmp_path, capsys):
    for who in ("ann_a", "ann_a,ann_c"):
        assert main(["crosscheck", str(SAMPLE), "--annotators", who]) == 0
    capsys.readouterr()
    path = tmp_path / "generation.csv"
    path.write_text("record_uuid,annotator_id,helpful\nq1,a,1\nq1,b,0\nq2,b,0\n", encoding="utf-8")
    data = evalcore.load(path)
    table = evalcore.evaluate(data, annotators=("a",)).table
    assert crosschecked(table, data, annotators=("a",)).holds
    assert not crosschecked(table, data).holds


def test_two_systems_are_compared_on_the_queries_that_a_column_names(tmp_path):
    out = tmp_path / "difference.csv"
    arguments = ["compare", both_systems(tmp_path), "--models", "old,new", "--key", "topic"]
    assert main([*arguments, "--bootstrap", "200", "--permutations", "99", "--out", str(out)]) == 0
    with out.open(encoding="utf-8") as file:
        (row,) = (one for one in csv.DictReader(file) if one["metric"] == "helpfulness_rate")
    helpful = {
        system: sum(int(line.split(",")[4]) for line in ROWS if f",{system}," in line)
        for system in ("old", "new")
    }
    assert int(row["n"]) == 30
    assert float(row["difference"]) == pytest.approx((helpful["new"] - helpful["old"]) / 30)


def test_systems_that_share_no_query_are_told_what_to_say(tmp_path, capsys):
    assert main(["compare", both_systems(tmp_path), "--models", "old,new", "--permutations", "99"]) == 2
    assert "Say what names a query with --key topic (30 shared). [OPT-040]" in capsys.readouterr().err


def test_the_sample_holds_two_systems_on_the_same_questions(capsys):
    arguments = ["compare", str(SAMPLE), "--key", "question_id", "--permutations", "99", "--bootstrap", "200"]
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert "retrieval: 30 queries compared; none fell out." in said.err
    assert "Compatible with no difference: " in said.out
    # a share and its difference are written as everywhere, and so is what is none
    assert re.search(r"sufficiency_hit_at_k +k=5 60\.9 % 78\.3 % \+17\.4 points", said.out)
    assert re.search(r"ndcg_at_k +k=5 +0\.772 +0\.786 +\+0\.013 ", said.out)


def test_what_says_nothing_of_annotations_is_refused_by_name(tmp_path, capsys):
    asked = ("--by", "topic", "--split", "test", "--shared-only", "--tau-neg", "0.1", "--fpr", "0.1")
    assert main(["compare", both_systems(tmp_path), "--key", "topic", *asked]) == 2
    told = capsys.readouterr().err
    for name in ("by", "split", "shared_only", "tau_neg", "fpr"):
        assert f"found {name} of annotations, expected none" in told


def test_an_unknown_system_is_refused_with_those_there_are(tmp_path, capsys):
    assert main(["compare", both_systems(tmp_path), "--models", "old,other"]) == 2
    assert "two of new, old" in capsys.readouterr().err


def test_one_system_is_told_what_a_comparison_needs(tmp_path, capsys):
    path = tmp_path / "generation.csv"
    for text, found in (
        ("record_uuid,annotator_id,helpful\nq1,a,1\n", "no column system in one input"),
        ("record_uuid,annotator_id,system,helpful\nq1,a,old,1\n", "one system in one input"),
    ):
        path.write_text(text, encoding="utf-8")
        assert main(["compare", str(path)]) == 2
        expected = f"found {found}, expected a column system that names two, or two inputs."
        assert expected in capsys.readouterr().err


def test_the_adjudicator_decides(tmp_path, capsys):
    path = tmp_path / "generation.csv"
    path.write_text("record_uuid,annotator_id,helpful\nq1,a,0\nq1,b,0\nq1,boss,1\n", encoding="utf-8")
    for arguments, value in (([], "0"), (["--adjudicator", "boss"], "1")):
        assert main(["evaluate", str(path), *arguments, "--out", str(tmp_path / "out")]) == 0
        with (tmp_path / "out" / "metrics.csv").open(encoding="utf-8") as file:
            (row,) = (
                one
                for one in csv.DictReader(file)
                if one["metric"] == "helpfulness_rate" and one["variant"] in ("", "default")
            )
        assert row["value"] == value
    capsys.readouterr()
