"""Nothing that a tool or a verifier plants is found by another, and a forged verdict or state is none."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest

from synthesis.errors import WorldError
from synthesis.worlds import world as world_module
from synthesis.worlds.world import Instance, World
from tests.synthesis.worlds.sandbox.hostile.forgeries import FORGED_VERDICTS, SWAPS
from tests.synthesis.worlds.sandbox.hostile.helpers import HELPERS, MORE_HELPERS, REACH
from tests.synthesis.worlds.sandbox.hostile.modules import BENIGN
from tests.synthesis.worlds.sandbox.hostile.scene import (
    LIMITS,
    NUMBERS,
    PASSING_VERIFIER,
    Ground,
    environment,
    honest_answers,
    verdict,
)


def test_poison_ends_with_a_reset(instance: Instance, honest: list[Any]) -> None:
    assert instance.call("poison").value == {"done": True}
    assert instance.call("total", NUMBERS).value != honest[1]
    instance.reset()
    assert honest_answers(instance) == honest


def test_poison_ends_with_a_restore(instance: Instance, honest: list[Any], world: World) -> None:
    assert instance.call("poison").value == {"done": True}
    instance.restore(world.base)
    assert honest_answers(instance) == honest


def test_poison_reaches_no_other_instance_and_no_other_world(
    instance: Instance, honest: list[Any], world: World, other_world: World, sibling: Instance
) -> None:
    with other_world.instance() as foreign:
        assert instance.call("poison").value == {"done": True}
        assert sibling.call("clock").value["pi"] == "b"  # type: ignore[index, call-overload]
        assert honest_answers(foreign) == honest
    with world.instance() as fresh, other_world.instance() as foreign:
        assert honest_answers(fresh) == honest
        assert honest_answers(foreign) == honest


def test_poison_cannot_stop_the_clock_of_a_snapshot(instance: Instance, world: World) -> None:
    instance.call("poison")
    snapshot = instance.snapshot()
    assert snapshot.calls == 2
    assert (snapshot.clock - world.base.clock).total_seconds() == 2


def test_a_secret_is_found_neither_after_a_reset_nor_next_door(instance: Instance, sibling: Instance) -> None:
    instance.call("stash", {"text": "psst"})
    assert instance.call("unstash").value == {"found": "psst"}
    assert sibling.call("unstash").value == {"found": None}
    instance.reset()
    assert instance.call("unstash").value == {"found": None}


PLANTING_VERIFIER = (
    REACH
    + """
def verify(before, after, changes, answer):
    m = _modules()
    m["builtins"].stash = "from the verifier"
    m["builtins"].sum = lambda *a: 666
    found = hasattr(m["builtins"], "old_stash")
    m["builtins"].old_stash = True
    type(after).one = lambda *a: {"n": 0}
    yield check("nothing was planted before", not found)
"""
)


def test_nothing_passes_from_a_verifier_to_a_tool_or_to_the_next_verifier(
    world: World, instance: Instance, honest: list[Any]
) -> None:
    for _ in range(2):
        (outcome,) = world.verify_code("look", world.base, world.base, "", source=PLANTING_VERIFIER)
        assert outcome.passed is True
    assert instance.call("unstash").value == {"found": None}
    instance.reset()
    assert honest_answers(instance) == honest


def test_nothing_passes_from_a_tool_to_a_verifier_but_rows(world: World, instance: Instance) -> None:
    instance.call("stash", {"text": "psst"})
    instance.call("poison")
    source = REACH + (
        "def verify(before, after, changes, answer):\n"
        "    yield check('clean', not hasattr(_modules()['builtins'], 'stash') and sum([1, 2]) == 3)\n"
        "    texts = [row['text'] for row in after.query('SELECT text FROM notes ORDER BY id')]\n"
        "    yield check('rows', texts == ['first', 'mine'])\n"
        "    yield check('counted', after.one('SELECT count(*) AS n FROM notes') == {'n': 2})\n"
    )
    outcomes = world.verify_code("look", world.base, instance.snapshot(), "", source=source)
    assert [outcome.passed for outcome in outcomes] == [True, True, True]


@pytest.mark.parametrize("body", FORGED_VERDICTS.values(), ids=FORGED_VERDICTS.keys())
def test_a_verifier_that_does_not_say_true_or_false_gives_no_verdict(world: World, body: str) -> None:
    source = REACH + MORE_HELPERS + f"def verify(before, after, changes, answer):\n    {body}\n"
    outcomes, text = verdict(world, source)
    assert [outcome for outcome in outcomes if outcome.passed] == []
    assert outcomes or text


@pytest.mark.parametrize("sql", SWAPS.values(), ids=SWAPS.keys())
def test_a_state_with_another_schema_is_never_verified(ground: Ground, sql: str) -> None:
    """A tool that took the guard off can change the schema of its own copy, and gains nothing."""
    source = (
        BENIGN
        + REACH
        + HELPERS
        + (f'def swap(db) -> dict:\n    """Swap."""\n    _raw(db).execute({sql!r})\n    return {{}}\n')
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(source), limits=LIMITS)
    with result, result.instance() as attacked:
        attacked.call("swap")
        with pytest.raises(WorldError):
            result.verify_code("look", result.base, attacked.snapshot(), "", source=PASSING_VERIFIER)
        attacked.reset()
        assert attacked.call("notes").value == {"notes": ["first"]}


@pytest.mark.parametrize(
    "image",
    [b"", b"x" * 4096, b"SQLite format 3\x00" + b"\xff" * 4080, b"SQLite format 3\x00" + bytes(100)],
    ids=["empty", "garbage", "header-and-ones", "header-and-zeros"],
)
def test_a_forged_image_is_no_state(world: World, image: bytes) -> None:
    forged = replace(world.base, image=image)
    with pytest.raises(WorldError):
        world.verify_code("look", world.base, forged, "")
    with world.instance() as attacked:
        with contextlib.suppress(WorldError):
            attacked.restore(forged)
            attacked.call("notes")
        with contextlib.suppress(WorldError):
            attacked.reset()
