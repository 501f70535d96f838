"""Recommendation lists on the Data page: files known by their names, or by what the user chooses."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[3]
LISTS = "user_id,item_id,score,model\n" + "".join(
    f"u{user},i{(user + place) % 7},{5 - place},{model}\n"
    for model in ("near", "far")
    for user in range(6)
    for place in range(1, 4)
)
TEST = "user_id,item_id,rating\n" + "".join(f"u{user},i{(user + 2) % 7},1\n" for user in range(6))
TRAIN = "user_id,item_id,rating\n" + "".join(f"u{user},i{(user + 5) % 7},1\n" for user in range(6))


@pytest.fixture
def page() -> AppTest:
    """A session on the Data page."""
    return (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/common/data.py").run()
    )


def give(page: AppTest, **files: str) -> AppTest:
    """Upload files by name."""
    contents = [(f"{name}.csv", text.encode(), "text/csv") for name, text in files.items()]
    page.file_uploader[0].set_value(contents).run()
    assert not page.exception
    return page


def text_of(page: AppTest) -> str:
    """What the page shows through HTML."""
    return re.sub(r"<[^>]+>", " ", "\n".join(str(one.value) for one in page.get("html")))


def roles(page: AppTest) -> list[str | None]:
    """What each file is taken for."""
    return [one.value for one in page.selectbox if one.label == "These are"]


def test_files_are_known_by_their_names_and_put_to_use(page: AppTest) -> None:
    give(page, lists=LISTS, train=TRAIN, test=TEST)
    assert roles(page) == ["lists", "train", "test"]
    next(one for one in page.button if one.label == "Use these data").click().run()
    assert not page.exception
    assert "Recommendations in use" in [one.value for one in page.header]
    assert "Models" in text_of(page)
    in_use = page.session_state["recommendations_in_use"]
    assert in_use.models == ("near", "far")
    assert in_use.data.recommendations.train is not None
    page.switch_page("pages/recommender/recommender_overview.py").run()
    assert not page.exception
    assert "6 users · 7 items · 2 models" in text_of(page)


def test_a_file_that_may_be_either_is_asked_for(page: AppTest) -> None:
    give(page, lists=LISTS, interactions=TEST)
    assert roles(page) == ["lists", None]
    assert "These files cannot be used yet." in text_of(page)
    next(one for one in page.selectbox if one.label == "These are" and one.value is None).set_value(
        "test"
    ).run()
    assert not page.exception
    assert "These files cannot be used yet." not in text_of(page)
    next(one for one in page.button if one.label == "Use these data").click().run()
    data = page.session_state["recommendations_in_use"].data
    assert data.recommendations.train is None
    assert len(data.recommendations.test) == 6


def test_a_file_that_is_taken_for_another_is_turned(page: AppTest) -> None:
    give(page, lists=LISTS, test=TEST, train=TRAIN)
    first, second = [one for one in page.selectbox if one.label == "These are"][1:]
    first.set_value("train")
    second.set_value("test").run()
    assert not page.exception
    next(one for one in page.button if one.label == "Use these data").click().run()
    sources = page.session_state["recommendations_in_use"].data.sources
    assert {one.name: one.role for one in sources} == {
        "lists.csv": "lists",
        "test.csv": "train",
        "train.csv": "test",
    }


def test_interactions_alone_say_what_is_missing(page: AppTest) -> None:
    give(page, train=TRAIN, test=TEST)
    assert "These files cannot be used yet." in text_of(page)
    assert "RCM-001" in text_of(page)


def test_the_format_of_lists_is_shown_before_an_upload(page: AppTest) -> None:
    assert "Recommendation lists" in [tab.label for tab in page.tabs]
    assert "one row per user and recommended item" in text_of(page).lower()


@pytest.mark.parametrize("header", ["user_id,item_id,rating,model", "who,what,how,model"])
def test_a_file_whose_name_and_columns_say_otherwise_can_be_called_lists(page: AppTest, header: str) -> None:
    other = LISTS.replace("user_id,item_id,score,model", header)
    give(page, test_near=other, test=TEST)
    (first, _) = (one for one in page.selectbox if one.label == "These are")
    assert first.value != "lists"
    first.set_value("lists").run()
    fields: dict[str, Any] = {}
    for one in page.selectbox:  # those of the first file
        fields.setdefault(one.label, one)
    assert not page.exception
    if header.startswith("who"):
        for label, column in (("user_id (needed)", "who"), ("item_id (needed)", "what"), ("score", "how")):
            fields[label].set_value(column)
    else:
        fields["score"].set_value("rating")
    page.run()
    assert not page.exception
    next(one for one in page.button if one.label == "Use these data").click().run()
    sources = page.session_state["recommendations_in_use"].data.sources
    assert {one.name: one.role for one in sources} == {"test_near.csv": "lists", "test.csv": "test"}


def test_scores_of_lists_are_predicted_ratings_where_the_box_is_ticked(page: AppTest) -> None:
    give(page, lists=LISTS, test=TEST)
    next(
        one for one in page.checkbox if one.label == "Scores in the lists are predicted ratings"
    ).check().run()
    assert "The scores in the lists are predicted ratings, as you said" in text_of(page)
    next(one for one in page.button if one.label == "Use these data").click().run()
    lists = page.session_state["recommendations_in_use"].data.recommendations.lists
    assert all(one.is_rated for one in lists.values())


def test_a_block_of_settings_is_dropped_beside_files_or_alone(page: AppTest) -> None:
    block = b"evaluation:\n  complex_metrics:\n    - {name: ACLT, params: {pop_ratio: 0.5}}\n"
    page.file_uploader[0].set_value([("mine.yaml", block, "text/yaml")]).run()
    assert "mine.yaml: further settings of ACLT." in text_of(page)
    next(one for one in page.button if one.label == "Use these settings").click().run()
    assert not page.exception
    assert "They are in use: the overview of recommendations shows them." in text_of(page)
    page.switch_page("pages/recommender/recommender_overview.py").run()
    assert not page.exception
    assert "ACLT@10 with pop_ratio=0.5" in text_of(page)


@pytest.mark.parametrize(
    ("columns", "role"),
    [
        ("user,user_group", "user_groups"),
        ("item,item_group", "item_groups"),
        ("movieId,genres", "item_features"),
    ],
)
def test_groups_and_features_are_known_by_their_columns(page: AppTest, columns: str, role: str) -> None:
    """A file made as the Fairness page says, under a name of one's own."""
    prefix = "u" if role == "user_groups" else "i"
    mine = f"{columns}\n" + "".join(f"{prefix}{at},{'ab'[at % 2]}\n" for at in range(6))
    give(page, lists=LISTS, train=TRAIN, test=TEST, mine=mine)
    assert roles(page) == ["lists", "train", "test", role]
    assert "These files cannot be used yet." not in text_of(page)


def test_lists_alone_are_told_to_lack_a_test_and_their_checks_stand_with_them(page: AppTest) -> None:
    give(page, lists=LISTS, train=TRAIN)
    assert "found no test interactions beside the lists" in text_of(page)
    next(one for one in page.button if one.label == "Use these data").click().run()
    assert not page.exception
    text = text_of(page)
    of_lists = text.partition("lists.csv")[2]
    assert re.search(r"\d+ things were checked, \d+ failed", of_lists)
    assert "Test interactions" in of_lists
    page.switch_page("pages/recommender/recommender_overview.py").run()
    bar = next(one.value for one in page.get("html") if 'data-testid="data-bar"' in one.value)
    assert re.search(r"<summary>\d+ warnings?</summary>", bar)
    assert "found no test interactions beside the lists" in bar
