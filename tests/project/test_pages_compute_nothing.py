"""Pages compute nothing: what is summed, divided or rounded of data is a function of `evalcore`, headless."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OF_DATA = frozenset(
    """
    agg aggregate average bincount ceil corr count_nonzero cumprod cumsum describe diff digitize dot exp floor
    fsum groupby histogram idxmax idxmin log log10 max mean median min nanmax nanmean nanmin nansum nunique
    percentile prod quantile rank rolling round searchsorted sqrt std sum trunc value_counts var
    """.split()  # noqa: SIM905
)
"""Methods of arrays and tables, and functions of numpy and math, that make numbers of numbers."""
BUILT_IN = frozenset({"sum", "round"})
OPERATORS = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
ROOM = frozenset({"height", "width", "row_height"})
"""How much room something takes: arithmetic on these is layout."""
EXCEPTIONS = {
    "common/data.py": {"show_checks": "counts the failed checks that it lists"},
    "evidence/compare.py": {"ask_targets": "a field takes per cent"},
    "evidence/report.py": {"computed": "how far a bar is", "show_files": "the size of a file"},
    "rag/rag_annotators.py": {
        "show_stated": "counts the facts that it lists",
        "show_tendencies": "lines of a figure, for its height",
    },
    "rag/rag_compare.py": {"show_differences": "counts the tests that it lists"},
    "shared/compared/running.py": {"share_done": "how far a bar is"},
    "shared/data/results.py": {"*": "sizes of files and their limit"},
    "shared/data/upload.py": {"*": "sizes of files and their limit"},
    "shared/guard.py": {"*": "how long to wait, in words"},
    "shared/lists/list_metrics.py": {"show_over_k": "tells the lines of a figure apart"},
    "shared/point/exporting.py": {"*": "a number for each export, of the clock"},
    "shared/point/find.py": {"*": "fields take per cent"},
    "shared/widgets.py": {"*": "how many messages are not shown"},
}
"""Where the same words are no number of data: file → function (or * for all) → what they are."""


def named_in(node: ast.AST) -> str:
    """What a node computes; empty for anything else."""
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in OF_DATA:
            return function.attr
        if isinstance(function, ast.Name) and function.id in BUILT_IN | OF_DATA - {"max", "min"}:
            return function.id
    if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS) and not is_path_or_text(node):
        return type(node.op).__name__
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and any(map(is_count, two_of(node))):
        return "Sub"
    return ""


def two_of(node: ast.BinOp) -> tuple[ast.expr, ast.expr]:
    return node.left, node.right


def is_path_or_text(node: ast.BinOp) -> bool:
    """Whether an operator joins parts of a path, repeats a text or a list, or formats one."""
    if isinstance(node.op, ast.Div):
        return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in two_of(node))
    kinds = (ast.List, ast.Tuple, ast.JoinedStr)
    return any(
        isinstance(one, kinds) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in two_of(node)
    )


def is_count(node: ast.expr) -> bool:
    """Whether an operand is a count of data: called n_…, or made a number here."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("int", "float")
    name = getattr(node, "attr", getattr(node, "id", ""))
    return name.startswith("n_")


def computed_in(text: str) -> list[tuple[str, str, int]]:
    """Function, what it computes and the line, of a module; what is room on a screen is left out."""
    found = []

    def walk(node: ast.AST, function: str) -> None:
        if isinstance(node, ast.FunctionDef) and function == "":
            function = node.name
        if isinstance(node, ast.keyword) and node.arg in ROOM:
            return
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ROOM:
            return
        if what := named_in(node):
            found.append((function, what, node.lineno))
        for child in ast.iter_child_nodes(node):
            walk(child, function)

    for one in ast.parse(text).body:
        if isinstance(one, ast.ClassDef):
            for member in one.body:
                walk(member, "")
        else:
            walk(one, "")
    return found


def pages() -> dict[str, str]:
    """Every page and what pages share; the server counts its connections and bytes, and no data."""
    files = {file.relative_to(ROOT / "pages").as_posix(): file for file in (ROOT / "pages").rglob("*.py")}
    return {name: file.read_text() for name, file in files.items() if not name.startswith("server/")}


def test_pages_compute_nothing():
    told = [
        f"pages/{name}:{line} {function}: {what}"
        for name, text in pages().items()
        for function, what, line in computed_in(text)
        if not {function, "*"} & EXCEPTIONS.get(name, {}).keys()
    ]
    assert told == [], "\n".join(told)


def test_every_exception_is_needed():
    texts = pages()
    for name, functions in EXCEPTIONS.items():
        computing = {function for function, _, _ in computed_in(texts[name])}
        assert computing, name
        assert functions.keys() - {"*"} <= computing, name


@pytest.mark.parametrize(
    "planted",
    [
        "share = found.n_missed / found.n_pos",
        'n = int(table["is_relevant"].sum())',
        "n = sum(one.n_posts for one in cells)",
        'counts = found.groupby("rule").size()',
        "text = f'{floor(100 * low):.2f}'",
        "more = own.n_neg - shared.n_neg",
        "text = f'{round(value, 3)}'",
        "mean = np.mean(values)",
    ],
)
def test_a_planted_number_is_noticed(planted):
    assert computed_in(f"def show(table):\n    {planted}")


@pytest.mark.parametrize(
    "allowed",
    [
        "chart(figure, height=90 + 30 * len(rows))",
        'SAMPLE = FOLDER / "queries.csv"',
        "line = [GREY] * len(row)",
        "more = len(lines) - MOST",
        "places = max(known, key=len)",
    ],
)
def test_layout_and_paths_are_none(allowed):
    assert not computed_in(f"def show(table):\n    {allowed}")
