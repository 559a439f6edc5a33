"""Comparability: which differences between signatures matter, and what releases of sacreBLEU changed."""

from __future__ import annotations

import pytest
from conftest import read_json, shared

from mtscore.comparability import (
    CHANGES,
    NEWEST,
    Difference,
    Verdict,
    compare,
    explain,
    remarks,
    verdict,
)
from mtscore.keys import KEYS
from mtscore.signature import Signature

WMT = "+lang.en-de+test.wmt17"
BLEU = f"BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a{WMT}+version.2.6.0"
CHRF = f"chrF2+case.mixed+numchars.6+numrefs.1+space.no{WMT}+version.2.6.0"
TER = f"TER+asian.no+case.lc+norm.no+numrefs.1+punct.yes+tok.tercom{WMT}+version.2.6.0"
PPL = "PPL+eos.yes+test.x+unit.token+vocab.1a2b+version.mtscore-0.1.0"


def differences(a: str, b: str) -> list[Difference]:
    """Compare two signatures in any form."""
    return compare(Signature.parse(a), Signature.parse(b))


def change(text: str, *replacements: str) -> str:
    """Return a signature with parts replaced, given in turns: old, new."""
    for old, new in zip(replacements[::2], replacements[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return text


ONE_CHANGE: list[tuple[str, tuple[str, str], str, Verdict]] = [
    (BLEU, ("case.mixed", "case.lc"), "case", "different"),
    (BLEU, ("tok.13a", "tok.intl"), "tok", "different"),
    (BLEU, ("tok.13a", "tok.13a.2"), "tok", "different"),
    (BLEU, ("numrefs.1", "numrefs.2"), "numrefs", "different"),
    (BLEU, ("numrefs.1", "numrefs.var"), "numrefs", "different"),
    (BLEU, ("smooth.exp", "maxn.2+smooth.exp"), "maxn", "different"),
    (BLEU, ("smooth.exp", "smooth.add-k[1.00]"), "smooth", "different"),
    (BLEU, ("smooth.exp", "smooth.floor[0.10]"), "smooth", "caveat"),
    (BLEU, ("smooth.exp", "smooth.none"), "smooth", "caveat"),
    (BLEU, ("+smooth.exp", ""), "smooth", "caveat"),
    (BLEU, ("smooth.exp", "eff.yes+smooth.exp"), "eff", "caveat"),
    (BLEU, ("test.wmt17", "test.wmt18"), "test", "different"),
    (BLEU, ("lang.en-de", "lang.de-en"), "lang", "different"),
    (BLEU, ("test.wmt17", "origlang.en+test.wmt17"), "origlang", "different"),
    (BLEU, ("test.wmt17", "subset.US+test.wmt17"), "subset", "different"),
    (BLEU, ("test.wmt17", "test.wmt17+userefs.A"), "userefs", "different"),
    (BLEU, ("+test.wmt17", ""), "test", "caveat"),
    (BLEU, ("case.mixed", "bs.1000+case.mixed+seed.1"), "bs", "harmless"),
    (BLEU, ("case.mixed", "ar.1000+case.mixed+seed.1"), "ar", "harmless"),
    (BLEU, ("2.6.0", "mtscore-0.1.0"), "version", "harmless"),
    (BLEU, ("2.6.0", "2.0.0"), "version", "harmless"),
    (BLEU, ("2.6.0", "1.5.1"), "version", "caveat"),
    (BLEU, ("2.6.0", "9.0"), "version", "caveat"),
    (BLEU, ("+version.2.6.0", ""), "version", "caveat"),
    (CHRF, ("chrF2", "chrF3"), "name", "different"),
    (CHRF, ("chrF2", "chrF2++"), "name", "different"),
    (CHRF, ("numchars.6", "numchars.4"), "numchars", "different"),
    (CHRF, ("space.no", "space.yes"), "space", "different"),
    (CHRF, ("numchars.6", "eff.no+numchars.6"), "eff", "different"),
    (TER, ("norm.no", "norm.yes"), "norm", "different"),
    (TER, ("punct.yes", "punct.no"), "punct", "different"),
    (TER, ("asian.no", "asian.yes"), "asian", "harmless"),
    (TER, ("version.2.6.0", "version.2.3.1"), "version", "caveat"),
    (TER, ("TER", "WER"), "name", "different"),
    (PPL, ("unit.token", "unit.word"), "unit", "different"),
    (PPL, ("vocab.1a2b", "vocab.3c4d"), "vocab", "different"),
    (PPL, ("eos.yes", "eos.yes+lm.laplace"), "lm", "harmless"),
]


@pytest.mark.parametrize(("base", "replacement", "key", "expected"), ONE_CHANGE)
def test_one_difference_is_named_and_judged(
    base: str, replacement: tuple[str, str], key: str, expected: Verdict
) -> None:
    """A difference in one setting is named by its key, and judged by what it does to a comparison."""
    other = change(base, *replacement)
    found = differences(base, other)
    assert (found[0].key, found[0].verdict) == (key, expected)
    assert verdict(found) == verdict(differences(other, base)) == expected


@pytest.mark.parametrize("text", [BLEU, CHRF, TER, PPL])
def test_equal_signatures_of_one_test_set_are_comparable(text: str) -> None:
    """Two equal signatures that name their test set and release have no difference."""
    assert differences(text, text) == []
    assert verdict([]) == "harmless"


def test_equal_signatures_without_a_test_set_prove_little() -> None:
    """Equal signatures of sacreBLEU 2.x do not show that the same data was scored, and this is said."""
    line = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    [found] = differences(line, line)
    assert (found.key, found.a, found.b, found.verdict) == ("test", None, None, "caveat")
    assert "neither side names a test set" in found.meaning


def test_differing_data_counts_even_without_a_test_set() -> None:
    """Stated data that contradicts makes scores incomparable, also where no test set is named."""
    own = "BLEU+case.mixed+lang.{}+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0"
    assert verdict(differences(own.format("en-de"), own.format("en-fr"))) == "different"
    assert verdict(differences(own.format("en-de"), own.replace("+lang.{}", ""))) == "caveat"


def test_varying_numbers_of_references_leave_doubt() -> None:
    """Two signatures with `numrefs.var` may hide different numbers of references."""
    varying = change(BLEU, "numrefs.1", "numrefs.var")
    [found] = differences(varying, varying)
    assert (found.key, found.verdict) == ("numrefs", "caveat")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("add-k[1.00]", "add-k[0.50]", "different"),
        ("add-k[1.00]", "floor[0.10]", "different"),
        ("add-k", "add-k[1.00]", "caveat"),
        ("add-k[0.123]", "add-k[0.12]", "caveat"),
        ("floor[0.10]", "floor[0.20]", "caveat"),
        ("floor", "floor[0.00]", "caveat"),
        ("0.01", "floor[0.01]", "caveat"),
    ],
)
def test_smoothing_is_judged_by_method_and_value(a: str, b: str, expected: Verdict) -> None:
    """Only add-k always moves the score; a value that was rounded or not printed may be the same."""
    one, other = (change(BLEU, "smooth.exp", f"smooth.{method}") for method in (a, b))
    assert verdict(differences(one, other)) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("flores101-1a2b3c4d", "flores101", "caveat"),
        ("flores101", "flores101-1a2b3c4d", "caveat"),
        ("flores101-1a2b3c4d", "flores101-1a2b3c4e", "different"),
        ("flores101-1a2b3c4d", "flores200", "different"),
        ("spm-1a2b3c4d", "spm-00000000", "different"),
        ("ja-mecab-0.996-IPA", "ja-mecab", "different"),
    ],
)
def test_a_model_named_without_its_checksum_leaves_doubt(a: str, b: str, expected: Verdict) -> None:
    """The same model with and without its checksum is a caveat; two checksums are two tokenizers."""
    found = [d for d in differences(*(BLEU.replace("13a", value) for value in (a, b))) if d.key == "tok"]
    assert [d.verdict for d in found] == [expected]


