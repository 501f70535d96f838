"""Text of a file is shown as it is written on every page: no element reads it as Markdown or HTML."""

from pathlib import Path

import pandas as pd
import pytest

from evalcore.problems import problem
from evalcore.text.legible import legible
from evalcore.text.numerals import number
from pages.shared import widgets
from pages.shared.written import as_html, as_markdown, in_options
from tests.support.page_texts import Source

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").rglob("*.py"))

# What is handed over and comes from no file, though its source does not show it: with the reason.
OWN = {
    "pages/common/reference.py": {
        *(
            "declared.summary",
            "declared.key",
            "declared.label",
            "declared.family",
            "family.upper()",
            "caution",
        ),
        # written in the declarations of metrics, with their Markdown
    },
    "pages/common/data.py": {
        *("PAGES[task].start_title", "PAGES[task].values_title", "PAGES[task].in_use"),  # of a task
        "memo.remember('saved_files', key, lambda: report_files(found))",  # names of the files of a report
    },
    "pages/server/serving.py": {
        *("error", "server_util.get_url(f'[{shown}]' if ':' in shown else shown)"),
        # to the terminal, not to a page
    },
    "pages/server/requests.py": {"'\\r\\n'.join([*head, '', text]).encode()"},  # to a socket, not to a page
    "pages/evidence/report.py": {"files"},  # names of the files that a report has
    "pages/recommender/recommender_users.py": {"unit"},  # users or items
    "pages/shared/data/files.py": {"st.session_state.get(slot, ((), {}))"},  # likewise
    "pages/shared/choices/numbers.py": {"label", "shown"},  # checked where it is called
    "pages/shared/choices/options.py": {"label", "shown", "options"},  # likewise
    "pages/shared/lists/failure_filters.py": {"label", "shown"},  # checked where it is called
    "pages/shared/data/formats.py": {"kind.name"},  # a declared kind of table
    "pages/shared/point/exporting.py": {"label"},  # of a field, ours
    "pages/shared/point/path.py": {
        *("_said(steps, data, state)", "line_of(steps)", "one.state"),  # HTML of parts that are escaped
        "{one.name: ' '.join(map(as_html, one.why)) for one in steps}",
    },
    "pages/shared/point/status.py": {
        "target.sentence",  # HTML of parts that are checked
        "re.sub('(?<=[0-9]) (?=%)', '\\xa0', standing.html)",
    },
    "pages/shared/data/questions.py": {"role.role", "role.meaning"},  # a declared column
    "pages/shared/widgets.py": {"body", "label"},  # checked where it is called
}


@pytest.mark.parametrize("file", ["app.py", *PAGES])
def test_no_page_hands_text_of_a_file_to_markdown_or_html(file: str) -> None:
    found = Source((ROOT / file).read_text(encoding="utf-8"), file).unsafe()
    own = OWN.get(file, set())
    assert [str(one) for one in found if one.source not in own] == []
    assert own <= {one.source for one in found}, "what is no longer handed over needs no reason"


@pytest.mark.parametrize(
    "line",
    [
        "st.markdown(name)",
        'st.header(f"By {name}")',
        'st.header("By " + name)',
        'left.info(" ".join([name, "is bad"]))',
        "st.button(label=name)",
        'st.button("Go", help=name)',
        'st.page_link(FAILURES, label=f"Failures of {name}")',
        "st.tabs([name])",
        'st.segmented_control("By", names)',
        'st.segmented_control("By", options=names)',
        'st.radio("By", NAMES, format_func=lambda one: f"{one}!")',
        'choices.segmented("By", "by", names, NOTHING)',
        "bar.progress(0.5, name)",
        "st.expander(shown)",
        "st.expander(title_of(name))",
        "st.write(frame)",
        "st.markdown(as_html(name))",
        "st.html(as_markdown(name))",
        'widgets.html(f"<b>{name}</b>")',
        "widgets.html(name)",
        'said = f"<li>{name}</li>"',
        "list(map(st.markdown, names))",
        'st.markdown("x", **options)',
        'st.markdown("x", unsafe_allow_html=is_html)',
        "st.table(frame)",
        "st.column_config.LinkColumn()",
        'st.column_config.TextColumn("x", help=name)',
        'st.markdown(f"{name:.3}")',
        "[st.caption(one) for one in names]",
    ],
)
def test_what_would_hand_over_text_of_a_file_is_found(line: str) -> None:
    text = f"""
def title_of(name):
    return f"About {{name}}"

def show(name, names, frame, options, is_html, left, bar):
    shown = f"About {{name}}"
    {line}
"""
    assert Source(text, "planted.py").unsafe()


