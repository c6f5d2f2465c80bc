"""A model as an agent: native tool calls, the format rule, what it is shown, and failing endpoints."""

import json
from datetime import datetime

import pytest

from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed
from synthesis.errors import ProviderOverloaded
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import Completion, RequestedCall
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.agent import AgentContext
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.history import SlidingWindow
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World
from tests.openai_server import OpenAIServer, Refused, Said

TASK = Task(
    id="find_ann",
    instruction="Where does Ann live?",
    kind="read",
    difficulty="easy",
    min_calls=1,
    reference_solution=(),
    reference_answer="In Bern.",
)
TOOL = Tool(name="find", description="Find people.", inputSchema={"type": "object"}, mutates_state=False)
CONTEXT = AgentContext(task=TASK, tools=(TOOL,), policy="Tell nobody's age.", seed=3)


def calls(*pairs, text="", **fields):
    made = tuple(RequestedCall(id=f"c{n}", name=name, arguments=a) for n, (name, a) in enumerate(pairs, 1))
    return Completion(text=text, tool_calls=made, finish_reason="tool_calls", **fields)


def playing(*replies, **settings):
    provider = Scripted(replies)
    agent = ChatAgent(provider, **settings)
    agent.begin(CONTEXT)
    return agent, provider


def test_it_is_told_the_policy_and_the_instruction_and_offered_the_tools():
    agent, provider = playing("In Bern.")
    agent.act(None)
    request = provider.requests[0]
    assert "Tell nobody's age." in request.messages[0].text
    assert request.messages[1].text == TASK.instruction
    assert TASK.reference_answer not in str(request.messages)
    assert [offer.name for offer in request.tools] == ["find"]
    assert (request.max_output_tokens, request.seed) == (2_048, 3)


def test_it_calls_sees_the_result_and_answers():
    agent, provider = playing(calls(("find", '{"name": "Ann"}'), text="I look."), "In Bern.")
    turn = agent.act(None)
    assert (turn.action, turn.thought) == (ToolCall(name="find", arguments={"name": "Ann"}), "I look.")
    assert agent.act({"town": "Bern"}).action == FinalAnswer(text="In Bern.")
    said = provider.requests[1].messages
    assert [message.role for message in said] == ["system", "user", "assistant", "tool"]
    assert (json.loads(said[3].text), said[3].tool_call_id) == ({"town": "Bern"}, "c1")


def test_it_makes_parallel_calls_one_after_the_other_and_asks_once():
    agent, provider = playing(calls(("find", '{"n": 1}'), ("find", '{"n": 2}')), "Done.")
    first, second = agent.act(None), agent.act("one")
    assert [turn.action.arguments["n"] for turn in (first, second)] == [1, 2]
    assert first.usage is not None
    assert second.usage is None
    agent.act("two")
    assert [message.text for message in provider.requests[1].messages[3:]] == ['"one"', '"two"']


def test_parallel_calls_with_one_id_are_told_apart():
    same = Completion(tool_calls=(RequestedCall(id="x", name="find"), RequestedCall(id="x", name="find")))
    agent, provider = playing(same, "Done.")
    agent.act(None)
    agent.act(1)
    agent.act(2)
    assert [m.tool_call_id for m in provider.requests[1].messages if m.role == "tool"] == ["x.1", "x.2"]


def test_ids_that_a_server_uses_again_in_every_reply_are_told_apart():
    agent, provider = playing(calls(("find", "{}")), calls(("find", "{}")), "Done.")
    for observation in (None, 1, 2):
        agent.act(observation)
    said = provider.requests[2].messages
    assert [m.tool_call_id for m in said if m.role == "tool"] == ["c1", "c1+"]
    assert [m.tool_calls[0].id for m in said if m.tool_calls] == ["c1", "c1+"]


@pytest.mark.parametrize("arguments", ['{"n": NaN}', '{"n": ' + "[" * 1_000 + "]" * 1_000 + "}"])
def test_arguments_that_no_world_can_take_break_the_format_rule(arguments):
    agent, _ = playing(calls(("find", arguments)))
    assert isinstance(agent.act(None).action, Malformed)


def test_a_refusal_of_a_tool_is_something_the_model_sees():
    agent, provider = playing(calls(("find", "{}")), "Not possible.")
    agent.act(None)
    agent.act({"error": "There is no Ann."})
    assert provider.requests[1].messages[-1].text == '{"error": "There is no Ann."}'


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"name": "An', "no JSON"),
        ('["Ann"]', "no JSON object"),
        ("Ann", "no JSON"),
        (r'{"name": "\ud800"}', "half of a character"),
        ('{"name": 9223372036854775808}', "beyond 64 bits"),
        ('{"name": -' + "9" * 5_000 + "}", "beyond 64 bits"),
        ('{"name": 1e400}', "too large"),
    ],
)
def test_malformed_arguments_break_the_format_rule(arguments, told):
    agent, _ = playing(calls(("find", arguments)))
    action = agent.act(None).action
    assert isinstance(action, Malformed)
    assert told in action.error
    assert action.text == f"find({arguments})"[:4_000]


