"""Is the search or the model to blame, where a system's output is not the reference?

If the model gives the reference a higher probability than the output, the model would have been right and the
search missed it; otherwise the model itself prefers the output. The comparison needs nothing but the model's
log-probabilities of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mtscore._version import PROGRAM
from mtscore.diagnostics.values import check_logarithms, to_nats
from mtscore.errors import AlignmentError, InputError, UsageError, counted
from mtscore.notices import Notice
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.arrays import Booleans, Floats
    from mtscore.notices import Level

Fault: TypeAlias = Literal["search", "model"]
Order: TypeAlias = Literal["worst", "first"]

SAME_TEXT_TOLERANCE = 1e-6
"""Two log-probabilities of one text should not be further apart, relative to their size."""

DIVISION_TOLERANCE = 1e-12
"""Quotients this close (relative to their size) are tied: they may differ by rounding alone."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hold how many of `total` segments are meant, their share, and its 95 % Wilson interval."""

    count: int
    total: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Give what is known of one side, the references or the outputs: a value a segment.

    `logprobs` are the model's log-probabilities of whole segments, `lengths` their token counts. Messages
    call the source `name` and a segment by its line in `lines`, or else by its number.
    """

    logprobs: Sequence[float] | Floats
    lengths: Sequence[float] | Floats | None = None
    texts: Sequence[str] | None = None
    name: str = "log-probabilities"
    lines: Sequence[int] | None = None

    def line(self, index: int) -> int:
        """Return the line of a segment, from 1."""
        return index + 1 if self.lines is None else self.lines[index]

    def where(self, index: int) -> str:
        """Return the place of a segment for a message."""
        return f"{self.name}:{self.line(index)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchErrors:
    """Hold whose fault each segment is; arrays have shape (segments,).

    `judged` marks the segments that were counted. `reference` and `output` are natural log-probabilities as
    they were compared. A tie is the model's fault: it does not prefer the reference. `correct` is the number
    of judged outputs that are the reference word by word, None without texts.
    """

    search: Share
    model: Share
    ties: int
    correct: int | None
    judged: Booleans
    search_fault: Booleans
    tied: Booleans
    reference: Floats
    output: Floats
    signature: Signature
    notices: tuple[Notice, ...] = ()

    def fault(self, index: int) -> Fault:
        """Return who is at fault in the segment with this index (from 0)."""
        return "search" if self.search_fault[index] else "model"

    def examples(self, count: int, *, order: Order = "worst", fault: Fault | None = None) -> list[int]:
        """Return the indices of judged segments, the first ones or those whose two values are furthest apart.

        `fault` restricts them to one party's.
        """
        wanted = self.judged & (True if fault is None else self.search_fault == (fault == "search"))
        indices = np.flatnonzero(wanted)
        if order == "worst":
            distance = np.abs(self.reference[indices] - self.output[indices])
            indices = indices[np.argsort(-distance, kind="stable")]
        return [int(index) for index in indices[:count]]


def search_errors(
    reference: Side,
    output: Side,
    *,
    base: str = "e",
    probabilities: bool = False,
    normalised: bool = False,
    wrong: bool = False,
    below: float | None = None,
    scores: Sequence[float] | Floats | None = None,
) -> SearchErrors:
    """Compare the model's probabilities of references and outputs, segment by segment.

    Args:
        reference: of the references y*: log P(y*|x).
        output: of the system's outputs ŷ: log P(ŷ|x). With the `lengths` of both sides, the log-probabilities
            are divided by them before they are compared.
        base: of the logarithms: e, 2 or 10. It moves no count.
        probabilities: the values are probabilities, not logarithms.
        normalised: the values were divided by the lengths already (only the signature changes).
        wrong: judge only segments whose texts differ.
        below: judge only segments whose score in `scores` is lower.
        scores: a segment score each.

    Raises:
        AlignmentError: if the numbers of segments differ.
        InputError: if a value is no log-probability, or no segment is left to judge.
        UsageError: if a restriction lacks what it looks at, or only one side has lengths.

    Source: Stahlberg and Byrne (2019), On NMT search errors and model errors: cat got your tongue?
    """
    _check_alignment(reference, output, scores)
    divide = _divides(reference, output, normalised=normalised)
    nats, search_fault, tied = _compare(
        reference, output, base=base, probabilities=probabilities, divide=divide
    )
    same = _same_texts(reference, output)
    judged = _judged(reference, same, wrong=wrong, below=below, scores=scores)
    total, at_fault = int(judged.sum()), int((judged & search_fault).sum())
    return SearchErrors(
        search=wilson(at_fault, total),
        model=wilson(total - at_fault, total),
        ties=int((judged & tied).sum()),
        correct=None if same is None else int((judged & same).sum()),
        judged=judged,
        search_fault=search_fault,
        tied=tied,
        reference=nats[0],
        output=nats[1],
        signature=_signature(divide=divide, normalised=normalised, wrong=wrong, below=below),
        notices=tuple(_notices(reference, nats, same)),
    )


def wilson(count: int, total: int, confidence: float = 0.95) -> Share:
    """Return a share with its Wilson score interval, which is sound near 0 and 1 and for small totals.

    >>> share = wilson(5, 50)
    >>> f"{share.share:.3f} [{share.low:.3f}, {share.high:.3f}]"
    '0.100 [0.043, 0.214]'

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = count / total
    centre = share + z * z / (2 * total)
    spread = z * (share * (1 - share) / total + z * z / (4 * total * total)) ** 0.5
    scale = 1 + z * z / total
    low = 0.0 if count == 0 else (centre - spread) / scale
    high = 1.0 if count == total else (centre + spread) / scale
    return Share(count, total, share, low, high)


