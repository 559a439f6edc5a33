"""Read text as lines, the way the field does: a newline ends a line and nothing else does.

A carriage return, U+2028, U+0085 or a form feed is text inside a line; white space at the end of a line
(and so the CR of CRLF) is cut. Compressed input is recognised by its first bytes, on pipes too. A byte-order
mark at the start is dropped. Bytes that are not text raise an error that names file, line and byte.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, cast

import numpy as np

from mtscore.batch import Batch, find_newlines
from mtscore.errors import DecodingError, InputError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtscore.arrays import Integers

STDIN = "-"
STANDARD_INPUT = "standard input"
BLOCK_BYTES = 1 << 20

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
NOT_OF_FILES = {"idna", "punycode", "undefined"}
"""What Python counts among the encodings of text, and no file is in."""
LINE_BREAKS_ELSEWHERE = "\r\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
"""Characters that end a line in other programs: where line counts differ they are the first suspects."""


class LineReader:
    """Read one input once, from its start to its end, a batch of lines at a time.

    `name` is how messages call the input. After the last line, `lines` is the number of lines read, and the
    `SourceBytes` in `source` knows how many bytes were read and, if asked for, their SHA-256.
    """

    def __init__(
        self, path: str, *, encoding: str = "utf-8", trim: bool = True, digest: bool = False
    ) -> None:
        """Open `path` (`-` is standard input).

        Args:
            path: the file, named as the user did.
            encoding: of the text; decoded strictly.
            trim: cut white space at the ends of lines (not for tab-separated columns, which may be empty).
            digest: compute the SHA-256 of the bytes as they are read.

        Raises:
            InputError: if the file is missing, a directory or unreadable.
            UsageError: if the encoding is unknown.
        """
        self.path = path
        self.name = STANDARD_INPUT if path == STDIN else path or "''"
        self.encoding = encoding
        self.trim = trim
        self.lines = 0
        self.byte_order_mark = False
        self.ends_with_newline = True
        self.last_is_blank = False
        self.first_odd_line: int | None = None
        self._decoder = _decoder(encoding)
        self.source = SourceBytes(_open(path, self.name), digest=digest)
        self._stream = _decompressed(self.source, self.name)
        self._text = b""
        self._given = 0
        self._ends = find_newlines(self._text)
        self._at_start = True
        self._at_end = False

    def take(self, count: int) -> Batch:
        """Return the next `count` lines, fewer only at the end of the input."""
        while len(self._ends) < count and not self._at_end:
            self._read_on()
        ends, self._ends = self._ends[:count], self._ends[count:]
        start, self._given = self._given, int(ends[-1]) + 1 if len(ends) else self._given
        batch = self._checked(self._text[start : self._given], ends - start)
        self.lines += len(batch)
        return batch

    def drain(self) -> int:
        """Read to the end without keeping anything; return the number of lines of the whole input."""
        while self.take(1 << 14):
            pass
        return self.lines

    def __iter__(self) -> Iterator[str]:
        while batch := self.take(1 << 12):
            yield from batch

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.path != STDIN:
            self.source.close()

    def _read_on(self) -> None:
        """Add to the text not given out yet a block, or as much again: long lines stay cheap."""
        left = self._text[self._given :]
        block = self._next_block(max(BLOCK_BYTES, len(left)))
        if not block:
            self._at_end = True
            if left and not left.endswith(b"\n"):
                self.ends_with_newline = False
                block = b"\n"
        self._ends = np.concatenate((self._ends - self._given, find_newlines(block) + len(left)))
        self._text, self._given = left + block, 0
        if self._at_start:
            self.byte_order_mark = self._text.startswith(codecs.BOM_UTF8)
            self._given = len(codecs.BOM_UTF8) if self.byte_order_mark else 0
            self._at_start = not self.byte_order_mark and codecs.BOM_UTF8.startswith(self._text)

    def _checked(self, data: bytes, ends: Integers) -> Batch:
        try:
            text = data[:-1].decode("utf-8", "surrogatepass" if self._decoder else "strict")
        except UnicodeDecodeError as error:
            raise self._undecodable(error, data[: error.start].decode()) from error
        batch = Batch(data, ends, text)
        if self.trim and batch.may_end_in_space():
            batch = Batch.of([line.rstrip() for line in batch])
        elif not self.trim and b"\r\n" in data:
            batch = Batch.of([line.removesuffix("\r") for line in batch])
        if batch:
            self.last_is_blank = not batch.text[batch.text.rfind("\n") + 1 :].rstrip()
        if self.first_odd_line is None and any(mark in batch.text for mark in LINE_BREAKS_ELSEWHERE):
            odd = (
                number
                for number, line in enumerate(batch, self.lines + 1)
                if any(mark in line.rstrip() for mark in LINE_BREAKS_ELSEWHERE)
            )
            self.first_odd_line = next(odd, None)
        return batch

    def _next_block(self, size: int) -> bytes:
        """Return some more text in UTF-8, none only at the end."""
        data = self._read(size)
        if self._decoder is None:
            return data
        while data and not (text := self._decode(data, self._decoder)):
            data = self._read(size)
        return (text if data else self._decode(data, self._decoder)).encode("utf-8", "surrogatepass")

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (OSError, EOFError) as error:
            raise InputError(f"cannot be read: {_reason(error)}", where=self.name) from error
        except Exception as error:  # lzma and zstandard have errors of their own
            if type(error).__name__ not in {"LZMAError", "ZstdError", "error"}:
                raise
            raise InputError(f"damaged compressed data: {error}", where=self.name) from error

    def _decode(self, data: bytes, decoder: codecs.IncrementalDecoder) -> str:
        _, state = decoder.getstate()
        try:
            return decoder.decode(data, not data)
        except UnicodeDecodeError as error:
            decoder.setstate((b"", state))
            before = self._text[self._given :].decode("utf-8", "surrogatepass")
            with suppress(UnicodeError):  # a second error would be of what comes before
                before += decoder.decode(error.object[: error.start])
            raise self._undecodable(error, before) from error
        except UnicodeError as error:  # such as UTF-16 without a byte-order mark
            raise DecodingError(
                f"not valid {self.encoding.upper()}: {error}",
                where=self.name,
                hint="if the text has another encoding, name it with -e/--encoding, for example -e utf-8",
            ) from error

    def _undecodable(self, error: UnicodeDecodeError, before: str) -> DecodingError:
        """Return the error that says where the byte stands; `before` is what comes after the lines given."""
        line = self.lines + before.count("\n") + 1
        start = before.rpartition("\n")[2]
        marks = len("\n".encode(self.encoding))  # with the byte-order mark that some encodings begin with
        byte = len(f"\n{start}".encode(self.encoding, "ignore")) - marks + 1
        example = "utf-16" if error.object.startswith(UTF_16_MARKS) else "latin-1"
        return DecodingError(
            f"not valid {self.encoding.upper()} at byte {byte} (0x{error.object[error.start]:02x})",
            where=f"{self.name}:{line}",
            hint=f"if the text has another encoding, name it with -e/--encoding, for example -e {example}",
        )


def read_lines(path: str, *, encoding: str = "utf-8", trim: bool = True) -> list[str]:
    """Return all lines of a file, by default without white space at their ends.

    Raises:
        InputError: if it cannot be read or decoded.
    """
    reader = LineReader(path, encoding=encoding, trim=trim)
    try:
        return list(reader)
    finally:
        reader.close()


class SourceBytes(io.RawIOBase):
    """Pass the bytes of a file on, counting them; nothing ever seeks, so pipes will do."""

    def __init__(self, raw: io.RawIOBase, *, digest: bool) -> None:
        super().__init__()
        self._raw = raw
        self._start = b""
        self._ended = False  # a terminal would ask for more after its end
        self.bytes = 0
        self._digest = None
        if digest:
            from hashlib import sha256  # noqa: PLC0415  # only for reports

            self._digest = sha256()

    @property
    def sha256(self) -> str | None:
        """Return the digest of all bytes read so far, if it was asked for."""
        return self._digest.hexdigest() if self._digest else None

    def start(self, count: int) -> bytes:
        """Return the first bytes without consuming them (to be called before any read)."""
        while len(self._start) < count and (more := self._take(count - len(self._start))):
            self._start += more
        return self._start

    def readable(self) -> bool:
        """Return that this can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` and return the number of bytes."""
        size = len(buffer)
        data = self._start[:size] or self._take(size)
        self._start = self._start[len(data) :] if self._start else b""
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file below."""
        if not self.closed:
            self._raw.close()
        super().close()

    def _take(self, count: int) -> bytes:
        data = b"" if self._ended else self._raw.read(count)
        if data is None:  # it was set not to block
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self._ended = not data
        self.bytes += len(data)
        if self._digest:
            self._digest.update(data)
        return data


def _open(path: str, name: str) -> io.RawIOBase:
    if path == STDIN:
        if sys.stdin is None:  # closed by the caller: `<&-`
            raise InputError("is closed", where=name)
        return cast("io.RawIOBase", getattr(sys.stdin.buffer, "raw", sys.stdin.buffer))
    try:
        return open(path, "rb", buffering=0)
    except (OSError, ValueError) as error:
        raise InputError(_reason(error), where=name) from error


def _reason(error: BaseException) -> str:
    known: dict[type[BaseException], str] = {
        FileNotFoundError: "no such file",
        IsADirectoryError: "is a directory, not a file",
        PermissionError: "no permission to read it",
    }
    return known.get(type(error)) or getattr(error, "strerror", None) or str(error)


def _decoder(encoding: str) -> codecs.IncrementalDecoder | None:
    """Return what decodes the encoding; nothing for UTF-8."""
    try:
        info = codecs.lookup(encoding)
    except (LookupError, ValueError):
        info = None
    if info is None or not info._is_text_encoding or info.name in NOT_OF_FILES:  # noqa: SLF001  # as io asks
        raise UsageError(f"unknown encoding {encoding!r}", hint="for example utf-8, latin-1, utf-16")
    return None if info.name == "utf-8" else info.incrementaldecoder("strict")


def _decompressed(source: SourceBytes, name: str) -> IO[bytes]:
    try:
        start = source.start(len(XZ))
    except OSError as error:
        raise InputError(f"cannot be read: {_reason(error)}", where=name) from error
    stream: IO[bytes] = io.BufferedReader(source, BLOCK_BYTES)
    if start.startswith(GZIP):
        import gzip  # noqa: PLC0415  # only where it is needed: start-up counts

        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if start.startswith(XZ):
        import lzma  # noqa: PLC0415

        return lzma.LZMAFile(stream)
    if start.startswith(ZSTD):
        return cast("IO[bytes]", _ZstdFrames(stream, name))
    return stream


class _ZstdFrames:
    """Decompress zstd frames, and notice where the last one is cut off, which `zstandard` alone does not."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        try:
            import zstandard  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError(f"{name}: reading zstd", extra="zstd") from None
        self._stream = stream
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()

    def read(self, size: int) -> bytes:
        """Return some bytes, none only at the end; not exactly `size`, since compressed ones are few."""
        text = b""
        while not text:
            data = self._frame.unused_data or self._stream.read(size >> 4)
            if not data and not self._frame.eof:
                raise EOFError("the last frame is cut off")
            if not data:
                break
            if self._frame.eof:
                self._frame = self._new_frame()
            text = self._frame.decompress(data)
        return text
