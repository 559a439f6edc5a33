"""Agreement with people: scipy's values, the laws of the measures, tests, tables, and real human scores."""

from __future__ import annotations

import json
import math
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import sacrebleu
from conftest import read_json, read_lines, run, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mtscore import significance
from mtscore.cli import main
from mtscore.diagnostics import agreement, correlate
from mtscore.diagnostics.agreement import MEASURES, dense_ranks
from mtscore.diagnostics.correlate import Agreement, Judgements, compare_metrics
from mtscore.diagnostics.judgements import Join, Names, from_table, join
from mtscore.diagnostics.tables import parse_table
from mtscore.errors import AlignmentError, InputError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mtscore.arrays import Floats

SCIPY: Mapping[str, Any] = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall-b": stats.kendalltau,
}
SYSTEMS = Judgements(
    human=np.array([1.0, 2.0, 2.0, 3.0, 5.0]),
    metrics={"BLEU": np.array([10.0, 30.0, 20.0, 30.0, 50.0]), "TER": np.array([9.0, 7.0, 8.0, 6.0, 4.0])},
    systems=list("abcde"),
)

scores = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=40).filter(
    lambda rows: all(len(set(column)) > 1 for column in zip(*rows, strict=True))
)


def columns(rows: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
    """Return rows as two columns."""
    metric, human = np.array(rows, np.float64).T
    return metric, human


def sample(rows: int, seed: int, digits: int = 1) -> tuple[Floats, Floats, Floats]:
    """Return two metrics and human scores with many ties."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=rows)
    first, second = human + rng.normal(size=rows), human + 2 * rng.normal(size=rows)
    return np.round(first, digits), np.round(second, digits), np.round(human, digits)


def values(found: Sequence[Agreement]) -> dict[str, float]:
    """Return the scores of one metric by measure."""
    return {row.coefficient: row.score for row in found}


# --- Measures -----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(scores)
def test_coefficients_are_those_of_scipy(rows: list[tuple[int, int]]) -> None:
    """Pearson, Spearman and Kendall's tau-b are scipy's, for one sample and for many at once."""
    metric, human = columns(rows)
    for name, function in SCIPY.items():
        measure = MEASURES[name]  # type: ignore[index]
        expected = float(function(metric, human).statistic)
        assert measure.of(metric, human) == expected
        stacked = np.stack([metric, -metric])
        found = measure.function(*measure.prepare(stacked), *measure.prepare(human))
        assert found.tolist() == pytest.approx([expected, -expected], abs=1e-12)


def test_long_samples_give_scipys_tau() -> None:
    """Kendall's tau of more rows than are compared pair by pair is the same."""
    first, second, human = sample(agreement.FEW_ROWS + 50, seed=1)
    ranks = np.stack([*dense_ranks(first), *dense_ranks(second)])
    found = agreement.kendall(ranks, dense_ranks(human)[0])
    expected = [stats.kendalltau(x, human).statistic for x in (first, second)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(scores)
def test_rmse_is_the_error_of_a_straight_line(rows: list[tuple[int, int]]) -> None:
    """RMSE is that of numpy's least-squares line from the metric to the human scale."""
    metric, human = columns(rows)
    slope, intercept = np.polyfit(metric, human, 1)
    expected = math.sqrt(np.mean((human - slope * metric - intercept) ** 2))
    assert MEASURES["rmse"].of(metric, human) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(scores)
def test_accuracy_counts_pairs_in_the_human_order(rows: list[tuple[int, int]]) -> None:
    """Pairs tied by people are left out, and a tie of the metric alone is wrong."""
    told_apart = [(a, b) for i, a in enumerate(rows) for b in rows[:i] if a[1] != b[1]]
    right = sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in told_apart)
    found = MEASURES["accuracy"].of(*columns(rows))
    assert found == pytest.approx(right / len(told_apart), abs=1e-15)


def test_accuracy_of_a_small_table() -> None:
    """Of 9 pairs that people tell apart BLEU orders 8: it ties b with d."""
    found = {row.coefficient: row for row in correlate.correlate(SYSTEMS) if row.metric == "BLEU"}
    accuracy = found["accuracy"]
    assert (accuracy.score, accuracy.pairs, accuracy.tied_pairs) == (8 / 9, 9, 1)


@settings(deadline=None)
@given(scores, st.sampled_from([0.125, 2.0, 1024.0]), st.integers(-1000, 1000))
def test_another_scale_changes_nothing(rows: list[tuple[int, int]], factor: float, shift: int) -> None:
    """Multiplying a metric by a positive number and adding another moves no measure."""
    metric, human = columns(rows)
    for measure in MEASURES.values():
        expected = measure.of(metric, human)
        assert measure.of(factor * metric + shift, human) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(scores)
def test_a_negative_scale_turns_the_sign(rows: list[tuple[int, int]]) -> None:
    """Turning a metric round turns every correlation round, and leaves the fit as good as it was."""
    metric, human = columns(rows)
    for name in SCIPY:
        measure = MEASURES[name]  # type: ignore[index]
        assert measure.of(-metric, human) == pytest.approx(-measure.of(metric, human), abs=1e-12)
    assert MEASURES["rmse"].of(-metric, human) == pytest.approx(MEASURES["rmse"].of(metric, human), abs=1e-9)


def test_a_constant_sample_has_no_value() -> None:
    """A sample with a constant side is NaN, and does not disturb its neighbours."""
    metric, human = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]]), np.array([3.0, 1.0, 2.0])
    for name, expected in {
        "pearson": -0.5,
        "spearman": -0.5,
        "kendall-b": -1 / 3,
        "rmse": 0.7071067811865476,
    }.items():
        measure = MEASURES[name]  # type: ignore[index]
        found = measure.function(*measure.prepare(metric), *measure.prepare(human))
        assert math.isnan(found[0])
        assert found[1] == pytest.approx(expected, abs=1e-15)


