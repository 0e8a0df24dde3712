"""The sink: inserts, upserts, and DELETE, UPDATE and TRUNCATE in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from connector_jdbc.database import Database, quote_name
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.sql_text import condition_sql, kind_of, operand_sql
from connector_jdbc.writing import JdbcSinkProvider
from table_common.annotation import override
from table_common.catalog import Column
from table_common.connector import ArrowSinkProvider, ChangelogMode, DynamicTableSink
from table_common.connector.sink.abilities import SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate, SupportsTruncate
from table_common.connector.source.abilities import RowLevelModificationScanContext
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import DecimalType, RowType


@dataclass
class JdbcTableSink(DynamicTableSink, SupportsTruncate, SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate):
    """Writes a table: upserts and deletes by the primary key, or appends if none is declared.

    A DELETE is pushed down if PostgreSQL evaluates its condition with the same result. For other deletions and for updates, the engine finds the
    rows; they are identified by the primary key and change in one transaction.
    """

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
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.upsert() if self.primary_key else ChangelogMode.insert_only()

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
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        texts = [condition_sql(part, self.table) for part in filters]
        if not all(texts):
            return False
        self.conditions = tuple(filter(None, texts))
        return True

    @override
    def execute_deletion(self) -> int | None:
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        with self.database.session() as session:
            ((count,),) = session.rows(f"WITH deleted AS (DELETE FROM {self.table.sql}{where} RETURNING 1) SELECT count(*) FROM deleted")
        return int(count)

    @override
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        self._require_key("DELETE with a condition that PostgreSQL cannot compute as the engine does")
        self.is_row_level = True
        return self.RowLevelDeleteInfo(self._consume(self.primary_key))

    @override
    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        self._require_key("UPDATE")
        names = [column.name for column in updated_columns]
        keys = [name for name in names if name in self.primary_key]
        if keys:
            raise ValidationException(
                f"UPDATE cannot set {', '.join(keys)} of PostgreSQL's table '{self.table.shown}': the primary key "
                f"({', '.join(self.primary_key)}) identifies rows and must not change.",
                hint="INSERT the rows under their new keys and DELETE the old ones",
            )
        self.is_row_level = True
        return self.RowLevelUpdateInfo(self._consume((*names, *self.primary_key)))

    def _consume(self, names: Sequence[str]) -> tuple[str, ...]:
        """Restricts the consumed rows to these columns."""
        fields = {field.name: field for field in self.row_type.fields}
        self.row_type = RowType(tuple(fields[name] for name in names), nullable=False)
        return tuple(names)

    def _require_key(self, what: str) -> None:
        """Raises a ``ValidationException`` unless a primary key identifies rows, with types that PostgreSQL compares as SQL does."""
        if not self.primary_key:
            raise ValidationException(
                f"{what} needs a primary key to identify rows of PostgreSQL's table '{self.table.shown}'; none is declared.",
                hint="declare PRIMARY KEY (…) NOT ENFORCED; DELETE without one accepts comparisons of columns with constants, "
                "IN, BETWEEN, LIKE, IS NULL, AND, OR and NOT",
            )
        if not self.table.is_view and not any(set(key) <= set(self.primary_key) for key in self.table.unique_keys):
            names = ", ".join(map(quote_name, self.primary_key))
            raise ValidationException(
                f"{what} identifies rows of PostgreSQL's table '{self.table.shown}' by the primary key ({', '.join(self.primary_key)}), "
                "but PostgreSQL has no unique index over these columns, so other rows with equal values would change too.",
                hint=f"in PostgreSQL: CREATE UNIQUE INDEX ON {self.table.sql} ({names}); or declare the key that the table has",
            )
        for field in self.row_type.fields:
            column = self.table.columns[field.name]
            if field.name not in self.primary_key:
                continue
            is_rounded = isinstance(field.type, DecimalType) and column.digits is not None and column.digits[1] > field.type.scale
            if is_rounded or operand_sql(column, field.type, self.table) is None or kind_of(field.type) == "double":
                raise ValidationException(
                    f"{what} identifies rows of PostgreSQL's table '{self.table.shown}' by the primary key ({', '.join(self.primary_key)}), "
                    f"but PostgreSQL compares column '{field.name}' ({field.type}, {column.shown} in PostgreSQL) in another way.",
                    hint="keys are numbers but FLOAT and DOUBLE and with all digits, texts but char(n) and citext, booleans, dates and timestamps with microseconds",
                )
