"""What sinks of SQL databases share: conditions of DELETE, and the primary key by which UPDATE and DELETE identify rows."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.catalog import Column
from table_common.connector.changelog_mode import ChangelogMode
from table_common.connector.sink import DynamicTableSink
from table_common.connector.sink.abilities import SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate, SupportsTruncate
from table_common.connector.source.abilities import RowLevelModificationScanContext
from table_common.connector.sql.conditions import condition_sql
from table_common.connector.sql.table import SqlTable
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.types import RowType


class SqlTableSink(DynamicTableSink, SupportsTruncate, SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate):
    """Writes a table of a SQL database: upserts by the primary key, or appends if none is declared.

    A DELETE is pushed down if the database evaluates its condition with the same result: ``conditions``. For other deletions and for updates, the
    engine finds the rows, which are identified by the primary key; then ``is_row_level`` is true, and ``row_type`` has the consumed columns.
    A subclass is a dataclass with the annotated attributes among its fields.

    Source: Flink's ``org.apache.flink.connector.jdbc.core.table.sink.JdbcDynamicTableSink``.

    Example:
        >>> from table_common.connector import ChangelogMode
        >>> class Sink(SqlTableSink):
        ...     primary_key = ()
        ...     get_sink_runtime_provider = execute_truncation = execute_deletion = None
        >>> Sink().get_changelog_mode(ChangelogMode.all()) == ChangelogMode.insert_only()
        True
    """

    table: SqlTable
    row_type: RowType
    primary_key: tuple[str, ...]
    conditions: tuple[str, ...]
    is_row_level: bool

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.upsert() if self.primary_key else ChangelogMode.insert_only()

    @override
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        texts = [condition_sql(part, self.table) for part in filters]
        if not all(texts):
            return False
        self.conditions = tuple(filter(None, texts))
        return True

    @override
    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        self.require_key(f"DELETE with a condition that {self.table.DATABASE} cannot compute as the engine does")
        return self.RowLevelDeleteInfo(self._consume(self.primary_key))

    @override
    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        """Consumes the updated columns and the primary key.

        Raises:
            ValidationException: no primary key identifies rows, or a column of it is updated.
        """
        self.require_key("UPDATE")
        names = [column.name for column in updated_columns]
        keys = [name for name in names if name in self.primary_key]
        if keys:
            raise ValidationException(
                f"UPDATE cannot set {', '.join(keys)} of {self.table.described}: the primary key "
                f"({', '.join(self.primary_key)}) identifies rows and must not change.",
                hint="INSERT the rows under their new keys and DELETE the old ones",
            )
        return self.RowLevelUpdateInfo(self._consume((*names, *self.primary_key)))

    def _consume(self, names: Sequence[str]) -> tuple[str, ...]:
        """Restricts the consumed rows to these columns."""
        self.is_row_level = True
        fields = {field.name: field for field in self.row_type.fields}
        self.row_type = RowType(tuple(fields[name] for name in names), nullable=False)
        return tuple(names)

    def require_key(self, what: str) -> None:
        """Checks that a primary key identifies rows, with types that the database compares as SQL does.

        Args:
            what: the statement, for messages.

        Raises:
            ValidationException: there is none, or a column of it has another type.
        """
        table = self.table
        if not self.primary_key:
            raise ValidationException(
                f"{what} needs a primary key to identify rows of {table.described}; none is declared.",
                hint="declare PRIMARY KEY (…) NOT ENFORCED; DELETE without one accepts comparisons of columns with constants, "
                "IN, BETWEEN, LIKE, IS NULL, AND, OR and NOT",
            )
        for field in self.row_type.fields:
            if field.name in self.primary_key and not table.identifies(field.name, field.type):
                raise ValidationException(
                    f"{what} identifies rows of {table.described} by the primary key ({', '.join(self.primary_key)}), "
                    f"but {table.DATABASE} compares column '{field.name}' ({table.described_column(field.name, field.type)}) in another way.",
                    hint=f"keys are {table.KEYS}; declare the column with the type that {table.DATABASE} stores",
                )
