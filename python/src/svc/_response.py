"""Reads answers of HTTP/1.1, in whatever pieces they come."""

from __future__ import annotations

import ssl

from svc._flow import Flow, Receive
from svc.errors import APIConnectionError, APITimeoutError

_MOST_HEAD = 65_536


class Response:
    """One answer on one connection: `head` first, then `piece` until it is empty."""

    def __init__(self, connection: object, timeout: float) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        """With names in lower case."""
        self._connection = connection
        self._timeout = timeout
        self._buffer = b""
        self._left = 0
        """Bytes still to come: of the body, or of the chunk. -1: until the connection closes."""
        self._is_chunked = False
        self._is_over = False

    def head(self) -> Flow[None]:
        """Reads status and headers."""
        while True:
            first = yield from self._line()
            parts = first.split(b" ", 2)
            if not first.startswith(b"HTTP/1.") or len(parts) < 2 or not parts[1].isdigit():
                raise APIConnectionError("what answered does not speak HTTP/1.1", code="connection_failed")
            self.status = int(parts[1])
            self.headers = yield from self._headers()
            if self.status >= 200:
                break
        length = self.headers.get("content-length", "")
        self._is_chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        self._is_over = self.status in (204, 304)
        self._left = 0 if self._is_chunked else int(length) if length.isdigit() else -1

    def piece(self) -> Flow[bytes]:
        """Some of the body; nothing once it is whole. Raises `APIConnectionError` where it was cut off."""
        if self._is_chunked and self._left == 0 and not self._is_over:
            yield from self._next_chunk()
        if self._is_over or self._left == 0:
            return b""
        if not self._buffer:
            data = yield from self._receive()
            if not data:
                if self._left < 0:
                    self._is_over = True
                    return b""
                raise _cut()
        if self._left < 0:
            data, self._buffer = self._buffer, b""
            return data
        data, self._buffer = self._buffer[: self._left], self._buffer[self._left :]
        self._left -= len(data)
        if self._is_chunked and self._left == 0:
            yield from self._line()
        return data

    def body(self) -> Flow[bytes]:
        """All of the body."""
        pieces: list[bytes] = []
        while True:
            data = yield from self.piece()
            if not data:
                return b"".join(pieces)
            pieces.append(data)

    def _next_chunk(self) -> Flow[None]:
        line = yield from self._line()
        try:
            self._left = int(line.split(b";")[0].strip(), 16)
        except ValueError:
            raise _cut() from None
        if self._left == 0:
            yield from self._headers()
            self._is_over = True

    def _headers(self) -> Flow[dict[str, str]]:
        headers: dict[str, str] = {}
        while True:
            line = yield from self._line()
            if not line:
                return headers
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()

    def _line(self) -> Flow[bytes]:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _MOST_HEAD:
                raise _cut()
            yield from self._receive(needed=True)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r")

    def _receive(self, needed: bool = False) -> Flow[bytes]:
        try:
            data: bytes = yield Receive(self._connection, self._timeout)
        except OSError as problem:
            raise to_connection_error(problem, self._timeout) from problem
        if needed and not data:
            raise _cut()
        self._buffer += data
        return data


def to_connection_error(problem: OSError, timeout: float, where: str = "the server") -> APIConnectionError:
    """What went wrong with a connection, as an error of this package."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        reason = f"the certificate of {where} is not trusted: {problem.verify_message}"
        error = APIConnectionError(f"{reason}; name its CA in SSL_CERT_FILE or ssl_context", code="connection_failed")
        error.may_pass = False
        return error
    if isinstance(problem, TimeoutError):
        return APITimeoutError(f"{where} said nothing for {timeout:g} s", code="connection_timeout")
    return APIConnectionError(f"the connection to {where} failed: {problem}", code="connection_failed")


def _cut() -> APIConnectionError:
    return APIConnectionError("the connection ended in the middle of an answer", code="connection_failed")
