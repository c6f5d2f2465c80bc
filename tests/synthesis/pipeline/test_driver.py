"""One environment from one sentence, over real HTTP: repaired, resumed, sent back, stopped."""

import json
from contextlib import contextmanager

import pytest

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding
from synthesis.errors import (
    AttemptsExhausted,
    BudgetExhausted,
    Cancelled,
    InstanceClosed,
    InvalidInput,
    ProviderRefused,
    UnknownName,
)
from synthesis.llm.budget import Budget, Budgeted, BudgetLimits
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.recorded import MemoryRecordings, Recorded
from synthesis.pipeline import assembly
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.authors.procedural import ProceduralAuthor
from synthesis.pipeline.authors.registry import make_author
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.events import EVENT
from synthesis.pipeline.part_store import FolderPartStore, MemoryPartStore
from synthesis.pipeline.stage_limits import StageLimits
from synthesis.pipeline.stages import trial
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.tools import ToolsStage
from tests.openai_server import OpenAIServer, Refused, Said
from tests.synthesis.pipeline.broken_replies import (
    BROKEN_FIRST,
    always_true,
    cut_off,
    duplicate_tool,
    endless,
    imports_os,
    in_first,
    loops_for_ever,
    loops_when_called,
    prose,
    syntax_error,
    text,
    truncated,
    unknown_table,
    wrong_type,
)

KEY = "sk-secret-123456"


@pytest.fixture(autouse=True)
def nothing_optional(monkeypatch):
    """No attempt beside those that mend something: what is optional has its own tests."""
    monkeypatch.setattr(ToolsStage, "optional_checks", frozenset())


def run(author, request, **changes):
    events = []
    result = synthesize(
        request, authors={"model": author}, context=RunContext(on_event=events.append, **changes)
    )
    return result, events


@pytest.mark.slow
def test_a_broken_first_reply_of_every_stage_is_repaired_and_proved(endpoint, request_for, clinic):
    _, _, author = endpoint(BROKEN_FIRST)
    result, events = run(author, request_for())
    assert result.report.passed
    assert result.environment.counts == clinic.counts
    assert result.environment.tasks == clinic.tasks
    attempts = [event.attempt for event in events if event.kind == "attempt_ended"]
    assert {a.stage: a.number for a in attempts} == dict.fromkeys(STAGES, 2)
    assert all(a.passed is (a.number >= 2) for a in attempts)
    for attempt in (a for a in attempts if a.number == 2):
        message = next(a for a in attempts if a.stage == attempt.stage and a.number == 1).findings
        shown = [finding for finding in message if finding.blocks]
        assert all(finding.message[:200] in attempt.prompt for finding in shown)


def test_every_event_can_be_stored_and_read_again_and_holds_no_key(endpoint, request_for, unproved, tmp_path):
    _, _, author = endpoint(BROKEN_FIRST)
    _, events = run(author, request_for(), store=FolderPartStore(tmp_path))
    stored = [event.model_dump_json(by_alias=True) for event in events]
    assert [EVENT.validate_json(one) for one in stored] == events
    written = "".join(path.read_text() for path in tmp_path.iterdir())
    assert KEY not in "".join(stored) + written


def test_only_the_failing_tool_is_asked_for_again(endpoint, request_for, unproved):
    model, server, author = endpoint({"tools": [in_first("tools", "source", syntax_error)]})
    run(author, request_for())
    asked = [seen.body for seen in server.seen if model.stage_of(seen.body) == "tools"]
    assert len(asked) == 3
    correction = asked[-1]["messages"]
    shown = json.loads(correction[2]["content"])
    assert len(shown["tools"]) == 1
    name = shown["tools"][0]["name"]
    assert f"To be corrected: {name}." in correction[3]["content"]
    assert "does not parse" in correction[3]["content"]


@pytest.mark.parametrize(
    ("stage", "spoil", "message"),
    [
        ("scenario", prose, "is not JSON"),
        ("outlines", cut_off, "cut off"),
        ("schema", wrong_type, "another shape"),
        ("seed_data", truncated, "ends in the middle"),
        ("seed_data", unknown_table, "no table 'ghosts'"),
        ("tool_specs", duplicate_tool, "more than once"),
        ("tools", in_first("tools", "source", syntax_error), "does not parse"),
        ("tools", imports_os, "os"),
        ("tools", endless, "module level"),
        pytest.param(
            "tools",
            in_first("tools", "source", loops_when_called),
            "took longer than 2 s",
            marks=pytest.mark.at_length,
        ),
        ("verifiers", in_first("verifiers", "source", always_true), "untouched world"),
        pytest.param(
            "verifiers",
            in_first("verifiers", "source", loops_for_ever),
            "took longer than 4 s",
            marks=pytest.mark.at_length,
        ),
        ("policy", lambda reply: Said(refusal="I must decline."), "declines"),
    ],
)
def test_a_model_that_never_learns_fails_readably(stage, spoil, message, endpoint, request_for, unproved):
    store = MemoryPartStore()
    _, _, author = endpoint({stage: [spoil] * 99})
    with pytest.raises(AttemptsExhausted, match=message) as raised:
        run(author, request_for(attempts=2), store=store)
    assert (raised.value.stage, len(raised.value.attempt_history)) == (stage, 2)
    assert len(store) == list(STAGES).index(stage)


