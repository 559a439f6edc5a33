"""`mtscore perplexity`: of texts under a model whose log-probabilities are given, or under n-gram models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from mtscore.cli import DONE, NO, stdin
from mtscore.cli.diagnostics import Output, output_options, read_text
from mtscore.cli.layout import lay_out, without_columns
from mtscore.cli.options import Command, argument, grouped, one_of
from mtscore.errors import UsageError, counted
from mtscore.report.rows import message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtscore.diagnostics.perplexity import OutOfVocabulary, Perplexity, Vocabulary

EXAMPLES = """
mtscore perplexity model.lp
mtscore perplexity a.lp b.lp --text dev.txt --vocabulary vocab.txt
mtscore perplexity model.lp --base 2 --text dev.txt --unit char -sl
mtscore perplexity --train train.txt dev.txt --order 3 --smoothing kneser-ney --unk-cutoff 2
"""

values, training = grouped("Log-probabilities"), grouped("N-gram models (needs the extra lm)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Hold the options as the user gave them."""

    files: tuple[str, ...]
    base: str
    probabilities: bool
    eos: Any
    unit: Any
    text: tuple[str, ...]
    vocabulary: tuple[str, ...]
    sentence_level: bool
    train: str | None
    order: int
    smoothing: str
    smoothing_value: float | None
    unk_cutoff: int


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one perplexity with the file it belongs to; `order` and `smoothing` are those of an n-gram model.

    `reference` is what it is compared with: the first of its kind, None for that itself.
    """

    file: str
    result: Perplexity
    order: int | None = None
    smoothing: str | None = None
    reference: Perplexity | None = None

    @property
    def reasons(self) -> list[str]:
        """Return why it must not be compared with its reference."""
        from mtscore.diagnostics.perplexity import differences  # noqa: PLC0415

        return [] if self.reference is None else differences(self.reference, self.result)


@click.command(
    cls=Command,
    name="perplexity",
    examples=EXAMPLES,
    help="""How well does a language model predict a text?

    FILES hold the model's log-probability of each token, separated by blanks, a line a segment. Perplexity
    is the exponential of the mean negative log-probability over all tokens of the corpus. With --text also
    per word and per character, and in bits per character. Several files are set side by side, and the exit
    code is 1 if they must not be compared: their tokens, their vocabularies or the counting of </s> differ.

    A word is what white space separates; a character is a code point, blanks included; </s> is the end of a
    segment and, where it counts, one more unit of each. A word is out of vocabulary (OOV) if --vocabulary
    lacks it or it is <unk>; the vocabulary is closed for a text if it has every word, open if not. Models
    are comparable only over one vocabulary: one that knows fewer words has less to choose from.

    With --train, FILES are texts, and n-gram models of every order up to --order, trained on another text,
    are compared on them. In JSON an infinite perplexity is null.
    """,
)
@argument("files", nargs=-1, metavar="FILES...")
@values("--base", default="e", metavar="e|2|10", help="Base of the logarithms (e); it moves no perplexity.")
@values("--probabilities", is_flag=True, help="Values are probabilities from 0 to 1, not logarithms.")
@values(
    "--eos",
    default="counted",
    callback=one_of(["counted", "dropped", "absent"]),
    metavar="counted|dropped|absent",
    help="counted: the last value of a line is that of </s>, and counts (default); dropped: it is left out;"
    " absent: there is no </s>.",
)
@values(
    "--unit",
    default="token",
    callback=one_of(["token", "word", "char"]),
    metavar="token|word|char",
    help="What the perplexity is per (token).",
)
@values("--text", multiple=True, metavar="FILE", help="The text; one for all FILES, or one each.")
@values(
    "--vocabulary", multiple=True, metavar="FILE", help="The model's words, one a line; for all, or each."
)
@values("-sl", "--sentence-level", is_flag=True, help="The perplexity of each segment instead.")
@training("--train", metavar="FILE", help="Text to train on, words separated by blanks.")
@training("--order", type=int, default=3, metavar="N", help="Longest n-grams (3); kneser-ney starts with 2.")
@training(
    "--smoothing",
    default="laplace",
    metavar="NAME",
    help="mle, laplace (default), lidstone, kneser-ney, witten-bell, absolute-discounting, stupid-backoff.",
)
@training("--smoothing-value", type=float, metavar="X", help="Its added count, discount or factor.")
@training(
    "--unk-cutoff", type=int, default=1, metavar="K", help="Words seen less than K times are <UNK> (1)."
)
@output_options
def command(output: Output, **options: Any) -> int:
    """Compute perplexities."""
    asked = Options(**options)
    _check(asked)
    rows = list(_trained(asked, output) if asked.train else _given(asked, output))
    comparable = not any(row.reasons for row in rows)
    notices = {(notice.file, notice.text): notice for row in reversed(rows) for notice in row.result.notices}
    output.show(
        lambda: _text(rows, asked, output), lambda: _json(rows, asked, output), list(notices.values())
    )
    return DONE if comparable else NO


def _check(asked: Options) -> None:
    if not asked.files:
        raise UsageError(
            "no file", hint="mtscore perplexity FILE, with a line of log-probabilities a segment"
        )
    stdin.check([*asked.files, *asked.text, *asked.vocabulary, asked.train], "lines")
    for option, named in (("--text", asked.text), ("--vocabulary", asked.vocabulary)):
        if len(named) not in (0, 1, len(asked.files)):
            raise UsageError(
                f"{len(named)} for {len(asked.files)} files: give one, or one each", where=option
            )
    unused = {"--text": asked.text, "--vocabulary": asked.vocabulary, "--probabilities": asked.probabilities}
    if asked.train and (wrong := [option for option, given in unused.items() if given]):
        raise UsageError("with --train, FILES are texts and the model is trained here", where=wrong[0])
    if asked.train and asked.eos == "dropped":
        raise UsageError("a model is trained with </s> counted, or with --eos absent", where="--eos")


def _given(asked: Options, output: Output) -> Iterator[Row]:
    """Yield a row a file of log-probabilities; all are compared with the first."""
    from mtscore.diagnostics.perplexity import parse_logprobs, parse_vocabulary, perplexity  # noqa: PLC0415

    texts = [read_text(path, output) for path in asked.text]
    vocabularies: list[Vocabulary] = [
        parse_vocabulary(read_text(path, output), path) for path in asked.vocabulary
    ]
    first = None
    for index, path in enumerate(asked.files):
        result = perplexity(
            parse_logprobs(read_text(path, output), path),
            base=asked.base,
            probabilities=asked.probabilities,
            end_of_sentence=asked.eos,
            unit=asked.unit,
            texts=texts[index % len(texts)] if texts else None,
            vocabulary=vocabularies[index % len(vocabularies)] if vocabularies else None,
            name=path,
        )
        yield Row(path, result, reference=first)
        first = first or result


def _trained(asked: Options, output: Output) -> Iterator[Row]:
    """Yield a row a text and model; models are compared on the same text."""
    from mtscore.diagnostics.ngram_models import train  # noqa: PLC0415

    models = train(
        read_text(asked.train or "", output),
        asked.order,
        asked.smoothing,
        value=asked.smoothing_value,
        cutoff=asked.unk_cutoff,
        ends=asked.eos == "counted",
        name=asked.train or "",
    )
    for path in asked.files:
        text = read_text(path, output)
        first = None
        for model in models:
            result = model.perplexity(text, unit=asked.unit, name=path)
            yield Row(path, result, order=model.order, smoothing=model.label, reference=first)
            first = first or result


def _text(rows: Sequence[Row], asked: Options, output: Output) -> list[str]:
    if asked.sentence_level:
        return _segment_lines(rows, output)
    if len(rows) == 1:
        return _only_row(rows[0], output)
    columns = ["file", "order", "perplexity", "per word", "per char", "bits/char", "tokens", "OOV"]
    cells = [_cells(row, output) for row in rows]
    smoothing = f", {rows[0].smoothing}" if rows[0].smoothing else ""
    signatures = list(dict.fromkeys(output.signature(row.result.signature) for row in rows))
    return [
        f"Perplexity per {rows[0].result.unit}, {_eos(rows[0])}{smoothing}",
        "",
        *lay_out(*without_columns(columns, cells)),
        "",
        *_verdict(rows),
        *signatures,
    ]


def _cells(row: Row, output: Output) -> dict[str, str]:
    result = row.result
    cells = {
        "file": row.file,
        "perplexity": output.number(result.score, 2),
        "tokens": f"{result.total('token')}",
    }
    if row.order is not None:
        cells["order"] = str(row.order)
    if "char" in result.counts:
        if row.order is None:  # the tokens of n-gram models are words
            cells["per word"] = output.number(result.per("word"), 2)
        cells["per char"] = output.number(result.per("char"), 3)
        cells["bits/char"] = output.number(result.bits_per_character, 3)
    if result.out_of_vocabulary is not None:
        cells["OOV"] = output.number(result.out_of_vocabulary.rate, 2, percent=True)
    return cells


def _only_row(row: Row, output: Output) -> list[str]:
    """Return the score line of one perplexity, and what else is known below it."""
    result = row.result
    tokens, segments = counted(result.total("token"), "token"), counted(len(result.nats), "segment")
    count = f"({tokens}, {segments}, {_eos(row)})"
    lines = [f"{output.signature(result.signature)} = {output.number(result.score, 2)} {count}"]
    if "char" in result.counts:
        numbers = {
            "per token": output.number(result.per("token"), 2),
            "per word": output.number(result.per("word"), 2),
            "per character": output.number(result.per("char"), 3),
            "bits per character": output.number(result.bits_per_character, 3),
        }
        lines.append(", ".join(f"{what} {number}" for what, number in numbers.items()))
    return [*lines, *_unknown_words(result.out_of_vocabulary, output)]


def _unknown_words(unknown: OutOfVocabulary | None, output: Output) -> list[str]:
    if unknown is None:
        return []
    rate = output.number(unknown.rate, 2, percent=True)
    words = ", ".join(f"{word} ({count})" for word, count in unknown.words.items())
    line = f"{unknown.kind} vocabulary: {unknown.count} of {unknown.total} words are unknown ({rate})"
    return [line, *([f"most frequent: {words}"] if words else [])]


def _eos(row: Row) -> str:
    from mtscore.diagnostics.perplexity import END_OF_SENTENCE  # noqa: PLC0415

    return END_OF_SENTENCE[row.result.end_of_sentence]


def _verdict(rows: Sequence[Row]) -> list[str]:
    """Return whether the perplexities may be compared, in lines."""
    first, vocabulary = rows[0].file, rows[0].result.vocabulary
    refused = [
        f"NOT comparable: {row.file} with {first}: {'; '.join(row.reasons)}" for row in rows if row.reasons
    ]
    if refused:
        return [*refused, ""]
    if vocabulary is None:
        return ["Comparable only if all models have the same vocabulary (--vocabulary FILE).", ""]
    where = "" if rows[0].order is None else " on the same file"
    return [f"Comparable{where}: same units, same vocabulary ({vocabulary.digest}).", ""]


def _segment_lines(rows: Sequence[Row], output: Output) -> list[str]:
    head = ["file", "order", "segment", "tokens", "perplexity"]
    cells = [
        {
            "file": row.file,
            **({} if row.order is None else {"order": str(row.order)}),
            "segment": str(segment),
            "tokens": str(tokens),
            "perplexity": output.number(score, 2),
        }
        for row in rows
        for segment, tokens, score in _segments(row)
    ]
    signatures = dict.fromkeys(output.signature(row.result.signature) for row in rows)
    return [*lay_out(*without_columns(head, cells)), "", *_verdict(rows)[: len(rows) > 1], *signatures]


def _segments(row: Row) -> Iterator[tuple[int, int, float | None]]:
    """Yield the number, the tokens and the perplexity of each segment."""
    tokens = row.result.counts["token"].tolist()
    for number, (count, score) in enumerate(zip(tokens, row.result.segment_scores(), strict=True), 1):
        yield number, count, score


def _json(rows: Sequence[Row], asked: Options, output: Output) -> Any:
    if asked.sentence_level:
        return list(chain.from_iterable(_segment_data(row, output) for row in rows))
    data = [_data(row, output, several=len(rows) > 1) for row in rows]
    return data[0] if len(data) == 1 else data


def _head(row: Row, score: float | None, output: Output) -> dict[str, Any]:
    """Return what a corpus and a segment have in common."""
    return {
        "file": row.file,
        "name": row.result.signature.name,
        "score": output.exact(score),
        "better": "lower",
        "signature": row.result.signature.format(),
        "settings": row.result.signature.settings,
        "unit": row.result.unit,
        **({} if row.order is None else {"order": row.order, "smoothing": row.smoothing}),
    }


def _segment_data(row: Row, output: Output) -> Iterator[dict[str, Any]]:
    for number, tokens, score in _segments(row):
        yield _head(row, score, output) | {"tokens": tokens, "segment": number}


def _data(row: Row, output: Output, *, several: bool) -> dict[str, Any]:
    result = row.result
    data = _head(row, result.score, output)
    names = {"token": "token", "word": "word", "char": "character"}
    for unit in result.counts:
        data[f"{names[unit]}s"] = result.total(unit)
        data[f"per_{names[unit]}"] = output.exact(result.per(unit))
    if "char" in result.counts:
        data["bits_per_character"] = output.exact(result.bits_per_character)
    data |= {"segments": len(result.nats), "eos": result.end_of_sentence}
    if result.vocabulary is not None:
        data["vocabulary"] = {"digest": result.vocabulary.digest, "words": len(result.vocabulary.words)}
    if (unknown := result.out_of_vocabulary) is not None:
        data["oov"] = {
            "count": unknown.count,
            "total": unknown.total,
            "rate": output.exact(unknown.rate),
            "vocabulary": unknown.kind,
            "words": dict(unknown.words),
        }
    if several:
        data |= {"comparable": _is_comparable(row), "reasons": row.reasons}
    return data | {"messages": [message(notice) for notice in result.notices]}


def _is_comparable(row: Row) -> bool | None:
    """Return whether the row may be compared with the first; None if the vocabularies are not known."""
    if row.reasons:
        return False
    return None if row.result.vocabulary is None else True
