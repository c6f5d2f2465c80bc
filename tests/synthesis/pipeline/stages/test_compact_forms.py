"""Replies are asked for in few words, and read in those that models also use."""

import pytest
from pydantic import ValidationError

from synthesis.documents.environment import Draft
from synthesis.documents.tool_specs import ToolParameter, ToolSpec, ToolSpecs
from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion
from synthesis.pipeline.prompt import compact
from synthesis.pipeline.reply import read_pieces
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.schema import SchemaReply
from synthesis.pipeline.stages.seed_data import SeedDataReply
from synthesis.pipeline.stages.signature import read_signature, signature
from synthesis.pipeline.stages.tasks import CallReply, TasksReply
from synthesis.pipeline.stages.tool_specs import ToolSpecsReply
from synthesis.pipeline.stages.written_call import read_call, written_call
from synthesis.worlds.database import read_schema
from tests.scripted_model import drafted


@pytest.mark.parametrize(
    "name", ["outlines", "schema", "seed_data", "tool_specs", "tools", "tasks", "verifiers"]
)
def test_a_part_written_in_the_form_that_is_asked_for_is_read_as_it_was(name, clinic):
    stage = STAGES[name]
    reply = stage.reply_of(drafted(clinic).part(name))
    text = compact(reply.only(set(reply.pieces)))
    assert type(reply).model_validate_json(text) == reply


BOOKED = [
    "CREATE TABLE rooms (id INTEGER PRIMARY KEY)",
    """CREATE TABLE bookings (id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES rooms (id));
CREATE UNIQUE INDEX one_each ON bookings (room_id) WHERE id > 9;""",
    """CREATE TABLE keys (
  room_id INTEGER REFERENCES rooms (id),
  booking_id INTEGER REFERENCES bookings (id),
  PRIMARY KEY (room_id, booking_id)
);""",
]


def read_tables(tables):
    stage = STAGES["schema"]
    return stage.read(SchemaReply.model_validate({"tables": tables}), Draft())


def test_a_table_is_its_statements_and_references_are_indexed():
    schema = read_tables(BOOKED)
    assert [table.name for table in schema.tables] == ["rooms", "bookings", "keys"]
    assert schema.sql.count("CREATE INDEX") == 2
    assert "WHERE id > 9;\nCREATE INDEX bookings_by_room_id ON bookings (room_id);" in schema.sql
    assert "CREATE INDEX keys_by_booking_id ON keys (booking_id);" in schema.sql
    again = STAGES["schema"].reply_of(schema)
    assert read_tables([table.sql for table in again.tables]) == schema


def test_who_writes_indexes_has_chosen_them():
    with_index = [*BOOKED, "CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE INDEX a_by_id ON a (id);"]
    assert read_tables(with_index).sql.count("CREATE INDEX") == 1


def test_a_table_that_comes_twice_is_told_and_the_first_one_read():
    completion = Completion(text=compact({"tables": [*BOOKED, BOOKED[1]]}))
    reply, problems = read_pieces(completion, SchemaReply)
    assert (len(reply.tables), [*problems]) == (3, ["bookings"])


def test_a_table_may_be_an_object_that_names_it():
    named = [{"name": name, "sql": sql} for name, sql in zip("abc", BOOKED, strict=True)]
    reply = SchemaReply.model_validate({"tables": named})
    assert read_tables(named) == read_tables(BOOKED)
    assert reply.only({"a"})["tables"] == named[:1]


@pytest.mark.parametrize("text", ["SELECT 1", "CREATE TABLE", "x" * 200])
def test_a_text_that_makes_no_table_is_a_finding(text, request_for):
    findings = STAGES["schema"].check(read_tables([*BOOKED, text]), Draft(), request_for())
    assert [finding.check for finding in findings] == ["every_statement_builds"]


def rows(**table):
    return SeedDataReply.model_validate({"tables": [{"table": "crews", **table}]}).pieces["crews"].rows


def test_rows_are_lists_of_values_or_objects():
    expected = [{"id": 1, "name": "Ann"}, {"id": 2, "name": None}]
    assert rows(columns=["id", "name"], rows=[[1, "Ann"], [2, None]]) == expected
    assert rows(rows=expected) == expected
    assert rows(columns=["id", "name"], rows=[[1, "Ann"], {"id": 2}])[1] == {"id": 2}


def test_rows_of_different_columns_keep_their_defaults():
    reply = SeedDataReply.model_validate({"tables": [{"table": "a", "rows": [{"id": 1}, {"id": 2, "b": 0}]}]})
    assert reply.only({"a"})["tables"] == [{"table": "a", "rows": [{"id": 1}, {"id": 2, "b": 0}]}]


