"""Turn chunks of text into tokens, and tokens into exact ids, as arrays.

A token's bytes are read in pieces: the first is its length and seven bytes, and each further one the id of
what came before and four bytes, so that a piece is always one 64-bit number. Interning the numbers piece by
piece gives tokens the same id exactly if they are the same: no result rests on a hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtscore.kernels.spans import token_spans
from mtscore.tokenizers.base import ArrayTokenizer
from mtscore.tokenizers.basic import TokenizerNone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtscore.arrays import Bytes, Integers, Keys
    from mtscore.tokenizers.base import Tokenizer

FIRST_PIECE, NEXT_PIECE = 7, 4
LONG_TOKEN = 62
"""Longer tokens (in bytes) are rare and interned one by one."""

LENGTH_SHIFT = np.uint64(56)
ID_SHIFT = np.uint64(32)
MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 over the golden ratio: multiplied by it, keys spread over the high bits (Knuth, TAOCP 6.4)."""
MASKS = np.array([(1 << (8 * size)) - 1 for size in range(9)], dtype=np.uint64)


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
    """Return the tokens of a chunk of lines."""
    lines = [line.rstrip() for line in lines]
    if not isinstance(tokenizer, ArrayTokenizer):
        if lowercase:
            lines = [line.lower() for line in lines]
        lines = [" ".join(tokens) for tokens in tokenizer.batch(lines)]
        tokenizer, lowercase = TokenizerNone(), False
    return _tokenise_text(_join(lines, tokenizer, lowercase=lowercase), tokenizer)


def _join(lines: list[str], tokenizer: ArrayTokenizer, *, lowercase: bool) -> str:
    """Return the prepared lines, each between newlines."""
    text = "\n".join(lines)
    if text.count("\n") == len(lines) - 1:
        text = tokenizer.prepare_all(text.lower() if lowercase else text)
    else:  # some line has newlines inside
        lines = [line.lower() for line in lines] if lowercase else lines
        text = "\n".join([tokenizer.prepare(line) for line in lines])
    return f"\n{text}\n"


def _tokenise_text(text: str, tokenizer: ArrayTokenizer) -> Tokens:
    data = np.frombuffer(text.encode("utf-8", "surrogatepass") + bytes(8), dtype=np.uint8)
    content = data[:-8]
    if text.isascii():
        starts, ends = token_spans(tokenizer.classes()[content])
    else:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        starts, ends = token_spans(tokenizer.classes()[points])
        first_bytes = np.flatnonzero((content & 0xC0) != 0x80)  # noqa: PLR2004  # not a continuation byte
        starts, ends = first_bytes[starts], first_bytes[ends]
    newlines = np.flatnonzero(content == ord("\n"))
    return Tokens(data, starts, ends, np.searchsorted(starts, newlines))


class Vocabulary:
    """Know the tokens of a chunk of references by id, and find them again in hypotheses.

    Ids are positive and below `size`; they are not consecutive.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.size = 1
        self._tables: list[_Table] = []
        self._long: dict[bytes, int] = {}
        self.ids = self._walk(tokens, self._intern, self._intern_long)

    def find(self, tokens: Tokens) -> Integers:
        """Return the id of each token, 0 for those that no reference has."""
        return self._walk(tokens, self._find, lambda token: self._long.get(token, 0))

    def _walk(
        self,
        tokens: Tokens,
        identify: Callable[[int, Keys], Integers],
        identify_long: Callable[[bytes], int],
    ) -> Integers:
        lengths = tokens.ends - tokens.starts
        overlapping = np.ndarray((len(tokens.text) - 7,), "<u8", tokens.text, strides=(1,))
        windows = np.ascontiguousarray(overlapping)
        first = windows.take(tokens.starts) & MASKS[np.minimum(lengths, FIRST_PIECE)]
        ids = identify(0, first | (np.minimum(lengths, LONG_TOKEN + 1).astype(np.uint64) << LENGTH_SHIFT))
        for token in np.flatnonzero(lengths > LONG_TOKEN):
            ids[token] = identify_long(tokens.text[tokens.starts[token] : tokens.ends[token]].tobytes())
        open_ends = np.flatnonzero((lengths > FIRST_PIECE) & (lengths <= LONG_TOKEN) & (ids > 0))
        level, done = 1, FIRST_PIECE
        while len(open_ends):
            piece = windows.take(tokens.starts[open_ends] + done)
            piece &= MASKS[np.minimum(lengths[open_ends] - done, NEXT_PIECE)]
            found = identify(level, (ids[open_ends].astype(np.uint64) << ID_SHIFT) | piece)
            ids[open_ends] = found
            level, done = level + 1, done + NEXT_PIECE
            open_ends = open_ends[(found > 0) & (lengths[open_ends] > done)]
        return ids

    def _intern(self, level: int, keys: Keys) -> Integers:
        table = _Table(keys, self.size)
        self._tables.append(table)
        self.size = table.end
        return self._find(level, keys)

    def _intern_long(self, token: bytes) -> int:
        if token not in self._long:
            self._long[token] = self.size
            self.size += 1
        return self._long[token]

    def _find(self, level: int, keys: Keys) -> Integers:
        if level < len(self._tables):
            return self._tables[level].find(keys)
        return np.zeros(len(keys), dtype=np.int64)


class _Table:
    """Map 64-bit keys to small ids: a hash table that is filled and searched as arrays.

    Keys are written to their slots all at once, and of those that share a slot one stays; the others go on
    to a further round of slots.
    """

    def __init__(self, keys: Keys, first_id: int) -> None:
        """Store `keys`, which may be repeated but are never 0; ids start at `first_id`."""
        self._rounds: list[tuple[Keys, np.uint64, np.uint64, int]] = []
        self.end = first_id
        multiplier = MULTIPLIER
        while len(keys):
            bits = max((len(keys) - 1).bit_length(), 1)
            shift = np.uint64(64 - bits)
            slots = np.zeros(1 << bits, dtype=np.uint64)
            factor = np.uint64(multiplier)
            home = (keys * factor) >> shift
            slots[home] = keys
            self._rounds.append((slots, factor, shift, self.end))
            self.end += len(slots)
            keys = keys[slots[home] != keys]
            multiplier = multiplier * MULTIPLIER % (1 << 64)

    def find(self, keys: Keys) -> Integers:
        """Return the ids of `keys`, 0 where a key is not known."""
        ids = np.zeros(len(keys), dtype=np.int64)
        left: Integers | slice = slice(None)
        for slots, factor, shift, first_id in self._rounds:
            home = ((keys * factor) >> shift).astype(np.int64)
            hit = slots[home] == keys
            ids[left] = np.where(hit, home + first_id, 0)
            missed = np.flatnonzero(~hit)
            left, keys = missed if isinstance(left, slice) else left[missed], keys[missed]
        return ids
