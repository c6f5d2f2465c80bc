"""What an answer asserts, held against what its episode showed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesis.reading.effects import Effects, deeds_of, effects_from
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.reading.observations import Observations

RULES = (
    "A rental may be extended once. A late return costs 50 % of the daily price, for at most 8 days. "
    "A clerk may waive a fee of up to 40.00."
)
ASKED = "How much does Ada Brook owe for her open fees?"
RIGHT = "Ada Brook owes 90.00."
MEMBERS = [
    {"id": 11, "name": "Ada Brook", "tier": "gold", "joined_on": "2024-01-10"},
    {"id": 12, "name": "Bo Hale", "tier": "basic", "joined_on": "2025-02-01"},
]
FEES = [
    {
        "id": 201,
        "number": "FE-201",
        "member_id": 11,
        "kind": "late_return",
        "amount_cents": 3_000,
        "status": "open",
        "raised_on": "2026-02-20",
        "due_on": "2026-03-06",
    },
    {
        "id": 202,
        "number": "FE-202",
        "member_id": 11,
        "kind": "service",
        "amount_cents": 6_000,
        "status": "open",
        "raised_on": "2026-03-01",
        "due_on": "2026-03-15",
    },
    {
        "id": 203,
        "number": "FE-203",
        "member_id": 12,
        "kind": "service",
        "amount_cents": 7_500,
        "status": "paid",
        "raised_on": "2026-02-01",
        "due_on": "2026-02-15",
    },
]


def _shown(row: dict[str, Any], kind: str) -> dict[str, Any]:
    return {f"{kind}_id": row["id"], **{name: value for name, value in row.items() if name != "id"}}


CALLS = [
    [{"name": "Ada Brook"}, {"total": 1, "items": [_shown(MEMBERS[0], "member")]}],
    [
        {"member_id": 11, "status": "open"},
        {"total": 2, "items": [_shown(row, "fee") for row in FEES if row["member_id"] == 11]},
    ],
    [{"member_id": 12}, {"total": 1, "items": [_shown(FEES[2], "fee")]}],
]


@pytest.fixture(name="effects", scope="module")
def _effects() -> Effects:
    return effects_from(
        {
            "tools": {"waive_fee": 0, "extend_rental": 0},
            "tables": {"members": MEMBERS, "fees": FEES},
            "names": ["Ada Brook", "Bo Hale", "FE-201", "FE-202", "FE-203"],
            "own": ["Ada Brook", "FE-201", "FE-202", "FE-203", "Bo Hale", ASKED],
            "words": [],
            "options": [],
            "amounts": [3_000, 6_000, 7_500],
        }
    )


def read(text: str, effects: Effects, calls: list[Any] = CALLS) -> AnswerReading:
    observed = Observations((ASKED, RULES, "2026-03-11 09:00:00"), calls)
    return judge_answer(
        text, commits=True, instruction=ASKED, reference=RIGHT, effects=effects, observed=observed
    )


@pytest.mark.parametrize(
    "remark",
    [
        "",
        "There are two open fees.",
        "FE-201 over 30.00 was due on 6 March 2026.",
        "FE-201 was raised on 20 February.",
        "The largest one is FE-202 with 60.00.",
        "FE-201 is 5 days overdue.",
        "She is a gold member.",
        "Fees of up to 40.00 may be waived by a clerk.",
        "One is a late return fee; the remaining one is for service.",
        "I checked both the fees and the rules.",
        "I read them from the oldest to the newest.",
        "FE-201 (30.00) and FE-202 (60.00).",
        "- FE-201: 30.00\n- FE-202: 60.00",
        "One of them, FE-201, is a late return fee.",
        "Shall I look at FE-203 over 75.00 as well?",
        "Let me know if I can help with anything else.",
    ],
)
def test_what_rows_rules_or_counting_bear_out_is_grounded(remark: str, effects: Effects) -> None:
    reading = read(f"{RIGHT} {remark}", effects)
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "There are four open fees.",
        "FE-201 was raised on 6 March 2026.",
        "The largest one is FE-201.",
        "Ada Brook's late return fee is 60.00.",
        "FE-202 is already overdue.",
        "Half of that is for service.",
        "That is her only open fee.",
        "It has been extended twice.",
    ],
)
def test_what_nothing_bears_out_is_left_to_people_and_judges(remark: str, effects: Effects) -> None:
    reading = read(f"{RIGHT} {remark}", effects)
    assert not reading.right
    assert reading.untrue or reading.ungrounded
    assert reading.untrue or set(reading.ungrounded) <= set(reading.unclear)


def test_without_calls_nothing_is_held_against_them(effects: Effects) -> None:
    text = f"{RIGHT} There are four open fees."
    assert judge_answer(text, commits=True, instruction=ASKED, reference=RIGHT, effects=effects).right


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["fee_id", "name", "items", "total", "due_on"]), inner)
        ),
        max_leaves=20,
    )
)
def test_results_of_any_shape_raise_nothing(effects: Effects, result: Any) -> None:
    read(
        "FE-201 over 30.00 was due on 6 March; 3 of them are open, the largest of all.",
        effects,
        [[{}, result]],
    )


@pytest.mark.parametrize(
    "text",
    [
        "3 " * 5_000,
        "FE-201 30.00 2026-03-06, " * 700,
        "\n".join(f"| FE-201 | {n}.00 | open |" for n in range(600)),
    ],
)
def test_texts_of_great_length_are_not_accepted(text: str, effects: Effects) -> None:
    assert not read(f"{RIGHT} {text}", effects).right


def test_deeply_nested_results_are_read(effects: Effects) -> None:
    nested: Any = {"fee_id": 1}
    for _ in range(2_000):
        nested = {"fee_id": 1, "inner": [{"member_id": 2, "inner": nested}]}
    assert read(RIGHT, effects, [[{}, nested]]).right


def test_a_row_belongs_to_what_it_has_the_name_of_under_its_kind(effects: Effects) -> None:
    """A pass has the name of its plan, which another result shows with its key."""
    plan = {"plan_id": 3, "name": "Rowing"}
    passes = [
        {"pass_id": 8, "plan": "Rowing", "valid_until": "2026-07-31"},
        {"pass_id": 9, "plan": "Chess", "valid_until": "2026-09-30"},
    ]
    calls = [*CALLS, [{"name": "Rowing"}, plan], [{"member_id": 11}, {"total": 2, "items": passes}]]
    assert read(f"{RIGHT} Her Rowing pass is valid until 31 July 2026.", effects, calls).right
    wrong = read(f"{RIGHT} Her Rowing pass is valid until 30 September 2026.", effects, calls)
    assert wrong.ungrounded == ("the day 30 september 2026",)


LESSON = {
    "lesson_id": 5,
    "member_id": 11,
    "starts_at": "2026-03-12T14:00:00",
    "ends_at": "2026-03-12T14:20:00+00:00",
    "break_minutes": 5,
}


@pytest.mark.parametrize(
    ("remark", "ungrounded"),
    [
        ("Her lesson takes 20 minutes.", ()),
        ("Her lesson has a break of 5 minutes.", ()),
        ("Her lesson takes 25 minutes.", ("a span of 25 minutes",)),
    ],
)
def test_minutes_are_those_of_a_column_or_between_two_times(
    remark: str, ungrounded: tuple[str, ...], effects: Effects
) -> None:
    calls = [*CALLS, [{"lesson_id": 5}, LESSON]]
    assert read(f"{RIGHT} {remark}", effects, calls).ungrounded == ungrounded


def test_an_end_is_the_last_day_until_which_something_is_valid(effects: Effects) -> None:
    shown = {"pass_id": 8, "member_id": 11, "plan": "Rowing", "valid_until": "2026-01-31"}
    calls = [*CALLS, [{"member_id": 11}, {"total": 1, "items": [shown | {"ends_on": "2026-02-03"}]}]]
    assert read(f"{RIGHT} Ada Brook's pass expired on 31 January 2026.", effects, calls).right


def test_rows_listed_without_their_state_may_be_told_in_it(effects: Effects) -> None:
    """What was asked for open fees need not show of each that it is open."""
    fees = [{"fee_id": n, "member_id": 11, "kind": "service"} for n in (205, 206, 207)]
    calls = [CALLS[0], [{"member_id": 11, "status": "open"}, {"total": 3, "items": fees}]]
    assert read(f"{RIGHT} She has three open fees.", effects, calls).right


def test_a_cell_under_a_kind_is_a_rows_key(effects: Effects) -> None:
    table = "| Fee | Amount |\n|---|---|\n| {} | 30.00 |\n| 202 | 60.00 |"
    assert read(f"{RIGHT}\n\n{table.format(201)}", effects).right
    assert read(f"{RIGHT}\n\n{table.format(207)}", effects).ungrounded == ("a count of 207",)


def test_an_amount_may_be_told_by_what_its_column_is_called_after(effects: Effects) -> None:
    part = {"fee_id": 201, "number": "FE-201", "member_id": 11, "status": "open", "paid_cents": 500}
    calls = [*CALLS, [{"fee_id": 201}, part]]
    assert read(f"{RIGHT} 5.00 of FE-201 had already been paid.", effects, calls).right
    assert not read(f"{RIGHT} FE-201 over 30.00 had been paid.", effects, calls).right


COURSES = [
    {"course_id": 5, "name": "Deep Course", "starts_on": "2026-04-02", "registered_on": "2026-02-01"},
    {"course_id": 6, "name": "Late Course", "starts_on": "2026-05-02", "registered_on": "2026-02-03"},
]
ORDER = {
    "fee_id": 204,
    "number": "FE-204",
    "member_id": 11,
    "course_id": 5,
    "course": "Deep Course",
    "pieces": 20,
}


@pytest.mark.parametrize(
    ("remark", "is_borne_out"),
    [
        ("FE-204 (20 Deep Courses) is hers.", True),
        ("FE-204 (30 Deep Courses) is hers.", False),
        ("Her registrations for the Deep Course on 2 April are known.", True),
        ("She was registered for the Deep Course on 2 April.", False),
    ],
)
def test_names_in_the_plural_and_nouns_of_acts_are_read(
    remark: str, is_borne_out: bool, effects: Effects
) -> None:
    calls = [*CALLS, [{}, {"total": 2, "items": COURSES}], [{"fee_id": 204}, ORDER]]
    assert (not read(f"{RIGHT} {remark}", effects, calls).ungrounded) is is_borne_out


@pytest.mark.parametrize(("remark", "is_borne_out"), [("is settled", True), ("remains open", False)])
def test_what_remains_is_what_a_row_was_left_in(remark: str, is_borne_out: bool, effects: Effects) -> None:
    paid = {**_shown(FEES[0], "fee"), "status": "paid"}
    calls = [*CALLS, [{"fee_id": 201}, paid]]
    assert read(f"{RIGHT} FE-201 {remark}.", effects, calls).right is is_borne_out


@pytest.mark.parametrize(
    ("remark", "is_borne_out"),
    [
        ("I told you so.", True),
        ("I have not told her.", True),
        ("I e-mailed her the news.", False),
        ("I looked it up and informed Ada Brook.", False),
    ],
)
def test_nobody_was_told_where_no_call_did_it(remark: str, is_borne_out: bool, effects: Effects) -> None:
    assert read(f"{RIGHT} {remark}", effects).right is is_borne_out


def test_who_was_told_by_a_call_may_be_named(effects: Effects) -> None:
    told = replace(effects, deeds=deeds_of({"send_letter": 1}, ["members"]))
    assert read(f"{RIGHT} I informed Ada Brook.", told).ungrounded == ()


def test_the_most_of_all_is_not_the_most_that_was_asked_for(effects: Effects) -> None:
    asked = "Which of the open fees of Ada Brook is the largest?"
    observed = Observations(
        (asked, RULES, "2026-03-11 09:00:00"), [[{"fee_id": 202}, _shown(FEES[1], "fee")]]
    )
    for text, is_borne_out in (("FE-202 is the largest fee.", True), ("FE-202 is our largest fee.", False)):
        reading = judge_answer(
            text, commits=True, instruction=asked, reference="FE-202.", effects=effects, observed=observed
        )
        assert (not reading.ungrounded) is is_borne_out, text


@pytest.mark.parametrize(
    ("remark", "is_borne_out"),
    [
        ("6 fees are hers and the other 4 fees are his.", True),
        ("6 of them are hers and the other 4 fees are his.", True),
        ("6 are hers and the other 4 fees are his.", True),
        ("6 of them are hers, so they count; the other 4 fees are his.", True),
        ("Room 6 is hers. The other 4 fees are his.", False),
        ("6 fees are hers. The other 4 fees are his.", False),
        ("It takes 6 days, and the other 4 fees are his.", False),
    ],
)
def test_the_rest_of_a_list_stands_beside_a_number_of_the_same_things(
    remark: str, is_borne_out: bool, effects: Effects
) -> None:
    fees = [
        _shown({**FEES[0], "id": 300 + n, "number": f"FE-{300 + n}", "amount_cents": 100 * n}, "fee")
        for n in range(10)
    ]
    observed = Observations(
        (ASKED, RULES, "2026-03-11 09:00:00"), [*CALLS, [{}, {"total": 10, "items": fees}]]
    )
    reading = judge_answer(
        f"{RIGHT} {remark}",
        commits=True,
        instruction=ASKED,
        reference=RIGHT,
        effects=effects,
        observed=observed,
    )
    assert ("a count of 4" not in reading.ungrounded) == is_borne_out, reading.ungrounded


@pytest.mark.parametrize(
    "remark",
    [
        "FE-201 (60.00) and FE-202 (30.00).",
        "- FE-201: 60.00\n- FE-202: 30.00",
        "FE-201: 60.00; FE-202: 30.00.",
    ],
)
def test_amounts_of_rows_that_are_named_are_not_swapped(remark: str, effects: Effects) -> None:
    assert not read(f"{RIGHT} {remark}", effects).right


def test_what_an_agent_did_itself_is_no_act_of_the_world_with_that_verb() -> None:
    effects = effects_from(
        {
            "tools": {"check_brake": 0},
            "tables": {"members": MEMBERS, "fees": FEES, "brakes": [{"id": 31, "side": "left"}]},
            "names": ["Ada Brook"],
            "own": ["Ada Brook", ASKED],
            "words": [],
            "options": [],
            "amounts": [3_000, 6_000],
        }
    )
    assert read(f"{RIGHT} I have checked both of them with the tools.", effects).right
    assert not read(f"{RIGHT} Her brake was checked.", effects).right


def test_that_everything_was_completed_is_no_act_of_one_tool(effects: Effects) -> None:
    world = replace(effects, deeds=(*effects.deeds, *deeds_of({"complete_rental": 0}, ["rentals"])))
    assert not read(f"{RIGHT} Everything has been completed as requested.", world).ungrounded
    assert read(f"{RIGHT} The request was completed for her.", world).ungrounded
