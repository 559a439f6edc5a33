"""A test set's manifest: TOML in, a checked `Manifest` out.

The fields are explained in `testsets/README.md`. Everything is checked here, so that other code can rely on
it: required and unknown fields, the form of checksums, pairs and names, and that every file of every pair
leads to a download or to a local file with a checksum. Nothing is fetched and no text is read.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from mtscore.assets import Asset
from mtscore.errors import ManifestError, closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Format = Literal["sgml", "wmt-addition", "wmt-xml", "iwslt-xml", "plain", "tsv"]
Archive = Literal["tar.gz", "zip", "gz-file", "file"]

_NAME = re.compile(r"[A-Za-z0-9.+-]+(/[A-Za-z0-9.+-]+)*")
_PAIR = re.compile(r"[A-Za-z0-9_]+-[A-Za-z0-9_]+")
_DIGITS = {"md5": 32, "sha256": 64}
_STABILITIES = ("branch-file", "generated-from-branch", "generated-from-tag")
_SUFFIXES: dict[str, Archive] = {".tgz": "tar.gz", ".tar.gz": "tar.gz", ".zip": "zip", ".gz": "gz-file"}
_KEYS = {
    "name", "description", "format", "pairs", "default_refs", "codes", "folder", "downloads", "files",
    "override", "sha256", "lines", "documents", "citation",
}  # fmt: skip
_DOWNLOAD_KEYS = {"url", "mirrors", "md5", "sha256", "archive", "stability"}
_LOCATION_KEYS = {"from", "member", "column"}


@dataclass(frozen=True, slots=True)
class Download:
    """Hold a published file and how it is packed."""

    asset: Asset
    archive: Archive


@dataclass(frozen=True, slots=True)
class Location:
    """Say where a text lies.

    Without `download` it is the local file `member`, below the manifest's folder. In a download `member` is
    the path in the archive; None means the downloaded file itself. `column` counts from 1.
    """

    download: str | None
    member: str | None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold one language pair: its files by field, the references that are scored, the lines if known.

    Fields are `src`, `ref` or `ref:NAME`, `sys:NAME`, `meta`; for WMT XML only `xml`, which holds them all.
    An empty `default_refs` means all; an entry `A|B` means A or, where there is no A, B.
    """

    source: str
    target: str
    files: Mapping[str, Location]
    default_refs: tuple[str, ...]
    lines: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Hold a test set's facts. `documents` maps document ids to `COUNTRY-domain` for `--subset`."""

    name: str
    description: str
    format: Format
    downloads: Mapping[str, Download]
    pairs: Mapping[str, Pair]
    documents: Mapping[str, str]
    checksums: Mapping[str, str]
    citation: str | None
    folder: Path

    @property
    def local(self) -> bool:
        """Return whether all texts are local files, so that nothing is fetched or kept."""
        return not self.downloads


def file_name(name: str) -> str:
    """Return the manifest's file name of a test set; names have no underscore, so it can be turned back.

    >>> file_name("wmt20/robust/set1")
    'wmt20_robust_set1.toml'
    """
    return f"{name.replace('/', '_')}.toml"


def set_name(file: str) -> str:
    """Return the name of the test set that a manifest of this file name describes.

    >>> set_name("wmt20_robust_set1.toml")
    'wmt20/robust/set1'
    """
    return file.removesuffix(".toml").replace("_", "/")


