"""The tools' stage calls what was written: what fails, loops, ends its process or never succeeds is told."""

import pytest

from synthesis.documents.tools import Toolset
from synthesis.errors import ReplyUnreadable, WorkerDied, WorkerTimeout
from synthesis.pipeline.stages import tools as tools_stage
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.tool_calls import called
from synthesis.pipeline.stages.trial import trial_world
from synthesis.worlds.toolset import read_toolset
from tests.scripted_model import drafted

BROKEN_TOOLS = {
    "a syntax error": ("return _page(", "return _page(("),
    "an import outside the allowlist": ("import re", "import os\nimport re"),
    "an infinite loop at the top": ("MAX_LIMIT = 50", "MAX_LIMIT = 50\nwhile True:\n    pass"),
}


@pytest.mark.parametrize("what", sorted(BROKEN_TOOLS))
def test_tools_that_must_not_run_are_found(what, found):
    old, new = BROKEN_TOOLS[what]
    assert found("tools", lambda part: Toolset(source=part.source.replace(old, new, 1)))


def changed_tool(part, old, new):
    assert old in part.source
    return read_toolset(part.source.replace(old, new, 1))


def test_a_name_that_nothing_defines_is_found_where_it_is_used(found):
    def forgetful(part):
        return changed_tool(part, 'params = [_text(name, "name")]', 'params = [_fold.sub("x", "", name)]')

    (finding,) = found("tools", forgetful)
    assert (finding.check, finding.where) == ("every_name_is_defined", "find_patients")
    assert finding.message == "_fold is used by find_patients, but neither defined nor imported."


def test_a_tool_that_fails_is_found_by_calling_it(found):
    def failing(part):
        return changed_tool(part, 'params = [_text(name, "name")]', "params = [name[0]]")

    findings = found("tools", failing)
    assert {finding.where for finding in findings} == {"find_patients"}
    assert "IndexError" in findings[0].message


def test_a_tool_that_fails_for_rows_that_are_there_is_found_with_its_statement(found):
    def misspelt(part):
        return changed_tool(
            part, "SET status = 'checked_in', checked_in_at = ?", "SET status = 'checked_in', seen_at = ?"
        )

    findings = found("tools", misspelt)
    assert {finding.where for finding in findings} == {"check_in_patient"}
    assert "no such column: seen_at (line 17 of check_in_patient: db.execute(" in findings[0].message


@pytest.mark.parametrize("name", ["day", "until"])
def test_a_tool_that_adds_to_the_last_day_of_the_calendar_is_found_by_calling_it(clinic, name):
    draft = drafted(clinic)
    source = (
        "from datetime import date, timedelta\n\n"
        f'def list_days(db, {name}: str) -> dict:\n    """List.\n\n    Args:\n'
        f'        {name}: A day, YYYY-MM-DD.\n    """\n    try:\n        start = date.fromisoformat({name})\n'
        "    except ValueError:\n        raise ToolError('No day.')\n"
        "    return {'end': str(start + timedelta(days=1))}\n"
    )
    drafted_tools = draft.with_part("tools", read_toolset(source))
    with trial_world(drafted_tools) as world:
        (finding,) = called(drafted_tools, world)
    assert "9999-12-31" in finding.message
    assert "OverflowError" in finding.message


def test_a_search_that_takes_a_text_too_long_for_its_pattern_is_found_by_calling_it(found):
    pattern = ("instr(lower(first_name || ' ' || last_name), lower(?)) > 0", "last_name LIKE '%' || ? || '%'")

    def searching(part):
        return changed_tool(changed_tool(part, *pattern), '[_text(name, "name")]', "[name]")

    findings = found("tools", searching)
    assert {finding.where for finding in findings} == {"find_patients"}
    assert "pattern too complex" in findings[0].message
    assert "(10000 characters)" in findings[0].message


def test_tools_that_few_rows_fit_together_for_are_tried_until_one_does(clinic, request_for):
    findings = STAGES["tools"].check(clinic.tools, drafted(clinic), request_for())
    assert findings == ()


