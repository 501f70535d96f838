"""The rule applied: to numbers, and to files with or without labels; rows in are rows out."""

import csv
import gzip
import io
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalcore
from evalcore.__main__ import main
from evalcore.operating_point import (
    OperatingPoint,
    apply_to_file,
    choose_operating_point,
    decide,
    point_from_thresholds,
)
from evalcore.operating_point.document.canonical import content_sha256, id_of
from evalcore.problems import InputError
from evalcore.readers.inputs import Upload
from tests.support.made.scored_data import data_of, scored


def point_at(tau_neg, tau_pos, *, score_kind="probability", **edits):
    """A document with these thresholds; ``edits`` change parts of its rule or input."""
    data = data_of(scored([0.5], [0.1]), score_kind=score_kind)
    document = point_from_thresholds(data, tau_neg, tau_pos).document
    for part, changes in edits.items():
        document = document | (
            {part: document[part] | changes} if isinstance(changes, dict) else {part: changes}
        )
    document |= {"id": id_of(document)}
    return OperatingPoint(document | {"content_sha256": content_sha256(document)})


def csv_rows(raw):
    return list(csv.reader(io.StringIO(raw.decode())))


def decided(point, text, name="scores.csv"):
    return csv_rows(decide(point, Upload(name, text.encode())).csv)


def problems_of(point, text):
    with pytest.raises(InputError) as caught:
        decide(point, Upload("scores.csv", text.encode()))
    return str(caught.value)


# --- numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tau_neg", "tau_pos", "expected"),
    [
        (0.3, 0.8, ["NEG", "NEG", "UNCERTAIN", "UNCERTAIN", "POS", "POS"]),
        (0.1 + 0.2, 0.8, ["NEG", "NEG", "NEG", "UNCERTAIN", "POS", "POS"]),
        (0.8, 0.8, ["NEG", "NEG", "NEG", "NEG", "POS", "POS"]),
        (None, 0.8, ["UNCERTAIN", "UNCERTAIN", "UNCERTAIN", "UNCERTAIN", "POS", "POS"]),
        (0.3, None, ["NEG", "NEG", "UNCERTAIN", "UNCERTAIN", "UNCERTAIN", "UNCERTAIN"]),
        (None, None, ["UNCERTAIN"] * 6),
        (0.0, 0.0, ["POS"] * 6),
        (1.0, 1.0, ["NEG", "NEG", "NEG", "NEG", "NEG", "POS"]),
    ],
)
def test_the_literal_rule_decides_at_its_edges(tau_neg, tau_pos, expected):
    scores = [0.0, 0.2, 0.3, 0.1 + 0.2, 0.8, 1.0]
    assert point_at(tau_neg, tau_pos).apply(scores).tolist() == expected


@given(st.lists(st.floats(0, 1)), st.floats(0, 1), st.floats(0, 1))
def test_every_score_gets_the_state_of_the_plain_rule(scores, first, second):
    low, high = min(first, second), max(first, second)
    plain = ["NEG" if p < low else "POS" if p >= high else "UNCERTAIN" for p in scores]
    assert point_at(low, high).apply(scores).tolist() == plain


def test_the_shape_is_kept_and_texts_are_read():
    point = point_at(0.2, 0.8)
    assert point.apply([[0.1, 0.5], [0.8, 0.2]]).tolist() == [["NEG", "UNCERTAIN"], ["POS", "UNCERTAIN"]]
    assert point.apply(0.9).item() == "POS"
    assert point.apply(["0.1", " 8e-1 "]).tolist() == ["NEG", "POS"]
    assert point.apply([]).tolist() == []
    assert point.apply([0.0, 1.0]).tolist() == ["NEG", "POS"]


