"""Gates as a pipeline meets them: exit code 1, a line on stderr even when quiet, and all output complete."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mtscore.cli import main

MINI = Path(__file__).parents[1] / "testsets" / "mini"

REGRESSION = (
    "mtscore: gate failed: BLEU of poor is 14.43, 28.77 below good (43.19): "
    "p = 0.0010 < 0.05, paired AR, 1000 trials\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a reference, a good system and a poor one."""
    for name, file in {"ref": "ref.A.de", "good": "hyp.good.de", "poor": "hyp.poor.de"}.items():
        shutil.copy(MINI / file, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTSCORE_FORMAT", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("systems", "options", "code", "errors"),
    [
        ("good poor", "-parn 1000 --fail-on-regression", 1, REGRESSION),
        ("poor good", "-parn 1000 --fail-on-regression", 0, ""),
        ("poor good", "-parn 1000 --fail-on-regression --baseline good", 1, REGRESSION),
        ("good poor", "-parn 1000 --fail-on-regression --all-pairs", 1, REGRESSION),
        ("good", "--fail-under 43", 0, ""),
        ("good", "--fail-under BLEU=43.2 -w 1", 1, "BLEU of good is 43.19, below 43.2 (--fail-under)"),
        ("good poor", "-m bleu ter --fail-over ter=60", 1, "TER of poor is 68.6, above 60 (--fail-over)"),
        ("good poor", "-m bleu ter --fail-over ter=70 --fail-under bleu=14", 0, ""),
        ("good poor", "--max-drop 28", 1, "28.77 below good (43.19), more than 28 (--max-drop)"),
        ("good poor", "--max-drop bleu=29", 0, ""),
        ("poor good", "--max-drop 0", 0, ""),
    ],
)
def test_gates_decide_the_exit_code(
    systems: str, options: str, code: int, errors: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A failed gate is exit code 1 and a line, also under -q; passing is silent; scores come anyway."""
    for quiet in ([], ["-q"]):
        assert main(["score", "ref", "-i", *systems.split(), *options.split(), *quiet]) == code
        found = capfd.readouterr()
        assert [name for name in systems.split() if len(systems.split()) > 1 and name not in found.out] == []
        assert "BLEU" in found.out
        assert errors in found.err if errors else found.err == ""
        assert found.err.count("\n") == bool(errors)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--fail-under ter=50 -m ter", "--fail-under ter=50: for TER lower is better (--fail-over TER=50)"),
        ("--fail-over 50", "--fail-over 50: for BLEU higher is better (--fail-under BLEU=50)"),
        ("--fail-under 50 -m bleu chrf", "of which metric? write METRIC=V (computed: BLEU, chrF2)"),
        ("--fail-under chrf=50", "no metric 'chrf' is computed (computed: BLEU)"),
        ("--max-drop 1", "a comparison needs at least two systems"),
        ("--fail-on-regression", "a comparison needs at least two systems"),
    ],
)
def test_gates_that_make_no_sense(options: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A gate that cannot be judged is an error, not a gate that passes."""
    assert main(["score", "ref", "-i", "good", *options.split()]) == 2
    found = capfd.readouterr()
    assert message in found.err
    assert found.out == ""


def test_reports_are_complete_when_a_gate_fails(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Reports are written all the same, and each says which gate failed."""
    files = [word for name in ("r.json", "r.md", "r.xml") for word in ("-o", name)]
    assert main(["score", "ref", "-i", "good", "poor", "-parn", "1000", "--fail-on-regression", *files]) == 1
    assert "gate failed" in capfd.readouterr().err
    report = json.loads((folder / "r.json").read_text("utf-8"))
    assert (report["passed"], [row["system"] for row in report["rows"]]) == (False, ["good", "poor"])
    assert [(gate["gate"], gate["system"], gate["passed"]) for gate in report["gates"]] == [
        ("fail-on-regression", "poor", False)
    ]
    assert "❌ regression" in (folder / "r.md").read_text("utf-8").splitlines()[0]
    assert ET.parse(folder / "r.xml").getroot().get("failures") == "1"  # noqa: S314  # written by us


def test_a_page_of_markdown_names_its_inputs(folder: Path) -> None:
    """A Markdown report written by itself has the checksum of every input."""
    assert main(["score", "ref", "-i", "good", "-o", "r.md"]) == 0
    page = (folder / "r.md").read_text("utf-8")
    for name in ("good", "ref"):
        assert f"`{name}`: 48 lines, SHA-256 `{sha256((folder / name).read_bytes()).hexdigest()}`" in page


def test_a_drop_that_the_test_cannot_see_is_a_warning(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A drop of more than a point that is not significant passes, with a warning that says why."""
    for name in ("ref", "good", "poor"):
        lines = (folder / name).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:3]), "utf-8")
    assert main(["score", "ref", "-i", "good", "poor", "--fail-on-regression", "-parn", "1000"]) == 0
    assert "not significant on 3 segments: the test cannot see a drop this size" in capfd.readouterr().err
