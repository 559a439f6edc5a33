"""`mtscore score` as users call it: sacreBLEU's own lines, output, messages, exit codes and bad input."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pytest
from conftest import read_json, run, shared

from mtscore import evaluate, tokenizers
from mtscore._version import VERSION
from mtscore.cli import main
from mtscore.cli.score import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFERENCE = "The small cat sat on the mat.\nA bird flew over it.\n"
HYPOTHESIS = "The small cat sat on a mat.\nThe bird flew over it.\n"
SIGNATURE = f"BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-{VERSION}"
LINE = f"{SIGNATURE} = 66.3 85.7/75.0/60.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 14 ref_len = 14)\n"


class Result(NamedTuple):
    """Hold what a command line did."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class Call(Protocol):
    """Run a command line in the current process."""

    def __call__(self, line: str, stdin: bytes | str = b"") -> Result:
        """Return what it did."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a reference and a hypothesis, without settings from the environment."""
    monkeypatch.chdir(tmp_path)
    for variable in ("MTSCORE_FORMAT", "MTSCORE_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "ref").write_text(REFERENCE, "utf-8")
    (tmp_path / "hyp").write_text(HYPOTHESIS, "utf-8")
    return tmp_path


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Return what runs a command line in this process."""

    def called(line: str, stdin: bytes | str = b"") -> Result:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(line.split())
        found = capsysbinary.readouterr()
        return Result(code, found.out.decode(), found.err.decode())

    return called


# --- sacreBLEU's own command lines

SAME_TEXT = [*range(1, 21), 30, 32, 33, 34, 35, 36, 46, 47, 49]
"""The commands for one system, which print lines, JSON objects or numbers."""

REFUSED = {
    37: "r.txt has 25 lines, wmt22/liv-en/hyp.HuaweiTSC.en has 420 lines",
    38: "missing.txt: no such file",
    39: "missing.txt: no such file",
    41: "the same system twice",
    42: "unknown metric 'meteor'",
    43: "unknown tokenizer 'nope'",
    44: "a comparison needs at least two systems",
    45: "e.txt: is empty",
    48: "r1.tsv:2: expected 2 tab-separated references, found 1",
}


@pytest.mark.parametrize("number", SAME_TEXT)
def test_lines_of_sacrebleu(number: int, call: Call, folder: Path) -> None:
    """SacreBLEU's own command line prints the same numbers, as the same lines but for padding and version."""
    command_line, stdin, expected = recorded(number, folder)
    words = without_format(command_line)
    found = call(" ".join([*words, "-f text --signature-style pipe"]), stdin)
    assert found.code == 0
    assert found.out.splitlines() == as_lines(expected)


SYSTEMS = {
    22: ["23.4", "48.4", "29.9", "53.5"],
    23: ["23.4", "48.4", "29.9", "53.5"],
    24: ["23.4", "48.4", "29.9", "53.5"],
    26: [
        "23.4 (23.4 ± 1.4)",
        "48.4 (48.4 ± 1.1)",
        "29.9 (30.0 ± 1.8) p 0.0010",
        "53.5 (53.6 ± 1.1) p 0.0010",
    ],
    27: ["23.4", "29.9 p 0.0005"],
    28: ["23.4", "29.9 p 0.0020"],
    29: ["48.4 (48.4 ± 1.1)", "53.5 (53.5 ± 1.1) p 0.0033"],
    31: ["52.5", "69.7", "51.0", "69.9"],
}
"""What sacreBLEU's tables have in their cells, system by system."""


@pytest.mark.parametrize("number", SYSTEMS)
def test_tables_of_sacrebleu(number: int, call: Call, folder: Path) -> None:
    """SacreBLEU's command lines for several systems have the same scores, intervals and p-values here."""
    command_line, stdin, _ = recorded(number, folder)
    found = call(" ".join([*without_format(command_line), "-f jsonl"]), stdin)
    assert found.code == 0
    assert [cell(row) for row in found.rows] == SYSTEMS[number]


def cell(row: dict[str, Any]) -> str:
    """Return a row as a cell of sacreBLEU's tables."""
    text = f"{row['score']:.1f}"
    if "mean" in row:
        text += f" ({row['mean']:.1f} ± {row['ci']:.1f})"
    return text + (f" p {row['p_value']:.4f}" if "p_value" in row else "")


def test_full_precision(call: Call, folder: Path) -> None:
    """Scores of several systems in JSON are the doubles that sacreBLEU prints for paired tests."""
    command_line, _, expected = recorded(28, folder)
    rows = call(" ".join([*without_format(command_line), "-f jsonl"])).rows
    theirs = json.loads(expected)
    assert [row["score"] for row in rows] == pytest.approx(
        [entry["BLEU"]["score"] for entry in theirs], rel=1e-12
    )
    assert rows[1]["p_value"] == pytest.approx(theirs[1]["BLEU"]["p_value"], rel=1e-12)


@pytest.mark.parametrize("number", REFUSED)
def test_refused_by_both(number: int, call: Call, folder: Path) -> None:
    """What sacreBLEU refuses with 1, 2 or 17 is exit code 2 here, with a line that says why."""
    command_line, stdin, _ = recorded(number, folder)
    assert_refused(call(" ".join(command_line), stdin), REFUSED[number])


def test_what_works_here_only(call: Call, folder: Path) -> None:
    """Where sacreBLEU crashes, refuses or misreads, there is an answer."""
    command_line, stdin, _ = recorded(21, folder)  # a tab on standard input is text, not another system
    assert len(call(" ".join(without_format(command_line)) + " -f jsonl", stdin).rows) == 1
    command_line, stdin, _ = recorded(25, folder)  # the paired bootstrap of chrF in JSON
    assert [row["name"] for row in call(" ".join(command_line) + " -f jsonl").rows] == ["BLEU", "chrF2"] * 2
    command_line, stdin, _ = recorded(40, folder)  # two metrics for every segment
    assert len(call(" ".join(command_line) + " -f jsonl").rows) == 50
    command_line, stdin, _ = recorded(50, folder)  # a carriage return inside a line on standard input
    assert call(" ".join([*command_line, "-b"]), stdin).out == "100.0\n"


def recorded(number: int, folder: Path) -> tuple[list[str], str, str]:
    """Set up one of sacreBLEU's recorded command lines; return its words, standard input and output."""
    [entry] = [
        entry
        for entry in read_json(shared("data", "cli_expected.json"))["commands"]
        if entry["id"] == f"cli-{number:02}"
    ]
    for name in ("wmt21", "wmt22"):
        if not (folder / name).exists():
            (folder / name).symlink_to(shared("data", name))
    for name, recipe in entry.get("setup", {}).items():
        (folder / name).write_bytes(made(recipe).encode())
    return entry["argv"], made(entry.get("stdin")), entry["expected"]["stdout"]


def made(recipe: list[Any] | None) -> str:
    """Return the text that a recipe of the recorded command lines describes."""
    match recipe:
        case ["text", text]:
            return str(text)
        case ["head", count, file]:
            return "".join(raw_lines(file)[:count])
        case [_, *files]:
            columns = [[line.removesuffix("\n") for line in raw_lines(file)] for file in files]
            return "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
    return ""


def raw_lines(file: str) -> list[str]:
    """Return the lines of a data file with their newlines."""
    text = shared("data", *file.split("/")).read_bytes().decode()
    return [line + "\n" for line in text.split("\n")[:-1]]


def without_format(words: list[str]) -> list[str]:
    """Return a command line without its choice of a format."""
    if "-f" not in words:
        return words
    position = words.index("-f")
    return words[:position] + words[position + 2 :]


def as_lines(output: str) -> list[str]:
    """Return sacreBLEU's output as the text lines that it would print without padding."""
    output = output.replace(":2.6.0", f":mtscore-{VERSION}")
    if not output.startswith(("{", "[")):
        return [line.lstrip() for line in output.splitlines()]
    rows = json.loads(output)
    return [as_line(row) for row in (rows if isinstance(rows, list) else [rows])]


def as_line(row: dict[str, Any]) -> str:
    """Return the text line for one of sacreBLEU's JSON objects."""
    confidence = f" ({row['confidence']})" if "confidence" in row else ""
    verbose = f" {row['verbose_score']}" if "verbose_score" in row else ""
    return f"{row['name']}|{row['signature']} = {row['score']}{confidence}{verbose}"


# --- Output


def test_text_line(call: Call) -> None:
    """By default one line has signature, score and its parts, and nothing else is said."""
    assert call("ref -i hyp") == Result(0, LINE, "")
    assert call("ref", HYPOTHESIS) == Result(0, LINE, "")
    assert call("score ref -i -", HYPOTHESIS) == Result(0, LINE, "")
    assert call("-i hyp ref") == Result(0, LINE, "")
    assert call("-i hyp -r ref") == Result(0, LINE, "")
    assert call("- -i hyp", REFERENCE) == Result(0, LINE, "")


@pytest.mark.parametrize(
    ("options", "output"),
    [
        ("-b", "66.3\n"),
        ("-b -w 4", "66.2688\n"),
        ("-bw0", "66\n"),
        ("-b -f json", "66.3\n"),
        ("-b -sl", "59.5\n76.0\n"),
        ("-b -m chrf bleu -w 2", "66.27\n80.75\n"),
        ("-b -lc -s floor -sv 0.5 --max-ngram-order 2", "80.2\n"),
    ],
)
def test_numbers_only(call: Call, options: str, output: str) -> None:
    """With -b there is one number a line, in the order of systems, then segments, then BLEU, chrF, TER."""
    assert call(f"ref -i hyp {options}") == Result(0, output, "")


def test_json_object(call: Call) -> None:
    """One row is an object with the fields of the schema, numbers being numbers at full precision."""
    row = json.loads(call("ref -i hyp -f json").out)
    assert list(row) == [
        "system",
        "file",
        "name",
        "score",
        "better",
        "signature",
        "settings",
        "verbose_score",
        "counts",
        "totals",
        "precisions",
        "bp",
        "ratio",
        "sys_len",
        "ref_len",
    ]
    assert row["settings"] == {
        "case": "mixed",
        "numrefs": 1,
        "smooth": "exp",
        "tok": "13a",
        "version": f"mtscore-{VERSION}",
    }
    assert (row["system"], row["file"], row["signature"], row["better"]) == (
        "hyp",
        "hyp",
        SIGNATURE,
        "higher",
    )
    assert (row["counts"], row["totals"]) == ([12, 9, 6, 4], [14, 12, 10, 8])
    assert row["score"] == pytest.approx(66.26877340247366, rel=1e-12)
    assert len(str(row["score"])) > 12
    assert "file" not in json.loads(call("ref -f json", HYPOTHESIS).out)


def test_json_array_and_lines(call: Call, folder: Path) -> None:
    """Several rows are an array in JSON, and in JSON lines an object a line, however many there are."""
    (folder / "hyp2").write_text(REFERENCE, "utf-8")
    objects = call("ref -i hyp hyp2 -m bleu chrf -f jsonl").rows
    assert json.loads(call("ref -i hyp hyp2 -m chrf bleu -f json").out) == objects
    assert [(row["system"], row["name"]) for row in objects] == [
        ("hyp", "BLEU"),
        ("hyp", "chrF2"),
        ("hyp2", "BLEU"),
        ("hyp2", "chrF2"),
    ]
    [alone] = call("ref -i hyp -f jsonl").rows
    assert alone == json.loads(call("ref -i hyp -f json").out)


def test_segments(call: Call) -> None:
    """With -sl every segment has a row that says its number, under effective order, and nothing more."""
    rows = call("ref -i hyp -sl -f jsonl").rows
    assert [row["segment"] for row in rows] == [1, 2]
    assert {row["settings"]["eff"] for row in rows} == {"yes"}
    assert [round(row["score"], 4) for row in rows] == [59.4604, 75.9836]
    corpus = json.loads(call("ref -i hyp -f json").out)
    assert set(rows[0]) == set(corpus) | {"segment"}


def test_width(call: Call) -> None:
    """Text shows one decimal and -w as many as asked for, also in JSON, which otherwise is exact."""
    assert " = 66.269 85.7/" in call("ref -i hyp -w 3").out
    assert json.loads(call("ref -i hyp -f json -w 2").out)["score"] == 66.27


def test_signature_styles(call: Call) -> None:
    """The text line's signature comes in either style, long or short; JSON always has the one to paste."""
    assert call("ref -i hyp -sh").out.startswith(f"BLEU+c.mixed+#.1+s.exp+tok.13a+v.mtscore-{VERSION} = ")
    pipe = call("ref -i hyp --signature-style pipe").out
    assert pipe.startswith(f"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:mtscore-{VERSION} = ")
    short = call("ref -i hyp --signature-style pipe -sh").out
    assert short.startswith(f"BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:mtscore-{VERSION} = ")
    assert json.loads(call("ref -i hyp -f json -sh --signature-style pipe").out)["signature"] == SIGNATURE


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ("-lc", {"case": "lc"}),
        ("-tok intl", {"tok": "intl"}),
        ("-s add-k", {"smooth": "add-k[1.00]"}),
        ("-s floor -sv 0.01", {"smooth": "floor[0.01]"}),
        ("--max-ngram-order 2", {"maxn": 2}),
        ("-l en-de", {"lang": "en-de", "tok": "13a"}),
        ("-l en-zh", {"lang": "en-zh", "tok": "zh"}),
        ("-l en-zh_CN", {"lang": "en-zh_CN", "tok": "zh"}),
        ("-l en-zh -tok char", {"lang": "en-zh", "tok": "char"}),
        ("-r hyp", {"numrefs": 2}),
    ],
)
def test_settings_show(call: Call, options: str, fields: dict[str, object]) -> None:
    """Every option that may move the number is in the signature."""
    row = json.loads(call(f"ref -i hyp -f json {options}").out)
    assert fields.items() <= row["settings"].items()


