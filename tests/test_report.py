"""Report formats: what each prints, to the character, for small reports with real numbers."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from importlib import import_module
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mtscore.errors import UsageError
from mtscore.notices import Notice
from mtscore.report import FORMATS, SUFFIXES, escaping, format_of, render
from mtscore.report.pivot import pivots
from mtscore.report.receipt import schema
from mtscore.report.style import Style
from mtscore.report.table import body
from mtscore.results import (
    Cluster,
    Comparison,
    Example,
    Gate,
    Input,
    Interval,
    Pair,
    Report,
    Row,
    Score,
)
from mtscore.results import TestSetUse as UsedTestSet
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SETTINGS: dict[str, dict[str, object]] = {
    "BLEU": {"case": "mixed", "numrefs": 1, "smooth": "exp", "tok": "13a"},
    "chrF2": {"case": "mixed", "numchars": 6, "numrefs": 1, "space": "no"},
    "TER": {"asian": "no", "case": "lc", "norm": "no", "numrefs": 1, "punct": "yes", "tok": "tercom"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailedScore(Score):
    """Stand for the scores of real metrics, which have details."""

    facts: tuple[tuple[str, Any], ...] = ()
    said: str

    @property
    def verbose(self) -> str:
        """Return what stands behind the score on the text line."""
        return self.said

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the facts as they were given."""
        return dict(self.facts)


def make_score(name: str, value: float, half_width: float | None = None, **settings: object) -> Score:
    """Return a score of a metric with its usual signature."""
    fields = SETTINGS[name] | {"version": "mtscore-0.1.0"} | settings
    spread = None if half_width is None else (value, half_width, value - half_width, value + half_width)
    return Score(
        name=name,
        score=value,
        better="lower" if name == "TER" else "higher",
        signature=Signature(name, fields),
        interval=Interval(*spread) if spread else None,
    )


def plain_report(metrics: Iterable[str] = ("BLEU", "chrF2"), systems: int = 2, **fields: Any) -> Report:
    """Return a report without a test: the systems good and poor, as the demo scores them."""
    values = {
        "good": {"BLEU": 41.66, "chrF2": 66.28, "TER": 45.04},
        "poor": {"BLEU": 14.21, "chrF2": 43.94, "TER": 78.9},
    }
    rows = [
        Row(system=system, file=f"hyp.{system}.de", score=make_score(metric, values[system][metric]))
        for system in list(values)[:systems]
        for metric in metrics
    ]
    return Report(rows=rows, segments=48, references=1, **fields)


WMT22 = {
    "HuaweiTSC": (29.811064, 0.9, None, 58.467355, 0.7, None),
    "AISP-SJTU": (29.672001, 0.9, 0.66833, 59.218079, 0.7, 0.000999),
    "DLUT": (24.981437, 0.8, 0.000999, 55.238214, 0.7, 0.000999),
    "JDExploreAcademy": (33.511236, 1.2, 0.000999, 61.142636, 0.9, 0.000999),
    "Lan-Bridge": (28.079284, 0.9, 0.000999, 57.842407, 0.7, 0.014985),
    "LanguageX": (31.943488, 1.0, 0.000999, 60.515176, 0.7, 0.000999),
    "Online-B": (28.751151, 0.9, 0.000999, 58.227228, 0.7, 0.320679),
    "Online-G": (29.626047, 0.9, 0.566433, 59.705017, 0.7, 0.000999),
}
"""WMT22 zh-en: BLEU, half its interval, p against the first system; the same for chrF2."""


def compared_report() -> Report:
    """Return eight systems of WMT22 zh-en, tested against the first, with intervals."""
    base = {"BLEU": WMT22["HuaweiTSC"][0] or 0.0, "chrF2": WMT22["HuaweiTSC"][3] or 0.0}
    rows = []
    for system, (bleu, bleu_width, bleu_p, chrf, chrf_width, chrf_p) in WMT22.items():
        for name, value, width, p in (
            ("BLEU", bleu, bleu_width, bleu_p),
            ("chrF2", chrf, chrf_width, chrf_p),
        ):
            compared = p and Comparison("HuaweiTSC", value - base[name], p, p < 0.05)
            score = make_score(name, value, width, ar=1000, bs=1000, seed=12345)
            rows.append(Row(system=system, score=score, comparison=compared or None))
    return Report(
        rows=rows,
        segments=1875,
        references=1,
        baseline="HuaweiTSC",
        test="ar",
        trials=1000,
        bootstrap=1000,
        seed=12345,
        language_pair="zh-en",
    )


def gated_report() -> Report:
    """Return two systems of WMT17 en-de with a failed and a passed gate, a warning, inputs and a test set."""
    tested = {"ar": 1000, "seed": 12345}
    details = (("counts", [36430, 18984]), ("bp", 1.0), ("sys_len", 61531), ("ref_len", 61287))
    bleu = make_score("BLEU", 26.688470044635626, 0.628, **tested)
    xmu_bleu = DetailedScore(
        **{name: getattr(bleu, name) for name in ("name", "score", "better", "signature", "interval")},
        said="59.2/32.6/20.2/13.0 (BP = 1.000 ratio = 1.004 hyp_len = 61531 ref_len = 61287)",
        facts=details,
    )
    worse = Comparison("uedin-nmt", -1.6128, 0.000999, True, 0.001998)
    rows = [
        Row(system="uedin-nmt", file="hyp.uedin-nmt.de", score=make_score("BLEU", 28.30127, 0.63, **tested)),
        Row(system="uedin-nmt", file="hyp.uedin-nmt.de", score=make_score("chrF2", 57.74, 0.5, **tested)),
        Row(system="xmu", file="hyp.xmu.de", score=xmu_bleu, comparison=worse),
        Row(
            system="xmu",
            file="hyp.xmu.de",
            score=make_score("chrF2", 55.96, 0.5, **tested),
            comparison=worse._replace(delta=-1.78),
        ),
    ]
    failed = "BLEU of xmu is 26.69, 1.61 below uedin-nmt (28.30): p = 0.0010 < 0.05, paired AR, 1000 trials"
    passed = "chrF2 of xmu is 56.0, at least 55 (--fail-under)"
    return Report(
        rows=rows,
        segments=3004,
        references=1,
        baseline="uedin-nmt",
        test="ar",
        trials=1000,
        bootstrap=1000,
        seed=12345,
        gates=[
            Gate(
                gate="fail-on-regression",
                system="xmu",
                name="BLEU",
                passed=False,
                value=26.688470044635626,
                limit=28.30127,
                text=failed,
                p_value=0.000999,
            ),
            Gate(
                gate="fail-under",
                system="xmu",
                name="chrF2",
                passed=True,
                value=55.96,
                limit=55.0,
                text=passed,
            ),
        ],
        notices=[Notice("warning", "tokenised-hypothesis", "looks tokenised", "hyp.xmu.de", 4, 900)],
        inputs=[Input(role="reference", file="ref.de", bytes=7, lines=3004, sha256="ab" * 32)],
        testset=UsedTestSet(name="wmt17", pair="en-de", refs=("A",), sha256="cd" * 32),
        versions={"mtscore": "0.1.0", "python": "3.11.9", "numpy": "2.4.6", "tokenizers": {"13a": 1}},
        time="2026-01-31T12:00:00Z",
    )


