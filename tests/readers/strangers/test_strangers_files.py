"""Files as they lie in somebody's folder: each with its value, or named for what it is with what to do."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalcore import inspect, load
from evalcore.__main__ import main
from evalcore.data import Data
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.readers.evidence.row_numbers import _first_few_shared
from pages.shared.page_words import on_page
from tests.support.reading import NAME, read, refused, upload, warned

ROWS = [(f"p{i}", i % 2, (i % 7 + 1) / 10, (i % 5 + 1) / 8) for i in range(12)]


def table(names: str, *columns: int) -> str:
    """CSV of some of the columns, 0 to 3."""
    lines = [",".join(str(row[at]) for at in columns) for row in ROWS]
    return "\n".join([names, *lines]) + "\n"


def codes(data: Data) -> set[str]:
    return {one.code for one in data.warnings}


@pytest.mark.parametrize("name", ["pweight", "fweight", "freq", "w", "prob_weight"])
def test_a_column_of_weights_is_told_under_each_name(name):
    text = table(f"id,label,score,{name}", 0, 1, 2, 3)
    (said,) = [line for line in warned(read(text)) if "COL-120" in line]
    assert f"found the column '{name}', which looks like row weights" in said


@pytest.mark.parametrize("name", ["n", "count", "n_obs"])
def test_counts_beside_a_label_and_a_score_are_weights_where_they_are_whole(name):
    lines = [f"p{i},{i % 2},0.{i + 1},{n}" for i, n in enumerate((3, 1, 8, 2))]
    assert "COL-120" in codes(read("\n".join([f"id,label,score,{name}", *lines])))
    assert "COL-120" not in codes(read(table(f"id,label,score,{name}", 0, 1, 2, 3)))
    numbered = [f"p{i},{i % 2},0.{i + 1},{i + 1}" for i in range(4)]
    assert "COL-120" not in codes(read("\n".join([f"id,label,score,{name}", *numbered])))


def test_two_scores_of_unknown_names_are_both_named_with_how_to_choose():
    text = table("id,wahrheit,modell_a,modell_b", 0, 1, 2, 3)
    (said,) = refused(text)
    assert said.endswith(
        "Map the columns, such as --column has_evidence=wahrheit with --column probability=modell_a or "
        "--column probability=modell_b (both for two models), or choose them on the Data page. [COL-006]"
    )
    (shown,) = inspect(Upload(NAME, text.encode())).tables
    assert shown.suggestions == {"has_evidence": ("wahrheit",), "probability": ("modell_a", "modell_b")}
    both = {"has_evidence": "wahrheit", "probability": ["modell_a", "modell_b"]}
    assert read(text, columns=both).queries.models == ("modell_a", "modell_b")


def test_scores_beside_a_label_are_named_with_how_to_choose():
    (said,) = (line for line in refused(table("id,label,m_a,m_b", 0, 1, 2, 3)) if "COL-004" in line)
    assert said == (
        f"{NAME}: found several columns that could be the probability: m_a, m_b, expected one. Name it with "
        "--column probability=m_a or --column probability=m_b, both for two models, or choose it on the Data "
        "page. [COL-004]"
    )


@pytest.mark.parametrize(
    ("name", "own"), [("ne_prob", "COL-005"), ("distance", "COL-121"), ("l2_dist", "COL-121")]
)
def test_a_page_names_its_own_field_for_a_score_of_unknown_direction(name, own):
    seen = inspect(Upload(NAME, table(f"id,label,{name}", 0, 1, 2).encode()))
    (told,) = [on_page(one).remedy for one in seen.problems if one.code == own]
    assert told.startswith("Choose it on the Data page if high means evidence; otherwise export")


def test_an_index_of_pandas_that_is_left_out_is_told():
    lines = table("post_id,label,score", 0, 1, 2).splitlines()
    counted = "\n".join(f"{i},{line}" if i else line for i, line in enumerate(lines))
    named = "Unnamed: 0," + counted
    assert (
        f"{NAME}: found the column 'Unnamed: 0', the index that pandas writes before the columns, which "
        in ("".join(line for line in warned(read(named)) if "COL-265" in line))
    )
    assert not set(read(named).queries.numbers) & {"Unnamed: 0"}
    assert "COL-265" in codes(read("," + counted))
    ids = table("Unnamed: 0,label,score", 0, 1, 2)
    (told,) = [line for line in warned(read(ids)) if "COL-265" in line]
    assert 'If it holds the ids, say --column "query_id=Unnamed: 0".' in told
    assert read(ids, columns={"query_id": "Unnamed: 0"}).queries.post_ids.tolist()[:2] == ["p0", "p1"]


def test_ranks_against_scores_are_told_of_candidates_too():
    lines = ["query_id,sent_uid,is_gold,rank,score"]
    lines += [f"q{q},s{q}{i},{int(i == 0)},{i + 1},{0.1 + 0.2 * i}" for q in range(2) for i in range(3)]
    told = "\n".join(lines)
    assert "RNK-231" in codes(read(told))
    assert "RNK-231" not in codes(read(told.replace("0.1\n", "0.9\n")))


def test_ranks_beside_one_score_throughout_play_no_part_and_that_is_told():
    lines = [f"q{q} Q0 d{9 - i} {i + 1} {{}} tag\n" for q in range(3) for i in range(4)]
    qrels = upload("".join(f"q{q} 0 d9 1\n" for q in range(3)), "qrels.txt")
    for name, scores in (("same", [0] * 12), ("falling", [4, 3, 2, 1] * 3), ("some tied", [4, 3, 3, 1] * 3)):
        run = "".join(line.format(score) for line, score in zip(lines, scores, strict=True))
        assert ("RNK-310" in codes(load([upload(run, "run.txt"), qrels]))) is (name == "same")
    rows = ["query_id,sent_uid,is_gold,rank,score"]
    rows += [f"q{q},s{q}{i},{int(i == 0)},{i + 1},0.5" for q in range(2) for i in range(3)]
    assert "RNK-310" in codes(read("\n".join(rows)))


SAMPLES = [
    {
        "doc_id": i,
        "doc": {"question": "q"},
        "target": str(i % 2),
        "resps": [[["-1.0", "False"]], [["-2.0", "True"]]],
        "filtered_resps": [["-1.0", "False"], ["-2.0", "True"]],
        "acc": 1.0,
    }
    for i in range(3)
]
PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "prompts": [{"raw": "x"}],
        "results": [{"promptIdx": 0, "testIdx": 0, "success": True, "score": 1}],
        "stats": {"successes": 1},
    },
    "config": {},
    "shareableUrl": None,
}
CHOICES = [
    {
        "text": f"t{i}",
        "_input_hash": i,
        "_task_hash": i,
        "options": [{"id": "helpful", "text": "Helpful"}, {"id": "incomplete", "text": "Incomplete"}],
        "accept": ["helpful"][: i % 2],
        "answer": "accept",
        "_annotator_id": "ana",
    }
    for i in range(3)
]
FOREIGN = {
    "promptfoo": (json.dumps(PROMPTFOO), "results of promptfoo", "Write one row a test with its id"),
    "rows of promptfoo": (
        json.dumps(PROMPTFOO["results"]["results"]),
        "results of promptfoo",
        "one row",
    ),
    "lm-eval": (
        json.dumps({"results": {"boolq": {"acc,none": 0.5}}, "configs": {}, "versions": {"boolq": 2}}),
        "results of lm-evaluation-harness",
        "run lm_eval with --log_samples",
    ),
    "choices of Prodigy": (
        "\n".join(map(json.dumps, CHOICES)),
        "choices made in Prodigy",
        "true or false under each label",
    ),
    "samples of lm-eval": (
        "\n".join(map(json.dumps, SAMPLES)),
        "samples of lm-evaluation-harness",
        "exp(log-likelihood)",
    ),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("task", ["evidence", "rag"])
def test_results_of_other_tools_are_named_with_what_to_export(what, task):
    text, kind, advice = FOREIGN[what]
    for indent in (None, 2) if text[:1] == "{" and "\n" not in text else (None,):
        written = text if indent is None else json.dumps(json.loads(text), indent=indent)
        (said,) = refused(written, task=task)
        assert kind in said
        assert advice in said


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of predictions and everything that this program writes from them."""
    at = tmp_path_factory.mktemp("own")
    data = at / "queries.csv"
    draw = np.random.default_rng(1)
    rows = [f"p{i},A.1,{int(label)},{min(max(draw.normal(0.7 if label else 0.2, 0.15), 0), 1):.4f}"
            for i, label in enumerate(draw.random(60) < 0.4)]  # fmt: skip
    data.write_text("\n".join(["post_id,criterion_id,has_evidence,probability", *rows]) + "\n")
    assert main(["evaluate", str(data), "--out", str(at / "report")]) == 0
    assert main(["choose", str(data), "--point", "--out", str(at / "POINT.json")]) in (0, 1)
    assert main(["apply", str(at / "POINT.json"), str(data), "--out", str(at / "DECISIONS.csv")]) == 0
    for name in ("metrics.csv", "metrics.json", "report.md"):
        (at / name).write_bytes((at / "report" / name).read_bytes())
    return at


