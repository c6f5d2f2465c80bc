"""Memory of processes: PSS, which counts a page shared by n processes as 1/n for each."""

from __future__ import annotations

import contextlib
from pathlib import Path


def descendants(pid: int) -> set[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    results, stack = set(), [pid]
    while stack:
        one = stack.pop()
        results.add(one)
        stack += children.get(one, [])
    return results


def pss_kib(pids: set[int]) -> int | None:
    """PSS of some processes together; None where the kernel does not tell (sealed workers tell only root)."""
    try:
        return sum(_pss_kib(pid) for pid in pids)
    except PermissionError:
        return None


def rss_kib(pid: int) -> int:
    """Resident memory of one process."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def available_kib() -> int:
    """What the machine could still give."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    return 0


def _pss_kib(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def peak_mib(pid: int) -> float:
    """The most memory a process had since it began or its peak was forgotten."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024
