"""`mtscore explain`: show how the BLEU of one segment comes about, n-gram by n-gram."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import click

from mtscore.cli import messages
from mtscore.cli.options import (
    Command,
    argument,
    bleu_options,
    encoding_option,
    format_option,
    grouped,
    inputs,
    language_option,
    output,
    store_options,
    target_language,
)
from mtscore.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.cli.explanation import Paint

COLOURS = ("\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[34m", "\x1b[32m")
"""By the order of the longest match: none, 1 to 3, and 4 or more."""
RESET = "\x1b[0m"

EXAMPLES = """
mtscore explain --hyp 'the cat sat' --ref 'the cat sits' --ref 'a cat sat there'
mtscore explain -n 2 -lc --hyp 'the cat the cat on the mat' --ref 'The cat is on the mat'
mtscore explain ref.de -i hyp.de --line 17 -n all
mtscore explain ref.de -i hyp.de --line 17 -f json
"""


def check_order(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | str | None:
    """Return the order as a number, or `all`; None if none was given."""
    if value is None or value == "all":
        return value
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"{value!r} is no order of n-grams", where="-n", hint="1, 2, ... or all")
    return int(value)


texts = grouped("A segment of its own")


@click.command(
    "explain",
    cls=Command,
    examples=EXAMPLES,
    help="""Show how the BLEU of one segment comes about: texts, or line N of files.

    It is the segment score of `mtscore score -sl`, with effective order: orders for which the
    hypothesis is too short are left out.""",
)
@argument("files", nargs=-1, metavar="[REFERENCE...]")
@texts("--hyp", metavar="TEXT", help="The hypothesis.")
@texts("--ref", multiple=True, metavar="TEXT", help="A reference; repeat it for several.")
@inputs("-i", "--input", metavar="FILE", help="A file of hypotheses, beside files of references.")
@inputs("--line", type=int, metavar="N", help="Which line of the files, from 1.")
@encoding_option
@language_option
@bleu_options
@store_options
@output(
    "-n",
    "order",
    callback=check_order,
    metavar="ORDER|all",
    help="The n-grams to show (all if they are few, else the shortest that no reference has).",
)
@format_option()
def command(
    *,
    files: tuple[str, ...],
    hyp: str | None,
    ref: tuple[str, ...],
    input: str | None,  # noqa: A002  # named as the option
    line: int | None,
    encoding: str,
    order: int | str | None,
    form: str,
    cache: str | None,
    offline: bool,
    language_pair: str | None,
    **bleu: Any,
) -> int:
    """Explain one segment's BLEU."""
    from mtscore.cli.explanation import as_json, as_text  # noqa: PLC0415  # --help needs none of this
    from mtscore.cli.store import open_store  # noqa: PLC0415
    from mtscore.explain import explain  # noqa: PLC0415
    from mtscore.metrics.bleu import BLEU  # noqa: PLC0415
    from mtscore.tokenizers import tokenizer  # noqa: PLC0415

    given = {name: value for name, value in bleu.items() if value is not None}
    with open_store(cache, offline=offline):
        metric = BLEU(**given, trg_lang=target_language(language_pair), effective_order=True)
    if isinstance(order, int) and order > metric.max_ngram_order:
        raise UsageError(f"there are no {order}-grams", where="-n", hint="--max-ngram-order is the highest")
    hypothesis, references = find_segment(
        files=files, hyp=hyp, ref=ref, path=input, line=line, encoding=encoding
    )
    messages.notices(tokenizer(metric.tokenize or "").notices, quiet=False, verbose=False)
    found = explain(metric, hypothesis, references)
    text = as_json(found, order, line) if form == "json" else as_text(found, order, painter())
    messages.result(f"{text}\n")
    return 0


def find_segment(
    *,
    files: Sequence[str],
    hyp: str | None,
    ref: Sequence[str],
    path: str | None,
    line: int | None,
    encoding: str,
) -> tuple[str, Sequence[str]]:
    """Return the hypothesis and the references: the texts that were given, or those on a line of files.

    Raises:
        UsageError: if something is missing or too much, or there is no such line.
        InputError, AlignmentError: if a file cannot be read, or has more or fewer lines than the others.
    """
    texts, from_files = hyp is not None or bool(ref), bool(files) or path is not None or line is not None
    if texts and from_files:
        raise UsageError("either texts (--hyp, --ref) or files (REFERENCE -i HYPOTHESES --line N), not both")
    if hyp is not None and ref:
        return hyp, ref
    if files and path is not None and line is not None:
        return read_line(files, path, line, encoding)
    if not texts and not from_files:
        hint = "--hyp TEXT --ref TEXT, or REFERENCE -i HYPOTHESES --line N"
        raise UsageError("nothing to explain", hint=hint)
    needed = (
        {"--hyp TEXT": hyp is not None, "--ref TEXT": bool(ref)}
        if texts
        else {
            "a reference file": bool(files),
            "-i HYPOTHESES": path is not None,
            "--line N": line is not None,
        }
    )
    raise UsageError(f"missing: {' and '.join(name for name, given in needed.items() if not given)}")


def read_line(files: Sequence[str], path: str, line: int, encoding: str) -> tuple[str, Sequence[str]]:
    """Return the hypothesis and the references on a line of files, which are read to their end.

    Raises:
        UsageError, InputError, AlignmentError: as `find_segment`.
    """
    from mtscore.cli import stdin  # noqa: PLC0415
    from mtscore.corpus import Lockstep  # noqa: PLC0415
    from mtscore.lines import LineReader  # noqa: PLC0415
    from mtscore.metrics.base import CHUNK_SEGMENTS  # noqa: PLC0415

    if line < 1:
        raise UsageError(f"lines count from 1, there is no line {line}", where="--line")
    stdin.check([path, *files], "lines")
    found: tuple[str, Sequence[str]] | None = None
    with ExitStack() as stack:
        readers = [
            stack.enter_context(closing(LineReader(file, encoding=encoding))) for file in (path, *files)
        ]
        for chunk in Lockstep(readers[:1], readers[1:]).chunks(CHUNK_SEGMENTS):
            if line in chunk.numbers:
                row = chunk.numbers.index(line)
                found = chunk.systems[0][row], [stream[row] or "" for stream in chunk.references]
    if found is None:
        raise UsageError(f"there is no line {line}: {path} has {readers[0].lines}", where="--line")
    return found


def painter() -> Paint:
    """Return what colours a text by the order of its match, on a terminal that wants it."""
    from mtscore.cli.output import use_colour  # noqa: PLC0415

    if not use_colour():
        return lambda text, _order: text
    return lambda text, order: f"{COLOURS[min(order, len(COLOURS) - 1)]}{text}{RESET}"
