"""The Report page, through app.py: nothing before it is asked for, then the files that the core writes."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.__main__ import main
from evalcore.evaluation.gathering.evidence import parts_of
from evalcore.evaluation.steps import n_steps
from evalcore.operating_point import point_from_thresholds
from evalcore.readers import Upload
from evalcore.report import drawings
from pages.shared.data import session
from pages.shared.point.exporting import KEPT

ROOT = Path(__file__).resolve().parents[3]
HEADER = "post_id,criterion_id,has_evidence,probability\n"
TINY = HEADER + "p1,A.10,1,0.1\np1,A.2,0,0.9\np2,A.10,0,0.4\np2,A.2,1,0.95\n"
ONE_CLASS = HEADER + "p1,A.1,0,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\n"
LISTS = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,d3,d1|d2\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Report page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    return app.switch_page("pages/evidence/report.py")


def give(app: AppTest, text: str) -> evalcore.data.Data:
    """Open the page on these data, at 0.3 and 0.8."""
    data = evalcore.load([Upload("given.csv", text.encode())])
    app.session_state["data_in_use"] = session.SessionData(
        data, "given.csv", is_sample=False, key=data.digest
    )
    app.query_params["tau"] = ["0.3", "0.8"]
    app.run()
    assert not app.exception
    return data


def files_of(report: evalcore.Report) -> dict[str, bytes]:
    """The files of a report, and the one that opens again."""
    return {**evalcore.report.report_files(report), "report.evalcore": report.to_bytes()}


def make(app: AppTest) -> AppTest:
    """Press the button."""
    app.button(key="report_make").click().run()
    assert not app.exception
    return app


def kept(app: AppTest, name: str) -> object:
    """The last result of this name in the session."""
    return list(app.session_state[f"memo_{name}"].values())[-1]


def test_nothing_is_computed_before_it_is_asked_for(app: AppTest) -> None:
    give(app, TINY)
    assert "memo_report" not in app.session_state
    assert len(app.get("plotly_chart")) == len(app.get("download_button")) == 0


def test_files_are_those_of_the_core_at_the_thresholds_of_the_session(app: AppTest) -> None:
    data = give(app, TINY)
    app.multiselect(key="report_by").set_value(["criterion"]).run()
    make(app)
    expected = evalcore.evaluate(data, tau_neg=0.3, tau_pos=0.8, by=("criterion",))
    files = kept(app, "report_files")
    assert files == files_of(expected)
    names = ["metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex", "report.evalcore"]
    assert list(files) == names
    assert [one.label for one in app.get("download_button")] == list(files)
    assert len(app.get("plotly_chart")) == len(drawings(expected)) > 5


def test_with_the_document_of_its_thresholds_it_says_what_the_command_line_says(
    app: AppTest, tmp_path: Path
) -> None:
    data = give(app, TINY)
    told = "\n".join(one.value for one in app.get("html"))
    assert "No document of these thresholds was exported or opened here" in told
    assert "export them on the Operating point page first" in told
    point = point_from_thresholds(data, 0.3, 0.8, author="Dr. A", screening_sensitivity=0.5)
    app.session_state[KEPT] = (data.digest, point)
    app.run()
    assert point.document["id"] in "\n".join(one.value for one in app.get("html"))
    make(app)
    files = kept(app, "report_files")
    (tmp_path / "given.csv").write_text(TINY, encoding="utf-8")
    point.save(tmp_path / "point.json")
    arguments = ["evaluate", str(tmp_path / "given.csv"), "--point", str(tmp_path / "point.json")]
    assert main([*arguments, "--out", str(tmp_path / "report")]) == 0
    for name in ("report.html", "report.md", "metrics.csv", "metrics.json", "tables.tex"):
        assert files[name] == (tmp_path / "report" / name).read_bytes()
    assert point.summary.splitlines()[0] in files["report.md"].decode()


def test_a_document_of_other_thresholds_or_data_is_not_said(app: AppTest) -> None:
    data = give(app, TINY)
    for owner, tau_neg in ((data.digest, 0.2), ("other data", 0.3)):
        app.session_state[KEPT] = (owner, point_from_thresholds(data, tau_neg, 0.8))
        app.run()
        assert "No document of these thresholds" in "\n".join(one.value for one in app.get("html"))


def test_the_breakdown_stands_in_the_address(app: AppTest) -> None:
    app.query_params["by"] = "criterion"
    app.run()
    assert app.multiselect(key="report_by").value == ["criterion"]
    app.multiselect(key="report_by").set_value([]).run()
    assert "by" not in app.query_params


@pytest.mark.parametrize("name", ["fills", "bootstrap"])
def test_a_switch_stands_in_the_address_and_begins_as_it_says(app: AppTest, name: str) -> None:
    app.query_params[name] = "yes"
    app.run()
    assert app.toggle(key=f"report_{name}").value
    app.toggle(key=f"report_{name}").set_value(False).run()
    assert name not in app.query_params
    app.toggle(key=f"report_{name}").set_value(True).run()
    assert "yes" in app.query_params[name]


def test_values_can_be_broken_down_by_the_states_of_the_session(app: AppTest) -> None:
    data = give(app, TINY)
    app.multiselect(key="report_by").set_value(["state"]).run()
    make(app)
    expected = evalcore.evaluate(data, tau_neg=0.3, tau_pos=0.8, by=("state",))
    assert kept(app, "report_files") == files_of(expected)
    assert {"NEG", "POS"} <= set(expected.table.group)


def test_toggle_fills_undefined_values(app: AppTest) -> None:
    give(app, ONE_CLASS)
    assert "n/a: no row with evidence" in shown_values(make(app))
    app.toggle(key="report_fills").set_value(True).run()
    assert len(app.get("download_button")) == 0  # other options: asked for anew
    assert kept_value(make(app), "auroc") == 0.5


def shown_values(app: AppTest) -> str:
    """All tables as text."""
    return "\n".join(one.value.to_string() for one in app.dataframe)


def kept_value(app: AppTest, metric: str) -> float:
    """The overall value of a metric in the report of the session."""
    return float(kept(app, "report").value(f"classification.{metric}"))


def test_lists_alone_make_a_report(app: AppTest) -> None:
    give(app, LISTS)
    make(app)
    assert len(app.get("plotly_chart")) == 2
    assert len(app.get("download_button")) == 6


def test_sample_report_has_all_figures_and_is_remembered(app: AppTest) -> None:
    app.run()
    make(app)
    report = kept(app, "report")
    assert report.options.tau_neg == float(app.session_state["operating_point"].tau_neg)
    assert len(app.get("plotly_chart")) == len(drawings(report)) > 10
    assert app.session_state["operating_point"].tested is None
    assert b"Only queries of the split tune are counted here." in kept(app, "report_files")["report.md"]
    told = "Thresholds chosen for gnn_gate; another model’s scores may be on another scale."
    noted = [one for one in drawings(report, thresholds_of="gnn_gate") if one.note == told]
    assert sum(told in one.value for one in app.get("html")) == len(noted) > 0
    assert told.encode() in kept(app, "report_files")["report.html"]
    assert told in kept(app, "report_files")["report.md"].decode().replace("\\", "")
    assert report.table.n[report.table.metric == "auroc"].max() == 7_390
    app.run()
    assert kept(app, "report") is report


def clustered() -> str:
    """Thirty posts of two criteria in five folds, some evidence in most."""
    rng = np.random.default_rng(11)
    lines = ["post_id,criterion_id,fold,has_evidence,probability"]
    for post in range(30):
        for criterion in ("A.1", "A.2"):
            score = rng.random()
            lines.append(f"p{post},{criterion},{post % 5},{int(rng.random() < score)},{score:.3f}")
    return "\n".join(lines) + "\n"


@pytest.mark.long
def test_files_with_bootstrap_intervals_are_those_of_the_command(app: AppTest, tmp_path: Path) -> None:
    give(app, clustered())
    app.multiselect(key="report_by").set_value(["criterion"]).run()
    assert app.toggle(key="report_bootstrap").value is False
    app.toggle(key="report_bootstrap").set_value(True).run()
    make(app)
    (tmp_path / "given.csv").write_text(clustered())
    options = ["--tau-neg=0.3", "--tau-pos=0.8", "--by=criterion", "--bootstrap=2000"]
    out = tmp_path / "out"
    options += [f"--out={out}", f"--save={out / 'report.evalcore'}"]
    assert main(["evaluate", str(tmp_path / "given.csv"), *options]) == 0
    files = kept(app, "report_files")
    written = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(files) == set(written)
    for name, content in files.items():
        assert content == written[name], name
    assert b"cluster_bootstrap(posts=30;B=2000;" in files["metrics.csv"]


@pytest.mark.parametrize("by", [(), ("criterion",), ("criterion", "fold")])
@pytest.mark.parametrize("text", [clustered(), LISTS])
def test_steps_are_counted_before_they_are_taken(text: str, by: tuple[str, ...]) -> None:
    data = evalcore.load([Upload("given.csv", text.encode())])
    wanted = tuple(name for name in by if name in evalcore.evaluation.group_columns(data))
    told: list[str] = []
    evalcore.evaluate(data, by=wanted, progress=told.append)
    assert n_steps(parts_of(data), wanted) == len(told) > 0


@pytest.mark.long
def test_steps_of_the_sample_with_lists_and_several_models() -> None:
    sample = ROOT / "sample_data"
    data = evalcore.load([sample / "queries.csv", sample / "ranked_lists.csv"])
    told: list[str] = []
    evalcore.evaluate(data, progress=told.append)
    assert n_steps(parts_of(data)) == len(told) > 10


def test_cancelled_report_is_not_computed_until_asked_for_again(app: AppTest) -> None:
    give(app, TINY)
    app.session_state["report_cancelled"] = True
    app.run()
    assert "Cancelled." in [one.value for one in app.caption]
    app.run()
    assert "Cancelled." not in [one.value for one in app.caption]
    assert "memo_report" not in app.session_state
