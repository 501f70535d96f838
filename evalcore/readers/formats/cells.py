"""Cells of a column as texts or numbers, from whatever the file stores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.arrays import NO_TEXT, arrow_texts, plain_array, texts_in
from evalcore.readers.formats.storage import values
from evalcore.readers.formats.table import Numbers, Texts
from evalcore.settings import Settings

_SPELLED = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NOT_FINITE = r"^[+-]?(?i:nan|inf|infinity)$"
_COMMA_SPELLED = r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$"
_GROUPED = r"^[+-]?[1-9][0-9]{0,2}([,.][0-9]{3})$"
MISSING = ("NA", "N/A", "<NA>", "#N/A", "NULL", "null", "None")
"""What programs write into a column of numbers where there is none; as text these words stay as they are."""

_FEW_BYTES = 1_000_000  # no limit is lower
_NUMBER = re.compile(_SPELLED)
_COMMA_NUMBER = re.compile(_COMMA_SPELLED)
_GROUPED_NUMBER = re.compile(_GROUPED)
_IS_MISSING = rf"^({'|'.join(map(re.escape, MISSING))})$"


def texts_of(array: Any) -> Texts:
    """The texts of an Arrow column of any type: numbers as the shortest text that reads back, null as ""."""
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if not pa.types.is_dictionary(chunked.type):
        if pa.types.is_nested(chunked.type):
            chunked = pa.chunked_array([pa.array(map(cell_text, values(chunked)), pa.string())])
        chunked = chunked.dictionary_encode()
    if not chunked.num_chunks:
        return Texts(np.zeros(0, np.int32), np.zeros(0, object))
    dictionary = chunked.chunk(0).dictionary
    # Where they are one already, as after encoding, Arrow would look up every level once for each chunk.
    if not all(one.dictionary.equals(dictionary) for one in chunked.chunks):
        chunked = chunked.unify_dictionaries()
        dictionary = chunked.chunk(0).dictionary
    codes = np.concatenate([_codes(c) for c in chunked.chunks])
    if pa.types.is_string(dictionary.type) and not dictionary.null_count and not (codes < 0).any():
        return Texts(codes, texts_in(dictionary))
    return _merged(codes, np.asarray([cell_text(v) for v in values(dictionary)], object))


def _codes(chunk: Any) -> NDArray[np.int32]:
    indices = chunk.indices
    return np.asarray(plain_array(indices.fill_null(-1) if indices.null_count else indices), np.int32)


def _merged(codes: NDArray[np.int32], levels: NDArray[np.object_]) -> Texts:
    """Null becomes the level "", and levels of one text one level."""
    if (codes < 0).any():
        codes = np.where(codes < 0, len(levels), codes).astype(np.int32)
        levels = np.append(levels, np.asarray([""], object))
    index: dict[str, int] = {}
    of_level = np.asarray([index.setdefault(text, len(index)) for text in levels.tolist()], np.int32)
    return Texts(of_level.take(codes), np.asarray(list(index), object))


def cells_fit(columns: Mapping[str, Any], row: NDArray[np.intp], file: str, findings: Findings) -> bool:
    """Whether no cell of text is larger than the limit; the first that is, in each column, is reported.

    Parameters
    ----------
    columns : name → Arrow column.
    row : data rows from 1, for messages.
    """
    limit = Settings.read().max_cell_mb * 1_000_000
    is_fine = True
    for name, column in columns.items():
        before = 0
        for chunk in column.chunks:
            if _longest(chunk) > limit:
                values = chunk.cast(pa.string()) if pa.types.is_dictionary(chunk.type) else chunk
                sizes = plain_array(pc.fill_null(pc.binary_length(values), 0))
                at = int(np.argmax(sizes > limit))
                place = int(row[before + at]) if before + at < len(row) else None
                findings.add("FILE-077", file=file, row=place, column=name, n=int(sizes[at]), limit=limit)
                is_fine = False
                break
            before += len(chunk)
    return is_fine


def _longest(chunk: Any) -> int:
    """Bytes of the longest cell of text; 0 where all together are few, which needs no look at each."""
    values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if not is_text or values.nbytes <= _FEW_BYTES:
        return 0
    return int(pc.max(pc.binary_length(values)).as_py() or 0)


def cell_text(value: Any) -> str:
    """A native value as the text of a cell: a list as ``a|b``, null as ""."""
    if isinstance(value, str):  # most are
        return str(value)
    if value is None:
        return ""
    if isinstance(value, (list, np.ndarray)):
        return "|".join(map(cell_text, value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Decimal):
        return format(value, "f")  # as text of its own a zero with ten places is 0E-10
    return number_text(value) if isinstance(value, float) else str(value)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without ``.0``.

    >>> number_text(17.0), number_text(0.30000000000000004), number_text(float("nan"))
    ('17', '0.30000000000000004', 'NaN')
    """
    if value != value:
        return "NaN"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(float(value))


