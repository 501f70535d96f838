"""Rows without ids: a number of a row names it in its own file only, and pairs nothing unless that is "
"asked."""

import re

import numpy as np
import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.compare import compare
from evalcore.problems import InputError
from evalcore.readers import Upload

FAST = {"bootstrap": 100, "permutations": 99}
HEADER = "y_true,y_prob\n"
A = HEADER + "0,0.1\n0,0.2\n0,0.3\n0,0.6\n1,0.4\n1,0.7\n1,0.8\n1,0.9\n"
A_SHUFFLED = HEADER + "0,0.6\n0,0.3\n0,0.1\n0,0.2\n1,0.9\n1,0.4\n1,0.7\n1,0.8\n"
A_SHUFFLED_ANYHOW = HEADER + "1,0.4\n0,0.6\n0,0.3\n0,0.1\n0,0.2\n1,0.9\n1,0.7\n1,0.8\n"
PARTS = (HEADER + "0,0.1\n1,0.8\n", HEADER + "0,0.4\n1,0.35\n")
LISTS = "gold_ids,retriever_topk\n"


def uploads(*texts, names="abc"):
    return [Upload(f"{name}.csv", text.encode()) for name, text in zip(names, texts, strict=False)]


def data_of(*texts, **options):
    return evalcore.load(uploads(*texts), **options)


def codes(error):
    return [problem.code for problem in error.value.problems]


@pytest.fixture
def files(tmp_path):
    """Files of these texts, as paths."""

    def write(*texts):
        paths = [tmp_path / f"{name}.csv" for name in "abc"[: len(texts)]]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return [str(path) for path in paths]

    return write


def value_of(result, metric):
    rows = result.table[result.table["metric"] == metric]
    return rows[["first", "second", "difference"]].to_numpy(float)[0]


def test_two_files_without_ids_are_not_compared_by_row_unasked():
    a, b = data_of(A), evalcore.load(Upload("b.csv", A_SHUFFLED.encode()))
    with pytest.raises(InputError) as error:
        compare(a, other=b, **FAST)
    assert str(error.value) == (
        "found no ids in a.csv and b.csv: nothing but the row number would pair a.csv with b.csv, expected "
        "ids "
        "in both, or a word that row pairs with row. Add ids, or say --by-row if both hold the same rows "
        "in the "
        "same order. Both hold the same pairs of label and score, in another order: nothing differs. "
        "[OPT-031]"
    )


def test_the_same_predictions_in_another_order_differ_by_exactly_nothing():
    a, b = data_of(A), evalcore.load(Upload("b.csv", A_SHUFFLED.encode()))
    result = compare(a, other=b, by_row=True, **FAST)
    assert value_of(result, "classification.auroc").tolist() == [0.9375, 0.9375, 0]
    assert set(result.table["difference"]) == {0}
    assert result.notes[0] == (
        "Row by row: row k of a.csv with row k of b.csv, as you said; no ids join them. Both hold the same "
        "pairs "
        "of label and score, in another order: nothing differs."
    )


def test_rows_that_are_not_the_same_are_not_paired_though_asked():
    a, b = data_of(A), evalcore.load(Upload("b.csv", A_SHUFFLED_ANYHOW.encode()))
    with pytest.raises(InputError, match="2 of 8 rows have another label, the first of them row 1") as error:
        compare(a, other=b, by_row=True, **FAST)
    assert codes(error) == ["OPT-032"]
    with pytest.raises(InputError, match="the one has 8 rows and the other 2"):
        compare(a, other=data_of(PARTS[0]), by_row=True, **FAST)


def test_ids_in_one_file_only_pair_nothing():
    named = evalcore.load(Upload("b.csv", ("id," + HEADER + "1,0,0.1\n2,1,0.8\n").encode()))
    with pytest.raises(InputError, match=r"no ids in a\.csv: nothing but the row number"):
        compare(data_of(PARTS[0]), other=named, **FAST)
    result = compare(data_of(PARTS[0]), other=named, by_row=True, **FAST)
    assert value_of(result, "classification.auroc").tolist() == [1, 1, 0]


def test_ids_are_not_set_aside_for_row_numbers():
    named = data_of("id," + HEADER + "x,0,0.1\ny,1,0.8\n")
    with pytest.raises(InputError, match="both have ids") as error:
        compare(named, other=named, by_row=True, **FAST)
    assert codes(error) == ["OPT-032"]


