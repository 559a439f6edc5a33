"""The help pages, of commands and of Python: all of one form, and every example runs as it stands there.

The examples of a page are run in order, by a shell, in a folder with files of the names that they use. Test
sets that would be downloaded end in the error that says so, since tests use no network.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from conftest import run

import mtscore
from mtscore import assets
from mtscore.cli import COMMANDS

MINI = Path(__file__).parents[1] / "testsets" / "mini"
PAGES = [
    *COMMANDS,
    *(f"testsets {name}" for name in ("list", "show", "get", "add", "echo", "cite")),
    *(f"signature {name}" for name in ("explain", "compare")),
]
WIDTH = 80
SECTION = re.compile(r"^(\S.*):$", re.MULTILINE)


@cache
def page(command: str) -> str:
    """Return the help page of a command."""
    done = run(*command.split(), "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("utf-8")


def sections(command: str) -> dict[str, str]:
    """Return the sections of a page by their titles, in order."""
    _, *parts = SECTION.split(page(command))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def examples(command: str) -> list[str]:
    """Return the command lines of a page's last section; a backslash continues one on the next line."""
    lines = sections(command)["Examples"].replace("\\\n", " ").strip().split("\n")
    return [line.strip() for line in lines]


# --- Form ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", PAGES)
def test_all_pages_have_one_form(command: str) -> None:
    """A page has the usage, what the command does, options in named groups, and examples at its end."""
    assert page(command).startswith(f"Usage: mtscore {command} [OPTIONS]")
    titles = list(sections(command))
    assert "Options" not in titles
    assert "Other" in titles
    assert titles[-1] == "Examples"
    assert all(line.startswith("mtscore ") for line in examples(command))


@pytest.mark.parametrize("command", PAGES)
def test_pages_fit_a_terminal(command: str) -> None:
    """Only examples, which must be copied as they are, take more than 80 columns."""
    text = page(command).partition("\nExamples:\n")[0]
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("command", PAGES)
def test_every_option_says_what_it_does(command: str) -> None:
    """No option and no command of a page stands there without a word, and none is cut off."""
    text = page(command)
    rows = re.findall(r"^  (-.*|[a-z-]+(?=  ))(?:  +(.*)|\n {5,}(.*))$", text, re.MULTILINE)
    assert rows
    assert all(same_line or next_line for _, same_line, next_line in rows)
    assert "..." not in "".join(same_line for _, same_line, _ in rows)


def test_the_first_page_leads_to_all_others() -> None:
    """`mtscore --help` names every command, every variable of the environment that counts, and completion."""
    text = run("--help").stdout.decode("utf-8")
    others = sections("score")["Other commands (mtscore COMMAND --help)"]
    assert re.findall(r"^  ([a-z-]+)  ", others, re.MULTILINE) == [
        name for name in COMMANDS if name != "score"
    ]
    assert text.partition("\n")[2] == page("score").partition("\n")[2]
    for variable in ("MTSCORE_FORMAT", assets.CACHE_VARIABLE, assets.OFFLINE_VARIABLE, "NO_COLOR"):
        assert variable in text
    assert "_MTSCORE_COMPLETE=bash_source" in text


@pytest.mark.parametrize("name", sorted({*mtscore.__all__} - {"__version__"}))
def test_every_public_name_is_explained(name: str) -> None:
    """`help(mtscore.NAME)` begins with a sentence, and the classes show how they are called."""
    explanation = inspect.getdoc(getattr(mtscore, name)) or ""
    assert re.match(r"[A-Z].*[.:]$", explanation.splitlines()[0])
    if name in {"BLEU", "CHRF", "TER", "WER", "Signature", "evaluate_systems", "references_by_segment"}:
        assert ">>> " in explanation