def numbers_of(array: Any, comma_allowed: bool = False, comma_expected: bool = False) -> Numbers:
    """The numbers of an Arrow column of any type; a word for a missing number is an empty cell.

    Where every mark of a column may part thousands, as in ``1,234`` beside ``987``, its cells with one are
    not read: nothing says what they mean.

    Parameters
    ----------
    array : numbers, or text that spells them.
    comma_allowed : whether a comma can be a decimal mark where no cell of the column has a point.
    comma_expected : whether the decimal mark elsewhere is a comma, so that a point may part thousands.
    """
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if pa.types.is_boolean(chunked.type):
        chunked = chunked.cast(pa.int8())
    kind = chunked.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        is_empty = plain_array(pc.is_null(chunked)) if chunked.null_count else np.zeros(len(chunked), bool)
        values = plain_array(chunked.cast(pa.float64(), safe=False))
        if not values.flags.owndata:  # a view would keep every other column of the file in memory
            values = values.copy()
        return Numbers(values, is_empty, np.zeros(len(values), bool))
    if not pa.types.is_string(kind):
        return _numbers_in(texts_of(chunked), comma_allowed, comma_expected)
    cells = pc.utf8_trim_whitespace(chunked.fill_null(NO_TEXT))
    cells = pc.if_else(pc.match_substring_regex(cells, _IS_MISSING), NO_TEXT, cells)
    has_comma = comma_allowed and _any(cells, _COMMA_SPELLED) and not _any(cells, r"\.")
    if (has_comma and _may_part_thousands(cells, ",")) or (
        comma_expected and _may_part_thousands(cells, ".")
    ):
        cells = pc.if_else(pc.match_substring_regex(cells, _GROUPED), "?", cells)
    elif has_comma:
        cells = pc.replace_substring(cells, ",", ".")
    is_number = pc.or_(
        pc.match_substring_regex(cells, _SPELLED), pc.match_substring_regex(cells, _NOT_FINITE)
    )
    values = plain_array(pc.if_else(is_number, cells, pa.NULL).cast(pa.float64()))
    is_empty = plain_array(pc.equal(cells, NO_TEXT))
    return Numbers(np.asarray(values, np.float64), is_empty, ~plain_array(is_number) & ~is_empty)


def _may_part_thousands(cells: Any, mark: str) -> bool:
    """Whether cells with a mark all have it where thousands are parted."""
    marked = pc.match_substring(cells, mark)
    return bool(pc.any(marked).as_py()) and bool(
        pc.all(pc.or_(pc.invert(marked), pc.match_substring_regex(cells, _GROUPED))).as_py()
    )


def parts_thousands(cell: str) -> bool:
    """Whether a mark in a number stands where thousands are parted, as well as decimals may be.

    >>> parts_thousands("1,234"), parts_thousands("0,123"), parts_thousands("1,5")
    (True, False, False)
    """
    return bool(_GROUPED_NUMBER.match(cell.strip()))


def _any(cells: Any, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())


def _numbers_in(texts: Texts, comma_allowed: bool, comma_expected: bool = False) -> Numbers:
    levels = arrow_texts(texts.levels.tolist())
    return numbers_of(levels, comma_allowed, comma_expected).where(texts.codes)


def numbers_in(texts: Texts) -> Numbers:
    """The numbers that texts spell."""
    return _numbers_in(texts, comma_allowed=False)


def spells_number(text: str, comma_allowed: bool = False) -> bool:
    """Whether a cell spells a finite number.

    >>> spells_number(" 1e-3 "), spells_number("91%"), spells_number("0,5", comma_allowed=True)
    (True, False, True)
    """
    cell = text.strip()
    return bool(_NUMBER.match(cell) or (comma_allowed and _COMMA_NUMBER.match(cell)))
