"""Perplexity: its definition, its units, what may be compared, and n-gram models."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from conftest import run
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import lm

from mtscore.cli import main
from mtscore.comparability import compare, verdict
from mtscore.diagnostics.ngram_models import SMOOTHINGS, find_smoothing, train
from mtscore.diagnostics.perplexity import (
    Vocabulary,
    differences,
    digest,
    out_of_vocabulary,
    parse_logprobs,
    parse_vocabulary,
    perplexity,
)
from mtscore.errors import AlignmentError, InputError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

segments = st.lists(st.lists(st.floats(-50, 0), min_size=1, max_size=6), min_size=1, max_size=8)

TRAINING = ["a b c", "a b", "c a b"]
HELD_OUT = ["a b", "c c a"]
PROPER = [name for name in SMOOTHINGS if name != "stupid-backoff"]


# --- Definition ---------------------------------------------------------------------------------------------


def test_ten_equally_likely_digits_have_perplexity_10() -> None:
    """Ten digits of probability 1/10 each have perplexity 10, to the last bit but rounding."""
    digits = [[0.1] * 10, [0.1] * 7]
    assert perplexity(digits, probabilities=True).score == pytest.approx(10, abs=1e-12)


def test_a_mean_loss_of_159_nats_is_49() -> None:
    """A mean loss of 1.59 nats is a perplexity of 4.9."""
    result = perplexity([[-1.0, -2.0], [-1.77]])
    assert round(result.score, 1) == 4.9
    assert result.score == pytest.approx(math.exp(1.59), rel=1e-14)


@settings(deadline=None)
@given(st.integers(1, 10**6), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_tokens_of_probability_1_in_k_have_perplexity_k(k: int, lengths: list[int]) -> None:
    """A model that gives every token 1/k has perplexity k, however long the segments are."""
    result = perplexity([[-math.log(k)] * length for length in lengths])
    assert result.score == pytest.approx(k, rel=1e-9)


@settings(deadline=None)
@given(segments)
def test_perplexity_does_not_depend_on_the_base(logprobs: list[list[float]]) -> None:
    """The same probabilities as logarithms to base e, 2 and 10, or as they are, have one perplexity."""
    expected = perplexity(logprobs).score
    for base in (2, 10):
        rescaled = [[value / math.log(base) for value in row] for row in logprobs]
        assert perplexity(rescaled, base=str(base)).score == pytest.approx(expected, rel=1e-12)
    plain = [[math.exp(value) for value in row] for row in logprobs]
    assert perplexity(plain, probabilities=True).score == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(segments, st.randoms())
def test_only_the_tokens_count_not_how_they_are_cut(logprobs: list[list[float]], random: object) -> None:
    """Order and lengths of the segments move nothing: the mean is over tokens, not over segments."""
    joined = [[value for row in logprobs for value in row]]
    expected = perplexity(logprobs).score
    assert perplexity(joined).score == pytest.approx(expected, rel=1e-12)
    assert perplexity(logprobs[::-1]).score == pytest.approx(expected, rel=1e-12)
    scores = perplexity(logprobs).segment_scores()
    assert min(s for s in scores if s) <= expected * (1 + 1e-12)
    assert max(s for s in scores if s) >= expected * (1 - 1e-12)


def test_it_is_no_mean_of_segments() -> None:
    """Long segments weigh more: the corpus is exp of the mean over tokens."""
    result = perplexity([[-1.0] * 3, [-5.0]])
    assert result.score == pytest.approx(math.exp(2), rel=1e-14)
    assert result.segment_scores() == pytest.approx([math.e, math.exp(5)], rel=1e-14)


def test_words_and_characters_are_units_too() -> None:
    """Per word and per character divide the same sum by other counts; `</s>` adds a unit a segment."""
    result = perplexity([[-1.0] * 4, [-2.0] * 3], texts=["un related", "Zoë"], unit="word")
    assert {unit: result.total(unit) for unit in result.counts} == {"token": 7, "word": 5, "char": 15}
    assert result.score == result.per("word") == pytest.approx(math.exp(10 / 5), rel=1e-14)
    assert result.per("char") == pytest.approx(math.exp(10 / 15), rel=1e-14)
    assert result.bits_per_character == pytest.approx(10 / 15 / math.log(2), rel=1e-14)
    assert str(result.signature) == "PPL+eos.yes+unit.word+version.mtscore-0.1.0"


def test_the_end_of_a_sentence_counts_is_dropped_or_is_not_there() -> None:
    """The last value of each line is that of `</s>` unless it is said to be absent."""
    values = [[-1.0, -2.0, -6.0], [-3.0, -6.0]]
    texts = ["ab c", "d"]
    counted, dropped = (
        perplexity(values, texts=texts, end_of_sentence=how) for how in ("counted", "dropped")
    )
    absent = perplexity([row[:-1] for row in values], texts=texts, end_of_sentence="absent")
    assert counted.score == pytest.approx(math.exp(18 / 5), rel=1e-14)
    assert dropped.score == absent.score == pytest.approx(math.exp(2), rel=1e-14)
    assert dropped.per("char") == absent.per("char") == pytest.approx(math.exp(6 / 5), rel=1e-14)
    assert [r.signature.get("eos") for r in (counted, dropped, absent)] == ["yes", "no", "no"]


def test_a_line_without_a_value_for_the_end_is_noticed() -> None:
    """As many values as words leave none for `</s>`: a warning; an empty line cannot have one: an error."""
    (notice,) = perplexity([[-1.0, -1.0], [-1.0]], texts=["a b", "c"]).notices
    assert (notice.level, notice.code) == ("warning", "no-value-for-eos")
    with pytest.raises(InputError, match="x:2: no value, although each line has one for </s>"):
        perplexity([[-1.0], []], name="x")
    result = perplexity([[-1.0], []], end_of_sentence="absent")
    assert (result.score, result.segment_scores()) == (math.e, [math.e, None])


def test_probability_zero_makes_it_infinite_and_says_so() -> None:
    """One impossible token makes the perplexity infinite, with a warning at its line."""
    result = perplexity([[-1.0], [-1.0, -math.inf]], name="x")
    assert result.score == math.inf
    assert result.segment_scores() == [math.e, math.inf]
    (notice,) = result.notices
    assert (notice.level, notice.code, notice.line, notice.count) == ("warning", "probability-zero", 2, 1)


def test_a_perplexity_beyond_all_numbers_is_infinite() -> None:
    """A mean loss of 1000 nats has no perplexity that fits a number; it does not fail."""
    assert perplexity([[-1000.0]]).score == math.inf


# --- Vocabulary ---------------------------------------------------------------------------------------------


def test_out_of_vocabulary_words_are_counted() -> None:
    """Running words that the vocabulary lacks, and `<unk>` itself, are unknown, the most frequent named."""
    vocabulary = Vocabulary(frozenset({"a", "b", "<unk>"}))
    unknown = out_of_vocabulary(["a b c", "c d <unk>"], vocabulary)
    assert (unknown.count, unknown.total, unknown.rate, unknown.kind) == (4, 6, 4 / 6, "open")
    assert dict(unknown.words) == {"c": 2, "d": 1, "<unk>": 1}
    assert out_of_vocabulary(["a", "b a"], vocabulary).kind == "closed"


def test_the_digest_is_that_of_the_set_of_words() -> None:
    """Order, repetitions, counts and scores in the file do not change a vocabulary."""
    one = parse_vocabulary(["b\t17", "a 3", "é"], "x")
    assert one == parse_vocabulary(["é", "a", "b", "a"], "y")
    assert one.digest == digest(["a", "b", "é"]) == "6f4045b60fa4"
    assert one.digest != Vocabulary(frozenset("ab")).digest


def test_the_signature_has_vocabulary_and_kind() -> None:
    """With a vocabulary the signature has its digest, with the text also whether it is open or closed."""
    vocabulary = Vocabulary(frozenset("abé"))
    alone = perplexity([[-1.0]], vocabulary=vocabulary)
    assert str(alone.signature) == "PPL+eos.yes+unit.token+vocab.6f4045b60fa4+version.mtscore-0.1.0"
    assert alone.out_of_vocabulary is None
    texts = perplexity([[-1.0]], texts=["a x"], vocabulary=vocabulary)
    assert texts.signature.get("oov") == "open"


def test_only_like_is_compared_with_like() -> None:
    """Another vocabulary, unit, counting of `</s>`, text or cut into tokens forbids a comparison."""
    small, large = Vocabulary(frozenset("a")), Vocabulary(frozenset("ab"))
    values = [[-1.0, -2.0], [-3.0]]
    base = perplexity(values, texts=["a", "b"], vocabulary=small)
    assert differences(base, perplexity([[-9.0, -9.0], [-9.0]], texts=["a", "b"], vocabulary=small)) == []
    other = perplexity(values, texts=["a", "b"], vocabulary=large)
    assert differences(base, other) == [
        f"vocabularies {small.digest} and {large.digest}",
        "vocabularies open and closed",
    ]
    assert differences(base, perplexity(values, texts=["a", "b"], vocabulary=small, unit="char")) == [
        "units token and char"
    ]
    (reason,) = differences(perplexity(values), perplexity(values, end_of_sentence="absent"))
    assert reason == "</s> counted: yes and no"
    (reason,) = differences(perplexity(values), perplexity([[-1.0], [-2.0, -3.0]]))
    assert reason.startswith("segment 1 has 2 and 1 tokens")
    assert differences(perplexity(values), perplexity(values[:1])) == ["2 and 1 segments"]
    assert "not the same text" in differences(base, perplexity(values, texts=["a", "c"], vocabulary=small))


def test_signatures_alone_tell_what_may_be_compared() -> None:
    """Comparing signatures refuses other vocabularies and units, and admits other models."""
    small, large = (Vocabulary(frozenset(words)) for words in ("a", "ab"))
    base = perplexity([[-1.0]], vocabulary=small).signature
    for other in (
        perplexity([[-1.0]], vocabulary=large),
        perplexity([[-1.0]], texts=["a"], vocabulary=small, unit="word"),
        perplexity([[-1.0]], vocabulary=small, end_of_sentence="absent"),
    ):
        assert verdict(compare(base, other.signature)) == "different"
    models = [model.perplexity(HELD_OUT).signature for model in train(TRAINING, 2, "laplace")]
    assert verdict(compare(*models)) != "different"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: perplexity([[-1.0, 0.25]]), "log-probabilities:1, value 2: 0.25 is above 0"),
        (lambda: perplexity([[-1.0], [math.nan]]), ":2, value 1: nan is no log-probability"),
        (lambda: perplexity([[0.5], [0.5, -0.5]], probabilities=True), ":2, value 2: -0.5 is no probability"),
        (lambda: perplexity([]), "no token"),
        (lambda: perplexity([[-1.0]], end_of_sentence="dropped"), "no token"),
        (lambda: perplexity([[-1.0]], texts=["a", "b"]), "1 segment of log-probabilities, but 2 of text"),
        (lambda: perplexity([[-1.0]], unit="word"), "the text is needed to count words"),
        (lambda: perplexity([[-1.0]], unit="byte"), "unknown unit 'byte'"),  # type: ignore[arg-type]
        (lambda: perplexity([[-1.0]], end_of_sentence="no"), "for </s>?"),  # type: ignore[arg-type]
        (lambda: perplexity([[-1.0]], base="ten"), "unknown base of logarithms 'ten'"),
        (lambda: parse_vocabulary([], "v"), "v: the vocabulary is empty"),
        (lambda: parse_vocabulary(["a", ""], "v"), "v:2: no word on this line"),
        (lambda: parse_logprobs(["-1 -2", "-1 x"], "p"), "p:2, value 2: 'x' is not a number"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    """What has no perplexity raises an error that says where and why."""
    assert callable(call)
    with pytest.raises(UsageError) as error:
        call()
    assert message in str(error.value)


def test_unequal_lengths_are_an_alignment_error() -> None:
    """A text of another length is an `AlignmentError`."""
    with pytest.raises(AlignmentError):
        perplexity([[-1.0]], texts=[])


# --- N-gram models ------------------------------------------------------------------------------------------


def test_maximum_likelihood_is_relative_frequency() -> None:
    """MLE bigrams: P(a|<s>) = 2/3, P(b|a) = 1, P(</s>|b) = 2/3."""
    unigram, bigram = train(TRAINING, 2, "mle")
    assert bigram.logprobs("a b") == pytest.approx([math.log(2 / 3), 0, math.log(2 / 3)], abs=1e-15)
    assert unigram.logprobs("a b") == pytest.approx([math.log(3 / 11)] * 3, abs=1e-15)
    assert bigram.perplexity(["a b"]).score == pytest.approx((2 / 3) ** (-2 / 3), rel=1e-14)


def test_laplace_adds_one_to_every_word_the_unknown_one_and_the_end() -> None:
    """Laplace bigrams over {a, b, c, <UNK>, </s>}: P(a|<s>) = 3/8, P(<UNK>|a) = 1/8."""
    _, bigram = train(TRAINING, 2, "laplace")
    assert bigram.logprobs("a zebra") == pytest.approx(
        [math.log(3 / 8), math.log(1 / 8), math.log(1 / 5)], abs=1e-15
    )


@pytest.mark.parametrize("smoothing", PROPER)
def test_what_can_follow_sums_to_one(smoothing: str) -> None:
    """Under every smoothing the probabilities of all words, `<UNK>` and `</s>` sum to 1 in every context."""
    text = [*TRAINING, "d d e a b c"]
    for model in train(text, 3, smoothing, cutoff=2):
        words = [*model.vocabulary.words, "<UNK>", "</s>"]
        contexts = {
            tuple(padded[end - model.order + 1 : end])
            for line in text
            for padded in [["<s>"] * (model.order - 1) + line.replace("e", "<UNK>").split()]
            for end in range(model.order - 1, len(padded) + 1)
        }
        for context in contexts:
            total = math.fsum(model.score(word, context) for word in words)
            assert total == pytest.approx(1, abs=1e-12), (model.order, context)


@pytest.mark.parametrize("smoothing", sorted(SMOOTHINGS))
@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_models_are_those_of_nltk(smoothing: str, cutoff: int) -> None:
    """A model gives the scores of nltk's class trained by itself on the same n-grams."""
    text = ["a b c a", "c b a b", "d a b", "a d"]
    for model in train(text, 3, smoothing, cutoff=cutoff):
        words = [w for w, n in Counter(" ".join(text).split()).items() if n >= cutoff]
        kind = SMOOTHINGS[smoothing]
        parameter = {kind.parameter: kind.value} if kind.parameter else {}
        theirs = getattr(lm, kind.model)(
            order=model.order, vocabulary=lm.Vocabulary([*words, "</s>"]), **parameter
        )
        grams = []
        for line in text:
            masked = [word if word in words else "<UNK>" for word in line.split()]
            for n in range(1, model.order + 1):
                padded = ["<s>"] * (n - 1) + masked + ["</s>"]
                grams.append([tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)])
        theirs.counts.update(grams)
        for line in ["a b a", "c d", "b"]:
            masked = [word if word in words else "<UNK>" for word in line.split()]
            padded = ["<s>"] * (model.order - 1) + masked + ["</s>"]
            scores = [
                theirs.unmasked_score(padded[i], tuple(padded[i - model.order + 1 : i]))
                for i in range(model.order - 1, len(padded))
            ]
            expected = [math.log(score) if score else -math.inf for score in scores]
            assert model.logprobs(line) == pytest.approx(expected, rel=1e-12), (line, model.order)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text("abc ", min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=5))
