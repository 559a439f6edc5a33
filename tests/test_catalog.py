"""The catalogue of test sets: manifests, and loading a set from published or local files."""

from __future__ import annotations

import hashlib
import json
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import loopback
import pytest
from conftest import read_json, read_lines, shared
from hypothesis import given
from hypothesis import strategies as st

from mtscore import assets
from mtscore.assets import Store
from mtscore.catalog import archives, catalogue, formats, manifest
from mtscore.catalog.content import Content, to_bytes
from mtscore.catalog.testdata import Part, keep_subset
from mtscore.errors import (
    AlignmentError,
    InputError,
    IntegrityError,
    ManifestError,
    NetworkError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from loopback import Server

SRC = '<doc docid="d1" origlang="en">\n<seg id="1">one</seg>\n<seg id="2">two</seg>\n</doc>\n'
SGM = {
    "t/src.en.sgm": SRC + '<doc docid="d2" origlang="de">\n<seg id="1">three</seg>\n</doc>\n',
    "t/ref.de.sgm": '<seg id="1">eins</seg>\n<seg id="2">zwei</seg>\n<seg id="3">drei</seg>\n',
    "t/refB.de.sgm": '<seg id="1">Eins</seg>\n<seg id="2">Zwei</seg>\n<seg id="3">Drei</seg>\n',
}


@pytest.fixture(autouse=True)
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a configuration folder of its own."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setattr(catalogue, "user_folder", lambda: folder)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Make an empty store the one in use."""
    with assets.using(Store(folder=tmp_path / "cache", timeout=2, attempts=1)) as store:
        yield store


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a server for a test."""
    with loopback.running() as server:
        yield server


class Publisher:
    """Publish test sets: serve an archive and write the manifest that names it."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self.folder = folder

    def publish(self, name: str, archive: bytes, files: Mapping[str, str], more: str = "", **top: Any) -> str:
        """Publish one test set; `files` are fields and members, `top` replaces fields of the manifest."""
        url = self.server.serve(f"/{name}.tgz", archive)
        digest = hashlib.md5(archive, usedforsecurity=False).hexdigest()
        facts = {"name": name, "description": "d", "format": "sgml", "pairs": ["en-de"], **top}
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
        text += f'[downloads.archive]\nurl = "{url}"\nmd5 = "{digest}"\n[files]\n'
        text += "".join(f'"{field}" = "{member}"\n' for field, member in files.items())
        path = self.folder / manifest.file_name(name)
        path.write_text(text + more, "utf-8")
        return name


@pytest.fixture
def publisher(server: Server, user_folder: Path) -> Publisher:
    """Return what publishes test sets on the server of this test."""
    return Publisher(server, user_folder)


@pytest.fixture
def news(publisher: Publisher) -> str:
    """Publish a small SGML set with two references, of which the first is scored."""
    files = {"src": "t/src.{src}.sgm", "ref:A": "t/ref.{trg}.sgm", "ref:B": "t/refB.{trg}.sgm"}
    return publisher.publish("news", loopback.tar_gz(SGM), files, default_refs=["A"])


# Manifests


@pytest.mark.parametrize("path", sorted(assets.shipped().glob("*.toml")), ids=lambda path: path.stem)
def test_every_manifest_of_the_package_is_valid(path: Path) -> None:
    """Each manifest passes all checks, and its file is called as its set."""
    if path.name == assets.MODELS_FILE:
        assert set(assets.models()) == {"flores101", "flores200", "spBLEU-1K"}
        return
    found = manifest.read(path)
    assert manifest.file_name(found.name) == path.name
    assert manifest.set_name(path.name) == found.name


def test_the_manifests_say_what_the_field_knows() -> None:
    """All 67 sets have the registry's addresses, checksums, members, columns, references, citations."""
    facts = read_json(shared("testset-facts.json"))
    assert set(catalogue.names()) == {*facts["test_sets"], "mini"}
    for name, known in facts["test_sets"].items():
        found = catalogue.find(name)
        assert (found.format, list(found.pairs)) == (known["format"], list(known["pairs"]))
        assert dict(found.documents) == facts["subsets_doc_to_tag"].get(name, {})
        assert (found.citation is None) == (known["citation"] is None)
        for pair, expected in known["pairs"].items():
            files = expected.get("fields") or {"xml": expected["xml"]}
            assert {field: _located(found, found.pairs[pair].files[field]) for field in files} == {
                field: _registered(known["downloads"][place["download"]], place)
                for field, place in files.items()
            }
            scored = [name or "ref" for name in expected.get("scored_translators", [])]
            assert [name for refs in found.pairs[pair].default_refs for name in refs.split("|")] == scored


def _located(found: manifest.Manifest, location: manifest.Location) -> tuple[object, ...]:
    download = found.downloads[str(location.download)]
    asset = download.asset
    return asset.url, asset.md5, asset.moving, download.archive, location.member, location.column


def _registered(download: Mapping[str, Any], place: Mapping[str, Any]) -> tuple[object, ...]:
    moving = download["stability"] not in {"web-server", "release-asset"}
    column = place["column"] + 1 if "column" in place else None
    return download["url"], download["md5"], moving, download["archive"], place["member"], column


def test_citations_are_balanced_bibtex() -> None:
    """Every recorded citation starts an entry and closes all its braces."""
    for found in catalogue.every():
        if found.citation is not None:
            assert found.citation.startswith("@"), found.name
            assert found.citation.count("{") == found.citation.count("}"), found.name


def test_the_readme_explains_every_field() -> None:
    """The README beside the manifests has a row for each field that a manifest may have."""
    text = (assets.shipped() / "README.md").read_text("utf-8")
    for field in manifest._KEYS | manifest._DOWNLOAD_KEYS | manifest._LOCATION_KEYS:
        assert f"`{field}`" in text or f"`[{field}" in text, field


PLAIN = """
name = "s"
description = "d"
format = "plain"
pairs = ["en-de"]
[downloads.a]
url = "https://example.org/a.tgz"
md5 = "00000000000000000000000000000000"
[files]
src = "a.{src}"
ref = "a.{trg}"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "s"', "", "name is missing"),
        ('name = "s"', 'name = "a_b"', "name 'a_b' must be letters"),
        ('name = "s"', 'name = "models"', "name 'models' must be"),
        ('description = "d"', "", "description is missing"),
        ('format = "plain"', 'format = "plane"', r"unknown format 'plane' \(did you mean plain"),
        ('["en-de"]', "[]", "pairs must name"),
        ('["en-de"]', '["en-de", "en-de"]', "pairs must name each language pair once"),
        ('["en-de"]', '["en"]', "'en' in pairs is not of the form"),
        ('["en-de"]', '"en-de"', "pairs must be a list"),
        ('md5 = "00', 'md5 = "0G', "md5 must be 32 hexadecimal digits"),
        ('md5 = "00', 'sha256 = "00', "sha256 must be 64 hexadecimal digits"),
        ("md5 =", "# md5 =", "downloads.a needs md5 or sha256"),
        ('url = "https', 'url = "ftp', "is not the http or https address of a file"),
        ("[files]", 'stability = "shaky"\n[files]', "stability must be one of"),
        ("[files]", 'archive = "rar"\n[files]', "archive must be one of tar.gz"),
        ("[files]", "mirrors = 1\n[files]", "mirrors must be a list"),
        ("[files]", "mirrors = ['x']\n[files]", "'x' is not the http or https address"),
        ("[files]", 'sha1 = "0"\n[files]', "unknown field 'sha1' in downloads.a"),
        ('ref = "a.{trg}"', "", "must have src and ref"),
        ("{trg}", "{target}", "only {src} and {trg}"),
        ("a.{trg}", "../a.{trg}", r"\.\./a\.de leaves the archive"),
        ("a.{trg}", "/etc/a", "leaves the archive"),
        ('"a.{trg}"', '{ from = "b", member = "x" }', "from must name one of the downloads a"),
        ('"a.{trg}"', "{}", "which member of the archive a"),
        ('"a.{trg}"', '{ member = "x", column = 2 }', "column is needed in the format tsv, and only there"),
        ('"a.{trg}"', '{ member = "x", colum = 2 }', r"unknown field 'colum' .*\(did you mean column"),
        ("ref =", "reference =", "unknown field 'reference' of en-de"),
        ("ref =", "xml = 'x'\nref =", "unknown field 'xml'"),
        ("[files]", '[downloads.b]\nurl = "https://e.org/b"\nmd5 = "00"\n[files]', "md5 must be 32"),
        ("[files]", "[override.de-en]\n[files]", "override.de-en is about a pair that is not in pairs"),
        ("[files]", "[override]\nen-de = 1\n[files]", "override.en-de must be a table"),
        ("[files]", "[lines]\nen-de = 0\n[files]", "lines.en-de must be a number"),
        ("[files]", "[documents]\nx = 1\n[files]", "documents.x must be text"),
        ('name = "s"', 'name = "s', "not valid TOML.*line 2"),
        ('name = "s"', 'colour = "s"', "unknown field 'colour'"),
    ],
)
def test_mistakes_in_a_manifest_are_named(old: str, new: str, message: str) -> None:
    """Each mistake is an error that names the file and the field."""
    manifest.parse(PLAIN, Path("s.toml"))
    with pytest.raises(ManifestError, match=message) as caught:
        manifest.parse(PLAIN.replace(old, new), Path("s.toml"))
    assert caught.value.where == "s.toml"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "src", "en-de"]), inner)
    ),
    max_leaves=4,
)


@given(data=st.data())
def test_no_manifest_crashes_the_checks(data: st.DataObject) -> None:
    """Whatever stands in a field, the manifest is read or refused with a manifest error."""
    facts: dict[str, Any] = tomllib.loads(PLAIN)
    table = data.draw(st.sampled_from([facts, facts["files"], facts["downloads"]["a"], facts["downloads"]]))
    known = sorted(manifest._KEYS | manifest._DOWNLOAD_KEYS | {*table})
    table[data.draw(st.sampled_from(known))] = data.draw(JSON)
    with suppress(ManifestError):
        manifest._Checker(facts, Path("s.toml")).manifest()


def test_codes_of_languages_in_file_names() -> None:
    """Where file names have other codes than the pair, the manifest maps them, for FLORES say."""
    text = PLAIN.replace("[downloads", 'codes = { en = "eng_Latn", de = "deu_Latn" }\n[downloads', 1)
    files = manifest.parse(text, Path("s.toml")).pairs["en-de"].files
    assert [location.member for location in files.values()] == ["a.eng_Latn", "a.deu_Latn"]


def test_what_no_pair_uses_is_a_mistake() -> None:
    """A download or local checksum that no file refers to is an error."""
    extra = '[downloads.b]\nurl = "https://e.org/b"\nmd5 = "00000000000000000000000000000000"\n[files]'
    named = PLAIN.replace('"a.{src}"', '{ from = "a", member = "x" }')
    named = named.replace('"a.{trg}"', '{ from = "a", member = "y" }')
    with pytest.raises(ManifestError, match="no pair uses b"):
        manifest.parse(named.replace("[files]", extra), Path("s.toml"))


def test_local_files_need_checksums() -> None:
    """A manifest without downloads must have the checksum of each file."""
    text = (
        'name = "s"\ndescription = "d"\nformat = "plain"\npairs = ["en-de"]\n[files]\nsrc = "a"\nref = "b"\n'
    )
    with pytest.raises(ManifestError, match="local file a has no checksum"):
        manifest.parse(text, Path("s.toml"))


# The embedded set


def test_mini_is_a_set_like_any_other(store: Store) -> None:
    """The embedded set loads offline, verified, with references, systems and metadata, and keeps nothing."""
    store.offline = True
    data = catalogue.load(["mini"], "en-de", use_refs=["B", "A"], systems=True)
    folder = assets.shipped() / "mini"
    assert data.labels == ("B", "A")
    assert data.references == [read_lines(folder / "ref.B.de"), read_lines(folder / "ref.A.de")]
    assert data.sources == read_lines(folder / "src.en")
    assert data.systems == {name: read_lines(folder / f"hyp.{name}.de") for name in ("good", "poor")}
    assert list(data.metadata) == ["docid", "domain", "origlang"]
    assert not store.folder.exists()
    one = catalogue.load(["mini"], "en-de")
    assert one.labels == ("A",)
    assert one.sha256 == hashlib.sha256((folder / "ref.A.de").read_bytes()).hexdigest()


def test_the_checksums_of_mini_hold() -> None:
    """Every file of the embedded set is the one that its manifest names, and there is no other."""
    found = catalogue.find("mini")
    folder = assets.shipped()
    assert {f"mini/{path.name}" for path in (folder / "mini").iterdir()} == set(found.checksums)
    for name, digest in found.checksums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


# Published sets


def test_a_set_is_fetched_once_and_then_needs_no_network(news: str, server: Server, store: Store) -> None:
    """The first use downloads and records; later runs read the kept texts, offline, without archive."""
    data = catalogue.load([news], "en-de")
    assert (data.sources, data.references) == (["one", "two", "three"], [["eins", "zwei", "drei"]])
    assert data.metadata == {"docid": ["d1", "d1", "d2"], "origlang": ["en", "en", "de"]}
    assert data.use.refs == ("A",)
    assert data.sha256 == hashlib.sha256(b"eins\nzwei\ndrei\n").hexdigest()
    for path in (store.folder / "downloads").iterdir():
        path.unlink()
    with assets.using(Store(folder=store.folder, offline=True)):
        assert catalogue.load([news], "en-de") == data
    assert server.log == ["/news.tgz"]
    assert catalogue.known_lines(catalogue.find(news), "en-de", store) == 3


def test_a_damaged_kept_text_is_made_again_from_the_archive(news: str, server: Server, store: Store) -> None:
    """A line lost from a kept text is noticed by its checksum; the archive gives it back."""
    data = catalogue.load([news], "en-de")
    kept = store.folder / "text/news/en-de/ref%3AA"
    kept.write_bytes(b"eins\nzwei\n")
    later = Store(folder=store.folder, offline=True)
    assert catalogue.load([news], "en-de", store=later) == data
    assert kept.read_bytes() == b"eins\nzwei\ndrei\n"
    assert [notice.code for notice in later.notices] == ["damaged-cache"]
    assert server.log == ["/news.tgz"]


def test_kept_texts_belong_to_a_version_of_the_reader(
    news: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that an older reader kept are made again, not trusted."""
    catalogue.load([news], "en-de")
    monkeypatch.setattr(formats, "READER_VERSION", formats.READER_VERSION + 1)
    monkeypatch.setattr(formats, "_clean", str.upper)
    assert catalogue.load([news], "en-de").sources == ["ONE", "TWO", "THREE"]


def test_another_publication_is_read_anew(publisher: Publisher, store: Store) -> None:
    """Kept texts are not used once the manifest has the checksum of other bytes."""
    files = {"src": "t/src.en.sgm", "ref": "t/ref.de.sgm"}
    publisher.publish("news", loopback.tar_gz(SGM), files)
    assert catalogue.load(["news"], "en-de").references[0][0] == "eins"
    changed = {name: text.replace("eins", "ein") for name, text in SGM.items()}
    publisher.publish("news", loopback.tar_gz(changed), files)
    assert catalogue.load(["news"], "en-de").references[0][0] == "ein"


def test_a_corrected_manifest_is_obeyed(publisher: Publisher, store: Store) -> None:
    """Kept texts are not used once the manifest names another member."""
    archive = loopback.tar_gz(SGM)
    publisher.publish("news", archive, {"src": "t/src.en.sgm", "ref": "t/ref.de.sgm"})
    assert catalogue.load(["news"], "en-de").references[0][0] == "eins"
    publisher.publish("news", archive, {"src": "t/src.en.sgm", "ref": "t/refB.de.sgm"})
    assert catalogue.load(["news"], "en-de").references[0][0] == "Eins"


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("wmttest2022.liv-en.all.xml", "liv-en"),
        ("newstest2021.ru-en.all.xml", "ru-en"),
        ("wmttest2022.en-hr.all.xml", "en-hr"),
    ],
)
def test_sets_of_real_xml_give_the_lines_of_the_oracle(
    publisher: Publisher, store: Store, name: str, pair: str
) -> None:
    """A set served as an archive of the published XML gives sacreBLEU's lines, also from the cache."""
    expected = read_json(shared("data", "xml_expected.json"))["files"][name]["fields"]
    archive = loopback.tar_gz({f"w/xml/{name}": shared("data", "xml", name).read_bytes()})
    publisher.publish("w", archive, {"xml": f"w/xml/{name}"}, format="wmt-xml", pairs=[pair])
    for _ in range(2):
        content = catalogue.read(catalogue.find("w"), pair, store=store, systems=True)
        digests = {
            field.removeprefix("sys:"): hashlib.sha256(to_bytes(lines)).hexdigest()
            for field, lines in content.fields().items()
        }
        assert digests == {field: facts["sha256"] for field, facts in expected.items()}


