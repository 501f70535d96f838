"""What a notebook shows: escaped, small, without a script or colours of its own; the explorer in a frame."""

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.compare import compare
from evalcore.notebook import LONGEST, view
from evalcore.operating_point import point_from_thresholds
from evalcore.problems import InputError
from evalcore.readers.inputs import Upload

ROOT = Path(__file__).resolve().parents[2]
TEN_ROWS = ROOT / "sample_data" / "small" / "ten_rows.csv"
HOSTILE = "<script>alert(1)</script>\u202e\"'>"


class Tags(HTMLParser):
    """The tags of a page, with their attributes, and its text."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def read(page: str) -> Tags:
    """The page as a browser takes it apart."""
    parser = Tags()
    parser.feed(page)
    return parser


def rows(model: str, n: int = 60) -> bytes:
    """Rows of two models, one of which is called as the test wants."""
    lines = ["post_id,criterion_id,model,has_evidence,probability"]
    for name, shift in ((model, 0.0), ("other", 0.3)):
        for at in range(n):
            p = ((at * 37) % n + 1) / (n + 2) * (1 - shift) + shift * (at % 3 == 0)
            lines.append(f'p{at},A.1,"{name}",{int(at % 3 == 0)},{p}')
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def hostile():
    """Data whose file and model are called what a page must not run."""
    name = HOSTILE.replace('"', '""')
    return evalcore.load(Upload(f"{HOSTILE}.csv", rows(name)))


def shown(data):
    """Each object that has a view."""
    yield evalcore.evaluate(data, tau_neg=0.2, tau_pos=0.7)
    yield point_from_thresholds(data, 0.2, 0.7, title=HOSTILE, author=HOSTILE)
    yield compare(data, bootstrap=100, permutations=0)


def test_views_are_text_and_tables_only(hostile):
    for one in shown(hostile):
        found = read(one._repr_html_())
        assert {tag for tag, _ in found.tags} <= {
            "div",
            "strong",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
        }
        for _, attributes in found.tags:
            assert set(attributes) <= {"style"}
            assert not re.search(r"url|(?<!-)color:|background", attributes.get("style", ""))
        assert "\u202e" not in "".join(found.texts)
        assert "alert(1)" in "".join(found.texts), "a hostile name is shown, as text"


def test_a_report_shows_values_with_their_intervals_and_how_many_there_are():
    report = evalcore.evaluate(evalcore.load(TEN_ROWS), tau_neg=0.1, tau_pos=0.7)
    text = " ".join(read(report._repr_html_()).texts)
    assert f"of {len(report.table):,} shown" in text
    assert f"{report.value('classification.auroc'):.4f}" in text
    assert len(report._repr_html_()) < 40_000


def test_a_point_shows_its_rule_its_hash_and_every_claim():
    point = point_from_thresholds(evalcore.load(TEN_ROWS), 0.1, 0.7)
    text = " ".join(read(point._repr_html_()).texts)
    assert "skip below 0.1, alert from 0.7" in text
    assert point.document["content_sha256"] in text
    for claim in point.document["claims"]:
        assert claim["verdict"] in text
    nothing = point_from_thresholds(evalcore.load(TEN_ROWS), None, 0.7)
    assert "skip below no score" in nothing._repr_html_()


def test_a_comparison_shows_the_difference_with_its_interval(hostile):
    found = compare(hostile, bootstrap=100, permutations=0)
    text = " ".join(read(found._repr_html_()).texts)
    (row,) = found.of("classification.auroc").to_dict("records")
    assert f"{row['difference']:.4f} ({row['ci_low']:.4f} to {row['ci_high']:.4f})" in text


def test_a_long_text_is_cut():
    assert len(view("x" * 10_000, {})) < LONGEST + 200


def test_the_explorer_is_the_file_of_the_command(tmp_path):
    out = tmp_path / "explorer.html"
    assert main(["explore", str(TEN_ROWS), "--tau-neg", "0.1", "--tau-pos", "0.7", "--out", str(out)]) == 0
    explorer = evalcore.explore(evalcore.load(TEN_ROWS), tau_neg=0.1, tau_pos=0.7)
    assert explorer.page.encode() == out.read_bytes()
    assert re.search(r'"tau_neg": "0.1", "tau_pos": "0.7"', explorer.page), "where the handles stand at first"
    assert explorer.save(tmp_path / "again.html").read_bytes() == out.read_bytes()
    ((tag, attributes),) = read(explorer._repr_html_()).tags
    assert tag == "iframe"
    assert attributes["sandbox"].split() == ["allow-scripts", "allow-downloads"]
    assert attributes["srcdoc"].encode() == out.read_bytes()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', explorer._repr_html_())[1]) == explorer.page


def test_the_explorer_takes_a_document(tmp_path):
    data = evalcore.load(TEN_ROWS)
    point = point_from_thresholds(data, 0.1, 0.7)
    path = point.save(tmp_path / "point.json")
    out = tmp_path / "explorer.html"
    assert main(["explore", str(TEN_ROWS), "--point", str(path), "--out", str(out)]) == 0
    assert evalcore.explore(data, point=point).page.encode() == out.read_bytes()


def test_the_explorer_refuses_one_threshold_alone():
    with pytest.raises(InputError, match="OPT-005"):
        evalcore.explore(evalcore.load(TEN_ROWS), tau_neg=0.1)
