"""The procedural author: whole environments that prove themselves, the same in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from synthesis.documents.environment import Draft
from synthesis.documents.finding import Finding
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import InvalidDraft, InvalidInput
from synthesis.procedural.author import STAGES, compose, write_part
from synthesis.procedural.blueprint import Size
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.proving import Proving

SENTENCES = (
    "A municipal library lends books, games and tools",
    "Translation agency for certified documents",
    "Dental practice with recalls and payment plans",
    "Courier firm with parcels, vans and complaints",
    "Animal shelter run by volunteers and donations",
    "City hall hands out permits",
    "Restaurant with a wine cellar",
    "IT helpdesk for small firms",
    "Ski resort hires out gear",
    "Language school",
    "Law office",
    "Zoo with season passes",
    "Insurance broker handles claims",
    "Research institute books instruments",
    "Housing cooperative with a waiting list",
    "Wedding planner",
    "Hotel front desk",
    "Craft brewery sells to pubs",
    "Airport lost property",
    "Energy supplier reads meters",
)
ODD = (
    "😀",
    "'; DROP TABLE users; --",
    "x",
    "Ein Fahrradverleih am See",
    "{a ~party} {=db} %s \\n",
    "la " * 2_600,
    "\ud800?",
)


def assert_it_is_worth_playing(environment):
    kinds = [task.kind for task in environment.tasks.tasks]
    assert environment.counts["tables"] >= 12
    assert environment.counts["rows"] >= 80
    assert environment.counts["tools"] >= 20
    assert len(kinds) == 10
    assert kinds.count("write") + kinds.count("mixed") >= 5
    assert kinds.count("read") >= 2
    assert kinds.count("refuse") >= 1


def broken(environment):
    report = check_environment(environment)
    return {r.claim: [f"{f.where}: {f.message}" for f in r.findings] for r in report.results if not r.passed}


@pytest.mark.parametrize("number", range(2))
def test_a_sentence_becomes_an_environment_whose_checks_all_hold(number):
    environment = compose(SENTENCES[number], seed=number)
    assert_it_is_worth_playing(environment)
    assert broken(environment) == {}


@pytest.mark.slow
@pytest.mark.at_length
def test_twenty_sentences_become_twenty_environments_and_every_third_is_proved():
    """All twenty, and many more, are proved by `make bench SUITE=procedural`; proofs take seconds each."""
    made = [compose(sentence, seed=number) for number, sentence in enumerate(SENTENCES)]
    for environment in made:
        assert_it_is_worth_playing(environment)
    assert {e.name: found for e in made[2::3] if (found := broken(e))} == {}
    assert len({environment.schema.fingerprint for environment in made}) == len(SENTENCES)


def test_different_sentences_give_different_schemas_and_tools():
    made = [compose(sentence, seed=1) for sentence in SENTENCES[:6]]
    for environment in made:
        assert_it_is_worth_playing(environment)
    assert len({environment.schema.fingerprint for environment in made}) == 6
    tools = [{tool.name for tool in environment.tools.tools} for environment in made]
    overlaps = [len(a & b) / len(a | b) for a in tools for b in tools if a is not b]
    assert sum(overlaps) / len(overlaps) < 0.1


@pytest.mark.parametrize("sentence", ODD, ids=range(len(ODD)))
def test_odd_sentences_still_compose(sentence):
    environment = compose(sentence[:MAX_SENTENCE], seed=3)
    assert_it_is_worth_playing(environment)
    assert "DROP TABLE" not in environment.tools.source + environment.schema.sql


def test_the_same_sentence_and_seed_give_the_same_bytes_in_another_process():
    here = compose(SENTENCES[2], seed=7).fingerprint
    code = (
        "from synthesis.procedural.author import compose; "
        f"print(compose({SENTENCES[2]!r}, seed=7).fingerprint)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert told.stdout.strip() == here


def test_parts_written_one_by_one_are_those_of_the_whole():
    draft = Draft()
    for part in STAGES:
        draft = draft.with_part(part, write_part(part, draft, sentence=SENTENCES[3], seed=5))
    assert draft.finish().fingerprint == compose(SENTENCES[3], seed=5).fingerprint
    assert draft.outlines is not None
    assert draft.tasks is not None
    assert [o.instruction for o in draft.outlines.outlines] == [t.instruction for t in draft.tasks.tasks]


def test_a_finding_leads_to_another_attempt():
    whole = compose(SENTENCES[3], seed=5)
    draft = Draft(
        **{name: whole.parts()[name] for name in ("scenario", "schema", "seed_data", "tools", "policy")}
    )
    finding = Finding(part="tasks", check="no_shortcut_is_found", message="There is a shortcut.")
    again = write_part("tasks", draft, sentence=SENTENCES[3], seed=5, findings=[finding], attempt=1)
    assert again.fingerprint != whole.tasks.fingerprint
    rows = write_part("seed_data", draft, sentence=SENTENCES[3], seed=5, findings=[finding], attempt=2)
    assert rows.fingerprint != whole.seed_data.fingerprint


def test_a_draft_made_from_something_else_is_refused():
    other = compose(SENTENCES[0], seed=1)
    draft = Draft(scenario=other.scenario, schema=other.schema)
    with pytest.raises(InvalidDraft, match="did not write this draft"):
        write_part("tools", draft, sentence=SENTENCES[5], seed=1)


def test_sentences_that_cannot_be_used_are_refused():
    with pytest.raises(InvalidInput, match="empty"):
        compose(" ", seed=1)
    with pytest.raises(InvalidInput, match="at most"):
        compose("x" * (MAX_SENTENCE + 1), seed=1)


def test_a_larger_size_gives_a_larger_world():
    small = compose(SENTENCES[4], seed=2, size=Size(tables=14, fragments=(3, 4)))
    large = compose(SENTENCES[4], seed=2, size=Size(tables=26, fragments=(7, 12), rows=1.5))
    assert large.counts["tables"] > small.counts["tables"]
    assert large.counts["rows"] > small.counts["rows"]


def test_instructions_name_no_keys_and_leave_no_slot():
    environment = compose(SENTENCES[4], seed=9)
    for task in environment.tasks.tasks:
        assert "{" not in task.instruction
        assert "  " not in task.instruction
        keys = {str(v) for c in task.reference_solution for n, v in c.arguments.items() if n.endswith("_id")}
        assert not keys & set(task.instruction.replace(".", " ").replace(",", " ").split())


@pytest.mark.parametrize("seed", [21, 27])
def test_questions_that_are_answered_by_names_do_not_take_each_others_for_wrong(seed: int) -> None:
    """Two environments with several names in one answer, or in the request."""
    with Proving(compose("Florist with florist", seed=seed)) as proving:
        result = CHECKS["wrong_answers_are_refused"](proving)
    assert result.findings == ()
    assert result.figures["mutants"] > 5
