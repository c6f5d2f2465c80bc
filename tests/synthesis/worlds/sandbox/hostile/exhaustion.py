# ruff: noqa: E501 - an attack reads best on one line
"""Attempts to end, or to use up, memory and time."""

from __future__ import annotations

ENDINGS = {
    "exit_process": "m['os']._exit(0)",
    "exit_cleanly": "m['sys'].exit(0)",
    "abort": "m['os'].abort()",
    "crash": "_libc()[0].string_at(8, 1)",
    "overwrite_own_memory": "_libc()[0].memset(m['builtins'].id(None), 255, 64)",
    "stack_overflow_in_c": "m['builtins'].__import__('faulthandler')._stack_overflow()",
    "close_the_wire": "m['os'].close(3)",
    "close_everything": "m['os'].closerange(0, 64)",
    "keyboard_interrupt": "_raise(KeyboardInterrupt())",
    "generator_exit": "_raise(GeneratorExit())",
    "bare_base_exception": "_raise(BaseException('x'))",
    "exception_with_hostile_text": "_raise(type('E', (Exception,), {{'__str__': lambda s: 1/0}})())",
    "exception_with_endless_text": "_raise(Exception('x' * 50_000_000))",
    "exception_group": "_raise(BaseExceptionGroup('g', [Exception('a')]))",
    "exception_that_lies": "_raise(type('E', (Exception,), {{'__class__': property(lambda s: ToolErrorLike)}})())",
}
"""Ways to end; the caller gets one clear result, or an error that names the worker's end."""

HUNGER = {
    "list_without_end": "[bytearray(1 << 20) for _ in _count()]",
    "huge_bytes": "bytes(1 << 45)",
    "huge_text": "len('x' * (1 << 40))",
    "huge_number": "len(str(1 << (1 << 34)))",
    "recursion": "_recurse(0)",
    "nested_repr": "len(repr(_nested(200_000)))",
    "sql_blob": "db.query('SELECT zeroblob(1000000000) AS z')",
    "sql_text": "db.query(\"SELECT printf('%1000000000d', 1) AS p\")",
    "sql_rows": "_fill(db)",
    "exceptions_held": "_recurse_in_except()",
}
"""Memory without end."""

ENDLESS = {
    "loop": "_spin()",
    "loop_that_swallows": "_spin_and_swallow()",
    "loop_with_the_signal_blocked": "(m['signal'].pthread_sigmask(0, range(1, 64)), _spin())",
    "loop_with_the_signal_ignored": "(m['signal'].signal(m['signal'].SIGUSR1, m['signal'].SIG_IGN), _spin())",
    "sleep": "m['time'].sleep(1e6)",
    "regex": "re.match('(a+)+$', 'a' * 60 + 'b')",
    "power": "pow(7, 7 ** 13, 10 ** 60000) and (7 ** (7 ** 9))",
    "sum_in_c": "sum(range(10 ** 13))",
    "deque_in_c": "m['collections'].deque(_count(), maxlen=0)",
    "sort_in_c": "max(range(10 ** 12))",
    "int_parse": "m['sys'].set_int_max_str_digits(0) or int('9' * 20_000_000)",
    "sql_recursion": "db.query('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n')",
    "sql_product": "db.query('SELECT count(*) FROM big a, big b, big c, big d')",
    "wait_for_the_wire": "m['os'].read(3, 1)",
    "futex": "_syscall(202, _libc()[0].create_string_buffer(8), 0, 0, None)",
    "destructor": "type('D', (), {{'__del__': lambda s: _spin_and_swallow()}})() and True",
}
"""Time without end."""
