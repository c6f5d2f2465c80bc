"""What people of a trade expect of a world: plausible money, deposits, measures, packs, passengers."""

from __future__ import annotations

import itertools

import pytest

from synthesis.procedural.business.amounts import amount_range, price_range, value_range
from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.build import build
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.plan import plan
from synthesis.procedural.business.request_grammar import goals, worded
from synthesis.procedural.business.rows import seed_data
from synthesis.procedural.business.vocabulary import is_company, title_of, titled
from synthesis.procedural.sentence.reader import parse

BIKES = "A bike shop rents bikes to tourists for a deposit of 50 euros and repairs bikes"


def _business(sentence: str, seed: int = 1) -> Business:
    return build(plan(parse(sentence)), sentence, seed)


def test_what_a_thing_is_worth_has_the_order_of_magnitude_of_its_kind() -> None:
    worth = [value_range(noun) for noun in ("loaf", "coat", "bicycle", "used car", "tram")]
    assert [low >= 100 and high <= 12 * low for low, high in worth] == [True] * 5
    assert all(before[1] <= after[1] / 3 for before, after in itertools.pairwise(worth))
    (delivery,) = _business("A haulier delivers cars to dealers").processes
    assert amount_range(delivery)[0] >= 100_000, "what is declared of a car is worth a car"
    (sharpening,) = _business("A cutler sharpens knives for cooks").processes
    assert amount_range(sharpening)[1] <= 2_500, "sharpening a knife costs little"
    low, high = price_range("campervan", "hold")
    assert 1_000 <= low < high <= 40_000


def test_what_a_thing_is_worth_is_not_charged_for_its_delivery() -> None:
    business = _business("A haulier delivers cars to dealers")
    rows = seed_data(business).rows
    assert min(row["amount_cents"] for row in rows["car_deliveries"]) >= 100_000
    assert rows[business.charge.name]
    assert max(row["amount_cents"] for row in rows[business.charge.name]) <= 10_000


def test_a_deposit_that_the_sentence_names_is_on_each_record() -> None:
    environment = compose(BIKES, seed=3)
    rentals = environment.seed_data.rows["bike_rentals"]
    kept = {"lost": "kept", "returned": "given_back", "cancelled": "given_back"}
    assert {row["deposit_cents"] for row in rentals} == {5000}
    assert all(row["deposit_status"] == kept.get(str(row["status"]), "held") for row in rentals)
    assert "a deposit of €50.00" in environment.policy.text
    reading = understand(BIKES).reading
    assert reading is not None
    assert reading.homes["deposit"] == "column bike_rentals.deposit_cents"
    assert "deposit" not in compose("A bike shop rents bikes to tourists", seed=3).policy.text


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("A workshop repairs clocks for £40 an hour", "£12.50"),
        ("A press makes juice for 35p a litre", "£12.50"),
        ("A club lends boats for 20 dollars a day", "$12.50"),
        ("A garage repairs cars for 90 francs an hour", "12.50 CHF"),
    ],
)
def test_amounts_are_in_the_money_that_the_sentence_names(sentence: str, written: str) -> None:
    assert {_business(sentence, seed).money(1250) for seed in range(5)} == {written}


def test_only_what_has_a_measure_is_asked_for_by_it() -> None:
    bikes, rooms = _business("A shop rents bikes"), _business("A hostel rents rooms")
    berths = _business("A marina lets berths to skippers")
    has = [b.processes[0].subject.has for b in (bikes, rooms, berths)]
    assert [(one("capacity"), one("length_m"), one("size")) for one in has] == [
        (False, False, False),
        (True, False, False),
        (False, True, False),
    ]
    assert all(row["length_m"] >= 4 for row in seed_data(berths).rows[berths.processes[0].subject.name])


def test_rooms_let_by_the_hour_are_booked_for_hours_beside_what_is_lent_for_days() -> None:
    planned = plan(parse("A school lets practice rooms by the hour and lends instruments to pupils"))
    assert [process.name for process in planned.processes] == ["hours", "loan"]


def test_what_lies_ahead_was_booked_on_several_days() -> None:
    business = _business(BIKES)
    rows = seed_data(business).rows["bike_rentals"]
    ahead = [row["booked_on"] for row in rows if row["starts_on"] > business.day(0)]
    assert len(ahead) > 4
    assert max(ahead) < business.day(0)
    assert len(set(ahead)) > len(ahead) / 3


@pytest.mark.parametrize(
    ("sentence", "packed"),
    [
        ("A farm sells eggs to families", True),
        ("A mill sells flour to bakeries", True),
        ("A ferry sells tickets to passengers", False),
        ("A dealer sells bicycles to commuters", False),
        ("A bookshop sells books", False),
    ],
)
def test_only_what_is_sold_in_packs_comes_in_packs(sentence: str, packed: bool) -> None:
    process = _business(sentence).processes[0]
    assert (process.packed, process.subject.has("pack_size")) == (packed, packed)
    text = compose(sentence, seed=2).policy.text
    assert ("pack" in text.lower()) is packed


