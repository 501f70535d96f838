"""Whether the tests notice one changed operator, number or name at a time: python -m benchmarks.mutation.

A mutant is a module of `metrics/`, `drawn/`, `inference/` or `operating_point/` with one small change, such
as ``<`` for ``<=``. It is killed where a test that touches the module fails; one that survives shows what no
test claims, and one whose tests do not end in time shows nothing. A seed draws the sample. The tree is
copied, and mutants are written into the copy. The tests that touch a module are first the few files that
import it or name most of what it defines; where all pass, some of the modules that import it. A survivor may
still be killed by other tests. In the end the tests that killed are run without any change: they must pass.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("metrics", "drawn", "inference", "operating_point")
LEAST_KILLED = 0.95
LONGEST_WORD = 7
MOST_NEAR, MOST_BEYOND = 6, 10  # test files
NO_TESTS = 5  # exit status of pytest
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
KILLED, TIMED_OUT, SURVIVED, EQUIVALENT = "killed", "timed out", "survived", "equivalent"

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

EQUIVALENT_MUTANTS: dict[tuple[str, str, str], str] = {
    (
        "evalcore/inference/cluster_sums.py",
        "squares = np.where((whole == 0) & (squares < 0.5), 0.0, np.maximum(squares, 0.0))",
        "squares = np.where((whole == 0) & (squares < (0.626)), 0.0, np.maximum(squares, 0.0))",
    ): "where n² times the squares is 0 modulo 2⁶⁴ they are 0, or at least 2⁶⁴/n²: above .5 below 6 thousand "
    "million cases",
    (
        "evalcore/inference/cluster_sums.py",
        "squares = np.where((whole == 0) & (squares < 0.5), 0.0, np.maximum(squares, 0.0))",
        "squares = np.where((whole == 0) & ((squares <= 0.5)), 0.0, np.maximum(squares, 0.0))",
    ): "the same: to be exactly .5 there takes more than six thousand million cases",
    (
        "evalcore/inference/correlation.py",
        "return UNKNOWN if upper > 1 - 1e-9 else max(float(upper), 0.0)",
        "return UNKNOWN if (upper >= 1 - 1e-09) else max(float(upper), 0.0)",
    ): "an estimate is never exactly that number",
    (
        "evalcore/drawn/fits.py",
        "is_small = np.maximum(np.abs(step_a), np.abs(step_b)) <= SETTLED * (1 + np.abs(b[going]))",
        "is_small = (np.maximum(np.abs(step_a), np.abs(step_b)) < SETTLED * (1 + np.abs(b[going])))",
    ): "a step is never exactly that long, and one of 0 is shorter",
    (
        "evalcore/drawn/post_values.py",
        "is_count = (largest[is_open] <= MOST_COUNTED) & (np.rint(unbound) == unbound).all(axis=0)",
        "is_count = ((largest[is_open] < MOST_COUNTED)) & (np.rint(unbound) == unbound).all(axis=0)",
    ): "a largest value of that number is the limit either way",
    (
        "evalcore/drawn/post_values.py",
        "if (beyond := np.flatnonzero(largest > limit * (1 + ROUNDING))).size:",
        "if (beyond := np.flatnonzero((largest >= limit * (1 + ROUNDING)))).size:",
    ): "no bound is exactly a billionth above what is declared",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "group[np.isin(group, alike)] = alike[0]",
        "group[np.isin(group, alike)] = alike[(1)]",
    ): "any of the group may name it",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "return len(np.intersect1d(_singles(tune), _singles(test), assume_unique=True))",
        "return len(np.intersect1d(_singles(tune), _singles(test), assume_unique=(False)))",
    ): "they are unique",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "return n_across if chance < _BY_ACCIDENT else 0",
        "return n_across if (chance <= _BY_ACCIDENT) else 0",
    ): "no chance of so few posts is exactly that number",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "mixed = _mixed(of_criterion[queries.criterion] + label)",
        "mixed = _mixed((of_criterion[queries.criterion] - label))",
    ): "another number for the same pair of criterion and label",
    **{
        ("evalcore/operating_point/prospects/outlook.py", before, after): why
        for before, after, why in (
            (
                "if constraint.value == 1:",
                "if constraint.value == (2):",
                "no number of alerts that a test has shows 1: the chance is 0, though after a search",
            ),
            (
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + 1)",
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + (0.626), share)) + 1)",
                "more numbers than are needed for nine digits of the chance",
            ),
            (
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + 1)",
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + (2))",
                "the same",
            ),
        )
    },
    **{
        ("evalcore/operating_point/prospects/before_test.py", before, after): why
        for before, after, why in (
            (
                "n_missed = -1 if tau is None else int(states_at(chosen.table, tau, None).neg_pos)",
                "n_missed = -(2) if tau is None else int(states_at(chosen.table, tau, None).neg_pos)",
                "any number below 0 says that nothing can be skipped",
            ),
            (
                "on_tune, on_test = (rows.whole.kept(slice(0, 1)) for rows in (chosen, tested))",
                "on_tune, on_test = (rows.whole.kept(slice(0, (2))) for rows in (chosen, tested))",
                "the first is read",
            ),
            (
                "alerts = chosen.posts.right(slice(at, at + 1))",
                "alerts = chosen.posts.right(slice(at, at + (2)))",
                "the first is read",
            ),
        )
    },
    (
        "evalcore/operating_point/test_rows/label_agreement.py",
        "if n_mixed >= _LEAST_SHARE * expected or float(special.pdtr(n_mixed, expected)) >= BY_ACCIDENT:",
        "if (n_mixed > _LEAST_SHARE * expected) or float(special.pdtr(n_mixed, expected)) >= BY_ACCIDENT:",
    ): "a count is never exactly half a sum of rates but where both are 0, and there the other holds",
    (
        "evalcore/operating_point/constraints.py",
        "misses = np.arange(int(n * (1 - target)) + 2)",
        "misses = np.arange(int(n * (1 - target)) + (3))",
    ): "with so many misses the estimate itself misses the target",
    (
        "evalcore/operating_point/tradeoff/thresholds.py",
        "if not low < np.nextafter(high, -np.inf):",
        "if not (low <= np.nextafter(high, -np.inf)):",
    ): "between neighbouring floats no decimal is found, and the score is returned as well",
    (
        "evalcore/inference/bands.py",
        "share = (grid * n_neg - reached) / np.maximum(next_reached - reached, 1)",
        "share = (grid * n_neg - reached) / np.maximum(next_reached - reached, (2))",
    ): "steps of the curve are 0, where nothing rises, or at least the number of steps of the grid; with one "
    "step the grid holds points of the curve only",
    **{
        (
            "evalcore/drawn/fits.py",
            f"{moves} = np.isfinite(step_a) & (np.abs(step_b) < FARTHEST)",
            f"{moves} = {after}",
        ): "a fit that settles within the points is the only one, whatever the steps; any other is made anew"
        for moves in ("is_near", "moves")
        for after in (
            "(np.isfinite(step_a) | (np.abs(step_b) < FARTHEST))",
            "np.isfinite(step_a) & ((np.abs(step_b) <= FARTHEST))",
        )
    },
}
"""File, line before and after → why no test can tell the two apart."""


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


# --- which tests touch a module ---


def module_name(file: Path, root: Path) -> str:
    """`evalcore.metrics.gate` of its file."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(root: Path, folder: str) -> dict[str, set[str]]:
    """Module → modules that it takes something from, a name in a package as where the package has it from."""
    files = sorted((root / folder).rglob("*.py"))
    taken: dict[str, dict[str, str]] = {}
    for file in (root / "evalcore").rglob("__init__.py"):
        package = module_name(file, root)
        taken[package] = {
            alias.asname or alias.name: node.module
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
    found: dict[str, set[str]] = {}
    for file in files:
        names = found.setdefault(module_name(file, root), set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    source = taken.get(node.module, {}).get(alias.name, node.module)
                    names |= {source, f"{node.module}.{alias.name}"}
    return found


class Touching:
    """The test files that touch a module, nearest first; those of pages compute nothing and are left out."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._code = imports_of(root, "evalcore")
        tests = imports_of(root, "tests")
        helpers = {name: of for name, of in tests.items() if not _is_test(name)}
        self._tests = {
            name.replace(".", "/") + ".py": of | {deep for one in of for deep in helpers.get(one, ())}
            for name, of in tests.items()
            if _is_test(name) and ".browser" not in name and "_pages_" not in name
        }
        self._words = {
            file: Counter(re.findall(r"\w+", (root / file).read_text(encoding="utf-8")))
            for file in self._tests
        }

    def direct(self, module: str) -> list[str]:
        """Test files that import a module or name something that it defines, most often first.

        Many metrics are called by the name that they are declared under.
        """
        named = self._defined(module)
        n = {
            file: 1000 * (module in of) + sum(self._words[file][name] for name in named)
            for file, of in self._tests.items()
        }
        return sorted((file for file in n if n[file]), key=lambda file: -n[file])[:MOST_NEAR]

    def beyond(self, module: str) -> list[str]:
        """The test files nearest to the modules that import it, or that import such a one."""
        near = {name for name, of in self._code.items() if module in of}
        far = near | {name for name, of in self._code.items() if near & of}
        direct, stem = self.direct(module), module.split(".")[-1]
        files = [file for file, of in self._tests.items() if far & of and file not in direct]
        n = {file: 1000 * (stem in file) + len(far & self._tests[file]) for file in files}
        return sorted(files, key=lambda file: -n[file])[:MOST_BEYOND]

    def _defined(self, module: str) -> set[str]:
        """Public functions and classes of a module, of names long enough to be no common word."""
        path = self._root / (module.replace(".", "/") + ".py")
        path = path if path.is_file() else self._root / module.replace(".", "/") / "__init__.py"
        body = ast.parse(path.read_text(encoding="utf-8")).body
        defined = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
        return {name for name in defined if not name.startswith("_") and len(name) > LONGEST_WORD}


def _is_test(module: str) -> bool:
    return module.split(".")[-1].startswith("test_")


# --- running ---


class Copy:
    """A copy of the tree in which one module at a time is changed and tested.

    Parameters
    ----------
    folder : where the copy is made.
    seconds : after which a run is given up.
    killers : the tests that failed, as pytest names them.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.root = folder / "tree"
        self.seconds = seconds
        self.killers: set[str] = set()
        self._failed = folder / "cache" / "v" / "cache" / "lastfailed"
        shutil.copytree(ROOT, self.root, ignore=NOT_COPIED)

    def test(self, files: Sequence[str], seconds: float | None = None) -> str:
        """What comes of the tests: `KILLED` where one fails, `TIMED_OUT` after so long, else `SURVIVED`."""
        cache = f"cache_dir={self._failed.parents[2]}"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-o", cache, *files]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        self._failed.unlink(missing_ok=True)
        try:
            ran = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        if ran.returncode == NO_TESTS:
            return SURVIVED
        if ran.returncode not in (0, 1, 2):
            raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout.decode()[-2000:]}")
        if ran.returncode == 0:
            return SURVIVED
        self.killers |= set(json.loads(self._failed.read_text(encoding="utf-8")))
        return KILLED

    def outcome(self, mutant: Mutant, touching: Touching) -> str:
        """What comes of a mutant; the module is as before afterwards."""
        if mutant.name in EQUIVALENT_MUTANTS:
            return EQUIVALENT
        path = self.root / mutant.file
        text = path.read_text(encoding="utf-8")
        module = module_name(path, self.root)
        doctest = [mutant.file]
        try:
            self._write(path, mutated(mutant, text))
            for files in (doctest + touching.direct(module), touching.beyond(module)):
                result = self.test(files, self.seconds) if files else SURVIVED
                if result != SURVIVED:
                    return result
            return SURVIVED
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        """Write a module and forget its compiled form, whose stamp is good for a second only."""
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()


def all_mutants(root: Path = ROOT) -> list[Mutant]:
    """Every mutant of the packages."""
    files = sorted(file for name in PACKAGES for file in (root / "evalcore" / name).rglob("*.py"))
    return [
        mutant
        for file in files
        for mutant in mutants_of(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Draw mutants, test each, and print what survived; 1 where fewer are killed than promised."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="how many mutants (default 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose file contains this")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds a run (default 600)")
    parser.add_argument("--list", action="store_true", help="print the sample and test nothing")
    arguments = parser.parse_args()
    mutants = [mutant for mutant in all_mutants() if arguments.only in mutant.file]
    drawn = sorted(
        random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants))),
        key=lambda mutant: (mutant.file, mutant.start),
    )
    print(f"{len(drawn):,} of {len(mutants):,} mutants, seed {arguments.seed}")
    if arguments.list:
        print(*drawn, sep="\n")
        return 0
    outcomes = _tested(drawn, arguments.timeout)
    return 0 if _report(outcomes) >= LEAST_KILLED else 1