def test_scores_that_are_none_are_all_named_and_nothing_is_guessed():
    scores = [0.5, math.nan, 1.2, -0.1, math.inf]
    with pytest.raises(InputError) as caught:
        point_at(0.2, 0.8).apply(scores)
    assert [p.code for p in caught.value.problems] == ["DOC-006"] * 4
    assert str(caught.value.problems[1]) == (
        "row 3, column p: found 1.2, expected a number from 0 to 1 in every row. "
        "Correct the score; no row is guessed."
    )
    with pytest.raises(InputError) as caught:
        point_at(0.2, 0.8).apply([None, "", "1_0", "0.5 %", "٣", True])
    assert [p.found for p in caught.value.problems] == [
        "an empty cell",
        "an empty cell",
        "1_0",
        "0.5 %",
        "٣",
        "True",
    ]


@pytest.mark.parametrize(
    ("scores", "rows"),
    [
        ([True, 0.5], [1]),
        ([[0.5, 0.9], [False, 0.1]], [3]),
        (np.ma.masked_array([0.9, 0.1], mask=[True, False]), [1]),
        (np.ma.masked_array([1, 0], mask=[False, True]), [2]),
        (np.array([0, 1], "datetime64[ns]"), [1, 2]),
        (np.array([0, 1], "timedelta64[ns]"), [1, 2]),
        ([np.timedelta64(1, "ns"), 0.5], [1]),
        ([10**400], [1]),
        ([10**5000], [1]),
        ([np.ma.masked, 0.5], [1]),
        ([0.5, -(10**400), "x"], [2, 3]),
        ([0.5 + 0j], [1]),
    ],
)
def test_what_is_no_score_is_none_beside_scores_too(scores, rows):
    with pytest.raises(InputError) as caught:
        point_at(0.2, 0.8).apply(scores)
    assert [(p.code, p.row) for p in caught.value.problems] == [("DOC-006", row) for row in rows]


def test_a_masked_score_is_missing_on_a_scale_without_a_range():
    point = point_at(-1.5, 3.0, score_kind="score")
    with pytest.raises(InputError, match="row 2, column p: found an empty cell"):
        point.apply(np.ma.masked_array([0.5, 9.0], mask=[False, True]))


def test_a_number_stays_the_number_it_is_beside_texts():
    score = np.float32(0.7)  # 0.699999988…; as text 0.7
    point = point_at(0.2, 0.7)
    assert point.apply(["0.5", score]).tolist() == ["UNCERTAIN", "UNCERTAIN"]
    assert point.apply([score]).tolist() == ["UNCERTAIN"]
    assert point.apply(np.ma.masked_array([0.1, 0.9])).tolist() == ["NEG", "POS"]


def test_hundreds_of_bad_scores_are_counted_beyond_the_first_twenty():
    with pytest.raises(InputError) as caught:
        point_at(0.2, 0.8).apply(np.full(300, 7.0))
    assert (len(caught.value.problems), caught.value.n_more) == (20, 280)
    assert str(caught.value).endswith("… and 280 more like these.")


def test_a_document_may_send_invalid_scores_to_a_reader():
    point = point_at(0.2, 0.8, rule={"invalid_score": "UNCERTAIN"})
    assert point.apply([math.nan, 2.0, 0.9]).tolist() == ["UNCERTAIN", "UNCERTAIN", "POS"]


def test_another_scale_has_no_range():
    point = point_at(-1.5, 3.0, score_kind="score")
    assert point.apply([-100.0, -1.5, 3.0, 1e300]).tolist() == ["NEG", "UNCERTAIN", "POS", "POS"]
    with pytest.raises(InputError, match="expected a finite number in every row"):
        point.apply([math.inf])


def test_a_float32_document_rounds_scores_before_it_compares():
    tau = float(np.float32(0.3))
    point = point_at(0.1, tau, input={"dtype": "float32"})
    assert tau > 0.3
    assert point.apply([0.3]).tolist() == ["POS"]


def test_a_withdrawn_document_is_not_applied():
    with pytest.raises(InputError, match="found a withdrawn operating point, expected one that is in force"):
        point_at(0.2, 0.8, status="withdrawn").apply([0.5])


