"""Answers what a run asks a person, by functions of the caller."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Mapping, Optional, TypeVar, Union

from svc._codec import encode
from svc._flow import Ask, Emit, Flow, Step
from svc._sender import Request, Sender, path
from svc.errors import BadRequestError, ConflictError, NotFoundError
from svc.events import RunEvent, RunWaiting
from svc.types import FREE_FORM, Approval, Decision


@dataclass(frozen=True)
class InputQuestion:
    """What an agent asks the user."""

    run_id: str
    prompt: str
    schema: Any = None
    """JSON Schema of the answer, where there is one."""


T = TypeVar("T")
Answered = Union[Decision, Mapping[str, Any]]
OnApproval = Callable[[Approval], Answered]
OnApprovalAsync = Callable[[Approval], Union[Answered, Awaitable[Answered]]]
OnInput = Callable[[InputQuestion], Any]
"""Returns the answer: a text, or other JSON; `None` where nobody knows."""

_log = logging.getLogger("svc")
_MOST_RETRIES = 10
"""A server that starts again meanwhile is waited for."""


@dataclass(frozen=True)
class Answers:
    """The functions of a caller. Where there is one of them, what the other would answer is denied, or known by nobody."""

    on_approval: Optional[OnApprovalAsync] = None
    on_input: Optional[OnInput] = None

    def __post_init__(self) -> None:
        for name, function in vars(self).items():
            if function is not None and not callable(function):
                raise ValueError(f"{name} must be a function, not {function!r}")

    def __bool__(self) -> bool:
        return self.on_approval is not None or self.on_input is not None

    def over(self, others: Answers) -> Answers:
        """These, and those of others where there is none."""
        return Answers(self.on_approval or others.on_approval, self.on_input or others.on_input)


def with_answers(flow: Flow[T], sender: Sender, answers: Answers) -> Flow[T]:
    """A flow of events that answers each question after the event was emitted, before the next one is."""
    value: Any = None
    try:
        step: Step = next(flow)
        while True:
            try:
                value = yield step
            except BaseException as problem:
                step = flow.throw(problem)
                continue
            if isinstance(step, Emit):
                yield from _answer(step.event, sender, answers)
            step = flow.send(value)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()


def _answer(event: RunEvent, sender: Sender, answers: Answers) -> Flow[None]:
    data = event.data
    if event.type == "approval.requested" and isinstance(data, Approval):
        yield from _decide(data, sender, answers.on_approval or _deny)
    elif isinstance(data, RunWaiting) and data.reason == "input" and data.input is not None:
        question = InputQuestion(event.run_id, data.input.prompt, data.input.schema)
        yield from _give_input(question, sender, answers.on_input or _know_nothing)


def _decide(approval: Approval, sender: Sender, on_approval: OnApprovalAsync) -> Flow[None]:
    def to_body(answered: Any) -> Any:
        if not isinstance(answered, (Decision, Mapping)):
            raise TypeError(f"on_approval must return a Decision or a dict, not {type(answered).__name__}")
        return encode(answered, FREE_FORM)

    def refuse(problem: Exception) -> Any:
        _log.error("on_approval failed, so %s is denied", approval.tool, exc_info=problem)
        return {"decision": "deny", "note": f"on_approval failed: {str(problem) or type(problem).__name__}"}

    yield from _put(sender, path("v1", "approvals", approval.id), Ask(on_approval, approval), to_body, refuse)


def _give_input(question: InputQuestion, sender: Sender, on_input: OnInput) -> Flow[None]:
    def refuse(problem: Exception) -> Any:
        _log.error("on_input gave no answer to %r of run %s", question.prompt, question.run_id, exc_info=problem)
        return {"input": None}

    where = path("v1", "runs", question.run_id, "resume")
    try:
        yield from _put(sender, where, Ask(on_input, question), lambda value: {"input": value}, refuse)
    except BadRequestError:
        pass  # the question takes only an answer that somebody knows, and stays open for it


def _put(
    sender: Sender, where: str, asked: Ask, to_body: Callable[[Any], Any], refuse: Callable[[Exception], Any]
) -> Flow[None]:
    """Asks the caller's function and sends its answer; what is said where it has none, in case of a problem."""
    try:
        try:
            body = to_body((yield asked))
        except Exception as problem:
            body = refuse(problem)
        try:
            yield from _send(sender, where, body)
        except (BadRequestError, TypeError, ValueError) as problem:
            yield from _send(sender, where, refuse(problem))
    except (ConflictError, NotFoundError):
        pass  # the run has ended meanwhile, or somebody else has answered


def _send(sender: Sender, where: str, body: Any) -> Flow[None]:
    request = Request("POST", where, body=body, key=uuid.uuid4().hex)
    yield from sender.send(request, max_retries=max(_MOST_RETRIES, sender.settings.max_retries))


def _deny(_: Approval) -> Decision:
    return Decision("deny")


def _know_nothing(_: InputQuestion) -> None:
    return None
