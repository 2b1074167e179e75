"""Retries, and reading answers in whatever pieces they come: without a network, since flows do no input or output."""

from __future__ import annotations

import json
import unittest
from dataclasses import dataclass, replace
from typing import Any, Iterable, Iterator, Mapping, Optional
from unittest import mock

from svc import APIConnectionError, InternalServerError, MessageDelta, RateLimitError, Run, SvcError
from svc._codec import decode, encode
from svc._flow import Emit, Flow, Open, Receive, Send, Sleep
from svc._groups import AgentCalls, MemoryCalls, RunCalls, ThreadCalls
from svc._response import Response
from svc._sender import Sender, to_event
from svc._settings import Settings
from svc._sse import Frame, FrameReader
from svc.types import FREE_FORM, Plan, PlanStep


class Closing:
    def close(self) -> None:
        pass


@dataclass
class Trace:
    """What a flow did."""

    sent: list[bytes]
    slept: list[float]
    events: list[Any]
    result: Any = None


def answer(status: int, body: Any = None, **headers: str) -> bytes:
    text = json.dumps(body or {}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} x", f"content-length: {len(text)}", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + text


def play(flow: Flow[Any], answers: Iterable[Any]) -> Trace:
    """Runs a flow whose connections answer these: bytes, a list of pieces, an error to raise when opened, or when read."""
    trace = Trace([], [], [])
    rest = iter(answers)
    pieces: Iterator[bytes] = iter(())
    value: Any = None
    problem: Optional[BaseException] = None
    try:
        while True:
            step = flow.send(value) if problem is None else flow.throw(problem)
            value, problem = None, None
            if isinstance(step, Open):
                said = next(rest)
                if isinstance(said, OSError):
                    problem = said
                else:
                    pieces = iter([said] if isinstance(said, (bytes, tuple)) else said)
                    value = Closing()
            elif isinstance(step, Send):
                trace.sent.append(step.data)
            elif isinstance(step, Receive):
                piece = next(pieces, b"")
                if isinstance(piece, tuple):
                    problem = piece[0]
                else:
                    value = piece
            elif isinstance(step, Sleep):
                trace.slept.append(step.seconds)
            elif isinstance(step, Emit):
                trace.events.append(step.event)
    except StopIteration as end:
        trace.result = end.value
    return trace


RESET = (ConnectionResetError("reset"),)
REFUSED = ConnectionRefusedError("refused")
RUN = {"id": "run_1", "status": "queued"}


