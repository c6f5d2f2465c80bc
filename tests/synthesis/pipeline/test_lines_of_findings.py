"""Findings of the proof speak of what the author of a part wrote, not of the module made of it."""

from __future__ import annotations

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding
from synthesis.pipeline import assembly
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.driver import synthesize
from tests.synthesis.pipeline.broken_replies import in_first


def test_lines_of_the_module_that_the_proof_names_are_told_by_function(endpoint, request_for, monkeypatch):
    def check(environment, on_result=None):
        source = environment.tools.source
        line = source[: source.index("def find_patients(")].count("\n") + 1
        finding = Finding(part="tools", check="x", message=f"Failed (line {line}).", where="find_patients")
        fine = "# Kinder." in source
        result = CheckResult(claim="all_is_well", passed=fine, findings=() if fine else (finding,))
        return CheckReport(environment=environment.fingerprint, results=(result,))

    monkeypatch.setattr(assembly, "check_environment", check)
    model, _, author = endpoint()
    kinder = in_first("tools", "source", lambda source: f"# Kinder.\n{source}")
    events = []

    def heard(event):
        events.append(event)
        if event.kind == "part_sent_back":
            model.spoilt["tools"] = [kinder]

    synthesize(request_for(), authors={"model": author}, context=RunContext(on_event=heard))
    (sent,) = [event for event in events if event.kind == "part_sent_back"]
    assert sent.findings[0].message.startswith("Failed (line 1 of find_patients: def find_patients(")
