"""Ddl: a script in PostgreSQL's, MySQL's or SQLite's dialect, read into the foreign model."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from synthesis.errors import InvalidInput
from synthesis.intake.foreign import Expression, ForeignModel, ForeignTable
from synthesis.intake.notes import Notes
from synthesis.intake.scripts.alterations import Alterations
from synthesis.intake.scripts.definitions import Definitions, qualified
from synthesis.intake.scripts.grammar import Mistake, stray_comma, unfit_column
from synthesis.intake.scripts.left_out import IGNORED, LEFT_OUT, first_kind
from synthesis.intake.scripts.rows import Rows
from synthesis.intake.scripts.script import ScriptStatement, statements
from synthesis.intake.scripts.user_types import Domain, UserTypes

# The parser warns of every statement it only half knows; those are told as findings.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

MOST_SECONDS = 60.0
"""Time for reading one script; a longer one is refused rather than waited for."""

_MYSQL_SIGNS = re.compile(r"`\w+`|\bENGINE\s*=|\bAUTO_INCREMENT\b|/\*!\d{5}", re.IGNORECASE)
_SQLITE_SIGNS = re.compile(r"\bAUTOINCREMENT\b|\bPRAGMA\b|\bWITHOUT\s+ROWID\b|\bsqlite_", re.IGNORECASE)
_POSTGRES_SIGNS = re.compile(
    r"\bSERIAL\b|::|\$\$|\bpublic\.|\bjsonb\b|\btimestamptz\b|\bnextval\b|\bCREATE\s+(?:TYPE|EXTENSION)\b"
    r"|\bcharacter varying\b|\bwith(?:out)? time zone\b|\bGENERATED\s+\w+(?:\s+\w+)?\s+AS\s+IDENTITY\b",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"CREATE\s+DOMAIN\s+(\S+)\s+(?:AS\s+)?(.+)", re.IGNORECASE | re.DOTALL)
_PARTITIONS = re.compile(r"\)[^()]*?(\bPARTITION\s+BY\b.*)\Z", re.IGNORECASE | re.DOTALL)
_REWRITTEN = {
    "mysql": ((re.compile(r"\binet[46]\b", re.IGNORECASE), "text"),),
    "sqlite": (
        (re.compile(r"\bGENERATED\s+ALWAYS\b(?=\s+AS\b)", re.IGNORECASE), ""),
        (re.compile(r"\bON\s+CONFLICT\s+(?:ROLLBACK|ABORT|FAIL|IGNORE|REPLACE)\b", re.IGNORECASE), ""),
        (re.compile(r"(?<=\))\s*(?:,?\s*(?:WITHOUT\s+ROWID|STRICT))+\s*\Z", re.IGNORECASE), ""),
    ),
    "postgres": (
        (re.compile(r"(?<=\bADD )CHECK\b", re.IGNORECASE), "CONSTRAINT c CHECK"),
        (re.compile(r"\bSET (NULL|DEFAULT) \([^)]*\)", re.IGNORECASE), r"SET \1"),
        (re.compile(r"\b\w+_ops\b"), ""),
    ),
}
DIALECTS = ("postgres", "mysql", "sqlite")


def detected(script: str) -> str:
    """The dialect that a script's own words speak for; PostgreSQL where nothing does."""
    head = script[:400_000]
    results = {
        "postgres": len(_POSTGRES_SIGNS.findall(head)),
        "mysql": len(_MYSQL_SIGNS.findall(head)),
        "sqlite": len(_SQLITE_SIGNS.findall(head)) * 2,
    }
    return max(results, key=lambda name: results[name])