class RetryTest(unittest.TestCase):
    def setUp(self) -> None:
        sender = Sender(Settings.read("http://host:4000/base", "key", 600, 2))
        self.runs = RunCalls(sender, [])
        self.threads = ThreadCalls(sender, [])

    def key_of(self, request: bytes) -> str:
        return request.split(b"Idempotency-Key: ")[1].split(b"\r\n")[0].decode()

    def test_what_may_pass_is_tried_again_with_the_same_key(self) -> None:
        for failure in (REFUSED, RESET, answer(408), answer(429), answer(500), answer(503), [b"HTTP/1.1 200 OK\r\n", b""]):
            with self.subTest(failure):
                trace = play(self.runs.create("x"), [failure, failure, answer(201, RUN)])
                self.assertEqual(trace.result.id, "run_1")
                self.assertEqual(len(trace.slept), 2)
                self.assertEqual(len({self.key_of(request) for request in trace.sent}), 1)
                self.assertEqual(len(set(trace.sent)), 1)

    def test_it_gives_up_after_max_retries(self) -> None:
        with self.assertRaises(InternalServerError):
            play(self.runs.create("x"), [answer(500)] * 3)
        with self.assertRaises(APIConnectionError):
            play(self.runs.create("x"), [REFUSED] * 3)

    def test_what_does_not_pass_is_not_tried_again(self) -> None:
        for status in (400, 401, 403, 404, 409, 422, 425):
            with self.subTest(status), self.assertRaises(SvcError) as caught:
                play(self.runs.get("run_1"), [answer(status)])
            self.assertEqual(caught.exception.status_code, status)

    def test_the_server_says_whether_to_retry(self) -> None:
        with self.assertRaises(InternalServerError):
            play(self.runs.get("run_1"), [answer(500, x_should_retry="false")])
        trace = play(self.runs.get("run_1"), [answer(409, x_should_retry="true"), answer(200, RUN)])
        self.assertEqual(trace.result.id, "run_1")

    def test_the_delay_is_random_below_a_bound_that_doubles_and_after_what_the_server_asks(self) -> None:
        with mock.patch("random.uniform", side_effect=lambda low, high: high) as uniform:
            trace = play(self.runs.get("run_1"), [answer(503, retry_after="3"), answer(503), answer(200, RUN)])
            self.assertEqual(trace.slept, [3.5, 1.0])
            self.assertEqual([call.args[0] for call in uniform.call_args_list], [0, 0])
        first = {play(self.runs.get("run_1"), [answer(500), answer(200, RUN)]).slept[0] for _ in range(20)}
        self.assertGreater(len(first), 15)
        self.assertLessEqual(max(first), 0.5)
        with self.assertRaises(RateLimitError):
            play(self.runs.get("run_1"), [answer(429, retry_after="700")])

    def test_a_caller_who_takes_long_over_an_event_gets_the_next_one_over_a_new_connection(self) -> None:
        clock = [0.0]

        def read_slowly(raw: Mapping[str, Any]) -> Any:
            clock[0] += 3_600
            return to_event(raw)

        def stream(*events: tuple[int, str]) -> list[Any]:
            frames = [json.dumps({"seq": seq, "type": kind, "time": "t", "runId": "r", "data": {}}) for seq, kind in events]
            head = "HTTP/1.1 200 OK\r\n\r\n"
            return [(head + "".join(f"event: e\ndata: {frame}\n\n" for frame in frames)).encode(), RESET]

        with mock.patch("svc._sender.to_event", side_effect=read_slowly), mock.patch("time.monotonic", lambda: clock[0]):
            trace = play(self.runs.events("run_1"), [stream((1, "run.created")), stream((2, "run.completed"))])
        self.assertEqual([event.seq for event in trace.events], [1, 2])

    def test_what_would_be_done_twice_is_not_sent_twice(self) -> None:
        for failure in (RESET, answer(500), answer(502)):
            with self.subTest(failure), self.assertRaises(SvcError):
                play(self.threads.create(title="x"), [failure, answer(201)])
        for harmless in (REFUSED, answer(429), answer(503)):
            with self.subTest(harmless):
                play(self.threads.create(title="x"), [harmless, answer(201)])

    def test_a_deletion_whose_answer_was_lost_is_done(self) -> None:
        play(self.runs.delete("run_1"), [RESET, answer(404)])
        with self.assertRaises(SvcError):
            play(self.runs.delete("run_1"), [answer(404)])

    def test_a_request_is_what_the_server_reads(self) -> None:
        trace = play(self.runs.create("Grüße", thread_id="thr_1", budget={"max_steps": 3}, metadata={"a_b": {"c_d": 1}}), [answer(201)])
        head, _, body = trace.sent[0].partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"POST /base/v1/runs HTTP/1.1\r\nHost: host:4000\r\n"))
        self.assertIn(b"\r\nAuthorization: Bearer key\r\n", head)
        self.assertEqual(
            json.loads(body),
            {"task": "Grüße", "threadId": "thr_1", "budget": {"maxSteps": 3}, "metadata": {"a_b": {"c_d": 1}}},
        )
        listed = play(self.runs.list(created_after="2026-01-01T00:00:00.000Z", q="a&b=c"), [answer(200, {"data": [], "hasMore": False})])
        self.assertIn(b"?createdAfter=2026-01-01T00%3A00%3A00.000Z&q=a%26b%3Dc HTTP", listed.sent[0])
        resumed = play(self.runs.resume("run_1", input={"my_key": 1}, add_budget=5), [answer(201)])
        self.assertTrue(resumed.sent[0].endswith(b'{"addBudget": 5, "input": {"my_key": 1}}'))
        with self.assertRaises(ValueError):
            play(self.runs.create("x", idempotency_key="a\r\nb"), [])
        with self.assertRaises(ValueError):
            play(self.runs.create("x", metadata={"n": float("nan")}), [answer(201)])

    def test_every_page_of_a_list_is_read(self) -> None:
        agents = AgentCalls(self.runs.sender, [])
        pages = [answer(200, {"data": [{"id": "a"}], "hasMore": True, "nextCursor": "a"}), answer(200, {"data": [{"id": "b"}], "hasMore": False})]
        trace = play(agents.list(), pages)
        self.assertEqual([agent.id for agent in trace.result], ["a", "b"])
        self.assertIn(b"after=a", trace.sent[1])