def test_a_model_that_repeats_its_mistake_is_really_asked_again(endpoint, request_for, unproved):
    _, _, author = endpoint({"scenario": [prose] * 3})
    recording = ModelAuthor(Recorded(author.provider, MemoryRecordings()))
    result, _ = run(recording, request_for())
    assert [attempt.number for attempt in result.attempts if attempt.stage == "scenario"] == [1, 2, 3, 4]


def test_a_failed_run_goes_on_where_it_stopped(endpoint, request_for, unproved, tmp_path):
    store = FolderPartStore(tmp_path)
    _, _, author = endpoint({"tools": [prose] * 99})
    with pytest.raises(AttemptsExhausted):
        run(author, request_for(attempts=1), store=store)
    _, _, again = endpoint()
    result, events = run(again, request_for(attempts=1), store=store)
    assert [event.stage for event in events if event.kind == "part_reused"] == list(STAGES)[:6]
    assert {attempt.stage for attempt in result.attempts} == {"tools", "tasks", "verifiers"}


def test_a_second_run_asks_nothing_at_all(endpoint, request_for, unproved):
    store = MemoryPartStore()
    _, server, author = endpoint()
    first, _ = run(author, request_for(), store=store)
    asked = len(server.seen)
    second, _ = run(author, request_for(), store=store)
    assert len(server.seen) == asked
    assert second.environment.fingerprint == first.environment.fingerprint
    assert second.environment.provenance == first.environment.provenance


def test_provenance_tells_author_model_prompt_and_attempts(endpoint, request_for, unproved):
    _, _, author = endpoint({"schema": [prose]})
    result, _ = run(author, request_for(seed=5))
    outcome = result.environment.provenance["schema"]
    assert (outcome.author, outcome.model, outcome.seed, outcome.attempts) == ("model", "clinic-model", 5, 2)
    assert len(outcome.prompt_fingerprint) == 64


def findings_once(monkeypatch, *found):
    """A proof that finds this at its first run and nothing afterwards."""
    proofs = []

    def check(environment, on_result=None):
        proofs.append(environment)
        fine = len(proofs) > 1
        result = CheckResult(claim="all_is_well", passed=fine, findings=() if fine else found)
        return CheckReport(environment=environment.fingerprint, results=(result,))

    monkeypatch.setattr(assembly, "check_environment", check)
    return proofs


def test_a_finding_of_the_proof_goes_to_the_stage_that_owns_the_part(endpoint, request_for, monkeypatch):
    finding = Finding(part="verifiers", check="x", message="It is too kind.", where="read_total_owed")
    findings_once(monkeypatch, finding)
    model, server, author = endpoint()
    kinder = in_first("verifiers", "source", lambda source: f"# Kinder.\n{source}")
    model.spoilt["verifiers"] = [text, text, kinder]
    result, events = run(author, request_for())
    (sent,) = [event for event in events if event.kind == "part_sent_back"]
    assert (sent.stage, sent.findings) == ("verifiers", (finding,))
    last = server.seen[-1].body["messages"]
    assert [one["task_id"] for one in json.loads(last[2]["content"])["verifiers"]] == ["read_total_owed"]
    assert "[read_total_owed] It is too kind." in last[3]["content"]
    assert result.report.passed


def test_parts_after_a_corrected_one_are_kept_when_they_pass_again(endpoint, request_for, monkeypatch):
    findings_once(monkeypatch, Finding(part="seed_data", check="x", message="Too few.", where="payments"))

    def another_row(reply):
        (payments,) = reply["tables"]
        row = [90, *payments["rows"][0][1:]]
        return text({**reply, "tables": [{**payments, "rows": [*payments["rows"], row]}]})

    model, _, author = endpoint()
    model.spoilt["seed_data"] = [text, another_row]
    result, events = run(author, request_for())
    assert model.asked["seed_data"] == 2
    assert result.environment.seed_data.count == 150
    remaining = [(event.stage, event.attempts) for event in events if event.kind == "part_stored"][
        len(STAGES) :
    ]
    assert remaining == [("seed_data", 1), ("tools", 0), ("tasks", 0), ("verifiers", 0)]
    assert model.asked["tasks"] == 1
    assert result.environment.provenance["tasks"].attempts == 1


