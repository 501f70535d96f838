"""Queries: columns found by name or by hand, labels, scores, ids, models and groups."""

import pytest

from evalcore import inspect, load
from evalcore.problems import InputError
from tests.support.reading import read, refused, upload, warned

KEYS = "post_id,criterion_id,"
OUT = "Correct the score or leave the row out."
MIXED = (
    "Correct the score, or say --score-kind score if another scale is meant; only a column of percentages is "
    "divided by 100, and then all of it."
)
SCALE = "Say --score-kind score if another scale is meant (a margin, a logit)."
ASK = "Say which one means “has evidence”: --positive VALUE, or choose it on the Data page."


@pytest.mark.parametrize(
    ("header", "label", "score"),
    [
        ("has_evidence,probability", "has_evidence", "probability"),
        ("gt_has_evidence,p4_prob_calibrated", "gt_has_evidence", "p4_prob_calibrated"),
        ("has_evidence_gold,p4_prob", "has_evidence_gold", "p4_prob"),
        ("y_true,y_prob", "y_true", "y_prob"),
        ("label,score", "label", "score"),
        ("gold,Score", "gold", "Score"),
        (" Has-Evidence ,Y Prob", "Has-Evidence", "Y Prob"),
    ],
)
def test_columns_are_recognised_by_their_names(header, label, score):
    data = read(f"{header}\n1,0.5\n0,0.25\n")
    assert data.sources[0].columns == {"has_evidence": label, "probability": score}
    assert data.queries.models == (score,)


def test_the_calibrated_probability_comes_before_the_raw_one():
    data = read(
        "post_id,y_true,score,y_prob,p4_prob,p4_prob_calibrated\nx,1,9,0.1,0.2,0.3\ny,0,9,0.1,0.2,0.3\n"
    )
    assert data.queries.models == ("p4_prob_calibrated",)
    assert sorted(data.queries.numbers) == ["p4_prob", "y_prob"]
    assert data.queries.slices["score"][1] == ("9",)


def test_a_mapping_by_hand_wins_over_names_and_may_name_several_scores():
    text = "post_id,label,p,other\nx,1,0.5,0.75\ny,0,0.25,0.125\n"
    assert read(text, columns={"probability": "other"}).queries.models == ("other",)
    both = read(text, columns={"score": ["p", "other"]}).queries
    assert both.models == ("p", "other")
    assert both.score.tolist() == [0.5, 0.25, 0.75, 0.125]
    assert both.model.tolist() == [0, 0, 1, 1]
    assert both.row.tolist() == [1, 2, 1, 2]
    assert not read(text, columns={"post_id": None}).queries.has_posts


def test_an_unknown_role_and_an_unknown_column_are_told():
    found = refused("post_id,label,p\nx,1,0.5\n", columns={"probability": "q", "heft": "p"})
    assert found[0] == (
        "predictions.csv: found no column 'q'; the columns are post_id, label, p, expected a column of "
        "the file. "
        "Check the spelling. [COL-002]"
    )
    assert found[1].startswith("found the role 'heft', expected one of post_id, criterion_id, query_id, ")
    assert found[1].endswith("Check the name before the equals sign. [COL-003]")


def test_a_role_has_one_column_and_a_column_one_role():
    text = "post_id,label,p\nx,1,0.5\n"
    assert refused(text, columns={"post_id": ["post_id", "label"]})[0] == (
        "predictions.csv: found the columns post_id and label for the role post_id, expected one column. "
        "Name one of "
        "them. [COL-012]"
    )
    assert refused(text, columns={"probability": "p", "label": "p"})[0] == (
        "predictions.csv: found the column 'p' for the roles probability and label, expected one role a "
        "column. Name "
        "it once. [COL-013]"
    )


def test_columns_that_fit_nothing_are_told():
    assert refused("a,b\n1,2\n") == [
        "predictions.csv: found columns that fit no known table: a, b, expected queries (a label and a "
        "score), "
        "ranked lists (gold_ids and a list column), candidates (sent_uid, is_gold and a score) or, beside a "
        "run, judgements (query_id, sent_uid and is_gold). Map the columns "
        "with --column ROLE=NAME, or choose them on the Data page. [COL-006]"
    ]


