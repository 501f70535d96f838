"""The sample's recommendation lists: the committed files are the generator's output, and show every case."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import sample
from evalcore.crosscheck.recommended import recommended
from evalcore.crosscheck.recommended_users import Setting
from evalcore.crosscheck.recommender import value
from tests.support.recommendations import table

COMMITTED = Path(__file__).parents[2] / "sample_data" / "recommender"
TABLES = ("lists", "train", "test", "user_groups", "item_groups", "item_features")
MODELS = ("popularity", "two_towers")


@pytest.fixture(scope="module")
def made():
    return sample.recommendation_lists()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    sample.write_sample(folder, n_posts=1)
    return folder / "recommender"


@pytest.fixture(scope="module")
def plain(made):
    """Model → its plain data."""

    def rows(name, *columns):
        return list(made.tables[name][list(columns)].itertuples(index=False, name=None))

    whole = table(
        lists={
            model: list(of_model[["user_id", "item_id", "score"]].itertuples(index=False, name=None))
            for model, of_model in made.tables["lists"].groupby("model")
        },
        scores={
            model: {
                user: {
                    item: score for item, score in zip(arrays["items"], row, strict=True) if score == score
                }
                for user, row in zip(arrays["users"], arrays["scores"].tolist(), strict=True)
            }
            for model, arrays in made.scores.items()
        },
        train=rows("train", "user_id", "item_id", "rating"),
        test=rows("test", "user_id", "item_id", "rating"),
        user_groups=dict(rows("user_groups", "user_id", "user_group")),
        item_groups=dict(rows("item_groups", "item_id", "item_group")),
        features={
            item: names.split("|") if names else []
            for item, names in rows("item_features", "item_id", "genres")
        },
    )
    return {model: recommended(whole, model) for model in MODELS}


def test_the_committed_tables_are_the_generators_output_byte_for_byte(written):
    for name in TABLES:
        assert (written / f"{name}.csv").read_bytes() == (COMMITTED / f"{name}.csv").read_bytes(), name


@pytest.mark.parametrize("model", MODELS)
def test_the_committed_scores_are_the_generators_output_value_for_value(written, model):
    with np.load(written / f"scores_{model}.npz") as own, np.load(COMMITTED / f"scores_{model}.npz") as kept:
        assert sorted(own) == sorted(kept) == ["items", "scores", "users"]
        for name in own:
            np.testing.assert_array_equal(own[name], kept[name])
            assert own[name].dtype == kept[name].dtype


def test_nothing_but_these_files_is_committed():
    names = {*(f"{name}.csv" for name in TABLES), *(f"scores_{model}.npz" for model in MODELS), "README.md"}
    assert {path.name for path in COMMITTED.iterdir()} == names
    assert sum(path.stat().st_size for path in COMMITTED.iterdir()) < 1_500_000


def test_another_seed_gives_other_lists(made):
    other = sample.recommendation_lists(1)
    assert not other.tables["lists"].equals(made.tables["lists"])
    assert len(other.tables["user_groups"]) == len(made.tables["user_groups"]) == 600


def test_the_rows_that_the_readme_counts(made):
    rows = {name: len(made.tables[name]) for name in TABLES}
    text = (COMMITTED / "README.md").read_text()
    assert all(f"{n:,}" in text for n in rows.values())
    assert all("{} × {}".format(*arrays["scores"].shape) in text for arrays in made.scores.values())


def test_lists_are_the_best_scores_of_films_that_a_user_has_not_seen(made):
    seen = set(made.tables["train"][["user_id", "item_id"]].itertuples(index=False, name=None))
    for model, of_model in made.tables["lists"].groupby("model"):
        arrays = made.scores[model]
        best = {}
        for user, row in zip(arrays["users"], arrays["scores"].tolist(), strict=True):
            scored = [
                (-score, item) for item, score in zip(arrays["items"], row, strict=True) if score == score
            ]
            best[user] = [item for _, item in sorted(scored) if (user, item) not in seen][:20]
        listed = of_model.groupby("user_id")["item_id"].agg(list).to_dict()
        assert listed == best
        assert of_model["rank"].tolist() == list(range(1, 21)) * len(best)


def test_pairs_stand_once_and_no_pair_of_train_is_one_of_test(made):
    pairs = pd.concat([made.tables["train"], made.tables["test"]])[["user_id", "item_id"]]
    assert not pairs.duplicated().any()
    assert set(made.tables["train"]["rating"]) == set(made.tables["test"]["rating"]) == {1, 2, 3, 4, 5}


def test_the_sample_has_every_case_that_an_evaluation_meets(made, plain):
    towers, popular = plain["two_towers"], plain["popularity"]
    assert len(popular.items) == 400
    new_users = set(popular.lists) - set(towers.lists)
    assert len(new_users) == 12
    assert all(towers.relevant(user) for user in new_users)
    assert sum(not popular.relevant(user) for user in popular.lists) >= 10
    new_films = [item for item, n in popular.popularity.items() if n == 0]
    assert len(new_films) == 13
    assert np.isnan(made.scores["two_towers"]["scores"]).sum() == 588 * 13
    assert any(item in popular.relevant(user) for user in popular.lists for item in new_films)
    assert any(not names for names in popular.features.values())
    assert {*popular.user_groups["user_group"].values()} == {"casual", "regular"}
    assert {*popular.item_groups["item_group"].values()} == {"major", "independent", "local"}
    assert len(popular.user_groups["user_group"]) < 600
    assert len(popular.item_groups["item_group"]) < 400
    scores = made.tables["lists"].groupby(["model", "user_id"])["score"]
    assert (scores.nunique() < 20).any()


def test_the_sample_is_read_whole_and_what_is_odd_in_it_is_told():
    data = evalcore.load(COMMITTED)
    assert data.task == "recommender"
    assert data.facts["synthetic"] is True
    assert {source.role for source in data.sources} == {*TABLES, "scores"}
    assert all(source.n_rows == source.n_used for source in data.sources)
    assert {problem.code for problem in data.warnings} == {"RCM-035", "RCM-036"}  # new users, films that tie
    assert data.recommendations.models == MODELS
    assert len(data.recommendations.lists["two_towers"]) == 588 * 20


def test_watching_has_a_long_tail(plain):
    count = sorted(plain["popularity"].popularity.values(), reverse=True)
    assert sum(count[:80]) > 0.5 * sum(count)
    assert len(plain["popularity"].head("0.8", "default")) < 240


def test_neither_model_is_better_in_everything(plain):
    def of(name, group=None):
        setting = Setting(k=10, of_users=None if group is None else ("user_group", group))
        return [value(plain[model], name, setting) for model in MODELS]

    for accuracy in ("precision", "recall", "ndcg", "hit_rate"):
        popular, towers = of(accuracy)
        assert popular > towers
        assert of(accuracy, "casual")[0] > 2 * of(accuracy, "casual")[1]
    assert of("ndcg", "regular")[0] < of("ndcg", "regular")[1]
    assert of("item_coverage")[1] > 10 * of("item_coverage")[0]
    for lower_of_towers in ("gini", "arp", "rsp", "reo", "rmse"):
        popular, towers = of(lower_of_towers)
        assert popular > towers
