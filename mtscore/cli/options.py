"""How options are declared and how `--help` shows them: in groups, with examples below.

Options that several commands have are declared here, once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from mtscore.errors import UsageError, closest
from mtscore.report import FORMATS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GREEDY = {"-i", "-m", "--echo"}
"""Options that take all words up to the next option."""

FORMAT_VARIABLE = "MTSCORE_FORMAT"
MOST_DECIMALS = 100
SMOOTHING = ["exp", "floor", "add-k", "none"]

Check: TypeAlias = Callable[[click.Context, click.Parameter, str | None], str | None]
NumberCheck: TypeAlias = Callable[[click.Context, click.Parameter, float | None], float | None]
Completion: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"
Decorator: TypeAlias = Callable[[Any], Any]


def complete_file(_context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Leave a word to the shell, which completes it to the name of a file."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # only for completion

    return [CompletionItem(word, type="file")]


class Option(click.Option):
    """An option in a group of the help page; its value may be a file unless it says otherwise."""

    def __init__(
        self, *arguments: Any, group: str, shell_complete: Completion = complete_file, **settings: Any
    ) -> None:
        super().__init__(*arguments, shell_complete=shell_complete, **settings)
        self.group = group


class Argument(click.Argument):
    """An argument that may be a file unless it says otherwise."""

    def __init__(self, *arguments: Any, shell_complete: Completion = complete_file, **settings: Any) -> None:
        super().__init__(*arguments, shell_complete=shell_complete, **settings)


class Command(click.Command):
    """A command whose help page has its options in groups, and its examples as they are typed."""

    def __init__(self, *arguments: Any, examples: str = "", **settings: Any) -> None:
        settings.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*arguments, **settings)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group; arguments stand in the usage line."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Other"), []).append(record)
        groups["Other"] = groups.pop("Other", [])  # last
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=30)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, one a line."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip("\n").splitlines():
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")


class Group(Command, click.Group):
    """A command with commands of its own, each with a help page of the same kind."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words up to the command.

        Raises:
            UsageError: if there are none, and nothing is done without.
        """
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            raise UsageError(f"{self.name} needs a command", hint=f"known: {', '.join(self.commands)}")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands before the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names.

        Raises:
            UsageError: if there is none.
        """
        if args[0] not in self.commands and not ctx.resilient_parsing:  # as completion parses
            raise UsageError(f"{self.name} has no command {args[0]!r}", hint=self.suggestion(args[0]))
        return super().resolve_command(ctx, args)

    def suggestion(self, word: str) -> str:
        """Return what to write instead of a word that is no command."""
        return closest(word, list(self.commands))


def grouped(group: str) -> Callable[..., Decorator]:
    """Return a decorator factory like `click.option` for options of one group."""

    def option(*names: str, **settings: Any) -> Decorator:
        return click.option(*names, cls=Option, group=group, **settings)

    return option


def argument(name: str, **settings: Any) -> Decorator:
    """Return the decorator that adds an argument."""
    return click.argument(name, cls=Argument, **settings)


def together(*options: Decorator) -> Decorator:
    """Return the decorator that adds several options, in this order."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def arities(command: click.Command) -> dict[str, int]:
    """Return for each spelling of an option how many words it takes; -1 for all up to the next option."""
    return {
        spelling: -1 if GREEDY & set(option.opts) else 0 if option.is_flag or option.count else 1
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in option.opts
    }


def is_typed(context: click.Context, name: str) -> bool:
    """Return whether the command line has an option, whatever its value would be otherwise."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


# --- Values -------------------------------------------------------------------------------------------------


def target_language(pair: str | None) -> str:
    """Return the target of a language pair, which may have a script or a region: `en-zh_CN`.

    Raises:
        UsageError: if the pair is not of the form `src-trg`.
    """
    if pair is None:
        return ""
    source, _, target = pair.partition("-")
    if not source or not target:
        raise UsageError(
            f"language pair {pair!r} is not of the form src-trg", where="-l", hint="for example en-de"
        )
    return target


