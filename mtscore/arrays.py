"""The array types that kernels exchange."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]
Keys: TypeAlias = npt.NDArray[np.uint64]
Floats: TypeAlias = npt.NDArray[np.float64]
Booleans: TypeAlias = npt.NDArray[np.bool_]


class Ragged(NamedTuple):
    """Hold rows of different lengths as one flat array.

    Row i is `ids[offsets[i]:offsets[i + 1]]`; `offsets` has one element more than there are rows.
    """

    ids: Integers
    offsets: Integers

    @property
    def lengths(self) -> Integers:
        """Return the length of each row, shape (rows,)."""
        return np.diff(self.offsets)


def _keep_freed_memory() -> None:
    """Have glibc's malloc keep freed memory for the next array, instead of returning it to the system.

    Freeing a large block raises the size from which every array gets fresh pages of its own (see
    M_MMAP_THRESHOLD in mallopt(3)), which would cost more than the work on it. The block itself is never
    touched, and up to twice its size is kept. Elsewhere this has no effect.
    """
    np.empty(1 << 24, dtype=np.uint8)


_keep_freed_memory()
