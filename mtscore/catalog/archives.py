"""The bytes of named members of an archive; nothing is unpacked to disk.

Only members that are asked for are read, so that a path which leads out of the archive goes nowhere. A
member that is a link or a device is refused.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mtscore.errors import IntegrityError, closest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from mtscore.catalog.manifest import Archive


def read_members(path: Path, archive: Archive, members: Collection[str | None]) -> dict[str | None, bytes]:
    """Return the bytes of the members of a file, decompressed; the member None is the file itself.

    Raises:
        IntegrityError: the file is no such archive, lacks a member, or has a link in its place.
    """
    with _sound(path):
        if archive == "tar.gz":
            found = _from_tar(path, set(members))
        elif archive == "zip":
            found = _from_zip(path, set(members))
        else:
            data = path.read_bytes()
            found = {None: gzip.decompress(data) if archive == "gz-file" else data}
        return {name: gzip.decompress(data) if _zipped(name) else data for name, data in found.items()}


def _from_tar(path: Path, wanted: set[str | None]) -> dict[str | None, bytes]:
    found: dict[str | None, bytes] = {}
    seen = []
    with tarfile.open(path, "r:*") as archive:
        for entry in archive:
            name = entry.name.removeprefix("./")
            seen.append(name)
            if name in wanted:
                file = archive.extractfile(entry) if entry.isreg() else None
                if file is None:
                    raise IntegrityError(f"{name} in the archive is no plain file", where=str(path))
                found[name] = file.read()
                if len(found) == len(wanted):
                    return found
    raise _missing(path, wanted - set(found), seen)


def _from_zip(path: Path, wanted: set[str | None]) -> dict[str | None, bytes]:
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        found: dict[str | None, bytes] = {}
        for name in wanted:
            if name not in entries:
                raise _missing(path, wanted - set(entries), list(entries))
            if entries[name].external_attr >> 28 not in {0, 0o10}:  # the file type that Unix tools store
                raise IntegrityError(f"{name} in the archive is no plain file", where=str(path))
            found[name] = archive.read(name)
        return found


def _missing(path: Path, names: set[str | None], seen: list[str]) -> IntegrityError:
    name = min(name for name in names if name)
    hint = closest(name, [other for other in seen if other.rsplit("/")[-1]][:40])
    return IntegrityError(f"the archive has no member {name}", where=str(path), hint=hint)


def _zipped(name: str | None) -> bool:
    return name is not None and name.endswith(".gz")


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """Say of an archive that cannot be read that it is damaged."""
    try:
        yield
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        EOFError,
        zlib.error,
        OSError,
        RuntimeError,
    ) as error:
        raise IntegrityError(f"the archive cannot be read: {error}", where=str(path)) from error
