"""A worker: one sealed process that serves requests for one instance, or one request and then ends."""

from __future__ import annotations
import __future__

import marshal
import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from synthesis.worlds.answer_limits import FAILURE_CHARACTERS, LONGEST_DESCRIPTION, answer_limit
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.protocol import (
    HEADER,
    UNCOUNTED_BYTES,
    brackets_in,
    decode,
    encode,
    read_frame,
    write_frame,
)
from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT, OutOfTime
from synthesis.worlds.sandbox.worker_exit import WorkerExit, exit_for
from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.builder import Builder
from synthesis.worlds.worker.integrity import require_intact
from synthesis.worlds.worker.invariants import described, invariant_problems
from synthesis.worlds.worker.live import LiveInstance, WorldBlueprint, read_only, rows_of
from synthesis.worlds.worker.loading import application
from synthesis.worlds.worker.many_verifications import final_answer, verify_many
from synthesis.worlds.worker.namespace import given_to_tools, place_of, run_module
from synthesis.worlds.worker.signature import Undescribed, describe
from synthesis.worlds.worker.state import compare
from synthesis.worlds.worker.state_editor import SealedStateEditor
from synthesis.worlds.worker.tool_source import (
    committing_functions,
    function_names,
    parse,
    source_problems,
    tool_problems,
    verifier_problems,
    writing_functions,
)
from synthesis.worlds.worker.verification_run import VerifierFailed, compiled, run_verifier
from synthesis.worlds.worker.verifier_trial import SealedVerifierTrial

Body = dict[str, Any]
_LIMITS = Limits()
Answer = tuple[Body, bytes]

_FAILURE_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (VerifierFailed, "verifier"),
    (Undescribed, "tools"),
    (OutOfTime, "time"),
    (MemoryError, "memory"),
)


def serve(descriptor: int, worker: Worker) -> None:
    """Answer requests until the service closes the wire."""
    while (frame := read_frame(descriptor)) is not None:
        request, blob = frame
        write_frame(descriptor, worker.answer(request, blob))


