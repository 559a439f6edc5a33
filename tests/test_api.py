"""The public names: the field's function calls with the field's parameters, and what is ours besides."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import sacrebleu
from random_text import RandomText, settled

import mtscore
from mtscore.errors import AlignmentError, ShapeError, UsageError

H = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
R1 = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
R2 = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]

CORPUS_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("corpus_bleu", {}),
    ("corpus_bleu", {"smooth_method": "floor", "smooth_value": 0.5, "lowercase": True}),
    ("corpus_bleu", {"tokenize": "intl", "use_effective_order": True, "force": True}),
    ("raw_corpus_bleu", {}),
    ("raw_corpus_bleu", {"smooth_value": 0.01}),
    ("corpus_chrf", {}),
    ("corpus_chrf", {"word_order": 2, "remove_whitespace": False, "beta": 3}),
    ("corpus_chrf", {"char_order": 4, "eps_smoothing": True}),
    ("corpus_ter", {}),
    ("corpus_ter", {"normalized": True, "no_punct": True, "case_sensitive": True}),
]
SENTENCE_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("sentence_bleu", {}),
    ("sentence_bleu", {"use_effective_order": False, "smooth_method": "add-k"}),
    ("sentence_chrf", {}),
    ("sentence_chrf", {"word_order": 2}),
    ("sentence_ter", {}),
    ("sentence_ter", {"normalized": True, "asian_support": True}),
]


def lines(seed: int, count: int) -> list[str]:
    """Return lines that have words in common."""
    text = RandomText(seed)
    found = settled(text.lines(3 * count, longest=8))
    return [
        f"{text.words(8, ['a', 'the', 'cat', 'sat', 'on', 'it.'])} {line}".strip() for line in found[:count]
    ]


@pytest.mark.parametrize(("name", "options"), CORPUS_CALLS)
def test_corpus_calls(name: str, options: dict[str, Any]) -> None:
    """The field's calls for a corpus give the field's scores, with one reference set and with several."""
    hypotheses, references = lines(1, 30), [lines(2, 30), lines(3, 30)]
    for sets in (references[:1], references):
        ours = getattr(mtscore, name)(hypotheses, sets, **options)
        theirs = getattr(sacrebleu, name)(hypotheses, sets, **options)
        assert ours.score == pytest.approx(theirs.score, rel=1e-9)
        assert ours.score > 0


@pytest.mark.parametrize(("name", "options"), SENTENCE_CALLS)
def test_sentence_calls(name: str, options: dict[str, Any]) -> None:
    """The field's calls for one sentence give the field's scores."""
    for hypothesis, *references in zip(lines(4, 20), lines(5, 20), lines(6, 20), strict=True):
        ours = getattr(mtscore, name)(hypothesis, references, **options)
        theirs = getattr(sacrebleu, name)(hypothesis, references, **options)
        assert ours.score == pytest.approx(theirs.score, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", sorted({name for name, _ in (*CORPUS_CALLS, *SENTENCE_CALLS)}))
def test_parameters_of_calls(name: str) -> None:
    """Parameters have the field's names, order and defaults, so that calls by position mean the same."""
    ours = inspect.signature(getattr(mtscore, name)).parameters
    theirs = inspect.signature(getattr(sacrebleu, name)).parameters
    assert list(ours) == list(theirs)
    same = {"tokenize": None}  # None chooses the same default
    for parameter in theirs:
        assert ours[parameter].default in {theirs[parameter].default, same.get(parameter, object())}


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_parameters_of_classes(name: str) -> None:
    """The metrics' classes take the field's settings in the field's order."""
    ours = inspect.signature(getattr(mtscore, name)).parameters
    theirs = dict(inspect.signature(getattr(sacrebleu, name)).parameters)
    del theirs["references"]  # which would make a metric keep texts
    assert list(ours)[: len(theirs)] == list(theirs)
    assert {key: ours[key].default for key in theirs} == {key: value.default for key, value in theirs.items()}


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_attributes_of_scores(name: str) -> None:
    """Scores have the public attributes of the field's scores."""
    ours = getattr(mtscore, name)().corpus_score(H, [R1, R2])
    theirs = getattr(sacrebleu, name)().corpus_score(H, [R1, R2])
    wanted = {
        "BLEU": ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio"),
        "CHRF": ("score",),
        "TER": ("score", "num_edits", "ref_length"),
    }[name]
    for attribute in wanted:
        assert getattr(ours, attribute) == pytest.approx(getattr(theirs, attribute)), attribute
    assert ours.name == theirs.name


def test_public_names() -> None:
    """Every public name can be imported, and an unknown one is an attribute error."""
    for name in mtscore.__all__:
        assert getattr(mtscore, name) is not None
    assert set(mtscore.__all__) - {"__version__"} == set(mtscore.HOMES)
    with pytest.raises(AttributeError, match="has no attribute 'corpus_blue'"):
        _ = mtscore.corpus_blue


def test_several_systems() -> None:
    """Systems are scored side by side, with tests on request, from any iterables."""
    systems = {"a": H, "b": iter(R2)}
    report = mtscore.evaluate_systems(
        systems, iter([iter(R1)]), [mtscore.BLEU(), mtscore.CHRF()], test="ar", trials=50
    )
    assert [(row.system, row.score.name) for row in report.rows] == [
        ("a", "BLEU"),
        ("a", "chrF2"),
        ("b", "BLEU"),
        ("b", "chrF2"),
    ]
    assert report.rows[0].score.score == mtscore.BLEU().corpus_score(H, [R1]).score
    assert report.rows[2].comparison is not None
    assert (report.baseline, report.segments, report.references) == ("a", 3, 1)


def test_warnings_of_the_library() -> None:
    """What makes a number mean something else is a Python warning, a note is not."""
    with pytest.warns(UserWarning, match="no segment of a has a 4-gram"):
        mtscore.evaluate_systems({"a": ["cat"]}, [["cat"]])
    assert mtscore.evaluate_systems({"a": H}, [H]).notices[0].level == "note"


@pytest.mark.parametrize(
    ("systems", "references", "error", "message"),
    [
        ({}, [R1], UsageError, "no systems to score"),
        ({"a": H}, ["abc", "abc", "abc"], ShapeError, "references must be a list of reference sets"),
        ({"a": H}, None, ShapeError, "references must be a list of reference sets"),
        ({"a": "abc"}, [R1], ShapeError, "hypotheses must be a list of strings, got one str"),
        ({"a": H, "b": H[:2]}, [R1], AlignmentError, "reference set 1 has 3 lines, hypotheses have 2"),
        ({"a": H}, [], UsageError, "no references"),
    ],
)
def test_wrong_systems(systems: Any, references: Any, error: type[Exception], message: str) -> None:
    """Shape mistakes are errors for several systems as for one."""
    with pytest.raises(error, match=message):
        mtscore.evaluate_systems(systems, references)