# --- files ------------------------------------------------------------------------------------------------

UNLABELLED = "post,criterion,p\ns2,A.1,0.1\ns1,A.9,0.2\ns1,A.1,0.79\ns0,A.1,0.8\n"


def test_a_file_without_labels_gets_a_state_for_every_row_in_its_order():
    assert decided(point_at(0.2, 0.8), UNLABELLED) == [
        ["post", "criterion", "p", "state"],
        ["s2", "A.1", "0.1", "NEG"],
        ["s1", "A.9", "0.2", "UNCERTAIN"],
        ["s1", "A.1", "0.79", "UNCERTAIN"],
        ["s0", "A.1", "0.8", "POS"],
    ]


def test_other_columns_and_labels_are_left_out():
    text = "note,label,p,post\nlong text,yes,0.9,s1\nlong text,perhaps,0.1,s1\n"
    assert decided(point_at(0.2, 0.8), text) == [
        ["post", "p", "state"],
        ["s1", "0.9", "POS"],
        ["s1", "0.1", "NEG"],
    ]


def test_rows_without_ids_are_numbered():
    assert decided(point_at(0.2, 0.8), "p\n0.9\n0.1\n") == [
        ["row", "p", "state"],
        ["1", "0.9", "POS"],
        ["2", "0.1", "NEG"],
    ]


@pytest.mark.parametrize("form", ["csv.gz", "parquet", "jsonl", "feather", "semicolon"])
def test_every_format_gives_the_same_decisions(tmp_path, form):
    frame = pd.read_csv(io.StringIO(UNLABELLED))
    path = tmp_path / f"scores.{form}"
    if form == "csv.gz":
        path.write_bytes(gzip.compress(UNLABELLED.encode()))
    elif form == "parquet":
        frame.to_parquet(path)
    elif form == "feather":
        frame.to_feather(path)
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        path.write_text(UNLABELLED.replace(",", ";").replace("0.", "0,"), encoding="utf-8")
    assert csv_rows(decide(point_at(0.2, 0.8), path).csv) == decided(point_at(0.2, 0.8), UNLABELLED)


def test_formulas_are_escaped_and_numbers_are_not():
    text = 'post,criterion,p\n"=HYPERLINK(""x"")",A.1,-0.5\n+cmd|calc,@x,0.2\n-5,"a,b",3\n-s1,\'=1,-1e-3\n'
    rows = decided(point_at(0.2, 0.8, score_kind="score"), text)
    assert rows[1:] == [
        ['\'=HYPERLINK("x")', "A.1", "-0.5", "NEG"],
        ["'+cmd|calc", "'@x", "0.2", "UNCERTAIN"],
        ["-5", "a,b", "3", "POS"],
        ["'-s1", "''=1", "-0.001", "NEG"],
    ]


def test_ids_stay_the_text_they_are():
    text = "post,criterion,p\n00017,NA,0.1\n17,null,0.1\n1E5,None,0.1\n9007199254740993,nan,0.1\n"
    assert [row[:2] for row in decided(point_at(0.2, 0.8), text)[1:]] == [
        ["00017", "NA"],
        ["17", "null"],
        ["1E5", "None"],
        ["9007199254740993", "nan"],
    ]


def test_scores_are_written_so_that_they_read_back_as_the_same_number():
    scores = [0.1 + 0.2, 1e-7, 5e-324, 1.0, 0.0]
    text = "p\n" + "\n".join(map(repr, scores)) + "\n"
    assert [float(row[1]) for row in decided(point_at(0.2, 0.8), text)[1:]] == scores


def test_bad_scores_of_a_file_are_named_with_their_rows():
    text = "post,p\ns1,0.5\ns2,1.3\ns3,\ns4,high\ns5,91%\ns6,nan\n"
    assert problems_of(point_at(0.2, 0.8), text).splitlines() == [
        f"scores.csv, row {row}, column p: found {found}, expected a number from 0 to 1 in every row. "
        "Correct the score; no row is guessed. [DOC-006]"
        for row, found in ((2, "1.3"), (3, "an empty cell"), (4, "high"), (5, "91%"), (6, "nan"))
    ]


