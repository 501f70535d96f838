"""Annotations on the road of every metric: the same values, intervals, means over groups and differences."""

import math
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from evalcore import evaluate, spec
from evalcore.catalog import METRICS
from evalcore.compare.options import CompareOptions
from evalcore.compare.rag.annotations import compare_annotations
from evalcore.compare.rag.systems import by_system
from evalcore.drawn.post_values import PostValues
from evalcore.drawn.replicates import Resampling
from evalcore.evaluation.gathering.units import Units
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.spec import PerQuery, Undefined, metric
from evalcore.tallies.judgements import JudgedAnswers, Panels
from tests.inference.test_drawn import declared_as, held_to_the_definition
from tests.support.made.annotations import chunk, rag_data, responses_of

N_REPLICATES = 100
SHARES = {key for key, declared in METRICS.items() if declared.is_share}


def annotated(n=18, seed=3):
    """Lists and answers of two systems in three languages: ties, gaps, empty lists, labels nobody gave."""
    rng = np.random.default_rng(seed)
    ids = [f"{system}{at}" for at in range(n) for system in "AB"]
    lists, answers = [], []
    for record in ids:
        of = {
            "system": record[0],
            "query_id": record[1:],
            "language": ("de", "en", "fr")[int(record[1:]) % 3],
        }
        n_listed = int(rng.integers(0, 5))
        if not n_listed:
            lists.append({"record": record, "chunk": None, "n_retrieved": 0, **of})
        for rank in range(1, n_listed + 1):
            for who in ("x", "y")[: int(rng.integers(1, 3))]:
                said = [None if rng.random() < 0.05 else int(rng.random() < 0.5) for _ in range(3)]
                lists.append(chunk(record, rank, *said, n=n_listed, annotator=who, **of))
        answers += [
            {"record": record, "annotator": who, "helpful": int(rng.random() < 0.6), **of}
            | ({} if rng.random() < 0.1 else {"incomplete": int(rng.random() < 0.3)})
            for who in ("x", "y")
        ]
    parts = responses_of("retrieval", lists, ids), responses_of("generation", answers, ids)
    return rag_data(*parts, record_ids=ids)


def thrown_away():
    """Metrics that nobody has heard of: a mean, a median and a number of what was judged."""
    facts = {
        "family": "rag", "label": "Thrown away", "formula": "?", "bounds": (-math.inf, math.inf),
        "undefined": (Undefined(lambda _: False, "never"),), "better": "higher", "source": "a test",
    }  # fmt: skip

    def length(panels: Panels):
        """How long a list is."""
        return PerQuery(np.maximum(panels.n_listed, 0).astype(float))

    def middle_length(panels: Panels):
        """The median length."""
        return PerQuery(np.maximum(panels.n_listed, 0).astype(float), 0.5)

    def distinct_lengths(panels: Panels):
        """How many lengths there are."""
        return float(len(np.unique(panels.n_listed)))

    def distinct_answers(answers: JudgedAnswers):
        """How many kinds of answers there are."""
        return float(len({tuple(said) for said in np.stack(list(answers.state.values()), axis=1).tolist()}))

    before = set(METRICS)
    for function in (length, middle_length, distinct_lengths, distinct_answers):
        population = "annotated_answers" if function is distinct_answers else "annotated_queries"
        metric(population=population, **facts)(function)
    return [spec.METRICS.pop(key) for key in set(spec.METRICS) - before if key not in before]


def test_every_interval_of_annotations_is_the_definitions(monkeypatch):
    farthest = held_to_the_definition(monkeypatch)
    report = evaluate(annotated(), bootstrap=N_REPLICATES, by=("language", "annotator"))
    table = report.table
    means = table[table.params.str.contains("stat=mean;over=")]
    assert set(means.params.str.partition("over=")[2]) == {"language", "annotator"}
    assert set(farthest) == {f"rag.{name}" for name in table.dropna(subset="value").metric}
    assert max(farthest.values()) < 1e-12
    assert means[means.metric == "ndcg_at_k"].ci_method.str.startswith("cluster_bootstrap(queries=").any()


def test_metrics_that_nobody_prepared_for_take_the_whole_road(monkeypatch):
    data = annotated()
    sides = by_system(data)
    metrics = thrown_away()
    with declared_as(*metrics):
        held_to_the_definition(monkeypatch)
        table = evaluate(data, bootstrap=N_REPLICATES, by=("language",)).table
        found = compare_annotations(
            sides["A"], sides["B"], key="query_id", k=3, how=CompareOptions(bootstrap=200, permutations=199)
        )
    names = {one.name for one in metrics}
    own = table[table.metric.isin(names)]
    assert set(own.metric) == names
    assert own.value.notna().all()
    values = own[~own.params.str.contains("stat=") & (own.variant == "default")]
    assert (values.ci_method != "").all()
    assert set(values.group_by) == {"", "language"}
    assert set(own[own.params.str.contains("stat=mean;over=language")].metric) == names
    compared = found[found.metric.isin(names)]
    assert set(compared.metric) == names
    assert (compared.ci_method != "").all()
    assert compared.p.between(1 / 200, 1).all()
    assert not set(METRICS) & {one.key for one in metrics}


