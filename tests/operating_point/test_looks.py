"""Looks at test rows: by what rows are known again, how looks are counted, and what documents say of them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore import splits
from evalcore.data import Data
from evalcore.operating_point.test_rows.row_marks import (
    SKETCH,
    RowMarks,
    _comparable,
    _rounded,
    marks_of_other_rows,
    marks_of_test_rows,
)
from evalcore.readers import Upload
from evalcore.splits import only_split
from pages.shared.point import looks
from pages.shared.point.asking import GRANTED
from pages.shared.point.looks import LookBook
from pages.shared.point.point import document_for
from tests.support.but_long import but_long
from tests.support.made.scored_data import data_of
from tests.support.opened import give, look, session_on

SALT = b"a secret of this test"
Row = tuple[str, str, float, int, str]


def rows(*, seed: int = 0, n: int = 300) -> list[Row]:
    """Rows of three criteria of each post, half of the posts test rows."""
    rng = np.random.default_rng(seed)
    return [
        (f"p{post}", f"A.{criterion}", round(float(rng.random()), 6), int(rng.random() < 0.3), split)
        for post in range(n)
        for split in ("tune" if post % 2 else "test",)
        for criterion in (1, 2, 3)
    ]


def marks(given: list[Row], salt: bytes = SALT) -> RowMarks:
    found = marks_of_test_rows(data_of(given), salt=salt)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "copy",
    [
        lambda given: given[::-1],
        lambda given: [("x" + post, *rest) for post, *rest in given],
        lambda given: [(post, criterion.replace("A.", "B"), *rest) for post, criterion, *rest in given],
        lambda given: [(post, criterion, score**2, *rest) for post, criterion, score, *rest in given],
        lambda given: [one for one in given if one[1] != "A.3"],
        lambda given: [one for at, one in enumerate(given) if at % 10],
        lambda given: [one for one in given if one[4] == "test"],
        lambda given: [(*one[:4], "Test" if one[4] == "test" else "dev") for one in given],
    ],
    ids=[
        "order",
        "posts",
        "criteria",
        "scores",
        "a criterion less",
        "rows less",
        "test alone",
        "other split",
    ],
)
def test_copies_of_test_rows_are_known_again(copy) -> None:
    given = rows()
    assert marks(given).is_among(marks(copy(given)))


def test_other_rows_are_not_taken_for_the_same() -> None:
    assert not marks(rows(seed=1)).is_among(marks(rows(seed=2)))  # the same names of posts, other labels
    given = rows()
    swapped = [(*one[:4], {"tune": "test", "test": "tune"}[one[4]]) for one in given]
    assert not marks(given).is_among(marks(swapped))


def test_what_is_kept_of_rows_is_bounded_and_says_nothing_without_the_salt() -> None:
    given = rows(n=2_000)
    found = marks(given)
    kinds = [found.rows, *(one.marks for one in found.scores)]
    assert [len(one) for one in kinds] == [SKETCH] * 3
    assert {len(one) for one in found.contents} == {16}
    assert not found.is_among(marks(given, b"another secret of it"))


def test_rows_without_posts_are_known_by_labels_and_scores_alone() -> None:
    given = data_of(rows(), has_posts=False)
    found = marks_of_test_rows(given, salt=SALT)
    assert found is not None
    assert not len(found.rows)
    assert found.is_among(marks(rows()))


def test_data_without_test_rows_have_no_marks() -> None:
    assert marks_of_test_rows(data_of([("p", "A.1", 0.5, 1)]), salt=SALT) is None


def others(given: list[Row]) -> RowMarks:
    found = marks_of_other_rows(data_of(given), salt=SALT)
    assert found is not None
    return found


def split_anew(given: list[Row], seed: int = 5) -> list[Row]:
    """The same rows, their posts split at random once more."""
    rng = np.random.default_rng(seed)
    posts = {one[0]: "tune" if rng.random() < 0.5 else "test" for one in given}
    return [(*one[:4], posts[one[0]]) for one in given]


def swapped(given: list[Row]) -> list[Row]:
    return [(*one[:4], {"tune": "test", "test": "tune"}[one[4]]) for one in given]


def renamed(given: list[Row]) -> list[Row]:
    return [("x" + one[0], *one[1:]) for one in given]


def one_criterion(given: list[Row]) -> list[Row]:
    return [one for one in given if one[1] == "A.1"]


@pytest.mark.parametrize("n", [300, 1_500])
@pytest.mark.parametrize("of", [list, one_criterion], ids=["three criteria", "one criterion"])
@pytest.mark.parametrize(
    "copy",
    [
        lambda given: renamed(given)[7:],
        lambda given: [(*one[:2], round(one[2], 5), *one[3:]) for one in renamed(given)],
        lambda given: [(*one[:2], round(one[2], 3), *one[3:]) for one in renamed(given)],
    ],
    ids=["a row less", "rounded to 5 digits", "rounded to 3 digits"],
)
def test_renamed_rows_that_are_not_quite_the_same_are_known_again(copy, of, n) -> None:
    given = of(rows(n=n))
    assert marks(copy(given)).is_among(marks(given))


@pytest.mark.parametrize("renaming", [list, renamed], ids=["same names", "renamed"])
def test_rows_that_another_split_showed_are_known_again(renaming) -> None:
    given = rows(n=800)
    assert marks(renaming(split_anew(given))).is_among(marks(given))
    assert marks(renaming(split_anew(given))).is_among(others(given))
    assert marks(renaming(swapped(given))).is_among(others(given))
    unsplit = [(*one[:4], "dev") for one in given]
    assert marks(renaming(given)).is_among(others(unsplit))


@pytest.mark.parametrize("seed", but_long(range(12), 2))
@pytest.mark.parametrize("n", [20, 300, 1_500])
@pytest.mark.parametrize("digits", [1, 2, 3, 6])
def test_rows_alike_by_chance_are_not_known(seed: int, n: int, digits: int) -> None:
    def coarse(seed: int, n: int) -> list[Row]:
        return [(*one[:2], round(one[2], digits), *one[3:]) for one in rows(seed=seed, n=n)]

    given = coarse(seed, n)
    assert not marks(given).is_among(others(given))  # the tune rows of the same split
    assert not marks(given).is_among(marks(coarse(seed + 100, n)))  # the same names of posts, other labels
    assert not marks(given).is_among(others(coarse(seed + 200, 4 * n)))


@pytest.mark.parametrize(
    ("one", "other", "digits", "is_same"),
    [
        (0.1234, 0.12349, 3, True),
        (0.1234, 0.1236, 3, False),
        (0.1234, 0.1236, 2, True),
        (123_400.0, 123_490.0, 3, True),
        (123_400.0, 123_600.0, 3, False),
        (1.234e-200, 1.2349e-200, 3, True),
        (1.234e-200, 1.236e-200, 3, False),
        (0.5, -0.5, 3, False),
        (0.5, 5.0, 3, False),
        (0.0, -0.0, 3, True),
        (0.0, 1e-9, 3, False),
    ],
)
def test_a_score_is_known_again_by_its_first_digits(one, other, digits, is_same) -> None:
    first, second = _rounded(np.array([one, other]), digits)
    assert (first == second) == is_same


def test_digests_are_compared_up_to_the_last_that_a_full_sketch_holds() -> None:
    full, every_other, few = np.arange(SKETCH), 2 * np.arange(SKETCH), np.arange(0, 3 * SKETCH, 30)
    assert [len(one) for one in _comparable(full, every_other)] == [SKETCH, SKETCH // 2]
    assert [len(one) for one in _comparable(every_other, full)] == [SKETCH // 2, SKETCH]
    assert [one[-1] for one in _comparable(full, few)] == [SKETCH - 1, SKETCH // 30 * 30]
    assert [len(one) for one in _comparable(few, few[:5])] == [len(few), 5]


def test_digests_fill_their_32_bits() -> None:
    found = marks(rows(n=300))
    for kind in (found.rows, *(one.marks for one in found.scores)):
        assert kind.dtype == np.uint32
        assert kind[0] < 2**26 < 2**32 - 2**26 < kind[-1]


def test_marks_of_a_million_rows_take_a_moment() -> None:
    rng = np.random.default_rng(1)
    small = data_of(rows(n=10)).queries
    n = 1_000_000
    big = replace(
        small,
        post=np.arange(n) // 5,
        post_ids=np.asarray([f"post-{at}" for at in range(n // 5)], np.object_),
        criterion=np.arange(n) % 3,
        has_evidence=rng.random(n) < 0.1,
        score=rng.random(n),
        model=np.zeros(n, np.intp),
        slices={},
    )
    data = data_of(rows(n=10)).with_tables(queries=big)
    began = process_time()
    found = marks_of_other_rows(data, salt=SALT)
    assert process_time() - began < 2
    assert found.is_among(found)


def book(**options: object) -> tuple[LookBook, list[str]]:
    """A book, and the times that it will read."""
    times = [f"2026-01-31T12:00:{second:02d}Z" for second in range(59, -1, -1)]
    return LookBook("server", now=times.pop, **options), times


def test_looks_are_counted_for_the_rows_and_told_in_order() -> None:
    of_server, _ = book()
    one, two = marks(rows(seed=1)), marks(rows(seed=2))
    assert of_server.known(one).n_before == 0
    assert of_server.record(one, "Criteria").n_before == 0
    assert of_server.record(one, "Report").n_before == 1
    known = of_server.known(one)
    assert known.as_json() == {
        "n_before": 2,
        "shown": ["Criteria (2026-01-31T12:00:01Z)", "Report (2026-01-31T12:00:02Z)"],
        "counted_by": "server",
        "known_since": "2026-01-31T12:00:00Z",
    }
    assert of_server.known(two).n_before == 0


def test_what_is_forgotten_moves_the_time_since_when_is_known() -> None:
    of_server, _ = book(most=2)
    one = marks(rows())
    for name in ("first", "second", "third"):
        of_server.record(one, name)
    known = of_server.known(one)
    assert known.shown == ("second (2026-01-31T12:00:02Z)", "third (2026-01-31T12:00:03Z)")
    assert known.known_since == "2026-01-31T12:00:01Z"


def test_of_looks_at_the_same_moment_one_is_the_first() -> None:
    of_server, one = LookBook("server"), marks(rows())
    with ThreadPoolExecutor(8) as pool:
        before = list(pool.map(lambda _: of_server.record(one, "Report").n_before, range(64)))
    assert sorted(before) == list(range(64))


CRITERIA = "pages/evidence/criteria.py"


def text_of(given: list[Row]) -> str:
    lines = [
        f"{post},{criterion},{score},{label},{split}\n" for post, criterion, score, label, split in given
    ]
    return "post_id,criterion_id,probability,has_evidence,split\n" + "".join(lines)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> LookBook:
    """A server that has just been started."""
    fresh = LookBook("server")
    monkeypatch.setattr(looks, "_OF_SERVER", fresh)
    return fresh


def on_criteria(given: list[Row]) -> AppTest:
    """A session that shows the test rows on the page of the criteria."""
    app = give(session_on(CRITERIA), text_of(given))
    app.segmented_control(key="rows_part").set_value("Test").run()
    return look(app)


def document_of(app: AppTest) -> dict:
    """What the session would export now."""
    state, data = app.session_state["operating_point"], app.session_state["data_in_use"].data
    return document_for(data, "probability", state, state.pair).document


def test_a_second_session_is_told_of_the_first_and_cannot_certify() -> None:
    given = rows()
    first = on_criteria(given)
    assert first.session_state["operating_point"].look.before.n_before == 0
    second = give(session_on(CRITERIA), text_of(given[::-1]))
    second.segmented_control(key="rows_part").set_value("All").run()
    said = "\n".join(str(one.value) for one in [*second.markdown, *second.get("html")])
    assert "They have been looked at before: this look confirms nothing any more." in said
    assert "Known is 1 look before: Criteria, test rows (" in said
    look(second)
    before = second.session_state["operating_point"].look.before
    assert (before.n_before, before.counted_by) == (1, "server")


def test_another_model_of_the_same_rows_comes_second() -> None:
    given = rows()
    on_criteria(given)
    rescored = [(post, criterion, 1 - score, *rest) for post, criterion, score, *rest in given]
    assert on_criteria(rescored).session_state["operating_point"].look.before.n_before == 1


def test_the_same_figures_count_once_and_moved_thresholds_again(server: LookBook) -> None:
    app = on_criteria(rows())
    one = marks(rows(), looks._SALT)
    app.run()
    assert server.known(one).n_before == 1
    app.session_state["operating_point"].move(("0.2", "0.9"))
    app.run()
    assert server.known(one).n_before == 2


def test_a_target_that_is_changed_after_the_look_is_exploratory() -> None:
    app = on_criteria(rows())
    state = app.session_state["operating_point"]
    assert document_of(app)["data"][1]["role"] == "test"
    state.aim = replace(state.aim, screening_sensitivity=0.5)
    assert state.is_moved
    document = document_of(app)
    assert document["status"] == "exploratory"
    assert [one["role"] for one in document["data"]] == ["tune"]
    state.go_back()
    assert document_of(app)["data"][1]["role"] == "test"


def test_a_search_after_the_look_does_not_make_its_thresholds_chosen_before() -> None:
    app = on_criteria(rows())
    state = app.session_state["operating_point"]
    state.chosen = (state.pair, state.aim)
    assert document_of(app)["selection"]["chosen_on"] == "manual"


@pytest.mark.parametrize("seen", [swapped, split_anew, lambda given: [(*one[:4], "dev") for one in given]])
def test_rows_seen_under_another_split_give_no_first_look(seen) -> None:
    given = rows()
    give(session_on(CRITERIA), text_of(seen(given)))
    app = give(session_on(CRITERIA), text_of(given))
    app.segmented_control(key="rows_part").set_value("Test").run()
    said = "\n".join(str(one.value) for one in [*app.markdown, *app.get("html")])
    assert "They have been looked at before: this look confirms nothing any more." in said
    assert f"Known is 1 look before: {looks.AS_OTHERS} (" in said
    look(app)
    assert document_of(app)["selection"]["looks_at_test"]["n_before"] == 1
    assert document_of(app)["status"] == "exploratory"


def test_tune_rows_of_the_same_split_are_no_look() -> None:
    give(session_on(CRITERIA), text_of(rows()))
    app = on_criteria(rows())
    assert app.session_state["operating_point"].look.before.n_before == 0


def test_other_rows_that_are_remembered_are_bounded() -> None:
    of_server, _ = book(most_shown=1)
    one, two = rows(seed=1), rows(seed=2)
    of_server.note(others(one), None)
    of_server.note(others(one), None)
    of_server.note(others(two), None)
    assert len(of_server._shown) == 1
    assert of_server.known(marks(swapped(one))).n_before == 0
    assert of_server.known(marks(swapped(two))).n_before == 1
    assert of_server.known(marks(one)).known_since == "2026-01-31T12:00:01Z"


def test_the_sample_is_counted_by_session(server: LookBook) -> None:
    app = session_on(CRITERIA).run()
    app.segmented_control(key="rows_part").set_value("Test").run()
    assert "Counted in this session only" in "\n".join(str(one.value) for one in app.get("html"))
    look(app)
    assert app.session_state["operating_point"].look.before.counted_by == "session"
    assert not server._looks


def test_test_rows_alone_are_asked_for_on_the_operating_point_page() -> None:
    app = give(
        session_on("pages/evidence/operating_point.py"),
        text_of([one for one in rows() if one[4] == "test"]),
    )
    assert "These data hold test rows alone" in app.info[0].value
    assert "tradeoff" not in app.session_state
    app.button(key="test_alone").click().run()
    said = "\n".join(one.value for one in app.markdown)
    assert "Operating point, all rows** counts the test rows" in said
    assert "nothing is skipped, no alerts" in said
    in_use = app.session_state["data_in_use"]
    app.session_state[GRANTED] = {(in_use.data.digest, in_use.models[0], "Operating point, all rows")}
    app.run()
    assert not app.exception
    assert "tradeoff" in app.session_state


def test_another_model_is_asked_for_again() -> None:
    lines = text_of(rows()).splitlines()
    both = [f"{line},{name}" for name in ("one", "two") for line in lines[1:]]
    app = give(session_on(CRITERIA), "\n".join([f"{lines[0]},model", *both]) + "\n")
    app.segmented_control(key="rows_part").set_value("Test").run()
    look(app)
    assert not [one for one in app.button if one.key == "test_now"]
    app.session_state["model_in_use"] = app.session_state["model_choice"] = "two"
    app.run()
    assert [one for one in app.button if one.key == "test_now"]


def test_a_look_that_nobody_answered_is_refused_when_the_page_is_left() -> None:
    app = give(session_on(CRITERIA), text_of(rows()))
    app.segmented_control(key="rows_part").set_value("Test").run()
    assert [one for one in app.button if one.key == "test_now"]
    app.query_params.clear()  # as a browser leaves a page; the simulated one keeps its address
    app.switch_page("pages/evidence/report.py").run()
    assert not [one for one in app.button if one.key == "test_now"]
    assert app.segmented_control(key="rows_part").value == "Tune"


def test_test_rows_alone_are_asked_for_too() -> None:
    app = give(session_on(CRITERIA), text_of([one for one in rows() if one[4] == "test"]))
    assert not app.dataframe
    assert "These data hold test rows alone" in app.info[0].value
    app.button(key="test_alone").click().run()
    assert "Criteria, all rows** counts the test rows" in "\n".join(one.value for one in app.markdown)


@pytest.mark.parametrize(
    ("levels", "tune", "test"),
    [
        (("tune", "test"), "tune", "test"),
        (("Dev", "TEST"), "Dev", "TEST"),
        (("train", "dev", "test"), "dev", "test"),
        (("b", "a", "held-out"), "b", "held-out"),
        (("train", "dev"), None, None),
        (("test",), None, "test"),
    ],
)
def test_names_of_tune_and_test_rows(levels: tuple[str, ...], tune: str | None, test: str | None) -> None:
    data = data_of([(f"p{at}", "A.1", 0.5, at % 2, level) for at, level in enumerate(levels)])
    assert (splits.tune_split(data), splits.test_split(data)) == (tune, test)


def test_one_split_alone_keeps_its_lists_and_their_gold() -> None:
    queries = "post_id,criterion_id,has_evidence,probability,split\n"
    queries += "p1,A.1,1,0.9,test\np2,A.1,1,0.2,tune\np3,A.1,0,0.4,test\n"
    lists = "post_id,criterion_id,gold_ids,retriever_topk\np1,A.1,a,b|a\np2,A.1,c,c|d\np3,A.1,,e\n"
    uploads = [Upload("q.csv", queries.encode()), Upload("l.csv", lists.encode())]
    tune = only_split(evalcore.load(uploads), "tune")
    assert len(tune.queries) == tune.rankings.n_queries == 1
    rankings = tune.rankings
    assert rankings.post_ids[rankings.post].tolist() == ["p2"]
    assert rankings.gold_query.tolist() == [0]
    assert rankings.item_ids[rankings.gold_item].tolist() == ["c"]
    ranked = rankings.lists["retriever_topk"]
    assert rankings.item_ids[ranked.item].tolist() == ["c", "d"]
    assert (ranked.query.tolist(), ranked.n_candidates.tolist()) == ([0, 0], [2])


def test_values_of_one_split_are_those_of_a_file_with_its_rows_alone() -> None:
    def report(data: Data) -> list[float]:
        return evalcore.evaluate(data, tau_neg=0.2, tau_pos=0.8).table["value"].tolist()

    given = [one for one in rows() if one[4] == "tune"]
    assert report(only_split(data_of(rows()), "tune")) == pytest.approx(report(data_of(given)), nan_ok=True)


def test_the_session_keeps_its_first_look_when_other_data_come_and_go() -> None:
    app = on_criteria(rows())
    mine, first = app.session_state["data_in_use"], app.session_state["operating_point"].look
    give(app, text_of(rows(seed=9)))
    app.session_state["data_in_use"] = mine
    app.run()
    assert app.session_state["operating_point"].look == first