def test_the_direction_of_ne_prob_is_asked():
    text = "post_id,label,ne_prob\nx,1,0.5\ny,0,0.25\n"
    assert refused(text) == [
        "predictions.csv: found the score column 'ne_prob', which may be the probability of NO evidence, "
        "expected a "
        "probability that rises with evidence. Say --column probability=ne_prob if high means evidence, or "
        "choose it on the Data page; otherwise "
        "export 1 − ne_prob and use that. [COL-005]"
    ]
    assert inspect(upload(text)).tables[0].suggestions == {"probability": ("ne_prob",)}
    assert read(text, columns={"probability": "ne_prob"}).queries.score.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("name", ["mrr", "evidence_recall_at_k", "precision_at_5", "anything"])
def test_a_score_derived_from_the_gold_is_never_offered_and_refused_by_hand(name):
    text = f"post_id,label,{name},p_x,p_y\nx,1,0.5,0.1,0.2\ny,0,,0.3,0.4\n"
    assert inspect(upload(text)).tables[0].suggestions == {"probability": ("p_x", "p_y")}
    assert refused(text, columns={"probability": name}) == [
        f"predictions.csv: found '{name}', which is derived from the gold labels, expected a score that "
        "was computed "
        "without them. Choose the column that the model wrote. [COL-008]"
    ]


@pytest.mark.parametrize(
    ("cells", "truth"),
    [
        (["1", "0"], [True, False]),
        (["1.0", "0.0"], [True, False]),
        (["True", "FALSE"], [True, False]),
        ([" 1", "0.0"], [True, False]),
        (["0", "0"], [False, False]),
    ],
)
def test_zero_and_one_are_labels_in_any_spelling(cells, truth):
    data = read(f"post_id,label,p\nx,{cells[0]},0.5\ny,{cells[1]},0.5\n")
    assert data.queries.has_evidence.tolist() == truth


@pytest.mark.parametrize("pair", [("yes", "no"), ("1", "2"), ("-1", "1"), ("present", "absent")])
def test_any_other_pair_of_labels_needs_the_positive_one(pair):
    text = f"post_id,label,p\nx,{pair[0]},0.5\ny,{pair[1]},0.5\n"
    assert refused(text) == [
        f"predictions.csv, column label: found the labels {pair[0]} and {pair[1]}, expected 0 and 1, or "
        "the name of "
        f"the positive label. {ASK} [QRY-001]"
    ]
    for positive in pair:
        data = read(text, positive=positive)
        assert data.queries.has_evidence.tolist() == [cell == positive for cell in pair]
        assert data.positive == positive


def test_the_positive_label_must_occur():
    assert refused("post_id,label,p\nx,a,0.5\ny,b,0.5\n", positive="c") == [
        "predictions.csv, column label: found the positive label 'c', which occurs nowhere, expected one "
        "of a, b. "
        "Check --positive. [QRY-008]"
    ]
    assert not read("post_id,label,p\nx,0,0.5\n", positive="1").queries.has_evidence.any()


