"""A score of the predicted class, and a prediction that bears the label's name: asked, never assumed."""

import json
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import inspect
from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint, choose_operating_point, decide
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.tasks import performed
from tests.support.inputs import CASES
from tests.support.reading import read, refused, upload, warned

ROOT = Path(__file__).resolve().parents[2]
HUGGING_FACE = (
    "id,label,pred_label,score\nr1,0,LABEL_0,0.97\nr2,0,LABEL_0,0.88\nr3,1,LABEL_1,0.91\nr4,1,LABEL_1,0.60\n"
    "r5,0,LABEL_0,0.99\nr6,1,LABEL_0,0.55\nr7,0,LABEL_1,0.52\nr8,1,LABEL_1,0.95\n"
)
PYCARET = "patient,age,outcome,Label,Score\n" + "".join(
    f"{row},{50 + at},{truth},{said},{score}\n"
    for at, (row, truth, said, score) in enumerate(
        line.replace("LABEL_", "").split(",") for line in HUGGING_FACE.splitlines()[1:]
    )
)
ASKED = (
    "predictions.csv, column score: found no score below 0.5 in 8 rows, and pred_label names a class: the "
    "score "
    "may be that of the predicted class, expected the score of the positive class, or a word on whose it "
    "is. Say "
    "--score-of predicted (p = score where pred_label is LABEL_1, otherwise 1 − score) or --score-of "
    "positive "
    "(the score is used as it stands), or choose it on the Data page. [QRY-085]"
)
WORDS = str.maketrans({"0": "no", "1": "yes"})


def auroc_of(data):
    table = evalcore.evaluate(data).table
    return table[(table["metric"] == "auroc") & (table["variant"] == "default")]["value"].tolist()


def choice(text, **options):
    """The first problem, which stops the reading."""
    return refused(text, **options)[0]


def test_both_signs_are_asked_about_with_the_conversion():
    assert choice(HUGGING_FACE) == ASKED


def test_the_score_of_the_predicted_class_is_converted_as_asked_and_that_is_said():
    data = read(HUGGING_FACE, score_of="predicted")
    assert auroc_of(data) == [0.9375]
    assert data.queries.score[:3].tolist() == [1 - 0.97, 1 - 0.88, 0.91]
    assert data.notes == (
        "predictions.csv: p = score where pred_label is LABEL_1, otherwise 1 − score, as you said.",
    )
    assert data.score_of == "predicted"


def test_the_score_of_the_positive_class_stands_as_it_is():
    data = read(HUGGING_FACE, score_of="positive")
    assert auroc_of(data) == [0.375]
    assert (data.score_of, data.notes) == ("positive", ())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("LABEL_0,0.97", "LABEL_0,0.49"),  # a score below 0.5
        lambda text: text.replace("LABEL_0", "").replace("LABEL_1", ""),  # no prediction
        lambda text: text.replace("LABEL_0", "LABEL_1"),  # every prediction is the positive class
    ],
)
def test_one_sign_alone_asks_nothing(change):
    assert read(change(HUGGING_FACE)).score_of is None


def test_a_score_on_another_scale_is_not_asked_about():
    assert read(HUGGING_FACE, score_kind="score").score_of is None
    assert choice(HUGGING_FACE, score_kind="score", score_of="predicted").endswith("[QRY-087]")


def test_one_sign_in_many_rows_is_told():
    rows = "".join(f"r{at},{at % 2},{0.5 + at / 100}\n" for at in range(40))
    (told,) = (line for line in warned(read("id,label,score\n" + rows)) if "QRY-088" in line)
    assert told.startswith(
        "predictions.csv, column score: found no score below 0.5 in 40 rows, 20 of them without"
    )


