"""What never ends certified, each attack with the sentence that says so, beside honest data that do."""

import numpy as np
import pytest

import evalcore
from evalcore.operating_point import LooksAtTest, choose_operating_point, choose_over_folds
from evalcore.operating_point import point_from_thresholds as by_hand
from evalcore.operating_point.choosing.tested import _hidden_post, _hides_posts, _is_id_of_row
from evalcore.operating_point.document.writing import _is_met
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.problems import InputError
from tests.support.made.choices import distinct_rows
from tests.support.made.scored_data import data_of
from tests.support.reading import read

TUNE, TEST = distinct_rows(), distinct_rows(lambda name: f"other{name}", seed=6)
TARGETS = {"screening_sensitivity": 0.98, "alert_precision": 0.9}


def choose(tune, test, **options):
    return choose_operating_point(data_of(tune), test_data=data_of(test, name="b.csv"), **TARGETS | options)


def against(point):
    """The sentences that speak against a certificate."""
    return [
        line for line in point.document["limits"] if line.startswith(("Exploratory: ", "Not certified: "))
    ]


def posts_of(rows):
    return [rows[at : at + 5] for at in range(0, len(rows), 5)]


def under_new_ids(posts):
    """Rows of posts, given as lists of rows, with new ids."""
    return [(f"new{at}", *row[1:]) for at, post in enumerate(posts) for row in post]


def test_honest_rows_certify():
    point = choose(TUNE, TEST)
    assert (point.status, against(point)) == ("certified", [])


def one_criterion_left_out():
    return under_new_ids([[row for row in post if row[1] != "A.3"] for post in posts_of(TUNE)])


def one_row_dropped_per_post():
    rng = np.random.default_rng(1)
    return under_new_ids([[post[at] for at in rng.permutation(5)[:4]] for post in posts_of(TUNE)])


def posts_split():
    return under_new_ids([part for post in posts_of(TUNE) for part in (post[:2], post[2:])])


def rows_regrouped():
    by_criterion = [np.random.default_rng(at).permutation(TUNE[at::5]).tolist() for at in range(5)]
    rows = [[(*row[:2], float(row[2]), int(row[3]), row[4]) for row in part] for part in by_criterion]
    return under_new_ids(list(zip(*rows, strict=True)))


def a_few_posts_among_others():
    copied = [[row for row in post if row[1] != "A.5"] for post in posts_of(TUNE)[:20]]
    return [*TEST, *under_new_ids(copied)]


@pytest.mark.parametrize(
    "attack",
    [
        one_criterion_left_out,
        one_row_dropped_per_post,
        posts_split,
        rows_regrouped,
        a_few_posts_among_others,
    ],
)
@pytest.mark.parametrize("digits", [17, 3])
def test_a_test_that_repeats_tune_under_other_ids(attack, digits):
    tune, test = ([(*r[:2], round(r[2], digits), *r[3:]) for r in rows] for rows in (TUNE, attack()))
    point = choose(tune, test)
    assert point.status == "exploratory"
    sentence = against(point)[0]
    assert (
        sentence.startswith("Exploratory: the test repeats tune under other ids: ")
        or "posts have" in sentence
    )
    assert point.verify(data_of(tune), data_of(test, name="b.csv")).holds


def test_posts_that_stand_in_test_several_times():
    few = TEST[: 40 * 5]
    thrice = [(f"{name}-{copy}", *row) for copy in range(3) for name, *row in few]
    assert choose(TUNE, few).status == "tuned"
    point = choose(TUNE, thrice)
    assert point.status == "exploratory"
    assert against(point)[0].startswith("Exploratory: the test holds rows several times under other ids")


def test_a_tenth_of_the_test_repeated_within_it():
    again = [(f"{name}-again", *row) for name, *row in TEST[: 30 * 5]]
    point = choose(TUNE, [*TEST, *again])
    assert point.status == "exploratory"
    assert point.document["selection"]["repeated_rows"]["within_test"]["of"] == "posts"
    assert point.document["selection"]["repeated_rows"]["within_test"]["found"] == 30


def test_a_whole_file_of_one_row_a_post_repeated_is_found_by_its_counts():
    rng = np.random.default_rng(2)
    rows = [(f"s{at}", "A.1", round(p, 3), int(p > 0.5), "") for at, p in enumerate(rng.random(1500))]
    test = [(f"{name}-{copy}", *row) for copy in range(2) for name, *row in rows[750:]]
    assert choose(rows[:750], test).document["selection"]["repeated_rows"]["within_test"] is not None
    assert choose(rows[:750], rows[750:]).document["selection"]["repeated_rows"]["within_test"] is None


