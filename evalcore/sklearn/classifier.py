"""A scikit-learn classifier with three outcomes: a model, and the rule of an operating point behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, indexable

from evalcore.operating_point.document.rule import apply_rule
from evalcore.problems import InputError, problem
from evalcore.sklearn.classes import positive_of, uncertain_of
from evalcore.sklearn.rows import RESPONSES, response
from evalcore.tallies.decisions import STATES

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint

ResponseMethod = Literal["auto", "predict_proba", "decision_function"]


def _of_inner(method: str) -> Any:
    """Whether the model has a method, as an `AttributeError` of its own where it has not."""

    def check(self: GatedClassifier) -> bool:
        getattr(self.estimator, method)
        return True

    return available_if(check)


class GatedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A binary classifier that skips, alerts or leaves a row to a person, by the rule of a document.

    ``predict`` gives one of `outcomes_`: the class without evidence where the rule says NEG, the class with
    evidence where it says POS, and a third label where it says UNCERTAIN. The third is of the kind of the
    classes (−1 beside 0 and 1), so that ``sklearn.metrics`` take it; it is equal to neither class, and
    ``score``, the share of rows that are predicted right, counts it as not right. `states` gives the same in
    the words of the document. ``predict_proba`` and ``decision_function`` are those of the model.

    `fit` fits a clone of the model, and changes no threshold: whether the document's numbers hold for a model
    that was fitted anew is for its own test to say. A model that is fitted already predicts at once; inside
    ``sklearn.frozen.FrozenEstimator`` it is never fitted again.

    Parameters
    ----------
    estimator : a binary classifier, fitted or not.
    point : the operating point, whose rule decides.
    positive : the class that means "has evidence", or what picks it of the two, such as ``max``; None: 1,
        true, or the label that the document names.
    uncertain : what ``predict`` says of a row between the thresholds; None: −1 beside numbers (0 between −1
        and 1), ``UNCERTAIN`` beside text.
    response_method : where the score comes from; ``auto``: probabilities where the document is about them,
        else ``decision_function``.

    Attributes
    ----------
    estimator_ : the fitted model.
    classes_ : its two classes.
    outcomes_ : what ``predict`` can say: without evidence, uncertain, with evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import evalcore
    >>> from evalcore.operating_point import point_from_thresholds
    >>> sample = evalcore.load("sample_data/small/ten_rows.csv")
    >>> point = point_from_thresholds(sample, 0.1, 0.7)
    >>> X, y = np.linspace(-4, 4, 9).reshape(-1, 1), np.repeat([0, 1], [4, 5])
    >>> gated = point.wrap(LogisticRegression()).fit(X, y)
    >>> gated.predict(X).tolist(), gated.states(X)[[0, -1]].tolist()
    ([0, 0, -1, -1, -1, 1, 1, 1, 1], ['NEG', 'POS'])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        point: OperatingPoint,
        positive: Any = None,
        uncertain: Any = None,
        response_method: ResponseMethod = "auto",
    ) -> None:
        self.estimator = estimator
        self.point = point
        self.positive = positive
        self.uncertain = uncertain
        self.response_method = response_method

    def fit(self, X: Any, y: Any, **params: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Fit a clone of the model; the thresholds are the document's.

        Parameters
        ----------
        X, y : as the model takes them; two classes.
        params : what its ``fit`` takes beside, such as ``sample_weight``; routed where that is switched on.

        Raises
        ------
        InputError : LRN-001 to LRN-005; DOC-003, DOC-009 or OPT-105 for a document that is not in force.
        """
        self.point.check_in_force()
        _ = self._method_of(self.estimator)
        X, y = indexable(X, column_or_1d(y, warn=True))  # noqa: N806
        assert_all_finite(y, input_name="y")
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            raise InputError([problem("LRN-002", found=f"“{kind}”: Unknown label type")])
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params).estimator.fit
        fitted = clone(self.estimator).fit(X, y, **params)
        self._classes(fitted)
        self.estimator_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The two classes of the model."""
        try:
            fitted = self._fitted()
        except NotFittedError as error:
            raise AttributeError("the model is not fitted yet") from error
        return np.asarray(fitted.classes_)

    @property
    def outcomes_(self) -> NDArray[Any]:
        """What ``predict`` can say: the class without evidence, uncertain, the class with evidence."""
        classes = self.classes_
        positive, uncertain = self._classes(self._fitted())
        (negative,) = [label for label in classes.tolist() if label != positive]
        named = [negative, uncertain, positive]
        # Truth values have no third: they are taken as 0 and 1, which they are equal to.
        return np.array([int(one) for one in named] if classes.dtype.kind == "b" else named)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """One of `outcomes_` for each row.

        Raises
        ------
        InputError : as for `states`.
        """
        states = self.states(X)
        at = np.select([states == state for state in STATES], range(len(STATES)))
        return np.asarray(self.outcomes_[at])

    def states(self, X: Any) -> NDArray[np.str_]:  # noqa: N803
        """The state of each row by the document: ``NEG``, ``UNCERTAIN`` or ``POS``.

        Raises
        ------
        InputError : DOC-006 for scores that are none; LRN-001, LRN-003; DOC-003, DOC-009 or OPT-105 for a
            document that is not in force.
        """
        self.point.check_in_force()
        return apply_rule(self.point.rule, self._scores(X), column="score of the model")

    @_of_inner("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The probabilities of the two `classes_`, those of the model."""
        return np.asarray(self._fitted().predict_proba(X))

    @_of_inner("predict_log_proba")  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Their logarithms, those of the model."""
        return np.asarray(self._fitted().predict_log_proba(X))

    @_of_inner("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The score of the second of `classes_`, that of the model."""
        return np.asarray(self._fitted().decision_function(X))

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata of ``fit`` reach the model."""
        mapping = MethodMapping().add(callee="fit", caller="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_is_fitted__(self) -> bool:
        try:
            self._fitted()
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _fitted(self) -> Any:
        """The model that was fitted here, or came fitted."""
        found = getattr(self, "estimator_", None)
        if found is None:
            try:
                check_is_fitted(self.estimator)
            except NotFittedError:
                check_is_fitted(self, "estimator_")  # the same error, about this classifier
            found = self.estimator
        return found

    def _classes(self, fitted: Any) -> tuple[Any, Any]:
        """The positive class of a fitted model, and the label of the third outcome."""
        classes = np.asarray(fitted.classes_)
        usual = str(self.point.document["input"]["positive_label"])
        return positive_of(classes, self.positive, usual=usual), uncertain_of(classes, self.uncertain)

    def _scores(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The score of the positive class, for which the thresholds are."""
        fitted = self._fitted()
        positive, _ = self._classes(fitted)
        return response(fitted, X, self._method_of(fitted), positive)

    def _method_of(self, estimator: Any) -> str:
        """The method that gives what the document's thresholds are about.

        Raises
        ------
        InputError : LRN-003 where the model has none; LRN-005 for another word than those known.
        """
        if self.response_method not in ("auto", *RESPONSES):
            found, expected = repr(self.response_method), "auto, predict_proba or decision_function"
            raise InputError([problem("LRN-005", name="response_method", found=found, expected=expected)])
        is_score = self.point.document["input"]["score_kind"] == "score"
        method = RESPONSES[is_score] if self.response_method == "auto" else str(self.response_method)
        if not hasattr(estimator, method):
            what, advice = (
                ("scores of any scale", "Say where they come from: response_method=…")
                if is_score
                else ("probabilities", "Calibrate it: sklearn.calibration.CalibratedClassifierCV")
            )
            name = type(estimator).__name__
            raise InputError([problem("LRN-003", name=name, method=method, what=what, advice=f"{advice}.")])
        return method
