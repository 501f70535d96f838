"""Runs and qrels as other tools write them: each with its value, asked about, or refused by name."""

import io
import json

import pandas as pd
import pytest

from evalcore import evaluate, inspect, load
from evalcore.__main__ import main
from evalcore.data import Data
from evalcore.readers import Upload
from tests.readers.evidence.test_readers_rankings import gold, lists
from tests.support.reading import refused, upload

BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t2\nq2\td2\t1\n"
RUN = (
    "q1 Q0 d2 1 9.5 bm25\nq1 Q0 d3 2 8.5 bm25\nq1 Q0 d1 3 7.0 bm25\n"
    "q2 Q0 d2 1 3.0 bm25\nq2 Q0 d1 2 2.0 bm25\n"
)
SCORES = {"q1": {"d2": 9.5, "d3": 8.5, "d1": 7.0}, "q2": {"d2": 3.0, "d1": 2.0}}
JUDGED = {"q1": {"d1": 1, "d3": 2}, "q2": {"d2": 1}}
GOLD = {"q1": {"d1": 1, "d3": 2}, "q2": {"d2": 1}}
RANKED = {"q1": ["d2", "d3", "d1"], "q2": ["d2", "d1"]}
NDCG = {"exponential": 0.8295, "linear": 0.8348}


def ndcg_at_3(data: Data) -> dict[str, float]:
    """nDCG@3 over the queries with gold by its gain."""
    table = evaluate(data, ks=(3,)).table
    of_k = table[(table["metric"] == "ndcg") & (table["params"] == "k=3")]
    rows = of_k[of_k["population"] == "positives_only"]
    gains = {"linear" if "linear" in row.variant else "exponential": row.value for row in rows.itertuples()}
    return {gain: round(value, 4) for gain, value in gains.items()}


def object_of(scores: dict[str, dict[str, float]], name: str) -> Upload:
    return upload(json.dumps(scores), name)


def framed(rows: list[tuple[object, ...]], names: list[str], name: str) -> Upload:
    """A Parquet file."""
    sink = io.BytesIO()
    pd.DataFrame(rows, columns=names).to_parquet(sink)
    return upload(sink.getvalue(), name)


RUN_ROWS = [(query, item, score) for query, items in SCORES.items() for item, score in items.items()]
GOLD_ROWS = [(query, item, grade) for query, items in JUDGED.items() for item, grade in items.items()]


def tabbed(rows: list[tuple[object, ...]], names: list[str] | None = None) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in ([tuple(names)] if names else []) + rows)


def ranks(first: int = 1) -> list[tuple[str, str, int]]:
    return [(query, item, at) for query, items in RANKED.items() for at, item in enumerate(items, first)]


