"""Each stage really tries its part: the clinic's pass, and a broken one is told where it is broken."""

import pytest

from synthesis.documents.policy import Policy
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Actor
from synthesis.documents.tools import ToolCall
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import UnknownName
from synthesis.pipeline.stages.registry import STAGES, stage
from synthesis.pipeline.stages.trial import trial_world, trial_world_cache
from tests.scripted_model import drafted

ALWAYS = 'def verify(before, after, changes, answer):\n    """Yes."""\n    yield check("fine", True)\n'


@pytest.mark.parametrize("name", sorted(STAGES))
def test_a_good_part_passes(name, found):
    assert found(name) == []


@pytest.mark.parametrize(
    ("name", "targets", "message"),
    [
        ("outlines", {"tasks": 11}, "10 tasks; 11 are needed"),
        ("schema", {"tables": 17}, "16 tables; at least 17"),
        ("seed_data", {"rows": 150}, "149 rows; at least 150"),
        ("tool_specs", {"tools": 29}, "28 tools; at least 29"),
        ("tools", {"tools": 29}, "28 tools; at least 29"),
        ("tasks", {"tasks": 11}, "10 tasks; exactly 11 are needed"),
    ],
)
def test_a_part_that_is_too_small_is_told_so(name, targets, message, found):
    assert message in " ".join(finding.message for finding in found(name, **targets))


def test_an_outline_that_stands_twice_is_found(found):
    def twice(part):
        first, second, *rest = part.outlines
        return part.replace(outlines=(first, second.replace(instruction=first.instruction.upper()), *rest))

    assert [finding.where for finding in found("outlines", twice)] == ["cancel_late_and_waive_fee"]


def test_tasks_of_one_kind_only_are_not_enough(found):
    def all_reading(part):
        return part.replace(outlines=tuple(one.replace(kind="read") for one in part.outlines))

    assert len(found("outlines", all_reading)) == 2


def test_an_empty_policy_is_found(found):
    assert found("policy", lambda part: Policy(text="Be good."))


def test_a_statement_that_does_not_build_is_found(found):
    broken = "CREATE TABLE x (id INTEGER PRIMARY KEY, y FOO BAR(;"
    assert found("schema", lambda part: Schema(sql=part.sql + broken))


def test_a_row_that_does_not_load_is_found_at_its_table(found):
    def strangers(part):
        first, *rest = part.rows["payments"]
        return part.replace(rows={**part.rows, "payments": ({**first, "invoice_id": 99_999}, *rest)})

    assert {finding.where for finding in found("seed_data", strangers)} == {"payments"}


def test_rows_for_an_unknown_table_are_found(found):
    findings = found("seed_data", lambda part: part.replace(rows={**part.rows, "ghosts": ()}))
    assert "no table 'ghosts'" in findings[0].message


def test_an_actor_of_no_table_is_found(found):
    assert found("seed_data", lambda part: part.replace(actor=Actor(table="ghosts", key=1)))


def test_a_planned_tool_of_an_unknown_table_is_found_at_the_tool(found):
    def strange(part):
        first, *rest = part.specs
        return part.replace(specs=(first.replace(reads=("ghosts",)), *rest))

    assert [(f.where, f.check) for f in found("tool_specs", strange)] == [
        ("find_patients", "every_table_of_a_tool_exists")
    ]


@pytest.mark.parametrize(
    ("returns", "names", "message"),
    [
        ("total, items with id and name; ordered by name", ("season",), "no parameter limit and no offset"),
        ('{"total": ..., "items": [...]}', ("limit",), "no parameter offset"),
        ("total, items with id", ("limit", "offset"), ""),
        ("id, name, total_cents; items of the bill", (), ""),
    ],
)
def test_a_list_is_specified_with_what_bounds_it(returns, names, message, found):
    def listing(part):
        parameters = [{"name": name, "type": "int"} for name in names]
        first = part.specs[0].model_dump(mode="json") | {"returns": returns, "parameters": parameters}
        return type(part).model_validate({"specs": [first, *part.specs[1:]]})

    findings = found("tool_specs", listing)
    assert [message in finding.message for finding in findings] == ([True] if message else [])


@pytest.mark.parametrize(
    ("type_", "known"),
    [
        ("int | None", True),
        ('list[Literal["open", "paid"]]', True),
        ("Annotated[int, Field(ge=1)]", True),
        ("datetime", False),
        ("int = 20", False),
        ("dict[str, int]", False),
    ],
)
def test_types_are_those_that_the_prompt_names(type_, known, found):
    def typed(part):
        parameters = [{"name": "x", "type": type_}]
        first = part.specs[0].model_dump(mode="json") | {"parameters": parameters, "returns": "id"}
        return type(part).model_validate({"specs": [first, *part.specs[1:]]})

    assert [finding.check for finding in found("tool_specs", typed)] == (
        [] if known else ["every_type_is_known"]
    )