def test_asian_support_counts_once_it_acts() -> None:
    """TER's support of Asian scripts moves the score where punctuation is normalised or removed."""
    for acting in (("norm.no", "norm.yes"), ("punct.yes", "punct.no")):
        base = change(TER, *acting)
        assert verdict(differences(base, change(base, "asian.no", "asian.yes"))) == "different"


RELEASES = [
    (BLEU, "1.1.2", "2.6.0", ["1.1.3", "1.1.7", "1.4.4", "2.0.0"]),
    (BLEU, "1.1.3", "1.4.3", ["1.1.7"]),
    (BLEU, "1.4.14", "1.5.1", []),
    (BLEU, "1.5.1", "2.0.0", ["2.0.0"]),
    (change(BLEU, "13a", "intl"), "1.1.3", "1.4.3", []),
    (change(BLEU, "exp", "none"), "1.1.7", "2.6.0", []),
    (change(BLEU, "exp", "floor"), "1.4.3", "1.5.1", ["1.4.4", "1.4.4", "1.5.0"]),
    (change(BLEU, "exp", "floor[0.10]"), "1.4.4", "1.5.1", []),
    (change(BLEU, "numrefs", "maxn.2+numrefs"), "2.0.0", "2.6.0", ["2.1.0"]),
    (CHRF, "1.5.1", "2.6.0", ["2.0.0"]),
    (CHRF, "2.0.0", "2.6.0", []),
    (TER, "1.5.1", "mtscore-0.1.0", ["2.0.0", "2.3.2"]),
    (TER, "2.3.1", "2.3.2", ["2.3.2"]),
    (TER, "2.3.2", "mtscore-0.1.0", []),
]


