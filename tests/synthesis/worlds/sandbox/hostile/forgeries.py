# ruff: noqa: E501 - an attack reads best on one line
"""Results, answers on the wire, verdicts and schemas that are not what they should be."""

from __future__ import annotations

RETURNED = {
    "nan": "{{'x': float('nan')}}",
    "infinity": "[float('inf')]",
    "a_set": "{{1, 2}}",
    "some_bytes": "b'x'",
    "a_surrogate": "'\\ud800'",
    "a_cycle": "_cycle()",
    "a_generator": "(x for x in [1])",
    "a_function": "len",
    "a_module": "re",
    "a_class": "int",
    "too_deep": "_nested(2000)",
    "too_large": "'x' * 100_000_000",
    "too_many": "list(range(10_000_000))",
    "a_huge_integer": "1 << 200",
    "a_key_that_is_no_text": "{{1: 2}}",
    "an_endless_mapping": "_endless_mapping()",
    "a_decimal": "m['decimal'].Decimal('NaN')",
    "a_complex": "1j",
    "the_database": "db",
}
"""Results that are none."""

LYING = {
    "a_lying_text": "type('S', (str,), {{'encode': lambda s, *a: 1/0}})('x')",
    "a_lying_dict": "type('D', (dict,), {{'items': lambda s: _count(), '__iter__': lambda s: _count()}})(a=1)",
}
"""Results whose class lies; what counts is what they hold."""

NESTED = "b'[' + b','.join([b'[]'] * {count}) + b']'"
"""Three bytes an empty list, of which a reader makes seventy."""
FORGED_VALUE = (
    '_forge(_frame(b\'{{"id": "\' + _request_id().encode() + b\'", "ok": true, "result": {{"status": "ok", "value": \''
    " + VALUE + b'}}}}')) or m['time'].sleep(9)"
)

FORGERIES = {
    "nested_lists": FORGED_VALUE.replace("VALUE", NESTED.format(count=20_000_000)),
    "nested_lists_within_the_size": FORGED_VALUE.replace("VALUE", NESTED.format(count=40_000)),
    "a_request_answered_and_not_taken": "_answer_without_taking()",
    "answer_with_a_message_that_is_none": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'error', "
    "'message': 7}}}})) or m['time'].sleep(9)",
    "failure_in_no_known_form": "_forge(_frame({{'id': _request_id(), 'ok': False, 'kind': [], 'message': {{}}}})) or m['time'].sleep(9)",
    "changes_without_keys": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': 1, "
    "'changes': [{{'table': 'notes'}}]}}}})) or m['time'].sleep(9)",
    "bytes_without_end": "_forge(m['struct'].pack('!II', 90_000, 0)) or [_forge(b' ') for _ in range(90_000 - 1)] and _spin()",
    "garbage": "_forge(b'garbage' * 100)",
    "another_id": "_forge(_frame({{'id': 'deadbeefdeadbeef', 'ok': True, 'result': {{'status': 'ok', 'value': 1}}}}))",
    "no_id": "_forge(_frame({{'ok': True}}))",
    "a_list": "_forge(_frame([1, 2]))",
    "no_json": "_forge(_frame(b'{{not json'))",
    "nan_in_json": '_forge(_frame(b\'{{"id": NaN, "ok": true}}\'))',
    "deep_json": "_forge(_frame(b'[' * 100000 + b']' * 100000))",
    "huge_length": "_forge(m['struct'].pack('!II', 0xffffffff, 0xffffffff) + b'x')",
    "huge_blob": "_forge(m['struct'].pack('!II', 2, 0xffffffff) + b'{{}}')",
    "half_a_header": "(_forge(b'\\x00\\x00'), _spin())",
    "half_a_body": "(_forge(m['struct'].pack('!II', 500, 0) + b'{{'), _spin())",
    "a_flood": "[_forge(b'\\x00' * 65536) for _ in _count()]",
    "a_flood_of_frames": "[_forge(_frame({{'id': 'x', 'ok': True}})) for _ in _count()]",
    "answer_and_more": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': 'forged', "
    "'changes': []}}}}, extra=b'more'))",
    "answer_and_work_on": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': 'forged', 'changes': []}}}})) or _spin_and_swallow()",
    "two_answers": "[_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': 'forged', "
    "'changes': []}}}})) for _ in (1, 2)]",
    "answer_with_wrong_shape": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': 7}})) or m['time'].sleep(9)",
    "answer_without_result": "_forge(_frame({{'id': _request_id(), 'ok': True}})) or m['time'].sleep(9)",
    "answer_with_unknown_status": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'root', "
    "'value': 1, 'changes': []}}}})) or m['time'].sleep(9)",
    "answer_with_false_changes": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', "
    "'value': 1, 'changes': [[1], 'x', {{}}]}}}})) or m['time'].sleep(9)",
    "answer_that_is_too_long": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': "
    "'x' * 50_000_000, 'changes': []}}}})) or m['time'].sleep(9)",
    "answer_that_is_not_ok": "_forge(_frame({{'id': _request_id(), 'ok': False}})) or m['time'].sleep(9)",
    "ok_that_is_no_bool": "_forge(_frame({{'id': _request_id(), 'ok': 'true', 'result': {{}}}})) or m['time'].sleep(9)",
    "unasked_blob": "_forge(_frame({{'id': _request_id(), 'ok': True, 'result': {{'status': 'ok', 'value': 'forged', "
    "'changes': []}}}}, blob=b'x' * 1000)) or m['time'].sleep(9)",
}
"""Written straight onto the wire."""

