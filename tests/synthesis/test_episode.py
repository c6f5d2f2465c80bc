import pytest

from synthesis.documents.evidence import RecordedCall, evidence_of, evidence_of_trajectory
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step
from synthesis.documents.verdict import PUT_BACK, Scored, Unscored
from synthesis.episode import Episode, EpisodeLimits
from synthesis.errors import InvalidInput, UnknownName
from synthesis.verification.rewards import RewardTable
from synthesis.verification.verifier import verify
from synthesis.worlds.replay import replay
from synthesis.worlds.world import World

MOVE = "move_cardiology_follow_up"


@pytest.fixture(scope="module")
def world(clinic):
    with World(clinic) as world:
        yield world


def played(world, *, limits=None, calls=None):
    episode = Episode(world, MOVE, limits=limits)
    episode.reset(seed=3)
    last = None
    for call in episode.task.reference_solution[:calls]:
        last = episode.step(call)
    return episode, last


def test_an_episode_begins_with_all_an_agent_is_told_and_the_tools(world, clinic):
    with Episode(world, MOVE) as episode:
        observation, info = episode.reset()
    assert observation["instruction"] == clinic.task(MOVE).instruction
    assert observation["policy"] == clinic.policy.text
    assert observation["description"] == clinic.scenario.description
    assert observation["clock"] == "Wednesday, 2026-03-11 08:30"
    assert (observation["actor"]["table"], observation["actor"]["key"]) == ("staff", 1)
    assert observation["actor"]["row"]["id"] == 1
    assert observation["answer_form"] == "both"
    assert "values" in observation["answer"]
    assert observation["max_steps"] == clinic.task(MOVE).step_limit == 20
    assert info["tools"] == world.tools


def test_a_tasks_own_limit_of_steps_holds_where_no_other_is_given(clinic):
    task = clinic.task(MOVE).replace(max_steps=30)
    tasks = tuple(task if each.id == MOVE else each for each in clinic.tasks.tasks)
    with (
        World(clinic.replace(tasks=clinic.tasks.replace(tasks=tasks))) as roomy,
        Episode(roomy, MOVE) as episode,
    ):
        assert episode.reset()[0]["max_steps"] == 30
        *_, truncated, _ = [episode.step(ToolCall(name="nothing")) for _ in range(30)][-1]
        assert not truncated
        assert episode.step(ToolCall(name="nothing"))[3]
    with Episode(world := roomy, MOVE, limits=EpisodeLimits(max_steps=2)) as episode:
        assert world is episode.world
        assert episode.max_steps == 2


@pytest.mark.parametrize("form", ["text", "structured", "both"])
def test_what_of_an_answer_is_measured_depends_on_the_form(world, form):
    with Episode(world, "read_total_owed", answer_form=form) as episode:
        assert episode.reset()[0]["answer_form"] == form
        answer = FinalAnswer(text=episode.task.reference_answer, outcome="done", values={"total": "170.00"})
        episode.step(answer)
        trajectory = episode.trajectory(agent="me")
    assert trajectory.final_answer == answer
    if form != "structured":
        assert episode.verdict.label == "completed"


WATCHING = """
def verify(before, after, changes, answer, calls, conversation=()):
    names = [call["name"] for call in calls]
    yield check("looked up first", names[:1] == ["find_patients"] and calls[0]["status"] == "ok")
    yield check("a result is seen", calls[0]["result"]["total"] == 1)
    yield check("the agent said it", conversation[-1] == {"role": "assistant", "text": "Moved."})
    yield check("the user asked", conversation[0]["role"] == "user")
    yield check("rows touched", {row.table for row in changes.touched} >= {"appointments", "slots"})
"""