def test_difference_of_a_mean_is_that_of_the_tallies_drawn_together():
    sides = by_system(annotated(60, seed=8))
    how = CompareOptions(bootstrap=300, permutations=299)

    def length_as_number(panels: Panels):
        """The mean length, as a number."""
        return float(np.maximum(panels.n_listed, 0).mean()) if len(panels) else math.nan

    def length(panels: Panels):
        """The mean length, a list at a time."""
        return PerQuery(np.maximum(panels.n_listed, 0).astype(float))

    usual = METRICS["rag.ndcg_at_k"]
    plain = {"variants": {}, "undefined": (), "remark": None, "labels": (), "bounds": (0, math.inf)}
    both = [replace(usual, name=one.__name__, function=one, **plain) for one in (length_as_number, length)]
    with declared_as(*both):
        found = compare_annotations(sides["A"], sides["B"], key="query_id", k=3, how=how)
    number, mean = (found[found.metric == one.name].iloc[0] for one in both)
    assert (number.n, number.n_without_value) == (mean.n, mean.n_without_value)
    for column in ("first", "second", "difference", "ci_low", "ci_high", "p"):
        assert number[column] == pytest.approx(mean[column], abs=1e-12), column


def test_fill_that_is_computed_is_honoured():
    rows = [{"record": "a", "source_cited": 0, "fabricated_source": 1}]
    declared = METRICS["rag.conditional_fabrication_rate"]
    with declared_as(replace(declared, contract_value=lambda answers: len(answers) / 4)):
        table = evaluate(rag_data(responses_of("grounding", rows)), undefined="contract").table
    row = table[table.metric == "conditional_fabrication_rate"].iloc[0]
    assert row.value == 0.25
    assert row.note.startswith("filled as document 000 §5 prints: no answer cites a source")


def test_shares_have_values_of_0_and_1_and_no_spread():
    table = evaluate(annotated(), bootstrap=N_REPLICATES).table
    of_shares = table[("rag." + table.metric).isin(SHARES)].dropna(subset="value")
    usual = of_shares[~of_shares.variant.str.contains("ties_|fill_|as_is")]
    assert usual.ci_method.str.startswith("wilson(n=").all()
    assert not of_shares.params.str.contains("stat=").any()
    for key in SHARES:
        for tally in (Panels.from_lists(2, evidence_sufficient=[[0, 1], [0], []]),):
            if METRICS[key].tally == "Panels":
                assert set(METRICS[key](tally).values.tolist()) <= {0.0, 1.0}


def test_what_open_labels_could_change_is_no_chance_and_has_no_interval():
    table = evaluate(annotated(), bootstrap=N_REPLICATES, by=("language",)).table
    of = table[table.metric.isin(["topical_precision_at_k", "helpfulness_rate"])]
    treated = of[of.variant.str.contains("ties_|fill_|as_is")]
    assert set(treated.group_by) == {"", "language"}
    assert treated.params.str.contains("stat=mean;over=language").any()
    assert (treated.ci_method == "").all()


def test_repeated_records_are_there_twice():
    panels = Panels.from_lists(2, topically_relevant=[[1, 0], [], [0]])
    twice = panels.take(np.array([2, 0, 0]))
    assert twice.n_listed.tolist() == [1, 2, 2]
    assert twice.query.tolist() == [0, 1, 1, 2, 2]
    assert twice.of("topically_relevant").tolist() == [0, 1, 0, 1, 0]
    assert JudgedAnswers.from_labels(helpful=[1, 0]).take(np.array([1, 1])).of("helpful").tolist() == [0, 0]


def test_a_wrong_fast_way_of_annotations_is_seen(monkeypatch):
    monkeypatch.setattr(Panels, "take", lambda self, _: self)
    panels = Panels.from_lists(2, topically_relevant=[[1, 0], [1], [0]])
    wrong = Resampling(np.array([[1, 0, 2]], np.uint8), 0)
    declared = METRICS["rag.topical_precision_at_k"]
    asked = {0: Asked(declared, {}, panels, {}, declared(panels), "annotated_queries")}
    units = Units(np.arange(3), np.zeros(3, np.uint64), "queries")
    replicates = GroupReplicates(units, None, wrong, None, None)
    assert replicates.of(asked)[0].tolist() != replicates.one_at_a_time(asked)[0].tolist()


def test_every_product_of_an_evaluation_has_one_thread(monkeypatch):
    """Agreement too is drawn within the limit: threads that wait for each other cost time."""
    threads = set()
    totals = PostValues.totals

    def counted(values, weights):
        threads.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return totals(values, weights)

    monkeypatch.setattr(PostValues, "totals", counted)
    with threadpool_limits(2, user_api="blas"):
        evaluate(annotated(), by=("language",), bootstrap=N_REPLICATES)
    assert threads == {1}
