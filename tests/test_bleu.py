"""BLEU: the field's numbers, the textbook's examples, the laws, and errors that say what is wrong."""

from __future__ import annotations

import json
import logging
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import read_json, read_lines, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from random_text import RandomText, settled
from sacrebleu.metrics.bleu import BLEU as Oracle  # noqa: N811  # a class, whatever its name looks like

from mtscore._version import VERSION
from mtscore.corpus import Corpus, check_corpus, references_by_segment
from mtscore.errors import AlignmentError, MissingExtraError, ShapeError, UsageError
from mtscore.metrics import bleu
from mtscore.metrics.bleu import BLEU, BLEUScore
from mtscore.signature import Signature
from mtscore.tokenizers import tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

Options = dict[str, Any]
Streams = list[list[str | None]]

FOLDERS = [
    "wmt17-en-de",
    "wmt21/en-de",
    "wmt21/en-zh",
    "wmt21/hi-bn",
    "wmt22/cs-uk",
    "wmt22/en-de",
    "wmt22/en-ja",
    "wmt22/en-ru",
    "wmt22/liv-en",
    "wmt22/zh-en",
]
VARIANTS = [
    "13a",
    "intl",
    "char",
    "zh",
    "none",
    "ja-mecab",
    "ko-mecab",
    "13a/lc",
    "intl/lc",
    "char/lc",
    "zh/lc",
    "13a/floor",
    "13a/add-k",
    "13a/none",
    "13a/exp-full-order",
    "13a/none-full-order",
]
"""The settings that the adversarial corpus was scored with."""


def oracle_score(options: Options, hypotheses: list[str], references: Any) -> Any:
    """Return what sacreBLEU says."""
    return Oracle(**options, force=True).corpus_score(hypotheses, references)


def approximately(expected: float) -> Any:
    """Return what equals a number to the last digits."""
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def check(found: BLEUScore, expected: dict[str, Any], added: float = 0) -> None:
    """Assert that a score is the expected one; `added` is what add-k left in the expected counts."""
    extra = [0, *[added if any(found.counts) else 0] * (len(found.counts) - 1)]
    assert found.score == approximately(expected["score"])
    assert [c + k for c, k in zip(found.counts, extra, strict=True)] == list(expected["counts"])
    assert [t + k for t, k in zip(found.totals, extra, strict=True)] == list(expected["totals"])
    assert (found.sys_len, found.ref_len) == (expected["sys_len"], expected["ref_len"])
    assert found.bp == approximately(expected["bp"])
    if "precisions" in expected:
        assert list(found.precisions) == approximately(expected["precisions"])


def added_by(options: Options) -> float:
    """Return what sacreBLEU adds to the counts that it reports: we report those of the text."""
    return float(options.get("smooth_value", 1)) if options.get("smooth_method") == "add-k" else 0.0


def metric_or_skip(options: Options) -> BLEU:
    """Return the metric, or skip where its tokenizer needs what is not installed."""
    try:
        return BLEU(**options)
    except MissingExtraError as missing:
        pytest.skip(str(missing))


def pipe(expected: dict[str, Any]) -> str:
    """Return sacreBLEU's signature as ours writes it in its style."""
    return f"BLEU|{expected['signature']}".replace("version:2.6.0", f"version:mtscore-{VERSION}")


# --- Numbers that others have computed


@pytest.mark.parametrize("folder", FOLDERS)
def test_expected_corpora(folder: str) -> None:
    """Every corpus score of this folder is sacreBLEU's, with its counts, its signature and its text line."""
    entries = entries_of(folder, "corpus")
    assert len(entries) > 40
    for entry in entries:
        metric = metric_or_skip(entry["options"])
        hypotheses, references = texts_of(entry)
        score = metric.corpus_score(hypotheses, references, n_bootstrap=entry.get("n_bootstrap", 1))
        expected = entry.get("expected_numpy1", entry["expected"])
        check(score, expected, added_by(entry["options"]))
        if score.interval is not None:
            assert score.interval.mean == approximately(expected["bootstrap_mean"])
            assert score.interval.half_width == approximately(expected["bootstrap_ci"])
        if metric.max_ngram_order == 4:  # others say so in our signature
            text = score.format(4, signature=score.signature.format("pipe"))
            assert text == expected["text_w4"].replace("version:2.6.0", f"version:mtscore-{VERSION}")


@pytest.mark.parametrize("folder", FOLDERS)
def test_expected_segments(folder: str) -> None:
    """Every segment score of this folder is sacreBLEU's, one by one and all at once."""
    entries = entries_of(folder, "segments")
    assert len(entries) > 4
    for entry in entries:
        metric = metric_or_skip(entry["options"])
        hypotheses, references = texts_of(entry)
        for expected in entry["expected"]["segments"]:
            number = expected["line"]
            score = metric.sentence_score(hypotheses[number], [stream[number] or "" for stream in references])
            check(score, expected, added_by(entry["options"]))
        if metric.effective_order:
            scores = metric.segment_scores(hypotheses, references)
            wanted = {row["line"]: row["score"] for row in entry["expected"]["segments"]}
            assert {number: scores[number] for number in wanted} == approximately_each(wanted)


def approximately_each(expected: dict[int, float]) -> Any:
    """Return what equals numbers to the last digits."""
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def entries_of(folder: str, kind: str) -> list[dict[str, Any]]:
    """Return the BLEU entries for a folder of the evaluation data."""
    entries = read_json(shared("data", "expected.json"))["entries"]
    return [
        entry
        for entry in entries
        if entry["kind"] == kind and entry["metric"] == "BLEU" and entry["hyp"].rpartition("/")[0] == folder
    ]


