"""Alpha and kappa: by hand, against plain loops and other libraries, and where they are undefined."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from evalcore.agreement import Alpha, alphas, kappas, weakest
from evalcore.annotations import LABELS
from evalcore.catalog import METRICS
from evalcore.drawn.weights import poisson_weights
from tests.support.made.annotated import Row, responses


def coded(codes: dict[str, list[int]], label: str = "source_cited") -> list[Row]:
    """Answer → what the annotators a, b, … say; −1 for nobody."""
    return [
        (item, "", name, {label: code})
        for item, said in codes.items()
        for name, code in zip("abcdefgh", said, strict=False)
        if code >= 0
    ]


def one(codes: dict[str, list[int]], **options) -> Alpha:
    (alpha,) = alphas(*responses(coded(codes)), **options)
    return alpha


def plain_alpha(codes: dict[str, list[int]]) -> float:
    """Every ordered pair of codes of one unit against every ordered pair of codes of any units."""
    units = [[c for c in said if c >= 0] for said in codes.values()]
    units = [said for said in units if len(said) > 1]
    pooled = [c for said in units for c in said]
    observed = sum(sum(a != b for a, b in permutations(said, 2)) / (len(said) - 1) for said in units)
    by_chance = sum(a != b for a, b in permutations(pooled, 2))
    return 1 - observed / len(pooled) / (by_chance / (len(pooled) * (len(pooled) - 1)))


LABEL_NEVER_VARIES = {"1": [1, 1, 1], "2": [1, 1, 1], "3": [1, 1, 1], "4": [1, 1, 1]}
ONE_AMONG_TWELVE = {"1": [0, 0, 0], "2": [0, 0, 0], "3": [0, 0, 0], "4": [0, 0, 1]}
ONE_RATER = {"1": [1], "2": [1], "3": [1], "4": [1]}


def test_a_label_that_never_varies_has_no_alpha_beside_full_agreement() -> None:
    alpha = one(LABEL_NEVER_VARIES)
    assert math.isnan(alpha.value)
    assert alpha.reason == "label never varies"
    assert alpha.observed_agreement == 1
    assert math.isnan(alpha.low)
    assert alpha.ci_method == ""


def test_one_disagreement_among_twelve_codes_is_exactly_no_better_than_chance() -> None:
    alpha = one(ONE_AMONG_TWELVE)
    assert alpha.value == 0.0
    assert alpha.observed_agreement == pytest.approx(10 / 12, abs=1e-15)
    assert (alpha.n_units, alpha.n_pairable, alpha.n_codes, alpha.n_annotators) == (4, 4, 12, 3)


def test_one_rater_has_no_alpha_and_nothing_pairable() -> None:
    alpha = one(ONE_RATER)
    assert math.isnan(alpha.value)
    assert math.isnan(alpha.observed_agreement)
    assert (alpha.n_units, alpha.n_pairable, alpha.n_annotators) == (4, 0, 1)
    assert alpha.reason == "no unit has two codes"


def test_perfect_agreement_on_a_label_that_varies_is_one_without_an_interval() -> None:
    alpha = one({"1": [1, 1], "2": [0, 0], "3": [1, 1]})
    assert alpha.value == 1
    assert math.isnan(alpha.low)
    assert alpha.ci_note == "interval not estimable: every resample gives the same value"


def test_discarded_responses_and_units_with_one_code_do_not_enter() -> None:
    rows = [*coded({"1": [1, 0], "2": [0, 0]}), ("2", "", "c", None), ("3", "", "a", {"source_cited": 1})]
    (alpha,) = alphas(*responses(rows))
    assert alpha.value == one({"1": [1, 0], "2": [0, 0]}).value
    assert (alpha.n_units, alpha.n_pairable, alpha.n_codes, alpha.n_records) == (3, 2, 4, 2)


def test_what_a_discarded_response_says_counts_nowhere() -> None:
    given, ids = responses(coded({"1": [1, 0, 1], "2": [0, 0, 0], "3": [1, 1, 0]}))
    discarded = replace(given, is_submitted=given.annotator < 2)
    without = given.where(given.annotator < 2)
    assert alphas(discarded, ids) == alphas(without, ids) != alphas(given, ids)
    assert kappas(discarded) == kappas(without)


PANELS = st.dictionaries(
    st.integers(0, 99).map(str), st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=5), max_size=8
)


@settings(max_examples=60, deadline=None)
@given(PANELS)
def test_alpha_is_that_of_every_pair_of_codes(codes: dict[str, list[int]]) -> None:
    if not coded(codes):
        return
    pooled = {c for said in codes.values() if sum(c >= 0 for c in said) > 1 for c in said if c >= 0}
    alpha = one(codes, n_replicates=0)
    if len(pooled) < 2:
        assert math.isnan(alpha.value)
        assert alpha.reason
    else:
        assert alpha.value == pytest.approx(plain_alpha(codes), abs=1e-12)
        assert alpha.reason == ""


def test_alpha_on_complete_panels_follows_from_fleiss_kappa() -> None:
    said = np.random.default_rng(3).integers(0, 2, (40, 3))
    kappa = fleiss_kappa(np.column_stack([3 - said.sum(1), said.sum(1)]))
    n_codes = said.size
    expected = kappa + (1 - kappa) / n_codes
    assert one({str(i): row.tolist() for i, row in enumerate(said)}).value == pytest.approx(
        expected, abs=1e-12
    )


def clustered(n_records: int, seed: int) -> list[Row]:
    """Three chunks a record, all three easy or all three hard to agree on."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for record in range(n_records):
        is_hard = rng.random() < 0.5
        for chunk in range(3):
            truth = int(rng.random() < 0.4)
            for name in "abc":
                says = int(rng.random() < 0.5) if is_hard else truth
                rows.append((f"q{record}", f"q{record}-{chunk}", name, {"misleading": says}))
    return rows