def ranked_report() -> Report:
    """Return three systems of which b and c share a cluster, ranked by BLEU and otherwise by TER."""
    values = {"c": (30.1, 51.0), "a": (33.4, 50.0), "b": (30.2, 49.0)}
    ranks = {"a": ((1, 1), (1, 3)), "b": ((2, 3), (1, 3)), "c": ((2, 3), (1, 3))}
    rows = [
        Row(system=system, score=make_score(name, value, ar=1000, seed=1), rank=rank)
        for system, scores in values.items()
        for name, value, rank in zip(("BLEU", "TER"), scores, ranks[system], strict=True)
    ]
    pairs = [
        Pair(name="BLEU", a="c", b="a", delta=3.3, p_value=0.001, p_holm=0.003),
        Pair(name="BLEU", a="c", b="b", delta=0.1, p_value=0.5, p_holm=0.5),
        Pair(name="BLEU", a="a", b="b", delta=-3.2, p_value=0.002, p_holm=0.004),
    ]
    clusters = [
        Cluster(name="BLEU", rank=1, systems=("a",)),
        Cluster(name="BLEU", rank=2, systems=("b", "c")),
        Cluster(name="TER", rank=1, systems=("b", "a", "c")),
    ]
    return Report(
        rows=rows,
        segments=10,
        references=2,
        test="ar",
        trials=1000,
        seed=1,
        pairs=pairs,
        clusters=clusters,
    )


def detailed_report() -> Report:
    """Return good and poor on the whole of mini and on two groups of it."""
    sizes = {("origlang", "en"): 30, ("origlang", "de"): 18}
    whole = plain_report(["BLEU"])
    parts = [
        replace(row, group=dict([group]), segments=size, score=replace(row.score, score=float(size)))
        for row in whole.rows
        for group, size in sizes.items()
    ]
    return replace(whole, rows=[*whole.rows, *parts])


def example(**texts: str) -> Example:
    """Return segment 2244 with a reference and what systems made of it; the first has it right."""
    scores = dict(zip(texts, (100.0, 32.14, 48.0), strict=False))
    return Example(segment=2244, scores=scores, hypotheses=texts, references=("The bridge opens on Monday.",))


def render_text(report: Report, **style: Any) -> str:
    """Return the report as text."""
    return render(report, "text", Style(**style))


# --- Text and table


TABLE = """\
zh-en · 1875 segments · 1 reference · paired approximate randomisation vs HuaweiTSC

System                 BLEU ↑       Δ  p            chrF2 ↑       Δ  p
HuaweiTSC          29.8 ± 0.9  baseline          58.5 ± 0.7  baseline
AISP-SJTU          29.7 ± 0.9    -0.1  0.6683    59.2 ± 0.7    +0.8  0.0010*
DLUT               25.0 ± 0.8    -4.8  0.0010*   55.2 ± 0.7    -3.2  0.0010*
JDExploreAcademy   33.5 ± 1.2    +3.7  0.0010*   61.1 ± 0.9    +2.7  0.0010*
Lan-Bridge         28.1 ± 0.9    -1.7  0.0010*   57.8 ± 0.7    -0.6  0.0150*
LanguageX          31.9 ± 1.0    +2.1  0.0010*   60.5 ± 0.7    +2.0  0.0010*
Online-B           28.8 ± 0.9    -1.1  0.0010*   58.2 ± 0.7    -0.2  0.3207
Online-G           29.6 ± 0.9    -0.2  0.5664    59.7 ± 0.7    +1.2  0.0010*

* p < 0.05, 1000 trials, seed 12345; ± is a 95 % bootstrap interval (1000).
BLEU+ar.1000+bs.1000+case.mixed+numrefs.1+seed.12345+smooth.exp+tok.13a+version.mtscore-0.1.0
chrF2+ar.1000+bs.1000+case.mixed+numchars.6+numrefs.1+seed.12345+space.no+version.mtscore-0.1.0
"""


def test_table_of_tested_systems() -> None:
    """Tested systems make a table of scores, intervals, differences from full precision, and p-values."""
    assert render_text(compared_report()) == TABLE


def test_table_without_test() -> None:
    """Without a test the table has one right-aligned column a metric."""
    assert body(plain_report(), Style()) == (
        "System   BLEU ↑   chrF2 ↑\ngood       41.7      66.3\npoor       14.2      43.9\n"
    )


def test_headline_without_test() -> None:
    """The headline says only what is known."""
    assert render_text(plain_report()).startswith("48 segments · 1 reference\n\nSystem")
    assert render_text(replace(plain_report(), segments=1, references=3)).startswith(
        "1 segment · 3 references\n"
    )


