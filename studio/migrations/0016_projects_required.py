"""Nothing is outside of every project."""

import django.db.models.deletion
from django.db import migrations, models

OWNERS = {"bundlecollection": "collections", "environmentrecord": "environments", "run": "runs"}


class Migration(migrations.Migration):
    dependencies = [("studio", "0015_default_project")]

    operations = [
        migrations.AlterField(
            model_name=owner,
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name=related, to="studio.project"
            ),
        )
        for owner, related in OWNERS.items()
    ]