def copies(rows, n, *, rename=False, jitter=0.0):
    """Rows so many times under new ids, criteria renamed and scores changed by a hair where asked."""
    rng = np.random.default_rng(4)
    return [
        (f"{post}-{copy}", f"{name}{copy}" if rename else name, p + rng.normal(0, jitter) * (copy > 0), *rest)
        for copy in range(n)
        for post, name, p, *rest in rows
    ]


@pytest.mark.parametrize(
    "change", [{"jitter": 1e-7}, {"jitter": 1e-6}, {"rename": True}, {"rename": True, "jitter": 1e-7}]
)
def test_posts_repeated_in_test_and_changed_by_a_hair(change):
    point = choose(TUNE, copies(TEST[: 80 * 5], 3, **change))
    assert point.status == "exploratory"
    assert against(point)[0].startswith("Exploratory: the test holds rows several times under other ids")


@pytest.mark.parametrize("n", [8, 20])
def test_many_copies_blind_no_check(n):
    across = choose(TUNE, copies(TUNE, n)[:-1]).document["selection"]["repeated_rows"]
    within = choose(TUNE, copies(TEST[: 80 * 5], n)[:-1]).document["selection"]["repeated_rows"]
    assert across["tune_and_test"] is not None
    assert within["within_test"] is not None
    assert within["tune_and_test"] is None


def test_what_was_found_among_some_posts_names_them():
    point = choose(TUNE, copies(TUNE, 9)[:-1])
    n = point.document["selection"]["repeated_rows"]["tune_and_test"]["among_posts"]
    assert 0 < n < 3000
    assert f"across the two, among {n:,} posts drawn at random, are alike" in against(point)[0]
    assert point.verify(data_of(TUNE), data_of(copies(TUNE, 9)[:-1], name="b.csv")).holds


def test_rows_repeated_inside_one_post_are_no_repeats_of_tune():
    rounded = [(*row[:2], round(row[2], 3), *row[3:]) for row in TUNE]
    test = [(*row[:2], round(row[2], 3), *row[3:]) for row in TEST]
    inside = [(post, f"{name}{copy}", *rest) for copy in range(3) for post, name, *rest in test]
    found = choose(rounded, inside).document["selection"]["repeated_rows"]
    assert found == {"tune_and_test": None, "within_test": None}


@pytest.mark.parametrize("level", ["other", "another"])
def test_a_test_scored_by_another_model(level):
    point = choose([(*row, "m") for row in TUNE], [(*row, level) for row in TEST])
    assert point.status == "exploratory"
    assert against(point) == [
        f"Exploratory: the test holds scores of {level}, which are not those the thresholds were chosen for."
    ]


def frame(n_posts, seed, **columns):
    rows = [row[:4] for row in distinct_rows(lambda name: f"{seed}{name}", n=n_posts, seed=seed)]
    return [dict(zip(("post_id", "criterion_id", "p", "y"), row, strict=True)) | columns for row in rows]


def written(tmp_path, name, rows):
    import csv

    path = tmp_path / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_test_of_another_score_column(tmp_path):
    tune = written(tmp_path, "tune.csv", frame(300, 5))
    test = written(tmp_path, "test.csv", [{**row, "p2": row["p"]} for row in frame(300, 6)])
    data, other = evalcore.load(tune), evalcore.load(test, columns={"probability": "p2"})
    same = evalcore.load(test, columns={"probability": "p"})
    assert choose_operating_point(data, test_data=same, **TARGETS).status == "certified"
    point = choose_operating_point(data, test_data=other, **TARGETS)
    assert against(point) == [
        "Exploratory: the test holds scores of p2, which are not those the thresholds were chosen for."
    ]


@pytest.mark.parametrize("name", ["post_id", "thread"])
def test_a_row_identity_that_hides_a_post_column(tmp_path, name):
    rows = [*frame(300, 5, split="tune"), *frame(300, 6, split="test")]
    hidden = [{name: row.pop("post_id"), **row, "qid": f"q{at}"} for at, row in enumerate(rows)]
    path = written(tmp_path, "rows.csv", hidden)
    split = {"tune": "tune", "test": "test"}
    honest = evalcore.load(path, columns={"post_id": name})
    assert choose_operating_point(honest, **split, **TARGETS).status == "certified"
    point = choose_operating_point(evalcore.load(path, columns={"post_id": "qid"}), **split, **TARGETS)
    assert point.status == "exploratory"
    assert against(point)[0].startswith(
        f"Exploratory: the file names posts in the column {name}, and another"
    )


