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
    return text({**reply, "tables": [{**first, "sql": f"CREATE TABLE {first['name']} ();"}, *rest]})


def in_first(field, key, change):
    def spoil(reply):
        first, *rest = reply[field]
        return text({**reply, field: [{**first, key: change(first[key])}, *rest]})

    return spoil


def imports_os(reply):
    return text({**reply, "shared": "import os\n" + reply["shared"]})


def syntax_error(source):
    return source.replace(":\n", "\n", 1)


def endless(source):
    return source.rstrip("\n") + "\n\n\n_N = [1]\nwhile _N:\n    pass\n"


def always_true(source):
    return 'def verify(before, after, changes, answer):\n    """Yes."""\n    yield check("fine", True)\n'


def loops_when_called(source):
    documented, end, body = source.partition('"""\n')
    return f"{documented}{end}    while True:\n        pass\n{body}"


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
