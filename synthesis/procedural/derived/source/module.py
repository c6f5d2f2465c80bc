"""Module: the whole of tools.py for a derived environment."""

from __future__ import annotations

import re

from synthesis.procedural.composing.helper_source import imports
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.operation import Operation
from synthesis.procedural.derived.source.browse import get_source, list_source, view_source
from synthesis.procedural.derived.source.changes import (
    create_source,
    delete_source,
    move_source,
    stamp_source,
    update_source,
)
from synthesis.procedural.derived.source.helper_text import used_helpers
from synthesis.procedural.derived.source.reports import count_by_source, sum_up_source
from synthesis.procedural.derived.source.text import view_name
from synthesis.procedural.derived.tool_plan import ToolPlan


def tools_source(plan: ToolPlan, title: str) -> str:
    """The source of a plan's tools."""
    functions = [operation_source(plan.model, operation) for operation in plan.operations]
    body = "\n\n".join(functions)
    views = [
        view_source(plan.model, relation)
        for relation in plan.model.relations.values()
        if re.search(rf"\b{view_name(relation)}\b", body)
    ]
    helpers = used_helpers(body)
    text = "\n\n".join([*helpers, body])
    constants = "MAX_LIMIT = 50\nLARGEST_ID = 9223372036854775807"
    about = re.sub(r'["\\]', "'", title if title.isprintable() else "records")
    head = [f'"""Tools of {about}."""', imports(text), constants]
    return "\n\n".join(part for part in (*head, *views) if part) + "\n\n\n" + "\n\n".join([*helpers, body])


def operation_source(model: DataModel, operation: Operation) -> str:
    """The function of one tool."""
    kind = operation.kind
    if kind in ("create", "create_with"):
        return create_source(model, operation)
    writers = {"list": list_source, "get": get_source, "update": update_source, "count_by": count_by_source}
    if kind in writers:
        return writers[kind](model, operation)
    if kind == "delete":
        return delete_source(model, operation)
    return {"move": move_source, "stamp": stamp_source, "sum_up": sum_up_source}[kind](operation)
