"""`--like SIGNATURE`: a metric with the settings of a signature, which no option may contradict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mtscore.errors import UsageError
from mtscore.metrics.settings import differing_key, from_signature, setting
from mtscore.notices import Notice
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtscore.cli.metrics import Given
    from mtscore.metrics.base import AnyMetric


@dataclass(frozen=True, slots=True)
class Like:
    """Hold the signature that `--like` gives."""

    signature: Signature

    @classmethod
    def parse(cls, text: str) -> Like:
        """Read a signature or a whole score line.

        Raises:
            SignatureError: if it is neither.
        """
        return cls(Signature.parse(text))

    @property
    def name(self) -> str:
        """Return the metric as `-m` names it."""
        name = self.signature.name
        return "chrf" + "+" * name.count("+") if self.signature.family == "chrF" else name.lower()

    def metric(self, given: Iterable[Given]) -> AnyMetric:
        """Return the metric with the signature's settings; options decide what it leaves open.

        Raises:
            UsageError: if an option asks for another setting, or mtscore has no such metric.
        """
        options = {option.argument: option for option in given}
        own = options.get("tokenize")
        metric = from_signature(self.signature, model=own.value if own else None)
        for option in options.values():
            metric = self._with(metric, option)
        return metric

    def notices(self, metric: AnyMetric) -> list[Notice]:
        """Warn where the tokenizer here is another version of the one in the signature."""
        asked, here = self.signature.get("tok"), metric.settings.get("tok")
        if asked in (None, here):
            return []
        return [Notice("warning", "other-tokenizer", f"--like has tokenizer {asked}, here it is {here}")]

    def _with(self, metric: Any, option: Given) -> AnyMetric:
        """Return the metric with an option's value, which may not be another than the signature's."""
        changes = {option.argument: option.value}
        if option.argument == "smooth_method" and option.value != metric.smooth_method:
            changes["smooth_value"] = None
        try:
            changed: AnyMetric = replace(metric, **changes)
        except UsageError:
            raise _contradiction(option, str(metric.settings)) from None
        key = differing_key(changed.settings, metric.settings)
        if key is None or (key != "name" and self.signature.get(key) is None):
            return changed
        raise _contradiction(option, setting(metric.settings, key))


def _contradiction(option: Given, has: str) -> UsageError:
    where = option.spelling if option.value is True else f"{option.spelling} {option.value}"
    return UsageError(f"contradicts --like, which has {has}", where=where)