def read(path: Path) -> Manifest:
    """Read and check a manifest.

    Raises:
        ManifestError: with the file and the field that is wrong.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ManifestError(f"the manifest cannot be read: {error}", where=str(path)) from error
    return parse(text, path)


def parse(text: str, path: Path) -> Manifest:
    """Check a manifest's text; `path` is where messages say it lies and what its local files are relative to.

    Raises:
        ManifestError: with the file and the field that is wrong.
    """
    try:
        facts = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ManifestError(f"not valid TOML: {error}", where=str(path)) from error
    return _Checker(facts, path).manifest()


class _Checker:
    """Turn the tables of one manifest into values, or say which field is wrong."""

    def __init__(self, facts: dict[str, Any], path: Path) -> None:
        self.facts = facts
        self.where = str(path)
        self.path = path

    def manifest(self) -> Manifest:
        self.known_keys(self.facts, _KEYS, "")
        name = self.text("name")
        if not _NAME.fullmatch(name) or name == "models":
            self.fail(f"name {name!r} must be letters, digits and .+- with / between variants")
        kind = self.text("format")
        if kind not in get_args(Format):
            self.fail(f"unknown format {kind!r}", hint=closest(kind, list(get_args(Format))))
        downloads = {key: self.download(key, facts) for key, facts in self.table("downloads").items()}
        manifest = Manifest(
            name=name,
            description=self.text("description"),
            format=kind,  # type: ignore[arg-type]  # checked above
            downloads=downloads,
            pairs={pair: self.pair(pair, kind, downloads) for pair in self.pairs()},
            documents=self.texts("documents"),
            checksums={file: self.checksum("sha256", value) for file, value in self.texts("sha256").items()},
            citation=self.texts("citation").get("bibtex"),
            folder=self.path.parent / (self.text("folder") if "folder" in self.facts else ""),
        )
        self.all_used(manifest)
        return manifest

    def pairs(self) -> list[str]:
        pairs = self.strings(self.facts.get("pairs"), "pairs")
        if not pairs or len(set(pairs)) < len(pairs):
            self.fail("pairs must name each language pair once")
        for pair in pairs:
            if not _PAIR.fullmatch(pair):
                self.fail(f"{pair!r} in pairs is not of the form src-trg")
        for table in ("override", "lines"):
            for pair in self.table(table):
                if pair not in pairs:
                    self.fail(f"{table}.{pair} is about a pair that is not in pairs")
        return pairs

    def download(self, key: str, facts: Any) -> Download:
        place = f"downloads.{key}"
        if not isinstance(facts, dict):
            self.fail(f"{place} must be a table")
        self.known_keys(facts, _DOWNLOAD_KEYS, place)
        mirrors = self.strings(facts.get("mirrors", []), f"{place}.mirrors")
        url = facts.get("url")
        for address in (url, *mirrors):
            if not isinstance(address, str) or not re.match(r"https?://[^/]+/.", address):
                self.fail(f"{place}: {address!r} is not the http or https address of a file")
        sums = {kind: self.checksum(kind, facts[kind]) for kind in _DIGITS if kind in facts}
        if not sums:
            self.fail(f"{place} needs md5 or sha256")
        stability = facts.get("stability")
        if stability is not None and stability not in _STABILITIES:
            self.fail(f"{place}.stability must be one of {', '.join(_STABILITIES)}, or be left out")
        asset = Asset(url=str(url), mirrors=tuple(mirrors), moving=stability is not None, **sums)
        archive = facts.get("archive") or _packing(asset.name)
        if archive not in get_args(Archive):
            self.fail(f"{place}.archive must be one of {', '.join(get_args(Archive))}")
        return Download(asset, archive)

    def pair(self, pair: str, kind: str, downloads: Mapping[str, Download]) -> Pair:
        source, _, target = pair.partition("-")
        codes = self.texts("codes")
        codes = {"src": codes.get(source, source), "trg": codes.get(target, target)}
        override = self.table("override").get(pair, {})
        if not isinstance(override, dict):
            self.fail(f"override.{pair} must be a table")
        default_refs = override.get("default_refs", self.facts.get("default_refs", []))
        files = {
            field: self.location(f"{field} of {pair}", value, codes, downloads)
            for field, value in {**self.table("files"), **override}.items()
            if field != "default_refs"
        }
        self.fields(pair, files, kind)
        lines = self.table("lines").get(pair)
        if lines is not None and (not isinstance(lines, int) or lines < 1):
            self.fail(f"lines.{pair} must be a number of lines")
        return Pair(source, target, files, tuple(self.strings(default_refs, "default_refs")), lines)

    def fields(self, pair: str, files: Mapping[str, Location], kind: str) -> None:
        """Check that a pair has exactly the fields that its format needs."""
        if kind == "wmt-xml":
            if set(files) != {"xml"}:
                self.fail(f"files of {pair} must be the one field xml")
            return
        for field in files:
            if not re.fullmatch(r"src|meta|ref(:.+)?|sys:.+", field):
                self.fail(f"unknown field {field!r} of {pair}: known are src, ref, ref:NAME, sys:NAME, meta")
        if "src" not in files or not any(field.startswith("ref") for field in files):
            self.fail(f"files of {pair} must have src and ref")
        for field, location in files.items():
            if (location.column is not None) != (kind == "tsv" and field != "meta"):
                self.fail(f"{field} of {pair}: column is needed in the format tsv, and only there")

    def location(
        self, place: str, value: Any, codes: Mapping[str, str], downloads: Mapping[str, Download]
    ) -> Location:
        """Return where a field lies; its text may name the pair's languages as {src} and {trg}."""
        facts = {"member": value} if isinstance(value, str) else value
        if not isinstance(facts, dict):
            self.fail(f"{place} must be a path or a table")
        self.known_keys(facts, _LOCATION_KEYS, place)
        member, download = self.filled(place, facts.get("member"), codes), None
        if downloads:
            only = next(iter(downloads)) if len(downloads) == 1 else None
            download = self.filled(place, facts.get("from", only), codes)
            if download not in downloads:
                self.fail(f"{place}: from must name one of the downloads {', '.join(downloads)}")
        elif "from" in facts:
            self.fail(f"{place}: from names a download, but there is none")
        elif member not in self.texts("sha256"):
            self.fail(f"{place}: the local file {member} has no checksum in the table sha256")
        packed = downloads and downloads[str(download)].archive in {"tar.gz", "zip"}
        if packed and member is None:
            self.fail(f"{place}: which member of the archive {download}?")
        if member is not None and downloads and not _stays_inside(member):
            self.fail(f"{place}: {member} leaves the archive")
        column = facts.get("column")
        if column is not None and (not isinstance(column, int) or column < 1):
            self.fail(f"{place}: columns are numbers from 1")
        return Location(download, member, column)

    def filled(self, place: str, text: Any, codes: Mapping[str, str]) -> str | None:
        if text is None:
            return None
        if not isinstance(text, str) or re.search(r"\{(?!(src|trg)\})", text):
            self.fail(f"{place}: {text!r} must be text in which only {{src}} and {{trg}} stand in braces")
        return text.replace("{src}", codes["src"]).replace("{trg}", codes["trg"])

    def all_used(self, manifest: Manifest) -> None:
        """Check that no download and no checksum is there for nothing."""
        locations = [location for pair in manifest.pairs.values() for location in pair.files.values()]
        unused = set(manifest.downloads) - {location.download for location in locations}
        unused |= set(manifest.checksums) - {location.member for location in locations}
        if unused:
            self.fail(f"no pair uses {', '.join(sorted(unused))}")

    def checksum(self, kind: str, value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(rf"[0-9a-f]{{{_DIGITS[kind]}}}", value):
            self.fail(f"{kind} must be {_DIGITS[kind]} hexadecimal digits in lower case, not {value!r}")
        return value

    def text(self, key: str) -> str:
        value = self.facts.get(key)
        if not isinstance(value, str) or not value.strip():
            self.fail(f"{key} is missing")
        return value

    def table(self, key: str) -> dict[str, Any]:
        value = self.facts.get(key, {})
        if not isinstance(value, dict):
            self.fail(f"{key} must be a table")
        return value

    def texts(self, key: str) -> dict[str, str]:
        table = self.table(key)
        for name, value in table.items():
            if not isinstance(value, str):
                self.fail(f"{key}.{name} must be text")
        return table

    def strings(self, value: Any, place: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(f"{place} must be a list of texts")
        return value

    def known_keys(self, table: Iterable[str], known: set[str], place: str) -> None:
        for key in table:
            if key not in known:
                self.fail(
                    f"unknown field {key!r}{' in ' if place else ''}{place}", hint=closest(key, sorted(known))
                )

    def fail(self, what: str, hint: str | None = None) -> NoReturn:
        raise ManifestError(what, where=self.where, hint=hint or "testsets/README.md explains the fields")


def _packing(name: str) -> Archive:
    """Return how a file is packed, by its name."""
    return next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), "file")


def _stays_inside(member: str) -> bool:
    path = PurePosixPath(member)
    return not path.is_absolute() and ".." not in path.parts
