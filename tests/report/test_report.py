"""The files of a report: what they hold, what they must not hold, and that they are written whole."""

import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

import evalcore
from evalcore import evaluate
from evalcore.data import Data, Source
from evalcore.evaluation import COLUMNS, Report
from evalcore.problems import problem
from evalcore.report import (
    as_text,
    metrics_csv,
    metrics_json,
    pages,
    report_files,
    report_html,
    report_md,
    write_report,
)
from tests.support.but_long import but_long
from tests.support.made.evidence import make_data, make_queries, make_rankings

EVIL = ["=HYPERLINK(1)", "+cmd|calc", "<img src=x onerror=alert(1)>", "C02 **bold** $x$ :red[hi]", "@SUM(1)"]


@pytest.fixture(scope="module")
def data() -> Data:
    """Two models, five criteria with names that try to run, one without evidence, and ranked lists."""
    labels = [1, 0, 1, 0, 1, 0, 0, 0, 1, 0] * 2
    scores = [0.9, 0.1, 0.8, 0.3, 0.3, 0.30000000000000004, 0.0, 0.05, 1.0, 0.7] * 2
    queries = make_queries(
        labels,
        scores,
        posts=[f"secret-post-{row % 10}" for row in range(20)],
        criteria=[EVIL[row % 10 // 2] for row in range(20)],
        models=["baseline"] * 10 + ["final"] * 10,
        numbers={"tau_neg": [0.05] * 20, "tau_pos": [0.8] * 20},
    )
    gold = [["secret-item-1"], [], ["secret-item-2", "secret-item-3"]]
    lists = [[("secret-item-1", 0.5), ("secret-item-4", 0.7)], [("secret-item-2", 0.1)], []]
    source = Source(
        name="predictions <final>.csv",
        role="queries",
        sha256="ab" * 32,
        n_bytes=1234,
        n_rows=23,
        n_used=20,
        excluded={"no label": 3},
        columns={"probability": "p4_prob"},
        format="CSV, semicolon, UTF-8",
    )
    warnings = (
        problem(
            "QRY-007", file="predictions <final>.csv", column="post_id", found="secret-post-1, SECRET-POST-1"
        ),
        problem(
            "QRY-011", row=3, column="state", found="NEG", tau_neg=0.1, tau_pos=0.9, p=0.3, expected="POS"
        ),
        problem(
            "QRY-011", row=4, column="state", found="NEG", tau_neg=0.1, tau_pos=0.9, p=0.4, expected="POS"
        ),
        problem("QRY-015", n_missing=3, n_cells=50, n_rows=47, model=""),
    )
    return make_data(
        queries,
        make_rankings(gold, lists),
        sources=(source,),
        warnings=warnings,
        notes=("A score is a maximum.",),
    )


@pytest.fixture(scope="module")
def report(data: Data) -> Report:
    return evaluate(data, by=("criterion",), ks=(1, 5))


def rows_of(report: Report) -> list[dict[str, str]]:
    """The rows of ``metrics.csv`` as text."""
    return list(csv.DictReader(io.StringIO(metrics_csv(report))))


def test_csv_has_exactly_the_columns_of_the_interface(report: Report) -> None:
    named = "family metric params variant population model group_by group value n"
    named += " ci_low ci_high ci_level ci_method note"
    assert metrics_csv(report).splitlines()[0].split(",") == named.split() == list(COLUMNS)


def test_csv_values_read_back_as_the_same_float(report: Report) -> None:
    texts = [row["value"] for row in rows_of(report)]
    assert len(texts) == len(report.table)
    for text, value in zip(texts, report.table.value, strict=True):
        assert (text == "") if math.isnan(value) else (float(text) == value)
        assert not text.endswith(".0")


def test_csv_undefined_is_empty_with_its_reason(report: Report) -> None:
    undefined = [row for row in rows_of(report) if row["value"] == ""]
    assert {"no row with evidence", "no row without evidence"} & {row["note"] for row in undefined}
    assert [row for row in undefined if not row["note"]] == []


def test_csv_escapes_formulas_in_text_and_leaves_negative_numbers(report: Report) -> None:
    rows = rows_of(report)
    groups = {row["group"] for row in rows}
    assert {"'=HYPERLINK(1)", "'+cmd|calc", "'@SUM(1)", "<img src=x onerror=alert(1)>"} <= groups
    for row in rows:
        texts = [
            text for name, text in row.items() if name not in ("value", "n", "ci_low", "ci_high", "ci_level")
        ]
        assert not any(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in texts)
    assert any(row["value"].startswith("-") for row in rows)


def test_csv_keeps_apart_a_formula_and_its_escaped_twin() -> None:
    twins = make_queries([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2], criteria=["=A", "=A", "'=A", "'=A"])
    groups = {row["group"] for row in rows_of(evaluate(make_data(twins), by=("criterion",)))}
    assert groups == {"", "'=A", "''=A"}


def test_json_is_strict_and_holds_what_the_csv_holds(report: Report) -> None:
    document = json.loads(metrics_json(report), parse_constant=pytest.fail)
    assert [tuple(row) for row in document["metrics"]] == [COLUMNS] * len(report.table)
    for row, value in zip(document["metrics"], report.table.value, strict=True):
        assert (row["value"] is None) if math.isnan(value) else (row["value"] == value)
    assert document["inputs"][0]["sha256"] == "ab" * 32
    assert document["inputs"][0]["n_rows"] == document["inputs"][0]["n_used"] + 3
    assert document["options"]["by"] == ["criterion"]
    assert document["evalcore"] == evalcore.__version__


@pytest.mark.parametrize("name", ["metrics.json", "report.html", "report.md"])
def test_files_carry_digest_options_and_version(report: Report, name: str) -> None:
    text = report_files(report)[name].decode()
    assert "ab" * 32 in text
    assert evalcore.__version__ in text
    for option in ("ks", "fprs", "tau_neg", "undefined", "ties"):
        assert option in text


@pytest.mark.parametrize("name", ["metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex"])
def test_files_hold_no_id_and_no_row(report: Report, name: str) -> None:
    assert "secret" not in report_files(report)[name].decode().lower()


def test_same_input_and_options_make_the_same_bytes(data: Data, report: Report) -> None:
    again = evaluate(data, by=("criterion",), ks=(1, 5))
    assert report_files(again) == report_files(report)


def test_warnings_about_rows_are_told_in_general_and_counted(report: Report) -> None:
    html = report_html(report)
    assert "ids that look alike: …" in html
    assert "(2 times) <code>QRY-011</code>" in html
    assert "3 of 50 (post, criterion) cells missing" in html


def test_html_is_self_contained(report: Report) -> None:
    html = report_html(report)
    assert re.findall(r"<(?:script|link|img|iframe|object)\b", html) == []
    assert re.findall(r"(?:src|href)=\"(?!#)[^\"]*", html) == []
    assert re.findall(r"url\((?!#)", html) == []
    assert "default-src 'none'" in html


def test_html_shows_names_as_text(report: Report) -> None:
    html = report_html(report)
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "predictions &lt;final&gt;.csv" in html


def test_html_shows_what_was_used_and_what_was_left_out(report: Report) -> None:
    assert "23 in = 20 used + 3 excluded (no label)" in report_html(report)


def test_html_shows_undefined_with_reason_and_n(report: Report) -> None:
    assert re.search(r"n/a<small>no row with(out)? evidence \(n = \d+\)</small>", report_html(report))


def test_markdown_shows_names_as_text(report: Report) -> None:
    text = report_md(report)
    assert r"\<img src=x onerror=alert(1)\>" in text
    assert r"+cmd\|calc" in text
    assert r"C02 \*\*bold\*\* \$x\$ :red\[hi\]" in text
    assert re.search(r"n/a — no row with(out)? evidence \(n = \d+\)", text)


def test_texts_of_a_markdown_report_are_let_go_of_with_it(report: Report) -> None:
    report_md(report)
    assert pages._escaped.cache_info().currsize == 0


def test_markdown_tables_have_as_many_cells_as_their_header(report: Report) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", report_md(report), flags=re.MULTILINE)
    assert len(tables) > 5
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_every_overall_value_is_shown(report: Report) -> None:
    overall = report.table[report.table.group_by == ""]
    appendix = report_html(report).split('id="appendix"')[1].split('id="groups"')[0]
    shown, undefined = appendix.count('<td class="value"'), appendix.count("n/a<small>")
    assert shown + undefined == len(overall)


def test_groups_of_two_columns_are_headed_by_both_names() -> None:
    sites = {"site": ["north", "south"] * 4}
    queries = make_queries([1, 0] * 4, [0.9, 0.1] * 4, criteria=["a;b"] * 8, slices=sites)
    html = report_html(evaluate(make_data(queries), by=("criterion", "site")))
    groups = html.split('id="groups"')[1]
    assert '<th class="value">a;b</th>' in groups
    assert '<th class="value">a, b, north</th>' in groups


def test_terminal_text_has_a_line_for_every_value(report: Report) -> None:
    lines = as_text(report).splitlines()
    assert len(lines) == len(report.table)
    of_each_model = ["all", *EVIL, "mean over criteria"]
    assert sum(line.startswith("classification.auroc ") for line in lines) == 2 * len(of_each_model)


def test_report_of_one_class_says_why_it_has_no_value() -> None:
    one_class = evaluate(make_data(make_queries([1, 1], [0.9, 0.8])))
    auroc = next(row for row in rows_of(one_class) if row["metric"] == "auroc")
    assert (auroc["value"], auroc["n"], auroc["note"]) == ("", "2", "no row without evidence")
    assert "no row without evidence" in report_html(one_class)


def test_writing_makes_the_folder_and_names_its_files(report: Report, tmp_path: Path) -> None:
    paths = write_report(report, tmp_path / "deep" / "out")
    names = ["metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex"]
    assert [path.name for path in paths] == names
    assert {path.name: path.read_bytes() for path in paths} == report_files(report)
    assert sorted(path.name for path in (tmp_path / "deep" / "out").iterdir()) == sorted(
        p.name for p in paths
    )


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_interrupted_writing_leaves_what_was_there(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    before = report_files(report)["metrics.csv"][:500]
    (tmp_path / "metrics.csv").write_bytes(before)
    really_open, opened = Path.open, []

    def open_and_break_at_the_third(self: Path, *arguments: str, **named: object) -> object:
        opened.append(self)
        if len(opened) == 3:
            raise interruption
        return really_open(self, *arguments, **named)

    monkeypatch.setattr(Path, "open", open_and_break_at_the_third)
    with pytest.raises(type(interruption)):
        write_report(report, tmp_path)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.csv"]
    assert (tmp_path / "metrics.csv").read_bytes() == before


@pytest.mark.parametrize("n_placed", but_long([4, 1, 2], 1))
def test_interruption_between_two_files_puts_back_what_stood_there(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_placed: int
) -> None:
    before = report_files(report)["metrics.csv"][:500]
    (tmp_path / "metrics.csv").write_bytes(before)
    really_replace, replaced = Path.replace, []

    def replace_and_break(self: Path, target: Path) -> Path:
        replaced.append(target)
        if len(replaced) == n_placed + 1:
            raise KeyboardInterrupt
        return really_replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_and_break)
    with pytest.raises(KeyboardInterrupt):
        write_report(report, tmp_path)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"metrics.csv": before}


def test_a_file_in_the_way_is_named(report: Report, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match="directory") as caught:
        write_report(report, tmp_path)
    assert Path(str(caught.value.filename)) == tmp_path / "report.html"
