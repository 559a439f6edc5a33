"""The receipt of an evaluation: everything needed to repeat it and to see what changed since.

`schema.json` beside this file defines the form; a change that an old reader would misread raises the number
in `SCHEMA`. Numbers are always in full. Apart from `time`, two runs on the same input give the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtscore.report.rows import dumps, flat, message, present

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Gate, Report

SCHEMA = "mtscore-report/1"


def render(report: Report, style: Style) -> str:  # noqa: ARG001  # a receipt has one form only
    """Return the receipt as JSON."""
    return f"{dumps(receipt(report), indent=2)}\n"


def receipt(report: Report) -> dict[str, Any]:
    """Return the receipt as data: what there is none of is absent, but lists may be empty."""
    return present(
        {
            "schema": SCHEMA,
            "time": report.time,
            "versions": dict(report.versions),
            "inputs": [present(source._asdict()) for source in report.inputs],
            "testset": report.testset._asdict() if report.testset else None,
            "alpha": report.alpha if report.test else None,
            "rows": [flat(row) for row in report.rows],
            "pairs": [pair._asdict() for pair in report.pairs],
            "clusters": [cluster._asdict() for cluster in report.clusters],
            "gates": [_gate(gate) for gate in report.gates],
            "messages": [message(notice) for notice in report.notices],
            "passed": report.passed,
        }
    )


def _gate(gate: Gate) -> dict[str, Any]:
    keys = ("gate", "system", "name", "passed", "value", "limit", "p_value", "text")
    return present({key: getattr(gate, key) for key in keys})


def schema() -> dict[str, Any]:
    """Return the JSON schema of the receipt."""
    import json  # noqa: PLC0415  # only for those who check a receipt
    from importlib.resources import files  # noqa: PLC0415

    text = files("mtscore.report").joinpath("schema.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
