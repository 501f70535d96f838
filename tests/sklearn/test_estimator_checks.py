"""scikit-learn's own checks of an estimator; what cannot hold for three outcomes is named with its reason."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from evalcore.sklearn import GatedClassifier
from tests.sklearn.points import point_at, point_of_scores

ABSTAINS = "a row between the thresholds is neither class: the third outcome is what the point is for"
BETWEEN = {"check_classifiers_train": ABSTAINS, "check_classifiers_classes": ABSTAINS}
TWO_OUTCOMES = GatedClassifier(LogisticRegression(), point=point_at(0.5, 0.5), positive=max)
THREE_OUTCOMES = GatedClassifier(LogisticRegression(), point=point_at(0.1, 0.9), positive=max)
ON_SCORES = GatedClassifier(
    LogisticRegression(),
    point=point_of_scores(0.0, 0.0),
    positive=max,
    response_method="decision_function",
)
OF_A_TREE = GatedClassifier(DecisionTreeClassifier(random_state=0), point=point_at(0.5, 0.5), positive=max)


def expected(estimator: GatedClassifier) -> dict[str, str]:
    """Checks that cannot hold, each with its reason."""
    return BETWEEN if estimator.point.tau_neg != estimator.point.tau_pos else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# Of scikit-learn's own tree, whose leaves have probabilities of 0.
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
@parametrize_with_checks(
    [TWO_OUTCOMES, THREE_OUTCOMES, ON_SCORES, OF_A_TREE], expected_failed_checks=expected
)
def test_scikit_learn_takes_it_for_an_estimator(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # a check is left out without it
    check(estimator)
