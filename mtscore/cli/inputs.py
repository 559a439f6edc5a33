"""Open what is to be scored: files, standard input, standard test sets; and name the systems."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mtscore.cli import stdin
from mtscore.cli.options import target_language
from mtscore.corpus import Lines, Lockstep, System
from mtscore.errors import InputError, UsageError, counted
from mtscore.lines import STDIN, LineReader
from mtscore.notices import Notice
from mtscore.results import Input

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mtscore.catalog.testdata import TestData
    from mtscore.cli.score import ScoreOptions
    from mtscore.results import Report, TestSetUse

NO_REFERENCE = "mtscore REFERENCE -i HYPOTHESES, or -t SET -l SRC-TRG for a standard test set"
METADATA = ("origlang", "domain", "country")
"""What `--detail` groups segments by, where a test set has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Hold everything that is read: `facts` are for signatures, `groups` the labels of segments by column."""

    systems: Sequence[System]
    readers: Sequence[tuple[str, LineReader]]
    """What is read, each with its role: hypothesis, reference, groups."""
    reference_names: Sequence[str]
    lockstep: Lockstep
    facts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    testset: TestSetUse | None = None

    def described(self, report: Report, notices: Sequence[Notice]) -> Report:
        """Return the report with the inputs, after they have been read, and what was noticed of them."""
        marks = [
            Notice("note", "byte-order-mark", "starts with a byte-order mark, which is dropped", reader.name)
            for _, reader in self.readers
            if reader.byte_order_mark
        ]
        return replace(
            report,
            inputs=[self._described(role, reader) for role, reader in self.readers],
            testset=self.testset,
            notices=sorted([*notices, *marks, *report.notices], key=lambda notice: notice.level != "warning"),
        )

    def _described(self, role: str, reader: LineReader) -> Input:
        """Return what identifies an input; its form only where it is not the usual one."""
        columns = self.lockstep.columns if role == "reference" else 1
        return Input(
            role=role,
            file=reader.path,
            bytes=reader.source.bytes,
            lines=reader.lines,
            sha256=reader.source.sha256 or "",
            encoding=None if reader.encoding.lower() in {"utf-8", "utf8"} else reader.encoding,
            columns=None if columns == 1 else columns,
        )


@contextmanager
def open_inputs(options: ScoreOptions, *, digest: bool) -> Iterator[Inputs]:
    """Open all inputs, and close them at the end.

    Raises:
        UsageError: if it is not clear what is to be scored against what.
        InputError: if an input cannot be opened.
        NetworkError, IntegrityError, StorageError: from fetching a test set.
    """
    references = [*options.words, *options.reference]
    hypotheses = list(options.input) or [STDIN]
    _check(options, references, hypotheses)
    data = _load(options) if options.test_set else None
    systems = [
        System(name, None if path == STDIN else path)
        for name, path in zip(_names(options.names, hypotheses), hypotheses, strict=True)
    ]
    with ExitStack() as stack:
        readers = _Readers(stack, options.encoding, digest=digest)
        for path in hypotheses:
            readers.open(path, "hypothesis")
        groups = _read_groups(readers.open(options.groups, "groups")) if options.groups else {}
        if data is None:
            for path in references:
                readers.open(path, "reference", trim=options.num_refs == 1)
            yield _of_files(options, systems, readers, groups)
        else:
            yield _of_test_set(data, options, systems, readers, groups)


class _Readers:
    """Open files, and remember in which role; `stack` closes them."""

    def __init__(self, stack: ExitStack, encoding: str, *, digest: bool) -> None:
        self._stack, self._encoding, self._digest = stack, encoding, digest
        self.opened: list[tuple[str, LineReader]] = []

    def open(self, path: str, role: str, *, trim: bool = True) -> LineReader:
        """Open a file; `trim` cuts white space at the ends of its lines."""
        reader = LineReader(path, encoding=self._encoding, trim=trim, digest=self._digest)
        self._stack.callback(reader.close)
        self.opened.append((role, reader))
        return reader

    def of(self, role: str) -> list[LineReader]:
        """Return the files with a role, in the order in which they were opened."""
        return [reader for own, reader in self.opened if own == role]


def _of_files(
    options: ScoreOptions,
    systems: Sequence[System],
    readers: _Readers,
    groups: Mapping[str, Sequence[str]],
) -> Inputs:
    """Return the inputs for scoring against files of references."""
    references = readers.of("reference")
    return Inputs(
        systems=systems,
        readers=readers.opened,
        reference_names=[reader.path for reader in references],
        lockstep=Lockstep(
            systems=readers.of("hypothesis"),
            references=references,
            columns=options.num_refs,
            empty_is_missing=options.empty_refs_missing,
        ),
        facts={"lang": options.language_pair} if options.language_pair else {},
        groups=groups,
    )


# --- What was asked for -------------------------------------------------------------------------------------


def _check(options: ScoreOptions, references: Sequence[str], hypotheses: Sequence[str]) -> None:
    target_language(options.language_pair)
    _check_sources(options, references)
    seen: dict[str, str] = {}
    for path in hypotheses:
        real = os.path.realpath(path)
        if path != STDIN and real in seen:
            raise UsageError(f"the same system twice: {seen[real]} and {path}", where="-i/--input")
        seen[real] = path
    stdin.check([*references, *hypotheses, options.groups], "hypotheses" if STDIN in hypotheses else "lines")


def _check_sources(options: ScoreOptions, references: Sequence[str]) -> None:
    """Refuse contradictions between reference files and test sets."""
    if options.test_set is None:
        needing = {
            "--origlang": options.origlang,
            "--subset": options.subset,
            "--use-refs": options.use_refs,
            "--detail": options.detail,
        }
        for name, value in needing.items():
            if value:
                raise UsageError(f"{name} needs -t and -l", hint="--groups FILE goes with files of your own")
        if not references:
            raise UsageError("no reference", hint=NO_REFERENCE)
    elif references:
        raise UsageError(
            f"references come from the test set or from files, not from both: {' '.join(references)}",
            where="-t/--test-set",
            hint="hypotheses stand behind -i",
        )
    elif options.language_pair is None:
        raise UsageError(
            "a test set needs a language pair", where="-l", hint=f"mtscore testsets show {options.test_set}"
        )
    if options.num_refs > 1 and (len(references) > 1 or options.test_set):
        raise UsageError("several references on a line come from one file", where="-nr/--num-refs")


# --- Standard test sets -------------------------------------------------------------------------------------


def _load(options: ScoreOptions) -> TestData:
    from mtscore.catalog import catalogue  # noqa: PLC0415  # only for test sets

    return catalogue.load(
        _listed(options.test_set),
        options.language_pair or "",
        use_refs=_listed(options.use_refs) or None,
        origlang=options.origlang,
        subset=options.subset,
    )


def _of_test_set(
    data: TestData,
    options: ScoreOptions,
    systems: Sequence[System],
    readers: _Readers,
    own_groups: Mapping[str, Sequence[str]],
) -> Inputs:
    """Return the inputs for scoring against a test set: hypotheses of the whole set, filtered afterwards."""
    from mtscore.catalog import catalogue  # noqa: PLC0415

    names = [f"{data.name} {data.pair} reference {label}" for label in data.labels]
    facts = {
        "lang": data.pair,
        "test": data.name,
        "origlang": options.origlang,
        "subset": options.subset,
        "userefs": options.use_refs,
    }
    return Inputs(
        systems=systems,
        readers=readers.opened,
        reference_names=names,
        lockstep=Lockstep(
            systems=readers.of("hypothesis"),
            references=[Lines(name, lines) for name, lines in zip(names, data.references, strict=True)],
            source=Lines("source", data.sources),
            keep=data.keep if data.filtered else None,
            advice=lambda found, _wanted: catalogue.explain_length(data, found),
        ),
        facts={key: value for key, value in facts.items() if value is not None},
        groups={
            column: data.select(labels) if len(labels) == len(data) else labels
            for column, labels in {**_set_groups(data, detail=options.detail), **own_groups}.items()
        },
        testset=data.use,
    )


def _set_groups(data: TestData, *, detail: bool) -> dict[str, list[str]]:
    """Return the labels of all segments: by test set where there are several, and for `--detail`."""
    groups = {}
    if len(data.parts) > 1:
        groups["test"] = [part.name for part in data.parts for _ in range(part.start, part.stop)]
    if detail:
        groups |= {
            column: [label or "unknown" for label in data.metadata[column]]
            for column in METADATA
            if column in data.metadata
        }
        if not groups:
            raise UsageError(
                f"{data.name} does not tell the origins or domains of its texts", where="--detail"
            )
    return groups


# --- Names and groups ---------------------------------------------------------------------------------------


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []


def _names(given: str | None, hypotheses: Sequence[str]) -> list[str]:
    if given is None:
        return short_names(hypotheses)
    names = _listed(given)
    if len(names) != len(hypotheses):
        raise UsageError(
            f"{counted(len(names), 'name')} for {counted(len(hypotheses), 'system')}", where="--names"
        )
    if len(set(names)) < len(names) or "" in names:
        raise UsageError("every system needs a name of its own", where="--names")
    return names


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the shortest parts of paths that tell them apart, cut at dots, underscores and slashes.

    >>> short_names(["out/hyp.xmu.de", "out/hyp.online-B.de"])
    ['xmu', 'online-B']
    >>> short_names(["a/hyp.de", "b/hyp.de"]), short_names(["out/hyp.de"])
    (['a', 'b'], ['hyp.de'])
    """
    if len(paths) == 1:
        return ["stdin" if paths[0] == STDIN else os.path.basename(paths[0])]
    names = ["stdin" if path == STDIN else os.path.basename(path) for path in paths]
    if len(set(names)) < len(names):
        names = [os.path.normpath(path) for path in paths]
    start = _cut_after_last_separator(_common_start(names))
    rest = [name[start:] for name in names]
    end = _cut_after_last_separator(_common_start([name[::-1] for name in rest]))
    return [name[: len(name) - end] for name in rest] if all(len(name) > end for name in rest) else rest


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    length = next((i for i, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)
    return first[:length] if length is not None else first


def _cut_after_last_separator(common: str) -> int:
    return max(common.rfind(separator) for separator in "._/") + 1


def _read_groups(reader: LineReader) -> dict[str, list[str]]:
    """Return the columns of a tab-separated file with a header, by name; short rows are filled up."""
    lines = list(reader)
    if not lines:
        raise InputError("is empty", where=reader.name)
    header = lines[0].split("\t")
    if len(set(header)) < len(header):
        raise InputError("two columns have the same name", where=f"{reader.name}:1")
    rows = [line.split("\t") for line in lines[1:]]
    for number, row in enumerate(rows, 2):
        if len(row) > len(header):
            raise InputError(
                f"expected {len(header)} columns as in the header, found {len(row)}",
                where=f"{reader.name}:{number}",
            )
    filled = [row + [""] * (len(header) - len(row)) for row in rows]
    return {name: [row[index] or "unknown" for row in filled] for index, name in enumerate(header)}
