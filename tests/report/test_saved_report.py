"""A report saved as one file: the same table, files and figures again, without a row; hostile files."""

import io
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore import Report, evaluate
from evalcore.__main__ import main
from evalcore.data import Source
from evalcore.evaluation.saved import archive
from evalcore.evaluation.saved.archive import packed, unpacked
from evalcore.kernels.policy import Policy
from evalcore.problems import InputError, problem
from evalcore.report import drawings, report_files
from evalcore.tallies.flaws import KEPT
from evalcore.tallies.unit_scores import UnitScores
from tests.evaluation.test_any_split import cut, made, two_models
from tests.rag.test_rag_gather import part_of, said_of
from tests.report.test_from_tallies import lists_of
from tests.support.but_long import but_long
from tests.support.made.evidence import make_queries

SAMPLE = Path(__file__).parents[2] / "sample_data"
SOURCE = Source("rows.csv", "queries", "ab" * 32, 9, 50, 48, {"no label": 2}, {"score": "p"}, "CSV")


def lists_and_rows():
    numbers = {"selected_k": [1, 2, 3] * 4, "tau_neg": [0.2] * 12, "tau_pos": [0.8] * 12}
    posts = [f"q{at}" for at in range(12)]
    rows = make_queries([1, 0] * 6, [0.9, 0.1] * 6, posts=posts, numbers=numbers)
    return lists_of().with_tables(queries=rows)


def annotated():
    said = said_of(30)
    return part_of(said, list(said))


DATA = {
    "two models": (two_models, {"by": ("site",), "cluster": "site", "bootstrap": 100, "seed": 3}),
    "further settings": (two_models, {"settings": (("classification.tpr_at_fpr", (("fpr", 0.2),)),)}),
    "one pair of thresholds": (two_models, {"tau_neg": 0.2, "tau_pos": 0.6, "undefined": "contract"}),
    "by state": (two_models, {"by": ("state", "criterion"), "tau_neg": 0.2, "tau_pos": 0.6}),
    "lists": (lists_of, {"ks": (1, 3), "ties": "expected"}),
    "lists with a policy": (lists_of, {"policy": Policy("fixed", k=2, ratio="0.29"), "ties": "stable"}),
    "lists and rows": (lists_and_rows, {"policy": Policy("mass", gamma=0.9), "ties": "expected"}),
    "no rows": (lambda: made(make_queries([], [])), {}),
    "annotations": (annotated, {"bootstrap": 100, "by": ("language", "annotator")}),
}


def report_of(name: str) -> Report:
    make, options = DATA[name]
    warnings = (problem("QRY-007", file="rows.csv", column="post_id", found="secret-1, SECRET-1"),)
    return evaluate(replace(make(), sources=(SOURCE,), warnings=warnings, notes=("A note.",)), **options)


@pytest.fixture(scope="module", params=DATA)
def report(request) -> Report:
    return report_of(request.param)


@pytest.fixture(scope="module")
def saved() -> bytes:
    return report_of("lists and rows").to_bytes()


@pytest.fixture(scope="module", params=but_long(["lists and rows", "annotations"], 1))
def any_saved(request) -> bytes:
    return report_of(request.param).to_bytes()


def test_a_saved_report_opens_with_the_same_table_files_and_figures(report, tmp_path):
    path = report.save(tmp_path / "r.evalcore")
    found = Report.load(path)
    assert found.data.tables == {}
    assert report.gathered.annotations is None or found.gathered.said.record_ids.dtype == np.uint64
    assert found.options == report.options
    assert found.table.equals(report.table)
    assert found.table.dtypes.equals(report.table.dtypes)
    assert report_files(found, thresholds_of="b") == report_files(report, thresholds_of="b")
    figures = [[one.draw(dark=True).plotly().to_json() for one in drawings(of)] for of in (found, report)]
    assert figures[0] == figures[1]


def test_the_same_report_makes_the_same_bytes_however_often_it_was_saved(report):
    raw = report.to_bytes()
    assert report.to_bytes() == raw
    assert Report.from_bytes(raw).to_bytes() == raw


def test_the_lists_of_the_sample_open_with_the_same_files():
    data = evalcore.load([SAMPLE / "candidates.parquet"])
    report = evaluate(data, policy=Policy("mass", gamma=0.9))
    assert report_files(Report.from_bytes(report.to_bytes())) == report_files(report)


@pytest.mark.parametrize("n", [2, 5])
def test_parts_save_the_bytes_of_the_whole(n):
    data = replace(two_models(), sources=(SOURCE,))
    options = {"by": ("site",), "cluster": "site"}
    assert evaluate(cut(data, n), **options).to_bytes() == evaluate(data, **options).to_bytes()


