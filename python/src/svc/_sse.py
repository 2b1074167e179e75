"""Reads event streams (`text/event-stream`), in whatever pieces they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator


@dataclass(frozen=True)
class Frame:
    """One message of a stream."""

    event: str
    data: str


class FrameReader:
    """Turns bytes into frames. A line may end in LF, CRLF or CR; a frame that was cut off is left out."""

    def __init__(self) -> None:
        self._buffer = b""
        self._event = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole now."""
        self._buffer += data
        # A CR at the very end may be the first half of a CRLF.
        held = b"\r" if self._buffer.endswith(b"\r") else b""
        lines = self._buffer[: len(self._buffer) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._buffer = lines.pop() + held
        for line in lines:
            if not line:
                if self._data:
                    yield Frame(self._event, "\n".join(self._data))
                self._event, self._data = "", []
                continue
            name, _, value = line.decode("utf-8", "replace").partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
