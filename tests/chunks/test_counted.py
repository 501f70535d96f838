"""Ranked queries that are alike are one where nothing is drawn: values, notes and figures stay."""

import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import Report, evaluate, evaluate_files, load
from evalcore.catalog import METRICS
from evalcore.evaluation.lists import at_every_k, first_gold, list_differences, lists_by_group, n_shorter
from evalcore.evaluation.values import measure, of_tally
from evalcore.metrics.classification.discrimination import (
    auroc_off_by,
    average_precision_off_by,
    pair_auprc,
    pair_auroc,
)
from evalcore.quantiles import counted_values, exact_sum, quantiles, standard_deviation
from evalcore.selection_sweep import k_eff_histogram
from evalcore.spec import PerQuery, Ratio, Undefined, metric
from evalcore.tallies.counted_pairs import CountedPairs
from evalcore.tallies.counted_queries import CountedQueries, with_times
from evalcore.tallies.decisions import Confusion
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable, ScoredRows, ScoreTable
from evalcore.tasks import drawings
from tests.support.but_long import but_long

KS = (1, 2, None)


def candidates(n_posts: int = 40, n_lists: int = 9, seed: int = 5) -> pa.Table:
    """Lists of one to four candidates with ties and grades, of which a few kinds come again and again."""
    rng = np.random.default_rng(seed)
    kinds = []
    for _ in range(n_lists):
        n = int(rng.integers(1, 5))
        kinds.append((rng.integers(0, 3, n), np.round(rng.random(n), 1)))
    rows = [
        (f"s{post}", ("A.2", "A.10")[one], f"c{at}", int(grade), score, ("north", "south")[post % 2])
        for post in range(n_posts)
        for one in range(2)
        for at, (grade, score) in enumerate(zip(*kinds[int(rng.integers(n_lists))], strict=True))
    ]
    names = ("post_id", "criterion_id", "sent_uid", "is_gold", "score", "site")
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


def both(table: pa.Table, folder, **how) -> tuple[Report, Report]:
    """What a table gives as a whole and in chunks."""
    folder.mkdir(exist_ok=True)
    pq.write_table(table, folder / "table.parquet")
    of_whole = evaluate(load(folder), **how)
    return of_whole, evaluate_files(folder, chunk_rows=11, **how)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    return both(candidates(), tmp_path_factory.mktemp("in"), by=("site",), bootstrap=0, ks=KS)


def ranked(report: Report) -> RankedQueries:
    return report.gathered.lists.lists["score"].ranked


@pytest.mark.parametrize("ties", but_long(["trec", "expected"], 1))
def test_counts_give_the_table_of_single_queries(ties, tmp_path):
    how = {"by": ("site", "criterion"), "bootstrap": 0, "ks": KS, "ties": ties}
    of_whole, in_chunks = both(candidates(), tmp_path, **how)
    assert isinstance(ranked(in_chunks), CountedQueries)
    assert in_chunks.table.to_csv() == of_whole.table.to_csv()


def test_what_is_kept_grows_with_the_kinds_of_queries_and_not_with_the_queries(tmp_path):
    few, many = (both(candidates(n), tmp_path / str(n), bootstrap=0, ks=(1,))[1] for n in (60, 240))
    assert (ranked(few).total, ranked(many).total) == (120, 480)
    assert len(few.gathered.lists) == len(many.gathered.lists) <= 18


def test_queries_that_differ_in_anything_are_kept_apart(reports):
    """Each as many as there are, whatever their order: the planted fault would be a column left out."""
    of_whole, in_chunks = (ranked(one) for one in reports)
    each = in_chunks.each()
    for names in (
        ("n_gold", "n_ranked", "n_candidates"),
        ("rank", "tie_start", "tie_size", "tie_golds", "grade"),
    ):
        expected, found = (
            sorted(zip(*(getattr(one, name).tolist() for name in names), strict=True))
            for one in (of_whole, each)
        )
        assert found == expected


@pytest.mark.parametrize("key", [one.key for one in METRICS.values() if one.takes_counted])
def test_a_metric_that_takes_counts_says_of_them_what_it_says_of_each(key, reports):
    counted, one = ranked(reports[1]), METRICS[key]
    assert isinstance(counted, CountedQueries)
    for variant in one.variants or ("",):
        given = {"variant": variant} if variant else {}
        for k in KS:
            expected = measure(one, counted.each(), {"k": k, **given}, with_spread=True)
            assert measure(one, counted, {"k": k, **given}, with_spread=True) == expected


