"""Resampling gives the field's numbers, obeys the laws of tests, and fits into memory."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import read_json, read_lines, shared
from hypothesis import given, settings
from hypothesis import strategies as st

from mtscore import significance
from mtscore.errors import UsageError
from mtscore.metrics.bleu import BLEU
from mtscore.metrics.chrf import CHRF
from mtscore.metrics.ter import TER
from mtscore.results import Interval, Pair
from mtscore.significance import (
    Sample,
    all_pairs,
    approximate_randomisation,
    bootstrap,
    check_alpha,
    check_seed,
    check_trials,
    clusters,
    find_baseline,
    holm,
    interval,
    p_value,
    paired_bootstrap,
    rank_ranges,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from mtscore.arrays import Floats
    from mtscore.metrics.base import Metric

    Options: TypeAlias = tuple[tuple[str, Any], ...]

SEED = 12345

METRICS: dict[str, type[Metric[Any, Any]]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

WITH_TIES = {
    ("wmt17-en-de-paired-004", "BLEU", "same-as-baseline"): 1.0,
    ("wmt17-en-de-paired-008", "BLEU", "same-as-baseline"): 1.0,
    ("wmt17-en-de-paired-007", "TER", "online-B"): 0.5296470352964704,
    ("wmt22-en-de-paired-003", "TER", "Online-W"): 0.12593703148425786,
    ("wmt22-zh-en-paired-003", "TER", "JDExploreAcademy"): 0.00399800099950025,
}
"""The p-values that change when a trial that equals the observed difference counts."""

PAIRED = [
    *(f"wmt17-en-de-paired-00{number}" for number in range(1, 10)),
    *(f"wmt22-{pair}-paired-00{number}" for pair in ("en-de", "zh-en") for number in (1, 2, 3)),
    *(f"wmt21-{pair}-paired-00{number}" for pair in ("en-de", "en-zh") for number in (1, 2, 3)),
]

BOOTSTRAPPED = [
    *(f"wmt17-en-de-paired-00{number}" for number in range(1, 5)),
    *(f"{pair}-paired-001" for pair in ("wmt22-en-de", "wmt22-zh-en", "wmt21-en-de", "wmt21-en-zh")),
]
"""Those of them that are bootstraps; the others are randomisations."""

INTERVALS = [
    *(f"wmt17-en-de-ci-0{number:02}" for number in range(1, 13)),
    *("wmt22-en-de-ci-001", "wmt22-zh-en-ci-001", "wmt21-en-de-ci-001", "wmt21-en-zh-ci-001"),
]


# --- The field's numbers ------------------------------------------------------------------------------------


@cache
def expected() -> dict[str, Any]:
    """Return the oracle's entries by their names."""
    return {entry["id"]: entry for entry in read_json(shared("data", "expected.json"))["entries"]}


@cache
def sample(
    metric: str, options: Options, file: str, references: tuple[str, ...], span: tuple[int | None, ...]
) -> Sample:
    """Return the statistics of a span of lines of the evaluation data."""
    scorer = METRICS[metric](**dict(options))
    streams = [read_lines(shared("data", *name.split("/")))[slice(*span)] for name in (file, *references)]
    return Sample(scorer.statistics(streams[0], scorer.prepare(streams[1:])), scorer.score)


def samples_of(entry: dict[str, Any], metric: dict[str, Any], *files: str) -> list[Sample]:
    """Return the samples of an entry's files under one metric with its options."""
    span = tuple(entry.get("lines", (None,)))
    options = tuple(metric["options"].items())
    return [sample(metric["metric"], options, file, tuple(entry["refs"]), span) for file in files]


def systems_of(entry: dict[str, Any], metric: dict[str, Any]) -> list[Sample]:
    """Return the samples of every system of a paired entry, the baseline first."""
    return samples_of(entry, metric, *(file for _, file in entry["systems"]))


def differences_of(entry: dict[str, Any], samples: list[Sample], pairs: list[tuple[int, int]]) -> Floats:
    """Return the statistic of every trial of an entry's test, before any is counted."""
    if entry["test"] == "ar":
        return significance._randomised_differences(samples, pairs, trials=entry["n_samples"], seed=SEED)
    scores = bootstrap(samples, trials=entry["n_samples"], seed=SEED)
    differences = np.array([np.abs(scores[i] - scores[j]) for i, j in pairs])
    centred: Floats = differences - differences.mean(axis=1, keepdims=True)
    return centred


