"""Plain data that an evaluation returns and every report format renders.

`Report.rows` is the model: machine formats print the rows, human formats pivot them into a table.
Nothing here computes a score or formats a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.notices import Notice
    from mtscore.signature import Signature

Better = Literal["higher", "lower"]


class Interval(NamedTuple):
    """Describe a bootstrap distribution: its mean, half the width of its interval, and the interval."""

    mean: float
    half_width: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Hold one metric's value with everything that belongs to it.

    `details` are the further fields of the JSON row (counts, totals, lengths …). Each
    metric has a subclass with typed attributes for its details.
    """

    name: str
    score: float
    better: Better
    signature: Signature
    interval: Interval | None = None

    @property
    def verbose(self) -> str | None:
        """Return what stands behind the score on the text line; nothing unless a metric says otherwise."""
        return None

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the further fields of the JSON row; none unless a metric says otherwise."""
        return {}

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return self.format()

    def format(self, width: int = 2, *, score_only: bool = False, signature: str | None = None) -> str:
        """Return the text line: `BLEU = 28.30 59.9/… (BP = …)`; `signature` replaces the bare name.

        `width` is the number of decimals.
        """
        number = f"{self.score:.{width}f}"
        if score_only:
            return number
        spread = ""
        if self.interval is not None:
            spread = f" (μ = {self.interval.mean:.{width}f} ± {self.interval.half_width:.{width}f})"
        tail = f" {self.verbose}" if self.verbose else ""
        return f"{signature or self.name} = {number}{spread}{tail}"


class Comparison(NamedTuple):
    """Compare a system with the baseline: the difference of scores and how likely chance explains it.

    `delta` is the system's score minus the baseline's. Without a test `p_value`, `significant` (by that
    value) and `p_holm` (the p-value corrected over all comparisons of the report) are None.
    """

    baseline: str
    delta: float
    p_value: float | None = None
    significant: bool | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Hold one score of one system: for the corpus, for a group of segments, or for one segment.

    `segments` is the size of the group, `segment` counts from 1. `rank` is the best and the worst place
    that the system may hold in this metric when every pair of systems was tested.
    """

    system: str
    score: Score
    file: str | None = None
    comparison: Comparison | None = None
    group: Mapping[str, str] | None = None
    segments: int | None = None
    segment: int | None = None
    rank: tuple[int, int] | None = None

    @property
    def of_corpus(self) -> bool:
        """Return whether the score is that of all segments together."""
        return self.group is None and self.segment is None


class Pair(NamedTuple):
    """Compare two systems in one metric; `delta` is b's score minus a's, `p_holm` the corrected p-value."""

    name: str
    a: str
    b: str
    delta: float
    p_value: float
    p_holm: float


class Cluster(NamedTuple):
    """Name systems, from best to worst, between which no rule is drawn; `rank` is the best rank among them.

    Every system of an earlier cluster is significantly better than every one of a later cluster.
    """

    name: str
    rank: int
    systems: tuple[str, ...]


class Gate(NamedTuple):
    """Hold the outcome of one condition that the user set; `text` says it in a sentence.

    `gate` is the option's name without dashes. `value` is the system's score and `limit` the score it is
    held against: the threshold, the least that `max-drop` allows, or for `fail-on-regression` the baseline's.
    """

    gate: str
    system: str
    name: str
    passed: bool
    value: float
    limit: float
    text: str
    p_value: float | None = None


class Input(NamedTuple):
    """Identify one input as it was read: `role` is reference, hypothesis or groups.

    `encoding` is given unless it is UTF-8, `columns` where a line holds several references.
    """

    role: str
    file: str
    bytes: int
    lines: int
    sha256: str
    encoding: str | None = None
    columns: int | None = None


class TestSetUse(NamedTuple):
    """Say which test set was scored against; `sha256` is the digest of its reference lines."""

    name: str
    pair: str
    refs: tuple[str, ...]
    sha256: str


class Example(NamedTuple):
    """Show one segment to a reader: its line (from 1), each system's segment score and all texts.

    `references` and `hypotheses` are texts; `scores` and `hypotheses` go by system, in the report's order.
    """

    segment: int
    scores: Mapping[str, float]
    hypotheses: Mapping[str, str]
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Hold everything that one evaluation has to say.

    `rows` go system by system in the order given, and within a system by metric (BLEU, chrF, TER, WER).
    `language_pair` is written `zh-en`. `time` (ISO 8601, UTC) is all that tells two equal runs apart, and
    takes no part in equality.
    """

    rows: Sequence[Row]
    segments: int
    references: int
    baseline: str | None = None
    test: Literal["ar", "bs"] | None = None
    trials: int | None = None
    bootstrap: int | None = None
    seed: int | None = None
    alpha: float = 0.05
    pairs: Sequence[Pair] = ()
    clusters: Sequence[Cluster] = ()
    gates: Sequence[Gate] = ()
    examples: Sequence[Example] = ()
    examples_metric: str | None = None
    notices: Sequence[Notice] = ()
    inputs: Sequence[Input] = ()
    testset: TestSetUse | None = None
    versions: Mapping[str, Any] = field(default_factory=dict)
    language_pair: str | None = None
    time: str | None = field(default=None, compare=False)

    @property
    def passed(self) -> bool:
        """Return whether every gate passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems in the order of the rows, each once."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics in the order of the rows, each once."""
        return tuple(dict.fromkeys(row.score.name for row in self.rows))
