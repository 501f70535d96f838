"""A comparison names a winner only where one is shown: thresholds, directions, tests, numbers and lists."""

from dataclasses import replace

import numpy as np
import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.compare import against_one_scale, answer, answer_of_groups, compare, dropped_in_words
from evalcore.compare.evidence.gates import most_alerts
from evalcore.compare.wording import OPEN, UNDECIDED, answer_of_rows, decided_by, favours, is_clear, standing
from evalcore.figures.comparison import comparison_figure
from evalcore.inference.binomial import Interval
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.spec import METRICS
from tests.support.made.scored_data import data_of
from tests.support.made.two_models import FAST, row_of, two_models

QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n"
RUN_A = "q1 Q0 d1 1 3 A\nq2 Q0 d9 1 3 A\nq2 Q0 d2 2 2 A\nq3 Q0 d3 1 1 A\n"
RUN_B = "q1 Q0 d1 1 3 B\nq2 Q0 d2 1 3 B\n"


def two_scales():
    """Model b is model a on another scale: each score halved. Neither is the better one."""
    rng = np.random.default_rng(0)
    rows = []
    for at in range(200):
        label = int(rng.random() < 0.4)
        score = float(np.clip(rng.normal(0.45 + 0.3 * label, 0.15), 0, 1))
        rows += [(f"s{at}", "A.1", score, label, "", "a"), (f"s{at}", "A.1", score / 2, label, "", "b")]
    return data_of(rows)


def test_one_score_on_two_scales_has_no_winner_by_default():
    result = compare(two_scales(), "a", "b", **FAST)
    for key in ("classification.auroc", "gate.neg_rate", "gate.screening_sensitivity"):
        assert row_of(result, key)["difference"] == 0
    assert row_of(result, "gate.neg_rate")["params"] == "screening_sensitivity=0.995"
    assert set(result.of("gate.alert_precision").index) == set()
    assert "each model at its own τ_neg" in result.notes[0]


def test_the_same_thresholds_are_compared_where_asked_and_name_no_winner():
    result = compare(two_scales(), "a", "b", tau_neg=0.5, tau_pos=0.9, **FAST)
    row = row_of(result, "gate.screening_sensitivity")
    assert row["ci_high"] < 0
    assert is_clear(row)
    assert favours(row) == "differ"
    assert "better: Screening" not in answer(result)
    assert result.notes[0].startswith("Gate: the same thresholds for both, as asked; the scores average 0.5")


def test_each_model_meets_both_targets_at_thresholds_of_its_own():
    result = compare(two_scales(), "a", "b", screening_sensitivity=0.9, alert_precision=0.8, **FAST)
    for key in ("gate.neg_rate", "gate.alerts_per_1000", "gate.alert_recall", "gate.alert_precision"):
        row = row_of(result, key)
        assert row["params"] == "screening_sensitivity=0.9;alert_precision=0.8"
        assert row["difference"] == 0
    assert row_of(result, "gate.alert_precision")["first"] >= 0.8
    assert "and its own τ_pos, " in result.notes[0]


def test_a_metric_of_two_rules_is_told_by_its_rule_and_one_of_one_is_not():
    how = {"screening_sensitivity": 0.9, "alert_precision": 0.8, **FAST}
    said = answer(compare(two_scales(), "a", "b", metrics=["classification.sensitivity", "auroc"], **how))
    assert said == "Without an interval: Sensitivity (screened in); Sensitivity (alert); AUROC."


@pytest.mark.parametrize("seed", range(5))
def test_the_own_alert_threshold_has_the_most_alerts_that_are_right_often_enough(seed):
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(60), 1)
    is_positive = rng.random(60) < score
    for share in (0.5, 0.8, 1.0):
        tau = most_alerts(score, is_positive, share, least=0.2)
        right = {at: is_positive[score >= at].mean() for at in np.unique(score[score >= 0.2])}
        allowed = [at for at, precision in right.items() if precision >= share]
        if not allowed:
            assert tau is None
            continue
        assert (score >= tau).sum() == (score >= min(allowed)).sum()
        assert tau >= 0.2


