"""Scope: what the names in the catalogue's expressions mean inside one generated function."""

from __future__ import annotations

import re

from synthesis.procedural.action import Action
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.phrases import SLOT, with_nouns
from synthesis.procedural.wording import sentence, variable

NAME = re.compile(r"[a-z_]+(?:\.[a-z_]+)?|\d+|[-+*()]|\s+")
DATE_SUM = re.compile(r"^(.+?) \+ days\((.+)\)$")
PLAIN = {"actor": "db.actor", "null": "None"}


class Scope:
    """Translates expressions and refusals of one action into Python.

    Args:
        made: The blueprint.
        action: The action whose function is written.
    """

    def __init__(self, made: Blueprint, action: Action) -> None:
        self.made, self.action = made, action
        self.rows: dict[str, tuple[str, Entity]] = {}
        self.loads: list[str] = []
        """Statements that fetch rows which a name turned out to need, in order."""
        self._given: set[str] = set()
        if not action.creates:
            self.rows["target"] = (action.entity.var, action.entity)
        for column in action.params:
            if column.kind == "ref":
                self.rows[column.key] = (variable(column.stem), made.target(column))

    def python(self, expression: str) -> str:
        """The expression in Python.

        Raises:
            KeyError: It uses a name that means nothing here; a fault of the catalogue.
        """
        if found := DATE_SUM.match(expression):
            return f"_plus_days({self.python(found[1])}, {self.python(found[2])})"
        return "".join(self._token(token) for token in NAME.findall(expression))

    def value(self, given: str | int) -> str:
        """A catalogue value in Python: "=..." is an expression, anything else stands for itself."""
        if isinstance(given, str) and given.startswith("="):
            return self.python(given[1:])
        return repr(given) if isinstance(given, int) else f'"{given}"'

    def row_id(self, name: str) -> str:
        """Python for the key of a row: the target, a parameter's row, or a row the target refers to."""
        if name == "target":
            return self.action.entity.id
        param = self.action.param(name)
        if param is not None:
            return param.name
        row, entity = self.rows.get("line") or self.rows["target"]
        return f'{row}["{entity.column(name).name}"]'

    def entity(self, name: str) -> Entity:
        """The entity of a row's name."""
        if name in self.rows:
            return self.rows[name][1]
        _, entity = self.rows.get("line") or self.rows["target"]
        return self.made.target(entity.column(name))

    def message(self, text: str) -> str:
        """A refusal as the inside of an f-string."""
        filled = sentence(with_nouns(text, self.made.noun))
        written = SLOT.sub(lambda match: self._slot(match[1], match[2]), filled)
        return f'f"{written}"' if "{" in written else f'"{written}"'

    def _slot(self, mark: str, name: str) -> str:
        rule = self.action.rules.get(name)
        inner = rule.constant if rule else self.python(name)
        inner = inner.replace('"', "'")
        if mark == "$" or (rule and rule.money and mark != "="):
            return f"{{_money({inner})}}"
        return f"{{{inner}}}"

    def _token(self, token: str) -> str:
        if not re.match(r"[a-z_]", token):
            return token
        if token in PLAIN:
            return PLAIN[token]
        if token in ("today", "now"):
            self._load(f"{token} = _{token}(db)")
            return token
        if "." in token:
            return self._path(*token.split("."))
        if token in self.action.rules:
            return self.action.rules[token].constant
        param = self.action.param(token)
        if param is None:
            raise KeyError(f"{self.action.name}: nothing is called {token!r}")
        return f"int({param.name})" if param.kind == "flag" else param.name

    def _path(self, name: str, key: str) -> str:
        if name == "taken":
            return f'taken["{key}"]'
        if key == "id":
            return self.row_id(name)
        if name not in self.rows:
            self._load_referred(name)
        row, entity = self.rows[name]
        if key == "name" and entity.label_name == "name" and not entity.has("name"):
            return self._full_name(row)
        return f'{row}["{entity.column(key).name}"]'

    def _full_name(self, row: str) -> str:
        return f'{row}["first_name"] + " " + {row}["last_name"]'

    def _load_referred(self, name: str) -> None:
        row, entity = self.rows["target"]
        column = entity.column(name)
        target = self.made.target(column)
        var = variable(column.stem)
        self._load(f'{var} = _row(db, "{target.table}", {row}["{column.name}"], "{sentence(target.noun)}")')
        self.rows[name] = (var, target)

    def _load(self, statement: str) -> None:
        if statement not in self.loads:
            self.loads.append(statement)

    def take_loads(self) -> list[str]:
        """The statements that became necessary since the last call; each is given once."""
        fresh = [line for line in self.loads if line not in self._given]
        self._given.update(fresh)
        return fresh


def reference(made: Blueprint, column: Column) -> str:
    """Statement that makes sure a reference parameter names a row, and keeps the row."""
    target = made.target(column)
    return f'{variable(column.stem)} = _row(db, "{target.table}", {column.name}, "{sentence(target.noun)}")'