def test_one_difference_without_test() -> None:
    """A difference without a p-value makes no column for p."""
    rows = list(plain_report(["BLEU"]).rows)
    rows[1] = replace(rows[1], comparison=Comparison("good", -27.45))
    report = Report(rows=rows, segments=48, references=1, baseline="good")
    assert body(report, Style()) == (
        "System   BLEU ↑         Δ\ngood       41.7  baseline\npoor       14.2     -27.4\n"
    )


def test_third_metric_goes_below() -> None:
    """What does not fit into the page goes into a block below with the names repeated."""
    report = compared_report()
    ters = [
        replace(row, score=replace(make_score("TER", 55.5), interval=row.score.interval))
        for row in report.rows
        if row.score.name == "BLEU"
    ]
    rows = [row for pair in zip(report.rows[::2], report.rows[1::2], ters, strict=True) for row in pair]
    text = body(replace(report, rows=rows), Style())
    first, second = text.split("\n\n")
    assert f"{first}\n" == TABLE.split("\n\n")[1] + "\n"
    assert second.splitlines()[:3] == [
        "System                  TER ↓       Δ  p",
        "HuaweiTSC          55.5 ± 0.9  baseline",
        "AISP-SJTU          55.5 ± 0.9    -0.1  0.6683",
    ]
    assert body(replace(report, rows=rows), Style(columns=120)).count("\n\n") == 0


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_nothing_is_truncated(columns: int) -> None:
    """However narrow the page, each system's every number is there, and only one metric may overflow."""
    text = body(compared_report(), Style(columns=columns))
    for system, (bleu, *_, chrf, _width, _p) in WMT22.items():
        assert text.count(system) == (1 if columns >= 76 else 2)
        assert f"{bleu:.1f} ± " in text
        assert f"{chrf:.1f} ± " in text
    assert max(map(len, text.splitlines())) <= max(columns, 46)


def test_blocks_fill_the_page() -> None:
    """A metric stays in the block above as long as it fits to the last column."""
    assert body(compared_report(), Style(columns=76)).count("\n\n") == 0
    assert body(compared_report(), Style(columns=75)).count("\n\n") == 1


def test_no_difference() -> None:
    """A difference of minus zero, or so small that four decimals of p show nothing, still reads well."""
    rows = [
        Row(system="a", score=make_score("BLEU", 30.0)),
        Row(system="b", score=make_score("BLEU", 30.0), comparison=Comparison("a", -0.0, 1.0, False)),
        Row(system="c", score=make_score("BLEU", 99.0), comparison=Comparison("a", 69.0, 1e-5, True)),
    ]
    report = Report(rows=rows, segments=1, references=1, baseline="a")
    assert body(report, Style()).splitlines()[2:] == [
        "b          30.0    +0.0  1.0000",
        "c          99.0   +69.0  <0.0001*",
    ]


def test_marked_best_value_keeps_columns() -> None:
    """The hook gets the best score of each column, already padded, so that escape codes shift nothing."""
    marked: list[str] = []

    def mark(text: str) -> str:
        marked.append(text)
        return f"\x1b[1m{text}\x1b[0m"

    report = plain_report(["BLEU", "TER"])
    text = body(report, Style(emphasise=mark))
    assert marked == ["  41.7", " 45.0"]
    assert re.sub("\x1b.*?m", "", text) == body(report, Style())


def test_equal_scores_are_both_best() -> None:
    """Where two systems are equally good both are the best, and a system alone is not."""
    rows = [Row(system=name, score=make_score("BLEU", 30.0)) for name in "ab"]
    report = Report(rows=rows, segments=1, references=1)
    assert [line.cells["BLEU"].best for line in pivots(report, 1)[0].lines] == [True, True]
    alone = replace(report, rows=rows[:1])
    assert [line.cells["BLEU"].best for line in pivots(alone, 1)[0].lines] == [False]


def test_wide_names_align() -> None:
    """A name of characters that take two columns leaves the numbers aligned."""
    rows = [Row(system=name, score=make_score("BLEU", 30.0)) for name in ("系统一", "abcdef")]
    text = body(Report(rows=rows, segments=1, references=1), Style())
    assert text == "System   BLEU ↑\n系统一     30.0\nabcdef     30.0\n"


def test_names_cannot_move_the_cursor() -> None:
    """A name with control characters is spelt out: it can neither break a line nor colour a terminal."""
    rows = [Row(system=name, score=make_score("BLEU", 30.0)) for name in ("a\n\x1b[31m", "b")]
    text = render_text(Report(rows=rows, segments=1, references=1))
    assert "a\\n\\x1b[31m" in text
    assert "\x1b" not in text


def test_bootstrap_test_is_called_liberal() -> None:
    """Below paired bootstrap resampling stands that its p-values are liberal, and what to use instead."""
    text = render_text(replace(compared_report(), test="bs"))
    assert "· paired bootstrap resampling vs HuaweiTSC\n" in text
    assert "\np is liberal: about half of a two-sided one. Prefer approximate randomisation, -par.\n" in text
    assert "liberal" not in TABLE


def test_interval_without_test() -> None:
    """Intervals without a test are explained with their seed."""
    report = replace(compared_report(), test=None, baseline=None, language_pair=None)
    rows = [replace(row, comparison=None) for row in report.rows]
    text = render_text(replace(report, rows=rows))
    assert text.startswith("1875 segments · 1 reference\n\nSystem                 BLEU ↑      chrF2 ↑\n")
    assert "\n± is a 95 % bootstrap interval (1000, seed 12345).\n" in text