def test_a_set_of_real_xml_gives_the_lines_of_the_published_text_files(
    publisher: Publisher, store: Store
) -> None:
    """Source, reference and systems read from XML are the organisers' text files, but for white space."""

    def lines(file: Path) -> list[str]:
        return [" ".join(line.split()) for line in read_lines(file)]

    name, folder = "wmttest2022.liv-en.all.xml", shared("data", "wmt22", "liv-en")
    archive = loopback.tar_gz({name: shared("data", "xml", name).read_bytes()})
    publisher.publish("w", archive, {"xml": name}, format="wmt-xml", pairs=["liv-en"])
    data = catalogue.load(["w"], "liv-en", systems=True)
    assert data.sources == lines(folder / "src.liv")
    assert data.references == [lines(folder / "ref.A.en")]
    assert data.systems == {path.name.split(".")[1]: lines(path) for path in folder.glob("hyp.*.en")}


def test_archives_of_every_kind(publisher: Publisher, store: Store, tmp_path: Path) -> None:
    """A zip with a compressed member, a compressed text and a bare text are read like a tar archive."""
    import gzip  # noqa: PLC0415

    packed = gzip.compress(b"a\nb\n")
    for name, archive, data, members in (
        ("z.zip", "zip", loopback.zip_file({"d/a.gz": packed}), ["d/a.gz"]),
        ("t.tgz", "tar.gz", loopback.tar_gz({"./d/a": b"a\nb\n"}), ["d/a"]),
        ("g.gz", "gz-file", packed, [None]),
        ("f", "file", b"a\nb\n", [None]),
    ):
        (tmp_path / name).write_bytes(data)
        found = archives.read_members(tmp_path / name, archive, members)  # type: ignore[arg-type]  # literals
        assert found == {members[0]: b"a\nb\n"}