class Worker:
    """What one worker process can do.

    Args:
        blueprint: The world whose instances it may hold; None in a worker for a single job.
    """

    def __init__(self, blueprint: WorldBlueprint | None = None) -> None:
        self._blueprint = blueprint
        self._live: dict[int, LiveInstance] = {}
        self._ready: LiveInstance | None = None
        """The first instance that begins with the world's own state, opened before there are workers."""
        if blueprint is not None and blueprint.rows is not None:
            self._ready = LiveInstance(blueprint)
            self._ready.prepare()
        self._state_editor: SealedStateEditor | None = None
        self._trial: SealedVerifierTrial | None = None
        self._operations: dict[str, Callable[[Body, bytes], Answer]] = {
            "load": self._load,
            "start": self._start,
            "call": self._call,
            "call_many": self._call_many,
            "snapshot": self._snapshot,
            "end": self._end,
            "hash": self._hash,
            "diff": self._diff,
            "query": self._query,
            "tables": self._tables,
            "build": _build,
            "compile": _compile,
            "compile_invariants": _compile_invariants,
            "try_invariants": self._try_invariants,
            "compile_application": _compile_application,
            "describe": _describe,
            "describe_application": _describe_application,
            "lint_verifier": _lint_verifier,
            "compile_verifiers": _compile_verifiers,
            "edit": self._edit,
            "verify": self._verify,
            "verify_many": self._verify_many,
            "open_trial": self._open_trial,
            "try_near_misses": self._try_near_misses,
            "compare": _compare,
            "rows": _rows,
        }

    def answer(self, request: Body, blob: bytes) -> bytes:
        """The frame that answers one request. Errors are answers too; the service decides what they mean."""
        try:
            result, tail = self._operations[request["op"]](request, blob)
            frame = encode({"id": request["id"], "ok": True, **result}, tail)
            return self._bounded(frame, request["op"])
        except BaseException as error:  # noqa: BLE001 - a worker's seam: whatever happened is told, not raised
            kind = next((name for type, name in _FAILURE_KINDS if isinstance(error, type)), "other")
            words = str(error) if kind in ("verifier", "tools") else f"{type(error).__name__}: {error}"
            text = words[:FAILURE_CHARACTERS].encode("utf-8", "replace").decode()
            return encode({"id": request["id"], "ok": False, "kind": kind, "message": text})

    def _bounded(self, frame: bytes, op: str) -> bytes:
        """An answer that the service will take; it kills a worker that answers more."""
        if len(frame) <= UNCOUNTED_BYTES:
            return frame
        most = answer_limit(op, self._blueprint.limits if self._blueprint else _LIMITS)
        size = HEADER.unpack_from(frame)[0]
        if (
            size > most.body
            or brackets_in(memoryview(frame)[HEADER.size : HEADER.size + size]) > most.brackets
        ):
            raise ValueError(
                f"the answer is too large: {size:,} bytes of JSON; at most {most.body:,} are allowed"
            )
        return frame

    def _load(self, _body: Body, _blob: bytes) -> Answer:
        """Load what instances share, before there is one."""
        self._world.namespace()
        return {}, b""

    def _start(self, body: Body, blob: bytes) -> Answer:
        """Begin an instance, or begin it again: `key` tells instances that share a process apart."""
        key, seed, image = body["key"], body["seed"], blob or None
        if key in self._live:
            self._live[key].restart(image, seed)
            return {}, b""
        if image is None and self._ready is not None:
            live, self._ready = self._ready, None
        else:
            live = LiveInstance(self._world, image=image)
        live.begin(seed, fresh_namespace=body["shared"])
        self._live[key] = live
        return {}, b""

    def _end(self, body: Body, _blob: bytes) -> Answer:
        if (live := self._live.pop(body["key"], None)) is not None:
            live.close()
        return {}, b""

    def _call(self, body: Body, _blob: bytes) -> Answer:
        """One call; with the hash of a changed state where it is wanted and takes no time worth telling."""
        live = self._live[body["key"]]
        result = live.call(body["number"], body["name"], body["arguments"])
        if body["hashed"] and result.get("changes") and live.is_small():
            return {"result": result, "hash": live.hash()}, b""
        return {"result": result}, b""

    def _call_many(self, body: Body, blob: bytes) -> Answer:
        """Calls in a row; on an instance that begins again where `begin` is a seed. With `again`, a seed and
        the number of the next call, it begins again after each call that changed rows.

        The time limit is one for all of them: a call that it stops is not counted but reported as missing,
        and the service makes it again with time of its own. Once the results are as large as that of a single
        call may be, the rest is left to the next request.
        """
        live, number, results, size = self._live[body["key"]], body["number"], [], 0
        if body["begin"] is not None:
            live.restart(blob or None, body["begin"])
        for name, given in body["calls"]:
            result = live.call(number, name, given)
            if live.was_stopped:
                break
            results.append(result)
            number += 1
            if body["again"] is not None and result.get("changes"):
                seed, number = body["again"]
                live.restart(blob or None, seed)
            size += live.answered if result["status"] == "ok" else 0
            if size > live.limits.max_output_bytes:
                break
            if body["until_failure"] and result["status"] != "ok":
                break
        return {"results": results}, b""

    def _snapshot(self, body: Body, _blob: bytes) -> Answer:
        live = self._live[body["key"]]
        return {"hash": live.hash()}, live.image()

    def _hash(self, body: Body, _blob: bytes) -> Answer:
        return {"hash": self._live[body["key"]].hash()}, b""

    def _diff(self, body: Body, blob: bytes) -> Answer:
        return {"changes": self._live[body["key"]].diff(blob or None)}, b""

    def _query(self, body: Body, _blob: bytes) -> Answer:
        live = self._live[body["key"]]
        return {"rows": live.query(body["sql"], body["params"], body["limit"])}, b""

    def _tables(self, body: Body, _blob: bytes) -> Answer:
        return {"tables": self._live[body["key"]].tables(body["limit"])}, b""

    def _edit(self, body: Body, blob: bytes) -> Answer:
        """Edit rows of a state; `renew` says that it is another one than last time."""
        if self._state_editor is None:
            self._state_editor = SealedStateEditor(self._world)
        if body["renew"]:
            self._state_editor.start_from(None if body["own"] else blob)
        return self._state_editor.first_possible(
            body["variants"], number=body["number"], seed=body["seed"], unlike=body["unlike"]
        )

    def _try_invariants(self, body: Body, blob: bytes) -> Answer:
        """Which invariants do not hold in a state; an empty blob stands for the world's own."""
        now = datetime.fromisoformat(body["clock"])
        invariants = self._world.invariants(self._world.look_into(blob or self._world.image, now))
        with SOFT_LIMIT:
            return {"broken": invariants.broken() if invariants else []}, b""

    @property
    def _world(self) -> WorldBlueprint:
        if self._blueprint is None:
            raise RuntimeError("this worker has no world")
        return self._blueprint

    def _verify(self, body: Body, blob: bytes) -> Answer:
        """Run one verifier; `from_base` says that the state before is the world's own."""
        code, middle = body["code_bytes"], body["code_bytes"] + body["before_bytes"]
        now = [datetime.fromisoformat(text) for text in body["clocks"]]
        world, image = self._blueprint if body["from_base"] else None, blob[middle:]
        outcomes = run_verifier(
            marshal.loads(blob[:code]) if code else body["source"],  # noqa: S302 - made by our own compiler
            before=world.base() if world else read_only(blob[code:middle], now[0]),
            after=(world.look_into if world else read_only)(image, now[1]),
            tables=world.touched(image) if world else None,
            rows=world.rows if world else None,
            same_schema=world is not None and world.has_same_schema(image),
            answer=final_answer(body),
            max_bytes=body["max_bytes"],
            evidence=body.get("evidence"),
        )
        return {"outcomes": outcomes}, b""

    def _open_trial(self, body: Body, blob: bytes) -> Answer:
        """Put one verifier on trial: its code, the code prepared to be weakened and the right end state."""
        code, prepared = body["code_bytes"], body["code_bytes"] + body["prepared_bytes"]
        self._trial = SealedVerifierTrial(
            self._world,
            image=blob[prepared:],
            now=datetime.fromisoformat(body["clock"]),
            seed=body["seed"],
            code=marshal.loads(blob[:code]),  # noqa: S302 - made by our own compiler
            prepared=marshal.loads(blob[code:prepared]) if prepared > code else None,  # noqa: S302
            sites=body["sites"],
            answer=final_answer(body),
            evidence=body.get("evidence") or {},
        )
        return {}, b""

    def _try_near_misses(self, body: Body, _blob: bytes) -> Answer:
        if self._trial is None:
            raise RuntimeError("no verifier is on trial")
        results = self._trial.try_all(body["near_misses"], seconds=body["seconds"])
        killed, self._trial.killed = self._trial.killed, []
        return {"results": results, "killed": killed}, b""

    def _verify_many(self, body: Body, blob: bytes) -> Answer:
        """Run verifiers against several ends that began with the world's own state."""
        return {"found": verify_many(self._world, body, blob)}, b""


