"""The course of `mtscore reproduce`: a claim or a report becomes inputs, then a verdict, then output."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mtscore import claims
from mtscore.cli import DONE, NO, messages, stdin, verdicts
from mtscore.cli.inputs import METADATA, Inputs, open_inputs
from mtscore.cli.progress import progress_bar
from mtscore.cli.score import parse
from mtscore.cli.store import open_store
from mtscore.corpus import Corpus
from mtscore.errors import InputError, UsageError, counted
from mtscore.evaluate import evaluate
from mtscore.lines import STDIN, read_lines
from mtscore.metrics.base import CHUNK_SEGMENTS
from mtscore.metrics.settings import setting
from mtscore.recheck import ROUNDING, Recorded, differences, is_report
from mtscore.report.receipt import receipt
from mtscore.report.rows import dumps
from mtscore.reproduce import reproduce
from mtscore.signature import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.claims import Published
    from mtscore.cli.reproduce import ReproduceOptions
    from mtscore.corpus import Chunk
    from mtscore.reproduce import Verdict
    from mtscore.signature import Signature

DATA_OPTIONS = {"test": "-t", "lang": "-l", "origlang": "-ol", "subset": "--subset", "userefs": "--use-refs"}
"""The options behind what a signature says of the data."""


def execute(options: ReproduceOptions) -> int:
    """Judge a claim, or several, or a report; return the exit code."""
    if options.tokenize is not None and not options.tokenize.startswith("spm:"):
        raise UsageError(
            "the claim has its tokenizer; only a model of one's own is to be named", where="-tok"
        )
    source = _Source.read(options.claim)
    with open_store(options.cache, offline=options.offline):
        if claims.is_json(source.text) and is_report(claims.load_json(source.text)):
            return _judge_report(source, options)
        return _judge_claims(source, options)


class _Source(NamedTuple):
    """Hold what CLAIM is: its name, its text, and the folder that files are looked for in besides."""

    name: str
    text: str
    folder: Path | None = None

    @classmethod
    def read(cls, claim: str) -> _Source:
        """Take CLAIM as the name of a file if there is one, else as the claim itself."""
        if claim == STDIN or os.path.isfile(claim):
            stdin.check([claim], "the claim")
            return cls(claim, "\n".join(read_lines(claim)), Path(claim).parent)
        if claim.endswith(".json"):
            raise InputError("no such file", where=claim)
        return cls(claim, claim)

    def find(self, file: str) -> str:
        """Return where a file is that the text names.

        Raises:
            InputError: if it is neither where its name says, nor that way from the folder, nor in it.
        """
        places = [Path(file)]
        if self.folder is not None:
            places += [self.folder / file, self.folder / Path(file).name]
        for place in places:
            if file == STDIN or place.is_file():
                return str(place)
        raise InputError(
            "no such file here", where=file, hint=f"{self.name} names it; give it on the command line"
        )


# --- Inputs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Texts:
    """Hold all segments of systems and references, as they were read."""

    inputs: Inputs
    chunks: Sequence[Chunk]

    @classmethod
    def read(cls, words: Sequence[str], *, digest: bool = False) -> _Texts:
        """Read what a command line of `mtscore score` would read."""
        with open_inputs(parse(words), digest=digest) as inputs:
            return cls(inputs, list(inputs.lockstep.chunks(CHUNK_SEGMENTS)))

    def corpus(self, index: int) -> Corpus:
        """Return the corpus of one system."""
        streams = zip(*(chunk.references for chunk in self.chunks), strict=True)
        return Corpus(
            [[line for chunk in self.chunks for line in chunk.systems[index]]],
            [[line for part in parts for line in part] for parts in streams],
        )

    @cached_property
    def spare_references(self) -> dict[str, list[str]]:
        """Return the references of the test set, if there is one, that were not asked for."""
        testset = self.inputs.testset
        if testset is None or "," in testset.name:
            return {}
        from mtscore.catalog import catalogue  # noqa: PLC0415  # only for test sets

        content = catalogue.read(catalogue.find(testset.name), testset.pair)
        numbers = [number for chunk in self.chunks for number in chunk.numbers]
        return {
            f"{testset.name} {testset.pair} reference {name}": [lines[number - 1] for number in numbers]
            for name, lines in content.references.items()
            if name not in testset.refs
        }

    @property
    def references(self) -> list[str]:
        """Return what messages call each stream of references."""
        names, columns = self.inputs.reference_names, self.inputs.lockstep.columns
        return [f"{name} column {i + 1}" if columns > 1 else name for name in names for i in range(columns)]


def _words(
    references: Sequence[str], hypotheses: Sequence[str], options: Mapping[str, str | None]
) -> list[str]:
    """Return the command line of `mtscore score` for these files and options, without those that are None."""
    files = [word for name in references for word in ("-r", name)]
    given = [word for name, value in options.items() if value is not None for word in (name, value)]
    return [*files, *given, "-i", *hypotheses]


def _data_options(signature: Signature) -> dict[str, str | None]:
    """Return the options for the test set that a signature names."""
    facts = {key: signature.get(key) for key in DATA_OPTIONS}
    return {DATA_OPTIONS[key]: None if value is None else str(value) for key, value in facts.items()}


# --- Claims -------------------------------------------------------------------------------------------------


def _judge_claims(source: _Source, options: ReproduceOptions) -> int:
    published = _claims(source, options)
    systems = list(dict.fromkeys(one.system for one in published))
    hypotheses = _hypotheses(published, source, options)
    references = [*options.words, *options.reference]
    stdin.refuse_twice([source.name, *references, *hypotheses])
    reading = {"-e": options.encoding, "-nr": str(options.num_refs or 1)}
    texts: dict[tuple[str, ...], _Texts] = {}
    found = []
    for one in published:
        data = {} if references else _data_options(one.claim.signature)
        words = tuple(_words(references, hypotheses, reading | data))
        if words not in texts:
            texts[words] = _Texts.read(words)
        verdict = reproduce(
            one.claim,
            texts[words].corpus(systems.index(one.system)),
            texts[words].references,
            spare=texts[words].spare_references,
            model=options.tokenize,
        )
        verdict = _with_unchecked(verdict, one.unchecked)
        found.append((one, _with_data_note(verdict) if references else verdict))
    _say_verdicts(found, options.form)
    return DONE if all(verdict.reproduced for _, verdict in found) else NO


def _claims(source: _Source, options: ReproduceOptions) -> list[Published]:
    if options.published is not None:
        return [claims.from_line(source.text, options.published)]
    if source.folder is None and not claims.is_json(source.text):
        return [claims.from_line(source.text)]
    return claims.from_text(source.text)


def _hypotheses(published: Sequence[Published], source: _Source, options: ReproduceOptions) -> list[str]:
    """Return the file of each system: as given, or as the claims name it; standard input for a single one."""
    files = {one.system: one.file for one in published}
    if options.input:
        if len(options.input) != len(files):
            raise UsageError(
                f"the claim is about {counted(len(files), 'system')}, not {len(options.input)}",
                where="-i/--input",
                hint="references stand before -i, or behind -r",
            )
        return list(options.input)
    named = [file for file in files.values() if file is not None]
    if len(named) == len(files):
        return [source.find(file) for file in named]
    if len(files) > 1:
        raise UsageError(
            "the claim does not name the files of its systems", hint="-i FILE..., in their order"
        )
    return [STDIN]


def _with_unchecked(verdict: Verdict, unchecked: Sequence[str]) -> Verdict:
    """Note which other numbers of the claim nothing is said about."""
    note = [f"not compared: {', '.join(unchecked)}"] if unchecked else []
    return replace(verdict, notes=[*verdict.notes, *note])


def _with_data_note(verdict: Verdict) -> Verdict:
    """Note which data the claim is about, where references of the user's own were scored."""
    signature = verdict.claim.signature
    facts = [setting(signature, key) for key in DATA_OPTIONS if signature.get(key) is not None]
    if not facts:
        return verdict
    note = f"the claim is about {', '.join(facts)}, which the references given are taken to be"
    return replace(verdict, notes=[*verdict.notes, note])


