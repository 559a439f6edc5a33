"""The JSON as scripts take it apart: one-liners with jq, as users type them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import run

pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")

MINI = Path(__file__).parents[1] / "testsets" / "mini"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a reference R, a good system A, a poor one B, and the program."""
    for name, file in {"R": "ref.A.de", "A": "hyp.good.de", "B": "hyp.poor.de"}.items():
        shutil.copy(MINI / file, tmp_path / name)
    program = tmp_path / "mtscore"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mtscore "$@"\n')
    program.chmod(0o755)
    return tmp_path


def shell(line: str, folder: Path) -> tuple[int, str]:
    """Return the exit code and the output of a command line."""
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    environment.pop("MTSCORE_FORMAT", None)
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def test_the_score_of_one_system(folder: Path) -> None:
    """One system and one metric are an object with a number in full precision."""
    code, output = shell("mtscore R -i A -f json | jq .score", folder)
    assert (code, round(float(output), 6)) == (0, 43.192773)


def test_a_table_of_systems(folder: Path) -> None:
    """JSON lines filter by metric and become columns."""
    line = "mtscore R -i A B -m bleu chrf -f jsonl | jq -r 'select(.name==\"BLEU\") | [.system,.score]|@tsv'"
    code, output = shell(line, folder)
    rows = [row.split("\t") for row in output.splitlines()]
    assert code == 0
    assert [(name, round(float(score), 1)) for name, score in rows] == [("A", 43.2), ("B", 14.4)]


@pytest.mark.parametrize(("systems", "code", "worse"), [("A B", 0, ["B"]), ("B A", 4, [])])
def test_significant_losses(folder: Path, systems: str, code: int, worse: list[str]) -> None:
    """Systems that are significantly worse than the baseline are found, and jq's exit code says if any is."""
    line = f"mtscore R -i {systems} -par -parn 1000 -f jsonl | jq -ec 'select(.significant and .delta<0)'"
    found, output = shell(line, folder)
    assert found == code
    assert [json.loads(row)["system"] for row in output.splitlines()] == worse


@pytest.mark.parametrize(("systems", "passed", "names"), [("A B", "false", "BLEU\n"), ("B A", "true", "")])
def test_gates_of_a_report(folder: Path, systems: str, passed: str, names: str) -> None:
    """A report says which gates failed, and as a whole whether all passed."""
    assert run("R", "-i", *systems.split(), "--max-drop", "bleu=1", "-o", "score.json", cwd=folder).stdout
    assert shell("jq -r '.gates[]|select(.passed|not)|.name' score.json", folder) == (0, names)
    assert shell("jq -e .passed score.json", folder) == (int(passed == "false"), f"{passed}\n")


def test_warnings_of_a_report(folder: Path) -> None:
    """A report has the codes of all warnings."""
    lines = (folder / "A").read_text("utf-8").splitlines()
    (folder / "tokenised").write_text("".join(f"{line.rstrip('.')} .\n" for line in lines), "utf-8")
    assert run("R", "-i", "tokenised", "-o", "score.json", cwd=folder).returncode == 0
    line = "jq -r '.messages[]|select(.level==\"warning\").code' score.json"
    assert shell(line, folder) == (0, "tokenised-hypothesis\n")