def test_a_verifier_sees_calls_and_conversation_if_it_names_them(clinic):
    verifiers = tuple(
        v.replace(source=WATCHING) if v.task_id == MOVE else v for v in clinic.verifiers.verifiers
    )
    tasks = tuple(t.replace(answer_facts=()) if t.id == MOVE else t for t in clinic.tasks.tasks)
    watched = clinic.replace(
        verifiers=clinic.verifiers.replace(verifiers=verifiers), tasks=clinic.tasks.replace(tasks=tasks)
    )
    with World(watched) as world:
        episode, _ = played(world)
        with episode:
            episode.step(FinalAnswer(text="Moved."))
            trajectory = episode.trajectory(agent="me")
        passed = {outcome.name: outcome.passed for outcome in episode.verdict.outcomes}
        assert all(passed[name] for name in passed if not name.startswith("the answer")), passed
        idle = Episode(world, MOVE)
        with idle:
            idle.reset()
            idle.step(FinalAnswer(text="Moved."))
        assert idle.verdict.label in ("agent_error", "unscored")
        again = verify(
            world,
            MOVE,
            world.base,
            world.base,
            trajectory.final_answer,
            evidence=evidence_of_trajectory(trajectory, watched.task(MOVE).instruction),
        )
        seen = {outcome.name: outcome.passed for outcome in again.outcomes}
        assert seen["looked up first"]
        assert seen["rows touched"]


def there_and_back(world):
    """Two calls of which the second undoes the first."""
    phone = next(row["phone"] for row in world.environment.seed_data.rows["patients"] if row["id"] == 1)
    return [
        ToolCall(name="update_patient_contact", arguments={"patient_id": 1, "phone": number})
        for number in ("555 0100 99", phone)
    ]


@pytest.mark.parametrize("damage", [False, True])
def test_rows_put_back_are_reported_and_are_damage_where_a_setting_says_so(world, damage):
    there, back = there_and_back(world)
    with Episode(world, "read_total_owed", rewards=RewardTable(put_back_is_damage=damage)) as episode:
        episode.reset()
        episode.step(there)
        episode.step(back)
        episode.step(FinalAnswer(text=episode.task.reference_answer))
    (report,) = [outcome for outcome in episode.verdict.outcomes if outcome.name == PUT_BACK]
    assert report.guard
    assert report.passed is not damage
    assert report.detail == [["patients", 1]]
    assert (episode.verdict.label == "completed") is not damage


def test_the_reward_comes_with_the_answer(world):
    episode, last = played(world)
    with episode:
        assert last[1:4] == (0.0, False, False)
        _, reward, terminated, truncated, info = episode.step(FinalAnswer(text=episode.task.reference_answer))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["verdict"] is episode.verdict
    assert episode.verdict.label == "completed"


def test_the_trajectory_records_every_step_with_rows_and_hashes(world):
    episode, _ = played(world)
    with episode:
        episode.step(FinalAnswer(text="done"))
        trajectory = episode.trajectory(agent="me", model="none")
    assert [step.index for step in trajectory.steps] == list(range(1, 8))
    assert trajectory.steps[4].changes
    assert trajectory.steps[3].state_hash == world.base.hash
    assert trajectory.steps[4].state_hash != world.base.hash
    assert (trajectory.agent, trajectory.model, trajectory.seed, trajectory.stop_reason) == (
        "me",
        "none",
        3,
        "answered",
    )
    with world.instance(seed=3) as instance:
        results = replay(instance, trajectory.calls)
        assert [result.observation() for result in results] == [
            step.observation for step in trajectory.steps[:-1]
        ]
        assert instance.state_hash() == trajectory.steps[-1].state_hash


def test_a_malformed_action_ends_the_episode_at_once(world):
    episode, _ = played(world, calls=2)
    with episode:
        _, reward, terminated, _, _ = episode.step(Malformed(text="{", error="no JSON"))
        assert (reward, terminated) == (-1.0, True)
        assert isinstance(episode.verdict, Scored)
        assert (episode.verdict.label, episode.verdict.basis) == ("agent_error", "format")
        with pytest.raises(InvalidInput, match="reset"):
            episode.step(FinalAnswer(text="too late"))