def test_labels_in_words_are_asked_for_at_once_with_the_score():
    text = "id,label,pred_label,score\n" + "".join(
        f"{row},{truth.translate(WORDS)},{said[-1].translate(WORDS)},{score}\n"
        for row, truth, said, score in (line.split(",") for line in HUGGING_FACE.splitlines()[1:])
    )
    asked = refused(text)
    assert [line[-9:] for line in asked][:2] == ["[QRY-001]", "[QRY-085]"]
    assert "p = score where pred_label is the positive label" in asked[1]
    assert [line[-9:] for line in refused(text, score_of="predicted")] == ["[QRY-001]", "[QRY-010]"]
    assert auroc_of(read(text, positive="yes", score_of="predicted")) == [0.9375]
    assert auroc_of(read(text, positive="no", score_of="predicted")) == [0.9375]


def test_predictions_in_other_words_than_the_labels_convert_nothing():
    text = HUGGING_FACE.replace("LABEL_0", "bad").replace("LABEL_1", "good")
    assert choice(text).endswith("[QRY-085]")
    assert refused(text, score_of="predicted")[0] == (
        "predictions.csv, column pred_label: found the predictions bad and good beside the labels 1 or 0: "
        "which of them means 1 is not said, expected a word on which predicted class is the positive one. "
        "Say --positive 1=bad or --positive 1=good, or choose it on the Data page. [QRY-266]"
    )
    some = text.replace(",good,", ",1,", 1)
    assert "[QRY-086]" in "".join(refused(some, score_of="predicted"))
    unknown = refused(text, score_of="predicted", positive="maybe")
    assert [line[-9:] for line in unknown] == ["[QRY-008]", "[QRY-010]"]


WORDS_OF_TOOLS = (("NEGATIVE", "POSITIVE"), ("LABEL_0", "LABEL_1"), ("False", "True"), ("bad", "good"))


@pytest.mark.parametrize("words", WORDS_OF_TOOLS)
@pytest.mark.parametrize("labels", [("no", "yes"), ("0", "1")])
def test_predictions_in_other_words_are_asked_for_and_converted_as_said(words, labels):
    lines = [line.split(",") for line in HUGGING_FACE.splitlines()[1:]]
    rows = [(row, labels[int(truth)], words[int(said[-1])], score) for row, truth, said, score in lines]
    text = "id,label,pred_label,score\n" + "".join(",".join(row) + "\n" for row in rows)
    if labels[1] == "yes":
        (asked,) = [line for line in refused(text, positive="yes", score_of="predicted") if "QRY-266" in line]
        assert all(f"--positive yes={word}" in asked for word in words)
    said = read(text, positive=f"{labels[1]}={words[1]}", score_of="predicted")
    assert auroc_of(said) == [0.9375]
    assert said.positive == f"{labels[1]}={words[1]}"
    turned = read(text, positive=f"{labels[1]}={words[0]}", score_of="predicted")
    assert auroc_of(turned) != [0.9375]


def test_a_document_keeps_which_prediction_means_the_positive_label():
    text = many().replace("LABEL_1", "POSITIVE").replace("LABEL_0", "NEGATIVE")
    lines = [line.split(",") for line in text.splitlines()]
    at = lines[0].index("label")
    for line in lines[1:]:
        line[at] = {"1": "yes", "0": "no"}[line[at]]
    text = "\n".join(map(",".join, lines)) + "\n"
    point = point_on(text, score_of="predicted", positive="yes=POSITIVE")
    assert point.document["input"]["positive_label"] == "yes=POSITIVE"
    file = Upload("new.csv", text.encode())
    scores = read(text, score_of="predicted", positive="yes=POSITIVE").queries.score
    assert (decide(point, file).states == point.rule.states(scores)).all()


def test_a_score_of_the_predicted_class_needs_the_prediction_and_one_score():
    without = HUGGING_FACE.replace("pred_label", "remark").replace("label", "y_true")
    assert "but no column holds the prediction" in choice(without, score_of="predicted")
    assert auroc_of(read(without, score_of="predicted", columns={"predicted_label": "remark"})) == [0.9375]
    two = "id,label,pred_label,a,b\nx,0,0,0.9,0.8\ny,1,1,0.7,0.6\n"
    found = choice(two, columns={"probability": ["a", "b"]}, score_of="predicted")
    assert "there are several scores (a and b) beside one prediction" in found


