"""Roles that the user gives by hand: each comes to something or is refused."""

from evalcore import load
from tests.support.reading import read, refused, upload


def test_role_without_a_place_in_the_table_is_refused():
    text = "post_id,criterion_id,sent_uid,is_gold,jina\np1,A.1,s1,1,0.3\np1,A.1,s2,0,0.1\n"
    assert refused(text, columns={"selected_k": "jina"})[0] == (
        "predictions.csv: found the role 'selected_k' for jina, which candidates do not have, expected "
        "one of "
        "post_id, criterion_id, query_id, sent_uid, is_gold, score, rank, model, fold, split. Check the "
        "name before "
        "the equals sign, and whether the file is what it was taken for. [COL-014]"
    )


def test_role_that_one_of_several_tables_has_is_accepted():
    candidates = upload(
        "post_id,criterion_id,sent_uid,is_gold,jina\np1,A.1,s1,1,0.3\np1,A.1,s2,0,0.1\n", "c.csv"
    )
    queries = upload("post_id,criterion_id,label,p\np1,A.1,1,0.4\np2,A.1,0,0.1\n", "q.csv")
    assert load([candidates, queries], columns={"score": "jina"}).rankings is not None


def test_label_of_ranked_lists_needs_a_probability():
    text = "post_id,criterion_id,gold_ids,retriever_topk,seen,chance\nx,A,a,a|b,1,0.5\ny,A,,b,0,0.25\n"
    assert refused(text, columns={"has_evidence": "seen"}) == [
        "predictions.csv: found the role 'has_evidence' for seen, which ranked lists without both a "
        "label and a "
        "probability do not have, expected one of post_id, criterion_id, query_id, gold_ids, ranked_ids, "
        "model, fold, split. Check the name before the equals sign, and whether the file is what it was "
        "taken "
        "for. [COL-014]"
    ]
    both = read(text, columns={"has_evidence": "seen", "probability": "chance"})
    assert both.queries is not None
    assert read(text, columns={"state": "seen"}).rankings.slices["state"][1] == ("1", "0")


def test_fields_of_a_run_have_no_other_role():
    judged, run = upload("q1 0 d1 1\n", "a.qrels"), upload("q1 Q0 d1 1 2.5 mine\n", "a.run")
    assert refused(judged, run, columns={"fold": "topic"})[0] == (
        "a.qrels: found the role 'fold' for topic, which qrels do not have, expected no mapping: its "
        "fields are known. Check the name before the equals sign, and whether the file is what it was "
        "taken for. [COL-014]"
    )
