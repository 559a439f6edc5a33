"""What is printed: results on standard output; errors, warnings, notes and failed gates on standard error.

Messages are one line each. Nothing in them or in a page (a file's name, a word of the command line) can
command the terminal; reports take care of that themselves, format by format.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mtscore.errors import StorageError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtscore.notices import Notice
    from mtscore.results import Gate


def result(text: str | bytes) -> None:
    """Print text to standard output as it is, in UTF-8 whatever the locale, and all of it.

    Raises:
        StorageError: if standard output was closed by the caller (`>&-`).
        BrokenPipeError: if its reader has gone.
    """
    if sys.stdout is None:
        raise StorageError("is closed", where="standard output")
    data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    rest = memoryview(data)
    while rest:  # unbuffered output may take a part only
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def page(blocks: Iterable[str]) -> None:
    """Print blocks of lines for people, in which nothing that they quote can command the terminal."""
    from mtscore.report.escaping import plain  # noqa: PLC0415  # start-up counts

    result("".join(f"{plain(line)}\n" for block in blocks for line in block.split("\n")))


def data(answer: Any) -> None:
    """Print an answer as JSON to standard output."""
    from mtscore.report.rows import dumps  # noqa: PLC0415  # start-up counts

    result(f"{dumps(answer, indent=2)}\n")


def error(text: str, excerpt: str | None = None) -> None:
    """Print why there is no result, and below it the text that could not be read."""
    say(f"mtscore: error: {text}")
    for line in (excerpt or "").splitlines():
        say(line)


def someone_watches() -> bool:
    """Return whether messages go to a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def notices(found: Iterable[Notice], *, quiet: bool, verbose: bool) -> None:
    """Print warnings, and notes if someone is there to read them; nothing if quiet."""
    if quiet:
        return
    shows_notes = verbose or someone_watches()
    for notice in found:
        if notice.level == "warning" or shows_notes:
            say(f"mtscore: {notice.level}: {sentence(notice)}")


def sentence(notice: Notice) -> str:
    """Return a notice as one line: place, text, and on how many lines."""
    place = notice.file or ""
    if place and notice.line:
        place += f":{notice.line}"
    times = ""
    if notice.count is not None:
        times = f" ({counted(notice.count, 'line')}, the first is shown)"
    return f"{place}: {notice.text}{times}" if place else f"{notice.text}{times}"


def failed_gates(gates: Iterable[Gate]) -> None:
    """Print each failed gate, even when quiet."""
    for gate in gates:
        if not gate.passed:
            say(f"mtscore: gate failed: {gate.text}")


def say(line: str) -> None:
    """Print a line to standard error; if that is closed or full, the exit code has to tell."""
    from mtscore.report.escaping import plain  # noqa: PLC0415  # start-up counts, and most runs say nothing

    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{plain(line)}\n")
            sys.stderr.flush()