def test_a_prediction_does_not_become_the_label():
    assert choice(PYCARET) == (
        "predictions.csv: found two columns that could be the label: 'Label', which may be a prediction "
        "(outcome is a "
        "name for the truth), and 'outcome', expected the label that people or records gave. Name it with "
        "--column "
        "has_evidence=outcome or --column has_evidence=Label, or choose it on the Data page. [COL-030]"
    )
    outcome = {"has_evidence": "outcome"}
    assert "Label names a class: the score may be" in choice(PYCARET, columns=outcome)
    assert auroc_of(read(PYCARET, columns=outcome, score_of="predicted")) == [0.9375]
    assert auroc_of(read(PYCARET, columns={"has_evidence": "Label"})) == [0.3125]


@pytest.mark.parametrize("score", ["Score", "p"])
def test_a_label_that_the_score_decided_is_asked_about_whatever_the_other_is_called(score):
    text = PYCARET.replace("outcome", "seen_by_nurse").replace("Score", score)
    assert choice(text).startswith(
        "predictions.csv: found two columns that could be the label: 'Label', which may be a prediction (no "
    )
    decided = "id,label,flag,p\na,1,0,0.9\nb,0,1,0.2\nc,1,1,0.7\nd,0,0,0.4\n"
    assert "(it says 1 exactly where p is 0.5 or more), and 'flag'" in choice(decided)


def test_a_group_beside_the_label_is_no_second_label():
    assert read("id,label,female,p\na,1,0,0.9\nb,0,1,0.6\nc,1,1,0.3\nd,0,0,0.4\n").queries.slices.keys() == {
        "female"
    }


def test_inspection_leaves_the_label_open_and_offers_both():
    (table,) = inspect(upload(PYCARET)).tables
    assert "has_evidence" not in table.mapping
    assert table.suggestions["has_evidence"] == ("outcome", "Label")


def names_and_counts(data):
    return {one.name: (one.n_rows_checked, len(one.problems)) for one in performed(data)}


def test_passed_counts_rows_that_could_be_compared():
    text = "id,label,pred_label,p\na,1,1,0.9\nb,0,0,0.2\nc,1,maybe,0.7\nd,0,0,0.4\n"
    found = names_and_counts(read(text))
    assert found["Predicted labels follow from p"] == (3, 0)
    assert found["Predicted labels are labels"] == (4, 1)
    assert any(
        "predictions that are not the labels in 1 of 4 rows: maybe" in one for one in warned(read(text))
    )


def test_what_could_not_be_compared_did_not_pass():
    text = "id,label,pred_label,p\na,1,good,0.9\nb,0,bad,0.2\nc,1,good,0.7\nd,0,bad,0.4\n"
    found = names_and_counts(read(text))
    assert "Predicted labels follow from p" not in found
    assert found["Predicted labels are labels"] == (4, 1)
    assert "Calibration error" not in found  # too few of either class
    assert "Separation" not in names_and_counts(read("id,label,p\na,1,0.9\nb,1,0.2\n"))


def test_states_in_unknown_words_did_not_pass():
    text = "id,label,p,state,tau_neg,tau_pos\na,1,0.9,POS,0.1,0.5\nb,0,0.2,RED,0.1,0.5\n"
    assert names_and_counts(read(text))["States follow from thresholds"] == (1, 0)


