"""What the blocking client and the asyncio client share."""

from __future__ import annotations

import logging
import ssl
from functools import update_wrapper
from inspect import signature
from typing import Any, Callable, List, Optional

from svc._calls import ClientCalls, Handler
from svc._questions import Answers, OnApprovalAsync, OnInput
from svc._sender import Sender
from svc._settings import Settings
from svc.events import RunEvent

_log = logging.getLogger("svc")


class BaseClient:
    """Settings, and who hears events."""

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
        """
        Nothing is sent yet.

        :param base_url: address of the server; default `SVC_URL`, else `http://127.0.0.1:4000`
        :param api_key: the server's key; default `SERVICE_API_KEY`, else none
        :param timeout: seconds for which the server may say nothing; a run may take as long as it likes
        :param max_retries: how often a request that failed is sent again
        :param ssl_context: how an `https` server is trusted; default Python's own way, with `SSL_CERT_FILE`
        :param on_approval: answers what tools ask a person for, in all runs that this client runs, plans or streams: see `run`
        :param on_input: answers what agents ask the user, in all those runs: see `run`
        :raises ValueError: for an argument that cannot be
        """
        self._handlers: List[Handler] = []
        self._sender = Sender(Settings.read(base_url, api_key, timeout, max_retries, ssl_context))
        self._calls = ClientCalls(self._sender, self._handlers, Answers(on_approval, on_input))

    def __repr__(self) -> str:
        address = self._sender.settings.address
        return f"{type(self).__name__}({'https' if address.is_secure else 'http'}://{address.name}{address.prefix})"

    def on_event(self, handler: Handler) -> Callable[[], None]:
        """
        Calls a handler with each event of each run that this client runs, plans or streams, in order.

        It is called where the method is awaited or waits. A handler that raises never breaks a run: the error is logged.

        :returns: how to stop listening
        """
        self._handlers.append(handler)

        def stop() -> None:
            if handler in self._handlers:
                self._handlers.remove(handler)

        return stop

    def _notify(self, event: RunEvent) -> None:
        for handler in tuple(self._handlers):
            try:
                handler(event)
            except Exception:
                _log.exception("a handler of events failed")


def copy_signature(make: Callable[..., Any], method: Any, answer: Optional[str] = None) -> None:
    """Gives a method name, docstring and signature of what makes its flow, for `help` and editors."""
    shown = signature(make)
    result = answer or str(shown.return_annotation)[len("Flow[") : -1]
    update_wrapper(method, make)
    method.__signature__ = shown.replace(return_annotation=result)
