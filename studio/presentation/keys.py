"""The one table of keys. Templates ask it by name (`{% keyed "step_next" %}`), the help page lists it."""

from __future__ import annotations

from studio.templatetags.keyed import KEYS, Key

PLACES: dict[str, list[Key]] = {}
for _key in KEYS.values():
    PLACES.setdefault(_key.place, []).append(_key)
