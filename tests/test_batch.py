"""Batches: lines kept as one text are the same sequence of strings as a list of them."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtscore.batch import SPACES, Batch, find_newlines, joined
from mtscore.metrics.bleu import BLEU
from mtscore.metrics.chrf import CHRF
from mtscore.metrics.ter import TER

if TYPE_CHECKING:
    from mtscore.metrics.base import Metric

some_lines = st.lists(st.text(st.sampled_from("aB .&<\r\x85\u3000ü中😀")), max_size=6)


@given(some_lines)
def test_sequence(lines: list[str]) -> None:
    """A batch has the length, the lines and the text of the list that it was made of, and equals it."""
    batch = Batch.of(lines)
    assert len(batch) == len(lines)
    assert list(batch) == lines
    assert batch == lines
    assert batch == Batch.of(lines)
    assert [batch[number] for number in range(-len(lines), 0)] == lines
    assert batch[1:3] == lines[1:3]
    assert joined(batch) == joined(lines) == "\n".join(lines)
    assert all(line in batch for line in lines)
    assert None not in batch
    assert batch != [*lines, ""]


@given(some_lines)
def test_from_bytes(lines: list[str]) -> None:
    """A batch of bytes, sent to another process or not, is the batch of their lines."""
    data = "".join(f"{line}\n" for line in lines).encode()
    batch = Batch(data, find_newlines(data))
    assert batch == lines
    again = pickle.loads(pickle.dumps(batch))  # noqa: S301  # our own bytes
    assert isinstance(again, Batch)
    assert again.data == data
    assert list(again) == lines


@given(some_lines)
def test_facts_about_lines(lines: list[str]) -> None:
    """What arrays tell about lines is what the lines tell."""
    batch = Batch.of(lines)
    assert batch.are_empty().tolist() == [not line for line in lines]
    assert batch.may_end_in_space() or not any(line[-1:].isspace() for line in lines)
    encoded = [line.encode() for line in lines]
    last, before = batch.bytes_before_end(1).tolist(), batch.bytes_before_end(2).tolist()
    assert [byte for byte, line in zip(last, encoded, strict=True) if line] == [
        line[-1] for line in encoded if line
    ]
    assert [byte for byte, line in zip(before, encoded, strict=True) if len(line) > 1] == [
        line[-2] for line in encoded if len(line) > 1
    ]


def test_lone_surrogates() -> None:
    """Text that cannot be encoded strictly goes through a batch unharmed."""
    assert list(Batch.of(["a\ud800", "\udfff"])) == ["a\ud800", "\udfff"]


def test_white_space() -> None:
    """The list of white space is complete for every version of Unicode that Python may have."""
    assert sorted(SPACES) == [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    assert [chr(code).split() for code in map(ord, SPACES)] == [[]] * len(SPACES)


@pytest.mark.parametrize("metric", [BLEU(), BLEU(tokenize="zh", lowercase=True), CHRF(word_order=2), TER()])
@given(
    st.lists(st.tuples(*[st.text(st.sampled_from("aB .&<;lt\r\x85\u3000ü中😀"))] * 3), min_size=1, max_size=6)
)
def test_metrics(metric: Metric[Any, Any], rows: list[tuple[str, str, str]]) -> None:
    """Every metric gives batches the statistics that it gives lists."""
    hypotheses, *references = (list(lines) for lines in zip(*rows, strict=True))
    for count in (1, 2):
        as_lists = metric.statistics(hypotheses, metric.prepare(references[:count]))
        batches = [Batch.of(lines) for lines in references[:count]]
        assert np.array_equal(metric.statistics(Batch.of(hypotheses), metric.prepare(batches)), as_lists)
