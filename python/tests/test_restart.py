"""A server that dies in the middle of a run, and comes back."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any

from svc import AsyncServiceClient, ServiceClient
from tests.proxy import Proxy
from tests.support import Model, Server, has_result, text_of, until


class RestartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.hangs = threading.Event()
        self.free = threading.Event()

        def say(asked: dict[str, Any]) -> Any:
            if not has_result(asked):
                return {"calls": [("read_file", {"path": "notes.md"})]}
            if not self.free.is_set():
                self.hangs.set()
                self.free.wait(60)
            return "The crane is 40 years old."

        self.model = Model(say)
        self.addCleanup(self.model.close)
        self.server = Server(self.model)
        self.addCleanup(self.server.close)

    def restart(self) -> None:
        """Kills the server during the second model call, and starts it again."""
        self.assertTrue(self.hangs.wait(60))
        self.server.kill()
        self.free.set()
        self.server.start()

    def test_a_stream_goes_on_over_a_restart(self) -> None:
        threading.Thread(target=self.restart).start()
        with ServiceClient(self.server.url).stream("How old is the crane?", topology="SINGLE") as stream:
            events = list(stream)
        result = stream.result()
        self.assertEqual((result.status, result.summary), ("completed", "The crane is 40 years old."))
        numbers = [event.seq for event in events if event.seq is not None]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        types = [event.type for event in events]
        self.assertEqual((types.count("run.created"), types.count("run.recovered")), (1, 1))
        self.assertEqual(types.count("tool.completed"), 1)
        first = [asked for asked in self.model.asked if not has_result(asked)]
        self.assertEqual(len(first), 1, "a recorded call is not made again")

    def test_run_and_wait_go_on_over_a_restart(self) -> None:
        async def main() -> None:
            async with AsyncServiceClient(self.server.url, max_retries=16) as client:
                made = await client.runs.create("How old is the crane?", topology="SINGLE")
                ran, waited, _ = await asyncio.gather(
                    client.run("How old is the crane? Again", topology="SINGLE"),
                    client.runs.wait(made.id),
                    asyncio.to_thread(self.restart),
                )
                self.assertEqual((ran.status, waited.status), ("completed", "completed"))

        asyncio.run(main())

    def test_a_run_is_created_once_however_often_it_is_sent(self) -> None:
        self.free.set()
        self.server.kill()
        with Proxy(self.server.port) as proxy:

            def start() -> None:
                until(lambda: len(proxy.heads) > 1)
                self.server.start()

            threading.Thread(target=start).start()
            client = ServiceClient(proxy.url, max_retries=16)
            result = client.run("How old is the crane?", topology="SINGLE")
            self.assertEqual(result.status, "completed")
            self.assertEqual(len(client.runs.list()), 1)


if __name__ == "__main__":
    unittest.main()
