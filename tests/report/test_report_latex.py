"""``tables.tex`` and the drawings of ``report.html``: they say what the report holds and are well formed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.evaluation import Report
from evalcore.report import drawings, report_html, tables_tex
from evalcore.report.latex import latex_text
from evalcore.report.svg import palette_css, svg
from evalcore.text.numerals import number
from tests.support.made.evidence import make_data, make_queries, make_rankings

EVIL = ["\\input{/etc/passwd}", "50% & $x$ #1 _a_ ^b ~c", "[x] *", "café–中\u0007"]


@pytest.fixture(scope="module")
def report() -> Report:
    """Two models, three folds, names that try to run, a gate, selections, and ranked lists."""
    rng = np.random.default_rng(0)
    n = 240
    p = np.round(rng.beta(0.5, 1.5, n), 3)
    queries = make_queries(
        (rng.random(n) < p).astype(int).tolist(),
        p.tolist(),
        posts=[f"secret-{row // 4}" for row in range(n)],
        criteria=[EVIL[row % 4] for row in range(n)],
        models=["a_b & <c>"] * (n // 2) + ["other"] * (n // 2),
        slices={"fold": [str(row // 4 % 3) for row in range(n)]},
        numbers={
            "tau_neg": [0.05] * n,
            "tau_pos": [0.8] * n,
            "selected_k": [float(row % 5) for row in range(n)],
        },
    )
    gold = [["g"], [], ["g", "h"]]
    lists = [[("g", 0.5), ("x", 0.7)], [("h", 0.1)], []]
    return evaluate(make_data(queries, make_rankings(gold, lists)), ks=(1, 5))


@pytest.fixture(scope="module")
def tex(report: Report) -> str:
    return tables_tex(report)


def rows(tex: str) -> list[list[str]]:
    """The cells of every line of every table."""
    lines = [line for line in tex.splitlines() if line.endswith(r" \\") and not line.startswith("Metric &")]
    return [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]


def test_tables_name_value_sd_subset_and_meaning(tex: str, report: Report) -> None:
    auroc = next(row for row in rows(tex) if row[0] == "AUROC")
    value = report.value("classification.auroc")
    assert re.match(rf"{number(value)} 0\.\d{{3}} to [01]\.\d{{3}} \(95", auroc[1].strip())
    assert re.fullmatch(r"0\.\d{3} \$\\pm\$ 0\.\d{3,4}", auroc[2])
    assert auroc[3] == "all queries, n = 120"
    assert auroc[4] == latex_text(METRICS["classification.auroc"].summary)


def test_mean_and_sd_are_those_of_the_folds(tex: str, report: Report) -> None:
    table = report.table
    own = table[(table.metric == "auroc") & (table.model == "a_b & <c>") & (table.group_by == "")]
    mean = own[own.params == "stat=mean;over=folds"].value.iloc[0]
    sd = own[(own.params == "stat=sd;over=folds") & (own.variant == "population")].value.iloc[0]
    auroc = next(row for row in rows(tex) if row[0] == "AUROC")
    assert auroc[2] == rf"{number(mean)} $\pm$ {number(sd)}"
    assert f"{number(mean)} ± {number(sd)}" in report_html(report)


def test_every_metric_is_explained_once_for_a_model(tex: str) -> None:
    meanings = [row[-1] for row in rows(tex) if row[-1]]
    assert meanings.count(latex_text(METRICS["gate.neg_rate"].summary)) == 2
    assert meanings.count(latex_text(METRICS["ranking.ndcg"].summary)) == 1


def test_an_undefined_value_says_why(tex: str) -> None:
    reasons = [row for row in rows(tex) if "n/a: " in row[1]]
    assert all(r"\multicolumn{2}" in row[1] for row in reasons)


def test_tex_is_ascii_with_balanced_braces_and_environments(tex: str) -> None:
    assert tex.isascii()
    bare = re.sub(r"\\[{}\\]", "", tex)
    assert bare.count("{") == bare.count("}")
    for name in ("document", "longtable"):
        assert tex.count(rf"\begin{{{name}}}") == tex.count(rf"\end{{{name}}}") > 0
    for command in ("toprule", "midrule", "bottomrule"):
        assert f"\\{command}" in tex
    assert {len(row) for row in rows(tex) if "multicolumn" not in row[1]} == {5}


@pytest.mark.parametrize("name", EVIL)
def test_names_are_text(name: str) -> None:
    text = latex_text(name)
    assert text.isascii()
    assert r"\input" not in text
    bare = re.sub(r"\\(?:[a-zA-Z]+|.)", "", text)
    assert not set("%&#_^~") & set(bare)


def test_every_summary_can_be_written_in_latex() -> None:
    foreign = {key: text for key, one in METRICS.items() if "U+" in (text := latex_text(one.summary))}
    assert foreign == {}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_tables_compile(tex: str, tmp_path: Path) -> None:
    evil = r" \par ".join(map(latex_text, [*EVIL, *(chr(code) for code in range(32, 1200))]))
    document = tex.replace(r"\end{document}", evil + "\n" + r"\end{document}")
    (tmp_path / "tables.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_report_has_the_required_figures(report: Report) -> None:
    keys = [one.key for one in drawings(report)]
    assert len(keys) == len(set(keys))
    required = {"roc", "pr", "reliability-0", "auroc-0", "auprc-0", "workload-0", "selected-k-0"}
    assert required | {"first-gold", "k-eff-0", "reliability-1"} <= set(keys)


def test_auroc_by_criterion_is_no_share_here_as_on_the_page(report: Report) -> None:
    of_criteria = next(one for one in drawings(report) if one.key == "auroc-0").draw(dark=False)
    assert of_criteria.layout["xaxis"]["tickformat"] == ".1f"  # no share, here as on the page


def test_drawings_are_well_formed_and_named(report: Report) -> None:
    for one in drawings(report):
        drawn = ElementTree.fromstring(svg(one.draw(dark=False), key=one.key))
        title = drawn.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text
        assert "nan" not in svg(one.draw(dark=False), key=one.key)


def test_drawings_need_no_plotly(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("plotly.graph_objects", "plotly.subplots"):
        monkeypatch.setitem(sys.modules, name, None)
    assert report_html(report).count("<svg") >= len(drawings(report))


def test_drawings_use_only_colours_that_the_page_defines(report: Report) -> None:
    html = report_html(report)
    used = set(re.findall(r"var\((--c\w+)\)", html))
    assert used
    assert used <= set(re.findall(r"(--c\w+):", palette_css()))


def test_roc_drawing_goes_through_the_points_of_the_curve(report: Report) -> None:
    roc = drawings(report)[0].draw(dark=False)
    drawn = svg(roc, key="roc")
    first = next(path for path in re.findall(r'd="(M[^"]*)"', drawn) if path.count("L") > 3)
    numbers = [tuple(map(float, pair.split())) for pair in re.findall(r"[ML]([\d. ]+)", first)]
    (left, bottom), (right, top) = numbers[0], numbers[-1]
    expected = [
        (left + fpr * (right - left), bottom + tpr * (top - bottom))
        for fpr, tpr in zip(roc.traces[0]["x"], roc.traces[0]["y"], strict=True)
    ]
    for x, y in expected:
        assert min(abs(x - a) + abs(y - b) for a, b in numbers) < 0.3
    assert len(numbers) <= len(expected)


def test_same_report_makes_the_same_drawings(report: Report) -> None:
    assert report_html(report) == report_html(report)
    assert tables_tex(report) == tables_tex(report)


def test_data_without_lists_or_evidence_make_a_report() -> None:
    one_class = evaluate(make_data(make_queries([1, 1], [0.9, 0.8])))
    assert [one.key for one in drawings(one_class)] == ["reliability-0"]
    lists = evaluate(make_data(None, make_rankings([[]], [[("x", 1.0)]])))
    assert [one.key for one in drawings(lists)] == ["k-eff-0"]
    assert r"\end{document}" in tables_tex(lists)
    assert "<svg" in report_html(lists)
