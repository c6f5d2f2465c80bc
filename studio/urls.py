"""Every address of the studio."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from studio.api.interface import api
from studio.views import (
    accounts,
    bundles,
    catalogue,
    components,
    dashboard,
    data,
    environments,
    home,
    judging,
    jump,
    operations,
    reviews,
    runs,
    scratch,
    trajectories,
)

environment_urls: list[URLPattern | URLResolver] = [
    path("", environments.environment, name="environment"),
    path("schema/", environments.schema, name="environment_schema"),
    path("data/", data.environment_data, name="environment_data"),
    path("data/sql/", data.environment_sql, name="environment_sql"),
    path("data/row/<path:table>/", data.environment_row, name="environment_row"),
    path("data/table/<path:table>/", data.environment_table, name="environment_table"),
    path("tools/", environments.tools, name="environment_tools"),
    path("tools/<path:tool>/", environments.tool, name="environment_tool"),
    path("scratch/", scratch.environment_scratch, name="environment_scratch"),
    path("scratch/call/", scratch.scratch_call, name="scratch_call"),
    path("scratch/undo/", scratch.scratch_undo, name="scratch_undo"),
    path("scratch/verify/", scratch.scratch_verify, name="scratch_verify"),
    path("tasks/", environments.tasks, name="environment_tasks"),
    path("tasks/<path:task>/", environments.task, name="environment_task"),
    path("checks/", environments.checks, name="environment_checks"),
    path("trajectories/", trajectories.environment_trajectories, name="environment_trajectories"),
    path("review/", reviews.environment_review, name="environment_review"),
    path("review/submit/", reviews.review_submit, name="review_submit"),
    path("review/settle/", reviews.review_adjudicate, name="review_adjudicate"),
    path("review/<int:review_id>/withdraw/", reviews.review_withdraw, name="review_withdraw"),
    path("review/claim/", reviews.claim, name="claim"),
    path("review/release/", reviews.release, name="release"),
    path("flags/new/", reviews.flag_new, name="flag_new"),
    path("flags/<int:flag_id>/settle/", reviews.flag_settle, name="flag_settle"),
    path("comments/", reviews.comment_new, name="comment_new"),
    path("comments/<int:comment_id>/resolve/", reviews.comment_resolve, name="comment_resolve"),
    path("history/", environments.history, name="environment_history"),
    path("export/", bundles.environment_export, name="environment_export"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("sign-in/", accounts.SignIn.as_view(), name="login"),
    path("sign-out/", accounts.SignOut.as_view(), name="logout"),
    path("theme/", accounts.theme, name="theme"),
    path("keys/", home.keys, name="keys"),
    path("jump/", jump.jump, name="jump"),
    path("components/", components.components, name="components"),
    path("dashboard/", dashboard.dashboard, name="dashboard"),
    path("operations/", operations.operations, name="operations"),
    path("environments/", catalogue.environments, name="environments"),
    path("environments/new/", catalogue.environment_new, name="environment_new"),
    path("environments/<slug:name>/", include(environment_urls)),
    path("review/", reviews.review_queue, name="queue"),
    path("review/next/", reviews.claim_next, name="claim_next"),
    path("runs/", runs.runs, name="runs"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("runs/<int:run_id>/progress/", runs.run_progress, name="run_progress"),
    path("runs/<int:run_id>/attempts/<int:attempt_id>/", runs.run_attempt, name="run_attempt"),
    path("runs/<int:run_id>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<int:run_id>/retry/", runs.run_retry, name="run_retry"),
    path("runs/<int:run_id>/pause/", runs.run_pause, name="run_pause"),
    path("runs/<int:run_id>/resume/", runs.run_resume, name="run_resume"),
    path("trajectories/", trajectories.trajectories, name="trajectories"),
    path("trajectories/<int:trajectory_id>/", trajectories.trajectory, name="trajectory"),
    path(
        "trajectories/<int:trajectory_id>/step/<int:index>/",
        trajectories.trajectory_step,
        name="trajectory_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/beside/<int:other_id>/",
        trajectories.trajectory_compare,
        name="trajectory_compare",
    ),
    path("judging/", judging.judging, name="judging"),
    path("judging/new/", judging.judging_new, name="judging_new"),
    path("judging/<int:judging_id>/", judging.judging_run, name="judging_run"),
    path("judging/<int:judging_id>/label/<int:trajectory_id>/", judging.judging_label, name="judging_label"),
    path("bundles/", bundles.bundles, name="bundles"),
    path("bundles/<int:bundle_id>/", bundles.bundle, name="bundle"),
    path("bundles/<int:bundle_id>/download/", bundles.bundle_download, name="bundle_download"),
    path("api/", api.urls),
    path("admin/", admin.site.urls),
]

handler400 = "studio.views.errors.bad_request"
handler403 = "studio.views.errors.permission_denied"
handler404 = "studio.views.errors.page_not_found"
handler500 = "studio.views.errors.server_error"
