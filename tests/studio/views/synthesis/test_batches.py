"""Pages of batches: the figures and what they lead to, what a lead may do, the price before the start."""

from __future__ import annotations

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studio.models import AttemptRecord, LlmCall, Run, RunEvent, RunState
from tests.batch_scene import make_batch

HOSTILE = "<script>alert('x')</script>\"]/💥\u202etfel"


@pytest.fixture
def batch(db) -> Run:
    return make_batch(held=True)


def text(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, address
    return " ".join(answer.content.decode().split())


def test_the_page_of_a_batch_as_a_run_leads_to_its_own(batch, viewer, client):
    client.force_login(viewer)
    assert client.get(f"/runs/{batch.pk}/")["Location"] == f"/batches/{batch.pk}/"


def test_it_shows_the_funnel_beside_the_published_figures(batch, viewer, client):
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/")
    assert "12 of 16 finished" in page
    for published in ("AWM 88.3 %", "AWM 88.2 %", "AWM 86.8 %", "(AWM 1.13)", "(AWM $57.09)", "AWM $13.75"):
        assert published in page
    assert "Tools: 10 of 16 passed" in page
    assert "10 of 11" in page  # the one that failed at the tools reached them


def test_what_has_no_known_price_is_not_said_to_be_free(batch, viewer, client):
    LlmCall.objects.update(cost=None)
    client.force_login(viewer)
    for address in (f"/batches/{batch.pk}/", "/spend/"):
        page = text(client, address)
        assert "<dt>cost</dt> <dd> no price </dd>" in page.replace("<dd>no price</dd>", "<dd> no price </dd>")
    assert f"run {batch.pk}" in page


def test_a_stage_no_run_has_is_left_out(batch, viewer, client):
    from studio.services.runs.batch_summary import summarise

    assert "tool_specs" in [stage.stage for stage in summarise(batch).taken_stages]
    AttemptRecord.objects.filter(stage="tool_specs").delete()
    RunEvent.objects.filter(stage="tool_specs").delete()
    assert "tool_specs" not in [stage.stage for stage in summarise(batch).taken_stages]
    assert "tools" in [stage.stage for stage in summarise(batch).taken_stages]


def test_an_attempt_that_the_proof_sent_back_was_not_kept(batch):
    from studio.services.runs.batch_summary import summarise

    child = batch.children.filter(state="finished").first()
    # The proof sends a part back: its attempts begin again at 1.
    AttemptRecord.objects.create(run=child, stage="schema", number=1, accepted=False)
    AttemptRecord.objects.create(run=child, stage="schema", number=2, accepted=True)
    (schema,) = [stage for stage in summarise(batch).stages if stage.stage == "schema"]
    assert schema.first_attempts == pytest.approx(13 / 14)
    assert schema.attempts == 16
    assert summarise(batch).corrections == pytest.approx(0.3)


def test_a_model_without_a_price_is_not_told_as_free(batch):
    from studio.models import LlmCall
    from studio.services.runs.batch_summary import summarise

    assert summarise(batch).cost_per_hundred
    LlmCall.objects.update(cost=None)
    assert summarise(batch).cost_per_hundred is None


def test_every_cause_leads_to_its_runs(batch, viewer, client):
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/")
    address = f"/batches/{batch.pk}/?state=failed&amp;error=AttemptsExhausted&amp;stage=tools#children"
    assert address in page
    narrowed = client.get(address.replace("&amp;", "&"))
    (one,) = narrowed.context["children"]
    assert (one.error_type, one.error_stage) == ("AttemptsExhausted", "tools")
    assert "AttemptsExhausted at tools" in " ".join(narrowed.content.decode().split())


@pytest.mark.parametrize(("state", "count"), [("", 16), ("finished", 10), ("paused", 2), ("cancelled", 0)])
def test_runs_are_narrowed_by_state(batch, viewer, client, state, count):
    client.force_login(viewer)
    children = client.get(f"/batches/{batch.pk}/?state={state}").context["children"]
    assert (children.paginator.count, len(children)) == (count, count)


def test_it_asks_again_while_it_runs_with_the_filter_that_stands(batch, viewer, client):
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/?state=failed")
    assert f'hx-get="/batches/{batch.pk}/progress/?state=failed" hx-trigger="every 2s"' in page
    Run.objects.filter(pk=batch.pk).update(state=RunState.FINISHED)
    fragment = text(client, f"/batches/{batch.pk}/progress/?state=failed")
    assert "hx-trigger" not in fragment
    assert "<html" not in fragment


def test_a_spent_budget_says_what_was_reached_and_how_to_go_on(batch, viewer, client, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"month_tokens": 1_000})
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/")
    assert "Paused by a budget" in page
    assert "The month's limit is reached" in page
    assert "of 1,000 tokens" in page
    assert "<code>WORLDWRIGHT_MONTH_TOKENS</code>" in page
    assert "raise the limit of this batch below" in page
    assert "2 still running" in page
    assert "2 paused and resumable, 10 finished" in page


