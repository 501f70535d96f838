"""A metric that no one prepared for is in every report format, the reference and the tables of pages."""

import math
import re
from html import unescape

import numpy as np
import pytest

import evalcore
from evalcore import Report, evaluate
from evalcore.ablation import ablation, steps_of
from evalcore.catalog import METRICS, describe
from evalcore.documentation import metrics_page
from evalcore.evaluation.lists import at_every_k, list_differences, lists_by_group, selection_values
from evalcore.evaluation.values import of_tally
from evalcore.mlflow import metrics_of
from evalcore.report import NAMES, MetricsFile, as_text, layout, metrics_json, report_files
from evalcore.report.metrics_csv import metrics_csv
from evalcore.report.reader import first_pages
from evalcore.report.writeup import report_writeup
from evalcore.spec import PerQuery, Ratio, Undefined, metric
from evalcore.tallies.decisions import Confusion, StateCounts
from evalcore.tallies.judgements import JudgedAnswers
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.recommended import RecommendationLists
from evalcore.tallies.scores import ScoreTable
from evalcore.tallies.selections import Selections
from evalcore.tasks import crosschecked
from pages.shared.results.tables import IN_FULL, value_table
from tests.support.made.annotations import rag_data, responses_of
from tests.support.opened import session_on
from tests.support.recommending import TEST, TRAIN, loaded

CANDIDATES = "post_id,criterion_id,site,sent_uid,is_gold,score\n" + "".join(
    f"p{post},A.{criterion},{'ab'[post % 2]},s{at},{int(at == post % 3)},{0.1 + 0.2 * at + 0.01 * post:.2f}\n"
    for post in range(6)
    for criterion in (1, 2)
    for at in range(4)
)
QUERIES = "post_id,criterion_id,has_evidence,probability,selected_k\n" + "".join(
    f"p{post},A.{criterion},{int((post + criterion) % 3 == 0)},{(post + criterion) / 9:.2f},{post % 3}\n"
    for post in range(6)
    for criterion in (1, 2)
)
LABELS = (
    "Planted share@K",
    "Planted ranks",
    "Planted selection",
    "Planted distance",
    "Planted calls",
    "Planted readers",
    "Planted answers",
    "Planted places@K",
)
GATE = {"tau_neg": 0.3, "tau_pos": 0.6}
PARAMS = {"classification": ("threshold", "rule"), "gate": ("tau_neg", "tau_pos")}
EVIDENCE = ("ranking", "extraction", "calibration", "classification", "gate")


@pytest.fixture
def planted():
    """A metric of each family but that of posts, of counts without a better direction and shown first."""
    never = (Undefined(lambda _: False, "never"),)
    facts = {
        "formula": "?",
        "undefined": never,
        "bounds": (0, math.inf),
        "better": "lower",
        "source": "a test",
    }

    def planted_share(queries: RankedQueries, *, k: int | None):
        """Queries whose gold stands first."""
        return PerQuery((queries.n_gold > 0) * (1.0 if k is None else 1 / k))

    def planted_ranks(queries: RankedQueries):
        """How many ranks hold a gold."""
        return float(len(np.unique(queries.rank)))

    def planted_selection(selections: Selections):
        """Twice the number selected."""
        return PerQuery(2.0 * selections.n_selected)

    def planted_distance(table: ScoreTable):
        """How many distinct scores there are."""
        return float(len(table.score))

    def planted_calls(counts: Confusion):
        """Checks that are called."""
        return Ratio(counts.true_pos + counts.false_pos, counts.total)

    def planted_readers(counts: StateCounts):
        """Checks that somebody reads."""
        return Ratio(counts.total - counts.n_neg, counts.total)

    def planted_answers(answers: JudgedAnswers):
        """Answers of two."""
        return PerQuery(np.full(len(answers), 0.5))

    def planted_places(lists: RecommendationLists, *, k: int | None):
        """Places that are taken."""
        return PerQuery(np.minimum(lists.n_ranked, k or 1) / (k or 1))

    of_queries = ("positives_only", "all_queries")
    before = dict(METRICS)
    for family, function, population, label in (
        ("ranking", planted_share, of_queries, LABELS[0]),
        ("ranking", planted_ranks, "all_queries", LABELS[1]),
        ("extraction", planted_selection, "all_queries", LABELS[2]),
        ("calibration", planted_distance, "all_queries", LABELS[3]),
        ("classification", planted_calls, "all_queries", LABELS[4]),
        ("gate", planted_readers, "all_queries", LABELS[5]),
        ("rag", planted_answers, "annotated_answers", LABELS[6]),
        ("recommender", planted_places, "users_with_list", LABELS[7]),
    ):
        own = dict(facts)
        if function in (planted_share, planted_places):
            own |= {"params": ("k",), "is_cut": True, "chapter": "Accuracy"}
        if function is planted_share:
            own |= {"headline": ("steps",)}
        if function in (planted_calls, planted_readers):
            own |= {"headline": ("family",), "better": "neither", "params": PARAMS[family]}
        metric(family=family, population=population, label=label, **own)(function)
    of_tally.cache_clear()
    yield {key: one for key, one in METRICS.items() if key not in before}
    METRICS.clear()
    METRICS.update(before)
    of_tally.cache_clear()


