"""Gates read what users type, judge in the metric's direction, and say the outcome in one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtscore.errors import UsageError
from mtscore.gates import Limit, Option, judge, parse_limits
from mtscore.results import Comparison, Report, Row, Score
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mtscore.results import Better, Gate

COMPUTED: Mapping[str, Better] = {"BLEU": "higher", "chrF2": "higher", "chrF2++": "higher", "TER": "lower"}

UEDIN, XMU = 28.301225088283296, 26.688470044635626
"""Corpus BLEU of two submissions to WMT17 en-de."""


def report(
    scores: Mapping[str, Mapping[str, float]],
    *,
    p: float | None = None,
    p_holm: float | None = None,
    **facts: Any,
) -> Report:
    """Return a report on scores by metric and system, the first system being the baseline."""
    rows = []
    for name, by_system in scores.items():
        baseline = next(iter(by_system))
        for system, value in by_system.items():
            score = Score(name=name, score=value, better=COMPUTED[name], signature=Signature(name, {}))
            delta = value - by_system[baseline]
            compared = Comparison(baseline, delta, p_value=p, p_holm=p if p_holm is None else p_holm)
            rows.append(Row(system=system, score=score, comparison=None if system == baseline else compared))
    names = next(iter(scores.values()))
    defaults: dict[str, Any] = {"segments": 3004, "references": 1, "baseline": next(iter(names))}
    return Report(rows=rows, **(defaults | {"test": "ar", "trials": 1000} | facts))


def only_gate(report: Report, option: Option, metric: str, value: float) -> Gate:
    """Return the one gate that a limit makes of a report."""
    (gate,), notices = judge(report, [Limit(option=option, metric=metric, value=value)])
    assert notices == []
    return gate


def regressions(report: Report) -> list[Gate]:
    """Return the gates of `--fail-on-regression` alone."""
    return judge(report, [], regression=True)[0]


# --- Reading options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("bleu=28.3", "BLEU"),
        ("BLEU=28.3", "BLEU"),
        (" Bleu = 28.3", "BLEU"),
        ("chrf=28.3", "chrF2"),
        ("chrF2=28.3", "chrF2"),
        ("chrf++=28.3", "chrF2++"),
        ("CHRF2++=28.3", "chrF2++"),
    ],
)
def test_a_limit_names_its_metric_in_any_case(text: str, metric: str) -> None:
    """The name is that of `-m` or that of the row, in upper or lower case."""
    assert parse_limits("fail-under", [text], COMPUTED) == [
        Limit(option="fail-under", metric=metric, value=28.3)
    ]


def test_a_bare_value_is_for_the_only_metric() -> None:
    """Without a name the limit is for the one metric that is computed."""
    assert parse_limits("fail-over", ["55"], {"TER": "lower"}) == [
        Limit(option="fail-over", metric="TER", value=55.0)
    ]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (
            "fail-under",
            "28.3",
            "--fail-under 28.3: of which metric? write METRIC=V (computed: BLEU, chrF2, chrF2++, TER)",
        ),
        (
            "fail-under",
            "comet=80",
            "--fail-under comet=80: no metric 'comet' is computed (computed: BLEU, chrF2, chrF2++, TER)",
        ),
        (
            "max-drop",
            "=1",
            "--max-drop =1: no metric '' is computed (computed: BLEU, chrF2, chrF2++, TER)",
        ),
        (
            "fail-under",
            "ter=55",
            "--fail-under ter=55: for TER lower is better (--fail-over TER=55)",
        ),
        (
            "fail-over",
            "chrf=50",
            "--fail-over chrf=50: for chrF2 higher is better (--fail-under chrF2=50)",
        ),
        (
            "fail-under",
            "bleu=28,3",
            "--fail-under bleu=28,3: '28,3' is no number (METRIC=NUMBER, for example bleu=28.3)",
        ),
        (
            "fail-under",
            "bleu=nan",
            "--fail-under bleu=nan: 'nan' is no number (METRIC=NUMBER, for example bleu=28.3)",
        ),
        (
            "fail-under",
            "bleu",
            "--fail-under bleu: 'bleu' is no number (METRIC=NUMBER, for example bleu=28.3)",
        ),
        ("max-drop", "bleu=-1", "--max-drop bleu=-1: a drop is a number of points from 0 up"),
    ],
)
def test_a_limit_that_makes_no_sense_is_an_error_that_helps(option: Option, text: str, message: str) -> None:
    """The message repeats what was typed and says what to type instead."""
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        parse_limits(option, [text], COMPUTED)


def test_a_drop_is_limited_for_every_direction() -> None:
    """`--max-drop` takes metrics where higher is better and where lower is."""
    limits = parse_limits("max-drop", ["bleu=0.5", "ter=1"], COMPUTED)
    assert [(limit.metric, limit.value) for limit in limits] == [("BLEU", 0.5), ("TER", 1.0)]


# --- Thresholds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "bound", "text"),
    [
        (28.29962, 28.3, "BLEU of xmu is 28.2996, below 28.3 (--fail-under)"),
        (26.688, 28.0, "BLEU of xmu is 26.7, below 28 (--fail-under)"),
        (28.2999999, 28.3, "BLEU of xmu is 28.2999999, below 28.3 (--fail-under)"),
        (99.96, 100.0, "BLEU of xmu is 99.96, below 100 (--fail-under)"),
        (28.24, 28.25, "BLEU of xmu is 28.24, below 28.25 (--fail-under)"),
    ],
)
def test_a_score_below_its_limit_fails_with_as_many_decimals_as_it_takes(
    score: float, bound: float, text: str
) -> None:
    """The number shown differs from the limit shown, and has no more decimals than that takes."""
    gate = only_gate(report({"BLEU": {"xmu": score}}), "fail-under", "BLEU", bound)
    assert (gate.passed, gate.text) == (False, text)
    assert (gate.gate, gate.system, gate.name, gate.value, gate.limit, gate.p_value) == (
        "fail-under",
        "xmu",
        "BLEU",
        score,
        bound,
        None,
    )


def test_an_error_rate_above_its_limit_fails() -> None:
    """`--fail-over` is for metrics where lower is better."""
    gate = only_gate(report({"TER": {"xmu": 57.4}}), "fail-over", "TER", 55.0)
    assert (gate.passed, gate.text) == (False, "TER of xmu is 57.4, above 55 (--fail-over)")


@pytest.mark.parametrize("noise", [0.0, 1e-10, -1e-10])
def test_a_score_at_its_limit_passes(noise: float) -> None:
    """A score that rounding alone separates from its limit is at the limit."""
    under = only_gate(report({"BLEU": {"xmu": 58.0 + noise}}), "fail-under", "BLEU", 58.0)
    over = only_gate(report({"TER": {"xmu": 58.0 + noise}}), "fail-over", "TER", 58.0)
    assert (under.passed, under.text) == (True, "BLEU of xmu is 58.0, at least 58 (--fail-under)")
    assert (over.passed, over.text) == (True, "TER of xmu is 58.0, at most 58 (--fail-over)")


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_numbers_of_a_sentence_support_it(score: float, bound: float) -> None:
    """Read as numbers, a failed gate's score is below its limit, and a passed gate's is not."""
    gate = only_gate(report({"BLEU": {"xmu": score}}), "fail-under", "BLEU", bound)
    found = re.fullmatch(r"BLEU of xmu is ([0-9.]+), (below|at least) (\S+) \(--fail-under\)", gate.text)
    assert found is not None
    shown, relation, limit = float(found[1]), found[2], float(found[3])
    assert gate.passed == (relation == "at least") == (score >= bound - 1e-9)
    if not gate.passed:
        assert shown < limit


def test_thresholds_hold_for_every_system_and_only_for_corpus_scores() -> None:
    """The baseline is judged too; rows of groups and of segments are not."""
    whole = report({"BLEU": {"prod": 28.0, "new": 29.0}, "TER": {"prod": 60.0, "new": 61.0}})
    parts = [
        Row(system="new", score=whole.rows[1].score, group={"domain": "news"}),
        Row(system="new", score=whole.rows[1].score, segment=1),
    ]
    everything = Report(rows=[*whole.rows, *parts], segments=10, references=1, baseline="prod")
    gates, _ = judge(everything, [Limit(option="fail-under", metric="BLEU", value=28.5)])
    assert [(gate.system, gate.name, gate.passed) for gate in gates] == [
        ("prod", "BLEU", False),
        ("new", "BLEU", True),
    ]


# --- Drops --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "scores", "allowed", "passed", "text"),
    [
        (
            "BLEU",
            (UEDIN, XMU),
            0.5,
            False,
            "BLEU of xmu is 26.69, 1.61 below uedin-nmt (28.30), more than 0.5 (--max-drop)",
        ),
        (
            "BLEU",
            (28.3, 27.7996),
            0.5,
            False,
            "BLEU of xmu is 27.7996, 0.5004 below uedin-nmt (28.3000), more than 0.5 (--max-drop)",
        ),
        (
            "BLEU",
            (28.3, 27.8),
            0.5,
            True,
            "BLEU of xmu is 27.80, 0.50 below uedin-nmt (28.30), no more than 0.5 worse (--max-drop)",
        ),
        (
            "BLEU",
            (28.3, 30.0),
            0.5,
            True,
            "BLEU of xmu is 30.00, 1.70 above uedin-nmt (28.30), no more than 0.5 worse (--max-drop)",
        ),
        (
            "BLEU",
            (28.3, 28.3),
            0.0,
            True,
            "BLEU of xmu is 28.30, the same as uedin-nmt, no more than 0 worse (--max-drop)",
        ),
        (
            "TER",
            (55.0, 57.5),
            2.0,
            False,
            "TER of xmu is 57.50, 2.50 above uedin-nmt (55.00), more than 2 (--max-drop)",
        ),
        (
            "TER",
            (57.5, 50.0),
            2.0,
            True,
            "TER of xmu is 50.00, 7.50 below uedin-nmt (57.50), no more than 2 worse (--max-drop)",
        ),
    ],
)
def test_a_drop_is_measured_in_the_metric_s_direction(
    name: str, scores: tuple[float, float], allowed: float, passed: bool, text: str
) -> None:
    """Only getting worse by more than the allowed points fails: down for BLEU, up for TER."""
    baseline, score = scores
    compared = report({name: {"uedin-nmt": baseline, "xmu": score}})
    gate = only_gate(compared, "max-drop", name, allowed)
    assert (gate.system, gate.passed, gate.text) == ("xmu", passed, text)
    least = baseline - allowed if name == "BLEU" else baseline + allowed
    assert gate.value == score
    assert gate.limit == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("baseline", [None, "xmu"])
def test_a_drop_without_anything_to_compare_is_an_error(baseline: str | None) -> None:
    """A gate on a difference does not pass in silence where there is no difference."""
    alone = report({"BLEU": {"xmu": XMU}}, baseline=baseline)
    with pytest.raises(UsageError, match=r"^--max-drop: there is no baseline with a system to compare"):
        judge(alone, [Limit(option="max-drop", metric="BLEU", value=1.0)])
    with pytest.raises(UsageError, match=r"^--fail-on-regression: there is no baseline with a system"):
        judge(alone, [], regression=True)


# --- Regressions --------------------------------------------------------------------------------------------


def test_a_significant_drop_is_a_regression() -> None:
    """The sentence has both scores, their difference, the p-value, the level, the test and its trials."""
    (gate,) = regressions(report({"BLEU": {"uedin-nmt": UEDIN, "xmu": XMU}}, p=1 / 1001))
    assert gate.text == (
        "BLEU of xmu is 26.69, 1.61 below uedin-nmt (28.30): p = 0.0010 < 0.05, paired AR, 1000 trials"
    )
    assert (gate.gate, gate.passed, gate.value, gate.p_value) == ("fail-on-regression", False, XMU, 1 / 1001)
    assert gate.limit == pytest.approx(UEDIN, abs=1e-12)


def test_the_corrected_p_value_decides_and_is_said() -> None:
    """A plain p-value below the level is no regression when Holm's correction takes it above."""
    scores = {"BLEU": {"prod": 28.3, "new": 27.9}, "TER": {"prod": 55.0, "new": 55.3}}
    gates = regressions(report(scores, p=0.03, p_holm=0.06))
    assert [gate.passed for gate in gates] == [True, True]
    assert gates[1].text == (
        "TER of new is 55.30, 0.30 above prod (55.00): p = 0.0300 < 0.05, paired AR, 1000 trials; "
        "p = 0.0600 corrected for 2 tests (Holm)"
    )
    assert [gate.passed for gate in regressions(report(scores, p=0.02, p_holm=0.04))] == [False, False]


