"""What asyncio is for: cancelling, waiting for many, limits of time."""

from __future__ import annotations

import asyncio
import signal
import threading
import unittest
from typing import Any

from svc import AsyncServiceClient, ServiceClient
from svc._async_client import within
from tests.proxy import Proxy, is_stream
from tests.support import Model, Server, becomes, until


class AsyncTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.free = threading.Event()

        def say(asked: dict[str, Any]) -> str:
            cls.free.wait(60)
            return "The answer is 42."

        cls.model = Model(say)
        cls.server = Server(cls.model)
        cls.direct = ServiceClient(cls.server.url)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.free.set()
        cls.server.close()
        cls.model.close()

    def setUp(self) -> None:
        self.free.clear()

    def assert_cancelled(self, tag: str) -> None:
        until(lambda: len(self.direct.runs.list(tag=tag)) == 1)
        [run] = self.direct.runs.list(tag=tag)
        self.assertEqual(self.direct.runs.wait(run.id, 60).status, "cancelled")
        until(lambda: "svc_sse_clients 0" in self.direct.metrics())

    async def begun(self, tag: str) -> None:
        """Waits until the model is asked for the run of a tag."""
        client = AsyncServiceClient(self.server.url)

        async def is_running() -> bool:
            return any(run.status == "running" for run in await client.runs.list(tag=tag))

        await becomes(is_running)

    def test_cancelling_a_task_cancels_its_run_and_closes_its_connection(self) -> None:
        async def main() -> None:
            async with AsyncServiceClient(self.server.url) as client:
                task = asyncio.create_task(client.run("What is 6 times 7?", topology="SINGLE", tags=[self.id()]))
                await self.begun(self.id())
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        asyncio.run(main())
        self.assert_cancelled(self.id())

    def test_a_run_is_cancelled_also_when_its_creation_was_not_answered_yet(self) -> None:
        async def main() -> None:
            gate = threading.Event()

            def hold() -> float:
                gate.wait(60)
                return 0

            with Proxy(self.server.port, delay=hold) as proxy:
                client = AsyncServiceClient(proxy.url)
                task = asyncio.create_task(client.run("What is 6 times 7?", topology="SINGLE", tags=[self.id()]))
                await self.begun(self.id())
                task.cancel()
                await asyncio.sleep(0)
                gate.set()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        asyncio.run(main())
        self.assert_cancelled(self.id())

    def test_cancelling_one_who_follows_a_run_does_not_cancel_it(self) -> None:
        async def main() -> None:
            async with AsyncServiceClient(self.server.url) as client:
                made = await client.runs.create("What is 6 times 7?", topology="SINGLE")

                following = asyncio.Event()

                async def follow() -> None:
                    async for _ in client.runs.events(made.id):
                        following.set()

                tasks = [asyncio.create_task(follow()), asyncio.create_task(client.runs.wait(made.id))]
                await following.wait()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self.free.set()
                self.assertEqual((await client.runs.wait(made.id)).status, "completed")

        asyncio.run(main())

    def test_the_loop_is_never_blocked(self) -> None:
        async def main() -> None:
            loop = asyncio.get_running_loop()
            blocked: list[BaseException] = []

            def turn() -> float:
                """Nothing is answered before the loop has turned, so that a client that blocks it waits for itself."""
                turned = threading.Event()
                loop.call_soon_threadsafe(turned.set)
                if not turned.wait(10):
                    blocked.append(AssertionError("the loop does not turn while the client waits"))
                return 0

            with Proxy(self.server.port, delay=turn, cut=lambda head: 900 if is_stream(head) else None) as proxy:
                client = AsyncServiceClient(proxy.url)
                run = asyncio.create_task(client.run("What is 6 times 7?", topology="SINGLE"))
                await becomes(lambda: sum(map(is_stream, proxy.heads)) > 1)
                run.cancel()
                await asyncio.gather(run, return_exceptions=True)
            self.assertEqual(blocked, [])

        asyncio.run(main())


class CancellationTest(unittest.TestCase):
    def test_a_cancellation_is_not_lost_when_the_result_comes_with_it(self) -> None:
        async def main(turns: int) -> None:
            future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

            async def read() -> int:
                return await future

            task = asyncio.ensure_future(within(read(), 10))
            for _ in range(3):
                await asyncio.sleep(0)
            future.set_result(1)
            for _ in range(turns):
                await asyncio.sleep(0)
            if task.cancel():
                with self.assertRaises(asyncio.CancelledError):
                    await task

        for turns in range(6):
            with self.subTest(turns):
                asyncio.run(main(turns))


class InterruptTest(unittest.TestCase):
    def test_ctrl_c_cancels_the_run_of_the_blocking_client(self) -> None:
        free = threading.Event()
        model = Model(lambda asked: "The answer is 42." if free.wait(60) else "")
        self.addCleanup(model.close)
        self.addCleanup(free.set)
        server = Server(model)
        self.addCleanup(server.close)
        client = ServiceClient(server.url)

        main = threading.main_thread().ident or 0

        def interrupt() -> None:
            until(lambda: len(model.asked) > 0)
            signal.pthread_kill(main, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with self.assertRaises(KeyboardInterrupt):
            client.run("What is 6 times 7?", topology="SINGLE")
        [run] = client.runs.list()
        self.assertEqual(client.runs.wait(run.id, 60).status, "cancelled")


if __name__ == "__main__":
    unittest.main()
