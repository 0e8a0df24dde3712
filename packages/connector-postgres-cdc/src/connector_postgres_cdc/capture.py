"""What a scan reads: the database, the tables, the slot and the publication; and sessions in which the log has its texts in one form."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing

from connector_jdbc import Database, Session
from connector_postgres_cdc.rows import CapturedTable, RowShape
from table_common.connector.sql import quote_name, quote_text
from table_common.frozen_dataclass import dataclass

RETRIES = 6
"""How often a call is repeated while the server restarts: for about six seconds."""
_FORMS = {"TimeZone": "UTC", "DateStyle": "ISO", "IntervalStyle": "postgres", "bytea_output": "hex", "extra_float_digits": "1"}


@dataclass(frozen=True)
class Capture:
    """The settings of a scan. Pickled with the provider."""

    database: Database
    tables: tuple[CapturedTable, ...]
    shape: RowShape
    slot: str
    publication: str
    startup: str = "initial"
    chunk_rows: int = 65_536
    parallelism: int = 2
    heartbeat: float = 30.0
    lag_warning: int = 1 << 30
    ignores_truncate: bool = False
    drops_slot: bool = False
    pattern: tuple[str, str] = ("", "")
    """The names, or regular expressions, of the schema and the tables."""

    @property
    def is_snapshot(self) -> bool:
        """Whether the tables are only copied."""
        return self.startup == "snapshot"

    @property
    def split_id(self) -> str:
        """The name of the one split: the copy of the tables and the log have one order."""
        return self.slot or "snapshot"

    @property
    def drop_statement(self) -> str:
        """The statement that drops the slot."""
        return f"SELECT pg_drop_replication_slot({quote_text(self.slot)})"

    def open(self) -> Session:
        """Returns a session whose texts of values do not depend on settings of the server, the database or the user.

        Raises:
            TableError: the server cannot be reached, or refuses the user or the database.
        """
        session = self.database.open()
        session.rows("SELECT " + ", ".join(f"set_config({quote_text(name)}, {quote_text(value)}, false)" for name, value in _FORMS.items()))
        return session

    def session(self) -> AbstractContextManager[Session]:
        """Opens a session, which is closed at the end of the block; errors are those of ``open``."""
        return closing(self.open())

    def changes_sql(self, slot: str, until: str, rows: int | None, columns: str = "data") -> str:
        """Returns the query that reads the messages of a slot up to a position, and so moves the slot."""
        count = "NULL" if rows is None else str(min(rows, 0x7FFF_FFFF))
        return (
            f"SELECT {columns} FROM pg_logical_slot_get_binary_changes({quote_text(slot)}, {quote_text(until)}, {count}, "
            f"'proto_version', '1', 'publication_names', {quote_text(quote_name(self.publication))})"
        )
