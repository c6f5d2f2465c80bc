"""Verifiers, tools and worlds that are out of bounds cost bounded time and are named."""

import time

import pytest

from synthesis.documents.tools import ToolCall
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.database import read_schema
from tests.synthesis.worlds.conftest import ROWS, SCHEMA, VERIFIER, make_environment

MOST_SECONDS = 60.0


def with_solution(**parts):
    """An environment whose one task adds one note."""
    environment = make_environment(**parts)
    (task,) = environment.tasks.tasks
    call = ToolCall(name="add_note", arguments={"folder_id": 1, "text": "milk"})
    return environment.replace(
        tasks=environment.tasks.replace(tasks=(task.replace(reference_solution=(call,)),))
    )


def blocking(environment):
    began = time.monotonic()
    report = check_environment(environment)
    assert time.monotonic() - began < MOST_SECONDS
    return [finding for finding in report.findings if finding.blocks]


def test_a_verifier_that_takes_all_memory_is_named_once():
    verifier = VERIFIER.replace("    yield", "    rows = [0] * 10**11\n    yield")
    findings = [each for each in blocking(with_solution(verifier=verifier)) if each.part == "verifiers"]
    assert [each.check for each in findings] == ["reference_solutions_complete_their_tasks"]
    assert "emory" in findings[0].message


def test_a_verifier_that_depends_on_what_it_was_shown_before_is_named():
    verifier = VERIFIER.replace(
        "    yield",
        "    seen = getattr(check, 'seen', 0)\n    check.seen = seen + 1\n"
        "    yield check('once', not seen)\n    yield",
    )
    findings = blocking(with_solution(verifier=verifier))
    assert {each.part for each in findings if "always say the same" in each.message} == {"verifiers"}


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (
            "luck = after.one('SELECT abs(random()) % 2 AS x')['x']\n    yield check('luck', luck == 0)",
            "chance",
        ),
        ("import datetime\n    yield check('even', datetime.datetime.now().microsecond % 2 == 0)", "clock"),
        ("SEEN.append(1)\n    yield check('once', len(SEEN) < 2)", "SEEN is changed"),
        ("yield check('luck', id([]) // 64 % 2 == 0)", "id is not available"),
    ],
)
def test_a_verifier_that_draws_lots_reads_the_clock_or_remembers_is_named_with_the_cause(lines, cause):
    verifier = "SEEN = []\n" + VERIFIER.replace("    yield", f"    {lines}\n    yield", 1)
    messages = [
        each.message for each in blocking(with_solution(verifier=verifier)) if each.part == "verifiers"
    ]
    assert any(cause in message for message in messages), messages


def test_a_verifier_may_speak_of_random_things():
    verifier = VERIFIER.replace(
        "    yield", "    yield check('no random guess', True, guard=True)\n    yield", 1
    )
    assert not [each for each in blocking(with_solution(verifier=verifier)) if "chance" in each.message]


def test_large_tables_are_sampled_and_the_share_is_told():
    rows = {**ROWS, "many": [{"id": n, "name": f"row {n}"} for n in range(1, 1001)]}
    schema = f"{SCHEMA}\nCREATE TABLE many (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    assert read_schema(schema)
    with ProofContext(with_solution(schema=schema, rows=rows)) as context:
        result = CHECKS["near_misses_are_refused"](context)
    (note,) = [each for each in result.findings if each.severity == "note"]
    assert "of 1,0" in note.message
    assert note.where == "many"
    assert 0.1 < result.figures["share_sampled"] < 0.3


def test_a_small_world_is_not_sampled():
    with ProofContext(with_solution()) as context:
        result = CHECKS["near_misses_are_refused"](context)
    assert "share_sampled" not in result.figures
    assert all(each.severity != "note" for each in result.findings)
