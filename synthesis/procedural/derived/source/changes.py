# ruff: noqa: S608 - it writes SQL into source; every name of the schema is quoted
"""Changes: the tools that make, change and remove rows."""

from __future__ import annotations

from synthesis.procedural.composing.signatures import docstring, signature
from synthesis.procedural.composing.wording import article, listing, sentence, words
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.identifiers import ascii_name
from synthesis.procedural.derived.operation import Operation, list_name
from synthesis.procedural.derived.relation import Field, Relation
from synthesis.procedural.derived.source.parameters import (
    checks,
    explained,
    generated_columns,
    key_args,
    key_descriptions,
    key_params,
    now_of,
)
from synthesis.procedural.derived.source.text import Lines, hint, key_name, lit, view_name
from synthesis.worlds.tables import quoted

MOST_PARTS = 20


def create_source(model: DataModel, operation: Operation) -> str:
    """The tool that adds one row, or one with its parts."""
    relation = operation.relation
    params, details = [], {}
    needed = [f for f in operation.params if not _optional(f)]
    lists = operation.part_fields
    for field in needed:
        params.append(f"{field.name}: {hint(field)}")
        details[field.name] = explained(model, field)
    for field in lists:
        params.append(f"{_list(operation, field)}: list[{hint(field)}]")
        details[_list(operation, field)] = (
            f"{sentence(field.words)} of each {_parts(operation).noun}, in one order."
        )
    for field in operation.params:
        if _optional(field):
            params.append(f"{field.name}: {hint(field)} | None = None")
            details[field.name] = explained(model, field)
    about = f"Add {article(relation.noun)}"
    about += f" together with its {_parts(operation).many}." if lists else "."
    lines = [*signature(operation.name, params), *docstring(about, details)]
    lines += [f"    {line}" for line in _same_length(operation)] if lists else []
    lines += [f"    {line}" for line in _values(model, operation)]
    what = lit(f"The {relation.noun}")
    lines.append(f"    key = _insert(db, {lit(relation.table)}, {what}, values)")
    if lists:
        lines += [f"    {line}" for line in _part_lines(model, operation)]
    lines.append(f"    return {_shown(relation)}, *key)")
    return "\n".join(lines) + "\n"


def _shown(relation: Relation) -> str:
    return f"_row(db, {view_name(relation)}, {key_name(relation)}, {lit(sentence(relation.noun))}"


def _optional(field: Field) -> bool:
    return field.nullable or field.default


def _parts(operation: Operation) -> Relation:
    assert operation.parts is not None
    return operation.parts


def _list(operation: Operation, field: Field) -> str:
    name = list_name(field)
    return name if name not in {f.name for f in operation.params} else f"part_{name}"


def _values(model: DataModel, operation: Operation) -> Lines:
    """Statements that put what was given, and what the system adds, into `values`."""
    relation = operation.relation
    lines: Lines = []
    if operation.distinct:
        lines += _distinct(relation)
    fixed = [f"{lit(column)}: {value}" for column, value in generated_columns(relation, new=True)]
    lines.append(f"values = {{{', '.join(fixed)}}}")
    for field in operation.params:
        texts, stored = checks(model, field, field.name)
        deep = "    " if _optional(field) else ""
        if deep:
            lines.append(f"if {field.name} is not None:")
        lines += [f"{deep}{line}" for line in texts]
        lines.append(f"{deep}values[{lit(field.column)}] = {stored}")
    return lines


def _distinct(relation: Relation) -> Lines:
    """Refuse a second row with the same label."""
    fields = [relation.field(column) for column in relation.label]
    condition = " AND ".join(f"lower({quoted(f.column)}) = lower(?)" for f in fields)
    query = f"SELECT 1 AS n FROM {quoted(relation.table)} WHERE {condition}"
    given = ", ".join(f"{f.name}.strip()" for f in fields)
    guard = " and ".join(f"{f.name} is not None" for f in fields if _optional(f))
    opening = f"if {guard} and " if guard else "if "
    message = lit(f"There is already {article(relation.noun)} of that name; names are used once.")
    return [f"{opening}db.one({query!r}, {given}) is not None:", f"    raise ToolError({message})"]


