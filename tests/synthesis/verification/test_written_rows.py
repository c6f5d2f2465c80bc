"""An answer may tell what its calls wrote, also where no result showed the row again; and nothing else."""

from __future__ import annotations

import pytest

from synthesis.documents.evidence import MOST_WRITTEN, evidence_of_calls, written_in
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.serving.episode_log import MOST_CALL_BYTES, EpisodeLog
from synthesis.worlds.world import World

LATE = "cancel_late_and_waive_fee"


@pytest.mark.parametrize(
    ("remark", "label"),
    [("The slot of before is open again.", "completed"), ("The slot is booked.", "partially_completed")],
)
def test_a_remark_on_a_row_that_was_written_is_held_against_what_it_holds(
    clinic_world: World, remark: str, label: str
) -> None:
    with Episode(clinic_world, LATE) as episode:
        episode.reset(seed=1)
        for call in episode.task.reference_solution:
            episode.step(call)
        episode.step(FinalAnswer(text=f"{episode.task.reference_answer} {remark}"))
        assert episode.verdict is not None
        assert episode.verdict.label == label


def test_evidence_holds_the_first_rows_that_were_left_in_order() -> None:
    gone = RowChange(table="slots", key=0, kind="deleted", before={"id": 0})
    left = [
        RowChange(table="slots", key=number, kind="inserted", after={"id": number})
        for number in range(1, MOST_WRITTEN + 2)
    ]
    written = written_in([StateDiff(changes=(gone, *left[:3])), StateDiff(changes=tuple(left[3:]))])
    assert list(written) == left[:MOST_WRITTEN]


@pytest.mark.parametrize("keeps_calls", [True, False])
def test_a_server_knows_what_was_written_where_it_keeps_calls(clinic_world: World, keeps_calls: bool) -> None:
    task = clinic_world.environment.task(LATE)
    assert task is not None
    log = EpisodeLog(keeps_calls=keeps_calls)
    results: list[ToolResult] = []
    with clinic_world.instance() as instance:
        for call in task.reference_solution:
            results.append(instance.call(call.name, call.arguments))
            log.note(call, results[-1])
    written = evidence_of_calls(task.reference_solution, results).written
    assert log.evidence().written == (written if keeps_calls else ())
    log.clear()
    assert log.evidence().written == ()


def test_a_server_keeps_no_more_of_what_was_written_than_of_what_was_called() -> None:
    log = EpisodeLog(keeps_calls=True)
    large = "x" * (MOST_CALL_BYTES // 3)
    for number in range(1, 6):
        change = RowChange(table="notes", key=number, kind="inserted", after={"id": number, "text": large})
        result = ToolResult(status="ok", changes=StateDiff(changes=(change,)))
        log.note(ToolCall(name="write_note"), result)
    assert [change.key for change in log.evidence().written] == [1, 2]
    assert len(log.evidence().calls) == 5
