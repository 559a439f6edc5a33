"""The README does what it says: every command in it runs, and shows what it shows there.

All `console` blocks are one session of a reader who starts in a checkout. A line that is only `…` stands for
any number of lines, `…` within a line for anything. Test sets that would be downloaded end in the error that
says so, since tests use no network. The two commands that install are run by `.ci/run`.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLING = re.compile(r"^python3 -m venv .*$", re.MULTILINE)
DOWNLOADING = re.compile(r"-t wmt")


def blocks(language: str) -> list[str]:
    """Return the texts of the README's fenced blocks of one language."""
    return [
        match["text"] for match in FENCE.finditer(README.read_text("utf-8")) if match["language"] == language
    ]


@dataclass(frozen=True)
class Step:
    """Hold one command of the session and the output that the README shows for it."""

    command: str
    shown: str


def steps() -> list[Step]:
    """Return the commands of all `console` blocks; a backslash continues a command on the next line."""
    found = []
    for text in blocks("console"):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, shown = re.split(r"(?<!\\)\n", part, maxsplit=1)
            found.append(Step(command, shown))
    return found


def pattern(shown: str) -> re.Pattern[str]:
    """Return what an output must look like to be what the README shows."""
    lines = [
        "(?:.*\n)*" if line == "…\n" else ".*".join(map(re.escape, line.split("…")))
        for line in shown.splitlines(keepends=True)
    ]
    return re.compile("".join(lines))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder like a checkout with an environment in `.venv`."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PROJECT / "testsets" / "mini", folder / "testsets" / "mini")
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "mtscore").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mtscore "$@"\n')
    (programs / "mtscore").chmod(0o755)
    (programs / "activate").write_text(f'PATH="{programs}:$PATH"\n')
    return folder


def shell(script: str, folder: Path, **variables: str) -> str:
    """Run a script as a reader does, away from the network and from the reader's own files."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "MTSCORE_CACHE": str(folder / "cache"),
        "MTSCORE_OFFLINE": "1",
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8")


@pytest.fixture(scope="module")
def session(checkout: Path) -> dict[Step, tuple[int, str]]:
    """Return the exit code and the output of every command."""
    asked = steps()
    script = "".join(f"{step.command}\nprintf '\\036%d\\036' $?\n" for step in asked)
    pieces = shell(script, checkout).split("\036")
    return {step: (int(pieces[2 * i + 1]), pieces[2 * i]) for i, step in enumerate(asked)}


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.command[:60])
def test_a_command_prints_what_the_readme_shows(step: Step, session: dict[Step, tuple[int, str]]) -> None:
    """A command of the session succeeds with the output shown below it."""
    if "jq" in step.command and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    code, output = session[step]
    if DOWNLOADING.search(step.command):
        assert "downloads are switched off" in output
        assert code == 3
    else:
        as_shown = bool(pattern(step.shown).fullmatch(output))
        assert (as_shown, code) == (True, 0), f"{step.command}\n{output}"


def test_the_pipeline_runs_and_leaves_its_reports(checkout: Path) -> None:
    """The steps of the CI job succeed on a better system and write the reports that they name."""
    folder = checkout / "pipeline"
    folder.mkdir()
    for name, file in {"ref.de": "ref.A.de", "prod.de": "hyp.poor.de", "new.de": "hyp.good.de"}.items():
        shutil.copy(PROJECT / "testsets" / "mini" / file, folder / name)
    runs = [run for text in blocks("yaml") for run in re.findall(r"- run: (.*)", text)]
    script = "\n".join(["set -e", ". ../.venv/bin/activate", *(run for run in runs if "pip " not in run)])
    output = shell(f"{script}\necho done", folder, GITHUB_STEP_SUMMARY=str(folder / "page"))
    assert output.endswith("done\n"), output
    reports = re.findall(r"-o (\S+)", script)
    assert len(reports) == 3
    assert all((folder / report).stat().st_size for report in reports)
    assert (folder / "page").read_text("utf-8").startswith("### Translation quality")


def test_the_python_examples_give_what_they_show() -> None:
    """The Python session gives the values shown in it."""
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for text in blocks("python"):
        example = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
        assert example.examples
        runner.run(example, out=complaints.append)
    assert not complaints, "".join(complaints)


def test_the_two_commands_install_and_one_names_every_extra() -> None:
    """There are two commands that install, each in its own environment, and the second has all extras."""
    commands = INSTALLING.findall(README.read_text("utf-8"))
    assert [block.rstrip("\n") for block in blocks("bash")[:2]] == commands
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    assert f"'.[{','.join(sorted(extras))}]'" in commands[1]


def test_the_options_that_the_readme_names_exist() -> None:
    """Every long option in the README is in the help of some command."""
    names = ("score", "explain", "testsets", "tokenize", "reproduce", "signature")
    helps = "".join(
        subprocess.run(
            [sys.executable, "-m", "mtscore", name, "--help"], capture_output=True, check=True
        ).stdout.decode("utf-8")
        for name in names
    )
    mentioned = set(re.findall(r"(?<!\S)`?(--[a-z][a-z-]+)", README.read_text("utf-8")))
    assert {option for option in mentioned if option not in helps} == set()


def test_the_readme_stays_short() -> None:
    """The README has fewer than 200 lines."""
    assert len(README.read_text("utf-8").splitlines()) < 200
