"""Reading lines: what ends a line, what compressed and damaged input gives, and where bytes are not text."""

from __future__ import annotations

import codecs
import encodings.aliases
import gzip
import io
import lzma
import os
import sys
import threading
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from random_text import RandomText

from mtscore import lines
from mtscore.errors import DecodingError, InputError, MissingExtraError, UsageError
from mtscore.lines import LineReader, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = "".join(f"line {number}: {'ä中😀' * (number % 7)}.\n" for number in range(3000))
WANTED = TEXT.split("\n")[:-1]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], str]:
    """Return what writes bytes to a file and returns its name."""

    def to_file(data: bytes) -> str:
        file = tmp_path / "file"
        file.write_bytes(data)
        return str(file)

    return to_file


@pytest.fixture(params=[1, 2, 3, 7, 64, 1 << 20])
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read in blocks of so many bytes: their boundaries must not show."""
    size: int = request.param
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    return size


def zstd(data: bytes) -> bytes:
    """Return data as one zstd frame."""
    compressed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return compressed


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zstd": zstd,
}


# --- What a line is


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n\n", ["a", "", "b", ""]),
        (b" a\tb \t\n", [" a\tb"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\n\r\n", ["a", ""]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r", ["a"]),
        (b"\r\n", [""]),
        (b" ", [""]),
        ("a\u2028b\u2029c\x85d\n".encode(), ["a\u2028b\u2029c\x85d"]),
        (b"a\x0bb\x0cc\x1cd\x1de\x1ef\n", ["a\x0bb\x0cc\x1cd\x1de\x1ef"]),
        ("a\u3000\u2028\x85\x0c\n".encode(), ["a"]),
        (b"a\0b\0\n", ["a\0b\0"]),
        ("\ufeffa\nb\n".encode(), ["a", "b"]),
        ("\ufeff\n".encode(), [""]),
        ("\ufeff".encode(), []),
        ("\ufeff\ufeffa\n\ufeffb\n".encode(), ["\ufeffa", "\ufeffb"]),
        ("a\ufeff\n".encode(), ["a\ufeff"]),
    ],
)
def test_lines(write: Callable[[bytes], str], block_bytes: int, data: bytes, wanted: list[str]) -> None:
    """Only a newline ends a line, trailing white space is cut, a byte-order mark at the start dropped."""
    assert read_lines(write(data)) == wanted


def test_columns_keep_their_tabs(write: Callable[[bytes], str], block_bytes: int) -> None:
    """Without trimming only the line's ending goes, CRLF too, so that empty last columns stay."""
    reader = LineReader(write(b"a\t\nb\t \r\n\t\r\nc"), trim=False)
    assert list(reader) == ["a\t", "b\t ", "\t", "c"]
    reader.close()


def test_block_boundaries(write: Callable[[bytes], str], block_bytes: int) -> None:
    """Lines, characters of several bytes and CRLF come out whole wherever a block ends."""
    text = "".join(f"{line}\r\n" for line in RandomText(1).lines(60))
    wanted = [line.rstrip() for line in text.split("\n")[:-1]]
    assert read_lines(write(text.encode())) == wanted


@pytest.mark.parametrize("count", [1, 2, 999, 1000, 3001])
def test_batches(write: Callable[[bytes], str], count: int) -> None:
    """Batches of any size give the same lines, and the reader counts those that it gave."""
    reader = LineReader(write(TEXT.encode()))
    found: list[str] = []
    while batch := reader.take(count):
        assert len(batch) == min(count, 3000 - len(found))
        found += batch
        assert reader.lines == len(found)
    assert found == WANTED
    assert reader.take(count) == []
    reader.close()


def test_many_short_lines(write: Callable[[bytes], str]) -> None:
    """A million empty lines take no longer than their number explains."""
    reader = LineReader(write(b"\n" * 1_000_000))
    assert len(reader.take(5)) == 5
    assert reader.drain() == 1_000_000
    reader.close()


def test_reader_knows_what_it_read(write: Callable[[bytes], str]) -> None:
    """After the end a reader knows lines, bytes and digest of the input, and how it began and ended."""
    data = "\ufeffä\n \n".encode()
    reader = LineReader(write(data), digest=True)
    assert reader.drain() == 2
    assert (reader.source.bytes, reader.source.sha256) == (len(data), sha256(data).hexdigest())
    assert (reader.byte_order_mark, reader.ends_with_newline, reader.last_is_blank) == (True, True, True)
    reader.close()
    reader = LineReader(write(b"a\nb"))
    assert reader.drain() == 2
    assert reader.source.sha256 is None
    assert (reader.byte_order_mark, reader.ends_with_newline, reader.last_is_blank) == (False, False, False)
    reader.close()


