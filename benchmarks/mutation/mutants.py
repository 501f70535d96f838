"""The small changes of a module, one at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("metrics", "drawn", "inference", "operating_point")

OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("floor", "ceil"),
    ("any", "all"),
    ("n_pos", "n_neg"),
    ("total_pos", "total_neg"),
    ("low", "high"),
    ("tau_neg", "tau_pos"),
    ("n_ranked", "n_candidates"),
    ("n_hits", "n_selected"),
    ("searchsorted", "digitize"),
)
OTHER_NAME = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}


@dataclass(frozen=True)
class Mutant:
    """One change of one expression.

    Parameters
    ----------
    file : the module, relative to the root.
    line : of the expression, from 1.
    source, column : that line, and the bytes before the expression.
    start, end : where it stands in the text, in bytes.
    before, after : the code there.
    """

    file: str
    line: int
    source: str
    column: int
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> tuple[str, str, str]:
        """What it is known by wherever its line moves: file, line before and after."""
        margin = len(self.source) - len(self.source.lstrip())
        at = len(self.source.encode()[: self.column].decode())
        after = self.source[:at] + f"({self.after})" + self.source[at + len(self.before) :]
        return self.file, self.source.strip(), after[margin:].rstrip()

    def __str__(self) -> str:
        before, after = (" ".join(code.split()) for code in (self.before, self.after))
        return f"{self.file}:{self.line}: {before}  →  {after}"


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text.

    Texts, annotations, decorators, what a `raise` says and whether `zip` is strict are left alone: no number
    comes from them.

    Examples
    --------
    >>> [mutant.after for mutant in mutants_of("a.py", "def f(n, k):\\n    return n < k + 1\\n")]
    ['n <= k + 1', 'k - 1', '2']
    """
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw, lines = text.encode(), text.splitlines()
    for node in _expressions(ast.parse(text)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = raw[start:end].decode()
        for changed in _changes(node):
            source = lines[node.lineno - 1]
            yield Mutant(file, node.lineno, source, node.col_offset, start, end, before, ast.unparse(changed))


def mutated(mutant: Mutant, text: str) -> str:
    """The module with the change."""
    raw = text.encode()
    # In brackets, since an expression over several lines may come back on one, or bind less tightly.
    return (raw[: mutant.start] + f"({mutant.after})".encode() + raw[mutant.end :]).decode()


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions that compute something, outermost first."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "exc", "slice") and not _is_index(tree, name):
            continue
        for child in value if isinstance(value, list) else [value]:
            if (
                not isinstance(child, ast.AST)
                or isinstance(child, ast.JoinedStr | ast.AnnAssign | ast.Assert)
                or (isinstance(child, ast.keyword) and child.arg == "strict" and _is_call(tree, "zip"))
            ):
                if isinstance(child, ast.AnnAssign) and child.value is not None:
                    yield from _inside(child.value)
                continue
            yield from _inside(child)


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _inside(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.expr):
        yield node
    yield from _expressions(node)


def _is_index(node: ast.AST, field: str) -> bool:
    """Whether a field is the index of a subscript in code that runs, and no type such as ``tuple[int]``."""
    if field != "slice" or not isinstance(node, ast.Subscript):
        return False
    head = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    types = {"NDArray", "Literal", "Callable", "Mapping", "Sequence", "Iterator", "Iterable"}
    return head not in {"tuple", "list", "dict", "set", "frozenset", "type"} | types


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    """The node changed in each way that its kind allows."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            ops: list[ast.cmpop] = [*node.ops]
            ops[at] = OTHER_COMPARISON[type(operator)]()
            yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OTHER_OPERATOR and not _is_text(node):
        yield ast.BinOp(node.left, OTHER_OPERATOR[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1 if isinstance(node.value, int) else node.value * 1.25 + 0.001)
    elif isinstance(node, ast.Attribute) and node.attr in OTHER_NAME:
        yield ast.Attribute(node.value, OTHER_NAME[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in OTHER_NAME and isinstance(node.ctx, ast.Load):
        yield ast.Name(OTHER_NAME[node.id], node.ctx)


def _is_text(node: ast.BinOp) -> bool:
    """Whether a sum joins texts, or a union joins types."""
    return any(
        isinstance(leaf, ast.JoinedStr)
        or (isinstance(leaf, ast.Constant) and isinstance(leaf.value, str | None))
        or (isinstance(leaf, ast.Name) and leaf.id in {"int", "float", "str", "bool"})
        for side in (node.left, node.right)
        for leaf in ([side.left, side.right] if isinstance(side, ast.BinOp) else [side])
    )


def all_mutants(root: Path = ROOT) -> list[Mutant]:
    """Every mutant of the packages."""
    files = sorted(file for name in PACKAGES for file in (root / "evalcore" / name).rglob("*.py"))
    return [
        mutant
        for file in files
        for mutant in mutants_of(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    ]
