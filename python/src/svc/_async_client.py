"""The asyncio client."""

from __future__ import annotations

import asyncio
import inspect
import ssl
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Optional, Type, TypeVar, cast

from svc._base import BaseClient, copy_signature
from svc._codec import decode
from svc._calls import ClientCalls
from svc._client import outcome
from svc._flow import Ask, Emit, Flow, Left, Next, Open, Receive, Send, Step
from svc._groups import AgentCalls, ApprovalCalls, MemoryCalls, OneThreadCalls, RunCalls, ThreadCalls
from svc._questions import OnApprovalAsync, OnInput
from svc.events import RunEvent
from svc.types import ExecutionResult, Thread

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec, Self

    P = ParamSpec("P")

T = TypeVar("T")
_PIECE = 65_536


class _Streams:
    """A connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def close(self) -> None:
        try:
            self.writer.close()
        except RuntimeError:
            pass  # the event loop is closed, and the connection with it


async def _open(step: Open) -> _Streams:
    address = step.address
    return _Streams(*await asyncio.open_connection(address.host, address.port, ssl=step.tls))


async def _send(step: Send) -> None:
    step.connection.writer.write(step.data)
    await step.connection.writer.drain()


async def within(coroutine: Coroutine[Any, Any, T], seconds: float) -> T:
    """
    What a coroutine returns. Raises TimeoutError when it takes longer.

    `asyncio.wait_for` loses a cancellation that comes together with the result, before Python 3.12.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except BaseException:
        task.cancel()
        task.add_done_callback(_discard)
        raise
    if not task.done():
        task.cancel()
        task.add_done_callback(_discard)
        raise TimeoutError(f"it took longer than {seconds:g} s")
    return task.result()


def _discard(task: asyncio.Future[Any]) -> None:
    """Closes a connection that nobody waits for any more."""
    if not task.cancelled() and task.exception() is None and isinstance(task.result(), _Streams):
        task.result().close()


async def _perform(step: Step) -> Any:
    """Does what a flow asks for."""
    if isinstance(step, Open):
        return await within(_open(step), step.timeout)
    if isinstance(step, Send):
        return await within(_send(step), step.timeout)
    if isinstance(step, Receive):
        return await within(step.connection.reader.read(_PIECE), step.timeout)
    if isinstance(step, Ask):
        answered = step.function(step.question)
        return await answered if inspect.isawaitable(answered) else answered
    if not isinstance(step, Emit):
        await asyncio.sleep(step.seconds)
    return None


async def _advance(flow: Flow[Any], problem: Optional[BaseException] = None) -> Next:
    """Runs a flow until its next event or its result."""
    value: Any = None
    try:
        while True:
            step = flow.send(value) if problem is None else flow.throw(problem)
            value, problem = None, None
            if isinstance(step, Emit):
                return Next(event=step.event)
            try:
                value = await _perform(step)
            except BaseException as thrown:
                problem = thrown
    except StopIteration as end:
        return Next(result=end.value)


class AsyncEventStream:
    """
    The events of a run, one after the other. Use it in an `async with` block, which closes its connection.

    It is an iterator: a loop that was left goes on with the next one.
    """

    def __init__(self, client: BaseClient, flow: Flow[Any], is_own: bool) -> None:
        self._client = client
        self._flow = flow
        self._is_own = is_own
        self._is_over = False

    def __aiter__(self) -> AsyncIterator[RunEvent]:
        return self

    async def __anext__(self) -> RunEvent:
        if self._is_over:
            raise StopAsyncIteration
        try:
            reached = await _advance(self._flow)
        except BaseException as problem:
            self._end(None, problem)
            raise
        if reached.event is None:
            self._end(reached.result, None)
            raise StopAsyncIteration
        if self._is_own:
            self._client._notify(reached.event)
        return reached.event

    async def close(self) -> None:
        """Stops reading. A second call does nothing."""
        if self._is_over:
            return
        self._end(None, None)
        try:
            await _advance(self._flow, Left())
        except Left:
            pass

    def _end(self, result: Any, problem: Optional[BaseException]) -> None:
        self._is_over = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()


class AsyncRunStream(AsyncEventStream):
    """A run as it happens. Leaving its `async with` block before the end, or `close`, cancels the run."""

    _result: Optional[ExecutionResult] = None
    _problem: Optional[BaseException] = None

    async def result(self) -> ExecutionResult:
        """Waits for the end of the run, through the events that were not read, and returns its result."""
        async for _ in self:
            pass
        return outcome(self._result, self._problem)

    def _end(self, result: Any, problem: Optional[BaseException]) -> None:
        super()._end(result, problem)
        self._result, self._problem = result, problem


