"""What is known of files of annotations once each row was seen: systems of records, groups, who annotated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes, paired_hashes
from evalcore.problems import Findings
from evalcore.readers.columns.mapping import MAX_LEVELS
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.responses.long import OfFile, kept_rows
from evalcore.readers.rag.responses.spelling import are_flags, spelled_as_flags

Hashes = NDArray[np.uint64]


@dataclass
class RecordFacts:
    """What is known of the rows of a file so far.

    Parameters
    ----------
    records, pairs : hashes of records, and of records with their systems, of each batch.
    as_flags : as ``pairs``, where systems that mean yes, no or nothing are spelled in one way.
    system : the column of systems.
    cells : column → its different cells, no more than are looked at.
    annotators : their names.
    n_rows : rows that are not empty.
    """

    records: list[Hashes] = field(default_factory=list)
    pairs: list[Hashes] = field(default_factory=list)
    as_flags: list[Hashes] = field(default_factory=list)
    system: str | None = None
    cells: dict[str, dict[str, None]] = field(default_factory=dict)
    annotators: dict[str, None] = field(default_factory=dict)
    n_rows: int = 0

    def add(self, rows: Rows) -> None:
        """Take in some rows."""
        self.n_rows += rows.columns.n_rows
        record, system, annotator = (rows.text(role) for role in ("record_uuid", "system", "annotator_id"))
        if record is not None and system is not None:
            kept = kept_rows(rows, Findings())
            of_record = hashes(record.levels)[record.codes[kept]]
            self.system = rows.mapped.one("system")
            self.records.append(np.unique(of_record))
            for known, spelled in ((self.pairs, system), (self.as_flags, spelled_as_flags(system))):
                of_system = hashes(spelled.levels)[spelled.codes[kept]]
                known.append(np.unique(paired_hashes(of_record, of_system)))
        if annotator is not None:
            self.annotators.update(dict.fromkeys(map(str, annotator.levels.tolist())))
        for name in (*rows.mapped.groups, rows.mapped.one("system"), rows.mapped.one("discard_reason")):
            if name is not None:
                cells = self.cells.setdefault(name, {})
                if len(cells) <= MAX_LEVELS:
                    cells.update(dict.fromkeys(map(str, rows.columns.texts[name].levels.tolist())))

    def look_at(self, cells: Mapping[str, Texts]) -> None:
        """Nothing more is looked at."""

    def of_file(self) -> OfFile:
        """What holds for any rows of the file."""
        too_many = frozenset(name for name, cells in self.cells.items() if len(cells) > MAX_LEVELS)
        flags = [name for name, cells in self.cells.items() if name not in too_many and are_flags([*cells])]
        pairs = self.as_flags if self.system in flags else self.pairs
        n_records, n_pairs = (_n_different(of_batch) for of_batch in (self.records, pairs))
        return OfFile(n_pairs > n_records, too_many, frozenset(flags))


def _n_different(of_batches: list[Hashes]) -> int:
    return len(np.unique(np.concatenate(of_batches))) if of_batches else 0
