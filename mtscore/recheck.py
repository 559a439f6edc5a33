"""Whether a report comes out again: read one back, plan its evaluation once more, name every difference.

A report tells what was read, how it was scored, and what came out. Differences are of inputs, test set,
tokenizers, settings, and results; other versions of the programs are only noted. Nothing here opens a file.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from mtscore.corpus import System
from mtscore.errors import InputError, UsageError
from mtscore.evaluate import Plan
from mtscore.gates import Limit
from mtscore.lines import STDIN
from mtscore.metrics.settings import from_signature
from mtscore.report.receipt import SCHEMA
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SCHEMA_NAME, _, SCHEMA_NUMBER = SCHEMA.rpartition("/")

ROUNDING = 1e-11
"""Other processors may round the last digits of a float otherwise; a larger difference is one."""

DECIMALS = 9
"""Of the limit of a drop, which is the difference of two scores."""

DIGITS = 12
"""How much is shown of a SHA-256."""

NUMBER = (int, float)
REQUIRED: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "inputs": {"role": str, "file": str, "bytes": int, "lines": int, "sha256": str},
    "rows": {"system": str, "name": str, "score": NUMBER, "signature": str, "settings": dict},
    "pairs": {"name": str, "a": str, "b": str},
    "clusters": {"name": str, "rank": int},
    "gates": {"gate": str, "system": str, "name": str, "limit": NUMBER},
}
"""What the entries of each list must have for the report to be understood."""

OPTIONAL: Mapping[str, type | tuple[type, ...]] = {
    "delta": NUMBER,
    "baseline": str,
    "group": dict,
    "segment": int,
    "file": str,
    "encoding": str,
    "columns": int,
}
"""What an entry may have, and of which type it then must be."""

ROLES = ("hypothesis", "reference", "groups")

Kind = Literal["input", "test set", "tokenizer", "setting", "score", "result", "rounding", "version"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In what there may be a difference: the causes first, then what follows from them, then the harmless."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Say in what a report and its second evaluation differ, and of what; None stands for nothing there."""

    kind: Kind
    where: str
    then: Any
    now: Any
    text: str

    @property
    def harmless(self) -> bool:
        """Return whether the report counts as reproduced nevertheless."""
        return self.kind in ("rounding", "version")


def is_report(data: Any) -> bool:
    """Return whether JSON data says of itself that it is a report, of whatever schema."""
    return isinstance(data, dict) and str(data.get("schema", "")).startswith(f"{SCHEMA_NAME}/")


@dataclass(frozen=True)
class Recorded:
    """Hold a report as it was read back."""

    data: Mapping[str, Any]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Recorded:
        """Take JSON data for a report.

        Raises:
            UsageError: if its schema is newer than this program.
            InputError: if something is missing or of another type.
        """
        number = str(data["schema"]).removeprefix(f"{SCHEMA_NAME}/")
        if number != SCHEMA_NUMBER:
            newer = re.fullmatch("[0-9]+", number) is not None and int(number) > int(SCHEMA_NUMBER)
            raise UsageError(
                f"the report has the schema {data['schema']}, known is {SCHEMA}",
                hint="a newer mtscore reads it" if newer else None,
            )
        _check_facts(data)
        for name, keys in REQUIRED.items():
            _check_entries(name, data.get(name), keys)
        if not data["rows"]:
            raise InputError("the report has no rows")
        roles = [entry["role"] for entry in data["inputs"]]
        if not set(roles) <= set(ROLES) or roles.count("groups") > 1:
            raise InputError(f"the report is damaged: its inputs are {', '.join(roles)}")
        found = cls(data)
        if "reference" not in roles and found.signatures[0].get("test") is None:
            raise InputError("the report is damaged: it has neither references nor a test set")
        return found

    @cached_property
    def signatures(self) -> list[Signature]:
        """Return the signature of each row."""
        return [_signature(row) for row in self.data["rows"]]

    @cached_property
    def metrics(self) -> dict[str, Signature]:
        """Return the first signature of each metric, in the order of the rows."""
        first: dict[str, Signature] = {}
        for signature in self.signatures:
            first.setdefault(signature.name, signature)
        return first

    def files(self, role: str) -> list[Mapping[str, Any]]:
        """Return the inputs with a role, in the order in which they were given."""
        return [entry for entry in self.data["inputs"] if entry["role"] == role]

    @property
    def systems(self) -> list[System]:
        """Return the systems in the order in which their files were given.

        Raises:
            InputError: if a file has two names.
        """
        names: dict[str, str] = {}
        for row in self.data["rows"]:
            file = row.get("file", STDIN)
            if names.setdefault(file, row["system"]) != row["system"]:
                raise InputError(f"the report is damaged: {file} is called {names[file]} and {row['system']}")
        files = [entry["file"] for entry in self.files("hypothesis")]
        return [System(names.get(file, file), None if file == STDIN else file) for file in files]

    @property
    def group_columns(self) -> set[str]:
        """Return by what the segments were grouped."""
        return {column for row in self.data["rows"] for column in row.get("group", {})}

    def plan(
        self, *, model: str | None, facts: Mapping[str, str], groups: Mapping[str, Sequence[str]]
    ) -> Plan:
        """Return what to compute to get the report again.

        Args:
            model: a sentencepiece model of one's own that signatures only know by digest (`spm:PATH`).
            facts: further fields of signatures, as the inputs give them.
            groups: the label of every segment by column.
        """
        rows, first = self.data["rows"], self.signatures[0]
        trials, resamples = int(first.get("ar") or 0), int(first.get("bs") or 0)
        paired_bootstrap = not trials and any("p_value" in entry for entry in (*rows, *self.data["pairs"]))
        test: Literal["ar", "bs"] | None = "ar" if trials else "bs" if paired_bootstrap else None
        return Plan(
            metrics=[from_signature(signature, model=model) for signature in self.metrics.values()],
            sentence_level=any("segment" in row for row in rows),
            resamples=0 if test == "bs" else resamples,
            test=test,
            trials=resamples if test == "bs" else trials,
            seed=int(first.get("seed") or 0),
            baseline=next((row["baseline"] for row in rows if "baseline" in row), None),
            all_pairs=bool(self.data["pairs"]),
            alpha=self.data.get("alpha", 0.05),
            limits=list(self._limits()),
            regression=any(gate["gate"] == "fail-on-regression" for gate in self.data["gates"]),
            groups=groups,
            facts=facts,
        )

    def _limits(self) -> Iterator[Limit]:
        """Yield the limits behind the gates, each once; that of a drop follows from the baseline's score."""
        rows = {(row["system"], row["name"]): row for row in self.data["rows"] if "delta" in row}
        seen = set()
        for gate in self.data["gates"]:
            option, value = gate["gate"], gate["limit"]
            if option == "max-drop" and (gate["system"], gate["name"]) in rows:
                row = rows[gate["system"], gate["name"]]
                value = round(abs(row["score"] - row["delta"] - value), DECIMALS)
            if option != "fail-on-regression" and (option, gate["name"], value) not in seen:
                seen.add((option, gate["name"], value))
                yield Limit(option=option, metric=gate["name"], value=value)


