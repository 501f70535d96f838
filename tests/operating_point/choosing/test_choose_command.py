"""choose, apply and verify as a process would see them: what is asked for, refused, and never certified."""

import json
import re

import pandas as pd
import pytest

from evalcore.__main__ import main
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.operating_point.document.limits import SYNTHETIC
from tests.conftest import ROOT
from tests.support.but_long import but_long
from tests.support.made.choices import distinct_rows

COLUMNS = ["post_id", "criterion_id", "probability", "has_evidence", "split"]
AIM = ["--screening-sensitivity", "0.99"]


def write(path, rows, **more):
    frame = pd.DataFrame(rows, columns=COLUMNS).assign(**more)
    frame.to_csv(path, index=False)
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Tune and test in two files, without a common post."""
    tune = distinct_rows(lambda name: f"a{name}", "tune")
    test = distinct_rows(lambda name: f"b{name}", "test", seed=6)
    return write(tmp_path / "tune.csv", tune), write(tmp_path / "test.csv", test), tune, test


def status_of(path):
    return json.loads(path.read_text())["status"]


def choose(path, *arguments):
    return main(["choose", *arguments, *AIM, "--out", str(path)])


def test_two_files_without_a_common_post_certify_and_verify(tmp_path, files, capsys):
    tune, test, *_ = files
    point = tmp_path / "point.json"
    assert choose(point, tune, "--test-file", test) == 0
    assert status_of(point) == "certified"
    assert main(["verify", str(point), tune, test]) == 0
    assert main(["verify", str(point), test, tune, tune]) == 0  # a file given twice is one file
    assert main(["verify", str(point), tune]) == 2
    assert main(["verify", str(point), tune, tune]) == 2
    assert "DOC-005" in capsys.readouterr().err


def test_the_outlook_of_both_targets_is_told_before_the_choice(tmp_path, files, capsys):
    tune, test, *_ = files
    choose(tmp_path / "point.json", tune, "--test-file", test)
    of_sensitivity, of_precision = capsys.readouterr().err.splitlines()[-2:]
    assert of_sensitivity.startswith("Test can show at most ≥ 99.42 % with 600 positives; the chance that it")
    assert of_precision.startswith("Test can show of alert precision at most ≥ 99.00 %")


@pytest.mark.parametrize(
    "rename",
    but_long(
        [
            lambda name: name,
            lambda name: f" {name}  ",
            lambda name: name.upper(),
            lambda name: f"{name[:2]} {name[2:]}",
            lambda name: f"other_{name}",
        ],
        2,
    ),
    ids=["as they are", "blanks", "case", "a blank inside", "renamed"],
)
def test_overlapping_posts_are_never_certified_in_files_or_splits(tmp_path, files, rename, capsys):
    tune, _, rows, test_rows = files
    point = tmp_path / "point.json"
    copies = [(rename(post), *rest, "test") for post, *rest, _ in rows[: 50 * 5]]
    again = write(tmp_path / "again.csv", [*test_rows, *copies])
    assert choose(point, tune, "--test-file", again) == 0
    assert status_of(point) == "exploratory"
    others = [(post, f"{criterion}x", *rest) for post, criterion, *rest in copies]  # no check stands twice
    together = write(tmp_path / "together.csv", [*rows, *test_rows, *others])
    assert choose(point, together, "--tune", "tune", "--test", "test") == 0
    assert status_of(point) == "exploratory"
    assert main(["verify", str(point), together]) == 0
    capsys.readouterr()


def test_the_file_that_was_chosen_on_cannot_test_the_choice(tmp_path, files, capsys):
    tune, *_ = files
    point = tmp_path / "point.json"
    for arguments in ([tune, "--test-file", tune], [tune, "--tune", "tune", "--test-file", tune], [tune]):
        choose(point, *arguments)
        assert status_of(point) == "exploratory"
        assert main(["verify", str(point), tune, tune]) == 0
    assert choose(point, tune, "--tune", "tune", "--test", "tune") == 2
    capsys.readouterr()


def test_a_seen_test_is_said_and_asked_about(tmp_path, files, capsys):
    tune, test, *_ = files
    point = tmp_path / "point.json"
    choose(point, tune, "--test-file", test, "--test-seen")
    assert status_of(point) == "exploratory"
    choose(point, tune, "--test-file", test)
    assert status_of(point) == "exploratory"  # what was said of these rows is not forgotten
    point.unlink()
    choose(point, tune, "--test-file", test)
    first = point.read_bytes()
    assert status_of(point) == "certified"
    capsys.readouterr()
    choose(point, tune, "--test-file", test)
    assert point.read_bytes() == first  # the same look
    assert "a look at them" not in capsys.readouterr().err
    other = ["choose", tune, "--test-file", test, "--screening-sensitivity", "0.97", "--out", str(point)]
    for n in (1, 1):
        main(other)
        assert "held a point that was tested on these rows: a look at them." in capsys.readouterr().err
        document = json.loads(point.read_text())
        assert document["status"] == "exploratory"
        assert document["selection"]["looks_at_test"] == {
            "n_before": n,
            "shown": ["the point that point.json held for other targets"],
            "counted_by": "nobody",
            "known_since": None,
        }


def test_a_target_that_the_replaced_file_offered_certifies_nothing(tmp_path, files, capsys):
    tune, test, *_ = files
    point = tmp_path / "point.json"
    choose(point, tune, "--test-file", test)
    assert status_of(point) == "certified"
    document = json.loads(point.read_text())
    offer = document["selection"]["constraints"][0]
    document["selection"]["offered"] = [offer | {"set_after_seeing_the_data": True}]
    document["selection"]["constraints"][0] = offer | {"value": 0.999}
    document["data"] = document["data"][:1]
    document["status"] = "exploratory"
    point.write_text(json.dumps(document | {"content_sha256": content_sha256(document)}))
    choose(point, tune, "--test-file", test)
    assert status_of(point) == "tuned"
    assert json.loads(point.read_text())["selection"]["constraints"][0]["set_after_seeing_the_data"] is True
    assert main(["verify", str(point), tune, test]) == 0
    capsys.readouterr()


def edited(path, *, status="certified", is_hashed=False, **selection):
    document = json.loads(path.read_text())
    document["status"] = status
    document["selection"].update(selection)
    document["limits"] = [line for line in document["limits"] if not line.startswith("Exploratory")]
    if is_hashed:
        document["content_sha256"] = content_sha256(document)
    path.write_text(json.dumps(document))


def test_a_document_edited_to_certified_does_not_hold_and_is_not_applied(tmp_path, files, capsys):
    tune, *_ = files
    point, decisions = tmp_path / "point.json", tmp_path / "decisions.csv"
    choose(point, tune, "--test-file", tune)
    edited(point)
    assert main(["verify", str(point), tune]) == 1
    assert "found status = 'certified', expected 'exploratory'" in capsys.readouterr().out
    assert main(["apply", str(point), tune, "--out", str(decisions)]) == 2
    assert "DOC-003" in capsys.readouterr().err
    edited(point, is_hashed=True)
    assert main(["apply", str(point), tune, "--out", str(decisions)]) == 2
    assert "DOC-010" in capsys.readouterr().err
    edited(point, is_hashed=True, overlap_posts_tune_test=0)
    assert main(["verify", str(point), tune]) == 1
    assert "found selection.overlap_posts_tune_test = 0, expected 300" in capsys.readouterr().out
    assert not decisions.exists()


def test_of_several_models_none_is_taken_silently(tmp_path, files, capsys):
    _, _, rows, _ = files
    both = pd.concat([pd.DataFrame(rows, columns=COLUMNS).assign(model=name) for name in ("gnn", "base")])
    both.to_csv(tmp_path / "both.csv", index=False)
    point = tmp_path / "point.json"
    assert choose(point, str(tmp_path / "both.csv")) == 2
    error = capsys.readouterr().err
    assert "found 2 models and no --model, expected one of gnn, base" in error
    assert not point.exists()
    assert choose(point, str(tmp_path / "both.csv"), "--model", "base") == 0
    assert json.loads(point.read_text())["input"]["model"]["level"] == "base"


def test_folds_go_with_no_test_and_verify(tmp_path, files, capsys):
    _, _, rows, _ = files
    path = write(tmp_path / "folds.csv", rows, fold=[at // 5 % 4 for at in range(len(rows))])
    point = tmp_path / "point.json"
    assert choose(point, path, "--folds") == 0
    out = capsys.readouterr().out
    assert "over 4 held-out folds: no verdict." in out
    assert "Over 4 folds: the threshold to skip " in out
    assert main(["verify", str(point), path]) == 0
    assert choose(point, path, "--folds", "--tune", "tune") == 2
    assert "found --folds and --tune" in capsys.readouterr().err
    assert choose(point, path, "--folds", "--prevalence", "0.1") == 2
    assert "found --folds and --prevalence" in capsys.readouterr().err
    assert choose(tmp_path / "none.json", files[0], "--folds") == 2
    assert "found no column of folds" in capsys.readouterr().err


def test_the_front_is_written_beside_the_document(tmp_path, files, capsys):
    tune, *_ = files
    front = tmp_path / "front.csv"
    assert choose(tmp_path / "point.json", tune, "--pareto", str(front)) == 0
    table = pd.read_csv(front)
    assert table["aims"].unique().tolist() == [
        "workload;screening_sensitivity;alert_precision",
        "alert_precision;alerts_right",
    ]
    assert choose(tmp_path / "point.json", tune, "--pareto", str(tmp_path / "point.json")) == 2
    assert choose(tmp_path / "point.json", tune, "--pareto", tune) == 2
    assert "expected a file of its own" in capsys.readouterr().err


def test_a_front_that_cannot_be_written_leaves_no_document(tmp_path, files, capsys):
    front, out = tmp_path / "notes.csv", tmp_path / "point.json"
    front.write_text("what I must not lose\n")
    assert choose(out, files[0], "--pareto", str(front)) == 2
    assert "a file from elsewhere" in capsys.readouterr().err
    assert (out.exists(), front.read_text()) == (False, "what I must not lose\n")
    assert choose(out, files[0], "--pareto", str(front), "--overwrite") == 0
    assert out.exists()


def test_one_row_is_one_row(tmp_path, capsys):
    path = write(tmp_path / "one.csv", distinct_rows()[:1])
    main(["evaluate", path])
    assert "one.csv: 1 row in, 1 used" in capsys.readouterr().err


def test_the_document_of_the_readme_says_first_that_its_data_are_synthetic(tmp_path, capsys):
    command = re.search(
        r"\$ python -m evalcore (choose .*?--out point\.json)", (ROOT / "README.md").read_text(), re.DOTALL
    )
    arguments = command[1].replace("\\\n", " ").split()
    arguments[1], arguments[-1] = str(ROOT / arguments[1]), str(tmp_path / "point.json")
    assert main(arguments) == 0
    document = json.loads((tmp_path / "point.json").read_text())
    assert document["status"] == "certified"
    assert document["limits"][0] == SYNTHETIC
    assert capsys.readouterr().out.splitlines()[1] == SYNTHETIC
    decisions = str(tmp_path / "decisions.csv")
    assert main(["apply", arguments[-1], arguments[1], "--out", decisions]) == 0
    assert f"{arguments[-1]}: {SYNTHETIC}" in capsys.readouterr().err


def test_warnings_of_the_input_are_told(tmp_path, files, capsys):
    assert files
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "a.csv").write_bytes((tmp_path / "tune.csv").read_bytes())
    (folder / "b.csv").write_text("nothing\nthat fits\n")
    choose(tmp_path / "point.json", str(folder))
    assert "b.csv: found no table that can be read" in capsys.readouterr().err
