"""The storage of collected static files: names with a hash, and compressed copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

if TYPE_CHECKING:
    CompressedFiles = HashedFilesMixin
else:
    CompressedFiles = CompressedManifestStaticFilesStorage

_MAPS = "sourceMappingURL"


def _without_source_maps(patterns: Any) -> tuple[Any, ...]:
    return tuple(
        (files, remaining)
        for files, rules in patterns
        if (remaining := tuple(rule for rule in rules if _MAPS not in str(rule)))
    )


class HashedFiles(CompressedFiles):
    """Vendored files name source maps that are not shipped; only what pages load is followed."""

    patterns = _without_source_maps(HashedFilesMixin.patterns)
