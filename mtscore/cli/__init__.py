"""The command line: the only place that prints, draws, or ends the process.

`run` is the console script; `main` is the same as a function that returns the exit code.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    import click

COMMANDS = {
    "score": "mtscore.cli.score",
    "demo": "mtscore.cli.demo",
    "explain": "mtscore.cli.explain",
    "tokenize": "mtscore.cli.tokenize",
    "testsets": "mtscore.cli.testsets",
    "reproduce": "mtscore.cli.reproduce",
    "signature": "mtscore.cli.signature",
    "search-errors": "mtscore.cli.search_errors",
    "perplexity": "mtscore.cli.perplexity",
    "correlate": "mtscore.cli.correlate",
}
"""Each command's module, which has a click command named `command`; imported only when it is called."""


def run() -> NoReturn:
    """Run the program and end the process."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; a command returns its own (None is 0)."""
    import click  # noqa: PLC0415

    from mtscore.errors import EnvironmentFailure, MTScoreError  # noqa: PLC0415

    try:
        command, rest = find_command(list(arguments))
        code = command.main(rest, prog_name=f"mtscore {command.name}", standalone_mode=False)
    except click.ClickException as error:
        print(f"mtscore: error: {error.format_message()}", file=sys.stderr)
        return 2
    except MTScoreError as error:
        if os.environ.get("MTSCORE_DEBUG") == "1":
            raise
        print(f"mtscore: error: {error}", file=sys.stderr)
        return 3 if isinstance(error, EnvironmentFailure) else 2
    return int(code or 0)


def find_command(arguments: list[str]) -> tuple[click.Command, list[str]]:
    """Return the click command that the very first word names (`score` if none) and the other words."""
    from importlib import import_module  # noqa: PLC0415

    name = arguments[0] if arguments and arguments[0] in COMMANDS else "score"
    rest = arguments[1:] if arguments and arguments[0] in COMMANDS else arguments
    command: click.Command = import_module(COMMANDS[name]).command
    return command, rest
