"""Reading: bytes of one file into values, with errors that name the file, the line and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, overload

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from synthesis.errors import InvalidBundle

T = TypeVar("T")
D = TypeVar("D", bound=BaseModel)
_MOST_BRACKETS, _MOST_COMMAS = 2_000_000, 6_000_000
"""In one file, those inside texts too."""


def text(name: str, content: bytes) -> str:
    """The text of a UTF-8 file, line endings untouched.

    Raises:
        InvalidBundle: It is not UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidBundle(f"{name}, line {line}: is not UTF-8; save the file as UTF-8.") from error


def json_value(name: str, content: bytes) -> Any:
    """The value of a JSON file.

    Raises:
        InvalidBundle: It is not JSON.
    """
    text(name, content)
    _refuse_dense(name, content)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidBundle(f"{name}, line {error.lineno}: is not JSON: {error.msg}.") from error


def json_lines(name: str, content: bytes) -> Iterator[tuple[str, Any]]:
    """The value of every line of a JSON-lines file, each with its place in words; blank lines are skipped.

    Raises:
        InvalidBundle: A line is not JSON.
    """
    text(name, content)
    _refuse_dense(name, content)
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            yield where, orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise InvalidBundle(f"{where}: is not a JSON value on one line: {error.msg}.") from error


def _refuse_dense(name: str, content: bytes) -> None:
    """Read, a list of three bytes takes seventy: what is read is bounded by what it holds, not by its size.

    Raises:
        InvalidBundle: The file holds more values than any bundle does.
    """
    for what, most, count in (
        ("lists and objects", _MOST_BRACKETS, content.count(b"[") + content.count(b"{")),
        ("values", _MOST_COMMAS, content.count(b",")),
    ):
        if count > most:
            raise InvalidBundle(
                f"{name}: contains {count:,} {what}; a file of a bundle may contain {most:,}."
            )


@overload
def as_type(where: str, type_: type[D], value: Any) -> D: ...


@overload
def as_type(where: str, type_: TypeAdapter[T], value: Any) -> T: ...


def as_type(where: str, type_: type[D] | TypeAdapter[T], value: Any) -> D | T:
    """A value as one of our documents or as what an adapter says.

    Raises:
        InvalidBundle: It does not fit; the text lists the first invalid_fields and the fields there are.
    """
    try:
        return type_.validate_python(value) if isinstance(type_, TypeAdapter) else type_.model_validate(value)
    except ValidationError as error:
        raise InvalidBundle(f"{where}: {invalid_fields(error, type_)}") from error


def invalid_fields(error: ValidationError, type_: Any = None) -> str:
    """Three invalid fields of a validation as one line, fields that do not exist first."""
    problems = []
    typed_dicts = sorted(
        error.errors(include_url=False), key=lambda problem: problem["type"] != "extra_forbidden"
    )
    for problem in typed_dicts[:3]:
        place = ".".join(str(step) for step in problem["loc"])
        if problem["type"] == "extra_forbidden":
            problems.append(f"{place}: unknown field{_known(type_, problem['loc'])}")
        else:
            message = problem["msg"].removeprefix("Value error, ")
            problems.append(f"{place}: {message}" if place else message)
    return "; ".join(problems) + "."


def _known(type_: Any, place: tuple[int | str, ...]) -> str:
    """The fields of a document, where the misfit lies directly in it."""
    if len(place) != 1 or not (isinstance(type_, type) and issubclass(type_, BaseModel)):
        return ""
    return f" (it has {', '.join(field.alias or name for name, field in type_.model_fields.items())})"
