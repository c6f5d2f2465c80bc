"""One ledger entry per call, with money where the price is known."""

import contextlib

import pytest
from pydantic import ValidationError

from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.metered import LedgerEntry, Metered
from synthesis.llm.prices import Price, PriceTable, price_table, read_price_table
from synthesis.llm.provider import Completion, CompletionRequest, Message
from synthesis.llm.scripted import Scripted

ASK = CompletionRequest(messages=(Message(role="user", text="?"),), stage="schema", attempt=2)
PRICES = PriceTable(models={"big": Price(input=2.0, output=10.0, cached_input=0.5)})
USED = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)


def test_it_enters_what_a_call_used_and_cost():
    ledger = []
    completion = Completion(text="hi", usage=USED, model="big-2026-01-01")
    metered = Metered(Scripted([completion], model="big"), ledger.append, prices=PRICES)
    assert metered.complete(ASK).usage.cost == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)
    (entry,) = ledger
    assert (entry.stage, entry.attempt, entry.model, entry.outcome, entry.paid) == (
        "schema",
        2,
        "big",
        "answered",
        True,
    )
    assert entry.usage.cost == pytest.approx(2.4)


def test_an_unknown_price_is_not_free():
    ledger = []
    Metered(Scripted([Completion(usage=USED)], model="home-made"), ledger.append, prices=PRICES).complete(ASK)
    assert ledger[0].usage.cost is None


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Completion(text="ha", finish_reason="length"), "cut_off"),
        (Completion(text="no", finish_reason="refusal"), "declined"),
        (ProviderUnreachable("gone"), "unreachable"),
        (ProviderRefused("no"), "refused"),
        (ProviderOverloaded("busy"), "overloaded"),
    ],
)
def test_every_outcome_has_its_entry(reply, outcome):
    ledger = []
    metered = Metered(Scripted([reply]), ledger.append)
    if isinstance(reply, Exception):
        with pytest.raises(type(reply)):
            metered.complete(ASK)
    else:
        metered.complete(ASK)
    assert [entry.outcome for entry in ledger] == [outcome]
    assert ledger[0].paid is (outcome in ("cut_off", "declined"))


@pytest.mark.parametrize("field", ["input", "output", "cached_input"])
def test_a_price_may_be_nothing_but_not_less(field):
    figures = {"input": 2, "output": 3, field: 0}
    assert getattr(Price(**figures), field) == 0
    with pytest.raises(ValidationError, match=field):
        Price(**{**figures, field: -0.001})


def test_the_longest_name_that_fits_gives_the_price():
    table = PriceTable(models={"gpt": Price(input=1, output=1), "gpt-2": Price(input=2, output=2)})
    assert table.price("gpt-2-2026-01-01") == Price(input=2, output=2)
    assert table.price("gpt-mini") is None


def test_a_price_table_that_cannot_be_used_is_named(tmp_path):
    path = tmp_path / "prices.json"
    with pytest.raises(InvalidInput, match=r"prices\.json cannot be opened"):
        read_price_table(path)
    path.write_text('{"models": {"m": {"input": -1, "output": 1}}}')
    with pytest.raises(InvalidInput, match=r"models\.m\.input: .*greater than or equal to 0"):
        read_price_table(path)
    path.write_text('{"models": {"m": {"input": -1, "output": "free"}}}')
    with pytest.raises(InvalidInput, match=r"is invalid: models\.m\.input: "):
        read_price_table(path)


def test_listed_prices_know_common_models_and_ones_own_file_overrides_them(tmp_path):
    listed = price_table()
    assert listed.price("gpt-5-2025-08-07") == Price(input=1.25, output=10.0, cached_input=0.125)
    used = Usage(input_tokens=1_000, cached_tokens=400, output_tokens=100)
    assert listed.cost("openai/gpt-5", used) == pytest.approx((600 * 1.25 + 400 * 0.125 + 100 * 10) / 1e6)
    assert listed.price("home-made") is None
    embeds = listed.price("@cf/baai/bge-m3")
    assert embeds is not None
    assert embeds.input > 0
    assert embeds.output == 0, "what has no price for its output gives none"
    path = tmp_path / "prices.json"
    path.write_text(
        '{"models": {"gpt-5": {"input": 1, "output": 1}, "home-made": {"input": 0, "output": 0}}}'
    )
    own = price_table(path)
    assert own.price("gpt-5") == Price(input=1, output=1)
    assert own.cost("home-made", USED) == 0
    assert own.price("gpt-4o-mini") == listed.price("gpt-4o-mini")


