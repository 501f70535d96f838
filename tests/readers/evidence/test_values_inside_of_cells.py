"""Vectors, objects and lists of classes as predictions: the positive class is asked for, then read."""

import io
import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from evalcore.__main__ import main
from tests.support.layouts import Given
from tests.support.reading import read, refused

IDS, LABELS, SCORES = ("a", "b", "c", "d"), (0, 0, 1, 1), (0.1, 0.4, 0.35, 0.8)
VECTORS = [[round(1 - score, 2), score] for score in SCORES]
SECOND = {"probability": "probability[1]"}


@pytest.fixture
def given(tmp_path, capsys):
    return Given(tmp_path, capsys)


def lines(*fields) -> str:
    """JSON Lines with an id, a label and further fields of each row."""
    rows = zip(IDS, LABELS, *(list(values) for _, values in fields), strict=True)
    names = [name for name, _ in fields]
    return "\n".join(
        json.dumps({"id": one, "label": label, **dict(zip(names, more, strict=True))})
        for one, label, *more in rows
    )


def parquet(vectors: pa.Array) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table({"id": IDS, "label": LABELS, "probability": vectors}), sink)
    return sink.getvalue()


def csv(spell) -> str:
    rows = (f'{one},{label},"{spell(v)}"' for one, label, v in zip(IDS, LABELS, VECTORS, strict=True))
    return "\n".join(["id,label,probability", *rows])


VECTOR_FILES = {
    "list.parquet": parquet(pa.array(VECTORS)),
    "fixed.parquet": parquet(pa.array(VECTORS, pa.list_(pa.float32(), 2))),
    "lines.jsonl": lines(("probability", VECTORS)),
    "json.csv": csv(str),
    "numpy.csv": csv(lambda v: f"[{v[0]} {v[1]}]"),
    "tuple.csv": csv(lambda v: str([*v])),
}


@pytest.mark.parametrize("name", VECTOR_FILES)
def test_a_vector_is_asked_about_once_and_then_read(given, name):
    content = VECTOR_FILES[name]
    (said,) = given.refused(name, content)
    assert said.startswith(
        f"{name}, column probability: found several values in each cell, here with those of "
    )
    assert said.endswith(
        "expected one of them, the score of the positive class. Say which one it is, --column "
        "'probability=probability[0]' or --column 'probability=probability[1]', or choose it on the "
        "Data page. [COL-100]"
    )
    assert (
        given.auroc(
            name, content, "--column", "probability=probability[0]", columns={"probability": "probability[0]"}
        )
        == 0.25
    )


@pytest.mark.parametrize("name", VECTOR_FILES)
def test_the_data_page_offers_the_entries(given, name):
    (table,) = given.inspected(name, VECTOR_FILES[name]).tables
    assert table.suggestions["probability"] == ("probability[0]", "probability[1]")
    assert table.columns == ("id", "label", "probability", "probability[0]", "probability[1]")
    (table,) = given.inspected(name, VECTOR_FILES[name], columns=SECOND).tables
    assert table.mapping["probability"] == ("probability[1]",)


def test_an_object_of_classes_is_asked_about_and_read(given):
    text = lines(("probability", [{"0": no, "1": yes} for no, yes in VECTORS]))
    (said,) = given.refused("x.jsonl", text)
    assert "probability.0 (0.9), probability.1 (0.1)" in said
    chosen = {"probability": "probability.1"}
    assert given.auroc("x.jsonl", text, "--column", "probability=probability.1", columns=chosen) == 0.75


def vertex() -> str:
    """Predictions with their classes in another order in every other row, as services write them."""
    rows = []
    for n, (one, label, (no, yes)) in enumerate(zip(IDS, LABELS, VECTORS, strict=True)):
        classes, scores = (["0", "1"], [no, yes]) if n % 2 else (["1", "0"], [yes, no])
        instance = {"row_id": one, "outcome": str(label), "text": "I have not slept for many nights"}
        rows.append({"instance": instance, "prediction": {"classes": classes, "scores": scores}})
    return "\n".join(map(json.dumps, rows))


def test_scores_are_found_by_their_class_wherever_it_stands(given):
    said = given.refused("prediction.results.jsonl", vertex())
    assert said == [
        "prediction.results.jsonl: found columns that fit no known table, with values inside of their cells, "
        "here of the first row: instance.row_id, instance.outcome (0), prediction.1 (0.1), prediction.0 (0.9)"
        ", expected a label, and the score of the positive class. Name them, such as --column "
        "has_evidence=instance.outcome with --column probability=prediction.1 or --column "
        "probability=prediction.0, or choose them on the Data page. [COL-101]"
    ]
    columns = {
        "has_evidence": "instance.outcome",
        "probability": "prediction.1",
        "post_id": "instance.row_id",
    }
    options = [word for role, name in columns.items() for word in ("--column", f"{role}={name}")]
    assert given.auroc("prediction.results.jsonl", vertex(), *options, columns=columns) == 0.75
    assert list(read(vertex(), columns=columns).queries.post_ids) == list(IDS)


