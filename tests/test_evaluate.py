"""The evaluation as a whole: chunks add up, and examples are the segments that tell most."""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import read_lines

import mtscore
from mtscore import BLEU, CHRF, TER, evaluate_systems
from mtscore.cli.output import highlight
from mtscore.errors import UsageError
from mtscore.metrics.base import CHUNK_SEGMENTS

if TYPE_CHECKING:
    from mtscore.metrics.base import AnyMetric
    from mtscore.results import Example

MINI = Path(__file__).parents[1] / "testsets" / "mini"
GOOD, POOR, REFERENCE = (read_lines(MINI / name) for name in ("hyp.good.de", "hyp.poor.de", "ref.A.de"))


# --- Chunks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_add_up(jobs: int) -> None:
    """A hundred copies of a corpus, several chunks long, have its score and a hundred times its counts."""
    copies = 100
    assert copies * len(GOOD) > 2 * CHUNK_SEGMENTS
    [row] = evaluate_systems({"good": GOOD * copies}, [REFERENCE * copies], [BLEU()], jobs=jobs).rows
    once = BLEU().corpus_score(GOOD, [REFERENCE])
    assert isinstance(row.score, type(once))
    assert row.score.score == pytest.approx(once.score, abs=1e-12)
    assert row.score.counts == [copies * count for count in once.counts]
    assert (row.score.sys_len, row.score.ref_len) == (copies * 787, copies * 794)


@pytest.mark.parametrize("jobs", [1, 2])
def test_segments_keep_their_places(jobs: int) -> None:
    """Segment scores of several chunks are numbered through, each with the score of its own texts."""
    copies = 100
    report = evaluate_systems(
        {"good": GOOD * copies}, [REFERENCE * copies], [CHRF()], sentence_level=True, jobs=jobs
    )
    once = CHRF().segment_scores(GOOD, [REFERENCE]).tolist()
    assert [row.segment for row in report.rows] == list(range(1, copies * len(GOOD) + 1))
    assert [row.score.score for row in report.rows] == pytest.approx(once * copies, abs=1e-12)


@pytest.mark.parametrize("metric", [BLEU(), CHRF(word_order=2), TER()], ids=lambda metric: metric.name)
def test_groups_score_as_corpora_of_their_own(metric: AnyMetric) -> None:
    """Each label of each column has the score of its segments alone, in the order of first appearance."""
    columns = {
        "topic": ["news" if number % 3 else "talks" for number in range(len(GOOD))],
        "document": [f"d{number * number % 11}" for number in range(len(GOOD))],
    }
    report = evaluate_systems({"good": GOOD, "poor": POOR}, [REFERENCE], [metric], groups=columns)
    rows = iter(report.rows[2:])
    for column, labels in columns.items():
        for label in dict.fromkeys(labels):
            kept = [number for number, other in enumerate(labels) if other == label]
            for name, lines in (("good", GOOD), ("poor", POOR)):
                row = next(rows)
                assert (row.system, row.group, row.segments) == (name, {column: label}, len(kept))
                alone = metric.corpus_score([lines[i] for i in kept], [[REFERENCE[i] for i in kept]])
                assert row.score == alone
    assert next(rows, None) is None


def test_groups_differ_from_the_baseline() -> None:
    """With a baseline each group has the difference of its scores, and no p-value."""
    labels = ["a" if number % 2 else "b" for number in range(len(GOOD))]
    plan: dict[str, Any] = {"groups": {"half": labels}, "baseline": "poor", "test": "ar", "trials": 9}
    report = evaluate_systems({"good": GOOD, "poor": POOR}, [REFERENCE], [CHRF()], **plan)
    for good, poor in zip(report.rows[2::2], report.rows[3::2], strict=True):
        assert good.group == poor.group
        assert good.comparison is not None
        assert good.comparison.delta == good.score.score - poor.score.score > 20
        assert (good.comparison.baseline, good.comparison.p_value) == ("poor", None)
        assert poor.comparison is None


def test_groups_are_no_segments() -> None:
    """Groups and scores of segments exclude each other."""
    with pytest.raises(UsageError, match="groups are of segments"):
        evaluate_systems({"a": ["x"]}, [["x"]], groups={"topic": ["news"]}, sentence_level=True)


# --- Tests and intervals ------------------------------------------------------------------------------------


def test_intervals_do_not_move_p_values() -> None:
    """With intervals beside it, approximate randomisation gives the p-values that it gives alone."""
    systems = {"a": GOOD, "b": [*POOR[:3], *GOOD[3:]], "c": [*GOOD[:40], *POOR[40:]]}
    plan: dict[str, Any] = {"test": "ar", "trials": 500}
    alone, beside = (
        evaluate_systems(systems, [REFERENCE], [BLEU(), CHRF()], **plan, resamples=resamples)
        for resamples in (0, 200)
    )
    p_values = [row.comparison and row.comparison.p_value for row in alone.rows]
    assert [row.comparison and row.comparison.p_value for row in beside.rows] == p_values
    assert all(row.score.interval for row in beside.rows)
    assert len(set(p_values)) > 2


