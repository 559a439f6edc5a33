"""How options are declared and how `--help` shows them: in groups, with examples below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

from mtscore.errors import UsageError

GREEDY = {"-i", "-m", "--echo"}
"""Options that take all words up to the next option."""


class Option(click.Option):
    """An option that belongs to a group of the help page."""

    def __init__(self, *arguments: Any, group: str = "Other", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group = group


class Command(click.Command):
    """A command whose help page has its options in groups, and its examples as they are typed."""

    def __init__(self, *arguments: Any, examples: str = "", **settings: Any) -> None:
        settings.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*arguments, **settings)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(
                parameter, click.Option
            ):  # arguments stand in the usage line
                groups.setdefault(getattr(parameter, "group", "Other"), []).append(record)
        groups["Other"] = groups.pop("Other", [])  # last
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=30)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, one a line."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(f"{' ' * formatter.current_indent}{line.strip()}\n")


def grouped(group: str) -> Callable[..., Callable[[Any], Any]]:
    """Return a decorator factory like `click.option` for options of one group."""

    def option(*names: str, **settings: Any) -> Callable[[Any], Any]:
        return click.option(*names, cls=Option, group=group, **settings)

    return option


def arities(command: click.Command) -> dict[str, int]:
    """Return for each spelling of an option how many words it takes; -1 for all up to the next option."""
    return {
        spelling: -1 if GREEDY & set(option.opts) else 0 if option.is_flag or option.count else 1
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in option.opts
    }


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


def non_negative(_context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """Refuse a negative number."""
    if value is not None and value < 0:
        name = (parameter.name or "").replace("_", " ")
        raise UsageError(f"{name} must be >= 0, not {value}", where=_spelling(parameter))
    return value


def one_of(known: Sequence[str]) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a check that refuses other words and names the closest known ones."""

    def check(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        from mtscore.errors import closest  # noqa: PLC0415

        if value is not None and value not in known:
            raise UsageError(
                f"unknown {(parameter.name or '').replace('_', ' ')} {value!r}",
                where=_spelling(parameter),
                hint=closest(value, list(known)),
            )
        return value

    return check


def _spelling(parameter: click.Parameter) -> str:
    return max(parameter.opts, key=len)


Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def completed(known: Callable[[], Sequence[str]]) -> Completion:
    """Return how the shell completes an option's word, or the last of several with commas between."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        before, comma, start = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in known() if word.startswith(start)]

    return complete


def test_set_names() -> list[str]:
    """Return the names of all test sets."""
    from mtscore.catalog import catalogue  # noqa: PLC0415  # only for completion

    return catalogue.names()


def tokenizer_names() -> list[str]:
    """Return the names of all tokenizers."""
    from mtscore.tokenizers import TOKENIZERS  # noqa: PLC0415  # only for completion

    return list(TOKENIZERS)
