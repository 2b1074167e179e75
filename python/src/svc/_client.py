"""The blocking client."""

from __future__ import annotations

import socket
import ssl
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Type, TypeVar, cast

from svc._base import BaseClient, copy_signature
from svc._codec import decode
from svc._calls import ClientCalls
from svc._flow import Ask, Connection, Emit, Flow, Left, Next, Open, Receive, Send, Step
from svc._groups import AgentCalls, ApprovalCalls, MemoryCalls, OneThreadCalls, RunCalls, ThreadCalls
from svc._questions import OnApproval, OnInput
from svc.errors import SvcError
from svc.events import RunEvent
from svc.types import ExecutionResult, Thread

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec, Self

    P = ParamSpec("P")

T = TypeVar("T")
_PIECE = 65_536


class _Socket:
    """A connection."""

    def __init__(self, step: Open) -> None:
        address = step.address
        self.socket = socket.create_connection((address.host, address.port), step.timeout)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if step.tls is not None:
                self.socket = step.tls.wrap_socket(self.socket, server_hostname=address.host)
        except BaseException:
            self.socket.close()
            raise

    def close(self) -> None:
        self.socket.close()


def _perform(step: Step) -> Any:
    """Does what a flow asks for."""
    try:
        if isinstance(step, Open):
            connection: Connection = _Socket(step)
            return connection
        if isinstance(step, Send):
            step.connection.socket.settimeout(step.timeout)
            return step.connection.socket.sendall(step.data)
        if isinstance(step, Receive):
            step.connection.socket.settimeout(step.timeout)
            return step.connection.socket.recv(_PIECE)
        if isinstance(step, Ask):
            return step.function(step.question)
        if not isinstance(step, Emit):
            time.sleep(step.seconds)
        return None
    except socket.timeout as problem:  # a name of TimeoutError only since Python 3.10
        raise TimeoutError(str(problem)) from problem


def _advance(flow: Flow[Any], problem: Optional[BaseException] = None) -> Next:
    """Runs a flow until its next event or its result."""
    value: Any = None
    try:
        while True:
            step = flow.send(value) if problem is None else flow.throw(problem)
            value, problem = None, None
            if isinstance(step, Emit):
                return Next(event=step.event)
            try:
                value = _perform(step)
            except BaseException as thrown:
                problem = thrown
    except StopIteration as end:
        return Next(result=end.value)


class EventStream:
    """
    The events of a run, one after the other. Use it in a `with` block, which closes its connection.

    It is an iterator: a loop that was left goes on with the next one.
    """

    def __init__(self, client: BaseClient, flow: Flow[Any], is_own: bool) -> None:
        self._client = client
        self._flow = flow
        self._is_own = is_own
        self._is_over = False

    def __iter__(self) -> Iterator[RunEvent]:
        return self

    def __next__(self) -> RunEvent:
        if self._is_over:
            raise StopIteration
        try:
            reached = _advance(self._flow)
        except BaseException as problem:
            self._end(None, problem)
            raise
        if reached.event is None:
            self._end(reached.result, None)
            raise StopIteration
        if self._is_own:
            self._client._notify(reached.event)
        return reached.event

    def close(self) -> None:
        """Stops reading. A second call does nothing."""
        if self._is_over:
            return
        self._end(None, None)
        try:
            _advance(self._flow, Left())
        except Left:
            pass

    def _end(self, result: Any, problem: Optional[BaseException]) -> None:
        self._is_over = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class RunStream(EventStream):
    """A run as it happens. Leaving its `with` block before the end, or `close`, cancels the run."""

    _result: Optional[ExecutionResult] = None
    _problem: Optional[BaseException] = None

    def result(self) -> ExecutionResult:
        """Waits for the end of the run, through the events that were not read, and returns its result."""
        for _ in self:
            pass
        return outcome(self._result, self._problem)

    def _end(self, result: Any, problem: Optional[BaseException]) -> None:
        super()._end(result, problem)
        self._result, self._problem = result, problem


def outcome(result: Optional[ExecutionResult], problem: Optional[BaseException]) -> ExecutionResult:
    """What a stream came to."""
    if problem is not None:
        raise problem
    if result is None:
        raise SvcError("the stream was left before the end of its run, which cancelled it", code="cancelled")
    return result


def _blocking(make: Callable[Concatenate[Any, P], Flow[T]]) -> Callable[Concatenate[Any, P], T]:
    """A method that waits for the result of a flow."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        client = self._client
        flow = make(self._calls, *args, **kwargs)
        while True:
            reached = _advance(flow)
            if reached.event is None:
                return reached.result
            client._notify(reached.event)

    copy_signature(make, method)
    return cast("Callable[Concatenate[Any, P], T]", method)


def _streaming(make: Callable[Concatenate[Any, P], Flow[Any]]) -> Callable[Concatenate[Any, P], EventStream]:
    """A method that returns the events of a flow."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return EventStream(self._client, make(self._calls, *args, **kwargs), is_own=False)

    copy_signature(make, method, "EventStream")
    return cast("Callable[Concatenate[Any, P], EventStream]", method)