def test_a_saved_report_says_which_version_computed_it(saved):
    found = Report.from_bytes(changed(saved, lambda document, _: document.update(evalcore="0.0.7")))
    assert found.made_by == "0.0.7"
    assert b'"evalcore": "0.0.7"' in report_files(found)["metrics.json"]


def test_no_id_and_no_text_of_a_row_is_in_the_file():
    posts = ["secret-post-1", "secret-post-2"]
    rows = make_queries([1, 0], [0.9, 0.1], posts=posts, slices={"author": ["secret-a", "secret-b"]})
    state = {"found": "NEG", "tau_neg": 0.1, "tau_pos": 0.9, "p": 0.3, "expected": "POS"}
    warnings = (
        problem("QRY-007", file="rows.csv", column="post_id", found="secret-post-1, SECRET-POST-1"),
        problem("QRY-011", row=3, column="state", **state),
    )
    raw = evaluate(replace(made(rows), warnings=warnings)).to_bytes()
    assert b"secret" not in raw.lower()
    assert [(one.row, one.line) for one in Report.from_bytes(raw).data.warnings] == [(None, None)] * 2


def test_no_record_and_no_annotator_is_named_where_the_report_names_none():
    said = said_of(30)
    data = part_of(said, list(said))
    responses = data.annotations.responses["retrieval"]
    note = np.zeros(len(responses), np.intp), ("secret remark",)
    noted = replace(responses, slices={**responses.slices, "remark": note})
    all_of = {**data.annotations.responses, "retrieval": noted}
    data = data.with_tables(annotations=replace(data.annotations, responses=all_of))
    names = [*(f'"{word}{at}"' for word in "qc" for at in range(30)), '"x"', '"y"', '"z"', "secret"]
    raw = evaluate(data, by=("language",)).to_bytes()
    assert [name for name in names if name.encode() in raw] == []
    assert b'"annotator 1"' in raw
    raw = evaluate(data, by=("annotator",)).to_bytes()
    assert [name for name in names if name.encode() in raw] == ['"x"', '"y"', '"z"']


def changed(raw: bytes, change) -> bytes:
    """The file after a change of its document and columns."""
    document, columns = unpacked(raw, None)
    columns = {name: np.array(column) for name, column in columns.items()}
    change(document, columns)
    return packed(document, columns)


def code_beyond(_, columns):
    columns["queries/criterion"][0] = 9


def beyond_its_list(_, columns):
    columns["rankings/lists/reranked/ranked/rank"][:] = 100


def nan_score(_, columns):
    columns["queries/score"][3] = np.nan


def too_short(_, columns):
    columns["queries/has_evidence"] = columns["queries/has_evidence"][:-1]


def another_kind(_, columns):
    columns["queries/posts/code"] = columns["queries/posts/code"].astype(float)


def lacking(_, columns):
    del columns["rankings/lists/reranked/pairs/score"]


def left_over(_, columns):
    columns["queries/text"] = np.zeros(3)


def no_probability(_, columns):
    columns["queries/score"][0] = 1.5


def turned(_, columns):
    columns["rankings/posts/hashed"] = columns["rankings/posts/hashed"][::-1]


def others_golds(_, columns):
    columns["rankings/lists/reranked/ranked/n_gold"][:] = 1


def unknown_metric(document, _):
    document["tables"]["values"]["levels"]["metric"][0] = "nobodys"


def twice(document, _):
    document["tallies"]["queries"]["models"] *= 2


def without_levels(document, _):
    del document["tables"]["values"]["levels"]["note"]


def many_replicates(document, _):
    document["options"]["bootstrap"] = 10**9


def one_threshold(document, _):
    document["options"]["tau_neg"] = 0.5


def unknown_warning(document, _):
    document["data"]["warnings"][0]["code"] = "QRY-999"


def turned_thresholds(_, columns):
    columns["queries/numbers/tau_neg"][0] = 0.9


