"""Document: what every noun of the engine is, a frozen, closed value with a content fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=80)]
"""Name of an environment or a task: lower-case letters, digits and underscores."""

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=128)]
"""Name of a table, column or tool as the database or the language knows it."""


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes in lower-case hexadecimal, 64 characters."""
    return hashlib.sha256(content).hexdigest()


def canonical_json(value: Any) -> bytes:
    """One value, one byte string: UTF-8 JSON with sorted keys and no white space.

    Raises:
        TypeError: The value holds something JSON cannot express.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


class Document(BaseModel):
    """A frozen value: unknown fields are refused, equal content gives equal fingerprints."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        use_attribute_docstrings=True,
        ser_json_inf_nan="null",
    )

    @classmethod
    def of_valid_parts(cls, **parts: Any) -> Self:
        """A document of parts that are valid already: all of its fields, by name and in their order.

        As `model_construct`, which looks through the fields for defaults and aliases that nobody left out or
        used; a call and its step are made of three such documents.
        """
        document = cls.__new__(cls)
        object.__setattr__(document, "__dict__", parts)
        object.__setattr__(document, "__pydantic_fields_set__", set(parts))
        object.__setattr__(document, "__pydantic_extra__", None)
        object.__setattr__(document, "__pydantic_private__", None)
        return document

    def content(self) -> Any:
        """What the fingerprint covers, as plain JSON values; the whole document unless a class says less."""
        return self.model_dump(mode="json", by_alias=True)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return digest(canonical_json(self.content()))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed, not validated, without what was worked out from the old ones."""
        copied = super().model_copy(update=update, deep=deep)
        if update:
            for name in copied.__dict__.keys() - type(self).model_fields.keys():
                del copied.__dict__[name]
        return copied

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated like a new document."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate({**fields, **changes})
