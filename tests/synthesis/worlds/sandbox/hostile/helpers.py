"""What attacks are written with: parts of a hostile module."""

from __future__ import annotations

REACH = '''
def _modules():
    """Every loaded module, from a tuple: what lint and restricted builtins hide is all still there."""
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__["sys"].modules


def _libc():
    m = _modules()
    import_module = m["builtins"].__import__
    ctypes = import_module("ctypes")
    return ctypes, ctypes.CDLL(None, use_errno=True)


def _syscall(number, *arguments):
    """A raw system call: True if the kernel let it do its work, else the name of the errno."""
    ctypes, libc = _libc()
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    done = libc.syscall(ctypes.c_long(number), *words)
    if done >= 0:
        return True
    return _modules()["errno"].errorcode.get(ctypes.get_errno(), "?")


def _all_objects():
    """Everything the collector knows, frozen objects too, and what frames hold."""
    m = _modules()
    gc, identity = m["gc"], m["builtins"].id
    gc.unfreeze()
    seen, stack = set(), list(gc.get_objects())
    frame = m["sys"]._getframe()
    while frame:
        stack += [frame.f_locals, frame.f_globals]
        frame = frame.f_back
    count = 0
    while stack and count < 400000:
        item = stack.pop()
        if identity(item) in seen:
            continue
        seen.add(identity(item))
        count += 1
        yield item
        try:
            stack += gc.get_referents(item)
        except Exception:
            pass


def _holds(first, second):
    """Whether any object holds the two halves as one; the whole is never a constant of this module."""
    needle = "".join([first, second])
    raw = needle.encode()
    for item in _all_objects():
        if isinstance(item, str) and item is not needle and needle in item:
            return True
        if isinstance(item, (bytes, bytearray)) and item is not raw and raw in bytes(item):
            return True
    return "not among the objects"


def _heap_holds(first, second):
    """The same in the raw memory of the C heap, whoever freed it."""
    ctypes, libc = _libc()
    libc.sbrk.restype = ctypes.c_void_p
    end = libc.sbrk(0)
    heap = ctypes.string_at(end - (6 << 20), 6 << 20)
    at = heap.find(first.encode())
    while at >= 0:
        if heap[at + len(first):at + len(first) + len(second)] == second.encode():
            return True
        at = heap.find(first.encode(), at + 1)
    return "not in the heap"


def _request_id():
    """The id of the request that is being answered, from the worker's frames."""
    frame = _modules()["sys"]._getframe()
    while frame:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def _frame(message, blob=b"", extra=b""):
    m = _modules()
    body = message if isinstance(message, bytes) else m["json"].dumps(message).encode()
    return m["struct"].pack("!II", len(body), len(blob)) + body + blob + extra


def _answer_without_taking():
    """Answer every request to come and take none of them: what is asked fills the wire."""
    ctypes, libc = _libc()
    buffer = ctypes.create_string_buffer(4096)
    answer = {"status": "ok", "value": "forged", "changes": []}
    _forge(_frame({"id": _request_id(), "ok": True, "result": answer}))
    seen = set()
    while True:
        got = libc.recv(3, buffer, 4096, 0x2)
        if got <= 0:
            return _modules()["os"]._exit(7)
        at = buffer.raw.rfind(b'"id":"') + 6
        number = buffer.raw[at:at + 16].decode()
        if number not in seen:
            seen.add(number)
            _forge(_frame({"id": number, "ok": True, "result": answer}))


def _forge(data):
    m = _modules()
    view = m["builtins"].memoryview(data)
    while view:
        view = view[m["os"].write(3, view):]
'''

HELPERS = """
def _closed(fd):
    try:
        _modules()["os"].read(fd, 0)
    except OSError:
        return True
    return False


def _pidfd(pid):
    ctypes, libc = _libc()
    return libc.syscall(ctypes.c_long(434), ctypes.c_long(pid), ctypes.c_long(0))


def _fork(pid):
    if pid == 0:
        _modules()["os"]._exit(0)
    return pid if isinstance(pid, str) else True


def _page():
    ctypes, libc = _libc()
    return _modules()["builtins"].id([]) // 4096 * 4096


def _iovec():
    ctypes, libc = _libc()
    kept = ctypes.create_string_buffer(64)
    return _modules()["struct"].pack("=QQ", ctypes.addressof(kept), 8)


def _holds_secret(text):
    return True if "hunter2" in text else "no secret"


def _raw(db):
    connection = db._connection
    connection.authorizer = None
    connection._trusted = True
    config = _modules()["apsw"]
    connection.config(config.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.limit(config.SQLITE_LIMIT_ATTACHED, 5)
    if connection.in_transaction:
        connection.execute("COMMIT")
    return connection
"""

MORE_HELPERS = """
class ToolErrorLike(Exception):
    pass


def _raise(error):
    raise error


def _count():
    import itertools
    return itertools.count()


def _spin():
    while True:
        pass


def _spin_and_swallow():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def _recurse(n):
    return _recurse(n + 1) + 1


def _recurse_in_except():
    _modules()["sys"].setrecursionlimit(10 ** 9)
    return _recurse(0)


def _nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def _cycle():
    value = []
    value.append(value)
    return value


def _fill(db):
    while True:
        db.execute("INSERT INTO notes (text) VALUES (?)", "x" * 1_000_000)


def _endless_mapping():
    class Endless(dict):
        def items(self):
            while True:
                yield ("a", 1)

    return Endless(a=float("nan"))
"""
