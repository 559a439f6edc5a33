"""What the tests share: where the evaluation data lies, and how to run the program."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared"
"""Evaluation data that is not part of the project; tests that need it skip where it is absent."""


def shared(*parts: str) -> Path:
    """Return the path of a shared file, or skip the test that asks for it."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the evaluation data is not here: {'/'.join(parts)}")
    return path


@cache
def read_lines(path: Path) -> list[str]:
    """Return the lines of a file as the field reads them: split at newlines only, trailing blanks cut."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    if lines[-1] == "":
        del lines[-1]
    return [line.rstrip() for line in lines]


@cache
def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return json.loads(path.read_text("utf-8"))


def run(
    *arguments: str | Path,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a user does, in a process of its own."""
    command = [sys.executable, "-m", "mtscore", *map(str, arguments)]
    return subprocess.run(command, input=stdin or b"", capture_output=True, cwd=cwd, env=env, check=False)
