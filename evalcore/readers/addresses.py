"""Files by address, such as ``s3://bucket/rows/*.parquet``, read by fsspec."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalcore.problems import InputError, problem

EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gcs",
    "gcs": "gcs",
    "abfs": "azure",
    "abfss": "azure",
    "az": "azure",
    "file": "dask",
    "memory": "dask",
}
"""Scheme of an address → the extra of this package that reads it."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://.+", re.DOTALL)
_QUERY = re.compile(r"\?[^/?=]+=.*", re.DOTALL)
"""Such as a signature; a mere question mark stands for any character."""
_ACCOUNT = ".core.windows.net"


def is_address(text: object) -> bool:
    """Whether an input is the address of a file, not a path.

    >>> [is_address(one) for one in ("s3://b/rows.parquet", "C:/rows", "rows.parquet", 7)]
    [True, False, False, False]
    """
    return isinstance(text, str) and _ADDRESS.fullmatch(text) is not None


def shown(address: str) -> str:
    """An address as it may be written down: without what stands before its host, and without a query.

    >>> shown("s3://KEY:SECRET@bucket/a.parquet"), shown("https://host/a?sig=SECRET")
    ('s3://…@bucket/a.parquet', 'https://host/a?…')
    """
    scheme, mark, rest = address.partition("://")
    host, *path = rest.split("/", 1)
    if "@" in host:
        host = "…@" + host.rpartition("@")[2]
    return _QUERY.sub("?…", scheme + mark + "/".join([host, *path]))


@dataclass(frozen=True)
class Remote:
    """A file by its address.

    Parameters
    ----------
    address : with its scheme.
    """

    address: str

    def __str__(self) -> str:
        return self.address

    @property
    def path(self) -> Path:
        """The path within the address, by which it is called; nothing lies there."""
        return Path("/" + self.address.partition("://")[2].lstrip("/"))

    @property
    def name(self) -> str:
        return self.path.name

    def open(self) -> Any:
        """The file, to be read and sought in.

        Raises
        ------
        OSError : with the reason why it cannot be read, whatever the library of its scheme says.
        """
        system = filesystem(self.address)
        try:
            return system.open(self.address, "rb")
        except OSError:
            raise
        except Exception as error:  # each store has its own kinds of errors
            raise OSError(str(error) or type(error).__name__) from None


def filesystem(address: str) -> Any:
    """What reads files of the scheme of an address.

    Raises
    ------
    InputError : FILE-310 for a scheme that is not read, FILE-311 where the extra for it is missing, FILE-313
        for credentials or an account in it, which the libraries would read otherwise than it is meant.
    """
    found = _ADDRESS.fullmatch(address)
    scheme = found.group(1).lower() if found else ""
    if scheme not in EXTRAS or "::" in address:
        raise InputError([problem("FILE-310", file=shown(address), found=f"{scheme or 'no scheme'}://")])
    if shown(address) != address or _ACCOUNT in address.partition("://")[2].partition("/")[0]:
        raise InputError([problem("FILE-313", file=shown(address))])
    try:
        import fsspec

        return fsspec.filesystem(scheme)
    except ImportError:
        told = problem("FILE-311", file=address, extra=EXTRAS[scheme], found=f"{scheme}://")
        raise InputError([told]) from None


def remote_files(address: str) -> list[tuple[Remote, bool]]:
    """The files that an address names, a folder or a glob of them too, each with whether it was named itself.

    Raises
    ------
    InputError : as of `filesystem`.
    OSError : for what cannot be reached.
    """
    system = filesystem(address)
    try:
        if any(one in address for one in "*?["):
            found = [(path, False) for path in sorted(system.glob(address))]
        elif system.isdir(address):
            found = [(path, False) for path in sorted(system.find(address))]
        else:
            found = [(address, True)]
    except OSError:
        raise
    except Exception as error:  # each store has its own kinds of errors
        raise OSError(str(error) or type(error).__name__) from None
    files = [(Remote(system.unstrip_protocol(path)), was_named) for path, was_named in found]
    return [(file, was_named) for file, was_named in files if was_named or is_read(file)]


def is_read(file: Remote) -> bool:
    """Whether a file of a folder or glob is read: one that is called as Parquet files are."""
    return file.path.suffix.lower() in (".parquet", ".pq") and not file.name.startswith((".", "_"))
