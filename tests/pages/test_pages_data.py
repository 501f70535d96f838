"""The Data page, through app.py: what is in use, and one's own files from the first look to their use."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from pages.shared.data import formats, session
from tests.support.uploads import CASES

ROOT = Path(__file__).resolve().parents[2]
GOOD = (
    "post_id,criterion_id,has_evidence,probability\np1,A.1,1,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\np2,A.2,1,0.4\n"
)


@pytest.fixture
def page() -> AppTest:
    """A session on the Data page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return app.switch_page("pages/common/data.py").run()


def give(page: AppTest, *files: tuple[str, str | bytes]) -> AppTest:
    """Upload files."""
    contents = [(name, text.encode() if isinstance(text, str) else text, "text/csv") for name, text in files]
    page.file_uploader[0].set_value(contents).run()
    assert not page.exception
    return page


def texts(page: AppTest) -> str:
    """Everything the page shows through HTML, as a person reads it."""
    bodies = [re.sub(r"<style>.*?</style>", "", one.value, flags=re.DOTALL) for one in page.get("html")]
    return "\n".join(unescape(re.sub(r"<[^>]+>", " ", body)) for body in bodies)


def codes(page: AppTest) -> list[str]:
    """The codes of the problems on the page."""
    return re.findall(r"\b[A-Z]{3,4}-\d{3}\b", texts(page))


def field(page: AppTest, label: str) -> object:
    """The select box or multi-select box under a label."""
    return next(one for one in (*page.selectbox, *page.multiselect) if one.label.split()[0] == label)


def labels(page: AppTest) -> list[str]:
    """The labels of the buttons."""
    return [one.label for one in page.button]


def use(page: AppTest) -> AppTest:
    """Put the uploaded files to use."""
    next(one for one in page.button if one.label == "Use these data").click().run()
    assert not page.exception
    return page


def in_use(page: AppTest) -> session.SessionData:
    """The data of the page's session."""
    found: session.SessionData = page.session_state["data_in_use"]
    return found


def test_sample_is_in_use_from_the_start(page: AppTest) -> None:
    assert not page.exception
    assert in_use(page).is_sample
    assert "29,540 rows in = 29,540 used + 0 excluded" in texts(page)
    assert "Synthetic: no row stems from a real post." in texts(page)


def expanders(page: AppTest) -> list[str]:
    """The titles of what can be unfolded."""
    return [one.label for one in page.expander]


def test_checks_that_passed_are_told_with_what_they_looked_at(page: AppTest) -> None:
    shown = " ".join(texts(page).split())
    assert "13 things were checked, none failed." in shown
    assert "Posts of one fold No post stands in two folds. 29,540 passed" in shown
    assert "Grid of 1,477 posts × 10 criteria: 0 of 14,770 cells missing" in expanders(page)
    assert "A.10 1,477 0 86" in shown
    assert "fold 0 295 5,900 554" in shown
    assert "split tune" in shown


def test_checks_that_failed_are_told_with_their_rows(page: AppTest) -> None:
    rows = [f"p{post},A.{i},{int(i == 1)},{int(i == 1)},{post % 2}" for post in range(5) for i in range(1, 4)]
    leaked = [*rows[:2], f"{rows[2][:-1]}1", *rows[3:-1]]
    use(give(page, ("mine.csv", "\n".join(["post_id,criterion_id,label,p,fold", *leaked]))))
    shown = " ".join(texts(page).split())
    assert "6 things were checked, 3 failed." in shown
    assert "row 3, column fold: found the post p0 in fold 1 and, before, in fold 0 of row 1." in shown
    assert "found a score that equals the label in every row (14)." in shown
    assert "Grid of 5 posts × 3 criteria: 1 of 15 cells missing" in expanders(page)
    assert "A.3 4 1 0" in shown


def test_grid_is_counts_by_criterion_never_cells(page: AppTest) -> None:
    rows = [f"p{post},C{i},{int(i == 1)},0.{i}{post}" for post in range(2) for i in range(80)]
    use(give(page, ("mine.csv", "\n".join(["post_id,criterion_id,label,p", *rows]))))
    assert "… and 30 more criteria." in texts(page)


def test_data_without_posts_have_no_grid(page: AppTest) -> None:
    use(give(page, ("tiny.csv", "y_true,y_prob\n1,0.5\n0,0.25\n")))
    assert not [title for title in expanders(page) if title.startswith(("Grid", "Folds"))]


