"""Alignment: inputs go side by side or the error says why they cannot."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from mtscore import corpus
from mtscore.corpus import Lines, Lockstep, reference_counts
from mtscore.errors import AlignmentError, DecodingError, InputError
from mtscore.lines import LineReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mtscore.corpus import Chunk, Stream


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LineReader]]:
    """Return what writes a file and opens it by its bare name, as messages have it."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:

        def opened(name: str, text: str | bytes, *, trim: bool = True) -> LineReader:
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
            return stack.enter_context(closing(LineReader(name, trim=trim)))

        yield opened


def lockstep(systems: list[Any], references: list[Any], **settings: Any) -> Lockstep:
    """Return inputs side by side; lists of lines stand for inputs in memory."""
    return Lockstep(streams("hyp", systems), streams("ref", references), **settings)


def streams(name: str, inputs: list[Any]) -> list[Stream]:
    """Return inputs, those in memory with a name."""
    return [Lines(f"{name}{i}", item) if isinstance(item, list) else item for i, item in enumerate(inputs)]


def parts(chunk: Chunk) -> tuple[list[int], list[list[str]], list[list[str | None]]]:
    """Return what a chunk holds as lists."""
    return list(chunk.numbers), [list(s) for s in chunk.systems], [list(r) for r in chunk.references]


def message(inputs: Lockstep, size: int = 2) -> str:
    """Return the error that reading the inputs gives."""
    with pytest.raises((AlignmentError, InputError)) as caught:
        list(inputs.chunks(size))
    return str(caught.value)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_chunks(reader: Callable[..., LineReader], size: int) -> None:
    """Chunks of any size hold all inputs, aligned and in order, with their line numbers."""
    inputs = lockstep([reader("a", "1\n2\n3\n"), ["x", "y", "z"]], [["p", "q", "r"], reader("b", "7\n8\n9")])
    chunks = [parts(chunk) for chunk in inputs.chunks(size)]
    assert all(len(numbers) <= size for numbers, _, _ in chunks)
    assert [number for numbers, _, _ in chunks for number in numbers] == [1, 2, 3]
    for index, (system, reference) in enumerate([("123", "pqr"), ("xyz", "789")]):
        assert [line for _, systems, _ in chunks for line in systems[index]] == list(system)
        assert [line for _, _, references in chunks for line in references[index]] == list(reference)


@pytest.mark.parametrize(
    ("longest", "numbers"),
    [
        (10, [[1, 2, 3, 4, 5]]),
        (9, [[1, 2, 3], [4, 5]]),
        (4, [[1, 2], [3, 4], [5]]),
        (1, [[1], [2], [3], [4], [5]]),
    ],
)
def test_chunks_of_documents(
    reader: Callable[..., LineReader],
    monkeypatch: pytest.MonkeyPatch,
    longest: int,
    numbers: list[list[int]],
) -> None:
    """Where segments are long there are fewer in a chunk; texts, sources and numbers stay together."""
    monkeypatch.setattr(corpus, "LONG_TEXT", longest)
    hypotheses, references, sources = list("abcde"), ["", "vvv", "w", "xxx", "z"], list("12345")
    inputs = Lockstep(
        [reader("hyp", "a\nb\nc\nd\ne\n")], [Lines("ref", references)], source=Lines("src", sources)
    )
    chunks = list(inputs.chunks(9))
    assert [list(chunk.numbers) for chunk in chunks] == numbers
    assert [line for chunk in chunks for line in chunk.systems[0]] == hypotheses
    assert [line for chunk in chunks for line in chunk.references[0]] == references
    assert [line for chunk in chunks for line in chunk.source or ()] == sources


def test_kept_segments() -> None:
    """With a selection, chunks hold the kept segments only, under their numbers in the whole."""
    inputs = lockstep([list("abcde")], [list("vwxyz")], keep=[False, True, False, False, True])
    assert [parts(chunk) for chunk in inputs.chunks(2)] == [([2], [["b"]], [["w"]]), ([5], [["e"]], [["z"]])]


def test_nothing_kept() -> None:
    """Where no segment is kept there is no chunk."""
    assert list(lockstep([["a"]], [["b"]], keep=[False]).chunks(5)) == []


def test_columns(reader: Callable[..., LineReader]) -> None:
    """Tab-separated references become streams; the last column may be empty, and white space at ends goes."""
    file = reader("refs", "a b\tc\nd \t\n\te\r\n \t\t\n".replace(" \t\t", "\t"), trim=False)
    [chunk] = lockstep([list("wxyz")], [file], columns=2).chunks(9)
    assert parts(chunk)[2] == [["a b", "d", "", ""], ["c", "", "e", ""]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "a\tb\nc\n",
            "refs:2: expected 2 tab-separated references, found 1 (-nr/--num-refs is the number of columns)",
        ),
        (
            "a\tb\nc\td\te\n",
            "refs:2: expected 2 tab-separated references, found 3 (-nr/--num-refs is the number of columns)",
        ),
        (
            "a\tb\n\n",
            "refs:2: expected 2 tab-separated references, found 1 (-nr/--num-refs is the number of columns)",
        ),
        (
            "a\tb\nc\td\t\n",
            "refs:2: expected 2 tab-separated references, found 3 (-nr/--num-refs is the number of columns)",
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 5])
def test_wrong_columns(reader: Callable[..., LineReader], text: str, error: str, size: int) -> None:
    """A line with more or fewer columns than it should have is an error with file and line."""
    file = reader("refs", text, trim=False)
    assert message(lockstep([["x", "y"]], [file], columns=2), size) == error


