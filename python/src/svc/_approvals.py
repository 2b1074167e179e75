"""Answers what the tools of a run ask a person for, by a function of the caller."""

from __future__ import annotations

import logging
import uuid
from typing import Any, Awaitable, Callable, Mapping, TypeVar, Union

from svc._codec import encode
from svc._flow import Ask, Emit, Flow, Step
from svc._sender import Request, Sender, path
from svc.errors import BadRequestError, ConflictError, NotFoundError
from svc.types import FREE_FORM, Approval, Decision

T = TypeVar("T")
Answered = Union[Decision, Mapping[str, Any]]
OnApproval = Callable[[Approval], Answered]
OnApprovalAsync = Callable[[Approval], Union[Answered, Awaitable[Answered]]]

_log = logging.getLogger("svc")
_MOST_RETRIES = 10
"""A server that starts again meanwhile is waited for."""


def with_answers(flow: Flow[T], sender: Sender, on_approval: OnApprovalAsync) -> Flow[T]:
    """A flow of events that answers each approval after the event was emitted, before the next one is."""
    value: Any = None
    try:
        step: Step = next(flow)
        while True:
            try:
                value = yield step
            except BaseException as problem:
                step = flow.throw(problem)
                continue
            if isinstance(step, Emit) and step.event.type == "approval.requested" and isinstance(step.event.data, Approval):
                yield from _answer(sender, step.event.data, on_approval)
            step = flow.send(value)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()


def _answer(sender: Sender, approval: Approval, on_approval: OnApprovalAsync) -> Flow[None]:
    try:
        try:
            answered = yield Ask(on_approval, approval)
            if not isinstance(answered, (Decision, Mapping)):
                raise TypeError(f"on_approval must return a Decision or a dict, not {type(answered).__name__}")
        except Exception as problem:
            answered = _deny(approval, problem)
        try:
            yield from _resolve(sender, approval.id, answered)
        except (BadRequestError, TypeError, ValueError) as problem:
            yield from _resolve(sender, approval.id, _deny(approval, problem))
    except (ConflictError, NotFoundError):
        pass  # the run has ended meanwhile, or somebody else has answered


def _deny(approval: Approval, problem: Exception) -> Decision:
    _log.error("on_approval failed, so %s is denied", approval.tool, exc_info=problem)
    return Decision("deny", note=f"on_approval failed: {str(problem) or type(problem).__name__}")


def _resolve(sender: Sender, approval_id: str, answered: Answered) -> Flow[None]:
    body = encode(answered, FREE_FORM)
    request = Request("POST", path("v1", "approvals", approval_id), body=body, key=uuid.uuid4().hex)
    yield from sender.send(request, max_retries=max(_MOST_RETRIES, sender.settings.max_retries))
