"""Properties of the readers: whatever is written is read back, and no bytes end in anything but a message."""

import csv
import gzip
import io
import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalcore import inspect, load
from evalcore.problems import Findings, InputError
from evalcore.readers import Upload
from evalcore.readers.columns.ids import in_order, lookalikes, pair_codes, repeated
from evalcore.readers.columns.lists import list_in
from evalcore.readers.formats.cells import cell_text, numbers_of, texts_of
from evalcore.readers.formats.text.layout import layout_of

text_cells = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\x00\r"),
    min_size=1,
    max_size=12,
)
ids = st.lists(text_cells, min_size=2, max_size=12, unique=True)
probabilities = st.floats(0, 1, allow_nan=False)


def as_csv(rows: list[list[str]], delimiter: str, quoting: int) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


@given(
    posts=ids,
    data=st.data(),
    delimiter=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_ids_and_scores_survive_csv(posts, data, delimiter, quoting):
    scores = data.draw(st.lists(probabilities, min_size=len(posts), max_size=len(posts)))
    labels = data.draw(st.lists(st.booleans(), min_size=len(posts), max_size=len(posts)))
    rows = [
        [post, str(int(label)), repr(score)] for post, label, score in zip(posts, labels, scores, strict=True)
    ]
    content = as_csv([["post_id", "has_evidence", "probability"], *rows], delimiter, quoting)
    queries = load(Upload("x.csv", content)).queries
    assert queries.post_ids[queries.post].tolist() == posts
    assert queries.has_evidence.tolist() == labels
    assert queries.score.tolist() == scores


@given(posts=ids, data=st.data())
def test_ids_and_scores_survive_every_other_format(posts, data):
    scores = data.draw(st.lists(probabilities, min_size=len(posts), max_size=len(posts)))
    labels = data.draw(st.lists(st.booleans(), min_size=len(posts), max_size=len(posts)))
    frame = pd.DataFrame({"post_id": posts, "has_evidence": labels, "probability": scores})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parquet, feather = pa.BufferOutputStream(), pa.BufferOutputStream()
    pa.parquet.write_table(table, parquet)
    pa.feather.write_feather(table, feather)
    lines = "\n".join(json.dumps(row) for row in table.to_pylist()).encode()
    contents = [parquet.getvalue().to_pybytes(), feather.getvalue().to_pybytes(), lines, gzip.compress(lines)]
    for content in contents:
        queries = load(Upload("x", content)).queries
        assert queries.post_ids[queries.post].tolist() == posts
        assert queries.has_evidence.tolist() == labels
        assert queries.score.tolist() == scores


@given(
    rows=st.lists(
        st.lists(st.sampled_from(["a", "b c", "1", "0.5", "A.1"]), min_size=3, max_size=3), max_size=8
    ),
    delimiter=st.sampled_from(",;\t"),
)
def test_the_separator_is_found(rows, delimiter):
    text = as_csv([["first", "second", "third"], *rows], delimiter, csv.QUOTE_MINIMAL)
    layout = layout_of(text, "x.csv", Findings())
    assert layout.delimiter == delimiter
    assert layout.header == ["first", "second", "third"]


@given(scores=st.lists(st.floats(0, 1).map(lambda p: round(p, 3)), min_size=2, max_size=8))
def test_a_decimal_comma_reads_as_the_same_number(scores):
    assume(any(score != int(score) for score in scores))
    lines = [f"p{i};{i % 2};{score}".replace(".", ",") for i, score in enumerate(scores)]
    data = load(Upload("x.csv", ("post_id;label;p\n" + "\n".join(lines)).encode()))
    assert data.queries.score.tolist() == scores
    assert "decimal comma" in data.sources[0].format


@given(
    cells=st.lists(
        st.one_of(st.floats().map(repr), st.sampled_from(["", " 1 ", "x", "1_0", "٣", "91%", "+.5"]))
    )
)
def test_numbers_are_what_python_reads_or_unreadable(cells):
    numbers = numbers_of(pa.array(cells, pa.string()))
    read = zip(cells, numbers.values, numbers.is_empty, numbers.is_unreadable, strict=True)
    for cell, value, empty, bad in read:
        if cell.strip() == "":
            assert (empty, bad) == (True, False)
        elif cell in ("x", "1_0", "٣", "91%"):
            assert (empty, bad) == (False, True)
        else:
            wanted = float(cell)
            assert (empty, bad) == (False, False)
            assert value == wanted or (math.isnan(value) and math.isnan(wanted))


@given(st.lists(st.one_of(st.none(), text_cells)))
def test_texts_are_the_cells_with_null_as_the_empty_text(cells):
    texts = texts_of(pa.array(cells, pa.string()))
    assert [texts.at(i) for i in range(len(cells))] == [cell or "" for cell in cells]
    assert len(set(texts.levels)) == len(texts.levels)


@given(
    st.lists(text_cells.filter(lambda cell: cell.strip() and "|" not in cell and cell.strip()[0] not in "[("))
)
def test_lists_are_read_back_from_every_spelling(items):
    stripped = [item.strip() for item in items]
    assert list_in("|".join(stripped)) == stripped
    assert list_in(json.dumps(items)) == items
    assert list_in(repr(items)) == items
    assert cell_text(items) == "|".join(items)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=40))
