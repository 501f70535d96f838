"""A small part of the fuzz run, the same files each time."""

import pytest

from benchmarks import fuzz
from benchmarks.fuzz import cases, run


def test_mutated_files_are_read_or_refused_with_a_reason():
    found = run(160, seed=20)
    assert found.faults == []
    assert found.n == 160
    assert 0 < found.n_read < 160


def test_the_same_seed_makes_the_same_files():
    assert list(cases(60, 3)) == list(cases(60, 3))
    assert list(cases(60, 3)) != list(cases(60, 4))


@pytest.mark.parametrize(("after", "n_faults"), [(1900.0, 0), (1950.0, 1)])
def test_a_file_answers_for_what_it_adds_to_the_memory_and_not_for_what_was_there(
    monkeypatch, after, n_faults
):
    peaks = iter([930.0, after])
    monkeypatch.setattr(fuzz, "_peak", lambda: next(peaks))
    assert [fault.split(": ")[-1] for fault in run(1, seed=20).faults] == ["1,950 MB"][:n_faults]
