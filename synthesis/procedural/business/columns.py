"""Columns: what each kind of table of a business keeps about a row."""

from __future__ import annotations

import random

from synthesis.procedural.business.acts import results_of
from synthesis.procedural.business.amounts import is_packed
from synthesis.procedural.business.categories import categories_of
from synthesis.procedural.business.fees import amount_of, counted_in
from synthesis.procedural.business.measures import measure_columns
from synthesis.procedural.business.model import BusinessColumn, BusinessTable
from synthesis.procedural.business.planned import PlannedProcess, kind_of
from synthesis.procedural.business.terms import term_columns
from synthesis.procedural.composing.wording import snake

_MOST_CATEGORIES, _FEW_KINDS = 7, 2
_GRADES = ("junior", "senior", "lead")
"""Of those in whose day appointments are."""


def text_column(name: str, *, detail: bool = False) -> BusinessColumn:
    """A text; of a `detail` only the tool for one row tells."""
    return BusinessColumn(name, "text", detail=detail)


def choice_column(
    name: str, choices: tuple[str, ...], *, about: str = "", filter: bool = False
) -> BusinessColumn:
    """One of several values; lists can be narrowed by it where `filter`."""
    return BusinessColumn(name, "choice", choices=choices, about=about, filter=filter)


def reference_to(table: BusinessTable, *, about: str = "", filter: bool = False) -> BusinessColumn:
    """The key of a row of another table."""
    return BusinessColumn(table.key, "ref", table=table.name, about=about or table.noun, filter=filter)


def party_columns(
    tiers: tuple[str, ...], kinds: tuple[str, ...], *, aged: bool = False
) -> list[BusinessColumn]:
    """Columns of those a business deals with.

    Args:
        tiers: The two tiers they are in.
        kinds: The sentence's words with no other home.
        aged: Whether their age matters.
    """
    columns = [
        text_column("name"),
        text_column("email", detail=True),
        text_column("phone", detail=True),
        text_column("city"),
        BusinessColumn("joined_on", "day", detail=True),
        *((BusinessColumn("born_on", "day", about="date of birth"),) if aged else ()),
        choice_column("tier", tiers, filter=True),
        choice_column("standing", ("good", "suspended"), filter=True),
    ]
    return [*columns, choice_column("kind", (*kinds, "other"))] if kinds else columns


def staff_columns(roles: tuple[str, ...], skills: tuple[str, ...]) -> list[BusinessColumn]:
    """Columns of those who work there; who has no skill has a role in which none is asked for."""
    skill = [BusinessColumn("skill", "choice", choices=skills, null=True, filter=True)] if skills else []
    return [
        text_column("name"),
        choice_column("role", roles, filter=True),
        *skill,
        BusinessColumn("on_duty", "flag", filter=True),
    ]


def condition_columns(states: list[str]) -> list[BusinessColumn]:
    """The column that keeps in what state something is, where the sentence says it."""
    conditions = tuple(dict.fromkeys([*map(snake, states), "ordinary"]))
    return [choice_column("condition", conditions)] if states else []


def item_columns(planned: PlannedProcess, owner: BusinessTable, rng: random.Random) -> list[BusinessColumn]:
    """Columns of what somebody brings along, such as the yacht that is stored."""
    return [
        text_column("name"),
        choice_column("category", _categories(planned.item, planned.kinds, rng), filter=True),
        *condition_columns(planned.states),
        reference_to(owner, about="owner", filter=True),
        *measure_columns(planned.item),
    ]


def _categories(
    noun: str, kinds: list[str], rng: random.Random, *, unknown: str = "thing"
) -> tuple[str, ...]:
    if kinds:  # what the sentence names is not mixed with sizes
        named = tuple(dict.fromkeys(map(snake, kinds)))[:_MOST_CATEGORIES]
        return named if len(named) > _FEW_KINDS else (*named, "other")
    # of gala performances none is of the category "gala"
    drawn = categories_of(noun, rng, unknown=unknown)
    return tuple(each for each in drawn if each not in noun.split()) or drawn


