"""A whole evaluation of the sample beside reading its file alone."""

from __future__ import annotations

FILE = "sample_data/queries.csv"
BOTH = ("criterion", "fold")


def title() -> str:
    """What is measured, in one line."""
    return f"{FILE}: reading alone, and every metric of both models"


def data() -> str:
    """The file's name; every way reads it."""
    return FILE


def read_only(file: str) -> dict[str, float]:
    """Reading and checking."""
    import evalcore

    return {"rows": float(len(evalcore.load(file).queries))}


def _evaluated(file: str, by: tuple[str, ...], bootstrap: int) -> dict[str, float]:
    import evalcore

    data = evalcore.load(file)
    report = evalcore.evaluate(data, by=by, bootstrap=bootstrap)
    return {
        "rows": float(len(data.queries)),
        "auroc": report.value("classification.auroc"),
    }


WAYS = {
    "reading": read_only,
    "overall": lambda file: _evaluated(file, (), 0),
    "overall, 2,000 replicates": lambda file: _evaluated(file, (), 2000),
    "by criterion, fold and both": lambda file: _evaluated(file, BOTH, 0),
    "by criterion, fold and both, 2,000 replicates": lambda file: _evaluated(
        file, ("criterion", "fold"), 2000
    ),
}
