"""``metrics.json`` opened again: the same values to the bit, by its schema; damaged and hostile files."""

import copy
import json
import random
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import jsonschema
import pytest

import evalcore
from evalcore import Report, evaluate
from evalcore.data import Source
from evalcore.problems import InputError
from evalcore.report import MetricsFile, metrics_json
from evalcore.report.facts import facts
from evalcore.report.metrics_json.checked import ROWS, SCHEMA, fits, kinds_of, schema
from tests.report.test_saved_report import report_of
from tests.support.but_long import but_long

made = cache(report_of)
SAMPLE = Path(__file__).parents[3] / "sample_data"
TASKS = {
    "evidence": (["queries.csv"], {"by": ("criterion",), "tau_neg": 0.05, "tau_pos": 0.5}),
    "rag": (["rag"], {"bootstrap": 100}),
    "recommender": (["recommender"], {"ks": (5,), "bootstrap": 100}),
}
DEFINED = {
    "metrics": "value",
    "coverage": "coverage",
    "tool_scores": "tool_score",
    "agreement": "agreement",
    "predicted_labels": "predicted_label",
}
BESIDE = ("coverage", "scores", "agreement", "predicted")


@pytest.fixture(scope="module")
def written() -> bytes:
    return metrics_json(made("two models")).encode()


@pytest.fixture(scope="module")
def of_rag() -> Report:
    return made("annotations")


def opened(report: Report) -> MetricsFile:
    return MetricsFile.from_bytes(metrics_json(report).encode())


def refused(raw: bytes | str, file: str = "m.json") -> list[str]:
    """What is said of a file that is not opened, a line a problem."""
    with pytest.raises(InputError) as error:
        MetricsFile.from_bytes(raw.encode() if isinstance(raw, str) else raw, file=file)
    return [f"{one} [{one.code}]" for one in error.value.problems]


CODES = {"REP-320", "REP-321", "REP-322", "FILE-074"}


def opened_or_refused(raw: bytes) -> MetricsFile | set[str]:
    """What is in a file, or the codes of what is wrong with it."""
    try:
        return MetricsFile.from_bytes(raw)
    except InputError as error:
        return {one.code for one in error.problems}


def same(found: MetricsFile, report: Report) -> None:
    """Every value, bound, n and note of the run, and what stands beside them, equal to the bit."""
    assert list(found.table.columns) == list(report.table.columns)
    assert found.table.equals(report.table)
    assert found.table.dtypes.equals(report.table.dtypes)
    undefined = found.table[found.table.value.isna()]
    assert (undefined.note != "").all()
    assert (found.rag is None) == (report.rag is None)
    for name in BESIDE if report.rag is not None else ():
        assert getattr(found.rag, name).equals(getattr(report.rag, name)), name


@pytest.mark.parametrize("task", but_long(list(TASKS), 1))
def test_the_sample_of_a_task_opens_as_it_was_and_follows_the_schema(task):
    names, options = TASKS[task]
    report = evaluate(evalcore.load([SAMPLE / name for name in names]), **options)
    text = metrics_json(report)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(text))
    found = MetricsFile.from_bytes(text.encode())
    same(found, report)
    assert found.data.task == task
    assert found.data.digest == report.data.digest
    assert found.made_by == report.made_by


@pytest.mark.parametrize("name", ["two models", "lists", "no rows", "annotations"])
def test_small_reports_open_as_they_were_and_follow_the_schema(name):
    report = made(name)
    text = metrics_json(report)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(text))
    same(MetricsFile.from_bytes(text.encode()), report)


def test_what_a_file_says_of_its_data_is_what_the_report_said():
    report = made("two models")
    found, said = opened(report), facts(report)
    told = zip(found.data.warnings, said["warnings"], strict=True)
    assert [str(one).endswith(warning["text"][1:]) for one, warning in told] == [True] * len(said["warnings"])
    assert [(one.file, one.column) for one in found.data.warnings] == [
        (one["file"], one["column"]) for one in said["warnings"]
    ]
    assert found.data.sources == report.data.sources
    assert list(found.data.notes) == said["notes"]
    assert set(found.said) >= set(said["options"])
    assert found.said["by"] == "site"