def test_members_that_lead_out_of_an_archive_go_nowhere(publisher: Publisher, store: Store) -> None:
    """An archive with `../` members and links gives its named texts, and writes nothing outside the cache."""
    archive = loopback.tar_gz(
        {"../../evil": "x", "/evil": "x", **SGM}, links={"t/link.sgm": "../../../evil", "u": "/"}
    )
    publisher.publish("news", archive, {"src": "t/src.en.sgm", "ref": "t/ref.de.sgm"})
    before = set(store.folder.parent.rglob("*"))
    assert catalogue.load(["news"], "en-de").sources == ["one", "two", "three"]
    new = {path for path in store.folder.parent.rglob("*") if path not in before}
    assert all(path == store.folder or store.folder in path.parents for path in new)
    assert not any("evil" in path.name for path in new)


def test_a_link_in_the_place_of_a_member_is_refused(publisher: Publisher, store: Store) -> None:
    """A named member that is a link is an error, wherever it points."""
    archive = loopback.tar_gz(SGM, links={"t/link.sgm": "ref.de.sgm"})
    publisher.publish("news", archive, {"src": "t/src.en.sgm", "ref": "t/link.sgm"})
    with pytest.raises(IntegrityError, match=r"t/link\.sgm in the archive is no plain file"):
        catalogue.load(["news"], "en-de")


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_a_missing_member_and_a_broken_archive_are_clear_errors(kind: str, tmp_path: Path) -> None:
    """The error names the member and the closest one there is, or says that the archive cannot be read."""
    path = tmp_path / "a"
    path.write_bytes(loopback.tar_gz(SGM) if kind == "tar.gz" else loopback.zip_file(SGM))
    with pytest.raises(IntegrityError, match=r"no member t/ref\.dd\.sgm \(did you mean t/ref\.de\.sgm"):
        archives.read_members(path, kind, ["t/src.en.sgm", "t/ref.dd.sgm"])  # type: ignore[arg-type]
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(IntegrityError, match="the archive cannot be read"):
        archives.read_members(path, kind, ["t/refB.de.sgm", "x"])  # type: ignore[arg-type]


