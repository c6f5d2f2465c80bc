"""Flags that block stand in the way of approval and of exports alike."""

from __future__ import annotations

from typing import Any

import pytest

from studio.jobs import execute_run
from studio.models import (
    BundleRecord,
    EnvironmentRecord,
    Flag,
    FlagReason,
    FlagSeverity,
    FlagState,
    RunState,
)
from studio.services.environments import quality_gates
from studio.services.environments.flag_words import flag_words
from studio.services.environments.titles import titles_of
from studio.services.errors import NotReady
from studio.services.exports import bundles, collections
from studio.services.review import flags, reviews
from tests.studio.conftest import GRADES
from tests.studio.services.environments.conftest import raised


def test_flags_of_the_chosen_severity_and_worse_stand_in_the_way(
    stored: EnvironmentRecord, reviewer: Any, gate: Any
) -> None:
    Flag.objects.create(
        environment=stored,
        revision=stored.current,
        raised_by=reviewer,
        reason=FlagReason.TOOL_BUG,
        severity=FlagSeverity.MAJOR,
        comment="It is slow.",
    )
    assert not Flag.objects.blocking().exists()
    assert quality_gates.barriers(stored) == ""
    gate(flags="major")
    assert [flag.blocks for flag in Flag.objects.blocking()] == [True]
    assert quality_gates.barriers(stored) == "1 open flag blocks approval: a tool does not work right."
    for state in set(FlagState) - {FlagState.OPEN}:
        stored.flags.update(state=state)
        assert not stored.flags.get().blocks
        assert quality_gates.barriers(stored) == ""


def test_of_many_flags_the_first_five_are_named_and_the_rest_counted(
    stored: EnvironmentRecord, reviewer: Any
) -> None:
    places = ["return_the_drill", "count_the_loans", "return_item", "find_member", "lend_item", "list_loans"]
    for place in places[:5]:
        raised(stored, reviewer, place)
    assert quality_gates.barriers(stored).startswith("5 open flags block approval: ")
    assert " more" not in quality_gates.barriers(stored)
    raised(stored, reviewer, places[5])
    assert quality_gates.barriers(stored).startswith("6 open flags block approval: ")
    assert quality_gates.barriers(stored).endswith(" and 1 more.")
    for place in ("task_a", "task_b", "task_c", "task_d", "task_e", "task_f"):
        raised(stored, reviewer, place)
    assert quality_gates.barriers(stored).startswith("12 open flags block approval: ")
    assert quality_gates.barriers(stored).endswith(" and 7 more.")


def test_what_bars_approval_is_told_apart_from_what_waits_for_people(
    stored: EnvironmentRecord, reviewer: Any
) -> None:
    assert quality_gates.blocker(stored) == "0 of 1 review submitted."
    assert quality_gates.barriers(stored) == ""
    raised(stored, reviewer, "count_the_loans")
    assert "Count the loans" in quality_gates.barriers(stored)


@pytest.mark.parametrize("severity", ["blocking", "major"])
def test_one_meaning_of_a_flag_that_blocks_holds_for_approval_export_and_collections(
    stored: EnvironmentRecord, reviewer: Any, second_reviewer: Any, gate: Any, severity: str
) -> None:
    if severity == "major":
        gate(flags="major")
    reviews.submit(
        record=stored,
        revision_number=1,
        reviewer=reviewer,
        decision="approve",
        scores=GRADES,
        comment="Seen.",
    )
    raised(stored, reviewer, "count_the_loans", severity)
    stored.refresh_from_db()
    with pytest.raises(NotReady, match="Count the loans"):
        reviews.submit(
            record=stored,
            revision_number=1,
            reviewer=second_reviewer,
            decision="approve",
            scores=GRADES,
            comment="Seen.",
        )
    with pytest.raises(NotReady, match="Count the loans"):
        bundles.require_exportable(stored.current)
    plan = collections.plan(EnvironmentRecord.objects.select_related("current"))
    assert [why for _, why in plan.excluded] == ["An open flag blocks it."]
    environment = flags.with_blocking(EnvironmentRecord.objects.all()).get()
    assert environment.blocking == 1  # type: ignore[attr-defined]


def test_a_flag_raised_while_an_export_waits_stops_it(
    stored: EnvironmentRecord, reviewer: Any, lead: Any
) -> None:
    reviews.submit(
        record=stored,
        revision_number=1,
        reviewer=reviewer,
        decision="approve",
        scores=GRADES,
        comment="Seen.",
    )
    stored.refresh_from_db()
    run = bundles.start_export(record=stored, requested_by=lead)
    flag = raised(stored, reviewer, "count_the_loans")
    ended = execute_run(run.pk)
    assert ended is not None
    assert ended.state == RunState.FAILED
    assert "Nothing was exported: " in ended.error
    assert "Count the loans" in ended.error
    assert not BundleRecord.objects.exists()
    flags.settle_flag(flag=flag, user=reviewer, resolution="")
    stored.refresh_from_db()
    done = execute_run(bundles.start_export(record=stored, requested_by=lead).pk)
    assert done is not None
    assert done.state == RunState.FINISHED, done.error


def test_a_flag_is_named_by_its_place_or_else_by_its_part(stored: EnvironmentRecord) -> None:
    flag = Flag(reason=FlagReason.TOOL_BUG, where="return_item", part="tools")
    titles = titles_of(stored)
    assert str(flag) == "Tool bug: return_item"
    assert flag_words(flag, titles) == "a tool does not work right (Return item)"
    flag.where, flag.part = "", "verifiers"
    assert str(flag) == "Tool bug: verifiers"
    assert flag_words(flag, titles) == "a tool does not work right (success checks)"
    flag.part = ""
    assert flag_words(flag, titles) == "a tool does not work right"