def texts_of(entry: dict[str, Any]) -> tuple[list[str], Streams]:
    """Return hypotheses and reference streams of an entry."""
    start, end = entry["lines"] if entry["kind"] == "corpus" and "lines" in entry else (0, None)
    streams: Streams = [list(read_lines(shared("data", file))[start:end]) for file in entry["refs"]]
    return read_lines(shared("data", entry["hyp"]))[start:end], streams


@pytest.mark.parametrize("variant", VARIANTS)
def test_adversarial_segments(variant: str) -> None:
    """Each of the 304 adversarial pairs has sacreBLEU's segment score, with one reference and with two."""
    metric = metric_or_skip(hard_options(variant))
    pairs = {row["id"]: row for row in rows("lines.jsonl")}
    for row in rows("expected.jsonl"):
        pair = pairs[row["id"]]
        check(
            metric.sentence_score(pair["hyp"], [pair["ref"]]),
            row["bleu"][variant],
            added_by(hard_options(variant)),
        )
        if variant in row.get("bleu_2refs", {}):
            both = metric.sentence_score(pair["hyp"], [pair["ref"], pair["ref2"]])
            check(both, row["bleu_2refs"][variant], added_by(hard_options(variant)))


@pytest.mark.parametrize("case", ["one_ref", "two_refs_empty_string", "variable_refs_none", "by_category"])
def test_adversarial_corpora(case: str) -> None:
    """The adversarial corpus, whole and by category, has sacreBLEU's corpus scores and signatures."""
    expected = read_json(shared("hard", "expected-corpus.json"))[case]
    pairs = [row for row in rows("lines.jsonl") if row["line"] is not None]
    checked = 0
    if case != "by_category":
        expected = {"": expected}
    for category, metrics in expected.items():
        chosen = [row for row in pairs if category in {"", row["category"]}]
        for label, values in metrics.items():
            if label.startswith("BLEU ") and installed(label.removeprefix("BLEU ")):
                check_corpus_of(chosen, case, label.removeprefix("BLEU "), values)
                checked += 1
    assert checked >= 5


def check_corpus_of(pairs: list[dict[str, Any]], case: str, variant: str, expected: dict[str, Any]) -> None:
    """Assert that adversarial pairs have the expected corpus score."""
    missing = {"two_refs_empty_string": "", "variable_refs_none": None}
    references: Streams = [[row["ref"] for row in pairs]]
    if case in missing:
        references.append([row["ref2"] if row["ref2"] is not None else missing[case] for row in pairs])
    options = {key: value for key, value in hard_options(variant).items() if key != "effective_order"}
    score = BLEU(**options).corpus_score([row["hyp"] for row in pairs], references)
    check(score, expected, added_by(options))
    assert score.signature.format("pipe") == pipe(expected)


def hard_options(variant: str) -> Options:
    """Return the settings behind a variant's name."""
    options: Options = read_json(shared("hard", "expected-corpus.json"))["bleu_options"][variant]
    return options


def installed(variant: str) -> bool:
    """Return whether the tokenizer of a variant can be used here."""
    try:
        tokenizer(hard_options(variant).get("tokenize", "13a"))
    except MissingExtraError:
        return False
    return True


def rows(file: str) -> list[dict[str, Any]]:
    """Return the rows of a file of the adversarial corpus."""
    return [json.loads(line) for line in shared("hard", file).read_text("ascii").split("\n") if line]


# --- Statistics and scores by hand


