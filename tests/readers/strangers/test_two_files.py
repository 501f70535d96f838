"""Truth and predictions in files of their own: joined by their ids, every row accounted for, doubts asked."""

import io

import numpy as np
import pandas as pd
import pytest

from evalcore import evaluate, inspect, load
from evalcore.__main__ import main
from evalcore.data import Data
from evalcore.readers import Upload
from tests.support.reading import refused, upload, warned

SCORES = "id,prob\nd,0.8\nc,0.35\nb,0.4\na,0.1\n"
TRUTH = "id,target\na,0\nb,0\nc,1\nd,1\n"


def both(scores: str, truth: str) -> list[Upload]:
    return [upload(scores, "submission.csv"), upload(truth, "solution.csv")]


def auroc(data: Data) -> dict[str, float]:
    table = evaluate(data).table
    rows = table[(table["metric"] == "auroc") & (table["group_by"] == "")]
    return {row.model: round(row.value, 4) for row in rows.itertuples() if "stat" not in row.params}


def rows_of(data: Data) -> dict[str, tuple[int, int, dict[str, int]]]:
    return {one.name: (one.n_rows, one.n_used, dict(one.excluded)) for one in data.sources}


def test_labels_and_scores_are_joined_by_id_whatever_the_order():
    for files in (both(SCORES, TRUTH), both(SCORES, TRUTH)[::-1]):
        data = load(files)
        assert auroc(data) == {"prob": 0.75}
        assert rows_of(data) == {"submission.csv": (4, 4, {}), "solution.csv": (4, 4, {})}
        assert [line[-9:] for line in warned(data)] == ["[QRY-010]"]


def test_the_page_is_told_what_each_file_is():
    seen = inspect(both(SCORES, TRUTH))
    assert [(table.kind, dict(table.mapping)) for table in seen.tables] == [
        ("queries", {"query_id": ("id",), "probability": ("prob",)}),
        ("truth", {"query_id": ("id",), "has_evidence": ("target",)}),
    ]
    assert [(table.source.n_rows, table.source.n_used) for table in seen.tables] == [(4, 4), (4, 4)]


def test_rows_without_a_counterpart_are_counted_on_both_sides():
    data = load(both(SCORES + "e,0.9\nf,0.2\n", TRUTH + "g,1\n"))
    assert auroc(data) == {"prob": 0.75}
    assert rows_of(data) == {
        "submission.csv": (6, 4, {"no label in solution.csv": 2}),
        "solution.csv": (5, 4, {"no score in submission.csv": 1}),
    }


@pytest.mark.parametrize(
    ("scores", "truth"),
    [
        ("id,target\nd,0.8\nc,0.35\nb,0.4\na,0.1\n", TRUTH),
        ("PassengerId,Survived\n4,0.8\n3,0.35\n2,0.4\n1,0.1\n", "PassengerId,Survived\n1,0\n2,0\n3,1\n4,1\n"),
        ("image_name,p\nd,0.8\nc,0.35\nb,0.4\na,0.1\n", "image_name,label\na,0\nb,0\nc,1\nd,1\n"),
        ("id,label\nd,0.8\nc,0.35\nb,0.4\na,0.1\n", "id,label\na,0\nb,0\nc,1\nd,1\n"),
        (
            "post_id,criterion_id,probability\nx,A.2,0.8\nx,A.1,0.35\nw,A.2,0.4\nw,A.1,0.1\n",
            "post_id,criterion_id,has_evidence\nw,A.1,0\nw,A.2,0\nx,A.1,1\nx,A.2,1\n",
        ),
        (
            "query_id,probability\nx::A.2,0.8\nx::A.1,0.35\nw::A.2,0.4\nw::A.1,0.1\n",
            "query_id,has_evidence\nw::A.1,0\nw::A.2,0\nx::A.1,1\nx::A.2,1\n",
        ),
        (SCORES, "id;target\na;0\nb;0\nc;1\nd;1\n"),
    ],
    ids=[
        "one name for both",
        "an id of another name",
        "a name for the image",
        "label",
        "pairs",
        "split",
        "semicolons",
    ],
)
def test_ids_and_labels_are_found_in_the_usual_layouts(scores, truth):
    given = {} if "Passenger" not in scores else {"truth": "solution.csv"}
    data = load(both(scores, truth), **given)
    assert set(auroc(data).values()) == {0.75}
    assert len(data.queries) == 4


