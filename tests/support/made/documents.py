"""Operating point documents made, changed and written for tests."""

from pathlib import Path

import numpy as np

import evalcore
from evalcore.operating_point import OperatingPoint, choose_operating_point
from evalcore.operating_point.document.canonical import content_sha256, json_text
from tests.support.made.scored_data import data_of, scored


def certified_data():
    positives, negatives = (
        [*np.full(200, 0.953), *np.full(500, 0.52)],
        [*np.full(100, 0.52), *np.full(700, 0.2)],
    )
    tune = scored(positives, negatives, split="tune")
    return data_of(
        [*tune, *scored(positives, negatives, split="test", first_post=9000)], excluded={"no score": 3}
    )


def certified(**particulars):
    return choose_operating_point(certified_data(), tune="tune", test="test", **particulars)


def rehashed(document):
    return document | {"content_sha256": content_sha256(document)}


def written(tmp_path, document):
    path = tmp_path / "point.json"
    path.write_text(json_text(document), encoding="utf-8")
    return path


def codes(caught):
    return [p.code for p in caught.value.problems]


def kept(folder: Path, name: str) -> OperatingPoint:
    """A document of an earlier schema, as the program of that time wrote it."""
    return OperatingPoint.load(folder / f"{name}.json")


def verified(folder: Path, name: str):
    """The same, verified on the rows beside it."""
    point = kept(folder, name)
    return point.verify(evalcore.load(folder / "queries.csv", **point.reading))
