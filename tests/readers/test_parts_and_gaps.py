"""Several models with gaps of their own, parts sorted by class, and parts whose ids restart."""

import pytest

from evalcore import inspect, load
from evalcore.__main__ import main
from evalcore.compare import compare
from tests.readers.strangers.test_two_files import auroc
from tests.support.reading import read, refused, upload, warned

GAPS = "id,outcome,pred_1,pred_2\na,1,0.9,0.8\nb,0,0.1,\nc,1,0.7,0.6\nd,0,,0.2\ne,0,0.4,0.5\nf,1,0.3,0.7\n"
NAMED = {"has_evidence": "outcome", "probability": ("pred_1", "pred_2")}
GAP = (
    "predictions.csv, column {}: found no score of this model in {} of {} rows. The model is evaluated on "
    "the rows that it scored, and compared on those that both scored. [QRY-125]"
)


@pytest.mark.parametrize("missing", ["", "nan", "NaN", "NA"])
def test_each_model_is_evaluated_on_the_rows_that_it_scored(missing):
    data = read(GAPS.replace(",\n", f",{missing}\n").replace(",,", f",{missing},"), columns=NAMED)
    assert auroc(data) == {"pred_1": 0.8333, "pred_2": 1.0}
    told = warned(data)
    assert GAP.format("pred_1", 1, 6) in told
    assert GAP.format("pred_2", 1, 6) in told
    assert [(s.n_rows, s.n_used, dict(s.excluded)) for s in data.sources] == [(6, 6, {})]
    assert [int((data.queries.model == code).sum()) for code in (0, 1)] == [5, 5]


def test_models_with_gaps_are_compared_on_the_rows_that_both_scored(tmp_path, capsys):
    result = compare(read(GAPS, columns=NAMED), "pred_1", "pred_2", bootstrap=0, permutations=0)
    (shared,) = result.shared
    assert (shared.n, shared.n_first_only, shared.n_second_only) == (4, 1, 1)
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    columns = [
        f"--column={role}" for role in ("has_evidence=outcome", "probability=pred_1", "probability=pred_2")
    ]
    assert main(["compare", str(path), *columns, "--bootstrap", "0", "--permutations", "0"]) == 0
    assert "4 checks compared; 2 fell out: 1 only in pred_1, 1 only in pred_2" in capsys.readouterr().err


def test_rows_that_no_model_scored_are_counted():
    data = read(GAPS + "g,1,,\nh,0,,\n", columns=NAMED)
    (source,) = data.sources
    assert (source.n_rows, source.n_used, dict(source.excluded)) == (8, 6, {"no score of any model": 2})
    assert auroc(data) == {"pred_1": 0.8333, "pred_2": 1.0}


def test_a_model_without_any_score_is_refused():
    text = "id,y_true,p_a,p_b\na,1,0.9,\nb,0,0.1,\n"
    assert refused(text, columns={"probability": ("p_a", "p_b")})[0] == (
        "predictions.csv, column p_b: found no score in any of 2 rows, expected scores of a model. Leave the "
        "column out: name the scores with --column probability=NAME, or choose them on the Data page. "
        "[QRY-124]"
    )


def test_a_score_that_is_none_is_named_beside_gaps():
    told = refused(GAPS.replace("0.6", "high"), columns=NAMED)
    assert told[0].startswith(
        "predictions.csv, row 3, column pred_2: found high, expected a probability from 0 to 1"
    )


def test_a_gap_of_a_single_score_stays_a_problem():
    assert "[QRY-005]" in refused("id,y_true,y_prob\na,1,0.9\nb,0,\n")[0]


def test_columns_with_gaps_of_their_own_are_offered_as_scores():
    (table,) = inspect(upload("id,y_true,m_a,m_b\na,1,0.9,\nb,0,,0.2\nc,1,0.7,0.6\n")).tables
    assert table.suggestions == {"probability": ("m_a", "m_b")}


def test_gaps_without_ids_are_paired_by_the_row_of_the_file():
    data = read(
        "y_true,m_a,m_b\n1,0.9,\n0,,0.2\n1,0.7,0.6\n0,0.1,0.3\n", columns={"probability": ("m_a", "m_b")}
    )
    (shared,) = compare(data, "m_a", "m_b", bootstrap=0, permutations=0).shared
    assert (shared.n, shared.n_first_only, shared.n_second_only) == (2, 1, 1)


def parts(*texts: str) -> list:
    return [upload(text, f"part-{at}.csv") for at, text in enumerate(texts)]


SORTED = parts("id,label,score\na,no,0.1\nb,no,0.4\n", "id,label,score\nc,yes,0.35\nd,yes,0.8\n")


def test_parts_sorted_by_class_are_read_with_the_positive_label():
    assert "found the labels no and yes" in refused(*SORTED)[0]
    data = load(SORTED, positive="yes")
    assert auroc(data) == {"score": 0.75}
    assert len(data.queries) == 4
    assert auroc(load(SORTED, positive="no")) == {"score": 0.25}
    assert "[QRY-008]" in refused(*SORTED, positive="maybe")[0]


