"""Downloads, cache and integrity, against a server on the loopback interface."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import loopback
import pytest

from mtscore import assets
from mtscore.assets import Asset, Store
from mtscore.errors import IntegrityError, NetworkError, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopback import Answer, Server

DATA = bytes(range(256)) * 2000
PAGE = b"<!DOCTYPE html><html><body>Please log in</body></html>"


def md5(data: bytes) -> str:
    """Return the MD5 as hexadecimal digits."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def published(url: str, data: bytes = DATA, **facts: object) -> Asset:
    """Return an asset with the MD5 of `data`."""
    return Asset(url=url, md5=md5(data), **facts)  # type: ignore[arg-type]  # mirrors, moving


def whole(folder: Path) -> list[str]:
    """Return the names of all files in a cache, except the (empty) locks."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a server for a test."""
    with loopback.running() as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return an empty store that loses patience quickly."""
    return Store(folder=tmp_path / "cache", timeout=0.4, attempts=2, pause=0.01)


def test_first_download_is_recorded_and_the_second_run_needs_no_network(server: Server, store: Store) -> None:
    """A fetched file has its size and SHA-256 recorded, and a new run finds it without asking the server."""
    asset = published(server.serve("/a.tgz", DATA))
    local = store.fetch(asset)
    assert (local.path.read_bytes(), local.size) == (DATA, len(DATA))
    assert local.sha256 == hashlib.sha256(DATA).hexdigest()
    again = Store(folder=store.folder, offline=True).fetch(asset)
    assert again == local
    assert server.log == ["/a.tgz"]
    assert whole(store.folder) == [asset.key, f"{asset.key}.json"]


@pytest.mark.parametrize(
    "first",
    [
        loopback.status(503),
        loopback.status(429),
        loopback.silence,
        loopback.silence_midway(DATA),
        loopback.reset_midway(DATA),
        loopback.body(DATA[:1000], promised=len(DATA)),
    ],
    ids=["503", "429", "silent", "silent midway", "reset midway", "truncated"],
)
def test_trouble_that_passes_is_retried(server: Server, store: Store, first: Answer) -> None:
    """A failure that may pass is followed by another attempt, which gives the right bytes."""
    asset = published(server.serve("/a.tgz", first, DATA))
    assert store.fetch(asset).path.read_bytes() == DATA
    assert server.log == ["/a.tgz"] * 2
    assert whole(store.folder) == [asset.key, f"{asset.key}.json"]


@pytest.mark.parametrize(
    ("answer", "reason", "requests"),
    [
        (loopback.status(404), "404", 1),
        (loopback.status(503), "503", 2),
        (loopback.silence, "no answer within 0.4 s", 2),
        (loopback.silence_midway(DATA), "no answer within 0.4 s", 2),
        (loopback.reset_midway(DATA), "the connection broke off midway", 2),
        (loopback.body(DATA[:1000], promised=len(DATA)), "the connection broke off midway", 2),
    ],
    ids=["404", "503", "silent", "silent midway", "reset midway", "truncated"],
)
def test_trouble_that_stays_is_one_clear_error(
    server: Server, store: Store, answer: Answer, reason: str, requests: int
) -> None:
    """A server that never delivers gives an error with address and reason, and nothing is left over."""
    url = server.serve("/a.tgz", answer)
    with pytest.raises(NetworkError, match="testsets add FILE") as caught:
        store.fetch(published(url))
    assert url in caught.value.what
    assert reason in caught.value.what
    assert len(server.log) == requests
    assert whole(store.folder) == []


@pytest.mark.parametrize("data", [PAGE, DATA[:-1] + b"x", b""], ids=["web page", "tampered", "empty"])
def test_wrong_bytes_are_never_kept(server: Server, store: Store, data: bytes) -> None:
    """Bytes that were not published are refused at once, and again by the next run."""
    asset = published(server.serve("/a.tgz", data), moving=True)
    for _ in range(2):
        with pytest.raises(IntegrityError, match="may have replaced the file"):
            store.fetch(asset)
    assert server.log == ["/a.tgz"] * 2
    assert whole(store.folder) == []


def test_a_web_page_is_refused_where_no_checksum_is_known(server: Server, store: Store) -> None:
    """Without a checksum to compare, a log-in page is still not taken for the file."""
    with pytest.raises(IntegrityError, match="a web page came instead"):
        store.fetch(Asset(url=server.serve("/a.model", PAGE)))
    assert whole(store.folder) == []


def test_mirrors_are_asked_in_order(server: Server, store: Store) -> None:
    """Where the first address fails for good, the next one is asked at once."""
    first, second = server.serve("/1/a.tgz", PAGE), server.serve("/2/a.tgz", loopback.status(404))
    asset = published(first, mirrors=(second, server.serve("/3/a.tgz", DATA)))
    assert store.fetch(asset).path.read_bytes() == DATA
    assert server.log == ["/1/a.tgz", "/2/a.tgz", "/3/a.tgz"]


def test_redirects_are_followed(server: Server, store: Store) -> None:
    """A redirect leads to the file."""
    target = server.serve("/real", DATA)
    asset = published(server.serve("/a.tgz", loopback.redirect(target)))
    assert store.fetch(asset).path.read_bytes() == DATA


def test_a_proxy_is_used(server: Server, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual variable names a proxy, which is asked for the whole address."""
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", server.address)
    server.serve("http://nowhere.invalid/a.tgz", DATA)
    asset = published("http://nowhere.invalid/a.tgz")
    assert store.fetch(asset).path.read_bytes() == DATA


