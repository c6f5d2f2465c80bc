"""Offered goals: which goals a business offers, by the shapes of its processes and by whether it bills."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.procedural.business import (
    goals_decide,
    goals_ends,
    goals_entry,
    goals_hold,
    goals_money,
    goals_open,
    goals_seat,
    goals_slot,
    goals_supply,
    goals_units,
    goals_work,
)
from synthesis.procedural.business.model import Process
from synthesis.procedural.business.play import TaskBuilder, TaskDraft

Goal = Callable[[TaskBuilder], TaskDraft]

OF_PROCESS: dict[str, tuple[Callable[[TaskBuilder, Process], TaskDraft], ...]] = {
    "hold": (
        goals_hold.choose,
        goals_hold.extend_each,
        goals_hold.late_return,
        goals_ends.lost,
        goals_ends.call_off,
        goals_units.clear_unit,
        goals_units.refuse_standing,
        goals_units.refuse_extension,
        goals_open.open_of,
    ),
    "slot": (
        goals_slot.choose_hours,
        goals_slot.earliest_hour,
        goals_slot.refuse_hours,
        goals_ends.lost,
        goals_ends.call_off,
        goals_units.clear_unit,
        goals_units.refuse_standing,
        goals_open.open_of,
    ),
    "seat": (
        goals_seat.fill_place,
        goals_seat.next_with_room,
        goals_seat.clear_event,
        goals_seat.places_left,
        goals_seat.refuse_places,
    ),
    "supply": (
        goals_supply.within_budget,
        goals_supply.while_stock_lasts,
        goals_supply.cover_orders,
        goals_supply.returns_in_time,
        goals_supply.refuse_return,
        goals_supply.resize_packs,
        goals_supply.fulfil_or_hand_over,
        goals_open.open_of,
    ),
    "work": (
        goals_work.assign,
        goals_decide.decide_or_hand_over,
        goals_decide.decide_by_result,
        goals_work.stand_in,
        goals_work.start,
        goals_work.busiest,
        goals_work.refuse_assignment,
        goals_open.open_of,
        goals_open.postpone_first,
    ),
}
"""By shape of a process: the goals it offers."""

OF_STATED: tuple[Callable[[TaskBuilder, Process], TaskDraft], ...] = (
    goals_entry.refuse_entry,
    goals_entry.as_allowed,
    goals_entry.one_of_two,
)
"""Goals that a process offers for which the sentence states rules of new records."""

OF_PRICED: tuple[Callable[[TaskBuilder, Process], TaskDraft], ...] = (goals_units.quote,)
"""Goals that a process offers whose units cost by category."""

OF_RECURRING: tuple[Callable[[TaskBuilder, Process], TaskDraft], ...] = (
    goals_work.close_and_enter_next,
    goals_work.last_and_next,
)
"""Goals that a process offers whose work recurs."""

OF_BUSINESS: tuple[Goal, ...] = (goals_money.namesake, goals_money.contact)
"""Goals that every business offers."""

OF_CHARGES: tuple[Goal, ...] = (
    goals_open.follow_up,
    goals_money.paid_twice,
    goals_money.waive_or_hand_over,
    goals_money.total_owed,
    goals_money.settle_oldest,
    goals_open.refuse_follow_up,
)
"""Goals that a business offers which bills somebody."""

OF_RECORDS: tuple[Goal, ...] = (
    goals_open.follow_up,
    goals_open.refuse_follow_up,
    goals_open.entered_twice,
)
"""Goals that a business offers which bills nobody."""
