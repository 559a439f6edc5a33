"""The readers of test-set formats: real files, and every kind of line that the field has met."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from itertools import compress
from typing import TYPE_CHECKING

import pytest
from conftest import read_json, shared

from mtscore.catalog import catalogue, formats
from mtscore.catalog.content import checked, from_fields, to_bytes, to_lines
from mtscore.catalog.formats import Source
from mtscore.errors import AlignmentError, DecodingError, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from mtscore.catalog.content import Content
    from mtscore.catalog.manifest import Format


def source(text: str | bytes, name: str = "f.sgm", column: int | None = None) -> Source:
    """Return a file with this text."""
    return Source(text if isinstance(text, bytes) else text.encode(), name, column)


@pytest.mark.parametrize(
    "name",
    ["newstest2021.ru-en.all.xml", "wmttest2022.en-hr.all.xml", "wmttest2022.liv-en.all.xml"],
)
def test_real_xml_gives_the_fields_of_the_oracle(name: str) -> None:
    """Sources, references and system outputs of published files are, line for line, those of sacreBLEU."""
    expected = read_json(shared("data", "xml_expected.json"))["files"][name]["fields"]
    data = shared("data", "xml", name).read_bytes()
    fields = formats.read("wmt-xml", {"xml": Source(data, name)}, name).fields()
    found = {
        field.removeprefix("sys:"): {
            "segments": len(lines),
            "none_values": 0,
            "empty_values": lines.count(""),
            "sha256": hashlib.sha256(to_bytes(lines)).hexdigest(),
            "first": lines[0],
            "last": lines[-1],
        }
        for field, lines in fields.items()
    }
    assert found == expected


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('<seg id="1">plain</seg>', "plain"),
        ('<seg id="2">  a \t b\u00a0\u3000c  </seg>', "a b c"),
        ('<seg id="3">&amp; &quot;x&quot; &#38;</seg>', "&amp; &quot;x&quot; &#38;"),
        ('<seg id="7"></seg>', ""),
        ('<seg id="8">  </seg>', ""),
        ("<seg id=16>x</seg>", "x"),
        ('<seg id="15">in <b>bold</b></seg>', "in <b>bold</b>"),
        ('<seg id="17">a > b</seg>', "a > b"),
        ('<seg id="20">CR\rin</seg>\r', "CR in"),
        ('<seg id="21">a\u2028b\u0085c\u001cd\u200be</seg>', "a b c d\u200be"),
    ],
)
def test_segments_of_sgml(line: str, text: str) -> None:
    """A well-formed segment gives its text with each run of white space as one space, entities kept."""
    assert formats.sgml(source(f'<doc docid="1">\n{line}\n</doc>\n')) == [text]
    assert formats.sgml(source(line)) == [text]


@pytest.mark.parametrize(
    "line",
    [
        '  <seg id="4">x</seg>',
        '\t<seg id="4">x</seg>',
        '<SEG id="5">x</SEG>',
        "<seg>x</seg>",
        '<seg\tid="1">x</seg>',
        '<hl><seg id="6">x</seg></hl>',
        '<seg id="9">a</seg><seg id="10">b</seg>',
        '<seg id="11">x</seg> trailing',
        '<seg id="12">x</seg></p>',
        '<seg id="13">first line\nsecond</seg>',
        '<seg id="14">no close',
        '<seg id="23">x</SEG>',
        '<seg id="25"/>',
        '<seg id="18" x="a>b">t</seg>',
    ],
)
def test_broken_segments_are_errors_with_their_line(line: str) -> None:
    """What would be lost, merged, or scored with its tags is an error that names file and line."""
    with pytest.raises(InputError, match="seg") as caught:
        formats.sgml(source(f'<doc docid="1">\n{line}\n'))
    assert caught.value.where == "f.sgm:2"


def test_other_lines_are_no_text() -> None:
    """Headers, titles, other tags and plain lines give no segment, even where a title speaks of <seg."""
    text = 'x\n<segment id="1">\n<title>on <seg id="1">s</seg></title>\n<hl>\n<seg id="1">y</seg>\n</hl>\n'
    assert formats.sgml(source(text, "f.xml")) == ["y"]


def oracle(folder: Path, *arguments: str) -> list[str]:
    """Return what sacreBLEU prints of a test set, from a cache whose raw files are in place."""
    command = [sys.executable, "-m", "sacrebleu", "-t", "wmt19", "-l", "en-de", "-q", *arguments]
    env = {**os.environ, "SACREBLEU": str(folder)}
    return subprocess.run(command, env=env, capture_output=True, check=True).stdout.decode().split("\n")[:-1]


def test_well_formed_sgml_is_read_and_filtered_as_by_the_oracle(tmp_path: Path) -> None:
    """On random documents all fields, and what the filters keep, are those of sacreBLEU."""
    found, rng = catalogue.find("wmt19"), random.Random(5)  # noqa: S311  # a test's texts
    pieces = [*"abc  \t\u00a0\u3000\u2028\u0085&>\"'\r", "&amp;", "&quot;", "<b>", "\u200b", "é", "中"]
    documents = {"src": "<srcset>\n", "ref": "<refset>\n"}
    for document in [*rng.sample(sorted(found.documents), 20), "untagged"]:
        segments = rng.randint(1, 5)
        for field in documents:
            documents[field] += f'<doc docid="{document}" genre="g" origlang="{rng.choice(["en", "de"])}">\n'
            for number in range(segments):
                text = "".join(rng.choices(pieces, k=rng.randint(0, 20)))
                documents[field] += f'<seg id="{number + 1}">{text}</seg>\n'
    raw = tmp_path / "wmt19" / "raw" / "sgm"
    raw.mkdir(parents=True)
    (raw.parent / "wmt19.test.tgz").write_bytes(b"x")
    (raw / "newstest2019-ende-src.en.sgm").write_text(documents["src"], "utf-8", newline="")
    (raw / "newstest2019-ende-ref.de.sgm").write_text(documents["ref"], "utf-8", newline="")
    content = formats.read("sgml", {field: source(text) for field, text in documents.items()}, "wmt19")
    rows = ["\t".join(row) for row in zip(*content.fields().values(), strict=True)]
    assert oracle(tmp_path, "--echo", "all") == rows
    for origlang, subset in (("non-en", None), ("de", "politics|sport"), (None, "country:US")):
        options = [*(["-ol", origlang] if origlang else []), *(["--subset", subset] if subset else [])]
        keep = catalogue.kept(content, found, "en-de", origlang, subset)
        assert 0 < sum(keep) < len(keep)
        assert oracle(tmp_path, *options, "--echo", "src") == list(compress(content.sources, keep))


def test_a_byte_order_mark_is_dropped_everywhere() -> None:
    """A byte-order mark before the first segment or line does not become text or hide the segment."""
    assert formats.sgml(source('\ufeff<seg id="1">x</seg>')) == ["x"]
    assert formats.plain(source("\ufeffx\n")) == ["x"]
    assert formats.tsv_column(source("\ufeffx\ty\n", column=1)) == ["x"]


def test_order_of_the_file_holds_in_sgml() -> None:
    """Segments keep the file's order whatever their ids."""
    text = '<seg id="2">a</seg>\n<seg id="1">b</seg>\n<seg id="1">c</seg>'
    assert formats.sgml(source(text)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<doc sysid="src" docid="d2" genre="news" origlang="de">', ("d2", "news", "de")),
        ('<doc docid="d2">', ("d2", "", "")),
        ('<DOC docid="d3" origlang="fr">', ("d3", "", "fr")),
        ('  <doc docid="d3" origlang="fr">', ("d3", "", "fr")),
        ("<doc origlang='cs' docid=d4>", ("d4", "", "cs")),
        ('<doc DOCID="d7" xoriglang="zz" genre="">', ("d7", "", "")),
        ("<doc>", ("", "", "")),
        ('<doc\ndocid="d5" origlang="de">', ("", "", "")),
        ('<doc\r\ndocid="d5" origlang="de">', ("", "", "")),
        ('<hl><doc docid="d6" origlang="de">', ("d6", "", "de")),
        ('<document docid="d8">', ("d1", "g", "xx")),
        ('<doc docid="a&amp;b\tc" origlang="en-US">', ("a&amp;b c", "", "en-US")),
    ],
)
def test_metadata_of_sgml_documents(tag: str, expected: tuple[str, str, str]) -> None:
    """A document's attributes hold for its own segments only; what it does not say is unknown."""
    text = (
        f'<doc docid="d1" genre="g" origlang="xx">\n<seg id="1">x</seg>\n</doc>\n{tag}\n<seg id="1">y</seg>\n'
    )
    columns = formats.sgml_metadata(source(text))
    assert [columns[name][0] for name in ("docid", "genre", "origlang")] == ["d1", "g", "xx"]
    assert tuple(columns[name][1] for name in ("docid", "genre", "origlang")) == expected


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("  lead  two ", "  lead  two"),
        ("\ta\tb\t", "\ta\tb"),
        ("&amp;\r", "&amp;"),
        ("x\u00a0\u3000y\u00a0", "x\u00a0\u3000y"),
        ("a\rb", "a\rb"),
        ("a\u2028b", "a\u2028b"),
        ("", ""),
        ('<seg id="1">z</seg>', '<seg id="1">z</seg>'),
    ],
)
def test_plain_lines(line: str, text: str) -> None:
    """Every line of plain text is a segment, only its end cut."""
    assert formats.plain(source(f"first\n{line}\nlast\n")) == ["first", text, "last"]


