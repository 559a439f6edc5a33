"""A web server on the loopback interface that misbehaves as told, and archives for it to serve."""

from __future__ import annotations

import io
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answer each address by its list of answers; the last one holds for all further requests."""

    answers: ClassVar[dict[str, list[Answer]]]
    log: ClassVar[list[str]]
    closing: ClassVar[threading.Event]

    def do_GET(self) -> None:
        """Answer a request."""
        self.log.append(self.path)
        answers = self.answers.get(self.path, [status(404)])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.close_connection = True
        answer(self)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class' name
        """Say nothing: `log` keeps the requests."""


class Server:
    """Hold a running server: its address, what it answers, and what it was asked for."""

    def __init__(self, port: int, answers: dict[str, list[Answer]], log: list[str]) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.answers = answers
        self.log = log

    def serve(self, path: str, *answers: Answer | bytes) -> str:
        """Answer `path` in turn with these (bytes: a plain 200), and return its address."""
        self.answers[path] = [body(item) if isinstance(item, bytes) else item for item in answers]
        return self.address + path


@contextmanager
def running() -> Iterator[Server]:
    """Run a server for a block."""
    answers: dict[str, list[Answer]] = {}
    log: list[str] = []
    closing = threading.Event()
    handler = type("BoundHandler", (Handler,), {"answers": answers, "log": log, "closing": closing})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = False  # so that leaving waits for them, and their sockets are closed
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Server(server.server_port, answers, log)
        finally:
            closing.set()
            server.shutdown()
            thread.join()


def body(data: bytes, *, promised: int | None = None, **headers: str) -> Answer:
    """Send `data` as a 200; `promised` is the length to claim (more than there is: the body is cut short)."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data) if promised is None else promised))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def slow(data: bytes, *, pieces: int, pause: float) -> Answer:
    """Send `data` piece by piece."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            handler.wfile.write(data[start : start + size])
            handler.wfile.flush()
            handler.closing.wait(pause)

    return answer


def status(code: int) -> Answer:
    """Answer with an error status."""

    def answer(handler: Handler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def redirect(address: str) -> Answer:
    """Send the client to another address."""

    def answer(handler: Handler) -> None:
        handler.send_response(302)
        handler.send_header("Location", address)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def silence(handler: Handler) -> None:
    """Accept the request and never answer."""
    handler.closing.wait(30)


def silence_midway(data: bytes) -> Answer:
    """Send half of `data`, then nothing more."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2])
        handler.wfile.flush()
        handler.closing.wait(30)

    return answer


def reset_midway(data: bytes) -> Answer:
    """Send half of `data`, then reset the connection."""
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2])
        handler.wfile.flush()
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()

    return answer


def tar_gz(members: Mapping[str, bytes | str], *, links: Mapping[str, str] | None = None) -> bytes:
    """Return a compressed tar archive of these members and of symbolic links to these targets."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            content = data.encode() if isinstance(data, str) else data
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return buffer.getvalue()


def zip_file(members: Mapping[str, bytes | str]) -> bytes:
    """Return a zip archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()
