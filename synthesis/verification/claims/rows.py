"""Claims about rows: moments in order, amounts that add up, rules of the policy that every row obeys."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext

_BEGIN = (
    "born_on",
    "joined_on",
    "registered_on",
    "booked_on",
    "placed_on",
    "opened_on",
    "raised_on",
    "ordered_on",
    "created_on",
    "created_at",
)
"""Columns that say when a row came to be."""
_ORDERED = (
    ("booked_on", "starts_on"),
    ("starts_on", "ends_on"),
    ("starts_at", "ends_at"),
    ("opened_on", "due_on"),
    ("opened_on", "closed_on"),
    ("placed_on", "due_on"),
    ("placed_on", "closed_on"),
    ("registered_on", "closed_on"),
    ("booked_on", "closed_on"),
    ("raised_on", "due_on"),
    ("created_at", "updated_at"),
    ("created_on", "closed_on"),
    ("created_at", "closed_at"),
    ("ordered_on", "delivered_on"),
    ("requested_on", "decided_on"),
    ("submitted_on", "decided_on"),
)
"""Pairs of columns of one row, the earlier first."""
_SHOWN = 5


def moments_are_in_order(context: ProofContext, answer: ClaimOutcome) -> None:
    """In every row what comes first is earlier, and no row is older than a row it belongs to."""
    environment = context.environment
    rows, faults = environment.seed_data.rows, 0
    for table in environment.schema.tables:
        own = list(_disorder(table, rows.get(table.name, ())))
        faults += len(own)
        for text in own[:_SHOWN]:
            answer.finds("seed_data", text, where=table.name)
        for text in list(_older_than_parents(table, rows))[:_SHOWN]:
            faults += 1
            answer.finds("seed_data", text, where=table.name, severity="warning")
    answer.counts(tables=len(environment.schema.tables), faults=faults)


def amounts_add_up(context: ProofContext, answer: ClaimOutcome) -> None:
    """Wherever a row holds a quantity, a unit price and a total, the total is their product."""
    checked = faults = 0
    for name, rows in context.environment.seed_data.rows.items():
        for row in rows:
            quantity, price, total = row.get("quantity"), row.get("unit_price_cents"), row.get("total_cents")
            if not (isinstance(quantity, int) and isinstance(price, int) and isinstance(total, int)):
                continue
            checked += 1
            if quantity * price != total:
                faults += 1
                answer.finds("seed_data", f"{name}: {quantity} times {price} is not {total}.", where=name)
    answer.counts(rows=checked, faults=faults)


def rows_obey_the_policy(context: ProofContext, answer: ClaimOutcome) -> None:
    """No row breaks a rule of the policy that says how such rows are found."""
    policy = context.environment.policy
    rules = policy.row_rules if policy is not None else ()
    faults = 0
    if rules:
        with context.instance() as instance:
            for rule in rules:
                breaches = instance.query(rule.breaches)
                faults += len(breaches)
                if breaches:
                    keys = ", ".join(str(next(iter(row.values()))) for row in breaches[:_SHOWN])
                    answer.finds(
                        "seed_data",
                        f"{rule.name}: {len(breaches)} rows break it, among them {keys}.",
                        where=rule.name,
                    )
    answer.counts(rules=len(rules), faults=faults)


def _disorder(table: Table, rows: tuple[Row, ...]) -> Iterator[str]:
    columns = {column.name for column in table.columns}
    for first, last in _ORDERED:
        if not {first, last} <= columns:
            continue
        for row in rows:
            one, other = row.get(first), row.get(last)
            if isinstance(one, str) and isinstance(other, str) and one > other:
                yield f"{table.name} {_key(table, row)}: {first} {one} is after {last} {other}."


def _older_than_parents(table: Table, rows: dict[str, tuple[Row, ...]]) -> Iterator[str]:
    columns = {column.name for column in table.columns}
    own = next((name for name in _BEGIN if name in columns), "")
    for key in table.foreign_keys if own else ():
        parents = rows.get(key.table, ())
        if len(key.columns) != 1 or not parents:
            continue
        theirs = next((name for name in _BEGIN if name in parents[0]), "")
        since = {row.get(key.references[0]): row.get(theirs) for row in parents} if theirs else {}
        for row in rows.get(table.name, ()):
            parent = since.get(row.get(key.columns[0]))
            begun = row.get(own)
            if isinstance(parent, str) and isinstance(begun, str) and begun < parent[: len(begun)]:
                yield (
                    f"{table.name} {_key(table, row)} is of {begun}, its row of {key.table} only of {parent}."
                )


def _key(table: Table, row: Row) -> str:
    return "/".join(str(row.get(name)) for name in table.primary_key)
