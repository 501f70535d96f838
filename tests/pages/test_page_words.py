"""No text that a page shows names an option of the command line: every declared problem, and every advice."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import evalcore
from evalcore.problems import KINDS
from pages.shared.page_words import in_page_words

CORE = Path(evalcore.__file__).parent
OPTION = re.compile(r"(?:^|[^\w-])--[a-z]")
NO_TEXTS = (
    *("commands", "__main__.py", "documentation.py", "svg.py", "marks.py", "sites.py", "site_rows.py"),
    *("chunks", "chunked.py", "ci"),
)
"""What is for the command line alone, as reading in chunks is and some of the sites, and names of styles."""
OF_CHUNKS = ("CHK-", "CLU-")
"""Problems of inputs that are read in chunks, on a cluster too, which no page does."""
OF_THE_COMMAND_LINE = ("page_words.py", "guard.py", "launch.py")
"""What takes its words out, and what is said to who starts the dashboard."""
PART = re.compile(r"( or )?--[a-z-]+( \S+)?")
"""A part of one of the sentences that is an option alone."""


def texts_of(path: Path) -> Iterator[str]:
    """The texts that a module writes, with NAME for what is put into them."""
    tree = ast.parse(path.read_text())
    scopes = [one for one in ast.walk(tree) if isinstance(one, ast.Module | ast.FunctionDef | ast.ClassDef)]
    left_out = {id(one.body[0].value) for one in scopes if one.body and isinstance(one.body[0], ast.Expr)}
    formatted = [one for one in ast.walk(tree) if isinstance(one, ast.JoinedStr)]
    left_out |= {id(part) for one in formatted for part in one.values}
    for one in ast.walk(tree):
        if id(one) in left_out:
            continue
        if isinstance(one, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "NAME" for part in one.values
            )
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def test_no_page_reads_in_chunks() -> None:
    pages = [path.read_text() for path in (CORE.parent / "pages").rglob("*.py")]
    assert not [
        text for text in pages if re.search(r"evalcore\.chunked|evaluate_files|readers\.chunks", text)
    ]


@pytest.mark.parametrize("code", [code for code in KINDS if not code.startswith(OF_CHUNKS)])
def test_no_declared_problem_names_an_option_on_a_page(code: str) -> None:
    for template in (KINDS[code].found, KINDS[code].expected, KINDS[code].remedy):
        text = re.sub(r"\{[^{}]*\}", "NAME", template)
        told = in_page_words(text)
        assert not OPTION.search(told), told
        assert told[:1].isupper() == text[:1].isupper() or not text


def test_no_advice_that_is_put_into_a_problem_names_an_option_on_a_page() -> None:
    elsewhere = {*NO_TEXTS, "problems"}
    paths = [path for path in CORE.rglob("*.py") if not elsewhere & {*path.relative_to(CORE).parts}]
    texts = [text for path in paths for text in texts_of(path)]
    named = [text for text in texts if OPTION.search(text) and not PART.fullmatch(text)]
    assert len(named) > 20
    assert [told for told in map(in_page_words, named) if OPTION.search(told)] == []


def test_no_page_speaks_the_command_line() -> None:
    paths = [path for path in (CORE.parent / "pages").rglob("*.py") if path.name not in OF_THE_COMMAND_LINE]
    texts = [text for path in paths for text in texts_of(path) if "style" not in text and "{ " not in text]
    assert len(texts) > 1000
    assert [text for text in texts if OPTION.search(text) or re.search(r"\bpython -m\b", text)] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Say --keep-first, or not.",
            "Tick “Keep the best rank of a candidate that stands twice in a list” on the Data page, or not.",
        ),
        (
            "Say which one means “has evidence”: --positive VALUE, or choose it on the Data page.",
            "Say which one means “has evidence”: choose it on the Data page.",
        ),
    ],
)
def test_the_words_of_the_page_take_their_place(text: str, told: str) -> None:
    assert in_page_words(text) == told
