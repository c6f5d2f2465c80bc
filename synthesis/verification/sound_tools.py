"""Sound tools: a tools module without the functions at fault and those that need them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from synthesis.documents.finding import Finding
from synthesis.documents.tools import Toolset
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.definitions import UNPARSABLE, bound_names, definitions, used_names
from synthesis.worlds.runtime import runtime_of
from synthesis.worlds.syntax import nodes_of
from synthesis.worlds.toolset import read_toolset, toolset_findings

_MOST_ROUNDS = 12
_LINE = re.compile(r"\bline (\d+)", re.IGNORECASE)
_BEGUN = re.compile(r"\bon line (\d+)")
"""Where a block begins that Python misses something in; the line of the error is behind it."""
_TOP_LEVEL = re.compile(r"(?:async def|def|class|import|from)\s|@|\w+\s*(?::[^=]*)?=")
_BOUND = re.compile(r"(?:async def|def|class)\s+(\w+)|(\w+)\s*(?::[^=]*)?=")


def mentions(source: str, tables: Collection[str]) -> bool:
    """Whether code speaks of one of some tables, in SQL or by the name alone; false for no code."""
    module = _parsed(source)
    return bool(tables) and module is not None and _speaks_of(module, tables)


class SoundTools:
    """One module.

    Args:
        source: It.
    """

    def __init__(self, source: str) -> None:
        self._source = source

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything wrong with it."""
        return self._sound[1]

    def without(self, tables: Collection[str], *, actor: bool) -> Toolset | None:
        """What is sound of it; None where that cannot be told.

        Args:
            tables: Tables that there are not; what speaks of them is left out.
            actor: Whether to leave out what asks for the actor, too.
        """
        source = self._sound[0]
        if source is None:
            return None
        module = ast.parse(source)
        faulty = [
            statement
            for statement in module.body
            if (tables and _speaks_of(statement, tables)) or (actor and _asks_for_actor(statement))
        ]
        try:
            return read_toolset(_with_dependants_blanked(source, faulty, set()))
        except BrokenEnvironment:
            return None

    @cached_property
    def _sound(self) -> tuple[str | None, tuple[Finding, ...]]:
        """The source without what is at fault, None where that cannot be told; and all findings."""
        source, everything = self._source, list(toolset_findings(self._source))
        findings = [finding for finding in everything if finding.blocks]
        for _ in range(_MOST_ROUNDS):
            if not findings:
                return source, tuple(everything)
            hidden = _parsed(source) is None
            shorter = _without(source, findings)
            if shorter == source or not shorter.strip() or runtime_of(source) == "fastapi":
                break
            source = shorter
            findings = [finding for finding in toolset_findings(source) if finding.blocks]
            everything += [each for each in findings if hidden and each.where]
        return None, tuple(everything)


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except UNPARSABLE:
        return None


def _without(source: str, findings: Iterable[Finding]) -> str:
    """The source without the functions that findings name, by their line or their name."""
    module = _parsed(source)
    if module is None:
        return _without_unparsable(source, findings)
    lines = {line for finding in findings for line in _lines(finding)}
    names = {finding.where for finding in findings}
    faulty = [
        statement
        for statement in module.body
        if names & {*bound_names(statement)}
        or any(_first(statement) <= line <= (statement.end_lineno or 0) for line in lines)
    ]
    return _with_dependants_blanked(source, faulty, set())


def _without_unparsable(source: str, findings: Iterable[Finding]) -> str:
    """The source without the piece at its top level in which Python stumbles, and without what needs it."""
    lines = source.splitlines()
    at = next((line for finding in findings for line in _lines(finding)), 0)
    begins = [number for number, text in enumerate(lines, start=1) if _TOP_LEVEL.match(text)]
    first = max((number for number in begins if number <= at), default=0)
    if not first:
        return source
    end = min((number for number in begins if number > at), default=len(lines) + 1)
    bound = {name for text in lines[first - 1 : end - 1] for pair in _BOUND.findall(text) for name in pair}
    shorter = "\n".join([*lines[: first - 1], *[""] * (end - first), *lines[end - 1 :]]) + "\n"
    return _with_dependants_blanked(shorter, [], bound - {""}) if _parsed(shorter) else shorter


def _with_dependants_blanked(source: str, faulty: Iterable[ast.stmt], lost: set[str]) -> str:
    """The source with empty lines for statements, and for all that use a name which they bind."""
    defined = definitions(ast.parse(source))
    statements = {id(statement): statement for statement in faulty}
    lost = lost | {name for statement in statements.values() for name in bound_names(statement)}
    growing = True
    while growing:
        using = {
            name: each
            for name, each in defined.items()
            if id(each) not in statements and used_names(each) & lost
        }
        statements |= {id(each): each for each in using.values()}
        lost |= set(using)
        growing = bool(using)
    lines = source.splitlines()
    for statement in statements.values():
        for number in range(_first(statement), (statement.end_lineno or 0) + 1):
            lines[number - 1] = ""
    return "\n".join(lines) + "\n"


def _lines(finding: Finding) -> Iterator[int]:
    begun = _BEGUN.search(finding.message)
    named = begun or _LINE.search(finding.where) or _LINE.search(finding.message)
    if named is not None:
        yield int(named[1])


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _speaks_of(node: ast.AST, tables: Collection[str]) -> bool:
    name = rf"[\"`\[]?(?:{'|'.join(map(re.escape, sorted(tables)))})\b"
    named = re.compile(rf"{name}|.*\b(?:FROM|JOIN|INTO|UPDATE)\s+{name}.*", re.IGNORECASE | re.DOTALL)
    inner = nodes_of(node)
    described = {id(each.value) for each in inner if isinstance(each, ast.Expr)}
    return any(
        isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and id(each) not in described
        and named.fullmatch(each.value)
        for each in inner
    )


def _asks_for_actor(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Attribute) and inner.attr == "actor" for inner in nodes_of(node))