def test_ranked_systems() -> None:
    """With every pair tested each metric has its own table, sorted, ranked, with rules between clusters."""
    assert render_text(ranked_report()) == (
        "10 segments · 2 references · paired approximate randomisation of all pairs\n\n"
        "Rank   System   BLEU ↑\n"
        "1      a          33.4\n"
        "----------------------\n"
        "2-3    b          30.2\n"
        "2-3    c          30.1\n\n"
        "Rank   System   TER ↓\n"
        "1-3    b         49.0\n"
        "1-3    a         50.0\n"
        "1-3    c         51.0\n\n"
        "Ranks and rules: Holm-corrected p < 0.05, 1000 trials, seed 1.\n"
        "BLEU+ar.1000+case.mixed+numrefs.1+seed.1+smooth.exp+tok.13a+version.mtscore-0.1.0\n"
        "TER+ar.1000+asian.no+case.lc+norm.no+numrefs.1+punct.yes+seed.1+tok.tercom+version.mtscore-0.1.0\n"
    )


def test_rank_of_the_cluster() -> None:
    """A system without a rank range of its own takes its cluster's."""
    report = ranked_report()
    rows = [replace(row, rank=None) for row in report.rows]
    lines = pivots(replace(report, rows=rows), 1)[0].lines
    assert [(line.labels["Rank"], line.labels["System"]) for line in lines] == [
        ("1", "a"),
        ("2-3", "b"),
        ("2-3", "c"),
    ]


def test_groups() -> None:
    """Groups of segments follow the whole, each with its size and all systems; each has its own best."""
    report = detailed_report()
    assert body(report, Style()) == (
        "Group         Segments   System   BLEU ↑\n"
        "all                 48   good       41.7\n"
        "all                 48   poor       14.2\n"
        "origlang=en         30   good       30.0\n"
        "origlang=en         30   poor       30.0\n"
        "origlang=de         18   good       18.0\n"
        "origlang=de         18   poor       18.0\n"
    )
    best = [line.cells["BLEU"].best for line in pivots(report, 1)[0].lines]
    assert best == [True, False, True, True, True, True]


def test_groups_of_ranked_systems() -> None:
    """Ranking sorts systems within each group, and leaves the groups in their order behind the whole."""
    report = detailed_report()
    rows = [replace(row, score=replace(row.score, score=-row.score.score)) for row in report.rows]
    cluster = Cluster(name="BLEU", rank=1, systems=("poor", "good"))
    lines = pivots(replace(report, rows=rows, clusters=[cluster]), 1)[0].lines
    assert [(line.labels["Group"], line.labels["System"]) for line in lines] == [
        ("all", "poor"),
        ("all", "good"),
        ("origlang=en", "good"),
        ("origlang=en", "poor"),
        ("origlang=de", "good"),
        ("origlang=de", "poor"),
    ]
    assert not any(line.rule for line in lines)


def test_groups_of_one_system() -> None:
    """One system with groups makes a table too, whose signatures are those of the whole."""
    report = detailed_report()
    rows = [row for row in report.rows if row.system == "good"]
    rows[1] = replace(rows[1], score=make_score("BLEU", 44.0, origlang="en"))
    text = render_text(replace(report, rows=rows))
    assert "origlang=en         30   good       44.0\n" in text
    assert text.count("BLEU+") == 1


def test_text_line() -> None:
    """One system makes a line a metric: signature, score, and what is behind it."""
    row = gated_report().rows[2]
    report = Report(rows=[replace(row, comparison=None)], segments=3004, references=1)
    verbose = "59.2/32.6/20.2/13.0 (BP = 1.000 ratio = 1.004 hyp_len = 61531 ref_len = 61287)"
    assert render_text(report) == (
        "BLEU+ar.1000+case.mixed+numrefs.1+seed.12345+smooth.exp+tok.13a+version.mtscore-0.1.0"
        f" = 26.7 (μ = 26.7 ± 0.6) {verbose}\n"
    )


def test_signature_styles() -> None:
    """The signature of a text line is short or in pipes as the user wants, with as many decimals."""
    report = plain_report(["BLEU"], systems=1)
    assert render_text(report, short=True) == "BLEU+c.mixed+#.1+s.exp+tok.13a+v.mtscore-0.1.0 = 41.7\n"
    assert render_text(report, signature_style="pipe", width=0) == (
        "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:mtscore-0.1.0 = 42\n"
    )


def test_score_only() -> None:
    """Bare numbers stand a line each, system by system, whatever else is known."""
    assert render_text(plain_report(), score_only=True) == "41.7\n66.3\n14.2\n43.9\n"
    assert render_text(compared_report(), score_only=True, width=3).startswith("29.811\n58.467\n29.672\n")


def test_segments() -> None:
    """Segment scores are a line each, after the system's name if there are several systems."""
    rows = [
        Row(system=system, score=make_score("BLEU", 10.0 * segment), segment=segment)
        for system in ("a", "b")
        for segment in (1, 2)
    ]
    one = render_text(Report(rows=rows[:2], segments=2, references=1), short=True)
    assert one == "".join(f"BLEU+c.mixed+#.1+s.exp+tok.13a+v.mtscore-0.1.0 = {n}.0\n" for n in (10, 20))
    two = render_text(Report(rows=rows, segments=2, references=1), short=True)
    assert [line[:6] for line in two.splitlines()] == ["a\tBLEU", "a\tBLEU", "b\tBLEU", "b\tBLEU"]


# --- Examples


def test_examples_of_two_systems() -> None:
    """Two systems show the segments in which the second loses most, and how much."""
    two = example(good="The bridge opens on Monday.", poor="Bridge on Monday open.")
    report = plain_report(
        baseline="good",
        examples=[two],
        examples_metric="BLEU",
        testset=UsedTestSet(name="mini", pair="en-de", refs=("A",), sha256="0" * 64),
    )
    assert render_text(report).endswith(
        "version.mtscore-0.1.0\n\n"
        "mini-en-de, segments where poor loses most against good (sentence BLEU)\n"
        "2244  100.0 → 32.1\n"
        "  ref   The bridge opens on Monday.\n"
        "  good  The bridge opens on Monday.\n"
        "  poor  Bridge on Monday open.\n"
    )