def _same_length(operation: Operation) -> Lines:
    names = [_list(operation, field) for field in operation.part_fields]
    message = lit(
        f"Give 1 to {MOST_PARTS} {_parts(operation).many},"
        f" each list with one value per {_parts(operation).noun}."
    )
    lines = [f"if not 1 <= len({names[0]}) <= {MOST_PARTS}:", f"    raise ToolError({message})"]
    if len(names) > 1:
        sizes = ", ".join(f"len({name})" for name in names)
        lines += [f"if len({{{sizes}}}) > 1:", f"    raise ToolError({message})"]
    return lines


def _part_lines(model: DataModel, operation: Operation) -> Lines:
    child, relation = _parts(operation), operation.relation
    own = next(f for f in child.refs if f.column == child.owner and f.target == relation.table)
    names = [_list(operation, field) for field in operation.part_fields]
    singles = [f"each_{field.name}" for field in operation.part_fields]
    joined = names[0] if len(names) == 1 else f"zip({', '.join(names)}, strict=True)"
    lines = [f"for {', '.join(singles)} in {joined}:"]
    fixed = [f"{lit(own.column)}: key[0]", *(f"{lit(c)}: {v}" for c, v in generated_columns(child, new=True))]
    inner: Lines = [f"values = {{{', '.join(fixed)}}}"]
    for field, single in zip(operation.part_fields, singles, strict=True):
        texts, stored = checks(model, field, single)
        inner += [*texts, f"values[{lit(field.column)}] = {stored}"]
    inner.append(f"_insert(db, {lit(child.table)}, {lit(f'The {child.noun}')}, values)")
    return lines + [f"    {line}" for line in inner]


def update_source(model: DataModel, operation: Operation) -> str:
    """The tool that changes what is recorded; what is left out stays as it is."""
    relation = operation.relation
    params = [*key_params(relation), *(f"{f.name}: {hint(f)} | None = None" for f in operation.params)]
    details = key_descriptions(relation, "change")
    details |= {
        f.name: f"New {explained(model, f)[0].lower()}{explained(model, f)[1:]}" for f in operation.params
    }
    lines = [
        *signature(operation.name, params),
        *docstring(
            f"Change what is recorded about {article(relation.noun)}; what is left out stays as it is.",
            details,
        ),
        f"    {_shown(relation)}, {key_args(relation)})",
        "    changes = {}",
    ]
    for field in operation.params:
        texts, stored = checks(model, field, field.name)
        lines.append(f"    if {field.name} is not None:")
        lines += [f"        {line}" for line in texts]
        lines.append(f"        changes[{lit(quoted(field.column))}] = {stored}")
    names = listing([f.name for f in operation.params], "or")
    lines += ["    if not changes:", f"        raise ToolError({lit(f'Nothing to change: give {names}.')})"]
    return "\n".join([*lines, *_saved(relation, {})]) + "\n"


def _saved(relation: Relation, sets: dict[str, str]) -> Lines:
    """Statements that write `changes` and show the row."""
    lines = [f"    changes[{lit(quoted(column))}] = {value}" for column, value in sets.items()]
    for column, value in generated_columns(relation, new=False):
        lines.append(f"    changes[{lit(quoted(column))}] = {value}")
    key = " AND ".join(f"{quoted(f.column)} = ?" for f in relation.key)
    place = f"{lit(quoted(relation.table))}, {key!r}, {lit(f'The {relation.noun}')}"
    return [
        *lines,
        f"    _update(db, {place}, changes, {key_args(relation)})",
        f"    return {_shown(relation)}, {key_args(relation)})",
    ]


