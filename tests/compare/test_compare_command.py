"""The command that compares, as a process would see it."""

import csv
from pathlib import Path

import pytest

from evalcore.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
LISTS = str(ROOT / "sample_data" / "ranked_lists.csv")
HEADER = "post_id,criterion_id,has_evidence,probability\n"
FAST = ["--bootstrap", "100", "--permutations", "99"]


@pytest.fixture
def two_files(tmp_path):
    """Two models on twelve shared checks, and a check that only one has."""
    rows = [(f"s{at // 2}", f"A.{at % 2 + 1}", at % 3 == 0) for at in range(12)]
    paths = []
    for name, scores in (("one.csv", (0.3, 0.5)), ("two.csv", (0.1, 0.9))):
        lines = [f"{post},{criterion},{int(label)},{scores[label]}\n" for post, criterion, label in rows]
        extra = ["s9,A.1,0,0.2\n"] if name == "one.csv" else []
        path = tmp_path / name
        path.write_text(HEADER + "".join([*lines, *extra]))
        paths.append(str(path))
    return paths


def test_two_files_are_compared_and_what_fell_out_is_told(two_files, capsys):
    assert main(["compare", *two_files, *FAST, "--tau-neg", "0.2", "--tau-pos", "0.6"]) == 0
    printed = capsys.readouterr()
    assert "12 checks compared; 1 fell out: 1 only in " in printed.err
    assert "classification.auroc" in printed.out
    assert "gate.alert_precision" in printed.out


def test_table_is_written_with_the_same_bytes_each_time(two_files, tmp_path, capsys):
    outs = [tmp_path / "one_out.csv", tmp_path / "two_out.csv"]
    for out in outs:
        assert (
            main(["compare", *two_files, *FAST, "--by", "criterion", "--seed", "4", "--out", str(out)]) == 0
        )
    capsys.readouterr()
    assert outs[0].read_bytes() == outs[1].read_bytes()
    rows = list(csv.DictReader(outs[0].read_text().splitlines()))
    brier = next(row for row in rows if row["metric"] == "calibration.brier")
    assert float(brier["first_value"]) == pytest.approx((8 * 0.3**2 + 4 * 0.5**2) / 12)
    assert float(brier["second_value"]) == pytest.approx(0.1**2)
    assert {row["group"] for row in rows} == {"", "A.1", "A.2"}
    assert brier["ci_method"].startswith("cluster_bootstrap(posts=6;B=100;")
    assert brier["ci_method"].endswith(";seed=4;sides=2)")


def test_two_lists_of_one_file_need_no_names(capsys):
    assert main(["compare", LISTS, "--bootstrap", "0", "--permutations", "0", "--k", "5"]) == 0
    printed = capsys.readouterr()
    assert "second − first: reranked_topk − retriever_topk" in printed.err
    assert "k=5" in printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--models", "a"],
        ["--models", "a,b"],
        ["--bootstrap", "7"],
        ["--by", "colour"],
        ["--tau-neg", "0.9", "--tau-pos", "0.1"],
        ["--k", "0"],
    ],
)
def test_wrong_arguments_write_nothing(arguments, two_files, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert main(["compare", *two_files, *arguments, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert "found" in error
    assert "Traceback" not in error
    assert not out.exists()


def test_input_is_not_written_over(two_files, capsys):
    before = Path(two_files[0]).read_bytes()
    assert main(["compare", *two_files, *FAST, "--out", two_files[0]]) == 2
    assert "which is read too" in capsys.readouterr().err
    assert Path(two_files[0]).read_bytes() == before


def test_three_inputs_are_refused(two_files, capsys):
    assert main(["compare", *two_files, two_files[0]]) == 2
    assert "found 3 inputs, expected one input or two" in capsys.readouterr().err


def pair_of(tmp_path, ids, others):
    paths = []
    for name, named in (("one.csv", ids), ("two.csv", others)):
        rows = [f"{one},{at % 2},{0.3 + 0.4 * (at % 2)}\n" for at, one in enumerate(named)]
        (tmp_path / name).write_text("id,label,score\n" + "".join(rows))
        paths.append(str(tmp_path / name))
    return paths


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (("1.0", "2.0", "3.0"), "'1' and '1.0', '2' and '2.0', '3' and '3.0', which look alike"),
        (("001", "002", "003"), "'1' and '001', '2' and '002', '3' and '003', which look alike"),
        (("a", "b", "c"), "ids such as '1' and 'a', expected"),
    ],
)
def test_two_files_without_a_common_query_are_refused_with_ids_that_look_alike(
    tmp_path, others, told, capsys
):
    assert main(["compare", *pair_of(tmp_path, ("1", "2", "3"), others), *FAST]) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert "[OPT-040]" in printed.err
    assert printed.out == ""


def test_runs_whose_topics_only_look_alike_are_refused(tmp_path, capsys):
    folders = []
    for name, topics in (("a", ("1", "2")), ("b", ("01", "02"))):
        (tmp_path / name).mkdir()
        lines = [f"{topic} Q0 d{rank} {rank} {3 - rank} mine\n" for topic in topics for rank in (1, 2)]
        (tmp_path / name / f"{name}.run").write_text("".join(lines))
        gold = f"{topics[0]} 0 d1 1\n{topics[1]} 0 d2 1\n"
        (tmp_path / name / "gold.qrels").write_text(gold)
        folders.append(str(tmp_path / name))
    assert main(["compare", *folders, *FAST]) == 2
    assert "'1' and '01', '2' and '02', which look alike" in capsys.readouterr().err


def test_warnings_of_both_files_are_told(tmp_path, capsys):
    paths = pair_of(tmp_path, map(str, range(40)), map(str, range(40)))
    assert main(["compare", *paths, "--bootstrap", "0", "--permutations", "0"]) == 0
    told = capsys.readouterr().err
    assert "one.csv, column score: found" in told
    assert "two.csv, column score: found" in told
    assert "[QRY-037]" in told


def test_no_metrics_is_refused_in_words(two_files, capsys):
    assert main(["compare", *two_files, "--metrics", ""]) == 2
    assert "found --metrics = '', expected names such as" in capsys.readouterr().err
