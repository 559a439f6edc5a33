"""chrF, chrF+ and chrF++: numbers, names, and what happens at the edges."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from chrf_twin import Twin, words
from conftest import read_json, read_lines, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF as Oracle  # noqa: N811  # a class, whatever its name looks like

from mtscore.arrays import Ragged
from mtscore.characters import join, word_spans
from mtscore.errors import AlignmentError, UsageError
from mtscore.kernels import ngrams
from mtscore.metrics import chrf
from mtscore.metrics.chrf import CHRF

if TYPE_CHECKING:
    from collections.abc import Sequence

Options = dict[str, Any]

SETTINGS: list[Options] = [
    {},
    {"word_order": 1},
    {"word_order": 2},
    {"char_order": 1},
    {"char_order": 9, "word_order": 4, "beta": 3},
    {"whitespace": True},
    {"whitespace": True, "word_order": 2, "lowercase": True},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2, "beta": 1},
]
SHORT: Options = {"whitespace": True, "char_order": 2}

# Scores and statistics that sacreBLEU 2.6.0 gives: hypothesis, references, options, statistics, score.
EDGE_CASES: list[tuple[str, list[str | None], Options, str, float]] = [
    ("abc", ["abd"], {}, "3,3,2 2,2,1 1,1,0 0,0,0 0,0,0 0,0,0", 38.888888888888886),
    ("abc", ["abd"], {"eps_smoothing": True}, "3,3,2 2,2,1 1,1,0 0,0,0 0,0,0 0,0,0", 19.444444444444443),
    ("abc", ["abc"], {}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 100.0),
    ("abc", ["abc"], {"eps_smoothing": True}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 50.0),
    ("ab c", ["abc"], {}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 100.0),
    ("ab c", ["abc"], SHORT, "4,3,3 3,2,1", 69.64285714285715),
    (" ab", ["ab"], SHORT, "3,2,2 2,1,1", 87.49999999999999),
    ("a\u3000b\u00a0c", ["abc"], {}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 100.0),
    ("abcdefgh", ["ab"], {}, "8,2,2 7,1,1 0,0,0 0,0,0 0,0,0 0,0,0", 55.00000000000001),
    ("ab", ["abcdefgh"], {}, "2,8,2 1,7,1 0,6,0 0,5,0 0,4,0 0,3,0", 23.404255319148938),
    (
        "The cat.",
        ["The cat sat."],
        {"word_order": 2},
        "7,10,7 6,9,6 5,8,5 4,7,3 3,6,2 2,5,1 3,4,3 2,3,1",
        54.504119741359744,
    ),
    (
        "The cat.",
        ["The cat sat."],
        {"word_order": 2, "eps_smoothing": True},
        "7,10,7 6,9,6 5,8,5 4,7,3 3,6,2 2,5,1 3,4,3 2,3,1",
        54.345648500271245,
    ),
    (
        "The cat.",
        ["The cat sat."],
        {"beta": 3, "word_order": 3},
        "7,10,7 6,9,6 5,8,5 4,7,3 3,6,2 2,5,1 3,4,3 2,3,1 1,2,0",
        46.58209682679346,
    ),
    ("The cat.", ["The cat sat."], {"beta": 1}, "7,10,7 6,9,6 5,8,5 4,7,3 3,6,2 2,5,1", 61.50481520697828),
    ("abc", ["xyz", "abd"], {}, "3,3,2 2,2,1 1,1,0 0,0,0 0,0,0 0,0,0", 38.888888888888886),
    ("abc", ["xyz", "qrs"], {}, "3,3,0 2,2,0 1,1,0 0,0,0 0,0,0 0,0,0", 0.0),
    ("abcd", ["abxx", "xxcd"], {}, "4,4,2 3,3,1 2,2,0 1,1,0 0,0,0 0,0,0", 20.833333333333332),
    ("abc", ["abc", ""], {}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 100.0),
    ("abc", [None, "abd"], {}, "3,3,2 2,2,1 1,1,0 0,0,0 0,0,0 0,0,0", 38.888888888888886),
    ("ABC", ["abc"], {}, "3,3,0 2,2,0 1,1,0 0,0,0 0,0,0 0,0,0", 0.0),
    ("ABC", ["abc"], {"lowercase": True}, "3,3,3 2,2,2 1,1,1 0,0,0 0,0,0 0,0,0", 100.0),
    ("", ["abc"], {}, "0,3,0 0,2,0 0,1,0 0,0,0 0,0,0 0,0,0", 0.0),
    ("abc", [""], {}, "0,0,0 0,0,0 0,0,0 0,0,0 0,0,0 0,0,0", 0.0),
    ("", [""], {}, "0,0,0 0,0,0 0,0,0 0,0,0 0,0,0 0,0,0", 0.0),
    ("", [""], {"eps_smoothing": True}, "0,0,0 0,0,0 0,0,0 0,0,0 0,0,0 0,0,0", 1.0000000000000002e-14),
    ("xyz", ["abc"], {"eps_smoothing": True}, "3,3,0 2,2,0 1,1,0 0,0,0 0,0,0 0,0,0", 1.0000000000000002e-14),
]


@pytest.mark.parametrize(("hypothesis", "references", "options", "statistics", "score"), EDGE_CASES)
def test_edge_cases(
    hypothesis: str, references: list[str | None], options: Options, statistics: str, score: float
) -> None:
    """Every edge case has the oracle's counts, and its score to the last bit."""
    result = CHRF(**options).corpus_score([hypothesis], [[line] for line in references])
    assert result.stats == [int(count) for count in statistics.replace(" ", ",").split(",")]
    assert result.score == score
    assert result.details == {"stats": result.stats}