@pytest.mark.parametrize("columns", ["post,p", "post,criterion,p"])
def test_a_file_of_bad_scores_only_is_refused_too(columns):
    point = point_at(0.2, 0.8, input={"aggregate": "maximum"} if "criterion" in columns else {})
    criterion = "A.1," if "criterion" in columns else ""
    text = problems_of(point, f"{columns}\ns1,{criterion}1.5\ns2,{criterion}-3\n")
    assert re.findall(r"row (\d), column p: found ([\d.−-]+),", text) == [("1", "1.5"), ("2", "-3")]


def test_a_missing_score_column_is_named():
    assert problems_of(point_at(0.2, 0.8), "post,probability\ns1,0.5\n") == (
        "scores.csv: found no column 'p'; the columns are post, probability, expected a column of the file. "
        "Check the spelling. [COL-002]"
    )


@pytest.mark.parametrize("text", ["", "p\n", 'post,p\ns1,"0.5\n', "post,p\ns1,0.5,7\n", "%PDF-1.7"])
def test_a_file_that_is_no_table_is_refused_in_words(text):
    assert problems_of(point_at(0.2, 0.8), text)


def test_rows_of_another_model_are_decided_and_told():
    point = point_at(0.2, 0.8, input={"model": {"name": "a p", "level": "a"}})
    text = "post,run,p\ns1,a,0.5\ns1,b,0.9\ns2,b,0.1\n"
    decisions = decide(point, Upload("scores.csv", text.encode()))
    assert csv_rows(decisions.csv)[1:] == [
        ["s1", "a", "0.5", "UNCERTAIN"],
        ["s1", "b", "0.9", "POS"],
        ["s2", "b", "0.1", "NEG"],
    ]
    assert [str(warning) for warning in decisions.warnings] == [
        "scores.csv, column run: found 2 rows of b. "
        "The thresholds were chosen for a: what they do to other scores is not known."
    ]
    assert decide(point, Upload("scores.csv", b"post,run,p\ns1,a,0.5\n")).warnings == ()
    assert decide(point, Upload("scores.csv", b"post,p\ns1,0.5\n")).warnings == ()


def test_a_score_that_is_a_maximum_over_candidates_decides_queries():
    point = point_at(0.2, 0.8, input={"aggregate": "maximum"})
    rows = ["s1,A.1,x,0.1", "s1,A.1,y,0.9", "s1,A.2,x,0.15", "s2,A.1,z,", "s2,A.1,u,0.5", "s1,A.1,w,0.3"]
    text = "\n".join(["post,criterion,sent_uid,p", *rows, ""])
    assert decided(point, text)[1:] == [
        ["s1", "A.1", "0.9", "POS"],
        ["s1", "A.2", "0.15", "NEG"],
        ["s2", "A.1", "0.5", "UNCERTAIN"],
    ]
    assert "row 2, column p: found an empty cell" in problems_of(
        point, "post,criterion,p\ns1,A.1,0.5\ns2,A.1,\n"
    )
    assert "row 2, column p: found 1.5" in problems_of(point, "post,criterion,p\ns1,A.1,0.5\ns1,A.1,1.5\n")
    assert "no column for post_id" in problems_of(point, "p\n0.5\n")


# --- writing ----------------------------------------------------------------------------------------------


def test_the_decisions_are_written_and_counted(tmp_path):
    (tmp_path / "scores.csv").write_text(UNLABELLED, encoding="utf-8")
    decisions = apply_to_file(point_at(0.2, 0.8), tmp_path / "scores.csv", tmp_path / "out" / "decisions.csv")
    assert decisions.n_by_state == {"NEG": 1, "UNCERTAIN": 2, "POS": 1}
    assert len((tmp_path / "out" / "decisions.csv").read_text(encoding="utf-8").splitlines()) == 5


