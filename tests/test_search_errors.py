"""Search errors: who is at fault, how often, and what is refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from conftest import run
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mtscore.cli import main
from mtscore.diagnostics.search_errors import SearchErrors, Side, search_errors, wilson
from mtscore.diagnostics.values import parse_numbers, to_nats
from mtscore.errors import AlignmentError, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REFERENCE = [-1.0, -2.0, -3.0, -4.5, -9.0]
OUTPUT = [-1.0, -3.0, -2.0, -7.0, -8.5]
TEXTS = ["a b", "c d", "e f", "g h", "i"], ["a  b", "c d e", "e f k", "k", "i j"]

logprobs = st.floats(-1e6, 0).map(lambda value: round(value, 3))
pairs = st.lists(st.tuples(logprobs, logprobs), min_size=1, max_size=30)


def judge(reference: list[float], output: list[float], **options: object) -> SearchErrors:
    """Return the result for plain log-probabilities."""
    return search_errors(Side(logprobs=reference), Side(logprobs=output), **options)  # type: ignore[arg-type]


def with_texts(**options: object) -> SearchErrors:
    """Return the result for the example with its texts."""
    return search_errors(
        Side(logprobs=REFERENCE, texts=TEXTS[0]),
        Side(logprobs=OUTPUT, texts=TEXTS[1]),
        **options,  # type: ignore[arg-type]
    )


def test_the_search_is_at_fault_where_the_reference_is_more_probable() -> None:
    """P(y*|x) > P(ŷ|x) is the search's fault, everything else, ties included, the model's."""
    result = judge(REFERENCE, OUTPUT)
    assert [result.fault(i) for i in range(5)] == ["model", "search", "model", "search", "model"]
    assert (result.search.count, result.model.count, result.search.total) == (2, 3, 5)
    assert (result.search.share, result.model.share) == (0.4, 0.6)
    assert (result.ties, result.correct) == (1, None)
    assert str(result.signature) == "SERR+prob.raw+version.mtscore-0.1.0"


@settings(deadline=None)
@given(pairs)
def test_swapping_the_sides_swaps_the_faults(values: list[tuple[float, float]]) -> None:
    """What is the search's fault one way round is the model's the other way, but for ties."""
    reference, output = map(list, zip(*values, strict=True))
    one, other = judge(reference, output), judge(output, reference)
    assert one.ties == other.ties
    assert one.search.count + other.search.count + one.ties == len(values)
    assert one.search.count + one.model.count == len(values)


@settings(deadline=None)
@given(pairs, st.sampled_from(["2", "10"]))
def test_the_base_moves_no_count(values: list[tuple[float, float]], base: str) -> None:
    """Logarithms to any base give the same faults and ties."""
    reference, output = map(list, zip(*values, strict=True))
    one, other = judge(reference, output), judge(reference, output, base=base)
    assert one.search_fault.tolist() == other.search_fault.tolist()
    assert one.tied.tolist() == other.tied.tolist()
    assert one.signature == other.signature


def test_probabilities_are_read_as_they_are() -> None:
    """Probabilities give the faults of their logarithms, and equal ones are exact ties."""
    result = judge([0.25, 0.1, 0.0], [0.1, 0.1, 1.0], probabilities=True)
    assert result.search_fault.tolist() == [True, False, False]
    assert result.tied.tolist() == [False, True, False]
    assert result.reference.tolist() == [math.log(0.25), math.log(0.1), -math.inf]
    (notice,) = result.notices
    assert (notice.level, notice.code, notice.line, notice.count) == ("note", "impossible-reference", 3, 1)


def test_bases_are_converted_to_natural_logarithms() -> None:
    """log2 of 1/8 and log10 of 1/1000 are given back in nats."""
    assert to_nats(np.array([-3.0]), base="2").tolist() == pytest.approx([math.log(1 / 8)], abs=1e-15)
    assert judge([-3.0], [-4.0], base="10").reference[0] == pytest.approx(math.log(0.001), abs=1e-14)


def test_lengths_divide_before_the_comparison() -> None:
    """With token counts, log-probabilities per token are compared, and rounding breaks no tie."""
    result = search_errors(
        Side(logprobs=[-3.0, -0.3, -4.0], lengths=[3, 3, 2]),
        Side(logprobs=[-2.0, -0.1, -3.0], lengths=[1, 1, 1]),
    )
    assert result.search_fault.tolist() == [True, False, True]
    assert result.tied.tolist() == [False, True, False]
    assert -0.3 / 3 != -0.1, "the tie is one of the rounded quotients"
    assert result.signature.get("prob") == "norm"
    assert judge(REFERENCE, OUTPUT, normalised=True).signature.get("prob") == "given-norm"


def test_restrictions_leave_segments_out_and_are_signed() -> None:
    """Only wrong segments, or those below a score, are counted, and the signature says so."""
    wrong = with_texts(wrong=True)
    assert (wrong.search.count, wrong.search.total, wrong.ties, wrong.correct) == (2, 4, 0, 0)
    below = with_texts(wrong=True, below=30, scores=[10, 10, 30, 29.9, 50])
    assert below.judged.tolist() == [False, True, False, True, False]
    assert str(below.signature) == "SERR+only.wrong,below-30+prob.raw+version.mtscore-0.1.0"
    assert with_texts().correct == 1


def test_examples_are_the_first_or_the_widest() -> None:
    """Examples are judged segments, by distance of the two values or in order, of one party if asked."""
    result = judge(REFERENCE, OUTPUT)
    assert result.examples(3) == [3, 1, 2]
    assert result.examples(2, order="first") == [0, 1]
    assert result.examples(9, fault="model") == [2, 4, 0]
    assert with_texts(wrong=True).examples(1, order="first") == [1]


@pytest.mark.parametrize(("count", "total"), [(0, 10), (1, 10), (5, 50), (50, 50), (123, 1000)])
def test_intervals_are_those_of_wilson(count: int, total: int) -> None:
    """The interval of a share is scipy's Wilson interval."""
    share = wilson(count, total)
    interval = stats.binomtest(count, total).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert share.low <= share.share <= share.high


