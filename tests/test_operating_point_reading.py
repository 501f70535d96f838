"""The document's file: what is refused when it is read, and what an interrupted write leaves."""

import json
from pathlib import Path

import pytest

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.canonical import canonical_json, json_text, read_strict_json
from evalcore.problems import InputError
from tests.documents import certified, codes, rehashed, written


def test_an_edited_document_fails_its_content_hash(tmp_path):
    document = certified().document
    document["claims"][0]["value"] = 0.999
    with pytest.raises(InputError) as caught:
        OperatingPoint.load(written(tmp_path, document))
    assert codes(caught) == ["DOC-003"]
    assert str(caught.value).startswith(
        f"point.json: found content hash {document['content_sha256']}, expected "
    )
    assert "was changed after its export" in str(caught.value)


def every_leaf(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield from every_leaf(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for at, one in enumerate(value):
            yield from every_leaf(one, (*path, at))
    else:
        yield path


def test_no_value_can_be_edited_unseen():
    point = certified()
    leaves = [path for path in every_leaf(point.document) if path != ("created_utc",)]
    for path in leaves[:: max(len(leaves) // 60, 1)]:
        document = json.loads(point.text)
        part = document
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = "edited" if not isinstance(part[path[-1]], str) else part[path[-1]] + "x"
        with pytest.raises(InputError):
            OperatingPoint.from_bytes(json_text(document).encode())


def test_a_document_changed_in_memory_is_not_saved(tmp_path):
    point = certified()
    point.document["status"] = "exploratory"
    with pytest.raises(InputError, match="content hash"):
        point.save(tmp_path / "point.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"", "text that is not JSON (line 1, column 1: Expecting value)"),
        (b'{"a": NaN}', "the number NaN"),
        (b'{"a": -Infinity}', "the number -Infinity"),
        (b'{"a": 1e999}', "the number 1e999, beyond what float64 holds"),
        (b'{"a": 1, "a": 2}', "the key 'a' twice in one object"),
        (b'{"a": "\xff"}', "bytes that are not UTF-8 (first at byte 7)"),
        (b'{"a": "\\ud800"}', "input contains non-UTF-8 codepoints"),
        (b'{"a": 1' + b"0" * 400 + b"}", "the number 1" + "0" * 400 + ", beyond what float64 holds"),
    ],
)
def test_what_is_no_strict_json_is_refused(raw, found):
    with pytest.raises(InputError) as caught:
        read_strict_json(raw, file="point.json")
    assert codes(caught) == ["DOC-001"]
    assert caught.value.problems[0].found == found


def test_json_that_is_nested_too_deeply_is_refused_before_it_is_parsed():
    with pytest.raises(InputError) as caught:
        read_strict_json(b"[" * 100_000, file="point.json")
    assert codes(caught) == ["FILE-074"]


def test_every_departure_from_the_schema_is_listed():
    document = certified().document
    del document["rule"]["tau_pos"]["hex"]
    document["status"] = "excellent"
    document["extra"] = 1
    document["self_test"] = document["self_test"][:2]
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(json_text(document).encode(), file="point.json")
    assert set(codes(caught)) == {"DOC-002"}
    text = str(caught.value)
    for place in ("at rule.tau_pos", "at status", "'extra'", "at self_test"):
        assert place in text


@pytest.mark.parametrize("raw", [b"3", b"null", b"[]", b'"text"', b"{}"])
def test_other_json_is_no_document(raw):
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(raw)
    assert set(codes(caught)) == {"DOC-002"}


REPEATED = {"of": "posts", "found": 20, "expected": 10.0}


def looked_at(document):
    return document["selection"]["looks_at_test"]


def sensitivity(document):
    return next(
        one
        for one in document["estimates"]
        if (one["metric"], one["evaluated_on"]) == ("gate.screening_sensitivity", "test")
    )


def bound(document):
    return sensitivity(document)["ci"]


def edited(change):
    document = json.loads(certified().text)
    change(document)
    return json_text(rehashed(document)).encode()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d["rule"]["tau_neg"].update(value=0.51), ["DOC-007"]),
        (lambda d: d["rule"]["tau_neg"].update(hex=None), ["DOC-007"]),
        (lambda d: d["rule"]["tau_neg"].update(value=None), ["DOC-007"]),
        (lambda d: d["rule"]["tau_neg"].update(hex="0x1.0p+99999"), ["DOC-007"]),
        (lambda d: d["rule"].update(tau_neg=d["rule"]["tau_pos"], tau_pos=d["rule"]["tau_neg"]), ["OPT-002"]),
        (lambda d: d["self_test"][0].update(state="POS"), ["DOC-008"]),
        (lambda d: d["self_test"][-1].update(p="no number"), []),
        (lambda d: d["self_test"][0].update(p="no number"), ["DOC-008"]),
        (lambda d: d["selection"].update(overlap_posts_tune_test=1), ["DOC-010"]),
        (lambda d: d["selection"].pop("overlap_posts_tune_test"), ["DOC-010"]),
        (lambda d: [c.update(verdict="met_point_only") for c in d["claims"]], ["DOC-010"]),
        (lambda d: d.update(claims=[]), ["DOC-010", "DOC-021"]),
        (lambda d: d["selection"].update(constraints=[]), ["DOC-010", "DOC-021"]),
        (lambda d: looked_at(d).update(n_before=1), ["DOC-010"]),
        (lambda d: d["selection"].update(overlap_clusters_tune_test=2), ["DOC-010"]),
        (lambda d: d["selection"].update(hidden_post_column="thread"), ["DOC-010"]),
        (lambda d: d["selection"].update(test_scores_of_another_model="b"), ["DOC-010"]),
        (lambda d: d["selection"].update(prevalence_differs=True), ["DOC-010"]),
        (lambda d: d["selection"]["repeated_rows"].update(within_test=REPEATED), ["DOC-010"]),
        (lambda d: d["selection"]["repeated_rows"].update(tune_and_test=REPEATED), ["DOC-010"]),
        (lambda d: d["selection"]["constraints"][0].update(confidence=0.8), ["DOC-010"]),
        (lambda d: d["selection"]["constraints"][0].update(set_after_seeing_the_data=True), ["DOC-010"]),
        (lambda d: d["limits"].append("Not certified: for a reason."), ["DOC-010"]),
        (lambda d: bound(d).update(low=0.99), ["DOC-020"]),
        (lambda d: bound(d).update(low=None), ["DOC-020"]),
        (lambda d: bound(d).update(level=0.9), ["DOC-020"]),
        (lambda d: bound(d).update(sides=2), ["DOC-020"]),
        (lambda d: bound(d).update(low=1.01), ["DOC-021"]),
        (lambda d: bound(d).update(n_effective=701.0), ["DOC-021"]),
        (lambda d: sensitivity(d).update(value=0.999), ["DOC-021"]),
        (lambda d: sensitivity(d).update(numerator=690, value=690 / 700), ["DOC-020", "DOC-021"]),
        (lambda d: sensitivity(d).update(numerator=19, denominator=19), ["DOC-020", "DOC-021"]),
        (lambda d: d["claims"][1].update(verdict="met_with_confidence"), ["DOC-020"]),
        (lambda d: d["claims"][1].update(verdict="not_met"), ["DOC-020"]),
        (lambda d: d["claims"].append(d["claims"][3] | {"value": 0.5}), ["DOC-021"]),
        (lambda d: d["selection"].update(chosen_on="all"), ["DOC-002", "DOC-002"]),
        (lambda d: d.update(data=d["data"][:1]), ["DOC-002"]),
    ],
)
def test_a_document_that_contradicts_itself_is_refused_though_its_hash_is_right(change, expected):
    raw = edited(change)
    if not expected:
        OperatingPoint.from_bytes(raw)
        return
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(raw)
    assert set(codes(caught)) == set(expected)


def test_a_document_written_by_javascript_is_the_same_document():
    document = json.loads(certified().text)
    whole = json.loads(canonical_json(document))  # 1.0 becomes 1
    assert OperatingPoint.from_bytes(json.dumps(whole).encode()).apply([0.1, 0.5, 1]).tolist() == [
        "NEG",
        "UNCERTAIN",
        "POS",
    ]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: found no such file"):
        OperatingPoint.load(tmp_path / "none.json")


@pytest.mark.parametrize("stage", ["write", "replace"])
def test_an_interrupted_write_leaves_no_half_file(tmp_path, monkeypatch, stage):
    path = certified().save(tmp_path / "point.json")
    before = path.read_bytes()

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    if stage == "write":
        monkeypatch.setattr("os.fsync", interrupted)
    else:
        monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        certified(title="Another point").save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