@pytest.mark.parametrize("mark", list("\r\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"))
def test_first_line_that_others_would_break(
    write: Callable[[bytes], str], block_bytes: int, mark: str
) -> None:
    """The reader remembers the first line with a line break of other programs inside, not at its end."""
    reader = LineReader(write(f"a\nb{mark}\nabcdef{mark}ghijkl\nd{mark}e\n".encode()))
    reader.drain()
    assert reader.first_odd_line == 3
    reader.close()


# --- Compressed input


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("members", [1, 3])
def test_compressed(write: Callable[[bytes], str], kind: str, members: int) -> None:
    """Compressed files are recognised by their first bytes and read to the end of their last member."""
    data = COMPRESSORS[kind](TEXT.encode()) * members
    reader = LineReader(write(data), digest=True)
    assert list(reader) == WANTED * members
    assert (reader.source.bytes, reader.source.sha256) == (len(data), sha256(data).hexdigest())
    reader.close()


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_compressed_emptiness(write: Callable[[bytes], str], kind: str) -> None:
    """A compressed file of nothing has no lines, and empty members before others are passed over."""
    empty = COMPRESSORS[kind](b"")
    assert read_lines(write(empty)) == []
    assert read_lines(write(empty + COMPRESSORS[kind](b"a\n") + empty)) == ["a"]


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("kept", [0.99999, 0.9, 0.5, 0.0])
def test_truncated(write: Callable[[bytes], str], kind: str, kept: float) -> None:
    """A compressed file that is cut off anywhere, in its first member or a later one, is an error."""
    whole = COMPRESSORS[kind](TEXT.encode())
    part = whole[: min(max(int(len(whole) * kept), 6), len(whole) - 1)]
    for data in (part, whole + part):
        with pytest.raises(InputError, match=r"file: (cannot be read|damaged compressed data)"):
            read_lines(write(data))


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_damaged(write: Callable[[bytes], str], kind: str) -> None:
    """A compressed file with flipped bytes in its middle is an error."""
    whole = bytearray(COMPRESSORS[kind](TEXT.encode()))
    middle = len(whole) // 2
    whole[middle : middle + 8] = bytes(byte ^ 0x5A for byte in whole[middle : middle + 8])
    with pytest.raises((InputError, DecodingError), match="file"):
        read_lines(write(bytes(whole)))


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"])
def test_not_really_compressed(write: Callable[[bytes], str], start: bytes) -> None:
    """A file that only begins as compressed ones do is an error."""
    if start.startswith(b"\x28"):
        pytest.importorskip("zstandard")
    with pytest.raises(InputError, match=r"file: (cannot be read|damaged)"):
        read_lines(write(start + b"hello world\n" * 10))