def p_values_of(entry: dict[str, Any], samples: list[Sample], pairs: list[tuple[int, int]]) -> list[float]:
    """Return the p-values of an entry's test."""
    if entry["test"] == "ar":
        return approximate_randomisation(samples, pairs, trials=entry["n_samples"], seed=SEED)
    scores = bootstrap(samples, trials=entry["n_samples"], seed=SEED)
    return paired_bootstrap(scores, [sample.observed() for sample in samples], pairs)


@pytest.mark.parametrize("name", PAIRED)
def test_a_strict_count_reproduces_every_p_value_of_the_oracle(name: str) -> None:
    """The random streams are the oracle's: with its count of ties every p-value is equal, not only close."""
    entry = expected()[name]
    for metric, rows in zip(entry["metrics"].values(), entry["expected"]["results"].values(), strict=True):
        samples = systems_of(entry, metric)
        observed = [sample.observed() for sample in samples]
        pairs = [(0, system) for system in range(1, len(samples))]
        for row, (i, j), trials in zip(rows[1:], pairs, differences_of(entry, samples, pairs), strict=True):
            beyond = np.count_nonzero(trials > abs(observed[i] - observed[j]) + significance.TIE)
            assert (beyond + 1) / (len(trials) + 1) == row["p_value"], row["system"]


@pytest.mark.parametrize("name", PAIRED)
def test_counting_ties_moves_exactly_the_five_named_p_values(name: str) -> None:
    """Every p-value is the oracle's but for two systems against themselves and three TER tests with ties."""
    entry = expected()[name]
    for metric, rows in zip(entry["metrics"].values(), entry["expected"]["results"].values(), strict=True):
        samples = systems_of(entry, metric)
        pairs = [(0, system) for system in range(1, len(samples))]
        for row, p in zip(rows[1:], p_values_of(entry, samples, pairs), strict=True):
            assert p == WITH_TIES.get((name, metric["metric"], row["system"]), row["p_value"])


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_are_those_of_the_oracle(name: str) -> None:
    """BLEU agrees to 1e-9 with exact sums, and the rest as closely as float32 lets the oracle be."""
    entry = expected()[name]
    samples = samples_of(entry, entry, entry["hyp"])
    got = interval(bootstrap(samples, trials=entry["n_bootstrap"], seed=SEED)[0])
    exact, rounded = entry["expected_numpy1"], entry["expected"]
    if entry["metric"] == "BLEU":
        assert got.mean == pytest.approx(exact["bootstrap_mean"], abs=1e-9)
        assert got.half_width == pytest.approx(exact["bootstrap_ci"], abs=1e-9)
    assert got.mean == pytest.approx(exact["bootstrap_mean"], abs=1e-6)
    assert got.mean == pytest.approx(rounded["bootstrap_mean"], rel=1e-6)
    for oracle in (exact, rounded):
        assert got.half_width == pytest.approx(oracle["bootstrap_ci"], abs=2e-5)


@pytest.mark.parametrize("name", BOOTSTRAPPED)
def test_paired_bootstrap_gives_every_system_its_own_interval(name: str) -> None:
    """The scores that are compared are those of each system's interval, from the same resamples."""
    entry = expected()[name]
    results = zip(
        entry["metrics"].values(),
        entry["expected_numpy1"]["results"].values(),
        entry["expected"]["results"].values(),
        strict=True,
    )
    for metric, exact, rounded in results:
        scores = bootstrap(systems_of(entry, metric), trials=entry["n_samples"], seed=SEED)
        for got, *oracles in zip(map(interval, scores), exact, rounded, strict=True):
            assert got.mean == pytest.approx(oracles[0]["mean"], abs=1e-6)
            assert got.mean == pytest.approx(oracles[1]["mean"], rel=1e-6)
            assert [got.half_width] * 2 == pytest.approx([row["ci"] for row in oracles], abs=2e-5)


@pytest.mark.parametrize(
    ("name", "p"),
    [
        ("paired-identical-ar", 1.0),
        ("paired-identical-bs", 1.0),
        ("paired-far-ar", 1 / 10001),
        ("paired-one-line-differs-ar", 1.0),
        ("paired-one-line-differs-bs", 0.1258741258741259),
    ],
)
def test_what_users_complained_about_is_right(name: str, p: float) -> None:
    """Equal systems have p = 1, and so have systems that differ in one segment: every swap is a tie."""
    case = next(case for case in read_json(shared("cases.json")) if case["id"] == name)
    bleu = BLEU()
    prepared = bleu.prepare(case["refs"])
    samples = [Sample(bleu.statistics(lines, prepared), bleu.score) for lines in (case["hyp"], case["hyp2"])]
    options = {"test": case["options"]["paired"], "n_samples": case["options"]["trials"]}
    assert p_values_of(options, samples, [(0, 1)]) == [p]


