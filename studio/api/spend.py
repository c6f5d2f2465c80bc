"""Spend for programs: the ledger added up, against the limits."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Router, Schema

from studio.services.llm import spend

router = Router()


class SpendLimitOut(Schema):
    """A limit of the month and how much of it is used."""

    kind: str
    spent: float
    most: float
    reached: bool
    setting: str


class ShareOut(Schema):
    """What went to one stage, model or run; `cost` is empty where no price is known."""

    name: str
    calls: int
    failed: int
    tokens: int
    cached: int
    cost: float | None
    run: int | None = Field(None, alias="run.pk")


class SpendOut(Schema):
    """One month; money in US dollars, tokens are input plus output."""

    month: datetime
    total: ShareOut
    limits: list[SpendLimitOut]
    stages: list[ShareOut]
    models: list[ShareOut]
    runs: list[ShareOut]


@router.get("", response=SpendOut, summary="Cost of model calls in a month")
def read(request: HttpRequest, month: str = "") -> spend.Spend:
    """By stage, model and run (a batch is one run), most expensive first; `month` as 2026-11."""
    return spend.spend(month)
