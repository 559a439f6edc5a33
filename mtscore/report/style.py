"""What a user may choose about the form of a report, and the hooks by which a terminal adds colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable


def _unmarked(text: str, _references: tuple[str, ...]) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Say how a report is to look.

    `width` is the number of decimals if the user asked for one: text then shows so many instead of one, and
    machine formats round instead of giving numbers in full. `columns` is the width of the page. Text calls
    `emphasise` with the best score of each column, already padded, and `highlight` with a hypothesis of an
    example and its references: both may add escape codes, which take no space on the page.
    """

    width: int | None = None
    score_only: bool = False
    short: bool = False
    signature_style: Literal["plus", "pipe"] = "plus"
    columns: int = 80
    emphasise: Callable[[str], str] = str
    highlight: Callable[[str, tuple[str, ...]], str] = _unmarked

    @property
    def decimals(self) -> int:
        """Return the number of decimals that people are shown."""
        return 1 if self.width is None else self.width
