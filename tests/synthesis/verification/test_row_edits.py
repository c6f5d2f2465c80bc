import pytest

from synthesis.verification.reference_run import play
from synthesis.verification.row_edits import RowEdit, RowEditor, undoing
from synthesis.worlds.diff import diff


@pytest.fixture(scope="module")
def row_editor(clinic_world):
    with RowEditor(clinic_world) as row_editor:
        yield row_editor


def test_it_changes_a_row_and_nothing_else(clinic_world, row_editor):
    edit = RowEdit(kind="update", table="staff", key={"id": 1}, values={"name": "Somebody"})
    state = row_editor.edited(clinic_world.base, (edit,))
    changes = diff(clinic_world.base, state).changes
    assert [(c.table, c.key, c.columns) for c in changes] == [("staff", 1, ("name",))]
    assert (state.clock, state.calls) == (clinic_world.base.clock, clinic_world.base.calls)


def test_it_inserts_and_deletes_rows(clinic_world, row_editor):
    edits = (
        RowEdit(kind="insert", table="insurers", values={"name": "New Mutual"}),
        RowEdit(kind="delete", table="messages", key={"id": 1}),
    )
    changes = diff(clinic_world.base, row_editor.edited(clinic_world.base, edits))
    assert len(changes.inserted) == len(changes.deleted) == 1


@pytest.mark.parametrize(
    "edit",
    [
        RowEdit(kind="update", table="payments", key={"id": 1}, values={"invoice_id": 999}),
        RowEdit(kind="update", table="rooms", key={"id": 1}, values={"kind": "ballroom"}),
        RowEdit(kind="delete", table="patients", key={"id": 1}),
        RowEdit(kind="update", table="staff", key={"id": 77}, values={"name": "Nobody"}),
        RowEdit(kind="update", table="staff", key={"id": 1}, values={"no_such_column": 1}),
    ],
)
def test_what_the_schema_does_not_allow_is_no_state(clinic_world, row_editor, edit):
    assert row_editor.edited(clinic_world.base, (edit,)) is None


def test_undoing_every_change_gives_the_first_state_again(clinic_world, row_editor, clinic):
    task = clinic.task("move_cardiology_follow_up")
    _, state, changes = play(clinic_world, task.reference_solution)
    edits = tuple(undoing(change, clinic.schema.table(change.table)) for change in reversed(changes.changes))
    assert row_editor.edited(state, edits).hash == clinic_world.base.hash
