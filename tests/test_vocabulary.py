"""Token ids: the same exactly for the same tokens, however much tokens look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_text import RandomText

from mtscore import vocabulary
from mtscore.tokenizers import tokenizer
from mtscore.vocabulary import Vocabulary, tokenise

if TYPE_CHECKING:
    from collections.abc import Sequence


BOUNDARIES = [1, 2, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 32, 55, 56, 57, 61, 62, 63, 64, 65, 127, 128, 255]
"""Lengths in bytes around the ends of the windows in which tokens are read."""


def interned(words: Sequence[str]) -> tuple[Vocabulary, list[int]]:
    """Return the vocabulary of words, and the id of each."""
    found = Vocabulary(tokenise([" ".join(words)], tokenizer("none")))
    return found, found.ids.tolist()


def looked_up(known: Vocabulary, words: Sequence[str]) -> list[int]:
    """Return the id of each word, 0 for unknown ones."""
    ids: list[int] = known.find(tokenise([" ".join(words)], tokenizer("none"))).tolist()
    return ids


def check(words: Sequence[str], others: Sequence[str] = ()) -> None:
    """Assert that ids tell exactly the words apart, and that no other word has one."""
    known, ids = interned(words)
    assert len(ids) == len(words)
    assert len(set(ids)) == len(set(words)) == len(set(zip(words, ids, strict=True)))
    assert all(0 < number < known.size for number in ids)
    assert looked_up(known, words[::-1]) == ids[::-1]
    strangers = [word for word in others if word not in set(words)]
    assert looked_up(known, strangers) == [0] * len(strangers)
    mixed = [word for pair in zip(words, strangers, strict=False) for word in pair]
    numbers = dict(zip(words, ids, strict=True))
    assert looked_up(known, mixed) == [numbers.get(word, 0) for word in mixed]


def alike(lengths: Sequence[int]) -> list[str]:
    """Return words of these lengths that differ in one place only, or only in length."""
    words = []
    for length in lengths:
        places = {0, 3, 6, 7, 8, 15, 16, length // 2, length - 9, length - 8, length - 2, length - 1}
        words.append("x" * length)
        words += ["x" * place + "y" + "x" * (length - place - 1) for place in places if 0 <= place < length]
    return words


def test_words_that_differ_in_one_place() -> None:
    """Words that share all but one byte, at every boundary of the windows, have different ids."""
    words = alike(BOUNDARIES)
    check(words * 2, [word.replace("y", "z") for word in words if "y" in word])


def test_words_that_are_prefixes() -> None:
    """A word, its prefixes and its continuations of 1 to 200 bytes have different ids."""
    words = ["q" * length for length in range(1, 201)]
    check(words[::2], words[1::2])
    check(words[1::2], words[::2])


@pytest.mark.parametrize("length", BOUNDARIES)
def test_zero_bytes_count(length: int) -> None:
    """NUL characters are text: words that end in more or fewer of them are different."""
    check(
        ["a" * length + "\0" * zeros for zeros in range(9)] + ["\0" * (length + zeros) for zeros in range(9)]
    )


def test_characters_of_several_bytes() -> None:
    """Words of characters of two to four bytes, and lone surrogates, have ids as others do."""
    words = [
        character * length
        for character in "üß中文😀𠀀\ud800\udc00"
        for length in (1, 2, 3, 4, 15, 16, 20, 21, 22)
    ]
    check(words, [word + "x" for word in words])


def test_random_words() -> None:
    """Thousands of random words have an id each."""
    text = RandomText(5)
    words = [word for line in text.lines(3000, surrogates=True) for word in line.split()]
    half = len(words) // 2
    check(words[:half], words[half:])


@pytest.mark.parametrize("multiplier", [0, 1, 2, 1 << 63, (1 << 64) - 1])
def test_collisions(monkeypatch: pytest.MonkeyPatch, multiplier: int) -> None:
    """With a multiplier that sends many keys, or all, to the same slot, the ids are still exact."""
    monkeypatch.setattr(vocabulary, "MULTIPLIER", multiplier)
    words = alike([1, 2, 7, 8, 16, 17, 22])
    check(words * 2, [f"{word}z" for word in words])


@pytest.fixture
def one_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all tokens that are hashed the same hash."""
    monkeypatch.setattr(
        vocabulary._Spelling, "_hashes", lambda _self, which: np.zeros(len(which), dtype=np.uint64)
    )


@pytest.mark.usefixtures("one_hash")
def test_hashes_that_collide() -> None:
    """Words with the same hash are told apart in references, and in hypotheses from those that are known."""
    words = alike([8, 9, 15, 16, 17, 24, 61, 62, 63])
    check(words * 2, [word.replace("y", "z") for word in words if "y" in word])
    known, ids = interned(["abcdefghij", "a", "abcdefghij"])
    assert looked_up(known, ["abcdefghij", "abcdefghik", "xbcdefghij", "a"]) == [ids[0], 0, 0, ids[1]]


def test_nothing_known() -> None:
    """A vocabulary of no tokens knows none, and no tokens are no ids."""
    nothing, ids = interned([])
    assert ids == []
    assert looked_up(nothing, ["a", "abcdefghijkl", "x" * 100]) == [0, 0, 0]
    known, _ = interned(["a"])
    assert looked_up(known, []) == []


def test_only_short_words_known() -> None:
    """Words longer than any known one are looked up without error, however their beginning reads."""
    known, _ = interned(["abcdefg", "a"])
    assert looked_up(known, ["abcdefg", "abcdefgh", "abcdefgabcdefgabcdefg", "a" * 300]) == [
        known.ids[0],
        0,
        0,
        0,
    ]


def test_ids_do_not_depend_on_lines() -> None:
    """A token has the same id in every line of the chunk."""
    tokens = tokenise(["a b longer-than-a-window", "", "longer-than-a-window b a"], tokenizer("none"))
    ids = Vocabulary(tokens).ids.tolist()
    assert ids == ids[::-1]
    assert tokens.lengths.tolist() == [3, 0, 3]


words_of = st.text(st.sampled_from("ab\0ü中"), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None)
@given(st.lists(words_of, max_size=12), st.lists(words_of, max_size=6))
def test_any_words(words: list[str], others: list[str]) -> None:
    """Whatever the words, ids tell them apart and know no others."""
    check(words, others)


def test_text_has_room_for_a_window() -> None:
    """Eight bytes follow the text, so that a window may be read at its very end."""
    tokens = tokenise(["a bc"], tokenizer("none"))
    assert len(tokens.text) >= int(tokens.ends[-1]) + 8
    assert np.all(tokens.text[-8:] == 0)