def _check_alignment(reference: Side, output: Side, scores: Sequence[float] | Floats | None) -> None:
    expected = len(reference.logprobs)
    if not expected:
        raise InputError("no segments", where=reference.name)
    others = {
        "the log-probabilities of the outputs": output.logprobs,
        "the reference texts": reference.texts,
        "the output texts": output.texts,
        "the token counts of the references": reference.lengths,
        "the token counts of the outputs": output.lengths,
        "the segment scores": scores,
    }
    for what, values in others.items():
        if values is not None and len(values) != expected:
            raise AlignmentError(
                f"{what}: {counted(len(values), 'segment')}, but {expected} log-probabilities of references",
                where=reference.name,
            )


def _divides(reference: Side, output: Side, *, normalised: bool) -> bool:
    """Return whether values are to be divided by lengths."""
    given = [side.lengths is not None for side in (reference, output)]
    if any(given) and not all(given):
        raise UsageError("token counts are needed of both sides, or of none")
    if all(given) and normalised:
        raise UsageError("the values are said to be normalised already: give no token counts")
    return all(given)


def _compare(
    reference: Side, output: Side, *, base: str, probabilities: bool, divide: bool
) -> tuple[list[Floats], Booleans, Booleans]:
    """Return both sides in nats, where the reference is more probable, and where both are equally probable.

    What is not divided is compared as it was given, so that ties are exact.
    """
    sides = (reference, output)
    given = [_checked(side, probabilities=probabilities) for side in sides]
    nats = [to_nats(values, base=base, probabilities=probabilities) for values in given]
    _check_possible(nats[1], output)
    if not divide:
        return nats, given[0] > given[1], given[0] == given[1]
    nats = [values / _lengths(side) for values, side in zip(nats, sides, strict=True)]
    tied = np.isclose(nats[0], nats[1], rtol=DIVISION_TOLERANCE, atol=0)
    return nats, (nats[0] > nats[1]) & ~tied, tied


def _checked(side: Side, *, probabilities: bool) -> Floats:
    values = np.asarray(side.logprobs, np.float64)
    check_logarithms(values, probabilities=probabilities, locate=side.where)
    return values


def _check_possible(nats: Floats, output: Side) -> None:
    """Reject an output of probability zero: the model has made it, so the value has run out of digits."""
    impossible = np.isneginf(nats)
    if impossible.any():
        raise InputError(
            "probability zero for an output that the system produced",
            where=output.where(int(np.argmax(impossible))),
            hint="products of many probabilities underflow: add logarithms instead",
        )


def _lengths(side: Side) -> Floats:
    lengths = np.asarray(side.lengths, np.float64)
    sound = (lengths >= 1) & (lengths == np.floor(lengths)) & np.isfinite(lengths)
    if not sound.all():
        index = int(np.argmin(sound))
        raise InputError(
            f"the segment's token count is {lengths[index]:g}, not a whole number from 1 up",
            where=side.where(index),
        )
    return lengths


def _same_texts(reference: Side, output: Side) -> Booleans | None:
    """Return which outputs are the reference, word by word; None without both texts."""
    if reference.texts is None or output.texts is None:
        return None
    pairs = zip(reference.texts, output.texts, strict=True)
    return np.array([one.split() == other.split() for one, other in pairs], np.bool_)


def _judged(
    reference: Side,
    same: Booleans | None,
    *,
    wrong: bool,
    below: float | None,
    scores: Sequence[float] | Floats | None,
) -> Booleans:
    """Return which segments to count."""
    judged = np.ones(len(reference.logprobs), np.bool_)
    if wrong:
        if same is None:
            raise UsageError("which segments are wrong? the texts of both sides are needed", where="--wrong")
        judged &= ~same
    if below is not None:
        if scores is None:
            raise UsageError("which segments score below a limit? segment scores are needed", where="--below")
        judged &= np.asarray(scores, np.float64) < below
    if not judged.any():
        raise InputError("no segment is left to judge", where=reference.name)
    return judged


def _signature(*, divide: bool, normalised: bool, wrong: bool, below: float | None) -> Signature:
    restrictions = ["wrong"] * wrong + ([] if below is None else [f"below-{below:g}"])
    return Signature(
        "SERR",
        {
            "prob": "norm" if divide else "given-norm" if normalised else "raw",
            "only": ",".join(restrictions) or None,
            "version": PROGRAM,
        },
    )


def _notices(reference: Side, nats: list[Floats], same: Booleans | None) -> list[Notice]:
    notices = []
    impossible = np.isneginf(nats[0])
    if impossible.any():
        text = "the model holds the reference to be impossible (probability zero)"
        notices.append(_notice("note", "impossible-reference", text, reference, impossible))
    if same is None:
        return notices
    unlike = same & ~np.isclose(nats[0], nats[1], rtol=SAME_TEXT_TOLERANCE, atol=SAME_TEXT_TOLERANCE)
    if unlike.any():
        text = "reference and output are the same text, but their log-probabilities differ"
        notices.append(_notice("warning", "same-text-other-logprob", text, reference, unlike))
    return notices


def _notice(level: Level, code: str, text: str, side: Side, which: Booleans) -> Notice:
    line = side.line(int(np.argmax(which)))
    return Notice(level, code, text, file=side.name, line=line, count=int(which.sum()))
