"""Ablation: the steps of a pipeline, what each reaches and what it changes; sweeps over policies."""

from evalcore.ablation.changes import Ablation, ablation, changes
from evalcore.ablation.steps import RankedList, Step, ranked_lists, steps_of, steps_of_files
from evalcore.ablation.sweeps import gamma_table, threshold_grid
from evalcore.ablation.values import StepValues, step_values

__all__ = [
    "Ablation",
    "RankedList",
    "Step",
    "StepValues",
    "ablation",
    "changes",
    "gamma_table",
    "ranked_lists",
    "step_values",
    "steps_of",
    "steps_of_files",
    "threshold_grid",
]
