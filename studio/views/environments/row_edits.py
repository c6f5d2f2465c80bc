"""Editing rows: one by a form, or many like a sheet; amounts, states and names as people say them."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from studio.forms.cells import CellWords
from studio.forms.edits import RowForm
from studio.forms.sheets import MOST_OTHERS, SheetForm, SheetTable, with_rows_added
from studio.models import Act, EnvironmentRecord
from studio.presentation.cell_words import cell_words
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments import change_lists, edits, sheets
from studio.services.environments.environments import load_part
from studio.services.environments.revision_differences import revision_of
from studio.services.errors import Missing
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires
from studio.views.environments.edits import EditSubject, edit_page, number_of, opened
from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row


@requires(Act.EDIT)
def edit_row(request: SignedInRequest, name: str, table: str) -> HttpResponse:
    """One row a world starts with, named by its key; it can be taken away as well."""
    record, environment = opened(request, name)
    result = _table(record, environment, table)
    key = {name: str(value) for name, value in request.GET.items()}
    place = edits.row_place(environment, table, key)
    row = environment.seed_data.rows[table][place]
    taken_away = "delete" in request.POST
    plain = _plain(record, environment)
    words = _words(request, plain, result)
    form = RowForm(
        request.POST or None,
        table=result,
        row=row,
        taken_away=taken_away,
        words=words,
        initial={"revision": number_of(record)},
    )
    return edit_page(
        request,
        record,
        EditSubject(
            title=f"{plain.one_of(table)} {plain.row(table, row)}",
            tab="environment_data",
            back=f"{reverse('environment_row', args=[record.name, table])}?{request.GET.urlencode()}",
            form=form,
            change=lambda form: edits.edit_row(table, place, None if taken_away else form.new_row),
            template="edits/row.html",
            more={**_more(result, words), "deletes": True},
        ),
    )


@requires(Act.EDIT)
def edit_row_new(request: SignedInRequest, name: str, table: str) -> HttpResponse:
    """One more row a world starts with."""
    record, environment = opened(request, name)
    result = _table(record, environment, table)
    plain = _plain(record, environment)
    words = _words(request, plain, result)
    form = RowForm(
        request.POST or None,
        table=result,
        row=_begun(environment, result),
        words=words,
        initial={"revision": number_of(record)},
    )
    return edit_page(
        request,
        record,
        EditSubject(
            title=f"a new row of {plain.table(table).lower()}",
            tab="environment_data",
            back=reverse("environment_table", args=[record.name, table]),
            form=form,
            change=lambda form: edits.add_row(table, form.new_row),
            template="edits/row.html",
            more=_more(result, words),
        ),
    )


@requires(Act.EDIT)
def edit_sheet(request: SignedInRequest, name: str, table: str) -> HttpResponse:
    """Some rows of a table as a sheet: many cells, one reason, one revision, one proof."""
    record, environment = opened(request, name)
    result = _table(record, environment, table)
    base = request.POST.get("base", "")
    number = int(base) if base.isascii() and base.isdecimal() and len(base) < 9 else number_of(record)
    if number == number_of(record) or change_lists.worked_by(record, request.user):
        rows = environment.seed_data.rows.get(table, ())
    else:
        rows = load_part(revision_of(record, number), "seed_data").rows.get(table, ())  # type: ignore[union-attr]
    first = request.GET.get("from", "")
    start = int(first) if first.isascii() and first.isdecimal() and len(first) < 9 else 0
    initial = {"revision": number_of(record), "base": number}
    plain = _plain(record, environment)
    sheet, *others = _sheets(request, plain, environment, result)
    form = SheetForm(
        request.POST or None,
        sheet=sheet,
        rows=rows,
        start=min(start, len(rows)),
        others=others,
        initial=initial,
    )
    words = [each for one in (sheet, *others) for each in one.words or ()]
    more = _more(result, None if sheet.words is None else words)
    return edit_page(
        request,
        record,
        EditSubject(
            title=plain.table(table).lower(),
            tab="environment_data",
            back=reverse("environment_table", args=[record.name, table]),
            form=form,
            change=lambda form: sheets.edit_sheet(table, rows, form.asked),
            template="edits/sheet.html",
            more={**more, "count": len(rows), "example": others[0].label(0) if others else ""},
        ),
    )


def _sheets(
    request: SignedInRequest, plain: PlainLanguage, environment: Environment, table: Table
) -> list[SheetTable]:
    """A table and those that it refers to, itself or through others, the nearest first."""
    tables = [table]
    for each in tables:
        referred = [environment.schema.table(key.table) for key in each.foreign_keys]
        tables += [one for one in dict.fromkeys(referred) if one is not None and one not in tables]
    sheets = [_sheet(request, plain, each) for each in tables[: 1 + MOST_OTHERS]]
    return [with_rows_added(each, sheets) for each in sheets]


def _sheet(request: SignedInRequest, plain: PlainLanguage, table: Table) -> SheetTable:
    def name_of(row: Row) -> str:
        name = plain.row(table.name, row)
        return "" if name == plain.one_of(table.name) else name

    referred = {column.name: plain.refers_to(table.name, column.name) for column in table.columns}
    return SheetTable(
        table=table,
        title=plain.table(table.name),
        one=plain.one_of(table.name),
        words=_words(request, plain, table),
        refers={name: place for name, place in referred.items() if place is not None},
        name_of=name_of,
    )


def _plain(record: EnvironmentRecord, environment: Environment) -> PlainLanguage:
    """The environment's words; they also name the rows that a change list changed or added so far."""
    plain = PlainLanguage(record)
    before = plain.design.seeds.rows
    changed = [name for name, rows in environment.seed_data.rows.items() if rows != before.get(name)]
    known = {name: {frozenset(row.items()) for row in before.get(name, ())} for name in changed}
    return plain.knowing_rows(
        (name, row)
        for name in changed
        for row in environment.seed_data.rows[name]
        if frozenset(row.items()) not in known[name]
    )


def _words(request: SignedInRequest, plain: PlainLanguage, table: Table) -> list[CellWords] | None:
    """How cells are written; what was sent is read as it was shown, whatever the view is now."""
    if request.POST.get("written", "expert" if shows_code(request) else "plain") == "expert":
        return None
    columns = [column for column in table.columns if not column.generated]
    return cell_words(plain, table, columns)


def _more(table: Table, words: list[CellWords] | None) -> dict[str, Any]:
    """What the templates of rows and sheets need beside the form."""
    lists = [each for each in words or [] if each.options]
    return {"table": table, "lists": lists, "written": "expert" if words is None else "plain"}


def _table(record: EnvironmentRecord, environment: Environment, name: str) -> Table:
    table = environment.schema.table(name)
    if table is None:
        raise Missing(f"{record.title} has no table named {name!r}.", remedy="Choose one from the data tab.")
    return table


def _begun(environment: Environment, table: Table) -> Row:
    """A new row so far: the next free number where the key is one."""
    return sheets.next_key(table, environment.seed_data.rows.get(table.name, ()))