def test_tsv_columns() -> None:
    """A column is what stands between tabs, quotes and all; further columns do not matter."""
    text = '1\ta \tb\n3\t\t\n4\t"q ""x"""\t&amp;\textra\r\n'
    assert formats.tsv_column(source(text, column=2)) == ["a", "", '"q ""x"""']
    assert formats.tsv_column(source(text, column=3)) == ["b", "", "&amp;"]


@pytest.mark.parametrize("text", ["a\tb\n\nc\td\n", "a\tb\nc\nd\te\n"])
def test_a_line_without_the_column_is_an_error(text: str) -> None:
    """A blank line or one with too few columns is an error with its line."""
    with pytest.raises(InputError, match="column 2 is wanted") as caught:
        formats.tsv_column(source(text, "t.tsv", column=2))
    assert caught.value.where == "t.tsv:2"


@pytest.mark.parametrize("kind", ["sgml", "plain", "tsv"])
def test_bytes_that_are_not_utf8_are_an_error_with_their_line(kind: Format) -> None:
    """A Latin-1 byte is never decoded by guess."""
    data = b'<seg id="1">a</seg>\n<seg id="2">caf\xe9</seg>\n'
    column = 1 if kind == "tsv" else None
    with pytest.raises(DecodingError) as caught:
        formats.read(kind, {"src": source(data, column=column), "ref": source(data, column=column)}, "set")
    assert caught.value.where == "f.sgm:2"


