"""Recommendations on the road: golden values, plain loops, any split, any order, replicates by two ways."""

import math
from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate, tasks, whole
from evalcore.catalog import METRICS
from evalcore.data import Data, Source
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.weights import hashes
from evalcore.evaluation import Report
from evalcore.evaluation.intervals.defined_values import Asked, value_of
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.evaluation.populations import value_over
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.evaluation.values import grid, of_tally
from evalcore.recommendations import Interactions, ItemLists, Recommendations, ScoreMatrix
from evalcore.report import report_files
from evalcore.report.metrics_csv import metrics_csv
from evalcore.spec import OfTotals
from evalcore.tallies.recommended import ItemGroups
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.units import Units
from tests.support.but_long import but_long
from tests.support.recommendations import (
    beside_a_stranger,
    golden_cells,
    golden_problems,
    made_recommendations,
    recommendations_of,
    table,
)


def data_of(recommendations: Recommendations, name: str = "lists.csv") -> Data:
    source = Source(name, "lists", "0" * 64, 1, 1, 1, {}, {}, "CSV")
    return Data("recommender", (source,), {"recommendations": recommendations})


def taken(one: Recommendations, users: np.ndarray, seed: int = 0) -> Recommendations:
    """Some of the users, with ids of users and items in another order, and rows in another order too."""
    rng = np.random.default_rng(seed)
    items = rng.permutation(len(one.item_ids))
    new_user, new_item = np.full(len(one.user_ids), -1), np.empty(len(items), np.intp)
    new_user[users] = np.arange(len(users))
    new_item[items] = np.arange(len(items))

    def rows(user: np.ndarray) -> np.ndarray:
        return rng.permutation(np.flatnonzero(np.isin(user, users)))

    def lists(of_model: ItemLists | ScoreMatrix) -> ItemLists | ScoreMatrix:
        at = rows(of_model.user)
        if isinstance(of_model, ScoreMatrix):
            columns = rng.permutation(len(of_model.item))
            values = of_model.values[at][:, columns]
            return ScoreMatrix(new_user[of_model.user[at]], new_item[of_model.item[columns]], values)
        return ItemLists(
            new_user[of_model.user[at]], new_item[of_model.item[at]], of_model.score[at], of_model.has_scores
        )

    def pairs(given: Interactions | None) -> Interactions | None:
        if given is None:
            return None
        at = rows(given.user)
        return Interactions(
            new_user[given.user[at]], new_item[given.item[at]], given.rating[at], given.has_rating
        )

    return Recommendations(
        one.user_ids[users],
        one.item_ids[items],
        {name: lists(of_model) for name, of_model in one.lists.items()},
        {name: lists(of_model) for name, of_model in one.scores.items()},
        pairs(one.train),
        pairs(one.test),
        {name: (codes[users], levels) for name, (codes, levels) in one.slices.items()},
        {name: (codes[items], levels) for name, (codes, levels) in one.item_groups.items()},
        None if one.features is None else one.features[items],
        one.feature_names,
    )


def test_every_golden_value_is_that_of_the_contract() -> None:
    n_tried = 0
    for document in golden_problems():
        ks = tuple(document["problem"]["ks"])
        rows = evaluate(data_of(recommendations_of(document["problem"])), ks=ks).table
        rows = rows[(rows.variant == "default") & ~rows.params.str.contains("stat=")]
        for cell in golden_cells(document):
            own = rows[
                (rows.metric == cell.metric) & rows.params.str.split(";").str[0].isin(["", f"k={cell.k}"])
            ]
            overall = own[own.group_by == ""].value.iloc[0]
            np.testing.assert_allclose(overall, cell.value, rtol=0, atol=6e-10, err_msg=str(cell[:2]))
            for group, value in cell.groups.items():
                of_group = own[(own.group == group) & own.group_by.str.endswith("item_group")].value.iloc[0]
                np.testing.assert_allclose(of_group, value, rtol=0, atol=6e-10, err_msg=f"{cell[:2]} {group}")
            n_tried += 1 + len(cell.groups)
    assert n_tried > 600


@pytest.mark.parametrize("seed", but_long([3, 5, 6, 0, 1, 2, 4, 7], 1))
def test_every_value_is_that_of_plain_loops(seed: int) -> None:
    made = made_recommendations(
        seed, n_models=4, has_train=seed != 3, has_groups=seed != 5, has_features=seed != 6
    )
    data = data_of(made)
    found = evaluate(data, ks=(1, 3, 10), by=tuple(made.slices))
    checked = tasks.crosschecked(found.table, data)
    assert not checked.missing
    assert max(one.largest for one in checked.deviations) < 1e-9
    assert len(checked.deviations) == 40