@pytest.mark.parametrize(
    ("hypothesis", "references", "row"),
    [
        (
            "the the the the the the the",
            ["the cat is on the mat", "there is a cat on the mat"],
            [7, 7, 2, 0, 0, 0, 7, 6, 5, 4],
        ),
        ("a b c d", ["a b", "a b c d e f"], [4, 2, 4, 3, 2, 1, 4, 3, 2, 1]),
        ("a b c d", ["a b c d e f", "a b"], [4, 2, 4, 3, 2, 1, 4, 3, 2, 1]),
        ("a b c d", ["a b c d e f", "a b c"], [4, 3, 4, 3, 2, 1, 4, 3, 2, 1]),
        ("a b a b", ["a b", "b a b a"], [4, 4, 4, 2, 2, 0, 4, 3, 2, 1]),
        ("a", ["a b c d e", ""], [1, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
        ("a", ["a b c d e", None], [1, 5, 1, 0, 0, 0, 1, 0, 0, 0]),
        ("a", [None, "a b c d e"], [1, 5, 1, 0, 0, 0, 1, 0, 0, 0]),
        ("", ["a b"], [0, 2, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("a b", [""], [2, 0, 0, 0, 0, 0, 2, 1, 0, 0]),
        ("", [""], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("a b c", ["a b c"], [3, 3, 3, 2, 1, 0, 3, 2, 1, 0]),
    ],
)
def test_statistics(hypothesis: str, references: list[str | None], row: list[int]) -> None:
    """A segment's statistics are its length, the closest reference's, clipped and all n-grams by order."""
    metric = BLEU(tokenize="none")
    statistics = metric.statistics([hypothesis], metric.prepare([[reference] for reference in references]))
    assert statistics.tolist() == [row]
    assert len(metric.columns) == len(row)


def test_columns() -> None:
    """The columns of the statistics are named, two lengths first, for any order."""
    assert BLEU(max_ngram_order=2).columns == (
        "sys_len",
        "ref_len",
        "correct_1",
        "correct_2",
        "total_1",
        "total_2",
    )


# Hypothesis, reference, settings, and what sacreBLEU 2.6.0 says: score, precisions, counts, totals and
# brevity penalty; but the counts of add-k are those of the text, and 100 is exact.
SCORES: list[tuple[str, str, Options, str]] = [
    ("a x c y", "a b c d", {}, "18.99589214128981 50/16.6667/12.5/12.5 2,0,0,0 4,3,2,1 1"),
    ("a x c y", "a b c d", {"smooth_method": "floor"}, "9.55442792204367 50/3.3333/5/10 2,0,0,0 4,3,2,1 1"),
    (
        "a x c y",
        "a b c d",
        {"smooth_method": "add-k"},
        "37.99178428257963 50/25/33.3333/50 2,0,0,0 4,3,2,1 1",
    ),
    ("a x c y", "a b c d", {"smooth_method": "none"}, "0 50/0/0/0 2,0,0,0 4,3,2,1 1"),
    (
        "a x c y",
        "a b c d",
        {"smooth_method": "floor", "smooth_value": 0.01},
        "1.6990442448471226 50/0.3333/0.5/1 2,0,0,0 4,3,2,1 1",
    ),
    (
        "a x c y",
        "a b c d",
        {"smooth_method": "add-k", "smooth_value": 0.5},
        "26.269098944241588 50/14.2857/20/33.3333 2,0,0,0 4,3,2,1 1",
    ),
    ("a b", "a b c d", {}, "0 100/100/0/0 2,1,0,0 2,1,0,0 0.367879"),
    ("a b", "a b c d", {"effective_order": True}, "36.78794411714425 100/100/0/0 2,1,0,0 2,1,0,0 0.367879"),
    ("a b", "a b c d", {"smooth_method": "floor"}, "0 100/100/0/0 2,1,0,0 2,1,0,0 0.367879"),
    (
        "a b",
        "a b c d",
        {"smooth_method": "floor", "effective_order": True},
        "36.78794411714425 100/100/0/0 2,1,0,0 2,1,0,0 0.367879",
    ),
    (
        "a b",
        "a b c d",
        {"smooth_method": "add-k"},
        "36.78794411714425 100/100/100/100 2,1,0,0 2,1,0,0 0.367879",
    ),
    (
        "a b",
        "a b c d",
        {"smooth_method": "add-k", "effective_order": True},
        "36.78794411714425 100/100/100/100 2,1,0,0 2,1,0,0 0.367879",
    ),
    ("a b", "a b c d", {"smooth_method": "none"}, "0 100/100/0/0 2,1,0,0 2,1,0,0 0.367879"),
    (
        "a b",
        "a b c d",
        {"smooth_method": "none", "effective_order": True},
        "36.78794411714425 100/100/0/0 2,1,0,0 2,1,0,0 0.367879",
    ),
    ("x y z w", "a b c d", {"smooth_method": "add-k"}, "0 0/0/0/0 0,0,0,0 4,3,2,1 1"),
    (
        "x y z w",
        "a b c d",
        {"smooth_method": "floor", "effective_order": True},
        "0 0/0/0/0 0,0,0,0 4,3,2,1 1",
    ),
    ("a b c d", "a b c d e", {}, "77.88007830714052 100/100/100/100 4,3,2,1 4,3,2,1 0.778801"),
    ("a b c d e", "a b c d", {}, "66.87403049764218 80/75/66.6667/50 4,3,2,1 5,4,3,2 1"),
    ("a b c d", "a b c d", {}, "100 100/100/100/100 4,3,2,1 4,3,2,1 1"),
    ("", "a b", {}, "0 0/0/0/0 0,0,0,0 0,0,0,0 0"),
    ("a b", "", {}, "0 0/0/0/0 0,0,0,0 2,1,0,0 1"),
    ("", "", {}, "0 0/0/0/0 0,0,0,0 0,0,0,0 1"),
    ("a b x", "a b c d", {"max_ngram_order": 1}, "47.76875403825263 66.6667 2 3 0.716531"),
    (
        "a b c d e f g",
        "a b c d e f h",
        {"max_ngram_order": 6},
        "72.30200263994837 85.7143/83.3333/80/75/66.6667/50 6,5,4,3,2,1 7,6,5,4,3,2 1",
    ),
    (
        "a",
        "a",
        {"max_ngram_order": 6, "effective_order": True},
        "100 100/0/0/0/0/0 1,0,0,0,0,0 1,0,0,0,0,0 1",
    ),
    ("a x", "a b", {"smooth_method": "none", "effective_order": True}, "0 50/0/0/0 1,0,0,0 2,1,0,0 1"),
]


@pytest.mark.parametrize(("hypothesis", "reference", "options", "expected"), SCORES)
def test_scores(hypothesis: str, reference: str, options: Options, expected: str) -> None:
    """Each smoothing method, order and length has the score, precisions and counts of the table."""
    score, precisions, counts, totals, bp = expected.split()
    found = BLEU(tokenize="none", **options).corpus_score([hypothesis], [[reference]])
    assert found.score == approximately(float(score))
    assert list(found.precisions) == pytest.approx([float(p) for p in precisions.split("/")], abs=5e-5)
    assert ",".join(map(str, found.counts)) == counts
    assert ",".join(map(str, found.totals)) == totals
    assert found.bp == pytest.approx(float(bp), abs=5e-7)


H = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
R1 = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
R2 = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]


@pytest.mark.parametrize(
    ("hypotheses", "references", "options", "numrefs", "text"),
    [
        (
            H,
            [R1, R2],
            {},
            2,
            "48.5308 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)",
        ),
        (H, [R1], {}, 1, "45.0675 70.6/42.9/36.4/37.5 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)"),
        (
            H,
            [R1, [R2[0], None, R2[2]]],
            {},
            "var",
            "48.5308 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)",
        ),
        (
            H,
            [R1, [R2[0], "", R2[2]]],
            {},
            2,
            "48.5308 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)",
        ),
        (
            ["a b"],
            [["a b c d e f"], [""]],
            {"tokenize": "none"},
            2,
            "0.0000 100.0/100.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 2 ref_len = 0)",
        ),
        (
            ["a b"],
            [["a b c d e f"], [None]],
            {"tokenize": "none"},
            1,
            "0.0000 100.0/100.0/0.0/0.0 (BP = 0.135 ratio = 0.333 hyp_len = 2 ref_len = 6)",
        ),
    ],
)
def test_corpora(
    hypotheses: list[str], references: Streams, options: Options, numrefs: object, text: str
) -> None:
    """Small corpora with several, missing and empty references have the text lines of the field's scorer."""
    score = BLEU(**options).corpus_score(hypotheses, references)
    assert score.format(4) == f"BLEU = {text}"
    assert score.signature.get("numrefs") == numrefs


TEXTBOOK: list[tuple[str, list[str], str]] = [
    (
        "the the the the the the the",
        ["the cat is on the mat", "there is a cat on the mat"],
        "2,0,0,0 7,6,5,4 1.0 7.809849842300637",
    ),
    (
        "the cat the cat on the mat",
        ["The cat is on the mat", "There is a cat on the mat"],
        "5,4,2,1 7,6,5,4 1.0 46.71379777281999",
    ),
    (
        "el gato negro duerme en la alfombra roja de la casa",
        ["el gato negro duerme sobre la alfombra roja de la casa"],
        "10,8,6,4 11,10,9,8 1.0 70.16879391277372",
    ),
    ("the cat", ["the cat is on the mat"], "2,1,0,0 2,1,0,0 0.1353352832366127 0"),
    ("a b c d", ["a b c d e f g h i j k"], "4,3,2,1 4,3,2,1 0.1737739434504451 17.37739434504451"),
    ("a b c d e f g", ["a b c d e f g h i j k"], "7,6,5,4 7,6,5,4 0.5647181220077593 56.47181220077593"),
]


@pytest.mark.parametrize(("hypothesis", "references", "expected"), TEXTBOOK)
def test_textbook(hypothesis: str, references: list[str], expected: str) -> None:
    """The examples that textbooks work through come out as they say: clipping, bigrams, brevity penalties."""
    counts, totals, bp, score = expected.split()
    found = BLEU(lowercase=True).sentence_score(hypothesis, references)
    assert ",".join(map(str, found.counts)) == counts
    assert ",".join(map(str, found.totals)) == totals
    assert found.bp == approximately(float(bp))
    assert found.score == approximately(float(score))


# --- Where the numbers are ours


def test_reported_counts_are_those_of_the_text() -> None:
    """With add-k the score is sacreBLEU's, and counts and totals are what the text has, without k."""
    options: Options = {"smooth_method": "add-k", "smooth_value": 0.5, "tokenize": "none"}
    ours, theirs = (
        BLEU(**options).corpus_score(["a x c y"], [["a b c d"]]),
        oracle_score(options, ["a x c y"], [["a b c d"]]),
    )
    assert (list(ours.counts), list(ours.totals)) == ([2, 0, 0, 0], [4, 3, 2, 1])
    assert (theirs.counts, theirs.totals) == ([2, 0.5, 0.5, 0.5], [4, 3.5, 2.5, 1.5])
    assert ours.score == approximately(theirs.score)
    assert all(isinstance(count, int) for count in (*ours.counts, *ours.totals))


def test_perfect_is_exactly_100() -> None:
    """What rounding alone parts from 100 is 100, and a smoothing value that really lifts a score does so."""
    assert oracle_score({}, ["a b c d"], [["a b c d"]]).score > 100
    nearly_perfect = np.array([2e12, 2e12 + 10, 1, 1, 1, 1, 1, 1, 1, 1])
    assert BLEU().score(nearly_perfect) == 100
    assert BLEU().corpus_score(["a b c d"], [["a b c d"]]).score == 100
    lifted: Options = {"smooth_method": "floor", "smooth_value": 9.0}
    score = BLEU(**lifted).corpus_score(["a x y z"], [["a b c d"]]).score
    assert score == approximately(oracle_score(lifted, ["a x y z"], [["a b c d"]]).score)
    assert score > 100


# --- Against the oracle, at random


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_random_corpora(tokenize: str, order: int) -> None:
    """Random corpora with several and missing references, under random settings, have sacreBLEU's scores."""
    text = RandomText(100 * order + len(tokenize))
    lines = settled(text.lines(900, newlines=order == 3, longest=20))
    scores = []
    for _ in range(40):
        hypotheses, references = random_corpus(text, lines)
        options = random_options(text) | {"tokenize": tokenize, "max_ngram_order": order}
        scores.append(check_against_oracle(hypotheses, references, options))
    assert len(set(scores)) > 15, "most corpora should have something in common"


@pytest.mark.parametrize("lowercase", [False, True])
def test_random_texts_of_few_words(lowercase: bool) -> None:
    """Where words repeat a lot, so that clipping and ties of lengths matter, scores are sacreBLEU's."""
    text = RandomText(8 + lowercase)
    lines = [text.words(text.below(12), ["a", "b", "A", "the", "cat", "5."]) for _ in range(500)]
    for _ in range(200):
        hypotheses, references = random_corpus(text, lines)
        check_against_oracle(hypotheses, references, random_options(text) | {"lowercase": lowercase})


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("longest", [0, bleu.LONGEST_COUNTED], ids=["arrays", "counters"])
def test_a_segment_alone_is_counted_as_among_others(
    tokenize: str, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A segment by itself has the statistics that it has in its corpus, in both ways of counting."""
    monkeypatch.setattr(bleu, "LONGEST_COUNTED", longest)
    text = RandomText(31)
    lines = text.lines(600, newlines=True, longest=20)
    lines += [text.words(text.below(12), ["a", "b", "A", "the", "cat", "5."]) for _ in range(300)]
    for lowercase in (False, True):
        metric = BLEU(tokenize=tokenize, lowercase=lowercase, max_ngram_order=5)
        for _ in range(60):
            hypotheses, references = random_corpus(text, lines)
            rows = metric.statistics(hypotheses, metric.prepare(references))
            for row, hypothesis, *refs in zip(rows, hypotheses, *references, strict=True):
                alone = metric.segment_statistics(hypothesis, [line for line in refs if line is not None])
                assert alone.tolist() == row.tolist(), (hypothesis, refs)


def random_corpus(text: RandomText, lines: Sequence[str]) -> tuple[list[str], Streams]:
    """Return hypotheses, and references of which each segment has at least one; some are copies or halves."""
    size = 1 + text.below(8)
    hypotheses = [text.one_of(lines) for _ in range(size)]
    streams: Streams = [
        [relative(text, line, lines) for line in hypotheses] for _ in range(1 + text.below(3))
    ]
    for stream in streams[1:]:
        for index in range(size):
            if text.below(4) == 0:
                stream[index] = None
    return hypotheses, streams


def relative(text: RandomText, line: str, lines: Sequence[str]) -> str:
    """Return a line that shares something with another: all, most, or nothing."""
    words = line.split(" ")
    kind = text.below(5)
    if kind == 0:
        return line
    if kind == 1:
        return text.one_of(lines)
    if kind == 2:
        return " ".join(words[: text.below(len(words) + 1)])
    return " ".join(words + text.one_of(lines).split(" ")[: text.below(6)])


def random_options(text: RandomText) -> Options:
    """Return a smoothing method, with a value if it takes one, and other settings."""
    options: Options = {
        "smooth_method": text.one_of(["exp", "floor", "add-k", "none"]),
        "effective_order": text.below(2) == 1,
        "lowercase": text.below(3) == 1,
    }
    if options["smooth_method"] in {"floor", "add-k"} and text.below(2):
        options["smooth_value"] = (0.0, 0.01, 0.5, 1.0, 2.0, 3.5)[text.below(6)]
    return options


def check_against_oracle(hypotheses: list[str], references: Streams, options: Options) -> float:
    """Assert that a corpus has the score that sacreBLEU gives it, and return it."""
    theirs = oracle_score(options, hypotheses, references)
    ours = BLEU(**options).corpus_score(hypotheses, references)
    fields = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    check(ours, {field: getattr(theirs, field) for field in fields}, added_by(options))
    assert ours.ratio == approximately(theirs.ratio)
    return ours.score


def test_random_signatures() -> None:
    """For all settings that sacreBLEU's signature has, ours in its style says the same."""
    text = RandomText(77)
    for _ in range(100):
        hypotheses, references = random_corpus(text, ["a b c", "a b", "c"])
        options = random_options(text)
        oracle: Any = Oracle(**options)
        oracle.corpus_score(hypotheses, references)
        ours = BLEU(**options).corpus_score(hypotheses, references).signature
        for short in (False, True):
            theirs = oracle.get_signature().format(short=short).replace("2.6.0", f"mtscore-{VERSION}")
            assert ours.format("pipe", short=short) == f"BLEU|{theirs}"


# --- Laws


WORDS = st.lists(st.sampled_from(["a", "b", "c", "the", "3.5", "x-y", "中文", "Ä", ""]), max_size=9)
LINES = WORDS.map(" ".join)
CORPORA = st.integers(1, 6).flatmap(
    lambda size: st.tuples(
        st.lists(LINES, min_size=size, max_size=size),
        st.lists(st.lists(LINES, min_size=size, max_size=size), min_size=1, max_size=3),
        st.permutations(range(size)),
    )
)
METRICS = st.builds(
    BLEU,
    tokenize=st.sampled_from(["13a", "char", "intl"]),
    smooth_method=st.sampled_from(["exp", "floor", "add-k", "none"]),
    max_ngram_order=st.integers(1, 5),
    effective_order=st.booleans(),
    lowercase=st.booleans(),
)


def statistics_of(metric: BLEU, hypotheses: list[str], references: Streams) -> Any:
    """Return the statistics of all segments."""
    return metric.corpus_statistics(check_corpus(hypotheses, references))


@settings(max_examples=120, deadline=None)
@given(METRICS, CORPORA)
def test_laws_of_statistics(metric: BLEU, corpus: tuple[list[str], Streams, list[int]]) -> None:
    """Statistics belong to segments: they add up, go along with any order, and depend on no neighbour."""
    hypotheses, references, order = corpus
    rows = statistics_of(metric, hypotheses, references)
    whole = metric.corpus_score(hypotheses, references)
    assert whole.score == metric.score(rows.sum(axis=0))
    moved = statistics_of(metric, [hypotheses[i] for i in order], [[s[i] for i in order] for s in references])
    assert (moved == rows[order]).all()
    assert (statistics_of(metric, hypotheses, references[::-1]) == rows).all()
    doubled = metric.corpus_score(hypotheses * 2, [stream * 2 for stream in references])
    assert doubled.totals == [2 * total for total in whole.totals]
    assert doubled.counts == [2 * count for count in whole.counts]
    alone = [
        statistics_of(metric, [h], [[r] for r in refs])[0]
        for h, *refs in zip(hypotheses, *references, strict=True)
    ]
    assert (np.array(alone) == rows).all()


@settings(max_examples=120, deadline=None)
@given(METRICS, CORPORA)
def test_laws_of_scores(metric: BLEU, corpus: tuple[list[str], Streams, list[int]]) -> None:
    """Scores are numbers from 0 to 100, in any shape of rows, and single segments are scored as alone."""
    hypotheses, references, _ = corpus
    rows = statistics_of(metric, hypotheses, references)
    scores = metric.score(rows)
    assert scores.shape == (len(hypotheses),)
    assert (scores >= 0).all()
    assert (scores <= 100).all()
    assert metric.score(np.stack([rows, rows])).tolist() == [scores.tolist()] * 2
    for index, hypothesis in enumerate(hypotheses):
        alone = metric.sentence_score(hypothesis, [stream[index] or "" for stream in references])
        assert alone.score == scores[index]
        assert metric.result(rows[index], alone.signature) == alone
    by_segment = metric.segment_scores(hypotheses, references)
    assert (by_segment == metric.for_segments().score(rows)).all()


@settings(max_examples=80, deadline=None)
@given(METRICS, st.lists(LINES, min_size=1, max_size=6), st.lists(LINES, min_size=6, max_size=6))
def test_a_copy_is_perfect(metric: BLEU, lines: list[str], others: list[str]) -> None:
    """A copy of a reference scores exactly 100 if the order that counts exists at all."""
    score = metric.corpus_score(lines, [others[: len(lines)], lines])
    reached = score.totals[-1] > 0 or (
        score.totals[0] > 0 and (metric.effective_order or metric.smooth_method == "add-k")
    )
    assert score.score == (100 if reached else 0)
    assert score.counts == score.totals


@settings(max_examples=200, deadline=None)
@given(
    METRICS,
    st.lists(
        st.lists(st.integers(0, 3) | st.integers(0, 1 << 40), min_size=12, max_size=12),
        min_size=1,
        max_size=4,
    ),
)
def test_never_nan(metric: BLEU, rows: list[list[int]]) -> None:
    """Whatever the sums are, possible or not, a score is a number, without a floating-point warning."""
    values = np.array(rows, dtype=np.float64)[:, : len(metric.columns)]
    with np.errstate(all="raise", under="ignore"):
        scores = metric.score(values)
    assert np.isfinite(scores).all()


def test_lowercase_is_lowercased_text() -> None:
    """Scoring without case is scoring what `str.lower` makes of the lines."""
    lines = RandomText(12).lines(400)
    hypotheses, references = lines[:200], [lines[200:]]
    lowered = BLEU().corpus_score([h.lower() for h in hypotheses], [[r.lower() for r in references[0]]])
    assert BLEU(lowercase=True).corpus_score(hypotheses, references).counts == lowered.counts


def test_every_chunk_counts() -> None:
    """Corpora longer than one chunk score as all their segments together."""
    text = RandomText(13)
    hypotheses = [text.words(6, ["a", "b", "c", "d"]) for _ in range(5000)]
    references: Streams = [[text.words(6, ["a", "b", "c", "d"]) for _ in range(5000)]]
    check_against_oracle(hypotheses, references, {})


# --- Shapes


def test_any_iterable() -> None:
    """Hypotheses, reference sets and the collection of sets may each be any iterable, generators included."""
    wanted = BLEU().corpus_score(H, [R1, R2])
    assert BLEU().corpus_score(iter(H), iter([iter(R1), iter(R2)])) == wanted
    assert BLEU().corpus_score(tuple(H), (tuple(R1), tuple(R2))) == wanted
    assert BLEU().corpus_score((h for h in H), {1: R1, 2: R2}.values()) == wanted
    assert BLEU().corpus_score(np.array(H), np.array([R1, R2])) == wanted
    assert BLEU().sentence_score(H[0], iter([R1[0], R2[0]])) == BLEU().sentence_score(H[0], [R1[0], R2[0]])
    assert (
        BLEU().segment_scores(iter(H), iter([iter(R1)])).tolist() == BLEU().segment_scores(H, [R1]).tolist()
    )


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (
            H,
            [[r] for r in R1],
            r"reference set 1 has 1 line, hypotheses have 3 \(these look like one list a segment",
        ),
        (
            H,
            [[r, r] for r in R1],
            r"set 1 has 2 lines, hypotheses have 3 \(.*references_by_segment\(\) converts\)",
        ),
        (H, [R1[:2]], "reference set 1 has 2 lines, hypotheses have 3"),
        (H, [[*R1, "x"]], "reference set 1 has 4 lines, hypotheses have 3"),
        (H, [R1, R2[:1]], "reference set 2 has 1 line, hypotheses have 3"),
        (H, [[]], "reference set 1 has 0 lines, hypotheses have 3"),
        (H[:1], [R1], "reference set 1 has 3 lines, hypotheses have 1"),
        (H, [[None, R1[1], R1[2]], [None, R2[1], None]], "segment 1 has no reference"),
        (H, [[*R1[:2], None]], "segment 3 has no reference"),
    ],
)
def test_unequal_lengths(hypotheses: Any, references: Any, message: str) -> None:
    """Streams of different lengths and segments without a reference are errors that say where, never cut."""
    for score in (BLEU().corpus_score, BLEU().segment_scores):
        with pytest.raises(AlignmentError, match=message):
            score(hypotheses, references)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (
            H,
            R1,
            r"references must be a list of reference sets \(lists of strings\), got strings .*\[references\]",
        ),
        (H, "abc", "references must be a list of reference sets .*, got one str"),
        (H, None, "references must be a list of reference sets .*, got NoneType"),
        (H, [None, R1], "references must be a list of reference sets .*, set 1 is NoneType"),
        (H, [R1, 5], "set 2 is int"),
        (
            H,
            [[["The", "dog"], "b", "c"]],
            r"references\[0\]\[0\]: references must be strings or None, not token lists",
        ),
        (H, [R1, ["a", 5, "c"]], r"references\[1\]\[1\]: references must be strings or None, not int"),
        (H, [R1, [b"a", b"b", b"c"]], r"references\[1\]\[0\]: references must be strings or None, not bytes"),
        ("abc", [["a", "b", "c"]], "hypotheses must be a list of strings, got one str"),
        (b"abc", [["a", "b", "c"]], "hypotheses must be a list of strings, got one bytes"),
        (None, [R1], "hypotheses must be a list of strings, got NoneType"),
        ([["The", "dog"], "b", "c"], [R1], r"hypotheses\[0\]: hypotheses must be strings, not token lists"),
        (["a", None, "c"], [R1], r"hypotheses\[1\]: hypotheses must be strings, not NoneType"),
    ],
)
def test_wrong_shapes(hypotheses: Any, references: Any, message: str) -> None:
    """What is not nested as it must be is a TypeError that says what was found and where."""
    with pytest.raises(ShapeError, match=message) as caught:
        BLEU().corpus_score(hypotheses, references)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"), [([], [[]], "no sentences to score"), (H, [], "no references")]
)
def test_nothing_to_score(hypotheses: list[str], references: Streams, message: str) -> None:
    """No hypotheses or no reference sets are errors, not a score."""
    with pytest.raises(UsageError, match=message):
        BLEU().corpus_score(hypotheses, references)


