"""The sentences around a table: what was scored, what was tested, and the signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.errors import counted

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report
    from mtscore.signature import Signature

METHODS = {"ar": "paired approximate randomisation", "bs": "paired bootstrap resampling"}


def headline(report: Report) -> str:
    """Return what was scored and tested: `zh-en · 1875 segments · 1 reference · … vs HuaweiTSC`."""
    parts = [
        language_pair(report),
        counted(report.segments, "segment"),
        counted(report.references, "reference"),
        _method(report),
    ]
    return " · ".join(part for part in parts if part)


def footnotes(report: Report) -> list[str]:
    """Return what the marks of a table mean, a line each: `*`, ranks and `±`; none if it has none."""
    seed = "" if report.seed is None else f", seed {report.seed}"
    facts = []
    if report.test:
        mark = "* p" if _compared(report) else "Ranks and rules: Holm-corrected p"
        facts.append(f"{mark} < {report.alpha:g}, {report.trials} trials{seed}")
    if any(row.score.interval for row in report.rows):
        resamples = f"{report.bootstrap}{'' if report.test else seed}"
        facts.append(f"± is a 95 % bootstrap interval ({resamples})")
    lines = [f"{'; '.join(facts)}."] if facts else []
    if report.test and report.clusters and _compared(report):
        lines.append(f"Ranks and rules: Holm-corrected p < {report.alpha:g}.")
    if report.test == "bs":
        lines.append("p is liberal: about half of a two-sided one. Prefer approximate randomisation, -par.")
    return lines


def signatures(report: Report) -> list[Signature]:
    """Return the signatures of the corpus scores, each once; of all scores if there are no others."""
    corpus = [row for row in report.rows if row.of_corpus]
    distinct = {row.score.signature.format(): row.score.signature for row in corpus or report.rows}
    return list(distinct.values())


def signature_lines(report: Report, style: Style) -> list[str]:
    """Return the signatures as the user wants them, a line each."""
    return [
        signature.format(style=style.signature_style, short=style.short) for signature in signatures(report)
    ]


def language_pair(report: Report) -> str | None:
    """Return the language pair if it is known: `zh-en`."""
    return report.language_pair or (report.testset.pair if report.testset else None)


def _method(report: Report) -> str:
    if report.test is None:
        return ""
    subject = f" vs {report.baseline}" if _compared(report) else " of all pairs"
    return METHODS[report.test] + subject


def _compared(report: Report) -> bool:
    return any(row.comparison and row.comparison.p_value is not None for row in report.rows)