def _awaited(
    make: Callable[Concatenate[Any, P], Flow[T]]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """A method whose coroutine waits for the result of a flow."""

    async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        client = self._client
        flow = make(self._calls, *args, **kwargs)
        while True:
            reached = await _advance(flow)
            if reached.event is None:
                return reached.result
            client._notify(reached.event)

    copy_signature(make, method)
    return cast("Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]", method)


def _streaming(make: Callable[Concatenate[Any, P], Flow[Any]]) -> Callable[Concatenate[Any, P], AsyncEventStream]:
    """A method that returns the events of a flow."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return AsyncEventStream(self._client, make(self._calls, *args, **kwargs), is_own=False)

    copy_signature(make, method, "AsyncEventStream")
    return cast("Callable[Concatenate[Any, P], AsyncEventStream]", method)


def _running(make: Callable[Concatenate[Any, P], Flow[ExecutionResult]]) -> Callable[Concatenate[Any, P], AsyncRunStream]:
    """A method that returns the events of a run of its own."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return AsyncRunStream(self._client, make(self._calls, *args, **kwargs), is_own=True)

    copy_signature(make, method, "AsyncRunStream")
    return cast("Callable[Concatenate[Any, P], AsyncRunStream]", method)


class _Group:
    def __init__(self, client: BaseClient, calls: Any) -> None:
        self._client = client
        self._calls = calls


class AsyncRuns(_Group):
    """Runs of now and before."""

    create = _awaited(RunCalls.create)
    get = _awaited(RunCalls.get)
    list = _awaited(RunCalls.list)
    summary = _awaited(RunCalls.summary)
    costs = _awaited(RunCalls.costs)
    wait = _awaited(RunCalls.wait)
    result = _awaited(RunCalls.result)
    events = _streaming(RunCalls.events)
    watch = _streaming(RunCalls.watch)
    cancel = _awaited(RunCalls.cancel)
    steer = _awaited(RunCalls.steer)
    resume = _awaited(RunCalls.resume)
    fork = _awaited(RunCalls.fork)
    replay = _awaited(RunCalls.replay)
    undo = _awaited(RunCalls.undo)
    diff = _awaited(RunCalls.diff)
    plan = _awaited(RunCalls.plan)
    usage = _awaited(RunCalls.usage)
    trace = _awaited(RunCalls.trace)
    export = _awaited(RunCalls.export)
    delete = _awaited(RunCalls.delete)


class AsyncApprovals(_Group):
    """What runs ask before they use a tool."""

    list = _awaited(ApprovalCalls.list)
    get = _awaited(ApprovalCalls.get)
    resolve = _awaited(ApprovalCalls.resolve)
    approve = _awaited(ApprovalCalls.approve)
    deny = _awaited(ApprovalCalls.deny)


class AsyncAgents(_Group):
    """Agent profiles."""

    create = _awaited(AgentCalls.create)
    get = _awaited(AgentCalls.get)
    list = _awaited(AgentCalls.list)
    put = _awaited(AgentCalls.put)
    delete = _awaited(AgentCalls.delete)


class AsyncMemory(_Group):
    """What is remembered."""

    write = _awaited(MemoryCalls.write)
    query = _awaited(MemoryCalls.query)
    list = _awaited(MemoryCalls.list)
    get = _awaited(MemoryCalls.get)
    update = _awaited(MemoryCalls.update)
    delete = _awaited(MemoryCalls.delete)


class AsyncClientThread(Thread):
    """A conversation, and what a program does in it: each task is sent what was said before."""

    _client: BaseClient
    _calls: OneThreadCalls

    @classmethod
    def _of(cls, thread: Thread, threads: _Group) -> AsyncClientThread:
        client = threads._client
        made = decode(cls, thread.raw)
        object.__setattr__(made, "_client", client)
        object.__setattr__(made, "_calls", OneThreadCalls(client._calls, threads._calls, made.id))
        return made

    run = _awaited(OneThreadCalls.run)
    stream = _running(OneThreadCalls.stream)
    messages = _awaited(OneThreadCalls.messages)


def _opening(
    make: Callable[Concatenate[Any, P], Flow[Thread]]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, AsyncClientThread]]:
    """A method whose coroutine waits for a conversation to work in."""
    ask = _awaited(make)

    async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return AsyncClientThread._of(await ask(self, *args, **kwargs), self)

    copy_signature(make, method, "AsyncClientThread")
    return cast("Callable[Concatenate[Any, P], Coroutine[Any, Any, AsyncClientThread]]", method)


class AsyncThreads(_Group):
    """Conversations: runs that know of each other."""

    create = _opening(ThreadCalls.create)
    get = _opening(ThreadCalls.get)
    list = _awaited(ThreadCalls.list)
    update = _opening(ThreadCalls.update)
    copy = _opening(ThreadCalls.copy)
    delete = _awaited(ThreadCalls.delete)
    messages = _awaited(ThreadCalls.messages)


class AsyncServiceClient(BaseClient):
    """
    A client of a server of svc, for asyncio. Its methods are those of `ServiceClient`, awaited.

    >>> async with AsyncServiceClient() as client:
    ...     print((await client.run("Summarise README.md")).summary)
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        timeout: float = 600,
        max_retries: int = 2,
        *,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_approval: Optional[OnApprovalAsync] = None,
        on_input: Optional[OnInput] = None,
    ) -> None:
        super().__init__(
            base_url, api_key, timeout, max_retries, ssl_context=ssl_context, on_approval=on_approval, on_input=on_input
        )
        parts = (self._sender, self._handlers)
        self._client = self
        self.runs = AsyncRuns(self, RunCalls(*parts))
        self.approvals = AsyncApprovals(self, ApprovalCalls(*parts))
        self.agents = AsyncAgents(self, AgentCalls(*parts))
        self.memory = AsyncMemory(self, MemoryCalls(*parts))
        self.threads = AsyncThreads(self, ThreadCalls(*parts))

    run = _awaited(ClientCalls.run)
    plan = _awaited(ClientCalls.plan)
    stream = _running(ClientCalls.stream)
    analyze = _awaited(ClientCalls.analyze)
    create_agent = _awaited(AgentCalls.create)
    list_agents = _awaited(AgentCalls.list)
    write_memory = _awaited(MemoryCalls.write)
    query_memory = _awaited(MemoryCalls.query)
    health = _awaited(ClientCalls.health)
    inspect = _awaited(ClientCalls.inspect)
    metrics = _awaited(ClientCalls.metrics)

    async def close(self) -> None:
        """Ends the client: later calls raise `not_connected`."""
        self._sender.is_closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()
