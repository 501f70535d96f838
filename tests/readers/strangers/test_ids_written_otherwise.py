"""Ids that two files write otherwise, as after a spreadsheet: refused, not left out as rows of their own."""

import numpy as np
import pytest

from evalcore import evaluate, load
from tests.support.reading import refused, upload, warned

LABELS = {f"{i:04d}": i % 2 for i in range(990, 1010)}  # as 990 to 999 and 1000 to 1009 where zeros are lost


def written(of_row, names, *, zeros):
    ids = LABELS if zeros else [str(int(one)) for one in LABELS]
    lines = [",".join([one, *map(str, of_row(i))]) for i, one in enumerate(ids)]
    return "\n".join([names, *lines]) + "\n"


def scores(zeros):
    return upload(written(lambda i: [(i % 7) / 10], "id,probability", zeros=zeros), "scores.csv")


def truth(zeros):
    return upload(written(lambda i: [i % 2], "id,label", zeros=zeros), "truth.csv")


def labelled(name, zeros):
    return upload(written(lambda i: [i % 2, (i % 7) / 10], "id,label,probability", zeros=zeros), name)


def candidates(zeros):
    return upload(written(lambda i: [f"s{i}", i % 2, i / 30], "query_id,sent_uid,is_gold,score", zeros=zeros))


def run(zeros):
    ids = LABELS if zeros else [str(int(one)) for one in LABELS]
    return upload("".join(f"{one} Q0 d1 1 3.5 bm25\n{one} Q0 d2 2 1.5 bm25\n" for one in ids), "run.txt")


def qrels(zeros):
    ids = LABELS if zeros else [str(int(one)) for one in LABELS]
    return upload("".join(f"{one} 0 d1 1\n" for one in ids), "qrels.txt")


PAIRS = {
    "truth": (scores, truth),
    "runs": (run, qrels),
    "models": (lambda zeros: labelled("a.csv", zeros), lambda zeros: labelled("b.csv", zeros)),
    "candidates": (candidates, lambda zeros: labelled("labels.csv", zeros)),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("is_first", [True, False])
def test_zeros_that_a_spreadsheet_dropped_are_named(pair, is_first):
    first, second = PAIRS[pair]
    (told,) = [one for one in refused(first(is_first), second(not is_first)) if "[QRY-310]" in one]
    assert "found 10 ids that" in told
    assert "“0990”" in told
    assert "“990”" in told


@pytest.mark.parametrize("pair", PAIRS)
def test_files_that_write_them_alike_are_read(pair):
    first, second = PAIRS[pair]
    data = load([first(False), second(False)])
    assert not [line for line in warned(data) if "QRY-310" in line or "QRY-007" in line]


@pytest.mark.parametrize("n_odd", [3, 12])
def test_documents_that_the_judgements_write_otherwise_are_named(n_odd):
    names = [f"Doc{i}" for i in range(30)]
    lines = [f"q{i % 3} Q0 {name} {i // 3 + 1} {30 - i} bm25\n" for i, name in enumerate(names)]
    judged = [name.upper() if i < n_odd else name for i, name in enumerate(names[:20])]
    gold = "".join(f"q{i % 3} 0 {name} 1\n" for i, name in enumerate(judged))
    files = upload("".join(lines), "run.txt"), upload(gold, "qrels.txt")
    if n_odd == 3:
        told = warned(load(list(files)))
        assert sum("QRY-007" in line for line in told) == 3
        return
    (said,) = [line for line in refused(*files) if "QRY-310" in line]
    assert said.startswith("qrels.txt: found 12 ids that run.txt writes otherwise, such as “DOC")


def test_a_few_that_look_alike_among_others_are_told_and_kept_apart():
    other = [f"{i},{i % 2}\n" for i in range(990, 1000)] + ["0989,1\n"] + [f"t{i},0\n" for i in range(9)]
    lines = [f"{i},0.{i % 7 + 1}\n" for i in range(989, 1000)] + [f"u{i},0.2\n" for i in range(9)]
    files = upload("id,prob\n" + "".join(lines), "s.csv"), upload("id,target\n" + "".join(other), "t.csv")
    (told,) = [line for line in warned(load(list(files))) if "QRY-007" in line]
    assert "“989” (s.csv) and “0989” (t.csv)" in told


def test_parts_of_one_table_may_hold_ids_that_look_alike():
    parts = [labelled("a.csv", True), labelled("b.csv", False)]
    lines = b"".join(parts[1].content.splitlines(keepends=True)[:11])
    data = load([parts[0], upload(lines.decode(), "b.csv")], files_as="parts")
    assert len(data.queries) == 30
    assert any("QRY-007" in line for line in warned(data))


def test_the_value_is_that_of_all_rows_once_they_are_written_alike():
    table = evaluate(load([scores(True), truth(True)])).table
    (auroc,) = table[(table["metric"] == "auroc") & (table["params"] == "")]["value"]
    p, y = np.asarray([(i % 7) / 10 for i in range(20)]), np.asarray([i % 2 for i in range(20)], bool)
    difference = p[y][:, None] - p[~y][None, :]
    assert auroc == pytest.approx(np.mean((difference > 0) + (difference == 0) / 2))