def test_additions_mix_sgml_and_plain_text() -> None:
    """Of an addition set the members in `.sgm` are SGML and all others plain, entities and blanks kept."""
    content = formats.read(
        "wmt-addition",
        {
            "src": source('<doc docid="d" origlang="zh">\n<seg id="1"> q  r </seg>\n'),
            "ref:0": source('<seg id="1">s</seg>\n'),
            "ref:1": source(" A  &amp;\u00a0x \n", "ht.txt"),
        },
        "set",
    )
    assert content.fields() == {
        "src": ["q r"],
        "ref:0": ["s"],
        "ref:1": [" A  &amp;\u00a0x"],
        "docid": ["d"],
        "origlang": ["zh"],
    }


def test_fields_of_different_length_are_an_error() -> None:
    """A reference with a line too few is noticed when the set is read, with all counts."""
    files = {"src": source("a\nb\n"), "ref:A": source("a\nb\n"), "ref:B": source("a\n")}
    with pytest.raises(AlignmentError, match="src 2, ref:A 2, ref:B 1"):
        formats.read("plain", files, "set en-de")


def test_a_metadata_file_names_its_columns() -> None:
    """The first line names the columns; a row of another width is an error with its line."""
    files = {
        "src": source("a\nb\n"),
        "ref": source("a\nb\n"),
        "meta": source("docid\tdomain\nd1\tnews\nd1\t\n"),
    }
    content = formats.read("plain", files, "set")
    assert content.metadata == {"docid": ["d1", "d1"], "domain": ["news", ""]}
    with pytest.raises(InputError, match="1 columns, the first line 2"):
        formats.metadata_columns(source("docid\tdomain\nd1\n"))