def test_a_task_that_the_schema_cannot_express_sends_the_schema_back(endpoint, request_for, unproved):
    def impossible(reply):
        first, *rest = reply["tasks"]
        details = {"id": first["id"], "part": "schema", "reason": "There is no table of referrals."}
        return text({**reply, "tasks": rest, "impossible": [details]})

    def noted(reply):
        first, *rest = reply["tables"]
        return text({**reply, "tables": [f"-- with referrals\n{first}", *rest]})

    model, _, author = endpoint({"tasks": [impossible], "schema": [text, noted]})
    _, events = run(author, request_for())
    (sent,) = [event for event in events if event.kind == "part_sent_back"]
    assert sent.stage == "schema"
    assert "no table of referrals" in sent.findings[0].message
    assert model.asked["schema"] == 2
    # The tasks that were worked out are kept; only the one that could not be done is asked for again.
    (again,) = [
        event for event in events if event.kind == "attempt_ended" and event.attempt.stage == "tasks"
    ][1:]
    assert [task["id"] for task in json.loads(again.attempt.reply)["tasks"]] == ["move_cardiology_follow_up"]


def test_corrections_are_bounded(endpoint, request_for, monkeypatch):
    def never(environment, on_result=None):
        finding = Finding(part="policy", check="x", message="Still not right.")
        result = CheckResult(claim="all_is_well", passed=False, findings=(finding,))
        return CheckReport(environment=environment.fingerprint, results=(result,))

    monkeypatch.setattr(assembly, "check_environment", never)
    spoils = [lambda reply, n=n: text({"text": f"{reply['text']} Rule {n}."}) for n in range(9)]
    model, _, author = endpoint({"policy": spoils})
    with pytest.raises(AttemptsExhausted, match="Still not right"):
        run(author, request_for(corrections=2))
    assert model.asked["policy"] == 3


def test_a_part_that_comes_back_unchanged_is_not_proved_again(endpoint, request_for, monkeypatch):
    finding = Finding(part="policy", check="x", message="Still not right.")
    proofs = findings_once(monkeypatch, finding)
    model, _, author = endpoint()
    with pytest.raises(AttemptsExhausted, match="Still not right"):
        run(author, request_for(attempts=3))
    assert (model.asked["policy"], len(proofs)) == (4, 1)


def test_a_run_resumed_after_a_correction_asks_nothing_again(endpoint, request_for, monkeypatch):
    store = MemoryPartStore()
    finding = Finding(part="verifiers", check="x", message="Too kind.", where="read_total_owed")
    findings_once(monkeypatch, finding)
    kinder = in_first("verifiers", "source", lambda source: f"# Kinder.\n{source}")
    _, server, author = endpoint({"verifiers": [text, text, kinder]})
    first, _ = run(author, request_for(), store=store)
    asked = len(server.seen)
    findings_once(monkeypatch, finding)
    second, _ = run(author, request_for(), store=store)
    assert len(server.seen) == asked
    assert second.environment.fingerprint == first.environment.fingerprint


def test_a_stop_keeps_what_is_finished(endpoint, request_for, unproved):
    store = MemoryPartStore()
    _, _, author = endpoint()
    with pytest.raises(Cancelled):
        run(author, request_for(), store=store, cancelled=lambda: len(store) == 3)
    assert len(store) == 3


def test_a_wrong_key_fails_with_a_readable_event(request_for):
    with OpenAIServer([Refused(401, "who are you?")]) as server:
        provider = OpenAICompatible("m", KEY, base_url=server.base_url)
        events = []
        with pytest.raises(ProviderRefused, match="OPENAI_API_KEY"):
            synthesize(
                request_for(),
                authors={"model": ModelAuthor(provider)},
                context=RunContext(on_event=events.append),
            )
        provider.close()
    assert [(event.kind, event.stage) for event in events] == [
        ("stage_started", "scenario"),
        ("stage_failed", "scenario"),
    ]
    assert "OPENAI_API_KEY" in events[-1].message


