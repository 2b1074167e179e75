"""A server that dies in the middle of a run, and comes back."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any

from svc import AsyncServiceClient
from tests.support import Model, Server, has_result


class RestartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.hangs = threading.Semaphore(0)
        self.free = threading.Event()

        def say(asked: dict[str, Any]) -> Any:
            if not has_result(asked):
                return {"calls": [("read_file", {"path": "notes.md"})]}
            if not self.free.is_set():
                self.hangs.release()
                self.free.wait(60)
            return "The crane is 40 years old."

        self.model = Model(say)
        self.addCleanup(self.model.close)
        self.server = Server(self.model)
        self.addCleanup(self.server.close)

    def restart(self) -> None:
        """Kills the server during the second model call of both runs, and starts it again."""
        for _ in range(2):
            self.assertTrue(self.hangs.acquire(timeout=60))
        self.server.kill()
        self.free.set()
        self.server.start()


    def test_a_stream_and_a_run_that_is_waited_for_go_on_over_a_restart(self) -> None:
        async def main() -> None:
            async with AsyncServiceClient(self.server.url, max_retries=16) as client:
                made = await client.runs.create("How old is the crane?", topology="SINGLE")
                waiting = asyncio.create_task(client.runs.wait(made.id))
                threading.Thread(target=self.restart).start()
                async with client.stream("How old is the crane? Again", topology="SINGLE") as stream:
                    events = [event async for event in stream]
                result = await stream.result()
                self.assertEqual((result.summary, (await waiting).status), ("The crane is 40 years old.", "completed"))
                numbers = [event.seq for event in events if event.seq is not None]
                self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
                types = [event.type for event in events]
                self.assertEqual([types.count(f"run.{what}") for what in ("created", "recovered")], [1, 1])
                first = [asked for asked in self.model.asked if not has_result(asked)]
                self.assertEqual(len(first), 2, "a recorded call is not made again")

        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
