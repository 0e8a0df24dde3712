"""The SELECT of a scan: columns, conditions, grouping, order and limit."""

from __future__ import annotations

from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import select_sql
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A SELECT over one table; ``columns`` are SQL over its columns, one for each field of ``row_type``."""

    table: PostgresTable
    columns: tuple[str, ...]
    row_type: RowType
    conditions: tuple[str, ...] = ()
    grouping: tuple[str, ...] | None = None
    """None: no aggregates; empty: one group."""
    order: tuple[str, ...] = ()
    limit: int | None = None

    @classmethod
    def of(cls, table: PostgresTable, row_type: RowType) -> TableQuery:
        """Returns the query of all rows of the columns, whose types have been checked."""
        columns = tuple(select_sql(table.columns[field.name], field.type) or "NULL" for field in row_type.fields)
        return cls(table, columns, row_type)

    def sql(self, *more: str) -> str:
        """Returns the SQL text, with further conditions."""
        text = f"SELECT {', '.join(self.columns)} FROM {self.table.sql}"
        conditions = [*self.conditions, *more]
        if conditions:
            text += f" WHERE {' AND '.join(conditions)}"
        if self.grouping:
            text += f" GROUP BY {', '.join(self.grouping)}"
        if self.order:
            text += f" ORDER BY {', '.join(self.order)}"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        return text

    def keyed_sql(self, keys: str, join: str) -> str:
        """Returns the query of the rows that belong to keys; its first column is the position of the key."""
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        columns = ", ".join(f"t.c{index}" for index in range(len(self.columns)))
        inner = ", ".join(f"{column} AS c{index}" for index, column in enumerate(self.columns))
        return f"SELECT k.position{', ' if columns else ''}{columns} FROM {keys} CROSS JOIN LATERAL (SELECT {inner} FROM {self.table.sql}{where}{' AND ' if where else ' WHERE '}{join}) AS t"