def test_a_report_names_the_versions_behind_it() -> None:
    """Python, numpy, mtscore, and of the tokenizers those that were used."""
    versions = evaluate_systems({"good": GOOD}, [REFERENCE], [BLEU(tokenize="intl"), TER()]).versions
    assert versions == {
        "mtscore": mtscore.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tokenizers": {"intl": 1},
    }


# --- Examples -----------------------------------------------------------------------------------------------


def examples(metric: AnyMetric, *systems: str, count: int = 3, baseline: str | None = None) -> list[Example]:
    """Return the examples for some of the systems good, poor and copy (of the reference)."""
    texts = {"good": GOOD, "poor": POOR, "copy": REFERENCE}
    chosen = {system: texts[system] for system in systems}
    report = evaluate_systems(chosen, [REFERENCE], [metric], examples=count, baseline=baseline)
    return list(report.examples)


@pytest.mark.parametrize("metric", [BLEU(), TER()], ids=["BLEU", "TER"])
def test_of_one_system_the_worst_segments_are_shown(metric: AnyMetric) -> None:
    """They are those with the lowest scores, or the highest error rates, the worst first."""
    scores = metric.segment_scores(GOOD, [REFERENCE]).tolist()
    worst = sorted(range(len(GOOD)), key=lambda i: scores[i] if metric.better == "higher" else -scores[i])
    found = examples(metric, "good")
    assert [example.segment for example in found] == [i + 1 for i in worst[:3]]
    assert [example.scores["good"] for example in found] == [scores[i] for i in worst[:3]]
    assert found[0].hypotheses == {"good": GOOD[worst[0]]}
    assert found[0].references == (REFERENCE[worst[0]],)


@pytest.mark.parametrize(("metric", "sign"), [(CHRF(), 1), (TER(), -1)], ids=["chrF2", "TER"])
def test_of_two_systems_the_largest_losses_are_shown(metric: AnyMetric, sign: int) -> None:
    """They are those where the second system is worst against the baseline, which comes first."""
    found = examples(metric, "poor", "good", baseline="good")
    losses = [sign * (example.scores["poor"] - example.scores["good"]) for example in found]
    scores = [metric.segment_scores(texts, [REFERENCE]) for texts in (POOR, GOOD)]
    assert losses == sorted((sign * (scores[0] - scores[1])).tolist())[:3]
    assert list(found[0].scores) == ["good", "poor"]
    assert losses[0] < 0


def test_of_several_systems_the_widest_differences_are_shown() -> None:
    """They are those where some system is farthest from the baseline, for better or worse."""
    widest = examples(CHRF(), "good", "poor", "copy")[0]
    distances = [abs(widest.scores[name] - widest.scores["good"]) for name in ("poor", "copy")]
    by_system = [
        abs(CHRF().segment_scores(texts, [REFERENCE]) - CHRF().segment_scores(GOOD, [REFERENCE]))
        for texts in (POOR, REFERENCE)
    ]
    assert max(distances) == max(float(each.max()) for each in by_system)


def test_words_that_no_reference_has_are_bold() -> None:
    """On a terminal the words of a hypothesis that are in none of the references stand out."""
    assert highlight("the cat sat", ("the dog", "a cat")) == "the cat \x1b[1msat\x1b[0m"
    assert highlight("the  cat", ("the cat",)) == "the  cat"


@pytest.mark.parametrize(("trials", "can_fail"), [(39, False), (40, True)])
@pytest.mark.parametrize("test", ["ar", "bs"])
def test_a_gate_on_regressions_takes_enough_trials(test: str, trials: int, can_fail: bool) -> None:
    """With too few trials for any difference to be significant there is an error, with one more a gate."""
    plan: dict[str, Any] = {"test": test, "trials": trials, "regression": True}
    systems = {"good": GOOD, "poor": POOR}
    metrics: list[AnyMetric] = [BLEU(), CHRF()]
    if can_fail:
        assert not evaluate_systems(systems, [REFERENCE], metrics, **plan).passed
        return
    message = f"39 trials cannot make any of 2 tests significant at 0.05 (-p{test}n 40 is enough)"
    with pytest.raises(
        UsageError, match=re.escape(f"--fail-on-regression: the gate could not fail: {message}")
    ):
        evaluate_systems(systems, [REFERENCE], metrics, **plan)


def test_a_ranking_takes_enough_trials() -> None:
    """With too few trials to tell any systems apart a ranking says so; with one more it tells them apart."""
    systems = {"good": GOOD, "poor": POOR, "none": [""] * len(GOOD)}
    plan: dict[str, Any] = {"test": "ar", "all_pairs": True}
    with pytest.warns(UserWarning, match="can tell no systems apart: 59 trials .* 3 tests .*; -parn 60"):
        report = evaluate_systems(systems, [REFERENCE], **plan, trials=59)
    assert [row.rank for row in report.rows] == [(1, 3)] * 3
    report = evaluate_systems(systems, [REFERENCE], **plan, trials=60)
    assert [row.rank for row in report.rows] == [(1, 1), (2, 2), (3, 3)]