# --- Metrics against people ---------------------------------------------------------------------------------


def test_the_sign_of_lower_is_better_is_reversed() -> None:
    """TER, lower being better, agrees positively with people; other metrics can be named."""
    found = {(row.metric, row.coefficient): row for row in correlate.correlate(SYSTEMS)}
    ter = found["TER", "pearson"]
    assert ter.lower_is_better
    assert ter.score == pytest.approx(
        -stats.pearsonr(SYSTEMS.metrics["TER"], SYSTEMS.human).statistic, abs=1e-15
    )
    assert ter.score > 0.9
    named = Judgements(
        human=SYSTEMS.human,
        metrics={"loss": SYSTEMS.metrics["TER"]},
        lower_is_better=["loss"],
        systems=list("abcde"),
    )
    expected = {row.coefficient: row.score for row in found.values() if row.metric == "TER"}
    assert values(correlate.correlate(named)) == expected


def test_the_signature_says_what_the_number_depends_on() -> None:
    """Measure, human scores, level, metric, rows, and of intervals resamples and seed are in it."""
    plain = correlate.correlate(SYSTEMS)[0]
    assert str(plain.signature) == (
        "CORR+coef.pearson+human.human+level.system+metric.BLEU+n.5+version.mtscore-0.1.0"
    )
    drawn = correlate.correlate(SYSTEMS, resamples=10, seed=7)[0]
    assert (drawn.signature.get("bs"), drawn.signature.get("seed")) == (10, 7)


