"""Aligned hypotheses and references, and the checks of their shapes.

A *stream* is one line a segment. References are streams, as the field has them: `references[r][i]` is the
r-th reference of segment i, `None` where that segment has no r-th reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, count, zip_longest
from types import NoneType
from typing import NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar, cast

from mtscore.batch import Batch
from mtscore.errors import AlignmentError, InputError, ShapeError, UsageError, counted
from mtscore.lines import STANDARD_INPUT, LineReader

Hypotheses: TypeAlias = Sequence[str]
References: TypeAlias = Sequence[Sequence[str | None]]

LONG_TEXT = 1 << 22
"""How much of one stream goes through the arrays at once; they take up to fifty times as much memory."""

T = TypeVar("T")

EXAMPLE = "for two segments with two references each: [['ref 1a', 'ref 2a'], ['ref 1b', 'ref 2b']]"


class System(NamedTuple):
    """Name a system, and the file that its hypotheses come from, if there is one."""

    name: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hold some segments of all inputs, aligned.

    `numbers` are the segments' line numbers, from 1; `systems[s][i]` and `references[r][i]` are texts, and
    so is `source[i]` where the source is known.
    """

    numbers: Sequence[int]
    systems: Sequence[Hypotheses]
    references: References
    source: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.numbers)


def in_parts(chunk: Chunk) -> Iterator[Chunk]:
    """Yield a chunk as it is, or in parts where its segments are documents, whose arrays would be large."""
    longest = max(map(_length, (*chunk.systems, *chunk.references)))
    size = math.ceil(len(chunk) / max(1, math.ceil(longest / LONG_TEXT)))
    if size == len(chunk):
        yield chunk
        return
    for start in range(0, len(chunk), size):
        part = slice(start, start + size)
        yield Chunk(
            chunk.numbers[part],
            [system[part] for system in chunk.systems],
            [stream[part] for stream in chunk.references],
            chunk.source[part] if chunk.source else None,
        )


def _length(lines: Sequence[str | None]) -> int:
    return len(lines.data) if isinstance(lines, Batch) else sum(len(line or "") for line in lines)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Hold all segments of systems and references, checked to be aligned."""

    systems: Sequence[Hypotheses]
    references: References

    def __len__(self) -> int:
        return len(self.references[0])

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the corpus in chunks of `size` segments, fewer where those are long."""
        for start in range(0, len(self), size):
            end = min(start + size, len(self))
            chunk = Chunk(
                range(start + 1, end + 1),
                [system[start:end] for system in self.systems],
                [stream[start:end] for stream in self.references],
            )
            yield from in_parts(chunk)


class Stream(Protocol):
    """Give the lines of one input in order; `lines` counts those given."""

    name: str
    lines: int

    def take(self, count: int) -> Sequence[str]:
        """Return the next `count` lines, fewer only at the end."""

    def drain(self) -> int:
        """Read to the end; return the number of all lines."""


class Lines:
    """Give lines that are in memory already, such as a test set's references."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self.name = name
        self.lines = 0
        self._lines = lines

    def take(self, count: int) -> list[str]:
        """Return the next `count` lines, fewer only at the end."""
        taken = list(self._lines[self.lines : self.lines + count])
        self.lines += len(taken)
        return taken

    def drain(self) -> int:
        """Return the number of all lines."""
        self.lines = len(self._lines)
        return self.lines


@dataclass(frozen=True, slots=True)
class Lockstep:
    """Read hypotheses and references side by side, so that no input is ever in memory as a whole.

    `columns` is the number of tab-separated references on each line of a reference input. With
    `empty_is_missing` an empty line is no reference. `keep` selects segments, one flag a line of the inputs.
    `source` is read along where it is known. `advice` may explain a system whose number of lines is not that
    of the references.
    """

    systems: Sequence[Stream]
    references: Sequence[Stream]
    columns: int = 1
    empty_is_missing: bool = False
    keep: Sequence[bool] | None = None
    source: Stream | None = None
    advice: Callable[[int, int], str | None] = lambda _found, _wanted: None

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the segments in chunks of at most `size`.

        Raises:
            InputError: if an input is empty, cannot be read, or has other columns than it should.
            AlignmentError: if the inputs do not have the same number of lines, or a segment no reference.
        """
        streams = [*self.systems, *self.references]
        while True:
            batches = [stream.take(size) for stream in streams]
            size_read = len(batches[0])
            if any(len(batch) != size_read for batch in batches) or not streams[0].lines:
                self._explain(streams)
            if not size_read:
                return
            chunk = self._chunk(batches, streams[0].lines - size_read)
            if len(chunk):
                check_every_segment_has_a_reference(chunk.references, chunk.numbers)
                yield from in_parts(chunk)

    def _chunk(self, batches: list[Sequence[str]], start: int) -> Chunk:
        size = len(batches[0])
        systems = batches[: len(self.systems)]
        references = self._references(batches[len(self.systems) :], start)
        source = self.source.take(size) if self.source else None
        if self.keep is None:
            return Chunk(range(start + 1, start + size + 1), systems, references, source)
        keep = self.keep[start : start + size]
        return Chunk(
            list(compress(range(start + 1, start + size + 1), keep)),
            [list(compress(lines, keep)) for lines in systems],
            [list(compress(lines, keep)) for lines in references],
            list(compress(source, keep)) if source else None,
        )

    def _references(self, batches: list[Sequence[str]], start: int) -> list[Sequence[str | None]]:
        streams: list[Sequence[str | None]] = []
        for stream, lines in zip(self.references, batches, strict=True):
            if self.columns == 1:
                streams.append(lines)
            else:
                streams += self._split(stream.name, lines, start)
        if not self.empty_is_missing:
            return streams
        return [[line or None for line in stream] for stream in streams]

    def _split(self, name: str, lines: Sequence[str], start: int) -> list[list[str]]:
        rows = [[cell.rstrip() for cell in line.split("\t")] for line in lines]
        for number, row in enumerate(rows, start + 1):
            if len(row) != self.columns:
                raise InputError(
                    f"expected {counted(self.columns, 'tab-separated reference')}, found {len(row)}",
                    where=f"{name}:{number}",
                    hint="-nr/--num-refs is the number of columns",
                )
        return [list(column) for column in zip(*rows, strict=True)]

    def _explain(self, streams: list[Stream]) -> NoReturn:
        """Raise the error that says which inputs differ in length, and what may be the cause."""
        counts = [stream.drain() for stream in streams]
        for stream, lines in zip(streams, counts, strict=True):
            if not lines and stream.name == STANDARD_INPUT:
                raise InputError("no hypotheses on standard input", hint="did the program before fail?")
            if not lines:
                raise InputError("is empty", where=stream.name)
        other = next(i for i, lines in enumerate(counts) if lines != counts[-1])
        named = sorted((other, len(counts) - 1), key=lambda i: counts[i])
        facts = [f"{streams[i].name} has {counted(counts[i], 'line')}" for i in named]
        hints = [self.advice(counts[other], counts[-1])] if other < len(self.systems) else []
        hints += [_suspicion(stream) for stream in streams]
        hint = "; ".join(filter(None, hints))
        raise AlignmentError(", ".join(facts), hint=hint or "hypotheses and references go line by line")


