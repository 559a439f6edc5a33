"""TER's edits written to be read: every step as Tercom does it, with no thought of speed.

The kernel `mtscore.kernels.edits` must agree with this on every pair of word lists.
"""

from __future__ import annotations

from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEP, REPLACE, DROP, INSERT = range(4)
"""The operations; of those that cost the same, the first is preferred."""
BEAM = 25
MOST_CANDIDATES, LONGEST_BLOCK, FARTHEST = 1000, 10, 50


class Alignment(NamedTuple):
    """Say where each reference word belongs in the hypothesis, and which words of both sides are errors."""

    anchors: list[int]
    hypothesis_errors: list[bool]
    reference_errors: list[bool]


class Outcome(NamedTuple):
    """Hold the edits of a pair, and how it got there."""

    edits: int
    shifts: int
    candidates: int


def shift_edits(hypothesis: list[str], reference: list[str]) -> Outcome:
    """Shift phrases as long as the best shift helps, then count the remaining edits."""
    if not reference:
        return Outcome(len(hypothesis), 0, 0)
    shifts = considered = 0
    while True:
        distance, operations = beam_distance(hypothesis, reference)
        best, candidates = best_shift(hypothesis, reference, distance, operations, considered)
        considered += candidates
        if considered >= MOST_CANDIDATES or best is None or best[0] <= 0:
            return Outcome(shifts + distance, shifts, considered)
        _, size, minus_start, minus_target = best
        hypothesis = move(hypothesis, -minus_start, size, -minus_target)
        shifts += 1


def beam_distance(hypothesis: list[str], reference: list[str]) -> tuple[int, list[int]]:
    """Return the edit distance and the operations, looking at cells near the diagonal only."""
    height, width = len(hypothesis), len(reference)
    ratio = width / height if height else 1.0
    beam = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    costs = [[inf] * (width + 1) for _ in range(height + 1)]
    how = [[INSERT] * (width + 1) for _ in range(height + 1)]
    costs[0] = [float(j) for j in range(width + 1)]
    for i in range(1, height + 1):
        diagonal = floor(i * ratio)
        last = width if i == height else min(width, diagonal + beam - 1)
        for j in range(max(0, diagonal - beam), last + 1):
            ways = [(costs[i - 1][j] + 1, DROP)]
            if j:
                same = hypothesis[i - 1] == reference[j - 1]
                ways.append((costs[i - 1][j - 1] + (not same), KEEP if same else REPLACE))
                ways.append((costs[i][j - 1] + 1, INSERT))
            costs[i][j], how[i][j] = min(ways)
    return int(costs[height][width]), trace(how)


def trace(how: list[list[int]]) -> list[int]:
    """Follow the operations back from the last cell; return them in reading order."""
    i, j = len(how) - 1, len(how[0]) - 1
    operations = []
    while i or j:
        operations.append(how[i][j])
        i, j = i - (how[i][j] != INSERT), j - (how[i][j] != DROP)
    return operations[::-1]


def align(operations: list[int]) -> Alignment:
    """Return the alignment that operations describe."""
    alignment = Alignment([], [], [])
    position = -1
    for operation in operations:
        if operation != INSERT:
            position += 1
            alignment.hypothesis_errors.append(operation != KEEP)
        if operation != DROP:
            alignment.anchors.append(position)
            alignment.reference_errors.append(operation != KEEP)
    return alignment


def best_shift(
    hypothesis: list[str], reference: list[str], distance: int, operations: list[int], considered: int
) -> tuple[tuple[int, int, int, int] | None, int]:
    """Return the best candidate as (gain, size, -start, -target), and how many were tried."""
    alignment = align(operations)
    best = None
    tried = 0
    for start, j, size in common_phrases(hypothesis, reference):
        if not any(alignment.hypothesis_errors[start : start + size]):
            continue
        if not any(alignment.reference_errors[j : j + size]):
            continue
        if start <= alignment.anchors[j] < start + size:
            continue
        for target in targets(alignment.anchors, j, size):
            shifted = move(hypothesis, start, size, target)
            gain = distance - beam_distance(shifted, reference)[0]
            candidate = (gain, size, -start, -target)
            best = max(best or candidate, candidate)
            tried += 1
        if considered + tried >= MOST_CANDIDATES:
            break
    return best, tried


def common_phrases(hypothesis: list[str], reference: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, reference position, size) of the phrases that both sides have, not too far apart."""
    for start in range(len(hypothesis)):
        for j in range(len(reference)):
            if abs(j - start) > FARTHEST:
                continue
            for size in range(1, LONGEST_BLOCK + 1):
                end = start + size
                if end > len(hypothesis) or j + size > len(reference):
                    break
                if hypothesis[end - 1] != reference[j + size - 1]:
                    break
                yield start, j, size


def targets(anchors: list[int], j: int, size: int) -> Iterator[int]:
    """Yield where a phrase could go: before or behind each reference word of it, each place once."""
    previous = None
    for k in range(j - 1, j + size):
        target = 0 if k == -1 else anchors[k] + 1
        if target != previous:
            yield target
        previous = target


def move(hypothesis: list[str], start: int, size: int, target: int) -> list[str]:
    """Return the hypothesis with the phrase moved before word `target` of what it was."""
    block = hypothesis[start : start + size]
    rest = hypothesis[:start] + hypothesis[start + size :]
    index = target if target <= start + size else target - size
    return rest[:index] + block + rest[index:]
