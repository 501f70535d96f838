"""What every command does with its arguments: reading inputs, telling how far it is, keeping what is read."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import evalcore
from evalcore.data import ScoreOf
from evalcore.problems import InputError, listing, problem
from evalcore.readers.addresses import is_address, shown
from evalcore.schema import TABLES
from evalcore.settings import Settings

DONE, DOES_NOT_HOLD, WRONG_INPUT = 0, 1, 2
"""Exit status."""


class Progress:
    """Says on standard error what is being done, from the first second on and at most once a second."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._told = time.monotonic()

    def __call__(self, step: str) -> None:
        """Tell the step that begins now."""
        if time.monotonic() - self._told >= 1:
            self._told = time.monotonic()
            print(f"{self._doing}: {step}", file=sys.stderr, flush=True)


def keep_inputs(out: str, *inputs: str | None, named: str = "--out") -> None:
    """Refuse to write over what is read, or over anything that is no file.

    Parameters
    ----------
    out : the file that is to be written.
    inputs : files, folders and globs that are read; None for an input that is not given.
    named : the argument that names it.
    """
    keep_here(out, named)
    target = Path(out)
    is_input = target.exists() and any(target.samefile(path) for path in _paths(inputs))
    is_link = target.is_symlink()
    if is_input or is_link or (target.exists() and not target.is_file()):
        found = f"{out}, which is {'read too' if is_input else 'a link' if is_link else 'no file'}"
        raise InputError([problem("OPT-003", name=named, found=found, expected="a file of its own")])


def keep_sources(folder: str, names: Iterable[str], files: Iterable[Any], *inputs: str | None) -> None:
    """Refuse to write files of these names into a folder where one of them is a source of the data."""
    keep_here(folder, "--out")
    sources = {file.name for file in files}
    targets = [Path(folder) / name for name in names]
    # Names of one kind are told apart by their folder or a number: "split=test/part-0.csv", "part-0.csv (2)".
    read = [path for path in _paths(inputs) if any(path.name in source for source in sources)]
    for target in targets:
        if target.exists() and any(target.samefile(path) for path in read):
            found = f"{folder}, whose {target.name} is read too"
            raise InputError([problem("OPT-003", name="--out", found=found, expected="a folder of its own")])


def keep_here(out: str, named: str) -> None:
    """Refuse an address: what is written would go to a folder of that name here, and to nobody's store."""
    if is_address(out):
        expected = "a path on this machine: addresses are read, not written to"
        raise InputError([problem("OPT-003", name=named, found=shown(out), expected=expected)])


def _paths(inputs: Iterable[str | None]) -> Iterator[Path]:
    """The files that inputs name and that exist."""
    from evalcore.readers.inputs import paths_of

    for one in inputs:
        yield from (path for path, _ in paths_of(one) if path.exists()) if one is not None else ()


def load(
    arguments: argparse.Namespace,
    inputs: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    *,
    takes_tallies: bool = False,
) -> Any:
    """The data of the inputs; what the arguments do not say is read as ``reading`` does.

    Parameters
    ----------
    takes_tallies : whether files of sites may stand in place of rows.
    """
    given, beside = list(inputs or arguments.inputs), beside_of(arguments)
    if takes_tallies and _are_tallies(arguments, given):
        from evalcore.sites import read_tallies

        return read_tallies(given)
    if not given and not beside:
        expected = "a file, a folder or a glob"
        raise InputError([problem("OPT-003", name="INPUT", found="nothing", expected=expected)])
    how = {**how_read(arguments, given, reading), "max_rows": Settings.read().max_rows, **beside}
    return evalcore.load(given, **how)


