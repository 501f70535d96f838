"""The mutation run changes one thing at a time, in code that computes, and finds the tests of a module."""

import ast

import pytest

from benchmarks.mutation.equivalent import EQUIVALENT_MUTANTS
from benchmarks.mutation.mutants import ROOT, Mutant, all_mutants, mutants_of, mutated
from benchmarks.mutation.touching import Touching

MODULE = '''
"""Not 1 < 2."""
from dataclasses import dataclass

SIZES: tuple[int, ...] = (3, 4)


@dataclass(frozen=True)
class Rate:
    low: float | None = None


def share(n_pos: int, queries: "Queries", *, strict: bool = True) -> float:
    """Not 0 either."""
    if not strict and n_pos >= queries.n_ranked:
        raise ValueError("at most 5" + str(7 * 8))
    label = f"{n_pos + 1} of" + " these"
    dict(zip(queries, label, strict=True))
    return queries.hits[0] / max(n_pos,
        -queries.low)
'''


def test_every_kind_of_change_is_made_and_texts_types_and_messages_are_left_alone():
    changes = [(mutant.before, mutant.after) for mutant in mutants_of("a.py", MODULE)]
    assert [(one.replace("\n        ", " "), other) for one, other in changes] == [
        ("3", "4"),
        ("4", "5"),
        ("True", "False"),
        ("not strict and n_pos >= queries.n_ranked", "not strict or n_pos >= queries.n_ranked"),
        ("not strict", "strict"),
        ("n_pos >= queries.n_ranked", "n_pos > queries.n_ranked"),
        ("n_pos", "n_neg"),
        ("queries.n_ranked", "queries.n_candidates"),
        ("queries.hits[0] / max(n_pos, -queries.low)", "queries.hits[0] * max(n_pos, -queries.low)"),
        ("0", "1"),
        ("max", "min"),
        ("n_pos", "n_neg"),
        ("-queries.low", "queries.low"),
        ("queries.low", "queries.high"),
    ]


def test_a_mutant_changes_its_own_place_only():
    for mutant in mutants_of("a.py", MODULE):
        text = mutated(mutant, MODULE)
        ast.parse(text)
        assert text[: mutant.start] == MODULE[: mutant.start]
        assert text.endswith(MODULE[mutant.end :])


def test_a_place_is_found_behind_letters_of_several_bytes():
    (mutant,) = mutants_of("a.py", 'x = "τ ≥ 0.9", n < m\n')
    assert mutated(mutant, 'x = "τ ≥ 0.9", n < m\n') == 'x = "τ ≥ 0.9", (n <= m)\n'


@pytest.mark.long
def test_k_eff_by_candidates_is_among_the_mutants():
    wanted = ("evalcore/metrics/ranking.py", "queries.n_ranked", "queries.n_candidates")
    assert wanted in {(one.file, one.before, one.after) for one in all_mutants()}


@pytest.fixture(scope="module")
def touching() -> Touching:
    return Touching(ROOT)


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("evalcore.metrics.ranking", "tests/metrics/test_ranking.py"),
        ("evalcore.metrics.rag.retrieval", "tests/rag/test_rag_published.py"),
        ("evalcore.inference.verdicts", "tests/inference/test_verdicts.py"),
    ],
)
def test_tests_that_touch_a_module_are_found_by_import_and_by_name(touching, module, test):
    assert test in touching.direct(module)


def test_a_module_that_no_test_imports_is_touched_through_others(touching):
    assert "tests/operating_point/tradeoff/test_groups.py" in touching.beyond(
        "evalcore.operating_point.tradeoff.share_bounds"
    )


def test_a_mutant_is_printed_on_one_line():
    mutant = Mutant("a.py", 3, "x = a <", 4, 4, 13, "a <\n    b", "a <= b")
    assert str(mutant) == "a.py:3: a < b  →  a <= b"


def test_mutants_called_equivalent_are_there_and_say_why():
    assert set(EQUIVALENT_MUTANTS) <= {mutant.name for mutant in all_mutants()}
    assert all(EQUIVALENT_MUTANTS.values())
