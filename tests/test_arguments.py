"""The grammar of the command line, rule by rule, as a function of its words."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtscore.cli import find_command
from mtscore.cli.arguments import rewrite
from mtscore.cli.options import arities
from mtscore.cli.score import command
from mtscore.errors import UsageError

ARITY = arities(command)
FILES = {"ref", "ref2", "hyp"}


def read(line: str) -> str:
    """Return a command line as it is rewritten; the words in FILES are files."""
    return " ".join(rewrite(line.split(), ARITY, FILES.__contains__))


# --- Hypotheses and references


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("ref -i hyp", "--input hyp -- ref"),
        ("ref ref2 -i hyp", "--input hyp -- ref ref2"),
        ("ref -i a b c", "--input a --input b --input c -- ref"),
        ("ref --input a b", "--input a --input b -- ref"),
        ("ref -i a b -w 2", "-w 2 --input a --input b -- ref"),
        ("ref -i a -w 2 -i b c", "-w 2 --input a --input b --input c -- ref"),
        ("ref -i a -i a", "--input a --input a -- ref"),
        ("-i hyp -- ref", "--input hyp -- ref"),
        ("-i a b -- ref ref2", "--input a --input b -- ref ref2"),
        ("-i a b -r ref", "-r ref --input a --input b --"),
        ("-r ref -i a b", "-r ref --input a --input b --"),
        ("-i a b --reference ref -r ref2", "--reference ref -r ref2 --input a --input b --"),
        ("-i a b --reference=ref", "--reference ref --input a --input b --"),
        ("-i a b -rref", "-r ref --input a --input b --"),
        ("-t wmt22 -l zh-en -i a b", "-t wmt22 -l zh-en --input a --input b --"),
        ("-i a b -twmt22 -lzh-en", "-t wmt22 -l zh-en --input a --input b --"),
        ("-i a b --test-set=mini", "--test-set mini --input a --input b --"),
        ("-b ref -i hyp", "-b --input hyp -- ref"),
        ("-w 2 ref -i hyp", "-w 2 --input hyp -- ref"),
        ("ref", "-- ref"),
        ("", "--"),
        ("ref -i -", "--input - -- ref"),
        ("- -i hyp", "--input hyp -- -"),
        ("ref -i - hyp", "--input - --input hyp -- ref"),
        ("-- -i hyp", "-- -i hyp"),
        ("ref --input=a b", "--input a -- ref b"),
    ],
)
def test_words_behind_i(line: str, rewritten: str) -> None:
    """Behind -i stand hypotheses up to the next option, wherever the reference stands; repetition adds."""
    assert read(line) == rewritten


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("-i hyp ref", "--input hyp -- ref"),
        ("-i hyp ref -b", "-b --input hyp -- ref"),
        ("-m bleu -i hyp ref", "--metrics bleu --input hyp -- ref"),
        ("-i a -i hyp ref", "--input a --input hyp -- ref"),
        ("-i a -i b -i hyp ref", "--input a --input b --input hyp -- ref"),
    ],
)
def test_reference_as_the_last_word(line: str, rewritten: str) -> None:
    """Without a reference elsewhere, the second of the last -i's two words is the reference."""
    assert read(line) == rewritten


def test_a_single_hypothesis_is_no_reference() -> None:
    """One word behind -i is the hypothesis; that a reference is missing is for others to say."""
    assert read("-i hyp") == "--input hyp --"


def test_reference_that_cannot_be_told() -> None:
    """Where more words could be the reference, the error spells out both command lines."""
    for line in ("-i a b ref", "-i a b -i c ref"):
        with pytest.raises(
            UsageError, match=r"no reference \(either `ref -i .*` if .*, or `REFERENCE -i .* ref`\)"
        ):
            read(line)
    with pytest.raises(UsageError, match=r"either `c -i a b` .*, or `REFERENCE -i a b c`"):
        read("-i a b c")


