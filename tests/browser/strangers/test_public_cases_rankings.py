"""Rankings of other tools and joined files, uploaded in a real browser: each with its value or word."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_data_page import pick
from tests.browser.strangers.test_public_cases_lists import expect_mrr, give

pytestmark = pytest.mark.long

BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t2\nq2\td2\t1\n"
RUN = (
    "q1 Q0 d2 1 9.5 bm25\nq1 Q0 d3 2 8.5 bm25\nq1 Q0 d1 3 7.0 bm25\n"
    "q2 Q0 d2 1 3.0 bm25\nq2 Q0 d1 2 2.0 bm25\n"
)
SCORES = {"q1": {"d2": 9.5, "d3": 8.5, "d1": 7.0}, "q2": {"d2": 3.0, "d1": 2.0}}
JUDGED = {"q1": {"d1": 1, "d3": 2}, "q2": {"d2": 1}}
WHOLE = {"q1": {"d2": 9, "d3": 8, "d1": 7}, "q2": {"d2": 3, "d1": 2}}
FLOAT_GRADES = "q1 0 d1 1.0\nq1 0 d3 2.0\nq2 0 d2 1.0\n"
MARCO_RUN = "q1\td2\t1\nq1\td3\t2\nq1\td1\t3\nq2\td2\t1\nq2\td1\t2\n"
PYTERRIER = "qid,docno,score,rank,query\nq1,d2,9.5,0,a b\nq1,d3,8.5,1,a b\nq2,d2,3.0,0,c\n"
SUBMISSION = "id,prob\nd,0.8\nc,0.35\nb,0.4\na,0.1\ne,0.5\n"
SOLUTION = "id,target\na,0\nb,0\nc,1\nd,1\n"
GAPS = "id,y_true,m_a,m_b\na,1,0.9,0.8\nb,0,0.1,\nc,1,0.7,0.6\nd,0,,0.2\ne,0,0.4,0.5\nf,1,0.3,0.7\n"
WEIGHTED = "id,y_true,y_prob,sample_weight\nr0,1,0.9,1\nr1,1,0.4,9\nr2,0,0.3,1\nr3,0,0.6,20\n"
DISTANCE = "post_id,sent_uid,is_gold,distance\nx,a,1,0.1\nx,b,0,0.9\n"
NO_PART = "id,label,score\na,no,0.1\nb,no,0.4\n"
YES_PART = "id,label,score\nc,yes,0.35\nd,yes,0.8\n"
FIRST_PART = "id,label,score\n0,0,0.1\n1,1,0.8\n"
SECOND_PART = "id,label,score\n0,1,0.35\n1,0,0.4\n"


def sees(page: Page, *texts: str | re.Pattern[str]) -> None:
    for text in texts:
        expect(page.get_by_text(text).first).to_be_visible()


def use(page: Page) -> None:
    """Put what was uploaded to use."""
    page.get_by_role("button", name="Use these data").click()
    wait_until_idle(page)


def test_runs_and_judgements_of_other_tools_are_read(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    for files in (
        {"test.tsv": BEIR, "no_tag.run": RUN.replace(" bm25", "")},
        {"qrel.json": json.dumps(JUDGED), "run.json": json.dumps(SCORES)},
        {"x.qrels": FLOAT_GRADES, "dev.tsv": MARCO_RUN},
    ):
        page.get_by_role("link", name="Data", exact=True).first.click()
        expect_page(page, "Data")
        give(page, files)
        sees(page, "Judgements (qrels)", "3 rows in = 3 used + 0 excluded", "5 rows in = 5 used + 0 excluded")
        expect_mrr(page, next(reversed(files)).split(".")[0], "0.75")


def test_which_file_judges_is_asked_and_answered(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"a.json": json.dumps(JUDGED), "b.json": json.dumps(WHOLE)})
    sees(page, "files of which each may be the judgements or a run: a.json and b.json", "RNK-120")
    pick(page, "The truth is in", "a.json")
    expect(page.get_by_text("RNK-120")).to_have_count(0)
    expect_mrr(page, "b", "0.75")


def test_a_result_table_alone_is_a_run_and_a_distance_no_score(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"res.csv": PYTERRIER})
    sees(page, "These files cannot be used yet.", "a run without its qrels", "RNK-009")
    give(page, {"found.csv": DISTANCE})
    sees(page, "These files cannot be used yet.", "lower for what fits better", "COL-121")
    give(page, {"x.run": RUN.replace("9.5", "nan"), "x.qrels": FLOAT_GRADES})
    sees(page, "x.run, line 1", "the score nan for d2 of query q1")


def test_truth_and_predictions_are_joined_by_their_ids(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"submission.csv": SUBMISSION, "solution.csv": SOLUTION})
    sees(page, "Truth", "5 rows in = 4 used + 1 excluded (no label in solution.csv)")
    sees(page, "4 rows in = 4 used + 0 excluded")
    use(page)
    expect(page.get_by_test_id("data-bar")).to_contain_text("submission.csv, solution.csv")
    page.get_by_role("link", name="Calibration").first.click()
    expect_page(page, "Calibration")
    sees(page, "0.158")  # the Brier score of the four rows that both files have


def test_models_with_gaps_and_weights_are_told(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"weighted.csv": WEIGHTED})
    sees(page, "the column 'sample_weight', which looks like row weights", "every row counts once", "COL-120")
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
    give(page, {"gaps.csv": GAPS})
    sees(page, "several columns that could be the probability: m_a, m_b")
    pick(page, "probability (needed)", "m_a")
    pick(page, "probability (needed)", "m_b")
    sees(page, "no score of this model in 1 of 6 rows", "6 rows in = 6 used + 0 excluded")
    use(page)
    page.get_by_role("link", name="Compare").first.click()
    expect_page(page, "Compare")
    sees(page, re.compile("4 checks"))


def test_parts_sorted_by_class_or_with_ids_that_restart_have_a_way_on(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"no.csv": NO_PART, "yes.csv": YES_PART})
    sees(page, "the labels no and yes")
    pick(page, "Which label means “has evidence”?", "yes (2 rows)")
    expect(page.get_by_text("2 rows in = 2 used + 0 excluded")).to_have_count(2)
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
    give(page, {"part-0.csv": FIRST_PART, "part-1.csv": SECOND_PART})
    sees(page, "ids that count the rows from 0 on in each file, with other labels", "QRY-126")
    pick(page, "The files are", "parts of one table")
    sees(page, "parts of one table, numbered on, as you said")
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