def test_figures_and_tables_of_lists_are_those_of_single_queries(reports):
    of_whole, in_chunks = reports
    a, b = ({"score": ranked(one)} for one in reports)
    assert at_every_k(a, KS).to_csv() == at_every_k(b, KS).to_csv()
    assert first_gold(a)["score"].n.tolist() == first_gold(b)["score"].n.tolist()
    assert list_differences(*a.values(), *a.values()).equals(list_differences(*b.values(), *b.values()))
    assert n_shorter(a["score"], 3) == n_shorter(b["score"], 3) > 0
    bars = [k_eff_histogram(one["score"], 3) for one in (a, b)]
    for of in fields(bars[0]):
        np.testing.assert_array_equal(*(getattr(one, of.name) for one in bars))
    groups = [
        lists_by_group(report.gathered.lists, one, "site", 2)
        for report, one in zip(reports, (a, b), strict=True)
    ]
    assert groups[0].equals(groups[1])
    drawn = [
        [(one.key, one.title, one.draw(dark=False).plotly().to_json()) for one in drawings(report)]
        for report in (of_whole, in_chunks)
    ]
    assert drawn[0] == drawn[1] != []


def test_counted_queries_are_saved_and_opened(reports, tmp_path):
    again = Report.load(reports[1].save(tmp_path / "report.evalcore"))
    np.testing.assert_array_equal(ranked(again).times, ranked(reports[1]).times)
    assert again.table.to_csv() == reports[1].table.to_csv()


@pytest.fixture
def planted():
    """Metrics that nobody prepared for: values of queries, one of the whole, and of each other tally."""
    facts = {
        "formula": "?",
        "undefined": (Undefined(lambda _: False, "never"),),
        "bounds": (0, math.inf),
        "better": "lower",
        "source": "a test",
        "population": "all_queries",
    }

    def planted_ranks(queries: RankedQueries):
        """The ranks of all golds together."""
        return float(queries.rank.sum() + len(queries))

    def planted_lengths(queries: RankedQueries):
        """How long lists are."""
        return PerQuery(queries.n_ranked * 0.1)

    def planted_pairs(table: PairTable):
        """The highest score of a gold."""
        return float(table.score[table.n_pos > 0].max())

    def planted_distance(table: ScoreTable):
        """How many distinct scores there are."""
        return float(len(table.score))

    def planted_calls(counts: Confusion):
        """Checks that are called."""
        return Ratio(counts.true_pos + counts.false_pos, counts.total)

    before = dict(METRICS)
    for family, function in (
        ("ranking", planted_ranks),
        ("ranking", planted_lengths),
        ("ranking", planted_pairs),
        ("calibration", planted_distance),
        ("classification", planted_calls),
    ):
        own = {"remark": lambda queries, **_: f"of {len(queries)}"} if function is planted_ranks else {}
        metric(family=family, label=f"Planted {function.__name__}", **facts, **own)(function)
    of_tally.cache_clear()
    yield
    METRICS.clear()
    METRICS.update(before)
    of_tally.cache_clear()


def queries(n: int = 60) -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "post_id": [f"p{at // 2}" for at in range(n)],
            "criterion_id": ["AB"[at % 2] for at in range(n)],
            "has_evidence": (rng.random(n) < 0.4).astype(int),
            "probability": np.round(rng.random(n), 2),
            "site": ["ns"[at // 2 % 2] for at in range(n)],
        }
    )


@pytest.mark.parametrize("bootstrap", [0, 100])
@pytest.mark.parametrize("table", [candidates, queries])
@pytest.mark.usefixtures("planted")
def test_a_metric_that_nobody_prepared_for_goes_through_chunks(table, bootstrap, tmp_path):
    of_whole, in_chunks = both(table(), tmp_path, by=("site",), bootstrap=bootstrap, ks=(1,))
    assert in_chunks.table.to_csv() == of_whole.table.to_csv()
    found = in_chunks.table[in_chunks.table.metric.str.startswith("planted")]
    assert set(found.group) >= {"", "n", "s"} or set(found.group) >= {"", "north", "south"}
    assert not found[found.group == ""].value.isna().any()
    of_lists = {"planted_ranks", "planted_lengths", "planted_pairs"} if table is candidates else set()
    assert set(found.metric) == {"planted_distance", "planted_calls", *of_lists}
    is_own = (found.group == "") & ~found.params.str.contains("stat=")
    remarks = found[is_own & (found.metric == "planted_ranks")].note
    assert list(remarks) == (["of 80"] if table is candidates else [])


@pytest.mark.usefixtures("planted")
def test_a_share_of_queries_keeps_them_one_by_one_for_its_bounds(tmp_path):
    def planted_share(queries: RankedQueries):
        """Whether a query has gold."""
        return PerQuery((queries.n_gold > 0) * 1.0)

    facts = {"formula": "?", "undefined": (), "bounds": (0, 1), "better": "lower", "source": "a test"}
    metric(family="ranking", label="Share", population="all_queries", is_share=True, **facts)(planted_share)
    of_tally.cache_clear()
    of_whole, in_chunks = both(candidates(), tmp_path, bootstrap=0, ks=(1,))
    assert not isinstance(ranked(in_chunks), CountedQueries)
    assert in_chunks.table.to_csv() == of_whole.table.to_csv()