def read_script(
    script: str,
    *,
    source: str,
    dialect: str,
    notes: Notes,
    rows: int,
    seconds: float = MOST_SECONDS,
    lenient: bool = False,
) -> ForeignModel:
    """The tables that a script declares.

    Args:
        script: Its text.
        source: What it is called, for messages.
        dialect: One of `DIALECTS`.
        notes: Where anything left behind is told.
        rows: Rows per table to keep of its INSERT and COPY statements.
        seconds: Ceiling of the time it may take.
        lenient: Whether a statement that cannot be read is a finding and no error; for scripts that a
            database wrote of itself, where nobody can mend the line.

    Raises:
        InvalidInput: A statement cannot be read (the text says line and column), or it takes too long.
    """
    reader = _Reader(ForeignModel(dialect), source, notes, rows)
    end = time.monotonic() + seconds
    for statement in statements(script, mysql=dialect == "mysql"):
        if time.monotonic() > end:
            raise InvalidInput(
                f"{source}: reading stopped after {seconds:.0f} s at line {statement.line}. Provide the "
                "schema without its rows, for example with pg_dump --schema-only or mysqldump --no-data."
            )
        try:
            # Nobody can look up a line of a script that a database wrote of itself.
            notes.at(None if lenient else (statement.line, statement.column))
            reader.take(statement)
        except InvalidInput as error:
            if not lenient:
                raise
            begins = " ".join(statement.words[:4])
            notes.add("statements_are_not_converted", f"{begins}: {error}", where=begins)
    notes.at(None)
    reader.finish()
    return reader.model