def test_the_corpus_score_is_not_the_mean_of_segment_scores() -> None:
    """A corpus's score comes from the sums of its segments' counts."""
    hypotheses, references = ["ab cd", "the cat"], [["ab ce", "a dog"]]
    assert CHRF().corpus_score(hypotheses, references).score == 25.423052362707534
    assert CHRF().segment_scores(hypotheses, references).tolist() == [47.91666666666667, 5.681818181818182]


def test_a_word_loses_one_punctuation_mark_at_most() -> None:
    """Only the last character of a word, or else its first one, is split off, and only if it is ASCII."""
    line = '(hi) "x" ... -- - don\'t »a« a, ,a, 5% $5 !?'
    starts, ends = word_spans(join([line]))
    found = [f"{line}\n"[start:end] for start, end in zip(starts, ends, strict=True)]
    expected = [
        "(hi",
        ")",
        '"x',
        '"',
        "..",
        ".",
        "-",
        "-",
        "-",
        "don't",
        "»a«",
        "a",
        ",",
        ",a",
        ",",
        "5",
        "%",
    ]
    expected += ["$", "5", "!", "?"]
    assert found == [*expected, "\n"]
    assert words(line) == tuple(expected)


# --- recorded results ---


def chrf_entries(kind: str) -> list[Any]:
    """Return the recorded results of chrF."""
    entries = read_json(shared("data", "expected.json"))["entries"]
    return [e for e in entries if e.get("metric") == "CHRF" and e["kind"] == kind]


def load(entry: Any) -> tuple[list[str], list[list[str]]]:
    """Return the hypotheses and references of a recorded result."""
    hypotheses, *references = [
        read_lines(shared("data", *name.split("/"))) for name in [entry["hyp"], *entry["refs"]]
    ]
    return hypotheses, references


def test_corpora_have_the_recorded_counts_and_scores() -> None:
    """All recorded corpus scores of WMT systems come out with their counts, names and text lines."""
    entries = chrf_entries("corpus")
    assert len(entries) > 200
    for entry in entries:
        hypotheses, references = load(entry)
        part = slice(*entry.get("lines", [None]))
        result = CHRF(**entry["options"]).corpus_score(
            hypotheses[part], [stream[part] for stream in references]
        )
        expected = entry["expected"]
        assert result.stats == expected["stats"], entry["id"]
        assert result.score == pytest.approx(expected["score"], abs=1e-9), entry["id"]
        assert result.name == expected["name"]
        if "n_bootstrap" not in entry:
            pipe = result.signature.extend(version="2.6.0").format("pipe")
            assert result.format(4, signature=pipe) == expected["text_w4"]


