"""Names: identifiers of another system, kept where they are plain and made plain where they are not."""

from __future__ import annotations

import re

from anyascii import anyascii

from synthesis.intake.notes import Notes

LONGEST = 63
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Names:
    """Hands out plain names, each once, whatever their case.

    Args:
        kind: What is named, for messages.
        notes: Where a changed name is told.
    """

    def __init__(self, kind: str, notes: Notes) -> None:
        self._kind, self._notes = kind, notes
        self._taken: set[str] = set()

    def give(self, wanted: str, *, owner: str = "", suffix: str = "") -> str:
        """A plain name as near to the wanted one as can be, with `suffix` behind it."""
        stem = plain(wanted, self._kind)
        if suffix and stem.lower().endswith(suffix):
            suffix = ""
        name, number = f"{stem}{suffix}", 1
        while name.lower() in self._taken:
            number += 1
            name = f"{stem}{suffix}_{number}"
        self._taken.add(name.lower())
        if name != wanted + suffix:
            shown = f"{owner}.{wanted}" if owner else wanted
            self._notes.add(
                "names_are_plain",
                f"{self._kind} {shown[:120]!r} is renamed to {name}.",
                where=shown[:120],
                warn=False,
            )
        return name


def plain(wanted: str, kind: str) -> str:
    """Letters, digits and underscores only, no digit first, nothing that SQLite keeps for itself; other
    scripts are spelled in Latin letters."""
    name = wanted
    if not _PLAIN.match(name):
        name = re.sub(r"[^A-Za-z0-9]+", "_", anyascii(wanted)).strip("_").lower() or kind
    if name[0].isdigit() or name.lower().startswith("sqlite_"):
        name = f"{kind}_{name}"
    return name[:LONGEST]


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def words_of(name: str) -> str:
    """A name as words in lower case: "OrderLine" and "order_lines" alike read as they would be said."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return " ".join(re.split(r"[^A-Za-z0-9]+", spaced)).strip().lower()
