"""Intervals, paired tests and rankings by resampling segments, for any metric whose statistics add up.

A resample is a row of weights W over segments, and its score is `score(W @ statistics)`: how often each
segment was drawn (bootstrap), or which segments two systems swap (approximate randomisation). Nothing here
knows a metric. One drawing serves every system and metric. Weights exist a block at a time, drawn so that
neither the size of the blocks nor the company of other systems moves a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from mtscore.errors import UsageError, closest
from mtscore.results import Cluster, Interval, Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias, TypeGuard

    from mtscore.arrays import Booleans, Floats, Integers
    from mtscore.results import Better

    Ranges: TypeAlias = dict[str, tuple[int, int]]

TIE = 1e-9
"""Two differences of scores that are this close are equal: they differ by rounding alone."""

DEFAULT_SEED = 12345
"""The field's seed for resampling."""

SEEDS = 10**40
"""Numbers of signatures have no more digits."""

BLOCK = 1 << 21
"""How many weights exist at once (16 MiB of float64)."""

MASK_ROWS = 32
"""The generator makes 32 booleans of one word, so masks are drawn by multiples of 32 rows."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Hold one system's statistics under one metric, shape (segments, K), and the metric's score of them."""

    statistics: Floats
    score: Callable[[Floats], Floats]

    def observed(self) -> float:
        """Return the score of all segments."""
        return float(self.score(self.statistics.sum(axis=0)))


# --- Resampling ---------------------------------------------------------------------------------------------