def move_source(operation: Operation) -> str:
    """The tool that moves a row into another state."""
    relation, state = operation.relation, operation.relation.state
    assert state is not None
    allowed = listing([words(source) for source in operation.sources], "or")
    rule = f"only {relation.many} that are {allowed} can become {words(operation.state)}"
    lines = [
        *signature(operation.name, key_params(relation)),
        *docstring(
            f"Mark {article(relation.noun)} as {_plain(words(operation.state))}.",
            key_descriptions(relation, "mark"),
        ),
        f"    found = {_shown(relation)}, {key_args(relation)})",
        f"    if found[{lit(state.name)}] not in ({', '.join(lit(s) for s in operation.sources)},):",
        f'        told = str(found[{lit(state.name)}]).replace("_", " ")',
        f"        raise ToolError({lit(f'The {relation.noun} is ')} + told + {lit(f'; {rule}.')})",
        "    changes = {}",
    ]
    sets = {state.column: lit(operation.state)}
    for column, done in relation.stamps:
        if ascii_name(done) == ascii_name(operation.state):
            sets[column] = now_of(relation.field(column))
    return "\n".join([*lines, *_saved(relation, sets)]) + "\n"


def _plain(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def stamp_source(operation: Operation) -> str:
    """The tool that records that something has happened now."""
    relation = operation.relation
    field = relation.field(operation.column)
    message = f"The {relation.noun} is {operation.state} already, since "
    lines = [
        *signature(operation.name, key_params(relation)),
        *docstring(
            f"Record that {article(relation.noun)} is {operation.state} now.",
            key_descriptions(relation, "mark"),
        ),
        f"    found = {_shown(relation)}, {key_args(relation)})",
        f"    if found[{lit(field.name)}] is not None:",
        f'        raise ToolError({lit(message)} + str(found[{lit(field.name)}]) + ".")',
        "    changes = {}",
    ]
    return "\n".join([*lines, *_saved(relation, {field.column: now_of(field)})]) + "\n"


def delete_source(model: DataModel, operation: Operation) -> str:
    """The tool that removes a row nothing refers to, with its parts."""
    relation, parts = operation.relation, operation.parts
    along = f" and its {parts.many}" if parts else ""
    barred = [c for c in model.children[relation.table] if parts is None or c[0].table != parts.table]
    rule = "; refused while other records refer to it" if barred else ""
    lines = [
        *signature(operation.name, key_params(relation)),
        *docstring(f"Delete {article(relation.noun)}{along}{rule}.", key_descriptions(relation, "delete")),
        f"    found = {_raw(relation)}",
        "    if found is None:",
        f"        raise ToolError({lit(f'There is no such {relation.noun}.')})",
    ]
    for child, columns, references in barred:
        condition = " AND ".join(f"{quoted(c)} = ?" for c in columns)
        if child.table == relation.table:
            condition += "".join(f" AND NOT {quoted(f.column)} = ?" for f in relation.key[:1])
        query = f"SELECT count(*) AS n FROM {quoted(child.table)} WHERE {condition}"
        given = [f"found[{lit(r)}]" for r in references]
        given += [relation.key[0].name] if child.table == relation.table else []
        message = lit(f"{sentence(article(relation.noun))} with {child.many} cannot be deleted")
        lines.append(f"    _none_refer(db, {query!r}, {message}, {', '.join(given)})")
    if parts is not None:
        own = next(f for f in parts.refs if f.column == parts.owner)
        query = f"DELETE FROM {quoted(parts.table)} WHERE {quoted(own.column)} = ?"
        lines.append(f"    db.execute({query!r}, found[{lit(own.target_column)}])")
    key = " AND ".join(f"{quoted(f.column)} = ?" for f in relation.key)
    query = f"DELETE FROM {quoted(relation.table)} WHERE {key}"
    lines.append(f"    db.execute({query!r}, {key_args(relation)})")
    shown = ", ".join(f'"{f.name}": {f.name}' for f in relation.key)
    lines.append(f'    return {{{shown}, "deleted": True}}')
    return "\n".join(lines) + "\n"


def _raw(relation: Relation) -> str:
    key = " AND ".join(f"{quoted(f.column)} = ?" for f in relation.key)
    query = f"SELECT * FROM {quoted(relation.table)} WHERE {key}"
    return f"db.one({query!r}, {key_args(relation)})"
