"""What the proof finds goes back to the authors whose parts it is about, unless it may not hold by then."""

from __future__ import annotations

from synthesis.documents.finding import Finding
from tests.synthesis.pipeline.broken_replies import in_first, text
from tests.synthesis.pipeline.test_driver import findings_once, run


def test_a_verifier_is_not_sent_back_while_its_task_is(endpoint, request_for, monkeypatch):
    of_task = Finding(part="tasks", check="x", message="No fact.", where="read_total_owed")
    stale = Finding(
        part="verifiers", check="x", message="It refuses a right answer.", where="read_total_owed"
    )
    other = Finding(part="verifiers", check="x", message="It is too kind.", where="move_cardiology_follow_up")
    findings_once(monkeypatch, of_task, stale, other)
    model, _, author = endpoint()
    model.spoilt["tasks"] = [text, in_first("tasks", "reference_answer", lambda answer: f"{answer[:-1]}!")]
    model.spoilt["verifiers"] = [text, in_first("verifiers", "source", lambda source: f"# Kinder.\n{source}")]
    _, events = run(author, request_for())
    sent = {event.stage: event.findings for event in events if event.kind == "part_sent_back"}
    assert sent == {"tasks": (of_task,), "verifiers": (other,)}
