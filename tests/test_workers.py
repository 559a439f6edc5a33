"""Sharing work among processes: the same results, in the same order, whatever the processes do."""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from conftest import run
from random_text import RandomText

from mtscore import workers
from mtscore.errors import AlignmentError, WorkerError
from mtscore.workers import in_order

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
JOBS = pytest.mark.parametrize("jobs", [1, 2, 3, 5])


def children() -> int:
    """Return how many processes of ours have not been waited for."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0
    return 1


@JOBS
def test_results_come_in_order(jobs: int) -> None:
    """Every item comes with its own result, in order, however long each takes and wherever it is done."""

    def work(number: int) -> tuple[int, bytes]:
        time.sleep(0.001 * (number % 5))
        return os.getpid(), bytes(number * 1000)

    found = list(in_order(work, range(60), jobs))
    assert [(number, result) for number, (_, result) in found] == [(n, bytes(n * 1000)) for n in range(60)]
    assert len({process for _, (process, _) in found}) == jobs
    assert children() == 0


@JOBS
def test_nothing_to_do(jobs: int) -> None:
    """Without items there are no results, and with one there is one."""
    assert list(in_order(str, [], jobs)) == []
    assert list(in_order(str, [7], jobs)) == [(7, "7")]
    assert children() == 0


@JOBS
def test_items_are_read_as_they_are_needed(jobs: int) -> None:
    """An endless input yields its first results, and stopping ends all processes."""
    read = 0

    def endless() -> Any:
        nonlocal read
        while True:
            read += 1
            yield read

    results = in_order(lambda number: number * 2, endless(), jobs)
    assert [next(results) for _ in range(50)] == [(number, number * 2) for number in range(1, 51)]
    assert read <= 50 + 4 * workers.SLOTS * jobs
    results.close()  # type: ignore[attr-defined]  # a generator
    assert children() == 0


@JOBS
def test_errors_come_in_order(jobs: int) -> None:
    """The first item that fails raises its error, after the results of those before it."""

    def work(number: int) -> int:
        if number >= 20:
            raise AlignmentError(f"item {number}", where="here", hint="none")
        return number

    results = in_order(work, range(40), jobs)
    assert list(islice(results, 20)) == [(number, number) for number in range(20)]
    with pytest.raises(AlignmentError, match=r"here: item 20 \(none\)"):
        next(results)
    assert children() == 0


@JOBS
def test_errors_of_the_input(jobs: int) -> None:
    """An input that fails raises its error after the results of what was read."""

    def broken() -> Any:
        yield from range(5)
        raise AlignmentError("the input ends here")

    results = in_order(str, broken(), jobs)
    assert list(islice(results, 5)) == [(number, str(number)) for number in range(5)]
    with pytest.raises(AlignmentError, match="the input ends here"):
        next(results)
    assert children() == 0


def test_items_too_large_to_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items that have no room in the shared memory are worked on all the same."""
    monkeypatch.setattr(workers, "LARGEST_ITEM", 1000)
    items = [bytes(size) for size in (10, 5000, 20, 999, 1001, 0)] * 5
    assert list(in_order(len, items, 3)) == [(item, len(item)) for item in items]


class Counting:
    """Count how often instances are pickled."""

    pickled = 0

    def __reduce__(self) -> tuple[object, ...]:
        Counting.pickled += 1
        return Counting, (), {"filling": bytes(1000)}


@pytest.mark.parametrize("largest", [10, workers.LARGEST_ITEM])
def test_items_are_pickled_once(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    """However many processes could take an item, and whether or not it is too large, it is pickled once."""
    monkeypatch.setattr(workers, "LARGEST_ITEM", largest)
    monkeypatch.setattr(Counting, "pickled", 0)
    assert len(list(in_order(id, [Counting() for _ in range(3)], 5))) == 3
    assert Counting.pickled == 3


def test_results_too_large_to_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that has no room in the shared memory is an error that gives its size and a way out."""
    monkeypatch.setattr(workers, "SLOT_BYTES", mmap.PAGESIZE)
    results = in_order(bytes, [0, 2 * mmap.PAGESIZE, 0], 2)
    assert next(results) == (0, b"")
    with pytest.raises(
        WorkerError, match=rf"a result of [\d,]+ bytes has no room in the {mmap.PAGESIZE:,} .*-j 1"
    ):
        next(results)
    assert children() == 0


def test_a_process_that_dies() -> None:
    """If another process is killed, that is an error, not a wait without end."""
    here = os.getpid()

    def work(number: int) -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(WorkerError, match="a process that shared the work has ended"):
        list(in_order(work, range(20), 3))
    assert children() == 0


def test_no_room_for_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no further process can be started, those that there are do the work."""

    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert list(in_order(str, range(20), 3)) == [(number, str(number)) for number in range(20)]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="this system does not list the open files")
