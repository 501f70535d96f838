"""The explorer as one file: what it holds, what it never holds, what the command line asks and refuses."""

import base64
import csv
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.explorer.page import Said, explorer_page
from evalcore.explorer.sources import page_script, script
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.tradeoff import points
from evalcore.operating_point.tradeoff.table import compute_tradeoff

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_data" / "queries.csv"
HOSTILE = "</script><img src=x onerror=alert(1)>"


def given(page: str) -> Any:
    """What a page hands to its script."""
    found = re.search(r'<script type="application/json" id="given">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def written(folder: Path, lines: list[str]) -> str:
    path = folder / "rows.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def some_rows(folder: Path, *, model: str = "m", criterion: str = "A.1", n: int = 40) -> str:
    lines = ["post_id,criterion_id,model,has_evidence,probability,split"]
    for at in range(n):
        split = "tune" if at % 2 else "test"
        lines.append(f"post_{at}_secret,{criterion},{model},{int(at % 5 == 0)},{(at + 1) / (n + 1)},{split}")
    return written(folder, lines)


def rows_of(file: str) -> RowSet:
    return row_set(evalcore.load(file), "tune", split="tune", model=None)


@pytest.fixture(scope="module")
def of_sample(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file that the command line writes of the sample."""
    out = tmp_path_factory.mktemp("file") / "explorer.html"
    assert main(["explore", str(SAMPLE), "--model", "gnn_gate", "--out", str(out)]) == 0
    return out.read_text(encoding="utf-8")


def test_file_of_the_sample_is_no_larger_than_half_a_megabyte(of_sample: str) -> None:
    assert len(of_sample.encode()) <= 500_000


def test_file_of_the_sample_says_what_it_is_of(of_sample: str) -> None:
    digest = evalcore.load(SAMPLE).digest
    for said in ("7,390 checks", "739 posts", "split = tune", "gnn_gate", digest, evalcore.__version__):
        assert said in of_sample
    assert re.search(r"<dt>Made</dt><dd>\d{4}-\d\d-\d\d by evalcore", of_sample)
    assert "synthetic data" in of_sample
    status = given(of_sample)["news"]["status"]
    assert status.startswith("On the 7,390 tune rows, on which thresholds are chosen: in-sample.")
    assert status.endswith("The test rows are not counted here")


def test_file_holds_no_id_of_a_row(of_sample: str) -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        posts = {line["post_id"] for line in csv.DictReader(file)}
    assert len(posts) > 1_000
    assert set(re.findall(r"\bs_\d+_\d+\b", of_sample)) & posts == set()


def test_file_offers_nothing_that_needs_a_server(of_sample: str) -> None:
    assert given(of_sample)["payload"]["actions"] == []


def test_policy_names_the_very_script_and_style_and_permits_no_connection(of_sample: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', of_sample)
    assert policy is not None
    parts = dict(part.strip().split(" ", 1) for part in policy[1].replace("&#39;", "'").split(";"))
    assert parts.keys() == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}
    assert parts["default-src"] == "'none'"
    assert parts["img-src"] == "data:"
    patterns = {"script-src": r'<script type="module">(.*?)</script>', "style-src": r"<style>(.*?)</style>"}
    for name, pattern in patterns.items():
        (text,) = re.findall(pattern, of_sample, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert parts[name] == f"'sha256-{digest}'"


def test_handles_stand_where_the_page_of_the_dashboard_begins(of_sample: str) -> None:
    news = given(of_sample)["news"]
    assert (news["tau_neg"], news["tau_pos"]) == ("0.001849", "0.9086")


def test_what_the_test_rows_said_goes_along_with_the_thresholds_it_was_said_of(tmp_path: Path) -> None:
    rows = rows_of(some_rows(tmp_path))
    tested = {"tau_neg": "0.1", "tau_pos": "0.9", "sensitivity": {"words": "not met", "tone": "missed"}}
    said = Said(tested=tested)
    page = explorer_page(rows, compute_tradeoff(rows.scored), ("0.1", "0.9"), said=said)
    news = given(page)["news"]
    assert news["tested"] == tested
    assert "The test rows have been looked at" in news["status"]
    assert "not counted" not in news["status"]


def test_a_column_that_names_people_stays_out_unless_it_is_marked(tmp_path: Path) -> None:
    lines = ["post_id,has_evidence,probability,patient,ward,split"]
    for at in range(40):
        ward, split = "south" if at % 4 == 1 else "north", "tune" if at % 2 else "test"
        lines.append(f"p{at},{at % 3 == 0:d},{at / 40:.3f},Jane Doe {at},{ward},{split}")
    rows = rows_of(written(tmp_path, lines))
    page = explorer_page(rows, compute_tradeoff(rows.scored), ("0.1", "0.9"))
    assert "Jane Doe" not in page
    assert "patient (20 groups): most groups are of one post" in page
    assert "north" in page
    marked = explorer_page(
        rows, compute_tradeoff(rows.scored), ("0.1", "0.9"), said=Said(marks=(("patient", "Jane Doe 3"),))
    )
    assert "Jane Doe 5" in marked
    assert "most groups are of one post" not in marked


def test_names_from_a_file_stay_text(tmp_path: Path) -> None:
    rows = rows_of(some_rows(tmp_path, criterion=HOSTILE))
    rows = replace(rows, model=HOSTILE)
    page = explorer_page(rows, compute_tradeoff(rows.scored), ("0.1", "0.9"))
    assert HOSTILE not in page
    assert "<img" not in page
    assert page.count("</script>") == 2


def test_a_file_of_a_grid_counts_the_thresholds_it_opens_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points, "MAX_SCORES", 5)
    monkeypatch.setattr(points, "GRID_POINTS", 4)
    rows = rows_of(some_rows(tmp_path, n=200))
    tradeoff = compute_tradeoff(rows.scored)
    assert tradeoff.is_grid
    missing = next(score for score in rows.table.score if score not in tradeoff.score)
    page = explorer_page(rows, tradeoff, (repr(float(missing)), None))
    packed = given(page)["payload"]["columns"]["score"]
    assert given(page)["payload"]["is_alone"] is True
    held = memoryview(base64.b64decode(packed["base64"])).cast("d").tolist()
    assert float(missing) in held


def test_without_a_split_every_row_is_counted_and_it_is_said(tmp_path: Path) -> None:
    lines = ["post_id,has_evidence,probability", *(f"p{at},{at % 3 == 0:d},{at / 50}" for at in range(50))]
    out = tmp_path / "explorer.html"
    assert main(["explore", written(tmp_path, lines), "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert given(page)["payload"]["counted_on"] == "all rows"
    assert given(page)["news"]["status"] == "On all rows: in-sample"
    assert "synthetic" not in page[page.index("<body>") : page.index('id="host"')]


def test_thresholds_and_targets_are_those_that_were_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "explorer.html"
    asked = ["--tau-neg", "0.05", "--tau-pos", "0.75", "--screening-sensitivity", "0.97"]
    asked += ["--confidence", "0.9"]
    assert main(["explore", some_rows(tmp_path), "--out", str(out), *asked]) == 0
    told = given(out.read_text(encoding="utf-8"))
    assert (told["news"]["tau_neg"], told["news"]["tau_pos"]) == ("0.05", "0.75")
    targets = told["payload"]["targets"]
    assert (targets["sensitivity"], targets["precision"]) == (0.97, 0.9)
    assert (targets["sensitivity_confidence"], targets["precision_confidence"]) == (0.9, 0.9)


def test_a_document_brings_its_thresholds_targets_rows_and_model(tmp_path: Path) -> None:
    point, out = tmp_path / "point.json", tmp_path / "explorer.html"
    file = some_rows(tmp_path, n=400)
    targets = ["--screening-sensitivity", "0.6", "--alert-precision", "0.15", "--point"]
    assert main(["choose", file, "--tune", "tune", "--out", str(point), *targets]) in (0, 1)
    assert main(["explore", file, "--point", str(point), "--out", str(out)]) == 0
    chosen = OperatingPoint.load(point)
    told = given(out.read_text(encoding="utf-8"))
    shown = [told["news"][name] for name in ("tau_neg", "tau_pos")]
    assert chosen.tau_neg is not None
    assert [None if text is None else float(text) for text in shown] == [chosen.tau_neg, chosen.tau_pos]
    assert told["payload"]["targets"]["sensitivity"] == 0.6
    assert told["payload"]["totals"]["n_rows"] == 200


def test_a_document_of_other_rows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    point, out = tmp_path / "point.json", tmp_path / "explorer.html"
    assert main(["choose", some_rows(tmp_path), "--tune", "tune", "--out", str(point)]) in (0, 1)
    other = some_rows(tmp_path, n=60)
    assert main(["explore", other, "--point", str(point), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert "[DOC-005]" in error
    assert not out.exists()


def test_units_of_a_document_are_those_of_its_explorer(tmp_path: Path) -> None:
    lines = ["post_id,author,has_evidence,probability"]
    lines += [f"p{at},a{at % 12},{int(at % 3 == 0)},{(at + 1) / 200}" for at in range(180)]
    file, point, out = written(tmp_path, lines), tmp_path / "point.json", tmp_path / "explorer.html"
    assert main(["choose", file, "--cluster", "author", "--out", str(point)]) in (0, 1)
    assert main(["explore", file, "--point", str(point), "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    told = given(page)["payload"]
    assert (told["totals"]["n_rows"], told["totals"]["n_posts"]) == (180, 12)
    assert told["unit"] == {"one": "value of author", "several": "values of author"}
    assert "checks of one value of author taken as related" in told["method"]
    assert "180 checks · 12 values of author" in page


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--tau-neg", "0.1"], "OPT-005"),
        (["--tau-neg", "0.9", "--tau-pos", "0.1"], "OPT-002"),
        (["--tau-neg", "nan", "--tau-pos", "2"], "OPT-003"),
        (["--screening-sensitivity", "1.2"], "OPT-003"),
        (["--tune", "nowhere"], "QRY-009"),
        (["--model", "nobody"], "OPT-008"),
        (["--must-not-miss", "hospital=B"], "OPT-071"),
        (["--must-not-miss", "criterion=A.9"], "OPT-072"),
        (["--must-not-miss", "criterion"], "OPT-073"),
    ],
)
def test_wrong_options_write_nothing(
    asked: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "explorer.html"
    assert main(["explore", some_rows(tmp_path), "--out", str(out), *asked]) == 2
    assert f"[{code}]" in capsys.readouterr().err
    assert not out.exists()


def test_what_a_document_says_is_not_said_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--point", "point.json", "--model", "m", "--tune", "tune"]
    assert main(["explore", some_rows(tmp_path), "--out", str(tmp_path / "e.html"), *asked]) == 2
    assert "found --point and --tune and --model, expected one of them" in capsys.readouterr().err


def test_an_earlier_file_is_replaced_and_a_foreign_one_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = some_rows(tmp_path), tmp_path / "explorer.html"
    assert main(["explore", file, "--out", str(out)]) == 0
    assert main(["explore", file, "--out", str(out), "--confidence", "0.9"]) == 0
    out.write_text("<!doctype html><p>mine")
    assert main(["explore", file, "--out", str(out)]) == 2
    assert "a file from elsewhere" in capsys.readouterr().err
    assert out.read_text() == "<!doctype html><p>mine"
    assert main(["explore", file, "--out", str(out), "--overwrite"]) == 0


def of_wards(folder: Path, n_wards: int) -> str:
    lines = ["post_id,has_evidence,probability,ward,sex"]
    lines += [f"p{at},{at % 3 == 0:d},{at / 1000},w{at % n_wards},{'fm'[at % 2]}" for at in range(900)]
    return written(folder, lines)


def test_groups_of_every_column_go_into_the_file_and_marked_ones_with_them(tmp_path: Path) -> None:
    out = tmp_path / "explorer.html"
    asked = ["--must-not-miss", "sex=f", "--must-not-miss", "ward=w1"]
    assert main(["explore", of_wards(tmp_path, 6), "--out", str(out), *asked]) == 0
    told = given(out.read_text(encoding="utf-8"))
    assert [one["column"] for one in told["payload"]["groups"]] == ["ward", "sex"]
    assert told["news"]["marks"] == [["sex", "f"], ["ward", "w1"]]


def test_a_column_of_too_many_groups_is_left_out_of_the_file_by_name_unless_it_is_marked(
    tmp_path: Path,
) -> None:
    out, file = tmp_path / "explorer.html", of_wards(tmp_path, 300)
    assert main(["explore", file, "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert [one["column"] for one in given(page)["payload"]["groups"]] == ["sex"]
    left_out = "ward (300 groups): a file holds columns of up to 200 groups"
    assert f"<dt>Groups left out</dt><dd>{left_out}</dd>" in page
    assert main(["explore", file, "--out", str(out), "--must-not-miss", "ward=w1"]) == 0
    page = out.read_text(encoding="utf-8")
    assert [one["column"] for one in given(page)["payload"]["groups"]] == ["ward", "sex"]
    assert "Groups left out" not in page


def test_no_two_parts_of_the_script_use_one_name() -> None:
    declares = r"^(?:export default )?(?:async )?(?:function|const|let|class) (\w+)"
    declared = re.findall(declares, f"{script()}\n{page_script()}", re.MULTILINE)
    assert len(declared) > 100
    assert [name for name, n in Counter(declared).items() if n > 1] == []
