"""What must not break the program: report files in the way, names that attack, huge input, many processes."""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtscore import BLEU, CHRF, TER, evaluate, evaluate_systems, lines
from mtscore.catalog import catalogue
from mtscore.cli import main
from mtscore.corpus import references_by_segment
from mtscore.errors import (
    IntegrityError,
    MissingExtraError,
    MTScoreError,
    ShapeError,
    SignatureError,
    UsageError,
)
from mtscore.lines import LineReader
from mtscore.report import FORMATS, SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mtscore.metrics.base import AnyMetric

MINI = Path(__file__).parents[1] / "testsets" / "mini" / "hyp.good.de"
REFERENCE = "The cat sat on the mat .\nIt was raining all day long .\n"
HYPOTHESIS = "The cat sat on a mat .\nIt rained all day long .\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a reference and a hypothesis."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTSCORE_FORMAT", raising=False)
    (tmp_path / "ref").write_text(REFERENCE, "utf-8")
    (tmp_path / "hyp").write_text(HYPOTHESIS, "utf-8")
    return tmp_path


def in_shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in which `{}` stands for the program."""
    program = f"{sys.executable} -m mtscore"
    return subprocess.run(["sh", "-c", line.format(program)], capture_output=True, check=False)


# --- Report files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["ref", "-i", "in.md"],
        ["ref", "-i", "link.md"],
        ["ref", "-i", "sub/../in.md"],
        ["in.md", "-i", "hyp"],
        ["-r", "in.md", "-i", "hyp"],
        ["ref", "-i", "hyp", "--groups", "in.md"],
    ],
)
def test_report_over_an_input(words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report file that is one of the inputs, under any name, is refused before anything is written."""
    (folder / "sub").mkdir()
    (folder / "in.md").write_text(HYPOTHESIS, "utf-8")
    (folder / "link.md").symlink_to("in.md")
    assert main(["score", *words, "-o", "out.json", "-o", "in.md"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mtscore: error: -o in.md: would overwrite ")
    assert (folder / "in.md").read_text("utf-8") == HYPOTHESIS
    assert not (folder / "out.json").exists()


def test_report_over_standard_input(folder: Path) -> None:
    """A report file that standard input comes from is refused, too."""
    (folder / "in.md").write_text(HYPOTHESIS, "utf-8")
    done = in_shell("{} score ref -o in.md < in.md")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"mtscore: error: -o in.md: would overwrite standard input, which is read\n"
    assert (folder / "in.md").read_text("utf-8") == HYPOTHESIS


def test_same_report_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file for two reports is refused: which of them would it be?"""
    assert main(["score", "ref", "-i", "hyp", "-o", "a.json", "-o", "./a.json"]) == 2
    assert capsys.readouterr() == ("", "mtscore: error: -o ./a.json: the same file twice\n")
    assert not (folder / "a.json").exists()


def test_no_folder_for_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    """A report file without a folder is said before any input is read, not after hours of work."""
    assert main(["score", "ref", "-i", "missing", "-o", "no/where.json"]) == 3
    assert capsys.readouterr().err == (
        "mtscore: error: no/where.json: cannot be written: there is no such folder\n"
    )


def test_report_through_a_link(folder: Path) -> None:
    """A report written to a link goes where the link points, and keeps the permissions of the file there."""
    (folder / "private.json").touch(mode=0o600)
    (folder / "link.json").symlink_to("private.json")
    assert main(["score", "ref", "-i", "hyp", "-q", "-o", "link.json"]) == 0
    assert (folder / "link.json").is_symlink()
    assert (folder / "private.json").read_text("utf-8").startswith('{\n  "schema"')
    assert stat.S_IMODE((folder / "private.json").stat().st_mode) == 0o600


def test_report_with_the_longest_name(folder: Path) -> None:
    """A report's name may be as long as the disk allows."""
    name = "r" * 250 + ".json"
    assert main(["score", "ref", "-i", "hyp", "-q", "-o", name]) == 0
    assert sorted(os.listdir(folder)) == ["hyp", "ref", name]


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs to see what a process has open")
def test_interrupted_before_the_report(folder: Path) -> None:
    """Ctrl-C in the middle of the work leaves reports as they were, and nothing half-written."""
    (folder / "old.json").write_text("as it was", "utf-8")
    words = ["score", "ref", "-o", "old.json", "-o", "new.md"]
    with subprocess.Popen(
        [sys.executable, "-m", "mtscore", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(HYPOTHESIS.encode())
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not has_open(process.pid, folder / "ref") and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")
    assert sorted(os.listdir(folder)) == ["hyp", "old.json", "ref"]
    assert (folder / "old.json").read_text("utf-8") == "as it was"


def has_open(process: int, file: Path) -> bool:
    """Return whether a process has a file open."""
    opened = f"/proc/{process}/fd"
    return str(file) in {os.path.realpath(os.path.join(opened, name)) for name in os.listdir(opened)}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_full_disk_for_a_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report for which there is no space is exit code 3."""
    (folder / "full.json").symlink_to("/dev/full")
    assert main(["score", "ref", "-i", "hyp", "-o", "full.json"]) == 3
    assert capsys.readouterr() == (
        "",
        "mtscore: error: full.json: cannot be written: No space left on device\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{} score ref -i ref -v 2> /dev/full", 0),
        ("{} score ref -i hyp --fail-under 99 2> /dev/full", 1),
        ("{} score ref -i missing 2> /dev/full", 2),
        ("{} 2> /dev/full", 2),
        ("{} --version > /dev/full", 3),
        ("{} --version >&-", 3),
    ],
)
def test_messages_that_cannot_be_written(line: str, code: int) -> None:
    """Where messages cannot be written, the exit code still tells what happened."""
    done = in_shell(line)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("set_too", "message"),
    [
        ({}, "there is no home folder to keep the cache in (--cache or MTSCORE_CACHE names another)"),
        (
            {"MTSCORE_CACHE": "cache"},
            "there is no home folder to look for test sets in (set HOME or XDG_CONFIG_HOME)",
        ),
        ({"MTSCORE_CACHE": "cache", "XDG_CONFIG_HOME": "/nowhere"}, None),
    ],
)
def test_a_user_without_a_home(
    set_too: dict[str, str],
    message: str | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where there is no home, as in some containers, texts are scored, and test sets say what to set."""
    for variable in ("HOME", "MTSCORE_CACHE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in set_too.items():
        monkeypatch.setenv(variable, value)
    nobody: dict[int, str] = {}
    monkeypatch.setattr("pwd.getpwuid", nobody.__getitem__)
    assert main(["ref", "-i", "ref", "-b", "-w", "0"]) == 0
    assert main(["-t", "mini", "-l", "en-de", "-i", str(MINI), "-b", "-w", "0"]) == (3 if message else 0)
    said = capsys.readouterr()
    assert said.out == ("100\n" if message else "100\n43\n")
    assert said.err == (f"mtscore: error: {message}\n" if message else "")


# --- Names and texts that attack the terminal ---------------------------------------------------------------

EVIL = "a\x1b[31m\t\x9b2J\u202eb\x7f\n\x07.de"
COMMANDS_TERMINAL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All but newlines and the tabs of TSV."""


@pytest.mark.parametrize("form", [*FORMATS, *SUFFIXES])
def test_nothing_in_a_report_commands_the_terminal(
    form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escape codes in a file's name or in its text reach neither a report nor a message as they are."""
    (folder / EVIL).write_text(f"The cat {EVIL.replace(chr(10), '')} sat\nIt rained\n", "utf-8")
    words = ["-m", "bleu", "ter", "-par", "-parn", "9", "--examples", "2", "--fail-under", "bleu=100", "-v"]
    output = ["-o", f"report{form}"] if form in SUFFIXES else ["-f", form]
    assert main(["score", "ref", "-i", EVIL, "hyp", *words, *output]) == 1
    said = capsys.readouterr()
    report = (folder / f"report{form}").read_text("utf-8") if form in SUFFIXES else said.out
    assert "hyp" in report
    assert not COMMANDS_TERMINAL.search(report)
    assert not COMMANDS_TERMINAL.search(said.err)
    assert r"a\x1b[31m\t\x9b2J\u202eb\x7f" in said.err
    assert said.err.count("\n") == 2


ESCAPES = "\x1b[31m\x9b2J\u202e"
SPELT = r"31m\x9b2J\u202e"


@pytest.fixture
def evil(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Write files and a test set that have escape codes in them."""
    signature = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    claims = [
        {"system": name, "name": "BLEU", "score": 1.0, "signature": signature} for name in (ESCAPES, "hyp")
    ]
    files = {
        ESCAPES: HYPOTHESIS,
        "claims.json": json.dumps(claims),
        "values.tsv": f"ref_logprob\thyp_logprob\tref_text\thyp_text\n-1\t-2\ta\t{ESCAPES}\n",
        "logprobs": "-1 -1\n",
        "text": f"{ESCAPES}\n",
        "scores.tsv": f"system\thuman\t{ESCAPES}\na\t1\t2\nb\t2\t3\nc\t4\t4\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    checksums = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("hyp", "ref")]
    (folder / "evil.toml").write_text(
        'name = "evil"\ndescription = "\\u001b[31m\\u009b2J\\u202e"\nformat = "plain"\npairs = ["en-de"]\n'
        f'[files]\nsrc = "hyp"\nref = "ref"\n[sha256]\nhyp = "{checksums[0]}"\nref = "{checksums[1]}"\n',
        "utf-8",
    )
    monkeypatch.setattr(catalogue, "user_folder", lambda: folder / "config")
    assert main(["testsets", "add", "evil.toml"]) == 0
    capsys.readouterr()


@pytest.mark.usefixtures("evil")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["signature", "explain", f"BLEU+subset.{ESCAPES}"], 0),
        (["reproduce", "claims.json", "ref", "-i", ESCAPES, "hyp"], 1),
        (["search-errors", "values.tsv", "-n", "1"], 0),
        (["perplexity", "logprobs", "--text", "text", "--vocabulary", "hyp"], 0),
        (["correlate", "scores.tsv"], 0),
        (["explain", "--hyp", f"the {ESCAPES}", "--ref", "the"], 0),
        (["testsets", "show", "evil"], 0),
        (["testsets", "list"], 0),
    ],
)
def test_no_answer_commands_the_terminal(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a command quotes in an answer for people, it spells escape codes out."""
    assert main(words) == code
    said = capsys.readouterr()
    assert SPELT in said.out
    assert not COMMANDS_TERMINAL.search(said.out)
    assert not COMMANDS_TERMINAL.search(said.err)


@pytest.mark.parametrize(
    "words",
    [
        ["score", "ref", "-i", EVIL],
        ["score", "ref", "-i", "hyp", f"--{EVIL}"],
        ["score", "ref", "-i", "hyp", "-tok", f"spm:{EVIL}"],
        ["score", "ref", "-i", "hyp", "--fail-under", EVIL],
        ["score", "ref", "-i", "hyp", "-w", EVIL],
        ["score", "ref", "-i", "hyp", "-l", EVIL],
        ["signature", "explain", EVIL],
        ["signature", "compare", f"BLEU+case.{EVIL}", "BLEU"],
        ["testsets", "show", EVIL],
        ["reproduce", f"BLEU+case.mixed = {EVIL}", "ref", "-i", "hyp"],
        ["correlate", "ref", "--human", EVIL],
        [EVIL, "-i", "hyp"],
    ],
)
def test_nothing_in_an_error_commands_the_terminal(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the words of a command line are, an error repeats them without their effect."""
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mtscore: error: ")
    assert not COMMANDS_TERMINAL.search(said.err)
    assert "\t" not in said.err


# --- Huge input ---------------------------------------------------------------------------------------------

MEASURED = """
import json, resource, subprocess, sys
found = subprocess.run(sys.argv[1:], check=True, capture_output=True).stdout
print(json.dumps([json.loads(found)["score"], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


def peak(*words: str) -> tuple[float, float]:
    """Return the score that a command line gives, and the megabytes that it took."""
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "mtscore", "score", *words]
    score, kilobytes = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return score, kilobytes / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak has another unit")
@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("bleu", 49.999924999793755),
        ("chrf", 54.526066208048384),
        ("chrf++", 53.73247611324733),
        ("ter", 50.0),
        ("wer", 50.0),
    ],
)
def test_line_of_a_million_tokens(metric: str, score: float, folder: Path) -> None:
    """A line of a million tokens has sacreBLEU's score, in the memory that a laptop has to spare."""
    words = [f"w{number * number % 99_991}" for number in range(1_000_000)]
    (folder / "ref").write_text(" ".join(words), "utf-8")
    (folder / "hyp").write_text(" ".join(words[:500_000]) + " x" * 500_000, "utf-8")
    found, megabytes = peak("ref", "-i", "hyp", "-q", "-m", metric, "-f", "json")
    assert found == pytest.approx(score, abs=1e-9)
    assert megabytes < 1000


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak has another unit")
def test_corpus_of_documents(folder: Path) -> None:
    """Segments that are documents take no more memory than others."""
    words = [f"w{number * number % 99_991}" for number in range(3_000)]
    (folder / "ref").write_text(f"{' '.join(words)}\n" * 1000, "utf-8")
    found, megabytes = peak("ref", "-i", "ref", "-q", "-f", "json")
    assert found == pytest.approx(100)
    assert megabytes < 600


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Too little memory is exit code 3, and nobody's mistake to report."""

    def fail(*_arguments: object, **_settings: object) -> None:
        raise MemoryError

    monkeypatch.setattr(evaluate, "collect", fail)
    assert main(["score", "ref", "-i", "hyp"]) == 3
    assert capsys.readouterr() == ("", "mtscore: error: there is not enough memory\n")


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "hyp has 1 line, ref has 1000 lines (hyp has no newline at its end)"),
        (2000, "hyp has 80 lines, ref has 1000 lines"),
        (2010, "hyp has 81 lines, ref has 1000 lines (hyp has no newline at its end)"),
        (26000, "ref has 1000 lines, hyp has 1001 lines"),
    ],
)
def test_file_that_changes_while_it_is_read(
    size: int,
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that is cut or grows while it is read is an error, not a score of some of it."""
    for name in ("ref", "hyp"):
        (folder / name).write_text("This line has 24 letters\n" * 1000, "utf-8")
    read = LineReader._read

    def cut_then_read(reader: LineReader, _size: int) -> bytes:
        if reader.name == "hyp" and reader.source.bytes:
            os.truncate("hyp", size)
        return read(reader, 1000)

    monkeypatch.setattr(lines, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(LineReader, "_read", cut_then_read)
    assert main(["score", "ref", "-i", "hyp"]) == 2
    assert message in capsys.readouterr().err


# --- Damaged input ------------------------------------------------------------------------------------------

CLAIM = '{"name": "BLEU", "signature": "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a", "score": %s}'


@pytest.mark.parametrize(
    ("name", "content", "words", "message"),
    [
        ("deep.json", "[" * 100_000, "reproduce deep.json", "not valid JSON: it is nested too deeply"),
        ("deep.toml", "a = " + "[" * 100_000, "testsets add deep.toml", "not valid TOML: "),
        ("x.json", CLAIM % "1e999999999", "reproduce x.json ref -i hyp", "'1E+999999999' is no score"),
        ("x.json", CLAIM % "1" + "0" * 5000, "reproduce x.json ref -i hyp", "not valid JSON"),
        ("x", "a\0\0\udcdca\0", "score ref -i x -e utf-16", "x:1: not valid UTF-16 at byte 1 (0x00)"),
        ("x", "a\0b\0", "score ref -i x -e utf-16", "x: not valid UTF-16: UTF-16 stream does not start"),
        ("x", "\x1f\udc8b", "score ref -i x", "x: cannot be read: Compressed file ended"),
        ("x", "x", "score ref -i x -w 1000000000", "width must be <= 100, not 1000000000"),
    ],
)
def test_damaged_input(
    name: str, content: str, words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is nested, large or cut beyond reason is an error in one line, not one of the program."""
    Path(name).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "groups: is empty"),
        ("g\n", "column 'g' of the groups has 0 rows for 2 segments"),
        ("g\na\n", "column 'g' of the groups has 1 row"),
        ("g\na\nb\nc\n", "column 'g' of the groups has 3 rows for 2 segments"),
        ("g\na\tb\n", "groups:2: expected 1 column"),
        ("g\tg\na\tb\nc\td\n", "groups:1: two columns have the same name"),
        ("g\n\udcff\n", "groups:2: not valid UTF-8 at byte 1 (0xff)"),
    ],
)
def test_damaged_groups(content: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Groups that do not go with the segments are an error that says where, not a table of some of them."""
    (folder / "groups").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert main(["score", "ref", "-i", "hyp", "--groups", "groups"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"mtscore: error: {message}")


DAMAGED: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("versions", lambda report: report["versions"].update(tokenizers=1), "it has no proper tokenizers"),
    ("alpha", lambda report: report.update(alpha="0.05"), "it has no proper alpha"),
    ("test set", lambda report: report.update(testset=[]), "it has no proper testset"),
    ("score", lambda report: report["rows"][0].update(score=True), "rows[0] has no proper score"),
    ("NaN", lambda report: report["rows"][0].update(score=math.nan), "rows[0] has no proper score"),
    ("group", lambda report: report["rows"][0].update(group={"a": []}), "rows[0] has no proper group"),
    ("role", lambda report: report["inputs"][0].update(role="x"), "its inputs are x, reference"),
    ("reference", lambda report: report["inputs"].pop(), "it has neither references nor a test set"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in DAMAGED], ids=[x[0] for x in DAMAGED])
def test_damaged_report(
    change: Callable[[dict[str, Any]], object],
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A report with a value of the wrong type is an error that names its place."""
    assert main(["score", "ref", "-i", "hyp", "-q", "-o", "report.json"]) == 0
    report = json.loads((folder / "report.json").read_text("utf-8"))
    change(report)
    (folder / "report.json").write_text(json.dumps(report), "utf-8")
    capsys.readouterr()
    assert main(["reproduce", "report.json"]) == 2
    assert capsys.readouterr().err == f"mtscore: error: the report is damaged: {message}\n"


# --- The Python API -----------------------------------------------------------------------------------------


class Column:
    """Behave as a column of a table does: iterable, with a length, and not indexed from 0."""

    def __init__(self, values: list[str]) -> None:
        self._values = values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Text(str):
    """Be a string of another class, as other libraries have them."""

    __slots__ = ()


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()])
@pytest.mark.parametrize(
    "form",
    [
        tuple,
        iter,
        Column,
        np.array,
        lambda lines: np.array(lines, dtype=object),
        lambda lines: map(Text, lines),
    ],
)
def test_lines_in_any_container(metric: AnyMetric, form: Callable[[list[str]], Iterable[str]]) -> None:
    """Hypotheses and references may come in anything that gives strings in order."""
    hypotheses, reference = HYPOTHESIS.splitlines(), REFERENCE.splitlines()
    expected = metric.corpus_score(hypotheses, [reference])
    assert metric.corpus_score(form(hypotheses), [form(reference)]) == expected
    assert metric.corpus_score(form(hypotheses), iter([form(reference)])) == expected


@pytest.mark.parametrize("form", [set, frozenset, dict.fromkeys])
def test_lines_without_order(form: Callable[[list[str]], Iterable[str]]) -> None:
    """A set has no order and a dictionary's keys are no lines: both are refused instead of scored."""
    lines = REFERENCE.splitlines()
    with pytest.raises(ShapeError, match=r"hypotheses must be a list of strings, got (set|frozenset|dict)"):
        BLEU().corpus_score(form(lines), [lines])
    with pytest.raises(ShapeError, match=r"references must be .*, set 1 is (set|frozenset|dict)"):
        BLEU().corpus_score(lines, [form(lines)])


@pytest.mark.parametrize("wrong", [None, 5, b"a"])
def test_references_of_a_sentence(wrong: Any) -> None:
    """References of a sentence that are no list are refused with a name for what they are."""
    kind = type(wrong).__name__
    with pytest.raises(ShapeError, match=f"references must be a list of strings, got {kind}"):
        BLEU().sentence_score("a", wrong)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"max_ngram_order": 10**9},
            "BLEU's n-gram order must be a whole number from 1 to 100, not 1000000000",
        ),
        ({"max_ngram_order": 2.5}, "BLEU's n-gram order must be a whole number from 1 to 100, not 2.5"),
        ({"max_ngram_order": "4"}, "BLEU's n-gram order must be a whole number from 1 to 100, not '4'"),
        ({"smooth_method": None}, "unknown smoothing method None"),
        (
            {"smooth_method": "floor", "smooth_value": "1"},
            "smooth value must be from 0 to 1e100, not '1'",
        ),
        (
            {"smooth_method": "add-k", "smooth_value": 1e308},
            "smooth value must be from 0 to 1e100, not 1e+308",
        ),
        ({"tokenize": 13}, "tokenize must be a string, not 13"),
        ({"tokenize": ["13a"]}, "tokenize must be a string, not ['13a']"),
        ({"smooth_method": ["exp"]}, "smooth_method must be a string, not ['exp']"),
        ({"trg_lang": 13}, "trg_lang must be a string, not 13"),
    ],
)
def test_settings_of_another_type(settings: dict[str, Any], message: str) -> None:
    """A setting of the wrong type, or one that would fill the memory, is refused with its value."""
    with pytest.raises(UsageError, match=re.escape(message)):
        BLEU(**settings)


@pytest.mark.parametrize("number", [-5, 1.5, "10", 10**12])
def test_resamples_of_another_type(number: Any) -> None:
    """Resamples that are no number, or more than the memory has room for, are refused."""
    with pytest.raises(UsageError, match="n_bootstrap: the number of trials must be a whole number from 1"):
        BLEU().corpus_score(["a"], [["a"]], n_bootstrap=number)


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_largest_smoothing_value(method: str) -> None:
    """The largest smoothing value that is accepted gives a finite score."""
    score = BLEU(smooth_method=method, smooth_value=1e100).corpus_score(["a b c d e"], [["a b x d y"]])
    assert np.isfinite(score.score)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"test": "arr", "trials": 10}, "unknown test 'arr' (known: ar, bs)"),
        ({"test": "ar"}, "trials: the number of trials must be a whole number from 1 to 10000000, not 0"),
        ({"test": "bs", "trials": 10**12}, "from 1 to 10000000, not 1000000000000"),
        ({"all_pairs": True}, "--all-pairs: ranks need a test"),
        ({"resamples": -3}, "resamples: the number of trials must be"),
        ({"test": "ar", "trials": 10, "seed": None}, "the seed must be a whole number from 0 up, not None"),
        ({"test": "ar", "trials": 10, "alpha": 5}, "the level must lie between 0 and 1, not 5"),
        ({"sentence_level": True, "resamples": 10}, "tests, intervals, gates and examples are for corpora"),
        ({"jobs": 0}, "the number of jobs must be at least 1, not 0"),
        ({"examples": -1}, "examples must be >= 0, not -1"),
        ({"metrics": [BLEU(), BLEU(tokenize="intl")]}, "two metrics are called BLEU"),
        ({"metrics": ["bleu"]}, "'bleu' is no metric (for example mtscore.BLEU())"),
        ({"baseline": "c"}, "no system is called c (known: a, b)"),
        ({"test": "ar", "trials": True}, "a whole number from 1 to 10000000, not True"),
        ({"seed": True}, "the seed must be a whole number from 0 up, not True"),
        ({"seed": 10**40}, "the seed has more than 40 digits"),
        ({"alpha": "x"}, "the level must lie between 0 and 1, not 'x'"),
        ({"examples": 1.5}, "examples must be >= 0, not 1.5"),
        ({"jobs": True}, "the number of jobs must be at least 1, not True"),
    ],
)
def test_plans_that_make_no_sense(plan: dict[str, Any], message: str) -> None:
    """A plan that would be computed otherwise than it reads is refused."""
    systems = {"a": HYPOTHESIS.splitlines(), "b": REFERENCE.splitlines()}
    with pytest.raises(UsageError, match=re.escape(message)):
        evaluate_systems(systems, [REFERENCE.splitlines()], **plan)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (evaluate_systems, {"metrics": CHRF()}, "metrics must be a list, not CHRF("),
        (evaluate_systems, {"metrics": BLEU}, "metrics must be a list, not <class"),
        (evaluate_systems, {"groups": ["x"]}, "groups must be a mapping"),
        (evaluate_systems, {"groups": {"topic": 5}}, "groups must be a mapping"),
        (references_by_segment, {"references": 5}, "references must be a list of lists of strings"),
    ],
)
def test_arguments_of_the_wrong_type(
    function: Callable[..., object], arguments: dict[str, Any], message: str
) -> None:
    """An argument of the wrong type is a ShapeError that names it."""
    texts = {"systems": {"a": ["x"]}, "references": [["x"]]} if function is evaluate_systems else {}
    with pytest.raises(ShapeError, match=re.escape(message)):
        function(**texts, **arguments)


def test_systems_without_names() -> None:
    """Systems that are a list, not a mapping, are refused."""
    lines: Any = [REFERENCE.splitlines()]
    with pytest.raises(ShapeError, match="systems must be a mapping from names to hypotheses"):
        evaluate_systems(lines, lines)


@pytest.mark.parametrize(
    "error",
    [
        MTScoreError("what", where="where", hint="hint"),
        SignatureError("what", hint="hint", excerpt="excerpt"),
        MissingExtraError("feature", extra="ja"),
        IntegrityError("what"),
    ],
)
def test_errors_pass_between_processes(error: MTScoreError) -> None:
    """An error that a worker process raises arrives as it is, instead of blocking the pool."""
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    assert type(copied) is type(error)
    assert (str(copied), vars(copied), copied.args) == (str(error), vars(error), error.args)