PAIRS = {
    "BEIR": [upload(BEIR, "test.tsv"), upload(RUN, "bm25.run")],
    "BEIR, grades 1.0": [upload(BEIR.replace("\t1\n", "\t1.0\n"), "test.tsv"), upload(RUN, "bm25.run")],
    "BEIR, JSON Lines": [
        upload(
            "".join(
                json.dumps(dict(zip(("query-id", "corpus-id", "score"), row, strict=True))) + "\n"
                for row in GOLD_ROWS
            ),
            "test.jsonl",
        ),
        upload(RUN, "bm25.run"),
    ],
    "MTEB, Parquet": [
        framed(
            [(q, d, float(g)) for q, d, g in GOLD_ROWS], ["query-id", "corpus-id", "score"], "test.parquet"
        ),
        object_of(SCORES, "NFCorpus_default_predictions.json"),
    ],
    "objects": [object_of(SCORES, "run.json"), object_of(JUDGED, "qrel.json")],
    "objects told by whole numbers": [object_of(SCORES, "a.json"), object_of(JUDGED, "b.json")],
    "object within subset and split": [
        upload(json.dumps({"mteb_model_meta": {"model_name": "m"}, "default": {"test": SCORES}}), "m.json"),
        upload(BEIR, "test.tsv"),
    ],
    "object over several lines": [upload(json.dumps(SCORES, indent=2), "a.json"), upload(BEIR, "test.tsv")],
    "grades 1.0 and no tag": [
        upload(tabbed([(q, 0, d, float(g)) for q, d, g in GOLD_ROWS]), "x.qrels"),
        upload(RUN.replace(" bm25", ""), "x.run"),
    ],
    "MS MARCO": [
        upload(tabbed([(q, 0, d, g) for q, d, g in GOLD_ROWS]), "qrels.dev.tsv"),
        upload(tabbed(ranks()), "dev.tsv"),
    ],
    "MS MARCO, ranks from 0": [
        upload(tabbed([(q, 0, d, g) for q, d, g in GOLD_ROWS]), "qrels.dev.tsv"),
        upload(tabbed(ranks(0)), "dev.tsv"),
    ],
    "MS MARCO, two fields": [
        upload(tabbed([(q, 0, d, g) for q, d, g in GOLD_ROWS]), "qrels.dev.tsv"),
        upload(tabbed([row[:2] for row in ranks()]), "top1000.dev.tsv"),
    ],
    "three fields with scores": [
        upload(tabbed([(q, 0, d, g) for q, d, g in GOLD_ROWS]), "qrels.dev.tsv"),
        upload(tabbed(RUN_ROWS), "dev.tsv"),
    ],
    "ColBERT, four fields": [
        upload(tabbed([(q, 0, d, g) for q, d, g in GOLD_ROWS]), "qrels.dev.tsv"),
        upload(tabbed([(*row, SCORES[row[0]][row[1]] + 0.25) for row in ranks()]), "ranking.tsv"),
    ],
    "three fields, told by their names": [
        upload(tabbed(GOLD_ROWS), "qrels.tsv"),
        upload(tabbed(ranks()), "run.tsv"),
    ],
    "PyTerrier": [
        upload(
            tabbed([(*row, 0, "what is it") for row in RUN_ROWS], ["qid", "docno", "score", "rank", "query"]),
            "res.tsv",
        ),
        upload(tabbed(GOLD_ROWS, ["qid", "docno", "label"]), "judged.tsv"),
    ],
    "ranx": [
        framed(RUN_ROWS, ["q_id", "doc_id", "score"], "a.parquet"),
        framed(GOLD_ROWS, ["q_id", "doc_id", "rel"], "b.parquet"),
    ],
    "ir_measures": [
        upload(tabbed(RUN_ROWS, ["query_id", "doc_id", "score"]), "a.tsv"),
        upload(tabbed(GOLD_ROWS, ["query_id", "doc_id", "relevance"]), "b.tsv"),
    ],
    "ranks under a header": [
        upload(tabbed(ranks(), ["qid", "docid", "rank"]), "a.tsv"),
        upload(BEIR, "test.tsv"),
    ],
}


@pytest.mark.parametrize("files", PAIRS.values(), ids=PAIRS.keys())
def test_runs_and_judgements_of_other_tools_are_read(files):
    for given in (files, files[::-1]):
        data = load(given)
        assert gold(data) == GOLD
        (model,) = data.rankings.lists
        assert lists(data, model) == RANKED
        assert data.queries is None
        assert ndcg_at_3(data) == NDCG
        assert all(source.n_rows == source.n_used for source in data.sources)
        seen = inspect(given)
        assert sorted(str(table.kind) for table in seen.tables) == ["qrels", "run"]
        assert seen.data is not None


