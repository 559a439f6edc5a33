"""Messages that the library collects and never prints.

A `warning` says that the number is probably not what the user wants; a `note` is worth knowing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Carry one message: a stable code, a sentence, and where it first applies.

    `file` is the name as the user typed it, `line` counts from 1, `count` says how many lines it is about.
    """

    level: Level
    code: str
    text: str
    file: str | None = None
    line: int | None = None
    count: int | None = None