def test_a_row_with_a_value_too_few_is_named():
    with pytest.raises(ValidationError, match=r'a row has 1 values for 2 columns: \["Ann"\]'):
        rows(columns=["id", "name"], rows=[["Ann"]])


CREWS = read_schema(
    "CREATE TABLE crews (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER, note TEXT)"
)


def crews_after(correction, clinic, **standing):
    stage, draft = STAGES["seed_data"], drafted(clinic).replace(schema=CREWS)
    first, second = (
        SeedDataReply.model_validate({"tables": [{"table": "crews", **table}]})
        for table in (standing, correction)
    )
    return stage.corrected(first, second, draft).pieces["crews"].rows


def test_a_correction_of_some_columns_leaves_the_others_as_they_are(clinic):
    both = crews_after(
        {"columns": ["id", "size"], "rows": [[2, 9]]},
        clinic,
        columns=["id", "name", "size"],
        rows=[[1, "A", 3], [2, "B", 4]],
    )
    assert both == [{"id": 1, "name": "A", "size": 3}, {"id": 2, "name": "B", "size": 9}]


def test_a_correction_can_take_a_column_out(clinic):
    standing = {
        "columns": ["id", "name", "color", "note"],
        "rows": [[n, "A", "red", "x"] for n in range(1, 6)],
    }
    whole = [[n, "A"] for n in range(1, 6)]
    every = crews_after({"columns": ["id", "name"], "rows": whole}, clinic, **standing)
    assert every == [{"id": n, "name": "A"} for n in range(1, 6)]
    one = crews_after({"columns": ["id", "name"], "rows": whole[:1]}, clinic, **standing)
    assert [list(row) for row in one] == [["id", "name"], *[["id", "name", "color", "note"]] * 4]
    part = crews_after({"columns": ["id", "note"], "rows": [[1, "y"]]}, clinic, **standing)
    assert part[0] == {"id": 1, "name": "A", "note": "y"}  # the column that no table has is gone


@pytest.mark.parametrize(
    "text",
    [
        "",
        "booking_id: int",
        "kind: Literal['a', 'b'] | None = None, limit: int = 20",
        "ids: list[int], note: str = ''",
        "place: str = ...",
    ],
)
def test_a_signature_is_read_and_written_as_it_was(text):
    assert signature(read_signature(text)) == text


def test_a_default_that_nobody_knows_stays_unknown():
    (place,) = read_signature("place: str = ...")
    assert (place.required, place.default) == (False, "")


def test_descriptions_stay_with_the_parameters_that_stay(clinic):
    stage, draft = STAGES["tool_specs"], drafted(clinic)
    first = ToolSpec(
        name="find_crews",
        resource="crews",
        summary="Find crews.",
        parameters=(
            ToolParameter(name="name", type="str", description="Its beginning."),
            ToolParameter(name="day", type="str", required=False, description="When."),
        ),
    )
    draft = draft.replace(tool_specs=ToolSpecs(specs=(first,)))
    reply = stage.reply_of(draft.tool_specs)
    assert stage.read(reply, draft).specs == (first,)
    reply.tools[0].parameters = "name: str, limit: int = 20"
    (spec,) = stage.read(reply, draft).specs
    assert [each.description for each in spec.parameters] == ["Its beginning.", ""]


def test_meanings_are_said_beside_the_parameters_or_with_them(clinic):
    for given in (
        {"parameters": "name: str, limit: int = 20", "meanings": {"name": "Its end.", "other": "No."}},
        {"parameters": [{"name": "name", "type": "str", "description": "Its end."}]},
    ):
        reply = ToolSpecsReply.model_validate(
            {"tools": [{"name": "find_crews", "summary": "Find.", **given}]}
        )
        (spec,) = STAGES["tool_specs"].read(reply, drafted(clinic)).specs
        assert (spec.parameters[0].description, spec.resource) == ("Its end.", "crew")
        assert STAGES["tool_specs"].reply_of(ToolSpecs(specs=(spec,))).tools[0].resource == ""


def test_tables_that_nothing_uses_are_told_where_it_shows(clinic, request_for):
    draft = drafted(clinic)
    unused = read_schema(f"{draft.schema.sql}\nCREATE TABLE lamps (id INTEGER PRIMARY KEY);")
    draft = draft.with_part("schema", unused)
    said = {
        name: [f.message for f in STAGES[name].check(draft.part(name), draft, request_for())]
        for name in ("tool_specs", "tools")
    }
    told = ["No tool reads or writes table 'lamps'."]
    assert [[m for m in said[name] if "No tool reads" in m] for name in said] == [[], told]
    specs = ToolSpecs(specs=tuple(spec.replace(reads=("rooms",)) for spec in draft.tool_specs.specs))
    planned = draft.with_part("tool_specs", specs)
    assert told[0] in [f.message for f in STAGES["tool_specs"].check(specs, planned, request_for())]


