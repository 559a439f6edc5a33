"""What users of such scorers trip over, case by case, as the command line and the library answer it."""

from __future__ import annotations

import base64
import io
import json
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest
from conftest import SHARED, shared

from mtscore._version import VERSION
from mtscore.cli import main
from mtscore.errors import MTScoreError
from mtscore.metrics.bleu import BLEU
from mtscore.signature import Signature

if TYPE_CHECKING:
    from pathlib import Path

Case = dict[str, Any]

SETTINGS_OF_THE_API = {
    "tokenize",
    "smooth_method",
    "smooth_value",
    "max_ngram_order",
    "lowercase",
    "trg_lang",
}


def cases_of_bleu() -> list[Case]:
    """Return the cases about corpus BLEU, or one that skips where the evaluation data is absent."""
    file = SHARED / "cases.json"
    if not file.exists():
        return [{"id": "absent", "cmd": "", "expected": {}, "with_empty_refs_missing": {}}]
    return [case for case in json.loads(file.read_text("utf-8")) if case["issue"] == 1]


def named(cases: list[Case]) -> list[Any]:
    """Return cases as parameters of tests that go by the cases' names."""
    return [pytest.param(case, id=case["id"]) for case in cases]


ON_COMMAND_LINE = [case for case in cases_of_bleu() if "cmd" in case]
WITH_ANSWER = [case for case in ON_COMMAND_LINE if "error" not in case["expected"]]
WITH_MISSING = [case for case in ON_COMMAND_LINE if "with_empty_refs_missing" in case]
IN_LIBRARY = [case for case in cases_of_bleu() if "cmd" not in case]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of one's own, without settings from the environment."""
    shared("cases.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTSCORE_FORMAT", raising=False)
    return tmp_path


@pytest.mark.parametrize("case", named(ON_COMMAND_LINE))
def test_command_line(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The command line of the case, as it was typed for sacreBLEU, has the expected answer."""
    words, stdin = set_up(case, folder)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    code = main(words)
    found = capsysbinary.readouterr()
    if "error" in case["expected"]:
        assert (code, found.out) == (2, b"")
        assert found.err.startswith(b"mtscore: error: ")
        assert found.err.count(b"\n") == 1
        assert words_of(case["expected"]["error"]) <= words_of(found.err.decode())
        return
    assert code == 0
    numbers = [float(line) for line in found.out.split()]
    wanted = case["expected"].get("scores") or [case["expected"]["score"]]
    assert numbers == pytest.approx(wanted, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("case", named(WITH_ANSWER))
def test_json(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The JSON rows of the case have its numbers at full precision, its counts and its settings."""
    words, stdin = set_up(case, folder)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    words = re.sub(r" -b| -w \d+", "", " ".join(words)).split()
    assert main([*words, "-f", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    assert [row["score"] for row in rows] == pytest.approx(
        case["expected"].get("scores") or [case["expected"]["score"]], rel=1e-9
    )
    check_fields(rows[0], case)


@pytest.mark.parametrize("case", named(WITH_MISSING))
def test_missing_references(case: Case, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Where empty lines are no references on request, the numbers are those of the others."""
    words, _ = set_up(case, folder)
    assert main([*words[: words.index("-b")], "--empty-refs-missing", "-f", "json"]) == 0
    row = json.loads(capsysbinary.readouterr().out)
    for field, wanted in case["with_empty_refs_missing"].items():
        assert row[field] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("case", named(IN_LIBRARY))
def test_library(case: Case, folder: Path) -> None:
    """The library gives the expected numbers, or raises the expected error."""
    options = {key: value for key, value in case["options"].items() if key in SETTINGS_OF_THE_API}
    if "error" in case["expected"]:
        with pytest.raises(MTScoreError) as caught:
            score_by_library(case, options)
        assert words_of(case["expected"]["error"]) <= words_of(str(caught.value))
        return
    score = BLEU(**options).corpus_score(case["hyp"], case["refs"])
    assert score.score == pytest.approx(case["expected"]["score"], rel=1e-9)
    check_fields({**score.details, "signature": str(score.signature)}, case)


def score_by_library(case: Case, options: dict[str, Any]) -> object:
    """Score as the case says: one sentence if its references are a string."""
    if isinstance(case["refs"], str):
        return BLEU(**options).sentence_score(case["hyp"][0], case["refs"])
    return BLEU(**options).corpus_score(case["hyp"], case["refs"])


def set_up(case: Case, folder: Path) -> tuple[list[str], bytes]:
    """Write the files of a case; return the words of its command line, and standard input."""
    raw = case.get("hyp_raw", "".join(f"{line}\n" for line in case["hyp"])).encode()
    hypotheses = base64.b64decode(case["hyp_b64"]) if "hyp_b64" in case else raw
    (folder / "hyp").write_bytes(hypotheses)
    references = case.get("refs_raw") or ["".join(f"{line}\n" for line in lines) for lines in case["refs"]]
    for number, text in enumerate(references):
        (folder / f"ref{number}").write_bytes(text.encode())
    program, *words = shlex.split(case["cmd"])
    assert program == "sacrebleu"
    if "<" in words:
        return words[: words.index("<")], hypotheses
    return words, b"this is not read"


def check_fields(row: dict[str, Any], case: Case) -> None:
    """Assert that counts, lengths and settings are the expected ones."""
    expected = case["expected"]
    smoothed = case["options"].get("smooth_method") == "add-k" and any(row["counts"])
    added = case["options"].get("smooth_value", 1) if smoothed else 0
    for field in ("counts", "totals"):
        if field in expected:  # sacreBLEU's have what add-k adds
            assert [n + (added if order else 0) for order, n in enumerate(row[field])] == expected[field]
    for field in ("bp", "sys_len", "ref_len"):
        if field in expected:
            assert row[field] == pytest.approx(expected[field], rel=1e-9)
    if "signature" in expected:
        settings = Signature.parse(row["signature"]).settings
        theirs = Signature.parse(expected["signature"], "BLEU").settings
        order = case["options"].get("max_ngram_order", 4)
        assert settings.pop("maxn", 4) == order
        settings.pop("lang", None)
        assert settings == theirs | {"version": f"mtscore-{VERSION}"}


def words_of(message: str) -> set[str]:
    """Return the words of a message; `hyp line 1` is `hyp:1`."""
    return set(re.findall(r"[\w'-]+", re.sub(r"(\w+) line (\d+)", r"\1 \2", message)))
