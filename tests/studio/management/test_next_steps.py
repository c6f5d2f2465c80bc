"""What a finished run or batch says it made names the environment and commands that exist."""

import io
import re

from django.core.management import get_commands
from rich.console import Console

from studio.management.next_steps import show_created, show_created_in_batch
from studio.models import Run, RunKind, RunState


def said(show, run):
    out = io.StringIO()
    show(Console(file=out, width=200), run)
    return out.getvalue()


def made(record, **fields):
    result = {"environment": record.name, "revision": 1}
    return Run.objects.create(kind=RunKind.SYNTHESIS, state=RunState.FINISHED, result=result, **fields)


def test_a_finished_run_names_its_environment_its_size_its_page_and_what_comes_next(stored):
    record = stored
    text = said(show_created, made(record))
    assert f"Created {record.name}, revision 1: {record.title}. {stored.current.tables:,} tables, " in text
    assert record.get_absolute_url() in text
    assert text.count(f"{record.name} --agent reference") == 1
    commands = re.findall(r"manage\.py (\w+)", text)
    assert commands == ["serve", "rollout", "export_bundle"]
    assert {*commands} <= {*get_commands()}


def test_a_finished_batch_names_what_it_made_and_one_without_anything_nothing(stored):
    batch = Run.objects.create(kind=RunKind.BATCH, state=RunState.FINISHED)
    assert said(show_created_in_batch, batch) == ""
    made(stored, parent=batch)
    made(stored, parent=batch)
    text = said(show_created_in_batch, batch)
    assert text.startswith(f"Created {stored.name}, {stored.name}.\n")
    assert batch.get_absolute_url() in text
