"""What the sidecars of annotations state, held against the responses."""

from __future__ import annotations

from collections.abc import Iterator

from evalcore.agreement import StatedFact, stated_facts
from evalcore.checks.results import CheckResult, result
from evalcore.data import Data
from evalcore.problems import Problem, problem

WHAT = {
    "export": "What the export states of its tasks, rules and panels is what its files hold.",
    "agreement": "What the agreement report states is what the responses give.",
}


def performed(data: Data) -> Iterator[CheckResult]:
    """One check a sidecar that states something which can be compared."""
    if data.annotations is None:
        return
    facts = stated_facts(data.annotations)
    for kind, what in WHAT.items():
        found = [one for one in facts if one.sidecar == kind and one.is_same is not None]
        if not found:
            continue
        file = next((s.name for s in data.sources if s.role == f"sidecar: {kind}"), "the sidecar")
        name = "Counts of the export" if kind == "export" else "Stated agreement"
        differing = (_problem(one, file) for one in found if not one.is_same)
        yield result(name, what, len(found), differing)


def _problem(fact: StatedFact, file: str) -> Problem:
    found = f"{fact.what}: {fact.ours}"
    return problem("RAG-014", found=found, task=fact.task or "all tasks", expected=fact.stated, sidecar=file)