def test_a_single_run_held_by_a_budget_says_so_too(batch, viewer, client, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"run_budget": 0.0})
    run = batch.children.filter(paused_at__isnull=False).first()
    client.force_login(viewer)
    page = text(client, f"/runs/{run.pk}/")
    assert "Paused by a budget" in page
    assert "WORLDWRIGHT_RUN_BUDGET" in page


def test_a_paused_batch_without_a_spent_budget_does_not_speak_of_one(db, viewer, client):
    batch = make_batch()
    Run.objects.filter(pk=batch.pk).update(paused_at=batch.started_at)
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/")
    assert "Paused by a budget" not in page
    assert "Paused" in page


def test_a_lead_resumes_what_a_budget_held_back(batch, lead, client, sent):
    client.force_login(lead)
    page = text(client, f"/batches/{batch.pk}/")
    assert f'action="/runs/{batch.pk}/resume/"' in page
    client.post(f"/runs/{batch.pk}/resume/")
    assert not batch.children.filter(paused_at__isnull=False).exists()
    assert "Paused by a budget" not in text(client, f"/batches/{batch.pk}/")


def test_a_lead_pauses_cancels_and_sets_the_priority(batch, lead, client):
    client.force_login(lead)
    assert client.post(f"/runs/{batch.pk}/priority/", {"priority": "12"}).status_code == 302
    assert client.post(f"/runs/{batch.pk}/priority/", {"priority": "high"}).status_code == 302
    assert "give a whole number" in text(client, f"/batches/{batch.pk}/")
    batch.refresh_from_db()
    assert batch.priority == 12
    client.post(f"/runs/{batch.pk}/pause/")
    batch.refresh_from_db()
    assert batch.paused_at is not None
    client.post(f"/runs/{batch.pk}/cancel/")
    assert "Cancel requested" in text(client, f"/batches/{batch.pk}/")


def test_a_single_run_that_waits_has_a_priority_too(batch, lead, client):
    run = batch.children.filter(state="queued").first()
    client.force_login(lead)
    assert f'action="/runs/{run.pk}/priority/"' in text(client, f"/runs/{run.pk}/")
    client.post(f"/runs/{run.pk}/priority/", {"priority": "-5"})
    run.refresh_from_db()
    assert run.priority == -5
    over = batch.children.filter(state="finished").first()
    assert client.post(f"/runs/{over.pk}/priority/", {"priority": "1"}).status_code == 409
    assert "/priority/" not in text(client, f"/runs/{over.pk}/")