@pytest.mark.parametrize("n_parts", but_long([5, 2], 1))
def test_any_split_and_any_order_give_the_same_bytes(n_parts: int) -> None:
    made = made_recommendations(4, n_users=20, n_models=3)
    how = {"ks": (1, 3), "by": ("user_group",), "bootstrap": 100}
    rng = np.random.default_rng(n_parts)
    parts = [
        data_of(taken(made, users, seed), f"part {seed}")
        for seed, users in enumerate(np.array_split(rng.permutation(20), n_parts))
    ]
    expected = metrics_csv(evaluate(data_of(made), **how))
    assert metrics_csv(evaluate(parts, **how)) == expected
    assert metrics_csv(evaluate(parts[::-1], **how)) == expected
    assert metrics_csv(evaluate(whole(parts), **how)) == expected


def test_a_model_beside_another_has_the_values_that_it_has_alone() -> None:
    made = made_recommendations(2, n_models=3)
    both = evaluate(data_of(made), ks=(1, 3), bootstrap=100).table
    for model in made.models:
        alone = replace(
            made,
            lists={name: one for name, one in made.lists.items() if name == model},
            scores={name: one for name, one in made.scores.items() if name == model},
        )
        expected = both[both.model == model].reset_index(drop=True)
        assert repr(evaluate(data_of(alone), ks=(1, 3), bootstrap=100).table.values) == repr(expected.values)


@pytest.mark.parametrize("seed", but_long([1, 0, 2, 3], 0))
def test_users_and_items_of_other_models_change_nothing(seed: int) -> None:
    made = made_recommendations(seed, n_models=3, has_features=seed != 1)
    settings = (("recommender.hypervolume", (("of", ("gini", "user_coverage")),)),)
    how = {"ks": (1, 3), "bootstrap": 100, "by": ("user_group",), "settings": settings}
    beside = evaluate(data_of(beside_a_stranger(made)), **how)
    alone = evaluate(data_of(made), **how)
    found = beside.table[beside.table.model != "stranger"].reset_index(drop=True)
    assert repr(found.values.tolist()) == repr(alone.table.values.tolist())
    users = len(made.user_ids)
    assert found.ci_method.str.contains(f"users={users};").any()
    own = alone.gathered.tallies["recommendations"].models["model_2"].catalogue
    all_items = beside.gathered.tallies["recommendations"].models["stranger"].catalogue
    assert len(all_items) == len(own) + 6


@pytest.mark.parametrize("seed", but_long([0, 3], 1))
def test_the_second_implementation_takes_the_catalogue_of_each_model(seed: int) -> None:
    data = data_of(beside_a_stranger(made_recommendations(seed, n_models=2)))
    found = evaluate(data, ks=(1, 3), by=("user_group",))
    checked = tasks.crosschecked(found.table, data)
    assert not checked.missing
    assert max(one.largest for one in checked.deviations) < 1e-9


@pytest.mark.parametrize("bare", [0, 1])
def test_a_part_without_ratings_leaves_errors_undefined_as_the_whole_does(bare: int) -> None:
    made = made_recommendations(1)
    assert not np.isnan(evaluate(data_of(made), ks=(2,)).value("recommender.mae", model="model_1"))
    parts = [taken(made, users) for users in np.array_split(np.arange(len(made.user_ids)), 2)]
    test = parts[bare].test
    assert test is not None
    unrated = replace(test, rating=np.ones(len(test)), has_rating=False)
    parts[bare] = replace(parts[bare], test=unrated)
    data = [data_of(one, f"part {at}") for at, one in enumerate(parts)]
    found = evaluate(data, ks=(2,)).table
    assert found[found.metric == "mae"].value.isna().all()
    assert repr(found.values) == repr(evaluate(whole(data), ks=(2,)).table.values)


def test_a_user_in_two_parts_is_refused() -> None:
    made = data_of(made_recommendations(1))
    with pytest.raises(tasks.InputError, match="QRY-243"):
        evaluate([made, made])


@pytest.mark.long
def test_replicates_of_totals_are_the_metric_of_users_repeated() -> None:
    made = made_recommendations(7, n_users=15, n_models=2)
    data = data_of(made)
    found = evaluate(data, ks=(1, 3)).gathered.tallies["recommendations"]
    options = evaluate(data, ks=(1, 3)).options
    lists = found.models["model_1"]
    drawn = Resampling.of(found.users.hashed, 40, 0)
    units = found.users
    ways = GroupReplicates(units, None, drawn, None, None)
    n_tried = 0
    for tally in (lists, ItemGroups(lists), ItemGroups(lists, 1)):
        for metric in of_tally(type(tally).__name__):
            for given in grid(metric, options):
                result = metric(tally, **given)
                asked = {0: Asked(metric, {}, tally, given, result, metric.population[0])}
                if math.isnan(value_of(asked[0], tally)):
                    continue
                fast, slow = ways.of(asked)[0], ways.one_at_a_time(asked)[0]
                np.testing.assert_allclose(
                    fast, slow, rtol=1e-12, atol=1e-14, err_msg=f"{metric.key} {given}"
                )
                n_tried += 1
    assert n_tried > 60


