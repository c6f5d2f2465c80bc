"""What the right end of a task consists of, read from its solution."""

from __future__ import annotations

from synthesis.documents.environment import Environment
from synthesis.documents.evidence import Evidence, RecordedCall
from synthesis.reading.document import ParsedText
from synthesis.verification.answers import observed_in, read_answer
from synthesis.verification.effects import effects_of


def test_calls_rows_and_options_of_a_solution_are_its_effects(clinic: Environment) -> None:
    task = clinic.task("cancel_late_and_waive_fee")
    effects = effects_of(clinic, task)
    calls = {(deed.verb, deed.calls) for deed in effects.deeds}
    assert {("cancel", 1), ("waiv", 1), ("send", 1), ("book", 0)} <= calls
    assert {("nadia",), ("thornwick",)} <= effects.own
    assert ("otto", "") in effects.names
    assert ("otto",) not in effects.own
    assert effects_of(clinic, task) is effects


def test_an_answer_is_held_against_them(clinic: Environment) -> None:
    task = clinic.task("cancel_late_and_waive_fee")
    told = "Nadia's consultation is cancelled, the fee of 40.00 was charged and waived."
    assert read_answer(clinic, task, told, changed=True).right
    for lie in (
        f"{told} I also sent her a bill.",
        f"{told} I did not send her a message.",
        "I cancelled Otto Grimlake's consultation. The fee of 40.00 was waived.",
        "I rescheduled the consultation. The fee of 40.00 was waived.",
    ):
        assert not read_answer(clinic, task, lie, changed=True).right, lie


def test_what_the_calls_of_an_episode_did_not_show_is_untrue(clinic: Environment) -> None:
    task = clinic.task("cancel_late_and_waive_fee")
    told = "Nadia's consultation is cancelled, the fee of 40.00 was charged and waived."
    shown = RecordedCall(
        name="find_patient", status="ok", result={"name": "Otto Grimlake", "paid_on": "2026-01-05"}
    )
    elsewhere = RecordedCall(name="find_patient", status="ok", result={"name": "Nadia Thornwick"})
    for detail in ("Otto Grimlake was next on the list.", "The last one was on 5 January 2026."):
        text = f"{told} {detail}"
        seen, unseen = (Evidence(calls=(call,)) for call in (shown, elsewhere))
        assert read_answer(clinic, task, text, changed=True).right
        assert read_answer(clinic, task, text, changed=True, observed=observed_in(clinic, task, seen)).right
        assert not read_answer(
            clinic, task, text, changed=True, observed=observed_in(clinic, task, unseen)
        ).right


def test_a_call_is_about_what_its_row_leads_to_over_two_references(clinic: Environment) -> None:
    task = clinic.task("cancel_late_and_waive_fee")
    pairings = effects_of(clinic, task).pairings
    assert pairings is not None
    appointment = next(
        call.arguments["appointment_id"] for call in task.reference_solution if "cancel" in call.name
    )
    row = next(row for row in clinic.seed_data.rows["appointments"] if row["id"] == appointment)
    slot = next(each for each in clinic.seed_data.rows["slots"] if each["id"] == row["slot_id"])
    provider = next(each for each in clinic.seed_data.rows["providers"] if each["id"] == slot["provider_id"])
    (mark,) = pairings.marks(ParsedText(f"The visit to {provider['name']} is cancelled."))
    assert "cancel_appointment" in pairings.tools_of(mark)
