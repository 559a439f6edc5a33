"""Counting n-grams: the kernel against counters, and the laws of clipped counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_text import RandomText

from mtscore.arrays import Ragged
from mtscore.kernels import ngrams
from mtscore.kernels.ngrams import clipped_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

Texts = list[list[int]]


def ragged(texts: Texts) -> Ragged:
    """Return rows of token ids as one flat array."""
    ids = np.array([token for text in texts for token in text], dtype=np.int64)
    return Ragged(ids, np.cumsum([0, *map(len, texts)]))


def count(hypotheses: Texts, references: Sequence[Texts], order: int) -> list[list[int]]:
    """Return what the kernel counts; `references[r][i]` is the r-th reference of segment i.

    Where references have 0, the kernel gets a token that no hypothesis has.
    """
    stranger = 1 + max((token for text in hypotheses for token in text), default=0)
    flat = [[token or stranger for token in text] for stream in references for text in stream]
    counts: list[list[int]] = clipped_counts(ragged(hypotheses), ragged(flat), order).tolist()
    return counts


def count_with_counters(hypotheses: Texts, references: Sequence[Texts], order: int) -> list[list[int]]:
    """Return the same counts as Papineni et al. define them."""
    return [
        [clipped(hypothesis, segment, n) for n in range(1, order + 1)]
        for hypothesis, *segment in zip(hypotheses, *references, strict=True)
    ]


def clipped(hypothesis: list[int], references: Sequence[list[int]], n: int) -> int:
    """Return how many n-grams of the hypothesis a reference has, each as often as one reference has it."""
    most: Counter[tuple[int, ...]] = Counter()
    for reference in references:
        most |= grams(reference, n)
    return (grams(hypothesis, n) & most).total()


def grams(text: list[int], n: int) -> Counter[tuple[int, ...]]:
    """Return the n-grams of known tokens."""
    found = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
    return Counter(gram for gram in found if min(gram) > 0)


def random_texts(text: RandomText, segments: int, longest: int, vocabulary: int) -> Texts:
    """Return rows of ids from 0, which stands for an unknown token, to `vocabulary`."""
    return [[text.below(vocabulary + 1) for _ in range(text.below(longest + 1))] for _ in range(segments)]


@pytest.mark.parametrize("references", [1, 2, 3, 5])
@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_random_texts(references: int, order: int) -> None:
    """On random texts of few and of many words the kernel counts what counters count."""
    text = RandomText(10 * references + order)
    for round_number in range(25):
        segments = 1 + text.below(12)
        vocabulary = (1, 2, 5, 50, 100_000)[round_number % 5]
        hypotheses = random_texts(text, segments, 25, vocabulary)
        streams = [random_texts(text, segments, 25, vocabulary) for _ in range(references)]
        assert count(hypotheses, streams, order) == count_with_counters(hypotheses, streams, order)


@pytest.mark.parametrize("streams", [1, 2, 5])
@pytest.mark.parametrize("bits", [24, 30, 40, 63])
@pytest.mark.parametrize("table", [0, 1 << 20])
def test_orders_that_do_not_fit_into_a_key(
    streams: int, bits: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts do not depend on how many tokens fit into a key, nor on whether ids are made narrower."""
    monkeypatch.setattr(ngrams, "KEY_BITS", bits)
    monkeypatch.setattr(ngrams, "TABLE", table)
    text = RandomText(3)
    hypotheses = random_texts(text, 60, 20, 6)
    references = [random_texts(text, 60, 20, 6) for _ in range(streams)]
    assert count(hypotheses, references, 6) == count_with_counters(hypotheses, references, 6)