def test_format_from_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """MTSCORE_FORMAT chooses the format, a flag beats it, and an unknown one is an error."""
    monkeypatch.setenv("MTSCORE_FORMAT", "json")
    assert json.loads(call("ref -i hyp").out)["name"] == "BLEU"
    assert call("ref -i hyp -f text").out == LINE
    assert call("ref -i hyp -b").out == "66.3\n"
    monkeypatch.setenv("MTSCORE_FORMAT", "")
    assert call("ref -i hyp").out == LINE
    monkeypatch.setenv("MTSCORE_FORMAT", "jsn")
    assert_refused(call("ref -i hyp"), "MTSCORE_FORMAT: unknown format 'jsn' (did you mean json")


def test_numbers_never_come_from_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """SacreBLEU's variables and locales change nothing."""
    for variable in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "LC_ALL", "LANG"):
        monkeypatch.setenv(variable, "text" if "FORMAT" in variable else "1")
    assert call("ref -i hyp").out == LINE


# --- Inputs


def test_several_references(call: Call, folder: Path) -> None:
    """References may be several files, wherever they are named, or columns of one file."""
    (folder / "ref2").write_text(HYPOTHESIS, "utf-8")
    lines = zip(REFERENCE.splitlines(), HYPOTHESIS.splitlines(), strict=True)
    (folder / "tsv").write_text("".join(f"{a}\t{b}\n" for a, b in lines), "utf-8")
    wanted = call("ref ref2 -i hyp -f json").out
    assert json.loads(wanted)["settings"]["numrefs"] == 2
    for line in (
        "ref -i hyp -r ref2",
        "-r ref --reference ref2 -i hyp",
        "tsv -nr 2 -i hyp",
    ):
        assert call(f"{line} -f json").out == wanted


