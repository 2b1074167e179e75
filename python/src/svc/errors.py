"""What the client raises. Programs branch on `code`, which is the server's own word."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Type

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "InternalServerError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "SvcError",
    "UnprocessableEntityError",
]


class SvcError(Exception):
    """
    What every error of this package is.

    `code` is a documented word such as `run_not_found`; `status_code` the HTTP status, `request_id` the server's id of the
    request and `body` what it answered, each `None` where no answer came.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "internal_error",
        status_code: Optional[int] = None,
        request_id: Optional[str] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status_code = status_code
        self.request_id = request_id
        self.body = body


class APIConnectionError(SvcError):
    """The server was not reached, or the connection broke. Code `connection_failed`."""

    was_sent: bool = True
    """Whether the server may have seen the request."""
    may_pass: bool = True
    """Whether another try may do better."""


class APITimeoutError(APIConnectionError):
    """The server said nothing for `timeout` seconds. Code `connection_timeout`."""


class APIStatusError(SvcError):
    """The server answered with a status from 400 on."""

    headers: Mapping[str, str] = {}
    """Of the answer, with names in lower case."""


class BadRequestError(APIStatusError):
    """400: the request is not right; `message` names the field."""


class AuthenticationError(APIStatusError):
    """401: a key is missing or wrong."""


class PermissionDeniedError(APIStatusError):
    """403: not allowed, whatever the key."""


class NotFoundError(APIStatusError):
    """404: no such run, thread, agent, memory, approval or model."""


class ConflictError(APIStatusError):
    """409: not as things stand, such as removing a run that is at work."""


class UnprocessableEntityError(APIStatusError):
    """422: an idempotency key was used for another request."""


class RateLimitError(APIStatusError):
    """429: too many requests, streams or queued runs."""


class InternalServerError(APIStatusError):
    """500 and above: the server failed, or is about to end."""


_BY_STATUS: Mapping[int, Type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}


def to_status_error(status: int, headers: Mapping[str, str], text: bytes) -> APIStatusError:
    """The error for an answer from 400 on; one that is no problem document has the code `http_<status>`."""
    body = _read(text)
    problem = body if isinstance(body, dict) else {}
    kind = _BY_STATUS.get(status, InternalServerError if status >= 500 else APIStatusError)
    error = kind(
        str(problem.get("detail") or problem.get("title") or f"the server answered with status {status}"),
        code=str(problem.get("code") or f"http_{status}"),
        status_code=status,
        request_id=problem.get("requestId") or headers.get("x-request-id"),
        body=body,
    )
    error.headers = headers
    return error


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode("utf-8", "replace")