def test_parts_are_the_values_of_one_column_or_of_all_rows():
    report = made("two models")
    found = opened(report)
    assert found.group_columns == ["site"]
    parts = [found.part(""), found.part("site")]
    assert sum(len(part.table) for part in parts) == len(found.table)
    assert {one.group_by for one in parts[1].values()} == {"site"}
    assert parts[0].has_spread


def test_a_metric_that_this_version_does_not_know_keeps_its_value(written):
    document = json.loads(written)
    document["metrics"][0] |= {"family": "elsewhere", "metric": "own", "value": 0.25}
    found = MetricsFile.from_bytes(json.dumps(document).encode())
    assert len(found.table) == len(document["metrics"])
    last = found.values()[-1]
    assert (last.family, last.metric, last.value, last.is_declared) == ("elsewhere", "own", 0.25, False)


def test_a_file_of_before_the_schema_was_named_opens(written):
    document = json.loads(written)
    assert document.pop("schema") == SCHEMA
    assert MetricsFile.from_bytes(json.dumps(document).encode()).table.equals(
        MetricsFile.from_bytes(written).table
    )


def test_a_file_is_known_by_its_content_and_not_by_its_name(written, tmp_path):
    path = tmp_path / "queries.csv"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(json.loads(written), sort_keys=True).encode())
    assert len(MetricsFile.load(path).table)
    (tmp_path / "metrics.json").write_text('{"metrics": []}')
    with pytest.raises(InputError) as error:
        MetricsFile.load(tmp_path / "metrics.json")
    assert [one.code for one in error.value.problems] == ["REP-320"]
    with pytest.raises(InputError) as error:
        MetricsFile.load(tmp_path / "no.json")
    assert [one.code for one in error.value.problems] == ["FILE-001"]


def test_the_schema_names_every_field_that_is_written():
    defined = schema()["$defs"]
    for name, row in ROWS.items():
        of_row = defined[DEFINED[name]]
        assert list(of_row["properties"]) == of_row["required"] == list(get_type_hints(row)), name
    assert set(defined["input"]["properties"]) == {one.name for one in fields(Source)}


FIRST = '"metrics": [\n    {'
WRONG: tuple[Any, ...] = (None, True, -1, 0.5, 3.0, 2**60, "", "a", [], {}, "a" * 100_001)


