"""`mtscore testsets`: list, show, get, add, echo and cite the standard test sets.

What each command does is a plain function too (`list_sets`, `get_sets`, `echo_fields`, `cite_set`), so that
options of `score` can do the same.
"""

from __future__ import annotations

from difflib import get_close_matches
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mtscore.catalog import catalogue
from mtscore.catalog.content import reference_field
from mtscore.cli import messages
from mtscore.cli.options import (
    Group,
    argument,
    completed,
    format_option,
    grouped,
    is_typed,
    store_options,
    test_set_names,
    within,
)
from mtscore.cli.store import open_store
from mtscore.errors import UsageError, counted
from mtscore.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtscore.assets import Asset, Store
    from mtscore.catalog.manifest import Manifest

EXAMPLES = """
mtscore testsets -l en-de
mtscore testsets show wmt22 -l zh-en
mtscore testsets get wmt17 wmt22
mtscore testsets echo mini -l en-de src > mini.en
mtscore testsets add mine.toml
"""
LIST = """
mtscore testsets list
mtscore testsets list -l en-de -f json
"""
SHOW = """
mtscore testsets show wmt22
mtscore testsets show wmt22 -l zh-en -f json
"""
GET = """
mtscore testsets get wmt17 wmt22
mtscore testsets get wmt22 -l zh-en --cache /data/mt
"""
ADD = """
mtscore testsets add mine.toml
mtscore testsets add ~/Downloads/sacrebleu_tokenizer_spm.model
"""
ECHO = """
mtscore testsets echo mini -l en-de src > mini.en
mtscore testsets echo wmt22 -l zh-en ref:A ref:B docid domain
mtscore testsets echo wmt22 -l zh-en HuaweiTSC > huawei.en
"""
CITE = """
mtscore testsets cite wmt17
"""

what = grouped("What")
name_argument = argument("name", shell_complete=completed(test_set_names))
pair_option = what("-l", "--language-pair", "pair", metavar="SRC-TRG", help="A language pair.")


class TestSets(Group):
    """A group that explains what to write where a test set stands in a command's place."""

    def suggestion(self, word: str) -> str:
        """Return what to write instead of a word that is no command."""
        return f"mtscore testsets show {word}" if word in catalogue.names() else super().suggestion(word)


@click.group("testsets", cls=TestSets, invoke_without_command=True, examples=EXAMPLES)
@pair_option
@format_option()
@click.pass_context
def command(ctx: click.Context, pair: str | None, form: str) -> None:
    """List the standard test sets; show, fetch, print or cite one, or add one of your own.

    Files are fetched once, checked whenever they are used, and kept in a cache folder.
    """
    if ctx.invoked_subcommand is None:
        list_sets(pair, form)
    elif pair or is_typed(ctx, "form"):
        raise UsageError(
            "options stand behind the command", hint=f"mtscore testsets {ctx.invoked_subcommand} …"
        )


@command.command("list", examples=LIST)
@pair_option
@format_option()
def list_command(pair: str | None, form: str) -> None:
    """List the test sets, all or those with a language pair."""
    list_sets(pair, form)


@command.command(examples=SHOW, short_help="Show what a test set is made of.")
@name_argument
@pair_option
@format_option()
@store_options
def show(name: str, pair: str | None, form: str, cache: str | None, offline: bool) -> None:
    """Show what a test set is made of, and which of its files are here.

    References and systems of a WMT XML file are known once it is here.
    """
    with open_store(cache, offline=offline) as store:
        show_set(name, pair, form, store)


@command.command(examples=GET, short_help="Fetch and check files, for use without a network.")
@argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=completed(test_set_names))
@what("-l", "--language-pair", "pair", metavar="SRC-TRG", help="Extract this pair's texts, too.")
@what(
    "--timeout",
    type=float,
    callback=within(0.001, 86_400),
    metavar="SECONDS",
    help="Patience with a silent server (30).",
)
@store_options
def get(
    names: tuple[str, ...], pair: str | None, timeout: float | None, cache: str | None, offline: bool
) -> None:
    """Fetch and check the files of test sets, so that they can be used without a network.

    The exit code is 3 if network or disk failed: trying again may help.
    """
    with open_store(cache, offline=offline, timeout=timeout) as store:
        get_sets(names, pair, store)


@command.command(examples=ADD, short_help="Take in a manifest, or an archive fetched elsewhere.")
@argument("files", nargs=-1, required=True, metavar="FILE...")
@store_options
def add(files: tuple[str, ...], cache: str | None, offline: bool) -> None:
    """Take in a manifest (.toml) of your own, or an archive that was fetched elsewhere.

    An archive is recognised by its checksum. The file README.md beside the manifests explains their fields.
    """
    with open_store(cache, offline=offline) as store:
        for file in files:
            messages.page([f"added {catalogue.add(Path(file), store)}"])


