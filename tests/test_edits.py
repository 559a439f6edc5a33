"""TER's quick kernel counts exactly the edits of the algorithm as it is written down in `ter_twin`."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
import ter_twin
from conftest import read_lines, shared
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from mtscore.kernels import edits
from mtscore.kernels.alignment import align, exact_rows, positions
from mtscore.kernels.beam import beam_distance, beam_rows, is_all_in_beam, is_in_beam, saved_in_beam
from mtscore.kernels.edits import shift_edits, word_edits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtscore.kernels.alignment import Alignment

SPELLINGS = [
    ("a b c d", "a b c d", 0),
    ("b a", "a b", 1),
    ("c d a b", "a b c d", 1),
    ("d a b c", "a b c d", 1),
    ("a b c", "c b a", 2),
    ("a x b y", "y b x a", 3),
    ("a b c d e f", "d e f a b c", 1),
    ("a b", "c d", 2),
    ("a b c", "a c", 1),
    ("a c", "a b c", 1),
    ("b c a b", "a b c", 2),
    ("e a b c d f", "a b c d e f", 1),
    ("a a b b", "b b a a", 1),
    ("x a b c y z", "y a b z c x", 3),
    ("gray pink pink gray", "pink gray gray green", 2),
    ("pink gray gray green", "gray pink pink gray", 3),
    ("", "a b", 2),
    ("a b", "", 2),
    ("", "", 0),
]

words = st.text("abcd", max_size=12)


def numbered(count: int) -> list[str]:
    """Return so many different words."""
    return [chr(0x100 + number) for number in range(count)]


def scrambled(rng: random.Random, reference: list[str], moves: int, longest: int) -> list[str]:
    """Return the reference with some phrases moved elsewhere."""
    hypothesis = reference.copy()
    for _ in range(moves):
        start = rng.randint(0, len(hypothesis))
        end = min(start + rng.randint(1, longest), len(hypothesis))
        rest = hypothesis[:start] + hypothesis[end:]
        target = rng.randint(0, len(rest))
        hypothesis = rest[:target] + hypothesis[start:end] + rest[target:]
    return hypothesis


def replaced(rng: random.Random, words: list[str], vocabulary: list[str], count: int) -> list[str]:
    """Return the words with some of them replaced."""
    changed = words.copy()
    for _ in range(count if words else 0):
        changed[rng.randrange(len(words))] = rng.choice(vocabulary)
    return changed


def short_pairs(seed: int, count: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield short pairs of few different words, half of them scrambled copies: they provoke shifts."""
    rng = random.Random(seed)  # noqa: S311  # to be repeated
    for number in range(count):
        vocabulary = numbered(rng.choice([2, 3, 5, 8, 12]))
        reference = rng.choices(vocabulary, k=rng.randint(0, 14))
        hypothesis = rng.choices(vocabulary, k=rng.randint(0, 14))
        if number % 2:
            moved = scrambled(rng, reference, rng.randint(0, 3), 8)
            hypothesis = replaced(rng, moved, vocabulary, rng.randint(0, 2))
        yield hypothesis, reference


