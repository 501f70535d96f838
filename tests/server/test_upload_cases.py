"""Files as people upload them (after public bug reports): each gets a right value or a right refusal."""

from evalcore import inspect, load
from evalcore.readers import Upload
from tests.support.reading import refused, upload, warned
from tests.support.uploads import CASES

NOTE_DROPPED = (
    "{file}: found the text column 'note'. Post text is not needed: the column was dropped and is kept "
    "nowhere. "
    "[COL-007]"
)


def case(name: str) -> Upload:
    """A case as an upload."""
    return Upload(name, CASES[name])


def test_an_open_quote_is_named_with_line_and_column_and_the_layout_is_found():
    name = "01_semicolon_quote.csv"
    assert refused(case(name)) == [
        f"{name}, line 4, column note: found a quote that is opened and never closed, expected each "
        "quoted field "
        'to end with a quote. Close the quote, or double it ("") where it belongs to the text. [FILE-005]',
        f"{name}: found semicolon between fields and a decimal comma. Both were detected; nothing to do "
        "if the "
        "preview looks right. [FILE-010]",
        NOTE_DROPPED.format(file=name),
    ]
    table = inspect(case(name)).tables[0]
    assert (table.delimiter, table.decimal_mark, table.encoding) == ("semicolon", "comma", "UTF-8")
    assert table.columns == ("query_id", "criterion", "score", "label", "note")
    assert table.preview[0] == ("Q-0001", "C01", "0,91", "1", "…")


def test_a_closed_quote_makes_the_semicolon_file_readable():
    text = CASES["01_semicolon_quote.csv"].replace(b'"open quote never closed', b'"open quote, ""closed"""')
    data = load(upload(text))
    assert data.queries.score.tolist() == [0.91, 0.12, 0.55, 0.08]
    assert data.queries.criterion_ids.tolist() == ["C01", "C02"]
    assert data.facts["unused_columns"] == {"predictions.csv": {"note": "personal text: dropped"}}


def test_bytes_that_are_not_utf8_offer_windows_1252_with_a_preview():
    name = "02_cp1252.csv"
    assert refused(case(name)) == [
        f"{name}, line 2: found bytes that are not UTF-8 (first at byte 56); read as Windows-1252 the "
        "line is "
        "“Q-0001,C01,0.91,1,naïve patient – 50µg”, expected UTF-8 text. Say --encoding cp1252 if that "
        "line is "
        "right, or save the file as UTF-8. [FILE-004]",
        NOTE_DROPPED.format(file=name),
    ]
    data = load(case(name), encoding="cp1252")
    assert data.queries.score.tolist() == [0.91, 0.1]
    assert data.sources[0].format == "CSV, comma, Windows-1252"


def test_other_names_are_suggested_and_mapped_by_hand():
    name = "03_other_names.csv"
    assert refused(case(name)) == [
        f"{name}: found no column for probability among id, prob_eligible, gold, expected the probability of "
        "evidence, from 0 to 1. Name it with --column probability=prob_eligible, or choose it on the Data "
        "page. [COL-001]",
        f"{name}, column gold: found the labels Y and N, expected 0 and 1, or the name of the positive "
        "label. "
        "Say which one means “has evidence”: --positive VALUE, or choose it on the Data page. [QRY-001]",
        f"{name}: found every row as its own post. There is no post or criterion column: rows are treated as "
        "independent. [QRY-010]",
    ]
    table = inspect(case(name)).tables[0]
    assert table.mapping == {"query_id": ("id",), "has_evidence": ("gold",)}
    assert table.suggestions == {"probability": ("prob_eligible",)}
    assert table.labels == {"Y": 2, "N": 2}
    data = load(case(name), columns={"probability": "prob_eligible"}, positive="Y")
    assert data.queries.has_evidence.tolist() == [True, False, True, False]
    assert data.queries.score.tolist() == [0.93, 0.2, 0.71, 0.05]
    assert data.queries.post_ids.tolist() == ["1", "2", "3", "4"]
    assert not data.queries.has_posts
    assert data.positive == "Y"


def test_the_positive_label_and_the_score_are_asked_for_and_never_guessed():
    name = "04_two_prob_columns.csv"
    assert refused(case(name)) == [
        f"{name}: found several columns that could be the probability: p_eligible, p_excluded, expected one. "
        "Name it with --column probability=p_eligible or --column probability=p_excluded, the one of "
        "the positive class, as they add up to 1, or choose it on the Data page. [COL-004]",
        f"{name}, column label: found the labels eligible and excluded, expected 0 and 1, or the name of the "
        "positive label. Say which one means “has evidence”: --positive VALUE, or choose it on the Data "
        "page. "
        "[QRY-001]",
    ]
    for positive, truth in (
        ("eligible", [True, False, True, False]),
        ("excluded", [False, True, False, True]),
    ):
        data = load(case(name), columns={"score": "p_eligible"}, positive=positive)
        assert data.queries.has_evidence.tolist() == truth
        assert data.queries.score.tolist() == [0.9, 0.15, 0.7, 0.05]