@pytest.mark.parametrize(
    ("metric", "half_widths", "p_values"),
    [
        ("BLEU", [0.9, 0.9, 0.8, 1.2, 0.9], [0.6683, 0.0010, 0.0010, 0.5664]),
        ("CHRF", [0.7, 0.7, 0.7, 0.9, 0.7], [0.0010, 0.0010, 0.0010, 0.0010]),
    ],
)
def test_a_table_of_wmt22_zh_en_comes_out(
    metric: str, half_widths: list[float], p_values: list[float]
) -> None:
    """Five submissions with 1,000 trials and resamples have the values known for them."""
    names = ["HuaweiTSC", "AISP-SJTU", "DLUT", "JDExploreAcademy", "Online-G"]
    files = [f"wmt22/zh-en/hyp.{name}.en" for name in names]
    samples = [sample(metric, (), file, ("wmt22/zh-en/ref.A.en",), (None,)) for file in files]
    spread = [interval(scores) for scores in bootstrap(samples, trials=1000, seed=SEED)]
    assert [round(one.half_width, 1) for one in spread] == half_widths
    p = approximate_randomisation(samples, [(0, other) for other in (1, 2, 3, 4)], trials=1000, seed=SEED)
    assert [round(value, 4) for value in p] == p_values


# --- The random streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize("segments", [1, 7, 32, 101, 3004])
def test_blocks_of_masks_are_one_stream(segments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Masks drawn in blocks are those of one call, whatever the number of segments."""
    monkeypatch.setattr(significance, "BLOCK", 40 * segments)
    blocks = list(significance.masks(segments, 100, SEED))
    whole = np.random.default_rng(SEED).integers(2, size=(100, segments), dtype=bool)
    assert [rows for rows, _ in blocks] == [slice(0, 32), slice(32, 64), slice(64, 96), slice(96, 100)]
    assert np.array_equal(np.concatenate([mask for _, mask in blocks]), whole)


@pytest.mark.parametrize("segments", [1, 7, 32, 101, 3004])
def test_blocks_of_resamples_are_one_stream(segments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights drawn in blocks count the indices of one call."""
    monkeypatch.setattr(significance, "BLOCK", 40 * segments)
    counts = np.concatenate([block for _, block in significance._resamples(segments, 100, SEED)])
    indices = np.random.default_rng(SEED).choice(segments, size=(100, segments), replace=True)
    assert np.array_equal(counts, [np.bincount(row, minlength=segments) for row in indices])


def share(values: Floats) -> Floats:
    """Score statistics (matches, length), as per cent."""
    score: Floats = 100 * (values[..., 0] / values[..., 1])
    return score


def made_up(*, systems: int, segments: int, seed: int) -> list[Sample]:
    """Return samples of the share of matches, made up."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 40, size=segments)
    return [
        Sample(np.column_stack([rng.binomial(lengths, 0.3), lengths]).astype(np.float64), share)
        for _ in range(systems)
    ]


def test_company_moves_no_number() -> None:
    """A system has the same p-value and the same interval alone with the baseline and among others."""
    a, b, c = made_up(systems=3, segments=50, seed=1)
    alone = approximate_randomisation([a, c], [(0, 1)], trials=200, seed=SEED)
    among = approximate_randomisation([a, b, c], [(0, 1), (0, 2)], trials=200, seed=SEED)
    assert among[1:] == alone
    scores = bootstrap([a, b, c], trials=200, seed=SEED)
    assert np.array_equal(scores[2:], bootstrap([c], trials=200, seed=SEED))


def test_fewer_resamples_are_the_first_of_more() -> None:
    """One drawing serves an interval and a test that ask for different numbers of resamples."""
    samples = made_up(systems=2, segments=50, seed=2)
    more = bootstrap(samples, trials=200, seed=SEED)
    assert np.array_equal(more[:, :70], bootstrap(samples, trials=70, seed=SEED))


def test_the_seed_moves_the_numbers_and_zero_is_a_seed() -> None:
    """A seed always gives the same scores, another seed gives others, and 0 is like any other."""
    samples = made_up(systems=1, segments=50, seed=3)
    scores = [bootstrap(samples, trials=50, seed=seed).tolist() for seed in (0, 0, 1)]
    assert scores[0] == scores[1] != scores[2]


def test_progress_ends_at_the_number_of_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The callback hears after every block how many trials are done, and how many there will be."""
    monkeypatch.setattr(significance, "BLOCK", 64 * 50)
    samples = made_up(systems=2, segments=50, seed=4)
    heard: list[tuple[int, int]] = []
    approximate_randomisation(
        samples, [(0, 1)], trials=150, seed=SEED, progress=lambda *done: heard.append(done)
    )
    bootstrap(samples, trials=100, seed=SEED, progress=lambda *done: heard.append(done))
    assert heard == [(64, 150), (128, 150), (150, 150), (64, 100), (100, 100)]


# --- Laws of tests ------------------------------------------------------------------------------------------


def test_randomisation_converges_to_the_permutation_test() -> None:
    """With many trials the p-value is the share of all swaps that reach the observed difference."""
    a, b = made_up(systems=2, segments=9, seed=5)
    observed = abs(a.observed() - b.observed())
    masks = np.array(list(product([0.0, 1.0], repeat=9)))
    one = masks @ a.statistics + (1 - masks) @ b.statistics
    other = masks @ b.statistics + (1 - masks) @ a.statistics
    exact = np.mean(np.abs(share(one) - share(other)) >= observed - significance.TIE)
    assert 0.05 < exact < 0.95
    p = approximate_randomisation([a, b], [(0, 1)], trials=20_000, seed=SEED)
    assert p == pytest.approx([exact], abs=0.01)


@settings(deadline=None, max_examples=40)
@given(segments=st.integers(1, 40), trials=st.integers(1, 80), seed=st.integers(0, 2**32))
def test_a_p_value_is_above_zero_and_at_most_one(segments: int, trials: int, seed: int) -> None:
    """Both tests give a probability that no number of trials takes to 0, in both directions the same."""
    samples = made_up(systems=2, segments=segments, seed=seed)
    there, back = approximate_randomisation(samples, [(0, 1), (1, 0)], trials=trials, seed=seed)
    scores = bootstrap(samples, trials=trials, seed=seed)
    observed = [sample.observed() for sample in samples]
    boot_there, boot_back = paired_bootstrap(scores, observed, [(0, 1), (1, 0)])
    assert 1 / (trials + 1) <= there == back <= 1
    assert 1 / (trials + 1) <= boot_there == boot_back <= 1


@settings(deadline=None, max_examples=40)
@given(segments=st.integers(1, 40), seed=st.integers(0, 2**32), references=st.integers(1, 7))
def test_a_system_against_itself_has_p_1(segments: int, seed: int, references: int) -> None:
    """Equal systems never differ, even where mean lengths are no binary fractions."""
    statistics = made_up(systems=1, segments=segments, seed=seed)[0].statistics / [1, references]
    same = [Sample(statistics, share), Sample(statistics.copy(), share)]
    scores = bootstrap(same, trials=40, seed=seed)
    assert approximate_randomisation(same, [(0, 1)], trials=40, seed=seed) == [1.0]
    assert paired_bootstrap(scores, [sample.observed() for sample in same], [(0, 1)]) == [1.0]


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), references=st.sampled_from([1, 2, 3, 6, 7]))
def test_mean_reference_lengths_keep_ties_exact(seed: int, references: int) -> None:
    """TER of several references has the p-value of exact fractions, although mean lengths are rounded."""
    rng = np.random.default_rng(seed)
    edits = rng.integers(0, 4, size=(2, 12))
    lengths = rng.integers(references, 9 * references, size=12)
    total = Fraction(int(lengths.sum()), references)
    observed = abs(Fraction(int(edits[0].sum() - edits[1].sum())) / total)
    masks = np.random.default_rng(SEED).integers(2, size=(300, 12), dtype=bool)
    signed = np.where(masks, edits[0] - edits[1], edits[1] - edits[0]).sum(axis=1)
    reached = sum(abs(Fraction(int(difference)) / total) >= observed for difference in signed)
    samples = [Sample(np.column_stack([row, lengths / references]), share) for row in edits]
    p = approximate_randomisation(samples, [(0, 1)], trials=300, seed=SEED)
    assert p == [(reached + 1) / 301]


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_weights_follow_their_segments(seed: int) -> None:
    """Permuting the segments and the weights alike changes no resample."""
    one = made_up(systems=1, segments=20, seed=seed)[0]
    (_, weights), *_ = significance._resamples(20, 16, seed)
    order = np.random.default_rng(seed).permutation(20)
    permuted = share(weights[:, order] @ one.statistics[order])
    assert np.array_equal(permuted, bootstrap([one], trials=16, seed=seed)[0])