def bootstrap(
    samples: Sequence[Sample],
    *,
    trials: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Floats:
    """Return the scores of resamples with replacement, shape (samples, trials).

    Resample k takes the same segments in every sample, and the first k resamples do not depend on `trials`.
    `progress` is called with the trials done and their number.

    Source: Koehn (2004), Statistical significance tests for machine translation evaluation.
    """
    stacked, columns = _stack(samples)
    scores = np.empty((len(samples), trials))
    for rows, counts in _resamples(len(stacked), trials, seed):
        totals = counts @ stacked
        for sample, own, score in zip(samples, columns, scores, strict=True):
            score[rows] = sample.score(totals[:, own])
        if progress:
            progress(rows.stop, trials)
    return scores


def interval(scores: Floats) -> Interval:
    """Return the mean of bootstrap scores and their central 95 %, cut where the field cuts it.

    The half width is half the distance of the bounds; the mean need not lie in their middle.
    """
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    low, high = float(ordered[tail]), float(ordered[-tail - 1])
    return Interval(mean=math.fsum(ordered) / len(ordered), half_width=(high - low) / 2, low=low, high=high)


def paired_bootstrap(
    scores: Floats, observed: Sequence[float], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """Return the p-value of each pair (i, j) of bootstrapped samples, shape (samples, trials).

    A trial counts if the absolute difference, less its mean over trials, reaches the observed one. This is
    the field's test; it is liberal: of equal systems it calls twice as many different as it should.
    """
    p_values = []
    for i, j in pairs:
        differences = np.abs(scores[i] - scores[j])
        p_values.append(p_value(differences - differences.mean(), abs(observed[i] - observed[j])))
    return p_values


def approximate_randomisation(
    samples: Sequence[Sample],
    pairs: Sequence[tuple[int, int]],
    *,
    trials: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[float]:
    """Return the two-sided p-value of each pair (i, j) of samples; i is the baseline.

    Source: Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing.
    """
    differences = _randomised_differences(samples, pairs, trials=trials, seed=seed, progress=progress)
    observed = [sample.observed() for sample in samples]
    return [
        p_value(trial, abs(observed[i] - observed[j]))
        for trial, (i, j) in zip(differences, pairs, strict=True)
    ]


def p_value(differences: Floats, observed: float) -> float:
    """Return the share of trials that reach the observed difference, the observation itself among them."""
    reached = int(np.count_nonzero(differences >= observed - TIE))
    return (reached + 1) / (len(differences) + 1)


def _randomised_differences(
    samples: Sequence[Sample],
    pairs: Sequence[tuple[int, int]],
    *,
    trials: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Floats:
    """Return how far apart two systems are after swapping segments at random, shape (pairs, trials).

    `kept` sums the segments that stay and `rest` those that are swapped, once a sample: every pair needs no
    more than to add them crosswise.
    """
    stacked, columns = _stack(samples)
    total = stacked.sum(axis=0)
    differences = np.empty((len(pairs), trials))
    for rows, stay in masks(len(stacked), trials, seed):
        kept = stay.astype(np.float64) @ stacked
        rest = total - kept
        for (i, j), difference in zip(pairs, differences, strict=True):
            a, b, score = columns[i], columns[j], samples[i].score
            one, other = score(kept[:, a] + rest[:, b]), score(kept[:, b] + rest[:, a])
            difference[rows] = np.abs(one - other)
        if progress:
            progress(rows.stop, trials)
    return differences


def _stack(samples: Sequence[Sample]) -> tuple[Floats, list[slice]]:
    """Return all statistics side by side, for one matrix product, and where each sample's columns are."""
    stacked = np.hstack([sample.statistics for sample in samples])
    ends = np.cumsum([sample.statistics.shape[1] for sample in samples]).tolist()
    return stacked, [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _resamples(segments: int, trials: int, seed: int) -> Iterator[tuple[slice, Floats]]:
    """Yield which trials, and how often each drew each segment, shape (trials in the block, segments)."""
    for rows, drawn in draws(segments, trials, seed):
        counts = np.empty(drawn.shape)
        for count, draw in zip(counts, drawn, strict=True):
            count[:] = np.bincount(draw, minlength=segments)
        yield rows, counts


def draws(segments: int, trials: int, seed: int) -> Iterator[tuple[slice, Integers]]:
    """Yield which trials, and what each drew with replacement, shape (trials in the block, segments)."""
    rng = np.random.default_rng(seed)
    for rows in _blocks(segments, trials):
        yield rows, rng.choice(segments, size=(rows.stop - rows.start, segments), replace=True)


def masks(segments: int, trials: int, seed: int) -> Iterator[tuple[slice, Booleans]]:
    """Yield which trials, and which segments each does not swap, shape (trials in the block, segments)."""
    rng = np.random.default_rng(seed)
    for rows in _blocks(segments, trials):
        yield rows, rng.integers(2, size=(rows.stop - rows.start, segments), dtype=bool)


def _blocks(segments: int, trials: int) -> Iterator[slice]:
    """Yield runs of trials whose weights fit into a block; all but the last are multiples of 32 trials."""
    size = max(BLOCK // segments // MASK_ROWS, 1) * MASK_ROWS
    for start in range(0, trials, size):
        yield slice(start, min(start + size, trials))


# --- Every pair ---------------------------------------------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for being several, in their order.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    plain = np.array(p_values, np.float64)
    order = np.argsort(plain, kind="stable")
    stepped = plain[order] * np.arange(len(plain), 0, -1)
    corrected = np.empty_like(plain)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in corrected]


def trials_needed(tests: int, alpha: float) -> int:
    """Return how many trials it takes before anything can be significant after Holm correction.

    The lowest p-value of T trials is 1 / (T + 1), and the lowest corrected one as many times that as there
    are tests.

    >>> trials_needed(1, 0.05), trials_needed(10, 0.05), trials_needed(1, 0.03)
    (20, 200, 33)
    """
    return math.floor(round(tests / alpha, 9))


def all_pairs(name: str, scores: Mapping[str, float], p_values: Sequence[float]) -> list[Pair]:
    """Return every pair of systems under the metric `name`, Holm-corrected over these pairs.

    `scores` goes by system; `p_values` has a value for each of `itertools.combinations(scores, 2)`.
    """
    corrected = holm(p_values)
    return [
        Pair(name=name, a=a, b=b, delta=scores[b] - scores[a], p_value=p, p_holm=p_holm)
        for (a, b), p, p_holm in zip(combinations(scores, 2), p_values, corrected, strict=True)
    ]


def rank_ranges(systems: Sequence[str], better: Better, pairs: Sequence[Pair], alpha: float) -> Ranges:
    """Return the best and the worst rank that each system may hold, from all its pairs under one metric.

    Above it are the systems that are significantly better, below it those that are significantly worse, as in
    the tables of WMT.
    """
    wins = _wins(better, pairs, alpha)
    return {
        system: (
            1 + sum((other, system) in wins for other in systems),
            len(systems) - sum((system, other) in wins for other in systems),
        )
        for system in systems
    }


def clusters(
    name: str, better: Better, scores: Mapping[str, float], pairs: Sequence[Pair], alpha: float
) -> list[Cluster]:
    """Return the systems from best to worst, cut where all above are significantly better than all below."""
    wins = _wins(better, pairs, alpha)
    order = sorted(scores, key=lambda system: scores[system], reverse=better == "higher")
    starts = [
        at
        for at in range(len(order))
        if all((above, below) in wins for above in order[:at] for below in order[at:])
    ]
    return [
        Cluster(name=name, rank=start + 1, systems=tuple(order[start:end]))
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True)
    ]


def _wins(better: Better, pairs: Sequence[Pair], alpha: float) -> set[tuple[str, str]]:
    """Return who is significantly better than whom."""
    return {
        (pair.b, pair.a) if (pair.delta > 0) == (better == "higher") else (pair.a, pair.b)
        for pair in pairs
        if pair.p_holm < alpha
    }


# --- What makes sense to ask for ----------------------------------------------------------------------------


MOST_TRIALS = 10_000_000
"""What is above is a typing error: p-values have no so many digits, and the scores would fill the memory."""


def check_trials(trials: int, option: str) -> None:
    """Raise a `UsageError` unless the number of trials makes sense; `option` is where it came from."""
    if not is_whole(trials) or not 1 <= trials <= MOST_TRIALS:
        raise UsageError(
            f"the number of trials must be a whole number from 1 to {MOST_TRIALS}, not {trials!r}",
            where=option,
        )


def check_seed(seed: object) -> None:
    """Raise a `UsageError` unless the seed is a whole number from 0 up that a signature has room for."""
    if not is_whole(seed) or seed < 0:
        raise UsageError(f"the seed must be a whole number from 0 up, not {seed!r}", where="--seed")
    if seed >= SEEDS:
        raise UsageError("the seed has more than 40 digits", where="--seed")


def is_whole(number: object) -> TypeGuard[int]:
    """Return whether an argument is a number to count with."""
    return isinstance(number, int) and not isinstance(number, bool)


def check_alpha(alpha: object) -> None:
    """Raise a `UsageError` unless the level of significance lies between 0 and 1."""
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        raise UsageError(
            f"the level must lie between 0 and 1, not {alpha!r}", where="--alpha", hint="try 0.05"
        )


def find_baseline(systems: Sequence[str], baseline: str | None = None) -> int:
    """Return the index of the baseline, by default the first system.

    Raises:
        UsageError: if there is nothing to compare, or no system of that name.
    """
    if len(systems) < 2:  # noqa: PLR2004  # a pair
        raise UsageError("a comparison needs at least two systems", hint="-i BASELINE SYSTEM...")
    if baseline is None:
        return 0
    if baseline not in systems:
        raise UsageError(
            f"no system is called {baseline}", where="--baseline", hint=closest(baseline, list(systems))
        )
    return systems.index(baseline)
