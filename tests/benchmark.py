"""Measure mtscore beside its peers: `python tests/benchmark.py [--rows NAME ...] [--quick] [--json FILE]`.

The texts are made of real ones (see benchmark_text.py). Every measurement is a process of its own, whose CPU
seconds (of all its processes and threads) and peak memory come from the operating system; calls inside a
Python process are timed in there (see benchmark_calls.py). The sides take turns, and their medians are
compared, after it has been checked that their results agree. Only `jobs` needs a machine with nothing else to
do: there it is the time that passes which counts. The peers are what of sacreBLEU, bleuscore, sacrebleu-mojo
and NLTK is installed beside mtscore; sacreBLEU has to be. Install mtscore as users do: an editable
installation takes longer to start.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

DATA = Path(__file__).parents[2] / "shared" / "data"
HERE = Path(__file__).parent
NEWS = DATA / "wmt17-en-de"
PEERS = {
    "BLEU": ("sacreBLEU", "bleuscore", "sacrebleu-mojo", "NLTK"),
    "CHRF": ("sacreBLEU", "sacrebleu-mojo"),
}
NAMES = {"BLEU": "BLEU", "CHRF": "chrF2", "TER": "TER"}
NAMES |= {f"{metric} alone": f"{name} one by one" for metric, name in NAMES.items()}
APART = {"NLTK": 0.01}
"""By how much the score of a peer may differ that computes something slightly else."""
MANY = 10_000
"""From so many segments on, peers are measured once."""

LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
wall = time.perf_counter() - start
if done.returncode:
    sys.exit(done.stderr.decode())
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, wall, used.ru_maxrss, done.stdout.decode()]))
"""
"""Runs a command from a small process, since the peak of a process counts that of the one that starts it."""
KIBIBYTES = 1024 if sys.platform == "darwin" else 1


@dataclass(frozen=True, slots=True)
class Usage:
    """Hold what something took: CPU seconds, seconds on the clock, and MiB at its peak."""

    cpu: float
    wall: float
    memory: float


@dataclass(frozen=True, slots=True)
class Result:
    """Hold one comparison: `factor` is how many times less mtscore needs, or else what the row says."""

    row: str
    work: str
    ours: Usage
    peer: str
    theirs: Usage | None
    factor: float | None
    goal: str
    reached: bool | None


# --- Measuring