def test_format_and_template_are_shown_before_an_upload(page: AppTest) -> None:
    assert [tab.label for tab in page.tabs] == [
        "Predictions",
        "Ranked lists",
        "Candidates",
        "RAG annotations",
        "Recommendation lists",
        "Test interactions",
    ]
    assert "has_evidence (needed)" in " ".join(texts(page).split())
    assert [one.label for one in page.get("download_button")] == [
        "Template queries.csv",
        "Template ranked_lists.csv",
        "Template candidates.csv",
        "Template annotations.csv",
        "Template lists.csv",
        "Template test.csv",
    ]


@pytest.mark.parametrize("name", formats.TEMPLATES)
def test_template_reads_without_a_choice(name: str) -> None:
    names = {"test": ("lists", "test")}.get(name, (name,))  # nobody judges without lists
    data = evalcore.load([Upload(f"{one}.csv", formats.TEMPLATES[one].encode()) for one in names])
    assert [source.role for source in data.sources] == list(names)


def test_good_file_goes_from_upload_to_use(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD))
    assert "mine.csv Predictions CSV, comma, UTF-8" in " ".join(texts(page).split())
    assert "4 rows in = 4 used + 0 excluded" in texts(page)
    use(page)
    assert in_use(page).label == "mine.csv"
    assert not in_use(page).is_sample
    assert in_use(page).data.sources[0].n_rows == 4
    assert labels(page) == ["Use the sample data", "Divide by post into tune and test"]
    assert "What a file must hold" not in [one.label for one in page.expander], "the upload was let go"


def test_sample_comes_back_in_one_click(page: AppTest) -> None:
    use(give(page, ("mine.csv", GOOD)))
    page.button[0].click().run()
    assert in_use(page).is_sample
    assert page.session_state["data_revision"] == 2  # the first data changed nothing


def test_uploaded_data_stay_over_a_change_of_page(page: AppTest) -> None:
    use(give(page, ("mine.csv", GOOD)))
    page.switch_page("pages/common/reference.py").run()
    page.switch_page("pages/common/data.py").run()
    assert in_use(page).label == "mine.csv"


def test_two_sessions_do_not_see_each_other(page: AppTest) -> None:
    use(give(page, ("mine.csv", GOOD)))
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    other.switch_page("pages/common/data.py").run()
    assert in_use(other).is_sample
    assert "mine.csv" not in texts(other)


def test_sample_is_shared_and_read_only(page: AppTest) -> None:
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    other.switch_page("pages/common/data.py").run()
    assert in_use(other).data is in_use(page).data
    queries = in_use(page).data.queries
    arrays = [
        queries.score,
        queries.post,
        queries.criterion,
        queries.has_evidence,
        queries.row,
        queries.post_ids,
    ]
    arrays += [of_rows for of_rows, _ in queries.slices.values()] + list(queries.numbers.values())
    assert not any(array.flags.writeable for array in arrays)


def test_key_of_data_follows_content_mapping_and_options() -> None:
    text = GOOD.replace("\n", ",0\n").replace("probability,0", "probability,other")
    readings = [{}, {"columns": {"probability": "other"}}, {"score_kind": "score"}, {"positive": "0"}]
    keys = {session._key(evalcore.load([Upload("a.csv", text.encode())], **reading)) for reading in readings}
    keys.add(session._key(evalcore.load([Upload("a.csv", GOOD.encode())])))
    assert len(keys) == 5


def test_labels_that_are_not_0_and_1_are_asked_for(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD.replace(",1,", ",yes,").replace(",0,", ",no,")))
    assert codes(page) == ["QRY-001"]
    assert "Use these data" not in labels(page)
    field(page, "Which").select("yes").run()
    assert codes(page) == []
    use(page)
    assert in_use(page).data.queries.has_evidence.tolist() == [True, False, False, True]


def test_unknown_column_names_are_mapped_by_hand(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD.replace("probability", "chance").replace("post_id", "report")))
    assert "COL-001" in codes(page)
    field(page, "probability").select("chance")
    field(page, "post_id").select("report")
    page.run()
    assert codes(page) == []
    source = in_use(use(page)).data.sources[0]
    assert dict(source.columns) == {
        "post_id": "report",
        "criterion_id": "criterion_id",
        "has_evidence": "has_evidence",
        "probability": "chance",
    }


def test_synonyms_are_filled_in(page: AppTest) -> None:
    header = "query_id,criterion,gt_has_evidence,p4_prob,fold_id"
    give(page, ("mine.csv", "\n".join([header, *(row + ",0" for row in GOOD.splitlines()[1:])])))
    assert field(page, "post_id").value == "query_id"
    assert field(page, "criterion_id").value == "criterion"
    assert field(page, "has_evidence").value == "gt_has_evidence"
    assert field(page, "probability").value == ["p4_prob"]
    assert field(page, "fold").value == "fold_id"


