"""Parts of one input as one: what shows or names single rows comes out byte for byte as of the whole."""

import json
from dataclasses import replace

import numpy as np
import pytest

from evalcore.compare import as_csv, compare
from evalcore.data import Data, Source, present
from evalcore.operating_point import choose_operating_point
from evalcore.problems import InputError
from evalcore.tasks import compared, load, whole
from tests.evaluation.test_any_split import SAMPLE, cut, few, two_models
from tests.rag.test_rag_gather import cut as cut_records
from tests.rag.test_rag_gather import part_of, said_of
from tests.support.made.evidence import make_queries

PARTS = [1, 2, 64]


def test_rows_of_parts_come_out_in_the_order_of_their_file():
    data = load([SAMPLE / "queries.csv"])
    one, other = data.queries, whole(cut(data, 64)).queries
    for name in ("post", "criterion", "has_evidence", "score", "model", "row"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("post_ids", "criterion_ids", "models"):
        assert list(getattr(one, name)) == list(getattr(other, name))
    for name, (codes, levels) in one.slices.items():
        np.testing.assert_array_equal(codes, other.slices[name][0])
        assert levels == other.slices[name][1]


@pytest.mark.parametrize("n", PARTS)
def test_comparison_of_two_models(n):
    data = two_models()
    of_parts, of_whole = (
        as_csv(compare(one, "b", "a", by=("criterion", "site"), bootstrap=100, tau_neg=0.2, tau_pos=0.6))
        for one in (whole(cut(data, n)), data)
    )
    assert of_parts == of_whole


@pytest.mark.parametrize("n", PARTS)
def test_comparison_of_two_lists(n):
    data = few(load([SAMPLE / "ranked_lists.csv", SAMPLE / "candidates.parquet"]))
    first, second, *_ = data.rankings.lists
    of_parts, of_whole = (
        as_csv(compare(one, first, second, by=("criterion",), bootstrap=100))
        for one in (whole(cut(data, n)), data)
    )
    assert of_parts == of_whole


@pytest.mark.parametrize("n", PARTS)
def test_document_of_thresholds(n):
    data = load([SAMPLE / "queries.csv"])
    of_parts, of_whole = (
        choose_operating_point(one, tune="tune", test="test", model="gnn_gate").document
        for one in (whole(cut(data, n)), data)
    )
    assert json.dumps(of_parts) == json.dumps(of_whole)


@pytest.mark.parametrize("n", PARTS)
def test_comparison_of_two_systems_by_their_annotations(n):
    said = said_of()
    better = {
        record: (lists, [{**row, "helpful": int(row["helpful"] or record[-1] in "37")} for row in answers])
        for record, (lists, answers) in said.items()
    }
    sides = (said, better)
    of_parts, of_whole = (
        compared(
            one,
            other,
            ("one", "two"),
            inputs=("one", "two"),
            key="record",
            bootstrap=100,
            permutations=99,
            seed=0,
        ).csv
        for one, other in (
            [whole(cut_records(side, n, seed=4)) for side in sides],
            [part_of(side, list(side)) for side in sides],
        )
    )
    assert of_parts == of_whole


def of_source(name: str, labels: list[int]) -> Data:
    queries = replace(
        make_queries(labels, [0.1 * at for at in range(len(labels))]), has_ids=False, has_posts=False
    )
    source = Source(name, "queries", name * 64, 1, len(labels), len(labels), {}, {}, "CSV")
    return Data("evidence", (source,), present(queries=queries))


def test_rows_without_ids_of_two_files_stay_apart():
    found = whole([of_source("b", [1, 0]), of_source("a", [0, 1, 1])]).queries
    assert len(set(found.post.tolist())) == len(found) == 5
    assert found.has_evidence.tolist() == [False, True, True, True, False]


def test_parts_that_are_none_are_refused_together():
    data = two_models()
    with pytest.raises(InputError) as caught:
        whole([data, data])
    assert "QRY-242" in str(caught.value)
    with pytest.raises(InputError, match="at least one part"):
        whole([])
