"""A progress bar for runs longer than a second, on a terminal only."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mtscore.cli import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 1.0
"""Seconds without a bar."""


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what to call with the trials done and their number; None where nobody watches."""
    if quiet or not messages.someone_watches():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  # on a terminal only: it takes a while to import
    from rich.progress import Progress  # noqa: PLC0415

    began = time.monotonic()
    with Progress(console=Console(stderr=True), transient=True, disable=False) as bar:
        task = bar.add_task("resampling", total=None, visible=False)

        def advance(done: int, total: int) -> None:
            if time.monotonic() - began > PATIENCE:
                bar.update(task, completed=done, total=total, visible=True)

        yield advance