def test_column_can_be_taken_out_of_its_role(page: AppTest) -> None:
    rows = GOOD.splitlines()
    give(page, ("mine.csv", "\n".join([f"{rows[0]},fold", *(f"{row},1" for row in rows[1:])])))
    field(page, "fold").select_index(0).run()
    assert "fold" not in in_use(use(page)).data.sources[0].columns


def test_another_scale_is_legal_when_the_user_says_so(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD.replace("0.9", "-2.5")))
    assert codes(page) == ["QRY-003"]
    field(page, "Scores").select("score").run()
    assert codes(page) == []
    assert in_use(use(page)).data.score_kind == "score"


def test_encoding_is_asked_for_with_a_preview(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD.replace("A.1", "naïve – 50µg").encode("cp1252")))
    assert codes(page) == ["FILE-004"]
    assert "naïve – 50µg" in texts(page)
    field(page, "Text").select("cp1252").run()
    assert codes(page) == []
    assert "naïve – 50µg" in in_use(use(page)).data.queries.criterion_ids


def test_repeated_candidate_is_kept_once_when_the_user_says_so(page: AppTest) -> None:
    text = "post_id,criterion_id,gold_ids,reranked_topk\np1,A.1,a,b|a|b\n"
    give(page, ("lists.csv", text))
    assert codes(page) == ["RNK-001"]
    next(box for box in page.checkbox if box.label.startswith("Keep the best rank")).check().run()
    assert "RNK-001" not in codes(page)
    assert in_use(use(page)).data.rankings is not None


def test_several_files_are_read_together(page: AppTest) -> None:
    candidates = "post_id,criterion_id,sent_uid,is_gold,score\np1,A.1,s1,1,0.3\np1,A.1,s2,0,0.1\n"
    give(page, ("queries.csv", GOOD), ("candidates.csv", candidates))
    assert [table.columns[0] for table in (frame.value for frame in page.dataframe)] == ["post_id", "post_id"]
    assert "RNK-010" in codes(page)
    use(page)
    assert in_use(page).label == "queries.csv, candidates.csv"
    assert {source.role for source in in_use(page).data.sources} == {"queries", "candidates"}


def test_models_of_one_file_are_named(page: AppTest) -> None:
    rows = GOOD.splitlines()
    text = "\n".join([f"{rows[0]},run", *(f"{row},A" for row in rows[1:]), *(f"{row},B" for row in rows[1:])])
    use(give(page, ("mine.csv", text)))
    assert in_use(page).models == ("A", "B")
    assert "Models A, B" in " ".join(texts(page).split())


def test_one_class_only_is_said_and_can_be_used(page: AppTest) -> None:
    give(page, ("mine.csv", "query_id,criterion,score,label\nQ1,C01,0.9,1\nQ2,C01,0.8,1\n"))
    assert codes(page) == ["QRY-016"]
    assert "Whatever compares the classes is not defined." in texts(page)
    use(page)


def test_tiny_file_can_be_used(page: AppTest) -> None:
    use(give(page, ("tiny.csv", "y_true,y_prob\n1,0.5\n")))
    assert len(in_use(page).data.queries) == 1


def test_preview_shows_cells_as_text(page: AppTest) -> None:
    evil = [
        '"=HYPERLINK(""http://x"",""y"")"',
        "<img src=x onerror=alert(1)>",
        "**bold** $x$ :red[hi]",
        "@SUM(1)",
    ]
    rows = [f"{name},C01,0.{at + 1},{at % 2}" for at, name in enumerate(evil)]
    give(page, ("evil.csv", "\n".join(["query_id,criterion,score,label", *rows])))
    preview = page.dataframe[0].value
    assert preview["query_id"].tolist() == [
        '=HYPERLINK("http://x","y")',
        "<img src=x onerror=alert(1)>",
        "**bold** $x$ :red[hi]",
        "@SUM(1)",
    ]
    assert preview["score"].tolist() == ["0.1", "0.2", "0.3", "0.4"]
    use(page)


def test_names_of_files_and_columns_are_shown_as_text(page: AppTest) -> None:
    name, column = "<i>x</i>.csv", "<img src=x onerror=alert(1)>"
    give(page, (name, GOOD.replace("probability", column)))
    bodies = "".join(
        re.sub(r"<style>.*?</style>", "", one.value, flags=re.DOTALL) for one in page.get("html")
    )
    assert "&lt;i&gt;x&lt;/i&gt;.csv" in bodies
    assert "<i>" not in bodies
    assert "<img" not in bodies


