"""The document's file: what is refused when it is read, and what an interrupted write leaves."""

import json
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore.operating_point import OperatingPoint, choose_operating_point
from evalcore.operating_point.document.canonical import canonical_json, json_text, read_strict_json
from evalcore.problems import InputError
from tests.support.but_long import but_long
from tests.support.made.documents import certified, certified_data, codes, rehashed, written
from tests.support.made.mutations import mutated
from tests.support.made.scored_data import data_of, scored


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
        (
            b'{"a": 1' + b"0" * 400 + b"}",
            "the number 1" + "0" * 39 + "… of 401 signs, beyond what float64 holds",
        ),
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


def test_json_with_too_many_values_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_UNPACKED_MB", "1")
    assert len(read_strict_json(b"[" + b"1," * 15_000 + b"1]")) == 15_001
    with pytest.raises(InputError) as caught:
        read_strict_json(b"[" + b"1," * 16_000 + b"1]", file="point.json")
    assert codes(caught) == ["FILE-017"]


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
    assert set(expected) <= set(codes(caught))


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


# --- forged documents -------------------------------------------------------------------------------------


def numbers_on_test(document, metric="screening_sensitivity"):
    return next(
        one
        for one in document["estimates"]
        if (one["metric"], one["evaluated_on"]) == (f"gate.{metric}", "test")
    )


def at_half(document):
    """Every claim and bound at a confidence of one half, while the targets ask for more."""
    for claim in document["claims"]:
        claim["confidence"] = 0.5
        for one in document["estimates"]:
            if (one["metric"], one["evaluated_on"]) == (claim["metric"], claim["evaluated_on"]):
                one["ci"]["level"] = 0.5


def claimed_at_half(document):
    for claim in document["claims"]:
        claim["confidence"] = 0.5


def one_more(document):
    document["claims"].insert(0, document["claims"][2] | {"verdict": "not_assessed"})


def same_rows(document):
    tune, test = document["data"]
    test.update(sha256=tune["sha256"], row_filter=tune["row_filter"])


def better_precision(document):
    numbers_on_test(document, "alert_precision").update(numerator=299, denominator=300, value=299 / 300)


def by_bootstrap(document):
    method = "cluster_bootstrap(posts=1500;B=2000;undefined=0;seed=0;sides=1)"
    numbers_on_test(document)["ci"].update(low=0.9999, method=method)


def typed_unlisted(document):
    document["provenance"]["author"] = "the board"


def role_twice(document):
    document["data"].append(document["data"][1])


def tuned_and_seen(document):
    document["selection"]["test_seen_before"] = True
    document["status"] = "tuned"


@pytest.mark.parametrize(
    ("forge", "code", "found"),
    [
        (lambda d: numbers_on_test(d)["ci"].update(low=1 - 1e-6), "DOC-030", "ci.low: 0.999999"),
        (
            lambda d: numbers_on_test(d)["ci"].update(low=numbers_on_test(d)["ci"]["low"] + 1e-8),
            "DOC-030",
            "ci.low",
        ),
        (
            lambda d: numbers_on_test(d, "alert_precision")["ci"].update(n_effective=100.0),
            "DOC-030",
            "ci.method",
        ),
        (
            lambda d: numbers_on_test(d, "alert_precision")["ci_if_independent"].update(low=0.6),
            "DOC-030",
            "ci_if_independent.low: 0.6",
        ),
        (
            lambda d: numbers_on_test(d, "screening_fn_per_1000")["ci"].update(high=1e-7),
            "DOC-030",
            "ci.high: 1e-07",
        ),
        (by_bootstrap, "DOC-030", "ci.method: 'cluster_bootstrap"),
        (
            lambda d: numbers_on_test(d)["ci"].update(method="by thought"),
            "DOC-030",
            "ci.method: 'by thought'",
        ),
        (at_half, "DOC-030", "a level of 0.5 and 1 sides"),
        (claimed_at_half, "DOC-032", "claims[0].confidence = '0.5'"),
        (one_more, "DOC-031", "2 entries for gate.screening_sensitivity on test"),
        (role_twice, "DOC-031", "2 entries for test"),
        (lambda d: d["claims"][2].update(text="Met: 700 of 700."), "DOC-032", "claims[2].text = 'Met"),
        (lambda d: d["claims"][2].update(note="Approved."), "DOC-032", "claims[2].note = 'Approved.'"),
        (lambda d: d["data"][1].update(positives=30, prevalence=0.02), "DOC-031", "700 and 30 rows with"),
        (lambda d: d["data"][1].update(prevalence=0.9), "DOC-031", "a prevalence of 0.9 for 700 of 1,500"),
        (lambda d: d["data"][1].update(posts=3), "DOC-031", "1,500 clusters that are 3 posts"),
        (lambda d: d["data"][1].update(posts=3, clusters=3), "DOC-030", "posts=1500"),
        (lambda d: d["data"][1].update(rows=9), "DOC-031", "700 rows with evidence of 9 rows"),
        (better_precision, "DOC-031", "alerts that are right"),
        (same_rows, "DOC-031", "two sets of rows picked alike from one file"),
        (same_rows, "DOC-010", "the same rows of one file in both tune and test"),
        (
            lambda d: d["selection"].pop("overlap_posts_tune_test"),
            "DOC-010",
            "unknown posts in both tune and test",
        ),
        (
            lambda d: d["selection"].update(overlap_posts_tune_test=3),
            "DOC-010",
            "3 posts in both tune and test",
        ),
        (lambda d: d.update(limits=[]), "DOC-033", "no such sentence"),
        (lambda d: d["limits"].pop(), "DOC-033", "no such sentence"),
        (lambda d: d["rule"].update(changed_by_float32=7), "DOC-033", "on float32"),
        (lambda d: d.update(status="exploratory"), "DOC-033", "the status exploratory"),
        (tuned_and_seen, "DOC-033", "the status tuned"),
        (lambda d: d.update(title="Skip below 0.9"), "DOC-032", "title = 'Skip below 0.9'"),
        (typed_unlisted, "DOC-032", "provenance.typed"),
        (lambda d: d["selection"]["constraints"][0].update(confidence=1.95), "DOC-002", "1.95"),
        (lambda d: numbers_on_test(d).update(numerator=None), "DOC-002", "None is not of type 'integer'"),
        (lambda d: numbers_on_test(d)["ci_if_independent"].update(high="x"), "DOC-002", "'x'"),
        (lambda d: d["selection"].pop("repeated_rows"), "DOC-002", "'repeated_rows'"),
    ],
)
def test_a_forged_document_is_refused_where_it_contradicts_itself(forge, code, found):
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(edited(forge))
    assert any(one.code == code and found in str(one) for one in caught.value.problems), str(caught.value)