def test_a_model_that_never_reaches_the_precision_raises_no_alert_and_none_is_compared():
    rows = [
        (f"s{at}", "A.1", score, at % 2, "", model)
        for at in range(100)
        for model, score in (("a", 0.9 if at % 2 else 0.1), ("b", 0.5))
    ]
    result = compare(data_of(rows), "a", "b", alert_precision=0.9, **FAST)
    assert set(result.of("gate.alert_precision").index) == set()
    assert ", and its own τ_pos, 0." in result.notes[0]
    assert " and none, with the most alerts" in result.notes[0]


@pytest.mark.parametrize("name", ["screening_sensitivity", "alert_precision"])
def test_targets_and_thresholds_are_not_asked_for_together(name):
    with pytest.raises(InputError) as error:
        compare(two_scales(), "a", "b", tau_neg=0.1, tau_pos=0.2, **{name: 0.9}, **FAST)
    assert [one.code for one in error.value.problems] == ["OPT-008"]
    with pytest.raises(InputError) as error:
        compare(two_scales(), "a", "b", **{name: 1.5}, **FAST)
    assert [one.code for one in error.value.problems] == ["OPT-003"]


def test_one_score_halved_is_another_scale_and_a_score_like_it_is_not():
    assert "they promise 5" in against_one_scale(two_scales(), "a", "b")
    assert against_one_scale(two_models(n_posts=40), "a", "b") == ""


def test_thresholds_that_the_rows_state_are_not_taken_for_both_models():
    data = two_scales()
    stated = {"tau_neg": np.full(400, 0.5), "tau_pos": np.full(400, 0.9)}
    result = compare(data.with_tables(queries=replace(data.queries, numbers=stated)), "a", "b", **FAST)
    assert row_of(result, "gate.neg_rate")["params"] == "screening_sensitivity=0.995"


@pytest.mark.parametrize("key", ["neg_rate", "uncertain_rate", "pos_rate", "alerts_per_1000"])
def test_more_or_less_work_is_not_better_in_itself(key):
    assert METRICS[f"gate.{key}"].better == "neither"


def test_each_metric_has_its_own_n():
    data = two_models(n_posts=40)
    result = compare(data, "a", "b", tau_neg=0.3, tau_pos=0.6, **FAST)
    queries = data.queries
    of = [queries.model == code for code in range(2)]
    n_alerts = [int((queries.score[one] >= 0.6).sum()) for one in of]
    n_positive = int(queries.has_evidence[of[0]].sum())
    numbers = {
        key: tuple(row_of(result, key)[["n", "n_first", "n_second"]])
        for key in ("classification.auroc", "gate.screening_sensitivity", "gate.alert_precision")
    }
    assert numbers == {
        "classification.auroc": (120, 120, 120),
        "gate.screening_sensitivity": (120, n_positive, n_positive),
        "gate.alert_precision": (120, *n_alerts),
    }


def row(**facts):
    usual = {"metric": "classification.auroc", "params": "", "group_by": "", "group": "", "difference": 0.1}
    usual |= {"ci_low": 0.01, "ci_high": 0.2, "p": 0.01, "p_holm": float("nan")}
    return {**usual, "n_positive": 50, "n_first": 90, "n_second": 90, **facts}


@pytest.mark.parametrize(
    ("facts", "words", "decided"),
    [
        ({}, "b is better", ""),
        ({"p": 0.08}, UNDECIDED, "p = 0.080: the test decided"),
        (
            {"group_by": "fold", "p": 0.02, "p_holm": 0.06},
            UNDECIDED,
            "p = 0.020, 0.060 after Holm: the test decided",
        ),
        ({"ci_low": -0.01}, OPEN, "p = 0.010: the interval decided"),
        ({"ci_low": -0.01, "p": 0.3}, OPEN, ""),
        ({"n_first": 19}, "Fewer than 20 cases, no verdict", ""),
    ],
)
def test_an_interval_that_excludes_nothing_is_never_called_compatible_with_it(facts, words, decided):
    assert standing(row(**facts), "a", "b") == words
    assert decided_by(row(**facts)) == decided


