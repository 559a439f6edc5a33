"""From a signature back to the metric: the inverse of `Metric.settings`.

A signature also records data (test set, references) and randomness (resamples, seed): those are not settings
of a metric, and nothing here looks at them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtscore.errors import UsageError, closest
from mtscore.metrics import create
from mtscore.tokenizers import TOKENIZERS, tokenizer
from mtscore.tokenizers.tercom import NAME as TERCOM

if TYPE_CHECKING:
    from mtscore.metrics.base import AnyMetric
    from mtscore.signature import Signature

FLOOR_WAS_ZERO = (1, 4, 4), (1, 5, 0)
"""From the first of these releases of sacreBLEU to before the second, floor without a value meant 0."""


OWN_MODEL = "spm-"
"""What a signature's tokenizer begins with if it is a sentencepiece model of its user's own."""

DEFAULT_CHARACTERS = 6
"""chrF's longest character n-grams, where a signature does not say."""


def from_signature(signature: Signature, *, model: str | None = None) -> AnyMetric:
    """Return the metric with the settings of a signature; what it leaves out has its default.

    A tokenizer is found by its name. Whether it is in the very version that the signature states is for the
    caller to see: `settings` of the metric has the version that is here. Of a sentencepiece model of its
    user's own the signature knows the digest only, so that `model` has to name it (`spm:PATH`).

    Raises:
        UsageError: if there is no such metric or tokenizer, or a value is out of range.
        MissingExtraError: if the tokenizer needs a package that is not installed.
        NetworkError, IntegrityError, StorageError: if its model cannot be had.
    """
    match signature.family:
        case "BLEU":
            return create("bleu", **_bleu(signature, model))
        case "chrF":
            return create("chrf", **_chrf(signature))
        case "TER":
            return create(signature.name.lower(), **_ter(signature))
    known = "BLEU, chrF, TER and WER"
    raise UsageError(f"there is no metric {signature.name} here", hint=f"signatures of {known} will do")


def tokenizer_name(label: str, model: str | None = None) -> str:
    """Return the name of the tokenizer that a signature's value tells, without version or dictionary.

    >>> tokenizer_name("13a"), tokenizer_name("13a.2"), tokenizer_name("ja-mecab-0.996-IPA")
    ('13a', '13a', 'ja-mecab')

    Raises:
        UsageError: if there is none, or `model` is needed and not the right one.
    """
    if label.startswith(OWN_MODEL):
        return _own_model(label, model)
    fitting = [name for name in TOKENIZERS if label == name or label.startswith((f"{name}-", f"{name}."))]
    if not fitting:
        raise UsageError(f"there is no tokenizer {label!r} here", hint=closest(label, list(TOKENIZERS)))
    return max(fitting, key=len)


def _own_model(label: str, model: str | None) -> str:
    if model is None:
        raise UsageError(f"tokenizer {label} is a model of its user's own", hint="name it: -tok spm:PATH")
    if tokenizer(model).label != label:
        raise UsageError(f"{model} is {tokenizer(model).label}, not {label}", where="-tok")
    return model


def differing_key(a: Signature, b: Signature) -> str | None:
    """Return the first key of which two signatures have different values, `name` for that of the metric."""
    if a.name != b.name:
        return "name"
    return next((key for key in a.settings | b.settings if a.get(key) != b.get(key)), None)


def setting(signature: Signature, key: str) -> str:
    """Return a setting as a signature has it: `tok.13a`; the metric's name for the key `name`."""
    return signature.name if key == "name" else f"{key}.{signature.get(key)}"


def _bleu(signature: Signature, model: str | None) -> dict[str, Any]:
    label = signature.get("tok")
    method, value = _smoothing(signature)
    return {
        "lowercase": signature.get("case") == "lc",
        "tokenize": tokenizer_name(str(label), model) if label else None,
        "smooth_method": method,
        "smooth_value": value,
        "max_ngram_order": signature.get("maxn"),
        "effective_order": signature.get("eff") == "yes",
        "trg_lang": str(signature.get("lang") or "").partition("-")[2],
    }


def _smoothing(signature: Signature) -> tuple[str, float | None]:
    """Return the method and its value; a value alone, as sacreBLEU 1.0 wrote it, is that of floor."""
    method, _, value = str(signature.get("smooth") or "exp").rstrip("]").partition("[")
    if method[0] in ".0":
        return "floor", float(method)
    release = signature.release
    first, last = FLOOR_WAS_ZERO
    if method == "floor" and not value and release and release.program == "sacreBLEU":
        return method, 0.0 if first <= release.number < last else None
    return method, float(value) if value else None


def _chrf(signature: Signature) -> dict[str, Any]:
    order = signature.get("numchars")
    return {
        "char_order": DEFAULT_CHARACTERS if order is None else order,
        "word_order": signature.get("numwords"),
        "beta": float(signature.name.removeprefix("chrF").rstrip("+")),
        "lowercase": signature.get("case") == "lc",
        "whitespace": signature.get("space") == "yes",
        "eps_smoothing": signature.get("eff") == "no",
    }


def _ter(signature: Signature) -> dict[str, Any]:
    label = signature.get("tok") or TERCOM
    if label != TERCOM:
        raise UsageError(f"there is no tokenizer {label!r} for {signature.name} here", hint=f"only {TERCOM}")
    return {
        "normalized": signature.get("norm") == "yes",
        "no_punct": signature.get("punct") == "no",
        "asian_support": signature.get("asian") == "yes",
        "case_sensitive": signature.get("case") == "mixed",
    }
