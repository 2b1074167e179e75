"""
The Python client of svc.

>>> from svc import ServiceClient
>>> with ServiceClient() as client:
...     print(client.run("Summarise README.md").summary)
"""

from svc import errors, events, types
from svc._async_client import AsyncClientThread, AsyncEventStream, AsyncRunStream, AsyncServiceClient
from svc._calls import Page, RunResult
from svc._client import ClientThread, EventStream, RunStream, ServiceClient
from svc._questions import InputQuestion, OnApproval, OnApprovalAsync, OnInput
from svc._version import VERSION as __version__
from svc.errors import *
from svc.events import MessageDelta, MessageReset, MessageSnapshot, RunEvent
from svc.types import *

__all__ = [
    "AsyncClientThread",
    "AsyncEventStream",
    "AsyncRunStream",
    "AsyncServiceClient",
    "ClientThread",
    "EventStream",
    "InputQuestion",
    "MessageDelta",
    "MessageReset",
    "MessageSnapshot",
    "OnApproval",
    "OnApprovalAsync",
    "OnInput",
    "Page",
    "RunEvent",
    "RunResult",
    "RunStream",
    "ServiceClient",
    "__version__",
    "errors",
    "events",
    "types",
]
__all__ += errors.__all__
__all__ += types.__all__
