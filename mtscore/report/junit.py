"""JUnit XML, which every CI service shows: a test case for each system, metric and gate.

A score without a gate is a test case that passes, so that it can be read there too. Signatures are properties
of the suite. No time is noted: the same report gives the same file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from mtscore.report import captions
from mtscore.report.escaping import plain

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Gate, Report, Row


def render(report: Report, style: Style) -> str:
    """Return the report as one test suite."""
    gated = {(gate.system, gate.name) for gate in report.gates}
    free = [row for row in report.rows if row.of_corpus and (row.system, row.score.name) not in gated]
    failures = sum(not gate.passed for gate in report.gates)
    counts = {"tests": str(len(report.gates) + len(free)), "failures": str(failures), "errors": "0"}
    root = ET.Element("testsuites", {"name": "mtscore", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": "mtscore", **counts, "skipped": "0"})
    properties = ET.SubElement(suite, "properties")
    for signature in captions.signatures(report):
        attributes = {"name": f"signature.{signature.name}", "value": plain(signature.format())}
        ET.SubElement(properties, "property", attributes)
    for row in free:
        _score_case(suite, row, style)
    for gate in report.gates:
        _gate_case(suite, gate, style)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _score_case(suite: ET.Element, row: Row, style: Style) -> None:
    case = _case(suite, row.system, row.score.name)
    ET.SubElement(case, "system-out").text = plain(row.score.format(style.decimals))


def _gate_case(suite: ET.Element, gate: Gate, style: Style) -> None:
    case = _case(suite, gate.system, f"{gate.name} {gate.gate}")
    if not gate.passed:
        failure = ET.SubElement(case, "failure", {"type": gate.gate, "message": plain(gate.text)})
        failure.text = plain(gate.text)
    ET.SubElement(case, "system-out").text = f"{gate.name} = {gate.value:.{max(2, style.decimals)}f}"


def _case(suite: ET.Element, system: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": f"mtscore.{plain(system)}", "name": name})
