"""The document: its schema, its bytes and its hashes."""

import hashlib
import json
import math
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.document.canonical import canonical_json, read_strict_json
from evalcore.operating_point.document.rule import Rule
from tests.support.made.documents import certified, certified_data, rehashed, written
from tests.support.made.scored_data import data_of, scored

SCHEMA = (
    Path(__file__).parents[2] / "evalcore" / "operating_point" / "document" / "operating-point.schema.json"
)


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
    guide = (Path(__file__).parents[2] / "docs" / "operating-point.md").read_text(encoding="utf-8")
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


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_javascript_of_the_documentation_decides_as_the_document_does(tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "operating-point.md").read_text(encoding="utf-8")
    rule, path = guide.split("```js\n")[1].split("```")[0], written(tmp_path, certified().document)
    program = f"""{rule}
    const point = JSON.parse(require('fs').readFileSync({json.dumps(str(path))}, 'utf8'));
    const wrong = point.self_test.filter(one => state(Number(one.p), point).toUpperCase() !== one.state);
    const none = [null, undefined, '', '0.5', true, [], -0.1, 1.1].map(p => state(p, point));
    console.log(point.self_test.length > 5, wrong.length, none.every(one => one === 'error'));"""
    ran = subprocess.run(["node", "-e", program], capture_output=True, check=True, timeout=60)
    assert ran.stdout.decode().strip() == "true 0 true"


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
