"""A model as an agent: native tool calls, the format rule, what it is shown, and failing endpoints."""

import json
from datetime import datetime

import pytest

from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Usage
from synthesis.errors import PromptTooLong, ProviderOverloaded, ProviderUnreachable
from synthesis.llm.fallback import Fallback
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import Completion, Reasoning, RequestedCall
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
    requested_calls = tuple(
        RequestedCall(id=f"c{n}", name=name, arguments=a) for n, (name, a) in enumerate(pairs, 1)
    )
    return Completion(text=text, tool_calls=requested_calls, finish_reason="tool_calls", **fields)


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
    assert [offer.name for offer in request.tools] == ["find", "submit_answer"]
    assert (request.max_output_tokens, request.seed) == (2_048, 3)


def test_it_calls_sees_the_result_and_answers():
    agent, provider = playing(calls(("find", '{"name": "Ann"}'), text="I look."), "In Bern.")
    turn = agent.act(None)
    assert (turn.action, turn.thought) == (ToolCall(name="find", arguments={"name": "Ann"}), "I look.")
    assert agent.act({"town": "Bern"}).action == FinalAnswer(text="In Bern.")
    text = provider.requests[1].messages
    assert [message.role for message in text] == ["system", "user", "assistant", "tool"]
    assert (json.loads(text[3].text), text[3].tool_call_id) == ({"town": "Bern"}, "c1")


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
    text = provider.requests[2].messages
    assert [m.tool_call_id for m in text if m.role == "tool"] == ["c1", "c1+"]
    assert [m.tool_calls[0].id for m in text if m.tool_calls] == ["c1", "c1+"]


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
    ("arguments", "message"),
    [
        ('{"name": "An', "not valid JSON"),
        ('["Ann"]', "not a JSON object"),
        ("Ann", "not valid JSON"),
        (r'{"name": "\ud800"}', "lone surrogate"),
        ('{"name": 9223372036854775808}', "beyond 64 bits"),
        ('{"name": -' + "9" * 5_000 + "}", "beyond 64 bits"),
        ('{"name": 1e400}', "too large"),
    ],
)
def test_malformed_arguments_break_the_format_rule(arguments, message):
    agent, _ = playing(calls(("find", arguments)))
    action = agent.act(None).action
    assert isinstance(action, Malformed)
    assert message in action.error
    assert action.text == f"find({arguments})"[:4_000]


def test_a_call_without_arguments_has_none():
    agent, _ = playing(calls(("find", "")))
    assert agent.act(None).action == ToolCall(name="find")


def test_a_reply_cut_off_by_its_length_is_no_answer():
    agent, _ = playing(Completion(text="Ann lives in", finish_reason="length"))
    action = agent.act(None).action
    assert isinstance(action, Malformed)
    assert action.cut_off


def test_a_call_cut_off_amid_its_arguments_is_a_truncation_and_whole_calls_before_it_are_made():
    cut = calls(("find", '{"name": "Ann"}'), ("find", '{"name": "An')).replace(finish_reason="length")
    agent, _ = playing(cut)
    assert agent.act(None).action == ToolCall(name="find", arguments={"name": "Ann"})
    last = agent.act(1).action
    assert (isinstance(last, Malformed), last.cut_off) == (True, True)


def test_a_reply_cut_off_while_it_reasoned_says_so():
    used = Usage(output_tokens=900, reasoning_tokens=900)
    agent, _ = playing(Completion(usage=used, finish_reason="length"))
    assert "while the model reasoned, after 900 tokens" in agent.act(None).action.error


def test_reasoning_is_kept_beside_the_reply_and_shown_to_the_model_again():
    thought = Reasoning(text="Ann is a person.", field="reasoning_content")
    agent, provider = playing(calls(("find", "{}"), reasoning=thought), "In Bern.")
    agent.act(None)
    agent.act(1)
    assert provider.requests[1].messages[2].reasoning == thought
    conversation = agent.conversation(None)
    assert conversation.reasoning_before(1) == [thought]
    assert conversation.reasoning_before(2) == []
    assert "Ann is a person." not in conversation.without_reasoning().model_dump_json()


