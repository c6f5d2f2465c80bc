"""The ways in which the synthesis benchmark's endpoint breaks a reply: what real models were seen to send."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.openai_server import Refused, Reply, Said

Good = dict[str, Any]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(good: Good) -> str | None:
    """The field that lists the reply's pieces."""
    return next((name for name, value in good.items() if isinstance(value, list) and value), None)


def _with_pieces(good: Good, change: Callable[[list[Any]], list[Any]]) -> Reply:
    listed = _listed(good)
    return _text({**good, listed: change(good[listed])}) if listed else Said("{}")


def _with_first(good: Good, **changes: Any) -> Reply:
    """The first piece with some fields changed; one that is a text has none."""
    return _with_pieces(
        good, lambda pieces: [{**p, **changes} if isinstance(p, dict) else p for p in pieces[:1]] + pieces[1:]
    )


def _half(good: Good) -> Reply:
    return _text(good)[: len(_text(good)) * 2 // 3]


def _left_out(good: Good) -> Reply:
    """The last piece missing, where the stage knows which must come.

    Elsewhere the world would just be smaller, and the script would speak of what is not there for ever.
    """
    known = "shared" in good or "tasks" in good or "verifiers" in good
    return _with_pieces(good, lambda pieces: pieces[:-1]) if known else _half(good)


def _broken_tool(good: Good) -> Reply:
    """A statement that does not parse, in one tool of several."""
    if "shared" not in good:
        return _half(good)
    return _with_first(good, source=f"{good['tools'][0]['source']}\nreturn (\n" if good["tools"] else "")


def _forbidden_import(good: Good) -> Reply:
    """An import that tools may not have, in what they share."""
    if "shared" not in good:
        return _half(good)
    return _text({**good, "shared": f"import os\n{good['shared']}"})


def _failing_tool(good: Good) -> Reply:
    """A tool that fails whatever it is called with."""
    if "shared" not in good or not good["tools"]:
        return _with_first(good, unasked=7)
    return _with_first(good, source=f"[][1]\n{good['tools'][0]['source']}")


def _sql_in_a_cell(good: Good) -> Reply:
    """An expression where a moment is to be written out."""
    listed = _listed(good)
    first = good[listed][0] if listed else None
    columns = first.get("columns", []) if isinstance(first, dict) and first.get("rows") else []
    moments = [at for at, column in enumerate(columns) if column.endswith(("_on", "_at"))]
    if listed is None or not isinstance(first, dict) or not moments:
        return _with_pieces(good, lambda pieces: [*pieces[:-1], 7])
    row, *rest = first["rows"]
    noted = ["datetime('now', '-2 hours')" if at == moments[0] else cell for at, cell in enumerate(row)]
    return _with_first(good, rows=[noted, *rest])


SLIPS: dict[str, Callable[[Good], Reply]] = {
    "a question instead of a reply": lambda _: "Certainly! Before I begin, could you tell me more about it?",
    "nothing": lambda _: Said(""),
    "cut off by its length": lambda good: Said(_text(good)[: len(_text(good)) // 2], finish_reason="length"),
    "JSON that ends in the middle": _half,
    "another shape": lambda good: _text(dict.fromkeys(good, 7)),
    "a refusal": lambda _: Said(refusal="I cannot help with that."),
    "a busy endpoint": lambda _: Refused(503, "overloaded", headers={"Retry-After": "1"}),
    "a piece twice": lambda good: _with_pieces(good, lambda pieces: [*pieces, pieces[0]]),
    "a piece left out": _left_out,
    "reasoning and no reply": lambda _: Said(
        "", reasoning="Let me think about the tables.", reasoning_tokens=9
    ),
    "a statement that does not parse": _broken_tool,
    "a forbidden import": _forbidden_import,
    "a tool that always fails": _failing_tool,
    "SQL in a cell": _sql_in_a_cell,
}
"""By what is wrong; those that suit only some stages end in the middle, or say too much, elsewhere."""


def broken_reply(good: Good, chance: random.Random) -> Reply:
    """A good reply broken in one of the ways."""
    return SLIPS[chance.choice(sorted(SLIPS))](good)