def test_examples_of_one_and_of_three_systems() -> None:
    """One system shows its worst segments; of three, each score bears its name."""
    report = plain_report(systems=1, examples=[example(good="x")], examples_metric="chrF2")
    assert "\nsegments where good scores worst (sentence chrF2)\n2244  100.0\n" in render_text(report)
    three = example(good="x", poor="y", other="z")
    text = render_text(replace(report, baseline="good", examples=[three]))
    assert "\nsegments that differ most from good (sentence chrF2)\n" in text
    assert "\n2244  good 100.0, poor 32.1, other 48.0\n" in text


def test_examples_are_highlighted_by_the_caller() -> None:
    """Hypotheses pass through the hook with their references, cleaned of control characters before."""
    shown = example(good="a\x1b[2Jb", poor="c")
    report = plain_report(baseline="good", examples=[shown], examples_metric="BLEU")
    text = render_text(report, highlight=lambda text, references: f"<{text}|{len(references)}>")
    assert "\n  good  <a\\x1b[2Jb|1>\n  poor  <c|1>\n" in text


def test_references_are_numbered() -> None:
    """Several references are numbered."""
    shown = example(good="x")._replace(references=("a", "b"))
    report = plain_report(systems=1, examples=[shown], examples_metric="BLEU")
    assert render_text(report).endswith("\n  ref 1  a\n  ref 2  b\n  good   x\n")


# --- Rows: JSON and TSV


def test_json_row() -> None:
    """A row has its keys in one order, numbers in full, and nothing that was not asked for."""
    report = replace(gated_report(), rows=gated_report().rows[2:3])
    expected = {
        "system": "xmu",
        "file": "hyp.xmu.de",
        "name": "BLEU",
        "score": 26.688470044635626,
        "better": "higher",
        "signature": "BLEU+ar.1000+case.mixed+numrefs.1+seed.12345+smooth.exp+tok.13a+version.mtscore-0.1.0",
        "settings": {
            "ar": 1000,
            "case": "mixed",
            "numrefs": 1,
            "seed": 12345,
            "smooth": "exp",
            "tok": "13a",
            "version": "mtscore-0.1.0",
        },
        "verbose_score": "59.2/32.6/20.2/13.0 (BP = 1.000 ratio = 1.004 hyp_len = 61531 ref_len = 61287)",
        "counts": [36430, 18984],
        "bp": 1.0,
        "sys_len": 61531,
        "ref_len": 61287,
        "mean": 26.688470044635626,
        "ci": 0.628,
        "ci_low": 26.060470044635626,
        "ci_high": 27.316470044635626,
        "baseline": "uedin-nmt",
        "delta": -1.6128,
        "p_value": 0.000999,
        "p_holm": 0.001998,
        "significant": True,
    }
    assert render(report, "json", Style()) == json.dumps(expected, indent=2) + "\n"


def test_json_of_one_and_several_rows() -> None:
    """One row is an object, several are an array, and JSON lines are an object a line in either case."""
    one, four = plain_report(["BLEU"], systems=1), plain_report()
    assert json.loads(render(one, "json", Style()))["score"] == 41.66
    objects = json.loads(render(four, "json", Style()))
    assert [row["score"] for row in objects] == [41.66, 66.28, 14.21, 43.94]
    assert [json.loads(line) for line in render(four, "jsonl", Style()).splitlines()] == objects
    assert len(render(one, "jsonl", Style()).splitlines()) == 1


def test_json_of_pairs() -> None:
    """When every pair was tested, a JSON row is its line of the matrix; in the receipt, pairs stand alone."""
    rows = [json.loads(line) for line in render(ranked_report(), "jsonl", Style()).splitlines()]
    assert rows[2]["pairs"] == {
        "c": {"delta": 3.3, "p_value": 0.001, "p_holm": 0.003},
        "b": {"delta": 3.2, "p_value": 0.002, "p_holm": 0.004},
    }
    assert (rows[2]["rank_low"], rows[2]["rank_high"]) == (1, 1)
    assert "pairs" not in rows[1]
    receipt = json.loads(render(ranked_report(), "receipt", Style()))
    assert "pairs" not in receipt["rows"][2]
    assert receipt["pairs"][0] == {
        "name": "BLEU",
        "a": "c",
        "b": "a",
        "delta": 3.3,
        "p_value": 0.001,
        "p_holm": 0.003,
    }


def test_optional_keys_of_rows() -> None:
    """Groups, their sizes, segments and ranks are keys only of the rows that have them."""
    row = replace(detailed_report().rows[2], segment=17, rank=(2, 4))
    keys = list(json.loads(render(replace(plain_report(), rows=[row]), "json", Style())))
    assert keys[-5:] == ["rank_low", "rank_high", "group", "segments", "segment"]
    for line in render(plain_report(), "jsonl", Style()).splitlines():
        assert list(json.loads(line)) == [
            "system",
            "file",
            "name",
            "score",
            "better",
            "signature",
            "settings",
        ]


def test_width_rounds_machine_formats() -> None:
    """With a width, scores, differences and intervals are rounded numbers; p-values and counts are whole."""
    report = replace(gated_report(), rows=gated_report().rows[2:3])
    row = json.loads(render(report, "json", Style(width=2)))
    assert [row[key] for key in ("score", "mean", "ci", "delta", "p_value", "bp")] == [
        26.69,
        26.69,
        0.63,
        -1.61,
        0.000999,
        1.0,
    ]
    assert "\t26.69\t" in render(report, "tsv", Style(width=2))
    assert json.loads(render(report, "receipt", Style(width=2)))["rows"][0]["score"] == 26.688470044635626