def test_ties_count_and_larger_differences_count_too() -> None:
    """The p-value counts trials that reach the observed difference, and the observation as one trial more."""
    assert p_value(np.array([0.5, 1.0, 1.0 - 1e-12, 2.0]), 1.0) == 4 / 5


def test_an_interval_drops_a_fortieth_at_each_end() -> None:
    """Of 80 scores the bounds are the third and the third from the end; of fewer than 40 the extremes."""
    scores = np.arange(80.0)[::-1] ** 2
    assert interval(scores) == Interval(mean=2093.5, half_width=2962.5, low=4.0, high=5929.0)
    assert interval(np.array([1.0, 2.0, 6.0])) == Interval(mean=3.0, half_width=2.5, low=1.0, high=6.0)


# --- Many systems -------------------------------------------------------------------------------------------

SHARES = st.lists(st.floats(1e-6, 1.0), max_size=12)


def test_holm_corrects_the_textbook_example() -> None:
    """The smallest of four p-values counts four times, the next three times, and none overtakes another."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == [1.0, 1.0]


@given(SHARES)
def test_holm_is_monotone_and_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    """Corrected values keep the order, are no smaller than the plain ones and no larger than Bonferroni's."""
    corrected = holm(p_values)
    ranked = sorted(zip(p_values, corrected, strict=True))
    assert [p for _, p in ranked] == sorted(corrected)
    for plain, one in zip(p_values, corrected, strict=True):
        assert plain <= one <= min(1.0, plain * len(p_values))