def test_segments_have_the_recorded_scores() -> None:
    """All recorded segment scores of WMT systems come out, computed for a whole corpus at once."""
    entries = chrf_entries("segments")
    assert len(entries) == 40
    for entry in entries:
        hypotheses, references = load(entry)
        scores = CHRF(**entry["options"]).segment_scores(hypotheses, references)
        for segment in entry["expected"]["segments"]:
            assert scores[segment["line"]] == pytest.approx(segment["score"], abs=1e-9), entry["id"]


def hard_pairs() -> list[tuple[Any, Any]]:
    """Return the adversarial texts, each with its results."""
    texts, results = (
        [json.loads(line) for line in shared("hard", name).read_text("utf-8").split("\n") if line]
        for name in ("lines.jsonl", "expected.jsonl")
    )
    return list(zip(texts, results, strict=True))


def test_adversarial_segments_have_the_recorded_scores() -> None:
    """Emoji, controls, astral and right-to-left text, and lines of 20,000 words score as recorded."""
    options = read_json(shared("hard", "expected-corpus.json"))["chrf_options"]
    pairs = hard_pairs()
    assert len(pairs) == 304
    for name, option in options.items():
        metric = CHRF(**option)
        for text, expected in pairs:
            hypothesis, references = text["hyp"], [text["ref"], text["ref2"]]
            score = metric.sentence_score(hypothesis, references[:1]).score
            assert score == pytest.approx(expected["chrf"][name], abs=1e-9), text["id"]
            if "chrf_2refs" in expected:
                score = metric.sentence_score(hypothesis, references).score
                assert score == pytest.approx(expected["chrf_2refs"][name], abs=1e-9), text["id"]
            if name in expected.get("chrf_after_rstrip", {}):
                score = metric.sentence_score(hypothesis.rstrip(), [references[0].rstrip()]).score
                assert score == pytest.approx(expected["chrf_after_rstrip"][name], abs=1e-9), text["id"]


def test_the_adversarial_corpus_has_the_recorded_scores() -> None:
    """The adversarial lines score as recorded with one reference, an empty second one and a missing one."""
    recorded = read_json(shared("hard", "expected-corpus.json"))
    rows = [text for text, _ in hard_pairs() if text["line"] is not None]
    hypotheses, first, second = ([row[key] for row in rows] for key in ("hyp", "ref", "ref2"))
    references = {
        "one_ref": [first],
        "two_refs_empty_string": [first, [line or "" for line in second]],
        "variable_refs_none": [first, second],
    }
    for name, streams in references.items():
        for variant, option in recorded["chrf_options"].items():
            expected = recorded[name].get(f"CHRF {variant}")
            if expected:
                result = CHRF(**option).corpus_score(hypotheses, streams)
                assert result.score == pytest.approx(expected["score"], abs=1e-9), (name, variant)
                signature = result.signature.extend(version="2.6.0").format("pipe")
                assert signature == f"{expected['name']}|{expected['signature']}"


def test_reported_cases() -> None:
    """What users of the field reported scores as the cases say."""
    cases = [
        case
        for case in read_json(shared("cases.json"))
        if case["options"]["metric"] == "chrf" and case["verdict"] == "parity"
    ]
    assert len(cases) >= 20
    for case in cases:
        options = {key: value for key, value in case["options"].items() if key != "metric"}
        hypotheses = case["hyp_raw"].split("\n")[:-1] if "hyp_raw" in case else case["hyp"]
        score = CHRF(**options).corpus_score(hypotheses, case["refs"]).score
        assert score == pytest.approx(case["expected"]["score"], abs=1e-9), case["id"]


# --- random text ---

LETTERS = "abAB .,-(é'ßΣσİ"
SCRIPTS = [
    LETTERS,
    "ab \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
    "ab \u200b\u200d\ufeff\u180e\xad",
    "的一是不了人我在有他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里",
    "👩‍👩‍👧🇩🇪👍🏽🎉 a",
    "\U00010400\U0001f600\ue000\U0010ffff\udc80 x",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ a1",
]


