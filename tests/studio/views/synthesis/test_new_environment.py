"""The page that asks for a new environment: what it queues, asks about and refuses."""

from __future__ import annotations

import html

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import Run, RunKind
from studio.services.synthesis import synthesis
from synthesis.procedural.business.author import Size, compose


def test_asking_for_an_environment_queues_a_run(lead: User, client: Client, sent: list[int]) -> None:
    client.force_login(lead)
    answer = client.post(
        "/environments/new/", {"sentence": "A library lends tools.", "author": "procedural", "seed": "3"}
    )
    run = Run.objects.get()
    assert answer["Location"] == f"/runs/{run.pk}/"
    assert (run.kind, run.requested_by, run.request["seed"]) == (RunKind.SYNTHESIS, lead, 3)


def test_words_that_nothing_will_represent_are_asked_about_before_it_is_made(
    lead: User, client: Client
) -> None:
    client.force_login(lead)
    values = {
        "sentence": "A boatyard stores yachts over winter and services engines cheerfully.",
        "author": "procedural",
        "seed": "3",
    }
    answer = client.post("/environments/new/", values)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Read: boatyard: store yacht (storage); service engine (repair)." in page
    assert "Not represented: cheerfully." in page
    assert "services engines cheerfully.</textarea>" in page
    assert not Run.objects.exists()
    other = client.post("/environments/new/", {**values, "goes_on_with": "Another sentence"})
    assert other.status_code == 422
    gone_on = client.post("/environments/new/", {**values, "goes_on_with": values["sentence"]})
    assert gone_on["Location"] == f"/runs/{Run.objects.get().pk}/"


def test_a_sentence_of_which_no_world_can_be_made_is_refused_with_what_to_do(
    lead: User, client: Client
) -> None:
    client.force_login(lead)
    values = {"sentence": "What does a bakery do?", "author": "procedural", "seed": "3"}
    for more in ({}, {"goes_on_with": "What does a bakery do?"}):
        answer = client.post("/environments/new/", {**values, **more})
        assert answer.status_code == 422
        assert "This is a question." in answer.content.decode()
        assert "Create it anyway" not in answer.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sentence": "", "author": "procedural", "seed": "0"}, "This field is required."),
        ({"sentence": "x" * 20_000, "author": "procedural", "seed": "0"}, "at most 8000 characters"),
        ({"sentence": "A desk", "author": "nobody", "seed": "0"}, "not one of the available choices"),
        ({"sentence": "A desk", "author": "procedural", "seed": "-1"}, "greater than or equal to 0"),
    ],
)
def test_an_unusable_request_says_what_is_wrong_and_keeps_the_text(
    values: dict[str, str], words: str, lead: User, client: Client
) -> None:
    client.force_login(lead)
    answer = client.post("/environments/new/", values)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert values["sentence"] in answer.content.decode()
    assert not Run.objects.exists()


def test_what_the_service_refuses_is_shown_in_the_form(
    lead: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synthesis.errors import InvalidInput

    def refuse(**_: object) -> None:
        raise InvalidInput("The model author needs OPENAI_BASE_URL.")

    monkeypatch.setattr(synthesis, "new_request", refuse)
    client.force_login(lead)
    answer = client.post("/environments/new/", {"sentence": "A desk", "author": "model", "seed": "0"})
    assert answer.status_code == 422
    assert b"The model author needs OPENAI_BASE_URL." in answer.content


YARD = {
    "sentence": "A boatyard stores yachts over winter and services engines cheerfully.",
    "author": "procedural",
    "seed": "3",
}


def test_a_world_is_shown_before_it_is_made_and_exactly_that_world_is_made(
    lead: User, client: Client, sent: list[int]
) -> None:
    client.force_login(lead)
    answer = client.post("/environments/new/", {**YARD, "step": "show"})
    page = html.unescape(answer.content.decode())
    wanted = synthesis.new_request(sentence=YARD["sentence"], seed=3)
    environment = compose(
        wanted.sentence, seed=3, size=Size(tasks=wanted.targets.tasks, fewer=wanted.targets.fewer_tasks)
    )
    assert answer.status_code == 200
    assert environment.scenario.title in page
    assert "Not represented:</strong> cheerfully." in page
    assert "the records “Yachts”" in page
    asked = page[page.index('id="sample-tasks"') :].replace("<br>", "\n")
    assert sum(task.instruction in asked for task in environment.tasks.tasks) == 3
    samples = page[page.index('id="samples"') :]
    actor = environment.seed_data.rows[environment.seed_data.actor.table][0]["name"]  # type: ignore[union-attr]
    assert str(actor) in samples
    assert not Run.objects.exists()
    shown = answer.context["shown"]
    other = client.post("/environments/new/", {**YARD, "seed": "4", "shown": shown})
    assert "Something else is asked for than what was shown." in other.content.decode()
    assert not Run.objects.exists()
    client.post("/environments/new/", {**YARD, "shown": shown})
    assert Run.objects.get().request == wanted.model_dump(mode="json")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"sentence": "What does a bakery do?"}, "This is a question."),
        ({"author": "model"}, "Only the procedural author can show a world"),
        ({"sentence": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_shown_is_refused_as_creation_refuses_it(
    more: dict[str, str], words: str, lead: User, client: Client
) -> None:
    client.force_login(lead)
    answer = client.post("/environments/new/", {**YARD, **more, "step": "show"})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert answer.context["world"] is None


def test_a_rule_of_the_sentence_that_the_world_lacks_is_shown_before_it_is_made(
    lead: User, client: Client
) -> None:
    client.force_login(lead)
    sentence = (
        "A swimming pool takes bookings for sessions and lends 300 floats; children under 12 need an adult."
    )
    answer = client.post("/environments/new/", {**YARD, "sentence": sentence, "step": "show"})
    page = html.unescape(answer.content.decode())
    assert "No rule of this world:</strong> “under 12”." in page
    assert "Another number here:</strong> “300 floats”." in page
    assert "Every word is represented." not in page
    refused = client.post("/environments/new/", {**YARD, "sentence": sentence})
    assert refused.status_code == 422
    assert "under 12 (a rule), 300 floats (a number)." in html.unescape(refused.content.decode())


def test_words_of_a_rule_and_of_a_column_are_explained_without_code(lead: User, client: Client) -> None:
    client.force_login(lead)
    sentence = "A sports club lets members book courts by the hour, at most two bookings a week per member."
    answer = client.post("/environments/new/", {**YARD, "sentence": sentence, "step": "show"})
    homes = {home.word: home.home for home in answer.context["world"].words}
    assert homes["week"] == "a rule that agents are told"
    assert homes["hour"].startswith("“")
    assert "_" not in homes["hour"]
    assert "Every word is represented." in html.unescape(answer.content.decode())