def test_of_a_signature_the_database_and_brackets_count_for_nothing():
    first, second = read_signature("(db, name: str, *, limit: int = 20)")
    assert (first.name, first.required, second.name, second.default) == ("name", True, "limit", "20")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name", "name has no type"),
        ("name: str limit: int", "no parameters as Python writes them"),
        ("**more", "none begins with"),
        ("x: int" + "|int" * 900, "x: its type or default is nested too deeply"),
    ],
)
def test_a_signature_that_is_none_says_why(text, message):
    with pytest.raises(ValueError, match=message):
        read_signature(text)


SPEC = {"name": "find-crews", "resource": "crews", "summary": "Find crews.", "reads": ["crews"]}


@pytest.mark.parametrize(
    "parameters",
    [
        "name: str, limit: int = 20",
        ["name: str", "limit: int = 20"],
        [
            {"name": "name", "type": "str"},
            {"name": "limit", "type": "int", "required": False, "default": "20"},
        ],
    ],
)
def test_parameters_are_a_text_a_list_of_texts_or_objects(parameters, clinic):
    reply = ToolSpecsReply.model_validate({"tools": [{**SPEC, "parameters": parameters}]})
    (spec,) = STAGES["tool_specs"].read(reply, drafted(clinic)).specs
    assert (spec.name, signature(spec.parameters)) == ("find_crews", "name: str, limit: int = 20")


def test_one_specification_that_cannot_be_read_is_asked_for_again_by_name(clinic):
    reply = ToolSpecsReply.model_validate(
        {"tools": [SPEC, {**SPEC, "name": "list_crews", "parameters": "a b"}]}
    )
    with pytest.raises(ReplyUnreadable) as error:
        STAGES["tool_specs"].read(reply, drafted(clinic))
    assert list(error.value.problems) == ["list_crews"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("find()", {}),
        ("find", {}),
        (
            'find(name="O\'Brien", limit=5, open=true, day=null)',
            {"name": "O'Brien", "limit": 5, "open": True, "day": None},
        ),
        ("find(ids=[1, -2], amount=-12.5)", {"ids": [1, -2], "amount": -12.5}),
    ],
)
def test_a_call_is_written_as_python_or_json_write_its_values(text, arguments):
    call = read_call(text)
    assert call == {"name": "find", "arguments": arguments}
    assert read_call(written_call(**call)) == call


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("find(1)", "by its name"),
        ("find(**all)", "by its name"),
        ("find(day=today())", "no literal value"),
        ("first(find())[0]", "is no call"),
        ("find(", "is no call"),
        (" find(x=" + "1+" * 900 + "a)", "'1.1.1.*no literal value"),
        ("find(x=" + "-" * 500 + "a)", "'---.*no literal value"),
    ],
)
def test_a_call_that_is_none_says_why(text, message):
    with pytest.raises(ValueError, match=message):
        read_call(text)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_call_that_cannot_be_written_is_an_object(value):
    call = CallReply(name="find", arguments={"a": value})
    assert repr(call.model_dump()) == repr({"name": "find", "arguments": {"a": value}})


TASK = {"id": "move_visit", "reference_answer": "It is moved."}


def test_a_task_has_its_outlines_instruction_unless_it_needs_another(clinic):
    outline = drafted(clinic).outlines.outlines[0]
    given = {
        **TASK,
        "id": outline.id,
        "reference_solution": ["now()", {"name": "find", "arguments": {"a": 1}}],
    }
    (task,) = STAGES["tasks"].read(TasksReply.model_validate({"tasks": [given]}), drafted(clinic)).tasks
    assert task.instruction == outline.instruction
    assert [(call.name, dict(call.arguments)) for call in task.reference_solution] == [
        ("now", {}),
        ("find", {"a": 1}),
    ]


def test_a_correction_without_an_instruction_keeps_the_tasks_own():
    first, second = (
        TasksReply.model_validate({"tasks": [{**TASK, "reference_solution": [call], **own}]})
        for call, own in (("find()", {"instruction": "Move the visit of Ann to Friday."}), ("get()", {}))
    )
    both = first.merged(second).pieces["move_visit"]
    assert both.instruction == "Move the visit of Ann to Friday."
    assert [call.name for call in both.reference_solution] == ["get"]