def _say_verdicts(found: Sequence[tuple[Published, Verdict]], form: str) -> None:
    alone = len(found) == 1
    if form == "json":
        data = [verdicts.claim_data(*pair) for pair in found]
        messages.data(data[0] if alone else data)
        return
    messages.page(line for pair in found for line in verdicts.claim_lines(*pair, alone=alone))


# --- Reports ------------------------------------------------------------------------------------------------


def _judge_report(source: _Source, options: ReproduceOptions) -> int:
    if options.published is not None:
        raise UsageError("a report has scores of its own", where="--published")
    then = json.loads(source.text)
    recorded = Recorded.of(then)
    texts = _Texts.read(_report_words(recorded, source, options), digest=True)
    now = _evaluated(recorded, texts, options.tokenize)
    found = differences(then, now)
    same_inputs = all(difference.kind != "input" for difference in found)
    explanations = _explanations(recorded, now, texts, options.tokenize) if same_inputs else []
    answer = (source.name, len(then["rows"]), found, explanations)
    if options.form == "json":
        messages.data(verdicts.report_data(*answer))
    else:
        messages.page(verdicts.report_lines(*answer))
    return DONE if all(difference.harmless for difference in found) else NO


def _report_words(recorded: Recorded, source: _Source, options: ReproduceOptions) -> list[str]:
    """Return the command line of `mtscore score` that reads what the report was made of."""
    hypotheses = _files("hypothesis", recorded, source, options.input)
    references = _files("reference", recorded, source, [*options.words, *options.reference])
    groups = _files("groups", recorded, source, ())
    entries = recorded.data["inputs"]
    columns = max([options.num_refs or 1, *(entry.get("columns", 1) for entry in entries)])
    signature = recorded.signatures[0]
    given = _data_options(signature) | {
        "-e": options.encoding or next((entry["encoding"] for entry in entries if "encoding" in entry), None),
        "-nr": str(columns),
        "--groups": groups[0] if groups else None,
    }
    words = _words(references, hypotheses, given)
    if references and signature.get("numrefs") != len(references) * columns:
        words.insert(0, "--empty-refs-missing")
    if given["-t"] and not groups and recorded.group_columns & set(METADATA):
        words.insert(0, "--detail")
    return words


