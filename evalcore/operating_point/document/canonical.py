"""JSON that is read strictly, its canonical form after RFC 8785, and the hashes over it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import rfc8785

from evalcore.problems import Findings, InputError, problem
from evalcore.readers.formats.json.limits import is_within_limits
from evalcore.readers.formats.json.strict import strict_value

MOST_BYTES, MOST_COMMAS = 5_000_000, 500_000
"""Of a document: those of a thousand groups by each of several columns hold far less."""

UNHASHED = ("content_sha256", "created_utc")
"""What the content hash leaves out."""
OF_FILES = ("file", "sha256", "bytes", "row_ids_sha256", "sites")
"""What an entry of ``data`` says of its files."""


def canonical_json(value: Any) -> bytes:
    """A JSON value as RFC 8785 writes it: keys sorted, numbers as JavaScript prints them, no white space.

    Parameters
    ----------
    value : dict, list, text, finite number, bool or None.

    Returns
    -------
    bytes, UTF-8; the same from Python and JavaScript.

    Raises
    ------
    ValueError : for NaN, infinities, integers beyond 2**53 − 1 and text that is not Unicode.

    Source
    ------
    RFC 8785.

    Examples
    --------
    >>> canonical_json({"b": 1.0, "a": [1e-05, None, "é"]}).decode()
    '{"a":[0.00001,null,"é"],"b":1}'
    """
    return bytes(rfc8785.dumps(value))


def sha256_of(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def content_sha256(document: Mapping[str, Any]) -> str:
    """SHA-256 of what a document says: without its own hash and the time of its export."""
    return sha256_of({key: value for key, value in document.items() if key not in UNHASHED})


def result_sha256(document: Mapping[str, Any]) -> str:
    """SHA-256 of what a document found, whatever files its rows stood in.

    Left out are where it comes from (``provenance``, id, time) and the names, digests and sizes of files and
    the digest of ids: tallies of sites and the pooled rows on the same grid give the same.
    """
    found = {key: value for key, value in document.items() if key not in (*UNHASHED, "id", "provenance")}
    of_rows = [{key: one[key] for key in one if key not in OF_FILES} for one in document["data"]]
    return sha256_of({**found, "data": of_rows})


def id_of(document: Mapping[str, Any]) -> str:
    """The id of a document, which follows from its thresholds, its rows and how they were selected."""
    return f"op-{sha256_of({key: document[key] for key in ('rule', 'data', 'selection')})[:16]}"


def json_text(value: Any) -> str:
    """A JSON value as indented text for a person, with a line end; NaN is refused."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_strict_json(raw: bytes, *, file: str | None = None) -> Any:
    """The value of strict JSON: no NaN or Infinity, no key twice, no number beyond float64, UTF-8 throughout.

    Parameters
    ----------
    raw : the bytes of the file; a byte order mark is skipped.
    file : the file's name, for messages.

    Raises
    ------
    InputError : DOC-001, naming what is wrong; DOC-306 or FILE-074 where it is too large or too deep.
    """
    n_commas = raw.count(b",")
    if len(raw) > MOST_BYTES or n_commas > MOST_COMMAS:
        most = f"at most {MOST_BYTES:,} bytes and {MOST_COMMAS:,} commas"
        raise InputError(
            [
                problem(
                    "DOC-306", file=file, found=f"{len(raw):,} bytes and {n_commas:,} commas", expected=most
                )
            ]
        )
    findings = Findings()
    if not is_within_limits(raw, file, findings):
        raise InputError(findings.problems)
    try:
        value = strict_value(raw)
        canonical_json(value)
    except ValueError as error:
        found = str(error)
    else:
        return value
    raise InputError([problem("DOC-001", file=file, found=found)])