def test_tsv() -> None:
    """TSV has a column for whatever scalar some row has; names cannot break out of their field."""
    report = gated_report()
    rows = [replace(row, system=f"{row.system}\t\n\\") for row in report.rows[1:3]]
    header, first, second = (
        line.split("\t") for line in render(replace(report, rows=rows), "tsv", Style()).splitlines()
    )
    assert " ".join(header) == (
        "system metric score file better mean ci ci_low ci_high verbose_score bp sys_len ref_len "
        "baseline delta p_value p_holm significant signature"
    )
    assert first[:5] == ["uedin-nmt\\t\\n\\\\", "chrF2", "57.74", "hyp.uedin-nmt.de", "higher"]
    assert second[:3] == ["xmu\\t\\n\\\\", "BLEU", "26.688470044635626"]
    assert second[-6:-1] == ["uedin-nmt", "-1.6128", "0.000999", "0.001998", "true"]
    assert first[-6:-1] == [""] * 5


def test_tsv_of_groups_and_pairs() -> None:
    """Groups have a column a key; tested pairs make each row a line of the matrix of p-values."""
    lines = [line.split("\t") for line in render(detailed_report(), "tsv", Style()).splitlines()]
    column = lines[0].index("group.origlang")
    assert [line[column : column + 1] for line in lines[1:]] == [[""], [""], ["en"], ["de"], ["en"], ["de"]]
    records = [line.split("\t") for line in render(ranked_report(), "tsv", Style()).splitlines()]
    cells = [dict(zip(records[0], record, strict=True)) for record in records[1:]]
    bleu = {cell["system"]: cell for cell in cells if cell["metric"] == "BLEU"}
    assert (bleu["a"]["p_holm.b"], bleu["b"]["p_holm.a"], bleu["c"]["p_value.b"]) == ("0.004", "0.004", "0.5")
    assert (bleu["a"]["delta.c"], bleu["c"]["delta.a"], bleu["a"]["p_holm.a"]) == ("3.3", "-3.3", "")
    assert bleu["b"]["rank_high"] == "3"


def test_tsv_header_is_escaped() -> None:
    """The name of another system cannot break out of its column's head."""
    rows = [Row(system=name, score=make_score("BLEU", 1.0)) for name in ("a", "b\tc")]
    pair = Pair(name="BLEU", a="a", b="b\tc", delta=0.0, p_value=1.0, p_holm=1.0)
    report = Report(rows=rows, segments=1, references=1, pairs=[pair])
    lines = render(report, "tsv", Style()).split("\n")
    assert "\tp_holm.b\\tc\t" in lines[0]
    assert len({line.count("\t") for line in lines[:-1]}) == 1


def test_bytes_in_names_survive() -> None:
    """A name that is not UTF-8 comes back from JSON unchanged, and every format can be written."""
    row = replace(gated_report().rows[2], system="gr\udcf6\udcdfer", file="gr\udcf6\udcdfer.de")
    report = replace(gated_report(), rows=[row])
    assert json.loads(render(report, "json", Style()).encode())["file"] == "gr\udcf6\udcdfer.de"
    for name in (*FORMATS, *SUFFIXES.values()):
        assert render(report, name, Style()).encode()


# --- Markdown


class _Page(HTMLParser):
    """Collect the text of a page's table cells and the elements that it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.elements: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # the base's
        self.elements.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data.replace("\n", "")


def read_markdown(text: str) -> _Page:
    """Return what a Markdown renderer that lets HTML through makes of a text."""
    return _Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def test_markdown_table() -> None:
    """Markdown has the table, what its marks mean, and a list of signatures."""
    text = render(plain_report(), "markdown", Style())
    assert text == (
        "| System | BLEU ↑ | chrF2 ↑ |\n"
        "|:--|--:|--:|\n"
        "| good | **41.7** | **66.3** |\n"
        "| poor | 14.2 | 43.9 |\n"
        "\n"
        "- `BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0`\n"
        "- `chrF2+case.mixed+numchars.6+numrefs.1+space.no+version.mtscore-0.1.0`\n"
    )
    assert "\n\n\\* p &lt; 0.05, 1000 trials, seed 12345; ± is a" in render(
        compared_report(), "markdown", Style()
    )


SUMMARY = """\
### Translation quality: ❌ regression

| System | BLEU ↑ | Δ | p | chrF2 ↑ | Δ | p |
|:--|--:|--:|--:|--:|--:|--:|
| uedin-nmt (baseline) | **28.3** | | | **57.7** | | |
| xmu | 26.7 | −1.6 | 0.0010 * | 56.0 | −1.8 | 0.0010 * |

- ❌ **BLEU** of xmu is 26.69, 1.61 below uedin-nmt (28.30): p = 0.0010 &lt; 0.05, paired AR, 1000 trials
- ✅ chrF2 of xmu is 56.0, at least 55 (--fail-under)
- ⚠️ looks tokenised

<details><summary>Signatures, inputs</summary>

`BLEU+ar.1000+case.mixed+numrefs.1+seed.12345+smooth.exp+tok.13a+version.mtscore-0.1.0`

`chrF2+ar.1000+case.mixed+numchars.6+numrefs.1+seed.12345+space.no+version.mtscore-0.1.0`

en-de · 3004 segments · 1 reference · paired approximate randomisation vs uedin-nmt. \
\\* p &lt; 0.05, 1000 trials, seed 12345.

