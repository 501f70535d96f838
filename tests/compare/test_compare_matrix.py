"""Every two of several models: the rows of plain comparisons, Holm over all pairs, and the command."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from evalcore.__main__ import main
from evalcore.compare import compare, compare_recommendations, matrix
from evalcore.compare.writing import matrix_csv, matrix_text
from evalcore.problems import InputError
from tests.recommender.test_road import data_of, taken
from tests.support.made.rankings import lists as lists_of
from tests.support.made.rankings import rankings_of
from tests.support.made.two_models import two_models
from tests.support.recommendations import made_recommendations, table

FEW = {"bootstrap": 100, "permutations": 99}
ITEMS = [f"i{number}" for number in range(30)]


def lists(seed: int = 0, n_users: int = 40):
    """Lists of four models, of which the first finds most of what users like and the last least."""
    rng = np.random.default_rng(seed)
    liked = {f"u{user}": [str(one) for one in rng.choice(ITEMS, 4, replace=False)] for user in range(n_users)}
    found: dict[str, dict[str, list[str]]] = {}
    for name, share in (("best", 0.9), ("good", 0.5), ("fair", 0.45), ("worst", 0.0)):
        of_model = found.setdefault(name, {})
        for user, own in liked.items():
            shown = [item for item in own if rng.random() < share]
            rest = [str(item) for item in rng.permutation(ITEMS) if item not in own]
            of_model[user] = [*shown, *rest][:5]
    return found, [(user, item) for user, own in liked.items() for item in own]


@pytest.fixture(scope="module")
def data():
    found, test = lists()
    groups = {f"u{user}": str(1 + user % 2) for user in range(40)}
    return data_of(table(lists=found, test=test, user_groups=groups))


def test_its_rows_are_those_of_plain_comparisons(data):
    metrics = ("recall", "item_coverage")
    made = matrix(data, metrics, k=5, by="user_group", **FEW)
    assert made.models == ("best", "good", "fair", "worst")
    assert len(made.table) == 6 * 2 * 3
    assert made.metrics == ("recommender.recall", "recommender.item_coverage")
    for (first, second), rows in made.table.groupby(["first", "second"], sort=False):
        expected = compare_recommendations(
            data, first, second, metrics=metrics, k=5, by="user_group", **FEW
        ).table.rename(columns={"first": "first_value", "second": "second_value"})
        kept = [name for name in expected if name != "p_holm"]
        pd.testing.assert_frame_equal(rows[kept].reset_index(drop=True), expected[kept], check_exact=True)


def test_p_values_are_adjusted_over_all_pairs_as_statsmodels_does(data):
    made = matrix(data, k=5, by="user_group", **FEW)
    assert made.metrics == ("recommender.ndcg",)
    for group_by, n in (("", 6), ("user_group", 12)):
        rows = made.table[made.table["group_by"] == group_by]
        assert len(rows) == n
        np.testing.assert_allclose(rows["p_holm"], multipletests(rows["p"], method="holm")[1], rtol=1e-14)
    assert (made.table["p_holm"] >= made.table["p"]).all()


def test_as_a_square_it_is_row_minus_column(data):
    made = matrix(data, "recall", ["worst", "best", "fair"], k=5, **FEW)
    assert made.models == ("worst", "best", "fair")
    square, values = made.square(), made.values()
    assert list(values) == ["worst", "best", "fair"]
    for row in made.models:
        for column in made.models:
            gap = values[row] - values[column]
            assert np.isnan(square.loc[row, column]) if row == column else square.loc[row, column] == gap
    p = made.square("p_holm")
    assert p.loc["worst", "best"] == p.loc["best", "worst"] == 0.03
    of_group = made.of("recommender.recall", group_by="user_group", group="1")
    assert of_group.empty


def test_the_order_of_rows_changes_no_byte():
    found, test = lists()
    one = table(lists=found, test=test)
    other = taken(one, np.random.default_rng(3).permutation(40))
    how = {"k": 5, "models": ("best", "good", "worst"), "metric": ("ndcg", "gini"), **FEW}
    assert matrix_csv(matrix(data_of(one), **how)) == matrix_csv(matrix(data_of(other), **how))


def test_shared_only_takes_users_with_a_list_of_every_model():
    found, test = lists(n_users=30)
    del found["best"]["u1"], found["worst"]["u2"]
    data = data_of(table(lists=found, test=test))
    made = matrix(data, k=5, shared_only=True, **FEW)
    assert set(made.table["n"]) == {28}
    assert made.notes == ("2 users of whom not every model has a list, or who fell out, were left out.",)
    assert {one.n + one.n_dropped for shared in made.shared.values() for one in shared} == {30}
    assert set(matrix(data, k=5, **FEW).table["n"]) == {30}


def test_models_and_lists_of_evidence_are_compared_too():
    data = two_models(n_posts=12)
    made = matrix(data, "auroc", **FEW)
    expected = compare(data, "a", "b", metrics="auroc", **FEW).table
    assert made.table["difference"].tolist() == expected["difference"].tolist()
    assert made.table["p_holm"].tolist() == expected["p"].tolist()
    assert len(made.of("classification.auroc")) == 1


def test_a_metric_of_two_rules_is_a_square_of_each():
    data = two_models(n_posts=30)
    how = {"screening_sensitivity": 0.9, "alert_precision": 0.6, **FEW}
    made = matrix(data, "classification.sensitivity", **how)
    screened, alert = made.params_of("classification.sensitivity")
    assert ("rule=screened_in" in screened, "rule=alert" in alert) == (True, True)
    gaps = []
    for params in (screened, alert):
        values = made.values(params=params)
        assert made.square(params=params).loc["b", "a"] == values["b"] - values["a"]
        assert len(made.of(params=params)) == 1
        gaps.append(values["b"] - values["a"])
    assert gaps[0] != gaps[1]
    assert made.values() == made.values(params=screened)
    heads = [line for line in matrix_text(made).splitlines() if "after Holm" in line]
    assert [head.split(";")[0] for head in heads] == ["Sensitivity (screened in)", "Sensitivity (alert)"]
    assert all(head.endswith("over 1 pairs") for head in heads)


def test_what_was_compared_is_what_the_metrics_are_of():
    one = two_models(n_posts=12)
    gold, rows = {"q1": {"x": 1}}, lists_of(q1="xy")
    both = one.with_tables(rankings=rankings_of(gold, rows, a=rows, b=lists_of(q1="yx")))
    for metrics, what in (
        (("auroc",), ["checks"]),
        (("mrr",), ["queries with gold"]),
        (("auroc", "mrr"), ["checks", "queries with gold"]),
    ):
        made = matrix(both, metrics, ["a", "b"], **FEW)
        assert [shared.what for shared in made.shared["a", "b"]] == what


def test_what_no_matrix_can_be_made_of_is_refused(data):
    one = data_of(table(lists={"a": {"u1": "xy"}}, test=[("u1", "x")]))
    for given, models, words in (
        (one, None, "found a alone, expected two or more of a"),
        (data, ["best", "bset"], "found no model 'bset', expected two or more of best, good, fair, worst"),
        (two_models(n_posts=6), ["a"], "found fewer, expected two models or lists"),
    ):
        with pytest.raises(InputError) as caught:
            matrix(given, models=models, k=5, **FEW)
        assert str(caught.value.problems[0]).startswith(words)


def test_every_metric_of_many_models_has_a_row_a_pair():
    data = data_of(made_recommendations(2, n_users=20, n_items=20, n_models=3))
    made = matrix(data, ("ndcg", "auc", "rsp", "bias_disparity_bd"), k=5, **FEW)
    pairs = made.table.groupby(["metric", "group_by", "group"]).size()
    assert set(pairs) == {3}
    assert (made.table["note"] != "").eq(made.table["difference"].isna()).all()


@pytest.fixture
def files(tmp_path):
    found, test = lists()
    rows = [
        f"{user},{item},{rank},{model}"
        for model, of_model in found.items()
        for user, items in of_model.items()
        for rank, item in enumerate(items, 1)
    ]
    (tmp_path / "lists.csv").write_text("\n".join(["user_id,item_id,rank,model", *rows]))
    for name in ("best", "worst"):
        own = ["user_id,item_id,rank", *(row.rsplit(",", 1)[0] for row in rows if row.endswith(name))]
        (tmp_path / f"{name}.csv").write_text("\n".join(own))
    (tmp_path / "test.csv").write_text("\n".join(["user_id,item_id", *(",".join(pair) for pair in test)]))
    return tmp_path


def command(files, *arguments) -> int:
    few = ["--bootstrap", "100", "--permutations", "199", "--k", "5"]
    return main(["compare", *arguments, "--test", str(files / "test.csv"), *few])


def test_the_command_compares_every_two(files, capsys):
    every = str(files / "lists.csv")
    assert command(files, every, "--matrix") == 0
    told = capsys.readouterr()
    assert "40 users compared; none fell out." in told.err
    lines = told.out.splitlines()
    assert lines[0] == "nDCG@5; differences are row − column, * p ≤ 0.05 after Holm over 6 pairs"
    assert lines[1].split() == ["value", "best", "good", "fair", "worst"]
    assert lines[5].split()[:2] == ["worst", "0.000"]
    assert lines[6].startswith("nDCG@5, adjusted over 6 pairs: best is better than good, fair, worst; ")
    out = files / "pairs.csv"
    assert (
        command(files, every, "--models", "best,fair,worst", "--metrics", "recall,mrr", "--out", str(out))
        == 0
    )
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["first"], row["second"]) for row in rows] == [
        ("best", "fair"), ("best", "fair"), ("best", "worst"), ("best", "worst"), ("fair", "worst"),
        ("fair", "worst"),
    ]  # fmt: skip
    assert {row["metric"] for row in rows} == {"recommender.recall", "recommender.mrr"}
    capsys.readouterr()
    assert command(files, every) == 2
    assert "Say --models A,B for two of them, or --matrix for every two. [OPT-043]" in capsys.readouterr().err


def test_the_command_compares_two_files_of_lists(files, capsys):
    pair = str(files / "best.csv"), str(files / "worst.csv")
    assert command(files, *pair, "--metrics", "recall") == 0
    told = capsys.readouterr()
    assert "40 users compared; none fell out." in told.err
    assert "Recall@5 −0." in told.out
    assert command(files, *pair, "--matrix") == 2
    assert "found two inputs, expected several models in one." in capsys.readouterr().err


def test_values_without_a_difference_are_shown_as_such(data):
    made = matrix(data, "map", k=5, bootstrap=0, permutations=0)
    assert "*" not in matrix_text(made).split("\n", 1)[1]
    assert made.table["p_holm"].isna().all()