def subject_columns(
    planned: PlannedProcess, noun: str, party: BusinessTable, place: BusinessTable, rng: random.Random
) -> list[BusinessColumn]:
    """Columns of what a process is about: units, events, stocked items, or things worked on.

    Args:
        planned: The process.
        noun: What one of them is called.
        party: Who owns things that are worked on.
        place: Where units and events are.
        rng: Where the categories come from.
    """
    kinds, states = ([], []) if planned.item else (planned.kinds, planned.states)
    shape = planned.pattern.shape
    unknown = {"seat": "event", "supply": "stock"}.get(shape, "thing")
    if shape == "work" and noun != planned.object:
        unknown = "record"  # matters and tariffs
    columns = [
        text_column("name"),
        choice_column(
            "category",
            _GRADES
            if planned.staffed
            else tuple(planned.category_cents) or _categories(noun, kinds, rng, unknown=unknown),
            about="grade" if planned.staffed else "",
            filter=True,
        ),
        *condition_columns(states),
    ]
    if shape == "hold":
        lost = "lost" in planned.pattern.states
        columns += [
            reference_to(place),
            *measure_columns(noun),
            rank_column(planned),
            *(
                []
                if planned.free or not lost
                else [BusinessColumn("replacement_cents", "money", detail=True)]
            ),
            *([] if planned.deposit is None else [BusinessColumn("deposit_cents", "money", detail=True)]),
            BusinessColumn("active", "flag"),
        ]
    elif shape == "slot":
        columns += [reference_to(place), rank_column(planned), BusinessColumn("active", "flag")]
    elif shape == "seat":
        columns += [
            reference_to(place),
            BusinessColumn("starts_on", "day"),
            BusinessColumn("capacity", "count"),
            *([] if planned.free else [BusinessColumn("price_cents", "money")]),
            choice_column("status", ("scheduled", "called_off"), filter=True),
        ]
    elif shape == "supply":
        columns += [
            *([] if planned.free else [BusinessColumn("unit_price_cents", "money")]),
            *([BusinessColumn("pack_size", "count")] if is_packed(noun, party.noun) else []),
            BusinessColumn("stock", "count"),
            BusinessColumn("active", "flag"),
        ]
    elif _is_of_party(planned, noun):
        columns += [
            reference_to(party, about="owner", filter=True),
            *([BusinessColumn("value_cents", "money", detail=True)] if _is_valued(planned) else []),
        ]
    elif kind_of(noun, "record") != "place":  # an offer for a flat has no usual price
        columns += [
            *([] if planned.free else [BusinessColumn("standard_cents", "money", about="standard price")]),
            BusinessColumn("target_days", "count"),
        ]
    return columns


def _is_valued(planned: PlannedProcess) -> bool:
    """work: whether what a thing is worth matters to what is done to it."""
    return not planned.free and planned.name != "visit"


def _is_of_party(planned: PlannedProcess, noun: str) -> bool:
    """work: whether what it is done to belongs to those it is for, as the houses that are visited do."""
    kind, done_to = kind_of(noun, "record"), noun == planned.object
    return done_to and (kind == "thing" or planned.name == "visit") and planned.name != "commission"


def rank_column(planned: PlannedProcess) -> BusinessColumn:
    """By what units are chosen: what one costs, or of what costs nothing, or all the same, how often it was
    had."""
    if planned.staffed and (planned.free or planned.service):
        return BusinessColumn("visits_so_far", "count", about="visits so far this year")
    if planned.free:
        return BusinessColumn("times_used", "count", about="times used so far")
    return price_column(planned)


def service_columns(planned: PlannedProcess) -> list[BusinessColumn]:
    """Columns of what people come for."""
    price = [] if planned.free else [BusinessColumn("price_cents", "money")]
    return [text_column("name"), BusinessColumn("hours", "count", about="hours it takes"), *price]


def price_column(planned: PlannedProcess) -> BusinessColumn:
    """What a unit costs by the day, or by the hour or month where it is booked for those; or the service."""
    if planned.service:
        return BusinessColumn("price_cents", "money")
    if planned.pattern.shape == "slot":
        return BusinessColumn("hourly_cents", "money", about="price per hour")
    if planned.monthly:
        return BusinessColumn("monthly_cents", "money", about="price per month")
    return BusinessColumn("daily_cents", "money", about="price per day")


_DEPOSIT = (
    BusinessColumn("deposit_cents", "money", detail=True),
    choice_column("deposit_status", ("held", "given_back", "kept")),
)
"""What is left as a security, and what became of it."""
_OF_ORDERS = ("unit_price", "total")