def test_zstd_without_the_package(write: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, zstd input is an error with the command that installs it."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"reading zstd .*pip install 'mtscore\[zstd\]'"):
        read_lines(write(b"\x28\xb5\x2f\xfd...."))


def test_zstd_skippable_frame(write: Callable[[bytes], str]) -> None:
    """Frames without text, which parallel compressors write, are skipped."""
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert read_lines(write(zstd(b"a\n") + skipped + zstd(b"b\n"))) == ["a", "b"]


@pytest.mark.parametrize("kind", [*COMPRESSORS, "plain"])
def test_fifo(tmp_path: Path, kind: str) -> None:
    """A FIFO, which cannot seek and gives a few bytes at a time, is read as a file, compressed or not."""
    data = COMPRESSORS.get(kind, bytes)(TEXT.encode())
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def feed() -> None:
        with fifo.open("wb", buffering=0) as pipe:
            for start in range(0, len(data), 1001):
                pipe.write(data[:1] if start == 0 else b"")
                pipe.write(data[max(start, 1) : start + 1001])

    writer = threading.Thread(target=feed)
    writer.start()
    assert read_lines(str(fifo)) == WANTED
    writer.join()


@pytest.mark.parametrize("kind", [*COMPRESSORS, "plain"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Standard input is read as bytes, compressed or not, and stays open."""
    data = COMPRESSORS.get(kind, bytes)(TEXT.encode())
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", stdin)
    reader = LineReader("-")
    assert list(reader) == WANTED
    assert reader.name == "standard input"
    reader.close()
    assert not stdin.buffer.closed


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input that the caller has closed is an error."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: is closed"):
        LineReader("-")


class Terminal(io.RawIOBase):
    """Give lines one by one, and after each end more, as a terminal does on which Ctrl-D was pressed."""

    def __init__(self, *pieces: bytes) -> None:
        super().__init__()
        self.pieces = list(pieces)

    def readable(self) -> bool:
        """Return that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the next piece."""
        data = self.pieces.pop(0)
        buffer[: len(data)] = data
        return len(data)


def test_one_end_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first end of the input is its end: nobody has to press Ctrl-D twice."""
    terminal = Terminal(b"a\n", b"b b b b b b\n", b"", b"c\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(terminal)))
    reader = LineReader("-")
    assert list(reader) == ["a", "b b b b b b"]
    assert reader.take(5) == []
    assert terminal.pieces == [b"c\n"]


def test_pipe_that_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that has nothing yet, and was set not to wait, is an error and not the end."""
    read_end, write_end = os.pipe()
    os.write(write_end, b"a\nb\nc\nd\n")
    os.set_blocking(read_end, False)
    with os.fdopen(read_end) as stdin, os.fdopen(write_end, "wb"):
        monkeypatch.setattr(sys, "stdin", stdin)
        reader = LineReader("-")
        with pytest.raises(
            InputError, match="standard input: cannot be read: Resource temporarily unavailable"
        ):
            list(reader)


# --- Files that cannot be read


def test_missing_file(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(InputError, match=r"nothing\.txt: no such file"):
        LineReader(str(tmp_path / "nothing.txt"))


def test_directory(tmp_path: Path) -> None:
    """A directory is no file."""
    with pytest.raises(InputError, match="is a directory, not a file"):
        LineReader(str(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    """A file without permission to read it is an error."""
    file = tmp_path / "secret"
    file.write_bytes(b"a\n")
    file.chmod(0)
    with pytest.raises(InputError, match="secret: no permission to read it"):
        LineReader(str(file))


def test_permission_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses to open is said in words."""

    def refuse(*_arguments: object, **_settings: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match="secret: no permission to read it"):
        LineReader("secret")


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_impossible_names(path: str) -> None:
    """Names that no file can have are errors, too."""
    with pytest.raises(InputError):
        LineReader(path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a file that opens and does not read")
def test_reading_fails() -> None:
    """A file that opens but gives an error when read is an input error."""
    with pytest.raises(InputError, match="/proc/self/mem: cannot be read: "):
        LineReader("/proc/self/mem")


# --- Encodings


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "utf-7"]
)
def test_encodings(write: Callable[[bytes], str], block_bytes: int, encoding: str) -> None:
    """Text in any encoding of Unicode is read, wherever blocks end, and its byte-order mark is dropped."""
    text = "".join(f"{line}\n" for line in WANTED[:40])
    assert read_lines(write(text.encode(encoding)), encoding=encoding) == WANTED[:40]


def test_big_endian_by_its_mark(write: Callable[[bytes], str], block_bytes: int) -> None:
    """UTF-16 is read in the byte order of its mark."""
    data = codecs.BOM_UTF16_BE + "ä\nb\n".encode("utf-16-be")
    assert read_lines(write(data), encoding="utf-16") == ["ä", "b"]


@pytest.mark.parametrize("encoding", ["utf-9", "", "rot13", "hex", "zlib", "utf-8\0"])
def test_unknown_encodings(write: Callable[[bytes], str], encoding: str) -> None:
    """What is no encoding of text is a usage error."""
    with pytest.raises(UsageError, match="unknown encoding"):
        read_lines(write(b"a\n"), encoding=encoding)


@pytest.mark.parametrize(
    "encoding", sorted({*encodings.aliases.aliases.values(), "undefined", "punycode", "idna"})
)
def test_every_encoding_of_python(write: Callable[[bytes], str], encoding: str) -> None:
    """With any encoding that Python knows, right or wrong for the file, there are lines or a clear error."""
    with suppress(DecodingError, UsageError):
        assert read_lines(write(b"abc\ndef \xc3\xa4\n"), encoding=encoding)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"caf\xe9 is open\n", r"file:1: not valid UTF-8 at byte 4 \(0xe9\)"),
        (b"a\nb\nna\xc3\xafve caf\xe9\n", r"file:3: not valid UTF-8 at byte 11 \(0xe9\)"),
        (b"\xff\n", r"file:1: not valid UTF-8 at byte 1 \(0xff\)"),
        (b"a\n\xc3", r"file:2: not valid UTF-8 at byte 1 \(0xc3\)"),
        (b"a\n\xe4\xb8\nb\n", r"file:2: not valid UTF-8 at byte 1 \(0xe4\)"),
        (b"\xef\xbb\xbfab\xff\n", r"file:1: not valid UTF-8 at byte 3 \(0xff\)"),
        (b"a\r\nb\rc\xff\n", r"file:2: not valid UTF-8 at byte 4 \(0xff\)"),
        (b"\xed\xa0\x80\n", r"file:1: not valid UTF-8 at byte 1 \(0xed\)"),
        (b"\xc0\xaf\n", r"file:1: not valid UTF-8 at byte 1 \(0xc0\)"),
        (b"\xf4\x90\x80\x80\n", r"file:1: not valid UTF-8 at byte 1 \(0xf4\)"),
        (b"x" * 5000 + b"\n" * 3000 + b"yy\xff", r"file:3001: not valid UTF-8 at byte 3 \(0xff\)"),
    ],
)
def test_undecodable_bytes(
    write: Callable[[bytes], str], block_bytes: int, data: bytes, message: str
) -> None:
    """Bytes that are not text are an error that names the line and the byte in it, wherever blocks end."""
    with pytest.raises(DecodingError, match=message):
        read_lines(write(data))


