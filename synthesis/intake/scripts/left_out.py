"""Left out: the statements of a script that a world has no place for, and what is said of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is said of one kind of statement.

    Attributes:
        check: The finding's check.
        words: What the loss means.
        counted: Whether they are only counted; else each is told by name.
    """

    check: str
    words: str
    counted: bool = False


_ROUTINE = LeftOut("routines_are_not_converted", "code in the database is not converted; tools do its work.")
_TRIGGER = LeftOut("triggers_are_not_converted", "it does not run in a world; a tool must do what it does.")
_VIEW = LeftOut("views_are_not_converted", "only its tables are imported.")
_RIGHTS = LeftOut("rights_are_not_converted", "a world has one user, the tools decide what is allowed.", True)
_TYPE = LeftOut("types_are_not_converted", "its columns become plain text.")
_SERVER = LeftOut("server_objects_are_not_converted", "it belongs to the server and not to the data model.")
_SEARCH = LeftOut("text_search_is_not_converted", "searches compare text.")
_SEQUENCE = LeftOut("sequences_are_not_converted", "tables generate their own ids.", True)
_ROWS = LeftOut("row_changes_are_not_converted", "it changes rows, not tables.", True)

LEFT_OUT: dict[tuple[str, ...], LeftOut] = {
    ("CREATE", "FUNCTION"): _ROUTINE,
    ("CREATE", "PROCEDURE"): _ROUTINE,
    ("CREATE", "AGGREGATE"): _ROUTINE,
    ("CREATE", "OPERATOR"): _ROUTINE,
    ("CREATE", "CAST"): _ROUTINE,
    ("CREATE", "TRANSFORM"): _ROUTINE,
    ("CREATE", "LANGUAGE"): _ROUTINE,
    ("DO",): _ROUTINE,
    ("CREATE", "TRIGGER"): _TRIGGER,
    ("CREATE", "EVENT"): _TRIGGER,
    ("CREATE", "RULE"): _TRIGGER,
    ("CREATE", "VIEW"): _VIEW,
    ("CREATE", "MATERIALIZED"): _VIEW,
    ("CREATE", "EXTENSION"): LeftOut("extensions_are_not_converted", "its types and functions are missing."),
    ("CREATE", "POLICY"): _RIGHTS,
    ("CREATE", "ROLE"): _RIGHTS,
    ("CREATE", "USER"): _RIGHTS,
    ("CREATE", "GROUP"): _RIGHTS,
    ("ALTER", "ROLE"): _RIGHTS,
    ("ALTER", "USER"): _RIGHTS,
    ("ALTER", "DEFAULT"): _RIGHTS,
    ("GRANT",): _RIGHTS,
    ("REVOKE",): _RIGHTS,
    ("SECURITY",): _RIGHTS,
    ("ALTER", "TYPE"): _TYPE,
    ("ALTER", "DOMAIN"): _TYPE,
    ("CREATE", "COLLATION"): LeftOut("collations_are_not_converted", "text is compared byte by byte."),
    ("CREATE", "SERVER"): _SERVER,
    ("CREATE", "FOREIGN"): _SERVER,
    ("CREATE", "PUBLICATION"): _SERVER,
    ("CREATE", "SUBSCRIPTION"): _SERVER,
    ("CREATE", "STATISTICS"): _SERVER,
    ("CREATE", "ACCESS"): _SERVER,
    ("CREATE", "CONVERSION"): _SERVER,
    ("CREATE", "TEXT"): _SEARCH,
    ("CREATE", "VIRTUAL"): _SEARCH,
    ("CREATE", "FULLTEXT"): LeftOut("exotic_indexes_are_not_converted", "searches compare text."),
    ("CREATE", "SPATIAL"): LeftOut("exotic_indexes_are_not_converted", "geometry is not supported."),
    ("CREATE", "SEQUENCE"): _SEQUENCE,
    ("UPDATE",): _ROWS,
    ("DELETE",): _ROWS,
    ("TRUNCATE",): _ROWS,
    ("MERGE",): _ROWS,
    ("LOAD",): _ROWS,
}
"""By the words a statement begins with, as `first_kind` gives them."""

IGNORED = frozenset(
    {"SET", "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "USE", "LOCK", "UNLOCK"}
    | {"PRAGMA", "ANALYZE", "VACUUM", "REINDEX", "SELECT", "DROP", "ALTER", "FLUSH", "RESET", "CALL", "SHOW"}
    | {"DISCARD", "CLUSTER", "CHECKPOINT", "REFRESH", "DELIMITER", "GO", "EXIT", "QUIT", "WITH"}
) | frozenset({("CREATE", "SCHEMA"), ("CREATE", "DATABASE"), ("CREATE", "TABLESPACE")})
"""Statements that say nothing of the data model: settings, transactions, owners."""

_BETWEEN = frozenset(
    {"OR", "REPLACE", "UNIQUE", "TEMP", "TEMPORARY", "UNLOGGED", "GLOBAL", "LOCAL", "CONSTRAINT", "RECURSIVE"}
    | {"TRUSTED", "PROCEDURAL", "DEFINER", "SQL", "SECURITY", "ALGORITHM", "UNDEFINED", "MERGE", "TEMPTABLE"}
    | {"INVOKER", "CURRENT_USER", "CLUSTERED", "NONCLUSTERED"}
)
_SECOND = frozenset(kind[1] for kind in LEFT_OUT if len(kind) > 1) | {
    "TABLE", "TYPE", "DOMAIN", "INDEX", "SCHEMA", "DATABASE", "TABLESPACE",
}  # fmt: skip


def first_kind(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that say what a statement is: ("CREATE", "TABLE"), ("INSERT",), ..."""
    if not words:
        return ("",)
    first = words[0]
    if first not in ("CREATE", "ALTER", "DROP"):
        return (first,)
    for word in words[1:]:
        known = word.upper() in _SECOND
        if known and not (word.upper() == "MERGE" or word.upper() in _BETWEEN):
            return (first, word.upper())
        if first == "CREATE" and not known and word.upper() not in _BETWEEN and "DEFINER" not in words:
            break
        if first != "CREATE":
            break
    return (first, words[1]) if len(words) > 1 else (first,)