def test_a_spent_budget_leaves_everything_resumable(endpoint, request_for, unproved, clinic):
    store = MemoryPartStore()
    _, _, author = endpoint()
    limited = ModelAuthor(Budgeted(author.provider, Budget(BudgetLimits(run_tokens=9_000))))
    with pytest.raises(BudgetExhausted):
        run(limited, request_for(), store=store)
    assert 0 < len(store) < len(STAGES)
    result, _ = run(author, request_for(), store=store)
    assert result.environment.counts == clinic.counts


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"sentence": ""}, InvalidInput, "empty"),
        ({"sentence": " \n\t "}, InvalidInput, "empty"),
        ({"sentence": "x" * 20_000}, InvalidInput, "20,000 characters; at most 8,000"),
        ({"sentence": "a\x00b"}, InvalidInput, "NUL"),
        ({"author": "oracle"}, UnknownName, "no author named 'oracle'"),
        ({"stage_authors": {"tools": "oracle"}}, UnknownName, "no author named 'oracle'"),
        ({"stage_authors": {"colours": "model"}}, UnknownName, "no stage named 'colours'"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_at_the_door(changes, error, message, endpoint, request_for):
    _, server, author = endpoint()
    with pytest.raises(error, match=message):
        run(author, request_for(**changes))
    assert server.seen == []


def test_an_author_without_its_model_is_named():
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY and WORLDWRIGHT_MODEL"):
        make_author("model")
    with pytest.raises(UnknownName, match="Known: model, procedural"):
        make_author("oracle")


def test_two_authors_share_the_work(endpoint, request_for, unproved):
    model, _, author = endpoint()
    shared = {"author": "procedural", "stage_authors": {"policy": "model"}}
    request = request_for(sentence="A library lends books", **shared)
    authors = {"model": author, "procedural": ProceduralAuthor()}
    result = synthesize(request, authors=authors)
    assert dict(model.asked) == {"policy": 1}
    assert result.environment.provenance["policy"].author == "model"
    assert result.environment.provenance["schema"].author == "procedural"


@pytest.mark.parametrize("count", [1, 3, 13])
def test_the_procedural_author_makes_as_many_tasks_as_are_asked_for(request_for, unproved, count):
    request = request_for(
        sentence="A library lends books", author="procedural", seed=3, targets={"tasks": count}
    )
    environment = synthesize(request, authors={"procedural": ProceduralAuthor()}).environment
    assert (len(environment.tasks.tasks), len(environment.verifiers.verifiers)) == (count, count)


def test_the_procedural_author_makes_the_same_environment_twice(request_for, unproved):
    request = request_for(sentence="A library lends books", author="procedural", seed=3)
    first, second = (synthesize(request, authors={"procedural": ProceduralAuthor()}) for _ in range(2))
    assert first.environment.fingerprint == second.environment.fingerprint


def test_all_attempts_together_are_bounded(endpoint, request_for, unproved):
    spoilt = {"scenario": [prose, prose], "outlines": [truncated] * 9}
    model, _, author = endpoint(spoilt)
    with pytest.raises(AttemptsExhausted, match="outlines"):
        run(author, request_for(attempts=5, attempts_in_all=5))
    assert (model.asked["scenario"], model.asked["outlines"], model.asked["policy"]) == (3, 2, 0)


def test_stages_that_try_their_parts_in_the_same_world_build_it_once(
    endpoint, request_for, unproved, monkeypatch
):
    built = []

    class Counted(trial.World):
        def __init__(self, environment, **more):
            super().__init__(environment, **more)
            built.append(self)

    monkeypatch.setattr(trial, "World", Counted)
    _, _, author = endpoint({"verifiers": BROKEN_FIRST["verifiers"]})
    run(author, request_for())
    assert len(built) == 1
    assert built[0].live == 0
    with pytest.raises(InstanceClosed):
        built[0].instance()


def test_every_stage_and_the_proof_take_their_turn(endpoint, request_for, unproved):
    taken = []

    class Noted(StageLimits):
        @contextmanager
        def at(self, stage, cancelled):
            taken.append(stage)
            yield

    _, _, author = endpoint()
    run(author, request_for(), stage_limits=Noted())
    assert taken == [*STAGES, "checks"]


def test_a_second_author_is_asked_when_the_first_has_spent_its_attempts(endpoint, request_for, unproved):
    _, _, first = endpoint({"policy": [prose] * 9})
    _, second_server, good = endpoint()
    second = ModelAuthor(good.provider, name="second")
    request = request_for(second_author="second", attempts=2)
    result = synthesize(request, authors={"model": first, "second": second})
    asked = [(each.author, each.number) for each in result.attempts if each.stage == "policy"]
    assert asked == [("model", 1), ("model", 2), ("second", 3)]
    assert len(second_server.seen) == 1
    assert "would be happy" not in second_server.prompts[0]
    assert result.environment.provenance["policy"].author == "second"
    assert result.environment.provenance["policy"].model == "clinic-model"
    assert result.environment.provenance["schema"].author == "model"
    with pytest.raises(UnknownName):
        synthesize(request, authors={"model": first})