def test_training_text_is_most_probable_under_maximum_likelihood(texts: list[str]) -> None:
    """No smoothing gives the training text a lower unigram perplexity than MLE, which is 2 to its entropy."""
    (mle,), (laplace,) = train(texts, 1, "mle"), train(texts, 1, "laplace")
    counts = np.array(list(Counter(w for t in texts for w in [*t.split(), "</s>"]).values()), np.float64)
    shares = counts / counts.sum()
    entropy = -(shares * np.log(shares)).sum()
    assert mle.perplexity(texts).score == pytest.approx(math.exp(entropy), rel=1e-12)
    assert laplace.perplexity(texts).score >= mle.perplexity(texts).score * (1 - 1e-12)


def test_models_of_all_orders_are_compared_on_another_text() -> None:
    """Training to order 3 gives a unigram, a bigram and a trigram model over one vocabulary."""
    unigram = [4 / 16] * 5 + [3 / 16] * 2
    bigram = [3 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 7, 2 / 7, 1 / 8]
    results = [model.perplexity(HELD_OUT) for model in train(TRAINING, 3, "laplace")]
    assert [result.signature.get("order") for result in results] == [1, 2, 3]
    for result, scores in zip(results, (unigram, bigram), strict=False):
        assert result.score == pytest.approx(math.prod(scores) ** (-1 / 7), rel=1e-14)
    assert differences(results[0], results[2]) == []
    assert str(results[1].signature) == (
        "PPL+cutoff.1+eos.yes+lm.laplace+oov.closed+order.2+train.f36bfdb3eab8+unit.token"
        "+vocab.880553fca8fc+version.mtscore-0.1.0"
    )