def _signature(row: Mapping[str, Any]) -> Signature:
    return _parsed(row["signature"])


@cache
def _parsed(signature: str) -> Signature:
    """Return a signature; the rows of segments share a few."""
    return Signature.parse(signature)


def _check_facts(data: Mapping[str, Any]) -> None:
    """Raise an InputError unless what a report has once is of the right type."""
    versions = data.get("versions")
    if not isinstance(versions, dict):
        raise InputError("the report has no versions")
    for name, value in {
        "tokenizers": versions.get("tokenizers", {}),
        "testset": data.get("testset", {}),
    }.items():
        if not isinstance(value, dict):
            raise InputError(f"the report is damaged: it has no proper {name}")
    if not _is(data.get("alpha", 0.05), NUMBER):
        raise InputError("the report is damaged: it has no proper alpha")


def _check_entries(name: str, entries: Any, keys: Mapping[str, type | tuple[type, ...]]) -> None:
    """Raise an InputError unless this is a list of objects that have these keys."""
    if not isinstance(entries, list):
        raise InputError(f"the report has no list of {name}")
    for index, entry in enumerate(entries):
        given = entry if isinstance(entry, dict) else {}
        wanted = {**keys, **{key: kind for key, kind in OPTIONAL.items() if key in given}}
        for key, kind in wanted.items():
            if not _is(given.get(key), kind):
                raise InputError(f"the report is damaged: {name}[{index}] has no proper {key}")
        if not all(isinstance(label, str) for label in given.get("group", {}).values()):
            raise InputError(f"the report is damaged: {name}[{index}] has no proper group")


