"""Scores of lists as predicted ratings: only where the user says so, over the test pairs in the lists."""

from math import isnan, sqrt
from pathlib import Path

import pytest

from evalcore import evaluate
from evalcore.__main__ import main
from evalcore.compare import compare_recommendations
from evalcore.tasks import crosschecked
from tests.support.reading import refused, upload
from tests.support.recommending import loaded, uploads

LISTS = "user,item,model,score\nu1,a,x,4\nu1,b,x,3\nu2,a,x,1\nu1,a,y,5\nu2,a,y,5\nu2,c,y,2\n"
TRAIN = "user,item\nu2,d\n"
TEST = "user,item,rating\nu1,a,5\nu1,c,1\nu2,a,3\nu2,c,0\n"


def test_ratings_of_lists_count_over_the_test_pairs_that_stand_in_them() -> None:
    data = loaded(LISTS, train=TRAIN, test=TEST, predicted_ratings=True)
    report = evaluate(data, ks=(2,))
    assert report.value("recommender.mae", model="x") == (1 + 2) / 2
    assert report.value("recommender.rmse", model="y") == sqrt((0 + 4 + 4) / 3)
    assert isnan(report.value("recommender.auc", model="x"))  # lists are no scores of all items
    assert "MAE, MSE and RMSE are over the test pairs that stand in the lists." in " ".join(data.notes)
    assert crosschecked(report.table, data).holds
    table = compare_recommendations(data, "x", "y", k=2, metrics=("recommender.mae",), bootstrap=0).table
    assert table["second"].iloc[0] == pytest.approx(4 / 3)


def test_without_the_word_lists_are_never_taken_for_ratings_and_the_reason_says_what_to_give() -> None:
    table = evaluate(loaded(LISTS, test=TEST), ks=(2,)).table
    notes = set(table.loc[table["metric"] == "mae", "note"])
    assert notes == {"no predicted ratings: give scores, or say that those of the lists are ratings"}


def test_scores_of_all_items_go_before_lists() -> None:
    scores = "user,item,score\nu1,a,2\nu2,a,2\n"
    data = loaded("user,item,score\nu1,a,9\nu2,a,8\n", scores=scores, test=TEST, predicted_ratings=True)
    assert evaluate(data, ks=(2,)).value("recommender.mae") == (3 + 1) / 2


def test_a_test_without_ratings_has_no_errors_of_ratings() -> None:
    scores = "user,item,score\nu1,a,0.2\nu2,a,0.4\n"
    data = loaded("user,item,rank\nu1,a,1\nu2,a,1\n", scores=scores, test="user,item\nu1,a\nu2,a\n")
    report = evaluate(data, ks=(2,))
    assert isnan(report.value("recommender.mae"))
    assert crosschecked(report.table, data).holds


def test_lists_with_ranks_alone_and_a_test_without_ratings_are_refused() -> None:
    lists = upload("user,item,rank\nu1,a,1\n", "lists.csv")
    found = refused(lists, **uploads(test="user,item\nu1,a\n"), predicted_ratings=True)
    assert found == [
        "found lists with ranks alone, and the word that scores in lists are predicted ratings, "
        "expected lists with a score of each item. Name the column with the predicted rating: --column "
        "score=NAME; or leave out --predicted-ratings. [RCM-042]",
        "found a test without ratings, and the word that scores in lists are predicted ratings, expected a "
        "test with a column rating, on the scale of the predicted ones. Give it with --test F; or leave out "
        "--predicted-ratings. [RCM-043]",
    ]


def test_the_command_takes_the_word_and_refuses_it_of_another_task(tmp_path: Path, capsys) -> None:
    for name, text in (
        ("lists.csv", LISTS),
        ("test.csv", TEST),
        ("queries.csv", "y_true,y_prob\n1,0.5\n0,0.1\n"),
    ):
        (tmp_path / name).write_text(text)
    given = [str(tmp_path / "lists.csv"), "--test", str(tmp_path / "test.csv"), "--predicted-ratings"]
    assert main(["evaluate", *given, "--ks", "2", "--bootstrap", "0", "--out", str(tmp_path / "out")]) == 0
    assert "recommender,mae,,default,test_pairs,x,,,1.5,2," in (tmp_path / "out" / "metrics.csv").read_text()
    assert main(["evaluate", str(tmp_path / "queries.csv"), "--predicted-ratings"]) == 2
    assert "predicted ratings of another task" in capsys.readouterr().err


def test_the_mean_over_users_is_over_those_with_a_pair() -> None:
    lists = "user,item,score\nu1,a,4\nu1,b,2\nu2,a,3\nu3,b,1\n"
    test = "user,item,rating\nu1,a,5\nu1,b,5\nu2,a,5\nu3,c,2\n"
    table = evaluate(loaded(lists, test=test, predicted_ratings=True), ks=(1,)).table
    found = table[(table["metric"] == "mae") & (table["group_by"] == "")].set_index("variant")
    assert found.loc["default", ["population", "value", "n"]].tolist() == ["test_pairs", 2, 3]
    assert found.loc["macro", ["population", "value", "n"]].tolist() == ["users_with_pairs", 2, 2]