class _Reader:
    def __init__(self, model: ForeignModel, source: str, notes: Notes, rows: int) -> None:
        self.model, self._source, self._notes = model, source, notes
        self._types = UserTypes()
        self._definitions = Definitions(self._types, notes)
        self._alterations = Alterations(model, self._definitions, notes)
        self._rows = Rows(model, notes, rows)
        self._counts: Counter[str] = Counter()
        self._kinds: dict[tuple[str, ...], Callable[[ScriptStatement], None]] = {
            ("CREATE", "TABLE"): self._create_table,
            ("CREATE", "TYPE"): self._create_type,
            ("CREATE", "DOMAIN"): self._create_domain,
            ("CREATE", "INDEX"): self._create_index,
            ("ALTER", "TABLE"): self._alter_table,
            ("COMMENT",): self._comment,
            ("INSERT",): self._insert,
            ("REPLACE",): self._insert,
            ("COPY",): self._rows.copied,
            ("DROP", "TABLE"): self._drop_table,
        }

    def take(self, statement: ScriptStatement) -> None:
        kind = first_kind(statement.words)
        if kind in self._kinds:
            self._kinds[kind](statement)
        elif kind in LEFT_OUT:
            self._leave_out(statement, kind)
        elif kind[0] not in IGNORED and kind not in IGNORED:
            shown = " ".join(statement.words[:3]) or statement.sql[:40]
            raise self._error(statement, 1, 1, f"{shown!r} does not start a known statement")

    def finish(self) -> None:
        """Say what was only counted."""
        for what, count in self._counts.items():
            check, words = LEFT_OUT_BY_WORDS[what]
            self._notes.add(check, f"{count:,} x {what}: {words}", where=what)
        self._rows.finish()

    def _leave_out(self, statement: ScriptStatement, kind: tuple[str, ...]) -> None:
        entry = LEFT_OUT[kind]
        what = " ".join(kind)
        if entry.counted:
            self._counts[what] += 1
            return
        name = _named(statement, kind)
        if kind in (("CREATE", "VIEW"), ("CREATE", "MATERIALIZED")):
            self.model.tables.pop(name, None)  # mysqldump stands a table in for a view at first
        self._notes.add(entry.check, f"{what} {name}: {entry.words}", where=f"{what} {name}".strip())

    def _create_table(self, statement: ScriptStatement) -> None:
        sql = statement.sql
        if self.model.dialect == "mysql" and (match := _PARTITIONS.search(sql)) is not None:
            sql = sql[: match.start(1)]
            self._partitioned(statement, statement.words[2] if len(statement.words) > 2 else "")
        tree = self._parsed(statement, sql)
        if not isinstance(tree, exp.Create):
            raise self._error(statement, 1, 1, "CREATE TABLE contains an unknown clause")
        properties = tree.args.get("properties")
        listed = properties.expressions if properties is not None else []
        if any(isinstance(one, exp.PartitionedOfProperty) for one in listed):
            self._partitioned(statement, tree.this.name, part=True)
            return
        name = qualified(tree.this.this if isinstance(tree.this, exp.Schema) else tree.this)
        if not isinstance(tree.this, exp.Schema) or self.model.table(name) is not None:
            self._unreadable_table(tree, name)
            return
        table = ForeignTable(name)
        for item in tree.this.expressions:
            self._refuse(statement, sql, unfit_column(item, self.model.dialect))
            self._definitions.take(table, item)
            if isinstance(item, exp.ColumnDef):
                start = item.this.meta.get("start", 0)
                self._notes.mark(f"{name}.{item.name}", statement.place_of(sql, start))
        self._notes.mark(name, (statement.line, statement.column))
        self._take_properties(table, statement, listed)
        self.model.tables[name] = table

    def _take_properties(
        self, table: ForeignTable, statement: ScriptStatement, properties: list[Expression]
    ) -> None:
        for one in properties:
            if isinstance(one, exp.SchemaCommentProperty):
                table.comment = one.this.name
            elif isinstance(one, exp.PartitionedByProperty | exp.PartitionByRangeProperty):
                self._partitioned(statement, table.name)
            elif isinstance(one, exp.InheritsProperty):
                self._inherit(table, one)

    def _inherit(self, table: ForeignTable, inherits: exp.InheritsProperty) -> None:
        for parent in inherits.expressions:
            foreign_table = self.model.table(qualified(parent))
            for column in foreign_table.columns.values() if foreign_table is not None else ():
                table.columns.setdefault(column.name, column)
        self._notes.add(
            "inheritance_is_not_converted",
            f"{table.name} inherits from another table: it has the columns, its rows are not the other's.",
            where=table.name,
        )

    def _partitioned(self, statement: ScriptStatement, name: str, *, part: bool = False) -> None:
        words = (
            "is a partition of another table and left out" if part else "becomes one table without partitions"
        )
        self._notes.add(
            "partitions_are_not_converted", f"{name} (line {statement.line}) {words}.", where=name
        )

    def _unreadable_table(self, tree: exp.Create, name: str) -> None:
        if self.model.table(name) is not None:
            if not tree.args.get("exists"):
                message = f"{name} is declared more than once; the first declaration is used."
                self._notes.add("tables_are_declared_once", message, where=name)
            return
        message = f"{name} is created from a query and has no declared columns; it is left out."
        self._notes.add("tables_from_queries_are_not_converted", message, where=name)

    def _create_type(self, statement: ScriptStatement) -> None:
        tree = self._parsed(statement)
        declared = tree.args.get("expression") if isinstance(tree, exp.Create) else None
        name = statement.words[-1] if declared is None else tree.this.name
        if isinstance(declared, exp.DataType) and declared.this is exp.DType.ENUM:
            self._types.add_values(name, tuple(str(value.name) for value in declared.expressions))
            return
        message = (
            f"Type {_named(statement, ('CREATE', 'TYPE'))} is no enumeration; its columns become plain text."
        )
        self._notes.add("types_are_not_converted", message, where=_named(statement, ("CREATE", "TYPE")))

    def _create_domain(self, statement: ScriptStatement) -> None:
        match = _DOMAIN.match(statement.sql)
        if match is None:
            raise self._error(statement, 1, 1, "CREATE DOMAIN needs a name and a type")
        table = ForeignTable("domain")
        tree = self._parsed(statement, f"CREATE TABLE d (value {match[2]})")
        self._definitions.take(table, tree.this.expressions[0])
        column = table.columns["value"]
        domain = Domain(column.type, column.nullable, column.default, tuple(table.checks))
        self._types.add_domain(match[1], domain)

    def _create_index(self, statement: ScriptStatement) -> None:
        tree = self._parsed(statement)
        target = tree.this.args.get("table") if isinstance(tree, exp.Create) else None
        if target is None or not isinstance(tree, exp.Create):
            name = _named(statement, ("CREATE", "INDEX"))
            message = f"Index {name} (line {statement.line}) contains an unknown clause; it is left out."
            self._notes.add("exotic_indexes_are_not_converted", message, where=name)
            return
        table = self.model.table(qualified(target))
        if table is not None:
            self._definitions.index(table, tree)

    def _alter_table(self, statement: ScriptStatement) -> None:
        tree = self._parsed(statement)
        self._alterations.take(statement, tree)

    def _comment(self, statement: ScriptStatement) -> None:
        try:
            tree = self._parsed(statement)
        except InvalidInput:
            return
        if isinstance(tree, exp.Comment) and isinstance(tree.expression, exp.Literal):
            self._alterations.comment(tree)

    def _insert(self, statement: ScriptStatement) -> None:
        cut = self._rows.cut(statement)
        if cut is not None:
            try:
                tree = self._parsed(statement, cut)
            except (
                InvalidInput
            ):  # a row nobody can read is no reason to refuse the tables; nor is it repeated
                message = f"Line {statement.line}: an INSERT cannot be read; its rows are left out."
                self._notes.add(
                    "rows_stay_behind", message, where=f"line {statement.line}", part="seed_data", warn=False
                )
            else:
                self._rows.inserted(tree)

    def _drop_table(self, statement: ScriptStatement) -> None:
        tree = self._parsed(statement)
        for dropped in [tree.this, *tree.expressions] if isinstance(tree, exp.Drop) else []:
            if isinstance(dropped, exp.Table):
                self.model.tables.pop(qualified(dropped), None)

    def _parsed(self, statement: ScriptStatement, sql: str | None = None) -> Expression:
        text = statement.sql if sql is None else sql
        for pattern, instead in _REWRITTEN[self.model.dialect]:
            text = _rewritten(text, pattern, instead)
        try:
            tree = sqlglot.parse_one(text, dialect=self.model.dialect)
        except ParseError as error:
            first = error.errors[0] if error.errors else {}
            near = f" near {first['highlight']!r}" if first.get("highlight") else ""
            words = _wording(str(first.get("description") or error))
            line, column = int(first.get("line") or 1), int(first.get("col") or 1)
            raise self._error(statement, line, column, f"{words}{near}") from None
        except (SqlglotError, RecursionError) as error:
            words = "it nests too deeply" if isinstance(error, RecursionError) else "a quote is left open"
            raise self._error(statement, 1, 1, words) from None
        if isinstance(tree, exp.Create):
            self._refuse(statement, text, stray_comma(text, self.model.dialect))
        return tree

    def _refuse(self, statement: ScriptStatement, sql: str, mistake: Mistake | None) -> None:
        if mistake is not None:
            start, words = mistake
            line_begins = sql.rfind("\n", 0, start) + 1
            line, column = sql.count("\n", 0, start) + 1, start - line_begins + 1
            raise self._error(statement, line, column, words)

    def _error(self, statement: ScriptStatement, line: int, column: int, words: str) -> InvalidInput:
        at_line, at_column = statement.place(line, column)
        begins = " ".join(statement.sql[:400].split())[:120]
        return InvalidInput(
            f"{self._source}, line {at_line}, column {at_column}: {words.rstrip('.')} (read as "
            f"{self.model.dialect}). The statement begins: {begins}"
        )


def _wording(description: str) -> str:
    """The parser's message without names of its own classes."""
    if description.startswith("Required keyword"):
        return "something is missing"
    return description.split(" but got ", maxsplit=1)[0]


def _rewritten(text: str, pattern: re.Pattern[str], instead: str) -> str:
    """The text with something the parser does not know replaced; what follows keeps its place."""

    def step(match: re.Match[str]) -> str:
        return match.expand(instead).ljust(len(match[0]))

    return pattern.sub(step, text)


def _named(statement: ScriptStatement, kind: tuple[str, ...]) -> str:
    """The name of what a CREATE makes, as far as the words show it."""
    match = re.search(
        rf"\b{kind[-1]}\s+(?:VIEW\s+|TABLE\s+|MAPPING\s+|SEARCH\s+\w+\s+|IF\s+NOT\s+EXISTS\s+|CONCURRENTLY\s+)*"
        r"([\w.\"`$]+)",
        statement.sql[:2_000],
        re.IGNORECASE,
    )
    return match[1].replace('"', "").replace("`", "").removeprefix("public.") if match else ""


LEFT_OUT_BY_WORDS = {" ".join(kind): (entry.check, entry.words) for kind, entry in LEFT_OUT.items()}
