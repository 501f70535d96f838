"""The rows of some users as recommendations, by what was settled on all files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evalcore.data import Source
from evalcore.problems import Findings
from evalcore.readers.chunks.by_id import SomeRows
from evalcore.readers.chunks.files import PartFile
from evalcore.readers.chunks.reading import rows_of_file
from evalcore.readers.chunks.users.settling import Settled
from evalcore.readers.evidence.rows import EMPTY_ROW, Rows
from evalcore.readers.options import Options
from evalcore.readers.recommender.about import groups_in
from evalcore.readers.recommender.assembling import are_numbers, pairs_in
from evalcore.readers.recommender.files import Files
from evalcore.readers.recommender.groups import Room
from evalcore.readers.recommender.naming.ids import Ids
from evalcore.readers.recommender.naming.whole import OF_PAIRS
from evalcore.readers.recommender.numbers import begin_at_zero, check_numbers, check_ranks
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import RanksAndScores
from evalcore.recommendations import USER_GROUP, Recommendations


@dataclass(frozen=True, eq=False)
class ReadUsers:
    """What the rows of some users give.

    Parameters
    ----------
    table : None where a problem stops them.
    sources : file → its rows here.
    unused : file → column → why it is left out.
    ranks : as of `PairsIn`.
    from_zero : file with ranks → whether these begin at 0.
    """

    table: Recommendations | None
    sources: Mapping[str, Source]
    unused: Mapping[str, Mapping[str, str]]
    ranks: Mapping[tuple[str, str], tuple[str, RanksAndScores]]
    from_zero: Mapping[str, bool]


def read_users(
    files: tuple[PartFile, ...], settled: Settled, users: SomeRows, options: Options, findings: Findings
) -> ReadUsers:
    """The rows of some users as a table whose items are those of all files.

    Parameters
    ----------
    files : those that the rows are of.
    settled : on all of them.
    users : their rows.
    options : how they are read.
    findings : gets what is wrong with them.
    """
    read: list[Opened] = []
    empty: dict[str, Source] = {}
    for chunk in users:
        opened = settled.tables[chunk.file]
        assert opened.rows is not None
        own = Findings()
        rows = rows_of_file(files[chunk.file], chunk, opened.rows.mapped, own)
        if rows is None and {one.code for one in own.errors} == {"FILE-008"}:
            n = chunk.rows.num_rows
            empty[opened.name] = replace(opened.rows.source(), n_rows=n, n_used=0, excluded={EMPTY_ROW: n})
            continue
        own.hand_over(findings)
        if rows is not None:
            read.append(replace(opened, rows=rows))
    found = Files(read, findings, is_whole=False)
    for one in found.of(*OF_PAIRS):
        assert one.rows is not None
        _check_numbers(one.rows, one.role, settled, options, findings)
    if findings.errors:
        return ReadUsers(None, {}, {}, {}, {})
    ids = Ids.of(found.levels("user_id", *OF_PAIRS).values())
    pairs = pairs_in(found, settled.named, ids, settled.items, options, findings, has_test=settled.has_test)
    lists = pairs.lists
    if options.predicted_ratings:
        lists = {model: replace(one, is_rated=True) for model, one in lists.items()}
    slices = groups_in(
        found, "user_groups", "user_id", USER_GROUP, ids, Room(findings), findings, settled.too_many
    )
    table = Recommendations(
        user_ids=ids.texts,
        item_ids=settled.items.texts,
        lists=lists,
        scores=pairs.scores,
        train=pairs.train,
        test=pairs.test,
        slices=slices,
    )
    tables = [one.rows for one in read if one.rows is not None]
    from_zero = {rows.name: begins for rows in tables if (begins := begin_at_zero(rows)) is not None}
    return ReadUsers(
        None if findings.errors else table,
        {**empty, **{rows.name: rows.source() for rows in tables}},
        {rows.name: rows.unused for rows in tables if rows.unused},
        pairs.ranks,
        from_zero,
    )


def _check_numbers(rows: Rows, role: str, settled: Settled, options: Options, findings: Findings) -> None:
    """Report scores, ranks and ratings that are no numbers of their kind."""
    if role == "test" and "rating" not in rows.mapped.roles:  # whether it may be was settled
        check_numbers(rows, "score", "RCM-006", findings)
        check_ranks(rows, findings)
        return
    are_numbers(rows, role, settled.has_test, options, findings)