- reference `ref.de`: 3004 lines, SHA-256 `abababababababababababababababababababababababababababababababab`
</details>
"""


def test_summary() -> None:
    """The comment on a pull request has verdict, table, gates, warnings, and the rest folded away."""
    report = gated_report()
    rows = [replace(row, score=replace(row.score, interval=None)) for row in report.rows]
    assert render(replace(report, rows=rows), "summary", Style()) == SUMMARY


def test_summary_verdicts() -> None:
    """The title says whether gates passed, or that there were none."""
    report = gated_report()
    passed = replace(report, gates=report.gates[1:])
    assert render(passed, "summary", Style()).startswith("### Translation quality: ✅ no regression\n")
    free = render(plain_report(), "summary", Style())
    assert free.startswith("### Translation quality: ℹ️ scores\n\n| System |")
    assert "\n\n<details><summary>Signatures</summary>\n\n`BLEU+" in free


HOSTILE = "@team see #7 <img src=x onerror=y> `a|b` **c** [d](http://e) www.f.org &lt; ~~g~~\nh \\| i"


def test_hostile_segments_in_markdown() -> None:
    """Neither a mention, an issue, a link, markup nor HTML comes of a segment, and its text is all there."""
    report = plain_report(baseline="good", examples=[example(good=HOSTILE, poor="x")], examples_metric="BLEU")
    for name in ("markdown", "summary"):
        text = render(report, name, Style())
        assert not re.search(r"@team|#7|<img|://|www\.", text)
        page = read_markdown(text)
        expected = escaping.plain(HOSTILE)
        assert expected in [cell.replace("\u200b", "") for cell in page.cells]
        assert not page.elements & {"img", "a", "em", "del"}


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_survives_a_markdown_cell(text: str) -> None:
    """Any text is one cell of a table that reads as the text does, up to zero-width spaces."""
    page = read_markdown(f"| a | b |\n|--|--|\n| x{escaping.markdown(text)}x | end |\n")
    expected = f"x{escaping.plain(text)}x"
    assert page.cells[2].replace("\u200b", "") == expected.replace("\u200b", "")
    assert page.cells[3:] == ["end"]
    assert page.elements <= {"table", "thead", "tbody", "tr", "th", "td"}


@given(st.text(st.sampled_from("`a ")))
def test_any_text_survives_markdown_code(text: str) -> None:
    """Text with backticks is fenced so that it stays one piece of code."""
    html = MarkdownIt().render(f"x {escaping.markdown_code(f'a{text}a')} x")
    assert html == f"<p>x <code>a{text}a</code> x</p>\n"


# --- LaTeX


def test_latex() -> None:
    """LaTeX is a tabular without packages, and then comments only: facts, signatures, a footnote."""
    assert render(plain_report(["BLEU", "TER"]), "latex", Style()) == (
        "\\begin{tabular}{lrr}\n"
        "\\hline\n"
        "System & BLEU $\\uparrow$ & TER $\\downarrow$ \\\\\n"
        "\\hline\n"
        "good & \\textbf{41.7} & \\textbf{45.0} \\\\\n"
        "poor & 14.2 & 78.9 \\\\\n"
        "\\hline\n"
        "\\end{tabular}\n"
        "% 48 segments · 1 reference\n"
        "% BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0\n"
        "% TER+asian.no+case.lc+norm.no+numrefs.1+punct.yes+tok.tercom+version.mtscore-0.1.0\n"
        "% \\footnote{\\texttt{BLEU+\\allowbreak{}case.mixed+\\allowbreak{}numrefs.1+\\allowbreak{}smooth.exp"
        "+\\allowbreak{}tok.13a+\\allowbreak{}version.mtscore-0.1.0}; \\texttt{TER+\\allowbreak{}asian.no"
        "+\\allowbreak{}case.lc+\\allowbreak{}norm.no+\\allowbreak{}numrefs.1+\\allowbreak{}punct.yes"
        "+\\allowbreak{}tok.tercom+\\allowbreak{}version.mtscore-0.1.0}}\n"
    )


@pytest.mark.parametrize("report", [compared_report(), gated_report(), ranked_report(), detailed_report()])
def test_latex_rows_fit_their_columns(report: Report) -> None:
    """Each line of each tabular has as many cells as the tabular has columns, and ends as a row does."""
    text = render(report, "latex", Style())
    parts = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    assert len(parts) == text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0
    for columns, lines in parts:
        rows = [line.removeprefix(r"\hline ") for line in lines.splitlines() if line != r"\hline"]
        assert all(line.endswith(r" \\") for line in rows)
        assert {line.count("&") + 1 for line in rows} == {len(columns)}


def test_latex_of_a_test() -> None:
    """Tested systems have differences in mathematics, stars, and a baseline."""
    text = render(compared_report(), "latex", Style())
    assert "HuaweiTSC (baseline) & 29.8 $\\pm$ 0.9 &  &  & 58.5 $\\pm$ 0.7 &  &  \\\\\n" in text
    assert "DLUT & 25.0 $\\pm$ 0.8 & $-4.8$ & 0.0010* & 55.2 $\\pm$ 0.7 & $-3.2$ & 0.0010* \\\\\n" in text
    assert "& \\textbf{33.5 $\\pm$ 1.2} & $+3.7$ &" in text
    assert "\n\\hline 2-3 & b & 30.2 \\\\\n" in render(ranked_report(), "latex", Style())


def test_latex_escapes_names() -> None:
    """A name's special characters are printed, and none can leave a comment."""
    rows = [Row(system="a_b&c%d#e~f^g\\h{i}$j\n\\input{k}", score=make_score("BLEU", 1.0))]
    text = render(Report(rows=rows, segments=1, references=1, language_pair="x\n\\y"), "latex", Style())
    expected = (
        r"a\_b\&c\%d\#e\textasciitilde{}f\textasciicircum{}g\textbackslash{}h\{i\}\$j"
        r"\textbackslash{}n\textbackslash{}input\{k\} & 1.0 \\"
    )
    assert expected in text.splitlines()
    below = text.partition("\\end{tabular}\n")[2]
    assert all(line.startswith("% ") for line in below.splitlines())


# --- JUnit


def test_junit() -> None:
    """Each gate is a test case, failed ones with their sentence; scores without a gate pass."""
    root = ET.fromstring(render(gated_report(), "junit", Style()))  # noqa: S314  # our own output
    suite = root.find("testsuite")
    assert suite is not None
    assert (root.tag, suite.get("tests"), suite.get("failures")) == ("testsuites", "4", "1")
    cases = [(case.get("classname"), case.get("name")) for case in suite.iter("testcase")]
    cases_by_name = {case.get("name"): case for case in suite.iter("testcase")}
    assert cases == [
        ("mtscore.uedin-nmt", "BLEU"),
        ("mtscore.uedin-nmt", "chrF2"),
        ("mtscore.xmu", "BLEU fail-on-regression"),
        ("mtscore.xmu", "chrF2 fail-under"),
    ]
    assert len(list(suite.iter("failure"))) == 1
    failure = cases_by_name["BLEU fail-on-regression"].find("failure")
    assert failure is not None
    assert failure.get("type") == "fail-on-regression"
    assert failure.get("message") == failure.text == gated_report().gates[0].text
    assert [item.get("name") for item in suite.iter("property")] == ["signature.BLEU", "signature.chrF2"]


