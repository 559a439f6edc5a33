"""Claims: published scores with their signatures, one by one or as the JSON of sacreBLEU and of mtscore.

Numbers are kept as they were printed, since a claim is only as precise as its digits. How a score line is
read is in `signature`; whether a claim is true is for `reproduce` to find out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mtscore.errors import InputError, UsageError
from mtscore.signature import BLEU_PARTS, EQUALS, Claim, Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DIGITS = re.compile(r"\d+(\.\d+)?", re.ASCII)
MOST_DIGITS = 100
"""A number that is longer when it is written out is no score, and may be longer than the memory."""

UNCHECKED = ("mean", "ci", "confidence_mean", "confidence_var", "delta", "p_value")
"""The numbers of a row that depend on more than the texts of its system."""

BASELINE_MARK = "Baseline: "
"""What sacreBLEU writes before the first system of a test."""

JSON_HINT = "a score has the keys name, score and signature"


@dataclass(frozen=True, slots=True)
class Published:
    """Hold a claim, and for which system and file of hypotheses it was made, if that is known."""

    claim: Claim
    system: str | None = None
    file: str | None = None
    unchecked: Sequence[str] = ()
    """What else was published and is not compared."""


def from_line(text: str, published: str | None = None) -> Published:
    """Read a score line, or a signature with the number that was published elsewhere.

    Raises:
        SignatureError: with a caret under what cannot be read.
        UsageError: if the published number is none, or not the one in the line.
    """
    signature = Signature.parse(text)
    if EQUALS.search(text):
        claim = Claim.parse(text)
        if published not in (None, claim.score):
            raise UsageError(f"the claim says {claim.score}, not {published}", where="--published")
        return Published(claim, unchecked=[*(["interval"] if claim.mean else []), *_unchecked_text(claim)])
    if published is None:
        raise UsageError("the claim has no score", hint="'SIGNATURE = 28.3', or --published 28.3")
    return Published(Claim(signature, "plus", _digits(published, "--published")))


def from_text(text: str) -> list[Published]:
    """Read score lines, one a line, passing over blank ones, or JSON.

    Raises:
        SignatureError: with a caret under what cannot be read.
        InputError: if there is no score.
    """
    if is_json(text):
        return from_json(load_json(text))
    found = [from_line(line) for line in text.split("\n") if line.strip()]
    if not found:
        raise InputError("there is no claim: the text is empty")
    return found


def is_json(text: str) -> bool:
    """Return whether a text is meant to be JSON."""
    return text.lstrip()[:1] in ("{", "[")


def load_json(text: str) -> Any:
    """Return JSON, or a list of the objects that stand one a line; numbers with all their digits.

    Raises:
        InputError: if it is neither.
    """
    try:
        return _loads(text)
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and lines[0].rstrip().endswith("}"):
            try:
                return [_loads(line) for line in lines]
            except ValueError:
                pass
        raise InputError(f"the claim is not valid JSON: {error}") from None


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def from_json(data: Any) -> list[Published]:
    """Read what `load_json` returned: a score, or a list of scores or of systems with their scores.

    Raises:
        InputError: if it is something else.
        SignatureError: if a signature cannot be read.
    """
    rows = data if isinstance(data, list) else [data]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError("this JSON is no score", hint=JSON_HINT)
    return [claim for row in rows for claim in ([_from_row(row)] if "score" in row else _from_systems(row))]


def _from_row(row: Mapping[str, Any]) -> Published:
    """Read a score of one system by one metric."""
    if "segment" in row or "group" in row:
        raise UsageError(
            "scores of segments or groups are not single claims", hint="check the report that -o x.json wrote"
        )
    for key in ("name", "signature"):
        if not isinstance(row.get(key), str):
            raise InputError(f"a score of this JSON has no {key}", hint=JSON_HINT)
    for key in ("system", "file"):
        if not isinstance(row.get(key, ""), str):
            raise InputError(f"a score of this JSON has a {key} that is no name", hint=JSON_HINT)
    signature = Signature.parse(row["signature"], name=row["name"])
    verbose = row.get("verbose_score")
    claim = Claim(
        signature,
        "plus",
        _digits(row["score"], f"score of {row['name']}"),
        verbose=verbose if isinstance(verbose, str) else None,
    )
    unchecked = [key for key in UNCHECKED if row.get(key) is not None]
    return Published(claim, row.get("system"), row.get("file"), [*unchecked, *_unchecked_text(claim)])


def _from_systems(row: Mapping[str, Any]) -> list[Published]:
    """Read sacreBLEU's row of a system with several metrics: there are no signatures, so only defaults."""
    if not isinstance(row.get("system"), str):
        raise InputError("this JSON is no score", hint=JSON_HINT)
    system = row["system"].removeprefix(BASELINE_MARK)
    return [
        Published(
            Claim(
                Signature(name, {}),
                "pipe",
                _digits(value.get("score") if isinstance(value, dict) else value, name),
            ),
            system,
            system,
        )
        for name, value in row.items()
        if name != "system"
    ]


def _unchecked_text(claim: Claim) -> list[str]:
    """Return what stands behind a score, unless it is the numbers of a BLEU score."""
    text = claim.verbose
    is_checked = text is None or (claim.signature.family == "BLEU" and BLEU_PARTS.fullmatch(text))
    return [] if is_checked else [f"text {text!r}"]


def _digits(value: Any, where: str) -> str:
    """Return a number as its digits."""
    written = isinstance(value, Decimal) and abs(value.adjusted()) < MOST_DIGITS
    text = f"{value:f}" if written else str(value).strip()
    if not DIGITS.fullmatch(text):
        raise UsageError(f"{text!r} is no score", where=where, hint="a number such as 28.3")
    return text
