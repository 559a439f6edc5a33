"""`mtscore demo`: the embedded test set, scored and explained."""

from __future__ import annotations

import shlex
import socket
from contextlib import chdir
from pathlib import Path
from typing import NoReturn

import pytest
import sacrebleu
from conftest import read_lines

from mtscore._version import VERSION
from mtscore.cli import main

MINI = Path(__file__).parents[1] / "testsets" / "mini"
SIGNATURE = f"BLEU+case.mixed+lang.en-de+numrefs.1+smooth.exp+test.mini+tok.13a+version.mtscore-{VERSION}"
PAGE = f"""\
$ cd {shlex.quote(str(MINI))}
$ mtscore score -t mini -l en-de -i hyp.good.de hyp.poor.de -m bleu chrf

System   BLEU ↑   chrF2 ↑
good       43.2      66.4
poor       14.4      44.8

BLEU  share of word sequences (1 to 4 words) that the reference has too, 0-100.
chrF  the same idea on characters. Higher is better. Both compare systems on the
      SAME test set only: 30 here and 30 elsewhere mean nothing to each other.

Report the score with its signature, so that others can repeat it:
  {SIGNATURE}
  1 reference, upper and lower case differ, tokenizer 13a

Your files (one sentence a line, plain text, not tokenised):
  mtscore REFERENCE.txt -i YOURS.txt
Is the difference real?   mtscore REF -i A B -par       One sentence:  mtscore explain --help
"""


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of the demo, which must succeed in silence."""
    code = main(["demo"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    return captured.out.splitlines()


def test_the_page(page: list[str]) -> None:
    """The page has under 20 lines: the command, its scores, what they mean, and what to do next."""
    assert page == PAGE.splitlines()
    assert len(page) < 20


def test_the_command_is_the_command(page: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The two lines that the page shows, typed in, print the page's table and its signature."""
    folder, words = (shlex.split(line.removeprefix("$ ")) for line in page[:2])
    assert (folder[0], words[0]) == ("cd", "mtscore")
    with chdir(folder[1]):
        assert main(words[1:]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[2:6] == page[3:7]
    assert SIGNATURE in output


def test_the_numbers_are_the_oracles(page: list[str]) -> None:
    """The scores of both systems are sacreBLEU's."""
    references = [read_lines(MINI / "ref.A.de")]
    for system, line in zip(("good", "poor"), page[4:6], strict=True):
        hypotheses = read_lines(MINI / f"hyp.{system}.de")
        bleu = sacrebleu.corpus_bleu(hypotheses, references).score
        chrf = sacrebleu.corpus_chrf(hypotheses, references).score
        assert line.split() == [system, f"{bleu:.1f}", f"{chrf:.1f}"]


def test_it_runs_anywhere_and_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the network nor the folder that it is called from matters, and that stays the folder."""

    def refuse(*_arguments: object, **_options: object) -> NoReturn:
        pytest.fail("the demo opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.chdir(tmp_path)
    for name in ("score", "mini", "hyp.good.de"):
        (tmp_path / name).write_text("something else\n")
    assert main(["demo"]) == 0
    assert capsys.readouterr() == (PAGE, "")
    assert Path.cwd() == tmp_path
