"""Messages that save a day: each is said where it holds, once, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import read_lines, shared

from mtscore.corpus import Corpus, System
from mtscore.evaluate import Plan, evaluate
from mtscore.metrics import create

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.notices import Notice

LINES = ["The small cat sat on the mat.", "A bird flew over it.", "It rains today.", "We all went home."] * 3
SPACED = [line.replace(".", " .") for line in LINES]


def notices(
    hypotheses: Sequence[str],
    *references: Sequence[str | None],
    tokenize: str = "13a",
    files: tuple[str, str] = ("out.en", "gold.en"),
    force: bool = False,
) -> list[Notice]:
    """Return what is noticed when one system is scored with BLEU."""
    corpus = Corpus([list(hypotheses)], [list(reference) for reference in references])
    report = evaluate(
        [System("out", files[0])],
        [files[1]] * len(references),
        corpus.chunks(5),
        Plan(metrics=[create("bleu", tokenize=tokenize)], force=force),
    )
    return list(report.notices)


def codes(found: Sequence[Notice], level: str = "warning") -> list[str]:
    """Return the codes of the notices of one level."""
    return [notice.code for notice in found if notice.level == level]


def test_ordinary_text_is_passed_over_in_silence() -> None:
    """Two different plain texts give no notice at all."""
    assert notices(LINES, [line.replace("The", "This") for line in LINES]) == []


@pytest.mark.parametrize(
    ("folder", "language", "tokenize"),
    [
        ("wmt17-en-de", "de", "13a"),
        ("wmt22/en-ru", "ru", "13a"),
        ("wmt22/cs-uk", "uk", "13a"),
        ("wmt21/hi-bn", "bn", "intl"),
        ("wmt21/en-zh", "zh", "zh"),
        ("wmt22/en-ja", "ja", "char"),
    ],
)
def test_real_systems_give_no_warning(folder: str, language: str, tokenize: str) -> None:
    """No real submission scored with a fitting tokenizer is warned about."""
    [reference, *_] = sorted(shared("data", folder).glob(f"ref*.{language}"))
    for path in sorted(shared("data", folder).glob(f"hyp.*.{language}")):
        found = notices(
            read_lines(path),
            read_lines(reference),
            tokenize=tokenize,
            files=(path.name, reference.name),
        )
        assert codes(found) == []


def test_tokenised_hypotheses_are_noticed_by_their_share_of_lines() -> None:
    """A blank before the final mark in many hypotheses, not in references, is counted in one warning."""
    [warning] = notices(["Plain first line.", *SPACED], ["Plain first line.", *LINES])
    assert (warning.code, warning.file, warning.line, warning.count) == (
        "tokenised-hypothesis",
        "out.en",
        2,
        12,
    )


def test_five_tokenised_lines_are_enough() -> None:
    """From five lines on the warning is given, if they are 10 % of all."""
    found = notices(SPACED[:5] + LINES, LINES[:5] + LINES)
    assert [(notice.code, notice.count) for notice in found] == [("tokenised-hypothesis", 5)]


@pytest.mark.parametrize(
    ("hypotheses", "references", "tokenize", "force"),
    [
        (SPACED, SPACED, "13a", False),
        (SPACED, LINES, "none", False),
        (SPACED, LINES, "13a", True),
        (SPACED[:4] + LINES, LINES[:4] + LINES, "13a", False),
        (SPACED[:5] + LINES * 5, LINES[:5] + LINES * 5, "13a", False),
    ],
)
def test_tokenised_hypotheses_pass_where_it_is_meant_or_rare(
    hypotheses: list[str], references: list[str], tokenize: str, force: bool
) -> None:
    """References tokenised alike, `-tok none`, `--force`, under 5 lines or under 10 % give no warning."""
    assert codes(notices(hypotheses, references, tokenize=tokenize, force=force)) == []


@pytest.mark.parametrize("mark", ["@@ ", "▁", "<unk>"])
def test_marks_of_subwords_in_references_are_noticed(mark: str) -> None:
    """Marks in five lines and a hundredth of a reference are a warning, unless hypotheses have some."""
    marked = [line.replace("a", f"a{mark}", 1) for line in LINES]
    assert codes(notices(LINES, LINES, [*marked[:4], *LINES[4:]])) == []
    (found,) = [notice for notice in notices(LINES, LINES, marked) if notice.level == "warning"]
    assert (found.level, found.code, found.file, found.line) == (
        "warning",
        "tokenised-reference",
        "gold.en",
        1,
    )
    assert codes(notices(marked, marked)) == []
    assert codes(notices(LINES, marked, force=True)) == []


@pytest.mark.parametrize("mark", ["@@ ", "▁", "<unk>"])
def test_marks_of_subwords_are_noticed(mark: str) -> None:
    """Subword marks that only hypotheses have are a warning."""
    found = notices([line.replace("a", f"a{mark}", 1) for line in LINES], LINES)
    assert codes(found) == ["tokenised-hypothesis"]


@pytest.mark.parametrize(
    ("text", "tokenize", "remedy"),
    [
        ("我爱北京的天安门。", "13a", "zh"),
        ("我爱北京的天安门。", "intl", "zh"),
        ("これはテストです。東京に行く。", "13a", "ja-mecab"),
        ("これはテストです。東京に行く。", "zh", "ja-mecab"),
        ("ฉันรักภาษาไทยมาก", "13a", "char"),
        ("나는서울에산다그리고일한다", "13a", "ko-mecab"),
    ],
)
def test_scripts_that_the_tokenizer_does_not_split_are_noticed(text: str, tokenize: str, remedy: str) -> None:
    """Text without spaces under a tokenizer that needs them is a warning that names one to use."""
    found = notices([text] * 3, [text + "！"] * 3, tokenize=tokenize)
    warnings = [notice for notice in found if notice.code == "unsplit-script"]
    assert len(warnings) == 1
    assert remedy in warnings[0].text


@pytest.mark.parametrize(
    ("text", "tokenize"),
    [
        ("我爱北京的天安门。", "zh"),
        ("我爱北京的天安门。", "char"),
        ("我 爱 北京 的 天安门 。", "none"),
        ("나는 서울에 산다 그리고 일한다", "13a"),
        ("Добрый день, как дела?", "13a"),
        ("हाँ, यह सही है। और कुछ नहीं।", "13a"),
    ],
)
def test_scripts_that_are_split_pass(text: str, tokenize: str) -> None:
    """Text that has spaces, or a tokenizer that needs none, gives no warning about its script."""
    assert "unsplit-script" not in codes(notices([text] * 3, [text] * 3, tokenize=tokenize))


def test_empty_references_are_counted_once() -> None:
    """Empty lines of one of two references are one warning with their number and the first line."""
    second = ["", "A bird flew.", "", *LINES[3:]]
    [warning] = [n for n in notices(LINES, LINES[::-1], second) if n.level == "warning"]
    assert (warning.code, warning.line, warning.count) == ("empty-reference", 1, 2)
    assert "--empty-refs-missing" in warning.text


def test_an_only_reference_that_is_empty_cannot_be_matched() -> None:
    """Where there is no other reference, no option helps, and the warning says what it means."""
    [warning] = [n for n in notices(LINES, ["", *LINES[:-1]]) if n.level == "warning"]
    assert warning.text == "empty reference: nothing can match it"


def test_empty_references_in_columns_are_those_of_their_file() -> None:
    """Several references on a line come from one file, which is named for each of them."""
    corpus = Corpus([LINES], [["", *LINES[1:]], [*LINES[:-1], ""]])
    plan = Plan(metrics=[create("bleu")])
    report = evaluate([System("out", "out.en")], ["both.tsv"], corpus.chunks(5), plan)
    assert [(n.file, n.line) for n in report.notices if n.code == "empty-reference"] == [
        ("both.tsv", 1),
        ("both.tsv", len(LINES)),
    ]


def test_missing_references_are_not_empty_ones() -> None:
    """A reference that is None gives no warning."""
    assert codes(notices(LINES, LINES[::-1], [None] * len(LINES))) == []


def test_files_whose_names_tell_the_wrong_side_are_suspected() -> None:
    """A file called ref scored as hypotheses against one that is not is a warning."""
    assert codes(notices(LINES, LINES[::-1], files=("ref.de", "hyp.de"))) == ["files-swapped"]
    assert codes(notices(LINES, LINES[::-1], files=("ref.B.de", "ref.A.de"))) == []
    assert codes(notices(LINES, LINES[::-1], files=("prefix.de", "gold.de"))) == []


def test_a_corpus_without_any_4_gram_is_explained() -> None:
    """A corpus of short lines scores 0 and says why; a single longer line is enough to be silent."""
    assert codes(notices(["Grand Plaza"], ["Grand Plaza"])) == ["no-4-gram"]
    assert codes(notices(["Grand Plaza", "a b c d"], ["Grand Plaza", "a b c x"])) == []


def test_copies_of_a_reference_are_noted() -> None:
    """Hypotheses identical to a reference are a note, no warning."""
    found = notices(LINES, LINES)
    assert (codes(found), codes(found, "note")) == ([], ["identical-to-reference"])


def test_the_same_reference_twice_is_noted() -> None:
    """References that are copies of each other are a note: they are counted, and change nothing else."""
    one = [line.replace("The", "This") for line in LINES]
    [found] = notices(LINES, one, [*one[:-1], "Else"], one)
    assert (found.level, found.code) == ("note", "identical-references")
    assert found.text == "reference 3 is the same text as reference 1"


def test_one_different_line_in_a_later_chunk_is_no_copy() -> None:
    """What is noted of whole texts takes every chunk into account."""
    assert notices([*LINES[:-1], "Else"], LINES) == []


CAFE = ["Le café est ici."] * 400


@pytest.mark.parametrize(
    ("line", "code"),
    [("Le cafe\u0301 est ici.", "normal-form"), ("Le café\u200b est ici.", "invisible-characters")],
)
def test_differences_that_nobody_sees(line: str, code: str) -> None:
    """Decomposed letters or invisible characters are a warning in many lines, and a note in a few."""

    def noticed(here: int, there: int, lines: int) -> list[tuple[str, str]]:
        sides = [[line] * count + CAFE[: lines - count] for count in (here, there)]
        return [(notice.level, notice.code) for notice in notices(*sides)]

    assert noticed(5, 0, lines=400) == [("warning", code)]
    assert noticed(9, 4, lines=400) == [("warning", code)]
    assert noticed(4, 0, lines=400) == noticed(4, 0, lines=40) == [("note", code)]
    assert noticed(8, 4, lines=400) == []


def test_decomposed_references_are_a_difference_too() -> None:
    """It does not matter which side is decomposed."""
    decomposed = [line.replace("é", "e\u0301") for line in CAFE]
    assert codes(notices(CAFE, decomposed)) == ["normal-form"]
    assert codes(notices(CAFE, decomposed, CAFE)) == []
    assert codes(notices(decomposed, decomposed)) == []


@pytest.mark.parametrize(("there", "word"), [(0, "none"), (2, "fewer")])
def test_where_invisible_characters_are(there: int, word: str) -> None:
    """The message says whether the references have some, too."""
    odd = ["Le café\u200b est ici."] * 20
    (found,) = notices(odd + CAFE[20:], odd[:there] + CAFE[there:])
    assert found.text == f"zero-width or soft-hyphen characters, {word} in the references"
    assert (found.line, found.count) == (1, 20)


def test_columns_are_suspected() -> None:
    """The same number of tabs on every line of a hypothesis, and none in references, is a warning."""
    two = [f"{line}\t{line}" for line in LINES]
    (found,) = notices(two, LINES)
    assert (found.level, found.code, found.file) == ("warning", "columns", "out.en")
    assert found.text.startswith("has 1 tab on every line")
    assert notices([*two[:-1], LINES[-1]], LINES) == []
    assert notices(two, [f"{line}\tand more" for line in LINES]) == []
    assert notices(two[:1], LINES[:1]) == []