def row_ids_for_posts(tmp_path, name, *, n_posts=1100, with_criterion=True, change=None, row="qid"):
    """The sentences against a point whose posts are row ids, rows of one post on both sides."""
    rng = np.random.default_rng(8)
    rows = frame(n_posts, 5)
    found = [
        {name: one.pop("post_id"), row: f"r{at}", "split": ("tune", "test")[rng.integers(2)], **one}
        for at, one in enumerate(rows)
    ]
    if change is not None:
        change(found)
    if not with_criterion:
        found = [{key: cell for key, cell in one.items() if key != "criterion_id"} for one in found]
    data = evalcore.load(written(tmp_path, "rows.csv", found), columns={"post_id": row})
    return against(choose_operating_point(data, tune="tune", test="test", **TARGETS))


@pytest.mark.parametrize("name", ["subject", "postid", "document", "doc", "note", "patient", "id"])
def test_a_hidden_post_column_of_more_than_a_thousand_posts(tmp_path, name):
    sentences = row_ids_for_posts(tmp_path, name)
    assert sentences[0].startswith(f"Exploratory: the file names posts in the column {name}, and another")


def test_row_ids_that_are_called_post_id(tmp_path):
    sentences = row_ids_for_posts(tmp_path, "subject", row="post_id")
    assert sentences[0].startswith("Exploratory: the file names posts in the column subject, and another")


def test_a_hidden_post_column_in_rows_of_any_order(tmp_path):
    sentences = row_ids_for_posts(tmp_path, "subject", change=np.random.default_rng(3).shuffle)
    assert sentences[0].startswith("Exploratory: the file names posts in the column subject, and another")


def test_some_repeated_rows_and_empty_cells_hide_no_post_column(tmp_path):
    def change(rows):
        rows += [{**row, "qid": f"again{at}"} for at, row in enumerate(rows[:12])]
        rows[20]["subject"] = rows[30]["subject"] = ""

    for n_posts in (300, 1100):
        sentences = row_ids_for_posts(tmp_path, "subject", n_posts=n_posts, change=change)
        assert sentences[0].startswith("Exploratory: the file names posts in the column subject, and another")


def test_without_criteria_a_name_for_posts_tells(tmp_path):
    sentences = row_ids_for_posts(tmp_path, "doc", with_criterion=False)
    assert sentences[0].startswith("Exploratory: the file names posts in the column doc, and another")


@pytest.mark.parametrize("mark", ["::", "/"])
@pytest.mark.parametrize("with_criterion", [True, False])
def test_ids_of_post_and_criterion_taken_for_posts(tmp_path, mark, with_criterion):
    def change(rows):
        for row in rows:
            row["qid"] = f"{row.pop('subject')}{mark}{row['criterion_id']}"

    if mark == "::" or with_criterion:
        [sentence] = row_ids_for_posts(tmp_path, "subject", change=change, with_criterion=with_criterion)
        assert sentence == (
            "Exploratory: the file names posts in the column qid, before the criterion, and its whole ids "
            "were taken for posts: rows of one post may stand in both tune and test, and count as "
            "independent."
        )


