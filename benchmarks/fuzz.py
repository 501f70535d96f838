"""Mutated files of every format through the readers: `python -m benchmarks.fuzz --files 10000`.

Counts crashes of the caller, exceptions that are no `InputError`, refusals without a word, and files that
take more than 5 seconds of this process's processor time or make it 1 GB larger than it ever was before. It
is not timed against anything; a small part with a fixed seed is among the tests.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import resource
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from evalcore import load
from evalcore.problems import InputError
from evalcore.readers import Upload

MOST_SECONDS, MOST_MEGABYTES = 5, 1000
N_ROWS = 20
BITS = (
    b"\xff",
    b"\x00",
    b'"',
    b"\n",
    b"\r",
    b",",
    b"[",
    b"{",
    b"\\",
    b"\xed\xa0\x80",
    b"9" * 400,
    "²".encode(),
    b"\xef\xbb\xbf",
)


@dataclass
class Outcome:
    """What came of the files.

    Parameters
    ----------
    n : files; n_read : those that were accepted.
    codes : code of a first problem → files.
    faults : what must not happen, each with the file that did it.
    slowest : processor seconds of this process for one file; clock : the same by the clock.
    """

    n: int = 0
    n_read: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    clock: float = 0.0


def seeds() -> dict[str, bytes]:
    """A whole file of each format and layout: name → bytes."""
    i = np.arange(N_ROWS)
    queries = pd.DataFrame(
        {
            "post_id": [f"p{n // 2}" for n in i],
            "criterion_id": [f"A.{n % 2}" for n in i],
            "has_evidence": i % 3 % 2,
            "probability": (i + 1) / 32,
            "day": pd.to_datetime("2024-02-29") + pd.to_timedelta(i, "D"),
        }
    )
    lists = pd.DataFrame(
        {
            "query_id": [f"q{n}" for n in i],
            "gold_ids": [["a"]] * N_ROWS,
            "ranked_ids": [["a", "b", "c"]] * N_ROWS,
        }
    )
    labels = pd.DataFrame(
        {
            "record_id": [f"r{n // 2}" for n in i],
            "user": ["x", "y"] * (N_ROWS // 2),
            "helpful": ["yes", "no"] * (N_ROWS // 2),
        }
    )
    ragas = pd.DataFrame(
        {"question": ["q"] * N_ROWS, "contexts": ["['a', 'b']"] * N_ROWS, "faithfulness": i / 20}
    )
    files: dict[str, bytes] = {}
    for name, frame in (("queries", queries), ("lists", lists), ("labels", labels), ("ragas", ragas)):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        text = frame.to_csv(index=False)
        files |= {
            f"{name}.csv": text.encode(),
            f"{name}.jsonl": frame.to_json(orient="records", lines=True, date_format="iso").encode(),
            f"{name}.json": frame.to_json(orient="records", date_format="iso").encode(),
            f"{name}.parquet": _parquet(table, compression="snappy"),
            f"{name}_zstd.parquet": _parquet(table, compression="zstd", use_dictionary=False),
            f"{name}.feather": _feather(table, compression="uncompressed"),
            f"{name}_lz4.feather": _feather(table, compression="lz4"),
            f"{name}_zstd.feather": _feather(table, compression="zstd"),
            f"{name}.arrows": _stream(table),
            f"{name}.csv.gz": gzip.compress(text.encode(), mtime=0),
            f"{name}.csv.zst": pa.compress(text.encode(), "zstd", asbytes=True),
            f"{name}_16.csv": text.encode("utf-16"),
            f"{name}_semicolon.csv": frame.to_csv(index=False, sep=";", decimal=",").encode("cp1252"),
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        files["queries_v1.feather"] = _feather(pa.Table.from_pandas(queries.drop(columns="day")), version=1)
    shares = [[1 - p, p] for p in queries["probability"]]
    nested = pd.DataFrame({"id": queries["post_id"], "label": queries["has_evidence"], "prediction": shares})
    classes = [[{"label": "no", "score": no}, {"label": "yes", "score": yes}] for no, yes in shares]
    files |= {
        "queries_split.json": queries.to_json(orient="split", date_format="iso").encode(),
        "queries_columns.json": queries.to_json(orient="columns", date_format="iso").encode(),
        "queries_results.json": b'{"results": %s}'
        % queries.to_json(orient="records", date_format="iso").encode(),
        "queries_r.txt": queries.to_csv(sep=" ", quoting=csv.QUOTE_NONNUMERIC)
        .encode()
        .replace(b'"" ', b"", 1),
        "queries_title.csv": b"Exported,,\n,,\n" + queries.to_csv(index=False).encode(),
        "vectors.csv": nested.to_csv(index=False).encode(),
        "vectors.jsonl": nested.to_json(orient="records", lines=True).encode(),
        "classes.jsonl": nested.assign(prediction=classes).to_json(orient="records", lines=True).encode(),
    }
    files["truth.qrels"] = b"".join(b"q%d 0 d%d 1\n" % (n // 2, n) for n in i)
    files["bm25.run"] = b"".join(b"q%d Q0 d%d %d %d.5 bm25\n" % (n // 2, n, n % 2, 50 - n) for n in i)
    return files


def _parquet(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def _feather(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pa.feather.write_feather(table, sink, **options)
    return sink.getvalue()


def _stream(table: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """The bytes with one to three faults: bits, numbers, pieces lost, doubled, exchanged, or put in."""
    made = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if not made:
            break
        at, to = sorted(int(n) for n in rng.integers(0, len(made) + 1, 2))
        kind = int(rng.integers(0, 8))
        if kind == 0:
            made[at % len(made)] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            made[at % len(made)] = int(rng.integers(0, 256))
        elif kind == 2:
            made[at : at + 4] = int(rng.integers(0, 2**32)).to_bytes(4, "little")
        elif kind == 3:
            made[at : at + 4] = (b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\x00" * 4)[
                int(rng.integers(0, 3))
            ]
        elif kind == 4:
            del made[at : min(to, at + 64)]
        elif kind == 5:
            made[at:at] = made[at : min(to, at + 256)]
        elif kind == 6:
            made[at:at] = BITS[int(rng.integers(0, len(BITS)))]
        elif rng.random() < 0.2:
            del made[at:]
    return bytes(made)


def cases(n: int, seed: int) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """Name, bytes and options of ``n`` files, each format as often as any other."""
    rng = np.random.default_rng(seed)
    files = list(seeds().items())
    tasks = (None, None, "evidence", "rag")
    encodings = (None,) * 8 + ("utf-8", "cp1252", "utf-16", "latin-1")
    for i in range(n):
        name, content = files[i % len(files)]
        task, encoding = tasks[int(rng.integers(0, 4))], encodings[int(rng.integers(0, len(encodings)))]
        yield name, mutated(content, rng), {"task": task, "encoding": encoding}


def run(
    n: int, seed: int, tell: Callable[[int, Outcome], None] | None = None, keep: Path | None = None
) -> Outcome:
    """Read ``n`` mutated files.

    Parameters
    ----------
    seed : the same files for the same seed.
    tell : is told how far it is.
    keep : folder for the files that did what must not happen.
    """
    found = Outcome()
    most = _peak() + MOST_MEGABYTES  # what was in use before is not the files' doing
    for i, (name, content, options) in enumerate(cases(n, seed)):
        used, clock = time.process_time(), time.monotonic()
        fault = _fault(name, content, options, found)
        used, clock = time.process_time() - used, time.monotonic() - clock
        found.slowest, found.clock = max(found.slowest, used), max(found.clock, clock)
        if used > MOST_SECONDS:
            fault = f"{used:.1f} s"
        if (size := _peak()) > most:
            fault = f"{size:,.0f} MB"
        if fault:
            found.faults.append(f"{i} {name} {options}: {fault}")
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{seed}_{i}_{name}").write_bytes(content)
                (keep / f"{seed}_{i}_{name}.json").write_text(json.dumps([options, fault]))
        found.n += 1
        if tell is not None:
            tell(i, found)
    return found


def _peak() -> float:
    """The most megabytes that this process has had in use."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 if sys.platform != "darwin" else 2**20)