def _running(make: Callable[Concatenate[Any, P], Flow[ExecutionResult]]) -> Callable[Concatenate[Any, P], RunStream]:
    """A method that returns the events of a run of its own."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return RunStream(self._client, make(self._calls, *args, **kwargs), is_own=True)

    copy_signature(make, method, "RunStream")
    return cast("Callable[Concatenate[Any, P], RunStream]", method)


class _Group:
    def __init__(self, client: BaseClient, calls: Any) -> None:
        self._client = client
        self._calls = calls


class Runs(_Group):
    """Runs of now and before."""

    create = _blocking(RunCalls.create)
    get = _blocking(RunCalls.get)
    list = _blocking(RunCalls.list)
    summary = _blocking(RunCalls.summary)
    costs = _blocking(RunCalls.costs)
    wait = _blocking(RunCalls.wait)
    result = _blocking(RunCalls.result)
    events = _streaming(RunCalls.events)
    watch = _streaming(RunCalls.watch)
    cancel = _blocking(RunCalls.cancel)
    steer = _blocking(RunCalls.steer)
    resume = _blocking(RunCalls.resume)
    fork = _blocking(RunCalls.fork)
    replay = _blocking(RunCalls.replay)
    undo = _blocking(RunCalls.undo)
    diff = _blocking(RunCalls.diff)
    plan = _blocking(RunCalls.plan)
    usage = _blocking(RunCalls.usage)
    trace = _blocking(RunCalls.trace)
    export = _blocking(RunCalls.export)
    delete = _blocking(RunCalls.delete)


class Approvals(_Group):
    """What runs ask before they use a tool."""

    list = _blocking(ApprovalCalls.list)
    get = _blocking(ApprovalCalls.get)
    resolve = _blocking(ApprovalCalls.resolve)
    approve = _blocking(ApprovalCalls.approve)
    deny = _blocking(ApprovalCalls.deny)


class Agents(_Group):
    """Agent profiles."""

    create = _blocking(AgentCalls.create)
    get = _blocking(AgentCalls.get)
    list = _blocking(AgentCalls.list)
    put = _blocking(AgentCalls.put)
    delete = _blocking(AgentCalls.delete)


class Memory(_Group):
    """What is remembered."""

    write = _blocking(MemoryCalls.write)
    query = _blocking(MemoryCalls.query)
    list = _blocking(MemoryCalls.list)
    get = _blocking(MemoryCalls.get)
    update = _blocking(MemoryCalls.update)
    delete = _blocking(MemoryCalls.delete)


class ClientThread(Thread):
    """A conversation, and what a program does in it: each task is sent what was said before."""

    _client: BaseClient
    _calls: OneThreadCalls

    @classmethod
    def _of(cls, thread: Thread, threads: _Group) -> ClientThread:
        client = threads._client
        made = decode(cls, thread.raw)
        object.__setattr__(made, "_client", client)
        object.__setattr__(made, "_calls", OneThreadCalls(client._calls, threads._calls, made.id))
        return made

    run = _blocking(OneThreadCalls.run)
    stream = _running(OneThreadCalls.stream)
    messages = _blocking(OneThreadCalls.messages)


def _opening(make: Callable[Concatenate[Any, P], Flow[Thread]]) -> Callable[Concatenate[Any, P], ClientThread]:
    """A method that waits for a conversation to work in."""
    ask = _blocking(make)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return ClientThread._of(ask(self, *args, **kwargs), self)

    copy_signature(make, method, "ClientThread")
    return cast("Callable[Concatenate[Any, P], ClientThread]", method)


class Threads(_Group):
    """Conversations: runs that know of each other."""

    create = _opening(ThreadCalls.create)
    get = _opening(ThreadCalls.get)
    list = _blocking(ThreadCalls.list)
    update = _opening(ThreadCalls.update)
    copy = _opening(ThreadCalls.copy)
    delete = _blocking(ThreadCalls.delete)
    messages = _blocking(ThreadCalls.messages)


class ServiceClient(BaseClient):
    """
    A client of a server of svc. Threads may share it.

    >>> with ServiceClient() as client:
    ...     print(client.run("Summarise README.md").summary)
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        timeout: float = 600,
        max_retries: int = 2,
        *,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_approval: Optional[OnApproval] = None,
        on_input: Optional[OnInput] = None,
    ) -> None:
        super().__init__(
            base_url, api_key, timeout, max_retries, ssl_context=ssl_context, on_approval=on_approval, on_input=on_input
        )
        parts = (self._sender, self._handlers)
        self._client = self
        self.runs = Runs(self, RunCalls(*parts))
        self.approvals = Approvals(self, ApprovalCalls(*parts))
        self.agents = Agents(self, AgentCalls(*parts))
        self.memory = Memory(self, MemoryCalls(*parts))
        self.threads = Threads(self, ThreadCalls(*parts))

    run = _blocking(ClientCalls.run)
    plan = _blocking(ClientCalls.plan)
    stream = _running(ClientCalls.stream)
    analyze = _blocking(ClientCalls.analyze)
    create_agent = _blocking(AgentCalls.create)
    list_agents = _blocking(AgentCalls.list)
    write_memory = _blocking(MemoryCalls.write)
    query_memory = _blocking(MemoryCalls.query)
    health = _blocking(ClientCalls.health)
    inspect = _blocking(ClientCalls.inspect)
    metrics = _blocking(ClientCalls.metrics)

    def close(self) -> None:
        """Ends the client: later calls raise `not_connected`."""
        self._sender.is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
