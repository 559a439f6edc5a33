"""TER and WER give the field's numbers, exactly."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import read_json, read_lines, shared
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER as Oracle  # noqa: N811  # a class, whatever its name looks like

from mtscore.errors import AlignmentError, UsageError
from mtscore.metrics import ter
from mtscore.metrics.ter import PARTS, TER, WER
from mtscore.signature import Signature
from mtscore.tokenizers.tercom import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.arrays import Floats

VARIANTS: dict[str, dict[str, bool]] = {
    "default": {},
    "norm": {"normalized": True},
    "nopunct": {"no_punct": True},
    "case": {"case_sensitive": True},
    "norm-nopunct": {"normalized": True, "no_punct": True},
    "norm-asian": {"normalized": True, "asian_support": True},
    "nopunct-asian": {"no_punct": True, "asian_support": True},
    "all": {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
}

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")
EVERY_SETTING: list[dict[str, Any]] = [
    dict(zip(OPTIONS, values, strict=True)) for values in product([False, True], repeat=4)
]

MEAN_PIECES = [
    *".,?:;!\"()'-&<>[]{}|~^%$#@*+=/\\0123456789 \n\t\u00a0\u3000\u2028\x1c\u0085",
    *"abSΣςİßé文中、。カひー・！（Ａ㊀㍿㿿䷀﹅",
    *"\u2e80\u31c0\u4dbf\uf900\ufe30\uff61\uff65\uff66\u3012\u3013\u3020",
    *("'s", "'s ", "\n-", "-\n", "e\u0301", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&QUOT;"),
    *("<skipped>", "dog", "x.y", "1,5"),
]

texts = st.text("ab .", max_size=20)


@cache
def adversarial() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the adversarial pairs with what is expected of them."""
    lines, expected = (
        [json.loads(line) for line in shared("hard", name).read_text("utf-8").splitlines()]
        for name in ("lines.jsonl", "expected.jsonl")
    )
    return list(zip(lines, expected, strict=True))


def total(score: ter.TERScore) -> tuple[float, int, float]:
    """Return the numbers of a score."""
    return score.score, score.num_edits, score.ref_length


def agrees(score: ter.TERScore, expected: dict[str, Any]) -> bool:
    """Return whether a score has the expected numbers; the edits exactly."""
    close = pytest.approx((expected["score"], expected["ref_length"]), abs=1e-9)
    return (score.score, score.ref_length) == close and score.num_edits == expected["num_edits"]


def distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Return the Levenshtein distance, written to be read."""
    row = list(range(len(reference) + 1))
    for i, word in enumerate(hypothesis, 1):
        above, row = row, [i]
        for j, goal in enumerate(reference, 1):
            row.append(min(above[j - 1] + (word != goal), above[j] + 1, row[j - 1] + 1))
    return row[-1]


# Tokens


@pytest.mark.parametrize(
    ("line", "settings", "tokens"),
    [
        ("Hello, World!", {}, ["hello,", "world!"]),
        ("Hello, World!", {"normalized": True}, ["hello", ",", "world", "!"]),
        ("Hello, World!", {"no_punct": True}, ["hello", "world"]),
        ("Hello, World!", {"case_sensitive": True}, ["Hello,", "World!"]),
        ("dog's", {"normalized": True}, ["dog", "'s"]),
        ("dog's, cat", {"normalized": True}, ["dog's", ",", "cat"]),
        ("3.5 1,000 5.", {"normalized": True}, ["3.5", "1,000", "5", "."]),
        ("3.5 1,000 5.", {"no_punct": True}, ["35", "1000", "5"]),
        ("a-b 2-3", {"normalized": True}, ["a-b", "2", "-", "3"]),
        ("&quot;x&quot; &amp;lt;", {"normalized": True}, ['"', "x", '"', "<"]),
        ("&quot;x&quot; &amp;lt;", {"no_punct": True}, ["&quotx&quot", "&amplt"]),
        ("foo\n-bar", {"normalized": True}, ["foobar"]),
        ("foo-\nbar", {"normalized": True}, ["foo-", "bar"]),
        ("dog's\u00a0x", {"normalized": True}, ["dog's", "x"]),
        (
            "中文、カタカナ ひらがな。",
            {"normalized": True, "asian_support": True},
            ["中", "文", "、", "カタカナ", "ひらがな", "。"],
        ),
        ("㊀㍿ＡＢ！", {"no_punct": True, "asian_support": True}, ["㊀㍿ａｂ"]),
        ("中文、", {"asian_support": True}, ["中文、"]),
    ],
)
def test_tokens(line: str, settings: dict[str, bool], tokens: list[str]) -> None:
    """Each step of the tokenizer does what Tercom's normalisation does."""
    assert tokenize(line, **settings) == tokens


