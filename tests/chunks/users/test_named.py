"""What some users alone would say otherwise than the whole: ids, models, ranks, ratings, empty files."""

import numpy as np
import pyarrow as pa
import pytest

from evalcore import InputError, evaluate_files, load
from tests.chunks.users.made import at, codes, cut, facts, in_parts, made, of_whole, table


def told(report) -> set[str]:
    return {str(one) for one in report.warnings}


def alike(folder, chunk_rows=40, reading=None, **how):
    """The report of parts, whose table and files are those of the whole."""
    found = in_parts(folder, chunk_rows, reading, **how)
    expected = of_whole(folder, reading, **how)
    assert found.table.to_csv() == expected.table.to_csv()
    assert facts(found) == facts(expected)
    assert told(found) == told(expected)
    return found


def both_refuse(folder, code, reading=None):
    for read in (of_whole, in_parts):
        with pytest.raises(InputError) as error:
            read(folder, reading=reading)
        assert codes(error) == {code}, read
    return [one for one in error.value.problems if one.severity != "warning"]


def test_a_row_of_a_list_in_two_files_is_refused_with_both_places(tmp_path):
    tables = made()
    folder = cut(tmp_path, 2, **tables)
    again = table([("a", 1, 2, 0.5), ("a", 1, 2, 0.25)], "model", "user_id", "item_id", "score")
    at(folder, **{"lists-2": again})
    (found, *_) = both_refuse(folder, "RCM-003")
    assert (found.file, found.row) == ("lists-2.parquet", 2)


def test_interactions_that_stand_in_two_files_count_once(tmp_path):
    tables = made()
    folder = cut(tmp_path, 2, **tables)
    at(folder, **{"train-2": tables["train"][:10], "test-2": tables["test"][:4]})
    found = alike(folder, 10_000)
    assert {one.code for one in found.warnings} >= {"RCM-038"}
    many = in_parts(folder, 30)
    assert many.table.to_csv() == found.table.to_csv()
    assert facts(many) == facts(found)


def test_ratings_that_contradict_each_other_are_refused(tmp_path):
    folder = cut(tmp_path, 1, **made())
    first = made()["test"][:1].set_column(2, "rating", pa.array([9]))
    at(folder, **{"test-1": first})
    both_refuse(folder, "RCM-005")


def test_ids_stored_as_numbers_in_some_files_mean_the_same(tmp_path):
    tables = made()
    bare = {}
    for name, one in tables.items():
        as_text = name in ("lists", "item_groups")
        columns = {
            column: one[column]
            if column not in ("user_id", "item_id")
            else pa.array([cell[1:] if as_text else int(cell[1:]) for cell in one[column].to_pylist()])
            for column in one.column_names
        }
        bare[name] = pa.table(columns)
    floating = bare["train"].set_column(0, "user_id", bare["train"]["user_id"].cast(pa.float64()))
    alike(at(tmp_path, **{**bare, "train": floating}))


def test_ids_written_otherwise_in_a_file_are_refused(tmp_path):
    tables = made()
    bare = [int(cell[1:]) for cell in tables["train"]["user_id"].to_pylist()]
    train = tables["train"].set_column(0, "user_id", pa.array(bare))
    both_refuse(at(tmp_path, **{**tables, "train": train}), "RCM-017")


def test_ids_that_look_alike_in_two_parts_are_told(tmp_path):
    tables = made()
    more = table([("a", "1 ", 2, 0.5), ("a", "1", 24, 0.25)], "model", "user_id", "item_id", "score")
    lists = pa.concat_tables([tables["lists"], more])
    found = alike(at(tmp_path, **{**tables, "lists": lists}))
    assert "QRY-007" in {one.code for one in found.warnings}


