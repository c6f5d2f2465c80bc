"""The page that starts a batch: its estimate, its files, what it refuses."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from studio.models import Run
from tests.batch_scene import make_batch


@pytest.fixture
def batch(db) -> Run:
    return make_batch(held=True)


@pytest.fixture
def asked(lead, client):
    """Posts the form of a new batch."""
    client.force_login(lead)

    def ask(step="estimate", **values):
        whole = {"seeds": "A library\nA clinic", "author": "procedural", "first_seed": "0", "step": step}
        return client.post("/batches/new/", whole | values)

    return ask


def test_an_estimate_comes_before_the_start_and_starts_nothing(asked, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    answer = asked(author="model", count="50", budget_cost="30")
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 200
    assert "Estimate for 50 environments" in page
    assert re.search(r"About \$[\d,.]+, [\d,]+ tokens\.", page)
    assert "No earlier environment by a model is recorded" in page
    assert "arXiv 2602.10090" in page
    assert not Run.objects.exists()
    assert 'value="50"' in page  # what was typed stands


def test_an_estimate_names_the_earlier_environments_it_comes_from(batch, asked, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    answer = asked(author="model", count="10")
    page = " ".join(answer.content.decode().split())
    assert "From recorded averages per stage of 12 earlier environments." in page
    assert answer.context["estimate"].stages["schema"].tokens == 30_000


def test_the_procedural_author_is_said_to_cost_nothing(asked):
    assert b"costs nothing" in asked(count="5").content


def test_a_batch_is_started_from_text(asked, lead):
    answer = asked(step="start", count="4", tasks="3", priority="5", budget_tokens="1000")
    run = Run.objects.get()
    assert answer["Location"] == f"/batches/{run.pk}/"
    assert (run.request["seeds"], run.request["count"], run.request["tasks"]) == (
        ["A library", "A clinic"],
        4,
        3,
    )
    assert (run.priority, run.request["budget"], run.requested_by) == (5, {"tokens": 1_000}, lead)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("seeds.csv", b"id,name\n1,A library\n2,A clinic\n"),
        ("seeds.jsonl", b'{"name": "A library"}\n"A clinic"\n'),
        ("seeds.txt", b"\xef\xbb\xbfA library\r\nA clinic\r\n"),
    ],
)
def test_a_file_is_read_and_its_seeds_stand_in_the_form_for_the_start(asked, name, content):
    answer = asked(seeds="", seeds_file=SimpleUploadedFile(name, content))
    assert answer.status_code == 200
    assert answer.context["form"]["seeds"].value() == "A library\nA clinic"
    assert not Run.objects.exists()


def test_what_is_left_out_of_the_seeds_is_said_by_line(asked):
    page = asked(seeds="A library\n\nA  LIBRARY\nA clinic").content.decode()
    assert "line 2 is blank; line 3 is the same as line 1" in page


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", b"A library\nB\xfcro\n", "s.txt, line 2: byte 2 is not UTF-8"),
        ("s.txt", b"\n \n", "s.txt contains no seed"),
        ("s.txt", b"", "s.txt contains no seed"),
        ("s.txt", b"x" * 8_001, "line 1: 8,001 characters"),
        ("s.jsonl", b'"A"\n{"name": \n', "line 2: no JSON"),
        ("s.csv", b"colour\nred\n", "the header has none of the columns"),
        ("s.txt", b"".join(b"%d\n" % n for n in range(10_001)), "10001: more than 10,000 different seeds"),
        ("s.txt", b"x\n" * 1_100_000, "a page accepts 2 MB"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_with_its_line(asked, name, content, message):
    answer = asked(seeds="", seeds_file=SimpleUploadedFile(name, content))
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seeds": ""}, "contains no seed"),
        ({"count": "0"}, "greater than or equal to 1"),
        ({"count": "10001"}, "less than or equal to 10000"),
        ({"author": "nobody"}, "not one of the available choices"),
        ({"expand": "yes"}, "Only the model author proposes scenarios"),
        ({"author": "model", "count": "9", "expand": "no"}, "need an expansion"),
        ({"budget_cost": "-1"}, "greater than or equal to 0.01"),
        ({"author": "model", "budget_cost": "5"}, "no price for"),
        ({"priority": "1000"}, "less than or equal to 100"),
        ({"tasks": "0"}, "greater than or equal to 1"),
    ],
)
@pytest.mark.parametrize("step", ["estimate", "start"])
def test_what_cannot_be_started_is_refused_and_what_was_typed_stands(asked, settings, step, values, message):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "nobody-knows"})
    answer = asked(step=step, **values)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert values.get("seeds", "A library\nA clinic") in answer.content.decode()
    assert not Run.objects.exists()


def test_text_and_file_together_are_refused(asked):
    answer = asked(seeds_file=SimpleUploadedFile("s.txt", b"A shop\n"))
    assert b"not both" in answer.content
