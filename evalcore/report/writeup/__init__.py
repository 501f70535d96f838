"""A document of thresholds written up: paragraphs, tables that journals ask for, a statement to sign."""

from __future__ import annotations

from evalcore.operating_point import OperatingPoint
from evalcore.report.writeup.chapters import page
from evalcore.report.writeup.of_report import report_writeup as report_writeup
from evalcore.report.writeup.statement import envelope_text, pre_authentication, statement_text

PAGES = {
    "methods_and_results.md": "methods_and_results",
    "tripod_ai.md": "tripod_ai",
    "stard_ai.md": "stard_ai",
    "chai_metrics.md": "chai_metrics",
}
STATEMENT, TO_SIGN, ENVELOPE = "statement.json", "statement.pae", "statement.dsse.json"
FILES = (*PAGES, STATEMENT, TO_SIGN, ENVELOPE)


def writeup(
    point: OperatingPoint,
    *,
    raw: bytes | None = None,
    name: str | None = None,
    is_recomputed: bool = False,
    status_today: str | None = None,
    signature: bytes | None = None,
    key_id: str = "",
) -> dict[str, bytes]:
    """The files of a write-up.

    Parameters
    ----------
    point : the document, unchanged since its export.
    raw, name : the file that holds it; None: as `OperatingPoint.save` writes it, called by its id.
    is_recomputed : whether every number was recomputed on its data; the statement says which.
    status_today : the status by the rules of today, where recomputing found a lower one.
    signature : over the bytes of ``statement.pae``, made with the user's own key; makes the envelope.
    key_id : what the envelope says of the key.

    Returns
    -------
    File name → its bytes; the same document makes the same bytes.

    Raises
    ------
    InputError : DOC-003 and the like for a document that was changed; DOC-009 for a withdrawn one.
    """
    text = point.text  # refuses what was changed
    point.check_in_force()
    files = {file: page(template, point).encode() for file, template in PAGES.items()}
    statement = statement_text(
        point.document,
        raw=text.encode() if raw is None else raw,
        name=name or f"{point.document['id']}.json",
        is_recomputed=is_recomputed,
        status_today=status_today,
    ).encode()
    files |= {STATEMENT: statement, TO_SIGN: pre_authentication(statement)}
    if signature is not None:
        files[ENVELOPE] = envelope_text(statement, signature, key_id).encode()
    return files