def test_post_text_is_dropped_and_not_shown(page: AppTest) -> None:
    text = GOOD.replace("probability", "probability,post_text").replace("0.9", "0.9,a very private sentence")
    text = re.sub(r"(0\.[124])$", r"\1,another one", text, flags=re.MULTILINE)
    give(page, ("mine.csv", text))
    assert codes(page) == ["COL-007"]
    assert set(page.dataframe[0].value["post_text"]) == {"…"}
    assert "private" not in texts(page)


def test_blank_lines_are_counted_as_excluded(page: AppTest) -> None:
    give(page, ("mine.csv", GOOD.replace("p2,A.1", "\np2,A.1")))
    assert "5 rows in = 4 used + 1 excluded (blank line)" in texts(page)


def test_first_twenty_problems_are_shown_and_the_rest_counted(page: AppTest) -> None:
    rows = "".join(f"q{row},A.1,1,{row}%\n" for row in range(100))
    give(page, ("mine.csv", GOOD + rows))
    assert codes(page) == ["QRY-003"] * 20
    assert "… and 80 more like these" in texts(page)
    assert "These files cannot be used yet." in texts(page)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.csv", b"", "FILE-002"),
        ("header.csv", b"post_id,criterion_id,has_evidence,probability\n", "FILE-008"),
        ("sheet.xlsx", b"PK\x03\x04\x14\x00\x06\x00", "FILE-003"),
        ("quote.csv", b'a;b;c\n1;2;3\n4;"5;6\n', "FILE-005"),
        ("words.csv", b"a,b\n1,2\n", "COL-006"),
        ("cut.parquet", b"PAR1\x00\x00", "FILE-007"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00", "FILE-007"),
        ("noise.bin", bytes(range(256)), None),
        ("nul.csv", b"post_id,has_evidence\x00,probability\np1,1,0.5\n", None),
        ("broken.jsonl", b'{"post_id": "p1", \n', None),
    ],
)
def test_broken_file_gets_a_message(page: AppTest, name: str, content: bytes, code: str | None) -> None:
    give(page, (name, content))
    assert "These files cannot be used yet." in texts(page)
    assert code in codes(page) if code else codes(page)
    assert "FILE-022" not in codes(page)
    assert name in texts(page)
    assert in_use(page).is_sample


def test_the_way_of_the_page_comes_before_that_of_the_command_line(page: AppTest) -> None:
    give(page, ("words.csv", b"a,b\n1,2\n"))
    assert "Choose them on the Data page." in texts(page)


