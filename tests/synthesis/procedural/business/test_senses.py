"""What verbs mean by what they are done to, and what a business only has."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.reader import parse
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext


def _planned(sentence: str) -> BusinessPlan:
    return plan(parse(sentence))


@pytest.mark.parametrize(
    ("sentence", "records"),
    [
        ("A theatre sells tickets for plays", {"play ticket": "event"}),
        ("A railway runs trains and sells tickets", {"train trip ticket": "event"}),
        ("A museum sells tickets to visitors", {"ticket order": "sale"}),
        ("An association registers apiaries", {"apiary registration": "registration"}),
        ("A surgery registers patients", {"patient registration": "registration"}),
        ("A club registers runners for races", {"registration": "enrolment"}),
        ("A hospice admits patients", {"patient admission": "registration"}),
        ("A studio fires members' pots", {"pot order": "commission"}),
        ("A studio fires pots", {"pot order": "production"}),
        ("A salon cuts hair", {"hair appointment": "appointment"}),
        ("A venue shows couples around", {"viewing": "appointment"}),
        ("A taxi firm takes bookings", {"booking": "appointment"}),
        ("A village hall takes bookings", {"booking": "booking"}),
        ("A firm moves households", {"removal": "dispatch"}),
        ("A cricket club picks teams", {"team assignment": "roster"}),
        ("A choir rehearses on Thursdays", {"registration": "event"}),
        (
            "A shop takes in donated furniture and sells it",
            {"furniture donation": "handling", "furniture order": "sale"},
        ),
        ("A charity shop sorts donated clothes and recycles the rest", {"clothes job": "recycling"}),
        ("A director arranges funerals", {"funeral": "case"}),
        ("A club organises regattas", {"regatta registration": "event"}),
        ("A shop receives parcels, keeps them and hands them out", {"parcel storage": "storage"}),
        ("A firm caters for weddings", {"wedding catering": "handling"}),
        ("A seed library gives out seeds and takes back seeds", {"seed issue": "supply"}),
    ],
)
def test_what_a_verb_means_by_its_object(sentence: str, records: dict[str, str]) -> None:
    assert {each.record: each.name for each in _planned(sentence).processes} == records


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("A choir rehearses on Thursdays", "rehearsal"),
        ("A rescue service trains volunteers", "training session"),
        ("A language school teaches", "lesson"),
        ("A school teaches Spanish and Italian to adults", "spanish lesson"),
    ],
)
def test_people_come_to_what_the_verb_says(sentence: str, subject: str) -> None:
    assert _planned(sentence).processes[0].subject == subject
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.left_out == ()


def test_a_restaurant_books_tables() -> None:
    assert [each.subject for each in _planned("An Italian restaurant takes bookings").processes] == ["table"]


@pytest.mark.parametrize(
    ("sentence", "resources", "roles"),
    [
        ("A riding school books lessons and keeps twelve ponies", {"pony": 12}, []),
        ("A school has five instructors and 8 cars, books lessons", {"car": 8}, ["instructor"]),
        ("A gym runs classes and has twenty mats", {"mat": 20}, []),
        ("A hall lets rooms by the hour and has two keyholders", {}, ["keyholder"]),
    ],
)
def test_what_a_business_has_is_no_process(
    sentence: str, resources: dict[str, int], roles: list[str]
) -> None:
    planned = _planned(sentence)
    assert (planned.resources, planned.roles) == (resources, roles)
    assert len(planned.processes) == 1
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.left_out == ()


def test_things_that_a_business_has_are_rows_of_its_world() -> None:
    environment = compose("A riding school books lessons for children and keeps twelve ponies.", seed=1)
    assert len(environment.seed_data.rows["ponies"]) == 12
    ponies = {row["id"] for row in environment.seed_data.rows["ponies"]}
    assert {row["pony_id"] for row in environment.seed_data.rows["lessons"]} <= ponies


def test_who_keeps_things_for_others_stores_them() -> None:
    stored = _planned("A livery yard keeps two horses for owners and grooms them")
    assert (stored.resources, stored.processes[0].name) == ({}, "storage")


@pytest.mark.parametrize(
    ("sentence", "parties"),
    [
        ("A tuner visits homes and schools and tunes pianos", ["household", "school"]),
        ("A vet visits farms and treats cattle", ["farm"]),
        ("A nurse visits patients", ["patient"]),
    ],
)
def test_who_is_visited_is_served(sentence: str, parties: list[str]) -> None:
    planned = _planned(sentence)
    assert [each for each in planned.parties if each in parties] == parties
    assert len(planned.processes) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "A window cleaner cleans windows and collects the money at the door",
        "A groomer washes dogs and is paid in cash",
        "A binder repairs books and charges £40 an hour",
        "A taxi firm drives passengers and sends a driver",
    ],
)
def test_clauses_on_how_it_is_paid_and_who_comes_are_no_processes(sentence: str) -> None:
    planned = _planned(sentence)
    assert len(planned.processes) == 1
    assert planned.processes[0].kinds == planned.processes[0].states == []


def test_a_deposit_beside_bookings_is_on_them() -> None:
    planned = _planned("A wedding venue takes bookings and a deposit")
    assert [(each.record, each.deposit) for each in planned.processes] == [("booking", 0)]


def test_what_something_is_for_is_a_kind_of_that() -> None:
    planned = _planned("A museum lends paintings and hires out its hall for weddings")
    assert [(each.object, each.kinds) for each in planned.processes] == [
        ("painting", []),
        ("hall", ["wedding"]),
    ]


def test_when_something_is_done_is_no_kind_of_it() -> None:
    planned = _planned("A toy library lends toys and checks them on return")
    assert [each.kinds for each in planned.processes] == [[], []]
    planned = _planned("A sitter looks after cats during holidays")
    assert planned.processes[0].terms == ["holiday"]


@pytest.mark.parametrize(
    ("sentence", "tools", "none"),
    [
        ("A school runs courses for adults", "sign_up_for", "run_"),
        ("A theatre sells tickets for plays", "sell", "sign_up"),
        ("A venue takes bookings of rooms", "book", "take_"),
        ("A depot takes in parcels", "take_in", "receive_"),
    ],
)
def test_tools_are_called_after_what_is_done_to_records(sentence: str, tools: str, none: str) -> None:
    names = [spec.name for spec in compose(sentence, seed=2).tools.tools]
    flat = [name.replace("__", "_") for name in names]
    assert any(tools in name for name in flat), names
    assert not any(none in name.replace("take_back", "") for name in flat), names
    reading = understand(sentence, seed=2).reading
    assert reading is not None
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("A music school teaches lessons and organises concerts", "We teach lessons and organise concerts."),
        ("A venue takes bookings of rooms", "We take bookings."),
        ("A club lends boats to members", ""),
    ],
)
def test_what_no_tool_is_called_after_the_policy_says(sentence: str, said: str) -> None:
    environment = compose(sentence, seed=2)
    assert environment.policy is not None
    assert said in environment.policy.text
    assert ("We " in environment.policy.text) is bool(said)
    with ProofContext(environment) as context:
        outcome = CHECKS["the_world_is_about_its_scenario"](context)
    assert outcome.passed, outcome.findings
    assert outcome.figures["fidelity"] == 1.0


@pytest.mark.parametrize(
    ("sentence", "subjects"),
    [
        ("A community choir of 60 singers, we rehearse weekly and put on concerts", ["rehearsal", "concert"]),
        ("I run a driving school with cars, lessons cancelled late are charged in full", ["driving lesson"]),
        ("A mobile dog groomer", ["dog"]),
        ("When it rains, we lend umbrellas", ["umbrella"]),
    ],
)
def test_sentences_as_people_type_them(sentence: str, subjects: list[str]) -> None:
    assert [each.subject for each in _planned(sentence).processes] == subjects


def test_one_that_is_not_returned_is_no_rule_that_forbids() -> None:
    understood = understand(
        "A brewery sells casks to pubs and charges £30 for any cask not returned within 6 weeks."
    )
    assert understood.problem == ""
    assert understood.reading is not None
    assert "£30" in understood.reading.unkept


@pytest.mark.parametrize(
    ("sentence", "subjects"),
    [
        (
            "A tool hire shop lends drills, ladders and pumps; late returns cost 50p",
            ["drill", "ladder", "pump"],
        ),
        ("A shop lends saws, hammers and planes to neighbours", ["saw", "hammer", "plane"]),
        ("A farm dries, stores and sells wheat", ["wheat", "bay", "wheat"]),
        ("A swimming school teaches children and keeps a waiting list", ["course"]),
        (
            "A dance school runs classes, keeps a waiting list for each of them and sells shoes",
            ["class", "shoe"],
        ),
        ("A credit union lends money to members", ["loan type"]),
    ],
)
def test_lists_of_things_waiting_lists_and_money_are_what_they_are(
    sentence: str, subjects: list[str]
) -> None:
    assert [each.subject for each in _planned(sentence).processes] == subjects


def test_loans_are_for_as_much_as_people_borrow() -> None:
    environment = compose("A credit union lends money to members", seed=2)
    rows = environment.seed_data.rows["loan_applications"]
    assert min(int(str(row["amount_cents"])) for row in rows) >= 80_000


@pytest.mark.parametrize("sentence", ["We teach people to drive", "We teach people to swim in two pools"])
def test_people_are_those_who_have_a_better_name(sentence: str) -> None:
    environment = compose(sentence, seed=2)
    reading = environment.scenario.reading
    assert reading is not None
    assert reading.homes["people"] == "table participants"
    with ProofContext(environment) as context:
        assert CHECKS["the_world_is_about_its_scenario"](context).passed
    lost = environment.scenario.replace(reading=reading.replace(homes={**reading.homes, "people": "table x"}))
    with ProofContext(environment.replace(scenario=lost)) as context:
        assert not CHECKS["the_world_is_about_its_scenario"](context).passed