def test_pairs_are_coded_in_the_order_in_which_they_appear(pairs):
    first, second = (np.asarray([pair[i] for pair in pairs], np.intp) for i in (0, 1))
    codes, rows = pair_codes(first, second, 5)
    distinct = list(dict.fromkeys(pairs))
    assert [distinct[code] for code in codes] == pairs
    assert rows.tolist() == [pairs.index(pair) for pair in distinct]


@given(st.lists(st.integers(-(10**12), 10**12) | st.integers(0, 6), max_size=40))
def test_repeated_keys_are_found_with_their_first_row(keys):
    later, first = repeated(np.asarray(keys, np.int64))
    wanted = [(i, keys.index(key)) for i, key in enumerate(keys) if keys.index(key) < i]
    assert list(zip(later.tolist(), first.tolist(), strict=True)) == wanted


@given(
    st.lists(st.integers(0, 9), max_size=40),
    st.lists(st.integers(0, 2), min_size=50, max_size=60),
    st.booleans(),
)
def test_codes_in_order_name_the_old_ones(codes, few, is_few):
    codes, n = (few + [3] * (codes == [3]), 4) if is_few else (codes, 10)
    new, old = in_order(np.asarray(codes, np.int32), n)
    assert old[new].tolist() == codes
    assert list(dict.fromkeys(new.tolist())) == list(range(len(old)))


@given(st.lists(st.text("019.eE+-aA ", max_size=5), unique=True, max_size=12))
def test_lookalikes_are_one_number_or_one_text_but_for_case_and_blanks(levels):
    groups = lookalikes(np.asarray(levels, object))
    grouped = {code for group in groups for code in group}
    for i, one in enumerate(levels):
        alike = [other for j, other in enumerate(levels) if j != i and _alike(one, other)]
        assert bool(alike) == (i in grouped)


def _alike(one: str, other: str) -> bool:
    if one.strip().lower() == other.strip().lower():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


BASE = (
    b"post_id,criterion_id,has_evidence,probability,fold\n"
    b'p1,A.1,1,0.9,0\n"p,1",A.2,0,0.25,1\np2,A.1,0,0.125,0\n'
)
FRAME = pd.read_csv(io.BytesIO(BASE))
LIST_FRAME = pd.DataFrame({"post_id": ["x"], "gold_ids": [["a"]], "ranked_ids": [["b", "a"]]})
WHOLE = {
    "csv": BASE,
    "json": FRAME.to_json(orient="records", lines=True).encode(),
    "parquet": FRAME.to_parquet(),
    "lists": LIST_FRAME.to_parquet(),
    "gzip": gzip.compress(BASE, mtime=0),
    "zstd": pa.compress(BASE, codec="zstd", asbytes=True),
    "run": b"1 0 a 1\n1 0 b 0\n2 0 a 1\n",
    "candidates": b"query_id,doc_id,score,relevance\nq,a,0.5,1\nq,b,-1,0\n",
}