def _files(role: str, recorded: Recorded, source: _Source, given: Sequence[str]) -> list[str]:
    """Return the files with a role: as given, or found again by the names that the report has."""
    names = [entry["file"] for entry in recorded.files(role)]
    if not given:
        return [source.find(name) for name in names]
    if len(given) != len(names):
        has = counted(len(names), f"{role} file")
        raise UsageError(f"the report has {has}, given are {len(given)}: {' '.join(given)}")
    return list(given)


def _evaluated(recorded: Recorded, texts: _Texts, model: str | None) -> dict[str, Any]:
    """Return the report that the texts give now, as JSON data."""
    plan = recorded.plan(model=model, facts=texts.inputs.facts, groups=texts.inputs.groups)
    with progress_bar(quiet=False) as progress:
        report = evaluate(
            recorded.systems, texts.inputs.reference_names, texts.chunks, plan, progress=progress
        )
    data: dict[str, Any] = json.loads(dumps(receipt(texts.inputs.described(report, []))))
    return data


def _explanations(recorded: Recorded, now: Mapping[str, Any], texts: _Texts, model: str | None) -> list[str]:
    """Return what else would give those scores that have changed though the texts have not."""
    found = {(row["system"], row["name"]): row["score"] for row in now["rows"] if _is_of_corpus(row)}
    systems = [system.name for system in recorded.systems]
    explanations = []
    for row, signature in zip(recorded.data["rows"], recorded.signatures, strict=True):
        key = (row["system"], signature.name)
        if not _is_of_corpus(row) or key not in found or abs(found[key] - row["score"]) <= ROUNDING:
            continue
        claim = Claim(signature, "plus", f"{Decimal(repr(row['score'])):f}")
        verdict = reproduce(claim, texts.corpus(systems.index(row["system"])), texts.references, model=model)
        explanations += [
            f"{signature.name} of {row['system']} is {claim.score}, as in the report, with {trial.what}"
            for trial in verdict.fitting
        ]
    return explanations


def _is_of_corpus(row: Mapping[str, Any]) -> bool:
    return "segment" not in row and "group" not in row