@pytest.mark.parametrize("line", ["ref -i", "ref -i -b", "ref --input", "ref -i -- hyp", "ref --input= -b"])
def test_i_without_files(line: str) -> None:
    """No file behind -i is an error that names standard input's sign."""
    with pytest.raises(UsageError, match=r"-i/--input needs at least one file \(`-i -` is standard input\)"):
        read(line)


# --- Metrics


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("ref -i hyp -m bleu", "--metrics bleu --input hyp -- ref"),
        ("ref -i hyp -m bleu chrf ter", "--metrics bleu --metrics chrf --metrics ter --input hyp -- ref"),
        ("ref -m bleu -m chrf++ -i hyp", "--metrics bleu --metrics chrf++ --input hyp -- ref"),
        ("ref -m BLEU chrF -i hyp", "--metrics BLEU --metrics chrF --input hyp -- ref"),
        ("-m bleu ref -i hyp", "--metrics bleu --input hyp -- ref"),
        ("-m bleu chrf ref ref2 -i hyp", "--metrics bleu --metrics chrf --input hyp -- ref ref2"),
        ("-m bleu -- missing -i", "--metrics bleu -- missing -i"),
        ("ref --metrics=ter -i hyp", "--metrics ter --input hyp -- ref"),
        ("ref -mchrf -i hyp", "--metrics chrf --input hyp -- ref"),
    ],
)
def test_words_behind_m(line: str, rewritten: str) -> None:
    """Behind -m stand metrics, and files that follow them are references."""
    assert read(line) == rewritten


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ref -m blue -i hyp", r"unknown metric 'blue' \(did you mean bleu\?\)"),
        ("ref -m bleu chfr -i hyp", r"unknown metric 'chfr' \(did you mean chrf"),
        ("ref -m meteor -i hyp", r"unknown metric 'meteor' \((known: bleu, chrf|did you mean)"),
        ("-m ref -i hyp", "unknown metric 'ref'"),
        ("-m bleu missing -i hyp", "unknown metric 'missing'"),
        ("ref -m -i hyp", r"-m/--metrics needs at least one metric \(known: bleu, chrf"),
        ("ref -i hyp -m", "-m/--metrics needs at least one metric"),
    ],
)
def test_no_metric(line: str, message: str) -> None:
    """A word behind -m that is neither metric nor file is an error with the closest names."""
    with pytest.raises(UsageError, match=message):
        read(line)


# --- Other options


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("ref -i hyp -bw2", "-b -w 2 --input hyp -- ref"),
        ("ref -i hyp -bw 2", "-b -w 2 --input hyp -- ref"),
        ("ref -i hyp -w2", "-w 2 --input hyp -- ref"),
        ("ref -i hyp -w=2", "-w 2 --input hyp -- ref"),
        ("ref -sexp -i hyp", "-s exp --input hyp -- ref"),
        ("ref -qb -i hyp", "-q -b --input hyp -- ref"),
        ("ref -bi hyp", "-b --input hyp -- ref"),
        ("ref -bi a b", "-b --input a --input b -- ref"),
        ("ref -ihyp", "--input hyp -- ref"),
        ("ref -i hyp -qm bleu chrf", "-q --metrics bleu --metrics chrf --input hyp -- ref"),
        ("ref -i hyp -sl", "-sl --input hyp -- ref"),
        ("ref -i hyp -sv -1", "-sv -1 --input hyp -- ref"),
        ("ref -i hyp -sv=0.1", "-sv 0.1 --input hyp -- ref"),
        ("ref -i hyp -tok intl", "-tok intl --input hyp -- ref"),
        ("ref -i hyp -tokintl", "-t okintl --input hyp -- ref"),
        ("ref -i hyp --width=2", "--width 2 --input hyp -- ref"),
        ("ref -i hyp --width=", "--width  --input hyp -- ref"),
        ("ref -i hyp -w -1", "-w -1 --input hyp -- ref"),
        ("ref -i hyp --quiet=1", "--quiet=1 --input hyp -- ref"),
        ("ref -i hyp --tok intl", "--tok --input hyp -- ref intl"),
        ("ref -i hyp -x", "-x --input hyp -- ref"),
        ("ref -i hyp -xyz", "-xyz --input hyp -- ref"),
        ("ref -i hyp -o a.json -o b.md", "-o a.json -o b.md --input hyp -- ref"),
    ],
)
def test_options(line: str, rewritten: str) -> None:
    """Options keep their values, short ones may be one word, and unknown ones are left to click."""
    assert read(line) == rewritten


