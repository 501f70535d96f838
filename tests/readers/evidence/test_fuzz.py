"""A small part of the fuzz run, the same files each time."""

from benchmarks.fuzz import cases, run


def test_mutated_files_are_read_or_refused_with_a_reason():
    found = run(160, seed=20)
    assert found.faults == []
    assert found.n == 160
    assert 0 < found.n_read < 160


def test_the_same_seed_makes_the_same_files():
    assert list(cases(60, 3)) == list(cases(60, 3))
    assert list(cases(60, 3)) != list(cases(60, 4))