def seeded(seed: int) -> random.Random:
    """Return a source of test data."""
    return random.Random(seed)  # noqa: S311  # nothing secret


def random_line(rng: random.Random, alphabet: str, length: int = 25) -> str:
    """Return up to `length` characters."""
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, length)))


def random_corpus(seed: int, size: int = 25, references: int = 1) -> tuple[list[str], list[list[str | None]]]:
    """Return hypotheses that resemble their references, in many scripts."""
    rng = seeded(seed)
    first: list[str] = [random_line(rng, rng.choice(SCRIPTS)) for _ in range(size)]
    hypotheses = [
        "".join(rng.choice((c, c, c, c * 2, rng.choice("ab ."), "")) for c in line) for line in first
    ]
    others = [
        [rng.choice((line, line[::-1], line[2:], None)) for line in first] for _ in range(references - 1)
    ]
    return hypotheses, [[*first], *others]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_random_text_scores_as_the_oracle_says(options: Options) -> None:
    """Random text of many scripts has the oracle's corpus and segment scores, to the last bit."""
    metric = CHRF(**options)
    oracle: Any = Oracle(**options)
    for seed in range(12):
        hypotheses, references = random_corpus(seed, references=1 + seed % 3)
        assert metric.corpus_score(hypotheses, references).score == (
            oracle.corpus_score(hypotheses, references).score
        )
        expected = [
            oracle.sentence_score(h, [r for r in refs if r is not None]).score
            for h, *refs in zip(hypotheses, *references, strict=True)
        ]
        assert metric.segment_scores(hypotheses, references).tolist() == expected


@pytest.mark.parametrize("options", [*SETTINGS, {"char_order": 30, "word_order": 10}], ids=str)
def test_random_text_counts_as_the_twin_does(options: Options) -> None:
    """Random text has the counts of the readable definition, segment by segment, best reference included."""
    metric, twin = CHRF(**options), Twin(**options)
    for seed in range(100, 110):
        hypotheses, references = random_corpus(seed, references=1 + seed % 3)
        expected = [
            twin.best(hypothesis, refs) for hypothesis, *refs in zip(hypotheses, *references, strict=True)
        ]
        assert metric.statistics(hypotheses, metric.prepare(references)).tolist() == expected


