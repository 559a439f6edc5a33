"""Aligned hypotheses and references, and the checks of their shapes.

A *stream* is one line a segment. References are streams, as the field has them: `references[r][i]` is the
r-th reference of segment i, `None` where that segment has no r-th reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from mtscore.errors import AlignmentError, ShapeError, UsageError

Hypotheses: TypeAlias = Sequence[str]
References: TypeAlias = Sequence[Sequence[str | None]]

EXAMPLE = "for two segments with two references each: [['ref 1a', 'ref 2a'], ['ref 1b', 'ref 2b']]"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hold consecutive segments of all inputs, aligned.

    `start` is the index of the first segment, `systems[s][i]` and `references[r][i]` are texts.
    """

    start: int
    systems: Sequence[Hypotheses]
    references: References

    def __len__(self) -> int:
        return len(self.references[0])


@dataclass(frozen=True, slots=True)
class Corpus:
    """Hold all segments of systems and references, checked to be aligned."""

    systems: Sequence[Hypotheses]
    references: References

    def __len__(self) -> int:
        return len(self.references[0])

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the corpus in chunks of `size` segments."""
        for start in range(0, len(self), size):
            end = start + size
            yield Chunk(
                start,
                [system[start:end] for system in self.systems],
                [stream[start:end] for stream in self.references],
            )


def check_corpus(hypotheses: Iterable[str], references: Iterable[Iterable[str | None]]) -> Corpus:
    """Return one system's hypotheses and their references as a corpus.

    Raises:
        ShapeError: if something is not a string or not nested as it must be.
        AlignmentError: if a stream has more or fewer lines than there are hypotheses, or a segment has no
            reference at all.
        UsageError: if there is nothing to score.
    """
    lines = _strings(hypotheses, "hypotheses")
    streams = _streams(references)
    if not lines:
        raise UsageError("no sentences to score")
    if not streams:
        raise UsageError("no references", hint=EXAMPLE)
    for number, stream in enumerate(streams, 1):
        if len(stream) != len(lines):
            raise AlignmentError(
                f"reference set {number} has {_count(len(stream), 'line')}, hypotheses have {len(lines)}",
                hint=_advice(streams, len(lines)),
            )
    check_every_segment_has_a_reference(streams)
    return Corpus([lines], streams)


def check_every_segment_has_a_reference(references: References, start: int = 0) -> None:
    """Raise an AlignmentError that names the first segment without any reference."""
    if all(None in stream for stream in references):
        for index, segment in enumerate(zip(*references, strict=True), start + 1):
            if all(line is None for line in segment):
                raise AlignmentError(f"segment {index} has no reference")


def references_by_segment(references: Iterable[Iterable[str]]) -> list[list[str | None]]:
    """Turn references listed segment by segment into streams, as every metric takes them.

    Segments may have different numbers of references.

    >>> references_by_segment([["a", "b"], ["c"]])
    [['a', 'c'], ['b', None]]

    Raises:
        ShapeError: if a segment's references are not a list of strings.
    """
    from itertools import zip_longest  # noqa: PLC0415

    segments = [_strings(segment, f"references of segment {i}") for i, segment in enumerate(references, 1)]
    return [list(stream) for stream in zip_longest(*segments)]


def reference_counts(references: References) -> set[int]:
    """Return the numbers of references that segments have: one number, or several where they differ."""
    if not any(None in stream for stream in references):
        return {len(references)}
    return {sum(line is not None for line in segment) for segment in zip(*references, strict=True)}


def _strings(lines: Iterable[object], what: str) -> list[str]:
    if isinstance(lines, str | bytes):
        raise ShapeError(f"{what} must be a list of strings, got one {type(lines).__name__}")
    try:
        found = list(lines)
    except TypeError:
        raise ShapeError(f"{what} must be a list of strings, got {type(lines).__name__}") from None
    for index, line in enumerate(found):
        if not isinstance(line, str):
            got = "token lists" if isinstance(line, list | tuple) else type(line).__name__
            raise ShapeError(f"{what} must be strings, not {got}", where=f"{what}[{index}]")
    return cast("list[str]", found)


def _streams(references: Iterable[Iterable[str | None]]) -> list[list[str | None]]:
    wanted = "references must be a list of reference sets (lists of strings)"
    if isinstance(references, str | bytes):
        raise ShapeError(f"{wanted}, got one {type(references).__name__}", hint=EXAMPLE)
    try:
        streams = list(references)
    except TypeError:
        raise ShapeError(f"{wanted}, got {type(references).__name__}", hint=EXAMPLE) from None
    if any(isinstance(stream, str | bytes) for stream in streams):
        raise ShapeError(
            f"{wanted}, got strings", hint=f"for one reference a segment: [references]; {EXAMPLE}"
        )
    return [_stream(stream, number, wanted) for number, stream in enumerate(streams, 1)]


def _stream(stream: Iterable[object], number: int, wanted: str) -> list[str | None]:
    try:
        lines = list(stream)
    except TypeError:
        raise ShapeError(f"{wanted}, set {number} is {type(stream).__name__}", hint=EXAMPLE) from None
    for index, line in enumerate(lines):
        if line is not None and not isinstance(line, str):
            got = "token lists" if isinstance(line, list | tuple) else type(line).__name__
            raise ShapeError(
                f"references must be strings or None, not {got}", where=f"references[{number - 1}][{index}]"
            )
    return cast("list[str | None]", lines)


def _advice(streams: list[list[str | None]], lines: int) -> str:
    if len(streams) == lines:
        return (
            "these look like one list a segment, but a set has one line for every segment: "
            f"{EXAMPLE}; references_by_segment() converts"
        )
    return "a reference set has one line for every segment"


def _count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> _count(1, "line"), _count(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
