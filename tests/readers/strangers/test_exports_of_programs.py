"""Predictions as Weka, Orange, Prodigy and databases write them: the right value, or what is open."""

import io
import json
import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import evaluate, load
from tests.support.reading import read, refused, upload, warned

ROWS = [(i % 3 == 0, (i * 7 % 20 + 1) / 25) for i in range(20)]


def expected():
    positive, negative = ([p for y, p in ROWS if y is wanted] for wanted in (True, False))
    pairs = [(a > b) + (a == b) / 2 for a in positive for b in negative]
    return math.fsum(pairs) / len(pairs)


def auroc(data):
    table = evaluate(data).table
    (value,) = table[(table["metric"] == "auroc") & (table["params"] == "")]["value"]
    return value


def weka(header, of_row, end="\n"):
    lines = [f"{i},{of_row(*row)}" for i, row in enumerate(ROWS, 1)]
    return end.join([f"inst#,actual,predicted,error,{header}", *lines]) + end


def classes(y, p):
    said = p > 0.5
    return f"{'2:pos' if y else '1:neg'},{'2:pos' if said else '1:neg'},{'+' if said is not y else ''}"


def distribution(y, p):
    shares = [f"*{1 - p:.3f}", f"{p:.3f}"] if p <= 0.5 else [f"{1 - p:.3f}", f"*{p:.3f}"]
    return ",".join([classes(y, p), *shares])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_distribution_of_weka_is_named_by_its_classes(end):
    text = weka("distribution,", distribution, end)
    (told,) = [line for line in refused(text) if "[COL-101]" in line]
    assert (
        "--column has_evidence=actual with --column probability=1:neg or --column probability=2:pos" in told
    )
    data = read(text, columns={"has_evidence": "actual", "probability": "2:pos"}, positive="2:pos")
    assert auroc(data) == pytest.approx(expected())
    assert [line[-10:] for line in warned(data)][:1] == ["[FILE-320]"]


def test_names_that_people_gave_to_the_distribution_stay():
    text = weka("neg_prob,pos_prob", distribution)
    data = read(text, columns={"has_evidence": "actual", "probability": "pos_prob"}, positive="2:pos")
    assert auroc(data) == pytest.approx(expected())


def test_the_score_of_wekas_predicted_class_is_asked_about():
    text = weka("prediction", lambda y, p: f"{classes(y, p)},{max(p, 1 - p):.3f}")
    assert not any("FILE-320" in line for line in refused(text))
    given = {"columns": {"has_evidence": "actual", "probability": "prediction"}, "positive": "2:pos"}
    assert any("--score-of" in line for line in refused(text, **given))
    assert auroc(read(text, **given, score_of="predicted")) == pytest.approx(expected())


ORANGE = "ward\tBayes (0)\tBayes (1)\tBayes\n{types}\n{roles}\n"


def orange(types="d\tc\tc\td", roles="class\tmeta\tmeta\tmeta", end="\n"):
    lines = [f"{int(y)}\t{1 - p:.3f}\t{p:.3f}\t{int(p > 0.5)}\n" for y, p in ROWS]
    return (ORANGE.format(types=types, roles=roles) + "".join(lines)).replace("\n", end)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("types", "roles"),
    [
        ("d\tc\tc\td", "class\tmeta\tmeta\tmeta"),
        ("discrete\tcontinuous\tcontinuous\tdiscrete", "class\tmeta color=#46befa\tshown=yes\t"),
    ],
)
def test_the_three_lines_of_an_orange_header_are_one(types, roles, end):
    columns = {"has_evidence": "ward", "probability": "Bayes (1)"}
    data = read(orange(types, roles, end), columns=columns)
    assert auroc(data) == pytest.approx(expected())
    assert data.sources[0].n_rows == len(ROWS)
    assert any("FILE-320" in line for line in warned(data))


def test_rows_that_only_look_like_such_a_header_are_rows():
    text = "id\tlabel\tprobability\tgroup\n" + "".join(
        f"{name}\t{i % 2}\t0.{i + 1}\t{name}\n" for i, name in enumerate("cdst")
    )
    assert read(text).sources[0].n_rows == 4


@pytest.mark.parametrize("values", ["1 0.9,0 0.1", "0 0.9,1 0.1", "1 0.9,2 0.5,3 0.7", "1 0.9,2 0.5,4 0.3"])
def test_labels_beside_scores_are_no_ranks_of_a_run(values):
    lines = [
        f"p{i}\tA.{j}\t" + one.replace(" ", "\t") for i in range(2) for j, one in enumerate(values.split(","))
    ]
    assert any("[FILE-030]" in line for line in refused("\n".join(lines) + "\n"))


def prodigy(label="EVIDENCE", answers=("accept", "reject")):
    records = [
        {"text": f"t{i}", "_task_hash": i, "label": label, "score": p, "answer": answers[0 if y else 1]}
        for i, (y, p) in enumerate(ROWS)
    ]
    return upload("\n".join(map(json.dumps, records)), "annotations.jsonl")


def test_what_prodigy_suggested_is_not_taken_for_what_was_answered():
    (told,) = [line for line in refused(prodigy()) if "[COL-030]" in line]
    assert "answer says whether it was accepted" in told
    assert "--column has_evidence=answer or --column has_evidence=label" in told
    data = load([prodigy()], columns={"has_evidence": "answer"}, positive="accept")
    assert auroc(data) == pytest.approx(expected())


def test_an_answer_that_is_no_verdict_is_no_rival():
    text = "id,label,score,answer\n" + "".join(f"{i},{i % 2},0.{i + 1},word{i % 2}\n" for i in range(8))
    assert read(text).sources[0].n_used == 8


@pytest.mark.parametrize("scale", [0, 2, 10, 18])
def test_labels_and_ids_stored_as_decimals_are_written_without_exponents(scale):
    kind = pa.decimal128(38, scale)
    columns = {
        "id": pa.array([Decimal(i) for i in range(20)], kind),
        "label": pa.array([Decimal(int(y)) for y, _ in ROWS], kind),
        "probability": [p for _, p in ROWS],
        "site": pa.array([Decimal(i % 2) for i in range(20)], kind),
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    data = load([upload(sink.getvalue(), "export.parquet")])
    assert auroc(data) == pytest.approx(expected())
    assert not any("E" in level for level in data.queries.slices["site"][1])
