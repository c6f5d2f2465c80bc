"""Let the database refuse to change or delete entries of the audit trail."""

from django.db import migrations

from studio.models.append_only import protect, unprotect

TABLE = "auditlog_logentry"


def add_triggers(_, schema_editor):
    protect(schema_editor.connection, TABLE)


def remove_triggers(_, schema_editor):
    unprotect(schema_editor.connection, TABLE)


class Migration(migrations.Migration):
    dependencies = [("studio", "0004_invitations"), ("auditlog", "0017_add_actor_email")]

    operations = [migrations.RunPython(add_triggers, remove_triggers)]
