"""Options that several commands have mean the same in all of them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from mtscore.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SIGNATURE = "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0"

COMMANDS = [
    ["score", "ref", "-i", "hyp"],
    ["score", "--list", "-l", "en-de"],
    ["explain", "ref", "-i", "hyp", "--line", "1"],
    ["tokenize", "--list"],
    ["testsets", "-l", "en-de"],
    ["testsets", "list"],
    ["testsets", "show", "mini"],
    ["reproduce", f"{SIGNATURE} = 100.0", "ref", "-i", "ref"],
    ["signature", "explain", SIGNATURE],
    ["signature", "compare", SIGNATURE, SIGNATURE],
    ["search-errors", "--ref-logprob", "lp", "--hyp-logprob", "lp"],
    ["perplexity", "lp"],
]
"""A command line of everything that has -f."""

each_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a reference, a hypothesis and log-probabilities."""
    (tmp_path / "ref").write_text("the cat sat on the mat\n")
    (tmp_path / "hyp").write_text("the cat is on the mat\n")
    (tmp_path / "lp").write_text("-1.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTSCORE_FORMAT", raising=False)


def answer(command: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return what a command that succeeds prints."""
    assert main(command) == 0
    return capfd.readouterr().out


@each_command
def test_the_environment_chooses_the_format(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """MTSCORE_FORMAT=json does what -f json does, in every command, and -f text undoes it."""
    text, as_json = (answer([*command, "-f", form], capfd) for form in ("text", "json"))
    json.loads(as_json)
    monkeypatch.setenv("MTSCORE_FORMAT", "json")
    assert answer(command, capfd) == as_json
    assert answer([*command, "-f", "text"], capfd) == text
    assert text != as_json


@pytest.mark.parametrize("command", COMMANDS[1:], ids=" ".join)
def test_a_format_of_other_commands_is_passed_over(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where MTSCORE_FORMAT names a format that a command lacks, the command has its usual one."""
    usual = answer(command, capfd)
    monkeypatch.setenv("MTSCORE_FORMAT", "latex")
    assert answer(command, capfd) == usual


@each_command
def test_an_unknown_format_is_an_error(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A format that no command has is an error wherever it is named, in the environment too."""
    assert main([*command, "-f", "jsn"]) == 2
    assert capfd.readouterr().err == (
        "mtscore: error: --format: unknown format 'jsn' (did you mean json or jsonl?)\n"
        if command[0] == "score"
        else "mtscore: error: --format: unknown format 'jsn' (did you mean json?)\n"
    )
    monkeypatch.setenv("MTSCORE_FORMAT", "jsn")
    assert main(command) == 2
    assert capfd.readouterr().err.startswith("mtscore: error: MTSCORE_FORMAT: unknown format 'jsn' (did you")


def test_a_format_for_nothing_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Tokens have no format, so that -f is refused beside them, but not what the environment says."""
    assert main(["tokenize", "ref", "-f", "json"]) == 2
    assert "is for --list" in capfd.readouterr().err
    monkeypatch.setenv("MTSCORE_FORMAT", "json")
    assert answer(["tokenize", "ref"], capfd) == "the cat sat on the mat\n"


def test_options_of_a_group_stand_behind_the_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`testsets -f json show` is refused, since -f is the listing's, but not what the environment says."""
    assert main(["testsets", "-f", "json", "show", "mini"]) == 2
    assert "options stand behind the command (mtscore testsets show …)" in capfd.readouterr().err
    monkeypatch.setenv("MTSCORE_FORMAT", "json")
    assert json.loads(answer(["testsets", "show", "mini"], capfd))["name"] == "mini"


@pytest.mark.parametrize(
    "command",
    [
        ["score", "ref", "-i", "hyp"],
        ["explain", "ref", "-i", "hyp", "--line", "1"],
        ["tokenize", "ref"],
        ["perplexity", "lp"],
    ],
    ids=" ".join,
)
def test_the_encoding_is_checked(command: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """An unknown encoding is an error with an example, whatever reads the files."""
    assert main([*command, "-e", "utf-9"]) == 2
    assert "unknown encoding 'utf-9' (for example utf-8" in capfd.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["score", "ref", "-i", "hyp"], ["explain", "ref", "-i", "hyp", "--line", "1"], ["tokenize", "ref"]],
    ids=" ".join,
)
def test_models_come_from_the_named_cache(
    command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What needs a tokenizer's model looks in the folder that --cache names, with --offline only there."""
    pytest.importorskip("sentencepiece")
    assert main([*command, "-tok", "flores200", "--offline", "--cache", str(tmp_path / "kept")]) == 3
    error = capfd.readouterr().err
    assert str(tmp_path / "kept") in error
    assert "downloads are switched off" in error


@pytest.mark.parametrize(
    "command",
    [
        ["score", "-", "-i", "-"],
        ["score", "ref", "-i", "-", "--groups", "-"],
        ["explain", "-", "-i", "-", "--line", "1"],
        ["tokenize", "-", "-"],
        ["reproduce", "-", "ref"],
        ["search-errors", "--ref-logprob", "-", "--hyp-logprob", "-"],
        ["perplexity", "-", "--text", "-"],
        ["correlate", "-", "--human-file", "-"],
    ],
    ids=" ".join,
)
def test_standard_input_is_read_once(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Standard input cannot stand for two files, nor for the claim and the hypotheses."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{SIGNATURE} = 100.0\n".encode())))
    assert main(command) == 2
    assert capfd.readouterr().err == "mtscore: error: -: standard input can be read once only\n"


class Terminal(io.TextIOWrapper):
    """A terminal at which somebody types lines."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["score", "ref"], "hypotheses"),
        (["score", "-", "-i", "hyp"], "lines"),
        (["explain", "-", "-i", "hyp", "--line", "1"], "lines"),
        (["tokenize"], "text"),
        (["reproduce", "-", "ref", "-i", "hyp"], "the claim"),
        (["search-errors", "--ref-logprob", "-", "--hyp-logprob", "lp"], "values"),
        (["perplexity", "-"], "lines"),
        (["correlate", "-"], "a table"),
    ],
    ids=str,
)
def test_nobody_waits_without_knowing(
    command: list[str], what: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A command that reads from a terminal says first what it reads, and how to end it."""
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(b"x\n")))
    main(command)
    first = capfd.readouterr().err.splitlines()[0]
    assert first == f"mtscore: reading {what} from the terminal, line by line; Ctrl-D ends"


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ("-l en-zho", "target language zho: tokenizer zh"),
        ("-l en-zh_TW", "target language zh_TW: tokenizer zh"),
        ("-l en-zh", None),
        ("-l en-de", None),
        ("-l en-zh -tok 13a", "the usual tokenizer for target language zh is zh"),
        ("-l en-zh -tok zh", None),
        ("-l en-zh -m chrf", None),
    ],
)
def test_the_tokenizer_of_a_language(
    options: str, note: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    """A code that is understood, and a tokenizer that is not the language's usual one, are noted."""
    assert main(["score", "ref", "-i", "hyp", *options.split(), "-v"]) == 0
    assert capfd.readouterr().err == ("" if note is None else f"mtscore: note: {note}\n")