@pytest.mark.parametrize(
    ("hypothesis", "references", "message"),
    [
        ("a b", "a b", "references must be a list of strings, got one string"),
        (["a b"], ["a b"], "the hypothesis must be a string, not list"),
        ("a b", [["a b"]], "references must be strings or None, not token lists"),
        ("a b", [None], "segment 1 has no reference"),
        ("a b", [], "no references"),
    ],
)
def test_wrong_sentences(hypothesis: Any, references: Any, message: str) -> None:
    """One hypothesis is a string and its references are a list of strings; anything else is said."""
    with pytest.raises((ShapeError, UsageError), match=message):
        BLEU().sentence_score(hypothesis, references)


def test_references_by_segment() -> None:
    """References listed segment by segment become streams, with None where a segment has fewer."""
    assert references_by_segment([["a", "b"], ["c"], ["d", "e", "f"]]) == [
        ["a", "c", "d"],
        ["b", None, "e"],
        [None, None, "f"],
    ]
    by_segment = [list(segment) for segment in zip(R1, R2, strict=True)]
    assert BLEU().corpus_score(H, references_by_segment(by_segment)) == BLEU().corpus_score(H, [R1, R2])
    assert references_by_segment(iter([iter(["a"])])) == [["a"]]


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        (["a", "b"], "references of segment 1 must be a list of strings, got one str"),
        ([["a"], None], "references of segment 2 must be a list of strings, got NoneType"),
        ([["a"], [5]], "references of segment 2 must be strings, not int"),
    ],
)
def test_references_by_segment_of_wrong_shape(segments: Any, message: str) -> None:
    """A string where a segment's list belongs is an error that names the segment."""
    with pytest.raises(ShapeError, match=message):
        references_by_segment(segments)


