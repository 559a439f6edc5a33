"""The segments behind a difference, as plain text: scores, references, and what each system wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report.escaping import plain
from mtscore.report.table import display_width

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Example, Report


def render(report: Report, style: Style) -> str:
    """Return the examples below a title; hypotheses go through `style.highlight`."""
    return f"{plain(title(report))}\n" + "".join(_example(example, style) for example in report.examples)


def title(report: Report) -> str:
    """Return which segments these are: `segments where xmu loses most against uedin-nmt (sentence BLEU)`."""
    systems = list(report.examples[0].scores)
    others = [name for name in systems if name != report.baseline]
    if len(systems) == 1:
        choice = f"segments where {systems[0]} scores worst"
    elif len(others) == 1:
        choice = f"segments where {others[0]} loses most against {report.baseline}"
    else:
        choice = f"segments that differ most from {report.baseline}"
    place = f"{report.testset.name}-{report.testset.pair}, " if report.testset else ""
    return f"{place}{choice} (sentence {report.examples_metric})"


def scores(example: Example, style: Style) -> str:
    """Return the systems' scores: `100.0 → 32.1`; with names where more than two would be a riddle."""
    values = {name: f"{score:.{style.decimals}f}" for name, score in example.scores.items()}
    if len(values) > 2:  # noqa: PLR2004  # a baseline and a system
        return ", ".join(f"{name} {value}" for name, value in values.items())
    return " → ".join(values.values())


def references(example: Example) -> dict[str, str]:
    """Return the references by label: `ref`, or `ref 1`, `ref 2`."""
    if len(example.references) == 1:
        return {"ref": example.references[0]}
    return {f"ref {number}": text for number, text in enumerate(example.references, 1)}


def _example(example: Example, style: Style) -> str:
    texts = {label: plain(text) for label, text in references(example).items()}
    for system, hypothesis in example.hypotheses.items():
        texts[plain(system)] = style.highlight(plain(hypothesis), example.references)
    width = max(map(display_width, texts))
    lines = [f"{label}{' ' * (width - display_width(label))}  {text}" for label, text in texts.items()]
    return f"{example.segment}  {plain(scores(example, style))}\n" + "".join(f"  {line}\n" for line in lines)
