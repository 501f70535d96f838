"""Ranking against trec_eval: published outputs, runs full of ties, and pytrec_eval on random runs."""

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from evalcore.metrics import ranking as r
from tests.support.inputs import GOLDEN
from tests.support.made.rankings import ranked

Qrels = dict[str, dict[str, int]]
Rows = list[tuple[str, str, float]]
Golden = dict[str, dict[str, float]]

HALF_A_DIGIT = 0.5000001e-4  # outputs are printed to four digits


def read_qrels(file: Path, least: int = 1) -> Qrels:
    """Topic → document → grade, from grade ``least`` on; a topic may be left with no gold."""
    golds: Qrels = defaultdict(dict)
    for line in file.read_text().splitlines():
        if not line.startswith("#"):
            topic, _, document, grade = line.split()
            golds[topic].update({document: int(grade)} if int(grade) >= least else {})
    return golds


def read_run(file: Path) -> Rows:
    """Topic, document and score of each line."""
    fields = [line.split() for line in file.read_text().splitlines() if not line.startswith("#")]
    return [(topic, document, float(score)) for topic, _, document, _, score, *_ in fields]


def read_output(file: Path) -> Golden:
    """Measure → topic or ``all`` → value."""
    golden: Golden = defaultdict(dict)
    for line in file.read_text().splitlines():
        measure, topic, value = line.split()
        if re.fullmatch(r"-?[\d.]+", value):
            golden[measure][topic] = float(value)
    return golden


def per_topic(measure: str, queries, graded=None):
    """trec_eval's measure from ours, or None where it is not ours; nDCG takes the ``graded`` tally."""
    name, _, k_text = re.fullmatch(r"(\w+?)(_(\d+))?", measure).groups()
    k = int(k_text) if k_text else None
    graded = queries if graded is None else graded
    ours = {
        "num_ret": lambda: queries.n_ranked,
        "num_rel": lambda: queries.n_gold,
        "P": lambda: r.precision(queries, k=k, variant="k").values,
        "recall": lambda: r.recall(queries, k=k).values,
        "success": lambda: r.hit_rate(queries, k=k).values,
        "map_cut": lambda: r.average_precision(queries, k=k, variant="gold").values,
        "ndcg_cut": lambda: r.ndcg(graded, k=k, variant="linear").values,
        "map": lambda: r.average_precision(queries, k=None).values,
        "ndcg": lambda: r.ndcg(graded, k=None, variant="linear").values,
        "recip_rank": lambda: r.mrr(queries, k=None).values,
        "set_P": lambda: r.precision(queries, k=None).values,
        "set_recall": lambda: r.recall(queries, k=None).values,
    }
    with_k = {"P", "recall", "success", "map_cut", "ndcg_cut"}
    return ours[name]() if name in ours and (name in with_k) == (k is not None) else None


def compared(golden: Golden, topics: list[str], queries, graded=None) -> set[str]:
    """Assert that every measure of ours agrees to the digits printed; the measures compared."""
    checked = set()
    for measure, printed in golden.items():
        values = per_topic(measure, queries, graded) if re.fullmatch(r"\w+", measure) else None
        if values is None:
            continue
        checked.add(measure)
        ours = dict(zip(topics, values, strict=True))
        ours["all"] = sum(values) if measure.startswith("num_") else np.mean(values)
        for topic, value in printed.items():
            assert ours[topic] == pytest.approx(value, abs=HALF_A_DIGIT), (measure, topic)
    return checked


TREC_EVAL = GOLDEN / "trec_eval"
TIES = GOLDEN / "ties"
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
ALL_OURS = {
    *("map", "ndcg", "recip_rank", "num_ret", "num_rel", "set_P", "set_recall"),
    *("success_1", "success_5", "success_10"),
    *(f"{name}_{k}" for name in ("P", "recall", "map_cut", "ndcg_cut") for k in CUTS),
}


@pytest.mark.parametrize(
    ("output", "run"),
    [("out.test.a", "results.test"), ("out.test.aq", "results.test"), ("out.test.aqc", "results.trunc")],
)
def test_published_outputs(output, run):
    # results.trunc has nothing for topic 302, which counts 0 (trec_eval -c).
    golds = read_qrels(TREC_EVAL / "qrels.test")
    queries = ranked(golds, read_run(TREC_EVAL / run))
    assert compared(read_output(TREC_EVAL / output), list(golds), queries) == ALL_OURS