def test_rows_of_one_file_belong_together_without_ids():
    wide = data_of("y_true,one,two\n0,0.1,0.4\n1,0.8,0.7\n", columns={"probability": ["one", "two"]})
    assert value_of(compare(wide, "one", "two", **FAST), "calibration.brier").tolist() == pytest.approx(
        [0.025, 0.125, 0.1]
    )


def test_a_model_a_row_without_ids_shares_no_row_with_another():
    long = data_of("y_true,y_prob,model\n0,0.1,one\n1,0.8,one\n0,0.4,two\n1,0.35,two\n")
    with pytest.raises(InputError, match="nothing but the row number would pair one with two"):
        compare(long, "one", "two", **FAST)
    assert value_of(compare(long, "one", "two", by_row=True, **FAST), "classification.auroc")[2] == -1


def test_lists_without_ids_are_not_compared_by_row_unasked():
    a = data_of(LISTS + "d1,d1|d2\nd3,d3\n")
    b = evalcore.load(Upload("b.csv", (LISTS + "d1,d2|d1\nd3,d3\n").encode()))
    with pytest.raises(InputError) as error:
        compare(a, other=b, **FAST)
    assert codes(error) == ["OPT-031"]
    assert value_of(compare(a, other=b, by_row=True, **FAST), "ranking.mrr").tolist() == [1, 0.75, -0.25]
    other_gold = evalcore.load(Upload("b.csv", (LISTS + "d3,d3\nd1,d2|d1\n").encode()))
    with pytest.raises(InputError, match="2 of 2 rows have another gold"):
        compare(a, other=other_gold, by_row=True, **FAST)


def test_lists_of_a_split_are_compared_by_row_within_it():
    head = "gold_ids,retriever_topk,split\n"
    a = data_of(head + "d1,d1|d2,tune\nd3,d3|d4,test\nd5,d6|d5,test\n")
    b = data_of(head + "d3,d4|d3,test\nd5,d5|d6,test\n")
    result = compare(a, other=b, by_row=True, split="test", **FAST)
    assert result.shared[0].n == 2
    assert value_of(result, "ranking.mrr").tolist() == [0.75, 0.75, 0]


def test_several_files_without_ids_are_asked_about():
    with pytest.raises(InputError) as error:
        data_of(*PARTS)
    assert str(error.value).splitlines()[0] == (
        "found several files without ids: a.csv (2 rows) and b.csv (2 rows), expected ids in each, or a "
        "word on "
        "what the files are. Say --as parts (one output, written in parts) or --as models (the same rows "
        "in the "
        "same order, scored by one model each), or choose it on the Data page. [QRY-080]"
    )


def test_parts_are_one_table():
    data = data_of(*PARTS, files_as="parts")
    assert data.queries.models == ("y_prob",)
    assert len(set(data.queries.post)) == 4
    assert not data.queries.has_ids
    assert data.notes == (
        "a.csv (2 rows) and b.csv (2 rows) have no ids: parts of one table, one after the other, as you "
        "said.",
    )
    table = evalcore.evaluate(data).table
    auroc = table[(table["metric"] == "auroc") & (table["variant"] == "default")]
    assert auroc[["value", "n"]].to_numpy().tolist() == [[0.75, 4]]


def test_models_of_the_same_rows_are_paired_and_that_is_said():
    data = data_of(*PARTS, files_as="models")
    assert data.queries.models == ("a", "b")
    result = compare(data, **FAST)
    assert value_of(result, "classification.auroc").tolist() == [1, 0, -1]
    assert result.notes[0] == (
        "a.csv and b.csv have no ids: models over the same rows, paired by row number, as you said."
    )


def test_files_that_cannot_be_models_of_the_same_rows_are_refused():
    with pytest.raises(InputError) as error:
        data_of(A, PARTS[0], files_as="models")
    assert codes(error)[0] == "QRY-082"
    with pytest.raises(InputError) as error:
        data_of(A, A_SHUFFLED_ANYHOW, files_as="models")
    assert str(error.value).splitlines()[0] == (
        "b.csv, row 1: found another label than in a.csv in 2 of 8 rows, the first of them this one, "
        "expected the "
        "same rows in the same order as in a.csv. Nothing but the row number joins the two files: put them "
        "in one "
        "order, or add ids. [QRY-083]"
    )


def test_lists_in_parts_and_as_models():
    texts = LISTS + "d1,d1|d2\n", LISTS + "d1,d2|d1\n"
    with pytest.raises(InputError) as error:
        data_of(*texts)
    assert codes(error)[0] == "QRY-080"
    assert data_of(*texts, files_as="parts").rankings.n_queries == 2
    assert len(data_of(*texts, files_as="models").rankings.lists) == 2