def test_a_saved_report_gives_the_same_files() -> None:
    made = made_recommendations(4, n_models=3)
    report = evaluate(data_of(made), ks=(1, 3), bootstrap=100, by=("user_group",))
    opened = Report.from_bytes(report.to_bytes())
    assert report_files(opened, drawn=tasks.drawings) == report_files(report, drawn=tasks.drawings)


def test_k_beyond_the_catalogue_works_and_padding_makes_no_hits() -> None:
    made = table(lists={"m": {"u": ["item3"]}}, test=[("u", "item0")], item_groups={"item1": "", "item2": ""})
    found = evaluate(data_of(made), ks=(3, 50))
    values = {name: found.value(f"recommender.{name}", params="k=3") for name in ("precision", "recall")}
    assert values == {"precision": 0, "recall": 0}
    assert found.value("recommender.item_coverage", params="k=3") == 1
    assert found.value("recommender.num_retrieved", params="k=50") == 1


def test_scores_as_a_matrix_and_in_long_form_give_the_same() -> None:
    made = made_recommendations(8, n_models=2)
    matrix = made.scores["model_2"]
    row, column = np.nonzero(~np.isnan(matrix.values))
    long = ItemLists(matrix.user[row], matrix.item[column], matrix.values[row, column], has_scores=True)
    tables = [
        evaluate(data_of(replace(made, lists={}, scores={"m": scores})), ks=(1, 3)).table
        for scores in (matrix, long)
    ]
    assert repr(tables[0].values) == repr(tables[1].values)


def test_further_settings_of_a_metric_do_not_stand_for_its_usual_one() -> None:
    settings = (("recommender.aclt", (("pop_ratio", 0.5),)), ("recommender.f1", (("beta", 2.0),)))
    data = data_of(made_recommendations(4, n_models=2))
    usual, more = (default_rows(evaluate(data, ks=(1, 3), settings=one).table) for one in ((), settings))
    assert repr(more.values.tolist()) == repr(usual.values.tolist())


def test_totals_of_counted_scores_are_drawn_by_the_rows_that_are_counted() -> None:
    def share(table: ScoreTable) -> OfTotals:
        columns = np.stack([table.n_pos, table.n_neg], axis=1)
        return OfTotals(columns, lambda totals: totals[..., 0] / totals.sum(axis=-1), int(table.total))

    rng = np.random.default_rng(0)
    rows = ScoredRows(rng.integers(0, 4, 60) / 4, rng.random(60) < 0.4, np.arange(60) // 3, 20)
    tally = ScoreTable.from_rows(rows)
    metric = replace(METRICS["calibration.brier"], function=share, params=(), drawn=None)
    units = Units(np.arange(60) // 3, hashes(f"p{at}" for at in range(20)), "posts")
    drawn = Resampling.of(units.hashed, 20, 0)
    asked = {0: Asked(metric, {}, tally, {}, share(tally), metric.population[0])}
    found = GroupReplicates(units, rows, drawn, None, None).of(asked)[0]
    weight = drawn.drawn[:, rows.post]
    np.testing.assert_allclose(found, (weight * rows.is_positive).sum(axis=1) / weight.sum(axis=1))


def test_totals_over_several_populations_are_those_of_each() -> None:
    lists = evaluate(data_of(made_recommendations(3)), ks=(3,)).gathered.tallies["recommendations"]
    tally = lists.models["model_1"]
    two = replace(METRICS["recommender.user_coverage"], population=("users_with_relevant", "all_users"))
    result = two(tally, k=3)
    values = [value_over(two, tally, {"k": 3}, result, name)[0] for name in two.population]
    assert values[0] < values[1] == two(tally.where(tally.is_evaluated), k=3).of_all
    drawn = Resampling.of(lists.users.hashed, 20, 0)
    ways = GroupReplicates(lists.users, None, drawn, None, None)
    for name in two.population:
        asked = {0: Asked(two, {}, tally, {"k": 3}, result, name)}
        np.testing.assert_allclose(ways.of(asked)[0], ways.one_at_a_time(asked)[0])
