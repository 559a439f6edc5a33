"""The metrics by name, each imported only when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtscore.errors import UsageError, closest

if TYPE_CHECKING:
    from mtscore.metrics.base import Metric

METRICS = {
    "bleu": "mtscore.metrics.bleu:BLEU",
    "chrf": "mtscore.metrics.chrf:CHRF",
    "ter": "mtscore.metrics.ter:TER",
    "wer": "mtscore.metrics.ter:WER",
}


def create(name: str, **settings: Any) -> Metric[Any, Any]:
    """Return the metric of that name with these settings.

    Raises:
        UsageError: if there is none of that name, or a setting makes no sense.
    """
    if name not in METRICS:
        raise UsageError(f"unknown metric {name!r}", hint=closest(name, list(METRICS)))
    module, _, attribute = METRICS[name].partition(":")
    metric: Metric[Any, Any] = getattr(import_module(module), attribute)(**settings)
    return metric