def test_a_parquet_file_joins_a_csv():
    sink = io.BytesIO()
    pd.DataFrame({"id": ["a", "b", "c", "d"], "target": [0, 0, 1, 1]}).to_parquet(sink)
    data = load([upload(SCORES, "submission.csv"), upload(sink.getvalue(), "solution.parquet")])
    assert auroc(data) == {"prob": 0.75}


def test_groups_of_the_truth_can_be_broken_down_by():
    truth = "id,target,Usage,split\na,0,Public,tune\nb,0,Private,tune\nc,1,Public,test\nd,1,Private,test\n"
    data = load(both(SCORES, truth))
    assert set(data.queries.slices) == {"Usage", "split"}
    codes, levels = data.queries.slices["Usage"]
    assert [levels[code] for code in codes] == ["Private", "Public", "Private", "Public"]


def test_several_files_of_scores_are_models():
    data = load([*both(SCORES, TRUTH), upload("id,prob\na,0.1\nb,0.2\nc,0.8\nd,0.9\ne,0.5\n", "other.csv")])
    assert auroc(data) == {"submission": 0.75, "other": 1.0}
    assert rows_of(data)["other.csv"] == (5, 4, {"no label in solution.csv": 1})


def test_the_positive_label_is_asked_for_in_the_file_of_the_truth():
    truth = TRUTH.replace("0\n", "no\n").replace("1\n", "yes\n")
    assert refused(*both(SCORES, truth))[0].startswith(
        "solution.csv, column target: found the labels no and yes"
    )
    data = load(both(SCORES, truth), positive="yes")
    assert auroc(data) == {"prob": 0.75}
    assert data.positive == "yes"
    assert inspect(both(SCORES, truth)).tables[1].labels == {"no": 2, "yes": 2}


def test_what_is_wrong_with_the_truth_is_named_there():
    told = refused(*both(SCORES, TRUTH + "a,1\ne,7\nf,\n"))
    assert told[0].startswith("solution.csv, row 6, column target: found 7")
    assert told[1].startswith("solution.csv, row 7, column target: found an empty cell")
    assert told[2].startswith("solution.csv, row 5, column id: found a again; it stands in row 1 already")
    assert refused(*both(SCORES + "a,0.3\n", TRUTH))[0].startswith(
        "submission.csv, row 5, column id: found a again"
    )


def test_files_without_a_common_id_are_refused():
    told = refused(*both(SCORES, "id,target\nA-1,0\nA-2,0\nA-3,1\n"))
    assert told[0] == (
        "submission.csv: found no id that solution.csv has too: here “d”, “c”, “b”, there “A-1”, “A-2”, “A-3”"
        ", expected ids as both files write them. Compare how both write their ids, or name other columns "
        "with --column query_id=NAME. [QRY-123]"
    )


def test_which_column_joins_is_asked_and_answered():
    scores = "case,row,prob\nd,4,0.8\nc,3,0.35\nb,2,0.4\na,1,0.1\n"
    truth = "case,row,target\na,1,0\nb,2,0\nc,3,1\nd,4,1\n"
    assert refused(*both(scores, truth))[0] == (
        "submission.csv: found several columns that could join it with solution.csv: 'case', 'row', expected "
        "the column with the ids. Name it with --column query_id=case, or choose it on the Data page. "
        "[QRY-120]"
    )
    assert auroc(load(both(scores, truth), columns={"query_id": "case"})) == {"prob": 0.75}


def test_ids_of_two_names_are_said():
    truth = TRUTH.replace("id,", "case,")
    assert "[QRY-121]" in refused(*both(SCORES, truth))[0]
    assert auroc(load(both(SCORES, truth), columns={"query_id": ("id", "case")})) == {"prob": 0.75}


def test_a_label_beside_the_scores_is_asked_about():
    scores = "id,prob,label\nd,0.8,1\nc,0.35,0\nb,0.4,0\na,0.1,0\n"
    question = refused(*both(scores, TRUTH))[0]
    assert question == (
        "solution.csv: found the column 'target', which may be the truth that belongs to the other scores, "
        "expected a word on which file holds the truth. Say --truth with the name of that file, or choose it "
        "on the Data page; leave the file out if it is not. [QRY-122]"
    )
    assert auroc(load(both(scores, TRUTH), truth="solution.csv")) == {"prob": 0.75}