@pytest.mark.parametrize("kind", WHOLE)
@settings(max_examples=150)
@given(data=st.data())
def test_damaged_bytes_end_in_a_message(kind, data):
    content = bytearray(WHOLE[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(["change", "cut", "insert", "double"]))
        if how == "change":
            content[at] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del content[at : at + data.draw(st.integers(1, 20))]
        elif how == "insert":
            content[at:at] = data.draw(
                st.sampled_from([b'"', b",", b"\n", b"\x00", b"\xff", b";", b"\r", b"::"])
            )
        else:
            content += content[at : at + 10]
        if not content:
            break
    _ends_in_a_message(bytes(content))


@given(st.binary(max_size=60))
def test_arbitrary_bytes_end_in_a_message(content):
    _ends_in_a_message(content)


@given(st.text('ab01.,;\t"\n |:[]{}', max_size=60))
def test_arbitrary_text_ends_in_a_message(text):
    _ends_in_a_message(text.encode())


def _ends_in_a_message(content: bytes) -> None:
    found = inspect(Upload("x.csv", content))
    assert found.data is not None or any(problem.severity != "warning" for problem in found.problems)
    if found.data is None:
        with pytest.raises(InputError) as caught:
            load(Upload("x.csv", content))
        assert caught.value.problems == found.problems
        assert str(caught.value)
    else:
        for source in found.data.sources:
            assert source.n_rows == source.n_used + sum(source.excluded.values())


posts = st.sampled_from(["p1", "p2", "17", "017"])
criteria = st.sampled_from(["A.1", "A.10", "NA"])
sentences = st.sampled_from(["s1", "s2", "s3", "1.0", "nan"])
candidate_rows = st.dictionaries(
    st.tuples(posts, criteria, sentences),
    st.tuples(st.integers(0, 2), st.none() | st.floats(-5, 5)),
    min_size=1,
    max_size=30,
)


@given(rows=candidate_rows, order=st.randoms(use_true_random=False))
def test_candidates_in_any_order_are_the_queries_a_plain_loop_makes(rows, order):
    lines = [[*key, str(grade), "" if score is None else repr(score)] for key, (grade, score) in rows.items()]
    order.shuffle(lines)
    names = ["post_id", "criterion_id", "sent_uid", "relevance", "score"]
    data = load(Upload("x.csv", as_csv([names, *lines], ",", csv.QUOTE_MINIMAL)))
    best: dict[str, float] = {}
    gold: dict[tuple[str, str], int] = {}
    listed: dict[tuple[str, str], float] = {}
    for (post, criterion, item), (grade, score) in rows.items():
        query = f"{post}::{criterion}"
        if grade:
            gold[query, item] = grade
        if score is not None:
            listed[query, item] = score
            best[query] = max(best.get(query, -math.inf), score)
    rankings = data.rankings
    pairs = zip(rankings.post_ids[rankings.post], rankings.criterion_ids[rankings.criterion], strict=True)
    names = [f"{post}::{criterion}" for post, criterion in pairs]
    found = zip(rankings.gold_query, rankings.gold_item, rankings.gold_grade, strict=True)
    assert {(names[q], rankings.item_ids[i]): g for q, i, g in found} == gold
    ranked = rankings.lists["score"]
    found = zip(ranked.query, ranked.item, ranked.score, strict=True)
    assert {(names[q], rankings.item_ids[i]): s for q, i, s in found} == listed
    assert ranked.n_candidates.sum() == len(rows)
    queries = data.queries
    assert {queries.query_id(i): queries.score[i] for i in range(len(queries or ()))} == best
    labelled = {queries.query_id(i) for i in range(len(queries or ())) if queries.has_evidence[i]}
    assert labelled == {query for query, _ in gold} & set(best)


query_rows = st.dictionaries(
    st.tuples(st.sampled_from(["one", "two"]), posts, criteria),
    st.tuples(st.booleans(), probabilities, st.sampled_from(["", "0", "1"])),
    min_size=1,
    max_size=20,
)


@given(rows=query_rows)
def test_queries_are_the_rows_of_the_file(rows):
    label = {key[1:]: truth for key, (truth, _, _) in rows.items()}
    lines = [[*key, str(label[key[1:]]), repr(score), fold] for key, (_, score, fold) in rows.items()]
    names = ["run", "post_id", "criterion_id", "has_evidence", "probability", "fold"]
    queries = load(Upload("x.csv", as_csv([names, *lines], ";", csv.QUOTE_ALL))).queries
    codes, levels = queries.slices.get("fold", (np.full(len(queries), -1), ()))
    found = [
        [
            queries.models[queries.model[i]],
            *queries.query_id(i).split("::"),
            str(bool(queries.has_evidence[i])),
            repr(float(queries.score[i])),
            [*levels, ""][codes[i]],
        ]
        for i in range(len(queries))
    ]
    assert found == lines
