"""The text of a link: what is written is read back, and a stranger's text is refused in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalcore
from evalcore.readers import Upload
from pages.shared.links.data_name import DataName
from pages.shared.links.link import (
    evidence_query,
    pins_as_query,
    read_aim,
    read_model,
    read_pins,
    read_thresholds,
)
from pages.shared.links.strangers_text import LinkError, as_shown, listed
from pages.shared.point.pins import LONGEST, MOST, Pin
from pages.shared.point.point import Aim

TEXT = "post_id,criterion_id,label,probability,other\np1,A.1,1,0.9,0.3\np2,A.1,0,0.2,0.1\n"
SHARES = st.floats(0, 1, exclude_min=True)
LEVELS = st.none() | st.floats(0.5, 1, exclude_max=True)


def data_of(text: str = TEXT, name: str = "mine.csv", **options: object) -> evalcore.data.Data:
    return evalcore.load([Upload(name, text.encode())], **options)


@given(SHARES, SHARES, LEVELS, LEVELS, st.sets(st.sampled_from(["screening_sensitivity", "alert_precision"])))
def test_targets_are_read_as_they_were_written(
    sensitivity: float, precision: float, one: float | None, two: float | None, seen: set[str]
) -> None:
    aim = Aim(sensitivity, precision, one, two, frozenset(seen))
    assert read_aim(evidence_query(["a"], "a", ("0.1", None), aim)) == aim


NAMES_OF_PINS = (
    st.text(min_size=1, max_size=LONGEST).filter(lambda name: name == name.strip() != "Now").filter(str.strip)
)


@given(
    st.lists(
        st.builds(
            Pin,
            NAMES_OF_PINS,
            st.sampled_from([("0.1", "0.9"), (None, "0.5"), (None, None), ("1e-05", None)]),
            st.builds(Aim, SHARES, SHARES, LEVELS, LEVELS),
            st.booleans(),
            st.just(True),
        ),
        max_size=MOST,
        unique_by=lambda one: one.name,
    )
)
def test_pins_are_read_as_they_were_written(pins: list[Pin]) -> None:
    assert list(read_pins(pins_as_query(pins), "probability")) == pins


PINNED = "0.1;0.9;0.995_0.95;0.9_0.95;;"


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([f"{PINNED}A", f"{PINNED}A"], "pin: found two pinned points of the name “A”"),
        ([f"{PINNED}{at}" for at in range(MOST + 1)], "pin: found 9 pinned points, expected at most 8"),
        ([PINNED], "expected two thresholds, two targets, search or nothing, and a name"),
        ([f"{PINNED}{'x' * 31}"], "a name of at most 30 letters"),
        ([f"{PINNED}Now"], "pin: found “0.1;0.9;0.995_0.95;0.9_0.95;;Now”"),
        (["0.9;0.1;0.995_0.95;0.9_0.95;;A"], "pin, of the name “A”: found 0.9 before 0.1"),
        (["0.1;0.9;2_0.95;0.9_0.95;;A"], "pin, of the name “A”: sensitivity: found “2_0.95”"),
        (["0.1;0.9;0.995_0.95;0.9_0.95;believe;A"], "expected two thresholds"),
        (["<script>"], "pin: found “<script>”"),
    ],
)
def test_pins_that_are_none_are_refused_in_words(texts: list[str], says: str) -> None:
    with pytest.raises(LinkError) as error:
        read_pins({"pin": texts}, "probability")
    assert any(says in line for line in error.value.args)


def test_data_are_known_by_their_first_digits_under_any_file_name() -> None:
    data = data_of()
    name = DataName.of(data, is_sample=False)
    assert DataName.read(name.as_query("evidence"), "evidence") == name
    assert name.is_of(data_of(name="renamed.csv"))
    assert not name.is_of(data_of(TEXT.replace("0.9", "0.8")))
    assert DataName.of(data, is_sample=True).files == ()
    values = DataName.of(data, is_sample=False, file="m.json", values="ab" * 32)
    assert DataName.read(values.as_query("evidence"), "evidence") == values


@pytest.mark.parametrize("options", [{"positive": "0"}, {"columns": {"probability": "other"}}])
def test_the_same_file_read_otherwise_is_not_taken_for_the_same(options: dict[str, object]) -> None:
    name, other = DataName.of(data_of(), is_sample=False), data_of(**options)
    assert name.is_of(other)
    assert not name.is_read_alike(other)


def test_files_in_another_order_are_the_same_data() -> None:
    header, first, second = TEXT.splitlines(keepends=True)
    parts = [Upload("a.csv", (header + first).encode()), Upload("b.csv", (header + second).encode())]
    one, other = evalcore.load(parts), evalcore.load(parts[::-1])
    name = DataName.of(one, is_sample=False)
    assert one.digest != other.digest
    assert name.is_of(other)
    assert name.is_read_alike(other)


@pytest.mark.parametrize(
    ("values", "kind", "says"),
    [
        (["0.9", "0.1"], "probability", "tau: found 0.9 before 0.1, expected the lower threshold first"),
        (["nan", "0.1"], "probability", "found “nan”, expected a number from 0 to 1"),
        (["0.1", "inf"], "score", "found “inf”, expected a number, or none"),
        (["-4", "2"], "probability", "found “-4”, expected a number from 0 to 1"),
        (["0.1"], "probability", "found “0.1”, expected two, the lower first, none for an empty zone"),
        (["0.1", "0.2", "0.3"], "probability", "found 3 thresholds, 0.1, 0.2, 0.3, expected two"),
        (["0.1", "𝟎.9"], "probability", "found “𝟎.9”, expected a number from 0 to 1"),
        (["0.1", "٠.9"], "probability", "found “٠.9”, expected a number from 0 to 1"),
        (["0.1", "0_5"], "probability", "found “0_5”, expected a number from 0 to 1"),
        ([""], "probability", "found “”, expected two"),
    ],
)
def test_thresholds_that_cannot_be_used_are_described(values: list[str], kind: str, says: str) -> None:
    with pytest.raises(LinkError, match="found") as caught:
        read_thresholds({"tau": values}, kind)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.9",
        "0.9_",
        "nan_0.95",
        "2_0.95",
        "0.9_1",
        "0.9_0.95_x",
        "1e9_point",
        "_",
        "0.9_0.01",
        "0.9_0.49",
        "٠.9_0.95",
        "0.9_٠.95",
    ],
)
def test_targets_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LinkError, match=r"^sensitivity: found "):
        read_aim({"sensitivity": [text]})


@pytest.mark.parametrize(
    "text", ["", "zzzzzzzz", "1234567", "12345678-", "12345678-12", "1" * 65, "ABCDEF12"]
)
def test_digests_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LinkError, match="expected the first 8 digits of a digest"):
        DataName.read({"data": [text]}, "evidence")


def test_unknown_model_and_two_models_are_refused_with_those_there_are() -> None:
    assert read_model({}, ["a", "b"]) is None
    with pytest.raises(LinkError, match=r"^model: these data have no “c”; they have a, b$"):
        read_model({"model": ["c"]}, ["a", "b"])
    with pytest.raises(LinkError, match=r"^model: found 2 values, a, b, expected one$"):
        read_model({"model": ["a", "b"]}, ["a", "b"])


@given(st.text())
def test_a_strangers_text_is_one_short_line_that_can_be_seen(text: str) -> None:
    shown = as_shown(text)
    assert len(shown) <= 80
    assert shown.isprintable()


def test_many_names_are_cut() -> None:
    assert listed([str(n) for n in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"


def test_a_link_names_all_files_of_a_usual_case_and_counts_the_rest_of_many() -> None:
    header, first, _ = TEXT.splitlines(keepends=True)

    def parts(n: int) -> list[Upload]:
        return [Upload(f"{at}.csv", f"{header}{first.replace('p1', f'p{at}')}".encode()) for at in range(n)]

    six = evalcore.load(parts(6))
    name = DataName.of(six, is_sample=False)
    assert name.files == tuple(f"{at}.csv" for at in range(6))
    assert name.is_of(evalcore.load(parts(6)[::-1]))
    many = DataName.of(evalcore.load(parts(23)), is_sample=False)
    assert many.files[-1] == "and 3 more"
    assert len(many.files) == 21
    assert DataName.read(many.as_query("evidence"), "evidence") == many