@pytest.mark.parametrize("longest", [0, 10_000], ids=["arrays", "counters"])
@pytest.mark.parametrize("options", [*SETTINGS, {"char_order": 30, "word_order": 10}], ids=str)
def test_a_segment_alone_is_counted_as_among_others(
    options: Options, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A segment by itself has the statistics that it has in its corpus, in both ways of counting."""
    monkeypatch.setattr(chrf, "LONGEST_COUNTED", longest)
    metric = CHRF(**options)
    for seed in range(200, 206):
        hypotheses, references = random_corpus(seed, references=1 + seed % 3)
        rows = metric.statistics(hypotheses, metric.prepare(references))
        for row, hypothesis, *refs in zip(rows, hypotheses, *references, strict=True):
            alone = metric.segment_statistics(hypothesis, [line for line in refs if line is not None])
            assert alone.tolist() == row.tolist(), (hypothesis, refs)


@pytest.mark.parametrize("size", [124, 125, 126, 127, 128, 254, 255, 256, 32765, 32766, 32767, 32768])
def test_alphabets_of_every_size(size: int) -> None:
    """Ids stay distinct where an alphabet outgrows the type that holds them."""
    line = "".join(chr(0x4000 + code) for code in range(size))
    result = CHRF(char_order=2, word_order=1).corpus_score([line[::-1], line], [[line, line]])
    assert result.stats == [2 * size, 2 * size, 2 * size, 2 * size - 2, 2 * size - 2, size - 1, 2, 2, 1]


def test_characters_unknown_to_the_references_match_nothing() -> None:
    """Characters beyond the references' alphabet count, but neither match nor resemble each other."""
    result = CHRF(char_order=2, word_order=1).corpus_score(["xy xy z", "\U0010ffff"], [["a a b", "c"]])
    assert result.stats == [6, 4, 0, 4, 2, 0, 4, 4, 0]


# --- the kernel ---


def closed(rows: Sequence[Sequence[int]], end: int) -> Ragged:
    """Return rows of ids, each closed by `end`."""
    flat = [token for row in rows for token in [*row, end]]
    ends = np.cumsum([0] + [len(row) + 1 for row in rows])
    return Ragged(np.array(flat, dtype=np.int64), ends)


def random_rows(rng: random.Random, least: int, most: int, size: int) -> list[list[int]]:
    """Return rows of up to 40 ids."""
    return [[rng.randint(least, most) for _ in range(rng.randint(0, 40))] for _ in range(size)]


@pytest.mark.parametrize("largest", [3, 200, 70_000, 2**40])
@pytest.mark.parametrize("block", [1, 100, 1 << 16])
def test_matches_in_rounds_and_blocks(largest: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts do not depend on how many tokens fit into a key, nor on how many rows are sorted at once."""
    monkeypatch.setattr(ngrams, "BLOCK", block)
    rng = seeded(largest)
    references = random_rows(rng, 1, min(largest - 1, 5), 30)
    hypotheses = [[*row[:10], *row[5:], 0, *row[:3]] for row in references]
    scale = largest // 6 or 1
    references, hypotheses = (
        [[token * scale for token in row] for row in rows] for rows in (references, hypotheses)
    )
    expected = [
        [counts[2] for counts in zip(*[iter(twin_counts(h, r, 7))] * 3, strict=True)]
        for h, r in zip(hypotheses, references, strict=True)
    ]
    found = ngrams.matches(closed(hypotheses, 0), closed(references, largest), 7)
    assert found.tolist() == expected


def twin_counts(hypothesis: list[int], reference: list[int], order: int) -> list[int]:
    """Let the twin count ids as if they were characters."""
    names = {token: chr(0x4E00 + i) for i, token in enumerate(sorted({*hypothesis, *reference}))}
    lines = ["".join(names[token] for token in row) for row in (hypothesis, reference)]
    return Twin(char_order=order).statistics(*lines)


# --- laws ---

lines = st.text(alphabet="ab .\u3000é的👍", max_size=12)
corpora = st.lists(st.tuples(lines, lines), min_size=1, max_size=6)
metrics = st.sampled_from([CHRF(**options) for options in SETTINGS])


@given(metric=metrics, pairs=corpora)
@settings(max_examples=60, deadline=None)
def test_statistics_add_up(metric: CHRF, pairs: list[tuple[str, str]]) -> None:
    """The statistics of a corpus are the sums of those of its segments, in whatever order they come."""
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    whole = metric.corpus_score(hypotheses, [references]).stats
    parts = [metric.sentence_score(*pair[:1], [pair[1]]).stats for pair in pairs]
    assert whole == [sum(column) for column in zip(*parts, strict=True)]
    assert metric.corpus_score(hypotheses[::-1], [references[::-1]]).stats == whole


@given(metric=metrics, pairs=corpora)
@settings(max_examples=60, deadline=None)
def test_scores_are_between_0_and_100(metric: CHRF, pairs: list[tuple[str, str]]) -> None:
    """No text whatever scores below 0, above 100, or NaN."""
    scores = metric.segment_scores([pair[0] for pair in pairs], [[pair[1] for pair in pairs]])
    assert all(0 <= score <= 100 for score in scores)


@given(line=lines.filter(lambda line: len("".join(line.split())) > 0), options=st.sampled_from(SETTINGS))
@settings(max_examples=60, deadline=None)
def test_a_copy_scores_100(line: str, options: Options) -> None:
    """A copy of its reference scores 100, with epsilon smoothing if it is long enough for all orders."""
    text = line if not options.get("eps_smoothing") else f"{line} abcdef abcdef"
    assert CHRF(**options).sentence_score(text, [text]).score == 100


@given(metric=metrics, hypothesis=lines, references=st.lists(lines, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_best_reference_counts(metric: CHRF, hypothesis: str, references: list[str]) -> None:
    """With several references a segment scores as with the best of them, the first of equals."""
    single = [metric.sentence_score(hypothesis, [reference]) for reference in references]
    best = max(single, key=lambda result: result.score)
    result = metric.sentence_score(hypothesis, references)
    assert (result.score, result.stats) == (best.score, best.stats)


def test_scores_have_the_shape_of_what_they_score() -> None:
    """Statistics of any number of leading axes are scored at once, as one by one."""
    metric = CHRF(word_order=1)
    hypotheses, references = random_corpus(7, size=12)
    values = metric.statistics(hypotheses, metric.prepare(references))
    together = metric.score(values.reshape(3, 2, 2, -1))
    assert together.shape == (3, 2, 2)
    assert together.ravel().tolist() == [float(metric.score(row)) for row in values]
    assert values.shape[1] == len(metric.columns) == 21


def test_references_prepared_once_serve_every_system_and_thread() -> None:
    """Several systems score the same against the same prepared references, one after or beside the other."""
    metric = CHRF(word_order=2)
    _, references = random_corpus(1, size=200, references=2)
    prepared = metric.prepare(references)
    systems = [random_corpus(seed, size=200)[0] for seed in range(8)]
    expected = [metric.statistics(system, metric.prepare(references)).tolist() for system in systems]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda system: metric.statistics(system, prepared).tolist(), systems))
    assert found == expected


# --- names, signatures, errors ---


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        ({}, "chrF2+case.mixed+numchars.6+space.no"),
        ({"word_order": 2}, "chrF2+++case.mixed+numchars.6+numwords.2+space.no"),
        ({"beta": 2.0, "lowercase": True}, "chrF2+case.lc+numchars.6+space.no"),
        ({"beta": 0.5, "whitespace": True}, "chrF0.5+case.mixed+numchars.6+space.yes"),
        ({"beta": 1e-5, "char_order": 3}, "chrF0.00001+case.mixed+numchars.3+space.no"),
        ({"beta": 100, "eps_smoothing": True}, "chrF100+case.mixed+eff.no+numchars.6+space.no"),
    ],
)
def test_signatures(options: Options, signature: str) -> None:
    """The signature says every setting that moves the number; beta and word order are in the name."""
    metric = CHRF(**options)
    assert metric.settings.format() == signature
    assert metric.name == signature.partition("+case")[0]


def test_the_text_line() -> None:
    """A score prints as name and number."""
    assert str(CHRF(word_order=2).corpus_score(["The cat."], [["The cat sat."]])) == "chrF2++ = 54.50"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"char_order": 0}, "chrF's character order must be a whole number from 1 to 100, not 0"),
        ({"char_order": 101}, "chrF's character order must be a whole number from 1 to 100, not 101"),
        ({"char_order": 6.0}, "chrF's character order must be a whole number from 1 to 100, not 6.0"),
        ({"word_order": -1}, "chrF's word order must be a whole number from 0 to 10, not -1"),
        ({"word_order": 11}, "chrF's word order must be a whole number from 0 to 10, not 11"),
        ({"beta": 0}, "chrF's beta must be a positive number, not 0"),
        ({"beta": -1.5}, "chrF's beta must be a positive number, not -1.5"),
        ({"beta": float("nan")}, "chrF's beta must be a positive number, not nan"),
        ({"beta": float("inf")}, "chrF's beta must be a positive number, not inf"),
        ({"beta": "2"}, "chrF's beta must be a positive number, not '2'"),
    ],
)
def test_settings_out_of_range(options: Options, message: str) -> None:
    """A setting that makes no sense is refused with its name, its range and what was given."""
    with pytest.raises(UsageError) as caught:
        CHRF(**options)
    assert str(caught.value) == message


def test_a_segment_without_references() -> None:
    """A segment all of whose references are missing is an error that names it."""
    with pytest.raises(AlignmentError, match="segment 2 has no reference"):
        CHRF().corpus_score(["a", "b"], [["a", None], ["b", None]])
