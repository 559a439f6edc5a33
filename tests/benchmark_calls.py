"""Call one scorer in this process and print as JSON what it took: the score, and the CPU seconds of each run.

`python tests/benchmark_calls.py SCORER METRIC RUNS HYPOTHESES REFERENCES` prints null if the scorer is not
installed.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Score = Callable[[list[str], list[str]], float]

ALONE = " alone"
"""Behind a metric's name: score segments one by one, and return their mean."""


def mtscore(metric: str) -> Score:
    """Return mtscore's score of hypotheses against one reference each."""
    return _score(getattr(import_module("mtscore"), metric.removesuffix(ALONE))(), metric)


def sacrebleu(metric: str) -> Score:
    """Return sacreBLEU's."""
    return _score(getattr(import_module("sacrebleu.metrics"), metric.removesuffix(ALONE))(), metric)


def _score(scorer: Any, metric: str) -> Score:
    if not metric.endswith(ALONE):
        return lambda hypotheses, references: scorer.corpus_score(hypotheses, [references]).score
    return lambda hypotheses, references: fmean(
        scorer.sentence_score(line, [reference]).score
        for line, reference in zip(hypotheses, references, strict=True)
    )


def bleuscore(_metric: str) -> Score:
    """Return bleuscore's BLEU."""
    compute: Any = import_module("bleuscore").compute
    return lambda hypotheses, references: 100 * compute([[line] for line in references], hypotheses)["bleu"]


def mojo(metric: str) -> Score:
    """Return sacrebleu-mojo's."""
    score: Any = getattr(import_module("sacrebleu_mojo"), f"corpus_{metric.lower()}")
    return lambda hypotheses, references: score(hypotheses, [references]).score


def nltk(_metric: str) -> Score:
    """Return NLTK's BLEU, of tokens; it counts at least one n-gram for each segment, however short."""
    score: Any = import_module("nltk.translate.bleu_score").corpus_bleu
    split: Any = import_module("mtscore.tokenizers").tokenizer("13a")
    return lambda hypotheses, references: (
        100 * score([[split(line)] for line in references], [split(line) for line in hypotheses])
    )


SCORERS = {
    "mtscore": mtscore,
    "sacreBLEU": sacrebleu,
    "bleuscore": bleuscore,
    "sacrebleu-mojo": mojo,
    "NLTK": nltk,
}


def main(scorer: str, metric: str, runs: int, *files: str) -> None:
    """Score once on a few lines, so that everything is imported, and then as often as asked for."""
    try:
        score = SCORERS[scorer](metric)
    except ImportError:
        print("null")
        return
    hypotheses, references = (Path(file).read_text("utf-8").removesuffix("\n").split("\n") for file in files)
    score(hypotheses[:10], references[:10])
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        value = score(hypotheses, references)
        seconds.append(time.process_time() - start)
    print(json.dumps({"score": value, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
