"""What the pages know of each task: where a session keeps its data, what a link calls them, where one starts.

The only place of the pages where tasks are told apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evalcore.data import Data, Task
from evalcore.evaluation import Report
from evalcore.operating_point.wording import counted

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@dataclass(frozen=True)
class Shown:
    """A task on the pages.

    Parameters
    ----------
    title
        Above its pages in the list of pages.
    start, start_title
        The page to begin with.
    values, values_title
        The page that shows every value, those of a metrics.json too.
    slot
        Under which name a session keeps its data.
    in_use
        The heading over its data, where they are not those of most pages.
    names
        What a link calls the digest of its data and the names of their files.
    sample, sample_label
        The file, or the folder, of its sample, and what that is called.
    sizes
        How much there is, in words; None where the model that is shown counts too.
    """

    title: str
    start: str
    start_title: str
    values: str
    values_title: str
    slot: str
    in_use: str
    names: tuple[str, str]
    sample: Path
    sample_label: str
    sizes: Callable[[Data, Report | None], list[str]] | None = None

    @property
    def has_model(self) -> bool:
        """Whether its pages show one model at its thresholds, which a link holds too."""
        return self.sizes is None


def _responses(data: Data, _: Report | None) -> list[str]:
    annotations = data.annotations
    if annotations is None:
        return []
    n_queries, n_scores = len(annotations.record_ids), len(annotations.scores)
    sizes = [f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}"]
    sizes += [
        counted(len(responses), f"{task} response") for task, responses in annotations.responses.items()
    ]
    sizes += [f"{counted(n_scores, 'score')} of other tools"] if n_scores else []
    return [" · ".join(sizes)]


def _lists(data: Data, report: Report | None) -> list[str]:
    found = data.recommendations
    if found is not None:
        sizes = [len(found.user_ids), len(found.item_ids), len(found.models)]
    elif report is not None and (kept := report.gathered.tallies.get("recommendations")) is not None:
        models = kept.models
        sizes = [len(kept.users.code), len(next(iter(models.values())).catalogue), len(models)]
    else:
        return []
    return [" · ".join(counted(n, name) for n, name in zip(sizes, ("user", "item", "model"), strict=True))]


EVIDENCE: Task = "evidence"
RAG: Task = "rag"
RECOMMENDER: Task = "recommender"
PAGES: Mapping[Task, Shown] = {
    EVIDENCE: Shown(
        title="Evidence",
        start="pages/evidence/operating_point.py",
        start_title="Operating point",
        values="pages/evidence/report.py",
        values_title="Report",
        slot="data_in_use",
        in_use="In use",
        names=("data", "file"),
        sample=SAMPLES / "queries.csv",
        sample_label="Sample: queries.csv",
    ),
    RAG: Shown(
        title="RAG annotations",
        start="pages/rag/rag_overview.py",
        start_title="RAG overview",
        values="pages/rag/rag_overview.py",
        values_title="RAG overview",
        slot="annotations_in_use",
        in_use="Annotations in use",
        names=("annotations", "annotations_file"),
        sample=SAMPLES / "rag",
        sample_label="Sample: annotations",
        sizes=_responses,
    ),
    RECOMMENDER: Shown(
        title="Recommender",
        start="pages/recommender/recommender_overview.py",
        start_title="Recommender overview",
        values="pages/recommender/recommender_overview.py",
        values_title="Recommender overview",
        slot="recommendations_in_use",
        in_use="Recommendations in use",
        names=("recommendations", "recommendations_file"),
        sample=SAMPLES / "recommender",
        sample_label="Sample: recommendations",
        sizes=_lists,
    ),
}
"""The first is that of pages which belong to none."""
