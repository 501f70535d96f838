"""Any split gives the same bytes: rows cut by post, read apart and put together in any order."""

import zlib
from dataclasses import replace
from functools import reduce
from itertools import zip_longest
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from evalcore import evaluate, load
from evalcore.data import Data, Queries, RankedRows, Rankings, Source, present
from evalcore.drawn import post_values
from evalcore.drawn.post_values import PostValues
from evalcore.evaluation.gathering import evidence as gathering
from evalcore.evaluation.options import Options
from evalcore.kernels.policy import Policy
from evalcore.problems import InputError, problem
from evalcore.report import write_report
from evalcore.tallies import units
from evalcore.tallies.levels import reordered
from evalcore.tallies.unit_scores import UnitScores
from tests.support.made.evidence import make_queries, make_rankings

SAMPLE = Path(__file__).parents[2] / "sample_data"
N_POSTS = 40
CRITERIA = ("A.1", "A.10", "A.2")


def first_seen(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes in the order in which they come, −1 as it is, and the old code of each."""
    old, first, code = np.unique(codes[codes >= 0], return_index=True, return_inverse=True)
    order = np.argsort(first)
    found = np.full(len(codes), -1)
    found[codes >= 0] = np.argsort(order)[code]
    return found, old[order]


def in_own_order(codes: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The same in an order that differs from part to part."""
    code, old = first_seen(codes)
    order = np.random.default_rng(seed).permutation(len(old))
    return np.append(np.argsort(order), -1)[code], old[order]


def read_alone(part: Queries | Rankings) -> Queries | Rankings:
    """The rows as if they had been read without the rest: codes and levels of their own."""
    post, posts = first_seen(part.post)
    seed = zlib.crc32("".join(map(str, part.post_ids[posts])).encode())
    criterion, criteria = in_own_order(part.criterion, seed)
    slices = {}
    for name, (codes, levels) in part.slices.items():
        code, old = in_own_order(codes, seed)
        slices[name] = code, tuple(levels[at] for at in old)
    return replace(
        part,
        post=post,
        post_ids=part.post_ids[posts],
        criterion=criterion,
        criterion_ids=part.criterion_ids[criteria],
        slices=slices,
    )


def queries_of(queries: Queries, mask: np.ndarray) -> Queries:
    """Some rows, read alone."""
    part = read_alone(queries.where(mask))
    model, models = first_seen(part.model)
    return replace(part, model=model, models=tuple(part.models[at] for at in models))


def rankings_of(rankings: Rankings, mask: np.ndarray) -> Rankings:
    """Some queries with their lists, read alone."""
    to = np.cumsum(mask) - 1
    is_gold = mask[rankings.gold_query]
    item = {}

    def items(codes: np.ndarray) -> np.ndarray:
        return np.array([item.setdefault(code, len(item)) for code in codes.tolist()], np.intp)

    lists = {}
    for name, rows in rankings.lists.items():
        at = mask[rows.query]
        lists[name] = RankedRows(
            to[rows.query[at]], items(rows.item[at]), rows.score[at], rows.has_scores, rows.n_candidates[mask]
        )
    part = replace(
        rankings,
        post=rankings.post[mask],
        criterion=rankings.criterion[mask],
        slices={name: (codes[mask], levels) for name, (codes, levels) in rankings.slices.items()},
        gold_query=to[rankings.gold_query[is_gold]],
        gold_item=items(rankings.gold_item[is_gold]),
        gold_grade=rankings.gold_grade[is_gold],
        lists=lists,
    )
    return replace(read_alone(part), item_ids=rankings.item_ids[list(item)])


def chunk(data: Data, posts: set[str]) -> Data:
    """The rows of some posts, read alone."""

    def mask(part):
        return np.isin(part.post_ids.astype(str), sorted(posts))[part.post]

    return data.with_tables(
        queries=None if data.queries is None else queries_of(data.queries, mask(data.queries)),
        rankings=None if data.rankings is None else rankings_of(data.rankings, mask(data.rankings)),
    )


def posts_of(data: Data) -> list[str]:
    parts = [part for part in (data.queries, data.rankings) if part is not None]
    return sorted({str(one) for part in parts for one in part.post_ids[np.unique(part.post)]})


def cut(data: Data, n: int, seed: int = 3) -> list[Data]:
    """The data by post in n parts, in any order; some may be empty."""
    rng = np.random.default_rng(seed)
    posts = np.array(posts_of(data))
    part = rng.permutation(np.arange(len(posts)) % n)
    return [chunk(data, set(posts[part == at].tolist())) for at in rng.permutation(n)]


def two_models() -> Data:
    """24 posts, two models, first ``b``, sites with gaps, a pair of thresholds and a selection a row."""
    rng = np.random.default_rng(8)
    rows = [(post, criterion, model) for post in range(24) for criterion in ("A.2", "A.10") for model in "ba"]
    posts, criteria, models = zip(*rows, strict=True)
    label = rng.random((24, 2)) < 0.4
    labels = [int(label[post, int(criterion == "A.10")]) for post, criterion, _ in rows]
    scores = np.round(np.clip(rng.beta(2, 4, len(rows)) + 0.3 * np.array(labels), 0, 1), 2)
    slices = {"site": [("north", "south", "")[post % 3] for post in posts]}
    numbers = {"tau_neg": rng.choice([0.2, 0.3], len(rows)), "tau_pos": np.full(len(rows), 0.6)}
    numbers["selected_k"] = rng.integers(0, 4, len(rows))
    queries = make_queries(
        labels, scores, posts=[f"s{one}" for one in posts], criteria=criteria, models=models, slices=slices,
        numbers=numbers,
    )  # fmt: skip
    code, levels = queries.slices["site"]
    none = levels.index("")
    site = np.where(code == none, -1, code - (code > none)), tuple(one for one in levels if one)
    return made(replace(queries, slices={"site": site}))


def made(queries: Queries | None = None, rankings: Rankings | None = None) -> Data:
    return Data("evidence", (), present(queries=queries, rankings=rankings))


def few(data: Data) -> Data:
    """Some posts and criteria of the data."""

    def rows(part):
        names = part.criterion_ids.astype(str)[part.criterion]
        return np.isin(names, CRITERIA) & (part.post < N_POSTS)

    return data.with_tables(
        queries=None if data.queries is None else queries_of(data.queries, rows(data.queries)),
        rankings=None if data.rankings is None else rankings_of(data.rankings, rows(data.rankings)),
    )


CASES = {
    "queries": (["queries.csv"], {"by": ("criterion", "fold")}),
    "states by fold": (
        ["queries.csv"],
        {"by": ("state",), "cluster": "fold", "tau_neg": 0.05, "tau_pos": 0.5},
    ),
    "ranked lists": (["ranked_lists.csv"], {"by": ("criterion",)}),
    "ranked lists, stable": (["ranked_lists.csv"], {"ties": "stable"}),
    "candidates": (["candidates.parquet"], {"by": ("criterion",), "policy": Policy("mass", gamma=0.9)}),
    "candidates, stable": (["candidates.parquet"], {"ties": "stable", "policy": Policy("fixed", k=3)}),
    "all, expected": (
        ["queries.csv", "ranked_lists.csv", "candidates.parquet"],
        {"ties": "expected", "tau_neg": 0.05, "tau_pos": 0.5},
    ),
}


@pytest.fixture(scope="module", params=[*CASES, "two models"])
def whole(request):
    files, options = CASES.get(request.param, ([], {"by": ("site",), "cluster": "site"}))
    data = few(load([SAMPLE / name for name in files])) if files else two_models()
    options = {"bootstrap": 100, "ks": (1, 5), **options}
    return data, options, written(data, options)


def written(data, options) -> bytes:
    """What `metrics.csv` holds."""
    return evaluate(data, **options).table.to_csv(index=False).encode()


@pytest.mark.parametrize("n", [1, 2, 64])
def test_any_split_gives_the_same_bytes(whole, n):
    data, options, expected = whole
    assert written(cut(data, n), options) == expected


def test_rows_merged_at_once_are_those_merged_one_after_the_other():
    options = Options(by=("criterion", "site"))
    parts = [gathering.unit_scores(part.queries, options) for part in cut(two_models(), 7)]
    at_once, in_turn = (
        parts[0].merge(*parts[1:]).ordered(),
        reduce(UnitScores.merge, parts).ordered(),
    )
    assert at_once.models == in_turn.models
    assert at_once.slices["site"][1] == in_turn.slices["site"][1]
    for column in (
        lambda rows: rows.posts.hashed,
        lambda rows: rows.posts.code,
        lambda rows: rows.slices["site"][0],
        lambda rows: rows.criterion_ids,
        *map(attrgetter, ("criterion", "model", "has_evidence", "score", "first_row")),
    ):
        np.testing.assert_array_equal(column(at_once), column(in_turn), strict=True)


def with_labels_of_the_first(*columns):
    return np.concatenate([codes for codes, _ in columns]), next(levels for _, levels in columns if levels)


def numbered_posts(part, source=""):
    found = POSTS_OF(part, source)
    return replace(found, hashed=np.arange(len(found), dtype=np.uint64))


def merged_as_first(self, *others):
    found = MERGED(self, *others)
    order = sorted(range(len(found.models)), key=lambda at: found.models[at])
    model, models = reordered((found.model, found.models), order)
    return replace(found, model=model, models=models)


POSTS_OF, MERGED = gathering.posts_of, UnitScores.merge
FAULTS = {
    "levels are taken from the first part": (units, "merged_columns", with_labels_of_the_first),
    "posts are named by their number in the part": (gathering, "posts_of", numbered_posts),
    "the place of a model in the source is forgotten": (UnitScores, "merge", merged_as_first),
}


@pytest.mark.parametrize(("where", "name", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_merge_that_forgets_something_is_seen(monkeypatch, where, name, fault):
    data, options = two_models(), {"bootstrap": 100, "by": ("criterion",)}
    expected = written(data, options)
    assert written(cut(data, 5), options) == expected
    monkeypatch.setattr(where, name, fault)
    try:
        found = written(cut(data, 5), options)
    except InputError:
        return
    assert found != expected


def test_a_list_without_its_place_in_the_source_is_seen():
    data = few(load([SAMPLE / "candidates.parquet"]))
    lists = {
        name: replace(rows, score=np.zeros(len(rows.score)), has_scores=True)
        for name, rows in data.rankings.lists.items()
    }
    tied = data.with_tables(rankings=replace(data.rankings, lists=lists))
    expected = written(tied, {"ties": "stable"})
    assert written(cut(tied, 2), {"ties": "stable"}) == expected
    turned = [
        part.with_tables(rankings=replace(part.rankings, lists={
            key: RankedRows(one.query[::-1], one.item[::-1], one.score[::-1], True, one.n_candidates)
            for key, one in part.rankings.lists.items()
        }))
        for part in cut(tied, 2)
    ]  # fmt: skip
    assert written(turned, {"ties": "stable"}) != expected


def test_parts_summed_apart_have_the_bits_of_the_whole():
    rng = np.random.default_rng(4)
    values, unit = rng.random((900, 2)) * [1.0, 13.8], rng.integers(0, 300, 900)
    weights, bound = rng.integers(0, 5, (50, 300)), (1.0, 13.9)
    part_of = rng.integers(0, 64, 300)[unit]

    def totals(rows: np.ndarray) -> list[np.ndarray]:
        of_rows = PostValues.from_rows(values[rows], unit[rows], 300, bound=bound)
        return [PostValues((part,)).totals(weights) for part in of_rows.parts]

    apart = [totals(part_of == part) for part in range(64)]
    assert [sum(of_limb).tolist() for of_limb in zip_longest(*apart, fillvalue=0)] == [
        one.tolist() for one in totals(np.ones(900, bool))
    ]


def test_more_rows_than_one_limb_can_sum_have_exact_totals(monkeypatch):
    rows = np.linspace(0.1, 1, 500)[:, None], np.arange(500) // 2, 250
    weights = np.random.default_rng(1).integers(0, 9, (4, 250))
    plain = PostValues.from_rows(*rows, bound=1).totals(weights)
    monkeypatch.setattr(post_values, "MOST_ROWS", 100)
    halved = PostValues.from_rows(*rows, bound=1)
    assert len(halved.parts) == 4
    assert halved.totals(weights) == pytest.approx(plain, rel=1e-15)


def test_a_value_beyond_its_declared_bound_is_a_problem():
    with pytest.raises(InputError, match=r"a value of 1\.5 in a sum .* at most 1\b.*QRY-244"):
        PostValues.from_rows(np.array([[1.5]]), np.array([0]), 1, bound=1)


def problems(*parts: Data) -> list[str]:
    with pytest.raises(InputError) as caught:
        evaluate(parts)
    return [f"{one.code}: {one}" for one in caught.value.problems]


def test_parts_that_are_no_parts_of_one_input_are_refused():
    one = made(make_queries([0, 1], [0.2, 0.8], posts=["a", "b"]))
    other = made(make_queries([0, 1], [2.0, 8.0], posts=["c", "d"]))
    other = replace(other, score_kind="score", positive="yes")
    assert [one.partition(":")[0] for one in problems(one, other)] == ["QRY-240", "QRY-240"]
    assert [one.partition(":")[0] for one in problems()] == ["QRY-240"]


def test_a_query_in_two_parts_is_refused_and_so_is_one_with_two_labels():
    one = made(make_queries([0, 1], [0.2, 0.8], posts=["a", "b"]))
    assert "QRY-242: " in problems(one, made(make_queries([1], [0.4], posts=["b"])))[0]
    other = made(make_queries([0], [0.4], posts=["b"], models=["other"]))
    assert "QRY-241: " in problems(one, other)[0]


def test_a_ranked_query_in_two_parts_and_lists_of_one_part_alone_are_refused():
    lists = [make_rankings([["i"]], [[("i", 1.0), ("k", 0.5)]], model=name) for name in ("one", "two")]
    assert "QRY-243: " in problems(made(rankings=lists[0]), made(rankings=lists[0]))[0]
    assert "QRY-240: " in problems(made(rankings=lists[0]), made(rankings=lists[1]))[0]


def test_rows_without_ids_of_two_sources_are_not_the_same_rows():
    rows = [make_queries([0, 1], [0.2, 0.8], posts=["1", "2"]) for _ in range(2)]
    parts = [
        replace(made(replace(one, has_ids=False, has_posts=False)), sources=(source(str(at)),))
        for at, one in enumerate(rows)
    ]
    assert evaluate(parts).value("classification.auroc") == 1
    assert len(evaluate(parts).gathered.scores.units) == 4
    with_ids = replace(made(rows[0]), sources=(source("2"),))
    for order in ([with_ids, parts[0]], [parts[0], with_ids]):
        assert len(evaluate(order).gathered.scores.units) == 4


def test_a_query_is_found_in_two_parts_wherever_its_rows_stand():
    """Only rows in the order of their queries lie beside each other; parts merge in any order."""
    names = ["a", "b", "c", "d", "e"]
    one = made(make_queries([0, 1, 0, 1, 0], [0.2, 0.8, 0.3, 0.7, 0.1], posts=names))
    same = [made(make_queries([at % 2], [0.4], posts=[name])) for at, name in enumerate(names)]
    other = [
        made(make_queries([(at + 1) % 2], [0.4], posts=[name], models=["x"])) for at, name in enumerate(names)
    ]
    for again in same:
        assert "QRY-242: found 1 " in problems(again, one)[0]
    for unlike in other:
        assert "QRY-241: found 1 " in problems(unlike, one)[0]
    lists = [made(rankings=make_rankings([["i"]] * n, [[("i", 1.0)]] * n)) for n in (1, 5)]
    assert "QRY-243: found 1 " in problems(*lists)[0]


def test_the_report_of_parts_is_written_without_rows(tmp_path):
    parts = [made(make_queries([0, 1], [0.2, 0.8], posts=posts)) for posts in (["a", "b"], ["c", "d"])]
    report = evaluate([replace(one, sources=(source(str(at)),)) for at, one in enumerate(parts)])
    assert report.data.queries is None
    assert [one.sha256 for one in report.data.sources] == ["0", "1"]
    write_report(report, tmp_path)
    assert (tmp_path / "metrics.csv").exists()


def test_what_is_warned_of_twice_in_one_part_is_counted_twice():
    warning = problem("FILE-022", file="rows.csv")
    whole = replace(made(make_queries([0, 1], [0.2, 0.8])), warnings=(warning, warning))
    assert evaluate(whole).warnings == (warning, warning)


def source(digest: str) -> Source:
    return Source("rows.csv", "queries", digest, 1, 2, 2, {}, {}, "CSV")