def _fault(name: str, content: bytes, options: dict[str, Any], found: Outcome) -> str | None:
    """Read one file; what must not happen, in words."""
    try:
        data = load(Upload(name, content), **options)
    except InputError as error:
        found.codes[error.problems[0].code if error.problems else "none"] += 1
        if (
            not error.problems
            or not all(str(one).strip() for one in error.problems)
            or not str(error).strip()
        ):
            return "no word of a reason"
        if any(one.code == "FILE-022" for one in error.problems):
            return "contents that could not be read, without a reason"
        if len(str(error)) > 20_000:
            return f"a message of {len(str(error)):,} characters"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    else:
        found.n_read += 1
        for source in data.sources:
            if source.n_rows != source.n_used + sum(source.excluded.values()):
                return f"{source.n_rows} rows in, {source.n_used} used, {dict(source.excluded)} excluded"
    return None


def main() -> int:
    """Print what came of it; 1 where something must not happen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the files that did harm here")
    arguments = parser.parse_args()

    def tell(i: int, found: Outcome) -> None:
        if (i + 1) % 500 == 0:
            print(f"{i + 1:,} files, {len(found.faults)} faults", file=sys.stderr, flush=True)

    found = run(arguments.files, arguments.seed, tell, arguments.keep)
    print(f"{found.n:,} files: {found.n_read:,} read, {found.n - found.n_read:,} refused")
    print(
        f"slowest: {found.slowest:.2f} s of the processor in this process, {found.clock:.2f} s by the clock"
    )
    print("refused for " + ", ".join(f"{code} {n:,}" for code, n in found.codes.most_common()))
    for fault in found.faults:
        print(f"FAULT {fault}")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
