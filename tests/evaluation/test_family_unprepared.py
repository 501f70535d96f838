"""A family that no one prepared for: its own table, tally and metrics are evaluated, split and compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

import numpy as np
import pytest

from evalcore import Report, tasks
from evalcore.catalog import METRICS
from evalcore.compare.cells import cells_of
from evalcore.compare.options import CompareOptions, checked
from evalcore.compare.pairing import Paired, Shared
from evalcore.compare.pairs import Pair, groups_of
from evalcore.compare.table import Prepared, comparison
from evalcore.compare.told import of_comparison
from evalcore.data import Data
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.gather import Gathering
from evalcore.evaluation.gathering.samples import Draws, OfModel
from evalcore.evaluation.groups import Levels, Members
from evalcore.evaluation.intervals.bounds import Sample
from evalcore.evaluation.saved.archive import packed, unpacked
from evalcore.evaluation.values import of_tally
from evalcore.problems import InputError, Problem, problem
from evalcore.report.metrics_csv import metrics_csv
from evalcore.spec import PerQuery, Ratio, Undefined, metric
from evalcore.tallies import flaws
from evalcore.tallies.flaws import KEPT, kept_as
from evalcore.tallies.units import Units


@kept_as("tastings")
@dataclass(frozen=True, eq=False)
class Tastings:
    """Marks that guests give dishes: the table that is read, and its tally too."""

    lacking: ClassVar[str] = "as not both were tasted"

    guests: Units
    mark: np.ndarray
    dish: np.ndarray
    town: np.ndarray
    towns: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.mark)

    @property
    def slices(self):
        return {"town": (self.town, self.towns)}

    def group_columns(self, most: int) -> list[str]:
        return ["town"] if len(self.towns) <= most else []

    def cluster_columns(self) -> list[str]:
        return []

    def everything(self):
        return Members(len(self))

    def levels(self, column: str):
        return Levels(self.town, self.towns, range(len(self.towns))) if column == "town" else None

    def take(self, at) -> Tastings:
        return Tastings(self.guests.take(at), self.mark[at], self.dish[at], self.town[at], self.towns)

    def where(self, mask) -> Tastings:
        return self.take(np.flatnonzero(mask))

    def merge(self, other: Tastings) -> Tastings:
        columns = [np.concatenate(pair) for pair in ((self.mark, other.mark), (self.dish, other.dish))]
        town = np.concatenate([self.town, other.town])
        return Tastings(self.guests.merge(other.guests), *columns, town, self.towns)

    def ordered(self) -> Tastings:
        found = replace(self, guests=self.guests.ordered())
        return found.take(np.argsort(found.guests.code, kind="stable"))

    def flaws(self, _: Data) -> flaws.Flaws:
        n = len(self)
        yield from flaws.within("guests", self.guests.flaws(n))
        yield from flaws.numbers("mark", self.mark, n)
        yield from flaws.codes("dish", self.dish, n, 30)
        yield from flaws.columns("slices", self.slices, n)

    def torn(self) -> Iterator[Problem]:
        if (np.diff(self.guests.code) == 0).any():
            yield problem("QRY-243", n=1)


def made(n: int = 60, seed: int = 4) -> Tastings:
    rng = np.random.default_rng(seed)
    guests = Units(np.arange(n), hashes(f"g{at}" for at in range(n)), "guests")
    return Tastings(guests, rng.random(n), rng.integers(0, 30, n), rng.integers(0, 2, n), ("Ede", "Oss"))


def data_of(table: Tastings) -> Data:
    return Data("evidence", (), {"tastings": table})


def models_of(found, options) -> Iterator[OfModel]:
    table = found.tallies["tastings"]
    drawn = Draws(options).of(table.guests)

    def group(of, how):
        mask = of.mask
        own, before = table.guests.where(mask).present()
        sample = Sample(own, None, drawn.where(before) if how.bootstrap else None)
        return iter([("Tastings", {}, table.where(mask))]), sample

    yield OfModel("cook", table, group)


@pytest.fixture
def known() -> Iterator[dict]:
    """The metrics there are, and no others afterwards."""
    before = dict(METRICS)
    yield before
    METRICS.clear()
    METRICS.update(before)
    of_tally.cache_clear()


@pytest.fixture
def tasted(known, monkeypatch):
    """Two metrics, a mean over guests and a count of distinct dishes, and the record of a task."""
    facts = {"family": "recommender", "formula": "?", "population": "all_guests", "source": "a test"}
    facts |= {"undefined": (Undefined(lambda tally: len(tally) == 0, "no guests"),), "bounds": (0, 1)}

    def mean_mark(tally: Tastings):
        """The mean mark."""
        return PerQuery(tally.mark)

    def dishes(tally: Tastings):
        """The share of 30 dishes that somebody tasted."""
        return Ratio(len(np.unique(tally.dish)), 30)

    for function in (mean_mark, dishes):
        metric(label=function.__name__, better="higher", **facts)(function)
    of_tally.cache_clear()
    gathering = Gathering(
        "tastings",
        plan=lambda parts: parts[0],
        gather=lambda table, *_: table,
        whole=lambda parts, _: reduce(Tastings.merge, parts),
    )
    record = replace(tasks.TASKS["evidence"], tables=(gathering,), models=models_of)
    monkeypatch.setattr(tasks, "TASKS", {**tasks.TASKS, "evidence": record})
    return [key for key in METRICS if key not in known]


def test_it_has_values_and_intervals_overall_and_by_group(tasted):
    table = made()
    found = tasks.evaluate(data_of(table), by="town", bootstrap=100).table
    assert set(found.family + "." + found.metric) == set(tasted)
    overall = found[(found.group_by == "") & ~found.params.str.contains("stat=")].set_index("metric")
    assert overall.value["mean_mark"] == pytest.approx(table.mark.mean())
    assert overall.value["dishes"] == len(np.unique(table.dish)) / 30
    assert overall.ci_method.str.startswith("cluster_bootstrap(guests=60;B=100").all()
    assert set(found.group) == {"", "Ede", "Oss"}
    assert found.params.str.contains("stat=sd;over=guests").any()


@pytest.mark.usefixtures("tasted")
def test_any_split_gives_the_same_bytes_and_a_guest_in_two_parts_is_refused():
    table, rng = made(), np.random.default_rng(1)
    parts = [data_of(table.take(at)) for at in np.array_split(rng.permutation(len(table)), 7)]
    how = {"by": "town", "bootstrap": 100}
    assert metrics_csv(tasks.evaluate(parts, **how)) == metrics_csv(tasks.evaluate(data_of(table), **how))
    with pytest.raises(InputError, match="QRY-243"):
        tasks.evaluate([parts[0], parts[0]])


def test_two_of_them_are_compared(tasted):
    sides = made(), replace(made(), mark=made(seed=9).mark)
    options = checked(data_of(sides[0]), CompareOptions(metrics=tuple(tasted), by=("town",), bootstrap=100))
    at, ids = np.arange(60), tuple(f"g{at}" for at in range(60))
    paired = Paired(at, at, at, ids, "guests", Shared("guests", 60, 0, 0, 0), *sides)
    pairs = []
    for group, mask in groups_of(paired, options.by, np.ones(60, bool)):
        both = sides[0].where(mask), sides[1].where(mask)
        pairs.append(Pair("Tastings", group, {}, {}, both, group.code, None, group.n, group.n))
    cells = list(cells_of(pairs, [METRICS[key] for key in tasted], options, with_gold=False))
    found = comparison(Prepared(cells, (paired.shared,), ("a", "b"), options, ()), lambda _: None)
    row = found.of(tasted[0]).iloc[0]
    assert row["difference"] == pytest.approx(sides[1].mark.mean() - sides[0].mark.mean())
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    assert row["ci_method"].startswith("cluster_bootstrap(guests=60")
    assert 0 < row["p"] <= 1
    told = of_comparison(found)
    assert told.notes[1] == "60 guests compared; none fell out."
    assert len(told.answers) == 3


def test_what_two_systems_lack_is_told_with_the_kind_of_tally(tasted):
    assert METRICS[tasted[0]].lacking == "as not both were tasted"
    assert METRICS["ranking.ndcg"].lacking == "as not both have ranked lists"
    assert METRICS["calibration.ece"].is_of_scores
    assert not METRICS["classification.pair_auroc"].is_of_scores
    assert {one.tally for one in METRICS.values() if one.is_decided} == {
        "StateCounts",
        "Confusion",
        "LabelMatrix",
        "Selections",
    }


@pytest.mark.usefixtures("tasted")
def test_its_report_is_saved_and_opened_with_the_same_values(tmp_path):
    report = tasks.evaluate(data_of(made()), by="town", bootstrap=100)
    path = report.save(tmp_path / "a.evalcore")
    found = Report.load(path)
    assert metrics_csv(found) == metrics_csv(report)
    assert found.to_bytes() == path.read_bytes()
    kept, before = found.gathered.tallies["tastings"], report.gathered.tallies["tastings"]
    assert type(kept) is Tastings
    assert (kept.mark == before.mark).all()
    assert (kept.guests.hashed == before.guests.hashed).all()
    assert kept.slices["town"][1] == ("Ede", "Oss")


@pytest.mark.usefixtures("tasted")
@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("tastings/dish", [31] * 60, "tastings/dish: 31, expected a whole number from 0 to 29"),
        ("tastings/mark", [np.inf] * 60, "tastings/mark: a number that is not finite"),
        ("tastings/mark", [0.5] * 59, "tastings/mark: 59 values of float64, expected 60 numbers"),
        ("tastings/guests/code", [0.5] * 60, "tastings/guests/code: 60 values of float64"),
    ],
)
def test_a_changed_file_of_it_is_refused(column, values, said):
    document, columns = unpacked(tasks.evaluate(data_of(made())).to_bytes(), None)
    with pytest.raises(InputError) as caught:
        Report.from_bytes(packed(document, {**columns, column: np.array(values)}))
    assert said in str(caught.value)


@pytest.mark.usefixtures("tasted")
def test_a_tally_that_is_not_declared_is_not_left_out_of_a_file(tmp_path, monkeypatch):
    monkeypatch.delitem(KEPT, "tastings")
    with pytest.raises(InputError, match=r"rest on tastings, expected one that rests on annotations"):
        tasks.evaluate(data_of(made())).save(tmp_path / "a.evalcore")
    assert not list(tmp_path.iterdir())
