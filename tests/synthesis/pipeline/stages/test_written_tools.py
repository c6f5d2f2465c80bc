"""A tool of which only the body is written gets its head and docstring from its specification."""

import ast

import pytest

from synthesis.documents.tool_specs import ToolParameter, ToolSpec, ToolSpecs
from synthesis.pipeline.stages.parameter_meaning import meaning
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.signature import read_signature
from synthesis.pipeline.stages.tools import ToolsReply
from synthesis.pipeline.stages.written_tool import completed, specification_of, with_usual
from synthesis.worlds.toolset import read_toolset
from tests.brief_replies import body_of
from tests.scripted_model import ScriptedModel, drafted


def planned(parameters, *, writes=(), **meanings):
    described = [each.replace(description=meanings.get(each.name, "")) for each in read_signature(parameters)]
    return ToolSpec(
        name="find_visits",
        resource="visit",
        summary="Find visits, earliest first.",
        parameters=tuple(described),
        writes=writes,
    )


def tool_of(source):
    """The tool that agents see of a function, with what heads use."""
    (tool,) = read_toolset(f"{with_usual('', [source])}\n\n\n{source}").tools
    return tool


SPEC = planned(
    "name: str, status: Literal['open', 'done'] | None = None, limit: int = 20", name="Its beginning."
)


def test_a_body_becomes_the_function_that_is_specified():
    tool = tool_of(completed("rows = [name, status]\nreturn {'rows': rows, 'limit': limit}", SPEC))
    assert (tool.name, tool.description) == ("find_visits", "Find visits, earliest first.")
    properties = tool.input_schema["properties"]
    assert properties["name"] == {
        "type": "string",
        "minLength": 1,
        "maxLength": 500,
        "description": "Its beginning.",
    }
    assert properties["status"]["description"] == "Status: open or done; any when left out."
    assert (properties["limit"]["minimum"], properties["limit"]["maximum"]) == (1, 50)
    assert tool.input_schema["required"] == ["name"]


def test_an_example_is_named_in_the_docstring_in_place_of_another():
    first = completed("return {'a': 1}", SPEC, {"name": "Ann"})
    assert tool_of(first).input_schema["examples"] == [{"name": "Ann"}]
    assert tool_of(completed(first, SPEC, {"name": "Bo"})).input_schema["examples"] == [{"name": "Bo"}]
    assert completed(first, SPEC) == first


@pytest.mark.parametrize(
    "body",
    [
        "    return {'a': 1}\n",
        "\n    # Why.\n    return {'a': 1}",
        "# Why.\nreturn {'a': 1}",
        "def count(rows):\n    return len(rows)\n\nreturn {'a': count([1])}",
        "def _count(rows):\n    return len(rows)\n\nreturn {'a': _count([1])}",
        "raise ToolError('No.')",
    ],
)
def test_a_body_may_be_indented_begin_with_a_comment_or_define_functions(body):
    assert tool_of(completed(body, SPEC)).name == "find_visits"


@pytest.mark.parametrize("quotes", ['"""', "'''", 'f"""', 'rf"""'])
def test_what_is_within_a_text_is_not_moved(quotes):
    text = f"sql = {quotes}\n  SELECT\n\n1{quotes[-3:]}\nif sql:\n    return {{'sql': sql}}\nreturn {{}}"
    (function,) = ast.parse(completed(text, planned(""))).body
    scope = {}
    exec(compile(ast.Module([function], []), "tool", "exec"), {"ToolError": ValueError}, scope)
    assert scope["find_visits"](None) == {"sql": "\n  SELECT\n\n1"}


WHOLE = '''def find_visits(db, name: str) -> dict:
    """Find some.

    Args:
        name: Whose.
    """
    return {"a": name}
'''


def test_a_whole_function_stays_as_it_is():
    assert completed(WHOLE, SPEC) == WHOLE
    without_docstring = "def find_visits(db, day: str) -> dict:\n    # Why.\n    return {'a': day}\n"
    tool = tool_of(completed(without_docstring, SPEC))
    assert tool.description == "Find visits, earliest first."
    assert tool.input_schema["properties"]["day"]["description"] == "Day (YYYY-MM-DD)."
    own = 'def find_visits(db, name: str) -> dict:\n    """Find a few."""\n    return {"a": name}\n'
    tool = tool_of(completed(own, SPEC))
    assert tool.description == "Find a few."
    assert tool.input_schema["properties"]["name"]["description"] == "Its beginning."


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import re",
        "def other(db) -> dict:\n    return {}",
        "def find_visits(db) -> dict: return {}",
        "def find_visits(db) -> dict:\n    x = = 1\n",
        "x = 1",
    ],
)
def test_what_is_no_body_is_left_to_the_finding_about_it(source):
    assert completed(source, SPEC) == source


def test_a_body_that_does_not_parse_is_told_by_lines_of_the_function_that_is_shown():
    source = completed("x = 1\nreturn {", planned("name: str"))
    assert source.splitlines()[0] == "def find_visits(db, name: _Text) -> dict:"
    with pytest.raises(SyntaxError):
        ast.parse(source)


def test_texts_of_a_specification_cannot_end_the_docstring():
    odd = planned("name: str", name='A """ and a \\ and "').replace(summary='Find """ \\n "visits"')
    tool = tool_of(completed("return {'a': name}", odd))
    assert tool.description == 'Find """ \\n "visits"'
    assert tool.input_schema["properties"]["name"]["description"] == 'A """ and a \\ and "'