def test_other_labels_than_the_two_are_named():
    wrong = "expected a label: 0 or 1. Correct the label or leave the row out. [QRY-002]"
    assert refused("post_id,label,p\na,0,0.5\nb,1,0.5\nc,maybe,0.5\nd,,0.5\n") == [
        f"predictions.csv, row 3, column label: found maybe, {wrong}",
        "predictions.csv, row 4, column label: found an empty cell, expected a label: 0 or 1. Fill the "
        "cell or leave "
        "the row out. [QRY-005]",
    ]
    three = "post_id,label,p\na,u,0.5\nb,v,0.5\nc,w,0.5\n"
    assert refused(three) == [
        "predictions.csv, column label: found 3 different labels: u (1), v (1), w (1), expected a label: "
        "two values. "
        "Correct the label or leave the row out. [QRY-002]"
    ]
    assert refused(three, positive="v") == [
        "predictions.csv, column label: found 3 different labels: u (1), v (1), w (1), expected a label: "
        "v or one "
        "other. Correct the label or leave the row out. [QRY-002]"
    ]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1.3", f"found 1.3, expected a probability from 0 to 1. {MIXED} [QRY-003]"),
        ("91 %", "found 91 %, expected a probability from 0 to 1. Divide percentages by 100. [QRY-003]"),
        ("-0.5", f"found -0.5, expected a probability from 0 to 1. {SCALE} [QRY-003]"),
        ("250", f"found 250, expected a probability from 0 to 1. {SCALE} [QRY-003]"),
        ("high", f"found high, expected a probability from 0 to 1. {OUT} [QRY-003]"),
        ("1_000", f"found 1_000, expected a probability from 0 to 1. {OUT} [QRY-003]"),
        ("nan", f"found nan, expected a finite number. {OUT} [QRY-004]"),
        ("-inf", f"found -inf, expected a finite number. {OUT} [QRY-004]"),
        ("1e400", f"found 1e400, expected a finite number. {OUT} [QRY-004]"),
        (
            " ",
            "found an empty cell, expected a probability from 0 to 1. Fill the cell or leave the row "
            "out. [QRY-005]",
        ),
    ],
)
def test_a_cell_that_is_no_probability_is_named_as_it_stands(cell, message):
    assert refused(f"post_id,label,p\nx,1,0.5\ny,0,{cell}\n") == [
        f"predictions.csv, row 2, column p: {message}"
    ]


def test_another_scale_is_legal_when_the_user_says_so():
    text = "post_id,label,p\nx,1,3.5\ny,0,-1e9\n"
    data = read(text, score_kind="score")
    assert data.queries.score.tolist() == [3.5, -1e9]
    assert data.score_kind == "score"
    assert refused("post_id,label,p\nx,1,inf\ny,0,high\nz,0,\n", score_kind="score") == [
        f"predictions.csv, row 2, column p: found high, expected a finite number. {OUT} [QRY-004]",
        f"predictions.csv, row 1, column p: found inf, expected a finite number. {OUT} [QRY-004]",
        "predictions.csv, row 3, column p: found an empty cell, expected a number. Fill the cell or "
        "leave the row "
        "out. [QRY-005]",
    ]


def test_unknown_options_are_told():
    assert refused("post_id,label,p\nx,1,0.5\n", task="sums", score_kind="odds") == [
        "found the task 'sums', expected one of evidence, rag, recommender. Check --task, --score-kind, "
        "--score-of, --as, --undefined or --ties. [QRY-018]",
        "found the score kind 'odds', expected one of probability, score. Check --task, --score-kind, "
        "--score-of, --as, --undefined or --ties. [QRY-018]",
    ]


def test_twenty_rows_of_a_kind_are_named_and_the_rest_counted():
    rows = "".join(f"p{i},1,{i}\n" for i in range(2, 52))
    with pytest.raises(Exception, match="… and 30 more like these") as caught:
        read(f"post_id,label,p\n{rows}")
    assert len(caught.value.problems) == 20
    assert caught.value.n_more == 30


def test_a_query_id_names_post_and_criterion():
    data = read("query_id,label,p\ns_1::A.1,1,0.5\ns_1::A.2,0,0.25\ns::2::A.1,0,0.25\n")
    assert data.queries.post_ids.tolist() == ["s_1", "s::2"]
    assert data.queries.criterion_ids.tolist() == ["A.1", "A.2"]
    assert data.queries.query_id(1) == "s_1::A.2"


def test_a_query_id_beside_a_criterion_is_the_post():
    data = read("id,criterion,label,p\ns_1,A.1,1,0.5\ns_1,A.2,0,0.25\n")
    assert data.queries.post_ids.tolist() == ["s_1"]
    assert data.queries.has_posts


