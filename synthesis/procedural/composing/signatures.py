"""Signatures: the def line and the docstring of a generated function."""

from __future__ import annotations


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
