"""How a long list of tools is put before a model: whole, two tools, names with help, retrieval."""

import json

import pytest

from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import Completion, RequestedCall
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.agent import AgentContext
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.rollouts.toolbox import NamesWithHelp, Retrieved, TwoTools, make_toolbox
from synthesis.worlds.world import World


def tool(name, description):
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    return Tool(name=name, description=description, inputSchema=schema, mutates_state=False)


TOOLS = (
    tool("find_people", "Find people by name or town.\n\nAt most fifty."),
    tool("cancel_order", "Cancel an order that was not shipped."),
    tool("refund_payment", "Refund the payment of an order."),
)
TASK = Task(
    id="cancel",
    instruction="Please cancel the order of Ann.",
    kind="write",
    difficulty="easy",
    min_calls=1,
    reference_solution=(),
    reference_answer="Done.",
)
CONTEXT = AgentContext(task=TASK, tools=TOOLS)


def call(tool_name, /, **arguments):
    return Completion(tool_calls=(RequestedCall(id="c", name=tool_name, arguments=json.dumps(arguments)),))


def playing(toolbox, *replies):
    provider = Scripted(replies)
    agent = ChatAgent(provider, toolbox=toolbox)
    agent.begin(CONTEXT)
    return agent, provider


def offered(provider, number):
    """The offers of a request but the last one, which takes the answer whatever the toolbox shows."""
    *names, last = [offer.name for offer in provider.requests[number].tools]
    assert last == "submit_answer"
    return names


def test_two_tools_list_and_call_the_rest():
    inner = {"name": "cancel_order", "arguments": {"id": 7}}
    agent, provider = playing(TwoTools(), call("list_tools"), call("call_tool", **inner), "Done.")
    assert agent.act(None).action == ToolCall(name="cancel_order", arguments={"id": 7})
    assert offered(provider, 0) == ["list_tools", "call_tool"]
    listed = json.loads(provider.requests[1].messages[-1].text)
    assert [entry["name"] for entry in listed] == [t.name for t in TOOLS]
    assert listed[0]["parameters"] == TOOLS[0].input_schema
    assert agent.act({"ok": True}).action == FinalAnswer(text="Done.")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (call("call_tool"), "needs `name`"),
        (call("call_tool", name="cancel_order", arguments=[1]), "as an object"),
        (call("cancel_order", id=7), "there are list_tools and call_tool"),
    ],
)
def test_two_tools_say_what_is_wrong_with_a_call(asked, message):
    agent, provider = playing(TwoTools(), asked, "I give up.")
    agent.act(None)
    assert message in json.loads(provider.requests[1].messages[-1].text)["error"]


def test_names_are_told_and_a_tool_is_offered_once_its_help_was_asked_for():
    agent, provider = playing(NamesWithHelp(), call("tool_help", names=["cancel_order"]), "Done.")
    agent.act(None)
    message = provider.requests[0].messages[0].text
    assert "- find_people: Find people by name or town.\n" in message
    assert "At most fifty" not in message
    assert offered(provider, 0) == ["tool_help"]
    assert offered(provider, 1) == ["tool_help", "cancel_order"]


@pytest.mark.parametrize(
    ("names", "message"), [(["fly"], "no tool fly"), ([], "a list of names"), ("all", "a list of names")]
)
def test_help_says_what_it_cannot_help_with(names, message):
    agent, provider = playing(NamesWithHelp(), call("tool_help", names=names), "Done.")
    agent.act(None)
    assert message in provider.requests[1].messages[-1].text


def test_retrieval_offers_what_is_nearest_to_the_instruction_and_finds_more():
    agent, provider = playing(Retrieved(1), call("find_tools", query="refund a payment"), "Done.")
    agent.act(None)
    assert offered(provider, 0) == ["find_tools", "cancel_order"]
    assert offered(provider, 1) == ["find_tools", "cancel_order", "refund_payment"]


def test_retrieval_wants_words():
    agent, provider = playing(Retrieved(1), call("find_tools", query=" "), "Done.")
    agent.act(None)
    assert "a few words" in provider.requests[1].messages[-1].text


def test_an_agent_that_only_ever_lists_tools_ends_at_its_limit():
    provider = Scripted(lambda _: call("list_tools"))
    agent = ChatAgent(provider, toolbox=TwoTools(), most_replies=5)
    agent.begin(CONTEXT)
    assert agent.act(None).stop == "step_limit"
    assert len(provider.requests) == 5


def test_what_was_used_for_looking_counts_with_the_action_it_led_to():
    agent, provider = playing(TwoTools(), call("list_tools"), "Done.")
    used = agent.act(None).usage
    assert used == provider_usage(provider)


def provider_usage(provider):
    return Scripted(["Done."]).complete(provider.requests[1]).usage


def test_a_new_episode_forgets_what_was_opened():
    agent, provider = playing(NamesWithHelp(), call("tool_help", names=["cancel_order"]), "One.", "Two.")
    agent.act(None)
    agent.begin(CONTEXT)
    agent.act(None)
    assert offered(provider, 2) == ["tool_help"]


def test_a_registered_variant_plays_a_world_through_two_tools(clinic):
    task = clinic.task("read_total_owed")
    calls = [call("call_tool", name=c.name, arguments=c.arguments) for c in task.reference_solution]
    provider = Scripted([call("list_tools"), *calls, task.reference_answer])
    with World(clinic) as world:
        judged = roll_out(world, task.id, make_agent("chat:two-tools", provider=provider))
    assert judged.verdicts[0].label == "completed"
    assert judged.trajectory.agent == "chat:two-tools"
    assert judged.trajectory.calls == task.reference_solution
    conversation = judged.trajectory.conversation
    assert [offer.name for offer in conversation.tools] == ["list_tools", "call_tool", "submit_answer"]
    assert [turn.step for turn in conversation.turns] == [1, *range(1, len(calls) + 2)]
    for turn, request in zip(conversation.turns, provider.requests, strict=True):
        assert tuple(conversation.shown(turn)) == request.messages
        assert turn.offered == tuple(offer.name for offer in request.tools)


def test_an_unknown_way_of_showing_tools_is_refused_with_the_known_ones():
    with pytest.raises(UnknownName, match="two-tools"):
        make_agent("chat:magic", provider=Scripted([]))
    with pytest.raises(InvalidInput, match="retrieved:8"):
        make_toolbox("names:3")
    with pytest.raises(InvalidInput, match="at least 1"):
        make_toolbox("retrieved:0")