def test_a_query_id_beside_a_post_and_a_criterion_is_not_needed():
    data = read("post_id,criterion_id,query_id,label,p\nx,A,q1,1,0.5\n")
    assert data.queries.post_ids.tolist() == ["x"]
    assert data.facts["unused_columns"] == {"predictions.csv": {"query_id": "names the row once more"}}


def test_rows_without_post_and_criterion_are_their_own_posts():
    data = read("y_true,y_prob\n1,0.5\n0,0.5\n")
    assert data.queries.post.tolist() == [0, 1]
    assert data.queries.query_id(1) == "2"
    assert not data.queries.has_posts
    assert warned(data) == [
        "predictions.csv: found every row as its own post. There is no post or criterion column: rows "
        "are treated "
        "as independent. [QRY-010]"
    ]


def test_a_repeated_query_is_named_once_for_each_model():
    text = "model,post_id,criterion_id,label,p\nA,x,1,1,0.5\nB,x,1,1,0.5\nA,x,1,1,0.5\n"
    assert refused(text) == [
        "predictions.csv, row 3, column post_id: found x, 1, model A again; it stands in row 1 already, "
        "expected each "
        "(post, criterion, model) once. Remove one of the two rows. [QRY-006]"
    ]


def test_the_label_of_a_query_cannot_depend_on_the_model():
    text = "model,post_id,criterion_id,label,p\nA,x,1,1,0.5\nB,x,1,0,0.5\n"
    assert refused(text) == [
        "predictions.csv, row 2: found another label for query x::1 than in row 1, expected one label "
        "for a query, "
        "whatever the model. Correct one of the two rows. [QRY-027]"
    ]


@pytest.mark.parametrize(
    "pair",
    [("17", "017"), ("1", "1.0"), ("1E5", "100000"), ("A", "a"), ("x", " x"), ("é", "e\u0301"), ("５", "5")],
)
def test_ids_that_look_alike_are_named(pair):
    data = read(f'post_id,label,p\n"{pair[0]}",1,0.5\nz,0,0.5\n"{pair[1]}",0,0.5\n')
    assert data.queries.post_ids.tolist() == [pair[0], "z", pair[1]]
    assert warned(data) == [
        f"predictions.csv, column post_id: found ids that look alike: “{pair[0]}” (row 1) and “{pair[1]}” "
        "(row 3). "
        "They are kept as different ids; make sure that they are. [QRY-007]"
    ]


@pytest.mark.parametrize(
    "pair", [("9007199254740993", "9007199254740992"), ("1.5", "1.50001"), ("s_1", "s_10")]
)
def test_ids_that_only_resemble_each_other_are_not_named(pair):
    assert warned(read(f"post_id,label,p\n{pair[0]},1,0.5\n{pair[1]},0,0.5\n")) == []


def test_thresholds_are_numbers_in_order():
    good = read("post_id,label,p,tau_neg,tau_pos,selected_k\nx,1,0.5,0.1,0.9,3\ny,0,0.5,0.1,0.9,\n")
    assert good.queries.numbers["tau_neg"].tolist() == [0.1, 0.1]
    assert good.queries.numbers["selected_k"][0] == 3
    assert refused("post_id,label,p,tau_neg,tau_pos\nx,1,0.5,0.9,0.1\ny,0,0.5,low,inf\n") == [
        "predictions.csv, row 2, column tau_neg: found low, expected a finite number. Correct the cell "
        "or leave the "
        "column out. [QRY-014]",
        "predictions.csv, row 2, column tau_pos: found inf, expected a finite number. Correct the cell "
        "or leave the "
        "column out. [QRY-014]",
        "predictions.csv, row 1, column tau_neg: found τ_neg 0.9 above τ_pos 0.1, expected τ_neg ≤ "
        "τ_pos. Swap them "
        "or correct the row. [QRY-012]",
    ]


