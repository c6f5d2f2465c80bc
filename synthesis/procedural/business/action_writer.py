# ruff: noqa: S608 - it writes source and SQL, from names of its own
"""Action writer: words, names and statements that the tools of one process share."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.business.model import Business, BusinessTable, Process
from synthesis.procedural.business.terms import MEANING, ORDINARY
from synthesis.procedural.composing.wording import sentence, snake
from synthesis.procedural.sentence.inflection import article

_CALLED_OFF = 3
"""The place of that state in the life cycle of what is held; behind it are losses and no-shows."""


@dataclass
class Writer:
    """Words and names that the tools of one process share."""

    b: Business
    p: Process

    @property
    def record(self) -> BusinessTable:
        """The table of the records."""
        return self.p.record

    def view(self) -> str:
        """The constant that holds the SELECT of the records."""
        return f"{snake(self.record.noun).upper()}_VIEW"

    def states(self, *places: int) -> str:
        """Some states of the life cycle, quoted, by their places in it."""
        return ", ".join(f'"{self.p.states[place]}"' for place in places)

    def opened(self) -> str:
        """The states in which a record is open, as a tuple."""
        return "(" + "".join(f'"{state}", ' for state in self.p.open_states).rstrip() + ")"

    def tool(self, meaning: str, parameters: list[tuple[str, str, str]], does: str, body: str) -> str:
        """The tool of one action."""
        return tool_source(self.p.names[meaning], parameters, does, body)

    def key(self, does: str) -> tuple[str, str, str]:
        """The parameter for the record."""
        return (self.record.key, "int", f"{sentence(self.record.noun)} to {does}.")

    def fetch(self, *states: int) -> str:
        """Statements that fetch the record and check its state."""
        var, table = self.record.var, self.record
        lines = [f'{var} = _row(db, "{table.name}", {table.key}, "{table.noun}")']
        if states:
            lines.append(f'_state({var}, {var}["number"], {self.states(*states)})')
        return "\n".join(lines)

    def set(self, values: str, *arguments: str) -> str:
        """A statement that changes the record."""
        var = self.record.var
        given = ", ".join(
            (f'"UPDATE {self.record.name} SET {values} WHERE id = ?"', *arguments, f'{var}["id"]')
        )
        return f"db.execute({given})"

    def shown(self) -> str:
        """The statement that answers with the record."""
        return f'return _shown(db, {self.view()}, {self.record.var}["id"])'

    def close_as(self, place: int) -> str:
        """A statement that ends the record today, in a state by its place."""
        ending = "kept" if place > _CALLED_OFF else "given_back"
        deposit = f", deposit_status = '{ending}'" if self.p.deposit is not None else ""
        return self.set(f"status = '{self.p.states[place]}', closed_on = ?{deposit}", "_today(db)")

    def charge(self, kind: str, amount: str) -> str:
        """Statements that charge whom the record is of, on lines of their own; empty where nobody pays.

        Args:
            kind: Of the charge.
            amount: The expression of the amount in cents.
        """
        b, r, key = self.b, self.record, self.p.party.key
        if not b.bills(self.p):
            return ""
        return f"""
db.insert(
    "{b.charge.name}",
    {b.party.key}={r.var}["{key}"], reference={r.var}["number"], kind="{kind}", amount_cents={amount},
    status="open", raised_on=_today(db), due_on=_plus_days(_today(db), 14),
)"""

    def start_tool(self) -> str:
        """The tool that notes that what was booked begins."""
        body = (
            f"{self.fetch(0)}\n{self.set(f'status = {chr(39)}{self.p.states[1]}{chr(39)}')}\n{self.shown()}"
        )
        return self.tool(
            "start",
            [self.key(self.p.acts["start"])],
            f"Note that {article(self.record.noun)} begins",
            body,
        )

    def cancel_tool(self) -> str:
        """The tool that calls off what has not begun."""
        return self.tool(
            "cancel",
            [self.key(self.p.acts["cancel"])],
            f"Call off {article(self.record.noun)} that has not begun",
            f"{self.fetch(0)}\n{self.close_as(3)}\n{self.shown()}",
        )

    def terms(self) -> tuple[list[tuple[str, str, str]], str]:
        """The parameters for terms and hour, where records have them, and how they are passed on."""
        parameters, passed = [], ""
        for name, means in MEANING.items():
            if self.record.has(name):
                choices = self.record.column(name).choices
                members = ", ".join(f'"{choice}"' for choice in choices)
                usual = ORDINARY.get(name, choices[0])
                parameters.append((name, f'Literal[{members}] = "{usual}"', means))
                passed += f", {name}={name}"
        return parameters, passed


def tool_source(name: str, parameters: list[tuple[str, str, str]], does: str, body: str) -> str:
    """The source of one tool: signature, docstring, body."""
    signature = ", ".join(("db", *(f"{n}: {kind}" for n, kind, _ in parameters)))
    if len(signature) > 84:
        signature = "\n    db,\n" + "".join(f"    {n}: {kind},\n" for n, kind, _ in parameters)
    about = "\n".join(f"        {n}: {text}" for n, _, text in parameters)
    lines = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    return (
        f'def {name}({signature}) -> dict:\n    """{sentence(does)}.\n\n    Args:\n{about}\n    """\n{lines}'
    )


def quoted_states(states: tuple[str, ...]) -> str:
    """States as they stand in SQL."""
    return ", ".join(f"'{state}'" for state in states)


def view_of(table: BusinessTable) -> str:
    """The constant that holds a table's SELECT."""
    return f"{snake(table.noun).upper()}_VIEW"
