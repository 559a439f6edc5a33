"""Digests of what each version of each tokenizer makes of lines that stand in this repository.

`python tests/golden.py` adds the digests of versions that have none yet. It never replaces one: whoever
changes what a tokenizer makes of any line raises the tokenizer's version.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from random_text import RandomText

from mtscore.errors import MissingExtraError
from mtscore.tokenizers import tokenizer

if TYPE_CHECKING:
    from mtscore.tokenizers.base import Tokenizer

DATA = Path(__file__).parent / "data"
DIGESTS = DATA / "golden_digests.json"
MINI = Path(__file__).parents[1] / "testsets" / "mini"
NAMES = ["13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab"]


def lines() -> list[str]:
    """Return the lines: written by hand, of the embedded test set, and random ones."""
    written = (DATA / "golden_lines.jsonl").read_bytes().decode("utf-8").split("\n")[:-1]
    files = sorted(MINI.glob("*.*.??")) + sorted(MINI.glob("src.??"))
    embedded = [line for file in files for line in file.read_text("utf-8").split("\n")]
    return [
        *map(json.loads, written),
        *embedded,
        *RandomText(2018).lines(3000),
        *RandomText(2019).lines(1000, newlines=True),
    ]


def digest(define: Tokenizer, texts: list[str]) -> str:
    """Return the SHA-256 of the tokens: a space behind each, a newline behind each line."""
    found = sha256()
    for line in texts:
        tokens = "".join([f"{token} " for token in define(line.rstrip())])
        found.update(f"{tokens}\n".encode())
    return found.hexdigest()


def recorded() -> dict[str, dict[str, str]]:
    """Return the digests by identity and version."""
    found: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text("ascii"))
    return found


def main() -> None:
    """Add the digests of new versions."""
    digests = recorded() if DIGESTS.exists() else {}
    texts = lines()
    for name in NAMES:
        try:
            define = tokenizer(name)
        except MissingExtraError:
            continue
        versions = digests.setdefault(define.identity, {})
        versions.setdefault(str(define.version), digest(define, texts))
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", "ascii")


if __name__ == "__main__":
    main()
