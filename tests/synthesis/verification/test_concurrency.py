"""Claims about repeated and concurrent calls hold for a good world, and see one in which calls mix."""

from __future__ import annotations

import threading

import pytest

from benchmarks.planted_faults import FAULTS, in_tools
from synthesis.verification.checks import CHECKS
from synthesis.verification.claims import concurrency
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.world import Instance

_DRAWN_LATER = """drawn = {"drawn": db.random.random()} if offset else {}
    return {**_page(db, sql, [], "name", limit, offset), **drawn}


def list_rooms("""


@pytest.fixture
def context(clinic, clinic_world):
    with ProofContext(clinic, world=clinic_world) as context:
        yield context


def test_looks_and_calls_of_two_clients_behave_in_a_good_world(context, clinic):
    looks = CHECKS["repeated_looks_agree"](context)
    assert looks.passed
    assert looks.figures["looks"] >= 8
    calls = CHECKS["concurrent_calls_stay_apart"](context)
    assert calls.passed
    assert calls.figures == {"pairs": concurrency.MOST_PAIRS, "runs": concurrency.MOST_RUNS}


def test_a_look_that_remembers_is_found_and_named(clinic):
    fault = next(fault for fault in FAULTS if "how often it was taken" in fault.name)
    with ProofContext(fault.plant(clinic)) as context:
        (finding,) = CHECKS["repeated_looks_agree"](context).findings
    assert (finding.part, finding.where) == ("tools", "list_departments")
    shown = [one["observation"]["asked"] for one in finding.evidence]
    assert shown[1] == shown[0] + 1


def test_a_look_that_depends_on_the_time_alone_is_no_finding(clinic):
    telling = in_tools(
        (
            'return _page(db, sql, [], "name", limit, offset)\n\n\ndef list_rooms(',
            'return {**_page(db, sql, [], "name", limit, offset), "now": str(db.now())}\n\n\ndef list_rooms(',
        )
    )
    with ProofContext(telling(clinic)) as context:
        result = CHECKS["repeated_looks_agree"](context)
    assert result.passed
    assert result.figures["looks"] >= 8


def test_a_look_is_taken_twice_with_every_set_of_arguments(clinic):
    drawing = in_tools(
        (
            'return _page(db, sql, [], "name", limit, offset)\n\n\ndef list_rooms(',
            _DRAWN_LATER,
        )
    )
    with ProofContext(drawing(clinic)) as context:
        found = [*CHECKS["repeated_looks_agree"](context).findings]
        found += CHECKS["lists_agree_with_each_other"](context).findings
    assert {finding.where for finding in found} == {"list_departments"}
    assert any(
        "asked twice with the same" in finding.message or "called twice" in finding.message
        for finding in found
    )


def test_an_update_that_is_lost_between_two_clients_is_found(context, monkeypatch):
    call, turn = Instance.call, threading.Lock()

    def losing(self, name, arguments=None):
        with turn:
            before = self.snapshot()
            result = call(self, name, arguments)
            if threading.current_thread().name.startswith("client") and before.calls:
                self.restore(before)
            return result

    monkeypatch.setattr(Instance, "call", losing)
    monkeypatch.setattr(concurrency, "_on_two_instances", lambda *_: 0)
    findings = CHECKS["concurrent_calls_stay_apart"](context).findings
    assert findings
    assert all("called at the same time" in finding.message for finding in findings)
    assert {"call", "status", "observation"} == set(findings[0].evidence[0])


def test_rows_that_reach_another_instance_are_found(context, clinic, monkeypatch):
    played, write = concurrency._played, clinic.task("cancel_late_and_waive_fee").reference_solution

    def mixed(instance, task):
        shown, _ = played(instance, task)
        instance.call_many(write)
        return shown, instance.state_hash()

    monkeypatch.setattr(concurrency, "_played", mixed)
    monkeypatch.setattr(concurrency, "_on_one_instance", lambda *_: 0)
    findings = CHECKS["concurrent_calls_stay_apart"](context).findings
    assert findings
    assert all("while another instance ran" in finding.message for finding in findings)
