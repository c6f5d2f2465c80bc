"""Provenance: who made a part, and what it was read from."""

from __future__ import annotations

from synthesis.bundles.native import bundle_files, bundle_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment, Origin, Provenance
from synthesis.documents.finding import Finding

ORIGIN = Origin(
    source="shop.sql",
    findings=(
        Finding(part="schema", check="views_are_not_converted", message="A view.", severity="warning"),
    ),
)


def test_only_a_part_that_was_read_from_outside_tells_its_origin() -> None:
    read = Provenance(author="procedural", origin=ORIGIN)
    assert Provenance.model_validate(read.model_dump(mode="json")) == read
    assert "origin" not in Provenance(author="procedural").model_dump(mode="json")


def test_an_origin_travels_in_a_bundle_and_changes_no_fingerprint(clinic: Environment) -> None:
    result = clinic.replace(provenance={"schema": Provenance(author="procedural", origin=ORIGIN)})
    environment = bundle_of(bundle_files(Bundle(environment=result))).environment
    assert environment.fingerprint == clinic.fingerprint
    assert environment.provenance["schema"].origin == ORIGIN
