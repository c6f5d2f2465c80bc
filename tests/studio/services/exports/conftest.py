"""Everything a page can show."""

from tests.studio.views.conftest import shelf

__all__ = ["shelf"]
