"""`mtscore [score]`: the options of the main job, and its course from words to exit code.

This module is imported for `--version` and `--help` too: everything heavy is imported by what it calls.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mtscore._version import VERSION
from mtscore.cli import COMMANDS, messages
from mtscore.cli.arguments import rewrite
from mtscore.cli.options import (
    FORMAT_VARIABLE,
    Command,
    argument,
    arities,
    bleu,
    bleu_options,
    complete_file,
    completed,
    decimals,
    encoding_option,
    format_option,
    grouped,
    inputs,
    non_negative,
    one_of,
    output,
    positive,
    quiet_option,
    short_option,
    store_options,
    test_set_names,
    verbose_option,
)
from mtscore.errors import UsageError, closest
from mtscore.metrics import METRICS
from mtscore.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from mtscore.keys import Style as SignatureStyle

USAGE = """\
Usage: mtscore REFERENCE... -i HYPOTHESES...     score files, one segment a line
       mtscore REFERENCE < HYPOTHESES            score standard input
       mtscore -t wmt22 -l zh-en -i HYPOTHESES   score against a standard test set
       mtscore demo                              see it work on the embedded test set

  -m bleu chrf++ ter    metrics            -par     is the difference real?
  -f json|tsv|latex|…   output             -ci      confidence intervals
  -b                    the number only    -sl      a score for every segment
  -o report.json        a report file      -tok zh  the tokenizer, or by -l en-zh

Other commands: explain, tokenize, testsets, reproduce, signature, search-errors, perplexity, correlate
All options: mtscore --help
"""

EXAMPLES = """
mtscore ref.de -i hyp.de
mtscore ref.de -i hyp.de -m bleu chrf++ ter -b
mtscore ref.de -i base.de new.de -par -ci
mtscore ref.de -i base.de new.de --fail-on-regression -o report.json -o summary.md
mtscore -t mini -l en-de -i mine.de --detail
"""

WORDS = "mtscore.words"
"""Where a context keeps the words of a line that is to be completed."""

ENVIRONMENT = (
    (FORMAT_VARIABLE, "The format where there is no -f; a command without this format has its own."),
    ("MTSCORE_CACHE", "As --cache."),
    ("MTSCORE_OFFLINE", "As --offline, if it is 1."),
    ("NO_COLOR", "As --no-color, if it is not empty."),
    ("MTSCORE_DEBUG", "If it is 1, errors come with a traceback."),
)
COMPLETION = 'eval "$(_MTSCORE_COMPLETE=bash_source mtscore)"'


class ScoreOptions(NamedTuple):
    """Hold the options as the user gave them; None and empty mean not given."""

    words: tuple[str, ...]
    input: tuple[str, ...]
    reference: tuple[str, ...]
    num_refs: int
    encoding: str
    names: str | None
    empty_refs_missing: bool
    groups: str | None
    test_set: str | None
    language_pair: str | None
    use_refs: str | None
    origlang: str | None
    subset: str | None
    detail: bool
    cache: str | None
    offline: bool
    metrics: tuple[str, ...]
    sentence_level: bool
    like: str | None
    tokenize: str | None
    lowercase: bool
    smooth_method: str | None
    smooth_value: float | None
    max_ngram_order: int | None
    force: bool
    chrf_char_order: int | None
    chrf_word_order: int | None
    chrf_beta: float | None
    chrf_whitespace: bool
    chrf_lowercase: bool
    chrf_eps_smoothing: bool
    ter_case_sensitive: bool
    ter_asian_support: bool
    ter_no_punct: bool
    ter_normalized: bool
    confidence: bool
    confidence_n: int
    paired_ar: bool
    paired_ar_n: int
    paired_bs: bool
    paired_bs_n: int
    seed: int
    baseline: str | None
    all_pairs: bool
    alpha: float
    fail_under: tuple[str, ...]
    fail_over: tuple[str, ...]
    max_drop: tuple[str, ...]
    fail_on_regression: bool
    form: str
    score_only: bool
    width: int | None
    output: tuple[str, ...]
    short: bool
    signature_style: SignatureStyle
    examples: int
    quiet: bool
    verbose: bool
    strict: bool
    no_color: bool
    jobs: int
    download: str | None
    echo: tuple[str, ...]
    list_sets: bool
    citation: bool


class ScoreCommand(Command):
    """The command whose `-i` and `-m` take several words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite the words by mtscore's grammar, then read them as click does."""
        if ctx.resilient_parsing:  # for completion, of a line that is not finished
            ctx.meta[WORDS] = tuple(args)
            return super().parse_args(ctx, args)
        if not args:
            args = ["--usage"]
        return super().parse_args(ctx, rewrite(args, arities(self), os.path.isfile))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what is not an option of this command, and the examples."""
        with formatter.section("Other commands (mtscore COMMAND --help)"):
            formatter.write_dl([(name, entry.about) for name, entry in COMMANDS.items() if name != self.name])
        with formatter.section("Environment (nothing in it moves a number)"):
            formatter.write_dl(ENVIRONMENT)
        with formatter.section("Completion, in ~/.bashrc (in ~/.zshrc with zsh_source)"):
            formatter.write_text(COMPLETION)
        super().format_epilog(ctx, formatter)


def complete_word(ctx: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete a word behind `-m` to a metric, any other that no option takes to the name of a file."""
    last = next((before for before in reversed(ctx.meta.get(WORDS, ())) if before.startswith("-")), None)
    return (complete_metric if last in {"-m", "--metrics"} else complete_file)(ctx, parameter, word)