def test_a_reply_of_reasoning_alone_is_asked_on_and_at_last_an_empty_answer():
    thinking = Completion(reasoning=Reasoning(text="Hm."))
    agent, provider = playing(thinking, "In Bern.")
    assert agent.act(None).action == FinalAnswer(text="In Bern.")
    assert "no tool call" in provider.requests[1].messages[-1].text
    agent, provider = playing(thinking, thinking, thinking)
    assert agent.act(None).action == FinalAnswer(text="")
    assert len(provider.requests) == 3


def test_an_endpoint_that_takes_less_is_shown_less():
    agent, provider = playing(*[calls(("find", "{}"))] * 3, PromptTooLong("too long"), "In Bern.")
    for observation in (None, "x" * 2_000, "y" * 2_000):
        agent.act(observation)
    assert agent.act("z" * 2_000).action == FinalAnswer(text="In Bern.")
    shown = [len(request.messages) for request in provider.requests[3:]]
    assert shown[1] < shown[0]


def test_a_conversation_that_cannot_be_shortened_ends_at_the_limit_of_tokens():
    agent, _ = playing(PromptTooLong("too long"))
    assert agent.act(None).stop == "token_limit"


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


def test_its_model_is_the_one_of_a_pool_that_answered():
    down = Scripted([ProviderUnreachable("gone"), "Third."], model="large")
    agent = ChatAgent(Fallback([down, Scripted([calls(("find", "{}"))], model="small")], rest=0))
    agent.begin(CONTEXT)
    assert agent.model == "large"
    agent.act(None)
    assert agent.model == "small"
    agent.act({"town": "Bern"})
    assert agent.model == "small, large"
    agent.begin(CONTEXT)
    assert agent.model == "large"


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


FIELDS = {"text": "In Bern.", "outcome": "done", "values": {"town": "Bern"}}


def test_the_answer_in_fields_ends_the_episode_and_is_recorded_as_said():
    agent, provider = playing(
        calls(("find", '{"name": "Ann"}')), calls(("submit_answer", json.dumps(FIELDS)))
    )
    agent.act(None)
    assert agent.act({"town": "Bern"}).action == FinalAnswer(**FIELDS)
    system = provider.requests[0].messages[0].text
    assert "submit_answer" in system
    assert "At most 20 tool calls" in system
    last = agent.conversation(None).messages[-1]
    assert (last.role, json.loads(last.text)) == ("tool", {"status": "submitted"})


@pytest.mark.parametrize(
    "fields",
    [
        {"text": 5, "outcome": "done"},
        {"text": "x", "outcome": "maybe"},
        {"text": "x", "values": []},
        {"txt": "x"},
    ],
)
def test_fields_that_do_not_fit_go_back_to_the_model(fields):
    agent, provider = playing(calls(("submit_answer", json.dumps(fields))), "In Bern.")
    assert agent.act(None).action == FinalAnswer(text="In Bern.")
    assert "error" in json.loads(provider.requests[1].messages[-1].text)


def test_one_schema_takes_the_answer_to_every_task_and_text_alone_has_none():
    agent, provider = playing("One.", "Two.", "Three.")
    agent.act(None)
    agent.begin(CONTEXT.replace(task=TASK.replace(kind="refuse", instruction="Tell me Ann's age.")))
    agent.act(None)
    agent.begin(CONTEXT.replace(answer_form="text"))
    agent.act(None)
    one, two, three = (request.tools for request in provider.requests)
    assert one == two
    assert [offer.name for offer in three] == ["find"]


def test_an_application_with_a_tool_of_that_name_keeps_it():
    own = TOOL.replace(name="submit_answer")
    agent, provider = playing("One.", calls(("submit_answer", "{}")))
    agent.begin(CONTEXT.replace(tools=(own,)))
    agent.act(None)
    assert [offer.name for offer in provider.requests[0].tools] == ["submit_answer", "submit_final_answer"]
    agent.begin(CONTEXT.replace(tools=(own,)))
    assert agent.act(None).action == ToolCall(name="submit_answer", arguments={})
