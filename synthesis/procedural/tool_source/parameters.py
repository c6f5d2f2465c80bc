"""Parameters: signature, docstring and checks of what a generated function takes."""

from __future__ import annotations

from synthesis.procedural.action import Action
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column
from synthesis.procedural.tool_source.scope import reference
from synthesis.procedural.wording import listing, sentence, words

LONGEST_AMOUNT = 10_000_000
CHECKED_TEXT = {"phone": "_phone", "email": "_email"}


def annotation(column: Column) -> str:
    """The type hint of a parameter."""
    if column.kind == "choice":
        return f"Literal[{', '.join(_quoted(value) for value in column.spec.values)}]"
    if column.kind == "flag":
        return "bool"
    return "int" if column.kind in ("ref", "count", "money") else "str"


def _quoted(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def explained(made: Blueprint, column: Column) -> str:  # noqa: PLR0911 - one line per kind
    """What the docstring says about a parameter."""
    spec = column.spec
    if column.kind == "ref":
        target = made.target(column).noun
        about = words(column.stem)
        return (
            f"{sentence(target)} that is meant."
            if about == target
            else f"{sentence(about)}: {target} to use."
        )
    base = sentence(column.words)
    if column.kind == "money":
        return f"{base}, in cents."
    if column.kind in ("day", "birth_date"):
        return f"{base}, YYYY-MM-DD."
    if column.kind == "moment":
        return f"{base}, YYYY-MM-DDTHH:MM."
    if column.kind == "count" and spec.values:
        return f"{base}: {listing([str(value) for value in spec.values], 'or')}."
    if column.kind == "flag" and spec.values:
        return f"True for {spec.values[1]}, false for {spec.values[0]}."
    return f"{base}."


def checks(  # noqa: PLR0911 - one line per kind
    made: Blueprint, action: Action, column: Column
) -> list[str]:
    """Statements that refuse a value which the type alone lets through."""
    name, kind, spec = column.name, column.kind, column.spec
    if kind == "ref":
        return [reference(made, column)]
    if kind in ("day", "moment"):
        return [f'{name} = _{kind}({name}, "{name}")']
    if kind == "birth_date":
        return [
            f'{name} = _day({name}, "{name}")',
            f"if {name} > _today(db):",
            f'    raise ToolError("{name} must not lie in the future.")',
        ]
    if kind in CHECKED_TEXT:
        return [f"{name} = {CHECKED_TEXT[kind]}({name})"]
    if kind in ("choice", "flag"):
        return []
    if kind in ("count", "money"):
        return _number_checks(action, column, name, spec.values)
    return [f'{name} = _text({name}, "{name}")']


def _number_checks(action: Action, column: Column, name: str, values: tuple[str | int, ...]) -> list[str]:
    if values:
        listed = listing([str(value) for value in values], "or")
        return [
            f"if {name} not in ({', '.join(str(value) for value in values)}):",
            f'    raise ToolError("{name} must be {listed}.")',
        ]
    if any(g.kind == "at_most" and g.amount == column.key and g.enforced for g in action.spec.guards):
        return []
    low = min(1, column.spec.span[0])
    high = LONGEST_AMOUNT if column.kind == "money" else max(1000, column.spec.span[1])
    return [
        f"if not {low} <= {name} <= {high}:",
        f'    raise ToolError("{name} must be from {low} to {high}.")',
    ]


def signature(name: str, params: list[str]) -> list[str]:
    """The def line, wrapped where it is long."""
    line = f"def {name}({', '.join(['db', *params])}) -> dict:"
    if len(line) <= 110:
        return [line]
    return [f"def {name}(", "    db,", *(f"    {param}," for param in params), ") -> dict:"]


def docstring(summary: str, explanations: dict[str, str]) -> list[str]:
    """A Google-style docstring, indented for a function's body."""
    if not explanations:
        return [f'    """{summary}"""']
    lines = [f'    """{summary}', "", "    Args:"]
    lines += [f"        {name}: {text}" for name, text in explanations.items()]
    return [*lines, '    """']
