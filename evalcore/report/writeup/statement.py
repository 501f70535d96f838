"""An in-toto statement of what a document's test showed, and what of it is signed.

Statement v1 with the predicate test-result v0.1 (in-toto attestation framework); the envelope and the bytes
to sign are those of DSSE v1. The key stays with whoever signs: nothing here reads one.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from evalcore.operating_point.rules import EARLIER, rules_of
from evalcore.operating_point.wording import percent

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
PASSED, WARNED, FAILED = "PASSED", "WARNED", "FAILED"
RECOMPUTED = "every number recomputed from the data"
CERTIFIED = "status certified"


def statement_text(
    document: Mapping[str, Any],
    *,
    raw: bytes,
    name: str,
    is_recomputed: bool,
    status_today: str | None = None,
) -> str:
    """The statement as JSON.

    Its subject is the document's file; each target on the rows that decide is a test. A target met with
    confidence has passed, one that is not met has failed, and all between is a warning; so is a document that
    is not certified, one of an earlier schema whose status nobody knows by the rules of today or that is a
    lower one by them, and one whose numbers nobody recomputed.

    Parameters
    ----------
    document : valid and unchanged.
    raw, name : the file that holds it.
    is_recomputed : whether every number was recomputed on its data.
    status_today : the status by the rules of today, where it was recomputed and is a lower one.
    """
    tests: dict[str, list[str]] = {PASSED: [], WARNED: [], FAILED: []}
    # Earlier rules let pass more: only a recomputation tells what today's would say.
    is_known_today = is_recomputed or rules_of(document) not in EARLIER
    is_certified = document["status"] == "certified" and is_known_today and status_today is None
    tests[PASSED if is_certified else WARNED].append(CERTIFIED)
    tests[PASSED if is_recomputed else WARNED].append(RECOMPUTED)
    roles = {entry["role"] for entry in document["data"]}
    for claim in document["claims"]:
        if claim["evaluated_on"] == "test" or "test" not in roles:
            tests[_outcome(claim["verdict"])].append(_test_name(claim))
    result = next((one for one in (FAILED, WARNED) if tests[one]), PASSED)
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {
                "name": name,
                "digest": {"sha256": hashlib.sha256(raw).hexdigest()},
                "annotations": {"id": document["id"], "content_sha256": document["content_sha256"]},
            }
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": result,
            "configuration": [_resource(entry) for entry in document["data"]],
            "passedTests": tests[PASSED],
            "warnedTests": tests[WARNED],
            "failedTests": tests[FAILED],
        },
    }
    return json.dumps(statement, indent=2, ensure_ascii=False) + "\n"


def pre_authentication(statement: bytes) -> bytes:
    """The bytes that are signed: DSSE's pre-authentication encoding of the statement.

    Examples
    --------
    >>> pre_authentication(b"{}")
    b'DSSEv1 28 application/vnd.in-toto+json 2 {}'
    """
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(statement), statement)


def envelope_text(statement: bytes, signature: bytes, key_id: str) -> str:
    """The statement with its signature, as a DSSE envelope."""
    envelope = {
        "payload": base64.b64encode(statement).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": key_id, "sig": base64.b64encode(signature).decode()}],
    }
    return json.dumps(envelope, indent=2) + "\n"


def _outcome(verdict: str) -> str:
    return {"met_with_confidence": PASSED, "not_met": FAILED}.get(verdict, WARNED)


def _test_name(claim: Mapping[str, Any]) -> str:
    level = "" if claim.get("confidence") is None else f" at {percent(claim['confidence'])} confidence"
    return f"{claim['metric']} {claim.get('op', '>=')} {claim['value']} on {claim['evaluated_on']}{level}"


def _resource(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A file of the data; the digest of several is that over their digests, as the document has it."""
    facts = {"role": entry["role"], "rows": entry["row_filter"] if entry.get("row_filter") else "all"}
    return {
        "name": entry.get("file", entry["role"]),
        "digest": {"sha256": entry["sha256"]},
        "annotations": facts,
    }