def test_percentages_are_named_with_their_rows_and_never_divided_silently():
    name = "05_percent_scores.csv"
    percent = ", expected a probability from 0 to 1. Divide percentages by 100. [QRY-003]"
    junk = "expected a label: Yes or no. Correct the label or leave the row out. [QRY-002]"
    rows = [
        f"{name}, row 5, column label: found unknown, {junk}",
        f"{name}, row 6, column label: found 1, {junk}",
        f"{name}, row 1, column score: found 91%{percent}",
        f"{name}, row 2, column score: found 12%{percent}",
        f"{name}, row 3, column score: found 101%, expected a probability from 0 to 1. Correct the score or "
        "leave the row out. [QRY-003]",
        f"{name}, row 5, column score: found NaN, expected a finite number. Correct the score or leave "
        "the row out. "
        "[QRY-004]",
        f"{name}, row 4, column score: found an empty cell, expected a probability from 0 to 1. Fill the "
        "cell or "
        "leave the row out. [QRY-005]",
    ]
    asked = (
        f"{name}, column label: found the labels Yes and no, expected 0 and 1, or the name of the "
        "positive label. "
        "Say which one means “has evidence”: --positive VALUE, or choose it on the Data page. [QRY-001]"
    )
    assert refused(case(name)) == [asked, *rows]
    assert refused(case(name), positive="yes") == rows


def test_ids_are_text_and_a_repeated_one_is_named():
    name = "06_ids.csv"
    alike = "They are kept as different ids; make sure that they are. [QRY-007]"
    assert refused(case(name)) == [
        f"{name}, row 7, column query_id: found 00017, C01 again; it stands in row 1 already, expected each "
        "(post, criterion) once. Remove one of the two rows. [QRY-006]",
        f"{name}, column query_id: found ids that look alike: “00017” (row 1) and “17” (row 2). {alike}",
        f"{name}, column query_id: found ids that look alike: “1E5” (row 5) and “100000” (row 6). {alike}",
    ]
    data = load(upload(CASES[name].rsplit(b"00017", 1)[0]))
    ids = ["00017", "17", "9007199254740993", "9007199254740992", "1E5", "100000"]
    assert data.queries.post_ids.tolist() == ids
    assert data.queries.post.tolist() == [0, 1, 2, 3, 4, 5]


def test_criteria_called_na_none_and_null_stay_and_blank_lines_are_counted():
    name = "07_na_text.csv"
    data = load(case(name))
    assert data.queries.criterion_ids.tolist() == ["NA", "None", "null"]
    assert data.queries.criterion.tolist() == [0, 1, 2, -1]
    assert data.queries.row.tolist() == [1, 2, 4, 5]
    source = data.sources[0]
    assert (source.n_rows, source.n_used, source.excluded) == (5, 4, {"blank line": 1})
    assert warned(data) == [
        f"{name}: found the empty column 5 without a name. It was left out; a separator at the end of "
        "each line "
        "makes one. [COL-011]",
        f"{name}, column criterion: found an empty criterion in row 5. What has no criterion is kept and "
        "belongs "
        "to none. [QRY-020]",
        f"{name}: found 6 of 9 (post, criterion) cells missing. Nothing is filled in; every rate is over "
        "the 4 "
        "rows present. [QRY-015]",
    ]


def test_one_class_is_read_and_said():
    data = load(case("08_one_class.csv"))
    assert data.queries.has_evidence.all()
    assert warned(data) == [
        "08_one_class.csv: found one class only (every row has evidence). Whatever compares the classes "
        "is not "
        "defined. [QRY-016]"
    ]


def test_two_runs_are_two_models_with_their_shared_queries_counted():
    data = load(case("09_long_two_runs.csv"))
    assert data.queries.models == ("A", "B")
    assert data.queries.model.tolist() == [0, 0, 1, 1]
    assert warned(data) == [
        "09_long_two_runs.csv: found queries that every model has: 1; that only some have: 2. Models are "
        "compared "
        "on the shared queries only. [QRY-025]"
    ]


def test_formulas_html_and_markdown_are_text():
    data = load(case("11_injection.csv"))
    assert data.queries.post_ids.tolist() == [
        '=HYPERLINK("http://example.invalid","x")',
        "+cmd|calc",
        "<img src=x onerror=alert(1)>",
        "@SUM(1)",
    ]
    assert data.queries.criterion_ids.tolist() == ["C01", "C02 **bold** $x$ :red[hi]", "C02"]


def test_scores_keep_every_bit():
    data = load(case("12_ties.csv"))
    assert data.queries.score.tolist() == [0.2, 0.2, 0.2, 0.8, 0.8, 1.0, 0.0, 0.3, 0.30000000000000004]
    assert data.queries.score[7] != data.queries.score[8]


def test_a_workbook_called_csv_is_told_by_its_bytes():
    name = "13_not_a_csv.csv"
    wanted = [
        f"{name}: found a ZIP archive or an Excel workbook (.xlsx), expected CSV, Parquet, JSON Lines or "
        "Feather, "
        "or one of these compressed with gzip or zstd. Unpack it, or save the sheet as CSV (UTF-8). "
        "[FILE-003]"
    ]
    assert refused(case(name)) == wanted