def test_empty_column(call: Call, folder: Path) -> None:
    """The last of the columns may be empty: with --empty-refs-missing it is no reference."""
    (folder / "tsv").write_text(
        "The small cat sat on the mat.\t\nA bird flew over it.\tA bird flew.\n", "utf-8"
    )
    found = call("tsv --num-refs 2 -i hyp -f json")
    assert json.loads(found.out)["settings"]["numrefs"] == 2
    assert "warning: tsv:1: empty reference" in found.err
    missing = call("tsv --num-refs 2 -i hyp -f json --empty-refs-missing")
    assert json.loads(missing.out)["settings"]["numrefs"] == "var"
    assert json.loads(missing.out)["ref_len"] == 14
    assert missing.err == ""


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_inputs(call: Call, folder: Path, compress: Callable[[bytes], bytes]) -> None:
    """Compressed files are read like others, on standard input, too, whatever their names."""
    (folder / "ref").write_bytes(compress(REFERENCE.encode()))
    assert call("ref -i hyp").out == LINE
    assert call("ref", compress(HYPOTHESIS.encode())).out == LINE


def test_fifos(folder: Path) -> None:
    """Reference and hypothesis may both be FIFOs."""
    os.mkfifo(folder / "a")
    os.mkfifo(folder / "b")
    texts = {"a": REFERENCE, "b": gzip.compress(HYPOTHESIS.encode())}
    writers = [
        threading.Thread(target=feed, args=(folder / name, text), daemon=True) for name, text in texts.items()
    ]
    for writer in writers:
        writer.start()
    assert run("a", "-i", "b", cwd=folder).stdout.decode() == LINE
    for writer in writers:
        writer.join()