def test_a_significant_gain_is_no_regression() -> None:
    """Being significantly better passes, in either direction of the metric."""
    better = report({"BLEU": {"prod": 27.0, "new": 29.0}, "TER": {"prod": 60.0, "new": 50.0}}, p=0.0001)
    assert [gate.passed for gate in regressions(better)] == [True, True]


def test_the_level_and_the_test_are_those_of_the_report() -> None:
    """`--alpha` and `-pbs` reach the judgement and its sentence."""
    scores = {"BLEU": {"prod": 28.3, "new": 27.9}}
    strict = report(scores, p=0.03, alpha=0.01, test="bs", trials=2000)
    (gate,) = regressions(strict)
    assert gate.passed
    assert gate.text.endswith(": p = 0.0300 >= 0.01, paired BS, 2000 trials")
    assert not regressions(report(scores, p=0.03, alpha=0.1))[0].passed


def test_p_values_are_told_apart_from_the_level_and_from_zero() -> None:
    """Four decimals where they do, more where they would print a lie."""
    scores = {"BLEU": {"prod": 28.3, "new": 27.9}}
    assert ": p = 0.04998 < 0.05," in regressions(report(scores, p=0.04998))[0].text
    assert ": p = 0.00001 < 0.05," in regressions(report(scores, p=1 / 100_001))[0].text


