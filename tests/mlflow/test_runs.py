"""Runs of MLflow in a local store: metrics, files, the document and its hash."""

import json
from importlib.metadata import entry_points
from pathlib import Path

import mlflow
import pytest
from sklearn.linear_model import LogisticRegression

from evalcore.mlflow import Evaluator
from evalcore.operating_point import OperatingPoint
from evalcore.problems import InputError
from tests.mlflow.rows import point, table

SETTINGS = {"cluster": "patient"}


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A store of its own, on this machine."""
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    yield tmp_path
    while mlflow.active_run() is not None:
        mlflow.end_run()


def evaluated(**settings):
    """A table with predictions, evaluated in a run."""
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            data=table(),
            targets="label",
            predictions="p",
            model_type="classifier",
            evaluators="evalcore",
            evaluator_config=SETTINGS | settings,
        )
    return mlflow.get_run(run.info.run_id), result


def test_the_entry_point_is_the_evaluator():
    """`make mlflow` installs this checkout beside MLflow, which finds it by nothing else."""
    (found,) = (one for one in entry_points(group="mlflow.model_evaluator") if one.name == "evalcore")
    assert found.load() is Evaluator


def test_a_table_is_evaluated_and_the_document_is_kept_with_its_hash(tmp_path):
    path = point().save(tmp_path / "point.json")
    run, result = evaluated(point=str(path))
    assert run.data.metrics == pytest.approx(result.metrics)
    of_point = {one["metric"]: one["value"] for one in point().document["estimates"]}
    sensitivity = "gate.screening_sensitivity"
    assert run.data.metrics[sensitivity] == of_point[sensitivity]
    assert run.data.params["evalcore.tau_neg"] == "0.1"
    assert run.data.tags["evalcore.point.content_sha256"] == point().document["content_sha256"]
    names = {one.path for one in mlflow.MlflowClient().list_artifacts(run.info.run_id, "evalcore")}
    assert {"evalcore/metrics.csv", "evalcore/report.html", "evalcore/operating_point.json"} <= names
    kept = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="evalcore/operating_point.json"
    )
    assert Path(kept).read_bytes() == path.read_bytes()
    assert OperatingPoint.load(kept).document == point().document
    assert result.artifacts["evalcore/operating_point.json"].content == json.loads(path.read_text())
    assert "evalcore/metrics.csv" in result.artifacts


def test_a_model_is_evaluated_by_its_probabilities():
    rows = table()
    model = LogisticRegression().fit(rows[["x"]], rows["label"])
    with mlflow.start_run():
        info = mlflow.sklearn.log_model(model, name="model")
        result = mlflow.models.evaluate(
            info.model_uri,
            data=rows[["x", "label"]],
            targets="label",
            model_type="classifier",
            evaluators="evalcore",
            evaluator_config={"bootstrap": 0},
        )
    alone = evaluated()[1]
    assert result.metrics["classification.auroc"] == alone.metrics["classification.auroc"]


def test_without_being_asked_it_stays_out_of_the_way():
    rows = table()[["x", "label", "p"]].assign(p=lambda one: (one["p"] > 0.5).astype(int))
    with mlflow.start_run():
        result = mlflow.models.evaluate(data=rows, targets="label", predictions="p", model_type="classifier")
    assert not [name for name in result.metrics if name.startswith("classification.")]


def test_a_document_that_was_edited_is_refused(tmp_path):
    text = point().text.replace('"exploratory"', '"certified"')
    (tmp_path / "edited.json").write_text(text)
    with pytest.raises(InputError, match="DOC-"):
        evaluated(point=str(tmp_path / "edited.json"))