def test_a_folder_with_what_this_program_wrote_is_read_without_it(folder):
    data = load(folder)
    assert len(data.queries) == 60
    left_out = [line for line in warned(data) if "FILE-019" in line]
    for name, what in (
        ("DECISIONS.csv", "decisions, as apply writes them"),
        ("POINT.json", "an operating-point document"),
        ("metrics.csv", "the table of metrics of evaluate"),
        ("metrics.json", "the metrics of evaluate"),
    ):
        assert any(line.startswith(name) and what in line for line in left_out), name


def test_decisions_say_what_they_are_and_can_be_joined_to_labels(folder):
    decisions = Upload("DECISIONS.csv", (folder / "DECISIONS.csv").read_bytes())
    (said,) = [line for line in refused(decisions) if "FILE-140" in line]
    assert said == (
        "DECISIONS.csv: found decisions, as apply writes them, which this program wrote, expected "
        "predictions, lists, candidates or annotations. They have no labels: give the file that they were "
        "made of, or this one with a file of the labels by the same ids (--truth FILE). [FILE-140]"
    )
    labels = [line.rsplit(",", 1)[0] for line in (folder / "queries.csv").read_text().splitlines()]
    truth = Upload("labels.csv", "\n".join(labels).encode())
    assert len(load([decisions, truth], truth="labels.csv").queries) == 60