@command.command(
    examples=ECHO,
    short_help="Print sources, references, metadata or systems.",
    help="""Print fields of a test set, one segment a line, several fields separated by tabs.

    \b
    FIELD is
      src                        the source
      ref                        the reference, or references, that are scored
      ref:NAME                   a reference by its name
      docid, origlang, domain …  what is known of a segment
      a system's name            its output (sys:NAME if a field is called so)
      all                        everything
    """,
)
@argument("names", metavar="NAME[,NAME]", shell_complete=completed(test_set_names))
@argument("fields", nargs=-1, required=True, metavar="FIELD...")
@what("-l", "--language-pair", "pair", metavar="SRC-TRG", required=True, help="The language pair.")
@what("-ol", "--origlang", metavar="XX", help="Only segments written in XX (non-XX: all others).")
@what("--subset", metavar="REGEX", help="Only documents whose domain or tag matches.")
@store_options
def echo(
    *,
    names: str,
    fields: tuple[str, ...],
    pair: str,
    origlang: str | None,
    subset: str | None,
    cache: str | None,
    offline: bool,
) -> None:
    """Print fields of test sets."""
    with open_store(cache, offline=offline) as store:
        echo_fields(names.split(","), pair, fields, store, origlang=origlang, subset=subset)


@command.command(examples=CITE)
@name_argument
def cite(name: str) -> None:
    """Print the publication to cite, as BibTeX."""
    cite_set(name)