def feed(file: Path, text: str | bytes) -> None:
    """Write to a FIFO once somebody reads it."""
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\t"])
def test_text_inside_lines(call: Call, folder: Path, mark: str) -> None:
    """What other programs take for a line's end is white space inside it, in files and on standard input."""
    text = HYPOTHESIS.replace("small ", f"small{mark}")
    (folder / "hyp").write_bytes(text.encode())
    assert call("ref -i hyp").out == LINE
    assert call("ref", text).out == LINE


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        (REFERENCE.replace("\n", "\r\n"), HYPOTHESIS),
        (REFERENCE, HYPOTHESIS.replace("\n", "\r\n")),
        ("\ufeff" + REFERENCE, HYPOTHESIS),
        (REFERENCE, "\ufeff" + HYPOTHESIS),
        (REFERENCE.rstrip("\n"), HYPOTHESIS),
        (REFERENCE, HYPOTHESIS.replace("\n", " \t\n")),
    ],
)
def test_forms_of_the_same_text(call: Call, folder: Path, reference: str, hypothesis: str) -> None:
    """CRLF, byte-order marks, a missing last newline and trailing blanks do not move the number."""
    (folder / "ref").write_bytes(reference.encode())
    (folder / "hyp").write_bytes(hypothesis.encode())
    assert call("ref -i hyp").out == LINE
    assert call("ref", hypothesis).out == LINE


