"""Find metric scores and human judgements in tables, and bring both together by system and segment.

Scores come in a wide table with a column a metric, or in the long one of `mtscore -f tsv` with columns
`system`, `metric`, `score` and, by segment, `segment`. Human scores stand in the same (wide) table or in one
of their own, such as those of WMT, where a running number follows each system's name (`Online-B.5`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mtscore.diagnostics.correlate import Judgements
from mtscore.errors import InputError, UsageError, closest
from mtscore.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mtscore.arrays import Floats
    from mtscore.diagnostics.tables import Table

Key: TypeAlias = tuple[str, str]
"""A system and a segment, empty where the table does not name them."""

SYSTEM_COLUMNS = frozenset({"system", "sys"})
SEGMENT_COLUMNS = frozenset({"segment", "seg", "segid", "seg_id", "seg.id", "sid"})
HUMAN_COLUMN = "human"
LONG_FORM = frozenset({"system", "metric", "score"})
RUNNING_NUMBER = re.compile(r"\.\d+$", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Hold the columns that the user names; None leaves it to `SYSTEM_COLUMNS` and its like."""

    system: str | None = None
    segment: str | None = None
    human: str | None = None
    metrics: Sequence[str] = ()
    lower_is_better: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Say what came of bringing scores and human scores together: the rows that did and did not meet.

    `renamed` are systems of the human table that met the one without their running number.
    """

    rows: int
    scores_left: int
    humans_left: int
    systems_without_score: Sequence[str]
    systems_without_human: Sequence[str]
    renamed: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scores:
    """Hold metric scores by row; `lower` are the metrics of which the table says that lower is better."""

    keys: Sequence[Key]
    metrics: Mapping[str, Floats]
    lower: frozenset[str] = frozenset()
    notices: tuple[Notice, ...] = field(default=())


def from_table(table: Table, names: Names) -> Judgements:
    """Return the judgements of one wide table, which has the human scores too.

    Raises:
        InputError: if a field is no number, or a system or segment has two rows.
        UsageError: if a column is missing or not named.
    """
    if _is_long(table):
        raise UsageError(
            "a table with a row a metric has no human scores", where=table.name, hint="add --human-file FILE"
        )
    system, segment = find_columns(table, names)
    human = _human_column(table, names, {system, segment})
    scores = _wide(table, system, segment, human=human, chosen=names.metrics)
    return Judgements(
        human=table.numbers(human),
        metrics=scores.metrics,
        systems=[key[0] for key in scores.keys] if system else None,
        segments=[key[1] for key in scores.keys] if segment else None,
        human_name=human,
        lower_is_better=names.lower_is_better,
        name=table.name,
    )


def join(scores: Table, humans: Table, names: Names) -> tuple[Judgements, Join, tuple[Notice, ...]]:
    """Return the rows that both tables have, in the order of the scores, and what was left.

    `names.system` and `names.segment` are columns of the human table, and of the scores if they have them.

    Raises:
        InputError: if a field is no number, a row stands twice, or no row has a counterpart.
        UsageError: if a column is missing or not named, or one table has segments and the other systems.
    """
    system, segment = find_columns(humans, names)
    if system is None:
        raise _no_column(humans, "system", "--system COLUMN")
    human = _human_column(humans, names, {system, segment})
    found = _read_scores(scores, names, by_segment=segment is not None, humans=humans)
    judged = _keyed(_keys(humans, system, segment), humans.numbers(human), humans)
    renamed = _matches({key[0] for key in judged}, {key[0] for key in found.keys}, humans.name)
    people = {(renamed.get(name, name), number): value for (name, number), value in judged.items()}
    kept = [row for row, key in enumerate(found.keys) if key in people]
    if not kept:
        raise _nothing_in_common(scores, humans, found.keys, list(judged))
    judgements = Judgements(
        human=np.array([people[found.keys[row]] for row in kept]),
        metrics={metric: values[kept] for metric, values in found.metrics.items()},
        systems=[found.keys[row][0] for row in kept],
        segments=[found.keys[row][1] for row in kept] if segment else None,
        human_name=human,
        lower_is_better=found.lower | set(names.lower_is_better),
        name=f"{scores.name} and {humans.name}",
    )
    return judgements, _describe_join(found.keys, people, renamed, len(kept)), found.notices


def find_columns(table: Table, names: Names) -> tuple[str | None, str | None]:
    """Return the columns of systems and segments, as named or else by their usual names in any case.

    Raises:
        UsageError: if a named column does not exist.
    """
    return _find(table, names.system, SYSTEM_COLUMNS), _find(table, names.segment, SEGMENT_COLUMNS)


def _find(table: Table, named: str | None, usual: frozenset[str]) -> str | None:
    if named is not None and named not in table.columns:
        raise UsageError(f"no column '{named}'", where=table.name, hint=closest(named, list(table.columns)))
    return named or next((column for column in table.columns if column.lower() in usual), None)


def _human_column(table: Table, names: Names, taken: Collection[str | None]) -> str:
    column = names.human or HUMAN_COLUMN
    if column in table.columns:
        return column
    free = [column for column in table.columns if column not in taken]
    what = "which column has the human scores?" if names.human is None else f"no column '{column}'"
    raise UsageError(what, where=table.name, hint=f"--human COLUMN, one of: {', '.join(free)}")


def _no_column(table: Table, what: str, option: str) -> UsageError:
    hint = f"{option}, one of: {', '.join(table.columns)}"
    return UsageError(f"which column names the {what}?", where=table.name, hint=hint)


def _is_long(table: Table) -> bool:
    return set(table.columns) >= LONG_FORM


def _keys(table: Table, system: str | None, segment: str | None) -> list[Key]:
    nothing = [""] * len(table)
    systems = table.texts(system) if system else nothing
    segments = table.texts(segment) if segment else nothing
    return list(zip(systems, segments, strict=True))


def _keyed(keys: Sequence[Key], values: Floats, table: Table) -> dict[Key, float]:
    """Return the values by system and segment, of which each may have one row."""
    first: dict[Key, int] = {}
    for row, key in enumerate(keys):
        if first.setdefault(key, row) != row:
            name = f"system {key[0]}" + (f", segment {key[1]}" if key[1] else "")
            raise InputError(
                f"a second row for {name} (the first is line {table.lines[first[key]]})",
                where=table.where(row),
                hint="average judgements of the same output first; name segments with --segment COLUMN",
            )
    return dict(zip(keys, values.tolist(), strict=True))


def _read_scores(scores: Table, names: Names, *, by_segment: bool, humans: Table) -> _Scores:
    """Return the metric scores of systems or of segments, whichever the human table has."""
    system, segment = (
        _find(scores, named if named in scores.columns else None, usual)
        for named, usual in ((names.system, SYSTEM_COLUMNS), (names.segment, SEGMENT_COLUMNS))
    )
    if system is None:
        raise _no_column(scores, "system", "--system COLUMN")
    if segment is not None:
        filled = np.array([text != "" for text in scores.texts(segment)], np.bool_)
        scores = scores.select(filled if by_segment else ~filled)
    if not len(scores) or (by_segment and segment is None):
        has, lacks = ("segments", "systems only") if by_segment else ("systems", "segments only")
        hint = "score with -sl, or take human scores of systems" if by_segment else "score without -sl"
        raise UsageError(f"human scores of {has}, but scores of {lacks}", where=humans.name, hint=hint)
    segment = segment if by_segment else None
    if _is_long(scores):
        return _long(scores, system, segment, chosen=names.metrics)
    return _wide(scores, system, segment, human=None, chosen=names.metrics)


def _wide(
    table: Table, system: str | None, segment: str | None, *, human: str | None, chosen: Sequence[str]
) -> _Scores:
    others = [column for column in table.columns if column not in (system, segment, human)]
    keys = _keys(table, system, segment)
    if system or segment:
        _keyed(keys, np.zeros(len(keys)), table)
    return _Scores(keys=keys, metrics={column: table.numbers(column) for column in chosen or others})


def _long(table: Table, system: str, segment: str | None, *, chosen: Sequence[str]) -> _Scores:
    """Return the scores of a table with a row a metric; every metric has to score the same segments."""
    of_row = np.array(table.texts("metric"))
    known = list(dict.fromkeys(of_row.tolist()))
    if unknown := [metric for metric in chosen if metric not in known]:
        raise UsageError(f"no metric '{unknown[0]}'", where=table.name, hint=closest(unknown[0], known))
    columns, lower, notices = {}, set(), []
    for metric in chosen or known:
        part = table.select(of_row == metric)
        columns[metric] = _keyed(_keys(part, system, segment), part.numbers("score"), part)
        if "better" in part.columns and "lower" in part.texts("better"):
            lower.add(metric)
        notices += _mixed_signatures(part, metric)
    keys = list(next(iter(columns.values())))
    for metric, values in columns.items():
        if odd := values.keys() ^ set(keys):
            name = " ".join(min(odd)).strip()
            raise InputError(f"not every metric has a score for {name} ({metric} differs)", where=table.name)
    metrics = {metric: np.array([values[key] for key in keys]) for metric, values in columns.items()}
    return _Scores(keys=keys, metrics=metrics, lower=frozenset(lower), notices=tuple(notices))


def _mixed_signatures(part: Table, metric: str) -> list[Notice]:
    if "signature" not in part.columns:
        return []
    signatures = part.texts("signature")
    odd = next((row for row, signature in enumerate(signatures) if signature != signatures[0]), None)
    if odd is None:
        return []
    text = f"scores of {metric} with different signatures: they cannot be compared with each other"
    return [Notice("warning", "mixed-signatures", text, file=part.name, line=part.lines[odd])]


def _matches(people: Collection[str], systems: Collection[str], name: str) -> dict[str, str]:
    """Return the system for each name in the human table that has one only without its running number.

    >>> _matches(["A.0", "B.1", "C"], ["A", "B.1", "C"], "human.csv")
    {'A.0': 'A'}
    """
    renamed: dict[str, str] = {}
    for person in sorted(people):
        bare = RUNNING_NUMBER.sub("", person)
        if person in systems or bare not in systems:
            continue
        if bare in renamed.values() or bare in people:
            raise InputError(f"more than one system could be {bare}, {person} among them", where=name)
        renamed[person] = bare
    return renamed


def _nothing_in_common(
    scores: Table, humans: Table, keys: Sequence[Key], judged: Sequence[Key]
) -> InputError:
    ours, theirs = keys[0], judged[0]
    return InputError(
        "no row of one table has a counterpart in the other",
        where=f"{scores.name} and {humans.name}",
        hint=f"system and segment are, for example, {' '.join(ours)} here and {' '.join(theirs)} there",
    )


def _describe_join(
    keys: Sequence[Key], people: Mapping[Key, float], renamed: Mapping[str, str], rows: int
) -> Join:
    ours, theirs = {key[0] for key in keys}, {key[0] for key in people}
    return Join(
        rows=rows,
        scores_left=len(keys) - rows,
        humans_left=len(people) - rows,
        systems_without_score=sorted(theirs - ours),
        systems_without_human=sorted(ours - theirs),
        renamed=renamed,
    )
