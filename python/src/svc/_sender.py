"""Sends requests: headers, retries, and event streams that survive whatever happens to a connection."""

from __future__ import annotations

import json
import platform
import random
import time
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Mapping, Optional
from urllib.parse import quote, urlencode

from svc._codec import decode, decode_as
from svc._flow import Connection, Emit, Flow, Open, Send, Sleep
from svc._local_key import LocalKey
from svc._pieces import Pieces
from svc._response import Response, to_connection_error
from svc._settings import Settings
from svc._sse import FrameReader
from svc._version import VERSION
from svc.errors import APIConnectionError, APIStatusError, AuthenticationError, NotFoundError, SvcError, to_status_error
from svc.events import EVENT_DATA, RunEvent

_USER_AGENT = f"svc-ai/{VERSION} python/{platform.python_version()}"
_STREAM = "text/event-stream"
_MOST_DELAY = 8.0
_FIRST_DELAY = 0.5
_FIRST_RESUME_DELAY = 0.1
_QUIET = 45.0
"""Seconds: three of the server's keep-alives."""
_MOST_GAPS = 10
_MOST_FAILURES_ANSWERED = 3
"""A server that answers is asked again within 1.6 s, however often the connection breaks after that."""
TERMINAL = frozenset(("run.completed", "run.incomplete", "run.failed", "run.cancelled"))


