"""What stands beside the values over annotations, fed from the values' own cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from evalcore.agreement import Alpha, alphas, weakest
from evalcore.annotations import LABELS
from evalcore.evaluation.gathering.gather import Gathered
from evalcore.evaluation.options import Options
from evalcore.evaluation.rag.coverage import COVERAGE_COLUMNS, Coverage, coverage, in_words
from evalcore.evaluation.rag.predicted_labels import PREDICTED_COLUMNS, predicted_labels
from evalcore.evaluation.rag.tool_scores import SCORE_COLUMNS, tool_scores
from evalcore.evaluation.row import Place, Row
from evalcore.evaluation.values import USUAL, Cell, Valued
from evalcore.tallies.judgements import JudgedAnswers

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


class Beside:
    """What values over annotations rest on, collected while they are computed.

    Parameters
    ----------
    found : the annotations of the whole input.
    options : ``by``, ``annotators``, ``bootstrap`` and ``seed`` count.
    """

    def __init__(self, found: Gathered, options: Options) -> None:
        assert found.said is not None
        self._annotations = found.said
        self._options = options
        self._covers: list[Coverage] = []
        responses = (self._annotations.responses.get(task) for task in LABELS)
        self._agreed: list[Alpha] = [
            alpha
            for of_task in responses
            if of_task is not None
            for alpha in alphas(
                of_task, self._annotations.record_ids, n_replicates=options.bootstrap, seed=options.seed
            )
        ]

    def noted(self, found: Valued, place: Place) -> list[Row]:
        """The rows; default values say what they leave out and the weakest agreement that they rest on."""
        by_treatment: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}
        for cell in found.cells:
            if not cell.is_spread and cell.variant == cell.asked.metric.default_variant:
                values = by_treatment.setdefault((cell.row.metric, cell.row.params), {})
                values[_treatment(cell)] = cell.value, cell.row.n
        rows = list(found.rows)
        for at, cell in enumerate(found.cells):
            metric = cell.asked.metric
            is_default = cell.variant == metric.default_variant and _treatment(cell) == USUAL
            if cell.is_spread or not is_default:
                continue
            values = by_treatment[cell.row.metric, cell.row.params]
            where = cell.row.params, place.group_by, place.group
            rests_on = coverage(metric, cell.asked.tally, where, values)
            unit = "answers" if isinstance(cell.asked.tally, JudgedAnswers) else "queries"
            words = in_words(rests_on, unit)
            self._covers.append(rests_on._replace(left_out="; ".join(filter(None, (cell.note, words)))))
            of_labels = weakest(self._agreed, metric.labels).text
            note = "; ".join(filter(None, (cell.row.note, words, of_labels)))
            rows[at] = rows[at]._replace(note=note)
        return rows

    def results(self, progress: Callable[[str], None]) -> RagResults:
        """Everything that was collected, with what other tools and classifiers say.

        Parameters
        ----------
        progress : is told what comes next.
        """
        import pandas as pd

        progress("predicted labels")
        names = [field.name for field in fields(Alpha)]
        return RagResults(
            coverage=pd.DataFrame(self._covers, columns=list(COVERAGE_COLUMNS)),
            scores=pd.DataFrame(
                tool_scores(self._annotations, self._options.by), columns=list(SCORE_COLUMNS)
            ),
            agreement=pd.DataFrame([astuple(alpha) for alpha in self._agreed], columns=names),
            predicted=pd.DataFrame(
                predicted_labels(self._annotations, self._options), columns=list(PREDICTED_COLUMNS)
            ),
        )


def _treatment(cell: Cell) -> str:
    return str(cell.asked.made_with.get("treatment", USUAL))