def test_a_tampered_archive_gives_no_text(news: str, server: Server, store: Store) -> None:
    """An archive with other bytes than published is refused, and again the next time."""
    server.serve("/news.tgz", loopback.tar_gz(SGM | {"t/ref.de.sgm": "x"}))
    for _ in range(2):
        with pytest.raises(IntegrityError, match=r"cannot get news\.tgz as published"):
            catalogue.load([news], "en-de")
    assert not list((store.folder / "downloads").iterdir())


def test_offline_says_which_file_is_missing(news: str, server: Server, store: Store) -> None:
    """Without network and cache the error names the archive."""
    store.offline = True
    with pytest.raises(NetworkError, match=r"news\.tgz is not in the cache"):
        catalogue.load([news], "en-de")
    assert server.log == []


def test_all_names_are_checked_before_anything_is_fetched(news: str, server: Server, store: Store) -> None:
    """A misspelt second set, or one without the pair, is an error at once, not after a download."""
    with pytest.raises(UsageError, match=r"unknown test set 'new'.*did you mean news"):
        catalogue.load([news, "new"], "en-de")
    with pytest.raises(UsageError, match="wmt17/ms has no language pair 'en-de'"):
        catalogue.load([news, "wmt17/ms"], "en-de")
    assert server.log == []


