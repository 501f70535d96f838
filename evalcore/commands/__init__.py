"""The commands of the command line, each a function of its parsed arguments that returns the exit status."""

from __future__ import annotations

from evalcore.commands.choosing import apply, choose, verify
from evalcore.commands.chunking import CLUSTER, repartition
from evalcore.commands.comparing import compare
from evalcore.commands.deploying import rule
from evalcore.commands.evaluating import ablation, check, crosscheck, evaluate, report, sweep
from evalcore.commands.exploring import explore
from evalcore.commands.gathering import gather
from evalcore.commands.reading import BESIDE, DOES_NOT_HOLD, DONE, WRONG_INPUT
from evalcore.commands.reopening import show
from evalcore.commands.serving import dashboard
from evalcore.commands.showing import metrics, sample
from evalcore.commands.writing_up import writeup

__all__ = [
    "BESIDE",
    "CLUSTER",
    "DOES_NOT_HOLD",
    "DONE",
    "WRONG_INPUT",
    "ablation",
    "apply",
    "check",
    "choose",
    "compare",
    "crosscheck",
    "dashboard",
    "evaluate",
    "explore",
    "gather",
    "metrics",
    "repartition",
    "report",
    "rule",
    "sample",
    "show",
    "sweep",
    "verify",
    "writeup",
]
