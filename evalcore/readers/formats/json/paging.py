"""Pages of an export: what stands beside the rows of an API's answer says that there are more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.schema import plain

_LONGEST = 2**14
_PAGE = ("page", "page_number", "current_page", "pagenumber", "currentpage")
_PAGES = (
    "total_pages",
    "totalpages",
    "page_count",
    "pagecount",
    "num_pages",
    "n_pages",
    "last_page",
    "pages",
)
_TOTAL = (
    "total",
    "total_items",
    "totalitems",
    "total_count",
    "totalcount",
    "total_rows",
    "totalrows",
    "total_results",
    "totalresults",
    "total_elements",
    "totalelements",
    "count",
)
_NEXT = (
    "next",
    "next_page",
    "nextpage",
    "cursor",
    "next_cursor",
    "nextcursor",
    "next_token",
    "nexttoken",
    "next_page_token",
    "nextpagetoken",
    "next_url",
    "@odata.nextlink",
)
_MORE = ("has_more", "hasmore", "has_next", "hasnext", "has_next_page", "hasnextpage")
_WITHIN = ("meta", "metadata", "pagination", "paging", "page", "page_info", "pageinfo", "links", "_links")
_KNOWN = (*_PAGE, *_PAGES, *_TOTAL, *_NEXT, *_MORE, "per_page", "page_size", "pagesize", "limit", "offset")


def page_in_words(beside: Mapping[str, bytes], n_rows: int) -> tuple[str, tuple[str, ...]]:
    """Which page of how many the rows of an answer are, empty where they are all; and the names that say it.

    Parameters
    ----------
    beside : name → text of each member beside the rows.
    n_rows : the rows of this answer.

    >>> page_in_words({"page": b"1", "total": b"120", "model": b'"m"'}, 50)
    ('page 1 of an export: 50 rows of 120 in all', ('page', 'total'))
    >>> page_in_words({"total": b"50", "next": b"null"}, 50)
    ('', ('total', 'next'))
    """
    found = {name: value for name, text in beside.items() if (value := _small(text)) is not _UNREAD}
    said = {name: dict(_facts(name, value)) for name, value in found.items()}
    names = tuple(name for name, facts in said.items() if facts)
    facts = {key: value for one in said.values() for key, value in one.items()}
    page, pages, total = (_whole(facts, known) for known in (_PAGE, _PAGES, _TOTAL))
    follows = any(facts.get(key) not in (None, "", False) for key in (*_NEXT, *_MORE))
    is_part = (pages is not None and pages > 1) or (total is not None and total > n_rows)
    if not (follows or is_part or (page is not None and page > 1)):
        return "", names
    which = "one page" if page is None else f"page {page:,}"
    of = " of an export" if pages is None else f" of {pages:,}"
    rows = f"{n_rows:,} rows" + ("" if total is None or total < n_rows else f" of {total:,} in all")
    return f"{which}{of}: {rows}" + (", and the file says that more follow" if follows else ""), names


_UNREAD = object()


def _small(text: bytes) -> Any:
    try:
        return json.loads(text) if len(text) <= _LONGEST else _UNREAD
    except (ValueError, RecursionError):
        return _UNREAD


def _facts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a member says of pages, and what lies in it where it is an object about them."""
    key = plain(name)
    if isinstance(value, dict):
        if key in _WITHIN:
            for inner, one in value.items():
                yield from _facts(inner, one)
    elif key in _KNOWN and not isinstance(value, list):
        yield key, value


def _whole(facts: Mapping[str, Any], known: tuple[str, ...]) -> int | None:
    values = [facts[name] for name in known if type(facts.get(name)) is int]
    return values[0] if values else None
