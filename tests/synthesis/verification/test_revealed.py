from datetime import datetime

import pytest

from synthesis.verification.revealed import Revealed, names_a_thing

CLOCK = datetime(2026, 3, 11, 8, 30)
INSTRUCTION = (
    "Mara Quillbrook, born 14 May 1984, hands over 60.00 this Friday. "
    "Her number is NH-204418. Wait two weeks."
)


@pytest.fixture
def tool(clinic):
    return clinic.tools.tool("find_patients")


def known(tool, name, value, *, observed=None):
    revealed = Revealed(INSTRUCTION, "", CLOCK)
    if observed is not None:
        revealed.observe(observed)
    return revealed.source_of(name, value, tool)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "Mara Quillbrook"),
        ("birth_date", "1984-05-14"),
        ("amount_cents", 6000),
        ("day", "2026-03-13"),
        ("day", "2026-03-12"),
        ("until", "2026-03-25"),
        ("member_number", "NH-204418"),
        ("limit", 20),
        ("flag", True),
    ],
)
def test_what_the_instruction_says_is_known(tool, name, value):
    assert known(tool, name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "Nadia Thornwick"),
        ("birth_date", "1990-02-08"),
        ("patient_id", 4),
        ("member_number", "NH-999"),
    ],
)
def test_what_nobody_said_is_not_known(tool, name, value):
    assert not known(tool, name, value)


def test_an_observation_reveals_its_values(tool):
    seen = {"items": [{"patient_id": 4, "name": "Nadia Thornwick"}]}
    assert known(tool, "patient_id", 4, observed=seen)
    assert known(tool, "name", "Nadia Thornwick", observed=seen)
    assert not known(tool, "patient_id", 5, observed=seen)


def test_a_number_may_be_computed_but_an_id_may_not(tool):
    seen = {"price": 40, "fee": 25}
    assert known(tool, "total", 65, observed=seen)
    assert not known(tool, "room_id", 65, observed=seen)


def test_an_id_of_another_thing_names_no_row():
    revealed = Revealed(INSTRUCTION, "", CLOCK)
    revealed.observe({"slot_id": 5})
    assert revealed.names_row("new_slot_id", 5)
    assert not revealed.names_row("patient_id", 5)


def test_a_copy_goes_its_own_way(tool):
    one = Revealed(INSTRUCTION, "", CLOCK)
    other = one.copy()
    other.observe({"patient_id": 4})
    assert other.source_of("patient_id", 4, tool)
    assert not one.source_of("patient_id", 4, tool)


POLICY = (
    "Kayaks cost 1.50 per piece and day. A late return costs 10 % of the price. Deposits come back by half. "
    "Storage is paid for three months, the first of them is free."
)


@pytest.mark.parametrize(
    ("value", "observed"),
    [
        (2700, {"pieces": 3, "from": "2026-03-12", "to": "2026-03-18"}),  # rate x pieces x days
        (4620, {"price_cents": 4200, "fee_percent": 10}),  # a price and 10 % of it
        (420, {"price_cents": 4200}),  # 10 %
        (2100, {"deposit_cents": 4200}),  # half
        (945, {"a": 310, "b": 320, "c": 315}),  # a sum of three
        (6, {"from": "2026-03-12", "to": "2026-03-18"}),  # days between
        (7, {"from": "2026-03-12", "to": "2026-03-18"}),  # both days counted
        ("27.00", {"pieces": 3, "days": 6}),
    ],
)
def test_short_chains_of_known_numbers_are_derived(value, observed):
    revealed = Revealed("Return my kayaks.", POLICY, CLOCK)
    revealed.observe(observed)
    assert revealed.derives(value)


@pytest.mark.parametrize("value", [918_273, "kayak", None, True, 9.37])
def test_what_follows_from_nothing_is_not_derived(value):
    revealed = Revealed("Return my kayaks.", POLICY, CLOCK)
    revealed.observe({"pieces": 3})
    assert not revealed.derives(value)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("patient_id", 5, True),
        ("slot_ids", [5, 6], True),
        ("reference", "SP-2471", True),
        ("due_on", "2026-03-18", False),
        ("amount_cents", 2700, False),
        ("note", "Two kayaks came back", False),
    ],
)
def test_ids_and_codes_name_a_thing(name, value, named):
    assert names_a_thing(name, value) is named