def _suspicion(stream: Stream) -> str | None:
    """Return what in a file may have changed its number of lines."""
    if not isinstance(stream, LineReader):
        return None
    if stream.first_odd_line:
        return f"{stream.name}:{stream.first_odd_line} has a carriage return, U+2028 or the like inside"
    if stream.last_is_blank:
        return f"the last line of {stream.name} is blank"
    if not stream.ends_with_newline:
        return f"{stream.name} has no newline at its end"
    return None


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
                f"reference set {number} has {counted(len(stream), 'line')}, hypotheses have {len(lines)}",
                hint=_advice(streams, len(lines)),
            )
    check_every_segment_has_a_reference(streams, count(1))
    return Corpus([lines], streams)


def check_every_segment_has_a_reference(references: References, numbers: Iterable[int]) -> None:
    """Raise an AlignmentError that names the first segment without any reference."""
    if all(None in stream for stream in references):
        for number, segment in zip(numbers, zip(*references, strict=True), strict=False):
            if all(line is None for line in segment):
                raise AlignmentError(f"segment {number} has no reference")


def references_by_segment(references: Iterable[Iterable[str]]) -> list[list[str | None]]:
    """Turn references listed segment by segment into streams, as every metric takes them.

    Segments may have different numbers of references.

    >>> references_by_segment([["a", "b"], ["c"]])
    [['a', 'c'], ['b', None]]

    Raises:
        ShapeError: if a segment's references are not a list of strings.
    """
    if isinstance(references, str | bytes) or not isinstance(references, Iterable):
        got = type(references).__name__
        raise ShapeError(f"references must be a list of lists of strings, one a segment, not {got}")
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
        found = _listed(lines)
    except TypeError:
        raise ShapeError(f"{what} must be a list of strings, got {type(lines).__name__}") from None
    if (index := _other(found, str)) is not None:
        raise ShapeError(f"{what} must be strings, not {_kind(found[index])}", where=f"{what}[{index}]")
    return cast("list[str]", found)


def _streams(references: Iterable[Iterable[str | None]]) -> list[list[str | None]]:
    wanted = "references must be a list of reference sets (lists of strings)"
    if isinstance(references, str | bytes):
        raise ShapeError(f"{wanted}, got one {type(references).__name__}", hint=EXAMPLE)
    try:
        streams = _listed(references)
    except TypeError:
        raise ShapeError(f"{wanted}, got {type(references).__name__}", hint=EXAMPLE) from None
    if any(isinstance(stream, str | bytes) for stream in streams):
        raise ShapeError(
            f"{wanted}, got strings", hint=f"for one reference a segment: [references]; {EXAMPLE}"
        )
    return [_stream(stream, number, wanted) for number, stream in enumerate(streams, 1)]


def _stream(stream: Iterable[object], number: int, wanted: str) -> list[str | None]:
    try:
        lines = _listed(stream)
    except TypeError:
        raise ShapeError(f"{wanted}, set {number} is {type(stream).__name__}", hint=EXAMPLE) from None
    if (index := _other(lines, str, NoneType)) is not None:
        raise ShapeError(
            f"references must be strings or None, not {_kind(lines[index])}",
            where=f"references[{number - 1}][{index}]",
        )
    return cast("list[str | None]", lines)


def _listed(lines: Iterable[T]) -> list[T]:
    if isinstance(lines, set | frozenset | dict):
        raise TypeError  # the lines of the one have no order, those of the other are its values
    return lines if isinstance(lines, list) else list(lines)  # a copy would go through all of the memory


def _other(lines: list[object], *types: type) -> int | None:
    """Return the position of the first line that is of none of the types, if there is one."""
    if set(map(type, lines)) <= set(types):  # much faster than to look at each
        return None
    return next((index for index, line in enumerate(lines) if not isinstance(line, types)), None)


def _kind(line: object) -> str:
    return "token lists" if isinstance(line, list | tuple) else type(line).__name__


def _advice(streams: list[list[str | None]], lines: int) -> str:
    if len(streams) == lines:
        return (
            "these look like one list a segment, but a set has one line for every segment: "
            f"{EXAMPLE}; references_by_segment() converts"
        )
    return "a reference set has one line for every segment"