def test_a_price_that_is_missing_is_asked_for_with_what_to_write():
    with pytest.raises(InvalidInput, match=r'no price for .home-made.*"home-made": .*WORLDWRIGHT_PRICES'):
        price_table().require("home-made")


@pytest.mark.parametrize(
    ("asked", "named", "cost"),
    [
        ("dear", "cheap-2026", 0.7),  # what the endpoint says it used decides
        ("dear", "unheard-of", 7.0),  # a name without a price says nothing
        ("dear", "", 7.0),
        ("unheard-of", "cheap", 0.7),
        ("unheard-of", "unknown", None),
    ],
)
def test_the_price_is_that_of_the_model_that_answered_or_else_of_the_one_asked(asked, named, cost):
    prices = PriceTable(models={"cheap": Price(input=1, output=1), "dear": Price(input=10, output=10)})
    used = Usage(input_tokens=500_000, output_tokens=200_000)
    metered = Metered(Scripted([Completion(usage=used, model=named)], model=asked), [].append, prices=prices)
    paid = metered.complete(ASK).usage.cost
    assert paid == (None if cost is None else pytest.approx(cost))


def test_a_cost_that_the_endpoint_names_is_entered_as_it_is():
    used = USED.replace(cost=0.125)
    metered = Metered(Scripted([Completion(usage=used, model="big")], model="big"), [].append, prices=PRICES)
    assert metered.complete(ASK).usage.cost == 0.125


def test_what_says_nothing_of_itself_is_a_first_attempt_at_prices_of_its_own():
    assert LedgerEntry(model="big", seconds=0, outcome="answered").attempt == 0
    assert PriceTable().price("gpt-5") is None


@pytest.mark.parametrize("reply", [Completion(text="hi"), ProviderUnreachable("gone")])
def test_a_call_is_entered_with_the_seconds_it_took(reply, monkeypatch):
    now, ledger = [1_000.0], []
    monkeypatch.setattr("synthesis.llm.metered.time.perf_counter", lambda: now[0])

    class Slow:
        model = "big"

        def complete(self, request):
            now[0] += 2.5
            return Scripted([reply]).complete(request)

    with contextlib.suppress(ProviderUnreachable):
        Metered(Slow(), ledger.append, prices=PRICES).complete(ASK)
    assert ledger[0].seconds == 2.5
    assert ledger[0].error == ("gone" if isinstance(reply, Exception) else "")


def test_the_entry_that_is_asked_for_can_be_copied_into_a_price_table(tmp_path):
    with pytest.raises(InvalidInput) as error:
        PriceTable().require("home-made")
    text = str(error.value)
    path = tmp_path / "prices.json"
    path.write_text(text[text.index("{") : text.rindex("}") + 1])
    table = read_price_table(path)
    table.require("home-made")
    assert table.price("home-made") == Price(input=1.25, cached_input=0.125, output=10.0)
    with pytest.raises(InvalidInput, match=r"no price for '\(no model\)'"):
        PriceTable().require("")


@pytest.mark.parametrize(
    ("used", "cost"),
    [
        (Usage(input_tokens=1_000_000), 2.0),
        (Usage(output_tokens=1_000_000), 10.0),
        (Usage(input_tokens=1_000_000, cached_tokens=1_000_000), 0.5),
        (Usage(input_tokens=1_000_000, cached_tokens=3_000_000), 0.5),
        (Usage(), 0.0),
    ],
)
def test_tokens_cost_by_what_they_were(used, cost):
    assert PRICES.cost("big", used) == pytest.approx(cost)
    without = PriceTable(models={"big": Price(input=2.0, output=10.0)})
    full = 2.0 if used.input_tokens else cost
    assert without.cost("big", used) == pytest.approx(full)


@pytest.mark.parametrize(
    ("model", "known"),
    [("big", True), ("big-2026", True), ("big:free", True), ("big-mini", False), ("bigger", False)],
)
def test_a_name_matches_itself_its_dates_and_its_variants(model, known):
    assert (PRICES.price(model) is not None) is known
