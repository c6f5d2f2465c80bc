"""Replies of a model that are broken in one way each, made from right ones."""

import json

from tests.openai_server import Said


def text(reply):
    return json.dumps(reply)


def prose(reply):
    return "I would be happy to help! Let me think about it first."


def truncated(reply):
    return text(reply)[:-200]


def cut_off(reply):
    return Said(text(reply)[: len(text(reply)) // 2], finish_reason="length")


def wrong_type(reply):
    return text(dict.fromkeys(reply, 7))


def duplicate_tool(reply):
    return text({**reply, "tools": [*reply["tools"], reply["tools"][0]]})


def unknown_table(reply):
    return text({**reply, "tables": [*reply["tables"], {"table": "ghosts", "rows": [{"id": 1}]}]})


def no_columns(reply):
    first, *rest = reply["tables"]
    return text({**reply, "tables": [f"{first.partition('(')[0]}();", *rest]})


def in_first(field, key, change):
    def spoil(reply):
        first, *rest = reply[field]
        return text({**reply, field: [{**first, key: change(first[key])}, *rest]})

    return spoil


def imports_os(reply):
    return text({**reply, "shared": "import os\n" + reply["shared"]})


def syntax_error(source):
    return source.replace(":\n", "\n", 1)


def endless(reply):
    first, *rest = reply["tools"]
    whole = f'def {first["name"]}(db) -> dict:\n    """Do it."""\n    return {{}}\n'
    return text(
        {**reply, "tools": [{**first, "source": f"{whole}\n\n_N = [1]\nwhile _N:\n    pass\n"}, *rest]}
    )


def always_true(source):
    return 'def verify(before, after, changes, answer):\n    """Yes."""\n    yield check("fine", True)\n'


def loops_when_called(source):
    return f"while True:\n    pass\n{source}"


def loops_for_ever(source):
    return "def verify(before, after, changes, answer):\n    while True:\n        pass\n"


BROKEN_FIRST = {
    "scenario": [prose],
    "outlines": [truncated],
    "policy": [lambda reply: Said("", finish_reason="stop")],
    "schema": [no_columns],
    "seed_data": [unknown_table],
    "tool_specs": [duplicate_tool],
    "tools": [in_first("tools", "source", syntax_error)],
    "tasks": [in_first("tasks", "reference_solution", lambda calls: [{"name": "guess", "arguments": {}}])],
    "verifiers": [in_first("verifiers", "source", always_true)],
}