@pytest.mark.parametrize("command", ["verify", "apply"])
@pytest.mark.parametrize("name", ["metrics.json", "metrics.csv"])
def test_another_file_of_this_program_in_place_of_the_document_is_named(folder, command, name, capsys):
    more = ["--out", str(folder / "x.csv")] if command == "apply" else []
    assert main([command, str(folder / name), str(folder / "queries.csv"), *more]) == 2
    told = capsys.readouterr().err
    assert "of evaluate" in told
    assert "Give the file of choose --out POINT.json." in told
    assert "DOC-265" in told
    assert "DOC-002" not in told


def pairs(queries: list[np.ndarray]) -> tuple[int, int, int] | None:
    """Each file against each."""
    for (i, a), (j, b) in itertools.combinations(enumerate(queries), 2):
        n = len(np.intersect1d(a, b))
        if 0 < 2 * n < min(len(a), len(b)):
            return i, j, n
    return None


def test_files_that_share_few_queries_are_found_as_by_comparing_each_with_each():
    draw = np.random.default_rng(0)
    for _ in range(300):
        sets = [np.unique(draw.integers(0, 12, draw.integers(1, 9))) for _ in range(draw.integers(1, 6))]
        expected, found = pairs(sets), _first_few_shared(sets)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found[2] == len(np.intersect1d(sets[found[0]], sets[found[1]]))
            assert found == expected


def test_many_parts_and_many_models_are_compared_in_a_pass():
    disjoint = [np.arange(10 * i, 10 * i + 10) for i in range(3000)]
    assert _first_few_shared(disjoint) is None
    assert _first_few_shared([np.arange(1000)] * 3000) is None


TRUTH = "id,label\np1,1\np2,0\np3,1\np4,0\n"


@pytest.mark.parametrize(
    "column",
    ["label: 1 0 1 1", "gold: yes no yes yes", "y_true: 1.0 0.0 1.0 1.0", "target: true false true TRUE"],
)
def test_a_label_that_contradicts_the_truth_is_counted_and_named(column):
    name, *labels = column.replace(":", "").split()
    lines = [f"p{i},{label},0.{i}" for i, label in enumerate(labels, 1)]
    scores = Upload("scores.csv", "\n".join([f"id,{name},score", *lines]).encode())
    data = load([Upload("truth.csv", TRUTH.encode()), scores], truth="truth.csv")
    assert data.queries.has_evidence.tolist() == [True, False, True, False]
    (said,) = [line for line in warned(data) if "QRY-265" in line]
    assert said == (
        f"scores.csv, column {name}: found labels that contradict truth.csv in 1 of 4 rows: “p4”, expected "
        "the same label in both files. The labels of truth.csv were used. Correct the file that is wrong; "
        "if the column is what a model predicted, name it so with --column predicted_label=NAME. [QRY-265]"
    )


def test_a_label_that_says_what_the_truth_says_is_not_told():
    scores = Upload("scores.csv", b"id,label,score\np1,1,0.5\np2,0,0.25\np3,1,0.75\np4,0,0.5\n")
    assert "QRY-265" not in codes(load([Upload("truth.csv", TRUTH.encode()), scores], truth="truth.csv"))