def test_an_empty_file_is_left_out_or_refused(tmp_path):
    tables = made()
    folder = cut(tmp_path / "a", 2, **tables)
    at(folder, **{"lists-2": tables["lists"][:0], "test-2": tables["test"][:0]})
    found = in_parts(folder, 40)
    assert {one.file for one in found.warnings if one.code == "CHK-004"} == {
        "lists-2.parquet",
        "test-2.parquet",
    }
    assert found.table.to_csv() == of_whole(cut(tmp_path / "b", 2, **tables)).table.to_csv()
    alone = at(tmp_path / "c", **{**tables, "test": tables["test"][:0]})
    with pytest.raises(InputError) as error:
        in_parts(alone)
    assert codes(error) == {"FILE-008"}


def test_ranks_from_0_for_some_users_and_from_1_for_others_are_refused(tmp_path):
    rows = [(user, item, item + (user > 5)) for user in range(12) for item in range(4)]
    lists = table(rows, "user_id", "item_id", "rank")
    test = made()["test"]
    folder = at(tmp_path / "a", lists=lists, test=test)
    both_refuse(folder, "RCM-008")  # users of both kinds are in one part
    two = table([row for row in rows if row[0] in (5, 6)], "user_id", "item_id", "rank")
    with pytest.raises(InputError) as error:
        in_parts(at(tmp_path / "c", lists=two, test=test), 1)
    assert codes(error) == {"CHK-011"}
    zero = table([(user, item, rank - (user > 5)) for user, item, rank in rows], "user_id", "item_id", "rank")
    alike(at(tmp_path / "b", lists=zero, test=test))


def test_files_of_lists_are_models_or_parts_by_the_users_of_all(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(user, item, round(float(rng.random()), 1)) for user in range(24) for item in range(5)]
    one, other = (table(some, "user_id", "item_id", "score") for some in (rows[:60], rows[60:]))
    test = made()["test"]
    apart = at(tmp_path / "a", lists_x=one, lists_y=other, test=test)
    found = alike(apart)
    assert set(found.table.model) == {"lists_x"}
    assert "no user stands in two of them" in " ".join(found.data.notes)
    meeting = at(tmp_path / "b", lists_x=table(rows[:65], *one.column_names), lists_y=other, test=test)
    assert set(alike(meeting).table.model) == {"lists_x", "lists_y"}
    both_refuse(meeting, "RCM-003", reading={"files_as": "parts"})


def test_a_column_without_a_value_in_any_row_orders_nothing(tmp_path):
    rows = [(user, item, item + 1) for user in range(12) for item in range(4)]
    ranked = table(rows, "user_id", "item_id", "rank")
    test = made()["test"]
    empty = ranked.append_column("score", pa.nulls(len(rows), pa.float64()))
    alike(at(tmp_path / "a", lists=empty, test=test))
    some = ranked.append_column(
        "score", pa.array([None] * 24 + [1 / one[2] for one in rows[24:]], pa.float64())
    )
    both_refuse(at(tmp_path / "b", lists=some, test=test), "RCM-006")


def test_ranks_against_scores_are_told_of_all_lists(tmp_path):
    rows = [
        (user, item, item + 1, float(item if user < 10 else -item)) for user in range(12) for item in range(4)
    ]
    names = ("user_id", "item_id", "rank", "score")
    test = made()["test"]
    found = alike(at(tmp_path / "a", lists=table(rows, *names), test=test), 10)
    assert "RCM-011" in {one.code for one in found.warnings}
    both_refuse(at(tmp_path / "b", lists=table(rows[:40], *names), test=test), "RCM-010")


def test_scores_in_one_file_and_ranks_alone_in_another(tmp_path):
    tables = made()
    rows = [("a", user, item, item + 1) for user in range(15, 30) for item in range(4)]
    ranked = table(rows, "model", "user_id", "item_id", "rank")
    folder = at(tmp_path / "a", **tables)
    at(folder, lists_2=ranked)
    both_refuse(folder, "RCM-076")
    scored = table([("a", user, item, 5 - item, item + 1) for user in range(15) for item in range(4)],
                   "model", "user_id", "item_id", "score", "rank")  # fmt: skip
    alike(at(tmp_path / "b", **{**tables, "lists": scored, "lists_2": ranked}))


