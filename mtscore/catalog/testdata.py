"""One or several test sets as scoring needs them: aligned streams, and which segments are kept.

Filters never shorten a stream: `keep` says which segments count, so that a system's output is checked
against the whole set before anything is selected.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from mtscore.catalog.content import to_bytes
from mtscore.errors import UsageError
from mtscore.results import TestSetUse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.catalog.content import Content


@dataclass(frozen=True, slots=True)
class Part:
    """Hold one test set's share: segments `start` to `stop`, and the references that are scored."""

    name: str
    start: int
    stop: int
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestData:
    """Hold the test sets of one evaluation, one after the other.

    All streams, metadata columns and `keep` have one entry a segment of the whole sets. `systems` has the
    published outputs (if they were asked for) of the systems that take part in every set.
    """

    pair: str
    parts: tuple[Part, ...]
    sources: Sequence[str]
    references: Sequence[Sequence[str]]
    metadata: Mapping[str, Sequence[str]]
    systems: Mapping[str, Sequence[str]]
    keep: Sequence[bool]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def name(self) -> str:
        """Return the names as they stand after `-t` and in the signature."""
        return ",".join(part.name for part in self.parts)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each reference stream; where sets call it differently, all its names."""
        columns = zip(*(part.refs for part in self.parts), strict=True)
        return tuple("/".join(dict.fromkeys(names)) for names in columns)

    @property
    def filtered(self) -> bool:
        """Return whether some segments do not count."""
        return not all(self.keep)

    @property
    def sha256(self) -> str:
        """Return the digest of the scored references' lines, stream after stream, before any filter."""
        return hashlib.sha256(b"".join(map(to_bytes, self.references))).hexdigest()

    @property
    def use(self) -> TestSetUse:
        """Return what a report says about the test set."""
        return TestSetUse(name=self.name, pair=self.pair, refs=self.labels, sha256=self.sha256)

    def select(self, stream: Sequence[str]) -> list[str]:
        """Return the kept segments of a stream that is as long as the whole sets."""
        return list(compress(stream, self.keep))


def choose_references(present: Sequence[str], wanted: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the names of the wanted references, in that order; all that are present if none is wanted.

    A wanted `A|B` is A or, where there is no A, B.

    Raises:
        UsageError: a wanted one is not there, or twice; the message lists those that are.
    """
    chosen = []
    for name in wanted or present:
        found = next((choice for choice in name.split("|") if choice in present), None)
        if found is None:
            hint = f"it has: {', '.join(present)}"
            raise UsageError(f"there is no reference {name.replace('|', ' or ')}", where=where, hint=hint)
        if found in chosen:
            raise UsageError(f"reference {found} is asked for twice", where=where)
        chosen.append(found)
    return tuple(chosen)


def keep_origlang(content: Content, origlang: str, where: str) -> list[bool]:
    """Return which segments have an original language; `non-xx` means every other one, unknown ones too.

    Raises:
        UsageError: the set does not say where its texts come from.
    """
    languages = content.metadata.get("origlang")
    if languages is None:
        raise UsageError("this test set does not tell the original languages of its texts", where=where)
    if origlang.startswith("non-"):
        return [language != origlang.removeprefix("non-") for language in languages]
    return [language == origlang for language in languages]


def keep_subset(content: Content, tags: Mapping[str, str], subset: str, where: str) -> list[bool]:
    """Return which segments' documents match a regular expression (searched, case matters).

    With a table of document tags (`COUNTRY-domain`) it is searched in the tag, `country:RE` only in its
    country; otherwise in the segment's domain, and a segment without one never matches.

    Raises:
        UsageError: the expression is not valid, or the set has neither tags nor domains.
    """
    country = subset.startswith("country:")
    try:
        search = re.compile(subset.removeprefix("country:")).search
    except re.error as error:
        raise UsageError(f"{subset!r} is no regular expression: {error}", where="--subset") from error
    if tags:
        found = [tags.get(document, "") for document in content.metadata.get("docid", [])]
        return [bool(search(tag.partition("-")[0] if country else tag)) for tag in found]
    domains = content.metadata.get("domain")
    if domains is None or country:
        what = "countries" if country else "domains"
        raise UsageError(f"this test set does not tell the {what} of its texts", where=where)
    return [bool(domain and search(domain)) for domain in domains]


def tag_columns(content: Content, tags: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the domain and country of each segment by a table of document tags (`COUNTRY-domain`)."""
    if not tags:
        return {}
    split = [[*tags.get(document, "").split("-"), ""] for document in content.metadata.get("docid", [])]
    return {"domain": [parts[1] for parts in split], "country": [parts[0] for parts in split]}


def nothing_kept(contents: Sequence[Content], origlang: str | None, subset: str | None) -> UsageError:
    """Return the error for filters that leave no segment, with the values that exist."""
    asked = [f"--origlang {origlang}" if origlang else "", f"--subset {subset}" if subset is not None else ""]
    values = {}
    for column in ("origlang", "domain"):
        found = {value for content in contents for value in content.metadata.get(column, []) if value}
        if found:
            values[column] = ", ".join(sorted(found))
    hint = "; ".join(f"{column}: {told}" for column, told in values.items())
    return UsageError(f"no segment is left by {' and '.join(filter(None, asked))}", hint=hint or None)