# What is scored


def test_references_by_name(news: str, store: Store) -> None:
    """Named references come in the order of the request; an unknown or repeated one is an error."""
    data = catalogue.load([news], "en-de", use_refs=["B", "A"])
    assert data.references == [["Eins", "Zwei", "Drei"], ["eins", "zwei", "drei"]]
    with pytest.raises(UsageError, match=r"news en-de: there is no reference C \(it has: A, B\)"):
        catalogue.load([news], "en-de", use_refs=["A", "C"])
    with pytest.raises(UsageError, match="reference A is asked for twice"):
        catalogue.load([news], "en-de", use_refs=["A", "A"])


def test_a_default_reference_that_is_missing_is_an_error(publisher: Publisher, store: Store) -> None:
    """A set that is scored with A and B is never scored with A alone; `A|ref` is either."""
    document = (
        '<doc id="1"><src lang="en"><seg id="1">x</seg></src>'
        '<ref lang="de"><seg id="1">y</seg></ref><hyp system="s"><seg id="1">z</seg></hyp></doc>'
    )
    archive = loopback.tar_gz({"x.xml": document})
    publisher.publish("x", archive, {"xml": "x.xml"}, format="wmt-xml", default_refs=["A|ref"])
    assert catalogue.load(["x"], "en-de").labels == ("ref",)
    assert catalogue.load(["x"], "en-de", systems=True).systems == {"s": ["z"]}
    publisher.publish("x", archive, {"xml": "x.xml"}, format="wmt-xml", default_refs=["ref", "B"])
    with pytest.raises(UsageError, match=r"there is no reference B \(it has: ref\)"):
        catalogue.load(["x"], "en-de")