@pytest.fixture
def data(tmp_path):
    """Scores, selections and lists of the same queries."""
    (tmp_path / "queries.csv").write_text(QUERIES)
    (tmp_path / "candidates.csv").write_text(CANDIDATES)
    return evalcore.load([tmp_path / "queries.csv"], candidates=tmp_path / "candidates.csv")


def said(app) -> str:
    """Everything of a page but its frames, as a person reads it."""
    bodies = " ".join(str(one.value) for one in [*app.get("html"), *app.markdown, *app.caption])
    return unescape(re.sub(r"<[^>]+>", " ", bodies))


def in_frames(app) -> set[str]:
    """What stands in the column of metrics of every frame of a page."""
    frames = [one.value for one in app.dataframe]
    return {name for frame in frames if "metric" in frame for name in frame["metric"]}


def test_it_has_a_line_in_every_format_of_a_report(planted, data):
    report = evaluate(data, by=("site",), bootstrap=100, **GATE)
    planted = {key: one for key, one in planted.items() if one.family in EVIDENCE}
    files = {name: text.decode() for name, text in report_files(report).items()}
    files["terminal"] = as_text(report)
    assert set(files) == {*NAMES, "terminal"} - {"predicted_labels.csv"}
    for key, one in planted.items():
        for name in ("metrics.csv", "metrics.json", "terminal"):
            assert one.name in files[name], (key, name)
        for name in ("report.html", "report.md", "tables.tex"):
            assert one.label.removesuffix("@K") in files[name], (key, name)


@pytest.mark.usefixtures("planted")
def test_what_stands_first_by_declaration_is_on_the_first_pages_of_a_report(data):
    report = evaluate(data, **GATE)
    found = first_pages(report, layout.values(report)).headlines
    shown = {line.label for lines in found.values() for line in lines}
    assert {LABELS[4], LABELS[5]} <= shown
    assert not {LABELS[2], LABELS[3]} & shown


def test_it_is_kept_in_a_saved_report_and_a_cross_check_names_it(planted, data):
    report = evaluate(data, by=("site",), bootstrap=100, **GATE)
    assert metrics_csv(Report.from_bytes(report.to_bytes())) == metrics_csv(report)
    found = crosschecked(report.table, data, tau_neg=GATE["tau_neg"])
    assert not found.holds
    assert found.missing == tuple(key for key, one in planted.items() if one.family in EVIDENCE)


def test_a_metrics_file_has_it_where_it_is_known_and_elsewhere(planted, data):
    report = evaluate(data, by=("site",), bootstrap=100, **GATE)
    planted = {key for key, one in planted.items() if one.family in EVIDENCE}
    raw = metrics_json(report).encode()
    found = MetricsFile.from_bytes(raw)
    assert found.table.equals(report.table)
    assert all(one.is_declared for one in found.values())
    for key in planted:
        del METRICS[key]
    found = MetricsFile.from_bytes(raw)
    assert found.table.equals(report.table)
    unknown = [one for one in found.values() if not one.is_declared]
    assert {f"{one.family}.{one.metric}" for one in unknown} == planted
    shown = value_table(unknown, IN_FULL)
    assert set(shown["metric"]) == {key.partition(".")[2] for key in planted}
    assert shown["n"].tolist() == [one.n for one in unknown]
    assert "" not in set(shown["value"])


def test_it_is_written_up_where_it_stands_first(planted, data):
    report = evaluate(data, bootstrap=100, **GATE)
    told = report_writeup(report)["methods_and_results.md"].decode()
    for label, key in ((LABELS[4], "classification.planted_calls"), (LABELS[5], "gate.planted_readers")):
        assert key in planted
        (one,) = [row for row in layout.values(report) if row.declared.key == key and not row.is_spread][:1]
        assert re.search(rf"{label}\b[^\n]*{re.escape(one.text)}", told), label
    assert LABELS[2] not in told


def test_a_run_of_mlflow_is_given_it(planted, data):
    report = evaluate(data, bootstrap=100, **GATE)
    named = metrics_of(report)
    for key in (key for key, one in planted.items() if one.family in EVIDENCE):
        found = [name for name in named if name == key or name.startswith(f"{key}/")]
        assert found, key
        assert any(named[name] == report.value(key) for name in found), key
    assert "gate.planted_readers/ci_low" in named


