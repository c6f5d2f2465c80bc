"""The world's clock and chance for an application: modules that answer from the present call.

Only the application sees them; pydantic and SQLAlchemy keep the real ones, and no object is ever of a class
made here.
"""

from __future__ import annotations

import datetime as real
import os
import random
import time
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any

from synthesis.worlds.worker.call_context import CallContext

_EPOCH = real.datetime(1970, 1, 1)


class Moment:
    """The call that is running."""

    def __init__(self) -> None:
        self.context = CallContext(_EPOCH)

    @property
    def now(self) -> real.datetime:
        """The world's clock."""
        return self.context.now


def modules(moment: Moment) -> dict[str, ModuleType]:
    """Copies of the modules that tell time or draw numbers, by name; they answer from a moment."""
    return {
        "datetime": _copy(real, date=_date_class(moment), datetime=_datetime_class(moment)),
        "time": _copy(time, time=lambda: _seconds(moment), time_ns=lambda: int(_seconds(moment)) * 10**9),
        "random": _copy(random, **_drawing(moment)),
        "uuid": _copy(uuid, uuid4=lambda: _uuid(moment), uuid1=lambda *_, **__: _uuid(moment)),
        "os": _copy(os, urandom=_drawn_by(moment, "randbytes")),
    }


def _copy(module: ModuleType, **replaced: Any) -> ModuleType:
    copy = ModuleType(module.__name__)
    vars(copy).update({**vars(module), **replaced})
    return copy


def _drawing(moment: Moment) -> dict[str, Any]:
    """The functions of `random`, each of the present call's own generator."""
    names = [name for name in random.__all__ if not isinstance(getattr(random, name), type)]
    return {**{name: _drawn_by(moment, name) for name in names}, "seed": lambda *_, **__: None}


def _drawn_by(moment: Moment, name: str) -> Callable[..., Any]:
    def draw(*arguments: Any, **named: Any) -> Any:
        return getattr(moment.context.random, name)(*arguments, **named)

    return draw


def _seconds(moment: Moment) -> float:
    return (moment.now - _EPOCH).total_seconds()


def _uuid(moment: Moment) -> uuid.UUID:
    return uuid.UUID(int=moment.context.random.getrandbits(128), version=4)


class _StandIn(type):
    """A class that stands for another one: what it makes and what counts as its instance is of the other."""

    original: Any

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        return cls.original(*arguments, **named)

    def __getattribute__(cls, name: str) -> Any:
        own = name in ("now", "utcnow", "today", "original") or name.startswith("__")
        return type.__getattribute__(cls, name) if own else getattr(cls.original, name)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.original)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.original)

    def __get_pydantic_core_schema__(cls, _source: Any, handler: Any) -> Any:
        return handler.generate_schema(cls.original)


def _datetime_class(moment: Moment) -> type:
    class Datetime(real.datetime, metaclass=_StandIn):
        original = real.datetime

        @classmethod
        def now(cls, tz: real.tzinfo | None = None) -> Any:
            return moment.now if tz is None else moment.now.replace(tzinfo=real.UTC).astimezone(tz)

        @classmethod
        def utcnow(cls) -> Any:
            return moment.now

        @classmethod
        def today(cls) -> Any:
            return moment.now

    return Datetime


def _date_class(moment: Moment) -> type:
    class Date(real.date, metaclass=_StandIn):
        original = real.date

        @classmethod
        def today(cls) -> Any:
            return moment.now.date()

    return Date
