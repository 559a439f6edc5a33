"""`mtscore tokenize`: print the tokens that BLEU sees, or list the tokenizers."""

from __future__ import annotations

from contextlib import ExitStack, closing
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from mtscore.cli import messages
from mtscore.cli.options import (
    Command,
    argument,
    encoding_option,
    format_option,
    grouped,
    is_typed,
    language_option,
    store_options,
    target_language,
    tokenizer_options,
)
from mtscore.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.tokenizers import Entry
    from mtscore.tokenizers.base import Tokenizer
    from mtscore.vocabulary import Tokens

EXAMPLES = """
mtscore tokenize < ref.de
mtscore tokenize -tok intl -lc < ref.de > ref.tokens
mtscore tokenize -l en-de ref.de hyp.de
mtscore tokenize --list
"""

OWN_MODEL = "spm:PATH is a sentencepiece model of your own; other models are downloaded once."

tokenizers = grouped("Tokenizers")


@click.command(
    "tokenize",
    cls=Command,
    examples=EXAMPLES,
    help="Print text as BLEU sees it: tokens with spaces between them, a line a segment.",
)
@argument("files", nargs=-1, metavar="[FILE...]")
@encoding_option
@language_option
@tokenizer_options
@store_options
@tokenizers("--list", "list_all", is_flag=True, help="Show them: versions, needs, and whether they are met.")
@format_option(about="Of the list: ")
@click.pass_context
def command(
    context: click.Context,
    *,
    files: tuple[str, ...],
    tokenize: str | None,
    language_pair: str | None,
    lowercase: bool,
    encoding: str,
    cache: str | None,
    offline: bool,
    list_all: bool,
    form: str,
) -> int:
    """Print tokens, or list the tokenizers."""
    if list_all:
        if form == "json":
            messages.data(facts())
        else:
            messages.result(f"{as_table(facts())}\n")
        return 0
    if is_typed(context, "form"):
        raise UsageError("is for --list: tokens are text", where="-f/--format")
    from mtscore.cli.store import open_store  # noqa: PLC0415  # --help and --list need none of this
    from mtscore.tokenizers import default_tokenizer, tokenizer  # noqa: PLC0415

    target = target_language(language_pair)
    with open_store(cache, offline=offline):
        chosen = tokenizer(tokenize or default_tokenizer(target))
    messages.notices(chosen.notices, quiet=False, verbose=False)
    print_tokens(files, chosen, lowercase=lowercase, encoding=encoding)
    return 0


def print_tokens(files: Sequence[str], tokenizer: Tokenizer, *, lowercase: bool, encoding: str) -> None:
    """Write the tokens of files, or of standard input, a chunk at a time.

    Raises:
        UsageError: if standard input is named twice.
        InputError: if a file cannot be read.
    """
    from mtscore.cli import stdin  # noqa: PLC0415
    from mtscore.lines import STDIN, LineReader  # noqa: PLC0415
    from mtscore.metrics.base import CHUNK_SEGMENTS  # noqa: PLC0415
    from mtscore.vocabulary import tokenise  # noqa: PLC0415

    paths = files or (STDIN,)
    stdin.check(paths, "text")
    with ExitStack() as stack:
        readers = [stack.enter_context(closing(LineReader(path, encoding=encoding))) for path in paths]
        for reader in readers:
            while lines := reader.take(CHUNK_SEGMENTS):
                messages.result(joined(tokenise(lines, tokenizer, lowercase=lowercase)))


def joined(tokens: Tokens) -> bytes:
    """Return tokens with a space between them and a newline behind each segment."""
    import numpy as np  # noqa: PLC0415

    edges = np.zeros(len(tokens.text), dtype=np.int8)
    edges[tokens.starts] += 1
    edges[tokens.ends] -= 1
    letters = tokens.text[np.cumsum(edges, dtype=np.int8) > 0]
    counts = tokens.lengths
    empty = np.cumsum(counts == 0)
    behind = np.cumsum(tokens.ends - tokens.starts + 1)
    newlines = np.concatenate(([0], behind))[tokens.offsets[1:]] + empty - 1
    output = np.full(newlines[-1] + 1, ord(" "), dtype=np.uint8)
    is_letter = np.ones(len(output), dtype=np.bool_)
    is_letter[behind + np.repeat(empty, counts) - 1] = False
    is_letter[newlines] = False
    output[is_letter] = letters
    output[newlines] = ord("\n")
    return output.tobytes()


def facts() -> list[dict[str, Any]]:
    """Return what there is to know of each tokenizer; `met` says whether its packages are installed."""
    from mtscore.tokenizers import TOKENIZERS  # noqa: PLC0415

    return [
        {
            "name": name,
            "version": _version(entry),
            "about": entry.about,
            "extra": entry.extra,
            "packages": list(entry.packages),
            "install": MissingExtraError(name, extra=entry.extra).hint if entry.extra else None,
            "met": all(find_spec(package) for package in entry.packages),
        }
        for name, entry in TOKENIZERS.items()
    ]


def _version(entry: Entry) -> int:
    """Return the version of a tokenizer without making one, which may need what is not installed."""
    module, _, attribute = entry.factory.partition(":")
    version: int = getattr(import_module(module), attribute).version
    return version


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the tokenizers as a table, and below it how to get what they need."""
    from mtscore.cli.layout import lay_out  # noqa: PLC0415

    head = ("tokenizer", "version", "extra", "met", "for")
    cells = [
        (row["name"], str(row["version"]), row["extra"] or "", "yes" if row["met"] else "no", row["about"])
        for row in rows
    ]
    installs = dict.fromkeys(f"extra {row['extra']}: {row['install']}" for row in rows if row["extra"])
    return "\n".join([*lay_out(head, cells, left=len(head)), "", *installs, OWN_MODEL])
