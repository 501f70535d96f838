"""The first pages of a report: what a reader who answers for a choice is told before the appendix."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from evalcore import choose_operating_point, evaluate
from evalcore.__main__ import main
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.figures.drawing import LIGHT, Plain, drawn, line
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.operating_point.document.canonical import id_of, json_text
from evalcore.report import layout, report_files, report_html, report_md
from evalcore.report.point_page.facts import targets
from evalcore.report.reader import FEW_POSITIVES, LONGEST_VERDICT, MOST_GROUPS, first_pages, rows_of
from evalcore.report.svg import svg
from evalcore.tasks import drawings
from tests.support.made.documents import rehashed
from tests.support.made.evidence import make_data, make_queries, with_hospitals

N_POSTS, CRITERIA = 120, ("A.1", "A.2", "A.9")


@pytest.fixture(scope="module")
def data() -> Data:
    """Two models, three criteria; in A.9 evidence scores low, and there is little of it."""
    generator = np.random.default_rng(5)
    n = N_POSTS * len(CRITERIA)
    posts = [f"p{post}" for post in range(N_POSTS) for _ in CRITERIA]
    criteria = list(CRITERIA) * N_POSTS
    rate = np.where(np.array(criteria) == "A.9", 0.08, 0.4)
    label = generator.random(n) < rate
    score = np.clip(generator.normal(np.where(label, 0.7, 0.3), 0.2), 0, 1)
    score[label & (np.array(criteria) == "A.9")] *= 0.3
    split = ["tune" if int(post[1:]) % 2 else "test" for post in posts]
    return make_data(
        make_queries(
            [*label.astype(int), *label.astype(int)],
            [*score, *generator.random(n)],
            posts=posts * 2,
            criteria=criteria * 2,
            models=["gate"] * n + ["other"] * n,
            slices={"split": split * 2},
        )
    )


def test_rows_are_counted_by_split_and_once_for_all_models(data: Data) -> None:
    queries = data.queries
    assert queries is not None
    split = np.array(queries.slices["split"][1])[queries.slices["split"][0]]
    first = queries.model == 0
    counted = {one.part: one for one in rows_of(evaluate(data))}
    assert set(counted) == {"tune", "test"}
    for part, one in counted.items():
        own = first & (split == part)
        assert one.n_checks == own.sum()
        assert one.n_positive == queries.has_evidence[own].sum()
        assert one.n_posts == len(np.unique(queries.post[own]))


def test_the_worst_group_is_first_and_a_small_one_is_told_apart(data: Data) -> None:
    report = evaluate(data, by=("criterion",), tau_neg=0.2, tau_pos=0.8)
    (groups,) = first_pages(report, layout.values(report)).groups
    assert groups.label == "Screening sensitivity"
    assert groups.lines[0].group == "A.9"
    assert groups.lines[0].is_small
    of_gate = [one.values[0].value for one in groups.lines if one.values[0] is not None]
    assert of_gate == sorted(of_gate)
    table = report.table[(report.table.metric == "screening_sensitivity") & (report.table.model == "gate")]
    by_group = dict(zip(table.group, table.value, strict=True))
    assert [by_group[one.group] for one in groups.lines] == of_gate
    assert all(int(one.n) < FEW_POSITIVES for one in groups.lines if one.is_small)


def test_undefined_groups_are_last_and_many_are_counted() -> None:
    n = 40
    groups = [f"hospital {at % (MOST_GROUPS + 3)}" for at in range(n)]
    labels = [0 if group == "hospital 0" else at % 2 for at, group in enumerate(groups)]
    own = make_data(make_queries(labels, np.linspace(0, 1, n).tolist(), slices={"hospital": groups}))
    report = evaluate(own, by=("hospital",), tau_neg=0.2, tau_pos=0.8)
    (shown,) = first_pages(report, layout.values(report)).groups
    assert (len(shown.lines), shown.n_more) == (MOST_GROUPS, 3)
    assert "hospital 0" not in [one.group for one in shown.lines]


def test_targets_and_verdicts_are_those_of_the_document(data: Data) -> None:
    point = choose_operating_point(
        data, model="gate", tune="tune", test="test", screening_sensitivity=0.8, alert_precision=0.5
    )
    report = evaluate(data, tau_neg=point.tau_neg, tau_pos=point.tau_pos)
    html, text = (maker(report, point=point) for maker in (report_html, report_md))
    first, appendix = html.replace("\N{NO-BREAK SPACE}", " ").split('id="appendix"')
    for claim in point.document["claims"]:
        assert f'<td class="verdict {claim["verdict"]}">' in first
        assert claim["text"].split(" on ")[0] in first
        assert claim["text"] in unescape(appendix)
        assert claim["text"].split(".")[0].split("%")[0] in text
    assert point.status in first
    assert "No operating point was named" not in first


def test_however_many_marked_groups_fall_short_a_verdict_takes_a_few_lines() -> None:
    """One is named, the others are counted; in full the verdict stands in the appendix."""
    given, marks = with_hospitals()
    point = point_from_thresholds(
        given, 0.5, 0.8, tune="tune", test="test", screening_sensitivity=0.5, must_not_miss=marks
    )
    report = evaluate(given, by=("hospital", "split"), tau_neg=point.tau_neg, tau_pos=point.tau_pos)
    found = first_pages(report, layout.values(report), point)
    assert f"{marks[0][1]}, test" in [one.group for one in found.groups[-1].lines]
    first_drawn = [one.key for one in drawings(report, thresholds_of="model") if one.is_first]
    assert first_drawn == ["roc", "reliability-0", "distribution-0", "net-benefit-0"], (
        "one without criteria too"
    )
    verdicts = [one["verdict"] for one in found.targets]
    assert verdicts[0].startswith("not met for hospital = ")
    assert f"{len(marks) - 1} more marked groups fall short; all checks together: met" in verdicts[0]
    assert max(map(len, verdicts)) <= LONGEST_VERDICT
    html = unescape(report_html(report, point=point)).replace("\N{NO-BREAK SPACE}", " ")
    first, appendix = html.split('id="appendix"')
    assert verdicts[0] in first
    for _, level in marks[:2]:
        assert f"not met for hospital = {level}" in appendix
    above_limits = first.split('id="limits"')[0]
    assert sum(f"not met for hospital = {level}" in above_limits for _, level in marks) == 1
    assert targets(point.document)[0]["verdict"].count("not met for") == 3, "as the point is printed"


def test_without_a_document_no_verdict_is_claimed(data: Data) -> None:
    first = report_html(evaluate(data, tau_neg=0.2, tau_pos=0.8)).split('id="appendix"')[0]
    assert "No operating point was named" in first
    assert " met" not in first


def test_guideline_figures_stand_before_the_appendix_for_one_model(data: Data) -> None:
    report = evaluate(data, tau_neg=0.2, tau_pos=0.8)
    first = [one.key for one in drawings(report, thresholds_of="other") if one.is_first]
    assert first == ["roc", "reliability-1", "distribution-1", "net-benefit-1"]  # two lines of two
    before, after = report_html(report, drawn=drawings, thresholds_of="other").split('id="appendix"')
    assert len(re.findall("<svg", before)) == 2 * len(first)  # once for paper
    assert before.count('class="on-paper"') == len(first)
    assert len(re.findall("<svg", after)) == len(drawings(report)) - len(first)


def test_what_stands_first_is_in_the_table_to_the_bit(data: Data) -> None:
    report = evaluate(data, tau_neg=0.2, tau_pos=0.8)
    first = first_pages(report, layout.values(report))
    assert first.models == ("gate", "other")
    keys = [one.key for lines in first.headlines.values() for one in lines]
    assert {"classification.auroc", "calibration.ece", "gate.screening_sensitivity"} <= set(keys)
    assert not [key for key in keys if key.startswith("multilabel.")]
    for one in (one for lines in first.headlines.values() for one in lines):
        for model, value in zip(first.models, one.values, strict=True):
            assert value is not None
            assert value.value == report.value(one.key, model=model)


def test_a_line_that_leaves_its_axes_is_cut_there() -> None:
    def figure(low: float) -> Plain:
        layout = {"yaxis": {"range": [low, 1]}, "xaxis": {"range": [0, 1]}}
        trace = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0.0, 0.9], "line": line(LIGHT, 0)}
        return drawn([trace], LIGHT, "A line.", layout)

    assert '<clipPath id="own-panel-0">' in svg(figure(0.5), key="own")
    assert "clip" not in svg(figure(0), key="own")


def test_a_document_of_other_rows_has_no_verdict_on_these(data: Data) -> None:
    point = choose_operating_point(
        data, model="gate", tune="tune", test="test", screening_sensitivity=0.8, alert_precision=0.5
    )
    others = evaluate(
        replace(data, sources=tuple(replace(one, sha256="0" * 64) for one in data.sources)),
        tau_neg=point.tau_neg,
        tau_pos=point.tau_pos,
    )
    first = report_html(others, point=point).split('id="appendix"')[0]
    assert "chosen on other rows" in first
    assert f"{data.sources[0].name} (SHA-256 {data.sources[0].sha256[:12]}" in first
    for said in (*(one["text"] for one in point.document["claims"]), *point.document["limits"]):
        assert said.split(":")[0] not in first


def test_evaluate_refuses_a_document_whose_numbers_are_not_those_of_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["post_id,criterion_id,has_evidence,probability"]
    rows += [f"p{at},A.1,{at % 2},{(at % 10) / 10}" for at in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    source, point = str(tmp_path / "rows.csv"), tmp_path / "point.json"
    assert main(["choose", source, "--screening-sensitivity", "0.5", "--point", "--out", str(point)]) < 2
    document = json.loads(point.read_text())
    document["data"][0]["row_ids_sha256"] = "0" * 64
    document["id"] = id_of(document)
    point.write_text(json_text(rehashed(document)))
    capsys.readouterr()
    out = tmp_path / "report"
    assert main(["evaluate", source, "--point", str(point), "--out", str(out)]) == 2
    assert "DOC-" in capsys.readouterr().err
    assert not out.exists()


def test_evaluate_at_a_document_says_its_verdicts(tmp_path: Path) -> None:
    rows = ["post_id,criterion_id,has_evidence,probability"]
    rows += [f"p{at},A.1,{at % 2},{(at % 10) / 10}" for at in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    source, point = str(tmp_path / "rows.csv"), str(tmp_path / "point.json")
    assert main(["choose", source, "--screening-sensitivity", "0.5", "--point", "--out", point]) < 2
    assert main(["evaluate", source, "--point", point, "--out", str(tmp_path / "report")]) == 0
    stated = OperatingPoint.load(Path(point))
    report = json.loads((tmp_path / "report" / "metrics.json").read_text())
    assert report["options"]["tau_neg"] == stated.tau_neg
    assert stated.document["claims"][0]["text"].split(":")[0] in (
        tmp_path / "report" / "report.md"
    ).read_text().replace("\\", "")


def test_a_document_and_a_threshold_are_not_taken_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "rows.csv", "--point", "p.json", "--tau-neg", "0"]) == 2
    assert "OPT-008" in capsys.readouterr().err


def test_the_same_report_makes_the_same_first_pages(data: Data) -> None:
    again = [report_files(evaluate(data, by=("criterion",), tau_neg=0.2, tau_pos=0.8)) for _ in range(2)]
    assert again[0] == again[1]


CELL = re.compile(r'<td class="value" title="([^"]*)">([^<]*)')


def test_every_value_of_a_report_is_written_as_its_declaration_says(data: Data) -> None:
    """A share of cases is a percentage in every table, and nothing else is."""
    html = report_html(evaluate(data, tau_neg=0.2, tau_pos=0.8, by=("criterion",)))
    lines = re.findall(r'<tr><th scope="row" title="([a-z_]+\.[a-z0-9_]+)">(.*?)</tr>', html, re.DOTALL)
    shown = [(METRICS[key], text) for key, row in lines for _, text in CELL.findall(row)]
    assert len({metric.key for metric, _ in shown}) > 20
    wrong = {(metric.key, text) for metric, text in shown if metric.is_percent != text.endswith(" %")}
    assert not {one for one in wrong if "points" not in one[1]}  # of a spread
    assert any(metric.is_percent for metric, _ in shown)


def test_axes_of_shares_are_written_as_shares_in_the_text(data: Data) -> None:
    report = evaluate(data, tau_neg=0.2, tau_pos=0.8)
    ticks = re.findall(r">(\d+(?:\.\d+)?.?%)<", report_html(report, drawn=drawings, thresholds_of="other"))
    assert {"0\u00a0%", "100\u00a0%"} <= {*ticks}
    assert [one for one in ticks if one[-2] not in " \u00a0"] == []
    for one in drawings(report):
        said = one.draw(dark=False).plotly().to_json()
        assert not re.search(r"\.\d%\}", said), one.key