@pytest.mark.parametrize("option", ["-w", "--width", "-o", "-tok", "-bw", "-r"])
def test_option_without_its_value(option: str) -> None:
    """An option at the end that lacks its value is an error, and takes no other word for it."""
    with pytest.raises(UsageError, match=rf"{option.replace('-bw', '-w')} needs a value"):
        read(f"ref -i hyp {option}")


def test_every_option_is_known() -> None:
    """Every spelling of every option goes through with its value, so that none is taken for a file."""
    for spelling, takes in ARITY.items():
        if takes == 1:
            assert read(f"ref -i hyp {spelling} value").startswith(f"{spelling} value --input hyp -- ref")
        if takes == 0:
            assert read(f"ref {spelling} ref2 -i hyp") == f"{spelling} --input hyp -- ref ref2"
    assert {spelling for spelling, takes in ARITY.items() if takes < 0} == {
        "-i",
        "--input",
        "-m",
        "--metrics",
        "--echo",
    }


PLAIN = st.sampled_from(["ref", "hyp", "x", "-", "--", "bleu", "chrf", "2", "-1", "=", ""])
OPTIONS = st.sampled_from(["-i", "-m", "-b", "-w", "-r", "-t", "-l", "-tok", "--tok", "--echo", "--width="])
GLUED = st.sampled_from(["-bw2", "-bi", "-ix", "-qm", "--input=a", "-=", "--="])


@settings(max_examples=400, deadline=None)
@given(st.lists(PLAIN | OPTIONS | GLUED, max_size=8))
def test_any_words(words: list[str]) -> None:
    """Whatever the words, they come out rewritten, none of the files lost or doubled, or as a usage error."""
    with suppress(UsageError):
        found = rewrite(words, ARITY, FILES.__contains__)
        assert [found.count(file) for file in FILES] == [words.count(file) for file in FILES]


# --- Commands


@pytest.mark.parametrize(
    ("words", "name", "rest"),
    [
        ([], "mtscore", []),
        (["ref", "-i", "hyp"], "mtscore", ["ref", "-i", "hyp"]),
        (["score", "ref"], "mtscore score", ["ref"]),
        (["score", "score"], "mtscore score", ["score"]),
        (["signature", "x"], "mtscore signature", ["x"]),
        (["ref", "signature"], "mtscore", ["ref", "signature"]),
        (["-b", "signature"], "mtscore", ["-b", "signature"]),
        (["./signature"], "mtscore", ["./signature"]),
        (["--", "signature"], "mtscore", ["--", "signature"]),
        (["Signature"], "mtscore", ["Signature"]),
    ],
)
def test_only_the_first_word_is_a_command(words: list[str], name: str, rest: list[str]) -> None:
    """The very first word can be a command, an option or any other word means `score`."""
    found, left, program = find_command(words)
    assert (program, left) == (name, rest)
    assert found.name == (name.removeprefix("mtscore").strip() or "score")


def test_command_that_is_a_file(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file has the name of a command, the error says how to write either."""
    monkeypatch.chdir(str(tmp_path))
    with open("signature", "w", encoding="utf-8") as file:  # the folder is the current one
        file.write("a\n")
    with pytest.raises(
        UsageError, match=r"signature is a command and a file here \(the file is \./signature;"
    ):
        find_command(["signature", "-i", "hyp"])
    assert find_command(["score", "signature"])[1] == ["signature"]
