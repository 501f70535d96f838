"""The document: its schema, its bytes, its hashes, and what is refused when it is read."""

import hashlib
import json
import math
import shutil
import subprocess
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.canonical import canonical_json, content_sha256, json_text, read_strict_json
from evalcore.operating_point.rule import Rule
from evalcore.problems import InputError
from tests.scored_data import data_of, scored

SCHEMA = Path(__file__).parents[1] / "evalcore" / "operating_point" / "operating-point.schema.json"


def certified_data():
    positives, negatives = (
        [*np.full(200, 0.953), *np.full(500, 0.52)],
        [*np.full(100, 0.52), *np.full(700, 0.2)],
    )
    tune = scored(positives, negatives, split="tune")
    return data_of(
        [*tune, *scored(positives, negatives, split="test", first_post=9000)], excluded={"no score": 3}
    )


def certified(**particulars):
    return choose_operating_point(certified_data(), tune="tune", test="test", **particulars)


def rehashed(document):
    return document | {"content_sha256": content_sha256(document)}


def written(tmp_path, document):
    path = tmp_path / "point.json"
    path.write_text(json_text(document), encoding="utf-8")
    return path


def codes(caught):
    return [p.code for p in caught.value.problems]


# --- schema -----------------------------------------------------------------------------------------------


def test_the_schema_is_the_one_of_the_design(shared):
    assert SCHEMA.read_bytes() == (shared / "design" / "operating-point.schema.json").read_bytes()


@pytest.mark.parametrize(
    "point",
    [
        certified,
        lambda: choose_operating_point(certified_data()),
        lambda: choose_operating_point(certified_data(), confidence=None, tune="tune"),
        lambda: choose_operating_point(data_of(scored([0.5], [0.5]))),
        lambda: choose_operating_point(data_of(scored([], [-3.0]), score_kind="score"), alert_precision=None),
        lambda: point_from_thresholds(certified_data(), None, None),
        lambda: point_from_thresholds(certified_data(), 0.0, 1.0, screening_sensitivity=0.99),
        lambda: certified(created_utc="2026-01-31T12:00:00Z", title="A", author="B"),
    ],
)
def test_every_document_follows_the_schema_and_reads_back(point, tmp_path):
    point = point()
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(point.document)
    path = point.save(tmp_path / "point.json")
    json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert OperatingPoint.load(path).document == point.document


def test_a_document_says_what_it_rests_on():
    document = certified(model_version="m-1", labelled_by="two psychiatrists").document
    tune, test = document["data"]
    assert (tune["role"], tune["rows"], tune["positives"], tune["clusters"]) == ("tune", 1500, 700, 1500)
    assert (tune["row_filter"], test["row_filter"]) == ("split = tune", "split = test")
    assert tune["sha256"] == test["sha256"] == certified_data().sources[0].sha256
    assert tune["bytes"] == certified_data().sources[0].n_bytes
    assert document["input"] == {
        "score_field": "p",
        "score_kind": "probability",
        "dtype": "float64",
        "range": [0, 1],
        "positive_label": "1",
        "calibrator": None,
        "model": {"name": "m", "level": "m"},
        "columns": {
            "label": "label",
            "post": "post",
            "criterion": "criterion",
            "query": None,
            "split": "split",
            "fold": None,
            "model": "run",
            "probabilities": "p",
            "candidate_scores": None,
        },
    }
    assert document["rule"]["tau_neg"] == {"value": 0.5, "hex": "0x1.0000000000000p-1"}
    assert document["rule"]["tau_pos"] == {"value": 0.9, "hex": "0x1.ccccccccccccdp-1"}
    assert [c["kind"] for c in document["selection"]["constraints"]] == ["lower_bound", "lower_bound"]
    assert document["selection"]["candidates_considered"] == 3 + 2
    assert document["provenance"]["model_version"] == "m-1"
    assert document["provenance"]["excluded_rows"] == {"no score": 3}
    assert set(document["provenance"]["libraries"]) == {"numpy", "scipy"}