def test_the_order_of_rows_and_codes_changes_no_bit() -> None:
    rows = clustered(25, 1)
    first = alphas(*responses(rows, task="retrieval"), n_replicates=200)
    assert alphas(*responses(rows[::-1], task="retrieval"), n_replicates=200) == first
    assert alphas(*responses(rows, task="retrieval"), n_replicates=200, seed=1) != first


def test_the_interval_is_that_of_alphas_recomputed_on_drawn_records() -> None:
    rows = clustered(12, 2)
    (alpha,) = alphas(*responses(rows, task="retrieval"), n_replicates=60, seed=5)
    ids = list(dict.fromkeys(row[0] for row in rows))
    values = []
    for drawn in poisson_weights(ids, seed=5, start=0, stop=60):
        codes = {
            f"{chunk}.{copy}": [row[3]["misleading"] for row in rows if row[1] == chunk]
            for record, weight in zip(ids, drawn, strict=True)
            for chunk in dict.fromkeys(row[1] for row in rows if row[0] == record)
            for copy in range(weight)
        }
        values.append(plain_alpha(codes))
    assert [alpha.low, alpha.high] == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-12)
    assert alpha.ci_method == "cluster_bootstrap(records=12;B=60;undefined=0;seed=5;sides=2)"


def test_chunks_drawn_by_record_are_less_certain_than_chunks_drawn_apart() -> None:
    given = responses(clustered(60, 3), task="retrieval")
    (by_record,), (by_unit,) = (alphas(*given, draw=draw) for draw in ("records", "units"))
    assert by_record.value == by_unit.value
    assert by_record.high - by_record.low > 1.15 * (by_unit.high - by_unit.low)
    assert by_unit.ci_method.startswith("cluster_bootstrap(units=180;")


def test_one_record_gives_no_interval() -> None:
    alpha = one({"1": [0, 1, 1]})
    assert alpha.value == 0
    assert alpha.ci_note == "interval not estimable: fewer than two records"


# Cohen's kappa


@settings(max_examples=60, deadline=None)
@given(PANELS)
@pytest.mark.filterwarnings("ignore")
def test_kappa_is_that_of_scikit_learn(codes: dict[str, list[int]]) -> None:
    rows = coded(codes)
    if not rows:
        return
    for kappa in kappas(responses(rows)[0]):
        a, b = "abcdefgh".index(kappa.annotator_a), "abcdefgh".index(kappa.annotator_b)
        shared = [(s[a], s[b]) for s in codes.values() if len(s) > b and s[a] >= 0 and s[b] >= 0]
        assert kappa.n_shared == len(shared)
        if not shared:
            assert kappa.reason == "no shared units"
        elif len({code for pair in shared for code in pair}) < 2:
            assert kappa.reason == "label never varies"
            assert kappa.observed_agreement == 1
            assert math.isnan(kappa.value)
        else:
            assert kappa.value == pytest.approx(cohen_kappa_score(*zip(*shared, strict=True)), abs=1e-12)


def test_kappa_names_pairs_in_the_order_of_text_whatever_the_order_of_rows() -> None:
    rows = coded({"1": [1, 0, 1], "2": [0, 0, 1]})
    found = kappas(responses(rows)[0])
    assert [(k.annotator_a, k.annotator_b) for k in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert kappas(responses(rows[::-1])[0]) == found
    assert found[0].value == 0  # b says no to everything


# What a metric rests on, and what a report states


def test_every_metric_of_document_003_rests_on_labels_of_document_003() -> None:
    known = {label for labels in LABELS.values() for label in labels}
    rests_on = [metric.labels for metric in METRICS.values() if metric.labels]
    assert len(rests_on) == 16
    assert {label for labels in rests_on for label in labels} == known


def test_the_weakest_alpha_names_the_labels_that_have_none() -> None:
    rows = [
        (item, "", name, {"source_cited": cited, "fabricated_source": 0, "support_present": int(item == "1")})
        for item, name, cited in (("1", "a", 1), ("1", "b", 0), ("2", "a", 0), ("2", "b", 0))
    ]
    found = alphas(*responses(rows))
    least = weakest(found, METRICS["rag.conditional_fabrication_rate"].labels)
    assert (least.label, least.value, least.n_pairable) == ("source_cited", found[0].value, 2)
    assert least.without_alpha == {"fabricated_source": "label never varies"}
    assert weakest(found, ["support_present", "source_cited"]).label == "source_cited"
    none = weakest(found, ["fabricated_source"])
    assert math.isnan(none.value)
    assert none.reason == "fabricated source: label never varies"