@pytest.mark.parametrize("name", ["fork", "pipe"])
def test_a_process_that_cannot_start_leaves_no_file_open(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Where a process or the second pair of pipe ends is refused, what was opened for it is closed."""
    before = os.listdir("/dev/fd")
    allowed = iter([os.pipe] if name == "pipe" else [])

    def refuse() -> tuple[int, int]:
        for make in allowed:
            return make()
        raise BlockingIOError

    monkeypatch.setattr(os, name, refuse)
    assert list(in_order(str, [7], 3)) == [(7, "7")]
    assert os.listdir("/dev/fd") == before


# --- The program


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Write two references and two systems of several chunks, and return the arguments that score them."""
    folder = tmp_path_factory.mktemp("texts")
    vocabulary = [
        "the",
        "a",
        "cat",
        "sat",
        "on",
        "mat",
        ".",
        ",",
        "!",
        "1,000",
        "3.5",
        "don't",
        "über",
        "中文",
    ]
    text = RandomText(1)
    files = [folder / name for name in ("ref1", "ref2", "hyp1", "hyp2")]
    for file in files:
        lines = [text.words(text.below(9), vocabulary) for _ in range(5000)]
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return [*map(str, files[:2]), "-i", *map(str, files[2:])]


@pytest.mark.parametrize(
    "options",
    [
        ["-m", "bleu", "chrf", "chrf++", "ter", "wer"],
        ["-m", "bleu", "-tok", "intl", "-par", "-parn", "200"],
        ["-m", "bleu", "-sl"],
    ],
    ids=" ".join,
)
def test_reports_do_not_depend_on_jobs(texts: list[str], options: list[str]) -> None:
    """Reports are the same to the last bit for one, two and three jobs."""
    reports = [run(*texts, *options, "-f", "json", "-j", str(jobs)) for jobs in (1, 2, 3)]
    assert reports[0].returncode == 0
    assert len(json.loads(reports[0].stdout)) > 1
    assert len({report.stdout for report in reports}) == 1
    assert len({report.stderr for report in reports}) == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_errors_do_not_depend_on_jobs(tmp_path: Path, jobs: str) -> None:
    """What is wrong far down in a file is said in one line, whoever works on it."""
    (tmp_path / "ref").write_bytes(b"a b c\n" * 9000)
    (tmp_path / "hyp").write_bytes(b"a b c\n" * 8000 + b"a \xff c\n" + b"a b c\n" * 999)
    found = run("ref", "-i", "hyp", "-j", jobs, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"mtscore: error: hyp:8001: not valid UTF-8 at byte 3 (0xff)")
    assert found.stderr.count(b"\n") == 1


@pytest.mark.parametrize("jobs", ["2", "1000000000"])
def test_jobs_of_every_kind(texts: list[str], jobs: str) -> None:
    """Nobody has to wait for the processes, and there are never more than processors."""
    command = [
        "sh",
        "-c",
        'trap "" CHLD; exec "$@"',
        "sh",
        sys.executable,
        "-m",
        "mtscore",
        *texts,
        "-j",
        jobs,
    ]
    found = subprocess.run(command, capture_output=True, check=False)
    expected = run(*texts)
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)


MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_memory_does_not_grow(tmp_path: Path, jobs: str) -> None:
    """A pipe ten times as long takes no more memory."""
    peaks = []
    for lines in (20_000, 200_000):
        reference = tmp_path / f"ref{lines}"
        reference.write_bytes(b"".join(b"the cat number %d sat on the mat .\n" % n for n in range(lines)))
        command = [sys.executable, "-m", "mtscore", str(reference), "-m", "bleu", "chrf", "-j", jobs]
        with subprocess.Popen(["cat", str(reference)], stdout=subprocess.PIPE) as pipe:
            measured = [sys.executable, "-c", MEASURED, *command]
            peaks.append(
                int(subprocess.run(measured, stdin=pipe.stdout, check=True, capture_output=True).stdout)
            )
    assert peaks[1] < 1.1 * peaks[0]
