"""Files that are written together or not at all."""

from __future__ import annotations

import contextlib
import errno
import filecmp
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

OVERWRITE = "say --overwrite to replace it, or name another place"
_DRAFTS = ".evalcore-*.part"
_LOCK, _NEW, _OLD, _PLACING = "lock", "new", "old", "placing"
_SECONDS_TO_LOCK = 60
_HEADER = 4096
SAVED_REPORT = "application/vnd.evalcore.report+zip"
"""The kind of a saved report: what its first member, ``mimetype``, holds 30 bytes behind the start."""
SITE_TALLY = "application/vnd.evalcore.tally+zip"
"""That of the tallies of a site."""
_N_ALIKE = {
    ".html": 200,
    ".json": 16,
    ".evalcore": 30 + len("mimetype") + len(SAVED_REPORT),
    ".tally": 30 + len("mimetype") + len(SITE_TALLY),
}


def write_files(folder: Path, contents: Mapping[str, bytes], *, overwrite: bool = False) -> list[Path]:
    """Write several files into a folder, made where it is missing: all of them or none.

    Parameters
    ----------
    folder : where to.
    contents : file name → its bytes.
    overwrite : whether files are replaced that begin otherwise, and so come from elsewhere.

    Returns
    -------
    list of the paths, in the order given.

    Raises
    ------
    OSError : naming the file that could not be written; what stood there before is untouched.
    """
    for name in contents:
        _check_kind(folder / name)
    with staged(folder, overwrite=overwrite, by_beginning=True) as draft:
        for name, content in contents.items():
            _write(draft / name, content, named=folder / name)
    return [folder / name for name in contents]


def check_place(place: Path, content: bytes, *, overwrite: bool = False) -> None:
    """Refuse before anything is written what `write_files` would refuse to replace.

    For files that are written one after the other: what the last one meets is known before the first.

    Raises
    ------
    OSError : naming the file.
    """
    _refuse_foreign(place, overwrite, lambda: _begins_alike(place, content[:_HEADER]))


@contextlib.contextmanager
def staged(folder: Path, *, overwrite: bool = False, by_beginning: bool = False) -> Iterator[Path]:
    """A hidden folder to write files into, which take their places in ``folder`` together at the end.

    A folder that is missing appears at once with all of them. In one that exists, they are replaced one after
    the other; where that is stopped, even by a kill, what stood there is put back, at the next run at the
    latest, which also takes away what was left behind.

    Parameters
    ----------
    folder : where the files go; sub-folders are made.
    overwrite : whether files from elsewhere are replaced; links and devices never are.
    by_beginning : whether a file that begins as the one that replaces it is known for one of an earlier run,
        and replaced unasked; otherwise it must agree to the end.

    Raises
    ------
    OSError : naming the file, for one that cannot be written, or that must not be replaced.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "no folder", str(folder))
    folder = Path(os.path.realpath(folder))
    _clear(folder)
    is_new = not folder.exists()
    home = folder.parent if is_new else folder
    home.mkdir(parents=True, exist_ok=True)
    draft = home / _DRAFTS.replace("*", secrets.token_hex(6))
    lock = None
    try:  # before the draft is made: who is stopped right after that leaves none
        draft.mkdir()
        lock = _lock(draft)
        (draft / _NEW).mkdir()
        yield draft / _NEW
        if is_new and not folder.exists():
            (draft / _NEW).replace(folder)
        else:
            _place(draft, folder, overwrite, by_beginning)
    finally:
        _undo(draft, folder)
        shutil.rmtree(draft, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _place(draft: Path, folder: Path, overwrite: bool, by_beginning: bool) -> None:
    """Give every file of the draft its place, keeping what stood there until all are placed."""
    names = [
        str(path.relative_to(draft / _NEW)) for path in sorted((draft / _NEW).rglob("*")) if path.is_file()
    ]
    for name in names:
        _check_place(folder / name, draft / _NEW / name, overwrite, by_beginning)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (draft / _PLACING).write_text(json.dumps(names), encoding="utf-8")
    for name in names:
        place, before = folder / name, draft / _OLD / name
        try:
            if os.path.lexists(place):
                before.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(place, before, follow_symlinks=False)
            (draft / _NEW / name).replace(place)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(place)) from error
    (draft / _PLACING).unlink()


def _undo(draft: Path, folder: Path) -> None:
    """Put back what stood in the folder, where the placing did not come to its end."""
    try:
        names = json.loads((draft / _PLACING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for name in map(str, names if isinstance(names, list) else ()):
        if Path(name).is_absolute() or ".." in Path(name).parts or os.path.lexists(draft / _NEW / name):
            continue
        with contextlib.suppress(OSError):
            if os.path.lexists(draft / _OLD / name):
                (draft / _OLD / name).replace(folder / name)
            else:
                (folder / name).unlink()


def _check_kind(place: Path) -> bool:
    """Whether a file stands there; refuses what is none, asked or not: a link may lead to a device."""
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        is_link, is_folder = stat.S_ISLNK(mode), stat.S_ISDIR(mode)
        what = "a link" if is_link else "a directory" if is_folder else "a device"
        raise FileExistsError(errno.EEXIST, f"{what}, which is never replaced; name a file", str(place))
    return True


def _check_place(place: Path, new: Path, overwrite: bool, by_beginning: bool) -> None:
    _refuse_foreign(place, overwrite, lambda: _is_alike(place, new, by_beginning))


def _refuse_foreign(place: Path, overwrite: bool, is_alike: Callable[[], bool]) -> None:
    """Refuse to replace what is no file, and unasked a file from elsewhere."""
    is_there = _check_kind(place) and place.stat().st_size > 0
    if is_there and not overwrite and not is_alike():
        raise FileExistsError(errno.EEXIST, f"a file from elsewhere; {OVERWRITE}", str(place))


def _is_alike(place: Path, new: Path, by_beginning: bool) -> bool:
    """Whether a file is of an earlier run: a table has the same header, a document the same first words."""
    if not by_beginning:
        return filecmp.cmp(place, new, shallow=False)
    with new.open("rb") as here:
        return _begins_alike(place, here.read(_HEADER))


def _begins_alike(place: Path, now: bytes) -> bool:
    with place.open("rb") as there:
        n = _N_ALIKE.get(place.suffix, now.find(b"\n") + 1 or len(now))
        return there.read(n) == now[:n]


def _clear(folder: Path) -> None:
    """Take away the drafts of runs that were killed, and undo what they had begun to place."""
    for home in (folder, folder.parent):
        for draft in home.glob(_DRAFTS) if home.is_dir() else ():
            is_old = time.time() - draft.stat().st_mtime > _SECONDS_TO_LOCK
            lock = _lock(draft) if is_old or (draft / _LOCK).exists() else None
            if lock is None:
                continue
            _undo(draft, home)
            shutil.rmtree(draft, ignore_errors=True)
            os.close(lock)


def _lock(draft: Path) -> int | None:
    """Hold a draft as ours as long as this process lives; None where another holds it, or nobody can."""
    try:
        import fcntl

        lock = os.open(draft / _LOCK, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _write(draft: Path, content: bytes, *, named: Path) -> None:
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(named)) from error