def xml(documents: str) -> Content:
    """Read a WMT XML file with these documents."""
    return checked(formats.wmt_xml(source(f"<dataset>{documents}</dataset>", "f.xml")), "f.xml")


def doc(src: str, *others: str, attributes: str = 'id="d1" origlang="de"') -> str:
    """Return a document whose source has these segments."""
    return f'<doc {attributes}><src lang="de">{src}</src>{"".join(others)}</doc>'


def ref(segments: str, name: str = "A") -> str:
    """Return a reference with these segments."""
    return f'<ref lang="en" translator="{name}">{segments}</ref>'


def hyp(segments: str, name: str) -> str:
    """Return a system's output with these segments."""
    return f'<hyp system="{name}">{segments}</hyp>'


def seg(text: str, number: str = "1") -> str:
    """Return a segment."""
    return f'<seg id="{number}">{text}</seg>'


@pytest.mark.parametrize(
    ("src", "reference", "expected"),
    [
        ("a &amp; b", "R1 &lt;b&gt; &#233;", ("a & b", "R1 <b> é")),
        ("  c \t\n d\u00a0e\u3000f\r\n", "x", ("c d e f", "x")),
        ("pre <b>bold</b> post", "x", ("pre bold post", "x")),
        ("a<!-- c -->b", "x", ("ab", "x")),
        ("x", "<i>x</i> y", ("x", "x y")),
        ("<![CDATA[<x> &amp;]]>", "x", ("<x> &amp;", "x")),
        ("", "x", ("", "x")),
        (" ", "x", ("", "x")),
        ("x", " ", ("x", "")),
    ],
)
def test_texts_of_xml(src: str, reference: str, expected: tuple[str, str]) -> None:
    """A segment's text is all of its text, decoded, with each run of white space as one space."""
    content = xml(doc(seg(src), ref(seg(reference))))
    assert (content.sources, content.references["A"]) == ([expected[0]], [expected[1]])


def test_which_segments_of_xml_count() -> None:
    """A segment counts if any reference translates it; order is by number, documents keep theirs."""
    content = xml(
        doc(
            seg("ten", "10") + seg("two", "02") + seg("one", "1") + seg("nobody", "3"),
            ref(seg("TWO", "2") + seg("", "10") + seg("", "3") + seg("no source", "4")),
            ref(seg("ONE", "1") + seg("TEN", "10"), "B"),
        )
        + doc(seg("next"), ref(seg("NEXT"), "B"), attributes='id="d2"')
        + doc(seg("untranslated"), attributes='id="d3"')
    )
    assert content.fields() == {
        "src": ["one", "two", "ten", "next"],
        "ref:A": ["", "TWO", "", ""],
        "ref:B": ["ONE", "", "TEN", "NEXT"],
        "docid": ["d1", "d1", "d1", "d2"],
        "origlang": ["de", "de", "de", ""],
    }


def test_test_suites_are_passed_over() -> None:
    """A document with a `testsuite` attribute counts for nothing: text, references, systems, languages."""
    suite = (
        '<doc id="s" testsuite=""><src lang="fr">'
        f"{seg('s')}</src>{ref(seg('S'), 'Z')}{hyp(seg('h'), 'only-here')}</doc>"
    )
    content = xml(suite + doc(seg("x"), ref(seg("X"))))
    assert content.fields() == {"src": ["x"], "ref:A": ["X"], "docid": ["d1"], "origlang": ["de"]}