def list_sets(pair: str | None, form: str = "text") -> None:
    """Print the test sets; with a pair those that have it, and behind them those with only its reverse.

    Raises:
        UsageError: no test set has the pair in either direction.
    """
    rows = [_listed(one, pair) for one in catalogue.every()]
    if pair is not None:
        fitting = [row for row in rows if pair in row["pairs"] or row["reverse_only"]]
        if not fitting:
            known = {known for row in rows for known in row["pairs"]}
            close = get_close_matches(pair, known, n=5)
            hint = f"did you mean {' or '.join(close)}?" if close else "for example en-de"
            raise UsageError(f"no test set has the language pair {pair!r}", hint=hint)
        rows = sorted(fitting, key=lambda row: row["reverse_only"])
    if form == "json":
        messages.data(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        remark = f"reverse only ({_reverse(pair or '')}): " if row.get("reverse_only") else ""
        count = "" if pair else f"  {counted(len(row['pairs']), 'pair'):>8}"
        messages.page([f"{row['name']:<{width}}{count}  {remark}{row['description']}"])


def _listed(one: Manifest, pair: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": one.name,
        "description": one.description,
        "format": one.format,
        "pairs": list(one.pairs),
    }
    if pair is not None:
        row["reverse_only"] = pair not in one.pairs and _reverse(pair) in one.pairs
    return row


def _reverse(pair: str) -> str:
    source, _, target = pair.partition("-")
    return f"{target}-{source}"


def show_set(name: str, pair: str | None, form: str, store: Store) -> None:
    """Print what a test set, or one pair of it, is made of.

    Raises:
        UsageError: there is no such set or pair.
    """
    one = catalogue.find(name)
    if pair is not None:
        catalogue.find_pair(one, pair)
    pairs = {known: _pair_facts(one, known, store) for known in ([pair] if pair else one.pairs)}
    facts = {
        "name": one.name,
        "description": one.description,
        "format": one.format,
        "pairs": pairs,
        "files": [_file_facts(download.asset, store) for download in _downloads(one, pair)],
        "folder": str(one.folder),
        "citation": one.citation,
    }
    if form == "json":
        messages.data(facts)
    else:
        messages.page(_shown(one, pair, facts))


def _downloads(one: Manifest, pair: str | None) -> Iterable[Any]:
    """Return the downloads that a pair, or any pair, needs."""
    if pair is None:
        return one.downloads.values()
    names = {location.download for location in one.pairs[pair].files.values()}
    return [download for name, download in one.downloads.items() if name in names]


def _pair_facts(one: Manifest, pair: str, store: Store) -> dict[str, Any]:
    """Return the fields of a pair (None: not known yet), the scored references, the number of segments."""
    fields = catalogue.known_fields(one, pair, store)
    refs = [field for field in fields or [] if field.startswith("ref")]
    wanted = one.pairs[pair].default_refs
    scored = [reference_field(ref.replace("|", " or ")) for ref in wanted] or refs
    return {"fields": fields, "scored": scored, "segments": catalogue.known_lines(one, pair, store)}


def _file_facts(asset: Asset, store: Store) -> dict[str, Any]:
    """Return what a published file is, and its state: verified, damaged or missing."""
    local = store.find(asset)
    trouble = None if local else store.trouble(asset)
    return {
        "name": asset.name,
        "url": asset.url,
        "mirrors": list(asset.mirrors),
        "md5": asset.md5,
        "sha256": local.sha256 if local else asset.sha256,
        "size": local.size if local else None,
        "path": str(local.path) if local else None,
        "state": "verified" if local else "damaged" if trouble else "missing",
    }


def _shown(one: Manifest, pair: str | None, facts: Mapping[str, Any]) -> list[str]:
    """Return the lines that show a test set."""
    lines = [f"{one.name}: {one.description}", ""]
    for name, known in facts["pairs"].items():
        if pair is None:
            segments = f", {counted(known['segments'], 'segment')}" if known["segments"] else ""
            lines.append(f"{name:<9}  scored: {', '.join(known['scored'])}{segments}")
        else:
            fields = ", ".join(known["fields"]) if known["fields"] else "known once the file is here"
            rows = {"pair": name, "fields": fields, "scored": ", ".join(known["scored"])}
            rows |= {"segments": str(known["segments"] or "not known yet"), "format": one.format}
            lines += [f"{key:<9}  {value}" for key, value in rows.items()]
    lines.append("")
    for file in facts["files"]:
        size = f", {file['size']:,} bytes" if file["size"] is not None else ""
        lines.append(f"file       {file['url']}")
        lines.append(f"           {file['state']}{size}{', ' + file['path'] if file['path'] else ''}")
    if one.local:
        lines.append(f"file       {', '.join(one.checksums)} in {one.folder}")
    lines.append(
        f"citation   mtscore testsets cite {one.name}" if _citation(one) else "citation   none recorded"
    )
    return lines


def get_sets(names: Sequence[str], pair: str | None, store: Store) -> None:
    """Fetch and verify the files of test sets and say where they are; with a pair extract its texts, too.

    Raises:
        UsageError: there is no such set or pair.
        NetworkError, IntegrityError, StorageError: from fetching.
    """
    found = [catalogue.find(name) for name in names]
    for one in found:
        if pair is not None:
            catalogue.find_pair(one, pair)  # every name is right before anything is fetched
    for one in found:
        if pair is not None:
            count = len(catalogue.read(one, pair, store=store).sources)
            messages.page([f"{one.name} {pair}: {counted(count, 'segment')}"])
            continue
        catalogue.fetch(one, store)
        for file in (_file_facts(download.asset, store) for download in one.downloads.values()):
            messages.page([f"{one.name}: {file['path']}, {file['size']:,} bytes, SHA-256 {file['sha256']}"])
        if one.local:
            messages.page([f"{one.name}: comes as local files, verified"])


def echo_fields(
    names: Sequence[str],
    pair: str,
    fields: Sequence[str],
    store: Store,
    *,
    origlang: str | None = None,
    subset: str | None = None,
) -> None:
    """Print fields of test sets, one set after the other, a line for every segment that the filters keep.

    Raises:
        UsageError: there is no such set, pair or field; or a filter that does not apply.
        NetworkError, IntegrityError, StorageError: from fetching.
    """
    output = []
    for name in names:
        one = catalogue.find(name)
        content = catalogue.read(one, pair, store=store, systems=True)
        known = content.fields()
        chosen = [
            match
            for field in fields
            for match in catalogue.matching_fields(
                field, content, one.pairs[pair].default_refs, f"{name} {pair}"
            )
        ]
        _say_reference(fields, chosen)
        columns = [known[field] for field in chosen]
        if len(columns) > 1:
            columns = [_without_tabs(field, lines) for field, lines in zip(chosen, columns, strict=True)]
        keep = catalogue.kept(content, one, pair, origlang, subset)
        output += ["\t".join(row) + "\n" for row in compress(zip(*columns, strict=True), keep)]
    messages.result("".join(output))


def _say_reference(asked: Sequence[str], chosen: Sequence[str]) -> None:
    """Tell which references `ref` stands for where they have names."""
    named = [field for field in chosen if field.startswith("ref:")]
    if "ref" in asked and named:
        note = Notice("note", "scored-reference", f"ref is {', '.join(named)}, as it is scored")
        messages.notices([note], quiet=False, verbose=False)


def _without_tabs(field: str, lines: list[str]) -> list[str]:
    """Return lines that can stand in a column, a space for each tab; say so if there were any."""
    count = sum("\t" in line for line in lines)
    if count:
        first = next(number for number, line in enumerate(lines, 1) if "\t" in line)
        text = "a tab in the text became a space, to keep the columns"
        messages.notices(
            [Notice("warning", "tab-in-field", text, field, first, count)], quiet=False, verbose=False
        )
    return [line.replace("\t", " ") for line in lines]


def cite_set(name: str) -> None:
    """Print the BibTeX entry of a test set; a variant without its own has that of its family.

    Raises:
        UsageError: there is no such set, or no publication is recorded.
    """
    one = catalogue.find(name)
    citation = _citation(one)
    if citation is None:
        raise UsageError(f"no publication is recorded for {name}", hint=one.description)
    messages.result(citation + "\n")


def _citation(one: Manifest) -> str | None:
    base = one.name.partition("/")[0]
    if one.citation is None and base != one.name and base in catalogue.names():
        return catalogue.find(base).citation
    return one.citation