def test_a_lead_tries_all_failed_runs_again_at_once(batch, lead, client, sent):
    client.force_login(lead)
    assert "Retry 2 failed" in text(client, f"/batches/{batch.pk}/")
    client.post(f"/runs/{batch.pk}/retry-failed/")
    page = text(client, f"/batches/{batch.pk}/")
    assert "2 runs are retried." in page
    assert "run-retry-failed" not in page
    assert "No failures." in page
    retries = Run.objects.filter(retry_of__isnull=False)
    assert sorted(retries.values_list("request", flat=True), key=str) == sorted(
        (run.retry_of.request for run in retries), key=str
    )


def test_a_viewer_is_offered_nothing_to_press(batch, viewer, client):
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/")
    for verb in ("pause", "resume", "cancel", "retry-failed", "priority", "budget"):
        assert f"/{verb}/" not in page


def test_a_budget_is_changed_on_the_page(batch, lead, client, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "gpt-5"})
    client.force_login(lead)
    client.post(f"/batches/{batch.pk}/budget/", {"cost": "80", "tokens": ""})
    batch.refresh_from_db()
    assert batch.request["budget"] == {"cost": 80.0}
    client.post(f"/batches/{batch.pk}/budget/", {"cost": "0", "tokens": ""})
    assert "The budget was not changed." in text(client, f"/batches/{batch.pk}/")
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"model": "nobody-knows"})
    client.post(f"/batches/{batch.pk}/budget/", {"cost": "90", "tokens": ""})
    batch.refresh_from_db()
    assert batch.request["budget"] == {"cost": 80.0}


def test_hostile_names_errors_and_replies_stay_text(batch, lead, client):
    child = batch.children.filter(state="failed").first()
    Run.objects.filter(pk=child.pk).update(title=HOSTILE, error=HOSTILE, error_type=HOSTILE[:40])
    Run.objects.filter(pk=batch.pk).update(title=HOSTILE)
    batch.candidates.update(name=HOSTILE, reason=HOSTILE, nearest=HOSTILE, category=HOSTILE, seed=HOSTILE)
    RunEvent.objects.create(run=batch, kind="budget_spent", text=HOSTILE)
    client.force_login(lead)
    for address in (f"/batches/{batch.pk}/", f"/batches/{batch.pk}/candidates/", "/spend/"):
        page = text(client, address)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_a_rejected_scenario_names_reason_neighbour_similarity_and_method(batch, viewer, client):
    client.force_login(viewer)
    page = text(client, f"/batches/{batch.pk}/candidates/?decision=duplicate")
    assert "It is nearly Application 0." in page
    assert "at 0.913 (TF-IDF over character n-grams)" in page
    assert "Category full" in page
    page = text(client, f"/batches/{batch.pk}/candidates/?decision=unsuitable")
    assert "suitability 3 of 10 (low)" in page
    assert "live video" in page
    assert "The expansion stalled." in page


def test_links_lead_both_ways_between_a_rejected_scenario_its_neighbour_and_the_run(batch, viewer, client):
    client.force_login(viewer)
    base = f"/batches/{batch.pk}/candidates/"
    duplicate = batch.candidates.filter(decision="duplicate").first()
    near = f"?near={duplicate.neighbour.position}"
    assert near in text(client, f"{base}?decision=duplicate")
    page = text(client, base + near)
    assert duplicate.name in page
    assert f'href="/runs/{duplicate.neighbour.run_id}/"' in page
    assert "had it as nearest neighbour" in page
    assert f'href="{base}?decision=duplicate"' in text(client, f"/batches/{batch.pk}/")


