"""The tokenizer `tercom`, which belongs to TER: Tercom's normalisation, all of whose steps are optional.

Its settings are TER's own and stand in the signature one by one; without any, a line is lower-cased and split
at white space.
"""

from __future__ import annotations

import re

from mtscore.tokenizers.mteval import ASCII_SINGLES, ENTITIES, split_western

NAME = "tercom"
"""The value in the signature; a line that comes out differently makes it `tercom.2`."""

ASCII_PUNCTUATION = '.,?:;!"()'
ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
FULL_WIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
ASIAN = (
    "\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    f"{ASIAN_PUNCTUATION}{FULL_WIDTH_PUNCTUATION}"
)
"""Ideographs and punctuation, each a token; kana and hangul are not among them and stay together."""

POSSESSIVE = re.compile(rf"'s(?=[ {re.escape(ASCII_SINGLES)}])")


def tokenize(
    line: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> list[str]:
    """Return the tokens of one line.

    Args:
        line: any text.
        normalized: decode entities; cut off punctuation as `13a` does, and a possessive 's.
        no_punct: delete punctuation.
        asian_support: do both for East Asian ideographs and punctuation too; alone it changes nothing.
        case_sensitive: do not lower-case.
    """
    if not case_sensitive:
        line = line.lower()
    if normalized:
        line = " ".join(_normalize(line))
        if asian_support:
            line = re.sub(f"[{ASIAN}]", r" \g<0> ", line)
    if no_punct:
        line = re.sub(f"[{ASCII_PUNCTUATION}]", "", line)
        if asian_support:
            line = re.sub(f"[{ASIAN_PUNCTUATION}{FULL_WIDTH_PUNCTUATION}]", "", line)
    return line.split()


def _normalize(line: str) -> list[str]:
    line = line.rstrip().replace("\n-", "").replace("\n", " ")
    for entity, character in ENTITIES:
        line = line.replace(entity, character)
    return split_western(POSSESSIVE.sub(" 's ", f" {line} "))
