"""Written tool: a function whose head and docstring follow from its specification, so that a model writes
only the body.

What a model writes all the same stays as it is: the whole function, or its docstring.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Mapping
from typing import Any

from docstring_parser import DocstringStyle, parse

from synthesis.documents.tool_specs import ToolParameter, ToolSpec
from synthesis.pipeline.stages import source as sources
from synthesis.pipeline.stages.parameter_meaning import meaning
from synthesis.pipeline.stages.signature import read_signature, signature
from synthesis.worlds.definitions import UNPARSABLE, bound_names

LONGEST_LINE = 110
_INDENT = "    "
_EXAMPLES = "\n\nExamples:\n"
_ARGUMENTS = re.compile(r"^(?:Args|Arguments|Parameters):$", re.MULTILINE)
_PUBLIC = re.compile(r"^(?:async )?def [a-zA-Z]", re.MULTILINE)
_UNKNOWN = {"limit": "20", "offset": "0"}
"""Defaults of parameters of which only is known that they may be left out; of others it is None."""
USUAL = {
    "_Limit": "_Limit = Annotated[int, Field(ge=1, le=50)]",
    "_Offset": "_Offset = Annotated[int, Field(ge=0)]",
    "_Text": "_Text = Annotated[str, Field(min_length=1, max_length=500)]",
    "_AnyText": "_AnyText = Annotated[str, Field(max_length=500)]",
}
"""Types in the heads of tools, and how they are defined where their author does not."""
_OF_TYPING = ("Annotated", "Literal", "Optional")


def completed(source: str, spec: ToolSpec, example: Mapping[str, Any] | None = None) -> str:
    """The whole function, with what its author left to the specification.

    Args:
        source: The function's body, or the function with or without a docstring.
        spec: What it is to do.
        example: Arguments of a call that succeeds, for the docstring.
    """
    whole = source if _is_module(source, spec.name) else f"{_head(spec)}\n{_as_body(source)}\n"
    try:
        body = ast.parse(whole).body
    except UNPARSABLE:
        return whole
    named = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == spec.name]
    return _documented(whole, named[0], spec, example) if len(named) == 1 else whole


def specification_of(source: str, name: str) -> ToolSpec | None:
    """What a finished function says of itself; None where it is none, or says too much.

    An environment that is finished has no specifications any more.
    """
    try:
        body = ast.parse(source).body
    except UNPARSABLE:
        return None
    function = next((each for each in body if isinstance(each, ast.FunctionDef) and each.name == name), None)
    if function is None:
        return None
    documented = parse(ast.get_docstring(function) or "", style=DocstringStyle.GOOGLE)
    texts = {each.arg_name: " ".join((each.description or "").split()) for each in documented.params}
    summary = (documented.short_description, documented.long_description)
    try:
        return ToolSpec(
            name=name,
            resource=name,
            summary=" ".join(text for text in summary if text) or name,
            parameters=tuple(
                each.replace(description=texts.get(each.name, ""))
                for each in read_signature(ast.unparse(function.args))
            ),
        )
    except (ValueError, *UNPARSABLE):
        return None


def with_usual(shared: str, users: Iterable[str]) -> str:
    """What tools share, with the usual definitions that they use and nothing defines."""
    try:
        trees = [ast.parse(text) for text in (shared, *users)]
    except UNPARSABLE:
        return shared
    used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    defined = {name for statement in trees[0].body for name in bound_names(statement)}
    types = [text for name, text in USUAL.items() if name in used - defined]
    if types:
        used.add("Annotated")
    imported = ", ".join(name for name in _OF_TYPING if name in used - defined)
    added = [f"from typing import {imported}", *types] if imported else types
    return sources.merged("\n\n".join(added), shared) if added else shared


def _is_module(source: str, name: str) -> bool:
    """Whether a text is definitions and no function's body; of one that does not parse, its lines tell."""
    try:
        body = ast.parse(source).body
    except UNPARSABLE:
        return bool(_PUBLIC.search(source))
    if any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name for node in body):
        return True
    return all(isinstance(node, sources.DEFINITIONS) or _is_text(node) for node in body)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _head(spec: ToolSpec) -> str:
    """The function's first lines; types without bounds have the usual ones."""
    parameters = [signature([_bounded(each)]) for each in spec.parameters]
    line = f"def {spec.name}({', '.join(['db', *parameters])}) -> dict:"
    if len(line) <= LONGEST_LINE:
        return line
    lines = [f"{_INDENT}{each}," for each in ("db", *parameters)]
    return "\n".join([f"def {spec.name}(", *lines, ") -> dict:"])


