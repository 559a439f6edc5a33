"""Turn chunks of text into tokens, and tokens into exact ids, as arrays.

A token has a 64-bit key: its length and, where they fit, its bytes. The keys of longer tokens rest on a hash,
so tokens found by such a key are compared byte by byte: no result rests on luck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtscore.batch import NEWLINE, Batch, joined
from mtscore.kernels.spans import MAYBE_SPACE, SPACE, token_spans
from mtscore.tokenizers.base import WHITE_SPACE, ArrayTokenizer, byte_classes
from mtscore.tokenizers.basic import TokenizerNone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtscore.arrays import Booleans, Bytes, Integers, Keys
    from mtscore.tokenizers.base import Tokenizer

WINDOW = 8
"""How many bytes are read at once, as one number."""
SHORT_TOKEN = 7
"""Tokens of up to so many bytes are in their key as they are."""
LONG_TOKEN = 62
"""Longer tokens are rare and interned one by one."""

MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 over the golden ratio: multiplied by it, keys spread over the high bits (Knuth, TAOCP 6.4)."""
LENGTH_SHIFT, HASH_SHIFT, HALF = np.uint64(56), np.uint64(8), np.uint64(32)
MASKS = np.array([(1 << (8 * size)) - 1 for size in range(SHORT_TOKEN + 1)], dtype=np.uint64)
IS_SPACE = np.isin(np.arange(1 << 14), WHITE_SPACE)


class Tokens(NamedTuple):
    """Hold the tokens of a chunk as spans of its bytes.

    Token t is `text[starts[t]:ends[t]]`; those of segment i are `offsets[i]` to `offsets[i + 1]`.
    `text` has eight bytes more than the spans reach.
    """

    text: Bytes
    starts: Integers
    ends: Integers
    offsets: Integers

    @property
    def lengths(self) -> Integers:
        """Return the number of tokens of each segment."""
        return np.diff(self.offsets)


def tokenise(lines: Sequence[str], tokenizer: Tokenizer, *, lowercase: bool = False) -> Tokens:
    """Return the tokens of a chunk of lines; white space at the end of a line is not a part of it."""
    if not isinstance(tokenizer, ArrayTokenizer):
        lines = [" ".join(tokens) for tokens in tokenise_lines(lines, tokenizer, lowercase=lowercase)]
        tokenizer, lowercase = TokenizerNone(), False
    tokens = _spans(tokenizer.prepare_all(_encoded(lines, lowercase)), tokenizer)
    if len(tokens.offsets) == len(lines) + 1:
        return tokens
    # Some line has newlines inside, which only the way line by line can tell from those between lines.
    lines = [tokenizer.prepare(line) for line in _trimmed(lines, lowercase)]
    return _spans(_encoded(lines), tokenizer)


def tokenise_lines(
    lines: Sequence[str], tokenizer: Tokenizer, *, lowercase: bool = False
) -> list[tuple[str, ...]]:
    """Return the same tokens, line by line."""
    return [tuple(tokens) for tokens in tokenizer.batch(_trimmed(lines, lowercase))]


def _trimmed(lines: Sequence[str], lowercase: bool) -> list[str]:
    return [line.rstrip().lower() if lowercase else line.rstrip() for line in lines]


def _encoded(lines: Sequence[str], lowercase: bool = False) -> bytes:
    """Return lines in UTF-8, with a newline behind each."""
    if isinstance(lines, Batch) and not lowercase:
        return lines.data
    text = f"{joined(lines)}\n" if lines else ""
    return (text.lower() if lowercase else text).encode("utf-8", "surrogatepass")


def _spans(lines: bytes, tokenizer: ArrayTokenizer) -> Tokens:
    """Return the tokens of prepared lines, each of which ends in a newline."""
    framed = b"\n" + lines
    data = np.frombuffer(framed + bytes(WINDOW), dtype=np.uint8)
    content = data[:-WINDOW]
    is_ascii = framed.isascii()
    if is_ascii or tokenizer.ascii_rules:
        classes = np.frombuffer(framed.translate(byte_classes(tokenizer)), dtype=np.uint8)
        starts, ends = token_spans(classes if is_ascii else _with_spaces(classes, data))
    else:
        points = framed.decode("utf-8", "surrogatepass").encode("utf-32-le", "surrogatepass")
        starts, ends = token_spans(tokenizer.classes().take(np.frombuffer(points, dtype="<u4")))
        first_bytes = np.flatnonzero((content & 0xC0) != 0x80)  # noqa: PLR2004  # not a continuation byte
        starts, ends = first_bytes.take(starts), first_bytes.take(ends)
    newlines = np.flatnonzero(content == NEWLINE)
    return Tokens(data, starts, ends, np.searchsorted(starts, newlines))


def _with_spaces(classes: Bytes, data: Bytes) -> Bytes:
    """Return the classes of bytes with those of the white space that takes two or three of them."""
    first = np.flatnonzero((classes & MAYBE_SPACE) != 0)
    lead, second, third = (data.take(first + ahead).astype(np.int64) for ahead in range(3))
    short = (lead & 0x1F) << 6 | (second & 0x3F)
    long = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
    is_short = lead < 0xE0  # noqa: PLR2004  # from here on three bytes or more
    is_space = IS_SPACE.take(np.where(is_short, short, long))
    if is_space.any():
        classes = classes.copy()
        for ahead, here in enumerate((is_space, is_space, is_space & ~is_short)):
            classes[first.compress(here) + ahead] = SPACE
    return classes


