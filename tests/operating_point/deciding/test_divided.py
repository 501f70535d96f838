"""Rows without a split are divided by post, the same way by everybody, and a document of them verifies."""

import io
from random import Random

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import splits
from evalcore.operating_point import choose_operating_point
from evalcore.operating_point.document.verifying.verify import verify_document
from evalcore.readers import Upload
from evalcore.splits import DIVIDED, can_divide, divided


def text(seed=1, *, n_posts=300, split=""):
    random = Random(seed)
    lines = [f"post,criterion,label,probability{',split' if split else ''}"]
    for post in range(n_posts):
        for criterion in ("A.1", "A.2"):
            label = int(post % 3 == 0 and criterion == "A.1")
            score = random.uniform(0.5, 0.99) if label else random.uniform(0.01, 0.5)
            lines.append(f"p{post},{criterion},{label},{score:.5f}{',' + split if split else ''}")
    return "\n".join(lines) + "\n"


def read(content, name="a.csv"):
    return evalcore.load([Upload(name, content.encode())])


@pytest.fixture(scope="module")
def whole():
    return read(text())


def sides(data):
    codes, levels = data.queries.slices["split"]
    names = np.array([str(name) for name in data.queries.post_ids])[data.queries.post]
    return {level: set(names[codes == at]) for at, level in enumerate(levels)}


def test_each_post_is_on_one_side_and_each_half_has_half_of_those_with_evidence(whole):
    of = sides(divided(whole))
    assert not of["tune"] & of["test"]
    assert (len(of["tune"]), len(of["test"])) == (150, 150)
    with_evidence = {f"p{post}" for post in range(0, 300, 3)}
    assert len(of["test"] & with_evidence) == 50
    assert (splits.tune_split(divided(whole)), splits.test_split(divided(whole))) == ("tune", "test")


def written(how):
    """The same rows as another file: its name and its bytes."""
    head, *rows = text().splitlines()
    if how == "parquet":
        content = io.BytesIO()
        pd.read_csv(io.StringIO(text())).to_parquet(content, index=False)
        return "a.parquet", content.getvalue()
    shuffled = Random(3).sample(rows, len(rows))
    texts = {
        "another name": text(),
        "blank lines": text() + "\n\n",
        "another order": "\n".join([head, *shuffled]) + "\n",
        "CRLF": text().replace("\n", "\r\n"),
        "another column": "\n".join([f"{head},ward", *(f"{row},B" for row in rows)]) + "\n",
        "other scores": text(seed=2),
        "TSV": text().replace(",", "\t"),
    }
    return ("a.tsv" if how == "TSV" else "renamed.csv"), texts[how].encode()


@pytest.mark.parametrize(
    "how",
    [
        "another name",
        "blank lines",
        "another order",
        "CRLF",
        "another column",
        "other scores",
        "TSV",
        "parquet",
    ],
)
def test_the_same_posts_and_labels_are_divided_alike_however_they_are_written(whole, how):
    assert sides(divided(evalcore.load([Upload(*written(how))]))) == sides(divided(whole))


def test_two_models_of_the_same_rows_are_divided_as_one_is(whole):
    both = evalcore.load(
        [Upload("a.csv", text().encode()), Upload("b.csv", text(seed=2).encode())], files_as="models"
    )
    assert len(both.queries.models) == 2
    assert sides(divided(both)) == sides(divided(whole))


def test_only_other_ids_give_another_draw(whole):
    fewer = sides(divided(read(text(n_posts=299))))
    assert fewer["test"] != sides(divided(whole))["test"] - {"p299"}
    assert "only other ids would give another draw" in DIVIDED


def test_divided_rows_are_another_reading_of_the_same_data_and_say_so(whole):
    drawn = divided(whole)
    assert drawn.digest == whole.digest
    assert drawn.reading != whole.reading
    assert drawn.notes[-1] == DIVIDED
    assert not whole.is_divided


def test_rows_with_a_split_or_without_posts_are_not_divided(whole):
    assert can_divide(whole)
    assert not can_divide(read(text(split="tune")))
    assert not can_divide(read("label,probability\n1,0.9\n0,0.1\n"))
    assert divided(divided(whole)).notes.count(DIVIDED) == 1


def test_a_document_of_divided_rows_says_so_and_verifies_on_the_file_as_it_is(whole):
    point = choose_operating_point(
        divided(whole), screening_sensitivity=0.9, alert_precision=0.8, tune="tune", test="test"
    )
    assert DIVIDED in point.document["limits"]
    assert verify_document(point.document, [whole]).holds


def test_the_word_of_a_divided_document_does_not_divide_other_data(whole):
    point = choose_operating_point(divided(whole), tune="tune", test="test", screening_sensitivity=0.9)
    with pytest.raises(evalcore.problems.InputError, match="DOC-005"):
        verify_document(point.document, [read(text(seed=2))])
