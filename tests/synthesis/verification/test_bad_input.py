"""Verifiers, tools and worlds that are out of bounds cost bounded time and are named."""

from contextlib import contextmanager
from itertools import pairwise

import pytest

from synthesis.documents.tools import ToolCall
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.sandbox.worker_process import WorkerProcess
from tests.synthesis.worlds.conftest import ROWS, SCHEMA, TOOLS, VERIFIER, make_environment

MOST_NEAR_MISSES = 2_000
MOST_JOBS = 60
MOST_REQUESTS = 500
"""Questions to verifiers, and to sealed processes for any reason, in one proof here: time in units of its
limits, the same on every machine. When this was written the most of them were 47 and 168."""


def with_solution(**parts):
    """An environment whose one task adds one note."""
    environment = make_environment(**parts)
    (task,) = environment.tasks.tasks
    call = ToolCall(name="add_note", arguments={"folder_id": 1, "text": "milk"})
    return environment.replace(
        tasks=environment.tasks.replace(tasks=(task.replace(reference_solution=(call,)),))
    )


@contextmanager
def counted():
    """The operations of all requests to sealed processes in the `with` block, whoever makes them."""
    asked, request = [], WorkerProcess.request

    def counting(worker, op, *given, **more):
        asked.append(op)
        return request(worker, op, *given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerProcess, "request", counting)
        yield asked


def blocking(environment):
    with counted() as asked:
        report = check_environment(environment)
    assert sum(op.startswith("verify") for op in asked) <= MOST_JOBS
    assert len(asked) <= MOST_REQUESTS
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
    (finding,) = [each for each in findings if "always say the same" in each.message]
    assert finding.part == "verifiers"
    assert "it remembers what it was shown before (line 5, “check.seen”): keep nothing" in finding.message


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


MANY = f"{SCHEMA}\nCREATE TABLE many (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
MANY_ROWS = {**ROWS, "many": [{"id": n, "name": f"row {n}"} for n in range(1, 1001)]}
SHOW_MANY = '''

def show_many(db, many_id: int) -> dict:
    """Show one of many.

    Args:
        many_id: Which.
    """
    row = db.one("SELECT * FROM many WHERE id = ?", many_id)
    if row is None:
        raise ToolError(f"{many_id} does not exist.")
    return {"name": row["name"], "share": 1 / (row["id"] < 300)}
'''


def test_large_tables_are_sampled_and_the_share_is_told():
    with ProofContext(with_solution(schema=MANY, rows=MANY_ROWS)) as context:
        result = CHECKS["near_misses_are_refused"](context)
        sampled = [row["id"] for row in context.base_rows["many"]]
    (note,) = [each for each in result.findings if each.severity == "note"]
    assert "of 1,0" in note.message
    assert "spread evenly over it" in note.message
    assert note.where == "many"
    assert 0.1 < result.figures["share_sampled"] < 0.3
    assert (sampled[0], sampled[-1], len(sampled)) == (1, 1000, 200)
    assert max(after - before for before, after in pairwise(sampled)) <= 6


_BLIND = VERIFIER.replace(
    "    yield",
    """    for table, where in (("folders", "1"), ("notes", "id < 3"), ("many", "id <= 200 OR id > 1000")):
        rows = f"SELECT * FROM {table} WHERE {where}"
        yield check(f"{table} kept", before.query(rows) == after.query(rows), guard=True)
    yield""",
)


@pytest.mark.parametrize(
    ("claim", "parts", "words"),
    [
        (
            "near_misses_are_refused",
            {"verifier": _BLIND},
            "row of many",
        ),
        ("no_tool_fails", {"tools": TOOLS + SHOW_MANY}, "show_many fails"),
    ],
    ids=["a_verifier_that_looks_at_the_first_rows_alone", "a_tool_that_fails_on_later_rows"],
)
def test_a_fault_of_later_rows_of_a_large_table_is_found(claim, parts, words):
    with ProofContext(with_solution(schema=MANY, rows=MANY_ROWS, **parts)) as context:
        messages = [each.message for each in CHECKS[claim](context).findings]
    assert any(words in message for message in messages), messages


@pytest.mark.at_length
def test_two_hundred_tables_and_a_hundred_thousand_rows_are_proved_by_a_sample():
    shelves = [f"shelf_{n}" for n in range(198)]
    statement = (
        "CREATE TABLE {} (id INTEGER PRIMARY KEY, folder_id INTEGER NOT NULL REFERENCES folders (id));"
    )
    rows = {name: [{"id": n, "folder_id": 1 + n % 2} for n in range(1, 507)] for name in shelves}
    environment = with_solution(
        schema="\n".join([SCHEMA, *map(statement.format, shelves)]), rows={**ROWS, **rows}
    )
    with counted() as asked:
        report = check_environment(environment)
    assert len(asked) <= MOST_REQUESTS
    tried = next(each for each in report.results if each.claim == "near_misses_are_refused")
    assert tried.figures["rows"] > 100_000
    assert tried.figures["mutants"] < MOST_NEAR_MISSES
    assert tried.figures["share_sampled"] == pytest.approx(0.395, abs=0.01)
    assert not [each for each in report.findings if "could not be checked" in each.message]


def test_a_small_world_is_not_sampled():
    with ProofContext(with_solution()) as context:
        result = CHECKS["near_misses_are_refused"](context)
    assert "share_sampled" not in result.figures
    assert all(each.severity != "note" for each in result.findings)