def test_the_texts_of_a_hidden_column_are_not_kept(tmp_path):
    rows = [{**row, "qid": f"r{at}"} for at, row in enumerate(frame(1100, 5))]
    renamed = [{"subject": row.pop("post_id"), **row} for row in rows]
    queries = evalcore.load(written(tmp_path, "rows.csv", renamed), columns={"post_id": "qid"}).queries
    assert "subject" not in queries.slices
    assert queries.units["subject"].tolist() == [at // 5 for at in range(5500)]


@pytest.mark.parametrize("name", ["author", "patient", "subject"])
def test_a_column_coarser_than_the_post_hides_nothing(tmp_path, name):
    """Two posts of each author, every criterion of both."""
    rows = [*frame(600, 5, split="tune"), *frame(600, 6, split="test")]
    by = [{**row, name: f"{row['split']}{at // 10}"} for at, row in enumerate(rows)]
    point = choose_operating_point(
        evalcore.load(written(tmp_path, "rows.csv", by)), tune="tune", test="test", **TARGETS
    )
    assert (point.status, against(point)) == ("certified", [])


def test_a_coarser_column_taken_for_the_post_hides_nothing(tmp_path):
    rows = [*frame(300, 5, split="tune"), *frame(300, 6, split="test")]
    finer = [
        {**row, "thread": row["post_id"], "post_id": f"{row['post_id']}-{at}"} for at, row in enumerate(rows)
    ]
    data = evalcore.load(written(tmp_path, "rows.csv", finer), columns={"post_id": "thread"})
    point = choose_operating_point(data, tune="tune", test="test", **TARGETS)
    assert (point.status, point.document["selection"]["hidden_post_column"]) == ("certified", None)


def enriched():
    """A test of which half holds evidence; of tune two fifths do."""
    return [row for post in posts_of(TEST) for row in post[:4]]


def test_an_enriched_test_certifies_only_at_the_prevalence_that_its_claims_name():
    point = choose(TUNE, enriched())
    assert point.status == "tuned"
    assert against(point) == [
        "Not certified: 50 % of the test rows hold evidence, 40 % of those chosen on, which is more apart "
        "than chance, and precision moves with it. Name the prevalence that the claims are for."
    ]
    point = choose(TUNE, enriched(), prevalence=0.5)
    assert point.status == "certified"
    assert all(
        "at a prevalence of 50 %" in claim["text"]
        for claim in point.document["claims"]
        if claim["evaluated_on"] == "test"
    )
    point = choose(TUNE, enriched(), prevalence=0.4)
    assert against(point) == [
        "Not certified: the claims are for a prevalence of 40 %, which the test rows exclude (50 % of them "
        "hold evidence)."
    ]
    with pytest.raises(InputError, match=r"prevalence = 1\.5"):
        choose(TUNE, TEST, prevalence=1.5)


@pytest.mark.parametrize(("confidence", "status"), [(0.5, "tuned"), (0.89, "tuned"), (0.9, "certified")])
def test_a_confidence_below_90_percent(confidence, status):
    point = choose(TUNE, TEST, confidence=confidence)
    assert point.status == status
    named = f"Not certified: {round(100 * confidence)} % confidence in "
    assert all(line.startswith(named) for line in against(point))
    assert len(against(point)) == (2 if status == "tuned" else 0)


def test_a_target_that_was_offered_and_typed_by_hand():
    rng = np.random.default_rng(3)
    low = [(*row[:2], round(float(rng.uniform(0, 0.4)), 5), *row[3:]) for row in TUNE[:10]]
    tune = [*low, *TUNE[10:]]
    [offer, _] = [
        one
        for one in choose(tune, TEST, screening_sensitivity=0.9999).alternatives
        if one.instead_of == "gate.screening_sensitivity"
    ]
    assert offer.constraint.value == round(offer.constraint.value, 4) != round(offer.constraint.value, 3)
    point = choose(tune, TEST, screening_sensitivity=offer.constraint.value)
    assert point.status == "tuned"
    named = f"Not certified: screening sensitivity of at least {100 * offer.constraint.value:g} %"
    assert against(point)[0].startswith(named)
    assert choose(tune, TEST, screening_sensitivity=0.98).status == "certified"


def test_a_document_holds_what_was_offered():
    point = choose(TUNE, TEST, screening_sensitivity=0.9999)
    offered = point.document["selection"]["offered"]
    assert offered[0] == point.alternatives[0].constraint.as_json()


def test_a_look_at_test_before_certifies_nothing():
    looks = LooksAtTest(2, ("tiles at 0.1 and 0.9", "a report"), "server", "2026-01-31T12:00:00Z")
    point = choose(TUNE, TEST, looks=looks)
    assert point.status == "exploratory"
    assert against(point) == [
        "Exploratory: the test rows were looked at 2 times before this evaluation (tiles at 0.1 and 0.9; a "
        "report)."
    ]
    assert point.document["selection"]["looks_at_test"] == {
        "n_before": 2,
        "shown": ["tiles at 0.1 and 0.9", "a report"],
        "counted_by": "server",
        "known_since": "2026-01-31T12:00:00Z",
    }
    first = choose(TUNE, TEST, looks=LooksAtTest(0, (), "server", "2026-01-31T12:00:00Z"))
    assert first.status == "certified"
    assert (
        "Looks at the test rows before this one: none, counted by the server since 2026-01-31T12:00:00Z; "
        "what was seen earlier or elsewhere nobody can count."
    ) in first.document["limits"]
    assert first.verify(data_of(TUNE), data_of(TEST, name="b.csv")).holds


def test_without_a_counter_the_document_says_so():
    point = choose(TUNE, TEST)
    assert point.document["selection"]["looks_at_test"]["counted_by"] == "nobody"
    said = "Looks at the test rows: what was used on the command line nobody can count."
    assert said in point.document["limits"]
    assert "looks_at_test" not in choose_operating_point(data_of(TUNE)).document["selection"]


def test_looks_reach_documents_of_every_kind():
    looks = LooksAtTest(1, ("tiles",), "session", "2026-01-31T12:00:00Z")
    rows = data_of(TUNE)
    object.__setattr__(rows.queries, "slices", {"fold": (rows.queries.post % 3, ("0", "1", "2"))})
    for point in (
        by_hand(data_of(TUNE), 0.5, 0.5, test_data=data_of(TEST, name="b.csv"), looks=looks),
        choose_over_folds(rows, looks=looks),
    ):
        assert point.document["selection"]["looks_at_test"]["n_before"] == 1
        assert "Exploratory: the test rows were looked at 1 time before this evaluation (tiles)." in against(
            point
        )


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ((-1, (), "nobody", None), "n_before = -1"),
        ((0, (), "somebody", None), "counted_by = somebody"),
        ((0, (), "server", None), "known_since = None"),
        ((0, (), "server", "yesterday"), "known_since = yesterday"),
    ],
)
def test_looks_that_nobody_can_read_are_refused(fields, named):
    with pytest.raises(InputError, match=named):
        LooksAtTest(*fields)