def test_zero_probability_is_explained() -> None:
    """Under MLE an unseen n-gram makes the perplexity infinite, and a sentence says why one smooths."""
    _, bigram = train(TRAINING, 2, "mle")
    result = bigram.perplexity(["a b", "b a"], name="dev")
    assert result.score == math.inf
    (notice,) = result.notices
    assert (notice.file, notice.line) == ("dev", 2)
    assert "smoothing sets some probability aside" in notice.text
    (kneser_ney,) = train(TRAINING, 2, "kneser-ney")
    (notice,) = kneser_ney.perplexity(["zebra"]).notices
    assert "--unk-cutoff 2" in notice.text


def test_rare_words_teach_the_unknown_one() -> None:
    """With a cutoff, rare words become `<UNK>`, which then has a probability."""
    (model,) = train(["a a b", "a"], 1, "mle", cutoff=2)
    assert model.vocabulary.words == {"a"}
    assert model.logprobs("zebra") == pytest.approx([math.log(1 / 6), math.log(2 / 6)])
    assert model.perplexity(["zebra b a"]).out_of_vocabulary == out_of_vocabulary(
        ["zebra b a"], model.vocabulary
    )


def test_stupid_backoff_is_said_to_be_no_probability() -> None:
    """Its scores do not sum to 1, so a warning stands beside the figure."""
    codes = [n.code for n in train(TRAINING, 2, "stupid-backoff")[1].perplexity(HELD_OUT).notices]
    assert codes == ["no-probabilities"]