def test_a_regression_without_a_test_is_an_error() -> None:
    """Without p-values nothing can be judged significant."""
    with pytest.raises(UsageError, match="--fail-on-regression: this gate needs a paired test"):
        regressions(report({"BLEU": {"prod": 28.3, "new": 27.9}}))


def test_a_large_drop_that_the_test_cannot_see_is_a_warning() -> None:
    """More than a point lost without significance passes, but not in silence."""
    blind = report({"BLEU": {"uedin-nmt": UEDIN, "xmu": XMU}}, p=0.2, segments=200)
    gates, (notice,) = judge(blind, [], regression=True)
    sentence = (
        "BLEU of xmu is 26.69, 1.61 below uedin-nmt (28.30): not significant on 200 segments: "
        "the test cannot see a drop this size"
    )
    assert gates[0].passed
    assert (notice.level, notice.code, notice.text) == (
        "warning",
        "drop-not-significant",
        sentence,
    )


@pytest.mark.parametrize(
    ("scores", "p"),
    [
        ({"BLEU": {"prod": 28.3, "new": 27.4}}, 0.2),
        ({"BLEU": {"prod": 28.3, "new": 30.0}}, 0.2),
        ({"TER": {"prod": 58.3, "new": 50.0}}, 0.2),
        ({"BLEU": {"prod": 28.3, "new": 25.0}}, 0.001),
    ],
)
def test_no_warning_where_nothing_is_unseen(scores: dict[str, dict[str, float]], p: float) -> None:
    """A small drop, a gain, and a drop that fails the gate need no warning."""
    assert judge(report(scores, p=p), [], regression=True)[1] == []


def test_a_limit_on_the_drop_makes_the_warning_needless() -> None:
    """`--max-drop` judges the drop that the test cannot see, for its own metric."""
    scores = {"BLEU": {"prod": 28.3, "new": 27.0}, "TER": {"prod": 55.0, "new": 56.5}}
    limit = Limit(option="max-drop", metric="BLEU", value=2.0)
    gates, notices = judge(report(scores, p=0.2), [limit], regression=True)
    assert [gate.gate for gate in gates] == ["max-drop", "fail-on-regression", "fail-on-regression"]
    assert [notice.text.split()[0] for notice in notices] == ["TER"]
