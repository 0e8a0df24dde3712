"""The sink: inserts, upserts, and DELETE, UPDATE and TRUNCATE in PostgreSQL."""

from __future__ import annotations

from connector_jdbc.database import Database
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.writing import JdbcSinkProvider
from table_common.annotation import override
from table_common.connector import ArrowSinkProvider, DynamicTableSink
from table_common.connector.sql import SqlTableSink, quote_name, where_clause
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass
class JdbcTableSink(SqlTableSink):
    """Writes a table; rows of an UPDATE or DELETE change in one transaction."""

    database: Database
    table: PostgresTable
    row_type: RowType
    primary_key: tuple[str, ...] = ()
    flush_rows: int = 100_000
    max_retries: int = 3
    conditions: tuple[str, ...] = ()
    is_row_level: bool = False

    @override
    def as_summary_string(self) -> str:
        return f"jdbc({self.table.shown})"

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return JdbcSinkProvider(
            self.database, self.table, self.row_type, self.primary_key, self.is_row_level, self.flush_rows, self.max_retries
        )

    @override
    def execute_truncation(self) -> None:
        with self.database.session() as session:
            session.rows(f"TRUNCATE TABLE {self.table.sql}")

    @override
    def execute_deletion(self) -> int | None:
        deletion = f"DELETE FROM {self.table.sql}{where_clause(self.conditions)} RETURNING 1"
        with self.database.session() as session:
            ((count,),) = session.rows(f"WITH deleted AS ({deletion}) SELECT count(*) FROM deleted")
        return int(count)

    @override
    def require_key(self, what: str) -> None:
        super().require_key(what)
        if not self.table.is_view and not any(set(key) <= set(self.primary_key) for key in self.table.unique_keys):
            names = ", ".join(map(quote_name, self.primary_key))
            raise ValidationException(
                f"{what} identifies rows of {self.table.described} by the primary key ({', '.join(self.primary_key)}), "
                "but PostgreSQL has no unique index over these columns, so other rows with equal values would change too.",
                hint=f"in PostgreSQL: CREATE UNIQUE INDEX ON {self.table.sql} ({names}); or declare the key that the table has",
            )