def record_columns(
    planned: PlannedProcess,
    party: BusinessTable,
    subject: BusinessTable,
    further: list[BusinessTable],
    staff: BusinessTable,
) -> list[BusinessColumn]:
    """Columns of the records of a process, by its shape.

    Args:
        planned: The process.
        party: Whom a record is for.
        subject: What it is about.
        further: What is brought along or come for, if anything.
        staff: Who deals with it, where somebody does.
    """
    pattern = planned.pattern
    columns = [
        BusinessColumn("number", "number"),
        reference_to(party, filter=True),
        reference_to(subject, filter=True),
        *map(reference_to, further),
        choice_column("status", pattern.states, filter=True),
    ]
    columns += {
        "hold": [
            BusinessColumn("booked_on", "day", detail=True),
            BusinessColumn("starts_on", "day"),
            BusinessColumn("ends_on", "day"),
            BusinessColumn("extensions", "count", detail=True),
            *([] if planned.free else [price_column(planned)]),
            *([] if planned.deposit is None else _DEPOSIT),
        ],
        "slot": [
            BusinessColumn("booked_on", "day", detail=True),
            BusinessColumn("starts_on", "day"),
            BusinessColumn("from_hour", "count"),
            BusinessColumn("hours", "count"),
            *([] if planned.free else [price_column(planned)]),
        ],
        "seat": [BusinessColumn("registered_on", "day"), BusinessColumn("places", "count")],
        "supply": [
            BusinessColumn("quantity", "count"),
            *([] if planned.free else [BusinessColumn(f"{each}_cents", "money") for each in _OF_ORDERS]),
            BusinessColumn("placed_on", "day"),
            BusinessColumn("due_on", "day"),
        ],
        "work": [
            BusinessColumn(staff.key, "ref", table=staff.name, null=True, about=staff.noun, filter=True),
            choice_column("priority", ("normal", "urgent"), filter=True),
            _amount_column(planned),
            BusinessColumn("opened_on", "day"),
            BusinessColumn("due_on", "day"),
            BusinessColumn("result", "choice", choices=results_of(planned), null=True),
        ],
    }[pattern.shape]
    columns.append(BusinessColumn("closed_on", "day", null=True, detail=True))
    # of what is booked for hours, the price says so already
    terms = [term for term in planned.terms if (pattern.shape, term) != ("slot", "hour")]
    columns += term_columns(terms, planned.rated)
    return columns


def _amount_column(planned: PlannedProcess) -> BusinessColumn:
    """What a matter comes to: an amount of money, or what is counted where it costs nothing."""
    if counted := counted_in(planned):
        return BusinessColumn(snake(counted), "count", about=f"number of {counted}")
    return BusinessColumn("amount_cents", "money", about=amount_of(planned))


def charge_columns(party: BusinessTable, late: tuple[str, ...], *, lost: bool) -> list[BusinessColumn]:
    """Columns of what a party is charged; `late` are the kinds of charges for days after an end, and `lost`
    whether there are such for things that do not come back."""
    kinds = ("service", *late, "cancellation", *(("replacement",) if lost else ()), "damage")
    return [
        BusinessColumn("number", "number"),
        reference_to(party, filter=True),
        text_column("reference"),
        choice_column("kind", kinds),
        BusinessColumn("amount_cents", "money"),
        choice_column("status", ("open", "paid", "waived"), filter=True),
        BusinessColumn("raised_on", "day"),
        BusinessColumn("due_on", "day"),
    ]


def payment_columns(charge: BusinessTable, rng: random.Random) -> list[BusinessColumn]:
    """Columns of what is paid for a charge."""
    methods = tuple(rng.sample(("card", "transfer", "cash", "direct_debit"), 3))
    return [
        reference_to(charge, filter=True),
        BusinessColumn("amount_cents", "money"),
        choice_column("method", methods),
        BusinessColumn("paid_on", "day"),
        choice_column("status", ("received", "voided"), filter=True),
    ]


def notice_columns(party: BusinessTable, further: tuple[str, ...] = ()) -> list[BusinessColumn]:
    """Columns of what a party is written, on `further` occasions as well."""
    kinds = tuple(dict.fromkeys(("overdue", "confirmation", "change", "place_free", *further)))
    return [
        reference_to(party, filter=True),
        text_column("reference"),
        choice_column("kind", kinds, filter=True),
        BusinessColumn("sent_on", "day"),
    ]


def handover_columns(staff: BusinessTable, *, by_result: bool) -> list[BusinessColumn]:
    """Columns of what is handed to one who may decide it, `by_result` also for how something came out."""
    reasons = ("above_limit", *(("result",) if by_result else ()), "complaint", "unclear")
    return [
        text_column("reference"),
        reference_to(staff, filter=True),
        choice_column("reason", reasons),
        BusinessColumn("opened_on", "day"),
    ]