def run(command: Sequence[str], stdin: Path | None = None) -> tuple[Usage, str]:
    """Run a command and return what it took and what it printed; standard input is a pipe."""
    launch = [sys.executable, "-c", LAUNCHER, *command]
    with subprocess.Popen(["cat", stdin or os.devnull], stdout=subprocess.PIPE) as pipe:
        done = subprocess.run(launch, stdin=pipe.stdout, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    cpu, wall, memory, output = json.loads(done.stdout)
    return Usage(cpu, wall, memory / 1024 / KIBIBYTES), output


def middle(usages: Sequence[Usage]) -> Usage:
    """Return the median of each quantity."""
    return Usage(*(median(getattr(usage, name) for usage in usages) for name in ("cpu", "wall", "memory")))


def in_turns(commands: Sequence[Sequence[str]], runs: Sequence[int]) -> list[Usage]:
    """Return the medians of commands that are run in turns, each as often as it has runs."""
    found: list[list[Usage]] = [[] for _ in commands]
    for turn in range(max(runs)):
        for command, usages, wanted in zip(commands, found, runs, strict=True):
            if turn < wanted:
                usages.append(run(command)[0])
    return [middle(usages) for usages in found]


def call(scorer: str, metric: str, text: Path, runs: int) -> tuple[Usage, float] | None:
    """Return what a call takes after the imports, and the score; nothing if the scorer is not installed."""
    arguments = [scorer, metric, str(runs), str(text / "hyp"), str(text / "ref")]
    usage, output = run([sys.executable, str(HERE / "benchmark_calls.py"), *arguments])
    found = json.loads(output)
    if found is None:
        return None
    seconds = median(found["seconds"])
    return Usage(seconds, seconds, usage.memory), found["score"]


def program(name: str) -> list[str]:
    """Return the command of a program that is installed beside this Python."""
    found = shutil.which(name, path=os.path.dirname(sys.executable))
    return [found] if found else [sys.executable, "-m", name]


def agree(what: str, ours: float, theirs: float, tolerance: float) -> None:
    """Stop unless two results are the same."""
    if abs(ours - theirs) > tolerance:
        sys.exit(f"{what}: the results differ: {ours} and {theirs}")


# --- The rows


class Bench:
    """Know the texts, and how large and how often everything is to be done."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder = folder
        self.quick = quick

    def size(self, segments: int) -> int:
        """Return how many segments to take where the row speaks of so many."""
        return segments // 10 if self.quick else segments

    def runs(self, wanted: int) -> int:
        """Return how often to measure."""
        return min(wanted, 2) if self.quick else wanted

    def text(self, segments: int) -> Path:
        """Return the folder with a text of so many segments, and make it if it is not there."""
        folder = self.folder / str(segments)
        if not folder.exists():
            folder.mkdir()
            arguments = [str(DATA), str(segments), str(folder)]
            subprocess.run([sys.executable, str(HERE / "benchmark_text.py"), *arguments], check=True)
        return folder

    def systems(self, count: int) -> list[str]:
        """Return so many systems' files: the real ones, and some that take each segment from one of them."""
        files = sorted(map(str, NEWS.glob("hyp.*.de")))[:count]
        real = [Path(file).read_text("utf-8").removesuffix("\n").split("\n") for file in files]
        chance = random.Random(1)  # noqa: S311  # no secret
        for number in range(len(files), count):
            file = self.folder / f"hyp.mixed-{number}.de"
            file.write_text(
                "".join(f"{chance.choice(lines)}\n" for lines in zip(*real, strict=True)), "utf-8"
            )
            files.append(str(file))
        return files


def faster(row: str, work: str, usages: Sequence[Usage], peer: str, goal: float | None) -> Result:
    """Return how many times faster mtscore is than a peer; `usages` has mtscore first."""
    ours, theirs = usages
    factor = theirs.cpu / ours.cpu
    reached = None if goal is None else factor >= goal
    return Result(row, work, ours, peer, theirs, factor, "" if goal is None else f"≥ {goal:g}×", reached)


def start(bench: Bench) -> Iterator[Result]:
    """Measure how long it takes to say the version, and that nothing large is imported for it."""
    asked = "import sys; from mtscore.cli import main; main(['--version']); print(*sys.modules)"
    imported = {"numpy", "rich", "regex"} & set(run([sys.executable, "-c", asked])[1].split())
    if imported:
        sys.exit(f"--version imports {imported}")
    commands = [[*program("mtscore"), "--version"], [sys.executable, "-c", "pass"]]
    ours, theirs = in_turns(commands, [bench.runs(15)] * 2)
    factor = ours.cpu / theirs.cpu
    yield Result(
        "start", "`mtscore --version`", ours, "`python -c pass`", theirs, factor, "≤ 4.5×", factor <= 4.5
    )


def whole(bench: Bench) -> Iterator[Result]:
    """Measure whole processes on one system of a news test set."""
    files = [str(NEWS / "ref.de"), "-i", str(NEWS / "hyp.xmu.de"), "-b", "-w", "4"]
    for name, metric, options, goal in (
        ("BLEU", "bleu", [], 3.5),
        ("chrF2", "chrf", [], 6),
        ("chrF2++", "chrf++", ["--chrf-word-order", "2"], 5),
        ("TER", "ter", [], 10),
    ):
        ours = [*program("mtscore"), *files, "-m", metric]
        theirs = [*program("sacrebleu"), *files, "-m", metric.rstrip("+"), *options]
        agree(metric, float(run(ours)[1]), float(run(theirs)[1]), 0)
        runs = bench.runs(9), bench.runs(3 if metric == "ter" else 5)
        usages = in_turns([ours, theirs], runs)
        yield faster("whole", f"{name}, 3,004 segments, whole process", usages, "sacreBLEU", goal)


def calls(bench: Bench, row: str, metric: str, segments: int, goals: Mapping[str, float]) -> Iterator[Result]:
    """Measure calls with a text that is in memory, against all peers that have the metric."""
    text = bench.text(segments)
    ours = call("mtscore", metric, text, bench.runs(5))
    for peer in PEERS.get(metric, ("sacreBLEU",)):
        theirs = call(peer, metric, text, bench.runs(3) if segments < MANY else 1)
        work = f"{NAMES[metric]}, {segments:,} segments, in-process"
        if ours is None:
            sys.exit("mtscore is not installed")
        if theirs is None:
            yield Result(row, work, ours[0], peer, None, None, "not installed", None)
            continue
        agree(f"{work}, {peer}", ours[1], theirs[1], APART.get(peer, 1e-9))
        yield faster(row, work, [ours[0], theirs[0]], peer, goals.get(peer))


def bleu(bench: Bench) -> Iterator[Result]:
    """Measure BLEU of long texts."""
    for segments in (100_000, 300_000):
        yield from calls(bench, "bleu", "BLEU", bench.size(segments), {"sacreBLEU": 20, "bleuscore": 4})


def chrf(bench: Bench) -> Iterator[Result]:
    """Measure chrF."""
    goals = {"sacreBLEU": 15, "sacrebleu-mojo": 1}
    yield from calls(bench, "chrf", "CHRF", bench.size(48_000), goals)


def ter(bench: Bench) -> Iterator[Result]:
    """Measure TER."""
    yield from calls(bench, "ter", "TER", bench.size(3_000), {"sacreBLEU": 12})


def alone(bench: Bench) -> Iterator[Result]:
    """Measure one call for each segment."""
    for metric in ("BLEU alone", "CHRF alone", "TER alone"):
        yield from calls(bench, "alone", metric, bench.size(1_000), {})


def systems(bench: Bench) -> Iterator[Result]:
    """Measure three metrics of many systems in one process."""
    count = 4 if bench.quick else 16
    files = [
        str(NEWS / "ref.de"),
        "-i",
        *bench.systems(count),
        "-m",
        "bleu",
        "chrf",
        "ter",
        "-f",
        "json",
        "-w",
        "4",
    ]
    ours, theirs = [*program("mtscore"), *files], [*program("sacrebleu"), *files]
    (mine, found), (peers, expected) = run(ours), run(theirs)
    scores = [float(row[name]) for row in json.loads(expected) for name in ("BLEU", "chrF2", "TER")]
    for row, score in zip(json.loads(found), scores, strict=True):
        agree(f"{row['system']} {row['name']}", row["score"], score, 0)
    mine = middle([mine, *(run(ours)[0] for _ in range(bench.runs(3)))])
    work = f"BLEU, chrF2 and TER of {count} systems, whole process"
    yield faster("systems", work, [mine, peers], "sacreBLEU", 10)


def tests(bench: Bench) -> Iterator[Result]:
    """Measure the two tests of five systems against one another's first."""
    files = [str(NEWS / "ref.de"), "-i", *bench.systems(5), "-m", "bleu", "-f", "json"]
    for name, trials, mine, peers, goal in (
        ("bootstrap", 1_000, ("-pbs", "-pbsn"), ("--paired-bs", "--paired-bs-n"), 10),
        ("approximate randomisation", 10_000, ("-par", "-parn"), ("--paired-ar", "--paired-ar-n"), 15),
    ):
        ours = [*program("mtscore"), *files, *mine, str(trials)]
        theirs = [*program("sacrebleu"), *files, *peers, str(trials)]
        (first, found), (usage, expected) = run(ours), run(theirs)
        for row, other in zip(json.loads(found), json.loads(expected), strict=True):
            agree(row["system"], row["score"], other["BLEU"]["score"], 1e-9)
            agree(row["system"], row.get("p_value") or 0, other["BLEU"]["p_value"] or 0, 0.001)
        usages = [middle([first, *(run(ours)[0] for _ in range(bench.runs(3)))]), usage]
        yield faster(
            "tests", f"{name}, {trials:,} trials, 5 systems, whole process", usages, "sacreBLEU", goal
        )


def memory(bench: Bench) -> Iterator[Result]:
    """Measure what a long input takes in memory, from a file and from a pipe."""
    small, large = bench.size(300_000), bench.size(3_000_000)
    for kind in ("files", "a pipe"):
        peaks = []
        for segments in (small, large):
            text = bench.text(segments)
            command = [*program("mtscore"), str(text / "ref"), "-m", "bleu", "-b"]
            hypotheses = text / "hyp"
            if kind == "files":
                peaks.append(run([*command, "-i", str(hypotheses)])[0])
            else:
                peaks.append(run(command, stdin=hypotheses)[0])
        growth = peaks[1].memory / peaks[0].memory
        reached = peaks[1].memory <= 300 and growth <= 1.3
        work = f"BLEU, {large:,} segments from {kind}: peak memory"
        goal = "≤ 300 MiB, ≤ 1.3×"
        yield Result("memory", work, peaks[1], f"{small:,} segments", peaks[0], growth, goal, reached)


def jobs(bench: Bench) -> Iterator[Result]:
    """Measure how much sooner two processes are done than one, by the clock, with the same report."""
    text = bench.text(bench.size(300_000))
    for metric in ("BLEU", "CHRF"):
        files = [str(text / "ref"), "-i", str(text / "hyp"), "-m", metric.lower(), "-f", "json"]
        one, two = ([*program("mtscore"), *files, "-j", number] for number in ("1", "2"))
        if run(one)[1] != run(two)[1]:
            sys.exit("the report depends on the number of jobs")
        alone, shared = in_turns([one, two], [bench.runs(7)] * 2)
        factor = alone.wall / shared.wall
        work = f"{NAMES[metric]}, {bench.size(300_000):,} segments, `--jobs 2`, on the clock"
        yield Result("jobs", work, shared, "`--jobs 1`", alone, factor, "≥ 1.7×", factor >= 1.7)


def growth(bench: Bench) -> Iterator[Result]:
    """Measure how the time for a segment grows with their number."""
    small, large = bench.size(10_000), bench.size(1_000_000)
    for metric in ("BLEU", "CHRF"):
        few = call("mtscore", metric, bench.text(small), bench.runs(15))
        many = call("mtscore", metric, bench.text(large), bench.runs(3))
        if few and many:
            factor = (many[0].cpu / large) / (few[0].cpu / small)
            work = f"{NAMES[metric]}, {large:,} segments, in-process: time for each"
            peer = f"{small:,} segments"
            yield Result("growth", work, many[0], peer, few[0], factor, "≤ 1.2×", factor <= 1.2)


ROWS: dict[str, Callable[[Bench], Iterator[Result]]] = {
    "start": start,
    "whole": whole,
    "bleu": bleu,
    "chrf": chrf,
    "ter": ter,
    "alone": alone,
    "systems": systems,
    "tests": tests,
    "memory": memory,
    "jobs": jobs,
    "growth": growth,
}


# --- Printing


def table(results: Sequence[Result]) -> str:
    """Return the results as Markdown."""
    head = ["work", "mtscore", "", "beside", "", "", "×", "goal", ""]
    rule = [":--", "--:", "--:", ":--", "--:", "--:", "--:", ":--", ":--"]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *map(cells_of, results)))


