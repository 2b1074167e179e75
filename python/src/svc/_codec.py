"""Turns JSON into the classes of `svc.types` and keyword arguments into JSON."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, Mapping, Type, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Answer:
    """Something that the server answered."""

    raw: Mapping[str, Any] = {}
    """What the server sent, with the fields that this version does not know. Empty where a program made the object."""


def to_camel(name: str) -> str:
    """The name of a field on the wire: `cost_usd` is `costUsd`, `from_` is `from`."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


@lru_cache(maxsize=None)
def _shape(cls: Any) -> tuple[tuple[str, str, Any, bool], ...]:
    """Name, name on the wire, type, and whether it must be there, of each field."""
    hints = get_type_hints(cls)
    return tuple((field.name, to_camel(field.name), hints[field.name], field.default is MISSING) for field in fields(cls))


def decode(cls: Type[T], raw: Mapping[str, Any], **known: Any) -> T:
    """
    Makes an object of a class from JSON.

    A field that the server left out has the empty value of its type, so that a client reads servers of other versions;
    `raw` says what was sent.

    :param known: fields that are decoded already
    """
    values = {
        name: known[name] if name in known else decode_as(hint, raw.get(key), is_required)
        for name, key, hint, is_required in _shape(cast(Any, cls))
    }
    made = cls(**values)
    object.__setattr__(made, "raw", raw)
    return made


def decode_as(hint: Any, value: Any, is_required: bool = False) -> Any:
    """Reads a value of any type."""
    if value is None:
        return _empty(hint) if is_required else None
    if is_dataclass(hint) and isinstance(hint, type):
        return decode(hint, value) if isinstance(value, dict) else value
    origin = get_origin(hint)
    if origin is tuple and isinstance(value, list):
        item = get_args(hint)[0]
        return tuple(decode_as(item, each) for each in value)
    if origin is dict and isinstance(value, dict):
        item = get_args(hint)[1]
        return {key: decode_as(item, each) for key, each in value.items()}
    if origin is Union:
        return decode_as(_choose(get_args(hint), value), value)
    return value


def _choose(hints: tuple[Any, ...], value: Any) -> Any:
    """Of several types, the first class whose needed fields are all there; else the last one."""
    classes = [hint for hint in hints if hint is not type(None)]
    if isinstance(value, dict):
        for hint in classes:
            if is_dataclass(hint) and all(key in value for _, key, _, needed in _shape(cast(Any, hint)) if needed):
                return hint
    return classes[-1]


_EMPTY: dict[Any, Any] = {str: "", int: 0, float: 0.0, bool: False, tuple: (), dict: {}}


def _empty(hint: Any) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return decode(hint, {})
    origin = get_origin(hint)
    if origin is Union:
        return None
    if origin is not None and not isinstance(origin, type):
        return ""  # one of several words
    return _EMPTY.get(origin or hint)


def encode(value: Any, free: frozenset[str]) -> Any:
    """
    Makes JSON of what a caller handed over: names in camelCase, and nothing for `None`.

    :param free: names of fields whose values are the caller's own, and stay as they are
    """
    if isinstance(value, Answer) and value.raw:
        return value.raw
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {
            to_camel(name): each if name in free else encode(each, free)
            for name, each in value.items()
            if each is not None
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(each, free) for each in value]
    return value
