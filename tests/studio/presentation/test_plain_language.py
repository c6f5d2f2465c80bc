"""Plain language: calls, rows and changes of the clinic as its front desk would say them."""

from __future__ import annotations

import pytest

from studio.models import AuthorKind, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments.environments import store_environment
from synthesis.documents.dictionary import ColumnEntry
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall


@pytest.fixture
def plain(db: None, clinic) -> PlainLanguage:
    revision = store_environment(environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.")
    return PlainLanguage(EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id))


def said(plain: PlainLanguage, tool: str, **arguments) -> str:
    call = plain.call(ToolCall(name=tool, arguments=arguments))
    return f"{call.title}: {', '.join(value.text for value in call.values)}"


def test_a_call_is_a_sentence_with_names_dates_and_money(plain: PlainLanguage) -> None:
    assert said(plain, "find_patients", name="Mara Quillbrook", birth_date="1984-05-14") == (
        "Find patients: Mara Quillbrook, Mon 14 May 1984"
    )
    assert said(plain, "get_patient", patient_id=1) == "Get patient: Mara Quillbrook"
    assert said(plain, "record_payment", amount_cents=6000, method="cash") == "Record payment: 60.00, Cash"
    assert said(plain, "close_waitlist_entry", entry_id=6).startswith(
        "Close waitlist entry: Emeric Dunfallow"
    )
    assert said(plain, "reschedule_appointment", new_slot_id=29).startswith(
        "Reschedule appointment: Dr. Henrike Solano, Wed 18 March 2026"
    )
    assert said(plain, "list_appointments", status="no_show") == "List appointments: No show"


def labelled(plain: PlainLanguage, tool: str, **arguments) -> list[str]:
    call = plain.call(ToolCall(name=tool, arguments=arguments))
    return [f"{value.title}: {value.text}" if value.bare else value.text for value in call.values]


def test_a_value_that_says_nothing_alone_has_what_it_is_of_before_it(plain: PlainLanguage) -> None:
    assert labelled(plain, "list_staff", department="Tariff", on_duty=True, most=3) == [
        "Department: Tariff",
        "On duty: yes",
        "Most: 3",
    ]
    assert labelled(plain, "record_payment", amount_cents=6000, method="cash") == [
        "Amount: 60.00",
        "Method: Cash",
    ]
    assert labelled(plain, "find_rooms", room_numbers=[3, 4]) == ["Room numbers: 3, 4"]
    assert labelled(
        plain, "find_patients", name="Mara Quillbrook", birth_date="1984-05-14", patient_id=1
    ) == [
        "Mara Quillbrook",
        "Mon 14 May 1984",
        "Mara Quillbrook",
    ]


def test_an_argument_is_called_what_people_call_the_column_of_its_name(plain: PlainLanguage) -> None:
    plain.dictionary.tables["payments"].columns["method"] = ColumnEntry(title="Paid by")
    (value,) = plain.call(ToolCall(name="record_payment", arguments={"method": "cash"})).values
    assert value.title == "Paid by"


def test_a_name_links_to_its_row_and_an_unknown_key_says_so(plain: PlainLanguage) -> None:
    known = plain.value("appointments", "patient_id", 1)
    assert known.address == "/environments/clinic_front_desk/data/row/patients/?id=1"
    unknown = plain.value("appointments", "patient_id", 999)
    assert (unknown.text, unknown.address) == ("Patient 999", "")


def test_changes_come_to_rows_with_names_and_states(plain: PlainLanguage) -> None:
    row = plain.rows_of("appointments")[3]
    change = RowChange(
        table="appointments",
        key=row["id"],
        kind="updated",
        before=dict(row),
        after={**row, "status": "cancelled"},
        columns=("status",),
    )
    (shown,) = plain.changes([StateDiff(changes=(change,))])
    assert (shown.title, shown.word) == ("Appointment", "changed")
    assert shown.name.startswith("Tobin Ashgrove, Dr.")
    assert shown.cells == (("Status", "Scheduled", "Cancelled"),)


def test_a_row_that_came_later_has_a_name_and_no_page(plain: PlainLanguage) -> None:
    new = {**plain.rows_of("patients")[0], "id": 77, "first_name": "Nova", "last_name": "Late"}
    added = RowChange(table="patients", key=77, kind="inserted", after=new, columns=tuple(new))
    value = plain.after([StateDiff(changes=(added,))]).value("appointments", "patient_id", 77)
    assert (value.text, value.address) == ("Nova Late", "")
