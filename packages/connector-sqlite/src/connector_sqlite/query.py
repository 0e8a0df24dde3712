"""The SELECT of a scan: columns, conditions, grouping and limit."""

from __future__ import annotations

from connector_sqlite.database import quote_name
from connector_sqlite.storage import sample_of, select_of
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A SELECT over one table; ``columns`` are SQL over its columns, one for each field of ``row_type``."""

    table: str
    columns: tuple[str, ...]
    row_type: RowType
    conditions: tuple[str, ...] = ()
    grouping: tuple[str, ...] | None = None
    """None: no aggregates; empty: one group."""
    limit: int | None = None

    @classmethod
    def of(cls, table: str, row_type: RowType) -> TableQuery:
        """Returns the query of all rows of the columns."""
        return cls(table, tuple(select_of(quote_name(field.name), field.type) for field in row_type.fields), row_type)

    def sql(self, *more: str) -> str:
        """Returns the SQL text, with further conditions."""
        text = f"SELECT {', '.join(self.columns)} FROM {quote_name(self.table)}"
        conditions = [*self.conditions, *more]
        if conditions:
            text += f" WHERE {' AND '.join(conditions)}"
        if self.grouping:
            text += f" GROUP BY {', '.join(self.grouping)}"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        return text

    def typed(self, text: str, *, keys: bool = False) -> str:
        """Returns the query with a first row of constants, which tell the driver the types; with ``keys`` the position of a key is first."""
        samples = [*(["0"] if keys else []), *(sample_of(field.type) for field in self.row_type.fields)]
        names = [f"{sample} AS c{index}" for index, sample in enumerate(samples)]
        return f"SELECT {', '.join(names)} UNION ALL SELECT * FROM ({text})"
