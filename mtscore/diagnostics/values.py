"""Numbers as people write them in files, and log-probabilities in any base.

Strict: what is no number, or no probability, raises an error that names the place of the first offender.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mtscore.errors import InputError, UsageError, closest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtscore.arrays import Floats

Locate: TypeAlias = "Callable[[int], str]"
"""Return where the value with this index stands, as messages call it (`file:line`)."""

NATS: dict[str, float] = {"e": 1.0, "2": math.log(2), "10": math.log(10)}
"""How many natural units (nats) one unit of a logarithm to this base is."""


def parse_numbers(fields: Sequence[str], locate: Locate) -> Floats:
    """Return the numbers that the texts spell, shape (fields,); infinities are numbers, NaN is none.

    Raises:
        InputError: at the first text that is no number.
    """
    try:
        values = np.array(list(map(float, fields)), np.float64)
        sound = not any("_" in field for field in fields)  # Python's own spelling: 1_000
    except ValueError:
        sound = False
    if sound and not np.isnan(values).any():
        return values
    index = next(i for i, field in enumerate(fields) if not _is_number(field))
    raise InputError(f"'{fields[index]}' is not a number", where=locate(index))


def check_logarithms(values: Floats, *, probabilities: bool, locate: Locate) -> None:
    """Check that all values are log-probabilities (at most 0), or probabilities (from 0 to 1).

    Raises:
        InputError: at the first that is not.
    """
    low, high = (0.0, 1.0) if probabilities else (-math.inf, 0.0)
    sound = (values >= low) & (values <= high)  # NaN is neither
    if sound.all():
        return
    index = int(np.argmin(sound))
    value = values[index]
    if probabilities:
        what, hint = "no probability from 0 to 1", "for logarithms leave --probabilities out"
    else:
        what = "above 0, which no log-probability is" if value > 0 else "no log-probability"
        hint = "probabilities are read with --probabilities; of losses (-log P) change the sign"
    raise InputError(f"{value:g} is {what}", where=locate(index), hint=hint)


def to_nats(values: Floats, *, base: str = "e", probabilities: bool = False) -> Floats:
    """Return natural logarithms of probabilities, or of logarithms to `base`; of zero it is minus infinity.

    Raises:
        UsageError: if the base is unknown.
    """
    check_base(base)
    if not probabilities:
        return values * NATS[base]
    with np.errstate(divide="ignore"):
        return np.log(values)


def check_base(base: str) -> None:
    """Raise a `UsageError` unless logarithms to this base can be read."""
    if base not in NATS:
        raise UsageError(
            f"unknown base of logarithms '{base}'", where="--base", hint=closest(base, list(NATS))
        )


def _is_number(field: str) -> bool:
    try:
        return "_" not in field and not math.isnan(float(field))
    except ValueError:
        return False
