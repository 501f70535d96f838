"""What a refusal says to type is typed, word for word as a shell takes it: then the file is read."""

import itertools
import re
import shlex

import pytest

from evalcore import inspect, load
from evalcore.__main__ import main
from evalcore.problems import InputError, problem
from evalcore.readers import Upload
from pages.shared.page_words import on_page

ROWS = [(i % 2, i % 3 == 0, ((i * 7) % 10 + 1) / 12) for i in range(12)]
MOST_ROUNDS = 3
OPTION = re.compile(r"""--(?:column|positive|score-kind|score-of) (?:'[^']*'|"[^"]*"|[^\s'",]|,(?=\S))+""")


def table(label, score, more=(), *, words=("0", "1"), of_score=str):
    names = ",".join(f'"{name}"' for name in (label, score, *(name for name, _ in more)))
    lines = [
        ",".join([words[y], of_score(p), *(of_row(i) for _, of_row in more)])
        for i, (y, _, p) in enumerate(ROWS)
    ]
    return "\n".join([names, *lines]) + "\n"


def advised(told):
    """The options in a refusal: of several labels the first, of several scores the last."""
    found = {}
    for option in itertools.chain(*map(OPTION.findall, told.splitlines())):
        words = shlex.split(option.rstrip(".;"))
        if words[1].endswith(("NAME", "VALUE")) or len(words) != 2:
            continue
        key = words[0], words[1].split("=")[0] if words[0] == "--column" else ""
        if key not in found or key[1] != "has_evidence":
            found[key] = words
    return list(itertools.chain(*found.values()))


def rounds(text, path, capsys, extra=()):
    """How often somebody runs it who does what is said: the last time it is read."""
    path.write_text(text)
    options = list(extra)
    for n in range(1, MOST_ROUNDS + 1):
        status = main(["check", str(path), *options])
        told = capsys.readouterr().err
        assert "Traceback" not in told
        if status != 2:
            return n
        more = advised(told)
        assert more, told
        options += more
    raise AssertionError(told)


AWKWARD = [
    "P (Churn=1)",
    "Major depression (MDD)?",
    ">50K",
    "it's",
    "a;b",
    "score & more",
    "$p",
    "p*",
]


@pytest.mark.parametrize("name", AWKWARD)
def test_names_that_a_shell_would_part_are_in_quotes(name, tmp_path, capsys):
    assert rounds(table("label", name, [("other", lambda i: f"0.{i + 1}")]), tmp_path / "a.csv", capsys) <= 2
    assert rounds(table(name, "model score"), tmp_path / "b.csv", capsys) == 2


@pytest.mark.parametrize(
    ("label", "score"),
    [
        ("truth", "prob"),
        ("y", "confidence"),
        ("obs", "Yes"),
        ("target", "proba_1"),
        ("actual", "prediction score"),
        ("readmitted", "readmitted_True_PREDICTION"),
        ("outcome", "phat"),
        ("y_true", "class_1.0"),
    ],
)
@pytest.mark.parametrize("words", [("0", "1"), ("no", "yes")])
def test_usual_names_take_two_rounds_and_a_word_on_the_label(label, score, words, tmp_path, capsys):
    extra = () if words == ("0", "1") else ("--positive", "yes")
    assert rounds(table(label, score, words=words), tmp_path / "a.csv", capsys, extra) <= 2


@pytest.mark.parametrize("name", ["logit", "margin", "decision_function", "log_prob"])
@pytest.mark.parametrize("label", ["label", "truth"])
def test_scores_of_another_scale_are_named(label, name, tmp_path, capsys):
    text = table(label, name, of_score=lambda p: f"{p * 4 - 2.1:.3f}")
    assert rounds(text, tmp_path / "a.csv", capsys) <= 3


def test_columns_of_0_and_1_are_offered_before_columns_of_two_words(tmp_path, capsys):
    rows = [f"{('baseline', 'follow-up')[is_third]},{y},{p}" for y, is_third, p in ROWS]
    text = "\n".join(["event,mdd,model_prob", *rows]) + "\n"
    shown = inspect(Upload("a.csv", text.encode())).tables[0].suggestions
    assert shown["has_evidence"] == ("mdd", "event")
    assert rounds(text, tmp_path / "a.csv", capsys) == 2


def test_every_column_that_could_be_the_label_is_named():
    text = table("mdd", "p_model", [("event", lambda i: "ab"[i % 3 == 0]), ("sex", lambda i: "fm"[i % 2])])
    with pytest.raises(InputError, match=r"has_evidence=mdd or --column has_evidence=event or .*=sex with"):
        load(Upload("a.csv", text.encode()))


def test_scores_that_add_up_to_1_beside_a_truth_are_named_as_classes():
    text = table("target", "proba_1", [("proba_0", lambda i: f"{1 - ROWS[i][2]:.16f}")])
    with pytest.raises(InputError, match=r"proba_1 or .*=proba_0 \(the one of the positive class, as they"):
        load(Upload("a.csv", text.encode()))


@pytest.mark.parametrize("name", AWKWARD)
def test_the_words_of_a_page_hold_no_option_whatever_the_name(name):
    for code, facts in (
        ("COL-005", {"name": name}),
        ("COL-121", {"name": name, "role": "probability"}),
        ("RCM-074", {"name": name}),
        ("RCM-075", {"name": name, "found": name}),
    ):
        said = on_page(problem(code, file="a.csv", **facts))
        assert "--" not in said.remedy
