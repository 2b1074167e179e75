"""The methods of both clients, each once: what is asked, and how the answer is read."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, List, Mapping, Optional, Type, TypeVar, Union, cast

from svc._codec import Answer, decode, encode
from svc._flow import Flow
from svc._pieces import Pieces
from svc._questions import Answers, OnApprovalAsync, OnInput, with_answers
from svc._sender import Reply, Request, Sender, path
from svc.errors import SvcError
from svc.events import RunEvent
from svc.types import FREE_FORM, Complexity, ExecutionResult, Health, Inspection, Plan, PlanResult

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from svc.types import RiskLevel, RunOptions

T = TypeVar("T")
RunResult = Union[ExecutionResult, PlanResult, Complexity]
Handler = Callable[[RunEvent], None]

_CANCEL_TIMEOUT = 5.0


@dataclass(frozen=True)
class Page(Answer, Generic[T]):
    """One page of a list."""

    data: tuple[T, ...]
    has_more: bool
    next_cursor: Optional[str] = None
    """Hand it back as `after`."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class Calls:
    """What the methods of one client share."""

    def __init__(self, sender: Sender, handlers: List[Handler]) -> None:
        self.sender = sender
        self.handlers = handlers

    def _ask(self, cls: Type[T], method: str, *parts: str, **asked: Any) -> Flow[T]:
        reply = yield from self.sender.send(Request(method, path(*parts), **asked))
        return decode(cls, reply.json)

    def _get(self, cls: Type[T], *parts: str, **query: Any) -> Flow[T]:
        return self._ask(cls, "GET", *parts, query=to_query(query))

    def _delete(self, *parts: str) -> Flow[None]:
        yield from self.sender.send(Request("DELETE", path(*parts)))

    def _page(self, cls: Type[T], *parts: str, **query: Any) -> Flow[Page[T]]:
        reply = yield from self.sender.send(Request("GET", path(*parts), to_query(query)))
        raw = reply.json
        page: Page[T] = Page(tuple(decode(cls, each) for each in raw["data"]), raw["hasMore"], raw.get("nextCursor"))
        object.__setattr__(page, "raw", raw)
        return page

    def _all(self, cls: Type[T], *parts: str, **query: Any) -> Flow[List[T]]:
        """Every item of a list, over all its pages."""
        found: List[T] = []
        after: Optional[str] = None
        while True:
            page = yield from self._page(cls, *parts, limit=100, after=after, **query)
            found.extend(page.data)
            if not page.has_more or page.next_cursor is None:
                return found
            after = page.next_cursor


