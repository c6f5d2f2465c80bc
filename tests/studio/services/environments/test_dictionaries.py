"""Dictionaries: derived from names, checks and values; corrected by people; part of bundles."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.models import Role
from studio.services.environments import dictionaries
from studio.services.errors import Forbidden
from studio.services.exports import bundles
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.dictionary import ColumnEntry, Dictionary, TableEntry


@pytest.fixture(scope="module")
def derived(clinic) -> Dictionary:
    return dictionaries.derive(clinic.schema, clinic.seed_data, clinic.tools, clinic.tasks)


def test_formats_follow_names_checks_and_values(derived: Dictionary) -> None:
    formats = {
        (table, column): derived.tables[table].columns[column].format
        for table, column in (
            ("visit_types", "price_cents"),
            ("slots", "starts_at"),
            ("patients", "birth_date"),
            ("staff", "active"),
            ("visit_types", "minutes"),
            ("appointments", "patient_id"),
        )
    }
    assert list(formats.values()) == ["money_cents", "moment", "date", "yes_no", "number", "text"]


def test_states_and_titles_are_words(derived: Dictionary) -> None:
    status = derived.tables["appointments"].columns["status"]
    assert status.values["no_show"] == "No show"
    assert derived.tables["visit_types"].singular == "Visit type"
    assert derived.tables["appointments"].columns["visit_type_id"].title == "Visit type"
    assert derived.tools["find_open_slots"] == "Find open slots"


def test_rows_are_named_by_a_name_or_by_keys_and_moment(derived: Dictionary) -> None:
    assert derived.tables["patients"].names_row == ("first_name", "last_name")
    assert derived.tables["rooms"].names_row == ("name",)
    assert derived.tables["slots"].names_row == ("provider_id", "room_id", "starts_at")


def test_what_people_write_lies_over_what_is_derived(derived: Dictionary) -> None:
    mine = Dictionary(
        tables={
            "slots": TableEntry(title="Free times", columns={"status": ColumnEntry(values={"open": "Free"})})
        },
        tools={"find_open_slots": "Look for a free time"},
    )
    whole = derived.overlaid(mine)
    assert whole.tables["slots"].title == "Free times"
    assert whole.tables["slots"].singular == "Slot"
    assert whole.tables["slots"].columns["status"].values == {
        "open": "Free", "booked": "Booked", "blocked": "Blocked"
    }  # fmt: skip
    assert whole.tools["find_open_slots"] == "Look for a free time"
    assert whole.tools["get_patient"] == "Get patient"


def test_a_dictionary_travels_in_a_bundle_and_changes_no_fingerprint(
    stored, reviewer, tmp_path: Path
) -> None:
    before = stored.current.fingerprint
    words = Dictionary(tools={"list_loans": "What is lent"})
    dictionaries.save(record=stored, editor=reviewer, dictionary=words, seen=0)
    path = NativeCodec().write(bundles.bundle_of(stored.current), tmp_path / "desk.zip")
    read = open_bundle(path)
    assert read.dictionary == words
    assert read.environment.fingerprint == before
    dictionaries.keep(stored, Dictionary())
    bundles.import_bundle(path=path)
    stored.refresh_from_db()
    assert dictionaries.edited(stored) == words


def test_a_bundle_without_one_says_nothing(stored, tmp_path: Path) -> None:
    path = NativeCodec().write(bundles.bundle_of(stored.current), tmp_path / "desk")
    assert not (path / "dictionary.json").exists()
    assert open_bundle(path).dictionary is None


def test_who_may_not_edit_names_nothing(stored, person) -> None:
    with pytest.raises(Forbidden):
        dictionaries.save(record=stored, editor=person("vera", Role.VIEWER), dictionary=Dictionary(), seen=0)