def test_segment_without_references() -> None:
    """A segment with an empty list of references is an error that names it."""
    with pytest.raises(AlignmentError, match="segment 2 has no reference"):
        BLEU().corpus_score(["a", "b"], references_by_segment([["a"], []]))


# --- Settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smooth_method": "flor"}, r"unknown smoothing method 'flor' \(did you mean floor\?\)"),
        ({"smooth_method": "x"}, r"unknown smoothing method 'x' \(known: exp, floor, add-k, none\)"),
        ({"smooth_method": "exp", "smooth_value": 1.0}, "smoothing method 'exp' takes no value"),
        ({"smooth_value": 0.0}, "smoothing method 'exp' takes no value"),
        ({"smooth_method": "none", "smooth_value": 0.1}, "smoothing method 'none' takes no value"),
        (
            {"smooth_method": "floor", "smooth_value": -0.1},
            "smooth value must be from 0 to 1e100, not -0.1",
        ),
        (
            {"smooth_method": "add-k", "smooth_value": math.nan},
            "smooth value must be from 0 to 1e100, not nan",
        ),
        (
            {"smooth_method": "add-k", "smooth_value": math.inf},
            "smooth value must be from 0 to 1e100, not inf",
        ),
        ({"max_ngram_order": 0}, "BLEU's n-gram order must be a whole number from 1 to 100, not 0"),
        ({"max_ngram_order": -3}, "BLEU's n-gram order must be a whole number from 1 to 100, not -3"),
        ({"tokenize": "13b"}, r"unknown tokenizer '13b' \(did you mean 13a\?\)"),
    ],
)
def test_wrong_settings(options: Options, message: str) -> None:
    """Settings that make no sense are errors when the metric is made, with the closest known names."""
    with pytest.raises(UsageError, match=message) as caught:
        BLEU(**options)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        ({}, "case.mixed+numrefs.1+smooth.exp+tok.13a"),
        ({"lowercase": True}, "case.lc+numrefs.1+smooth.exp+tok.13a"),
        ({"effective_order": True}, "case.mixed+eff.yes+numrefs.1+smooth.exp+tok.13a"),
        ({"max_ngram_order": 2}, "case.mixed+maxn.2+numrefs.1+smooth.exp+tok.13a"),
        ({"smooth_method": "floor"}, "case.mixed+numrefs.1+smooth.floor[0.10]+tok.13a"),
        (
            {"smooth_method": "floor", "smooth_value": 0.001},
            "case.mixed+numrefs.1+smooth.floor[0.001]+tok.13a",
        ),
        ({"smooth_method": "add-k"}, "case.mixed+numrefs.1+smooth.add-k[1.00]+tok.13a"),
        ({"smooth_method": "none"}, "case.mixed+numrefs.1+smooth.none+tok.13a"),
        ({"trg_lang": "zh"}, "case.mixed+numrefs.1+smooth.exp+tok.zh"),
        ({"trg_lang": "zh", "tokenize": "13a"}, "case.mixed+numrefs.1+smooth.exp+tok.13a"),
        ({"force": True}, "case.mixed+numrefs.1+smooth.exp+tok.13a"),
    ],
)
def test_signature(options: Options, signature: str) -> None:
    """The signature has every setting that moves the number, and the version."""
    score = BLEU(**options).corpus_score(["a b c d"], [["a b c d"]])
    assert str(score.signature) == f"BLEU+{signature}+version.mtscore-{VERSION}"
    assert Signature.parse(str(score.signature)) == score.signature