def test_the_row_ids_hash_can_be_made_with_printf_and_sha256sum():
    data = data_of(
        [("s2", "A.1", 0.5, 1), ("s10", "A.2", 0.5, 0), ("s10", "A.10", 0.5, 0), ("é", "A.1", 0.1, 0)]
    )
    lines = "s10\tA.10\ns10\tA.2\ns2\tA.1\né\tA.1\n"
    entry = choose_operating_point(data).document["data"][0]
    assert entry["row_ids_sha256"] == hashlib.sha256(lines.encode()).hexdigest()


def test_every_estimate_carries_its_counts_and_where_there_are_none_a_reason():
    for point in (certified(), choose_operating_point(data_of(scored([], [0.5])))):
        for estimate in point.document["estimates"]:
            if estimate["value"] is None:
                assert estimate["undefined_reason"]
                assert estimate["denominator"] == 0
                assert estimate["ci"] is None
            else:
                scale = 1000 if "1000" in estimate["metric"] else 1
                assert estimate["value"] == scale * estimate["numerator"] / estimate["denominator"]


def test_bounds_are_named_and_one_sided_where_a_target_rests_on_them():
    estimates = {(e["metric"], e["evaluated_on"]): e for e in certified().document["estimates"]}
    kept = estimates["gate.screening_sensitivity", "test"]["ci"]
    assert kept == {
        "level": 0.95,
        "sides": 1,
        "low": pytest.approx(0.05 ** (1 / 700), abs=1e-12),
        "high": None,
        "method": "korn_graubard(n_eff=700.0;sides=1)",
        "n_effective": 700,
    }
    exact = estimates["gate.screening_sensitivity", "test"]["ci_if_independent"]
    assert (exact["method"], exact["n_effective"], exact["low"]) == ("clopper_pearson", 700, kept["low"])
    workload = estimates["gate.neg_rate", "test"]["ci"]
    assert (workload["sides"], workload["low"] < 700 / 1500 < workload["high"]) == (2, True)


def test_limits_say_what_the_numbers_do_not():
    limits = certified().document["limits"]
    assert "Each target is claimed at 95 %; both together hold at 90 %." in limits
    assert any("independent" in sentence for sentence in limits)
    synthetic = choose_operating_point(data_of(scored([0.5], [0.1]), facts={"synthetic": True})).document[
        "limits"
    ]
    assert "synthetic" in synthetic[0]


def test_the_joint_level_is_not_said_of_point_estimates():
    assert not any(
        "both together hold" in sentence for sentence in certified(confidence=None).document["limits"]
    )


def test_claims_are_sentences_with_counts_whose_bounds_round_down():
    texts = [claim["text"] for claim in certified().document["claims"] if claim["evaluated_on"] == "test"]
    assert texts == [
        "Screening sensitivity of at least 99.5 % on test (split = test): met with 95 % confidence. "
        "700 of 700 checks with evidence kept for a reader (100 %; at least 99.57 %, one-sided 95 %).",
        "Alert precision of at least 90 % on test (split = test): met with 95 % confidence. "
        "200 of 200 alerts right (100 %; at least 98.51 %, one-sided 95 %).",
    ]


# --- bytes and hashes -------------------------------------------------------------------------------------


def test_two_exports_of_one_choice_are_the_same_bytes(tmp_path):
    first, second = (certified(author="x").save(tmp_path / name) for name in ("a.json", "b.json"))
    assert first.read_bytes() == second.read_bytes()


def test_the_time_of_export_is_no_part_of_the_hash_or_the_id():
    plain, stamped = certified(), certified(created_utc="2026-01-31T12:00:00Z")
    assert plain.document["content_sha256"] == stamped.document["content_sha256"]
    assert plain.document["id"] == stamped.document["id"]


