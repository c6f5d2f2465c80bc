"""One contract for every author: it hands in a part of its stage, or findings, and its recipe is data."""

import itertools
import json
import re
from datetime import datetime

import pytest

from synthesis.documents.environment import Draft, part_types
from synthesis.documents.finding import Finding
from synthesis.documents.scenario import Scenario
from synthesis.documents.tool_specs import ToolSpec, ToolSpecs
from synthesis.documents.trajectory import Usage
from synthesis.errors import PromptTooLong
from synthesis.llm.provider import Completion, Reasoning
from synthesis.llm.scripted import Scripted
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.authors.registry import AUTHORS
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


@pytest.fixture(params=sorted(AUTHORS))
def author(request, endpoint):
    return AUTHORS[request.param](endpoint()[2].provider)


def test_it_goes_by_its_name_in_the_registry(author):
    assert AUTHORS[author.name]
    assert isinstance(author.corrects, bool)


def test_it_writes_the_part_it_is_asked_for(author, request_for):
    written = author.write(Ask(stage=STAGES["scenario"], draft=Draft(), request=request_for()))
    assert isinstance(written.part, part_types()["scenario"])
    assert not any(finding.blocks for finding in written.findings)


def test_its_recipes_are_plain_data_and_the_same_every_time(author):
    for stage in STAGES.values():
        assert json.dumps(author.recipe(stage)) == json.dumps(author.recipe(stage))


def test_it_writes_every_part_that_ships(author):
    skipped = {name for name, stage in STAGES.items() if not author.writes(stage)}
    assert skipped <= {"outlines", "tool_specs"}


def test_a_model_is_asked_in_batches_and_only_for_what_is_missing(endpoint, request_for, clinic):
    _, server, author = endpoint()
    draft, stage = drafted(clinic), STAGES["verifiers"]
    first = author.write(Ask(stage=stage, draft=draft, request=request_for()))
    assert (first.calls, len(server.seen)) == (1, 1)
    assert len(first.part.verifiers) == 10
    again = Ask(stage=stage, draft=draft, request=request_for(), number=2, last=first)
    assert author.write(again).calls == 1


def specified(request):
    """Names of the tools that a prompt specifies."""
    return re.findall(r'^\{"name":"(\w+)","summary"', request.messages[1].text, re.MULTILINE)


def planned(clinic, resources):
    """A draft whose tools are planned for these resources, as many of each."""
    names = iter(tool.name for tool in clinic.tools.tools)
    specs = tuple(
        ToolSpec(name=next(names), resource=resource, summary="It does.", reads=("patients",))
        for resource, count in resources.items()
        for _ in range(count)
    )
    return drafted(clinic).with_part("tool_specs", ToolSpecs(specs=specs))


@pytest.mark.parametrize(
    ("resources", "batches"),
    [
        ({"a": 7, "b": 12, "c": 3}, ["a" * 7 + "b" * 12, "ccc"]),
        ({"a": 12, "b": 9, "c": 7}, ["a" * 12 + "c" * 7, "b" * 9]),
        ({"a": 1, "b": 20, "c": 1}, ["ac", "b" * 20]),
        ({"a": 1, "b": 22, "c": 1}, ["ac", "b" * 11, "b" * 11]),
        ({"a": 20}, ["a" * 20]),
    ],
)
def test_a_model_writes_the_tools_of_one_resource_together(request_for, clinic, resources, batches):
    provider, draft = Scripted(lambda _: "{}"), planned(clinic, resources)
    ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    resource = {spec.name: spec.resource for spec in draft.tool_specs.specs}
    asked = ["".join(resource[name] for name in specified(request)) for request in provider.requests]
    assert asked == batches


@pytest.mark.parametrize(
    "first", [PromptTooLong("too long"), Completion(text='{"tools": [', finish_reason="length")]
)
def test_what_is_too_much_for_one_request_is_asked_for_in_halves(request_for, clinic, first):
    provider, draft = Scripted([first, *["{}"] * 2]), planned(clinic, {"a": 5})
    written = ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    names = [specified(request) for request in provider.requests]
    assert [len(each) for each in names] == [5, 2, 3]
    assert [*names[1], *names[2]] == names[0]
    assert written.calls == len([each for each in (first, 1, 1) if not isinstance(each, Exception)])


