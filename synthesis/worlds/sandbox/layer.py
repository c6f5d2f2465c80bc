"""Layer: one protection of the sandbox on this host, in force or missing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer, found out by trying.

    Args:
        name: What people call it.
        in_force: Whether it protects here.
        required: Whether generated code is refused without it.
        detail: What is in force, or why it is missing.
        remedy: What an operator can do about a missing one; empty when it is in force.
    """

    name: str
    in_force: bool
    required: bool
    detail: str
    remedy: str = ""
