"""Variable: one setting of the process environment, as people are told what may be written in it."""

from __future__ import annotations

import enum
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BeforeValidator, GetCoreSchemaHandler, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema
from pydantic_settings import NoDecode

from studio.work_queue import WorkQueue

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class BadVariable(ValueError):
    """A variable has a value that cannot be used; the text names it and what is allowed."""


class BeginsWith:
    """Limits an address to some schemes.

    Args:
        schemes: Those allowed, without "://".
    """

    def __init__(self, *schemes: str) -> None:
        self.schemes = schemes

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, address: str | SecretStr | None) -> str | SecretStr | None:
        text = address.get_secret_value() if isinstance(address, SecretStr) else address
        if text is not None and not text.startswith(tuple(f"{scheme}://" for scheme in self.schemes)):
            raise ValueError("the scheme is not allowed")
        return address


def _split(raw: str | Sequence[str]) -> Sequence[str]:
    return [name.strip() for name in raw.split(",") if name.strip()] if isinstance(raw, str) else raw


def _expand_home(raw: str | Path | None) -> Path | None:
    return None if raw is None else Path(raw).expanduser()


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Names separated by commas."""

Queues = Annotated[tuple[WorkQueue, ...], NoDecode, BeforeValidator(_split)]
"""Work queues separated by commas."""

Folder = Annotated[Path | None, BeforeValidator(_expand_home)]
"""A folder, ~ for the user's own."""


def shown(secret: SecretStr | None) -> str:
    """The value of a secret, for whoever needs it; empty when it is not set."""
    return "" if secret is None else secret.get_secret_value()


def variable_name(field: FieldInfo) -> str:
    """The name as it is written in the shell."""
    assert isinstance(field.validation_alias, str)
    return field.validation_alias


def is_secret(field: FieldInfo) -> bool:
    """Whether the value must never be shown."""
    return SecretStr in _types(field)


def allowed(field: FieldInfo) -> str:
    """What may be written, in words."""
    schemes = [each for each in field.metadata if isinstance(each, BeginsWith)]
    if schemes:
        return "an address that begins with " + " or ".join(f"{scheme}://" for scheme in schemes[0].schemes)
    (kind,) = _types(field)
    if get_origin(kind) is tuple and (choices := _choices(get_args(kind)[0])):
        return "one or more, separated by commas, of " + ", ".join(choices)
    if choices := _choices(kind):
        return "one of " + ", ".join(choices)
    nouns = {int: "whole number", float: "number", Path: "folder"}
    return f"a {nouns.get(kind, 'text')}{_bounds(field)}"


def _types(field: FieldInfo) -> tuple[Any, ...]:
    """The types of a field but for None."""
    kind = field.annotation
    if get_origin(kind) not in (Union, types.UnionType):
        return (kind,)
    return tuple(each for each in get_args(kind) if each is not type(None))


def _choices(kind: Any) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return tuple(str(member.value) for member in kind)
    return (*TRUE, *FALSE) if kind is bool else ()


def _bounds(field: FieldInfo) -> str:
    lowest = next((each.ge for each in field.metadata if isinstance(each, Ge)), None)
    highest = next((each.le for each in field.metadata if isinstance(each, Le)), None)
    if lowest is None:
        return "" if highest is None else f" of at most {highest}"
    return f" of {lowest} or more" if highest is None else f" from {lowest} to {highest}"