def test_a_prompt_too_long_for_one_piece_is_the_endpoints_refusal(request_for, clinic):
    provider, draft = Scripted([PromptTooLong("too long")]), planned(clinic, {"a": 1})
    with pytest.raises(PromptTooLong):
        ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))


@pytest.mark.parametrize("stage", ["tools", "verifiers", "tasks"])
def test_the_requests_of_a_stage_have_all_but_their_pieces_in_common(request_for, clinic, stage):
    provider, draft = Scripted(lambda _: PromptTooLong("too long")), drafted(clinic)
    with pytest.raises(PromptTooLong):
        ModelAuthor(provider).write(Ask(stage=STAGES[stage], draft=draft, request=request_for()))
    first, second = (request.messages[1].text for request in provider.requests[:2])
    common = sum(
        1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    )
    assert first[:common].count("The reply's JSON Schema:") == 1
    assert first.startswith("<scenario>")
    assert common / len(second) > 0.6


def test_the_model_and_what_it_thought_are_kept_with_the_attempt(request_for, clinic):
    thought = Completion(
        text="{}", model="m-1", reasoning=Reasoning(text="Hm."), usage=Usage(output_tokens=3)
    )
    author = ModelAuthor(Scripted([thought]))
    written = author.write(Ask(stage=STAGES["scenario"], draft=Draft(), request=request_for()))
    assert (written.model, written.reasoning) == ("m-1", "Hm.")


@pytest.mark.parametrize("where", ["line 76", "crews", "", "shared"])
def test_a_finding_is_never_withheld(request_for, clinic, where):
    provider, draft, stage = Scripted(lambda _: "{}"), drafted(clinic), STAGES["tools"]
    blamed = draft.tools.tools[0].name
    findings = (
        Finding(part="tools", check="every_tool_runs", message="It failed.", where=blamed),
        Finding(part="tools", check="only_pure_python", message="os cannot be imported.", where=where),
    )
    ModelAuthor(provider).write(
        Ask(stage=stage, draft=draft, request=request_for(), number=2, findings=findings)
    )
    asked = "\n".join(request.messages[-1].text for request in provider.requests)
    assert "It failed." in asked
    assert "os cannot be imported." in asked


def test_what_is_shared_is_asked_for_again_and_replaced(request_for, clinic):
    draft, stage = drafted(clinic), STAGES["tools"]
    source = f"import os\n\n{draft.tools.source}"
    found = stage.check(draft.tools.replace(source=source), draft, request_for())
    findings = tuple(finding for finding in found if finding.check == "only_pure_python")
    assert {finding.where for finding in findings} == {"shared"}
    standing = stage.reply_of(draft.tools.replace(source=source))
    shared = standing.shared.replace("import os", "")
    provider = Scripted([json.dumps({"shared": shared, "tools": []})])
    written = ModelAuthor(provider).write(
        Ask(
            stage=stage,
            draft=draft.with_part("tools", draft.tools.replace(source=source)),
            request=request_for(),
            number=2,
            findings=findings,
        )
    )
    assert "To be corrected: shared." in provider.requests[0].messages[-1].text
    assert written.part is not None
    assert "import os" not in written.part.source


def test_an_import_that_is_missing_is_added_and_nothing_is_written_again(request_for, clinic):
    draft, stage = drafted(clinic), STAGES["tools"]
    part = draft.tools.replace(source=draft.tools.source.replace("import re\n", "", 1))
    findings = tuple(f for f in stage.check(part, draft, request_for()) if f.blocks)
    assert {(f.check, f.where) for f in findings} == {("every_name_is_defined", "shared")}
    provider = Scripted([json.dumps({"shared": "import re", "tools": []})])
    written = ModelAuthor(provider).write(
        Ask(
            stage=stage,
            draft=draft.with_part("tools", part),
            request=request_for(),
            number=2,
            findings=findings,
        )
    )
    assert written.part is not None
    assert "def _phone(" in written.part.source
    assert not [f for f in stage.check(written.part, draft, request_for()) if f.blocks]
    correction = provider.requests[0].messages
    assert "that you add or change: the others stay" in correction[-1].text
    texts = "\n".join(message.text for message in correction)
    assert texts.count("def _phone(") == 1


