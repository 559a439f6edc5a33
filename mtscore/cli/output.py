"""Where a report goes: standard output in the chosen format, and report files."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mtscore.cli import messages
from mtscore.errors import StorageError, UsageError
from mtscore.lines import STANDARD_INPUT, STDIN
from mtscore.report import format_of, render
from mtscore.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.cli.score import ScoreOptions
    from mtscore.results import Report

BOLD, RESET = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Output:
    """Hold the chosen format, the look, and the report files with their formats."""

    format: str
    style: Style
    files: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, options: ScoreOptions) -> Output:
        """Return the output that the options ask for.

        Raises:
            UsageError: if the suffix of a file is unknown, or a file would take the place of another.
            StorageError: if there is no folder for a file.
        """
        style = Style(
            width=options.width,
            score_only=options.score_only,
            short=options.short,
            signature_style=options.signature_style,
        )
        files = [(file, format_of(file)) for file in options.output]
        _check_files(options)
        colour = use_colour(no_color=options.no_color)
        if colour:
            style = replace(style, emphasise=lambda text: f"{BOLD}{text}{RESET}", highlight=highlight)
        return cls("text" if options.score_only else options.form, style, files)

    @property
    def identifies_inputs(self) -> bool:
        """Return whether a report file has checksums of the inputs, so that they must be digested."""
        return any(format_name in {"receipt", "summary"} for _, format_name in self.files)

    def show(self, report: Report) -> None:
        """Write the report files, then print the result.

        Raises:
            StorageError: if a file cannot be written; it is then as it was.
        """
        plain = replace(self.style, emphasise=str, highlight=lambda text, _references: text)
        stamped = replace(report, time=_now()) if self.files else report
        for file, format_name in self.files:
            write_whole(file, render(stamped, format_name, plain))
        messages.result(render(report, self.format, self.style))


def _check_files(options: ScoreOptions) -> None:
    """Refuse report files that would take the place of an input or of each other, before any work is done."""
    read = [*options.words, *options.reference, *(options.input or [STDIN])]
    read += [options.groups] if options.groups else []
    taken = {
        _identity(file): f"would overwrite {STANDARD_INPUT if file == STDIN else file}, which is read"
        for file in read
    }
    for file in options.output:
        identity = _identity(file)
        if identity in taken:
            raise UsageError(taken[identity], where=f"-o {file}")
        taken[identity] = "the same file twice"
        if not os.path.isdir(os.path.dirname(file) or os.curdir):
            raise StorageError("cannot be written: there is no such folder", where=file)


def _identity(file: str) -> object:
    """Return what two names of one file have in common."""
    try:
        status = os.fstat(sys.stdin.fileno()) if file == STDIN else os.stat(file)
    except (OSError, ValueError, AttributeError):  # not there; or standard input is closed, or no file
        return os.path.realpath(file)
    return status.st_dev, status.st_ino


def use_colour(*, no_color: bool = False) -> bool:
    """Return whether standard output is a terminal that wants colour."""
    wanted = not no_color and not os.environ.get("NO_COLOR")
    return wanted and sys.stdout is not None and sys.stdout.isatty()


def highlight(hypothesis: str, references: tuple[str, ...]) -> str:
    """Set those words of a hypothesis in bold that no reference has."""
    known = {word for reference in references for word in reference.split()}
    words = hypothesis.split(" ")
    return " ".join(f"{BOLD}{word}{RESET}" if word and word not in known else word for word in words)


def write_whole(file: str, text: str) -> None:
    """Write a file whole or not at all; a link to it stays one.

    Raises:
        StorageError: if it cannot be written.
    """
    from pathlib import Path  # noqa: PLC0415  # start-up counts, and few runs write files

    from mtscore.files import replacing  # noqa: PLC0415

    try:
        target = Path(os.path.realpath(file))
        if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
            target.write_text(text, "utf-8")
            return
        with replacing(target) as temporary:
            temporary.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise StorageError(f"cannot be written: {error.strerror or error}", where=file) from error


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
