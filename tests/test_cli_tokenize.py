"""`mtscore tokenize`: the tokens that BLEU sees, and the list of tokenizers."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import read_lines, run
from hypothesis import given
from hypothesis import strategies as st

from mtscore.cli import main
from mtscore.cli import tokenize as subject
from mtscore.metrics.base import CHUNK_SEGMENTS
from mtscore.tokenizers import TOKENIZERS, tokenizer
from mtscore.vocabulary import tokenise

if TYPE_CHECKING:
    from collections.abc import Iterator

MINI = Path(__file__).parents[1] / "testsets" / "mini"
BUILT_IN = [name for name, entry in TOKENIZERS.items() if entry.extra is None]
AWKWARD = [
    "",
    "",
    "  a-b 3.5, x..5",
    "«Ω» ΑΣ.",
    "我们 ok。",
    "a\u2028b\x85c\x0cd",
    "<skipped>&amp;lt;",
    "",
    "İ",
    "",
]


def tokens_of(
    text: bytes, *arguments: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> bytes:
    """Run `mtscore tokenize` on a standard input, which must succeed in silence, and return its output."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    code = main(["tokenize", *arguments])
    captured = capsysbinary.readouterr()
    assert (code, captured.err) == (0, b"")
    return captured.out


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_are_those_of_the_definition(
    name: str,
    *,
    lowercase: bool,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line has the tokens of the tokenizer's definition, with one space between them."""
    lines = [*AWKWARD, *read_lines(MINI / "hyp.good.de"), *read_lines(MINI / "ref.A.es")]
    expected = [" ".join(tokenizer(name)(line.lower() if lowercase else line)) for line in lines]
    text = "\n".join([*lines, ""]).encode()
    arguments = ["-tok", name, *(["-lc"] if lowercase else [])]
    found = tokens_of(text, *arguments, capsysbinary=capsysbinary, monkeypatch=monkeypatch)
    assert found.decode() == "\n".join([*expected, ""])


@given(st.lists(st.text("ab,. 3\t世\u2028", max_size=9), min_size=1))
def test_joining_loses_nothing(lines: list[str]) -> None:
    """What is joined splits into the same tokens, and there is a line for each segment."""
    joined = subject.joined(tokenise(lines, tokenizer("13a"))).decode()
    assert [line.split(" ") if line else [] for line in joined.split("\n")] == [
        *map(tokenizer("13a"), lines),
        [],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"a.", b"a .\n"),
        (b"a.\r\n\r\nb\r\n", b"a .\n\nb\n"),
        (b"\xef\xbb\xbfa\n", b"a\n"),
        (b"a\rb\xe2\x80\xa8c\n", b"a b c\n"),
        (gzip.compress(b"a.\n", mtime=0), b"a .\n"),
    ],
)
def test_one_line_a_segment(
    text: bytes,
    expected: bytes,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a newline ends a segment; empty ones stay, and input is read as for scoring."""
    assert tokens_of(text, capsysbinary=capsysbinary, monkeypatch=monkeypatch) == expected


def test_long_input_goes_by_in_chunks(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a chunk ends makes no difference."""
    count = 2 * CHUNK_SEGMENTS + 1
    text = b"".join(b"%d, x\n" % number if number % 3 else b"\n" for number in range(count))
    found = tokens_of(text, capsysbinary=capsysbinary, monkeypatch=monkeypatch)
    assert found == text.replace(b",", b" ,")


def test_files_follow_each_other(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several files are printed one after the other, `-` being standard input."""
    (tmp_path / "a").write_text("a.")
    (tmp_path / "b").write_bytes("é!".encode("latin-1"))
    files = [str(tmp_path / "a"), "-", str(tmp_path / "b")]
    found = tokens_of(b"c?\n", *files, "-e", "latin-1", capsysbinary=capsysbinary, monkeypatch=monkeypatch)
    assert found.decode() == "a .\nc ?\né !\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "我们 , ok"),
        (("-l", "en-de"), "我们 , ok"),
        (("-l", "en-zh_CN"), "我 们 , ok"),
        (("-l", "en-zh", "-tok", "char"), "我 们 , o k"),
    ],
)
def test_default_tokenizer(
    arguments: tuple[str, ...],
    expected: str,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without `-tok` the target language chooses, and without a language it is 13a."""
    found = tokens_of("我们, ok".encode(), *arguments, capsysbinary=capsysbinary, monkeypatch=monkeypatch)
    assert found.decode() == f"{expected}\n"


def test_japanese(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer that a library defines prints its tokens like any other."""
    pytest.importorskip("MeCab", reason="needs the extra ja")
    text = "すもももももももものうち。\n\n".encode()
    found = tokens_of(text, "-l", "en-ja", capsysbinary=capsysbinary, monkeypatch=monkeypatch)
    assert found.decode() == "すもも も もも も もも の うち 。\n\n"


def test_the_list(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The list shows names, versions, extras, whether they are there, and how to get them, in 80 columns."""
    monkeypatch.setattr(subject, "find_spec", lambda name: None if name == "ipadic" else find_spec("json"))
    assert main(["tokenize", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tokenizer  version  extra  met  for"
    assert [line.split()[0] for line in lines[1 : 1 + len(TOKENIZERS)]] == list(TOKENIZERS)
    assert "13a        1               yes  Western languages: the default" in lines
    assert "ja-mecab   1        ja     no   Japanese: MeCab" in lines
    assert "ko-mecab   1        ko     yes  Korean: mecab-ko" in lines
    assert "extra ja: pip install 'mtscore[ja]'" in lines
    assert max(map(len, lines)) <= 80


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON each tokenizer is an object with the same keys, true to what is installed here."""
    assert main(["tokenize", "--list", "-f", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(TOKENIZERS)
    assert rows["13a"] == {
        "name": "13a",
        "version": tokenizer("13a").version,
        "about": "Western languages: the default",
        "extra": None,
        "packages": [],
        "install": None,
        "met": True,
    }
    assert rows["ja-mecab"]["install"] == "pip install 'mtscore[ja]'"
    assert rows["ja-mecab"]["met"] == all(find_spec(name) for name in ("MeCab", "ipadic"))


@pytest.fixture
def without_mecab(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make MeCab a package that is not installed."""
    tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "MeCab", None)
    yield
    tokenizer.cache_clear()


def test_a_missing_extra(without_mecab: None, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing package is one line with the quoted pip command."""
    assert main(["tokenize", "-tok", "ja-mecab"]) == 2
    assert capsys.readouterr() == (
        "",
        "mtscore: error: tokenizer ja-mecab needs an optional package (pip install 'mtscore[ja]')\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-tok", "13b"], "unknown tokenizer '13b' (did you mean 13a?)"),
        (["-tok", "ja"], "unknown tokenizer 'ja' (known: "),
        (["-l", "en"], "-l: language pair 'en' is not of the form src-trg (for example en-de)"),
        (["good", "nowhere"], "nowhere: no such file"),
        (["-f", "json"], "-f/--format: is for --list: tokens are text"),
        (["--list", "-f", "xml"], "--format: unknown format 'xml' (known: text, json)"),
        (
            ["bad"],
            "bad:2: not valid UTF-8 at byte 2 (0xe9) (if the text has another encoding, name it with -e",
        ),
        (["good", "-e", "utf-9"], "unknown encoding 'utf-9'"),
    ],
)
def test_bad_input(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every mistake is one line on standard error, nothing on standard output, and exit code 2."""
    monkeypatch.chdir(tmp_path)
    Path("good").write_text("a\n")
    Path("bad").write_bytes(b"a\nb\xe9\n")
    code = main(["tokenize", *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"mtscore: error: {message}")
    assert err.count("\n") == 1


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    """When the reader of the output closes the pipe, the program ends in silence with 141."""
    (tmp_path / "long").write_text("a.\n" * 500_000)
    command = [sys.executable, "-m", "mtscore", "tokenize", str(tmp_path / "long")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"a .\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_as_a_user_runs_it() -> None:
    """The program reads standard input and writes UTF-8 to standard output, whatever the locale."""
    done = run(
        "tokenize",
        stdin="„Ja“, sagte sie.".encode(),
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""},
    )
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "„Ja“ , sagte sie .\n", b"")
