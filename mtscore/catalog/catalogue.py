"""The catalogue: finds test sets by name, fetches their files, and loads them for scoring.

Manifests come with the package or lie in the user's configuration folder. Texts are read from the published
files once and then kept as plain text in the cache; sets of local files are read in place.
"""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtscore import assets
from mtscore.catalog import formats, manifest
from mtscore.catalog.archives import read_members
from mtscore.catalog.content import Content, from_fields, reference_field, to_bytes, to_lines
from mtscore.catalog.testdata import (
    Part,
    TestData,
    choose_references,
    keep_origlang,
    keep_subset,
    nothing_kept,
    tag_columns,
)
from mtscore.errors import (
    AlignmentError,
    InputError,
    IntegrityError,
    ManifestError,
    StorageError,
    UsageError,
    counted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mtscore.assets import Asset, Store
    from mtscore.catalog.manifest import Manifest, Pair


def user_folder() -> Path:
    """Return the folder of the manifests that the user added.

    Raises:
        StorageError: if the user has no home, as in some containers.
    """
    import platformdirs  # noqa: PLC0415

    try:
        return Path(platformdirs.user_config_dir("mtscore")).expanduser() / "testsets"
    except RuntimeError as error:
        raise StorageError(
            "there is no home folder to look for test sets in", hint="set HOME or XDG_CONFIG_HOME"
        ) from error


def names() -> list[str]:
    """Return the names of all test sets, sorted."""
    return sorted(_paths())


def find(name: str) -> Manifest:
    """Return the manifest of a test set.

    Raises:
        UsageError: there is no such set; the message names the closest.
        ManifestError: its manifest is not valid.
    """
    paths = _paths()
    if name not in paths:
        close = get_close_matches(name, paths, n=3, cutoff=0.5)
        guess = f"did you mean {' or '.join(close)}? " if close else ""
        raise UsageError(f"unknown test set {name!r}", hint=f"{guess}mtscore testsets lists all")
    found = manifest.read(paths[name])
    if found.name != name:
        raise ManifestError(
            f"the name in it is {found.name!r}, its file's is {name!r}", where=str(paths[name])
        )
    return found


def every() -> Iterator[Manifest]:
    """Yield the manifests of all test sets, by name."""
    return map(find, names())


def find_pair(found: Manifest, pair: str) -> Pair:
    """Return a language pair of a test set.

    Raises:
        UsageError: the set does not have it; the message says which it has, and whether it is the reverse.
    """
    if pair in found.pairs:
        return found.pairs[pair]
    source, _, target = pair.partition("-")
    reverse = f"{target}-{source}"
    if reverse in found.pairs:
        raise UsageError(f"{found.name} has no {pair}, only the reverse {reverse}", hint=f"-l {reverse}")
    known = ", ".join(found.pairs)
    raise UsageError(
        f"{found.name} has no language pair {pair!r}",
        hint=f"it has: {known}; mtscore testsets -l {pair} lists the sets that have it",
    )


def load(
    set_names: Sequence[str],
    pair: str,
    *,
    use_refs: Sequence[str] | None = None,
    origlang: str | None = None,
    subset: str | None = None,
    systems: bool = False,
    store: Store | None = None,
) -> TestData:
    """Return test sets for scoring, one after the other in the order given.

    Args:
        set_names: names such as `wmt17/B`; a set may come twice.
        pair: `xx-yy`, the same for all sets.
        use_refs: names of the references to score; by default those that the sets are scored with.
        origlang: keep the segments of this original language; `non-xx` the others.
        subset: keep the segments whose document's tag or domain matches this regular expression.
        systems: read the published system outputs too.
        store: where files are kept; by default the one in use.

    Raises:
        UsageError: unknown set, pair or reference, or a filter that does not apply or leaves nothing.
        AlignmentError: the sets have different numbers of references.
        NetworkError, IntegrityError, StorageError: from fetching their files.
    """
    if not set_names:
        raise UsageError("no test set was named")
    found = [find(name) for name in set_names]
    for one in found:
        find_pair(one, pair)  # every name is right before anything is fetched
    contents = [read(one, pair, store=store, systems=systems) for one in found]
    parts: list[Part] = []
    keep: list[bool] = []
    for one, content in zip(found, contents, strict=True):
        wanted = use_refs or one.pairs[pair].default_refs
        refs = choose_references(list(content.references), wanted, f"{one.name} {pair}")
        parts.append(Part(one.name, len(keep), len(keep) + len(content.sources), refs))
        keep += kept(content, one, pair, origlang, subset)
        content.metadata |= tag_columns(content, one.documents)
    if not any(keep):
        raise nothing_kept(contents, origlang, subset)
    return _joined(pair, parts, contents, keep)


def read(found: Manifest, pair: str, *, store: Store | None = None, systems: bool = False) -> Content:
    """Return what a test set's files say about a pair; published system outputs only if asked for.

    Raises:
        NetworkError, IntegrityError, StorageError: from fetching its files.
        InputError: a file is not well-formed.
    """
    kept_in = store or assets.current()
    languages = find_pair(found, pair)
    where = f"{found.name} {pair}"
    if found.local:
        return formats.read(found.format, _local_files(found, languages), where)

    def make() -> dict[str, bytes]:
        content = formats.read(found.format, _fetched_files(found, languages, kept_in), where)
        return {name: to_bytes(lines) for name, lines in content.fields().items()}

    fields = kept_in.derived(
        _key(found, pair),
        _stamp(found, languages),
        make,
        want=lambda name: systems or not name.startswith("sys:"),
    )
    return from_fields({name: to_lines(data) for name, data in fields.items()})


def kept(
    content: Content, found: Manifest, pair: str, origlang: str | None, subset: str | None
) -> list[bool]:
    """Return which segments of a set pass both filters; None is no filter.

    Raises:
        UsageError: a filter does not apply to this set.
    """
    where = f"{found.name} {pair}"
    keep = [True] * len(content.sources)
    if origlang is not None:
        keep = keep_origlang(content, origlang, where)
    if subset is not None:
        in_subset = keep_subset(content, found.documents, subset, where)
        keep = [a and b for a, b in zip(keep, in_subset, strict=True)]
    return keep


def matching_fields(field: str, content: Content, default_refs: Sequence[str], where: str) -> list[str]:
    """Return the fields that a word means: itself, a system's name, `ref` for what is scored, `all`.

    Raises:
        UsageError: it means none; the message lists those that are there.
    """
    known = list(content.fields())
    if field == "all":
        return known
    if field == "ref":
        return [
            reference_field(name) for name in choose_references(list(content.references), default_refs, where)
        ]
    for name in (field, f"sys:{field}"):
        if name in known:
            return [name]
    raise UsageError(f"there is no field {field!r}", where=where, hint=f"it has: {', '.join(known)}")


def fetch(found: Manifest, store: Store) -> None:
    """Fetch all files of a test set and verify them.

    Raises:
        NetworkError, IntegrityError, StorageError: from fetching its files.
    """
    for download in found.downloads.values():
        store.fetch(download.asset)
    for member in found.checksums:
        _local_bytes(found, member)


def known_fields(found: Manifest, pair: str, store: Store) -> list[str] | None:
    """Return the fields of a pair as far as they are known without fetching anything, or None.

    A WMT XML file tells its references and systems only once it is here.
    """
    if found.local:
        return list(read(found, pair, store=store).fields())
    record = _record(found, pair, store)
    if record is not None:
        return list(record["files"])
    files = find_pair(found, pair).files
    return None if "xml" in files else [field for field in files if field != "meta"]


def known_lines(found: Manifest, pair: str, store: Store) -> int | None:
    """Return the number of segments of a pair, if it is known without fetching anything."""
    record = _record(found, pair, store)
    if record is not None:
        return int(record["files"]["src"]["lines"])
    return found.pairs[pair].lines


def siblings(data: TestData, count: int, store: Store | None = None) -> list[str]:
    """Return the names of test sets that are known to have `count` segments in this pair, relatives first."""
    store = store or assets.current()
    families = {part.name.partition("/")[0] for part in data.parts}
    fitting = [
        one.name for one in every() if data.pair in one.pairs and known_lines(one, data.pair, store) == count
    ]
    return sorted(fitting, key=lambda name: name.partition("/")[0] not in families)


def explain_length(data: TestData, count: int, store: Store | None = None) -> str | None:
    """Return why a file may have `count` lines instead of one for each segment of the test sets, if known."""
    if count == sum(data.keep):
        return "a filter is applied to the output of the whole test set, not before"
    if fitting := siblings(data, count, store):
        have = "has" if len(fitting) == 1 else "have"
        return f"{' and '.join(fitting[:3])} {have} {counted(count, 'segment')}"
    return None


def add(path: Path, store: Store) -> str:
    """Take in a manifest (`.toml`) or an archive that was fetched elsewhere; say what it is.

    Raises:
        InputError, ManifestError: no such file, or not a valid manifest.
        UsageError: no test set and no model has a file with this checksum.
    """
    if not path.is_file():
        raise InputError("no such file", where=str(path))
    return _add_manifest(path) if path.suffix == ".toml" else _add_file(path, store)


def _add_manifest(path: Path) -> str:
    """Copy a manifest to the user's folder, with the place of its local files written into it."""
    found = manifest.read(path)
    if (assets.shipped() / manifest.file_name(found.name)).exists():
        raise ManifestError(f"{found.name} comes with mtscore", where=str(path), hint="choose another name")
    for member in found.checksums:
        _local_bytes(found, member)
    text = path.read_bytes().decode("utf-8-sig")
    text = re.sub(r"(?m)^folder\s*=.*\n", "", text)
    folder = json.dumps(str(found.folder.resolve()), ensure_ascii=False)
    target = user_folder() / manifest.file_name(found.name)
    assets.write_text(target, f"folder = {folder}\n{text}" if found.local else text)
    return f"{found.name}: {', '.join(found.pairs)}"


def _add_file(path: Path, store: Store) -> str:
    local = assets.examine(path)
    owners = _owners()
    for asset, users in owners.items():
        if asset.known and asset.difference(local) is None:
            store.add(path, asset)
            return f"{asset.name} of {', '.join(users)}"
        if not asset.known and asset.name == path.name:
            store.add(path, asset)
            return f"{asset.name} of {', '.join(users)}, by its name: no checksum is published"
    namesakes = [user for asset, users in owners.items() if asset.name == path.name for user in users]
    hint = f"the {path.name} of {', '.join(namesakes)} has another checksum" if namesakes else None
    raise UsageError(f"no test set or model has a file with the MD5 {local.md5}", where=str(path), hint=hint)


def _owners() -> dict[Asset, list[str]]:
    """Return all published files, each with the test sets or the model that it is for."""
    owners: dict[Asset, list[str]] = {}
    for one in every():
        for download in one.downloads.values():
            owners.setdefault(download.asset, []).append(one.name)
    return owners | {asset: [name] for name, asset in assets.models().items()}


def _paths() -> dict[str, Path]:
    """Return the path of each test set's manifest; the package's own win."""
    folders = [user_folder(), assets.shipped()]
    files = [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.toml"))]
    return {manifest.set_name(path.name): path for path in files if path.name != assets.MODELS_FILE}


def _key(found: Manifest, pair: str) -> str:
    return f"{found.name.replace('/', '_')}/{pair}"


def _stamp(found: Manifest, languages: Pair) -> dict[str, Any]:
    """Return what the kept texts depend on: the reader, the files' checksums, and where each field lies."""
    files = {}
    for field, location in languages.files.items():
        asset = found.downloads[str(location.download)].asset
        files[field] = [asset.sha256 or asset.md5, location.member, location.column]
    return {"reader": formats.READER_VERSION, "format": found.format, "files": files}


def _record(found: Manifest, pair: str, store: Store) -> Mapping[str, Any] | None:
    """Return the record of a pair's kept texts if it is of today's reader and manifest."""
    if found.local:
        return None
    record = store.recorded(_key(found, pair))
    return record if record and record.get("stamp") == _stamp(found, found.pairs[pair]) else None


def _local_files(found: Manifest, languages: Pair) -> dict[str, formats.Source]:
    return {
        field: formats.Source(
            _local_bytes(found, str(location.member)), str(location.member), location.column
        )
        for field, location in languages.files.items()
    }


def _local_bytes(found: Manifest, member: str) -> bytes:
    """Return the bytes of a local file, if they are those that the manifest was written for."""
    path = found.folder / member
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"a file of {found.name} cannot be read: {error.strerror}", where=str(path)
        ) from error
    if sha256(data).hexdigest() != found.checksums[member]:
        raise IntegrityError(
            f"the file was changed: its SHA-256 is not the one in the manifest of {found.name}",
            where=str(path),
        )
    return data


def _fetched_files(found: Manifest, languages: Pair, store: Store) -> dict[str, formats.Source]:
    """Fetch the files of one pair and read their members, each archive once."""
    by_download: dict[str, set[str | None]] = {}
    for location in languages.files.values():
        by_download.setdefault(str(location.download), set()).add(location.member)
    data: dict[tuple[str, str | None], bytes] = {}
    for key, members in by_download.items():
        download = found.downloads[key]
        local = store.fetch(download.asset)
        for member, bytes_ in read_members(local.path, download.archive, members).items():
            data[key, member] = bytes_
    return {
        field: formats.Source(
            data[str(location.download), location.member],
            location.member or found.downloads[str(location.download)].asset.name,
            location.column,
        )
        for field, location in languages.files.items()
    }


def _joined(pair: str, parts: Sequence[Part], contents: Sequence[Content], keep: Sequence[bool]) -> TestData:
    """Return the contents of several sets one after the other."""
    counts = {part.name: len(part.refs) for part in parts}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise AlignmentError(f"the test sets have different numbers of references: {told}", hint="--use-refs")
    streams = [
        [content.references[name] for name in part.refs]
        for part, content in zip(parts, contents, strict=True)
    ]
    columns = dict.fromkeys(column for content in contents for column in content.metadata)
    shared = [name for name in contents[0].systems if all(name in content.systems for content in contents)]
    return TestData(
        pair=pair,
        parts=tuple(parts),
        sources=[line for content in contents for line in content.sources],
        references=[[line for part in parts_ for line in part] for parts_ in zip(*streams, strict=True)],
        metadata={
            column: [
                value
                for content in contents
                for value in content.metadata.get(column, [""] * len(content.sources))
            ]
            for column in columns
        },
        systems={name: [line for content in contents for line in content.systems[name]] for name in shared},
        keep=keep,
    )
