"""A document written up: every number of it is in the document, and items stand under their numbers."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from collections import Counter
from math import ceil, floor, isclose
from pathlib import Path

import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.gridding import gridded
from evalcore.problems import InputError
from evalcore.readers.inputs import Upload
from evalcore.report.facts import facts
from evalcore.report.methods import methods
from evalcore.report.point_page.facts import decisive_entry, zones
from evalcore.report.reader import rows_of
from evalcore.report.writeup import ENVELOPE, FILES, PAGES, STATEMENT, TO_SIGN, report_writeup, writeup
from evalcore.report.writeup.answers import ANSWERS
from evalcore.report.writeup.facts import methods_of_intervals
from evalcore.report.writeup.stard_ai import STARD_AI
from evalcore.report.writeup.tripod_ai import TRIPOD_AI
from evalcore.spec import METRICS
from tests.conftest import ROOT
from tests.operating_point.test_apply import point_at
from tests.support.made.scored_data import data_of, scored

DOCUMENTS = sorted(Path(__file__).parents[1].glob("documents_1_*/*.json"))
CERTIFIED = next(
    path for path in DOCUMENTS if path.parent.name == "documents_1_2" and path.stem == "certified"
)
NUMBER = re.compile(r"(?<![\w.\-])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")
REFERENCES = (
    "BMJ 2024;385:e078378",
    "Nat Med 2025;31:3283-3289",
    "schema v0.2",
    "Table 1.",
    "Table 2.",
    "Table 3.",
    "per 1000",
)
"""What is no number of the study: where a guideline stands, and fixed words."""


def leaves(value):
    """Every number and every text of a document."""
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif value is not None and not isinstance(value, bool):
        yield value


def numbers_not_in(text, document, share_places=(2, 3, 4)):
    """The numbers of a page that no number of the document prints as, and that stand in none of its texts.

    A share is printed as a percentage with up to two decimals, or more beside a target; a bound is rounded
    outward, so that both neighbours are allowed. The counts of the table of decisions follow by subtraction.
    """
    known = [*leaves(document)]
    texts = " ".join(one for one in known if isinstance(one, str) and one not in METRICS)
    written = set(NUMBER.findall(texts)) | set(re.findall(r"\d+(?:\.\d+)?", texts))
    numbers = [float(one) for one in known if not isinstance(one, str)]
    for zone in zones(document, decisive_entry(document)) if document["data"] else ():
        numbers += [zone.n, zone.n_positive, zone.n_negative]
    for one in document.get("subgroups", ()):
        numbers.append((one["n_positive"] - one["n_missed"]) / max(one["n_positive"], 1))
    numbers += [entry["positives"] / entry["rows"] for entry in document["data"] if entry["rows"]]
    for mark in (*REFERENCES, document["content_sha256"], document["id"]):
        text = text.replace(mark, " ")
    text = re.sub(
        r"^\| \d+[a-g]? \|", "|", text.replace("\\", ""), flags=re.MULTILINE
    )  # the items' own numbers
    return [
        found[0]
        for found in NUMBER.finditer(text)
        if found[0].replace(",", "") not in written
        and not any(
            prints(found[0], 100 * one, share_places)
            if text[found.end() :].startswith(" %")
            else prints(found[0], one)
            for one in numbers
        )
    ]


def prints(text, number, places=(2, 3, 4)):
    """Whether a number is printed as this text: exactly, or rounded either way."""
    stated = float(text.replace(",", ""))
    cut = [round_to(number * 10**one) / 10**one for one in places for round_to in (floor, ceil)]
    return any(isclose(stated, one, rel_tol=1e-12) for one in (number, *cut))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_number_of_a_write_up_is_in_its_document(path):
    point = OperatingPoint.load(path)
    files = writeup(point)
    for name in PAGES:
        assert numbers_not_in(files[name].decode(), point.document) == [], name


def test_a_number_that_is_not_in_the_document_is_seen():
    point = OperatingPoint.load(CERTIFIED)
    page = writeup(point)["methods_and_results.md"].decode()
    for right, wrong in (
        ("97.5 %", "97.8 %"),
        ("117/120", "118/120"),
        ("2,000 bootstrap", "1,000 bootstrap"),
    ):
        assert right in page
        assert numbers_not_in(page.replace(right, wrong, 1), point.document), wrong


def test_items_stand_under_the_numbers_of_their_guidelines():
    tripod = [number for _, items in TRIPOD_AI for number, _, _ in items]
    assert len(tripod) == 52
    assert {int(number.rstrip("abcdefg")) for number in tripod} == set(range(1, 28))
    stard = [number for _, items in STARD_AI for number, _, _ in items]
    assert {int(number.rstrip("abcd")) for number in stard} == set(range(1, 41))
    assert len(stard) == 40 + 3 + 2 + 1 + 1 + 1  # 15a-d, 16a-c, 17, 26 and 40 a and b
    for numbers in (tripod, stard):
        assert max(Counter(numbers).values()) == 1
        assert numbers == sorted(numbers, key=lambda one: (int(re.match(r"\d+", one)[0]), one))


def test_every_item_takes_an_answer_that_there_is_and_the_rest_is_left_to_the_authors():
    named = {what for checklist in (TRIPOD_AI, STARD_AI) for _, items in checklist for _, _, what in items}
    assert named - {""} <= set(ANSWERS)
    page = writeup(OperatingPoint.load(CERTIFIED))["tripod_ai.md"].decode()
    assert re.search(r"^\| 18a \| Funding \| To be filled by the authors\. \|$", page, re.MULTILINE)
    assert re.search(
        r"^\| 23a \|.*97\.5 % \(117/120; one-sided 95 % lower confidence bound 93\.33 %\)", page, re.M
    )


def test_the_sentences_say_what_the_document_says():
    page = writeup(OperatingPoint.load(CERTIFIED))["methods_and_results.md"].decode()
    assert "133 of 250 checks were skipped" in page
    assert "Of 120 checks with evidence, 3 were skipped and so missed." in page
    assert (
        "Screening sensitivity was 97.5 % (117/120; one-sided 95 % lower confidence bound 93.33 %). "
        "The target of at least 90 % was met with 95 % confidence."
    ) in page
    assert "| Skipped (negative) | 3 | 130 | 133 |" in page


def test_folds_authors_and_notes_are_told_as_they_are():
    pages = {
        path.stem: writeup(OperatingPoint.load(path))["methods_and_results.md"].decode() for path in DOCUMENTS
    }
    assert "On the held-out folds together, which describes the procedure" in pages["folds"]
    assert "the thresholds were selected and where results" not in pages["folds"]
    assert "as checks with the same author are related" in pages["by_author"]
    assert "but the threshold was chosen on these rows: other rows must confirm it." in pages["by_author"]


def test_names_of_the_data_are_no_markdown():
    page = writeup(point_at(0.2, 0.8, input={"score_field": "a|b <img> *c*"}))["tripod_ai.md"].decode()
    assert r"a\|b \<img\> \*c\*" in page


def pages_of(point):
    return " ".join(writeup(point)[name].decode() for name in PAGES)


def test_thresholds_set_by_hand_were_selected_on_no_rows():
    by_hand = [path for path in DOCUMENTS if path.stem == "by_hand"]
    assert {len(OperatingPoint.load(path).document["data"]) for path in by_hand} == {1, 2}
    for path in by_hand:
        told = pages_of(OperatingPoint.load(path)).replace("\n", " ")
        assert not re.search("selected (and evaluated )?on|thresholds (selected|were selected)", told), path
        assert "hresholds were set by hand" in told


def test_scores_are_as_they_are_only_where_nothing_was_made_of_them():
    assert "Scores were taken as they are." in pages_of(point_at(0.2, 0.8))
    for given, sentence in (
        ({"score_of": "predicted"}, "was taken as 1 − score."),
        ({"grid": 2001}, "Scores were taken on 2,001 points, each at one not above it."),
        ({"aggregate": "maximum"}, "The score of a check was taken as the highest of its candidates."),
    ):
        document = point_at(0.2, 0.8, input=given).document
        for name in ("preparation", "predictions"):
            told = ANSWERS[name](document)
            assert sentence in told
            assert "as they are" not in told


def test_rows_without_posts_are_not_resampled_together():
    document = json.loads(CERTIFIED.read_text())
    for entry in document["data"]:
        del entry["cluster_field"]
    told = ANSWERS["measures"](document)
    assert "bootstrap replicates that resample checks (seed" in told
    assert "the same" not in told


def test_a_document_can_be_recomputed_and_nobody_says_it_was():
    assert "can be recomputed from them" in ANSWERS["document"](json.loads(CERTIFIED.read_text()))


def test_a_report_of_converted_scores_says_so():
    text = "pred_label,score,label\n" + "LABEL_1,0.9,1\nLABEL_0,0.8,0\nLABEL_1,0.7,0\nLABEL_0,0.6,1\n" * 3
    data = evalcore.load(Upload("scores.csv", text.encode()), score_of="predicted")
    page = report_writeup(evalcore.evaluate(data))["tripod_ai.md"].decode()
    assert "was taken as 1 − score." in page
    assert "as they are" not in page


def test_a_candidate_without_a_score_is_no_error_where_the_highest_decides():
    for rule, says in (("error", "is an error"), ("UNCERTAIN", "leaves the check to a reviewer")):
        given = {"aggregate": "maximum"}
        document = point_at(0.2, 0.8, input=given, rule={"invalid_score": rule}).document
        told = ANSWERS["missing"](document)
        assert told == (
            "A candidate without a score is left out; a check without any score, or a score outside the "
            f"range, {says}; nothing is imputed."
        )


def test_a_report_of_scores_of_candidates_says_so():
    text = "post_id,criterion_id,sent_uid,is_gold,p\na,c,1,1,0.9\na,c,2,0,0.2\nb,c,3,0,0.4\nb,c,4,0,0.1\n"
    page = report_writeup(evalcore.evaluate(evalcore.load(Upload("candidates.csv", text.encode()))))
    told = page["tripod_ai.md"].decode()
    assert "The score of a check was taken as the highest of its candidates." in told
    assert "as they are" not in told


def test_a_report_of_tallies_on_a_grid_says_so():
    on_grid = gridded(data_of(scored([0.5, 0.9], [0.1, 0.3])), grid=101).data
    page = report_writeup(evalcore.evaluate(on_grid))["tripod_ai.md"].decode()
    assert "Scores were taken on 101 points, each at one not above it." in page
    assert "as they are" not in page


# --- of a report ------------------------------------------------------------------------------------------


def small_report():
    data = evalcore.load(ROOT / "sample_data" / "small" / "ten_rows.csv")
    return evalcore.evaluate(data, by=["criterion_id"], tau_neg=0.2, tau_pos=0.7)


def numbers_not_in_report(text, report):
    numbers = [
        one for name in ("value", "n", "ci_low", "ci_high") for one in report.table[name] if one == one
    ]
    numbers += [size for rows in rows_of(report) for size in rows[1:]]
    numbers += [rows.n_positive / rows.n_checks for rows in rows_of(report)]
    table = " ".join(report.table["note"]) + " ".join(methods(report))
    told = {"facts": facts(report), "numbers": list(map(float, numbers)), "table": table, "data": []}
    text = text.replace(facts(report)["data_sha256"], " ").replace("(95 %)", " ")
    told |= {"content_sha256": "none", "id": "none", "rule": {}}
    return numbers_not_in(text, told, share_places=(1, 2, 3, 4))  # those of a report have one decimal


def test_every_number_of_a_write_up_of_a_report_is_in_the_report():
    report = small_report()
    files = report_writeup(report)
    assert {*files} == {*PAGES} - {"chai_metrics.md"}
    for name, content in files.items():
        assert numbers_not_in_report(content.decode(), report) == [], name
    page = files["methods_and_results.md"].decode()
    assert "Split test: 4 checks from 2 posts, 1 with evidence (25 %)." in page
    assert "Decisions were counted at tau_neg = 0.2 and tau_pos = 0.7." in page
    assert numbers_not_in_report(page.replace("0.854", "0.739"), report) == ["0.739"]


def test_a_write_up_of_a_report_says_what_it_is_of_and_whether_the_data_are_made_up():
    text = "post_id,criterion_id,has_evidence,probability\na,c,1,0.9\nb,c,0,0.2\n"
    real = evalcore.evaluate(evalcore.load(Upload("queries.csv", text.encode())))
    for report, is_made_up in ((small_report(), True), (real, False)):
        for name, page in report_writeup(report).items():
            assert ("The data are synthetic" in page.decode()) is is_made_up, name
            assert "comes from the document" not in page.decode()


def test_the_command_writes_a_saved_report_up_and_signs_none(tmp_path, capsys):
    saved = tmp_path / "report.evalcore"
    small_report().save(saved)
    assert main(["writeup", str(saved), "--out", str(tmp_path / "out")]) == 0
    assert "The data are synthetic" in (tmp_path / "out" / "methods_and_results.md").read_text()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*PAGES} - {"chai_metrics.md"}
    signature = ["--signature", str(saved)]
    assert main(["writeup", str(saved), "--out", str(tmp_path / "other"), *signature]) == 2
    assert "expected the report alone" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


# --- the statement ----------------------------------------------------------------------------------------


def statement(point, **options):
    return json.loads(writeup(point, **options)[STATEMENT])


def test_the_statement_is_an_in_toto_test_result_over_the_file():
    raw = CERTIFIED.read_bytes()
    found = statement(OperatingPoint.load(CERTIFIED), raw=raw, name="certified.json", is_recomputed=True)
    assert found["_type"] == "https://in-toto.io/Statement/v1"
    assert found["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    (subject,) = found["subject"]
    assert subject["digest"] == {"sha256": hashlib.sha256(raw).hexdigest()}
    assert subject["annotations"]["content_sha256"] == json.loads(raw)["content_sha256"]
    assert found["predicate"]["result"] == "PASSED"
    assert found["predicate"]["failedTests"] == found["predicate"]["warnedTests"] == []
    assert len(found["predicate"]["passedTests"]) == 4


def test_what_was_not_recomputed_is_a_warning_and_what_is_not_met_has_failed():
    warned = statement(OperatingPoint.load(CERTIFIED))["predicate"]
    assert (warned["result"], warned["warnedTests"]) == ("WARNED", ["every number recomputed from the data"])
    outcomes = {}
    for path in DOCUMENTS:
        point = OperatingPoint.load(path)
        outcomes[path] = statement(point, is_recomputed=True)["predicate"]["result"]
        roles = {entry["role"] for entry in point.document["data"]}
        verdicts = {
            one["verdict"]
            for one in point.document["claims"]
            if one["evaluated_on"] == "test" or "test" not in roles
        }
        if "not_met" in verdicts:
            assert outcomes[path] == "FAILED"
        elif point.status == "certified":
            assert outcomes[path] == "PASSED"
        else:
            assert outcomes[path] == "WARNED"
    assert set(outcomes.values()) >= {"PASSED", "WARNED"}


def test_the_bytes_to_sign_are_those_of_dsse():
    files = writeup(OperatingPoint.load(CERTIFIED), signature=b"signed", key_id="ours")
    payload = files[STATEMENT]
    head = b"DSSEv1 28 application/vnd.in-toto+json " + str(len(payload)).encode() + b" "
    assert files[TO_SIGN] == head + payload
    envelope = json.loads(files[ENVELOPE])
    assert base64.b64decode(envelope["payload"]) == payload
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    assert envelope["signatures"] == [{"keyid": "ours", "sig": base64.b64encode(b"signed").decode()}]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, with which a user signs, is not here")
def test_a_signature_by_openssl_holds_over_the_envelope(tmp_path, capsys):
    def openssl(*arguments):
        return subprocess.run(["openssl", *arguments], cwd=tmp_path, check=False, capture_output=True)

    out = tmp_path / "out"
    assert main(["writeup", str(CERTIFIED), "--out", str(out)]) == 0
    openssl("genpkey", "-algorithm", "ed25519", "-out", "key.pem")
    openssl("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
    sign = (
        "pkeyutl",
        "-sign",
        "-rawin",
        "-inkey",
        "key.pem",
        "-in",
        f"out/{TO_SIGN}",
        "-out",
        "statement.sig",
    )
    assert openssl(*sign).returncode == 0
    signature = str(tmp_path / "statement.sig")
    assert (
        main(["writeup", str(CERTIFIED), "--out", str(out), "--signature", signature, "--key-id", "me"]) == 0
    )
    assert ENVELOPE in capsys.readouterr().out
    envelope = json.loads((out / ENVELOPE).read_text())
    kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    for content, status in ((signed, 0), (signed.replace(b"PASSED", b"FAILED").replace(b"0.9", b"0.8"), 1)):
        (tmp_path / "signed").write_bytes(content)
        verify = (
            "pkeyutl",
            "-verify",
            "-rawin",
            "-pubin",
            "-inkey",
            "public.pem",
            "-in",
            "signed",
            "-sigfile",
            "sig",
        )
        assert openssl(*verify).returncode == status


def test_certified_by_earlier_rules_is_a_warning_until_it_is_recomputed():
    for version in ("1_0", "1_1"):
        path = CERTIFIED.parents[1] / f"documents_{version}" / "certified.json"
        point = OperatingPoint.load(path)
        assert "status certified" in statement(point)["predicate"]["warnedTests"]
        assert "status certified" in statement(point, is_recomputed=True)["predicate"]["passedTests"]
        lower = statement(point, is_recomputed=True, status_today="tuned")["predicate"]
        assert "status certified" in lower["warnedTests"]
    assert "status certified" in statement(OperatingPoint.load(CERTIFIED))["predicate"]["passedTests"]


# --- the command ------------------------------------------------------------------------------------------


def test_the_command_recomputes_where_it_is_given_the_data(tmp_path, capsys):
    data = DOCUMENTS[0].parents[1] / "documents_1_1" / "queries.csv"
    document = data.parent / "certified.json"
    assert main(["writeup", str(document), str(data), "--out", str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*FILES} - {ENVELOPE}
    predicate = json.loads((tmp_path / "out" / STATEMENT).read_text())["predicate"]
    assert "every number recomputed from the data" in predicate["passedTests"]
    assert "Traceback" not in capsys.readouterr().err


def test_a_document_of_older_rules_is_written_up_with_a_word_on_it(tmp_path, capsys):
    old = CERTIFIED.parents[1] / "documents_1_0" / "certified.json"
    assert main(["writeup", str(old), "--out", str(tmp_path / "out")]) == 0
    assert "a document of schema 1.0. Its thresholds apply as they did." in capsys.readouterr().err
    predicate = json.loads((tmp_path / "out" / STATEMENT).read_text())["predicate"]
    assert "status certified" in predicate["warnedTests"]


def test_a_document_of_a_lower_status_today_is_not_stated_as_certified(tmp_path):
    folder = CERTIFIED.parents[1] / "documents_1_0"
    arguments = ["writeup", str(folder / "at_50_percent.json"), str(folder / "queries.csv")]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    predicate = json.loads((tmp_path / "out" / STATEMENT).read_text())["predicate"]
    assert "every number recomputed from the data" in predicate["passedTests"]
    assert "status certified" in predicate["warnedTests"]


def test_a_changed_document_and_a_signature_that_is_none_write_nothing(tmp_path, capsys):
    changed = tmp_path / "point.json"
    changed.write_text(CERTIFIED.read_text().replace("117 of 120", "118 of 120"))
    assert main(["writeup", str(changed), "--out", str(tmp_path / "out")]) == 2
    empty = tmp_path / "empty.sig"
    empty.touch()
    assert main(["writeup", str(CERTIFIED), "--out", str(tmp_path / "out"), "--signature", str(empty)]) == 2
    told = capsys.readouterr().err
    assert "DOC-0" in told
    assert "WUP-001" in told
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="DOC-009"):
        writeup(point_at(0.2, 0.8, status="withdrawn"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_rate_stands_behind_the_kind_of_interval_that_it_has(path: Path) -> None:
    document = OperatingPoint.load(path).document
    told = methods_of_intervals(document)
    kinds = {
        "korn_graubard": "Korn–Graubard bounds",
        "strict": "Kish's effective number",
        "clopper_pearson": "Exact binomial",
        "cluster_bootstrap": "Percentile intervals",
    }
    expected = {kind: set() for kind in kinds}
    for one in document["estimates"]:
        method = (one.get("ci") or {}).get("method") or ""
        for kind in kinds:
            if method.startswith(kind):
                expected[kind].add(METRICS[one["metric"]].label)
    for kind, words in kinds.items():
        lists = [one.removesuffix(".").rpartition("for: ")[2] for one in told if words in one]
        named = {name for one in lists for name in one.split(", ")}
        assert named == expected[kind]


def test_a_certified_point_is_said_to_be_confirmed_and_not_how_often_its_test_rows_were_looked_at() -> None:
    text = writeup(OperatingPoint.load(CERTIFIED))["methods_and_results.md"].decode()
    assert "certified: thresholds selected on one set of posts, every target confirmed on another" in text
    assert "single test" not in text