def test_the_figure_does_not_call_it_compatible_either():
    figure = comparison_figure(
        ["x"],
        np.array([0.1]),
        Interval(np.array([0.01]), np.array([0.2])),
        ["undecided"],
        first="a",
        second="b",
        title="difference, b − a",
    )
    assert [trace.name for trace in figure.data] == ["not 0 by its interval, but no verdict"]


def test_the_figure_calls_too_few_cases_no_verdict_as_the_answer_does():
    names = {}
    for kind in ("few", "without", "open"):
        limits = Interval(np.array([-0.1]), np.array([0.2]))
        title = "difference, b − a"
        figure = comparison_figure(["x"], np.array([0.1]), limits, [kind], first="a", second="b", title=title)
        names[kind] = figure.data[0].name
        assert figure.layout.meta["description"].startswith(f"{title}: 1 differences")
        assert "0 of them away from 0." in figure.layout.meta["description"]
    assert names == {
        "few": "too few cases, no verdict",
        "without": "without an interval, no verdict",
        "open": "compatible with no difference",
    }


def test_groups_say_what_the_adjustment_decided():
    result = compare(two_models(n_posts=60, better=0.25), "a", "b", by="criterion", **FAST)
    table = result.table
    of_groups = (table["metric"] == "classification.auroc") & (table["group_by"] == "criterion")
    table.loc[of_groups, ["ci_low", "ci_high", "p", "p_holm"]] = [0.01, 0.2, 0.03, 0.09]
    told = answer_of_groups(result, "classification.auroc", "criterion")
    assert told.startswith("Different after Holm's adjustment over 3 groups: none. The interval excludes 0")
    assert "A.2 (p = 0.030, 0.090 after Holm: the test decided)" in told


def test_systems_say_what_the_adjustment_decided():
    one = {"metric": "helpfulness_rate", "params": "", "n": 50}
    one |= {"difference": 0.1, "ci_low": 0.01, "ci_high": 0.2}
    told = answer_of_rows([{**one, "p": 0.03, "p_holm": 0.2}], "a", "b")
    assert OPEN not in told
    assert "(p = 0.030, 0.200 after Holm: the test decided)" in told


@pytest.fixture
def runs():
    files = {"x.qrels": QRELS, "a.run": RUN_A, "b.run": RUN_B}
    return evalcore.load([Upload(name, text.encode()) for name, text in files.items()])


def test_a_topic_that_one_run_lacks_counts_0_as_when_it_is_evaluated(runs):
    result = compare(runs, "A", "B", **FAST)
    mrr = row_of(result, "ranking.mrr")
    assert mrr[["first", "second", "difference"]].tolist() == pytest.approx([5 / 6, 2 / 3, -1 / 6])
    assert (mrr["n"], mrr["n_positive"]) == (3, 3)
    table = evalcore.evaluate(runs).table
    own = table[(table["metric"] == "mrr") & (table["params"] == "")]
    own = own[own["population"] == "positives_only"]
    assert own.set_index("model")["value"][["A", "B"]].tolist() == [mrr["first"], mrr["second"]]
    assert dropped_in_words(result.shared[0], "A", "B") == (
        "3 queries with gold compared; none fell out. B has no list for 1 of them: an empty list, which "
        "finds "
        "nothing, unless only shared ones are compared."
    )


def test_only_shared_topics_are_compared_where_asked(runs):
    result = compare(runs, "A", "B", shared_only=True, **FAST)
    assert row_of(result, "ranking.mrr")[["first", "second", "difference"]].tolist() == [0.75, 1, 0.25]
    assert dropped_in_words(result.shared[0], "A", "B") == (
        "2 queries with gold compared; 1 fell out: only A has a list for 1, only B has a list for 0, 0 with "
        "another gold."
    )


