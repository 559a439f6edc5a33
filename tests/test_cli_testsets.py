"""`mtscore testsets`: what it prints, and how it ends."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import loopback
import pytest
from conftest import read_lines, run

from mtscore import assets
from mtscore.catalog import catalogue
from mtscore.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from loopback import Server

LINES = {"a.en": "one\n\nthr\u2028ee\tx\n", "a.de": "eins\nzwei\ndrei\n", "b.de": "Eins\nZwei\n\n"}
META = "docid\tdomain\toriglang\nd1\tnews\ten\nd1\tnews\ten\nd2\tchat\tde\n"
FILES = '[files]\nsrc = "a.en"\n"ref:A" = "a.de"\n"ref:B" = "b.de"\n"sys:mt" = "b.de"\nmeta = "m.tsv"\n'
ARCHIVE = loopback.tar_gz({**LINES, "m.tsv": META})


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a server for a test."""
    with loopback.running() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a test folders of its own for manifests and cache."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MTSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(catalogue, "user_folder", lambda: tmp_path / "config" / "mtscore" / "testsets")
    return tmp_path


@pytest.fixture
def manifest(server: Server, home: Path) -> Path:
    """Serve the archive of a small set and write its manifest."""
    path = home / "t.toml"
    path.write_text(
        'name = "t"\ndescription = "A test."\nformat = "plain"\npairs = ["en-de"]\ndefault_refs = ["A"]\n'
        f'[downloads.archive]\nurl = "{server.serve("/t.tgz", ARCHIVE)}"\n'
        f'md5 = "{hashlib.md5(ARCHIVE, usedforsecurity=False).hexdigest()}"\n{FILES}',
        "utf-8",
    )
    return path


@pytest.fixture
def testsets(
    home: Path, manifest: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Add the small set; return what runs the command and gives its exit code, output and messages."""
    monkeypatch.setattr(time, "sleep", lambda _: None)  # no pause before a retry

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["testsets", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert call("add", str(manifest)) == (0, "added t: en-de\n", "")
    return call


Call = Any


def test_the_list_names_every_set(testsets: Call) -> None:
    """Without a command all sets are listed, those of the package and one's own, as `list` does."""
    code, out, err = testsets()
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == catalogue.names()
    assert {"wmt17", "wmt20/robust/set1", "mini", "t"} <= set(catalogue.names())
    assert testsets("list") == (code, out, err)


def test_the_list_by_pair_tells_the_reverse(testsets: Call) -> None:
    """A set that has only the other direction comes last and says so."""
    _, out, _ = testsets("-l", "en-zh")
    lines = out.splitlines()
    assert "wmt17 " in out
    reverse = [line.split()[0] for line in lines if "reverse only (zh-en)" in line]
    assert reverse == [line.split()[0] for line in lines[-len(reverse) :]]
    assert "wmt17/ms" in reverse
    rows = json.loads(testsets("list", "-l", "en-zh", "-f", "json")[1])
    assert [row["name"] for row in rows if row["reverse_only"]] == reverse
    assert all("en-zh" in row["pairs"] for row in rows if not row["reverse_only"])


def test_the_list_as_json_has_all_pairs(testsets: Call) -> None:
    """`-f json` gives each set with its pairs."""
    rows = {row["name"]: row for row in json.loads(testsets("-f", "json")[1])}
    assert rows["t"] == {"name": "t", "description": "A test.", "format": "plain", "pairs": ["en-de"]}
    assert "liv-en" in rows["wmt22"]["pairs"]


def test_show_follows_the_files(testsets: Call, home: Path) -> None:
    """A file is missing, then verified with its size, then damaged; its fields and segments are told."""
    assert "           missing\n" in testsets("show", "t")[1]
    assert testsets("get", "t")[0] == 0
    shown = testsets("show", "t", "-l", "en-de")[1]
    assert f"verified, {len(ARCHIVE):,} bytes, {home / 'cache'}" in shown
    assert "scored     ref:A" in shown
    assert "segments   not known yet" in shown
    testsets("echo", "t", "-l", "en-de", "src")
    facts = json.loads(testsets("show", "t", "-f", "json")[1])
    assert facts["pairs"] == {
        "en-de": {
            "fields": ["src", "ref:A", "ref:B", "docid", "domain", "origlang", "sys:mt"],
            "scored": ["ref:A"],
            "segments": 3,
        }
    }
    assert facts["files"][0]["sha256"] == hashlib.sha256(ARCHIVE).hexdigest()
    file = next((home / "cache" / "downloads").glob("*.tgz"))
    file.write_bytes(b"x")
    assert "damaged" in testsets("show", "t")[1]
    assert file.exists()


def test_show_says_what_is_known_of_a_set_of_the_package(testsets: Call) -> None:
    """Pairs with their scored references and known sizes are shown without any download."""
    _, out, _ = testsets("show", "wmt22")
    assert "cs-en      scored: ref:B\n" in out
    assert "liv-en     scored: ref, 420 segments\n" in out
    assert "fields     known once the file is here" in testsets("show", "wmt22", "-l", "zh-en")[1]
    assert "mini/src.en" in testsets("show", "mini")[1]


def test_get_fetches_once(testsets: Call, server: Server, home: Path) -> None:
    """`get` names path, size and SHA-256; the second time it asks nobody."""
    first = testsets("get", "t", "mini")
    assert first[0] == 0
    assert f"{len(ARCHIVE):,} bytes, SHA-256 {hashlib.sha256(ARCHIVE).hexdigest()}" in first[1]
    assert "mini: comes as local files, verified" in first[1]
    assert testsets("get", "t", "mini", "--offline") == first
    assert testsets("get", "t", "-l", "en-de")[1] == "t en-de: 3 segments\n"
    assert server.log == ["/t.tgz"]


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "inf", "1e308"])
def test_a_patience_that_no_clock_has(testsets: Call, server: Server, timeout: str) -> None:
    """A timeout that cannot be waited for is refused before anybody is asked."""
    code, out, err = testsets("get", "t", "--timeout", timeout)
    assert (code, out) == (2, "")
    assert err.startswith("mtscore: error: --timeout: timeout must be ")
    assert server.log == []