def to_query(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Query parameters by their names on the wire."""
    return cast("Mapping[str, Any]", encode(given, frozenset()))


def to_body(**given: Any) -> Mapping[str, Any]:
    """A body of what was given."""
    return cast("Mapping[str, Any]", encode(given, FREE_FORM))


def to_key(given: Optional[str] = None) -> str:
    """An idempotency key: the caller's, or a new one."""
    if given is None:
        return uuid.uuid4().hex
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", given):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
    return given


def to_result(raw: Mapping[str, Any]) -> RunResult:
    """What a run returned, by its shape."""
    if "recommendedTopology" in raw:
        return decode(Complexity, raw)
    return decode(PlanResult, raw) if "budget" in raw else decode(ExecutionResult, raw)


class RunningCalls(Calls):
    """Methods that make a run and stay with it until its end."""

    def __init__(self, sender: Sender, handlers: List[Handler], answers: Answers) -> None:
        super().__init__(sender, handlers)
        self._answers = answers

    def run(
        self,
        task: str,
        *,
        thread_id: Optional[str] = None,
        plan: Union[Plan, Mapping[str, Any], None] = None,
        on_approval: Optional[OnApprovalAsync] = None,
        on_input: Optional[OnInput] = None,
        **options: Unpack[RunOptions],
    ) -> Flow[ExecutionResult]:
        """
        Runs a task and waits for its result, however long it takes and however often the connection breaks.

        A run that fails, or that a limit stops, is returned with its `status` and `error`. Ctrl-C, or cancelling the
        task that awaits this, cancels the run.

        :param task: what to do, 1 to 200 000 characters
        :param thread_id: the conversation that it continues
        :param plan: executed as it is; such as `plan(task).plan`
        :param on_approval: answers what a tool asks a person for, one question after the other: it gets the `Approval` and
            returns a `Decision`, or a dict such as `{"decision": "approve"}`; of the asyncio client it may be a coroutine
            function. One that raises, or returns something else, denies; the error is logged, and a warning of the result
            names it. Default that of the client, else one that denies
        :param on_input: answers what an agent asks the user, one question after the other: it gets an `InputQuestion` and
            returns a text, or other JSON; of the asyncio client it may be a coroutine function. After `None`, and where it
            raises or its answer does not fit the question, the agent goes on by its best reading of the task; the error is
            logged. Default that of the client, else one that returns `None`
        :param options: see `RunOptions`. `approval` is `wait` with one of these functions, else `deny`: a tool that asks is
            refused, and agents are not offered to ask
        :raises SvcError: where the request is refused, or the server is gone for `timeout` seconds
        """
        return self._finish(ExecutionResult, "execute", task, thread_id, plan, Answers(on_approval, on_input), options)

    def plan(self, task: str, *, thread_id: Optional[str] = None, **options: Unpack[RunOptions]) -> Flow[PlanResult]:
        """Plans a task without running it. Hand `.plan` of the result to `run` to execute it."""
        return self._finish(PlanResult, "plan", task, thread_id, None, Answers(), options)

    def stream(
        self,
        task: str,
        *,
        thread_id: Optional[str] = None,
        plan: Union[Plan, Mapping[str, Any], None] = None,
        on_approval: Optional[OnApprovalAsync] = None,
        on_input: Optional[OnInput] = None,
        **options: Unpack[RunOptions],
    ) -> Flow[ExecutionResult]:
        """
        Runs a task and yields its events as they come; `result()` is what it returned.

        Each kept event comes once and in order, whatever happens to the connection. Pieces of answers
        (`message.delta`) come as they are said, and what was said while the connection was broken comes as one. Where the
        pieces so far are no beginning of the text any more, `message.snapshot` has the text in their place. Leaving the `with` block
        before the end cancels the run. Arguments are those of `run`.
        """
        return self._finish(ExecutionResult, "execute", task, thread_id, plan, Answers(on_approval, on_input), options, True)

    def _finish(
        self,
        cls: Type[T],
        mode: str,
        task: str,
        thread_id: Optional[str],
        plan: Any,
        answers: Answers,
        options: Mapping[str, Any],
        has_reader: bool = False,
    ) -> Flow[T]:
        """Makes a run and follows it to its end."""
        answers = answers.over(self._answers)
        asked = {"approval": "wait" if answers else "deny", **options}
        body = to_body(**asked, task=task, mode=mode, thread_id=thread_id, plan=plan)
        create = Request("POST", path("v1", "runs"), body=body, key=to_key())
        run_id: Optional[str] = None
        try:
            made = yield from self.sender.send(create)
            run_id = str(made.json["id"])
            events = self._follow(run_id, has_reader or bool(self.handlers))
            last = yield from (with_answers(events, self.sender, answers) if answers else events)
        except (SvcError, GeneratorExit):
            raise
        except BaseException:
            yield from self._cancel(create, run_id)
            raise
        if last is not None and isinstance(last.raw["data"].get("result"), dict):
            return decode(cls, last.raw["data"]["result"])
        return (yield from self._ask(cls, "GET", "v1", "runs", run_id, "result"))

    def _follow(self, run_id: str, has_reader: bool) -> Flow[Optional[RunEvent]]:
        # Without a reader the model need not answer in pieces.
        query = {} if has_reader else {"types": ["run.*", "approval.*"], "deltas": False}
        request = Request("GET", path("v1", "runs", run_id, "events"), query, accepts="text/event-stream")
        # The run began before its stream, which is to have all that was said since.
        pieces = Pieces(may_miss=True) if has_reader else None
        return self.sender.follow(request, is_whole=has_reader, is_known=True, pieces=pieces)

    def _cancel(self, create: Request, run_id: Optional[str]) -> Flow[None]:
        """Cancels the run of somebody who left; one whose answer has not come yet is found by its key."""
        try:
            if run_id is None:
                made = yield from self.sender.send(create, max_retries=0, timeout=_CANCEL_TIMEOUT)
                run_id = str(made.json["id"])
            cancel = Request("POST", path("v1", "runs", run_id, "cancel"), body=to_body(reason="the client left"))
            yield from self.sender.send(cancel, max_retries=0, timeout=_CANCEL_TIMEOUT)
        except SvcError:
            pass  # it has ended, or nobody is there to hear it


class ClientCalls(RunningCalls):
    """The methods of a client itself."""

    def analyze(self, task: str, *, risk_level: Optional[RiskLevel] = None) -> Flow[Complexity]:
        """Says how hard a task is and which topology suits it. No model is asked."""
        body = to_body(task=task, risk_level=risk_level)
        return self._ask(Complexity, "POST", "v1", "analyze", body=body, is_safe=True)

    def health(self) -> Flow[Health]:
        """Whether the server can work, and with what: `status` is `ok` or `degraded`. Needs no key."""
        return self._ask(Health, "GET", "health", good=(503,))

    def inspect(self) -> Flow[Inspection]:
        """What the inspector found in the runs of the server's process."""
        return self._get(Inspection, "v1", "inspect")

    def metrics(self) -> Flow[str]:
        """The server's counters, in the text format of Prometheus."""
        reply: Reply = yield from self.sender.send(Request("GET", "/metrics", accepts="text/plain"))
        return reply.text.decode()
