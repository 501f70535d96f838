"""Outputs before and after a change: what differs is named, what may differ is not."""

import pytest

from benchmarks.frozen import compare

HEAD = "family,metric,group,value,n,note,ci_low,ci_high,ci_level,ci_method\n"
ROW = "ranking,mrr,{group},0.5,9,,{low},0.75,0.95,bootstrap\n"


@pytest.fixture
def folders(tmp_path):
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.csv").write_text(HEAD + ROW.format(group="A.1", low="0.25"))
    return tmp_path / "before", tmp_path / "after"


def test_the_same_files_differ_in_nothing(folders, capsys):
    assert compare(*folders) == 0
    assert capsys.readouterr().out == "1 files, 0 with differences\n"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (ROW.format(group="A.1", low="0.2500001"), "ranking;mrr;A.1: ci_low 0.25 → 0.2500001"),
        (ROW.format(group="A.1", low="0.25").replace("0.5,", "0.50000000000000011,"), "value 0.5 → 0.5000"),
        (ROW.format(group="A.2", low="0.25"), "only before: ranking;mrr;A.1"),
        ("", "only before: ranking;mrr;A.1"),
    ],
)
def test_a_moved_number_and_a_missing_row_are_named(folders, capsys, written, said):
    (folders[1] / "metrics.csv").write_text(HEAD + written)
    assert compare(*folders) == 1
    assert said in capsys.readouterr().out


def test_rounding_of_an_interval_and_a_new_one_are_remarks(folders, capsys):
    (folders[1] / "metrics.csv").write_text(HEAD + ROW.format(group="A.1", low="0.2500000000000001"))
    assert compare(*folders) == 0
    none = "ranking,mrr,A.1,0.5,9,,nan,nan,nan,\n"
    (folders[0] / "metrics.csv").write_text(HEAD + none)
    assert compare(*folders) == 0
    said = capsys.readouterr().out
    assert "ends of intervals within 1" in said
    assert "1 intervals where none was" in said


def test_a_file_of_one_folder_and_another_text_are_differences(folders, capsys):
    (folders[0] / "point.json").write_text("{}")
    (folders[1] / "point.json").write_text("{ }")
    (folders[1] / "new.md").write_text("")
    assert compare(*folders) == 2
    assert "new.md: only after" in capsys.readouterr().out