def test_equal_texts_with_unequal_values_are_warned_about() -> None:
    """One text cannot have two probabilities."""
    sides = [Side(logprobs=[value, -1.0], texts=["a", "b"], name="x.lp") for value in (-3.0, -3.5)]
    (notice,) = search_errors(*sides).notices
    assert (notice.level, notice.code, notice.file, notice.line) == (
        "warning",
        "same-text-other-logprob",
        "x.lp",
        1,
    )


@pytest.mark.parametrize(
    ("reference", "output", "options", "message"),
    [
        ([-1.0], [-1.0, -2.0], {}, "1 log-probabilities of references"),
        ([], [], {}, "no segments"),
        ([-1.0, 0.5], [-1.0, -1.0], {}, "log-probabilities:2: 0.5 is above 0"),
        ([-1.0, math.nan], [-1.0, -1.0], {}, "log-probabilities:2: nan is no log-probability"),
        ([0.5, 1.5], [0.1, 0.1], {"probabilities": True}, ":2: 1.5 is no probability from 0 to 1"),
        ([-0.5], [0.1], {"probabilities": True}, ":1: -0.5 is no probability"),
        ([0.5], [0.0], {"probabilities": True}, ":1: probability zero for an output"),
        ([-1.0], [-math.inf], {}, ":1: probability zero for an output"),
        ([-1.0], [-1.0], {"base": "3"}, "unknown base of logarithms '3'"),
        ([-1.0], [-1.0], {"wrong": True}, "--wrong: which segments are wrong?"),
        ([-1.0], [-1.0], {"below": 3.0}, "--below: which segments score below"),
        ([-1.0], [-1.0], {"below": 3.0, "scores": [3.0]}, "no segment is left to judge"),
        ([-1.0], [-1.0], {"below": 3.0, "scores": [3.0, 4.0]}, "the segment scores: 2 segments, but 1"),
    ],
)
def test_bad_input_is_refused(
    reference: list[float], output: list[float], options: dict[str, object], message: str
) -> None:
    """What cannot be answered raises an error that says where and why."""
    with pytest.raises(UsageError) as error:
        judge(reference, output, **options)
    assert message in str(error.value)


def test_lengths_must_make_sense() -> None:
    """Token counts are whole numbers of both sides, and not given on top of normalised values."""
    plain = Side(logprobs=[-1.0])
    with pytest.raises(UsageError, match="of both sides, or of none"):
        search_errors(plain, Side(logprobs=[-1.0], lengths=[1]))
    for count in (0, 1.5, -2, math.nan):
        side = Side(logprobs=[-1.0], lengths=[count], name="x")
        with pytest.raises(InputError, match="x:1: the segment's token count is"):
            search_errors(side, side)
    side = Side(logprobs=[-1.0], lengths=[1])
    with pytest.raises(UsageError, match="normalised already"):
        search_errors(side, side, normalised=True)
    with pytest.raises(AlignmentError, match="token counts of the outputs: 2 segments"):
        search_errors(side, Side(logprobs=[-1.0], lengths=[1, 2]))


@pytest.mark.parametrize("text", ["", "x", "1_0", "nan", "1,5", "--1"])
def test_numbers_are_read_strictly(text: str) -> None:
    """What is no decimal number is refused with its place, Python's own spellings included."""
    with pytest.raises(InputError) as error:
        parse_numbers(["-1", "-inf", text], lambda index: f"file:{index + 1}")
    assert str(error.value) == f"file:3: '{text}' is not a number"