@pytest.mark.parametrize(
    ("origlang", "kept"),
    [("en", [0, 1]), ("de", [2]), ("non-en", [2]), ("non-de", [0, 1]), ("non-x", [0, 1, 2])],
)
def test_segments_by_original_language(news: str, store: Store, origlang: str, kept: list[int]) -> None:
    """`xx` keeps exactly the texts written in xx, `non-xx` all others; streams stay whole."""
    data = catalogue.load([news], "en-de", origlang=origlang)
    assert [index for index, keep in enumerate(data.keep) if keep] == kept
    assert len(data) == len(data.references[0]) == 3
    assert data.select(data.sources) == [data.sources[index] for index in kept]


TAGS = ["GB-politics", "US-world", "GB-politics", None, "EU-politics", "OTHER-politics-MK"]


@pytest.fixture
def tagged(publisher: Publisher) -> str:
    """Publish a set of six documents, five of them tagged with country and domain."""
    languages = ["en", "en", "de", "en", "en", "en"]
    source = "".join(
        f'<doc docid="d.{index}" origlang="{language}">\n<seg id="1">s{index}</seg>\n'
        for index, language in enumerate(languages)
    )
    target = "".join(f'<seg id="1">t{index}</seg>\n' for index in range(6))
    table = "".join(f'"d.{index}" = "{tag}"\n' for index, tag in enumerate(TAGS) if tag)
    return publisher.publish(
        "tagged",
        loopback.tar_gz({"s.sgm": source, "t.sgm": target}),
        {"src": "s.sgm", "ref": "t.sgm"},
        f"[documents]\n{table}",
    )


@pytest.mark.parametrize(
    ("subset", "origlang", "kept"),
    [
        ("politics", None, [0, 2, 4, 5]),
        ("country:US", None, [1]),
        ("US-", None, [1]),
        ("country:GB|EU", None, [0, 2, 4]),
        ("MK", None, [5]),
        (".*", None, [0, 1, 2, 3, 4, 5]),
        ("", None, [0, 1, 2, 3, 4, 5]),
        ("politics", "non-en", [2]),
    ],
)
def test_segments_by_the_tags_of_documents(
    tagged: str, store: Store, subset: str, origlang: str | None, kept: list[int]
) -> None:
    """A regular expression is searched in each document's tag, `country:` only in its country."""
    data = catalogue.load([tagged], "en-de", subset=subset, origlang=origlang)
    assert [index for index, keep in enumerate(data.keep) if keep] == kept
    assert data.metadata["domain"] == ["politics", "world", "politics", "", "politics", "politics"]
    assert data.metadata["country"] == ["GB", "US", "GB", "", "EU", "OTHER"]