def test_no_connection_is_one_clear_error(store: Store) -> None:
    """An address where nobody listens is an error that says so."""
    with loopback.running() as gone:
        url = gone.serve("/a.tgz", DATA)
    with pytest.raises(NetworkError, match=r"cannot download a\.tgz: http://.*/a\.tgz: no connection"):
        store.fetch(published(url))


def test_a_slow_server_is_waited_for(server: Server, store: Store) -> None:
    """A server that keeps sending is no failure, however long the whole takes."""
    asset = published(server.serve("/a.tgz", loopback.slow(DATA, pieces=8, pause=0.1)))
    assert store.fetch(asset).path.read_bytes() == DATA
    assert server.log == ["/a.tgz"]


def test_an_archive_declared_as_encoded_stays_compressed(server: Server, store: Store) -> None:
    """A `.tgz` that the server calls gzip-encoded arrives as published, not decompressed."""
    packed = gzip.compress(DATA)
    asset = published(server.serve("/a.tgz", loopback.body(packed, Content_Encoding="gzip")), packed)
    assert store.fetch(asset).path.read_bytes() == packed


def test_progress_is_reported(server: Server, store: Store) -> None:
    """The callback sees the file's name, growing counts, and at the end the whole size."""
    seen: list[tuple[str, int, int | None]] = []
    store.progress = lambda name, done, total: seen.append((name, done, total))
    store.fetch(published(server.serve("/a.tgz", DATA)))
    assert seen[-1] == ("a.tgz", len(DATA), len(DATA))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_a_damaged_file_is_set_aside_reported_and_fetched_again(server: Server, store: Store) -> None:
    """One changed byte in the cache is noticed by the next run, which repairs it and says so."""
    asset = published(server.serve("/a.tgz", DATA))
    path = store.fetch(asset).path
    path.write_bytes(b"x" + DATA[1:])
    later = Store(folder=store.folder, timeout=0.4)
    assert later.find(asset) is None
    assert later.fetch(asset).path.read_bytes() == DATA
    assert [notice.code for notice in later.notices] == ["damaged-cache"]
    assert path.with_name(f"{path.name}.damaged").read_bytes() == b"x" + DATA[1:]


def test_without_a_published_checksum_the_first_download_decides(server: Server, store: Store) -> None:
    """The SHA-256 of the first download holds: other bytes in the cache are damage."""
    asset = Asset(url=server.serve("/m.model", DATA))
    local = store.fetch(asset)
    assert local.sha256 == hashlib.sha256(DATA).hexdigest()
    local.path.write_bytes(DATA + b"x")
    later = Store(folder=store.folder, offline=True)
    with pytest.raises(NetworkError, match=r"damaged in the cache \(its SHA-256 is not the recorded one\)"):
        later.fetch(asset)


def test_offline_names_the_missing_file_and_asks_nobody(server: Server, store: Store) -> None:
    """Offline, a missing file is an error that names it, its address and the way to add it."""
    asset = published(server.serve("/a.tgz", DATA))
    store.offline = True
    with pytest.raises(NetworkError, match=r"a\.tgz is not in the cache.*switched off.*testsets add FILE"):
        store.fetch(asset)
    assert server.log == []


def test_a_file_fetched_elsewhere_can_be_added(store: Store, tmp_path: Path) -> None:
    """A user's copy enters the cache if, and only if, its checksum is the published one."""
    asset = published("http://127.0.0.1:9/a.tgz")
    copy = tmp_path / "copy"
    copy.write_bytes(DATA + b"x")
    with pytest.raises(IntegrityError, match="published is"):
        store.add(copy, asset)
    copy.write_bytes(DATA)
    assert store.add(copy, asset).path.read_bytes() == DATA
    assert Store(folder=store.folder, offline=True).fetch(asset).size == len(DATA)


