from datetime import datetime

import pytest

from synthesis.verification.revealed import Revealed, names_an_entity

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
        (1050, {"deposit_cents": 4200}),  # a quarter
        (4200, {"price": 42}),  # cents of whole units
        (42, {"price_cents": 4200}),  # whole units of cents
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
    assert names_an_entity(name, value) is named


@pytest.mark.parametrize(
    ("value", "known"),
    [
        *((65, 1), (15, 1), (-15, 1), (1000, 1), (80, 1), (66, 0), (7, 0)),
        *((4000, 1), (2500, 1), (140, 0), (-60, 0), (108, 0), (76, 0), (32, 0), (0.4, 0)),
    ],
)
def test_a_number_is_computed_from_two_known_ones(tool, value, known):
    revealed = Revealed("", "", CLOCK)
    revealed.observe({"price": 40, "fee": 25})
    assert revealed.source_of("total", value, tool) is bool(known)


@pytest.mark.parametrize(
    ("value", "known"), [(-1, False), (0, True), (1, True), (2, False), (4000, True), (4001, False)]
)
def test_none_one_and_cents_of_a_known_amount_need_no_other_number(tool, value, known):
    revealed = Revealed("It costs 40.00.", "", CLOCK)
    assert revealed.source_of("amount_cents", value, tool) is known


def test_an_id_that_the_instruction_names_is_known(tool):
    revealed = Revealed("Cancel visit 71.", "Visits cost 33.", CLOCK)
    assert revealed.source_of("visit_id", 71, tool)
    assert not revealed.source_of("visit_id", 33, tool)
    assert revealed.names_row("visit_id", 71)
    assert revealed.names_row("visit_ids", [71])
    assert not revealed.names_row("visit_ids", [71, 33])
    assert revealed.names_row("visits", 33)


@pytest.mark.parametrize(
    ("key", "named"), [("visit_id", True), ("id", True), ("new_visit_id", True), ("room_id", False)]
)
def test_an_id_was_seen_under_its_own_name_or_one_that_ends_it(key, named):
    revealed = Revealed("", "", CLOCK)
    revealed.observe([{key: 5}])
    assert revealed.names_row("visit_id", 5) is named


@pytest.mark.parametrize(
    ("instruction", "known", "unknown"),
    [
        ("Now", ("2026-03-10", "2026-03-11", "2026-03-12"), ("2026-03-09", "2026-03-13")),
        ("On Friday", ("2026-03-06", "2026-03-13", "2026-03-27"), ("2026-02-27", "2026-04-03")),
        ("Monday", ("2026-03-09", "2026-03-16", "2026-03-30"), ("2026-03-02", "2026-04-06")),
        ("This week", ("2026-03-09", "2026-03-29"), ("2026-03-08", "2026-03-30")),
        ("In two days", ("2026-03-08", "2026-03-14"), ("2026-03-07", "2026-03-15")),
        ("In a month", ("2026-04-07", "2026-04-13"), ("2026-04-06", "2026-04-14")),
        ("In a year", ("2027-03-08", "2027-03-14"), ("2027-03-07", "2027-03-15")),
        ("End of March", ("2026-03-01", "2026-03-31", "2027-03-31"), ("2026-03-30", "2026-04-30")),
        ("End of Feb", ("2026-02-01", "2026-02-28", "2027-02-28"), ("2026-02-27", "2028-02-29")),
        ("In December", ("2026-12-01", "2026-12-31"), ("2027-01-01", "2026-11-30")),
        ("Two days before 5 May", ("2026-05-03", "2027-05-05", "2026-05-07"), ("2026-05-04", "2028-05-05")),
    ],
)
def test_days_that_an_instruction_says_in_words(tool, instruction, known, unknown):
    revealed = Revealed(instruction, "", CLOCK)
    assert [day for day in known if not revealed.source_of("day", day, tool)] == []
    assert [day for day in unknown if revealed.source_of("day", day, tool)] == []


