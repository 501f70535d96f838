"""What is known of a metric stands with its declaration: nowhere else is a table of metrics' names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalcore.catalog import METRICS
from evalcore.metrics import gate, ranking
from evalcore.spec import FAMILIES, declared

ROOT = Path(__file__).resolve().parents[2]
OF_METRICS = ("evalcore/metrics", "evalcore/crosscheck")
NAMES = {metric.name for metric in METRICS.values()}
OTHERS_NAMES = {
    "evalcore/checks/identities.py": "metrics as a stranger's summary calls them",
    "pages/shared/annotations/predicted_labels.py": "rates of a predicted label, which are no metrics",
    "pages/shared/links/link.py": "targets as an address of a page calls them",
}
"""Files in which the same words name something else."""


def sources() -> Iterator[tuple[str, str]]:
    """Path and text of every module that may hold no key of a metric."""
    for folder in ("evalcore", "pages"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith(OF_METRICS):
                yield name, file.read_text()


def keys_in(text: str) -> set[str]:
    """Keys of metrics in a module, and texts that make one of a family and a name."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and node.value in METRICS:
            found.add(str(node.value))
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            start = str(node.values[0].value)
            found |= {f"{start}…"} if start in {f"{family}." for family in FAMILIES} else set()
    return found


def tables_of_names_in(text: str) -> list[list[str]]:
    """Tuples, lists, sets and keys of dicts that hold at least two names of metrics and nothing else."""
    found = []
    for node in ast.walk(ast.parse(text)):
        held = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        words = [one.value for one in held if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if len(words) == len(held) > 1 and NAMES.issuperset(words):
            found.append(words)
    return found


def test_no_key_of_a_metric_stands_outside_its_declaration():
    assert {name: keys for name, text in sources() if (keys := keys_in(text))} == {}


def test_no_table_of_names_of_metrics_stands_outside_the_declarations():
    found = {name: tables for name, text in sources() if (tables := tables_of_names_in(text))}
    assert set(found) == set(OTHERS_NAMES), found


@pytest.mark.parametrize(
    "planted",
    [
        'SHOWN = {"ranking.ndcg": 1}',
        'metric = METRICS["gate.neg_rate"]',
        "def key(name):\n    return METRICS[f'ranking.{name}']",
    ],
)
def test_a_planted_key_is_noticed(planted):
    assert keys_in(planted)


@pytest.mark.parametrize("planted", ['FIRST = ("ndcg", "mrr")', 'LABELS = {"ece": "ECE", "mce": "MCE"}'])
def test_a_planted_table_of_names_is_noticed(planted):
    assert tables_of_names_in(planted)


def test_a_docstring_and_a_part_of_a_name_are_none():
    assert not keys_in('"""Such as ``ranking.ndcg``."""\nMODULES = ("rag.retrieval", "gate")')
    assert not tables_of_names_in('COLUMNS = ("tau_neg", "alert_precision", "screening_sensitivity")')


def test_a_metric_is_found_by_its_function():
    assert declared(gate.neg_rate).key == "gate.neg_rate"
    assert declared(ranking.average_precision).key == "ranking.map"
    with pytest.raises(TypeError, match="effective_k is no declared metric"):
        declared(ranking.effective_k)
