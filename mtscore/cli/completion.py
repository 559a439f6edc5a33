"""Shell completion: of commands, options, and of the words that an option can take.

How to switch it on is at the end of `mtscore --help`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from mtscore.cli.options import complete_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click.shell_completion import CompletionItem


class Root(click.Group):
    """All commands as one group, in which `score` is what needs no name."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        """Take the commands' names and modules."""
        settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}
        super().__init__("mtscore", context_settings=settings, invoke_without_command=True)
        self.modules = dict(commands)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name."""
        if cmd_name not in self.modules:
            return None
        return cast("click.Command", import_module(self.modules[cmd_name]).command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names, or `score` with all words."""
        if args and args[0] in self.modules:
            return args[0], self.get_command(ctx, args[0]), args[1:]
        return "score", self.get_command(ctx, "score"), args

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return commands, and what `score` may begin with: options, or else a file."""
        score = cast("click.Command", self.get_command(ctx, "score"))
        context = click.Context(score, parent=ctx, info_name="score")
        found = super().shell_complete(ctx, incomplete) + score.shell_complete(context, incomplete)
        return found or complete_file(context, score.params[0], incomplete)
