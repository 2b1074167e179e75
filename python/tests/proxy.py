"""A TCP proxy that cuts, delays, repeats and leaves out."""

from __future__ import annotations

import random
import re
import socket
import ssl
import threading
from typing import Callable, Optional

Rewrite = Callable[[bytes], bytes]


class Proxy:
    """
    Hands bytes on between a client and a port of this machine.

    :param cut: how many bytes of an answer are handed on before the connection is cut; `None` for all
    :param delay: seconds before each piece of an answer
    :param rewrite: changes the head of a request, without the empty line at its end
    :param tls: speaks TLS with its clients
    """

    def __init__(
        self,
        port: int,
        cut: Callable[[bytes], Optional[int]] = lambda head: None,
        delay: Callable[[], float] = lambda: 0.0,
        rewrite: Rewrite = lambda head: head,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._port = port
        self._cut = cut
        self._delay = delay
        self._rewrite = rewrite
        self._tls = tls
        self.cuts = 0
        self.heads: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._hand_on, args=(client,), daemon=True).start()

    def _hand_on(self, client: socket.socket) -> None:
        if self._tls is not None:
            try:
                client = self._tls.wrap_socket(client, server_side=True)
            except OSError:
                return  # it does not trust this proxy
        with client:
            request = b""
            while b"\r\n\r\n" not in request:
                data = client.recv(65_536)
                if not data:
                    return
                request += data
            head, _, body = request.partition(b"\r\n\r\n")
            self.heads.append(head)
            try:
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                return  # the server is away
            with server:
                known = re.sub(rb"(?m)^Host: .*?\r$", b"Host: 127.0.0.1:%d\r" % self._port, head)
                server.sendall(self._rewrite(known) + b"\r\n\r\n" + body)
                threading.Thread(target=self._pump, args=(client, server), daemon=True).start()
                left = self._cut(head)
                try:
                    while True:
                        data = server.recv(4_096)
                        if not data:
                            return
                        pause = self._delay()
                        if pause > 0:
                            threading.Event().wait(pause)
                        if left is not None and len(data) >= left:
                            client.sendall(data[:left])
                            self.cuts += 1
                            return
                        client.sendall(data)
                        left = None if left is None else left - len(data)
                except OSError:
                    return
                finally:
                    # Closing alone does not wake the thread that still reads.
                    for each in (client, server):
                        _shut(each)

    @staticmethod
    def _pump(client: socket.socket, server: socket.socket) -> None:
        """The rest of a request; the end of it ends the other side too."""
        try:
            while True:
                data = client.recv(65_536)
                if not data:
                    _shut(server)
                    return
                server.sendall(data)
        except OSError:
            return


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed


def shift_cursor(choose: Callable[[int], int]) -> Rewrite:
    """Asks the server for events from another number on than the client did: earlier ones come twice, later ones not at all."""

    def rewrite(head: bytes) -> bytes:
        found = re.search(rb"Last-Event-ID: (\d+)", head)
        if found is None:
            return head
        cursor = choose(int(found.group(1)))
        return head.replace(found.group(0), b"Last-Event-ID: %d" % max(0, cursor))

    return rewrite


def is_stream(head: bytes) -> bool:
    """Whether a request asks for events."""
    return b"text/event-stream" in head


def seeded(seed: int) -> random.Random:
    """Chances that are the same each time."""
    return random.Random(seed)
