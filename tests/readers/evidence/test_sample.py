"""The generator's claims: the committed files are its output, and their figures are the published ones."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import evalcore
from evalcore import sample
from evalcore.readers.formats.sample_files import NOTE, SHA256
from evalcore.sample.draws import apportioned, bell, stream, uniform

COMMITTED = Path(__file__).parents[3] / "sample_data"
QUERY = ["post_id", "criterion_id"]
# PCG64 of SeedSequence(0, spawn_key=(0,)), which NumPy promises not to change.
RAW_WORDS = [17394127715520444142, 5835390491061343638]


@pytest.fixture(scope="module")
def queries():
    return sample.queries()


@pytest.fixture(scope="module")
def gate(queries):
    return queries[queries["model"] == "gnn_gate"]


@pytest.fixture(scope="module")
def lists():
    return sample.ranked_lists()


@pytest.fixture(scope="module")
def candidates():
    return sample.candidates()


def plain(table):
    """The table with ids as text, as it comes from a file."""
    return table.astype({name: "str" for name in table.columns if table[name].dtype == "category"})


@pytest.mark.parametrize("name", ["queries", "ranked_lists"])
def test_committed_csv_is_the_generators_output_byte_for_byte(name, queries, lists):
    text = io.BytesIO()
    {"queries": queries, "ranked_lists": lists}[name].to_csv(text, index=False, lineterminator="\n")
    assert (COMMITTED / f"{name}.csv").read_bytes() == text.getvalue()


def test_committed_candidates_are_the_generators_output_value_for_value(candidates):
    committed = pd.read_parquet(COMMITTED / "candidates.parquet")
    pd.testing.assert_frame_equal(committed, plain(candidates), check_exact=True)


def test_committed_files_are_known_by_their_bytes_and_data_made_of_them_say_that_they_are_synthetic(tmp_path):
    committed = {
        path.relative_to(COMMITTED).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in COMMITTED.rglob("*")
        if path.is_file() and path.name != "README.md"
    }
    assert committed == SHA256
    renamed = tmp_path / "mine.csv"
    renamed.write_bytes((COMMITTED / "queries.csv").read_bytes())
    for path in (renamed, COMMITTED / "rag"):
        data = evalcore.load(path)
        assert data.facts["synthetic"] is True
        assert data.notes[-1] == NOTE
    renamed.write_bytes(renamed.read_bytes() + b"s_x,A.1,0,tune,gnn_gate,0,0.5,3,1\n")
    assert "synthetic" not in evalcore.load(renamed).facts


def test_committed_files_stay_small():
    assert sum(path.stat().st_size for path in COMMITTED.iterdir()) < 6.5e6


def test_ten_rows_are_a_complete_readable_example():
    rows = pd.read_csv(COMMITTED / "small" / "ten_rows.csv")
    assert len(rows) == 10
    assert set(rows["has_evidence"]) == {0, 1}
    assert set(rows["split"]) == {"tune", "test"}
    assert rows["probability"].between(0, 1).all()
    assert rows.groupby("post_id")["criterion_id"].nunique().eq(2).all()


def test_raw_words_have_not_moved():
    assert stream(0, "posts").random_raw(2).tolist() == RAW_WORDS
    assert uniform(stream(0, "posts"), 2).tolist() == [word / 2**53 for word in (w >> 11 for w in RAW_WORDS)]


def test_same_size_and_seed_give_the_same_files(tmp_path):
    first = sample.write_sample(tmp_path / "a", n_posts=30, seed=5)
    second = sample.write_sample(tmp_path / "b", n_posts=30, seed=5)
    annotations = ["retrieval.csv", "grounding.csv", "generation.csv", "predictions.csv"]
    names = [
        "queries.csv",
        "ranked_lists.csv",
        "candidates.parquet",
        *annotations,
        "annotation_export.meta.json",
        *("lists.csv", "train.csv", "test.csv", "user_groups.csv", "item_groups.csv", "item_features.csv"),
        *("scores_popularity.npz", "scores_two_towers.npz"),
    ]
    assert [p.name for p in first] == names
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_another_seed_gives_other_rows_with_the_same_totals(gate):
    other = sample.queries(seed=1)
    other = other[other["model"] == "gnn_gate"]
    assert other["probability"].tolist() != gate["probability"].tolist()
    assert totals(other, "criterion_id") == totals(gate, "criterion_id")
    assert totals(other, "fold") == totals(gate, "fold")
    assert roc_auc_score(other["has_evidence"], other["probability"]) == pytest.approx(0.8972, abs=1e-4)


def test_negative_seed_is_refused():
    with pytest.raises(ValueError, match="non-negative"):
        sample.queries(1, seed=-1)


def test_interrupted_writing_leaves_no_half_file(tmp_path, monkeypatch):
    def interrupted(_table, path):
        path.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(sample, "_write_csv", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sample.write_sample(tmp_path, n_posts=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("n_posts", [1, 2, 3, 4, 5, 7, 10, 33, 300])
def test_every_size_scales_the_totals_and_fits_together(n_posts):
    queries = sample.queries(n_posts, seed=2)
    lists = sample.ranked_lists(n_posts, seed=2)
    candidates = sample.candidates(n_posts, seed=2)
    gate = queries[queries["model"] == "gnn_gate"]
    assert len(gate) == len(lists) == 10 * n_posts
    assert len(candidates) == gate["n_candidates"].sum()
    assert gate["has_evidence"].sum() == max(1, round(n_posts * 1379 / 1477))
    assert (lists["gold_ids"] != "").tolist() == gate["has_evidence"].astype(bool).tolist()
    assert queries["probability"].between(0, 1).all()
    assert queries["post_id"].nunique() == n_posts
    assert queries["n_candidates"].between(1, 200).all()
    assert (queries["selected_k"] <= queries["n_candidates"]).all()


def totals(rows, column):
    return rows.groupby(column, observed=True)["has_evidence"].sum().tolist()


def test_positives_by_criterion_and_fold_are_the_published_ones(gate):
    assert len(gate) == 14_770
    assert totals(gate, "criterion_id") == [328, 124, 44, 102, 35, 124, 311, 59, 166, 86]
    assert totals(gate, "fold") == [277, 261, 266, 304, 271]
    assert gate.groupby("fold")["post_id"].nunique().tolist() == [295, 295, 295, 295, 297]


def test_folds_and_splits_share_no_post_and_halves_are_halves(gate):
    assert gate.groupby("post_id", observed=True)[["fold", "split"]].nunique().eq(1).all(axis=None)
    by_split = gate.groupby("split", observed=True)
    assert sorted(by_split["post_id"].nunique()) == [738, 739]
    assert sorted(by_split["has_evidence"].sum()) == [689, 690]


def test_states_at_the_published_thresholds(gate):
    probability, positive = gate["probability"], gate["has_evidence"] == 1
    skipped, alerted = probability < 1e-4, probability >= 1
    assert [skipped.sum(), (~skipped & ~alerted).sum(), alerted.sum()] == [2471, 12253, 46]
    assert [(positive & ~skipped).sum(), (positive & skipped).sum()] == [1376, 3]
    assert (positive & alerted).sum() == 43


def test_reliability_bins_are_the_published_ones(gate):
    probability, positive = gate["probability"].to_numpy(), gate["has_evidence"].to_numpy()
    edges = np.arange(1, 10) / 10
    place = np.searchsorted(edges, probability, side="right")
    mean = [probability[place == b].mean() for b in range(10)]
    rate = [positive[place == b].mean() for b in range(10)]
    assert mean == pytest.approx(
        [0.023, 0.159, 0.238, 0.355, 0.461, 0.568, 0.641, 0.772, 0.842, 0.950], abs=5e-4
    )
    assert rate == pytest.approx(
        [0.028, 0.158, 0.218, 0.419, 0.463, 0.551, 0.612, 0.726, 0.820, 0.831], abs=5e-4
    )


def test_discrimination_is_the_published_one_and_differs_by_criterion(queries, gate):
    assert roc_auc_score(gate["has_evidence"], gate["probability"]) == pytest.approx(0.8972, abs=5e-5)
    by_criterion = gate.groupby("criterion_id", observed=True)
    auroc = by_criterion[["has_evidence", "probability"]].apply(
        lambda rows: roc_auc_score(*rows.to_numpy().T)
    )
    assert auroc["A.9"] > 0.95
    assert auroc["A.10"] < 0.7
    baseline = queries[queries["model"] == "baseline"]
    assert 0.79 < roc_auc_score(baseline["has_evidence"], baseline["probability"]) < 0.82


def test_scores_tie_as_in_real_files(gate):
    assert 5_000 < gate["probability"].nunique() < 10_000


def test_both_models_score_the_same_queries(queries):
    same = ["post_id", "criterion_id", "fold", "split", "has_evidence", "n_candidates"]
    first, second = (
        queries.loc[queries["model"] == m, same].reset_index(drop=True) for m in ("gnn_gate", "baseline")
    )
    pd.testing.assert_frame_equal(first, second)
    assert not queries.duplicated([*QUERY, "model"]).any()


def test_positives_cluster_in_posts_as_published(gate):
    per_post = gate.groupby("post_id", observed=True)["has_evidence"].sum()
    per_post = per_post[per_post > 0]
    assert 1.4 < per_post.mean() < 1.5
    assert 1.4 < (per_post**2).sum() / per_post.sum() < 1.9


def test_candidate_counts_have_the_published_quantiles(gate):
    per_post = gate.groupby("post_id", observed=True)["n_candidates"]
    assert per_post.nunique().eq(1).all()
    n = gate["n_candidates"]
    assert [n.min(), n.median(), n.quantile(0.9), n.quantile(0.95), n.max()] == [1, 8, 44, 103, 200]
    assert n.mean() == pytest.approx(20, abs=0.1)
    assert (n == 1).mean() == pytest.approx(0.04, abs=0.001)


@pytest.fixture(scope="module")
def positive_lists(lists):
    return lists[lists["gold_ids"] != ""]


def found_ranks(positive_lists, column):
    """Ranks from 1 of the gold sentences in each list."""
    pairs = zip(positive_lists["gold_ids"], positive_lists[column], strict=True)
    return [[r for r, s in enumerate(ranked.split("|"), 1) if s in gold.split("|")] for gold, ranked in pairs]


def mean_ndcg_at_10(positive_lists, column):
    n_gold = positive_lists["gold_ids"].str.count(r"\|") + 1
    ideal = [sum(1 / np.log2(1 + r) for r in range(1, min(n, 10) + 1)) for n in n_gold]
    gain = [
        sum(1 / np.log2(1 + r) for r in ranks if r <= 10) for ranks in found_ranks(positive_lists, column)
    ]
    return np.mean(np.divide(gain, ideal))


def test_gold_counts_are_the_published_ones(positive_lists):
    n_gold = positive_lists["gold_ids"].str.count(r"\|") + 1
    assert n_gold.mean() == pytest.approx(1.13, abs=0.005)
    assert n_gold.max() == 6


def test_reranking_helps_and_some_gold_is_missing_from_the_lists(positive_lists):
    assert 0.68 < mean_ndcg_at_10(positive_lists, "retriever_topk") < 0.70
    assert 0.71 < mean_ndcg_at_10(positive_lists, "reranked_topk") < 0.75
    for column in ("retriever_topk", "reranked_topk"):
        missing = np.mean([not ranks for ranks in found_ranks(positive_lists, column)])
        assert 0.01 < missing < 0.08


def test_lists_follow_from_the_candidates_scores_with_ties_by_id_descending(lists, candidates):
    rows = plain(candidates)
    for column, score in (("retriever_topk", "retriever"), ("reranked_topk", "reranker")):
        ranked = rows.sort_values("sent_uid", ascending=False).sort_values(
            score, ascending=False, kind="stable"
        )
        best = ranked.groupby(QUERY)["sent_uid"].agg(lambda ids: "|".join(ids[:20]))
        expected = best.loc[pd.MultiIndex.from_frame(lists[QUERY])]
        assert lists[column].tolist() == expected.tolist()


def test_gold_of_candidates_and_lists_agree_except_for_twenty_sentences(lists, candidates):
    listed = lists.assign(sent_uid=lists["gold_ids"].str.split("|")).explode("sent_uid")
    listed = {tuple(row) for row in listed.loc[listed["sent_uid"] != "", [*QUERY, "sent_uid"]].to_numpy()}
    marked = {
        tuple(row) for row in candidates.loc[candidates["is_gold"] == 1, [*QUERY, "sent_uid"]].to_numpy()
    }
    assert marked < listed
    assert len(listed - marked) == 20


def test_candidates_are_the_sentences_of_the_post_in_no_order_of_score(gate, candidates):
    per_query = candidates.groupby(QUERY, observed=True)
    assert per_query["sent_uid"].nunique().to_numpy().tolist() == gate["n_candidates"].tolist()
    assert not per_query["reranker"].is_monotonic_decreasing.all()
    assert 0.9 < (candidates["reranker"] < 0).mean() < 1


def test_bell_has_mean_zero_and_standard_deviation_one():
    drawn = bell(stream(0, "scores"), 100_000)
    assert drawn.mean() == pytest.approx(0, abs=0.01)
    assert drawn.std() == pytest.approx(1, abs=0.01)


def test_apportioned_shares_sum_to_the_total():
    assert apportioned(0, [0, 0]).tolist() == [0, 0]
    assert apportioned(1379, [328, 124, 44, 102, 35, 124, 311, 59, 166, 86]).sum() == 1379
    assert apportioned(5, [0, 3, 1]).tolist() == [0, 4, 1]
