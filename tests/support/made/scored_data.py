"""Small evidence data for tests, made without a file."""

import hashlib
import json

import numpy as np

from evalcore.data import Data, Queries, Source

COLUMNS = {
    "post_id": "post",
    "criterion_id": "criterion",
    "has_evidence": "label",
    "probability": "p",
    "split": "split",
    "model": "run",
}


def data_of(rows, *, has_posts=True, score_kind="probability", name="queries.csv", facts=None, excluded=None):
    """Data of rows (post, criterion, p, label, split = "", model = "m")."""
    rows = [(*row, *("", "m")[len(row) - 4 :]) for row in rows]
    post, criterion, score, label, split, model = (list(column) for column in zip(*rows, strict=True))
    post_codes, post_ids = codes_of(post)
    criterion_codes, criterion_ids = codes_of(criterion)
    model_codes, models = codes_of(model)
    split_codes, splits = codes_of([text for text in split if text])
    slices = {}
    if splits:
        codes = np.full(len(rows), -1)
        codes[[bool(text) for text in split]] = split_codes
        slices["split"] = (codes, splits)
    queries = Queries(
        post=post_codes,
        post_ids=np.array(post_ids, object),
        criterion=criterion_codes,
        criterion_ids=np.array(criterion_ids, object),
        has_evidence=np.array(label, bool),
        score=np.array(score, float),
        model=model_codes,
        models=models,
        slices=slices,
        numbers={},
        row=np.arange(1, len(rows) + 1),
        has_posts=has_posts,
    )
    raw = json.dumps(rows).encode()
    source = Source(
        name=name,
        role="queries",
        sha256=hashlib.sha256(raw).hexdigest(),
        n_bytes=len(raw),
        n_rows=len(rows),
        n_used=len(rows),
        excluded=excluded or {},
        columns=COLUMNS,
        format="CSV, comma, UTF-8",
    )
    return Data("evidence", (source,), {"queries": queries}, score_kind=score_kind, facts=facts or {})


def codes_of(names):
    """Codes into the distinct names in the order of first appearance."""
    at = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return np.array([at[name] for name in names], np.intp), tuple(at)


def scored(positives, negatives, *, split="", first_post=0, per_post=1):
    """Rows with these scores of positives and negatives, ``per_post`` rows to a post."""
    labelled = [(p, 1) for p in positives] + [(p, 0) for p in negatives]
    return [
        (f"s{first_post + at // per_post}", f"A.{at % per_post + 1}", p, y, split)
        for at, (p, y) in enumerate(labelled)
    ]
