"""One contract for every author: it hands in a part of its stage, or findings, and its recipe is data."""

import json
import re

import pytest

from synthesis.documents.environment import Draft, part_types
from synthesis.documents.tool_specs import ToolSpec, ToolSpecs
from synthesis.pipeline.author import Ask
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
    assert (first.calls, len(server.seen)) == (2, 2)
    assert len(first.part.verifiers) == 10
    again = Ask(stage=stage, draft=draft, request=request_for(), number=2, last=first)
    assert author.write(again).calls == 1


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
        ({"a": 3, "b": 4, "c": 2}, ["aaabbbb", "cc"]),
        ({"a": 6, "b": 3, "c": 5}, ["aaaaaa", "bbbccccc"]),
        ({"a": 1, "b": 10, "c": 1}, ["bbbbb", "bbbbb", "ac"]),
        ({"a": 8}, ["aaaaaaaa"]),
    ],
)
def test_a_model_writes_the_tools_of_one_resource_together(request_for, clinic, resources, batches):
    from synthesis.llm.scripted import Scripted
    from synthesis.pipeline.authors.model import ModelAuthor

    provider, draft = Scripted(lambda _: "{}"), planned(clinic, resources)
    ModelAuthor(provider).write(Ask(stage=STAGES["tools"], draft=draft, request=request_for()))
    asked = [re.findall(r'"resource": "(\w)"', request.messages[1].text) for request in provider.requests]
    assert ["".join(one) for one in asked] == batches


def test_a_model_is_told_the_stage_and_the_attempt_for_the_ledger(endpoint, request_for):
    from synthesis.llm.scripted import Scripted
    from synthesis.pipeline.authors.model import ModelAuthor

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