def test_candidates_leave_as_csv_as_they_are_narrowed(batch, viewer, client):
    batch.candidates.filter(decision="duplicate").update(name="=cmd()")
    client.force_login(viewer)
    answer = client.get(f"/batches/{batch.pk}/candidates/?decision=rejected&format=csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == 6
    assert rows[0]["name"] == "'=cmd()"
    assert (rows[0]["decision"], rows[0]["nearest"], rows[0]["similarity"]) == (
        "Duplicate", "Application 0", "0.913",
    )  # fmt: skip


def test_a_batch_without_expansion_says_that_nothing_was_rejected(db, viewer, client):
    batch = make_batch(expand=False)
    client.force_login(viewer)
    assert "none was rejected" in text(client, f"/batches/{batch.pk}/candidates/")
    assert "used as given" in text(client, f"/batches/{batch.pk}/")


def test_spend_is_shown_by_month_stage_model_and_run(batch, viewer, client, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"month_budget": 1.0})
    LlmCall.objects.create(run=None, provider="x", model="other", outcome="refused", stage="")
    client.force_login(viewer)
    page = text(client, "/spend/")
    assert f'href="/runs/{batch.pk}/"' in page
    assert "gpt-5" in page
    assert "(runs that were deleted)" in page
    assert "of $1.00: reached" in page
    assert "1 failed" in page
    assert "This month is over" in text(client, "/spend/?month=2001-01")
    assert "is not a month" in text(client, "/spend/?month=never", 404)


def test_an_attempt_shows_its_rows_of_the_ledger_and_its_neighbours(batch, viewer, client):
    run = batch.children.filter(state="failed").first()
    first, second = run.attempts.all()[:2]
    LlmCall.objects.create(
        run=run, stage=first.stage, attempt=first.number, provider="x", model="gpt-5", outcome="overloaded",
        error="429 for a while", at=first.at,
    )  # fmt: skip
    client.force_login(viewer)
    page = text(client, f"/runs/{run.pk}/attempts/{first.pk}/")
    assert "Overloaded" in page
    assert "429 for a while" in page
    assert 'data-key="j"' in page
    assert 'data-key="k"' not in page
    assert f"/attempts/{second.pk}/" in page
    assert 'data-key="k"' in text(client, f"/runs/{run.pk}/attempts/{second.pk}/")


def test_rows_of_the_ledger_stand_with_the_round_in_which_they_were_paid(batch):
    from datetime import timedelta

    from studio.services.runs.runs import calls_of

    first = batch.children.filter(state="finished").first().attempts.first()
    # The proof sends the part back: its attempts begin again at 1.
    again = AttemptRecord.objects.create(
        run_id=first.run_id, stage=first.stage, number=1, accepted=True, at=first.at + timedelta(minutes=5)
    )
    later = LlmCall.objects.create(
        run_id=first.run_id, stage=first.stage, attempt=1, provider="x", model="gpt-5", outcome="answered",
        at=first.at + timedelta(minutes=4),
    )  # fmt: skip
    assert calls_of(again) == [later]
    (own,) = calls_of(first)
    assert own.at == first.at


def test_a_long_prompt_is_cut_and_one_link_away(batch, viewer, client):
    attempt = batch.children.filter(state="finished").first().attempts.first()
    AttemptRecord.objects.filter(pk=attempt.pk).update(
        prompt="begin " + "x" * 1_000_000 + " end", reply="short"
    )
    client.force_login(viewer)
    address = f"/runs/{attempt.run_id}/attempts/{attempt.pk}/"
    page = text(client, address)
    assert len(page) < 100_000
    assert "?whole=prompt#prompt" in page
    assert "begin " in page
    assert " end" in page
    assert len(text(client, f"{address}?whole=prompt")) > 1_000_000


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.slow
def test_a_page_of_a_thousand_runs_needs_few_queries(db, viewer, client, held, subtests):
    batch = make_batch(children=1_000, held=held)
    client.force_login(viewer)
    for address in ("", "progress/", "?state=failed", "candidates/"):
        with subtests.test(address):
            client.get(f"/batches/{batch.pk}/{address}")
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(f"/batches/{batch.pk}/{address}")
            assert answer.status_code == 200
            assert len(queries) <= 15, [query["sql"][:120] for query in queries]
            assert len(answer.content) < 200_000


def test_the_page_of_spend_needs_few_queries(batch, viewer, client):
    client.force_login(viewer)
    client.get("/spend/")
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/spend/").status_code == 200
    assert len(queries) <= 15
