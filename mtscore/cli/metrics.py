"""Build the metrics that the options ask for, in the field's order, and say which options go unused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtscore.cli.options import target_language
from mtscore.metrics import create
from mtscore.notices import Notice
from mtscore.tokenizers import LANGUAGES, default_tokenizer

if TYPE_CHECKING:
    from mtscore.cli.score import ScoreOptions
    from mtscore.metrics.base import Metric

ORDER = ["bleu", "chrf", "chrf+", "chrf++", "ter", "wer"]
"""The order of all output, whatever order is typed: unlabelled numbers never swap."""


def build_metrics(options: ScoreOptions) -> tuple[list[Metric[Any, Any]], list[Notice]]:
    """Return the metrics, and notes on options that do something else than one may think.

    Raises:
        UsageError: if an option has a value that makes no sense.
    """
    names = sorted(options.metrics or ("bleu",), key=ORDER.index)
    metrics = [create(_family(name), **_settings(name, options)) for name in names]
    return metrics, [*_unused(names, options), *_language(names, options), *_asian(names, options)]


def _family(name: str) -> str:
    return name.rstrip("+")


def _settings(name: str, options: ScoreOptions) -> dict[str, Any]:
    """Return the arguments of a metric; what was not given is left to its default."""
    given: dict[str, dict[str, Any]] = {
        "bleu": {
            "lowercase": options.lowercase,
            "force": options.force,
            "tokenize": options.tokenize,
            "smooth_method": options.smooth_method,
            "smooth_value": options.smooth_value,
            "max_ngram_order": options.max_ngram_order,
            "trg_lang": target_language(options.language_pair),
        },
        "chrf": {
            "char_order": options.chrf_char_order,
            "word_order": name.count("+") or options.chrf_word_order,
            "beta": options.chrf_beta,
            "lowercase": options.chrf_lowercase,
            "whitespace": options.chrf_whitespace,
            "eps_smoothing": options.chrf_eps_smoothing,
        },
        "ter": {
            "case_sensitive": options.ter_case_sensitive,
            "asian_support": options.ter_asian_support,
            "no_punct": options.ter_no_punct,
            "normalized": options.ter_normalized,
        },
    }
    family = "ter" if name == "wer" else _family(name)
    return {key: value for key, value in given[family].items() if value is not None}


def _unused(names: list[str], options: ScoreOptions) -> list[Notice]:
    """Note options of metrics that were not asked for, and -lc beside chrF."""
    families = {"ter" if name == "wer" else _family(name) for name in names}
    given: dict[str, dict[str, Any]] = {
        "bleu": {
            "-tok": options.tokenize,
            "-lc": options.lowercase,
            "-s": options.smooth_method,
            "-sv": options.smooth_value,
            "--max-ngram-order": options.max_ngram_order,
        },
        "chrf": {
            "--chrf-char-order": options.chrf_char_order,
            "--chrf-word-order": options.chrf_word_order,
            "--chrf-beta": options.chrf_beta,
            "--chrf-whitespace": options.chrf_whitespace,
            "--chrf-lowercase": options.chrf_lowercase,
            "--chrf-eps-smoothing": options.chrf_eps_smoothing,
        },
        "ter": {
            "--ter-case-sensitive": options.ter_case_sensitive,
            "--ter-asian-support": options.ter_asian_support,
            "--ter-no-punct": options.ter_no_punct,
            "--ter-normalized": options.ter_normalized,
        },
    }
    notices = [
        Notice("note", "unused-option", f"{', '.join(used)}: without effect, since {family} is not computed")
        for family, values in given.items()
        if family not in families and (used := [key for key, value in values.items() if value])
    ]
    if options.lowercase and "chrf" in families and not options.chrf_lowercase:
        text = "-lc ignores case in BLEU only; for chrF say --chrf-lowercase"
        notices.append(Notice("note", "lowercase-bleu-only", text))
    return notices


def _language(names: list[str], options: ScoreOptions) -> list[Notice]:
    """Note which tokenizer a language code was taken for, and where another one is usual."""
    target = target_language(options.language_pair)
    usual = default_tokenizer(target)
    if "bleu" not in names or usual == "13a":
        return []
    if options.tokenize is None and target not in LANGUAGES:
        return [Notice("note", "language-tokenizer", f"target language {target}: tokenizer {usual}")]
    if options.tokenize not in {None, usual}:
        text = f"the usual tokenizer for target language {target} is {usual}"
        return [Notice("note", "language-tokenizer", text)]
    return []


def _asian(names: list[str], options: ScoreOptions) -> list[Notice]:
    computes_ter = "ter" in names or "wer" in names
    if not computes_ter or not options.ter_asian_support or options.ter_normalized or options.ter_no_punct:
        return []
    text = "--ter-asian-support does nothing without --ter-normalized"
    return [Notice("warning", "asian-support-alone", text)]
