"""Django's PostgreSQL engine, with two changes for pages that many people use at once.

The server plans a prepared statement once per connection, because planning takes longer than answering a small query.
And the check of the connection before each request needs no message to the server.
"""

from select import POLLIN, poll
from typing import Any

from django.db.backends.postgresql import base, operations

#: The name that makes create_cursor() return a cursor for prepared statements. No server-side cursor has it.
_PREPARED = "prepared"
#: The planner's settings for every connection.
SETTINGS = {
    # Plan a prepared statement at its first use. By default, the server also plans each of the next uses, up to five.
    "plan_cache_mode": "force_generic_plan",
    # The default of 4 is for spinning disks. With it, the server scans all of a table with a few thousand
    # rows, and that plan stays in use while the table grows.
    "random_page_cost": "1.1",
}


class DatabaseOperations(operations.DatabaseOperations):
    """Django's operations, with the text of prepared statements for logs."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        """Return the executed SQL with its values, which the driver cannot report for prepared statements."""
        return super().last_executed_query(cursor, sql, params) or self.compose_sql(sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to PostgreSQL."""

    ops_class = DatabaseOperations

    def _configure_connection(self, connection: Any) -> bool:
        super()._configure_connection(connection)  # type: ignore[misc]
        for setting, value in SETTINGS.items():
            connection.execute("SELECT set_config(%s, %s, false)", [setting, value])
        return True

    def prepared_cursor(self) -> Any:
        """Return a cursor whose statements are prepared: the server keeps their plans until the connection ends.

        The server receives the values separately. So use the same SQL text for all values, and write values that
        never change into the text.
        """
        return self._cursor(_PREPARED)  # type: ignore[attr-defined]

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor of the driver. With the name _PREPARED, its statements are prepared."""
        if name == _PREPARED:
            return base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]
        return super().create_cursor(name)

    def is_usable(self) -> bool:
        """Return whether the server has kept the connection open.

        An idle connection has nothing to read unless the server closes it. After an error, this asks the server.
        """
        if self.connection is None or self.errors_occurred:
            return super().is_usable()
        if self.connection.closed:
            return False
        waiting = poll()
        waiting.register(self.connection.fileno(), POLLIN)
        return not waiting.poll(0)