def test_it_is_described_in_the_reference(planted):
    page = metrics_page()
    for key, one in planted.items():
        assert f"### `{key}`" in page
        assert one.summary in describe(one)
    app = session_on("pages/common/reference.py").run()
    assert not app.exception
    assert {one.label.split(" &ensp;")[0] for one in app.expander} >= set(LABELS)


@pytest.mark.usefixtures("planted")
def test_lists_differences_groups_and_steps_have_it(data):
    lists = {name: RankedQueries.from_rankings(data.rankings, name) for name in data.rankings.lists}
    (one,) = lists.values()
    assert set(at_every_k(lists).metric) >= {"planted_share", "planted_ranks"}
    differences = list_differences(one, one, ks=(10,)).set_index("metric")
    assert differences.loc["planted_share", ["difference", "n_equal"]].tolist() == [0, one.n_gold.sum()]
    assert differences.loc["planted_ranks", "difference"] == 0
    assert differences.n_better.isna()["planted_ranks"]
    assert set(lists_by_group(data.rankings, lists, "site", 10)) >= {"planted_share", "planted_ranks"}
    assert "ranking.planted_share" in set(ablation(steps_of(data)).table.metric)
    assert selection_values(Selections.of_first(one, np.full(len(one), 2)))["planted_selection"].value == 4


@pytest.mark.usefixtures("planted")
def test_a_better_query_is_one_with_a_lower_value_where_lower_is_better():
    gold = [{"a": 1}, {"a": 1}]

    def lower_is_better(queries: RankedQueries):
        """The rank of the first gold."""
        return PerQuery(queries.rank[queries.first].astype(float))

    facts = METRICS["ranking.planted_ranks"]
    metric(
        family="ranking", label="Rank", formula="?", population="all_queries", undefined=facts.undefined,
        bounds=(0, math.inf), better="lower", source="a test",
    )(lower_is_better)  # fmt: skip
    first = RankedQueries.from_lists(gold, [["b", "a"], ["a", "b"]])
    second = RankedQueries.from_lists(gold, [["a", "b"], ["a", "b"]])
    row = list_differences(first, second, ks=(1,)).set_index("metric").loc["lower_is_better"]
    assert row[["difference", "n_better", "n_worse", "n_equal"]].tolist() == [-1 / 2, 1, 0, 1]


@pytest.mark.usefixtures("planted")
def test_the_ranking_page_shows_it_without_an_edit(data):
    app = session_on("pages/evidence/ranking.py")
    give_data(app, data)
    assert {"Planted share", "Planted ranks"} <= in_frames(app)
    assert app.segmented_control(key="ranking_metric").value == "ndcg"
    app.segmented_control(key="ranking_metric").set_value("planted_ranks").run()
    assert not app.exception
    assert "Planted ranks over K" in [one.value for one in app.header]


@pytest.mark.usefixtures("planted")
def test_the_selection_page_shows_it_without_an_edit(data):
    app = session_on("pages/evidence/selection.py")
    give_data(app, data)
    assert "Planted selection" in said(app)


@pytest.mark.usefixtures("planted")
def test_the_calibration_page_shows_it_without_an_edit(data):
    app = session_on("pages/evidence/calibration.py")
    give_data(app, data)
    assert "Planted distance" in said(app)
    assert "How many distinct scores there are" in said(app)


@pytest.mark.usefixtures("planted")
def test_the_overview_of_annotations_shows_it_without_an_edit():
    app = session_on("pages/rag/rag_overview.py")
    rows = [{"record": at, "annotator": who, "helpful": 1} for at in "abc" for who in "xy"]
    give_data(app, rag_data(responses_of("generation", rows, list("abc")), record_ids=list("abc")))
    assert "Planted answers" in said(app)


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("page", ["overview", "k", "users"])
def test_pages_of_recommendations_show_it_without_an_edit(page):
    app = session_on(f"pages/recommender/recommender_{page}.py")
    give_data(app, loaded(test=TEST, train=TRAIN))
    offered = [name for kind in ("selectbox", "multiselect") for one in app.get(kind) for name in one.options]
    assert "Planted places" in said(app) or any("Planted places" in name for name in offered)


def give_data(app, data) -> None:
    """Open the page on these data."""
    from pages.shared.data import session
    from pages.shared.tasks import PAGES

    app.session_state[PAGES[data.task].slot] = session.SessionData(
        data, "given.csv", is_sample=False, key=data.digest
    )
    app.run()
    assert not app.exception
