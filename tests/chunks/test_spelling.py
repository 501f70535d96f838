"""Ids that queries and candidates write otherwise are told of, though no chunk has both."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import InputError, evaluate_files, load
from evalcore.chunked import repartition
from evalcore.problems import Problem
from evalcore.readers.columns.ids import canonical, plain_spelling


def written(
    folder: Path, ours: list[str], theirs: list[str], criteria: tuple[str, str] = ("A.1", "A.1")
) -> Path:
    """Queries of our ids and candidates of theirs, three each, in files of their own."""
    n, rng = len(theirs), np.random.default_rng(1)
    queries = {
        "post_id": ours,
        "criterion_id": [criteria[0]] * len(ours),
        "has_evidence": [at % 2 for at in range(len(ours))],
        "probability": rng.random(len(ours)).round(3),
    }
    candidates = {
        "post_id": [one for one in theirs for _ in range(3)],
        "criterion_id": [criteria[1]] * (3 * n),
        "sent_uid": [f"s{at}" for _ in theirs for at in range(3)],
        "is_gold": [int(at == one % 3) for one in range(n) for at in range(3)],
        "score": rng.random(3 * n).round(3),
    }
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(queries), folder / "labels.parquet")
    pq.write_table(pa.table(candidates), folder / "lists.parquet")
    return folder


def straddling(folder: Path):
    return evaluate_files(folder, layout="straddling", chunk_rows=20, ks=(1, 2))


def until_named(one: Problem) -> str:
    """What is said of ids but for the pair that is named: the whole names the first one."""
    return str(one).partition(", such as")[0]


ZEROS = [f"{at:04d}" for at in range(980, 1010)]


@pytest.mark.parametrize("work", [straddling, lambda folder: repartition(folder, folder / "out")])
def test_zeros_that_a_spreadsheet_dropped_are_refused(tmp_path, work):
    folder = written(tmp_path / "in", [str(int(one)) for one in ZEROS], ZEROS)
    with pytest.raises(InputError) as whole:
        load(folder)
    with pytest.raises(InputError) as error:
        work(folder)
    (told,) = error.value.problems
    (known,) = [one for one in whole.value.problems if one.code == "QRY-310"]
    assert (told.code, told.file, until_named(told)) == (known.code, known.file, until_named(known))
    assert re.search("such as “(9[0-9]{2})” here and “0\\1” there", str(told))
    assert not (folder / "out").exists()


def test_criteria_written_otherwise_are_refused(tmp_path):
    folder = written(tmp_path / "in", ZEROS, ZEROS, criteria=("A.1", "a.1 "))
    with pytest.raises(InputError) as error:
        straddling(folder)
    assert [one.code for one in error.value.problems] == ["QRY-310"]


def test_a_few_are_told_and_the_values_are_those_of_the_whole(tmp_path):
    theirs = [f"{one}x" if at > 8 else one.lstrip("0") if at < 2 else one for at, one in enumerate(ZEROS)]
    report = straddling(written(tmp_path / "in", ZEROS, theirs))
    (told,) = [one for one in report.warnings if one.code == "QRY-007"][:1]
    assert "“0980” (labels.parquet) and “980” (lists.parquet)" in str(told) or "“0981”" in str(told)


def test_ids_that_both_hold_in_two_spellings_are_no_matter(tmp_path):
    folder = written(tmp_path / "in", [*ZEROS, "980"], [*ZEROS, "980"])
    assert not [one for one in straddling(folder).warnings if one.code in ("QRY-310", "QRY-007")]


def test_a_part_of_few_ids_refuses_nothing_that_the_whole_tells(tmp_path):
    ours, theirs = ["002", "01", "7", "b", "ﬁ"], ["0", "01", "1", "1e0", "7", "fi"]
    report = evaluate_files(written(tmp_path / "in", ours, theirs), layout="straddling", chunk_rows=10)
    assert [one.code for one in report.warnings if one.code == "QRY-310"] == []


IDS = st.sampled_from(["1", "01", "1.0", "1e0", "2", "002", "a", "A", " a", "b", "ﬁ", "fi", "-0", "0", "7"])


@given(st.sets(IDS, min_size=1), st.sets(IDS, min_size=1))
def test_any_ids_are_told_of_as_of_the_whole(ours, theirs):
    with tempfile.TemporaryDirectory() as temporary:
        folder = written(Path(temporary) / "in", sorted(ours), sorted(theirs))

        def told(work) -> set[str]:
            try:
                found = work(folder).warnings
            except InputError as error:
                found = error.problems
            return {until_named(one) for one in found if one.code == "QRY-310"}

        assert told(straddling) == told(load)


@given(
    st.lists(
        st.one_of(IDS, st.from_regex(r"[+-]?[0-9]{1,40}(\.[0-9]{0,3})?", fullmatch=True), st.text(max_size=5))
    )
)
def test_plain_spellings_are_alike_where_ids_may_be_meant_as_one(levels):
    plain = plain_spelling(np.array(levels, object))
    for one, written_one in zip(levels, plain, strict=True):
        for other, written_other in zip(levels, plain, strict=True):
            assert (written_one == written_other) == (canonical(one) == canonical(other))
