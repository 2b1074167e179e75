"""Every method against a real server, with both clients."""

from __future__ import annotations

import os
import threading
import unittest
from dataclasses import replace
from typing import Any, Callable
from unittest import mock

from svc import AsyncServiceClient, Complexity, ExecutionResult, MessageDelta, RunEvent, ServiceClient, SvcError
from svc._groups import AgentCalls, ApprovalCalls, MemoryCalls, RunCalls, ThreadCalls
from svc.events import RunCompleted
from tests.support import Cases, Server, has_result, text_of, until

ANSWER = "The crane is 40 years old."


class ClientCases(Cases):
    @staticmethod
    def say(asked: dict[str, Any]) -> Any:
        if has_result(asked):
            return ANSWER
        if "write it down" in text_of(asked):
            return {"calls": [("write_file", {"path": "age.txt", "content": "40\n"})]}
        return {"calls": [("read_file", {"path": "notes.md"})]}

    def setUp(self) -> None:
        self.client = self.make(base_url=self.server.url)

    def read(self, stream: Any) -> list[RunEvent]:
        """All events of a stream."""
        if not hasattr(stream, "__anext__"):
            return list(stream)

        async def collect() -> list[RunEvent]:
            return [event async for event in stream]

        return self.loop.run_until_complete(collect())

    def ended(self, task: str = "How old is the crane?", **options: Any) -> Any:
        return self.get(self.client.run(task, topology="SINGLE", **options))

    def test_a_run_is_a_result_with_plan_usage_and_what_the_server_sent(self: Any) -> None:
        result = self.ended(token_budget=30_000, tags=["crane"], metadata={"teamName": "blue"})
        self.assertIsInstance(result, ExecutionResult)
        self.assertEqual((result.status, result.summary), ("completed", ANSWER))
        self.assertEqual(result.allocation.total, 30_000)
        self.assertGreater(result.usage.input_tokens, 0)
        self.assertEqual(result.raw["runId"], result.run_id)
        run = self.get(self.client.runs.get(result.run_id, include=["result", "plan"]))
        self.assertEqual((run.tags, run.result["summary"], run.plan["topology"]), (("crane",), result.summary, "SINGLE"))
        created = self.read(self.client.runs.events(result.run_id))[0]
        self.assertEqual(created.data.options["metadata"], {"teamName": "blue"})
        with self.assertRaises(Exception):
            result.status = "failed"

    def test_runs_of_another_folder_are_read_where_all_are_asked_for(self: Any) -> None:
        result = self.ended()
        other = Server(env={"SVC_DATA_DIR": str(self.server.folder / "data")})
        self.addCleanup(other.close)
        client = self.make(base_url=other.url)
        runs = client.runs
        run_id = result.run_id
        self.assertEqual(list(self.get(runs.list())), [])
        listed = list(self.get(runs.list(all=True, limit=100)))
        self.assertIn((run_id, str(self.server.work)), [(run.id, run.space) for run in listed])
        for ask in (runs.get, runs.result, runs.usage, runs.trace, runs.export, runs.plan, runs.wait):
            with self.assertRaises(SvcError) as caught:
                self.get(ask(run_id))
            self.assertEqual(caught.exception.code, "run_not_found")
            self.assertIsNotNone(self.get(ask(run_id, all=True)))
        self.assertEqual(self.read(runs.events(run_id, all=True))[-1].type, "run.completed")
        self.assertEqual(self.get(runs.diff(run_id, run_id, all=True)).usage, ())
        self.assertIsNotNone(self.get(client.approvals.list(all=True)))
        thread = self.get(self.make(base_url=self.server.url).threads.create(title="of the first"))
        threads = client.threads
        self.assertEqual(list(self.get(threads.list())), [])
        self.assertIn(thread.id, [each.id for each in self.get(threads.list(all=True))])
        for ask in (threads.get, threads.messages):
            with self.assertRaises(SvcError) as caught:
                self.get(ask(thread.id))
            self.assertEqual(caught.exception.code, "thread_not_found")
            self.assertIsNotNone(self.get(ask(thread.id, all=True)))
        with self.assertRaises(SvcError):
            self.get(runs.fork(run_id, 1))

    def test_a_stream_has_each_event_once_in_order_and_the_result(self: Any) -> None:
        heard: list[RunEvent] = []
        stop = self.client.on_event(heard.append)
        stream = self.client.stream("How old is the crane?", topology="SINGLE")
        events = self.read(stream)
        stop()
        numbers = [event.seq for event in events if event.seq is not None]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertEqual(heard, events)
        deltas = [event.data.text for event in events if isinstance(event.data, MessageDelta)]
        self.assertEqual("".join(deltas), ANSWER)
        self.assertIsInstance(events[-1].data, RunCompleted)
        self.assertEqual(self.get(stream.result()).summary, ANSWER)
        self.assertEqual(self.read(stream), [])

    def test_a_handler_hears_the_events_of_run_and_may_raise(self: Any) -> None:
        heard: list[str] = []

        def fail(event: RunEvent) -> None:
            heard.append(event.type)
            raise RuntimeError("a handler's own")

        stop = self.client.on_event(fail)
        with self.assertLogs("svc", "ERROR"):
            result = self.ended()
        stop()
        stop()
        self.assertEqual(result.status, "completed")
        self.assertEqual((heard[0], heard[-1]), ("run.created", "run.completed"))
        count = len(heard)
        self.ended()
        self.assertEqual(len(heard), count)

    def test_a_plan_is_made_and_executed_as_it_is(self: Any) -> None:
        planned = self.get(self.client.plan("Read notes.md, then count its words", topology="SEQUENTIAL"))
        self.assertEqual(planned.plan.topology, "SEQUENTIAL")
        result = self.get(self.client.run("Read notes.md, then count its words", plan=planned.plan))
        self.assertEqual(result.plan, planned.plan)
        self.assertEqual(self.get(self.client.runs.plan(planned.run_id)), planned)

    def test_a_task_is_analyzed_without_a_model(self: Any) -> None:
        before = len(self.model.asked)
        complexity = self.get(self.client.analyze("Compare two databases and write a report", risk_level="high"))
        self.assertIsInstance(complexity, Complexity)
        self.assertTrue(0 <= complexity.score <= 1)
        self.assertEqual(len(self.model.asked), before)

    def test_a_run_of_its_own_is_created_waited_for_and_read(self: Any) -> None:
        runs = self.client.runs
        made = self.get(runs.create("How old is the crane?", topology="SINGLE", idempotency_key=self.id()))
        again = self.get(runs.create("How old is the crane?", topology="SINGLE", idempotency_key=self.id()))
        self.assertEqual(made.id, again.id)
        run = self.get(runs.wait(made.id, 60))
        self.assertEqual(run.status, "completed")
        self.assertEqual(self.get(runs.wait(made.id)).status, "completed")
        self.assertEqual(self.get(runs.result(made.id)).summary, ANSWER)
        costs = self.get(runs.costs(per="month", by="model", utc_offset_minutes=60, from_="2024-01-01T00:00:00.000Z"))
        self.assertEqual((costs.per, costs.utc_offset_minutes), ("month", 60))
        self.assertGreaterEqual(costs.data[0].runs, 1)
        self.assertEqual(self.get(runs.costs(to="2020-01-01T00:00:00.000Z")).data, ())
        self.assertGreaterEqual(self.get(runs.summary(status=["completed"])).total, 1)
        events = self.read(runs.events(made.id, after=3))
        numbered = [event.seq for event in events if event.seq is not None]
        self.assertEqual(numbered, list(range(4, run.last_seq + 1)))
        self.assertEqual(self.read(runs.events(made.id, after=run.last_seq)), [])
        some = self.read(runs.events(made.id, types=["stage.*", "run.completed"], deltas=False))
        self.assertEqual({event.type.split(".")[0] for event in some}, {"stage", "run"})
        self.assertTrue(self.read(runs.events(made.id, agent="agent-1")))
        usage = self.get(runs.usage(made.id))
        self.assertEqual(usage.total.input_tokens, sum(call.usage.input_tokens for call in usage.series))
        self.assertEqual(self.get(runs.trace(made.id)).spans[0].name, "invoke_workflow svc")
        self.assertIn(made.id.encode(), self.get(runs.export(made.id)))

    def test_runs_are_listed_forked_replayed_compared_and_removed(self: Any) -> None:
        runs = self.client.runs
        first = self.ended(tags=[self.id()])
        listed = self.get(runs.list(tag=self.id(), status="completed", limit=1))
        self.assertEqual([run.id for run in listed], [first.run_id])
        self.assertEqual([(run.status, run.verdict) for run in listed], [(first.status, first.verdict)])
        self.assertEqual((len(listed), listed.has_more), (1, False))
        page = self.get(runs.list(limit=1, order="asc"))
        self.get(runs.create("How old is it?", topology="SINGLE"))
        more = self.get(runs.list(limit=1, order="asc", after=page.data[0].id))
        self.assertNotEqual(page.data[0].id, more.data[0].id)
        self.assertTrue(self.get(runs.replay(first.run_id)).identical)
        forked = self.get(runs.fork(first.run_id, 3, edits={"task": "How old is the other crane?"}))
        self.assertEqual(forked.parent_run_id, first.run_id)
        self.get(runs.wait(forked.id))
        diff = self.get(runs.diff(first.run_id, forked.id))
        self.assertIsNotNone(diff.first_divergence)
        self.get(runs.delete(forked.id))
        with self.assertRaises(SvcError) as caught:
            self.get(runs.get(forked.id))
        self.assertEqual(caught.exception.code, "run_not_found")

    def test_a_person_approves_and_denies_what_a_tool_asks(self: Any) -> None:
        for word, status in (("approve", "approved"), ("deny", "denied"), ("edit", "approved"), ("scope", "approved")):
            with self.subTest(word):
                run = self.get(self.client.runs.create("How old is it? Please write it down", topology="SINGLE"))
                waiting = self.get(self.client.runs.wait(run.id, 60))
                self.assertEqual(waiting.status, "waiting")
                self.assertEqual([agent.status for agent in waiting.agents], ["waiting"])
                asked = waiting.waiting.approvals[0]
                self.assertEqual((asked.tool, asked.args), ("write_file", {"path": "age.txt", "content": "40\n"}))
                pending = self.get(self.client.approvals.list(status="pending"))
                self.assertIn(asked.id, [each.id for each in pending])
                got = self.get(self.client.approvals.get(asked.id))
                # Where a rule would be written is shown to who may write it, and is not in what the run says.
                self.assertEqual(replace(got, rules_file=None), asked)
                if word == "edit":
                    args = {"path": "age.txt", "content": "41\n"}
                    answered = self.get(self.client.approvals.resolve(asked.id, "edit", args=args))
                elif word == "scope":
                    self.assertEqual([offer.scope for offer in asked.offers], ["folder", "tool"])
                    with self.assertRaises(SvcError) as caught:
                        self.get(self.client.approvals.resolve(asked.id, "approve", remember="run", scope="prefix"))
                    self.assertEqual(caught.exception.code, "validation_failed")
                    answered = self.get(
                        self.client.approvals.resolve(asked.id, "approve", remember="run", scope="folder")
                    )
                else:
                    answered = self.get(getattr(self.client.approvals, word)(asked.id, note="as agreed"))
                self.assertEqual(answered.status, status)
                self.get(self.client.runs.wait(run.id, 60))
                if word == "edit":
                    self.assertEqual((self.server.work / "age.txt").read_text(), "41\n")

    def test_what_a_run_wrote_is_undone(self: Any) -> None:
        runs = self.client.runs
        file = self.server.work / "age.txt"
        file.write_text("unknown\n")
        run = self.get(runs.create("How old is it? Please write it down", topology="SINGLE"))
        asked = self.get(runs.wait(run.id, 60)).waiting.approvals[0]
        self.get(self.client.approvals.approve(asked.id))
        self.get(runs.wait(run.id, 60))
        shown = self.get(runs.undo(run.id, dry_run=True))
        self.assertEqual((shown.done, [each.path for each in shown.files]), (False, ["age.txt"]))
        file.write_text("mine\n")
        with self.assertRaises(SvcError) as caught:
            self.get(runs.undo(run.id))
        self.assertEqual(caught.exception.code, "files_changed")
        file.write_text("40\n")
        self.assertTrue(self.get(runs.undo(run.id)).done)
        self.assertEqual(file.read_text(), "unknown\n")

    def test_run_denies_at_once_what_asks_a_person(self: Any) -> None:
        result = self.ended("How old is it? Please write it down")
        self.assertGreaterEqual(result.tool_calls.denied, 1)

    def test_agents_are_created_listed_replaced_and_removed(self: Any) -> None:
        name = f"Reader {type(self).__name__}"
        made = self.get(self.client.create_agent(name, instructions="Be short.", budget={"max_steps": 3}))
        self.assertEqual((made.name, made.budget.max_steps), (name, 3))
        with self.assertRaises(SvcError) as caught:
            self.get(self.client.create_agent(name))
        self.assertEqual(caught.exception.code, "agent_exists")
        put = self.get(self.client.agents.put(made.id, name, role="reader", tool_policy={"read_file": "allow"}))
        self.assertEqual((put.role, put.tool_policy), ("reader", {"read_file": "allow"}))
        self.assertIn(made.id, [agent.id for agent in self.get(self.client.list_agents())])
        self.assertEqual(self.get(self.client.agents.get(made.id)), put)
        result = self.ended(agents=[made.id])
        self.assertEqual(result.agents[0].profile_id, made.id)
        self.get(self.client.agents.delete(made.id))
        self.assertNotIn(made.id, [agent.id for agent in self.get(self.client.agents.list())])

    def test_memories_are_written_found_listed_and_forgotten(self: Any) -> None:
        word = f"Oslo{type(self).__name__}"
        made = self.get(self.client.write_memory(f"The office is in {word}.", kind="fact", tags=["office"]))
        self.assertEqual((made.kind, made.trust, made.source.origin), ("fact", "trusted", "user"))
        found = self.get(self.client.query_memory(f"Where is {word}?", limit=3, scope={}))
        self.assertEqual(found.data[0].id, made.id)
        self.assertTrue(0 < found.data[0].score <= 1)
        listed = self.get(self.client.memory.list(layer="episodic"))
        self.assertIn(made.id, [record.id for record in listed])
        self.assertEqual(self.get(self.client.memory.get(made.id)).content, made.content)
        self.assertEqual(self.get(self.client.memory.update(made.id, tags=["moved"])).tags, ("moved",))
        self.assertEqual(self.get(self.client.memory.update(made.id, content="It moved.")).content, "It moved.")
        ended = self.get(self.client.memory.update(made.id, valid_to="2999-01-01T00:00:00.000Z"))
        self.assertEqual(ended.valid_to, "2999-01-01T00:00:00.000Z")
        self.assertIsNone(self.get(self.client.memory.update(made.id, valid_to=None)).valid_to)
        self.get(self.client.memory.delete(made.id))
        with self.assertRaises(SvcError):
            self.get(self.client.memory.get(made.id))

    def test_threads_hold_what_was_said(self: Any) -> None:
        threads = self.client.threads
        made = self.get(threads.create(title="A talk", metadata={"teamName": "blue"}))
        self.ended(thread_id=made.id)
        said = self.get(threads.messages(made.id))
        self.assertEqual([message.role for message in said], ["user", "assistant"])
        self.assertEqual(self.get(threads.messages(made.id, order="desc")), said[::-1])
        copied = self.get(threads.copy(made.id))
        self.assertEqual(len(self.get(threads.messages(copied.id))), 2)
        shorter = self.get(threads.copy(made.id, before=said[0].run_id))
        self.assertEqual(self.get(threads.messages(shorter.id)), [])
        changed = self.get(threads.update(made.id, title="Another", metadata={"size": 2}))
        self.assertEqual((changed.title, changed.metadata), ("Another", {"teamName": "blue", "size": 2}))
        self.assertEqual(self.get(threads.get(made.id)), changed)
        self.assertIn(made.id, [thread.id for thread in self.get(threads.list())])
        self.assertEqual([thread.id for thread in self.get(threads.list(order="activity", limit=1))], [made.id])
        self.get(threads.delete(made.id))

    def test_a_conversation_runs_tasks_that_know_of_each_other(self: Any) -> None:
        name = f"talk-{type(self).__name__}"
        thread = self.get(self.client.threads.create(id=name))
        self.assertEqual(thread.id, name)
        first = self.get(thread.run("How old is the crane?", topology="SINGLE", context="It stands in Oslo."))
        self.assertEqual(first.status, "completed")
        self.read(thread.stream("And the other one?", topology="SINGLE"))
        asked = self.model.asked[-1]["messages"]
        turns = [(message["role"], str(message["content"])) for message in asked if message["role"] != "system"]
        self.assertEqual([role for role, _ in turns[:3]], ["user", "assistant", "user"])
        self.assertIn("It stands in Oslo.", turns[0][1])
        self.assertEqual([text for _, text in turns[1:3]], [ANSWER, "And the other one?"])
        said = self.get(thread.messages())
        self.assertEqual([(each.role, each.status) for each in said], [("user", None), ("assistant", None)] * 2)
        self.assertEqual(said[0].context, "It stands in Oslo.")
        self.assertEqual(self.get(thread.messages(order="desc")), said[::-1])
        self.assertEqual(len(self.get(self.get(self.client.threads.get(name)).messages())), 4)
        with self.assertRaises(SvcError) as caught:
            self.get(self.client.threads.create(id=name))
        self.assertEqual(caught.exception.code, "thread_exists")

    def test_the_server_says_how_it_does(self: Any) -> None:
        health = self.get(self.client.health())
        self.assertEqual((health.status, health.provider), ("ok", "mine"))
        self.assertIn("svc_runs_total", self.get(self.client.metrics()))
        self.assertIn(self.get(self.client.inspect()).grade, ("healthy", "degraded", "unhealthy"))

    def test_what_begins_and_ends_is_watched(self: Any) -> None:
        stream = self.client.runs.watch()
        step: Callable[[], Any] = stream.__anext__ if hasattr(stream, "__anext__") else stream.__next__
        other = ServiceClient(self.server.url)

        def is_watched() -> bool:
            return "svc_sse_clients 0" not in other.metrics()

        def run() -> None:
            until(is_watched)
            other.run("How old is the crane?", topology="SINGLE")

        until(lambda: not is_watched())
        threading.Thread(target=run).start()
        event = self.get(step())
        self.assertEqual(event.type, "run.created")
        while self.get(step()).type != "run.completed":
            pass
        self.get(stream.close())

    def test_environment_and_arguments_make_the_client(self: Any) -> None:
        with mock.patch.dict(os.environ, {"SVC_URL": self.server.url, "SERVICE_API_KEY": "of-the-environment"}):
            client = self.make()
            self.assertEqual(self.get(client.health()).status, "ok")
            self.assertIn(self.server.url, repr(client))
            self.assertNotIn("of-the-environment", repr(client) + repr(vars(client)))
        for wrong in ({"base_url": "localhost:4000"}, {"timeout": 0}, {"max_retries": -1}, {"api_key": "a\r\nb"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.make(**wrong)

    def test_a_closed_client_sends_nothing(self: Any) -> None:
        client = self.make(base_url=self.server.url)
        self.get(client.close())
        with self.assertRaises(SvcError) as caught:
            self.get(client.health())
        self.assertEqual(caught.exception.code, "not_connected")

    def test_an_id_leads_nowhere_else(self: Any) -> None:
        for wrong in ("..", ".", ""):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.get(self.client.runs.get(wrong))
        with self.assertRaises(SvcError) as caught:
            self.get(self.client.runs.get("../health?x=1#"))
        self.assertEqual(caught.exception.status_code, 400)


class GroupsTest(unittest.TestCase):
    def test_what_can_be_asked_can_be_asked_with_both_clients(self) -> None:
        for client in (ServiceClient(base_url="http://127.0.0.1:1"), AsyncServiceClient(base_url="http://127.0.0.1:1")):
            for group, calls in (
                ("runs", RunCalls),
                ("approvals", ApprovalCalls),
                ("agents", AgentCalls),
                ("memory", MemoryCalls),
                ("threads", ThreadCalls),
            ):
                asked = {name for name in vars(calls) if not name.startswith("_")}
                self.assertEqual(asked - set(dir(getattr(client, group))), set(), group)


class BlockingClientTest(ClientCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return ServiceClient(**options)


class AsyncClientTest(ClientCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return AsyncServiceClient(**options)


if __name__ == "__main__":
    unittest.main()
