"""`mtscore signature`: explain a signature in plain words, or tell whether two are comparable."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mtscore import comparability
from mtscore.cli import DONE, NO, messages
from mtscore.cli.layout import WIDTH, notes
from mtscore.cli.options import Group, argument, format_option
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADLINES: dict[comparability.Verdict, str] = {
    "harmless": "comparable",
    "caveat": "comparable, with a caveat",
    "different": "not comparable",
}

EXPLAIN = """
mtscore signature explain 'BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.0.0'
"""
COMPARE = """
mtscore signature compare BLEU+c.mixed+#.1+s.exp+tok.13a+v.1.5.1 BLEU+c.lc+#.1+s.exp+tok.13a+v.1.5.1
mtscore signature compare 'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0' \\
  BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0
"""


@click.group("signature", cls=Group, examples=EXPLAIN + COMPARE.lstrip())
def command() -> None:
    """Explain a signature, or tell whether the scores behind two may be compared.

    Signatures of mtscore and of sacreBLEU 1.x and 2.x are understood, long or short, whole score lines too.
    Quote them, since a shell takes | for a pipe.
    """


@command.command(examples=EXPLAIN, short_help="Say what a signature means.")
@argument("signature")
@format_option()
def explain(signature: str, form: str) -> int:
    """Say in plain words what each field of SIGNATURE means and what it changes."""
    parsed = Signature.parse(signature)
    rows, remarks = comparability.explain(parsed), comparability.remarks(parsed)
    if form == "json":
        fields = [asdict(row) for row in rows]
        messages.data({"signature": str(parsed), "fields": fields, "remarks": remarks})
        return 0
    table = [(row.key, str(row.value), f"{row.meaning}; {row.consequence}") for row in rows]
    below = ["", *notes(remarks)] if remarks else []
    messages.page([str(parsed), "", *_align(table), *below])
    return 0


@command.command(examples=COMPARE, short_help="Tell whether scores may be compared.")
@argument("a")
@argument("b")
@format_option()
def compare(a: str, b: str, form: str) -> int:
    """Tell whether a score with signature A and one with signature B may be compared.

    The exit code is 0 if they may, also with a caveat, and 1 if not.
    """
    first, second = Signature.parse(a), Signature.parse(b)
    differences = comparability.compare(first, second)
    verdict = comparability.verdict(differences)
    comparable = verdict != "different"
    if form == "json":
        messages.data(
            {
                "comparable": comparable,
                "verdict": verdict,
                "a": str(first),
                "b": str(second),
                "differences": [asdict(difference) for difference in differences],
            }
        )
    else:
        messages.page([HEADLINES[verdict], "", f"A  {first}", f"B  {second}", *_explain(differences)])
    return DONE if comparable else NO


def _explain(differences: Sequence[comparability.Difference]) -> list[str]:
    """Return the differences as lines, the gravest first."""
    ordered = sorted(differences, key=lambda d: -comparability.SEVERITY.index(d.verdict))
    table = [(d.verdict, d.key, f"{_state(d.a)} / {_state(d.b)}: {d.meaning}") for d in ordered]
    return ["", *_align(table)] if table else []


def _state(value: str | int | None) -> str:
    return "not stated" if value is None else str(value)


def _align(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return rows as lines of at most 80 columns, the last column wrapped."""
    first, second = (max(len(row[i]) for row in rows) + 2 for i in (0, 1))
    margin = " " * (first + second)
    return [
        line
        for a, b, text in rows
        for line in textwrap.wrap(
            f"{a:<{first}}{b:<{second}}{text}", WIDTH, subsequent_indent=margin, break_on_hyphens=False
        )
    ]
