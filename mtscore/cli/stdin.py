"""Standard input, which can be read once only, and for which nobody should wait without knowing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mtscore.cli import messages
from mtscore.errors import UsageError
from mtscore.lines import STDIN

if TYPE_CHECKING:
    from collections.abc import Iterable


def check(paths: Iterable[str | None], what: str) -> None:
    """Refuse to read standard input twice; if it is a terminal, say before it is read what it is read for.

    Raises:
        UsageError: if it is named more than once.
    """
    named = list(paths)
    refuse_twice(named)
    if STDIN in named and sys.stdin is not None and sys.stdin.isatty():
        messages.say(f"mtscore: reading {what} from the terminal, line by line; Ctrl-D ends")


def refuse_twice(paths: Iterable[str | None]) -> None:
    """Raise a UsageError if standard input is named more than once."""
    if list(paths).count(STDIN) > 1:
        raise UsageError("standard input can be read once only", where=STDIN)
