"""The command line: the only place that prints, draws, or ends the process.

`run` is the console script; `main` is the same as a function that returns the exit code.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from mtscore._version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    import click


class Entry(NamedTuple):
    """Name a command's module, which has a click command named `command`, and say what it is for."""

    module: str
    about: str


COMMANDS = {
    "score": Entry("mtscore.cli.score", "Score hypotheses; this one needs no name."),
    "demo": Entry("mtscore.cli.demo", "Score the embedded test set, and say what it means."),
    "explain": Entry("mtscore.cli.explain", "Show how the BLEU of one segment comes about."),
    "tokenize": Entry("mtscore.cli.tokenize", "Print text as BLEU sees it, or list the tokenizers."),
    "testsets": Entry("mtscore.cli.testsets", "List, fetch, print or cite standard test sets."),
    "reproduce": Entry("mtscore.cli.reproduce", "Check a published score, or a report."),
    "signature": Entry("mtscore.cli.signature", "Explain a signature, or compare two."),
    "search-errors": Entry("mtscore.cli.search_errors", "Tell errors of the search from the model's."),
    "perplexity": Entry("mtscore.cli.perplexity", "How well a language model predicts a text."),
    "correlate": Entry("mtscore.cli.correlate", "How well metrics agree with people."),
}
"""The commands by name; a module is imported only when its command is called."""

DONE, NO, NO_ANSWER, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141
"""The exit codes; 1 says that the answer is no, and from 2 on there is no answer."""

DEBUG_VARIABLE = "MTSCORE_DEBUG"
COMPLETION_VARIABLE = "_MTSCORE_COMPLETE"
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Read when numpy is imported: starting threads for matrix products costs more than they save."""


def run() -> NoReturn:
    """Run the program and end the process.

    The process ends at once: taking numpy apart first would be a tenth of a short run. So would be looking
    for garbage while modules are imported.
    """
    gc.disable()
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:  # during imports
        code = INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed by the caller, or gone
            stream.flush()
    os._exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    for variable in THREAD_VARIABLES:
        os.environ.setdefault(variable, "1")
    try:
        return _dispatch(list(arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001  # the last line of defence: no traceback reaches a user
        return _ended_by(error)


def _dispatch(arguments: list[str]) -> int:
    from mtscore.cli import messages  # noqa: PLC0415

    if arguments in (["--version"], ["-V"]):  # without the cost of importing anything
        messages.result(f"mtscore {VERSION}\n")
        return DONE
    if COMPLETION_VARIABLE in os.environ:
        from mtscore.cli.completion import Root  # noqa: PLC0415  # asked for by the shell only

        Root({name: entry.module for name, entry in COMMANDS.items()}).main(
            [], prog_name="mtscore", complete_var=COMPLETION_VARIABLE
        )
    command, rest, name = find_command(arguments)
    with command.make_context(name, rest) as context:  # not `main`, which takes a closed pipe for exit code 1
        code = command.invoke(context)
    if sys.stdout is not None:
        sys.stdout.flush()
    return int(code or DONE)


def find_command(arguments: list[str]) -> tuple[click.Command, list[str], str]:
    """Return the command that the very first word names (`score` if none), the other words, and its name.

    Raises:
        UsageError: if the word is the name of a file, too.
    """
    from importlib import import_module  # noqa: PLC0415

    named = bool(arguments) and arguments[0] in COMMANDS
    name = arguments[0] if named else "score"
    if named and os.path.isfile(name):  # pathlib takes a while to import
        from mtscore.errors import UsageError  # noqa: PLC0415

        raise UsageError(
            f"{name} is a command and a file here",
            hint=f"the file is ./{name}; the command runs from another folder",
        )
    command: click.Command = import_module(COMMANDS[name].module).command
    return command, arguments[1:] if named else arguments, f"mtscore {name}" if named else "mtscore"


def _ended_by(error: Exception) -> int:
    """Say in one line why there is no answer, and return the exit code."""
    import click  # noqa: PLC0415

    from mtscore.cli import messages  # noqa: PLC0415

    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.Abort):
        return INTERRUPTED
    if os.environ.get(DEBUG_VARIABLE) == "1" and sys.stderr is not None:
        import traceback  # noqa: PLC0415

        traceback.print_exception(error)
    text, code = _explained(error)
    messages.error(text, excerpt=getattr(error, "excerpt", None))
    return code


def _explained(error: Exception) -> tuple[str, int]:
    """Return what to tell of an error, in one line, and the exit code."""
    import click  # noqa: PLC0415

    from mtscore.errors import EnvironmentFailure, MTScoreError  # noqa: PLC0415

    if isinstance(error, click.ClickException):
        return error.format_message(), NO_ANSWER
    if isinstance(error, MTScoreError):
        return error.sentence, FAILED if isinstance(error, EnvironmentFailure) else NO_ANSWER
    if isinstance(error, OSError):
        return f"{error.filename or 'output'}: {error.strerror or error}", FAILED
    if isinstance(error, MemoryError):
        return "there is not enough memory", FAILED
    cause = " ".join(f"{type(error).__name__}: {error}".split())
    advice = f"please report it, with the traceback that {DEBUG_VARIABLE}=1 prints"
    return f"internal error: {cause} ({advice})", FAILED