def test_a_call_without_arguments_has_none():
    agent, _ = playing(calls(("find", "")))
    assert agent.act(None).action == ToolCall(name="find")


def test_a_reply_cut_off_by_its_length_is_no_answer():
    agent, _ = playing(Completion(text="Ann lives in", finish_reason="length"))
    assert isinstance(agent.act(None).action, Malformed)


def test_an_empty_reply_is_an_empty_answer():
    agent, _ = playing("")
    assert agent.act(None).action == FinalAnswer(text="")


def test_a_failing_endpoint_is_not_the_agents_action():
    agent, _ = playing(ProviderOverloaded("busy"))
    with pytest.raises(ProviderOverloaded):
        agent.act(None)


def test_it_shows_what_its_history_policy_keeps():
    replies = [calls(("find", f'{{"n": {n}}}')) for n in range(6)]
    agent, provider = playing(*replies, "Done.", history=SlidingWindow(2))
    agent.act(None)
    for number in range(6):
        agent.act(number)
    shown = [m.text for m in provider.requests[-1].messages if m.role == "tool"]
    assert shown == ["0", "4", "5"]


def test_it_keeps_within_its_context():
    replies = [calls(("find", "{}")) for _ in range(8)]
    agent, provider = playing(*replies, "Done.", context_tokens=4_000, response_tokens=500)
    agent.act(None)
    for _ in range(8):
        agent.act("x" * 4_000)
    shown = [m for m in provider.requests[-1].messages if m.role == "tool"]
    assert 1 <= len(shown) <= 3


def test_an_observation_larger_than_its_context_ends_the_episode():
    agent, _ = playing(calls(("find", "{}")), context_tokens=4_000, response_tokens=500)
    agent.act(None)
    decision = agent.act("x" * 40_000)
    assert (decision.action, decision.stop) == (None, "token_limit")


def test_it_is_told_what_time_it_is():
    agent, provider = playing("Yes.")
    agent.begin(CONTEXT.replace(clock=datetime(2026, 3, 11, 8, 30), description="A list of people."))
    agent.act(None)
    assert "Its clock shows Wednesday, 2026-03-11 08:30." in provider.requests[0].messages[0].text


def test_a_new_episode_begins_afresh():
    agent, provider = playing(calls(("find", "{}"), ("find", "{}")), "Second.")
    agent.act(None)
    agent.begin(CONTEXT)
    assert agent.act(None).action == FinalAnswer(text="Second.")
    assert len(provider.requests[1].messages) == 2


def test_it_plays_over_http():
    replies = [Said(tool_calls=(("find", '{"name": "Ann"}'),)), "In Bern."]
    with OpenAIServer(replies) as server:
        provider = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        agent = ChatAgent(provider)
        agent.begin(CONTEXT)
        assert agent.act(None).action == ToolCall(name="find", arguments={"name": "Ann"})
        assert agent.act("Bern").action == FinalAnswer(text="In Bern.")
        provider.close()
    sent = server.seen[1].body["messages"]
    assert sent[2]["tool_calls"][0]["id"] == sent[3]["tool_call_id"]


@pytest.fixture(scope="module")
def world(clinic):
    with World(clinic) as opened:
        yield opened


def rolled_out(world, *replies):
    with OpenAIServer(replies) as server:
        provider = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        judged = roll_out(world, "read_total_owed", ChatAgent(provider))
        provider.close()
    return judged.trajectory, judged.verdicts[0]


def test_a_model_that_does_the_task_completes_it(world, clinic):
    task = clinic.task("read_total_owed")
    script = [Said(tool_calls=((c.name, json.dumps(c.arguments)),)) for c in task.reference_solution]
    trajectory, verdict = rolled_out(world, *script, task.reference_answer)
    assert (verdict.label, verdict.reward, trajectory.model) == ("completed", 1.0, "m")
    assert [step.status for step in trajectory.steps] == ["ok"] * len(script) + ["answered"]
    assert trajectory.steps[0].usage.input_tokens > 0


def test_a_call_that_is_no_json_ends_the_episode_by_the_format_rule(world):
    trajectory, verdict = rolled_out(world, Said(tool_calls=(("find_patients", '{"name": '),)))
    assert (trajectory.stop_reason, verdict.reward) == ("format_violation", -1.0)


def test_a_failing_endpoint_is_not_held_against_the_agent(world):
    trajectory, verdict = rolled_out(world, Refused(500, "out of order"))
    assert (trajectory.stop_reason, verdict.status) == ("infrastructure_error", "unscored")
    assert "out of order" in trajectory.error


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 0.5, -1e300])
def test_numbers_that_fit_are_passed_on(number):
    agent, _ = playing(calls(("find", json.dumps({"n": number}))))
    assert agent.act(None).action == ToolCall(name="find", arguments={"n": number})