class ReadingTest(unittest.TestCase):
    def read(self, pieces: list[bytes]) -> tuple[int, Mapping[str, str], bytes]:
        def flow() -> Flow[tuple[int, Mapping[str, str], bytes]]:
            yield Open(Settings.read("http://host", None, 1, 0).address, 1)
            response = Response(None, 1)
            yield from response.head()
            body = yield from response.body()
            return response.status, response.headers, body

        result: tuple[int, Mapping[str, str], bytes] = play(flow(), [pieces]).result
        return result

    def test_answers_are_read_in_whatever_pieces_they_come(self) -> None:
        answers = [
            (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", b""),
            (b"HTTP/1.0 200 OK\n\nhello", b"hello"),
            (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        ]
        for whole, body in answers:
            for size in range(1, len(whole) + 1):
                with self.subTest(whole, size=size):
                    pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
                    self.assertEqual(self.read(pieces)[2], body)

    def test_an_answer_that_was_cut_off_is_never_taken_for_a_whole_one(self) -> None:
        for whole in (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        ):
            for size in range(len(whole)):
                with self.subTest(whole, size=size), self.assertRaises(APIConnectionError):
                    self.read([whole[:size]])

    def test_frames_are_read_in_whatever_pieces_they_come(self) -> None:
        text = "retry: 2000\n\n: ka\n\nid: 1\nevent: a\ndata: {\"x\":\ndata:1}\n\nevent: b\ndata: é\n\nevent: end\ndata: {}\n\nevent: cut"
        frames = [Frame("a", '{"x":\n1}'), Frame("b", "é"), Frame("end", "{}")]
        for ending in ("\n", "\r\n", "\r"):
            whole = text.replace("\n", ending).encode()
            for size in range(1, len(whole) + 1):
                with self.subTest(ending, size=size):
                    reader = FrameReader()
                    found = [frame for i in range(0, len(whole), size) for frame in reader.feed(whole[i : i + size])]
                    self.assertEqual(found, frames)


class ShapesTest(unittest.TestCase):
    def test_what_is_unknown_is_kept_and_what_is_missing_is_empty(self) -> None:
        run = decode(Run, {"id": "run_1", "status": "paused", "newField": {"a": 1}, "usage": {"inputTokens": 3}})
        self.assertEqual((run.status, run.raw["newField"], run.usage.input_tokens, run.usage.output_tokens), ("paused", {"a": 1}, 3, 0))
        self.assertEqual((run.agents, run.links, run.cost_usd, run.waiting), ((), {}, None, None))
        self.assertEqual(hash(run.usage), hash(replace(run.usage)))

    def test_events_are_typed_and_those_of_tomorrow_are_plain(self) -> None:
        event = to_event({"v": 1, "type": "message.delta", "time": "t", "runId": "r", "data": {"text": "hi"}})
        self.assertEqual(event.data, MessageDelta("hi"))
        later = to_event({"v": 1, "seq": 3, "type": "moon.landed", "time": "t", "runId": "r", "data": {"where": [1]}})
        self.assertEqual((later.seq, later.data), (3, {"where": [1]}))

    def test_what_was_answered_can_be_handed_back(self) -> None:
        raw = {"id": "p", "topology": "SINGLE", "agents": [], "steps": [], "source": "user", "criticalPath": [], "warnings": [], "later": 1}
        plan = decode(Plan, raw)
        self.assertIs(encode(plan, FREE_FORM), raw)
        step = PlanStep("step-1", "x", "agent-1", "worker", (), (), ("done",), (), 5, "read", 1)
        sent = encode(replace(plan, steps=(step,)), FREE_FORM)
        self.assertEqual((sent["steps"][0]["dependsOn"], sent["steps"][0]["maxTries"], sent["criticalPath"]), ([], 1, []))

    def test_memories_and_agents_keep_the_names_of_their_callers(self) -> None:
        sender = Sender(Settings.read(None, None, 1, 0))
        body = play(AgentCalls(sender, []).create("A", output_schema={"required_keys": []}, max_output_tokens=3), [answer(201)]).sent[0]
        self.assertTrue(body.endswith(b'{"name": "A", "outputSchema": {"required_keys": []}, "maxOutputTokens": 3}'))
        body = play(MemoryCalls(sender, []).query("q", as_of="t", scope={"run_id": "r"}), [answer(200)]).sent[0]
        self.assertTrue(body.endswith(b'{"query": "q", "asOf": "t", "scope": {"runId": "r"}}'))


if __name__ == "__main__":
    unittest.main()
