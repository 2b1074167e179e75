"""Approvals answered by a function of the caller, with both clients."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from svc import Approval, AsyncServiceClient, Decision, ServiceClient
from tests.support import Cases, has_result

ARGS = {"path": "age.txt", "content": "40\n"}


class ApprovalCases(Cases):
    @staticmethod
    def say(asked: dict[str, Any]) -> Any:
        return "It is written." if has_result(asked) else {"calls": [("write_file", ARGS)]}

    def setUp(self) -> None:
        self.file = self.server.work / "age.txt"
        self.file.unlink(missing_ok=True)
        self.direct = ServiceClient(self.server.url)

    def ended(self, on_approval: Any, **options: Any) -> Any:
        return self.get(self.make().run("Write down how old it is", topology="SINGLE", on_approval=on_approval, **options))

    def test_a_decision_approves_denies_and_edits(self: Any) -> None:
        asked: list[Approval] = []

        def answer(decision: Any) -> Any:
            def on_approval(approval: Approval) -> Any:
                asked.append(approval)
                return decision

            return on_approval

        changed = {"path": "age.txt", "content": "41\n"}
        for decision, written in (
            (Decision("approve"), "40\n"),
            ({"decision": "approve", "remember": "run"}, "40\n"),
            (Decision("approve", remember="run", scope="folder"), "40\n"),
            (Decision("edit", args=changed), "41\n"),
            ({"decision": "edit", "args": changed}, "41\n"),
            (Decision("deny", note="not today"), None),
        ):
            with self.subTest(decision):
                self.file.unlink(missing_ok=True)
                result = self.ended(answer(decision))
                self.assertEqual(self.file.read_text() if self.file.exists() else None, written)
                self.assertEqual(result.tool_calls.denied > 0, written is None)
        self.assertEqual([(each.tool, each.args) for each in asked], [("write_file", ARGS)] * 6)
        self.assertIn("not today", str([warning.message for warning in result.warnings]))

    def test_what_raises_or_is_no_decision_denies_and_its_error_is_seen(self: Any) -> None:
        def fails(_: Approval) -> Any:
            raise LookupError("the chat is down")

        for on_approval, said in (
            (fails, "the chat is down"),
            (lambda _: True, "must return a Decision or a dict, not bool"),
            (lambda _: {"decision": "perhaps"}, "/decision"),
            (lambda _: Decision("edit", args=object()), "not JSON serializable"),
            (lambda _: next(iter(())), "StopIteration"),
        ):
            with self.subTest(said), self.assertLogs("svc", "ERROR") as logged:
                result = self.ended(on_approval)
                self.assertFalse(self.file.exists())
                self.assertGreater(result.tool_calls.denied, 0)
                [warning] = [each.message for each in result.warnings if each.code == "approval_denied"]
                self.assertIn("on_approval failed: ", warning)
                self.assertIn(said, warning)
                self.assertIn(said, "".join(logged.output))

    def test_a_client_answers_for_all_its_runs_and_streams_unless_one_says_otherwise(self: Any) -> None:
        client = self.make(on_approval=lambda _: Decision("approve"))
        self.get(client.run("Write it down", topology="SINGLE"))
        self.assertTrue(self.file.exists())
        for options in ({"approval": "deny"}, {"on_approval": lambda _: Decision("deny")}):
            self.file.unlink(missing_ok=True)
            result = self.get(client.run("Write it down", topology="SINGLE", **options))
            self.assertEqual((self.file.exists(), result.tool_calls.denied > 0), (False, True))

    def test_a_stream_shows_the_question_before_it_is_answered(self: Any) -> None:
        seen: list[str] = []

        def on_approval(approval: Approval) -> Decision:
            seen.append(f"asked {approval.tool}")
            return Decision("approve")

        client = self.make()
        client.on_event(lambda event: seen.append(event.type))
        stream = client.stream("Write it down", topology="SINGLE", on_approval=on_approval)
        self.assertEqual(self.get(stream.result()).tool_calls.total, 1)
        at = seen.index("asked write_file")
        self.assertEqual(seen[at - 1], "approval.requested")
        self.assertIn("approval.resolved", seen[at:])
        self.assertTrue(self.file.exists())

    def test_a_question_that_somebody_else_answers_first_is_left(self: Any) -> None:
        def on_approval(approval: Approval) -> Decision:
            self.direct.approvals.deny(approval.id, note="by another")
            return Decision("approve")

        result = self.ended(on_approval)
        self.assertEqual((self.file.exists(), result.tool_calls.denied > 0), (False, True))


class BlockingTest(ApprovalCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return ServiceClient(self.server.url, **options)

    def test_ctrl_c_in_the_function_cancels_the_run(self) -> None:
        def on_approval(_: Approval) -> Decision:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.ended(on_approval, tags=["ctrl-c"])
        [run] = self.direct.runs.list(tag="ctrl-c")
        self.assertEqual(self.direct.runs.wait(run.id, 60).status, "cancelled")


class AsyncTest(ApprovalCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return AsyncServiceClient(self.server.url, **options)

    def test_the_function_may_await(self) -> None:
        async def on_approval(_: Approval) -> Decision:
            await asyncio.sleep(0)
            return Decision("approve")

        self.assertEqual(self.ended(on_approval).tool_calls.denied, 0)
        self.assertTrue(self.file.exists())

    def test_cancelling_the_task_while_the_function_waits_cancels_the_run(self) -> None:
        async def main() -> None:
            asked = asyncio.Event()

            async def on_approval(_: Approval) -> Decision:
                asked.set()
                await asyncio.Event().wait()
                return Decision("approve")

            client = AsyncServiceClient(self.server.url)
            task = asyncio.create_task(
                client.run("Write it down", topology="SINGLE", on_approval=on_approval, tags=["left"])
            )
            await asked.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        self.loop.run_until_complete(main())
        [run] = self.direct.runs.list(tag="left")
        self.assertEqual(self.direct.runs.wait(run.id, 60).status, "cancelled")


if __name__ == "__main__":
    unittest.main()