def write(folder: Path, **files: Sequence[object]) -> None:
    """Write files with a line an item."""
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with the example in files and in a table."""
    write(tmp_path, r=REFERENCE, h=OUTPUT, rt=TEXTS[0], ht=TEXTS[1])
    rows = zip(REFERENCE, OUTPUT, *TEXTS, strict=True)
    header = "ref_logprob\thyp_logprob\tref_text\thyp_text"
    write(tmp_path, table=[header, *("\t".join(map(str, row)) for row in rows)])
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["--ref-logprob", "r", "--hyp-logprob", "h"]
TEXT_FILES = ["--ref-text", "rt", "--hyp-text", "ht"]


def test_the_command_prints_a_table_examples_and_the_signature(folder: Path) -> None:
    """Text has counts, shares, Wilson intervals, ties, examples and the signature."""
    result = run("search-errors", *FILES, *TEXT_FILES, "-n", "2", cwd=folder)
    assert result.stdout.decode() == (
        "5 segments · log-probabilities of whole segments (base e)\n"
        "\n"
        "at fault  segments   share  95 % interval\n"
        "search           2  40.0 %   11.8 to 76.9\n"
        "model            3  60.0 %   23.1 to 88.2\n"
        "\n"
        "Exactly equal log-probabilities (the model's fault): 1\n"
        "Outputs that are the reference (--wrong leaves them out): 1\n"
        "\n"
        "The worst 2, natural log P:\n"
        "4  search: reference -4.500, output -7.000\n"
        "     ref  g h\n"
        "     hyp  k\n"
        "2  search: reference -2.000, output -3.000\n"
        "     ref  c d\n"
        "     hyp  c d e\n"
        "\n"
        "SERR+prob.raw+version.mtscore-0.1.0\n"
    )
    assert (result.returncode, result.stderr) == (0, b"")


def test_files_and_table_give_the_same_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table whose header names the columns stands for files, and JSON has the numbers in full."""
    answers = []
    for source in (FILES + TEXT_FILES, ["table"]):
        assert main(["search-errors", *source, "--wrong", "-f", "json", "-n", "1"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]
    assert answers[0]["score"] == 0.5
    assert (answers[0]["segments"], answers[0]["left_out"], answers[0]["correct"]) == (4, 1, 0)
    assert answers[0]["signature"] == "SERR+only.wrong+prob.raw+version.mtscore-0.1.0"
    assert answers[0]["search"] == {
        "count": 2,
        "share": 0.5,
        "ci_low": pytest.approx(0.15003898915214947, abs=1e-15),
        "ci_high": pytest.approx(0.8499610108478506, abs=1e-15),
    }
    assert answers[0]["examples"] == [
        {
            "segment": 4,
            "fault": "search",
            "tie": False,
            "ref_logprob": -4.5,
            "hyp_logprob": -7.0,
            "ref_text": "g h",
            "hyp_text": "k",
        }
    ]


def test_columns_may_have_other_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a table, an option names a column, and numbers of tokens divide."""
    write(folder, t=["gold;beam;n;m", "-4;-3;4;1", "-4;-3;1;1"])
    options = "--ref-logprob gold --hyp-logprob beam --ref-tokens n --hyp-tokens m --length-norm divide"
    assert main(["search-errors", "t", *options.split(), "-f", "json", "--order", "first", "-n", "9"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [(e["fault"], e["ref_logprob"], e["hyp_logprob"]) for e in answer["examples"]] == [
        ("search", -1.0, -3.0),
        ("model", -4.0, -3.0),
    ]
    assert answer["settings"]["prob"] == "norm"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "no log-probabilities of the references (--ref-logprob FILE)"),
        ("--ref-logprob r", "no log-probabilities of the outputs (--hyp-logprob FILE)"),
        ("bad", "bad:3: 0.5 is above 0"),
        ("bad --ref-logprob nope", "bad: no column 'nope'"),
        ("short", "short:3: 1 fields, but 2 columns"),
        ("word", "word:2, column hyp_logprob: 'x' is not a number"),
        ("--ref-logprob - --hyp-logprob -", "-: standard input can be read once only"),
        ("--ref-logprob r --hyp-logprob h --ref-tokens r", "--length-norm divide"),
        ("table --length-norm divide", "numbers of tokens are needed to divide by (--ref-tokens)"),
        ("table --length-norm words", "--length-norm: unknown length norm 'words'"),
        ("missing", "missing: no such file"),
    ],
)
def test_the_command_refuses_with_file_and_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    """A mistake is one line on standard error, with file and line, and exit code 2."""
    write(
        folder,
        bad=["ref_logprob\thyp_logprob", "-1\t-2", "-1\t0.5"],
        short=["ref_logprob\thyp_logprob", "-1\t-2", "-1"],
        word=["ref_logprob,hyp_logprob", "-1,x"],
    )
    assert main(["search-errors", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("mtscore: error: ")
    assert message in err


def test_help_explains_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` defines the verdict and ends with command lines to copy."""
    assert main(["search-errors", "--help"]) == 0
    out = capsys.readouterr().out
    assert "P(y*|x) > P(ŷ|x)" in out
    assert "mtscore search-errors --ref-logprob ref.lp --hyp-logprob hyp.lp" in out
    assert max(map(len, out.splitlines())) <= 80