def read_blueprint(frame: bytes) -> WorldBlueprint:
    """A world's shared half from the bytes the service hands to a template (see `world.World`)."""
    size = int.from_bytes(frame[:4], "big")
    body, blob = decode(frame[4 : 4 + size]), frame[4 + size :]
    code, image = body["code_bytes"], body["code_bytes"] + body["invariants_bytes"]
    return WorldBlueprint(
        runtime=body["runtime"],
        routes=body["routes"],
        code=blob[:code],
        invariants=blob[code:image],
        sentences=body["sentences"],
        tools=body["tools"],
        image=blob[image:],
        start=datetime.fromisoformat(body["start"]),
        actor=body["actor"],
        limits=Limits(**body["limits"]),
    )


def run(descriptor: int, worker: Worker) -> None:
    """Serve and end the process, with a `WorkerExit` when that was not the service's wish; never returns."""
    status: int = WorkerExit.UNEXPECTED
    try:
        serve(descriptor, worker)
        status = 0
    except BaseException as error:  # noqa: BLE001 - a process that serves no more must end and say why
        status = exit_for(error)
    finally:
        os._exit(status)


def _build(body: Body, _blob: bytes) -> Answer:
    builder = Builder(datetime.fromisoformat(body["clock"]), max_mib=body["max_mib"])
    with SOFT_LIMIT:
        builder.create(body["sql"])
        schema_sound = not builder.problems
        if body["rows"] is not None and builder.tables:
            builder.load(body["rows"], body["actor"])
    tables = [table.model_dump(mode="json") for table in builder.tables]
    answer = {"problems": builder.problems, "tables": tables}
    if builder.problems or body["rows"] is None:
        return {**answer, "hash": "", "schema_sound": schema_sound}, b""
    return {**answer, "hash": builder.hash(), "schema_sound": True}, builder.image()


