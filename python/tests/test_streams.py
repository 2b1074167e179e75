"""Streams over connections that are cut, delayed and repeated."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Optional

from svc import AsyncServiceClient, MessageDelta, MessageReset, MessageSnapshot, RunEvent, ServiceClient
from tests.proxy import Proxy, is_stream, seeded, shift_cursor
from tests.support import IS_NIGHTLY, Model, Server, has_result, text_of, until

SEED = int(os.environ.get("SVC_SEED") or 1)
CUTS = 1_000 if IS_NIGHTLY else 24
WORKERS = 8
WORDS = " ".join(f"word{i}" for i in range(40))


def numbers(events: list[RunEvent]) -> list[int]:
    return [event.seq for event in events if event.seq is not None]


def pieces(events: list[RunEvent]) -> dict[Optional[str], str]:
    """The text of each model call, put together from its pieces alone."""
    texts: dict[Optional[str], str] = {}
    for event in events:
        if isinstance(event.data, MessageDelta):
            texts[event.call_id] = texts.get(event.call_id, "") + event.data.text
    return texts


def messages(events: list[RunEvent]) -> dict[Optional[str], str]:
    """The text of each model call that has one, as it was at its end."""
    ended = {event.call_id: event.raw["data"]["content"] for event in events if event.type == "message.completed"}
    texts = {call: "".join(part.get("text", "") for part in content) for call, content in ended.items()}
    return {call: text for call, text in texts.items() if text}


class StreamsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        def say(asked: dict[str, Any]) -> Any:
            if "17*23" in text_of(asked):
                return "17*23 = 391." if "392" in text_of(asked) else "17*23 = 392."
            if "Hold on" in text_of(asked):
                cls.free.wait(60)
            return WORDS if has_result(asked) else {"calls": [("read_file", {"path": "notes.md"})]}

        cls.free = threading.Event()
        cls.model = Model(say, piece_delay=0.01)
        cls.server = Server(cls.model)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.free.set()
        cls.server.close()
        cls.model.close()

    def check(self, events: list[RunEvent], result: Any, is_own: bool = True) -> None:
        """Nothing is lost and nothing comes twice: the stream is the log, and pieces of texts make the texts."""
        direct = ServiceClient(self.server.url)
        log = [event for event in direct.runs.events(result.run_id) if event.seq is not None]
        self.assertEqual(numbers(events), list(range(1, len(log) + 1)))
        self.assertEqual([event for event in events if event.seq is not None], log)
        self.assertEqual(result, direct.runs.result(result.run_id))
        if is_own:
            self.assertEqual(pieces(events), messages(log))

    def test_a_thousand_cuts_lose_nothing_and_double_nothing(self) -> None:
        chance = seeded(SEED)
        lock = threading.Lock()

        def cut(head: bytes) -> Optional[int]:
            with lock:
                return int(chance.expovariate(1 / 10_000)) if is_stream(head) else None

        def cursor(number: int) -> int:
            with lock:
                return number - chance.choice((0, 0, 1, 3, 10))

        def delay() -> float:
            with lock:
                return chance.choice((0.0, 0.0, 0.0, 0.02))

        with Proxy(self.server.port, cut, delay, shift_cursor(cursor)) as proxy:
            client = ServiceClient(proxy.url)

            def stream(worker: int) -> None:
                while proxy.cuts < CUTS:
                    with client.stream(f"How old is the crane? {worker}", topology="SINGLE") as stream:
                        events = list(stream)
                    self.check(events, stream.result())

            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(stream, range(WORKERS)))
            self.assertGreaterEqual(proxy.cuts, CUTS)

    def test_numbers_that_are_left_out_are_asked_for_again(self) -> None:
        chance = seeded(SEED + 3)
        direct = ServiceClient(self.server.url)
        run = direct.runs.wait(direct.runs.create("How old is the crane?", topology="SINGLE").id, 60)
        cut = lambda head: int(chance.expovariate(1 / 30_000)) if is_stream(head) else None  # noqa: E731
        leave_out = shift_cursor(lambda number: number + chance.choice((0, 1, 3, -2)))
        with Proxy(self.server.port, cut, rewrite=leave_out) as proxy:
            for _ in range(2):
                self.check(list(ServiceClient(proxy.url).runs.events(run.id)), direct.runs.result(run.id), is_own=False)

    def test_a_stream_that_is_opened_while_the_model_speaks_or_after_it_has_every_piece(self) -> None:
        direct = ServiceClient(self.server.url)

        def hold_back(types: tuple[str, ...]) -> Callable[[bytes], bytes]:
            def rewrite(head: bytes) -> bytes:
                found = re.search(r"/v1/runs/(\w+)/events", head.decode())
                if found is not None:
                    with direct.runs.events(found.group(1)) as events:
                        for event in events:
                            if event.type in types and event.raw["data"].get("content") != []:
                                break
                return head

            return rewrite

        async def stream(url: str) -> tuple[list[RunEvent], Any]:
            async with AsyncServiceClient(url).stream("How old is the crane?", topology="SINGLE") as stream:
                return [event async for event in stream], await stream.result()

        for types in (("message.delta", "message.snapshot"), ("run.completed",)):
            with self.subTest(types), Proxy(self.server.port, rewrite=hold_back(types)) as proxy:
                with ServiceClient(proxy.url).stream("How old is the crane?", topology="SINGLE") as blocking:
                    self.check(list(blocking), blocking.result())
                self.check(*asyncio.run(stream(proxy.url)))

    def test_what_a_reader_puts_together_is_the_answer_whatever_was_taken_back(self) -> None:
        client = ServiceClient(self.server.url)
        seen: list[str] = []

        def put_together(events: Iterable[RunEvent]) -> str:
            text = ""
            for event in events:
                if isinstance(event.data, MessageReset):
                    seen.append(text)
                    text = ""
                elif isinstance(event.data, MessageDelta):
                    text += event.data.text
                elif isinstance(event.data, MessageSnapshot):
                    text = event.data.text_so_far
            return text

        with client.stream("Work out 17*23", topology="SINGLE") as stream:
            text = put_together(stream)
        result = stream.result()
        self.assertEqual((seen, text, result.summary), (["17*23 = 392."], "17*23 = 391.", "17*23 = 391."))
        self.assertEqual(put_together(client.runs.events(result.run_id)), result.summary)
        last = len([event for event in client.runs.events(result.run_id) if event.seq is not None])
        self.assertEqual(put_together(client.runs.events(result.run_id, after=last - 1)), result.summary)

    def test_asyncio_resumes_too_and_run_survives_cuts(self) -> None:
        chance = seeded(SEED + 1)
        with Proxy(self.server.port, lambda head: int(chance.expovariate(1 / 10_000)) if is_stream(head) else None) as proxy:

            async def stream(client: AsyncServiceClient, number: int) -> tuple[list[RunEvent], Any]:
                async with client.stream(f"How old is the crane? {number}", topology="SINGLE") as stream:
                    return [event async for event in stream], await stream.result()

            async def main() -> None:
                async with AsyncServiceClient(proxy.url) as client:
                    done = await asyncio.gather(*(stream(client, number) for number in range(4)))
                    for events, result in done:
                        self.check(events, result)
                    ran = await client.run("How old is the crane?", topology="SINGLE")
                    self.assertEqual(ran.summary, WORDS)

            asyncio.run(main())
            self.assertGreater(proxy.cuts, 4)

    def test_leaving_a_stream_cancels_its_run_and_leaving_events_does_not(self) -> None:
        client = ServiceClient(self.server.url)
        with client.stream("Hold on: how old is the crane?", topology="SINGLE") as stream:
            run_id = next(stream).run_id
        self.assertEqual(client.runs.wait(run_id, 60).status, "cancelled")
        until(lambda: "svc_sse_clients 0" in client.metrics())
        run = client.runs.create("How old is the crane?", topology="SINGLE")
        with client.runs.events(run.id) as events:
            next(events)
        self.assertEqual(client.runs.wait(run.id, 60).status, "completed")

    def test_a_loop_that_was_left_goes_on(self) -> None:
        client = ServiceClient(self.server.url)
        stream = client.stream("How old is the crane?", topology="SINGLE")
        events = []
        for event in stream:
            events.append(event)
            if event.type == "model.started":
                break
        events += list(stream)
        self.check(events, stream.result())

    def test_events_whose_texts_were_cut_are_handed_on_whole(self) -> None:
        answer = "é" * 20_000
        model = Model(lambda asked: answer)
        limits = {"requestsPerMinute": 1_000_000, "payloadBytes": 2_048}
        server = Server(model, config={"server": {"limits": limits}})
        try:
            client = ServiceClient(server.url)
            with client.stream("Say much.", topology="SINGLE") as stream:
                events = list(stream)
                result = stream.result()
            self.assertEqual(result.summary, answer)
            self.assertEqual(events[-1].raw["data"]["result"]["summary"], answer)
            self.assertEqual("".join(event.data.text for event in events if isinstance(event.data, MessageDelta)), answer)
            self.assertTrue(all(event.ref is None and event.cut is None for event in events))
            self.assertEqual(client.run("Say much.", topology="SINGLE").summary, answer)
        finally:
            server.close()
            model.close()

    def test_a_log_with_a_hole_is_not_read_for_ever(self) -> None:
        with Proxy(self.server.port, rewrite=shift_cursor(lambda number: number + 1)) as proxy:
            client = ServiceClient(proxy.url)
            run = ServiceClient(self.server.url).run("How old is the crane?", topology="SINGLE")
            with self.assertRaises(Exception) as caught:
                list(client.runs.events(run.run_id, after=3))
            self.assertEqual(getattr(caught.exception, "code", ""), "event_gap")



if __name__ == "__main__":
    unittest.main()