def test_sums_of_counted_values_are_rounded_once():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=50) * 10.0 ** rng.integers(-12, 12, 50), [0.0, 0.1, 1 / 3]])
    times = rng.integers(1, 40, len(values))
    repeated = np.repeat(values, times)
    assert exact_sum(values, times) == math.fsum(repeated.tolist()) == exact_sum(repeated)
    many = np.array([(1 << 40) + 3, (1 << 27) - 1])
    fractions = [0.1, -1 / 3]
    exact = sum((Fraction(one) * n for one, n in zip(fractions, many.tolist(), strict=True)), Fraction(0))
    assert exact_sum(np.array(fractions), many) == float(exact)
    ordered, n = counted_values(repeated)
    again, of_counts = counted_values(values, times)
    assert ordered.tolist() == again.tolist()
    assert n.tolist() == of_counts.tolist()
    shares = (0.0, 0.1, 0.5, 0.77, 1.0)
    assert quantiles(ordered, shares, n) == quantiles(np.sort(repeated), shares)
    assert standard_deviation(ordered, n) == pytest.approx(float(np.std(repeated)), rel=1e-12)


def with_noise(table: pa.Table) -> pa.Table:
    """The same with scores of many digits, few of which are apart."""
    noise = np.random.default_rng(3).random(len(table)) * 1e-6
    at = table.column_names.index("score")
    return table.set_column(at, "score", pa.array(np.asarray(table["score"]) + noise))


def test_beyond_the_cap_pairs_come_from_bins_with_a_bound_whatever_the_chunks(monkeypatch, tmp_path):
    table = with_noise(candidates())
    how = {"by": ("site",), "bootstrap": 0, "ks": (1,)}
    of_whole, exact = both(table, tmp_path / "a", **how)
    assert exact.table.to_csv() == of_whole.table.to_csv()
    monkeypatch.setattr("evalcore.tallies.counted_pairs.MOST_DISTINCT", 150)
    assert len(np.unique(table["score"])) > 150
    binned = both(table, tmp_path / "b", **how)[1]
    again = evaluate_files(tmp_path / "b", chunk_rows=190, workers=1, **how)
    assert again.table.to_csv() == binned.table.to_csv()
    is_of_pairs = binned.table.metric.str.startswith("pair_")
    assert binned.table[~is_of_pairs].to_csv() == of_whole.table[~is_of_pairs].to_csv()
    is_own = is_of_pairs & ~binned.table.params.str.contains("stat=")
    overall, exactly = binned.table[is_own], of_whole.table[is_own]
    assert len(overall) == 6
    for note, value, expected in zip(overall.note, overall.value, exactly.value, strict=True):
        bound = float(note.rpartition(" ")[2])
        assert 0 < abs(value - expected) <= bound < 0.2


@pytest.mark.parametrize("first", ["positives", "negatives", "any"])
def test_no_order_within_bins_is_further_off_than_the_bound(first):
    rng = np.random.default_rng(8)
    for _ in range(20):
        label, of_bin = rng.random(60) < 0.3, rng.integers(0, 9, 60)
        place = {"positives": label * 1.0, "negatives": 1.0 - label, "any": rng.random(60)}[first]
        rows, bins = (
            ScoredRows(score, label, np.zeros(60, np.intp), 1)
            for score in (of_bin + (place + 0.01 * rng.random(60)) / 3, of_bin * 1.0)
        )
        exact, binned = PairTable.from_rows(rows), PairTable.from_rows(bins)
        assert abs(pair_auroc(exact) - pair_auroc(binned)) <= auroc_off_by(binned) + 1e-15
        assert abs(pair_auprc(exact) - pair_auprc(binned)) <= average_precision_off_by(binned) + 1e-15


def test_bins_keep_the_order_of_scores():
    score = np.array([-2.0, -1.0, -1.0 + 1e-9, -0.0, 0.0, 1e-300, 0.1, 0.1 + 1e-9, 0.11])
    rows = ScoredRows(score, np.zeros(9, bool), np.arange(9), 9)
    binned = CountedPairs.of(rows, ((),), np.zeros(9, np.int32)).binned()
    assert binned.n_neg.tolist() == [1, 1, 1, 2, 1, 2, 1]
    assert (np.diff(binned.score) > 0).all()


def test_counts_of_kinds_that_were_opened_are_looked_at():
    queries = RankedQueries.from_lists([{"a": 1}, {}], [["a"], ["b"]])
    assert not list(with_times(queries, np.array([1, 2])).flaws(2))
    assert [one.place for one in with_times(queries, np.array([1, 0])).flaws(2)] == ["times"]
