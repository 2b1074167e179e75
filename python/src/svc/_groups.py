"""The methods of `client.runs`, `approvals`, `agents`, `memory` and `threads`, each once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

from svc._calls import Calls, ClientCalls, Page, RunResult, to_body, to_key, to_query, to_result
from svc._flow import Flow
from svc._pieces import Pieces
from svc._questions import OnApprovalAsync, OnInput
from svc._sender import Request, path
from svc.types import (
    AgentProfile,
    Approval,
    ApprovalStatus,
    ExecutionResult,
    GrantScope,
    Layer,
    MemoryRecord,
    MemoryResult,
    Mode,
    Plan,
    PlanResult,
    ReplayResult,
    Run,
    RunMessage,
    RunCosts,
    RunDiff,
    RunSummary,
    RunTrace,
    RunUsage,
    Thread,
    ThreadMessage,
    UndoResult,
)

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    from svc.types import AgentOptions, ForkEdits, MemoryChange, MemoryOptions, MemoryQueryOptions, RunFilters, RunOptions

_POLL = 30.0
"""Longest wait of one request, in seconds."""
_ENDED = frozenset(("completed", "incomplete", "failed", "cancelled"))


class RunCalls(Calls):
    """Runs of now and before."""

    def create(
        self,
        task: str,
        *,
        mode: Optional[Mode] = None,
        thread_id: Optional[str] = None,
        plan: Union[Plan, Mapping[str, Any], None] = None,
        idempotency_key: Optional[str] = None,
        **options: Unpack[RunOptions],
    ) -> Flow[Run]:
        """
        Records a run and returns at once. It goes on without this client, and waits for a person where a tool asks.

        :param mode: `execute` (the default), `plan` or `analyze`
        :param idempotency_key: calls with the same key within 24 hours make one run; default a new one
        """
        body = to_body(**options, task=task, mode=mode, thread_id=thread_id, plan=plan)
        return self._ask(Run, "POST", "v1", "runs", body=body, key=to_key(idempotency_key))

    def get(
        self, run_id: str, *, include: Sequence[Literal["result", "usage", "plan"]] = (), all: bool = False
    ) -> Flow[Run]:
        """Shows a run of the server's folder, with `all` of any; `include` adds what is left out."""
        return self._get(Run, "v1", "runs", run_id, include=include or None, all=all or None)

    def list(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        **filters: Unpack[RunFilters],
    ) -> Flow[Page[Run]]:
        """
        A page of runs of the server's folder, the newest first. `q` is part of the task or the answer; `limit` 1 to 100, default 20.

        `all` lists those of other folders too, which share its store; other methods that take `all` read them.
        """
        return self._page(Run, "v1", "runs", **filters, limit=limit, after=after, order=order)

    def summary(self, **filters: Unpack[RunFilters]) -> Flow[RunSummary]:
        """How many runs a list with these filters has, and their durations, tokens and cost together."""
        return self._get(RunSummary, "v1", "runs-summary", **filters)

    def costs(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        per: Optional[Literal["day", "week", "month"]] = None,
        by: Optional[Literal["model", "folder"]] = None,
        utc_offset_minutes: Optional[int] = None,
        space: Optional[str] = None,
        all: bool = False,
    ) -> Flow[RunCosts]:
        """
        What runs took, by period and by model or folder. A run counts in the period in which it was asked for.

        :param from_: ISO time: of runs that were asked for from then on; default the first
        :param to: ISO time: of runs that were asked for before then; default now
        :param per: default `day`
        :param by: default `model`
        :param utc_offset_minutes: whose calendar counts: minutes ahead of UTC, default 0
        :param space: only of this folder; of another one than the server's only with `all`
        :param all: also of other folders that share the store
        """
        query = {
            "from": from_,
            "to": to,
            "per": per,
            "by": by,
            "utc_offset_minutes": utc_offset_minutes,
            "space": space,
            "all": all or None,
        }
        return self._get(RunCosts, "v1", "costs", **query)

    def wait(self, run_id: str, seconds: Optional[float] = None, *, all: bool = False) -> Flow[Run]:
        """The run once it has ended or waits for a person, or as it is after so many seconds. Default: no limit."""
        end = float("inf") if seconds is None else time.monotonic() + seconds
        longest = min(_POLL, self.sender.settings.timeout / 2)
        while True:
            left = min(longest, max(0.0, end - time.monotonic()))
            query = {"wait": int(left * 1000), "include": ["result"], "all": all or None}
            run = yield from self._get(Run, "v1", "runs", run_id, **query)
            if run.status in _ENDED or run.status == "waiting" or time.monotonic() >= end:
                return run

    def result(self, run_id: str, *, all: bool = False) -> Flow[RunResult]:
        """What a run returned, by its mode. Raises `run_not_finished` (425) before its end."""
        reply = yield from self.sender.send(Request("GET", path("v1", "runs", run_id, "result"), to_query({"all": all or None})))
        return to_result(reply.json)

    def events(
        self,
        run_id: str,
        *,
        after: int = 0,
        types: Sequence[str] = (),
        agent: Optional[str] = None,
        deltas: bool = True,
        all: bool = False,
    ) -> Flow[None]:
        """
        Yields the events of a run until it ends, each kept one once and in order. Leaving does not cancel the run.

        Of a message that is being said already, `message.snapshot` has the text so far.

        :param after: number of the last event that is known
        :param types: names of types, `tool.*` for all of a noun; default all
        :param agent: only those of this agent
        :param deltas: false: without the pieces of answers
        """
        query = to_query(
            {"types": types or None, "agent": agent, "deltas": None if deltas else False, "all": all or None}
        )
        where = path("v1", "runs", run_id, "events")
        request = Request("GET", where, query, accepts="text/event-stream", last_event_id=after)
        pieces = Pieces(may_miss=False) if deltas and not types else None
        yield from self.sender.follow(request, is_whole=not types and agent is None, pieces=pieces)

    def watch(self, *, all: bool = False) -> Flow[None]:
        """Yields what begins, waits and ends from now on (`run.*`), of the runs of the server. It has no end."""
        request = Request("GET", "/v1/events", to_query({"all": all or None}), accepts="text/event-stream")
        yield from self.sender.follow(request, has_end=False)

    def cancel(self, run_id: str, reason: Optional[str] = None) -> Flow[Run]:
        """Asks a run to end. One that has ended is returned as it is."""
        body = to_body(reason=reason)
        return self._ask(Run, "POST", "v1", "runs", run_id, "cancel", body=body, is_safe=True)

    def steer(self, run_id: str, text: str) -> Flow[RunMessage]:
        """
        Says something to a run at work: its agents read it before their next model calls.

        :raises ConflictError: `invalid_transition` for a run that has ended, or that has no agents by its mode
        """
        return self._ask(RunMessage, "POST", "v1", "runs", run_id, "messages", body={"text": text})

    def resume(
        self,
        run_id: str,
        *,
        input: Any = None,
        results: Optional[Sequence[Mapping[str, Any]]] = None,
        add_budget: Optional[int] = None,
    ) -> Flow[Run]:
        """
        Hands a waiting run its input, or goes on with an ended one as a new run.

        :param input: what the run waits for
        :param results: `id` and `content` of calls of tools of the client, as `run.waiting.calls` has them
        :param add_budget: tokens more, of an ended run
        """
        body = {**to_body(add_budget=add_budget, results=results), **({} if input is None else {"input": input})}
        return self._ask(Run, "POST", "v1", "runs", run_id, "resume", body=body)

    def fork(
        self,
        run_id: str,
        at_seq: Optional[int] = None,
        *,
        edits: Optional[ForkEdits] = None,
        idempotency_key: Optional[str] = None,
    ) -> Flow[Run]:
        """Makes a new run that takes over what was recorded before its edits reach it, or up to event ``at_seq``."""
        body = to_body(at_seq=at_seq, edits=edits)
        return self._ask(Run, "POST", "v1", "runs", run_id, "fork", body=body, key=to_key(idempotency_key))

    def replay(self, run_id: str) -> Flow[ReplayResult]:
        """Runs an ended run again from its records alone, and says where it differs."""
        return self._ask(ReplayResult, "POST", "v1", "runs", run_id, "replay", body={}, is_safe=True)

    def undo(
        self,
        run_id: str,
        *,
        to: Optional[str] = None,
        also: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Flow[UndoResult]:
        """
        Puts the files that an ended run changed back as they were before it, all or none.

        Raises `files_changed` (409) where somebody changed one since. Needs a key that may decide.

        :param to: id of a step: as they were when it ended
        :param also: later runs that are undone with it
        :param dry_run: says what would be done, and does nothing
        """
        body = to_body(to=to, also=list(also) or None, dry_run=dry_run or None)
        return self._ask(UndoResult, "POST", "v1", "runs", run_id, "undo", body=body, is_safe=True)

    def diff(self, a: str, b: str, *, all: bool = False) -> Flow[RunDiff]:
        """What differs between two runs."""
        return self._get(RunDiff, "v1", "runs", a, "diff", b, all=all or None)

    def plan(self, run_id: str, *, all: bool = False) -> Flow[PlanResult]:
        """The plan of a run, as soon as there is one."""
        return self._get(PlanResult, "v1", "runs", run_id, "plan", all=all or None)

    def usage(self, run_id: str, *, all: bool = False) -> Flow[RunUsage]:
        """Tokens and cost of a run: over time, by agent and by step."""
        return self._get(RunUsage, "v1", "runs", run_id, "usage", all=all or None)

    def trace(self, run_id: str, *, all: bool = False) -> Flow[RunTrace]:
        """The spans of a run, named as OpenTelemetry names them, without content."""
        return self._get(RunTrace, "v1", "runs", run_id, "trace", all=all or None)

    def export(self, run_id: str, *, all: bool = False) -> Flow[bytes]:
        """The whole run as JSON Lines, as `svc runs export` writes it."""
        where = path("v1", "runs", run_id, "log")
        reply = yield from self.sender.send(Request("GET", where, to_query({"all": all or None}), accepts="application/x-ndjson"))
        return reply.text

    def delete(self, run_id: str) -> Flow[None]:
        """Removes a run that has ended, and all that belongs to it."""
        return self._delete("v1", "runs", run_id)


class ApprovalCalls(Calls):
    """What runs ask before they use a tool."""

    def list(
        self,
        *,
        status: Optional[ApprovalStatus] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        all: bool = False,
    ) -> Flow[Page[Approval]]:
        """A page of questions, the newest first."""
        return self._page(Approval, "v1", "approvals", status=status, limit=limit, after=after, all=all or None)

    def get(self, approval_id: str, *, all: bool = False) -> Flow[Approval]:
        """One question with its exact arguments."""
        return self._get(Approval, "v1", "approvals", approval_id, all=all or None)

    def resolve(
        self,
        approval_id: str,
        decision: Literal["approve", "deny", "edit"],
        *,
        args: Any = None,
        remember: Optional[Literal["once", "run", "always"]] = None,
        scope: Optional[GrantScope] = None,
        note: Optional[str] = None,
    ) -> Flow[Approval]:
        """
        Answers a question. Raises `approval_closed` (409) where it was answered otherwise, has expired, or its run has ended.

        :param args: of `edit`: the arguments to call with
        :param remember: `once` (the default) for this call, `run` for the rest of the run, `always` for later runs as well: the
            rule is written to the config that `rules_file` of the question names, which needs an admin key
        :param scope: of `run` and `always`: `call` (the default) for equal calls, or one of the question's `offers`
        """
        body = to_body(decision=decision, args=args, remember=remember, scope=scope, note=note)
        return self._ask(Approval, "POST", "v1", "approvals", approval_id, body=body, key=to_key())

    def approve(self, approval_id: str, *, note: Optional[str] = None) -> Flow[Approval]:
        """Lets the call happen, this once."""
        return self.resolve(approval_id, "approve", note=note)

    def deny(self, approval_id: str, *, note: Optional[str] = None) -> Flow[Approval]:
        """Refuses the call; the agent reads the note."""
        return self.resolve(approval_id, "deny", note=note)


class AgentCalls(Calls):
    """Agent profiles."""

    def create(self, name: str, **options: Unpack[AgentOptions]) -> Flow[AgentProfile]:
        """Saves a new agent profile. Raises `agent_exists` (409) where its id is taken: see `agents.put`."""
        return self._ask(AgentProfile, "POST", "v1", "agents", body=to_body(name=name, **options), key=to_key())

    def get(self, agent_id: str) -> Flow[AgentProfile]:
        """Shows an agent profile."""
        return self._get(AgentProfile, "v1", "agents", agent_id)

    def list(self) -> Flow[List[AgentProfile]]:
        """Every agent profile, by id."""
        return self._all(AgentProfile, "v1", "agents")

    def put(self, agent_id: str, name: str, **options: Unpack[AgentOptions]) -> Flow[AgentProfile]:
        """Saves an agent profile under an id, new or in place of the one there."""
        return self._ask(AgentProfile, "PUT", "v1", "agents", agent_id, body=to_body(name=name, **options))

    def delete(self, agent_id: str) -> Flow[None]:
        """Removes an agent profile."""
        return self._delete("v1", "agents", agent_id)


class MemoryCalls(Calls):
    """What is remembered."""

    def write(self, content: str, **options: Unpack[MemoryOptions]) -> Flow[MemoryRecord]:
        """Remembers something, at most 256 KiB; in the layer `episodic` unless told otherwise."""
        return self._ask(MemoryRecord, "POST", "v1", "memory", body=to_body(content=content, **options), key=to_key())

    def query(self, query: str, **options: Unpack[MemoryQueryOptions]) -> Flow[MemoryResult]:
        """Finds what is remembered, the best first; at most 10 unless `limit` says otherwise."""
        body = to_body(query=query, **options)
        return self._ask(MemoryResult, "POST", "v1", "memory", "query", body=body, is_safe=True)

    def list(
        self, *, layer: Optional[Layer] = None, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Flow[Page[MemoryRecord]]:
        """A page of records, the newest first."""
        return self._page(MemoryRecord, "v1", "memory", layer=layer, limit=limit, after=after)

    def get(self, memory_id: str) -> Flow[MemoryRecord]:
        """Shows one record."""
        return self._get(MemoryRecord, "v1", "memory", memory_id)

    def update(self, memory_id: str, **change: Unpack[MemoryChange]) -> Flow[MemoryRecord]:
        """
        Changes one record. With a new `content` it is trusted from then on, as what a person says.

        :param change: `valid_to=None` says that it still is true
        """
        still = {"validTo": None} if "valid_to" in change and change["valid_to"] is None else {}
        return self._ask(MemoryRecord, "PATCH", "v1", "memory", memory_id, body={**to_body(**change), **still})

    def delete(self, memory_id: str) -> Flow[None]:
        """Forgets one record."""
        return self._delete("v1", "memory", memory_id)


class ThreadCalls(Calls):
    """Conversations: runs that know of each other."""

    def create(
        self, *, id: Optional[str] = None, title: Optional[str] = None, metadata: Optional[Mapping[str, Any]] = None
    ) -> Flow[Thread]:
        """
        Begins a conversation. Raises `thread_exists` (409) where its id is taken.

        :param id: 1 to 128 letters, digits, `.`, `_`, `:` and `-`; default a new one
        """
        return self._ask(Thread, "POST", "v1", "threads", body=to_body(id=id, title=title, metadata=metadata))

    def get(self, thread_id: str, *, all: bool = False) -> Flow[Thread]:
        """Shows a conversation."""
        return self._get(Thread, "v1", "threads", thread_id, all=all or None)

    def list(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        order: Optional[Literal["asc", "desc", "activity"]] = None,
        all: bool = False,
    ) -> Flow[Page[Thread]]:
        """A page of conversations, the newest first; with `order="activity"` that first in which something happened last."""
        return self._page(Thread, "v1", "threads", limit=limit, after=after, order=order, all=all or None)

    def update(
        self, thread_id: str, *, title: Optional[str] = None, metadata: Optional[Mapping[str, Any]] = None
    ) -> Flow[Thread]:
        """Changes the title, or merges into the metadata."""
        return self._ask(Thread, "PATCH", "v1", "threads", thread_id, body=to_body(title=title, metadata=metadata))

    def copy(self, thread_id: str, *, before: Optional[str] = None) -> Flow[Thread]:
        """Begins a conversation that goes on from what was said in this one, with `before` from what was said before that run."""
        return self._ask(Thread, "POST", "v1", "threads", thread_id, "copy", body=to_body(before=before))

    def delete(self, thread_id: str) -> Flow[None]:
        """Removes a conversation; its runs stay."""
        return self._delete("v1", "threads", thread_id)

    def messages(
        self, thread_id: str, *, order: Optional[Literal["asc", "desc"]] = None, all: bool = False
    ) -> Flow[List[ThreadMessage]]:
        """All that was said in a conversation, the oldest first; with `order="desc"` the newest."""
        return self._all(ThreadMessage, "v1", "threads", thread_id, "messages", order=order, all=all or None)


class OneThreadCalls:
    """What a program does in one conversation."""

    def __init__(self, calls: ClientCalls, threads: ThreadCalls, thread_id: str) -> None:
        self._calls = calls
        self._threads = threads
        self._id = thread_id

    def run(
        self,
        task: str,
        *,
        plan: Union[Plan, Mapping[str, Any], None] = None,
        on_approval: Optional[OnApprovalAsync] = None,
        on_input: Optional[OnInput] = None,
        **options: Unpack[RunOptions],
    ) -> Flow[ExecutionResult]:
        """Runs a task in this conversation and waits for its result: see `run` of the client."""
        return self._calls.run(
            task, thread_id=self._id, plan=plan, on_approval=on_approval, on_input=on_input, **options
        )

    def stream(
        self,
        task: str,
        *,
        plan: Union[Plan, Mapping[str, Any], None] = None,
        on_approval: Optional[OnApprovalAsync] = None,
        on_input: Optional[OnInput] = None,
        **options: Unpack[RunOptions],
    ) -> Flow[ExecutionResult]:
        """Runs a task in this conversation and yields its events as they come: see `stream` of the client."""
        return self._calls.stream(
            task, thread_id=self._id, plan=plan, on_approval=on_approval, on_input=on_input, **options
        )

    def messages(self, *, order: Optional[Literal["asc", "desc"]] = None) -> Flow[List[ThreadMessage]]:
        """All that was said in this conversation, the oldest first; with `order="desc"` the newest."""
        return self._threads.messages(self._id, order=order)