def test_domains_and_systems_may_be_missing_in_places() -> None:
    """An unknown domain and a missing output are empty, wherever they are missing; nothing shifts."""
    content = xml(
        "<collection>"
        + doc(seg("a") + seg("b", "2"), ref(seg("A") + seg("B", "2")), hyp(seg("ha"), "one"))
        + "</collection>"
        + doc(seg("c"), ref(seg("C")), hyp(seg("hc"), "two"), attributes='id="d2" domain="news"')
        + doc(seg("d"), ref(seg("D")), hyp(seg("hd"), "src"), attributes='domain=""')
    )
    assert content.metadata["domain"] == ["", "", "news", ""]
    assert content.metadata["docid"] == ["d1", "d1", "d2", ""]
    assert content.systems == {
        "one": ["ha", "", "", ""],
        "two": ["", "", "hc", ""],
        "src": ["", "", "", "hd"],
    }
    assert content.sources == ["a", "b", "c", "d"]


def test_a_reference_without_a_translator_is_called_ref() -> None:
    """Absent and empty translator attributes both make the unnamed reference."""
    plain = f'<ref lang="en">{seg("R")}</ref>'
    assert xml(doc(seg("x"), plain)).references == {"ref": ["R"]}
    assert xml(doc(seg("x"), ref(seg("R"), ""))).references == {"ref": ["R"]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (doc(seg("x") + seg("y"), ref(seg("X"))), "segment 1 of src is there twice"),
        (doc(seg("x"), ref(seg("X") + seg("Y", "01"))), "segment 1 of ref A is there twice"),
        (doc(seg("x"), ref(seg("X")), ref(seg("Y"))), "ref A is there twice"),
        (doc(seg("x"), ref(seg("X"), ""), f"<ref lang='en'>{seg('Y')}</ref>"), "ref ref is there twice"),
        (doc(seg("x"), ref(seg("X")), hyp(seg("h"), "s"), hyp(seg("h"), "s")), "hyp s is there twice"),
        (doc(seg("x", "1a"), ref(seg("X"))), "must be a number, not '1a'"),
        (doc("<seg>x</seg>", ref(seg("X"))), "must be a number, not None"),
        (doc(seg("x"), ref(seg("X")), f"<hyp>{seg('h')}</hyp>"), "does not name its system"),
        (doc(seg("x"), ref(seg("X"))) + f"<doc><src lang='fr'>{seg('y')}</src></doc>", "languages: de, fr"),
        (doc(seg("x &nbsp; y"), ref(seg("X"))), "not well-formed XML: undefined entity"),
        (doc(seg("x & y"), ref(seg("X"))), "not well-formed XML"),
        ("<doc>", "not well-formed XML: mismatched tag"),
        (doc(seg("x", "1" * 5000), ref(seg("X"))), "must be a number, not '1111"),
    ],
)
def test_broken_xml_is_one_clear_error(document: str, message: str) -> None:
    """What would overwrite, shift or lose text is an error that says what and where."""
    with pytest.raises(InputError, match=message) as caught:
        xml(document)
    assert (caught.value.where or "").startswith("f.xml")


@pytest.mark.parametrize("encoding", ["gb2312", "utf-7", "nonsense"])
def test_an_encoding_that_the_parser_lacks(encoding: str) -> None:
    """A file in an encoding that cannot be read is an error that says what to do."""
    text = f"<?xml version='1.0' encoding='{encoding}'?><dataset></dataset>"
    with pytest.raises(InputError, match=r"^f\.xml: not .* XML: "):
        formats.wmt_xml(source(text, "f.xml"))


def test_a_document_type_is_refused() -> None:
    """Entities of a document type are never expanded, so no file can blow up in memory."""
    bomb = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><d>&b;</d>'
    with pytest.raises(InputError, match="document types"):
        formats.wmt_xml(source(bomb, "f.xml"))


def test_no_segment_at_all_is_an_error() -> None:
    """A file in which no segment is found does not make an empty test set."""
    with pytest.raises(AlignmentError, match="no segments"):
        xml("")
    with pytest.raises(AlignmentError, match="no segments"):
        formats.read("sgml", {"src": source("x\n"), "ref": source("y\n")}, "set")


def test_content_survives_the_cache() -> None:
    """Fields written as text files and read again give the same content."""
    content = xml(doc(seg("a\u2028b"), ref(seg("A")), ref(seg("B"), ""), hyp(seg("h"), "x/y:z")))
    again = from_fields({name: to_lines(to_bytes(lines)) for name, lines in content.fields().items()})
    assert again == content