HOSTILE = {
    code_beyond: "queries/criterion: 9, expected a whole number from -1 to 0",
    beyond_its_list: "rankings/lists/reranked/ranked: a place beyond its list, expected places in the list",
    nan_score: "queries/score: a number that is not finite, expected finite numbers",
    too_short: "queries/has_evidence: 11 values of bool, expected 12 flags",
    another_kind: "queries/posts/code: 12 values of float64, expected 12 whole numbers",
    lacking: "rankings/lists/reranked/pairs/score: nothing, expected 18 numbers",
    left_over: "queries/text: a column that belongs to nothing, expected only what is named",
    no_probability: "queries/score: another number, expected numbers from 0 to 1",
    turned: "rankings/posts/hashed: hashes in another order, expected each once, ascending",
    others_golds: "reranked/ranked: golds of other queries, expected n_gold golds of each query",
    unknown_metric: "nobodys, expected metrics of this version",
    twice: "queries/models: a name twice, expected each name once",
    without_levels: "tables, values: no levels of note, expected levels of every text",
    many_replicates: "bootstrap = 1,000,000,000, expected at most",
    one_threshold: "options: only one of τ_neg and τ_pos, expected both thresholds or none",
    unknown_warning: "report.json, warnings: QRY-999, expected a code of this version",
    turned_thresholds: "queries/numbers/tau_neg: a threshold above tau_pos, expected tau_neg ≤ tau_pos",
}


def another_label(document, columns):
    labels = document["tallies"]["annotations"]["parts"][0]["responses"]["retrieval"]["labels"]
    labels["helpful"] = labels.pop("misleading")
    place = "annotations/parts/0/responses/retrieval/labels"
    columns[f"{place}/helpful"] = columns.pop(f"{place}/misleading")


def beyond_the_records(_, columns):
    columns["annotations/parts/0/responses/retrieval/record"][0] = 99


def said_what(_, columns):
    columns["annotations/parts/0/responses/generation/labels/helpful"][0] = 2


def one_hash_twice(_, columns):
    columns["annotations/parts/0/record_ids"][0] = columns["annotations/parts/0/record_ids"][1]


OF_ANNOTATIONS = {
    another_label: "annotations/responses/retrieval/labels: another label, expected labels of retrieval",
    beyond_the_records: "annotations/responses/retrieval/record: 99, expected a whole number from 0 to 29",
    said_what: "annotations/responses/generation/labels/helpful: 2, expected a whole number from -1 to 1",
    one_hash_twice: "annotations/record_ids: a hash twice, expected each hash once",
}


@pytest.mark.parametrize(
    ("change", "said"), but_long(OF_ANNOTATIONS.items(), 2), ids=lambda one: getattr(one, "__name__", "")
)
def test_annotations_that_do_not_agree_with_themselves_are_refused(change, said):
    with pytest.raises(InputError) as caught:
        Report.from_bytes(changed(report_of("annotations").to_bytes(), change))
    assert said in str(caught.value)