@dataclass(frozen=True)
class Request:
    """One request, sent again unchanged where it may be."""

    method: str
    path: str
    """With its parts quoted: see `path`."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    key: Optional[str] = None
    """Makes a POST the same request however often it is sent."""
    is_safe: bool = False
    """A POST that changes nothing, or nothing more when it comes twice."""
    accepts: str = "application/json"
    last_event_id: int = 0
    good: tuple[int, ...] = ()
    """Statuses from 400 on that are answers."""

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again when nobody knows whether it arrived."""
        return self.method != "POST" or self.key is not None or self.is_safe

    def to_bytes(self, settings: Settings, local: Mapping[str, str]) -> bytes:
        """The request as it goes over the wire, on a connection of its own."""
        address = settings.address
        given = {name: _to_text(value) for name, value in self.query.items() if value is not None}
        target = address.prefix + self.path + (f"?{urlencode(given)}" if given else "")
        default_port = 443 if address.is_secure else 80
        headers = {
            "Host": address.name if address.port != default_port else address.name.rpartition(":")[0],
            "User-Agent": _USER_AGENT,
            "Accept": self.accepts,
            "Connection": "close",
        }
        if settings.api_key is not None:
            headers["Authorization"] = f"Bearer {settings.api_key}"
        headers.update(local)
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        if self.last_event_id > 0:
            headers["Last-Event-ID"] = str(self.last_event_id)
        body = b"" if self.body is None else json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        if self.method not in ("GET", "DELETE"):
            headers["Content-Type"] = "application/json"
            headers["Content-Length"] = str(len(body))
        lines = [f"{self.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@dataclass(frozen=True)
class Reply:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    text: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body as a JSON object. Raises `SvcError` with code `invalid_response` where it is none."""
        try:
            body = json.loads(self.text)
        except ValueError:
            body = None
        if isinstance(body, dict):
            return body
        raise SvcError(
            "the answer is no JSON object: is this the address of svc?",
            code="invalid_response",
            status_code=self.status,
            request_id=self.headers.get("x-request-id"),
            body=self.text.decode("utf-8", "replace"),
        )


def path(*parts: str) -> str:
    """A path of its parts, each quoted: an id can lead nowhere else."""
    for part in parts:
        if not part or part in (".", ".."):
            raise ValueError(f"{part!r} is no id")
    return "/" + "/".join(quote(part, safe="") for part in parts)


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(str(each) for each in value)
    return str(value)


class Sender:
    """Sends requests of one client."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_closed = False
        self._local_key = LocalKey(settings.address) if settings.api_key is None else None

    def send(self, request: Request, max_retries: Optional[int] = None, timeout: Optional[float] = None) -> Flow[Reply]:
        """
        Sends a request until it is answered, or has failed once and `max_retries` times.

        Tried again are what the server says may be (`x-should-retry`), else 408, 429 and 5xx, and broken connections; what
        is neither repeatable nor keyed only where it cannot have been done. Between tries lies a random time ("full
        jitter") below 0.5, 1, 2, ... 8 s, after what `retry-after` asks for.
        """
        most = self.settings.max_retries if max_retries is None else max_retries
        for tries in count(1):
            try:
                connection, response = yield from self._open(request, timeout or self.settings.timeout)
                try:
                    text = yield from response.body()
                finally:
                    connection.close()
                return Reply(response.status, response.headers, text)
            except SvcError as error:
                if tries > 1 and request.method == "DELETE" and isinstance(error, NotFoundError):
                    return Reply(204, {}, b"")  # an earlier try did it
                if tries > most or not _may_retry(error, request):
                    raise
                delay = _retry_after(error) + random.uniform(0, min(_MOST_DELAY, _FIRST_DELAY * 2 ** (tries - 1)))
                if delay > self.settings.timeout:
                    raise
            yield Sleep(delay)
        raise AssertionError("not reached")

    def follow(
        self,
        request: Request,
        is_whole: bool = False,
        has_end: bool = True,
        is_known: bool = False,
        pieces: Optional[Pieces] = None,
    ) -> Flow[Optional[RunEvent]]:
        """
        Emits each event of a stream once and in order, over as many connections as it takes.

        A connection that breaks, says nothing for 45 s, or leaves out a number is replaced by one that goes on from the
        last number. It gives up when the server has said nothing for `timeout` seconds, or `max_retries` times at the start.

        :param is_whole: whether the stream holds all events of a run, so that a missing number shows
        :param has_end: whether the stream is of one run, ends with it and can be gone on with
        :param is_known: whether the server is known to be there
        :param pieces: keeps the pieces of answers whole; without it they come as the server sends them
        :returns: the last event of the run, or `None` where the stream ended without it
        """
        cursor = request.last_event_id
        heard = time.monotonic()
        failures = gaps = 0
        while True:
            connection: Optional[Connection] = None
            try:
                asked = replace(request, last_event_id=cursor)
                connection, response = yield from self._open(asked, min(self.settings.timeout, _QUIET))
                is_over = response.status == 204
                failures = min(failures, _MOST_FAILURES_ANSWERED)
                reader = FrameReader()
                while not is_over:
                    data = yield from response.piece()
                    heard, is_known = time.monotonic(), True
                    if not data:
                        break
                    for frame in reader.feed(data):
                        if frame.event == "end":
                            is_over = True
                            break
                        raw = json.loads(frame.data)
                        seq = raw.get("seq")
                        if seq is not None and has_end:
                            if seq <= cursor:
                                continue
                            if is_whole and seq != cursor + 1:
                                gaps += 1
                                raise _gap(cursor, seq)
                        if "ref" in raw:
                            raw = yield from self._whole(raw["runId"], seq, request)
                            heard = time.monotonic()
                        if seq is not None and has_end:
                            cursor = seq
                            failures = gaps = 0
                        for each in [raw] if pieces is None else pieces.apply(raw):
                            event = to_event(each)
                            yield Emit(event)
                            heard = time.monotonic()  # the caller may take as long as it likes
                            if has_end and event.type in TERMINAL:
                                return event
                if is_over:
                    if not is_whole or cursor == request.last_event_id > 0:
                        return None
                    gaps += 1
                    raise _gap(cursor)  # the last event is missing
            except SvcError as error:
                if not _may_retry(error, request) or gaps > _MOST_GAPS:
                    raise
                if time.monotonic() - heard > self.settings.timeout:
                    raise
                if not is_known and failures >= self.settings.max_retries:
                    raise
                wait = _retry_after(error)
            else:
                wait = 0.0
            finally:
                if connection is not None:
                    connection.close()
            if pieces is not None:
                pieces.cut()
            failures += 1
            yield Sleep(wait + random.uniform(0, min(_MOST_DELAY, _FIRST_RESUME_DELAY * 2 ** min(failures, 10))))

    def _whole(self, run_id: str, seq: int, of: Request) -> Flow[dict[str, Any]]:
        """An event as it is, of which a stream has only the beginnings of its texts."""
        reach = {name: value for name, value in of.query.items() if name == "all"}
        reply = yield from self.send(Request("GET", path("v1", "runs", run_id, "events", str(seq)), reach))
        return reply.json

    def _open(self, request: Request, timeout: float) -> Flow[tuple[Connection, Response]]:
        """Sends a request once, or again with the key that is asked for. The answer's head is read; what is 400 or above is raised."""
        tried = {} if self._local_key is None else self._local_key.headers
        try:
            return (yield from self._open_once(request, timeout, tried))
        except AuthenticationError as error:
            if self._local_key is None or not self._local_key.learn(error.headers.get("www-authenticate", ""), tried):
                raise
            return (yield from self._open_once(request, timeout, self._local_key.headers))

    def _open_once(
        self, request: Request, timeout: float, local: Mapping[str, str]
    ) -> Flow[tuple[Connection, Response]]:
        if self.is_closed:
            raise SvcError("the client is closed", code="not_connected")
        address = self.settings.address if self._local_key is None else self._local_key.address
        try:
            connection: Connection = yield Open(address, timeout, self.settings.tls)
        except OSError as problem:
            error = to_connection_error(problem, timeout, address.name)
            error.was_sent = False
            raise error from problem
        try:
            try:
                yield Send(connection, request.to_bytes(self.settings, local), timeout)
            except ConnectionError:
                pass  # the server may have answered before it had read all
            except OSError as problem:
                raise to_connection_error(problem, timeout, address.name) from problem
            response = Response(connection, timeout)
            yield from response.head()
            if response.status >= 400 and response.status not in request.good:
                text = yield from response.body()
                raise to_status_error(response.status, response.headers, text)
            return connection, response
        except BaseException:
            connection.close()
            raise


def to_event(raw: Mapping[str, Any]) -> RunEvent:
    """An event with typed data; that of a type which this version does not know stays plain."""
    data = raw.get("data") or {}
    shape = EVENT_DATA.get(str(raw.get("type")))
    return decode(RunEvent, raw, data=data if shape is None else decode_as(shape, data))


def _may_retry(error: SvcError, request: Request) -> bool:
    if isinstance(error, APIStatusError):
        status = error.status_code or 0
        word = error.headers.get("x-should-retry")
        if word is not None:
            return word == "true"
        return status in (408, 429, 503) or (status >= 500 and request.is_repeatable)
    return isinstance(error, APIConnectionError) and error.may_pass and (request.is_repeatable or not error.was_sent)


def _retry_after(error: SvcError) -> float:
    word = error.headers.get("retry-after", "") if isinstance(error, APIStatusError) else ""
    return float(word) if word.replace(".", "", 1).isdigit() else 0.0


def _gap(cursor: int, seq: Optional[int] = None) -> APIConnectionError:
    came = "the end" if seq is None else f"event {seq}"
    return APIConnectionError(f"{came} came after event {cursor}", code="event_gap")
