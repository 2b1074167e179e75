"""Every class of error from a real answer, and from no answer at all."""

from __future__ import annotations

import json
import signal
import socket
import threading
import unittest
import urllib.error
import urllib.request
from typing import Any, Callable

from svc import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceClient,
    SvcError,
    UnprocessableEntityError,
)
from tests.proxy import Proxy
from tests.support import Model, Server, until

UNKNOWN = "run_01J00000000000000000000000"


def is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=60):
            return True
    except urllib.error.HTTPError:
        return False


class AnswersTest(unittest.TestCase):
    """Errors that a server of svc answers."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.free = threading.Event()

        def say(asked: dict[str, Any]) -> str:
            cls.free.wait()
            return "The answer is 42."

        cls.model = Model(say)
        cls.server = Server(cls.model)
        cls.client = ServiceClient(cls.server.url, max_retries=0)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.free.set()
        cls.server.close()
        cls.model.close()

    def fails(self, kind: type[APIStatusError], code: str, call: Callable[[], Any]) -> APIStatusError:
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertIs(type(error), kind)
        self.assertIsInstance(error, SvcError)
        self.assertEqual(error.code, code)
        self.assertEqual(error.body["code"], code)
        self.assertEqual(error.body["status"], error.status_code)
        self.assertEqual(error.request_id, error.body["requestId"])
        self.assertEqual(str(error), error.body["detail"])
        return error

    def test_400_names_the_field(self) -> None:
        error = self.fails(BadRequestError, "validation_failed", lambda: self.client.run("x", topology="NOPE"))
        self.assertEqual(error.body["errors"][0]["path"], "/topology")
        self.fails(BadRequestError, "validation_failed", lambda: self.client.run("x", nope=1))  # type: ignore[call-arg]

    def test_401_403_and_400_come_from_the_gate(self) -> None:
        server = Server(env={"SERVICE_API_KEY": "right"})
        self.addCleanup(server.close)
        self.fails(AuthenticationError, "unauthenticated", lambda: ServiceClient(server.url).runs.list())
        self.fails(AuthenticationError, "unauthenticated", lambda: ServiceClient(server.url, "wrong").run("x"))
        self.assertEqual(ServiceClient(server.url).health().status, "ok")
        self.assertEqual(len(ServiceClient(server.url, "right").runs.list()), 0)
        with Proxy(server.port, rewrite=lambda head: head + b"\r\nOrigin: http://elsewhere.example") as proxy:
            self.fails(PermissionDeniedError, "origin_not_allowed", lambda: ServiceClient(proxy.url, "right").runs.list())
        with Proxy(server.port, rewrite=lambda head: head.replace(b"Host: ", b"Host: elsewhere.")) as proxy:
            self.fails(APIStatusError, "host_not_allowed", lambda: ServiceClient(proxy.url, "right").runs.list())

    def test_404_409_422_and_425_say_what_stands_in_the_way(self) -> None:
        runs = self.client.runs
        self.fails(NotFoundError, "run_not_found", lambda: runs.get(UNKNOWN))
        self.fails(NotFoundError, "run_not_found", lambda: list(runs.events(UNKNOWN)))
        run = runs.create("What is 6 times 7?", topology="SINGLE", idempotency_key="one-key")
        self.fails(ConflictError, "run_active", lambda: runs.delete(run.id))
        self.fails(ConflictError, "invalid_transition", lambda: runs.resume(run.id))
        again = lambda: runs.create("What is 6 times 8?", idempotency_key="one-key")  # noqa: E731
        self.fails(UnprocessableEntityError, "idempotency_mismatch", again)
        error = self.fails(APIStatusError, "run_not_finished", lambda: runs.result(run.id))
        self.assertEqual(error.status_code, 425)
        runs.cancel(run.id)

    def test_429_says_when_to_come_again(self) -> None:
        server = Server(config={"server": {"limits": {"requestsPerMinute": 2}}})
        self.addCleanup(server.close)
        client = ServiceClient(server.url, max_retries=0)
        client.runs.list()
        client.runs.list()
        error = self.fails(RateLimitError, "rate_limited", client.runs.list)
        self.assertTrue(1 <= int(error.headers["retry-after"]) <= 60)
        patient = ServiceClient(server.url, max_retries=2, timeout=10)
        self.fails(RateLimitError, "rate_limited", patient.runs.list)  # it would have to wait for longer than its timeout

    def test_503_is_a_server_that_ends(self) -> None:
        server = Server(self.model)
        self.addCleanup(server.close)
        client = ServiceClient(server.url, max_retries=0)
        asked = len(self.model.asked)
        client.runs.create("What is 6 times 7?", topology="SINGLE")
        until(lambda: len(self.model.asked) > asked)
        watching = client.runs.events(client.runs.list().data[0].id)
        next(watching)  # a stream keeps the server from being gone at once
        server.signal(signal.SIGTERM)
        until(lambda: not is_ready(server.url))
        self.fails(InternalServerError, "shutting_down", lambda: client.run("What is 6 times 8?"))
        watching.close()

    def test_413_is_an_answer_although_the_server_does_not_read_on(self) -> None:
        error = self.fails(APIStatusError, "body_too_large", lambda: self.client.run("x" * 3_000_000))
        self.assertEqual(error.status_code, 413)


class NoAnswerTest(unittest.TestCase):
    """Addresses where no server of svc is."""

    def listen(self, answer: bytes) -> ServiceClient:
        """A client of something that says this and closes, or says nothing."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                if answer:
                    connection.recv(65_536)
                    connection.sendall(answer)
                    connection.close()
                else:
                    self.addCleanup(connection.close)

        threading.Thread(target=serve, daemon=True).start()
        return ServiceClient(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30 if answer else 0.3, max_retries=1)

    def test_nobody_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        client = ServiceClient(f"http://127.0.0.1:{port}", max_retries=1)
        for call in (client.health, lambda: client.run("x"), lambda: list(client.runs.events(UNKNOWN))):
            with self.assertRaises(APIConnectionError) as caught:
                call()
            self.assertEqual((caught.exception.code, caught.exception.status_code), ("connection_failed", None))
            self.assertIn(f"127.0.0.1:{port}", str(caught.exception))

    def test_somebody_listens_and_says_nothing(self) -> None:
        client = self.listen(b"")
        for call in (client.health, lambda: list(client.runs.events(UNKNOWN))):
            with self.assertRaises(APITimeoutError) as caught:
                call()
            self.assertEqual(caught.exception.code, "connection_timeout")
            self.assertIsInstance(caught.exception, APIConnectionError)

    def test_what_answers_is_something_else(self) -> None:
        page = b"<html>hello</html>"
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(page)}\r\n\r\n".encode()
        cases = {
            b"SSH-2.0-OpenSSH_9.2\r\n": "connection_failed",
            b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf": "connection_failed",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n": "connection_failed",
            head + page: "invalid_response",
            b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull": "invalid_response",
            b"HTTP/1.1 502 Bad Gateway\r\n\r\n" + page: "http_502",
            b"HTTP/1.1 418 I'm a teapot\r\ncontent-length: 0\r\n\r\n": "http_418",
        }
        for answer, code in cases.items():
            with self.subTest(answer), self.assertRaises(SvcError) as caught:
                self.listen(answer).health()
            self.assertEqual(caught.exception.code, code)
            json.dumps(caught.exception.body)


if __name__ == "__main__":
    unittest.main()