def test_other_columns_are_groups_numbers_or_left_out():
    rows = "".join(f"p{i},{i % 2},0.5,{i % 5},{i % 3},g{i % 4},{i / 7},u{i},\n" for i in range(200))
    data = read(f"post_id,label,p,fold_id,site,sex,age,user,nothing\n{rows}")
    assert {name: len(levels) for name, (_, levels) in data.queries.slices.items()} == {
        "fold": 5,
        "site": 3,
        "sex": 4,
    }
    assert list(data.queries.numbers) == ["age"]
    assert data.facts["unused_columns"] == {
        "predictions.csv": {"user": "a value of its own in most rows", "nothing": "empty"}
    }


def test_an_empty_group_is_no_level():
    codes, levels = read("post_id,label,p,site\nx,1,0.5,B\ny,0,0.5,\nz,0,0.5,A\n").queries.slices["site"]
    assert (codes.tolist(), levels) == ([0, -1, 1], ("B", "A"))


def test_free_text_is_dropped_whatever_its_name():
    rows = ["x,1,0.5,I have not slept for many days", "y,0,0.5,All is well with me today thanks"]
    text = "post_id,label,p,remark\n" + "\n".join(rows)
    data = read(text)
    assert data.queries.slices == {}
    assert warned(data) == [
        "predictions.csv: found the text column 'remark'. Post text is not needed: the column was "
        "dropped and is "
        "kept nowhere. [COL-007]"
    ]
    assert inspect(upload(text)).tables[0].preview == (("x", "1", "0.5", "…"), ("y", "0", "0.5", "…"))


def test_a_post_column_is_an_id_unless_it_holds_text():
    assert read("post,label,p\nx,1,0.5\n").queries.post_ids.tolist() == ["x"]
    data = read("post,label,p\nI have not slept for days,1,0.5\nAll is well with me now,0,0.5\n")
    assert data.queries.post_ids.tolist() == ["1", "2"]


def test_folds_in_several_files_are_one_model_and_runs_on_the_same_queries_are_two():
    folds = load(
        [upload("post_id,label,p\nx,1,0.5\n", "fold0.csv"), upload("post_id,label,p\ny,0,0.5\n", "fold1.csv")]
    )
    assert folds.queries.models == ("p",)
    assert folds.queries.post_ids.tolist() == ["x", "y"]
    runs = load(
        [upload("post_id,label,p\nx,1,0.5\n", "one.csv"), upload("post_id,label,p\nx,1,0.75\n", "two.csv")]
    )
    assert runs.queries.models == ("one", "two")
    assert runs.queries.score.tolist() == [0.5, 0.75]


def test_inspection_tells_what_load_raises_and_holds_the_data_when_it_can():
    good, bad = "post_id,label,p\nx,1,0.5\ny,0,0.25\n", "post_id,label,p\nx,1,1.5\ny,0,0.25\n"
    found = inspect(upload(good))
    assert found.data is not None
    assert found.problems == found.data.warnings
    table = found.tables[0]
    assert (table.kind, table.format) == ("queries", "CSV, comma, UTF-8")
    assert table.mapping == {"post_id": ("post_id",), "has_evidence": ("label",), "probability": ("p",)}
    assert table.labels is None
    assert [str(problem) for problem in inspect(upload(bad)).problems] == [
        text.removesuffix(" [QRY-003]") for text in refused(bad)
    ]
    assert inspect(upload(bad)).data is None


def test_the_published_gate_file_is_read_whole(shared):
    data = load(shared / "data" / "evidence" / "gate_contradicting_itself.csv")
    assert len(data.queries) == 16
    assert data.queries.models == ("p4_prob_calibrated",)
    assert int(data.queries.has_evidence.sum()) == 8
    assert set(data.queries.slices) == {"fold", "state"}
    codes = [problem.code for problem in data.warnings]
    assert codes == ["FILE-023"] * 8 + ["QRY-037", "QRY-034", "QRY-034", "QRY-023"] + ["QRY-011"] * 15


@pytest.mark.parametrize("thing", [3, [3], [None]])
def test_something_else_than_a_file_is_a_problem_with_advice(thing):
    with pytest.raises(
        InputError, match=r"found the input (3|None), expected one of a path, a glob or an Upload"
    ):
        load(thing)