FORGED_VERDICTS = {
    "a text": "yield check('c', 'true')",
    "a number": "yield check('c', 1)",
    "nothing": "yield check('c', None)",
    "no check at all": "return []",
    "nothing returned": "return None",
    "true itself": "return True",
    "a dict": "yield {'name': 'c', 'passed': True}",
    "the same name twice": "yield check('c', False); yield check('c', True)",
    "an object that lies about its class": (
        "yield type('L', (), {'__class__': property(lambda s: check), 'name': 'c', 'passed': 1, 'guard': 0, 'detail': 0})()"
    ),
    "a bool from elsewhere": "c = check('c', False); c.passed = _modules()['decimal'].Decimal(1); yield c",
    "one after an exception": "yield check('c', True); raise ValueError('late')",
    "one before the end of the process": "yield check('c', True); _modules()['os']._exit(0)",
    "one before the end of time": "yield check('c', True); _spin()",
    "one that swallows the end of time": "yield check('c', True); _spin_and_swallow()",
    "one before the memory ends": "yield check('c', True); x = [bytearray(1 << 20) for _ in _count()]",
    "without end": "i = 0\n    while True:\n        i += 1\n        yield check(str(i), True)",
    "a frame of its own with an unknown id": "_forge(_frame({'id': 'x', 'ok': True, 'outcomes': []})); yield check('c', True)",
    "a frame with a passed that is no bool": (
        "_forge(_frame({'id': _request_id(), 'ok': True, 'outcomes': [{'name': 'c', 'passed': 'yes', 'guard': False}]}))"
        "; _modules()['time'].sleep(9); yield check('c', True)"
    ),
    "a frame with unknown fields": (
        "_forge(_frame({'id': _request_id(), 'ok': True, 'outcomes': [{'name': 'c', 'passed': True, 'reward': 99}]}))"
        "; _modules()['time'].sleep(9); yield check('c', True)"
    ),
    "a frame without outcomes": (
        "_forge(_frame({'id': _request_id(), 'ok': True})); _modules()['time'].sleep(9); yield check('c', True)"
    ),
    "two frames": (
        "f = _frame({'id': _request_id(), 'ok': True, 'outcomes': [{'name': 'c', 'passed': True, 'guard': False}]})"
        "; _forge(f + f); _modules()['time'].sleep(9); yield check('c', True)"
    ),
    "a crash": "yield check('c', True); _libc()[0].string_at(8, 1)",
}
"""Bodies of verify that must end as no verdict, or as one without a passed check."""

SWAPS = {
    "a view for a table": "ALTER TABLE notes RENAME TO hidden; CREATE VIEW notes AS SELECT 1 AS id, 'done' AS text",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM big; END",
    "another column": "ALTER TABLE notes ADD COLUMN extra TEXT DEFAULT 'x'",
    "a missing table": "DROP TABLE big",
    "one more table": "CREATE TABLE more (a INTEGER PRIMARY KEY)",
    "a computed column": "DROP TABLE notes; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT AS ('done'))",
    "an index on an expression": "CREATE INDEX i ON notes (lower(text))",
}
"""Schemas that no tool may leave behind."""