@pytest.fixture(params=["csv", "parquet", "jsonl"])
def parted(request, tmp_path) -> Path:
    """A table that is parted into folders by split and fold."""
    frame = pd.DataFrame(ROWS, columns=["post_id", "label", "score", "rest"])
    parts = {("tune", "0"): frame[:4], ("tune", "1"): frame[4:8], ("test", "a b"): frame[8:]}
    for (split, fold), part in parts.items():
        folder = tmp_path / "table" / f"split={split}" / f"fold={fold.replace(' ', '%20')}"
        folder.mkdir(parents=True)
        path = folder / f"part-0.{request.param}"
        if request.param == "csv":
            part.to_csv(path, index=False)
        elif request.param == "parquet":
            part.to_parquet(path)
        else:
            part.to_json(path, orient="records", lines=True)
        (folder / "_SUCCESS").write_text("")
    return tmp_path / "table"


def test_keys_of_folders_are_columns(parted):
    data = load(parted)
    slices = {
        name: [levels[code] for code in of_rows] for name, (of_rows, levels) in data.queries.slices.items()
    }
    keys = zip(slices["split"], slices["fold"], strict=True)
    of_post = dict(zip(data.queries.post_ids[data.queries.post], keys, strict=True))
    assert {of_post[f"p{i}"] for i in range(4)} == {("tune", "0")}
    assert {of_post[f"p{i}"] for i in range(8, 12)} == {("test", "a b")}
    assert len(data.queries) == len(ROWS)
    assert data.queries.models == ("score",)
    (said,) = [line for line in warned(data) if "FILE-266" in line]
    assert "in 3 files: split (test, tune); fold (a b, 0, 1)" in said


@pytest.mark.parametrize("parted", ["csv"], indirect=True)
def test_parts_without_ids_are_parts(parted):
    for file in parted.rglob("part-0.csv"):
        pd.read_csv(file).drop(columns="post_id").to_csv(file, index=False)
    assert len(load(parted).queries) == len(ROWS)


def test_a_pattern_reads_the_folders_too(parted):
    assert len(load(f"{parted}/**/part-*").queries) == len(ROWS)


PREDICTED = "id,label,prob\na,1,0.9\nb,0,0.2\n"


def placed(folder: Path, text: str = PREDICTED) -> Path:
    folder.mkdir(parents=True)
    (folder / "part-0.csv").write_text(text)
    return folder


def test_a_key_twice_among_folders_is_refused(tmp_path):
    placed(tmp_path / "a=1" / "a=2")
    with pytest.raises(InputError) as refusal:
        load(tmp_path)
    assert "a=1/a=2/part-0.csv: found a key twice among the folders above it: a=1, a=2" in str(refusal.value)


def test_a_column_that_contradicts_its_folder_is_told(tmp_path):
    placed(tmp_path / "label=0")
    data = load(tmp_path)
    assert data.queries.has_evidence.tolist() == [True, False]
    (said,) = [line for line in warned(data) if "FILE-284" in line]
    assert "found 1 in the file and 0 in the name of its folder" in said


def test_a_column_that_says_what_its_folder_says_is_no_remark(tmp_path):
    placed(tmp_path / "fold=1", "id,label,prob,fold\na,1,0.9,1\nb,0,0.2,1\n")
    assert "FILE-284" not in codes(load(tmp_path))


def test_folders_that_lead_to_themselves_are_read_once(tmp_path):
    placed(tmp_path / "x=1")
    for name in ("y=1", "z=1"):
        (tmp_path / name).symlink_to(".", target_is_directory=True)
    assert len(load(tmp_path).queries) == 2


def test_folders_in_each_other_without_end_are_refused(tmp_path):
    placed(Path(tmp_path, *["a=1"] * 40))
    with pytest.raises(InputError, match="more than 32 folders key=value lie in each other"):
        load(tmp_path)


def test_a_source_below_such_folders_is_not_written_over(tmp_path, capsys):
    folder = placed(tmp_path / "split=test")
    (folder / "part-0.csv").rename(folder / "metrics.csv")
    assert main(["evaluate", str(tmp_path), "--out", str(folder), "--overwrite"]) == 2
    assert "whose metrics.csv is read too" in capsys.readouterr().err
    assert (folder / "metrics.csv").read_text() == PREDICTED


def test_two_scores_of_unknown_names_are_named_with_the_label():
    (said,) = refused("id,outcome,pred_1,pred_2\na,1,0.9,0.8\nb,0,0.1,\n")
    assert "found columns that fit no known table: id, outcome, pred_1, pred_2, expected a label" in said