def test_tokens_of_random_lines_are_the_oracles() -> None:
    """Random lines that are mean to the rules come out as the oracle's, once and twice, in every setting."""
    rng = random.Random(1)  # noqa: S311  # to be repeated
    lines = ["".join(rng.choices(MEAN_PIECES, k=rng.randint(0, 14))) for _ in range(1500)]
    for settings in EVERY_SETTING:
        metric, preprocess = TER(**settings), Oracle(**settings)._preprocess_segment
        once = [preprocess(line) for line in lines]
        twice = [preprocess(line) for line in once]
        assert metric._tokenize(lines) == [line.split() for line in once], settings
        assert [tokenize(line, **settings) for line in lines] == [line.split() for line in once], settings
        for line, reference in zip(twice, metric._prepare_stream(lines).references, strict=True):
            known = {character: word for word, character in reference.characters.items()}
            assert [known[character] for character in reference.text] == line.split(), settings


@pytest.mark.parametrize("variant", VARIANTS)
def test_tokens_of_adversarial_lines(variant: str) -> None:
    """Adversarial lines are tokenised as expected."""
    for pair, expected in adversarial():
        for side in ("hyp", "ref"):
            tokens = expected["ter_tok"][variant][side]
            if isinstance(tokens, str):
                assert tokenize(pair[side].rstrip(), **VARIANTS[variant]) == tokens.split(), pair["id"]


# Numbers


@pytest.mark.parametrize("variant", VARIANTS)
def test_adversarial_pairs(variant: str) -> None:
    """Adversarial pairs, with one and with two references, score as expected, in every setting."""
    metric = TER(**VARIANTS[variant])
    for pair, expected in adversarial():
        for key, references in (("ter", [pair["ref"]]), ("ter_2refs", [pair["ref"], pair["ref2"]])):
            if variant in expected.get(key, {}):
                score = metric.sentence_score(pair["hyp"], references)
                assert agrees(score, expected[key][variant]), pair["id"]


@pytest.mark.parametrize(
    ("section", "variant"),
    [
        *(("one_ref", variant) for variant in VARIANTS),
        *product(["two_refs_empty_string", "variable_refs_none"], ["default", "norm", "all"]),
    ],
)
def test_adversarial_corpus(section: str, variant: str) -> None:
    """The adversarial corpus scores as expected, also with a second reference that is often missing."""
    expected = read_json(shared("hard", "expected-corpus.json"))
    pairs = [
        pair
        for pair, _ in adversarial()
        if pair["line"] is not None and pair["id"] not in expected["ter_excludes"]
    ]
    references: list[list[str | None]] = [[pair["ref"] for pair in pairs]]
    if section == "two_refs_empty_string":
        references.append([pair["ref2"] or "" for pair in pairs])
    if section == "variable_refs_none":
        references.append([pair["ref2"] for pair in pairs])
    score = TER(**VARIANTS[variant]).corpus_score([pair["hyp"] for pair in pairs], references)
    assert agrees(score, expected[section][f"TER {variant}"])


