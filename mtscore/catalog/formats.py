"""Readers of the formats in which test sets are published: bytes in, a checked `Content` out.

They give the lines that the field scores for well-formed files, and an error with file and line for others.
In SGML and XML every run of white space is one space (published scores depend on it); in plain text and
TSV only white space at the end of a line is cut. A byte-order mark is dropped. SGML entities are kept.

`READER_VERSION` belongs to every kept text: raise it whenever a reader gives other lines than before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from mtscore.catalog.content import UNNAMED, Content, checked, from_fields
from mtscore.errors import DecodingError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mtscore.catalog.manifest import Format

READER_VERSION = 2

_METADATA = ("docid", "genre", "origlang")
_DOCUMENT = re.compile(r"\s*(?:<[^>]*>\s*)*<doc(?![^\s>])(?P<attributes>[^>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<!\S)([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SEGMENT = re.compile(r"<seg (?P<attributes>[^>]*)>(?P<text>.*)</seg>\s*")
_LIKE_A_SEGMENT = re.compile(r"\s*(<[^>]*>\s*)*<seg[\s/>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """Hold a file's bytes, its name for messages and, for TSV, the column (from 1) that is meant."""

    data: bytes
    name: str
    column: int | None = None


def read(kind: Format, files: Mapping[str, Source], where: str) -> Content:
    """Return what the files of one language pair say; `where` names the set and pair in messages.

    Raises:
        InputError: a file is not well-formed (with its line).
        DecodingError: a file is not UTF-8.
        AlignmentError: its fields differ in length.
    """
    if kind == "wmt-xml":
        return checked(wmt_xml(files["xml"]), where)
    lines = {name: _texts(kind, source) for name, source in files.items() if name != "meta"}
    content = from_fields(lines)
    if "meta" in files:
        content.metadata = metadata_columns(files["meta"])
    elif _is_marked_up(kind, files["src"].name):
        content.metadata = sgml_metadata(files["src"])
    return checked(content, where)


def _texts(kind: Format, source: Source) -> list[str]:
    if kind == "tsv":
        return tsv_column(source)
    return sgml(source) if _is_marked_up(kind, source.name) else plain(source)


def _is_marked_up(kind: Format, name: str) -> bool:
    return kind in {"sgml", "iwslt-xml"} or (kind == "wmt-addition" and name.endswith(".sgm"))


def sgml(source: Source) -> list[str]:
    """Return the segments of the field's SGML, one `<seg …>…</seg>` a line; other lines are no text.

    IWSLT's XML is read the same way.
    """
    segments = []
    for number, line in enumerate(_lines(source), 1):
        if line.startswith("<seg "):
            match = _SEGMENT.fullmatch(line)
            if match is None or "</seg>" in match["text"] or match["attributes"].count('"') % 2:
                _fail(source, number, "a line with <seg must hold exactly one <seg …>…</seg>")
            segments.append(_clean(match["text"]))
        elif "<seg" in line.lower() and _LIKE_A_SEGMENT.match(line):
            _fail(source, number, "a segment must start its line, in lower case: <seg id=…>")
    return segments


def sgml_metadata(source: Source) -> dict[str, list[str]]:
    """Return document id, genre and original language of each segment; empty where the document has none."""
    columns: dict[str, list[str]] = {name: [] for name in _METADATA}
    document: dict[str, str] = {}
    for line in _lines(source):
        if line.startswith("<seg "):
            for name, column in columns.items():
                column.append(document.get(name, ""))
        elif match := _DOCUMENT.match(line):
            document = {
                name.lower(): _clean("".join(values))
                for name, *values in _ATTRIBUTE.findall(match["attributes"])
            }
    return columns


def plain(source: Source) -> list[str]:
    """Return the lines of plain text, white space at their ends cut."""
    return [line.rstrip() for line in _lines(source)]


def tsv_column(source: Source) -> list[str]:
    """Return one column (from 1) of tab-separated text without header or quoting."""
    column = source.column or 1
    texts = []
    for number, line in enumerate(_lines(source), 1):
        cells = line.removesuffix("\r").split("\t")
        if len(cells) < column:
            _fail(source, number, f"column {column} is wanted, the line has {len(cells)}")
        texts.append(cells[column - 1].rstrip())
    return texts


def metadata_columns(source: Source) -> dict[str, list[str]]:
    """Return the columns of tab-separated text by the names in its first line."""
    header, *rows = [line.removesuffix("\r").split("\t") for line in _lines(source)] or [[]]
    if len(set(header)) < len(header) or not all(header):
        _fail(source, 1, "the first line must name each column once")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            _fail(source, number, f"the line has {len(row)} columns, the first line {len(header)}")
    return {name: [_clean(row[index]) for row in rows] for index, name in enumerate(header)}


