"""`--like SIGNATURE`: a metric with the settings of a signature, which no option may contradict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mtscore.errors import UsageError
from mtscore.metrics.settings import from_signature, tokenizer_name
from mtscore.notices import Notice
from mtscore.signature import Signature
from mtscore.tokenizers import tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtscore.cli.metrics import Given
    from mtscore.metrics.base import Metric


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

    def metric(self, given: Iterable[Given]) -> Metric[Any, Any]:
        """Return the metric with the signature's settings.

        Raises:
            UsageError: if one of the given options asks for another setting, or mtscore has no such metric.
        """
        options = {option.argument: option for option in given}
        own = options.pop("tokenize", None)
        if own is not None and not self._has_tokenizer(own.value):
            raise _contradiction(own, f"tok.{self.signature.get('tok')}")
        metric = from_signature(self.signature, tokenize=own.value if own else None)
        for option in options.values():
            has = _contradicted(metric, option)
            if has is not None:
                raise _contradiction(option, has)
        return metric

    def notices(self, metric: Metric[Any, Any]) -> list[Notice]:
        """Warn where the tokenizer here is another version of the one in the signature."""
        asked, here = self.signature.get("tok"), metric.settings.get("tok")
        if asked in (None, here):
            return []
        return [Notice("warning", "other-tokenizer", f"--like has tokenizer {asked}, here it is {here}")]

    def _has_tokenizer(self, name: str) -> bool:
        """Return whether the signature leaves the tokenizer open, or states this one in whatever version."""
        label = self.signature.get("tok")
        if label is None or label == tokenizer(name).label:
            return True
        return not str(label).startswith("spm-") and tokenizer_name(str(label)) == name


def _contradicted(metric: Any, option: Given) -> str | None:
    """Return what the metric has instead of what an option asks for; None where they agree."""
    changes = {option.argument: option.value}
    if option.argument == "smooth_method" and option.value != metric.smooth_method:
        changes["smooth_value"] = None
    try:
        asked: Signature = replace(metric, **changes).settings
    except UsageError:
        return str(metric.settings)
    if asked.name != metric.name:
        return str(metric.name)
    has = metric.settings
    differing = [key for key in asked.settings | has.settings if asked.get(key) != has.get(key)]
    return f"{differing[0]}.{has.get(differing[0])}" if differing else None


def _contradiction(option: Given, has: str) -> UsageError:
    where = option.spelling if option.value is True else f"{option.spelling} {option.value}"
    return UsageError(f"contradicts --like, which has {has}", where=where)
