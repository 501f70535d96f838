"""What is known of files of users once each row was seen: ids, models, groups, and columns with values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.columns.mapping import MAX_LEVELS
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.recommender.files import Files
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.ratings import may_be_ratings, telling

Ids = dict[str, int]
"""Id → the first row that has it, by first appearance."""
VALUES = ("score", "rank")


@dataclass
class FileFacts:
    """What is known of the rows of a file so far.

    Parameters
    ----------
    users, items : ids, each with its first row.
    models : levels of the column of models, by first appearance, and whether any row has them.
    items_of : level of the column of models, "" without one → its items.
    with_values : roles of columns in which any cell is not empty.
    rated : items of rows with a rating.
    groups : column of groups → its different cells, no more than are looked at; and how many these are.
    looked_at : column that may hold ratings → cells by which that is decided.
    n_rows : rows that are not empty.
    """

    users: Ids = field(default_factory=dict)
    items: Ids = field(default_factory=dict)
    models: dict[str, bool] = field(default_factory=dict)
    items_of: dict[str, dict[str, None]] = field(default_factory=dict)
    with_values: set[str] = field(default_factory=set)
    rated: dict[str, None] = field(default_factory=dict)
    groups: dict[str, dict[str, None]] = field(default_factory=dict)
    looked_at: dict[str, list[str]] = field(default_factory=dict)
    n_rows: int = 0

    def add(self, rows: Rows) -> None:
        """Take in some rows."""
        self.n_rows += rows.columns.n_rows
        for role, ids in (("user_id", self.users), ("item_id", self.items)):
            if role in rows.mapped.roles:
                _add_ids(ids, _text(rows, role), rows)
        if "item_id" in rows.mapped.roles:
            self._add_models(rows)
        for role in VALUES:
            numbers = rows.number(role)
            if numbers is not None and not numbers.is_empty.all():
                self.with_values.add(role)
        rating = rows.number("rating")
        if rating is not None:
            item = _text(rows, "item_id")
            at = np.unique(item.codes[np.isfinite(rating.values)])
            self.rated.update(dict.fromkeys(map(str, item.levels[at].tolist())))
        for name in rows.columns.texts.keys() & {*rows.mapped.groups, rows.mapped.one("cluster")}:
            cells = self.groups.setdefault(name, {})
            if len(cells) <= MAX_LEVELS:
                cells.update(dict.fromkeys(map(str, rows.columns.texts[name].levels.tolist())))

    def look_at(self, cells: Mapping[str, Texts]) -> None:
        """Take in columns of a test without ratings that may hold them."""
        for name, texts in cells.items():
            before = self.looked_at.get(name, [])
            self.looked_at[name] = telling(
                [*before, *map(str, texts.levels[np.unique(texts.codes)].tolist())]
            )

    def _add_models(self, rows: Rows) -> None:
        item, model = _text(rows, "item_id"), rows.text("model")
        levels = [""] if model is None else model.levels.tolist()
        codes = np.zeros(len(item.codes), np.int64) if model is None else model.codes.astype(np.int64)
        pairs = np.unique(codes * max(len(item.levels), 1) + item.codes)
        for level in map(str, levels):
            self.models.setdefault(level, False)
        of_model, of_item = np.divmod(pairs, max(len(item.levels), 1))
        for at in np.unique(of_model).tolist():
            level = str(levels[at])
            self.models[level] = True
            names = map(str, item.levels[of_item[of_model == at]].tolist())
            self.items_of.setdefault(level, {}).update(dict.fromkeys(names))


def looked_at_in(opened: Opened) -> list[str]:
    """The columns of a file of the test that may be its ratings, where none is said to be."""
    assert opened.rows is not None
    if opened.role != "test" or "rating" in opened.rows.mapped.roles:
        return []
    return may_be_ratings(opened.rows.mapped.table, opened.rows.unused)


def _text(rows: Rows, role: str) -> Texts:
    texts = rows.text(role)
    assert texts is not None
    return texts


def _add_ids(ids: Ids, texts: Texts, rows: Rows) -> None:
    levels = texts.levels.tolist()
    first = np.full(len(levels), 0, np.intp)
    first[texts.codes[::-1]] = rows.row[::-1]
    for text, row in zip(map(str, levels), first.tolist(), strict=True):
        if text not in ids:
            ids[text] = row


class AllFiles:
    """The files of an input, by what is known of them: as `Files`, of which nothing holds the rows of users.

    Parameters
    ----------
    users : files of users.
    facts : of each of them.
    items : files of items, with their rows.
    findings : gets what is wrong with their ids.
    """

    def __init__(
        self,
        users: Sequence[Opened],
        facts: Sequence[FileFacts],
        items: Sequence[Opened],
        findings: Findings,
    ) -> None:
        self.about_items = Files(items, findings)
        self._users = users
        self.facts = {one.name: of_file for one, of_file in zip(users, facts, strict=True)}

    @property
    def matrices(self) -> Mapping[str, Matrix]:
        """None: they are no Parquet files."""
        return {}

    def of(self, *roles: str) -> list[Opened]:
        """The files of some roles."""
        return [one for one in self._users if one.role in roles] + self.about_items.of(*roles)

    def levels(self, role: str, *roles: str) -> dict[str, Iterable[str]]:
        """File → the ids of users or items in it, of files of some roles."""
        found: dict[str, Iterable[str]] = {}
        for one in self._users:
            if one.role in roles and one.rows is not None and role in one.rows.mapped.roles:
                facts = self.facts[one.name]
                found[one.name] = (facts.users if role == "user_id" else facts.items).keys()
        return {**found, **self.about_items.levels(role, *roles)}

    def models(self, one: Opened) -> list[str] | None:
        """The models that the rows of a file name, by first appearance; None without such a column."""
        assert one.rows is not None
        if "model" not in one.rows.mapped.roles:
            return None
        return [level for level, has_rows in self.facts[one.name].models.items() if has_rows]

    def roles(self, one: Opened) -> Collection[str]:
        """The roles of the columns of a file that have values."""
        assert one.rows is not None
        return one.rows.mapped.roles.keys()