def test_junit_counts_failures() -> None:
    """The suite counts failed gates, as many as there are failures in it."""
    report = gated_report()
    failed = [gate._replace(passed=False) for gate in report.gates]
    for gates, failures in ((failed, 2), (report.gates[1:], 0)):
        root = ET.fromstring(render(replace(report, gates=gates), "junit", Style()))  # noqa: S314  # ours
        assert root.get("failures") == str(failures)
        assert len(list(root.iter("failure"))) == failures


@given(st.text())
def test_junit_is_xml_whatever_the_name(name: str) -> None:
    """Any name, control characters and surrogates included, gives well-formed XML that spells it out."""
    report = Report(rows=[Row(system=name, score=make_score("BLEU", 1.0))], segments=1, references=1)
    root = ET.fromstring(render(report, "junit", Style()))  # noqa: S314  # our own output
    case = root.find("testsuite/testcase")
    assert case is not None
    assert case.get("classname") == f"mtscore.{escaping.plain(name)}"


# --- Receipt


def make_receipt(report: Report) -> dict[str, Any]:
    """Return the receipt as its reader gets it."""
    data: dict[str, Any] = json.loads(render(report, "receipt", Style()))
    return data


@pytest.mark.parametrize(
    "report", [plain_report(), compared_report(), gated_report(), ranked_report(), detailed_report()]
)
def test_receipts_are_valid(report: Report) -> None:
    """Every receipt follows the schema that ships with the package."""
    jsonschema.Draft202012Validator.check_schema(schema())
    versions = report.versions or {"mtscore": "0.1.0"}
    jsonschema.validate(make_receipt(replace(report, versions=versions)), schema())


@pytest.mark.parametrize("key", ["score", "signature", "settings", "name", "system", "better"])
def test_schema_asks_for_what_a_row_needs(key: str) -> None:
    """A row without a key that every row has is no report."""
    data = make_receipt(gated_report())
    del data["rows"][0][key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())


def test_schema_knows_every_field() -> None:
    """A key that the schema does not describe is an error on every level but a row's."""
    data = make_receipt(ranked_report()) | {"versions": {"mtscore": "0.1.0"}}
    data |= {key: make_receipt(gated_report())[key] for key in ("inputs", "testset", "gates", "messages")}
    jsonschema.validate(data, schema())
    for part in (data, *(data[key][0] for key in ("inputs", "pairs", "clusters", "gates", "messages"))):
        part["surprise"] = 1
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, schema())
        del part["surprise"]


def test_receipt_fields() -> None:
    """The receipt has its keys in order, gates and messages as data, and says whether all passed."""
    data = make_receipt(gated_report())
    assert list(data) == [
        "schema",
        "time",
        "versions",
        "inputs",
        "testset",
        "alpha",
        "rows",
        "pairs",
        "clusters",
        "gates",
        "messages",
        "passed",
    ]
    assert (data["schema"], data["passed"]) == ("mtscore-report/1", False)
    assert [(gate["name"], gate["passed"]) for gate in data["gates"]] == [("BLEU", False), ("chrF2", True)]
    assert data["messages"] == [
        {
            "level": "warning",
            "code": "tokenised-hypothesis",
            "file": "hyp.xmu.de",
            "line": 4,
            "count": 900,
            "text": "looks tokenised",
        }
    ]
    assert make_receipt(ranked_report())["clusters"][1] == {"name": "BLEU", "rank": 2, "systems": ["b", "c"]}


def test_only_the_time_differs() -> None:
    """Two runs give equal reports, and in every format equal bytes but for the receipt's time."""
    one = gated_report()
    other = replace(gated_report(), time="2027-01-01T00:00:00Z")
    assert one == other
    for name in (*FORMATS, *SUFFIXES.values()):
        first, second = render(one, name, Style()), render(other, name, Style())
        assert first.replace("2026-01-31T12", "2027-01-01T00") == second


# --- Registry


def test_suffixes() -> None:
    """A report file's format goes by its suffix, whatever its case."""
    files = ("score.json", "a.b/summary.MD", "tab.tex", "x.tsv", "junit.xml")
    assert [format_of(file) for file in files] == ["receipt", "summary", "latex", "tsv", "junit"]


@pytest.mark.parametrize("file", ["score.txt", "score", ".json", "score.json.gz"])
def test_unknown_suffix(file: str) -> None:
    """Any other suffix is an error that lists those there are."""
    with pytest.raises(UsageError) as error:
        format_of(file)
    assert error.value.where == file
    assert error.value.hint == "known: .json, .md, .tex, .tsv, .xml"


def test_unknown_format() -> None:
    """A format that does not exist is an error that names the closest."""
    with pytest.raises(UsageError, match=r"unknown format 'jsonlines'.*did you mean jsonl"):
        render(plain_report(), "jsonlines", Style())


def test_formats_are_loaded_when_used() -> None:
    """Looking a format up loads none of them."""
    program = (
        "import sys, mtscore.report as r; r.format_of('a.xml');"
        "print([m for m in sys.modules if m.startswith(('mtscore.report.', 'xml', 'numpy'))])"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert output.stdout == "[]\n"


@pytest.mark.parametrize("module", ["__init__", "escaping", "pivot", "table"])
def test_worked_examples(module: str) -> None:
    """The examples in the documentation come out."""
    result = doctest.testmod(import_module(f"mtscore.report.{module}".removesuffix(".__init__")))
    assert result.attempted > 0
    assert result.failed == 0
