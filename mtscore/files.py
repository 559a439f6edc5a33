"""Write files so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(target: Path, *, prefix: str = ".mtscore-") -> Iterator[Path]:
    """Give a temporary file beside `target` that takes its place if the block succeeds, and else goes.

    A file that was there passes its permissions on. Whatever cannot be done is an OSError.
    """
    mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def _umask() -> int:
    """Return the permissions that new files do not get (asking means setting, so ask once)."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