@pytest.mark.parametrize(("change", "said"), HOSTILE.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_a_file_that_does_not_agree_with_itself_is_refused(saved, change, said):
    with pytest.raises(InputError) as caught:
        Report.from_bytes(changed(saved, change), file="r.evalcore")
    assert said in str(caught.value)


def test_a_file_with_any_column_cut_by_a_value_is_refused(any_saved):
    document, columns = unpacked(any_saved, None)
    cut = [name for name, column in columns.items() if len(column)]
    opened = [name for name in cut if not refused(packed(document, {**columns, name: columns[name][1:]}))]
    assert (opened, len(cut) > 50) == ([], True)


def arrays_in(facts):
    """The facts of every array of tallies."""
    if isinstance(facts, dict) and set(facts) == {"kind", "shape"}:
        yield facts
    elif isinstance(facts, dict | list):
        for one in facts.values() if isinstance(facts, dict) else facts:
            yield from arrays_in(one)


@pytest.mark.parametrize("shape", but_long([[1, -1], "turned", [], "two"], 1))
def test_a_file_with_any_array_of_another_shape_is_refused(any_saved, shape):
    n_arrays = len(list(arrays_in(unpacked(any_saved, None)[0]["tallies"])))
    assert n_arrays > 30
    for at in range(n_arrays):
        document, columns = unpacked(any_saved, None)
        facts = list(arrays_in(document["tallies"]))[at]
        if facts["shape"] != [0]:
            n = facts["shape"][0]
            facts["shape"] = {"two": [n, 1], "turned": [1, n]}.get(str(shape), shape)
            assert refused(packed(document, columns)) == {"REP-291"}, at


def test_a_kind_that_looks_at_what_does_not_fit_refuses_the_file(saved, monkeypatch):
    monkeypatch.setattr(UnitScores, "flaws", lambda *_: iter([np.zeros(2)[9]]))
    with pytest.raises(InputError, match=r"queries: what does not fit together \(IndexError\), expected one"):
        Report.from_bytes(saved)


def test_everything_that_is_wrong_is_said_at_once(saved):
    def both(document, columns):
        code_beyond(document, columns)
        nan_score(document, columns)

    with pytest.raises(InputError) as caught:
        Report.from_bytes(changed(saved, both), file="r.evalcore")
    assert [str(one) for one in caught.value.problems] == [
        f"r.evalcore: found {fault}. The file is damaged or was changed: save the report again, or ask for "
        "the original."
        for fault in (HOSTILE[code_beyond], HOSTILE[nan_score])
    ]


def test_a_newer_file_names_the_version_that_opens_it(saved):
    newer = changed(saved, lambda document, _: document.update(schema="evalcore.report/3", evalcore="9.1"))
    with pytest.raises(InputError) as caught:
        Report.from_bytes(newer, file="r.evalcore")
    assert str(caught.value) == (
        "r.evalcore: found a saved report of schema evalcore.report/3, expected evalcore.report/2. Open it "
        "with the version of this program that saved it: 9.1, or a newer one. [REP-292]"
    )


def rezipped(raw: bytes, *, kind: int = zipfile.ZIP_STORED, **more: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.infolist():
            first = one.filename == "mimetype"
            new.writestr(one.filename, old.read(one), zipfile.ZIP_STORED if first else kind)
        for name, content in more.items():
            new.writestr(name, content)
    return out.getvalue()


def half_a_character(raw: bytes) -> bytes:
    """The file with the half of a pair of surrogates, which no UTF-8 can say, in a text."""
    with zipfile.ZipFile(io.BytesIO(raw)) as old:
        text = old.read("report.json")
    assert b'"A note."' in text
    document = text.replace(b'"A note."', b'"\\ud800"')
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.infolist():
            new.writestr(one.filename, document if one.filename == "report.json" else old.read(one))
    return out.getvalue()


def bomb() -> bytes:
    """A column that claims to be a thousand times as long as it is."""
    raw = io.BytesIO()
    np.lib.format.write_array(raw, np.zeros(10**6), version=(1, 0))
    return raw.getvalue()[:200]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (lambda raw: raw[: len(raw) // 2], "REP-291"),
        (lambda raw: rezipped(raw, kind=zipfile.ZIP_DEFLATED), "REP-291"),
        (lambda raw: rezipped(raw, huge=bomb()), "REP-291"),
        (lambda raw: rezipped(raw, object=b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}"), "REP-291"),
        (lambda raw: raw.replace(b'"n_bytes": 9', b'"n_bytes": "'), "REP-291"),
        (half_a_character, "REP-291"),
        (lambda _: b"", "REP-290"),
        (lambda _: b"post_id,score\n1,0.5\n", "REP-290"),
        (lambda raw: rezipped(raw)[60:], "REP-290"),
        (lambda _: packed([1], {}), "REP-291"),
        (lambda _: packed({"schema": 3}, {}), "REP-291"),
    ],
)
def test_a_damaged_file_or_another_is_refused_by_name(saved, content, code):
    with pytest.raises(InputError) as caught:
        Report.from_bytes(content(saved), file="r.evalcore")
    assert {one.code for one in caught.value.problems} == {code}
    assert {one.file for one in caught.value.problems} == {"r.evalcore"}


def test_no_file_is_said(tmp_path):
    with pytest.raises(InputError, match="FILE-001"):
        Report.load(tmp_path / "r.evalcore")


def test_changed_bytes_are_refused_or_open(any_saved):
    rng, n_refused = random.Random(5), 0
    for _ in range(300):
        raw = bytearray(any_saved)
        for at in rng.sample(range(len(raw)), rng.choice((1, 3))):
            raw[at] = rng.randrange(256)
        content = bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.2 else raw)
        found = refused(content)
        assert found <= {"REP-290", "REP-291", "REP-292"}
        n_refused += bool(found)
    assert n_refused > 200


def refused(content: bytes) -> set[str]:
    """The codes for which a file is refused; none where it opens."""
    try:
        Report.from_bytes(content)
    except InputError as error:
        return {one.code for one in error.problems}
    return set()


WEIRD = (
    None,
    -1,
    0,
    1,
    2**40,
    10**400,
    1e308,
    0.5,
    True,
    "",
    "x",
    "\ud800",
    [],
    {},
    ["a", "a"],
    [[]],
    {"n": 1},
)


def test_changed_facts_and_columns_are_refused_or_give_a_report(any_saved):
    rng = random.Random(6)
    n_opened = 0

    def weird(document, columns):
        place = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
                place = place[key]
            else:
                place[key] = rng.choice(WEIRD)
                break
        name = rng.choice(list(columns))
        if rng.random() < 0.5 and len(columns[name]):
            columns[name][rng.randrange(len(columns[name]))] = rng.choice((0, 1, 2, 120))

    for _ in range(150):
        try:
            content = changed(any_saved, weird)
        except UnicodeEncodeError:
            continue
        try:
            report = Report.from_bytes(content)
        except InputError:
            continue
        n_opened += 1
        report_files(report)
        if report.gathered.annotations is not None:
            evaluate(report.unnamed_data)
    assert n_opened


def test_a_saved_report_replaces_its_like_and_nothing_else(saved, tmp_path):
    report, path = Report.from_bytes(saved), tmp_path / "r.evalcore"
    report.save(path)
    report_of("two models").save(path)
    assert Report.load(path).options.bootstrap == 100
    path.write_bytes(b"something of somebody else's")
    with pytest.raises(FileExistsError, match="a file from elsewhere"):
        report.save(path)
    report.save(path, overwrite=True)
    assert path.read_bytes() == saved


def test_the_command_line_saves_a_report_and_writes_its_files_again(tmp_path, capsys):
    rows, kept = tmp_path / "rows.csv", tmp_path / "r.evalcore"
    rows.write_text("post_id,has_evidence,probability\na,1,0.9\nb,0,0.2\nc,1,0.4\n")
    first, second = (str(tmp_path / name) for name in ("first", "second"))
    assert main(["evaluate", str(rows), "--out", first, "--save", str(kept)]) == 0
    assert main(["report", str(kept), "--out", second]) == 0
    names = sorted(path.name for path in Path(first).iterdir())
    assert [(Path(first) / name).read_bytes() for name in names] == [
        (Path(second) / name).read_bytes() for name in names
    ]
    capsys.readouterr()
    assert main(["evaluate", str(rows)]) == 0
    printed = capsys.readouterr().out
    assert main(["report", str(kept)]) == 0
    told = capsys.readouterr()
    assert told.out == printed
    assert "rows.csv: 3 rows in, 3 used" in told.err


def test_the_command_line_never_saves_over_what_it_reads(tmp_path, capsys):
    rows, kept = tmp_path / "rows.csv", tmp_path / "metrics.csv"
    rows.write_text("post_id,has_evidence,probability\na,1,0.9\nb,0,0.2\n")
    before = rows.read_bytes()
    assert main(["evaluate", str(rows), "--save", str(rows), "--overwrite"]) == 2
    assert "found --save" in capsys.readouterr().err
    assert rows.read_bytes() == before
    evaluate(evalcore.load([rows])).save(kept)
    assert main(["report", str(kept), "--out", str(tmp_path), "--overwrite"]) == 2
    assert "which is read too" in capsys.readouterr().err


def test_a_saved_report_given_as_data_is_named(saved, tmp_path, capsys):
    (tmp_path / "r.evalcore").write_bytes(saved)
    assert main(["evaluate", str(tmp_path / "r.evalcore")]) == 2
    assert "found a saved report, which this program wrote" in capsys.readouterr().err


FORGOTTEN = {
    "drawn_by": lambda one: replace(one, drawn_by=None),
    "numbers": lambda one: replace(one, numbers={}),
    "scored": lambda one: replace(
        one, lists={name: replace(of, scored=None) for name, of in one.lists.items()}
    ),
}


@pytest.mark.parametrize(
    ("of", "name", "table"),
    [
        ("drawn_by", "two models", "queries"),
        ("numbers", "lists and rows", "queries"),
        ("scored", "lists with a policy", "rankings"),
    ],
)
def test_a_tally_that_is_not_kept_whole_is_seen_in_the_figures(of, name, table, monkeypatch):
    def forgetful(tally, _):
        return FORGOTTEN[of](tally) if KEPT[table] is type(tally) else tally

    report = report_of(name)
    whole = report_files(report)
    assert report_files(Report.from_bytes(report.to_bytes())) == whole
    monkeypatch.setattr(evalcore.evaluation.saved, "unnamed", forgetful)
    assert report_files(Report.from_bytes(report.to_bytes()))["report.html"] != whole["report.html"]


def test_every_column_of_the_file_is_one_that_numpy_reads(saved):
    with zipfile.ZipFile(io.BytesIO(saved)) as members:
        names = [name for name in members.namelist() if name.endswith(".npy")]
        first = {name: np.load(io.BytesIO(members.read(name)), allow_pickle=False) for name in names}
    _, columns = archive.unpacked(saved, None)
    assert {name.removesuffix(".npy"): one.tobytes() for name, one in first.items()} == {
        name: one.tobytes() for name, one in columns.items()
    }
