"""Predicted labels in the files of a report and on the pages: the numbers of `evalcore.predicted`."""

import csv
import io
import json
from pathlib import Path

import pytest

import evalcore
from evalcore import evaluate
from evalcore.predicted import pairs_with_responses, quality, shares_of_labels
from evalcore.readers import Upload
from evalcore.report import report_files
from evalcore.text.numerals import percent_at_least, percent_at_most, percent_of_share
from tests.pages.views.test_pages_rag import opened, said

SAMPLE = Path(__file__).resolve().parents[3] / "sample_data" / "rag"
LABELS = ("topically_relevant", "evidence_sufficient", "misleading")
PREDICTIONS = "record_uuid,helpful\n" + "".join(f"q{at},{at % 2}\n" for at in range(6))
RESPONSES = "record_uuid,annotator_id,helpful\nq0,a,0\nq1,a,1\nq1,b,0\nq2,b,1\n"


@pytest.fixture(scope="module")
def data():
    return evalcore.load(SAMPLE)


@pytest.fixture(scope="module")
def files(data):
    return report_files(evaluate(data, ks=(5,), bootstrap=200, seed=3))


def loaded(*files):
    return evalcore.load([Upload(name, text.encode()) for name, text in files])


def test_the_table_of_its_own_holds_every_estimate(data, files):
    rows = list(csv.DictReader(io.StringIO(files["predicted_labels.csv"].decode())))
    found = {(row["label"], row["quantity"]): row for row in rows}
    annotations = data.annotations
    (predicted,) = annotations.predictions
    for label in LABELS:
        pairs = pairs_with_responses(
            predicted, label, annotations.responses["retrieval"], annotations.record_ids
        )
        for one in shares_of_labels([pairs], n_replicates=200, seed=3)[0]:
            row = found[label, f"share_{one.method}"]
            assert float(row["value"]) == one.value
            assert (float(row["ci_low"]), float(row["ci_high"])) == (one.low, one.high)
            assert (int(row["n"]), int(row["n_human"])) == (one.n, one.n_human)
        said_of = quality(pairs)
        assert float(found[label, "sensitivity"]["value"]) == said_of.sensitivity.value
        assert float(found[label, "auroc"]["value"]) == said_of.auroc
    assert len(rows) == 3 * 10


def test_reports_name_the_estimates(files):
    (row,) = (
        one
        for one in json.loads(files["metrics.json"])["predicted_labels"]
        if (one["label"], one["quantity"]) == ("misleading", "share_rogan_gladen")
    )
    for name in ("report.html", "report.md"):
        text = files[name].decode()
        assert "Predicted labels" in text
        assert "share corrected (Rogan–Gladen)" in text
        assert percent_of_share(row["value"]) in text


def test_no_predictions_make_no_file_and_no_section():
    found = report_files(evaluate(loaded(("generation.csv", RESPONSES))))
    assert "predicted_labels.csv" not in found
    assert "Predicted labels" not in found["report.html"].decode()
    assert "Predicted labels" not in found["report.md"].decode()


def test_annotators_named_are_the_people():
    given = loaded(("generation.csv", RESPONSES), ("predictions.csv", PREDICTIONS))
    for annotators, sensitivity in ((("a",), 1), (("b",), 0)):
        table = evaluate(given, annotators=annotators).rag.predicted.set_index("quantity")
        assert table.loc["sensitivity", ["value", "n"]].tolist() == [sensitivity, 1]
        assert table.loc["share_human", ["value", "n"]].tolist() == [0.5, 2]


def test_predictions_that_nobody_judged_have_predicted_shares_only():
    table = evaluate(loaded(("predictions.csv", PREDICTIONS))).rag.predicted.set_index("quantity")
    assert table.loc["share_predicted", "value"] == 0.5
    for quantity in ("share_human", "share_rogan_gladen", "share_prediction_powered", "auroc"):
        assert table.loc[quantity, "value"] != table.loc[quantity, "value"]
        assert table.loc[quantity, "note"] == "no unit has both a human and a predicted label"
    text = said(opened("answers", ("predictions.csv", PREDICTIONS)))
    assert "<td>predicted</td><td>50.0\xa0%</td>" in text


def test_page_shows_the_numbers_of_the_core(data):
    text = said(opened("retrieval"))
    rows = evaluate(data, ks=(1,), bootstrap=2000).rag.predicted
    shares = rows[rows["quantity"].str.startswith("share_")]
    assert len(shares) == 12
    plain = text.replace("\u00a0", " ")
    for row in shares.to_dict("records"):
        between = f"{percent_at_least(row['ci_low'])} to {percent_at_most(row['ci_high'])}"
        assert f"<td>{percent_of_share(row['value'])}</td><td>{between}</td>" in plain
