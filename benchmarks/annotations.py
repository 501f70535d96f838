"""A whole evaluation of a hundred thousand annotation rows beside reading them, and beside pandas by hand."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

N_CHUNKS = 5
LABELS = {
    "retrieval": {"topically_relevant": 0.6, "evidence_sufficient": 0.3, "misleading": 0.1},
    "grounding": {
        "support_present": 0.8,
        "unsupported_claim_present": 0.2,
        "contradicted_claim_present": 0.1,
        "source_cited": 0.7,
        "fabricated_source": 0.05,
    },
    "generation": {
        "proper_action": 0.9,
        "response_on_topic": 0.9,
        "helpful": 0.7,
        "incomplete": 0.2,
        "unsafe_content": 0.02,
    },
}
"""Task → label → how often it is true."""


def title(n_records: int) -> str:
    """What is measured, in one line."""
    return f"Annotations of {n_records:,} answers, half of the lists by two people: every metric and report"


def data(n_records: int) -> Path:
    """A folder with the three files of an annotation export: ten rows a record."""
    rng = np.random.default_rng(0)
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for task, labels in LABELS.items():
        n_seconds = n_records // 2 if task == "retrieval" else n_records // 4
        record = np.concatenate([np.arange(n_records), np.arange(n_seconds)])
        second = np.arange(len(record)) >= n_records
        n_chunks = N_CHUNKS if task == "retrieval" else 1
        record, second = np.repeat(record, n_chunks), np.repeat(second, n_chunks)
        rank = np.arange(len(record)) % n_chunks + 1
        columns = {
            "record_uuid": [f"r-{code:06d}" for code in record],
            "annotator_id": np.where(second, "ann_b", "ann_a"),
            "language": np.array(["en", "de", "fr"])[record % 3],
            "response_status": "submitted",
            "discard_reason": "",
        }
        if task == "retrieval":
            columns |= {
                "chunk_id": [f"c-{code}-{place}" for code, place in zip(record, rank, strict=True)],
                "chunk_rank": rank,
                "n_retrieved_chunks": n_chunks,
            }
        columns |= {
            label: np.where(rng.random(len(record)) < share, "true", "false")
            for label, share in labels.items()
        }
        pd.DataFrame(columns).to_csv(folder / f"{task}.csv", index=False)
    return folder


def _files(folder: Path) -> list[str]:
    return [str(folder / f"{task}.csv") for task in LABELS]


def read_only(folder: Path) -> dict[str, float]:
    """Reading, checking, and one judgement of each chunk and answer."""
    import evalcore

    return {"rows": float(sum(source.n_rows for source in evalcore.load(_files(folder)).sources))}


def _evaluated(folder: Path, bootstrap: int, *, with_files: bool = False) -> dict[str, float]:
    import evalcore
    from evalcore.report import write_report

    report = evalcore.evaluate(evalcore.load(_files(folder)), by=("language",), bootstrap=bootstrap)
    if with_files:
        with tempfile.TemporaryDirectory() as out:
            write_report(report, Path(out))
    return {
        "topical_precision": report.value("rag.topical_precision_at_k", variant="present"),
        "mrr": report.value("rag.mean_reciprocal_rank_at_k", variant="ties_0"),
    }


def by_pandas(folder: Path) -> dict[str, float]:
    """Two of the sixteen, without intervals, as a notebook computes them: a group, a function."""
    retrieval = pd.read_csv(folder / "retrieval.csv")
    shares = retrieval.groupby(["record_uuid", "chunk_rank"])[list(LABELS["retrieval"])].mean()
    judged = (shares > 0.5).astype(float).where(shares != 0.5)  # a tie of two people is no judgement

    def of_list(chunks: pd.DataFrame) -> pd.Series:
        relevant = chunks["topically_relevant"].to_numpy()
        hits = np.flatnonzero(relevant == 1)
        return pd.Series(
            {
                "topical_precision": chunks["topically_relevant"].mean(),
                "mrr": 1 / (hits[0] + 1) if len(hits) else 0.0,
            }
        )

    return judged.groupby(level=0).apply(of_list).mean().to_dict()


WAYS = {
    "evalcore: every metric, overall and by language": lambda folder: _evaluated(folder, 0),
    "reading alone": read_only,
    "every metric, 2,000 replicates": lambda folder: _evaluated(folder, 2000),
    "every metric, 2,000 replicates, five files": lambda folder: _evaluated(folder, 2000, with_files=True),
    "pandas by hand: two metrics, no interval": by_pandas,
}