def test_a_sacrebleu_cache_serves_and_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    """An archive with the published checksum is copied from sacreBLEU's folder; wrong ones are not."""
    theirs = tmp_path / "sacrebleu"
    for name, data in (("wmt17", DATA[:-1]), ("wmt17/B", DATA)):
        raw = theirs / name / "raw"
        raw.mkdir(parents=True)
        (raw / f"{name.replace('/', '_')}.test.tgz").write_bytes(data)
    before = {path: path.read_bytes() for path in theirs.rglob("*") if path.is_file()}
    store.sacrebleu, store.offline = theirs, True
    assert store.fetch(published("http://127.0.0.1:9/test.tgz")).path.read_bytes() == DATA
    assert {path: path.read_bytes() for path in theirs.rglob("*") if path.is_file()} == before


FULL_DISK = """
import resource, sys
from pathlib import Path
from mtscore.assets import Asset, Store
from mtscore.errors import StorageError
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    Store(folder=Path(sys.argv[1])).fetch(Asset(url=sys.argv[2], md5=sys.argv[3]))
except StorageError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of a file's size are a POSIX feature")
def test_a_write_error_leaves_nothing_behind(server: Server, tmp_path: Path) -> None:
    """A disk that takes no more data ends in one storage error that says where, and no partial file."""
    asset = published(server.serve("/a.tgz", DATA))
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path), asset.url, str(asset.md5)]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert "cannot be written: File too large" in output
    assert "MTSCORE_CACHE names another folder" in output
    assert output.count("\n") == 1
    assert whole(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_one_clear_error(server: Server, tmp_path: Path) -> None:
    """A cache folder below a plain file is a storage error that names the place."""
    (tmp_path / "file").write_bytes(b"")
    store = Store(folder=tmp_path / "file" / "cache", timeout=0.4)
    with pytest.raises(StorageError, match="cannot be written"):
        store.fetch(published(server.serve("/a.tgz", DATA)))


def test_an_interrupt_leaves_nothing_half_written(
    server: Server, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of a download removes the temporary file."""

    def interrupt(*_: object) -> None:
        assert any(path.suffix == ".part" for path in store.folder.rglob("*"))
        raise KeyboardInterrupt

    store.progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        store.fetch(published(server.serve("/a.tgz", DATA)))
    assert whole(store.folder) == []


def test_what_a_killed_process_left_is_removed(server: Server, store: Store) -> None:
    """A leftover temporary file of the same download disappears at the next one."""
    asset = published(server.serve("/a.tgz", DATA))
    leftover = store.path(asset).with_name(f".{asset.key}.abc.part")
    leftover.parent.mkdir(parents=True)
    leftover.write_bytes(DATA[:10])
    store.fetch(asset)
    assert whole(store.folder) == [asset.key, f"{asset.key}.json"]


FETCH = """
import sys
from pathlib import Path
from mtscore.assets import Asset, Store
store = Store(folder=Path(sys.argv[1]), timeout=20)
print(store.fetch(Asset(url=sys.argv[2], md5=sys.argv[3])).sha256)
"""


def test_eight_processes_at_once_download_once(server: Server, tmp_path: Path) -> None:
    """Processes that want the same file at the same time all get it, from one request."""
    asset = published(server.serve("/a.tgz", loopback.slow(DATA, pieces=4, pause=0.3)))
    command = [sys.executable, "-c", FETCH, str(tmp_path), asset.url, str(asset.md5)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]
    outputs = [process.communicate(timeout=60)[0].decode().strip() for process in processes]
    assert outputs == [hashlib.sha256(DATA).hexdigest()] * 8
    assert whole(tmp_path) == [asset.key, f"{asset.key}.json"]
    if os.name == "posix":
        assert server.log == ["/a.tgz"]


def test_derived_files_are_made_once_and_again_when_anything_differs(store: Store) -> None:
    """Derived files come from the cache until the stamp or one of their bytes differs."""
    made: list[int] = []

    def make() -> dict[str, bytes]:
        made.append(1)
        return {"src": b"a\nb\n", "ref": b"c\nd\n"}

    def ask(stamp: int) -> dict[str, bytes]:
        return store.derived("wmt17/en-de", {"reader": stamp}, make, lambda name: name == "src")

    assert [ask(1), ask(1)] == [{"src": b"a\nb\n"}] * 2
    assert len(made) == 1
    record = store.recorded("wmt17/en-de")
    assert record is not None
    assert record["files"]["ref"] == {"size": 4, "lines": 2, "sha256": hashlib.sha256(b"c\nd\n").hexdigest()}
    ask(2)
    assert len(made) == 2
    (store.folder / "text/wmt17/en-de/src").write_bytes(b"a\n")
    assert ask(2) == {"src": b"a\nb\n"}
    assert len(made) == 3
    assert [notice.code for notice in store.notices] == ["damaged-cache"]
    assert ask(2) == {"src": b"a\nb\n"}
    assert len(made) == 3


