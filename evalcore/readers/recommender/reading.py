"""From the files of the task ``recommender`` to checked, frozen recommendations, every problem at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalcore.data import Data, Source
from evalcore.problems import Findings
from evalcore.readers.columns.stated import check_given
from evalcore.readers.inputs import Inputs, RawFile, handed_over, named_apart, raw_files
from evalcore.readers.options import Options
from evalcore.readers.reading import Reading
from evalcore.readers.recommender.assembling import assembled
from evalcore.readers.recommender.opening import Given, Opened, opened
from evalcore.readers.recommender.roles import role_named
from evalcore.recommendations import Recommendations

_UNREAD = "no table that can be read: "


def read_recommendations(
    files: list[RawFile], candidates: Inputs | None, truth: Any, options: Options, findings: Findings
) -> Reading:
    """Read lists, scores, interactions, groups and features as far as they can be read."""
    refuse_answers({"--score-of": options.score_of, "--truth": truth, "--candidates": candidates}, findings)
    found, tables, left_out = opened(_given(files, options, findings), options.columns, options, findings)
    refuse_unread(found, findings)
    check_given(options.columns, [one.table for one in tables], findings)
    found = with_roles(found, left_out, findings)
    result = assembled(found, options, findings) if found else None
    rows = tuple(one.rows for one in found if one.rows is not None)
    matrices = {one.name: one.matrix.source() for one in found if one.matrix is not None}
    if result is None:
        return Reading(tuple(tables), findings, None, rows=rows, sources=matrices)
    sources = tuple(one.rows.source() if one.rows is not None else matrices[one.name] for one in found)
    data = data_of(*result, sources, {one.name: one.unused for one in rows if one.unused}, left_out)
    for one in rows:
        one.release()
        one.mapped.table.close()
    return Reading(tuple(tables), findings, data, rows=rows, sources=matrices)


def _given(files: list[RawFile], options: Options, findings: Findings) -> Iterator[Given]:
    """Every file with the role that the user gave it, those of one name told apart."""
    every = [*files]
    roles: list[str | None] = [None] * len(files)
    files.clear()
    for role, inputs in options.beside.items():
        more = list(raw_files(inputs, findings))
        kept = not_again(every, more)
        every, roles = [*(every[at] for at in kept), *more], [roles[at] for at in kept]
        roles += [role] * len(more)
    named = named_apart(every)
    every.clear()
    yield from (Given(file, role) for file, role in zip(handed_over(named), roles, strict=True))


def refuse_answers(asked: Mapping[str, Any], findings: Findings) -> None:
    """Refuse what is said of predictions: option → its value, None where it is not given."""
    for name in (name for name, value in asked.items() if value is not None):
        facts = {"found": f"{name} for recommendations", "expected": "predictions"}
        findings.add("OPT-008", **facts, advice=f"Leave out {name}: it is about predictions.")


def not_again(every: Sequence[RawFile], more: Sequence[RawFile]) -> list[int]:
    """Which of the files so far stay beside others: those of a folder that are not named once more."""
    again = {(one.name, one.sha256) for one in more}
    return [at for at, one in enumerate(every) if one.was_named or (one.name, one.sha256) not in again]


def refuse_unread(found: Sequence[Opened], findings: Findings) -> None:
    """Refuse to go on without interactions that a left-out file of a folder holds by its name."""
    read = {one.role for one in found}
    for one in [one for one in findings.warnings if one.code == "FILE-019"]:
        role = role_named(one.file or "")
        if role in ("train", "test") and role not in read:
            findings.add("RCM-070", file=one.file, role=role, reason=one.found.removeprefix(_UNREAD))


def with_roles(found: Sequence[Opened], left_out: dict[str, str], findings: Findings) -> list[Opened]:
    """The files that are read: there must be something to judge, and a word on what interactions are for."""
    if not any(one.role in ("lists", "scores") for one in found):
        rated = [one.rows for one in found if one.role == "interactions" and one.rows is not None]
        rated = [rows for rows in rated if "rating" in rows.mapped.roles]
        if rated and not findings.errors and any(one.role == "test" for one in found):
            for rows in rated:
                findings.add("RCM-087", file=rows.name, name=rows.mapped.one("rating"))
        elif found and not findings.errors:
            findings.add("RCM-001", found=", ".join(one.name for one in found))
        elif not findings.errors:
            findings.add("FILE-020", n=len(left_out))
        return list(found)
    for one in found:
        if one.role != "interactions":
            continue
        if one.was_named:
            assert one.rows is not None
            roles = one.rows.mapped.roles
            findings.add("RCM-002", file=one.name, user=roles["user_id"][0], item=roles["item_id"][0])
            continue
        left_out[one.name] = "interactions of which nothing says whether they are of the training or the test"
        findings.add("FILE-019", file=one.name, reason=left_out[one.name])
    return [one for one in found if one.role != "interactions" or one.was_named]


def data_of(
    table: Recommendations,
    notes: tuple[str, ...],
    sources: tuple[Source, ...],
    unused: Mapping[str, Mapping[str, str]],
    left_out: Mapping[str, str],
) -> Data:
    more = [f"{name} was left out: {reason}." for name, reason in sorted(left_out.items())]
    for name, why in unused.items():
        texts = sorted(column for column, reason in why.items() if reason.startswith("personal text"))
        if texts:
            more.append(f"{name}: the text columns {', '.join(texts)} were dropped and are kept nowhere.")
    return Data(
        task="recommender",
        sources=sources,
        tables={"recommendations": table},
        score_kind="score",
        notes=(*notes, *more),
        facts={"unused_columns": dict(unused), "ignored_files": dict(left_out)},
    )
