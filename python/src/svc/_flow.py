"""
Everything that the client does, without doing any input or output.

A flow is a generator that yields what it needs next (a connection, bytes, time) and returns its result. The blocking client
and the asyncio client differ only in how they answer these steps.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Any, Callable, Generator, Optional, Protocol, TypeVar, Union

from svc.events import RunEvent

T = TypeVar("T")


class Connection(Protocol):
    """An open connection, of either kind."""

    def close(self) -> None:
        """Closes it at once. Never raises, and may be called twice."""


@dataclass(frozen=True)
class Address:
    """Where a server is."""

    host: str
    port: int
    is_secure: bool = False
    prefix: str = ""
    """What stands before each path, without a slash at its end."""

    @property
    def name(self) -> str:
        """Host and port, as `Host` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class Open:
    """Answered with a `Connection`."""

    address: Address
    timeout: float
    tls: Optional[ssl.SSLContext] = None
    """How the server is trusted; `None`: without TLS."""


@dataclass(frozen=True)
class Send:
    """Answered when all was handed over."""

    connection: Any
    data: bytes
    timeout: float


@dataclass(frozen=True)
class Receive:
    """Answered with some bytes; none when the other side has closed."""

    connection: Any
    timeout: float


@dataclass(frozen=True)
class Sleep:
    """Answered after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Emit:
    """An event for the caller."""

    event: RunEvent


@dataclass(frozen=True)
class Ask:
    """Answered with what a function of the caller says to a question."""

    function: Callable[[Any], Any]
    question: Any


Step = Union[Open, Send, Receive, Sleep, Emit, Ask]
Flow = Generator[Step, Any, T]


class Left(BaseException):
    """Thrown into a flow whose caller left it early."""


@dataclass(frozen=True)
class Next:
    """What a flow came to: an event on its way, or its result."""

    event: Optional[RunEvent] = None
    result: Any = None
