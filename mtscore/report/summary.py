"""The comment on a pull request or summary of a job: verdict, table, gates, and the rest folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report import captions
from mtscore.report.escaping import markdown, markdown_code
from mtscore.report.markdown import examples_block, tables

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Gate, Report


def render(report: Report, style: Style) -> str:
    """Return the report as a page of Markdown."""
    items = [_gate(gate) for gate in report.gates]
    items += [f"⚠️ {markdown(notice.text)}" for notice in report.notices if notice.level == "warning"]
    blocks = [
        f"### Translation quality: {_verdict(report)}",
        tables(report, style),
        "\n".join(f"- {item}" for item in items),
        _folded(report, style),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _verdict(report: Report) -> str:
    if not report.gates:
        return "ℹ️ scores"
    return "✅ no regression" if report.passed else "❌ regression"


def _folded(report: Report, style: Style) -> str:
    names = ["Signatures", *["inputs"] * bool(report.inputs), *["worst segments"] * bool(report.examples)]
    blocks = [
        f"<details><summary>{', '.join(names)}</summary>",
        *map(markdown_code, captions.signature_lines(report, style)),
        markdown(" ".join([f"{captions.headline(report)}.", *captions.footnotes(report)])),
        _inputs(report),
        examples_block(report, style) if report.examples else "",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n</details>"


def _inputs(report: Report) -> str:
    return "\n".join(
        f"- {source.role} {markdown_code(source.file)}: {source.lines} lines, SHA-256 `{source.sha256}`"
        for source in report.inputs
    )


def _gate(gate: Gate) -> str:
    """Return a gate's outcome; the metric of a failed one is bold."""
    if gate.passed:
        return f"✅ {markdown(gate.text)}"
    return f"❌ **{markdown(gate.name)}**{markdown(gate.text.removeprefix(gate.name))}"
