"""Every address of the studio."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from studio.api.interface import api
from studio.views import components, standalone
from studio.views.accounts import account, accounts, audit, notifications, people, sessions
from studio.views.browse import catalogue, dashboard, data, home, jump, scratch
from studio.views.environments import (
    archive,
    check_trials,
    dictionary,
    diversity,
    edits,
    environments,
    revisions,
    task_edits,
    tool_graph,
)
from studio.views.exports import bundles, collections, trajectory_exports
from studio.views.judging import judging, quality
from studio.views.llm import spend
from studio.views.review import change_lists, flags, questions, reviews, threads, walk
from studio.views.rollouts import conversations, drift, rollouts, statistics, trajectories
from studio.views.runs import operations, probes, runs
from studio.views.synthesis import batches, new_environment, schema_import

environment_urls: list[URLPattern | URLResolver] = [
    path("", environments.environment, name="environment"),
    path("schema/", environments.schema, name="environment_schema"),
    path("data/", data.environment_data, name="environment_data"),
    path("data/sql/", data.environment_sql, name="environment_sql"),
    path("data/row/<path:table>/", data.environment_row, name="environment_row"),
    path("data/table/<path:table>/", data.environment_table, name="environment_table"),
    path("dictionary/", dictionary.environment_dictionary, name="environment_dictionary"),
    path("tool-graph/", tool_graph.environment_tool_graph, name="environment_tool_graph"),
    path("tools/", environments.tools, name="environment_tools"),
    path("tools/<path:tool>/", environments.tool, name="environment_tool"),
    path("scratch/", scratch.environment_scratch, name="environment_scratch"),
    path("scratch/call/", scratch.scratch_call, name="scratch_call"),
    path("scratch/sync/", scratch.scratch_sync, name="scratch_sync"),
    path("scratch/undo/", scratch.scratch_undo, name="scratch_undo"),
    path("scratch/verify/", scratch.scratch_verify, name="scratch_verify"),
    path("tasks/", environments.tasks, name="environment_tasks"),
    path("tasks/<path:task>/", environments.task, name="environment_task"),
    path("checks/", environments.checks, name="environment_checks"),
    path("checks/<slug:claim>/", check_trials.environment_check, name="environment_check"),
    path("quality/", quality.environment_quality, name="environment_quality"),
    path("trajectories/", trajectories.environment_trajectories, name="environment_trajectories"),
    path("review/", reviews.environment_review, name="environment_review"),
    path("review/walk/", walk.walk_begin, name="walk_begin"),
    path("review/walk/<path:task>/", walk.walk, name="walk"),
    path("review/questions/", questions.questions, name="questions"),
    path("review/submit/", reviews.review_submit, name="review_submit"),
    path("review/settle/", reviews.review_adjudicate, name="review_adjudicate"),
    path("review/<int:review_id>/withdraw/", reviews.review_withdraw, name="review_withdraw"),
    path("review/send-back/", change_lists.send_back, name="send_back"),
    path("review/changes/finish/", change_lists.changes_finish, name="changes_finish"),
    path("review/changes/withdraw/", change_lists.changes_withdraw, name="changes_withdraw"),
    path("review/claim/", reviews.claim, name="claim"),
    path("review/release/", reviews.release, name="release"),
    path("flags/new/", flags.flag_new, name="flag_new"),
    path("flags/<int:flag_id>/settle/", flags.flag_settle, name="flag_settle"),
    path("comments/", threads.comment_new, name="comment_new"),
    path("comments/<int:comment_id>/resolve/", threads.comment_resolve, name="comment_resolve"),
    path("history/", environments.history, name="environment_history"),
    path("history/<int:number>/", revisions.environment_revision, name="environment_revision"),
    path("history/<int:number>/trial/", revisions.revision_trial, name="revision_trial"),
    path("history/<int:number>/reviews/", standalone.revision_reviews_file, name="revision_reviews_file"),
    path("edit/scenario/", edits.edit_scenario, name="edit_scenario"),
    path("edit/policy/", edits.edit_policy, name="edit_policy"),
    path("edit/schema/", edits.edit_schema, name="edit_schema"),
    path("edit/tools/", edits.edit_tools, name="edit_tools"),
    path("edit/invariants/", edits.edit_invariants, name="edit_invariants"),
    path("edit/task/<path:task>/", task_edits.edit_task, name="edit_task"),
    path("edit/verifier/<path:task>/", edits.edit_verifier, name="edit_verifier"),
    path("edit/row/<path:table>/", edits.edit_row, name="edit_row"),
    path("edit/sheet/<path:table>/", edits.edit_sheet, name="edit_sheet"),
    path("edit/new-row/<path:table>/", edits.edit_row_new, name="edit_row_new"),
    path("export/", bundles.environment_export, name="environment_export"),
    path("archive/", archive.environment_archive, name="environment_archive"),
    path("restore/", archive.environment_restore, name="environment_restore"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("health/", probes.health, name="health"),
    path("ready/", probes.ready, name="ready"),
    path("sign-in/", accounts.SignInView.as_view(), name="login"),
    path("sign-out/", accounts.SignOutView.as_view(), name="logout"),
    path("session/", sessions.session, name="session"),
    path("account/", account.account, name="account"),
    path("account/expertise/", account.account_expertise, name="account_expertise"),
    path("account/password/", account.account_password, name="account_password"),
    path("account/mails/", account.account_mails, name="account_mails"),
    path("account/tokens/", account.account_token_new, name="account_token_new"),
    path("account/tokens/<int:token_id>/revoke/", account.account_token_revoke, name="account_token_revoke"),
    path("join/<str:code>/", accounts.join, name="join"),
    path("new-password/<str:uidb64>/<str:token>/", accounts.NewPasswordView.as_view(), name="password_reset"),
    path("audit/", audit.audit, name="audit"),
    path("notifications/", notifications.notifications, name="notifications"),
    path("notifications/read/", notifications.notifications_read, name="notifications_read"),
    path("notifications/<int:notification_id>/", notifications.notification, name="notification"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invitation_new, name="invitation_new"),
    path(
        "people/invitations/<int:invitation_id>/revoke/", people.invitation_revoke, name="invitation_revoke"
    ),
    path("people/<int:user_id>/role/", people.person_role, name="person_role"),
    path("people/<int:user_id>/active/", people.person_active, name="person_active"),
    path("people/<int:user_id>/reset/", people.person_reset, name="person_reset"),
    path("theme/", accounts.theme, name="theme"),
    path("expert-view/", accounts.expert_view, name="expert_view"),
    path("keys/", home.keys, name="keys"),
    path("glossary/", home.glossary, name="glossary"),
    path("jump/", jump.jump, name="jump"),
    path("components/", components.components, name="components"),
    path("dashboard/", dashboard.dashboard, name="dashboard"),
    path("operations/", operations.operations, name="operations"),
    path("environments/", catalogue.environments, name="environments"),
    path("environments/new/", new_environment.environment_new, name="environment_new"),
    path("environments/from-schema/", schema_import.environment_from_schema, name="environment_from_schema"),
    path("catalogue/act/", catalogue.environments_bulk, name="environments_bulk"),
    path("catalogue/views/", catalogue.saved_filter_new, name="saved_filter_new"),
    path(
        "catalogue/views/<int:filter_id>/forget/", catalogue.saved_filter_forget, name="saved_filter_forget"
    ),
    path("environments/<slug:name>/", include(environment_urls)),
    path("review/", reviews.review_queue, name="queue"),
    path("review/conflicts/", reviews.conflicts, name="conflicts"),
    path("review/next/", reviews.claim_next, name="claim_next"),
    path("runs/", runs.runs, name="runs"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("runs/<int:run_id>/progress/", runs.run_progress, name="run_progress"),
    path("runs/<int:run_id>/attempts/<int:attempt_id>/", runs.run_attempt, name="run_attempt"),
    path("runs/<int:run_id>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<int:run_id>/retry/", runs.run_retry, name="run_retry"),
    path("runs/<int:run_id>/pause/", runs.run_pause, name="run_pause"),
    path("runs/<int:run_id>/resume/", runs.run_resume, name="run_resume"),
    path("runs/<int:run_id>/priority/", runs.run_priority, name="run_priority"),
    path("runs/<int:run_id>/retry-failed/", runs.run_retry_failed, name="run_retry_failed"),
    path("batches/new/", batches.batch_new, name="batch_new"),
    path("batches/<int:batch_id>/", batches.batch, name="batch"),
    path("batches/<int:batch_id>/progress/", batches.batch_progress, name="batch_progress"),
    path("batches/<int:batch_id>/candidates/", batches.batch_candidates, name="batch_candidates"),
    path("batches/<int:batch_id>/budget/", batches.batch_budget, name="batch_budget"),
    path("spend/", spend.spend, name="spend"),
    path("trajectories/", trajectories.trajectories, name="trajectories"),
    path("trajectories/export/", trajectory_exports.trajectory_export_new, name="trajectory_export_new"),
    path(
        "trajectories/exports/<int:run_id>/", trajectory_exports.trajectory_export, name="trajectory_export"
    ),
    path(
        "trajectories/exports/<int:run_id>/download/",
        trajectory_exports.trajectory_export_download,
        name="trajectory_export_download",
    ),
    path("trajectories/<int:trajectory_id>/", trajectories.trajectory, name="trajectory"),
    path("trajectories/<int:trajectory_id>/file/", standalone.trajectory_file, name="trajectory_file"),
    path(
        "trajectories/<int:trajectory_id>/conversation/",
        conversations.trajectory_conversation,
        name="trajectory_conversation",
    ),
    path(
        "trajectories/<int:trajectory_id>/step/<int:index>/",
        trajectories.trajectory_step,
        name="trajectory_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/step/<int:index>/whole/",
        trajectories.trajectory_step_whole,
        name="trajectory_step_whole",
    ),
    path(
        "trajectories/<int:trajectory_id>/beside/<int:other_id>/",
        trajectories.trajectory_compare,
        name="trajectory_compare",
    ),
    path("trajectories/<int:trajectory_id>/drift/", drift.trajectory_drift, name="trajectory_drift"),
    path(
        "trajectories/<int:trajectory_id>/step/<int:index>/scratch/",
        drift.trajectory_scratch,
        name="trajectory_scratch",
    ),
    path("rollouts/new/", rollouts.rollouts_new, name="rollouts_new"),
    path("rollouts/<int:run_id>/", rollouts.rollouts, name="rollouts"),
    path("rollouts/<int:run_id>/progress/", rollouts.rollouts_progress, name="rollouts_progress"),
    path("rollouts/<int:run_id>/go-on/", rollouts.rollouts_go_on, name="rollouts_go_on"),
    path("statistics/", statistics.statistics, name="statistics"),
    path("statistics/compare/", statistics.statistics_compare, name="statistics_compare"),
    path("diversity/", diversity.diversity, name="diversity"),
    path("quality/", quality.quality, name="quality"),
    path("quality/new/", quality.quality_new, name="quality_new"),
    path("judging/", judging.judging, name="judging"),
    path("judging/new/", judging.judging_new, name="judging_new"),
    path("judging/<int:judging_id>/", judging.judging_run, name="judging_run"),
    path("judging/<int:judging_id>/label/<int:trajectory_id>/", judging.judging_label, name="judging_label"),
    path("bundles/", bundles.bundles, name="bundles"),
    path("bundles/collections/", collections.collections, name="collections"),
    path("bundles/collections/new/", collections.collection_new, name="collection_new"),
    path("bundles/collections/<int:collection_id>/", collections.collection, name="collection"),
    path(
        "bundles/collections/<int:collection_id>/download/",
        collections.collection_download,
        name="collection_download",
    ),
    path("bundles/<int:bundle_id>/", bundles.bundle, name="bundle"),
    path("bundles/<int:bundle_id>/download/", bundles.bundle_download, name="bundle_download"),
    path("api/", api.urls),
    path("admin/", admin.site.urls),
]

handler400 = "studio.views.errors.bad_request"
handler403 = "studio.views.errors.permission_denied"
handler404 = "studio.views.errors.page_not_found"
handler500 = "studio.views.errors.server_error"
