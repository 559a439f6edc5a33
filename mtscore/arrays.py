"""The array types that kernels exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]
Keys: TypeAlias = npt.NDArray[np.uint64]
Floats: TypeAlias = npt.NDArray[np.float64]
Booleans: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ragged:
    """Hold rows of different lengths as one flat array.

    Row i is `ids[offsets[i]:offsets[i + 1]]`; `offsets` has one element more than there are rows.
    """

    ids: Integers
    offsets: Integers

    @property
    def lengths(self) -> Integers:
        """Return the length of each row, shape (rows,)."""
        return np.diff(self.offsets)
