"""Goals: changes are asked for by what people know, and made."""

from __future__ import annotations

import random

import pytest

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.data_model import read_data_model
from synthesis.procedural.derived.derive import derive, trial_world
from synthesis.procedural.derived.goals import act, draw, word_request
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.tool_plan import tool_plan
from tests.synthesis.procedural.derived.schemas import CLOCK, handed

TEXT_KEYS = """
CREATE TABLE parcel (id TEXT PRIMARY KEY NOT NULL, weight REAL NOT NULL, sent_at TEXT);
CREATE TABLE scan (id TEXT PRIMARY KEY NOT NULL, parcel_id TEXT NOT NULL REFERENCES parcel (id),
    place TEXT NOT NULL);
"""


def _operation(play, name):
    return next(operation for operation in play.plan.operations if operation.name == name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("add_customer", "add a new customer: "),
        ("update_product", " the product "),
        ("delete_product", "delete the product "),
        ("mark_order_paid", "mark the order "),
        ("add_order_with_order_details", "with these order details: "),
    ],
)
def test_a_change_is_made_and_asked_for_in_words(play, name, words):
    clause = act(play, _operation(play, name), attempts=20)
    assert words in clause.text
    assert play.calls[-1].name == name
    assert play.instance.diff()


def test_every_value_that_is_given_stands_in_the_request(play):
    drawn = draw(play, _operation(play, "add_customer"))
    text = word_request(play, drawn)
    assert all(str(value) in text for value in drawn.values.values())


def test_a_row_that_is_referred_to_is_not_deleted(play, model):
    operation = _operation(play, "delete_customer")
    used = {row["CustomerID"] for row in play.rows(model.relations["Orders"])}
    for _ in range(8):
        assert draw(play, operation).target["CustomerID"] not in used


def test_no_row_is_the_target_twice(play, model):
    relation = model.relations["Products"]
    play.changed |= {play.spot(relation, row) for row in play.rows(relation)}
    with pytest.raises(Abandoned):
        draw(play, _operation(play, "update_product"))


def test_a_text_that_is_only_a_key_is_made_by_the_system_and_never_told():
    environment = derive(handed(TEXT_KEYS), seed=1, tasks=4)
    model = read_data_model(environment.schema)
    plan = tool_plan(model, environment.seed_data)
    creation = next(op for op in plan.operations if op.name == "add_parcel")
    assert "id" not in {param.column for param in creation.params}
    with trial_world(environment) as world, world.instance() as instance:
        play = Play(plan, instance, random.Random(3), CLOCK, {})
        play.begun(model.relations["parcel"])
        play.begun(model.relations["scan"])
        for _ in range(2):
            act(play, creation, attempts=10)
        new = [change.key for change in instance.diff().inserted]
        assert len(new) == 2
        assert not any(str(key) in phrase for key in new for phrase in play.phrases.values())
        assert "the new parcel" not in play.phrases.values()  # there are two of them now
