"""Files from the network: fetched once, verified whenever they are used, kept in one cache folder.

This is the only module that opens a socket and the only one that keeps a cache; test sets and tokenizer
models both come through it. What the files mean is not its business. In short:

    local = current().fetch(model("flores200"))      # or fetch(Asset(url=..., md5=..., mirrors=(...)))
    local.path, local.sha256                         # verified bytes; SHA-256 also where none is published

`fetch` looks in the cache, then in an existing sacreBLEU cache (copied, never changed), then on the network:
time-outs, retries, mirrors, a temporary file that takes its name only once its checksum is right. Processes
wait for each other on a lock; where the system has none, the final rename alone keeps files whole. Size,
MD5 and SHA-256 are recorded at the first verified download and hold from then on. A damaged file is set
aside as `NAME.damaged`, reported in `Store.notices`, and fetched again.

`Store.derived` keeps files that were computed from others, under the same guarantees.

Errors: `NetworkError`, `IntegrityError`, `StorageError`, each with the address or file and what to do.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import time
import tomllib
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from mtscore.errors import IntegrityError, NetworkError, StorageError, UsageError, closest
from mtscore.files import replacing
from mtscore.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import requests

    Progress = Callable[[str, int, int | None], None]
    """Called with a file's name, the bytes received so far, and how many there will be (if known)."""

CACHE_VARIABLE = "MTSCORE_CACHE"
OFFLINE_VARIABLE = "MTSCORE_OFFLINE"
SACREBLEU_VARIABLE = "SACREBLEU"
MODELS_FILE = "models.toml"

_BLOCK = 1 << 18
_REFUSALS = range(400, 500)
_WORTH_RETRYING = {408, 425, 429}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """Name a published file and say how to recognise it.

    Without a published checksum the first download decides: its SHA-256 is recorded and holds from then on.
    `moving` tells that the publisher may replace the bytes behind the address (a branch, say).
    """

    url: str
    mirrors: tuple[str, ...] = ()
    md5: str | None = None
    sha256: str | None = None
    moving: bool = False

    @property
    def name(self) -> str:
        """Return the file's own name, the last part of its address."""
        return unquote(PurePosixPath(urlsplit(self.url).path).name)

    @property
    def key(self) -> str:
        """Return the file's name in the cache: what identifies its bytes, then its own name."""
        identity = self.md5 or self.sha256 or hashlib.sha256(self.url.encode()).hexdigest()
        return f"{identity[:16]}-{quote(self.name, safe=' ')}"

    @property
    def known(self) -> bool:
        """Return whether a checksum is published."""
        return bool(self.md5 or self.sha256)

    def difference(self, local: LocalFile) -> str | None:
        """Say how bytes differ from the published ones; None where they do not, or nothing is published."""
        sums = (("MD5", self.md5, local.md5), ("SHA-256", self.sha256, local.sha256))
        for kind, published, found in sums:
            if published is not None and published != found:
                return f"its {kind} is {found}, published is {published}"
        return None


@dataclass(frozen=True, slots=True)
class LocalFile:
    """Hold where a file lies and what its bytes are; `size` is in bytes."""

    path: Path
    size: int
    md5: str
    sha256: str