def test_get_checks_all_names_first(testsets: Call, server: Server) -> None:
    """A set without the pair is refused before anything is fetched or printed for the others."""
    code, out, err = testsets("get", "t", "mini", "-l", "en-es")
    assert (code, out) == (2, "")
    assert err.startswith("mtscore: error: t has no language pair 'en-es'")
    assert testsets("get", "mini", "t", "-l", "en-es")[:2] == (2, "")
    assert server.log == []


def test_the_option_beats_the_environment(testsets: Call, home: Path) -> None:
    """`--cache` chooses the folder although MTSCORE_CACHE names another."""
    testsets("get", "t", "--cache", str(home / "elsewhere"))
    assert (home / "elsewhere" / "downloads").is_dir()
    assert not (home / "cache" / "downloads").exists()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (loopback.status(404), "404"),
        (loopback.status(503), "503"),
        (loopback.silence, "no answer within 0.2 s"),
        (loopback.reset_midway(ARCHIVE), "the connection broke off midway"),
        (loopback.body(b"<html>log in</html>"), "a web page came instead"),
        (loopback.body(ARCHIVE[:-1]), "its MD5 is"),
    ],
    ids=["404", "503", "silent", "reset", "web page", "tampered"],
)
def test_network_trouble_is_exit_code_3_and_one_line(
    testsets: Call, server: Server, home: Path, answer: loopback.Answer, reason: str
) -> None:
    """Trouble that is not the command line's is one clear line and exit code 3; the cache stays clean."""
    server.serve("/t.tgz", answer)
    code, out, err = testsets("get", "t", "--timeout", "0.2")
    assert (code, out) == (3, "")
    assert err.startswith("mtscore: error: ")
    assert reason in err
    assert err.count("\n") == 1
    assert [path for path in (home / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    server.serve("/t.tgz", ARCHIVE)
    assert testsets("get", "t")[0] == 0


def test_offline_is_exit_code_3(testsets: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, by option or environment, a missing file is named with the way to bring it."""
    for arguments in (["--offline"], []):
        code, _, err = testsets("echo", "t", "src", "-l", "en-de", *arguments)
        assert code == 3
        assert "t.tgz is not in the cache, and downloads are switched off" in err
        monkeypatch.setenv("MTSCORE_OFFLINE", "1")


def test_a_damaged_file_is_repaired_with_a_warning(testsets: Call, server: Server, home: Path) -> None:
    """The user is told what was found and that it was set aside; the result is right."""
    testsets("get", "t")
    next((home / "cache" / "downloads").glob("*.tgz")).write_bytes(b"x")
    code, out, err = testsets("echo", "t", "src", "-l", "en-de")
    assert (code, out) == (0, LINES["a.en"])
    assert err.startswith("mtscore: warning: ")
    assert "the cached file is damaged" in err
    assert len(server.log) == 2


def test_echo_prints_a_field_as_it_is(testsets: Call) -> None:
    """One field keeps every line: empty ones, tabs, and characters that end lines elsewhere."""
    assert testsets("echo", "t", "-l", "en-de", "src") == (0, LINES["a.en"], "")
    assert testsets("echo", "t", "-l", "en-de", "ref:B")[1] == LINES["b.de"].rstrip() + "\n\n"
    assert testsets("echo", "t", "-l", "en-de", "mt")[1] == LINES["b.de"]
    assert testsets("echo", "t", "-l", "en-de", "domain")[1] == "news\nnews\nchat\n"


def test_echo_prints_several_fields_as_columns(testsets: Call) -> None:
    """Fields come in the order given; a tab inside one becomes a space, with a warning."""
    code, out, err = testsets("echo", "t", "-l", "en-de", "docid", "src", "ref")
    assert (code, out) == (0, "d1\tone\teins\nd1\t\tzwei\nd2\tthr\u2028ee x\tdrei\n")
    assert "mtscore: warning: src:3: a tab in the text became a space" in err
    rows = testsets("echo", "t", "-l", "en-de", "all")[1].split("\n")
    assert [len(row.split("\t")) for row in rows] == [7, 7, 7, 1]


def test_echo_ref_is_what_is_scored(testsets: Call) -> None:
    """`ref` gives the default reference of the set, whatever its name."""
    assert testsets("echo", "t", "-l", "en-de", "ref")[1] == LINES["a.de"]
    assert testsets("echo", "mini", "-l", "en-de", "ref")[1].split("\n")[:-1] == read_lines(
        assets.shipped() / "mini" / "ref.A.de"
    )


def test_echo_with_filters_and_several_sets(testsets: Call) -> None:
    """Filters keep their segments of each set, one set after the other."""
    assert testsets("echo", "t,t", "-l", "en-de", "ref", "-ol", "de")[1] == "drei\ndrei\n"
    assert testsets("echo", "t", "-l", "en-de", "ref", "--subset", "^n", "-ol", "non-de")[1] == "eins\nzwei\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "wmt177"], "unknown test set 'wmt177' (did you mean wmt17 or"),
        (["get", "nothing-like-it"], "mtscore testsets lists all"),
        (["echo", "t", "src", "-l", "de-en"], "t has no de-en, only the reverse en-de (-l en-de)"),
        (
            ["echo", "t", "ref:C", "-l", "en-de"],
            "there is no field 'ref:C' (it has: src, ref:A, ref:B, docid",
        ),
        (["echo", "t", "src"], "Missing option '-l'"),
        (["-l", "en-dee"], "no test set has the language pair 'en-dee' (did you mean en-de"),
        (["wmt17"], "testsets has no command 'wmt17' (mtscore testsets show wmt17)"),
        (["-l", "en-de", "show", "t"], "options stand behind the command (mtscore testsets show …)"),
        (["shwo"], "testsets has no command 'shwo' (did you mean show?)"),
        (["cite", "wmt22"], "no publication is recorded for wmt22"),
        (["add", "nothing.toml"], "nothing.toml: no such file"),
    ],
)
def test_mistakes_are_exit_code_2(testsets: Call, arguments: list[str], message: str) -> None:
    """A mistake in the command line is one line that says what would be right."""
    code, out, err = testsets(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_manifest_with_a_mistake_is_not_added(testsets: Call, manifest: Path) -> None:
    """The field that is wrong is named, and the set that was there before stays."""
    manifest.write_text(manifest.read_text("utf-8").replace("plain", "plian"), "utf-8")
    code, _, err = testsets("add", str(manifest))
    assert code == 2
    assert f"{manifest}: unknown format 'plian' (did you mean plain?)" in err
    assert testsets("show", "t")[0] == 0


def test_an_archive_can_be_added(testsets: Call, home: Path, server: Server) -> None:
    """An archive from elsewhere replaces the download."""
    (home / "x").write_bytes(ARCHIVE)
    assert testsets("add", str(home / "x")) == (0, "added t.tgz of t\n", "")
    assert testsets("echo", "t", "src", "-l", "en-de", "--offline")[0] == 0
    assert server.log == []


def test_cite_prints_bibtex(testsets: Call) -> None:
    """A set's entry is printed; a variant without its own has that of its family."""
    code, out, _ = testsets("cite", "wmt17")
    assert code == 0
    assert out.startswith("@InProceedings{bojar-EtAl:2017:WMT1,")
    assert testsets("cite", "wmt17/B")[1] == out


@pytest.mark.parametrize("command", [[], ["get"], ["add"], ["echo"]])
def test_help_has_examples(testsets: Call, command: list[str]) -> None:
    """The help of the group and of its commands shows command lines to copy."""
    code, out, _ = testsets(*command, "--help")
    assert code == 0
    assert "  mtscore testsets " in out.partition("Examples:")[2]


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a process that has its own folders."""
    own = {"XDG_CONFIG_HOME": str(home / "config"), "MTSCORE_CACHE": str(home / "cache")}
    return {**os.environ, **own}


needs_xdg = pytest.mark.skipif(
    sys.platform != "linux", reason="processes find their folders by XDG variables"
)


@needs_xdg
def test_two_processes_get_one_set_at_once(home: Path, manifest: Path, server: Server) -> None:
    """Both end well, from one request."""
    assert run("testsets", "add", manifest, env=environment(home)).returncode == 0
    server.serve("/t.tgz", loopback.slow(ARCHIVE, pieces=3, pause=0.3))
    command = [sys.executable, "-m", "mtscore", "testsets", "echo", "t", "-l", "en-de", "ref"]
    processes = [subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE) for _ in range(2)]
    results = [process.communicate(timeout=60)[0].decode() for process in processes]
    assert results == [LINES["a.de"]] * 2
    assert server.log == ["/t.tgz"]


@needs_xdg
def test_eight_processes_score_one_set_from_an_empty_cache(
    home: Path, manifest: Path, server: Server
) -> None:
    """All have the same score, nobody says anything, and one of them has fetched the set."""
    assert run("testsets", "add", manifest, env=environment(home)).returncode == 0
    server.serve("/t.tgz", loopback.slow(ARCHIVE, pieces=3, pause=0.5))
    (home / "hyp").write_text("eins\nzwei\nvier\n", "utf-8")
    words = ["score", "-t", "t", "-l", "en-de", "-i", str(home / "hyp"), "-m", "chrf", "-b"]
    command = [sys.executable, "-m", "mtscore", *words]
    processes = [
        subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(8)
    ]
    results = [process.communicate(timeout=60) for process in processes]
    assert results == [(b"72.9\n", b"")] * 8
    assert [process.returncode for process in processes] == [0] * 8
    assert server.log == ["/t.tgz"]


@needs_xdg
def test_ctrl_c_leaves_nothing_half_written(home: Path, manifest: Path, server: Server) -> None:
    """An interrupted download ends with exit code 130 and a clean cache; the next one succeeds."""
    assert run("testsets", "add", manifest, env=environment(home)).returncode == 0
    server.serve("/t.tgz", loopback.silence_midway(ARCHIVE), ARCHIVE)
    command = [sys.executable, "-m", "mtscore", "testsets", "get", "t"]
    process = subprocess.Popen(command, env=environment(home), stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not server.log and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list((home / "cache").rglob("*.part"))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert [path for path in (home / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    assert run("testsets", "get", "t", env=environment(home)).returncode == 0


@needs_xdg
def test_listing_needs_neither_numpy_nor_a_network_library(home: Path) -> None:
    """What the list and the help need is imported, and nothing heavy."""
    code = (
        "import sys\nfrom mtscore.cli import main\nmain(['testsets'])\n"
        "print(sorted({'numpy', 'requests', 'pooch', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment(home), capture_output=True, check=True
    )
    assert result.stdout.decode().splitlines()[-1] == "[]"
