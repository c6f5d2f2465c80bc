# ruff: noqa: E501 - the texts that are replaced stand here as they stand in the files
"""Planted faults of schema, rows, invariants, tasks and verifiers that a language model makes."""

from __future__ import annotations

from typing import Any

from benchmarks.planted_faults import (
    Fault,
    Plant,
    both,
    in_row,
    in_schema,
    in_task,
    in_tools,
    in_verifier,
    rebuilt,
)
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Tasks
from synthesis.documents.verifiers import Verifiers
from synthesis.worlds.invariants import read_invariants

_MOVE = "move_cardiology_follow_up"
_LATE = "cancel_late_and_waive_fee"
_PAY = "check_in_and_take_payment"
_SWITCH = "switch_insurance_and_phone"
_HAND = "hand_freed_slot_to_waiting_list"
_ROOM = "empty_a_leaking_room"
_WAIT = "book_or_put_on_waiting_list"
_OWED = "read_total_owed"
_FRIDAY = "read_first_friday_patient"

NEAR = "near_misses_are_refused"
HOLD = "declared_invariants_hold"
FACTS = "asked_facts_are_required"
TWICE = "nothing_is_there_twice"


def with_invariants(source: str) -> Plant:
    """Other declared invariants."""
    return lambda environment: rebuilt(environment, invariants=read_invariants(source))


def with_copy(task: str, **changes: Any) -> Plant:
    """A task, with its verifier, a second time under another id."""

    def plant(environment: Environment) -> Environment:
        original, verifier = environment.task(task), environment.verifier(task)
        assert original is not None
        assert verifier is not None
        copied = original.replace(id=f"{task}_again", **changes)
        return rebuilt(
            environment,
            tasks=Tasks(tasks=(*environment.tasks.tasks, copied)),
            verifiers=Verifiers(
                verifiers=(*environment.verifiers.verifiers, verifier.replace(task_id=copied.id))
            ),
        )

    return plant


def _without(task: str, *texts: str) -> Fault:
    name = f"a verifier of {task} without {texts[0].strip(' ,')}"
    return Fault(name, "verifiers", in_verifier(task, *((text, "") for text in texts)), NEAR)


