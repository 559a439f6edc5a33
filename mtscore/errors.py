"""The ways in which a request can fail: what is wrong, where, and what to do.

Every error that a user can cause is an `MTScoreError`. Library code raises; only `mtscore.cli` prints one
(as a single line) and turns its kind into an exit code.
"""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


class MTScoreError(Exception):
    """Say what is wrong, where (a file, a file with line, an option) and what to do about it."""

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Let errors pass between processes: their constructors take more than `args`."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]

    @property
    def sentence(self) -> str:
        """Return all of it as one sentence."""
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"

    def __str__(self) -> str:
        return self.sentence


class UsageError(MTScoreError, ValueError):
    """An option or argument has a value that makes no sense."""


class ShapeError(MTScoreError, TypeError):
    """An argument of the Python API has the wrong type or nesting."""


class AlignmentError(UsageError):
    """Hypotheses, references or metadata do not have the same number of segments."""


class InputError(UsageError):
    """An input file is missing, empty, unreadable or not of the expected form."""


class DecodingError(InputError):
    """Bytes are not text in the expected encoding."""


class SignatureError(UsageError):
    """A signature or score line does not parse; `excerpt` shows it with a caret under the place."""

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, excerpt: str | None = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.excerpt = excerpt

    def __str__(self) -> str:
        return f"{self.sentence}\n{self.excerpt}" if self.excerpt else self.sentence


class ManifestError(UsageError):
    """The manifest of a test set is not valid."""


class MissingExtraError(MTScoreError, ImportError):
    """An optional feature needs a package that is not installed."""

    def __init__(self, feature: str, *, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional package",
            hint=f"pip install 'mtscore[{extra}]'",
        )
        self.extra = extra


class EnvironmentFailure(MTScoreError):  # noqa: N818  # the errors are its kinds
    """Nothing is wrong with the request: the network, the disk or the program failed."""


class NetworkError(EnvironmentFailure):
    """A download did not succeed, or is not allowed offline."""


class IntegrityError(EnvironmentFailure):
    """Downloaded or cached bytes are not those that were published."""


class WorkerError(EnvironmentFailure):
    """Another process could not do its share of the work."""


class StorageError(EnvironmentFailure):
    """A file cannot be written."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "line"), counted(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def closest(word: str, known: Collection[str]) -> str:
    """Return a hint that names the known words most like `word`, or all of them.

    >>> closest("13b", ["13a", "intl", "zh"])
    'did you mean 13a?'
    >>> closest("french", ["13a", "intl"])
    'known: 13a, intl'
    """
    from difflib import get_close_matches  # noqa: PLC0415  # only on the way to an error

    matches = get_close_matches(word, known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(matches)}?" if matches else f"known: {', '.join(known)}"