def test_later_tokenizer_versions_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """From version 2 on, a tokenizer's version follows its name in the signature."""
    monkeypatch.setattr(type(tokenizer("13a")), "version", 2)
    assert "+tok.13a.2+" in str(BLEU().corpus_score(["a"], [["a"]]).signature)


@pytest.mark.parametrize(
    ("references", "numrefs"),
    [
        ([R1], 1),
        ([R1, R2], 2),
        ([R1, [None, "a", "b"]], "var"),
        ([R1, [None] * 3], 1),
        ([[None, "a", "b"], R2], "var"),
    ],
)
def test_numbers_of_references(references: Streams, numrefs: object) -> None:
    """The signature counts the references that segments really have, `var` if those numbers differ."""
    assert BLEU().corpus_score(H, references).signature.get("numrefs") == numrefs


def test_score_object() -> None:
    """A score has the attributes that the field knows, is a number, and prints as its text line."""
    score = BLEU().corpus_score(H, [R1, R2])
    assert (score.name, score.better) == ("BLEU", "higher")
    assert float(score) == score.score == approximately(48.530827009929865)
    assert (score.counts, score.totals) == ([14, 7, 5, 3], [17, 14, 11, 8])
    assert (score.sys_len, score.ref_len, score.ratio) == (17, 18, 17 / 18)
    assert score.bp == approximately(math.exp(1 - 18 / 17))
    text = "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)"
    assert str(score) == f"BLEU = 48.53 {text}"
    assert score.format(1, score_only=True) == "48.5"
    assert score.format(0, signature="S") == f"S = 49 {text}"