def grouped_sample() -> Judgements:
    """Return segments of five systems; segment 0 has two rows, 1 equal human, 2 equal metric scores."""
    first, second, human = sample(100, seed=2)
    segments = [str(row // 5) for row in range(100)]
    human[5:10] = 1.0
    first[10:15] = 2.0
    keep = np.arange(100) >= 3
    return Judgements(
        human=human[keep],
        metrics={"A": first[keep], "B": second[keep]},
        systems=[f"s{row % 5}" for row in range(100) if row >= 3],
        segments=segments[3:],
    )


def test_groups_are_averaged_and_those_without_a_value_counted() -> None:
    """The mean is over segments that have a correlation; the others are counted by reason."""
    judgements = grouped_sample()
    found = correlate.correlate(judgements, group="segment")
    assert [(row.metric, row.coefficient) for row in found] == [(m, c) for m in "AB" for c in SCIPY]
    for row in found:
        each = []
        for segment in dict.fromkeys(judgements.segments or ()):
            rows = [i for i, s in enumerate(judgements.segments or ()) if s == segment]
            x, y = judgements.metrics[row.metric][rows], judgements.human[rows]
            if len(rows) >= 3 and len(set(x)) > 1 and len(set(y)) > 1:
                each.append(SCIPY[row.coefficient](x, y).statistic)
        assert row.score == pytest.approx(np.mean(each), abs=1e-12)
        assert row.groups == len(each)
        assert row.left_out == {"few_rows": 1, "constant_human": 1, "constant_metric": int(row.metric == "A")}
    assert found[0].signature.get("group") == "segment"


def test_intervals_are_percentiles_of_resampled_rows() -> None:
    """The bootstrap draws rows; undefined resamples are left out and counted."""
    judgements = Judgements(human=SYSTEMS.human, metrics={"M": np.array([1.0, 1.0, 1.0, 2.0, 2.0])})
    found: dict[str, Agreement] = {
        row.coefficient: row for row in correlate.correlate(judgements, resamples=200, seed=5)
    }
    rng = np.random.default_rng(5)
    drawn = [rng.choice(5, size=5, replace=True) for _ in range(200)]
    for name, function in SCIPY.items():
        each = sorted(
            function(judgements.metrics["M"][rows], judgements.human[rows]).statistic
            for rows in drawn
            if len(set(judgements.metrics["M"][rows])) > 1 and len(set(judgements.human[rows])) > 1
        )
        row = found[name]
        assert row.undefined == 200 - len(each) > 0
        assert row.interval is not None
        low, high = each[len(each) // 40], each[-(len(each) // 40) - 1]
        assert (row.interval.low, row.interval.high) == pytest.approx((low, high), abs=1e-12)


def test_intervals_of_groups_resample_groups() -> None:
    """Where means over groups are asked for, groups are drawn."""
    judgements = grouped_sample()
    row = correlate.correlate(judgements, group="segment", resamples=100, seed=3)[0]
    blocks = judgements.blocks("segment")
    each = np.concatenate(
        [agreement.pearson(judgements.metrics["A"][b], judgements.human[b]) for b in blocks]
    )
    each = each[~np.isnan(each)]
    means = np.sort(each[np.random.default_rng(3).choice(len(each), size=(100, len(each)))].mean(1))
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == pytest.approx((means[2], means[-3]), abs=1e-12)


def test_the_permutation_test_swaps_standardised_scores_row_by_row() -> None:
    """The p-value is that of a plain loop over the same masks; the difference that of the values."""
    first, second, human = sample(30, seed=4)
    judgements = Judgements(human=human, metrics={"A": first, "WER": -second})
    found = {pair.name: pair for pair in compare_metrics(judgements, trials=64, seed=9)}
    x, z = ((v - v.mean()) / v.std() for v in (first, second))
    masks = np.random.default_rng(9).integers(2, size=(64, 30), dtype=bool)
    for name, function in SCIPY.items():
        observed = function(z, human).statistic - function(x, human).statistic
        swapped = [
            function(np.where(mask, x, z), human).statistic - function(np.where(mask, z, x), human).statistic
            for mask in masks
        ]
        reached = sum(abs(difference) >= abs(observed) - 1e-9 for difference in swapped)
        assert found[name].delta == pytest.approx(observed, abs=1e-12)
        assert found[name].p_value == (reached + 1) / 65
        assert (found[name].a, found[name].b) == ("A", "WER")


def test_the_permutation_test_of_groups_averages_within_each_trial() -> None:
    """With groups, a trial's statistic is the mean over groups where both metrics have a value."""
    judgements = grouped_sample()
    found = {p.name: p for p in compare_metrics(judgements, group="segment", trials=32, seed=1)}
    x, z = ((v - v.mean()) / v.std() for v in judgements.metrics.values())
    masks = np.random.default_rng(1).integers(2, size=(32, len(x)), dtype=bool)
    groups = [b for block in judgements.blocks("segment") for b in block]

    def difference(one: Floats, other: Floats) -> float:
        each = []
        for rows in groups:
            a, b, y = one[rows], other[rows], judgements.human[rows]
            if len(set(a)) > 1 and len(set(b)) > 1 and len(set(y)) > 1:
                each.append(stats.kendalltau(b, y).statistic - stats.kendalltau(a, y).statistic)
        return float(np.mean(each))

    observed = difference(x, z)
    reached = sum(
        abs(difference(np.where(m, z, x), np.where(m, x, z))) >= abs(observed) - 1e-9 for m in masks
    )
    assert found["kendall-b"].delta == pytest.approx(observed, abs=1e-12)
    assert found["kendall-b"].p_value == (reached + 1) / 33


def test_a_metric_never_differs_from_itself() -> None:
    """Equal metrics, and a metric on another scale, have p = 1; three metrics have three differences."""
    first, second, human = sample(20, seed=5)
    judgements = Judgements(human=human, metrics={"A": first, "A'": 2 * first + 1, "B": second})
    pairs = compare_metrics(judgements, trials=50)
    assert [(p.a, p.b) for p in pairs if p.name == "pearson"] == [("A", "A'"), ("A", "B"), ("A'", "B")]
    for pair in pairs:
        if pair.b == "A'":
            assert (pair.p_value, pair.p_holm) == (1, 1)
            assert pair.delta == pytest.approx(0, abs=1e-12)
        assert pair.p_holm >= pair.p_value


def test_blocks_move_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many resamples or trials exist at once changes nothing."""
    first, second, human = sample(40, seed=6)
    judgements = Judgements(
        human=human, metrics={"A": first, "B": second}, systems=[str(i) for i in range(40)]
    )

    def everything() -> tuple[list[Agreement], list[object]]:
        return correlate.correlate(judgements, resamples=70), list(compare_metrics(judgements, trials=70))

    expected = everything()
    monkeypatch.setattr(significance, "BLOCK", 1)
    monkeypatch.setattr(agreement, "BLOCK", 1)
    assert everything() == expected


@settings(deadline=None)
@given(st.permutations(range(12)))
def test_the_order_of_rows_moves_no_value(order: list[int]) -> None:
    """Measures are of sets of rows."""
    first, _, human = sample(12, seed=7)
    systems = [str(i) for i in range(12)]
    expected = values(correlate.correlate(Judgements(human=human, metrics={"A": first}, systems=systems)))
    shuffled = Judgements(human=human[order], metrics={"A": first[order]}, systems=systems)
    assert values(correlate.correlate(shuffled)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"human": np.array([1.0, 2.0])}, AlignmentError, "BLEU: 5 rows, but 2 human scores"),
        ({"systems": ["a"]}, AlignmentError, "system: 1 rows"),
        (
            {"human": np.ones(5)},
            InputError,
            "human is constant (1 in all rows): a correlation with it is undefined",
        ),
        ({"metrics": {"M": np.ones(5)}}, InputError, "M is constant"),
        ({"metrics": {"M": np.array([1, 2, 3, 4, math.nan])}}, InputError, "M of row 5 is nan"),
        ({"metrics": {}}, UsageError, "no metric"),
        ({"lower_is_better": ["X"]}, UsageError, "--lower-is-better: no metric 'X'"),
        (
            {"human": np.array([1.0, 2.0]), "metrics": {"M": np.array([1.0, 2.0])}, "systems": ["a", "b"]},
            InputError,
            "at least 3 rows, not 2",
        ),
    ],
)
def test_bad_columns_are_refused(change: dict[str, Any], error: type[Exception], message: str) -> None:
    """Unequal, constant, too short or unfinished columns have no correlation: an error says so."""
    facts = {"human": SYSTEMS.human, "metrics": SYSTEMS.metrics, "systems": SYSTEMS.systems}
    with pytest.raises(error) as caught:
        Judgements(**{**facts, **change})
    assert message in str(caught.value)


def test_bad_requests_are_refused() -> None:
    """Groups need a column and three rows, tests two metrics, and random numbers a sensible seed."""
    with pytest.raises(UsageError, match="no column to group by: segment"):
        correlate.correlate(SYSTEMS, group="segment")
    with pytest.raises(InputError, match="no group has a correlation"):
        correlate.correlate(SYSTEMS, group="system")
    with pytest.raises(UsageError, match="at least two metrics"):
        compare_metrics(Judgements(human=SYSTEMS.human, metrics={"M": SYSTEMS.metrics["BLEU"]}))
    with pytest.raises(UsageError, match="--seed"):
        correlate.correlate(SYSTEMS, seed=-1)
    with pytest.raises(UsageError, match="--permutation-n"):
        compare_metrics(SYSTEMS, trials=0)


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scipy the error says which extra to install."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtscore\[stats\]'"):
        correlate.correlate(SYSTEMS)


# --- Tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["system\thuman\tM", "a b\t1\t2", "c,d\t3\t4"],
        ["system,human,M", "a b,1,2", '"c,d",3,4'],
        ["system;human;M", '"a b";1;2', "c,d;3;4"],
    ],
)
def test_delimiters_are_found_out(lines: list[str]) -> None:
    """Tabs, commas and semicolons are told by the header; quotes protect a delimiter."""
    table = parse_table(lines, "t")
    assert table.columns == ("system", "human", "M")
    assert table.texts("system") == ["a b", "c,d"]
    assert table.numbers("M").tolist() == [2, 4]


def test_blanks_delimit_too_and_may_trail() -> None:
    """The files of WMT, blanks between fields and at the ends of lines, are read as they are."""
    table = parse_table(["SYS SID Z.SCR N ", "A.0 1 -0.5 2 ", "A.0  2 0.5 1 "], "t")
    assert table.columns == ("SYS", "SID", "Z.SCR", "N")
    assert table.numbers("Z.SCR").tolist() == [-0.5, 0.5]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "t:1: no column names"),
        (["a,b"], "t: no row below the column names"),
        (["a,b,a", "1,2,3"], "t:1: two columns are called 'a'"),
        (["a,b", "1,2", "1"], "t:3: 1 fields, but 2 columns"),
        (["a\tb", "1\t2", ""], "t:3: 1 fields, but 2 columns"),
        (["a,b", '1,"2'], "t:2: broken quotes"),
        (["a,b", '"1', '1",2', "3"], "t:4: 1 fields"),
        (["a,b", "1,x"], "t:2, column b: 'x' is not a number"),
        (["a,b", "1,nan"], "t:2, column b: 'nan' is not a number"),
        (["a,b", "1,inf"], "t:2, column b: inf is not finite"),
        (["a,c", "1,2"], "t: no column 'b'"),
    ],
)
def test_broken_tables_are_refused(lines: list[str], message: str) -> None:
    """A table that cannot be read names the file and the line."""
    with pytest.raises(UsageError) as error:
        parse_table(lines, "t").numbers("b")
    assert message in str(error.value)


WIDE = ["system\tsegment\thuman\tBLEU\tTER"] + [
    f"{s}\t{i}\t{h}\t{b}\t{t}"
    for s, i, h, b, t in [("x", 1, 1, 5, 9), ("x", 2, 2, 7, 8), ("y", 1, 3, 6, 3), ("y", 2, 4, 9, 2)]
]
LONG = ["system\tmetric\tscore\tbetter\tsegment\tsignature"] + [
    f"{s}\t{metric}\t{value}\t{better}\t{i}\tS"
    for s, i, b, t in [("x", 1, 5, 9), ("x", 2, 7, 8), ("y", 1, 6, 3), ("y", 2, 9, 2), ("z", 1, 1, 1)]
    for metric, value, better in [("BLEU", b, "higher"), ("loss", t, "lower")]
]
PEOPLE = ["SYS SID Z.SCR", "y.11 2 4", "y.11 1 3", "x.0 1 1", "x.0 2 2", "HUMAN-B.12 1 5"]


def test_a_wide_table_names_its_columns() -> None:
    """System, segment and human columns are known by name; all others are metrics, or those chosen."""
    table = parse_table(WIDE, "t")
    judgements = from_table(table, Names())
    assert (judgements.systems, judgements.segments) == (["x", "x", "y", "y"], ["1", "2", "1", "2"])
    assert list(judgements.metrics) == ["BLEU", "TER"]
    assert judgements.human.tolist() == [1, 2, 3, 4]
    chosen = from_table(table, Names(human="BLEU", metrics=["human"], system="segment", segment="system"))
    assert (chosen.human_name, list(chosen.metrics)) == ("BLEU", ["human"])
    assert chosen.systems == ["1", "2", "1", "2"]


def joined(scores: list[str], people: list[str], **names: Any) -> tuple[Judgements, Join]:
    """Return what two tables have in common."""
    judgements, what, _ = join(
        parse_table(scores, "s"), parse_table(people, "h"), Names(**{"human": "Z.SCR", **names})
    )
    return judgements, what


def test_the_output_of_score_meets_the_files_of_wmt() -> None:
    """Rows meet by system and segment, running numbers are ignored, and what is left is told."""
    judgements, what = joined(LONG, PEOPLE)
    assert (judgements.systems, judgements.segments) == (["x", "x", "y", "y"], ["1", "2", "1", "2"])
    assert judgements.human.tolist() == [1, 2, 3, 4]
    assert {name: column.tolist() for name, column in judgements.metrics.items()} == {
        "BLEU": [5, 7, 6, 9],
        "loss": [9, 8, 3, 2],
    }
    assert judgements.lower("loss")
    assert what == Join(
        rows=4,
        scores_left=1,
        humans_left=1,
        systems_without_score=["HUMAN-B.12"],
        systems_without_human=["z"],
        renamed={"x.0": "x", "y.11": "y"},
    )


def test_a_wide_table_meets_human_scores_too() -> None:
    """Scores may be wide, and a system's own number stays its own."""
    wide = [line.replace("\thuman", "").replace("x\t", "x.0\t") for line in WIDE]
    wide = [wide[0], *("\t".join(f for i, f in enumerate(line.split("\t")) if i != 2) for line in wide[1:])]
    judgements, what = joined(wide, PEOPLE)
    assert judgements.human.tolist() == [1, 2, 3, 4]
    assert what.renamed == {"y.11": "y"}


def test_scores_of_systems_meet_human_scores_of_systems() -> None:
    """Where the human table has no segments, rows with a segment are left out."""
    whole = [line.rsplit("\t", 2)[0] + "\t\tS" for line in LONG[1:] if line.split("\t")[4] == "1"]
    judgements, _ = joined([*LONG, *whole], ["SYS Z.SCR", "x 1", "y 2", "z 3"])
    assert judgements.level == "system"
    assert judgements.metrics["BLEU"].tolist() == [5, 6, 1]


def test_scores_with_different_signatures_are_warned_about() -> None:
    """One metric with two signatures is a warning at the first line of the other."""
    mixed = [*LONG[:-1], LONG[-1].replace("\tS", "\tT")]
    _, _, notices = join(parse_table(mixed, "s"), parse_table(PEOPLE, "h"), Names(human="Z.SCR"))
    assert [(n.level, n.code, n.file, n.line) for n in notices] == [("warning", "mixed-signatures", "s", 11)]


@pytest.mark.parametrize(
    ("scores", "people", "names", "message"),
    [
        (
            LONG,
            PEOPLE,
            {"human": None},
            "h: which column has the human scores? (--human COLUMN, one of: Z.SCR)",
        ),
        (LONG, PEOPLE, {"human": "X"}, "h: no column 'X'"),
        (LONG, PEOPLE, {"system": "X"}, "h: no column 'X'"),
        (LONG, PEOPLE, {"metrics": ["bleu"]}, "s: no metric 'bleu'"),
        (LONG, [*PEOPLE, "x.0 1 7"], {}, "h:7: a second row for system x.0, segment 1 (the first is line 4)"),
        ([*LONG, LONG[1]], PEOPLE, {}, "s:12: a second row for system x, segment 1 (the first is line 2)"),
        (LONG[:-1], PEOPLE, {}, "s: not every metric has a score for z 1 (loss differs)"),
        (LONG, [*PEOPLE, "x.1 1 7"], {}, "h: more than one system could be x"),
        (LONG, ["SYS Z.SCR", "x 1"], {}, "h: human scores of systems, but scores of segments only"),
        (LONG, ["SYS SID Z.SCR", "q 1 1"], {}, "s and h: no row of one table has a counterpart"),
        (LONG, PEOPLE[:3], {}, "s and h: a correlation needs at least 3 rows, not 2"),
        (LONG, ["who Z.SCR", "x 1"], {}, "h: which column names the system?"),
    ],
)
def test_tables_that_do_not_meet_are_refused(
    scores: list[str], people: list[str], names: dict[str, Any], message: str
) -> None:
    """What cannot be joined names the table, the line, and the option that helps."""
    with pytest.raises(UsageError) as error:
        joined(scores, people, **names)
    assert message in str(error.value)


# --- Real human scores --------------------------------------------------------------------------------------


@cache
def official(metric: str, published: str) -> dict[str, float]:
    """Return the oracle's corpus scores of the WMT22 zh-en systems."""
    rows = read_json(shared("data", "official.json"))["rows"]
    return {
        row["system"]: row["sacrebleu_2.6.0"]
        for row in rows
        if (row["year"], row["pair"], row["published_metric"]) == ("wmt22", "zh-en", published)
        and row["metric"] == metric
    }


@cache
def human_systems() -> dict[str, float]:
    """Return the standardised human scores of the same systems."""
    lines = read_lines(shared("data", "human", "wmt22.zh-en.sys.csv"))[1:]
    rows = [line.split() for line in lines]
    return {system.rpartition(".")[0]: float(z) for _, z, _, system, _ in rows}


def test_real_systems_agree_with_people_as_scipy_says(tmp_path: Path) -> None:
    """BLEU and chrF of twelve WMT22 systems against the official human scores: scipy's values."""
    metrics = {"BLEU": official("BLEU", "bleu-A"), "chrF2": official("CHRF", "chrf-A")}
    lines = ["system\tmetric\tscore"]
    lines += [f"{s}\t{m}\t{value}" for m, column in metrics.items() for s, value in column.items()]
    (tmp_path / "scores.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    people = shared("data", "human", "wmt22.zh-en.sys.csv")
    result = run(
        "correlate", "scores.tsv", "--human-file", people, "--human", "Z.SCR", "-f", "json", cwd=tmp_path
    )
    assert (result.returncode, result.stderr) == (0, b"")
    answer = json.loads(result.stdout)
    assert answer["joined"]["rows"] == 12
    assert answer["joined"]["systems_without_score"] == ["HUMAN-B.12"]
    found = {(row["metric"], row["coefficient"]): row["score"] for row in answer["rows"]}
    for metric, column in metrics.items():
        systems = sorted(column)
        x, y = ([source[system] for system in systems] for source in (column, human_systems()))
        for name, function in SCIPY.items():
            assert found[metric, name] == pytest.approx(function(x, y).statistic, abs=1e-12)
        pairs = [(i, j) for i in range(12) for j in range(i) if y[i] != y[j]]
        right = sum((x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in pairs)
        assert found[metric, "accuracy"] == pytest.approx(right / len(pairs), abs=1e-15)
    assert round(found["BLEU", "pearson"], 4) == 0.6399
    assert round(found["BLEU", "accuracy"], 4) == 0.7879


def test_real_segments_agree_with_people_as_scipy_says(tmp_path: Path) -> None:
    """Segment scores of the WMT22 liv-en systems against the official human scores: scipy's values."""
    folder = shared("data", "wmt22", "liv-en")
    people = shared("data", "human", "wmt22.liv-en.seg.csv")
    references = read_lines(folder / "ref.A.en")
    lines, of = ["system\tmetric\tscore\tsegment"], {}
    chrf = sacrebleu.CHRF()
    for path in sorted(folder.glob("hyp.*.en")):
        system = path.name.removeprefix("hyp.").removesuffix(".en")
        for number, (hypothesis, reference) in enumerate(zip(read_lines(path), references, strict=True), 1):
            of[system, str(number)] = chrf.sentence_score(hypothesis, [reference]).score
            lines.append(f"{system}\tchrF2\t{of[system, str(number)]}\t{number}")
    (tmp_path / "scores.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    rows = [line.split() for line in read_lines(people)[1:]]
    z = {(row[0].rpartition(".")[0], row[1]): float(row[3]) for row in rows}
    arguments: list[str | Path] = [
        "correlate",
        tmp_path / "scores.tsv",
        "--human-file",
        people,
        "--human",
        "Z.SCR",
        "-f",
        "json",
    ]
    answer = json.loads(run(*arguments).stdout)
    assert answer["joined"]["rows"] == len(z) == 2070
    pooled = {row["coefficient"]: row["score"] for row in answer["rows"]}
    for name, function in SCIPY.items():
        expected = function([of[key] for key in z], list(z.values())).statistic
        assert pooled[name] == pytest.approx(expected, abs=1e-12)
    grouped = json.loads(run(*arguments, "--group", "segment").stdout)["rows"][0]
    each = []
    for segment in {segment for _, segment in z}:
        keys = [key for key in z if key[1] == segment]
        if len(keys) >= 3 and len({of[key] for key in keys}) > 1:
            each.append(stats.pearsonr([of[key] for key in keys], [z[key] for key in keys]).statistic)
    assert grouped["groups"] == len(each)
    assert grouped["score"] == pytest.approx(np.mean(each), abs=1e-12)


# --- Command line -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with tables of segments, of systems, and of human scores."""
    systems = ["system,human,BLEU,TER", "a,1,10,9", "b,2,30,7", "c,2,20,8", "d,3,30,6", "e,5,50,4"]
    for name, lines in {"wide": WIDE, "long": LONG, "people": PEOPLE, "systems": systems}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_prints_one_line_a_metric(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text has a line a metric, what was done to signs and ties, and the signature."""
    assert main(["correlate", "systems"]) == 0
    assert capsys.readouterr().out == (
        "Agreement with human: 5 systems\n"
        "\n"
        "Metric  Pearson  Spearman  Kendall   RMSE  Accuracy\n"
        "BLEU      0.956     0.921    0.889  0.399     0.889\n"
        "TER ↓     0.977     0.975    0.949  0.289     1.000\n"
        "\n"
        "↓ Lower is better: the sign of TER is reversed; positive means agreement.\n"
        "Accuracy: of 9 pairs; 1 tied in the human scores left out.\n"
        "\n"
        "CORR+human.human+level.system+n.5+version.mtscore-0.1.0\n"
    )


def test_the_command_joins_and_tests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A human file is joined, and intervals and differences are given on request."""
    arguments = ["correlate", "long", "--human-file", "people", "--human", "Z.SCR"]
    assert main([*arguments, "-ci", "-cin", "50", "-perm", "-permn", "50"]) == 0
    out = capsys.readouterr().out
    assert "Joined 4 rows; without counterpart: scores 1, human scores 1.\n" in out
    assert "Systems met without their running number: 2, such as x.0 = x.\n" in out
    assert "Systems without score: HUMAN-B.12.\nSystems without human score: z.\n" in out
    assert "loss - BLEU  Pearson" in out
    assert re.search(r"^BLEU +Pearson +0\.832 +-1\.000 to 1\.000$", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80, "a page fits 80 columns, but for signatures"


def test_json_has_rows_pairs_and_what_was_joined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has a row a metric and measure with its signature, and the pairs that were tested."""
    assert main(["correlate", "systems", "-ci", "-perm", "-f", "json", "--seed", "1"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [(row["metric"], row["coefficient"]) for row in answer["rows"]] == [
        (metric, name) for metric in ("BLEU", "TER") for name in MEASURES
    ]
    row = answer["rows"][-1]
    assert (row["score"], row["better"], row["sign_reversed"], row["pairs"], row["tied_pairs"]) == (
        1.0,
        "higher",
        True,
        9,
        1,
    )
    assert row["signature"] == (
        "CORR+bs.1000+coef.accuracy+human.human+level.system+metric.TER+n.5+seed.1+version.mtscore-0.1.0"
    )
    assert row["ci_low"] <= row["score"] <= row["ci_high"]
    assert [pair["name"] for pair in answer["pairs"]] == list(MEASURES)
    assert "joined" not in answer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "no table of scores"),
        ("long", "long: a table with a row a metric has no human scores (add --human-file FILE)"),
        ("wide --human x", "wide: no column 'x' (--human COLUMN, one of: human, BLEU, TER)"),
        ("wide --metric x", "wide: no column 'x'"),
        ("wide --group document", "--group: unknown group 'document'"),
        ("systems --lower-is-better x", "--lower-is-better: no metric 'x'"),
        ("systems -ci -cin 0", "--confidence-n: the number of trials must be a whole number from 1"),
        ("word", "word:2, column M: 'good' is not a number"),
        ("- --human-file -", "-: standard input can be read once only"),
        ("nowhere", "nowhere: no such file"),
    ],
)
def test_the_command_refuses_with_file_and_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    """A mistake is one line on standard error, and exit code 2."""
    (folder / "word").write_text("human,M\n1,good\n", "utf-8")
    assert main(["correlate", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_help_explains_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` says how ties, signs and groups are handled, and ends with command lines to copy."""
    assert main(["correlate", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "without pairs tied in the human scores, a tie of the metric alone being wrong" in out
    assert "they are left out and counted" in out
    assert "mtscore correlate scores.tsv --human-file wmt22.zh-en.seg.csv --human Z.SCR" in out