def within(least: float, most: float = inf) -> NumberCheck:
    """Return a check that refuses smaller and larger numbers."""

    def check(_context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
        if value is not None and not least <= value <= most:
            bound = f">= {least}" if value < least else f"<= {most}"
            raise UsageError(f"{_noun(parameter)} must be {bound}, not {value}", where=_spelling(parameter))
        return value

    return check


positive, non_negative, decimals = within(1), within(0), within(0, MOST_DECIMALS)


def one_of(known: Sequence[str]) -> Check:
    """Return a check that refuses other words and names the closest known ones."""

    def check(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        if value is not None and value not in known:
            raise UsageError(
                f"unknown {_noun(parameter)} {value!r}",
                where=_spelling(parameter),
                hint=closest(value, list(known)),
            )
        return value

    return check


def _spelling(parameter: click.Parameter) -> str:
    return max(parameter.opts, key=len)


def _noun(parameter: click.Parameter) -> str:
    return _spelling(parameter).lstrip("-").replace("-", " ")


def chosen_format(known: Sequence[str]) -> Check:
    """Return what makes of `-f` one of the formats that a command knows, the first of which is its usual one.

    Where there is no `-f` the environment decides. It speaks to all commands at once, so a format that this
    command lacks is passed over; one that no command has is an error.
    """
    check = one_of(known)

    def choose(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            return check(context, parameter, value)
        wanted = os.environ.get(FORMAT_VARIABLE) or known[0]
        if wanted not in FORMATS:
            raise UsageError(
                f"unknown format {wanted!r}", where=FORMAT_VARIABLE, hint=closest(wanted, FORMATS)
            )
        return wanted if wanted in known else known[0]

    return choose


def completed(known: Callable[[], Sequence[str]]) -> Completion:
    """Return how the shell completes a word, or the last of several with commas between."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415  # only for completion

        before, comma, start = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{word}") for word in known() if word.startswith(start)]

    return complete


def test_set_names() -> list[str]:
    """Return the names of all test sets."""
    from mtscore.catalog import catalogue  # noqa: PLC0415  # only for completion

    return catalogue.names()


def tokenizer_names() -> list[str]:
    """Return the names of all tokenizers."""
    from mtscore.tokenizers import TOKENIZERS  # noqa: PLC0415  # only for completion

    return list(TOKENIZERS)


# --- Options of several commands ----------------------------------------------------------------------------

inputs, bleu, downloads, output = map(grouped, ("Input", "BLEU", "Downloads", "Output"))

encoding_option = inputs("-e", "--encoding", default="utf-8", metavar="NAME", help="Of all files (utf-8).")

tokenizer_options = together(
    bleu(
        "-tok",
        "--tokenize",
        metavar="NAME",
        shell_complete=completed(tokenizer_names),
        help="See mtscore tokenize --list (13a, or by -l).",
    ),
    bleu("-lc", "--lowercase", is_flag=True, help="Ignore case, in BLEU only."),
)
bleu_options = together(
    tokenizer_options,
    bleu(
        "-s",
        "--smooth-method",
        callback=one_of(SMOOTHING),
        shell_complete=completed(lambda: SMOOTHING),
        metavar="NAME",
        help="exp, floor, add-k, none (exp).",
    ),
    bleu("-sv", "--smooth-value", type=float, metavar="V", help="Of floor (0.1) and add-k (1)."),
    bleu("--max-ngram-order", type=int, metavar="N", help="The longest n-grams (4)."),
)
language_option = bleu("-l", "--language-pair", metavar="SRC-TRG", help="Chooses the tokenizer.")

store_options = together(
    downloads("--cache", metavar="FOLDER", help="Where they are kept (or MTSCORE_CACHE)."),
    downloads("--offline", is_flag=True, help="Never use the network (or MTSCORE_OFFLINE=1)."),
)

quiet_option = output("-q", "--quiet", is_flag=True, help="Errors and failed gates only.")
verbose_option = output("-v", "--verbose", is_flag=True, help="Notes, too, when no terminal shows them.")
short_option = output("-sh", "--short", is_flag=True, help="Short signatures.")


def format_option(known: Sequence[str] = ("text", "json"), about: str = "") -> Decorator:
    """Return `-f` for a command that knows these formats, of which the first is its usual one."""
    return output(
        "-f",
        "--format",
        "form",
        callback=chosen_format(known),
        shell_complete=completed(lambda: known),
        metavar="NAME",
        help=f"{about}{', '.join(known)} ({known[0]}, or {FORMAT_VARIABLE}).",
    )
