"""Measures of agreement between a metric and people, each for many samples at once.

A measure takes the metric's and the human scores of samples, shape (..., rows), which broadcast, and
returns one value a sample, shape (...): NaN where it is undefined, since one side is constant. Resamples,
random swaps and groups are all just samples. Higher metric scores are taken to be better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mtscore.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mtscore.arrays import Booleans, Floats, Integers
    from mtscore.results import Better

Scores: TypeAlias = "Floats | Integers"
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall-b", "rmse", "accuracy"]

FEW_ROWS = 64
"""Up to so many rows Kendall's tau looks at every pair of them, beyond it sorts."""

BLOCK = 1 << 21
"""How many pairs of rows exist at once."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Describe a measure: its title, its function of samples, and scipy's function of one sample, if any.

    `ordinal`: only the order of scores counts, so that the function takes dense ranks (see `dense_ranks`).
    """

    title: str
    function: Callable[[Any, Any], Floats]
    scipy: str | None = None
    ordinal: bool = False
    better: Better = "higher"

    def of(self, metric: Floats, human: Floats) -> float:
        """Return the measure of one sample, by scipy where it has the measure.

        Raises:
            MissingExtraError: if scipy is needed and not installed.
        """
        if self.scipy is not None:
            return float(getattr(scipy_stats(), self.scipy)(metric, human).statistic)
        return float(self.function(*self.prepare(metric), *self.prepare(human)))

    def prepare(self, *scores: Floats) -> list[Any]:
        """Return what `function` takes: the scores, or their dense ranks among each other."""
        return dense_ranks(*scores) if self.ordinal else list(scores)


def pearson(metric: Floats, human: Floats) -> Floats:
    """Return Pearson's r of samples.

    >>> round(float(pearson(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))), 9)
    0.5
    """
    x, y = _centred(metric), _centred(human)
    norms = np.sqrt((x * x).sum(-1)) * np.sqrt((y * y).sum(-1))
    return _defined(np.clip((x * y).sum(-1) / _nonzero(norms), -1, 1), metric, human)


def spearman(metric: Integers, human: Integers) -> Floats:
    """Return Spearman's rho of samples of dense ranks: Pearson's r of their mid-ranks."""
    return pearson(_mid_ranks(metric), _mid_ranks(human))


def kendall(metric: Integers, human: Integers) -> Floats:
    """Return Kendall's tau-b of samples of dense ranks; samples of many rows go to scipy one by one."""
    if metric.shape[-1] > FEW_ROWS:
        return _kendall_by_sorting(metric, human)
    values = [
        (x * y).sum(-1) / np.sqrt(_nonzero(np.count_nonzero(x, -1) * np.count_nonzero(y, -1)))
        for x, y in _signs_of_pairs(metric, human)
    ]
    return _defined(_reshaped(values, metric, human), metric, human)


def rmse(metric: Floats, human: Floats) -> Floats:
    """Return the root of the mean squared error that a least-squares fit to the human scale leaves.

    The fit is a straight line, human = a + b metric; its two parameters are not discounted.
    """
    x, y = _centred(metric), _centred(human)
    slope = (x * y).sum(-1) / _nonzero((x * x).sum(-1))
    errors = y - slope[..., None] * x
    return _defined(np.sqrt((errors * errors).mean(-1)), metric)


def pairwise_accuracy(metric: Integers, human: Integers) -> Floats:
    """Return the share of pairs of rows that the metric puts in the order that people do.

    Pairs tied in the human scores are left out; a tie of the metric alone counts as wrong.

    Source: Kocmi et al. (2021), To ship or not to ship.
    """
    values = [
        np.count_nonzero(x * y > 0, -1) / _nonzero(np.count_nonzero(y, -1))
        for x, y in _signs_of_pairs(metric, human)
    ]
    return _defined(_reshaped(values, metric, human), human)


