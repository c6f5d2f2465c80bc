"""Put what exists into a project that is open to everybody, so that nothing looks different."""

from django.db import migrations

OWNERS = ("EnvironmentRecord", "Run", "BundleCollection", "LlmCall")


def fill(apps, schema_editor):
    projects = apps.get_model("studio", "Project").objects
    project, _ = projects.get_or_create(slug="default", defaults={"name": "Default", "is_open": True})
    for name in OWNERS:
        apps.get_model("studio", name).objects.filter(project=None).update(project=project)


def require_open(apps, schema_editor):
    """Without projects everybody reads everything, which must not happen by a migration unnoticed."""
    closed = apps.get_model("studio", "Project").objects.filter(is_open=False)
    owners = [apps.get_model("studio", name).objects.filter(project__in=closed) for name in OWNERS]
    if any(each.exists() for each in owners):
        names = ", ".join(closed.order_by("slug").values_list("slug", flat=True))
        raise RuntimeError(
            f"The version before knows no projects and would show everybody what is in {names}. "
            "Delete these projects, or open them to everybody, then migrate back."
        )


class Migration(migrations.Migration):
    dependencies = [("studio", "0014_projects")]

    operations = [migrations.RunPython(fill, require_open)]
