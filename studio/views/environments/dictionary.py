"""The dictionary of an environment: what people call its tables, columns, states, tools and tasks."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from studio.forms.dictionaries import TableWordsForm, TitlesForm, VersionForm
from studio.models import Act, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments import dictionaries
from studio.services.errors import Conflict, Missing
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.dictionary import Dictionary, TableEntry

TITLED = {"tools": "Tools", "tasks": "Tasks"}
"""Sections of titles alone; the others are tables."""
MOST_VERSIONS = 20


@requires(Act.EDIT)
def environment_dictionary(request: SignedInRequest, name: str) -> HttpResponse:
    """One section of the dictionary; sending it makes a new version."""
    record = find(name)
    plain = PlainLanguage(record)
    sections = {f"table.{each}": plain.table(each) for each in plain.dictionary.tables} | TITLED
    section = request.GET.get("section", "") or next(iter(sections))
    if section not in sections:
        raise Missing(f"The dictionary has no section {section[:80]!r}.", remedy="Choose one from its list.")
    form = _form(request, record, plain, section)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                _save(request, record, form, section)
            except Conflict as refused:
                form.add_error(None, f"{refused.message} {refused.remedy}")
                status = refused.status
            else:
                messages.success(request, f"The words are saved: {sections[section]}.")
                return redirect(
                    f"{reverse('environment_dictionary', args=[name])}?{urlencode({'section': section})}"
                )
    context = {
        "form": form,
        "section": "environments",
        "chosen": section,
        "chosen_title": sections[section],
        "sections": sections.items(),
        "of_table": isinstance(form, TableWordsForm),
        "versions": record.dictionary_versions.select_related("editor")[:MOST_VERSIONS],
    }
    response = page(request, record, "environment_data", "environments/dictionary.html", context)
    response.status_code = status
    return response


def _form(
    request: SignedInRequest, record: EnvironmentRecord, plain: PlainLanguage, section: str
) -> TitlesForm | TableWordsForm:
    sent = request.POST if request.method == "POST" else None
    initial = {"version": dictionaries.version_of(record)}
    derived, shown = plain.design.derived, plain.dictionary
    if section in TITLED:
        titles = getattr(derived, section), getattr(shown, section)
        return TitlesForm(sent, derived=titles[0], shown=titles[1], initial=initial)
    table = section.removeprefix("table.")
    own = derived.tables.get(table, TableEntry())
    return TableWordsForm(sent, derived=own, shown=shown.tables[table], initial=initial)


def _save(request: SignedInRequest, record: EnvironmentRecord, form: VersionForm, section: str) -> None:
    """Put one section into what people wrote so far."""
    written = dictionaries.edited(record)
    if isinstance(form, TableWordsForm):
        tables = {**written.tables, section.removeprefix("table."): form.entry()}
        tables = {name: entry for name, entry in tables.items() if entry != TableEntry()}
        changed = written.replace(tables=tables)
    else:
        assert isinstance(form, TitlesForm)
        changed = written.replace(**{section: form.titles()})
    dictionaries.save(
        record=record,
        editor=request.user,
        dictionary=Dictionary.model_validate(changed.model_dump()),
        seen=form.cleaned_data["version"],
    )