@pytest.mark.parametrize("name", ["BEIR", "objects", "grades 1.0 and no tag", "MS MARCO", "PyTerrier"])
def test_they_are_read_on_the_command_line(name, tmp_path, capsys):
    for file in PAIRS[name]:
        (tmp_path / file.name).write_bytes(file.content)
    paths = [str(tmp_path / file.name) for file in PAIRS[name]]
    for at, inputs in enumerate((paths, [str(tmp_path)])):
        out = tmp_path / f"out_{at}"
        assert main(["evaluate", *inputs, "--ks", "3", "--out", str(out)]) == 0
        table = pd.read_csv(out / "metrics.csv")
        rows = table[(table["metric"] == "ndcg") & (table["params"] == "k=3")]
        assert set(NDCG.values()) <= set(rows["value"].round(4))
    assert main(["check", *paths]) == 0
    said = capsys.readouterr().out
    assert f"{PAIRS[name][0].name}: a " in said
    assert f"{PAIRS[name][1].name}: a " in said


def test_an_object_whose_query_has_no_documents_keeps_the_query():
    run, judged = {**SCORES, "q3": {}}, {**JUDGED, "q3": {"d9": 1}}
    data = load([object_of(run, "run.json"), object_of(judged, "qrels.json")])
    assert lists(data, "run") == {**RANKED, "q3": []}


