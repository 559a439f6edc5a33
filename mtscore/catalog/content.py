"""What a test set's files say about one language pair: aligned lines, by name.

A field has a name, as `echo` and the cache use it: `src`; `ref:A` (`ref` where a reference has no name);
`docid`, `origlang`, `domain` and other metadata; `sys:NAME`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtscore.errors import AlignmentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNNAMED = "ref"
"""The name of a reference that has none in the file."""


@dataclass(slots=True)
class Content:
    """Hold sources, references and systems by name (in the file's order), and metadata columns.

    All lists have one text a segment. A translation that is missing, and a piece of metadata that is not
    known, is the empty text. No column of metadata is all empty.
    """

    sources: list[str]
    references: dict[str, list[str]]
    metadata: dict[str, list[str]] = field(default_factory=dict)
    systems: dict[str, list[str]] = field(default_factory=dict)

    def fields(self) -> dict[str, list[str]]:
        """Return all lines by field, in the order in which fields are listed."""
        references = {reference_field(name): texts for name, texts in self.references.items()}
        systems = {f"sys:{name}": texts for name, texts in self.systems.items()}
        return {"src": self.sources, **references, **self.metadata, **systems}


def reference_field(name: str) -> str:
    """Return the field of a reference: `ref:A`, or `ref` for the one without a name."""
    return UNNAMED if name == UNNAMED else f"ref:{name}"


def from_fields(fields: Mapping[str, list[str]]) -> Content:
    """Return the content whose fields these are."""
    content = Content(sources=fields["src"], references={})
    for name, texts in fields.items():
        kind, _, own = name.partition(":")
        if kind == "ref":
            content.references[own or UNNAMED] = texts
        elif kind == "sys":
            content.systems[own] = texts
        elif kind != "src":
            content.metadata[name] = texts
    return content


def checked(content: Content, where: str) -> Content:
    """Return the content without empty metadata columns, if all its fields have as many lines as the source.

    Raises:
        AlignmentError: with the numbers of lines of all fields.
    """
    counts = {name: len(texts) for name, texts in content.fields().items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise AlignmentError(f"the fields do not have the same number of segments: {told}", where=where)
    if not content.sources:
        raise AlignmentError("no segments were found", where=where)
    content.metadata = {name: texts for name, texts in content.metadata.items() if any(texts)}
    return content


def to_bytes(lines: Iterable[str]) -> bytes:
    """Return lines as the bytes of a text file."""
    return "".join(f"{line}\n" for line in lines).encode()


def to_lines(data: bytes) -> list[str]:
    """Return the lines of a text file that `to_bytes` made."""
    return data.decode().split("\n")[:-1]