def test_a_planned_tool_that_is_missing_is_told_beside_what_does_not_compile(found):
    def broken(part):
        source = part.source.replace("def find_patients(", "def look_for_patients(")
        return part.replace(source=f"import os\n{source}")

    checks = {(finding.check, finding.where) for finding in found("tools", broken)}
    assert {("only_pure_python", "shared"), ("every_planned_tool_is_there", "find_patients")} <= checks


def test_moments_of_one_column_are_written_in_one_way(found):
    def mixed(part):
        slots = [dict(row) for row in part.rows["slots"]]
        slots[0]["starts_at"] = slots[0]["starts_at"].replace("T", " ")
        return part.replace(rows={**part.rows, "slots": slots})

    (finding,) = [f for f in found("seed_data", mixed) if f.check == "every_moment_is_written_out"]
    assert finding.where == "slots"
    assert "starts_at is written in several ways: '2" in finding.message


def test_a_task_without_its_tools_is_found(found):
    def forgetful(part):
        return part.replace(specs=tuple(spec.replace(tasks=()) for spec in part.specs))

    assert len(found("tool_specs", forgetful)) == 10


def test_a_changing_task_needs_a_writing_tool(found):
    def reading(part):
        return part.replace(specs=tuple(spec.replace(writes=()) for spec in part.specs))

    assert {finding.check for finding in found("tool_specs", reading)} == {
        "every_changing_task_has_a_writing_tool"
    }


def changed_task(part, id, **changes):
    return part.replace(tasks=tuple(t.replace(**changes) if t.id == id else t for t in part.tasks))


def test_a_reference_solution_that_is_refused_is_found_with_its_call(found):
    def refused(part):
        bad = (ToolCall(name="check_in_patient", arguments={"appointment_id": 999_999}),)
        return changed_task(part, "read_total_owed", reference_solution=bad)

    findings = found("tasks", refused)
    assert [finding.where for finding in findings] == ["read_total_owed"]


def test_a_call_of_no_tool_is_found(found):
    def strange(part):
        return changed_task(part, "read_total_owed", reference_solution=(ToolCall(name="guess"),))

    assert "'guess', which is not a tool" in found("tasks", strange)[0].message


def test_a_write_task_that_changes_nothing_is_found(found):
    def idle(part):
        return changed_task(part, "move_cardiology_follow_up", reference_solution=())

    assert "changes nothing" in found("tasks", idle)[0].message


def test_an_answer_without_its_facts_is_found(found):
    def vague(part):
        return changed_task(part, "read_total_owed", reference_answer="Quite a lot, and for some time.")

    assert {finding.check for finding in found("tasks", vague)} == {"every_reference_answer_is_accepted"}


@pytest.mark.parametrize(
    ("task", "answer", "message"),
    [
        (
            "read_total_owed",
            "Quite a lot, and for some time.",
            "does not state its facts: total to pay (expected 170.00, missing)",
        ),
        ("refuse_unlisted_caller", "It is done.", "does not decline as it must: "),
    ],
)
def test_a_reference_answer_that_is_not_accepted_is_quoted_with_why_and_what_to_try(
    task, answer, message, clinic, found
):
    text = answer.format(clinic.task(task).reference_answer)
    (finding,) = found("tasks", lambda part: changed_task(part, task, reference_answer=text))
    assert (finding.where, finding.check) == (task, "every_reference_answer_is_accepted")
    assert f"The reference answer {message}" in finding.message
    assert f'It says "{text[:300]}' in finding.message
    assert finding.message.endswith(".")


def test_facts_of_one_name_are_asked_for_another(clinic, found):
    day, *_ = clinic.task("read_total_owed").answer_facts
    twice = tuple(
        day.replace(name="caller", type="name", value=value) for value in ("Ilse Farrow", "Tom Reed")
    )
    (finding, *_) = found("tasks", lambda part: changed_task(part, "read_total_owed", answer_facts=twice))
    assert finding.check == "every_fact_has_its_own_name"
    assert "Several facts are called 'caller'" in finding.message


def test_a_task_that_is_missing_is_found(found):
    assert [f.where for f in found("tasks", lambda part: part.replace(tasks=part.tasks[1:]))][:1] == [
        "move_cardiology_follow_up"
    ]


