"""What a user names as input, as bytes with a name: files, folders, globs and uploads in memory."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.addresses import is_address, shown
from evalcore.readers.folders import is_told, parts_in, why_not_read
from evalcore.readers.partitions import folders_within, partitions_of


@dataclass(frozen=True)
class Upload:
    """A file in memory, such as an upload: nothing of it is written to disk.

    Parameters
    ----------
    name : its name, shown in messages.
    content : its bytes.
    """

    name: str
    content: bytes


@dataclass(frozen=True)
class RawFile:
    """The bytes of one input.

    Parameters
    ----------
    name : the file's name without its folder.
    content : its bytes as they came.
    sha256 : their digest.
    was_named : False where the file was found in a folder or by a glob: then it may be no input at all.
    folder : the name of its folder, empty for an upload.
    partitions : key → value of the folders above it that are named so.
    heads : what was found out about the bytes as a columnar file, so that they are read once for it.
    """

    name: str
    content: bytes
    sha256: str
    was_named: bool = True
    folder: str = ""
    partitions: Mapping[str, str] = field(default_factory=dict)
    heads: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


Inputs = str | Path | Upload | Iterable[str | Path | Upload]


def raw_files(inputs: object, findings: Findings) -> Iterator[RawFile]:
    """The bytes of every input, in the order given; files of a folder or glob by name.

    What is no `Inputs` is a problem, not a type error: it often comes from a user's notebook.
    """
    single = (str, Path, Upload)
    for one in inputs if isinstance(inputs, Iterable) and not isinstance(inputs, single) else [inputs]:
        if not isinstance(one, single):
            findings.add("QRY-018", found=f"the input {one!r}", expected="a path, a glob or an Upload")
            continue
        if isinstance(one, Upload):
            yield RawFile(as_text(one.name), one.content, hashlib.sha256(one.content).hexdigest())
            continue
        if isinstance(one, str) and is_address(one):
            findings.add("FILE-312", file=as_text(shown(one)))
            continue
        try:
            paths = paths_of(one)
        except OSError as error:
            findings.add("FILE-285", file=as_text(str(one)), reason=error.strerror or str(error))
            continue
        is_folder = Path(one).is_dir()
        if is_folder:
            for name in parts_in(Path(one)):
                reason = "a folder of parts; give it as an input of its own, with --as parts"
                findings.add("FILE-019", file=as_text(name), reason=reason)
        for path, was_named in paths:
            try:
                if path.is_char_device() or path.is_block_device():
                    findings.add("FILE-161", file=as_text(str(one)))  # /dev/zero has no end
                    continue
                why = why_not_read(path) if is_folder else None
                if why is not None:
                    findings.add("FILE-019", file=as_text(path.name), reason=why)
                    continue
                content = path.read_bytes()
            except FileNotFoundError:
                findings.add("FILE-001", file=as_text(str(one)))
            except (OSError, ValueError) as error:  # ValueError: a null byte in the name
                reason = getattr(error, "strerror", None) or str(error)
                findings.add("FILE-018", file=as_text(path.name), reason=reason)
            else:
                digest = hashlib.sha256(content).hexdigest()
                named = named_file(path, findings)
                if named is not None:
                    yield RawFile(named[0], content, digest, was_named, *named[1:])


def named_file(path: Path, findings: Findings) -> tuple[str, str, dict[str, str]] | None:
    """What a file is called, the name of its folder, and keys and values of the folders that part a table.

    None, with FILE-283, where a key stands there twice.
    """
    folder = as_text(path.absolute().parent.name)
    pairs = [(as_text(key), as_text(value)) for key, value in partitions_of(path)]
    keys = dict(pairs)
    name = as_text("/".join(path.parts[-len(pairs) - 1 :]))
    if len(keys) < len(pairs):
        found = ", ".join(f"{key}={value}" for key, value in pairs)
        findings.add("FILE-283", file=name, found=found)
        return None
    return name, folder, keys


def named_apart(files: list[RawFile]) -> list[RawFile]:
    """The files, those of one name told apart by their folder or else by a number."""
    files = list(files)
    for name_of in (_in_folder, _numbered):
        n_of = Counter(file.name for file in files)
        nth = Counter[str]()
        for at, file in enumerate(files):
            nth[file.name] += 1
            if n_of[file.name] > 1:
                files[at] = replace(file, name=name_of(file, nth[file.name]))
    return files


def _in_folder(file: RawFile, _: int) -> str:
    return f"{file.folder}/{file.name}" if file.folder else file.name


def _numbered(file: RawFile, nth: int) -> str:
    return f"{file.name} ({nth})"


def as_text(name: str) -> str:
    """The name of a file, its bytes that are no UTF-8 written as they are.

    >>> as_text("a" + chr(0xDCFF))
    'a\\\\udcff'
    """
    return name.encode("utf-8", "backslashreplace").decode()


def paths_of(one: str | Path) -> list[tuple[Path, bool]]:
    """The files that an input names, each with whether it was named itself.

    Raises
    ------
    OSError : for a folder that cannot be read.
    """
    path = Path(one)
    if "\0" in str(path) or not str(one):
        return [(path, True)]
    if path.is_dir():
        inside = [
            one
            for folder in folders_within(path)
            for one in sorted(p for p in folder.iterdir() if p.is_file() and is_told(p))
        ]
        inside += [p for p in (path / "iaa" / "report.json",) if p.is_file()]
        return [(p, False) for p in inside]
    if not path.exists() and glob.has_magic(str(one)):
        inside = sorted(p for p in map(Path, _matches(str(one))) if p.is_file())
        return [(p, False) for p in inside] or [(path, True)]
    return [(path, True)]


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob refuses absolute patterns


def handed_over(files: list[RawFile]) -> Iterator[RawFile]:
    """The files one by one, each forgotten here: their bytes take memory."""
    files.reverse()
    while files:
        yield files.pop()