def test_a_claim_of_none_right_says_so_in_the_words_of_the_program_alone():
    tune = scored(
        [*np.full(200, 0.95), *np.full(500, 0.5)],
        [*np.full(5, 0.95), *np.full(300, 0.5), *np.full(500, 0.2)],
        split="tune",
    )
    test = scored(np.full(700, 0.5), [*np.full(30, 0.95), *np.full(800, 0.2)], split="test", first_post=9000)
    document = choose_operating_point(data_of([*tune, *test]), tune="tune", test="test").document
    claim = document["claims"][3]
    assert claim["text"] == (
        "Alert precision of at least 90 % on test (split = test): not met. "
        "0 of 30 alerts right (0 %; at least 0 %, one-sided 95 %)."
    )
    OperatingPoint.from_bytes(json_text(document).encode())
    claim["text"] = claim["text"].replace("0 of 30", "30 of 30")
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(json_text(rehashed(document)).encode())
    assert codes(caught) == ["DOC-032"]


def test_a_number_out_of_range_is_refused_in_old_documents_too():
    document = json.loads((OLD / "certified.json").read_text(encoding="utf-8"))
    document["selection"]["constraints"][0]["confidence"] = 1.95
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(json_text(rehashed(document)).encode())
    assert set(codes(caught)) == {"DOC-002"}


OLD = Path(__file__).parents[1] / "documents_1_0"


@pytest.mark.parametrize("seed", but_long(range(6), 1))
def test_whatever_is_changed_ends_in_words_and_never_in_another_error(seed):
    """Of any two changes a document is refused, does not hold, or holds but for what is listed as stated."""
    rng = np.random.default_rng(seed)
    if seed < 4:
        name = ("certified", "folds", "by_hand", "exploratory")[seed]
        document, data = (
            json.loads((OLD / f"{name}.json").read_text("utf-8")),
            evalcore.load(OLD / "queries.csv"),
        )
    else:
        document, data = json.loads(certified().text), certified_data()
    n_verified = 0
    for _ in range(40):
        changed = mutated(document, rng)
        raw = json_text(changed).encode()
        for strict in (True, False):
            try:
                point = OperatingPoint.from_bytes(raw, strict=strict)
                if strict:
                    assert len(point.summary) > 0
                    point.apply([0.001, 0.5, 0.9])
                elif n_verified < 4:
                    n_verified += 1
                    result = point.verify(data)
                    assert result.summary.startswith(("Holds", "Does not hold"))
                    assert not result.holds or _beside(changed, result) == _beside(document, result)
            except InputError:
                continue


def _beside(document, result):
    """What a document says beside what is typed, stated, or no part of what is said."""
    assert result.holds
    kept = {key: value for key, value in document.items() if key not in ("content_sha256", "created_utc")}
    told = ("tool_version", "libraries", "typed", "author", "rationale", "supersedes", "model_version")
    told += ("data_collected", "setting", "labelled_by", "label_agreement")
    kept["provenance"] = {key: value for key, value in kept["provenance"].items() if key not in told}
    return {key: value for key, value in kept.items() if key not in ("title", "selection", "rule", "status")}
