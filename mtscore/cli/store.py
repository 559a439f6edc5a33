"""The cache folder on the command line: its progress bar, its messages."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtscore import assets
from mtscore.cli import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mtscore.assets import Progress, Store


@contextmanager
def open_store(
    cache: str | None, *, offline: bool, timeout: float | None = None, quiet: bool = False
) -> Iterator[Store]:
    """Make a store the one in use for a block, with a progress bar on a terminal; print its notices."""
    with download_bar(quiet=quiet) as progress:
        store = assets.open_store(Path(cache) if cache else None, offline=offline or None, progress=progress)
        if timeout is not None:
            store.timeout = timeout
        try:
            with assets.using(store):
                yield store
        finally:
            messages.notices(store.notices, quiet=quiet, verbose=False)


@contextmanager
def download_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Yield what reports the progress of downloads; None where nobody watches."""
    if quiet or not messages.someone_watches():
        yield None
        return
    bars: dict[str, Callable[[int, int | None], None]] = {}
    running: list[Any] = []

    def report(name: str, done: int, total: int | None) -> None:
        if not running:
            running.append(_start_bars())
        if name not in bars:
            bars[name] = _new_bar(running[0], name)
        bars[name](done, total)

    try:
        yield report
    finally:
        for progress in running:
            progress.stop()


def _start_bars() -> Any:
    """Draw on standard error from now on."""
    from rich.console import Console  # noqa: PLC0415  # only when something is downloaded
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.start()
    return progress


def _new_bar(progress: Any, name: str) -> Callable[[int, int | None], None]:
    task = progress.add_task(name, total=None)
    return lambda done, total: progress.update(task, completed=done, total=total)