def test_too_many_bytes_are_refused_unread(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SETTINGS", session.Settings(max_upload_mb=1))
    half = GOOD + " " * 600_000
    page.run()
    give(page, ("a.csv", half), ("b.csv", half))
    assert codes(page) == ["FILE-021"]


def test_too_many_rows_are_refused(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SETTINGS", session.Settings(max_rows=3))
    give(page, ("mine.csv", GOOD))
    assert codes(page) == ["FILE-012"]


def test_fault_of_ours_is_a_message_and_no_traceback(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("a private value")

    monkeypatch.setattr("pages.shared.data.upload.inspect", fail)
    give(page, ("mine.csv", GOOD))
    assert codes(page) == ["FILE-022"]
    assert "private" not in texts(page)


CODES = {
    "01_semicolon_quote.csv": ["FILE-005", "FILE-010", "COL-007"],
    "02_cp1252.csv": ["FILE-004", "COL-007"],
    "03_other_names.csv": ["COL-001", "QRY-001", "QRY-010"],
    "04_two_prob_columns.csv": ["COL-004", "QRY-001"],
    "05_percent_scores.csv": [
        "QRY-002",
        "QRY-002",
        "QRY-003",
        "QRY-003",
        "QRY-003",
        "QRY-004",
        "QRY-005",
        "QRY-001",
    ],
    "06_ids.csv": ["QRY-006", "QRY-007", "QRY-007"],
    "07_na_text.csv": ["COL-011", "QRY-020", "QRY-015"],
    "08_one_class.csv": ["QRY-016"],
    "09_long_two_runs.csv": ["QRY-025"],
    "11_injection.csv": ["QRY-015"],
    "12_ties.csv": [],
    "13_not_a_csv.csv": ["FILE-003"],
}


@pytest.mark.parametrize("name", CODES)
def test_uploaded_case_gets_its_messages(page: AppTest, name: str) -> None:
    give(page, (name, CASES[name]))
    assert codes(page) == CODES[name]


def test_dashboard_does_not_start_with_a_limit_that_is_no_number() -> None:
    started = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"],
        cwd=ROOT,
        env={**os.environ, "EVALCORE_MAX_ROWS": "many"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode == 2
    assert started.stderr == (
        "found EVALCORE_MAX_ROWS = many, expected a whole number from 1 on. Check the option. [OPT-003]\n"
    )


def test_readings_of_files_that_were_taken_back_are_let_go(page: AppTest) -> None:
    give(page, ("one.csv", GOOD))
    give(page, ("two.csv", GOOD))
    for kind in ("score", "probability"):
        field(page, "Scores").select(kind).run()
    readings = page.session_state["upload_readings"]
    assert len(readings) <= 3
    assert len({files for files, _ in readings}) == 1


def test_file_without_a_header_is_asked_about_and_read_by_position(page: AppTest) -> None:
    give(page, ("bare.csv", "0,0.1\n0,0.4\n1,0.35\n1,0.8\n"))
    assert codes(page) == ["FILE-030"]
    assert "Use these data" not in labels(page)
    next(box for box in page.checkbox if box.label == "No header line").check().run()
    field(page, "has_evidence").select("1")
    field(page, "probability").select("2")
    page.run()
    assert "FILE-030" not in codes(page)
    assert "4 rows in = 4 used + 0 excluded" in texts(page)
    assert in_use(use(page)).data.queries.score.tolist() == [0.1, 0.4, 0.35, 0.8]


def test_lists_without_a_header_are_mapped_by_hand(page: AppTest) -> None:
    give(page, ("bare.csv", "p1,1.0,1.0|2.0\np2,2.0,2.0\n"))
    next(box for box in page.checkbox if box.label == "No header line").check().run()
    field(page, "post_id").select("1")
    field(page, "gold_ids").select("2")
    field(page, "ranked_ids").select("3")
    page.run()
    assert [code for code in codes(page) if code != "QRY-007"] == []
    assert in_use(use(page)).data.rankings.n_queries == 2


def test_the_prediction_that_means_evidence_is_asked_for(page: AppTest) -> None:
    scores = (0.9, 0.8, 0.7, 0.6, 0.95, 0.85)
    words = ["POSITIVE", "NEGATIVE", "POSITIVE", "NEGATIVE", "NEGATIVE", "POSITIVE"]
    truth = ["yes", "no", "yes", "no", "yes", "no"]
    rows = [f"p{i},{t},{w},{s}\n" for i, (t, w, s) in enumerate(zip(truth, words, scores, strict=True))]
    give(page, ("scores.csv", "post_id,label,pred_label,score\n" + "".join(rows)))
    next(one for one in page.selectbox if "label means" in one.label).select("yes").run()
    next(one for one in page.selectbox if one.label.startswith("The score is")).select("predicted").run()
    assert "QRY-266" in codes(page)
    assert "Choose it on the Data page." in texts(page)
    next(one for one in page.selectbox if "prediction means" in one.label).select("POSITIVE").run()
    assert in_use(use(page)).data.positive == "yes=POSITIVE"


def looks_of(page: AppTest) -> list[str]:
    """The steps of the path that the Operating point page shows for the data in use."""
    page.switch_page("pages/evidence/operating_point.py").run()
    assert not page.exception
    (path,) = (one.value for one in page.get("html") if 'data-testid="path"' in one.value)
    return [unescape(re.sub(r"<[^>]+>", "", one)) for one in re.findall(r"<li.*?</li>", path)]


def test_rows_are_divided_by_post_before_a_figure_is_shown_and_afterwards_count_as_looked_at(
    page: AppTest,
) -> None:
    lines = "".join(f"p{at},A.1,{at % 2},0.{2 + at % 2 * 5}{at:03d}\n" for at in range(120))
    text = "post_id,criterion_id,has_evidence,probability\n" + lines
    give(page, ("whole.csv", text))
    next(one for one in page.checkbox if one.label.startswith("Divide by post")).check().run()
    use(page)
    assert in_use(page).data.is_divided
    assert "rows were divided by post into tune and test" in texts(page)
    fresh = looks_of(page)
    assert fresh[0] == "✓Rows, done: 60 tune, 60 test"
    assert "look" not in fresh[3]

    page.switch_page("pages/common/data.py").run()
    give(page, ("seen.csv", text.replace("0.2", "0.3")))
    use(page)
    assert looks_of(page)[0] == "!Rows, blocks: no split"
    page.switch_page("pages/common/data.py").run()
    page.button(key="divide_in_use").click().run()
    assert looks_of(page)[3] == "!Test, blocks: 1 look before"