def test_ten_digits_have_perplexity_10_under_a_trained_model() -> None:
    """A unigram model of ten equally frequent digits, without `</s>`, has perplexity 10."""
    (model,) = train(["0 1 2 3 4", "5 6 7 8 9"], 1, "mle", ends=False)
    assert model.perplexity(["3 1 4 1 5"]).score == pytest.approx(10, rel=1e-14)


def test_the_parameter_of_a_smoothing_can_be_set() -> None:
    """Lidstone with 1 is Laplace, and the signature carries the value."""
    lidstone = train(TRAINING, 2, "Lidstone", value=1)[1]
    laplace = train(TRAINING, 2, "laplace")[1]
    assert lidstone.perplexity(HELD_OUT).score == laplace.perplexity(HELD_OUT).score
    assert lidstone.perplexity(HELD_OUT).signature.get("lm") == "lidstone[1]"


@pytest.mark.parametrize(
    ("smoothing", "label"),
    [
        ("mle", "mle"),
        ("laplace", "laplace"),
        ("lidstone", "lidstone[0.1]"),
        ("kneser-ney", "kneser-ney[0.1]"),
        ("witten-bell", "witten-bell"),
        ("absolute-discounting", "absolute-discounting[0.75]"),
        ("stupid-backoff", "stupid-backoff[0.4]"),
    ],
)
def test_the_defaults_of_smoothings(smoothing: str, label: str) -> None:
    """Without a value each smoothing has the default of the library, and the signature says which."""
    assert train(TRAINING, 2, smoothing)[-1].label == label