def long_pairs(seed: int, count: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield long and unequal pairs, for which the beam matters."""
    rng = random.Random(seed)  # noqa: S311  # to be repeated
    for number in range(count):
        vocabulary = numbered(rng.choice([60, 200, 500]))
        reference = rng.choices(vocabulary, k=rng.randint(26, 70))
        if number % 3 == 0:
            height = rng.choice([1, 3, len(reference) // 2, len(reference), 90])
            yield rng.choices(vocabulary, k=height), reference
        elif number % 3 == 1:
            moved = scrambled(rng, reference, rng.randint(1, 5), 40)
            yield replaced(rng, moved, vocabulary, rng.randint(0, 40)), reference
        else:
            reference = rng.choices(numbered(200), k=rng.randint(58, 64))
            cut = rng.randint(25, 28)
            yield reference[cut:] + rng.choices(numbered(200), k=cut), reference


def edits_of(hypothesis: str, reference: str) -> int:
    """Return the kernel's count for a pair with spaces between words."""
    names = {word: chr(number) for number, word in enumerate(f"{hypothesis} {reference}".split(), 1)}
    texts = ["".join(names[word] for word in side.split()) for side in (hypothesis, reference)]
    return int(shift_edits(texts[:1], texts[1:])[0])


def surely_in_beam(hypothesis: str, reference: str) -> bool:
    """Return what lengths and distance tell about the beam."""
    return is_all_in_beam(len(hypothesis), len(reference), Levenshtein.distance(hypothesis, reference))


def whole_alignment(hypothesis: str, reference: str) -> Alignment:
    """Return the alignment of the whole table."""
    return align(hypothesis, reference, exact_rows(hypothesis, positions(reference), len(reference)))


def beam_alignment(hypothesis: str, reference: str) -> Alignment:
    """Return the alignment within the beam."""
    return align(hypothesis, reference, (row[:3] for row in beam_rows(hypothesis, reference)[:0:-1]))


@pytest.mark.parametrize(("hypothesis", "reference", "expected"), SPELLINGS)
def test_known_pairs(hypothesis: str, reference: str, expected: int) -> None:
    """The kernel and its twin agree with published counts on pairs that can be checked by hand."""
    assert edits_of(hypothesis, reference) == expected
    assert ter_twin.shift_edits(hypothesis.split(), reference.split()).edits == expected


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        (numbered(30)[10:] + numbered(30)[:10], numbered(30), 1),
        (numbered(30)[11:] + numbered(30)[:11], numbered(30), 2),
        (numbered(52)[1:] + numbered(52)[:1], numbered(52), 2),
        (numbered(51)[1:] + numbered(51)[:1], numbered(51), 1),
        (numbered(52)[-1:] + numbered(52)[:-1], numbered(52), 2),
        (numbered(51)[-1:] + numbered(51)[:-1], numbered(51), 1),
    ],
    ids=[
        "10 words move at once",
        "11 words do not",
        "51 positions to the left are too far",
        "50 are not",
        "51 positions to the right are too far",
        "50 are not, either",
    ],
)
def test_limits_of_shifts(hypothesis: list[str], reference: list[str], expected: int) -> None:
    """At most ten words move at once, and at most fifty positions far."""
    assert shift_edits(["".join(hypothesis)], ["".join(reference)]).tolist() == [expected]


def test_short_pairs_agree_with_the_twin() -> None:
    """On thousands of short pairs with repeated words the kernel counts what its twin counts."""
    shifted = 0
    for hypothesis, reference in short_pairs(seed=1, count=4000):
        expected = ter_twin.shift_edits(hypothesis, reference)
        shifted += expected.shifts > 0
        found = shift_edits(["".join(hypothesis)], ["".join(reference)])
        assert found.tolist() == [expected.edits], (hypothesis, reference)
    assert shifted > 1500


def test_every_way_of_searching_agrees_with_the_twin() -> None:
    """Checking all alignments, and filling the beam, lead to the same edits on short pairs."""
    for hypothesis, reference in short_pairs(seed=2, count=400):
        texts = "".join(hypothesis), "".join(reference)
        expected = ter_twin.shift_edits(hypothesis, reference).edits
        checked = edits._CheckedTable(*texts, Levenshtein.distance(*texts))
        assert edits._search(checked, enough=-1) == expected, texts
        assert edits._search(edits._BeamTable(*texts), enough=1) == expected, texts


def test_long_pairs_agree_with_the_twin() -> None:
    """The kernel counts what its twin counts where the beam does not, or may not, cover the best way."""
    uncertain = outside = 0
    for hypothesis, reference in long_pairs(seed=3, count=21):
        expected = ter_twin.shift_edits(hypothesis, reference)
        texts = "".join(hypothesis), "".join(reference)
        assert shift_edits(texts[:1], texts[1:]).tolist() == [expected.edits], (hypothesis, reference)
        uncertain += not surely_in_beam(*texts)
        outside += beam_distance(beam_rows(*texts)) > Levenshtein.distance(*texts)
    assert min(uncertain, outside) > 4, (uncertain, outside)