@pytest.mark.parametrize("files_as", [None, "parts", "models"])
def test_row_numbers_are_never_the_ids_of_another_file(files_as):
    with pytest.raises(InputError) as error:
        data_of(PARTS[0], "id," + HEADER + "1,0,0.3\n2,1,0.9\n", files_as=files_as)
    assert codes(error)[0] == "QRY-081"
    with pytest.raises(InputError) as error:
        data_of(PARTS[0], LISTS + ",d1\nd1,d1\n", files_as=files_as)
    assert "QRY-081" in codes(error)


def test_files_with_ids_say_themselves_what_they_are():
    first, second, same = (
        f"id,{HEADER}{rows}" for rows in ("x,0,0.1\ny,1,0.8\n", "z,0,0.4\nw,1,0.35\n", "x,0,0.4\ny,1,0.35\n")
    )
    assert data_of(first, second).queries.models == ("y_prob",)
    assert data_of(first, same).queries.models == ("a", "b")
    assert data_of(first, second, files_as="models").queries.models == ("a", "b")
    with pytest.raises(InputError) as error:
        data_of(first, same, files_as="parts")
    assert str(error.value).splitlines()[0] == (
        "b.csv, row 1: found x, which stands in row 1 of a.csv already, expected each query in one part "
        "only. "
        "Say --as models if the files are models of the same queries; otherwise remove one of the two rows. "
        "[QRY-084]"
    )


def test_files_of_one_name_are_told_apart(tmp_path):
    for folder, score in (("old", 0.8), ("new", 0.6)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.csv").write_text(f"id,{HEADER}x,0,0.1\ny,1,{score}\n")
    data = evalcore.load([tmp_path / "old" / "p.csv", tmp_path / "new" / "p.csv"])
    assert data.queries.models == ("old/p", "new/p")
    assert [source.name for source in data.sources] == ["old/p.csv", "new/p.csv"]
    twice = evalcore.load([Upload("p.csv", f"id,{HEADER}x,0,{p}\ny,1,0.9\n".encode()) for p in (0.1, 0.2)])
    assert twice.queries.models == ("p.csv (1)", "p.csv (2)")


def test_the_commands_ask_and_take_the_answer(files, capsys):
    parts = files(*PARTS)
    for command in (["check"], ["evaluate"], ["crosscheck"], ["choose", "--out", parts[0] + ".json"]):
        assert main([command[0], *parts, *command[1:]]) in (1, 2)
        assert "QRY-080" in capsys.readouterr().err
    assert main(["evaluate", *parts, "--as", "parts"]) == 0
    printed = capsys.readouterr()
    assert "a.csv: label y_true, score y_prob; no ids: a row is known by its number" in printed.err
    assert "parts of one table" in printed.err
    assert "0.750" in printed.out


def test_compare_takes_the_answers(files, capsys):
    a, b = files(A, A_SHUFFLED)
    fast = ["--bootstrap", "100", "--permutations", "99"]
    assert main(["compare", a, b, *fast]) == 2
    assert "OPT-031" in capsys.readouterr().err
    assert main(["compare", a, b, *fast, "--by-row", "--metrics", "classification.auroc"]) == 0
    printed = capsys.readouterr()
    assert "Row by row: row k of a.csv with row k of b.csv, as you said" in printed.err
    assert re.search(r"\b0\.938 +0\.938\b", printed.out)
    assert "gate." not in printed.out
    assert main(["compare", a, b, *fast, "--by-row", "--metrics", "auroq"]) == 2
    assert "no metric 'auroq'" in capsys.readouterr().err


def test_a_point_chosen_on_parts_verifies_as_it_was_read(tmp_path, capsys):
    rng = np.random.default_rng(3)
    paths = []
    for name in "ab":
        label = rng.random(200) < 0.4
        score = np.clip(0.3 * label + 0.6 * rng.random(200), 0, 1).round(4)
        rows = "".join(f"{int(y)},{p}\n" for y, p in zip(label, score, strict=True))
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(HEADER + rows)
    out = str(tmp_path / "point.json")
    assert main(["choose", *map(str, paths), "--as", "parts", "--point", "--out", out]) in (0, 1)
    assert '"files_as": "parts"' in (tmp_path / "point.json").read_text()
    assert main(["verify", out, *map(str, paths)]) == 0
    capsys.readouterr()
