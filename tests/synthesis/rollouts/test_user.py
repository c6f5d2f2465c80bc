"""Users in the loop: personas, private facts told only when asked, and agents that have to ask."""

from collections import Counter

import pytest
from pydantic import ValidationError

from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import FinalAnswer
from synthesis.errors import ProviderOverloaded
from synthesis.llm.provider import Completion, RequestedCall
from synthesis.llm.scripted import Scripted
from synthesis.rollouts.agent import AgentContext
from synthesis.rollouts.chat import ChatAgent
from synthesis.rollouts.interviewer import TOO_LITTLE, InterviewerAgent
from synthesis.rollouts.persona import Persona, Population
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.rollouts.user import END, QUESTIONS, ModelUser, ScriptedUser, clauses
from synthesis.worlds.world import World

INSTRUCTION = (
    "Please cancel my visit. It is the one with Dr. Voss on Monday 16 March, and I paid 40.00 for it. "
    "My name is Ann Lee."
)
TASK = Task(
    id="cancel",
    instruction=INSTRUCTION,
    kind="write",
    difficulty="easy",
    min_calls=1,
    reference_solution=(),
    reference_answer="Done.",
)
CONTEXT = AgentContext(task=TASK, tools=(), seed=3)
PLAIN = Persona(age="young", patience="ordinary", mood="neutral")


def scripted(**traits):
    user = ScriptedUser(persona=PLAIN.replace(**traits))
    return user, user.begin(CONTEXT)


def test_an_instruction_falls_into_clauses_and_nothing_is_lost():
    texts = clauses(INSTRUCTION)
    assert texts == [
        "Please cancel my visit.",
        "It is the one with Dr. Voss on Monday 16 March",
        "and I paid 40.00 for it.",
        "My name is Ann Lee.",
    ]


def test_a_user_opens_without_a_fact():
    _, opening = scripted()
    assert opening
    assert not any(fact in opening for fact in ("Voss", "16", "Ann", "40", "cancel"))


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("May I have your name?", "Ann Lee"),
        ("On which date is it?", "16 March"),
        ("How much did you pay?", "40.00"),
        ("What can I do for you?", "cancel my visit"),
    ],
)
def test_a_user_tells_what_was_asked_for_and_no_more(question, fact):
    user, _ = scripted()
    message = user.reply(question)
    assert fact in message.text
    assert not message.ended
    assert sum(clause in message.text for clause in clauses(INSTRUCTION)) == 1


def test_a_user_says_nothing_twice_and_says_when_there_is_nothing_more():
    user, _ = scripted()
    messages = [user.reply("And what else?").text for _ in range(5)]
    assert sorted(messages[:4]) == sorted(clauses(INSTRUCTION))
    assert "all I know" in messages[4]


def test_words_without_a_question_end_the_conversation():
    user, _ = scripted()
    assert user.reply("It is cancelled.").ended


def test_patience_ends():
    for patience, most in QUESTIONS.items():
        user, _ = scripted(patience=patience)
        assert [user.reply("And?").ended for _ in range(most + 1)] == [False] * most + [True]


def test_a_friendly_user_tells_more_at_once():
    user, _ = scripted(mood="friendly")
    message = user.reply("Hello?").text
    assert sum(clause in message for clause in clauses(INSTRUCTION)) == 2


def test_a_population_is_mixed_by_its_shares_and_the_same_for_the_same_seed():
    people = Population(patience={"patient": 3.0, "impatient": 1.0})
    drawn = [people.persona(seed) for seed in range(2_000)]
    assert drawn == [people.persona(seed) for seed in range(2_000)]
    counted = Counter(person.patience for person in drawn)
    assert set(counted) == {"patient", "impatient"}
    assert 0.7 < counted["patient"] / 2_000 < 0.8
    assert len({person.name for person in drawn}) == 3 * 2 * 3


@pytest.mark.parametrize("shares", [{"patient": -1.0}, {"patient": 0.0}, {"bored": 1.0}])
def test_a_population_of_impossible_shares_is_refused(shares):
    with pytest.raises(ValidationError):
        Population(patience=shares)


