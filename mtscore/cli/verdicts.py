"""How `mtscore reproduce` says what it found, for people and for programs. Pure: verdicts in, text out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mtscore.cli.layout import notes, wrapped
from mtscore.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.claims import Published
    from mtscore.recheck import Difference
    from mtscore.reproduce import Verdict

MORE_DECIMALS = 3
"""How many decimals a score is shown with beyond those of the published number."""

MOST_DECIMALS = 12
NEAREST = 3
"""How many trials are shown where none fits."""


# --- Claims -------------------------------------------------------------------------------------------------


def claim_lines(published: Published, verdict: Verdict, *, alone: bool) -> list[str]:
    """Return what to print on a claim: `reproduced: 28.3012 is 28.3`, or why not."""
    whose = "" if alone else f"{_whose(published)}: "
    printed, found = verdict.claim.score, _number(verdict, verdict.score)
    if verdict.reproduced:
        return [f"reproduced: {whose}{found} is {printed}", *notes(verdict.notes)]
    if verdict.fits:
        facts = verdict.contradictions
        start = f"not reproduced: {whose}{found} is {printed}, but"
        return [
            *([f"{start} {facts[0]}"] if len(facts) == 1 else [start, *(f"  {fact}" for fact in facts)]),
            *(["", *_trials(verdict)] if verdict.fitting else []),
            *notes(verdict.notes),
        ]
    return [
        f"not reproduced: {whose}{printed} was published, {found} comes out",
        *(wrapped(f"However, {contradiction}.") for contradiction in verdict.contradictions),
        "",
        *_trials(verdict),
        *notes([*verdict.notes, *verdict.remarks]),
    ]


def claim_data(published: Published, verdict: Verdict) -> dict[str, Any]:
    """Return the same as JSON data."""
    return {
        "reproduced": verdict.reproduced,
        "system": published.system,
        "name": verdict.signature.name,
        "published": verdict.claim.score,
        "score": verdict.score,
        "claim": str(verdict.claim.signature),
        "signature": str(verdict.signature),
        "contradictions": list(verdict.contradictions),
        "notes": list(verdict.notes),
        "tried": len(verdict.trials),
        "fitting": [trial.what for trial in verdict.trials if trial.fits],
        "trials": [asdict(trial) for trial in verdict.trials],
        "remarks": list(verdict.remarks),
    }


def _whose(published: Published) -> str:
    name = published.claim.signature.name
    return f"{name} of {published.system}" if published.system else name


def _number(verdict: Verdict, score: float) -> str:
    """Return a score with some decimals more than the published number, but none that are noise."""
    printed = verdict.claim.decimals
    return f"{score:.{max(printed, min(printed + MORE_DECIMALS, MOST_DECIMALS))}f}"


def _trials(verdict: Verdict) -> list[str]:
    """Return all other ways that give the number, or the nearest that do not, and how many were tried."""
    fitting, tried, printed = verdict.fitting, len(verdict.trials), verdict.claim.score
    if fitting:
        gives = "gives" if len(fitting) == 1 else "give"
        title = f"Of {tried} other ways to score, {len(fitting)} {gives} {printed}; one may by chance:"
    else:
        title = f"None of {tried} other ways to score gives {printed}; the nearest:"
    shown = [(_number(verdict, trial.score), trial) for trial in fitting or verdict.nearest[:NEAREST]]
    width = max((len(number) for number, _ in shown), default=0)
    return [title, *(f"  {number:>{width}}  {trial.kind}: {trial.what}" for number, trial in shown)]


# --- Reports ------------------------------------------------------------------------------------------------


def report_lines(
    name: str, scores: int, found: Sequence[Difference], explanations: Sequence[str]
) -> list[str]:
    """Return what to print on a report: that all its scores come out, or every difference."""
    grave = [difference for difference in found if not difference.harmless]
    remarks = [difference.text for difference in found if difference.harmless]
    if not grave:
        number = "its score comes" if scores == 1 else f"all {scores} scores come"
        return [f"reproduced: {number} out as in {name}", *notes(remarks)]
    shown = [difference for difference in grave if not _follows(difference, grave)]
    hidden = len(grave) - len(shown)
    return [
        f"not reproduced: {counted(len(grave), 'difference')} from {name}",
        "",
        *(wrapped(difference.text) for difference in shown),
        *([f"and {hidden} more that follow from these (-f json has all)"] if hidden else []),
        *notes([*explanations, *remarks]),
    ]


def _follows(difference: Difference, found: Sequence[Difference]) -> bool:
    """Return whether a difference is to be expected, since a score that it belongs to has changed."""
    scores = {other.where for other in found if other.kind == "score"}
    of_row = difference.where in scores
    of_report = difference.where.partition(" ")[0] in ("gate", "pair", "cluster")
    return difference.kind == "result" and (of_row or (of_report and bool(scores)))


def report_data(
    name: str, scores: int, found: Sequence[Difference], explanations: Sequence[str]
) -> dict[str, Any]:
    """Return the same as JSON data."""
    return {
        "reproduced": all(difference.harmless for difference in found),
        "report": name,
        "scores": scores,
        "differences": [asdict(difference) for difference in found if not difference.harmless],
        "explanations": list(explanations),
        "notes": [asdict(difference) for difference in found if difference.harmless],
    }
