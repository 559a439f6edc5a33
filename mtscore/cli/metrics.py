"""Build the metrics that the options ask for, in the field's order, and say which options go unused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mtscore.cli.options import target_language
from mtscore.errors import UsageError
from mtscore.metrics import METRICS, create
from mtscore.notices import Notice
from mtscore.tokenizers import LANGUAGES, default_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.cli.like import Like
    from mtscore.cli.score import ScoreOptions
    from mtscore.metrics.base import AnyMetric


def build_metrics(options: ScoreOptions) -> tuple[list[AnyMetric], list[Notice]]:
    """Return the metrics, and notes on options that do something else than one may think.

    Raises:
        UsageError: if an option has a value that makes no sense, or contradicts `--like`.
        SignatureError: if `--like` is no signature.
    """
    like = _like(options.like)
    names = sorted(options.metrics or (like.name if like else "bleu",), key=_place)
    if like and like.name not in names:
        raise UsageError(
            f"contradicts --like, which has {like.signature.name}", where=f"-m {' '.join(names)}"
        )
    _check_names(names, options)
    metrics = [
        like.metric(_given(name, options))
        if like and name == like.name
        else create(name, **_settings(name, options))
        for name in names
    ]
    notices = [*_unused(names, options), *_language(names, options), *_asian(names, options)]
    return metrics, [*(like.notices(metrics[names.index(like.name)]) if like else []), *notices]


def _check_names(names: Sequence[str], options: ScoreOptions) -> None:
    """Raise a UsageError if an option contradicts a metric's name, and no other metric takes it."""
    entries = {name: METRICS[_registered(name)] for name in names}
    for name, entry in entries.items():
        relatives = [other for other in entries.values() if other.options == entry.options]
        for given in _given(name, options):
            is_free = any(given.argument not in other.fixed for other in relatives)
            if not is_free and entry.fixed[given.argument] != given.value:
                wanted = f"{given.spelling} {given.value}"
                raise UsageError(f"contradicts {name}", where=wanted, hint=f"-m {entry.options} {wanted}")


def _like(signature: str | None) -> Like | None:
    if signature is None:
        return None
    from mtscore.cli.like import Like  # noqa: PLC0415  # on request

    return Like.parse(signature)


def _registered(name: str) -> str:
    """Return the name in the registry; what `--like` can name and `-m` cannot is a chrF of higher order."""
    return name if name in METRICS else "chrf++"


def _place(name: str) -> int:
    return list(METRICS).index(_registered(name))


def _family(name: str) -> str | None:
    """Return whose options a metric takes."""
    return METRICS[_registered(name)].options


class Given(NamedTuple):
    """Hold an option of a metric: how it is written, which argument it is, and its value."""

    spelling: str
    argument: str
    value: Any


def _given(name: str, options: ScoreOptions) -> list[Given]:
    """Return those options of a metric that were given."""
    table = {
        "bleu": [
            Given("-lc", "lowercase", options.lowercase),
            Given("-tok", "tokenize", options.tokenize),
            Given("-s", "smooth_method", options.smooth_method),
            Given("-sv", "smooth_value", options.smooth_value),
            Given("--max-ngram-order", "max_ngram_order", options.max_ngram_order),
        ],
        "chrf": [
            Given("--chrf-char-order", "char_order", options.chrf_char_order),
            Given("--chrf-word-order", "word_order", options.chrf_word_order),
            Given("--chrf-beta", "beta", options.chrf_beta),
            Given("--chrf-whitespace", "whitespace", options.chrf_whitespace),
            Given("--chrf-lowercase", "lowercase", options.chrf_lowercase),
            Given("--chrf-eps-smoothing", "eps_smoothing", options.chrf_eps_smoothing),
        ],
        "ter": [
            Given("--ter-case-sensitive", "case_sensitive", options.ter_case_sensitive),
            Given("--ter-asian-support", "asian_support", options.ter_asian_support),
            Given("--ter-no-punct", "no_punct", options.ter_no_punct),
            Given("--ter-normalized", "normalized", options.ter_normalized),
        ],
    }
    return [
        given
        for given in table.get(_family(name) or "", [])
        if given.value is not None and given.value is not False
    ]


def _settings(name: str, options: ScoreOptions) -> dict[str, Any]:
    """Return the arguments of a metric; what was not given is left to its default."""
    settings = {given.argument: given.value for given in _given(name, options)}
    if name == "bleu":
        settings |= {"force": options.force, "trg_lang": target_language(options.language_pair)}
    return settings


def _unused(names: list[str], options: ScoreOptions) -> list[Notice]:
    """Note options of metrics that were not asked for, and -lc beside chrF."""
    families = {_family(name) for name in names}
    notices = [
        Notice(
            "note", "unused-option", f"{', '.join(unused)}: without effect, since {family} is not computed"
        )
        for family in ("bleu", "chrf", "ter")
        if family not in families and (unused := [given.spelling for given in _given(family, options)])
    ]
    if options.lowercase and "chrf" in families and not options.chrf_lowercase:
        text = "-lc ignores case in BLEU only; for chrF say --chrf-lowercase"
        notices.append(Notice("note", "lowercase-bleu-only", text))
    return notices


def _language(names: list[str], options: ScoreOptions) -> list[Notice]:
    """Note which tokenizer a language code was taken for, and where another one is usual."""
    target = target_language(options.language_pair)
    usual = default_tokenizer(target)
    if "bleu" not in names or usual == "13a" or options.like:
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