def test_numbers_sorted_by_class_need_no_word():
    data = load(parts("id,label,score\na,0,0.1\nb,0,0.4\n", "id,label,score\nc,1,0.35\nd,1,0.8\n"))
    assert auroc(data) == {"score": 0.75}


def test_a_part_in_words_beside_one_in_numbers_is_read_with_the_positive_label():
    mixed = parts("id,label,score\na,0,0.1\nd,1,0.8\n", "id,label,score\nb,no,0.4\nc,yes,0.35\n")
    assert "[QRY-001]" in refused(*mixed)[0]
    assert auroc(load(mixed, positive="yes")) == {"score": 0.75}
    assert "[QRY-008]" in refused(*mixed, positive="no")[0]  # 1 is not “no”
    seen = inspect(mixed, positive="yes")
    assert seen.data is not None


def test_sorted_parts_are_read_on_the_command_line(tmp_path, capsys):
    for part in SORTED:
        (tmp_path / part.name).write_bytes(part.content)
    assert main(["evaluate", str(tmp_path), "--positive", "yes"]) == 0
    assert "0.750" in capsys.readouterr().out


@pytest.mark.parametrize("first", [0, 1])
def test_ids_that_restart_in_each_file_are_asked_about(first):
    one = "id,label,score\n" + "".join(
        f"{first + i},{y},{p}\n" for i, (y, p) in enumerate([(0, 0.1), (1, 0.8)])
    )
    two = "id,label,score\n" + "".join(
        f"{first + i},{y},{p}\n" for i, (y, p) in enumerate([(1, 0.35), (0, 0.4)])
    )
    told = refused(*parts(one, two))
    assert told[0] == (
        f"found ids that count the rows from {first} on in each file, with other labels: part-0.csv (2 rows) "
        "and part-1.csv (2 rows), expected ids that name one case in every file, or a word on what the files "
        "are. Say --as parts (one output, written in parts, whose rows are numbered on) or --as models, or "
        "choose it on the Data page. [QRY-126]"
    )
    data = load(parts(one, two), files_as="parts")
    assert auroc(data) == {"score": 0.75}
    assert len(data.queries) == 4
    assert "numbered on, as you said" in data.notes[0]
    assert "[QRY-027]" in refused(*parts(one, two), files_as="models")[0]


def test_ids_that_restart_with_the_same_labels_are_models_and_said_so():
    one = "id,label,score\n0,0,0.1\n1,1,0.8\n2,0,0.3\n"
    data = load(parts(one, one.replace("0.3", "0.9")))
    assert auroc(data) == {"part-0": 1.0, "part-1": 0.5}
    assert [line[-9:] for line in warned(data) if "QRY-12" in line] == ["[QRY-127]"]
    assert len(load(parts(one, one), files_as="parts").queries) == 6


def test_ids_that_name_cases_are_not_asked_about():
    data = load(parts("id,label,score\n7,0,0.1\n9,1,0.8\n", "id,label,score\n7,0,0.2\n9,1,0.7\n"))
    assert not [line for line in warned(data) if "QRY-12" in line]


def test_lists_whose_ids_count_the_rows_are_models():
    text = "query_id,gold_ids,ranked_ids\n0,a,a|b\n1,b,a|b\n"
    assert list(load(parts(text, text)).rankings.lists) == ["part-0: ranked_ids", "part-1: ranked_ids"]
    assert len(load(parts(text, text), files_as="parts").rankings.post) == 4


def test_parts_whose_scores_have_other_names_are_refused():
    files = [
        upload("id,label,score\na,1,0.9\nb,0,0.1\n", "a.csv"),
        upload("id,label,prob\nc,1,0.8\n", "b.csv"),
    ]
    assert refused(*files, files_as="parts")[0] == (
        "b.csv: found scores named prob, and in a.csv score, expected one name for the scores of all parts. "
        "Give the column the same name in every part, or say --as models if the files are models. [QRY-231]"
    )
    assert len(load(files, files_as="models").queries.models) == 2


def test_files_that_share_few_queries_are_asked_about():
    first = "id,label,score\na,1,0.9\nb,0,0.1\nc,1,0.4\n"
    files = [upload(first, "a.csv"), upload(first.replace("a,", "x,").replace("b,", "y,"), "b.csv")]
    assert refused(*files)[0].startswith(
        "found files that share few queries, 1 of them: a.csv (3 rows) and b.csv (3 rows), expected models"
    )
    assert len(load(files, files_as="models").queries.models) == 2
    assert "[QRY-084]" in refused(*files, files_as="parts")[0]


def test_an_id_that_repeats_in_most_rows_is_named_as_the_wrong_column():
    text = "id,label,score\n" + "".join(f"a{n % 2},{n % 2},0.{n}\n" for n in range(1, 9))
    said, *_ = refused(text)
    assert said.startswith(
        "predictions.csv, column id: found ids that repeat in 6 of 8 rows, 2 different ones in all, expected "
        "an id of each row. Name another column of ids with --column query_id=NAME"
    )
