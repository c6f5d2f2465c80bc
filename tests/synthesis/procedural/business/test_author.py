"""Worlds of a sentence: the same bytes again, every claim proved, tasks that take thought."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Draft, Environment
from synthesis.documents.tasks import fewest_of_each_kind
from synthesis.errors import InvalidDraft, InvalidInput
from synthesis.procedural.business.author import Size, _business, compose, trial_world, write_part
from synthesis.procedural.business.ddl import number_of
from synthesis.verification.checks import check_environment

SENTENCES = (
    "A boatyard stores yachts over winter and services engines",
    "A ferry line sells vehicle spaces, checks in passengers and cancels crossings in storms",
    "A visa office handles applications and issues visas",
)


@pytest.fixture(scope="module", params=SENTENCES, ids=["boatyard", "ferry", "visa"])
def world(request: pytest.FixtureRequest) -> Environment:
    return compose(request.param, seed=3)


@pytest.fixture(scope="module")
def report(world: Environment) -> CheckReport:
    return check_environment(world)


def test_every_claim_is_proved(report: CheckReport) -> None:
    assert [finding.message for finding in report.findings if finding.blocks] == []
    assert report.passed


def test_some_row_is_in_the_state_that_each_tool_needs(report: CheckReport) -> None:
    figures = next(result.figures for result in report.results if result.claim == "every_tool_can_succeed")
    assert figures["never"] == 0


def test_weak_agents_run_on_the_tasks_and_none_completes_one(report: CheckReport) -> None:
    figures = next(result.figures for result in report.results if result.claim == "weak_agents_fail")
    assert figures["runs"] == figures["failed"]
    assert int(str(figures["tempting"])) >= 7
    assert int(str(figures["policy_only"])) >= int(str(figures["policy_runs"])) / 2 > 0


def test_difficulty_follows_depth(world: Environment) -> None:
    least = {"easy": 0, "medium": 3, "hard": 5}
    tasks = world.tasks.tasks
    assert len(tasks) == 10
    assert all((task.depth or 0) >= least[task.difficulty] for task in tasks)
    assert {task.difficulty for task in tasks} == {"easy", "medium", "hard"}
    assert any(task.kind == "refuse" and task.blocking for task in tasks)


def test_the_same_sentence_and_seed_give_the_same_bytes(world: Environment) -> None:
    sentence = next(s for s in SENTENCES if world.scenario.description.startswith(s))
    assert compose(sentence, seed=3).fingerprint == world.fingerprint
    assert (
        compose(sentence, seed=4).schema.sql != world.schema.sql
        or compose(sentence, seed=4).name != world.name
    )


def test_what_was_read_and_the_rules_for_rows_are_in_the_bundle(world: Environment, tmp_path: Path) -> None:
    NativeCodec().write(Bundle(environment=world), tmp_path / "world")
    again = open_bundle(tmp_path / "world").environment
    assert (again.scenario.reading, again.policy) == (world.scenario.reading, world.policy)
    assert again.fingerprint == world.fingerprint


def test_the_runs_of_weak_agents_are_in_the_bundle(
    world: Environment, report: CheckReport, tmp_path: Path
) -> None:
    NativeCodec().write(Bundle(environment=world, report=report), tmp_path / "world")
    again = open_bundle(tmp_path / "world").report
    assert again is not None
    runs = [
        trial for result in again.results if result.claim == "weak_agents_fail" for trial in result.trials
    ]
    assert {(run.subject, run.kind) for run in runs} == {
        (task.id, temptation.weakness) for task in world.tasks.tasks for temptation in task.temptations
    }
    assert all(run.outcome == "refused" for run in runs)


@pytest.mark.parametrize("count", [1, 4, 13])
def test_every_count_has_the_fewest_tasks_of_each_kind(count: int) -> None:
    tasks = compose(SENTENCES[0], seed=5, size=Size(tasks=count)).tasks.tasks
    changing, reading, refusing = fewest_of_each_kind(count)
    kinds = Counter(task.kind for task in tasks)
    assert len(tasks) == count
    assert kinds["write"] + kinds["mixed"] >= changing
    assert (kinds["read"] >= reading, kinds["refuse"] >= refusing) == (True, True)


def test_the_nouns_of_the_sentence_are_tables() -> None:
    tables = {table.name for table in compose(SENTENCES[0], seed=3, size=Size(tasks=4)).schema.tables}
    assert {"yachts", "engines"} <= tables


def test_parts_of_another_sentence_are_not_continued() -> None:
    schema = write_part("schema", Draft(), sentence=SENTENCES[0], seed=3)
    draft = Draft().with_part("schema", schema)
    with pytest.raises(InvalidDraft):
        write_part("tools", draft, sentence=SENTENCES[2], seed=3)


def test_letters_with_accents_are_found_in_either_case() -> None:
    environment = compose("A bakery bakes bread and delivers it to cafés", seed=1)
    (search,) = [tool.name for tool in environment.tools.tools if "cafes" in tool.name]
    name = str(environment.seed_data.rows["cafes"][0]["name"])
    assert name.endswith("Café")
    with trial_world(environment) as world, world.instance() as instance:
        found = [str(instance.call(search, {"name": text}).value) for text in (name, name.upper())]
    assert name in found[0]
    assert found[0] == found[1]


def test_more_tasks_than_a_world_offers_are_answered_with_how_many_it_does() -> None:
    sentence = "A dental clinic books appointments, treats patients and orders crowns from a laboratory"
    with pytest.raises(InvalidInput) as caught:
        compose(sentence, seed=0, size=Size(tasks=60))
    offered = re.search(r"this world offers (\d+) .* Ask for \1 tasks at most", str(caught.value))
    assert offered is not None
    most = int(offered[1])
    kinds = Counter(task.kind for task in compose(sentence, seed=0, size=Size(tasks=most)).tasks.tasks)
    assert kinds.total() == most > 10
    _, reading, refusing = fewest_of_each_kind(most)
    assert kinds["read"] >= reading
    assert kinds["refuse"] >= refusing
    fewer = compose(sentence, seed=0, size=Size(tasks=60, fewer=True)).tasks.tasks
    assert len(fewer) == len({task.id for task in fewer}) == most


@pytest.mark.parametrize(
    "sentence",
    [
        "A laboratory scans negatives and returns prints by courier",
        "A heating utility reads meters every month and bills households",
        "A laboratory tests samples and reports results to councils",
        "When a lift breaks down, a maintenance firm sends a technician, who replaces worn parts",
    ],
)
@pytest.mark.slow
def test_words_of_code_and_of_columns_become_tables_all_the_same(sentence: str) -> None:
    report = check_environment(compose(sentence, seed=3))
    assert [result.claim for result in report.results if not result.passed] == []


def test_a_second_reminder_is_asked_for_only_where_nothing_else_stands_against_it() -> None:
    tried = 0
    for seed in range(6):
        business, environment = _business(SENTENCES[0], seed), compose(SENTENCES[0], seed=seed)
        charges = environment.seed_data.rows[business.charge.name]
        for task in environment.tasks.tasks:
            if not task.id.startswith("refuse_second_overdue"):
                continue
            due = [
                str(row["due_on"]) for row in charges if number_of(business.charge, row) in task.instruction
            ]
            late = [(business.today - date.fromisoformat(day)).days for day in due]
            assert max(late) > business.value("remind", "late"), task.instruction
            tried += 1
    assert tried


def test_above_a_limit_only_closing_is_for_those_who_decide() -> None:
    texts = [compose(SENTENCES[0], seed=seed, size=Size(tasks=4)).policy for seed in range(6)]
    rules = [line for text in texts for line in str(text).splitlines() if "above limit" in line]
    assert rules
    assert not any("leave it as it is" in rule for rule in rules)
