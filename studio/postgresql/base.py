"""The database backend; Django looks for a module of this name."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's backend, but a process whose database does not answer learns it at once.

    A pool goes on trying until its own timeout and then says only that it ran out; the first connection of a
    process is therefore made without it, once.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection, from the pool once it is open."""
        if self.pool is not None and self.pool.closed:
            self.Database.connect(**conn_params).close()
        return super().get_new_connection(conn_params)