def test_terms_are_kept_by_what_they_say() -> None:
    business = _business("A marina stores yachts for the winter and delivers boats every week")
    stored, delivered = (process.record for process in business.processes)
    assert stored.column("season").choices == ("winter", "all_year")
    assert delivered.column("interval").choices == ("every_week", "once")
    assert not any(table.has("terms") for table in business.tables.values())


def test_people_are_no_companies_and_titles_have_small_words() -> None:
    people = ("farmer", "beekeeper", "cider grower", "photographer", "landlord")
    assert not any(map(is_company, people))
    assert all(map(is_company, ("farm", "wholesaler", "dairy company", "family", "parish council")))
    assert titled("sperm and egg bank") == "Sperm and Egg Bank"
    assert title_of("bed and breakfast", _business(BIKES).random("title")).endswith("Bed and Breakfast")


def test_people_are_called_what_they_are_to_the_business() -> None:
    sentence = "A repairer mends clocks for people"
    business = _business(sentence)
    assert business.party.noun == "owner"
    reading = understand(sentence).reading
    assert reading is not None
    assert reading.homes["people"] == "table owners"


def test_who_is_driven_has_a_place_and_ferries_take_cars_along() -> None:
    bus = plan(parse("Volunteers drive the community bus for people without cars"))
    assert [(p.record, p.party, p.pattern.shape) for p in bus.processes] == [
        ("community bus trip booking", "passenger", "seat")
    ]
    assert bus.roles == ["volunteer"]
    ferry = plan(parse("A ferry company carries cars and cancels crossings in storms"))
    assert [(p.record, p.subject) for p in ferry.processes] == [("car booking", "crossing")]
    haulier = plan(parse("A haulier carries cars for dealers"))
    assert [p.record for p in haulier.processes] == ["car delivery"]


def test_requests_have_the_article_that_a_noun_takes() -> None:
    fields = {
        "record": "order",
        "unit": "instrument",
        "charge": "invoice item",
        "party": "owner",
        "who": "Ada",
        "withdraw": "end",
        "cancel": "cancel",
        "records": "orders",
        "payments": "payments",
        "category": "short",
        "units": "instruments",
    }
    texts = [
        text
        for goal, rules in goals().items()
        for rule, alternatives in rules.items()
        if rule in ("none", "find")
        for text in (worded(goal, rule, _Named(fields), _business(BIKES).random(n)) for n in range(40))
    ]
    assert texts
    assert not [text for text in texts if " a order" in f" {text}".lower() or " a instrument" in text]


class _Named(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name


def test_a_place_of_the_business_may_be_what_it_is_about() -> None:
    environment = compose("A stage hands out lights and repairs stages for schools", seed=1)
    names = [row["name"] for row in environment.seed_data.rows["stages"]]
    assert len(set(names)) == len(names) > 4


@pytest.mark.parametrize(
    ("sentence", "ending"),
    [
        ("We repair church organs", "Church Organ Repairs"),
        ("We hire out portable toilets to festivals", "Portable Toilet Rentals"),
        ("I breed guide dogs and place puppies with families", "Guide Dogs"),
        ("Carers visit clients in their homes", "Company"),
        ("A bakery bakes bread", "Bakery"),
    ],
)
def test_a_business_without_a_name_is_called_after_what_it_does(sentence: str, ending: str) -> None:
    assert _business(sentence).title.partition(" ")[2] == ending


@pytest.mark.parametrize(
    ("sentence", "parties"),
    [
        ("We sharpen knives for restaurants and hairdressers", ["restaurant", "hairdresser"]),
        ("We hire out portable toilets to festivals and building sites", ["festival", "building site"]),
    ],
)
def test_all_who_are_served_in_one_list_are_served(sentence: str, parties: list[str]) -> None:
    assert plan(parse(sentence)).parties == parties


def test_no_category_is_a_word_of_what_it_is_of() -> None:
    sentence = "A dance academy auditions dancers, rents studios and stages galas"
    business = build(plan(parse(sentence)), sentence, 5)
    table = business.tables["gala_performances"]
    assert "gala" not in table.column("category").choices
    assert len(table.column("category").choices) > 1


@pytest.mark.parametrize("seed", range(6))
def test_employers_have_no_employees_beside_them(seed: int) -> None:
    business = build(plan(parse("A job centre matches people with employers")), "A job centre", seed)
    assert business.staff.noun != "employee"


def test_quotes_for_what_is_worth_little_differ() -> None:
    sentence = "A blood laboratory draws samples, tests them and notifies doctors"
    rows = seed_data(build(plan(parse(sentence)), sentence, 1)).rows["sample_jobs"]
    assert len({row["amount_cents"] for row in rows}) > 3