def test_a_column_that_only_could_be_the_label_is_asked_about():
    truth = TRUTH.replace("target", "smoker")
    assert "the column 'smoker', which may be the truth" in refused(*both(SCORES, truth))[0]
    assert auroc(load(both(SCORES, truth), truth="solution.csv")) == {"prob": 0.75}
    assert auroc(load(both(SCORES, truth), columns={"has_evidence": "smoker"})) == {"prob": 0.75}


def test_a_file_about_something_else_is_not_taken_for_the_truth():
    whole = "id,y_true,y_prob\na,0,0.1\nb,0,0.4\nc,1,0.35\nd,1,0.8\n"
    told = refused(upload(whole, "a.csv"), upload("id,sex\na,f\nb,m\nc,f\nd,m\n", "b.csv"))
    assert [line[-9:] for line in told] == ["[COL-006]", "[QRY-010]"]


def test_a_truth_that_is_not_there_is_named(tmp_path, capsys):
    (tmp_path / "submission.csv").write_text(SCORES)
    paths = [str(tmp_path / "submission.csv"), "--truth", str(tmp_path / "solution.csv")]
    assert main(["evaluate", *paths]) == 2
    assert "solution.csv: found no such file" in capsys.readouterr().err


def write(folder, n: int = 400) -> list[str]:
    """Scores and labels of many rows in two files."""
    rng = np.random.default_rng(3)
    label = rng.random(n) < 0.4
    score = np.where(label, rng.beta(6, 2, n), rng.beta(2, 8, n)).round(4)
    ids = [f"p{i}" for i in range(n)]
    pd.DataFrame({"id": ids[::-1], "prob": score[::-1]}).to_csv(folder / "submission.csv", index=False)
    pd.DataFrame({"id": ids, "target": label.astype(int)}).to_csv(folder / "solution.csv", index=False)
    pd.DataFrame({"id": ids, "y_true": label.astype(int), "y_prob": score}).to_csv(
        folder / "one.csv", index=False
    )
    return [str(folder / "submission.csv"), str(folder / "solution.csv")]


def test_every_command_takes_two_files_and_says_what_one_file_says(tmp_path, capsys):
    scores, truth = write(tmp_path)
    tables = []
    for at, inputs in enumerate(([scores, truth], [scores, "--truth", truth], [str(tmp_path / "one.csv")])):
        out = tmp_path / f"out_{at}"
        assert main(["evaluate", *inputs, "--out", str(out)]) == 0
        tables.append(pd.read_csv(out / "metrics.csv").drop(columns="model"))
    pd.testing.assert_frame_equal(tables[0], tables[1])
    pd.testing.assert_frame_equal(tables[0], tables[2])
    assert main(["check", scores, truth]) in (0, 1)
    assert "label target (solution.csv), score prob, query id" in capsys.readouterr().out
    assert main(["crosscheck", scores, truth]) == 0
    point = str(tmp_path / "point.json")
    assert main(["choose", scores, truth, "--point", "--out", point]) in (0, 1)
    assert main(["verify", point, scores, truth]) == 0
    assert main(["choose", scores, "--truth", truth, "--point", "--out", truth]) == 2
    assert "which is read too" in capsys.readouterr().err


def test_two_submissions_are_compared_against_one_truth(tmp_path, capsys):
    scores, truth = write(tmp_path)
    frame = pd.read_csv(scores)
    frame["prob"] = 1 - frame["prob"]
    frame.iloc[:-10].to_csv(tmp_path / "reversed.csv", index=False)
    paths = [scores, str(tmp_path / "reversed.csv")]
    assert main(["compare", *paths, "--truth", truth, "--bootstrap", "0", "--permutations", "0"]) == 0
    assert "390" in capsys.readouterr().err


def test_a_folder_of_the_two_files_is_read(tmp_path, capsys):
    (tmp_path / "submission.csv").write_text(SCORES)
    (tmp_path / "solution.csv").write_text(TRUTH)
    assert main(["evaluate", str(tmp_path)]) == 0
    assert "0.750" in capsys.readouterr().out


def test_a_file_of_a_folder_that_has_nothing_to_do_with_the_others_is_left_out(tmp_path):
    (tmp_path / "a.csv").write_text("id,y_true,y_prob\na,0,0.1\nb,0,0.4\nc,1,0.35\nd,1,0.8\n")
    for text in ("x,y\n1,2\n", "id,y\na,1\nb,0\nc,1\nd,0\n"):
        (tmp_path / "other.csv").write_text(text)
        data = load(tmp_path)
        assert auroc(data) == {"y_prob": 0.75}
        assert "FILE-019" in {problem.code for problem in data.warnings}
