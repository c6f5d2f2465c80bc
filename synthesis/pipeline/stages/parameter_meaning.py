"""Parameter meaning: what agents are told of a parameter whose name and type say it already."""

from __future__ import annotations

import ast

from synthesis.documents.tool_specs import ToolParameter
from synthesis.verification.argument_values import time_kind
from synthesis.worlds.definitions import UNPARSABLE

MOST_CHOICES = 8
"""Values of a parameter that its description names."""
_NO_TEXTS = ("int", "float", "list")
_OF_LISTS = {"limit": "How many to return at most.", "offset": "How many to skip, from the first."}
_TIMED = ("on", "at")
_WRITTEN_AS = {"day": " (YYYY-MM-DD)", "moment": " (YYYY-MM-DDTHH:MM:SS)", "": ""}


def meaning(parameter: ToolParameter, *, narrows: bool) -> str:
    """The description that its author wrote, or else one from its name, its type and its default.

    Args:
        parameter: The parameter.
        narrows: Whether one that may be left out narrows what is found, as those of reading tools do.
    """
    if parameter.description.strip():
        return _with_form(" ".join(parameter.description.split()), parameter)
    if parameter.name in _OF_LISTS:
        return _OF_LISTS[parameter.name]
    text = _words(parameter)
    if parameter.default == "None":
        return f"{text}; any when left out." if narrows else f"{text}; may be left out."
    return f"{text}; empty by default." if parameter.default in ("''", '""') else f"{text}."


def _words(parameter: ToolParameter) -> str:
    words = parameter.name.strip("_").replace("_", " ") or parameter.name
    head, _, last = words.rpartition(" ")
    if head and last in ("id", "ids"):
        return f"Id of the {head}" if last == "id" else f"Ids, each of a {head}"
    if head and last == "cents":
        return f"{_begun(head)} in cents"
    if parameter.type == "bool":
        return f"{_begun(words)}: true or false"
    if choices := _choices(parameter.type):
        return f"{_begun(words)}: {choices}"
    form = _form(parameter)
    is_noun = " " in head and last in _TIMED  # "Start deadline", not "Start deadline on"; but "Due on"
    named = head if form and is_noun else words
    return f"{_begun(named)}{form}"


def _form(parameter: ToolParameter) -> str:
    """How the text of a day or a moment is written; "" for what is neither."""
    return _WRITTEN_AS["" if parameter.type.startswith(_NO_TEXTS) else time_kind(parameter.name, {})]


def _with_form(text: str, parameter: ToolParameter) -> str:
    """A description of its author's, with how a day or a moment is written where it does not say so."""
    form = _form(parameter)
    return text if not form or "YYYY" in text else f"{text.rstrip('.')}{form}."


def _choices(type: str) -> str:
    """The values of a Literal in words: "open, paid or void"; "" where it is none, or has too many."""
    try:
        nodes = list(ast.walk(ast.parse(type, mode="eval")))
    except UNPARSABLE:
        return ""
    values = [node.value for node in nodes if isinstance(node, ast.Constant) and node.value is not None]
    if not 2 <= len(values) <= MOST_CHOICES or not any(
        isinstance(node, ast.Name) and node.id == "Literal" for node in nodes
    ):
        return ""
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}"


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
