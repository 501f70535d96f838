"""The evaluator that MLflow finds by its entry point: evalcore's report and document in a run.

MLflow is imported once it calls: nothing else here needs it. With ``evaluator_config={"evalcore": {...}}``
a binary classifier, or a table with its predictions, is read and evaluated as by ``evalcore evaluate``.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore import report as writers
from evalcore import tasks
from evalcore.data import Data
from evalcore.evaluation import Report, gate_options
from evalcore.operating_point import OperatingPoint
from evalcore.problems import InputError, problem
from evalcore.readers.columns.mapping import CLUSTER
from evalcore.readers.inputs import Upload

SETTINGS = ("point", "positive", "columns", "cluster", "by", "bootstrap", "seed", "score_kind")
LABEL, SCORE = "has_evidence", "probability"
FOLDER = "evalcore"
POINT = "operating_point.json"
OWN = ("evalcore.point.id", "evalcore.point.content_sha256", "evalcore.point.status")
"""Tags of a run that has a document."""


class Evaluator:
    """What MLflow asks of an evaluator: whether it can, and to do it."""

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Mapping[str, Any] | None, **_: Any) -> bool:
        """Whether this evaluator was meant: a classifier, and at least one of its settings.

        Without that it would run in every evaluation of a classifier, of many classes too, by whoever has
        evalcore installed.
        """
        return model_type == "classifier" and not set(SETTINGS).isdisjoint(evaluator_config or {})

    def evaluate(
        self,
        *,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any],
        model: Any = None,
        predictions: str | None = None,
        **_: Any,
    ) -> Any:
        """Evaluate, log metrics, files and the document to the run, and return them.

        Parameters
        ----------
        dataset : MLflow's evaluation dataset, with targets.
        run_id : where to log.
        evaluator_config : ``point``, an operating point or the path of one, at whose thresholds is evaluated;
            ``positive``, the label that means "has evidence"; ``cluster``, the column of the features that
            says whose a row is, such as its patient: rows of one are alike; ``columns``, role → column, such
            as ``{"post_id": "post", "criterion_id": "criterion"}``; ``by``, columns to break down by;
            ``bootstrap`` and ``seed`` of the intervals; ``score_kind``, ``probability`` or ``score``. What
            the document says of label and score holds where nothing else is said.
        model : a pyfunc model; None where the dataset has predictions.
        predictions : the column of the score where a model gives several.

        Raises
        ------
        InputError : LRN-006 for settings that are none; LRN-007 for a model that gives no scores, or
            those of two classes without saying which; LRN-001 or LRN-002 for classes of which none is known
            to be the positive one; as for `evalcore.load` and `evalcore.evaluate`.
        """
        asked = _checked(evaluator_config)
        point = asked["point"]
        if point is not None:
            point.check_in_force()
        data = _data(dataset, _scores(dataset, model, predictions, _said(asked, "positive")), asked)
        report = tasks.evaluate(data, **_options(asked, data))
        return _logged(run_id, report, point)


def metrics_of(report: Report) -> dict[str, float]:
    """The values over all rows, with their intervals, as MLflow names metrics; undefined ones are left out.

    A run has one pair of thresholds: they are parameters of the run, and no part of a name, so that runs
    at different thresholds can be laid beside each other.
    """
    found: dict[str, float] = {}
    for row in report.table[report.table.group_by == ""].to_dict("records"):
        parts = dict(part.split("=", 1) for part in row["params"].split(";") if part)
        if "stat" in parts:
            continue
        rule = parts.pop("rule", "")
        named = [f"{name}_{text}" for name, text in parts.items() if name not in ("threshold", *TAUS)]
        variant = "" if row["variant"] == "default" else row["variant"]
        name = "/".join(filter(None, (f"{row['family']}.{row['metric']}", rule, *named, variant)))
        name = re.sub(r"[^\w./ -]", "_", name, flags=re.ASCII)
        values = {name: row["value"], f"{name}/ci_low": row["ci_low"], f"{name}/ci_high": row["ci_high"]}
        found |= {key: float(value) for key, value in values.items() if not math.isnan(value)}
    return found


TAUS = ("tau_neg", "tau_pos")


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, the document read."""
    unknown = [
        problem("LRN-006", name=f"the setting {name!r}", expected=f"one of {', '.join(SETTINGS)}")
        for name in given
        if name not in SETTINGS
    ]
    point = given.get("point")
    if point is not None and not isinstance(point, str | Path | OperatingPoint):
        found = f"point = {type(point).__name__}"
        unknown.append(problem("LRN-006", name=found, expected="an operating point, or the path of one"))
    if unknown:
        raise InputError(unknown)
    if isinstance(point, str | Path):
        point = OperatingPoint.load(point)
    by = given.get("by", ())
    return {**given, "point": point, "by": (by,) if isinstance(by, str) else tuple(by)}


def _options(asked: Mapping[str, Any], data: Data) -> dict[str, Any]:
    """The settings as options of an evaluation."""
    options: dict[str, Any] = {name: asked[name] for name in ("by", "bootstrap", "seed") if name in asked}
    if CLUSTER in asked:  # whatever the column is called: it is kept by its role
        options[CLUSTER] = CLUSTER
    point = asked["point"]
    return options if point is None else options | gate_options(point.tau_neg, point.tau_pos, data.score_kind)


def _said(asked: Mapping[str, Any], name: str) -> Any:
    """What the settings say of the label or the score, or else the document."""
    said = {} if asked["point"] is None else asked["point"].reading
    return asked.get(name, said.get(name))