def test_which_of_two_files_holds_the_judgements_is_asked_and_answered(tmp_path, capsys):
    files = [object_of({"q1": {"d1": 1, "d3": 3}}, "a.json"), object_of({"q1": {"d1": 1, "d3": 2}}, "b.json")]
    question = (
        "found files of which each may be the judgements or a run: a.json and b.json, expected a word on "
        "which file holds the judgements. Say --truth FILE with the name of that file, choose it on the Data "
        "page, or write qrels into its name. [RNK-120]"
    )
    assert refused(*files) == [question]
    assert [problem.severity for problem in inspect(files).problems] == ["choice"]
    answered = load(files, truth="b.json")
    assert gold(answered) == {"q1": {"d1": 1, "d3": 2}}
    assert list(answered.rankings.lists) == ["a"]
    paths = []
    for file in files:
        (tmp_path / file.name).write_bytes(file.content)
        paths.append(str(tmp_path / file.name))
    assert main(["evaluate", *paths]) == 2
    assert question in capsys.readouterr().err
    assert main(["evaluate", *paths, "--truth", "b.json"]) == 0
    assert main(["evaluate", paths[0], "--truth", paths[1]]) == 0
    assert main(["evaluate", *paths, "--truth", str(tmp_path / "c.json")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_whole_scores_beside_judgements_are_asked_about():
    files = [object_of({"q1": {"d1": 7, "d3": 9}}, "a.json"), upload("q1 0 d1 1\n", "x.qrels")]
    assert [line[-9:] for line in refused(*files)] == ["[RNK-120]"]
    assert lists(load(files, truth="x.qrels"), "a") == {"q1": ["d3", "d1"]}
    assert lists(load([object_of({"q1": {"d1": 7}}, "bm25_run.json"), files[1]]), "bm25_run") == {
        "q1": ["d1"]
    }


def test_tables_by_columns_or_rows_are_no_rankings():
    for text in (
        '{"y_true": {"0": 1, "1": 0}, "y_prob": {"0": 0.9, "1": 0.2}}',
        '{"0": {"y_true": 1, "y_prob": 0.9}, "1": {"y_true": 0, "y_prob": 0.2}}',
        '{"a": {"precision": 0.5, "recall": 1.0}, "b": {"precision": 0.5, "recall": 1.0}}',
        '{"prob": {"0": 0.1, "1": 0.9}, "label": 1}\n{"prob": {"0": 0.7, "1": 0.3}, "label": 0}\n',
    ):
        assert all(table.kind not in ("qrels", "run") for table in inspect(upload(text, "a.json")).tables)


def test_an_object_of_several_rankings_is_refused_by_name():
    text = json.dumps({"default": {"dev": SCORES, "test": SCORES}})
    found = refused(upload(text, "a.json"), upload(BEIR, "test.tsv"))
    assert found[0] == (
        "a.json: found an object of several rankings: dev, test, expected one ranking, {query: {document: "
        "number}}. Write the one that is meant into a file of its own. [RNK-122]"
    )


def test_comments_are_counted_as_comments():
    judged = upload("# judged by two\nq1 0 d1 1\n\n# the end", "x.qrels")
    source = load([judged, upload("q1 Q0 d1 1 2.0 r\n", "x.run")]).sources[0]
    assert (source.n_rows, source.n_used) == (4, 1)
    assert source.excluded == {"blank line": 1, "comment": 2}


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "-inf"])
def test_a_run_with_a_score_that_is_no_number_is_a_run_and_the_row_is_named(word, tmp_path, capsys):
    for run in (f"q1 Q0 d1 1 {word} r\n", f"q1 Q0 d1 1 {word} r\nq1 Q0 d2 2 1.0 r\n"):
        (tmp_path / "x.run").write_text(run)
        (tmp_path / "x.qrels").write_text("q1 0 d1 1\n")
        assert main(["evaluate", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert "x.run, line 1: found the score" in said
        assert "for d1 of query q1, expected a finite number" in said
        assert "RNK-009" not in said
        assert "FILE-019" not in said


def test_a_score_in_a_column_that_is_no_number_is_named_as_it_stands():
    run = upload("qid,docno,score\nq1,d1,high\nq1,d2,\nq1,d3,nan\n", "res.csv")
    place = "expected a finite number. Correct the score. [RNK-002]"
    assert refused(run, upload(BEIR, "test.tsv"))[:3] == [
        f"res.csv, row 1, column score: found the score high for d1 of query q1, {place}",
        f"res.csv, row 2, column score: found the score an empty cell for d2 of query q1, {place}",
        f"res.csv, row 3, column score: found the score nan for d3 of query q1, {place}",
    ]


def test_a_grade_that_is_no_whole_number_is_named():
    assert refused(upload(BEIR.replace("d3\t2", "d3\t0.5"), "qrels.tsv"), upload(RUN, "x.run")) == [
        "qrels.tsv, row 2, column score: found the relevance 0.5 of d3 for topic q1, expected a grade of "
        "relevance: a whole number, as in 2 or 2.0. Correct the grade. [RNK-121]"
    ]


def test_a_run_of_ranks_names_a_rank_that_comes_twice():
    run = upload("q1\td1\t1\nq1\td2\t2\nq1\td3\t2\n", "run.tsv")
    assert refused(run, upload(BEIR, "qrels.tsv"))[:1] == [
        "run.tsv, line 3: found rank 2 again for the query; line 2 has it already, expected each rank once "
        "in a list. Correct one of the two rows. [RNK-018]"
    ]


def test_a_result_table_of_pyterrier_alone_is_a_run():
    rows = tabbed([(*row, 0, "what is it") for row in RUN_ROWS], ["qid", "docno", "score", "rank", "query"])
    assert refused(upload(rows, "res.tsv")) == [
        "res.tsv: found a run without its qrels, expected qrels and run together. Give both files. [RNK-009]"
    ]


def test_a_result_table_of_pyterrier_with_labels_is_a_table_of_candidates():
    rows = tabbed(
        [(q, d, s, JUDGED[q].get(d, 0)) for q, d, s in RUN_ROWS], ["qid", "docno", "score", "label"]
    )
    data = load(upload(rows, "res.tsv"))
    assert gold(data) == GOLD
    assert lists(data, "score") == RANKED


def test_predictions_of_three_fields_stay_predictions():
    text = "p1\t1\t0.9\np2\t0\t0.2\n"
    assert [table.kind for table in inspect(upload(text, "x.tsv")).tables] == [None]
    given = {"query_id": "1", "has_evidence": "2", "probability": "3"}
    assert load(upload(text, "x.tsv"), columns=given, no_header=True).queries is not None


def test_candidates_beside_lists_stay_candidates():
    listed = upload("query_id,gold_ids,ranked_ids\nq1,d1,d2|d1\n", "lists.csv")
    found = upload("query_id,doc_id,score\nq1,d1,0.5\nq1,d2,0.7\n", "found.csv")
    assert [source.role for source in load([listed, found]).sources] == ["ranked_lists", "candidates"]


def test_what_is_wrong_in_a_file_of_a_folder_is_told(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("id,y_true,y_prob\na,1,0.9\nb,0,0.2,7\n")
    assert main(["evaluate", str(tmp_path)]) == 2
    assert "a.csv, row 2: found 4 fields" in capsys.readouterr().err


def test_predictions_about_pairs_of_query_and_document_stay_predictions():
    text = "qid,docid,y_true,score\nq1,d1,1,0.9\nq1,d2,0,0.2\n"
    assert [source.role for source in load(upload(text, "pairs.csv")).sources] == ["queries"]


def test_a_label_of_patients_is_no_judgement_of_documents():
    truth = upload("pid,topic,label\na,x,0\nb,x,0\nc,y,1\nd,y,1\n", "solution.csv")
    scores = upload("pid,prob\na,0.1\nb,0.4\nc,0.35\nd,0.8\n", "submission.csv")
    assert [source.role for source in load([truth, scores]).sources] == ["truth", "queries"]


def test_a_word_on_the_truth_that_nothing_comes_of_is_refused():
    lists_of = upload("post_id,gold_ids,ranked_ids\nx,a,a|b\n", "lists.csv")
    assert refused(lists_of, truth="lists.csv")[0].startswith(
        "found --truth lists.csv, expected a file of labels"
    )


def test_two_runs_in_one_file_are_told_apart_and_not_merged():
    both = RUN + RUN.replace("bm25", "dense")
    for keep_first in (False, True):
        said = refused(upload(both, "x.run"), upload(BEIR, "test.tsv"), keep_first=keep_first)
        assert said == [
            "x.run: found 2 runs in one file (tags 'bm25', 'dense'), both with query q1, expected one run in "
            "a file. Split the file by its tags and give each run as a file of its own: each is a model. "
            "[RNK-230]"
        ]


def test_ranks_against_the_scores_are_told():
    rows = [line.split() for line in RUN.splitlines()]
    against = "".join(" ".join([*row[:4], str(10 - float(row[4])), row[5]]) + "\n" for row in rows)
    columns = "query_id,docno,rank,score\n" + "".join(
        f"{query},{item},{rank},{score}\n"
        for query, _, item, rank, score, _ in map(str.split, against.splitlines())
    )
    for file in (upload(against, "x.run"), upload(columns, "x.csv")):
        data = load([file, upload(BEIR, "test.tsv")])
        assert any(problem.code == "RNK-231" for problem in data.warnings)
    data = load([upload(RUN, "x.run"), upload(BEIR, "test.tsv")])
    assert not any(problem.code == "RNK-231" for problem in data.warnings)


def test_parquet_of_ranx_is_read():
    names = ["q_id", "doc_id", "score"]
    files = [framed(RUN_ROWS, names, "a.parquet"), framed(GOLD_ROWS, names, "b.parquet")]
    assert ndcg_at_3(load(files)) == NDCG


@pytest.mark.parametrize(
    "settings", [{"models": ["a"]}, {"models": ["a", "a"]}, {"a": {"rate": 0.1, "depth": 2}}]
)
def test_settings_beside_a_run_are_no_run(tmp_path, settings):
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    (tmp_path / "run.json").write_text(json.dumps(RANKED))
    alone = ndcg_at_3(load(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(settings))
    data = load(tmp_path)
    assert list(data.rankings.lists) == ["run"]
    assert data.rankings.n_queries == 2
    assert ndcg_at_3(data) == alone
    (said,) = [one for one in data.warnings if one.code == "FILE-019"]
    assert said.file == "config.json"


def test_lists_in_a_folder_with_a_run_are_a_run_where_they_share_queries(tmp_path):
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    (tmp_path / "run.json").write_text(json.dumps(SCORES))
    (tmp_path / "other.json").write_text(json.dumps({"q1": ["d1"]}))
    assert set(load(tmp_path).rankings.lists) == {"run", "other"}
