"""One ledger entry per call, with money where the price is known."""

import pytest

from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.metered import Metered
from synthesis.llm.prices import Price, PriceTable, read_price_table, shipped_price_table
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


def test_the_shipped_table_can_be_read():
    assert shipped_price_table().models