def test_expected_corpora_and_segments() -> None:
    """Every corpus and segment of the evaluation data has the expected edits, length and score."""
    entries = read_json(shared("data", "expected.json"))["entries"]
    entries = [entry for entry in entries if entry.get("metric") == "TER"]
    assert len(entries) == 151
    for entry in entries:
        metric = TER(**entry["options"])
        hypotheses = read_lines(shared("data", entry["hyp"]))
        references = [read_lines(shared("data", name)) for name in entry["refs"]]
        if entry["kind"] == "segments":
            for segment in entry["expected"]["segments"]:
                line = segment["line"]
                score = metric.sentence_score(hypotheses[line], [stream[line] for stream in references])
                assert agrees(score, segment), (entry["id"], line)
        else:
            part = slice(*entry.get("lines", (None, None)))
            score = metric.corpus_score(hypotheses[part], [stream[part] for stream in references])
            assert agrees(score, entry["expected"]), entry["id"]


def test_whole_test_set() -> None:
    """A system of 3,004 segments has the edits and the length that the oracle counts, in three settings."""
    references = read_lines(shared("data", "wmt17-en-de", "ref.de"))
    hypotheses = read_lines(shared("data", "wmt17-en-de", "hyp.xmu.de"))
    settings: list[dict[str, bool]] = [
        {},
        {"normalized": True},
        {"normalized": True, "no_punct": True, "asian_support": True},
    ]
    scores = [total(TER(**setting).corpus_score(hypotheses, [references])) for setting in settings]
    assert scores == [
        (62.17704843563682, 32850, 52833.0),
        (54.16952138592542, 33207, 61302.0),
        (58.78891562640999, 31271, 53192.0),
    ]


def test_reported_cases() -> None:
    """The pairs that users have reported score as they should."""
    cases = [
        case
        for case in read_json(shared("cases.json"))
        if case["issue"] == 2
        and case["options"].get("metric") == "ter"
        and "score" in case["expected"]
        and "input" not in case["options"]
    ]
    assert len(cases) > 20
    for case in cases:
        options = {key: value for key, value in case["options"].items() if key in OPTIONS}
        hypotheses = case["hyp_raw"].split("\n")[:-1] if "hyp_raw" in case else case["hyp"]
        score = TER(**options).corpus_score(hypotheses, case["refs"])
        assert score.score == pytest.approx(case["expected"]["score"], abs=1e-9), case["id"]
        for key in ("num_edits", "ref_length"):
            if key in case["expected"]:
                assert getattr(score, key) == case["expected"][key], case["id"]


def test_random_pairs_have_the_oracles_edits() -> None:
    """Random short pairs with repeated words and up to three references score as the oracle's."""
    rng = random.Random(2)  # noqa: S311  # to be repeated
    for number in range(1500):
        words = rng.sample(["a", "b", "B", "c", "d,", "'s", "e's,", "5.", "6", "中文", "。", "!"], k=5)
        sides = [" ".join(rng.choices(words, k=rng.randint(0, 11))) for _ in range(rng.randint(2, 4))]
        settings = EVERY_SETTING[number % 16]
        expected = Oracle(**settings).sentence_score(sides[0], sides[1:])
        score = TER(**settings).sentence_score(sides[0], sides[1:])
        assert agrees(score, vars(expected)), (settings, sides)