def test_empty_is_missing() -> None:
    """On request an empty line is no reference, as long as each segment has another one."""
    inputs = lockstep([["a", "b"]], [["", "q"], ["x", ""]], empty_is_missing=True)
    [chunk] = inputs.chunks(5)
    assert parts(chunk)[2] == [[None, "q"], ["x", None]]
    [plain] = lockstep([["a", "b"]], [["", "q"], ["x", ""]]).chunks(5)
    assert parts(plain)[2] == [["", "q"], ["x", ""]]
    lonely = lockstep([["a", "b", "c"]], [["p", "q", ""], ["x", "y", ""]], empty_is_missing=True)
    assert message(lonely) == "segment 3 has no reference"


def test_counts_of_references() -> None:
    """Segments are counted by their references, one number or several."""
    assert reference_counts([["a", "b"], ["c", "d"]]) == {2}
    assert reference_counts([["a", "b"], [None, "d"]]) == {1, 2}
    assert reference_counts([["a", None], [None, "d"]]) == {1}


# --- Inputs that do not go together


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_unequal_lengths(reader: Callable[..., LineReader], size: int) -> None:
    """Different numbers of lines are an error with both names and both counts, however far apart they are."""
    short, long = reader("short", "a\nb\n"), reader("long", "c\n" * 5)
    assert message(lockstep([short], [long]), size) == (
        "short has 2 lines, long has 5 lines (hypotheses and references go line by line)"
    )


def test_shorter_side_first(reader: Callable[..., LineReader]) -> None:
    """The shorter input is named first, be it hypothesis, second reference or one of several systems."""
    hint = "hypotheses and references go line by line"
    assert message(lockstep([["a"] * 3], [["b"]])) == f"ref0 has 1 line, hyp0 has 3 lines ({hint})"
    assert message(lockstep([["a"] * 2], [["b"] * 2, ["c"]])) == f"ref1 has 1 line, hyp0 has 2 lines ({hint})"
    assert (
        message(lockstep([["a"] * 2, ["b"] * 4], [["c"] * 2]))
        == f"ref0 has 2 lines, hyp1 has 4 lines ({hint})"
    )
    assert message(lockstep([["a"] * 2], [["b"], ["c"] * 2])) == f"ref0 has 1 line, ref1 has 2 lines ({hint})"


@pytest.mark.parametrize(
    ("text", "suspicion"),
    [
        ("a\nb\n\n", "the last line of odd is blank"),
        ("a\nb\n \t\n", "the last line of odd is blank"),
        ("a\nb\nc", "odd has no newline at its end"),
        ("a\nb\rx\nc\n", "odd:2 has a carriage return, U+2028 or the like inside"),
        ("a\nb\u2028x\nc\n", "odd:2 has a carriage return, U+2028 or the like inside"),
        ("a\nb\r\nc\x85d\ne", "odd:3 has a carriage return, U+2028 or the like inside"),
    ],
)
def test_suspicions(reader: Callable[..., LineReader], text: str, suspicion: str) -> None:
    """Where numbers of lines differ, the hint is what may have changed one of them."""
    assert message(lockstep([["1", "2"]], [reader("odd", text)])).endswith(f"({suspicion})")
    assert message(lockstep([reader("odd", text)], [["1"]])).endswith(f"({suspicion})")


def test_advice() -> None:
    """Whoever opens the inputs may add what a number of lines means."""
    advice = {(2, 3): "two of three"}
    inputs = lockstep([["a"] * 2], [["b"] * 3], advice=lambda found, wanted: advice.get((found, wanted)))
    assert message(inputs) == "hyp0 has 2 lines, ref0 has 3 lines (two of three)"


@pytest.mark.parametrize(
    ("systems", "references", "error"),
    [
        ([[]], [["a"]], "hyp0: is empty"),
        ([["a"]], [[]], "ref0: is empty"),
        ([[]], [[]], "hyp0: is empty"),
        ([["a"], []], [["a"]], "hyp1: is empty"),
        ([["a"]], [["a"], []], "ref1: is empty"),
    ],
)
def test_empty_inputs(systems: list[Any], references: list[Any], error: str) -> None:
    """An empty input is an error that names it."""
    assert message(lockstep(systems, references)) == error


def test_empty_standard_input() -> None:
    """Empty standard input is an error that asks about the program before."""
    inputs = Lockstep([Lines("standard input", [])], [Lines("ref", ["a"])])
    assert message(inputs) == "no hypotheses on standard input (did the program before fail?)"


def test_errors_beyond_the_difference(reader: Callable[..., LineReader]) -> None:
    """Where counting the rest of the lines finds bytes that are not text, that is the error."""
    file = reader("bad", b"a\nb\n" + b"c\n" * 9 + b"\xff\n")
    with pytest.raises(DecodingError, match="bad:12: not valid UTF-8 at byte 1"):
        list(lockstep([file], [["a"]]).chunks(1))


def test_lines_in_memory() -> None:
    """Lines in memory are given in order and counted, as those of files are."""
    source = Lines("name", list("abcde"))
    assert (source.take(2), source.lines) == (["a", "b"], 2)
    assert (source.drain(), source.lines) == (5, 5)
    assert source.take(2) == []