def _bounded(parameter: ToolParameter) -> ToolParameter:
    """The parameter with the usual bounds of its type, and a default where it may be left out."""
    type, default = parameter.type, parameter.default
    if not parameter.required and not default:
        default = _UNKNOWN.get(parameter.name, "None")
        type = type if default != "None" or "None" in type else f"{type} | None"
    if type == "int" and parameter.name in ("limit", "offset"):
        type = f"_{parameter.name.capitalize()}"
    elif type in ("str", "str | None"):
        text = "_AnyText" if default in ("''", '""') else "_Text"
        type = type.replace("str", text)
    return parameter.replace(type=type, default=default)


def _as_body(source: str) -> str:
    """The lines of a body as they stand in a function; what is within a text is not moved."""
    source = source.strip("\n").rstrip()
    if source.startswith((" ", "\t")):
        return source
    within = lines_within_texts(source)
    return "\n".join(
        line if number in within or not line else f"{_INDENT}{line}"
        for number, line in enumerate(source.split("\n"), start=1)
    )


def lines_within_texts(source: str) -> set[int]:
    """Lines, from 1, that begin inside a text of several lines."""
    within: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
                within.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        return within
    return within


def _documented(
    source: str, function: ast.FunctionDef, spec: ToolSpec, example: Mapping[str, Any] | None
) -> str:
    """The function with a docstring that describes every parameter."""
    first = function.body[0]
    own = ast.get_docstring(function)
    text = own if own is not None else " ".join(spec.summary.split())
    if not _ARGUMENTS.search(text):
        head, examples, rest = text.partition(_EXAMPLES)
        text = f"{head}{_arguments(function, spec)}{examples}{rest}"
    if example is not None:
        shown = json.dumps(dict(example), ensure_ascii=False)
        text = f"{text.partition(_EXAMPLES)[0]}{_EXAMPLES}{_INDENT}{shown}"
    lines = source.split("\n")
    start = first.lineno - 1
    if text == own or first.lineno == function.lineno or not lines[start][: first.col_offset].isspace():
        return source
    if own is None:
        while lines[start - 1].lstrip().startswith("#"):
            start -= 1
        return "\n".join([*lines[:start], *_docstring(text), *lines[start:]])
    return "\n".join([*lines[:start], *_docstring(text), *lines[first.end_lineno or first.lineno :]])


def _arguments(function: ast.FunctionDef, spec: ToolSpec) -> str:
    """The part of a docstring that describes the parameters; "" where there is none or they are odd."""
    try:
        parameters = read_signature(ast.unparse(function.args))
    except (ValueError, *UNPARSABLE):
        return ""
    planned = {each.name: each.description for each in spec.parameters}
    described = [each.replace(description=planned.get(each.name, "")) for each in parameters]
    meanings = [f"{_INDENT}{each.name}: {meaning(each, narrows=not spec.writes)}" for each in described]
    return "\n".join(["\n\nArgs:", *meanings]) if meanings else ""


def _docstring(text: str) -> list[str]:
    """A docstring's lines, indented as the first of a function."""
    quoted = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    first, *rest = quoted.split("\n")
    if not rest and not first.endswith('"'):
        return [f'{_INDENT}"""{first}"""']
    return [f'{_INDENT}"""{first}', *(f"{_INDENT}{line}" if line else "" for line in rest), f'{_INDENT}"""']