def test_the_sample_certifies_what_it_can_show():
    data = evalcore.load("sample_data/queries.csv")
    point = choose_operating_point(
        data, tune="tune", test="test", model="gnn_gate", screening_sensitivity=0.97, alert_precision=0.7
    )
    assert (point.status, against(point)) == ("certified", [])


@pytest.mark.parametrize(("role", "is_met"), [("tune", True), ("test", False)])
def test_a_bound_stands_for_a_verdict_on_the_rows_of_the_choice_alone(role, is_met):
    constraint = {"metric": "gate.alert_precision", "kind": "bound", "value": 0.9}
    claim = {"metric": "gate.alert_precision", "evaluated_on": role, "verdict": "met_point_only"}
    estimate = {"metric": "gate.alert_precision", "evaluated_on": role, "ci": {"low": 0.93}}
    assert _is_met({"claims": [claim], "estimates": [estimate]}, constraint, None) == is_met


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        (lambda at: f"post {at // 5} A.{at % 5}", True),
        (
            lambda at: f"post {at // 5}::{at % 5}",
            False,
        ),  # what stands behind :: is asked where no criterion is
        (lambda at: f"post {at} A.{at % 5}", False),  # each beginning once
        (lambda at: f"A.{at % 5}", False),
        (lambda at: f"post {at}", False),
    ],
)
def test_an_id_is_of_a_row_where_beginnings_and_criteria_come_back(name, is_id):
    rows = row_set(
        data_of([(name(at), f"A.{at % 5}", 0.5, 0) for at in range(100)]), "all", split=None, model=None
    )
    assert _is_id_of_row(rows.queries.post_ids, rows.queries.post, [rows]) == is_id


@pytest.mark.parametrize(("n_values", "hides"), [(40, True), (17, True), (16, False)])
def test_a_column_hides_posts_where_its_rows_never_share_a_criterion_though_chance_gives_twenty_pairs(
    n_values, hides
):
    """Four rows a value, five criteria: of 6 pairs a value a fifth would share one."""
    at = np.arange(4 * n_values)
    assert _hides_posts(at // 4, at, at % 5, is_named=False) == hides
    assert not _hides_posts(at // 4, at, at // 4 % 5, is_named=False)


@pytest.mark.parametrize(
    ("columns", "n_criteria", "hidden"), [(None, 4, None), ({"post_id": "post"}, 200, "post_id")]
)
def test_a_column_named_post_names_posts_beside_one_of_a_vaguer_name_only(columns, n_criteria, hidden):
    """Neither column's posts lie in the other's."""
    lines = [
        f"s{at // 4},t{at % 7},A.{at % n_criteria},{at % 97 / 97},{int(at % 3 == 0)},{at // 100}"
        for at in range(200)
    ]
    data = read("\n".join(["post_id,post,criterion_id,p,label,split", *lines]), columns=columns)
    tune, test = (row_set(data, role, split=role, model=None) for role in ("0", "1"))
    assert _hidden_post(tune, test) == hidden