def test_encodings(call: Call, folder: Path) -> None:
    """All inputs are read in the encoding that is named."""
    (folder / "ref").write_text("Größe zählt viel.\n", "utf-16")
    assert call("ref -e utf-16 -b", "Größe zählt viel.\n".encode("utf-16")).out == "100.0\n"
    (folder / "ref").write_bytes("Größe zählt viel.\n".encode("latin-1"))
    assert call("ref -e latin-1 -b", "Größe zählt viel.\n".encode("latin-1")).out == "100.0\n"


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_jobs(call: Call, folder: Path, jobs: int) -> None:
    """Any number of jobs gives the same output, in the same order."""
    (folder / "ref").write_text(REFERENCE * 3000, "utf-8")
    (folder / "hyp").write_text(HYPOTHESIS * 3000, "utf-8")
    assert call(f"ref -i hyp -w 12 -j {jobs}").out == call("ref -i hyp -w 12").out


def test_nothing_is_left_open(call: Call, folder: Path) -> None:
    """Files are closed after an error, too."""
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    (folder / "long").write_text(REFERENCE * 2, "utf-8")
    for _ in range(3):
        call("long ref -i hyp")
    assert not before or len(os.listdir("/proc/self/fd")) <= before


# --- Messages


def test_notes_are_for_those_who_ask(call: Call) -> None:
    """A note is printed with -v and on a terminal, never elsewhere."""
    assert call("ref -i ref").err == ""
    assert call("ref -i ref -v").err == "mtscore: note: ref: is the same text as reference 1\n"
    assert call("ref -i ref -v -q").err == ""


def test_warnings(call: Call) -> None:
    """A warning is printed behind the result, not with -q, unless --strict makes it exit code 1."""
    warning = "mtscore: warning: no segment of stdin has a 4-gram"
    found = call("ref", "cat\nbird\n")
    assert (found.code, found.out.count("\n"), found.err[: len(warning)]) == (0, 1, warning)
    assert found.err.count("\n") == 1
    quiet = call("ref -q", "cat\nbird\n")
    assert quiet == Result(0, found.out, "")
    assert call("ref --strict", "cat\nbird\n") == Result(1, found.out, found.err)
    assert call("ref --strict -q", "cat\nbird\n") == Result(1, found.out, found.err)
    assert call("ref --strict -v -i ref").code == 0


def test_messages_in_the_report(call: Call, folder: Path) -> None:
    """Warnings and notes are all in the JSON report, whether they were printed or not."""
    assert call("ref -q -i ref -o report.json").code == 0
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert [message["code"] for message in report["messages"]] == ["identical-to-reference"]
    assert [(entry["role"], entry["file"], entry["lines"]) for entry in report["inputs"]] == [
        ("hypothesis", "ref", 2),
        ("reference", "ref", 2),
    ]


# --- Bad input


def assert_refused(found: Result, *parts: str, code: int = 2) -> None:
    """Assert that there is no result, one line on standard error, and what it says."""
    assert (found.code, found.out) == (code, "")
    assert found.err.startswith("mtscore: error: ")
    assert found.err.endswith("\n")
    assert found.err.count("\n") == 1
    assert "Traceback" not in found.err
    for part in parts:
        assert part in found.err


def test_an_order_that_contradicts_the_name(call: Call) -> None:
    """An order of words is an error where the metric's name says another, unless it is for another metric."""
    assert_refused(
        call("ref -i hyp -m chrf++ --chrf-word-order 1"),
        "--chrf-word-order 1: contradicts chrf++ (-m chrf --chrf-word-order 1)",
    )
    both = call("ref -i hyp -m chrf chrf++ --chrf-word-order 1 -b").out
    assert both == "".join(call(f"ref -i hyp -m {name} -b").out for name in ("chrf+", "chrf++"))
    assert call("ref -i hyp -m chrf++ --chrf-word-order 2 -b").out == call("ref -i hyp -m chrf++ -b").out


