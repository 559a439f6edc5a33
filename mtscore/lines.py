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
from typing import IO, TYPE_CHECKING, cast

from mtscore.errors import DecodingError, InputError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN = "-"
STANDARD_INPUT = "standard input"
BLOCK_BYTES = 1 << 20

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BYTE_ORDER_MARK = "\ufeff"
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
        self.name = STANDARD_INPUT if path == STDIN else path
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
        self._block: list[str] = []
        self._given = 0
        self._split = 0
        self._tail = ""
        self._at_start = True
        self._at_end = False

    def take(self, count: int) -> list[str]:
        """Return the next `count` lines, fewer only at the end of the input."""
        while len(self._block) - self._given < count and not self._at_end:
            self._block, self._given = self._block[self._given :] + self._next_block(), 0
        taken = self._block[self._given : self._given + count]
        self._given += len(taken)
        self.lines += len(taken)
        return taken

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

    def _next_block(self) -> list[str]:
        data = self._read()
        text = self._decode(data)
        if self._at_start and text:
            self._at_start = False
            if text[0] == BYTE_ORDER_MARK:
                self.byte_order_mark = True
                text = text[1:]
        text = self._tail + text
        lines = text.split("\n")
        self._tail = lines.pop()
        if not data:
            self._at_end = True
            if self._tail:
                self.ends_with_newline = False
                lines.append(self._tail)
        return self._checked(lines, text)

    def _checked(self, lines: list[str], text: str) -> list[str]:
        trimmed = [line.rstrip() for line in lines]
        if lines:
            self.last_is_blank = not trimmed[-1]
        if self.first_odd_line is None and any(mark in text for mark in LINE_BREAKS_ELSEWHERE):
            odd = (
                number
                for number, line in enumerate(trimmed, self._split + 1)
                if any(mark in line for mark in LINE_BREAKS_ELSEWHERE)
            )
            self.first_odd_line = next(odd, None)
        self._split += len(lines)
        return trimmed if self.trim else [line.removesuffix("\r") for line in lines]

    def _read(self) -> bytes:
        try:
            return self._stream.read(BLOCK_BYTES)
        except (OSError, EOFError) as error:
            raise InputError(f"cannot be read: {_reason(error)}", where=self.name) from error
        except Exception as error:  # lzma and zstandard have errors of their own
            if type(error).__name__ not in {"LZMAError", "ZstdError", "error"}:
                raise
            raise InputError(f"damaged compressed data: {error}", where=self.name) from error

    def _decode(self, data: bytes) -> str:
        _, state = self._decoder.getstate()
        try:
            return self._decoder.decode(data, not data)
        except UnicodeDecodeError as error:
            self._decoder.setstate((b"", state))
            raise self._undecodable(error, self._decoder.decode(error.object[: error.start])) from error
        except UnicodeError as error:  # such as UTF-16 without a byte-order mark
            raise DecodingError(
                f"not valid {self.encoding.upper()}: {error}",
                where=self.name,
                hint="if the text has another encoding, name it with -e/--encoding, for example -e utf-8",
            ) from error

    def _undecodable(self, error: UnicodeDecodeError, before: str) -> DecodingError:
        """Return the error that says where the byte stands; `before` is the text of its block up to it."""
        read = self._tail + before
        line = self._split + read.count("\n") + 1
        start = read.rpartition("\n")[2].removeprefix(BYTE_ORDER_MARK)
        marks = len("\n".encode(self.encoding))  # with the byte-order mark that some encodings begin with
        byte = len(f"\n{start}".encode(self.encoding, "ignore")) - marks + 1
        example = "utf-16" if error.object.startswith(UTF_16_MARKS) else "latin-1"
        return DecodingError(
            f"not valid {self.encoding.upper()} at byte {byte} (0x{error.object[error.start]:02x})",
            where=f"{self.name}:{line}",
            hint=f"if the text has another encoding, name it with -e/--encoding, for example -e {example}",
        )


def read_lines(path: str, *, encoding: str = "utf-8") -> list[str]:
    """Return all lines of a file.

    Raises:
        InputError: if it cannot be read or decoded.
    """
    reader = LineReader(path, encoding=encoding)
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


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        info = codecs.lookup(encoding)
    except (LookupError, ValueError):
        info = None
    if info is None or not info._is_text_encoding or info.name in NOT_OF_FILES:  # noqa: SLF001  # as io asks
        raise UsageError(f"unknown encoding {encoding!r}", hint="for example utf-8, latin-1, utf-16")
    return info.incrementaldecoder("strict")


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