def test_too_many_calls_truncate_the_episode(world):
    episode, last = played(world, limits=EpisodeLimits(max_steps=5))
    with episode:
        assert last[2:4] == (False, True)
        assert episode.trajectory(agent="me").stop_reason == "step_limit"
        assert len(episode.trajectory(agent="me").calls) == 5
        assert episode.verdict.label == "partially_completed"


def test_a_reset_begins_anew(world):
    episode, _ = played(world)
    with episode:
        episode.step(FinalAnswer(text="done"))
        episode.reset()
        assert episode.verdict is None
        assert episode.trajectory(agent="me").steps == ()
        assert episode.instance.state_hash() == world.base.hash


@pytest.mark.parametrize("reason", ["infrastructure_error", "cancelled"])
def test_what_the_agent_is_not_to_blame_for_is_unscored(world, reason):
    episode, _ = played(world, calls=1)
    with episode:
        _, reward, terminated, truncated, _ = episode.stop(reason, error="the endpoint is down")
        assert (reward, terminated, truncated) == (None, False, True)
        assert isinstance(episode.verdict, Unscored)
        assert "the endpoint is down" in episode.verdict.error
        assert not episode.verdict.trainable


def test_refused_invalid_and_unknown_calls_are_observations(world):
    with Episode(world, MOVE) as episode:
        episode.reset()
        refused, *_ = episode.step(ToolCall(name="get_patient", arguments={"patient_id": 999}))
        invalid, *_ = episode.step(ToolCall(name="get_patient", arguments={}))
        unknown, *_ = episode.step(ToolCall(name="fly", arguments={}))
        statuses = [step.status for step in episode.trajectory(agent="me").steps]
    assert statuses == ["refused", "invalid_arguments", "unknown_tool"]
    assert all("error" in observation for observation in (refused, invalid, unknown))


def test_a_failing_tool_makes_the_episode_an_environment_error(clinic):
    from benchmarks.planted_faults import FAULTS

    fault = next(fault for fault in FAULTS if fault.name == "a tool that returns what is no JSON")
    with World(fault.plant(clinic)) as world, Episode(world, MOVE) as episode:
        episode.reset()
        episode.step(ToolCall(name="find_patients", arguments={"name": "Mara"}))
        episode.step(FinalAnswer(text="It does not work."))
        assert episode.verdict.label == "environment_error"
        assert not episode.verdict.trainable


def test_it_refuses_an_unknown_task_and_steps_before_reset(world):
    with pytest.raises(UnknownName):
        Episode(world, "fly_to_the_moon")
    with pytest.raises(InvalidInput, match="reset"):
        Episode(world, MOVE).step(FinalAnswer())


def test_an_untrue_remark_beside_a_right_answer_is_unclear_and_no_success(world):
    task = world.environment.task("read_total_owed")
    remarks = {"": "completed", " That is her only open invoice.": "partially_completed"}
    for remark, label in remarks.items():
        with Episode(world, task.id) as episode:
            episode.reset()
            for call in task.reference_solution:
                episode.step(call)
            episode.step(FinalAnswer(text=task.reference_answer + remark))
            assert (episode.verdict.label, bool(episode.verdict.unclear)) == (label, bool(remark))
            assert episode.verdict.unclear_first[0].unclear is bool(remark)


def test_what_is_recorded_has_all_of_its_fields_in_their_order(world):
    episode, last = played(world)
    episode.step(FinalAnswer(text="Moved."))
    recorded = [*episode.steps, last[-1]["result"], *evidence_of(episode.steps).calls]
    assert {type(each) for each in recorded} == {Step, ToolResult, RecordedCall}
    for each in recorded:
        assert list(vars(each)) == list(type(each).model_fields)
        fields = {name: getattr(each, name) for name in type(each).model_fields}
        assert type(each).model_validate(fields) == each
    episode.close()
