"""Annotations evaluated: rows with intervals and remarks, breakdowns, coverage, scores of other tools."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.agreement import alphas
from evalcore.annotations import LABELS
from evalcore.evaluation import COLUMNS, group_columns
from evalcore.evaluation.rag.tool_scores import tool_scores
from evalcore.inference.binomial import wilson
from evalcore.problems import InputError
from evalcore.report import report_files
from evalcore.report.layout import by_group, values
from evalcore.report.metrics_json import metrics_json
from evalcore.report.pages import report_html, report_md
from evalcore.tasks import crosschecked
from evalcore.text.numerals import number
from tests.support.inputs import ANNOTATION_EXPORT, CASES
from tests.support.made.annotations import chunk, rag_data, responses_of, rows_of, scores_of


@pytest.fixture
def export():
    """The three files of the invented export, with the ids of their records."""
    folder, ids = ANNOTATION_EXPORT, [f"uuid-q{at}" for at in range(1, 7)]
    parts = [responses_of(task, rows_of(folder / f"{task}.csv", task), ids) for task in LABELS]
    return rag_data(*parts, record_ids=ids)


def only(table, metric, **where):
    """The one row of a metric without spread, of the whole unless a group is named."""
    wanted = {"group_by": "", "variant": None, **where}
    rows = table[(table.metric == metric) & ~table.params.str.contains("stat=")]
    for column, text in wanted.items():
        rows = rows if text is None else rows[rows[column] == text]
    return rows.iloc[0]


def test_shares_have_the_intervals_of_the_annotation_project(export):
    golden = json.loads((ANNOTATION_EXPORT / "expected.json").read_text())["grounding"]
    table = evaluate(export).table
    for name, wanted in golden.items():
        if isinstance(wanted, dict) and "point" in wanted:
            row = only(table, name)
            found = [row.value, row.ci_low, row.ci_high]
            assert np.round(found, 6).tolist() == [wanted["point"], wanted["ci_lower"], wanted["ci_upper"]], (
                name
            )
            assert row.n == wanted["n"]
            assert row.ci_method == f"wilson(n={wanted['n']};sides=2)"


def test_table_has_the_columns_of_every_table_and_all_sixteen_metrics(export):
    table = evaluate(export).table
    assert list(table.columns) == list(COLUMNS)
    assert table.metric.nunique() == 16
    assert set(table.family) == {"rag"}
    params = set(table[table.metric == "ndcg_at_k"].params)
    assert {"", "k=5", "k=5;stat=median;over=queries"} <= params
    assert not {"k=1", "k=10"} & params


def test_remark_says_what_is_left_out_and_what_it_could_change(export):
    row = only(evaluate(export).table, "sufficiency_rate_at_k", params="k=5", variant="present")
    assert row.note == (
        "2 of 3 queries shorter than K = 5; 3 of 4 queries used; 1 incomplete panel skipped; "
        "1 tied label left out (all no: 0.233, all yes: 0.300); "
        "over all 4 queries between 0.250 and 0.312, whatever was not annotated; "
        "weakest agreement α = −0.333 (evidence sufficient, 2 judged twice)"
    )
    row = only(evaluate(export).table, "ndcg_at_k", params="k=5", variant="within_list")
    assert "over all 4 queries 0.547 if the rest were no, 0.573 if yes (no bounds); weakest" in row.note


def test_queries_that_enter_no_fill_are_not_promised():
    rows = [chunk("q1", 1, 1, 1, 0), chunk("q2", 1, None, None, None), chunk("q3", 1, 1, annotator="a")]
    rows += [chunk("q3", 1, 0, annotator="b"), {"record": "q4", "n_retrieved": 0}]
    report = evaluate(rag_data(responses_of("retrieval", rows)))
    row = only(report.table, "topical_precision_at_k", params="k=5", variant="present")
    assert row.n == 1
    assert "1 query without a retrieved chunk, not counted" in row.note
    assert "over 2 of 4 queries between 0.500 and 1.000, whatever was not annotated" in row.note


def test_what_is_left_out_is_told_apart_from_the_agreement(export):
    report = evaluate(export)
    row = only(report.table, "sufficiency_rate_at_k", params="k=5", variant="present")
    rests_on = report.rag.coverage.query("metric == 'sufficiency_rate_at_k' and params == 'k=5'")
    (left_out,) = rests_on.left_out
    assert left_out
    assert row.note == f"{left_out}; {row.note.removeprefix(left_out + '; ')}"
    assert "agreement" not in left_out


def test_treatments_are_variants_of_their_own(export):
    table = evaluate(export).table
    of = table[(table.metric == "sufficiency_rate_at_k") & (table.params == "k=5")]
    values = dict(zip(of.variant, of.value, strict=True))
    assert values["present"] == 0.25
    assert values["present;ties_0"] == pytest.approx(7 / 30)
    assert values["present;ties_1"] == pytest.approx(0.3)
    assert values["present;as_is"] == pytest.approx((0.75 + 1 / 3) / 4)
    assert {"k", "k;ties_0", "present;fill_0", "present;fill_1"} <= set(values)


def test_coverage_in_numbers(export):
    coverage = evaluate(export).rag.coverage
    row = coverage[(coverage.metric == "sufficiency_rate_at_k") & (coverage.params == "k=5")].iloc[0]
    assert (row.n_used, row.n_eligible, row.n_incomplete, row.n_tied, row.n_missing) == (3, 4, 1, 1, 0)
    assert row.is_bounded
    assert (row.fill_0, row.fill_1) == (0.25, 0.3125)
    helpful = coverage[coverage.metric == "helpfulness_rate"].iloc[0]
    assert (helpful.n_used, helpful.n_eligible, helpful.n_tied) == (3, 4, 1)
    assert (helpful.ties_0, helpful.ties_1) == (0.5, 0.75)
    assert not coverage[coverage.metric == "ndcg_at_k"].is_bounded.any()


def test_nothing_cited_has_no_fabrication_rate():
    rows = [{"record": "a", "source_cited": 0, "fabricated_source": 1}]
    row = only(evaluate(rag_data(responses_of("grounding", rows))).table, "conditional_fabrication_rate")
    assert math.isnan(row.value)
    assert row.n == 0
    assert row.note.startswith("no answer cites a source; agreement not measured: source cited: ")
    filled = evaluate(rag_data(responses_of("grounding", rows)), undefined="contract").table
    assert only(filled, "conditional_fabrication_rate").value == 0


def test_missing_label_of_the_file_is_named():
    rows = [{"record": "a", "helpful": 1}]
    row = only(evaluate(rag_data(responses_of("generation", rows))).table, "unsafe_content_rate")
    assert row.note.startswith("the data have no label unsafe_content")


# --- intervals of means ---


def lists_of(n, seed=0):
    rng = np.random.default_rng(seed)
    return [
        chunk(f"q{query}", rank, *rng.integers(0, 2, 3).tolist(), n=3, domain=f"d{query % 4}", language="de")
        for query in range(n)
        for rank in (1, 2, 3)
    ]


def test_means_have_percentile_intervals_over_queries():
    data = rag_data(responses_of("retrieval", lists_of(40)))
    row = only(evaluate(data, bootstrap=500).table, "topical_precision_at_k", params="k=5")
    assert row.ci_low < row.value < row.ci_high
    assert row.ci_method == "cluster_bootstrap(queries=40;B=500;undefined=0;seed=0;sides=2)"
    assert math.isnan(only(evaluate(data).table, "topical_precision_at_k").ci_low)


def test_interval_does_not_depend_on_the_order_of_rows():
    rows = lists_of(12)
    ids = [f"q{at}" for at in range(12)]
    tables = [
        evaluate(rag_data(responses_of("retrieval", given, ids), record_ids=ids), bootstrap=200).table
        for given in (rows, rows[::-1])
    ]
    assert tables[0].to_csv() == tables[1].to_csv()


def test_bootstrap_agrees_with_drawing_queries_by_hand():
    rows = lists_of(60)
    table = evaluate(rag_data(responses_of("retrieval", rows)), bootstrap=4000).table
    row = only(table, "topical_precision_at_k", params="k=5")
    values = np.array([row["topically_relevant"] for row in rows]).reshape(60, 3).mean(axis=1)
    rng = np.random.default_rng(1)
    means = [rng.choice(values, 60).mean() for _ in range(4000)]
    assert [row.ci_low, row.ci_high] == pytest.approx(np.quantile(means, [0.025, 0.975]).tolist(), abs=0.02)


def test_clusters_are_drawn_together():
    data = rag_data(responses_of("retrieval", lists_of(40)))
    table = evaluate(data, bootstrap=500, cluster="domain").table
    assert "domain=4;B=500" in only(table, "topical_precision_at_k").ci_method
    assert only(table, "sufficiency_hit_at_k").ci_method.startswith(("korn_graubard", "strict", "clopper"))


def test_constant_sample_is_not_estimable():
    rows = [chunk(f"q{at}", 1, 1, 1, 0) for at in range(5)]
    row = only(
        evaluate(rag_data(responses_of("retrieval", rows)), bootstrap=200).table, "topical_precision_at_k"
    )
    assert row.value == 1
    assert row.ci_method == "not_estimable(alike_in_replicates;queries=5;B=200;undefined=3;seed=0)"
    assert math.isnan(row.ci_low)
    assert math.isnan(row.ci_high)


# --- breakdowns ---


def test_group_is_the_whole_of_its_rows():
    rows = [{**row, "language": "de" if row["record"] < "q3" else "en"} for row in lists_of(6)]
    whole = evaluate(rag_data(responses_of("retrieval", rows)), by=("language",)).table
    for level in ("de", "en"):
        alone = evaluate(
            rag_data(responses_of("retrieval", [r for r in rows if r["language"] == level]))
        ).table
        group = whole[whole.group == level]
        columns = ["metric", "params", "variant", "value", "n"]
        assert group[columns].values.tolist() == alone[columns].values.tolist()


def test_group_of_a_column_keeps_whole_panels():
    rows = rows_of(CASES / "rag" / "p5_calibration_row_filter.csv", "retrieval")
    wanted = json.loads((CASES / "rag" / "expected.json").read_text())["p5"]["keep_panel"]
    table = evaluate(rag_data(responses_of("retrieval", rows)), by=("calibration",)).table
    group = {"group_by": "calibration", "group": "true"}
    assert only(table, "topical_precision_at_k", **group).value == wanted["precision"]
    assert only(table, "mean_reciprocal_rank_at_k", **group).value == wanted["rr"]


def test_annotators_speak_for_themselves():
    rows = [{"record": "a", "annotator": who, "helpful": said} for who, said in (("x", 1), ("y", 0))]
    data = rag_data(responses_of("generation", rows))
    table = evaluate(data, by=("annotator",)).table
    values = [only(table, "helpfulness_rate", group_by="annotator", group=who).value for who in ("x", "y")]
    assert values == [1, 0]
    assert math.isnan(only(table, "helpfulness_rate").value)
    assert only(evaluate(data, annotators=("y",)).table, "helpfulness_rate").value == 0
    with pytest.raises(InputError, match="found annotators = z, expected one of x, y"):
        evaluate(data, annotators=("z",))


def test_columns_to_break_down_by(export):
    assert group_columns(export) == ["annotator", "calibration"]
    with pytest.raises(InputError, match="OPT-006"):
        evaluate(export, by=("criterion",))


def test_two_columns_also_together():
    data = rag_data(responses_of("retrieval", lists_of(8)))
    table = evaluate(data, by=("language", "domain")).table
    assert "language;domain" in set(table.group_by)
    assert (
        only(table, "topical_precision_at_k", group_by="language;domain", group="de;d1", params="k=5").n == 2
    )


# --- scores of other tools ---


def test_c01_a_missing_score_is_not_a_better_system():
    wanted = json.loads((CASES / "rag" / "expected.json").read_text())["c01"]
    ids, score = scores_of([("A", "q1", 1.0), ("A", "q2", 0.0), ("B", "q1", 1.0), ("B", "q2", math.nan)])
    scores = evaluate(rag_data(record_ids=ids, scores=[score])).rag.scores.set_index("group")
    first, second = scores.loc["A"], scores.loc["B"]
    assert (first["mean"], first.n_scored, first.n_total) == (wanted["A"]["mean"], 2, 2)
    assert (second["mean"], second.n_scored, second.n_total) == (wanted["B"]["mean"], 1, 2)
    assert [second.low, second.high] == wanted["B"]["bounds"]
    assert second.coverage == wanted["B"]["coverage"]
    assert second.note == (
        "1 of 2 scored: between 0.500 and 1.000 whatever the missing scores are; this orders no systems"
    )


def test_c03_few_scores_bound_the_mean_widely():
    wanted = json.loads((CASES / "rag" / "expected.json").read_text())["c03"]
    flaky = [("flaky", f"r{at}", value) for at, value in enumerate([0.9, 0.8, math.nan, math.nan, math.nan])]
    clean = [("clean", f"r{at}", 0.7) for at in range(5)]
    ids, score = scores_of([*flaky, *clean])
    scores = evaluate(rag_data(record_ids=ids, scores=[score])).rag.scores.set_index("group")
    assert scores.loc["flaky"]["mean"] == pytest.approx(wanted["flaky"]["mean"])
    assert [scores.loc["flaky"].low, scores.loc["flaky"].high] == pytest.approx(wanted["flaky"]["bounds"])
    assert scores.loc["clean"]["mean"] == pytest.approx(wanted["clean"]["mean"])
    assert scores.loc["clean"].note == ""


def test_score_without_a_range_has_no_bounds():
    ids, score = scores_of([("A", "q1", 3.0), ("A", "q2", math.nan)], bounds=None)
    row = evaluate(rag_data(record_ids=ids, scores=[score])).rag.scores.iloc[0]
    assert (row["mean"], row.n_scored) == (3, 1)
    assert math.isnan(row.low)
    assert "the score has no range" in row.note


def test_no_score_at_all_is_undefined():
    ids, score = scores_of([("A", "q1", math.nan)])
    row = evaluate(rag_data(record_ids=ids, scores=[score])).rag.scores.iloc[0]
    assert math.isnan(row["mean"])
    assert row.note.startswith("no row has a score")


@pytest.mark.parametrize(
    ("codes", "levels", "expected"),
    [
        ([0, -1, 0, -1], ("A",), [("system", "A", 0.5, 2), ("system", "no system named", 0.25, 2)]),
        ([-1, -1, -1, -1], (), [("", "", 0.375, 4)]),
    ],
)
def test_rows_without_a_system_are_in_the_means(codes, levels, expected):
    ids, score = scores_of([("A", f"q{at}", value) for at, value in enumerate([1.0, 0.5, 0.0, 0.0])])
    score = replace(score, slices={"system": (np.array(codes), levels)})
    found = tool_scores(rag_data(record_ids=ids, scores=[score]).annotations)
    assert [(row.group_by, row.group, row.mean, row.n_total) for row in found] == expected


# --- a second time ---


def test_every_value_is_computed_again(export):
    checked = crosschecked(evaluate(export, ks=(1, 3, 5)).table, export)
    assert checked.missing == ()
    assert len(checked.deviations) == 16
    assert max(deviation.largest for deviation in checked.deviations) < 1e-12


def test_a_wrong_value_is_found(export):
    table = evaluate(export).table
    at = table.index[(table.metric == "ndcg_at_k") & (table.variant == "within_list;ties_1")][0]
    table.loc[at, "value"] += 0.1
    checked = crosschecked(table, export)
    assert [d.key for d in checked.deviations if d.largest > 0.01] == ["rag.ndcg_at_k"]
    assert not checked.holds


def test_wilson_is_that_of_the_library():
    rows = [{"record": str(at), "helpful": int(at < 7)} for at in range(10)]
    row = only(evaluate(rag_data(responses_of("generation", rows))).table, "helpfulness_rate")
    bounds = wilson(7, 10)
    assert (row.ci_low, row.ci_high) == (float(bounds.low), float(bounds.high))


# --- reports ---


def test_reports_show_scores_of_other_tools_and_json_what_values_rest_on():
    ids, score = scores_of([("B", "q1", 1.0), ("B", "q2", math.nan)])
    rows = [{"record": "q1", "helpful": 1}, {"record": "q2", "submitted": False}]
    result = evaluate(rag_data(responses_of("generation", rows, ids), record_ids=ids, scores=[score]))
    written = json.loads(metrics_json(result))
    (told,) = written["tool_scores"]
    assert (told["mean"], told["n_scored"], told["low"]) == (1, 1, 0.5)
    of = {row["metric"]: row for row in written["coverage"]}
    assert (of["helpfulness_rate"]["n_used"], of["helpfulness_rate"]["n_eligible"]) == (1, 2)
    assert of["unsafe_content_rate"]["value"] is None
    line = "| faithfulness | RAGAS | system: B | 1.000 | 1 of 2 | 0.500 to 1.000 | 1 of 2 scored:"
    assert line in report_md(result)
    assert "<td>faithfulness</td><td>RAGAS</td><td>system: B</td>" in report_html(result)


def test_groups_of_a_report_show_default_variants_only(export):
    (section,) = by_group(values(evaluate(export, by=("calibration",))))
    shown = {line.variant for block in section.blocks for line in block.lines}
    assert shown == {"default", "present", "within_list"}


def test_agreement_stands_in_every_file_of_the_report():
    rows = [
        {"record": f"q{at}", "annotator": who, "helpful": said}
        for at, pair in enumerate([(1, 1), (0, 0), (1, 0), (0, 0)])
        for who, said in zip("ab", pair, strict=True)
    ]
    data = rag_data(responses_of("generation", rows))
    report = evaluate(data, bootstrap=200)
    (alpha,) = alphas(data.annotations.responses["generation"], data.annotations.record_ids, n_replicates=200)
    assert report.rag.agreement.to_dict("records")[0]["value"] == alpha.value
    files = report_files(report)
    assert f"{number(alpha.value)}" in files["report.html"].decode()
    assert "Agreement of annotators" in files["report.md"].decode()
    assert json.loads(files["metrics.json"])["agreement"][0]["label"] == "helpful"
    note = report.table.loc[report.table["metric"] == "helpfulness_rate", "note"].iloc[0]
    assert f"weakest agreement α = {number(alpha.value)} (helpful, 4 judged twice)" in note


def test_annotators_do_not_group_queries_and_are_refused_as_clusters():
    rows = [
        {"record": f"q{q}", "annotator": who, "domain": "law", "shift": who, "helpful": 1}
        for q in range(3)
        for who in "ab"
    ]
    data = rag_data(responses_of("generation", rows))
    for column in ("annotator", "shift", "post"):
        with pytest.raises(InputError) as caught:
            evaluate(data, bootstrap=200, cluster=column)
        expected = f"found cluster = {column}, expected a column with one value a query (domain)."
        assert str(caught.value).startswith(expected)


def test_task_without_the_cluster_column_is_told():
    rows = [{"record": f"q{q}", "domain": "law", "helpful": 1} for q in range(3)]
    others = [{"record": f"q{q}", "support_present": 1} for q in range(3)]
    data = rag_data(responses_of("generation", rows), responses_of("grounding", others))
    (warning,) = evaluate(data, bootstrap=200, cluster="domain").warnings
    assert "grounding without the column 'domain' to draw by" in str(warning)
    assert "Its intervals draw queries instead." in str(warning)
