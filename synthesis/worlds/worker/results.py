"""What generated code hands back, as JSON: nothing that JSON cannot say, nothing without bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

_LARGEST = 2**63


class Unfit(ValueError):
    """A value that cannot be handed on; the text says where it is and what is wrong with it."""


def encode(value: Any, *, max_bytes: int, max_depth: int, max_brackets: int) -> bytes:
    """A value as JSON bytes.

    Raises:
        Unfit: It is not JSON (a set, bytes, NaN, a generator, a cycle), too deep or too large.
    """
    try:
        text = orjson.dumps(
            value, _as_list, orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
        )
    except (TypeError, RecursionError) as error:
        raise Unfit(_unfit_reason(value, max_depth) or str(error)) from None
    if len(text) > max_bytes:
        raise Unfit(f"it takes {len(text):,} bytes as JSON; at most {max_bytes:,} are allowed")
    # orjson writes null for NaN and infinity, so only a text with a null in it needs to be looked through;
    # nesting beyond the limit needs that many brackets.
    brackets = text.count(b"[") + text.count(b"{")
    if brackets > max_brackets:
        raise Unfit(f"it contains {brackets:,} lists and objects; at most {max_brackets:,} are allowed")
    if b"null" in text or brackets > max_depth:
        plain = _is_plain(value, max_depth)
        if not plain and (validation_error := _unfit_reason(value, max_depth)):
            raise Unfit(validation_error)
    return text


def _is_plain(value: Any, max_depth: int) -> bool:
    """Whether a value that orjson took holds nothing but plain JSON; a quarter of what `_error_text` costs.

    False means that `_error_text` has to look. Texts and keys need no look: orjson refuses what is no Unicode
    and keys that are no text.
    """
    level = [value]
    for _ in range(max_depth + 1):
        inner: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                inner += item.values()
            elif kind is list:
                inner += item
            elif kind is float or kind is int:
                if not -_LARGEST <= item < _LARGEST:
                    return False
            elif kind is not str and kind is not bool and item is not None:
                return False
        if not inner:
            return True
        level = inner
    return False


def _as_list(value: Any) -> list[Any]:
    """A named tuple, which orjson does not take for a tuple."""
    if isinstance(value, tuple):
        return list(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")


def _unfit_reason(value: Any, max_depth: int) -> str:
    """The first thing in a value that JSON cannot say, with its place; empty if there is none."""
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack:
        place, item, depth = stack.pop()
        if depth > max_depth:
            return f"it is nested deeper than {max_depth} levels or refers to itself"
        if validation_error := _unfit_scalar(item):
            return f"{validation_error}{f' at {place}' if place else ''}"
        for step, inner in _members(item):
            if step is None:
                return f"it has a key that is not text{f' at {place}' if place else ''}: {inner!r:.80}"
            stack.append((f"{place}{step}", inner, depth + 1))
    return ""


def _members(item: Any) -> Iterator[tuple[str | None, Any]]:
    if isinstance(item, Mapping):
        for key, inner in item.items():
            yield (f".{key}", inner) if isinstance(key, str) else (None, key)
    elif isinstance(item, Sequence) and not isinstance(item, str | bytes | bytearray):
        for number, inner in enumerate(item):
            yield f"[{number}]", inner


def _unfit_scalar(item: Any) -> str:
    if item is None or isinstance(item, bool | dict | list | tuple):
        return ""
    if isinstance(item, str):
        try:
            item.encode()
        except UnicodeEncodeError:
            return "it contains a lone surrogate, which is not text"
        return ""
    if isinstance(item, int):
        return "" if -_LARGEST <= item < _LARGEST else "it contains an integer beyond 64 bits"
    if isinstance(item, float):
        return "" if math.isfinite(item) else f"it contains {item}, which is not a number in JSON"
    return f"it contains a {type(item).__name__}, which is not JSON"