MEASURES: dict[Coefficient, Measure] = {
    "pearson": Measure("Pearson", pearson, scipy="pearsonr"),
    "spearman": Measure("Spearman", spearman, scipy="spearmanr", ordinal=True),
    "kendall-b": Measure("Kendall", kendall, scipy="kendalltau", ordinal=True),
    "rmse": Measure("RMSE", rmse, better="lower"),
    "accuracy": Measure("Accuracy", pairwise_accuracy, ordinal=True),
}


def dense_ranks(*scores: Floats) -> list[Integers]:
    """Return the rank of each score among all scores of its sample, from 0, equal scores having one rank.

    The arrays have shape (..., rows); what stands at the same place of different arrays is ranked together.

    >>> [ranks.tolist() for ranks in dense_ranks(np.array([0.5, 0.1]), np.array([0.5, 0.7]))]
    [[1, 0], [1, 2]]
    """
    joined = np.concatenate(scores, axis=-1)
    order = np.argsort(joined, axis=-1, kind="stable")
    ordered = np.take_along_axis(joined, order, axis=-1)
    ranks = np.zeros(joined.shape, np.int64)
    steps = np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1)
    np.put_along_axis(ranks, order[..., 1:], steps, axis=-1)
    return np.split(ranks, len(scores), axis=-1)


def scipy_stats() -> Any:
    """Return the module scipy.stats.

    Raises:
        MissingExtraError: if scipy is not installed.
    """
    try:
        from scipy import stats  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("correlation", extra="stats") from None
    return stats


def is_constant(scores: Scores) -> Booleans:
    """Return for each sample whether all its scores are equal, shape (...)."""
    constant: Booleans = scores.max(-1) == scores.min(-1)
    return constant


def _centred(scores: Scores) -> Floats:
    centred: Floats = scores - scores.mean(-1, keepdims=True)
    return centred


def _nonzero(divisor: Scores) -> Scores:
    """Return the divisor with 1 for 0: what it divides is undefined, and replaced by NaN later."""
    return np.where(divisor == 0, 1, divisor)


def _defined(values: Floats, *sides: Scores) -> Floats:
    """Return NaN for the samples of which a side is constant."""
    undefined = np.logical_or.reduce(np.broadcast_arrays(*map(is_constant, sides)))
    return np.where(undefined, np.nan, values)


def _mid_ranks(dense: Integers) -> Floats:
    """Return the mid-rank of each of the dense ranks within its sample, by counting instead of sorting.

    >>> _mid_ranks(np.array([2, 0, 2, 5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    flat = dense.reshape(-1, dense.shape[-1])
    kinds = int(flat.max()) + 1
    offsets = np.arange(len(flat))[:, None] * kinds
    counts = np.bincount((flat + offsets).ravel(), minlength=len(flat) * kinds).reshape(-1, kinds)
    middles = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.take_along_axis(middles, flat, axis=1).reshape(dense.shape)


def _signs_of_pairs(metric: Integers, human: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield -1, 0 or 1 for each pair of rows, by metric and by human score, shape (samples, pairs)."""
    flat = [array.reshape(-1, array.shape[-1]) for array in np.broadcast_arrays(metric, human)]
    first, second = np.triu_indices(metric.shape[-1], 1)
    size = max(1, BLOCK // max(1, len(first)))
    for start in range(0, len(flat[0]), size):
        x, y = (array[start : start + size] for array in flat)
        yield np.sign(x[:, first] - x[:, second]), np.sign(y[:, first] - y[:, second])


def _reshaped(values: list[Floats], metric: Scores, human: Scores) -> Floats:
    """Return the values of all blocks, one a sample."""
    return np.concatenate(values).reshape(np.broadcast_shapes(metric.shape, human.shape)[:-1])


def _kendall_by_sorting(metric: Integers, human: Integers) -> Floats:
    kendalltau = scipy_stats().kendalltau
    flat = [array.reshape(-1, array.shape[-1]) for array in np.broadcast_arrays(metric, human)]
    values = [np.array([kendalltau(x, y).statistic for x, y in zip(*flat, strict=True)])]
    return _defined(_reshaped(values, metric, human), metric, human)
