"""The metrics by name, in the field's order, each imported only when it is used.

A new metric is a module with a subclass of `mtscore.metrics.base.Metric`, and a line in `METRICS`.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mtscore.errors import UsageError, closest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtscore.metrics.base import AnyMetric


class Entry(NamedTuple):
    """Say where a metric is defined, whose options of the command line it takes, and what its name fixes."""

    home: str
    options: str | None = None
    fixed: Mapping[str, Any] = MappingProxyType({})


METRICS = {
    "bleu": Entry("mtscore.metrics.bleu:BLEU", "bleu"),
    "chrf": Entry("mtscore.metrics.chrf:CHRF", "chrf"),
    "chrf+": Entry("mtscore.metrics.chrf:CHRF", "chrf", {"word_order": 1}),
    "chrf++": Entry("mtscore.metrics.chrf:CHRF", "chrf", {"word_order": 2}),
    "ter": Entry("mtscore.metrics.ter:TER", "ter"),
    "wer": Entry("mtscore.metrics.ter:WER", "ter"),
}
"""In the order of all output, whatever order is typed: unlabelled numbers never swap."""


def create(name: str, **settings: Any) -> AnyMetric:
    """Return the metric of that name with these settings; what the name fixes cannot be set.

    Raises:
        UsageError: if there is none of that name, or a setting makes no sense.
    """
    if name not in METRICS:
        raise UsageError(f"unknown metric {name!r}", hint=closest(name, list(METRICS)))
    module, _, attribute = METRICS[name].home.partition(":")
    made: AnyMetric = getattr(import_module(module), attribute)(**settings | dict(METRICS[name].fixed))
    return made