def test_text_inside_of_cells_is_shown_nowhere(given):
    assert "slept" not in repr(given.inspected("x.jsonl", vertex()))
    cell = '"{""p"": 0.%d, ""text"": ""I have not slept for many nights""}"'
    text = "id,label,prediction\n" + "".join(f"{n},{n % 2},{cell % n}\n" for n in range(1, 9))
    found = given.inspected("x.csv", text)
    assert found.tables[0].columns == ("id", "label", "prediction", "prediction.p")
    assert "slept" not in repr(found)


PIPELINE = [[{"label": "NO", "score": no}, {"label": "YES", "score": yes}] for no, yes in VECTORS]


@pytest.mark.parametrize(
    "text",
    [
        lines(("prediction", PIPELINE)),
        lines(("prediction", [sorted(one, key=lambda o: -o["score"]) for one in PIPELINE])),
        lines(("prediction", [{"labels": ["YES", "NO"], "scores": v[::-1]} for v in VECTORS])),
        "id,label,prediction\n"
        + "\n".join(f'{i},{y},"{p}"' for i, y, p in zip(IDS, LABELS, PIPELINE, strict=True)),
    ],
    ids=["all classes", "best first", "two lists", "a Python list in a cell"],
)
def test_lists_of_classes_are_asked_about_and_read(given, text):
    (said,) = given.refused("x.txt", text)
    assert said.startswith("x.txt, column prediction: found several values in each cell")
    assert "--column probability=prediction.YES" in said
    chosen = {"probability": "prediction.YES"}
    assert given.auroc("x.txt", text, "--column", "probability=prediction.YES", columns=chosen) == 0.75


def test_the_best_class_alone_is_the_score_of_the_predicted_class(given):
    best = [[max(one, key=lambda o: o["score"])] for one in PIPELINE]
    text = lines(("prediction", best)).replace('"YES"', '"1"').replace('"NO"', '"0"')
    columns = {"probability": "prediction[0].score"}
    options = ["--column", "probability=prediction[0].score"]
    (said,) = given.refused("x.jsonl", text, *options, columns=columns)
    assert "[QRY-085]" in said
    assert "prediction[0].label names a class" in said
    options += ["--score-of", "predicted"]
    assert given.auroc("x.jsonl", text, *options, columns=columns, score_of="predicted") == 0.75


def test_a_score_inside_of_an_output_is_asked_about(given):
    outputs = [{"score": score, "predicted_label": int(score >= 0.5)} for score in SCORES]
    text = lines(("SageMakerOutput", outputs))
    (said,) = given.refused("x.jsonl.out", text)
    assert "--column probability=SageMakerOutput.score" in said
    chosen = {"probability": "SageMakerOutput.score"}
    options = ["--column", "probability=SageMakerOutput.score"]
    assert given.auroc("x.jsonl.out", text, *options, columns=chosen) == 0.75


def test_a_class_that_a_row_lacks_is_named_with_the_row():
    rows = [*PIPELINE[:3], PIPELINE[3][:1]]
    assert refused(lines(("prediction", rows)), columns={"probability": "prediction.YES"}) == [
        "predictions.csv, row 4, column prediction.YES: found an empty cell, expected a probability from 0 "
        "to 1. Fill the cell or leave the row out. [QRY-005]",
        "predictions.csv: found every row as its own post. There is no post or criterion column: rows are "
        "treated as independent. [QRY-010]",
    ]


def test_a_label_inside_of_an_object_is_named():
    rows = [{"id": i, "label": {"value": y}, "score": s} for i, y, s in zip(IDS, LABELS, SCORES, strict=True)]
    text = "\n".join(map(json.dumps, rows))
    (said, *_) = refused(text)
    assert said.endswith("Give the value that is meant: --column has_evidence=label.value. [COL-020]")
    assert read(text, columns={"has_evidence": "label.value"}).queries.has_evidence.tolist() == [0, 0, 1, 1]


def test_ids_inside_of_objects_stay_as_they_are_written():
    row = '{"of": {"id": %s, "at": 0.5}, "label": %d, "score": 0.5}'
    text = "\n".join([row % ("1.10", 0), row % ("9007199254740993", 1), row % ("1.1", 1)])
    assert read(text, columns={"post_id": "of.id"}).queries.post_ids.tolist() == [
        "1.10",
        "9007199254740993",
        "1.1",
    ]


def test_lists_of_ids_and_embeddings_are_no_scores(given):
    long = [[0.5] * 30] * 4
    (table,) = given.inspected("x.jsonl", lines(("embedding", long), ("score", SCORES))).tables
    assert table.columns == ("id", "label", "embedding", "score")
    rows = [{"post_id": p, "gold_ids": [g], "ranked_ids": [2, g]} for p, g in (("p1", 1), ("p2", 4))]
    text = "\n".join(map(json.dumps, rows))
    (table,) = given.inspected("x.jsonl", text).tables
    assert table.columns == ("post_id", "gold_ids", "ranked_ids")


def test_a_score_beside_objects_is_taken_as_it_is():
    assert read(lines(("meta", [{"a": 0.5}] * 4), ("score", SCORES))).queries.models == ("score",)