def test_what_tools_share_stands_once_in_a_correction_as_plain_text(request_for, clinic):
    draft, stage = drafted(clinic), STAGES["tools"]
    blamed = draft.tools.tools[0].name
    finding = Finding(part="tools", check="every_tool_runs", message="It failed.", where=blamed)
    provider = Scripted(["{}"])
    ModelAuthor(provider).write(
        Ask(stage=stage, draft=draft, request=request_for(), number=2, findings=(finding,))
    )
    shared = stage.reply_of(draft.tools).shared
    prompt, own = provider.requests[0].messages[1].text, provider.requests[0].messages[2].text
    assert prompt.count(shared) == 1
    assert [*json.loads(own)] == ["tools"]


def test_later_batches_are_told_what_earlier_ones_left_undefined(request_for, clinic):
    draft = planned(clinic, {"a": 13, "b": 13})
    tool = '{"name": "x", "source": "def x(db) -> dict:\\n    return {1: re.sub}\\n"}'
    provider = Scripted([f'{{"shared": "", "tools": [{tool}]}}', "{}"])
    ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    assert "(re is used by x, but neither defined nor imported.)" in provider.requests[1].messages[1].text


TOOL = 'def {0}(db) -> dict:\n    """Do it."""\n    return {{"{0}": 1}}'


def tools(*names, shared="", **more):
    pieces = [{"name": name, "source": TOOL.format(name)} for name in names]
    return json.dumps({"shared": shared, "tools": pieces, **more})


def test_what_is_wrong_with_a_batch_is_told_with_the_next_one(request_for, clinic):
    draft = planned(clinic, {"a": 13, "b": 13})
    provider = Scripted([tools("one", shared="import os"), tools("two", remove=["os"])])
    written = ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    first, second = (request.messages[-1].text for request in provider.requests)
    assert "what you wrote so far was tried" not in first
    assert "what you wrote so far was tried" in second
    assert '{"shared":"import os","tools":[]}' in second
    assert written.part is not None
    assert "import os" not in written.part.source
    assert {tool.name for tool in written.part.tools} == {"one", "two"}


def test_what_a_model_writes_unasked_is_not_asked_for_again(request_for, clinic):
    draft = planned(clinic, {"a": 13, "b": 13})
    names = [spec.name for spec in draft.tool_specs.specs]
    provider = Scripted([tools(*names[:15]), tools(*names[15:])])
    written = ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    assert [request.pieces for request in provider.requests] == [tuple(names[:13]), tuple(names[15:])]
    assert {tool.name for tool in written.part.tools} == {*names}


def test_batches_with_which_nothing_is_wrong_are_asked_for_without_a_remark(request_for, clinic):
    draft = planned(clinic, {"a": 13, "b": 13})
    provider = Scripted([tools("one", shared="import re"), tools("two")])
    written = ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    assert "what you wrote so far was tried" not in provider.requests[1].messages[-1].text
    assert "import re" in written.part.source


def test_lines_are_told_as_the_model_wrote_them(request_for, clinic):
    draft, stage = drafted(clinic), STAGES["tools"]
    broken = 'def broken(db) -> dict:\n    """Break."""\n    import os\n\n    return {}\n'
    part = draft.tools.replace(source=f"{draft.tools.source}\n\n{broken}")
    findings = [finding for finding in stage.check(part, draft, request_for()) if finding.where]
    assert {finding.where for finding in findings} == {"broken"}
    assert findings[0].message.startswith("Line 3 of broken: ")