@pytest.mark.parametrize("subset", ["POLITICS", "country:MK", "country:politics"])
def test_a_subset_that_keeps_nothing_is_an_error(tagged: str, store: Store, subset: str) -> None:
    """Case matters, and a country is no domain: what is left of nothing is no score of 0."""
    with pytest.raises(UsageError, match="no segment is left by --subset"):
        catalogue.load([tagged], "en-de", subset=subset)


def test_segments_by_domain(store: Store) -> None:
    """Where documents have domains the expression is searched in them; there are no countries then."""
    data = catalogue.load(["mini"], "en-de", subset="^(news|soft)")
    assert set(data.select(data.metadata["domain"])) == {"news", "software"}
    with pytest.raises(UsageError, match="does not tell the countries"):
        catalogue.load(["mini"], "en-de", subset="country:GB")
    with pytest.raises(UsageError, match=r"--subset: '\(' is no regular expression"):
        catalogue.load(["mini"], "en-de", subset="(")
    with pytest.raises(UsageError, match=r"no segment is left by --origlang fr \(origlang: de, en, es"):
        catalogue.load(["mini"], "en-de", origlang="fr")


def test_a_segment_without_domain_is_in_no_subset() -> None:
    """Even an expression that matches anything passes over segments whose domain is not known."""
    content = Content(["a", "b"], {"ref": ["c", "d"]}, {"domain": ["news", ""]})
    assert keep_subset(content, {}, ".*", "set") == [True, False]


def test_filters_that_do_not_apply_are_errors(publisher: Publisher, store: Store) -> None:
    """A set that says nothing of languages or domains cannot be filtered by them."""
    archive = loopback.tar_gz({"a.en": "x\n", "a.de": "y\n"})
    publisher.publish("p", archive, {"src": "a.en", "ref": "a.de"}, format="plain")
    with pytest.raises(UsageError, match="p en-de: this test set does not tell the original languages"):
        catalogue.load(["p"], "en-de", origlang="en")
    with pytest.raises(UsageError, match="does not tell the domains"):
        catalogue.load(["p"], "en-de", subset="news")


def test_several_sets_come_one_after_the_other(news: str, tagged: str, store: Store) -> None:
    """Streams are concatenated in the order given, each set filtered by its own data, with its range."""
    data = catalogue.load([tagged, news, tagged], "en-de", origlang="de")
    assert (data.name, len(data)) == ("tagged,news,tagged", 15)
    assert [(part.start, part.stop) for part in data.parts] == [(0, 6), (6, 9), (9, 15)]
    assert data.select(data.references[0]) == ["t2", "drei", "t2"]
    assert data.metadata["domain"][6:9] == ["", "", ""]
    assert data.labels == ("ref/A",)


def test_sets_with_different_numbers_of_references_do_not_mix(news: str, tagged: str, store: Store) -> None:
    """Two references here and one there are an error, not a silent cut."""
    with pytest.raises(UsageError, match="there is no reference A"):
        catalogue.load([news, tagged], "en-de", use_refs=["A", "B"])
    with pytest.raises(AlignmentError, match="different numbers of references: mini 2, tagged 1"):
        catalogue._joined(
            "en-de",
            [Part("mini", 0, 1, ("A", "B")), Part("tagged", 1, 2, ("ref",))],
            [],
            [],
        )


# Mistakes


def test_a_pair_the_wrong_way_round_is_said() -> None:
    """The error names the direction that exists; another pair is answered with those that exist."""
    with pytest.raises(UsageError, match=r"wmt17/ms has no en-zh, only the reverse zh-en \(-l zh-en\)"):
        catalogue.load(["wmt17/ms"], "en-zh")
    with pytest.raises(UsageError, match=r"no language pair 'de-fr' \(it has: zh-en; .*-l de-fr lists"):
        catalogue.load(["wmt17/ms"], "de-fr")


def test_a_wrong_number_of_lines_is_explained(news: str, store: Store) -> None:
    """The set that fits is named if one is known to, or how filters work."""
    data = catalogue.load(["mini"], "en-de")
    assert catalogue.explain_length(data, 3003) == "wmt14/full has 3003 segments"
    assert catalogue.explain_length(data, 47) is None
    german = catalogue.load(["mini"], "en-de", origlang="de")
    advice = "a filter is applied to the output of the whole test set, not before"
    assert catalogue.explain_length(german, sum(german.keep)) == advice
    catalogue.load([news], "en-de")
    assert catalogue.siblings(data, 3) == ["news"]


