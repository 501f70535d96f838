"""Readers of other tools' files: adding a tool is one module and one entry of `TOOLS`.

A tool's scores keep their own names and meanings; none of them becomes one of our labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evalcore.problems import Findings
from evalcore.readers.formats.table import Table
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools import (
    ares,
    deepeval,
    nuggetizer,
    open_rag_eval,
    ragas,
    ragchecker,
    refused,
    trulens,
)
from evalcore.readers.rag.tools.people import argilla, argilla_feedback, label_rows, label_studio
from evalcore.readers.rag.tools.traces import langfuse, langsmith, mlflow, opik, phoenix
from evalcore.schema import plain


@dataclass(frozen=True)
class Tool:
    """A tool whose files are recognised by the names of their columns or fields.

    Parameters
    ----------
    name : the tool's name.
    fits : whether a file with columns of these plain names is the tool's.
    read : the tool's scores, or None with the reason reported.
    is_distinct : whether no table of another task has columns of these names.
    holds_labels : whether a table with columns named after our labels is the tool's all the same.
    """

    name: str
    fits: Callable[[frozenset[str]], bool]
    read: Callable[[Records, Findings], ToolResult | None]
    is_distinct: bool = True
    holds_labels: Callable[[Table], bool] = lambda _: False


TOOLS: tuple[Tool, ...] = (
    Tool(argilla.TOOL, argilla.fits, argilla.read, holds_labels=lambda _: True),
    Tool(
        argilla_feedback.TOOL,
        argilla_feedback.fits,
        argilla_feedback.read,
        holds_labels=argilla_feedback.is_nested,
    ),
    Tool("nuggetizer", nuggetizer.fits, nuggetizer.read),
    Tool("RAGChecker", ragchecker.fits, ragchecker.read),
    Tool("Open RAG Eval", open_rag_eval.fits, open_rag_eval.read),
    Tool("TruLens", trulens.fits, trulens.read, is_distinct=False),
    Tool("Phoenix", phoenix.fits, phoenix.read),
    Tool("DeepEval", deepeval.fits, deepeval.read),
    Tool("DeepEval", deepeval.fits_long, deepeval.read_long),
    Tool(langfuse.TOOL, langfuse.fits, langfuse.read),
    Tool(label_studio.TOOL, label_studio.fits, label_studio.read),
    Tool(langsmith.TOOL, langsmith.fits, langsmith.read),
    Tool(opik.TOOL, opik.fits, opik.read),
    Tool(mlflow.TOOL, mlflow.fits, mlflow.read),
    Tool(mlflow.TOOL, mlflow.is_results, mlflow.read, is_distinct=False),
    Tool("RAGAS", ragas.fits, ragas.read),
    Tool("ARES", ares.fits, ares.read),
    Tool(label_rows.TOOL, label_rows.fits, label_rows.read, is_distinct=False),
    *(
        Tool(one.tool, one.fits, one.read)
        for one in (
            refused.OPEN_RAG_EVAL_INPUT,
            refused.PAIRS,
            refused.EVIDENTLY,
            refused.ARGILLA_LEGACY,
            refused.PROMPTFOO,
            refused.DOCCANO,
        )
    ),
)


def tool_of(names: Iterable[str]) -> Tool | None:
    """The tool whose files have columns of these names, or None.

    >>> tool_of(["user_input", "response", "faithfulness"]).name
    'RAGAS'
    """
    known = frozenset(map(plain, names))
    return next((tool for tool in TOOLS if tool.fits(known)), None)
