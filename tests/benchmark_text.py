"""Make long texts for the benchmark out of real ones: `python tests/benchmark_text.py DATA SEGMENTS FOLDER`.

A new segment is the beginning of one real segment and the end of another, cut at the same share of hypothesis
and reference, so that as much of it matches as in the real ones. As names do in real text, new words keep
coming: one word that both sides have becomes a blend of two others. Whatever the length asked for, a text
begins with the same segments.
"""

from __future__ import annotations

import random
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIRS = (
    ("wmt17-en-de/ref.de", "wmt17-en-de/hyp.*.de"),
    ("wmt22/en-de/ref.A.de", "wmt22/en-de/hyp.*.de"),
    ("wmt22/en-de/ref.B.de", "wmt22/en-de/hyp.*.de"),
    ("wmt21/en-de/ref.A.de", "wmt21/en-de/hyp.*.de"),
    ("wmt21/en-de/ref.C.de", "wmt21/en-de/hyp.*.de"),
)
"""References and the systems that go with them."""
SEED = 1
SHORTEST_NAME = 5

Words = list[str]


def read(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def real_pairs(data: Path) -> list[tuple[Words, Words]]:
    """Return the words of hypotheses and references of all real segments that are not empty."""
    return [
        (hypothesis.split(" "), reference.split(" "))
        for references, systems in PAIRS
        for system in sorted(data.glob(systems))
        for hypothesis, reference in zip(read(system), read(data / references), strict=True)
        if hypothesis and reference
    ]


def recombined(pairs: list[tuple[Words, Words]]) -> Iterator[tuple[str, str]]:
    """Yield new hypotheses with their references, without end."""
    chance = random.Random(SEED)  # noqa: S311  # no secret
    while True:
        first, second, share = chance.choice(pairs), chance.choice(pairs), chance.uniform(0.2, 0.8)
        hypothesis, reference = (
            beginning[: round(share * len(beginning))] + ending[round(share * len(ending)) :]
            for beginning, ending in zip(first, second, strict=True)
        )
        names = sorted({word for word in reference if len(word) >= SHORTEST_NAME} & set(hypothesis))
        if names:
            old, new = chance.choice(names), _blend(chance, pairs)
            hypothesis = [new if word == old else word for word in hypothesis]
            reference = [new if word == old else word for word in reference]
        yield " ".join(hypothesis), " ".join(reference)


def _blend(chance: random.Random, pairs: list[tuple[Words, Words]]) -> str:
    """Return the first part of one long word joined to the last part of another."""
    one, other = (max(chance.choice(pairs)[1], key=len) for _ in range(2))
    return one[: len(one) // 2] + other[len(other) // 2 :]


def write(data: Path, segments: int, folder: Path) -> None:
    """Write so many segments as `hyp` and `ref`."""
    with (
        (folder / "hyp").open("w", encoding="utf-8") as hyp,
        (folder / "ref").open("w", encoding="utf-8") as ref,
    ):
        for hypothesis, reference in islice(recombined(real_pairs(data)), segments):
            hyp.write(f"{hypothesis}\n")
            ref.write(f"{reference}\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