@given(SHARES, st.floats(0.001, 0.5))
def test_holm_rejects_what_its_definition_rejects(p_values: list[float], alpha: float) -> None:
    """Stepping down from the smallest, hypotheses are rejected until one exceeds alpha over those left."""
    ascending = sorted(p_values)
    steps = [p * (len(ascending) - at) < alpha for at, p in enumerate(ascending)]
    rejected = steps.index(False) if False in steps else len(steps)
    assert sum(p < alpha for p in holm(p_values)) == rejected


def pairs_of(scores: dict[str, float], *, same: Sequence[set[str]] = ()) -> list[Pair]:
    """Return all pairs of systems, significant but for those that are named the same."""
    p_values = [0.9 if {a, b} in same else 0.0001 for a, b in combinations(scores, 2)]
    return all_pairs("BLEU", scores, p_values)


def test_every_pair_is_corrected_over_all_pairs() -> None:
    """A pair has its plain and its corrected p-value and the second system's lead over the first."""
    pairs = all_pairs("BLEU", {"A": 30.0, "B": 28.5, "C": 31.0}, [0.04, 0.5, 0.01])
    assert [(pair.a, pair.b, pair.delta) for pair in pairs] == [
        ("A", "B", -1.5),
        ("A", "C", 1.0),
        ("B", "C", 2.5),
    ]
    assert [pair.p_value for pair in pairs] == [0.04, 0.5, 0.01]
    assert [pair.p_holm for pair in pairs] == pytest.approx([0.08, 0.5, 0.03])


def test_a_rule_stands_only_where_all_above_beat_all_below() -> None:
    """One pair that does not differ joins all systems between its two."""
    scores = {"A": 30.0, "B": 33.0, "C": 29.0, "D": 31.0, "E": 25.0}
    found = clusters("BLEU", "higher", scores, pairs_of(scores, same=[{"C", "D"}]), 0.05)
    assert [(cluster.rank, cluster.systems) for cluster in found] == [
        (1, ("B",)),
        (2, ("D", "A", "C")),
        (5, ("E",)),
    ]
    assert {cluster.name for cluster in found} == {"BLEU"}


def test_a_range_of_ranks_leaves_room_for_the_significantly_better_and_worse() -> None:
    """A system may hold any rank below those that beat it and above those that it beats."""
    scores = {"A": 30.0, "B": 33.0, "C": 29.0, "D": 31.0, "E": 25.0}
    ranges = rank_ranges(list(scores), "higher", pairs_of(scores, same=[{"C", "D"}, {"A", "C"}]), 0.05)
    assert ranges == {"A": (3, 4), "B": (1, 1), "C": (2, 4), "D": (2, 3), "E": (5, 5)}


