"""The SELECT of a scan or lookup: columns, conditions, grouping, order and limit."""

from __future__ import annotations

from typing import Generic, TypeVar

from table_common.connector.sql.quoting import where_clause
from table_common.connector.sql.table import SqlTable
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

T = TypeVar("T", bound=SqlTable)


@dataclass(frozen=True, slots=True)
class SqlQuery(Generic[T]):
    """A SELECT over one table; ``columns`` are SQL over its columns, one for each field of ``row_type``.

    Example:
        >>> class People(SqlTable):
        ...     name = "people"
        ...     def operand(self, name, type_, *, ordered=False):
        ...         return self.quoted(name)
        >>> from table_common.types import parse_logical_type
        >>> SqlQuery.of(People(), parse_logical_type("ROW<id INT, name STRING> NOT NULL")).sql('"id" > 1')
        'SELECT "id", "name" FROM "people" WHERE "id" > 1'
    """

    table: T
    columns: tuple[str, ...]
    row_type: RowType
    conditions: tuple[str, ...] = ()
    grouping: tuple[str, ...] | None = None
    """None: no aggregates; empty: one group."""
    order: tuple[str, ...] = ()
    limit: int | None = None

    @classmethod
    def of(cls, table: T, row_type: RowType) -> SqlQuery[T]:
        """Returns the query of all rows of the columns, whose types have been checked."""
        return cls(table, tuple(table.selected(field.name, field.type) or "NULL" for field in row_type.fields), row_type)

    def sql(self, *more: str) -> str:
        """Returns the SQL text, with further conditions."""
        text = f"SELECT {', '.join(self.columns)} FROM {self.table.sql}{where_clause([*self.conditions, *more])}"
        if self.grouping:
            text += f" GROUP BY {', '.join(self.grouping)}"
        if self.order:
            text += f" ORDER BY {', '.join(self.order)}"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        return text
