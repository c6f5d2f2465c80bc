"""What is asked for when an environment is to be made from an own schema."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from studio.locations import COMMAND
from studio.services.synthesis.schema_import import LONGEST_SOURCE, MOST_BYTES, Upload, is_address

DIALECTS = (
    ("", "Detect"),
    ("postgres", "PostgreSQL"),
    ("mysql", "MySQL or MariaDB"),
    ("sqlite", "SQLite"),
)
MOST_ROWS = 200
"""Sample rows per table that a page brings along."""
LONGEST_LIST = 4_000


class SchemaImportForm(forms.Form):
    """A DDL script or an OpenAPI file, and what is wanted of it."""

    schema_file = forms.FileField(
        required=False,
        allow_empty_file=True,
        max_length=400,
        label="A file",
        help_text="Up to 2 MB: .sql of PostgreSQL, MySQL or SQLite, or an OpenAPI 3 file (.yaml, .json). "
        "A file takes precedence over the text below.",
        widget=forms.ClearableFileInput(attrs={"accept": ".sql,.ddl,.txt,.yaml,.yml,.json"}),
    )
    schema = forms.CharField(
        required=False,
        strip=False,
        label="Or paste its text",
        widget=forms.Textarea(
            attrs={
                "rows": 14,
                "data-code": "sql",
                "spellcheck": "false",
                "autocapitalize": "off",
                "placeholder": "CREATE TABLE customers (\n  id serial PRIMARY KEY,\n  name text NOT NULL\n);",
            }
        ),
    )
    source = forms.CharField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        required=False,
        max_length=80,
        label="Name",
        help_text="For example “Tool hire”. Defaults to the file's name.",
    )
    dialect = forms.ChoiceField(required=False, label="SQL dialect", choices=DIALECTS)
    tables = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Only these tables",
        help_text="Separated by commas. Tables they refer to are included.",
    )
    sample_rows = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_ROWS,
        label="Sample rows per table",
        help_text="From INSERT and COPY, anonymised. None if empty.",
    )
    tasks = forms.IntegerField(required=False, min_value=1, max_value=50, label="Tasks")
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        label="Seed",
        help_text="The same schema and seed give the same environment.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = settings.WORLDWRIGHT.tasks
        self.fields["tasks"].help_text = f"As many as the world offers, up to {usual}, if empty."
        self.fields["seed"].initial = 0

    def clean(self) -> dict[str, Any]:
        """One of file and text, and not a larger file than a page takes."""
        values = super().clean() or {}
        file = values.get("schema_file")
        if file is not None and file.size > MOST_BYTES:
            self.add_error(
                "schema_file",
                f"{file.name} has {file.size / 2**20:,.1f} MB; a page accepts 2 MB. Upload the schema "
                "without "
                f"its rows, or start it with `{COMMAND} synthesize --from-schema`.",
            )
        elif file is None and not (values.get("schema") or "").strip() and "schema" not in self.errors:
            self.add_error("schema", "Choose a file or paste its text.")
        return values

    def upload(self, text: str) -> Upload:
        """What the service reads; `text` is the file's or that of the field."""
        values = self.cleaned_data
        file = values.get("schema_file")
        named = [name.strip() for name in values["tables"].split(",")]
        return Upload(
            text=text,
            source=file.name if file is not None else values["source"][-LONGEST_SOURCE:],
            name=values["name"],
            dialect=values["dialect"],
            tables=tuple(name for name in named if name),
            rows=values["sample_rows"] or 0,
            seed=values["seed"] or 0,
        )

    def again(self, upload: Upload) -> SchemaImportForm:
        """The form as it is shown again: a browser forgets a file, so its text is put into the field.

        An address is not shown again, since it may hold a password.
        """
        text = "" if is_address(upload.text) else upload.text
        return SchemaImportForm({**self.data.dict(), "schema": text, "source": upload.source})  # type: ignore[attr-defined]
