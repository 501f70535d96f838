"""A document changed by hand: refused by name wherever it would be relied on, opened only to be looked at."""

import json

import pytest

from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint, apply_to_file, point_from_thresholds, reopened
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.problems import InputError
from tests.support.made.scored_data import data_of, scored

ROWS = scored([0.2, 0.4, 0.6, 0.8] * 10, [0.05, 0.1, 0.3, 0.7] * 20, split="tune", first_post=0)
AIM = {"screening_sensitivity": 0.95, "alert_precision": 0.7}
POINT = point_from_thresholds(data_of(ROWS), 0.15, 0.5, must_not_miss=[("criterion", "A.1")], **AIM)
SCORES = "post_id,criterion_id,probability\np1,A.1,0.1\n"


def move_threshold(document):
    document["rule"]["tau_neg"] |= {"value": 0.17, "hex": (0.17).hex()}


def give_other_id(document):
    document["id"] = "op-0123456789abcdef"


def name_other_file(document):
    document["data"][0]["file"] = "better.csv"


def remove_group(document):
    del document["subgroups"][0]


def changed(change, *, is_hashed_anew):
    document = json.loads(POINT.text)
    change(document)
    if is_hashed_anew:
        document["content_sha256"] = content_sha256(document)
    return document


def code_of(call):
    with pytest.raises(InputError) as error:
        call()
    return [one.code for one in error.value.problems]


HAND = [
    (move_threshold, False, "DOC-003"),
    (give_other_id, False, "DOC-003"),
    (remove_group, False, "DOC-003"),
    (give_other_id, True, "OPT-105"),
    (name_other_file, True, "OPT-105"),
]


def test_the_document_itself_is_loaded_and_applied(tmp_path):
    path = POINT.save(tmp_path / "point.json")
    assert OperatingPoint.load(path).apply([0.1, 0.3, 0.6]).tolist() == ["NEG", "UNCERTAIN", "POS"]


@pytest.mark.parametrize(("change", "is_hashed_anew", "code"), HAND)
def test_load_save_apply_and_reopening_name_what_is_wrong(change, is_hashed_anew, code, tmp_path):
    document = changed(change, is_hashed_anew=is_hashed_anew)
    path, rows = tmp_path / "point.json", tmp_path / "rows.csv"
    path.write_text(json.dumps(document), encoding="utf-8")
    rows.write_text(SCORES, encoding="utf-8")
    assert code_of(lambda: OperatingPoint.load(path)) == [code]
    looked_at = OperatingPoint.load(path, strict=False)
    assert looked_at.document == document
    assert code_of(lambda: looked_at.apply([0.1])) == [code]
    assert code_of(lambda: apply_to_file(looked_at, rows, tmp_path / "out.csv")) == [code]
    assert code_of(lambda: looked_at.save(tmp_path / "again.json")) == [code]
    assert [one.code for one in reopened(looked_at).problems] == [code]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["point.json", "rows.csv"]


@pytest.mark.parametrize(("change", "is_hashed_anew", "code"), HAND)
@pytest.mark.parametrize("command", ["apply", "evaluate", "explore", "show"])
def test_every_command_refuses_it_by_name(command, change, is_hashed_anew, code, tmp_path, capsys):
    path, rows = tmp_path / "point.json", tmp_path / "rows.csv"
    path.write_text(json.dumps(changed(change, is_hashed_anew=is_hashed_anew)), encoding="utf-8")
    rows.write_text("post_id,criterion_id,probability,has_evidence\np1,A.1,0.1,0\np2,A.1,0.9,1\n", "utf-8")
    out = ["--out", str(tmp_path / "out")]
    arguments = {
        "apply": [str(path), str(rows), *out],
        "evaluate": [str(rows), "--point", str(path), *out],
        "explore": [str(rows), "--point", str(path), *out],
        "show": [str(path)],
    }[command]
    assert main([command, *arguments]) == 2
    told = capsys.readouterr()
    assert code in told.err
    assert "point.json" in told.err
    assert told.out == ""
    assert not (tmp_path / "out").exists()


def test_a_group_taken_out_with_the_hash_made_again_is_missed_where_it_is_marked_or_counted_again():
    document = changed(remove_group, is_hashed_anew=True)
    assert code_of(lambda: OperatingPoint.from_bytes(json.dumps(document).encode())) == ["DOC-021"]
    by_group = point_from_thresholds(data_of(ROWS), 0.15, 0.5, by=["criterion"], **AIM)
    document = json.loads(by_group.text)
    del document["subgroups"][0]
    document["content_sha256"] = content_sha256(document)
    assert not OperatingPoint(document).verify(data_of(ROWS)).holds
