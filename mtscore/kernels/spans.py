"""Cut text into tokens: classes of its elements become the spans of its tokens.

An element is a byte or a code point. What a tokenizer does to it depends only on its class and on the
classes of its neighbours, so a whole chunk of lines is cut at once. The lines are joined by newlines, and the
text begins and ends with one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtscore.arrays import Booleans, Bytes, Integers

SPACE = 1
"""Separates tokens and belongs to none."""
SINGLE = 2
"""Is a token of its own, always."""
RUN = 4
"""Is cut off, unless it stands between elements that block the cut."""
DASH = 8
"""Is cut off behind a blocking element that is not white space, and nowhere else."""
BLOCK = 16
"""Blocks the cut between itself and a RUN element (digits; where a rule says so, the edge of a line)."""
MAYBE_SPACE = 32
"""Is a byte with which white space of several bytes begins, but other characters too; means nothing here."""


def token_spans(classes: Bytes) -> tuple[Integers, Integers]:
    """Return the first and the one-past-last element of each token.

    Args:
        classes: bit flags of each element, shape (n,); the first and the last element are newlines.

    Returns:
        starts and ends, each of shape (tokens,), in the order of the text.
    """
    cut = np.zeros(len(classes), dtype=np.bool_)
    single = (classes & SINGLE) != 0
    np.logical_or(single[1:], single[:-1], out=cut[1:])
    special = np.flatnonzero((classes & (RUN | DASH)) != 0)
    runs = (classes.take(special) & RUN) != 0
    _cut_runs(classes, cut, special.compress(runs))
    _cut_dashes(classes, cut, special.compress(~runs))
    space = (classes & SPACE) != 0
    begins, finishes = np.zeros((2, len(classes)), dtype=np.bool_)
    np.greater(cut[1:] | space[:-1], space[1:], out=begins[1:])
    np.greater(cut[1:] | space[1:], space[:-1], out=finishes[1:])
    return np.flatnonzero(begins), np.flatnonzero(finishes)


def _cut_runs(classes: Bytes, cut: Booleans, elements: Integers) -> None:
    """Set `cut` before and behind the elements of runs, where their rule says so.

    The rule is what two passes of substitutions make of a run of k such elements: the first takes every
    element behind one that does not block, two at a time, the second every element before one that does not.
    """
    if not len(elements):
        return
    cut[elements] = True
    breaks = np.flatnonzero(np.diff(elements) > 1)
    first = elements[np.concatenate(([0], breaks + 1))]
    last = elements[np.concatenate((breaks, [len(elements) - 1]))]
    odd = (last - first) % 2 == 0
    left_blocks = (classes[first - 1] & BLOCK) != 0
    right_blocks = (classes[last + 1] & BLOCK) != 0
    glued_right = right_blocks & (left_blocks == odd)
    glued_left = right_blocks & left_blocks & (first == last)
    cut[last[~glued_right] + 1] = True
    cut[first[glued_left]] = False


def _cut_dashes(classes: Bytes, cut: Booleans, dashes: Integers) -> None:
    behind_digit = dashes[(classes[dashes - 1] & (BLOCK | SPACE)) == BLOCK]
    cut[behind_digit] = True
    cut[behind_digit + 1] = True
