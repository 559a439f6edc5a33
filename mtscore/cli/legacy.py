"""sacreBLEU's options that ask about test sets instead of scoring: --list, --download, --echo, --citation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.cli.options import target_language
from mtscore.cli.store import open_store
from mtscore.errors import UsageError

if TYPE_CHECKING:
    from mtscore.assets import Store
    from mtscore.cli.score import ScoreOptions


def answer(options: ScoreOptions) -> int:
    """Do what `mtscore testsets` does under another name, and return the exit code."""
    from mtscore.cli import testsets  # noqa: PLC0415

    target_language(options.language_pair)
    with open_store(options.cache, offline=options.offline, quiet=options.quiet) as store:
        if options.download:
            testsets.get_sets([options.download], options.language_pair, store)
        elif options.list_sets and options.test_set:
            for name in options.test_set.split(","):
                testsets.show_set(name, options.language_pair, options.form, store)
        elif options.list_sets:
            testsets.list_sets(options.language_pair, options.form)
        elif options.citation:
            for name in _test_sets(options, "--citation"):
                testsets.cite_set(name)
        else:
            _echo(options, store)
    return 0


def _echo(options: ScoreOptions, store: Store) -> None:
    from mtscore.cli import testsets  # noqa: PLC0415

    names = _test_sets(options, "--echo")
    if options.language_pair is None:
        raise UsageError("--echo needs a language pair", where="-l")
    testsets.echo_fields(
        names,
        options.language_pair,
        options.echo,
        store,
        origlang=options.origlang,
        subset=options.subset,
    )


def _test_sets(options: ScoreOptions, option: str) -> list[str]:
    if not options.test_set:
        raise UsageError(f"{option} needs a test set", where="-t", hint="mtscore testsets lists them")
    return options.test_set.split(",")