complete_metric = completed(lambda: list(METRICS))


def print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the version and stop."""
    if value:
        messages.result(f"mtscore {VERSION}\n")
        ctx.exit()


def check_metrics(
    _ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the metrics in lower case; refuse unknown and repeated ones."""
    names = [name.lower() for name in value]
    for name in names:
        if name not in METRICS:
            raise UsageError(f"unknown metric {name!r}", where="-m", hint=closest(name, METRICS))
        if names.count(name) > 1:
            raise UsageError(f"{name} is asked for twice", where="-m")
    return tuple(names)


test_sets = grouped("Standard test sets")
metrics = grouped("Metrics")
chrf = grouped("chrF")
ter = grouped("TER and WER")
statistics = grouped("Is the difference real?")
gates = grouped("Gates (exit code 1)")


@click.command(
    "score",
    cls=ScoreCommand,
    examples=EXAMPLES,
    help="Score hypotheses against references: plain text, one segment a line, not tokenised.",
)
@argument("words", nargs=-1, metavar="REFERENCE...", shell_complete=complete_word)
@inputs("-i", "--input", multiple=True, metavar="FILE...", help="Hypotheses, a file a system; - is stdin.")
@inputs("-r", "--reference", multiple=True, metavar="FILE", help="A reference; may stand anywhere.")
@inputs("-nr", "--num-refs", default=1, callback=positive, metavar="N", help="Columns of references (1).")
@encoding_option
@inputs("--names", metavar="A,B,...", help="Names of the systems, in their order.")
@inputs("--empty-refs-missing", is_flag=True, help="An empty line is no reference.")
@inputs("--groups", metavar="FILE", help="Score groups: a TSV with a header, a row a segment.")
@test_sets(
    "-t",
    "--test-set",
    metavar="NAME[,NAME]",
    shell_complete=completed(test_set_names),
    help="Score against standard test sets.",
)
@test_sets("-l", "--language-pair", metavar="SRC-TRG", help="Also chooses the tokenizer.")
@test_sets("--use-refs", metavar="A,B", help="References of the test set, by name.")
@test_sets("-ol", "--origlang", metavar="XX", help="Only segments written in XX (non-XX: all others).")
@test_sets("--subset", metavar="REGEX", help="Only documents whose domain or tag matches.")
@test_sets("-d", "--detail", is_flag=True, help="A row for each original language and domain, too.")
@test_sets("--list", "list_sets", is_flag=True, help="As mtscore testsets.")
@test_sets(
    "--download", metavar="NAME", shell_complete=completed(test_set_names), help="As mtscore testsets get."
)
@test_sets("--echo", multiple=True, metavar="FIELD...", help="As mtscore testsets echo.")
@test_sets("--citation", "--cite", is_flag=True, help="As mtscore testsets cite.")
@store_options
@metrics(
    "-m",
    "--metrics",
    multiple=True,
    callback=check_metrics,
    shell_complete=complete_metric,
    metavar="NAME...",
    help=f"{', '.join(METRICS)} (bleu).",
)
@metrics("-sl", "--sentence-level", is_flag=True, help="A score for every segment.")
@metrics("--like", metavar="SIGNATURE", help="The settings of a signature.")
@bleu_options
@bleu("--force", is_flag=True, help="Do not warn about tokenised text.")
@chrf("-cc", "--chrf-char-order", type=int, metavar="N", help="The longest character n-grams (6).")
@chrf("-cw", "--chrf-word-order", type=int, metavar="N", help="The longest word n-grams (0; chrF++: 2).")
@chrf("--chrf-beta", type=float, metavar="B", help="Weight of recall (2).")
@chrf("--chrf-whitespace", is_flag=True, help="White space counts.")
@chrf("--chrf-lowercase", is_flag=True, help="Ignore case.")
@chrf("--chrf-eps-smoothing", is_flag=True, help="Average over all orders, as chrF++.py does.")
@ter("--ter-case-sensitive", is_flag=True, help="Do not ignore case.")
@ter("--ter-asian-support", is_flag=True, help="Split Asian characters (with --ter-normalized).")
@ter("--ter-no-punct", is_flag=True, help="Remove punctuation.")
@ter("--ter-normalized", is_flag=True, help="Split punctuation.")
@statistics("-ci", "--confidence", is_flag=True, help="95 % bootstrap intervals.")
@statistics("-cin", "--confidence-n", default=1000, metavar="N", help="Their resamples (1000).")
@statistics("-par", "--paired-ar", is_flag=True, help="Approximate randomisation against the baseline.")
@statistics("-parn", "--paired-ar-n", default=10000, metavar="N", help="Its trials (10000).")
@statistics("-pbs", "--paired-bs", is_flag=True, help="Paired bootstrap against the baseline.")
@statistics("-pbsn", "--paired-bs-n", default=1000, metavar="N", help="Its trials (1000).")
@statistics("--all-pairs", is_flag=True, help="Test every pair; ranks and clusters.")
@statistics("--baseline", metavar="NAME", help="The system to compare with (the first).")
@statistics("--alpha", default=0.05, metavar="P", help="Level of significance (0.05).")
@statistics("--seed", default=12345, metavar="N", help="Of every random choice (12345).")
@gates("--fail-under", multiple=True, metavar="METRIC=V", help="The score must reach V.")
@gates("--fail-over", multiple=True, metavar="METRIC=V", help="TER or WER must not exceed V.")
@gates("--max-drop", multiple=True, metavar="METRIC=V", help="At most V worse than the baseline.")
@gates("--fail-on-regression", is_flag=True, help="Not significantly worse than the baseline.")
@format_option(FORMATS)
@output("-o", "--output", multiple=True, metavar="FILE", help="A report: .json .md .tex .tsv .xml (JUnit).")
@output("-b", "--score-only", is_flag=True, help="Numbers only.")
@output("-w", "--width", type=int, callback=decimals, metavar="N", help="Decimals (1; JSON: all).")
@output("--examples", default=0, callback=non_negative, metavar="N", help="Show N segments behind the score.")
@short_option
@output(
    "--signature-style",
    default="plus",
    callback=one_of(["plus", "pipe"]),
    metavar="NAME",
    help="plus, or pipe as sacreBLEU 2.",
)
@quiet_option
@verbose_option
@output("--strict", is_flag=True, help="A warning is exit code 1, and shown despite -q.")
@output("-nc", "--no-color", is_flag=True, help="No bold, no colours.")
@output(
    "-j",
    "--jobs",
    "--paired-jobs",
    default=1,
    metavar="N",
    help="Score N chunks at a time (0: one a processor); same result.",
)
@click.option(
    "--usage",
    is_flag=True,
    hidden=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _parameter, value: print_usage(ctx) if value else None,
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Print the version.",
)
def command(**values: Any) -> int:
    """Score hypotheses against references."""
    from mtscore.cli.run import execute  # noqa: PLC0415  # --help needs nothing of it

    return execute(ScoreOptions(**values))


def parse(words: Sequence[str]) -> ScoreOptions:
    """Return the options that a command line, without `mtscore score`, gives."""
    with command.make_context("mtscore score", list(words)) as context:
        return ScoreOptions(**context.params)


def print_usage(ctx: click.Context) -> None:
    """Print how to use the program, and stop: nothing was asked for."""
    for line in USAGE.splitlines():
        messages.say(line)
    ctx.exit(2)