TASK_FAULTS: tuple[Fault, ...] = (
    Fault(
        "a price that rounds",
        "schema",
        in_schema("price_cents   INTEGER NOT NULL", "price_cents   REAL NOT NULL"),
        "amounts_are_exact",
    ),
    Fault(
        "an amount that rounds",
        "schema",
        in_schema("amount_cents   INTEGER NOT NULL", "amount_cents   DOUBLE NOT NULL"),
        "amounts_are_exact",
    ),
    Fault(
        "a bill state that nothing reaches",
        "schema",
        in_schema("'waived', 'void')", "'waived', 'void', 'archived')"),
        "states_can_be_reached",
    ),
    Fault(
        "a waiting state that nothing reaches",
        "schema",
        in_schema("'booked', 'withdrawn')", "'booked', 'withdrawn', 'expired')"),
        "states_can_be_reached",
    ),
    Fault(
        "a reference that is not declared",
        "schema",
        in_schema(
            "patient_id     INTEGER NOT NULL REFERENCES patients (id),\n    appointment_id INTEGER REFERENCES appointments (id),\n    template",
            "patient_id     INTEGER NOT NULL,\n    appointment_id INTEGER REFERENCES appointments (id),\n    template",
        ),
        "references_are_declared",
    ),
    Fault(
        "a seed row that names nobody without a foreign key",
        "seed_data",
        both(
            in_schema(
                "patient_id    INTEGER NOT NULL REFERENCES patients (id),\n    department_id",
                "patient_id    INTEGER NOT NULL,\n    department_id",
            ),
            in_row("referrals", 0, patient_id=999),
        ),
        "references_are_declared",
    ),
    Fault("a booked slot that nobody has", "seed_data", in_row("slots", 28, status="booked"), HOLD),
    Fault("a payment above its bill", "seed_data", in_row("payments", 0, amount_cents=999_999), HOLD),
    Fault(
        "a cancellation that frees no slot",
        "tools",
        in_tools(
            (
                '    db.execute("UPDATE slots SET status = \'open\' WHERE id = ?", appointment["slot_id"])\n',
                "",
            )
        ),
        HOLD,
    ),
    Fault(
        "a bill that is paid by any payment",
        "tools",
        in_tools(("    if amount_cents == outstanding:\n", "    if amount_cents:\n")),
        HOLD,
    ),
    Fault(
        "a payment of more than is owed",
        "tools",
        in_tools(("    if not 1 <= amount_cents <= outstanding:\n", "    if not 1 <= amount_cents:\n")),
        HOLD,
    ),
    Fault(
        "an invariant over a table that is not there",
        "invariants",
        with_invariants(
            'def bills_add_up(db) -> bool:\n    """Bills add up."""\n    return not db.query("SELECT id FROM bills")\n'
        ),
        HOLD,
    ),
    Fault(
        "an invariant that returns a number",
        "invariants",
        with_invariants(
            'def payments_are_few(db) -> bool:\n    """There are few payments."""\n    return db.one("SELECT count(*) AS n FROM payments")["n"]\n'
        ),
        HOLD,
    ),
    Fault("a task that is there twice", "tasks", with_copy(_MOVE), TWICE),
    Fault("a question that is there twice", "tasks", with_copy(_OWED), TWICE),
    Fault(
        "a task that is there twice in other words",
        "tasks",
        with_copy(
            _SWITCH,
            instruction="Please change the insurer and the phone number of Rosalind Peakmoor, born 31 December 1999, as she asked: cover with Larkspur Mutual until 31 March 2026, Northgate Health with NH-204418 from 1 April 2026 to 31 March 2027, phone 555-0177.",
        ),
        TWICE,
    ),
    Fault(
        "a patient with a namesake",
        "tasks",
        both(
            in_row("patients", 1, first_name="Mara", last_name="Quillbrook"),
            in_task(_MOVE, instruction=lambda text: text.replace(", born 14 May 1984,", "")),
        ),
        "names_mean_one_row",
    ),
    Fault("a question without a fact", "tasks", in_task(_OWED, answer_facts=()), FACTS),
    Fault("another question without a fact", "tasks", in_task(_FRIDAY, answer_facts=()), FACTS),
    Fault("an amount that is asked for and not required", "tasks", in_task(_PAY, answer_facts=()), FACTS),
    Fault("a name that is asked for and not required", "tasks", in_task(_HAND, answer_facts=()), FACTS),
    _without(
        _MOVE,
        '    yield check("the old slot is open", _changed(before, after, "slots", 19) == {"status": "open"})\n',
    ),
    _without(_MOVE, 'template="moved", '),
    _without(_MOVE, "appointment_id=16, "),
    _without(_LATE, 'kind="late_cancellation", '),
    _without(_LATE, 'waive_reason="illness", '),
    _without(_LATE, "amount_cents=4000, "),
    _without(_SWITCH, ', valid_until="2027-03-31"'),
    _without(_SWITCH, ', member_number="NH-204418"'),
    _without(
        _HAND,
        '    yield check("his waiting-list entry is booked", _changed(before, after, "waitlist_entries", 6) == {"status": "booked"})\n',
    ),
    _without(_WAIT, ', latest_on="2026-04-03"'),
    _without(_WAIT, "visit_type_id=6, "),
    Fault(
        "a verifier whose guard allows a whole table",
        "verifiers",
        in_verifier(
            _ROOM, ('changes.only(("slots", 10), ("slots", 11), ("slots", 13))', 'changes.only(("slots",))')
        ),
        NEAR,
    ),
    Fault(
        "a verifier that lets other columns change",
        "verifiers",
        in_verifier(
            _SWITCH,
            (
                'set(_changed(before, after, "patients", 14) or ()) == {"phone"}',
                'set(_changed(before, after, "patients", 14) or ()) >= {"phone"}',
            ),
        ),
        NEAR,
    ),
    Fault(
        "a verifier that takes at least one",
        "verifiers",
        in_verifier(_PAY, ("return len(rows) == 1 and all(", "return len(rows) >= 1 and all(")),
        NEAR,
    ),
    Fault(
        "a verifier that takes a second row with another value in its unique column",
        "verifiers",
        in_verifier(_HAND, ("return len(rows) == 1 and all(", "return len(rows) >= 1 and all(")),
        NEAR,
    ),
)
"""Faults of the other parts, each with the claim that finds it."""
