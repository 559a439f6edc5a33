"""Completion in the shell: what bash offers for the word at the end of an unfinished command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from conftest import run

from mtscore.catalog import catalogue
from mtscore.cli import COMMANDS
from mtscore.metrics import METRICS
from mtscore.report import FORMATS
from mtscore.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from pathlib import Path


def completions(line: str) -> list[str]:
    """Return the completions of the last word of a line, as `type,word`."""
    words = ["mtscore", *line.split(" ")]
    asked = {
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_MTSCORE_COMPLETE": "bash_complete",
    }
    done = run(env={**os.environ, **asked})
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


def plain(*words: str) -> list[str]:
    """Return words as bash is to take them."""
    return [f"plain,{word}" for word in words]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", plain(*COMMANDS)),
        ("re", plain("reproduce")),
        ("signature ", plain("compare", "explain")),
        ("testsets e", plain("echo")),
        ("testsets no-such-command ", plain("add", "cite", "echo", "get", "list", "show")),
    ],
)
def test_commands(line: str, expected: list[str]) -> None:
    """The first word, and that behind a group, is completed to a command."""
    assert completions(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--fail", plain("--fail-under", "--fail-over", "--fail-on-regression")),
        ("score ref --sig", plain("--signature-style")),
        ("ref -i hyp --sig", plain("--signature-style")),
        ("reproduce --pub", plain("--published")),
        ("testsets echo --or", plain("--origlang")),
        ("perplexity --un", plain("--unit", "--unk-cutoff")),
    ],
)
def test_options(line: str, expected: list[str]) -> None:
    """A word with dashes is completed to an option of its command, also where `score` is not written."""
    assert completions(line) == expected


@pytest.mark.parametrize(
    "line", ["-t wmt21", "-l zh-en -t wmt21", "--download wmt21", "testsets get mini wmt21"]
)
def test_test_sets(line: str) -> None:
    """A test set is completed behind -t and in the commands about test sets."""
    expected = plain(*(name for name in catalogue.names() if name.startswith("wmt21")))
    assert len(expected) > 1
    assert completions(line) == expected


def test_several_test_sets() -> None:
    """Behind a comma the next test set is completed, and those before it stay."""
    assert completions("-t mini,wmt21/A") == plain("mini,wmt21/AB", "mini,wmt21/AC")


@pytest.mark.parametrize("line", ["ref -m ", "ref -i hyp -m bleu ", "ref -ci -m bleu ter "])
def test_metrics(line: str) -> None:
    """Every word behind -m is completed to a metric, not only the first."""
    assert completions(line) == plain(*METRICS)


@pytest.mark.parametrize("line", ["ref -tok ", "tokenize -tok ", "explain --tokenize "])
def test_tokenizers(line: str) -> None:
    """A tokenizer is completed wherever one is chosen."""
    assert completions(line) == plain(*TOKENIZERS)


@pytest.mark.parametrize(
    ("line", "expected"), [("ref -f ", plain(*FORMATS)), ("testsets list -f ", plain("text", "json"))]
)
def test_formats(line: str, expected: list[str]) -> None:
    """A format is completed to those that the command knows."""
    assert completions(line) == expected


@pytest.mark.parametrize(
    "line", ["ref.", "ref -i h", "ref -m bleu -i a h", "reproduce rep", "ref -o out/", "tokenize f"]
)
def test_files(line: str) -> None:
    """What may be a file is left to the shell, which knows the files."""
    assert completions(line) == [f"file,{line.rpartition(' ')[2]}"]


def test_in_bash(tmp_path: Path) -> None:
    """The line that the help gives switches completion on in bash."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "mtscore"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mtscore "$@"\n')
    program.chmod(0o755)
    page = run("--help").stdout.decode()
    [line] = [line for line in page.splitlines() if "_MTSCORE_COMPLETE" in line]
    script = f"{line}\nCOMP_WORDS=(mtscore ref -m chrf+); COMP_CWORD=3\n_mtscore_completion mtscore\n"
    done = subprocess.run(
        [bash, "-c", script + 'complete -p mtscore; echo "${COMPREPLY[@]}"'],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == "complete -o nosort -F _mtscore_completion mtscore\nchrf+ chrf++\n"