@dataclass(kw_only=True, eq=False)
class Store:
    """Keep files in one folder.

    `timeout` is in seconds, for connecting and between two pieces of data; `pause` are the seconds before
    the first retry, doubled each time. `notices` collects what a user should know.
    """

    folder: Path
    offline: bool = False
    sacrebleu: Path | None = None
    timeout: float = 30.0
    attempts: int = 3
    pause: float = 1.0
    progress: Progress | None = None
    notices: list[Notice] = field(default_factory=list)
    _verified: dict[str, LocalFile] = field(default_factory=dict, init=False, repr=False)

    def path(self, asset: Asset) -> Path:
        """Return where the file lies once it is here."""
        return self.folder / "downloads" / asset.key

    def fetch(self, asset: Asset) -> LocalFile:
        """Return the verified local copy of a file, fetching it if need be.

        Raises:
            NetworkError: no source answered with the file, or downloads are switched off.
            IntegrityError: what the sources sent is not what was published.
            StorageError: the cache cannot be written.
        """
        found = self.find(asset)
        if found is not None:
            return found
        theirs = self._in_sacrebleu(asset)
        if theirs is None and self.offline:
            raise self._offline_error(asset)
        with self._locked(asset.key) as alone:
            path = self.path(asset)
            if alone:
                _remove_leftovers(path)
            found = self.find(asset)  # another process may have fetched it while this one waited
            if found is not None:
                return found
            if path.exists():
                self._set_aside(path, self.trouble(asset) or "not a file")
            return self.add(theirs, asset) if theirs else self._download(asset)

    def find(self, asset: Asset) -> LocalFile | None:
        """Return the verified local copy; None where it is missing or damaged. Changes nothing."""
        if asset.key not in self._verified and self.path(asset).is_file():
            local = examine(self.path(asset))
            if not self._compare(asset, local):
                self._verified[asset.key] = local
        return self._verified.get(asset.key)

    def trouble(self, asset: Asset) -> str | None:
        """Say what is wrong with the local copy, or None where it is sound or missing."""
        if asset.key in self._verified or not self.path(asset).is_file():
            return None
        return self._compare(asset, examine(self.path(asset)))

    def _compare(self, asset: Asset, local: LocalFile) -> str | None:
        """Say how cached bytes differ from the published or, where none is, from the recorded checksum."""
        record = _read_record(_record_of(local.path))
        if record is None:
            return asset.difference(local) if asset.known else "no checksum of it is recorded"
        recorded = None if record.get("sha256") == local.sha256 else "its SHA-256 is not the recorded one"
        return asset.difference(local) or recorded

    def add(self, source: Path, asset: Asset) -> LocalFile:
        """Copy a file that was fetched elsewhere into the cache.

        Raises:
            IntegrityError: its bytes are not those that were published.
        """
        return self._keep(asset, str(source), partial(shutil.copyfile, source))

    def derived(
        self,
        key: str,
        stamp: Mapping[str, Any],
        make: Callable[[], Mapping[str, bytes]],
        want: Callable[[str], bool] = lambda _: True,
    ) -> dict[str, bytes]:
        """Return the wanted ones of a group of files that `make` computes; from the cache if they are there.

        `key` is the group's folder (`wmt17/en-de`). `stamp` (JSON) says what the files were made from and by
        which version of the code: where it differs from the recorded one, or a file's checksum from its
        recorded one, all are made again. A cache that cannot be written costs time, not the result.
        """
        folder = self.folder / "text" / key
        kept = self._read_derived(folder, stamp, want)
        if kept is None:
            made = make()
            try:
                with self._locked(f"text-{key}"):
                    _write_derived(folder, stamp, made)
            except StorageError as error:
                self.notices.append(Notice("warning", "cache-not-written", str(error)))
            kept = {name: data for name, data in made.items() if want(name)}
        return kept

    def recorded(self, key: str) -> Mapping[str, Any] | None:
        """Return what is recorded of a group: `stamp`, and `files` with size, lines, sha256; or None."""
        return _read_record(self.folder / "text" / key / "record.json")

    def _read_derived(
        self, folder: Path, stamp: Mapping[str, Any], want: Callable[[str], bool]
    ) -> dict[str, bytes] | None:
        record = _read_record(folder / "record.json")
        if record is None or record.get("stamp") != stamp:
            return None
        files = {}
        for name, facts in record["files"].items():
            if want(name):
                path = folder / quote(name, safe=" ")
                data = path.read_bytes() if path.is_file() else None
                if data is None or hashlib.sha256(data).hexdigest() != facts["sha256"]:
                    if data is not None:
                        with suppress(StorageError):
                            self._set_aside(path, "its checksum is not the recorded one")
                    return None
                files[name] = data
        return files

    def _in_sacrebleu(self, asset: Asset) -> Path | None:
        """Return the file in an existing sacreBLEU cache that has the published checksum, or None."""
        if self.sacrebleu is None or not asset.known:
            return None
        name = glob.escape(asset.name)
        names = (name, f"*.{name}")  # theirs begin with the test set's name
        for path in (path for name in names for path in self.sacrebleu.rglob(name) if path.is_file()):
            with suppress(StorageError):  # one that cannot be read is none
                if asset.difference(examine(path)) is None:
                    return path
        return None

    def _offline_error(self, asset: Asset) -> NetworkError:
        damage = self.trouble(asset)
        state = f"is damaged in the cache ({damage})" if damage else "is not in the cache"
        return NetworkError(
            f"{asset.name} {state}, and downloads are switched off",
            where=str(self.path(asset)),
            hint=f"run once without --offline and {OFFLINE_VARIABLE}, "
            f"or get {asset.url} elsewhere and run: mtscore testsets add FILE",
        )

    def _download(self, asset: Asset) -> LocalFile:
        """Try every source, and those that may still answer again, until one sends the published bytes."""
        failures: dict[str, NetworkError | IntegrityError] = {}
        sources = [asset.url, *asset.mirrors]
        for attempt in range(self.attempts):
            if attempt and sources:
                time.sleep(self.pause * 2 ** (attempt - 1))
            for url in tuple(sources):
                try:
                    return self._keep(asset, url, partial(self._receive, asset, url))
                except (_GoneError, IntegrityError) as error:
                    failures[url] = error
                    sources.remove(url)
                except NetworkError as error:
                    failures[url] = error
        raise _summary(asset, failures)

    def _receive(self, asset: Asset, url: str, target: Path) -> None:
        """Write what one address sends."""
        import pooch  # noqa: PLC0415  # only when something is downloaded
        import requests  # noqa: PLC0415

        responses: list[requests.Response] = []
        download = pooch.HTTPDownloader(
            progressbar=_Meter(asset.name, self.progress) if self.progress else False,
            chunk_size=_BLOCK,
            timeout=self.timeout,
            headers={"Accept-Encoding": "identity", "User-Agent": "mtscore"},
            hooks={"response": partial(_take_as_sent, responses)},
        )
        try:
            download(url, str(target), None)
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            final = status in _REFUSALS and status not in _WORTH_RETRYING
            raise (_GoneError if final else NetworkError)(
                str(error).split(" for url")[0], where=url
            ) from error
        except requests.RequestException as error:
            raise NetworkError(_describe(error, self.timeout), where=url) from error
        finally:
            for response in responses:
                response.close()

    def _keep(self, asset: Asset, source: str, write: Callable[[Path], object]) -> LocalFile:
        """Let `write` fill a temporary file; if its bytes are right, record them and give it its name."""
        path = self.path(asset)
        with _replacing(path) as temporary:
            write(temporary)
            local = examine(temporary)
            trouble = _page(temporary) or asset.difference(local)
            if trouble:
                raise IntegrityError(trouble, where=source)
            _write_record(_record_of(path), {"url": asset.url, **_facts(local)})
        self._verified[asset.key] = LocalFile(path, local.size, local.md5, local.sha256)
        return self._verified[asset.key]

    def _set_aside(self, path: Path, trouble: str) -> None:
        aside = path.with_name(f"{path.name}.damaged")
        with _writing(path), suppress(FileNotFoundError):  # another process may have been quicker
            path.replace(aside)
        text = f"the cached file is damaged ({trouble}); set aside as {aside.name}"
        self.notices.append(Notice("warning", "damaged-cache", text, file=str(path)))

    @contextmanager
    def _locked(self, key: str) -> Iterator[bool]:
        """Keep other processes out while one file is made; tell whether that is certain."""
        path = self.folder / "locks" / f"{quote(key, safe=' ')}.lock"
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = path.open("ab")
        with handle:
            yield _lock(handle.fileno())