@pytest.mark.parametrize("option", ["-j 0", "--paired-jobs 0"])
def test_as_many_jobs_as_processors(option: str, call: Call) -> None:
    """No jobs at all are one for each processor."""
    assert call(f"ref -i hyp {option}") == call("ref -i hyp")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ref -i missing", "missing: no such file"),
        ("missing -i hyp", "missing: no such file"),
        ("ref -r missing -i hyp", "missing: no such file"),
        ("ref -i .", ".: is a directory, not a file"),
        (". -i hyp", ".: is a directory, not a file"),
        ("-i hyp", "no reference (mtscore REFERENCE -i HYPOTHESES, or -t SET -l SRC-TRG"),
        ("-b", "no reference"),
        ("-i a b c", "either `c -i a b` if the last file is the reference, or `REFERENCE -i a b c`"),
        ("ref -i", "-i/--input needs at least one file (`-i -` is standard input)"),
        ("ref -i hyp ./hyp", "-i/--input: the same system twice: hyp and ./hyp"),
        ("- -i -", "standard input can be read once only"),
        ("ref hyp -nr 2 -i hyp", "-nr/--num-refs: several references on a line come from one file"),
        ("ref -nr 2 -i hyp", "ref:1: expected 2 tab-separated references, found 1"),
        ("ref -nr 0 -i hyp", "--num-refs: num refs must be >= 1, not 0"),
        ("ref -i hyp -e utf-9", "unknown encoding 'utf-9' (for example utf-8"),
        ("ref -i hyp -e utf-16", "not valid UTF-16"),
        ("ref -i hyp -tok 13b", "unknown tokenizer '13b' (did you mean 13a?)"),
        ("ref -i hyp -tok french", "unknown tokenizer 'french' (known: 13a, intl, zh, char, none"),
        ("ref -i hyp -s flor", "unknown smooth method 'flor' (did you mean floor?)"),
        ("ref -i hyp -sv 1", "smoothing method 'exp' takes no value (floor and add-k do)"),
        ("ref -i hyp -s none -sv 1", "smoothing method 'none' takes no value"),
        ("ref -i hyp -s floor -sv -1", "smooth value must be from 0 to 1e100, not -1.0"),
        ("ref -i hyp -s floor -sv nan", "smooth value must be from 0 to 1e100, not nan"),
        ("ref -i hyp -s floor -sv x", "'x' is not a valid float"),
        ("ref -i hyp --max-ngram-order 0", "BLEU's n-gram order must be a whole number from 1 to 100, not 0"),
        ("ref -i hyp -l en", "-l: language pair 'en' is not of the form src-trg (for example en-de)"),
        ("ref -i hyp -l en-", "language pair 'en-' is not of the form src-trg"),
        ("ref -i hyp -l -de", "language pair '-de' is not of the form src-trg"),
        ("ref -i hyp -w -1", "width must be >= 0, not -1"),
        ("ref -i hyp -w 101", "width must be <= 100, not 101"),
        ("ref -i hyp -w x", "'x' is not a valid integer"),
        ("ref -i hyp -w", "-w needs a value"),
        ("ref -i hyp -f yaml", "unknown format 'yaml' (known: text, json, jsonl, tsv, markdown, latex)"),
        ("ref -i hyp --signature-style short", "unknown signature style 'short' (known: plus, pipe)"),
        ("ref -i hyp -m", "-m/--metrics needs at least one metric"),
        ("ref -i hyp -m blue", "unknown metric 'blue' (did you mean bleu?)"),
        ("ref -i hyp -m bleu bleu", "bleu is asked for twice"),
        ("ref -i hyp --tok intl", "-tok"),
        ("ref -i hyp --nope", "No such option"),
        ("ref -i hyp --quiet=1", "'--quiet' does not take a value"),
        ("ref -i hyp -j -1", "-j/--jobs: the number of jobs must be at least 1, not -1"),
        ("ref -i hyp --names a,b", "--names: 2 names for 1 system"),
        ("ref -i hyp --examples -1", "examples must be >= 0, not -1"),
        ("ref -i hyp -o report.yaml", "a report's format is told by its suffix"),
        ("ref -i hyp -ci -cin 0", "the number of trials must be a whole number from 1 to 10000000, not 0"),
        ("ref -i hyp -par", "a comparison needs at least two systems"),
        ("ref -i hyp ref -par -pbs", "choose one test"),
        ("ref -i hyp -sl --fail-under 0", "tests, intervals, gates and examples are for corpora"),
        ("ref -i hyp ref -sl --max-drop 1", "tests, intervals, gates and examples are for corpora"),
        ("ref -i hyp ref -sl --examples 1", "tests, intervals, gates and examples are for corpora"),
        ("ref -i hyp ref -sl --baseline hyp", "tests, intervals, gates and examples are for corpora"),
        ("ref -i hyp -sl --groups ref", "groups are of segments, not of one"),
        ("-t wmt17 -l en-de -i missing -sl --detail", "groups are of segments, not of one"),
        ("ref -i hyp ref -sl -par", "tests, intervals, gates and examples are for corpora"),
        ("ref -i hyp --seed -1", "--seed: the seed must be a whole number from 0 up"),
        ("ref -i hyp --alpha 2", "--alpha: the level must lie between 0 and 1"),
        ("ref -i hyp --groups missing", "missing: no such file"),
    ],
)
def test_bad_command_lines(call: Call, line: str, message: str) -> None:
    """What makes no sense is exit code 2, no output, and one line that says what and where."""
    assert_refused(call(line), message)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "message"),
    [
        (b"", b"a\n", "ref: is empty"),
        (b"a\n", b"", "hyp: is empty"),
        (b"", b"", "hyp: is empty"),
        (b"a\nb\n", b"a\n", "hyp has 1 line, ref has 2 lines"),
        (b"a\n", b"a\nb\nc\n", "ref has 1 line, hyp has 3 lines"),
        (b"a\nb\n\n", b"a\nb\n", "hyp has 2 lines, ref has 3 lines (the last line of ref is blank)"),
        (b"a\nb\n", b"a\rx\n", "(hyp:1 has a carriage return, U+2028 or the like inside)"),
        (b"a\nb\n", b"a", "(hyp has no newline at its end)"),
        (
            b"a\n",
            b"caf\xe9\n",
            "hyp:1: not valid UTF-8 at byte 4 (0xe9) (if the text has another encoding, name it",
        ),
        (
            b"\xff\xfea\0\n\0",
            b"a\n",
            "ref:1: not valid UTF-8 at byte 1 (0xff) (if the text has another encoding",
        ),
        (b"\x1f\x8b\x08broken", b"a\n", "ref: cannot be read: "),
    ],
)
def test_bad_files(call: Call, folder: Path, reference: bytes, hypothesis: bytes, message: str) -> None:
    """Files that do not go together or are not text are exit code 2, with names, counts, line and byte."""
    (folder / "ref").write_bytes(reference)
    (folder / "hyp").write_bytes(hypothesis)
    assert_refused(call("ref -i hyp"), message)
    named = message.replace("hyp: is empty", "no hypotheses on standard input").replace(
        "hyp", "standard input"
    )
    assert_refused(call("ref", hypothesis), named.replace("no standard inputotheses", "no hypotheses"))