@pytest.mark.parametrize("block", [1, 50, 300])
def test_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts do not depend on how many tokens are sorted at once."""
    monkeypatch.setattr(ngrams, "BLOCK", block)
    text = RandomText(4)
    hypotheses = random_texts(text, 60, 20, 6)
    references = [random_texts(text, 60, 20, 6) for _ in range(3)]
    assert count(hypotheses, references, 4) == count_with_counters(hypotheses, references, 4)


def test_ids_of_many_bits() -> None:
    """Ids of many bits count as small ones do."""
    text = RandomText(5)
    hypotheses = random_texts(text, 100, 20, 6)
    references = [random_texts(text, 100, 20, 6) for _ in range(2)]
    large = [[[token << 45 for token in row] for row in stream] for stream in (hypotheses, *references)]
    assert count(large[0], large[1:], 4) == count_with_counters(hypotheses, references, 4)


def test_clipping() -> None:
    """A word repeated without end counts as often as the one reference that has it most often."""
    assert count([[1] * 7], [[[1, 2, 3, 4, 1, 5]], [[6, 3, 7, 2, 4, 1]]], 4) == [[2, 0, 0, 0]]
    assert count([[1, 1, 1]], [[[1, 2]], [[1, 1]], [[2, 1]]], 2) == [[2, 1]]


def test_references_are_not_pooled() -> None:
    """Two references that have an n-gram once each do not make it count twice."""
    assert count([[1, 2, 1, 2]], [[[1, 2]], [[2, 1, 2, 1]]], 4) == [[4, 2, 2, 0]]
    assert count([[1, 1]], [[[1]], [[1]]], 1) == [[1]]


def test_neighbouring_segments_do_not_mix() -> None:
    """An n-gram neither reaches into the next segment nor matches a reference of another one."""
    assert count([[1, 2], [3, 4]], [[[9, 9], [1, 2, 3, 4]]], 4) == [[0, 0, 0, 0], [2, 1, 0, 0]]
    assert count([[1], [2]], [[[1, 2], [1, 2]]], 2) == [[1, 0], [1, 0]]


def test_unknown_tokens_match_nothing() -> None:
    """Id 0 matches nothing, itself included, and breaks every n-gram that it is in."""
    assert count([[0, 0, 1, 0, 1, 2]], [[[0, 0, 1, 0, 1, 2]]], 3) == [[3, 1, 0]]


@pytest.mark.parametrize("texts", [[[]], [[], []], [[], [1, 2], []]])
def test_empty_texts(texts: Texts) -> None:
    """Empty hypotheses and references have no matches, wherever they stand."""
    nothing: Texts = [[] for _ in texts]
    zeros = [[0, 0, 0, 0] for _ in texts]
    assert count(texts, [nothing], 4) == zeros
    assert count(nothing, [texts], 4) == zeros
    assert count(texts, [nothing, texts], 4) == count_with_counters(texts, [texts], 4)


def test_no_segments() -> None:
    """No segments have no counts, in the right shape."""
    empty = Ragged(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64))
    assert clipped_counts(empty, empty, 4).shape == (0, 4)


def test_order_beyond_any_text() -> None:
    """Orders for which no text is long enough count 0."""
    assert count([[1, 2, 3]], [[[1, 2, 3]]], 9) == [[3, 2, 1, 0, 0, 0, 0, 0, 0]]


def test_one_long_segment() -> None:
    """Thousands of repetitions in one segment count right."""
    hypothesis, reference = [1, 2] * 5000 + [3], [2, 1] * 4000
    assert count([hypothesis], [[reference]], 4) == count_with_counters([hypothesis], [[reference]], 4)


texts_of = st.lists(st.integers(0, 4), max_size=9)
corpora = st.integers(1, 4).flatmap(
    lambda segments: st.lists(
        st.lists(texts_of, min_size=segments, max_size=segments), min_size=2, max_size=4
    )
)


@settings(max_examples=150, deadline=None)
@given(corpora)
def test_laws(corpus: list[Texts]) -> None:
    """Counts are those of the counters, however references are ordered and segments are chunked."""
    hypotheses, *references = corpus
    counts = count(hypotheses, references, 4)
    assert counts == count_with_counters(hypotheses, references, 4)
    assert counts == count(hypotheses, references[::-1], 4)
    alone = [count([row], [[stream[i]] for stream in references], 4)[0] for i, row in enumerate(hypotheses)]
    assert counts == alone
    fewer = np.array(count(hypotheses, references[:1], 4))
    assert (fewer <= counts).all()
    assert (np.diff(counts, axis=1) <= 0).all()