@pytest.mark.parametrize(
    "line",
    [
        'st.markdown(f"**By {as_markdown(name)}**, {len(name)} letters, {n:,} rows, {share:.1%}")',
        "st.expander(shown)",
        'st.segmented_control("By", names, format_func=as_markdown)',
        'st.selectbox("By", names)',
        'st.number_input("By", value=name, placeholder=name, key=name)',
        "st.tabs([as_markdown(one) for one in names])",
        'widgets.html(f"<b>{as_html(name)}</b>")',
        "st.caption(NOTHING[name])",
    ],
)
def test_text_that_is_written_as_it_should_be_passes(line: str) -> None:
    text = f'def show(name, names, n, share):\n    shown = "a" if n else as_markdown(name)\n    {line}\n'
    assert Source(text, "planted.py").unsafe() == []


def test_syntax_in_a_name_is_preceded_by_a_backslash() -> None:
    assert as_markdown("![x](a.png)") == r"!\[x\](a.png)"
    assert as_markdown("$x$ `c` :red[d] <b> &amp; a_b _c_ | *i* ~s~") == (
        r"\$x\$ \`c\` \:red\[d\] \<b> \&amp; a_b \_c\_ \| \*i\* \~s\~"
    )
    assert list(map(as_markdown, ("- a", "+ a", "# a", "> a", "1. a", "12) a", "\\"))) == [
        *(r"\- a", r"\+ a", r"\# a", r"\> a", r"1\. a", r"12\) a", r"\\"),
    ]
    assert as_markdown("n = 3, 0.5 (95 %): a - b & c") == "n = 3, 0.5 (95 %): a - b & c"


def test_addresses_shortcodes_and_arrows_of_a_name_are_broken() -> None:
    broken = {
        "http://a.b": "http\\:\u2060//a.b",
        "WWW.a.b": "WWW\u2060.a.b",
        "me@a.b": "me\u2060@a.b",
        ":smile:": "\\:\u2060smile\\:",
        ":material/home:": r"\:material\/home\:",
        "a -> b": "a -\u2060> b",
        "a >= b": "a >\u2060= b",
    }
    assert {text: as_markdown(text) for text in broken} == broken


def test_a_name_stays_on_one_line_with_all_its_spaces() -> None:
    assert as_markdown("a\nb\tc") == "a b c"
    assert as_markdown("    a  b ") == "\u00a0\u00a0\u00a0\u00a0a \u00a0b\u00a0"


def test_signs_that_turn_the_direction_are_seen_and_other_scripts_are_isolated() -> None:
    assert as_html("<\u202e>") == "&lt;\ufffd&gt;"
    assert as_markdown("a\u202eb") == "a\ufffdb"
    word = "\u05e9\u05dc\u05d5\u05dd"
    assert as_html(f"{word}: 12 rows") == f"\u2068{word}\u2069: 12 rows"
    assert legible(f"{word} {word}, 3 {word}") == f"\u2068{word} {word}\u2069, 3 \u2068{word}\u2069"


def test_joiners_soft_hyphens_and_other_spaces_stay() -> None:
    text = "a\u200db a\u200cb a\u00adb 95\u00a0% a\u2060b a\u200bb \U0001f469\u200d\U0001f52c"
    assert legible(text) == text


def test_text_is_made_legible_once_however_often_it_is_asked_for() -> None:
    for text in ("\u05d0 1", "\u2068\u05d0\u2069", "\u2068x\u202e\u2069 \u05d0", "\x1b[31m\x00\n\ud800"):
        assert legible(legible(text)) == legible(text)
    assert legible("\x1b[31m\x00\n\ud800") == "\ufffd[31m\ufffd\n\ufffd"


def test_options_stay_apart_where_only_unseen_signs_tell_them_apart() -> None:
    assert in_options(["yes", "no\u202e"]) == {"yes": "yes", "no\u202e": "no\ufffd"}
    assert in_options(["no\u202d", "no\u202e"]) == {"no\u202d": r"no\u202d", "no\u202e": r"no\u202e"}


def test_a_problem_prints_no_sign_that_acts_on_a_terminal_or_on_its_neighbours() -> None:
    found = problem("QRY-003", file="a\x1b[2J.csv", column="b\u202ec", found="x\u2028y", advice="")
    assert str(found).startswith("a\ufffd[2J.csv, column b\ufffdc: found x\ufffdy")


def test_numbers_of_a_table_are_written_and_counts_beside_them_with_their_thousands():
    frame = pd.DataFrame({"recall": [0.0502, float("nan")], "P90 K": [2.0, 10.0], "workload": [34016, 7]})
    lines = widgets.written(frame, {"recall": number}).to_string(delimiter="|").split("\n")
    assert [line.split("|")[1:] for line in lines[1:3]] == [["0.0502", "2", "34,016"], ["n/a", "10", "7"]]