def test_a_query_that_one_file_does_not_know_counts_as_an_empty_list():
    first, second = (
        evalcore.load([Upload("x.qrels", qrels.encode()), Upload("x.run", run.encode())])
        for qrels, run in ((QRELS, RUN_A), ("q1 0 d1 1\nq2 0 d2 1\n", RUN_B))
    )
    for one, other, expected in ((first, second, [5 / 6, 2 / 3]), (second, first, [2 / 3, 5 / 6])):
        result = compare(one, other=other, **FAST)
        assert row_of(result, "ranking.mrr")[["first", "second"]].tolist() == pytest.approx(expected)
        assert row_of(result, "ranking.mrr")["n"] == 3
    shared = compare(first, other=second, shared_only=True, **FAST)
    assert row_of(shared, "ranking.mrr")["n"] == 2


def test_groups_hold_queries_that_only_the_second_file_knows():
    header = "query_id,gold_ids,retriever_topk,fold\n"
    first, second = (
        evalcore.load(Upload("x.csv", (header + rows).encode()))
        for rows in ("q1,d1,d1,1\n", "q1,d1,d2|d1,1\nq2,d2,d2,1\nq3,d3,d3,2\n")
    )
    result = compare(first, other=second, by="fold", **FAST)
    found = {one["group"]: one for one in result.of("ranking.mrr", group_by="fold").to_dict("records")}
    assert [(name, one["n"], one["first"], one["second"]) for name, one in found.items()] == [
        ("1", 2, 0.5, 0.75),
        ("2", 1, 0.0, 1.0),
    ]


def test_the_command_knows_both_ways_and_the_metrics(tmp_path, capsys):
    for name, text in (("x.qrels", QRELS), ("a.run", RUN_A), ("b.run", RUN_B)):
        (tmp_path / name).write_text(text)
    command = ["compare", str(tmp_path), "--bootstrap", "0", "--permutations", "0"]
    command += ["--metrics", "ranking.mrr"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "0.833  0.667    −0.1667" in printed.out
    assert "ranking.map" not in printed.out
    assert "B has no list for 1 of them" in printed.err
    assert "a.run: a TREC run, its fields by their place" in printed.err
    assert main([*command, "--shared-only"]) == 0
    assert "0.750  1.000    +0.2500" in capsys.readouterr().out


def test_groups_are_told_on_the_command_line(tmp_path, capsys):
    checks = [f"s{at},A.{at % 2 + 1},{at % 3 == 0:d},{(7 * at % 10) / 10}" for at in range(60)]
    rows = "".join(f"{check},{model}\n" for check in checks for model in "ab")
    (tmp_path / "f.csv").write_text("post_id,criterion_id,label,p,model\n" + rows)
    fast = ["--bootstrap", "100", "--permutations", "99", "--metrics", "classification.auroc"]
    assert main(["compare", str(tmp_path / "f.csv"), *fast, "--by", "criterion"]) == 0
    printed = capsys.readouterr().out
    assert "AUROC by criterion: Different after Holm's adjustment over 2 groups: none." in printed


def test_unknown_metrics_are_named_together():
    with pytest.raises(InputError) as error:
        compare(two_models(n_posts=3), "a", "b", metrics=("auroq", "gate.tau", "auprc"), **FAST)
    assert [p.code for p in error.value.problems] == ["OPT-004", "OPT-004"]
    assert [p.found for p in error.value.problems] == ["no metric 'auroq'", "no metric 'gate.tau'"]
    assert "auroc" in str(error.value)


def test_the_command_knows_both_targets(tmp_path, capsys):
    rows = "".join(
        f"s{at},{at % 2},{score},{model}\n"
        for at in range(60)
        for model, score in (("a", 0.9 if at % 2 else 0.1), ("b", 0.8 if at % 2 else 0.2))
    )
    (tmp_path / "f.csv").write_text("post_id,label,p,model\n" + rows)
    how = ["--bootstrap", "0", "--permutations", "0", "--metrics", "gate.alerts_per_1000"]
    assert main(["compare", str(tmp_path / "f.csv"), *how, "--alert-precision", "0.9"]) == 0
    printed = capsys.readouterr()
    assert "alert_precision=0.9" in printed.out
    assert "and its own τ_pos, 0.8 and 0.7" in printed.err