def test_true_ratings_beside_predicted_ones(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(user, item, float(rng.integers(1, 6)), float(rng.integers(1, 6)) if user % 3 else None)
            for user in range(20) for item in range(6)]  # fmt: skip
    lists = table(rows, "user_id", "item_id", "score", "rating")
    folder = at(tmp_path, lists=lists, train=made()["train"])
    alike(folder)
    found = alike(folder, by=(), reading={"predicted_ratings": True})
    assert found.table[found.table.metric == "mae"].value.notna().all()


@pytest.mark.parametrize(("column", "code"), [("verdict", "RCM-074"), ("points", "RCM-075")])
def test_ratings_that_nobody_named_are_found_in_the_whole(column, code, tmp_path):
    tables = made()
    n = tables["test"].num_rows
    cells = [one % 2 for one in range(n)] if column == "verdict" else [one % 5 + 1 for one in range(n)]
    test = tables["test"].drop_columns("rating").append_column(column, pa.array(sorted(cells)))
    folder = at(tmp_path, **{**tables, "test": test})
    if code == "RCM-074":
        both_refuse(folder, code)
    else:
        assert code in {one.code for one in alike(folder).warnings}


def test_groups_of_more_values_than_can_be_groups(tmp_path):
    tables = made(n_users=20)
    n = 1500
    groups = pa.table(
        {
            "user_id": [f"u{one}" for one in range(n)],
            "user_group": ["xy"[one % 2] for one in range(n)],
            "street": [f"s{one}" for one in range(n)],
        }
    )
    found = alike(at(tmp_path, **{**tables, "user_groups": groups}), 100)
    assert found.data.facts["unused_columns"]["user_groups.parquet"] == {
        "street": "over 1,000 different values"
    }


def test_what_is_wrong_is_told_of_all_files_at_once(tmp_path):
    tables = made()
    score = pa.array([None, *tables["lists"]["score"].to_pylist()[1:]], pa.float64())
    user = pa.array(["", *tables["test"]["user_id"].to_pylist()[1:]])
    folder = at(
        tmp_path,
        **{
            **tables,
            "lists": tables["lists"].set_column(3, "score", score),
            "test": tables["test"].set_column(0, "user_id", user),
        },
    )
    for read in (of_whole, in_parts):
        with pytest.raises(InputError) as error:
            read(folder)
        assert {(one.code, one.file, one.row) for one in error.value.problems} == {
            ("RCM-006", "lists.parquet", 1),
            ("QRY-005", "test.parquet", 1),
        }


def test_what_is_read_as_a_whole_is_named(tmp_path):
    tables = made()
    text = pa.array(list(map(str, tables["lists"]["score"].to_pylist())))
    folder = at(tmp_path / "a", **{**tables, "lists": tables["lists"].set_column(3, "score", text)})
    with pytest.raises(InputError, match="has the numbers of score as text") as error:
        in_parts(folder)
    assert codes(error) == {"CHK-006"}
    assert load(folder).recommendations is not None
    (folder / "extra.csv").write_text("user_id,item_id\nu1,i1\n")
    with pytest.raises(InputError, match="no Parquet file"):
        evaluate_files(folder, chunk_rows=10)


def test_an_unknown_column_and_a_damaged_file_are_named(tmp_path):
    folder = at(tmp_path, **made())
    with pytest.raises(InputError) as error:
        in_parts(folder, by=("city",))
    assert codes(error) == {"OPT-006"}
    path = folder / "train.parquet"
    content = bytearray(path.read_bytes())
    content[10:200] = bytes(190)
    path.write_bytes(bytes(content))
    with pytest.raises(InputError) as error:
        in_parts(folder)
    assert codes(error) == {"FILE-007"}