def changed_verifier(part, id, source):
    return Verifiers(
        verifiers=tuple(Verifier(task_id=id, source=source) if v.task_id == id else v for v in part.verifiers)
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (ALWAYS, "accepts the untouched world"),
        (ALWAYS.replace("True", "False"), "these checks fail"),
        (ALWAYS.replace('yield check("fine", True)', "while True: pass"), "longer than"),
        (ALWAYS.replace('yield check("fine", True)', "raise ValueError(1)"), "ValueError"),
        ("import os\n" + ALWAYS, "os"),
        ("def verify(:", ""),
    ],
)
def test_a_verifier_that_does_not_decide_is_found_at_its_task(source, message, found):
    findings = found("verifiers", lambda part: changed_verifier(part, "empty_a_leaking_room", source))
    assert {finding.where for finding in findings} == {"empty_a_leaking_room"}
    assert message in " ".join(finding.message for finding in findings)


def test_a_verifier_that_is_missing_is_found(found):
    findings = found("verifiers", lambda part: Verifiers(verifiers=part.verifiers[1:]))
    assert [finding.message for finding in findings] == ["This verifier is missing."]


def test_an_unknown_stage_is_named():
    with pytest.raises(UnknownName, match="no stage named 'colours'"):
        stage("colours")


def test_a_stage_reads_only_parts_made_before_it():
    order = list(STAGES)
    for name, one in STAGES.items():
        assert one.name == name
        assert all(order.index(part) < order.index(name) for part in one.reads)


@pytest.mark.parametrize("name", sorted(set(STAGES) - {"scenario", "policy"}))
def test_a_finished_part_can_be_taken_apart_and_put_together_again(name, clinic):
    draft = drafted(clinic)
    part = draft.part(name)
    reply = STAGES[name].reply_of(part)
    again = STAGES[name].read(reply, draft)
    assert len(reply.pieces) > 1
    if name in ("schema", "tools"):
        assert again.tables == part.tables if name == "schema" else again.tools == part.tools
    else:
        assert again == part


@pytest.mark.parametrize(
    ("column", "value", "found_wrong"),
    [
        ("starts_at", "datetime('now', '-2 hours')", True),
        ("starts_at", "DATE ('now')", True),
        ("starts_at", "12.03.2026 09:00", True),
        ("starts_at", "2026-02-30T09:00:00", True),
        ("starts_at", "2026-03-12T09:00:00", False),
    ],
)
def test_a_moment_that_is_not_written_out_is_found(found, column, value, found_wrong):
    def changed(part):
        first, *rest = part.rows["slots"]
        return part.replace(rows={**part.rows, "slots": ({**first, column: value}, *rest)})

    messages = [
        one.message for one in found("seed_data", changed) if one.check == "every_moment_is_written_out"
    ]
    assert bool(messages) is found_wrong
    assert all(f"Row 1: {column} is " in message for message in messages)


@pytest.mark.parametrize("author", ["procedural", "model"])
def test_fewer_tasks_than_usual_are_remarked_on_where_no_model_wrote_them_and_nobody_asked(
    author, clinic, request_for
):
    draft = drafted(clinic)
    request = request_for(targets={"tasks": 11, "fewer_tasks": True}).replace(author=author)
    findings = {
        name: [(each.severity, each.message) for each in STAGES[name].check(draft.part(name), draft, request)]
        for name in ("outlines", "tasks")
    }
    (remark,) = findings["tasks"]
    if author == "model":
        assert remark == ("error", "There are 10 tasks; exactly 11 are needed.")
        assert "error" in dict(findings["outlines"])
    else:
        assert remark[0] == "warning"
        assert "offers 10 tasks, not the usual 11" in remark[1]
        assert "error" not in dict(findings["outlines"])


@pytest.mark.parametrize(("author", "severity"), [("procedural", "warning"), ("model", "error")])
def test_few_tables_are_remarked_on_where_no_model_wrote_them(author, severity, clinic, request_for):
    request = request_for(targets={"tables": 17}).replace(author=author)
    (finding,) = STAGES["schema"].check(clinic.schema, drafted(clinic), request)
    assert (finding.severity, finding.check) == (severity, "there_are_enough_tables")
    assert "There are 16 tables" in finding.message


def test_a_verifier_that_looks_at_the_calls_sees_them_in_a_world_that_was_made_before_the_tasks(
    clinic, request_for
):
    draft = drafted(clinic)
    task = next(task for task in clinic.tasks.tasks if task.kind == "write")
    names = [call.name for call in task.reference_solution]
    looking = f"""\
def verify(before, after, changes, answer, calls):
    yield check("as it should be", [call["name"] for call in calls if call["status"] == "ok"] == {names})
    yield check("something changed", not changes.only())
"""
    verifiers = [
        Verifier(task_id=each.task_id, source=looking if each.task_id == task.id else each.source)
        for each in clinic.verifiers.verifiers
    ]
    part = Verifiers(verifiers=tuple(verifiers))
    with trial_world_cache():
        with trial_world(draft.replace(tasks=None, verifiers=None)) as world:
            assert world.environment.task(task.id) is None
        assert STAGES["verifiers"].check(part, draft, request_for()) == ()