@pytest.mark.parametrize("name", list(ROWS))
def test_a_row_is_looked_at_as_its_schema_would(name, of_rag):
    """The quick look and the schema give the same answer, whatever stands in whichever field."""
    document = json.loads(metrics_json(of_rag))
    kinds, draw = kinds_of(ROWS[name]), random.Random(1)
    part = {"$ref": f"#/$defs/{DEFINED[name]}", "$defs": schema()["$defs"]}
    validator = jsonschema.Draft202012Validator(part)
    row = document[name][0]
    others = [{**row, field: value} for field in row for value in WRONG]
    others += [{key: row[key] for key in row if key != field} for field in row]
    others += [{**row, "more": 1}, {}, [], None, 1, "a"]
    answers = []
    for one in draw.sample(others, len(others)):
        expected = validator.is_valid(one)
        assert fits(copy.deepcopy(one), kinds, needs_reason=name == "metrics") == expected, one
        answers.append(expected)
    assert {True, False} == set(answers)


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ('"n": ', '"n": NaN, "m": ', "the number NaN"),
        ('"ci_low": null', '"ci_low": -Infinity', "the number -Infinity"),
        ('"ci_low": null', '"ci_low": 1e400', "beyond what float64 holds"),
        ('"ci_low": null', f'"ci_low": {"9" * 1000}', "beyond what float64 holds"),
        ('"ci_low": null', '"ci_low": null, "ci_low": null', "the key 'ci_low' twice in one object"),
        (FIRST, f'"metrics": [ "\\ud800", {FIRST[12:]}', "surrogates not allowed"),
        ('"notes": [', '"notes": [' + "[" * 100_000, "lists and objects within each other"),
        ('"data_sha256": "', '"data_sha256": "0', "found data_sha256: '0"),
        ('"evalcore.metrics/1"', '"evalcore.metrics/2"', "REP-322"),
        ('"evalcore.metrics/1"', "7", "schema: 'evalcore.metrics/1' was expected"),
        ('"family": "classification"', '"family": 1', "metrics/0/family: 1 is not of type 'string'"),
        ('"metric": ', '"other": ', "metrics/0"),
        (FIRST, f'"metrics": [7, {FIRST[12:]}', "metrics/0: 7 is not of type 'object'"),
        ('"settings": []', '"settings": ["ab"]', "options/settings/0: 'ab' is not of type 'array'"),
        ('"task": "evidence"', '"task": "weather"', "reading/task: 'weather' is not one of"),
    ],
)
def test_a_damaged_file_is_told_and_nothing_else_happens(was, now, told, written):
    text = written.decode()
    assert was in text
    lines = refused(text.replace(was, now, 1))
    assert any(told in line for line in lines), lines
    assert all(line.startswith("m.json: found ") for line in lines)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.999])
def test_half_a_file_is_told(share, written):
    (line,) = refused(written[: int(len(written) * share)])
    assert "REP-321" in line or "REP-320" in line


def test_a_digest_that_is_not_that_of_its_inputs_is_told(written):
    document = json.loads(written)
    document["inputs"][0]["sha256"] = "cd" * 32
    (line,) = refused(json.dumps(document))
    assert "data_sha256: a digest that is not that of the inputs" in line


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "another file"),
        (b"[]", "another file"),
        (b'{"evalcore": "1", "data_sha256": "a"}', "another file"),
        (b'{"runs": [{"evalcore": "1", "data_sha256": "a", "metrics": []}]}', "holds such a file within it"),
        (b"post_id,p\na,1\n", "another file"),
        (b"PK\x03\x04" + bytes(200), "another file"),
    ],
)
def test_another_file_is_named(raw, told):
    (line,) = refused(raw)
    assert told in line
    assert "REP-320" in line


def test_a_saved_report_is_named_as_what_it_is():
    (line,) = refused(made("two models").to_bytes(), "r.evalcore")
    assert line.startswith("r.evalcore: found a saved report, expected the metrics of a report")


def test_every_fault_is_told_at_once_up_to_twenty(written):
    document = json.loads(written)
    for row in document["metrics"][:30]:
        row["n"] = -1
    lines = refused(json.dumps(document))
    assert len(lines) == 20
    assert "metrics/19/n: -1 is less than the minimum of 0" in lines[-1]


def test_mutated_files_are_opened_or_refused_with_a_code(written):
    draw = random.Random(3)
    n_refused = 0
    for _ in range(60):
        content = bytearray(written[:6000] + written[-3000:] if draw.random() < 0.2 else written)
        for _ in range(draw.randrange(1, 4)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        found = opened_or_refused(bytes(content))
        n_refused += not isinstance(found, MetricsFile)
        assert found.values() if isinstance(found, MetricsFile) else found <= CODES
    assert n_refused


def test_whole_numbers_may_be_written_with_a_point(written):
    document = json.loads(written)
    document["metrics"][0]["n"] = float(document["metrics"][0]["n"])
    assert MetricsFile.from_bytes(json.dumps(document).encode()).table["n"].dtype == "int64"


def test_an_undefined_value_without_a_reason_is_told(written):
    document = json.loads(written)
    document["metrics"][0] |= {"value": None, "note": ""}
    (line,) = refused(json.dumps(document))
    assert "metrics/0/note" in line
