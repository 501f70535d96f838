"""Parquet, Feather, Arrow streams and zstd, read in a process of its own; refusals as problems of a file."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from evalcore.isolated import pool, worker
from evalcore.isolated.worker import RefusedError
from evalcore.problems import Findings
from evalcore.settings import Settings

KINDS = {"json": "JSON", "zstd": "zstd", "numpy": "NumPy"}


@dataclass(frozen=True)
class Head:
    """What a columnar file begins with.

    Parameters
    ----------
    n_rows : all of them.
    first : the first rows of every column as an Arrow table; nulls, or no rows, where they are damaged.
    damaged : the columns that are damaged in these rows.
    key : names the bytes for `table_of`.
    """

    n_rows: int
    first: Any
    damaged: frozenset[str]
    key: str


def head_of(content: bytes, kind: str, known: dict[str, Head | RefusedError] | None = None) -> Head:
    """Columns and first rows of a columnar file.

    Parameters
    ----------
    kind : ``parquet``, ``feather`` or ``arrow stream``.
    known : where the answer is kept for the next time the same bytes are asked about.

    Raises
    ------
    RefusedError : see `evalcore.isolated.pool.ask`.
    """
    found = None if known is None else known.get(kind)
    if found is None:
        try:
            key = secrets.token_hex(16)
            facts, buffer = pool.ask("head", content, key=key, format=kind)
            found = Head(facts["n_rows"], _table(buffer), frozenset(facts["damaged"]), key)
        except RefusedError as refusal:
            found = refusal
        if known is not None:
            known[kind] = found
    if isinstance(found, RefusedError):
        raise found
    return found


def own_head_of(content: bytes, kind: str) -> Head | RefusedError:
    """As `head_of`, of bytes that this process wrote itself: no other has to be started to read them."""
    settings = Settings.read()
    limits = {"max_bytes": settings.unpacked_limit(len(content)), "max_columns": settings.max_columns}
    facts, first = worker.answer("head", content, {"format": kind, **limits})
    if "refused" in facts:
        return RefusedError(facts.pop("refused"), **facts)
    return Head(facts["n_rows"], first, frozenset(facts["damaged"]), secrets.token_hex(16))


def table_of(
    content: bytes, kind: str, names: Iterable[str], coded: Iterable[str] = (), key: str | None = None
) -> Any:
    """Columns of a columnar file as an Arrow table; raises as `head_of` does.

    Parameters
    ----------
    coded : names of those whose text is wanted as codes and levels.
    key : that of the `Head` of these bytes, which then need not be sent again.
    """
    facts = {"format": kind, "columns": list(names), "coded": list(coded)}
    return _table(pool.ask("read", content, key=key, **facts)[1])


def json_table_of(text: bytes, *, here: bool) -> Any:
    """Records of JSON Lines as an Arrow table; raises as `head_of` does.

    Parameters
    ----------
    here : whether they are read in this process, after a look at their limits.
    """
    if not here:
        return _table(pool.ask("json", text)[1])
    facts, table = worker.answer("json", text, {"max_columns": Settings.read().max_columns})
    if "refused" in facts:
        raise RefusedError(facts.pop("refused"), **facts)
    return table


def without_zstd(content: bytes, most: int | None = None) -> bytes:
    """The bytes of an archive, or at most the first ``most`` of them; raises as `head_of` does."""
    return bytes(pool.ask("unzstd", content, most=most)[1])


def _table(buffer: memoryview) -> Any:
    return pa.ipc.open_stream(pa.py_buffer(buffer)).read_all()


def report(refusal: RefusedError, kind: str, n_bytes: int, name: str, findings: Findings) -> None:
    """Report why a file was not read.

    Parameters
    ----------
    kind : what it was taken for.
    n_bytes : its size as it came.
    """
    facts, settings = refusal.facts, Settings.read()
    why, words = facts["refused"], KINDS.get(kind, kind.capitalize())
    if why == "damaged":
        reason = f"{facts['reason']} in column {facts['column']}" if "column" in facts else facts["reason"]
        findings.add("FILE-007", file=name, kind=words, reason=reason)
    elif why == "text":
        for column in facts["columns"]:
            findings.add("COL-021", file=name, column=column)
    elif why == "twice":
        for column in facts["names"]:
            findings.add("FILE-009", file=name, name=column)
    elif why == "columns":
        findings.add("FILE-073", file=name, n=facts["n"], limit=settings.max_columns)
    elif why in ("size", "memory"):
        report_size(n_bytes, name, findings)
    elif why == "time":
        findings.add("FILE-072", file=name, kind=words, limit=settings.max_reading_seconds)
    else:
        findings.add("FILE-071", file=name, kind=words)


def report_size(n_bytes: int, name: str | None, findings: Findings) -> None:
    """Report a file that unpacks to more than is allowed for its size."""
    limit = Settings.read().unpacked_limit(n_bytes)
    findings.add("FILE-017", file=name, limit=f"{limit / 1e6:,.0f} MB", n_bytes=n_bytes)