def test_missing_extra(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer whose package is not installed is exit code 2, with the command that installs it."""
    monkeypatch.setitem(sys.modules, "MeCab", None)
    tokenizers.tokenizer.cache_clear()
    assert_refused(call("ref -i hyp -tok ja-mecab"), "needs an optional package (pip install 'mtscore[ja]')")
    assert_refused(call("ref -i hyp -l en-ja"), "pip install 'mtscore[ja]'")
    tokenizers.tokenizer.cache_clear()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(call: Call, folder: Path) -> None:
    """A file that may not be read is exit code 2."""
    (folder / "hyp").chmod(0)
    assert_refused(call("ref -i hyp"), "hyp: no permission to read it")


def test_command_that_is_a_file(call: Call, folder: Path) -> None:
    """A first word that names a command and a file is exit code 2 and says how to write either."""
    (folder / "demo").write_text(REFERENCE, "utf-8")
    assert_refused(call("demo"), "demo is a command and a file here (the file is ./demo;")
    assert call("./demo -i hyp").out == LINE
    assert call("score demo -i hyp").out == LINE


def test_names_of_any_bytes(folder: Path) -> None:
    """A name that is not text in any encoding is printed, and does not break the message."""
    found = run("ref", "-i", os.fsdecode(b"caf\xe9"), cwd=folder)
    assert found.returncode == 2
    assert found.stderr.count(b"\n") == 1
    (folder / os.fsdecode(b"caf\xe9")).write_text(HYPOTHESIS, "utf-8")
    found = run("ref", "-i", os.fsdecode(b"caf\xe9"), "-f", "json", cwd=folder)
    assert found.returncode == 0
    assert json.loads(found.stdout)["score"] == pytest.approx(66.26877340247366, rel=1e-12)


# --- No arguments, help, version


def test_no_arguments(call: Call) -> None:
    """Without arguments there are 12 lines of usage on standard error, and exit code 2."""
    found = call("")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("Usage: mtscore REFERENCE... -i HYPOTHESES...")
    assert found.err.count("\n") == 12


@pytest.mark.parametrize("line", ["--help", "-h", "score --help", "ref -i hyp --help"])
def test_help(call: Call, line: str) -> None:
    """Help is on standard output, in groups, and shows every option and examples."""
    found = call(line)
    assert (found.code, found.err) == (0, "")
    assert [group in found.out for group in ("\nInput:", "\nBLEU:", "\nOutput:", "\nExamples:")] == [True] * 4
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            assert all(spelling in found.out for spelling in parameter.opts if spelling.startswith("-"))


@pytest.mark.parametrize("line", ["--version", "-V", "score -V", "ref -i hyp -V"])
def test_version(call: Call, line: str) -> None:
    """The version is one line on standard output."""
    assert call(line) == Result(0, f"mtscore {VERSION}\n", "")


# --- Processes


def test_both_ways_to_start(folder: Path) -> None:
    """The console script and `python -m mtscore` are the same program."""
    assert run("ref", "-i", "hyp", cwd=folder).stdout.decode() == LINE
    script = os.path.join(os.path.dirname(sys.executable), "mtscore")
    if not os.path.exists(script):
        pytest.skip("the console script is not installed here")
    found = subprocess.run(
        [script, "ref"], input=HYPOTHESIS.encode(), capture_output=True, cwd=folder, check=False
    )
    assert (found.returncode, found.stdout.decode(), found.stderr) == (0, LINE, b"")


def test_any_locale(folder: Path) -> None:
    """Output is UTF-8, and input is read as UTF-8, whatever the locale says."""
    text = "“Größe” zählt — viel…\n"
    (folder / "ref").write_text(text, "utf-8")
    for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
        env = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        found = run("ref", "-ci", "-cin", "10", stdin=text.encode(), cwd=folder, env=env)
        assert (found.returncode, "(μ = 100.0 ± 0.0)" in found.stdout.decode()) == (0, True)


@pytest.mark.parametrize(
    ("shell", "code", "out"),
    [
        ("{} ref -i hyp >&-", 3, b""),
        ("{} ref -i hyp 2>&-", 0, LINE.encode()),
        ("{} ref <&-", 2, b""),
        ("{} ref -i hyp <&-", 0, LINE.encode()),
        ("{} ref -i missing 2>&-", 2, b""),
        ("{} ref -i missing >&- 2>&-", 2, b""),
        ("{} ref -i hyp -v >&- 2>&- <&-", 3, b""),
    ],
)
def test_closed_streams(folder: Path, shell: str, code: int, out: bytes) -> None:
    """With standard streams closed the answer goes where it can, and the exit code tells the rest."""
    found = in_shell(shell, folder)
    assert (found.returncode, found.stdout) == (code, out)
    assert b"Traceback" not in found.stderr
    assert b"Exception ignored" not in found.stderr


def in_shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in which `{}` stands for the program."""
    program = f"{sys.executable} -m mtscore"
    return subprocess.run(["sh", "-c", line.format(program)], capture_output=True, cwd=folder, check=False)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_full_disk(folder: Path) -> None:
    """A result that cannot be written is exit code 3 and one line."""
    found = in_shell("{} ref -i hyp > /dev/full", folder)
    assert found.returncode == 3
    assert found.stderr.startswith(b"mtscore: error: ")
    assert b"No space left on device" in found.stderr
    assert found.stderr.count(b"\n") == 1


def test_report_that_cannot_be_written(call: Call, folder: Path) -> None:
    """A report that cannot be written is exit code 3."""
    assert_refused(
        call("ref -i hyp -o no/such/folder/report.json"), "report.json: cannot be written: ", code=3
    )


def test_closed_pipe(folder: Path) -> None:
    """When the reader of a pipe goes away, the program ends quietly with 141."""
    (folder / "ref").write_text(REFERENCE * 4000, "utf-8")
    (folder / "hyp").write_text(HYPOTHESIS * 4000, "utf-8")
    command_line = [sys.executable, "-m", "mtscore", "ref", "-i", "hyp", "-sl", "-f", "jsonl"]
    with subprocess.Popen(
        command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"system": "hyp"')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize("pause", [0.005, 0.02, 0.05, 0.5])
def test_interrupt(folder: Path, pause: float) -> None:
    """Ctrl-C ends the program with 130 and without a traceback, during its imports and later."""
    program = (
        "import os, mtscore.cli as c; m = c.main; c.main = lambda a: os.write(1, b'+') and m(a); c.run()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "ref", "-i", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"+"
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
        assert process.communicate() == (b"", b"")
    assert process.returncode == 130


def test_internal_error(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the program itself is exit code 3 and one line; the traceback is for those who ask."""

    def fail(*_arguments: object, **_settings: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(evaluate, "collect", fail)
    found = call("ref -i hyp")
    assert_refused(
        found, "internal error: RuntimeError: two lines (please report it", "MTSCORE_DEBUG=1", code=3
    )
    monkeypatch.setenv("MTSCORE_DEBUG", "1")
    code, out, err = call("ref -i hyp")
    assert (code, out) == (3, "")
    assert err.startswith("Traceback (most recent call last):\n")
    assert "\nmtscore: error: internal error: RuntimeError: two lines (please report it" in err
    assert call("ref -i missing")[0] == 2


def test_terminal(folder: Path) -> None:
    """On a terminal, reading from it is said, one Ctrl-D ends it, and notes are shown."""
    control, terminal = pty.openpty()
    command_line = [sys.executable, "-m", "mtscore", "ref"]
    with subprocess.Popen(
        command_line, stdin=terminal, stdout=subprocess.PIPE, stderr=terminal, cwd=folder
    ) as process:
        os.close(terminal)
        assert b"reading hypotheses from the terminal" in os.read(control, 1000)
        os.write(control, REFERENCE.encode() + b"\x04")
        assert process.stdout is not None
        assert b" = 100.0 " in process.stdout.read()
    assert process.returncode == 0
    assert b"note: stdin: is the same text as reference 1" in everything(control)


def everything(control: int) -> bytes:
    """Return all that is left to read from a terminal that nobody writes to any more, and close it."""
    shown = b""
    with suppress(OSError):  # which is how its end is told
        while more := os.read(control, 5000):
            shown += more
    os.close(control)
    return shown
