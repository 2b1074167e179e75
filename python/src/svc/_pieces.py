"""Keeps the pieces of answers whole over broken connections."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

Raw = Mapping[str, Any]
_Call = Tuple[Any, Any]
_BEGINNINGS = frozenset(("model.started", "model.retrying", "model.failed"))


class Pieces:
    """
    Hands on pieces that were sent while nobody listened as one, and none twice.

    :param may_miss: whether pieces may be missing from the start, since the run began before its stream
    """

    def __init__(self, may_miss: bool) -> None:
        self._may_miss = may_miss
        self._said: Dict[_Call, str] = {}
        """Text that the reader has of each model call."""
        self._whole: Set[_Call] = set()
        """Calls whose whole text is there."""
        self._answer: Optional[Raw] = None
        """The answer of the run, as far as it has come."""

    def cut(self) -> None:
        """From now on pieces may be missing."""
        self._may_miss = True

    def apply(self, event: Raw) -> List[Raw]:
        """The event, after what was missing before it; nothing for what is there already."""
        kind, data = event.get("type"), event.get("data") or {}
        call = (event.get("agentId"), event.get("callId"))
        if "callId" not in event:
            return self._apply_to_run(event)
        if kind == "message.delta":
            self._said[call] = self._said.get(call, "") + data.get("text", "")
        elif kind == "message.snapshot":
            text = data.get("textSoFar", "")
            if self._may_miss:
                return self._fill(call, text, event)
            self._said[call] = text
        elif kind == "message.completed":
            if data.get("streamed") is False:
                return [event]
            is_missing = self._may_miss and call not in self._whole
            missing = self._fill(call, _text_of(data.get("content", [])), event) if is_missing else []
            self._said.pop(call, None)
            self._whole.add(call)
            return [*missing, event]
        elif kind in _BEGINNINGS:
            self._said.pop(call, None)
            self._whole.discard(call)
        return [event]

    def _apply_to_run(self, event: Raw) -> List[Raw]:
        """The answer of the run, which is of no call, is sent in several pieces where it is long, and handed on as one."""
        kind, answer = event.get("type"), self._answer
        if kind == "message.snapshot":
            self._answer = event
            return []
        if kind == "message.delta" and answer is not None:
            self._answer = {**answer, "data": {"textSoFar": answer["data"]["textSoFar"] + event["data"]["text"]}}
            return []
        if kind == "run.recovered":
            self._said.clear()
        self._answer = None
        return [event] if answer is None else [answer, event]

    def _fill(self, call: _Call, text: str, event: Raw) -> List[Raw]:
        """What is missing of a text, as a piece; where what the reader has is no beginning of it, the text in its place."""
        known = self._said.get(call, "")
        self._said[call] = text
        if text == known:
            return []
        data = {"text": text[len(known) :]} if text.startswith(known) else {"textSoFar": text}
        kind = "message.delta" if "text" in data else "message.snapshot"
        return [{**{name: value for name, value in event.items() if name != "seq"}, "type": kind, "data": data}]


def _text_of(content: List[Mapping[str, Any]]) -> str:
    return "".join(part.get("text", "") for part in content if part.get("type") == "text")