def _is(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Return whether JSON has a value of this type here: true is no number, and neither is NaN."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return False
    return isinstance(value, kind)


# --- Differences --------------------------------------------------------------------------------------------


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """Return every difference of a report from its second evaluation, both as JSON data, causes first."""
    same_program = then["versions"].get("mtscore") == now["versions"].get("mtscore")
    wording = () if same_program else ("text",)
    found = [
        *_inputs(then["inputs"], now["inputs"]),
        *_fields("test set", "test set", then.get("testset", {}), now.get("testset", {})),
        *_versions("tokenizer", then["versions"].get("tokenizers", {}), now["versions"]["tokenizers"]),
        *_rows(then["rows"], now["rows"]),
        *_entries("pair", ("name", "a", "b"), then["pairs"], now["pairs"]),
        *_entries("cluster", ("name", "rank"), then["clusters"], now["clusters"]),
        *_entries("gate", ("gate", "name", "system"), then["gates"], now["gates"], skip=wording),
        *_fields("result", "all gates", {"passed": then.get("passed")}, {"passed": now["passed"]}),
        *_versions("version", then["versions"], now["versions"]),
    ]
    return sorted(found, key=lambda difference: KINDS.index(difference.kind))


def _inputs(then: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    """Compare the inputs, which are in the same order by role."""
    for role in dict.fromkeys(entry["role"] for entry in then):
        pairs = zip(
            *([entry for entry in side if entry["role"] == role] for side in (then, now)), strict=True
        )
        for old, new in pairs:
            where = f"{role} {old['file']}"
            if old["sha256"] == new["sha256"]:
                yield from _fields("input", where, old, new, skip=("file",))
            else:
                text = _describe_change(where, old, new)
                yield Difference("input", where, old["sha256"], new["sha256"], text)


def _describe_change(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    digests = f"SHA-256 {old['sha256'][:DIGITS]}… then, {new['sha256'][:DIGITS]}… now"
    changed = [what for what in ("bytes", "lines") if old[what] != new[what]]
    return "; ".join(
        [
            f"{where} has changed: {digests}",
            *(f"{old[what]} {what} then, {new[what]} now" for what in changed),
        ]
    )


def _versions(kind: Kind, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare versions by the name of a program or a tokenizer."""
    for name in {**then, **now}:
        old, new = then.get(name), now.get(name)
        if name != "tokenizers" and old != new:
            called = f"tokenizer {name}" if kind == "tokenizer" else name
            yield _changed(kind, called, f"version of {called}", old, new)


def _rows(then: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    old, new = ({_row_key(row): row for row in rows} for rows in (then, now))
    for key in {**old, **new}:
        where = _row_name(old.get(key) or new[key])
        if key in old and key in new:
            yield from _row_settings(where, old[key], new[key])
            yield from _fields(
                "result", where, old[key], new[key], skip=("file", "name", "signature", "settings")
            )
        else:
            yield _one_sided(where, old.get(key), new.get(key))


def _row_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["system"], _signature(row).name, tuple(row.get("group", {}).items()), row.get("segment")


def _row_name(row: Mapping[str, Any]) -> str:
    """Return how messages call a row: `BLEU of xmu, segment 17`."""
    group = "".join(f", {column} {label}" for column, label in row.get("group", {}).items())
    segment = f", segment {row['segment']}" if "segment" in row else ""
    return f"{_signature(row).name} of {row['system']}{group}{segment}"


def _row_settings(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare a row's settings with its signature, and both with those that were used now."""
    signature = _signature(old)
    signed, listed = {"name": signature.name, **signature.settings}, {"name": old["name"], **old["settings"]}
    used = {"name": new["name"], **new["settings"]}
    for key in {**listed, **signed, **used}:
        a, b, c = listed.get(key), signed.get(key), used.get(key)
        if a != b:
            text = f"{key} of {where} is {_shown(a)} in its settings, {_shown(b)} in its signature"
            yield Difference("setting", where, a, b, text)
        elif b != c and key != "version":
            yield _changed("setting", where, f"{key} of {where}", b, c)


def _entries(
    what: str,
    keys: Sequence[str],
    then: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
    skip: Sequence[str] = (),
) -> Iterator[Difference]:
    """Compare two lists of entries, each of which is identified by the values of some keys."""
    old, new = ({tuple(entry[key] for key in keys): entry for entry in entries} for entries in (then, now))
    for key in {**old, **new}:
        where = f"{what} {' '.join(map(str, key))}"
        if key in old and key in new:
            yield from _fields("result", where, old[key], new[key], skip=skip)
        else:
            yield _one_sided(where, old.get(key), new.get(key))


def _fields(
    kind: Kind, where: str, then: Mapping[str, Any], now: Mapping[str, Any], skip: Sequence[str] = ()
) -> Iterator[Difference]:
    """Compare what two objects have, key by key."""
    for key in {**then, **now}:
        old, new = then.get(key), now.get(key)
        if key in skip or old == new:
            continue
        what = f"{key} of {where}"
        if _distance(old, new) <= ROUNDING:
            yield _changed("rounding", where, f"{what} differs by rounding only", old, new)
        else:
            yield _changed("score" if key == "score" else kind, where, what, old, new)


def _changed(kind: Kind, where: str, what: str, then: Any, now: Any) -> Difference:
    return Difference(kind, where, then, now, f"{what}: {_shown(then)} then, {_shown(now)} now")


def _one_sided(where: str, then: Any, now: Any) -> Difference:
    text = f"{where} is not in the report" if then is None else f"{where} does not come out again"
    return Difference("result", where, then, now, text)


def _distance(a: Any, b: Any) -> float:
    """Return how far apart two values are: the largest distance of their numbers, or infinity."""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max(map(_distance, a, b), default=0.0)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b)
    return 0.0 if a == b else math.inf


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)