@pytest.mark.parametrize(
    "text", ["In 99999999999 years", "Two days from 9999-12-31", "Two days from 0001-01-01"]
)
def test_days_that_no_calendar_has_are_none(tool, text):
    assert not Revealed(text, "", CLOCK).source_of("day", "2026-06-01", tool)


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ("2026-03-13 09:40", True),
        ("2026-03-13T00:00", True),
        ("2026-03-13T23:59:00", True),
        ("2026-03-13T09:41", False),
        ("2026-05-13T09:40", False),
        ("09:40", True),
        ("09:40:00", True),
        ("09:41", False),
        ("40.5", True),
        ("41.5", False),
        ("mara room", True),
        ("mara hall", False),
        ("the room of mara is ready by friday", True),
        ("nobody ever asked whether elephants sleep", False),
        ("...", False),
        ("", True),
    ],
)
def test_texts_follow_from_what_was_said(tool, value, known):
    text = "Mara has the room at 09:40 on 13 March 2026, it is ready by then and costs 40.5"
    assert Revealed(text, "", CLOCK).source_of("note", value, tool) is known


@pytest.mark.parametrize(
    ("rule", "value", "named"),
    [
        ({"enum": ["red", "blue"]}, "blue", True),
        ({"const": "red"}, "red", True),
        ({"const": "red"}, "blue", False),
        ({"default": "red"}, "red", True),
        ({"minimum": 17, "maximum": 31}, 17, True),
        ({"minimum": 17, "maximum": 31}, 31, True),
        ({"minimum": 17, "maximum": 31}, 18, False),
        ({"anyOf": [{"enum": ["red"]}, {"type": "null"}]}, "red", True),
        ({"items": {"enum": ["red"]}}, ["red"], True),
        ({"items": {"enum": ["red"]}}, ["blue"], False),
        ({}, "red", False),
    ],
)
def test_a_tools_own_description_names_values(tool, rule, value, named):
    described = tool.replace(input_schema={"properties": {"colour": rule}})
    assert Revealed("", "", CLOCK).source_of("colour", value, described) is named


def test_pages_of_a_list_need_no_source(tool):
    revealed = Revealed("", "", CLOCK)
    assert all(revealed.source_of(name, 37, tool) for name in ("limit", "offset"))
    assert revealed.source_of("filter", {"limit": 37, "flag": None}, tool)
    assert not revealed.source_of("filter", {"size": 37}, tool)


FAR_APART = {"a": 7_919, "b": 104_729, "c": 1_299_709}
"""Primes so far apart that no result of theirs comes about in two ways."""
_OF_ALL = 7_919 * 104_729 * 1_299_709


@pytest.mark.parametrize(
    ("value", "derived"),
    [
        (7_919 / 2, True),
        (7_919 / 4, True),
        (7_919 / 8, False),
        (791_900, True),
        (7_919_000, False),
        (79.19, True),
        (7_919 + 104_729, True),
        (104_729 - 7_919, True),
        (7_919 - 104_729, True),
        (7_919 * 104_729, True),
        (7_919 * 104_729 / 100, True),
        (104_729 / 7_919, False),
        (7_919**3, True),
        (7_919**4, False),
        (7_919 + 104_729 + 1_299_709, True),
        (1_299_709 - 104_729 - 7_919, True),
        (7_919 * 104_729 + 1_299_709, True),
        (7_919 * 104_729 * 1_299_709, True),
        (7_919 * 104_729 * 1_299_709 + 8_000, False),
        (7_919 * 104_729 - 2 * 1_299_709, False),
        (round(_OF_ALL / 100), True),
        (_OF_ALL + 100, False),
        (_OF_ALL - 100, False),
        (_OF_ALL * 100, False),
        (_OF_ALL % 100, False),
        (_OF_ALL | 100, False),
        (_OF_ALL & 100, False),
        (_OF_ALL ^ 100, False),
    ],
)
def test_each_chain_is_derived_by_itself(value, derived):
    revealed = Revealed("", "", CLOCK)
    revealed.observe(FAR_APART)
    assert revealed.derives(value) is derived


@pytest.mark.parametrize(("value", "derived"), [("1.375", True), ("1.4", False)])
def test_half_of_what_is_no_whole_number_is_derived(value, derived):
    revealed = Revealed("", "", CLOCK)
    revealed.observe({"price": 2.75})
    assert revealed.derives(float(value)) is derived


@pytest.mark.parametrize("year", [2026, 2027])
def test_a_day_without_a_year_is_of_this_year_or_the_next(tool, year):
    revealed = Revealed("Due 5 May or at the end of March or December", "", CLOCK.replace(year=year))
    found = {
        day
        for other in range(year - 2, year + 4)
        for day in (f"{other}-05-05", f"{other}-03-31", f"{other}-12-31")
        if revealed.source_of("day", day, tool)
    }
    assert found == {f"{other}-{day}" for other in (year, year + 1) for day in ("05-05", "03-31", "12-31")}