def test_long_pairs_have_the_oracles_edits() -> None:
    """Long and unequal pairs, where the beam and the limit of candidates matter, score as the oracle's do."""
    rng = random.Random(3)  # noqa: S311  # to be repeated
    for height, width, words in (
        (70, 70, 70),
        (60, 90, 300),
        (90, 40, 8),
        (3, 170, 30),
        (1, 60, 5),
        (80, 80, 500),
    ):
        vocabulary = [f"w{number}" for number in range(words)]
        reference = rng.choices(vocabulary, k=width)
        for hypothesis in (
            rng.choices(vocabulary, k=height),
            reference[width // 2 :] + reference[: width // 2],
        ):
            sides = " ".join(hypothesis), " ".join(reference)
            expected = Oracle().sentence_score(sides[0], [sides[1]])
            assert TER().sentence_score(sides[0], [sides[1]]).num_edits == expected.num_edits, sides


# Conventions


@pytest.mark.parametrize(
    ("hypothesis", "references", "edits", "length", "rate"),
    [
        ("", ["a b"], 2, 2.0, 100.0),
        ("a b", [""], 2, 0.0, 100.0),
        ("", [""], 0, 0.0, 0.0),
        ("a b c d", ["a b c x", ""], 1, 2.0, 50.0),
        ("a b", ["a b", "a b c d"], 0, 3.0, 0.0),
        ("a b c", ["x", "x y", "a b"], 1, 5 / 3, 60.0),
        ("Hello , World .", ["hello, world."], 4, 2.0, 200.0),
    ],
)
def test_conventions(hypothesis: str, references: list[str], edits: int, length: float, rate: float) -> None:
    """Edits go to the closest reference, the length is the mean of all, and nothing divides by zero."""
    assert total(TER().sentence_score(hypothesis, references)) == (rate, edits, length)
    assert total(WER().sentence_score(hypothesis, references)) == (rate, edits, length)


def test_a_missing_reference_does_not_count() -> None:
    """A segment that lacks its second reference is scored against the first alone."""
    score = TER().corpus_score(["a b c d", "a b"], [["a b c x", "a b"], [None, "a b c d"]])
    assert total(score) == (100 * (1 / 7), 1, 7.0)
    assert str(score.signature) == str(TER().signature([1, 2]))


def test_segment_without_reference() -> None:
    """A segment without any reference is an error that names it."""
    with pytest.raises(AlignmentError, match="segment 2 has no reference"):
        TER().prepare([["a", None], ["b", None]])


def test_reference_longer_than_the_alphabet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference with more words than there are characters to stand for them is an error."""
    monkeypatch.setattr(ter, "MOST_WORDS", 3)
    assert TER().sentence_score("a b c", ["a b c"]).num_edits == 0
    with pytest.raises(UsageError, match="a reference of 4 words is too long"):
        TER().sentence_score("a b c", ["a b c d"])


def test_reference_of_many_words() -> None:
    """A reference of thousands of words is told apart word by word."""
    words = [f"w{number}" for number in range(2500)]
    score = TER().sentence_score(" ".join(words), [" ".join(words[1:])])
    assert (score.num_edits, score.ref_length) == (1, 2499.0)


def test_references_are_normalised_twice() -> None:
    """A copy of a reference that is not normalised in one step has edits, as in published scores."""
    score = TER(normalized=True).sentence_score("dog's,", ["dog's,"])
    assert total(score) == (100 * (2 / 3), 2, 3.0)
    assert total(TER().sentence_score("dog's,", ["dog's,"])) == (0.0, 0, 1.0)


@pytest.mark.parametrize("metric", [TER(), WER()])
def test_signature(metric: TER | WER) -> None:
    """The signature names every setting, and the details are the JSON fields."""
    score = metric.sentence_score("a b c", ["a b d"])
    assert str(metric.settings) == f"{metric.name}+asian.no+case.lc+norm.no+punct.yes+tok.tercom"
    assert score.signature == Signature(metric.name, {**score.signature.settings, "numrefs": 1})
    assert (score.name, score.better, score.verbose) == (metric.name, "lower", None)
    assert score.details == {"num_edits": 1, "ref_length": 3.0}
    assert metric.columns == ("num_edits", "ref_length_parts")


def test_signature_of_other_settings() -> None:
    """Settings that move the number move the signature."""
    metric = TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    assert str(metric.settings) == "TER+asian.yes+case.mixed+norm.yes+punct.no+tok.tercom"


def test_wer_is_the_edit_distance() -> None:
    """WER's edits on real output are the Levenshtein distances of TER's words."""
    references = read_lines(shared("data", "wmt17-en-de", "ref.de"))[:100]
    hypotheses = read_lines(shared("data", "wmt17-en-de", "hyp.xmu.de"))[:100]
    metric = WER(normalized=True)
    prepared = metric.prepare([references])
    rows = metric.statistics(hypotheses, prepared)
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        words = tokenize(" ".join(tokenize(reference, normalized=True)), normalized=True)
        assert row[0] == distance(tokenize(hypothesis, normalized=True), words)
        assert row[1] == len(words) * PARTS


# Statistics


def test_mean_lengths_add_up_exactly() -> None:
    """Mean lengths of up to 16 references are integers in the statistics: sums are exact in any order."""
    references = [["a b", "a", "a b c d"], ["a", "b", "c"], ["a b", "a b c", ""]]
    rows = TER().statistics(["a b", "b", "c"], TER().prepare(references))
    assert rows[:, 1].tolist() == [PARTS * 5 / 3, PARTS * 5 / 3, PARTS * 5 / 3]
    for number in range(1, 17):
        prepared = TER().prepare([["a"]] + [[""]] * (number - 1))
        assert (float(prepared.lengths[0]).is_integer(), prepared.lengths[0] * number) == (True, PARTS)


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6))
def test_statistics_add(segments: list[tuple[str, str, str]]) -> None:
    """A corpus's statistics are the sums of its segments', and its score is that of the sums."""
    hypotheses, first, second = (list(side) for side in zip(*segments, strict=True))
    for metric in (TER(), WER()):
        rows = metric.statistics(hypotheses, metric.prepare([first, second]))
        parts = [
            metric.statistics([h], metric.prepare([[a], [b]]))[0]
            for h, a, b in zip(hypotheses, first, second, strict=True)
        ]
        assert np.array_equal(rows, np.array(parts))
        score = metric.corpus_score(hypotheses, [first, second])
        assert score.score == metric.score(rows.sum(axis=0))
        assert metric.segment_scores(hypotheses, [first, second]).tolist() == metric.score(rows).tolist()


@given(st.lists(texts, min_size=1, max_size=5))
def test_a_copy_scores_0(lines: list[str]) -> None:
    """References scored against themselves have no edits."""
    for metric in (TER(), WER(), TER(no_punct=True), TER(case_sensitive=True)):
        assert metric.corpus_score(lines, [lines]).score == 0


@given(texts, texts)
def test_ter_is_at_most_wer(hypothesis: str, reference: str) -> None:
    """Shifts never raise the rate."""
    assert float(TER().sentence_score(hypothesis, [reference])) <= float(
        WER().sentence_score(hypothesis, [reference])
    )


def test_scores_of_many_rows() -> None:
    """Scores are computed over any leading axes, and without reference words they are 0 or 100."""
    values: Floats = np.array([[[3, 4 * PARTS], [0, 0]], [[2, 0], [0, 5 * PARTS]]], dtype=np.float64)
    assert TER().score(values).tolist() == [[75.0, 0.0], [100.0, 0.0]]


WORDS = [f"w{number}" for number in range(20_000)]
MOVED = [*WORDS[:9000], *WORDS[9010:9040], *WORDS[9000:9010], *WORDS[9040:]]
"""Ten words stand thirty words to the right."""


@pytest.mark.parametrize(
    ("hypothesis", "reference", "edits"),
    [
        (WORDS, WORDS, 0),
        (MOVED, WORDS, 1),
        (MOVED[::-1], WORDS[::-1], 1),
        (["a"] * 19_900, ["a"] * 20_000, 100),
        (["a", "b"] * 10_000, ["b", "a"] * 10_000, 2),  # the first word would have to move too far
        (["a"] * 20_000, ["b"] * 20_000, 20_000),
        (WORDS[:100], WORDS, 20_000),  # all equal words are too far from the diagonal
        (WORDS, WORDS[:100], 19_976),  # all but 24 equal words are
        (WORDS, [], 20_000),
        ([], WORDS, 20_000),
    ],
    ids=["copy", "moved", "reversed", "repeated", "turned", "other", "short", "long", "all", "none"],
)
def test_segments_of_twenty_thousand_words(hypothesis: list[str], reference: list[str], edits: int) -> None:
    """Segments far too long for a whole table have the edits that one can count by hand."""
    score = TER().sentence_score(" ".join(hypothesis), [" ".join(reference)])
    assert score.num_edits == edits