@pytest.mark.parametrize(("base", "early", "late", "releases"), RELEASES)
def test_changes_between_releases_are_named(base: str, early: str, late: str, releases: list[str]) -> None:
    """Between two releases exactly those changes are named that concern the metric and its settings."""
    one, other = (change(base, "2.6.0", version) for version in (early, late))
    for found in (differences(one, other), differences(other, one)):
        versions = [d for d in found if d.key == "version"]
        named = [d.meaning.split(":")[0].removeprefix("since sacreBLEU ") for d in versions]
        assert (named if releases else []) == releases
        assert {d.verdict for d in versions} == ({"caveat"} if releases else {"harmless"})


def test_the_release_that_mtscore_follows_is_named() -> None:
    """Against a line of sacreBLEU it is said which release mtscore's scores agree with."""
    [found] = differences(BLEU, change(BLEU, "2.6.0", "mtscore-0.1.0"))
    assert found.meaning.startswith("mtscore gives the scores of sacreBLEU 2.6.0")
    assert max(change.release for change in CHANGES) <= NEWEST == (2, 6, 0)


def test_early_chrf_had_one_reference() -> None:
    """A chrF line of sacreBLEU 1.5 prints no number of references, but it cannot have had more than one."""
    early = "chrF2+lang.en-de+numchars.6+space.false+test.wmt17+version.1.5.1"
    assert [(d.key, d.verdict) for d in differences(early, CHRF)] == [
        ("case", "caveat"),
        ("version", "caveat"),
    ]
    two = change(CHRF, "numrefs.1", "numrefs.2")
    assert Difference("numrefs", 1, 2, "different", "more references raise BLEU and chrF and lower TER") in (
        differences(early, two)
    )


def test_every_field_is_explained() -> None:
    """An explanation has a row for the metric and each field, with the setting's meaning in words."""
    rows = explain(
        Signature.parse("BLEU|nrefs:var|case:lc|eff:yes|tok:intl|smooth:floor[0.10]|version:2.0.0")
    )
    assert [(row.key, row.value) for row in rows] == [
        ("name", "BLEU"), ("case", "lc"), ("eff", "yes"), ("numrefs", "var"), ("smooth", "floor[0.10]"),
        ("tok", "intl"), ("version", "2.0.0"),
    ]  # fmt: skip
    assert [row.meaning for row in rows[1:]] == [
        "both sides are lowercased first",
        "effective order: n-gram orders that the text is too short for are left out",
        "segments differ in their number of references",
        "an n-gram order without a match counts as this fraction of a match",
        "tokenizer: what counts as a word",
        "made by sacreBLEU 2.0.0",
    ]


def test_every_value_has_an_explanation() -> None:
    """No key and no word that a key takes is left without words."""
    for key in KEYS:
        assert key.meaning
        assert all(key.explain(word) for word in key.words)


def test_remarks_say_what_changed_since() -> None:
    """The remarks on a signature name what it leaves open and the later changes that concern it."""
    assert [text.split(":")[0] for text in remarks(Signature.parse(change(TER, "2.6.0", "1.5.1")))] == [
        "since sacreBLEU 2.0.0",
        "since sacreBLEU 2.3.2",
    ]
    assert remarks(Signature.parse(BLEU)) == []
    assert [text.split(" ")[0] for text in remarks(Signature.parse("BLEU+case.lc"))] == ["it", "no"]
    assert remarks(Signature.parse(change(BLEU, "2.6.0", "3.0"))) == [
        "changes after sacreBLEU 2.6.0 are not known here"
    ]


def test_all_signatures_of_the_evaluation_data_are_explained() -> None:
    """Every row of the expected scores has a signature that is explained and comparable with ours."""
    entries = read_json(shared("data", "expected.json"))
    lines = {text for text in _texts(entries) if "|version:" in text and " " not in text}
    assert len(lines) > 100
    for line in lines:
        theirs = Signature.parse(line)
        ours = theirs.extend(version="mtscore-0.1.0")
        assert len(explain(theirs)) == len(theirs.fields) + 1
        assert verdict(compare(theirs, ours)) == "caveat"


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []
