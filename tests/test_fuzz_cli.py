"""Random command lines over hostile files: no traceback, no wrong number, and errors in one line.

The test is short and seeded. For a long hunt with ever new seeds:

    python tests/test_fuzz_cli.py --seconds 300
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import math
import os
import re
import shlex
import sys
import tempfile
import time
import unittest.mock
from contextlib import chdir
from importlib import import_module
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pytest
import sacrebleu
from conftest import run
from random_text import RandomText, settled

from mtscore.cli import COMMANDS, main

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LINES = ["The cat sat on the mat.", "It's raining, again: 3.5 mm!", "«Größe» — 中文。", "x"]
TEXT = "".join(f"{line}\n" for line in LINES).encode()

FILES: Mapping[str, bytes] = {
    "text": TEXT,
    "other": TEXT.replace(b"cat", b"dog"),
    "text.gz": gzip.compress(TEXT, mtime=0),
    "text.xz": lzma.compress(TEXT),
    "crlf": TEXT.replace(b"\n", b"\r\n"),
    "mark": b"\xef\xbb\xbf" + TEXT,
    "unended": TEXT[:-1],
    "utf16": TEXT.decode().encode("utf-16"),
    "latin1": "Größe\nb\nc\nd\n".encode("latin-1"),
    "mixed": b"a\r\nb\rc\n\x0bd\n\xe2\x80\xa8e\n",
    "columns": b"a\tb\nc\td\ne\t\n\tf\n",
    "empty": b"",
    "blank": b"\n\n\n\n",
    "nul": b"\0\na\0b\n\n\0\0\n",
    "surrogate": b"\xed\xa0\x80\n\xed\xb0\x80\na\nb\n",
    "binary": bytes(range(256)) * 8,
    "cut.gz": gzip.compress(TEXT, mtime=0)[:-9],
    "twice.gz": gzip.compress(gzip.compress(TEXT, mtime=0), mtime=0),
    "damaged.xz": lzma.compress(TEXT)[:-9],
    "zstd": b"\x28\xb5\x2f\xfd",
    "long": b"word " * 5_000 + b"\n" + b"y" * 20_000 + b"\n\n\n",
    "groups.tsv": b"domain\torigin\nnews\ten\nnews\tde\n\x1b[31m\tde\n\t\n",
    "broken.tsv": b"domain\tdomain\n1\t2\t3\n",
    "numbers": b"-1.5 -2\n-0.5\n-3 -4 -5\n-1e-3\n",
    "single": b"-1.5\n-2\n-0.25\n-1e3\n",
    "odd-numbers": b"nan\ninf\n-inf\n1e999\n",
    "table.tsv": b"system\tsegment\tmetric\thuman\na\t1\t.1\t3\na\t2\t.5\t2\nb\t1\t.3\t1\nb\t2\tx\t9\n",
    "report.json": b'{"schema": "mtscore-report/1", "rows": [], "inputs": [{}], "versions": 3}',
    "deep.json": b"[" * 20_000,
    "claim": b"BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14 = 28.3 60/40/30/20\n",
    "set.toml": b'[set]\nname = "x"\n',
    "\x1b[31mred\n\t": TEXT,
    "n" * 250: TEXT,
    os.fsdecode(b"caf\xe9"): TEXT,
    "-dash": TEXT,
    "deep/" * 60 + "text": TEXT,
}
"""Files by name; whatever is in them must not break the program."""

ALIKE = [
    "text",
    "other",
    "text.gz",
    "text.xz",
    "crlf",
    "mark",
    "unended",
    "blank",
    "nul",
    "long",
    "numbers",
    "-",
]
"""Files with as many lines as one another."""

SPECIAL = [".", "/dev/null", "missing", "text/", "", "./text", "a" * 5_000]

VALUES: Mapping[str, Sequence[str]] = {
    "metrics": ["bleu", "chrf", "chrf+", "chrf++", "ter", "wer", "BLEU", "blue"],
    "tokenize": ["13a", "intl", "zh", "char", "none", "13b", "spm:text", "spm:", "flores200"],
    "name": ["mini", "wmt17", "none-such"],
    "names": ["mini", "wmt17", "mini,wmt17", "a,b", "text"],
    "smooth_method": ["exp", "floor", "add-k", "none"],
    "encoding": [
        "utf-8",
        "latin-1",
        "utf-16",
        "utf-16-le",
        "utf-32",
        "cp037",
        "punycode",
        "idna",
        "hex",
        "utf-7",
    ],
    "language_pair": ["en-de", "en-zh", "de-en", "en", "x-y-z"],
    "pair": ["en-de", "en-es"],
    "test_set": ["mini", "mini,mini", "wmt17", "none-such"],
    "form": ["text", "json", "jsonl", "tsv", "markdown", "latex"],
    "like": ["BLEU+case.lc+tok.intl", "chrF2+numchars.3", "TER", "BLEU|case:mixed|tok:13a", "BLEU+"],
    "signature": ["BLEU+case.lc", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0", "TER+"],
    "a": ["BLEU+case.lc+tok.13a", "chrF2+n.6"],
    "b": ["BLEU+case.mixed+tok.13a", "chrF2+n.5"],
    "claim": ["claim", "report.json", "BLEU+case.mixed+numrefs.1+tok.13a = 28.3", "TER = 3", "deep.json"],
    "fail_under": ["0", "bleu=10", "ter=1", "bleu=nan", "=", "chrf2++=1e9"],
    "fail_over": ["ter=10", "wer=0", "bleu=1"],
    "max_drop": ["bleu=0", "1", "chrf=-1"],
    "baseline": ["text", "other"],
    "use_refs": ["A", "A,B", "C"],
    "origlang": ["en", "non-en"],
    "subset": [".*", "(", "news"],
    "output": ["out.json", "out.md", "out.tex", "out.tsv", "out.xml", "text", "no/out.json"],
    "fields": ["src", "ref", "all", "docid", "ref:A"],
    "echo": ["src", "ref"],
    "order": ["1", "all", "5"],
    "cache": ["cache"],
    "base": ["e", "2", "10"],
    "scores": ["table.tsv", "broken.tsv"],
    "human": ["human"],
    "lower_is_better": ["metric"],
    "group": ["no", "segment", "system"],
    "table": ["table.tsv"],
    "ref_logprob": ["single", "metric"],
    "hyp_logprob": ["single", "human"],
    "length_norm": ["no", "divide", "given"],
    "files": ["numbers", "numbers", "text", "other"],
    "eos": ["counted", "dropped", "absent"],
    "unit": ["token", "word", "char"],
    "train": ["text"],
    "smoothing": ["mle", "laplace", "kneser-ney"],
}
"""What an option's value may sensibly be, by the option's name; files where there is nothing here."""

NUMBERS = [
    "1",
    "2",
    "3",
    "7",
    "0.5",
    "0",
    "-1",
    "1e3",
    "1e308",
    "nan",
    "inf",
    "100000001",
    "9" * 25,
    "x",
    "١",
]
HOSTILE = ["", " ", "\x1b[31m\n", "\udc80", "--", "=", "%s%n{}", "../..", "é" * 300, "a,b,,c", "💥"]


class Result(NamedTuple):
    """Hold what a command line did."""

    code: int
    out: bytes
    err: str


def call(words: Sequence[str], stdin: bytes = b"") -> Result:
    """Run a command line in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape") for data in (stdin, b"", b"")]
    with (
        unittest.mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]),
        unittest.mock.patch.dict(os.environ, {"MTSCORE_OFFLINE": "1", "MTSCORE_CACHE": "cache"}),
    ):
        code = main(words)
    for stream in streams[1:]:
        stream.flush()
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return Result(code, out, err.decode())


# --- Random command lines -----------------------------------------------------------------------------------


def write_files(folder: Path) -> None:
    """Write all hostile files."""
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def commands() -> Iterator[tuple[list[str], click.Command]]:
    """Yield every command with the words that call it."""
    for name, entry in COMMANDS.items():
        command: click.Command = import_module(entry.module).command
        yield [name], command
        if isinstance(command, click.Group):
            for own, subcommand in command.commands.items():
                yield [name, own], subcommand


class CommandLines:
    """Draw command lines: whatever options a command has, with values that make sense or do not."""

    def __init__(self, seed: int) -> None:
        self._text = RandomText(seed)
        self._commands = list(commands())

    def line(self) -> list[str]:
        """Return a command line, more often than not of `mtscore score`."""
        words, command = self._commands[0 if self._chance(0.5) else self._text.below(len(self._commands))]
        found: list[str] = []
        for parameter in command.params:
            if isinstance(parameter, click.Argument):
                found += self._argument(parameter)
            elif self._chance(0.8 if parameter.name == "input" else 3 / len(command.params)):
                found += self._option(parameter)
        return [*words, *found]

    def _chance(self, share: float) -> bool:
        return self._text.below(1000) < 1000 * share

    def _argument(self, argument: click.Argument) -> list[str]:
        count = 1 if argument.nargs == 1 or self._chance(0.7) else self._text.below(4)
        return [self._value(argument) for _ in range(count)]

    def _option(self, option: click.Parameter) -> list[str]:
        spelling = self._text.one_of(option.opts)
        if getattr(option, "is_flag", False):
            return [spelling]
        count = 1 + self._text.below(3) if option.multiple else 1
        values = [self._value(option) for _ in range(count)]
        if option.opts[0] in {"-i", "-m", "--echo"}:
            return [spelling, *values]
        return [word for value in values for word in (spelling, value)]

    def _value(self, parameter: click.Parameter) -> str:
        if self._chance(0.03):
            return self._text.one_of(HOSTILE)
        known = VALUES.get(parameter.name or "")
        if known and not self._chance(0.03):
            return self._text.one_of(known)
        if isinstance(parameter.type, type(click.INT) | type(click.FLOAT)):
            return self._text.one_of(NUMBERS[: 5 if self._chance(0.7) else None])
        return self._text.one_of(ALIKE if self._chance(0.8) else [*FILES, *SPECIAL])


def complaint(words: Sequence[str], found: Result) -> str | None:
    """Return which promise a command line broke, if it did."""
    if found.code not in {0, 1, 2, 3}:
        return f"exit code {found.code}"
    if "Traceback" in found.err or "internal error" in found.err:
        return "an internal error"
    if re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", found.err):
        return "a control character on standard error"
    if found.code >= 2:
        return _wrong_refusal(words, found)
    return _wrong_rows(words, found.out)


def _wrong_refusal(words: Sequence[str], found: Result) -> str | None:
    first, *others = found.err.splitlines() or [""]
    if "--usage" in words or words == ["score"]:
        return None
    does_as_it_goes = words[0] == "tokenize" or words[:2] == ["testsets", "add"]
    if found.code == 2 and found.out and not does_as_it_goes:
        return "an error and a result"
    if not first.startswith("mtscore: error: "):
        return "no error message in the first line"
    if others and not all(line.startswith("  ") for line in others):  # where a signature stops making sense
        return "an error of several lines"
    return None


def _wrong_rows(words: Sequence[str], out: bytes) -> str | None:
    if words[0] != "score" or "jsonl" not in words or not out.startswith(b"{"):
        return None
    for row in map(json.loads, out.decode().splitlines()):
        most = math.inf if row["name"] in {"TER", "WER"} or "floor" in words or "add-k" in words else 100
        if not 0 <= row["score"] <= most or not math.isfinite(row["score"]):
            return f"a score of {row['score']}"
    return None


# --- Damaged reports ----------------------------------------------------------------------------------------

DAMAGE = [
    None,
    True,
    0,
    -1,
    2.5,
    1e308,
    math.nan,
    10**30,
    "",
    "x",
    "TER",
    "\0",
    "ref",
    "-",
    [],
    {},
    [1],
    {"a": 1},
]


def make_report(folder: Path) -> Any:
    """Return a report with as much in it as there can be, and write its inputs."""
    (folder / "groups").write_text("g\n" + "x\n" * 2 + "y\n" * 2, "utf-8")
    words = (
        "score text -i other blank -m bleu ter -par -parn 9 -ci -cin 9 --groups groups --max-drop bleu=1 -q"
    )
    call([*words.split(), "-o", "whole.json"])
    return json.loads((folder / "whole.json").read_text("utf-8"))


def damaged(data: Any, text: RandomText) -> Any:
    """Return JSON data with a value somewhere in it replaced, or gone."""
    if not isinstance(data, dict | list) or not data or text.below(8) == 0:
        return DAMAGE[text.below(len(DAMAGE))]
    changed = dict(data) if isinstance(data, dict) else list(data)
    key = list(changed)[text.below(len(changed))] if isinstance(changed, dict) else text.below(len(changed))
    if text.below(12) == 0:
        del changed[key]
    else:
        changed[key] = damaged(changed[key], text)
    return changed


# --- The same numbers ---------------------------------------------------------------------------------------


class Task(NamedTuple):
    """Hold a command line, and the metric of sacreBLEU that has to agree with it."""

    words: list[str]
    metric: Any
    hypotheses: list[str]
    references: list[list[str]]


class Tasks:
    """Draw texts and settings, and write the texts in any of the forms that files come in."""

    def __init__(self, seed: int) -> None:
        self._text = RandomText(seed)

    def task(self, folder: Path) -> Task:
        """Return a task whose files are written."""
        count = 1 + self._text.below(5)
        references = [self._lines(count) for _ in range(1 + self._text.below(3))]
        hypotheses = [
            line if self._text.below(3) else self._text.one_of(references[0]) for line in self._lines(count)
        ]
        words, metric = getattr(self, f"_{self._text.one_of(['bleu', 'chrf', 'ter'])}")()
        files = [f"ref{number}" for number in range(len(references))]
        for file, lines in zip([*files, "hyp"], [*references, hypotheses], strict=True):
            (folder / file).write_bytes(self._written(lines))
        trimmed = [[line.rstrip() for line in lines] for lines in (hypotheses, *references)]
        command_line = ["score", *files, "-i", "hyp", "-f", "jsonl", "-q", *words]
        return Task(command_line, metric, trimmed[0], trimmed[1:])

    def _lines(self, count: int) -> list[str]:
        lines = settled(self._text.lines(6 * count))
        return [line.lstrip("\ufeff") for line in lines[:count]] + ["x"] * (count - len(lines))

    def _written(self, lines: list[str]) -> bytes:
        form = self._text.below(6)
        end = "\r\n" if form == 1 else "\n"
        text = end.join(lines) + ("" if form == 2 and lines[-1] else end)
        data = ("\ufeff" * (form == 3) + text).encode()
        return gzip.compress(data) if form == 4 else lzma.compress(data) if form == 5 else data

    def _flag(self, spelling: str) -> list[str]:
        return [spelling] * (self._text.below(3) == 0)

    def _bleu(self) -> tuple[list[str], Any]:
        tokenizer = self._text.one_of(["13a", "intl", "zh", "char", "none"])
        method, value = [("exp", None), ("floor", 0.1), ("add-k", 1.0), ("add-k", 0.3), ("none", None)][
            self._text.below(5)
        ]
        lower, order = self._flag("-lc"), 1 + self._text.below(6)
        words = ["-tok", tokenizer, "-s", method, "--max-ngram-order", str(order), *lower]
        words += [] if value is None else ["-sv", str(value)]
        return words, sacrebleu.BLEU(
            lowercase=bool(lower),
            force=True,
            tokenize=tokenizer,
            smooth_method=method,
            smooth_value=value,
            max_ngram_order=order,
        )

    def _chrf(self) -> tuple[list[str], Any]:
        characters, order, beta = 1 + self._text.below(8), self._text.below(3), 1 + self._text.below(3)
        flags = [self._flag(f"--chrf-{name}") for name in ("lowercase", "whitespace", "eps-smoothing")]
        words = ["-m", "chrf", "-cc", str(characters), "-cw", str(order), "--chrf-beta", str(beta)]
        lowercase, whitespace, smoothing = map(bool, flags)
        return [*words, *chain(*flags)], sacrebleu.CHRF(
            char_order=characters,
            word_order=order,
            beta=beta,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=smoothing,
        )

    def _ter(self) -> tuple[list[str], Any]:
        names = ("normalized", "no-punct", "asian-support", "case-sensitive")
        flags = [self._flag(f"--ter-{name}") for name in names]
        normalized, no_punct, asian, case = map(bool, flags)
        return ["-m", "ter", *chain(*flags)], sacrebleu.TER(
            normalized=normalized, no_punct=no_punct, asian_support=asian, case_sensitive=case
        )


def disagreement(task: Task) -> str | None:
    """Return how a command line's score differs from sacreBLEU's, if it does."""
    expected = task.metric.corpus_score(task.hypotheses, task.references).score
    found = call(task.words)
    if found.code != 0:
        return f"{shlex.join(task.words)}: {found.err} for {task.hypotheses} {task.references}"
    score = json.loads(found.out)["score"]
    if abs(score - expected) <= 1e-9:
        return None
    return f"{shlex.join(task.words)}: {score}, not {expected} for {task.hypotheses} {task.references}"


# --- Hunting ------------------------------------------------------------------------------------------------


def hunt(seed: int, folder: Path, count: int) -> Iterator[str]:
    """Yield what is wrong with this many command lines, damaged reports and scores."""
    write_files(folder)
    lines, tasks, text, report = CommandLines(seed), Tasks(seed), RandomText(seed), make_report(folder)
    for number in range(count):
        words = lines.line()
        if number % 6 == 0:
            (folder / "damaged.json").write_text(json.dumps(damaged(report, text)), "utf-8")
            words = ["reproduce", "damaged.json"]
        found = call(words, TEXT)
        if broken := complaint(words, found):
            yield f"{broken}: mtscore {shlex.join(words)}: {found.code} {found.err[:500]!r}"
        if number % 6 == 1 and (difference := disagreement(tasks.task(folder))):
            yield difference


@pytest.mark.parametrize("seed", range(4))
def test_hunt(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the command line and the files: an answer or one line, and sacreBLEU's scores."""
    monkeypatch.chdir(tmp_path)
    for variable in ("MTSCORE_FORMAT", "MTSCORE_DEBUG"):
        monkeypatch.delenv(variable, raising=False)
    assert list(hunt(seed, tmp_path, 400)) == []


@pytest.mark.parametrize("seed", range(3))
def test_hunt_in_processes(seed: int, tmp_path: Path) -> None:
    """A process of its own does what the function does: the same output, messages and exit code."""
    write_files(tmp_path)
    lines = CommandLines(seed + 1000)
    words = next(words for words in iter(lines.line, None) if not {"-", "--output", "-o"} & set(words))
    with chdir(tmp_path):
        expected = call(words, TEXT)
        env = {**os.environ, "MTSCORE_OFFLINE": "1", "MTSCORE_CACHE": "cache"}
        done = run(*words, stdin=TEXT, cwd=tmp_path, env=env)
    assert Result(done.returncode, done.stdout, done.stderr.decode()) == expected


def main_hunt() -> None:
    """Hunt until the time is over, and print what is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="the first one; by default the clock's")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    first = int(time.time()) if options.seed is None else options.seed
    for seed in count(first):
        with tempfile.TemporaryDirectory() as name, chdir(name):
            for fault in hunt(seed, Path(name), 600):
                print(f"seed {seed}: {fault}")  # noqa: T201  # a tool
        if time.monotonic() > end:
            print(f"seeds {first} to {seed}")  # noqa: T201
            return


if __name__ == "__main__":
    main_hunt()