def _scores(dataset: Any, model: Any, column: str | None, positive: Any = None) -> NDArray[np.float64]:
    """The score of the positive class of each row: predictions of the dataset, or what the model gives."""
    if model is None:
        if not dataset.has_predictions:
            raise InputError([problem("LRN-006", name="no predictions", expected="a model or predictions")])
        return _column(dataset.predictions_data, column)
    raw: Any = model.get_raw_model() if hasattr(model, "get_raw_model") else None
    if raw is not None and hasattr(raw, "predict_proba"):
        given, classes = raw.predict_proba(dataset.features_data), getattr(raw, "classes_", None)
        return _column(given, column, None if classes is None else _place(classes, positive))
    return _column(model.predict(dataset.features_data), column)


def _place(classes: Any, positive: Any) -> int:
    """Which of a model's classes is the positive one: its column of the probabilities."""
    from evalcore.sklearn.classes import class_called, positive_of  # needs scikit-learn, as such models do

    name = None if positive is None else str(positive)
    # The label is of the same rows as the classes: 1 of 1 and 2 is the class 1, which a document alone may
    # not mean.
    called = None if name is None or len(classes) != 2 else class_called(classes, name)
    found = positive_of(classes, usual=name) if called is None else called
    at: int = np.asarray(classes).tolist().index(found)
    return at


def _column(given: Any, column: str | None, at: int | None = None) -> NDArray[np.float64]:
    """One score a row; of two columns the one at a place, as neither is known to be meant without it."""
    if column is not None and hasattr(given, "columns"):
        if column not in given.columns:
            found = f"no column {column!r}"
            raise InputError([problem("LRN-006", name=found, expected=", ".join(map(str, given.columns)))])
        given = given[column]
    try:
        scores = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InputError([problem("LRN-007", found="no numbers")]) from None
    if scores.ndim == 2 and scores.shape[1] == 2:
        if at is None:
            raise InputError(
                [problem("LRN-007", found="two columns, and no classes_ that say whose they are")]
            )
        return np.asarray(scores[:, at])
    if scores.ndim == 2 and scores.shape[1] == 1:
        return np.asarray(scores[:, 0])
    if scores.ndim != 1:
        raise InputError([problem("LRN-007", found=f"an array of shape {scores.shape}")])
    return scores


def _data(dataset: Any, scores: NDArray[np.float64], asked: Mapping[str, Any]) -> Data:
    """The rows as evalcore reads them: labels, scores, and the columns that were named."""
    import pandas as pd

    if not dataset.has_targets:
        raise InputError([problem("LRN-006", name="no targets", expected="labels: targets=…")])
    table: dict[str, Any] = {LABEL: np.asarray(dataset.labels_data), SCORE: scores}
    roles = {**asked.get("columns", {}), **({CLUSTER: asked[CLUSTER]} if CLUSTER in asked else {})}
    for name in (*roles.values(), *asked["by"]):
        table[name] = _feature(dataset.features_data, name)
    buffer = BytesIO()
    pd.DataFrame(table).to_parquet(buffer, index=False)
    columns = {LABEL: LABEL, SCORE: SCORE, **roles}
    kept = {name: _said(asked, name) for name in ("positive", "score_kind")}
    how = {name: value for name, value in kept.items() if value is not None}
    upload = Upload("evaluation.parquet", buffer.getvalue())
    return tasks.load(upload, task="evidence", columns=columns, **how)


def _feature(features: Any, name: str) -> Any:
    if name in (LABEL, SCORE) or not hasattr(features, "columns") or name not in features.columns:
        known = ", ".join(map(str, getattr(features, "columns", ())[:20])) or "columns with names"
        raise InputError([problem("LRN-006", name=f"the column {name!r}", expected=f"one of {known}")])
    return features[name].to_numpy()


def _logged(run_id: str, report: Report, point: OperatingPoint | None) -> Any:
    """Log everything to the run, and return what MLflow calls a result."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.models import EvaluationResult
    from mlflow.utils.time import get_current_time_millis

    client, now = MlflowClient(), get_current_time_millis()
    values = metrics_of(report)
    metrics = [Metric(name, value, now, 0) for name, value in values.items()]
    files = writers.report_files(report, point=point)
    params, tags = [], []
    if point is not None:
        files[POINT] = point.text.encode()
        params = [Param(f"evalcore.{name}", repr(getattr(point, name))) for name in TAUS]
        document = point.document
        said = (document["id"], document["content_sha256"], point.status)
        tags = [RunTag(name, text) for name, text in zip(OWN, said, strict=True)]
    for at in range(0, len(metrics), MOST_METRICS):
        client.log_batch(run_id, metrics=metrics[at : at + MOST_METRICS])
    client.log_batch(run_id, params=params, tags=tags)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        client.log_artifacts(run_id, folder, artifact_path=FOLDER)
    uri = client.get_run(run_id).info.artifact_uri
    return EvaluationResult(values, _artifacts(files, f"{uri}/{FOLDER}"), run_id)


MOST_METRICS = 900
"""Metrics in one request; the servers take a thousand."""


def _artifacts(files: Mapping[str, bytes], uri: str) -> dict[str, Any]:
    """The files as MLflow describes artifacts, each with what it holds."""
    from mlflow.models.evaluation import artifacts

    found = {}
    for name, content in files.items():
        is_json = name.endswith(".json")
        kind = artifacts.JsonEvaluationArtifact if is_json else artifacts.TextEvaluationArtifact
        text = content.decode()
        found[f"{FOLDER}/{name}"] = kind(f"{uri}/{name}", json.loads(text) if is_json else text)
    return found