def how_read(
    arguments: argparse.Namespace, given: Sequence[str], known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """How the arguments say that inputs are read, as of `evalcore.load`.

    Parameters
    ----------
    given : the inputs.
    known : what holds where the arguments do not say it.
    """
    known = known or {"columns": {}, "positive": None, "score_kind": "probability"}
    return {
        "candidates": arguments.candidates,
        "columns": {**known["columns"], **_columns(arguments.column)},
        "positive": arguments.positive or known["positive"],
        "score_kind": known["score_kind"] if arguments.score_kind == "probability" else arguments.score_kind,
        "encoding": arguments.encoding,
        "keep_first": arguments.keep_first,
        "no_header": arguments.no_header or known.get("no_header", False),
        "adjudicator": arguments.adjudicator,
        "score_of": score_of(arguments, given) or known.get("score_of"),
        "files_as": arguments.files_as or known.get("files_as"),
        "truth": arguments.truth,
        "task": arguments.task,
        "predicted_ratings": getattr(arguments, "predicted_ratings", False),
    }


def _are_tallies(arguments: argparse.Namespace, given: Sequence[str]) -> bool:
    """Whether the inputs are files of sites.

    Raises
    ------
    InputError : SIT-001 for tallies beside rows, SIT-007 for options that say how rows are read.
    """
    from evalcore.sites import are_tallies

    if not are_tallies(given):
        return False
    named = {
        "--candidates": arguments.candidates,
        "--column": arguments.column,
        "--positive": arguments.positive,
        "--truth": arguments.truth,
        "--as": arguments.files_as,
        "--score-of": arguments.score_of,
        "--grid": getattr(arguments, "grid", None),
        **{f"--{name.replace('_', '-')}": files for name, files in beside_of(arguments).items()},
    }
    expected, advice = "tallies alone", "say it where they are gathered."
    found = [name for name, value in named.items() if value]
    if found:
        told = (problem("SIT-007", found=name, expected=expected, advice=advice) for name in found)
        raise InputError(list(told))
    return True


BESIDE = {
    "lists": "recommendation lists, where neither the name nor the columns of a file say so",
    "train": "train interactions: user, item[, rating]",
    "test": "test interactions: user, item[, rating]; relevant is a rating above 0",
    "scores": "scores of all items: a matrix (.npz, .npy) or a table of user, item, score",
    "user_groups": "groups of users: id, cluster",
    "item_groups": "groups of items: id, cluster",
    "item_features": "features of items: columns of 0 and 1, or a list a|b|c",
}
"""What can be given beside recommendation lists, and what it is."""


def beside_of(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """What was given beside the lists: name → files."""
    found = {name: getattr(arguments, f"beside_{name}", None) for name in BESIDE}
    return {name: files for name, files in found.items() if files}


def every_input(arguments: argparse.Namespace) -> list[str | None]:
    """Every file that is read: none of them may be written over."""
    beside = [file for files in beside_of(arguments).values() for file in files]
    return [*arguments.inputs, *beside, arguments.candidates, arguments.truth]


def score_of(arguments: argparse.Namespace, inputs: Sequence[str]) -> ScoreOf | None:
    """The answer of ``--score-of`` for inputs that are read together: what names one, else the plain one.

    Raises
    ------
    InputError : OPT-003 for another word or an input that is not there; OPT-008 for answers that differ.
    """
    every = [*getattr(arguments, "inputs", []), *inputs]
    every += [name for name in (getattr(arguments, "test_file", None),) if name is not None]
    plain: ScoreOf | None = None
    by_name: dict[str, ScoreOf] = {}
    for text in arguments.score_of or []:
        name, _, word = text.rpartition("=")
        said = _SCORES_OF.get(word)
        if said is None:
            expected = "positive, predicted, or an answer for one input such as FILE=predicted"
            raise InputError([problem("OPT-003", name="--score-of", found=text, expected=expected)])
        if name and not any(_is_called(one, name) for one in every):
            expected = f"one of the inputs: {', '.join(dict.fromkeys(map(str, every)))}"
            raise InputError([problem("OPT-003", name="--score-of", found=name, expected=expected)])
        if name:
            by_name[name] = said
        else:
            plain = said
    answers = {
        next((answer for name, answer in by_name.items() if _is_called(one, name)), plain) for one in inputs
    }
    if len(answers) > 1:
        found = "--score-of with another answer for some of the files that are read together"
        advice = "Files of one table are read one way; answer for all of them, or evaluate them one by one."
        raise InputError([problem("OPT-008", found=found, expected="one answer", advice=advice)])
    return answers.pop() if answers else plain


_SCORES_OF: Mapping[str, ScoreOf] = {"positive": "positive", "predicted": "predicted"}


def _is_called(given: str, name: str) -> bool:
    """Whether an input, as it was given, is the one of a name: its path, or its last part."""
    return str(given) == name or Path(given).name == name


def load_as_read(
    arguments: argparse.Namespace,
    inputs: Sequence[str],
    reading: Mapping[str, Any],
    *,
    takes_tallies: bool = False,
) -> Any:
    """The data of the inputs, read as a document says; other data as they are, to be told apart."""
    try:
        return load(arguments, inputs, reading, takes_tallies=takes_tallies)
    except InputError:
        return load(arguments, inputs, takes_tallies=takes_tallies)


def _columns(texts: Sequence[str]) -> dict[str, Any]:
    """``ROLE=NAME`` as a mapping; a role that is named several times has several columns."""
    columns: dict[str, Any] = {}
    for text in texts:
        role, equals, name = text.partition("=")
        if not equals or not role:
            expected = "ROLE=NAME, such as probability=p_final, or ROLE= where no column has it"
            raise InputError([problem("OPT-003", name="--column", found=text, expected=expected)])
        columns[role] = [*columns.get(role, []), *([name] if name else [])]
    return {role: names[0] if len(names) == 1 else names or None for role, names in columns.items()}


def ask_for_model(model: str | None, *several: Any) -> None:
    """Refuse to take one of several models unasked: another model's thresholds would look the same."""
    if model is not None:
        return
    for given in several:
        queries = None if given is None else given.queries
        models: tuple[str, ...] = () if queries is None else queries.models
        if len(models) > 1:
            found, expected = f"{len(models)} models and no --model", f"one of {', '.join(models)}"
            advice = "Say for which of them, such as --model " + models[0] + "."
            raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])