def test_published_output_with_other_cut_offs():
    golds = read_qrels(TREC_EVAL / "qrels.test")
    queries = ranked(golds, read_run(TREC_EVAL / "results.test"))
    checked = compared(read_output(TREC_EVAL / "out.test.meas_params"), list(golds), queries)
    others = {"ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23", "success_2", "success_5", "success_20"}
    assert checked == {"P_3", "P_5", "P_7", "recall_20", "recall_2000", *others}


def test_published_output_of_the_first_hundred():
    golds = read_qrels(TREC_EVAL / "qrels.test")
    first = []
    for topic in golds:
        rows = [row for row in read_run(TREC_EVAL / "results.trunc") if row[0] == topic]
        first += sorted(rows, key=lambda row: (row[2], row[1]), reverse=True)[:100]
    golden = read_output(TREC_EVAL / "out.test.aqcM")
    assert compared(golden, list(golds), ranked(golds, first)) == ALL_OURS


def test_published_output_at_a_level_of_relevance():
    # -l 2: a document is relevant from grade 2 on, while nDCG takes every grade as its gain.
    qrels, run = TREC_EVAL / "qrels.rel_level", read_run(TREC_EVAL / "results.test")
    graded, relevant = read_qrels(qrels), read_qrels(qrels, least=2)
    golden = read_output(TREC_EVAL / "out.test.aql")
    assert compared(golden, list(relevant), ranked(relevant, run), ranked(graded, run)) == ALL_OURS


def test_published_output_of_graded_passages(shared):
    folder = shared / "golden" / "trec" / "trec_eval_10"
    golds = read_qrels(folder / "qrels.comment.test")
    rows = [row for row in read_run(folder / "results.comment.test") if row[0] in golds]
    golden = read_output(folder / "out.comment.test")
    checked = compared(golden, list(golds), ranked(golds, rows))
    assert checked == {"map", "recip_rank", "num_ret", "num_rel", *(f"P_{k}" for k in CUTS)}


@pytest.mark.parametrize("run", ["ties", "allties", "near_f32"])
def test_runs_full_of_ties_equal_trec_eval_10(run):
    golds = read_qrels(TREC_EVAL / "qrels.test")
    queries = ranked(golds, read_run(TIES / f"{run}.run"))
    assert compared(read_output(TIES / f"oracle_v10_{run}.run.txt"), list(golds), queries) == ALL_OURS


def test_near_ties_are_told_apart_where_trec_eval_9_could_not():
    golds = read_qrels(TREC_EVAL / "qrels.test")
    queries = ranked(golds, read_run(TIES / "near_f32.run"))
    old = read_output(TIES / "oracle_v908_near_f32.run.txt")
    assert abs(r.mrr(queries, k=None).values[0] - old["recip_rank"]["301"]) > HALF_A_DIGIT


@pytest.mark.parametrize("grades", [1, 3])
def test_random_runs_with_ties_equal_pytrec_eval(grades):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    rng = np.random.default_rng(7)
    golds, rows = {}, []
    for query in (f"q{n:03d}" for n in range(200)):
        n_listed = int(rng.integers(1, 40))
        listed = [f"s{n}" for n in rng.permutation(60)[:n_listed]]
        rows += [
            (query, item, float(score))
            for item, score in zip(listed, rng.integers(0, 12, n_listed), strict=True)
        ]
        golds[query] = {
            f"s{n}": int(rng.integers(1, grades + 1)) for n in rng.permutation(60)[: rng.integers(1, 25)]
        }
    run = defaultdict(dict)
    for query, item, score in rows:
        run[query][item] = score
    ks = "1,2,3,5,10,20,100"
    asked = {
        "map",
        "ndcg",
        "recip_rank",
        *(f"{m}.{ks}" for m in ("P", "recall", "map_cut", "ndcg_cut", "success")),
    }
    theirs = pytrec_eval.RelevanceEvaluator(golds, asked).evaluate(run)
    queries = ranked(golds, rows)
    for measure in theirs["q000"]:
        expected = [theirs[query][measure] for query in golds]
        np.testing.assert_allclose(per_topic(measure, queries), expected, rtol=0, atol=1e-12, err_msg=measure)