def test_repetitive_pairs_agree_with_the_twin() -> None:
    """The kernel counts what its twin counts where phrases of about ten words repeat, most aligned."""
    rng = random.Random(10)  # noqa: S311  # to be repeated
    shifted = 0
    for _ in range(100):
        block, words = numbered(12)[: rng.randint(8, 12)], numbered(40)
        parts = [replaced(rng, block, words, rng.randint(0, 1)) for _ in range(3)]
        reference = [word for part in parts for word in (*part, rng.choice(words))]
        hypothesis = scrambled(rng, replaced(rng, reference, words, 2), rng.randint(1, 3), 10)
        expected = ter_twin.shift_edits(hypothesis, reference)
        assert shift_edits(["".join(hypothesis)], ["".join(reference)]).tolist() == [expected.edits]
        shifted += expected.shifts > 0
    assert shifted > 50


@pytest.mark.parametrize("most", [1, 2, 12])
def test_the_limit_of_candidates(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that reaches the limit of candidates, in any round, keeps the shifts it has and gets no more."""
    monkeypatch.setattr(edits, "MOST_CANDIDATES", most)
    monkeypatch.setattr(ter_twin, "MOST_CANDIDATES", most)
    capped = 0
    for hypothesis, reference in short_pairs(seed=most, count=600):
        expected = ter_twin.shift_edits(hypothesis, reference)
        assert shift_edits(["".join(hypothesis)], ["".join(reference)]).tolist() == [expected.edits]
        capped += expected.candidates >= most
    assert capped > 100


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("bacccababccaaacbacbcccbbacbbbccaacba", "bacababccaaacccaaacbaccccbbcbabcbbcb", 8),  # 1001: 7
        ("ccddadacdbbbdbaabcbbdaabcbbdadaa", "ccdbbdbaabaaadabcbbdadaadcdbcbbd", 4),  # 999: 5
    ],
)
def test_the_limit_is_a_thousand_candidates(hypothesis: str, reference: str, expected: int) -> None:
    """The edits, words being letters, are those that sacreBLEU counts, and others with a limit off by one."""
    assert shift_edits([hypothesis], [reference]).tolist() == [expected]


def test_the_tenth_word_of_a_phrase_may_be_the_only_error() -> None:
    """The edits, words being letters, are those that sacreBLEU counts, and one more without such a phrase."""
    hypothesis, reference = "ehfbefdhhaRSkahffbedhXekaR", "ekahfbefdhXekahfbefdhaRSR"
    assert shift_edits([hypothesis], [reference]).tolist() == [6]


def test_real_pairs_agree_with_the_twin() -> None:
    """The kernel counts what its twin counts on real output."""
    references = read_lines(shared("data", "wmt17-en-de", "ref.de"))[:150]
    hypotheses = read_lines(shared("data", "wmt17-en-de", "hyp.PROMT-Rule-based.de"))[:150]
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        expected = ter_twin.shift_edits(hypothesis.split(), reference.split()).edits
        assert edits_of(hypothesis, reference) == expected, (hypothesis, reference)


def test_the_beam_costs_what_the_twins_beam_costs() -> None:
    """Distances within the beam are the twin's, also where they are larger than Levenshtein's."""
    larger = 0
    for hypothesis, reference in long_pairs(seed=4, count=200):
        texts = "".join(hypothesis), "".join(reference)
        expected, _ = ter_twin.beam_distance(hypothesis, reference)
        assert beam_distance(beam_rows(*texts)) == expected
        larger += expected > Levenshtein.distance(*texts)
    assert larger > 20


def test_alignments_are_the_twins() -> None:
    """Bit vectors and the beam trace the same operations as the twin, ties included."""
    for hypothesis, reference in short_pairs(seed=5, count=1000):
        texts = "".join(hypothesis), "".join(reference)
        expected = ter_twin.align(ter_twin.beam_distance(hypothesis, reference)[1])
        exact = whole_alignment(*texts)
        assert exact == beam_alignment(*texts)
        assert exact.passed[1:] == [anchor + 1 for anchor in expected.anchors]
        assert list(exact.hypothesis_errors) == expected.hypothesis_errors
        assert list(exact.reference_errors) == expected.reference_errors


def test_an_alignment_within_the_beam_is_the_beams() -> None:
    """The beam leads to the whole table's alignment if that keeps to the beam, and otherwise perhaps not."""
    inside = different = 0
    for hypothesis, reference in long_pairs(seed=6, count=300):
        texts = "".join(hypothesis), "".join(reference)
        whole = whole_alignment(*texts)
        same = whole == beam_alignment(*texts)
        keeps = is_in_beam(whole, len(hypothesis))
        assert same or not keeps
        if surely_in_beam(*texts):
            assert keeps or len(reference) < 25
        inside, different = inside + keeps, different + (not same)
    assert inside > 100
    assert different > 50


def test_alignments_within_the_beam_are_the_twins() -> None:
    """The beam's operations are the twin's, also where it leads to another alignment than the whole table."""
    different = 0
    for hypothesis, reference in long_pairs(seed=9, count=200):
        texts = "".join(hypothesis), "".join(reference)
        expected = ter_twin.align(ter_twin.beam_distance(hypothesis, reference)[1])
        found = beam_alignment(*texts)
        assert found.passed[1:] == [anchor + 1 for anchor in expected.anchors]
        assert list(found.hypothesis_errors) == expected.hypothesis_errors
        assert list(found.reference_errors) == expected.reference_errors
        different += found != whole_alignment(*texts)
    assert different > 50


@pytest.mark.parametrize(("height", "width"), [(300, 300), (300, 260), (200, 600), (20, 1200), (900, 300)])
def test_what_a_shift_saves_in_the_beam(height: int, width: int) -> None:
    """What is said to be saved is the difference of the distances, for shifts anywhere and of any kind."""
    rng = random.Random(height + width)  # noqa: S311  # to be repeated
    reference = "".join(rng.choices(numbered(40), k=width))
    hypothesis = "".join(replaced(rng, list(reference * 60)[:height], numbered(40), height // 10))
    rows = beam_rows(hypothesis, reference)
    saved = set()
    for _ in range(200):
        start, target = rng.randrange(height), rng.randint(0, height)
        shift = edits.Shift(min(rng.randint(1, 10), height - start), start, target)
        moved = shift.of(hypothesis)
        found = saved_in_beam(rows, moved, reference, *shift.changed)
        assert found == beam_distance(rows) - beam_distance(beam_rows(moved, reference)), shift
        saved.add(found)
    assert len(saved) > 1


def test_long_segments_go_through_the_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments too long for the whole table get the same edits, whichever side is long."""
    pairs = [("".join(hypothesis), "".join(reference)) for hypothesis, reference in short_pairs(7, 200)]
    expected = shift_edits(*zip(*pairs, strict=True))
    monkeypatch.setattr(edits, "LONGEST_WHOLE", 3)
    assert shift_edits(*zip(*pairs, strict=True)).tolist() == expected.tolist()


def test_a_scrambled_page_takes_no_time() -> None:
    """A segment of 400 shuffled words is done in under a second."""
    rng = random.Random(8)  # noqa: S311  # to be repeated
    reference = rng.choices(numbered(150), k=400)
    hypothesis = rng.sample(reference, k=400)
    start = time.process_time()
    shift_edits(["".join(hypothesis)], ["".join(reference)])
    assert time.process_time() - start < 1


@given(words)
def test_a_copy_has_no_edits(text: str) -> None:
    """A hypothesis that is its reference needs no edits."""
    assert shift_edits([text], [text]).tolist() == word_edits([text], [text]).tolist() == [0]


@given(words, words)
def test_edits_have_bounds(hypothesis: str, reference: str) -> None:
    """Shifts only ever save edits, and no shift changes which words there are."""
    with_shifts, without = shift_edits([hypothesis], [reference])[0], word_edits([hypothesis], [reference])[0]
    common = sum(min(hypothesis.count(word), reference.count(word)) for word in set(hypothesis))
    assert max(len(hypothesis), len(reference)) - common <= with_shifts <= without


@given(st.lists(st.tuples(words, words)))
def test_pairs_are_independent(pairs: list[tuple[str, str]]) -> None:
    """A pair's edits do not depend on its neighbours."""
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    for count in (shift_edits, word_edits):
        one_by_one = [int(count([h], [r])[0]) for h, r in pairs]
        assert count(hypotheses, references).tolist() == one_by_one