# --- Examples -----------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files that the examples name, and a program `mtscore` in `bin`."""
    text = {name: (MINI / name).read_text("utf-8") for name in ("ref.A.de", "hyp.good.de", "hyp.poor.de")}
    reference, good, poor = text.values()
    words = [len(line.split()) for line in reference.splitlines()]
    logprobs = "".join(" ".join(["-1.5"] * (count + 1)) + "\n" for count in words)
    segments = range(1, len(words) + 1)
    files = {
        "ref.de": reference,
        "hyp.de": good,
        "base.de": poor,
        "new.de": good,
        "mine.de": good,
        "ref.en": reference,
        "hyp.A.en": good,
        "hyp.B.en": poor,
        "hyp.C.en": "".join(f"{line[: len(line) // 2]}\n" for line in good.splitlines()),
        "scores.txt": "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0 = 43.2\n",
        "mine.toml": (
            'name = "mine"\ndescription = "Mine."\nformat = "plain"\npairs = ["en-de"]\n'
            '[files]\nsrc = "ref.en"\nref = "ref.de"\n'
            f'[sha256]\n"ref.en" = "{digest(reference)}"\n"ref.de" = "{digest(reference)}"\n'
        ),
        "Downloads/sacrebleu_tokenizer_spm.model": "a model",
        "ref.lp": "".join(f"-{count}.5\n" for count in words),
        "hyp.lp": "".join(f"-{count + i % 3 - 1}.5\n" for i, count in enumerate(words)),
        "scores.tsv": "ref_logprob\thyp_logprob\tref_text\thyp_text\tref_tokens\thyp_tokens\n"
        + "".join(f"-{i}\t-{i % 7 + 5}\tright\t{'right' if i % 5 else 'wrong'}\t9\t8\n" for i in segments),
        **dict.fromkeys(("model.lp", "a.lp", "b.lp"), logprobs),
        "dev.txt": reference,
        "train.txt": good,
        "vocab.txt": "".join(f"{word}\n" for word in sorted(set(reference.split()))),
        "table.csv": "system,score,BLEU,chrF\na,70,30.1,55\nb,60,28.2,54\nc,65,29.9,56\nd,30,20.0,40\n",
        "systems.tsv": "system z BLEU TER\na 0.3 30 50\nb 0.1 28 55\nc 0.2 29 53\nd -1 20 70\n",
        "wmt22.zh-en.seg.csv": "SYS SID Z.SCR\n"
        + "".join(f"{name} {i} {i % 5 + rank}\n" for rank, name in enumerate("CBA") for i in segments),
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
    program = tmp_path / "bin" / "mtscore"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mtscore "$@"\n')
    program.chmod(0o755)
    return tmp_path


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def shell(lines: list[str], folder: Path) -> list[tuple[int, str]]:
    """Run command lines one after the other, and return the exit code and all output of each."""
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        assets.CACHE_VARIABLE: str(folder / "cache"),
        assets.OFFLINE_VARIABLE: "1",
    }
    script = "".join(f"{{ {line}; }} 2>&1\nprintf '\\036%d\\036' $?\n" for line in lines)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    pieces = done.stdout.decode("utf-8").split("\036")
    return [(int(code), output) for output, code in zip(pieces[:-1:2], pieces[1::2], strict=True)]


ANSWERS_NO = re.compile(r"mtscore (reproduce|signature compare) ")
"""Commands whose answer may be no: the published scores of the examples are not those of our files."""

DOWNLOADS = re.compile(r"testsets (get|echo wmt)|t\.wmt17")


@pytest.mark.parametrize("command", PAGES)
def test_examples_run(command: str, folder: Path) -> None:
    """Every example succeeds on files of such names, or says that it would have to download something."""
    lines = examples(command)
    if "report.json" in lines[-1]:  # which `mtscore reproduce` reads
        shell(["mtscore score ref.de -i hyp.de -o report.json"], folder)
    for line, (code, output) in zip(lines, shell(lines, folder), strict=True):
        if code == 2 and "pip install 'mtscore[" in output:
            pytest.skip(f"an extra is not installed: {output}")
        if DOWNLOADS.search(line):
            assert (code, "downloads are switched off" in output) == (3, True), f"{line}\n{output}"
        else:
            allowed = {0, 1} if ANSWERS_NO.match(line) else {0}
            assert code in allowed, f"{line}\n{output}"
            assert "error" not in output