def test_derived_files_do_without_a_writable_cache(tmp_path: Path) -> None:
    """Where nothing can be kept, the result is still there, with a warning."""
    (tmp_path / "file").write_bytes(b"")
    store = Store(folder=tmp_path / "file")
    assert store.derived("a/b", {}, lambda: {"src": b"x\n"}) == {"src": b"x\n"}
    assert [notice.code for notice in store.notices] == ["cache-not-written"]


def test_the_environment_chooses_folder_and_offline_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MTSCORE_CACHE and MTSCORE_OFFLINE decide where nothing else is said; what is said beats them."""
    monkeypatch.setenv("MTSCORE_CACHE", str(tmp_path / "a"))
    monkeypatch.setenv("MTSCORE_OFFLINE", "1")
    assert (assets.current().folder, assets.current().offline) == (tmp_path / "a", True)
    assert assets.current() is assets.current()
    monkeypatch.setenv("MTSCORE_OFFLINE", "0")
    assert not assets.current().offline
    chosen = assets.open_store(tmp_path / "b", offline=True)
    assert (chosen.folder, chosen.offline) == (tmp_path / "b", True)
    with assets.using(chosen):
        assert assets.current() is chosen
    assert assets.current() is not chosen


def test_the_environment_names_the_other_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SACREBLEU names the other cache, and another name is followed at once, as a folder made since is."""
    monkeypatch.setenv("MTSCORE_CACHE", str(tmp_path / "cache"))
    for name in ("a", "b"):
        monkeypatch.setenv("SACREBLEU", str(tmp_path / name))
        assert assets.current().sacrebleu is None
        (tmp_path / name).mkdir()
        assert assets.current().sacrebleu == tmp_path / name


def test_a_named_folder_needs_no_conventions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that knows the platform's folders is only asked where no folder is named."""
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert assets.open_store(tmp_path).folder == tmp_path
    monkeypatch.setenv("MTSCORE_CACHE", str(tmp_path / "cache"))
    assert assets.open_store().folder == tmp_path / "cache"
    monkeypatch.delenv("MTSCORE_CACHE")
    with pytest.raises(ImportError):
        assets.open_store()


def test_a_folder_in_no_home() -> None:
    """A folder in the home of nobody is an error that names it."""
    with pytest.raises(UsageError, match="~no-such-user/cache: no such home folder"):
        assets.open_store(Path("~no-such-user/cache"))


def test_blocks_can_be_nested(tmp_path: Path) -> None:
    """Each of two blocks has its own store, however alike they are, and the outer one has it again later."""
    outer, inner = Store(folder=tmp_path), Store(folder=tmp_path)
    assert outer != inner
    with assets.using(outer):
        with assets.using(inner):
            assert assets.current() is inner
        assert assets.current() is outer


def test_blocks_hold_in_their_thread(tmp_path: Path) -> None:
    """What one thread uses, another one does not."""
    ours, theirs = Store(folder=tmp_path / "ours"), Store(folder=tmp_path / "theirs")
    block = assets.using(theirs)
    with assets.using(ours), ThreadPoolExecutor(1) as thread:
        thread.submit(block.__enter__).result()
        assert assets.current() is ours
        assert thread.submit(assets.current).result() is theirs
        thread.submit(block.__exit__, None, None, None).result()


def test_what_is_imported_is_required() -> None:
    """Packages that this module imports are dependencies by name, not because others happen to need them."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    required = {re.split(r"\W", line)[0] for line in project["dependencies"]}
    source = Path(assets.__file__).read_text("utf-8")
    imported = set(re.findall(r"^ *(?:import|from(?= \S+ import)) (\w+)", source, re.MULTILINE))
    packages = imported - sys.stdlib_module_names - {"mtscore"}
    assert packages == {"platformdirs", "pooch", "requests"}
    assert packages <= required


def test_models_are_known_by_name() -> None:
    """The models of the spBLEU tokenizers have an address; an unknown name gets the closest ones."""
    assert assets.model("flores200").sha256 == (
        "14bb8dfb35c0ffdea7bc01e56cea38b9e3d5efcdcb9c251d6b40538e1aab555a"
    )
    with pytest.raises(UsageError, match="did you mean"):
        assets.model("flores20")