def test_a_cell_that_is_no_vector_is_named_among_vectors():
    text = csv(str).replace("[0.2, 0.8]", "high")
    assert "several values in each cell" in refused(text)[0]
    assert refused(text, columns=SECOND)[0] == (
        "predictions.csv, row 4, column probability[1]: found high, expected a probability from 0 to 1. "
        "Correct the score or leave the row out. [QRY-003]"
    )


def test_objects_without_a_score_are_no_offer():
    assert "[COL-006]" in refused('{"metrics": [{"name": "x", "value": 7}], "schema": 1}')[0]


def test_a_column_and_a_value_inside_of_it_are_read_together():
    data = read(csv(str), columns={**SECOND, "cluster": "probability"})
    assert data.queries.score.tolist() == list(SCORES)
    assert data.queries.slices["cluster"][1] == tuple(str(v) for v in VECTORS)


def test_thresholds_chosen_on_a_class_inside_are_applied_and_verified(tmp_path, capsys):
    rows = [
        {
            "id": f"p{n}",
            "label": n % 2,
            "pred": [{"label": "NO", "score": 1 - p}, {"label": "YES", "score": p}],
        }
        for n, p in enumerate((n % 2) / 2 + (n % 97) / 200 for n in range(400))
    ]
    source, point, out = (str(tmp_path / name) for name in ("rows.json", "point.json", "decisions.csv"))
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    chosen = ["--column", "probability=pred.YES", "--screening-sensitivity", "0.9", "--out", point]
    assert main(["choose", source, *chosen]) == 0
    assert main(["verify", point, source]) == 0
    capsys.readouterr()
    assert main(["apply", point, source, "--out", out]) == 0, capsys.readouterr().err
    assert len((tmp_path / "decisions.csv").read_text().splitlines()) == 401


def test_a_class_with_several_scores_in_a_row_is_refused():
    several = [[*one, {"label": "YES", "score": 0.3}] for one in PIPELINE[:2]] + PIPELINE[2:]
    said = (
        "predictions.csv, row 1, column prediction.YES: found 2 scores of YES in one cell, here and in 2 "
        "of 4 rows in all, expected one score of each class in a row."
    )
    assert refused(lines(("prediction", several)), columns={"probability": "prediction.YES"})[0].startswith(
        said
    )
    lists = [{"labels": [o["label"] for o in one], "scores": [o["score"] for o in one]} for one in several]
    assert refused(lines(("prediction", lists)), columns={"probability": "prediction.YES"})[0].startswith(
        said
    )


@pytest.mark.parametrize(
    "names",
    [
        ("Name", "Score"),
        ("tagName", "probability"),
        ("value", "confidence"),
        ("className", "score"),
        ("label", "value"),
        ("name", "value"),
        ("answer", "weight"),
    ],
    ids="/".join,
)
def test_scores_sorted_by_score_are_found_by_their_class(given, names):
    best_first = [sorted(one, key=lambda o: -o["score"]) for one in PIPELINE]
    text = lines(
        ("Classes", [[dict(zip(names, o.values(), strict=True)) for o in one] for one in best_first])
    )
    (table,) = given.inspected("x.jsonl", text).tables
    assert table.columns[3:] == ("Classes.NO", "Classes.YES")
    options = ["--column", "probability=Classes.YES"]
    assert given.auroc("x.jsonl", text, *options, columns={"probability": "Classes.YES"}) == 0.75


def test_pairs_and_two_columns_of_lists_are_found_by_their_class(given):
    best_first = [sorted(one, key=lambda o: -o["score"]) for one in PIPELINE]
    pairs = lines(("scores", [[[*o.values()] for o in one] for one in best_first]))
    two = lines(
        ("labels", [[o["label"] for o in one] for one in best_first]),
        ("scores", [[o["score"] for o in one] for one in best_first]),
    )
    apart = lines(
        ("scores", [[*map(list, zip(*(o.values() for o in one), strict=True))] for one in best_first])
    )
    for text in (pairs, two, apart):
        (table,) = given.inspected("x.jsonl", text).tables
        assert not any("[" in name for name in table.columns)
        options = ["--column", "probability=scores.YES"]
        assert given.auroc("x.jsonl", text, *options, columns={"probability": "scores.YES"}) == 0.75


def test_a_class_beside_its_score_is_not_offered_as_the_truth(given):
    best = [{"label": "YES" if yes >= no else "NO", "score": max(no, yes)} for no, yes in VECTORS]
    rows = [{"key": i, "prediction": one} for i, one in zip(IDS, best, strict=True)]
    text = "\n".join(map(json.dumps, rows))
    (said,) = given.refused("x.jsonl", text)
    assert "--column has_evidence=NAME with --column probability=prediction.score (no column here" in said
    rows = [{**row, "truth": y} for row, y in zip(rows, ("no", "no", "yes", "yes"), strict=True)]
    (said,) = given.refused("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert "such as --column has_evidence=truth with --column probability=prediction.score, or" in said
