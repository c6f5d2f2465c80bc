"""Verifiers as they are exported, which run without this package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.awm.standalone.answers import declines, says
from synthesis.bundles.awm.verifier_code import verifier_code
from synthesis.documents.environment import Environment
from synthesis.worlds.world import World


def test_a_verifier_for_a_judge_shows_the_rows_and_the_checks(
    clinic: Environment, exported: Path, imported: dict[str, World], tmp_path: Path
) -> None:
    task = clinic.tasks.tasks[0]
    code = verifier_code(clinic, task, "sql")
    space: dict[str, Any] = {}
    exec(code, space)
    initial = exported / "databases" / f"{clinic.name}.db"
    with imported[clinic.name].instance() as instance:
        for call in task.reference_solution:
            instance.call(call.name, call.arguments)
        (tmp_path / "final.db").write_bytes(instance.snapshot().image)
    shown = space["verify_task"](str(initial), str(tmp_path / "final.db"))
    assert json.dumps(shown)
    assert all(shown["checks"].values())
    assert {change[2] for change in shown["changes"]} == {"inserted", "updated"}


MONEY = {"name": "total", "type": "money_cents", "value": 17000}


@pytest.mark.parametrize(
    ("fact", "right", "wrong"),
    [
        (MONEY, "She owes 170.00.", "She owes 17.00."),
        ({"name": "n", "type": "number", "value": 2}, "two visits", "22 visits"),
        ({"name": "day", "type": "date", "value": "2026-07-12"}, "on 12 Jul", "on 2026-07-21"),
        ({"name": "time", "type": "time", "value": "09:40"}, "at 9:40", "at 19:40"),
        ({"name": "room", "type": "name", "value": "Elm"}, "in Elm.", "in Elmwood."),
        ({"name": "it was sent", "type": "boolean", "value": False}, "It was not sent.", "It was sent."),
        ({"name": "it was sent", "type": "boolean", "value": True}, "Yes, it was sent.", "It was not sent."),
    ],
)
def test_a_fact_is_read_by_value(fact: dict[str, Any], right: str, wrong: str) -> None:
    assert says(right, fact)
    assert not says(wrong, fact)
    assert not says("", fact)


def test_a_refusal_is_a_denial_with_a_reason() -> None:
    reason = {"text": "the standing of the borrower is suspended", "value": "suspended", "type": "text"}
    assert declines("I did not enter it: the standing is suspended.", reason)
    assert not declines("Done, although the standing is suspended.", reason)
    assert not declines("I did not enter it.", reason)
    assert declines("Sorry, no.")