def test_an_agent_with_a_user_is_not_shown_the_instruction_and_learns_by_asking():
    provider = Scripted(["What is your name?", "It is cancelled."])
    agent = ChatAgent(provider, user=ScriptedUser(persona=PLAIN))
    agent.begin(CONTEXT)
    assert agent.act(None).action == FinalAnswer(text="What is your name?\nIt is cancelled.")
    first, second = provider.requests
    assert INSTRUCTION not in str(first.messages)
    assert "Ann Lee" not in str(first.messages)
    assert "Ann Lee" in second.messages[-1].text
    conversation = agent.conversation(None)
    assert [m.role for m in conversation.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert "neutral" in conversation.user


def test_what_was_said_before_a_call_is_no_part_of_the_answer():
    asked = Completion(tool_calls=(RequestedCall(id="c", name="find", arguments="{}"),))
    agent = ChatAgent(Scripted(["Who?", asked, "Done."]), user=ScriptedUser(persona=PLAIN))
    agent.begin(CONTEXT)
    agent.act(None)
    assert agent.act("Ann").action == FinalAnswer(text="Done.")


def test_a_talkative_agent_ends_at_its_limit():
    agent = ChatAgent(
        Scripted(lambda _: "Why?"),
        user=ScriptedUser(persona=PLAIN.replace(patience="patient")),
        most_replies=3,
    )
    agent.begin(CONTEXT)
    assert agent.act(None).stop == "step_limit"


def test_a_model_plays_the_user_by_private_facts_and_ends_with_its_mark():
    playing = Scripted(["I need help.", "Ann Lee.", f"Thanks. {END}"])
    user = ModelUser(playing, persona=PLAIN)
    assert user.begin(CONTEXT) == "I need help."
    assert user.reply("Who are you?").text == "Ann Lee."
    last = user.reply("Done.")
    assert (last.text, last.ended) == ("Thanks.", True)
    message = playing.requests[0].messages[0].text
    assert INSTRUCTION in message
    assert "young, ordinary, neutral" in message
    assert [m.role for m in playing.requests[-1].messages] == ["system", *["user", "assistant"] * 2, "user"]


def test_a_model_that_says_nothing_ends_the_conversation():
    user = ModelUser(Scripted(["Hello.", ""]), persona=PLAIN)
    user.begin(CONTEXT)
    assert user.reply("Yes?").ended


@pytest.fixture(scope="module")
def world(clinic):
    with World(clinic) as opened:
        yield opened


def test_an_interviewer_completes_every_task_whose_user_is_patient(world, clinic):
    user = ScriptedUser(persona=PLAIN.replace(patience="patient"))
    for task in clinic.tasks.tasks:
        judged = roll_out(world, task.id, InterviewerAgent(user=user))
        assert judged.verdicts[0].label == "completed", task.id
        heard = " ".join(m.text for m in judged.trajectory.conversation.messages if m.role == "user")
        assert all(clause in heard for clause in clauses(task.instruction))


def test_an_interviewer_fails_with_a_user_who_leaves_too_early(world):
    user = ScriptedUser(persona=PLAIN.replace(patience="impatient"))
    judged = roll_out(world, "switch_insurance_and_phone", InterviewerAgent(user=user))
    assert judged.trajectory.answer == TOO_LITTLE
    assert judged.verdicts[0].label != "completed"


def test_a_users_failing_model_is_no_failure_of_the_agent(world):
    agent = ChatAgent(Scripted([]), user=ModelUser(Scripted([ProviderOverloaded("busy")])))
    judged = roll_out(world, "read_total_owed", agent)
    assert judged.trajectory.stop_reason == "infrastructure_error"
    assert judged.verdicts[0].status == "unscored"


def test_agents_with_users_are_made_by_name():
    agent = make_agent("chat:two-tools,user", provider=Scripted([]))
    assert agent.name == "chat:two-tools,user"
    assert make_agent("chat:user=model", provider=Scripted([])).name == "chat:user=model"
    assert make_agent("interviewer").name == "interviewer"
