"""Lists in pages: `limit` and `offset`, both within what the database counts with."""

from __future__ import annotations

from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

from studio.api.whole_numbers import LARGEST


class Pages(LimitOffsetPagination):
    """The pagination of every list of the interface."""

    class Input(Schema):
        """Which part of the list is wanted."""

        limit: int = Field(100, ge=1, le=10_000)
        offset: int = Field(0, ge=0, le=LARGEST)