def _compile(body: Body, _blob: bytes) -> Answer:
    """Read and compile a tools module without running any of it.

    Twice: as it is, to be described; and with annotations left unevaluated, to be played, since to
    evaluate them takes most of the time that a module needs to load.
    """
    tree, problems = parse(body["source"], part="tools")
    if tree is None:
        return {"problems": problems, "writing": []}, b""
    problems = [*source_problems(tree, part="tools"), *tool_problems(tree)]
    plain = marshal.dumps(compile(tree, "tools", "exec", dont_inherit=True))
    stripped = compile(tree, "tools", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    writing = writing_functions(tree)
    names = function_names(tree)
    tools = [[name, name in writing] for name in names if not name.startswith("_")]
    return {"problems": problems, "tools": tools, "plain_bytes": len(plain)}, plain + marshal.dumps(stripped)


def _compile_invariants(body: Body, _blob: bytes) -> Answer:
    """Read and compile an invariants module without running any of it."""
    tree, problems = parse(body["source"], part="invariants")
    if tree is None:
        return {"problems": problems}, b""
    problems = [*problems, *invariant_problems(tree)]
    if problems:
        return {"problems": problems}, b""
    code = compile(tree, "invariants", "exec", dont_inherit=True)
    return {"problems": [], "declared": described(tree)}, marshal.dumps(code)


def _compile_application(body: Body, _blob: bytes) -> Answer:
    """Read and compile a FastAPI module without running any of it."""
    tree, problems = parse(body["source"], part="tools")
    if tree is None:
        return {"problems": problems, "committing": []}, b""
    code = compile(tree, "tools", "exec", dont_inherit=True)
    return {"problems": [], "committing": sorted(committing_functions(tree))}, marshal.dumps(code)


def _describe_application(body: Body, blob: bytes) -> Answer:
    """Load a compiled FastAPI module and describe its routes and the tables it creates."""
    with SOFT_LIMIT:
        code = marshal.loads(blob)  # noqa: S302 - made by our own compiler
        try:
            loaded = application(code)
            routes = [asdict(operation) for operation in loaded.operations.values()]
            tools = loaded.described(body["committing"])
            return {"tools": tools, "routes": routes, "tables": loaded.tables()}, b""
        except Exception as error:
            raise Undescribed(f"{type(error).__name__}: {error}{place_of(error, 'tools')}") from error


def _describe(body: Body, blob: bytes) -> Answer:
    """Run a compiled tools module and describe its tools."""
    problems, tools = [], []
    with SOFT_LIMIT:
        code = marshal.loads(blob)  # noqa: S302 - made by our own compiler
        try:
            space = run_module(code, "tools", given_to_tools())
        except Exception as error:
            raise Undescribed(f"{type(error).__name__}: {error}{place_of(error, 'tools')}") from error
        for name, writes in body["tools"]:
            try:
                described = describe(space[name], mutates_state=writes)
                if len(described["description"]) > LONGEST_DESCRIPTION:
                    raise Undescribed(f"has a description of more than {LONGEST_DESCRIPTION:,} characters")
                tools.append(described)
            except Undescribed as error:
                problems.append([name, str(error)])
    return {"problems": problems, "tools": tools}, b""


def _lint_verifier(body: Body, _blob: bytes) -> Answer:
    """Read a verifier without running it."""
    tree, problems = parse(body["source"], part="verifiers")
    return {"problems": [*problems, *(verifier_problems(tree) if tree else [])]}, b""


def _compile_verifiers(body: Body, _blob: bytes) -> Answer:
    """Compile verifiers without running any of them; one that does not compile has no bytes."""
    codes = []
    for source in body["sources"]:
        try:
            codes.append(marshal.dumps(compiled(source)))
        except Exception:  # noqa: BLE001 - a verification of it says what is wrong
            codes.append(b"")
    return {"sizes": [len(code) for code in codes]}, b"".join(codes)


def _compare(body: Body, blob: bytes) -> Answer:
    now = datetime.fromisoformat(body["clock"])
    before = read_only(blob[: body["before_bytes"]], now)
    after = read_only(blob[body["before_bytes"] :], now)
    with SOFT_LIMIT:
        tables = shapes(before)
        require_intact(before, tables)
        require_intact(after, tables)
        return {"changes": compare(before, after, tables)}, b""


def _rows(body: Body, blob: bytes) -> Answer:
    connection = read_only(blob, datetime.fromisoformat(body["clock"]))
    with SOFT_LIMIT:
        return {"rows": rows_of(connection, body["sql"], body["params"], body["limit"])}, b""
