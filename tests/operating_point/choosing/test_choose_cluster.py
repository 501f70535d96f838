"""A unit coarser than the post: named, checked, in the document, and recomputed."""

import json
from pathlib import Path

import pandas as pd
import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint, choose_operating_point, choose_over_folds, outlooks
from evalcore.problems import InputError
from tests.support.made.choices import distinct_rows, estimate_of

TARGETS = ["--screening-sensitivity", "0.9", "--alert-precision", "0.8"]


def rows_of(per_author=3, *, shared=0):
    """Tune and test of 300 posts each, so many posts to an author; so many authors write in both."""
    rows = [
        *distinct_rows(lambda name: f"a{name}", "tune"),
        *distinct_rows(lambda name: f"b{name}", "test", seed=6),
    ]
    frame = pd.DataFrame(rows, columns=["post_id", "criterion_id", "probability", "has_evidence", "split"])
    number = pd.factorize(frame["post_id"])[0]
    frame["author"] = [f"author {at}" for at in number // per_author]
    frame["author_number"] = number // per_author
    both = frame["author"].unique()[-shared:] if shared else []
    for at, name in enumerate(both):
        frame.loc[frame["author"] == name, "author"] = f"author {at}"
    return frame


def written(tmp_path, frame):
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("column", ["author", "author_number"])
def test_the_unit_is_counted_named_and_recomputed(tmp_path, capsys, column):
    path = written(tmp_path, rows_of())
    out = str(tmp_path / "point.json")
    split = ["--tune", "tune", "--test", "test"]
    assert main(["choose", str(path), *split, *TARGETS, "--cluster", column, "--out", out]) == 0
    document = json.loads((tmp_path / "point.json").read_text(encoding="utf-8"))
    assert document["status"] == "certified"
    assert document["selection"]["cluster"] == column
    assert document["selection"]["overlap_clusters_tune_test"] == 0
    for entry in document["data"]:
        assert (entry["clusters"], entry["posts"], entry["cluster_field"]) == (100, 300, column)
    said = f"The intervals take checks of one value of {column} as related, other values as independent"
    assert any(line.startswith(said) for line in document["limits"])
    assert main(["verify", out, str(path)]) == 0
    document["selection"]["cluster"] = "split"
    (tmp_path / "point.json").write_text(json.dumps(document), encoding="utf-8")
    assert main(["verify", out, str(path)]) == 1
    capsys.readouterr()


def test_a_coarser_unit_makes_the_bounds_wider(tmp_path):
    data = evalcore.load(written(tmp_path, rows_of(30)))
    asked = {"tune": "tune", "test": "test", "screening_sensitivity": 0.5, "alert_precision": 0.5}
    points = [choose_operating_point(data, **asked, cluster=cluster) for cluster in (None, "author")]
    lows = [estimate_of(point, "screening_sensitivity", "test")["ci"]["low"] for point in points]
    assert lows[1] < lows[0]
    bounds = [estimate_of(point, "neg_rate", "test")["ci"]["method"] for point in points]
    assert "posts=300" in bounds[0]
    assert "author=10" in bounds[1]


def test_units_in_both_tune_and_test_are_counted_and_never_certified(tmp_path):
    data = evalcore.load(written(tmp_path, rows_of(shared=5)))
    asked = {"tune": "tune", "test": "test", "screening_sensitivity": 0.9, "alert_precision": 0.8}
    assert choose_operating_point(data, **asked).status == "certified"
    point = choose_operating_point(data, **asked, cluster="author")
    assert point.status == "exploratory"
    assert point.document["selection"]["overlap_clusters_tune_test"] == 5
    assert any("5 values of author have rows in both" in line for line in point.document["limits"])
    assert point.verify(data).holds


def test_every_sentence_says_the_column_where_it_would_say_posts():
    rows = Path(__file__).parents[2] / "documents_1_1" / "queries.csv"
    data = evalcore.load(rows)
    asked = {"tune": "tune", "test": "test", "screening_sensitivity": 0.9, "alert_precision": 0.8}
    point = choose_operating_point(data, **asked, cluster="author")
    document = point.document
    said = [*(claim["text"] + claim.get("note", "") for claim in document["claims"]), *document["limits"]]
    assert [line for line in said if "post" in line] == []
    assert all("within values of author" in claim["text"] for claim in document["claims"])
    assert any(line.startswith("Where fewer than ten values of author hold a failure") for line in said)
    assert any("with evidence of one value of author correlate by up to" in line for line in said)
    assert (document["status"], point.verify(data).holds) == ("certified", True)
    posts = choose_operating_point(data, **asked)
    assert any("within posts" in claim["text"] for claim in posts.document["claims"])


def test_the_outlook_and_what_is_alike_say_the_column_too(tmp_path):
    frame = rows_of(30)
    data = evalcore.load(written(tmp_path, frame))
    asked = {"tune": "tune", "test": "test", "screening_sensitivity": 0.5, "alert_precision": 0.5}
    said = " ".join(one.text for one in outlooks(data, **asked, cluster="author"))
    assert "few values of author hold most alerts" in said
    assert "of one value of author are" in said
    assert "few posts" not in said
    limits = choose_operating_point(data, **asked, cluster="author").document["limits"]
    assert any(line.startswith("Few values of author hold most checks with evidence") for line in limits)
    tune = frame[frame["split"] == "tune"]
    copies = tune.assign(split="test", post_id="c" + tune["post_id"], author="c" + tune["author"])
    repeated = evalcore.load(written(tmp_path, pd.concat([tune, copies])))
    point = choose_operating_point(repeated, **asked, cluster="author")
    told = [line for line in point.document["limits"] if "repeats tune under other ids" in line]
    assert told == [] or "posts" not in told[0]
    assert point.verify(repeated).holds


def test_a_post_in_two_units_is_refused_by_name(tmp_path):
    frame = rows_of()
    frame.loc[[0, 1], "author"] = "somebody else"
    data = evalcore.load(written(tmp_path, frame))
    with pytest.raises(InputError) as caught:
        choose_operating_point(data, cluster="author")
    assert str(caught.value) == (
        "found 1 post in two units of author: as0 (somebody else and author 0), expected every post in "
        "one unit: a unit coarser than the post. Correct the column, or name another one with --cluster. "
        "[OPT-052]"
    )


def test_a_row_without_a_unit_is_refused(tmp_path):
    frame = rows_of()
    frame.loc[[4, 7], "author"] = ""
    with pytest.raises(InputError, match=r"2 rows without a value in author \(rows 5, 8\)"):
        choose_operating_point(evalcore.load(written(tmp_path, frame)), cluster="author")


def test_a_column_of_many_values_is_kept_where_it_is_mapped(tmp_path, capsys):
    frame = rows_of(1).drop_duplicates("post_id").assign(criterion_id="A.1")
    path, out = str(written(tmp_path, frame)), str(tmp_path / "point.json")
    command = ["choose", path, "--point", "--cluster", "author", "--out", out]
    assert main(command) == 2
    assert "a column of many values is kept with --column cluster=NAME" in capsys.readouterr().err
    assert main([*command, "--column", "cluster=author"]) in (0, 1)
    assert OperatingPoint.load(out).document["selection"]["cluster"] == "author"
    assert main(["verify", out, path]) == 0


def test_folds_and_rows_without_posts_have_units_too(tmp_path):
    frame = rows_of().assign(fold=lambda f: f.author_number % 3)
    data = evalcore.load(written(tmp_path, frame))
    point = choose_over_folds(data, cluster="author")
    assert point.document["selection"]["folds"]["posts_in_several_folds"] == 0
    assert point.verify(data).holds
    plain = frame.drop(columns=["post_id", "criterion_id", "fold"]).drop_duplicates("probability")
    point = choose_operating_point(evalcore.load(written(tmp_path, plain)), cluster="author")
    assert point.document["data"][0]["clusters"] == 200
    assert "strict(n_eff=200" in estimate_of(point, "screening_sensitivity", "all")["ci"]["method"]


def test_an_unknown_column_is_refused_with_those_that_are_there(tmp_path):
    with pytest.raises(InputError, match=r"no column 'nobody'.*one of split, author, author_number"):
        choose_operating_point(evalcore.load(written(tmp_path, rows_of())), cluster="nobody")
