"""What search-errors, perplexity and correlate share: reading, options, and the form of answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

from mtscore.cli import messages
from mtscore.cli.options import (
    decimals,
    encoding_option,
    format_option,
    output,
    quiet_option,
    short_option,
    together,
    verbose_option,
)
from mtscore.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtscore.notices import Notice
    from mtscore.signature import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Hold what the user chose about the answer's form, and the encoding of the inputs."""

    form: str
    width: int | None
    short: bool
    encoding: str
    quiet: bool
    verbose: bool

    def number(self, value: float | None, decimals: int, *, percent: bool = False) -> str:
        """Return a number for people, with the decimals they asked for or else these."""
        if value is None or math.isnan(value):
            return "undefined"
        if math.isinf(value):
            return "infinite" if value > 0 else "-infinite"
        decimals = decimals if self.width is None else self.width
        return f"{100 * value:.{decimals}f} %" if percent else f"{value:.{decimals}f}"

    def exact(self, value: float | None) -> float | None:
        """Return a number for JSON: rounded only if asked for, None where JSON has no number for it."""
        if value is None or not math.isfinite(value):
            return None
        return value if self.width is None else round(value, self.width)

    def signature(self, signature: Signature) -> str:
        """Return the signature for people."""
        return signature.format(short=self.short)

    def show(
        self, text: Callable[[], Iterable[str]], data: Callable[[], Any], notices: Sequence[Notice]
    ) -> None:
        """Print the answer, as lines of text or as JSON, and what was noticed."""
        if self.form == "json":
            messages.data(data())
        else:
            messages.page(text())
        messages.notices(notices, quiet=self.quiet, verbose=self.verbose)


_options = together(
    encoding_option,
    format_option(),
    output("-w", "--width", type=int, callback=decimals, metavar="N", help="Decimals of numbers."),
    short_option,
    quiet_option,
    verbose_option,
)


def output_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command these options, which it receives as one `Output`."""

    @wraps(function)
    def packed(**values: Any) -> int | None:
        own = {field.name: values.pop(field.name) for field in fields(Output)}
        return function(output=Output(**own), **values)

    decorated: Callable[..., int | None] = _options(packed)
    return decorated


def read_text(path: str, output: Output) -> list[str]:
    """Return the lines of a file, without white space at their ends."""
    return read_lines(path, encoding=output.encoding)


def read_columns(path: str, output: Output) -> list[str]:
    """Return the lines of a table, whose last columns may be empty."""
    return read_lines(path, encoding=output.encoding, trim=False)
