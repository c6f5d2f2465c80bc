"""Prompts are filled in one pass and hold exactly what their stage gives."""

import pytest

from synthesis.pipeline.prompt import Prompt, arranged, load_prompt
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


def test_a_value_with_braces_stays_as_it_is():
    filled = Prompt("a {{one}} b {{two}} {c}").filled({"one": "{{two}} {x}", "two": "{{one}}"})
    assert filled == "a {{two}} {x} b {{one}} {c}"


def test_a_missing_value_is_an_error():
    with pytest.raises(KeyError):
        Prompt("{{one}}").filled({})


@pytest.mark.parametrize("name", sorted(STAGES))
def test_a_stage_gives_every_value_its_prompt_needs(name, clinic, request_for):
    stage = STAGES[name]
    given = {*stage.facts(drafted(clinic), request_for()), "pieces", "standing", "reply_schema"}
    assert load_prompt(name).placeholders <= given
    assert {*stage.facts(drafted(clinic), request_for())} <= load_prompt(name).placeholders | {"outlines"}


def test_a_changed_prompt_has_another_fingerprint():
    assert Prompt("a").fingerprint != Prompt("b").fingerprint


def test_the_world_comes_first_in_one_order_and_what_changes_last():
    text = (
        "# Head\n\n<rows>\n{{rows}}\n</rows>\n\n<scenario>\n{{scenario}}\n</scenario>\n\nDo these:\n\n"
        "<specs>\n{{pieces}}\n</specs>\n\n- One rule with {{count}}.\n"
    )
    assert arranged(text) == (
        "<scenario>\n{{scenario}}\n</scenario>\n\n<rows>\n{{rows}}\n</rows>\n\n# Head\n\nDo these:\n\n"
        "(in <specs>, at the end)\n\n- One rule with {{count}}.\n\n<specs>\n{{pieces}}\n</specs>\n"
    )
    assert arranged("plain {{one}}") == "plain {{one}}"
