"""Owned counts: how many rows somebody has, as the lists that were shown tell it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from synthesis.reading.computed import cached_property
from synthesis.reading.shown_row import Ident, ShownList, is_key
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.written_rows import WrittenRows

_Signature = frozenset[tuple[str, object]]
_Range = tuple[int, int, int, int]
_STATUS = "status"
_MOST_LISTED = 200


class OwnedCounts:
    """The numbers of rows that each of several owners has: people with their cases, a room with its loans.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote: what they were given or lost may be told either way.
    """

    def __init__(self, shown: ShownRows, written: WrittenRows) -> None:
        self._shown, self._written = shown, written

    def numbers(
        self, owner: Ident, kinds: Collection[str] = (), *, before: bool = False, after: bool = False
    ) -> frozenset[int]:
        """How many rows somebody has, or had before calls changed that; empty where nothing shows it.

        Args:
            owner: Whose.
            kinds: Of which kinds; of all where none is given.
            before: Whether only before calls changed that.
            after: Whether only since then.
        """
        return frozenset(
            total + more
            for kind, listed in self._ranges.get(owner, {}).items()
            if not kinds or kind in kinds
            for total, inside, outside, final in listed
            for more in ((final - total,) if after else range(-inside, 1 if before else outside + 1))
            if total + more >= 0
        )

    @cached_property
    def _ranges(self) -> dict[Ident, dict[str, set[_Range]]]:
        """By owner and kind: how many rows a list has, how many of those that calls moved are in it and how
        many are not: the first may be gone since or new, the others gone before or come since; and how many
        are left at last."""
        ranges: dict[Ident, dict[str, set[_Range]]] = {}
        others = {row[0] for listed in self._shown.lists for row in listed.idents}
        for listed, owners in self._of_owners:
            kind = self._kind_of(listed)
            for owner in owners if kind else ():
                moved = [row for row in self._written.about((owner,)) if row[0] not in others - {kind}]
                inside = len(frozenset(moved).intersection(listed.idents))
                whole = len(listed.idents) == listed.total
                outside = len(moved) - inside if whole else len(moved)
                final = listed.total + self._come(listed, moved) if whole else listed.total + outside
                ranges.setdefault(owner, {}).setdefault(kind, set()).add(
                    (listed.total, inside, outside, final)
                )
        for owner, by_kind in self.counts.items():
            moves = len(self._written.about((owner,)))
            for kind, counts in by_kind.items():
                if kind not in ranges.get(owner, {}):
                    ranges.setdefault(owner, {})[kind] = {
                        (count, moves, moves, count + moves) for count in counts
                    }
        return ranges

    def _come(self, listed: ShownList, moved: Collection[Ident]) -> int:
        """How many more rows a list would have since calls wrote some: each that came, less what went."""
        stays = {row for row in moved if self._fits(listed, dict(self._written.last(row)))}
        gone = frozenset(listed.idents).intersection(moved) - stays
        return len(stays.difference(listed.idents)) - len(gone)

    @staticmethod
    def _fits(listed: ShownList, row: Mapping[str, object]) -> bool:
        """Whether a row has the keys and the state that a list was asked by."""
        nested = [value for value in row.values() if isinstance(value, Mapping)]
        cells = {**{name: value for each in nested for name, value in each.items()}, **row}
        return all(
            cells.get(name) == value
            for name, value in listed.asked.items()
            if is_key(name, value) or name == _STATUS
        )

    def _kind_of(self, listed: ShownList) -> str:
        return listed.idents[0][0] if listed.idents else self._kinds.get(_signature(listed), "")

    @cached_property
    def counts(self) -> dict[Ident, dict[str, set[int]]]:
        """By owner and kind, the numbers that lists have."""
        counts: dict[Ident, dict[str, set[int]]] = {}
        for listed, owners in self._of_owners:
            kind = self._kind_of(listed)
            for owner in owners if kind else ():
                counts.setdefault(owner, {}).setdefault(kind, set()).add(listed.total)
        known = {
            owner: {kind: frozenset(numbers) for kind, numbers in by_kind.items()}
            for owner, by_kind in counts.items()
        }
        for listed in self._shown.lists:
            if 1 < len(listed.idents) == listed.total <= _MOST_LISTED and not _keyed(listed):
                self._add_owners_in(listed, counts, known)
        return counts

    @cached_property
    def asked(self) -> frozenset[Ident]:
        """Those whose lists were asked for."""
        return frozenset(owner for _, owners in self._of_owners for owner in owners) & self.counts.keys()

    def peers(self, owner: Ident) -> frozenset[Ident]:
        """The others of an owner's kind of whom it is shown how many rows they have."""
        return frozenset(other for other in self.counts if other[0] == owner[0] and other != owner)

    @cached_property
    def _of_owners(self) -> list[tuple[ShownList, list[Ident]]]:
        """The lists that were asked for by a key, each with whose they are."""
        return [
            (listed, owners)
            for listed in self._shown.lists
            if (owners := [self._shown.ident_under(name, value) for name, value in _keyed(listed)])
        ]

    @cached_property
    def _kinds(self) -> dict[_Signature, str]:
        """What lists have that were asked for in one way: an empty one tells it of none."""
        kinds: dict[_Signature, set[str]] = {}
        for listed, _ in self._of_owners:
            if listed.idents:
                kinds.setdefault(_signature(listed), set()).add(listed.idents[0][0])
        return {signature: each.pop() for signature, each in kinds.items() if len(each) == 1}

    def _add_owners_in(
        self,
        listed: ShownList,
        counts: dict[Ident, dict[str, set[int]]],
        known: Mapping[Ident, Mapping[str, Collection[int]]],
    ) -> None:
        """Count the rows of a list of all by what they refer to, by their status where they have several;
        where lists of single owners were shown, too, only if they have as many of the same."""
        kind = listed.idents[0][0]
        by_owner: dict[Ident, dict[object, int]] = {}
        for ident in listed.idents:
            row = self._shown.rows[ident]
            status = tuple(row.cells.get(_STATUS, ())[:1])
            for owner in row.refers:
                of_owner = by_owner.setdefault(owner, {})
                of_owner[status] = of_owner.get(status, 0) + 1
        others = {
            owner[0]
            for owner, numbers in known.items()
            if kind in numbers and sum(by_owner.get(owner, {}).values()) not in numbers[kind]
        }
        kinds = {owner[0] for owner in by_owner} - others
        for owner in [each for each in self._shown.rows if each[0] in kinds]:
            numbers = by_owner.get(owner, {})
            if kind in known.get(owner, ()):
                continue
            counts.setdefault(owner, {}).setdefault(kind, set()).update(
                (*numbers.values(), sum(numbers.values()))
            )


def _keyed(listed: ShownList) -> list[tuple[str, int | str]]:
    return [(name, value) for name, value in listed.asked.items() if is_key(name, value)]


def _signature(listed: ShownList) -> _Signature:
    """How a list was asked for, whoever's it is."""
    return frozenset(
        (name, "" if is_key(name, value) else value)
        for name, value in listed.asked.items()
        if isinstance(value, str | int)
    )