def _tested(drawn: Sequence[Mutant], seconds: float) -> list[tuple[Mutant, str]]:
    """Each mutant and what came of it."""
    touching = Touching(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), seconds)
        outcomes = []
        for at, mutant in enumerate(drawn, 1):
            start = time.monotonic()
            outcomes.append((mutant, copy.outcome(mutant, touching)))
            taken = time.monotonic() - start
            print(f"{at:>4} {outcomes[-1][1]:<10} {taken:5.1f} s  {mutant}", flush=True)
        if copy.killers and copy.test(sorted(copy.killers)) != SURVIVED:
            raise SystemExit("tests that killed fail without any change: nothing is measured")
    return outcomes


def _report(outcomes: Sequence[tuple[Mutant, str]]) -> float:
    """Print counts by module and the survivors; the share killed of those that could be."""
    print("\n| module | killed | timed out | survived | equivalent |\n|---|---|---|---|---|")
    for file in dict.fromkeys(mutant.file for mutant, _ in outcomes):
        n = Counter(outcome for mutant, outcome in outcomes if mutant.file == file)
        print(f"| {file} | {n[KILLED]} | {n[TIMED_OUT]} | {n[SURVIVED]} | {n[EQUIVALENT]} |")
    n = Counter(outcome for _, outcome in outcomes)
    n_all = n[KILLED] + n[SURVIVED]
    share = n[KILLED] / n_all if n_all else 1.0
    print(f"\n{n[KILLED]} of {n_all} killed ({share:.1%}); survivors:")
    print(*(mutant for mutant, outcome in outcomes if outcome == SURVIVED), sep="\n")
    if n[TIMED_OUT]:
        print("\nnot ended in time, so not counted:")
        print(*(mutant for mutant, outcome in outcomes if outcome == TIMED_OUT), sep="\n")
    return share


if __name__ == "__main__":
    sys.exit(main())
