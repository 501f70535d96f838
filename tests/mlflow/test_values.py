"""What the evaluator reads and names, without MLflow: labels, scores and columns as evalcore reads them."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from evalcore.mlflow import Evaluator, _checked, _data, _options, _scores, metrics_of
from evalcore.problems import InputError
from evalcore.tasks import evaluate
from tests.mlflow.rows import point, table

ROOT = Path(__file__).resolve().parents[2]


def dataset(**changes):
    """A data set with the members of MLflow's that are used."""
    rows = table()
    given = {
        "features_data": rows[["x", "patient", "site"]],
        "labels_data": rows["label"].to_numpy(),
        "predictions_data": rows["p"].to_numpy(),
        "has_predictions": True,
        "has_targets": True,
    }
    return SimpleNamespace(**given | changes)


def report(settings, given=None):
    """The report that the evaluator makes."""
    given, asked = given or dataset(), _checked(settings)
    data = _data(given, _scores(given, None, None), asked)
    return evaluate(data, **_options(asked, data))


def test_the_package_names_the_evaluator_for_mlflow_to_find():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (name,) = project["entry-points"]["mlflow.model_evaluator"].values()
    assert EntryPoint("evalcore", name, "mlflow.model_evaluator").load() is Evaluator
    assert {"mlflow", "sklearn"} <= set(project["optional-dependencies"])


def test_only_a_classifier_for_which_it_was_asked_is_evaluated():
    asked = {"positive": "1"}
    assert Evaluator.can_evaluate(model_type="classifier", evaluator_config=asked)
    assert not Evaluator.can_evaluate(model_type="regressor", evaluator_config=asked)
    for other in ({}, None, {"log_model_explainability": False}):
        assert not Evaluator.can_evaluate(model_type="classifier", evaluator_config=other)


def test_metrics_have_one_name_at_any_thresholds():
    found = metrics_of(report({"point": point(), "cluster": "patient"}))
    of_point = {one["metric"]: one["value"] for one in point().document["estimates"]}
    assert found["gate.screening_sensitivity"] == of_point["gate.screening_sensitivity"]
    assert found["gate.screening_sensitivity/ci_low"] < found["gate.screening_sensitivity"]
    assert {
        "classification.auroc",
        "classification.sensitivity/screened_in",
        "classification.tpr_at_fpr/fpr_0.05",
    } <= set(found)
    assert all(np.isfinite(value) for value in found.values())
    assert not [name for name in found if "tau_" in name or "threshold" in name]


def method(table):
    """How the interval of screening sensitivity over all rows was made."""
    is_meant = (table.metric == "screening_sensitivity") & (table.group_by == "")
    (found,) = table[is_meant & ~table.params.str.contains("stat=")].ci_method
    return found


def test_rows_of_a_patient_and_groups_are_known():
    made = report({"cluster": "patient", "by": "site", "point": point()}).table
    assert {"north", "south"} <= set(made.group)
    assert method(made) != method(report({"point": point()}).table)


def test_words_are_labels_where_the_positive_one_is_named():
    words = np.array(["no", "yes"])[table()["label"]]
    named = metrics_of(report({"positive": "yes"}, dataset(labels_data=words)))
    assert named["classification.auroc"] == metrics_of(report({"by": ()}))["classification.auroc"]
    with pytest.raises(InputError, match="positive"):
        report({"by": ()}, dataset(labels_data=words))


class Model:
    """A model of MLflow whose raw model may give probabilities."""

    def __init__(self, given, raw=None):
        self.given, self.raw = given, raw

    def predict(self, _):
        return self.given

    def get_raw_model(self):
        return self.raw


def test_scores_come_from_the_model():
    p = table()["p"].to_numpy()
    pair = np.column_stack([1 - p, p])
    raw = SimpleNamespace(predict_proba=lambda _: pair, classes_=np.array([0, 1]))
    assert (_scores(dataset(), Model(None, raw), None) == p).all()
    assert (_scores(dataset(), Model(table()[["p", "x"]]), "p") == p).all()
    assert (_scores(dataset(), Model(p.reshape(-1, 1)), None) == p).all()


@pytest.mark.parametrize(
    ("classes", "positive", "at"),
    [
        (["evidence", "none"], "evidence", 0),
        (["evidence", "none"], "none", 1),
        ([0, 1], None, 1),
        ([0, 1], "0", 0),
        ([0, 1], 0, 0),
        ([1, 2], "1", 0),
        ([False, True], "true", 1),
    ],
)
def test_the_column_is_that_of_the_positive_class(classes, positive, at):
    p = table()["p"].to_numpy()
    pair = np.column_stack([p, 1 - p])
    raw = SimpleNamespace(predict_proba=lambda _: pair, classes_=np.array(classes))
    assert (_scores(dataset(), Model(None, raw), None, positive) == pair[:, at]).all()


def test_classes_of_which_none_is_known_to_be_positive_are_refused():
    pair = np.zeros((200, 2))
    raw = SimpleNamespace(predict_proba=lambda _: pair, classes_=np.array(["evidence", "none"]))
    for positive in (None, "yes"):
        with pytest.raises(InputError, match="LRN-001"):
            _scores(dataset(), Model(None, raw), None, positive)


@pytest.mark.parametrize(
    ("model", "column", "code"),
    [
        (Model(np.zeros((4, 2))), None, "LRN-007"),
        (Model(None, SimpleNamespace(predict_proba=lambda _: np.zeros((4, 2)))), None, "LRN-007"),
        (Model(np.zeros((4, 3))), None, "LRN-007"),
        (Model(np.array(["a", "b"])), None, "LRN-007"),
        (Model(table()), "q", "LRN-006"),
    ],
)
def test_scores_that_are_none_are_refused(model, column, code):
    with pytest.raises(InputError, match=code):
        _scores(dataset(), model, column)


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({"pont": "a.json"}, {}),
        ({"point": 3}, {}),
        ({"columns": {"post_id": "nobody"}}, {}),
        ({"by": "probability"}, {}),
        ({"by": "x"}, {"features_data": np.zeros((200, 2))}),
        ({"by": ()}, {"has_targets": False}),
        ({"by": ()}, {"has_predictions": False}),
    ],
)
def test_settings_that_are_none_are_refused(settings, changes):
    with pytest.raises(InputError, match="LRN-006"):
        report(settings, dataset(**changes))