def cells_of(result: Result) -> list[str]:
    """Return the cells of one row: seconds of CPU, or on the clock, and MiB of both sides; and the factor."""
    seconds = "wall" if result.row == "jobs" else "cpu"
    sides = [
        [f"{getattr(usage, seconds):.3g} s", f"{usage.memory:.0f} MiB"] if usage else ["", ""]
        for usage in (result.ours, result.theirs)
    ]
    factor = "" if result.factor is None else f"{result.factor:.3g}"
    mark = {True: "✓", False: "✗", None: ""}[result.reached]
    return [result.work, *sides[0], result.peer, *sides[1], factor, result.goal, mark]


def machine() -> dict[str, str | int | None]:
    """Return what the numbers depend on beside the programs."""
    packages = ("mtscore", "numpy", "sacrebleu")
    return {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def main() -> None:
    """Measure the rows that are asked for, print each as it is done, and the table at the end."""
    parser = argparse.ArgumentParser(description="Measure mtscore beside its peers.")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), help="only these")
    parser.add_argument("--quick", action="store_true", help="a tenth of the text, and fewer runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    options = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"the texts are not here: {DATA}")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), quick=options.quick)
        for row in options.rows:
            for result in ROWS[row](bench):
                results.append(result)
                print(f"| {' | '.join(cells_of(result))} |", file=sys.stderr, flush=True)
    print(table(results))
    if options.json:
        report = {
            "machine": machine(),
            "quick": options.quick,
            "results": [asdict(result) for result in results],
        }
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
