"""Proofs: which table keeps what the sentence requires of people, or of what they bring, and who has it."""

from __future__ import annotations

from collections.abc import Iterable

from synthesis.procedural.business.model import BusinessColumn, BusinessTable, Process, Row
from synthesis.procedural.business.vocabulary import is_company
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.limits import StatedLimit

_ANYBODY = frozenset(word_list("anybody"))
"""Words for whoever is served, whatever a business calls them."""
_MISSING_PARTY, _MISSING_THING = 4, 5
"""Every so many people, and things, lack what is required."""


def is_of(limit: StatedLimit, table: BusinessTable) -> bool:
    """Whether a requirement is one of those whose table it is; people it need not name."""
    head = limit.noun.rpartition(" ")[2]
    return head == table.noun.rpartition(" ")[2] or (table.role == "party" and head in _ANYBODY | {""})


def add_flags(limits: Iterable[StatedLimit], processes: Iterable[Process]) -> None:
    """Give the tables of people and of what they bring a flag for each requirement, where its name is free.

    Args:
        limits: What the sentence states.
        processes: The processes whose tables they are.
    """
    required = [limit for limit in limits if limit.proof is not None]
    for process in processes:
        for limit in required:
            for table in _asked(process):
                if is_of(limit, table) and limit.proof is not None and not table.has(limit.proof.column):
                    table.columns.append(BusinessColumn(limit.proof.column, "flag", filter=True))
                    break


def table_of(process: Process, limit: StatedLimit) -> BusinessTable | None:
    """The table of a process that keeps a requirement; None where none does."""
    proof = limit.proof
    if proof is None:
        return None
    asked = [table for table in _asked(process) if is_of(limit, table) and table.has(proof.column)]
    return next((table for table in asked if table.column(proof.column).kind == "flag"), None)


def has_proof(limit: StatedLimit, row: Row) -> bool:
    """Whether somebody, or what they bring, is on record as having what is required."""
    return limit.proof is not None and bool(row[limit.proof.column])


def flags_of(table: BusinessTable, number: int) -> Row:
    """What the row of that number has of requirements, by column: 1, or 0 of some."""
    rare, at = (_MISSING_PARTY, 2) if table.role == "party" else (_MISSING_THING, 3)
    required = [column.name for column in table.columns if column.kind == "flag" and column.name != "active"]
    return dict.fromkeys(required, int(number % rare != at))


def relative_of(table: BusinessTable) -> str:
    """The pronoun for those of a table: "who" of persons."""
    return "who" if table.role == "party" and not is_company(table.noun) else "that"


def lacking(process: Process, limits: Iterable[StatedLimit], table: BusinessTable, row: Row) -> bool:
    """Whether a row of a table lacks what is required for a process.

    Args:
        process: The process.
        limits: Those that the sentence states for it.
        table: That of people, or of what they bring.
        row: Its row.
    """
    asked = [limit for limit in limits if limit.proof is not None and table_of(process, limit) is table]
    return not all(has_proof(limit, row) for limit in asked)


def _asked(process: Process) -> list[BusinessTable]:
    """The people of a process and what is theirs."""
    own = [process.subject] if process.subject.has(process.party.key) else []
    return [process.party, *([process.item] if process.item is not None else own)]