def test_nothing_is_written_when_a_score_is_none(tmp_path):
    (tmp_path / "scores.csv").write_text("post,p\ns1,0.5\ns2,high\n", encoding="utf-8")
    with pytest.raises(InputError):
        apply_to_file(point_at(0.2, 0.8), tmp_path / "scores.csv", tmp_path / "out" / "decisions.csv")
    assert not (tmp_path / "out").exists()


def test_an_interrupted_write_leaves_what_stood_there(tmp_path, monkeypatch):
    (tmp_path / "scores.csv").write_text(UNLABELLED, encoding="utf-8")
    out = tmp_path / "decisions.csv"
    apply_to_file(point_at(0.1, 0.9), tmp_path / "scores.csv", out)
    before = out.read_bytes()

    def interrupted(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        apply_to_file(point_at(0.2, 0.8), tmp_path / "scores.csv", out)
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decisions.csv", "scores.csv"]


def test_a_missing_input_is_named(tmp_path):
    with pytest.raises(InputError, match="found no such file"):
        apply_to_file(point_at(0.2, 0.8), tmp_path / "none.csv", tmp_path / "out.csv")


def test_scores_stored_as_float32_are_decided_alike(tmp_path):
    rng = np.random.default_rng(11)
    label = rng.random(600) < 0.3
    score = np.round(np.where(label, rng.beta(3, 2, 600), rng.beta(1, 5, 600)), 2)
    frame = pd.DataFrame({"post_id": [f"s{at}" for at in range(600)], "y": label.astype(int), "p": score})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.astype({"p": np.float32}).to_parquet(tmp_path / "scores.parquet")
    data = evalcore.load(tmp_path / "scores.csv")
    point = choose_operating_point(data, screening_sensitivity=0.9, alert_precision=0.7, confidence=None)
    assert point.document["rule"]["changed_by_float32"] == 0
    stored, whole = (decide(point, tmp_path / name).states for name in ("scores.parquet", "scores.csv"))
    assert stored.tolist() == whole.tolist()
    tau = 0.7
    by_hand = point_from_thresholds(data, tau, 0.9)
    n = by_hand.document["rule"]["changed_by_float32"]
    stored = score.astype(np.float32).astype(float)
    assert n == int((((score < tau) != (stored < tau)) | ((score < 0.9) != (stored < 0.9))).sum()) > 0
    assert f"{n} checks of 600 on all rows get another state" in " ".join(by_hand.document["limits"])


def test_rows_of_test_that_float32_changes_are_counted_and_named():
    tune = scored([0.95] * 30, [0.1] * 30, split="tune")
    test = scored([0.95] * 30, [0.7] * 5 + [0.1] * 25, split="test", first_post=900)
    point = point_from_thresholds(data_of([*tune, *test]), 0.7, 0.9, tune="tune", test="test")
    assert point.document["rule"]["changed_by_float32"] == 5
    assert (
        "Where scores are stored as float32, 5 checks of 60 on test (split = test) get another state: decide "
        "on the float64 scores." in point.document["limits"]
    )
    assert OperatingPoint.from_bytes(point.text.encode()).document == point.document


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_document_of_older_rules_is_applied_with_a_word_on_it(tmp_path, capsys, version):
    old = Path(__file__).parents[1] / f"documents_{version.replace('.', '_')}"
    arguments = ["apply", str(old / "certified.json"), str(old / "queries.csv"), "--out"]
    assert main([*arguments, str(tmp_path / "decisions.csv")]) == 0
    told = capsys.readouterr()
    assert f"a document of schema {version}. Its thresholds apply as they did." in told.err
    assert "verify it on its data before you rely on its status" in told.err
    decisions = decide(OperatingPoint.load(old / "certified.json"), old / "queries.csv")
    assert [warning.code for warning in decisions.warnings] == ["DOC-034"]