def columns_used(data: Any) -> list[str]:
    """One line a file: which of its columns are the label, the score and the ids."""
    lines = []
    for source in data.sources:
        of_roles = source.columns if source.role in TABLES else {}
        known = [(words, of_roles[role]) for role, words in _TOLD.items() if role in of_roles]
        if source.role in ("qrels", "run"):
            lines.append(f"{source.name}: {_ranking_used(source)}")
        if not known or source.role in ("qrels", "run"):
            continue
        told = ", ".join(f"{words} {column}" for words, column in known)
        ids = "" if any(role in source.columns for role in _IDS) else "; no ids: a row is known by its number"
        is_of_predicted = data.score_of == "predicted" and "predicted_label" in source.columns
        whose = "; the score is that of the predicted class" if is_of_predicted else ""
        lines.append(f"{source.name}: {told}{ids}{whose}")
    return lines


def _ranking_used(source: Any) -> str:
    """What a qrels or a run was read by."""
    if source.format.startswith("TREC"):
        return f"a TREC {source.role}, its fields by their place"
    used = source.columns.items()
    return f"a {source.role}: " + ", ".join(role if role == name else f"{role} {name}" for role, name in used)


_IDS = {
    "post_id": "post",
    "query_id": "query",
    "record_uuid": "record",
    "user_id": "user",
    "item_id": "item",
}
_TOLD = {
    "has_evidence": "label",
    "gold_ids": "gold",
    "is_gold": "gold",
    "probability": "score",
    "score": "score",
    "rank": "rank",
    "rating": "rating",
    "ranked_ids": "lists",
    "predicted_label": "prediction",
    **_IDS,
    "criterion_id": "criterion",
    "sent_uid": "sentence",
    "chunk_id": "chunk",
    "model": "model",
}
"""Role → what it is called to the user, in the order in which columns are told."""


def warn(*several: Any) -> None:
    """Print the warnings of data on standard error, each once."""
    warnings = list(dict.fromkeys(found for data in several if data is not None for found in data.warnings))
    if warnings:
        print(listing(warnings), file=sys.stderr)


def facts(data: Any) -> list[str]:
    lines = []
    for source in data.sources:
        excluded = "".join(f"; {n:,} excluded: {reason}" for reason, n in source.excluded.items())
        rows = "row" if source.n_rows == 1 else "rows"
        lines.append(f"{source.name}: {source.n_rows:,} {rows} in, {source.n_used:,} used{excluded}")
    return [*lines, *data.notes]