def test_a_model_is_told_the_stage_and_the_attempt_for_the_ledger(endpoint, request_for):
    provider = Scripted(["{}"])
    ask = Ask(stage=STAGES["policy"], draft=drafted_policy(), request=request_for(seed=4), number=3)
    written = ModelAuthor(provider, temperature=0.5, max_output_tokens=900).write(ask)
    request = provider.requests[0]
    assert (request.stage, request.attempt, request.seed) == ("policy", 3, 6)
    assert (request.temperature, request.max_output_tokens) == (0.5, 900)
    assert request.reply_format.name == "PolicyReply"
    assert (written.part, written.findings[0].check) == (None, "the_reply_can_be_read")
    assert written.reply == "{}"
    assert "## system" in written.prompt


def drafted_policy():
    from datetime import datetime

    from synthesis.documents.scenario import Scenario

    scenario = Scenario(
        name="shop",
        title="Shop",
        category="retail",
        description="A shop.",
        clock=datetime(2026, 3, 11, 8, 30),
    )
    return Draft(scenario=scenario)


OUTLINE = {
    "instruction": "Tell Marta Lindqvist what she owes on her invoices in all.",
    "kind": "read",
    "difficulty": "easy",
}


def outlines_written(request_for, replies):
    """What a model's replies come to when outlines are asked for again and again, with all that was asked."""
    provider, last, findings = Scripted([json.dumps(reply) for reply in replies]), None, ()
    for number in range(1, len(replies) + 1):
        ask = Ask(
            stage=STAGES["outlines"],
            draft=outlined(),
            request=request_for(),
            number=number,
            last=last,
            findings=findings,
        )
        last = ModelAuthor(provider).write(ask)
        findings = last.findings
    return last, provider.requests


def outlined():
    return Draft().with_part(
        "scenario",
        Scenario(
            name="yard",
            title="Boatyard",
            category="services",
            description="A boatyard stores yachts over the winter.",
            clock=datetime(2026, 5, 12, 9, 0),
        ),
    )


def test_a_name_with_hyphens_is_read_as_the_name_it_means(request_for):
    reply = {"tasks": [{"id": "balance-of-Lindqvist", **OUTLINE}, {"id": "book lift", **OUTLINE}]}
    written, _ = outlines_written(request_for, [reply])
    assert [outline.id for outline in written.part.outlines] == ["balance_of_lindqvist", "book_lift"]


def test_all_that_is_wrong_with_the_pieces_is_told_at_once_and_what_was_written_is_shown(request_for):
    simple = {"id": "book_lift", **OUTLINE, "difficulty": "simple"}
    reply = {"tasks": [{"id": "7th_balance", **OUTLINE}, simple, {"id": "fine", **OUTLINE}]}
    _, requests = outlines_written(request_for, [reply, {"tasks": []}])
    *_, own, correction = requests[1].messages
    assert "[book_lift]" in correction.text
    assert "difficulty: Input should be" in correction.text
    assert "tasks.0." not in correction.text
    assert "[7th_balance] id: String should match" in correction.text
    assert {task["id"] for task in json.loads(own.text)["tasks"]} == {"7th_balance", "book_lift"}
    assert simple in json.loads(own.text)["tasks"]


def test_a_piece_under_a_right_name_takes_the_place_of_one_that_could_not_be_read(request_for):
    first = {"tasks": [{"id": "7th_balance", **OUTLINE}, {"id": "fine", **OUTLINE}]}
    second = {"tasks": [{"id": "seventh_balance", **OUTLINE}]}
    written, _ = outlines_written(request_for, [first, second])
    assert {outline.id for outline in written.part.outlines} == {"seventh_balance", "fine"}


def test_an_author_that_is_told_the_same_again_is_told_so(request_for):
    reply = {"tasks": [{"id": "7th_balance", **OUTLINE}]}
    _, requests = outlines_written(request_for, [reply, {"tasks": []}, {"tasks": []}])
    said = ["did not mend this" in request.messages[-1].text for request in requests]
    assert said == [False, False, True]