def test_the_id_follows_rule_data_and_selection_only():
    assert certified().document["id"] == certified(author="someone").document["id"]
    assert certified().document["id"] != choose_operating_point(certified_data(), tune="tune").document["id"]


def test_the_content_hash_is_the_sha256_of_the_canonical_json_of_the_rest():
    document = certified().document
    rest = {key: value for key, value in document.items() if key not in ("content_sha256", "created_utc")}
    assert document["content_sha256"] == hashlib.sha256(canonical_json(rest)).hexdigest()


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.sampled_from(
        [1e21, 1e20, 123456789012345680000.0, 1e-6, 1e-7, 5e-324, -0.0, 0.1 + 0.2, 1.7976931348623157e308]
    ),
)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_canonical_json_reads_back_as_the_same_value(value):
    raw = canonical_json(value)
    assert read_strict_json(raw) == value
    assert canonical_json(read_strict_json(raw)) == raw


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_javascript_of_the_documentation_finds_the_same_hash(tmp_path):
    guide = (Path(__file__).parents[1] / "docs" / "operating-point.md").read_text(encoding="utf-8")
    program = guide.split("```js\n")[-1].split("```")[0]
    numbers = [
        1e21,
        1e20,
        1e16,
        1.234567890123456789e20,
        1e-6,
        1e-7,
        1.5e-9,
        5e-324,
        0.1 + 0.2,
        1.0,
        2**53 - 1,
        -0.0,
    ]
    document = certified(title="τ ≥ 0.9 \u2028 \U0001f600 \x7f", author='"\\\b\x1f').document
    document = document | {
        "selection": document["selection"] | {"numbers": numbers, "\U0001f600": 1, "\ufb33": 2}
    }
    for whole, expected in ((rehashed(document), "true"), (document, "false")):
        path = written(tmp_path, whole)
        ran = subprocess.run(
            ["node", "-e", program.replace("POINT.json", str(path))],
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert ran.stdout.decode().strip() == expected


# --- reading ----------------------------------------------------------------------------------------------


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
        (b"[" * 100_000, "JSON that is nested too deeply"),
    ],
)
def test_what_is_no_strict_json_is_refused(raw, found):
    with pytest.raises(InputError) as caught:
        read_strict_json(raw, file="point.json")
    assert codes(caught) == ["DOC-001"]
    assert caught.value.problems[0].found == found


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
        (lambda d: d.update(claims=[]), ["DOC-010"]),
        (lambda d: d["selection"].update(constraints=[]), ["DOC-010"]),
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


# --- writing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["write", "replace"])
def test_an_interrupted_write_leaves_no_half_file(tmp_path, monkeypatch, stage):
    path = tmp_path / "point.json"
    path.write_text("what stood here before", encoding="utf-8")

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    if stage == "write":
        monkeypatch.setattr("os.fsync", interrupted)
    else:
        monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        certified().save(path)
    assert path.read_text(encoding="utf-8") == "what stood here before"
    assert list(tmp_path.iterdir()) == [path]


# --- self-test --------------------------------------------------------------------------------------------

taus = st.none() | st.floats(0, 1)


@given(taus, taus)
def test_self_test_vectors_follow_the_literal_rule(first, second):
    low, high = (first, second) if None in (first, second) or first <= second else (second, first)
    vectors = Rule(low, high, 0.0, 1.0).vectors()
    assert len(vectors) >= 6
    for vector in vectors:
        p = float(vector["p"])
        if not (math.isfinite(p) and 0 <= p <= 1):
            expected = "ERROR"
        elif low is not None and p < low:
            expected = "NEG"
        else:
            expected = "POS" if high is not None and p >= high else "UNCERTAIN"
        assert vector["state"] == expected
    for tau in (low, high):
        if tau is not None:
            tested = {float(vector["p"]) for vector in vectors}
            assert {tau, math.nextafter(tau, -math.inf), math.nextafter(tau, math.inf)} <= tested