_in_use: ContextVar[Store | None] = ContextVar("_in_use", default=None)


def current() -> Store:
    """Return the store that is in use: the innermost of `using`, else the one of the environment."""
    return _in_use.get() or _of_environment(_usual_folder(), _told_offline(), _sacrebleu_folder())


@contextmanager
def using(store: Store) -> Iterator[Store]:
    """Make `store` the one that `current` returns, for a block and in its thread."""
    outer = _in_use.set(store)
    try:
        yield store
    finally:
        _in_use.reset(outer)


def open_store(
    folder: Path | None = None, *, offline: bool | None = None, progress: Progress | None = None
) -> Store:
    """Return a store; what is not given comes from the environment, then from the platform's conventions."""
    return Store(
        folder=_expanded(folder) if folder else _usual_folder(),
        offline=_told_offline() if offline is None else offline,
        progress=progress,
        sacrebleu=_sacrebleu_folder(),
    )


@cache
def _of_environment(folder: Path, offline: bool, sacrebleu: Path | None) -> Store:
    """Return the one store with these settings, which remembers what it has verified."""
    return Store(folder=folder, offline=offline, sacrebleu=sacrebleu)


def _usual_folder() -> Path:
    if named := os.environ.get(CACHE_VARIABLE):
        return _expanded(Path(named))
    import platformdirs  # noqa: PLC0415  # not needed by those who name the folder

    try:
        return Path(platformdirs.user_cache_dir("mtscore")).expanduser()
    except RuntimeError as error:  # a user without a home, as in some containers
        raise StorageError(
            "there is no home folder to keep the cache in", hint=f"--cache or {CACHE_VARIABLE} names another"
        ) from error


