"""Which lists, chunks and answers failed, by what annotators settled."""

from evalcore.evaluation.rag.failures import failures
from tests.support.made.annotations import chunk, rag_data, responses_of


def failed(data, kind):
    found = failures(data.annotations)
    return found.loc[found["failure"] == kind, "record_id"].tolist()


def test_a_list_failed_only_where_every_place_of_it_is_judged_a_no():
    rows = [chunk("all_no", rank, 0, n=2) for rank in (1, 2)]
    rows += [chunk("one_unjudged", 1, 0, n=2), chunk("no_row", 1, 0, n=3), chunk("no_row", 2, 0, n=3)]
    rows += [chunk("one_yes", 1, 0, n=2), chunk("one_yes", 2, 1, n=2)]
    rows += [chunk("gap", 2, 0), chunk("unknown_length", 1, 0)]
    rows += [chunk("discarded", 1, 0, n=2), chunk("discarded", 2, 0, n=2, submitted=False)]
    rows += [chunk("tied", 1, said, annotator=who) for who, said in (("a", 0), ("b", 1))]
    names = list(dict.fromkeys(row["record"] for row in rows))
    data = rag_data(responses_of("retrieval", rows), record_ids=names)
    assert failed(data, "no_relevant") == ["all_no", "unknown_length"]


def test_answers_and_chunks_fail_by_their_settled_label():
    rows = [chunk("q0", 1, misleading=1), chunk("q1", 1)]
    answers = [{"record": "q0", "helpful": 0}, {"record": "q1", "helpful": 1}, {"record": "q2"}]
    data = rag_data(responses_of("retrieval", rows), responses_of("generation", answers))
    assert failed(data, "misleading") == ["q0"]
    assert failed(data, "not_helpful") == ["q0"]
    assert failed(data, "unsafe") == []