def test_confidence() -> None:
    """A bootstrap shows in the text line and in the signature, with its seed."""
    score = BLEU().corpus_score(H, [R1], n_bootstrap=100)
    assert score.interval is not None
    assert "(μ = " in str(score)
    assert {"bs": 100, "seed": 12345}.items() <= score.signature.settings.items()
    assert BLEU().corpus_score(H, [R1]).interval is None


def test_sentences_have_the_settings_of_the_metric() -> None:
    """A sentence is scored as a corpus of one; only scoring all segments turns effective order on."""
    assert BLEU().sentence_score("a b", ["a b c d"]).score == 0
    assert BLEU(effective_order=True).sentence_score("a b", ["a b c d"]).score == approximately(
        36.78794411714425
    )
    assert BLEU().segment_scores(["a b"], [["a b c d"]]).tolist() == approximately([36.78794411714425])  # type: ignore[arg-type]
    assert BLEU().for_segments() == BLEU(effective_order=True)


def test_a_metric_is_a_value() -> None:
    """Metrics with the same settings are equal, cannot be changed, and keep nothing of what they scored."""
    metric = BLEU(lowercase=True)
    metric.corpus_score(H, [R1])
    assert metric == BLEU(lowercase=True)
    assert hash(metric) == hash(BLEU(lowercase=True))
    with pytest.raises(AttributeError):
        metric.lowercase = False  # type: ignore[misc]
    assert not hasattr(metric, "__dict__")


def test_chunks_of_a_corpus() -> None:
    """A corpus gives its segments in chunks of any size, with their line numbers."""
    corpus = Corpus([H], [R1, R2])
    assert len(corpus) == 3
    chunks = list(corpus.chunks(2))
    assert [list(chunk.numbers) for chunk in chunks] == [[1, 2], [3]]
    assert [chunk.systems for chunk in chunks] == [[H[:2]], [H[2:]]]
    assert [chunk.references for chunk in chunks] == [[R1[:2], R2[:2]], [R1[2:], R2[2:]]]


@pytest.fixture(autouse=True)
def _quiet_oracle() -> None:
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