@pytest.mark.parametrize(
    ("encoding", "order", "bad"),
    [
        ("ascii", "ascii", b"\xe9"),
        ("shift_jis", "shift_jis", b"\xff"),
        ("gb18030", "gb18030", b"\xff"),
        ("utf-16", "utf-16-le", b"\x00\xdc"),
        ("utf-16", "utf-16-be", b"\xdc\x00"),
        ("utf-16-le", "utf-16-le", b"\x00\xdc"),
        ("utf-32", "utf-32-le", b"\xff\xff\xff\xff"),
    ],
)
def test_undecodable_bytes_of_other_encodings(
    write: Callable[[bytes], str], block_bytes: int, encoding: str, order: str, bad: bytes
) -> None:
    """The line, and the byte in it, are right in other encodings, too, byte-order marks not counted."""
    mark = "" if encoding == order else "\ufeff"
    data = (
        (mark + "".join(f"line {number}\n" for number in range(40))).encode(order) + "ab".encode(order) + bad
    )
    byte = 1 + 2 * len("a".encode(order))
    with pytest.raises(DecodingError, match=rf"file:41: not valid {encoding.upper()} at byte {byte} \("):
        read_lines(write(data), encoding=encoding)


def test_hint_of_the_option(write: Callable[[bytes], str]) -> None:
    """The error names the option that helps, with UTF-16 where the file begins as such files do."""
    with pytest.raises(DecodingError, match=r"name it with -e/--encoding, for example -e latin-1\)"):
        read_lines(write(b"\xe9\n"))
    with pytest.raises(DecodingError, match=r"for example -e utf-16\)"):
        read_lines(write("a\n".encode("utf-16")))
    with pytest.raises(DecodingError, match=r"not valid UTF-16: .* \(.*for example -e utf-8\)"):
        read_lines(write(b"abcdef\n"), encoding="utf-16")


def test_latin_1(write: Callable[[bytes], str]) -> None:
    """The encoding that the hint names reads what UTF-8 cannot."""
    assert read_lines(write(b"caf\xe9\x85\n"), encoding="latin-1") == ["café"]


def test_bytes_of_compressed_text(write: Callable[[bytes], str]) -> None:
    """In compressed input, lines and bytes of an error are those of the text inside."""
    with pytest.raises(DecodingError, match=r"file:2: not valid UTF-8 at byte 2 \(0xff\)"):
        read_lines(write(gzip.compress(b"a\nb\xff\n")))


def test_long_lines_are_read_in_few_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for a line of any length grows as its length does, not as the square of it."""
    monkeypatch.setattr(lines, "BLOCK_BYTES", 16)
    (tmp_path / "long").write_text("x" * 100_000 + "\ny\n", "utf-8")
    sizes: list[int] = []

    def read(reader: LineReader, size: int) -> bytes:
        sizes.append(size)
        return reader._stream.read(size)

    monkeypatch.setattr(LineReader, "_read", read)
    assert read_lines(str(tmp_path / "long")) == ["x" * 100_000, "y"]
    assert len(sizes) < 20
