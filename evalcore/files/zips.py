"""Zips that this program writes and opens again: the same members make the same bytes on every system."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection, Mapping

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def zipped(members: Mapping[str, bytes], *, deflated: Collection[str] = ()) -> bytes:
    """A zip of members in their order, none packed but those that are to be.

    Parameters
    ----------
    members : name → content.
    deflated : names of those that are packed.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _FIRST_DAY)
            member.create_system = 3  # whatever system writes it
            how = zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED
            archive.writestr(member, content, compress_type=how)
    return out.getvalue()


def unzipped(
    content: bytes, *, most_members: int, deflated: Mapping[str, int] | None = None
) -> dict[str, bytes]:
    """The members of a zip in their order, read as those of a stranger.

    What is not packed cannot be longer than the file, and no more is unpacked of what is than may be.

    Parameters
    ----------
    content : the file.
    most_members : how many it may hold.
    deflated : names of members that may be packed → how long each may be.

    Raises
    ------
    ValueError : for what is cut short, locked, packed otherwise, too long, or contradicts itself.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members(archive, len(content), most_members, deflated or {})
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ValueError(str(error) or type(error).__name__) from None


def _members(
    archive: zipfile.ZipFile, length: int, most_members: int, deflated: Mapping[str, int]
) -> dict[str, bytes]:
    members = archive.infolist()
    if len(members) > most_members or len({one.filename for one in members}) < len(members):
        raise ValueError(f"{len(members):,} members, or a name twice")
    stored = [one for one in members if one.compress_type == zipfile.ZIP_STORED]
    packed = [one for one in members if one.compress_type != zipfile.ZIP_STORED]
    is_known = all(one.compress_type == zipfile.ZIP_DEFLATED and one.filename in deflated for one in packed)
    if not is_known or any(one.flag_bits & 1 for one in members):
        raise ValueError("members that are packed or locked")
    if sum(one.file_size for one in stored) > length:
        raise ValueError("members that are longer than the file")
    found = {}
    for one in members:
        most = deflated.get(one.filename, length)
        with archive.open(one) as member:
            found[one.filename] = member.read(most + 1)  # whatever the file says of its length
        if len(found[one.filename]) > most:
            raise ValueError(f"a member {one.filename} of more than {most:,} bytes")
    return found