def test_smoothings_are_found_by_the_names_of_the_library() -> None:
    """The library's class names, and any case and hyphen, are understood."""
    assert [find_smoothing(kind.model) for kind in SMOOTHINGS.values()] == list(SMOOTHINGS)
    assert find_smoothing("Kneser–Ney") == find_smoothing("kneser_ney") == "kneser-ney"


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (
            TRAINING,
            {"smoothing": "kneser"},
            "--smoothing: unknown smoothing 'kneser' (did you mean kneser-ney",
        ),
        (TRAINING, {"order": 0}, "--order: the order must be from 1 to 20 with laplace, not 0"),
        (TRAINING, {"order": 1, "smoothing": "kneser-ney"}, "must be from 2 to 20 with kneser-ney"),
        (TRAINING, {"order": 10**9}, "--order: the order must be from 1 to 20 with laplace, not 1000000000"),
        (TRAINING, {"cutoff": 0}, "--unk-cutoff: the cutoff must be at least 1"),
        (TRAINING, {"cutoff": 9}, "the vocabulary is empty: no word occurs 9 times"),
        (TRAINING, {"value": 0.1}, "--smoothing-value: laplace has no parameter"),
        (TRAINING, {"smoothing": "lidstone", "value": 0.0}, "the gamma of lidstone must be above 0, not 0"),
        (TRAINING, {"smoothing": "kneser-ney", "value": 1.5}, "above 0 and at most 1, not 1.5"),
        ([""], {}, "training text: no word in it"),
        (["a", "b </s>"], {}, "training text:2: the word </s>"),
    ],
)
def test_bad_requests_for_models_are_refused(
    texts: list[str], options: dict[str, object], message: str
) -> None:
    """What cannot be trained raises an error that names the option or the line."""
    with pytest.raises(UsageError) as error:
        train(texts, **{"order": 2} | options)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without nltk, training says which extra to install."""
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtscore\[lm\]'"):
        train(TRAINING, 2)


# --- Command line -------------------------------------------------------------------------------------------


def write(folder: Path, **files: Sequence[str]) -> None:
    """Write files with a line an item."""
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with log-probabilities, texts and vocabularies."""
    write(
        tmp_path,
        a=["-1 -2 -3", "-4.5 -1"],
        b=["-1 -2.5 -3", "-4.5 -2"],
        cut=["-1 -2.5", "-3 -4.5 -2"],
        text=["a b", "c"],
        small=["a", "b"],
        large=["a", "b", "c"],
        train=TRAINING,
        dev=HELD_OUT,
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_file_gives_a_score_line(folder: Path) -> None:
    """One file gives signature, perplexity and counts on a line, then what the text adds."""
    result = run("perplexity", "a", "--text", "text", "--vocabulary", "small", cwd=folder)
    assert result.stdout.decode() == (
        "PPL+eos.yes+oov.open+unit.token+vocab.911169ddaaf1+version.mtscore-0.1.0 = 9.97"
        " (5 tokens, 2 segments, </s> counted)\n"
        "per token 9.97, per word 9.97, per character 6.798, bits per character 2.765\n"
        "open vocabulary: 1 of 3 words are unknown (33.33 %)\n"
        "most frequent: c (1)\n"
    )
    assert (result.returncode, result.stderr) == (0, b"")


def test_files_over_one_vocabulary_are_comparable(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two models over one vocabulary are set side by side, and the exit code is 0."""
    assert main(["perplexity", "a", "b", "--text", "text", "--vocabulary", "large"]) == 0
    assert capsys.readouterr().out == (
        "Perplexity per token, </s> counted\n"
        "\n"
        "file  perplexity  per word  per char  bits/char  tokens     OOV\n"
        "a           9.97      9.97     6.798      2.765       5  0.00 %\n"
        "b          13.46     13.46     8.729      3.126       5  0.00 %\n"
        "\n"
        "Comparable: same units, same vocabulary (880553fca8fc).\n"
        "\n"
        "PPL+eos.yes+oov.closed+unit.token+vocab.880553fca8fc+version.mtscore-0.1.0\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            "a b --text text --vocabulary small --vocabulary large",
            "vocabularies 911169ddaaf1 and 880553fca8fc",
        ),
        ("a cut", "segment 1 has 3 and 2 tokens"),
    ],
)
def test_other_vocabularies_or_units_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, reason: str
) -> None:
    """Perplexities over other vocabularies or tokens are called not comparable, with exit code 1."""
    assert main(["perplexity", *arguments.split()]) == 1
    out = capsys.readouterr().out
    assert "NOT comparable: " in out
    assert reason in out
    assert main(["perplexity", *arguments.split(), "-f", "json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["comparable"] for row in rows][1] is False
    assert rows[1]["reasons"][0].startswith(reason)


def test_unknown_vocabularies_leave_it_open(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without vocabularies nothing is claimed: the reader is told what to check."""
    assert main(["perplexity", "a", "b"]) == 0
    assert "Comparable only if all models have the same vocabulary" in capsys.readouterr().out
    assert main(["perplexity", "a", "b", "-f", "json"]) == 0
    assert [row["comparable"] for row in json.loads(capsys.readouterr().out)] == [None, None]


def test_json_has_every_number_in_full(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file gives one object with score, units, vocabulary and unknown words."""
    files = ["a", "--text", "text", "--vocabulary", "small"]
    assert main(["perplexity", *files, "--unit", "char", "-f", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["score"] == answer["per_character"] == pytest.approx(math.exp(11.5 / 6), rel=1e-14)
    assert (answer["name"], answer["better"], answer["unit"]) == ("PPL", "lower", "char")
    assert (answer["tokens"], answer["words"], answer["characters"], answer["segments"]) == (5, 5, 6, 2)
    assert answer["oov"] == {
        "count": 1,
        "total": 3,
        "rate": pytest.approx(1 / 3),
        "vocabulary": "open",
        "words": {"c": 1},
    }
    assert answer["settings"] == {
        "eos": "yes",
        "oov": "open",
        "unit": "char",
        "vocab": "911169ddaaf1",
        "version": "mtscore-0.1.0",
    }


def test_segments_have_their_own_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-sl` gives a row a segment, numbered from 1."""
    assert main(["perplexity", "a", "-sl", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["segment"], row["tokens"]) for row in rows] == [(1, 3), (2, 2)]
    assert [row["score"] for row in rows] == pytest.approx([math.exp(2), math.exp(2.75)], rel=1e-14)
    assert main(["perplexity", "a", "-sl", "-w", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "file  segment  tokens  perplexity",
        "a           1       3         7.4",
        "a           2       2        15.6",
    ]


def test_training_compares_orders_in_one_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--train` gives a row an order; infinite values are named, explained, and null in JSON."""
    arguments = ["perplexity", "--train", "train", "dev", "--smoothing", "MLE"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert [line.split()[:3] for line in out.splitlines()[2:6]] == [
        ["file", "order", "perplexity"],
        ["dev", "1", "4.12"],
        ["dev", "2", "infinite"],
        ["dev", "3", "infinite"],
    ]
    assert err.count("\n") == 1
    assert err.startswith("mtscore: warning: dev:2: a token has probability zero")
    assert main([*arguments, "-f", "json", "-q"]) == 0
    assert [row["score"] for row in json.loads(capsys.readouterr().out)] == [
        pytest.approx((11 / 3) ** (5 / 7) * (11 / 2) ** (2 / 7), rel=1e-14),
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "no file"),
        ("positive", "positive:2, value 1: 0.5 is above 0"),
        ("a --text train", "a: 2 segments of log-probabilities, but 3 of text"),
        ("a --unit word", "--unit: the text is needed to count words (--text FILE)"),
        ("a --unit byte", "--unit: unknown unit 'byte'"),
        ("a b a --vocabulary small --vocabulary large", "--vocabulary: 2 for 3 files"),
        ("a --vocabulary empty", "empty: the vocabulary is empty"),
        ("dev --train train --smoothing best", "--smoothing: unknown smoothing 'best'"),
        ("dev --train train --text dev", "--text: with --train, FILES are texts"),
        ("dev --train train --eos dropped", "--eos: a model is trained"),
        ("- --text -", "-: standard input can be read once only"),
    ],
)
def test_the_command_refuses_with_file_and_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    """A mistake is one line on standard error, and exit code 2."""
    write(folder, positive=["-1", "0.5"], empty=[])
    assert main(["perplexity", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_help_defines_the_terms_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` defines word, character, OOV, open and closed, and ends with command lines to copy."""
    assert main(["perplexity", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "A word is out of vocabulary (OOV) if --vocabulary lacks it" in out
    assert "the vocabulary is closed for a text if it has every word, open if not" in out
    assert "mtscore perplexity a.lp b.lp --text dev.txt --vocabulary vocab.txt" in out
