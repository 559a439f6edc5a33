"""A new metric, tokenizer, report format or test set is one new file and one line in a registry."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtscore import report
from mtscore.catalog import catalogue
from mtscore.cli import main
from mtscore.metrics import METRICS, Entry
from mtscore.metrics.base import Metric
from mtscore.notices import Notice
from mtscore.results import Report, Score
from mtscore.signature import Signature
from mtscore.tokenizers import TOKENIZERS
from mtscore.tokenizers import Entry as TokenizerEntry
from mtscore.tokenizers.base import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from mtscore.arrays import Floats
    from mtscore.corpus import Hypotheses, References
    from mtscore.report.style import Style


@dataclass(frozen=True, slots=True)
class Exact(Metric["References", Score]):
    """The share of hypotheses that equal their first reference."""

    name = "EXACT"
    columns = ("hits", "segments")

    @property
    def settings(self) -> Signature:
        return Signature("EXACT", {})

    def prepare(self, references: References) -> References:
        return references

    def statistics(self, hypotheses: Hypotheses, prepared: References) -> Floats:
        hits = [float(a == b) for a, b in zip(hypotheses, prepared[0], strict=True)]
        return np.column_stack((hits, np.ones(len(hits))))

    def score(self, values: Floats) -> Floats:
        share: Floats = 100 * values[..., 0] / values[..., 1]
        return share

    def warnings(self, total: Floats, system: str) -> list[Notice]:
        return [Notice("warning", "inexact", f"{system} is inexact")] if total[0] < total[1] else []

    def results(self, values: Floats, signature: Signature) -> list[Score]:
        scores = self.score(values).tolist()
        return [Score(name=self.name, score=x, better="higher", signature=signature) for x in scores]


class Syllables(Tokenizer):
    """Split at hyphens."""

    name = "syllables"
    version = 2

    def __call__(self, line: str) -> list[str]:
        return line.replace("-", " ").split()


def render(found: Report, _style: Style) -> str:
    """Return the scores, separated by slashes."""
    return "/".join(f"{row.score.score:.1f}" for row in found.rows) + "\n"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Stand for the new file: a module with the toy metric, tokenizer and report format."""
    module = ModuleType("mtscore.report.slashes")
    vars(module).update(Exact=Exact, Syllables=Syllables, render=render)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return a hypothesis and a reference file of two segments."""
    hypothesis, reference = tmp_path / "hyp", tmp_path / "ref"
    hypothesis.write_text("the wea-ther is fine to-day\nit rains\n")
    reference.write_text("the wea ther is fine to day\nit rains\n")
    return str(hypothesis), str(reference)


def test_a_metric_is_a_class_and_a_line(
    toy: ModuleType,
    files: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A registered metric is scored, signed, tested and reported like any other, warnings included."""
    monkeypatch.setitem(METRICS, "exact", Entry(f"{toy.__name__}:Exact"))
    hypothesis, reference = files
    assert main([reference, "-i", hypothesis, "-m", "exact", "-ci"]) == 0
    line, said = capfd.readouterr()
    assert said == "mtscore: warning: hyp is inexact\n"
    assert line.startswith("EXACT+bs.1000+numrefs.1+seed.12345+version.mtscore-")
    assert " = 50.0 (μ = " in line


def test_a_tokenizer_is_a_class_and_a_line(
    toy: ModuleType,
    files: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A registered tokenizer splits text for BLEU, and its version stands in the signature."""
    monkeypatch.setitem(TOKENIZERS, "syllables", TokenizerEntry(f"{toy.__name__}:Syllables", "toy"))
    hypothesis, reference = files
    assert main([reference, "-i", hypothesis, "-tok", "syllables"]) == 0
    line = capfd.readouterr().out
    assert "+tok.syllables.2+" in line
    assert " = 100.0 " in line


def test_a_report_format_is_a_module_and_a_line(
    toy: ModuleType, files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registered format writes reports to files with its suffix."""
    monkeypatch.setitem(report.SUFFIXES, ".slashes", toy.__name__.rpartition(".")[2])
    hypothesis, reference = files
    target = tmp_path / "out.slashes"
    assert main([reference, "-i", hypothesis, "-m", "bleu", "wer", "-o", str(target)]) == 0
    assert target.read_text() == "20.9/44.4\n"


def test_a_test_set_is_a_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A manifest in the user's folder makes a test set that scores like any other."""
    texts = {"src.en": "One.\nTwo.\n", "ref.de": "Eins ist das hier.\nZwei.\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    checksums = "\n".join(
        f'"{name}" = "{hashlib.sha256(text.encode()).hexdigest()}"' for name, text in texts.items()
    )
    manifest = tmp_path / "toy.toml"
    manifest.write_text(
        'name = "toy"\ndescription = "Two lines."\nformat = "plain"\npairs = ["en-de"]\n'
        f'[files]\nsrc = "src.en"\nref = "ref.de"\n[sha256]\n{checksums}\n'
    )
    monkeypatch.setattr(catalogue, "user_folder", lambda: tmp_path / "config")
    assert main(["testsets", "add", str(manifest)]) == 0
    assert main(["score", "-t", "toy", "-l", "en-de", "-i", str(tmp_path / "ref.de"), "-b"]) == 0
    assert capfd.readouterr().out.endswith("\n100.0\n")