def test_a_tool_that_no_row_lets_succeed_is_a_wish(clinic, request_for):
    def warned(change, *, tasks):
        part, draft = changed_tool(clinic.tools, *change), drafted(clinic)
        specs = tuple(
            spec.replace(tasks=tasks) if spec.name == "record_payment" else spec
            for spec in draft.tool_specs.specs
        )
        draft = draft.with_part("tool_specs", draft.tool_specs.replace(specs=specs))
        findings = STAGES["tools"].check(part, draft, request_for())
        assert not [finding for finding in findings if finding.blocks]
        return {finding.where: finding for finding in findings if finding.check == "every_tool_can_succeed"}

    line = '    _choice(method, "method", ("cash", "card", "transfer"))\n'
    strict = f'{line}    if amount_cents != 1234:\n        raise ToolError("No.")\n'
    message = warned((line, strict), tasks=())["record_payment"].message
    assert "`example`" in message
    assert 'Among those tried: {"invoice_id": ' in message
    assert "missing_rows" in message
    # Where a task is planned in which another tool writes as well, that one may have to come first.
    assert warned((line, strict), tasks=("check_in_and_take_payment",)) == {}
    assert STAGES["tools"].optional_checks == {"every_tool_can_succeed", "every_example_succeeds"}


def test_an_example_that_the_tool_refuses_is_a_wish(clinic, request_for):
    def warned(patient):
        example = f'\n    Examples:\n        {{"patient_id": {patient}}}\n    """'
        source = clinic.tools.source
        start = source.index("def get_patient(")
        end = source.index('"""', source.index('"""', start) + 3)
        part = read_toolset(source[:end].rstrip() + "\n" + example + source[end + 3 :])
        assert part.tool("get_patient").input_schema["examples"] == [{"patient_id": patient}]
        return STAGES["tools"].check(part, drafted(clinic), request_for())

    (finding,) = warned(987_654)
    assert (finding.check, finding.where, finding.severity) == (
        "every_example_succeeds",
        "get_patient",
        "warning",
    )
    assert '{"patient_id": 987654}, is refused: ' in finding.message
    known = next(iter(clinic.seed_data.rows["patients"]))["id"]
    assert warned(known) == ()


def test_a_call_that_fails_in_a_task_is_the_tools_to_mend(clinic, request_for):
    draft = drafted(clinic)
    failing = changed_tool(draft.tools, "opens, closes, now = starts_at", "opens, closes, now = starts_at[0]")
    findings = STAGES["tasks"].check(draft.tasks, draft.with_part("tools", failing), request_for())
    (finding,) = [finding for finding in findings if finding.blocks and finding.where == "check_in_patient"]
    assert finding.part == "tools"
    assert "TypeError" in finding.message


def test_a_tool_that_loops_for_ever_is_found_by_calling_it(found):
    def looping(part):
        return changed_tool(
            part,
            'params = [_text(name, "name")]',
            "while True:\n        pass",
        )

    assert {finding.where for finding in found("tools", looping)} == {"find_patients"}


def test_a_planned_tool_that_is_missing_is_found(found):
    def renamed(part):
        return read_toolset(part.source.replace("def find_patients(", "def look_for_patients("))

    assert [finding.where for finding in found("tools", renamed)] == ["find_patients"]


@pytest.mark.parametrize(
    "error", [WorkerTimeout("Describing it took longer than 5 s."), WorkerDied("It died.")]
)
def test_a_module_that_ends_its_process_is_told_and_ends_no_run(clinic, monkeypatch, error):
    def compile_tools(source, limits):
        raise error

    monkeypatch.setattr(tools_stage, "compile_tools", compile_tools)
    tools_stage._compile.cache_clear()  # earlier tests compiled these tools
    reply = STAGES["tools"].reply_of(clinic.tools)
    with pytest.raises(ReplyUnreadable, match="The module does not load: "):
        STAGES["tools"].read(reply, drafted(clinic))


def test_a_tool_that_lacks_a_row_is_for_the_author_of_the_rows(clinic):
    stage = STAGES["tools"]
    missing = [{"tool": "close_room", "row": "rooms: one that is open"}]
    reply = stage.reply.model_validate({"tools": [], "missing_rows": missing})
    (finding,) = stage.at_fault(stage.reply_of(clinic.tools).merged(reply))
    assert (finding.part, finding.where, finding.blocks) == ("seed_data", "", True)
    assert "close_room can succeed on none of the rows. Add what it needs: rooms: one" in finding.message
