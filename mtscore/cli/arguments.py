"""Rewrite a `score` command line by mtscore's grammar into one that click reads.

The field writes `-i a b c` and `-m bleu chrf`: options that take all words up to the next option. Here they
become one option a word, and reference files, which may stand anywhere, go to the end. A pure function of
the words, so that every rule can be tested without a file.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtscore.errors import UsageError, closest
from mtscore.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

INPUT, METRIC = "--input", "--metrics"
REFERENCE_OPTIONS = {"-r", "--reference", "-t", "--test-set", "--like-report"}


@dataclass(slots=True)
class _Sorted:
    """Collect the words of a command line by what they are."""

    options: list[str] = field(default_factory=list)
    inputs: list[list[str]] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    has_reference: bool = False


def rewrite(
    words: Sequence[str], arity: Mapping[str, int], is_file: Callable[[str], bool] = lambda _: False
) -> list[str]:
    """Return the command line with every option's words made single.

    Args:
        words: the command line without the program and the command.
        arity: for each spelling of an option the number of words it takes, -1 for all up to the next option.
        is_file: tells a reference from a misspelt metric behind `-m`.

    Raises:
        UsageError: if an option lacks its value, a metric is unknown, or it is not clear which file is the
            reference.
    """
    sorted_words = _sort(words, arity, is_file)
    _find_reference(sorted_words)
    inputs = [word for group in sorted_words.inputs for name in group for word in (INPUT, name)]
    return [*sorted_words.options, *inputs, "--", *sorted_words.positional]


def _sort(words: Sequence[str], arity: Mapping[str, int], is_file: Callable[[str], bool]) -> _Sorted:
    found = _Sorted()
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word == "--":
            found.positional += rest
            break
        if not _is_option(word):
            found.positional.append(word)
            continue
        for name, attached in _options_in(word, arity):
            found.has_reference = found.has_reference or name in REFERENCE_OPTIONS
            takes = arity.get(name, 0)
            if takes < 0:
                _take_all(found, name, [attached] if attached else _up_to_option(rest), is_file)
            elif attached is not None:
                found.options += [name, attached] if takes else [f"{name}={attached}"]
            elif takes and not rest:
                raise UsageError(f"{name} needs a value")
            else:
                found.options += [name, rest.popleft()] if takes else [name]
    return found


def _take_all(found: _Sorted, name: str, values: list[str], is_file: Callable[[str], bool]) -> None:
    if name in {"-i", INPUT}:
        if not values:
            raise UsageError("-i/--input needs at least one file", hint="`-i -` is standard input")
        found.inputs.append(values)
    elif name in {"-m", METRIC}:
        metrics, files = _split_metrics(values, is_file)
        found.options += [word for metric in metrics for word in (METRIC, metric)]
        found.positional += files
    else:
        found.options += [word for value in values for word in (name, value)]


def _split_metrics(values: list[str], is_file: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """Return the metrics, and the files that follow them."""
    metrics = [value for value in values if value.lower() in METRICS]
    others = [value for value in values if value.lower() not in METRICS]
    if not metrics and not others:
        raise UsageError("-m/--metrics needs at least one metric", hint=f"known: {', '.join(METRICS)}")
    for word in others:
        if not metrics or not is_file(word):
            raise UsageError(f"-m/--metrics: unknown metric {word!r}", hint=closest(word.lower(), METRICS))
    return metrics, others


def _find_reference(words: _Sorted) -> None:
    """Take the last word behind `-i` as the reference if it can only be that."""
    if words.has_reference or words.positional or not words.inputs:
        return
    *others, last = words.inputs
    if len(last) == 2 and all(len(group) == 1 for group in others):  # noqa: PLR2004  # system, reference
        words.positional.append(last.pop())
    elif len(last) > 1:
        files = " ".join(last)
        raise UsageError(
            "no reference",
            hint=f"either `{last[-1]} -i {' '.join(last[:-1])}` if the last file is the reference, "
            f"or `REFERENCE -i {files}`",
        )


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


def _up_to_option(rest: deque[str]) -> list[str]:
    """Take the words up to the next option from the words that are left."""
    taken = []
    while rest and not _is_option(rest[0]):
        taken.append(rest.popleft())
    return taken


def _options_in(word: str, arity: Mapping[str, int]) -> list[tuple[str, str | None]]:
    """Return the options in one word, each with the value that is attached to it.

    >>> _options_in("--width=2", {"--width": 1}), _options_in("-bw2", {"-b": 0, "-w": 1})
    ([('--width', '2')], [('-b', None), ('-w', '2')])
    """
    name, equals, value = word.partition("=")
    if name.startswith("--") or name in arity:
        return [(name, value if equals else None)]
    if word[:2] not in arity:
        return [(word, None)]
    options: list[tuple[str, str | None]] = []
    for index, letter in enumerate(word[1:], 2):
        attached = word[index:] if arity.get(f"-{letter}") else ""
        options.append((f"-{letter}", attached or None))
        if attached:
            break
    return options