def test_usual_types_are_defined_where_the_author_does_not():
    own = "_Limit = Annotated[int, Field(ge=1, le=10)]"
    head = completed("return {}", SPEC)
    shared = with_usual(f"from typing import Annotated\n\n{own}", [head])
    assert own in shared
    assert "from typing import Literal" in shared
    assert shared.count("_Limit =") == 1
    assert with_usual(shared, [head]) == shared
    assert with_usual("x = = 1", [head]) == "x = = 1"


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        ("visit_id: int", "Id of the visit."),
        ("visit_ids: list[int]", "Ids, each of a visit."),
        ("id: int", "Id."),
        ("price_cents: int", "Price in cents."),
        ("due_on: str", "Due on (YYYY-MM-DD)."),
        ("start_deadline_on: str", "Start deadline (YYYY-MM-DD)."),
        ("starts_at: str | None = None", "Starts at (YYYY-MM-DDTHH:MM:SS); any when left out."),
        ("days: int = 7", "Days."),
        ("only_open: bool = False", "Only open: true or false."),
        ("note: str = ''", "Note; empty by default."),
        ("kind: Literal['a', 'b', 'c']", "Kind: a, b or c."),
        ("limit: int = 20", "How many to return at most."),
        ("offset: int = 0", "How many to skip, from the first."),
    ],
)
def test_a_parameter_is_described_by_its_name_its_type_and_its_default(parameter, text):
    assert meaning(read_signature(parameter)[0], narrows=True) == text


def test_a_written_meaning_goes_before():
    parameter = ToolParameter(name="day", type="str | None", required=False, default="None")
    assert meaning(parameter, narrows=False) == "Day (YYYY-MM-DD); may be left out."
    described = parameter.replace(description="The first\nof them.")
    assert meaning(described, narrows=True) == "The first of them (YYYY-MM-DD)."
    assert meaning(described.replace(description="A YYYY-MM-DD."), narrows=True) == "A YYYY-MM-DD."
    named = described.replace(name="name", type="str")
    assert meaning(named, narrows=True) == "The first of them."


def test_a_default_that_nobody_knows_becomes_one_that_agents_can_be_told():
    spec = planned("place: str = ..., limit: int = ...")
    assert completed("return {}", spec).startswith(
        "def find_visits(db, place: _Text | None = None, limit: _Limit = 20) -> dict:"
    )


def test_bodies_make_the_tools_that_whole_functions_make(clinic):
    stage, draft = STAGES["tools"], drafted(clinic)
    in_full = ScriptedModel(clinic, in_full=True).replies["tools"]
    assert stage.completed(in_full.model_copy(deep=True), draft, None) == in_full
    assert stage.read(in_full, draft).tools == clinic.tools.tools
    bodies = ScriptedModel(clinic).replies["tools"]
    assert not any(tool.source.startswith("def ") for tool in bodies.tools)
    part = stage.read(stage.completed(bodies.model_copy(deep=True), draft, None), draft)
    for tool, before in zip(part.tools, clinic.tools.tools, strict=True):
        assert (tool.name, tool.mutates_state) == (before.name, before.mutates_state)
        assert " ".join(tool.description.split()) == " ".join(before.description.split())
        assert tool.input_schema["required"] == before.input_schema["required"]
        assert [*tool.input_schema["properties"]] == [*before.input_schema["properties"]]
        assert all(each["description"] for each in tool.input_schema["properties"].values())
    assert [body_of(function) for function in map(source_of, part.tools, [part] * 28)] == [
        tool.source for tool in bodies.tools
    ]


def source_of(tool, part):
    reply = STAGES["tools"].reply_of(part)
    return reply.pieces[tool.name].source


def test_a_finished_tool_is_corrected_by_its_body_without_a_plan(clinic):
    stage, draft = STAGES["tools"], drafted(clinic).with_part("tool_specs", ToolSpecs(specs=()))
    standing = stage.reply_of(clinic.tools)
    before = clinic.tools.tool("find_open_slots")
    given = {"name": before.name, "source": "return _page(db, 'SELECT 1', [], '1', limit, offset)"}
    correction = ToolsReply.model_validate({"tools": [{**given, "example": {"from_day": "2026-03-12"}}]})
    part = stage.read(stage.corrected(standing, stage.completed(correction, draft, standing), draft), draft)
    after = part.tool(before.name)
    assert after.input_schema["examples"] == [{"from_day": "2026-03-12"}]
    described = [
        {name: each["description"] for name, each in tool.input_schema["properties"].items()}
        for tool in (before, after)
    ]
    assert described[0] == described[1]
    assert after.description == before.description
    assert "SELECT 1" in part.source


@pytest.mark.parametrize(
    "source",
    ["def x(", "import re", "def y(db) -> dict:\n    return {}", "def x(db, *a) -> dict:\n    return {}"],
)
def test_what_is_no_function_specifies_nothing(source):
    assert specification_of(source, "x") is None


def test_a_tool_that_nobody_planned_is_not_completed(clinic):
    draft = drafted(clinic).with_part("tool_specs", ToolSpecs(specs=()))
    reply = ToolsReply.model_validate({"tools": [{"name": "x", "source": "return {}"}]})
    assert STAGES["tools"].completed(reply, draft, None).tools[0].source == "return {}"