class Vocabulary:
    """Know the tokens of a chunk of references by id, and find them again in hypotheses.

    Ids are positive and below `size`; they are not consecutive.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.size = 1 + len(tokens.starts)
        self._spelling = _Spelling(tokens)
        self._intern(LONG_TOKEN)
        if len(self._misspelt(self._spelling, self.ids)):  # two tokens have the same hash
            self._intern(SHORT_TOKEN)

    def find(self, tokens: Tokens) -> Integers:
        """Return the id of each token, 0 for those that no reference has."""
        spelling = _Spelling(tokens)
        ids = self._table.find(spelling.keys(self._limit, lambda token: self._long.get(token, 0))) + 1
        ids[self._misspelt(spelling, ids)] = 0
        return ids

    def _intern(self, limit: int) -> None:
        """Give tokens with the same key the same id."""
        self._limit = limit
        self._long: dict[bytes, int] = {}
        keys = self._spelling.keys(limit, lambda token: self._long.setdefault(token, len(self._long) + 1))
        self._table = _Table(keys)
        self.ids = self._table.found + 1

    def _misspelt(self, spelling: _Spelling, ids: Integers) -> Integers:
        """Return which tokens have an id although they are not what it stands for."""
        hashed = np.flatnonzero(spelling.are_hashed(self._limit) & (ids > 0))
        return hashed.compress(spelling.differ(hashed, self._spelling, ids.take(hashed) - 1))


class _Spelling:
    """Read the bytes of tokens as numbers."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._lengths = tokens.ends - tokens.starts
        overlapping = np.ndarray((len(tokens.text) - WINDOW + 1,), "<u8", tokens.text, strides=(1,))
        self._windows = np.ascontiguousarray(overlapping)

    def are_hashed(self, limit: int) -> Booleans:
        """Return which tokens are too long to stand in their key and short enough to be hashed."""
        return (self._lengths > SHORT_TOKEN) & (self._lengths <= limit)

    def keys(self, limit: int, number: Callable[[bytes], int]) -> Keys:
        """Return the key of each token; beyond the limit it has the token's number."""
        keys = self._windows.take(self._tokens.starts)
        keys &= MASKS.take(np.minimum(self._lengths, SHORT_TOKEN))
        hashed = np.flatnonzero(self.are_hashed(limit))
        keys[hashed] = self._hashes(hashed)
        for token in np.flatnonzero(self._lengths > limit):
            start, end = self._tokens.starts[token], self._tokens.ends[token]
            keys[token] = number(self._tokens.text[start:end].tobytes())
        keys |= np.minimum(self._lengths, LONG_TOKEN + 1).astype(np.uint64) << LENGTH_SHIFT
        return keys

    def differ(self, which: Integers, other: _Spelling, others: Integers) -> Booleans:
        """Return which of some tokens are not spelt like others of the same length."""
        differ = np.zeros(len(which), dtype=np.bool_)
        for offset, left in self._steps(which):
            ours, theirs = self._pieces(which.take(left), offset), other._pieces(others.take(left), offset)
            differ[left] |= ours != theirs
        return differ

    def _hashes(self, which: Integers) -> Keys:
        """Return 56 bits that depend on all bytes of a token."""
        hashes = np.zeros(len(which), dtype=np.uint64)
        for offset, left in self._steps(which):
            mixed = (hashes.take(left) ^ self._pieces(which.take(left), offset)) * np.uint64(MULTIPLIER)
            hashes[left] = mixed ^ (mixed >> HALF)
        return hashes >> HASH_SHIFT

    def _steps(self, which: Integers) -> Iterator[tuple[int, Integers]]:
        """Yield every eighth place of the longest token, and the positions in `which` of those that go on."""
        lengths = self._lengths.take(which)
        offset, left = 0, np.arange(len(which))
        while len(left):
            yield offset, left
            offset += WINDOW
            left = left.compress(lengths.take(left) > offset)

    def _pieces(self, which: Integers, offset: int) -> Keys:
        """Return eight bytes of each token: those from `offset` on, or the last ones if these are fewer."""
        starts, lengths = self._tokens.starts.take(which), self._lengths.take(which)
        pieces: Keys = self._windows.take(starts + np.minimum(offset, lengths - WINDOW))
        return pieces


class _Table:
    """Find keys among known ones: a hash table that is filled and searched as arrays.

    Keys are written to their slots all at once, and of those that share a slot one stays; the others go on
    to a further round of slots. `found` has for each known key the position of the one that stands for it.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._rounds: list[_Round] = []
        self.found = self._search(keys, fill=True)

    def find(self, keys: Keys) -> Integers:
        """Return the position of each key among the known ones, -1 where it is not known."""
        return self._search(keys, fill=False)

    def _search(self, keys: Keys, *, fill: bool) -> Integers:
        found, left, depth = np.full(len(keys), -1), np.arange(len(keys)), 0
        while len(keys) and (fill or depth < len(self._rounds)):
            if fill:
                self._rounds.append(_Round(keys, left, depth))
            candidates = self._rounds[depth].candidates(keys)
            missed = np.flatnonzero(self._keys.take(candidates) != keys)
            candidates[missed] = -1
            found[left if depth else slice(None)] = candidates  # a slice is faster than all positions
            left, keys, depth = left.take(missed), keys.take(missed), depth + 1
        return found


class _Round:
    """Hold at most one key in each slot."""

    def __init__(self, keys: Keys, positions: Integers, depth: int) -> None:
        bits = max((len(keys) - 1).bit_length(), 1)
        self._factor = np.uint64(pow(MULTIPLIER, depth + 1, 1 << 64))
        self._shift = np.uint64(64 - bits)
        self._slots = np.zeros(1 << bits, dtype=np.int64)
        self._slots[self._homes(keys)] = positions

    def candidates(self, keys: Keys) -> Integers:
        """Return the position of the key that has each key's slot; of any key if none has."""
        return self._slots.take(self._homes(keys))

    def _homes(self, keys: Keys) -> Integers:
        return ((keys * self._factor) >> self._shift).astype(np.int64)