def test_a_broken_file_of_a_set_is_an_error_with_its_line(publisher: Publisher, store: Store) -> None:
    """What is wrong in a published file is said with member and line."""
    archive = loopback.tar_gz({"s.sgm": '<seg id="1">x</seg>\n  <seg id="2">y</seg>\n', "t.sgm": "x"})
    publisher.publish("b", archive, {"src": "s.sgm", "ref": "t.sgm"})
    with pytest.raises(InputError, match=r"^s\.sgm:2: "):
        catalogue.load(["b"], "en-de")


# Sets of one's own


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Write a manifest of local files."""
    folder = tmp_path / "own"
    folder.mkdir()
    files = {"a.en": "x\ny\n", "a.de": "u\nv\n", "a.tsv": "docid\torigin\nd1\tweb\nd2\tpaper\n"}
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    sums = "".join(
        f'"{name}" = "{hashlib.sha256(text.encode()).hexdigest()}"\n' for name, text in files.items()
    )
    path = folder / "own.toml"
    path.write_text(
        'name = "own/test"\ndescription = "d"\nformat = "plain"\npairs = ["en-de"]\n'
        f'[files]\nsrc = "a.{{src}}"\nref = "a.{{trg}}"\nmeta = "a.tsv"\n[sha256]\n{sums}',
        "utf-8",
    )
    return path


def test_a_manifest_of_local_files_can_be_added(own: Path, store: Store, user_folder: Path) -> None:
    """An added manifest finds its files where they lie, and can be added again."""
    for _ in range(2):
        assert catalogue.add(own, store) == "own/test: en-de"
    assert [path.name for path in user_folder.iterdir()] == ["own_test.toml"]
    data = catalogue.load(["own/test"], "en-de")
    assert data.references == [["u", "v"]]
    assert data.metadata == {"docid": ["d1", "d2"], "origin": ["web", "paper"]}
    catalogue.add(user_folder / "own_test.toml", store)
    assert catalogue.load(["own/test"], "en-de") == data


def test_a_changed_local_file_is_noticed(own: Path, store: Store) -> None:
    """A local file with other bytes than its manifest says is an error, when added and when used."""
    catalogue.add(own, store)
    (own.parent / "a.de").write_text("u\nw\n", "utf-8")
    for use in (lambda: catalogue.load(["own/test"], "en-de"), lambda: catalogue.add(own, store)):
        with pytest.raises(IntegrityError, match="the file was changed"):
            use()
    (own.parent / "a.de").unlink()
    with pytest.raises(InputError, match=r"a file of own/test cannot be read"):
        catalogue.load(["own/test"], "en-de")


def test_a_name_of_the_package_cannot_be_taken(own: Path, store: Store) -> None:
    """A manifest with the name of a standard set is refused: a name means one thing."""
    own.write_text(own.read_text("utf-8").replace("own/test", "wmt17/B"), "utf-8")
    with pytest.raises(ManifestError, match="wmt17/B comes with mtscore"):
        catalogue.add(own, store)


def test_a_manifest_must_be_called_as_its_set(own: Path, user_folder: Path) -> None:
    """A manifest under another name is an error when it is used."""
    (user_folder / "other.toml").write_text(own.read_text("utf-8"), "utf-8")
    with pytest.raises(ManifestError, match="the name in it is 'own/test', its file's is 'other'"):
        catalogue.find("other")


def test_an_archive_fetched_elsewhere_is_recognised(news: str, store: Store, tmp_path: Path) -> None:
    """Whatever it is called, an archive with a published checksum serves its set; another one does not."""
    file = tmp_path / "download (1)"
    file.write_bytes(loopback.tar_gz(SGM))
    assert catalogue.add(file, store) == "news.tgz of news"
    store.offline = True
    assert catalogue.load([news], "en-de").sources == ["one", "two", "three"]
    other = tmp_path / "news.tgz"
    other.write_bytes(b"x")
    with pytest.raises(UsageError, match=r"no test set or model has .*\(the news\.tgz of news has another"):
        catalogue.add(other, store)
    with pytest.raises(InputError, match="no such file"):
        catalogue.add(tmp_path / "nothing", store)


def test_a_model_without_a_published_checksum_is_taken_by_name(store: Store, tmp_path: Path) -> None:
    """A tokenizer model fetched elsewhere can be added; its SHA-256 holds from then on."""
    file = tmp_path / "sacrebleu_tokenizer_spm.model"
    file.write_bytes(b"model")
    assert "by its name: no checksum is published" in catalogue.add(file, store)
    store.offline = True
    assert store.fetch(assets.model("flores101")).sha256 == hashlib.sha256(b"model").hexdigest()