def many(n=300, seed=1):
    """A file of scores of the predicted class."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    p = np.clip(0.45 * label + 0.55 * rng.random(n), 0, 1).round(4)
    said = p >= 0.5
    rows = (
        f"r{at},{int(y)},LABEL_{int(s)},{(q if s else 1 - q):.4f}\n"
        for at, (y, s, q) in enumerate(zip(label, said, p, strict=True))
    )
    return "id,label,pred_label,score\n" + "".join(rows)


def test_a_point_remembers_whose_score_it_was_chosen_on(tmp_path, capsys):
    file, out, decisions = (str(tmp_path / name) for name in ("hf.csv", "point.json", "decisions.csv"))
    (tmp_path / "hf.csv").write_text(many())
    assert main(["choose", file, "--score-of", "predicted", "--point", "--out", out]) in (0, 1)
    told = capsys.readouterr().err
    assert "hf.csv: label label, score score, prediction pred_label, query id" in told
    assert "p = score where pred_label is LABEL_1" in told
    given = json.loads((tmp_path / "point.json").read_text())["input"]
    assert (given["score_of"], given["columns"]["prediction"], given["score_field"]) == (
        "predicted",
        "pred_label",
        "score",
    )
    assert main(["verify", out, file]) == 0
    assert main(["verify", out, file, "--score-of", "positive"]) == 1
    assert main(["apply", out, file, "--out", decisions]) == 0
    capsys.readouterr()
    data = evalcore.load(file, score_of="predicted")
    states = OperatingPoint.load(out).rule.states(data.queries.score)
    assert [line.split(",")[2] for line in (tmp_path / "decisions.csv").read_text().splitlines()] == [
        "state",
        *states,
    ]


def point_on(text, **options):
    return choose_operating_point(read(text, **options), confidence=None)


def test_a_file_without_the_prediction_is_not_decided_on():
    point = point_on(many(), score_of="predicted")
    with pytest.raises(InputError, match="no column 'pred_label'"):
        decide(point, Upload("scores.csv", b"id,score\nr1,0.9\n"))
    with pytest.raises(InputError, match="the prediction 'maybe'"):
        decide(point, Upload("scores.csv", b"id,pred_label,score\nr1,maybe,0.9\nr2,LABEL_1,0.8\n"))
    with pytest.raises(InputError, match="without the predicted classes"):
        point.apply([0.9])
    assert (point.apply([0.9, 0.9], predicted=[True, False]) == point.rule.states([0.9, 1 - 0.9])).all()


def test_a_document_on_the_positive_class_is_not_applied_to_scores_of_the_predicted_one():
    positive = "id,label,score\n" + "".join(f"r{at},{at % 3 == 0:d},{at / 100}\n" for at in range(100))
    point = point_on(positive)
    file = Upload("scores.csv", HUGGING_FACE.encode())
    with pytest.raises(InputError) as error:
        decide(point, file)
    assert [problem.code for problem in error.value.problems] == ["QRY-085"]
    p = read(HUGGING_FACE, score_of="predicted").queries.score
    decided = decide(point, file, score_of="predicted")
    assert (decided.score == p).all()
    assert decided.score_name == "p"
    assert (decide(point, file, score_of="positive").score >= 0.5).all()


def test_a_score_on_another_scale_has_no_other_class():
    rows = "".join(f"r{at},{at % 3 == 0:d},{at - 40}\n" for at in range(100))
    point = point_on("id,label,score\n" + rows, score_kind="score")
    assert len(decide(point, Upload("scores.csv", HUGGING_FACE.encode())).states) == 8
    with pytest.raises(InputError, match="the document's scores are on another scale"):
        decide(point, Upload("scores.csv", HUGGING_FACE.encode()), score_of="predicted")


def test_the_answer_positive_is_remembered_and_not_asked_again():
    point = point_on(many(), score_of="positive")
    assert point.document["input"]["score_of"] == "positive"
    assert "prediction" not in point.document["input"]["columns"]
    assert len(decide(point, Upload("scores.csv", many().encode())).states) == 300


def test_where_nothing_was_asked_nothing_is_written():
    positive = "id,label,score\n" + "".join(f"r{at},{at % 3 == 0:d},{at / 100}\n" for at in range(100))
    for options in ({}, {"score_of": "positive", "files_as": "parts"}):
        given = point_on(positive, **options).document["input"]
        assert not {"score_of", "files_as"} & given.keys()
        assert "prediction" not in given["columns"]


@pytest.mark.parametrize("command", ["check", "evaluate", "crosscheck", "sweep"])
def test_every_command_asks(command, tmp_path, capsys):
    (tmp_path / "hf.csv").write_text(HUGGING_FACE)
    assert main([command, str(tmp_path / "hf.csv")]) in (1, 2)
    assert "QRY-085" in capsys.readouterr().err
    assert main([command, str(tmp_path / "hf.csv"), "--score-of", "predicted"]) in (0, 1)
    assert "QRY-085" not in capsys.readouterr().err


def test_annotations_have_no_score_to_ask_about(capsys):
    assert main(["check", str(ROOT / "sample_data" / "rag"), "--score-of", "predicted"]) == 2
    assert "--score-of for annotations" in capsys.readouterr().err


def test_a_file_of_240_rows_gives_its_published_values():
    data = evalcore.load(CASES / "public" / "09d_hf_240.csv", score_of="predicted")
    table = evalcore.evaluate(data).table
    values = table[table["variant"] == "default"].set_index("metric")["value"]
    assert round(values["auroc"], 4) == 0.7970
    assert round(values["sensitivity"], 4) == 0.6053


POSITIVE_SCORES = "id,label,score\n" + "".join(f"r{at},{at % 3 == 0:d},{at / 100}\n" for at in range(100))
PIPELINE = "id,label,score\n" + "".join(
    f"r{at},{'NEGATIVE' if at < 50 else 'POSITIVE'},{max(at, 100 - at) / 100}\n" for at in range(100)
)


def codes(text, **options):
    return [line.rsplit("[", 1)[-1].rstrip("]") for line in refused(text, **options)]


def test_apply_asks_about_classes_in_a_column_that_is_called_label():
    point = point_on(POSITIVE_SCORES)
    with pytest.raises(InputError) as error:
        decide(point, Upload("new.csv", PIPELINE.encode()))
    (asked,) = error.value.problems
    assert asked.code == "QRY-085"
    assert "p = score where label is POSITIVE, otherwise 1 − score" in str(asked)
    told = decide(point, Upload("new.csv", PIPELINE.encode()), score_of="predicted")
    assert told.score.round(9).tolist() == [at / 100 for at in range(100)]
    assert told.note == "new.csv: p = score where label is POSITIVE, otherwise 1 − score, as you said."
    assert decide(point, Upload("old.csv", POSITIVE_SCORES.encode())).warnings == ()


def test_apply_warns_of_one_side_without_a_column_of_classes():
    point = point_on("id,label,score\n" + "".join(f"r{at},{at >= 40:d},{at / 100}\n" for at in range(100)))
    assert point.tau_neg < 0.5
    file = PIPELINE.replace(",NEGATIVE", "").replace(",POSITIVE", "").replace("label,", "")
    told = decide(point, Upload("new.csv", file.encode())).warnings
    assert [one.code for one in told] == ["QRY-096"]


def test_two_columns_of_classes_without_a_name_convert_nothing():
    point = point_on(POSITIVE_SCORES)
    rows = "".join(f"r{at},{at % 2},{at % 5 == 0:d},0.7\n" for at in range(30))
    file = Upload("new.csv", ("id,seen,known,score\n" + rows).encode())
    with pytest.raises(InputError, match="seen names a class"):
        decide(point, file)
    with pytest.raises(InputError, match="predicted_label"):
        decide(point, file, score_of="predicted")


def test_a_score_below_a_half_contradicts_the_answer():
    text = HUGGING_FACE.replace("0.97", "0.31")
    found = choice(text, score_of="predicted")
    assert found.startswith("predictions.csv, row 1, column score: found the score 0.31, said to be of the")
    assert found.endswith("[QRY-095]")
    point = point_on(POSITIVE_SCORES)
    with pytest.raises(InputError) as error:
        decide(point, Upload("new.csv", text.encode()), score_of="predicted")
    assert [one.code for one in error.value.problems] == ["QRY-095"]


def test_each_of_two_inputs_has_an_answer_of_its_own(tmp_path, capsys):
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    two.write_text(many(seed=2))
    p = read(many(seed=2), score_of="predicted").queries.score
    lines = [line.rsplit(",", 1)[0] for line in many(seed=2).splitlines()]
    one.write_text(
        "\n".join([many().splitlines()[0], *(f"{a},{b}" for a, b in zip(lines[1:], p, strict=True))]) + "\n"
    )
    command = ["compare", str(one), str(two), "--bootstrap", "0", "--permutations", "0"]
    assert main([*command, "--score-of", "predicted"]) == 2
    assert "QRY-095" in capsys.readouterr().err
    assert main([*command, "--score-of", "b.csv=predicted"]) == 0
    told = capsys.readouterr().err
    assert "b.csv: label label, score score, prediction pred_label, query id; the score is that of" in told
    assert "a.csv: label label, score score, prediction pred_label, query id\n" in told
    for answer in ("c.csv=predicted", "either"):
        assert main([*command, "--score-of", answer]) == 2
        assert "OPT-003" in capsys.readouterr().err
    assert main(["evaluate", str(one), str(two), "--score-of", "b.csv=predicted"]) == 2
    assert "OPT-008" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("NEGATIVE", "POSITIVE"), ("good", "bad")])
@pytest.mark.parametrize("gold", ["gold", "target", "outcome", "true_label", "reference", "truth", "actual"])
def test_a_truth_in_another_spelling_is_asked_about(words, gold):
    text = HUGGING_FACE.replace("label,pred_label", f"{gold},label")
    text = text.replace("LABEL_0", words[0]).replace("LABEL_1", words[1])
    assert codes(text)[0] == "COL-030"
    assert codes(text, columns={"has_evidence": gold})[0] == "QRY-085"


def test_usual_words_for_0_and_1_name_the_class():
    for no, yes in (("NEGATIVE", "POSITIVE"), ("no", "yes"), ("false", "true")):
        text = HUGGING_FACE.replace("LABEL_0", no).replace("LABEL_1", yes)
        assert auroc_of(read(text, score_of="predicted")) == [0.9375]


def test_a_column_called_label_beside_the_truth_is_asked_about_in_a_few_rows():
    text = HUGGING_FACE.replace("label,pred_label", "y_true,label")
    assert codes(text)[0] == "QRY-085"
    assert auroc_of(read(text, score_of="predicted")) == [0.9375]
    assert read(text.replace("0.97", "0.03")).score_of is None


def test_one_rounded_score_does_not_end_the_question():
    first = many().splitlines()[1].rsplit(",", 1)
    text = many().replace(",".join(first), f"{first[0]},0.4999")
    assert codes(text)[0] == "QRY-085"
    assert "only 1 below 0.5 in 300 rows" in refused(text)[0]
    assert read(text, score_of="predicted").score_of == "predicted"


def test_every_column_that_could_be_the_label_is_named():
    text = PYCARET.replace("outcome", "nurse").replace("patient,", "patient,flag,")
    lines = text.splitlines()
    rows = [line.replace(",", f",{at % 2},", 1) for at, line in enumerate(lines[1:])]
    asked = choice("\n".join([lines[0], *rows]) + "\n")
    assert "found several columns that could be the label: 'Label', which" in asked
    assert "and 'flag', 'nurse', expected" in asked
    assert "--column has_evidence=flag or --column has_evidence=nurse or --column has_evidence=Label" in asked


def test_what_is_evident_is_not_asked():
    for head in ("id,y_true,y_pred,y_prob", "id,label,prediction,score"):
        rows = "".join(f"r{at},{at % 3 == 0:d},{at >= 50:d},{at / 100}\n" for at in range(100))
        assert read(f"{head}\n{rows}").score_of is None
