"""Which lines of the audit trail are looked at."""

from __future__ import annotations

from django import forms

from studio.services.audit.trail import AuditFilter, Event


class AuditForm(forms.Form):
    """Every part may be left empty."""

    event = forms.ChoiceField(label="Event", required=False, choices=[("", "Any"), *Event.choices])
    person = forms.CharField(label="Person", required=False, max_length=150)
    since = forms.DateTimeField(
        label="Since",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "date"}),
    )

    def wanted(self) -> AuditFilter:
        """What was asked for; what cannot be read narrows nothing and is shown beside its field."""
        self.is_valid()
        asked = self.cleaned_data
        return AuditFilter(
            event=asked.get("event") or "", person=asked.get("person") or "", since=asked.get("since")
        )
