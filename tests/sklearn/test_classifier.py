"""A wrapped model: three outcomes by the document's rule, and nothing else than scikit-learn expects."""

import pickle
import re
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from evalcore import load
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.problems import InputError
from evalcore.sklearn import GatedClassifier
from evalcore.sklearn.classes import positive_of, uncertain_of
from tests.sklearn.points import point_at, point_of_scores

X, Y = make_classification(n_samples=300, weights=[0.8], random_state=0)
POINT = point_at(0.1, 0.7)
MODEL = LogisticRegression().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]
STATES = POINT.apply(SCORE)


class Given(ClassifierMixin, BaseEstimator):
    """A fitted model whose probabilities are its rows."""

    classes_ = np.array([0, 1])

    def fit(self, *_):
        return self

    def predict_proba(self, rows):
        return np.column_stack([1 - rows[:, 0], rows[:, 0]])

    def __sklearn_is_fitted__(self):
        return True


@pytest.fixture
def routing() -> Iterator[None]:
    """Routing of metadata, switched on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_states_are_those_of_the_document_and_outcomes_are_labels():
    gated = POINT.wrap(LogisticRegression()).fit(X, Y)
    assert (gated.states(X) == STATES).all()
    assert set(STATES) == {"NEG", "UNCERTAIN", "POS"}
    said = {"NEG": 0, "UNCERTAIN": -1, "POS": 1}
    assert gated.predict(X).tolist() == [said[state] for state in STATES]
    assert gated.outcomes_.tolist() == [0, -1, 1]
    assert gated.classes_.tolist() == [0, 1]


def test_edges_are_those_of_the_rule():
    edges = [[np.nextafter(0.1, 0)], [0.1], [np.nextafter(0.7, 0)], [0.7]]
    assert POINT.wrap(Given()).states(np.array(edges)).tolist() == ["NEG", "UNCERTAIN", "UNCERTAIN", "POS"]


def test_metrics_of_scikit_learn_take_the_outcomes():
    counts = confusion_matrix(Y, POINT.wrap(MODEL).predict(X), labels=[0, -1, 1])
    for at, state in enumerate(("NEG", "UNCERTAIN", "POS")):
        n_pos = int((Y[state == STATES] == 1).sum())
        assert counts[2, at] == n_pos
        assert counts[0, at] == (state == STATES).sum() - n_pos
    assert counts[1].tolist() == [0, 0, 0]


def test_a_fitted_model_predicts_at_once_and_a_frozen_one_is_never_fitted():
    assert (POINT.wrap(MODEL).states(X) == STATES).all()
    frozen = POINT.wrap(FrozenEstimator(MODEL)).fit(X[:20], Y[:20])
    assert (frozen.states(X) == STATES).all()
    fitted_anew = POINT.wrap(MODEL).fit(X[:20], Y[:20])
    assert (fitted_anew.states(X) != STATES).any()
    assert (MODEL.predict_proba(X)[:, 1] == SCORE).all(), "the model that was handed over is not changed"


def test_a_model_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError, match="GatedClassifier"):
        POINT.wrap(LogisticRegression()).predict(X)


def test_clone_and_pickle_keep_the_document():
    gated = clone(POINT.wrap(LogisticRegression(C=0.3), uncertain=9))
    assert gated.get_params()["estimator__C"] == 0.3
    assert gated.point.document == POINT.document
    again = pickle.loads(pickle.dumps(gated.fit(X, Y)))
    assert (again.predict(X) == gated.predict(X)).all()
    assert set(again.predict(X)) == {0, 1, 9}


def test_parameters_of_the_model_are_searched():
    gated = POINT.wrap(make_pipeline(StandardScaler(), LogisticRegression()))
    search = GridSearchCV(gated, {"estimator__logisticregression__C": [1e-3, 1.0]}, cv=2, scoring="roc_auc")
    assert search.fit(X, Y).best_estimator_.point.document["id"] == POINT.document["id"]


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [0.0, 1.0], ["0", "1"]])
def test_labels_of_any_kind(labels):
    y = np.array(labels)[Y]
    named = {"positive": "yes"} if labels[0] == "no" else {}
    gated = POINT.wrap(LogisticRegression(), **named).fit(X, y)
    predicted = gated.predict(X)
    assert ((predicted == labels[1]) == (STATES == "POS")).all()
    assert ((predicted == labels[0]) == (STATES == "NEG")).all()
    assert len(set(predicted.tolist())) == 3


def test_the_positive_class_may_be_the_first():
    y = np.array(["a case", "healthy"])[1 - Y]
    gated = POINT.wrap(LogisticRegression(), positive="a case").fit(X, y)
    assert (gated.states(X) == POINT.apply(gated.predict_proba(X)[:, 0])).all()
    scores = point_of_scores(-1.0, 1.0).wrap(LogisticRegression(), positive="a case").fit(X, y)
    assert (scores.states(X) == scores.point.apply(-scores.decision_function(X))).all()


def test_words_are_asked_about_and_the_label_of_the_document_is_known():
    y = np.array(["no", "yes"])[Y]
    with pytest.raises(InputError, match="LRN-001"):
        POINT.wrap(LogisticRegression()).fit(X, y)
    assert positive_of(np.array(["no", "yes"]), usual="yes") == "yes"


@pytest.mark.parametrize(
    ("labels", "usual"),
    [
        ([0, 1], "0"),
        ([0.0, 1.0], "0"),
        ([False, True], "false"),
        (["0", "1"], "0"),
        ([-1, 1], "-1"),
        ([2, 3], "2"),
        (["a", "b"], "a=POSITIVE"),
    ],
)
def test_a_document_whose_positive_label_is_not_1_goes_before_what_0_and_1_mean(labels, usual):
    assert positive_of(np.array(labels), usual=usual) == labels[0]


@pytest.mark.parametrize(
    ("labels", "usual"), [([0, 1], "2"), ([0, 1], "yes"), ([-1, 1], "0"), ([1, 2], "1"), (["a", "b"], "0")]
)
def test_a_label_of_the_document_that_is_none_of_the_classes_is_asked_about(labels, usual):
    with pytest.raises(InputError, match="LRN-001"):
        positive_of(np.array(labels), usual=usual)


def test_a_document_that_was_read_with_0_as_evidence_is_wrapped_that_way(tmp_path):
    lines = [
        f"p{at},A.1,{label},{0.9 - 0.8 * score:.4f}"
        for at, (label, score) in enumerate(zip(Y, SCORE, strict=True))
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["post_id,criterion_id,has_evidence,probability", *lines]) + "\n")
    point = point_from_thresholds(load(file, positive="0"), 0.1, 0.9)
    gated = point.wrap(LogisticRegression()).fit(X, Y)
    assert (gated.states(X) == point.apply(gated.predict_proba(X)[:, 0])).all()
    assert gated.outcomes_.tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"positive": 2}, "LRN-005"),
        ({"uncertain": 1}, "LRN-004"),
        ({"uncertain": "perhaps"}, "LRN-004"),
        ({"response_method": "predict"}, "LRN-005"),
        ({"estimator": LinearSVC()}, "LRN-003"),
    ],
)
def test_what_cannot_be_is_refused(change, code):
    with pytest.raises(InputError, match=code):
        GatedClassifier(**{"estimator": LogisticRegression(), "point": POINT} | change).fit(X, Y)


def test_three_classes_are_refused():
    with pytest.raises(InputError, match=r"Only binary classification is supported.*LRN-002"):
        POINT.wrap(LogisticRegression()).fit(X, np.arange(300) % 3)


def test_the_third_label_is_none_of_the_classes():
    with pytest.raises(InputError, match="LRN-004"):
        uncertain_of(np.array([-1, 0]))
    with pytest.raises(InputError, match="LRN-004"):
        uncertain_of(np.array(["UNCERTAIN", "yes"]))


def test_scores_that_are_none_are_named():
    with pytest.raises(InputError, match=r"row 2.*DOC-006"):
        POINT.wrap(Given()).predict(np.array([[0.2], [np.nan]]))


def test_a_document_that_is_not_in_force_decides_nothing():
    withdrawn = POINT.document | {"status": "withdrawn"}
    point = OperatingPoint(withdrawn | {"content_sha256": content_sha256(withdrawn)})
    with pytest.raises(InputError, match="DOC-009"):
        point.wrap(MODEL).predict(X)
    edited = OperatingPoint(POINT.document | {"status": "certified"})
    with pytest.raises(InputError, match="DOC-003"):
        edited.wrap(LogisticRegression()).fit(X, Y)


def test_metadata_reach_the_model(routing):
    del routing
    weight = np.where(Y == 1, 20.0, 1.0)
    gated = POINT.wrap(LogisticRegression().set_fit_request(sample_weight=True))
    routed = gated.fit(X, Y, sample_weight=weight).predict_proba(X)
    assert np.allclose(routed, LogisticRegression().fit(X, Y, sample_weight=weight).predict_proba(X))


def test_metadata_reach_the_model_without_routing():
    weight = np.where(Y == 1, 20.0, 1.0)
    given = POINT.wrap(LogisticRegression()).fit(X, Y, sample_weight=weight).predict_proba(X)
    assert np.allclose(given, LogisticRegression().fit(X, Y, sample_weight=weight).predict_proba(X))


def test_a_point_is_short_where_it_is_printed():
    assert re.fullmatch(r"<OperatingPoint \S+, \w+: p < 0\.1 is NEG, p >= 0\.7 is POS>", repr(POINT))
    assert len(repr(POINT.wrap(LogisticRegression()))) < 400


def test_scikit_learn_is_loaded_by_nothing_else():
    code = (
        "import sys, evalcore.tasks, evalcore.operating_point, evalcore.report, evalcore.explorer.page\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'sklearn'])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