def test_a_p_value_at_the_level_is_not_significant() -> None:
    """Where the corrected p-value equals alpha, neither system is better."""
    scores = {"A": 30.0, "B": 33.0}
    pairs = all_pairs("BLEU", scores, [0.05])
    assert rank_ranges(list(scores), "higher", pairs, 0.05) == {"A": (1, 2), "B": (1, 2)}
    assert len(clusters("BLEU", "higher", scores, pairs, 0.05)) == 1


def test_lower_is_better_for_error_rates() -> None:
    """Under TER the system with the lowest score comes first."""
    scores = {"A": 60.0, "B": 50.0, "C": 55.0}
    pairs = pairs_of(scores)
    found = clusters("TER", "lower", scores, pairs, 0.05)
    assert [cluster.systems for cluster in found] == [("B",), ("C",), ("A",)]
    assert rank_ranges(list(scores), "lower", pairs, 0.05) == {"A": (3, 3), "B": (1, 1), "C": (2, 2)}


def test_systems_that_do_not_differ_are_one_cluster() -> None:
    """Without any significant pair all systems share rank 1 and may hold every rank."""
    scores = {"A": 30.0, "B": 33.0, "C": 29.0}
    pairs = all_pairs("BLEU", scores, [0.3, 0.4, 0.5])
    (only,) = clusters("BLEU", "higher", scores, pairs, 0.05)
    assert (only.rank, only.systems) == (1, ("B", "A", "C"))
    assert set(rank_ranges(list(scores), "higher", pairs, 0.05).values()) == {(1, 3)}


# --- Memory -------------------------------------------------------------------------------------------------


def peak_mib(call: Any) -> float:
    """Return the most memory that a call held, in MiB."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_ten_thousand_resamples_fit_into_100_mib() -> None:
    """Resampling 3,004 segments of 18 statistics 10,000 times holds blocks, not all weights (230 MiB)."""
    values = np.random.default_rng(0).integers(1, 300, size=(3004, 18)).astype(np.float64)
    one = Sample(values, share)
    assert peak_mib(lambda: bootstrap([one], trials=10_000, seed=SEED)) < 100


def test_memory_does_not_grow_with_trials() -> None:
    """On 100,000 segments 320 trials need what 32 need, and both stay under 150 MiB."""
    samples = made_up(systems=2, segments=100_000, seed=6)
    few, many = (
        peak_mib(lambda trials=trials: approximate_randomisation(samples, [(0, 1)], trials=trials, seed=SEED))
        for trials in (32, 320)
    )
    assert many < few + 40
    assert many < 150


# --- What makes no sense ------------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [0, -1, -10_000, 10_000_001, 10**18, 2.5, None])
def test_trials_are_a_number_that_makes_sense(trials: Any) -> None:
    """Too few trials, and more than the memory has room for, are an error that names the option."""
    message = f"^-parn: the number of trials must be a whole number from 1 to 10000000, not {trials}$"
    with pytest.raises(UsageError, match=message):
        check_trials(trials, "-parn")
    check_trials(1, "-parn")
    check_trials(10_000_000, "-parn")


@pytest.mark.parametrize("seed", [-1, "abc", 1.5, None])
def test_a_seed_is_a_whole_number_from_zero_up(seed: object) -> None:
    """Anything else is an error that repeats the value."""
    with pytest.raises(
        UsageError, match=rf"^--seed: the seed must be a whole number from 0 up, not {seed!r}$"
    ):
        check_seed(seed)
    check_seed(0)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.05, 5.0, float("nan")])
def test_alpha_lies_between_zero_and_one(alpha: float) -> None:
    """A level of 0, 1, beyond, or no number at all is an error."""
    with pytest.raises(UsageError, match=r"^--alpha: the level must lie between 0 and 1, not "):
        check_alpha(alpha)
    check_alpha(0.05)


def test_the_baseline_is_the_first_system_unless_named() -> None:
    """A name selects the baseline; an unknown name is answered with the closest or all names."""
    systems = ["uedin-nmt", "xmu", "online-B"]
    assert find_baseline(systems) == 0
    assert find_baseline(systems, "online-B") == 2
    with pytest.raises(
        UsageError, match=r"^--baseline: no system is called online-C \(did you mean online-B\?\)"
    ):
        find_baseline(systems, "online-C")


def test_a_comparison_needs_two_systems() -> None:
    """One system cannot be compared."""
    with pytest.raises(UsageError, match="a comparison needs at least two systems"):
        find_baseline(["xmu"])
