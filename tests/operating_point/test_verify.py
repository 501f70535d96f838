"""Recomputing a document: what holds, what differs first, and whose data are refused."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.operating_point import OperatingPoint, choose_operating_point, decide, point_from_thresholds
from evalcore.operating_point.document.canonical import content_sha256, json_text
from evalcore.problems import InputError
from tests.support.made.scored_data import data_of, scored


def split_data(n_extra=0):
    rng = np.random.default_rng(1)

    def part(name, first_post):
        positives = np.round(rng.beta(4, 1.2, 650 + n_extra), 3)
        return scored(
            positives, np.round(rng.beta(1, 7, 2000), 3), split=name, first_post=first_post, per_post=3
        )

    return data_of([*part("tune", 0), *part("test", 50_000)])


DATA = split_data()
POINTS = {
    "tune and test": cache(
        lambda: choose_operating_point(
            DATA, tune="tune", test="test", screening_sensitivity=0.98, author="x", title="y"
        )
    ),
    "all": cache(lambda: choose_operating_point(DATA, screening_sensitivity=0.98)),
    "point estimates": cache(lambda: choose_operating_point(DATA, tune="tune", confidence=None)),
    "one target": cache(
        lambda: choose_operating_point(DATA, alert_precision=None, screening_sensitivity=0.97)
    ),
    "nothing met": cache(
        lambda: choose_operating_point(DATA, screening_sensitivity=0.99999, alert_precision=0.9999)
    ),
    "by hand": cache(
        lambda: point_from_thresholds(DATA, 0.1, 0.7, screening_sensitivity=0.99, alert_precision=0.9)
    ),
    "by hand, tested": cache(lambda: point_from_thresholds(DATA, None, 0.7, tune="tune", test="test")),
    "test seen": cache(lambda: choose_operating_point(DATA, tune="tune", test="test", test_seen=True)),
    "target from the data": cache(
        lambda: choose_operating_point(
            DATA, tune="tune", screening_sensitivity=0.97, targets_from_data=("screening_sensitivity",)
        )
    ),
    "synthetic": cache(
        lambda: choose_operating_point(data_of(scored([0.5, 0.6], [0.1, 0.2]), facts={"synthetic": True}))
    ),
}


def changed(change, name="tune and test"):
    """The document with a change and a content hash that fits it, as someone would forge it."""
    document = json.loads(POINTS[name]().text)
    change(document)
    return OperatingPoint(document | {"content_sha256": content_sha256(document)})


@pytest.mark.parametrize("name", POINTS)
def test_a_document_holds_on_the_data_it_was_made_from(name):
    point = POINTS[name]()
    data = DATA if name != "synthetic" else data_of(scored([0.5, 0.6], [0.1, 0.2]))
    result = OperatingPoint.from_bytes(point.text.encode()).verify(data)
    assert result.differences == ()
    assert result.holds
    assert result.n_compared > 100
    first, *others = result.summary.split("\n")
    assert first == f"Holds: {result.n_compared:,} values and texts recomputed, all as the document says."
    assert others[-1].startswith(f"Stated, not recomputed: made by evalcore {evalcore.__version__}, numpy ")
    assert (others[0] == "Typed, not recomputed: title 'y', author 'x'.") == (name == "tune and test")


GROUP = {
    **{"evaluated_on": "test", "column": "criterion", "level": "A.1", "n": 3, "n_positive": 0, "n_missed": 0},
    **dict.fromkeys(("screening_sensitivity", "bound")),
    "verdict": "not_assessed",
}


def estimate(document, metric, role):
    return next(
        e for e in document["estimates"] if e["metric"] == f"gate.{metric}" and e["evaluated_on"] == role
    )


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (lambda d: d["rule"]["tau_neg"].update(value=0.2, hex=(0.2).hex()), "rule.tau_neg.value"),
        (lambda d: d["rule"]["tau_pos"].update(value=None, hex=None), "rule.tau_pos.value"),
        (lambda d: d["data"][1].update(rows=2651), "data[1].rows"),
        (lambda d: d["data"][0].update(positives=651), "data[0].positives"),
        (lambda d: d["data"][0].update(clusters=1), "data[0].clusters"),
        (lambda d: d["data"][0].update(bytes=1), "data[0].bytes"),
        (lambda d: d["data"][0].update(row_ids_sha256="0" * 64), "data[0].row_ids_sha256"),
        (lambda d: d["selection"].update(candidates_considered=2), "selection.candidates_considered"),
        (lambda d: d["selection"].update(overlap_posts_tune_test=3), "selection.overlap_posts_tune_test"),
        (lambda d: estimate(d, "neg_rate", "tune").update(numerator=1), "estimates[0].numerator"),
        (lambda d: estimate(d, "screening_sensitivity", "test").update(value=0.9999), "estimates[14].value"),
        (
            lambda d: estimate(d, "screening_sensitivity", "test")["ci"].update(low=0.995),
            "estimates[14].ci.low",
        ),
        (lambda d: d["claims"][2].update(verdict="not_met"), "claims[2].verdict"),
        (lambda d: d["claims"][2].update(text="All is well."), "claims[2].text"),
        (lambda d: d.update(status="tuned"), "status"),
        (lambda d: d.update(limits=[]), "limits[0]"),
        (lambda d: d["input"].update(positive_label="0"), "input.positive_label"),
        (lambda d: d["self_test"].append({"p": "0.5", "state": "POS"}), "self_test[12]"),
        (lambda d: d.update(id="op-0"), "id"),
        (lambda d: d.update(subgroups=[GROUP]), "subgroups"),
        (lambda d: d["claims"].pop(), "claims[3]"),
    ],
)
def test_the_first_difference_is_named(change, first):
    result = changed(change).verify(DATA)
    assert not result.holds
    assert str(result.first).startswith(f"found {first} = ")
    assert result.first.code == "DOC-004"
    assert result.summary.startswith(f"Does not hold: {len(result.differences)} of ")


def test_all_differences_are_listed_causes_before_consequences():
    def change(document):
        estimate(document, "neg_rate", "tune").update(value=0.5)
        document["rule"]["tau_neg"].update(value=0.2, hex=(0.2).hex())

    places = [p.found.split(" = ")[0] for p in changed(change).verify(DATA).differences]
    assert places[:2] == ["rule.tau_neg.value", "rule.tau_neg.hex"]
    assert "estimates[0].value" in places


def test_an_edited_document_does_not_hold_and_the_edited_number_is_named():
    document = json.loads(POINTS["tune and test"]().text)
    estimate(document, "neg_rate", "test").update(numerator=7)
    raw = json_text(document).encode()
    with pytest.raises(InputError, match="content hash"):
        OperatingPoint.from_bytes(raw)
    result = OperatingPoint.from_bytes(raw, strict=False).verify(DATA)
    assert [p.code for p in result.differences] == ["DOC-004", "DOC-003"]
    assert str(result.first).startswith("found estimates[10].numerator = 7, expected ")
    document = json.loads(POINTS["tune and test"]().text) | {"title": "Another title"}
    result = OperatingPoint.from_bytes(json_text(document).encode(), strict=False).verify(DATA)
    assert [p.code for p in result.differences] == ["DOC-003"]


def test_floats_hold_to_1e_9_and_thresholds_exactly():
    def nearly(document):
        number = estimate(document, "neg_rate", "tune")
        number.update(value=number["value"] + 1e-10)

    def not_quite(document):
        number = estimate(document, "neg_rate", "tune")
        number.update(value=number["value"] + 1e-8)

    def moved(document):
        tau = float(np.nextafter(document["rule"]["tau_neg"]["value"], 0))
        document["rule"]["tau_neg"].update(value=tau, hex=tau.hex())

    assert changed(nearly).verify(DATA).holds
    assert not changed(not_quite).verify(DATA).holds
    assert not changed(moved).verify(DATA).holds


def test_other_data_are_refused_by_their_hash():
    point = POINTS["tune and test"]()
    other = split_data(n_extra=1)
    with pytest.raises(InputError) as caught:
        point.verify(other)
    assert str(caught.value) == (
        f"queries.csv: found data with SHA-256 {other.sources[0].sha256}, expected {DATA.sources[0].sha256}, "
        "the data the point was chosen on. Give the same file, or choose again on the new one. [DOC-005]"
    )


def test_tune_and_test_in_two_files_are_both_needed():
    tune = data_of(scored(np.full(700, 0.95), np.full(700, 0.1)), name="tune.csv")
    test = data_of(scored(np.full(700, 0.95), np.full(700, 0.1), first_post=9000), name="test.csv")
    point = choose_operating_point(tune, test_data=test)
    assert point.status == "certified"
    assert point.verify(tune, test).holds
    assert point.verify(test, tune).holds
    with pytest.raises(InputError, match=r"tune\.csv: found data with SHA-256"):
        point.verify(tune)


def test_a_point_chosen_for_one_of_several_models_is_found_again():
    rows = [
        (f"s{i}", "A.1", p, y, split, model)
        for split, first in (("tune", 0), ("test", 5000))
        for model, shift in (("a", 0.0), ("b", 0.01))
        for i, (p, y) in enumerate([(0.9 + shift, 1)] * 700 + [(0.1 + shift, 0)] * 50, first)
    ]
    data = data_of(rows)
    point = choose_operating_point(data, tune="tune", test="test", model="b")
    assert point.document["data"][1]["row_filter"] == "split = test and model = b"
    assert point.status == "certified"
    assert point.verify(data).holds


def test_a_withdrawn_document_still_holds():
    assert changed(lambda d: d.update(status="withdrawn")).verify(DATA).holds


def test_what_this_version_cannot_recompute_does_not_hold():
    def unknown_filter(document):
        document["data"][0]["row_filter"] = "split = train"

    def unknown_target(document):
        document["selection"]["constraints"][0]["metric"] = "gate.neg_npv"

    def tests_only(document):
        document["data"] = document["data"][1:]

    for change, first in (
        (unknown_filter, "data[0].row_filter"),
        (unknown_target, "selection.constraints[0]"),
        (tests_only, "data"),
    ):
        result = changed(change).verify(DATA)
        assert str(result.first).startswith(f"found {first} = ")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["claims"][0].update(text="In other words."), "claims[0].text"),
        (lambda d: d["claims"][0].update(note="And more."), "claims[0].note"),
        (lambda d: d["limits"].pop(), "limits["),
        (lambda d: d["limits"].insert(0, "All is well."), "limits[0]"),
        (lambda d: d["selection"].update(method="by careful thought"), "selection.method"),
        (lambda d: d["selection"].update(objective="the best"), "selection.objective"),
        (lambda d: estimate(d, "neg_rate", "test").update(subset="all patients"), "estimates[10].subset"),
        (lambda d: d["provenance"].update(contract="another contract"), "provenance.contract"),
        (lambda d: d["provenance"].update(tool="another tool"), "provenance.tool"),
        (
            lambda d: d["provenance"].update(excluded_rows={"too long": 7}),
            "provenance.excluded_rows.too long",
        ),
        (lambda d: d["provenance"].update(approved_by="the board"), "provenance.approved_by"),
        (lambda d: d["provenance"].update(typed=[]), "provenance.typed[0]"),
    ],
)
@pytest.mark.parametrize("version", [None, "99.0"])
def test_every_text_that_the_program_writes_is_written_again(change, place, version):
    def forge(document):
        change(document)
        document["provenance"]["tool_version"] = version or document["provenance"]["tool_version"]

    result = changed(forge).verify(DATA)
    assert not result.holds
    assert any(one.found.startswith(place) for one in result.differences)


def test_a_title_that_nobody_typed_is_written_again():
    result = changed(lambda d: d.update(title="Safe thresholds"), "all").verify(DATA)
    assert [one.found for one in result.differences] == ["title = 'Safe thresholds'"]

    def claimed_as_typed(document):
        document["title"] = "Safe thresholds"
        document["provenance"]["typed"] = ["title"]

    result = changed(claimed_as_typed, "all").verify(DATA)
    assert result.holds
    assert result.typed == ("title 'Safe thresholds'",)


def test_what_cannot_be_recomputed_is_listed_as_stated():
    def forge(document):
        document["provenance"].update(tool_version="99.0", libraries={"numpy": "77"})

    result = changed(forge, "by hand").verify(DATA)
    assert result.holds
    assert result.typed == ("τ_neg 0.1", "τ_pos 0.7")
    assert result.stated == (f"made by evalcore 99.0 (this is {evalcore.__version__})", "numpy 77")
    assert result.summary.endswith(
        f"\nStated, not recomputed: made by evalcore 99.0 (this is {evalcore.__version__}), numpy 77."
    )


def test_a_document_written_by_javascript_holds():
    document = json.loads(
        POINTS["all"]().text,
        parse_float=lambda text: int(float(text)) if float(text) % 1 == 0 else float(text),
    )
    assert OperatingPoint.from_bytes(json_text(document).encode()).verify(DATA).holds


# --- files ------------------------------------------------------------------------------------------------


def frame_of(n_posts=60, *, posts_from=0):
    rng = np.random.default_rng(posts_from)
    label = rng.random(n_posts * 3) < 0.4
    score = np.round(np.where(label, rng.beta(4, 1.5, len(label)), rng.beta(1.5, 4, len(label))), 4)
    return pd.DataFrame(
        {
            "post": np.repeat([f"s{posts_from + i}" for i in range(n_posts)], 3),
            "criterion": ["A.1", "A.2", "A.9"] * n_posts,
            "outcome": np.where(label, "yes", "no"),
            "p_final": score,
            "p_first": np.round(score / 2, 4),
            "split": np.repeat(np.where(np.arange(n_posts) % 2, "tune", "test"), 3),
        }
    )


READINGS = {
    "renamed columns": {"columns": {"has_evidence": "outcome", "probability": "p_final"}, "positive": "yes"},
    "two scores": {
        "columns": {"has_evidence": "outcome", "probability": ["p_first", "p_final"]},
        "positive": "yes",
    },
    "another scale": {
        "columns": {"has_evidence": "outcome", "probability": "p_final"},
        "positive": "yes",
        "score_kind": "score",
    },
}


@pytest.mark.parametrize("name", READINGS)
def test_a_document_says_how_its_file_is_to_be_read(tmp_path, name):
    frame_of().to_csv(tmp_path / "scores.csv", index=False)
    data = evalcore.load(tmp_path / "scores.csv", **READINGS[name])
    model = "p_final" if name == "two scores" else None
    point = choose_operating_point(
        data, screening_sensitivity=0.9, alert_precision=0.7, tune="tune", test="test", model=model
    )
    again = OperatingPoint.load(point.save(tmp_path / "point.json"))
    result = again.verify(evalcore.load(tmp_path / "scores.csv", **again.reading))
    assert result.differences == ()
    assert again.document["input"]["score_field"] == "p_final"
    states = decide(again, tmp_path / "scores.csv").states
    assert states.tolist() == again.apply(frame_of()["p_final"]).tolist()


def test_candidates_are_read_back_and_decided_by_their_highest_score(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (
            f"s{i}",
            "A.1",
            f"s{i}_{k}",
            int(i % 3 == 0 and k == 0),
            round(float(rng.normal(1.5 * (i % 3 == 0), 1)), 3),
        )
        for i in range(90)
        for k in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["post_id", "criterion_id", "sent_uid", "is_gold", "jina"])
    frame["dense"] = frame["jina"] + 1
    frame.to_csv(tmp_path / "candidates.csv", index=False)
    for columns in ({"score": "jina"}, None):
        data = evalcore.load(tmp_path / "candidates.csv", columns=columns)
        point = choose_operating_point(data, screening_sensitivity=0.8, alert_precision=0.5, model="jina")
        assert point.document["input"]["aggregate"] == "maximum"
        assert point.document["input"]["score_field"] == "jina"
        assert point.verify(evalcore.load(tmp_path / "candidates.csv", **point.reading)).holds
        decided = decide(point, tmp_path / "candidates.csv")
        highest = frame.groupby("post_id", sort=False)["jina"].max()
        assert list(decided.ids[0]) == highest.index.tolist()
        assert decided.states.tolist() == point.apply(highest.to_numpy()).tolist()


def test_two_files_with_a_model_column_certify(tmp_path):
    for name, first in (("tune", 0), ("test", 5000)):
        frame = frame_of(400, posts_from=first).assign(
            run="gnn", label=lambda f: (f.outcome == "yes").astype(int)
        )
        frame.drop(columns=["outcome", "p_first", "split"]).to_csv(tmp_path / f"{name}.csv", index=False)
    columns = {"probability": "p_final"}
    tune, test = (evalcore.load(tmp_path / f"{name}.csv", columns=columns) for name in ("tune", "test"))
    point = choose_operating_point(tune, test_data=test, screening_sensitivity=0.8, alert_precision=0.6)
    assert point.document["input"]["model"] == {"name": "gnn", "level": "gnn"}
    assert point.document["data"][1]["file"] == "test.csv"
    assert point.verify(tune, test).holds
