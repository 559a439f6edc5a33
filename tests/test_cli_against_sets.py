"""`mtscore score` against standard test sets: what counts, and what the signature says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import read_lines

from mtscore import BLEU
from mtscore.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

MINI = Path(__file__).parents[1] / "testsets" / "mini"
GOOD = MINI / "hyp.good.de"
PLAIN = "case.mixed+lang.en-de"
END = "smooth.exp+test.mini+tok.13a"


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take nothing from the environment."""
    for variable in ("MTSCORE_FORMAT", "MTSCORE_CACHE", "MTSCORE_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)


def rows(capfd: pytest.CaptureFixture[str], *options: str, file: Path = GOOD) -> list[dict[str, Any]]:
    """Return the rows of scoring a file against the embedded test set."""
    assert main(["score", "-t", "mini", "-l", "en-de", "-i", str(file), "-f", "jsonl", *options]) == 0
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def texts(*names: str, keep: Sequence[bool] | None = None) -> list[list[str]]:
    """Return files of the embedded test set, or some lines of them."""
    columns = [read_lines(MINI / name) for name in names]
    return columns if keep is None else [[x for x, k in zip(c, keep, strict=True) if k] for c in columns]


def metadata(column: int) -> list[str]:
    """Return a column of metadata: 0 documents, 1 domains, 2 original languages."""
    return [line.split("\t")[column] for line in read_lines(MINI / "meta.tsv")[1:]]


@pytest.mark.parametrize(
    ("options", "references", "said"),
    [
        ([], ["ref.A.de"], f"BLEU+{PLAIN}+numrefs.1+{END}"),
        (["--use-refs", "B"], ["ref.B.de"], f"BLEU+{PLAIN}+numrefs.1+{END}+userefs.B"),
        (["--use-refs", "B,A"], ["ref.B.de", "ref.A.de"], f"BLEU+{PLAIN}+numrefs.2+{END}+userefs.B,A"),
    ],
)
def test_references_by_name(
    options: list[str], references: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The default reference, or those named, are scored as from files; the signature has the choice."""
    [row] = rows(capfd, *options)
    [hypotheses, *streams] = texts("hyp.good.de", *references)
    assert row["score"] == BLEU().corpus_score(hypotheses, streams).score
    assert row["signature"] == f"{said}+version.mtscore-0.1.0"


@pytest.mark.parametrize(
    ("options", "column", "kept", "said"),
    [
        (["--origlang", "de"], 2, {"de"}, "origlang.de+smooth.exp+test.mini+tok.13a"),
        (["-ol", "non-en"], 2, {"de", "es"}, "origlang.non-en+smooth.exp+test.mini+tok.13a"),
        (["--subset", "^(news|soft)"], 1, {"news", "software"}, "smooth.exp+subset.^(news%7Csoft)+test.mini"),
    ],
)
def test_filters(
    options: list[str], column: int, kept: set[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Filters keep segments of hypotheses and references alike, and the signature says which."""
    [row] = rows(capfd, *options)
    keep = [value in kept for value in metadata(column)]
    hypotheses, references = texts("hyp.good.de", "ref.A.de", keep=keep)
    assert 0 < len(hypotheses) < 48
    assert row["score"] == BLEU().corpus_score(hypotheses, [references]).score
    assert f"+{said}" in row["signature"]


def test_details_are_the_same_as_filters(capfd: pytest.CaptureFixture[str]) -> None:
    """The row of a group has the score that its filter alone gives."""
    groups = {tuple(row.get("group", {}).items()): row for row in rows(capfd, "--detail")}
    for option, column, values in (
        ("--origlang", "origlang", {"en", "de", "es"}),
        ("--subset", "domain", {"news", "subtitles", "reviews", "software"}),
    ):
        assert {value for key in groups for name, value in key if name == column} == values
        for value in values:
            [alone] = rows(capfd, option, value)
            assert groups[((column, value),)]["score"] == alone["score"]


def test_several_sets_follow_each_other(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Output for several sets is one file, and each set has a row of its own besides."""
    twice = tmp_path / "twice.de"
    twice.write_bytes(GOOD.read_bytes() * 2)
    assert main(["score", "-t", "mini,mini", "-l", "en-de", "-i", str(twice), "-f", "jsonl"]) == 0
    whole, part = map(json.loads, capfd.readouterr().out.splitlines())
    assert "+test.mini,mini+" in whole["signature"]
    assert whole["score"] == pytest.approx(part["score"], abs=1e-12)
    assert (whole["sys_len"], part["group"], part["segments"]) == (2 * 787, {"test": "mini"}, 96)


@pytest.mark.parametrize(
    ("keep", "options", "message"),
    [
        (40, [], "hyp.de has 40 lines, mini en-de reference A has 48 lines"),
        (8, ["-ol", "de"], "a filter is applied to the output of the whole test set, not before"),
    ],
)
def test_other_numbers_of_lines(
    keep: int, options: list[str], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file of another length is refused with both numbers, and with the reason where it can be guessed."""
    short = tmp_path / "hyp.de"
    short.write_text("".join(f"{line}\n" for line in read_lines(GOOD)[:keep]), "utf-8")
    assert main(["score", "-t", "mini", "-l", "en-de", "-i", str(short), *options]) == 2
    assert message in capfd.readouterr().err


def test_the_cache_is_the_one_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A set that is not here is looked for where --cache says, and with --offline only there."""
    command = ["score", "-t", "wmt22", "-l", "zh-en", "-i", str(GOOD), "--offline", "--cache"]
    assert main([*command, str(tmp_path / "kept")]) == 3
    error = capfd.readouterr().err
    assert str(tmp_path / "kept") in error
    assert "downloads are switched off" in error
