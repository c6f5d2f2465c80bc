"""Limits: how much time, memory and output a world grants the code that it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Ceilings of a world. A soft time limit rolls a call back; after `grace_seconds` more comes a kill."""

    call_seconds: float = 5.0
    """Wall clock of one tool call or one read-only query."""
    verify_seconds: float = 10.0
    """Wall clock of one verification."""
    build_seconds: float = 30.0
    """Wall clock of building a database, compiling tools or comparing two snapshots."""
    state_seconds: float = 10.0
    """Wall clock of starting an instance, of reading its state, and of all that brings it back after a
    loss."""
    grace_seconds: float = 1.0
    """How long a worker may take to obey the soft limit before it is killed."""
    patience: int = 0
    """How often a time limit begins again for a worker that works and had less than half of it on a
    processor, so that a busy machine is not taken for slow code. 0 where others wait for it."""
    memory_mib: int = 512
    """Memory a worker may take beyond what it starts with."""
    max_database_mib: int = 64
    """Size of one instance's database; an insert beyond it fails."""
    max_output_bytes: int = 1_000_000
    """Size of one result as JSON."""
    max_change_bytes: int = 2_000_000
    """Size of the rows that one call changes, before and after, as JSON; beyond it the call is undone."""
    max_brackets: int = 30_000
    """Opening brackets and braces in one result and in the rows it changed: lists, objects, and those in
    texts."""
    max_argument_bytes: int = 200_000
    """Characters and values that one argument of a call may hold in all."""
    max_depth: int = 32
    """Nesting of arguments and results."""
    max_instances: int = 4096
    """Live instances of one world; another one is refused."""
    max_waiting: int = 64
    """Callers that may wait for one instance; the next one is refused at once."""