def _expanded(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError as error:
        raise UsageError("no such home folder", where=str(folder)) from error


def _told_offline() -> bool:
    return os.environ.get(OFFLINE_VARIABLE, "").lower() not in {"", "0", "no", "false"}


def _sacrebleu_folder() -> Path | None:
    theirs = Path(os.environ.get(SACREBLEU_VARIABLE) or os.path.expanduser("~/.sacrebleu"))
    return theirs if theirs.is_dir() else None


def shipped() -> Path:
    """Return the folder of the manifests that come with the package (in a checkout: beside the package)."""
    package = Path(str(resources.files("mtscore")))
    inside = package / "testsets"
    return inside if inside.is_dir() else package.parent / "testsets"


def models() -> dict[str, Asset]:
    """Return the published files of tokenizer models, by name."""
    tables = tomllib.loads((shipped() / MODELS_FILE).read_text("utf-8"))
    return {
        name: Asset(
            url=facts["url"],
            mirrors=tuple(facts.get("mirrors", ())),
            md5=facts.get("md5"),
            sha256=facts.get("sha256"),
        )
        for name, facts in tables.items()
    }


def model(name: str) -> Asset:
    """Return the published file of a tokenizer model (`flores200`).

    Raises:
        UsageError: no such model is known.
    """
    known = models()
    if name not in known:
        raise UsageError(f"no model is called {name}", hint=closest(name, list(known)))
    return known[name]


def examine(path: Path) -> LocalFile:
    """Read a file once and return its size, MD5 and SHA-256.

    Raises:
        StorageError: it cannot be read.
    """
    size, md5, sha256 = 0, hashlib.md5(usedforsecurity=False), hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                md5.update(block)
                sha256.update(block)
    except OSError as error:
        raise StorageError(f"cannot be read: {error.strerror}", where=str(path)) from error
    return LocalFile(path, size, md5.hexdigest(), sha256.hexdigest())


def write_text(path: Path, text: str) -> None:
    """Write a text file; it appears whole or not at all.

    Raises:
        StorageError: it cannot be written.
    """
    with _replacing(path) as temporary:
        temporary.write_text(text, "utf-8")


class _GoneError(NetworkError):
    """A server answered that it will not send the file: asking again does not help."""


class _Meter:
    """Be what pooch takes for a progress bar: it sets `total`, then reports pieces."""

    total = 0

    def __init__(self, name: str, report: Progress) -> None:
        self.name, self.report, self.done = name, report, 0

    def update(self, size: int) -> None:
        self.done = min(self.done + size, self.total) if self.total else self.done + size
        self.report(self.name, self.done, self.total or None)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        """Do nothing: the caller of `fetch` owns what is drawn."""


def _take_as_sent(seen: list[requests.Response], response: requests.Response, **_: object) -> None:
    """Keep an archive compressed where the server calls its compression an encoding; note the response."""
    response.raw.headers.pop("Content-Encoding", None)
    seen.append(response)


def _page(path: Path) -> str | None:
    """Say that a file is a web page, as log-in portals and error pages are, or None."""
    with path.open("rb") as file:
        start = file.read(512).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "a web page came instead" if start.startswith((b"<!doctype html", b"<html")) else None


def _describe(error: Exception, timeout: float) -> str:
    """Say in a few words why no complete answer came."""
    import requests  # noqa: PLC0415

    if isinstance(error, requests.Timeout) or "timed out" in str(error).lower():
        return f"no answer within {timeout:g} s"
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy does not answer"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not accepted"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off midway"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return f"the request failed ({type(error).__name__})"


def _summary(
    asset: Asset, failures: Mapping[str, NetworkError | IntegrityError]
) -> NetworkError | IntegrityError:
    """Return one error that names every source and what was wrong with it."""
    reasons = "; ".join(f"{url}: {error.what}" for url, error in failures.items())
    manually = "get the file elsewhere and run: mtscore testsets add FILE"
    if all(isinstance(error, NetworkError) for error in failures.values()):
        hint = f"check network and proxy, or {manually}"
        return NetworkError(f"cannot download {asset.name}: {reasons}", hint=hint)
    moved = "the publisher may have replaced the file; " if asset.moving else ""
    return IntegrityError(f"cannot get {asset.name} as published: {reasons}", hint=f"{moved}{manually}")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn a failure of the disk into an error that says where, and how to go elsewhere."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror or error}",
            where=str(path),
            hint=f"--cache or {CACHE_VARIABLE} names another folder",
        ) from error


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file that takes the place of `path` only if the block succeeds."""
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, prefix=f".{path.name}.") as temporary:
            yield temporary


def _remove_leftovers(path: Path) -> None:
    """Remove what a killed process left of its temporary file."""
    for leftover in path.parent.glob(f".{path.name}.*.part"):
        with suppress(OSError):
            leftover.unlink()


def _lock(descriptor: int) -> bool:
    """Wait for the lock of an open file; False where the system or file system has no locks."""
    try:
        import fcntl  # noqa: PLC0415  # absent on Windows

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return False
    return True


def _facts(local: LocalFile) -> dict[str, Any]:
    return {name: value for name, value in asdict(local).items() if name != "path"}


def _record_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _read_record(path: Path) -> dict[str, Any] | None:
    """Return a record, or None where it is missing or damaged."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def _write_derived(folder: Path, stamp: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Write a group of files and, last, the record without which none of them counts."""
    facts = {}
    for name, data in files.items():
        with _replacing(folder / quote(name, safe=" ")) as temporary:
            temporary.write_bytes(data)
        facts[name] = {
            "size": len(data),
            "lines": data.count(b"\n"),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    _write_record(folder / "record.json", {"stamp": stamp, "files": facts})
