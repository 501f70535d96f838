"""Features of an item in one cell, between other marks than bars."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.problems import Findings

_MARKS = {";": "semicolons", ",": "commas"}


def barred(texts: Sequence[str], file: str, column: str, findings: Findings) -> list[str]:
    """The cells with bars between features, where semicolons or commas stand there, which is told.

    Words between blanks may be several features or one: refused where fewer words than cells say that they
    are several, as in ``Action Comedy``, ``Comedy Drama`` and ``Drama``.
    """
    cells = {text for text in texts if text}
    if any("|" in cell or cell[:1] in "[(" for cell in cells):
        return list(texts)
    for mark, words in _MARKS.items():
        if not any(mark in cell for cell in cells):
            continue
        found = ["|".join(part for one in text.split(mark) if (part := one.strip())) for text in texts]
        names = sorted({name for text in found for name in text.split("|") if name})
        facts = {"marks": words, "n": len(names), "found": ", ".join(names[:5])}
        findings.add("RCM-081", file=file, column=column, **facts)
        return found
    several = [cell for cell in cells if len(cell.split()) > 1]
    n_words = len({word for cell in cells for word in cell.split()})
    if several and n_words < len(cells):
        facts = {"found": f"“{min(several)}”", "n": n_words, "n_all": len(cells)}
        findings.add("RCM-082", file=file, column=column, **facts)
    return list(texts)
