"""Everything a page can show."""

from tests.studio.views.conftest import as_, on_localhost, shelf

__all__ = ["as_", "on_localhost", "shelf"]