def wmt_xml(source: Source) -> Content:
    """Return the segments of a WMT file of 2021 or later.

    Test-suite documents (those with an attribute `testsuite`) are passed over. Segments come document by
    document in the order of their ids, if any reference has a text for them.
    """
    root = _parse(source)
    documents = [
        _Document(element, source.name) for element in root.iter("doc") if "testsuite" not in element.attrib
    ]
    for role in ("src", "ref"):
        languages = {text.language for document in documents for text in document.texts if text.role == role}
        if len(languages) > 1:
            told = ", ".join(sorted(language or "none" for language in languages))
            raise InputError(f"the {role} elements have different languages: {told}", where=source.name)
    references = _names(documents, "ref")
    systems = _names(documents, "hyp")
    return Content(
        sources=[text for document in documents for text in document.kept("src", "")],
        references={
            name: [t for document in documents for t in document.kept("ref", name)] for name in references
        },
        systems={name: [t for document in documents for t in document.kept("hyp", name)] for name in systems},
        metadata={
            column: [value for document in documents for value in [document.get(key)] * len(document.ids)]
            for column, key in (("docid", "id"), ("origlang", "origlang"), ("domain", "domain"))
        },
    )


@dataclass(slots=True)
class _Text:
    """Hold one `src`, `ref` or `hyp` of a document: its segments by id."""

    role: str
    name: str
    language: str | None
    segments: dict[int, str] = field(default_factory=dict)


class _Document:
    """Read one `doc` element."""

    def __init__(self, element: ET.Element, file: str) -> None:
        self.attributes = element.attrib
        self.where = f"{file}, document {element.get('id', 'without id')}"
        self.texts: list[_Text] = []
        for role in ("src", "ref", "hyp"):
            for child in element.iter(role):
                self.add(role, child)
        with_text = {
            number
            for text in self.texts
            if text.role == "ref"
            for number, segment in text.segments.items()
            if segment
        }
        source = self.find("src", "")
        self.ids = sorted(number for number in source if number in with_text)

    def get(self, attribute: str) -> str:
        """Return an attribute of the document, empty where it has none."""
        return _clean(self.attributes.get(attribute, ""))

    def find(self, role: str, name: str) -> dict[int, str]:
        """Return the segments of one text by id, empty where the document lacks it."""
        found = (text.segments for text in self.texts if (text.role, text.name) == (role, name))
        return next(found, {})

    def kept(self, role: str, name: str) -> list[str]:
        """Return one text of the document, a line for each kept segment."""
        segments = self.find(role, name)
        return [_clean(segments.get(number, "")) for number in self.ids]

    def add(self, role: str, element: ET.Element) -> None:
        """Take in one text; the same text or the same segment twice is an error."""
        name = ""
        if role == "ref":
            name = element.get("translator") or UNNAMED
        elif role == "hyp":
            name = element.get("system") or self.fail("a hyp element does not name its system")
        if any((text.role, text.name) == (role, name) for text in self.texts):
            self.fail(f"{role} {name} is there twice".replace("  ", " "))
        text = _Text(role, name, element.get("lang"))
        for segment in element.iter("seg"):
            number = self.number(segment.get("id"))
            if number in text.segments:
                self.fail(f"segment {number} of {role} {name} is there twice".replace("  ", " "))
            text.segments[number] = "".join(segment.itertext())
        self.texts.append(text)

    def number(self, identity: str | None) -> int:
        if identity is None or not re.fullmatch(r"\s*[0-9]{1,18}\s*", identity):
            self.fail(f"the id of a segment must be a number, not {identity!r}")
        return int(identity)

    def fail(self, what: str) -> NoReturn:
        raise InputError(what, where=self.where)


def _names(documents: Iterable[_Document], role: str) -> list[str]:
    """Return the names of all references or systems in the order of their first appearance."""
    return list(
        dict.fromkeys(text.name for document in documents for text in document.texts if text.role == role)
    )


def _parse(source: Source) -> ET.Element:
    """Return the root of an XML file; a document type is refused, since its entities could be bombs."""

    def refuse(*_: object) -> NoReturn:
        raise InputError("document types (<!DOCTYPE …>) are not accepted", where=source.name)

    builder = ET.TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"not well-formed XML: {what}", where=f"{source.name}:{error.lineno}") from error
    except (ValueError, LookupError) as error:  # an encoding that the parser does not know
        raise InputError(f"not readable as XML: {error}", where=source.name, hint="make it UTF-8") from error
    return builder.close()


def _lines(source: Source) -> list[str]:
    """Return the lines of a UTF-8 file; only a newline ends one."""
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.data.count(b"\n", 0, error.start) + 1
        raise DecodingError(
            f"not valid UTF-8 (0x{source.data[error.start]:02x})", where=f"{source.name}:{line}"
        ) from error
    return text.removesuffix("\n").split("\n") if text else []


def _clean(text: str) -> str:
    """Return text with every run of white space, also no-break and ideographic, as one space.

    >>> _clean("  a  b ")
    'a b'
    """
    return " ".join(text.split())


def _fail(source: Source, line: int, what: str) -> NoReturn:
    raise InputError(what, where=f"{source.name}:{line}")
