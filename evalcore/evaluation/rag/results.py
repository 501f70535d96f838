"""Everything that an evaluation of annotations gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from evalcore.agreement import Alpha, alphas, weakest
from evalcore.annotations import LABELS
from evalcore.data import Data
from evalcore.evaluation.options import Options
from evalcore.evaluation.rag.coverage import COVERAGE_COLUMNS, Coverage
from evalcore.evaluation.rag.groups import judged_groups
from evalcore.evaluation.rag.intervals import Draws
from evalcore.evaluation.rag.predicted_labels import PREDICTED_COLUMNS, predicted_labels
from evalcore.evaluation.rag.rows import rows_of, treatments_of
from evalcore.evaluation.rag.tool_scores import SCORE_COLUMNS, tool_scores
from evalcore.evaluation.row import Row
from evalcore.metrics.rag import LABELS_OF
from evalcore.tallies.judgements import TREATMENTS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class RagResults:
    """What stands beside the table of values for the task ``rag``.

    Parameters
    ----------
    coverage : one row a default value, with the fields of `Coverage`.
    scores : one row a score of another tool and group, with the fields of `ScoreRow`.
    agreement : one row a label, with the fields of `Alpha`; over everybody's responses.
    predicted : one row a quantity of a predicted label, with the fields of `PredictedRow`.
    """

    coverage: pd.DataFrame
    scores: pd.DataFrame
    agreement: pd.DataFrame
    predicted: pd.DataFrame


def rag_results(
    data: Data, options: Options, progress: Callable[[str], None]
) -> tuple[list[Row], RagResults]:
    """The rows of ``metrics.csv``, and what they rest on.

    Parameters
    ----------
    data : with annotations.
    options : ``by``, ``ks``, ``annotators``, ``bootstrap``, ``seed``, ``cluster`` and ``undefined`` count.
    progress : is told what comes next, a group at a time.
    """
    import pandas as pd

    assert data.annotations is not None
    rows: list[Row] = []
    covers: list[Coverage] = []
    agreed: list[Alpha] = []
    for task in LABELS:
        if task not in data.annotations.responses:
            continue
        responses = data.annotations.responses[task]
        draws = Draws.of(data.annotations, responses, options)
        found_alphas = alphas(
            responses, data.annotations.record_ids, n_replicates=options.bootstrap, seed=options.seed
        )
        agreed += found_alphas
        weakest_of = {key: weakest(found_alphas, labels).text for key, labels in LABELS_OF.items()}
        of_whole: list[str] = []
        for group_by, group, judged in judged_groups(responses, options.by, options.annotators):
            progress(f"{task} {group_by} {group}".rstrip())
            of_group = treatments_of(judged)
            of_whole = of_whole or of_group
            treatments = [name for name in TREATMENTS if name in of_whole or name in of_group]
            found, rest_on = rows_of(task, judged, treatments, draws, options, (group_by, group), weakest_of)
            rows += found
            covers += rest_on
    scores = tool_scores(data.annotations, options.by)
    coverage = pd.DataFrame(covers, columns=list(COVERAGE_COLUMNS))
    names = [field.name for field in fields(Alpha)]
    agreement = pd.DataFrame([astuple(alpha) for alpha in agreed], columns=names)
    progress("predicted labels")
    predicted = pd.DataFrame(predicted_labels(data.annotations, options), columns=list(PREDICTED_COLUMNS))
    told = pd.DataFrame(scores, columns=list(SCORE_COLUMNS))
    return rows, RagResults(coverage, told, agreement, predicted)
